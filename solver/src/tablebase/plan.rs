//! Which classes to build, and what that costs.

use super::count::{placements, positions};
use super::fleet::Network;
use super::lost::{self, LostSymmetries};
use crate::retrograde::class::Class;
use crate::retrograde::classes::{ClassError, bounded, closure};
use crate::retrograde::game::{GameData, Unsupported};
use crate::retrograde::layout::{Effort, Layout, TooLarge};
use crate::retrograde::pieces::MAX_TYPES;
use crate::retrograde::simd::{self, Instructions};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::parallel;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use thiserror::Error;

/// The classes to build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The class of the start position and all that it leads to.
    Start,
    /// This class, named as in `NLvQQ`, and all that it leads to.
    Class(String),
    /// Every class of at most this number of pieces, both sides together, that can come from the start position.
    MaxPieces(usize),
    /// Of the classes of [`MaxPieces`](Scope::MaxPieces) those that have at least these pieces, and all that they lead to.
    Containing {
        /// The most pieces of both sides together.
        pieces: usize,
        /// A letter for each piece that a class must have: `PP` is at least two pawns of either side or of both.
        letters: String,
    },
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// There can be no tables for the rules.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The name is not that of a class.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// A class is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A side has no pieces at the start: its classes are decided by the rules, and there is nothing to tabulate.
    #[error("a side has no piece in the start position: tables need pieces of both sides")]
    OneSided,
    /// No class has so few pieces.
    #[error("no class has {0} pieces: each side has at least one")]
    NoClass(usize),
    /// A letter is not that of a piece.
    #[error("no piece has the letter '{0}'; pieces are {1}")]
    Letter(char, String),
    /// No class has all these pieces.
    #[error("no class of at most {pieces} pieces has {letters}")]
    Without {
        /// The most pieces of both sides together.
        pieces: usize,
        /// The letters asked for.
        letters: String,
    },
}

/// A class of a plan.
#[derive(Clone, Debug)]
pub struct PlannedClass {
    /// The class: of two that differ by an exchange of sides, the one that has a table.
    pub class: Class,
    /// Its name, such as `NLvQQ`.
    pub name: String,
    /// Placements of the pieces, both sides to move, before any symmetry: of the class and, where it is another one,
    /// of its exchange of sides.
    pub placements: u128,
    /// Placements that differ by more than a symmetry, both sides to move; an exchange of sides is a symmetry where the rules
    /// allow it. Illegal ones are among them.
    pub positions: u128,
    /// The number of symmetries of the class, exchanges of sides among them.
    pub symmetries: usize,
    /// Cells of both sides to move: positions that are solved and stored, and waste.
    pub cells: u64,
    /// Bytes of memory that solving the class takes.
    pub memory: u64,
    /// The least bytes of memory that do: those of a slice, and of the slices that its moves lead to, for each thread.
    pub least_memory: u64,
    /// About the bytes that its table will take.
    pub disk: u64,
    /// Whether the class was laid out. If not, it is too large, or planning would have taken too long: cells, memory and
    /// disk are at least what is given.
    pub exact: bool,
}

/// Classes in the order in which they are built, each after those that it needs.
#[derive(Clone, Debug)]
pub struct Plan<'r> {
    pub(crate) game: GameData<'r>,
    /// The classes in that order.
    pub classes: Vec<PlannedClass>,
}

/// What a fleet would take, from the sizes of the classes alone: no time is lost with waiting for files.
#[derive(Clone, Copy, Debug)]
pub struct FleetPlan {
    /// The number of builders.
    pub builders: usize,
    /// About the seconds until they are done.
    pub seconds: f64,
    /// About the seconds of the classes on the longest path, each of which needs the one before: more builders take no
    /// less.
    pub longest_path: f64,
}

