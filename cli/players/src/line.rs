//! A position and how it came about: the one place where a position string and moves are resolved.

use crate::support::words::shortened;
use crate::turns;
use anyhow::{Result, anyhow};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chance::{Branch, Branches, Chance};
use jewel_engine::value::Outcome;
use thiserror::Error;

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SetupError {
    /// The position string is wrong.
    #[error("{0}")]
    Position(String),
    /// A move is wrong: which one, and why.
    #[error("{0}")]
    Moves(String),
}

/// A position and how it came about.
#[derive(Clone, Debug)]
pub struct Line<P: Notation> {
    position: P,
    /// The moves before it and what was rolled for them, each with the position that it was played in.
    steps: Vec<(P, Branch<P::Move>)>,
}

impl<P: Notation + Chance> Line<P> {
    /// A position without moves before it.
    pub fn new(position: P) -> Line<P> {
        Line { position, steps: Vec::new() }
    }

    /// The position of `fen`, or the start position, after `moves`.
    ///
    /// A draw by rule, such as the third occurrence of a position, does not end the moves.
    ///
    /// # Errors
    /// If the position string or a move is wrong.
    pub fn read<G>(game: &G, fen: Option<&str>, moves: &[&str]) -> Result<Line<P>, SetupError>
    where
        G: Game<Position = P>,
    {
        Line::after(first_position(game, fen)?, moves)
    }

    /// A position after moves.
    ///
    /// # Errors
    /// If a move is wrong.
    #[inline(never)]
    pub fn after(first: P, moves: &[impl AsRef<str>]) -> Result<Line<P>, SetupError> {
        let mut line = Line::new(first);
        for (n, text) in moves.iter().map(AsRef::as_ref).enumerate() {
            line.play(text).map_err(|e| {
                let (number, text) = (n + 1, shortened(text));
                SetupError::Moves(format!("move {number} of {}, \"{text}\": {e}", moves.len()))
            })?;
        }
        Ok(line)
    }

    /// The position.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The moves played, each with the position that it was played in, oldest first.
    pub fn steps(&self) -> &[(P, Branch<P::Move>)] {
        &self.steps
    }

    /// Plays a move, or in a game whose turns have several plies a turn or the beginning of one.
    ///
    /// # Errors
    /// If it is not legal: why.
    pub fn play(&mut self, text: &str) -> Result<()> {
        if P::TURNS {
            for mv in turns::read(&self.position, text)? {
                self.step(Branch { mv, outcome: 0 });
            }
            return Ok(());
        }
        self.step(Branches(self.position.clone()).parse_move(text).map_err(|e| anyhow!("{e}"))?);
        Ok(())
    }

    fn step(&mut self, branch: Branch<P::Move>) {
        self.steps.push((self.position.clone(), branch));
        self.position.play_roll(branch.mv, branch.outcome.into());
    }

    /// Takes the last ply back; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let Some((before, _)) = self.steps.pop() else { return false };
        self.position = before;
        true
    }

    /// The result, if a position that has occurred `repetition` times ends the game (0: never).
    pub fn outcome(&self, repetition: u32) -> Option<Outcome> {
        self.position.outcome().or_else(|| self.repeated(repetition))
    }

    /// The result by repetition.
    fn repeated(&self, repetition: u32) -> Option<Outcome> {
        let hash = self.position.repetition_hash()?;
        let again =
            |(n, (earlier, _)): (usize, &(P, _))| (earlier.repetition_hash() == Some(hash)).then_some(n);
        let mut occurrences = self.steps.iter().enumerate().filter_map(again);
        let first = occurrences.next();
        if repetition == 0 || usize::from(first.is_some()) + occurrences.count() + 1 < repetition as usize {
            return None;
        }
        let since = &self.steps[first.unwrap_or(self.steps.len())..];
        let since: Vec<&P> = since.iter().map(|(position, _)| position).collect();
        Some(self.position.repeated(&since))
    }
}

/// The longest position string that is read, in bytes: many times what any game needs.
const MAX_POSITION_LENGTH: usize = 4096;

/// The position of `fen`, or the start position.
///
/// # Errors
/// If the position string is wrong.
pub(crate) fn first_position<G: Game>(game: &G, fen: Option<&str>) -> Result<G::Position, SetupError> {
    let Some(text) = fen else { return Ok(game.start()) };
    if text.len() > MAX_POSITION_LENGTH {
        let length = text.len();
        return Err(SetupError::Position(format!(
            "a position string has at most {MAX_POSITION_LENGTH} characters, this one has {length}"
        )));
    }
    game.parse_position(text).map_err(|e| SetupError::Position(e.to_string()))
}
