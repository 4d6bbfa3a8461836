//! Arguments that commands share: which game, and which position of it.

use anyhow::{Result, anyhow, bail};
use clap::Args;
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::position::Position;
use jewel_engine::value::Outcome;
use jewel_players::catalogue::{AnyGame, GameVisitor};
use jewel_players::veiled::Seen;
use jewel_players::words::shortened;
use std::path::PathBuf;

/// Which game.
#[derive(Args, Clone, Debug)]
pub(crate) struct WhichGame {
    /// The game's id, with its parameters if it has any: `id:key=value,key=value`
    #[arg(value_name = "GAME")]
    pub(crate) game: Option<String>,

    /// Play by this variant file instead of a game that comes with the program
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

/// A game, its position, and how it came about.
#[derive(Debug)]
pub(crate) struct Setup<G: Game> {
    /// The game.
    pub(crate) game: G,
    /// The position that the command is about.
    pub(crate) position: G::Position,
    /// The positions before it, from the one that `--moves` began with.
    pub(crate) history: Vec<G::Position>,
}

/// What a command does once the game is a type and the position stands.
pub(crate) trait GameCommand {
    /// What comes of it.
    type Output;

    /// Does it.
    ///
    /// # Errors
    /// As the command likes.
    fn run<G>(self, setup: Setup<G>) -> Result<Self::Output>
    where
        G: Game,
        G::Position: Packed + Symmetric;
}

impl WhichGame {
    /// The game that is meant.
    ///
    /// # Errors
    /// If there is none, or one too many, or the variant file cannot be used.
    pub(crate) fn resolve(&self) -> Result<AnyGame> {
        match (&self.game, &self.variant) {
            (Some(game), None) => AnyGame::resolve(game),
            (None, Some(file)) => AnyGame::load(file),
            (Some(game), Some(_)) => {
                bail!("--variant takes the place of the game: leave \"{}\" out", shortened(game))
            }
            (None, None) => {
                bail!("no game given: write its id (`jewel games` lists them) or --variant FILE")
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

    /// What one player sees, if that was typed for the position, in a game in which the players see different
    /// things.
    ///
    /// # Errors
    /// If the text is wrong, or moves are to be played from it.
    pub(crate) fn seen(&self, game: AnyGame) -> Result<Option<Seen>> {
        let Some(text) = &self.fen else { return Ok(None) };
        let seen = game.read_view(text).map_err(|e| anyhow!("--fen: {e}"))?;
        if seen.is_some() && self.moves.is_some() {
            bail!("--moves: from what one player sees no moves are played: contests need the whole position");
        }
        Ok(seen)
    }

    /// Sets the position of a game up and runs a command on it.
    ///
    /// # Errors
    /// If position or moves are wrong, or the command fails.
    pub(crate) fn run_in<C: GameCommand>(&self, game: AnyGame, command: C) -> Result<C::Output> {
        game.visit(Run { args: self, command })
    }
}

struct Run<'a, C> {
    args: &'a GameArgs,
    command: C,
}

impl<C: GameCommand> GameVisitor for Run<'_, C> {
    type Output = Result<C::Output>;

    fn visit<G>(self, game: G) -> Result<C::Output>
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let setup = Setup::new(game, self.args.fen.as_deref(), self.args.moves.as_deref())?;
        self.command.run(setup)
    }
}

impl<G: Game> Setup<G> {
    /// The position of `fen` (or the start position) after `moves`.
    ///
    /// A draw by rule, such as the third occurrence of a position, does not stop the moves: it is reported
    /// where they end there, and may be played through.
    ///
    /// # Errors
    /// If the position string is wrong, or a move is: which one, and why.
    pub(crate) fn new(game: G, fen: Option<&str>, moves: Option<&str>) -> Result<Setup<G>> {
        let mut position = match fen {
            Some(text) => game.parse_position(text).map_err(|e| anyhow!("--fen: {e}"))?,
            None => game.start(),
        };
        let mut history = Vec::new();
        let texts: Vec<&str> = moves.unwrap_or_default().split_whitespace().collect();
        for (n, text) in texts.iter().enumerate() {
            for ply in G::Position::split_turn(text) {
                let mv = position.parse_move(ply).map_err(|e| {
                    anyhow!("--moves: move {} of {}, \"{}\": {e}", n + 1, texts.len(), shortened(text))
                })?;
                history.push(position.clone());
                position.play(mv);
            }
        }
        Ok(Setup { game, position, history })
    }

    /// How often the position has occurred, itself included.
    pub(crate) fn occurrences(&self) -> u32 {
        let Some(key) = self.position.repetition_hash() else { return 1 };
        1 + self.history.iter().filter(|earlier| earlier.repetition_hash() == Some(key)).count() as u32
    }

    /// Whether the position is a draw for having occurred so often.
    pub(crate) fn repeated(&self) -> bool {
        self.game.repetition() > 0 && self.occurrences() >= self.game.repetition()
    }

    /// The result, repetition included, seen by the side to move.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.position.outcome().or_else(|| self.repeated().then_some(Outcome::Draw))
    }
}
