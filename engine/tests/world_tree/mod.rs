//! Diamond Chess of the World Tree: the reference counts, the rules one by one, the notation, and what searches
//! and playouts rely on.

mod board;
mod pieces;
mod reference;
mod search;
mod text;
mod turns;
