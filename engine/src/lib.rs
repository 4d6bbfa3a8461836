//! Boards, rules, move generation and notation of small board games: the ground that search, solver and
//! tables stand on. It knows no clock, prints nothing and opens no file.
//!
//! A game fulfils the contract [`Position`](position::Position); what more it can do is a trait of
//! [`ability`]. Chess-like games are variant files, compiled by [`variant`] and played by [`chesslike`].
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::{ChessGame, Leapers};
//! use jewel_engine::games;
//! use jewel_engine::perft::perft;
//! use jewel_engine::position::Position;
//!
//! let duel = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
//! let mut position = duel.start();
//! assert_eq!(perft(&position, 5), 600);
//! for text in ["c1b1", "a3c3", "b1b2", "c3a3"] {
//!     position.play(position.parse_move(text)?);
//! }
//! // Red holds the key.
//! assert_eq!(position.outcome(), Some(jewel_engine::value::Outcome::Win));
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
#![deny(missing_docs)]

pub mod ability;
pub mod betza;
pub mod bitboard;
pub mod bits;
pub mod chance;
pub mod chesslike;
pub mod crown_jewels;
pub mod crystal;
pub mod diagram;
pub mod games;
pub mod geometry;
pub mod hidden;
pub mod interchange;
pub mod kings_mate;
pub mod laws;
pub mod parameters;
pub mod perft;
pub mod playout;
pub mod position;
pub mod prelude;
pub mod random;
pub mod ranking;
pub mod symmetry;
pub mod tactics;
pub mod value;
pub mod variant;
pub mod world_tree;
pub mod zobrist;
