//! Walks through the runs of a graph in blocks: making all moves, and taking moves back from what is decided.
//!
//! A walk goes from run to run in the order of their keys. What it finds in a run marks it for the next walk, or for this one if
//! it is still to come.

use crate::blocks::{Blocks, Finder, PARTS, Place, Run};
use crate::control::{Budget, Control, MAX_MOVES, Phase, Progress, Stop, check};
use crate::keyed::Game;
use crate::propagate::{Far, update};
use crate::subsets::Ranked;
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel::{self, Shared};
use jewel_engine::value::Side;
use rayon::slice::ParallelSliceMut;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};

/// The positions of a graph in blocks, as far as it has been enumerated.
#[derive(Debug)]
pub(crate) struct Walk<K> {
    pub(crate) blocks: Blocks<K>,
    /// The runs with positions whose moves have not been made.
    waiting: Vec<Run<K>>,
    pub(crate) found: u64,
    pub(crate) expanded: u64,
    pub(crate) edges: u64,
}

/// The mark of a run that is among those that wait.
const WAITS: u16 = 1;
/// Runs that a thread takes at a time.
const SHARE: usize = 1 << 7;
/// Runs for each thread between two reports.
const ROUND: usize = 1 << 11;
/// Keys that are looked up together, about.
const KEYS: usize = 1 << 8;

/// Bytes of a position that is kept by its key, about.
const HASHED_BYTES: u64 = 20;
/// Bytes of a position that runs do not fall below if they have more than [`SMALL`]. Where they end with 8 bytes, they have up to 110 on
/// the way, and where they end with 300 they have more than 200.
const HOPELESS_BYTES: u64 = 130;
/// Bytes that may be empty, whatever the game.
const SMALL: u64 = 8 << 20;
/// Bytes that may be empty where there is hope: this part of the memory, and no more than that.
const PART_OF_MEMORY: u64 = 8;
const LARGE: u64 = 1 << 30;

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walked {
    /// Every position that can be reached is found.
    Everything,
    /// The blocks have so few positions in them that it is better to go on without them.
    IntoSparseBlocks,
}

impl<K: PackedKey> Walk<K> {
    /// No positions.
    pub(crate) fn new(ranked: Ranked) -> Walk<K> {
        Walk { blocks: Blocks::new(ranked), waiting: Vec::new(), found: 0, expanded: 0, edges: 0 }
    }

    /// Adds a position, and returns whether it is new.
    pub(crate) fn add(&mut self, key: K, word: Word, budget: &Budget) -> Result<bool, Stop> {
        let (run, new) = self.blocks.add(key, word, budget)?;
        if new {
            self.found += 1;
            if word != Word::UNEXPANDED {
                self.expanded += 1;
            } else if mark(self.blocks.marks(run), WAITS) {
                self.waiting.push(run);
            }
        }
        Ok(new)
    }

    /// Whether the runs are so empty that keys take less. While most positions wait, most of their successors have no place yet; and
    /// a run is made for the first of its positions, so that runs are emptier on the way than in the end.
    fn is_sparse(&self, memory: u64) -> bool {
        let waiting = self.found - self.expanded;
        let (bytes, expected) = (self.blocks.bytes(), self.found + 3 * waiting);
        let hoped = SMALL.max(LARGE.min(memory / PART_OF_MEMORY));
        bytes > SMALL + HOPELESS_BYTES * expected || bytes > hoped + HASHED_BYTES * expected
    }

