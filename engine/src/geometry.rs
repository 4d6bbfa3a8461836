//! Rectangular boards of up to 64 squares: coordinates, names of squares and of sets of squares.

use crate::bitboard::{Bitboard, Square};
use thiserror::Error;

/// A rectangular board. Files are lettered from `a` in the west, ranks numbered from 1 in the south.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Geometry {
    width: u8,
    height: u8,
}

/// What is wrong with the text of a square, a set of squares or a board size.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GeometryError {
    /// A size that is no `WIDTHxHEIGHT`.
    #[error("\"{0}\" is not a board size; write files x ranks, such as \"7x7\"")]
    Size(String),
    /// A size out of range.
    #[error(
        "a {0}x{1} board is not possible; a board has at least 2 squares and at most 64, and at most 26 files"
    )]
    Range(u64, u64),
    /// A text that is not a square name.
    #[error("\"{0}\" is not a square; write file letter and rank number, such as \"c3\"")]
    Square(String),
    /// A square that is not on the board.
    #[error("{0} is off a {1}x{2} board")]
    Off(String, u8, u8),
    /// A text that names no set of squares.
    #[error("\"{0}\" names no squares; write a square \"c3\", a block \"a1-c2\", \"rank 2\" or \"file b\"")]
    Set(String),
}

impl Geometry {
    /// A board of `width` files and `height` ranks.
    ///
    /// # Errors
    /// [`GeometryError::Range`] unless it has 2 to 64 squares and at most 26 files.
    pub fn new(width: u64, height: u64) -> Result<Geometry, GeometryError> {
        let fits = (1..=26).contains(&width) && (1..=64).contains(&height);
        if !fits || !(2..=64).contains(&(width * height)) {
            return Err(GeometryError::Range(width, height));
        }
        Ok(Geometry { width: width as u8, height: height as u8 })
    }

    /// Reads a size such as `7x9` (files x ranks).
    ///
    /// # Errors
    /// If the text is not a size, or the size is out of range.
    pub fn parse(text: &str) -> Result<Geometry, GeometryError> {
        let size = || GeometryError::Size(shorten(text));
        let (width, height) = text.split_once('x').ok_or_else(size)?;
        let number = |s: &str| s.trim().parse::<u32>().map_err(|_| size());
        Geometry::new(u64::from(number(width)?), u64::from(number(height)?))
    }

    /// The number of files.
    #[inline]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// The number of ranks.
    #[inline]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// The number of squares.
    #[inline]
    pub const fn area(self) -> u8 {
        self.width * self.height
    }

    /// All squares of the board.
    #[inline]
    pub const fn all(self) -> Bitboard {
        Bitboard(!0 >> (64 - self.area() as u32))
    }

    /// The squares, from `a1` along the ranks.
    pub fn squares(self) -> impl Iterator<Item = Square> + Clone {
        (0..self.area()).map(Square::new)
    }

    /// The file of a square, 0 for `a`.
    #[inline]
    pub const fn file(self, square: Square) -> u8 {
        square.index() as u8 % self.width
    }

    /// The rank of a square, 0 for rank 1.
    #[inline]
    pub const fn rank(self, square: Square) -> u8 {
        square.index() as u8 / self.width
    }

    /// The square on these coordinates, counted from 0, if there is one.
    pub fn at(self, file: i32, rank: i32) -> Option<Square> {
        let on = (0..i32::from(self.width)).contains(&file) && (0..i32::from(self.height)).contains(&rank);
        on.then(|| Square::new((rank * i32::from(self.width) + file) as u8))
    }

    /// The square `dx` files east and `dy` ranks north of another, if there is one.
    pub fn step(self, from: Square, dx: i32, dy: i32) -> Option<Square> {
        self.at(i32::from(self.file(from)) + dx, i32::from(self.rank(from)) + dy)
    }

    /// All squares of a rank, counted from 0.
    pub fn rank_set(self, rank: u8) -> Bitboard {
        self.squares().filter(|&s| self.rank(s) == rank).collect()
    }

    /// The squares of one colour of the chequered board: those of the colour of `a1`.
    pub fn dark(self) -> Bitboard {
        self.squares().filter(|&s| (self.file(s) + self.rank(s)).is_multiple_of(2)).collect()
    }

    /// The name of a square, such as `c3`.
    pub fn name(self, square: Square) -> String {
        format!("{}{}", (b'a' + self.file(square)) as char, self.rank(square) + 1)
    }

