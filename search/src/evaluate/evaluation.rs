//! The evaluation of games from variant files: handcrafted terms, a network, or the sum of both.

use super::net::{NarrowAccumulator, Net, WideAccumulator};
use super::{Evaluate, HandcraftedEvaluation, MAX_EVALUATION, PieceSquareState};
use jewel_engine::tactics::{PieceValues, Pieces};
use std::cell::OnceCell;
use std::sync::Arc;

/// The evaluation of a game from a variant file: its network's if it has one, otherwise the handcrafted one; or the sum of
/// both, where the network is one that is added. One type for all, so that searches are compiled once.
#[derive(Clone, Debug)]
pub struct Evaluation {
    hand: HandcraftedEvaluation,
    net: Option<Arc<Net>>,
}

/// The state of an [`Evaluation`]. Without a network only a few bytes are copied from move to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvaluationState {
    /// That of the handcrafted terms.
    Hand(PieceSquareState),
    /// That of the network.
    Net(WideAccumulator),
    /// Those of both.
    Both(PieceSquareState, WideAccumulator),
    /// Those of both, where the network is of the narrowest: a quarter as much is copied.
    Narrow(PieceSquareState, NarrowAccumulator),
}

impl Evaluation {
    /// The evaluation by a network, and by the handcrafted terms if the network is added to them. Exchanges are valued by the
    /// handcrafted terms.
    pub fn with_net(hand: HandcraftedEvaluation, net: Arc<Net>) -> Evaluation {
        Evaluation { hand, net: Some(net) }
    }

    /// The net, if there is one.
    pub fn net(&self) -> Option<&Net> {
        self.net.as_deref()
    }
}

impl From<HandcraftedEvaluation> for Evaluation {
    fn from(hand: HandcraftedEvaluation) -> Evaluation {
        Evaluation { hand, net: None }
    }
}

const FOREIGN: &str = "the state belongs to another evaluation";

/// What the handcrafted terms and the network say together.
#[inline(always)]
fn sum(by_hand: i32, by_net: i32) -> i32 {
    (by_hand + by_net).clamp(-MAX_EVALUATION, MAX_EVALUATION)
}

impl<P: Pieces> Evaluate<P> for Evaluation {
    type State = EvaluationState;

    fn begin(&self, position: &P) -> EvaluationState {
        match &self.net {
            Some(net) if net.added && net.is_narrow() => {
                EvaluationState::Narrow(self.hand.begin(position), net.begin(position))
            }
            Some(net) if net.added => EvaluationState::Both(self.hand.begin(position), net.begin(position)),
            Some(net) => EvaluationState::Net(net.begin(position)),
            None => EvaluationState::Hand(self.hand.begin(position)),
        }
    }

    #[inline]
    fn advance(&self, before: &P, mv: P::Move, state: &EvaluationState) -> EvaluationState {
        match (state, &self.net) {
            (EvaluationState::Hand(running), None) => {
                EvaluationState::Hand(self.hand.advance(before, mv, running))
            }
            (EvaluationState::Net(accumulator), Some(net)) => {
                EvaluationState::Net(net.advance(before, mv, accumulator))
            }
            (EvaluationState::Both(running, accumulator), Some(net)) => EvaluationState::Both(
                self.hand.advance(before, mv, running),
                net.advance(before, mv, accumulator),
            ),
            (EvaluationState::Narrow(running, accumulator), Some(net)) => EvaluationState::Narrow(
                self.hand.advance(before, mv, running),
                net.advance(before, mv, accumulator),
            ),
            _ => unreachable!("{FOREIGN}"),
        }
    }

    /// What is put into the cell is seen to be small where it is: a state that may be large would be copied whole.
    #[inline]
    fn advance_into(
        &self,
        before: &P,
        mv: P::Move,
        state: &EvaluationState,
        cell: &OnceCell<EvaluationState>,
    ) {
        let _ = match (state, &self.net) {
            (EvaluationState::Hand(running), None) => {
                cell.set(EvaluationState::Hand(self.hand.advance(before, mv, running)))
            }
            (EvaluationState::Narrow(running, accumulator), Some(net)) => cell.set(EvaluationState::Narrow(
                self.hand.advance(before, mv, running),
                net.advance(before, mv, accumulator),
            )),
            _ => cell.set(self.advance(before, mv, state)),
        };
    }

    #[inline]
    fn evaluate(&self, position: &P, state: &EvaluationState) -> i32 {
        match (state, &self.net) {
            (EvaluationState::Hand(running), None) => self.hand.evaluate(position, running),
            (EvaluationState::Net(accumulator), Some(net)) => net.evaluate(position, accumulator),
            (EvaluationState::Both(running, accumulator), Some(net)) => {
                sum(self.hand.evaluate(position, running), net.evaluate(position, accumulator))
            }
            (EvaluationState::Narrow(running, accumulator), Some(net)) => {
                sum(self.hand.evaluate(position, running), net.evaluate(position, accumulator))
            }
            _ => unreachable!("{FOREIGN}"),
        }
    }

    /// That of the handcrafted terms.
    fn outline(&self, position: &P) -> i32 {
        self.hand.outline(position)
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        <HandcraftedEvaluation as Evaluate<P>>::exchange_values(&self.hand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{Chess, ChessGame};
    use jewel_engine::position::{Position, list_moves};

    #[test]
    fn a_cell_is_filled_with_the_state_after_the_move() {
        let rules = jewel_engine::games::find("diamond-quest").unwrap().rules();
        let start = ChessGame::<Chess, 8>::new(rules).unwrap().start();
        let hand = HandcraftedEvaluation::best(rules);
        let net = Evaluation::best(rules).net.unwrap();
        let added = Net { added: true, ..(*net).clone() };
        let nets = [None, Some(net), Some(Arc::new(added))];
        for evaluation in nets.map(|net| Evaluation { hand: hand.clone(), net }) {
            for mv in list_moves(&start) {
                let cell = OnceCell::new();
                evaluation.advance_into(&start, mv, &evaluation.begin(&start), &cell);
                assert_eq!(cell.into_inner(), Some(evaluation.begin(&start.after(mv))));
            }
        }
    }
}
