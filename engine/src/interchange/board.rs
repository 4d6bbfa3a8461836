//! The start position of a section: what stands where, and walls.

use crate::bitboard::{Bitboard, Square};
use crate::fen::push_run;
use crate::geometry::{Geometry, shorten};
use crate::value::Side;

/// A start position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Start {
    /// What stands where: the letter in lower case, and whether it is promoted.
    pub(super) pieces: Vec<(Square, char, Side, bool)>,
    pub(super) walls: Bitboard,
    pub(super) side: Side,
    /// Letters of castling rights, possibly none.
    pub(super) rights: String,
    /// Pieces in hand.
    pub(super) hands: String,
    /// What else cannot be expressed, in words.
    pub(super) strange: Option<String>,
}

/// Reads a start position. Fields behind the placement may be missing; clocks start anew.
///
/// # Errors
/// If the placement does not fit the board.
pub(super) fn read(text: &str, geometry: Geometry) -> Result<Start, String> {
    let mut fields = text.split_ascii_whitespace();
    let placement = fields.next().unwrap_or("");
    let (board, hands) = match placement.split_once('[') {
        Some((board, hands)) => (board, hands.trim_end_matches(']').replace('-', "")),
        None => (placement, String::new()),
    };
    let mut start = Start {
        pieces: Vec::new(),
        walls: Bitboard::EMPTY,
        side: Side::White,
        rights: String::new(),
        hands,
        strange: None,
    };
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != usize::from(geometry.height()) {
        return Err(format!("the board has {} ranks, this position {}", geometry.height(), ranks.len()));
    }
    for (from_top, rank) in ranks.iter().enumerate() {
        start.rank(rank, geometry.height() - 1 - from_top as u8, geometry)?;
    }
    let mut fields = fields.peekable();
    if let Some(side) = fields.next_if(|field| matches!(*field, "w" | "b")) {
        start.side = if side == "w" { Side::White } else { Side::Black };
    }
    let rights = |field: &&str| field.chars().all(|c| c.is_ascii_alphabetic()) || *field == "-";
    if let Some(rights) = fields.next_if(rights) {
        start.rights = rights.replace('-', "");
    }
    for field in fields {
        if field.contains('+') {
            start.strange = Some("checks are counted".into());
        } else if field != "-" && field.parse::<u32>().is_err() {
            start.strange = Some(format!("\"{}\" stands in it", shorten(field)));
        }
    }
    Ok(start)
}

impl Start {
    fn rank(&mut self, text: &str, rank: u8, geometry: Geometry) -> Result<(), String> {
        let (mut file, mut run, mut promoted) = (0usize, 0usize, false);
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = (run * 10 + digit as usize).min(1000);
                continue;
            }
            file += std::mem::take(&mut run);
            let square = geometry.at(file.min(100) as i32, i32::from(rank));
            match letter {
                '+' if !promoted => {
                    promoted = true;
                    continue;
                }
                '~' => {
                    self.strange = Some("pieces stand in it that turn back when they are captured".into());
                    continue;
                }
                '*' => self.walls |= square.map_or(Bitboard::EMPTY, Square::bit),
                _ if letter.is_ascii_alphabetic() => {
                    let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
                    let letter = letter.to_ascii_lowercase();
                    self.pieces.extend(square.map(|square| (square, letter, side, promoted)));
                }
                _ => return Err(format!("'{}' is not a piece", letter.escape_default())),
            }
            promoted = false;
            file += 1;
        }
        file += run;
        if file != usize::from(geometry.width()) {
            let (number, width) = (rank + 1, geometry.width());
            return Err(format!(
                "rank {number} must fill {width} squares, \"{}\" fills {file}",
                shorten(text)
            ));
        }
        Ok(())
    }

    /// Where a side has pieces of a letter, promoted or not.
    pub(super) fn of(&self, letter: char, side: Side, promoted: bool) -> Bitboard {
        let its = self.pieces.iter().filter(|(_, l, s, p)| (*l, *s, *p) == (letter, side, promoted));
        its.map(|(square, ..)| *square).collect()
    }

    /// How many pieces of a letter a side has in hand.
    pub(super) fn held(&self, letter: char, side: Side) -> u32 {
        let written = if side == Side::White { letter.to_ascii_uppercase() } else { letter };
        self.hands.chars().filter(|c| *c == written).count() as u32
    }

    /// The placement in the words of a variant file: walls are empty squares there.
    pub(super) fn placement(&self, geometry: Geometry) -> String {
        let mut text = String::new();
        for rank in (0..geometry.height()).rev() {
            let mut run = 0;
            for square in geometry.rank_set(rank) {
                let Some((_, letter, side, promoted)) = self.pieces.iter().find(|(at, ..)| *at == square)
                else {
                    run += 1;
                    continue;
                };
                push_run(&mut text, &mut run);
                text.push_str(if *promoted { "+" } else { "" });
                text.push(if *side == Side::White { letter.to_ascii_uppercase() } else { *letter });
            }
            push_run(&mut text, &mut run);
            text.push(if rank == 0 { ' ' } else { '/' });
        }
        text.trim_end().to_string()
    }
}

