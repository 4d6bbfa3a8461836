//! Simulations: down the tree, out of it by a rollout, and back up.

use super::model::{Actor, Model, Rollout};
use super::options::Options;
use super::policy::Prior;
use super::proof;
use super::select::select;
use super::tree::{Growth, ROOT, Tree};
use crate::control::Allowance;
use crate::sampling::{seen_by, share_of};
use jewel_engine::random::Random;
use jewel_engine::value::{AbsoluteValue, Value, Verdict};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The data that all threads of a search share.
#[derive(Debug)]
pub(super) struct Shared<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) tree: &'a Tree<M::Edge>,
    pub(super) options: &'a Options,
    /// Hashes of the positions before the root.
    pub(super) history: &'a [u64],
    /// Which children of the root may be tried.
    pub(super) allowed: &'a [bool],
    /// Whether several lines are wanted: when a move of the root is proven, the search goes on with the others.
    pub(super) all_lines: bool,
    pub(super) totals: &'a Totals,
}

/// Sums over all threads.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Simulations begun.
    pub(super) begun: AtomicU64,
    /// Simulations finished.
    pub(super) finished: AtomicU64,
    /// Positions searched, in the tree and in rollouts.
    pub(super) nodes: AtomicU64,
    /// Positions that the policy had searched before.
    pub(super) model_nodes: u64,
    /// Plies in the tree, summed over simulations.
    pub(super) depths: AtomicU64,
    /// Plies of the longest path in the tree.
    pub(super) deepest: AtomicU64,
    /// Positions whose value endgame tables knew.
    pub(super) tb_hits: AtomicU64,
}

/// The effect of a simulation on the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// There was no room for more nodes.
    pub(super) full: bool,
    /// A node has got children. At most one does in a simulation: otherwise a single one would go on to the end of the
    /// game.
    grown: bool,
    /// A child of the root is proven.
    pub(super) proven: bool,
}

/// One thread's part of a search.
pub(super) struct Worker<'a, M: Model> {
    shared: &'a Shared<'a, M>,
    random: &'a mut Random,
    /// What the model may spend.
    pub(super) allowance: Allowance,
    /// Node numbers from the root, and who chooses at each.
    path: Vec<(u32, Actor)>,
    /// The hashes of the positions below the root.
    hashes: Vec<u64>,
    root_hash: Option<u64>,
    edges: Vec<M::Edge>,
    priors: Vec<Prior>,
    /// Buffer for sorting: the prior, the place that the edge had, the edge.
    order: Vec<(Prior, usize, M::Edge)>,
    /// The state before the last one of the path, and the edge between them, in games of compound turns.
    before: Option<(M::State, M::Edge)>,
}

