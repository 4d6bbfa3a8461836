//! What self-play shows of a game.

use super::interval::Estimate;
use super::story::{TREE_PLIES, Tree};
use crate::record::GameRecord;
use crate::statistics::counts::Tally;
use crate::statistics::elo;
use anyhow::{Context, Result};
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_players::engine::GameAt;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Plies of which fewer games than this exist are not shown.
const FEWEST: usize = 5;

/// Most bars of a histogram.
const MAX_BARS: usize = 32;

/// The results of the games of two equal players.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Sampled {
    /// Games played.
    pub games: u64,
    /// Different games: those that all other figures are taken from, each once.
    pub distinct: u64,
    /// Plies of a game.
    pub length: Length,
    /// Legal moves of a position.
    pub branching: Branching,
    /// Games that the side that moves first in the start position won, drew and lost.
    pub first: [u64; 3],
    /// Its score, from 0 to 1.
    pub first_move_score: Estimate,
    /// The same as Elo: the value of moving first.
    pub first_move_elo: Estimate,
    /// The share of drawn games, from 0 to 1.
    pub draw_rate: Estimate,
    /// The share of games with a winner, from 0 to 1.
    pub decisiveness: Estimate,
    /// How often the lead changed in a game by the scores of the players; left out if they gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead_changes: Option<Estimate>,
    /// In games with a winner: the part of the game, from 0 to 1, after which the winner was ahead for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Estimate>,
    /// Games by the reason for their end.
    pub reasons: BTreeMap<String, u64>,
}

/// Plies of a game, those of openings counted.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Length {
    /// On average.
    pub mean: Estimate,
    /// Least, quartile, median, quartile, most.
    pub quartiles: [u64; 5],
    /// Games by their length.
    pub histogram: Vec<Bar>,
}

/// Games of `from` to `to` plies.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct Bar {
    /// Least plies.
    pub from: u64,
    /// Most plies.
    pub to: u64,
    /// The number of games.
    pub games: u64,
}

/// Legal moves of a position.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Branching {
    /// On average over the positions of a game.
    pub mean: Estimate,
    /// The most in any position.
    pub most: u64,
    /// By the number of plies played.
    pub plies: Vec<AtPly>,
}

/// Legal moves after a number of plies.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct AtPly {
    /// Plies played.
    pub ply: usize,
    /// Games that went on there.
    pub games: usize,
    /// Moves on average.
    pub mean: f64,
    /// The tenth percentile.
    pub low: u64,
    /// The ninetieth percentile.
    pub high: u64,
}

/// Collects games one by one, in little more memory than their numbers take.
#[derive(Default)]
pub(super) struct Collector {
    games: u64,
    lengths: Vec<u64>,
    branching: Vec<f64>,
    most: u64,
    by_ply: Vec<Vec<u16>>,
    first: Tally,
    seen: HashSet<u64>,
    changes: Vec<f64>,
    settled: Vec<f64>,
    reasons: BTreeMap<String, u64>,
    tree: Tree,
}

impl Collector {
    /// Adds a game; `line` is any line of the game. A game that was added before is only counted: it says nothing
    /// new.
    ///
    /// # Errors
    /// If the record is not one of the game.
    pub(super) fn enter(&mut self, record: &GameRecord, line: &mut dyn GameAt) -> Result<()> {
        let verdict = record.verdict().context("a record without a result")?;
        self.games += 1;
        if !self.seen.insert(record.same_moves()) {
            return Ok(());
        }
        line.set_position(Some(&record.start), &[])?;
        self.first.add(verdict.seen_by(line.side_to_move()));
        self.lengths.push(record.moves.len() as u64);
        *self.reasons.entry(record.reason.text().to_string()).or_insert(0) += 1;
        let mut sum = 0;
        let mut first = Vec::new();
        for (ply, mv) in record.moves.iter().enumerate() {
            let moves = line.moves().len();
            sum += moves;
            self.most = self.most.max(moves as u64);
            if self.by_ply.len() == ply {
                self.by_ply.push(Vec::new());
            }
            self.by_ply[ply].push(u16::try_from(moves).unwrap_or(u16::MAX));
            if ply < TREE_PLIES {
                first.push((mv.clone(), verdict.seen_by(line.side_to_move())));
            }
            line.play(mv)?;
        }
        self.tree.enter(&first);
        if !record.moves.is_empty() {
            self.branching.push(sum as f64 / record.moves.len() as f64);
        }
        self.follow(record, verdict);
        Ok(())
    }

