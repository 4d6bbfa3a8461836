//! From the number of bits of a packed position to a key type.

use thiserror::Error;

/// The most bits of a packed position that a key has.
pub const MAX_KEY_BITS: u32 = 256;

/// A game has positions of more bits than any key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a position takes {0} bits; the solver can keep positions of {MAX_KEY_BITS}")]
pub struct TooWide(pub u32);

/// Evaluates an expression with the narrowest key type of at least `bits` bits; `None` beyond 256 bits.
///
/// `bits` is the [`packed_bits`](jewel_engine::ability::Packed::packed_bits) of the root: they never grow from a position to
/// its successors.
///
/// ```
/// use jewel_engine::ability::PackedKey;
/// use jewel_solver::with_key;
/// assert_eq!(with_key!(65, Key => Key::BITS), Some(128));
/// assert_eq!(with_key!(257, Key => Key::BITS), None);
/// ```
#[macro_export]
macro_rules! with_key {
    ($bits:expr, $Key:ident => $value:expr) => {
        match $bits {
            0..=64 => {
                type $Key = u64;
                Some($value)
            }
            65..=128 => {
                type $Key = u128;
                Some($value)
            }
            129..=256 => {
                type $Key = [u64; 4];
                Some($value)
            }
            _ => None,
        }
    };
}

#[cfg(test)]
mod tests {
    use jewel_engine::ability::PackedKey;

    #[test]
    fn the_narrowest_key_that_fits_is_taken() {
        let widths = [0, 64, 65, 128, 129, 256, 257].map(|bits| with_key!(bits, Key => Key::BITS));
        assert_eq!(widths, [Some(64), Some(64), Some(128), Some(128), Some(256), Some(256), None]);
    }
}
