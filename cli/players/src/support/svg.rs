//! Boards as pictures: a self-contained SVG without scripts, fonts or links.

use super::board::{Mark, file_letter, label, roster, square_name};
use super::words::escaped;
use crate::catalogue::Card;
use jewel_engine::diagram::{Diagram, Graph, Piece};
use jewel_engine::value::Side;
use std::fmt::Write;

/// Side of a square, in pixels; everything else is measured by it.
const SQUARE: usize = 60;
/// Margin around the board, with the coordinates.
const MARGIN: usize = 30;
/// Line height of the legend.
const LINE: usize = 30;
/// Width of the legend.
const LEGEND: usize = 300;
/// Height of the title and of the line below the board.
const TITLE: usize = 34;

/// The picture of a diagram: above the board the game's name and objective, below it a caption.
pub fn picture(diagram: &Diagram, card: &Card, caption: &str, over: bool) -> String {
    let board = board_size(diagram);
    let kinds = Side::BOTH.map(|side| roster(diagram, side).len().max(1));
    let legend_height = (kinds[0] + kinds[1] + 2) * LINE + LINE / 2;
    let width = board.0 + 2 * MARGIN + LEGEND;
    let height = TITLE + MARGIN + board.1.max(legend_height) + MARGIN + TITLE;
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<desc>{caption}</desc>\n<style>\n{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" class=\"paper\"/>\n\
         <text x=\"{MARGIN}\" y=\"{TITLE}\" class=\"title\">{title} \
         <tspan class=\"objective\">{objective}</tspan></text>\n",
        title = escaped(&card.name),
        objective = escaped(&card.objective),
        caption = escaped(caption),
    );
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {})\">", TITLE + MARGIN);
    position(&mut svg, diagram, &[]);
    legend(&mut svg, diagram, over);
    svg.push_str("</g>\n");
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{}\" class=\"caption\">{}</text>\n</svg>",
        height - TITLE / 2,
        escaped(caption)
    );
    svg
}

/// The board alone, for a page that has the rules of [`page_style`]: with coordinates, and the changed cells marked.
/// `title` describes it in words.
pub fn board(diagram: &Diagram, changed: &[usize], title: &str) -> String {
    let board = board_size(diagram);
    let (width, height) = (board.0 + MARGIN, board.1 + MARGIN);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<svg class=\"board\" viewBox=\"-{MARGIN} 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
        escaped(title)
    );
    position(&mut svg, diagram, changed);
    svg.push_str("</svg>\n");
    svg
}

/// Where a piece can go from a cell of an empty board: a dot where it goes to an empty square, a cross where it captures,
/// both where it does both. The cells are numbered as those of the diagram.
pub fn movement(size: [usize; 2], from: usize, piece: &Piece, to: &[Reach]) -> String {
    let [width, height] = size;
    let cells = vec![jewel_engine::diagram::Cell::default(); width * height];
    let sides = [String::new(), String::new()];
    let mut diagram =
        Diagram { width, height, cells, sides, side_to_move: Side::White, notes: Vec::new(), graph: None };
    diagram.cells[from].piece = Some(piece.clone());
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg class=\"board\" viewBox=\"-1 -1 {} {}\" role=\"img\" aria-label=\"Moves of {}\">",
        width * SQUARE + 2,
        height * SQUARE + 2,
        escaped(&piece.name)
    );
    squares(&mut svg, &diagram, &[]);
    pieces(&mut svg, &diagram);
    for reach in to {
        let (x, y) = corner(&diagram, reach.cell);
        let (x, y, by) = (x + SQUARE / 2, y + SQUARE / 2, SQUARE / 5);
        if reach.quiet {
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" class=\"goes\"/>", SQUARE / 8);
        }
        if reach.capture && !reach.quiet {
            let (left, right, top, bottom) = (x - by, x + by, y - by, y + by);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\" class=\"takes\"/>"
            );
        }
        if reach.quiet && !reach.capture {
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" class=\"hole\"/>", SQUARE / 14);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A cell that a piece can go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The number of the cell.
    pub cell: usize,
    /// Whether it goes there when the cell is empty.
    pub quiet: bool,
    /// Whether it captures there.
    pub capture: bool,
}

/// The style of the boards of a page, as rules of CSS.
pub fn page_style() -> String {
    STYLE.lines().map(|rule| format!(".board {rule}\n")).collect()
}

/// The board with its pieces and coordinates, from the point 0, 0; the changed cells are marked.
fn position(svg: &mut String, diagram: &Diagram, changed: &[usize]) {
    match &diagram.graph {
        Some(graph) => places(svg, diagram, graph),
        None => {
            squares(svg, diagram, changed);
            coordinates(svg, diagram);
            pieces(svg, diagram);
        }
    }
}

