//! The end of a search: by its caller, or by the clock.

use crate::clock::{Budget, Sharing};
use crate::limits::Limits;
use crate::time::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A handle by which another thread ends a search, or says that the opponent has played the move that the
/// search ponders on. Clones are the same handle. A handle serves one search.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Signals>);

#[derive(Debug)]
struct Signals {
    stopped: AtomicBool,
    created: Instant,
    /// Microseconds from `created` to the ponder hit, and one; 0 before it.
    hit: AtomicU64,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Stop {
    /// A handle on which nothing has been called yet.
    pub fn new() -> Stop {
        Stop(Arc::new(Signals {
            stopped: AtomicBool::new(false),
            created: Instant::now(),
            hit: AtomicU64::new(0),
        }))
    }

    /// Ends the search as soon as it notices; it still reports the best move so far.
    pub fn stop(&self) {
        self.0.stopped.store(true, Relaxed);
    }

    /// Whether the search has been told to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Relaxed)
    }

    /// The opponent has played the expected move: the time for the move begins to count.
    pub fn ponder_hit(&self) {
        let after = self.0.created.elapsed().as_micros() as u64;
        // The first call counts.
        let _ = self.0.hit.compare_exchange(0, after + 1, Relaxed, Relaxed);
    }

    /// When [`ponder_hit`](Stop::ponder_hit) was called.
    pub fn hit_at(&self) -> Option<Instant> {
        let after = self.0.hit.load(Relaxed).checked_sub(1)?;
        Some(self.0.created + Duration::from_micros(after))
    }

    /// Whether a search may not end by itself: it is infinite, or ponders and the hit has not come.
    pub(crate) fn must_wait<M>(&self, limits: &Limits<M>) -> bool {
        limits.infinite || limits.ponder && self.hit_at().is_none()
    }

