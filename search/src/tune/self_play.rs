//! Games that a searcher plays against itself.

use crate::alphabeta::{AlphaBeta, Options};
use crate::control::Stop;
use crate::evaluate::Evaluate;
use crate::limits::Limits;
use crate::searcher::Searcher;
use jewel_engine::ability::Game;
use jewel_engine::chance::Chance;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Verdict;
use jewel_engine::zobrist::splitmix64;

/// How training games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelfPlay {
    /// Nodes for each move.
    pub nodes: u64,
    /// Random plies at the beginning.
    pub random_plies: u64,
    /// Plies after which a game counts as drawn.
    pub longest: usize,
    /// After the opening, one move in this many is random, so that one side gets ahead and the game shows the value of
    /// that; 0 for none.
    pub careless: u64,
    /// Positions that are kept of a game, spread over it, since neighbours are alike.
    pub kept: usize,
    /// Whether positions with a forced result are kept, too.
    pub decided: bool,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay { nodes: 500, random_plies: 6, longest: 200, careless: 0, kept: 16, decided: false, seed: 1 }
    }
}

/// A game that has been played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played<P> {
    /// The result.
    pub verdict: Verdict,
    /// Some of its quiet positions.
    pub positions: Vec<P>,
    /// The score of each of them for its side to move: centipawns, or the raw number of a forced result.
    pub scores: Vec<i32>,
}

impl SelfPlay {
    /// Plays game `number` and keeps some of its quiet positions: those in which no threat has to be answered and the
    /// best move is quiet. `None` if the memory for a search is not available.
    ///
    /// The game depends only on the number, so that games can be played in any order, by any thread, and after an
    /// interruption.
    pub fn play<G, E>(&self, game: &G, evaluation: &E, number: u64) -> Option<Played<G::Position>>
    where
        G: Game,
        G::Position: Tactics,
        E: Evaluate<G::Position>,
    {
        let mut searcher = AlphaBeta::new(evaluation.clone(), Options { hash: 1, ..Options::default() })?;
        let limits = Limits { nodes: Some(self.nodes.max(1)), ..Limits::default() };
        let (mut random, mut position) = self.opening(game, number);
        let mut dice = Random::stream(self.seed, number);
        let (mut quiet, mut history) = (Vec::new(), Vec::new());
        let mut verdict = Verdict::Draw;
        for _ in 0..self.longest {
            if let Some(outcome) = position.outcome() {
                verdict = outcome.absolute(position.side_to_move());
                break;
            }
            if history.iter().filter(|&&hash| hash == position.zobrist_hash()).count() > 1 {
                break;
            }
            let report = searcher.search(&position, &history, &limits, &Stop::new(), &mut |_| ());
            let Some(mv) = report.best else { break };
            let decided = report.score().is_decided() && !self.decided;
            if !position.threatened() && !position.is_noisy(mv) && !decided {
                quiet.push((position.clone(), report.score().raw()));
            }
            let mv = self.slip(&position, &mut dice).unwrap_or(mv);
            history.push(position.zobrist_hash());
            let irreversible = position.is_irreversible(mv);
            // A failed attack is not irreversible.
            if position.play_rolled(mv, &mut dice) == 0 && irreversible {
                history.clear();
            }
        }
        random = splitmix64(random).1;
        let (positions, scores) = self.spread(quiet, random).into_iter().unzip();
        Some(Played { verdict, positions, scores })
    }

    /// A random move, if it is time for one.
    fn slip<P: Position>(&self, position: &P, random: &mut Random) -> Option<P::Move> {
        if self.careless == 0 || random.below(self.careless.min(u64::from(u32::MAX)) as u32) != 0 {
            return None;
        }
        let moves = list_moves(position);
        moves.get(random.below(moves.len().max(1) as u32) as usize).copied()
    }

    /// Some of the positions, at equal distances from a random start.
    fn spread<P: Clone>(&self, positions: Vec<P>, random: u64) -> Vec<P> {
        let (count, kept) = (positions.len(), self.kept);
        if count <= kept {
            return positions;
        }
        let first = (random % count as u64) as usize;
        (0..kept).map(|n| positions[(n * count + first) / kept].clone()).collect()
    }

    /// The state of the random numbers, and the position after the first plies.
    fn opening<G: Game>(&self, game: &G, number: u64) -> (u64, G::Position) {
        let mut random = splitmix64(self.seed ^ splitmix64(number).1).1;
        let mut position = game.start();
        for _ in 0..self.random_plies {
            if position.outcome().is_some() {
                return (random, game.start());
            }
            let moves = list_moves(&position);
            random = splitmix64(random).1;
            position.play(moves[(random % moves.len() as u64) as usize]);
        }
        (random, position)
    }
}