    /// Finds every position that can be reached from those that are there.
    pub(crate) fn enumerate(&mut self, game: Game<'_, K>, control: &mut Control<'_>) -> Result<Walked, Stop> {
        let limits = control.limits();
        let mut threads = rayon::current_num_threads();
        loop {
            control.check_interrupt()?;
            if self.waiting.is_empty() {
                return Ok(Walked::Everything);
            }
            if self.is_sparse(limits.memory) {
                return Ok(Walked::IntoSparseBlocks);
            }
            let mut walk = std::mem::take(&mut self.waiting);
            walk.par_sort_unstable();
            let mut rest = &walk[..];
            while !rest.is_empty() {
                let (round, later) = rest.split_at(rest.len().min(ROUND * threads));
                let job = Job {
                    blocks: &self.blocks,
                    game,
                    budget: Budget::new(self.blocks.bytes(), limits),
                    left: AtomicU64::new(limits.max_positions.saturating_sub(self.found)),
                    interrupt: control.interrupt(),
                };
                // A few runs are not worth the way to another thread.
                let results: Vec<Found<K>> = if threads == 1 || round.len() <= MANY {
                    vec![job.worker().expand_all(round)]
                } else {
                    let workers = Shared::new(|| job.worker());
                    parallel::map_chunks(round, SHARE, |share| {
                        workers.with(|worker| worker.expand_all(share))
                    })
                };
                rest = later;
                let mut stop = None;
                for found in results {
                    self.found += found.new;
                    self.expanded += found.expanded;
                    self.edges += found.edges;
                    self.waiting.extend(found.waiting);
                    stop = stop.or(found.stop);
                }
                control.report(Progress {
                    phase: Phase::Enumerate,
                    done: self.expanded,
                    known: self.found,
                    memory: self.blocks.bytes(),
                });
                let stop = match stop {
                    Some(Stop::Positions { .. }) if self.found < limits.max_positions => {
                        // What one thread had put by, another had no use for: one thread alone meets the limit exactly.
                        threads = 1;
                        Ok(())
                    }
                    Some(Stop::Positions { .. }) => Err(Stop::Positions { limit: limits.max_positions }),
                    Some(stop) => Err(stop),
                    None => control.check_interrupt(),
                };
                if let Err(stop) = stop {
                    self.waiting.extend(rest);
                    return Err(stop);
                }
            }
        }
    }
}

/// Sets a mark, and returns whether it was not set before. The words of a new run are all ones where marks are, so that a mark is
/// set where there is none.
#[inline(always)]
fn mark(marks: &AtomicU16, mark: u16) -> bool {
    // In this order: who clears the mark and then reads the words either sees what was written before, or leaves the mark to
    // be set here.
    marks.load(Ordering::SeqCst) & mark != 0 && marks.fetch_and(!mark, Ordering::SeqCst) & mark != 0
}

/// Clears a mark.
#[inline(always)]
fn clear(marks: &AtomicU16, mark: u16) {
    marks.fetch_or(mark, Ordering::SeqCst);
}

/// What the threads of a round have in common.
struct Job<'a, K> {
    blocks: &'a Blocks<K>,
    game: Game<'a, K>,
    budget: Budget,
    /// Positions that may still be added.
    left: AtomicU64,
    interrupt: &'a AtomicBool,
}

impl<K: PackedKey> Job<'_, K> {
    fn worker(&self) -> Worker<'_, K> {
        Worker { job: self, finder: self.blocks.finder(), keys: Vec::new(), made: Vec::new() }
    }

    /// Takes some of the positions that may still be added: few if few are left, so that one thread does not keep them from
    /// another.
    fn take_some(&self) -> Result<u64, Stop> {
        let some = |left: u64| (left / 64).clamp(1, 1 << 12);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left > 0).then(|| left - some(left)));
        // The limit is filled in by who knows it.
        taken.map(some).map_err(|_| Stop::Positions { limit: 0 })
    }
}

/// What making the moves of some runs has found.
struct Found<K> {
    new: u64,
    expanded: u64,
    edges: u64,
    waiting: Vec<Run<K>>,
    stop: Option<Stop>,
}

/// A thread that makes moves.
struct Worker<'a, K> {
    job: &'a Job<'a, K>,
    finder: Finder<'a, K>,
    /// Successors that have not been looked up.
    keys: Vec<K>,
    /// The words of the positions whose successors they are, and what is known of these.
    made: Vec<(&'a AtomicU16, Word)>,
}

