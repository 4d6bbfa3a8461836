//! Boards in the terminal.

use jewel_engine::diagram::{Cell, Diagram};
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::board::{Style, draw, marks};

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
        graph: None,
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

/// The drawing of a game's start position without its legend's colours, and the marks below it.
fn drawn(game: &str) -> (String, Vec<[String; 2]>) {
    let line = AnyGame::resolve(game).unwrap().open();
    (draw(&line.diagram(), false, PLAIN), marks(&line.diagram(), PLAIN))
}

#[test]
fn raised_squares_and_the_river_are_marked() {
    let (board, rows) = drawn("kings-mate");
    assert!(board.contains(" 5 | . . .{.}. . . |"), "{board}");
    assert_eq!(rows, [["{.} raised", "d1 c4 e4 d5 c6 e6 d9"].map(str::to_string)]);
    let (board, rows) = drawn("world-tree:start=standard");
    assert!(board.contains(" 1 |~.~. . . o k g[t]|"), "{board}");
    assert_eq!(rows[1], ["~.~ river", "a1 b2 c3 d4 e5 f6 g7 h8"].map(str::to_string));
}

#[test]
fn pieces_that_share_a_square_are_told() {
    let mut line = AnyGame::resolve("world-tree").unwrap().open();
    let shared = "T7/8/2(CZ)5/8/8/8/8/7t w m - 0";
    line.set_position(Some(shared), &[]).unwrap();
    let rows = marks(&line.diagram(), PLAIN);
    assert_eq!(rows.last().unwrap(), &["shared", "CZ on c6"].map(str::to_string));
}

#[test]
fn a_crystal_is_drawn_tier_by_tier() {
    let (board, _) = drawn("crystal-draughts:tiers=2,molecules=2,tokens=2");
    let lines: Vec<&str> = board.lines().map(str::trim_end).collect();
    assert!(lines[0].contains("Aa Ab Ac Ad   Ba Bb Bc Bd"), "{board}");
    assert!(lines[3].starts_with("tier 0   E  E  .  .    .  .  .  ."), "{board}");
}
