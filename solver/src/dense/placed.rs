//! What stands on the board and is in hand, and how many pieces of each type.

use super::layout::KINDS;
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// What stands on the board and is in hand, by side and type (of at most `N`), and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed<const N: usize> {
    pub(super) board: [[u64; N]; 2],
    pub(super) hand: [[u8; N]; 2],
    pub(super) turn: Side,
}

impl<const N: usize> Placed<N> {
    pub(super) fn of<S: RuleSubset>(position: &ChessLike<'_, S, N>) -> Placed<N> {
        let mut placed = Placed::empty(position.side_to_move());
        for side in Side::BOTH {
            for kind in 0..position.rules().type_count().min(N) {
                placed.board[side.index()][kind] = position.pieces(side, kind as u8).0;
                placed.hand[side.index()][kind] = position.in_hand(side, kind as u8);
            }
        }
        placed
    }

    pub(super) fn empty(turn: Side) -> Placed<N> {
        Placed { board: [[0; N]; 2], hand: [[0; N]; 2], turn }
    }

    /// The position for the rules engine, unhashed.
    #[inline]
    pub(super) fn position<'r, S: RuleSubset>(&self, rules: &'r Rules) -> ChessLike<'r, S, N> {
        let [white, black] = &self.board;
        ChessLike::assemble_unhashed(rules, self.turn, [white, black], [&self.hand[0], &self.hand[1]])
    }
}

/// How many pieces of each type each side has on the board and in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Counts {
    pub(super) board: [[u8; KINDS]; 2],
    pub(super) hand: [[u8; KINDS]; 2],
}

impl Counts {
    pub(super) fn of<const N: usize>(placed: &Placed<N>) -> Counts {
        let mut counts = Counts { board: [[0; KINDS]; 2], hand: [[0; KINDS]; 2] };
        for side in 0..2 {
            for kind in 0..N.min(KINDS) {
                counts.board[side][kind] = placed.board[side][kind].count_ones() as u8;
                counts.hand[side][kind] = placed.hand[side][kind];
            }
        }
        counts
    }

    pub(super) fn swapped(self) -> Counts {
        Counts { board: [self.board[1], self.board[0]], hand: [self.hand[1], self.hand[0]] }
    }
}
