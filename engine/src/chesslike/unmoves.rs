//! Moves taken back: the positions from which a move leads to a position.
//!
//! Not for games in which a position says more than where the pieces stand and who is to move (castling rights, *en passant*, a
//! clock), nor where captures are compulsory, nor for pieces of no simple class.

use super::pack::WordKey;
use super::subset::can_have;
use super::{ChessLike, RuleSubset};
use crate::ability::PackedKey;
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// What a move taken back can put on the square where the piece stood: nothing, and enemies.
struct Prey {
    /// Bit `n` for type `n`.
    kinds: u32,
    side: u64,
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// Whether [`visit_unmoves`](Self::visit_unmoves) works for this root.
    pub(super) fn can_unmove(&self) -> bool {
        self.has_word_keys()
            && self.rules.castles.is_empty()
            && !S::must_capture(self.rules)
            && (S::GENERAL == Some(false) || self.rules.tables.classes.general.is_empty())
    }

    /// See [`unmoves`](crate::ability::Packed::unmoves); `self` is the root.
    #[inline(always)]
    pub(super) fn visit_unmoves<K: PackedKey>(&self, key: K, mut visit: impl FnMut(K)) {
        let position = self.unpacked(key);
        let word = self.word_key(key);
        let us = !position.side;
        let s = us.index();
        let (own, occupied) = (position.by_side[s], position.occupied());
        let prey = self.prey(&position, !us);
        let classes = &self.rules.tables.classes;
        let mut back = |kind: u8, to: Square, from: Bitboard, quiet: bool, capture: bool| {
            if from.is_empty() {
                return;
            }
            let piece = (s as u64) << word.kind_bits | u64::from(kind);
            let left = word.without(to);
            if quiet {
                from.into_iter().for_each(|from| visit(left.with(from, piece).key()));
            }
            if capture {
                prey.visit(&word, to, |word| {
                    from.into_iter().for_each(|from| visit(word.with(from, piece).key()))
                });
            }
        };
        for table in &classes.leapers {
            // Leaps are given by their origins.
            let Some(tables) = self.rules.tables.types.get(table.kind as usize) else { continue };
            for to in position.kind_set(table.kind) & own {
                let from = tables.capture_from[s][to.index()] & !occupied;
                back(table.kind, to, from, true, true);
            }
        }
        if const { can_have(S::RIDERS) } {
            for table in &classes.riders {
                let Some(tables) = self.rules.tables.types.get(table.kind as usize) else { continue };
                let riders = tables.riders_from[s].iter();
                for to in position.kind_set(table.kind) & own {
                    let slides = riders.clone().filter_map(|&n| self.rules.tables.riders.get(n as usize));
                    let from = slides.fold(tables.capture_from[s][to.index()], |from, rider| {
                        from | rider.attacks(to, occupied)
                    });
                    back(table.kind, to, from & !occupied, true, true);
                }
            }
        }
        if const { can_have(S::STEPPERS) } {
            for table in &classes.steppers {
                let promotion = &table.promotion[s];
                // The squares on which a piece may have arrived by such a step, without promotion and by one.
                let mut arrived = position.kind_set(table.kind) & own;
                let mut promoted = Bitboard::EMPTY;
                if const { can_have(S::PROMOTION) }
                    && let Some(promotion) = promotion
                {
                    if !promotion.optional {
                        arrived &= !promotion.zone;
                    }
                    for &kind in &promotion.to {
                        promoted |= position.kind_set(kind) & own & promotion.zone;
                    }
                }
                for step in &table.steps[s] {
                    let mut from = step.from & !occupied;
                    if step.leg != 0 {
                        from &= !occupied.shifted(step.leg.wrapping_neg());
                    }
                    let targets = from.shifted(step.delta);
                    for to in targets & arrived {
                        let from = to.offset(step.delta.wrapping_neg()).bit();
                        back(table.kind, to, from, step.quiet, step.capture);
                    }
                    if !step.double {
                        for to in targets & promoted {
                            let from = to.offset(step.delta.wrapping_neg()).bit();
                            back(table.kind, to, from, step.quiet, step.capture);
                        }
                    }
                }
            }
        }
    }

    /// What may have been captured: of a side's pieces at the root, those that are gone.
    #[inline(always)]
    fn prey(&self, position: &Self, side: Side) -> Prey {
        let s = side.index();
        let mut kinds = 0;
        // Without promotion a type that is whole has lost nothing.
        if position.by_side[s].count() < self.by_side[s].count() {
            let promotes = const { can_have(S::PROMOTION) }
                && self.rules.pieces.iter().any(|piece| piece.promotion.iter().any(Option::is_some));
            for kind in 0..self.rules.type_count().min(N) {
                let now = (position.by_type[kind] & position.by_side[s]).count();
                let before = (self.by_type[kind] & self.by_side[s]).count();
                kinds |= u32::from(promotes || now < before) << kind;
            }
        }
        Prey { kinds, side: s as u64 }
    }
}

impl Prey {
    #[inline(always)]
    fn visit(&self, word: &WordKey, to: Square, mut visit: impl FnMut(WordKey)) {
        let mut kinds = self.kinds;
        while kinds != 0 {
            let kind = u64::from(kinds.trailing_zeros());
            kinds &= kinds - 1;
            visit(word.with(to, self.side << word.kind_bits | kind));
        }
    }
}