    /// Which side was ahead when.
    fn follow(&mut self, record: &GameRecord, verdict: Verdict) {
        if record.scores.is_empty() {
            return;
        }
        let mut leaders: Vec<(usize, Side)> = Vec::new();
        let movers = record.movers().into_iter().skip(record.book);
        for (n, (score, side)) in record.scores.iter().zip(movers).enumerate() {
            match score.as_deref().and_then(ahead) {
                Some(true) => leaders.push((n, side)),
                Some(false) => leaders.push((n, !side)),
                None => {}
            }
        }
        self.changes.push(leaders.windows(2).filter(|pair| pair[0].1 != pair[1].1).count() as f64);
        let winner = match verdict {
            Verdict::Draw => return,
            verdict if verdict.seen_by(Side::White) == Outcome::Win => Side::White,
            _ => Side::Black,
        };
        // From the ply after the last at which the loser was ahead.
        let behind = leaders.iter().rev().find(|(_, leader)| *leader != winner);
        let plies = behind.map_or(0, |(n, _)| record.book + n + 1);
        self.settled.push(plies as f64 / record.moves.len().max(1) as f64);
    }

    /// The results of all games, and how they began; `None` without a game.
    pub(super) fn finish(mut self) -> Option<(Sampled, Tree)> {
        self.lengths.sort_unstable();
        let lengths: Vec<f64> = self.lengths.iter().map(|&plies| plies as f64).collect();
        let Tally { wins, draws, losses } = self.first;
        let draw_rate = Estimate::from_share(draws, self.first.games())?;
        let score = Estimate::from_score(self.first)?;
        let sampled = Sampled {
            games: self.games,
            distinct: self.seen.len() as u64,
            length: Length {
                mean: Estimate::from_mean(&lengths)?.within(0.0, f64::INFINITY),
                quartiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&self.lengths, share)),
                histogram: histogram(&self.lengths),
            },
            branching: Branching {
                mean: Estimate::from_mean(&self.branching)?.within(0.0, f64::INFINITY),
                most: self.most,
                plies: self.by_ply.iter_mut().enumerate().map_while(at_ply).collect(),
            },
            first: [wins, draws, losses],
            first_move_score: score,
            first_move_elo: score.map(elo::from_score),
            draw_rate,
            decisiveness: draw_rate.complement(),
            lead_changes: Estimate::from_mean(&self.changes).map(|mean| mean.within(0.0, f64::INFINITY)),
            settled: Estimate::from_mean(&self.settled).map(|mean| mean.within(0.0, 1.0)),
            reasons: self.reasons,
        };
        Some((sampled, self.tree))
    }
}

/// Whether a score says that its player is ahead, or behind; `None` if it says neither.
fn ahead(score: &str) -> Option<bool> {
    let number = |text: &str| text.parse::<f64>().ok();
    match score.split_once(' ').map_or(score, |(word, _)| word) {
        "win" => Some(true),
        "loss" => Some(false),
        text => {
            let lead = match text.strip_suffix('%') {
                Some(share) => number(share)? - 50.0,
                None => number(text)?,
            };
            (lead != 0.0).then_some(lead > 0.0)
        }
    }
}

/// The value that a share of sorted values does not exceed; 0 of none.
fn quantile<T: Copy + Into<u64>>(sorted: &[T], share: f64) -> u64 {
    let at = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).map_or(0, |&value| value.into())
}

fn at_ply((ply, moves): (usize, &mut Vec<u16>)) -> Option<AtPly> {
    moves.sort_unstable();
    (moves.len() >= FEWEST).then(|| AtPly {
        ply,
        games: moves.len(),
        mean: moves.iter().map(|&n| f64::from(n)).sum::<f64>() / moves.len() as f64,
        low: quantile(moves, 0.1),
        high: quantile(moves, 0.9),
    })
}

