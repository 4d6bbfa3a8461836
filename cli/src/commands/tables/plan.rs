//! `jewel tables plan`: the classes to build, and what they take.

use super::{ExitStatus, ScopeArgs};
use crate::arguments::WhichGame;
use crate::output;
use crate::tables::summary::MAX_ROWS;
use crate::text::{duration, grouped};
use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_players::support::layout::{columns, numbers};
use jewel_players::support::memory::{self, size_text};
use jewel_solver::tablebase::{Cause, FleetPlan, LostSymmetries, Plan, PlannedClass};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What planning may take.
const PLANNING_TIME: Duration = Duration::from_secs(50);

/// Say what tables would take: classes, positions, memory, disk, time
#[derive(Args)]
#[command(after_long_help = "\
Placements are counted before any symmetry, positions are placements that differ by more than a symmetry of the \
class, and cells are what is solved and stored; all with either side to move. A class has the symmetries of its own \
pieces and of what they promote to. \
Memory is that of the hungriest class, and while it is built the values of finished classes that are still \
needed take a byte a cell of disk. Time is a guess from the speed of one machine. Planning takes a minute and half of \
the memory at most: what is larger is \"more than\" a lower bound.

Examples:
  jewel tables plan ambush
  jewel tables plan ambush --class NLvQQ --threads 2
  jewel tables plan ambush --max-pieces 6 --all --json")]
pub(super) struct PlanTables {
    #[command(flatten)]
    pub(super) game: WhichGame,

    #[command(flatten)]
    pub(super) scope: ScopeArgs,

    /// The memory that may be taken, such as 500M or 16G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub(super) memory: Option<u64>,

    /// The threads that would work on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(super) threads: Option<usize>,

    /// Estimate how much faster N builders would be that share the work (tables build --fleet), each with its own cores
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65536))]
    pub(super) fleet: Option<usize>,

    /// List every class, even if there are many
    #[arg(long)]
    pub(super) all: bool,

    /// Print a JSON object: game, classes, placements, cells, memory, disk, scratch, seconds, fits, ...
    #[arg(long)]
    pub(super) json: bool,
}

impl PlanTables {
    pub(super) fn run(self) -> Result<ExitStatus> {
        let rules = self.game.resolve()?.rules()?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(cores);
        let memory = memory::limit(self.memory);
        if rules.hand.is_some() {
            self.plan_one(rules, threads, memory)?;
            return Ok(ExitStatus::Done);
        }
        let begun = Instant::now();
        let plan = Plan::estimate(rules, &self.scope.scope()?, memory, &|| begun.elapsed() < PLANNING_TIME)
            .map_err(|error| anyhow!("{}: {error}", rules.id))?;
        if self.json {
            output::print(&output::json_line(&PlanObject::new(&plan, threads, memory, self.fleet))?)?;
        } else {
            let title = format!("{}: {}\n\n", rules.name, self.scope.text());
            output::print(&(title + &text(&plan, threads, memory, self.all, self.fleet)))?;
        }
        Ok(ExitStatus::Done)
    }
}

#[derive(Serialize)]
pub(super) struct PlanObject {
    pub(super) game: String,
    pub(super) classes: Vec<ClassObject>,
    pub(super) placements: u128,
    pub(super) positions: u128,
    pub(super) cells: u64,
    pub(super) memory: u64,
    /// With slices of the table in a file.
    pub(super) least_memory: u64,
    pub(super) disk: u64,
    pub(super) scratch: u64,
    pub(super) seconds: f64,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fleet: Option<FleetObject>,
    pub(super) threads: usize,
    pub(super) memory_limit: u64,
    pub(super) fits: bool,
    /// Whether all classes are; otherwise the sums are lower bounds.
    pub(super) exact: bool,
    /// Only if the start position takes symmetries away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lost_symmetries: Option<LostObject>,
}

/// What a fleet would take.
#[derive(Serialize)]
pub(super) struct FleetObject {
    builders: usize,
    seconds: f64,
    /// Of the classes on the longest path, each of which needs the one before.
    longest_path_seconds: f64,
}

