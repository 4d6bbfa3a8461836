//! The knobs of a search with hidden information.

/// What a search makes of the worlds that it draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Flat Monte Carlo: each world is played out once after every move of the root. No tree.
    Flat,
    /// Determinized UCT: a tree of perfect information for each of [`worlds`](Options::worlds) worlds, the
    /// visits of their roots summed up as votes (Long, Sturtevant, Buro and Furtak, 2010, on what that costs).
    Determinized,
    /// Single-observer information-set search: one tree of what the viewer knows, another world for each
    /// simulation. The opponent's moves share their statistics over all that he might hold (Cowling, Powley
    /// and Whitehouse, 2012).
    SingleObserver,
    /// Multi-observer information-set search: a tree for each player, in which his moves are told apart by what
    /// he knows himself and the other's by what he notices of them.
    #[default]
    MultiObserver,
    /// Multi-observer search in which the opponent does not know what the viewer hides from him. Every other
    /// simulation is for the opponent's sake: the viewer's hidden part is drawn anew, as the opponent may imagine
    /// it, and only from these he learns; in the others he plays what he has learnt (after the re-determinization
    /// of Goodman, 2019).
    Mutual,
}

impl Method {
    /// All of them, from the simplest to the most elaborate.
    pub const ALL: [Method; 5] =
        [Method::Flat, Method::Determinized, Method::SingleObserver, Method::MultiObserver, Method::Mutual];

    /// `flat`, `determinized`, `single`, `multi` or `mutual`.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Flat => "flat",
            Method::Determinized => "determinized",
            Method::SingleObserver => "single",
            Method::MultiObserver => "multi",
            Method::Mutual => "mutual",
        }
    }

    /// The method of a [`name`](Method::name).
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// The options of [`Ismcts`](super::Ismcts) and of [`Cheat`](super::Cheat).
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// What to make of the worlds.
    pub method: Method,
    /// Threads, each with trees of its own whose roots are summed up at the end (root parallelization); 0
    /// counts as 1. For limits that do not depend on time, results repeat exactly for a seed and a number of
    /// threads.
    pub threads: usize,
    /// Most memory for the trees of all threads together in mebibytes, at least 1. When it is full, trees stop
    /// to grow.
    pub tree_mb: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Worlds with a tree each in [`Method::Determinized`], in every thread; 0 counts as 1.
    pub worlds: usize,
    /// The constant `c` of the selection formula, in shares of a point: the more, the more uncertain moves are
    /// tried. The formula is UCT (Kocsis and Szepesvári, 2006): the mean result of a move plus
    /// `c * sqrt(ln(available) / visits)`, where `available` counts the simulations in which the move existed.
    pub exploration: f64,
    /// Simulations that leave the tree at a new node before its moves are compared: the playout knows better how
    /// to go on than a bandit that has seen nothing.
    pub expand_at: u32,
    /// Visits that the priors of the opponent's moves count for in [`Method::Mutual`]. Infinitely many make him play
    /// by the priors alone, and every simulation is for the viewer's sake.
    pub prior_visits: f64,
    /// A move without visits counts as the mean result of its node less this share of a point.
    pub first_play_reduction: f64,
    /// Plies of a playout before it is cut off and evaluated; 0 evaluates leaves at once.
    pub playout_plies: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: Method::default(),
            threads: 1,
            tree_mb: 256,
            seed: 1,
            worlds: 32,
            exploration: 0.2,
            expand_at: 10,
            prior_visits: 20.0,
            first_play_reduction: 0.1,
            playout_plies: 4,
        }
    }
}
