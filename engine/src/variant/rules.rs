//! The rules of a variant: their specification with what is derived from it, and questions about both.

use super::arrangement::Arrangements;
use super::error::VariantError;
use super::rider::Rider;
use super::spec::{Mark, RulesSpec};
use super::tables::{Class, Tables};
use super::{canonical, invariance, read};
use crate::bitboard::{Bitboard, Square};
use crate::symmetry::Symmetry;
use crate::value::Side;
use std::ops::{Deref, Range};

/// The rules of one variant, ready to be played by.
///
/// They dereference to their specification: `rules.royal` is what the variant file says about royal pieces, and
/// a rule that is added to [`RulesSpec`] is seen wherever there are rules.
///
/// Positions keep a `&'static` reference to them: [`Rules::leak`] hands the rules of a loaded file out for
/// the life of the program.
#[derive(Debug)]
pub struct Rules {
    /// What the variant file says. The fingerprint, the symmetries and the tables do not follow a later change.
    pub spec: RulesSpec,
    /// A 64-bit hash of everything that bears on play, and of no name.
    pub fingerprint: u64,
    pub(super) symmetries: Vec<(Symmetry, bool)>,
    pub(crate) tables: Tables,
    /// Whether castling is always written as the king's move to the square of its rook, as in Chess960.
    pub(crate) king_takes_rook: bool,
    pub(super) arrangements: Arrangements,
}

impl Deref for Rules {
    type Target = RulesSpec;

    #[inline(always)]
    fn deref(&self) -> &RulesSpec {
        &self.spec
    }
}

impl Rules {
    /// Reads a variant file and builds its tables: all of [`Rules::parse`] but a check of the start position, whose
    /// place in the file is returned.
    pub(crate) fn without_start(text: &str) -> Result<(Rules, Range<usize>), VariantError> {
        let (spec, start) = read::read(text)?;
        let mut rules = Rules {
            fingerprint: 0,
            symmetries: invariance::symmetries(&spec),
            tables: Tables::new(&spec)?,
            spec,
            king_takes_rook: false,
            arrangements: Arrangements::default(),
        };
        rules.fingerprint = canonical::fingerprint(&rules);
        Ok((rules, start))
    }

    /// The rules for the life of the program: a few kilobytes for each file that is loaded.
    pub fn leak(self) -> &'static Rules {
        Box::leak(Box::new(self))
    }

    /// The same rules without a draw by a number of moves. The fingerprint stays.
    #[must_use]
    pub fn without_move_rule(&self) -> Rules {
        Rules {
            spec: RulesSpec { move_rule: None, ..self.spec.clone() },
            fingerprint: self.fingerprint,
            symmetries: self.symmetries.clone(),
            tables: self.tables.clone(),
            king_takes_rook: self.king_takes_rook,
            arrangements: Arrangements::default(),
        }
    }

    /// The number of piece types.
    pub fn type_count(&self) -> usize {
        self.pieces.len()
    }

    /// The piece type of an upper-case letter without a mark.
    pub fn type_of(&self, letter: char) -> Option<u8> {
        self.type_marked(letter, Mark::None)
    }

    /// The piece type of an upper-case letter with a mark.
    pub fn type_marked(&self, letter: char, mark: Mark) -> Option<u8> {
        self.pieces.iter().position(|n| (n.letter, n.mark) == (letter, mark)).map(|n| n as u8)
    }

    /// The letter of a piece, in its side's case, without its mark.
    pub fn letter(&self, kind: u8, side: Side) -> char {
        let letter = self.pieces[kind as usize].letter;
        if side == Side::White { letter } else { letter.to_ascii_lowercase() }
    }

    /// The letter of a piece with its mark, as position strings have it.
    pub fn symbol(&self, kind: u8, side: Side) -> String {
        self.pieces[kind as usize].mark.beside(self.letter(kind, side))
    }

    /// What a captured piece of a type counts as: what it is in a hand, else itself.
    pub(crate) fn held_as(&self, kind: u8) -> u8 {
        self.pieces[kind as usize].in_hand.unwrap_or(kind)
    }

    /// Whether pieces of a type can be in a hand: royal ones only where they are placed in the course of the game.
    pub fn may_be_held(&self, kind: u8) -> bool {
        let placed = self.royal == Some(kind) && self.hand.is_some_and(|hand| hand.compulsory);
        self.hand.is_some() && (self.pieces[kind as usize].in_hand == Some(kind) || placed)
    }

    /// How many pieces of both sides are ever of a type or in hand as one: those of the start, and more where others
    /// turn into them for good.
    pub(crate) fn set_size(&self, held: u8) -> u32 {
        self.tables.hands.set_size[held as usize & 31]
    }

    /// The letters of all types with their marks, in order.
    pub fn symbols(&self) -> String {
        self.pieces.iter().map(super::spec::PieceSpec::symbol).collect()
    }

    /// What a side calls a piece type, such as `Longbowman`.
    pub fn piece_name(&self, kind: u8, side: Side) -> &str {
        &self.pieces[kind as usize].names[side.index()]
    }

    /// The board symmetries that leave the rules as they are; with `true`, together with an exchange of
    /// the sides.
    pub fn symmetries(&self) -> &[(Symmetry, bool)] {
        &self.symmetries
    }

    /// The squares strictly between two squares on a line of a rider.
    #[inline(always)]
    pub(crate) fn between(&self, rider: &Rider, a: Square, b: Square) -> Bitboard {
        self.tables.between[rider.spacing as usize].squares[a.index()][b.index()]
    }
}

