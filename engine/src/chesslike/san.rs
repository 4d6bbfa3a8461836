//! Moves in standard algebraic notation (SAN), as the PGN standard has it and programs for variants write it: `Nf3`,
//! `exd5`, `e8=Q+`, `O-O`.
//!
//! The letter of a piece is that of position strings. It is left out for the pawn alone: the first type that moves as
//! a pawn of chess does, with or without its double step.

use super::{ChessLike, Move, MoveError, MoveTag, RuleSubset};
use crate::bitboard::Square;
use crate::position::list_moves;
use crate::variant::Mark;

/// What the text of a move in SAN says.
struct San {
    kind: u8,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    /// What is written behind the move, as [`ChessLike::promotion_text`] has it.
    promotion: Option<String>,
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The text of a legal move in standard algebraic notation.
    #[inline(never)]
    pub(super) fn san_of(&self, mv: Move) -> String {
        let geometry = self.rules.geometry;
        let mut text = String::new();
        if let MoveTag::Castle(number) = mv.tag() {
            text.push_str(self.castling_san(number));
        } else if mv.tag() == MoveTag::Drop {
            text = self.text_of(mv);
        } else {
            let captures = self.occupied().has(mv.to) || mv.tag() == MoveTag::EnPassant;
            let from = geometry.name(mv.from);
            let (file, rank) = from.split_at(1);
            if self.rules.pawn() == Some(mv.kind) {
                if captures {
                    text.push_str(file);
                }
            } else {
                text.push_str(&self.san_piece(mv.kind));
                let [by_file, by_rank] = self.told_apart(mv);
                text.push_str(if by_file { file } else { "" });
                text.push_str(if by_rank { rank } else { "" });
            }
            text.push_str(if captures { "x" } else { "" });
            text.push_str(&geometry.name(mv.to));
            if let MoveTag::Promotion(kind) = mv.tag() {
                text.push('=');
                text.push_str(&self.promotion_text(mv.kind, kind).to_ascii_uppercase());
            }
        }
        let mut next = *self;
        next.play_move(mv);
        if S::royal(self.rules) && next.in_check(next.side) {
            text.push(if next.count() == 0 { '#' } else { '+' });
        }
        text
    }

    /// How SAN names a type: a piece that turns back when it is captured has the letter of what it moves as.
    fn san_piece(&self, kind: u8) -> String {
        let piece = &self.rules.pieces[usize::from(kind)];
        if piece.mark == Mark::Tilde { piece.letter.to_string() } else { piece.symbol() }
    }

