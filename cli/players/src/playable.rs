//! What each family of games brings along to be played by engines.

use crate::engine::{Leaf, Options};
use crate::nets::evaluation_by;
use crate::veiled::{Guesser, Seen};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Probe, Symmetric};
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{KingsMateGame, RuleSet};
use jewel_engine::playout::Playout;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::{
    CrystalEvaluation, Evaluate, Evaluation, HandcraftedEvaluation, KingsMateEvaluation, WorldTreeEvaluation,
};
use jewel_solver::tablebase::TableSet;
use std::path::Path;
use std::sync::Arc;

/// A game that engines can play: what its family brings along.
pub(crate) trait Playable: Game + 'static
where
    Self::Position: Tactics + Playout + Symmetric,
{
    /// What its positions are worth.
    type Evaluation: Evaluate<Self::Position> + 'static;

    /// The evaluation before any tuning.
    fn untuned(&self) -> Self::Evaluation;

    /// The best evaluation that there is. By default the untuned one.
    fn evaluation(&self) -> Self::Evaluation {
        self.untuned()
    }

    /// The numbers to search it with.
    fn params(&self) -> SearchParams {
        SearchParams::for_game(self.id())
    }

    /// What Monte Carlo tree search goes by at its leaves.
    fn leaf(&self) -> Leaf {
        Leaf::Evaluated
    }

    /// What that counts beside the results of simulations, in hundredths.
    fn minimax(&self) -> u32 {
        0
    }

    /// The evaluation by the network of a file, or without any if the file is `none`.
    ///
    /// # Errors
    /// If the file cannot be read, or is no network for this game.
    fn evaluation_by(&self, net: &Path) -> Result<Self::Evaluation> {
        let _ = net;
        bail!("{}: there are networks for the games of variant files alone", self.id())
    }

    /// The endgame tables of a folder.
    ///
    /// # Errors
    /// If the folder cannot be read, or the game has no tables.
    fn tables(&self, folder: &Path) -> Result<SharedTables<Self::Position>> {
        let _ = folder;
        bail!("{}: there are endgame tables for the games of variant files alone", self.id())
    }

    /// Who searches where the players see different things; `None` where they see the same.
    fn guesser(&self, options: &Options) -> Option<Box<dyn Guesser<Self::Position> + Send>> {
        let _ = options;
        None
    }

    /// A start position drawn at random, in games that begin with a deal.
    fn dealt(&self, random: &mut Random) -> Option<Self::Position> {
        let _ = random;
        None
    }

    /// What one player sees where the players see different things.
    fn seen_by(&self, position: &Self::Position, viewer: Side) -> Option<Seen> {
        let _ = (position, viewer);
        None
    }

    /// What a move shows to both players of what only one of them saw before, in words.
    fn told(&self, before: &Self::Position, mv: <Self::Position as Position>::Move) -> Option<String> {
        let _ = (before, mv);
        None
    }

    /// Reads a position string; where the players see different things, also what one of them sees, with him.
    ///
    /// # Errors
    /// If the text is wrong.
    fn parse(&self, text: &str) -> Result<(Self::Position, Option<Side>)> {
        Ok((self.parse_position(text).map_err(|e| anyhow!("{e}"))?, None))
    }
}

/// Tables that several searchers probe.
pub(crate) type SharedTables<P> = Arc<dyn Probe<P>>;

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
}

impl<S: RuleSubset, const N: usize> Playable for ChessGame<'static, S, N> {
    type Evaluation = Evaluation;

    fn untuned(&self) -> Evaluation {
        HandcraftedEvaluation::derived(self.rules()).into()
    }

    fn evaluation(&self) -> Evaluation {
        Evaluation::best(self.rules())
    }

    fn params(&self) -> SearchParams {
        SearchParams::best(self.rules())
    }

    fn leaf(&self) -> Leaf {
        Leaf::Searched(1)
    }

    fn minimax(&self) -> u32 {
        70
    }

    fn evaluation_by(&self, net: &Path) -> Result<Evaluation> {
        evaluation_by(self.rules(), net)
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<ChessLike<'static, S, N>>> {
        let own = folder.join(self.id());
        Ok(Arc::new(TableSet::open(self.rules(), if own.is_dir() { &own } else { folder })?))
    }
}

impl<R: RuleSet> Playable for KingsMateGame<R> {
    type Evaluation = KingsMateEvaluation;

    fn untuned(&self) -> KingsMateEvaluation {
        KingsMateEvaluation::default()
    }

    fn evaluation(&self) -> KingsMateEvaluation {
        self.untuned()
    }
}

impl Playable for WorldTreeGame {
    type Evaluation = WorldTreeEvaluation;

    fn untuned(&self) -> WorldTreeEvaluation {
        WorldTreeEvaluation::default()
    }

    fn evaluation(&self) -> WorldTreeEvaluation {
        self.untuned()
    }
}

impl Playable for CrystalGame {
    type Evaluation = CrystalEvaluation;

    fn untuned(&self) -> CrystalEvaluation {
        CrystalEvaluation::new(self.lattice())
    }

    fn evaluation(&self) -> CrystalEvaluation {
        self.untuned()
    }
}
