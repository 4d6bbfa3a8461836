//! Weights derived from the rules alone: the moves of a piece give its worth.

use super::weights::{KeyWeights, Pair, PieceWeights, Weights};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::splitmix64;

/// The number of boards over which mobility is averaged.
const SAMPLES: u64 = 64;

/// Empty squares of these boards, in percent: about as many as in the middle of a game (R. Betza says 66 to 70).
const EMPTY: u64 = 67;

/// Turns average mobility into the number of targets that a leaper of that mobility has in the centre of
/// a large board: a knight has 8, and on average 5.25 x (0.67 + 0.33 / 2) moves on a chess board.
const CENTRE: f64 = 8.0 / (5.25 * 0.835);

/// The greatest number of moves to the key that is distinguished.
const FAR: usize = 5;

impl Weights {
    /// Weights for a game without tuned ones.
    ///
    /// A piece with `n` targets is worth `(30 + 5/8 n) n` centipawns, H. G. Muller's estimate for short
    /// leapers, with the average mobility on half-filled boards in place of the targets. Where the rules
    /// give a value, that value is used.
    pub fn derived(rules: &Rules) -> Weights {
        let kinds = 0..rules.type_count() as u8;
        let boards = boards(rules);
        let mobility: Vec<f64> = kinds.clone().map(|kind| average_mobility(rules, &boards, kind)).collect();
        let mut worth: Vec<f64> = mobility.iter().map(|&m| leaper_worth(m * CENTRE)).collect();
        for (kind, piece) in rules.pieces.iter().enumerate() {
            if let Some(value) = piece.value {
                worth[kind] = f64::from(value);
            }
        }
        let pieces = kinds.map(|kind| piece(rules, kind, &mobility, &worth)).collect();
        Weights {
            game: rules.id.clone(),
            origin: "derived from the rules".to_string(),
            pieces,
            passed: vec![[90, 160], [55, 100], [30, 60], [15, 35], [8, 20], [4, 10]],
            supported: [8, 5],
            doubled: [-8, -15],
            danger: [24, 4],
            key: if rules.key.is_some() { key_weights() } else { KeyWeights::default() },
            tempo: [12, 8],
        }
    }
}

fn key_weights() -> KeyWeights {
    KeyWeights {
        control: [20, 25],
        blocked_line: [6, 6],
        threat: [90, 120],
        winning: [350, 450],
        hopes: [60, 120],
    }
}

fn leaper_worth(targets: f64) -> f64 {
    (30.0 + 0.625 * targets) * targets
}

/// Random boards, the same in every run.
fn boards(rules: &Rules) -> Vec<Bitboard> {
    let mut state = 1;
    let mut board = |_| {
        let squares = rules.geometry.squares();
        squares
            .filter(|_| {
                let random;
                (state, random) = splitmix64(state);
                random % 100 >= EMPTY
            })
            .collect()
    };
    (0..SAMPLES).map(&mut board).collect()
}

/// The average number of moves from a square; half of the pieces that could be captured are of the own side.
fn mobility_from(rules: &Rules, boards: &[Bitboard], kind: u8, from: Square) -> f64 {
    let moves = |board: &Bitboard| {
        let occupied = *board & !from.bit();
        let quiet = rules.quiet_targets(kind, Side::White, from, occupied).count();
        let captures = (rules.capture_targets(kind, Side::White, from, occupied) & occupied).count();
        f64::from(quiet) + 0.5 * f64::from(captures)
    };
    boards.iter().map(moves).sum::<f64>() / boards.len() as f64
}

fn average_mobility(rules: &Rules, boards: &[Bitboard], kind: u8) -> f64 {
    let squares = rules.geometry.squares();
    let sum: f64 = squares.map(|from| mobility_from(rules, boards, kind, from)).sum();
    sum / f64::from(rules.geometry.area())
}

