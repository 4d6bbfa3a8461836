//! A solved table that stays in its file: blocks are read when they are asked for.

use super::file::{BLOCK, BlockFile, LoadError, is_far};
use super::lay_out;
use super::layout::Layout;
use super::table::{cell_or_value, value_of};
use jewel_engine::ability::Probe;
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::value::{Outcome, Value};
use jewel_engine::variant::Rules;
use jewel_tables::source::ReadAt;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Parts of the memory for blocks, each with a lock of its own.
const SHARDS: u64 = 256;
/// Blocks that a part holds: 32 mebibytes in all.
const HELD: usize = 32;

/// The bytes of a block's cells, and the distances of those that are far.
type Block = Arc<(Vec<u8>, Vec<u16>)>;

/// Blocks with their numbers, those asked for last behind the others.
type Shard = Mutex<VecDeque<(u64, Block)>>;

/// The values of all positions of a game with hands, in a file. It takes 32 mebibytes of memory at most, and 8 bytes for each
/// 4096 cells.
pub struct DenseReader<'r> {
    layout: Layout<'r>,
    file: BlockFile,
    held: Box<[Shard]>,
}

impl<'r> DenseReader<'r> {
    /// Opens a solved table.
    ///
    /// # Errors
    /// If it is none of the game, not finished, or damaged in what is not a block.
    pub fn open(rules: &'r Rules, source: Box<dyn ReadAt>) -> Result<DenseReader<'r>, LoadError> {
        let file = BlockFile::open(rules, source)?;
        if file.level.is_some() {
            return Err(LoadError::Unfinished);
        }
        let held = (0..SHARDS).map(|_| Mutex::default()).collect();
        Ok(DenseReader { layout: lay_out(rules, false)?, file, held })
    }

    /// The rules that the table is for.
    pub fn rules(&self) -> &'r Rules {
        self.layout.rules
    }

    /// The value of a position; `None` if it is none of the game.
    ///
    /// # Errors
    /// If the block that holds it is damaged or cannot be read.
    pub fn value<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Option<Value>, LoadError> {
        let cell = match cell_or_value(&self.layout, position) {
            Ok(cell) => cell,
            Err(value) => return Ok(value),
        };
        let block = self.block(cell / BLOCK as u64)?;
        let (values, far) = &*block;
        let at = (cell % BLOCK as u64) as usize;
        let before = || values[..at].iter().filter(|&&value| is_far(value)).count();
        Ok(value_of(values[at], || far.get(before()).copied()))
    }

    /// A block, from memory if it is there.
    fn block(&self, number: u64) -> Result<Block, LoadError> {
        let shard = &self.held[(number % SHARDS) as usize];
        let held = || shard.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut held = held();
            if let Some(at) = held.iter().rposition(|(n, _)| *n == number)
                && let Some(found) = held.remove(at)
            {
                let block = found.1.clone();
                held.push_back(found);
                return Ok(block);
            }
        }
        let block = Arc::new(self.file.read(&self.layout, number)?);
        let mut held = held();
        if held.len() >= HELD {
            held.pop_front();
        }
        held.push_back((number, block.clone()));
        Ok(block)
    }
}

impl fmt::Debug for DenseReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DenseReader").field("cells", &self.layout.cells()).finish_non_exhaustive()
    }
}

/// For searchers: what cannot be read is not known.
impl<S: RuleSubset, const N: usize> Probe<ChessLike<'_, S, N>> for DenseReader<'_> {
    fn probe_wdl(&self, position: &ChessLike<'_, S, N>) -> Option<Outcome> {
        Probe::probe(self, position).map(Value::outcome)
    }

    fn probe(&self, position: &ChessLike<'_, S, N>) -> Option<Value> {
        self.value(position).ok().flatten()
    }
}
