//! One simulation after another: down the tree, out of it by a rollout, and back up.

use super::guide::Advice;
use super::model::{Chooser, Model, Rollout, share_of};
use super::options::Options;
use super::past::Past;
use super::proof;
use super::select::select;
use super::tree::{Growth, ROOT, Tree, seen_from};
use jewel_engine::random::Random;
use jewel_engine::value::{AbsoluteValue, Side, Value, Verdict};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What all threads of a search share.
#[derive(Debug)]
pub(super) struct Shared<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) tree: &'a Tree<M::Edge>,
    pub(super) options: &'a Options,
    /// Keys of the positions before the root.
    pub(super) history: &'a [u64],
    /// What moves were worth, where that guides the choice.
    pub(super) past: Option<&'a Past>,
    /// Which children of the root may be tried.
    pub(super) allowed: &'a [bool],
    /// Go on with the others when a move of the root is proven: several lines are wanted.
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
    /// Positions looked at, in the tree and in rollouts.
    pub(super) nodes: AtomicU64,
    /// What the model had looked at before.
    pub(super) model_nodes: u64,
    /// Plies in the tree, summed over simulations.
    pub(super) depths: AtomicU64,
    /// Plies of the longest path in the tree.
    pub(super) deepest: AtomicU64,
    /// Positions whose value was known.
    pub(super) table_hits: AtomicU64,
}

/// What a simulation has done to the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// There was no room for more nodes.
    pub(super) full: bool,
    /// A node has got children: one in a simulation, or a single one would go on to the end of the game.
    grown: bool,
    /// A child of the root is proven.
    pub(super) proven: bool,
}

/// One thread's part of a search.
pub(super) struct Worker<'a, M: Model> {
    shared: &'a Shared<'a, M>,
    random: &'a mut Random,
    /// Node numbers from the root, and who chose at each.
    path: Vec<(u32, Chooser)>,
    /// The keys of the positions below the root.
    keys: Vec<u64>,
    root_key: Option<u64>,
    edges: Vec<M::Edge>,
    advice: Vec<Advice>,
    /// Where both are sorted: the advice, the places that the edges had, the edges.
    order: Vec<(Advice, usize, M::Edge)>,
    trace: Vec<(Side, M::Edge)>,
    /// The state before the last one of the path, and the edge between them, in games of compound turns.
    before: Option<(M::State, M::Edge)>,
}

