//! Arguments that commands share: which game, and which position of it.

use anyhow::{Result, anyhow, bail};
use clap::Args;
use jewel_answers::shown::Shown;
use jewel_engine::ability::Game;
use jewel_engine::chance::Chance;
use jewel_players::catalogue::{AnyGame, variant_file};
use jewel_players::engine::{Ending, Engine};
use jewel_players::line::{Line, SetupError};
use jewel_players::support::words::shortened;
use std::path::{Path, PathBuf};

/// Which game.
#[derive(Args, Clone, Debug)]
pub(crate) struct WhichGame {
    /// The game's id, with its parameters if it has any (`id:key=value,key=value`), or a variant file such as mine.toml
    #[arg(value_name = "GAME")]
    pub(crate) game: Option<String>,

    /// The variant file, where the game is not named
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
}

/// Which game, and which position of it.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArgs {
    #[command(flatten)]
    pub(crate) which: WhichGame,

    /// Begin at this position instead of the start position
    #[arg(long, value_name = "FEN", help_heading = "Position")]
    pub(crate) fen: Option<String>,

    /// Then play these moves, such as "c1b1 a3c3"
    #[arg(long, value_name = "MOVES", help_heading = "Position")]
    pub(crate) moves: Option<String>,
}

impl WhichGame {
    /// The variant file, if the game is one of a file.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.variant.as_deref().or_else(|| variant_file(self.game.as_deref()?))
    }

    /// The game that is meant.
    ///
    /// # Errors
    /// If there is none, or one too many, or the variant file cannot be used.
    pub(crate) fn resolve(&self) -> Result<AnyGame> {
        match (&self.game, &self.variant) {
            (Some(game), None) => AnyGame::named(game),
            (None, Some(file)) => AnyGame::load(file),
            (Some(game), Some(_)) => {
                bail!("--variant takes the place of the game: leave \"{}\" out", shortened(game))
            }
            (None, None) => {
                bail!("no game given: write its id (`jewel games` lists them) or a variant file")
            }
        }
    }
}

impl GameArgs {
    /// The game that is meant.
    ///
    /// # Errors
    /// As [`WhichGame::resolve`].
    pub(crate) fn resolve(&self) -> Result<AnyGame> {
        self.which.resolve()
    }

    /// The game at the position that was typed, with an engine.
    ///
    /// A draw by rule, such as the third occurrence of a position, does not end the moves: it is reported where they
    /// end there, and may be played through.
    ///
    /// # Errors
    /// If position or moves are wrong: which one, and why.
    pub(crate) fn open(&self, game: AnyGame) -> Result<Box<dyn Engine>> {
        let mut engine = game.open();
        let moves: Vec<String> = self.moves().map(str::to_string).collect();
        engine.set_position(self.fen.as_deref(), &moves).map_err(in_argument)?;
        Ok(engine)
    }

    /// The position that was typed, for what is compiled for each game.
    ///
    /// # Errors
    /// As [`open`](GameArgs::open).
    pub(crate) fn position<G: Game<Position: Chance>>(&self, game: &G) -> Result<G::Position> {
        let moves: Vec<&str> = self.moves().collect();
        let line = Line::read(game, self.fen.as_deref(), &moves).map_err(in_argument)?;
        Ok(line.position().clone())
    }

    fn moves(&self) -> impl Iterator<Item = &str> {
        self.moves.as_deref().unwrap_or_default().split_whitespace()
    }

    /// The position that was typed, or what one player sees of one, as it is shown.
    ///
    /// # Errors
    /// As [`open`](GameArgs::open).
    pub(crate) fn show(&self, game: AnyGame) -> Result<Shown> {
        let text = self.fen.as_deref().filter(|_| self.moves.is_none());
        let view = text.map(|text| game.open().read_view(text)).transpose();
        if let Some(view) = view.map_err(|e| anyhow!("--fen: {e}"))?.flatten() {
            let mover = view.diagram.side_to_move;
            let ending = view.outcome.map(|outcome| Ending::from_outcome(outcome, mover));
            return Ok(Shown { fen: view.text, diagram: view.diagram, turns: view.moves, ending });
        }
        let engine = self.open(game)?;
        let ending = engine.ending();
        // A draw by rule leaves moves for perft, but nobody plays them.
        let turns = if ending.is_some() { Vec::new() } else { engine.legal_turns() };
        Ok(Shown { fen: engine.fen(), diagram: engine.diagram(), turns, ending })
    }
}

fn in_argument(error: SetupError) -> anyhow::Error {
    match error {
        SetupError::Position(problem) => anyhow!("--fen: {problem}"),
        SetupError::Moves(problem) => anyhow!("--moves: {problem}"),
    }
}
