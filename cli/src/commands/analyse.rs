//! `jewel analyse`: an engine's opinion of a position, or of a file of positions.

use super::ExitStatus;
use crate::analysis::batch::Batch;
use crate::analysis::{Finding, interruptible, live_line};
use crate::arguments::GameArgs;
use crate::engine_arguments::{LimitArgs, PowerArgs};
use crate::{interrupt, output};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::catalogue::AnyGame;
use jewel_players::options::Algorithm;
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// How long a search takes without a limit.
const USUAL_TIME: Duration = Duration::from_secs(5);

/// The same for each position of a batch.
const USUAL_BATCH_TIME: Duration = Duration::from_secs(1);

/// Ask an engine about a position, or about a file of positions
#[derive(Args)]
#[command(after_long_help = "\
The score is for the side to move: hundredths of a pawn (+0.35), a share of a point with --player mcts (62.5%), \
or a forced result with its distance in plies (win in 5 plies, win in at most 9 plies). Without a limit the search takes 5 seconds, \
in a batch 1 second a position; the first limit reached ends it, and so does Ctrl-C. On a terminal the lines found so far \
appear on stderr.

In crown-jewels --fen takes what one player sees as well, and the search is shown no more than that; the share comes with its \
standard error.

A file for --epd has a position a line: a position string of the game, and operations of EPD: bm, am and id. Each \
result is a JSON object on a line of its own, written as soon as it is found. Positions that are already in --out FILE \
are left out, so a batch that was stopped goes on with the same command. The exit code is 1 if a \
move of bm was not found, or one of am was chosen.

Examples:
  jewel analyse ambush --time 10
  jewel analyse diamond-chess --moves \"e2e4\" --depth 12 --multipv 3 --threads 2 --hash 1G
  jewel analyse duel --player mcts --playouts 10000 --json
  jewel analyse diamond-quest --epd suite.epd --nodes 100000 --out results.jsonl")]
pub(crate) struct Analyse {
    #[command(flatten)]
    game: GameArgs,

    /// How to search [default: ab; mcts where players see different things]
    #[arg(long, alias = "engine", value_enum, help_heading = "Engine")]
    player: Option<Algorithm>,

    #[command(flatten)]
    power: PowerArgs,

    #[command(flatten)]
    limits: LimitArgs,

    /// Lines to report, best first
    #[arg(long, value_name = "N", default_value = "1", value_parser = RangedU64ValueParser::<u32>::new().range(1..=500))]
    multipv: u32,

    /// Analyse each position of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves"], help_heading = "Batch")]
    epd: Option<PathBuf>,

    /// Append the results of a batch to this file
    #[arg(long, value_name = "FILE", requires = "epd", help_heading = "Batch")]
    out: Option<PathBuf>,

    /// Print a JSON object: game, fen, engine, score, bestmove, line, depth, nodes, seconds, lines, ...
    #[arg(long)]
    json: bool,
}

impl Analyse {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.game.resolve()?;
        let algorithm = self.player.unwrap_or_else(|| game.usual_algorithm(self.power.cheat));
        if self.limits.playouts.is_some() && algorithm != Algorithm::Mcts {
            bail!("--playouts limits Monte Carlo tree search: give --player mcts too");
        }
        interrupt::listen()?;
        self.power.tell_beside(game);
        match &self.epd {
            Some(file) => self.batch(game, algorithm, file),
            None => self.single(game, algorithm),
        }
    }

    fn limits(&self, algorithm: Algorithm, usual: Duration) -> Limits<String> {
        Limits { multipv: self.multipv, ..self.limits.limits(algorithm, usual) }
    }

    fn single(&self, game: AnyGame, algorithm: Algorithm) -> Result<ExitStatus> {
        let mut engine = self.game.open(game)?;
        let finding = match Finding::from_ending(engine.as_ref(), algorithm, self.multipv) {
            Some(finding) => finding,
            None => {
                engine.configure(&self.power.options(algorithm))?;
                let stop = Stop::new();
                let live = std::io::stderr().is_terminal();
                let mut show = |info: &_| {
                    if live {
                        // Nothing is lost where stderr is closed.
                        let _ = writeln!(std::io::stderr(), "{}", live_line(info, self.multipv));
                    }
                };
                let limits = self.limits(algorithm, USUAL_TIME);
                let stops = [Mutex::new(stop.clone())];
                let report = interruptible(&stops, || engine.search(&limits, &stop, &mut show))?;
                Finding::new(engine.as_ref(), algorithm, self.multipv, &report)
            }
        };
        output::print(&if self.json { output::json_line(&finding)? } else { finding.text() })?;
        Ok(ExitStatus::Done)
    }

    fn batch(&self, game: AnyGame, algorithm: Algorithm, file: &std::path::Path) -> Result<ExitStatus> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = self.power.threads.unwrap_or_else(cores);
        let mut options = self.power.options(algorithm);
        // Each position is searched by one thread, so that the results can be repeated.
        options.threads = 1;
        options.hash = (options.hash / workers).max(1);
        let limits = self.limits(algorithm, USUAL_BATCH_TIME);
        let batch = Batch { game, file, out: self.out.as_ref(), workers, options, limits };
        let summary = batch.run()?;
        // Without --out, stdout has the results.
        if self.out.is_some() {
            output::print(&if self.json { output::json_line(&summary)? } else { summary.text() })?;
        }
        Ok(if summary.solved < summary.known { ExitStatus::No } else { ExitStatus::Done })
    }
}
