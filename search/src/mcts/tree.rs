//! The tree: nodes in an arena of fixed capacity, shared by all threads without locks.
//!
//! Every field that changes during a search is atomic; moves are written once, before the node that they
//! belong to can be seen. The children of a node are one contiguous block, and a block lies behind the node
//! that it belongs to, which lets [`compact`](super::compact) slide the blocks together in place.

use super::proof;
use crate::sampling::{seen_by, share_of};
use jewel_engine::value::{AbsoluteValue, Outcome, Side, Value};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

/// The root is always the first node.
pub(super) const ROOT: u32 = 0;

/// In place of a block of children: there is none yet, or a thread is just adding it. No block begins at the root.
const NONE: u32 = 0;
const BUSY: u32 = u32::MAX;

const CHUNK_BITS: u32 = 12;
/// Nodes that are allocated at a time; no block crosses the border of a chunk.
pub(super) const CHUNK: u32 = 1 << CHUNK_BITS;

/// Results are summed up in this many parts of a point, so that sums are exact and repeatable.
const POINT: f64 = 65_536.0;

/// In place of a node's worth: it is unknown.
const UNKNOWN: u32 = f32::NAN.to_bits();

/// Finished visits count in the lower bits, simulations on their way in the upper ones.
const FLYING: u32 = 48;

/// An edge of the tree with the position that it leads to.
#[derive(Debug)]
pub(super) struct Node<E> {
    pub(super) edge: OnceLock<E>,
    pub(super) visits: AtomicU64,
    /// White's points.
    pub(super) points: AtomicU64,
    pub(super) proof: AtomicU32,
    pub(super) prior: AtomicU32,
    /// White's share by the evaluation, backed up from the moves below by minimax; NaN where it is unknown.
    worth: AtomicU32,
    pub(super) parent: AtomicU32,
    /// The first child, `NONE` or `BUSY`.
    pub(super) first: AtomicU32,
    /// The number of children.
    pub(super) count: AtomicU16,
    /// In the first node of a block its length, otherwise 0.
    pub(super) block: AtomicU16,
}

/// The visits of a node as a player sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Finished visits.
    pub(super) visits: u64,
    /// Simulations on their way through the node.
    pub(super) flying: u64,
    /// The player's points.
    pub(super) points: f64,
}

impl Record {
    /// The player's mean result; half a point without visits.
    pub(super) fn mean(self) -> f64 {
        if self.visits == 0 { 0.5 } else { self.points / self.visits as f64 }
    }
}

/// White's points as a player sees them.
fn seen(white: u64, visits: u64, side: Side) -> f64 {
    let white = white as f64 / POINT;
    if side == Side::White { white } else { visits as f64 - white }
}

fn parts(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * POINT).round() as u64
}

impl<E> Node<E> {
    fn empty() -> Node<E> {
        Node {
            edge: OnceLock::new(),
            visits: AtomicU64::new(0),
            points: AtomicU64::new(0),
            proof: AtomicU32::new(0),
            prior: AtomicU32::new(0),
            worth: AtomicU32::new(UNKNOWN),
            parent: AtomicU32::new(0),
            first: AtomicU32::new(NONE),
            count: AtomicU16::new(0),
            block: AtomicU16::new(0),
        }
    }

    /// Empties the node for another use; its edge has been taken already.
    fn clear(&self) {
        for word in [&self.visits, &self.points] {
            word.store(0, Relaxed);
        }
        for word in [&self.proof, &self.prior, &self.parent] {
            word.store(0, Relaxed);
        }
        self.worth.store(UNKNOWN, Relaxed);
        self.count.store(0, Relaxed);
        self.block.store(0, Relaxed);
        self.first.store(NONE, Relaxed);
    }

    /// A simulation enters: until it is back it counts as lost for the player who chose the node (virtual loss:
    /// Chaslot, Winands and van den Herik, 2008).
    #[inline]
    pub(super) fn enter(&self) {
        self.visits.fetch_add(1 << FLYING, Relaxed);
    }

