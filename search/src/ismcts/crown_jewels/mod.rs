//! Knowledge of Crown Jewels: an evaluation, how players are likely to move, and how to give and place tiles.

mod insight;
mod material;
mod move_weights;
mod placement;

pub use insight::CrownJewelsInsight;
pub use material::MaterialEvaluation;
pub use placement::Chooser;
