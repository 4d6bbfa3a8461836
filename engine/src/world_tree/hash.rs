//! Zobrist keys of pieces, markers, the pieces moved this turn, the phase and the side.

use super::Kind;
use crate::zobrist::splitmix64;

/// The seed of these keys. Changing it changes every stored hash.
const SEED: u64 = 0x574f_524c_4454_5245; // "WORLDTRE"

pub(super) struct Keys {
    /// By kind, side and square; nothing for an absent piece.
    pub(super) piece: [[[u64; 65]; 2]; Kind::COUNT],
    /// By bit of the markers.
    pub(super) mark: [u64; 4],
    /// By kind of the piece that moved this turn; nothing for nobody.
    pub(super) moved: [u64; Kind::COUNT + 1],
    /// By square of a cani that moved this turn; nothing for none.
    pub(super) moved_cani: [u64; 65],
    /// Placement phase.
    pub(super) placing: u64,
    /// Black to move.
    pub(super) black: u64,
}

pub(super) static KEYS: Keys = make_keys();

const fn make_keys() -> Keys {
    let mut keys = Keys {
        piece: [[[0; 65]; 2]; Kind::COUNT],
        mark: [0; 4],
        moved: [0; Kind::COUNT + 1],
        moved_cani: [0; 65],
        placing: 0,
        black: 0,
    };
    let mut state = SEED;
    let mut kind = 0;
    while kind < Kind::COUNT {
        let mut square = 0;
        while square < 64 {
            (state, keys.piece[kind][0][square]) = splitmix64(state);
            (state, keys.piece[kind][1][square]) = splitmix64(state);
            square += 1;
        }
        (state, keys.moved[kind]) = splitmix64(state);
        kind += 1;
    }
    let mut square = 0;
    while square < 64 {
        (state, keys.moved_cani[square]) = splitmix64(state);
        square += 1;
    }
    let mut mark = 0;
    while mark < 4 {
        (state, keys.mark[mark]) = splitmix64(state);
        mark += 1;
    }
    (state, keys.placing) = splitmix64(state);
    (_, keys.black) = splitmix64(state);
    keys
}
