//! The piece types of a game: where they stand, how they step, where they win.

use super::pieces::Pieces;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::{Motion, Rules};

/// One way of going from a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The target.
    pub(crate) to: Square,
    /// The squares between, which must be empty; none for a leap.
    pub(crate) path: Bitboard,
    /// Squares from which an enemy could answer it by a capture *en passant*; none for all but double steps.
    pub(crate) guard: Bitboard,
}

impl Step {
    /// The squares that must be empty for a quiet move: path and target.
    #[inline]
    pub(crate) fn clear(&self) -> Bitboard {
        self.path | self.to.bit()
    }
}

/// A step that ends in another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promotion {
    pub(crate) step: Step,
    /// Whether it goes to an empty square, and whether it captures.
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    /// The type that the piece becomes.
    pub(crate) becomes: usize,
}

/// A piece type of one side. Steps are listed by square.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Squares on which a piece can ever stand: those of its territory that are reached from the start of the game.
    pub(crate) allowed: Bitboard,
    /// Steps to empty squares that keep the type.
    pub(crate) quiet: Vec<Vec<Step>>,
    /// Steps that capture and keep the type.
    pub(crate) capture: Vec<Vec<Step>>,
    /// Every capturing step, those that promote included: what is attacked.
    pub(crate) attacks: Vec<Vec<Step>>,
    /// Steps that promote.
    pub(crate) promoting: Vec<Vec<Promotion>>,
    /// Squares on which a piece wins by holding them, or by stepping there.
    pub(crate) goals: Bitboard,
    /// Squares from which a piece could reach its goal on an empty board (J1).
    pub(crate) hopeful: Bitboard,
}

impl Kind {
    pub(crate) fn new(rules: &Rules, side: Side, kind: usize, allowed: Bitboard, squares: usize) -> Kind {
        let key = rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0);
        let mut k = Kind {
            allowed,
            quiet: vec![vec![]; squares],
            capture: vec![vec![]; squares],
            attacks: vec![vec![]; squares],
            promoting: vec![vec![]; squares],
            goals: key.map_or(Bitboard::EMPTY, |key| key.squares[side.index()]) & allowed,
            hopeful: rules.key_reach(kind as u8, side),
        };
        let promotion = rules.promotion(kind as u8, side);
        for from in allowed {
            let at = from.index();
            for m in rules.motions(kind as u8, side, from) {
                let guard = if m.quiet { guard(rules, kind, side, from, m) } else { Bitboard::EMPTY };
                let step = Step { to: m.to, path: m.path, guard };
                if m.capture {
                    k.attacks[at].push(step);
                }
                let promotes = promotion.as_ref().filter(|p| p.zone.has(m.to));
                for &becomes in promotes.iter().flat_map(|p| p.to) {
                    let becomes = usize::from(becomes);
                    k.promoting[at].push(Promotion { step, quiet: m.quiet, capture: m.capture, becomes });
                }
                if promotes.is_none_or(|p| p.optional) {
                    if m.quiet {
                        k.quiet[at].push(step);
                    }
                    if m.capture {
                        k.capture[at].push(step);
                    }
                }
            }
        }
        k
    }
}

/// For each type the squares that its pieces can reach from the start, by promotion too; the whole territory for types
/// that cannot come about at all.
pub(crate) fn reachable(rules: &Rules, start: &Pieces) -> Pieces {
    let mut reach = *start;
    // Castling takes king and rook to squares that their own moves may not reach.
    for castle in &rules.castles {
        for (kind, [_, to]) in [(castle.king_kind, castle.king), (castle.rook_kind, castle.rook)] {
            reach[castle.side][usize::from(kind)] |= to.bit();
        }
    }
    let mut grown = true;
    while grown {
        grown = false;
        for side in Side::BOTH {
            for kind in 0..rules.type_count() {
                let territory = rules.territory(kind as u8, side);
                for from in reach[side][kind] & territory {
                    for motion in rules.motions(kind as u8, side, from) {
                        let mut add = |k: usize| {
                            grown |= !reach[side][k].has(motion.to);
                            reach[side][k] |= motion.to.bit();
                        };
                        match rules.promotion(kind as u8, side).filter(|p| p.zone.has(motion.to)) {
                            None => add(kind),
                            Some(p) => {
                                p.to.iter().for_each(|&k| add(usize::from(k)));
                                if p.optional {
                                    add(kind);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    for side in Side::BOTH {
        for kind in 0..rules.type_count() {
            if reach[side][kind].is_empty() {
                reach[side][kind] = rules.territory(kind as u8, side);
            }
        }
    }
    reach
}

/// Where an enemy stands that may answer a move *en passant*: see [`Step::guard`].
fn guard(rules: &Rules, kind: usize, side: Side, from: Square, motion: Motion) -> Bitboard {
    let forward = i32::from(rules.geometry.width()) * if side == Side::White { 1 } else { -1 };
    let number = |square: Square| square.index() as i32;
    let Some(passed) = motion.path.into_iter().next() else { return Bitboard::EMPTY };
    let double = motion.path.is_single()
        && number(passed) == number(from) + forward
        && number(motion.to) == number(from) + 2 * forward;
    if !double || !rules.captures_en_passant(kind as u8) {
        return Bitboard::EMPTY;
    }
    let captors = (0..rules.type_count() as u8).filter(|&k| rules.captures_en_passant(k));
    let takes = |k: u8, at: Square| {
        let mut motions = rules.motions(k, !side, at).into_iter();
        motions.any(|m| m.capture && m.to == passed)
    };
    let origins = captors.flat_map(|k| rules.territory(k, !side).into_iter().map(move |at| (k, at)));
    origins.filter(|&(k, at)| takes(k, at)).map(|(_, at)| at).collect()
}
