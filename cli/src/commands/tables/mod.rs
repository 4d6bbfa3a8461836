//! `jewel tables`: exact values of whole material classes, in files.

mod build;
mod hands;
mod info;
mod plan;
mod probe;
mod verify;

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::tables::{TableFolder, scope};
use anyhow::{Result, anyhow};
use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, Subcommand};
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::{Plan, Scope};
use std::path::PathBuf;

/// Plan, build, probe and check tables: exact values of whole classes of positions
#[derive(Args)]
#[command(after_long_help = "\
A class is what is on the board: NLvQQ is every position in which White has a Knight and a Lancer (by the \
letters of the game) and Black two Q. A table is a file of the exact value of each of them: win, draw or loss, \
and the distance to the end in plies. Building a class needs those that captures and promotions lead to; they \
are built first.

Examples:
  jewel tables plan ambush                    what all of it would take
  jewel tables build ambush --max-pieces 4    build the classes of up to four pieces
  jewel tables probe ambush --fen \"nq3/5/5/5/3QN b - - 0 1\"
  jewel tables info ambush                    the tables, shares of wins, the longest win
  jewel tables verify ambush                  checksums, and values by the rules")]
pub(crate) struct Tables {
    #[command(subcommand)]
    command: TablesCommand,
}

#[derive(Subcommand)]
enum TablesCommand {
    Plan(plan::PlanTables),
    Build(build::BuildTables),
    Probe(probe::ProbeTables),
    Info(info::TablesInfo),
    Verify(verify::VerifyTables),
}

impl Tables {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        match self.command {
            TablesCommand::Plan(command) => command.run(),
            TablesCommand::Build(command) => command.run(),
            TablesCommand::Probe(command) => command.run(),
            TablesCommand::Info(command) => command.run(),
            TablesCommand::Verify(command) => command.run(),
        }
    }
}

/// Which classes.
#[derive(Args, Clone, Debug)]
struct ScopeArgs {
    /// This class and all that captures and promotions make of it, such as NLvQQ
    #[arg(long, value_name = "CLASS", conflicts_with = "max_pieces", help_heading = "Which classes")]
    class: Option<String>,

    /// All classes of at most this many pieces, both sides together
    #[arg(long, value_name = "N", help_heading = "Which classes", value_parser = RangedU64ValueParser::<usize>::new().range(2..=64))]
    max_pieces: Option<usize>,

    /// Only those of them with at least these pieces, of either side (K: a K; PP: two P), and the classes that they lead to
    #[arg(long, value_name = "LETTERS", requires = "max_pieces", help_heading = "Which classes", value_parser = NonEmptyStringValueParser::new())]
    with: Option<String>,
}

impl ScopeArgs {
    fn scope(&self) -> Result<Scope> {
        scope(self.class.as_deref(), self.max_pieces, self.with.as_deref())
    }

    /// The options that were given.
    fn given(&self) -> [(&'static str, bool); 3] {
        [
            ("--class", self.class.is_some()),
            ("--max-pieces", self.max_pieces.is_some()),
            ("--with", self.with.is_some()),
        ]
    }

    fn plan(&self, rules: &'static Rules) -> Result<Plan<'static>> {
        Plan::new(rules, &self.scope()?).map_err(|error| anyhow!("{}: {error}", rules.id))
    }

    /// Which classes, in words.
    fn text(&self) -> String {
        match (&self.class, self.max_pieces) {
            (Some(class), _) => format!("{class} and what it leads to"),
            (None, Some(pieces)) => match &self.with {
                Some(letters) => {
                    format!("at most {pieces} pieces, {letters} among them, and what these lead to")
                }
                None => format!("at most {pieces} pieces"),
            },
            (None, None) => "all that the start position leads to".to_string(),
        }
    }
}

/// The folder of the tables.
#[derive(Args, Clone, Debug)]
struct FolderArgs {
    /// The folder of the tables [default: jewel-tables/ID in the working directory]
    #[arg(long, alias = "dir", value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl FolderArgs {
    fn table_folder(&self, which: &WhichGame, rules: &Rules) -> TableFolder {
        TableFolder::new(which, rules, self.tables.as_deref())
    }
}
