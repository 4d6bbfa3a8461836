//! Exact values of games that are small enough to look at every position: win, draw or loss, and the distance to the end
//! under best play.
//!
//! There are two ways. A [`Graph`](graph::Graph) holds all positions that can be reached from a root, of any game:
//! [`enumerate`](graph::Graph::enumerate) finds them, [`solve`](graph::Graph::solve) decides them from the ends backwards, and
//! [`verify`](verify::verify) checks the [`Solution`](solution::Solution) by the rules alone; [`state`] saves and resumes what
//! was stopped. [`tablebase`] solves chess-like games class by class and writes the values to files. `docs/solver.md` has the
//! methods, their memory and the file formats.
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
//! let mut graph = Graph::new(duel.start())?;
//! let solution = Control::with_limits(Limits::default(), |control| {
//!     graph.enumerate(control)?;
//!     graph.solve(control)
//! })?;
//! assert_eq!(solution.value(&duel.start()), Some(Value::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From a variant file to its tables and to their values:
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::ChessGame;
//! use jewel_engine::position::Position;
//! use jewel_engine::variant::Rules;
//! use jewel_solver::tablebase::build::{Options, build};
//! use jewel_solver::tablebase::{Plan, Scope, TableSet};
//!
//! let text = std::fs::read_to_string("../examples/variants/duel-4x4.toml")?;
//! let rules = Rules::parse(&text)?.leak();
//! let folder = std::env::temp_dir().join(format!("jewel-solver-{}", std::process::id()));
//! build(&Plan::new(rules, &Scope::Start)?, &folder, &Options::default(), &Default::default(), &|_| {})?;
//! let tables = TableSet::open(rules, &folder)?;
//!
//! let mut position = ChessGame::from_any(rules).start();
//! println!("{}", tables.probe(&position)?);
//! position.play(position.parse_move("d1d2").map_err(|e| e.to_string())?);
//! println!("{}: {}", position.position_text(), tables.probe(&position)?);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod arena;
mod arithmetic;
mod blocks;
pub mod control;
pub mod dense;
pub mod disk;
mod frontier;
pub mod graph;
pub mod histogram;
mod key_graph;
mod keyed;
pub mod line;
mod memory;
mod positions;
mod predecessors;
pub mod proof;
mod propagate;
mod retrograde;
pub mod solution;
pub mod solution_file;
mod sorted;
pub mod state;
mod store;
mod subsets;
mod sweeps;
pub mod tablebase;
pub mod verify;
pub mod width;
mod word;
