//! `jewel tables probe`: the exact value of a position, from its table.

use super::{ExitStatus, FolderArgs, hands};
use crate::arguments::GameArgs;
use crate::best_play::BestPlay;
use crate::output;
use crate::tables::{best_play, class_name, class_with_hands, typed_position};
use anyhow::Result;
use clap::Args;
use jewel_players::support::layout::columns;
use serde::Serialize;

/// Look a position up: value, distance, moves with their values, best play to the end
#[derive(Args)]
#[command(after_long_help = "\
The position needs the table of its class, and its moves those of the classes that they lead to; where one is \
missing, the error names it and the command that builds it. A position is looked up as it stands: what was played \
before it does not count.

Examples:
  jewel tables probe ambush --fen \"nq3/5/5/5/3QN b - - 0 1\"
  jewel tables probe duel --moves \"c1b1 a3c3\" --tables /data/duel --json")]
pub(super) struct ProbeTables {
    #[command(flatten)]
    game: GameArgs,

    #[command(flatten)]
    folder: FolderArgs,

    /// Print a JSON object: game, fen, value, distance, moves, line, line_forced, line_end, class
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Probed {
    #[serde(flatten)]
    best_play: BestPlay,
    class: String,
}

impl ProbeTables {
    pub(super) fn run(self) -> Result<ExitStatus> {
        let rules = self.game.resolve()?.rules()?;
        let (game, position) = typed_position(&self.game, rules)?;
        let probed = if rules.hand.is_some() {
            let table = hands::reader(rules, &self.folder, &self.game.which)?;
            Probed { best_play: BestPlay::new(&game, &position, &table)?, class: class_with_hands(&position) }
        } else {
            let tables = self.folder.table_folder(&self.game.which, rules).open(rules)?;
            Probed { best_play: best_play(&game, &position, &tables)?, class: class_name(&position) }
        };
        output::print(&if self.json { output::json_line(&probed)? } else { probed.text() })?;
        Ok(ExitStatus::Done)
    }
}

impl Probed {
    fn text(&self) -> String {
        let rows = [["value".to_string(), self.best_play.value()], ["class".into(), self.class.clone()]];
        self.best_play.heading() + &columns(&rows) + &self.best_play.moves_and_line()
    }
}
