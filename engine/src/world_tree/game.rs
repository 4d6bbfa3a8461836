//! The game by name: from the placement phase or from the standard array.

use super::WorldTree;
use super::placement::PLACEMENTS;
use crate::ability::Game;
use crate::geometry::shorten;
use std::error::Error;
use thiserror::Error;

/// The fixed array for analysis and tournaments.
const STANDARD: &str = "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0";

/// What is wrong with the parameters of the game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParameterError {
    /// A key that the game does not know, or none.
    #[error("world-tree has one parameter, \"start=placement\" or \"start=standard\"; found \"{0}\"")]
    Unknown(String),
    /// A value that `start` does not have.
    #[error("start must be placement or standard, found \"{0}\"")]
    Start(String),
}

/// Diamond Chess of the World Tree with the phase that it starts in.
#[derive(Clone, Copy, Debug)]
pub struct WorldTreeGame {
    start: WorldTree,
}

impl WorldTreeGame {
    /// The game from the placement phase.
    pub fn new() -> WorldTreeGame {
        WorldTreeGame { start: WorldTree::before_placement() }
    }

    /// The game from the standard array.
    pub fn standard() -> WorldTreeGame {
        // The array is part of the program and the tests read it.
        let start = WorldTree::read(STANDARD).unwrap_or_else(|error| unreachable!("{error}"));
        WorldTreeGame { start }
    }

    /// The game of a list of parameters, what follows the colon in `world-tree:start=standard`.
    ///
    /// # Errors
    /// If the parameter is no `start`, or not `placement` or `standard`.
    pub fn with_parameters(text: &str) -> Result<WorldTreeGame, ParameterError> {
        match text.split_once('=') {
            _ if text.is_empty() => Ok(WorldTreeGame::new()),
            Some(("start", "placement")) => Ok(WorldTreeGame::new()),
            Some(("start", "standard")) => Ok(WorldTreeGame::standard()),
            Some(("start", other)) => Err(ParameterError::Start(shorten(other))),
            _ => Err(ParameterError::Unknown(shorten(text))),
        }
    }
}

impl Default for WorldTreeGame {
    fn default() -> WorldTreeGame {
        WorldTreeGame::new()
    }
}

impl Game for WorldTreeGame {
    type Position = WorldTree;

    fn id(&self) -> &str {
        if self.start.placed == PLACEMENTS { "world-tree:start=standard" } else { "world-tree" }
    }

    fn name(&self) -> &str {
        "Diamond Chess of the World Tree"
    }

    fn start(&self) -> WorldTree {
        self.start
    }

    fn parse_position(&self, text: &str) -> Result<WorldTree, Box<dyn Error + Send + Sync>> {
        Ok(WorldTree::read(text)?)
    }

    /// W5: threefold, of positions at the start of a turn; see
    /// [`repetition_hash`](crate::position::Position::repetition_hash).
    fn repetition(&self) -> u32 {
        3
    }
}
