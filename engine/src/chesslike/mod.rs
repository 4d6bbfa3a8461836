//! Positions of every game that a variant file can describe: bitboards by piece type and by side, played
//! by copy.
//!
//! The rules engine is written once and compiled for several [`RuleSubset`]s: a subset says at compile time which rules a family
//! of games does without, so that the common ones pay for nothing that they do not use.

mod board;
mod checks;
mod exchange;
mod fen;
mod hands;
mod movegen;
mod notation;
mod outcome;
mod pack;
mod play;
mod playout;
mod san;
mod subset;
mod tactics;
mod transform;
mod unmoves;

pub use crate::fen::FenError;
pub use hands::{Counts, Hands, NoHands};
pub use notation::MoveError;
pub use subset::{Chess, Drops, General, KeyGames, Leapers, RuleSubset};

use crate::ability::{Game, Notation};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::variant::Rules;
use crate::zobrist::{KEYS, MAX_TYPES};
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A position of a chess-like game: `S` is what its rules can contain, `N` the number of piece types that fit.
///
/// Two positions are equal if the same moves may follow: the counters of a position string do not matter,
/// but for the clock where a move rule draws by it.
#[derive(Clone, Copy)]
pub struct ChessLike<'r, S: RuleSubset, const N: usize> {
    rules: &'r Rules,
    by_type: [Bitboard; N],
    by_side: [Bitboard; 2],
    hands: S::Hands<N>,
    key: u64,
    /// The square that a double step has just passed, if it can be captured there; else `NO_SQUARE`.
    en_passant: u8,
    side: Side,
    castling: u8,
    /// Plies since a capture or a clock-resetting move.
    clock: u16,
    /// The move number of position strings, from 1.
    move_number: u16,
    subset: PhantomData<S>,
}

const NO_SQUARE: u8 = 64;

/// A position of any variant at all.
pub type AnyChessLike<'r> = ChessLike<'r, General, MAX_TYPES>;

/// A move: its piece, its squares and what else happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the piece comes from; for castling the king; for a drop where it goes.
    pub from: Square,
    /// Where it goes; for castling the square of the king.
    pub to: Square,
    /// The type of the piece that moves.
    pub kind: u8,
    tag: u8,
}

/// What a move does besides moving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveTag {
    /// Nothing else.
    Plain,
    /// The piece becomes one of this type.
    Promotion(u8),
    /// A step over a square on which it may be captured *en passant*.
    DoubleStep,
    /// A capture of a piece that has just made a double step.
    EnPassant,
    /// Castling; the number of the castling rule.
    Castle(u8),
    /// A drop from the hand: the origin is the target.
    Drop,
}

impl Move {
    const DOUBLE_STEP: u8 = 64;
    const EN_PASSANT: u8 = 65;
    const DROP: u8 = 66;
    const CASTLE: u8 = 128;

    const fn new(kind: u8, from: Square, to: Square, tag: u8) -> Move {
        Move { from, to, kind, tag }
    }

    const fn promotion_tag(kind: u8) -> u8 {
        kind + 1
    }

    /// What the move does besides moving.
    pub const fn tag(self) -> MoveTag {
        match self.tag {
            0 => MoveTag::Plain,
            Move::DOUBLE_STEP => MoveTag::DoubleStep,
            Move::EN_PASSANT => MoveTag::EnPassant,
            Move::DROP => MoveTag::Drop,
            tag @ Move::CASTLE.. => MoveTag::Castle(tag - Move::CASTLE),
            tag => MoveTag::Promotion(tag - 1),
        }
    }

    /// The type that the piece has after the move.
    pub const fn becomes(self) -> u8 {
        match self.tag() {
            MoveTag::Promotion(kind) => kind,
            _ => self.kind,
        }
    }
}

