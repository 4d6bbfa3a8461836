//! A tree of information sets, owned by one thread.
//!
//! A node is what one player knows; a hash table leads from what the player notices to the next node. [`MoveStats`]
//! belong to a move together with what its mover secretly knows. The moves of a node are a list of *slots* in the order
//! in which the game lists them, and each slot is a list of the statistics of one move that differ in the mover's
//! secret. Worlds list their moves in much the same order, so that the statistics of a world's moves are found in one
//! walk along the slots.

/// The root is always the first node.
pub(super) const ROOT: u32 = 0;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The statistics of a move in an information set.
#[derive(Clone, Debug)]
pub(super) struct MoveStats<M> {
    pub(super) mv: M,
    secret: u64,
    pub(super) visits: u32,
    /// Simulations that could have chosen it.
    pub(super) available: u32,
    /// The mover's points.
    pub(super) points: f64,
    /// The mover's mean result, if there are visits, and one over the root of the visits: computed when a result comes
    /// in, not whenever moves are compared.
    pub(super) mean: f32,
    pub(super) per_root: f32,
    pub(super) prior: f32,
    next_slot: u32,
    next_in_slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    last: u32,
    /// Simulations that left the tree here.
    passes: u32,
    visits: u32,
    /// The mover's points.
    points: f64,
}

/// The arena.
#[derive(Debug)]
pub(super) struct Tree<M> {
    nodes: Vec<Node>,
    moves: Vec<MoveStats<M>>,
    children: ChildTable,
    most_bytes: usize,
}

/// Finds the statistics of one world's moves in a node, move by move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    node: u32,
    /// Where the last move was found.
    at: u32,
}

impl<M: Copy + Eq> Tree<M> {
    /// A tree that has only a root and will take about `most_bytes` at most.
    pub(super) fn new(most_bytes: usize) -> Tree<M> {
        let mut tree =
            Tree { nodes: Vec::new(), moves: Vec::new(), children: ChildTable::default(), most_bytes };
        tree.add_node();
        tree
    }

    fn add_node(&mut self) -> u32 {
        self.nodes.push(Node { first: NONE, last: NONE, passes: 0, visits: 0, points: 0.0 });
        self.nodes.len() as u32 - 1
    }

    /// Whether the tree is full.
    pub(super) fn is_full(&self) -> bool {
        self.bytes() >= self.most_bytes
    }

    /// How much of its memory it takes, from 0 to about 1.
    pub(super) fn fullness(&self) -> f64 {
        (self.bytes() as f64 / self.most_bytes.max(1) as f64).min(1.0)
    }

