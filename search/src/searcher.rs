//! What every way of choosing a move has in common.

use crate::control::Stop;
use crate::limits::Limits;
use crate::report::{Info, Report};
use jewel_engine::position::Position;

/// Something that chooses moves. It may keep what it has learnt from one search to the next.
pub trait Searcher<P: Position> {
    /// Searches a position until a limit is reached, `stop` is called or nothing is left to find out.
    ///
    /// `history` has the keys of the positions before the root since the last move that cannot be taken
    /// back, oldest first; coming back to one that occurred twice, the root counted, is a draw by repetition. `on_info` hears of
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
