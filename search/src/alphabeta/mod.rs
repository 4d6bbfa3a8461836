//! Alpha-beta search: iterative deepening with a principal variation search, shared among threads through
//! the transposition table ("lazy SMP").
//!
//! `node` has the steps at a position, `learn` keeps what they find, `selectivity` prunes, reduces and extends,
//! `quiescence` ends a line, `chance` averages over rolls of dice, `root` has the iterations, and `threads` makes one
//! searcher of several workers. The methods are standard (see the Chess Programming Wiki); the numbers are from
//! measurements, see docs/search.md.

mod chance;
mod features;
mod lazy_state;
mod learn;
mod node;
mod options;
mod order;
mod params;
mod quiescence;
mod root;
mod selectivity;
mod shallow_search;
mod threads;
mod worker;

pub use features::Features;
pub use options::Options;
pub use params::{Param, SearchParams, SearchParamsError};
pub use shallow_search::ShallowSearch;
pub use threads::AlphaBeta;
