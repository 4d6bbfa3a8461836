//! The graph of all positions that can be reached from a root.
//!
//! [`Graph`] makes the moves of the game; all work on keys is in `KeyGraph`, which is compiled once for each width of keys and
//! not for each game.

use crate::control::{Budget, Control, Limits, MAX_MOVES, Phase, Progress, Stop, check};
use crate::frontier::Frontier;
use crate::predecessors::{Lists, Predecessors};
use crate::propagate::Waves;
use crate::solution::Solution;
use crate::sorted::Sorted;
use crate::store::{Left, PARTS, Part, Store, part_of_key};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::{Outcome, Side};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// The reachable part of a game, as far as it has been enumerated and decided.
///
/// It is a set: what it holds in the end does not depend on the number of threads, nor on where limits stopped the work.
///
/// `K` must have at least the root's [`packed_bits`](Packed::packed_bits).
#[derive(Debug)]
pub struct Graph<P, K> {
    pub(crate) root: P,
    pub(crate) keys: KeyGraph<K>,
}

/// The positions found so far, and what is known of them.
#[derive(Debug)]
pub(crate) struct KeyGraph<K> {
    pub(crate) store: Store<K>,
    /// The positions whose moves have not been made.
    pub(crate) frontier: Frontier<K>,
    pub(crate) edges: u64,
    /// The positions that are decided.
    pub(crate) waves: Waves<K>,
}

/// Appends the keys of the successors of a position, and returns its side to move and how the game ended there.
pub(crate) type Expand<'a, K> = &'a (dyn Fn(K, &mut Vec<K>) -> (Side, Option<Outcome>) + Sync);
/// Appends the keys of the predecessors of a position.
pub(crate) type Unmoves<'a, K> = &'a (dyn Fn(K, &mut Vec<K>) + Sync);

/// Pieces of the frontier that a thread expands at a time.
const BLOCK: usize = 1 << 4;
/// Positions for each thread that are expanded before their successors are added: the more there are, the more come into one
/// part at a time.
const BATCH: usize = 1 << 16;
/// Parts of the store that one thread adds to at a time.
const SHARE: usize = PARTS / 32;

/// What making the moves of a block of positions has found.
struct Expansion<K> {
    words: Vec<Word>,
    /// One for each move.
    successors: Sorted<K>,
}

/// Makes the moves of a block of positions.
fn expand_block<K: PackedKey>(
    block: &[Vec<K>],
    expand: Expand<'_, K>,
    interrupt: &AtomicBool,
) -> Result<Expansion<K>, Stop> {
    let positions = block.iter().map(Vec::len).sum();
    let mut words = Vec::with_capacity(positions);
    let mut keys: Vec<K> = Vec::with_capacity(positions * 8);
    for piece in block {
        check(interrupt)?;
        for &key in piece {
            let before = keys.len();
            let (side, outcome) = expand(key, &mut keys);
            let moves = keys.len() - before;
            if moves > MAX_MOVES {
                return Err(Stop::Moves { moves });
            }
            words.push(match outcome {
                Some(outcome) => Word::finished(side, outcome),
                None => Word::open(side, moves),
            });
        }
    }
    Ok(Expansion { words, successors: Sorted::new(&keys) })
}

impl<P: Packed, K: PackedKey> Graph<P, K> {
    /// A graph of the root alone.
    ///
    /// # Panics
    /// If `K` is too narrow for the root.
    pub fn new(root: P) -> Self {
        Graph { root, keys: KeyGraph::new() }
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Positions found so far.
    pub fn positions(&self) -> u64 {
        self.keys.found()
    }

    /// Positions whose successors are all found; all of them when the graph is complete.
    pub fn expanded(&self) -> u64 {
        self.keys.expanded()
    }

    /// Positions that are known to be won or lost so far.
    pub fn decided(&self) -> u64 {
        self.keys.waves.decided
    }

    /// Moves from the expanded positions.
    pub fn edges(&self) -> u64 {
        self.keys.edges
    }

    /// Whether every position that can be reached has been found.
    pub fn is_complete(&self) -> bool {
        self.keys.is_complete()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes()
    }

    /// Finds every position that can be reached, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. The positions found so far stay: call again with larger limits, or [save](crate::state::save) the
    /// graph.
    pub fn enumerate(&mut self, control: &mut Control<'_>) -> Result<(), Stop> {
        let root = &self.root;
        let expand = |key: K, keys: &mut Vec<K>| root.expand(key, |key| keys.push(key));
        self.keys.enumerate(root.pack(), &expand, control)
    }

    /// Finds the value of every position, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. What has been decided so far stays: call again, or [save](crate::state::save) the graph.
    ///
    /// # Panics
    /// If the graph is not [complete](Graph::is_complete).
    pub fn solve(&mut self, control: &mut Control<'_>) -> Result<Solution<P, K>, Stop> {
        let root = &self.root;
        let expand = |key: K, keys: &mut Vec<K>| root.expand(key, |key| keys.push(key));
        let unmoves = |key: K, keys: &mut Vec<K>| root.unmoves(key, |key| keys.push(key));
        let unmoves: Option<Unmoves<'_, K>> = if root.has_unmoves() { Some(&unmoves) } else { None };
        self.keys.solve(&expand, unmoves, control)?;
        let keys = std::mem::replace(&mut self.keys, KeyGraph::new());
        Ok(Solution::new(self.root.clone(), keys.store, keys.waves.far, keys.edges))
    }

    /// Bytes that [`solve`](Graph::solve) takes in all, with those in use.
    pub fn bytes_to_solve(&self) -> u64 {
        self.keys.bytes_to_solve(!self.root.has_unmoves())
    }
}

impl<K: PackedKey> KeyGraph<K> {
    pub(crate) fn new() -> KeyGraph<K> {
        KeyGraph { store: Store::new(), frontier: Frontier::new(), edges: 0, waves: Waves::new() }
    }

