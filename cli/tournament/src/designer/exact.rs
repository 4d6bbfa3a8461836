//! What is proven about a game.

use jewel_engine::value::{Outcome, Value};
use serde::Serialize;

/// A solved start position, and everything that it leads to.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Exact {
    /// `graph`, where every position was enumerated, `tables`, or `known`, where it was solved before.
    pub method: &'static str,
    /// `win`, `draw` or `loss` for the side to move at the start.
    pub value: &'static str,
    /// Plies to the end of the game under best play; `null` for a draw.
    pub distance: Option<u32>,
    /// The positions that can be reached, if they were enumerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<Positions>,
    /// The first moves, best first, if they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<ExactMove>,
}

/// A move with its value for the player who makes it.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct ExactMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// `win`, `draw` or `loss`.
    pub value: &'static str,
    /// Plies to the end of the game, counted from the position before the move.
    pub distance: Option<u32>,
    /// The answers, best first, as far as they were looked up.
    #[serde(skip)]
    pub replies: Vec<ExactMove>,
}

/// The longest win of a game.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct LongestWin {
    /// Its plies under best play.
    pub plies: u32,
    /// The position that it begins in.
    pub fen: String,
    /// Best play to the end.
    pub line: Vec<String>,
}

/// The positions that can be reached, by their value for the side to move.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Positions {
    /// All positions.
    pub positions: u64,
    /// Won positions.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Lost positions.
    pub losses: u64,
    /// Moves in all positions.
    pub moves: u64,
    /// Plies of the longest win under best play.
    pub longest_win: Option<u32>,
    /// A position that takes this long to win.
    pub longest_win_fen: Option<String>,
}

impl Positions {
    /// The shares of won, drawn and lost positions, from 0 to 1.
    pub fn shares(&self) -> [f64; 3] {
        [self.wins, self.draws, self.losses].map(|count| count as f64 / self.positions.max(1) as f64)
    }
}

impl Exact {
    /// A solution of which only the value is known.
    pub fn from_value(method: &'static str, value: Value) -> Exact {
        Exact {
            method,
            value: value.outcome().name(),
            distance: value.distance(),
            positions: None,
            moves: Vec::new(),
        }
    }

    /// What the catalogue says of a game: `solved: draw`, and the like. `None` if it says no value.
    pub fn from_status(status: &str) -> Option<Exact> {
        let outcome = match status.strip_prefix("solved: ")? {
            "win" => Outcome::Win,
            "draw" => Outcome::Draw,
            "loss" => Outcome::Loss,
            _ => return None,
        };
        let (value, distance, positions, moves) = (outcome.name(), None, None, Vec::new());
        Some(Exact { method: "known", value, distance, positions, moves })
    }

    /// The value in words.
    pub fn value_text(&self) -> String {
        match self.distance {
            Some(1) => format!("{} in 1 ply", self.value),
            Some(plies) => format!("{} in {plies} plies", self.value),
            None => self.value.to_string(),
        }
    }

    /// Whether it is a draw.
    pub fn is_draw(&self) -> bool {
        self.value == Outcome::Draw.name()
    }
}

/// The strength of a set of pieces against another one, from tables.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Power {
    /// The pieces of both sides, such as `KRvK`.
    pub class: String,
    /// How many pieces.
    pub pieces: usize,
    /// Positions with the southern side to move that it wins, draws and loses, from 0 to 1.
    pub south: [f64; 3],
    /// The same with the northern side to move, as that side sees it.
    pub north: [f64; 3],
    /// Positions, with either side to move.
    pub positions: u64,
    /// Plies of the longest win under best play.
    pub longest_win: Option<u32>,
}
