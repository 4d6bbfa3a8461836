//! From the number of bits of a packed position to a key type.

use jewel_engine::ability::PackedKey;
use thiserror::Error;

/// The most bits of a packed position that a key has.
pub const MAX_KEY_BITS: u32 = 256;

/// A game has positions of more bits than any key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a position takes {0} bits; the solver can keep positions of {MAX_KEY_BITS}")]
pub struct TooWide(pub u32);

/// Something for keys of one of the widths that there are: 64, 128 or 256 bits.
///
/// The width of a graph is that of the [`packed_bits`](jewel_engine::ability::Packed::packed_bits) of its root: they never grow
/// from a position to its successors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ByWidth<A, B, C> {
    Narrow(A),
    Middle(B),
    Wide(C),
}

/// Makes something for the narrowest keys of at least this many bits: a `Result`, with [`TooWide`] where there are none.
macro_rules! of_width {
    ($bits:expr, $Key:ident => $value:expr) => {
        match $bits {
            0..=64 => {
                type $Key = u64;
                Ok($crate::width::ByWidth::Narrow($value))
            }
            65..=128 => {
                type $Key = u128;
                Ok($crate::width::ByWidth::Middle($value))
            }
            129..=256 => {
                type $Key = [u64; 4];
                Ok($crate::width::ByWidth::Wide($value))
            }
            bits => Err($crate::width::TooWide(bits)),
        }
    };
}
pub(crate) use of_width;

/// Evaluates an expression with a name for what there is, whatever its width.
macro_rules! by_width {
    ($any:expr, $name:ident => $value:expr) => {
        match $any {
            $crate::width::ByWidth::Narrow($name) => $value,
            $crate::width::ByWidth::Middle($name) => $value,
            $crate::width::ByWidth::Wide($name) => $value,
        }
    };
}
pub(crate) use by_width;

/// Makes something else of the same width.
macro_rules! map_width {
    ($any:expr, $name:ident => $value:expr) => {
        match $any {
            $crate::width::ByWidth::Narrow($name) => $crate::width::ByWidth::Narrow($value),
            $crate::width::ByWidth::Middle($name) => $crate::width::ByWidth::Middle($value),
            $crate::width::ByWidth::Wide($name) => $crate::width::ByWidth::Wide($value),
        }
    };
}
pub(crate) use map_width;

/// Bytes of the narrowest key of at least this many bits.
///
/// # Errors
/// If there is none.
pub fn key_bytes(bits: u32) -> Result<usize, TooWide> {
    let bytes: ByWidth<usize, usize, usize> = of_width!(bits, Key => <Key as PackedKey>::BYTES)?;
    Ok(by_width!(bytes, bytes => bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_key_that_fits_is_taken() {
        let widths = [0, 64, 65, 128, 129, 256].map(|bits| key_bytes(bits).unwrap());
        assert_eq!(widths, [8, 8, 16, 16, 32, 32]);
        assert_eq!(key_bytes(257), Err(TooWide(257)));
    }
}
