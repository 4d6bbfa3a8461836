//! Compiled rules: everything that move generation looks up, and the words that people read.

use super::rider::Rider;
use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::symmetry::Symmetry;
use crate::value::{Outcome, Side};
use crate::zobrist::MAX_TYPES;
use arrayvec::ArrayVec;

/// The compiled rules of one variant.
///
/// Positions keep a `&'static` reference to them: [`Rules::leak`] hands the rules of a loaded file out for
/// the life of the program.
#[derive(Debug)]
pub struct Rules {
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
    /// Letters and names, by piece type.
    pub names: Vec<PieceNames>,
    /// The royal piece type.
    pub royal: Option<u8>,
    /// The key square and what it is good for.
    pub key: Option<KeyRule>,
    /// Castling moves of both sides; the index is the number of the right.
    pub castles: Vec<Castle>,
    /// The result for a royal side that is attacked and has no move.
    pub checkmate: Outcome,
    /// The result for a side that has no move and is not attacked (see rule J2 for key games).
    pub stalemate: Outcome,
    /// What happens when a side has no piece left.
    pub bare: Bare,
    /// Piece types whose joint extinction ends the game, and the result for their owner.
    pub extinction: Option<(Vec<u8>, Outcome)>,
    /// How often a position must occur to be a draw; 0 for never.
    pub repetition: u32,
    /// Plies without a capture or a clock-resetting move that make a draw.
    pub move_rule: Option<u16>,
    /// Whether a side that can capture must capture.
    pub must_capture: bool,
    /// A 64-bit hash of everything that bears on play, and of no name.
    pub fingerprint: u64,
    pub(crate) types: Vec<TypeRules>,
    pub(crate) classes: Classes,
    /// Origins of capturing leaps by side, target and type.
    pub(crate) leap_captors: [Vec<ByType>; 2],
    pub(crate) slide_captors: [Vec<SlideCaptors>; 2],
    /// Whether both sides have the same ones.
    pub(crate) slides_alike: bool,
    /// By side: where a move of a type changes much though it captures nothing: its promotion zone, and
    /// the side's key squares if the type is eligible.
    pub(crate) critical: [ByType; 2],
    /// Types whose pieces a side can hardly do without moving: neither royal nor moved by shifts.
    pub(crate) officers: u32,
    /// Whether what stands on the board can decide the game, checks apart.
    pub(crate) decidable: bool,
    pub(crate) riders: Vec<Rider>,
    pub(crate) between: Vec<Between>,
    pub(crate) castles_lost: [u8; 64],
    /// The castling rights of each side.
    pub(crate) castles_of: [u8; 2],
    pub(crate) insufficient: Vec<Material>,
    /// The most pieces that a listed class has, and bits for the types that occur in one.
    pub(crate) insufficient_max: u32,
    pub(crate) insufficient_kinds: u32,
    pub(crate) same_colour: u32,
    pub(crate) en_passant: bool,
    pub(crate) forward: [i8; 2],
    pub(crate) symmetries: Vec<(Symmetry, bool)>,
}

/// The words for a piece type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceNames {
    /// The upper-case letter in position strings.
    pub letter: char,
    /// Full names for White and Black.
    pub names: [String; 2],
    /// Official abbreviations for White and Black; empty where there are none.
    pub abbreviations: [String; 2],
    /// A hint of its worth in centipawns.
    pub value: Option<i32>,
    /// The Betza word.
    pub moves: String,
}

/// What must be done with a key square to win by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// Stand on it at the beginning of one's own turn.
    Hold,
    /// Stand on it at the beginning of one's own turn while no enemy could capture there.
    Secure,
    /// Step on it: the game ends at once.
    Reach,
}

/// The key squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRule {
    /// The squares that are a goal for White and for Black.
    pub squares: [Bitboard; 2],
    /// What to do there.
    pub objective: Objective,
    /// Bit `n` is set where piece type `n` counts.
    pub eligible: u32,
}

/// What happens when a side has no piece left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bare {
    /// Nothing by itself.
    Nothing,
    /// The survivor wins.
    Loses,
    /// The survivor wins if one of its eligible pieces could reach the key alone, else a draw (J1).
    Key,
    /// A draw.
    Draws,
}