impl<'a, M: Model> Worker<'a, M> {
    pub(super) fn new(shared: &'a Shared<'a, M>, random: &'a mut Random) -> Worker<'a, M> {
        Worker {
            shared,
            random,
            path: Vec::new(),
            keys: Vec::new(),
            root_key: None,
            edges: Vec::new(),
            advice: Vec::new(),
            order: Vec::new(),
            trace: Vec::new(),
            before: None,
        }
    }

    /// Runs one simulation.
    pub(super) fn simulate(&mut self) -> Effect {
        let shared = self.shared;
        let mut effect = Effect::default();
        let mut state = shared.model.root(self.random);
        self.path.clear();
        self.keys.clear();
        self.trace.clear();
        self.before = None;
        self.root_key = shared.model.repetition_hash(&state);
        let mut at = ROOT;
        let rollout = loop {
            let chooser = shared.model.chooser(&state);
            self.path.push((at, chooser));
            if let Some(share) = self.settled(at, &state) {
                break Rollout { share, plies: 0, known: false };
            }
            if !self.grown(at, &state, &mut effect) {
                if let Some(share) = self.evaluated(at) {
                    break Rollout { share, plies: 0, known: false };
                }
                let trace = shared.options.rave.is_some().then_some(&mut self.trace);
                break shared.model.rollout(state, self.random, trace);
            }
            if at != ROOT
                && let Some(value) = shared.tree.node(at).proof()
            {
                break Rollout { share: share_of(value.verdict), plies: 0, known: false };
            }
            match self.next(at, chooser, &mut state) {
                Some(child) => at = child,
                None => break shared.model.rollout(state, self.random, None),
            }
        };
        self.count(rollout);
        effect.proven = self.back_up(rollout.share);
        effect
    }

    /// White's share of a leaf, if there are no playouts and the advice on the move to it has said that already.
    fn evaluated(&self, at: u32) -> Option<f64> {
        let worth = self.shared.tree.node(at).worth().filter(|_| self.shared.options.playout_plies == 0)?;
        Some(f64::from(worth))
    }

    /// White's share where nothing is left to find out: a proven node, or a position that comes again on
    /// the path.
    fn settled(&mut self, at: u32, state: &M::State) -> Option<f64> {
        if at == ROOT {
            return None;
        }
        let node = self.shared.tree.node(at);
        if let Some(value) = node.proof() {
            return Some(share_of(value.verdict));
        }
        let key = self.shared.model.repetition_hash(state)?;
        // Once up to the root is not enough: the opponent may answer otherwise this time.
        let before = self.shared.history.iter().chain(&self.root_key).filter(|&&known| known == key).count();
        if before >= 2 || self.keys.contains(&key) {
            if M::PROVABLE {
                node.set_proof(proof::over(Verdict::Draw));
            }
            return Some(0.5);
        }
        self.keys.push(key);
        None
    }

    /// Whether the node has children in the tree, after an attempt to give it some if it is time.
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

    /// The value of a state, if the game is over there or something knows it; how often it did. A distance that
    /// may cost much is asked for only after a move of the root.
    fn exact(&self, parent: u32, state: &M::State, hits: &mut u64) -> Option<AbsoluteValue> {
        let model = self.shared.model;
        if let Some(verdict) = model.verdict(state) {
            return Some(proof::over(verdict));
        }
        if self.shared.options.decisive
            && let Chooser::Player(side) = model.chooser(state)
            && model.wins_at_once(state)
        {
            return Some(Value::Win(1).absolute(side));
        }
        let exact = if parent == ROOT { model.known(state) } else { None };
        let known = exact.or_else(|| model.known_verdict(state).map(proof::some_day));
        *hits += u64::from(known.is_some());
        known
    }

    /// Asks for the distances after the moves of the root, if it was no root when it got its children.
    pub(super) fn complete_root(&self, root: &M::State) {
        for child in self.shared.tree.children(ROOT).unwrap_or_default() {
            let unknown = child.proof().is_some_and(|value| value.distance >= Some(proof::SOME_DAY));
            if unknown && let Some(&edge) = child.edge.get() {
                let mut next = root.clone();
                self.shared.model.follow(&mut next, edge);
                if let Some(value) = self.shared.model.known(&next) {
                    child.set_proof(value);
                }
            }
        }
    }

    /// Puts the children of a node into the tree, those whose value is known with it.
    pub(super) fn grow(&mut self, at: u32, state: &M::State) -> Growth {
        let (model, tree) = (self.shared.model, self.shared.tree);
        let mut hits = 0;
        if at == ROOT || !M::PROVABLE {
            if model.verdict(state).is_some() {
                return Growth::Refused;
            }
        } else if let Some(value) = self.exact(at, state, &mut hits) {
            // Only where the value had been forgotten: a draw of the game before this position was the root.
            tree.node(at).set_proof(value);
            self.shared.totals.table_hits.fetch_add(hits, Relaxed);
            return Growth::Refused;
        }
        self.edges.clear();
        model.edges(state, &mut self.edges);
        if M::TURNS
            && let Some((before, first)) = self.before.as_ref().filter(|_| self.goes_on())
        {
            self.edges.retain(|&second| !model.is_redundant(before, *first, second));
        }
        self.advice.clear();
        self.advice.resize(self.edges.len(), Advice::none(self.edges.len()));
        model.advise(state, &self.edges, &mut self.advice);
        if self.shared.options.widening.is_some() {
            self.sort_by_prior();
        }
        let (edges, advice, chooser) = (&self.edges, &self.advice, model.chooser(state));
        let growth = tree.grow(at, edges, |number, child| {
            let Advice { prior, share } = advice[number];
            child.prior.store(prior.to_bits(), Relaxed);
            if let (Some(share), Chooser::Player(mover)) = (share, chooser) {
                child.set_worth(seen_from(share, mover));
            }
            if M::PROVABLE {
                let mut next = state.clone();
                model.follow(&mut next, edges[number]);
                if let Some(value) = self.exact(at, &next, &mut hits) {
                    child.set_proof(value);
                }
            }
        });
        if hits > 0 {
            self.shared.totals.table_hits.fetch_add(hits, Relaxed);
        }
        if M::PROVABLE
            && growth == Growth::Grown
            && at != ROOT
            && let Chooser::Player(side) = chooser
        {
            tree.prove(at, side);
        }
        growth
    }

    /// Puts the edges of the highest priors first; equal ones stay in their order.
    fn sort_by_prior(&mut self) {
        self.order.clear();
        let both = self.edges.iter().zip(&self.advice).enumerate();
        self.order.extend(both.map(|(number, (&edge, &advice))| (advice, number, edge)));
        self.order.sort_unstable_by(|a, b| b.0.prior.total_cmp(&a.0.prior).then(a.1.cmp(&b.1)));
        for (place, &(advice, _, edge)) in self.order.iter().enumerate() {
            (self.edges[place], self.advice[place]) = (edge, advice);
        }
    }

    /// Whether the player at the end of the path chose the edge before as well.
    fn goes_on(&self) -> bool {
        matches!(&self.path[..], [.., (_, before), (_, now)] if before == now)
    }

    /// Follows an edge of a node that has children: the number of the child.
    fn next(&mut self, at: u32, chooser: Chooser, state: &mut M::State) -> Option<u32> {
        let Shared { model, tree, options, past, allowed, all_lines, .. } = *self.shared;
        let children = tree.children(at)?;
        let number = match chooser {
            Chooser::Player(side) => {
                let parent = tree.node(at).record(side);
                let fits = |number: usize| {
                    (at != ROOT || allowed[number] && !(all_lines && children[number].proof().is_some()))
                        && (!M::PARTIAL
                            || children[number].edge.get().is_some_and(|&e| model.available(state, e)))
                };
                let elsewhere = |edge: &M::Edge| past?.mean(side, edge);
                select(options, side, parent, children, tree.amaf(at), fits, elsewhere)?
            }
            Chooser::Chance => {
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
        if rollout.known {
            totals.table_hits.fetch_add(1, Relaxed);
        }
        if depth > totals.deepest.load(Relaxed) {
            totals.deepest.fetch_max(depth, Relaxed);
        }
    }

    /// Takes the result back to the root; whether a child of the root is proven.
    fn back_up(&mut self, mut share: f64) -> bool {
        let tree = self.shared.tree;
        if self.shared.options.rave.is_some() {
            self.back_up_amaf(share);
        }
        let mut proven = M::PROVABLE;
        let mut revalued = self.shared.options.minimax.is_some();
        let mut at_the_root = false;
        for (place, &(at, chooser)) in self.path.iter().enumerate().rev() {
            // As long as everything below is proven, this may be as well.
            proven = proven && self.proves(place, at, chooser);
            if proven && let Some(value) = tree.node(at).proof() {
                share = share_of(value.verdict);
                at_the_root |= place == 1;
            }
            if revalued && let Chooser::Player(side) = chooser {
                // What is proven has its worth already, and the parents of a leaf may never have looked at it.
                revalued = tree.node(at).proof().is_some()
                    || tree.take_worth(at, side)
                    || place + 1 == self.path.len();
            }
            if at == ROOT {
                tree.node(at).enter();
            }
            tree.node(at).leave(share);
            if let Some(past) = self.shared.past
                && let (Some(&(_, Chooser::Player(side))), Some(edge)) =
                    (self.path.get(place.wrapping_sub(1)), tree.edge(at))
            {
                past.add(side, &edge, share);
            }
        }
        at_the_root
    }

    /// Whether a node of the path is proven now. The root itself never is: not all of its moves may be
    /// allowed, and a repetition on the way to it is nobody's proof.
    fn proves(&self, place: usize, at: u32, chooser: Chooser) -> bool {
        let tree = self.shared.tree;
        if at == ROOT {
            return false;
        }
        if tree.node(at).proof().is_some() {
            return true;
        }
        match chooser {
            Chooser::Player(side) if place + 1 < self.path.len() => tree.prove(at, side).is_some(),
            _ => false,
        }
    }

    /// Credits every alternative of the path that was played later on by the same side.
    fn back_up_amaf(&mut self, share: f64) {
        let tree = self.shared.tree;
        let mut played = std::mem::take(&mut self.trace);
        played.sort_unstable();
        played.dedup();
        for (place, &(at, chooser)) in self.path.iter().enumerate().rev() {
            let Chooser::Player(side) = chooser else { continue };
            let Some(children) = tree.children(at) else { continue };
            // What is played here counts for the nodes above as well.
            let edge = self.path.get(place + 1).and_then(|&(child, _)| tree.edge(child));
            if let Some(edge) = edge
                && let Err(place) = played.binary_search(&(side, edge))
            {
                played.insert(place, (side, edge));
            }
            for (child, amaf) in children.iter().zip(tree.amaf(at)) {
                if child.edge.get().is_some_and(|&edge| played.binary_search(&(side, edge)).is_ok()) {
                    amaf.add(share);
                }
            }
        }
        self.trace = played;
    }
}
