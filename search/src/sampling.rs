//! What both Monte Carlo searches share: random generators, shares of a point, and when to report.

use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};

/// One random generator for each thread, all derived from one seed; 0 threads count as 1.
pub(crate) fn generators(seed: u64, threads: usize) -> Vec<Random> {
    (0..threads.max(1) as u64).map(|thread| Random::stream(seed, thread)).collect()
}

/// White's share of the point of a result.
pub(crate) const fn share_of(verdict: Verdict) -> f64 {
    match verdict {
        Verdict::WhiteWins => 1.0,
        Verdict::Draw => 0.5,
        Verdict::BlackWins => 0.0,
    }
}

/// White's share of a point as a side sees it, or that side's share as White sees it.
pub(crate) fn seen_by(share: f64, side: Side) -> f64 {
    if side == Side::White { share } else { 1.0 - share }
}

/// Reports come after a first number of simulations, and then whenever there are half as many again.
pub(crate) struct ReportSchedule {
    next: u64,
}

impl ReportSchedule {
    /// A schedule whose first report is due after `first` simulations.
    pub(crate) fn new(first: u64) -> ReportSchedule {
        ReportSchedule { next: first }
    }

    /// Whether a report is due after this many simulations; if so, the next one is scheduled.
    pub(crate) fn is_due(&mut self, simulations: u64) -> bool {
        let due = simulations >= self.next;
        if due {
            self.next += self.next / 2;
        }
        due
    }
}