/// Cells that a core solves and writes in a second, from the solution of Ambush and of endings of chess
/// (`docs/results/ambush.md`, `docs/results/chess.md`). That of a processor with neither is a guess.
const fn cells_a_second(instructions: Instructions) -> f64 {
    match instructions {
        Instructions::Avx512 => 9e6,
        Instructions::Avx2 => 6e6,
        Instructions::Plain => 2e6,
    }
}
/// How much longer a class takes whose slices are in a file: 1.3 times where the file stays in the memory of the system, and
/// more where it does not.
const SLOWER_IN_A_FILE: f64 = 1.5;
/// Bits that a cell of a table takes, from the same.
const BITS_A_CELL: f64 = 2.2;
/// Bytes for each cell while it is solved: its value and its lower bound.
const BYTES_A_CELL: u64 = 2;
/// Bytes for each block and side to move: stamps, and where it is.
const BYTES_A_BLOCK: u64 = 40;
/// Bytes for each double step that may be answered *en passant*.
const BYTES_A_DOUBLE_STEP: u64 = 20;
/// Cells for each of them, by pawn of one side and pawn of the other: at least 64.
const CELLS_A_DOUBLE_STEP: u64 = 64;
/// The most parts of files that may be mapped at a time.
const MAX_MAPS: usize = 60_000;
/// The most bytes for the lists of a class whose size is estimated.
const MAX_ESTIMATE: u64 = 1 << 30;
/// Cells of a class that is laid out before those that it needs.
const HUGE: u64 = 100_000_000_000;
/// Bytes for the moves of a class and the like.
const BYTES_A_CLASS: u64 = 16 << 20;

impl<'r> Plan<'r> {
    /// Finds the classes of a scope and lays each of them out once.
    ///
    /// # Errors
    /// If there can be no tables for the game, the scope names no class, or a class is too large.
    pub fn new(rules: &'r Rules, scope: &Scope) -> Result<Plan<'r>, PlanError> {
        let (game, classes) = classes(rules, scope)?;
        if let Some(&last) = classes.last().filter(|&&class| bounded_below(&game, class).cells > HUGE) {
            // Most likely too large: the others are not laid out in vain.
            Layout::new(&game, last)?;
        }
        let planned = |n: usize| Ok::<_, TooLarge>(planned(&game, &Layout::new(&game, classes[n])?));
        Ok(Plan { classes: parallel::try_map(classes.len(), planned)?, game })
    }

    /// The same for any size: classes that cannot be laid out in `memory` bytes, and those that are left once `goes_on` is
    /// `false`, have lower bounds. It is asked about once a second.
    ///
    /// # Errors
    /// If there can be no tables for the game, or the scope names no class.
    pub fn estimate(
        rules: &'r Rules,
        scope: &Scope,
        memory: u64,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Plan<'r>, PlanError> {
        let (game, list) = classes(rules, scope)?;
        let threads = rayon::current_num_threads();
        let effort = Effort { memory: (memory / 2 / threads as u64).min(MAX_ESTIMATE), goes_on };
        let mut classes = Vec::with_capacity(list.len());
        // Small classes come first, and a few at a time: what is left out is what is large.
        for part in list.chunks(4 * threads) {
            let planned = |n: usize| {
                let class = part[n];
                let layout = if goes_on() { Layout::within(&game, class, effort).ok() } else { None };
                layout.map_or_else(|| bounded_below(&game, class), |layout| planned(&game, &layout))
            };
            classes.extend(parallel::map(part.len(), planned));
        }
        Ok(Plan { classes, game })
    }

    /// Whether every class was laid out: the numbers are exact, and the plan can be built.
    pub fn is_exact(&self) -> bool {
        self.classes.iter().all(|class| class.exact)
    }

    /// The rules that the plan is for.
    pub fn rules(&self) -> &'r Rules {
        self.game.rules
    }

    /// The squares that pieces of a type can reach from the start position: the tables are laid out for these.
    pub fn squares(&self, kind: u8, side: Side) -> Bitboard {
        self.game.kinds[side][usize::from(kind)].allowed
    }

    /// Cells of all classes.
    pub fn cells(&self) -> u64 {
        self.classes.iter().fold(0, |sum: u64, c| sum.saturating_add(c.cells))
    }

    /// Placements of all classes.
    pub fn placements(&self) -> u128 {
        self.classes.iter().fold(0, |sum: u128, c| sum.saturating_add(c.placements))
    }

