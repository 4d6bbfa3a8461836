//! Positions put together for the tests, and what they allow, as text.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::world_tree::{WorldTree, WorldTreeGame};

/// Both towns on their corners and nothing else, as pieces for [`board`].
pub(crate) const TOWNS: &str = "Ta8 th1 ";

/// The position of a string, which must be good.
pub(crate) fn position(text: &str) -> WorldTree {
    WorldTreeGame::new().parse_position(text).unwrap_or_else(|e| panic!("\"{text}\": {e}"))
}

/// A position string from pieces such as `Cc5 G+d4 (Cz)e4` and what follows the board.
pub(crate) fn board(pieces: &str, rest: &str) -> String {
    let mut cells = vec![String::from("1"); 64];
    for piece in pieces.split_whitespace() {
        let (what, square) = piece.split_at(piece.len() - 2);
        let square = square.as_bytes();
        let index = usize::from(square[1] - b'1') * 8 + usize::from(square[0] - b'a');
        assert_eq!(cells[index], "1", "{piece} on a taken square");
        cells[index] = what.into();
    }
    let ranks: Vec<String> = cells.chunks(8).rev().map(|rank| rank.concat()).collect();
    format!("{} {rest}", ranks.join("/"))
}

/// The position with both towns and these pieces, White to begin a turn.
pub(crate) fn white(pieces: &str) -> WorldTree {
    position(&board(&format!("{TOWNS}{pieces}"), "w m - 0"))
}

/// The same with Black to begin.
pub(crate) fn black(pieces: &str) -> WorldTree {
    position(&board(&format!("{TOWNS}{pieces}"), "b m - 0"))
}

/// The texts of all legal plies, sorted.
pub(crate) fn plies(position: &WorldTree) -> Vec<String> {
    let mut texts: Vec<String> = list_moves(position).iter().map(|mv| position.move_text(*mv)).collect();
    texts.sort();
    texts
}

/// The squares that the piece on a square moves to alone, sorted and joined by spaces.
pub(crate) fn steps(position: &WorldTree, from: &str) -> String {
    let steps = plies(position).into_iter().filter(|ply| ply.len() == 4 && ply.starts_with(from));
    steps.map(|ply| ply[2..].to_string()).collect::<Vec<_>>().join(" ")
}

/// The attacks, sorted and joined by spaces.
pub(crate) fn attacks(position: &WorldTree) -> String {
    plies(position).into_iter().filter(|ply| ply.contains('x')).collect::<Vec<_>>().join(" ")
}

/// The position after plies, separated by spaces.
pub(crate) fn after(position: &WorldTree, plies: &str) -> WorldTree {
    plies.split_whitespace().fold(*position, |position, ply| {
        let mv = position.parse_move(ply).unwrap_or_else(|e| panic!("{position:?}: {ply}: {e}"));
        position.after(mv)
    })
}

/// Whether a ply is legal.
pub(crate) fn legal(position: &WorldTree, ply: &str) -> bool {
    plies(position).iter().any(|text| text == ply)
}

/// The first two fields of the position string after plies: the board and the side to move.
pub(crate) fn seen(position: &WorldTree, played: &str) -> String {
    let text = after(position, played).position_text();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// The error line of a ply that is not legal.
pub(crate) fn refusal(position: &WorldTree, ply: &str) -> String {
    match position.parse_move(ply) {
        Ok(mv) => panic!("{position:?}: {ply} is read as {mv:?}"),
        Err(error) => error.to_string(),
    }
}
