//! What stands on the board and is in hand, and how many pieces of each type.

use super::layout::KINDS;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// What stands on the board and is in hand, by side and type, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed {
    pub(super) board: [[u64; KINDS]; 2],
    pub(super) hand: [[u8; KINDS]; 2],
    pub(super) turn: Side,
}

impl Placed {
    pub(super) fn of<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> Placed {
        let mut placed = Placed::empty(position.side_to_move());
        for side in Side::BOTH {
            for kind in 0..position.rules().type_count() {
                placed.board[side.index()][kind] = position.pieces(side, kind as u8).0;
                placed.hand[side.index()][kind] = position.in_hand(side, kind as u8);
            }
        }
        placed
    }

    pub(super) fn empty(turn: Side) -> Placed {
        Placed { board: [[0; KINDS]; 2], hand: [[0; KINDS]; 2], turn }
    }

    /// The position for the rules engine, unhashed.
    #[inline]
    pub(super) fn position<'r, S: RuleSubset, const N: usize>(
        &self,
        rules: &'r Rules,
    ) -> ChessLike<'r, S, N> {
        let kinds = rules.type_count().min(KINDS);
        let board = [&self.board[0][..kinds], &self.board[1][..kinds]];
        let hands = [&self.hand[0][..kinds], &self.hand[1][..kinds]];
        ChessLike::assemble_unhashed(rules, self.turn, board, hands)
    }

    pub(super) fn occupied(&self) -> u64 {
        self.board.iter().flatten().fold(0, |all, set| all | set)
    }
}

/// How many pieces of each type each side has on the board and in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Counts {
    pub(super) board: [[u8; KINDS]; 2],
    pub(super) hand: [[u8; KINDS]; 2],
}

impl Counts {
    pub(super) fn of(placed: &Placed) -> Counts {
        Counts { board: placed.board.map(|side| side.map(|set| set.count_ones() as u8)), hand: placed.hand }
    }

    pub(super) fn swapped(self) -> Counts {
        Counts { board: [self.board[1], self.board[0]], hand: [self.hand[1], self.hand[0]] }
    }
}

/// The squares of a set.
pub(super) fn squares(set: u64) -> impl Iterator<Item = Square> {
    Bitboard(set).into_iter()
}
