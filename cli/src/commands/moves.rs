//! `jewel moves`: the legal moves of a position.

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::output;
use anyhow::Result;
use clap::Args;
use jewel_engine::value::Outcome;
use jewel_players::catalogue::AnyGame;
use serde::Serialize;

/// List the legal moves of a position
#[derive(Args)]
#[command(after_long_help = "\
Moves are written as in UCI: origin, target and promotion letter (c1b1, b6b7r); castling is the king's \
two-square move. They are also read in standard algebraic notation (Nf3, exd5, O-O). One move a line, and a whole turn where a turn has several plies (\"c5c3,d4d5\"); where the game is over there are none, and a line says who has won.

Examples:
  jewel moves duel
  jewel moves duel --moves \"c1b1 a3c3\"
  jewel moves chess --moves \"e4 e5 Nf3\" --san
  jewel moves diamond-chess --fen \"3k3/7/7/1pPp3/7/7/3K3 b - - 0 1\" --json")]
pub(crate) struct Moves {
    #[command(flatten)]
    game: GameArgs,

    /// Write moves in standard algebraic notation (Nf3, exd5, O-O), in games that have it
    #[arg(long)]
    san: bool,

    /// Print a JSON object: game, fen, moves, outcome (for the side to move)
    #[arg(long)]
    json: bool,
}

impl Moves {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.game.resolve()?;
        let shown = self.game.show(game)?;
        let san = self.san.then(|| self.in_san(game, &shown.turns)).transpose()?;
        let text = if self.json {
            let outcome = shown.outcome().map(Outcome::name);
            output::json_line(&MovesObject {
                game: &game.card().id,
                fen: shown.fen,
                moves: shown.turns,
                san,
                outcome,
            })?
        } else {
            san.as_ref()
                .unwrap_or(&shown.turns)
                .iter()
                .chain(&shown.verdict())
                .map(|line| format!("{line}\n"))
                .collect()
        };
        output::print(&text)?;
        Ok(ExitStatus::Done)
    }

    /// The moves in standard algebraic notation; as they are, in games that do not have it.
    fn in_san(&self, game: AnyGame, moves: &[String]) -> Result<Vec<String>> {
        let engine = self.game.open(game)?;
        Ok(moves.iter().map(|mv| engine.san(mv).unwrap_or_else(|| mv.clone())).collect())
    }
}

#[derive(Serialize)]
struct MovesObject<'a> {
    game: &'a str,
    fen: String,
    moves: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<Vec<String>>,
    outcome: Option<&'static str>,
}