    /// The names of a set of squares, joined by commas.
    pub fn names(self, set: Bitboard) -> String {
        set.into_iter().map(|s| self.name(s)).collect::<Vec<_>>().join(",")
    }

    /// Reads the name of a square.
    ///
    /// # Errors
    /// If the text is not a square name, or names a square off this board.
    pub fn parse_square(self, text: &str) -> Result<Square, GeometryError> {
        match self.split_square(text) {
            Some((square, "")) => square,
            _ => Err(GeometryError::Square(shorten(text))),
        }
    }

    /// Reads the square at the start of a text: the square, or why its name is wrong, and the rest.
    /// `None` if the text does not start with a letter and a number.
    pub fn split_square(self, text: &str) -> Option<(Result<Square, GeometryError>, &str)> {
        let file = text.bytes().next().filter(u8::is_ascii_lowercase)?;
        let digits = text[1..].bytes().take_while(u8::is_ascii_digit).take(3).count();
        if digits == 0 || text[1..].starts_with('0') {
            return None;
        }
        let rank: i32 = text[1..1 + digits].parse().ok()?;
        let square = self
            .at(i32::from(file - b'a'), rank - 1)
            .ok_or_else(|| GeometryError::Off(text[..1 + digits].to_string(), self.width, self.height));
        Some((square, &text[1 + digits..]))
    }

    /// Reads a set of squares: a square `c3`, a block between two corners `a1-c2`, `rank 2`, `file b`.
    ///
    /// # Errors
    /// If the text is none of these or goes off the board.
    pub fn parse_set(self, text: &str) -> Result<Bitboard, GeometryError> {
        let wrong = || GeometryError::Set(shorten(text));
        let off = || GeometryError::Off(shorten(text), self.width, self.height);
        if let Some(rank) = text.strip_prefix("rank ") {
            let rank: u8 = rank.parse().map_err(|_| wrong())?;
            return if (1..=self.height).contains(&rank) { Ok(self.rank_set(rank - 1)) } else { Err(off()) };
        }
        if let Some(file) = text.strip_prefix("file ") {
            let &[letter @ b'a'..=b'z'] = file.as_bytes() else { return Err(wrong()) };
            let file = letter - b'a';
            let set: Bitboard = self.squares().filter(|&s| self.file(s) == file).collect();
            return if set.any() { Ok(set) } else { Err(off()) };
        }
        let Some((from, to)) = text.split_once('-') else {
            return self.parse_square(text).map(Square::bit);
        };
        let (from, to) = (self.parse_square(from)?, self.parse_square(to)?);
        let within = |v: u8, a: u8, b: u8| (a.min(b)..=a.max(b)).contains(&v);
        Ok(self
            .squares()
            .filter(|&s| {
                within(self.file(s), self.file(from), self.file(to))
                    && within(self.rank(s), self.rank(from), self.rank(to))
            })
            .collect())
    }
}

/// A piece of user text short enough for an error line.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_default).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_the_names_of_the_rules() {
        let g = Geometry::new(7, 9).unwrap();
        assert_eq!(g.name(Square::new(0)), "a1");
        assert_eq!(g.name(Square::new(62)), "g9");
        for square in g.squares() {
            assert_eq!(g.parse_square(&g.name(square)), Ok(square));
        }
        let e9 = Geometry::new(7, 7).unwrap().parse_square("e9").unwrap_err();
        assert_eq!(e9.to_string(), "e9 is off a 7x7 board");
        assert!(
            g.parse_square("").is_err() && g.parse_square("a1b").is_err() && g.parse_square("é1").is_err()
        );
        // One square, one name.
        assert!(g.parse_square("a01").is_err() && g.parse_square("a0").is_err());
    }

    #[test]
    fn sets_are_read_in_every_form() {
        let g = Geometry::parse("4x3").unwrap();
        assert_eq!(g.parse_set("rank 3").unwrap().count(), 4);
        assert_eq!(g.parse_set("file d").unwrap().count(), 3);
        assert_eq!(g.names(g.parse_set("c3-b2").unwrap()), "b2,c2,b3,c3");
        for bad in ["rank 4", "rank 0", "file e", "a1-e1", "b", "", "file ab"] {
            assert!(g.parse_set(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for bad in ["8x9", "0x4", "1x1", "27x1", "7", "x", "7x7x7", "-1x2", "99999999999x1"] {
            assert!(Geometry::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Geometry::parse("8x8").unwrap().all(), Bitboard::ALL);
    }
}
