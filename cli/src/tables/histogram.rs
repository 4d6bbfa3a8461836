//! How many positions are won and lost at each distance, for people and as JSON.

use crate::text::{grouped, plies};
use jewel_players::support::layout::{columns, numbers};
use jewel_solver::histogram::{Histogram, Longest};
use serde::Serialize;

/// Positions by value and distance.
#[derive(Serialize)]
pub(crate) struct HistogramObject {
    /// Of a game with pieces in hand: which positions are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) among: Option<&'static str>,
    wins: Vec<u64>,
    draws: u64,
    losses: Vec<u64>,
    longest_wins: Vec<Far>,
    longest_losses: Vec<Far>,
}

/// A position far from the end.
#[derive(Serialize)]
struct Far {
    fen: String,
    distance: u32,
}

impl From<Histogram> for HistogramObject {
    fn from(of: Histogram) -> HistogramObject {
        let list = |longest: Vec<Longest>| {
            let far = longest.into_iter().map(|l| Far { fen: l.position, distance: l.plies });
            far.collect()
        };
        HistogramObject {
            among: None,
            wins: of.wins,
            draws: of.draws,
            losses: of.losses,
            longest_wins: list(of.longest_wins),
            longest_losses: list(of.longest_losses),
        }
    }
}

impl HistogramObject {
    /// Rows of distances under sums, then the positions far from the end.
    pub(crate) fn text(&self) -> String {
        let row = |head: &str, won: u64, lost: u64| [head.to_string(), grouped(won), grouped(lost)];
        let sums = row("all", self.wins.iter().sum(), self.losses.iter().sum());
        let mut rows = vec![["plies".to_string(), "won".into(), "lost".into()], sums];
        for distance in 0..self.wins.len().max(self.losses.len()) {
            let [won, lost] = [&self.wins, &self.losses].map(|counts| counts.get(distance).copied());
            let [won, lost] = [won, lost].map(Option::unwrap_or_default);
            if won + lost > 0 {
                rows.push(row(&distance.to_string(), won, lost));
            }
        }
        let mut text = format!("\n{}", numbers(&rows));
        for (what, list) in [("wins", &self.longest_wins), ("losses", &self.longest_losses)] {
            if !list.is_empty() {
                let rows: Vec<[String; 2]> =
                    list.iter().map(|far| [plies(far.distance), far.fen.clone()]).collect();
                text += &format!("\nLongest {what}:\n{}", columns(&rows));
            }
        }
        text
    }
}
