//! Finding every position that can be reached, layer by layer.

use super::manifest::{Folder, Step};
use super::run::{Cursor, Run, RunWriter};
use super::sorter::{Key, Sorter};
use super::{DiskError, Options};
use crate::control::{Control, MAX_POSITIONS, Phase, Progress, Stop};
use crate::key_graph::make_moves;
use crate::keyed::Game;
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use std::mem;

/// Positions that a thread takes at a time.
const SHARE: usize = 1 << 8;
/// Records between two looks at the interrupt flag.
const LONG: u64 = 1 << 16;

/// Finds the positions, in one run in the end.
pub(super) fn run<K: PackedKey>(
    folder: &mut Folder,
    game: Game<'_, K>,
    options: Options,
    control: &mut Control<'_>,
) -> Result<(), DiskError> {
    if folder.step > Step::Enumerate {
        return Ok(());
    }
    let mut found = Found::<K>::open(folder, game)?;
    let done = found.all_layers(folder, game, options, control);
    // The last layer that is whole.
    let saved = folder.save();
    done.and(saved)
}

/// The positions found so far.
struct Found<K> {
    runs: Vec<(u64, Run<K>)>,
    frontier: Run<K>,
}

impl<K: PackedKey> Found<K> {
    fn open(folder: &mut Folder, game: Game<'_, K>) -> Result<Found<K>, DiskError> {
        let open = |&number: &u64| Ok((number, Run::open(folder.path(number))?));
        let runs = folder.runs.iter().map(open).collect::<Result<_, DiskError>>()?;
        let frontier = if folder.frontier == 0 {
            folder.frontier = folder.new_file();
            let mut first = RunWriter::create(folder.path(folder.frontier))?;
            if folder.runs.is_empty() {
                first.push(game.root(), Word::UNEXPANDED)?;
            }
            first.finish()?
        } else {
            Run::open(folder.path(folder.frontier))?
        };
        Ok(Found { runs, frontier })
    }

    fn expanded(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.len()).sum()
    }

    fn found(&self) -> u64 {
        self.expanded() + self.frontier.len()
    }

    fn all_layers(
        &mut self,
        folder: &mut Folder,
        game: Game<'_, K>,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<(), DiskError> {
        while self.frontier.len() > 0 {
            let limit = control.limits().max_positions;
            if self.found() > limit {
                return Err(
                    if limit < MAX_POSITIONS { Stop::Positions { limit } } else { Stop::Overflow }.into()
                );
            }
            self.layer(folder, game, options, control)?;
            if folder.is_due(options.checkpoint) {
                folder.save()?;
            }
        }
        while self.runs.len() > 1 {
            self.merge_last(folder, control)?;
        }
        let last = mem::take(&mut folder.frontier);
        folder.discard(last);
        folder.step = if game.has_unmoves() { Step::Propagate } else { Step::Link };
        Ok(())
    }

    /// Makes the moves of the frontier; what is new is the next one.
    fn layer(
        &mut self,
        folder: &mut Folder,
        game: Game<'_, K>,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<(), DiskError> {
        let number = folder.new_file();
        let mut expanded = RunWriter::create(folder.path(number))?;
        let mut sorter = Sorter::new(options.sorted, true, folder.temporary())?;
        let mut cursor = self.frontier.cursor();
        let (before, known) = (self.expanded(), self.found());
        let (mut edges, mut done) = (0, 0);
        loop {
            let batch = batch(&mut cursor, options.batch)?;
            if batch.is_empty() {
                break;
            }
            control.check_interrupt()?;
            for (words, keys) in expand(&batch, game)? {
                let of_share = &batch[done as usize % options.batch..][..words.len()];
                of_share.iter().zip(&words).try_for_each(|(&key, &word)| expanded.push(key, word))?;
                done += words.len() as u64;
                edges += keys.len() as u64;
                sorter.extend(keys.into_iter().map(Key))?;
            }
            let memory = (options.sorted * K::BYTES) as u64;
            control.report(Progress { phase: Phase::Enumerate, done: before + done, known, memory });
        }
        let expanded = expanded.finish()?;
        let next = folder.new_file();
        let mut frontier = RunWriter::create(folder.path(next))?;
        let mut merged = sorter.finish()?;
        {
            let mut cursors: Vec<Cursor<'_, K>> = self.runs.iter().map(|(_, run)| run.cursor()).collect();
            cursors.push(expanded.cursor());
            let mut count = 0_u64;
            while let Some(Key(key)) = merged.next()? {
                count += 1;
                if count.is_multiple_of(LONG) {
                    control.check_interrupt()?;
                }
                let mut is_known = false;
                for cursor in &mut cursors {
                    if cursor.find(key)?.is_some() {
                        is_known = true;
                        break;
                    }
                }
                if !is_known {
                    frontier.push(key, Word::UNEXPANDED)?;
                }
            }
        }
        self.frontier = frontier.finish()?;
        self.runs.push((number, expanded));
        let before = mem::replace(&mut folder.frontier, next);
        folder.discard(before);
        folder.runs.push(number);
        folder.edges += edges;
        // Few runs, each at least twice as long as the next.
        while let [.., (_, one), (_, other)] = &self.runs[..]
            && 2 * other.len() > one.len()
        {
            self.merge_last(folder, control)?;
        }
        Ok(())
    }

    /// Merges the last two runs.
    fn merge_last(&mut self, folder: &mut Folder, control: &Control<'_>) -> Result<(), DiskError> {
        let [.., (_, one), (_, other)] = &self.runs[..] else { return Ok(()) };
        let number = folder.new_file();
        let mut out = RunWriter::create(folder.path(number))?;
        let (mut one, mut other, mut count) = (one.cursor(), other.cursor(), 0_u64);
        loop {
            let (next, cursor) = match (one.peek()?, other.peek()?) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 < b.0 => (a, &mut one),
                (Some(a), None) => (a, &mut one),
                (_, Some(b)) => (b, &mut other),
            };
            out.push(next.0, next.1)?;
            cursor.next()?;
            count += 1;
            if count.is_multiple_of(LONG) {
                control.check_interrupt()?;
            }
        }
        let merged = out.finish()?;
        for _ in 0..2 {
            self.runs.pop();
            folder.runs.pop().into_iter().for_each(|number| folder.discard(number));
        }
        self.runs.push((number, merged));
        folder.runs.push(number);
        Ok(())
    }
}

/// The next keys of a run.
pub(super) fn batch<K: PackedKey>(cursor: &mut Cursor<'_, K>, most: usize) -> Result<Vec<K>, DiskError> {
    let mut batch = Vec::new();
    while batch.len() < most
        && let Some((key, _)) = cursor.next()?
    {
        batch.push(key);
    }
    Ok(batch)
}

/// The words of some positions, and the keys after all their moves.
pub(super) type Expanded<K> = (Vec<Word>, Vec<K>);

/// Makes the moves of positions, share by share.
pub(super) fn expand<K: PackedKey>(batch: &[K], game: Game<'_, K>) -> Result<Vec<Expanded<K>>, Stop> {
    let share = |share: &[K]| {
        let mut keys = Vec::with_capacity(share.len() * 8);
        let words = share.iter().map(|&key| make_moves(key, game, &mut keys));
        Ok((words.collect::<Result<_, Stop>>()?, keys))
    };
    parallel::map_chunks(batch, SHARE, share).into_iter().collect()
}
