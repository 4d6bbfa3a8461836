//! The value of a position, its moves with theirs, and a line of best play: in words, or as fields of an object.

use crate::text::plies;
use crate::values::Values;
use anyhow::Result;
use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use jewel_players::support::layout::{columns, folded};
use jewel_solver::line::{LineEnd, LinePly, best_line};
use jewel_solver::solution::ValuedMove as Child;
use serde::Serialize;

/// The heading of a line of best play.
pub const BEST_PLAY: &str = "Best play (! = the only move that keeps the result):";

/// A move of a game.
type Move<G> = <<G as Game>::Position as Position>::Move;

/// The value of a position, its moves with theirs, and a line of best play.
#[derive(Serialize, Debug)]
pub struct BestPlay {
    game: String,
    fen: String,
    value: &'static str,
    distance: Option<u32>,
    moves: Vec<ValuedMove>,
    line: Vec<String>,
    /// For each move of the line, whether it is the only one that keeps the result.
    line_forced: Vec<bool>,
    /// `None` where the line goes on, and how was not looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_end: Option<End>,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    mover: String,
}

#[derive(Serialize, Debug)]
struct ValuedMove {
    #[serde(rename = "move")]
    text: String,
    value: &'static str,
    distance: Option<u32>,
}

/// How the line ends.
#[derive(Serialize, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum End {
    /// By the rules; the result is for the side to move there.
    Over { outcome: &'static str },
    /// With the position that stood after `ply` plies of the line.
    Repetition { ply: usize },
}

impl BestPlay {
    /// Looks everything up in `values`.
    ///
    /// # Errors
    /// If a value is not known.
    pub fn new<G: Game>(
        game: &G,
        position: &G::Position,
        values: &dyn Values<G::Position>,
    ) -> Result<BestPlay> {
        let value = values.value(position)?;
        let children = values.children(position)?;
        let line = best_line(position, |position| values.children(position))?;
        Ok(BestPlay::of(game, position, value, &children, &line.plies, Some(line.end)))
    }

    /// What is known of a position: its value, the moves whose values are known, best first, and a line, which may go on
    /// without an end.
    #[inline(never)]
    pub fn of<G: Game>(
        game: &G,
        position: &G::Position,
        value: Value,
        children: &[Child<Move<G>>],
        plies: &[LinePly<Move<G>>],
        end: Option<LineEnd>,
    ) -> BestPlay {
        let moves = children.iter().map(|child| ValuedMove {
            text: position.move_text(child.mv),
            value: child.value.outcome().name(),
            distance: child.value.distance(),
        });
        BestPlay {
            game: game.id().to_string(),
            fen: position.position_text(),
            value: value.outcome().name(),
            distance: value.distance(),
            moves: moves.collect(),
            line: move_texts(position, plies),
            line_forced: plies.iter().map(|ply| ply.forced).collect(),
            line_end: end.map(|end| match end {
                LineEnd::Over(outcome) => End::Over { outcome: outcome.name() },
                LineEnd::Repetition(ply) => End::Repetition { ply },
            }),
            title: game.name().to_string(),
            mover: position.diagram().sides[position.side_to_move().index()].clone(),
        }
    }

    /// What strategies prove, who know no distances: the outcome, the moves whose outcomes are known, and a line of play by
    /// them.
    pub fn proven<G: Game>(
        game: &G,
        position: &G::Position,
        outcome: Outcome,
        moves: &[(Move<G>, Outcome)],
        (line, end): (&[Move<G>], LineEnd),
    ) -> BestPlay {
        let ply = |&mv: &Move<G>| LinePly { mv, value: Value::Draw, forced: false };
        let plies: Vec<_> = line.iter().map(ply).collect();
        let mut best_play = BestPlay::of(game, position, Value::Draw, &[], &plies, Some(end));
        best_play.value = outcome.name();
        let valued = |&(mv, outcome): &(Move<G>, Outcome)| ValuedMove {
            text: position.move_text(mv),
            value: outcome.name(),
            distance: None,
        };
        best_play.moves = moves.iter().map(valued).collect();
        best_play
    }

    /// The game, its position and who is to move.
    pub fn heading(&self) -> String {
        folded(&format!("{} from {}, {} to move", self.title, self.fen, self.mover), 0) + "\n\n"
    }

    /// The name of the game.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The position string.
    pub fn fen(&self) -> &str {
        &self.fen
    }

    /// The value, in words.
    pub fn value(&self) -> String {
        with_distance(self.value, self.distance)
    }

    /// The value: `win`, `draw` or `loss`.
    pub fn value_name(&self) -> &'static str {
        self.value
    }

    /// The distance, in plies.
    pub fn distance(&self) -> Option<u32> {
        self.distance
    }

    /// The moves with their values, and the line; each part begins with an empty line.
    pub fn moves_and_line(&self) -> String {
        self.moves_text() + &self.line_text(BEST_PLAY)
    }

    /// The moves with their values, after an empty line.
    pub fn moves_text(&self) -> String {
        let mut text = String::new();
        if !self.moves.is_empty() {
            text.push_str("\nFirst moves, best first:\n");
            let row = |m: &ValuedMove| [format!("  {}", m.text), with_distance(m.value, m.distance)];
            text.push_str(&columns(&self.moves.iter().map(row).collect::<Vec<_>>()));
        }
        text
    }

    /// The line, after an empty line and a heading.
    pub fn line_text(&self, heading: &str) -> String {
        if self.line.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{heading}\n");
        let marked = self.line.iter().zip(&self.line_forced);
        let marked: Vec<String> =
            marked.map(|(mv, forced)| if *forced { format!("{mv}!") } else { mv.clone() }).collect();
        for row in marked.chunks(12) {
            text.push_str(&format!("  {}\n", folded(&row.join(" "), 2)));
        }
        match self.line_end {
            None => text.push_str("  And so on.\n"),
            Some(End::Over { outcome: "draw" }) => text.push_str("  The game is over: a draw.\n"),
            Some(End::Over { .. }) => text.push_str("  The game is over.\n"),
            Some(End::Repetition { ply: 0 }) => {
                text.push_str("  The first position is there again: a draw by repetition.\n");
            }
            Some(End::Repetition { ply }) => {
                let what = format!("The position after move {ply}, {}, is there again", self.line[ply - 1]);
                text.push_str(&format!("  {}\n", folded(&format!("{what}: a draw by repetition."), 2)));
            }
        }
        text
    }
}

/// The moves of a line as text.
pub fn move_texts<P: Notation>(from: &P, plies: &[LinePly<P::Move>]) -> Vec<String> {
    let mut position = from.clone();
    let text = |ply: &LinePly<P::Move>| {
        let text = position.move_text(ply.mv);
        position.play(ply.mv);
        text
    };
    plies.iter().map(text).collect()
}

/// `draw`, `win in 5 plies`, or `win, the game is over`.
fn with_distance(value: &str, distance: Option<u32>) -> String {
    match distance {
        None => value.to_string(),
        Some(0) => format!("{value}, the game is over"),
        Some(n) => format!("{value} in {}", plies(n)),
    }
}

/// A value in the words of the report.
pub fn value_text(value: Value) -> String {
    with_distance(Outcome::name(value.outcome()), value.distance())
}
