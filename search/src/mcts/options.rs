//! The options of a Monte Carlo tree search.

/// The options of [`Mcts`](super::Mcts).
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Threads that run simulations; 0 counts as 1. With one thread, results repeat exactly for a seed and for
    /// limits that do not depend on time.
    pub threads: usize,
    /// Memory for the tree in mebibytes, at least 1. When it is full, the least visited nodes make room.
    pub tree_mb: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// The constant `c` of the selection formula, in shares of a point: the more, the more uncertain moves are
    /// tried. The formula is PUCT (Rosin, 2011, in the form of AlphaGo): the mean result of a move plus
    /// `c * prior * sqrt(visits of the node) / (1 + visits of the move)`.
    pub exploration: f64,
    /// A move without visits counts as the mean result of its node less this share of a point.
    pub first_play_reduction: f64,
    /// Visits of a node before its moves are put into the tree. More saves memory, less searches deeper.
    pub expand_at: u32,
    /// Plies of a playout before it is cut off and the position evaluated; 0 evaluates leaves at once. Without
    /// an evaluation a cut-off counts as a draw.
    pub playout_plies: u32,
    /// Implicit minimax (Lanctot, Winands, Pepels and Sturtevant, 2014): the evaluation, backed up along the tree
    /// by minimax, counts with this weight, from 0 to 1, and the mean result of a move with the rest. It needs a
    /// [`Policy`](super::policy::Policy) that gives the share expected after moves. `None` switches it off; with
    /// dice it is off.
    pub minimax: Option<f64>,
    /// Progressive widening (Coulom, 2007): a node with `n` visits tries this number times the root of `n` of its
    /// moves, at least two, those with the highest priors; moves that are proven lost do not count, and moves of
    /// equal priors are tried together. Infinity tries all.
    pub widening: f64,
}

/// The settings that won the matches of `docs/mcts.md`.
impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            tree_mb: 256,
            seed: 1,
            exploration: 1.5,
            first_play_reduction: 0.1,
            expand_at: 2,
            playout_plies: 200,
            minimax: Some(0.7),
            widening: 1.0,
        }
    }
}
