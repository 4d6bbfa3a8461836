//! Builds the tables of the handcrafted evaluation from weights.

use super::derive::key_distances;
use super::files::Files;
use super::hand::{HandcraftedEvaluation, Held, Key, MobilePiece, Pawn, Royal};
use super::taper::Taper;
use super::weights::Weights;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;
use jewel_engine::variant::{Bare, Rules};
use jewel_engine::zobrist::MAX_TYPES;

/// The exchange value of a royal piece.
const ROYAL_VALUE: i32 = 30_000;

impl HandcraftedEvaluation {
    pub(super) fn compile(rules: &Rules, weights: &Weights) -> HandcraftedEvaluation {
        let kinds = 0..rules.type_count() as u8;
        let phase: Vec<i32> = kinds.clone().map(|kind| phase_share(rules, weights, kind)).collect();
        let board = rules.start.split(' ').next().unwrap_or_default();
        let full_phase: i32 = board
            .chars()
            .filter_map(|c| rules.type_of(c.to_ascii_uppercase()))
            .map(|k| phase[k as usize])
            .sum();
        let royal = rules.royal.map(|kind| Royal {
            kind,
            danger: Taper::new(weights.danger),
            ring: std::array::from_fn(|n| ring(rules, kind, n)),
        });
        let mobile = kinds.clone().filter(|&kind| rules.royal != Some(kind) && !rules.is_stepper(kind));
        HandcraftedEvaluation {
            squares: kinds.clone().map(|kind| square_table(rules, weights, kind)).collect(),
            phase,
            full_phase: full_phase.max(1),
            mobile: mobile.map(|kind| piece(weights, kind)).collect(),
            pawns: kinds
                .filter(|&kind| rules.is_stepper(kind))
                .map(|kind| pawn(rules, weights, kind))
                .collect(),
            files: Files::new(rules),
            supported: Taper::new(weights.supported),
            doubled: Taper::new(weights.doubled),
            royal,
            key: key(rules, weights),
            held: kinds_in_hand(rules, weights),
            tempo: Taper::new(weights.tempo),
            values: exchange_values(rules, weights),
        }
    }
}

fn phase_share(rules: &Rules, weights: &Weights, kind: u8) -> i32 {
    if rules.royal == Some(kind) || rules.is_stepper(kind) {
        return 0;
    }
    (weights.pieces[kind as usize].material[0] / 50).clamp(1, 40)
}

/// The types that can be in hand, with their worth there.
fn kinds_in_hand(rules: &Rules, weights: &Weights) -> Vec<Held> {
    let held =
        (0..rules.type_count() as u8).zip(&weights.pieces).filter(|(kind, _)| rules.may_be_held(*kind));
    let held = held.filter_map(|(kind, piece)| piece.hand.map(|pair| (kind, pair)));
    held.map(|(kind, pair)| Held { kind, worth: Taper::new(pair), phase: phase_share(rules, weights, kind) })
        .collect()
}

fn exchange_values(rules: &Rules, weights: &Weights) -> PieceValues {
    let mut values = [0; MAX_TYPES];
    for (value, piece) in values.iter_mut().zip(&weights.pieces) {
        // Mobility is part of the worth; a piece has about five squares.
        *value = ((piece.material[0] + piece.material[1]) / 2 + 5 * piece.mobility[0]).max(1);
    }
    if let Some(royal) = rules.royal.or(rules.captured_royal) {
        values[royal as usize] = ROYAL_VALUE;
    }
    values
}

fn ring(rules: &Rules, royal: u8, square: usize) -> Bitboard {
    let square = Square::new(square as u8);
    if !rules.geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let steps = rules.capture_targets(royal, Side::White, square, Bitboard::ALL);
    steps | rules.capture_targets(royal, Side::Black, square, Bitboard::ALL) | square.bit()
}

/// A square as a side sees it; weights are written for White.
fn seen_by(rules: &Rules, side: Side, square: Square) -> usize {
    let geometry = rules.geometry;
    match side {
        Side::White => square.index(),
        Side::Black => {
            let rank = geometry.height() - 1 - geometry.rank(square);
            usize::from(rank * geometry.width() + geometry.file(square))
        }
    }
}

fn square_table(rules: &Rules, weights: &Weights, kind: u8) -> [[Taper; 64]; 2] {
    let piece = &weights.pieces[kind as usize];
    let mut table = [[Taper::default(); 64]; 2];
    for side in Side::BOTH {
        let distances = key_distances(rules, kind, side);
        for square in rules.geometry.squares() {
            let mut weight =
                Taper::new(piece.material) + Taper::new(piece.squares[seen_by(rules, side, square)]);
            let far = usize::from(distances[square.index()]).min(piece.key_distance.len().saturating_sub(1));
            if let Some(&bonus) = piece.key_distance.get(far) {
                weight += Taper::new(bonus);
            }
            table[side.index()][square.index()] = weight;
        }
    }
    table
}

fn piece(weights: &Weights, kind: u8) -> MobilePiece {
    let piece = &weights.pieces[kind as usize];
    MobilePiece { kind, mobility: Taper::new(piece.mobility), ring: piece.ring }
}

fn pawn(rules: &Rules, weights: &Weights, kind: u8) -> Pawn {
    let mut passed = [[Taper::default(); 64]; 2];
    for side in Side::BOTH {
        for square in rules.geometry.squares() {
            let Some(moves) = moves_to_promotion(rules, kind, side, square) else { continue };
            let bonus = weights.passed.get(moves - 1).or(weights.passed.last());
            passed[side.index()][square.index()] = bonus.copied().map(Taper::new).unwrap_or_default();
        }
    }
    Pawn { kind, passed }
}

/// The moves that a piece needs to promote on an empty board.
fn moves_to_promotion(rules: &Rules, kind: u8, side: Side, from: Square) -> Option<usize> {
    let zone = rules.promotion(kind, side)?.zone;
    let mut reached = from.bit();
    for moves in 1..=64 {
        let next: Bitboard = reached
            .into_iter()
            .fold(reached, |set, at| set | rules.quiet_targets(kind, side, at, Bitboard::EMPTY));
        if (next & zone).any() {
            return Some(moves);
        }
        if next == reached {
            return None;
        }
        reached = next;
    }
    None
}

fn key(rules: &Rules, weights: &Weights) -> Option<Key> {
    let key = rules.key.as_ref()?;
    let square = key.squares.map(|squares| squares.first());
    let kinds = 0..rules.type_count() as u8;
    let lines = |kind: u8| {
        Side::BOTH.map(|side| {
            let squares = rules.geometry.squares();
            squares
                .filter(|&from| {
                    rules.capture_targets(kind, side, from, Bitboard::EMPTY).has(square[side.index()])
                })
                .collect()
        })
    };
    let slides = |kind: &u8| !rules.is_stepper(*kind);
    Some(Key {
        square,
        eligible: kinds.clone().filter(|kind| key.eligible >> kind & 1 != 0).collect(),
        lines: kinds.clone().filter(slides).map(lines).collect(),
        reach: kinds.map(|kind| Side::BOTH.map(|side| rules.key_reach(kind, side))).collect(),
        control: Taper::new(weights.key.control),
        blocked_line: Taper::new(weights.key.blocked_line),
        threat: Taper::new(weights.key.threat),
        winning: Taper::new(weights.key.winning),
        hopes: Taper::new(weights.key.hopes),
        only_way: rules.royal.is_none()
            && rules.hand.is_none()
            && rules.extinction.is_none()
            && rules.bare != Bare::Loses,
    })
}
