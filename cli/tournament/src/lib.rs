//! Tournaments and matches between players of any game: schedules, openings, clocks, records and statistics.
//!
//! Nothing here knows what game is played: positions and moves are texts.
#![deny(missing_docs)]

pub mod clock;
pub mod schedule;
pub mod statistics;
