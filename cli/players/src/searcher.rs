//! The searcher that an engine's options ask for.

use crate::features;
use crate::hidden::HiddenSearcher;
use crate::options::{Algorithm, Leaf, Options, Priors};
use crate::playable::{Playable, SharedTables, Tables};
use crate::support::memory;
use anyhow::{Result, anyhow, bail};
use jewel_engine::chance::Chance;
use jewel_engine::position::Position;
use jewel_search::alphabeta::{self, AlphaBeta, ShallowSearch};
use jewel_search::mcts::dice::DiceMcts;
use jewel_search::mcts::policy::{EvaluationPolicy, Policy, SearchPolicy};
use jewel_search::mcts::{self, Mcts};
use jewel_search::searcher::Searcher;

/// Centipawns by which a move must look better to be `e` times as likely to be tried first in tree search.
const TEMPERATURE: f32 = 100.0;

/// Most mebibytes of the transposition table that the leaves of a tree search are searched with.
const MAX_LEAVES_MIB: usize = 16;

/// What steers tree search.
type AnyPolicy<P> = Box<dyn Policy<P> + Send>;

/// A searcher of any kind.
pub(crate) enum AnySearcher<P: Position> {
    /// It sees the whole position.
    Open(Box<dyn Searcher<P> + Send>),
    /// It is shown what the player sees whose turn it is.
    Hidden(Box<dyn HiddenSearcher<P> + Send>),
}

impl<P: Position + 'static> AnySearcher<P> {
    /// The searcher of these options.
    ///
    /// # Errors
    /// If there is not enough memory, or the algorithm cannot play the game.
    pub(crate) fn new<G: Playable<Position = P>>(
        game: &G,
        options: &Options,
        evaluation: G::Evaluation,
        tables: Option<SharedTables<P>>,
    ) -> Result<AnySearcher<P>> {
        let &Options { algorithm, threads, hash, seed, params, minimax, playout_plies, cheat, .. } = options;
        let short = |free: Option<u64>| match free {
            Some(free) => anyhow!("{hash} MiB of memory are asked for, {free} MiB are free"),
            None => anyhow!("{hash} MiB of memory are not to be had"),
        };
        if let Some(free) = memory::available_mebibytes().filter(|free| *free < hash as u64) {
            return Err(short(Some(free)));
        }
        if let Some(searcher) = game.hidden_searcher(options).filter(|_| !cheat) {
            if algorithm == Algorithm::Ab {
                bail!("{}: alpha-beta search needs to see everything; let mcts play, or cheat", game.id());
            }
            if let Some(name) = options.off.first() {
                bail!("{}: search with hidden information has no feature \"{name}\"", game.id());
            }
            return Ok(AnySearcher::Hidden(searcher));
        }
        Ok(AnySearcher::Open(match algorithm {
            Algorithm::Ab => {
                let params = params.unwrap_or_else(|| game.params());
                let features = features::without(&options.off);
                let options = alphabeta::Options { hash, threads, params, features };
                let searcher = AlphaBeta::with_tables(evaluation, Tables(tables), options);
                Box::new(searcher.ok_or_else(|| short(None))?)
            }
            Algorithm::Mcts => {
                let tables = Tables(tables);
                let (policy, tree_mb) =
                    policy(game, options, evaluation, &tables).ok_or_else(|| short(None))?;
                let minimax = Some(f64::from(minimax.unwrap_or_else(|| game.minimax())) / 100.0);
                let mut switched =
                    mcts::Options { tree_mb, threads, seed, playout_plies, minimax, ..Default::default() };
                features::switch_off(&mut switched, &options.off);
                if <P as Chance>::DICE {
                    Box::new(DiceMcts::with_policy(switched, policy))
                } else {
                    Box::new(Mcts::with_tables(switched, policy, tables))
                }
            }
        }))
    }

    /// Forgets all earlier searches.
    pub(crate) fn new_game(&mut self) {
        match self {
            AnySearcher::Open(searcher) => searcher.new_game(),
            AnySearcher::Hidden(searcher) => searcher.new_game(),
        }
    }
}

/// What steers tree search, and the mebibytes that are left for the tree; `None` if the memory is not to be had.
fn policy<G: Playable>(
    game: &G,
    options: &Options,
    evaluation: G::Evaluation,
    tables: &Tables<G::Position>,
) -> Option<(AnyPolicy<G::Position>, usize)> {
    let temperature = (options.priors == Priors::Evaluation).then_some(TEMPERATURE);
    Some(match options.leaf.unwrap_or_else(|| game.leaf()) {
        Leaf::Evaluated => (Box::new(EvaluationPolicy::new(evaluation, temperature)), options.hash),
        Leaf::Searched(plies) => {
            // The leaves' transposition table is a part of the memory, as long as there is much of it.
            let leaves = (options.hash / 8).clamp(1, MAX_LEAVES_MIB);
            let search = ShallowSearch::new(evaluation, tables.clone(), leaves, game.params(), plies)?;
            (Box::new(SearchPolicy::new(search, temperature)), options.hash.saturating_sub(leaves).max(1))
        }
    })
}
