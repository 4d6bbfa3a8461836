//! What a strong search asks of a game beyond its rules: forcing moves apart from quiet ones, threats that
//! must be answered, the pass that null-move pruning plays, and the outcome of exchanges.
//!
//! Nothing here is required. A game begins with `impl Tactics for MyPosition {}`, is searched correctly, and
//! overrides what pays.

use crate::bitboard::{Bitboard, Square};
use crate::chance::Chance;
use crate::position::{Position, fixed_hash};
use crate::value::{Outcome, Side};
use crate::variant::Rules;
use crate::zobrist::MAX_TYPES;
use std::ops::ControlFlow;

/// The worth of each piece type in an exchange, in centipawns, by type number. A royal piece, which is never
/// given up, gets more than all others together.
pub type PieceValues = [i32; MAX_TYPES];

/// Positions that alpha-beta search understands. Every item has a default that is right for every game, only
/// slower; each group says what a game gains by its own. None of the methods of a strong game allocates.
///
/// | group | items | unlocks |
/// |---|---|---|
/// | early results | `decided`, `adjudicated` | the end of a game found without generating moves |
/// | stages | `is_noisy`, `noisy_moves`, `quiet_moves`, `is_legal`, `threatened`, `is_compelled` | staged move generation, quiescence search, threat extensions, reductions of quiet moves |
/// | drops | `has_drops`, `dropped_checks` | checks by pieces in hand at the end of a line |
/// | exchanges | `victim`, `gain`, `exchange_at_least` | captures ordered and pruned by static exchange evaluation |
/// | null move | `pass`, `is_zugzwang_prone`, `free_pieces` | null-move pruning |
/// | memory | `encode`, `decode`, `KINDS`, `kind`, `from`, `to`, `structure_hash`, `hash_after` | cheap moves of the transposition table, sharper history and correction tables |
/// | path | `ALTERNATES`, `is_irreversible` | cheaper detection of repetition |
///
/// # Laws
///
/// [`laws::check_stages_and_codes`](crate::laws::check_stages_and_codes) tests them. Where `decided` is `None`
/// (the other methods are asked nothing else):
///
/// - `noisy_moves` visits the legal moves that are `is_noisy`, `quiet_moves` the others; both leave out
///   moves that lose to a threat which they do not meet, at once or to the next move, if the game knows
///   them. Where both visit nothing although there are moves, each move loses: the opponent wins in the next turn.
/// - `is_legal` holds exactly for the legal moves.
/// - `decode(encode(mv)) == Some(mv)` for legal moves, and `encode` is never 0.
/// - `hash_after` is `None` or the hash of the position after a legal move.
/// - There is no `pass` under a threat.
/// - Where `is_compelled` holds, `quiet_moves` visits nothing.
pub trait Tactics: Chance {
    /// Piece types are numbered below this, which is at most 32. With [`kind`](Tactics::kind) it unlocks
    /// histories by type of piece.
    const KINDS: usize = 1;

    /// Whether the turn passes to the other side with every ply. A game in which it does says `true`, and the
    /// search needs not ask after each move whose turn it is.
    const ALTERNATES: bool = false;

    /// The result, if what stands on the board has decided the game, whatever moves there are. Cheaper than
    /// [`outcome`](Position::outcome) where that looks for moves.
    #[inline(always)]
    fn decided(&self) -> Option<Outcome> {
        self.outcome().filter(|&outcome| outcome != Outcome::Draw)
    }

    /// Whether the rules declare a draw although there may be moves. Without a move, something else may
    /// come first: ask [`outcome`](Position::outcome).
    #[inline(always)]
    fn adjudicated(&self) -> bool {
        self.outcome() == Some(Outcome::Draw)
    }

    /// Whether there are pieces in hand in the game, so that a quiet move may attack out of nothing. Unlocks drops with
    /// check in quiescence search.
    #[inline(always)]
    fn has_drops(&self) -> bool {
        false
    }

