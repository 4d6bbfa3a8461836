//! Positions that wait for their moves to be made, first come, first served.

use jewel_engine::ability::PackedKey;
use std::collections::VecDeque;

/// A queue of keys in pieces of fixed size, so that it is never copied and gives memory back as it shrinks.
#[derive(Debug)]
pub(crate) struct Frontier<K> {
    pieces: VecDeque<Vec<K>>,
    len: usize,
}

/// Keys of a piece.
const PIECE: usize = 1 << 10;

impl<K: PackedKey> Frontier<K> {
    pub(crate) const fn new() -> Self {
        Frontier { pieces: VecDeque::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        (self.pieces.len() * PIECE * K::BYTES) as u64
    }

    /// Bytes in use with `more` keys, at most.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        ((self.pieces.len() + more.div_ceil(PIECE)) * PIECE * K::BYTES) as u64
    }

    pub(crate) fn extend(&mut self, keys: impl IntoIterator<Item = K>) {
        for key in keys {
            match self.pieces.back_mut() {
                Some(piece) if piece.len() < piece.capacity() => piece.push(key),
                _ => {
                    let mut piece = Vec::with_capacity(PIECE);
                    piece.push(key);
                    self.pieces.push_back(piece);
                }
            }
            self.len += 1;
        }
    }

    /// Takes whole pieces from the front, with about `about` keys.
    pub(crate) fn take(&mut self, about: usize) -> Vec<Vec<K>> {
        let mut taken = Vec::new();
        let mut keys = 0;
        while keys < about
            && let Some(piece) = self.pieces.pop_front()
        {
            keys += piece.len();
            taken.push(piece);
        }
        self.len -= keys;
        taken
    }

    /// Puts back what was taken.
    pub(crate) fn put_back(&mut self, taken: Vec<Vec<K>>) {
        for piece in taken.into_iter().rev() {
            self.len += piece.len();
            self.pieces.push_front(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_in_order_and_can_be_put_back() {
        let mut frontier = Frontier::<u64>::new();
        frontier.extend(0..5_000);
        assert_eq!((frontier.len(), frontier.bytes()), (5_000, 5 * 1024 * 8));
        assert!(frontier.bytes_with(1) >= frontier.bytes());
        let taken = frontier.take(2_000);
        assert_eq!((taken.concat(), frontier.len()), ((0..2_048).collect(), 2_952));
        frontier.put_back(taken);
        frontier.extend(5_000..5_010);
        assert_eq!(frontier.take(usize::MAX).concat(), (0..5_010).collect::<Vec<_>>());
        assert_eq!((frontier.len(), frontier.bytes()), (0, 0));
        assert!(frontier.take(10).is_empty());
    }
}
