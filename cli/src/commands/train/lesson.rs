//! A lesson: from nothing to a network that beats the evaluation that follows from the rules, in a given time.
//!
//! Rounds of self-play and fitting take most of the time, as in `jewel train` with its own options, and a match of the
//! network against that evaluation the rest. Only a network that wins the match is put beside the variant file.

use super::Train;
use super::exact::{Exact, solve_small};
use super::lesson_report::{MatchLine, RoundLine, Summary};
use super::state::LessonState;
use crate::command_line::CommandLine;
use crate::progress::Style;
use crate::text::grouped;
use crate::{interrupt, output, threads};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::value::{Side, Verdict};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::beside::net_file;
use jewel_players::catalogue::AnyGame;
use jewel_players::self_play::{self, Make};
use jewel_players::support::files;
use jewel_search::evaluate::net::Net;
use jewel_search::evaluate::{Evaluation, HandcraftedEvaluation};
use jewel_search::train::{Epoch, Fitting, fit};
use jewel_search::tune::{Contest, Played, SelfPlay};
use jewel_solver::tablebase::TableSet;
use jewel_tournament::statistics::counts::Results;
use jewel_tournament::statistics::elo;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The shares of the time at which games stop and a network is fitted. What is left is for the last fit and the match.
const FITS: [f64; 3] = [0.2, 0.48, 0.76];

/// The share of the time that one fit should take.
const FIT: f64 = 0.07;

/// Positions that a thread fits in a second, before it is known.
const FIT_SPEED: f64 = 40_000.0;

/// The most and the fewest epochs of a fit.
const EPOCHS: [u32; 2] = [4, 20];

/// The learning rate, and the decay of weights that only correct the handcrafted evaluation: without it they soon know
/// the games by heart.
const RATE: f64 = 3e-3;
const DECAY: f64 = 3.0;

/// The fewest and the most pairs of games of the match.
const PAIRS: [u64; 2] = [50, 1000];

/// Keeps the openings of the match apart from those of the lessons.
const MATCH_SEED: u64 = 0x6d61_7463_6800;

/// Random plies at the beginning of games, as far as the game has room for them.
const RANDOM_PLIES: u64 = 8;

/// Games after which it is known whether they teach anything, or this time and a few games.
const TRIAL: u64 = 64;
const TRIAL_TIME: Duration = Duration::from_secs(25);
const FEW: u64 = 8;

/// The fewest games that a network is fitted to.
const LEAST: u64 = 48;

/// The fewest positions of the first games.
const LEAST_POSITIONS: usize = 100;

/// Time between two saves of the state.
const SAVE: Duration = Duration::from_secs(20);

/// Time between two looks at the clock, in games for each thread.
const BATCH: usize = 4;

impl Train {
    /// Gives the lesson.
    pub(super) fn lesson(&self, minutes: f64) -> Result<bool> {
        let rules = self.rules()?;
        let beside = self.which.file().map(net_file);
        let Some(out) = self.out.clone().or(beside.clone()) else {
            bail!("{} has no variant file for the net to lie beside: give --out FILE", rules.id);
        };
        let state_file = self.state.clone().unwrap_or_else(|| out.with_extension("lesson"));
        let state = LessonState::resume(&state_file, self.lesson_command().to_string(), rules)?;
        if state.seconds == 0.0 && self.out.is_none() && out.exists() {
            let made = match Net::parse(&files::read(&out, 1 << 24)?, rules) {
                Ok(net) => format!("a net for these rules, by \"{}\"", net.origin()),
                Err(problem) => problem.to_string(),
            };
            bail!(
                "{} is there already ({made}): move it away, or write to another file with --out",
                out.display()
            );
        }
        let folder = PathBuf::from("jewel-tables").join(&rules.id);
        let usual = || folder.is_dir().then(|| TableSet::open(rules, &folder).ok()).flatten();
        let tables = match &self.tables {
            Some(folder) => Some(TableSet::open(rules, folder)?),
            None => usual(),
        };
        let pool = threads::pool(self.threads)?;
        let lesson = Lesson {
            args: self,
            rules,
            installs: self.out.is_none(),
            out,
            state_file,
            state,
            limit: minutes * 60.0,
            begun: Instant::now(),
            saved: Instant::now(),
            speed: FIT_SPEED * pool.current_num_threads() as f64,
            how: SelfPlay {
                nodes: self.nodes,
                seed: self.seed,
                random_plies: 0,
                balanced: true,
                longest: 250,
                kept: usize::MAX,
                ..SelfPlay::default()
            },
            bar: Style::Share.apply(ProgressBar::new((minutes * 60.0) as u64)),
            rounds: Vec::new(),
            interrupt: interrupt::listen()?,
        };
        let summary = pool.install(|| with_leanest_game!(rules, game => lesson.give(&game, tables)))?;
        let text = if self.json { output::json_line(&summary)? } else { summary.text() };
        output::print(&text)?;
        Ok(summary.better())
    }

