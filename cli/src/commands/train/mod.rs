//! `jewel train`: a network as evaluation, from games that the program plays against itself.

mod exact;
mod lesson;
mod lesson_report;
mod state;

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::text::grouped;
use crate::{interrupt, output, progress, threads};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::ProgressBar;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::catalogue::AnyGame;
use jewel_players::self_play;
use jewel_players::support::files;
use jewel_players::tuned_files::evaluation_with_net;
use jewel_search::evaluate::{Evaluation, HandcraftedEvaluation};
use jewel_search::train::{Epoch, Fitting, Samples, fit};
use jewel_search::tune::SelfPlay;
use jewel_solver::tablebase::TableSet;
use serde::Serialize;
use state::State;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Train a network to evaluate a game of a variant file, from games that the program plays against itself
#[derive(Args)]
#[command(after_long_help = "\
Each round plays games from random openings, the first with the hand-made evaluation or the net of --first, the others with the \
net of the round before, and then fits a net to the quiet positions of all games: it learns to predict the scores of the searches and how the games \
ended. One game in 16 is held back; the net of the epoch that predicts them best is kept. The error is the mean cross-entropy \
in nats: 0.693 is no better than chance.

--also adds the positions of another state file, of this game or of one with the same board and pieces; \
none of them is held back.

With --tables, positions that endgame tables know are learnt with their exact values.

Everything follows from the seed; the number of threads does not matter. With --state, progress is saved after \
every batch of games and every round, and after Ctrl-C; the same command goes on and ends with the same net. \
The games of a first round are fitted anew if other --epochs, --trust, --also or --rounds are given, and added to if more --games are.

With --minutes it is a lesson: from nothing to a net in this time, by rounds of games and fitting and a match against the \
evaluation that follows from the rules. Endgame tables in jewel-tables, and a game that is small enough to be solved, give \
exact values. Only a net that wins the match is put beside the variant file (mine.net beside mine.toml), where every command \
that plays finds it; the exit code is 1 if it does not win. The state is kept beside it, too (mine.lesson): after Ctrl-C the \
same command goes on, and so does one with more --minutes.

Better prediction is not better play: let the net play a match before you trust it (docs/networks.md).

Examples:
  jewel train --variant mine.toml --minutes 10
  jewel train diamond-chess --games 10000 --out chess.net
  jewel train diamond-quest --rounds 3 --nodes 1000 --state quest.state --out quest.net
  jewel train diamond-chess --first own --rounds 1 --games 50000 --out next.net
  jewel train diamond-chess --also quest.state --state chess.state --out chess.net
  jewel train ambush --tables jewel-tables/ambush --out ambush.net
  jewel train --variant mine.toml --out mine.net --json")]
pub(crate) struct Train {
    #[command(flatten)]
    which: WhichGame,

    /// Learn the game from nothing in this many minutes, and put the net beside the variant file if it wins a match
    #[arg(long, value_name = "N", value_parser = minutes, conflicts_with_all = ["games", "rounds", "first", "also", "epochs", "trust"])]
    minutes: Option<f64>,

    /// Games to play in each round
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = RangedU64ValueParser::<u64>::new().range(32..=10_000_000))]
    games: u64,

    /// Nodes that a search may visit for each move
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    nodes: u64,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Rounds of games and fitting
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = RangedU64ValueParser::<u32>::new().range(1..=100))]
    rounds: u32,

    /// Play the first round with the net of this file; `own` is the net that the game comes with
    #[arg(long, value_name = "FILE")]
    first: Option<PathBuf>,

    /// Learn from the positions of this state file, too: of the same game, or of one with the same board and pieces
    #[arg(long, value_name = "FILE")]
    also: Vec<PathBuf>,

    /// Passes over all positions in each fit
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = RangedU64ValueParser::<u32>::new().range(1..=1000))]
    epochs: u32,

    /// Weight of the searches' scores in what is learnt, in percent; the rest is that of the results of games
    #[arg(long, value_name = "PERCENT", default_value_t = 90, value_parser = RangedU64ValueParser::<u32>::new().range(0..=100))]
    trust: u32,

    /// Learn exact values from the endgame tables in this folder
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Go on from this file if it is there, and keep it up to date; with --minutes [default: beside the net]
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Write the net to this file; with --minutes [default: beside the variant file]
    #[arg(long, value_name = "FILE", required_unless_present = "minutes")]
    out: Option<PathBuf>,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Print a JSON object: game, games, positions, epochs (with errors), out; with --minutes also rounds, match and more
    #[arg(long)]
    json: bool,
}

/// The minutes of a lesson.
fn minutes(typed: &str) -> Result<f64, String> {
    let minutes = typed.parse().ok().filter(|minutes| (0.01..=100_000.0).contains(minutes));
    minutes.ok_or_else(|| "write a number of minutes, such as 10 or 60".to_string())
}

