//! What variant files are evaluated by: a network where there is one, and hand-made terms.

use super::net::{Hidden, Net};
use super::{Evaluate, HandMade, Running};
use jewel_engine::tactics::{PieceValues, Pieces};
use std::sync::Arc;

/// The evaluation of a variant file's game: its net's if it has one, else that of hand-made terms. One type for
/// both, so that searches are compiled once.
#[derive(Clone, Debug)]
pub struct Evaluation {
    hand: HandMade,
    net: Option<Arc<Net>>,
}

/// What is carried along: for the hand-made terms or the net, whichever evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    running: Running,
    hidden: Hidden,
}

impl Evaluation {
    /// The evaluation by a net. Exchanges have the values of the hand-made terms.
    pub fn with_net(hand: HandMade, net: Arc<Net>) -> Evaluation {
        Evaluation { hand, net: Some(net) }
    }

    /// The net, if there is one.
    pub fn net(&self) -> Option<&Net> {
        self.net.as_deref()
    }
}

impl From<HandMade> for Evaluation {
    fn from(hand: HandMade) -> Evaluation {
        Evaluation { hand, net: None }
    }
}

impl<P: Pieces> Evaluate<P> for Evaluation {
    type State = Carried;

    fn begin(&self, position: &P) -> Carried {
        match &self.net {
            Some(net) => Carried { running: Running::default(), hidden: net.begin(position) },
            None => Carried { running: self.hand.begin(position), hidden: Hidden::NONE },
        }
    }

    #[inline]
    fn advance(&self, before: &P, mv: P::Move, state: &Carried) -> Carried {
        match &self.net {
            Some(net) => Carried { hidden: net.advance(before, mv, &state.hidden), ..*state },
            None => Carried { running: self.hand.advance(before, mv, &state.running), ..*state },
        }
    }

    #[inline]
    fn evaluate(&self, position: &P, state: &Carried) -> i32 {
        match &self.net {
            Some(net) => net.evaluate(position, &state.hidden),
            None => self.hand.evaluate(position, &state.running),
        }
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        <HandMade as Evaluate<P>>::exchange_values(&self.hand)
    }
}
