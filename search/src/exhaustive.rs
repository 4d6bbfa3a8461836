//! Plain search of every move to a fixed depth: slow, short, and right.

use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use std::ops::ControlFlow;

/// The exact value of a position if play of at most `depth` plies decides it: a forced win or loss that
/// ends within the depth, with its distance, or a draw that the rules declare on every path to its end.
/// `None` where the depth is too short to know.
///
/// Repetition is ignored: a line that repeats never ends, so it proves nothing either way.
///
/// ```
/// use jewel_engine::ability::Game;
/// use jewel_engine::chesslike::{ChessGame, Leapers};
/// use jewel_engine::value::Value;
/// use jewel_search::exhaustive::forced;
///
/// let duel = ChessGame::<Leapers, 4>::new(jewel_engine::games::find("duel").unwrap().rules()).unwrap();
/// // Red stands beside the key, Green too far away to object.
/// let position = duel.parse_position("2l/3/1L1 w - - 0 1")?;
/// assert_eq!(forced(&position, 2), Some(Value::Win(2)));
/// assert_eq!(forced(&position, 1), None);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub fn forced<P: Position>(position: &P, depth: u32) -> Option<Value> {
    if let Some(outcome) = position.outcome() {
        return Some(Value::from_outcome(outcome));
    }
    if depth == 0 {
        return None;
    }
    let mover = position.side_to_move();
    let mut best: Option<Value> = None;
    let mut all_known = true;
    let _: ControlFlow<()> = position.moves(|mv| {
        let next = position.after(mv);
        match forced(&next, depth - 1) {
            Some(value) => best = best.max(Some(value.before_ply(mover, next.side_to_move()))),
            None => all_known = false,
        }
        ControlFlow::Continue(())
    });
    // A win found is the fastest: what is unknown takes longer. Anything else needs every move.
    best.filter(|value| all_known || value.outcome() == Outcome::Win)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::{Game, Notation};
    use jewel_engine::chesslike::{ChessGame, General};

    fn value(game: &str, fen: &str, depth: u32) -> Option<Value> {
        let rules = jewel_engine::games::find(game).unwrap().rules();
        let game = ChessGame::<General, 32>::new(rules).unwrap();
        forced(&game.parse_position(fen).unwrap(), depth)
    }

    #[test]
    fn a_ladder_of_mates_is_found_at_its_depth_and_not_before() {
        // Two Towers drive the Princess to the edge.
        let fen = "5k1/7/7/1R5/R6/7/3K3 w - - 0 1";
        assert_eq!(value("diamond-quest", fen, 2), None);
        assert_eq!(value("diamond-quest", fen, 3), Some(Value::Win(3)));
        assert_eq!(value("diamond-quest", fen, 4), Some(Value::Win(3)));
    }

    #[test]
    fn losses_need_every_move_refuted() {
        // The Guardsman on the key must be captured, and no piece can.
        assert_eq!(value("ambush", "5/5/2L2/5/n4 b - - 0 1", 1), Some(Value::Loss(1)));
        // Here the Staffman can, and then stands there alone.
        assert_eq!(value("ambush", "5/5/2L2/4n/5 b - - 0 1", 2), Some(Value::Win(1)));
    }

    #[test]
    fn the_moves_of_a_proof_play_out() {
        let rules = jewel_engine::games::find("diamond-quest").unwrap().rules();
        let game = ChessGame::<General, 32>::new(rules).unwrap();
        let mut position = game.parse_position("5k1/7/7/1R5/R6/7/3K3 w - - 0 1").unwrap();
        for text in ["a3a6", "f7e7", "b4b7"] {
            let left = forced(&position, 3).unwrap();
            position.play(position.parse_move(text).unwrap());
            assert_eq!(forced(&position, 3).unwrap().before_opponents_turn(), left);
        }
        assert_eq!(position.outcome(), Some(Outcome::Loss));
    }
}
