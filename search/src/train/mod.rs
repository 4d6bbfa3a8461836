//! Training a network for a game of a variant file, from games that the program plays against itself.
//!
//! [`SelfPlay`](crate::tune::SelfPlay) makes games, [`Samples`] keep what their positions look like and were
//! found to be worth, and [`fit`] finds the weights of a [`Net`](crate::evaluate::net::Net) that foretells both
//! the scores of searches and the results of games. Nothing depends on the number of threads.

mod fit;
mod model;
mod samples;

pub use fit::{Epoch, Fitting, fit};
pub use samples::Samples;