    /// Keeps a search that has nothing left to do from answering before it may.
    pub(crate) fn wait_to_answer<M>(&self, limits: &Limits<M>) {
        while !self.is_stopped() && self.must_wait(limits) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Tells one thread of a search when to end. It reads the clock only with some of the questions, since reading
/// it takes as long as a few moves.
#[derive(Clone, Debug)]
pub struct Deadline {
    stop: Stop,
    begun: Instant,
    budget: Option<Budget>,
    /// Waiting for the ponder hit; no time counts before it.
    pondering: bool,
    every: u32,
    left: u32,
    /// Questions that count as a second, where they are counted instead of time.
    pace: Option<u64>,
    /// Questions up to the next reading of the clock.
    asked: u64,
    expired: bool,
}

impl Deadline {
    /// The deadline of a search that begins now and asks [`expired`](Deadline::expired) often; the clock is read with
    /// every `every`th question (0 counts as 1). A `movetime` is used as it is, a game clock by `sharing`.
    ///
    /// An `infinite` search ends only by the handle.
    pub fn new<M>(limits: &Limits<M>, stop: &Stop, every: u32, sharing: Sharing) -> Deadline {
        let fixed = limits.movetime.map(|time| Budget { soft: time, hard: time });
        let of_clock = limits.clock.map(|clock| clock.budget(limits.overhead, sharing));
        // The stricter of the two where there are both.
        let budget = match (fixed, of_clock) {
            (Some(a), Some(b)) => Some(Budget { soft: a.soft.min(b.soft), hard: a.hard.min(b.hard) }),
            (one, other) => one.or(other),
        };
        Deadline {
            stop: stop.clone(),
            begun: Instant::now(),
            budget: budget.filter(|_| !limits.infinite),
            pondering: limits.ponder,
            every: every.max(1),
            left: 0,
            pace: None,
            asked: 0,
            expired: false,
        }
    }

    /// The same deadline with time measured in questions: `pace` of them count as a second. `None` changes nothing.
    #[must_use]
    pub fn paced(self, pace: Option<u64>) -> Deadline {
        // The resolution is a thousandth of a second.
        let every =
            pace.map_or(self.every, |pace| self.every.min((pace / 1000).clamp(1, u32::MAX.into()) as u32));
        Deadline { pace: pace.map(|pace| pace.max(1)), every, ..self }
    }

    /// Whether to end at once; once true, always true.
    #[inline(always)]
    pub fn expired(&mut self) -> bool {
        if self.expired || self.stop.is_stopped() {
            self.expired = true;
            return true;
        }
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.left = self.every - 1;
        self.asked += u64::from(self.every);
        self.expired = self.budget.is_some_and(|budget| self.used().is_some_and(|used| used >= budget.hard));
        self.expired
    }

    /// Whether this share of the soft budget is used up, so that another iteration is not worth beginning. `share` is 1
    /// for the plain budget, less where the best move is clear, more where it has just changed.
    pub fn soft_expired(&self, share: f64) -> bool {
        self.stop.is_stopped()
            || self.budget.is_some_and(|budget| {
                let soft = budget.soft.as_secs_f64() * share.max(0.0);
                self.used().is_some_and(|used| used.as_secs_f64() >= soft.min(budget.hard.as_secs_f64()))
            })
    }

    /// Time since the search began, pondering included.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The time for the move, if there is any limit to it.
    pub fn budget(&self) -> Option<Budget> {
        self.budget
    }

    /// Time that counts against the budget; `None` while pondering.
    fn used(&self) -> Option<Duration> {
        if let Some(pace) = self.pace {
            let asked = self.asked - u64::from(self.left);
            return Some(Duration::from_secs_f64(asked as f64 / pace as f64));
        }
        if !self.pondering {
            return Some(self.begun.elapsed());
        }
        self.stop.hit_at().map(|hit| hit.max(self.begun).elapsed())
    }
}

/// What a part of a search may still spend: it ends with the search, and when its nodes are used up.
#[derive(Clone, Debug)]
pub struct Allowance {
    deadline: Deadline,
    nodes: u64,
}

/// Questions between two readings of the clock. A node takes about as long as forty readings.
const ALLOWANCE_CLOCK_EVERY: u32 = 256;

impl Allowance {
    /// As much as there is until the deadline, and this many positions.
    pub fn new(deadline: &Deadline, nodes: u64) -> Allowance {
        let deadline = Deadline { every: ALLOWANCE_CLOCK_EVERY, left: 0, ..deadline.clone() };
        Allowance { deadline, nodes }
    }

    /// As much as it takes.
    pub fn unlimited() -> Allowance {
        let forever = Deadline::new(&Limits::<()>::default(), &Stop::new(), 1, Sharing::default());
        Allowance::new(&forever, u64::MAX)
    }

    /// Positions that may still be searched.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Sets how many positions may still be searched.
    pub fn set_nodes(&mut self, nodes: u64) {
        self.nodes = nodes;
    }

    /// Counts positions that have been searched.
    pub fn spend(&mut self, nodes: u64) {
        self.nodes = self.nodes.saturating_sub(nodes);
    }

    /// Whether the search is to end at once.
    pub fn is_over(&mut self) -> bool {
        self.deadline.expired()
    }

    /// The end of the search, to be asked often.
    pub(crate) fn deadline(&mut self) -> &mut Deadline {
        &mut self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Bonus, Clock};

    fn deadline(limits: &Limits<()>, stop: &Stop) -> Deadline {
        Deadline::new(limits, stop, 1, Sharing::default())
    }

    #[test]
    fn a_search_without_limits_ends_when_it_is_told() {
        let stop = Stop::new();
        let mut deadline = deadline(&Limits::default(), &stop);
        assert!(!deadline.expired() && !deadline.soft_expired(0.0));
        stop.clone().stop();
        assert!(deadline.expired() && deadline.soft_expired(1.0));
    }

    #[test]
    fn no_time_is_used_up_at_once_and_an_hour_is_not() {
        let stop = Stop::new();
        let none = Limits { movetime: Some(Duration::ZERO), ..Limits::default() };
        assert!(deadline(&none, &stop).expired() && deadline(&none, &stop).soft_expired(1.0));
        let hour = Limits { movetime: Some(Duration::from_secs(3600)), ..Limits::default() };
        assert!(!deadline(&hour, &stop).expired() && !deadline(&hour, &stop).soft_expired(1.0));
        assert!(deadline(&hour, &stop).soft_expired(0.0));
        let forever = Limits { infinite: true, ..none };
        assert!(!deadline(&forever, &stop).expired());
    }

    #[test]
    fn the_time_is_looked_at_every_so_many_questions() {
        let limits = Limits::<()> { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
        let mut deadline = Deadline::new(&limits, &Stop::new(), 10, Sharing::default());
        // The first question may look; the nine after it never do.
        let first = deadline.expired();
        std::thread::sleep(Duration::from_millis(2));
        if !first {
            assert!((1..10).all(|_| !deadline.expired()));
        }
        assert!(deadline.expired());
    }

    #[test]
    fn at_a_pace_questions_are_counted_and_not_the_time() {
        let limits = Limits::<()> { movetime: Some(Duration::from_millis(40)), ..Limits::default() };
        for (pace, every, last) in
            [(1000, 1024, 40), (25, 1024, 1), (100_000, 1024, 4000), (100_000, 7, 3998)]
        {
            let new = Deadline::new(&limits, &Stop::new(), every, Sharing::default());
            let mut deadline = new.paced(Some(pace));
            let half = (1..last).filter(|n| {
                assert!(!deadline.expired(), "{n} of {last}");
                !deadline.soft_expired(0.5)
            });
            // Half of the time is half of the questions.
            assert!(half.count().abs_diff(last / 2) <= 1, "{last}");
            std::thread::sleep(Duration::from_millis(1));
            // The next look at the count is not far.
            assert!((0..2 * every).any(|_| deadline.expired()));
        }
    }

    #[test]
    fn pondering_takes_no_time_before_the_hit() {
        let stop = Stop::new();
        let limits = Limits { ponder: true, movetime: Some(Duration::ZERO), ..Limits::default() };
        let mut deadline = deadline(&limits, &stop);
        assert!(!deadline.expired() && !deadline.soft_expired(1.0));
        stop.ponder_hit();
        assert!(deadline.soft_expired(1.0) && deadline.expired());
        let first = stop.hit_at();
        stop.ponder_hit();
        assert_eq!(stop.hit_at(), first);
    }

    #[test]
    fn the_stricter_of_clock_and_movetime_counts() {
        let clock = Clock::new(Duration::from_secs(20), Bonus::None);
        let time = |seconds| Some(Duration::from_secs(seconds));
        let both = |seconds| {
            let overhead = Duration::ZERO;
            Limits::<()> { clock: Some(clock), overhead, movetime: time(seconds), ..Limits::default() }
        };
        let budget = |seconds| deadline(&both(seconds), &Stop::new()).budget().unwrap();
        assert_eq!((Some(budget(2).soft), Some(budget(2).hard)), (time(1), time(2)));
        assert_eq!((Some(budget(9).soft), Some(budget(9).hard)), (time(1), time(4)));
    }
}
