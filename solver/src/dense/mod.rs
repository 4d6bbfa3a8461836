//! Dense tables of games with pieces in hand.
//!
//! With drops nothing leaves the game: captures lead from one class of material to another and back, and all distributions of
//! the pieces over the board and the hands are one fixpoint. It is solved over a dense index with a byte a cell, level by
//! level: in level `n`, the positions that are decided in `n` plies. No position is kept, hashed or listed, and no move either.
//!
//! A level takes moves back from what the last one has decided, generously: whether a move is legal, the rules engine says. Before
//! a lost position there is a won one. Before a won position there may be a lost one, once all its moves lead to won ones: the
//! byte of an open cell counts how many of these are still to come before a look at all of them is worth while.

mod back;
mod children;
mod file;
mod histogram;
mod layout;
mod placed;
mod reader;
mod sweep;
mod table;

pub use file::{FILE, LoadError};
pub use histogram::Among;
pub use reader::DenseReader;
pub use table::{Counts, DenseTable, Failure, Reached};

use jewel_engine::variant::Rules;
use layout::{KINDS, Layout};
use thiserror::Error;

/// Why there can be no dense table of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unsuitable {
    /// There are no hands, so that material classes are solved one by one.
    #[error("a game without pieces in hand has a table for each class of material")]
    NoHands,
    /// Positions say more than where the pieces are.
    #[error("dense tables know no {0}")]
    State(&'static str),
    /// Play that repeats is won or lost.
    #[error("in this game a repetition may be won or lost, and tables take play that never ends for a draw")]
    Repetition,
    /// There are too many piece types.
    #[error("there are {0} piece types, and dense tables have room for {KINDS}")]
    Types(usize),
    /// There are too many classes.
    #[error("the pieces can be distributed over board and hands in more than {0} ways")]
    Classes(usize),
    /// There are too many cells.
    #[error("the game has more positions than a dense table can number")]
    Cells,
    /// There is too little memory.
    #[error("the table takes {needed} bytes of memory; the limit is {limit}")]
    Memory {
        /// What it takes.
        needed: u64,
        /// The limit.
        limit: u64,
    },
}

/// What solving a game by a dense table takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DensePlan {
    /// Distributions of the pieces over the board and the hands.
    pub classes: usize,
    /// Cells of the table, a byte each: placements up to symmetry without those in which royal pieces attack each other.
    /// Illegal ones are among them.
    pub cells: u64,
    /// Symmetries that the table uses: the exchange of sides and the mirror, and what they make together.
    pub symmetries: usize,
    /// All placements, with either side to move.
    pub placements: u128,
    /// All placements up to symmetry.
    pub positions: u64,
    /// Bytes of memory.
    pub memory: u64,
}

/// The work was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stopped;

/// Plans the table of a game from its start position.
///
/// # Errors
/// If there can be none.
pub fn plan(rules: &Rules) -> Result<DensePlan, Unsuitable> {
    let (layout, all) = (lay_out(rules, false)?, lay_out(rules, true)?);
    let cells = layout.cells();
    // A byte of value for each cell; later, three bits for each position that may be reached; and what a class takes.
    let memory = cells + all.cells() / 8 * 3 + layout.class_count() as u64 * 1024 + (1 << 20);
    Ok(DensePlan {
        classes: layout.class_count(),
        cells,
        symmetries: layout.symmetries(),
        placements: layout.placements(),
        positions: all.cells(),
        memory,
    })
}

fn lay_out(rules: &Rules, all: bool) -> Result<Layout<'_>, Unsuitable> {
    if rules.hand.is_none() {
        return Err(Unsuitable::NoHands);
    }
    if rules.type_count() > KINDS {
        return Err(Unsuitable::Types(rules.type_count()));
    }
    if !rules.castles.is_empty() {
        return Err(Unsuitable::State("castling rights"));
    }
    if (0..rules.type_count() as u8).any(|kind| rules.captures_en_passant(kind)) {
        return Err(Unsuitable::State("captures en passant"));
    }
    if rules.move_rule.is_some() {
        return Err(Unsuitable::State("counter of moves: leave out draw.n-move"));
    }
    if !rules.endless_is_draw() {
        return Err(Unsuitable::Repetition);
    }
    let start = jewel_engine::chesslike::AnyChessLike::from_fen(rules, &rules.start)
        .unwrap_or_else(|e| unreachable!("the start was checked when the rules were read: {e}"));
    Layout::new(rules, &start, all)
}

#[cfg(test)]
mod tests {
    use super::sweep::NEAR;
    use super::*;
    use jewel_engine::variant::Rules;
    use std::sync::atomic::AtomicBool;

    /// In tests of this crate few distances fit a byte, so that most of this game are kept beside the table.
    #[test]
    fn far_distances_are_kept_beside_the_table() {
        let text = "name = \"Mini\"\n[board]\nsize = \"3x3\"\nstart = \"clc/3/CLC[] w - - 0 1\"\n\
            [[piece]]\nletter = \"L\"\nmoves = \"K\"\nroyal = \"capture\"\n\
            [[piece]]\nletter = \"C\"\nmoves = \"fW\"\n\
            promotion = { zone = { w = [\"rank 3\"], b = [\"rank 1\"] }, to = \"+C\" }\n\
            [[piece]]\nletter = \"+C\"\nmoves = \"WfF\"\n\
            [key]\ngoals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"try\"\neligible = \"L\"\n\
            [hand]\n[end]\nstalemate = \"loss\"\n";
        let rules = Rules::parse(text).unwrap();
        let never = AtomicBool::new(false);
        let mut table = DenseTable::new(&rules, u64::MAX).unwrap();
        // Saved and loaded after each level.
        while table.solve(&never, &mut |_, _| false).is_err() {
            let mut bytes = vec![];
            table.save(&mut bytes).unwrap();
            table = DenseTable::load(&rules, u64::MAX, Box::new(bytes)).unwrap();
        }
        table.verify(1, &never).unwrap();
        let longest = table.longest_of_cells().unwrap().0;
        assert!(longest > NEAR + 10, "{longest}");
        table.reach(&never).unwrap();
        let [counts, _] = table.counts().every;
        assert_eq!([counts.wins, counts.draws, counts.losses], [413_594, 25_559, 62_815]);
    }
}
