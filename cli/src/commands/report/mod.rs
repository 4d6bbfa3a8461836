//! `jewel report`: what a designer wants to know about a game.

pub(crate) mod exact;

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::graph_progress::GraphProgress;
use crate::{beside, interrupt, output, progress, terminal};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::options::Algorithm;
use jewel_players::support::board::Style;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_solver::control::{Limits, MAX_POSITIONS};
use jewel_tables::atomic::AtomicFile;
use jewel_tournament::designer::{Known, SurveyOptions, survey};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Report on a game for its designer: what is exact, what self-play shows, how strongly skill tells
#[derive(Args)]
#[command(after_long_help = "\
The report begins with the board and the pieces. Then come exact facts: games with few positions (--max-positions) are \
solved within the report, and --tables brings the value of the start, where the tables hold it, the longest win, and what \
sets of pieces can do against each other. Everything else is sampled, with 95% intervals: engines of this program play themselves after a few random plies, and then a ladder of node \
budgets, each four times the one below, in which neighbours play each other; that says how many Elo four times the \
thinking is worth. a game of the sample and a tree of openings are shown, and the words are explained at the end. docs/report.md says how \
each figure is computed.

The same options give the same report; the number of threads does not matter. With --records the games are kept, and the same \
command goes on after Ctrl-C.

Examples:
  jewel report duel
  jewel report ambush --games 400 --nodes 4000 --html ambush.html
  jewel report ambush --tables jewel-tables/ambush
  jewel report --variant mine.toml --games 100 --nodes 1000 --json
  jewel report diamond-chess --games 1000 --records diamond-chess-games")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    which: WhichGame,

    /// Games of self-play, and of each step of the ladder
    #[arg(long, value_name = "N", default_value = "200", value_parser = RangedU64ValueParser::<u64>::new().range(2..=10_000_000))]
    games: u64,

    /// Positions that the strongest players search for a move
    #[arg(long, value_name = "N", default_value = "2000", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    nodes: u64,

    /// Budgets of the ladder, each a quarter of the next; 1 leaves the ladder out
    #[arg(long, value_name = "N", default_value = "4", value_parser = RangedU64ValueParser::<u32>::new().range(1..=16))]
    rungs: u32,

    /// How players choose their moves
    #[arg(long, alias = "engine", value_enum, default_value_t = Algorithm::Ab)]
    player: Algorithm,

    /// Random plies with which games begin [default: 4, or fewer in a game that they decide]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(0..=200))]
    plies: Option<u32>,

    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", default_value = "400", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    max_plies: usize,

    /// Solve the game if no more positions than this can be reached; 0 does not try
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = RangedU64ValueParser::<u64>::new().range(0..=MAX_POSITIONS))]
    max_positions: u64,

    /// Take exact values from the endgame tables, solution and proof files of this directory
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Seed of openings and of engines that play at random
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Games at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// Keep the records of games in this directory, and go on from those that are there
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,

    /// Write the report with its plots as one HTML page, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print a JSON object: game, fen, exact, sampled, ladder, ...
    #[arg(long)]
    json: bool,
}

impl ReportArgs {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.which.resolve()?;
        let interrupt = interrupt::listen()?;
        beside::tell(game, "");
        // An error in the tables is reported before anything is played.
        let mut known = match &self.tables {
            Some(folder) => exact::from_tables(game, folder)?,
            None => Known::default(),
        };
        if self.max_positions > 0 {
            let limits = Limits { max_positions: self.max_positions, memory: memory::limit(None) };
            let bars = GraphProgress::new();
            let solved = exact::from_graph(game, limits, interrupt, &mut |progress| bars.show(progress))?;
            if let Some((exact, longest_win)) = solved {
                known = Known { exact: Some(exact), longest_win, ..known };
            }
        }
        known.exact = known.exact.or_else(|| exact::from_catalogue(game));
        let bar = progress::bar(0, "games");
        let surveyed = survey(game, known, &self.wanted(), interrupt, &mut |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        });
        bar.finish_and_clear();
        let Some(report) = surveyed? else { bail!("{}", self.interrupted()) };
        if let Some(file) = &self.html {
            let page = report.html(&CommandLine::typed().to_string());
            write(file, &page).map_err(|e| anyhow!("{}: {}", file.display(), reason(&e)))?;
        }
        let style = Style { colours: terminal::colours(), unicode: terminal::unicode() };
        output::print(&if self.json { output::json_line(&report)? } else { report.text(style) })?;
        Ok(ExitStatus::Done)
    }

    fn wanted(&self) -> SurveyOptions {
        SurveyOptions {
            games: self.games,
            nodes: self.nodes,
            rungs: self.rungs,
            algorithm: self.player,
            plies: self.plies,
            max_plies: self.max_plies,
            seed: self.seed,
            concurrency: self.concurrency,
            records: self.records.clone(),
        }
    }

    fn interrupted(&self) -> String {
        match &self.records {
            Some(folder) => {
                format!(
                    "interrupted: all games are in {}, go on with: {}",
                    folder.display(),
                    CommandLine::typed()
                )
            }
            None => "interrupted: nothing was kept; --records DIR keeps games and goes on".to_string(),
        }
    }
}

/// Writes the whole file or nothing.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let mut atomic = AtomicFile::create(file)?;
    atomic.write_all(text.as_bytes())?;
    atomic.commit()
}
