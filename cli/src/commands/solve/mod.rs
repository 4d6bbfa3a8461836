//! `jewel solve`: the exact value of a position, by the method that suits its size.

mod dense;
mod graph;
mod proof;
mod search;
mod state_file;
mod tables;

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::command_line::CommandLine;
use crate::tables::TableFolder;
use crate::{output, threads};
use anyhow::{Result, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use graph::Answer;
use jewel_engine::variant::Rules;
use jewel_players::support::memory;
use jewel_solver::control::MAX_POSITIONS;
use jewel_solver::tablebase::Unsupported;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Solve a game: its value, and that of every position that it leads to
#[derive(Args)]
#[command(after_long_help = "\
The value is exact: win, draw or loss for the side to move, with the distance to the end of the game in plies \
(the winner wins as fast, the loser loses as slowly as possible). Play that repeats or never ends is a draw; \
what was played before the position does not count. Where the game's source makes claims about its values, \
each is checked, and the exit code is 1 if one is refuted.

There are three methods. The graph finds every position that can be reached and keeps all of them in memory; it works for \
every game, and what does not fit there goes to files, which takes longer. Tables solve whole classes of positions and leave a file of each, which later runs use (see `jewel help \
tables`); they go further, and need a game whose rules they know. Proof search looks for a strategy of the winner, or of both \
sides if it is a draw (see `jewel help prove`); it needs no memory for the rest of the game, says who wins and no distance, and may \
never end. By default small games take the graph, a win in a few plies is found by search, and large games take the graph as \
long as it costs a tenth of what tables would, then tables; proof search is for those that fit into neither.

Work that is stopped (--max-positions, --memory, Ctrl-C) is kept in a folder of the program's own, or in \
--state, and the error line has the command to go on: the result is the same as without a stop. The graph, the memory that it takes and its \
file are in docs/solver.md, the choice between the methods is in docs/cli.md.

Examples:
  jewel solve duel
  jewel solve duel --verify --json
  jewel solve --variant examples/variants/duel-5x5.toml
  jewel solve ambush --fen \"nq3/5/5/5/3QN b - - 0 1\" --threads 4
  jewel solve ambush --max-positions 1000000 --state ambush.state
  jewel solve crystal-draughts:tiers=3,molecules=2,tokens=3 --symmetry
  jewel solve examples/variants/fox-and-hounds.toml --save known/fox-and-hounds.solution
  jewel solve ambush --tables /data/ambush --report ambush.md
  jewel solve ambush --fen \"nq3/5/5/5/3QN b - - 0 1\" --method tables
  jewel solve examples/variants/octopawn.toml --method proof --proofs .")]
pub(crate) struct Solve {
    #[command(flatten)]
    game: GameArgs,

    /// How to solve it
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    method: Method,

    /// Stop when there are more positions than this (graph)
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = RangedU64ValueParser::<u64>::new().range(1..=MAX_POSITIONS))]
    max_positions: Option<u64>,

    /// Take no more memory than this, such as 500M or 16G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Limits", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Go on from this file if it is there, and save to it when stopped (graph)
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    state: Option<PathBuf>,

    /// Keep what does not fit into memory in this folder, until the game is solved (graph) [default: a folder beside the state]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    disk: Option<PathBuf>,

    /// Write all positions with their values to this file, which searches look up with --tables; its name should end in
    /// .solution (graph)
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Keep one position of those that are mirror images, turned or with the players exchanged (graph): takes less memory and
    /// more time
    #[arg(long, help_heading = "Limits")]
    symmetry: bool,

    /// The folder of the tables (tables) [default: jewel-tables/ID in the working directory]
    #[arg(long, alias = "dir", value_name = "DIR", help_heading = "Tables")]
    tables: Option<PathBuf>,

    /// Write a Markdown page about the result, with the checksum of every file (tables)
    #[arg(long, value_name = "FILE", help_heading = "Tables")]
    report: Option<PathBuf>,

    /// Keep the proof files in this folder (proof)
    #[arg(long, value_name = "DIR", help_heading = "Proofs")]
    proofs: Option<PathBuf>,

    /// Check values by the rules, independently of how they were found: all of a graph, a million of each class
    #[arg(long)]
    verify: bool,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Print a JSON object: game, fen, value, distance, moves, line, positions, wins, draws, losses, ...
    #[arg(long)]
    json: bool,
}