    /// Positions found.
    pub(crate) fn found(&self) -> u64 {
        self.store.len() as u64
    }

    /// Positions whose successors are found.
    pub(crate) fn expanded(&self) -> u64 {
        (self.store.len() - self.frontier.len()) as u64
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.store.len() > 0 && self.frontier.len() == 0
    }

    fn bytes(&self) -> u64 {
        self.store.bytes() + self.frontier.bytes() + self.waves.bytes()
    }

    fn enumerate(&mut self, root: K, expand: Expand<'_, K>, control: &mut Control<'_>) -> Result<(), Stop> {
        if self.store.len() == 0 {
            let Limits { max_positions: 1.., .. } = control.limits() else {
                return Err(Stop::Positions { limit: 0 });
            };
            let mut room = [0; PARTS];
            room[part_of_key(root)] = 1;
            control.check_memory(self.store.bytes_with(&room) + self.frontier.bytes_with(1))?;
            self.store.reserve(&room)?;
            self.store.add(root, Word::UNEXPANDED);
            self.frontier.extend([root]);
        }
        loop {
            control.check_interrupt()?;
            let used = self.store.bytes() + self.frontier.bytes_with(1);
            let batch = self.frontier.take(BATCH * rayon::current_num_threads());
            if batch.is_empty() {
                return Ok(());
            }
            let budget = Budget::new(used, control.limits());
            if let Err(stop) = self.step(&batch, &budget, expand, control) {
                self.frontier.put_back(batch);
                return Err(stop);
            }
            control.report(self.progress(Phase::Enumerate, self.expanded()));
        }
    }

    fn progress(&self, phase: Phase, done: u64) -> Progress {
        Progress { phase, done, known: self.found(), memory: self.bytes() }
    }

    /// Makes the moves of a batch of positions. If it fails, it has added none of their words, though perhaps some of their
    /// successors.
    fn step(
        &mut self,
        batch: &[Vec<K>],
        budget: &Budget,
        expand: Expand<'_, K>,
        control: &Control<'_>,
    ) -> Result<(), Stop> {
        let blocks: Vec<&[Vec<K>]> = batch.chunks(BLOCK).collect();
        let interrupt = control.interrupt();
        let expansions: Vec<Result<Expansion<K>, Stop>> =
            blocks.par_iter().map(|block| expand_block(block, expand, interrupt)).collect();
        let expansions: Vec<Expansion<K>> = expansions.into_iter().collect::<Result<_, _>>()?;
        self.add(&expansions, budget, control.limits())?;
        let store = &self.store;
        blocks.par_iter().zip(&expansions).for_each(|(block, expansion)| {
            let mut words = expansion.words.iter();
            for keys in *block {
                store.find_all(keys, |_, slot| {
                    if let Some(word) = words.next() {
                        store.word(slot).store(word.0, Ordering::Relaxed);
                    }
                });
            }
        });
        self.edges += expansions.iter().map(|expansion| expansion.successors.len() as u64).sum::<u64>();
        Ok(())
    }

    /// Adds the new positions of a batch. If there are too many, it adds as many as the limits allow.
    fn add(&mut self, expansions: &[Expansion<K>], budget: &Budget, limits: Limits) -> Result<(), Stop> {
        let found = self.found();
        let most: u64 = expansions.iter().map(|expansion| expansion.successors.len() as u64).sum();
        // Near the limit one thread adds them in order, so that exactly as many are added as may be.
        let near = found + most > limits.max_positions;
        let size = if near { PARTS } else { SHARE };
        let added = self.store.map_parts(size, |share, parts: &mut [Part<K>]| {
            let mut left = Left::new(found, limits.max_positions);
            let mut new = Vec::new();
            let mut add = || {
                for (part, number) in parts.iter_mut().zip(share * size..) {
                    for expansion in expansions {
                        let keys = expansion.successors.of_part(number);
                        part.insert(number, keys, &mut left, budget, &mut new)?;
                    }
                }
                Ok(())
            };
            let done = add();
            (new, done)
        });
        let mut done = Ok(());
        for (new, added) in added {
            self.frontier.extend(new);
            done = done.and(added);
        }
        done
    }

    /// Decides all positions that can be decided.
    fn solve(
        &mut self,
        expand: Expand<'_, K>,
        unmoves: Option<Unmoves<'_, K>>,
        control: &mut Control<'_>,
    ) -> Result<(), Stop> {
        assert!(self.is_complete(), "only a complete graph can be solved");
        control.check_memory(self.bytes_to_solve(unmoves.is_none()))?;
        let lists;
        let predecessors = match unmoves {
            Some(unmoves) => Predecessors::Unmoves(unmoves),
            None => {
                control.report(self.progress(Phase::Link, 0));
                lists = Lists::new(&self.store, expand, control)?;
                Predecessors::Lists(&lists)
            }
        };
        let progress =
            Progress { memory: self.bytes_to_solve(unmoves.is_none()), ..self.progress(Phase::Propagate, 0) };
        self.waves.run(&self.store, &predecessors, progress, control)
    }

    fn bytes_to_solve(&self, lists: bool) -> u64 {
        let slots: u64 = self.store.parts().iter().map(|part| part.slots() as u64).sum();
        let lists = if lists { Lists::bytes(slots, self.edges) } else { 0 };
        self.store.bytes() + self.frontier.bytes() + Waves::<K>::bytes_for(self.found()) + lists
    }
}
