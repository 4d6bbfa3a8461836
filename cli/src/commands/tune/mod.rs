//! `jewel tune`: weights of the evaluation, from games that the program plays against itself.

mod method;
mod spsa;
mod state;

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::text::grouped;
use crate::{interrupt, output, progress, threads};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::ProgressBar;
use jewel_engine::ability::Game;
use jewel_engine::parallel;
use jewel_engine::tactics::Tactics;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::catalogue::AnyGame;
use jewel_players::playable::Playable;
use jewel_players::self_play;
use jewel_players::support::files::{self, read_text};
use jewel_players::with_coded_game;
use jewel_search::evaluate::{Tunable, WeightList, Weights};
use jewel_search::tune::{self, SelfPlay};
use jewel_tournament::clock::TimeControl;
use method::{ByList, ByRules, Method, Task};
use serde::Serialize;
use serde::de::DeserializeOwned;
use state::{Samples, State};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Fit the weights of a game's evaluation to games that the program plays against itself
#[derive(Args)]
#[command(after_long_help = "\
The program plays games from random openings, keeps quiet positions of them, and looks for the weights under which \
the evaluation predicts best how these games ended (logistic regression; the \"Texel\" method). One game in eight is \
held back: how well it is predicted, before and after, is the result. The error is the mean cross-entropy in nats: \
0.693 is no better than chance, 0 is perfect.

Everything follows from the seed; the number of threads does not matter. With --state, progress is saved after \
every batch of games and every round, and after Ctrl-C; the same command goes on and ends with the same weights.

Better prediction is not better play: let the new weights play a match before you trust them (docs/tuning.md).

With --spsa the parameters of alpha-beta search are tuned: all are changed at once, up or down by chance, and play a pair of games against the opposite change; they then move a little towards the winner's. Without --clock these are the parameters of pruning and reduction, with it those of time management. A player takes them with params=FILE.

Examples:
  jewel tune ambush --games 2000 --out ambush.json
  jewel tune diamond-chess --games 20000 --nodes 1000 --state chess.state --out chess.json
  jewel tune --variant mine.toml > mine.json
  jewel tune diamond-chess --spsa --games 4000 --nodes 3000 --state chess.spsa --out chess.params.json
  jewel tune --spsa --basket cousins.toml --games 20000 --nodes 10000 --state cousins.spsa
  jewel tune diamond-chess --spsa --clock 2+0.02 --nodes 1000000 --games 4000 --out chess.time.json
  jewel tune ambush --weights ambush.json --seed 2 --out better.json --json")]
pub(crate) struct Tune {
    #[command(flatten)]
    which: WhichGame,

    /// Games to play
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = RangedU64ValueParser::<u64>::new().range(8..=10_000_000))]
    games: u64,

    /// Nodes that a search may visit for each move
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    nodes: u64,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Play one move in N at random, so that one side gets ahead in games that would be drawn; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<u64>::new().range(0..=1000))]
    careless: u64,

    /// Tune the parameters of pruning and reduction instead of weights, by playing them against each other
    #[arg(long, conflicts_with_all = ["careless", "rounds", "weights"])]
    spsa: bool,

    /// With --spsa: tune for all games of this file, which is one that `jewel tournament --basket` reads
    #[arg(long, value_name = "FILE", requires = "spsa", conflicts_with = "variant")]
    basket: Option<PathBuf>,

    /// With --spsa: begin with the parameters of this file [default: the game's own]
    #[arg(long, value_name = "FILE", requires = "spsa")]
    params: Option<PathBuf>,

    /// With --spsa: random plies at the beginning of a game; more if games hardly differ or are drawn
    #[arg(long, value_name = "N", default_value_t = OPENING_PLIES, requires = "spsa", value_parser = RangedU64ValueParser::<u32>::new().range(0..=1000))]
    opening_plies: u32,

    /// With --spsa: a game of this many plies is a draw
    #[arg(long, value_name = "N", default_value_t = MAX_PLIES, requires = "spsa", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    max_plies: usize,

    /// With --spsa: play with this clock, such as 10+0.1, on which --nodes positions count as a second, and
    /// tune the parameters of time management; what wins at a tenth of a machine's speed need not win at full speed
    #[arg(long, value_name = "TIME", requires = "spsa")]
    clock: Option<TimeControl>,

    /// Rounds of fitting: each begins with the weights of the one before
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,

    /// Begin with the weights of this file [default: derived from the rules, or the game's own before tuning]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Go on from this file if it is there, and keep it up to date
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Write the weights to this file [default: print them]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Print a JSON object: game, games, wins, draws, losses, positions, held, scale, rounds, error_before, error_after, ...
    #[arg(long)]
    json: bool,
}

/// The longest weights file that is read, in bytes.
const MAX_WEIGHTS_BYTES: u64 = 1 << 24;

/// With --spsa, the defaults for random plies at the beginning of a game and for the plies after which it is a draw.
const OPENING_PLIES: u32 = 6;
const MAX_PLIES: usize = 300;

/// Games between two saves of the state: at least this number, and at least this share of all.
const BATCH: u64 = 32;
const BATCHES: u64 = 50;

