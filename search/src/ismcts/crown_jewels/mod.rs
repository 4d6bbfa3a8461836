//! What the searchers know of Crown Jewels: what tiles are worth, how players are likely to move, what a player
//! may believe of the tiles that he does not see, and how to give and to place.

mod belief;
mod insight;
mod setup;
mod standing;
mod worth;

pub use belief::{Trust, Watcher};
pub use insight::CrownJewelsInsight;
pub use setup::{Chooser, Habits};
pub use standing::Standing;
pub use worth::Worths;
