//! Tuning the numbers of the search by games: simultaneous perturbation stochastic approximation (J. C. Spall, IEEE
//! Transactions on Aerospace and Electronic Systems 34, 1998).
//!
//! For each pair of games all parameters are moved at once, each up or down at random, and the moved ones play those that
//! were moved the other way. All parameters then go a little way towards the winner's. How far they are moved and how far
//! they go shrinks with the exponents that Spall recommends, as in the testing frameworks of chess engines.
//!
//! Where the players search a fixed number of nodes for each move, the parameters of time management stay as they are. With a
//! clock only those are tuned, and a fixed number of nodes counts as a second, so that whatever else the machine does the games
//! stay the same.

use crate::adjudication::{Adjudication, Adjudicator};
use crate::clock::{PlayerClock, TimeControl};
use crate::openings::{Openings, Source};
use crate::ordered::{Begin, in_order};
use anyhow::Result;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::{Algorithm, Options};
use jewel_search::alphabeta::{Param, SearchParams};
use jewel_search::clock::Clock;
use jewel_search::limits::Limits;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The exponent with which steps shrink.
const ALPHA: f64 = 0.602;

/// The exponent with which perturbations shrink.
const GAMMA: f64 = 0.101;

/// The share of all pairs by which the first steps are damped.
const STABILITY: f64 = 0.1;

/// The step after the last pair if it is won by two points, as a share of the perturbation.
const LAST_RATE: f64 = 0.02;

/// Pairs that are played with the same parameters, whatever the number of threads.
const BATCH: u64 = 16;

/// Keeps these random numbers apart from others of the same seed.
const SIGN_STREAM: u64 = 0x7065_7274_7572_6265;
const DICE_STREAM: u64 = 0x7370_7361_6469_6365;

/// A game in which parameters are tuned.
#[derive(Clone, Debug)]
pub struct TunedGame {
    /// The game.
    pub game: AnyGame,
    /// Where its games begin.
    pub openings: Source,
    /// How its games end early; tables do not count here.
    pub adjudication: Adjudication,
}

/// The options of a tuning run.
#[derive(Clone, Debug)]
pub struct Spsa {
    /// The games, at least one: pairs go through them again and again.
    pub games: Vec<TunedGame>,
    /// Pairs of games in all.
    pub pairs: u64,
    /// Nodes of the search of each move; with a clock, nodes that count as a second.
    pub nodes: u64,
    /// The clock of both players, if they have one.
    pub clock: Option<TimeControl>,
    /// A game is a draw after this many plies.
    pub longest: usize,
    /// Seed of perturbations and openings.
    pub seed: u64,
    /// Pairs at once, from 1.
    pub concurrency: usize,
}

/// The state of a tuning run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Pairs that have been played.
    pub pairs: u64,
    /// The parameters, in the order of [`SearchParams::PARAMS`].
    pub numbers: Vec<f64>,
}

impl Progress {
    /// The state before the first pair.
    pub fn new(start: &SearchParams) -> Progress {
        Progress { pairs: 0, numbers: start.numbers().into_iter().map(f64::from).collect() }
    }

    /// The current parameters.
    pub fn params(&self) -> SearchParams {
        SearchParams::from_numbers(&self.numbers.iter().map(|n| n.round() as i32).collect::<Vec<_>>())
    }
}

/// The players of one worker in one game, each of which follows the whole game.
type Table = [Box<dyn Engine>; 2];

impl Spsa {
    /// The openings of each game, which all steps take.
    ///
    /// # Errors
    /// If no openings are found.
    pub fn openings(&self) -> Result<Vec<Openings>> {
        let prepare = |TunedGame { game, openings, .. }: &TunedGame| {
            Openings::prepare(openings, self.seed, game.open().as_mut())
        };
        self.games.iter().map(prepare).collect()
    }

