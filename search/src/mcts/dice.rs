//! Monte Carlo tree search of games of chance: a move that is rolled for has a node of its own, in which
//! chance chooses.

use super::model::{Actor, Model, Rollout, playout};
use super::options::Options;
use super::policy::{Policy, Prior};
use super::run::{SearchRequest, deadline};
use super::tree::Tree;
use crate::control::{Allowance, Stop};
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::sampling::generators;
use crate::searcher::Searcher;
use jewel_engine::chance::Chance;
use jewel_engine::playout::Playout;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::Verdict;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Duration;

/// A move, or what the dice say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Edge<M> {
    /// A player's choice.
    Move(M),
    /// The number of the outcome of the move before.
    Roll(u8),
}

/// A position in which a move may be waiting for its roll.
#[derive(Clone, Debug)]
pub(super) struct Rolling<P: Position> {
    position: P,
    waiting: Option<P::Move>,
}

/// A game of chance in which nothing is hidden.
#[derive(Debug)]
pub(super) struct Dice<'a, P, G> {
    /// The position at the root.
    root: &'a P,
    /// What evaluates positions and moves.
    policy: &'a G,
    /// Plies before a playout is cut off.
    playout_plies: u32,
}

impl<P: Playout + Chance, G: Policy<P>> Model for Dice<'_, P, G> {
    type State = Rolling<P>;
    type Edge = Edge<P::Move>;

    fn root(&self) -> Rolling<P> {
        Rolling { position: self.root.clone(), waiting: None }
    }

    fn actor(&self, state: &Rolling<P>) -> Actor {
        match state.waiting {
            Some(_) => Actor::Chance,
            None => Actor::Player(state.position.side_to_move()),
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

    fn priors(
        &self,
        state: &Rolling<P>,
        edges: &[Edge<P::Move>],
        priors: &mut [Prior],
        allowance: &mut Allowance,
    ) {
        if let Some(mv) = state.waiting {
            let odds = state.position.odds(mv);
            for (outcome, prior) in priors.iter_mut().enumerate() {
                *prior = Prior { probability: odds.share(outcome) as f32, share: None };
            }
            return;
        }
        let moves: Vec<P::Move> = edges.iter().filter_map(Edge::player_move).collect();
        self.policy.priors(&state.position, &moves, priors, allowance);
        for (&mv, prior) in moves.iter().zip(priors) {
            // What the policy sees after an attack is its success, not what the attack is worth.
            prior.share = prior.share.filter(|_| state.position.odds(mv).is_certain());
        }
    }

    fn nodes(&self) -> u64 {
        self.policy.nodes()
    }

    fn rollout(&self, state: Rolling<P>, random: &mut Random, allowance: &mut Allowance) -> Rollout {
        let Rolling { mut position, waiting } = state;
        if let Some(mv) = waiting {
            position.play_rolled(mv, random);
        }
        let play = |position: &mut P, mv, random: &mut Random| _ = position.play_rolled(mv, random);
        playout(position, self.policy, self.playout_plies, random, allowance, |_| None, play)
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
pub struct DiceMcts<G> {
    options: Options,
    policy: G,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

impl<G> DiceMcts<G> {
    /// A searcher that follows a policy; [`UniformPolicy`](super::policy::UniformPolicy) knows nothing but the
    /// rules.
    pub fn with_policy(options: Options, policy: G) -> DiceMcts<G> {
        // No evaluation says what an attack is worth before it is rolled for.
        let options = Options { minimax: None, ..options };
        let randoms = generators(options.seed, options.threads);
        DiceMcts { options, policy, randoms }
    }
}

impl<P: Playout + Chance, G: Policy<P>> Searcher<P> for DiceMcts<G> {
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
        let model = Dice { root, policy: &self.policy, playout_plies: self.options.playout_plies };
        let limits = limits.with_moves(limits.search_moves.iter().copied().map(Edge::Move).collect());
        let (options, deadline) = (&self.options, deadline(&limits, stop));
        let request =
            SearchRequest { model: &model, options, limits: &limits, history, stop, deadline: &deadline };
        let mut tree = Tree::new(self.options.tree_mb);
        let report = request.run(&mut tree, &mut self.randoms, &mut |info| on_info(&until_roll(info)));
        let lines = report.lines.iter().map(until_roll).collect();
        Report::from_lines(lines, report.nodes, report.elapsed)
    }

    fn new_game(&mut self) {
        self.policy.forget();
        self.randoms = generators(self.options.seed, self.options.threads);
    }
}

/// A line up to the first roll.
fn until_roll<M: Copy>(info: &Info<Edge<M>>) -> Info<M> {
    info.with_pv(info.pv.iter().map_while(Edge::player_move).collect())
}
