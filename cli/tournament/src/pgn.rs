//! Games as PGN: tags, then moves as coordinates with comments.

use crate::record::GameRecord;
use jewel_engine::value::Side;

/// The longest line of moves, in characters.
const WIDTH: usize = 80;

/// A game as text.
#[derive(Clone, Copy, Debug)]
pub struct Pgn<'a> {
    /// Names and values of the tags, in order.
    pub tags: &'a [(&'a str, &'a str)],
    /// The position in which the game began.
    pub start: &'a str,
    /// The moves.
    pub moves: &'a [String],
    /// A comment for each move, as far as there are any; empty ones are left out.
    pub comments: &'a [String],
    /// The ending in words.
    pub ending: &'a str,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*`.
    pub result: &'a str,
}

impl Pgn<'_> {
    /// The text of a file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.tags {
            let value = value.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("[{name} \"{value}\"]\n"));
        }
        text.push('\n');
        text.push_str(&wrapped(&self.words()));
        text.push('\n');
        text
    }

    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut fields = self.start.split_whitespace();
        let mut side = if fields.nth(1) == Some("b") { Side::Black } else { Side::White };
        let mut number: u64 = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
        let mut interrupted = true;
        for (n, mv) in self.moves.iter().enumerate() {
            match side {
                Side::White => words.push(format!("{number}.")),
                Side::Black if interrupted => words.push(format!("{number}...")),
                Side::Black => {}
            }
            words.push(mv.clone());
            let comment = self.comments.get(n).filter(|comment| !comment.is_empty());
            words.extend(comment.map(|comment| commented(comment)));
            interrupted = comment.is_some();
            number = number.saturating_add(u64::from(side == Side::Black));
            side = !side;
        }
        if !self.ending.is_empty() {
            words.push(commented(self.ending));
        }
        words.push(self.result.to_string());
        words
    }
}

fn commented(text: &str) -> String {
    format!("{{{}}}", text.replace(|c: char| c == '{' || c == '}' || c.is_control(), ""))
}

/// Breaks words into lines; a comment is one word.
fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        if width > 0 {
            let fits = width + 1 + length <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        text.push_str(word);
        width += length;
    }
    text
}

/// The record of a game of a tournament, with an empty line at its end.
pub fn from_record(record: &GameRecord, event: &str, controls: [&str; 2]) -> String {
    let (round, plies) = (record.round.to_string(), record.moves.len().to_string());
    let mut tags = vec![
        ("Event", event),
        ("Site", "?"),
        // No date, so that the same tournament gives the same file.
        ("Date", "????.??.??"),
        ("Round", &round),
        ("White", &record.white),
        ("Black", &record.black),
        ("Result", &record.result),
        ("Variant", &record.game),
        ("SetUp", "1"),
        ("FEN", &record.start),
        ("PlyCount", &plies),
        ("Termination", &record.termination),
    ];
    let [white, black] = controls;
    if white == black {
        tags.push(("TimeControl", white));
    } else {
        tags.extend([("WhiteTimeControl", white), ("BlackTimeControl", black)]);
    }
    let turns = record.turn_texts();
    let comments: Vec<String> = turns.iter().map(|(ply, _)| comment(record, *ply)).collect();
    let moves: Vec<String> = turns.into_iter().map(|(_, text)| text).collect();
    let pgn = Pgn {
        tags: &tags,
        start: &record.start,
        moves: &moves,
        comments: &comments,
        ending: &record.ending,
        result: &record.result,
    };
    pgn.text() + "\n"
}

/// The comment on a move: `book`, or score, depth, nodes and time as in `+0.35/7 1000n 0.012s`.
fn comment(record: &GameRecord, ply: usize) -> String {
    let Some(n) = ply.checked_sub(record.book) else { return "book".to_string() };
    let mut words = Vec::new();
    let score = record.scores.get(n).and_then(Option::as_deref);
    let depth = record.depths.get(n).copied().flatten();
    match (score, depth) {
        (Some(score), Some(depth)) => words.push(format!("{score}/{depth}")),
        (Some(score), None) => words.push(score.to_string()),
        _ => {}
    }
    words.extend(record.nodes.get(n).copied().flatten().map(|nodes| format!("{nodes}n")));
    words.extend(record.seconds.get(n).map(|seconds| format!("{seconds:.3}s")));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Reason;

    fn record() -> GameRecord {
        GameRecord {
            tournament: "0".to_string(),
            number: 1,
            round: 1,
            game: "duel".to_string(),
            fen: String::new(),
            start: "l2/3/2L w - - 0 1".to_string(),
            book: 1,
            white: "a \"b\"".to_string(),
            black: "c".to_string(),
            seed: 0,
            result: "1-0".to_string(),
            termination: "normal".to_string(),
            reason: Reason::Rules,
            ending: "Red has won".to_string(),
            moves: ["c1b1", "a3c3", "b1b2", "c3a3"].map(str::to_string).to_vec(),
            turns: Vec::new(),
            scores: vec![Some("+0.35".to_string()), None, Some("draw".to_string())],
            depths: vec![Some(7), None, None],
            nodes: vec![Some(1000), None, None],
            seconds: vec![0.0125, 0.5, 1.0],
        }
    }

    #[test]
    fn a_game_has_tags_moves_and_comments() {
        let text = from_record(&record(), "Cup", ["-", "-"]);
        let (tags, moves) = text.split_once("\n\n").unwrap();
        assert!(tags.starts_with(
            "[Event \"Cup\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1\"]\n[White \"a \\\"b\\\"\"]\n"
        ));
        assert!(tags.contains("[Variant \"duel\"]\n[SetUp \"1\"]\n[FEN \"l2/3/2L w - - 0 1\"]"), "{tags}");
        assert!(tags.ends_with("[Termination \"normal\"]\n[TimeControl \"-\"]"));
        assert_eq!(
            moves,
            "1. c1b1 {book} 1... a3c3 {+0.35/7 1000n 0.013s} 2. b1b2 {0.500s} 2... c3a3\n{draw 1.000s} {Red has won} 1-0\n\n"
        );
    }

    #[test]
    fn a_turn_of_two_plies_is_one_move() {
        let record = GameRecord { turns: vec![2, 1, 1], book: 2, scores: Vec::new(), ..record() };
        let text = from_record(&record, "Cup", ["-", "-"]);
        let moves = text.split_once("\n\n").unwrap().1;
        assert!(moves.starts_with("1. c1b1,a3c3 {book} 1... b1b2 {"), "{moves}");
        assert!(moves.contains("} 2. c3a3"), "{moves}");
    }

    #[test]
    fn a_comment_cannot_end_early() {
        let mut odd = record();
        odd.ending = "a } b { c\n1-0".to_string();
        let text = from_record(&odd, "x\"]\n[y", ["1", "2"]);
        assert!(text.contains("{a  b  c1-0} 1-0\n"), "{text}");
        assert!(text.starts_with("[Event \"x\\\"] [y\"]\n"));
        assert!(text.contains("[WhiteTimeControl \"1\"]\n[BlackTimeControl \"2\"]\n"));
    }
}
