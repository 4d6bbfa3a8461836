//! Perfect play by endgame tables.

use super::{begin, follow, random_of};
use crate::catalogue::AnyGame;
use crate::engine::GameAt;
use crate::move_values::move_values;
use crate::player::{Choice, Fault, Player, Turn};
use anyhow::Result;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Value};
use jewel_search::control::Stop;
use jewel_search::report::Info;
use jewel_search::score::Score;
use std::path::Path;

/// Keeps the value of every position that the tables hold: it wins as fast and loses as slowly as possible, and
/// draws equal moves at random. Elsewhere its fallback chooses, if it has one.
pub(crate) struct TablePlayer {
    name: String,
    seed: u64,
    random: Random,
    own: Box<dyn GameAt>,
    fallback: Option<Box<dyn Player>>,
}

impl TablePlayer {
    /// A player with the tables of a folder.
    ///
    /// # Errors
    /// If there are no tables that can be used.
    pub(crate) fn new(
        name: String,
        game: AnyGame,
        tables: &Path,
        seed: u64,
        fallback: Option<Box<dyn Player>>,
    ) -> Result<TablePlayer> {
        let mut own = game.open();
        own.use_tables(Some(tables))?;
        Ok(TablePlayer { name, seed, random: random_of(seed, 0), own, fallback })
    }

    /// The best move, if the tables tell it: all moves are known, one wins, or one keeps the known value of the
    /// position.
    fn best(&mut self) -> Result<Option<(String, Value)>, Fault> {
        let moves = move_values(self.own.as_mut()).map_err(|e| Fault::Unable(e.to_string()))?;
        let Some(best) = moves.iter().filter_map(|(_, value)| *value).max() else { return Ok(None) };
        let all = moves.iter().all(|(_, value)| value.is_some());
        let wins = best.outcome() == Outcome::Win;
        if !all && !wins && self.own.table_value().is_none_or(|value| best.outcome() < value.outcome()) {
            return Ok(None);
        }
        let mut equals: Vec<String> =
            moves.into_iter().filter(|(_, value)| *value == Some(best)).map(|(mv, _)| mv).collect();
        let chosen = self.random.below(u32::try_from(equals.len()).unwrap_or(u32::MAX)) as usize;
        Ok(Some((equals.swap_remove(chosen), best)))
    }
}

impl Player for TablePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, line: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        self.random = random_of(self.seed, seed);
        begin(self.own.as_mut(), line)?;
        match &mut self.fallback {
            Some(fallback) => fallback.new_game(line, seed),
            None => Ok(()),
        }
    }

    fn rehearse(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        self.new_game(line, 0)?;
        self.fallback.as_mut().map_or(Ok(()), |fallback| fallback.rehearse(line))
    }

    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        follow(self.own.as_mut(), turn.line)?;
        if let Some((mv, value)) = self.best()? {
            let thought = Info {
                score: Score::from(value),
                proven: true,
                exact: true,
                pv: vec![mv.clone()],
                depth: 1,
                tb_hits: 1,
                ..Info::default()
            };
            return Ok(Choice { mv, thought: Some(thought) });
        }
        match &mut self.fallback {
            Some(fallback) => fallback.choose(turn, stop),
            None => Err(Fault::Unable(format!("its tables do not hold \"{}\"", turn.line.fen()))),
        }
    }
}
