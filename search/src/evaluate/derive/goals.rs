//! Weights of pieces that win by getting to a square, or by holding one.

use super::Derivation;
use crate::evaluate::start::Start;
use crate::evaluate::weights::{KeyWeights, Pair};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::Side;
use jewel_engine::variant::{Objective, Rules};

/// The greatest number of moves to the key that is distinguished, but for royal pieces.
pub(in crate::evaluate) const FAR: usize = 5;

/// A royal piece that wins by a step onto the key, by its moves to the key; the last entry is for more or never. This and
/// [`ARRIVAL`] are about what `jewel tune` finds in six games with such a key in the middle and in six with one on the last
/// rank (`docs/evaluation.md`).
const ROYAL_MARCH: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [105.0, 350.0],
    [65.0, 290.0],
    [25.0, 200.0],
    [-20.0, 105.0],
    [-35.0, -10.0],
    [-50.0, -150.0],
    [-40.0, -235.0],
    [-40.0, -235.0],
];

/// The same piece, by plies until it could step onto a square of the key that no enemy attacks now, from 1.
const ARRIVAL: [[f64; 2]; 6] =
    [[200.0, 250.0], [130.0, 190.0], [95.0, 90.0], [30.0, 60.0], [0.0, 15.0], [0.0, -30.0]];

impl Derivation<'_> {
    /// The weights of the fight for the key.
    pub(super) fn key_weights(&self) -> KeyWeights {
        let royal = royal_arrives(self.rules).is_some();
        KeyWeights {
            control: self.pair(if royal { [10.0, 60.0] } else { [20.0, 25.0] }),
            blocked_line: self.pair([6.0, 6.0]),
            threat: self.pair([90.0, 120.0]),
            winning: self.pair([350.0, 450.0]),
            hopes: self.pair([60.0, 120.0]),
            arrival: if royal { ARRIVAL.map(|pair| self.pair(pair)).to_vec() } else { Vec::new() },
        }
    }

    /// Weights by moves to the key: the nearer the better; a piece that never gets there has the last one.
    pub(super) fn key_distance_weights(&self, kind: u8) -> Vec<Pair> {
        if self.rules.key.as_ref().is_none_or(|key| key.eligible >> kind & 1 == 0) {
            return Vec::new();
        }
        if royal_arrives(self.rules) == Some(kind) {
            return ROYAL_MARCH.map(|pair| self.pair(pair)).to_vec();
        }
        let c = self.c;
        let list = match &self.rules.key {
            Some(key) if key.objective == Objective::Reach && self.rules.royal.is_some() => [
                [0.0, 0.0],
                [c.march_1_opening, c.march_1_endgame],
                [c.march_2_opening, c.march_2_endgame],
                [c.march_3_opening, c.march_3_endgame],
                [c.march_4_opening, c.march_4_endgame],
                [0.0, 0.0],
            ],
            _ if self.is_runner(kind) => {
                [[0.0; 2], [c.runner_1; 2], [c.runner_2; 2], [c.runner_3; 2], [c.runner_4; 2], [0.0; 2]]
            }
            _ => [[20.0, 20.0], [18.0, 26.0], [10.0, 15.0], [5.0, 8.0], [0.0, 0.0], [-12.0, -20.0]],
        };
        debug_assert_eq!(list.len(), FAR + 1);
        list.map(|pair| self.pair(pair)).to_vec()
    }
}

/// The extra worth of an eligible piece: without the last one, the side cannot win.
pub(super) fn irreplaceable(rules: &Rules, start: &Start<'_>, kind: u8) -> f64 {
    let Some(key) = rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0) else { return 0.0 };
    let eligible = (0..rules.type_count() as u8).filter(|kind| key.eligible >> kind & 1 != 0);
    let count = eligible.map(|kind| start.count(kind, Side::White)).sum::<u32>().max(1);
    400.0 / f64::from(count * count)
}

/// The royal type, if it wins by a step onto the key.
pub(in crate::evaluate) fn royal_arrives(rules: &Rules) -> Option<u8> {
    let key = rules.key.as_ref().filter(|key| key.objective == Objective::Reach)?;
    rules.royal.filter(|kind| key.eligible >> kind & 1 != 0)
}

/// By square: moves to a side's key on an empty board, `far` for that many, more or never.
pub(in crate::evaluate) fn key_distances(rules: &Rules, kind: u8, side: Side, far: usize) -> [u8; 64] {
    match rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0) {
        Some(key) => distances(rules, kind, side, key.squares[side.index()], far),
        None => [far as u8; 64],
    }
}

/// By square: moves to any of these squares on an empty board, `far` for that many, more or never.
pub(in crate::evaluate) fn distances(
    rules: &Rules,
    kind: u8,
    side: Side,
    targets: Bitboard,
    far: usize,
) -> [u8; 64] {
    let mut distance = [far as u8; 64];
    let mut reached = targets;
    for square in reached {
        distance[square.index()] = 0;
    }
    for moves in 1..far as u8 {
        let mut next = Bitboard::EMPTY;
        for from in rules.geometry.all() & !reached {
            let targets = rules.quiet_targets(kind, side, from, from.bit())
                | rules.capture_targets(kind, side, from, from.bit());
            if (targets & reached).any() {
                next |= from.bit();
                distance[from.index()] = moves;
            }
        }
        reached |= next;
    }
    distance
}
