//! When a game is over, and who has won.

use super::{ChessLike, RuleSubset};
use crate::batch::visit_each;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::value::{Outcome, Side};
use crate::variant::{Bare, KeyRule, Objective, Repeated};
use std::ops::ControlFlow;

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The result, if the game has been decided by what stands on the board, whatever moves there are: a
    /// key held, a side without pieces, an extinction.
    #[inline(always)]
    pub(super) fn decided(&self) -> Option<Outcome> {
        if S::KEY != Some(true) && !self.rules.tables.decidable {
            return None;
        }
        if S::key(self.rules)
            && let Some(key) = &self.rules.key
            && let Some(outcome) = self.key_outcome(key)
        {
            return Some(outcome);
        }
        if self.rules.bare != Bare::Nothing && self.by_side.iter().any(|set| set.is_empty()) {
            return self.bare_outcome();
        }
        if let Some((kinds, outcome)) = &self.rules.extinction {
            let gone = |side, kind| self.pieces(side, kind).is_empty() && self.in_hand(side, kind) == 0;
            let extinct = |side| kinds.iter().all(|&kind| gone(side, kind));
            // The side that has just moved extinguished the other, or itself by nothing but the start.
            if extinct(self.side) {
                return Some(*outcome);
            }
            if extinct(!self.side) {
                return Some(!*outcome);
            }
        }
        None
    }

    /// Rule 1 of the Facets: the mover's own eligible piece on the key, with the objective's condition.
    #[inline(always)]
    fn key_outcome(&self, key: &KeyRule) -> Option<Outcome> {
        match key.objective {
            Objective::Hold => self.on_key(key, self.side).then_some(Outcome::Win),
            Objective::Secure => self.secured(key).then_some(Outcome::Win),
            Objective::Reach => self.on_key(key, !self.side).then_some(Outcome::Loss),
            Objective::Try => self.try_outcome(key),
        }
    }

    /// A key that an enemy of a side's pieces there could not capture: both at once are a draw.
    #[inline]
    fn try_outcome(&self, key: &KeyRule) -> Option<Outcome> {
        match Side::BOTH.map(|side| self.is_safe_on_key(key, side)) {
            [false, false] => None,
            [true, true] => Some(Outcome::Draw),
            [white, _] => {
                let winner = if white { Side::White } else { Side::Black };
                Some(Outcome::Win.absolute(winner).seen_by(self.side))
            }
        }
    }

    #[inline(always)]
    pub(super) fn on_key(&self, key: &KeyRule, side: Side) -> bool {
        let there = self.pieces_of(side) & key.squares[side.index()];
        there.any() && self.eligible(key, there).any()
    }

    /// The squares of a set on which a piece of an eligible type stands.
    #[inline]
    pub(super) fn eligible(&self, key: &KeyRule, set: Bitboard) -> Bitboard {
        let kinds = self.by_type.iter().enumerate().filter(|(kind, _)| key.eligible >> kind & 1 != 0);
        kinds.fold(Bitboard::EMPTY, |found, (_, pieces)| found | (*pieces & set))
    }

    #[inline]
    fn secured(&self, key: &KeyRule) -> bool {
        self.is_safe_on_key(key, self.side)
    }

    /// Whether a side has a piece that counts on its key where no enemy could capture it.
    #[inline]
    fn is_safe_on_key(&self, key: &KeyRule, side: Side) -> bool {
        let there = self.pieces_of(side) & key.squares[side.index()];
        there.any()
            && self
                .eligible(key, there)
                .into_iter()
                .any(|square| !self.attacked(square, !side, self.occupied(), Bitboard::EMPTY))
    }

    /// Rule 2: one side has no piece left (J1).
    #[cold]
    fn bare_outcome(&self) -> Option<Outcome> {
        let survivor = if self.pieces_of(self.side).is_empty() { !self.side } else { self.side };
        let won = Outcome::Win.absolute(survivor).seen_by(self.side);
        match self.rules.bare {
            Bare::Nothing => None,
            Bare::Loses => Some(won),
            Bare::Draws => Some(Outcome::Draw),
            Bare::Key => {
                // A loop: whether a map of the array is inlined is up to the build.
                let mut pieces = self.by_type;
                pieces.iter_mut().for_each(|set| *set &= self.pieces_of(survivor));
                Some(if self.rules.reaches_key_alone(survivor, &pieces) { won } else { Outcome::Draw })
            }
        }
    }

    /// Whether one of a side's pieces could ever reach its key, by captures too.
    #[inline]
    fn can_reach(&self, side: Side) -> bool {
        let s = side.index();
        for (kind, tables) in self.rules.tables.types.iter().enumerate().take(N) {
            let reach = tables.reach_ever[s];
            if (self.by_type[kind] & self.by_side[s] & reach).any() {
                return true;
            }
        }
        false
    }

    /// Rule 3 of the Facets: no eligible piece of either side could ever reach its key, and nothing else
    /// wins.
    #[inline]
    fn out_of_reach(&self) -> bool {
        let rules = self.rules;
        S::key(rules)
            && !S::royal(rules)
            && !S::hands(rules)
            && rules.bare != Bare::Loses
            && rules.extinction.is_none()
            && Side::BOTH.iter().all(|&side| !self.can_reach(side))
    }

    /// A draw that is adjudicated although there may be moves: nobody can win any more, or the move rule.
    #[inline]
    pub(super) fn dead(&self) -> bool {
        self.out_of_reach()
            || self.rules.move_rule.is_some_and(|limit| self.clock >= limit)
            || self.insufficient()
    }

    /// Insufficient material: a listed class, or only kings and pieces that share one colour (J5).
    #[inline]
    fn insufficient(&self) -> bool {
        let rules = self.rules;
        if Side::BOTH.iter().any(|side| self.holds_any(*side)) {
            return false;
        }
        let occupied = self.occupied();
        if rules.same_colour != 0 {
            let bishops = self.pieces_of_kinds(rules.same_colour);
            let kings = rules.royal.map_or(Bitboard::EMPTY, |royal| self.kind_set(royal));
            // The colours of the squares are computed each time, so they are asked for last.
            let one_colour = |dark: Bitboard| (bishops & dark).is_empty() || (bishops & !dark).is_empty();
            if (bishops | kings) == occupied && one_colour(rules.geometry.dark()) {
                return true;
            }
        }
        // The two cheap questions come first: they rule out nearly everything.
        occupied.count() <= rules.tables.insufficient_max
            && self.pieces_of_kinds(rules.tables.insufficient_kinds) == occupied
            && rules.insufficient.iter().any(|material| {
                Side::BOTH.iter().all(|&side| {
                    self.by_type
                        .iter()
                        .zip(material.counts[side.index()])
                        .all(|(set, count)| (*set & self.pieces_of(side)).count() == u32::from(count))
                })
            })
    }

    /// The pieces of some types, of both sides; bit `n` of `kinds` for type `n`.
    #[inline(always)]
    fn pieces_of_kinds(&self, kinds: u32) -> Bitboard {
        let kinds = Bitboard(u64::from(kinds));
        kinds.into_iter().fold(Bitboard::EMPTY, |set, kind| set | self.kind_set(kind.index() as u8))
    }

    pub(super) fn result(&self) -> Option<Outcome> {
        if let Some(outcome) = self.decided() {
            return Some(outcome);
        }
        if !self.has_move() {
            return Some(self.without_moves());
        }
        self.dead().then_some(Outcome::Draw)
    }

    /// The result of a game that has not been decided, for a side that has no move.
    #[cold]
    pub(super) fn without_moves(&self) -> Outcome {
        if self.out_of_reach() { Outcome::Draw } else { self.no_moves() }
    }

    /// The result for a side that cannot move: checkmate, an enemy on the key (J2), or stalemate.
    #[cold]
    fn no_moves(&self) -> Outcome {
        if self.in_check(self.side) {
            return self.rules.checkmate;
        }
        // A key that cannot be cleared any more is as good as held.
        if let Some(key) = &self.rules.key
            && self.on_key(key, !self.side)
        {
            return Outcome::Loss;
        }
        self.rules.stalemate
    }
}

