//! Knowledge of a game that a search with hidden information uses beyond the rules.

use crate::sampling::share_of;
use jewel_engine::hidden::Hidden;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// Knowledge of a game that steers a search. Asked by several threads at once.
///
/// It is asked about worlds, which the searcher has drawn and may look into. Two answers decide what a *player* in the
/// tree does and must not use more than that player knows: [`secret`](Insight::secret) and
/// [`prior`](Insight::prior).
pub trait Insight<P: Hidden>: Sync {
    /// The share of a point, from 0 to 1, that White may expect in a world where a playout is cut off.
    fn white_share(&self, world: &P) -> f64;

    /// The next step of a playout.
    fn step(&self, world: &P, random: &mut Random) -> Step<P::Move>;

    /// The plies after which a playout from a world is cut off; `plies` is the number of the options, which is the
    /// default. A game may return more where moves are cheap.
    fn playout_plies(&self, world: &P, plies: u32) -> u32 {
        let _ = world;
        plies
    }

    /// What the side to move knows about its move beyond the move itself, as a number: in the side's own tree, moves with
    /// different numbers have separate statistics. By default the hash of its whole view, which is exact; in games
    /// with too many views to meet one twice, something coarser, such as the piece that moves.
    fn secret(&self, world: &P, mv: P::Move) -> u64 {
        let _ = mv;
        hash(&world.view(world.side_to_move()))
    }

    /// How likely a move is to be good for the side to move, by what that side knows, relative to the others: a
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

/// No knowledge beyond the rules: random playouts, which are draws where they are cut off.
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
