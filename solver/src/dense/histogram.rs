//! How many positions are won and lost at each distance.

use super::Failure;
use super::layout::{Layout, Place};
use super::sweep::RUN;
use super::table::{DenseTable, bits, with_subset};
use crate::histogram::{Histogram, Longest, Tally};
use jewel_engine::chesslike::{ChessGame, ChessLike, Drops, General, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::value::Value;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Which positions are counted. Those that differ by an exchange of sides or by the mirror are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// Those that have a cell in the table.
    Cells,
    /// Those that can be [reached](DenseTable::reach) from the start.
    Reached,
    /// Those that can be reached if a royal piece is captured [as soon as it can be](DenseTable::reach_at_once).
    AtOnce,
}

/// Words of a set that a thread takes at a time.
const WORDS: usize = RUN as usize / 64;

impl DenseTable<'_> {
    /// Counts positions by value and distance, and lists up to `most` of the longest wins, and of the longest losses.
    ///
    /// # Errors
    /// If the flag was set.
    pub fn histogram(&self, among: Among, most: usize, interrupt: &AtomicBool) -> Result<Histogram, Failure> {
        let set = match among {
            Among::Cells => {
                let see = |tally: &mut Tally<u64>, run: u64| {
                    for cell in run * RUN..self.cells().min((run + 1) * RUN) {
                        if let Some(value) = self.value_at(cell) {
                            tally.see(value, 1, cell);
                        }
                    }
                };
                let tally = gather(self.cells().div_ceil(RUN), most, interrupt, see)?;
                return Ok(tally.finish(1, |places| self.list(&self.layout, places)));
            }
            Among::Reached => &self.reachable,
            Among::AtOnce => &self.at_once,
        };
        let tally = with_subset!(self.layout.rules, S, N => {
            let see = |tally: &mut Tally<u64>, run: u64| {
                let (first, mut class) = (run as usize * WORDS, 0);
                for (word, &held) in set.iter().enumerate().skip(first).take(WORDS) {
                    for cell in bits(held).map(|bit| word as u64 * 64 + bit) {
                        class = self.all.class_at(cell, class);
                        tally.see(self.value_in_all::<S, N>(class, cell), 1, cell);
                    }
                }
            };
            gather(set.len().div_ceil(WORDS) as u64, most, interrupt, see)?
        });
        Ok(tally.finish(1, |places| self.list(&self.all, places)))
    }

    /// The value of a position in the index of all, of which the class is known.
    fn value_in_all<S: RuleSubset, const N: usize>(&self, class: u32, cell: u64) -> Value {
        match self.all.in_other(&self.layout, class, cell) {
            Place::Cell(own) => self.value_at(own).unwrap_or(Value::Draw),
            _ => {
                let position: ChessLike<'_, S, N> =
                    self.all.placed_in(class, cell).position(self.layout.rules);
                position.outcome().map_or(Value::Win(1), Value::from_outcome)
            }
        }
    }

    fn list(&self, layout: &Layout<'_>, places: Vec<(u32, u64)>) -> Vec<Longest> {
        let text = |cell| self.hashed(&layout.placed(cell)).to_fen();
        places.into_iter().map(|(plies, cell)| Longest { plies, position: text(cell) }).collect()
    }
}

/// Tallies the runs of a table on the threads of the current rayon pool.
fn gather(
    runs: u64,
    most: usize,
    interrupt: &AtomicBool,
    see: impl Fn(&mut Tally<u64>, u64) + Sync,
) -> Result<Tally<u64>, Failure> {
    let next = |tally: &mut Tally<u64>, run: usize| {
        if interrupt.load(Relaxed) {
            return Err(Failure::Interrupted);
        }
        see(tally, run as u64);
        Ok(())
    };
    parallel::fold(runs as usize, || Tally::new(most), next, Tally::join)
}
