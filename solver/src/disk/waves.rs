//! Deciding the positions of a run, one ply of distance at a time.

use super::lists::{self, Lists};
use super::manifest::{Folder, Step};
use super::run::{Cursor, Run};
use super::sorter::{Input, Output, Record};
use super::{DiskError, Options, at};
use crate::control::{Control, Phase, Progress};
use crate::keyed::Game;
use crate::memory::allocate;
use crate::propagate::{Far, told};
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use jewel_engine::value::Side;
use jewel_tables::map::ScratchMap;
use rayon::slice::ParallelSliceMut;
use std::fs::File;

/// Positions that a thread takes back at a time.
const SHARE: usize = 1 << 8;

/// A position that is decided: its place in the run, and who wins it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Decided(u64);

impl Decided {
    fn new(place: u64, winner: Side) -> Decided {
        Decided(place << 1 | winner.index() as u64)
    }

    fn place(self) -> u64 {
        self.0 >> 1
    }

    fn winner(self) -> Side {
        Side::BOTH[(self.0 & 1) as usize]
    }
}

impl Record for Decided {
    const BYTES: usize = 8;

    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        Decided(u64::read(bytes))
    }
}

/// A distance that does not fit into a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Distance<K>(K, u32);

impl<K: PackedKey> Record for Distance<K> {
    const BYTES: usize = K::BYTES + 4;

    fn write(self, bytes: &mut [u8]) {
        let (key, distance) = bytes.split_at_mut(K::BYTES);
        self.0.write(key);
        distance.copy_from_slice(&self.1.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        let (key, distance) = bytes.split_at(K::BYTES);
        Distance(K::read(key), distance.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte)))
    }
}

/// Decides all positions that can be decided, and returns the distances that do not fit into words.
pub(super) fn run<K: PackedKey>(
    folder: &mut Folder,
    game: Game<'_, K>,
    options: Options,
    control: &mut Control<'_>,
) -> Result<Far<K>, DiskError> {
    let run: Run<K> = folder.whole_run()?;
    folder.check()?;
    if folder.step == Step::Link {
        folder.lists = lists::write(folder, &run, game, options, control)?;
        folder.step = Step::Propagate;
        folder.save()?;
    }
    let mut far = Far::new();
    if folder.far != 0 {
        let mut input = Input::open(folder.path(folder.far), Distance::<K>::BYTES as u64)?;
        while let Some(Distance(key, distance)) = input.next()? {
            far.insert(key, distance);
        }
    }
    if folder.step == Step::Solved {
        return Ok(far);
    }
    let mut waves = Waves::open(folder, &run, far)?;
    let before = if game.has_unmoves() {
        Before::Unmoves(game)
    } else {
        Before::Lists(Box::new(Lists::open(folder.path(folder.lists), run.len())?))
    };
    waves.all(folder, before, options, control)?;
    Ok(waves.far)
}

/// Where predecessors come from.
enum Before<'a, K> {
    Unmoves(Game<'a, K>),
    Lists(Box<Lists>),
}

struct Waves<'a, K> {
    run: &'a Run<K>,
    words: Words,
    /// The file of the last wave, and the number of its positions.
    last: u64,
    count: u64,
    done: u32,
    decided: u64,
    far: Far<K>,
}

