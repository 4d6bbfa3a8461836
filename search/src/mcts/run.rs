//! A search from its first simulation to its last, on all threads.

use super::compact::Compaction;
use super::model::{Actor, Model};
use super::options::Options;
use super::simulate::{Shared, Totals, Worker};
use super::tree::{ROOT, Tree, from_choice};
use crate::clock::Sharing;
use crate::control::{Allowance, Deadline, Stop};
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::sampling::ReportSchedule;
use jewel_engine::random::Random;
use jewel_engine::threads::spawn_helper;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Simulations between two looks at the clock: a policy that searches may take a millisecond for one.
const CLOCK_EVERY: u32 = 1;

/// Simulations before the first report.
const FIRST_REPORT: u64 = 500;

/// What a search is given.
pub(super) struct SearchRequest<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) options: &'a Options,
    pub(super) limits: &'a Limits<M::Edge>,
    pub(super) history: &'a [u64],
    pub(super) stop: &'a Stop,
    pub(super) deadline: &'a Deadline,
}

/// The deadline of a search that begins now.
pub(super) fn deadline<M>(limits: &Limits<M>, stop: &Stop) -> Deadline {
    Deadline::new(limits, stop, CLOCK_EVERY, Sharing::default())
}

/// Why the threads end their simulations.
#[derive(Default)]
struct Signals {
    /// The search is over.
    halt: AtomicBool,
    /// The tree is full.
    full: AtomicBool,
}

impl<M: Model> SearchRequest<'_, M> {
    /// Searches; `randoms` has one generator for each thread.
    pub(super) fn run(
        &self,
        tree: &mut Tree<M::Edge>,
        randoms: &mut [Random],
        on_info: &mut dyn FnMut(&Info<M::Edge>),
    ) -> Report<M::Edge> {
        let deadline = self.deadline;
        let totals = Totals { model_nodes: self.model.nodes(), ..Totals::default() };
        self.grow_root(tree, &totals, &mut randoms[0].clone());
        let allowed: Vec<bool> = (tree.children(ROOT).unwrap_or_default().iter())
            .map(|child| child.edge.get().is_some_and(|edge| self.limits.allows(edge)))
            .collect();
        if !allowed.contains(&true) {
            return Report::from_lines(Vec::new(), 0, deadline.elapsed());
        }
        let mut reports = ReportSchedule::new(FIRST_REPORT);
        let mut halting = deadline.clone();
        let lines = loop {
            let shared = self.shared(tree, &totals, &allowed);
            let full = !shared.is_decided() && shared.work(self, randoms, &mut reports, on_info);
            let lines = shared.lines(self.limits.multipv, deadline.elapsed());
            let keep = Compaction { root: ROOT, max_nodes: tree.capacity() / 2, forget_draws: false };
            if !full || !tree.compact(keep, &mut || halting.expired()) {
                break lines;
            }
        };
        self.stop.wait_to_answer(self.limits);
        let (nodes, elapsed) = (self.shared(tree, &totals, &allowed).nodes(), deadline.elapsed());
        let mut lines: Vec<_> = lines.into_iter().map(|line| Info { elapsed, ..line }).collect();
        if let Some(first) = lines.first_mut() {
            first.exact = first.is_exact(|| self.shared(tree, &totals, &allowed).known());
        }
        lines.iter().for_each(&mut *on_info);
        Report::from_lines(lines, nodes, elapsed)
    }

    fn shared<'s>(
        &'s self,
        tree: &'s Tree<M::Edge>,
        totals: &'s Totals,
        allowed: &'s [bool],
    ) -> Shared<'s, M> {
        Shared {
            model: self.model,
            tree,
            options: self.options,
            history: self.history,
            allowed,
            all_lines: self.limits.multipv > 1,
            totals,
        }
    }

    fn grow_root(&self, tree: &Tree<M::Edge>, totals: &Totals, random: &mut Random) {
        let state = self.model.root();
        let shared = self.shared(tree, totals, &[]);
        let allowance = Allowance::new(self.deadline, self.limits.nodes.unwrap_or(u64::MAX));
        let mut worker = Worker::new(&shared, random, allowance);
        if tree.first_child(ROOT).is_none() {
            worker.grow(ROOT, &state);
        } else {
            worker.complete_root(&state);
        }
    }
}