/// A castling move in general form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Castle {
    /// Whose.
    pub side: Side,
    /// Its letter in position strings.
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
    /// Squares on which the king, if royal, must not be attacked: his own, those that he passes, his goal.
    pub safe: Bitboard,
}

/// How the moves of a piece type are generated, from the cheapest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Leaps that capture as they move, and no promotion: one lookup a piece.
    Leaper,
    /// The same with lines on which it slides.
    Rider,
    /// Few leaps with different modes, such as pawns: all pieces of the type at once by shifts.
    Stepper,
    /// Anything.
    General,
}

/// Tables of the piece types by class, laid out for move generation: each class has a loop of its own that
/// touches nothing but what it needs. Arrays of two are by side.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    pub(crate) leapers: Vec<LeaperTable>,
    pub(crate) riders: Vec<RiderTable>,
    pub(crate) steppers: Vec<StepperTable>,
    pub(crate) general: Vec<u8>,
}

/// [`Class::Leaper`]: targets by origin.
#[derive(Debug)]
pub(crate) struct LeaperTable {
    pub(crate) kind: u8,
    pub(crate) targets: [[Bitboard; 64]; 2],
}

/// [`Class::Rider`]: targets of leaps by origin, and riders.
#[derive(Debug)]
pub(crate) struct RiderTable {
    pub(crate) kind: u8,
    pub(crate) leaps: [[Bitboard; 64]; 2],
    pub(crate) riders: [RiderList; 2],
}

/// [`Class::Stepper`]: shifts.
#[derive(Debug)]
pub(crate) struct StepperTable {
    pub(crate) kind: u8,
    pub(crate) steps: [Vec<Step>; 2],
    pub(crate) promotion: [Option<Promotion>; 2],
}

/// One word for each piece type, to be combined with the bitboards of the types all at once.
pub(crate) type ByType = [Bitboard; MAX_TYPES];

/// All types of a side that capture along the lines of one rider.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct SlideCaptors {
    /// Leads from a target back to the origins.
    pub(crate) rider: u8,
    /// All ones for the types, zero for the others.
    pub(crate) kinds: ByType,
}

/// Numbers of riders in `Rules::riders`.
pub(crate) type RiderList = ArrayVec<u8, 16>;

/// The compiled movement of one piece type; arrays of two are by side.
#[derive(Debug)]
pub(crate) struct TypeRules {
    pub(crate) class: Class,
    /// Targets of leaps to empty squares and to enemy pieces, by origin. Lame leaps are not in them.
    pub(crate) quiet: [[Bitboard; 64]; 2],
    pub(crate) capture: [[Bitboard; 64]; 2],
    /// Origins of capturing leaps, by target; `Rules::leap_captors` has the same by type.
    pub(crate) capture_from: [[Bitboard; 64]; 2],
    pub(crate) quiet_riders: [RiderList; 2],
    pub(crate) capture_riders: [RiderList; 2],
    /// Riders that lead from a target back to origins of captures.
    pub(crate) riders_from: [RiderList; 2],
    /// Leaps that need empty squares on their way, by origin and by target.
    pub(crate) lame: [Vec<Vec<Lame>>; 2],
    pub(crate) lame_from: [Vec<Vec<Lame>>; 2],
    pub(crate) promotion: [Option<Promotion>; 2],
    pub(crate) en_passant: bool,
    pub(crate) resets_clock: bool,
    /// Where the piece may stand.
    pub(crate) territory: [Bitboard; 2],
    /// From where it can reach its key on an empty board, and on one full of prey; see J1.
    pub(crate) reach_alone: [Bitboard; 2],
    pub(crate) reach_ever: [Bitboard; 2],
}

/// A leap with its conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lame {
    /// The other end: the target, or the origin in a table by target.
    pub(crate) end: Square,
    pub(crate) legs: Bitboard,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    /// A double step straight forward that can be answered *en passant*.
    pub(crate) double: bool,
}

/// A leap of all pieces of a type at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) delta: i8,
    /// Origins from which it stays on the board and in the territory.
    pub(crate) from: Bitboard,
    /// The one square that must be empty, as a difference from the origin; 0 where it jumps.
    pub(crate) leg: i8,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    pub(crate) double: bool,
}

