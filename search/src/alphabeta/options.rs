//! The options of an alpha-beta search.

use super::features::Features;
use super::params::SearchParams;

/// The options of an [`AlphaBeta`](super::AlphaBeta) searcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The size of the transposition table in mebibytes.
    pub hash: usize,
    /// Threads that search; 0 counts as 1.
    pub threads: usize,
    /// The parts of the search that are in use.
    pub features: Features,
    /// The numbers of pruning and reduction.
    pub params: SearchParams,
}

impl Default for Options {
    fn default() -> Options {
        Options { hash: 64, threads: 1, features: Features::ALL, params: SearchParams::DEFAULT }
    }
}
