//! What a variant file says: the specification of a game, understood and checked, before any table is built.
//!
//! A new rule is a field of [`RulesSpec`] or [`PieceSpec`]. Everything that needs it reads it here: move
//! generation and solvers through [`Rules`](super::Rules), the fingerprint, the consistency check and the export
//! from the specification itself.

use crate::betza::{Motion, Range};
use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::value::{Outcome, Side};
use arrayvec::ArrayVec;

/// The specification of a variant.
#[derive(Clone, Debug)]
pub struct RulesSpec {
    /// What is typed to name the game.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    /// One sentence about the game.
    pub summary: String,
    /// The names of White and Black.
    pub sides: [String; 2],
    /// The board.
    pub geometry: Geometry,
    /// The position string of the start.
    pub start: String,
    /// Squares that riders may enter but not pass.
    pub blocking: Bitboard,
    /// The piece types; the index is the number of the type.
    pub pieces: Vec<PieceSpec>,
    /// The royal piece type.
    pub royal: Option<u8>,
    /// The type whose capture loses the game at once, where that takes the place of check and checkmate. Its loss is
    /// the `extinction` of these rules too.
    pub captured_royal: Option<u8>,
    /// The rules of pieces in hand; `None` in games without.
    pub hand: Option<HandRule>,
    /// The key squares and how a side wins by them.
    pub key: Option<KeyRule>,
    /// Castling moves of both sides; the index is the number of the right.
    pub castles: Vec<Castle>,
    /// Whether kings and rooks may start on other files of their rank and castle to the same squares, as in Chess960.
    pub chess960: bool,
    /// The result for a royal side that is attacked and has no move.
    pub checkmate: Outcome,
    /// The result for a side that has no move and is not attacked (see rule J2 for key games).
    pub stalemate: Outcome,
    /// What happens when a side has no piece left.
    pub bare: Bare,
    /// Piece types whose joint extinction ends the game, and the result for their owner.
    pub extinction: Option<(Vec<u8>, Outcome)>,
    /// How often a position must occur for the game to end; 0 for never.
    pub repetition: u32,
    /// What the end by repetition is worth.
    pub repeated: Repeated,
    /// Whether a side that has given check with every move since the position occurred first loses by its repetition.
    pub perpetual_check_loses: bool,
    /// Plies without a capture or a clock-resetting move that make a draw.
    pub move_rule: Option<u16>,
    /// Whether a side that can capture must capture.
    pub must_capture: bool,
    /// Classes of material that are a draw, each with sides exchanged as well.
    pub(crate) insufficient: Vec<Material>,
    /// Bit `n` is set if pieces of type `n` that all stand on squares of one colour, beside royal ones alone,
    /// are a draw.
    pub(crate) same_colour: u32,
}

impl RulesSpec {
    /// Whether play that never ends is a draw: not where a repetition is won or lost.
    pub fn endless_is_draw(&self) -> bool {
        self.repetition == 0
            || self.repeated == Repeated::ToMove(Outcome::Draw) && !self.perpetual_check_loses
    }

    /// The type that standard algebraic notation calls the pawn, without a letter: the first that moves as a pawn of
    /// chess does, with or without its double step.
    pub fn pawn(&self) -> Option<u8> {
        let is_pawn = |piece: &PieceSpec| {
            let (initial, usual): (Vec<&Motion>, Vec<&Motion>) =
                piece.motions.iter().partition(|m| m.initial);
            let steps = |m: &&&Motion| m.range == Range::Leap && !m.lame && m.dy == 1;
            usual.len() == 3
                && usual.iter().filter(steps).filter(|m| m.dx == 0 && m.quiet && !m.capture).count() == 1
                && usual.iter().filter(steps).filter(|m| m.dx.abs() == 1 && m.capture && !m.quiet).count()
                    == 2
                && initial.iter().all(|m| m.is_double_step())
        };
        self.pieces.iter().position(is_pawn).map(|kind| kind as u8)
    }

