//! Making room in the tree: the least visited nodes are dropped, or all that do not follow from a new root.
//!
//! Blocks lie in the order in which they were added, each behind its parent. One pass decides which stay, a
//! second slides them down in place. A node whose children are dropped keeps its own results and its proof.

use super::tree::{CHUNK, ROOT, Tree};
use jewel_engine::value::Verdict;
use std::sync::atomic::Ordering::Relaxed;

/// Numbers of visits fall into classes, four to an octave.
const CLASSES: usize = 4 * 64;

/// The class of a number of visits; more visits never give a lower class.
fn class(visits: u64) -> usize {
    let octave = visits.max(1).ilog2();
    let quarter = if octave < 2 { 0 } else { (visits >> (octave - 2)) & 3 };
    4 * octave as usize + quarter as usize
}

/// The part of a tree that a compaction keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compaction {
    /// The node that becomes the root; only nodes below it stay.
    pub(super) root: u32,
    /// About how many nodes to keep at most.
    pub(super) max_nodes: u32,
    /// Forget proven draws: they may depend on the path to a position, which has changed.
    pub(super) forget_draws: bool,
}

impl<E: Copy> Tree<E> {
    /// Drops the other nodes. Node numbers change, except for the root's. If `halt` says so on the way, everything is
    /// dropped, and the result is `false`: a large tree takes longer than a search that is over may.
    #[must_use]
    pub(super) fn compact(&mut self, keep: Compaction, halt: &mut dyn FnMut() -> bool) -> bool {
        let done = self.slide(keep, halt);
        if !done {
            *self = Tree::with_chunks(self.chunks.len());
        }
        done
    }

    /// [`compact`](Tree::compact); a tree that was halted has no meaning.
    fn slide(&mut self, keep: Compaction, halt: &mut dyn FnMut() -> bool) -> bool {
        let Some(kept) = self.choose(keep, halt) else { return false };
        let end = self.used().min(self.capacity());
        // From here on, the first node of a kept block has the new number of its parent.
        if keep.root != ROOT {
            self.shift(keep.root, ROOT, keep.forget_draws, &kept);
            self.node(ROOT).block.store(1, Relaxed);
        } else {
            self.forget(ROOT, keep.forget_draws, &kept);
        }
        let mut free = 1;
        let mut at = 1;
        while let Some((begin, length)) = self.block_from(at, end) {
            if halt() {
                return false;
            }
            at = begin + length;
            if !kept.get(begin) {
                self.wipe(begin, at);
                continue;
            }
            let left = CHUNK - (free & (CHUNK - 1));
            let target = if length > left { free + left } else { free };
            let parent = self.node(begin).parent.load(Relaxed);
            for offset in 0..length {
                self.shift(begin + offset, target + offset, keep.forget_draws, &kept);
                self.node(target + offset).parent.store(parent, Relaxed);
            }
            self.node(target).block.store(length as u16, Relaxed);
            self.node(parent).first.store(target, Relaxed);
            free = target + length;
        }
        self.next.store(free, Relaxed);
        true
    }

    /// The first block at or behind a place, and its length.
    fn block_from(&self, mut at: u32, end: u32) -> Option<(u32, u32)> {
        while at < end {
            let length = self.block_at(at)?;
            if length > 0 {
                return Some((at, length));
            }
            // The rest of a chunk that was too short for the next block.
            at = (at | (CHUNK - 1)) + 1;
        }
        None
    }

    /// The length of the block that begins at a place; `None` beyond the allocated memory.
    fn block_at(&self, at: u32) -> Option<u32> {
        let chunk = self.chunks.get((at / CHUNK) as usize)?.get()?;
        Some(u32::from(chunk[(at % CHUNK) as usize].block.load(Relaxed)))
    }

