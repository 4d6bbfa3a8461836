//! What is derived from a specification for move generation: attack tables, masks and lists. [`Tables::new`]
//! builds them.

use super::rider::Rider;
use super::spec::Promotion;
use crate::bitboard::{Bitboard, Square};
use crate::zobrist::MAX_TYPES;
use arrayvec::ArrayVec;
use std::sync::Arc;

/// All that [`RulesSpec`](super::RulesSpec) implies and move generation looks up. Nothing here repeats the
/// specification as it is.
///
/// What is large is shared by copies: Chess960 has rules that differ in nothing but castling.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) types: Arc<[TypeTables]>,
    pub(crate) classes: Classes,
    /// Origins of capturing leaps by side, target and type.
    pub(crate) leap_captors: [Arc<[ByType]>; 2],
    pub(crate) slide_captors: [Arc<[SlideCaptors]>; 2],
    /// Whether both sides have the same ones.
    pub(crate) slides_alike: bool,
    /// By side: where a quiet move of a type changes much: its promotion zone, and
    /// the side's key squares if the type is eligible.
    pub(crate) critical: [ByType; 2],
    /// By side, in a race to the key: from where a piece of an eligible type could step onto it, if nothing stood in its
    /// way.
    pub(crate) gates: [ByType; 2],
    /// Types of officers, which are neither royal nor moved by shifts: a side with few of them may be in zugzwang.
    pub(crate) officers: u32,
    /// Whether what stands on the board can decide the game, checks apart.
    pub(crate) decidable: bool,
    pub(crate) riders: Arc<[Rider]>,
    pub(crate) between: Arc<[Between]>,
    pub(crate) castling: CastlingTables,
    /// The most pieces that a class of insufficient material has, and bits for the types that occur in one.
    pub(crate) insufficient_max: u32,
    pub(crate) insufficient_kinds: u32,
    /// Bits for the types that capture *en passant*, and for those whose moves reset the clock: a word each, where the
    /// specification has a flag in each piece, far apart in memory.
    pub(crate) en_passant: u32,
    pub(crate) resets_clock: u32,
    pub(crate) hands: HandTables,
    /// One step forward, as a difference of square numbers, by side.
    pub(crate) forward: [i8; 2],
}

impl Tables {
    /// Whether the moves of a type reset the clock of the move rule.
    #[inline(always)]
    pub(crate) fn resets_clock(&self, kind: u8) -> bool {
        self.resets_clock >> (kind & 31) & 1 != 0
    }
}

/// What moves to and from hands look up; all empty in games without.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandTables {
    /// The types that are dropped, in the order of the moves.
    pub(crate) drops: Vec<DropTable>,
    /// By type: what it is in a hand; `None` where it leaves the game.
    pub(crate) in_hand: [Option<u8>; MAX_TYPES],
    /// By square: its file.
    pub(crate) file: Vec<Bitboard>,
    /// By square: those next to it; empty where it does not matter.
    pub(crate) next: Vec<Bitboard>,
    /// The dark squares: those of the colour of `a1`.
    pub(crate) dark: Bitboard,
    /// The types of which a side needs as many on dark squares as on light ones.
    pub(crate) balanced: u32,
    /// By type: the most pieces of both sides that are ever of the type, or in hand as one.
    pub(crate) set_size: [u32; MAX_TYPES],
    /// Whether a captured piece can come back, so that no capture rules out that a position is there again.
    pub(crate) returns: bool,
    /// Whether what is captured goes to the captor's hand.
    pub(crate) to_captor: bool,
}

/// A type that is dropped.
#[derive(Clone, Debug)]
pub(crate) struct DropTable {
    /// What it is on the board, and in the hand.
    pub(crate) kind: u8,
    pub(crate) held: u8,
    /// By side.
    pub(crate) zone: [Bitboard; 2],
    pub(crate) per_file: Option<u8>,
    pub(crate) mate: bool,
    pub(crate) balanced: bool,
}

/// What castling moves imply; a set of rights is a bit for each.
#[derive(Clone, Debug)]
pub(crate) struct CastlingTables {
    /// The rights that a move from or to a square ends.
    pub(crate) lost: [u8; 64],
    /// The rights of each side.
    pub(crate) of: [u8; 2],
    /// The keys of the rights.
    pub(crate) keys: [u64; 8],
}

impl CastlingTables {
    /// The key of a set of rights.
    #[inline]
    pub(crate) fn hash(&self, rights: u8) -> u64 {
        let keys = self.keys.iter().enumerate();
        keys.filter(|(n, _)| rights >> n & 1 != 0).fold(0, |hash, (_, key)| hash ^ key)
    }
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    pub(crate) leapers: Vec<LeaperTable>,
    pub(crate) riders: Vec<RiderTable>,
    pub(crate) steppers: Vec<StepperTable>,
    pub(crate) general: Vec<u8>,
    /// Those of the general types that capture by leaps that need empty squares on their way: few games have any.
    pub(crate) lame_captors: Vec<u8>,
}

/// [`Class::Leaper`]: targets by origin.
#[derive(Clone, Debug)]
pub(crate) struct LeaperTable {
    pub(crate) kind: u8,
    pub(crate) targets: [[Bitboard; 64]; 2],
}

/// [`Class::Rider`]: targets of leaps by origin, and riders.
#[derive(Clone, Debug)]
pub(crate) struct RiderTable {
    pub(crate) kind: u8,
    pub(crate) leaps: [[Bitboard; 64]; 2],
    pub(crate) riders: [RiderList; 2],
}

/// [`Class::Stepper`]: shifts.
#[derive(Clone, Debug)]
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

/// Numbers of riders in [`Tables::riders`].
pub(crate) type RiderList = ArrayVec<u8, 16>;

/// The compiled movement of one piece type; arrays of two are by side.
#[derive(Debug)]
pub(crate) struct TypeTables {
    pub(crate) class: Class,
    /// Targets of leaps to empty squares and to enemy pieces, by origin. Lame leaps are not in them.
    pub(crate) quiet: [[Bitboard; 64]; 2],
    pub(crate) capture: [[Bitboard; 64]; 2],
    /// Origins of capturing leaps, by target; [`Tables::leap_captors`] has the same by type.
    pub(crate) capture_from: [[Bitboard; 64]; 2],
    pub(crate) quiet_riders: [RiderList; 2],
    pub(crate) capture_riders: [RiderList; 2],
    /// Whether it slides to empty squares as it slides to enemy pieces.
    pub(crate) slides_as_it_captures: [bool; 2],
    /// Riders that lead from a target back to origins of captures.
    pub(crate) riders_from: [RiderList; 2],
    /// Leaps that need empty squares on their way, by origin and by target.
    pub(crate) lame: [Vec<Vec<Lame>>; 2],
    pub(crate) lame_from: [Vec<Vec<Lame>>; 2],
    /// Whether any of these captures.
    pub(crate) captures_lame: bool,
    /// From where it can reach its key on an empty board, and on one where every move could be a capture; see J1.
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

/// For riders whose steps have one greatest common divisor: the squares strictly between two squares on
/// one of their lines.
#[derive(Debug)]
pub(crate) struct Between {
    pub(crate) step: i32,
    pub(crate) squares: Box<[[Bitboard; 64]; 64]>,
}
