//! The matches of Jewel: Northern Light and the series of Facets 1 to 3.
//!
//! [`rules`] says what is played next and what it is worth, and plays nothing; [`play`] plays; [`sheet`] is what
//! is left of it.

pub mod play;
pub mod points;
pub mod rules;
pub mod sheet;