impl<'a, K: PackedKey> Waves<'a, K> {
    fn open(folder: &mut Folder, run: &'a Run<K>, far: Far<K>) -> Result<Waves<'a, K>, DiskError> {
        let mut words = Words::create(folder, run.len())?;
        if folder.words != 0 {
            words.copy(folder)?;
            let last = Input::open(folder.path(folder.wave), 8)?;
            let (done, decided) = (folder.done as u32, folder.decided);
            return Ok(Waves { run, words, last: folder.wave, count: last.left(), done, decided, far });
        }
        // The first wave: the games that are over and won.
        let last = folder.new_file();
        let mut out = Output::create(folder.path(last))?;
        let (mut cursor, mut place, mut count) = (run.cursor(), 0, 0);
        while let Some((_, word)) = cursor.next()? {
            words.set(place, word);
            if let Some(winner) = word.winner() {
                out.push(Decided::new(place, winner))?;
                count += 1;
            }
            place += 1;
        }
        out.finish()?;
        Ok(Waves { run, words, last, count, done: 1, decided: count, far })
    }

    fn all(
        &mut self,
        folder: &mut Folder,
        mut before: Before<'_, K>,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<(), DiskError> {
        let memory = self.run.bytes() + (options.sorted * size_of::<(K, Side)>()) as u64;
        while self.count > 0 {
            let progress =
                Progress { phase: Phase::Propagate, done: self.decided, known: self.run.len(), memory };
            control.report(progress);
            let interrupted = control.check_interrupt();
            if interrupted.is_err() || folder.is_due(options.checkpoint) {
                self.save(folder)?;
            }
            interrupted?;
            let (next, count) = self.wave(folder, &mut before, options, control)?;
            if self.last != folder.wave {
                folder.discard(self.last);
            }
            (self.last, self.count) = (next, count);
            self.done += 1;
            self.decided += count;
        }
        folder.step = Step::Solved;
        self.save(folder)
    }

    /// Saves what is known, between two waves.
    fn save(&self, folder: &mut Folder) -> Result<(), DiskError> {
        let words = self.words.save(folder)?;
        let mut far = 0;
        if !self.far.is_empty() {
            far = folder.new_file();
            let mut out = Output::create(folder.path(far))?;
            self.far.iter().try_for_each(|(&key, &distance)| out.push(Distance(key, distance)))?;
            out.finish()?;
        }
        for (named, new) in [(folder.words, words), (folder.wave, self.last), (folder.far, far)] {
            if named != 0 && named != new {
                folder.discard(named);
            }
        }
        (folder.words, folder.wave, folder.far) = (words, self.last, far);
        folder.sums = [folder.sum(words)?, folder.sum(self.last)?, folder.sum(far)?];
        (folder.done, folder.decided) = (self.done.into(), self.decided);
        folder.save()
    }

    /// Tells the predecessors of the last wave; the file of those that this decides, and their number.
    fn wave(
        &mut self,
        folder: &mut Folder,
        before: &mut Before<'_, K>,
        options: Options,
        control: &Control<'_>,
    ) -> Result<(u64, u64), DiskError> {
        let next = folder.new_file();
        let mut out = Output::create(folder.path(next))?;
        let mut count = 0;
        let mut input = Input::open(folder.path(self.last), 8)?;
        let mut places = self.run.cursor();
        let (mut keys, mut told): (Vec<(K, Side)>, Vec<Decided>) = match before {
            Before::Unmoves(_) => (allocate(options.sorted)?, Vec::new()),
            Before::Lists(_) => (Vec::new(), allocate(options.sorted)?),
        };
        loop {
            let mut batch = Vec::new();
            while batch.len() < options.batch
                && let Some(decided) = input.next::<Decided>()?
            {
                batch.push(decided);
            }
            control.check_interrupt()?;
            let is_last = batch.is_empty();
            match before {
                Before::Unmoves(game) => {
                    let known =
                        batch.iter().map(|decided| Ok((places.key(decided.place())?, decided.winner())));
                    let known = known.collect::<Result<Vec<_>, DiskError>>()?;
                    for some in taken_back(&known, *game) {
                        keys.extend(some);
                    }
                }
                Before::Lists(lists) => {
                    for decided in batch {
                        let places = lists.of(decided.place())?.iter();
                        told.extend(places.map(|&place| Decided::new(place, decided.winner())));
                    }
                }
            }
            if is_last || keys.len().max(told.len()) >= options.sorted {
                keys.par_sort_unstable_by_key(|&(key, _)| key);
                let mut cursor = self.run.cursor();
                for (key, winner) in keys.drain(..) {
                    if let Some(place) = cursor.find(key)? {
                        count += self.tell(Decided::new(place, winner), key, &mut out)?;
                    }
                }
                told.par_sort_unstable();
                for decided in told.drain(..) {
                    let key = |places: &mut Cursor<'_, K>| places.key(decided.place());
                    // Only long distances need the key.
                    let key = if self.done > Word::LONGEST { key(&mut places)? } else { K::ZERO };
                    count += self.tell(decided, key, &mut out)?;
                }
            }
            if is_last {
                out.finish()?;
                return Ok((next, count));
            }
        }
    }

    /// Tells a position that a move leads to a win; 1 if that decides it.
    fn tell(&mut self, before: Decided, key: K, out: &mut Output) -> Result<u64, DiskError> {
        let (place, known) = (before.place(), self.words.get(before.place()));
        let Some((word, decides)) = told(known, before.winner(), self.done) else { return Ok(0) };
        self.words.set(place, word);
        if !decides {
            return Ok(0);
        }
        if word.is_far() {
            self.far.insert(key, self.done);
        }
        if let Some(winner) = word.winner() {
            out.push(Decided::new(place, winner))?;
        }
        Ok(1)
    }
}

/// The keys before some positions, with who wins there.
fn taken_back<K: PackedKey>(known: &[(K, Side)], game: Game<'_, K>) -> Vec<Vec<(K, Side)>> {
    let share = |share: &[(K, Side)]| {
        let mut keys = [const { Vec::new() }; 2];
        share.iter().for_each(|&(key, winner)| game.unmoves(key, winner, &mut keys));
        let of_side = |(keys, winner): (Vec<K>, Side)| keys.into_iter().map(move |key| (key, winner));
        keys.into_iter().zip(Side::BOTH).flat_map(of_side).collect()
    };
    parallel::map_chunks(known, SHARE, share)
}

/// The words of all positions, in a file of their own that the system moves in and out of memory.
struct Words(ScratchMap);

impl Words {
    fn create(folder: &mut Folder, len: u64) -> Result<Words, DiskError> {
        let path = folder.temporary()(0);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(at(&path))?;
        let map = ScratchMap::create(&file, 0, 2 * len as usize, 0).map_err(at(&path))?;
        // It is of no use to anybody else, and gone with the map where a system allows that.
        let _ = std::fs::remove_file(&path);
        Ok(Words(map))
    }

    /// Takes the words that were saved.
    fn copy(&mut self, folder: &Folder) -> Result<(), DiskError> {
        let path = folder.path(folder.words);
        let mut saved = File::open(&path).map_err(at(&path))?;
        std::io::Read::read_exact(&mut saved, self.0.bytes_mut()).map_err(at(&path))
    }

    /// Writes all words to a new file, and returns its number.
    fn save(&self, folder: &mut Folder) -> Result<u64, DiskError> {
        let number = folder.new_file();
        let path = folder.path(number);
        std::fs::write(&path, self.0.bytes()).map_err(at(&path))?;
        Ok(number)
    }

    fn get(&self, place: u64) -> Word {
        let at = 2 * place as usize;
        Word(u16::from_le_bytes([self.0.bytes()[at], self.0.bytes()[at + 1]]))
    }

    fn set(&mut self, place: u64, word: Word) {
        self.0.bytes_mut()[2 * place as usize..][..2].copy_from_slice(&word.0.to_le_bytes());
    }
}
