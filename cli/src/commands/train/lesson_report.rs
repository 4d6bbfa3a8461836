//! What a lesson says at its end.

use crate::text::grouped;
use jewel_players::support::layout::folded;
use jewel_tournament::statistics::counts::Results;
use jewel_tournament::statistics::elo;
use serde::Serialize;

/// The result of a lesson: what `--json` prints.
#[derive(Serialize, Debug)]
pub(super) struct Summary {
    pub(super) game: String,
    /// That it took, in all runs.
    pub(super) minutes: f64,
    pub(super) games: u64,
    pub(super) positions: usize,
    /// Positions that were learnt with their exact values.
    pub(super) exact: usize,
    /// Where those come from.
    pub(super) source: Option<&'static str>,
    /// Of this run.
    pub(super) rounds: Vec<RoundLine>,
    #[serde(rename = "match")]
    pub(super) contest: MatchLine,
    /// The file of the net, if it was written.
    pub(super) out: Option<String>,
    /// Whether that is the file beside the variant file, which commands find by themselves.
    #[serde(skip)]
    pub(super) beside: bool,
    /// The file from which a longer lesson goes on.
    pub(super) state: String,
}

/// A round of games and fitting.
#[derive(Serialize, Debug)]
pub(super) struct RoundLine {
    pub(super) number: u32,
    /// Games and positions so far.
    pub(super) games: u64,
    pub(super) positions: usize,
    pub(super) epochs: u32,
    /// The epoch whose net was kept.
    pub(super) best: u32,
    /// Its error on the positions held back.
    pub(super) held: f64,
}

/// The match of the net against the evaluation that follows from the rules.
#[derive(Serialize, Debug)]
pub(super) struct MatchLine {
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    /// `null` is infinite.
    pub(super) elo: Option<f64>,
    pub(super) elo_interval: [Option<f64>; 2],
    pub(super) los: f64,
    /// For each move.
    pub(super) nodes: u64,
    /// Nodes a second of the net's searches, as a share of the other's.
    pub(super) speed: f64,
    #[serde(skip)]
    better: bool,
}

impl MatchLine {
    pub(super) fn new(results: &Results, nodes: u64, speed: f64) -> MatchLine {
        let finite = |elo: f64| elo.is_finite().then(|| (elo * 10.0).round() / 10.0);
        let found = elo::difference(results);
        MatchLine {
            wins: results.games.wins,
            draws: results.games.draws,
            losses: results.games.losses,
            elo: found.and_then(|found| finite(found.elo)),
            elo_interval: [found.and_then(|f| finite(f.low)), found.and_then(|f| finite(f.high))],
            los: elo::likelihood_of_superiority(results).unwrap_or(0.5),
            nodes,
            speed: (speed * 100.0).round() / 100.0,
            better: found.is_some_and(|found| found.low > 0.0),
        }
    }

    /// Whether the net is stronger: the whole 95% interval is above 0.
    pub(super) fn is_better(&self) -> bool {
        self.better
    }

    fn text(&self) -> String {
        let signed = |elo: Option<f64>, open: &str| elo.map_or(open.to_string(), |elo| format!("{elo:+.0}"));
        let [low, high] = self.elo_interval;
        format!(
            "+{} ={} -{} against the evaluation by the rules, {} nodes a move: {} Elo (95%: {} to {})",
            self.wins,
            self.draws,
            self.losses,
            grouped(self.nodes),
            signed(self.elo, if self.wins > self.losses { "+inf" } else { "-inf" }),
            signed(low, "-inf"),
            signed(high, "+inf")
        )
    }
}

/// Where what is said begins, in columns.
const INDENT: usize = 11;

impl Summary {
    /// Whether the net is stronger than the evaluation that follows from the rules.
    pub(super) fn better(&self) -> bool {
        self.contest.is_better()
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut facts = vec![("games", grouped(self.games))];
        let exact = match self.source {
            Some(source) => {
                format!(", {} of them with exact values from {source}", grouped(self.exact as u64))
            }
            None => String::new(),
        };
        facts.push(("positions", format!("{}{exact}", grouped(self.positions as u64))));
        for RoundLine { number, games, epochs, best, held, .. } in &self.rounds {
            let line = format!(
                "{held:.5} after round {number}: {} games, epoch {best} of {epochs}",
                grouped(*games)
            );
            facts.push((if *number == self.rounds[0].number { "error" } else { "" }, line));
        }
        facts.push(("match", self.contest.text()));
        facts.push(("speed", format!("{:.2} times the nodes a second", self.contest.speed)));
        let better = self.better();
        let unsure = "not shown to be stronger than the evaluation by the rules";
        facts.push((
            "net",
            match &self.out {
                Some(out) if self.beside => format!("{out}, which is found wherever the game is played"),
                Some(out) if better => out.clone(),
                Some(out) => format!("{out}, {unsure}"),
                None => format!("none: it is {unsure}; a longer lesson goes on from {}", self.state),
            },
        ));
        facts.iter().map(|(name, value)| format!("{name:<INDENT$}{}\n", folded(value, INDENT))).collect()
    }
}