    /// The types that pieces promote to: bit `n` is set for type `n`.
    pub fn promotion_types(&self) -> u32 {
        let promotions = self.pieces.iter().flat_map(|piece| piece.promotion.iter().flatten());
        promotions.flat_map(|promotion| &promotion.to).fold(0, |types, kind| types | 1 << kind)
    }
}

/// The specification of a piece type; arrays of two are by side.
#[derive(Clone, Debug)]
pub struct PieceSpec {
    /// The upper-case letter in position strings.
    pub letter: char,
    /// What stands beside the letter.
    pub mark: Mark,
    /// Full names for White and Black.
    pub names: [String; 2],
    /// Official abbreviations for White and Black; empty where there are none.
    pub abbreviations: [String; 2],
    /// Full names of one that comes from a promotion, if they differ.
    pub promoted_names: Option<[String; 2]>,
    /// Their official abbreviations; empty where there are none.
    pub promoted_abbreviations: [String; 2],
    /// A hint of its worth in centipawns.
    pub value: Option<i32>,
    /// The Betza word.
    pub moves: String,
    /// What the word means.
    pub(crate) motions: Vec<Motion>,
    /// From where initial motions may be made.
    pub(crate) initial: [Bitboard; 2],
    /// Where the piece may stand.
    pub(crate) territory: [Bitboard; 2],
    pub(crate) promotion: [Option<Promotion>; 2],
    /// Whether it captures *en passant*, and is captured so after a double step.
    pub(crate) en_passant: bool,
    pub(crate) resets_clock: bool,
    /// Whether Black's moves are White's turned by half a turn; else the ranks are mirrored.
    pub(crate) rotated: bool,
    /// What it is once it has been captured and is in a hand; `None` where it leaves the game.
    pub(crate) in_hand: Option<u8>,
    /// Where and how it is dropped, if it can be.
    pub(crate) drop: Option<Drop>,
}

impl PieceSpec {
    /// Where a piece may stand: in its territory, and not where it would have had to promote, unless it may be dropped
    /// there.
    pub(crate) fn may_stand(&self, side: Side) -> Bitboard {
        let left = self.promotion[side.index()].as_ref().map_or(Bitboard::EMPTY, |promotion| {
            if promotion.leaving.any() { Bitboard::EMPTY } else { promotion.forced }
        });
        let dropped = self.drop.as_ref().map_or(Bitboard::EMPTY, |drop| drop.zone[side.index()]);
        self.territory[side.index()] & (!left | dropped)
    }

    /// A motion as a side makes it, with its ranks counted northwards.
    pub(crate) fn seen_by(&self, motion: &Motion, side: Side) -> Motion {
        let seen = motion.seen_by(side);
        if self.rotated && side == Side::Black { Motion { dx: -seen.dx, ..seen } } else { seen }
    }

    /// The letter with its mark, as White's pieces are written.
    pub fn symbol(&self) -> String {
        self.mark.beside(self.letter)
    }
}

/// What stands beside the letter of a piece in position strings. Types with the same letter differ in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// `+` before it: what a piece of shogi is promoted to.
    Plus,
    /// `~` behind it: a piece that was promoted and turns back when it is captured.
    Tilde,
}

impl Mark {
    /// A letter with the mark.
    pub fn beside(self, letter: char) -> String {
        match self {
            Mark::None => letter.to_string(),
            Mark::Plus => format!("+{letter}"),
            Mark::Tilde => format!("{letter}~"),
        }
    }
}

/// The rules of pieces in hand that hold for all types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HandRule {
    /// Where captured pieces go.
    pub captures: Captures,
    /// Whether a side that can drop a piece must.
    pub compulsory: bool,
    /// Whether a king and a rook that are dropped on their squares of origin may castle.
    pub castling: bool,
    /// Whether a piece is dropped next to a piece of its own side only, diagonals included.
    pub beside_own: bool,
}

