//! Plain search of every move to a fixed depth: slow, short, and right.

use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Value};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A search for the shortest forced win or loss, depth by depth, that gives up after a number of positions.
///
/// ```
/// use jewel_engine::ability::Game;
/// use jewel_engine::chesslike::{ChessGame, General};
/// use jewel_engine::value::Value;
/// use jewel_search::exhaustive::WinSearch;
/// use std::sync::atomic::AtomicBool;
///
/// let rules = jewel_engine::games::find("diamond-quest").unwrap().rules();
/// let game = ChessGame::<General, 32>::new(rules).unwrap();
/// let ladder = game.parse_position("5k1/7/7/1R5/R6/7/3K3 w - - 0 1")?;
/// let stop = AtomicBool::new(false);
/// assert_eq!(WinSearch::new(100_000, &stop).value(&ladder), Some(Value::Win(3)));
/// assert_eq!(WinSearch::new(100, &stop).value(&ladder), None);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct WinSearch<'a> {
    nodes: u64,
    max_nodes: u64,
    stop: &'a AtomicBool,
    /// Whether a position was left because it was too deep.
    cut: bool,
}

/// Positions between two looks at the flag that stops a search.
const BETWEEN_LOOKS: u64 = 1 << 12;

impl<'a> WinSearch<'a> {
    /// A search of at most `max_nodes` positions in all; it ends soon after `stop` is set.
    pub fn new(max_nodes: u64, stop: &'a AtomicBool) -> WinSearch<'a> {
        WinSearch { nodes: 0, max_nodes, stop, cut: false }
    }

    /// Positions searched so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a position that one side wins by force, with the exact distance, or of one where the game is over.
    /// `None` if no side wins in as few plies as the search reached. Repetition is ignored, as by [`forced`].
    pub fn value<P: Position>(&mut self, position: &P) -> Option<Value> {
        if let Some(outcome) = position.outcome() {
            return Some(Value::from_outcome(outcome));
        }
        for plies in 1.. {
            self.cut = false;
            let value = self.value_in(position, plies)?;
            // Where play always ends sooner, more plies change nothing.
            if value.is_some() || !self.cut {
                return value;
            }
        }
        None
    }

    /// The value of a position that is decided in exactly `plies` plies, from 1, and not sooner: `Some(None)` if it is
    /// not, `None` if the search ended before that was known.
    fn value_in<P: Position>(&mut self, position: &P, plies: u32) -> Option<Option<Value>> {
        Some(if self.forces(position, Outcome::Win, plies)? {
            Some(Value::Win(plies))
        } else if self.forces(position, Outcome::Loss, plies)? {
            Some(Value::Loss(plies))
        } else {
            None
        })
    }

    /// The value of a position if it is decided within `plies` plies: `Some(None)` if it is not, `None` if the search
    /// ended before that was known.
    pub fn value_within<P: Position>(&mut self, position: &P, plies: u32) -> Option<Option<Value>> {
        if let Some(outcome) = position.outcome() {
            return Some(Some(Value::from_outcome(outcome)));
        }
        for plies in 1..=plies {
            if let Some(value) = self.value_in(position, plies)? {
                return Some(Some(value));
            }
        }
        Some(None)
    }

    /// Whether the side to move has this outcome, a win or a loss, by force within `plies` plies; `None` if the search
    /// ended before that was known.
    fn forces<P: Position>(&mut self, position: &P, outcome: Outcome, plies: u32) -> Option<bool> {
        self.nodes += 1;
        if self.nodes > self.max_nodes
            || self.nodes.is_multiple_of(BETWEEN_LOOKS) && self.stop.load(Ordering::Relaxed)
        {
            return None;
        }
        if let Some(found) = position.outcome() {
            return Some(found == outcome);
        }
        if plies == 0 {
            self.cut = true;
            return Some(false);
        }
        // One move is enough to win, and every move has to lose.
        let wins = outcome == Outcome::Win;
        let mover = position.side_to_move();
        let ended: ControlFlow<Option<bool>> = position.moves(|mv| {
            let next = position.after(mv);
            let seen = if next.side_to_move() == mover { outcome } else { !outcome };
            match self.forces(&next, seen, plies - 1) {
                Some(forced) if forced != wins => ControlFlow::Continue(()),
                forced => ControlFlow::Break(forced),
            }
        });
        match ended {
            ControlFlow::Break(forced) => forced,
            ControlFlow::Continue(()) => Some(!wins),
        }
    }

    /// The fastest win against the longest defence, from a position of this value, a win or a loss that
    /// [`value`](WinSearch::value) found, to the end of the game. `None` if the search ended before it was known.
    pub fn line<P: Position>(&mut self, position: &P, value: Value) -> Option<Vec<P::Move>> {
        let (mut position, mut value) = (position.clone(), value);
        let mut line = Vec::new();
        while position.outcome().is_none() {
            let mover = position.side_to_move();
            let left = value.distance()?.checked_sub(1)?;
            let mut found = None;
            for mv in list_moves(&position) {
                let next = position.after(mv);
                let next_value = self.value_within(&next, left)?;
                let keeps = |next_value: &Value| next_value.before_ply(mover, next.side_to_move()) == value;
                if let Some(next_value) = next_value.filter(keeps) {
                    found = Some((mv, next, next_value));
                    break;
                }
            }
            let (mv, next, next_value) = found?;
            line.push(mv);
            (position, value) = (next, next_value);
        }
        Some(line)
    }
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

    /// Searches for a win from this position with enough nodes.
    fn search(game: &str, fen: &str, max_nodes: u64) -> (Option<Value>, Option<Vec<String>>) {
        let rules = jewel_engine::games::find(game).unwrap().rules();
        let position = ChessGame::<General, 32>::new(rules).unwrap().parse_position(fen).unwrap();
        let stop = AtomicBool::new(false);
        let mut search = WinSearch::new(max_nodes, &stop);
        let value = search.value(&position);
        assert!(search.nodes() <= max_nodes + 1, "{}", search.nodes());
        let line = value.and_then(|value| search.line(&position, value));
        let mut at = position;
        let mut texts = Vec::new();
        for mv in line.iter().flatten() {
            texts.push(at.move_text(*mv));
            at.play(*mv);
        }
        if let (Some(value), true) = (value, line.is_some()) {
            assert_eq!(value.distance(), Some(texts.len() as u32));
            assert!(at.outcome().is_some());
        }
        (value, line.map(|_| texts))
    }

    #[test]
    fn wins_and_losses_are_found_with_a_line_to_the_end() {
        let (value, line) = search("diamond-quest", "5k1/7/7/1R5/R6/7/3K3 w - - 0 1", 1_000_000);
        assert_eq!((value, line.unwrap().len()), (Some(Value::Win(3)), 3));
        assert_eq!(search("ambush", "5/5/2L2/5/n4 b - - 0 1", 100).0, Some(Value::Loss(1)));
        let (value, line) = search("ambush", "5/5/2L2/4n/5 b - - 0 1", 100);
        assert_eq!((value, line.unwrap()), (Some(Value::Win(1)), vec!["e2c3".to_string()]));
        // Already over.
        assert_eq!(search("ambush", "5/5/2L2/5/5 w - - 0 1", 1).0, Some(Value::Win(0)));
    }

    #[test]
    fn a_search_agrees_with_the_plain_one_and_ends_at_its_limit() {
        let rules = jewel_engine::games::find("ambush").unwrap().rules();
        let game = ChessGame::<General, 32>::new(rules).unwrap();
        let mut random = jewel_engine::random::Random::new(7);
        let mut decided = 0;
        for _ in 0..60 {
            let mut position = game.parse_position("5/n3q/5/2L2/Q2N1 w - - 0 1").unwrap();
            for _ in 0..random.below(12) {
                let moves = list_moves(&position);
                if position.outcome().is_some() || moves.is_empty() {
                    break;
                }
                position.play(moves[random.below(moves.len() as u32) as usize]);
            }
            let stop = AtomicBool::new(false);
            let mut search = WinSearch::new(u64::MAX, &stop);
            let found = search.value_within(&position, 4).unwrap().filter(|value| *value != Value::Draw);
            assert_eq!(found, forced(&position, 4).filter(|value| *value != Value::Draw));
            decided += u32::from(found.is_some());
        }
        assert!(decided > 10, "{decided}");
        assert_eq!(search("diamond-quest", "kr5/7/7/7/7/7/5RK w - - 0 1", 5_000).0, None);
        let stop = AtomicBool::new(true);
        let start = game.start();
        let mut search = WinSearch::new(u64::MAX, &stop);
        assert_eq!((search.value(&start), search.nodes()), (None, BETWEEN_LOOKS));
    }
}