impl<'r, S: RuleSubset, const N: usize> ChessLike<'r, S, N> {
    /// The rules that the position is played by.
    #[inline(always)]
    pub fn rules(&self) -> &'r Rules {
        self.rules
    }

    /// The squares of a side's pieces.
    #[inline(always)]
    pub fn pieces_of(&self, side: Side) -> Bitboard {
        self.by_side[side.index()]
    }

    /// The squares of a side's pieces of one type.
    #[inline(always)]
    pub fn pieces(&self, side: Side, kind: u8) -> Bitboard {
        self.by_type.get(kind as usize).map_or(Bitboard::EMPTY, |&set| set & self.by_side[side.index()])
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_side[0] | self.by_side[1]
    }

    /// The piece on a square.
    pub fn piece_on(&self, square: Square) -> Option<(u8, Side)> {
        let side = *Side::BOTH.iter().find(|s| self.pieces_of(**s).has(square))?;
        Some((self.type_on(square)?, side))
    }

    #[inline(always)]
    fn type_on(&self, square: Square) -> Option<u8> {
        let kinds = self.kinds_in(square.bit());
        (kinds != 0).then(|| kinds.trailing_zeros() as u8)
    }

    /// The types of the pieces on the squares of a set, a bit for each: without a branch, since what stands on a square is
    /// hard to foresee.
    #[inline(always)]
    fn kinds_in(&self, set: Bitboard) -> u32 {
        let mut kinds = 0;
        for (kind, pieces) in self.by_type.iter().enumerate() {
            kinds |= u32::from((*pieces & set).any()) << kind;
        }
        kinds
    }

    /// Plies since a capture or a clock-resetting move.
    pub fn clock(&self) -> u16 {
        self.clock
    }

    /// The clock as far as it bears on the game: not at all without a move rule, and never beyond its limit.
    #[inline]
    fn counted_clock(&self) -> u16 {
        self.rules.move_rule.map_or(0, |limit| self.clock.min(limit))
    }

    /// The same position with the clock at zero: as values that know no counter see it.
    #[inline]
    #[must_use]
    pub fn without_clock(mut self) -> Self {
        self.clock = 0;
        self
    }

    /// The square on which a pawn-like piece may be captured *en passant*.
    pub fn en_passant(&self) -> Option<Square> {
        (self.en_passant != NO_SQUARE).then(|| Square::new(self.en_passant))
    }

    /// Bit `n` is set while the castling right number `n` stands.
    pub fn castling_rights(&self) -> u8 {
        self.castling
    }

    /// A position put together from sets of squares, without castling rights and *en passant*. The sets must be
    /// disjoint; nothing else is checked.
    pub fn assemble(
        rules: &'r Rules,
        side_to_move: Side,
        pieces: impl IntoIterator<Item = (u8, Side, Bitboard)>,
    ) -> Self {
        let mut position = Self::empty(rules);
        for (kind, side, squares) in pieces {
            position.by_type[kind as usize] |= squares;
            position.by_side[side.index()] |= squares;
        }
        position.side = side_to_move;
        position.key = position.zobrist();
        position
    }

    /// A position put together from sets of squares and from hands, by side and type, whose Zobrist hash is 0: for those who
    /// ask many positions for their moves and outcomes, and hash none. The sets must be disjoint; nothing else is checked.
    #[inline]
    pub fn assemble_unhashed(
        rules: &'r Rules,
        side_to_move: Side,
        board: [&[u64]; 2],
        hands: [&[u8]; 2],
    ) -> Self {
        let mut position = Self::empty(rules);
        for side in Side::BOTH {
            for (kind, &squares) in board[side.index()].iter().enumerate() {
                position.by_type[kind % N] |= Bitboard(squares);
                position.by_side[side.index()] |= Bitboard(squares);
            }
            for (kind, &count) in hands[side.index()].iter().enumerate() {
                position.hands.set(side, kind as u8, count);
            }
        }
        position.side = side_to_move;
        position
    }

    /// The same position with this in hand, by side and type, and nothing else.
    #[must_use]
    pub fn with_hands(mut self, hands: impl IntoIterator<Item = (Side, u8, u8)>) -> Self {
        self.hands = S::Hands::<N>::EMPTY;
        for (side, kind, count) in hands {
            self.hands.set(side, kind, count);
        }
        self.key = self.zobrist();
        self
    }

    /// An empty board of the game.
    fn empty(rules: &'r Rules) -> Self {
        ChessLike {
            rules,
            by_type: [Bitboard::EMPTY; N],
            by_side: [Bitboard::EMPTY; 2],
            hands: S::Hands::<N>::EMPTY,
            key: 0,
            en_passant: NO_SQUARE,
            side: Side::White,
            castling: 0,
            clock: 0,
            move_number: 1,
            subset: PhantomData,
        }
    }

    /// Whether the rights, which have the same numbers, are of kings and rooks on the same squares.
    #[cold]
    fn castles_as(&self, other: &Self) -> bool {
        let pairs = self.rules.castles.iter().zip(&other.rules.castles).enumerate();
        pairs.filter(|(n, _)| self.castling >> n & 1 != 0).all(|(_, (ours, theirs))| ours == theirs)
    }

    fn put(&mut self, square: Square, kind: u8, side: Side) {
        self.by_type[kind as usize] |= square.bit();
        self.by_side[side.index()] |= square.bit();
    }

    fn zobrist(&self) -> u64 {
        let mut key = if self.side == Side::Black { KEYS.black } else { 0 };
        for side in Side::BOTH {
            for (kind, set) in self.by_type.iter().enumerate() {
                for square in *set & self.pieces_of(side) {
                    key ^= KEYS.piece[kind][side.index()][square.index()];
                }
            }
        }
        for (side, kind, count) in self.hands() {
            key ^= hands::hand_hash(side, kind, count);
        }
        if let Some(square) = self.en_passant() {
            key ^= KEYS.en_passant[square.index()];
        }
        key ^ self.rules.tables.castling.hash(self.castling)
    }
}

