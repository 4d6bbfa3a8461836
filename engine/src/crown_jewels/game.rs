//! The game by name, with its parameters.

use super::placement::random_start;
use super::rules::{self, Rules};
use super::state::CrownJewels;
use crate::ability::Game;
use crate::parameters::ParameterError;
use crate::random::Random;
use std::error::Error;

/// Crown Jewels with its parameters.
#[derive(Clone, Debug)]
pub struct CrownJewelsGame {
    rules: &'static Rules,
    seed: u32,
    id: String,
}

impl CrownJewelsGame {
    /// The full game.
    pub fn new() -> CrownJewelsGame {
        Self::with_parameters("").unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// The game of a list of parameters, what follows the colon in `crown-jewels:tiles=6,files=4,ranks=6`; see
    /// `docs/crown-jewels.md` for all of them.
    ///
    /// Rules that were asked for stay in memory until the program ends, each set once.
    ///
    /// # Errors
    /// If a parameter is unknown or out of range, or the tiles and checkers do not fit.
    pub fn with_parameters(text: &str) -> Result<CrownJewelsGame, ParameterError> {
        let (rules, seed) = rules::find(text)?;
        let separator = if rules.id.contains(':') { ',' } else { ':' };
        let id = if seed == 0 { rules.id.clone() } else { format!("{}{separator}seed={seed}", rules.id) };
        Ok(CrownJewelsGame { rules, seed, id })
    }

    /// The rules.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }
}

impl Default for CrownJewelsGame {
    fn default() -> CrownJewelsGame {
        CrownJewelsGame::new()
    }
}

impl Game for CrownJewelsGame {
    type Position = CrownJewels;

    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        "Crown Jewels"
    }

    /// The first position of the play phase: the tiles dealt, given and placed, the checkers placed and the first
    /// player drawn at random from the parameter `seed`.
    fn start(&self) -> CrownJewels {
        random_start(self.rules, &mut Random::new(u64::from(self.seed)))
    }

    fn parse_position(&self, text: &str) -> Result<CrownJewels, Box<dyn Error + Send + Sync>> {
        Ok(CrownJewels::read(self.rules, text)?)
    }

    /// C3: true states repeat, and what both players know is part of them.
    fn repetition(&self) -> u32 {
        3
    }
}