impl<S: RuleSubset, const N: usize> Position for ChessLike<'_, S, N> {
    type Move = super::Move;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.result()
    }

    #[inline]
    fn moves<B>(&self, visit: impl FnMut(super::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        visit_each(|receiver| self.hand_on_moves(receiver), visit)
    }

    #[inline]
    fn moves_inlined<B>(&self, visit: impl FnMut(super::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_moves(visit)
    }

    // Always, as `play`: left to itself the compiler inlines them into perft in one build and not in the next, and
    // a build that does not is a sixth slower.
    #[inline(always)]
    fn count_moves(&self) -> u64 {
        self.count()
    }

    #[inline(always)]
    fn play(&mut self, mv: super::Move) {
        self.play_move(mv);
    }

    #[inline(always)]
    fn zobrist_hash(&self) -> u64 {
        self.key
    }

    /// Perpetual check is looked for first: a side that checks with every move loses, where the rules say so.
    #[inline]
    fn repeated(&self, since: &[&Self]) -> Outcome {
        let rules = self.rules;
        if rules.perpetual_check_loses {
            let perpetual = Side::BOTH.map(|checked| {
                let mut turns = since.iter().copied().chain([self]).filter(|p| p.side == checked).peekable();
                turns.peek().is_some() && turns.all(|position| position.in_check(checked))
            });
            match [perpetual[self.side.index()], perpetual[(!self.side).index()]] {
                [true, true] => return Outcome::Draw,
                [true, false] => return Outcome::Win,
                [false, true] => return Outcome::Loss,
                [false, false] => {}
            }
        }
        match rules.repeated {
            Repeated::ToMove(outcome) => outcome,
            Repeated::WonBy(side) => Outcome::Win.absolute(side).seen_by(self.side),
        }
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist()
    }
}