/// Promotion of one type for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Promotion {
    pub(crate) zone: Bitboard,
    pub(crate) to: ArrayVec<u8, 32>,
    pub(crate) optional: bool,
}

/// For riders whose steps have one greatest common divisor: the squares strictly between two squares on
/// one of their lines.
#[derive(Debug)]
pub(crate) struct Between {
    pub(crate) step: i32,
    pub(crate) squares: Box<[[Bitboard; 64]; 64]>,
}

/// How many pieces of each type each side has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    pub(crate) counts: [[u8; 32]; 2],
}

impl Rules {
    /// The rules for the life of the program: a few kilobytes for each file that is loaded.
    pub fn leak(self) -> &'static Rules {
        Box::leak(Box::new(self))
    }

    /// The number of piece types.
    pub fn type_count(&self) -> usize {
        self.types.len()
    }

    /// The piece type of an upper-case letter.
    pub fn type_of(&self, letter: char) -> Option<u8> {
        self.names.iter().position(|n| n.letter == letter).map(|n| n as u8)
    }

    /// The letter of a piece, in its side's case.
    pub fn letter(&self, kind: u8, side: Side) -> char {
        let letter = self.names[kind as usize].letter;
        if side == Side::White { letter } else { letter.to_ascii_lowercase() }
    }

    /// What a side calls a piece type, such as `Longbowman`.
    pub fn piece_name(&self, kind: u8, side: Side) -> &str {
        &self.names[kind as usize].names[side.index()]
    }

    /// The board symmetries that leave the rules as they are; with `true`, together with an exchange of
    /// the sides.
    pub fn symmetries(&self) -> &[(Symmetry, bool)] {
        &self.symmetries
    }

    /// The squares strictly between two squares on a line of a rider.
    #[inline(always)]
    pub(crate) fn between(&self, rider: &Rider, a: Square, b: Square) -> Bitboard {
        self.between[rider.spacing as usize].squares[a.index()][b.index()]
    }
}

/// What evaluation derives the worth of pieces from.
impl Rules {
    /// Squares on which a piece of a side could capture from a square, if `occupied` were the occupied
    /// squares.
    pub fn capture_targets(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(rules) = self.types.get(kind as usize) else { return Bitboard::EMPTY };
        let slides = self.slides(&rules.capture_riders[side.index()], from, occupied);
        rules.capture[side.index()][from.index()] | slides | self.lame_attacks(kind, side, from, occupied)
    }

    /// Squares to which it could go without capturing.
    pub fn quiet_targets(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(rules) = self.types.get(kind as usize) else { return Bitboard::EMPTY };
        let lame = rules.lame[side.index()][from.index()].iter();
        let lame = lame.filter(|l| l.quiet && (l.legs & occupied).is_empty()).map(|l| l.end).collect();
        let slides = self.slides(&rules.quiet_riders[side.index()], from, occupied);
        (rules.quiet[side.index()][from.index()] | slides | lame) & !occupied
    }

    fn slides(&self, riders: &[u8], from: Square, occupied: Bitboard) -> Bitboard {
        riders
            .iter()
            .fold(Bitboard::EMPTY, |set, &number| set | self.riders[number as usize].attacks(from, occupied))
    }

    /// Where leaps capture that need empty squares on their way.
    pub(crate) fn lame_attacks(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let lame = self.types[kind as usize].lame[side.index()][from.index()].iter();
        lame.filter(|l| l.capture && (l.legs & occupied).is_empty()).map(|l| l.end).collect()
    }

    /// Whether a type is moved by shifts, all its pieces at once: the pawns of most games.
    pub fn is_stepper(&self, kind: u8) -> bool {
        self.types.get(kind as usize).is_some_and(|rules| rules.class == Class::Stepper)
    }

    /// The squares from which a side's pieces of a type could ever get to win on the key, whatever stands
    /// in their way.
    pub fn key_reach(&self, kind: u8, side: Side) -> Bitboard {
        self.types.get(kind as usize).map_or(Bitboard::EMPTY, |rules| rules.reach_ever[side.index()])
    }
}
