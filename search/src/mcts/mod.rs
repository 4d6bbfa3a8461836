//! Monte Carlo tree search: simulations grow a tree of the likely lines, and results that are certain in the tree
//! are proven.
//!
//! [`Mcts`] searches games of perfect information, [`DiceMcts`](dice::DiceMcts) games with dice. The tree knows a
//! game only through a `Model`. The design and its measurements are in `docs/mcts.md`.
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::{ChessGame, Leapers};
//! use jewel_search::control::Stop;
//! use jewel_search::limits::Limits;
//! use jewel_search::mcts::{Mcts, Options};
//! use jewel_search::score::Score;
//! use jewel_search::searcher::Searcher;
//!
//! let duel = ChessGame::<Leapers, 4>::new(jewel_engine::games::find("duel").unwrap().rules()).unwrap();
//! let position = duel.parse_position("2l/3/1L1 w - - 0 1")?;
//! let mut mcts = Mcts::new(Options::default());
//! let limits = Limits { playouts: Some(1000), ..Limits::default() };
//! let report = mcts.search(&position, &[], &limits, &Stop::new(), &mut |_| {});
//! assert_eq!(report.best.map(|mv| position.move_text(mv)).as_deref(), Some("b1b2"));
//! assert_eq!(report.score(), Score::win_in(2));
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod compact;
pub mod dice;
mod lines;
mod model;
mod options;
pub mod policy;
mod proof;
mod run;
mod select;
mod simulate;
#[cfg(test)]
mod toys;
mod tree;

pub use options::Options;

use crate::control::{Deadline, Stop};
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::sampling::generators;
use crate::searcher::Searcher;
use compact::Compaction;
use jewel_engine::ability::{NoTables, Probe};
use jewel_engine::playout::Playout;
use jewel_engine::random::Random;
use model::Perfect;
use policy::{Policy, UniformPolicy};
use run::{SearchRequest, deadline};
use std::time::Duration;
use tree::{ROOT, Tree};

/// Most plies between the roots of two searches for the second to reuse the tree of the first.
const REUSE_PLIES: u32 = 2;

/// Monte Carlo tree search of games of perfect information.
#[derive(Debug)]
pub struct Mcts<P: Playout, G = UniformPolicy, T = NoTables> {
    options: Options,
    policy: G,
    tables: T,
    /// What the last search left.
    last: Option<LastSearch<P>>,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

#[derive(Debug)]
struct LastSearch<P: Playout> {
    root: P,
    tree: Tree<P::Move>,
    best: Option<P::Move>,
}

impl<P: Playout> LastSearch<P> {
    /// Whether the tree has everything that matters below a position. In the middle of a turn the tree leaves out
    /// plies of turns that it has in another order, which is right only after the best first ply.
    fn is_whole_at(&self, position: &P) -> bool {
        !P::TURNS
            || *position == self.root
            || position.side_to_move() != self.root.side_to_move()
            || self.best.is_some_and(|best| self.root.after(best) == *position)
    }
}

impl<P: Playout> Mcts<P> {
    /// A searcher that knows nothing but the rules.
    pub fn new(options: Options) -> Mcts<P> {
        Mcts::with_policy(options, UniformPolicy)
    }
}

impl<P: Playout, G: Policy<P>> Mcts<P, G> {
    /// A searcher with evaluations and priors.
    pub fn with_policy(options: Options, policy: G) -> Mcts<P, G> {
        Mcts::with_tables(options, policy, NoTables)
    }
}

impl<P: Playout, G: Policy<P>, T: Probe<P>> Mcts<P, G, T> {
    /// A searcher that also probes endgame tables: positions that they know are proven, and playouts end there.
    pub fn with_tables(options: Options, policy: G, tables: T) -> Mcts<P, G, T> {
        let randoms = generators(options.seed, options.threads);
        Mcts { options, policy, tables, last: None, randoms }
    }

    /// The tree for a position: the part of the last one below it, or a new one.
    fn tree_for(&mut self, root: &P, mut deadline: Deadline) -> Tree<P::Move> {
        if let Some(LastSearch { root: old, mut tree, .. }) =
            self.last.take().filter(|last| last.is_whole_at(root))
            && let Some(node) = find(&tree, ROOT, &old, root, REUSE_PLIES)
        {
            let keep = Compaction { root: node, max_nodes: u32::MAX, forget_draws: true };
            // If there is no time, the tree is as good as a new one.
            let _ = tree.compact(keep, &mut || deadline.expired());
            return tree;
        }
        Tree::new(self.options.tree_mb)
    }
}

/// The node of the position `wanted`, at most `plies` below the node `at` of another position.
fn find<P: Playout>(tree: &Tree<P::Move>, at: u32, position: &P, wanted: &P, plies: u32) -> Option<u32> {
    if position == wanted {
        return Some(at);
    }
    let first = tree.first_child(at).filter(|_| plies > 0)?;
    let children = tree.children(at)?.iter().zip(first..);
    children
        .filter_map(|(child, number)| Some((*child.edge.get()?, number)))
        .find_map(|(edge, number)| find(tree, number, &position.after(edge), wanted, plies - 1))
}

impl<P: Playout, G: Policy<P>, T: Probe<P>> Searcher<P> for Mcts<P, G, T> {
    fn search(
        &mut self,
        root: &P,
        history: &[u64],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        if root.outcome().is_some() {
            return Report::from_lines(Vec::new(), 0, Duration::ZERO);
        }
        let deadline = deadline(limits, stop);
        let mut tree = self.tree_for(root, deadline.clone());
        let model = Perfect {
            root,
            policy: &self.policy,
            tables: &self.tables,
            playout_plies: self.options.playout_plies,
        };
        let request = SearchRequest {
            model: &model,
            options: &self.options,
            limits,
            history,
            stop,
            deadline: &deadline,
        };
        let report = request.run(&mut tree, &mut self.randoms, on_info);
        self.last = Some(LastSearch { root: root.clone(), tree, best: report.best });
        report
    }

    fn new_game(&mut self) {
        self.policy.forget();
        self.last = None;
        self.randoms = generators(self.options.seed, self.options.threads);
    }
}
