//! What a strong search asks of a game beyond its rules: forcing moves apart from quiet ones, threats that
//! must be answered, the pass that null-move pruning plays, and the outcome of exchanges.

use crate::bitboard::{Bitboard, Square};
use crate::chance::Chance;
use crate::value::{Outcome, Side};
use crate::variant::Rules;
use crate::zobrist::MAX_TYPES;
use std::ops::ControlFlow;

/// The worth of each piece type in an exchange, in centipawns, by type number. A royal piece, which is never
/// given up, gets more than all others together.
pub type PieceValues = [i32; MAX_TYPES];

/// Positions that alpha-beta search understands. None of these methods allocates.
///
/// # Laws
///
/// Where `decided` is `None` (the other methods are asked nothing else):
///
/// - `noisy_moves` visits the legal moves that are `is_noisy`, `quiet_moves` the others; both leave out
///   moves that lose to a threat which they do not meet, if the game knows them at once. Where both visit
///   nothing although there are moves, each move loses: the opponent has won when his turn comes.
/// - `is_legal` holds exactly for the legal moves.
/// - `decode(encode(mv)) == mv`, and `encode` is never 0.
pub trait Tactics: Chance {
    /// Piece types are numbered below this, which is at most 32.
    const KINDS: usize;

    /// Whether the turn passes to the other side with every ply.
    const ALTERNATES: bool = true;

    /// The result, if what stands on the board has decided the game, whatever moves there are.
    fn decided(&self) -> Option<Outcome>;

    /// Whether the rules declare a draw although there may be moves. Without a move, something else may
    /// come first: ask [`outcome`](crate::position::Position::outcome).
    fn adjudicated(&self) -> bool;

    /// Whether the side to move must answer a threat at once or lose: its royal piece is attacked, or an
    /// enemy stands where he wins by staying.
    fn threatened(&self) -> bool;

    /// Whether a move changes the balance at once: a capture, a promotion, a step onto the key.
    fn is_noisy(&self, mv: Self::Move) -> bool;

    /// Visits the noisy moves; see the laws.
    fn noisy_moves<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;

    /// Visits the quiet moves; see the laws.
    fn quiet_moves<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;

    /// Whether a move, which may come from another position of the game, is legal here.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// The type of the piece that a move captures.
    fn victim(&self, mv: Self::Move) -> Option<u8>;

    /// Whether no position before the move can come back after it.
    fn is_irreversible(&self, mv: Self::Move) -> bool;

    /// The position with the turn passed to the opponent, where that means something: `None` if the side to
    /// move is threatened, or in a phase without passing.
    fn pass(&self) -> Option<Self>;

    /// Whether it is likely that every move hurts, so that passing would flatter: few pieces are left.
    fn is_zugzwang_prone(&self) -> bool;

    /// Whether the captures on the target of a move, each by the cheapest piece and ended by whom that
    /// suits, leave the mover at least `threshold` centipawns up (static exchange evaluation). Pins are not
    /// seen.
    ///
    /// On a key that is won by staying, material is no matter: the mover is told whether he stays last.
    fn exchange_at_least(&self, mv: Self::Move, threshold: i32, values: &PieceValues) -> bool;

    /// What a move gains at once, in centipawns: its victim, and what promotion adds.
    fn gain(&self, mv: Self::Move, values: &PieceValues) -> i32;

    /// A hash of what changes slowly, such as the pawns, under which a search collects by how much the
    /// evaluation is wrong.
    fn structure_hash(&self) -> u64;

    /// The type of the piece that moves, below [`KINDS`](Tactics::KINDS).
    fn kind(mv: Self::Move) -> usize;

    /// Where the moving piece comes from, below 64.
    fn from(mv: Self::Move) -> usize;

    /// Where it goes, below 64.
    fn to(mv: Self::Move) -> usize;

    /// The move in 32 bits, never 0.
    fn encode(mv: Self::Move) -> u32;

    /// The move that [`encode`](Tactics::encode) made a number of; anything for another number.
    fn decode(code: u32) -> Self::Move;
}

/// Positions that are pieces of several types on a board of at most 64 squares: what evaluation looks at.
pub trait Pieces: Tactics {
    /// The rules of the game.
    fn rules(&self) -> &Rules;

    /// The squares of a side's pieces.
    fn pieces_of(&self, side: Side) -> Bitboard;

    /// The squares of a side's pieces of one type.
    fn pieces_of_kind(&self, side: Side, kind: u8) -> Bitboard;

    /// What a piece of a side would attack from a square: where it could capture.
    fn attacks(&self, kind: u8, side: Side, from: Square) -> Bitboard;

    /// What all pieces of a side attack whose type is moved by shifts, such as pawns.
    fn stepper_attacks(&self, side: Side) -> Bitboard;

    /// The pieces of both sides that attack a square, if `occupied` were the occupied squares.
    fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard;

    /// Calls `each` for every piece that a move takes from a square (`false`) or puts onto one (`true`).
    fn changes(&self, mv: Self::Move, each: impl FnMut(u8, Side, Square, bool));
}