    /// Visits legal drops that give check: quiet moves that make a threat at once.
    #[inline(always)]
    fn dropped_checks<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let _ = visit;
        ControlFlow::Continue(())
    }

    /// Whether the side to move must answer a threat at once or lose: its royal piece is attacked, or an
    /// enemy stands where staying wins. Unlocks extensions of forced lines, and quiescence search that looks
    /// at every answer.
    #[inline(always)]
    fn threatened(&self) -> bool {
        false
    }

    /// Whether the side to move has to capture, in a game in which losing pieces wins. The static evaluation of such a
    /// position says little: nothing is pruned by it.
    #[inline(always)]
    fn is_compelled(&self) -> bool {
        false
    }

    /// Where neither [`noisy_moves`](Tactics::noisy_moves) nor [`quiet_moves`](Tactics::quiet_moves) visits any of the
    /// moves that there are: after how many plies the game is lost. The first is the side's own.
    #[inline(always)]
    fn plies_to_loss(&self) -> usize {
        1
    }

    /// Whether a move changes the balance at once: a capture, a promotion, a step onto the key. Unlocks
    /// quiescence search.
    #[inline(always)]
    fn is_noisy(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// Visits the noisy moves; see the laws. Unlocks staged move generation: a cutoff by a noisy move saves
    /// generating the quiet ones.
    #[inline(always)]
    fn noisy_moves<B>(&self, mut visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.moves(|mv| if self.is_noisy(mv) { visit(mv) } else { ControlFlow::Continue(()) })
    }

    /// Visits the quiet moves; see the laws.
    #[inline(always)]
    fn quiet_moves<B>(&self, mut visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.moves(|mv| if self.is_noisy(mv) { ControlFlow::Continue(()) } else { visit(mv) })
    }

    /// Whether a move, which may come from another position of the game, is legal here. A quick answer makes
    /// killer moves and the move of the transposition table cheap.
    #[inline]
    fn is_legal(&self, mv: Self::Move) -> bool {
        find_move(self, |legal| legal == mv).is_some()
    }

    /// The type of the piece that a move captures. Unlocks histories of captures.
    #[inline(always)]
    fn victim(&self, mv: Self::Move) -> Option<u8> {
        let _ = mv;
        None
    }

    /// Whether no position before the move can come back after it. Unlocks shorter scans for repetitions.
    #[inline(always)]
    fn is_irreversible(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The [hash](Position::zobrist_hash) of the position after a move, where it is quickly told without playing the move.
    /// Unlocks entries of the transposition table that are loaded while the move is played.
    #[inline(always)]
    fn hash_after(&self, mv: Self::Move) -> Option<u64> {
        let _ = mv;
        None
    }

    /// The position with the turn passed to the opponent, where that means something: `None` if the side to
    /// move is threatened, in a phase without passing, or in a game without it. Unlocks null-move pruning.
    #[inline(always)]
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Whether it is likely that every move hurts, so that passing would flatter: few pieces are left, or pieces are to be
    /// lost and captures compulsory. Keeps null-move pruning from such positions.
    #[inline(always)]
    fn is_zugzwang_prone(&self) -> bool {
        false
    }

    /// The pieces of the side to move that can mostly wait, such as officers in chess: with few of them, a pass may
    /// flatter. Unlocks the verification of null-move pruning at any depth where they are few.
    #[inline(always)]
    fn free_pieces(&self) -> u32 {
        u32::MAX
    }

    /// Whether the captures on the target of a move, each by the cheapest piece and ended by the side that it
    /// suits, leave the mover at least `threshold` centipawns up; then they do so for any lower threshold. Pins are not
    /// seen. Unlocks static exchange evaluation: losing captures are tried last, and pruned.
    ///
    /// On a key that is won by staying, material does not matter: the answer is whether the mover stays last.
    #[inline(always)]
    fn exchange_at_least(&self, mv: Self::Move, threshold: i32, values: &PieceValues) -> bool {
        let _ = (mv, values);
        threshold <= 0
    }

    /// What a move gains at once, in centipawns: its victim, and what promotion adds. Orders noisy moves.
    #[inline(always)]
    fn gain(&self, mv: Self::Move, values: &PieceValues) -> i32 {
        let _ = (mv, values);
        0
    }

    /// A hash of what changes slowly, such as the pawns, under which a search collects by how much the
    /// evaluation is wrong. Unlocks correction histories that are shared by similar positions.
    #[inline(always)]
    fn structure_hash(&self) -> u64 {
        self.zobrist_hash()
    }

    /// The type of the piece that moves, below [`KINDS`](Tactics::KINDS).
    #[inline(always)]
    fn kind(mv: Self::Move) -> usize {
        let _ = mv;
        0
    }

    /// Where the moving piece comes from, below 64: by default bits 6 to 11 of the code.
    #[inline(always)]
    fn from(mv: Self::Move) -> usize {
        (Self::encode(mv) >> 6 & 63) as usize
    }

    /// Where it goes, below 64: by default bits 0 to 5 of the code.
    #[inline(always)]
    fn to(mv: Self::Move) -> usize {
        (Self::encode(mv) & 63) as usize
    }

    /// The move in 32 bits, never 0: what the transposition table and the killer tables keep. By default a
    /// hash. A game whose moves fit into 31 bits gives the bits, with [`decode`](Tactics::decode).
    #[inline(always)]
    fn encode(mv: Self::Move) -> u32 {
        fixed_hash(&mv) as u32 | 1 << 31
    }

    /// A move with this code, if there is one: it need not be legal here. By default the first legal move
    /// with this code, found by going through all of them.
    #[inline]
    fn decode(&self, code: u32) -> Option<Self::Move> {
        find_move(self, |mv| Self::encode(mv) == code)
    }
}

/// The first legal move that is wanted.
fn find_move<P: Position>(position: &P, wanted: impl Fn(P::Move) -> bool) -> Option<P::Move> {
    position
        .moves(|mv| if wanted(mv) { ControlFlow::Break(mv) } else { ControlFlow::Continue(()) })
        .break_value()
}

/// Positions that are pieces of several types on a board of at most 64 squares: what evaluation looks at.
pub trait Pieces: Tactics {
    /// The rules of the game.
    fn rules(&self) -> &Rules;

    /// The squares of a side's pieces.
    fn pieces_of(&self, side: Side) -> Bitboard;

    /// The squares of a side's pieces of one type.
    fn pieces_of_kind(&self, side: Side, kind: u8) -> Bitboard;

    /// How many pieces of a type a side has in hand: none in a game without hands.
    #[inline(always)]
    fn in_hand(&self, side: Side, kind: u8) -> u8 {
        let _ = (side, kind);
        0
    }

    /// The squares on which a side's king could still castle, for all that its rights say.
    #[inline(always)]
    fn castling_squares(&self, side: Side) -> Bitboard {
        let _ = side;
        Bitboard::EMPTY
    }

    /// What a piece of a side would attack from a square: where it could capture.
    fn attacks(&self, kind: u8, side: Side, from: Square) -> Bitboard;

    /// What all pieces of a side attack whose type is moved by shifts, such as pawns.
    fn stepper_attacks(&self, side: Side) -> Bitboard;

    /// The pieces of both sides that attack a square, if `occupied` were the occupied squares.
    fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard;

    /// Those of the [attackers](Pieces::attackers) whose attacks could depend on what stands in between.
    #[inline(always)]
    fn line_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attackers(square, occupied)
    }

    /// Calls `each` for every piece that a move takes from a square (`false`) or puts onto one (`true`).
    fn changes(&self, mv: Self::Move, each: impl FnMut(u8, Side, Square, bool));

    /// Calls `each` for every piece that a move takes out of a hand (`false`) or puts into one (`true`), with the number of
    /// other pieces of its type that its owner has in hand. By default no move does.
    #[inline(always)]
    fn hand_changes(&self, mv: Self::Move, each: impl FnMut(u8, Side, u8, bool)) {
        let _ = (mv, each);
    }
}
