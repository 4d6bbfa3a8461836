//! What search asks of a chess-like position.

use super::movegen::MoveFilter;
use super::subset::can_have;
use super::{ChessLike, Move, MoveTag, NO_SQUARE, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::chance::Chance;
use crate::tactics::{PieceValues, Pieces, Tactics};
use crate::value::Outcome;
use crate::variant::Objective;
use crate::variant::tables::ByType;
use crate::zobrist::KEYS;
use std::ops::ControlFlow::{self, Continue};

/// An odd number with no pattern (the golden ratio), to spread bits by multiplication.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Captures, promotions and steps onto the key, inside some squares.
struct Noisy<'a> {
    prey: Bitboard,
    critical: &'a ByType,
    limit: Bitboard,
    en_passant: bool,
}

impl MoveFilter for Noisy<'_> {
    #[inline(always)]
    fn targets(&self, kind: u8) -> Bitboard {
        (self.prey | self.critical[kind as usize & 31]) & self.limit
    }

    #[inline(always)]
    fn castling(&self) -> bool {
        false
    }

    #[inline(always)]
    fn en_passant(&self) -> bool {
        self.en_passant
    }

    #[inline(always)]
    fn drops(&self) -> bool {
        false
    }
}

/// Everything else.
struct Quiet<'a> {
    prey: Bitboard,
    critical: &'a ByType,
    limit: Bitboard,
}

impl MoveFilter for Quiet<'_> {
    #[inline(always)]
    fn targets(&self, kind: u8) -> Bitboard {
        !(self.prey | self.critical[kind as usize & 31]) & self.limit
    }

    #[inline(always)]
    fn en_passant(&self) -> bool {
        false
    }
}

/// Drops onto some squares of each type.
struct Drops<const N: usize> {
    near: [Bitboard; N],
}

impl<const N: usize> MoveFilter for Drops<N> {
    #[inline(always)]
    fn movers(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    #[inline(always)]
    fn targets(&self, _: u8) -> Bitboard {
        Bitboard::EMPTY
    }

    #[inline(always)]
    fn castling(&self) -> bool {
        false
    }

    #[inline(always)]
    fn en_passant(&self) -> bool {
        false
    }

    #[inline(always)]
    fn drop_targets(&self, kind: u8) -> Bitboard {
        self.near[kind as usize % N]
    }
}

/// One move, and whatever shares its piece and target.
struct OnlyMove(Move);

impl MoveFilter for OnlyMove {
    #[inline(always)]
    fn movers(&self) -> Bitboard {
        self.0.from.bit()
    }

    #[inline(always)]
    fn targets(&self, kind: u8) -> Bitboard {
        if kind == self.0.kind && self.0.tag < Move::EN_PASSANT { self.0.to.bit() } else { Bitboard::EMPTY }
    }

    #[inline(always)]
    fn castling(&self) -> bool {
        self.0.tag >= Move::CASTLE
    }

    #[inline(always)]
    fn en_passant(&self) -> bool {
        self.0.tag == Move::EN_PASSANT
    }

    #[inline(always)]
    fn drops(&self) -> bool {
        self.0.tag == Move::DROP
    }

    #[inline(always)]
    fn drop_targets(&self, kind: u8) -> Bitboard {
        if kind == self.0.kind { self.0.to.bit() } else { Bitboard::EMPTY }
    }
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// Enemies on a key that is won by staying: unless all of them are captured now, the game is lost.
    #[inline(always)]
    fn intruders(&self) -> Bitboard {
        let none = Bitboard::EMPTY;
        if !S::key(self.rules) {
            return none;
        }
        let Some(key) = &self.rules.key else { return none };
        let there = self.pieces_of(!self.side) & key.squares[(!self.side).index()];
        if key.objective != Objective::Hold || there.is_empty() {
            return none;
        }
        self.eligible(key, there)
    }

