//! Zobrist keys of tiles, what is known of them, checkers, and who began with Jewels.

use super::tile::Tile;
use crate::zobrist::splitmix64;

/// The seed of these keys. Changing it changes every stored hash.
const SEED: u64 = 0x4352_4f57_4e4a_4557; // "CROWNJEW"

pub(super) struct Keys {
    /// By tile, side and square.
    pub(super) tile: [[[u64; 64]; 2]; Tile::COUNT],
    /// By square of a tile that both players know.
    pub(super) known: [u64; 64],
    /// By square of a checker.
    pub(super) checker: [u64; 64],
    /// By side that began play with Jewels.
    pub(super) began: [u64; 2],
    /// Black to move.
    pub(super) black: u64,
}

pub(super) static KEYS: Keys = make_keys();

const fn make_keys() -> Keys {
    let mut keys =
        Keys { tile: [[[0; 64]; 2]; Tile::COUNT], known: [0; 64], checker: [0; 64], began: [0; 2], black: 0 };
    let mut state = SEED;
    let mut square = 0;
    while square < 64 {
        let mut tile = 0;
        while tile < Tile::COUNT {
            (state, keys.tile[tile][0][square]) = splitmix64(state);
            (state, keys.tile[tile][1][square]) = splitmix64(state);
            tile += 1;
        }
        (state, keys.known[square]) = splitmix64(state);
        (state, keys.checker[square]) = splitmix64(state);
        square += 1;
    }
    (state, keys.began[0]) = splitmix64(state);
    (state, keys.began[1]) = splitmix64(state);
    (_, keys.black) = splitmix64(state);
    keys
}
