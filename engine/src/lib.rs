//! Boards, rules, move generation and notation of small board games: what search, solver and tables are
//! built on. It knows no clock, prints nothing and opens no file.
//!
//! A game fulfils the contract [`Position`](position::Position), of which five items are required; what more it
//! can do is a trait of [`ability`], [`chance`], [`playout`] or [`tactics`], each with defaults. The crate in
//! `examples/adding-a-game` is a complete game, and `docs/adding-a-game.md` goes through it.
//!
//! ```
//! use jewel_engine::perft::perft;
//! use jewel_engine::prelude::*;
//!
//! /// Nim with one heap: take one, two or three; the player who takes the last one wins.
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! struct Heap(u8, Side);
//!
//! impl Position for Heap {
//!     type Move = u8;
//!
//!     fn side_to_move(&self) -> Side {
//!         self.1
//!     }
//!
//!     fn outcome(&self) -> Option<Outcome> {
//!         (self.0 == 0).then_some(Outcome::Loss)
//!     }
//!
//!     fn moves<B>(&self, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
//!         (1..=self.0.min(3)).try_for_each(visit)
//!     }
//!
//!     fn play(&mut self, taken: u8) {
//!         *self = Heap(self.0 - taken, !self.1);
//!     }
//! }
//!
//! assert_eq!(perft(&Heap(5, Side::White), 2), 8);
//! ```
//!
//! Chess-like games are variant files, compiled by [`variant`] and played by [`chesslike`].
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::ChessGame;
//! use jewel_engine::perft::perft;
//! use jewel_engine::position::{Position, list_moves};
//! use jewel_engine::variant::Rules;
//!
//! let text = std::fs::read_to_string("../examples/variants/duel-4x4.toml")?;
//! let game = ChessGame::from_any(Rules::parse(&text)?.leak());
//! let mut position = game.start();
//! println!("{} moves, {} sequences of six plies", list_moves(&position).len(), perft(&position, 6));
//! while position.outcome().is_none() && position.clock() < 20 {
//!     let mv = list_moves(&position)[0];
//!     println!("{}", position.move_text(mv));
//!     position.play(mv);
//! }
//! println!("{}: {:?}", position.position_text(), position.outcome());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Games that come with the crate need no file, and a game that is compiled for what its rules contain is faster:
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
mod batch;
pub mod betza;
pub mod bitboard;
pub mod bits;
pub mod chance;
pub mod chesslike;
pub mod crown_jewels;
pub mod crystal;
pub mod diagram;
mod fen;
pub mod games;
pub mod geometry;
pub mod hidden;
pub mod interchange;
pub mod kings_mate;
pub mod laws;
pub mod parallel;
pub mod parameters;
pub mod perft;
pub mod plain;
pub mod playout;
pub mod position;
pub mod prefetch;
pub mod prelude;
pub mod race;
pub mod random;
pub mod ranking;
mod spelling;
pub mod symmetry;
pub mod tactics;
pub mod text;
pub mod threads;
mod unsupported;
pub mod value;
pub mod variant;
pub mod world_tree;
pub mod zobrist;