    /// Whether an enemy stands on its key and would have secured it if it were to move.
    #[inline(always)]
    fn nearly_secured(&self) -> bool {
        let Some(key) = &self.rules.key else { return false };
        let there = self.pieces_of(!self.side) & key.squares[(!self.side).index()];
        key.objective == Objective::Secure
            && there.any()
            && self
                .eligible(key, there)
                .into_iter()
                .any(|square| !self.attacked(square, self.side, self.occupied(), Bitboard::EMPTY))
    }

    /// In a race: where a move must end to be an answer to enemies that could step onto their goal. `None` if there are
    /// no such enemies.
    #[inline(always)]
    fn answers(&self) -> Option<Bitboard> {
        let them = !self.side;
        let near = self.matching(&self.rules.tables.gates[them.index()]) & self.by_side[them.index()];
        if near.is_empty() { None } else { self.answers_to(near) }
    }

    /// The same for some enemies next to their goal.
    #[inline(never)]
    fn answers_to(&self, near: Bitboard) -> Option<Bitboard> {
        let Some(key) = &self.rules.key else { return None };
        let (us, them, occupied) = (self.side, !self.side, self.occupied());
        let (mut answers, mut threats, mut sure) = (Bitboard::EMPTY, 0, 0);
        for from in near {
            let Some(kind) = self.type_on(from) else { continue };
            let captures = self.rules.capture_targets(kind, them, from, occupied) & key.squares[them.index()];
            let quiet = self.rules.quiet_targets(kind, them, from, occupied) & key.squares[them.index()];
            let steps = quiet | captures & self.by_side[us.index()];
            threats += u32::from(steps.any());
            // Nothing stands in the way of what captures there, too.
            sure += u32::from((steps & captures).any());
            answers |= if steps.any() { from.bit() | quiet & !captures } else { Bitboard::EMPTY };
        }
        let answers = if sure > 1 { Bitboard::EMPTY } else { answers };
        (threats > 0).then_some(answers | key.squares[us.index()])
    }
}

impl<S: RuleSubset, const N: usize> Chance for ChessLike<'_, S, N> {}

impl<S: RuleSubset, const N: usize> Tactics for ChessLike<'_, S, N> {
    const KINDS: usize = N;
    const ALTERNATES: bool = true;

    #[inline(always)]
    fn decided(&self) -> Option<Outcome> {
        ChessLike::decided(self)
    }

    #[inline(always)]
    fn adjudicated(&self) -> bool {
        self.dead()
    }

    #[inline(always)]
    fn has_drops(&self) -> bool {
        S::hands(self.rules)
    }

