//! One ply ahead: the move with the best evaluation after it.

use super::{begin, follow, random_of};
use crate::catalogue::AnyGame;
use crate::engine::GameAt;
use crate::player::{Choice, Fault, Player, Turn};
use jewel_engine::random::Random;
use jewel_engine::value::Outcome;
use jewel_search::control::Stop;
use jewel_search::report::Info;
use jewel_search::score::Score;

/// Plays an immediate win, avoids an immediate loss, and else plays the move with the best static evaluation.
/// Equal moves are drawn at random.
pub(crate) struct Greedy {
    name: String,
    seed: u64,
    random: Random,
    own: Box<dyn GameAt>,
}

impl Greedy {
    pub(crate) fn new(name: String, game: AnyGame, seed: u64) -> Greedy {
        Greedy { name, seed, random: random_of(seed, 0), own: game.open() }
    }

    /// The score of a move for its mover.
    fn worth(&mut self, mv: &str) -> Result<Score, Fault> {
        let mover = self.own.side_to_move();
        let played = self.own.play(mv);
        played.map_err(|e| Fault::Unable(format!("\"{mv}\": {e}")))?;
        let score = match self.own.ending().map(|ending| ending.verdict.seen_by(mover)) {
            Some(Outcome::Win) => Score::win_in(1),
            Some(Outcome::Draw) => Score::DRAW,
            Some(Outcome::Loss) => Score::loss_in(1),
            None => {
                let score = Score::centipawns(self.own.evaluation());
                if self.own.side_to_move() == mover { score } else { -score }
            }
        };
        self.own.undo();
        Ok(score)
    }
}

impl Player for Greedy {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, line: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        self.random = random_of(self.seed, seed);
        begin(self.own.as_mut(), line)
    }

    fn choose(&mut self, turn: &Turn<'_>, _: &Stop) -> Result<Choice, Fault> {
        follow(self.own.as_mut(), turn.line)?;
        let mut best: Option<(Score, String)> = None;
        let mut equals = 0;
        let moves = self.own.moves();
        let nodes = moves.len() as u64;
        for mv in moves {
            let worth = self.worth(&mv)?;
            match &best {
                Some((most, _)) if worth < *most => continue,
                Some((most, _)) if worth == *most => equals += 1,
                _ => equals = 1,
            }
            // Of n equals each stays with probability 1/n.
            if equals == 1 || self.random.below(equals) == 0 {
                best = Some((worth, mv));
            }
        }
        let Some((score, mv)) = best else { return Err(Fault::Unable("there is no legal move".to_string())) };
        let thought = Info { score, pv: vec![mv.clone()], depth: 1, seldepth: 1, nodes, ..Info::default() };
        Ok(Choice { mv, thought: Some(thought) })
    }
}