impl<M: Model> Shared<'_, M> {
    /// Whether the allowed moves of the root are decided.
    pub(super) fn is_decided(&self) -> bool {
        let state = self.model.root();
        let (Actor::Player(mover), Some(children)) = (self.model.actor(&state), self.tree.children(ROOT))
        else {
            return false;
        };
        let mut allowed =
            children.iter().zip(self.allowed).filter(|(_, allowed)| **allowed).map(|(child, _)| child);
        if self.all_lines {
            allowed.all(|child| child.proof().is_some())
        } else {
            from_choice(allowed, mover).is_some()
        }
    }

    /// Runs simulations on all threads until the search is over, or until the tree is full: then `true`.
    fn work(
        &self,
        request: &SearchRequest<'_, M>,
        randoms: &mut [Random],
        reports: &mut ReportSchedule,
        on_info: &mut dyn FnMut(&Info<M::Edge>),
    ) -> bool {
        let signals = Signals::default();
        let Some((first, others)) = randoms.split_first_mut() else { return false };
        std::thread::scope(|scope| {
            for random in others {
                let _ = spawn_helper(scope, || self.simulate(request, &signals, random, &mut |_| {}));
            }
            let mut done = 0;
            self.simulate(request, &signals, first, &mut |shared| {
                done += 1;
                if reports.is_due(shared.totals.finished.load(Relaxed)) {
                    let lines = shared.lines(request.limits.multipv, request.deadline.elapsed());
                    lines.iter().for_each(&mut *on_info);
                }
                if done % 64 == 0 && shared.is_clear(request) {
                    signals.halt.store(true, Relaxed);
                }
            });
        });
        signals.full.into_inner() && !signals.halt.into_inner()
    }

    /// One thread's loop; `after` is called after each of its simulations.
    fn simulate(
        &self,
        request: &SearchRequest<'_, M>,
        signals: &Signals,
        random: &mut Random,
        after: &mut dyn FnMut(&Self),
    ) {
        let mut deadline = request.deadline.clone();
        let mut worker = Worker::new(self, random, Allowance::new(&deadline, u64::MAX));
        while !signals.halt.load(Relaxed) && !signals.full.load(Relaxed) {
            if deadline.expired() || self.is_spent(request.limits) {
                signals.halt.store(true, Relaxed);
                break;
            }
            if let Some(limit) = request.limits.nodes {
                worker.allowance.set_nodes(limit.saturating_sub(self.nodes()));
            }
            let effect = worker.simulate();
            if effect.full {
                signals.full.store(true, Relaxed);
            }
            if effect.proven && self.is_decided() {
                signals.halt.store(true, Relaxed);
            }
            after(self);
        }
    }

    /// Positions searched so far.
    pub(super) fn nodes(&self) -> u64 {
        let of_model = self.model.nodes().saturating_sub(self.totals.model_nodes);
        self.totals.nodes.load(Relaxed) + of_model
    }

    /// Whether one of the counted limits is reached; if not, a simulation counts as begun.
    fn is_spent(&self, limits: &Limits<M::Edge>) -> bool {
        let reached = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        reached(limits.nodes, self.nodes())
            || reached(limits.depth.map(u64::from), self.totals.deepest.load(Relaxed))
            || reached(limits.playouts, self.totals.begun.fetch_add(1, Relaxed))
    }

    /// Whether no more time should be spent on the move: a move that has the most visits and the best result
    /// needs no more than its share of the clock, and an only move none at all.
    fn is_clear(&self, request: &SearchRequest<'_, M>) -> bool {
        if request.stop.must_wait(request.limits) || request.limits.clock.is_none() {
            return false;
        }
        let only = self.allowed.iter().filter(|allowed| **allowed).count() == 1;
        only || request.deadline.soft_expired(1.0) && self.best_is_most_visited(request.deadline)
    }

    fn best_is_most_visited(&self, deadline: &Deadline) -> bool {
        let lines = self.lines(u32::MAX, deadline.elapsed());
        let most = lines.iter().map(|line| line.visits).max();
        lines.first().map(|line| line.visits) == most
    }
}