/// The result: what `--json` prints.
#[derive(Serialize, Debug)]
struct Summary<W> {
    game: String,
    games: u64,
    /// Games that White won.
    wins: usize,
    draws: usize,
    losses: usize,
    /// Positions learnt from.
    positions: usize,
    /// Positions held back.
    held: usize,
    /// Centipawns on which odds are ten to one.
    scale: f64,
    /// For each round, how strongly the weights were pulled back.
    rounds: Vec<f64>,
    /// The error on the positions held back.
    error_before: f64,
    error_after: f64,
    out: Option<String>,
    /// Unless they were written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<W>,
}

impl Tune {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        if self.spsa {
            return spsa::run(&self);
        }
        let game = self.which.resolve()?;
        let text = match game {
            AnyGame::Variant(rules) => {
                let beginning = self.beginning(rules)?;
                self.work(
                    game,
                    beginning,
                    |tuner| with_leanest_game!(rules, game => tuner.run(&game, &ByRules)),
                )?
            }
            AnyGame::Coded(coded) => {
                let list = with_coded_game!(coded, game => self.list(&game))?;
                self.work(
                    game,
                    list,
                    |tuner| with_coded_game!(coded, game => tuner.run(&game, &ByList(game.evaluation()))),
                )?
            }
        };
        output::print(&text)?;
        Ok(ExitStatus::Done)
    }

    /// Goes on from the state file, if there is one, on as many threads as are wanted.
    fn work<W>(
        &self,
        game: AnyGame,
        beginning: W,
        run: impl FnOnce(Tuner<'_, W>) -> Result<String> + Send,
    ) -> Result<String>
    where
        W: Clone + PartialEq + Serialize + DeserializeOwned + Send,
    {
        let fresh = State::new(self.command().to_string(), game.fingerprint(), beginning);
        let state = match &self.state {
            Some(file) => fresh.resume(file)?,
            None => fresh,
        };
        let pool = threads::pool(self.threads)?;
        let interrupt = interrupt::listen()?;
        pool.install(|| run(Tuner { args: self, game, state, interrupt }))
    }

    fn beginning(&self, rules: &Rules) -> Result<Weights> {
        let Some(file) = &self.weights else { return Ok(Weights::derived(rules)) };
        let text = read_text(file, MAX_WEIGHTS_BYTES)?;
        Weights::parse(&text, rules).map_err(|e| anyhow!("{}: {e}", file.display()))
    }

    /// The weights that a game without a variant file begins with.
    fn list<G: Playable<Evaluation: Tunable<G::Position>>>(&self, game: &G) -> Result<WeightList> {
        let weights = game.evaluation().weights();
        if weights.is_empty() {
            bail!("{}: there are no weights to tune: its evaluation follows from the rules", game.id());
        }
        let Some(file) = &self.weights else {
            return Ok(WeightList::new(game.id(), "by hand", &weights));
        };
        let list = WeightList::parse(&read_text(file, MAX_WEIGHTS_BYTES)?);
        let list = list.and_then(|list| list.values(game.id(), &weights).map(|_| list));
        list.map_err(|e| anyhow!("{}: {e}", file.display()))
    }

    /// The command line, without options that do not change the result.
    fn command(&self) -> CommandLine {
        CommandLine::new(&["tune"])
            .which(&self.which)
            .option("--games", Some(self.games))
            .option("--nodes", Some(self.nodes))
            .option("--seed", Some(self.seed))
            .flag("--spsa", self.spsa)
            .option("--basket", self.basket.as_ref().map(|file| file.display()))
            .option("--params", self.params.as_ref().map(|file| file.display()))
            .option("--opening-plies", (self.opening_plies != OPENING_PLIES).then_some(self.opening_plies))
            .option("--max-plies", (self.max_plies != MAX_PLIES).then_some(self.max_plies))
            .option("--clock", self.clock.as_ref())
            .option("--careless", (self.careless > 0).then_some(self.careless))
            .option("--rounds", (!self.spsa).then_some(self.rounds))
            .option("--weights", self.weights.as_ref().map(|file| file.display()))
    }

    /// The command line that goes on from a state file.
    fn command_to_go_on(&self, state: &Path) -> CommandLine {
        self.command()
            .option("--state", Some(state.display()))
            .option("--out", self.out.as_ref().map(|file| file.display()))
            .option("--threads", self.threads)
            .flag("--json", self.json)
    }
}

/// A run in progress.
struct Tuner<'a, W> {
    args: &'a Tune,
    game: AnyGame,
    state: State<W>,
    interrupt: &'static AtomicBool,
}

