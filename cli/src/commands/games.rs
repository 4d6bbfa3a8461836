//! `jewel games`: the games that come with the program.

use super::ExitStatus;
use crate::output;
use anyhow::Result;
use clap::Args;
use jewel_players::catalogue::{Card, catalogue};
use jewel_players::support::layout::{columns, folded};

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
    let head = ["ID", "NAME", "BOARD", "STATUS"].map(str::to_string);
    let row = |card: &Card| [card.id.clone(), card.name.clone(), card.board.clone(), card.status.into()];
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(cards.iter().map(row)).collect();
    let aliases: Vec<String> = cards
        .iter()
        .flat_map(|card| card.aliases.iter().map(|alias| format!("{alias} = {}", card.id)))
        .collect();
    let rows = columns(&rows);
    let mut lines = rows.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, card) in lines.zip(cards) {
        text.push_str(&format!("{line}\n  {}\n", folded(&card.objective, 2)));
    }
    if !aliases.is_empty() {
        text.push_str(&format!("\nAlso understood: {}\n", folded(&aliases.join(", "), 17)));
    }
    text
}