/// Where captured pieces go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Captures {
    /// Into the hand of the side that captures.
    Captor,
    /// Back into the hand of their owner.
    Owner,
    /// Out of the game.
    Nobody,
}

/// Where and how a type is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Drop {
    /// By side.
    pub(crate) zone: [Bitboard; 2],
    /// The most pieces of the type and side that a file may have after a drop.
    pub(crate) per_file: Option<u8>,
    /// Whether a drop may be checkmate.
    pub(crate) mate: bool,
    /// Whether the pieces of a side must be dropped on squares of both colours alike.
    pub(crate) balanced: bool,
}

/// What an end by repetition is worth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repeated {
    /// This result, for the side to move when the position is there again.
    ToMove(Outcome),
    /// A win for this side.
    WonBy(Side),
}

/// What must be done with a key square to win by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// Stand on it at the beginning of the side's own turn.
    Hold,
    /// Stand on it at the beginning of the side's own turn while no enemy could capture there.
    Secure,
    /// Step on it: the game ends at once.
    Reach,
    /// Step on it where no enemy could capture: the game ends at once. A piece that could be captured wins at the
    /// beginning of the side's own turn, if no enemy could capture it then.
    Try,
}

/// The key squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRule {
    /// The squares that are a goal for White and for Black.
    pub squares: [Bitboard; 2],
    /// What a side must do there to win.
    pub objective: Objective,
    /// Bit `n` is set where piece type `n` counts.
    pub eligible: u32,
}

/// What happens when a side has no piece left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bare {
    /// Nothing: the game goes on.
    Nothing,
    /// The survivor wins.
    Loses,
    /// The survivor wins if one of its eligible pieces could reach the key alone, else a draw (J1). Pieces of its own
    /// that can never move again stay in the way.
    Key,
    /// A draw.
    Draws,
}

/// A castling move in general form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Castle {
    /// The side that castles.
    pub side: Side,
    /// The letter of the right in position strings.
    pub right: char,
    /// Where the king comes from and goes to.
    pub king: [Square; 2],
    /// Where the rook comes from and goes to.
    pub rook: [Square; 2],
    /// The piece type of the king: the royal one, if there is one.
    pub king_kind: u8,
    /// The piece type of the rook.
    pub rook_kind: u8,
    /// Squares that must be empty: every square that one of the two passes or enters, save their own.
    pub empty: Bitboard,
    /// Squares on which the king, if royal, must not be attacked: where it stands, what it passes, where it goes.
    pub safe: Bitboard,
}

impl Castle {
    /// A castling move between these squares, all of one rank; the rest is as in `self`.
    pub(crate) fn between(self, king: [Square; 2], rook: [Square; 2]) -> Castle {
        let span = |[a, b]: [Square; 2]| -> Bitboard {
            (a.min(b).number()..=a.max(b).number()).map(Square::new).collect()
        };
        let own = king[0].bit() | rook[0].bit();
        Castle { king, rook, empty: (span(king) | span(rook)) & !own, safe: span(king), ..self }
    }

    /// Whether the rook stands beyond the king as the files are counted: on the king's side in chess.
    pub fn is_upward(&self) -> bool {
        self.rook[0] > self.king[0]
    }
}

/// Promotion of one type for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Promotion {
    /// Moves that end here promote.
    pub(crate) zone: Bitboard,
    /// Where a piece that stays what it is may not go.
    pub(crate) forced: Bitboard,
    /// Moves that begin here promote too.
    pub(crate) leaving: Bitboard,
    /// Whether captures alone promote.
    pub(crate) on_capture: bool,
    pub(crate) to: ArrayVec<u8, 32>,
    pub(crate) optional: bool,
}

impl Promotion {
    /// Whether a piece promotes in other ways than by any move that ends in the zone.
    pub(crate) fn is_special(&self) -> bool {
        self.leaving.any() || self.on_capture || self.optional && self.forced.any()
    }
}

/// How many pieces of each type each side has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    pub(crate) counts: [[u8; 32]; 2],
}
