//! How many moves the pieces of a game have, on boards with other pieces on them.

use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::splitmix64;

/// The number of boards over which mobility is averaged.
const SAMPLES: u64 = 64;

/// Empty squares of these boards, in percent: about as many as in the middle of a game (R. Betza says 66 to 70).
const EMPTY: u64 = 67;

/// The same in an endgame.
const EMPTY_LATE: u64 = 85;

/// Random boards, the same in every run.
pub(super) struct Boards {
    middle: Vec<Bitboard>,
    late: Vec<Bitboard>,
}

/// The moves of a type, averaged over squares and boards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Mobility {
    /// With a capture of every second piece: the middle of a game.
    pub(super) usual: f64,
    /// To free squares, and onto pieces of either side, in the middle of a game.
    pub(super) free: f64,
    pub(super) captures: f64,
    /// Free squares on which it could capture: most pieces move to these, but not all.
    pub(super) attacked: f64,
    /// The same in an endgame.
    pub(super) late_free: f64,
    pub(super) late_captures: f64,
    pub(super) late_attacked: f64,
    /// The part of the moves that nothing can stand in the way of, and the part that go forward.
    pub(super) leaps: f64,
    pub(super) forward: f64,
    /// The part of the board that a piece can ever reach from a square, on average.
    pub(super) reach: f64,
    /// Whether it never leaves squares of one colour.
    pub(super) bound: bool,
}

impl Boards {
    pub(super) fn new(rules: &Rules) -> Boards {
        let mut state = 1;
        let mut boards = |empty: u64| {
            let board = |_| {
                let squares = rules.geometry.squares();
                squares
                    .filter(|_| {
                        let random;
                        (state, random) = splitmix64(state);
                        random % 100 >= empty
                    })
                    .collect()
            };
            (0..SAMPLES).map(board).collect()
        };
        Boards { middle: boards(EMPTY), late: boards(EMPTY_LATE) }
    }
}

impl Mobility {
    pub(super) fn new(rules: &Rules, boards: &Boards, kind: u8) -> Mobility {
        let [free, captures, attacked] = average(rules, &boards.middle, kind);
        let [late_free, late_captures, late_attacked] = average(rules, &boards.late, kind);
        let squares = || rules.geometry.squares();
        let rank = |square| rules.geometry.rank(square);
        let (mut all, mut leaps, mut forward) = (0, 0, 0);
        let (mut reach, mut bound) = (0, true);
        let dark = rules.geometry.dark();
        for from in squares() {
            let targets = |occupied| {
                rules.quiet_targets(kind, Side::White, from, occupied)
                    | rules.capture_targets(kind, Side::White, from, occupied)
            };
            let open = targets(from.bit());
            all += open.count();
            leaps += rules
                .capture_targets(kind, Side::White, from, Bitboard::ALL)
                .into_iter()
                .fold(0, |n, to| n + u32::from(!adjacent(rules, from, to)));
            forward += open.into_iter().filter(|&to| rank(to) > rank(from)).count() as u32;
            let others = if dark.has(from) { open & !dark } else { open & dark };
            bound &= others.is_empty();
            reach += reachable(rules, kind, from).count();
        }
        let area = f64::from(rules.geometry.area());
        let part = |n: u32| f64::from(n) / f64::from(all.max(1));
        Mobility {
            usual: free + 0.5 * captures,
            free,
            captures,
            attacked,
            late_free,
            late_captures,
            late_attacked,
            leaps: part(leaps),
            forward: part(forward),
            reach: f64::from(reach) / (area * area),
            bound: bound && all > 0,
        }
    }
}

fn adjacent(rules: &Rules, a: Square, b: Square) -> bool {
    let geometry = rules.geometry;
    geometry.file(a).abs_diff(geometry.file(b)) <= 1 && geometry.rank(a).abs_diff(geometry.rank(b)) <= 1
}

/// Free squares that a piece could move to, pieces that it could capture, and free squares on which it could capture,
/// averaged over squares and boards.
fn average(rules: &Rules, boards: &[Bitboard], kind: u8) -> [f64; 3] {
    let mut sums = [0; 3];
    for board in boards {
        for from in rules.geometry.squares() {
            let occupied = *board & !from.bit();
            let captures = rules.capture_targets(kind, Side::White, from, occupied);
            sums[0] += rules.quiet_targets(kind, Side::White, from, occupied).count();
            sums[1] += (captures & occupied).count();
            sums[2] += (captures & !occupied).count();
        }
    }
    let all = boards.len() as f64 * f64::from(rules.geometry.area());
    sums.map(|sum| f64::from(sum) / all)
}

/// Every square that a piece can get to on an empty board, with its own.
fn reachable(rules: &Rules, kind: u8, from: Square) -> Bitboard {
    let (mut reached, mut open) = (from.bit(), from.bit());
    while open.any() {
        let next = open.into_iter().fold(Bitboard::EMPTY, |set, at| {
            set | rules.quiet_targets(kind, Side::White, at, at.bit())
                | rules.capture_targets(kind, Side::White, at, at.bit())
        });
        open = next & !reached;
        reached |= next;
    }
    reached
}