/// Reads a set of squares: names, `*2` for a rank, `c*` for a file, `-` for none. Squares off the board are left
/// out, as a region that is inherited by a smaller board means them.
///
/// # Errors
/// The word that names no squares.
pub(super) fn region(text: &str, geometry: Geometry) -> Result<Bitboard, String> {
    let mut set = Bitboard::EMPTY;
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty() && *w != "-") {
        let wrong = || format!("\"{}\" names no squares", shorten(word));
        let mut letters = word.chars();
        let file = letters.next().filter(|c| *c == '*' || c.is_ascii_lowercase()).ok_or_else(wrong)?;
        let rank = letters.as_str();
        let number = match rank {
            "*" => None,
            _ => Some(rank.parse::<u8>().ok().filter(|n| *n > 0).ok_or_else(wrong)?),
        };
        let fits = |square: &Square| {
            (file == '*' || geometry.file(*square) == file as u8 - b'a')
                && number.is_none_or(|n| geometry.rank(*square) == n - 1)
        };
        set |= geometry.squares().filter(fits).collect();
    }
    Ok(set)
}

/// Reads a file, as a letter or a number, counted from 0.
pub(super) fn file(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(letter - b'a'),
        _ => text.parse::<u8>().ok().and_then(|n| n.checked_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_position_may_be_short() {
        let g = Geometry::parse("3x2").unwrap();
        let start = read("k*1/2K[Pp] b", g).unwrap();
        assert_eq!((start.side, start.rights.as_str(), start.hands.as_str()), (Side::Black, "", "Pp"));
        assert_eq!(g.names(start.walls), "b2");
        assert_eq!(start.placement(g), "k2/2K");
        assert_eq!(read("3/3 w 0 1", g).unwrap().rights, "");
        assert_eq!(read("3/3 w Kq - 3+3 0 1", g).unwrap().rights, "Kq");
        assert!(read("3/3 w Kq - 3+3 0 1", g).unwrap().strange.is_some());
        assert_eq!(read("+k2/3", g).unwrap().placement(g), "+k2/3");
        for bad in ["3", "3/3/3", "4/3", "k/3", "3/k!1", ""] {
            assert!(read(bad, g).is_err(), "{bad}");
        }
    }

    #[test]
    fn regions_are_squares_ranks_and_files() {
        let g = Geometry::parse("4x5").unwrap();
        let names = |text: &str| region(text, g).map(|set| g.names(set));
        assert_eq!(names("a1 d5").unwrap(), "a1,d5");
        assert_eq!(names("*2").unwrap(), "a2,b2,c2,d2");
        assert_eq!(names("b* -").unwrap(), "b1,b2,b3,b4,b5");
        assert_eq!(names("*8 h1 *10").unwrap(), "");
        assert_eq!(region("-", g), Ok(Bitboard::EMPTY));
        for bad in ["a0", "A1", "1", "a", "*x", "a1b"] {
            assert!(names(bad).is_err(), "{bad}");
        }
        assert_eq!((file("c"), file("3"), file("0"), file("cc")), (Some(2), Some(2), None, None));
    }
}