/// Games between two looks at the state file: not fewer, and not less than this share of all.
const BATCH: u64 = 32;
const BATCHES: u64 = 50;

/// How games are made: the openings, the longest game, and whether all its quiet positions are kept.
const PLAY: SelfPlay = SelfPlay {
    nodes: 0,
    random_plies: 8,
    balanced: false,
    longest: 250,
    careless: 0,
    kept: usize::MAX,
    decided: false,
    seed: 0,
};

/// The result: what `--json` prints.
#[derive(Serialize, Debug)]
struct Summary {
    game: String,
    games: u64,
    positions: usize,
    /// Of the last round.
    epochs: Vec<EpochLine>,
    out: String,
}

#[derive(Serialize, Debug)]
struct EpochLine {
    number: u32,
    fitted: f64,
    held: f64,
}

impl Train {
    /// The rules of the game, if there can be nets for it.
    fn rules(&self) -> Result<&'static Rules> {
        let AnyGame::Variant(rules) = self.which.resolve()? else {
            bail!("nets are for games of variant files only; jewel games lists them");
        };
        Ok(rules)
    }

    pub(crate) fn run(self) -> Result<ExitStatus> {
        if let Some(minutes) = self.minutes {
            return Ok(if self.lesson(minutes)? { ExitStatus::Done } else { ExitStatus::No });
        }
        let Some(out) = &self.out else { bail!("no file for the net: give --out FILE") };
        let rules = self.rules()?;
        let fresh = State::new(self.command().to_string());
        let state = match &self.state {
            Some(file) => fresh.resume(file, rules, self.games)?,
            None => fresh,
        };
        let tables = self.tables.as_ref().map(|folder| TableSet::open(rules, folder)).transpose()?;
        let pool = threads::pool(self.threads)?;
        let interrupt = interrupt::listen()?;
        let beginner = self.beginner(rules)?;
        // A wrong file is found before anything is played; none is needed if nothing is left to fit.
        let missing: &[PathBuf] = if state.rounds < self.rounds { &self.also } else { &[] };
        let also = missing.iter().map(|file| State::positions(file, rules)).collect::<Result<_>>()?;
        let trainer =
            Trainer { args: &self, out, rules, beginner, tables, also, state, epochs: Vec::new(), interrupt };
        let text = pool.install(|| with_leanest_game!(rules, game => trainer.run(&game)))?;
        output::print(&text)?;
        Ok(ExitStatus::Done)
    }

    /// The evaluation that plays the first round.
    fn beginner(&self, rules: &Rules) -> Result<Evaluation> {
        let Some(file) = &self.first else { return Ok(Evaluation::from(HandcraftedEvaluation::best(rules))) };
        if file == Path::new("own") {
            let own = Evaluation::best(rules);
            if own.net().is_none() {
                bail!("{} comes with no net: give a file to --first, or leave it out", rules.id);
            }
            return Ok(own);
        }
        evaluation_with_net(rules, file)
    }

    /// The command line, without what does not bear on the result.
    fn command(&self) -> CommandLine {
        let line = CommandLine::new(&["train"])
            .which(&self.which)
            .option("--games", Some(self.games))
            .option("--nodes", Some(self.nodes))
            .option("--seed", Some(self.seed))
            .option("--rounds", Some(self.rounds))
            .option("--first", self.first.as_ref().map(|net| net.display()));
        let also = |line: CommandLine, file: &PathBuf| line.option("--also", Some(file.display()));
        let line = self.also.iter().fold(line, also);
        line.option("--epochs", Some(self.epochs))
            .option("--trust", Some(self.trust))
            .option("--tables", self.tables.as_ref().map(|folder| folder.display()))
    }

    /// The command line that goes on from a state file.
    fn command_to_go_on(&self, state: &Path) -> CommandLine {
        self.command()
            .option("--state", Some(state.display()))
            .option("--out", self.out.as_ref().map(|out| out.display()))
            .option("--threads", self.threads)
            .flag("--json", self.json)
    }
}

/// A run in progress.
struct Trainer<'a> {
    args: &'a Train,
    /// The file of the net.
    out: &'a Path,
    rules: &'static Rules,
    /// The evaluation that plays the first round.
    beginner: Evaluation,
    tables: Option<TableSet<'static>>,
    /// Positions to learn from beside those of the games.
    also: Vec<Samples>,
    state: State,
    /// Of the last round.
    epochs: Vec<EpochLine>,
    interrupt: &'static AtomicBool,
}

