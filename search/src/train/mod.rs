//! Training a network for a game from a variant file, from games of self-play.
//!
//! [`SelfPlay`](crate::tune::SelfPlay) plays the games, [`Samples`] keep their positions and scores, and [`fit`] finds
//! the weights of a [`Net`](crate::evaluate::net::Net) that predicts both the scores of searches and the results of
//! games. Results do not depend on the number of threads.

mod fit;
mod model;
mod samples;
mod shared;

pub use fit::{Epoch, Fitting, fit};
pub use samples::Samples;