    /// Memory in use, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.moves.len() * size_of::<MoveStats<M>>()
            + self.children.bytes()
    }

    /// The node that follows another after an observation, added if it is missing and there is room.
    pub(super) fn child(&mut self, node: u32, observation: u64) -> Option<u32> {
        let next = self.nodes.len() as u32;
        if self.is_full() {
            return self.find_child(node, observation);
        }
        let child = self.children.find_or_insert(mix(u64::from(node), observation), next);
        if child == next {
            self.add_node();
        }
        Some(child)
    }

    /// The node that follows another after an observation, if it is there.
    pub(super) fn find_child(&self, node: u32, observation: u64) -> Option<u32> {
        self.children.find(mix(u64::from(node), observation))
    }

    /// The beginning of a walk along the slots of a node.
    pub(super) fn cursor(&self, node: u32) -> Cursor {
        Cursor { node, at: NONE }
    }

    /// The statistics of the next move of a world, added with the given prior if they are missing and there is room.
    #[inline]
    pub(super) fn stats(
        &mut self,
        cursor: &mut Cursor,
        mv: M,
        secret: u64,
        prior: impl FnOnce() -> f32,
    ) -> Option<u32> {
        let full = self.is_full() && cursor.node != ROOT;
        let Some(slot) = self.find_slot(cursor, mv) else {
            if full {
                return None;
            }
            let number = self.add_stats(mv, secret, prior());
            let last = self.nodes[cursor.node as usize].last;
            let node = &mut self.nodes[cursor.node as usize];
            node.last = number;
            if last == NONE {
                node.first = number;
            } else {
                self.moves[last as usize].next_slot = number;
            }
            cursor.at = number;
            return Some(number);
        };
        cursor.at = slot;
        let mut at = slot;
        loop {
            let stats = &self.moves[at as usize];
            if stats.secret == secret {
                return Some(at);
            }
            if stats.next_in_slot == NONE {
                if full {
                    return None;
                }
                let number = self.add_stats(mv, secret, prior());
                self.moves[at as usize].next_in_slot = number;
                return Some(number);
            }
            at = stats.next_in_slot;
        }
    }

    fn add_stats(&mut self, mv: M, secret: u64, prior: f32) -> u32 {
        self.moves.push(MoveStats {
            mv,
            secret,
            visits: 0,
            available: 0,
            points: 0.0,
            mean: 0.0,
            per_root: 1.0,
            prior,
            next_slot: NONE,
            next_in_slot: NONE,
        });
        self.moves.len() as u32 - 1
    }

    /// The slot of a move: mostly the one right behind the last, where the world before had it.
    #[inline(always)]
    fn find_slot(&self, cursor: &Cursor, mv: M) -> Option<u32> {
        let first = self.nodes[cursor.node as usize].first;
        let start = if cursor.at == NONE { first } else { self.moves[cursor.at as usize].next_slot };
        if start != NONE && self.moves[start as usize].mv == mv {
            return Some(start);
        }
        self.search_slot(start, first, mv)
    }

    /// Searches the slots behind the last one, then those from the beginning.
    #[inline(never)]
    fn search_slot(&self, start: u32, first: u32, mv: M) -> Option<u32> {
        let scan = |mut at: u32, end: u32| {
            while at != end && at != NONE {
                if self.moves[at as usize].mv == mv {
                    return Some(at);
                }
                at = self.moves[at as usize].next_slot;
            }
            None
        };
        scan(start, NONE).or_else(|| if start == first { None } else { scan(first, start) })
    }

    /// The first statistics of a move, if there are any.
    pub(super) fn find_stats(&self, cursor: &mut Cursor, mv: M) -> Option<u32> {
        let slot = self.find_slot(cursor, mv)?;
        cursor.at = slot;
        Some(slot)
    }

    /// The visits of a move summed over its mover's secrets; `stats` are its first.
    pub(super) fn slot_visits(&self, stats: u32) -> u32 {
        let moves = std::iter::successors(Some(stats), |&stats| {
            Some(self.moves[stats as usize].next_in_slot).filter(|&next| next != NONE)
        });
        moves.map(|stats| self.moves[stats as usize].visits).sum()
    }

    pub(super) fn get(&self, stats: u32) -> &MoveStats<M> {
        &self.moves[stats as usize]
    }

    /// Counts a move as one that could have been chosen.
    pub(super) fn offer(&mut self, stats: u32) {
        self.moves[stats as usize].available += 1;
    }

    /// Counts a simulation that comes to a node, and says whether it leaves the tree there, as the first `most` do.
    pub(super) fn passes(&mut self, node: u32, most: u32) -> bool {
        let node = &mut self.nodes[node as usize];
        let passes = node.passes < most;
        node.passes += u32::from(passes);
        passes
    }

    /// Counts a result for a move and its node.
    pub(super) fn credit(&mut self, node: u32, stats: u32, points: f64) {
        let node = &mut self.nodes[node as usize];
        node.visits += 1;
        node.points += points;
        let stats = &mut self.moves[stats as usize];
        stats.visits += 1;
        stats.points += points;
        let per_visit = 1.0 / f64::from(stats.visits);
        stats.mean = (stats.points * per_visit) as f32;
        stats.per_root = per_visit.sqrt() as f32;
    }

    /// The mean result of a node's mover; half a point without visits.
    pub(super) fn mean(&self, node: u32) -> f64 {
        let Node { visits, points, .. } = self.nodes[node as usize];
        if visits == 0 { 0.5 } else { points / f64::from(visits) }
    }
}