fn piece(rules: &Rules, kind: u8, mobility: &[f64], worth: &[f64]) -> PieceWeights {
    let k = kind as usize;
    let royal = rules.royal == Some(kind);
    let per_square =
        if royal || rules.is_stepper(kind) { 0.0 } else { (20.0 / (mobility[k] + 1.0)).max(1.0) };
    let mut material = [worth[k], worth[k]];
    if let Some(promoted) = best_promotion(rules, kind, worth) {
        material[0] += 0.1 * (promoted - worth[k]).max(0.0);
        material[1] += 0.2 * (promoted - worth[k]).max(0.0);
    }
    let irreplaceable = irreplaceable(rules, kind);
    // A piece in hand can go to the best square, at the cost of a move.
    let hand = rules.may_be_held(kind).then(|| material.map(|m| (m + irreplaceable) as i32));
    // The worth already includes the average of the mobility term.
    let material = material.map(|m| (m + irreplaceable - per_square * mobility[k]).max(0.0));
    let round = |w: f64| w.round() as i32;
    PieceWeights {
        letter: rules.pieces[k].letter,
        material: if royal { [0; 2] } else { material.map(round) },
        mobility: [round(per_square), round(per_square)],
        ring: if royal { 0 } else { round(worth[k] / 100.0).clamp(1, 8) },
        key_distance: key_distance_weights(rules, kind),
        squares: rules
            .geometry
            .squares()
            .map(|square| square_weight(rules, kind, square, mobility[k]))
            .collect(),
        hand,
    }
}

fn best_promotion(rules: &Rules, kind: u8, worth: &[f64]) -> Option<f64> {
    let kinds = rules.promotion(kind, Side::White)?.to;
    kinds.iter().map(|&k| worth[k as usize]).max_by(f64::total_cmp)
}

/// The extra worth of an eligible piece: without the last one, the side cannot win.
fn irreplaceable(rules: &Rules, kind: u8) -> f64 {
    let Some(key) = rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0) else { return 0.0 };
    let letters: Vec<char> = (0..rules.type_count())
        .filter(|k| key.eligible >> k & 1 != 0)
        .map(|k| rules.pieces[k].letter)
        .collect();
    let board = rules.start.split(' ').next().unwrap_or_default();
    let count = board.chars().filter(|c| letters.contains(c)).count().max(1);
    400.0 / (count * count) as f64
}

/// Weights by moves to the key: the nearer the better; a piece that never gets there has the last one.
fn key_distance_weights(rules: &Rules, kind: u8) -> Vec<Pair> {
    if rules.key.as_ref().is_none_or(|key| key.eligible >> kind & 1 == 0) {
        return Vec::new();
    }
    let mut list = vec![[20, 20], [18, 26], [10, 15], [5, 8], [0, 0]];
    debug_assert_eq!(list.len(), FAR);
    list.push([-12, -20]);
    list
}

/// The weight of a piece on a square: by its moves there, its way to promotion and, if royal, its safety.
fn square_weight(rules: &Rules, kind: u8, square: Square, average: f64) -> Pair {
    let geometry = rules.geometry;
    let empty = rules.quiet_targets(kind, Side::White, square, square.bit()).count();
    let activity = (f64::from(empty) - average * 1.5).clamp(-6.0, 6.0);
    let rank = f64::from(geometry.rank(square));
    let centre = centrality(rules, square);
    let pair = if rules.royal == Some(kind) {
        [-14.0 * rank - 10.0 * centre, 14.0 * centre]
    } else if rules.is_stepper(kind) || rules.promotion(kind, Side::White).is_some() {
        let advance = rank / f64::from(geometry.height().max(2) - 1);
        let promotes = if rules.promotion(kind, Side::White).is_some() { 45.0 } else { 6.0 };
        [10.0 * centre + 0.3 * promotes * advance, promotes * advance * advance]
    } else {
        [2.0 * activity + 10.0 * centre, 1.5 * activity + 6.0 * centre]
    };
    pair.map(|w| w.round() as i32)
}

/// From -1 on the rim to 1 in the middle.
fn centrality(rules: &Rules, square: Square) -> f64 {
    let geometry = rules.geometry;
    let along = |at: u8, size: u8| {
        let half = (f64::from(size) - 1.0) / 2.0;
        if half < 0.5 { 0.0 } else { 1.0 - 2.0 * (f64::from(at) - half).abs() / half }
    };
    (along(geometry.file(square), geometry.width()) + along(geometry.rank(square), geometry.height())) / 2.0
}

/// By square: moves to a side's key on an empty board, [`FAR`] for more or never.
pub(super) fn key_distances(rules: &Rules, kind: u8, side: Side) -> [u8; 64] {
    let mut distance = [FAR as u8; 64];
    let Some(key) = rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0) else { return distance };
    let mut reached = key.squares[side.index()];
    for square in reached {
        distance[square.index()] = 0;
    }
    for moves in 1..FAR as u8 {
        let mut next = Bitboard::EMPTY;
        for from in geometry_squares(rules) & !reached {
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

fn geometry_squares(rules: &Rules) -> Bitboard {
    rules.geometry.all()
}