/// One rule a line.
const STYLE: &str = "\
text { font-family: system-ui, 'DejaVu Sans', Verdana, sans-serif; fill: #2b2b2b; }
.paper { fill: #fffdf8; }
.title { font-size: 20px; font-weight: bold; }
.caption { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: 13px; }
.coordinate { font-size: 13px; fill: #777; text-anchor: middle; }
.light { fill: #f3e9d7; }
.dark { fill: #dcc7a3; }
.frame { fill: none; stroke: #6b5a3c; stroke-width: 2; }
.path { stroke: #6b5a3c; stroke-width: 2; }
.climb { stroke: #b9a883; stroke-width: 1; }
.place { fill: #fffdf8; stroke: #6b5a3c; stroke-width: 1.5; }
.atom { font-size: 10px; fill: #777; }
.raised { fill: #fff6dd; stroke: #a9853f; stroke-width: 2; }
.river { fill: #9cc7e6; }
.changed { fill: #f2d06b; }
.goes { fill: #2d6cb5; }
.hole { fill: #f3e9d7; }
.takes { fill: none; stroke: #c0392b; stroke-width: 7; stroke-linecap: round; }
.key { fill: #ffe9a0; stroke: #c8920a; stroke-width: 4; }
.blocking { fill: none; stroke: #6b5a3c; stroke-width: 2; stroke-dasharray: 5 4; }
.piece { stroke: #2b2b2b; stroke-width: 1.5; }
.letter { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-weight: bold; text-anchor: middle; }
.objective { font-size: 15px; font-weight: normal; fill: #777; }
.side { font-size: 16px; font-weight: bold; }
.name { font-size: 15px; }
.abbreviation { font-size: 12px; fill: #777; }
";

/// Width and height of the board, in pixels.
fn board_size(diagram: &Diagram) -> (usize, usize) {
    match diagram.graph {
        Some(_) => (2 * RADIUS + SQUARE, (diagram.height - 1) * STOREY + RADIUS + SQUARE),
        None => (diagram.width * SQUARE, diagram.height * SQUARE),
    }
}

/// Half the width of a graph seen from the side.
const RADIUS: usize = 260;
/// From one layer of a graph up to the next.
const STOREY: usize = 170;

/// A graph seen from above at an angle, layer over layer: its paths, its places and the pieces on them.
fn places(svg: &mut String, diagram: &Diagram, graph: &Graph) {
    let scaled = |thousandths: i32, size: usize| thousandths as i64 * size as i64 / 1000;
    let at = |n: usize| {
        let (east, north) = graph.points[n];
        let up = (n / diagram.width * STOREY) as i64;
        let base = ((diagram.height - 1) * STOREY + (RADIUS + SQUARE) / 2) as i64;
        let x = (RADIUS + SQUARE / 2) as i64 + scaled(east, RADIUS);
        let y = base - up - scaled(north, RADIUS / 2);
        (x.max(0) as usize, y.max(0) as usize)
    };
    for &(low, high) in &graph.paths {
        let ((x, y), (to_x, to_y)) = (at(low), at(high));
        let class = if low / diagram.width == high / diagram.width { "path" } else { "climb" };
        let _ = writeln!(svg, "<path d=\"M{x} {y}L{to_x} {to_y}\" class=\"{class}\"/>");
    }
    for (n, cell) in diagram.cells.iter().enumerate() {
        let ((x, y), name) = (at(n), square_name(diagram, n));
        match &cell.piece {
            Some(piece) => {
                disc(svg, diagram, piece, None, (x, y), SQUARE / 4, &format!("{} on {name}", piece.name))
            }
            None => {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" class=\"place\"><title>{name}</title></circle>"
                );
            }
        }
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" class=\"atom\">{name}</text>", x + 14, y + 16);
    }
}

/// The corner of a square, from the north-west of the board.
fn corner(diagram: &Diagram, n: usize) -> (usize, usize) {
    (n % diagram.width * SQUARE, (diagram.height - 1 - n / diagram.width) * SQUARE)
}

fn squares(svg: &mut String, diagram: &Diagram, changed: &[usize]) {
    for (n, cell) in diagram.cells.iter().enumerate() {
        let (x, y) = corner(diagram, n);
        let dark = (n % diagram.width + n / diagram.width).is_multiple_of(2);
        let colour = if dark { "dark" } else { "light" };
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" class=\"{colour}\"/>"
        );
        if changed.contains(&n) {
            inset(svg, (x, y), 0, "changed", &format!("{}: changed", square_name(diagram, n)));
        }
        let mark = Mark::of(cell);
        if matches!(mark, Mark::Key | Mark::KeyBlocking) {
            inset(svg, (x, y), 4, "key", &format!("{}: key square", square_name(diagram, n)));
        }
        if mark == Mark::Raised {
            inset(svg, (x, y), 5, "raised", &format!("{}: raised", square_name(diagram, n)));
        }
        if mark == Mark::River {
            inset(svg, (x, y), 0, "river", &format!("{}: river", square_name(diagram, n)));
        }
        if matches!(mark, Mark::Blocking | Mark::KeyBlocking) {
            inset(svg, (x, y), 9, "blocking", &format!("{}: no slider passes", square_name(diagram, n)));
        }
    }
    let (width, height) = (diagram.width * SQUARE, diagram.height * SQUARE);
    let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" class=\"frame\"/>");
}

fn inset(svg: &mut String, (x, y): (usize, usize), by: usize, class: &str, title: &str) {
    let side = SQUARE - 2 * by;
    let _ = writeln!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" rx=\"6\" class=\"{class}\"><title>{}</title></rect>",
        x + by,
        y + by,
        escaped(title)
    );
}

fn coordinates(svg: &mut String, diagram: &Diagram) {
    for file in 0..diagram.width {
        let (x, y) = (file * SQUARE + SQUARE / 2, diagram.height * SQUARE + MARGIN * 2 / 3);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"coordinate\">{}</text>", file_letter(file));
    }
    for rank in 0..diagram.height {
        let y = (diagram.height - 1 - rank) * SQUARE + SQUARE / 2 + 5;
        let _ = writeln!(svg, "<text x=\"-15\" y=\"{y}\" class=\"coordinate\">{}</text>", rank + 1);
    }
}

fn pieces(svg: &mut String, diagram: &Diagram) {
    for (n, cell) in diagram.cells.iter().enumerate() {
        let Some(piece) = &cell.piece else { continue };
        let (x, y) = corner(diagram, n);
        let at = format!("{} on {}", piece.name, square_name(diagram, n));
        let middle = (x + SQUARE / 2, y + SQUARE / 2);
        disc(svg, diagram, piece, cell.label.as_deref(), middle, SQUARE * 2 / 5, &at);
        // Pieces that share the square stand in its corners.
        for (place, piece) in cell.above.iter().enumerate() {
            let at = format!("{} on {}", piece.name, square_name(diagram, n));
            let corner = (x + SQUARE / 5 + place * SQUARE * 3 / 5, y + SQUARE / 5);
            disc(svg, diagram, piece, None, corner, SQUARE / 5, &at);
        }
    }
}

fn disc(
    svg: &mut String,
    diagram: &Diagram,
    piece: &Piece,
    label: Option<&str>,
    (x, y): (usize, usize),
    radius: usize,
    title: &str,
) {
    let (fill, ink) = colours(&diagram.sides[piece.side.index()], piece.side);
    let letter = piece.letter.to_string();
    let text = label.unwrap_or(&letter);
    let size = radius * 12 / (5 * (1 + text.chars().count()));
    let _ = writeln!(
        svg,
        "<g><title>{}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" class=\"piece\" fill=\"{fill}\"/>\
         <text x=\"{x}\" y=\"{}\" font-size=\"{size}\" class=\"letter\" style=\"fill: {ink}\">{}</text></g>",
        escaped(title),
        y + size * 9 / 25,
        escaped(text)
    );
}

/// The fill and the ink of a side: its own colour where its name is one.
fn colours(name: &str, side: Side) -> (&'static str, &'static str) {
    match (name.to_ascii_lowercase().as_str(), side) {
        ("red", _) => ("#c0392b", "#ffffff"),
        ("green", _) => ("#2e7d4f", "#ffffff"),
        ("blue", _) => ("#2d6cb5", "#ffffff"),
        ("yellow" | "gold", _) => ("#e2b93b", "#2b2b2b"),
        (_, Side::White) => ("#ffffff", "#2b2b2b"),
        (_, Side::Black) => ("#333333", "#ffffff"),
    }
}

fn legend(svg: &mut String, diagram: &Diagram, over: bool) {
    let x = board_size(diagram).0 + MARGIN;
    let mut y = LINE / 2;
    for side in [Side::Black, Side::White] {
        let name = &diagram.sides[side.index()];
        let turn = if !over && diagram.side_to_move == side { " to move" } else { "" };
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"side\">{}{turn}</text>", escaped(name));
        y += LINE;
        let pieces = roster(diagram, side);
        if pieces.is_empty() {
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"name\">has no piece</text>");
            y += LINE;
        }
        for piece in pieces {
            disc(svg, diagram, piece, None, (x + 12, y - 5), 12, &piece.name);
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{y}\" class=\"name\">{} <tspan class=\"abbreviation\">{}</tspan></text>",
                x + 34,
                escaped(label(piece)),
                escaped(&piece.abbreviation)
            );
            y += LINE;
        }
        y += LINE / 2;
    }
}
