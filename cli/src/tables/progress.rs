//! The progress of a build: two bars on a terminal, and a line for each class if that was asked for.

use crate::progress::Style;
use crate::text::{duration, grouped};
use indicatif::{MultiProgress, ProgressBar};
use jewel_solver::tablebase::Plan;
use jewel_solver::tablebase::build::{Progress, Stage};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Parts of a class's time: looking captures up, then sweeping; writing is the rest.
const CAPTURES: f64 = 0.35;
const SWEEPS: f64 = 0.45;
/// How many sweeps there will be is not known: each is taken for a quarter of those that are left.
const LEFT_AFTER_A_SWEEP: f64 = 0.75;
/// Time between two looks at the bars.
const PAUSE: Duration = Duration::from_millis(100);

/// Shows the progress of a build.
pub(crate) struct BuildProgress {
    /// For the class and for all of them; `None` where stderr is not a terminal.
    bars: Option<[ProgressBar; 2]>,
    all: MultiProgress,
    verbose: bool,
    /// Cells of each class.
    cells: HashMap<String, u64>,
    state: Mutex<State>,
}

/// What the build has reported.
struct State {
    tally: Tally,
    /// Of each class that was built.
    seconds: HashMap<String, f64>,
    /// Cells of the classes that had to be built.
    wanted: u64,
    class: String,
    stage: Stage,
    /// The classes that others build while this builder waits.
    waiting: String,
    /// Cells done in this stage.
    cells: u64,
    start: Instant,
    class_start: Instant,
    shown: Instant,
}

/// Classes and cells that are done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Classes that had been built before.
    pub(crate) found: usize,
    /// Classes that have been built now.
    pub(crate) built: usize,
    /// Their cells.
    pub(crate) cells: u64,
}

/// What a build leaves: the sums, and the seconds of each class that it built.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuildSummary {
    pub(crate) tally: Tally,
    pub(crate) seconds: HashMap<String, f64>,
}

impl BuildProgress {
    pub(crate) fn new(plan: &Plan<'_>, verbose: bool) -> BuildProgress {
        let all = MultiProgress::new();
        let bar = || Style::Share.apply(all.add(ProgressBar::new(1000)));
        let now = Instant::now();
        let state = State {
            tally: Tally::default(),
            seconds: HashMap::new(),
            wanted: plan.cells(),
            class: String::new(),
            waiting: String::new(),
            stage: Stage::Found,
            cells: 0,
            start: now,
            class_start: now,
            shown: now,
        };
        BuildProgress {
            bars: (!all.is_hidden()).then(|| [bar(), bar()]),
            all,
            verbose,
            cells: plan.classes.iter().map(|c| (c.name.clone(), c.cells)).collect(),
            state: Mutex::new(state),
        }
    }

    /// Takes note of what the build reports, on any thread.
    pub(crate) fn update(&self, progress: &Progress<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match progress.stage {
            Stage::Found => {
                state.tally.found += 1;
                state.wanted -= progress.cells;
                return;
            }
            Stage::Done => {
                state.tally.built += 1;
                state.tally.cells += progress.cells;
                let seconds = state.class_start.elapsed().as_secs_f64();
                state.seconds.insert(progress.class.to_string(), seconds);
                self.say(progress, &state);
            }
            Stage::Wait => state.waiting = progress.class.to_string(),
            stage => {
                if state.class != progress.class {
                    state.class = progress.class.to_string();
                    state.class_start = Instant::now();
                    state.cells = 0;
                }
                if state.stage != stage {
                    state.cells = 0;
                }
                state.cells += progress.cells;
            }
        }
        state.stage = progress.stage;
        if state.shown.elapsed() >= PAUSE {
            self.show(&state);
            state.shown = Instant::now();
        }
    }

    /// Removes the bars: what was done.
    pub(crate) fn finish(&self) -> BuildSummary {
        for bar in self.bars.iter().flatten() {
            bar.finish_and_clear();
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        BuildSummary { tally: state.tally, seconds: state.seconds.clone() }
    }

    /// A line about a class that is done.
    fn say(&self, progress: &Progress<'_>, state: &State) {
        if self.verbose {
            let Tally { found, built, .. } = state.tally;
            let line = format!(
                "class {} of {} {}: {} cells, {}",
                found + built,
                self.cells.len(),
                progress.class,
                grouped(progress.cells),
                duration(state.class_start.elapsed().as_secs_f64())
            );
            if self.bars.is_some() {
                // Nothing better can be done where stderr takes no more.
                let _ = self.all.println(line);
            } else {
                eprintln!("{line}");
            }
        }
    }

    fn show(&self, state: &State) {
        let Some([class, all]) = &self.bars else { return };
        if state.stage == Stage::Wait {
            class.set_position(0);
            class.set_message(format!("waits for {}", state.waiting));
            return;
        }
        let cells = self.cells.get(&state.class).copied().unwrap_or(0);
        let part = part_done(state.stage, state.cells, cells);
        // A class may be solved again for its values though its table is there: it counts for nothing then.
        let done =
            state.tally.cells as f64 + if state.stage == Stage::Done { 0.0 } else { part * cells as f64 };
        let whole = (done / state.wanted.max(1) as f64).min(1.0);
        let what = match state.stage {
            Stage::Captures => "captures".to_string(),
            Stage::Sweep(n) => format!("sweep {n}"),
            Stage::Write => "writing".to_string(),
            Stage::Found | Stage::Wait | Stage::Done => "done".to_string(),
        };
        class.set_position((part * 1000.0) as u64);
        class.set_message(format!("{}: {what}{}", state.class, time_left(state.class_start, part)));
        all.set_position((whole * 1000.0) as u64);
        let Tally { found, built, .. } = state.tally;
        let (number, of) = (found + built, self.cells.len());
        all.set_message(format!("{number} of {of} classes{}", time_left(state.start, whole)));
    }
}

/// The part of a class that is done.
fn part_done(stage: Stage, done: u64, cells: u64) -> f64 {
    let of_stage = |times: u64| (done as f64 / (times * cells).max(1) as f64).min(1.0);
    match stage {
        Stage::Captures => CAPTURES * of_stage(1),
        Stage::Sweep(n) => {
            CAPTURES + SWEEPS * (1.0 - LEFT_AFTER_A_SWEEP.powf(f64::from(n - 1) + of_stage(1)))
        }
        Stage::Write => CAPTURES + SWEEPS + (1.0 - CAPTURES - SWEEPS) * of_stage(2),
        Stage::Found | Stage::Wait | Stage::Done => 1.0,
    }
}

/// `, 3 min left`, once enough is done to estimate it.
fn time_left(since: Instant, part: f64) -> String {
    if !(0.01..1.0).contains(&part) {
        return String::new();
    }
    format!(", {} left", duration(since.elapsed().as_secs_f64() * (1.0 - part) / part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_only_goes_forward() {
        let steps = [
            (Stage::Captures, 0),
            (Stage::Captures, 100),
            (Stage::Sweep(1), 50),
            (Stage::Sweep(1), 100),
            (Stage::Sweep(2), 1),
            (Stage::Sweep(90), 100),
            (Stage::Write, 1),
            (Stage::Write, 200),
        ];
        let parts: Vec<f64> = steps.iter().map(|&(stage, done)| part_done(stage, done, 100)).collect();
        assert!(parts.is_sorted() && parts[0] == 0.0, "{parts:?}");
        assert!((parts[7] - 1.0).abs() < 1e-9 && parts[6] < 0.81, "{parts:?}");
    }
}
