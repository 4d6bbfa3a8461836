//! Searchers for games that a program plays against itself.

use crate::catalogue::AnyGame;
use crate::playable::{Playable, Tables};
use anyhow::{Result, anyhow};
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::searcher::Searcher;
use std::any::Any;

/// Makes a searcher that uses an evaluation, for games of few nodes a move. Without enough memory it is an error.
pub type Make<P, E> = fn(E) -> Result<Box<dyn Searcher<P> + Send>>;

/// What makes the searchers of a game whose positions and [evaluation](Playable::Evaluation) have these types. They are
/// compiled here, with those of the players, and not once more where they are used.
///
/// # Errors
/// If the game has other types.
pub fn searchers<P: 'static, E: 'static>(game: AnyGame) -> Result<Make<P, E>> {
    let made = any(game).downcast::<Make<P, E>>();
    made.map(|make| *make)
        .map_err(|_| anyhow!("{}: positions or an evaluation of another game", game.card().id))
}

/// A [`Make`] for types that the caller does not name: so that it is compiled here, this is not generic.
fn any(game: AnyGame) -> Box<dyn Any> {
    match game {
        AnyGame::Variant(rules) => with_leanest_game!(rules, game => make(&game)),
        AnyGame::Coded(coded) => coded.searchers(),
    }
}

/// A [`Make`] for the types of a game.
pub(crate) fn make<G: Playable>(_: &G) -> Box<dyn Any> {
    let make: Make<G::Position, G::Evaluation> = |evaluation| {
        let options = Options { hash: 1, ..Options::default() };
        let searcher = AlphaBeta::with_tables(evaluation, Tables(None), options);
        Ok(Box::new(searcher.ok_or_else(|| anyhow!("not enough memory to search"))?))
    };
    Box::new(make)
}