impl<K: PackedKey> Worker<'_, K> {
    /// Makes the moves of the positions of some runs. Where it stops, the other runs go on waiting.
    fn expand_all(&mut self, share: &[Run<K>]) -> Found<K> {
        let mut found = Found { new: 0, expanded: 0, edges: 0, waiting: Vec::new(), stop: None };
        let mut left = 0;
        for (n, &run) in share.iter().enumerate() {
            let ready = check(self.job.interrupt);
            let done = ready.and_then(|()| self.expand(run, &mut left, &mut found));
            if let Err(stop) = done {
                self.keys.clear();
                self.made.clear();
                // A run that it has not come to still has its mark. Another may have got it again, and waits already.
                if ready.is_err() || mark(self.job.blocks.marks(run), WAITS) {
                    found.waiting.push(run);
                }
                found.waiting.extend(&share[n + 1..]);
                found.stop = Some(stop);
                break;
            }
        }
        self.job.left.fetch_add(left, Ordering::Relaxed);
        found
    }

    fn expand(&mut self, run: Run<K>, left: &mut u64, found: &mut Found<K>) -> Result<(), Stop> {
        let blocks = self.job.blocks;
        clear(blocks.marks(run), WAITS);
        for (number, word) in blocks.words_of(run).iter().enumerate() {
            if word.load(Ordering::SeqCst) != Word::UNEXPANDED.0 {
                continue;
            }
            let before = self.keys.len();
            let (side, outcome) = self.job.game.expand(blocks.key(run, number), &mut self.keys);
            let moves = self.keys.len() - before;
            if moves > MAX_MOVES {
                return Err(Stop::Moves { moves });
            }
            let known = match outcome {
                Some(outcome) => Word::finished(side, outcome),
                None => Word::open(side, moves),
            };
            self.made.push((word, known));
            if self.keys.len() >= KEYS {
                self.add(left, found)?;
            }
        }
        self.add(left, found)
    }

    /// Adds the successors that are new, and then the words of the positions before them.
    fn add(&mut self, left: &mut u64, found: &mut Found<K>) -> Result<(), Stop> {
        let blocks = self.job.blocks;
        let places = self.finder.find_or_make(&self.keys, &self.job.budget)?;
        for (&key, &Place { word, marks, run }) in self.keys.iter().zip(places) {
            if word.load(Ordering::Relaxed) != Word::ABSENT.0 {
                continue;
            }
            if *left == 0 {
                *left = self.job.take_some()?;
            }
            let [absent, new] = [Word::ABSENT.0, Word::UNEXPANDED.0];
            if word.compare_exchange(absent, new, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                *left -= 1;
                found.new += 1;
                if mark(marks, WAITS) {
                    found.waiting.push(blocks.run_of(key, run));
                }
            }
        }
        for (word, known) in self.made.drain(..) {
            word.store(known.0, Ordering::Relaxed);
            found.expanded += 1;
        }
        found.edges += self.keys.len() as u64;
        self.keys.clear();
        Ok(())
    }
}

/// The fewest runs for which several threads pay.
const MANY: usize = 1 << 4;

/// What taking moves back has decided.
#[derive(Debug)]
pub(crate) struct Decided<K> {
    /// The runs in which it did.
    pub(crate) runs: Vec<Run<K>>,
    pub(crate) positions: u64,
    /// The keys of the positions, if their distance does not fit into a word.
    pub(crate) far: Vec<K>,
}

impl<K> Decided<K> {
    fn none() -> Decided<K> {
        Decided { runs: Vec::new(), positions: 0, far: Vec::new() }
    }

    fn and(mut self, other: Decided<K>) -> Decided<K> {
        self.runs.extend(other.runs);
        self.far.extend(other.far);
        self.positions += other.positions;
        self
    }
}

/// The mark of the runs in which something is decided at a distance.
fn mark_of(distance: u32) -> u16 {
    1 << (1 + distance % 2)
}

/// Which words are those of positions that are won by somebody in a number of plies.
struct Decisive<'a, K> {
    distance: u32,
    /// What the words look like, side and winner aside.
    pattern: Word,
    far: &'a Far<K>,
}

