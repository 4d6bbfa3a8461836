//! The options of a search with hidden information.

/// How a search uses the worlds that it draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Flat Monte Carlo, without a tree: each world is played out once after every move of the root.
    Flat,
    /// Determinized UCT: a tree of perfect information for each of [`worlds`](Options::worlds) worlds, the
    /// visits of their roots summed up as votes (Long, Sturtevant, Buro and Furtak, 2010, on what that costs).
    Determinized,
    /// Single-observer information-set search: one tree of what the viewer knows, another world for each
    /// simulation. The opponent's moves have the same statistics whatever the opponent may hold (Cowling, Powley and
    /// Whitehouse, 2012).
    SingleObserver,
    /// Multi-observer information-set search: a tree for each player, which tells the player's own moves apart by what
    /// the player knows, and the opponent's by what the player notices of them.
    #[default]
    MultiObserver,
    /// Multi-observer search in which the opponent does not know what the viewer hides. In every other simulation the
    /// viewer's hidden part is drawn anew, as the opponent may imagine it, and only from these the opponent learns; in
    /// the others the opponent plays what it has learnt (after the re-determinization of Goodman, 2019).
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
    /// How worlds are used.
    pub method: Method,
    /// Threads, each with its own trees, whose roots are summed up at the end (root parallelization); 0 counts as 1.
    /// With limits that do not depend on time, results repeat exactly for a seed and a number of threads.
    pub threads: usize,
    /// Memory for the trees of all threads together in mebibytes, at least 1. When it is full, trees stop growing.
    pub tree_mb: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Worlds with a tree each in [`Method::Determinized`], in every thread; 0 counts as 1.
    pub worlds: usize,
    /// The constant `c` of the selection formula, in shares of a point: the more, the more uncertain moves are
    /// tried. The formula is UCT (Kocsis and Szepesvári, 2006): the mean result of a move plus
    /// `c * sqrt(ln(available) / visits)`, where `available` counts the simulations in which the move existed.
    pub exploration: f64,
    /// Simulations that leave the tree at a new node before its moves are compared: a playout goes on better than a
    /// bandit without results.
    pub expand_at: u32,
    /// Visits that the priors of the opponent's moves count for in [`Method::Mutual`]. With infinity the opponent plays
    /// by the priors alone, and every simulation is the viewer's.
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