    /// The simulation is back with White's share of the point.
    #[inline]
    pub(super) fn leave(&self, share: f64) {
        self.points.fetch_add(parts(share), Relaxed);
        self.visits.fetch_add(1u64.wrapping_sub(1 << FLYING), Relaxed);
    }

    pub(super) fn visit_count(&self) -> u64 {
        self.visits.load(Relaxed) & ((1 << FLYING) - 1)
    }

    #[inline]
    pub(super) fn record(&self, side: Side) -> Record {
        let word = self.visits.load(Relaxed);
        let visits = word & ((1 << FLYING) - 1);
        Record { visits, flying: word >> FLYING, points: seen(self.points.load(Relaxed), visits, side) }
    }

    pub(super) fn proof(&self) -> Option<AbsoluteValue> {
        proof::decode(self.proof.load(Acquire))
    }

    pub(super) fn set_proof(&self, value: AbsoluteValue) {
        self.set_worth(share_of(value.verdict) as f32);
        self.proof.store(proof::encode(value), Release);
    }

    /// White's share by implicit minimax; `None` where it is unknown.
    #[inline]
    pub(super) fn worth(&self) -> Option<f32> {
        Some(f32::from_bits(self.worth.load(Relaxed))).filter(|worth| !worth.is_nan())
    }

    pub(super) fn set_worth(&self, share: f32) {
        self.worth.store(share.to_bits(), Relaxed);
    }

    /// The same share as a player sees it.
    #[inline]
    pub(super) fn worth_to(&self, side: Side) -> Option<f64> {
        self.worth().map(|white| f64::from(seen_by(white.into(), side) as f32))
    }

    pub(super) fn prior(&self) -> f64 {
        f64::from(f32::from_bits(self.prior.load(Relaxed)))
    }
}

type Chunk<E> = Box<[Node<E>]>;

/// The result of an attempt to add the children of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// They are in the tree.
    Grown,
    /// Another thread is adding them, or they are too many for a block.
    Refused,
    /// The tree is full.
    Full,
}

/// The tree in its arena.
#[derive(Debug)]
pub(super) struct Tree<E> {
    pub(super) chunks: Box<[OnceLock<Chunk<E>>]>,
    /// The first node that was never used.
    pub(super) next: AtomicU32,
}

/// The value, for its mover, of a move into a proven node.
pub(super) fn value_of_move<E>(child: &Node<E>, mover: Side) -> Option<Value> {
    child.proof().map(|value| value.seen_by(mover).before_own_turn())
}

/// The proven value, for `mover`, of a choice among some nodes: a win if one move wins, otherwise the best value if
/// all moves are proven.
pub(super) fn from_choice<'a, E: 'a>(
    children: impl Iterator<Item = &'a Node<E>>,
    mover: Side,
) -> Option<Value> {
    let mut best = None;
    let mut all = true;
    for child in children {
        match value_of_move(child, mover) {
            Some(value) => best = best.max(Some(value)),
            None => all = false,
        }
    }
    best.filter(|value| all || value.outcome() == Outcome::Win)
}

impl<E: Copy> Tree<E> {
    /// A tree that has only a root, in an arena of at most this many mebibytes (at least 1), which are allocated as
    /// the tree grows.
    pub(super) fn new(mebibytes: usize) -> Tree<E> {
        let nodes = mebibytes.max(1).saturating_mul(1 << 20) / size_of::<Node<E>>();
        // The last chunk of all is never used: BUSY would lie in it.
        Tree::with_chunks((nodes >> CHUNK_BITS).clamp(2, (1 << (32 - CHUNK_BITS)) - 1))
    }

    /// A tree that has only a root, in an arena of this many chunks.
    pub(super) fn with_chunks(count: usize) -> Tree<E> {
        let chunks = (0..count).map(|_| OnceLock::new()).collect();
        let tree = Tree { chunks, next: AtomicU32::new(1) };
        let root = tree.chunk(ROOT).is_some().then(|| tree.node(ROOT));
        if let Some(root) = root {
            root.block.store(1, Relaxed);
        }
        tree
    }

    /// The most nodes that the tree can have.
    pub(super) fn capacity(&self) -> u32 {
        self.chunks.len() as u32 * CHUNK
    }

