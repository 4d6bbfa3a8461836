//! What a player takes the hidden part of a position for.

use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::random::Random;

/// A distribution over the worlds that a view allows.
pub trait Belief<P: Hidden>: Sync {
    /// What one thread carries from one draw to the next, such as the state of a Markov chain.
    type Draw: Default + Send;

    /// Forgets everything: another game begins.
    fn new_game(&mut self);

    /// Takes notice of what the player sees now. Every view of the game comes in order, after each move of
    /// either side; one that does not follow from the last is taken for the start of another game.
    fn observe(&mut self, view: &P::View);

    /// A world that has this very view.
    fn world(&self, view: &P::View, draw: &mut Self::Draw, random: &mut Random) -> P;
}

/// Every world is as likely as the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uniform;

impl<P: Hidden> Belief<P> for Uniform {
    type Draw = ();

    fn new_game(&mut self) {}

    fn observe(&mut self, _: &P::View) {}

    fn world(&self, view: &P::View, (): &mut (), random: &mut Random) -> P {
        view.world(random)
    }
}
