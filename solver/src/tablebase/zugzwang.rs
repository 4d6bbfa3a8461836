//! Mutual zugzwangs: positions in which either side would rather that the other were to move.
//!
//! If White gets less with White to move than with Black to move, Black gets less with Black to move than with White to move.
//! Both positions must be legal, and the game must not be over in either.

use super::set::{ProbeError, TableSet};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_tables::cache::Cache;
use jewel_tables::error::TableError;
use jewel_tables::index::Place;
use jewel_tables::reader::Table;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

/// A mutual zugzwang.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zugzwang {
    /// The position string, with White to move.
    pub position: String,
    /// Its value for White with White to move, and for Black with Black to move.
    pub values: [Value; 2],
}

/// The mutual zugzwangs of a class, by what they decide.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Zugzwangs {
    /// The side to move loses, either side.
    pub both_lose: u64,
    /// White wins if Black is to move, and only draws otherwise.
    pub white_wins: u64,
    /// Black wins if White is to move, and only draws otherwise.
    pub black_wins: u64,
    /// The first ones in the order of the table, as many as the caller asked for.
    pub list: Vec<Zugzwang>,
}

/// Why zugzwangs could not be counted.
#[derive(Debug, Error)]
pub enum ZugzwangError {
    /// The table is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A position of the list cannot be looked up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

impl Zugzwangs {
    /// The number of mutual zugzwangs.
    pub fn count(&self) -> u64 {
        self.both_lose + self.white_wins + self.black_wins
    }

    fn join(mut self, later: Zugzwangs, most: usize) -> Zugzwangs {
        self.both_lose += later.both_lose;
        self.white_wins += later.white_wins;
        self.black_wins += later.black_wins;
        self.list.extend(later.list);
        self.list.truncate(most);
        self
    }
}

/// Cells that a worker checks at a time.
const RUN: u64 = 1 << 16;

/// Bytes of decoded blocks that a worker keeps: those of both sides to move.
const CACHE: usize = 1 << 20;

/// Counts the mutual zugzwangs of a table and lists up to `most` of them. Placements that differ by a symmetry count once.
///
/// # Errors
/// If a table is damaged or missing, or the count was interrupted.
pub fn zugzwangs(
    tables: &TableSet<'_>,
    table: &Table,
    most: usize,
    interrupt: &AtomicBool,
) -> Result<Zugzwangs, ZugzwangError> {
    let cells = table.index().cells();
    let runs = (0..cells.div_ceil(RUN)).into_par_iter().map(|run| {
        if interrupt.load(Relaxed) {
            return Err(ZugzwangError::Interrupted);
        }
        let (cache, mut found) = (Cache::new(CACHE), Zugzwangs::default());
        for cell in run * RUN..cells.min((run + 1) * RUN) {
            look_at(tables, table, cell, most, &cache, &mut found)?;
        }
        Ok(found)
    });
    // In the order of the table, so that the list does not depend on the number of threads.
    let parts: Vec<Zugzwangs> = runs.collect::<Result<_, ZugzwangError>>()?;
    Ok(parts.into_iter().fold(Zugzwangs::default(), |all, part| all.join(part, most)))
}

fn look_at(
    tables: &TableSet<'_>,
    table: &Table,
    cell: u64,
    most: usize,
    cache: &Cache,
    found: &mut Zugzwangs,
) -> Result<(), ZugzwangError> {
    let places = Side::BOTH.map(|turn| Place { cell, turn });
    let white = table.wdl_at(places[0], cache)?;
    if white == Outcome::Win {
        return Ok(());
    }
    // The value for White with Black to move.
    let passed = !table.wdl_at(places[1], cache)?;
    if white >= passed {
        return Ok(());
    }
    let Some(positions) = positions(tables, table, cell) else { return Ok(()) };
    let count = match (white, passed) {
        (Outcome::Loss, Outcome::Win) => &mut found.both_lose,
        (_, Outcome::Win) => &mut found.white_wins,
        _ => &mut found.black_wins,
    };
    *count += 1;
    if found.list.len() < most {
        let values = [tables.probe(&positions[0])?, tables.probe(&positions[1])?];
        found.list.push(Zugzwang { position: positions[0].to_fen(), values });
    }
    Ok(())
}

/// The positions of a cell with either side to move, if both are legal and the game goes on in both.
fn positions<'r>(tables: &TableSet<'r>, table: &Table, cell: u64) -> Option<[AnyChessLike<'r>; 2]> {
    let sets = table.index().position(cell)?;
    let rules = tables.rules();
    let positions = Side::BOTH.map(|turn| {
        let groups = table.index().scheme().groups.iter().zip(&sets);
        let pieces = groups.filter_map(|(group, &set)| {
            Some((rules.type_of(char::from(group.letter))?, group.side, Bitboard(set)))
        });
        AnyChessLike::assemble(rules, turn, pieces)
    });
    let sound = positions.iter().all(|p| !p.in_check(!p.side_to_move()) && p.outcome().is_none());
    sound.then_some(positions)
}