/// Mixes two numbers into one by the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(one: u64, other: u64) -> u64 {
    let scramble = |number: u64| {
        let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    };
    scramble(scramble(one.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ other)
}

/// An open hash table with linear probing, at most half full; its keys are hashes already.
#[derive(Debug, Default)]
struct ChildTable {
    slots: Vec<(u64, u32)>,
    used: usize,
}

impl ChildTable {
    fn bytes(&self) -> usize {
        self.slots.len() * size_of::<(u64, u32)>()
    }

    /// The place of a hash, or the free place where it belongs.
    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].1 != NONE && self.slots[place].0 != hash {
            place = (place + 1) & mask;
        }
        place
    }

    fn find(&self, hash: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        Some(self.slots[self.place(hash)].1).filter(|&value| value != NONE)
    }

    fn find_or_insert(&mut self, hash: u64, value: u32) -> u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let place = self.place(hash);
        if self.slots[place].1 == NONE {
            self.slots[place] = (hash, value);
            self.used += 1;
        }
        self.slots[place].1
    }

    fn grow(&mut self) {
        let room = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, NONE); room]);
        for (hash, value) in old {
            if value != NONE {
                let place = self.place(hash);
                self.slots[place] = (hash, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statistics of a world's moves.
    fn moves(tree: &mut Tree<u8>, node: u32, moves: &[(u8, u64)]) -> Vec<u32> {
        let mut cursor = tree.cursor(node);
        moves.iter().map(|&(mv, secret)| tree.stats(&mut cursor, mv, secret, || 1.0).unwrap()).collect()
    }

    #[test]
    fn the_same_move_with_the_same_secret_has_the_same_statistics() {
        let mut tree = Tree::new(1 << 20);
        let first = moves(&mut tree, ROOT, &[(1, 0), (2, 0), (3, 0)]);
        assert_eq!(moves(&mut tree, ROOT, &[(1, 0), (2, 0), (3, 0)]), first);
        // Another order, a move that is missing, one that is new, one with another secret.
        let second = moves(&mut tree, ROOT, &[(3, 0), (4, 0), (1, 7)]);
        assert_eq!(second[0], first[2]);
        assert!(!first.contains(&second[1]) && !first.contains(&second[2]));
        assert_eq!(moves(&mut tree, ROOT, &[(4, 0), (1, 0), (1, 7)]), [second[1], first[0], second[2]]);
        assert_eq!(tree.get(second[2]).mv, 1);
    }

    #[test]
    fn nodes_do_not_share_arms_or_children() {
        let mut tree = Tree::new(1 << 20);
        let children: Vec<u32> = (0..1000).map(|seen| tree.child(ROOT, seen).unwrap()).collect();
        let distinct: std::collections::HashSet<_> = children.iter().collect();
        assert_eq!(distinct.len(), 1000);
        assert!((0..1000).all(|seen| tree.child(ROOT, seen) == Some(children[seen as usize])));
        assert_eq!(tree.find_child(ROOT, 5), Some(children[5]));
        assert_eq!(tree.find_child(children[5], 5), None);
        let one = moves(&mut tree, children[0], &[(1, 0)]);
        let other = moves(&mut tree, children[1], &[(1, 0)]);
        assert_ne!(one, other);
        tree.credit(children[0], one[0], 1.0);
        assert_eq!((tree.mean(children[0]), tree.mean(children[1])), (1.0, 0.5));
    }

    #[test]
    fn a_tree_knows_when_it_is_full() {
        let mut tree = Tree::<u8>::new(10_000);
        assert!(!tree.is_full());
        (0..1000).for_each(|seen| _ = tree.child(ROOT, seen));
        assert!(tree.is_full() && tree.bytes() < 40_000);
        assert_eq!(tree.child(ROOT, 5000), None);
        assert_eq!(tree.child(ROOT, 0), Some(1));
        let mut cursor = tree.cursor(1);
        assert_eq!(tree.stats(&mut cursor, 3, 0, || 1.0), None);
        // The root always has all of its moves.
        assert_eq!(moves(&mut tree, ROOT, &[(1, 0), (2, 0)]).len(), 2);
    }
}
