//! The state of the evaluation, computed where it is needed: many positions are never evaluated, because the
//! transposition table has them or a threat must be answered.

use crate::evaluate::Evaluate;
use jewel_engine::position::Position;
use std::cell::OnceCell;

/// The state of the evaluation in a position of the path, and where it comes from.
pub(super) struct LazyState<'a, P: Position, S> {
    state: OnceCell<S>,
    /// The state of the position before, that position, and the move; `None` at the root.
    origin: Option<(&'a LazyState<'a, P, S>, &'a P, P::Move)>,
}

impl<'a, P: Position, S> LazyState<'a, P, S> {
    /// A state that is computed already.
    pub(super) fn known(state: S) -> LazyState<'a, P, S> {
        LazyState { state: OnceCell::from(state), origin: None }
    }

    /// The state after a move, not computed yet.
    #[inline(always)]
    pub(super) fn after(
        before: &'a LazyState<'a, P, S>,
        position: &'a P,
        mv: P::Move,
    ) -> LazyState<'a, P, S> {
        LazyState { state: OnceCell::new(), origin: Some((before, position, mv)) }
    }

    /// The state.
    #[inline(always)]
    pub(super) fn state<E: Evaluate<P, State = S>>(&self, evaluation: &E) -> &S {
        match self.state.get() {
            Some(state) => state,
            None => self.compute(evaluation),
        }
    }

    /// The state, from the last one on the path that has been computed.
    fn compute<E: Evaluate<P, State = S>>(&self, evaluation: &E) -> &S {
        let Some((before, position, mv)) = self.origin else { unreachable!("the root's state is known") };
        evaluation.advance_into(position, mv, before.state(evaluation), &self.state);
        self.state.get().unwrap_or_else(|| unreachable!("the state has just been computed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::HandcraftedEvaluation;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, Leapers};
    use jewel_engine::position::list_moves;

    #[test]
    fn states_are_those_of_their_positions_whenever_they_are_asked_for() {
        let rules = jewel_engine::games::find("ambush").unwrap().rules();
        let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
        let evaluation = HandcraftedEvaluation::best(rules);
        let last = |position: &_| *list_moves(position).last().unwrap();
        let (mut positions, mut moves) = (vec![game.start()], Vec::new());
        for n in 0..3 {
            moves.push(last(&positions[n]));
            positions.push(positions[n].after(moves[n]));
        }
        let begun = |n: usize| evaluation.begin(&positions[n]);
        let root = LazyState::known(begun(0));
        let one = LazyState::after(&root, &positions[0], moves[0]);
        let two = LazyState::after(&one, &positions[1], moves[1]);
        let three = LazyState::after(&two, &positions[2], moves[2]);
        assert_eq!(two.state(&evaluation), &begun(2));
        assert!(one.state.get().is_some() && three.state.get().is_none());
        assert_eq!(
            [&one, &three, &root].map(|lazy_state| *lazy_state.state(&evaluation)),
            [1, 3, 0].map(begun)
        );
    }
}
