//! Monte Carlo tree search: random games decide where a tree of the likely lines grows, and what is decided
//! in the tree is proven.
//!
//! [`Mcts`] searches games of perfect information. The tree itself knows a game only through a
//! [`Model`](model::Model), which has room for chance and for hidden information. The design and what was
//! measured of it are in `docs/mcts.md`.
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

pub mod dice;
pub mod guide;
mod lines;
pub mod model;
mod options;
mod past;
mod proof;
mod recycle;
mod run;
mod select;
mod simulate;
#[cfg(test)]
mod toys;
mod tree;

pub use options::{FirstPlay, Options, Selection};

use crate::control::Stop;
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::searcher::Searcher;
use guide::{Guide, Unguided};
use jewel_engine::ability::{NoTables, Probe};
use jewel_engine::playout::Playout;
use jewel_engine::random::Random;
use model::Perfect;
use recycle::Retain;
use run::Task;
use std::time::Duration;
use tree::{ROOT, Tree};

/// Plies that a game may go on between two searches for the tree to be of use.
const REUSE_PLIES: u32 = 2;

/// Monte Carlo tree search of games of perfect information.
#[derive(Debug)]
pub struct Mcts<P: Playout, G = Unguided, T = NoTables> {
    options: Options,
    guide: G,
    tables: T,
    /// What the last search left.
    known: Option<Known<P>>,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

#[derive(Debug)]
struct Known<P: Playout> {
    root: P,
    tree: Tree<P::Move>,
    best: Option<P::Move>,
}

impl<P: Playout> Known<P> {
    /// Whether all that matters is in the tree below a position. In the middle of a turn plies may be missing
    /// whose turns are better begun otherwise, which is right only after the best beginning.
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
        Mcts::guided(options, Unguided)
    }
}

impl<P: Playout, G: Guide<P>> Mcts<P, G> {
    /// A searcher with evaluations and priors.
    pub fn guided(options: Options, guide: G) -> Mcts<P, G> {
        Mcts::with_tables(options, guide, NoTables)
    }
}

impl<P: Playout, G: Guide<P>, T: Probe<P>> Mcts<P, G, T> {
    /// A guided searcher that also asks a source of exact values: positions that it knows are proven, and
    /// playouts end there.
    pub fn with_tables(options: Options, guide: G, tables: T) -> Mcts<P, G, T> {
        let threads = options.threads.max(1) as u64;
        let randoms = (0..threads).map(|thread| Random::stream(options.seed, thread)).collect();
        Mcts { options, guide, tables, known: None, randoms }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the options and forgets everything.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
        self.new_game();
    }

    /// The tree for a position: what is known of it already, or a new one.
    fn tree_for(&mut self, root: &P) -> Tree<P::Move> {
        if self.options.reuse
            && let Some(Known { root: old, mut tree, .. }) = self.known.take().filter(|k| k.is_whole_at(root))
            && let Some(node) = find(&tree, ROOT, &old, root, REUSE_PLIES)
        {
            tree.retain(Retain { root: node, nodes: u32::MAX, forget_draws: true });
            return tree;
        }
        Tree::new(self.options.tree_mb, self.options.rave.is_some())
    }
}

/// The node of a position at most so many plies below another.
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

impl<P: Playout, G: Guide<P>, T: Probe<P>> Searcher<P> for Mcts<P, G, T> {
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
        let mut tree = self.tree_for(root);
        let model = Perfect {
            root,
            guide: &self.guide,
            tables: &self.tables,
            keen: self.options.keen,
            playout_plies: self.options.playout_plies,
        };
        let task = Task { model: &model, options: &self.options, limits, history, stop };
        let report = task.run(&mut tree, &mut self.randoms, on_info);
        self.known = Some(Known { root: root.clone(), tree, best: report.best });
        report
    }

    fn new_game(&mut self) {
        self.guide.forget();
        self.known = None;
        let threads = self.options.threads.max(1) as u64;
        self.randoms = (0..threads).map(|thread| Random::stream(self.options.seed, thread)).collect();
    }
}
