//! Mutual zugzwangs: positions in which either side would rather that the other were to move.
//!
//! If White gets less with White to move than with Black to move, Black gets less with Black to move than with White to move.
//! Both positions must be legal, and the game must not be over in either.

use super::set::{ProbeError, TableSet, pieces_like};
use crate::retrograde::class::Class;
use crate::retrograde::game::GameData;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_tables::cache::Cache;
use jewel_tables::error::TableError;
use jewel_tables::index::Place;
use jewel_tables::orbits::{Counted, Orbits};
use jewel_tables::reader::Table;
use jewel_tables::scheme::Map;
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
    /// Whether the class is its own exchange of sides: those that White would win are then those that Black would win,
    /// exchanged, and count once.
    pub alike: bool,
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
        self.both_lose + self.white_wins + if self.alike { 0 } else { self.black_wins }
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
    let orbits = Orbits::new(table.index());
    let exchanges = exchanges(tables, table, &orbits);
    let count = Count { tables, table, most, exchanges };
    let parts: Vec<Zugzwangs> = parallel::try_map(cells.div_ceil(RUN) as usize, |run| {
        if interrupt.load(Relaxed) {
            return Err(ZugzwangError::Interrupted);
        }
        let (cache, mut found) = (Cache::new(CACHE), Zugzwangs::default());
        let run = run as u64;
        let (range, mut weights) = (run * RUN..cells.min((run + 1) * RUN), vec![]);
        orbits.weights(range.clone(), Counted::Placements, &mut weights);
        for (cell, n) in range.zip(0..) {
            let weight = weights.get(n).map_or(orbits.whole(), |&weight| u64::from(weight));
            count.look_at(cell, weight, &cache, &mut found)?;
        }
        Ok(found)
    })?;
    // In the order of the table, so that the list does not depend on the number of threads.
    let sums = parts.into_iter().fold(Zugzwangs::default(), |all, part| all.join(part, most));
    let whole = 2 * orbits.whole();
    let (mut white_wins, mut black_wins) = (sums.white_wins, sums.black_wins);
    if orbits.exchange() {
        // One that White would win may be stored as one that Black would win, and the other way round.
        (white_wins, black_wins) = (white_wins + black_wins, white_wins + black_wins);
    }
    Ok(Zugzwangs {
        both_lose: sums.both_lose / whole,
        white_wins: white_wins / whole,
        black_wins: black_wins / whole,
        alike: table.metadata().alike,
        list: sums.list,
    })
}

/// The exchanges of sides that take a class to itself and that its table leaves out.
fn exchanges(tables: &TableSet<'_>, table: &Table, orbits: &Orbits<'_>) -> Vec<Map> {
    let metadata = table.metadata();
    if !metadata.alike || orbits.exchange() {
        return vec![];
    }
    let Ok(game) = GameData::new(tables.rules()) else { return vec![] };
    let Ok(class) = Class::parse(&game, &metadata.class) else { return vec![] };
    let swaps = game.symmetries.of(class).filter(|s| s.swap);
    swaps.map(|s| Map { exchange: true, squares: s.squares.clone() }).collect()
}

/// A count of the zugzwangs of a table. Sums are of weights, in halves of [`Orbits::whole`].
struct Count<'a> {
    tables: &'a TableSet<'a>,
    table: &'a Table,
    most: usize,
    /// See [`exchanges`].
    exchanges: Vec<Map>,
}

impl Count<'_> {
    fn look_at(
        &self,
        cell: u64,
        weight: u64,
        cache: &Cache,
        found: &mut Zugzwangs,
    ) -> Result<(), ZugzwangError> {
        let places = Side::BOTH.map(|turn| Place { cell, turn });
        let white = self.table.wdl_at(places[0], cache)?;
        if white == Outcome::Win {
            return Ok(());
        }
        // The value for White with Black to move.
        let passed = !self.table.wdl_at(places[1], cache)?;
        if white >= passed {
            return Ok(());
        }
        let Some(positions) = positions(self.tables, self.table, cell) else { return Ok(()) };
        match (white, passed) {
            // Two cells for one placement, but for placements that are their own exchange.
            (Outcome::Loss, Outcome::Win) if self.exchanges.is_empty() || self.is_own_exchange(cell) => {
                found.both_lose += 2 * weight;
            }
            (Outcome::Loss, Outcome::Win) => found.both_lose += weight,
            (_, Outcome::Win) => found.white_wins += 2 * weight,
            _ => found.black_wins += 2 * weight,
        }
        if found.list.len() < self.most {
            let values = [self.tables.probe(&positions[0])?, self.tables.probe(&positions[1])?];
            found.list.push(Zugzwang { position: positions[0].to_fen(), values });
        }
        Ok(())
    }

    /// Whether an exchange of sides keeps the pieces of a cell where they are.
    fn is_own_exchange(&self, cell: u64) -> bool {
        let Some(sets) = self.table.index().position(cell) else { return false };
        let groups = &self.table.index().scheme().groups;
        let on = |side: Side, letter: u8| pieces_like(self.table, &sets, side, letter);
        let keeps = |map: &Map| {
            groups.iter().all(|g| map.set(on(g.side, g.letter)) == on(map.side(g.side), g.letter))
        };
        self.exchanges.iter().any(keeps)
    }
}

/// The positions of a cell with either side to move, if both are legal and the game goes on in both.
fn positions<'r>(tables: &TableSet<'r>, table: &Table, cell: u64) -> Option<[AnyChessLike<'r>; 2]> {
    let sets = table.index().position(cell)?;
    let positions = Side::BOTH.map(|turn| tables.placed(table, &sets, turn));
    let sound = positions.iter().all(|p| !p.in_check(!p.side_to_move()) && p.outcome().is_none());
    sound.then_some(positions)
}
