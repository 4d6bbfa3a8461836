//! Boards as pictures: a self-contained SVG without scripts, fonts or links.

use jewel_engine::diagram::{Diagram, Piece};
use jewel_engine::value::Side;
use jewel_players::board::{Mark, file_letter, label, roster, square_name};
use jewel_players::catalogue::Card;
use jewel_players::words::escaped;
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
pub(crate) fn picture(diagram: &Diagram, card: &Card, caption: &str, over: bool) -> String {
    let board = (diagram.width * SQUARE, diagram.height * SQUARE);
    let kinds = Side::BOTH.map(|side| roster(diagram, side).len().max(1));
    let legend_height = (kinds[0] + kinds[1] + 2) * LINE + LINE / 2;
    let width = board.0 + 2 * MARGIN + LEGEND;
    let height = TITLE + MARGIN + board.1.max(legend_height) + MARGIN + TITLE;
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<desc>{caption}</desc>\n{STYLE}\
         <rect width=\"{width}\" height=\"{height}\" class=\"paper\"/>\n\
         <text x=\"{MARGIN}\" y=\"{TITLE}\" class=\"title\">{title} \
         <tspan class=\"objective\">{objective}</tspan></text>\n",
        title = escaped(&card.name),
        objective = escaped(&card.objective),
        caption = escaped(caption),
    );
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {})\">", TITLE + MARGIN);
    squares(&mut svg, diagram);
    coordinates(&mut svg, diagram);
    pieces(&mut svg, diagram);
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

const STYLE: &str = "\
<style>
text { font-family: system-ui, 'DejaVu Sans', Verdana, sans-serif; fill: #2b2b2b; }
.paper { fill: #fffdf8; }
.title { font-size: 20px; font-weight: bold; }
.caption { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: 13px; }
.coordinate { font-size: 13px; fill: #777; text-anchor: middle; }
.light { fill: #f3e9d7; }
.dark { fill: #dcc7a3; }
.frame { fill: none; stroke: #6b5a3c; stroke-width: 2; }
.key { fill: #ffe9a0; stroke: #c8920a; stroke-width: 4; }
.blocking { fill: none; stroke: #6b5a3c; stroke-width: 2; stroke-dasharray: 5 4; }
.piece { stroke: #2b2b2b; stroke-width: 1.5; }
.letter { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-weight: bold; text-anchor: middle; }
.objective { font-size: 15px; font-weight: normal; fill: #777; }
.side { font-size: 16px; font-weight: bold; }
.name { font-size: 15px; }
.abbreviation { font-size: 12px; fill: #777; }
</style>
";

/// The corner of a square, from the north-west of the board.
fn corner(diagram: &Diagram, n: usize) -> (usize, usize) {
    (n % diagram.width * SQUARE, (diagram.height - 1 - n / diagram.width) * SQUARE)
}

fn squares(svg: &mut String, diagram: &Diagram) {
    for (n, cell) in diagram.cells.iter().enumerate() {
        let (x, y) = corner(diagram, n);
        let dark = (n % diagram.width + n / diagram.width).is_multiple_of(2);
        let colour = if dark { "dark" } else { "light" };
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" class=\"{colour}\"/>"
        );
        let mark = Mark::of(cell);
        if matches!(mark, Mark::Key | Mark::KeyBlocking) {
            inset(svg, (x, y), 4, "key", &format!("{}: key square", square_name(diagram, n)));
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
        disc(svg, diagram, piece, (x + SQUARE / 2, y + SQUARE / 2), SQUARE * 2 / 5, &at);
    }
}

fn disc(
    svg: &mut String,
    diagram: &Diagram,
    piece: &Piece,
    (x, y): (usize, usize),
    radius: usize,
    title: &str,
) {
    let (fill, ink) = colours(&diagram.sides[piece.side.index()], piece.side);
    let size = radius * 6 / 5;
    let _ = writeln!(
        svg,
        "<g><title>{}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" class=\"piece\" fill=\"{fill}\"/>\
         <text x=\"{x}\" y=\"{}\" font-size=\"{size}\" class=\"letter\" style=\"fill: {ink}\">{}</text></g>",
        escaped(title),
        y + size * 9 / 25,
        escaped(&piece.letter.to_string())
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
    let x = diagram.width * SQUARE + MARGIN;
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
            disc(svg, diagram, piece, (x + 12, y - 5), 12, &piece.name);
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