impl FleetObject {
    fn new(plan: FleetPlan) -> FleetObject {
        FleetObject {
            builders: plan.builders,
            seconds: plan.seconds,
            longest_path_seconds: plan.longest_path,
        }
    }
}

/// Symmetries that the start position takes away.
#[derive(Serialize)]
pub(super) struct LostObject {
    /// The letter of the piece.
    piece: char,
    /// Its square, if it is one piece; otherwise it is the squares that pieces of the type reach.
    square: Option<String>,
    symmetries: usize,
    without: usize,
}

impl LostObject {
    fn new(rules: &Rules, lost: &LostSymmetries) -> LostObject {
        let (piece, square) = match lost.cause {
            Cause::Piece { kind, side, square } => {
                (rules.letter(kind, side), Some(rules.geometry.name(square)))
            }
            Cause::Reach { kind } => (rules.letter(kind, Side::White), None),
        };
        LostObject { piece, square, symmetries: lost.symmetries, without: lost.without }
    }
}

/// The notice of symmetries that the start position takes away.
fn lost_text(rules: &Rules, lost: &LostSymmetries) -> String {
    let (now, without) = (lost.symmetries, lost.without);
    let count = if now == 1 { "1 symmetry".to_string() } else { format!("{now} symmetries") };
    match lost.cause {
        Cause::Piece { kind, side, square } => {
            let (name, at) = (rules.piece_name(kind, side), rules.geometry.name(square));
            format!("{count} at the start; {without} without the {name} on {at}")
        }
        Cause::Reach { kind } => {
            let name = rules.piece_name(kind, Side::White);
            format!("{count} at the start; {without} if a {name} could reach all squares of its territory")
        }
    }
}

#[derive(Serialize)]
pub(super) struct ClassObject {
    pub(super) class: String,
    pub(super) pieces: usize,
    pub(super) symmetries: usize,
    pub(super) placements: u128,
    pub(super) positions: u128,
    pub(super) cells: u64,
    pub(super) memory: u64,
    pub(super) disk: u64,
    pub(super) seconds: f64,
    /// Whether cells, memory, disk and seconds are estimates, and not lower bounds.
    pub(super) exact: bool,
}

impl PlanObject {
    fn new(plan: &Plan<'_>, threads: usize, memory_limit: u64, fleet: Option<usize>) -> PlanObject {
        let class = |class: &PlannedClass| ClassObject {
            class: class.name.clone(),
            pieces: class.class.pieces(),
            symmetries: class.symmetries,
            placements: class.placements,
            positions: class.positions,
            cells: class.cells,
            memory: class.memory,
            disk: class.disk,
            seconds: class.seconds(threads, memory_limit),
            exact: class.exact,
        };
        PlanObject {
            game: plan.rules().id.clone(),
            classes: plan.classes.iter().map(class).collect(),
            placements: plan.placements(),
            positions: plan.positions(),
            lost_symmetries: plan.lost_symmetries().map(|lost| LostObject::new(plan.rules(), &lost)),
            cells: plan.cells(),
            memory: plan.memory(),
            disk: plan.disk(),
            scratch: plan.scratch(),
            seconds: plan.seconds(threads, memory_limit),
            fleet: fleet.map(|builders| FleetObject::new(plan.fleet(builders, threads, memory_limit))),
            threads,
            memory_limit,
            least_memory: plan.least_memory(),
            fits: plan.is_exact() && plan.least_memory() <= memory_limit,
            exact: plan.is_exact(),
        }
    }
}

/// The sum of several classes.
#[derive(Clone, Copy)]
struct Sum {
    classes: usize,
    placements: u128,
    positions: u128,
    cells: u64,
    memory: u64,
    disk: u64,
    seconds: f64,
    exact: bool,
}

impl Sum {
    /// Of the work of this number of threads, with these bytes of memory.
    fn of<'a>(classes: impl IntoIterator<Item = &'a PlannedClass>, (threads, memory): (usize, u64)) -> Sum {
        let none = Sum {
            classes: 0,
            placements: 0,
            positions: 0,
            cells: 0,
            memory: 0,
            disk: 0,
            seconds: 0.0,
            exact: true,
        };
        classes.into_iter().fold(none, |sum, class| Sum {
            classes: sum.classes + 1,
            placements: sum.placements.saturating_add(class.placements),
            positions: sum.positions.saturating_add(class.positions),
            cells: sum.cells.saturating_add(class.cells),
            memory: sum.memory.max(class.memory),
            disk: sum.disk.saturating_add(class.disk),
            seconds: sum.seconds + class.seconds(threads, memory),
            exact: sum.exact && class.exact,
        })
    }
}

