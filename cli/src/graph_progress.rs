//! The progress of solving a graph.

use crate::progress::Style;
use crate::text::{grouped, rounded};
use indicatif::ProgressBar;
use jewel_players::support::memory;
use jewel_solver::control::{Phase, Progress};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Instant;

/// A line on stderr about the progress of solving a graph, where stderr is a terminal.
pub(crate) struct GraphProgress {
    bar: ProgressBar,
    start: Instant,
    growth: RefCell<Growth>,
}

impl GraphProgress {
    /// An empty line.
    pub(crate) fn new() -> GraphProgress {
        let bar = Style::Message.apply(ProgressBar::new_spinner());
        GraphProgress { bar, start: Instant::now(), growth: RefCell::default() }
    }

    /// Shows the progress, a few times a second at most.
    pub(crate) fn show(&self, progress: Progress) {
        if progress.phase == Phase::Enumerate {
            self.growth.borrow_mut().add(progress.known, progress.done);
        }
        if !self.bar.is_hidden() {
            let seconds = self.start.elapsed().as_secs_f64();
            self.bar.set_message(message(progress, seconds, self.estimate()));
            self.bar.tick();
        }
    }

    /// A line that stays.
    pub(crate) fn note(&self, line: &str) {
        self.bar.println(line);
    }

    /// The positions of the whole graph, as far as its growth so far tells.
    pub(crate) fn estimate(&self) -> Option<u64> {
        self.growth.borrow().estimate()
    }
}

impl Drop for GraphProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: Progress, seconds: f64, estimate: Option<u64>) -> String {
    let Progress { phase, done, known, memory } = progress;
    let [found, finished] = [known, done].map(grouped);
    match phase {
        Phase::Enumerate => {
            let all = match estimate {
                Some(all) => format!("{} of perhaps {} positions", rounded(known), rounded(all)),
                None => format!("more than {} positions so far", rounded(known)),
            };
            let speed = rounded((done as f64 / seconds.max(1e-3)) as u64);
            let left = 100 * known.saturating_sub(done) / known.max(1);
            let size = memory::size_text(memory);
            format!("{all}, {left}% to expand, {speed} a second, {size}")
        }
        Phase::Link => format!("turning round the moves of {found} positions"),
        Phase::Propagate => format!("{finished} of {found} positions decided"),
        Phase::Verify => format!("{finished} of {found} positions checked"),
        Phase::Write => format!("{finished} of {found} positions written"),
    }
}

/// How a graph has grown, and what that says about its size.
///
/// Positions lead to fewer and fewer new ones as the graph fills up. Where the last quarter of the positions expanded
/// brought `r` new ones each, those that wait are taken to bring two thirds of that, and so do the ones that they bring,
/// and so on. On five games of 175,000 to 3.2 million positions the estimate was between half and one and a half times
/// the truth from its first moment on, and within a tenth once four fifths were found (fox and hounds: nine tenths).
#[derive(Default, Debug)]
struct Growth {
    /// Positions known and expanded, at moments about 3% apart.
    moments: VecDeque<(u64, u64)>,
    last: (u64, u64),
}

/// The part of the new positions of late that is expected of the next ones.
const FADING: f64 = 2.0 / 3.0;

/// New positions of each position expanded above which nothing can be said yet.
const MAX_RATE: f64 = 1.1;

/// Fewest positions that say anything.
const FEWEST: u64 = 10_000;

impl Growth {
    fn add(&mut self, known: u64, done: u64) {
        self.last = (known, done);
        if self.moments.back().is_none_or(|&(_, before)| done > before + before / 32) {
            self.moments.push_back((known, done));
        }
        // The first one left is the last at which three quarters were expanded.
        while self.moments.get(1).is_some_and(|&(_, next)| next <= done / 4 * 3) {
            self.moments.pop_front();
        }
    }

    /// The positions of the whole graph; `None` while it is too early to say.
    fn estimate(&self) -> Option<u64> {
        let (known, done) = self.last;
        let &(known_before, done_before) = self.moments.front()?;
        if known < FEWEST || done <= done_before {
            return None;
        }
        let rate = (known - known_before) as f64 / (done - done_before) as f64;
        let next = FADING * rate;
        (rate <= MAX_RATE).then(|| known + ((known - done) as f64 * next / (1.0 - next)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, General};
    use jewel_engine::variant::Rules;
    use jewel_solver::control::{Control, Limits};
    use jewel_solver::graph::Graph;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_size_of_a_graph_is_foreseen() {
        for name in ["duel-5x5", "messengers-4x5"] {
            let file = format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let rules = Rules::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
            let game = ChessGame::<General, 32>::new(rules.leak()).unwrap();
            let mut growth = Growth::default();
            let mut estimates: Vec<(u64, Option<u64>)> = Vec::new();
            let mut note = |progress: Progress| {
                growth.add(progress.known, progress.done);
                estimates.push((progress.known, growth.estimate()));
            };
            let mut graph = Graph::new(game.start()).unwrap();
            let never = AtomicBool::new(false);
            graph.enumerate(&mut Control::new(Limits::default(), &never, &mut note)).unwrap();
            let all = graph.positions();
            let first = estimates.iter().find(|(_, estimate)| estimate.is_some()).unwrap();
            assert!(first.0 < all * 3 / 4, "{name}: too late, at {} of {all}", first.0);
            for &(known, estimate) in &estimates {
                let Some(estimate) = estimate else { continue };
                assert!(estimate >= known, "{name}: {estimate} of {known} found");
                assert!((all / 2..=all * 3 / 2).contains(&estimate), "{name}: {estimate} for {all}");
                if known > all * 9 / 10 {
                    assert!(
                        (all * 9 / 10..=all * 11 / 10).contains(&estimate),
                        "{name}: {estimate} for {all}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_is_foreseen_of_what_grows_without_end() {
        let mut growth = Growth::default();
        for n in 1..2000 {
            growth.add(10 * n * 1000, n * 1000);
            assert_eq!(growth.estimate(), None);
        }
        assert!(growth.moments.len() < 40, "{}", growth.moments.len());
        let progress =
            Progress { phase: Phase::Enumerate, done: 1_999_000, known: 19_990_000, memory: 1 << 30 };
        let line = message(progress, 10.0, None);
        assert_eq!(line, "more than 20 million positions so far, 90% to expand, 200,000 a second, 1024M");
        let line = message(progress, 10.0, Some(31_000_000));
        assert!(line.starts_with("20 million of perhaps 31 million positions, 90% to expand"), "{line}");
    }
}