    /// Placements of all classes that differ by more than a symmetry: see [`PlannedClass::positions`].
    pub fn positions(&self) -> u128 {
        self.classes.iter().fold(0, |sum: u128, c| sum.saturating_add(c.positions))
    }

    /// The symmetries that the start position takes away, if it does.
    pub fn lost_symmetries(&self) -> Option<LostSymmetries> {
        lost::lost_symmetries(&self.game)
    }

    /// Bytes of memory that the largest class takes.
    pub fn memory(&self) -> u64 {
        self.classes.iter().map(|c| c.memory).max().unwrap_or(0)
    }

    /// Bytes of memory that do for every class, with slices in a file.
    pub fn least_memory(&self) -> u64 {
        self.classes.iter().map(|c| c.least_memory).max().unwrap_or(0)
    }

    /// About the bytes of all tables.
    pub fn disk(&self) -> u64 {
        self.classes.iter().fold(0, |sum: u64, c| sum.saturating_add(c.disk))
    }

    /// The most bytes of disk that values of finished classes take during the build.
    pub fn scratch(&self) -> u64 {
        self.cells()
    }

    /// How many builders with this number of cores each and these bytes of memory would share the work.
    pub fn fleet(&self, builders: usize, cores: usize, memory: u64) -> FleetPlan {
        let network = Network::new(self);
        let pace = self.seconds(cores, memory) / self.cells().max(1) as f64;
        let seconds = |cells: u64| cells as f64 * pace;
        FleetPlan {
            builders,
            seconds: seconds(network.makespan(builders)),
            longest_path: seconds(network.longest_path()),
        }
    }

    /// About the seconds that the build takes on this number of cores of this machine, where a class may take these bytes of
    /// memory.
    pub fn seconds(&self, cores: usize, memory: u64) -> f64 {
        self.classes.iter().map(|class| class.seconds(cores, memory)).sum()
    }
}

impl PlannedClass {
    /// About the seconds that it takes on this number of cores of this machine. A class that takes more than these bytes of
    /// memory has its slices in a file.
    pub fn seconds(&self, cores: usize, memory: u64) -> f64 {
        let seconds = self.cells as f64 / (cells_a_second(simd::instructions()) * cores as f64);
        if self.memory > memory { seconds * SLOWER_IN_A_FILE } else { seconds }
    }
}

/// The game of some rules, and the classes of a scope in the order in which they are built.
fn classes<'r>(rules: &'r Rules, scope: &Scope) -> Result<(GameData<'r>, Vec<Class>), PlanError> {
    let game = GameData::new(rules)?;
    let tops = match scope {
        Scope::Start if Side::BOTH.into_iter().any(|side| game.start.pieces_of(side) == 0) => {
            return Err(PlanError::OneSided);
        }
        Scope::Start => vec![game.start],
        Scope::Class(name) => vec![Class::parse(&game, name)?],
        Scope::MaxPieces(pieces) => {
            let list = bounded(&game, *pieces)?;
            if list.is_empty() {
                return Err(PlanError::NoClass(*pieces));
            }
            list
        }
        Scope::Containing { pieces, letters } => containing(&game, *pieces, letters)?,
    };
    let classes = closure(&game, &tops)?;
    Ok((game, classes))
}

/// The classes of [`Scope::Containing`].
fn containing(game: &GameData<'_>, pieces: usize, letters: &str) -> Result<Vec<Class>, PlanError> {
    let rules = game.rules;
    let mut wanted = [0u32; MAX_TYPES];
    for letter in letters.chars() {
        let known = || rules.pieces.iter().map(|n| n.letter).collect();
        let kind = rules.type_of(letter).ok_or_else(|| PlanError::Letter(letter, known()))?;
        wanted[usize::from(kind)] += 1;
    }
    let has = |class: &Class| {
        let [white, black] = class.0.0;
        let counts = white.iter().zip(black).map(|(&a, b)| u32::from(a) + u32::from(b));
        counts.zip(wanted).all(|(count, wanted)| count >= wanted)
    };
    let list: Vec<Class> = bounded(game, pieces)?.into_iter().filter(has).collect();
    if list.is_empty() { Err(PlanError::Without { pieces, letters: letters.to_string() }) } else { Ok(list) }
}

