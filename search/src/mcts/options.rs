//! The knobs of a Monte Carlo tree search.

/// How a simulation chooses among the moves of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Selection {
    /// UCT (Kocsis and Szepesvári, 2006): mean result plus `c * sqrt(ln(parent visits) / visits)`.
    Uct,
    /// PUCT (Rosin, 2011, in the form of AlphaGo): mean result plus
    /// `c * prior * sqrt(parent visits) / (1 + visits)`. The priors come from the
    /// [`Guide`](super::guide::Guide).
    Puct,
}

/// What a move without visits counts for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FirstPlay {
    /// More than any other: every move is tried before one is tried again.
    First,
    /// The mean result of the parent less this much of a point.
    Below(f64),
}

/// The options of [`Mcts`](super::Mcts).
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Threads that run simulations; 0 counts as 1. With one, results repeat exactly for a seed and for
    /// limits that do not depend on time.
    pub threads: usize,
    /// Memory for the tree in mebibytes, at least 1. When it is full, the least visited nodes make room.
    pub tree_mb: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// The formula by which moves are chosen in the tree.
    pub selection: Selection,
    /// The constant `c` of the formula: how much an uncertain move is worth trying, in shares of a point.
    pub exploration: f64,
    /// What a move without visits counts for.
    pub first_play: FirstPlay,
    /// Visits of a node before its moves are put into the tree. More saves memory, less looks deeper.
    pub expand_at: u32,
    /// Playouts take and meet decisive threats where the game sees them at a glance; else they are uniform.
    pub keen: bool,
    /// Plies of a playout before it is cut off and the position evaluated; 0 evaluates leaves at once. Without
    /// an evaluation a cut-off counts as a draw.
    pub playout_plies: u32,
    /// Rapid action value estimation (Gelly and Silver, 2007): results of a move wherever it was played later
    /// in a simulation count as much as its own until it has about so many visits. `None` switches it off.
    pub rave: Option<f64>,
    /// Keep what was learnt about a position for when the game gets there.
    pub reuse: bool,
    /// A position in which the side to move wins at once, as far as the game sees it at a glance, is proven as
    /// soon as it is in the tree.
    pub decisive: bool,
    /// Progressive history (Nijssen and Winands, 2011): the mean result that a move had wherever it was played
    /// in this search, less that of the node, counts with this weight over one more than the points that the
    /// move has lost here. `None` switches it off.
    pub history: Option<f64>,
    /// Implicit minimax (Lanctot, Winands, Pepels and Sturtevant, 2014): the mean result of a move counts one less
    /// this weight, from 0 to 1, and the evaluation, taken back along the tree by minimax, the rest. It needs a
    /// [`Guide`](super::guide::Guide) that says what moves are worth. `None` switches it off; with dice it is off.
    pub minimax: Option<f64>,
    /// Progressive widening (Coulom, 2007): a node that was visited `n` times tries this many moves times the
    /// root of `n`, at least two and those of the highest priors; moves that are proven lost do not count, and
    /// moves of equal priors are tried together. `None` tries all.
    pub widening: Option<f64>,
}

/// The settings that won the matches of `docs/mcts.md`.
impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            tree_mb: 256,
            seed: 1,
            selection: Selection::Puct,
            exploration: 1.5,
            first_play: FirstPlay::Below(0.1),
            expand_at: 2,
            keen: true,
            playout_plies: 200,
            rave: None,
            reuse: true,
            decisive: true,
            history: None,
            minimax: Some(0.7),
            widening: Some(1.0),
        }
    }
}
