//! Exact values of games small enough to look at every position: win, draw or loss, and the distance to
//! the end under best play, of everything that can be reached from a root position.
//!
//! The steps, each a module: [`Graph::enumerate`](graph::Graph::enumerate) finds the positions,
//! [`Graph::solve`](graph::Graph::solve) decides them from the ends backwards, and
//! [`verify`](verify::verify) checks the [`Solution`](solution::Solution) by the rules alone. What stops on
//! a limit or an interrupt is saved and resumed by [`state`]. `docs/solver.md` has the method, the memory
//! that it takes and the file format.
//!
//! ```
//! use jewel_engine::ability::Game;
//! use jewel_engine::chesslike::{ChessGame, Leapers};
//! use jewel_engine::games;
//! use jewel_engine::value::Value;
//! use jewel_solver::control::{Control, Limits};
//! use jewel_solver::graph::Graph;
//!
//! let duel = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
//! let mut graph = Graph::<_, u64>::new(duel.start());
//! let solution = Control::with_limits(Limits::default(), |control| {
//!     graph.enumerate(control)?;
//!     graph.solve(control)
//! })?;
//! assert_eq!(solution.value(&duel.start()), Some(Value::Draw));
//! # Ok::<(), jewel_solver::control::Stop>(())
//! ```
#![deny(missing_docs)]

pub mod control;
pub mod graph;
pub mod line;
mod links;
mod propagate;
mod retrograde;
mod reverse;
pub mod solution;
pub mod state;
mod store;
pub mod tablebase;
pub mod verify;
pub mod width;