fn planned(game: &GameData<'_>, layout: &Layout) -> PlannedClass {
    let class = layout.class;
    let cells = 2 * layout.entries;
    let blocks: u64 = layout.slices.iter().map(|s| 2 * s.blocks.len() as u64).sum();
    let pawns = |side: Side| -> u64 {
        let captors = (0..game.kinds[side].len()).filter(|k| game.captors >> k & 1 != 0);
        captors.map(|k| u64::from(class.0[side][k])).sum()
    };
    let pairs = pawns(Side::White) * pawns(Side::Black);
    let double_steps = cells / CELLS_A_DOUBLE_STEP * pairs * BYTES_A_DOUBLE_STEP;
    let rest = double_steps + BYTES_A_BLOCK * blocks + BYTES_A_CLASS + layout.index_bytes();
    let memory = BYTES_A_CELL * cells + rest;
    // Each thread has a slice, values and lower bounds, and reads the values of the slices that outer pieces go to.
    let slice = layout.slices.iter().map(|s| s.bytes).max().unwrap_or(0);
    let moves = layout.max_slices_read(game) as u64;
    let working = slice * (2 + moves) * rayon::current_num_threads() as u64;
    // Not every system allows more maps.
    let mappable = 4 * layout.slices.len() < MAX_MAPS;
    PlannedClass {
        class,
        name: class.name(game.rules),
        placements: placements(game, class).saturating_mul(2 * twins(game, class)),
        positions: positions(game, class),
        symmetries: game.symmetries.of(class).count(),
        cells,
        memory,
        least_memory: if mappable { memory.min(working + rest) } else { memory },
        disk: disk(cells),
        exact: true,
    }
}

/// What a class takes at least that was not laid out: every placement has a cell, but for symmetries.
fn bounded_below(game: &GameData<'_>, class: Class) -> PlannedClass {
    let placements = placements(game, class);
    let symmetries = game.symmetries.of(class).count();
    let cells = placements.saturating_mul(2) / symmetries as u128;
    let cells = u64::try_from(cells).unwrap_or(u64::MAX);
    PlannedClass {
        class,
        name: class.name(game.rules),
        placements: placements.saturating_mul(2 * twins(game, class)),
        positions: positions(game, class),
        symmetries,
        cells,
        memory: cells.saturating_mul(BYTES_A_CELL),
        least_memory: BYTES_A_CLASS,
        disk: disk(cells),
        exact: false,
    }
}

/// About the bytes of a table.
fn disk(cells: u64) -> u64 {
    (cells as f64 * BITS_A_CELL / 8.0) as u64 + 4096
}

/// 2 if a class has the table of another one too.
fn twins(game: &GameData<'_>, class: Class) -> u128 {
    if class.swapped() != class && game.symmetries.exchange(class).is_some() { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::find;

    #[test]
    fn time_is_that_of_the_classes_and_more_with_slices_in_a_file() {
        let plan = Plan::new(find("ambush").unwrap().rules(), &Scope::Class("LQNvLQN".to_string())).unwrap();
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        let (all, most) = (plan.seconds(1, u64::MAX), plan.memory());
        assert!(all > 0.0 && near(plan.seconds(2, u64::MAX), all / 2.0));
        assert!(near(plan.seconds(1, most), all) && near(plan.seconds(1, 0), SLOWER_IN_A_FILE * all));
        let sum: f64 = plan.classes.iter().map(|class| class.seconds(1, most - 1)).sum();
        assert!(near(plan.seconds(1, most - 1), sum) && sum > all && sum < SLOWER_IN_A_FILE * all);
        // A fleet of one takes as long, whatever the memory.
        for memory in [0, u64::MAX] {
            assert!(near(plan.fleet(1, 1, memory).seconds, plan.seconds(1, memory)));
        }
    }
}
