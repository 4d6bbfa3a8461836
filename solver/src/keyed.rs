//! A game by the keys of its positions: all that depends on its type, so that what works on keys is compiled once for each width
//! of keys and not for each game.
//!
//! Positions may be folded by the symmetries of the game: of those that are images of each other, one is kept. Then a move leads
//! from a position to an orbit, the set of the images of the position after it, and a position has as many moves as there are
//! orbits that they lead to. It leads to an orbit exactly if one of its images leads to the position that stands for the orbit.
//! Where the image of a position has the players exchanged, so have the positions before it.

use crate::subsets::Ranked;
use crate::width::ByWidth;
use jewel_engine::ability::{Packed, PackedKey, Symmetric};
use jewel_engine::value::{Outcome, Side};
use std::ops::ControlFlow;

/// What a graph asks a game, in keys of one width.
pub(crate) trait KeyedGame<K>: Sync {
    /// The key of the root.
    fn root(&self) -> K;

    /// How keys are ranked; `None` if the positions do not go into blocks.
    fn ranked(&self) -> Option<Ranked>;

    /// Whether moves can be taken back.
    fn has_unmoves(&self) -> bool;

    /// Appends the keys of the successors of a position, and returns its side to move and how the game ended there. See
    /// [`Packed::expand`].
    fn expand(&self, key: K, keys: &mut Vec<K>) -> (Side, Option<Outcome>);

    /// Appends the keys of the predecessors of a position that a side wins to those of the side that wins there: both sides have a
    /// list, White's first.
    fn unmoves(&self, key: K, winner: Side, keys: &mut [Vec<K>; 2]);

    /// The number of positions for which a key stands.
    fn orbit(&self, key: K) -> u64;

    /// Makes the moves of a position one by one, by the rules alone; returns its side to move, and how the game ended if it did.
    fn successors(&self, key: K, next: &mut Next<K>) -> (Side, Option<Outcome>);
}

/// A game whose type does not matter.
pub(crate) type Game<'a, K> = &'a dyn KeyedGame<K>;

/// The successors of some positions: their sides to move and keys.
pub(crate) struct Next<K> {
    pub(crate) movers: Vec<Side>,
    pub(crate) keys: Vec<K>,
}

/// A game in keys of any width.
pub(crate) trait AnyWidth: KeyedGame<u64> + KeyedGame<u128> + KeyedGame<[u64; 4]> {}

/// A key of any width.
pub(crate) type AnyKey = ByWidth<u64, u128, [u64; 4]>;

impl<T: KeyedGame<u64> + KeyedGame<u128> + KeyedGame<[u64; 4]>> AnyWidth for T {}

/// A root, and how the positions that it leads to are folded.
#[derive(Clone, Debug)]
pub(crate) struct Keyed<P> {
    pub(crate) root: P,
    images: Option<Images<P>>,
}

/// The images of a position, and whether they have the players exchanged.
type Images<P> = fn(&P) -> Vec<(P, bool)>;

impl<P: Packed> Keyed<P> {
    /// All positions are kept.
    pub(crate) fn new(root: P) -> Keyed<P> {
        Keyed { root, images: None }
    }

    /// One position of each orbit is kept.
    pub(crate) fn folded(root: P) -> Keyed<P>
    where
        P: Symmetric,
    {
        // Lists of moves do not tell who moves in an image, and moves are taken back to the pieces of the root.
        let images: Images<P> = if root.has_unmoves() && root.sides_are_alike() {
            P::images
        } else {
            |position| position.images().into_iter().filter(|(_, exchanged)| !exchanged).collect()
        };
        Keyed { root, images: Some(images) }
    }

    /// Whether positions are folded.
    pub(crate) fn is_folded(&self) -> bool {
        self.images.is_some()
    }

    /// The key that a position is kept by.
    #[inline]
    pub(crate) fn key<K: PackedKey>(&self, position: &P) -> K {
        self.orbit_key(position).0
    }

    /// The key that stands for the orbit of a position, and whether it has the players exchanged.
    #[inline(always)]
    fn orbit_key<K: PackedKey>(&self, position: &P) -> (K, bool) {
        let own = (position.pack(), false);
        self.images.map_or(own, |images| {
            let images = images(position).into_iter();
            images.map(|(image, exchanged)| (image.pack(), exchanged)).fold(own, std::cmp::min)
        })
    }
}

impl<P: Packed, K: PackedKey> KeyedGame<K> for Keyed<P> {
    fn root(&self) -> K {
        self.key(&self.root)
    }

    fn ranked(&self) -> Option<Ranked> {
        let bits = self.root.set_bits();
        let most = self.root.pack::<K>().pop(bits.min(64)).1.count_ones();
        // Lists of predecessors would take room for every place of a block, whether there is a position or not.
        (bits > 0 && self.root.has_unmoves()).then(|| Ranked::new(bits, most))
    }

    fn has_unmoves(&self) -> bool {
        self.root.has_unmoves()
    }

    #[inline(never)]
    fn expand(&self, key: K, keys: &mut Vec<K>) -> (Side, Option<Outcome>) {
        if self.images.is_none() {
            return self.root.expand(key, |key| keys.push(key));
        }
        let mut found = Vec::new();
        let result = self.root.expand(key, |key| found.push(self.orbit_key::<K>(&self.root.unpack(key))));
        found.sort_unstable();
        found.dedup();
        keys.extend(found.into_iter().map(|(key, _)| key));
        result
    }

    #[inline(never)]
    fn unmoves(&self, key: K, winner: Side, keys: &mut [Vec<K>; 2]) {
        if self.images.is_none() {
            return self.root.unmoves(key, |key| keys[winner.index()].push(key));
        }
        let mut found = Vec::new();
        self.root.unmoves(key, |key| found.push(self.orbit_key::<K>(&self.root.unpack(key))));
        found.sort_unstable();
        found.dedup();
        for (key, exchanged) in found {
            let winner = if exchanged { !winner } else { winner };
            keys[winner.index()].push(key);
        }
    }

    #[inline(never)]
    fn orbit(&self, key: K) -> u64 {
        let Some(images) = self.images else { return 1 };
        let mut keys: Vec<K> =
            images(&self.root.unpack(key)).into_iter().map(|(image, _)| image.pack()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len().max(1) as u64
    }

    #[inline(never)]
    fn successors(&self, key: K, next: &mut Next<K>) -> (Side, Option<Outcome>) {
        let position = self.root.unpack(key);
        let outcome = position.outcome();
        if outcome.is_none() {
            let _: ControlFlow<()> = position.moves(|mv| {
                let after = position.after(mv);
                next.movers.push(after.side_to_move());
                next.keys.push(self.key(&after));
                ControlFlow::Continue(())
            });
        }
        (position.side_to_move(), outcome)
    }
}