impl<'a, M: Model> Worker<'a, M> {
    pub(super) fn new(
        shared: &'a Shared<'a, M>,
        random: &'a mut Random,
        allowance: Allowance,
    ) -> Worker<'a, M> {
        Worker {
            shared,
            random,
            allowance,
            path: Vec::new(),
            hashes: Vec::new(),
            root_hash: None,
            edges: Vec::new(),
            priors: Vec::new(),
            order: Vec::new(),
            before: None,
        }
    }

    /// Runs one simulation.
    pub(super) fn simulate(&mut self) -> Effect {
        let shared = self.shared;
        let mut effect = Effect::default();
        let mut state = shared.model.root();
        self.path.clear();
        self.hashes.clear();
        self.before = None;
        self.root_hash = shared.model.repetition_hash(&state);
        let mut at = ROOT;
        let rollout = loop {
            let actor = shared.model.actor(&state);
            self.path.push((at, actor));
            if let Some(share) = self.settled(at, &state) {
                break Rollout::settled(share);
            }
            if !self.grown(at, &state, &mut effect) {
                match self.evaluated(at) {
                    Some(share) => break Rollout::settled(share),
                    None => break shared.model.rollout(state, self.random, &mut self.allowance),
                }
            }
            if at != ROOT
                && let Some(value) = shared.tree.node(at).proof()
            {
                break Rollout::settled(share_of(value.verdict));
            }
            match self.next(at, actor, &mut state) {
                Some(child) => at = child,
                None => break shared.model.rollout(state, self.random, &mut self.allowance),
            }
        };
        self.count(rollout);
        effect.proven = self.back_up(rollout.share);
        effect
    }

    /// White's share of a leaf, if there are no playouts and the prior of the move to it has it already.
    fn evaluated(&self, at: u32) -> Option<f64> {
        let worth = self.shared.tree.node(at).worth().filter(|_| self.shared.options.playout_plies == 0)?;
        Some(f64::from(worth))
    }

    /// White's share at a proven node, or where the game ends by repetition.
    fn settled(&mut self, at: u32, state: &M::State) -> Option<f64> {
        if at == ROOT {
            return None;
        }
        let node = self.shared.tree.node(at);
        if let Some(value) = node.proof() {
            return Some(share_of(value.verdict));
        }
        let hash = self.shared.model.repetition_hash(state)?;
        // Once up to the root is not enough: the opponent may answer otherwise this time.
        let before =
            self.shared.history.iter().chain(&self.root_hash).filter(|&&known| known == hash).count();
        if before >= 2 || self.hashes.contains(&hash) {
            let verdict = self.shared.model.repeated(state);
            node.set_proof(proof::over(verdict));
            return Some(share_of(verdict));
        }
        self.hashes.push(hash);
        None
    }

    /// Whether the node has children in the tree; adds them if the node has enough visits.
    fn grown(&mut self, at: u32, state: &M::State, effect: &mut Effect) -> bool {
        let tree = self.shared.tree;
        if tree.first_child(at).is_some() {
            return true;
        }
        let early = tree.node(at).visit_count() < u64::from(self.shared.options.expand_at);
        if at != ROOT && (early || effect.grown) {
            return false;
        }
        match self.grow(at, state) {
            Growth::Grown => {
                effect.grown = true;
                true
            }
            Growth::Full => {
                effect.full = true;
                false
            }
            // Another thread may just have done it.
            Growth::Refused => tree.first_child(at).is_some(),
        }
    }

    /// The exact value of a state after a move from `parent`, if it is known; `hits` counts those from endgame tables.
    /// A distance, which may be costly, is probed only after the moves of the root.
    fn exact(&self, parent: u32, state: &M::State, hits: &mut u64) -> Option<AbsoluteValue> {
        let model = self.shared.model;
        if let Some(verdict) = model.verdict(state) {
            return Some(proof::over(verdict));
        }
        if let Actor::Player(side) = model.actor(state)
            && model.wins_at_once(state)
        {
            return Some(Value::Win(1).absolute(side));
        }
        let exact = if parent == ROOT { model.tablebase_value(state) } else { None };
        let won = || model.least(state).filter(|value| value.verdict != Verdict::Draw);
        let known = exact.or_else(won).or_else(|| model.tablebase_verdict(state).map(proof::some_day));
        *hits += u64::from(known.is_some());
        known
    }

    /// Probes the distances after the moves of a root that got its children before it was the root.
    pub(super) fn complete_root(&self, root: &M::State) {
        for child in self.shared.tree.children(ROOT).unwrap_or_default() {
            let unknown = child.proof().is_some_and(|value| value.distance >= Some(proof::SOME_DAY));
            if unknown && let Some(&edge) = child.edge.get() {
                let mut next = root.clone();
                self.shared.model.follow(&mut next, edge);
                if let Some(value) = self.shared.model.tablebase_value(&next) {
                    child.set_proof(value);
                }
            }
        }
    }

    /// Puts the children of a node into the tree, with their values where they are known.
    pub(super) fn grow(&mut self, at: u32, state: &M::State) -> Growth {
        let (model, tree) = (self.shared.model, self.shared.tree);
        let mut hits = 0;
        if at == ROOT {
            if model.verdict(state).is_some() {
                return Growth::Refused;
            }
        } else if let Some(value) = self.exact(at, state, &mut hits) {
            // Only where a draw had been forgotten when the root changed.
            tree.node(at).set_proof(value);
            self.shared.totals.tb_hits.fetch_add(hits, Relaxed);
            return Growth::Refused;
        }
        self.edges.clear();
        model.edges(state, &mut self.edges);
        if M::TURNS
            && let Some((before, first)) = self.before.as_ref().filter(|_| self.goes_on())
        {
            self.edges.retain(|&second| !model.is_redundant(before, *first, second));
        }
        self.priors.clear();
        self.priors.resize(self.edges.len(), Prior::uniform(self.edges.len()));
        model.priors(state, &self.edges, &mut self.priors, &mut self.allowance);
        self.sort_by_prior();
        let (edges, priors, actor) = (&self.edges, &self.priors, model.actor(state));
        let growth = tree.grow(at, edges, |number, child| {
            let Prior { probability, share } = priors[number];
            child.prior.store(probability.to_bits(), Relaxed);
            if let (Some(share), Actor::Player(mover)) = (share, actor) {
                child.set_worth(seen_by(share.into(), mover) as f32);
            }
            let mut next = state.clone();
            model.follow(&mut next, edges[number]);
            if let Some(value) = self.exact(at, &next, &mut hits) {
                child.set_proof(value);
            }
        });
        if hits > 0 {
            self.shared.totals.tb_hits.fetch_add(hits, Relaxed);
        }
        if growth == Growth::Grown
            && at != ROOT
            && let Actor::Player(side) = actor
        {
            tree.prove(at, side);
        }
        growth
    }

    /// Sorts the edges by falling priors; equal ones keep their order.
    fn sort_by_prior(&mut self) {
        self.order.clear();
        let both = self.edges.iter().zip(&self.priors).enumerate();
        self.order.extend(both.map(|(number, (&edge, &prior))| (prior, number, edge)));
        self.order.sort_unstable_by(|a, b| b.0.probability.total_cmp(&a.0.probability).then(a.1.cmp(&b.1)));
        for (place, &(prior, _, edge)) in self.order.iter().enumerate() {
            (self.edges[place], self.priors[place]) = (edge, prior);
        }
    }

    /// Whether the player at the end of the path chose the edge before as well.
    fn goes_on(&self) -> bool {
        matches!(&self.path[..], [.., (_, before), (_, now)] if before == now)
    }

    /// Follows an edge of a node that has children: the number of the child.
    fn next(&mut self, at: u32, actor: Actor, state: &mut M::State) -> Option<u32> {
        let Shared { model, tree, options, allowed, all_lines, .. } = *self.shared;
        let children = tree.children(at)?;
        let number = match actor {
            Actor::Player(side) => {
                let parent = tree.node(at).record(side);
                let fits = |number: usize| {
                    at != ROOT || allowed[number] && !(all_lines && children[number].proof().is_some())
                };
                select(options, side, parent, children, fits)?
            }
            Actor::Chance => {
                let drawn = model.draw(state, self.random);
                children.iter().position(|child| child.edge.get().copied() == drawn && drawn.is_some())?
            }
        };
        let child = &children[number];
        child.enter();
        let edge = *child.edge.get()?;
        if M::TURNS {
            self.before = Some((state.clone(), edge));
        }
        model.follow(state, edge);
        Some(tree.first_child(at)? + number as u32)
    }

    fn count(&self, rollout: Rollout) {
        let totals = self.shared.totals;
        let depth = self.path.len() as u64 - 1;
        totals.nodes.fetch_add(depth + 1 + u64::from(rollout.plies), Relaxed);
        totals.depths.fetch_add(depth, Relaxed);
        totals.finished.fetch_add(1, Relaxed);
        if rollout.tb_hit {
            totals.tb_hits.fetch_add(1, Relaxed);
        }
        if depth > totals.deepest.load(Relaxed) {
            totals.deepest.fetch_max(depth, Relaxed);
        }
    }

    /// Backs the result up to the root; whether a child of the root has been proven.
    fn back_up(&mut self, mut share: f64) -> bool {
        let tree = self.shared.tree;
        let mut proven = true;
        let mut revalued = self.shared.options.minimax.is_some();
        let mut at_the_root = false;
        for (place, &(at, actor)) in self.path.iter().enumerate().rev() {
            // As long as everything below is proven, this may be as well.
            proven = proven && self.proves(place, at, actor);
            if proven && let Some(value) = tree.node(at).proof() {
                share = share_of(value.verdict);
                at_the_root |= place == 1;
            }
            if revalued && let Actor::Player(side) = actor {
                // A proven node has its worth already, and a leaf's worth may not have reached its parents yet.
                revalued = tree.node(at).proof().is_some()
                    || tree.take_worth(at, side)
                    || place + 1 == self.path.len();
            }
            if at == ROOT {
                tree.node(at).enter();
            }
            tree.node(at).leave(share);
        }
        at_the_root
    }

    /// Whether a node of the path is proven now. The root itself never is: not all of its moves may be
    /// allowed, and a repetition on the way to it proves nothing.
    fn proves(&self, place: usize, at: u32, actor: Actor) -> bool {
        let tree = self.shared.tree;
        if at == ROOT {
            return false;
        }
        if tree.node(at).proof().is_some() {
            return true;
        }
        match actor {
            Actor::Player(side) if place + 1 < self.path.len() => tree.prove(at, side).is_some(),
            _ => false,
        }
    }
}
