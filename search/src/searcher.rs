//! The interface of all searches.

use crate::control::Stop;
use crate::limits::Limits;
use crate::report::{Info, Report};
use jewel_engine::position::Position;

/// A search that chooses moves. It may keep what it has learnt from one search to the next.
pub trait Searcher<P: Position> {
    /// Searches a position until a limit is reached, `stop` is called or nothing is left to find out.
    ///
    /// `history` has the hashes of the positions before the root since the last irreversible move, oldest first; to
    /// come back to a position that occurred twice, counting the root, is a draw by repetition. `on_info` gets
    /// each line as it becomes known.
    ///
    /// Where the game is over, and where `limits.search_moves` has no legal move, the report has no best
    /// move. There is one in every other case, however short the time.
    fn search(
        &mut self,
        root: &P,
        history: &[u64],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>;

    /// Forgets everything: the next search has nothing to do with the last one.
    fn new_game(&mut self);
}
