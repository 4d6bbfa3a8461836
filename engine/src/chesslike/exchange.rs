//! Static exchange evaluation.

use super::subset::can_have;
use super::{ChessLike, Move, MoveTag, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::tactics::{PieceValues, Tactics};
use crate::value::Side;
use crate::variant::Objective;

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The pieces of both sides that attack a square by leaps.
    #[inline(always)]
    fn leapers_at(&self, square: Square) -> Bitboard {
        self.leap_attackers(square, 0) & self.by_side[0] | self.leap_attackers(square, 1) & self.by_side[1]
    }

    /// The pieces of both sides whose attack on a square depends on what stands between.
    #[inline(always)]
    pub(super) fn line_attackers_at(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        if const { can_have(S::RIDERS) } {
            // In most games both sides slide alike, so that one look along the lines is enough.
            let sides = if self.rules.tables.slides_alike { 1 } else { 2 };
            for by in 0..sides {
                let who = if sides == 1 { Bitboard::ALL } else { self.by_side[by] };
                for captors in self.rules.tables.slide_captors[by].iter() {
                    let Some(rider) = self.rules.tables.riders.get(captors.rider as usize) else { continue };
                    set |= rider.attacks(square, occupied) & self.matching(&captors.kinds) & who;
                }
            }
        }
        for by in [0, 1] {
            if const { can_have(S::GENERAL) } {
                for &kind in &self.rules.tables.classes.lame_captors {
                    let pieces = self.kind_set(kind) & self.by_side[by];
                    for lame in &self.rules.tables.types[kind as usize].lame_from[by][square.index()] {
                        if lame.capture && pieces.has(lame.end) && (lame.legs & occupied).is_empty() {
                            set |= lame.end.bit();
                        }
                    }
                }
            }
        }
        set
    }

    /// The pieces of both sides that attack a square, if `occupied` were the occupied squares.
    #[inline(always)]
    pub(super) fn attackers_at(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (self.leapers_at(square) | self.line_attackers_at(square, occupied)) & occupied
    }

    /// What a capture of a piece gains: its worth on the board and, where it goes to the captor's hand, what it is worth
    /// there.
    #[inline(always)]
    pub(super) fn stake(&self, kind: u8, values: &PieceValues) -> i32 {
        let worth = values[kind as usize & 31];
        if S::HANDS == Some(false) || !self.rules.tables.hands.to_captor {
            return worth;
        }
        let held = self.rules.tables.hands.in_hand[kind as usize & 31];
        worth + held.map_or(0, |held| values[held as usize & 31])
    }

    /// The type of the cheapest pieces of a set and these pieces; `None` for the empty set.
    #[inline(always)]
    fn cheapest(&self, set: Bitboard, values: &PieceValues) -> Option<(usize, Bitboard)> {
        let (mut cheapest, mut least) = (None, i32::MAX);
        if set.is_empty() {
            return None;
        }
        for kind in Bitboard(self.kinds_in(set).into()) {
            let stake = self.stake(kind.number(), values);
            if stake < least {
                (cheapest, least) = (Some(kind.index()), stake);
            }
        }
        cheapest.map(|kind| (kind, self.kind_set(kind as u8) & set))
    }

    /// See [`Tactics::exchange_at_least`].
    pub(super) fn exchange(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        if matches!(mv.tag(), MoveTag::Castle(_)) {
            return threshold <= 0;
        }
        let (us, square) = (self.side, mv.to);
        let mut occupied = self.occupied_after(mv);
        if S::key(self.rules)
            && let Some(stays) = self.stays_on_key(mv, occupied, values)
        {
            return stays;
        }
        let worth = |kind: u8| values[kind as usize & 31];
        let victim = self.victim(mv).map_or(0, |kind| self.stake(kind, values));
        let gain = victim + worth(mv.becomes()) - worth(mv.kind);
        // By how much the side that stands on the square is ahead of what it needs.
        let mut lead = gain - threshold;
        if lead < 0 {
            return false;
        }
        let mut standing = self.stake(mv.becomes(), values);
        // A side captures only if that puts it ahead. A tie is enough for the mover only.
        lead = standing - lead - 1;
        if lead < 0 {
            return true;
        }
        let leapers = self.leapers_at(square);
        let mut attackers = (leapers | self.line_attackers_at(square, occupied)) & occupied & !square.bit();
        let mut side = !us;
        loop {
            let Some((kind, pieces)) = self.cheapest(attackers & self.pieces_of(side), values) else {
                return side != us;
            };
            occupied &= !pieces.first().bit();
            attackers = (leapers | self.line_attackers_at(square, occupied)) & occupied & !square.bit();
            if self.rules.royal == Some(kind as u8) && (attackers & self.pieces_of(!side)).any() {
                return side != us;
            }
            standing = self.stake(kind as u8, values);
            side = !side;
            lead = standing - lead - 1;
            if lead < 0 {
                return side != us;
            }
        }
    }

    /// For a step of an eligible piece onto a key that is won by staying: whether the mover's side stays
    /// last. The opponent must capture whatever it costs, and so must the mover then. `None` where the
    /// fight is about something else.
    fn stays_on_key(&self, mv: Move, mut occupied: Bitboard, values: &PieceValues) -> Option<bool> {
        let key = self.rules.key.as_ref().filter(|key| key.objective == Objective::Hold)?;
        let counts =
            |kind: u8, side: Side| key.eligible >> kind & 1 != 0 && key.squares[side.index()].has(mv.to);
        if !counts(mv.becomes(), self.side) {
            return None;
        }
        let mut side = !self.side;
        loop {
            let attackers = self.attackers_at(mv.to, occupied) & !mv.to.bit() & self.pieces_of(side);
            let Some((kind, pieces)) = self.cheapest(attackers, values) else {
                return Some(side != self.side);
            };
            if !counts(kind as u8, side) {
                // Captured by a piece that cannot win there: nothing is forced any more.
                return None;
            }
            occupied &= !pieces.first().bit();
            side = !side;
        }
    }
}
