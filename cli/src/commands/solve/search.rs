//! Positions that one side wins in a few plies: search proves it before anything larger is begun.

use super::NoCounts;
use crate::best_play::{BEST_PLAY, BestPlay};
use crate::output;
use crate::text::{grouped, plies};
use anyhow::Result;
use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::ranking::best_first;
use jewel_engine::value::{Outcome, Value};
use jewel_players::support::layout::{columns, folded};
use jewel_search::exhaustive::WinSearch;
use jewel_solver::line::{Line, LineEnd, LinePly};
use jewel_solver::solution::ValuedMove;
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Most positions that are searched for a win: a tenth of a second or so.
const MAX_NODES: u64 = 1_000_000;

/// A position that search has decided. What it leads to was not enumerated, so that there are no counts.
#[derive(Serialize, Debug)]
pub(super) struct SearchProof {
    #[serde(flatten)]
    best_play: BestPlay,
    /// Moves that may win or hold, but not as fast as the best.
    undecided: Vec<String>,
    method: &'static str,
    #[serde(flatten)]
    counts: NoCounts,
    /// Positions searched.
    nodes: u64,
    seconds: f64,
    verified: bool,
}

/// Searches for a forced win or loss; `None` if there is none in a few plies.
pub(super) fn search<G: Game>(
    game: &G,
    position: &G::Position,
    interrupt: &AtomicBool,
) -> Option<SearchProof> {
    let start = Instant::now();
    let mut search = WinSearch::new(MAX_NODES, interrupt);
    let value = search.value(position)?;
    let distance = value.distance()?;
    let line = search.line(position, value)?;
    let nodes = search.nodes();
    // What the other moves are worth may take much longer to find than the best one.
    let mut search = WinSearch::new(nodes.saturating_mul(4).clamp(100_000, MAX_NODES), interrupt);
    let (mut moves, mut undecided) = (Vec::new(), Vec::new());
    let mover = position.side_to_move();
    for mv in list_moves(position) {
        let next = position.after(mv);
        let found = search.value_within(&next, distance.saturating_sub(1)).flatten();
        match found.map(|value| value.before_ply(mover, next.side_to_move())) {
            Some(value) => moves.push(ValuedMove { mv, value }),
            // The line is proven, however the second search ends.
            None if line.first() == Some(&mv) => moves.push(ValuedMove { mv, value }),
            None => undecided.push(position.move_text(mv)),
        }
    }
    best_first(&mut moves, |mv| mv.value.rank());
    let Line { plies, end } = plies_of(position, value, &line);
    let best_play = BestPlay::of(game, position, value, &moves, &plies, Some(end));
    Some(SearchProof {
        best_play,
        undecided,
        method: "search",
        counts: NoCounts::default(),
        nodes: nodes + search.nodes(),
        seconds: start.elapsed().as_secs_f64(),
        verified: false,
    })
}

/// The line with the values on it. A move is called forced only where there is no other: what other moves are worth is
/// not known.
fn plies_of<P: Position>(position: &P, value: Value, line: &[P::Move]) -> Line<P::Move> {
    let (mut position, mut value) = (position.clone(), value);
    let mut plies = Vec::new();
    for &mv in line {
        plies.push(LinePly { mv, value, forced: position.count_moves() == 1 });
        let mover = position.side_to_move();
        position.play(mv);
        let left = value.distance().unwrap_or_default().saturating_sub(1);
        let wins = (value.outcome() == Outcome::Win) == (mover == position.side_to_move());
        value = if wins { Value::Win(left) } else { Value::Loss(left) };
    }
    let end = LineEnd::Over(position.outcome().unwrap_or(Outcome::Draw));
    Line { plies, end }
}

impl SearchProof {
    /// The object of `--json`.
    ///
    /// # Errors
    /// As [`output::json_line`].
    pub(super) fn json(&self) -> Result<String> {
        output::json_line(self)
    }

    /// The report for people.
    pub(super) fn text(&self) -> String {
        let rows = [
            ["value".to_string(), self.best_play.value()],
            ["found by".into(), format!("search of {} positions", grouped(self.nodes))],
            ["seconds".into(), format!("{:.3}", self.seconds)],
        ];
        let mut text = self.best_play.heading() + &columns(&rows) + &self.best_play.moves_text();
        if !self.undecided.is_empty() {
            let sooner = self.best_play.distance().unwrap_or_default();
            let what = match self.undecided.len() {
                1 => "1 other move does".to_string(),
                n => format!("{n} other moves do"),
            };
            text += &format!("  {what} not win within {}; no more is known\n", plies(sooner));
        }
        text += &self.best_play.line_text(BEST_PLAY);
        let more = "The positions that can be reached were not counted; --method graph solves them all.";
        text + &format!("\n{}\n", folded(more, 0))
    }
}
