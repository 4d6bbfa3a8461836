//! The record of a game, in the form of PGN: tags, then the moves.

use jewel_engine::value::Verdict;
use jewel_tournament::pgn::{self, Pgn};
use jewel_tournament::pgn_reader;
use serde::Serialize;

/// Why a game is over, in the words of PGN's tag `Termination`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    /// By its rules, or given up.
    Normal,
    /// A side has overstepped its time.
    TimeForfeit,
    /// It is not over.
    Unterminated,
}

impl Termination {
    /// The word of PGN.
    pub fn name(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::TimeForfeit => "time forfeit",
            Termination::Unterminated => "unterminated",
        }
    }
}

/// `1-0`, `0-1`, `1/2-1/2`, or `*` while there is none.
pub fn result_text(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::WhiteWins) => "1-0",
        Some(Verdict::BlackWins) => "0-1",
        Some(Verdict::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// What is known about a game that was played, or is being played. The object of `--json`.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Record {
    /// The id of the game.
    pub game: String,
    /// The last position.
    pub fen: String,
    /// The position in which it began.
    pub start: String,
    /// Who played White.
    pub white: String,
    /// Who played Black.
    pub black: String,
    /// The result, as [`result_text`] gives it.
    pub result: &'static str,
    /// Why it is over: the name of a [`Termination`].
    pub termination: &'static str,
    /// How it ended, in words.
    pub ending: String,
    /// The moves, a turn each.
    pub moves: Vec<String>,
    /// The moves in standard algebraic notation, in games that have it.
    #[serde(skip)]
    pub san: Option<Vec<String>>,
}

impl Record {
    /// As a file.
    pub fn text(&self) -> String {
        let tags = [
            ("Variant", pgn::variant(&self.game, &self.start)),
            ("FEN", &self.start),
            ("White", &self.white),
            ("Black", &self.black),
            ("Result", self.result),
            ("Termination", self.termination),
        ];
        let (start, ending, result) = (&self.start, &self.ending, self.result);
        let moves = self.san.as_ref().unwrap_or(&self.moves);
        Pgn { tags: &tags, start, moves, comments: &[], ending, result }.text()
    }
}

/// What is needed of a recorded game to go on with it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Recorded {
    /// Tag `Variant`.
    pub game: Option<String>,
    /// Tag `FEN`.
    pub start: Option<String>,
    /// The moves, as they are written there.
    pub moves: Vec<String>,
}

/// Reads a record: the first game of a PGN file.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<Recorded, String> {
    let game = pgn_reader::read(text)?.into_iter().next().unwrap_or_default();
    Ok(Recorded { game: game.game(), start: game.tag("FEN").map(str::to_string), moves: game.moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(start: &str, moves: &[&str]) -> Record {
        Record {
            game: "duel".to_string(),
            fen: String::new(),
            start: start.to_string(),
            white: "human".to_string(),
            black: "ab \"x\"".to_string(),
            result: "1-0",
            termination: "normal",
            ending: "Red has won".to_string(),
            moves: moves.iter().map(|text| text.to_string()).collect(),
            san: None,
        }
    }

    #[test]
    fn a_record_is_written_and_read() {
        let one = record("l2/3/2L w - - 0 1", &["c1b1", "a3c3", "b1b2", "c3a3"]);
        let text = one.text();
        let expected = "[Variant \"duel\"]\n[FEN \"l2/3/2L w - - 0 1\"]\n[White \"human\"]\n[Black \"ab \\\"x\\\"\"]\n\
            [Result \"1-0\"]\n[Termination \"normal\"]\n\n1. c1b1 a3c3 2. b1b2 c3a3 {Red has won} 1-0\n";
        assert_eq!(text, expected);
        let read = parse(&text).unwrap();
        assert_eq!((read.game.as_deref(), read.start.as_deref()), (Some("duel"), Some("l2/3/2L w - - 0 1")));
        assert_eq!(read.moves, one.moves);
    }

    #[test]
    fn black_may_begin_and_lines_are_short() {
        let many = ["a1a2"; 100];
        let text = record("x b - - 0 7", &many).text();
        assert!(text.contains("\n7... a1a2 8. a1a2 a1a2 9. "), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80));
        assert_eq!(parse(&text).unwrap().moves, many);
    }
}
