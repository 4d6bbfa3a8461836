//! What there is to build, and what it takes.

use crate::retrograde::class::{Class, ClassError, bounded, closure};
use crate::retrograde::layout::{Layout, TooLarge};
use crate::retrograde::mechanics::{MAX_TYPES, Mechanics, Unsupported};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_tables::combination::binomial;
use rayon::prelude::*;
use thiserror::Error;

/// Which classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everything that the start position leads to.
    Start,
    /// Everything that this class leads to; named as in `NLvQQ`.
    Class(String),
    /// Every class of at most so many pieces, those of both sides counted, that can come from the start position.
    MaxPieces(usize),
    /// Those of them that have at least these pieces, those of both sides counted, and everything that they lead to.
    Containing {
        /// Pieces in all.
        pieces: usize,
        /// The letters of the pieces, one for each that a class must have: `PP` is at least two pawns, whosever they are.
        letters: String,
    },
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// The rules have something that tables cannot do.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The class is none.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// A class is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A side without pieces: its classes are decided by the rules, and there is nothing to tabulate.
    #[error("a side has no piece in the start position: tables need pieces of both sides")]
    OneSided,
    /// Fewer pieces than a class has.
    #[error("no class has {0} pieces: each side has at least one")]
    NoClass(usize),
    /// Letters of no piece of the game.
    #[error("no piece has the letter '{0}'; pieces are {1}")]
    Letter(char, String),
    /// No class has all these pieces.
    #[error("no class of at most {pieces} pieces has {letters}")]
    Without {
        /// Pieces in all.
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
    /// Cells, both sides to move: what is solved and stored.
    pub cells: u64,
    /// Bytes of memory that solving it takes.
    pub memory: u64,
    /// Bytes that it takes at least, with a slice and those that its moves lead to in memory at a time.
    pub least_memory: u64,
    /// Bytes that its table will take, about.
    pub disk: u64,
}

/// Classes in the order in which they are built, each after those that it needs.
#[derive(Clone, Debug)]
pub struct Plan<'r> {
    pub(crate) game: Mechanics<'r>,
    /// The classes.
    pub classes: Vec<PlannedClass>,
}

/// Cells that a core solves and writes in a second, from the solution of Ambush (`docs/results/ambush.md`).
const CELLS_A_SECOND: f64 = 8.5e6;
/// Bits that a cell of a table takes, from the same.
const BITS_A_CELL: f64 = 2.2;
/// Bytes a cell while it is solved: its value and its floor.
const BYTES_A_CELL: u64 = 2;
/// Bytes a block (stamps, and where it is) and side to move.
const BYTES_A_BLOCK: u64 = 40;
/// Bytes of a double step that may be answered *en passant*, and how many cells there are to one of them, for each pawn of one
/// side and each of the other: less than 1 in 64.
const BYTES_AN_ANSWER: u64 = 20;
const CELLS_AN_ANSWER: u64 = 64;
/// Most parts of files that are mapped at a time.
const MAX_MAPS: usize = 60_000;
/// Bytes of the tables of moves and the like, at least.
const BYTES_A_CLASS: u64 = 16 << 20;

