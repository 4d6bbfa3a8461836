//! How many positions of a class are won and lost at each distance.

use super::set::{ProbeError, TableSet, pieces_like};
use crate::histogram::{Histogram, Longest, Tally};
use jewel_engine::parallel;
use jewel_engine::value::Side;
use jewel_tables::cache::Cache;
use jewel_tables::error::TableError;
use jewel_tables::index::Place;
use jewel_tables::orbits::{Counted, Orbits};
use jewel_tables::reader::Table;
use jewel_tables::scheme::Map;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

/// Why positions could not be counted.
#[derive(Debug, Error)]
pub enum HistogramError {
    /// The table is damaged, or has no distances.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A distance that the table does not hold cannot be found.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

/// Cells that a worker counts at a time.
const RUN: u64 = 1 << 14;

/// Bytes of decoded blocks that a worker keeps: those of both sides to move.
const CACHE: usize = 1 << 20;

/// A cell with the index of its side to move.
type Cell = (u64, u8);

/// Counts the positions of a table by value and distance, and lists up to `most` of the longest wins, and of the longest losses.
/// Positions that differ by a symmetry count once, and so does a position of a class that is its own exchange of sides, and the
/// position exchanged. If the table holds the distances of lost positions only, each other one is found by a probe, which takes
/// much longer.
///
/// # Errors
/// If a table is damaged or missing, there are no distances, or the count was interrupted.
pub fn histogram(
    tables: &TableSet<'_>,
    table: &Table,
    most: usize,
    interrupt: &AtomicBool,
) -> Result<Histogram, HistogramError> {
    let cells = table.index().cells();
    let orbits = Orbits::new(table.index());
    let whole = orbits.whole();
    let turns = if table.metadata().alike && !orbits.exchange() { &[Side::White][..] } else { &Side::BOTH };
    let royal = tables.rules().royal.is_some();
    // A position may have as many cells as there are symmetries.
    let tally = || Tally::new(most.saturating_mul(whole as usize));
    let count = |tally: &mut Tally<Cell>, run: usize| {
        if interrupt.load(Relaxed) {
            return Err(HistogramError::Interrupted);
        }
        let (cache, mut weights) = (Cache::new(CACHE), vec![]);
        let run = run as u64;
        let range = run * RUN..cells.min((run + 1) * RUN);
        orbits.weights(range.clone(), Counted::Positions, &mut weights);
        for (cell, n) in range.zip(0..) {
            let Some(sets) = table.index().position(cell) else { continue };
            let weight = weights.get(n).map_or(whole, |&weight| u64::from(weight));
            for &turn in turns {
                let position = || tables.placed(table, &sets, turn);
                // No game leads to a position in which the side that has moved is in check.
                if royal && position().in_check(!turn) {
                    continue;
                }
                let value = if table.has_all_distances() || !table.has_distances() {
                    table.value_at(Place { cell, turn }, &cache)?
                } else {
                    tables.probe(&position())?
                };
                tally.see(value, weight, (cell, turn.index() as u8));
            }
        }
        Ok(())
    };
    let tally = parallel::fold(cells.div_ceil(RUN) as usize, tally, count, Tally::join)?;
    Ok(tally.finish(whole, |places| list(tables, table, places, most)))
}

/// The first cells that stand for different positions.
fn list(tables: &TableSet<'_>, table: &Table, places: Vec<(u32, Cell)>, most: usize) -> Vec<Longest> {
    let (mut seen, mut list) = (HashSet::new(), vec![]);
    for (plies, (cell, turn)) in places {
        let turn = Side::BOTH[usize::from(turn)];
        if let Some(sets) = table.index().position(cell)
            && list.len() < most
            && seen.insert(least_image(table, &sets, turn))
        {
            list.push(Longest { plies, position: tables.placed(table, &sets, turn).to_fen() });
        }
    }
    list
}

/// The least of the images of a position under the symmetries that take the class to itself: the side to move, and the squares of
/// the pieces like those of each group.
fn least_image(table: &Table, sets: &[u64], turn: Side) -> (usize, Vec<u64>) {
    let scheme = table.index().scheme();
    let on = |side: Side, letter: u8| pieces_like(table, sets, side, letter);
    let image = |map: &Map| -> Option<(usize, Vec<u64>)> {
        let sets = scheme.groups.iter().map(|g| {
            let set = map.set(on(map.side(g.side), g.letter));
            (set.count_ones() == on(g.side, g.letter).count_ones()).then_some(set)
        });
        Some((map.side(turn).index(), sets.collect::<Option<_>>()?))
    };
    let own = (turn.index(), scheme.groups.iter().map(|g| on(g.side, g.letter)).collect());
    scheme.symmetries.iter().filter_map(image).min().map_or(own.clone(), |least| least.min(own))
}
