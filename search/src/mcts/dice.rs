//! Monte Carlo tree search of games of chance: a move that is rolled for has a node of its own, in which
//! chance chooses.

use super::guide::{Advice, Guide, Unguided};
use super::model::{Chooser, Model, Rollout, share_of};
use super::options::Options;
use super::run::Task;
use super::tree::Tree;
use crate::control::Stop;
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::searcher::Searcher;
use jewel_engine::chance::Chance;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Duration;

/// A move, or what the dice say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge<M> {
    /// A player's choice.
    Move(M),
    /// The number of the outcome of the move before.
    Roll(u8),
}

/// A position in which a move may be waiting for its roll.
#[derive(Clone, Debug)]
pub struct Rolling<P: Position> {
    position: P,
    waiting: Option<P::Move>,
}

/// A game of chance in which nothing is hidden.
#[derive(Debug)]
pub struct Dice<'a, P, G> {
    /// The position at the root.
    pub root: &'a P,
    /// What steers the search.
    pub guide: &'a G,
    /// Whether playouts see decisive moves.
    pub keen: bool,
    /// Plies before a playout is cut off.
    pub playout_plies: u32,
}

impl<P: Playout + Chance, G: Guide<P>> Dice<'_, P, G> {
    fn evaluated(&self, position: &P) -> f64 {
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return share_of(outcome.absolute(side));
        }
        let share = self.guide.evaluate(position).map_or(0.5, |score| score.expectation());
        if side == Side::White { share } else { 1.0 - share }
    }
}

impl<P: Playout + Chance, G: Guide<P>> Model for Dice<'_, P, G> {
    type State = Rolling<P>;
    type Edge = Edge<P::Move>;

    const PROVABLE: bool = true;
    const PARTIAL: bool = false;

    fn root(&self, _: &mut Random) -> Rolling<P> {
        Rolling { position: self.root.clone(), waiting: None }
    }

    fn chooser(&self, state: &Rolling<P>) -> Chooser {
        match state.waiting {
            Some(_) => Chooser::Chance,
            None => Chooser::Player(state.position.side_to_move()),
        }
    }

    fn verdict(&self, state: &Rolling<P>) -> Option<Verdict> {
        let outcome = if state.waiting.is_none() { state.position.outcome() } else { None };
        outcome.map(|outcome| outcome.absolute(state.position.side_to_move()))
    }

    fn edges(&self, state: &Rolling<P>, edges: &mut Vec<Edge<P::Move>>) {
        if let Some(mv) = state.waiting {
            edges.extend((0..state.position.odds(mv).count()).map(|outcome| Edge::Roll(outcome as u8)));
            return;
        }
        let _: ControlFlow<()> = state.position.moves(|mv| {
            edges.push(Edge::Move(mv));
            ControlFlow::Continue(())
        });
    }

    fn draw(&self, state: &Rolling<P>, random: &mut Random) -> Option<Edge<P::Move>> {
        Some(Edge::Roll(state.position.roll(state.waiting?, random) as u8))
    }

    fn follow(&self, state: &mut Rolling<P>, edge: Edge<P::Move>) {
        match edge {
            Edge::Move(mv) if state.position.odds(mv).is_certain() => state.position.play(mv),
            Edge::Move(mv) => state.waiting = Some(mv),
            Edge::Roll(outcome) => {
                if let Some(mv) = state.waiting.take() {
                    state.position.play_roll(mv, outcome.into());
                }
            }
        }
    }

    fn repetition_hash(&self, state: &Rolling<P>) -> Option<u64> {
        if state.waiting.is_none() { state.position.repetition_hash() } else { None }
    }

    fn advise(&self, state: &Rolling<P>, edges: &[Edge<P::Move>], advice: &mut [Advice]) {
        if let Some(mv) = state.waiting {
            let odds = state.position.odds(mv);
            for (outcome, advice) in advice.iter_mut().enumerate() {
                *advice = Advice { prior: odds.share(outcome) as f32, share: None };
            }
            return;
        }
        let moves: Vec<P::Move> = edges.iter().filter_map(|edge| edge.player_move()).collect();
        self.guide.advise(&state.position, &moves, advice);
        for (&mv, advice) in moves.iter().zip(advice) {
            // That an attack gets through is what it is tried for, not what it is worth.
            advice.share = advice.share.filter(|_| state.position.odds(mv).is_certain());
        }
    }

    fn nodes(&self) -> u64 {
        self.guide.nodes()
    }

    fn rollout(
        &self,
        state: Rolling<P>,
        random: &mut Random,
        mut trace: Option<&mut Vec<(Side, Edge<P::Move>)>>,
    ) -> Rollout {
        let Rolling { mut position, waiting } = state;
        if let Some(mv) = waiting {
            position.play_rolled(mv, random);
        }
        for plies in 0..self.playout_plies {
            let step = if self.keen { position.keen_step(random) } else { position.random_step(random) };
            match step {
                Step::Move(mv) => {
                    if let Some(trace) = trace.as_deref_mut() {
                        trace.push((position.side_to_move(), Edge::Move(mv)));
                    }
                    position.play_rolled(mv, random);
                }
                Step::Over(outcome) => {
                    let share = share_of(outcome.absolute(position.side_to_move()));
                    return Rollout { share, plies, known: false };
                }
            }
        }
        Rollout { share: self.evaluated(&position), plies: self.playout_plies, known: false }
    }
}

impl<M: Copy> Edge<M> {
    fn player_move(&self) -> Option<M> {
        match self {
            Edge::Move(mv) => Some(*mv),
            Edge::Roll(_) => None,
        }
    }
}

/// Monte Carlo tree search of games of chance. Each search grows a tree of its own.
#[derive(Debug)]
pub struct DiceMcts<G = Unguided> {
    options: Options,
    guide: G,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

impl<G> DiceMcts<G> {
    /// A searcher with evaluations and priors, or [`Unguided`].
    pub fn guided(options: Options, guide: G) -> DiceMcts<G> {
        // What an attack is worth, no evaluation says before it is rolled for.
        let options = Options { minimax: None, ..options };
        let mut mcts = DiceMcts { options, guide, randoms: Vec::new() };
        mcts.reseed();
        mcts
    }

    fn reseed(&mut self) {
        let threads = self.options.threads.max(1) as u64;
        self.randoms = (0..threads).map(|thread| Random::stream(self.options.seed, thread)).collect();
    }
}

impl<P: Playout + Chance, G: Guide<P>> Searcher<P> for DiceMcts<G> {
    fn search(
        &mut self,
        root: &P,
        history: &[u64],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        if root.outcome().is_some() {
            return Report::from_lines(Vec::new(), 0, Duration::ZERO);
        }
        let Options { keen, playout_plies, .. } = self.options;
        let model = Dice { root, guide: &self.guide, keen, playout_plies };
        let own = limits.with_moves(limits.search_moves.iter().copied().map(Edge::Move).collect());
        let task = Task { model: &model, options: &self.options, limits: &own, history, stop };
        let mut tree = Tree::new(self.options.tree_mb, self.options.rave.is_some());
        let report = task.run(&mut tree, &mut self.randoms, &mut |info| on_info(&until_roll(info)));
        let lines = report.lines.iter().map(until_roll).collect();
        Report::from_lines(lines, report.nodes, report.elapsed)
    }

    fn new_game(&mut self) {
        self.guide.forget();
        self.reseed();
    }
}

/// A line as far as no roll decides how it goes on.
fn until_roll<M: Copy>(info: &Info<Edge<M>>) -> Info<M> {
    info.with_pv(info.pv.iter().map_while(Edge::player_move).collect())
}