/// Ways to solve a game.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    /// The one that suits the size
    Auto,
    /// All positions that can be reached, in memory
    Graph,
    /// Whole classes, in files
    Tables,
    /// Strategies, by proof search
    Proof,
}

/// What graph and tables count and other methods do not: all of it null.
#[derive(Serialize, Debug, Default)]
struct NoCounts {
    positions: Option<u64>,
    wins: Option<u64>,
    draws: Option<u64>,
    losses: Option<u64>,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
}

/// Most cells of a plan that `auto` leaves to the graph.
const MAX_FOR_GRAPH: u64 = 20_000_000;

impl Solve {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.game.resolve()?;
        if game.has_dice() {
            bail!(
                "{} is decided by dice: it has an expectation, not a value that can be proven",
                game.card().id
            );
        }
        if game.rules().is_ok_and(|rules| !rules.endless_is_draw()) {
            bail!("{}", Unsupported::Repetition);
        }
        let pool = threads::pool(self.threads)?;
        pool.install(|| {
            let with_hands = game.rules().ok().filter(|rules| rules.hand.is_some());
            let answer = match (self.way()?, with_hands) {
                (Method::Tables, Some(rules)) => Answer::Dense(rules),
                (Method::Tables, None) => Answer::Tables(Box::new(tables::Job::new(&self, game)?)),
                (Method::Proof, _) => Answer::Proof(None),
                (method, _) => graph::solve(&self, game, method == Method::Auto)?,
            };
            let (text, agrees) = match answer {
                Answer::Tables(job) => return job.run(),
                Answer::Dense(rules) => return dense::run(&self, rules),
                Answer::Proof(no_tables) => return proof::run(&self, game, no_tables),
                Answer::Search(proof) => (if self.json { proof.json()? } else { proof.text() }, true),
                Answer::Graph(proof) => {
                    (if self.json { proof.json()? } else { proof.text() }, proof.agrees())
                }
            };
            output::print(&text)?;
            Ok(if agrees { ExitStatus::Done } else { ExitStatus::No })
        })
    }

    /// The method, where options say what it is.
    fn way(&self) -> Result<Method> {
        let options = [
            (
                Method::Graph,
                self.max_positions.is_some()
                    || self.state.is_some()
                    || self.disk.is_some()
                    || self.symmetry
                    || self.save.is_some(),
            ),
            (Method::Tables, self.tables.is_some() || self.report.is_some()),
            (Method::Proof, self.proofs.is_some()),
        ];
        let mut meant: Vec<Method> =
            options.into_iter().filter_map(|(method, given)| given.then_some(method)).collect();
        if self.method != Method::Auto && !meant.contains(&self.method) {
            meant.push(self.method);
        }
        match meant[..] {
            [] => Ok(Method::Auto),
            [method] => Ok(method),
            _ => bail!(
                "--max-positions, --state, --disk, --save and --symmetry are for --method graph, --tables and --report for --method tables, \
                 --proofs for --method proof"
            ),
        }
    }

    /// Where the tables are.
    fn table_folder(&self, rules: &Rules) -> TableFolder {
        TableFolder::new(&self.game.which, rules, self.tables.as_deref())
    }

    /// The command line, perhaps with other limits and with the state to go on from.
    fn command(&self, max_positions: Option<u64>, memory: Option<u64>, state: Option<&Path>) -> CommandLine {
        let method = self.method.to_possible_value().filter(|_| self.method != Method::Auto);
        CommandLine::new(&["solve"])
            .game(&self.game)
            .option("--method", method.as_ref().map(|method| method.get_name()))
            .option("--max-positions", max_positions)
            .option("--memory", memory.map(memory::size_text))
            .option("--state", state.map(|file| file.display()))
            .option("--disk", self.disk.as_ref().map(|dir| dir.display()))
            .option("--save", self.save.as_ref().map(|file| file.display()))
            .flag("--symmetry", self.symmetry)
            .option("--tables", self.tables.as_ref().map(|dir| dir.display()))
            .option("--report", self.report.as_ref().map(|file| file.display()))
            .option("--proofs", self.proofs.as_ref().map(|dir| dir.display()))
            .option("--threads", self.threads)
            .flag("--verify", self.verify)
            .flag("--json", self.json)
    }
}