    fn castling_san(&self, number: u8) -> &'static str {
        let upward = self.rules.castles.get(usize::from(number)).is_some_and(|castle| castle.is_upward());
        if upward { "O-O" } else { "O-O-O" }
    }

    /// Whether the file and the rank of its origin are needed to tell a move from those of like pieces.
    fn told_apart(&self, mv: Move) -> [bool; 2] {
        let geometry = self.rules.geometry;
        let like = |other: &Move| {
            let same = other.kind == mv.kind || self.san_piece(other.kind) == self.san_piece(mv.kind);
            same && other.to == mv.to && other.from != mv.from
        };
        let castles = |other: &Move| matches!(other.tag(), MoveTag::Castle(_) | MoveTag::Drop);
        let others: Vec<Square> =
            list_moves(self).into_iter().filter(|m| like(m) && !castles(m)).map(|m| m.from).collect();
        let file_is_shared = others.iter().any(|from| geometry.file(*from) == geometry.file(mv.from));
        let rank_is_shared = others.iter().any(|from| geometry.rank(*from) == geometry.rank(mv.from));
        match (others.is_empty(), file_is_shared) {
            (true, _) => [false, false],
            (false, false) => [true, false],
            (false, true) => [rank_is_shared, true],
        }
    }

    /// Reads a move in SAN. Marks of check, annotations, a superfluous origin and a missing `x` or `=` do not matter.
    /// `None` if the text does not have that form.
    pub(super) fn read_san(&self, text: &str, legal: &[Move]) -> Option<Result<Move, MoveError>> {
        let bare = text.trim_end_matches(['#', '!', '?']);
        // `=+` is a promotion of shogi; another `+` gives check.
        let bare = match bare.find("=+") {
            Some(at) => &bare[..at + 2],
            None => bare.trim_end_matches(['+', '#', '!', '?']),
        };
        if bare.starts_with(['O', '0']) {
            return self.read_castling_san(bare, legal);
        }
        let san = self.parse_san(bare)?;
        let geometry = self.rules.geometry;
        let fits = |mv: &&Move| {
            (mv.kind == san.kind || self.san_piece(mv.kind) == self.san_piece(san.kind))
                && mv.to == san.to
                && !matches!(mv.tag(), MoveTag::Castle(_) | MoveTag::Drop)
                && san.file.is_none_or(|file| geometry.file(mv.from) == file)
                && san.rank.is_none_or(|rank| geometry.rank(mv.from) == rank)
        };
        let name = self.rules.piece_name(san.kind, self.side);
        let to = geometry.name(san.to);
        let there: Vec<Move> = legal.iter().filter(fits).copied().collect();
        let Some(first) = there.first() else {
            return Some(Err(if legal.is_empty() {
                MoveError::Over
            } else {
                MoveError::San(format!("no {name} can go to {to} so"))
            }));
        };
        let promotes = |mv: &Move| match mv.tag() {
            MoveTag::Promotion(kind) => Some(self.promotion_text(mv.kind, kind)),
            _ => None,
        };
        if there.iter().any(|mv| mv.from != first.from) {
            let texts: Vec<String> = there.iter().map(|mv| self.san_of(*mv)).collect();
            let problem = format!("more than one {name} can go to {to}: write one of {}", texts.join(" "));
            return Some(Err(MoveError::San(problem)));
        }
        let found = there.iter().find(|mv| promotes(mv) == san.promotion);
        Some(found.copied().ok_or_else(|| {
            let letter = san.promotion.as_deref().and_then(|text| text.chars().last());
            MoveError::Promotion(self.promotion_problem(name, letter.map(|c| c.to_ascii_uppercase()), &there))
        }))
    }

    fn read_castling_san(&self, text: &str, legal: &[Move]) -> Option<Result<Move, MoveError>> {
        let wing = match text.replace('0', "O").as_str() {
            "O-O" => "O-O",
            "O-O-O" => "O-O-O",
            _ => return None,
        };
        let castles = |mv: &&Move| match mv.tag() {
            MoveTag::Castle(number) => self.castling_san(number) == wing,
            _ => false,
        };
        let found = legal.iter().find(castles).copied();
        Some(found.ok_or_else(|| MoveError::San(format!("castling {wing} is not possible here"))))
    }

    fn parse_san(&self, text: &str) -> Option<San> {
        let rules = self.rules;
        let geometry = rules.geometry;
        let (kind, rest) = match text.chars().next()? {
            letter @ 'A'..='Z' => (rules.type_of(letter)?, &text[1..]),
            '+' => {
                let letter = text.chars().nth(1).filter(char::is_ascii_uppercase)?;
                (rules.type_marked(letter, Mark::Plus)?, &text[2..])
            }
            _ => (rules.pawn()?, text),
        };
        // The promotion: a letter behind the digits of the rank.
        let digits_end = rest.rfind(|c: char| c.is_ascii_digit())? + 1;
        let (squares, promotion) = rest.split_at(digits_end);
        let promotion = match promotion.strip_prefix('=').unwrap_or(promotion) {
            "" if promotion.is_empty() => None,
            sign @ ("+" | "-") => Some(sign.to_string()),
            letter if letter.len() == 1 => {
                let letter = letter.chars().next()?.to_ascii_uppercase();
                rules.pieces.iter().find(|piece| piece.letter == letter)?;
                Some(letter.to_ascii_lowercase().to_string())
            }
            _ => return None,
        };
        let target = squares.rfind(|c: char| c.is_ascii_lowercase())?;
        let (origin, target) = squares.split_at(target);
        let to = geometry.parse_square(target).ok()?;
        let origin = origin.trim_end_matches(['x', '-', ':']);
        let file_end = origin.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(origin.len());
        let (file, rank) = origin.split_at(file_end);
        let file = match file.as_bytes() {
            [] => None,
            [letter] => Some(letter - b'a').filter(|file| *file < geometry.width()).map(Some)?,
            _ => return None,
        };
        let rank = match rank {
            "" => None,
            digits => digits
                .parse::<u8>()
                .ok()
                .filter(|n| (1..=geometry.height()).contains(n))
                .map(|n| Some(n - 1))?,
        };
        Some(San { kind, file, rank, to, promotion })
    }
}

#[cfg(test)]
mod tests {
    use crate::ability::Notation;
    use crate::chesslike::AnyChessLike;
    use crate::games;

