//! The hash by which settings are compared.

/// The hash FNV-1a of 64 bits (Fowler, Noll and Vo).
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn hashes_are_those_of_the_paper() {
        // From the test vectors of the authors.
        assert_eq!(super::fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
