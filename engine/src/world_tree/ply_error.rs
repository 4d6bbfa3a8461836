//! Why a text is not a legal ply.

use crate::geometry::GeometryError;
use thiserror::Error;

/// Why a text is not a legal ply of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlyError {
    /// The text does not have the form of a ply.
    #[error(
        "\"{0}\" is not a ply; write a move \"c5c3\", a pack \"c6d6-c8d7\", an attack \"d4xe4\", a placement \"C@b8\", \
         \"done\" or \"pass\""
    )]
    Form(String),
    /// A square off the board.
    #[error(transparent)]
    Square(#[from] GeometryError),
    /// The game has been decided.
    #[error("the game is over: no plies")]
    Over,
    /// A move or an attack while pieces are put down.
    #[error("pieces are being placed: write a letter and the cell {cell}; in hand are {hand}")]
    Placing {
        /// The next cell.
        cell: String,
        /// What is left.
        hand: String,
    },
    /// A placement when all pieces are on the board.
    #[error("all pieces have been placed: write a move, an attack, \"done\" or \"pass\"")]
    AllPlaced,
    /// A placement on another cell than the next.
    #[error("wrong placement: the next cell is {due}, not {found}")]
    WrongCell {
        /// The cell found.
        found: String,
        /// The cell to fill.
        due: String,
    },
    /// A placement of a piece that is no longer there to be placed.
    #[error("no {piece} is left in hand; there are {hand}")]
    NotInHand {
        /// The piece.
        piece: String,
        /// What is left.
        hand: String,
    },
    /// Nothing stands on the origin.
    #[error("nothing stands on {0}")]
    Empty(String),
    /// The origin holds an enemy piece only.
    #[error("the {piece} on {square} is not {mover}'s, whose turn it is")]
    NotYours {
        /// The piece.
        piece: String,
        /// Its square.
        square: String,
        /// Whose turn it is.
        mover: String,
    },
    /// A piece that moved already this turn.
    #[error("the {piece} on {square} has moved this turn already; another piece may move, or write \"done\"")]
    MovedTwice {
        /// The piece.
        piece: String,
        /// Its square.
        square: String,
    },
    /// An attack after a move.
    #[error("an attack is a whole turn: none after a move; move another piece or write \"done\"")]
    AttackAfterMove,
    /// Something after an attack.
    #[error("an attack is a whole turn: \"{0}\" cannot follow it")]
    AfterAttack(String),
    /// The piece cannot go there.
    #[error("the {piece} on {from} cannot go to {to}; it can go to {targets}")]
    CannotGo {
        /// The piece.
        piece: String,
        /// Where it stands.
        from: String,
        /// Where it was to go.
        to: String,
        /// Where it can go.
        targets: String,
    },
    /// A pack that cannot move so.
    #[error("the cani on {from} cannot go to {to}: {why}")]
    Pack {
        /// Where they stand.
        from: String,
        /// Where they were to go.
        to: String,
        /// The reason.
        why: &'static str,
    },
    /// An attack that is not possible.
    #[error("the {piece} on {from} cannot attack so: {why}")]
    Attack {
        /// The piece.
        piece: String,
        /// Where it stands.
        from: String,
        /// The reason.
        why: String,
    },
    /// `done` before a move.
    #[error("\"done\" ends a turn after one move, and nothing has moved yet")]
    NotMoved,
    /// A pass of a player who has another ply.
    #[error("\"pass\" is for a player who can neither move nor attack")]
    CanPlay,
}
