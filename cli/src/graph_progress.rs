//! The progress of solving a graph.

use crate::progress::Style;
use crate::text::grouped;
use indicatif::ProgressBar;
use jewel_players::support::memory;
use jewel_solver::control::{Phase, Progress};
use std::time::Instant;

/// A line on stderr about the progress of solving a graph, where stderr is a terminal.
pub(crate) struct GraphProgress {
    bar: ProgressBar,
    start: Instant,
}

impl GraphProgress {
    /// An empty line.
    pub(crate) fn new() -> GraphProgress {
        GraphProgress { bar: Style::Message.apply(ProgressBar::new_spinner()), start: Instant::now() }
    }

    /// Shows the progress, a few times a second at most.
    pub(crate) fn show(&self, progress: Progress) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message(progress, self.start.elapsed().as_secs_f64()));
            self.bar.tick();
        }
    }
}

impl Drop for GraphProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: Progress, seconds: f64) -> String {
    let Progress { phase, done, known, memory } = progress;
    let [found, finished] = [known, done].map(grouped);
    match phase {
        Phase::Enumerate => {
            let speed = grouped((done as f64 / seconds.max(1e-3)) as u64);
            let size = memory::size_text(memory);
            format!("{found} positions found, {finished} expanded, {speed} a second, {size}")
        }
        Phase::Link => format!("turning round the moves of {found} positions"),
        Phase::Propagate => format!("{finished} of {found} positions decided"),
        Phase::Verify => format!("{finished} of {found} positions checked"),
    }
}