    /// Plays the next few pairs and moves the parameters; `false` if `interrupt` was set before: then nothing has
    /// changed. The parameters depend on the seed and on the pairs played so far, not on the number of threads.
    ///
    /// # Errors
    /// If there is not enough memory for a search.
    pub fn step(
        &self,
        openings: &[Openings],
        progress: &mut Progress,
        interrupt: &AtomicBool,
    ) -> Result<bool> {
        // Players of a game are made when its turn comes.
        let ready = || Ok(self.games.iter().map(|_| None).collect());
        let batch = progress.pairs..self.pairs.min(progress.pairs + BATCH);
        let numbers = &progress.numbers;
        let play = |tables: &mut Vec<Option<Table>>, pair: u64, begin: Begin<'_>| {
            let sides = self.perturbed(numbers, pair);
            let which = (pair % self.games.len() as u64) as usize;
            let tuned = &self.games[which];
            let table = tables[which].get_or_insert_with(|| [tuned.game.open(), tuned.game.open()]);
            self.pair(tuned, table, &openings[which], pair, sides, begin)
        };
        let mut points = Vec::new();
        let complete = in_order(batch.clone(), self.concurrency, interrupt, &ready, &play, &mut |result| {
            points.push(result);
            Ok(())
        })?;
        if complete {
            for (pair, points) in batch.zip(points) {
                self.learn(progress, pair, points);
            }
        }
        Ok(complete)
    }

    /// The perturbation of each parameter for a pair; negative is down.
    fn perturbations(&self, pair: u64) -> Vec<f64> {
        let mut random = Random::stream(self.seed ^ SIGN_STREAM, pair);
        let shrunk = (self.pairs as f64 / (pair + 1) as f64).powf(GAMMA);
        let by = |dial: &Param| {
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            if dial.is_of_time() == self.clock.is_some() { sign * f64::from(dial.step) * shrunk } else { 0.0 }
        };
        SearchParams::PARAMS.iter().map(by).collect()
    }

    /// The parameters of both players of a pair: moved one way, and the other.
    fn perturbed(&self, numbers: &[f64], pair: u64) -> [SearchParams; 2] {
        let perturbations = self.perturbations(pair);
        [1.0, -1.0].map(|sign| {
            let moved = numbers.iter().zip(&perturbations).map(|(n, by)| (n + sign * by).round() as i32);
            SearchParams::from_numbers(&moved.collect::<Vec<_>>())
        })
    }

    /// Moves the parameters by the result of a pair: the points of the first player less those of the second, -2 to 2.
    fn learn(&self, progress: &mut Progress, pair: u64, points: f64) {
        let (all, held) = (self.pairs as f64, STABILITY * self.pairs as f64);
        let rate = LAST_RATE * ((held + all) / (held + pair as f64 + 1.0)).powf(ALPHA);
        let perturbations = self.perturbations(pair);
        for ((number, by), dial) in progress.numbers.iter_mut().zip(perturbations).zip(SearchParams::PARAMS) {
            *number = (*number + rate * points / 2.0 * by).clamp(dial.least.into(), dial.most.into());
        }
        progress.pairs = pair + 1;
    }

    /// Both games of a pair: the points of the first player less those of the second; `None` if stopped.
    fn pair(
        &self,
        tuned: &TunedGame,
        table: &mut Table,
        openings: &Openings,
        pair: u64,
        params: [SearchParams; 2],
        begin: Begin<'_>,
    ) -> Result<Option<f64>> {
        let opening = openings.opening(pair, table[0].as_mut())?;
        for (engine, params) in table.iter_mut().zip(params) {
            engine.configure(&Options {
                algorithm: Algorithm::Ab,
                hash: 1,
                params: Some(params),
                ..Options::default()
            })?;
        }
        let mut points = 0.0;
        for white in [0, 1] {
            let mut dice = Random::stream(self.seed ^ DICE_STREAM, 2 * pair + white as u64);
            for engine in table.iter_mut() {
                engine.forget();
                engine.set_position(opening.fen.as_deref(), &opening.moves)?;
            }
            let Some(verdict) = self.game(tuned, table, white, &mut dice, begin)? else { return Ok(None) };
            points += match verdict {
                Verdict::Draw => 0.0,
                verdict => {
                    if (verdict == Verdict::WhiteWins) == (white == 0) {
                        1.0
                    } else {
                        -1.0
                    }
                }
            };
        }
        Ok(Some(points))
    }

    /// Plays a game from the position of both players; `white` is the number of the one with the white pieces.
    fn game(
        &self,
        tuned: &TunedGame,
        table: &mut Table,
        white: usize,
        dice: &mut Random,
        begin: Begin<'_>,
    ) -> Result<Option<Verdict>> {
        let mut clocks = self
            .clock
            .as_ref()
            .map(|control| [0, 1].map(|_| PlayerClock::new(control.clone(), Duration::ZERO)));
        let mut adjudicator = Adjudicator::new(&tuned.adjudication);
        let longest = tuned.adjudication.max_plies.plies().unwrap_or(self.longest).min(self.longest);
        for plies in 1..=longest {
            if let Some(end) = table[0].ending() {
                return Ok(Some(end.verdict));
            }
            let side = table[0].side_to_move();
            let mover = if side == Side::White { white } else { 1 - white };
            let limits = self.limits(clocks.as_ref().map(|clocks| &clocks[mover]));
            let Some(stop) = begin() else { return Ok(None) };
            let report = table[mover].search(&limits, &stop, &mut |_| {})?;
            if stop.is_stopped() {
                return Ok(None);
            }
            let used = Duration::from_secs_f64(report.nodes as f64 / self.nodes.max(1) as f64);
            if clocks.as_mut().is_some_and(|clocks| !clocks[mover].spend(used)) {
                return Ok(Some(Outcome::Loss.absolute(side)));
            }
            let score = report.score();
            let Some(mv) = report.best else { break };
            let played = table[mover].rolled(&mv, dice)?;
            for engine in table.iter_mut() {
                engine.play(&played)?;
            }
            if let Some((verdict, _)) = adjudicator.update(side, Some(score), plies) {
                // A game that is over by its rules is not ended otherwise.
                return Ok(Some(table[0].ending().map_or(verdict, |end| end.verdict)));
            }
        }
        Ok(Some(Verdict::Draw))
    }

    /// The limits of a move, with a clock if there is one.
    fn limits(&self, clock: Option<&PlayerClock>) -> Limits<String> {
        let nodes = Some(self.nodes.max(1));
        let Some(clock) = clock else { return Limits { nodes, ..Limits::default() } };
        let (remaining, bonus, moves_to_go) = (clock.remaining(), clock.bonus(), clock.moves_to_go());
        let clock = Some(Clock { remaining, bonus, moves_to_go });
        Limits { clock, pace: nodes, ..Limits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::Resign;
    use jewel_search::control::Stop;

    fn spsa(games: &str, pairs: u64) -> Spsa {
        let game = |id: &str| TunedGame {
            game: AnyGame::resolve(id).unwrap(),
            openings: Source::Random { plies: 2 },
            adjudication: Adjudication::default(),
        };
        let games = games.split(' ').map(game).collect();
        Spsa { games, pairs, nodes: 200, clock: None, longest: 300, seed: 3, concurrency: 1 }
    }

    #[test]
    fn numbers_go_to_where_games_are_won() {
        // Each number is best at a place of its own; the nearer one wins more often.
        let best: Vec<f64> =
            SearchParams::PARAMS.iter().map(|dial| f64::from(dial.default + 4 * dial.step)).collect();
        let far = |numbers: &[i32]| -> f64 {
            let off = |((n, best), dial): ((&i32, &f64), &jewel_search::alphabeta::Param)| {
                ((f64::from(*n) - best) / f64::from(dial.step)).powi(2)
            };
            let tuned =
                numbers.iter().zip(&best).zip(SearchParams::PARAMS).filter(|(_, dial)| !dial.is_of_time());
            tuned.map(off).sum()
        };
        let spsa = spsa("duel", 30_000);
        let mut progress = Progress::new(&SearchParams::DEFAULT);
        let before = far(&progress.params().numbers());
        let mut random = Random::new(5);
        while progress.pairs < spsa.pairs {
            let pair = progress.pairs;
            let [one, other] = spsa.perturbed(&progress.numbers, pair).map(|params| far(&params.numbers()));
            let chance = 1.0 / (1.0 + ((one - other) / 40.0).exp());
            let won = f64::from(random.below(1 << 20)) < chance * f64::from(1 << 20);
            spsa.learn(&mut progress, pair, if won { 1.0 } else { -1.0 });
        }
        let after = far(&progress.params().numbers());
        assert!(after < before / 4.0, "{before} before, {after} after: {:?}", progress.params());
    }

    #[test]
    fn who_sees_itself_lost_does_not_play_on() {
        let resign = Some(Resign { score: 300, moves: 2 });
        let played = |resign| {
            let mut spsa = spsa("chess", 1);
            spsa.games[0].adjudication.resign = resign;
            let tuned = &spsa.games[0];
            let mut table: Table = [tuned.game.open(), tuned.game.open()];
            let queen_ahead = "4k3/8/8/8/8/8/PPPP4/3QK3 w - - 0 1";
            for engine in &mut table {
                engine
                    .configure(&Options { algorithm: Algorithm::Ab, hash: 1, ..Options::default() })
                    .unwrap();
                engine.set_position(Some(queen_ahead), &[]).unwrap();
            }
            let moves = std::cell::Cell::new(0);
            let begin = || {
                moves.set(moves.get() + 1);
                Some(Stop::default())
            };
            let verdict = spsa.game(tuned, &mut table, 0, &mut Random::new(1), &begin).unwrap();
            (verdict, moves.get())
        };
        // Black gives up with its second move.
        assert_eq!(played(resign), (Some(Verdict::WhiteWins), 4));
        let (verdict, moves) = played(None);
        assert!(verdict == Some(Verdict::WhiteWins) && moves > 4, "{moves}");
    }

    #[test]
    fn only_what_tells_is_moved() {
        let fixed = spsa("duel", 10);
        let clock = Spsa { clock: Some("10+0.1".parse().unwrap()), ..fixed.clone() };
        let still = |spsa: &Spsa| -> Vec<bool> {
            (0..5)
                .map(|pair| spsa.perturbations(pair))
                .reduce(|sum, by| sum.iter().zip(by).map(|(a, b)| a.abs() + b.abs()).collect())
                .unwrap()
                .iter()
                .map(|by| *by == 0.0)
                .collect()
        };
        let of_time: Vec<bool> = SearchParams::PARAMS.iter().map(Param::is_of_time).collect();
        assert_eq!(still(&fixed), of_time);
        assert_eq!(still(&clock), of_time.iter().map(|of_time| !of_time).collect::<Vec<_>>());
        assert_eq!(of_time.iter().filter(|of_time| **of_time).count(), 5);
    }

    /// A run that was killed goes on from its state file: with other last bits it would end elsewhere.
    #[test]
    fn a_state_file_keeps_every_bit_of_the_numbers() {
        let mut random = Random::new(3);
        let mut number = || f64::from(random.below(1 << 30)) / f64::from(1 + random.below(1 << 20));
        let progress = Progress { pairs: 1, numbers: (0..20_000).map(|_| number()).collect() };
        let text = serde_json::to_string(&progress).unwrap();
        assert_eq!(serde_json::from_str::<Progress>(&text).unwrap(), progress);
    }

    #[test]
    fn the_numbers_do_not_depend_on_threads_or_on_pauses() {
        independent(spsa("ambush", 20));
        independent(Spsa { clock: Some("2+0.1".parse().unwrap()), ..spsa("ambush", 20) });
        independent(spsa("ambush duel diamond-qi", 20));
    }

    fn independent(spsa: Spsa) {
        let run = |concurrency: usize| {
            let spsa = Spsa { concurrency, ..spsa.clone() };
            let mut progress = Progress::new(&SearchParams::DEFAULT);
            let openings = spsa.openings().unwrap();
            while progress.pairs < spsa.pairs {
                // A state that is saved and read goes on the same way.
                let text = serde_json::to_string(&progress).unwrap();
                progress = serde_json::from_str(&text).unwrap();
                assert!(spsa.step(&openings, &mut progress, &AtomicBool::new(false)).unwrap());
            }
            progress
        };
        let once = run(1);
        assert_eq!(once, run(3));
        assert_ne!(once.numbers, Progress::new(&SearchParams::DEFAULT).numbers);
        let mut stopped = once.clone();
        stopped.pairs = 0;
        let before = stopped.clone();
        assert!(!spsa.step(&spsa.openings().unwrap(), &mut stopped, &AtomicBool::new(true)).unwrap());
        assert_eq!(stopped, before);
    }
}