impl<'a, K: PackedKey> Decisive<'a, K> {
    fn new(distance: u32, far: &'a Far<K>) -> Decisive<'a, K> {
        Decisive { distance, pattern: Word(0).decided(false, distance), far }
    }

    #[inline(always)]
    fn winner(&self, word: Word, key: impl FnOnce() -> K) -> Option<Side> {
        if word.without_sides() != self.pattern {
            return None;
        }
        let fits = !word.is_far() || self.far.get(&key()) == Some(&self.distance);
        if fits { word.winner() } else { None }
    }
}

/// The positions that are won by somebody in a number of plies.
pub(crate) fn decided_at<K: PackedKey>(blocks: &Blocks<K>, distance: u32, far: &Far<K>) -> Decided<K> {
    let decisive = Decisive::new(distance, far);
    let in_part = |part| {
        let mut decided = Decided::none();
        for run in blocks.runs_of_part(part) {
            let positions = blocks.positions_of(run);
            let found = positions.filter(|(_, key, word)| decisive.winner(*word, || *key).is_some()).count();
            if found > 0 {
                mark(blocks.marks(run), mark_of(distance));
                decided.runs.push(run);
                decided.positions += found as u64;
            }
        }
        decided
    };
    let parts = parallel::map(PARTS, in_part);
    let mut decided = parts.into_iter().fold(Decided::none(), Decided::and);
    decided.runs.par_sort_unstable();
    decided
}

/// Updates the predecessors of the positions of `last` that are decided at the distance before `distance`, and returns those
/// that this decides.
pub(crate) fn wave<K: PackedKey>(
    blocks: &Blocks<K>,
    game: Game<'_, K>,
    last: &[Run<K>],
    distance: u32,
    far: &Far<K>,
) -> Decided<K> {
    let before = Decisive::new(distance - 1, far);
    let taker = || Taker {
        blocks,
        game,
        distance,
        before: &before,
        finder: blocks.finder(),
        keys: [Vec::new(), Vec::new()],
    };
    let mut decided = if rayon::current_num_threads() == 1 || last.len() < MANY {
        let mut decided = Decided::none();
        taker().take_all::<false>(last, &mut decided);
        decided
    } else {
        let share = last.len().div_ceil(8 * rayon::current_num_threads()).min(SHARE);
        let takers = Shared::new(taker);
        let shares = parallel::map_chunks(last, share, |share| {
            let mut decided = Decided::none();
            takers.with(|taker| taker.take_all::<true>(share, &mut decided));
            decided
        });
        shares.into_iter().fold(Decided::none(), Decided::and)
    };
    decided.runs.par_sort_unstable();
    decided
}

/// A thread that takes moves back.
struct Taker<'a, K> {
    blocks: &'a Blocks<K>,
    game: Game<'a, K>,
    distance: u32,
    before: &'a Decisive<'a, K>,
    finder: Finder<'a, K>,
    /// Predecessors that have not been looked up, by the side that wins after the move.
    keys: [Vec<K>; 2],
}

impl<K: PackedKey> Taker<'_, K> {
    fn take_all<const SHARED: bool>(&mut self, share: &[Run<K>], decided: &mut Decided<K>) {
        for &run in share {
            clear(self.blocks.marks(run), mark_of(self.distance - 1));
            for (number, word) in self.blocks.words_of(run).iter().enumerate() {
                let word = Word(word.load(Ordering::Relaxed));
                let key = || self.blocks.key(run, number);
                let Some(winner) = self.before.winner(word, key) else { continue };
                self.game.unmoves(key(), winner, &mut self.keys);
                if self.keys.iter().map(Vec::len).sum::<usize>() >= KEYS {
                    Side::BOTH.into_iter().for_each(|winner| self.update::<SHARED>(winner, decided));
                }
            }
        }
        Side::BOTH.into_iter().for_each(|winner| self.update::<SHARED>(winner, decided));
    }

    fn update<const SHARED: bool>(&mut self, winner: Side, decided: &mut Decided<K>) {
        let keys = &mut self.keys[winner.index()];
        for (&key, &Place { word, marks, run }) in keys.iter().zip(self.finder.find(keys)) {
            if update::<SHARED>(word, winner, self.distance) {
                decided.positions += 1;
                if mark(marks, mark_of(self.distance)) {
                    decided.runs.push(self.blocks.run_of(key, run));
                }
                if self.distance > Word::LONGEST {
                    decided.far.push(key);
                }
            }
        }
        keys.clear();
    }
}
