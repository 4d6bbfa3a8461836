//! The one place where the number of bits of a packed position becomes a key type.

use jewel_engine::ability::PackedKey;

/// Something to do with keys of a width that is known only at run time.
pub trait KeyVisitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<K: PackedKey>(self) -> Self::Output;
}

/// Calls the visitor with the narrowest key type of at least `bits` bits; `None` if there is none, which
/// is beyond 256 bits.
///
/// `bits` is the [`packed_bits`](jewel_engine::ability::Packed::packed_bits) of the root: they never grow
/// from a position to its successors.
pub fn with_key<V: KeyVisitor>(bits: u32, visitor: V) -> Option<V::Output> {
    match bits {
        0..=64 => Some(visitor.visit::<u64>()),
        65..=128 => Some(visitor.visit::<u128>()),
        129..=256 => Some(visitor.visit::<[u64; 4]>()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Width;

    impl KeyVisitor for Width {
        type Output = u32;

        fn visit<K: PackedKey>(self) -> u32 {
            K::BITS
        }
    }

    #[test]
    fn the_narrowest_key_that_fits_is_taken() {
        let widths = [0, 64, 65, 128, 129, 256, 257].map(|bits| with_key(bits, Width));
        assert_eq!(widths, [Some(64), Some(64), Some(128), Some(128), Some(256), Some(256), None]);
    }
}
