//! Position strings in the manner of FEN: placement, side to move, castling rights, en passant square,
//! clock and move number. The last two may be left out.

use super::{AnyChessLike, ChessLike, Hands, NO_SQUARE, RuleSubset};
use crate::bitboard::Square;
use crate::fen::{FenError, counter, push_run, read_placement, split_fields, split_hands};
use crate::geometry::shorten;
use crate::unsupported;
use crate::value::Side;
use crate::variant::{Castle, Rules, VariantError};
use std::fmt::Write;

impl Rules {
    /// Reads a variant file and builds its tables.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str) -> Result<Rules, VariantError> {
        let (rules, start) = Rules::without_start(text)?;
        match AnyChessLike::from_fen(&rules, &rules.start) {
            Ok(_) => Ok(rules),
            Err(e) => Err(VariantError::at(text, &start, "board.start", e)),
        }
    }
}

impl<'r, S: RuleSubset, const N: usize> ChessLike<'r, S, N> {
    /// Reads a position string.
    ///
    /// # Errors
    /// The first thing that is wrong.
    #[inline(never)]
    pub fn from_fen(rules: &'r Rules, text: &str) -> Result<Self, FenError> {
        let (fields, count) = split_fields(text);
        if let Some(what) = unsupported::in_fields(text) {
            return Err(FenError::Unsupported(what));
        }
        if !(4..=6).contains(&count) {
            return Err(FenError::Fields(count));
        }
        let mut position = Self::empty(rules);
        let (board, hands) = split_hands(fields[0], rules.geometry);
        position.read_pieces(board)?;
        position.read_hands(hands)?;
        if position.occupied().is_empty() && !Side::BOTH.iter().any(|side| position.holds_any(*side)) {
            return Err(FenError::Empty);
        }
        position.side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(FenError::Side(shorten(other))),
        };
        position.check_royals()?;
        position.read_castling(fields[2])?;
        position.read_en_passant(fields[3])?;
        position.clock = counter(fields.get(4), "clock", 0)?;
        position.move_number = counter(fields.get(5), "move number", 1)?;
        position.key = position.zobrist();
        Ok(position)
    }

    fn read_pieces(&mut self, text: &str) -> Result<(), FenError> {
        let rules = self.rules;
        for (square, kind, side) in
            read_placement(text, rules.geometry, |letter, mark| rules.type_marked(letter, mark))?
        {
            if !rules.pieces[kind as usize].may_stand(side).has(square) {
                let name = rules.piece_name(kind, side).to_string();
                return Err(FenError::Place { name, square: rules.geometry.name(square) });
            }
            self.put(square, kind, side);
        }
        Ok(())
    }

    /// Reads what is in hand.
    fn read_hands(&mut self, text: Option<&str>) -> Result<(), FenError> {
        let rules = self.rules;
        let Some(text) = text.filter(|text| *text != "-") else { return Ok(()) };
        if !S::hands(rules) {
            return Err(FenError::NoHands(shorten(text)));
        }
        for letter in text.chars() {
            let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
            let held = rules.type_of(letter.to_ascii_uppercase()).filter(|_| letter.is_ascii_alphabetic());
            let Some(kind) = held.filter(|kind| rules.may_be_held(*kind)) else {
                let known = (0..rules.type_count() as u8).filter(|kind| rules.may_be_held(*kind));
                let known = known.map(|kind| rules.symbol(kind, Side::White)).collect();
                return Err(FenError::Held { found: shorten(&letter.to_string()), known });
            };
            self.hands.set(side, kind, self.hands.count(side, kind).saturating_add(1));
        }
        let kinds: Vec<u8> = self.hands().map(|(_, kind, _)| kind).collect();
        for kind in kinds {
            let (found, most) = (self.pieces_held_as(kind), rules.set_size(kind));
            if found > most {
                return Err(FenError::TooMany { letter: rules.symbol(kind, Side::White), found, most });
            }
        }
        Ok(())
    }

    /// How many pieces of both sides are of a type or would be in hand.
    fn pieces_held_as(&self, held: u8) -> u32 {
        let kinds = (0..self.rules.type_count() as u8).filter(|kind| self.rules.held_as(*kind) == held);
        let board: u32 = kinds.map(|kind| self.kind_set(kind).count()).sum();
        board + Side::BOTH.map(|side| u32::from(self.in_hand(side, held))).iter().sum::<u32>()
    }

    fn check_royals(&self) -> Result<(), FenError> {
        let Some(royal) = self.rules.royal else { return Ok(()) };
        for side in Side::BOTH {
            let found = self.pieces(side, royal).count() + u32::from(self.in_hand(side, royal));
            if found != 1 {
                let name = self.rules.piece_name(royal, side).to_string();
                return Err(FenError::Royal { side: self.rules.sides[side.index()].clone(), name, found });
            }
        }
        if self.in_check(!self.side) {
            return Err(FenError::OpponentInCheck(self.rules.sides[(!self.side).index()].clone()));
        }
        Ok(())
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let rules = self.rules;
        let mut castles = rules.castles.clone();
        for right in text.chars() {
            let number = if rules.chess960 {
                let (number, castle) = self.arranged_castle(right, text)?;
                if self.castling >> number & 1 != 0 && castles[number] != castle {
                    return Err(self.unknown_right(text));
                }
                castles[number] = castle;
                number
            } else {
                let known = rules.castles.iter().position(|castle| castle.right == right);
                let number = known.ok_or_else(|| self.unknown_right(text))?;
                self.check_castle(right, &rules.castles[number])?;
                number
            };
            self.castling |= 1 << number;
        }
        self.rules = rules.arranged(&castles);
        Ok(())
    }

    fn unknown_right(&self, text: &str) -> FenError {
        let mut known: String = self.rules.castles.iter().map(|castle| castle.right).collect();
        if self.rules.chess960 {
            known.push_str(", or the files of rooks");
        }
        FenError::Castling { known, found: shorten(text) }
    }

    /// Whether king and rook stand where the right has them.
    fn check_castle(&self, right: char, castle: &Castle) -> Result<(), FenError> {
        let rules = self.rules;
        for (kind, square) in [(castle.king_kind, castle.king[0]), (castle.rook_kind, castle.rook[0])] {
            if !self.pieces(castle.side, kind).has(square) {
                let piece = rules.piece_name(kind, castle.side).to_string();
                return Err(FenError::CastlingPiece { right, piece, square: rules.geometry.name(square) });
            }
        }
        Ok(())
    }

    /// The castling move of a right of Chess960, with its number. As in X-FEN, K and Q mean the outermost rook on that
    /// side of the king; as in Shredder-FEN, other letters name the file of the rook.
    fn arranged_castle(&self, right: char, text: &str) -> Result<(usize, Castle), FenError> {
        let rules = self.rules;
        let geometry = rules.geometry;
        let side = if right.is_ascii_uppercase() { Side::White } else { Side::Black };
        let of_side = || rules.castles.iter().enumerate().filter(|(_, castle)| castle.side == side);
        let Some((_, first)) = of_side().next() else { return Err(self.unknown_right(text)) };
        let king = self.pieces(side, first.king_kind).first();
        if geometry.rank(king) != geometry.rank(first.king[0]) {
            // The king is on another rank: the right is wrong whatever it names.
            return self.check_castle(right, first).map(|()| (0, *first));
        }
        let rank = geometry.rank(first.king[0]);
        let (number, rook) = match of_side().find(|(_, castle)| castle.right == right) {
            Some((number, castle)) => {
                let rooks = self.pieces(side, castle.rook_kind) & geometry.rank_set(rank);
                let mut beyond = rooks.into_iter().filter(|rook| (*rook > king) == castle.is_upward());
                let outermost = if castle.is_upward() { beyond.last() } else { beyond.next() };
                // Without any, what the right usually means is named as missing.
                (number, outermost.unwrap_or(castle.rook[0]))
            }
            None => {
                let file = u32::from(right.to_ascii_lowercase()).wrapping_sub(u32::from('a'));
                let rook = i32::try_from(file).ok().and_then(|file| geometry.at(file, rank.into()));
                let rook =
                    rook.filter(|_| right.is_ascii_alphabetic()).ok_or_else(|| self.unknown_right(text))?;
                let wing = of_side().find(|(_, castle)| castle.is_upward() == (rook > king));
                (wing.ok_or_else(|| self.unknown_right(text))?.0, rook)
            }
        };
        let usual = rules.castles[number];
        let castle = usual.between([king, usual.king[1]], [rook, usual.rook[1]]);
        self.check_castle(right, &castle)?;
        Ok((number, castle))
    }

    /// The letter of a right in position strings: that of its rule, unless in Chess960 another rook stands beyond its
    /// own, which is then named by its file.
    pub(super) fn castling_letter(&self, castle: &Castle) -> char {
        let rules = self.rules;
        let rook = castle.rook[0];
        let rank = rules.geometry.rank_set(rules.geometry.rank(rook));
        let mut rooks = (self.pieces(castle.side, castle.rook_kind) & rank).into_iter();
        if !rules.chess960 || !rooks.any(|other| if castle.is_upward() { other > rook } else { other < rook })
        {
            return castle.right;
        }
        let file = char::from(b'a' + rules.geometry.file(rook));
        if castle.side == Side::White { file.to_ascii_uppercase() } else { file }
    }

    /// The square must be one that an enemy double step can just have passed; it becomes part of the
    /// position only if there is a legal capture on it.
    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let rules = self.rules;
        let passed = rules.geometry.parse_square(text).map_err(FenError::EnPassant)?;
        let them = !self.side;
        let forward = rules.tables.forward[them.index()];
        let on_board = |delta: i8| {
            let number = passed.index() as i32 + i32::from(delta);
            (0..i32::from(rules.geometry.area())).contains(&number).then(|| Square::new(number as u8))
        };
        let stepped = on_board(-forward).zip(on_board(forward)).is_some_and(|(from, to)| {
            let empty = !self.occupied();
            empty.has(passed)
                && empty.has(from)
                && rules.tables.types.iter().enumerate().any(|(kind, t)| {
                    let double = |l: &crate::variant::tables::Lame| l.double && l.end == to;
                    t.lame[them.index()][from.index()].iter().any(double)
                        && self.pieces(them, kind as u8).has(to)
                })
        });
        if !stepped {
            return Err(FenError::EnPassantSquare(rules.geometry.name(passed)));
        }
        if self.en_passant_captors(passed).next().is_some() {
            self.en_passant = passed.index() as u8;
        }
        Ok(())
    }

    /// The letters of a side's hand.
    pub(super) fn hand_text(&self, side: Side) -> String {
        let own = self.hands().filter(|(owner, _, _)| *owner == side);
        own.map(|(_, kind, count)| self.rules.symbol(kind, side).repeat(usize::from(count))).collect()
    }

    /// Writes the position string.
    #[inline(never)]
    pub fn to_fen(&self) -> String {
        let rules = self.rules;
        let geometry = rules.geometry;
        let mut text = String::new();
        for rank in (0..geometry.height()).rev() {
            let mut run = 0;
            for square in geometry.rank_set(rank) {
                match self.piece_on(square) {
                    None => run += 1,
                    Some((kind, side)) => {
                        push_run(&mut text, &mut run);
                        text.push_str(&rules.symbol(kind, side));
                    }
                }
            }
            push_run(&mut text, &mut run);
            text.push_str(if rank == 0 { "" } else { "/" });
        }
        if S::hands(rules) {
            text.push('[');
            for side in Side::BOTH {
                text.push_str(&self.hand_text(side));
            }
            text.push(']');
        }
        text.push(' ');
        text.push(self.side.letter());
        text.push(' ');
        let rights: String = rules
            .castles
            .iter()
            .enumerate()
            .filter(|(n, _)| self.castling >> n & 1 != 0)
            .map(|(_, castle)| self.castling_letter(castle))
            .collect();
        text.push_str(if rights.is_empty() { "-" } else { &rights });
        let passed = if self.en_passant == NO_SQUARE {
            "-".to_string()
        } else {
            geometry.name(Square::new(self.en_passant))
        };
        // Writing to a string cannot fail.
        let _ = write!(text, " {passed} {} {}", self.clock, self.move_number);
        text
    }
}
