//! A search from its first simulation to its last, on all threads.

use super::insight::Insight;
use super::options::Method;
use super::simulate::{Setting, Source, Totals, Worker};
use super::tally::Tally;
use crate::clock::Sharing;
use crate::control::{Deadline, Stop};
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::score::Score;
use jewel_engine::hidden::Hidden;
use jewel_engine::random::Random;
use std::time::Duration;

/// Simulations between two looks at the time.
const LOOK_AT_TIME: u32 = 16;

/// Simulations of the first thread before it reports for the first time; then always half as many again.
const FIRST_REPORT: u64 = 1000;

/// Simulations for the only move there is, when a clock runs: enough to say what it is worth.
const ONLY_MOVE: u64 = 200;

/// Longest principal variation that is reported.
const MAX_LINE_LENGTH: usize = 16;

/// How long a search that has nothing left to do sleeps before it looks whether it may end.
const NAP: Duration = Duration::from_millis(1);

/// What a thread brings home.
struct Harvest<M> {
    tallies: Vec<Tally>,
    totals: Totals,
    hashfull: u32,
    /// Likely lines, by the number of the root's move; from the first thread only.
    lines: Vec<Vec<M>>,
}

/// What one thread may do.
#[derive(Clone, Copy)]
struct Share {
    playouts: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u64>,
}

impl Share {
    fn of<M>(limits: &Limits<M>, moves: usize, thread: usize, threads: usize) -> Share {
        let part = |whole: u64| whole / threads as u64 + u64::from((thread as u64) < whole % threads as u64);
        let only = (moves == 1 && limits.clock.is_some() && !limits.infinite).then_some(ONLY_MOVE);
        let playouts = match (limits.playouts, only) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Share {
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

impl<P: Hidden, I: Insight<P>, S: Source<P>> Setting<'_, P, I, S> {
    /// Searches; `randoms` has one generator for each thread.
    pub(super) fn run(
        &self,
        limits: &Limits<P::Move>,
        stop: &Stop,
        randoms: &mut [Random],
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        let deadline = Deadline::new(limits, stop, LOOK_AT_TIME, Sharing::default());
        let threads = randoms.len();
        let share = |thread| Share::of(limits, self.moves.len(), thread, threads);
        let Some((first, others)) = randoms.split_first_mut() else {
            return Report::from_lines(Vec::new(), 0, deadline.elapsed());
        };
        let harvest = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..)
                .zip(others)
                .map(|(thread, random)| {
                    let deadline = deadline.clone();
                    scope.spawn(move || self.work(share(thread), deadline, random, 0, &mut |_| {}))
                })
                .collect();
            let mut harvest = self.work(share(0), deadline.clone(), first, limits.multipv, on_info);
            for other in handles {
                // A thread that panicked has printed why; the others know the answer.
                let Ok(other) = other.join() else { continue };
                harvest.totals.join(&other.totals);
                harvest.tallies.iter_mut().zip(&other.tallies).for_each(|(sum, tally)| sum.join(tally));
            }
            harvest
        });
        wait(limits, stop);
        let lines = self.lines(&harvest, limits.multipv, deadline.elapsed());
        lines.iter().for_each(&mut *on_info);
        Report::from_lines(lines, harvest.totals.nodes, deadline.elapsed())
    }

    /// The simulations of one thread, at least one; it reports on the way if lines are wanted.
    fn work(
        &self,
        share: Share,
        mut deadline: Deadline,
        random: &mut Random,
        multipv: u32,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Harvest<P::Move> {
        let mut worker = Worker::new(self, random);
        let mut next_report = FIRST_REPORT;
        while worker.totals.playouts == 0 || !(share.is_spent(&worker.totals) || deadline.expired()) {
            worker.simulate();
            if multipv > 0 && worker.totals.playouts >= next_report {
                next_report += next_report / 2;
                let harvest = self.harvest(&mut worker, multipv);
                self.lines(&harvest, multipv, deadline.elapsed()).iter().for_each(&mut *on_info);
            }
        }
        self.harvest(&mut worker, multipv.max(1))
    }

    fn harvest(&self, worker: &mut Worker<'_, P, I, S>, lines: u32) -> Harvest<P::Move> {
        let tallies = worker.tallies();
        let mut variations = vec![Vec::new(); self.moves.len()];
        // Lines for a few more than are wanted: other threads may order the moves in another way.
        for number in self.ranked(&tallies).into_iter().take(lines as usize + 4) {
            variations[number] = worker.line(self.moves[number].0, MAX_LINE_LENGTH);
        }
        Harvest { tallies, totals: worker.totals, hashfull: worker.fullness(), lines: variations }
    }

    /// Moves of the root by number, the one to play first: the one most often tried in a tree (the robust child:
    /// Chaslot et al., 2008), the one of the best mean without. Equal ones in the order of the moves.
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

    fn lines(&self, harvest: &Harvest<P::Move>, count: u32, elapsed: Duration) -> Vec<Info<P::Move>> {
        let totals = &harvest.totals;
        let order = self.ranked(&harvest.tallies).into_iter().take(count.max(1) as usize);
        let lines = order.zip(1..).map(|(number, multipv)| {
            let tally = &harvest.tallies[number];
            let pv = match &harvest.lines[number] {
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
                hashfull: harvest.hashfull,
                elapsed,
                ..Info::default()
            }
        });
        lines.collect()
    }
}

/// A search that is to go on forever, or to ponder, has nothing to say before it is told to.
fn wait<M>(limits: &Limits<M>, stop: &Stop) {
    while !stop.is_stopped() && (limits.infinite || limits.ponder && stop.hit_at().is_none()) {
        std::thread::sleep(NAP);
    }
}