impl Trainer<'_> {
    /// Plays and fits all rounds; the text to be printed.
    fn run<S: RuleSubset, const N: usize>(mut self, game: &ChessGame<'static, S, N>) -> Result<String> {
        while self.state.rounds < self.args.rounds {
            self.play(game)?;
            self.fit()?;
        }
        let Some(net) = &self.state.net else { bail!("no rounds to train in: give --rounds 1 or more") };
        files::write(self.out, &net.to_bytes())?;
        let samples = &self.state.samples;
        let summary = Summary {
            game: self.rules.id.clone(),
            games: samples.games(),
            positions: samples.len(),
            epochs: self.epochs,
            out: self.out.display().to_string(),
        };
        if self.args.json { output::json_line(&summary) } else { Ok(summary.text()) }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn evaluation(&self) -> Evaluation {
        match &self.state.net {
            Some(net) => Evaluation::with_net(HandcraftedEvaluation::best(self.rules), Arc::new(net.clone())),
            None => self.beginner.clone(),
        }
    }

    /// Plays the games of the round that are missing.
    fn play<S: RuleSubset, const N: usize>(&mut self, game: &ChessGame<'static, S, N>) -> Result<()> {
        let make =
            self_play::searchers::<ChessLike<'static, S, N>, Evaluation>(AnyGame::Variant(self.rules))?;
        let evaluation = self.evaluation();
        let &Train { nodes, seed, games, .. } = self.args;
        let how = SelfPlay { nodes, seed, decided: self.tables.is_some(), ..PLAY };
        let all = games * u64::from(self.state.rounds + 1);
        let batch = BATCH.max(games / BATCHES);
        let bar = progress::bar(games * u64::from(self.args.rounds), "games");
        bar.set_position(self.state.samples.games());
        while self.state.samples.games() < all {
            let played = self.state.samples.games();
            let play = |n: usize| -> Result<_> {
                if self.interrupted() {
                    return Ok(None);
                }
                let mut searcher = make(evaluation.clone())?;
                let game_played = how.play_with(game, &mut *searcher, played + n as u64);
                bar.inc(1);
                Ok(Some(game_played))
            };
            let played = parallel::try_map(batch.min(all - played) as usize, play)?;
            let tables = self.tables.as_ref();
            let exact = |position: &ChessLike<'static, S, N>| tables?.probe(position).ok();
            let hand = HandcraftedEvaluation::best(self.rules);
            // Games count in the order of their numbers: those after a gap are played again.
            for played in played.iter().map_while(Option::as_ref) {
                self.state.samples.push(played, &hand, exact);
            }
            self.save(&bar)?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Fits the net of the round.
    fn fit(&mut self) -> Result<()> {
        let &Train { epochs, trust, seed, .. } = self.args;
        let how = Fitting { epochs, trust: f64::from(trust) / 100.0, seed, ..Fitting::default() };
        let bar = progress::bar(epochs.into(), "epochs");
        let mut lines = Vec::new();
        let mut tell = |Epoch { number, fitted, held }| {
            lines.push(EpochLine { number, fitted, held });
            bar.inc(1);
            !self.interrupted()
        };
        let mut samples = Cow::Borrowed(&self.state.samples);
        self.also.iter().for_each(|also| samples.to_mut().learn_from(also));
        let net = fit(self.rules, &samples, &how, &self.state.command, &mut tell);
        if net.is_none() && !self.interrupted() {
            bail!(
                "no quiet positions to learn from in {} games: play more with --games",
                grouped(self.state.samples.games())
            );
        }
        if let Some(net) = net {
            self.state.net = Some(net);
            self.state.rounds += 1;
            self.epochs = lines;
        }
        self.save(&bar)?;
        bar.finish_and_clear();
        Ok(())
    }

    /// Saves the state if that was asked for, or after Ctrl-C.
    fn save(&self, bar: &ProgressBar) -> Result<()> {
        if let Some(file) = &self.args.state {
            self.state.save(file, self.rules)?;
        }
        if !self.interrupted() {
            return Ok(());
        }
        bar.finish_and_clear();
        let file = self
            .args
            .state
            .clone()
            .unwrap_or_else(|| files::unused_name(&format!("{}-train", self.rules.id)));
        if self.args.state.is_none() {
            self.state.save(&file, self.rules)?;
        }
        bail!(
            "interrupted after {} games and {} of {} rounds: all of it is in {}, go on with: {}",
            grouped(self.state.samples.games()),
            self.state.rounds,
            self.args.rounds,
            file.display(),
            self.args.command_to_go_on(&file)
        )
    }
}

impl Summary {
    /// For people.
    fn text(&self) -> String {
        let error = match self.epochs.iter().min_by(|a, b| a.held.total_cmp(&b.held)) {
            Some(best) => format!("{:.5} on positions held back, after {} epochs", best.held, best.number),
            None => "as the state file has it".to_string(),
        };
        format!(
            "games      {}\npositions  {}\nerror      {error}\nnet        {}\n",
            grouped(self.games),
            grouped(self.positions as u64),
            self.out
        )
    }
}
