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

/// What is carried along: for the hand-made terms or the net, whichever evaluates. The former are a few bytes, and
/// nothing else is copied where there is no net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lies in the stacks of searches, where nothing may be allocated"
)]
pub enum Carried {
    /// What hand-made terms carry.
    Hand(Running),
    /// What a net carries.
    Net(Hidden),
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

/// What a search never does.
const FOREIGN: &str = "the state is that of another evaluation";

impl<P: Pieces> Evaluate<P> for Evaluation {
    type State = Carried;

    fn begin(&self, position: &P) -> Carried {
        match &self.net {
            Some(net) => Carried::Net(net.begin(position)),
            None => Carried::Hand(self.hand.begin(position)),
        }
    }

    #[inline]
    fn advance(&self, before: &P, mv: P::Move, state: &Carried) -> Carried {
        match (state, &self.net) {
            (Carried::Hand(running), None) => Carried::Hand(self.hand.advance(before, mv, running)),
            (Carried::Net(hidden), Some(net)) => Carried::Net(net.advance(before, mv, hidden)),
            _ => unreachable!("{FOREIGN}"),
        }
    }

    #[inline]
    fn evaluate(&self, position: &P, state: &Carried) -> i32 {
        match (state, &self.net) {
            (Carried::Hand(running), None) => self.hand.evaluate(position, running),
            (Carried::Net(hidden), Some(net)) => net.evaluate(position, hidden),
            _ => unreachable!("{FOREIGN}"),
        }
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        <HandMade as Evaluate<P>>::exchange_values(&self.hand)
    }
}