    /// Nodes in use, gaps at the ends of chunks included.
    pub(super) fn used(&self) -> u32 {
        self.next.load(Relaxed)
    }

    /// The chunk of a node, allocated if it was not there; `None` if the system has no memory.
    fn chunk(&self, at: u32) -> Option<&Chunk<E>> {
        let slot = self.chunks.get((at >> CHUNK_BITS) as usize)?;
        if slot.get().is_none() {
            let mut nodes = Vec::new();
            nodes.try_reserve_exact(CHUNK as usize).ok()?;
            nodes.resize_with(CHUNK as usize, Node::empty);
            // If another thread was faster, its chunk stays.
            let _ = slot.set(nodes.into());
        }
        slot.get()
    }

    #[inline]
    fn existing(&self, at: u32) -> &Chunk<E> {
        match self.chunks[(at >> CHUNK_BITS) as usize].get() {
            Some(chunk) => chunk,
            None => unreachable!("node {at} was never allocated"),
        }
    }

    /// A node that exists.
    #[inline]
    pub(super) fn node(&self, at: u32) -> &Node<E> {
        &self.existing(at)[(at & (CHUNK - 1)) as usize]
    }

    /// The number of the first child of a node, if it has children.
    #[inline]
    pub(super) fn first_child(&self, at: u32) -> Option<u32> {
        let first = self.node(at).first.load(Acquire);
        (first != NONE && first != BUSY).then_some(first)
    }

    /// The children of a node, if they are in the tree.
    #[inline]
    pub(super) fn children(&self, at: u32) -> Option<&[Node<E>]> {
        let first = self.first_child(at)?;
        let begin = (first & (CHUNK - 1)) as usize;
        let count = usize::from(self.node(at).count.load(Relaxed));
        Some(&self.existing(first)[begin..begin + count])
    }

    /// The edge that leads to a node; `None` for the root.
    pub(super) fn edge(&self, at: u32) -> Option<E> {
        self.node(at).edge.get().copied()
    }

    /// Adds the children of a node; `describe` fills in each of them.
    pub(super) fn grow(&self, at: u32, edges: &[E], mut describe: impl FnMut(usize, &Node<E>)) -> Growth {
        let node = self.node(at);
        let Some(count) = u16::try_from(edges.len()).ok().filter(|&n| n > 0 && u32::from(n) <= CHUNK) else {
            return Growth::Refused;
        };
        if node.first.compare_exchange(NONE, BUSY, AcqRel, Relaxed).is_err() {
            return Growth::Refused;
        }
        let Some(first) = self.allocate(u32::from(count)) else {
            node.first.store(NONE, Release);
            return Growth::Full;
        };
        for (number, &edge) in edges.iter().enumerate() {
            let child = self.node(first + number as u32);
            let _ = child.edge.set(edge);
            child.parent.store(at, Relaxed);
            describe(number, child);
        }
        self.node(first).block.store(count, Relaxed);
        node.count.store(count, Relaxed);
        node.first.store(first, Release);
        Growth::Grown
    }

    fn allocate(&self, count: u32) -> Option<u32> {
        let fitted = |next: u32| {
            let left = CHUNK - (next & (CHUNK - 1));
            let begin = if count > left { next + left } else { next };
            (begin.checked_add(count)? <= self.capacity()).then_some(begin)
        };
        let before = self.next.fetch_update(AcqRel, Acquire, |next| Some(fitted(next)? + count)).ok()?;
        let begin = fitted(before)?;
        if self.chunk(begin).is_none() {
            // What was allocated stays so until the next compaction; its nodes are never used.
            self.next.store(self.capacity(), Relaxed);
            return None;
        }
        Some(begin)
    }

    /// Gives a node the worth of its best child for `mover`, who chooses there; whether that changed it.
    pub(super) fn take_worth(&self, at: u32, mover: Side) -> bool {
        let Some(children) = self.children(at) else { return false };
        let mut best = f32::NAN;
        for child in children {
            let Some(worth) = child.worth() else { return false };
            // Of a number and NaN, the number is taken.
            best = if mover == Side::White { best.max(worth) } else { best.min(worth) };
        }
        let node = self.node(at);
        let changed = node.worth() != Some(best);
        node.set_worth(best);
        changed
    }

