//! Alpha-beta search: iterative deepening with a principal variation search, shared among threads through
//! the transposition table ("lazy SMP").
//!
//! Read `node` for what happens at a position, `selectivity` for what is searched less deep or deeper,
//! `quiescence` for the end of a line, `chance` for rolls of dice, `root` for the iterations and `threads` for how several workers become
//! one searcher. The methods are those that the field has
//! agreed on (see the Chess Programming Wiki); the numbers are from measurements, see docs/search.md.

mod chance;
mod features;
mod lazy_state;
mod node;
mod params;
mod quiescence;
mod root;
mod selectivity;
mod shallow_search;
mod threads;
mod worker;

pub use features::Features;
pub use params::{Param, SearchParams, SearchParamsError};
pub use shallow_search::ShallowSearch;
pub use threads::{AlphaBeta, Options};
