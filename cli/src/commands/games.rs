//! `jewel games`: the games that come with the program.

use super::ExitStatus;
use crate::output;
use crate::text::columns;
use anyhow::Result;
use clap::Args;
use jewel_players::catalogue::{Card, catalogue};

/// List the games that come with the program
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  jewel games          a table
  jewel games --json   one object a line: game, name, aliases, board, objective, status, summary")]
pub(crate) struct Games {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

impl Games {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let cards = catalogue();
        if self.json {
            let lines: Result<String> = cards.iter().map(output::json_line).collect();
            output::print(&lines?)?;
        } else {
            output::print(&table(&cards))?;
        }
        Ok(ExitStatus::Done)
    }
}

fn table(cards: &[Card]) -> String {
    let head = ["ID", "NAME", "BOARD", "OBJECTIVE", "STATUS"].map(str::to_string);
    let row = |card: &Card| {
        [card.id.clone(), card.name.clone(), card.board.clone(), card.objective.clone(), card.status.into()]
    };
    let rows: Vec<[String; 5]> = std::iter::once(head).chain(cards.iter().map(row)).collect();
    let aliases: Vec<String> = cards
        .iter()
        .flat_map(|card| card.aliases.iter().map(|alias| format!("{alias} = {}", card.id)))
        .collect();
    let mut text = columns(&rows);
    if !aliases.is_empty() {
        text.push_str(&format!("\nAlso understood: {}\n", aliases.join(", ")));
    }
    text
}