    fn position(game: &str, fen: &str) -> AnyChessLike<'static> {
        AnyChessLike::from_fen(games::find(game).unwrap().rules(), fen).unwrap()
    }

    /// The SAN of a move given by its squares, and what reading it back gives.
    fn san(position: &AnyChessLike<'_>, coordinates: &str) -> String {
        let mv = position.parse_move(coordinates).unwrap();
        let text = position.san(mv).unwrap();
        assert_eq!(position.parse_move(&text).unwrap(), mv, "{text}");
        text
    }

    #[test]
    fn moves_are_written_as_the_standard_has_them() {
        let middle =
            position("chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        for (coordinates, text) in [
            ("e1g1", "O-O"),
            ("e1c1", "O-O-O"),
            ("d5e6", "dxe6"),
            ("g2h3", "gxh3"),
            ("a2a4", "a4"),
            ("e5f7", "Nxf7"),
            ("c3b5", "Nb5"),
            ("f3f6", "Qxf6"),
        ] {
            assert_eq!(san(&middle, coordinates), text);
        }
        let queens = position("chess", "7k/8/8/8/Q3Q3/8/8/K3Q3 w - - 0 1");
        assert_eq!(san(&queens, "e4b4"), "Qe4b4");
        assert_eq!(san(&queens, "a4b4"), "Qab4");
        let two = position("chess", "6k1/8/8/8/Q6Q/8/8/K7 w - - 0 1");
        assert_eq!(san(&two, "h4d4"), "Qhd4");
        let corner = position("chess", "1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1");
        assert_eq!(san(&corner, "h4e1"), "Qh4e1");
        assert_eq!(san(&corner, "e4e1"), "Qee1");
        let pawns = position("chess", "3r3k/2P5/8/1pPp4/8/8/8/K7 w - b6 0 1");
        assert_eq!(san(&pawns, "c5b6"), "cxb6");
        assert_eq!(san(&pawns, "c7d8q"), "cxd8=Q+");
        assert_eq!(san(&pawns, "c7c8n"), "c8=N");
        let mate = position("chess", "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1");
        assert_eq!(san(&mate, "e1e8"), "Re8#");
        // A pinned Knight is no rival.
        let pinned = position("chess", "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
        assert_eq!(san(&pinned, "g1e2"), "Ne2");
    }

    #[test]
    fn variants_have_their_own_letters() {
        assert_eq!(san(&position("duel", "l2/3/2L w - - 0 1"), "c1b1"), "Lb1");
        // The Pikeman moves as a pawn, and Towering is castling.
        let towering = position("diamond-chess", "3k3/7/7/7/7/7/R2K2R w KQ - 0 1");
        assert_eq!(san(&towering, "d1f1"), "O-O");
        assert_eq!(san(&position("diamond-chess", "3k3/7/7/7/7/P6/3K3 w - - 0 1"), "a2a3"), "a3");
    }

    #[test]
    fn what_others_write_is_read() {
        let start = position("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let knight = start.parse_move("g1f3").unwrap();
        for text in ["Nf3", "Nf3!?", "Ngf3", "Ng1f3", "N1f3", "Ng1-f3", "Nf3+"] {
            assert_eq!(start.parse_move(text).unwrap(), knight, "{text}");
        }
        let castling = position("chess", "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(castling.parse_move("0-0-0").unwrap(), castling.parse_move("e1c1").unwrap());
        assert_eq!(castling.parse_move("e1h1").unwrap(), castling.parse_move("O-O").unwrap());
        for text in ["a8=Q+", "a8Q", "a8=q", "a8q"] {
            assert_eq!(castling.parse_move(text).unwrap(), castling.parse_move("a7a8q").unwrap(), "{text}");
        }
        let problem =
            |position: &AnyChessLike<'_>, text: &str| position.parse_move(text).unwrap_err().to_string();
        assert_eq!(problem(&start, "Nf5"), "no Knight can go to f5 so");
        assert_eq!(problem(&start, "O-O"), "castling O-O is not possible here");
        assert!(problem(&castling, "a8").starts_with("the Pawn must promote there: add one of "));
        let twins = position("chess", "4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1");
        assert_eq!(problem(&twins, "Nb3"), "more than one Knight can go to b3: write one of Nab3 Ncb3");
        for text in
            ["", "N", "Nx", "Nf", "Ni9", "é4", "Né4", "O-O-O-O", "N=Q", "abcd4", "x", "=", "Nf3=", "e4=QQ"]
        {
            assert!(start.parse_move(text).is_err(), "{text}");
        }
    }
}
