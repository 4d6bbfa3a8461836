//! What a search with hidden information knows of a game beyond its rules.

use crate::sampling::share_of;
use jewel_engine::hidden::Hidden;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// Knowledge of a game that steers a search. Asked by several threads at once.
///
/// It is asked about worlds, guesses of the searcher that he may look at as he likes. Two answers decide what a
/// *player* in the tree does and must not use more than that player knows: [`secret`](Insight::secret) and
/// [`prior`](Insight::prior).
pub trait Insight<P: Hidden>: Sync {
    /// The share of a point that White may expect in a world where a playout is cut off, from 0 to 1.
    fn white_share(&self, world: &P) -> f64;

    /// The next step of a playout.
    fn step(&self, world: &P, random: &mut Random) -> Step<P::Move>;

    /// How many plies a playout from a world goes before it is cut off, where the options say `plies`: more where little
    /// is left, if moves are cheaper there and tell more. By default what the options say.
    fn playout_plies(&self, world: &P, plies: u32) -> u32 {
        let _ = world;
        plies
    }

    /// What the side to move knows of a move of his beyond the move itself: in a tree of his own, moves with
    /// other numbers have statistics of their own. By default all that he knows, his whole view, which is
    /// exact; where views are too many to meet any of them twice, a game says less, such as which piece moves.
    fn secret(&self, world: &P, mv: P::Move) -> u64 {
        let _ = mv;
        hash(&world.view(world.side_to_move()))
    }

    /// How likely a move is to be good to whoever is to move, as far as he can tell, relative to the others: a
    /// positive weight.
    fn prior(&self, world: &P, mv: P::Move) -> f32 {
        let _ = (world, mv);
        1.0
    }
}

/// A hash that is the same in every run.
pub(super) fn hash(of: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(of)
}

/// Nothing but the rules: random playouts, and a draw where they are cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules;

impl<P: Hidden + Playout> Insight<P> for Rules {
    fn white_share(&self, world: &P) -> f64 {
        world.outcome().map_or(0.5, |outcome| share_of(outcome.absolute(world.side_to_move())))
    }

    fn step(&self, world: &P, random: &mut Random) -> Step<P::Move> {
        world.keen_step(random)
    }
}
