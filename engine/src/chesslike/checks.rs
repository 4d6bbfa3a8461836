//! Attacks on squares, checks and pins.

use super::subset::can_have;
use super::{ChessLike, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::variant::tables::ByType;
use crate::zobrist::MAX_TYPES;

/// What the enemy's attacks on the king leave to the side to move.
pub(super) struct Checks {
    /// The king.
    pub(super) king: Square,
    /// Whether anything attacks it.
    pub(super) checked: bool,
    /// Where pieces other than the king may go: everywhere, or wherever a piece ends all attacks at once,
    /// by capture or by standing in the way. Even against two attacks there may be such squares: a rook that also
    /// leaps may attack twice, and two lame leapers may pass the same square.
    pub(super) targets: Bitboard,
    /// Own pieces that alone shield the king from a slider or a lame leaper.
    pub(super) pinned: Bitboard,
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The pieces of one type, of either side. `N` is a power of two, so that no bounds check is left.
    #[inline(always)]
    pub(super) fn kind_set(&self, kind: u8) -> Bitboard {
        const { assert!(N.is_power_of_two() && N <= MAX_TYPES) };
        self.by_type[kind as usize % N]
    }

    /// The squares of pieces of either side that stand where the table wants their type.
    #[inline(always)]
    pub(super) fn matching(&self, wanted: &ByType) -> Bitboard {
        (0..N).fold(Bitboard::EMPTY, |set, kind| set | self.by_type[kind] & wanted[kind])
    }

    /// The pieces of either side that leap from where a piece of `by` would have to stand to capture on a
    /// square.
    #[inline(always)]
    pub(super) fn leap_attackers(&self, square: Square, by: usize) -> Bitboard {
        self.rules.tables.leap_captors[by]
            .get(square.index())
            .map_or(Bitboard::EMPTY, |wanted| self.matching(wanted))
    }

    /// Checks and pins against the side to move. Only for games with a royal piece.
    #[inline(always)]
    pub(super) fn checks(&self) -> Checks {
        let t = (!self.side).index();
        let king = self.pieces(self.side, self.rules.royal.unwrap_or(0)).first();
        let mut checks = Checks { king, checked: false, targets: Bitboard::ALL, pinned: Bitboard::EMPTY };
        let enemies = self.by_side[t];
        let leapers = self.leap_attackers(king, t) & enemies;
        if leapers.any() {
            checks.checked = true;
            checks.targets = if leapers.is_single() { leapers } else { Bitboard::EMPTY };
        }
        self.line_attackers(king, |attacker, between, shields| {
            if shields.is_empty() {
                checks.checked = true;
                checks.targets &= between | attacker.bit();
            } else if shields.is_single() {
                checks.pinned |= shields;
            }
        });
        checks
    }

    /// Calls `each` for every enemy whose attack on the king crosses other squares, if only own pieces
    /// stand on them: the attacker, those squares, and the own pieces.
    #[inline(always)]
    fn line_attackers(&self, king: Square, mut each: impl FnMut(Square, Bitboard, Bitboard)) {
        let t = (!self.side).index();
        let (enemies, friends) = (self.by_side[t], self.by_side[1 - t]);
        if const { can_have(S::RIDERS) } {
            for captors in self.rules.tables.slide_captors[t].iter() {
                let Some(rider) = self.rules.tables.riders.get(captors.rider as usize) else { continue };
                // Through own pieces, up to the first enemy: it attacks or it is in the way.
                for attacker in rider.attacks(king, enemies) & self.matching(&captors.kinds) & enemies {
                    let between = self.rules.between(rider, king, attacker);
                    each(attacker, between, between & friends);
                }
            }
        }
        if const { can_have(S::GENERAL) } {
            for &kind in &self.rules.tables.classes.lame_captors {
                let pieces = self.kind_set(kind) & enemies;
                for lame in &self.rules.tables.types[kind as usize].lame_from[t][king.index()] {
                    if lame.capture && pieces.has(lame.end) && (lame.legs & enemies).is_empty() {
                        each(lame.end, lame.legs, lame.legs & friends);
                    }
                }
            }
        }
    }

    /// Where a pinned piece may go without exposing the king.
    #[cold]
    pub(super) fn pin_limit(&self, checks: &Checks, from: Square) -> Bitboard {
        let mut limit = checks.targets;
        self.line_attackers(checks.king, |attacker, between, shields| {
            if shields == from.bit() {
                limit &= between | attacker.bit();
            }
        });
        limit
    }

    /// Whether a side's pieces, those in `gone` left out, could capture on a square if `occupied` were the
    /// occupied squares. The safety of that side's own king does not matter.
    #[inline(always)]
    pub(super) fn attacked(&self, square: Square, by: Side, occupied: Bitboard, gone: Bitboard) -> bool {
        let b = by.index();
        let attackers = self.by_side[b] & !gone;
        if (self.leap_attackers(square, b) & attackers).any() {
            return true;
        }
        if const { can_have(S::RIDERS) } {
            // Loops: the adapters of iterators are not always inlined, which costs 6% of perft.
            for captors in self.rules.tables.slide_captors[b].iter() {
                let Some(rider) = self.rules.tables.riders.get(captors.rider as usize) else { continue };
                if (rider.attacks(square, occupied) & self.matching(&captors.kinds) & attackers).any() {
                    return true;
                }
            }
        }
        can_have(S::GENERAL)
            && self.rules.tables.classes.lame_captors.iter().any(|&kind| {
                let pieces = self.kind_set(kind) & attackers;
                self.rules.tables.types[kind as usize].lame_from[b][square.index()]
                    .iter()
                    .any(|l| l.capture && pieces.has(l.end) && (l.legs & occupied).is_empty())
            })
    }

    /// Whether the side to move attacks the other's royal piece, be it lost by checkmate or by capture.
    #[inline]
    pub fn attacks_royal(&self) -> bool {
        let Some(royal) = self.rules.royal.or(self.rules.captured_royal) else { return false };
        let king = self.pieces(!self.side, royal);
        king.any() && self.attacked(king.first(), self.side, self.occupied(), Bitboard::EMPTY)
    }

    /// Whether the side's king is attacked; `false` in games without a royal piece.
    pub fn in_check(&self, side: Side) -> bool {
        let Some(royal) = self.rules.royal else { return false };
        let king = self.pieces(side, royal);
        king.any() && self.attacked(king.first(), !side, self.occupied(), Bitboard::EMPTY)
    }
}