    /// The blocks that stay, by where they begin; `None` if halted.
    fn choose(&self, keep: Compaction, halt: &mut dyn FnMut() -> bool) -> Option<BitSet> {
        let end = self.used().min(self.capacity());
        let mut living = BitSet::new(end);
        let mut sizes = [0u64; CLASSES];
        let mut at = 1;
        let parent_of = |begin| self.node(begin).parent.load(Relaxed);
        // A block lives if its parent is the new root or lies in a living block. Parents come first.
        let mut node_lives = BitSet::new(end);
        node_lives.set(keep.root);
        while let Some((begin, length)) = self.block_from(at, end) {
            if halt() {
                return None;
            }
            at = begin + length;
            let parent = parent_of(begin);
            if node_lives.get(parent) {
                living.set(begin);
                (begin..at).for_each(|node| node_lives.set(node));
                sizes[class(self.node(parent).visit_count())] += u64::from(length);
            }
        }
        // The classes that fit, from the most visited down, and the room left for the next one.
        let mut room = u64::from(keep.max_nodes);
        let mut cut = CLASSES;
        while cut > 0 && sizes[cut - 1] <= room {
            cut -= 1;
            room -= sizes[cut];
        }
        // Children never have more visits than their parent, but equal ones must not outlive it.
        let mut kept = BitSet::new(end);
        let mut node_kept = BitSet::new(end);
        node_kept.set(keep.root);
        at = 1;
        while let Some((begin, length)) = self.block_from(at, end) {
            if halt() {
                return None;
            }
            at = begin + length;
            let parent = parent_of(begin);
            if !living.get(begin) || !node_kept.get(parent) {
                continue;
            }
            let class = class(self.node(parent).visit_count());
            let fits = class >= cut || (class + 1 == cut && u64::from(length) <= room);
            if fits || parent == keep.root {
                if class < cut {
                    room = room.saturating_sub(u64::from(length));
                }
                kept.set(begin);
                (begin..at).for_each(|node| node_kept.set(node));
            }
        }
        Some(kept)
    }

    /// Moves a node and gives its children, if they stay, its new number.
    fn shift(&mut self, from: u32, to: u32, forget_draws: bool, kept: &BitSet) {
        if from != to {
            self.wipe_one(to);
            let source = self.node(from);
            let target = self.node(to);
            target.visits.store(source.visits.load(Relaxed), Relaxed);
            target.points.store(source.points.load(Relaxed), Relaxed);
            target.proof.store(source.proof.load(Relaxed), Relaxed);
            target.prior.store(source.prior.load(Relaxed), Relaxed);
            if let Some(worth) = source.worth() {
                target.set_worth(worth);
            }
            target.first.store(source.first.load(Relaxed), Relaxed);
            target.count.store(source.count.load(Relaxed), Relaxed);
            if to != ROOT
                && let Some(&edge) = source.edge.get()
            {
                let _ = target.edge.set(edge);
            }
            // The new root stays in its old place until its block is dealt with; only its children must not be found
            // there any more.
            self.node(from).first.store(0, Relaxed);
            if to != ROOT {
                self.wipe_one(from);
            }
        }
        self.forget(to, forget_draws, kept);
    }

    /// Detaches children that are dropped, and forgets a draw that may no longer hold.
    fn forget(&mut self, at: u32, forget_draws: bool, kept: &BitSet) {
        let node = self.node(at);
        match self.first_child(at) {
            Some(first) if kept.get(first) => self.node(first).parent.store(at, Relaxed),
            _ => {
                node.first.store(0, Relaxed);
                node.count.store(0, Relaxed);
            }
        }
        if forget_draws && node.proof().is_some_and(|value| value.verdict == Verdict::Draw) {
            node.proof.store(0, Relaxed);
        }
    }
}

