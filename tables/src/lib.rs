//! Files of exact values of positions: format, compression, writing, probing.
//!
//! This crate knows no game. A [`Scheme`](scheme::Scheme) says which pieces a table is for and where they can stand, and the
//! caller that solves a game supplies the values. `docs/table-format.md` defines the format.
//!
//! ```
//! use jewel_engine::value::{Side, Value};
//! use jewel_tables::scheme::{Group, Map, Scheme};
//! use jewel_tables::writer::{Options, write_to};
//! use jewel_tables::{cache::Cache, index::PieceSet, index::Plane, reader::Table, value::Cell};
//!
//! // One king a side on a 2x2 board; White to move wins, Black to move draws.
//! let groups = Side::BOTH.map(|side| Group { side, letter: b'K', count: 1, allowed: 0b1111 }).to_vec();
//! let symmetries = vec![Map { exchange: false, squares: vec![0, 1, 2, 3] }];
//! let scheme = Scheme { width: 2, height: 2, groups, leading: 1, symmetries };
//! let values = |_: &Plane, turn: Side, cells: &mut [Cell]| {
//!     cells.fill(if turn == Side::White { Cell::win(1) } else { Cell::DRAW });
//! };
//! let mut file = vec![];
//! write_to(&mut file, &scheme, &Options::new(7, "kings", "a test"), &values, &mut |_| true)?;
//! let table = Table::from_source("kings", Box::new(file))?;
//! let king = |side, squares| PieceSet { side, letter: b'K', squares };
//! let position = [king(Side::White, 0b0001), king(Side::Black, 0b1000)];
//! assert_eq!(table.probe(&position, Side::White, &Cache::new(1 << 20))?, Value::Win(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod atomic;
mod block;
pub mod bytes;
pub mod cache;
pub mod combination;
mod distances;
pub mod error;
mod header;
pub mod index;
pub mod map;
pub mod metadata;
mod model;
mod neighbours;
pub mod orbits;
mod rans;
pub mod reader;
pub mod scheme;
pub mod source;
mod train;
pub mod value;
pub mod writer;
