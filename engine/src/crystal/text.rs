//! Position strings: tiers from the top down, `E` for the first player's electrons and `e` for the second's,
//! numbers for runs of empty atoms, then the side to move and the plies played, which may be left out.

use super::{Crystal, Lattice};
use crate::bitboard::{Bitboard, Square};
use crate::fen::{FenError, push_run};
use crate::geometry::shorten;
use crate::value::Side;
use thiserror::Error;

/// What is wrong with a position string of Crystal Draughts.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CrystalError {
    /// Too few or too many fields.
    #[error("a position has 2 or 3 fields (tiers, side, plies), found {0}")]
    Fields(usize),
    /// Too few or too many tiers.
    #[error("the crystal has {expected} tiers, found {found}")]
    Tiers {
        /// Tiers of the crystal.
        expected: u32,
        /// Tiers of the text.
        found: usize,
    },
    /// A tier of the wrong length.
    #[error("tier {tier} must fill {expected} atoms, \"{text}\" fills {found}")]
    Length {
        /// The tier's number.
        tier: u32,
        /// Atoms of a tier.
        expected: u32,
        /// The text of the tier.
        text: String,
        /// Atoms that the text fills.
        found: u32,
    },
    /// Something other than an electron or a number.
    #[error(
        "no electron is written '{letter}' (tier {tier}); write E for the first player's, e for the second's"
    )]
    Letter {
        /// The letter found.
        letter: char,
        /// The tier's number.
        tier: u32,
    },
    /// A player without electrons, or with more than the game has.
    #[error("{side} must have 1 to {most} electrons ({letter}), found {found}")]
    Electrons {
        /// The player.
        side: &'static str,
        /// The letter.
        letter: char,
        /// Electrons of a player at the start.
        most: u32,
        /// How many there are.
        found: u32,
    },
    /// A side to move that is neither `w` nor `b`.
    #[error(transparent)]
    Side(FenError),
    /// A number of plies that cannot be read.
    #[error("the plies played must be a number from 0 to {most}, found \"{0}\"", most = u32::MAX)]
    Plies(String),
}

/// What the players are called.
pub(super) const SIDES: [&str; 2] = ["First player", "Second player"];

impl Lattice {
    /// The name of an atom, such as `0Aa`.
    pub fn name(&self, atom: Square) -> String {
        let [tier, molecule, letter] = self.parts(atom);
        format!("{tier}{}{}", (b'A' + molecule as u8) as char, (b'a' + letter as u8) as char)
    }

    /// Reads an atom's name at the start of a text: the atom, `None` if the crystal has no such atom, and the
    /// rest of the text. `None` if the text does not start with a number and two letters.
    pub(super) fn split_atom<'a>(&self, text: &'a str) -> Option<(Option<Square>, &'a str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).take(3).count();
        let tier: u32 = text[..digits].parse().ok()?;
        // One atom, one name.
        let zeros = digits > 1 && text.starts_with('0');
        let mut letters = text[digits..].bytes();
        let molecule = letters.next().filter(u8::is_ascii_uppercase)? - b'A';
        let letter = letters.next().filter(u8::is_ascii_lowercase)? - b'a';
        let known = !zeros && tier < self.tiers && u32::from(molecule) < self.molecules && letter < 4;
        let atom = known.then(|| self.atom(tier, molecule.into(), letter.into()));
        Some((atom, &text[digits + 2..]))
    }
}

impl Crystal {
    pub(super) fn read(lattice: &'static Lattice, text: &str) -> Result<Crystal, CrystalError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if !(2..=3).contains(&fields.len()) {
            return Err(CrystalError::Fields(fields.len()));
        }
        let mut position =
            Crystal { lattice, by_side: [Bitboard::EMPTY; 2], key: 0, plies: 0, side: Side::White };
        let tiers: Vec<&str> = fields[0].split('/').collect();
        if tiers.len() != lattice.tiers as usize {
            return Err(CrystalError::Tiers { expected: lattice.tiers, found: tiers.len() });
        }
        for (tier, text) in (0..lattice.tiers).rev().zip(tiers) {
            position.read_tier(tier, text)?;
        }
        for (side, letter) in [(Side::White, 'E'), (Side::Black, 'e')] {
            let (most, found) = (lattice.tokens, position.pieces_of(side).count());
            if !(1..=most).contains(&found) {
                let side = SIDES[side.index()];
                return Err(CrystalError::Electrons { side, letter, most, found });
            }
        }
        position.side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(CrystalError::Side(FenError::Side(shorten(other)))),
        };
        if let Some(plies) = fields.get(2) {
            let number = plies.bytes().all(|b| b.is_ascii_digit()).then(|| plies.parse().ok()).flatten();
            position.plies = number.ok_or_else(|| CrystalError::Plies(shorten(plies)))?;
        }
        position.key = position.zobrist();
        Ok(position)
    }

    fn read_tier(&mut self, tier: u32, text: &str) -> Result<(), CrystalError> {
        let places = 4 * self.lattice.molecules;
        let (mut place, mut run) = (0, 0);
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = (run * 10 + digit).min(1000);
                continue;
            }
            place += std::mem::take(&mut run);
            let side = match letter {
                'E' => 0,
                'e' => 1,
                _ => {
                    let letter = letter.escape_default().next().unwrap_or(letter);
                    return Err(CrystalError::Letter { letter, tier });
                }
            };
            if place < places {
                self.by_side[side] |= Square::new((tier * places + place) as u8).bit();
            }
            place += 1;
        }
        let found = place + run;
        if found != places {
            return Err(CrystalError::Length { tier, expected: places, text: shorten(text), found });
        }
        Ok(())
    }

    /// The position string.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for tier in (0..self.lattice.tiers).rev() {
            let mut run = 0;
            for atom in self.lattice.tier(tier) {
                if !self.occupied().has(atom) {
                    run += 1;
                    continue;
                }
                push_run(&mut text, &mut run);
                text.push(if self.by_side[0].has(atom) { 'E' } else { 'e' });
            }
            push_run(&mut text, &mut run);
            text.push(if tier == 0 { ' ' } else { '/' });
        }
        text + &format!("{} {}", self.side.letter(), self.plies)
    }
}
