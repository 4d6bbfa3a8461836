//! What the tests share: positions looked at through every subset of rules that fits, and a small generator.

pub(crate) mod texts;

use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::games;
use jewel_engine::perft::perft;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Outcome;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_engine::zobrist::splitmix64;

/// The rules of an embedded game.
pub(crate) fn embedded(id: &str) -> &'static Rules {
    games::find(id).unwrap_or_else(|| panic!("no game {id}")).rules()
}

/// The text of an embedded game with one line replaced: a rule reversed.
pub(crate) fn reversed(id: &str, line: &str, instead: &str) -> Rules {
    let text = games::find(id).unwrap_or_else(|| panic!("no game {id}")).text;
    assert_eq!(text.matches(line).count(), 1, "{id} has not one line {line}");
    compile(&text.replace(line, instead))
}

/// Compiles a text that must be right.
pub(crate) fn compile(text: &str) -> Rules {
    Rules::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What there is to see of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub(crate) fen: String,
    pub(crate) outcome: Option<Outcome>,
    /// Sorted move texts.
    pub(crate) moves: Vec<String>,
    /// The key of the position after each of them.
    pub(crate) keys: Vec<u64>,
}

impl View {
    /// Whether there is a move of this text.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.moves.iter().any(|m| m == text)
    }

    /// The moves from a square.
    pub(crate) fn from(&self, square: &str) -> Vec<&str> {
        self.moves.iter().filter(|m| m.starts_with(square)).map(String::as_str).collect()
    }
}

/// The view of a position.
pub(crate) fn view_of<P: Notation>(position: &P) -> View {
    let mut moves: Vec<(String, u64)> = list_moves(position)
        .into_iter()
        .map(|m| (position.move_text(m), position.after(m).zobrist_hash()))
        .collect();
    assert_eq!(moves.len() as u64, position.count_moves());
    moves.sort();
    let (moves, keys) = moves.into_iter().unzip();
    View { fen: position.position_text(), outcome: position.outcome(), moves, keys }
}

struct Look<'a> {
    fen: &'a str,
    line: &'a str,
}

impl Look<'_> {
    fn visit<G>(self, game: G) -> Result<View, String>
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let mut position = game.parse_position(self.fen).map_err(|e| e.to_string())?;
        for text in self.line.split_whitespace() {
            position.play(position.parse_move(text).map_err(|e| e.to_string())?);
        }
        Ok(view_of(&position))
    }
}

/// The position after a line of moves from a position string, or why there is none. The leanest subset and
/// the general one must agree.
pub(crate) fn look(rules: &Rules, fen: &str, line: &str) -> Result<View, String> {
    let lean = with_leanest_game!(rules, game => (Look { fen, line }).visit(game));
    let general = Look { fen, line }.visit(ChessGame::<General, 32>::new(rules).expect("fits"));
    assert_eq!(lean, general, "the subsets agree on {fen} {line}");
    lean
}

/// The view of a position string that must be right.
pub(crate) fn view(rules: &Rules, fen: &str) -> View {
    look(rules, fen, "").unwrap_or_else(|e| panic!("{fen}: {e}"))
}

/// The result of a position string that must be right.
pub(crate) fn outcome(rules: &Rules, fen: &str) -> Option<Outcome> {
    view(rules, fen).outcome
}

/// Why a position string or a line is refused.
pub(crate) fn refused(rules: &Rules, fen: &str, line: &str) -> String {
    look(rules, fen, line).expect_err("must be refused")
}

struct Count<'a> {
    fen: &'a str,
    depth: u32,
}

impl Count<'_> {
    fn visit<G>(self, game: G) -> u64
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        perft(&game.parse_position(self.fen).unwrap_or_else(|e| panic!("{}: {e}", self.fen)), self.depth)
    }
}

/// Perft from a position string, by the leanest subset.
pub(crate) fn count(rules: &Rules, fen: &str, depth: u32) -> u64 {
    with_leanest_game!(rules, game => (Count { fen, depth }).visit(game))
}

/// A seeded generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let random;
        (self.0, random) = splitmix64(self.0);
        (random % limit as u64) as usize
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
