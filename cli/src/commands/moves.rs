//! `jewel moves`: the legal moves of a position.

use super::Answer;
use crate::arguments::{GameArgs, GameCommand, Setup};
use crate::output;
use crate::text;
use anyhow::Result;
use clap::Args;
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::value::Outcome;
use jewel_players::veiled::Seen;
use serde::Serialize;

/// List the legal moves of a position
#[derive(Args)]
#[command(after_long_help = "\
Moves are written as in UCI: origin, target and promotion letter (c1b1, b6b7r); castling is the king's \
two-square move. One move a line, and a whole turn where a turn has several plies (\"c5c3,d4d5\"); where the game is over there are none, and a line says who has won.

Examples:
  jewel moves duel
  jewel moves duel --moves \"c1b1 a3c3\"
  jewel moves diamond-chess --fen \"3k3/7/7/1pPp3/7/7/3K3 b - - 0 1\" --json")]
pub(crate) struct Moves {
    #[command(flatten)]
    game: GameArgs,

    /// Print a JSON object: game, fen, moves, outcome (for the side to move)
    #[arg(long)]
    json: bool,
}

impl Moves {
    pub(crate) fn run(self) -> Result<Answer> {
        let game = self.game.resolve()?;
        let text = match self.game.seen(game)? {
            Some(seen) => self.print_view(&game.card().id, seen)?,
            None => self.game.run_in(game, List { json: self.json })?,
        };
        output::print(&text)?;
        Ok(Answer::Done)
    }

    /// The moves as one player knows them.
    fn print_view(&self, game: &str, seen: Seen) -> Result<String> {
        if !self.json {
            let over = seen.outcome.map(|outcome| format!("over: {outcome} for the side to move"));
            return Ok(seen.moves.iter().chain(&over).map(|line| format!("{line}\n")).collect());
        }
        let outcome = seen.outcome.map(Outcome::name);
        output::json_line(&MovesObject { game, fen: seen.text, moves: seen.moves, outcome })
    }
}

#[derive(Serialize)]
struct MovesObject<'a> {
    game: &'a str,
    fen: String,
    moves: Vec<String>,
    outcome: Option<&'static str>,
}

struct List {
    json: bool,
}

impl GameCommand for List {
    type Output = String;

    fn run<G>(self, setup: Setup<G>) -> Result<String>
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let position = &setup.position;
        let outcome = setup.outcome();
        // An adjudicated draw still has moves for perft, but nobody plays them.
        let moves = if outcome.is_some() { Vec::new() } else { jewel_players::turns::all(position) };
        if self.json {
            return output::json_line(&MovesObject {
                game: setup.game.id(),
                fen: position.position_text(),
                moves,
                outcome: outcome.map(Outcome::name),
            });
        }
        let mut lines: String = moves.iter().map(|text| format!("{text}\n")).collect();
        if let Some(line) = text::verdict(&setup) {
            lines.push_str(&line);
            lines.push('\n');
        }
        Ok(lines)
    }
}
