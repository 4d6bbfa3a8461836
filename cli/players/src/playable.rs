//! What a game brings along to be played by engines.

use crate::hidden::{HiddenSearcher, PlayerView};
use crate::options::{Leaf, Options};
use anyhow::{Result, bail};
use jewel_engine::ability::{Game, Probe, Symmetric};
use jewel_engine::diagram::Diagram;
use jewel_engine::playout::Playout;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::Evaluate;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// What `jewel games` says about a game beside its id and name.
#[derive(Clone, Debug)]
pub struct About {
    /// The size of its board, such as `8x8`.
    pub board: String,
    /// What a player is after, such as `capture the town`.
    pub objective: String,
    /// A sentence about it.
    pub summary: String,
}

/// A game that engines can play. Two items are required; the others are for games that have more to offer.
pub trait Playable: Game<Position: Tactics + Playout + Symmetric> + 'static {
    /// What its positions are worth.
    type Evaluation: Evaluate<Self::Position> + 'static;

    /// The best evaluation that the game has.
    fn evaluation(&self) -> Self::Evaluation;

    /// What `jewel games` says about it.
    fn about(&self) -> About {
        About { board: String::new(), objective: String::new(), summary: String::new() }
    }

    /// The parameters of alpha-beta search.
    fn params(&self) -> SearchParams {
        SearchParams::for_game(self.id())
    }

    /// How Monte Carlo tree search values its leaves.
    fn leaf(&self) -> Leaf {
        Leaf::Evaluated
    }

    /// How much that counts beside the results of simulations, in hundredths.
    fn minimax(&self) -> u32 {
        0
    }

    /// The evaluation by the network of a file, or without any if the file is called `none`.
    ///
    /// # Errors
    /// If the file cannot be read, or holds no network for this game.
    fn evaluation_with_net(&self, net: &Path) -> Result<Self::Evaluation> {
        let _ = net;
        bail!("{}: there are networks for the games of variant files alone", self.id())
    }

    /// The evaluation with the weights of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or holds no weights for this game.
    fn evaluation_with_weights(&self, weights: &Path) -> Result<Self::Evaluation> {
        let _ = weights;
        bail!("{}: its evaluation takes no weights from a file", self.id())
    }

    /// The endgame tables, the solution files and the proof files of a folder.
    ///
    /// # Errors
    /// If the folder cannot be read, or the game has none of them.
    fn tables(&self, folder: &Path) -> Result<SharedTables<Self::Position>> {
        let _ = folder;
        bail!("{}: there are endgame tables for the games of variant files alone", self.id())
    }

    /// The value of positions that are decided long before they end, such as races that nobody can stop, in games in which that
    /// can be seen without search. The distance may be longer than it has to be.
    fn glance(&self) -> Option<Glance<Self::Position>> {
        None
    }

    /// Whether the players see different things. Such a game has a [`hidden_searcher`](Playable::hidden_searcher) and
    /// [views](Playable::view_of).
    fn hides(&self) -> bool {
        false
    }

    /// The searcher for players who do not see everything; `None` in games that hide nothing.
    fn hidden_searcher(&self, options: &Options) -> Option<Box<dyn HiddenSearcher<Self::Position> + Send>> {
        let _ = options;
        None
    }

    /// Gives the pieces of a diagram that come from promotions their own names, in games that have such names; `moves`
    /// led to it.
    fn name_promoted(&self, diagram: &mut Diagram, moves: &[String]) {
        let _ = (diagram, moves);
    }

    /// Plies after which a game is drawn where nobody says anything else, in games that need not end by themselves;
    /// `None` for what is usual.
    fn usual_cap(&self) -> Option<usize> {
        None
    }

    /// A start position drawn at random, in games that begin with a deal.
    fn deal(&self, random: &mut Random) -> Option<Self::Position> {
        let _ = random;
        None
    }

    /// What one player sees; `None` in games that hide nothing.
    fn view_of(&self, position: &Self::Position, viewer: Side) -> Option<PlayerView> {
        let _ = (position, viewer);
        None
    }

    /// What a move reveals to both players of what only one of them saw before, in words.
    fn revealed(&self, before: &Self::Position, mv: <Self::Position as Position>::Move) -> Option<String> {
        let _ = (before, mv);
        None
    }

    /// Reads the text of what one player sees, with a position that may be behind it; `None` if it is a position
    /// string.
    ///
    /// # Errors
    /// If the text is wrong.
    fn read_view(&self, text: &str) -> Result<Option<(PlayerView, Self::Position)>> {
        let _ = text;
        Ok(None)
    }
}

/// What is seen of a position that is not over without search.
pub type Glance<P> = Box<dyn Fn(&P) -> Option<Value> + Send + Sync>;

/// Tables that several searchers probe.
pub type SharedTables<P> = Arc<dyn Probe<P>>;

/// Tables, if there are any.
pub(crate) struct Tables<P>(pub(crate) Option<SharedTables<P>>);

impl<P> Clone for Tables<P> {
    fn clone(&self) -> Tables<P> {
        Tables(self.0.clone())
    }
}

impl<P: Position> Probe<P> for Tables<P> {
    #[inline]
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.0.as_ref()?.probe_wdl(position)
    }

    #[inline]
    fn probe(&self, position: &P) -> Option<Value> {
        self.0.as_ref()?.probe(position)
    }

    #[inline]
    fn probe_least(&self, position: &P) -> Option<Value> {
        self.0.as_ref()?.probe_least(position)
    }
}

/// A game with an evaluation that was given to it.
#[derive(Clone)]
pub(crate) struct WithEvaluation<G, E> {
    pub(crate) game: G,
    pub(crate) evaluation: E,
}

impl<G: Game, E: Clone + Send + Sync> Game for WithEvaluation<G, E> {
    type Position = G::Position;

    fn id(&self) -> &str {
        self.game.id()
    }

    fn name(&self) -> &str {
        self.game.name()
    }

    fn start(&self) -> G::Position {
        self.game.start()
    }

    fn parse_position(&self, text: &str) -> Result<G::Position, Box<dyn Error + Send + Sync>> {
        self.game.parse_position(text)
    }

    fn repetition(&self) -> u32 {
        self.game.repetition()
    }
}

impl<G, E> Playable for WithEvaluation<G, E>
where
    G: Game<Position: Tactics + Playout + Symmetric> + 'static,
    E: Evaluate<G::Position> + 'static,
{
    type Evaluation = E;

    fn evaluation(&self) -> E {
        self.evaluation.clone()
    }
}
