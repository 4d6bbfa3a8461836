//! Games that a searcher plays against itself.

use crate::alphabeta::{AlphaBeta, Options};
use crate::control::Stop;
use crate::evaluate::Evaluate;
use crate::limits::Limits;
use crate::searcher::Searcher;
use jewel_engine::ability::Game;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Verdict};
use jewel_engine::zobrist::splitmix64;
use std::time::Duration;

/// How training games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelfPlay {
    /// Nodes for each move.
    pub nodes: u64,
    /// Random plies at the beginning.
    pub random_plies: u64,
    /// Whether several openings are tried until the searcher sees neither side far ahead. Little is kept of a game that
    /// is decided from the start.
    pub balanced: bool,
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
        SelfPlay {
            nodes: 500,
            random_plies: 6,
            balanced: false,
            longest: 200,
            careless: 0,
            kept: 16,
            decided: false,
            seed: 1,
        }
    }
}

/// How a game came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By the rules.
    Rules,
    /// A position occurred for the third time: a draw.
    Repetition,
    /// It was too long: a draw.
    Length,
}

/// A game that has been played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played<P> {
    /// The result.
    pub verdict: Verdict,
    /// How the game ended.
    pub end: End,
    /// Some of its quiet positions.
    pub positions: Vec<P>,
    /// The score of each of them for its side to move: centipawns, or the raw number of a forced result.
    pub scores: Vec<i32>,
}

/// A game between two evaluations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contest {
    /// The result.
    pub verdict: Verdict,
    /// Nodes that each evaluation's search visited, in the order in which they were given.
    pub nodes: [u64; 2],
    /// The time that each took.
    pub time: [Duration; 2],
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
        Some(self.play_with(game, &mut searcher(evaluation)?, number))
    }

    /// The same with a searcher that has searched nothing yet.
    pub fn play_with<G: Game>(
        &self,
        game: &G,
        searcher: &mut dyn Searcher<G::Position>,
        number: u64,
    ) -> Played<G::Position>
    where
        G::Position: Tactics,
    {
        let (mut random, mut first) = self.opening(game, number);
        if self.balanced {
            first = self.balanced_opening(game, &mut [searcher], number);
        }
        let mut dice = Random::stream(self.seed, number);
        let mut quiet = Vec::new();
        let (verdict, end) = self.moves(first, &mut dice, |position, history, limits, dice| {
            let report = searcher.search(position, history, limits, &Stop::new(), &mut |_| ());
            let mv = report.best?;
            let decided = report.score().is_decided() && !self.decided;
            if !position.threatened() && !position.is_noisy(mv) && !decided {
                quiet.push((position.clone(), report.score().raw()));
            }
            Some(self.slip(position, dice).unwrap_or(mv))
        });
        random = splitmix64(random).1;
        let (positions, scores) = self.spread(quiet, random).into_iter().unzip();
        Played { verdict, end, positions, scores }
    }

    /// Plays game `number` of a match of two evaluations: games 2n and 2n + 1 have the same opening, in which both
    /// think that the game is open, and White is the first evaluation in the even ones. `None` if the memory for a
    /// search is not available.
    ///
    /// All but the times depends only on the number.
    pub fn contest<G, E>(&self, game: &G, evaluations: [&E; 2], number: u64) -> Option<Contest>
    where
        G: Game,
        G::Position: Tactics,
        E: Evaluate<G::Position>,
    {
        let [first, second] = evaluations.map(searcher);
        Some(self.contest_with(game, [&mut first?, &mut second?], number))
    }

    /// The same with two searchers that have searched nothing yet.
    pub fn contest_with<G: Game>(
        &self,
        game: &G,
        mut searchers: [&mut dyn Searcher<G::Position>; 2],
        number: u64,
    ) -> Contest
    where
        G::Position: Tactics,
    {
        let opening = self.balanced_opening(game, &mut searchers, number / 2);
        let mut dice = Random::stream(self.seed, number);
        let (mut nodes, mut time) = ([0; 2], [Duration::ZERO; 2]);
        let (verdict, _) = self.moves(opening, &mut dice, |position, history, limits, _| {
            let black = position.side_to_move() == Side::Black;
            let seat = usize::from(black) ^ (number % 2) as usize;
            let report = searchers[seat].search(position, history, limits, &Stop::new(), &mut |_| ());
            nodes[seat] += report.nodes;
            time[seat] += report.elapsed;
            report.best
        });
        Contest { verdict, nodes, time }
    }

    /// An opening in which all searchers see neither side far ahead, if one is soon found.
    fn balanced_opening<G: Game>(
        &self,
        game: &G,
        searchers: &mut [&mut dyn Searcher<G::Position>],
        number: u64,
    ) -> G::Position
    where
        G::Position: Tactics,
    {
        const BALANCED: i32 = 150;
        const TRIED: u64 = 16;
        let limits = Limits { nodes: Some(self.nodes.max(1)), ..Limits::default() };
        let openings = (0..TRIED).map(|attempt| self.opening(game, TRIED * number + attempt).1);
        let mut is_balanced = |position: &G::Position| {
            position.outcome().is_none()
                && searchers.iter_mut().all(|searcher| {
                    let report = searcher.search(position, &[], &limits, &Stop::new(), &mut |_| ());
                    report.score().raw().abs() <= BALANCED
                })
        };
        let mut last = None;
        for position in openings {
            if is_balanced(&position) {
                return position;
            }
            last = Some(position);
        }
        last.unwrap_or_else(|| game.start())
    }

    /// Plays the moves that `choose` finds, until the game is over or there is none.
    fn moves<P: Tactics>(
        &self,
        mut position: P,
        dice: &mut Random,
        mut choose: impl FnMut(&P, &[u64], &Limits<P::Move>, &mut Random) -> Option<P::Move>,
    ) -> (Verdict, End) {
        let limits = Limits { nodes: Some(self.nodes.max(1)), ..Limits::default() };
        let mut history = Vec::new();
        for _ in 0..self.longest {
            if let Some(outcome) = position.outcome() {
                return (outcome.absolute(position.side_to_move()), End::Rules);
            }
            if history.iter().filter(|&&hash| hash == position.zobrist_hash()).count() > 1 {
                return (Verdict::Draw, End::Repetition);
            }
            let Some(mv) = choose(&position, &history, &limits, dice) else { break };
            history.push(position.zobrist_hash());
            let irreversible = position.is_irreversible(mv);
            // A failed attack is not irreversible.
            if position.play_rolled(mv, dice) == 0 && irreversible {
                history.clear();
            }
        }
        (Verdict::Draw, End::Length)
    }

    /// The most random plies, at most `most`, after which most games are still open: 0 where none are.
    pub fn fitting_plies<G: Game>(game: &G, most: u64, seed: u64) -> u64 {
        const TRIED: u64 = 32;
        let open = |plies: &u64| {
            let how = SelfPlay { random_plies: *plies, seed, ..SelfPlay::default() };
            let open = |number| {
                let (_, position) = how.opening(game, number);
                position.outcome().is_none() && position.zobrist_hash() != game.start().zobrist_hash()
            };
            2 * (0..TRIED).filter(|&number| open(number)).count() as u64 > TRIED
        };
        (1..=most).rev().find(open).unwrap_or(0)
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

/// A searcher with little memory, for games of few nodes a move.
fn searcher<P: Tactics, E: Evaluate<P>>(evaluation: &E) -> Option<AlphaBeta<P, E>> {
    AlphaBeta::new(evaluation.clone(), Options { hash: 1, ..Options::default() })
}
