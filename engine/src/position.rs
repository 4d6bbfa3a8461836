//! The contract that every game fulfils and every searcher and solver is written against.

use crate::value::{Outcome, Side};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

/// A position of a two-player game of perfect information: small, cheap to copy, self-contained.
///
/// There is no undo: play on a copy. There is no history either: repetition belongs to the search path
/// (a solver needs positions that stand alone), so [`outcome`](Position::outcome) never speaks of it.
/// None of these methods allocates.
///
/// # Laws
///
/// [`laws::check`](crate::laws::check) tests them on random games:
///
/// - `moves` visits each legal move once, always in the same order; it visits none where the game was
///   decided by play (a win, a stalemate), and where it visits none, `outcome` is `Some`.
/// - `count_moves` is the number of moves that `moves` visits.
/// - `outcome` may be `Some` although there are moves: a draw that is adjudicated because nobody can win
///   any more. Perft counts on through such positions, as is usual; everything else stops there.
/// - `key` equals `recomputed_hash`, and equal positions have equal keys.
pub trait Position: Clone + Eq + Hash + Debug + Send + Sync {
    /// Whether a player's turn may have several plies, all of his own choice, which are written as one text.
    const TURNS: bool = false;

    /// A move, or a ply of a turn of several plies.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync;

    /// Whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The result by rule, seen by the side to move; `None` while the game goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// Calls `visit` with each legal move, in a fixed order, until it breaks.
    fn moves<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;

    /// The number of legal moves. Games that can count faster than they can list override it.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        let _: ControlFlow<()> = self.moves(|_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Plays a move of [`moves`](Position::moves). Any other move leaves a position without meaning, but
    /// never breaks memory safety.
    fn play(&mut self, mv: Self::Move);

    /// The position after a move.
    #[inline]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// The 64-bit Zobrist key, kept up to date by `play`.
    fn zobrist_hash(&self) -> u64;

    /// The same key computed from nothing but the position: the check on `key`.
    fn recomputed_hash(&self) -> u64;

    /// What a repetition is counted by: positions with the same one are the same to the rule, and `None` is
    /// no position to it. By default the [`zobrist_hash`](Position::zobrist_hash); a game whose turns have several plies counts
    /// the starts of turns only, and a count of quiet moves is never part of it.
    #[inline(always)]
    fn repetition_hash(&self) -> Option<u64> {
        Some(self.zobrist_hash())
    }

    /// In a turn of several plies that begins here with `first`: whether `second` need not be searched, since
    /// both in the other order lead to the same position and are searched. What the turns can lead to stays
    /// the same. Never in a game of single plies.
    #[inline(always)]
    fn is_redundant(&self, first: Self::Move, second: Self::Move) -> bool {
        let _ = (first, second);
        false
    }
}

/// Every legal move, in the order of [`Position::moves`]. Allocates: for callers outside hot loops.
pub fn list_moves<P: Position>(position: &P) -> Vec<P::Move> {
    let mut list = Vec::new();
    let _: ControlFlow<()> = position.moves(|mv| {
        list.push(mv);
        ControlFlow::Continue(())
    });
    list
}
