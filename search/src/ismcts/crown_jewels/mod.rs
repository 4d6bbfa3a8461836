//! Knowledge of Crown Jewels: an evaluation, how players are likely to move, and how to give and place tiles.

mod insight;
mod setup;
mod standing;
mod worth;

pub use insight::CrownJewelsInsight;
pub use setup::{Chooser, Habits};
pub use standing::Standing;
pub use worth::Worths;
