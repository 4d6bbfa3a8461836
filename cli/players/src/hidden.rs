//! Games in which the players see different things: what one of them sees, and searchers that are shown no more.
//!
//! A game knows the true position. It becomes a view in [`HiddenSearcher::search`] and in
//! [`Playable::view_of`](crate::playable::Playable::view_of), and nowhere else.

use jewel_engine::ability::Notation;
use jewel_engine::diagram::Diagram;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};

/// What one player sees of a position.
#[derive(Clone, Debug)]
pub struct PlayerView {
    /// As text.
    pub text: String,
    /// To be drawn.
    pub diagram: Diagram,
    /// Whose view it is.
    pub viewer: Side,
    /// The legal moves of the side to move.
    pub moves: Vec<String>,
    /// The result by rule, for the side to move.
    pub outcome: Option<Outcome>,
}

/// A searcher that chooses the moves of a player and is shown what that player knows.
pub trait HiddenSearcher<P: Position> {
    /// Searches for the side to move of `root`; `earlier` has the positions of the game before it. What is hidden
    /// from that side stays hidden.
    fn search(
        &mut self,
        earlier: &mut dyn Iterator<Item = &P>,
        root: &P,
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>;

    /// Forgets everything.
    fn new_game(&mut self);
}

/// Moves as text whatever the position: what a searcher expects of hidden pieces need not be legal in truth. Each
/// comes with the side to move at the root, since a turn has one ply in these games.
pub(crate) fn texts_of_guesses<P: Notation>(root: &P, line: &[P::Move]) -> Vec<(Side, String)> {
    line.iter().map(|&mv| (root.side_to_move(), root.move_text(mv))).collect()
}
