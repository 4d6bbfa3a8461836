//! The graph of all positions that can be reached from a root, by their keys.

use crate::blocks;
use crate::control::{Budget, Control, Limits, MAX_MOVES, Phase, Progress, Stop, check};
use crate::frontier::Frontier;
use crate::keyed::Game;
use crate::positions::Positions;
use crate::predecessors::{Lists, Predecessors};
use crate::propagate::{Ground, Waves};
use crate::solution::Solved;
use crate::sorted::Sorted;
use crate::store::{Left, PARTS, Part, Store, part_of_key};
use crate::subsets::Ranked;
use crate::sweeps::{Walk, Walked};
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use std::sync::atomic::{AtomicBool, Ordering};

/// The positions found so far, and what is known of them.
#[derive(Debug)]
pub(crate) struct KeyGraph<K> {
    pub(crate) found: Found<K>,
    /// The positions that are decided.
    pub(crate) waves: Waves<K>,
}

/// The positions found so far, kept in one of two ways.
#[derive(Debug)]
pub(crate) enum Found<K> {
    /// By their keys.
    Hashed(Hashed<K>),
    /// In blocks.
    Blocks(Walk<K>),
}

/// Positions by their keys.
#[derive(Debug)]
pub(crate) struct Hashed<K> {
    pub(crate) store: Store<K>,
    /// The positions whose moves have not been made.
    pub(crate) frontier: Frontier<K>,
    /// Moves from the others.
    pub(crate) edges: u64,
}

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

/// Appends the keys after the moves of a position, and returns what is known of it then.
#[inline]
pub(crate) fn make_moves<K: PackedKey>(key: K, game: Game<'_, K>, keys: &mut Vec<K>) -> Result<Word, Stop> {
    let before = keys.len();
    let (side, outcome) = game.expand(key, keys);
    let moves = keys.len() - before;
    if moves > MAX_MOVES {
        return Err(Stop::Moves { moves });
    }
    Ok(match outcome {
        Some(outcome) => Word::finished(side, outcome),
        None => Word::open(side, moves),
    })
}

/// Makes the moves of a block of positions.
fn expand_block<K: PackedKey>(
    block: &[Vec<K>],
    game: Game<'_, K>,
    interrupt: &AtomicBool,
) -> Result<Expansion<K>, Stop> {
    let positions = block.iter().map(Vec::len).sum();
    let mut words = Vec::with_capacity(positions);
    let mut keys: Vec<K> = Vec::with_capacity(positions * 8);
    for piece in block {
        check(interrupt)?;
        for &key in piece {
            words.push(make_moves(key, game, &mut keys)?);
        }
    }
    Ok(Expansion { words, successors: Sorted::new(&keys) })
}

impl<K: PackedKey> KeyGraph<K> {
    /// An empty graph: in blocks if the keys are ranked.
    pub(crate) fn new(ranked: Option<Ranked>) -> KeyGraph<K> {
        let found = match ranked {
            Some(ranked) => Found::Blocks(Walk::new(ranked)),
            None => Found::Hashed(Hashed::default()),
        };
        KeyGraph { found, waves: Waves::new() }
    }

    /// Positions found.
    pub(crate) fn positions(&self) -> u64 {
        match &self.found {
            Found::Hashed(hashed) => hashed.found(),
            Found::Blocks(walk) => walk.found,
        }
    }

    /// Positions whose successors are found.
    pub(crate) fn expanded(&self) -> u64 {
        match &self.found {
            Found::Hashed(hashed) => hashed.expanded(),
            Found::Blocks(walk) => walk.expanded,
        }
    }