/// Bars of equal width, 1, 2 or 5 times a power of ten.
fn histogram(sorted: &[u64]) -> Vec<Bar> {
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let widths = (0..).flat_map(|power| [1, 2, 5].map(|n| n * 10u64.pow(power)));
    let bars = |width: u64| most / width - least / width + 1;
    let width = widths.take(57).find(|&width| bars(width) <= MAX_BARS as u64).unwrap_or(u64::MAX);
    let first = least / width * width;
    (0..bars(width))
        .map(|n| {
            let (from, to) = (first + n * width, first + (n + 1) * width - 1);
            let games = sorted.iter().filter(|plies| (from..=to).contains(plies)).count() as u64;
            Bar { from, to, games }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Reason;
    use jewel_players::catalogue::AnyGame;

    fn record(moves: &[&str], result: &str, scores: &[Option<&str>]) -> GameRecord {
        GameRecord {
            tournament: String::new(),
            number: 1,
            round: 1,
            game: "duel".to_string(),
            fen: String::new(),
            start: "l2/3/2L w - - 0 1".to_string(),
            book: moves.len() - scores.len(),
            white: "a".to_string(),
            black: "b".to_string(),
            seed: 0,
            result: result.to_string(),
            termination: "normal".to_string(),
            reason: Reason::Rules,
            ending: String::new(),
            moves: moves.iter().map(|mv| (*mv).to_string()).collect(),
            turns: Vec::new(),
            scores: scores.iter().map(|score| score.map(str::to_string)).collect(),
            depths: Vec::new(),
            nodes: Vec::new(),
            seconds: Vec::new(),
        }
    }

    fn sampled(records: &[GameRecord]) -> Sampled {
        let mut line = AnyGame::resolve("duel").unwrap().open();
        let mut collector = Collector::default();
        for record in records {
            collector.enter(record, line.as_mut()).unwrap();
        }
        collector.finish().unwrap().0
    }

    #[test]
    fn games_are_counted_and_replayed() {
        // The two games of Duel's source.
        let red = record(&["c1b1", "a3c3", "b1b2"], "1-0", &[]);
        let green = record(&["c1b1", "a3a2", "b1b2", "a2b2"], "0-1", &[]);
        let seen = sampled(&[red.clone(), green, red]);
        assert_eq!((seen.games, seen.distinct), (3, 2));
        assert_eq!((seen.first, seen.draw_rate.value, seen.decisiveness.value), ([1, 0, 1], 0.0, 1.0));
        assert_eq!(seen.length.quartiles, [3, 3, 4, 4, 4]);
        assert_eq!(seen.length.mean.value, 3.5);
        assert_eq!(seen.length.mean.low, 0.0, "no game has fewer plies than none");
        assert!((seen.first_move_score.value - 0.5).abs() < 1e-9);
        // A piece on an edge of the empty 3x3 board has four moves at most.
        assert!((2.0..=4.0).contains(&seen.branching.mean.value) && seen.branching.most == 4, "{seen:?}");
        assert_eq!(seen.branching.plies, [], "too few games for a curve");
        assert_eq!((seen.lead_changes, seen.settled), (None, None));
    }

    #[test]
    fn curves_have_every_ply_of_enough_games() {
        let last = ["b1a1", "b1c1", "b1b2", "b1b3"].map(|last| record(&["c1b1", "a3c3", last], "1-0", &[]));
        let seen = sampled(&[&last[..], &[record(&["c1b1", "a3a2", "b1a1"], "1-0", &[])]].concat());
        assert_eq!(seen.branching.plies.len(), 3);
        let first = &seen.branching.plies[0];
        assert_eq!((first.ply, first.games, first.mean, first.low, first.high), (0, FEWEST, 4.0, 4, 4));
    }

    #[test]
    fn the_lead_is_followed() {
        let moves = ["c1b1", "a3a2", "b1b2", "a2b2"];
        // Red sees itself ahead, Green agrees, Red still, Green has won.
        let turned =
            record(&moves, "0-1", &[Some("+0.10"), Some("-0.30"), Some("60.0%"), Some("win in 1 ply")]);
        let seen = sampled(std::slice::from_ref(&turned));
        assert_eq!(seen.lead_changes.unwrap().value, 1.0);
        assert_eq!(seen.settled.unwrap().value, 0.75, "the loser was ahead until the third of four plies");
        let quiet = record(&moves, "0-1", &[Some("loss in 3 plies"), None, Some("+0.00"), Some("draw")]);
        let seen = sampled(&[quiet]);
        assert_eq!((seen.lead_changes.unwrap().value, seen.settled.unwrap().value), (0.0, 0.0));
        // With an opening of two plies, scores begin later.
        let opened = record(&moves, "0-1", &[Some("+1.00"), Some("+1.00")]);
        assert_eq!(sampled(&[opened]).settled.unwrap().value, 0.75);
    }

    #[test]
    fn histograms_hold_every_game() {
        for lengths in [vec![7], vec![1, 2, 3, 40], (0..1000).collect(), vec![5, 5, 1000]] {
            let bars = histogram(&lengths);
            assert!(bars.len() <= MAX_BARS);
            assert_eq!(bars.iter().map(|bar| bar.games).sum::<u64>(), lengths.len() as u64);
            assert!(bars.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
        }
        assert_eq!(histogram(&[7, 8]).len(), 2);
    }
}
