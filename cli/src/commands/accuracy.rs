//! `jewel accuracy`: how often players keep the value of a position.

use super::ExitStatus;
use super::tournament::add_players;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::text::grouped;
use crate::{beside, interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::settings::Table;
use jewel_players::spec::Kind;
use jewel_players::support::layout::table_or_list;
use jewel_tournament::accuracy::{AccuracyReport, AccuracyTest, Source};
use jewel_tournament::config::Config;
use std::path::PathBuf;

/// Measure how often players keep win, draw or loss, by endgame tables
#[derive(Args)]
#[command(after_long_help = "\
Each player is asked for a move in many positions, as if a game began there, and tables tell whether the move keeps \
the value of the position. Positions come after random moves from the start position, or from the games of a \
tournament; positions in which the game is over or a move is not in the tables are skipped.

The table says what share of moves kept the value, among all positions, among decisions (positions in which \
another move would not have kept it), and among decisions in won and in drawn positions, each with its 95% interval; \
by how many plies kept wins take longer than the fastest; and the time of a move.

Players are written as in `jewel help tournament`; each needs a limit of its own. The same options ask for the \
same positions, whatever the players.

Examples:
  jewel accuracy ambush --tables jewel-tables/ambush --player ab,time=10ms --player mcts,time=10ms
  jewel accuracy ambush --tables DIR --from cup.jsonl --player ab,nodes=10000 --positions 10000 --records player.jsonl")]
pub(crate) struct Accuracy {
    #[command(flatten)]
    which: WhichGame,

    /// The folder of the game's tables or solution file
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,

    /// A player, such as name=ab1,kind=ab,nodes=20000; given once for each
    #[arg(long, alias = "engine", value_name = "PLAYER", required = true)]
    player: Vec<String>,

    /// Settings for every player whose kind takes them, such as nodes=5000
    #[arg(long, value_name = "SETTINGS")]
    each: Vec<String>,

    /// Number of positions
    #[arg(long, value_name = "N", default_value = "1000", value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000_000))]
    positions: u64,

    /// Most random moves from the start position
    #[arg(long, value_name = "N", default_value = "40", conflicts_with = "from", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1000))]
    plies: u32,

    /// Take positions from the games of a tournament: its file of records
    #[arg(long, alias = "games", value_name = "FILE")]
    from: Option<PathBuf>,

    /// Seed of the positions and of random choices of players
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Positions at once [default: as many as the cores allow]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// Record each position in this file, and continue after those that are there
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Print a JSON object: game, positions, decisions, and players with what they kept
    #[arg(long)]
    json: bool,
}

impl Accuracy {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let test = self.test()?;
        let interrupt = interrupt::listen()?;
        let bar = progress::bar(self.positions, "positions");
        let mut report = AccuracyReport::new(&test);
        let complete = test.run(interrupt, &mut |answer| {
            report.enter(answer);
            bar.inc(1);
            Ok(())
        });
        bar.finish_and_clear();
        if !complete? {
            let done = format!("interrupted after {} of {} positions", report.positions, self.positions);
            match &self.records {
                Some(file) => {
                    bail!("{done}: they are in {}, go on with: {}", file.display(), CommandLine::typed())
                }
                None => bail!("{done}: nothing was kept; --records FILE keeps answers and goes on"),
            }
        }
        output::print(&if self.json { output::json_line(&report)? } else { text(&report) })?;
        Ok(ExitStatus::Done)
    }

    fn test(&self) -> Result<AccuracyTest> {
        let game = self.which.resolve()?;
        let mut table = Table::default();
        add_players(&mut table, &self.player, &self.each)?;
        let config = Config::from_table(table)?;
        for player in &config.players {
            let name = player.spec.name();
            if player.clock.is_some() {
                bail!("player \"{name}\": no game is played here: leave clock out, and give time or nodes");
            }
            if player.spec.kind() == Kind::Human {
                bail!("player \"{name}\": people are not asked: take another kind of player");
            }
        }
        config.check().map_err(|e| anyhow!(e))?;
        if config.players.iter().any(|player| player.spec.uses_own_evaluation()) {
            beside::tell(game, "net=none for a player");
        }
        let source = match &self.from {
            Some(file) => Source::Games { records: file.clone() },
            None => Source::Random { plies: self.plies },
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(AccuracyTest {
            game,
            tables: self.tables.clone(),
            concurrency: self.concurrency.unwrap_or_else(|| (cores / config.threads()).max(1)),
            players: config.players.into_iter().map(|player| player.spec).collect(),
            source,
            positions: self.positions,
            seed: self.seed,
            records: self.records.clone(),
        })
    }
}

fn text(report: &AccuracyReport) -> String {
    let counts = format!(
        "{}: {} positions, {} of them decisions",
        report.game,
        grouped(report.positions),
        grouped(report.decisions)
    );
    format!("{counts}\n\n{}", table_or_list(&report.rows(), |n| n == 0))
}
