//! The state of a game as a mailbox, and its position string.

use super::{Cell, Plain};
use crate::geometry::shorten;
use crate::value::Side;

/// The state of a game. Two are equal if their counters are, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// 0 for an empty square, else `1 + 2 * type + side`.
    pub(super) cells: [u8; 64],
    /// Who is to move.
    pub side: Side,
    /// Bit `n` for the castling right number `n`.
    pub(super) rights: u8,
    /// The square that a double step has just passed.
    pub(super) passed: Option<Cell>,
    /// Plies since the last progress.
    pub(super) clock: u16,
    pub(super) number: u16,
}

/// The type and the side of a piece in a cell.
pub(super) fn piece(cell: u8) -> Option<(u8, Side)> {
    let code = cell.checked_sub(1)?;
    Some((code / 2, if code.is_multiple_of(2) { Side::White } else { Side::Black }))
}

/// A piece as it is in a cell.
pub(super) fn code(kind: u8, side: Side) -> u8 {
    1 + 2 * kind + side.index() as u8
}

impl Board {
    /// The squares that are not empty, in order, with the type and the side of what is there.
    #[inline(always)]
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, u8, Side)> {
        // Most boards are rather empty, so eight squares are looked at at once.
        let eights = self.cells.as_chunks::<8>().0;
        let (mut n, mut rest) = (0, u64::from_le_bytes(eights[0]));
        std::iter::from_fn(move || {
            while rest == 0 {
                n += 1;
                rest = u64::from_le_bytes(*eights.get(n)?);
            }
            let byte = rest.trailing_zeros() / 8;
            rest &= !(0xff << (8 * byte));
            let cell = 8 * n + byte as usize;
            piece(self.cells[cell]).map(|(kind, side)| (cell, kind, side))
        })
    }
}

impl Plain {
    /// Reads a position string.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn read(&self, text: &str) -> Result<Board, String> {
        let rules = &self.rules;
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let (Some(placement), Some(side), Some(rights), Some(passed)) =
            (fields.first(), fields.get(1), fields.get(2), fields.get(3))
        else {
            return Err(format!("a position string has at least four fields, found \"{}\"", shorten(text)));
        };
        let counter = |field: Option<&&str>, least: u16| match field {
            None => Ok(least),
            Some(text) => text.parse().map_err(|_| format!("\"{}\" is no counter", shorten(text))),
        };
        let mut board = Board {
            cells: [0; 64],
            side: match *side {
                "w" => Side::White,
                "b" => Side::Black,
                other => return Err(format!("the side to move is w or b, found \"{}\"", shorten(other))),
            },
            rights: 0,
            passed: None,
            clock: counter(fields.get(4), 0)?,
            number: counter(fields.get(5), 1)?,
        };
        self.place_pieces(&mut board, placement)?;
        for letter in rights.chars().filter(|&letter| letter != '-') {
            let number = rules.castles.iter().position(|castle| castle.right == letter);
            let number =
                number.ok_or_else(|| format!("no castling right is called '{}'", letter.escape_default()))?;
            if !self.castles_at_home(&board, number) {
                return Err(
                    "the plain move generator castles only from where the rules have king and rook".into()
                );
            }
            board.rights |= 1 << number;
        }
        if *passed != "-" {
            let cell = (0..rules.area()).find(|&cell| self.name(cell) == *passed);
            let cell = cell.ok_or_else(|| format!("no square is called \"{}\"", shorten(passed)))?;
            board.passed = Some(cell as Cell);
            self.forget_passed(&mut board);
        }
        Ok(board)
    }

    fn place_pieces(&self, board: &mut Board, placement: &str) -> Result<(), String> {
        let (width, height) = (usize::from(self.rules.width), usize::from(self.rules.height));
        let rows: Vec<&str> = placement.split('/').collect();
        if rows.len() != height {
            return Err(format!("expected {height} ranks, found {}", rows.len()));
        }
        for (row, rank) in rows.iter().zip((0..height).rev()) {
            let (mut file, mut run) = (0, 0);
            for c in row.chars() {
                if let Some(digit) = c.to_digit(10) {
                    run = (run * 10 + digit as usize).min(1000);
                    continue;
                }
                file += std::mem::take(&mut run);
                let side = if c.is_ascii_uppercase() { Side::White } else { Side::Black };
                let kind = self.rules.pieces.iter().position(|piece| piece.letter == c.to_ascii_uppercase());
                let kind = kind.ok_or_else(|| format!("no piece has the letter '{}'", c.escape_default()))?;
                if file < width {
                    board.cells[rank * width + file] = code(kind as u8, side);
                }
                file += 1;
            }
            if file + run != width {
                return Err(format!(
                    "a rank must fill {width} squares, \"{}\" fills {}",
                    shorten(row),
                    file + run
                ));
            }
        }
        Ok(())
    }

    /// The position string.
    pub fn text(&self, board: &Board) -> String {
        let width = usize::from(self.rules.width);
        let mut out = String::new();
        for rank in (0..usize::from(self.rules.height)).rev() {
            let mut run = 0;
            for cell in &board.cells[rank * width..][..width] {
                let Some((kind, side)) = piece(*cell) else {
                    run += 1;
                    continue;
                };
                if run > 0 {
                    out += &std::mem::take(&mut run).to_string();
                }
                let letter = self.rules.pieces[usize::from(kind)].letter;
                out.push(if side == Side::White { letter } else { letter.to_ascii_lowercase() });
            }
            if run > 0 {
                out += &run.to_string();
            }
            out.push(if rank == 0 { ' ' } else { '/' });
        }
        let castles = self.rules.castles.iter().enumerate();
        let rights: String =
            castles.filter(|(n, _)| board.rights >> n & 1 != 0).map(|(_, castle)| castle.right).collect();
        let rights = if rights.is_empty() { "-".to_string() } else { rights };
        let passed = board.passed.map_or("-".to_string(), |cell| self.name(cell.into()));
        let side = board.side.letter();
        format!("{out}{side} {rights} {passed} {} {}", board.clock, board.number)
    }

    /// Whether king and rook of a right stand where it has them.
    pub(super) fn castles_at_home(&self, board: &Board, number: usize) -> bool {
        let castle = &self.rules.castles[number];
        board.cells[usize::from(castle.king[0])] == code(castle.king_kind, castle.side)
            && board.cells[usize::from(castle.rook[0])] == code(castle.rook_kind, castle.side)
    }
}
