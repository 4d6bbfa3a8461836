//! A search from its first simulation to its last, on all threads.

use super::model::{Chooser, Model};
use super::options::Options;
use super::past::Past;
use super::proof::from_choice;
use super::recycle::Retain;
use super::simulate::{Shared, Totals, Worker};
use super::tree::{ROOT, Tree};
use crate::clock::Sharing;
use crate::control::{Deadline, Stop};
use crate::limits::Limits;
use crate::report::{Info, Report};
use jewel_engine::random::Random;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Simulations between two looks at the time: a guide that looks ahead may take a millisecond for one.
const LOOK_AT_TIME: u32 = 1;

/// Simulations of the first thread before it reports for the first time; then always half as many again.
const FIRST_REPORT: u64 = 500;

/// How long a search that has nothing left to do sleeps before it looks whether it may end.
const NAP: Duration = Duration::from_millis(1);

/// What a search is given.
pub(super) struct Task<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) options: &'a Options,
    pub(super) limits: &'a Limits<M::Edge>,
    pub(super) history: &'a [u64],
    pub(super) stop: &'a Stop,
}

/// Why the threads came home.
#[derive(Default)]
struct Signals {
    /// The search is over.
    halt: AtomicBool,
    /// The tree is full.
    full: AtomicBool,
}

impl<M: Model> Task<'_, M> {
    /// Searches; `randoms` has one generator for each thread.
    pub(super) fn run(
        &self,
        tree: &mut Tree<M::Edge>,
        randoms: &mut [Random],
        on_info: &mut dyn FnMut(&Info<M::Edge>),
    ) -> Report<M::Edge> {
        let deadline = Deadline::new(self.limits, self.stop, LOOK_AT_TIME, Sharing::default());
        let totals = Totals { model_nodes: self.model.nodes(), ..Totals::default() };
        let past = self.options.history.map(|_| Past::new());
        self.grow_root(tree, &totals, &mut randoms[0].clone());
        let allowed: Vec<bool> = (tree.children(ROOT).unwrap_or_default().iter())
            .map(|child| child.edge.get().is_some_and(|edge| self.limits.allows(edge)))
            .collect();
        if !allowed.contains(&true) {
            return Report::from_lines(Vec::new(), 0, deadline.elapsed());
        }
        let mut reports = FIRST_REPORT;
        loop {
            let shared = self.shared(tree, &totals, &allowed, past.as_ref());
            let full = !shared.is_decided() && shared.work(self, randoms, &deadline, &mut reports, on_info);
            if !full {
                break;
            }
            let half = tree.capacity() / 2;
            tree.retain(Retain { root: ROOT, nodes: half, forget_draws: false });
        }
        self.wait();
        let shared = self.shared(tree, &totals, &allowed, None);
        let lines = shared.lines(self.limits.multipv, deadline.elapsed());
        lines.iter().for_each(&mut *on_info);
        Report::from_lines(lines, shared.nodes(), deadline.elapsed())
    }

    fn shared<'s>(
        &'s self,
        tree: &'s Tree<M::Edge>,
        totals: &'s Totals,
        allowed: &'s [bool],
        past: Option<&'s Past>,
    ) -> Shared<'s, M> {
        Shared {
            model: self.model,
            tree,
            options: self.options,
            history: self.history,
            past,
            allowed,
            all_lines: self.limits.multipv > 1,
            totals,
        }
    }

    fn grow_root(&self, tree: &Tree<M::Edge>, totals: &Totals, random: &mut Random) {
        let state = self.model.root(random);
        let shared = self.shared(tree, totals, &[], None);
        let mut worker = Worker::new(&shared, random);
        if tree.first_child(ROOT).is_none() {
            worker.grow(ROOT, &state);
        } else if M::PROVABLE {
            worker.complete_root(&state);
        }
    }

    /// A search without end, or one in the opponent's time, may not answer before it is told.
    fn wait(&self) {
        let early = || self.limits.infinite || (self.limits.ponder && self.stop.hit_at().is_none());
        while early() && !self.stop.is_stopped() {
            std::thread::sleep(NAP);
        }
    }
}

impl<M: Model> Shared<'_, M> {
    /// Whether there is nothing left to find out about the allowed moves of the root.
    fn is_decided(&self) -> bool {
        let state = self.model.root(&mut Random::new(0));
        let (Chooser::Player(mover), Some(children)) = (self.model.chooser(&state), self.tree.children(ROOT))
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
        task: &Task<'_, M>,
        randoms: &mut [Random],
        deadline: &Deadline,
        reports: &mut u64,
        on_info: &mut dyn FnMut(&Info<M::Edge>),
    ) -> bool {
        let signals = Signals::default();
        let Some((first, others)) = randoms.split_first_mut() else { return false };
        std::thread::scope(|scope| {
            for random in others {
                let deadline = deadline.clone();
                scope.spawn(|| self.simulate(task, &signals, random, deadline, &mut |_, _| {}));
            }
            let mut done = 0;
            self.simulate(task, &signals, first, deadline.clone(), &mut |shared, deadline| {
                done += 1;
                if shared.totals.finished.load(Relaxed) >= *reports {
                    *reports += *reports / 2;
                    let lines = shared.lines(task.limits.multipv, deadline.elapsed());
                    lines.iter().for_each(&mut *on_info);
                }
                if done % 64 == 0 && shared.is_clear(task, deadline) {
                    signals.halt.store(true, Relaxed);
                }
            });
        });
        signals.full.into_inner() && !signals.halt.into_inner()
    }

    /// One thread's loop; `after` is called after each of its simulations.
    fn simulate(
        &self,
        task: &Task<'_, M>,
        signals: &Signals,
        random: &mut Random,
        mut deadline: Deadline,
        after: &mut dyn FnMut(&Self, &Deadline),
    ) {
        let mut worker = Worker::new(self, random);
        while !signals.halt.load(Relaxed) && !signals.full.load(Relaxed) {
            if deadline.expired() || self.is_spent(task.limits) {
                signals.halt.store(true, Relaxed);
                break;
            }
            let effect = worker.simulate();
            if effect.full {
                signals.full.store(true, Relaxed);
            }
            if effect.proven && self.is_decided() {
                signals.halt.store(true, Relaxed);
            }
            after(self, &deadline);
        }
    }

    /// Positions looked at so far.
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

    /// Whether the time for the move is used up, as far as it should be: a move that has the most visits and
    /// the best result needs no more than its share, and an only move none at all.
    fn is_clear(&self, task: &Task<'_, M>, deadline: &Deadline) -> bool {
        let waits = task.limits.infinite || (task.limits.ponder && task.stop.hit_at().is_none());
        if waits || task.limits.clock.is_none() {
            return false;
        }
        let only = self.allowed.iter().filter(|allowed| **allowed).count() == 1;
        only || deadline.soft_expired(1.0) && self.best_is_most_visited(deadline)
    }

    fn best_is_most_visited(&self, deadline: &Deadline) -> bool {
        let lines = self.lines(u32::MAX, deadline.elapsed());
        let most = lines.iter().map(|line| line.visits).max();
        lines.first().map(|line| line.visits) == most
    }
}
