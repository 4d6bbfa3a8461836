//! A permutation of squares, applied to whole sets.

use jewel_engine::bitboard::Bitboard;

/// The permutation as a table for each byte of a set: 8 look-ups a set.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    images: Box<[[u64; 256]; 8]>,
    /// Whether every square stays where it is.
    pub(crate) identity: bool,
}

impl Permutation {
    /// Square `s` goes to `to[s]`; squares beyond the end of `to` stay.
    pub(crate) fn from_squares(to: &[u8]) -> Permutation {
        let mut images = Box::new([[0u64; 256]; 8]);
        for (byte, table) in images.iter_mut().enumerate() {
            for (bits, image) in table.iter_mut().enumerate() {
                for i in (0..8).filter(|i| bits >> i & 1 != 0) {
                    let s = byte * 8 + i;
                    *image |= 1u64 << to.get(s).map_or(s, |&x| usize::from(x));
                }
            }
        }
        Permutation { images, identity: to.iter().enumerate().all(|(i, &t)| i == usize::from(t)) }
    }

    /// The image of a set.
    #[inline(always)]
    pub(crate) fn apply(&self, set: Bitboard) -> Bitboard {
        Bitboard((0..8).fold(0, |r, i| r | self.images[i][(set.0 >> (8 * i)) as usize & 255]))
    }
}