impl<'r> Plan<'r> {
    /// Finds the classes of a scope and lays each of them out once.
    ///
    /// # Errors
    /// If the game is not one for tables, the class is none, or one is too large.
    pub fn new(rules: &'r Rules, scope: &Scope) -> Result<Plan<'r>, PlanError> {
        let game = Mechanics::new(rules)?;
        let tops = match scope {
            Scope::Start if (0..2).any(|side| game.start.side(side) == 0) => return Err(PlanError::OneSided),
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
        let classes: Result<Vec<_>, TooLarge> = classes.into_par_iter().map(|c| planned(&game, c)).collect();
        Ok(Plan { classes: classes?, game })
    }

    /// The rules that the plan is for.
    pub fn rules(&self) -> &'r Rules {
        self.game.rules
    }

    /// Where a piece can ever stand, coming from the start position: what the tables are laid out for.
    pub fn squares(&self, kind: u8, side: Side) -> Bitboard {
        Bitboard(self.game.kinds[side.index()][usize::from(kind)].allowed)
    }

    /// All classes' cells.
    pub fn cells(&self) -> u64 {
        self.classes.iter().map(|c| c.cells).sum()
    }

    /// All classes' placements.
    pub fn placements(&self) -> u128 {
        self.classes.iter().map(|c| c.placements).sum()
    }

    /// Bytes of memory that the hungriest class takes.
    pub fn memory(&self) -> u64 {
        self.classes.iter().map(|c| c.memory).max().unwrap_or(0)
    }

    /// Bytes of memory that the class takes that needs most with its slices in a file.
    pub fn least_memory(&self) -> u64 {
        self.classes.iter().map(|c| c.least_memory).max().unwrap_or(0)
    }

    /// Bytes of all tables, about.
    pub fn disk(&self) -> u64 {
        self.classes.iter().map(|c| c.disk).sum()
    }

    /// Bytes of disk that the values of finished classes take in the meantime, at most.
    pub fn scratch(&self) -> u64 {
        self.cells()
    }

    /// Seconds that building it takes on so many cores, about.
    pub fn seconds(&self, cores: usize) -> f64 {
        self.cells() as f64 / (CELLS_A_SECOND * cores as f64)
    }
}

/// The classes of [`Scope::Containing`].
fn containing(game: &Mechanics<'_>, pieces: usize, letters: &str) -> Result<Vec<Class>, PlanError> {
    let rules = game.rules;
    let mut wanted = [0u32; MAX_TYPES];
    for letter in letters.chars() {
        let known = || rules.pieces.iter().map(|n| n.letter).collect();
        let kind = rules.type_of(letter).ok_or_else(|| PlanError::Letter(letter, known()))?;
        wanted[usize::from(kind)] += 1;
    }
    let has = |class: &Class| {
        let [white, black] = class.0;
        let counts = white.iter().zip(black).map(|(&a, b)| u32::from(a) + u32::from(b));
        counts.zip(wanted).all(|(count, wanted)| count >= wanted)
    };
    let list: Vec<Class> = bounded(game, pieces)?.into_iter().filter(has).collect();
    if list.is_empty() { Err(PlanError::Without { pieces, letters: letters.to_string() }) } else { Ok(list) }
}

fn planned(game: &Mechanics<'_>, class: Class) -> Result<PlannedClass, TooLarge> {
    let layout = Layout::new(game, class)?;
    let cells = 2 * layout.entries;
    let blocks: u64 = layout.slices.iter().map(|s| 2 * s.blocks.len() as u64).sum();
    let twins = if game.exchange().is_some() && class.swapped() != class { 2 } else { 1 };
    let pawns = |s: usize| -> u64 {
        (0..game.kinds[s].len())
            .filter(|k| game.captors >> k & 1 != 0)
            .map(|k| u64::from(class.0[s][k]))
            .sum()
    };
    let pairs = pawns(0) * pawns(1);
    let answers = cells / CELLS_AN_ANSWER * pairs * BYTES_AN_ANSWER;
    let rest = answers + BYTES_A_BLOCK * blocks + BYTES_A_CLASS + layout.index_bytes();
    let memory = BYTES_A_CELL * cells + rest;
    // Each of the threads has its slice, values and floors, and reads the values of those that an outer piece goes to.
    let slice = layout.slices.iter().map(|s| s.bytes).max().unwrap_or(0);
    let moves = layout.most_outer_moves(game) as u64;
    let working = slice * (2 + moves) * rayon::current_num_threads() as u64;
    // More maps than this are not to be had of every system.
    let mappable = 4 * layout.slices.len() < MAX_MAPS;
    Ok(PlannedClass {
        class,
        name: class.name(game.rules),
        placements: 2 * twins * placements(game, class),
        cells,
        memory,
        least_memory: if mappable { memory.min(working + rest) } else { memory },
        disk: (cells as f64 * BITS_A_CELL / 8.0) as u64 + 4096,
    })
}

/// Ways to place the pieces of a class on different squares, like ones not told apart.
fn placements(game: &Mechanics<'_>, class: Class) -> u128 {
    // By how the sets of squares overlap: count over the cells of their common refinement.
    let mut groups = vec![];
    for s in 0..2 {
        for (k, kind) in game.kinds[s].iter().enumerate() {
            if class.0[s][k] > 0 {
                groups.push((kind.allowed, class.0[s][k]));
            }
        }
    }
    let mut atoms: Vec<u64> = vec![];
    for square in 0..game.squares {
        let same =
            |&s: &u64| groups.iter().all(|(set, _)| set >> square & 1 == set >> s.trailing_zeros() & 1);
        match atoms.iter_mut().find(|atom| same(atom)) {
            Some(atom) => *atom |= 1 << square,
            None => atoms.push(1 << square),
        }
    }
    let free: Vec<u32> = atoms.iter().map(|a| a.count_ones()).collect();
    ways(&groups, &atoms, &free)
}

fn ways(groups: &[(u64, u8)], atoms: &[u64], free: &[u32]) -> u128 {
    let Some((&(set, count), rest)) = groups.split_first() else { return 1 };
    // All ways to share the pieces of the first group out among the atoms of its set.
    let within: Vec<usize> = (0..atoms.len()).filter(|&a| atoms[a] & set != 0).collect();
    share(&within, u32::from(count), free.to_vec(), 1, &mut |free, factor| factor * ways(rest, atoms, &free))
}

fn share(
    within: &[usize],
    count: u32,
    free: Vec<u32>,
    factor: u128,
    then: &mut dyn FnMut(Vec<u32>, u128) -> u128,
) -> u128 {
    let Some((&atom, rest)) = within.split_first() else {
        return if count == 0 { then(free, factor) } else { 0 };
    };
    (0..=count.min(free[atom]))
        .map(|n| {
            let mut left = free.clone();
            left[atom] -= n;
            share(rest, count - n, left, factor * u128::from(binomial(free[atom], n)), then)
        })
        .sum()
}