impl<S: RuleSubset, const N: usize> PartialEq for ChessLike<'_, S, N> {
    fn eq(&self, other: &Self) -> bool {
        self.by_type == other.by_type
            && self.by_side == other.by_side
            && self.hands == other.hands
            && (self.side, self.en_passant, self.castling) == (other.side, other.en_passant, other.castling)
            && self.counted_clock() == other.counted_clock()
            && (self.castling == 0 || std::ptr::eq(self.rules, other.rules) || self.castles_as(other))
    }
}

impl<S: RuleSubset, const N: usize> Eq for ChessLike<'_, S, N> {}

impl<S: RuleSubset, const N: usize> Hash for ChessLike<'_, S, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl<S: RuleSubset, const N: usize> fmt::Debug for ChessLike<'_, S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.rules.id, self.position_text())
    }
}

/// A game of a variant file, compiled for the subset `S` for up to `N` piece types.
#[derive(Clone, Copy, Debug)]
pub struct ChessGame<'r, S, const N: usize> {
    rules: &'r Rules,
    subset: PhantomData<S>,
}

impl<'r, S: RuleSubset, const N: usize> ChessGame<'r, S, N> {
    /// The game of these rules; `None` if they are not in the subset.
    pub fn new(rules: &'r Rules) -> Option<Self> {
        (rules.type_count() <= N && S::fits(rules)).then_some(ChessGame { rules, subset: PhantomData })
    }

    /// The rules.
    pub fn rules(&self) -> &'r Rules {
        self.rules
    }
}

impl<'r> ChessGame<'r, General, MAX_TYPES> {
    /// The game of any rules.
    pub fn from_any(rules: &'r Rules) -> Self {
        ChessGame { rules, subset: PhantomData }
    }
}

impl<'r, S: RuleSubset, const N: usize> Game for ChessGame<'r, S, N> {
    type Position = ChessLike<'r, S, N>;

    fn id(&self) -> &str {
        &self.rules.id
    }

    fn name(&self) -> &str {
        &self.rules.name
    }

    fn start(&self) -> ChessLike<'r, S, N> {
        // Checked when the rules were compiled.
        ChessLike::from_fen(self.rules, &self.rules.start)
            .unwrap_or_else(|e| unreachable!("start position: {e}"))
    }

    fn parse_position(&self, text: &str) -> Result<ChessLike<'r, S, N>, Box<dyn Error + Send + Sync>> {
        Ok(ChessLike::from_fen(self.rules, text)?)
    }

    fn repetition(&self) -> u32 {
        self.rules.repetition
    }
}

/// Evaluates an expression with a name bound to the game of some rules ([`ChessGame`](crate::chesslike::ChessGame)),
/// compiled for the leanest [`RuleSubset`](crate::chesslike::RuleSubset) that fits.
///
/// ```
/// use jewel_engine::ability::Game;
/// use jewel_engine::with_leanest_game;
///
/// let rules = jewel_engine::games::find("duel").unwrap().rules();
/// assert_eq!(with_leanest_game!(rules, game => game.name().to_string()), "Duel in the Castle");
/// ```
#[macro_export]
macro_rules! with_leanest_game {
    ($rules:expr, $game:ident => $body:expr) => {{
        use $crate::chesslike::{Chess, ChessGame, Drops, General, KeyGames, Leapers};
        let rules = $rules;
        if let Some($game) = ChessGame::<Leapers, 4>::new(rules) {
            $body
        } else if let Some($game) = ChessGame::<Chess, 8>::new(rules) {
            $body
        } else if let Some($game) = ChessGame::<KeyGames, 8>::new(rules) {
            $body
        } else if let Some($game) = ChessGame::<Drops, 16>::new(rules) {
            $body
        } else {
            let $game = ChessGame::<General, { $crate::zobrist::MAX_TYPES }>::from_any(rules);
            $body
        }
    }};
}
