//! The nine kinds of pieces.

use crate::value::Side;

/// A kind of piece. The eight of which a player has one each come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// `T`: its capture ends the game.
    Town = 0,
    /// `G`: survives the first weapon attack on it.
    Gormoror = 1,
    /// `K`: up to three hits in one attack.
    Khtsoyis = 2,
    /// `H`: immune to weapons.
    Herethroy = 3,
    /// `O`: drifts along the river.
    Orren = 4,
    /// `R`: weapon and magic; survives the first magic attack on it.
    Rassimel = 5,
    /// `S`: pounces.
    Sleeth = 6,
    /// `Z`: shares squares; immune to magic.
    ZiRi = 7,
    /// `C`: the three of a player move in packs.
    Cani = 8,
}

impl Kind {
    /// How many kinds there are.
    pub const COUNT: usize = 9;
    /// How many kinds there are of which a player has just one: those numbered below this.
    pub const SINGLES: usize = 8;
    /// How many cani a player has.
    pub const CANI: u32 = 3;
    /// All kinds, by number.
    pub const ALL: [Kind; Kind::COUNT] = [
        Kind::Town,
        Kind::Gormoror,
        Kind::Khtsoyis,
        Kind::Herethroy,
        Kind::Orren,
        Kind::Rassimel,
        Kind::Sleeth,
        Kind::ZiRi,
        Kind::Cani,
    ];
    const LETTERS: [char; Kind::COUNT] = ['T', 'G', 'K', 'H', 'O', 'R', 'S', 'Z', 'C'];
    const NAMES: [&'static str; Kind::COUNT] =
        ["town", "gormoror", "khtsoyis", "herethroy", "orren", "rassimel", "sleeth", "zi ri", "cani"];

    /// The letter, upper case.
    pub const fn letter(self) -> char {
        Kind::LETTERS[self as usize]
    }

    /// The letter in the case of its side.
    pub const fn letter_of(self, side: Side) -> char {
        match side {
            Side::White => self.letter(),
            Side::Black => self.letter().to_ascii_lowercase(),
        }
    }

    /// The kind of an upper-case letter.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// The name, in lower case as in the source.
    pub const fn name(self) -> &'static str {
        Kind::NAMES[self as usize]
    }

    /// The kind of a number below [`COUNT`](Kind::COUNT); cani for any other. A table: of a match the compiler
    /// makes a jump, which costs random play a tenth.
    #[inline(always)]
    pub(super) const fn from_number(number: u32) -> Kind {
        Kind::ALL[if number < Kind::Cani as u32 { number as usize } else { Kind::Cani as usize }]
    }
}
