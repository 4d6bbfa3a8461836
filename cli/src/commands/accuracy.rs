//! `jewel accuracy`: how often players keep what a position is worth.

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::text::{grouped, numbers};
use crate::{interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::spec::Kind;
use jewel_tournament::accuracy::{Exam, Sheet, Source};
use jewel_tournament::config::{Config, Section, read_flag};
use std::path::PathBuf;

/// Measure how often players keep win, draw or loss, by endgame tables
#[derive(Args)]
#[command(after_long_help = "\
Players are asked for a move in many positions, each as if a game began there, and tables say whether the move keeps \
what the position is worth. Positions come after random moves from the start position, or from the games of a \
tournament; those are passed over in which the game is over or a move is not in the tables.

The table says what share of moves kept the value, among all positions, among decisions (positions in which \
another move would not have kept it), and among decisions in won and in drawn positions, each with its 95% interval; \
by how many plies wins that were kept take longer than they had to; and the time of a move.

Players are written as in `jewel help tournament`; each needs a limit of its own. The same options ask for the \
same positions, whoever is asked.

Examples:
  jewel accuracy ambush --tables jewel-tables/ambush --engine ab,time=10ms --engine mcts,time=10ms
  jewel accuracy ambush --tables DIR --games cup.jsonl --engine ab,nodes=10000 --positions 10000 --records marks.jsonl")]
pub(crate) struct Accuracy {
    #[command(flatten)]
    which: WhichGame,

    /// The folder of the game's tables
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,

    /// A player, such as name=ab1,kind=ab,nodes=20000; once for each
    #[arg(long, value_name = "PLAYER", required = true)]
    engine: Vec<String>,

    /// Settings for each player to whom they mean something, such as nodes=5000
    #[arg(long, value_name = "SETTINGS")]
    each: Vec<String>,

    /// How many positions
    #[arg(long, value_name = "N", default_value = "1000", value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000_000))]
    positions: u64,

    /// The most random moves from the start position
    #[arg(long, value_name = "N", default_value = "40", conflicts_with = "games", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1000))]
    plies: u32,

    /// Take positions from the games of a tournament: its file of records
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,

    /// Seed of the positions and of players who play at random
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Positions at once [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// Keep a line for each position in this file, and go on from those that are there
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Print a JSON object: game, positions, decisions, and players with what they kept
    #[arg(long)]
    json: bool,
}

impl Accuracy {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let exam = self.exam()?;
        let interrupt = interrupt::listen()?;
        let bar = progress::bar(self.positions, "positions");
        let mut sheet = Sheet::new(&exam);
        let complete = exam.run(interrupt, &mut |answer| {
            sheet.enter(answer);
            bar.inc(1);
            Ok(())
        });
        bar.finish_and_clear();
        if !complete? {
            let done = format!("interrupted after {} of {} positions", sheet.positions, self.positions);
            match &self.records {
                Some(file) => {
                    bail!("{done}: they are in {}, go on with: {}", file.display(), CommandLine::typed())
                }
                None => bail!("{done}: nothing was kept; --records FILE keeps answers and goes on"),
            }
        }
        output::print(&if self.json { output::json_line(&sheet)? } else { text(&sheet) })?;
        Ok(ExitStatus::Done)
    }

    fn exam(&self) -> Result<Exam> {
        let game = self.which.resolve()?;
        let config = Config::read(self.sections()?).map_err(|e| anyhow!(e))?;
        for entrant in &config.entrants {
            if entrant.clock.is_some() {
                bail!("{}: nobody plays a game here: leave clock out, and give time or nodes", entrant.place);
            }
            if entrant.spec.kind() == Kind::Human {
                bail!("{}: people are not asked: take another kind of player", entrant.place);
            }
        }
        let source = match &self.games {
            Some(file) => Source::Games { records: file.clone() },
            None => Source::Random { plies: self.plies },
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Exam {
            game,
            tables: self.tables.clone(),
            concurrency: self.concurrency.unwrap_or_else(|| (cores / config.threads()).max(1)),
            players: config.entrants.into_iter().map(|entrant| entrant.spec).collect(),
            source,
            positions: self.positions,
            seed: self.seed,
            records: self.records.clone(),
        })
    }

    /// The players, as a tournament reads them.
    fn sections(&self) -> Result<Vec<Section>> {
        let each = self.each.iter().map(|text| read_flag("--each", "each", text, ""));
        let engines = self.engine.iter().map(|text| read_flag("--engine", "engine", text, "kind"));
        engines.chain(each).map(|section| section.map_err(|e| anyhow!(e))).collect()
    }
}

fn text(sheet: &Sheet) -> String {
    let counts = format!(
        "{}: {} positions, {} of them decisions",
        sheet.game,
        grouped(sheet.positions),
        grouped(sheet.decisions)
    );
    format!("{counts}\n\n{}", numbers(&sheet.rows()))
}
