//! Diamond Chess of the World Tree: two towns on opposite banks of a river, and turns of two piece moves or one
//! attack.
//!
//! A turn is one or two plies by the same player: [`side_to_move`] stays until the turn ends. The
//! numbers W1 to W7 in the comments are those of the project's rules file; `docs/world-tree.md` describes the
//! notation.
//!
//! [`side_to_move`]: crate::position::Position::side_to_move
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::perft::perft;
//! use jewel_engine::position::Position;
//! use jewel_engine::value::Side;
//! use jewel_engine::world_tree::{WorldTree, WorldTreeGame};
//!
//! let mut position = WorldTreeGame::standard().start();
//! assert_eq!(perft(&position, 2), 4776);
//! // The first player's orren moves, and then two cani of a pack.
//! for ply in WorldTree::split_turn("a5c5,b6c6-b5d6") {
//!     assert_eq!(position.side_to_move(), Side::White);
//!     position.play(position.parse_move(ply)?);
//! }
//! assert_eq!(position.side_to_move(), Side::Black);
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod attacks;
mod board;
mod game;
mod hash;
mod kind;
mod legal;
mod lines;
mod movegen;
mod notation;
mod packed;
mod packs;
mod placement;
mod play;
mod playout;
mod ply;
mod ply_error;
mod state;
mod symmetry;
mod tactics;
mod text;

pub use game::{ParameterError, WorldTreeGame};
pub use kind::Kind;
pub use ply::{Hit, Hits, Move, Ply};
pub use ply_error::PlyError;
pub use state::WorldTree;
pub use text::PositionError;

/// Turns without a capture or placement after which the game is drawn (W5).
pub const QUIET_LIMIT: u32 = 100;
