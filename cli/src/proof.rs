//! What `jewel solve` reports of a solved game: in words, or as an object.

use crate::arguments::Setup;
use crate::claims::{Checked, Claims};
use crate::output;
use crate::text::{columns, grouped};
use anyhow::{Result, anyhow};
use jewel_engine::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use jewel_solver::line::{LineEnd, LinePly};
use jewel_solver::solution::Solution;
use serde::Serialize;

/// A solved position and everything that is said about it.
#[derive(Serialize, Debug)]
pub(crate) struct Proof {
    game: String,
    fen: String,
    value: &'static str,
    distance: Option<u32>,
    moves: Vec<ValuedMove>,
    line: Vec<String>,
    /// For each move of the line, whether it is the only one that keeps the result.
    line_forced: Vec<bool>,
    line_end: End,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
    edges: u64,
    seconds: f64,
    /// Whether the independent check was made; where it fails there is no proof at all.
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<Checked>,
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
    /// With the position that stood after so many plies of the line.
    Repetition { ply: usize },
}

/// Circumstances of a solution.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) seconds: f64,
    pub(crate) verified: bool,
    /// The claims of the source, if it speaks of this position.
    pub(crate) claims: Option<Claims>,
}

impl Proof {
    /// Collects what there is to say about the root of a solution.
    ///
    /// # Errors
    /// If the solution is of another position.
    pub(crate) fn new<G, K>(
        setup: &Setup<G>,
        solution: &Solution<G::Position, K>,
        facts: Facts,
    ) -> Result<Proof>
    where
        G: Game,
        G::Position: Packed + Symmetric,
        K: PackedKey,
    {
        let position = &setup.position;
        let unknown = || anyhow!("the position was not solved");
        let value = solution.value(position).ok_or_else(unknown)?;
        let children = solution.children(position).ok_or_else(unknown)?;
        let line = solution.line(position).ok_or_else(unknown)?;
        let counts = solution.counts();
        let moves = children.iter().map(|child| ValuedMove {
            text: position.move_text(child.mv),
            value: child.value.outcome().name(),
            distance: child.value.distance(),
        });
        let claims = facts.claims.as_ref().map(|claims| claims.check(solution, position));
        Ok(Proof {
            game: setup.game.id().to_string(),
            fen: position.position_text(),
            value: value.outcome().name(),
            distance: value.distance(),
            moves: moves.collect(),
            line: move_texts(position, &line.plies),
            line_forced: line.plies.iter().map(|ply| ply.forced).collect(),
            line_end: match line.end {
                LineEnd::Over(outcome) => End::Over { outcome: outcome.name() },
                LineEnd::Repetition(ply) => End::Repetition { ply },
            },
            positions: counts.positions(),
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            longest_win: counts.longest_win,
            longest_win_fen: solution.longest_win().map(|position| position.position_text()),
            edges: solution.edges(),
            seconds: facts.seconds,
            verified: facts.verified,
            source: facts.claims.map(|claims| claims.source),
            claims: claims.unwrap_or_default(),
            title: setup.game.name().to_string(),
            mover: position.diagram().sides[position.side_to_move().index()].clone(),
        })
    }

    /// Whether no claim of the source is refuted.
    pub(crate) fn agrees(&self) -> bool {
        self.claims.iter().all(|claim| claim.confirmed)
    }

    /// The object of `--json`.
    ///
    /// # Errors
    /// As [`output::json_line`].
    pub(crate) fn json(&self) -> Result<String> {
        output::json_line(self)
    }

    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} from {}, {} to move\n\n", self.title, self.fen, self.mover);
        let cell = str::to_string;
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(grouped);
        let mut rows = vec![
            [cell("value"), with_distance(self.value, self.distance)],
            [cell("positions"), grouped(self.positions)],
            [cell(""), format!("{wins} won, {draws} drawn, {losses} lost for the side to move")],
            [cell("moves"), grouped(self.edges)],
        ];
        if let (Some(longest), Some(fen)) = (self.longest_win, &self.longest_win_fen) {
            rows.push([cell("longest win"), format!("{longest} plies, from {fen}")]);
        }
        let speed = grouped((self.positions as f64 / self.seconds) as u64);
        // Shorter times say nothing about speed.
        let speed = if self.seconds < 0.1 { cell("") } else { format!(" ({speed} positions a second)") };
        rows.push([cell("seconds"), format!("{:.3}{speed}", self.seconds)]);
        if self.verified {
            rows.push([cell("verified"), cell("every value agrees with the rules and its successors")]);
        }
        text.push_str(&columns(&rows));
        if !self.moves.is_empty() {
            text.push_str("\nFirst moves, best first:\n");
            let row = |m: &ValuedMove| [format!("  {}", m.text), with_distance(m.value, m.distance)];
            text.push_str(&columns(&self.moves.iter().map(row).collect::<Vec<_>>()));
        }
        text.push_str(&self.line_text());
        if let Some(source) = &self.source {
            text.push_str(&format!("\nClaims of the source ({source}):\n"));
            for Checked { text: claim, confirmed, found } in &self.claims {
                let verdict = if *confirmed { "confirmed" } else { "REFUTED  " };
                text.push_str(&format!("  {verdict}  {claim}\n             found: {found}\n"));
            }
        }
        text
    }

    fn line_text(&self) -> String {
        if self.line.is_empty() {
            return String::new();
        }
        let mut text = "\nBest play (! = the only move that keeps the result):\n".to_string();
        let marked = self.line.iter().zip(&self.line_forced);
        let marked: Vec<String> =
            marked.map(|(mv, forced)| if *forced { format!("{mv}!") } else { mv.clone() }).collect();
        for row in marked.chunks(12) {
            text.push_str(&format!("  {}\n", row.join(" ")));
        }
        match self.line_end {
            End::Over { outcome: "draw" } => text.push_str("  The game is over: a draw.\n"),
            End::Over { .. } => text.push_str("  The game is over.\n"),
            End::Repetition { ply: 0 } => {
                text.push_str("  The first position is there again: a draw by repetition.\n");
            }
            End::Repetition { ply } => text.push_str(&format!(
                "  The position after move {ply} of the line, {}, is there again: a draw by repetition.\n",
                self.line[ply - 1]
            )),
        }
        text
    }
}

/// The moves of a line as text.
fn move_texts<P: Notation>(from: &P, plies: &[LinePly<P::Move>]) -> Vec<String> {
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
        Some(1) => format!("{value} in 1 ply"),
        Some(n) => format!("{value} in {n} plies"),
    }
}

/// A value in the words of the report.
pub(crate) fn value_text(value: Value) -> String {
    with_distance(Outcome::name(value.outcome()), value.distance())
}
