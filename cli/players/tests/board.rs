//! Boards in the terminal.

use jewel_engine::diagram::{Cell, Diagram};
use jewel_engine::value::Side;
use jewel_players::board::{Style, draw, marks};

const PLAIN: Style = Style { colours: false, unicode: false };

/// A board without pieces, with marks at some squares: key squares and blocking ones.
fn diagram(width: usize, height: usize, keys: &[usize], blocking: &[usize]) -> Diagram {
    let cell = |n| Cell { key: keys.contains(&n), blocking: blocking.contains(&n), ..Cell::default() };
    Diagram {
        width,
        height,
        cells: (0..width * height).map(cell).collect(),
        sides: [String::new(), String::new()],
        side_to_move: Side::White,
        notes: Vec::new(),
    }
}

#[test]
fn marked_squares_are_named_in_runs() {
    let rows = marks(&diagram(4, 3, &[1, 2, 3, 4, 8, 9], &[]), PLAIN);
    assert_eq!(rows, [["[.] key square", "b1-d1 a2 a3 b3"].map(str::to_string)]);
}

#[test]
fn marked_squares_share_their_brackets() {
    let row = |keys: &[usize], blocking: &[usize]| {
        let text = draw(&diagram(4, 1, keys, blocking), false, PLAIN);
        let line = text.lines().find(|line| line.trim_start().starts_with("1 |")).unwrap();
        let (_, rest) = line.split_once('|').unwrap();
        rest[..9].to_string()
    };
    assert_eq!(row(&[1], &[]), " .[.]. . ");
    assert_eq!(row(&[0, 1], &[3]), "[. .].(.)");
    assert_eq!(row(&[0], &[0, 1]), "[.|.). . ");
}
