//! Zobrist keys (A. L. Zobrist, 1970) from a constant generator with a written seed: the same on every
//! machine and in every build, so that hashes may be stored.

/// The seed of all keys. Changing it changes every stored hash.
pub const SEED: u64 = 0x4a45_5745_4c20_3031; // "JEWEL 01"

/// One step of the SplitMix64 generator (Steele, Lea and Flood, 2014): the new state and its output.
pub const fn splitmix64(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// The most piece types that a game can have.
pub const MAX_TYPES: usize = 32;

/// The keys of a chess-like position.
#[derive(Debug)]
pub struct Keys {
    /// By piece type, side and square.
    pub piece: [[[u64; 64]; 2]; MAX_TYPES],
    /// By square that can be captured on *en passant*.
    pub en_passant: [u64; 64],
    /// By castling right.
    pub castling: [u64; 8],
    /// Black to move.
    pub black: u64,
    /// By piece type and side: what a count of pieces in hand is multiplied by.
    pub hand: [[u64; 2]; MAX_TYPES],
}

/// The keys of every chess-like game.
pub static KEYS: Keys = make_keys();

const fn make_keys() -> Keys {
    let mut keys = Keys {
        piece: [[[0; 64]; 2]; MAX_TYPES],
        en_passant: [0; 64],
        castling: [0; 8],
        black: 0,
        hand: [[0; 2]; MAX_TYPES],
    };
    let mut state = SEED;
    let mut kind = 0;
    while kind < MAX_TYPES {
        let mut square = 0;
        while square < 64 {
            (state, keys.piece[kind][0][square]) = splitmix64(state);
            (state, keys.piece[kind][1][square]) = splitmix64(state);
            square += 1;
        }
        kind += 1;
    }
    let mut square = 0;
    while square < 64 {
        (state, keys.en_passant[square]) = splitmix64(state);
        square += 1;
    }
    let mut right = 0;
    while right < 8 {
        (state, keys.castling[right]) = splitmix64(state);
        right += 1;
    }
    (state, keys.black) = splitmix64(state);
    let mut kind = 0;
    while kind < MAX_TYPES {
        (state, keys.hand[kind][0]) = splitmix64(state);
        (state, keys.hand[kind][1]) = splitmix64(state);
        kind += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_distinct_and_frozen() {
        let mut seen = HashSet::new();
        for key in KEYS.piece.iter().flatten().flatten().chain(&KEYS.en_passant).chain(&KEYS.castling) {
            assert!(seen.insert(*key));
        }
        assert!(seen.insert(KEYS.black));
        assert!(KEYS.hand.iter().flatten().all(|key| seen.insert(*key)));
        // SplitMix64 from seed 0 starts so in its authors' reference code.
        assert_eq!(splitmix64(0).1, 0xe220_a839_7b1d_cdaf);
    }
}
