//! A search from its first simulation to its last, on all threads.

use super::insight::Insight;
use super::options::Method;
use super::simulate::{Determinizer, SearchRequest, Totals, Worker};
use super::tally::Tally;
use crate::clock::Sharing;
use crate::control::{Deadline, Stop};
use crate::limits::{Limits, part_of_thread};
use crate::report::{Info, Report};
use crate::sampling::ReportSchedule;
use crate::score::Score;
use jewel_engine::hidden::Hidden;
use jewel_engine::random::Random;
use jewel_engine::threads::spawn_helper;
use std::time::Duration;

/// Simulations between two looks at the clock.
const CLOCK_EVERY: u32 = 16;

/// Simulations of the first thread before the first report.
const FIRST_REPORT: u64 = 1000;

/// Simulations of an only move when a clock runs: enough for its expectation.
const ONLY_MOVE: u64 = 200;

/// Plies of the longest principal variation that is reported.
const MAX_LINE_LENGTH: usize = 16;

/// The results of one thread.
struct ThreadResult<M> {
    tallies: Vec<Tally>,
    totals: Totals,
    hashfull: u32,
    /// Likely lines, by the number of the root's move; from the first thread only.
    lines: Vec<Vec<M>>,
}

/// The limits of one thread.
#[derive(Clone, Copy)]
struct ThreadLimits {
    playouts: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u64>,
}

impl ThreadLimits {
    fn new<M>(limits: &Limits<M>, moves: usize, thread: usize, threads: usize) -> ThreadLimits {
        let part = |total: u64| part_of_thread(total, thread, threads);
        let only = (moves == 1 && limits.clock.is_some() && !limits.infinite).then_some(ONLY_MOVE);
        let playouts = match (limits.playouts, only) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        ThreadLimits {
            playouts: playouts.map(part),
            nodes: limits.nodes.map(part),
            depth: limits.depth.map(u64::from),
        }
    }

    fn is_spent(&self, totals: &Totals) -> bool {
        self.playouts.is_some_and(|most| totals.playouts >= most)
            || self.nodes.is_some_and(|most| totals.nodes >= most)
            || self.depth.is_some_and(|most| totals.deepest >= most)
    }
}

impl<P: Hidden, I: Insight<P>, S: Determinizer<P>> SearchRequest<'_, P, I, S> {
    /// Searches; `randoms` has one generator for each thread.
    pub(super) fn run(
        &self,
        limits: &Limits<P::Move>,
        stop: &Stop,
        randoms: &mut [Random],
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        let deadline = Deadline::new(limits, stop, CLOCK_EVERY, Sharing::default());
        let threads = randoms.len();
        let limits_of = |thread| ThreadLimits::new(limits, self.moves.len(), thread, threads);
        let Some((first, others)) = randoms.split_first_mut() else {
            return Report::from_lines(Vec::new(), 0, deadline.elapsed());
        };
        let result = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..)
                .zip(others)
                .filter_map(|(thread, random)| {
                    let deadline = deadline.clone();
                    spawn_helper(scope, move || {
                        self.work(limits_of(thread), deadline, random, 0, &mut |_| {})
                    })
                })
                .collect();
            let mut result = self.work(limits_of(0), deadline.clone(), first, limits.multipv, on_info);
            for other in handles {
                // A thread that panicked has printed why; the others know the answer.
                let Ok(other) = other.join() else { continue };
                result.totals.join(&other.totals);
                result.tallies.iter_mut().zip(&other.tallies).for_each(|(sum, tally)| sum.join(tally));
            }
            result
        });
        stop.wait_to_answer(limits);
        let lines = self.lines(&result, limits.multipv, deadline.elapsed());
        lines.iter().for_each(&mut *on_info);
        Report::from_lines(lines, result.totals.nodes, deadline.elapsed())
    }

    /// The simulations of one thread, at least one; it reports on the way if lines are wanted.
    fn work(
        &self,
        limits: ThreadLimits,
        mut deadline: Deadline,
        random: &mut Random,
        multipv: u32,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> ThreadResult<P::Move> {
        let mut worker = Worker::new(self, random, &deadline);
        let mut reports = ReportSchedule::new(FIRST_REPORT);
        while worker.totals.playouts == 0 || !(limits.is_spent(&worker.totals) || deadline.expired()) {
            worker.simulate();
            if multipv > 0 && reports.is_due(worker.totals.playouts) {
                let result = self.result(&mut worker, multipv);
                self.lines(&result, multipv, deadline.elapsed()).iter().for_each(&mut *on_info);
            }
        }
        self.result(&mut worker, multipv.max(1))
    }

    fn result(&self, worker: &mut Worker<'_, P, I, S>, lines: u32) -> ThreadResult<P::Move> {
        let tallies = worker.tallies();
        let mut variations = vec![Vec::new(); self.moves.len()];
        // Lines for a few more than are wanted: other threads may order the moves in another way.
        for number in self.ranked(&tallies).into_iter().take(lines as usize + 4) {
            variations[number] = worker.line(self.moves[number].0, MAX_LINE_LENGTH);
        }
        ThreadResult { tallies, totals: worker.totals, hashfull: worker.fullness(), lines: variations }
    }

    /// The moves of the root by number, the one to play first: with a tree the most visited one (the robust child:
    /// Chaslot et al., 2008), without a tree the one with the best mean. Equal ones keep their order.
    fn ranked(&self, tallies: &[Tally]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..tallies.len()).collect();
        let visits = |number: &usize| match self.options.method {
            Method::Flat => 0.0,
            _ => tallies[*number].visits,
        };
        order.sort_by(|a, b| {
            visits(b).total_cmp(&visits(a)).then(tallies[*b].mean().total_cmp(&tallies[*a].mean()))
        });
        order
    }

    fn lines(&self, result: &ThreadResult<P::Move>, count: u32, elapsed: Duration) -> Vec<Info<P::Move>> {
        let totals = &result.totals;
        let order = self.ranked(&result.tallies).into_iter().take(count.max(1) as usize);
        let lines = order.zip(1..).map(|(number, multipv)| {
            let tally = &result.tallies[number];
            let pv = match &result.lines[number] {
                line if line.is_empty() => vec![self.moves[number].0],
                line => line.clone(),
            };
            Info {
                multipv,
                pv,
                score: Score::from_expectation(tally.mean()),
                expectation: Some(tally.mean()),
                expectation_error: tally.error(),
                visits: tally.visits as u64,
                depth: totals.depths.checked_div(totals.playouts).unwrap_or(0) as u32,
                seldepth: totals.deepest as u32,
                nodes: totals.nodes,
                hashfull: result.hashfull,
                elapsed,
                ..Info::default()
            }
        });
        lines.collect()
    }
}
