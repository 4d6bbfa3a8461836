//! Tournaments and matches between players of any game: schedules, openings, clocks, records and statistics.
//!
//! Nothing here knows what game is played: positions and moves are texts.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod accuracy;
pub mod adjudication;
pub mod archive;
pub mod basket_report;
pub mod clock;
pub mod config;
pub mod designer;
pub mod epd;
mod hash;
pub mod log;
pub mod matches;
pub mod openings;
mod ordered;
pub mod pgn;
mod pgn_file;
pub mod pgn_reader;
pub mod record;
pub mod report;
pub mod roster;
pub mod runner;
pub mod schedule;
pub mod spsa;
pub mod standings;
pub mod statistics;
pub mod time_limits;
