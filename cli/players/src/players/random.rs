//! Legal moves, each as likely as the others.

use super::random_of;
use crate::engine::GameAt;
use crate::player::{Choice, Fault, Player, Turn};
use jewel_engine::random::Random;
use jewel_search::control::Stop;

/// Plays at random.
pub(crate) struct RandomPlayer {
    name: String,
    seed: u64,
    random: Random,
}

impl RandomPlayer {
    pub(crate) fn new(name: String, seed: u64) -> RandomPlayer {
        RandomPlayer { name, seed, random: random_of(seed, 0) }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        self.random = random_of(self.seed, seed);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>, _: &Stop) -> Result<Choice, Fault> {
        let mut moves = turn.line.moves();
        if moves.is_empty() {
            return Err(Fault::Unable("there is no legal move".to_string()));
        }
        let chosen = self.random.below(u32::try_from(moves.len()).unwrap_or(u32::MAX)) as usize;
        Ok(Choice::silent(moves.swap_remove(chosen)))
    }
}
