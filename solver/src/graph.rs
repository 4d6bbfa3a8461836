//! The graph of all positions that can be reached from a root.
//!
//! [`Graph`] knows the game; all work on keys is in `KeyGraph`, which is compiled once for each width of keys and not for each
//! game.

use crate::control::{Control, Stop};
use crate::key_graph::KeyGraph;
use crate::keyed::{AnyWidth, Keyed, KeyedGame};
use crate::solution::{AnySolved, Solution};
use crate::width::{ByWidth, TooWide, by_width, map_width, of_width};
use jewel_engine::ability::{Packed, Symmetric};

/// The reachable part of a game, as far as it has been enumerated and decided.
///
/// It is a set: what it holds in the end does not depend on the number of threads, nor on where limits stopped the work.
#[derive(Debug)]
pub struct Graph<P> {
    pub(crate) game: Keyed<P>,
    pub(crate) keys: AnyGraph,
}

/// A graph of keys of any width.
pub(crate) type AnyGraph = ByWidth<KeyGraph<u64>, KeyGraph<u128>, KeyGraph<[u64; 4]>>;

impl<P: Packed> Graph<P> {
    /// A graph of the root alone.
    ///
    /// # Errors
    /// If the root takes more bits than any key has.
    pub fn new(root: P) -> Result<Self, TooWide> {
        Graph::with(Keyed::new(root))
    }

    /// A graph of the root alone, which keeps one position of those that are [images](Symmetric::images) of each other. It counts
    /// orbits, and moves to orbits.
    ///
    /// It takes a fraction of the memory, and making the images of all positions takes time. Positions that the root does not lead
    /// to have values too, if it leads to an image of theirs. Images with the sides exchanged are among them if the game takes moves
    /// back and the [sides of the root are alike](Symmetric::sides_are_alike).
    ///
    /// # Errors
    /// As [`new`](Graph::new).
    pub fn folded(root: P) -> Result<Self, TooWide>
    where
        P: Symmetric,
    {
        Graph::with(Keyed::folded(root))
    }

    fn with(game: Keyed<P>) -> Result<Self, TooWide> {
        let keys = AnyGraph::new(game.root.packed_bits(), &game)?;
        Ok(Graph { game, keys })
    }

    /// Whether it is [folded](Graph::folded).
    pub fn is_folded(&self) -> bool {
        self.game.is_folded()
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.game.root
    }

    /// Positions found so far.
    pub fn positions(&self) -> u64 {
        self.keys.positions()
    }

    /// Positions whose successors are all found; all of them when the graph is complete.
    pub fn expanded(&self) -> u64 {
        self.keys.expanded()
    }

    /// Positions that are known to be won or lost so far.
    pub fn decided(&self) -> u64 {
        self.keys.decided()
    }

    /// Moves from the expanded positions.
    pub fn edges(&self) -> u64 {
        self.keys.edges()
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
        self.keys.enumerate(&self.game, control)
    }

    /// Finds the value of every position, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. What has been decided so far stays: call again, or [save](crate::state::save) the graph.
    ///
    /// # Panics
    /// If the graph is not [complete](Graph::is_complete).
    pub fn solve(&mut self, control: &mut Control<'_>) -> Result<Solution<P>, Stop> {
        let solved = self.keys.solve(&self.game, control)?;
        Ok(Solution { game: self.game.clone(), solved })
    }

    /// Bytes that [`solve`](Graph::solve) takes in all, with those in use.
    pub fn bytes_to_solve(&self) -> u64 {
        self.keys.bytes_to_solve(!self.game.root.has_unmoves())
    }
}

impl AnyGraph {
    fn new(bits: u32, game: &dyn AnyWidth) -> Result<AnyGraph, TooWide> {
        of_width!(bits, K => KeyGraph::<K>::new(KeyedGame::<K>::ranked(game)))
    }

    fn positions(&self) -> u64 {
        by_width!(self, keys => keys.positions())
    }

    fn expanded(&self) -> u64 {
        by_width!(self, keys => keys.expanded())
    }

    fn decided(&self) -> u64 {
        by_width!(self, keys => keys.waves.decided)
    }

    fn edges(&self) -> u64 {
        by_width!(self, keys => keys.edges())
    }

    fn is_complete(&self) -> bool {
        by_width!(self, keys => keys.is_complete())
    }

    fn bytes(&self) -> u64 {
        by_width!(self, keys => keys.bytes())
    }

    fn enumerate(&mut self, game: &dyn AnyWidth, control: &mut Control<'_>) -> Result<(), Stop> {
        by_width!(self, keys => keys.enumerate(game, control))
    }

    fn solve(&mut self, game: &dyn AnyWidth, control: &mut Control<'_>) -> Result<AnySolved, Stop> {
        Ok(map_width!(self, keys => keys.solve(game, control)?))
    }

    fn bytes_to_solve(&self, lists: bool) -> u64 {
        by_width!(self, keys => keys.bytes_to_solve(lists))
    }
}