fn large(number: u128) -> String {
    grouped(u64::try_from(number).unwrap_or(u64::MAX))
}

fn text(plan: &Plan<'_>, threads: usize, memory: u64, all: bool, fleet: Option<usize>) -> String {
    let means = (threads, memory);
    let all_of_it = Sum::of(&plan.classes, means);
    let row = |first: String, sum: Sum| {
        let at_least = |text: String| if sum.exact { text } else { format!(">{text}") };
        vec![
            first,
            sum.classes.to_string(),
            large(sum.positions),
            at_least(grouped(sum.cells)),
            at_least(size_text(sum.memory)),
            at_least(size_text(sum.disk)),
            at_least(duration(sum.seconds)),
        ]
    };
    let short = plan.classes.len() > MAX_ROWS && !all;
    let heads =
        [if short { "pieces" } else { "class" }, "classes", "positions", "cells", "memory", "disk", "time"];
    let mut rows = vec![heads.map(str::to_string).to_vec()];
    if short {
        let mut groups: BTreeMap<usize, Vec<&PlannedClass>> = BTreeMap::new();
        for class in &plan.classes {
            groups.entry(class.class.pieces()).or_default().push(class);
        }
        rows.extend(groups.into_iter().map(|(pieces, list)| row(pieces.to_string(), Sum::of(list, means))));
    } else {
        rows.extend(plan.classes.iter().map(|class| row(class.name.clone(), Sum::of([class], means))));
    }
    if rows.len() > 2 {
        rows.push(row("all".to_string(), all_of_it));
    }
    if !short {
        // One class a row needs no column for their number.
        rows.iter_mut().for_each(|row| {
            row.remove(1);
        });
    }
    let more = if plan.is_exact() { "" } else { "more than " };
    let fits = if !plan.is_exact() {
        "it is too large to be planned".to_string()
    } else if plan.memory() <= memory {
        "it fits".to_string()
    } else if plan.least_memory() <= memory {
        format!("it fits with slices in a file, in {}", size_text(plan.least_memory()))
    } else {
        format!("it does not fit, not even with slices in a file, in {}", size_text(plan.least_memory()))
    };
    let mut notes = vec![
        [
            "positions".to_string(),
            format!("{} of {} placements", large(all_of_it.positions), large(all_of_it.placements)),
        ],
        [
            "memory".into(),
            format!(
                "{more}{} for the hungriest class, {} to take: {fits}",
                size_text(plan.memory()),
                size_text(memory)
            ),
        ],
        [
            "disk".into(),
            format!(
                "{more}{} for the tables, up to {} more while they are built",
                size_text(plan.disk()),
                size_text(plan.scratch())
            ),
        ],
        [
            "time".into(),
            format!(
                "{more}{} on {threads} {}",
                duration(all_of_it.seconds),
                if threads == 1 { "thread" } else { "threads" }
            ),
        ],
    ];
    if let Some(builders) = fleet {
        let fleet = plan.fleet(builders, threads, memory);
        let gain = |seconds: f64| all_of_it.seconds / seconds.max(f64::MIN_POSITIVE);
        notes.extend([
            [
                "fleet".into(),
                format!(
                    "{more}{} by {builders} {}, {:.1} times as fast as one",
                    duration(fleet.seconds),
                    if builders == 1 { "builder" } else { "builders" },
                    gain(fleet.seconds),
                ),
            ],
            [
                "path".into(),
                format!(
                    "{more}{} for the longest path through the classes: {:.1} times at most",
                    duration(fleet.longest_path),
                    gain(fleet.longest_path),
                ),
            ],
        ]);
    }
    if let Some(lost) = plan.lost_symmetries() {
        notes.push(["symmetry".into(), lost_text(plan.rules(), &lost)]);
    }
    format!("{}\n{}", numbers(&rows), columns(&notes))
}
