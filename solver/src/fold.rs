//! Positions folded by the symmetries of a game: of those that are images of each other, one is kept.
//!
//! A move leads from a position to an orbit, the set of the images of the position after it, and a position has as many moves as
//! there are orbits that they lead to. Then it leads to an orbit exactly if one of its images leads to the position that stands for
//! the orbit. Where the image of a position has the players exchanged, so have the positions before it.

use jewel_engine::ability::{Packed, PackedKey, Symmetric};
use jewel_engine::value::{Outcome, Side};

/// How positions are folded, if they are.
#[derive(Debug)]
pub(crate) struct Fold<P, K> {
    images: Option<Images<P, K>>,
}

/// The keys of the images of a position, and whether they have the players exchanged.
type Images<P, K> = fn(&P) -> Vec<(K, bool)>;

impl<P, K> Clone for Fold<P, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, K> Copy for Fold<P, K> {}

impl<P: Packed, K: PackedKey> Fold<P, K> {
    /// All positions are kept.
    pub(crate) const NONE: Fold<P, K> = Fold { images: None };

    /// One position of each orbit of what a root leads to is kept.
    pub(crate) fn by_symmetry(root: &P) -> Fold<P, K>
    where
        P: Symmetric,
    {
        // Lists of moves do not tell who moves in an image, and moves are taken back to the pieces of the root.
        let images: Images<P, K> = if root.has_unmoves() && root.sides_are_alike() {
            |position| {
                position.images().into_iter().map(|(image, exchanged)| (image.pack(), exchanged)).collect()
            }
        } else {
            |position| {
                let images = position.images().into_iter().filter(|(_, exchanged)| !exchanged);
                images.map(|(image, _)| (image.pack(), false)).collect()
            }
        };
        Fold { images: Some(images) }
    }

    /// Whether positions are folded.
    pub(crate) fn is_some(self) -> bool {
        self.images.is_some()
    }

    /// The key that stands for the orbit of a position, and whether it has the players exchanged.
    #[inline(always)]
    fn of(self, position: &P) -> (K, bool) {
        let own = (position.pack(), false);
        self.images.map_or(own, |images| images(position).into_iter().fold(own, std::cmp::min))
    }

    /// The key that a position is kept by.
    #[inline(always)]
    pub(crate) fn key(self, position: &P) -> K {
        self.of(position).0
    }

    /// The number of positions for which a key stands.
    pub(crate) fn orbit(self, root: &P, key: K) -> u64 {
        let Some(images) = self.images else { return 1 };
        let mut keys: Vec<K> = images(&root.unpack(key)).into_iter().map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len().max(1) as u64
    }

    /// See [`Packed::expand`].
    #[inline(always)]
    pub(crate) fn expand(self, root: &P, key: K, keys: &mut Vec<K>) -> (Side, Option<Outcome>) {
        if self.images.is_none() {
            return root.expand(key, |key| keys.push(key));
        }
        let mut found = Vec::new();
        let result = root.expand(key, |key| found.push(self.of(&root.unpack(key))));
        found.sort_unstable();
        found.dedup();
        keys.extend(found.into_iter().map(|(key, _)| key));
        result
    }

    /// Appends the keys of the positions before the one of a key, which `winner` wins, to those of the side that wins them.
    #[inline(always)]
    pub(crate) fn unmoves(self, root: &P, key: K, winner: Side, keys: &mut [Vec<K>; 2]) {
        if self.images.is_none() {
            return root.unmoves(key, |key| keys[winner.index()].push(key));
        }
        let mut found = Vec::new();
        root.unmoves(key, |key| found.push(self.of(&root.unpack(key))));
        found.sort_unstable();
        found.dedup();
        for (key, exchanged) in found {
            let winner = if exchanged { !winner } else { winner };
            keys[winner.index()].push(key);
        }
    }
}