impl<W: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync> Tuner<'_, W> {
    /// Plays and fits; the text to be printed.
    fn run<G, M>(mut self, game: &G, method: &M) -> Result<String>
    where
        G: Game<Position: 'static>,
        G::Position: Tactics,
        M: Method<G, Weights = W, Evaluation: 'static>,
    {
        self.play(game, method)?;
        let summary = self.fit(game, method)?;
        if self.args.json { output::json_line(&summary) } else { Ok(summary.text(M::text)) }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Plays the games that are missing.
    fn play<G, M>(&mut self, game: &G, method: &M) -> Result<()>
    where
        G: Game<Position: 'static>,
        G::Position: Tactics,
        M: Method<G, Weights = W, Evaluation: 'static>,
    {
        let make = self_play::searchers::<G::Position, M::Evaluation>(self.game)?;
        let evaluation = method.evaluation(game, &self.state.beginning)?;
        let &Tune { nodes, seed, careless, .. } = self.args;
        let how = SelfPlay { nodes, seed, careless, longest: M::MAX_LENGTH, ..SelfPlay::default() };
        let all = self.args.games;
        let batch = BATCH.max(all / BATCHES);
        let bar = progress::bar(all, "games");
        bar.set_position(self.state.played());
        while self.state.played() < all {
            let first = self.state.played();
            let play = |n: usize| -> Result<_> {
                if self.interrupted() {
                    return Ok(None);
                }
                let mut searcher = make(evaluation.clone())?;
                let played = how.play_with(game, &mut *searcher, first + n as u64);
                bar.inc(1);
                Ok(Some(played))
            };
            let played = parallel::try_map(batch.min(all - first) as usize, play)?;
            // Games count in the order of their numbers: those after a gap are played again.
            played.iter().map_while(Option::as_ref).for_each(|played| self.state.push(played));
            self.save(&bar, game.id())?;
        }
        Ok(())
    }

    /// Fits the rounds that are missing.
    fn fit<G, M>(&mut self, game: &G, method: &M) -> Result<Summary<W>>
    where
        G: Game,
        G::Position: Tactics,
        M: Method<G, Weights = W>,
    {
        let args = self.args;
        let samples = self.state.samples(game)?;
        let Samples { fitted, held } = &samples;
        if fitted.is_empty() || held.is_empty() {
            bail!(
                "no quiet positions to learn from in {} games: play more with --games",
                grouped(args.games)
            );
        }
        let beginning = self.state.beginning.clone();
        let scale = tune::best_scale(&method.evaluation(game, &beginning)?, fitted);
        let bar = progress::bar(args.rounds as u64, "rounds");
        while self.state.rounds.len() < args.rounds {
            bar.set_position(self.state.rounds.len() as u64);
            let task = Task { beginning: &beginning, now: &self.state.weights, scale };
            if let Some((weights, strength)) = method.round(game, &task, &samples, &|| self.interrupted())? {
                self.state.weights = M::made_by(weights, &self.state.command);
                self.state.rounds.push(strength);
            }
            self.save(&bar, game.id())?;
        }
        bar.finish_and_clear();
        let weights = &self.state.weights;
        if let Some(file) = &args.out {
            files::write(file, M::text(weights).as_bytes())?;
        }
        let [wins, draws, losses] = self.state.results();
        let error =
            |weights: &W| -> Result<f64> { Ok(tune::error(&method.evaluation(game, weights)?, held, scale)) };
        Ok(Summary {
            game: game.id().to_string(),
            games: self.state.played(),
            wins,
            draws,
            losses,
            positions: fitted.len(),
            held: held.len(),
            scale,
            rounds: self.state.rounds.clone(),
            error_before: error(&beginning)?,
            error_after: error(weights)?,
            out: args.out.as_ref().map(|file| file.display().to_string()),
            weights: args.out.is_none().then(|| weights.clone()),
        })
    }

    /// Saves the state if that was asked for, or after Ctrl-C.
    fn save(&self, bar: &ProgressBar, game: &str) -> Result<()> {
        if let Some(file) = &self.args.state {
            self.state.save(file)?;
        }
        if !self.interrupted() {
            return Ok(());
        }
        bar.finish_and_clear();
        let file = self.args.state.clone().unwrap_or_else(|| files::unused_name(&format!("{game}-tune")));
        if self.args.state.is_none() {
            self.state.save(&file)?;
        }
        bail!(
            "interrupted after {} of {} games and {} of {} rounds: all of it is in {}, go on with: {}",
            grouped(self.state.played()),
            grouped(self.args.games),
            self.state.rounds.len(),
            self.args.rounds,
            file.display(),
            self.args.command_to_go_on(&file)
        )
    }
}

impl<W> Summary<W> {
    /// For people; `weights` gives the text of their file.
    fn text(&self, weights: impl FnOnce(&W) -> String) -> String {
        let Some(out) = &self.out else {
            return self.weights.as_ref().map(weights).unwrap_or_default();
        };
        let change = 100.0 * (self.error_after / self.error_before - 1.0);
        let strength = self.rounds.last().copied().unwrap_or_default();
        format!(
            "games      {} (White won {}, drew {}, lost {})\n\
             positions  {}, {} of them held back\n\
             scale      {:.0} centipawns are odds of ten to one\n\
             pull       {strength} positions count as one\n\
             error      {:.5} before, {:.5} after ({change:+.2}%), on positions held back\n\
             weights    {out}\n",
            grouped(self.games),
            grouped(self.wins as u64),
            grouped(self.draws as u64),
            grouped(self.losses as u64),
            grouped((self.positions + self.held) as u64),
            grouped(self.held as u64),
            self.scale,
            self.error_before,
            self.error_after,
        )
    }
}