/// What evaluation derives the worth of pieces from.
impl Rules {
    /// Squares on which a piece of a side could capture from a square, if `occupied` were the occupied
    /// squares.
    pub fn capture_targets(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(tables) = self.tables.types.get(kind as usize) else { return Bitboard::EMPTY };
        let slides = self.slides(&tables.capture_riders[side.index()], from, occupied);
        tables.capture[side.index()][from.index()] | slides | self.lame_attacks(kind, side, from, occupied)
    }

    /// Squares to which it could go without capturing.
    pub fn quiet_targets(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(tables) = self.tables.types.get(kind as usize) else { return Bitboard::EMPTY };
        let lame = tables.lame[side.index()][from.index()].iter();
        let lame = lame.filter(|l| l.quiet && (l.legs & occupied).is_empty()).map(|l| l.end).collect();
        let slides = self.slides(&tables.quiet_riders[side.index()], from, occupied);
        (tables.quiet[side.index()][from.index()] | slides | lame) & !occupied
    }

    /// The squares that block all its moves without capture if they are occupied, leaps aside that need empty squares on
    /// their way.
    pub(super) fn next_squares(&self, kind: u8, side: Side, from: Square) -> Bitboard {
        let Some(tables) = self.tables.types.get(kind as usize) else { return Bitboard::EMPTY };
        tables.quiet[side.index()][from.index()]
            | self.slides(&tables.quiet_riders[side.index()], from, self.geometry.all())
    }

    /// The squares from which a piece of a type would attack a square.
    pub(crate) fn checking_squares(
        &self,
        kind: u8,
        side: Side,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let Some(tables) = self.tables.types.get(kind as usize) else { return Bitboard::EMPTY };
        let slides = self.slides(&tables.riders_from[side.index()], square, occupied);
        let lame = tables.lame_from[side.index()][square.index()].iter();
        let lame = lame.filter(|l| l.capture && (l.legs & occupied).is_empty()).map(|l| l.end);
        tables.capture_from[side.index()][square.index()] | slides | lame.collect::<Bitboard>()
    }

    fn slides(&self, riders: &[u8], from: Square, occupied: Bitboard) -> Bitboard {
        riders.iter().fold(Bitboard::EMPTY, |set, &number| {
            set | self.tables.riders[number as usize].attacks(from, occupied)
        })
    }

    /// Where leaps capture that need empty squares on their way.
    pub(crate) fn lame_attacks(&self, kind: u8, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
        let lame = self.tables.types[kind as usize].lame[side.index()][from.index()].iter();
        lame.filter(|l| l.capture && (l.legs & occupied).is_empty()).map(|l| l.end).collect()
    }

    /// Whether a type is moved by shifts, all its pieces at once: the pawns of most games.
    pub fn is_stepper(&self, kind: u8) -> bool {
        self.tables.types.get(kind as usize).is_some_and(|tables| tables.class == Class::Stepper)
    }

    /// The squares from which a side's pieces of a type could ever get to win on the key, whatever stands
    /// in their way.
    pub fn key_reach(&self, kind: u8, side: Side) -> Bitboard {
        self.tables.types.get(kind as usize).map_or(Bitboard::EMPTY, |tables| tables.reach_ever[side.index()])
    }
}