    /// Proves a node by its children, among which `mover` chooses, if that is possible.
    pub(super) fn prove(&self, at: u32, mover: Side) -> Option<AbsoluteValue> {
        let value = from_choice(self.children(at)?.iter(), mover)?.absolute(mover);
        self.node(at).set_proof(value);
        Some(value)
    }

    /// Empties a range of nodes that nothing leads to any more.
    pub(super) fn wipe(&mut self, from: u32, to: u32) {
        for at in from..to {
            self.wipe_one(at);
        }
    }

    pub(super) fn wipe_one(&mut self, at: u32) {
        let Some(chunk) = self.chunks[(at >> CHUNK_BITS) as usize].get_mut() else { return };
        let offset = (at & (CHUNK - 1)) as usize;
        chunk[offset].edge.take();
        chunk[offset].clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_never_cross_chunks_and_the_capacity_holds() {
        let tree = Tree::<u16>::new(1);
        let edges: Vec<u16> = (0..300).collect();
        let mut at = ROOT;
        let mut blocks = 0;
        while tree.grow(at, &edges, |_, _| {}) == Growth::Grown {
            let children = tree.children(at).unwrap();
            assert_eq!(children.len(), 300);
            assert!(children.iter().zip(&edges).all(|(child, edge)| child.edge.get() == Some(edge)));
            at = tree.first_child(at).unwrap() + 299;
            blocks += 1;
        }
        assert_eq!(tree.grow(at, &edges, |_, _| {}), Growth::Full);
        assert_eq!(blocks, tree.capacity() / CHUNK * (CHUNK / 300));
        assert!(tree.capacity() as usize * size_of::<Node<u16>>() <= 1 << 20);
        assert!(tree.children(at).is_none());
    }

    #[test]
    fn visits_in_flight_count_apart_from_finished_ones() {
        let node = Node::<u8>::empty();
        node.enter();
        node.enter();
        node.leave(1.0);
        let record = node.record(Side::White);
        assert_eq!((record.visits, record.flying, record.points), (1, 1, 1.0));
        assert_eq!(node.record(Side::Black).points, 0.0);
        node.leave(0.25);
        assert_eq!(node.record(Side::Black).points, 0.75);
        assert_eq!(node.record(Side::Black).flying, 0);
    }

    #[test]
    fn a_node_is_worth_what_the_best_move_is() {
        let tree = Tree::<u8>::new(1);
        tree.grow(ROOT, &[1, 2], |_, _| {});
        let children = tree.children(ROOT).unwrap();
        children[0].set_worth(0.25);
        // As long as nothing is known of one of them, it is not known.
        assert!(!tree.take_worth(ROOT, Side::White) && tree.node(ROOT).worth().is_none());
        children[1].set_worth(0.75);
        assert!(tree.take_worth(ROOT, Side::White));
        assert_eq!(tree.node(ROOT).worth(), Some(0.75));
        assert!(!tree.take_worth(ROOT, Side::White));
        assert!(tree.take_worth(ROOT, Side::Black));
        assert_eq!(tree.node(ROOT).worth_to(Side::Black), Some(0.75));
        // What is proven is worth its result.
        children[1].set_proof(proof::over(jewel_engine::value::Verdict::BlackWins));
        assert!(tree.take_worth(ROOT, Side::Black));
        assert_eq!(tree.node(ROOT).worth(), Some(0.0));
    }

    #[test]
    fn no_node_grows_twice() {
        let tree = Tree::<u8>::new(1);
        assert_eq!(tree.grow(ROOT, &[1, 2], |n, child| child.prior.store(n as u32, Relaxed)), Growth::Grown);
        assert_eq!(tree.grow(ROOT, &[3], |_, _| {}), Growth::Refused);
        assert_eq!(tree.grow(1, &[], |_, _| {}), Growth::Refused);
        assert_eq!((tree.edge(2), tree.edge(ROOT)), (Some(2), None));
    }
}