    /// The command line, without what does not bear on what is learnt.
    fn lesson_command(&self) -> CommandLine {
        CommandLine::new(&["train"])
            .which(&self.which)
            .option("--nodes", Some(self.nodes))
            .option("--seed", Some(self.seed))
            .option("--tables", self.tables.as_ref().map(|folder| folder.display()))
    }
}

/// A lesson in progress.
struct Lesson<'a> {
    args: &'a Train,
    rules: &'static Rules,
    /// Whether the net is put beside the variant file.
    installs: bool,
    out: PathBuf,
    state_file: PathBuf,
    state: LessonState,
    /// Seconds in all, those of earlier runs too.
    limit: f64,
    begun: Instant,
    saved: Instant,
    /// Positions fitted in a second.
    speed: f64,
    how: SelfPlay,
    bar: ProgressBar,
    /// Of this run.
    rounds: Vec<RoundLine>,
    interrupt: &'static AtomicBool,
}

impl Lesson<'_> {
    fn give<S: RuleSubset, const N: usize>(
        mut self,
        game: &ChessGame<'static, S, N>,
        tables: Option<TableSet<'static>>,
    ) -> Result<Summary> {
        if game.start().outcome().is_some() {
            bail!("{}: the game is over in its start position: there is nothing to learn", self.rules.id);
        }
        self.how.random_plies = SelfPlay::fitting_plies(game, RANDOM_PLIES, self.args.seed);
        if self.how.random_plies == 0 {
            bail!(
                "{}: most games are over after one random move: there is nothing to learn; jewel solve finds the value",
                self.rules.id
            );
        }
        self.show("a look whether the game can be solved");
        let solved = match &tables {
            Some(_) => None,
            None => solve_small(&game.start(), self.limit, self.interrupt),
        };
        let exact = Exact::new(tables, solved);
        self.how.decided = exact.is_some();
        while let Some(until) = self.next_fit() {
            self.play(game, &exact, until)?;
            self.fit()?;
        }
        if self.state.lessons.net.is_none() {
            // So little time that none was left for games: as few as will do.
            self.play(game, &exact, 0.0)?;
        }
        if self.state.fitted < self.state.lessons.samples.games() {
            self.fit()?;
        }
        let Some(net) = self.state.lessons.net.clone() else {
            bail!("no net was fitted in {} minutes: give more", self.limit / 60.0)
        };
        let found = self.contest(game, &net)?;
        self.bar.finish_and_clear();
        let better = found.is_better();
        let written = better || !self.installs;
        if written {
            files::write(&self.out, &net.to_bytes())?;
        }
        let samples = &self.state.lessons.samples;
        Ok(Summary {
            game: self.rules.id.clone(),
            minutes: (self.gone() / 6.0).round() / 10.0,
            games: samples.games(),
            positions: samples.len(),
            exact: samples.exact(),
            source: exact.source(),
            rounds: self.rounds,
            contest: found,
            out: written.then(|| self.out.display().to_string()),
            beside: self.installs,
            state: self.state_file.display().to_string(),
        })
    }

    /// The seconds that have been used, in earlier runs too.
    fn gone(&self) -> f64 {
        self.state.seconds + self.begun.elapsed().as_secs_f64()
    }

    /// When the next fit is due, in seconds from the beginning.
    fn next_fit(&self) -> Option<f64> {
        FITS.iter().map(|share| share * self.limit).find(|until| *until > self.gone())
    }

    fn show(&self, what: &str) {
        self.bar.set_position((self.gone() as u64).min(self.limit as u64));
        self.bar.set_message(what.to_string());
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn hand(&self) -> HandcraftedEvaluation {
        HandcraftedEvaluation::best(self.rules)
    }

    fn evaluation(&self) -> Evaluation {
        match &self.state.lessons.net {
            Some(net) => Evaluation::with_net(self.hand(), Arc::new(net.clone())),
            None => Evaluation::by_rules(self.rules),
        }
    }

    /// What makes the searchers of the games.
    fn searchers<S: RuleSubset, const N: usize>(&self) -> Result<Make<ChessLike<'static, S, N>, Evaluation>> {
        self_play::searchers(AnyGame::Variant(self.rules))
    }

    /// Plays games for this round until the time has come, and enough of them.
    fn play<S: RuleSubset, const N: usize>(
        &mut self,
        game: &ChessGame<'static, S, N>,
        exact: &Exact<ChessLike<'static, S, N>>,
        until: f64,
    ) -> Result<()> {
        let make = self.searchers::<S, N>()?;
        let (evaluation, hand) = (self.evaluation(), self.hand());
        let fresh = self.state.lessons.samples.games() == 0;
        let (mut trial, mut won) = (fresh, 0);
        let batch = BATCH * rayon::current_num_threads();
        while self.gone() < until || self.state.lessons.samples.games() < self.state.fitted + LEAST {
            let first = self.state.lessons.samples.games();
            let play = |n: usize| -> Result<Option<Played<_>>> {
                if self.interrupted() {
                    return Ok(None);
                }
                let mut searcher = make(evaluation.clone())?;
                Ok(Some(self.how.play_with(game, &mut *searcher, first + n as u64)))
            };
            let played = parallel::try_map(batch, play)?;
            // Games count in the order of their numbers: those after a gap are played again.
            for played in played.iter().map_while(Option::as_ref) {
                won += u64::from(played.verdict != Verdict::Draw);
                self.state.lessons.samples.push(played, &hand, |position| exact.value(position));
            }
            let games = self.state.lessons.samples.games();
            self.show(&format!("round {}, {} games", self.state.lessons.rounds + 1, grouped(games)));
            if trial && (games >= TRIAL || games >= FEW && self.begun.elapsed() > TRIAL_TIME) {
                trial = false;
                self.check_trial(won)?;
            }
            self.save(false)?;
        }
        Ok(())
    }

    /// Whether the first games teach anything.
    fn check_trial(&self, won: u64) -> Result<()> {
        let samples = &self.state.lessons.samples;
        let games = samples.games();
        let problem = if won == 0 {
            format!(
                "none of the first {games} games was won, and none would be in any number: do they end? jewel report \
                 shows how"
            )
        } else if samples.len() < LEAST_POSITIONS.min(games as usize) {
            format!(
                "the first {games} games had {} positions to learn from: the game is over too soon; jewel solve finds \
                 its value",
                samples.len()
            )
        } else {
            return Ok(());
        };
        self.bar.finish_and_clear();
        bail!("{}: {problem}", self.rules.id)
    }

    /// Fits a net to all games so far.
    fn fit(&mut self) -> Result<()> {
        let lessons = &self.state.lessons;
        let positions = lessons.samples.len();
        let epochs = (FIT * self.limit * self.speed / positions.max(1) as f64) as u32;
        let epochs = epochs.clamp(EPOCHS[0], EPOCHS[1]);
        // Small steps need many of them.
        let batch = (positions / 40).clamp(512, 4096).next_power_of_two();
        let how = Fitting {
            epochs,
            batch,
            seed: self.args.seed,
            added: true,
            rate: RATE,
            decay: DECAY,
            ..Fitting::default()
        };
        let begun = Instant::now();
        let (mut held, mut best, round) = (f64::INFINITY, 0, lessons.rounds + 1);
        let mut tell = |epoch: Epoch| {
            if epoch.held < held {
                (held, best) = (epoch.held, epoch.number);
            }
            self.show(&format!("round {round}, epoch {} of {epochs}, error {held:.5}", epoch.number));
            !self.interrupted()
        };
        let origin = format!("{} --minutes {}", lessons.command, self.limit / 60.0);
        let games = lessons.samples.games();
        let Some(net) = fit(self.rules, &lessons.samples, &how, &origin, &mut tell) else {
            self.save(true)?;
            bail!("{}: no quiet positions to learn from in {games} games", self.rules.id);
        };
        self.speed = f64::from(epochs) * positions as f64 / begun.elapsed().as_secs_f64().max(1e-3);
        self.rounds.push(RoundLine { number: round, games, positions, epochs, best, held });
        self.state.lessons.net = Some(net);
        self.state.lessons.rounds += 1;
        self.state.fitted = games;
        self.save(true)
    }

    /// The match of the net against the evaluation that follows from the rules.
    fn contest<S: RuleSubset, const N: usize>(
        &mut self,
        game: &ChessGame<'static, S, N>,
        net: &Net,
    ) -> Result<MatchLine> {
        let make = self.searchers::<S, N>()?;
        let new = Evaluation::with_net(self.hand(), Arc::new(net.clone()));
        let old = Evaluation::by_rules(self.rules);
        let how = SelfPlay { seed: self.args.seed ^ MATCH_SEED, ..self.how };
        let (mut results, mut nodes, mut time) = (Results::default(), [0; 2], [Duration::ZERO; 2]);
        let batch = rayon::current_num_threads() as u64;
        let mut pairs = 0;
        while pairs < PAIRS[0] || pairs < PAIRS[1] && self.gone() < self.limit {
            let play = |n: usize| -> Result<Option<(Contest, Contest)>> {
                let number = pairs + n as u64;
                let game = |number| -> Result<Contest> {
                    let [mut first, mut second] = [make(new.clone())?, make(old.clone())?];
                    Ok(how.contest_with(game, [&mut *first, &mut *second], number))
                };
                if self.interrupted() {
                    return Ok(None);
                }
                Ok(Some((game(2 * number)?, game(2 * number + 1)?)))
            };
            for pair in parallel::try_map(batch as usize, play)? {
                let Some((white, black)) = pair else {
                    self.save(true)?;
                    bail!("interrupted");
                };
                let outcomes = [white.verdict.seen_by(Side::White), black.verdict.seen_by(Side::Black)];
                outcomes.into_iter().for_each(|outcome| results.games.add(outcome));
                results.add_pair(outcomes[0], outcomes[1]);
                for game in [white, black] {
                    for n in 0..2 {
                        nodes[n] += game.nodes[n];
                        time[n] += game.time[n];
                    }
                }
            }
            pairs += batch;
            let elo = elo::difference(&results).map_or(0.0, |estimate| estimate.elo);
            self.show(&format!("match against the rules' own evaluation, {pairs} pairs, {elo:+.0} Elo"));
        }
        let speed = |n: usize| nodes[n] as f64 / time[n].as_secs_f64().max(1e-9);
        Ok(MatchLine::new(&results, self.args.nodes, speed(0) / speed(1)))
    }

    /// Saves the state now and then, and after Ctrl-C, which ends the lesson.
    fn save(&mut self, now: bool) -> Result<()> {
        if now || self.interrupted() || self.saved.elapsed() > SAVE {
            let seconds = self.gone();
            self.state.save(&self.state_file, self.rules, seconds)?;
            self.saved = Instant::now();
        }
        if !self.interrupted() {
            return Ok(());
        }
        self.bar.finish_and_clear();
        bail!(
            "interrupted after {} games and {} rounds: all of it is in {}, go on with: {}",
            grouped(self.state.lessons.samples.games()),
            self.state.lessons.rounds,
            self.state_file.display(),
            CommandLine::typed()
        )
    }
}
