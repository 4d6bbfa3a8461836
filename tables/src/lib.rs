//! Files of exact values of positions: format, compression, writing, probing. There is no game in here:
//! a table is laid out by a [`Scheme`](scheme::Scheme), and whoever solves a game says what its cells hold.
//!
//! The format is defined in `docs/table-format.md`.
//!
//! ```
//! use jewel_engine::value::{Side, Value};
//! use jewel_tables::cache::Cache;
//! use jewel_tables::index::{Men, Plane};
//! use jewel_tables::reader::Table;
//! use jewel_tables::scheme::{Group, Map, Scheme};
//! use jewel_tables::value::Cell;
//! use jewel_tables::writer::{Options, write_to};
//!
//! // One piece a side on a 2x2 board, no symmetry but the identity.
//! let group = |side| Group { side, letter: b'K', count: 1, allowed: 0b1111 };
//! let scheme = Scheme {
//!     width: 2,
//!     height: 2,
//!     groups: vec![group(Side::White), group(Side::Black)],
//!     leading: 1,
//!     symmetries: vec![Map { exchange: false, squares: vec![0, 1, 2, 3] }],
//! };
//! // The side to move wins at once if it is White.
//! let values = |_: &Plane, turn: Side, cells: &mut [Cell]| {
//!     cells.fill(if turn == Side::White { Cell::win(1) } else { Cell::DRAW });
//! };
//! let mut file = vec![];
//! write_to(&mut file, &scheme, &Options::new(7, "kings", "a test"), &values, &mut |_| true)?;
//!
//! let table = Table::from_source("kings", Box::new(file))?;
//! table.check_rules(7)?;
//! let men = |side, squares| Men { side, letter: b'K', squares };
//! let position = [men(Side::White, 0b0001), men(Side::Black, 0b1000)];
//! let cache = Cache::new(1 << 20);
//! assert_eq!(table.probe(&position, Side::White, &cache)?, Value::Win(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod atomic;
mod block;
pub mod cache;
pub mod combination;
pub mod error;
mod header;
pub mod index;
pub mod metadata;
mod model;
mod rans;
pub mod reader;
pub mod scheme;
pub mod source;
mod train;
pub mod value;
pub mod writer;
