//! Attacks on squares, checks and pins.

use super::{ChessLike, Shape};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::variant::rules::Class;
use arrayvec::ArrayVec;

/// What the enemy's attacks on the king leave to the side to move.
pub(super) struct Checks {
    /// The king.
    pub(super) king: Square,
    /// How many pieces attack him.
    pub(super) checkers: u32,
    /// Where pieces other than the king may go: everywhere, or onto or before the one checker.
    pub(super) targets: Bitboard,
    /// Own pieces that shield the king.
    pub(super) pinned: Bitboard,
    /// Where the shield of each pin may go: between the pinner and the king, and onto the pinner.
    pins: ArrayVec<(Bitboard, Bitboard), 64>,
}

impl Checks {
    /// Where a piece may go without exposing the king.
    #[inline(always)]
    pub(super) fn limit(&self, from: Square) -> Bitboard {
        if self.pinned.has(from) { self.pin_limit(from) } else { self.targets }
    }

    #[cold]
    fn pin_limit(&self, from: Square) -> Bitboard {
        let pins = self.pins.iter().filter(|pin| pin.0.has(from));
        pins.fold(self.targets, |set, pin| set & pin.1)
    }

    /// Counts one attacker whose attack crosses `between`, shielded by `shields` of which all are own.
    #[inline(always)]
    fn add(&mut self, attacker: Square, between: Bitboard, shields: Bitboard) {
        if shields.is_empty() {
            self.checkers += 1;
            self.targets &= between | attacker.bit();
        } else if shields.is_single() {
            self.pinned |= shields;
            // The count of attackers is bounded by the board, so there is room.
            let _ = self.pins.try_push((shields, between | attacker.bit()));
        }
    }
}

impl<S: Shape, const N: usize> ChessLike<'_, S, N> {
    /// Checks and pins against the side to move. Only for games with a royal piece.
    #[inline(always)]
    pub(super) fn checks(&self) -> Checks {
        let (us, them) = (self.side, !self.side);
        let t = them.index();
        let enemies = self.by_side[t];
        let friends = self.by_side[us.index()];
        let king = self.pieces(us, self.rules.royal.unwrap_or(0)).first();
        let mut checks = Checks {
            king,
            checkers: 0,
            targets: Bitboard::ALL,
            pinned: Bitboard::EMPTY,
            pins: ArrayVec::new(),
        };
        for (kind, rules) in self.rules.types.iter().enumerate().take(N) {
            let pieces = self.by_type[kind] & enemies;
            if pieces.is_empty() {
                continue;
            }
            for attacker in rules.capture_from[t][king.index()] & pieces {
                checks.add(attacker, Bitboard::EMPTY, Bitboard::EMPTY);
            }
            if S::RIDERS != Some(false) {
                for &number in &rules.riders_from[t] {
                    let Some(rider) = self.rules.riders.get(number as usize) else { continue };
                    // Through own pieces, up to the first enemy: it shoots or shields.
                    for attacker in rider.attacks(king, enemies) & pieces {
                        let between = self.rules.between(rider, king, attacker);
                        checks.add(attacker, between, between & friends);
                    }
                }
            }
            if S::GENERAL != Some(false) && rules.class == Class::General {
                for lame in &rules.lame_from[t][king.index()] {
                    if lame.capture && pieces.has(lame.end) && (lame.legs & enemies).is_empty() {
                        checks.add(lame.end, lame.legs, lame.legs & friends);
                    }
                }
            }
        }
        if checks.checkers > 1 {
            checks.targets = Bitboard::EMPTY;
        }
        checks
    }

    /// Whether a side's pieces, those in `gone` left out, could capture on a square if `occupied` were the
    /// occupied squares. Its own king's safety is not asked for.
    #[inline(always)]
    pub(super) fn attacked(&self, square: Square, by: Side, occupied: Bitboard, gone: Bitboard) -> bool {
        let b = by.index();
        let attackers = self.by_side[b] & !gone;
        self.rules.types.iter().enumerate().take(N).any(|(kind, rules)| {
            let pieces = self.by_type[kind] & attackers;
            if pieces.is_empty() {
                return false;
            }
            if (rules.capture_from[b][square.index()] & pieces).any() {
                return true;
            }
            let slides = S::RIDERS != Some(false)
                && rules.riders_from[b].iter().any(|&number| {
                    let rider = &self.rules.riders[number as usize];
                    (rider.attacks(square, occupied) & pieces).any()
                });
            slides
                || S::GENERAL != Some(false)
                    && rules.class == Class::General
                    && rules.lame_from[b][square.index()]
                        .iter()
                        .any(|l| l.capture && pieces.has(l.end) && (l.legs & occupied).is_empty())
        })
    }

    /// Whether the side's king is attacked; `false` in games without a royal piece.
    pub fn in_check(&self, side: Side) -> bool {
        let Some(royal) = self.rules.royal else { return false };
        let king = self.pieces(side, royal);
        king.any() && self.attacked(king.first(), !side, self.occupied(), Bitboard::EMPTY)
    }
}
