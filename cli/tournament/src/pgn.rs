//! Games as PGN: tags, then the moves with comments.
//!
//! Moves are in standard algebraic notation (SAN) in the games that have it, as the standard and every reader of
//! PGN want it, and otherwise as the game writes them.

use crate::record::GameRecord;
use jewel_engine::text::is_disruptive;
use jewel_engine::value::Side;
use jewel_players::engine::GameAt;

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
            let value = value.replace(is_disruptive, " ").replace('\\', "\\\\").replace('"', "\\\"");
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
    format!("{{{}}}", text.replace(|c: char| c == '{' || c == '}' || is_disruptive(c), ""))
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

/// What the tag `Variant` says of a game: its id, or `Chess960` for chess from another arrangement of kings and rooks,
/// which readers of PGN have to be told.
pub fn variant<'a>(game: &'a str, start: &str) -> &'a str {
    if game == "chess" && !has_usual_castling(start) { "Chess960" } else { game }
}

/// Whether all castling rights of a chess position are of kings and rooks where chess has them.
fn has_usual_castling(fen: &str) -> bool {
    let mut fields = fen.split_whitespace();
    let board = fields.next().unwrap_or_default();
    let mut ranks = board.split('/').map(|rank| -> String {
        rank.chars()
            .map(|c| {
                ".".repeat(c.to_digit(10).unwrap_or(0) as usize)
                    + c.to_string().trim_matches(char::is_numeric)
            })
            .collect()
    });
    let (black, white) = (ranks.next().unwrap_or_default(), ranks.next_back().unwrap_or_default());
    let stands = |rank: &str, file: usize, piece: char| rank.chars().nth(file) == Some(piece);
    fields.nth(1).unwrap_or_default().chars().all(|right| match right {
        'K' => stands(&white, 4, 'K') && stands(&white, 7, 'R'),
        'Q' => stands(&white, 4, 'K') && stands(&white, 0, 'R'),
        'k' => stands(&black, 4, 'k') && stands(&black, 7, 'r'),
        'q' => stands(&black, 4, 'k') && stands(&black, 0, 'r'),
        other => other == '-',
    })
}

/// The record of a game of a tournament, with an empty line at its end. `line` is any line of the game.
pub fn from_record(record: &GameRecord, event: &str, controls: [&str; 2], line: &mut dyn GameAt) -> String {
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
        ("Variant", variant(&record.game, &record.start)),
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
    let replayed = line.set_position(Some(&record.start), &record.moves);
    let san = replayed.ok().and_then(|()| line.played_san());
    let moves: Vec<String> = san.unwrap_or_else(|| turns.into_iter().map(|(_, text)| text).collect());
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
    use crate::pgn_reader;
    use crate::record::Reason;
    use jewel_players::catalogue::AnyGame;

    fn written(record: &GameRecord, event: &str, controls: [&str; 2]) -> String {
        from_record(record, event, controls, AnyGame::resolve(&record.game).unwrap().open().as_mut())
    }

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
        let text = written(&record(), "Cup", ["-", "-"]);
        let (tags, moves) = text.split_once("\n\n").unwrap();
        assert!(tags.starts_with(
            "[Event \"Cup\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1\"]\n[White \"a \\\"b\\\"\"]\n"
        ));
        assert!(tags.contains("[Variant \"duel\"]\n[SetUp \"1\"]\n[FEN \"l2/3/2L w - - 0 1\"]"), "{tags}");
        assert!(tags.ends_with("[Termination \"normal\"]\n[TimeControl \"-\"]"));
        assert_eq!(
            moves,
            "1. Lb1 {book} 1... Lc3 {+0.35/7 1000n 0.013s} 2. Lb2 {0.500s} 2... La3\n{draw 1.000s} {Red has won} 1-0\n\n"
        );
    }

    #[test]
    fn a_turn_of_two_plies_is_one_move() {
        let record = GameRecord {
            game: "world-tree".to_string(),
            turns: vec![2, 1, 1],
            book: 2,
            scores: Vec::new(),
            ..record()
        };
        let text = written(&record, "Cup", ["-", "-"]);
        let moves = text.split_once("\n\n").unwrap().1;
        assert!(moves.starts_with("1. c1b1,a3c3 {book} 1... b1b2 {"), "{moves}");
        assert!(moves.contains("} 2. c3a3"), "{moves}");
    }

    #[test]
    fn a_comment_cannot_end_early() {
        let mut odd = record();
        odd.ending = "a } b { c\n1-0".to_string();
        let text = written(&odd, "x\"]\n[y", ["1", "2"]);
        assert!(text.contains("{a  b  c1-0} 1-0\n"), "{text}");
        assert!(text.starts_with("[Event \"x\\\"] [y\"]\n"));
        assert!(text.contains("[WhiteTimeControl \"1\"]\n[BlackTimeControl \"2\"]\n"));
    }

    #[test]
    fn another_arrangement_is_chess960() {
        for (start, name) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "chess"),
            ("4k3/8/8/8/8/8/8/4K1R1 w - - 0 1", "chess"),
            ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "chess"),
            ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9", "Chess960"),
            ("4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "Chess960"),
        ] {
            assert_eq!(variant("chess", start), name, "{start}");
        }
        assert_eq!(variant("diamond-chess", "3k3/7/7/7/7/7/R2K2R w KQ - 0 1"), "diamond-chess");
    }

    #[test]
    fn what_is_written_is_read() {
        let games = pgn_reader::read(
            &(written(&record(), "Cup", ["-", "-"]) + &written(&record(), "Cup", ["-", "-"])),
        )
        .unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!(games[1].line, 18);
        assert_eq!(games[1].moves, ["Lb1", "Lc3", "Lb2", "La3"]);
        assert_eq!((games[0].tag("White"), games[0].game()), (Some("a \"b\""), Some("duel".to_string())));
    }
}