    /// Moves from these.
    pub(crate) fn edges(&self) -> u64 {
        match &self.found {
            Found::Hashed(hashed) => hashed.edges,
            Found::Blocks(walk) => walk.edges,
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.positions() > 0 && self.positions() == self.expanded()
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let found = match &self.found {
            Found::Hashed(hashed) => hashed.bytes(),
            Found::Blocks(walk) => walk.blocks.bytes(),
        };
        found + self.waves.bytes()
    }

    pub(crate) fn enumerate(&mut self, game: Game<'_, K>, control: &mut Control<'_>) -> Result<(), Stop> {
        if self.positions() == 0 && control.limits().max_positions == 0 {
            return Err(Stop::Positions { limit: 0 });
        }
        let hashed = match &mut self.found {
            Found::Hashed(hashed) => hashed,
            Found::Blocks(walk) => {
                if walk.found == 0 {
                    walk.add(
                        game.root(),
                        Word::UNEXPANDED,
                        &Budget::new(walk.blocks.bytes(), control.limits()),
                    )?;
                }
                if walk.enumerate(game, control)? == Walked::Everything {
                    return Ok(());
                }
                let hashed = Hashed::new(walk, control)?;
                self.found = Found::Hashed(hashed);
                return self.enumerate(game, control);
            }
        };
        hashed.enumerate(game, control)
    }

    /// Finds the value of every position, and leaves nothing here.
    ///
    /// # Panics
    /// If the graph is not complete.
    pub(crate) fn solve(&mut self, game: Game<'_, K>, control: &mut Control<'_>) -> Result<Solved<K>, Stop> {
        self.decide(game, control)?;
        let keys = std::mem::replace(self, KeyGraph::new(game.ranked()));
        let (edges, far) = (keys.edges(), keys.waves.far);
        Ok(Solved::new(keys.found.into_positions(), far, edges))
    }

    /// Decides all positions that can be decided.
    fn decide(&mut self, game: Game<'_, K>, control: &mut Control<'_>) -> Result<(), Stop> {
        assert!(self.is_complete(), "only a complete graph can be solved");
        let memory = self.bytes_to_solve(!game.has_unmoves());
        control.check_memory(memory)?;
        let progress = Progress { phase: Phase::Propagate, done: 0, known: self.positions(), memory };
        let hashed = match &self.found {
            // Only a game that takes moves back has blocks.
            Found::Blocks(walk) => {
                return self.waves.run(&Ground::Blocks(&walk.blocks, game), progress, control);
            }
            Found::Hashed(hashed) => hashed,
        };
        let lists;
        let predecessors = if game.has_unmoves() {
            Predecessors::Unmoves(game)
        } else {
            control.report(Progress { phase: Phase::Link, memory: self.bytes(), ..progress });
            lists = Lists::new(&hashed.store, game, control)?;
            Predecessors::Lists(&lists)
        };
        self.waves.run(&Ground::Hashed(&hashed.store, predecessors), progress, control)
    }

    /// Bytes that deciding takes in all, with those in use; with `lists` of predecessors, if the game cannot take moves back.
    pub(crate) fn bytes_to_solve(&self, lists: bool) -> u64 {
        let hashed = match &self.found {
            Found::Hashed(hashed) => hashed,
            Found::Blocks(walk) => return walk.blocks.bytes(),
        };
        let slots: u64 = hashed.store.parts().iter().map(|part| part.slots() as u64).sum();
        let lists = if lists { Lists::bytes(slots, hashed.edges) } else { 0 };
        hashed.bytes() + Waves::<K>::bytes_for(hashed.found()) + lists
    }

    /// Adds a position that was read from a file, with the number of positions that are still to come, and returns whether it is
    /// new.
    pub(crate) fn add(&mut self, key: K, word: Word, budget: &Budget) -> Result<bool, Stop> {
        match &mut self.found {
            Found::Hashed(hashed) => Ok(hashed.add(key, word)),
            Found::Blocks(walk) => walk.add(key, word, budget),
        }
    }

    /// The word of a position; `None` if it is not there.
    pub(crate) fn word(&self, key: K) -> Option<Word> {
        let word = match &self.found {
            Found::Hashed(hashed) => hashed.store.find(key).map(|slot| hashed.store.word(slot)),
            Found::Blocks(walk) => walk.blocks.find(key).map(|slot| walk.blocks.word(slot)),
        };
        word.map(|word| Word(word.load(Ordering::Relaxed)))
    }

    /// The parts of the positions, and their number.
    pub(crate) fn parts(&self) -> usize {
        match &self.found {
            Found::Hashed(_) => PARTS,
            Found::Blocks(_) => blocks::PARTS,
        }
    }

    /// The keys and words of a part.
    pub(crate) fn of_part(&self, part: usize) -> Vec<(K, Word)> {
        match &self.found {
            Found::Hashed(hashed) => {
                hashed.store.part_positions(part).map(|(_, key, word)| (key, word)).collect()
            }
            Found::Blocks(walk) => {
                walk.blocks.part_positions(part).map(|(_, key, word)| (key, word)).collect()
            }
        }
    }
}

impl<K: PackedKey> Found<K> {
    pub(crate) fn into_positions(self) -> Positions<K> {
        match self {
            Found::Hashed(hashed) => Positions::Hashed(hashed.store),
            Found::Blocks(walk) => Positions::Blocks(walk.blocks, walk.found),
        }
    }
}

impl<K: PackedKey> Default for Hashed<K> {
    fn default() -> Self {
        Hashed { store: Store::new(), frontier: Frontier::new(), edges: 0 }
    }
}

impl<K: PackedKey> Hashed<K> {
    /// The positions of blocks, by their keys.
    fn new(walk: &Walk<K>, control: &Control<'_>) -> Result<Hashed<K>, Stop> {
        let mut hashed = Hashed { edges: walk.edges, ..Hashed::default() };
        let positions = || (0..blocks::PARTS).flat_map(|part| walk.blocks.part_positions(part));
        let mut room = vec![0; PARTS];
        positions().for_each(|(_, key, _)| room[part_of_key(key)] += 1);
        let waiting = hashed.frontier.bytes_with((walk.found - walk.expanded) as usize);
        control.check_memory(walk.blocks.bytes() + hashed.store.bytes_with(&room) + waiting)?;
        hashed.store.reserve(&room)?;
        positions().for_each(|(_, key, word)| {
            hashed.add(key, word);
        });
        Ok(hashed)
    }

