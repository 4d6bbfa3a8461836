//! What `jewel solve` reports of a solved graph: in words, or as an object.

use crate::best_play::BestPlay;
use crate::claims::{Published, Subject, Totals};
use crate::json;
use crate::text::grouped;
use anyhow::Result;
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_players::support::layout::columns;
use jewel_solver::solution::Solution;
use serde::Serialize;

/// A solved position and everything that is said about it.
#[derive(Serialize, Debug)]
pub struct Proof {
    #[serde(flatten)]
    best_play: BestPlay,
    method: &'static str,
    /// Positions, images of each other counted once, if they were folded: then the counts are of all images.
    #[serde(skip_serializing_if = "Option::is_none")]
    orbits: Option<u64>,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
    edges: u64,
    seconds: f64,
    /// The file of the solution, if it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<Saved>,
    /// Whether the independent check was made. If it fails, nothing is printed but its error.
    verified: bool,
    #[serde(flatten)]
    published: Published,
}

/// What is proven about a position, in short.
#[derive(Debug)]
pub struct Verdict {
    /// `win`, `draw` or `loss`, for the side to move.
    pub value: &'static str,
    /// In plies.
    pub distance: Option<u32>,
    /// Positions that are won, drawn and lost for the side to move.
    pub counts: [u64; 3],
    /// Plies of the longest win.
    pub longest: Option<u32>,
    /// What is published about it, checked.
    pub published: Published,
}

/// The file of a solution.
#[derive(Serialize, Clone, Debug)]
pub struct Saved {
    /// Where it is.
    pub file: String,
    /// Its length.
    pub bytes: u64,
}

/// Circumstances of a solution.
#[derive(Debug)]
pub struct Facts {
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether the independent check was made.
    pub verified: bool,
    /// The file of the solution, if it was saved.
    pub saved: Option<Saved>,
    /// The claims of the source, if it speaks of this position.
    pub claims: Option<Subject>,
}

impl Proof {
    /// The report on the root of a solution.
    ///
    /// # Errors
    /// If the solution is of another position.
    pub fn new<G>(
        game: &G,
        position: &G::Position,
        solution: &Solution<G::Position>,
        facts: Facts,
    ) -> Result<Proof>
    where
        G: Game<Position: Packed + Symmetric>,
    {
        let counts = solution.unfolded_counts();
        let folded = solution.is_folded();
        // The images of what can be reached need not be reached.
        let totals = (!folded).then(|| Totals::from_counts(&counts));
        let published = Published::check(facts.claims, solution, position, totals);
        Ok(Proof {
            best_play: BestPlay::new(game, position, solution)?,
            method: "graph",
            orbits: folded.then(|| solution.counts().positions()),
            positions: counts.positions(),
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            longest_win: counts.longest_win,
            longest_win_fen: solution.longest_win().map(|position| position.position_text()),
            edges: solution.edges(),
            seconds: facts.seconds,
            saved: facts.saved,
            verified: facts.verified,
            published,
        })
    }

    /// Its value, with what was counted and checked.
    pub fn verdict(self) -> Verdict {
        Verdict {
            value: self.best_play.value_name(),
            distance: self.best_play.distance(),
            counts: [self.wins, self.draws, self.losses],
            longest: self.longest_win,
            published: self.published,
        }
    }

    /// Whether no claim of the source is refuted.
    pub fn agrees(&self) -> bool {
        self.published.agrees()
    }

    /// The object of `--json`.
    ///
    /// # Errors
    /// As [`json::json_line`].
    pub fn json(&self) -> Result<String> {
        Ok(json::json_line(self)?)
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = self.best_play.heading();
        let cell = str::to_string;
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(grouped);
        let mut rows = vec![[cell("value"), self.best_play.value()]];
        if let Some(orbits) = self.orbits {
            rows.push([cell("orbits"), format!("{}: positions, images counted once", grouped(orbits))]);
        }
        let all = if self.orbits.is_some() { ", all images counted" } else { "" };
        rows.push([cell("positions"), format!("{}{all}", grouped(self.positions))]);
        rows.push([cell(""), format!("{wins} won, {draws} drawn, {losses} lost for the side to move")]);
        let between = if self.orbits.is_some() { " between orbits" } else { "" };
        rows.push([cell("moves"), format!("{}{between}", grouped(self.edges))]);
        if let (Some(longest), Some(fen)) = (self.longest_win, &self.longest_win_fen) {
            rows.push([cell("longest win"), format!("{longest} plies, from {fen}")]);
        }
        let speed = grouped((self.orbits.unwrap_or(self.positions) as f64 / self.seconds) as u64);
        // Shorter times say nothing about speed.
        let speed = if self.seconds < 0.1 {
            cell("")
        } else {
            format!(" ({speed} {} a second)", if self.orbits.is_some() { "orbits" } else { "positions" })
        };
        rows.push([cell("seconds"), format!("{:.3}{speed}", self.seconds)]);
        if self.verified {
            rows.push([cell("verified"), cell("every value agrees with the rules and its successors")]);
        }
        if let Some(Saved { file, bytes }) = &self.saved {
            rows.push([cell("saved"), format!("{file}, {} bytes", grouped(*bytes))]);
        }
        text.push_str(&columns(&rows));
        text.push_str(&self.best_play.moves_and_line());
        text + &self.published.text()
    }
}