/// A set of node numbers.
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(end: u32) -> BitSet {
        BitSet(vec![0; end as usize / 64 + 1])
    }

    fn set(&mut self, at: u32) {
        if let Some(word) = self.0.get_mut(at as usize / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn get(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Growth;
    use super::*;
    use jewel_engine::random::Random;
    use jewel_engine::value::Side;
    use std::collections::BTreeMap;

    /// Everything that can be seen of a tree from its root, by the edges that lead there.
    fn picture(tree: &Tree<u16>, at: u32, path: &mut Vec<u16>, out: &mut BTreeMap<Vec<u16>, (u64, u64)>) {
        let node = tree.node(at);
        out.insert(path.clone(), (node.visit_count(), node.points.load(Relaxed)));
        let Some(first) = tree.first_child(at) else { return };
        for number in 0..tree.children(at).unwrap().len() as u32 {
            assert_eq!(tree.node(first + number).parent.load(Relaxed), at);
            path.push(tree.edge(first + number).unwrap());
            picture(tree, first + number, path, out);
            path.pop();
        }
    }

    fn seen(tree: &Tree<u16>) -> BTreeMap<Vec<u16>, (u64, u64)> {
        let mut out = BTreeMap::new();
        picture(tree, ROOT, &mut Vec::new(), &mut out);
        out
    }

    /// Random walks that grow leaves, as a search does.
    fn grow_at_random(tree: &Tree<u16>, walks: u32, random: &mut Random) -> bool {
        for _ in 0..walks {
            let mut path = vec![ROOT];
            let mut at = ROOT;
            while let Some(first) = tree.first_child(at) {
                let count = tree.children(at).unwrap().len() as u32;
                // Uneven, so that some nodes are visited more than others.
                at = first + random.below(count).min(random.below(count));
                tree.node(at).enter();
                path.push(at);
            }
            let edges: Vec<u16> = (0..1 + random.below(40) as u16).collect();
            let growth = tree.grow(at, &edges, |_, _| {});
            let share = random.unit();
            for &at in &path {
                if at == ROOT {
                    tree.node(at).enter();
                }
                tree.node(at).leave(share);
            }
            if growth == Growth::Full {
                return true;
            }
        }
        false
    }

    #[test]
    fn what_stays_is_what_it_was_and_there_is_room_again() {
        let mut random = Random::new(11);
        let mut tree = Tree::new(1);
        for round in 0..5 {
            assert!(grow_at_random(&tree, 100_000, &mut random), "full in round {round}");
            let before = seen(&tree);
            let half = tree.capacity() / 2;
            let keep = Compaction { root: ROOT, max_nodes: half, forget_draws: false };
            assert!(tree.compact(keep, &mut || false));
            let after = seen(&tree);
            assert!(tree.used() <= half + CHUNK, "{} used of {}", tree.used(), tree.capacity());
            assert!(after.len() > half as usize / 2);
            assert!(after.iter().all(|(path, record)| before.get(path) == Some(record)));
            // No node that lost its children had more visits than one class above a node that kept them.
            let parents: Vec<_> = after.keys().filter_map(|p| Some(p.split_last()?.1.to_vec())).collect();
            let least = parents.iter().map(|p| after[p].0).min().unwrap();
            for path in before.keys().filter_map(|p| Some(p.split_last()?.1)) {
                if after.contains_key(path) && !parents.iter().any(|p| p == path) {
                    assert!(class(after[path].0) <= class(least), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn a_new_root_keeps_what_follows_from_it() {
        let mut random = Random::new(5);
        let mut tree = Tree::new(1);
        grow_at_random(&tree, 400, &mut random);
        let before = seen(&tree);
        let root = tree.first_child(tree.first_child(ROOT).unwrap()).unwrap();
        let keep = Compaction { root, max_nodes: u32::MAX, forget_draws: false };
        assert!(tree.compact(keep, &mut || false));
        let expected: BTreeMap<_, _> = before
            .into_iter()
            .filter(|(path, _)| path.starts_with(&[0, 0]))
            .map(|(path, record)| (path[2..].to_vec(), record))
            .collect();
        assert_eq!(seen(&tree), expected);
        assert!(expected.len() > 20);
        assert_eq!(tree.edge(ROOT), None);
        // And it grows on.
        grow_at_random(&tree, 400, &mut random);
        assert!(seen(&tree).len() > expected.len());
    }

    #[test]
    fn draws_are_forgotten_and_wins_are_not() {
        let mut tree = Tree::new(1);
        tree.grow(ROOT, &[1, 2], |number, child| {
            let verdict = [Verdict::Draw, Verdict::WhiteWins][number];
            child.set_proof(super::super::proof::over(verdict));
        });
        let keep = Compaction { root: ROOT, max_nodes: u32::MAX, forget_draws: true };
        assert!(tree.compact(keep, &mut || false));
        let children = tree.children(ROOT).unwrap();
        assert_eq!(children[0].proof(), None);
        assert_eq!(
            children[1].proof().map(|v| v.seen_by(Side::White).outcome()),
            Some(jewel_engine::value::Outcome::Win)
        );
    }

    #[test]
    fn what_is_halted_leaves_an_empty_tree_of_the_same_size() {
        let mut random = Random::new(3);
        for after in [0, 1, 40, 300] {
            let mut tree = Tree::new(1);
            grow_at_random(&tree, 400, &mut random);
            let (capacity, mut left) = (tree.capacity(), after);
            let mut halt = || {
                left -= 1;
                left < 0
            };
            assert!(!tree.compact(Compaction { root: ROOT, max_nodes: 500, forget_draws: false }, &mut halt));
            assert_eq!((seen(&tree).len(), tree.used(), tree.capacity()), (1, 1, capacity), "{after}");
        }
    }

    #[test]
    fn classes_follow_visits() {
        assert!((0..100_000u64).all(|visits| class(visits) <= class(visits + 1)));
        assert!(class(u64::MAX) < CLASSES);
        assert_ne!(class(4), class(5));
    }
}