    fn found(&self) -> u64 {
        self.store.len() as u64
    }

    fn expanded(&self) -> u64 {
        (self.store.len() - self.frontier.len()) as u64
    }

    fn bytes(&self) -> u64 {
        self.store.bytes() + self.frontier.bytes()
    }

    fn enumerate(&mut self, game: Game<'_, K>, control: &mut Control<'_>) -> Result<(), Stop> {
        if self.store.len() == 0 {
            let root = game.root();
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
            if let Err(stop) = self.step(&batch, &budget, game, control) {
                self.frontier.put_back(batch);
                return Err(stop);
            }
            control.report(Progress {
                phase: Phase::Enumerate,
                done: self.expanded(),
                known: self.found(),
                memory: self.bytes(),
            });
        }
    }

    /// Makes the moves of a batch of positions. If it fails, it has added none of their words, though perhaps some of their
    /// successors.
    fn step(
        &mut self,
        batch: &[Vec<K>],
        budget: &Budget,
        game: Game<'_, K>,
        control: &Control<'_>,
    ) -> Result<(), Stop> {
        let blocks: Vec<&[Vec<K>]> = batch.chunks(BLOCK).collect();
        let interrupt = control.interrupt();
        let expansions = parallel::map(blocks.len(), |n| expand_block(blocks[n], game, interrupt));
        // Of several reasons to stop the first, so that it does not depend on threads.
        let expansions: Vec<Expansion<K>> = expansions.into_iter().collect::<Result<_, _>>()?;
        self.add_all(&expansions, budget, control.limits())?;
        let store = &self.store;
        parallel::each(blocks.len(), |n| {
            let mut words = expansions[n].words.iter();
            for keys in blocks[n] {
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
    fn add_all(&mut self, expansions: &[Expansion<K>], budget: &Budget, limits: Limits) -> Result<(), Stop> {
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

    /// Adds a position for which there is room, and returns whether it is new.
    fn add(&mut self, key: K, word: Word) -> bool {
        let new = self.store.add(key, word);
        if new && word == Word::UNEXPANDED {
            self.frontier.extend([key]);
        }
        new
    }
}