    #[inline(always)]
    fn dropped_checks<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if const { !can_have(S::HANDS) } || !self.holds_any(self.side) || !self.has_royal(!self.side) {
            return Continue(());
        }
        let royal = self.pieces(!self.side, self.rules.royal.unwrap_or(0)).first();
        let mut near = [Bitboard::EMPTY; N];
        for (kind, squares) in near.iter_mut().enumerate().take(self.rules.type_count()) {
            *squares = self.attacks(kind as u8, !self.side, royal);
        }
        self.visit_wanted(&Drops { near }, visit)
    }

    #[inline(always)]
    fn threatened(&self) -> bool {
        S::royal(self.rules) && self.in_check(self.side)
            || S::key(self.rules)
                && (self.intruders().any() || self.nearly_secured() || self.answers().is_some())
    }

    #[inline(always)]
    fn is_compelled(&self) -> bool {
        self.is_giveaway() && self.can_capture()
    }

    #[inline]
    fn plies_to_loss(&self) -> usize {
        // In a race the enemy has a step to make.
        if S::key(self.rules) && self.answers().is_some() { 2 } else { 1 }
    }

    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        let critical = self.rules.tables.critical[self.side.index()][mv.kind as usize & 31];
        mv.tag < Move::DROP
            && ((self.by_side[(!self.side).index()] | critical).has(mv.to) || mv.tag == Move::EN_PASSANT)
    }

    #[inline(always)]
    fn noisy_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let clear = self.intruders();
        let limit = if S::key(self.rules) { self.answers() } else { None };
        let filter = Noisy {
            prey: self.by_side[(!self.side).index()],
            critical: &self.rules.tables.critical[self.side.index()],
            limit: limit.unwrap_or(if clear.is_empty() { Bitboard::ALL } else { clear }),
            en_passant: true,
        };
        self.visit_wanted(&filter, visit)
    }

    #[inline(always)]
    fn quiet_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.intruders().any() {
            return Continue(());
        }
        let filter = Quiet {
            prey: self.by_side[(!self.side).index()],
            critical: &self.rules.tables.critical[self.side.index()],
            limit: if S::key(self.rules) { self.answers() } else { None }.unwrap_or(Bitboard::ALL),
        };
        self.visit_wanted(&filter, visit)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let own = self.kind_set(mv.kind) & self.by_side[self.side.index()];
        (own.has(mv.from) || const { can_have(S::HANDS) } && mv.tag == Move::DROP)
            && self
                .visit_wanted(
                    &OnlyMove(mv),
                    |legal| {
                        if legal == mv { ControlFlow::Break(()) } else { Continue(()) }
                    },
                )
                .is_break()
    }

    #[inline(always)]
    fn victim(&self, mv: Move) -> Option<u8> {
        if mv.tag == Move::EN_PASSANT {
            return self.type_on(self.passed_victim(mv.to));
        }
        if !self.by_side[(!self.side).index()].has(mv.to) {
            return None;
        }
        self.type_on(mv.to)
    }

    #[inline(always)]
    fn is_irreversible(&self, mv: Move) -> bool {
        if const { can_have(S::HANDS) } && self.rules.tables.hands.returns {
            // What is captured comes back.
            return false;
        }
        mv.tag != 0
            || self.by_side[(!self.side).index()].has(mv.to)
            || self.rules.tables.resets_clock(mv.kind)
            || self.castling & (self.rules.tables.castling.lost[mv.from.index()]) != 0
    }

    #[inline(always)]
    fn hash_after(&self, mv: Move) -> Option<u64> {
        self.predicted_hash(mv)
    }

    #[inline]
    fn pass(&self) -> Option<Self> {
        if self.threatened() {
            return None;
        }
        let mut next = *self;
        if next.en_passant != NO_SQUARE {
            next.key ^= KEYS.en_passant[next.en_passant as usize & 63];
            next.en_passant = NO_SQUARE;
        }
        next.clock = next.clock.saturating_add(1);
        next.side = !next.side;
        next.key ^= KEYS.black;
        Some(next)
    }

    #[inline]
    fn is_zugzwang_prone(&self) -> bool {
        self.is_giveaway() || self.free_pieces() < if S::royal(self.rules) { 1 } else { 3 }
    }

    #[inline]
    fn free_pieces(&self) -> u32 {
        let us = self.by_side[self.side.index()];
        let kinds = (0..N).filter(|kind| self.rules.tables.officers >> kind & 1 != 0);
        (kinds.fold(Bitboard::EMPTY, |set, kind| set | self.by_type[kind]) & us).count()
    }

    #[inline]
    fn exchange_at_least(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        self.exchange(mv, threshold, values)
    }

    #[inline(always)]
    fn gain(&self, mv: Move, values: &PieceValues) -> i32 {
        let worth = |kind: u8| values[kind as usize & 31];
        let victim = self.victim(mv).map_or(0, |kind| self.stake(kind, values));
        if mv.tag == 0 { victim } else { victim + worth(mv.becomes()) - worth(mv.kind) }
    }

    /// Where the steppers stand; without them, how many pieces there are of each type.
    #[inline]
    fn structure_hash(&self) -> u64 {
        let mut key = 0u64;
        if const { can_have(S::STEPPERS) } {
            for table in &self.rules.tables.classes.steppers {
                for side in &self.by_side {
                    key = (key ^ (self.kind_set(table.kind) & *side).0).wrapping_mul(SPREAD).rotate_left(29);
                }
            }
        }
        if key == 0 {
            for set in &self.by_type {
                for side in &self.by_side {
                    key = (key ^ u64::from((*set & *side).count())).wrapping_mul(SPREAD).rotate_left(29);
                }
            }
        }
        key
    }

    #[inline(always)]
    fn kind(mv: Move) -> usize {
        mv.kind as usize % N
    }

    #[inline(always)]
    fn from(mv: Move) -> usize {
        mv.from.index()
    }

    #[inline(always)]
    fn to(mv: Move) -> usize {
        mv.to.index()
    }

    #[inline(always)]
    fn encode(mv: Move) -> u32 {
        // The highest bit tells the move of number 0 from none.
        1 << 31
            | u32::from(mv.tag) << 17
            | u32::from(mv.kind & 31) << 12
            | (mv.from.index() as u32) << 6
            | mv.to.index() as u32
    }

    #[inline(always)]
    fn decode(&self, code: u32) -> Option<Move> {
        Some(Move {
            from: Square::wrap(code >> 6),
            to: Square::wrap(code),
            kind: (code >> 12 & 31) as u8,
            tag: (code >> 17) as u8,
        })
    }
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// Where the piece stands that a capture *en passant* on a square takes.
    #[inline(always)]
    pub(super) fn passed_victim(&self, target: Square) -> Square {
        target.offset(self.rules.tables.forward[(!self.side).index()])
    }

    /// The occupied squares after a move, and the types that the mover brings and takes.
    #[inline(always)]
    pub(super) fn occupied_after(&self, mv: Move) -> Bitboard {
        let mut occupied = self.occupied() & !mv.from.bit() | mv.to.bit();
        match mv.tag() {
            MoveTag::EnPassant => occupied &= !self.passed_victim(mv.to).bit(),
            MoveTag::Castle(number) => {
                if let Some(castle) = self.rules.castles.get(number as usize) {
                    occupied = occupied & !castle.rook[0].bit() | castle.king[1].bit() | castle.rook[1].bit();
                }
            }
            _ => {}
        }
        occupied
    }

    /// Whether captures are compulsory and losing pieces wins: then a pass avoids captures that a move would have to allow. A
    /// side with pieces in hand can always wait.
    #[inline(always)]
    fn is_giveaway(&self) -> bool {
        S::must_capture(self.rules)
            && !S::hands(self.rules)
            && self.rules.extinction.as_ref().is_some_and(|(_, outcome)| *outcome == Outcome::Win)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::{Game, Notation};
    use crate::chesslike::{ChessGame, General};
    use crate::position::Position;

    #[test]
    fn threats_are_seen_and_answered() {
        let rules = crate::games::find("ambush").unwrap().rules();
        let game = ChessGame::<General, 32>::new(rules).unwrap();
        // The Guardsman on the key must be captured, by the Staffman alone.
        let position = game.parse_position("5/5/2L2/4n/n4 b - - 0 1").unwrap();
        assert!(position.threatened() && position.pass().is_none());
        let mut answers = Vec::new();
        let _: ControlFlow<()> = position.noisy_moves(|mv| {
            answers.push(position.move_text(mv));
            Continue(())
        });
        assert_eq!(answers, ["e2c3"]);
        assert!(position.quiet_moves(ControlFlow::Break).is_continue());
    }

    /// The staged moves of a position, noisy ones first.
    fn staged(position: &ChessLike<'_, General, 32>) -> Vec<String> {
        let mut moves = Vec::new();
        for quiet in [false, true] {
            let mut list = |mv| -> ControlFlow<()> {
                moves.push(position.move_text(mv));
                Continue(())
            };
            let _ = if quiet { position.quiet_moves(&mut list) } else { position.noisy_moves(&mut list) };
        }
        moves
    }

    #[test]
    fn in_a_race_the_next_step_of_the_enemy_is_a_threat() {
        let text = include_str!("../../tests/data/variants/breakthrough.toml");
        let rules = crate::variant::Rules::parse(text).unwrap();
        let game = ChessGame::<General, 32>::new(&rules).unwrap();
        let at = |fen| game.parse_position(fen).unwrap();
        // Black steps onto b1, c1 or d1 unless it is captured, and only b1 can.
        let position = at("ppppp/1p3/5/5/P1p1P/1P3 w - - 0 1");
        assert!(position.threatened() && position.pass().is_none());
        assert_eq!(staged(&position), ["b1c2"]);
        // White is faster.
        assert_eq!(staged(&at("ppp1p/3P1/5/5/P1p1P/4P w - - 0 1")), ["d5c6", "d5d6", "d5e6"]);
        // Two of them cannot both be captured: White loses two plies from here.
        let position = at("ppppp/5/5/5/2p1p/1P1P1 w - - 0 1");
        assert!(staged(&position).is_empty() && position.plies_to_loss() == 2);
        // Two moves away nothing has to be answered yet.
        let position = at("ppppp/5/5/2p2/P3P/1P1P1 w - - 0 1");
        assert!(!position.threatened() && position.pass().is_some());
    }

    #[test]
    fn where_lost_pieces_win_moves_hurt_and_captures_may_be_compelled() {
        let hurts_and_is_compelled = |more: &str, result: &str, fen: &str| {
            let text = format!(
                "id = \"test\"\nname = \"Test\"\n{more}[board]\nsize = \"5x5\"\nstart = \"rnnnr/5/5/5/RNNNR w - - 0 1\"\n\
                 [[piece]]\nletter = \"N\"\nmoves = \"N\"\n[[piece]]\nletter = \"R\"\nmoves = \"R\"\n\
                 [end]\nextinction = {{ pieces = \"*\", result = \"{result}\" }}\n"
            );
            let rules = crate::variant::Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let position = ChessGame::<General, 32>::new(&rules).unwrap().parse_position(fen).unwrap();
            (position.is_zugzwang_prone(), position.is_compelled())
        };
        let [forced, start] = ["must-capture = true\n", "rnnnr/5/5/5/RNNNR w - - 0 1"];
        assert_eq!(hurts_and_is_compelled(forced, "win", start), (true, true));
        assert_eq!(hurts_and_is_compelled(forced, "win", "rnn2/5/5/5/N1N1R w - - 0 1"), (true, false));
        assert_eq!(hurts_and_is_compelled(forced, "loss", start), (false, false));
        assert_eq!(hurts_and_is_compelled("", "win", start), (false, false));
    }

    #[test]
    fn the_hash_after_a_move_is_told_but_for_castling_and_en_passant() {
        let told = |rules, fen: &str, text: &str| {
            let game = ChessGame::<General, 32>::from_any(rules);
            let position = game.parse_position(fen).unwrap();
            let mv = position.parse_move(text).unwrap();
            let hash = position.hash_after(mv);
            assert!(hash.is_none_or(|hash| hash == position.after(mv).recomputed_hash()), "{fen} {text}");
            hash.is_some()
        };
        let chess = crate::games::find("chess").unwrap().rules();
        let fen = "r3k2r/1P6/8/2pP4/8/8/4P3/R3K2R w KQkq c6 0 1";
        for mv in ["d5d6", "b7b8q", "b7b8n"] {
            assert!(told(chess, fen, mv), "{mv}");
        }
        // Squares that are passed, rights that are lost and used, and a capture en passant.
        for mv in ["e2e4", "a1b1", "a1a8", "e1g1", "d5c6"] {
            assert!(!told(chess, fen, mv), "{mv}");
        }
        let imported = crate::interchange::import("[ours:minishogi]", None, &[]).unwrap();
        let shogi = crate::variant::Rules::parse(&imported.text).unwrap();
        let fen = "2b1k/r4/P4/KGS2/3RB[P] w - - 0 1";
        for mv in ["P@b3", "a3a4", "d1d4", "d1d5", "d1d5+"] {
            assert!(told(&shogi, fen, mv), "{mv}");
        }
    }
}
