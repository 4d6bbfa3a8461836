//! The record of a game, in the form of PGN: tags, then the moves as coordinates.

use jewel_engine::value::Verdict;
use jewel_tournament::pgn::Pgn;
use serde::Serialize;

/// Why a game is over, in the words of PGN's tag `Termination`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Termination {
    /// By its rules, or given up.
    Normal,
    TimeForfeit,
    /// It is not over.
    Unterminated,
}

impl Termination {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::TimeForfeit => "time forfeit",
            Termination::Unterminated => "unterminated",
        }
    }
}

/// `1-0`, `0-1`, `1/2-1/2`, or `*` while there is none.
pub(crate) fn result_text(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::WhiteWins) => "1-0",
        Some(Verdict::BlackWins) => "0-1",
        Some(Verdict::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// What is known about a game that was played, or is being played. The object of `--json`.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(crate) struct Record {
    /// The id of the game.
    pub(crate) game: String,
    /// The last position.
    pub(crate) fen: String,
    /// The position in which it began.
    pub(crate) start: String,
    /// Who played.
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) result: &'static str,
    pub(crate) termination: &'static str,
    /// How it ended, in words.
    pub(crate) ending: String,
    pub(crate) moves: Vec<String>,
}

impl Record {
    /// As a file.
    pub(crate) fn text(&self) -> String {
        let tags = [
            ("Variant", self.game.as_str()),
            ("FEN", &self.start),
            ("White", &self.white),
            ("Black", &self.black),
            ("Result", self.result),
            ("Termination", self.termination),
        ];
        let (start, ending, result) = (&self.start, &self.ending, self.result);
        Pgn { tags: &tags, start, moves: &self.moves, comments: &[], ending, result }.text()
    }
}

/// What is needed of a recorded game to go on with it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Recorded {
    /// Tag `Variant`.
    pub(crate) game: Option<String>,
    /// Tag `FEN`.
    pub(crate) start: Option<String>,
    pub(crate) moves: Vec<String>,
}

/// Reads a record: tags, moves, and the comments, numbers and marks between them, which are passed over.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn parse(text: &str) -> Result<Recorded, String> {
    let mut recorded = Recorded::default();
    let mut rest = String::new();
    for (n, line) in text.lines().enumerate() {
        match line.trim().strip_prefix('[') {
            Some(tag) if rest.trim().is_empty() => {
                let (name, value) =
                    tag_of(tag).ok_or(format!("line {}: a tag is [Name \"value\"]", n + 1))?;
                match name {
                    "Variant" => recorded.game = Some(value),
                    "FEN" => recorded.start = Some(value),
                    _ => {}
                }
            }
            _ => rest.push_str(&format!("{}\n", line.split(';').next().unwrap_or_default())),
        }
    }
    recorded.moves = moves_of(&rest)?;
    Ok(recorded)
}

fn tag_of(tag: &str) -> Option<(&str, String)> {
    let (name, value) = tag.strip_suffix(']')?.split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

fn moves_of(text: &str) -> Result<Vec<String>, String> {
    let mut plain = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '{' => inside = true,
            '}' if inside => inside = false,
            '(' if !inside => return Err("a record with variations cannot be played on".to_string()),
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    if inside {
        return Err("a comment has no end".to_string());
    }
    let is_number = |word: &str| word.ends_with('.') || word.bytes().all(|b| b.is_ascii_digit());
    let is_result = |word: &str| ["1-0", "0-1", "1/2-1/2", "*"].contains(&word);
    // `1.e2e3` is a number and a move.
    let spaced = plain.replace('.', ". ");
    let words = spaced.split_whitespace();
    Ok(words
        .filter(|word| !is_number(word) && !is_result(word) && !word.starts_with('$'))
        .map(str::to_string)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn what_others_write_is_read() {
        let text = "[Event \"?\"]\n\n1.a1a2 {a (comment)} b1b2 $3 2. c1c2 ; the rest\n d1d2 1/2-1/2\n";
        assert_eq!(parse(text).unwrap().moves, ["a1a2", "b1b2", "c1c2", "d1d2"]);
        assert!(parse("[Variant duel]\n").unwrap_err().starts_with("line 1: "));
        assert!(parse("1. a1a2 (1. b1b2)").unwrap_err().contains("variations"));
        assert!(parse("1. a1a2 {x").unwrap_err().contains("comment"));
    }

    proptest! {
        #[test]
        fn no_text_does_harm(text in any::<String>(), words in "[\\[\\](){};.\"* a-c1-3\n]{0,60}") {
            let _ = parse(&text);
            let _ = parse(&words);
        }
    }
}
