//! What results say about strength, with error bars.
//!
//! [`counts`] holds results; [`likelihood`] is the one estimator behind intervals, LOS and SPRT; [`elo`] turns
//! scores into Elo; [`sprt`] decides a match early; [`ratings`] rates a field of players.

pub mod counts;
pub mod elo;
pub mod likelihood;
mod normal;
pub mod ratings;
pub mod sprt;
