//! The matches of Jewel: Northern Light and the series of Facets 1 to 3.
//!
//! [`rules`] says which game comes next and what it is worth; [`play`] plays; [`scoresheet`] reports
//! the results.

pub mod play;
pub mod points;
pub mod rules;
pub mod scoresheet;
