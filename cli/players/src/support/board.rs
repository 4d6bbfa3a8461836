//! Boards in the terminal: letters on a grid, and beside it a legend.

use jewel_engine::diagram::{Cell, Diagram, Graph, Piece};
use jewel_engine::value::Side;

/// How a board is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// With colours, as ANSI escape sequences.
    pub colours: bool,
    /// With box-drawing characters instead of ASCII.
    pub unicode: bool,
}

/// Widest drawing that has the legend beside the board instead of below it.
const WIDEST: usize = 80;

/// What a drawing has to show of the game that led to the position.
#[derive(Clone, Copy, Default, Debug)]
pub struct Story<'a> {
    /// The cells that the last move changed: in reverse video, or between `<` and `>` without colours.
    pub changed: &'a [usize],
    /// Pieces that the legend names though they may have left the board, so that its lines stay where they are.
    pub pieces: &'a [Piece],
}

/// The cells on which something else stands in one of two diagrams of a board.
pub fn changed(before: &Diagram, after: &Diagram) -> Vec<usize> {
    let what = |cell: &Cell| (cell.piece.clone(), cell.above.clone(), cell.label.clone());
    let pairs = before.cells.iter().zip(&after.cells).enumerate();
    pairs.filter(|(_, (before, after))| what(before) != what(after)).map(|(n, _)| n).collect()
}

/// The board with its legend, without notes about the position.
pub fn draw(diagram: &Diagram, over: bool, style: Style) -> String {
    draw_with(diagram, over, style, Story::default())
}

/// The same with what led to the position.
pub fn draw_with(diagram: &Diagram, over: bool, style: Style, story: Story<'_>) -> String {
    let board = match &diagram.graph {
        Some(graph) => layers(diagram, graph, style, story.changed),
        None => board(diagram, style, story.changed),
    };
    let legend = legend(diagram, over, style, story.pieces);
    let board_width = board.iter().map(|line| line.width).max().unwrap_or(0);
    let legend_width = legend.iter().map(|line| line.width).max().unwrap_or(0);
    let mut text = String::new();
    if board_width + 3 + legend_width > WIDEST {
        for line in board.iter().chain([&Line::default()]).chain(&legend) {
            text.push_str(&format!("{}\n", line.text));
        }
        return text;
    }
    for n in 0..board.len().max(legend.len()) {
        let (left, right) = (board.get(n), legend.get(n));
        let (drawn, width) = left.map_or(("", 0), |line| (line.text.as_str(), line.width));
        text.push_str(drawn);
        if let Some(right) = right {
            text.extend(std::iter::repeat_n(' ', board_width + 3 - width));
            text.push_str(&right.text);
        }
        text.push('\n');
    }
    text
}

/// The squares of a mark, with the mark and what it means: `[·]`, `key square`, `d4`.
pub fn marks(diagram: &Diagram, style: Style) -> Vec<[String; 2]> {
    let dot = style.empty();
    let mut rows = Vec::new();
    for mark in [Mark::Key, Mark::KeyBlocking, Mark::Blocking, Mark::Raised, Mark::River] {
        let squares = marked(diagram, mark);
        if !squares.is_empty() {
            let (open, close) = mark.brackets();
            let meaning = match mark {
                Mark::KeyBlocking => format!("{squares}, which no slider passes"),
                Mark::Blocking => format!("{squares}: no slider passes"),
                _ => squares,
            };
            let what = match mark {
                Mark::Blocking => "blocking",
                Mark::Raised => "raised",
                Mark::River => "river",
                _ => "key square",
            };
            rows.push([format!("{open}{dot}{close} {what}"), meaning]);
        }
    }
    rows.extend(shared(diagram));
    rows
}

/// The squares on which several pieces stand, of which the board shows one.
fn shared(diagram: &Diagram) -> Option<[String; 2]> {
    let stack = |(n, cell): (usize, &Cell)| {
        let letters: String = cell.piece.iter().chain(&cell.above).map(|piece| piece.letter).collect();
        (!cell.above.is_empty()).then(|| format!("{letters} on {}", square_name(diagram, n)))
    };
    let stacks: Vec<String> = diagram.cells.iter().enumerate().filter_map(stack).collect();
    (!stacks.is_empty()).then(|| ["shared".to_string(), stacks.join(", ")])
}

/// The squares of a mark; three or more in a row are written `a3-c3`.
fn marked(diagram: &Diagram, mark: Mark) -> String {
    let cells: Vec<usize> = diagram
        .cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.label.is_none() && Mark::of(cell) == mark)
        .map(|(n, _)| n)
        .collect();
    let adjacent = |a: &usize, b: &usize| a + 1 == *b && !b.is_multiple_of(diagram.width);
    let name = |n: &usize| square_name(diagram, *n);
    let run = |run: &[usize]| match run {
        [first, _, .., last] => format!("{}-{}", name(first), name(last)),
        _ => run.iter().map(name).collect::<Vec<_>>().join(" "),
    };
    cells.chunk_by(adjacent).map(run).collect::<Vec<_>>().join(" ")
}

/// What a side calls a piece: nothing where that is just its letter.
pub fn label(piece: &Piece) -> &str {
    let mut letters = piece.name.chars();
    let bare =
        letters.next().is_some_and(|c| c.eq_ignore_ascii_case(&piece.letter)) && letters.next().is_none();
    if bare { "" } else { &piece.name }
}

/// The name of the `n`th cell of a diagram.
pub fn square_name(diagram: &Diagram, n: usize) -> String {
    if let Some(graph) = &diagram.graph {
        return graph.names.get(n).cloned().unwrap_or_default();
    }
    format!("{}{}", file_letter(n % diagram.width), n / diagram.width + 1)
}

/// The letter of a file, counted from 0.
pub fn file_letter(file: usize) -> char {
    char::from(b'a' + (file % 26) as u8)
}

/// What is special about a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Nothing.
    None,
    /// It is a key square.
    Key,
    /// It is a key square that no slider passes.
    KeyBlocking,
    /// No slider passes it.
    Blocking,
    /// It is raised: not every piece may enter it.
    Raised,
    /// It is water: not every piece may enter it.
    River,
    /// The last move changed it.
    Changed,
}

impl Mark {
    /// The mark of a cell.
    pub fn of(cell: &Cell) -> Mark {
        match (cell.key, cell.blocking) {
            (false, false) if cell.raised => Mark::Raised,
            (false, false) if cell.river => Mark::River,
            (false, false) => Mark::None,
            (true, false) => Mark::Key,
            (true, true) => Mark::KeyBlocking,
            (false, true) => Mark::Blocking,
        }
    }

    fn brackets(self) -> (char, char) {
        match self {
            Mark::None => (' ', ' '),
            Mark::Key | Mark::KeyBlocking => ('[', ']'),
            Mark::Blocking => ('(', ')'),
            Mark::Raised => ('{', '}'),
            Mark::River => ('~', '~'),
            Mark::Changed => ('<', '>'),
        }
    }
}

/// A line and the columns that it takes, escape sequences not counted.
#[derive(Clone, Default, Debug)]
struct Line {
    text: String,
    width: usize,
}

impl Line {
    fn push(&mut self, text: &str, paint: &str) {
        self.width += text.chars().count();
        if paint.is_empty() || text.trim().is_empty() {
            self.text.push_str(text);
        } else {
            self.text.push_str(&format!("\x1b[{paint}m{text}\x1b[0m"));
        }
    }
}

const DIM: &str = "2";
const KEY: &str = "1;33";
const REVERSE: &str = "7";

impl Style {
    fn empty(self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    /// An escape sequence's number, or none without colours.
    fn paint(self, code: &'static str) -> &'static str {
        if self.colours { code } else { "" }
    }

    /// Bold text, where there are colours.
    pub fn bold(self, text: &str) -> String {
        if self.colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }

    /// The colour of a side: its own where its name is one.
    fn side(self, name: &str, side: Side) -> &'static str {
        let code = match (name.to_ascii_lowercase().as_str(), side) {
            ("red", _) => "1;31",
            ("green", _) => "1;32",
            ("yellow" | "gold", _) => "1;33",
            ("blue", _) => "1;34",
            (_, Side::White) => "1",
            (_, Side::Black) => "1;36",
        };
        self.paint(code)
    }
}

/// How a cell that the last move changed is painted, in addition.
fn emphasised(paint: &str) -> String {
    if paint.is_empty() { REVERSE.to_string() } else { format!("{REVERSE};{paint}") }
}

fn board(diagram: &Diagram, style: Style, changed: &[usize]) -> Vec<Line> {
    // Columns of what stands on a square.
    let wide = diagram.cells.iter().filter_map(|cell| cell.label.as_deref()).map(|text| text.chars().count());
    let wide = wide.max().unwrap_or(1);
    let [left, right, bar] = if style.unicode { ["╭", "╮", "─"] } else { ["+", "+", "-"] };
    let [low_left, low_right, wall] = if style.unicode { ["╰", "╯", "│"] } else { ["+", "+", "|"] };
    let dim = style.paint(DIM);
    let edge = |left: &str, right: &str| {
        let mut line = Line::default();
        line.push("   ", "");
        line.push(&format!("{left}{}{right}", bar.repeat((wide + 1) * diagram.width + 1)), dim);
        line
    };
    let mut lines = vec![edge(left, right)];
    for rank in (0..diagram.height).rev() {
        let mut line = Line::default();
        line.push(&format!("{:>2} ", rank + 1), dim);
        line.push(wall, dim);
        let cells = &diagram.cells[rank * diagram.width..(rank + 1) * diagram.width];
        let mut before = Mark::None;
        for (file, cell) in cells.iter().enumerate() {
            let fresh = changed.contains(&(rank * diagram.width + file));
            let mark = match Mark::of(cell) {
                Mark::None if fresh && !style.colours => Mark::Changed,
                _ if cell.label.is_some() => Mark::None,
                mark => mark,
            };
            line.push(separator(before, mark), style.paint(KEY));
            before = mark;
            let side = cell.piece.as_ref().map(|piece| piece.side);
            let paint = side.map_or(dim, |side| style.side(&diagram.sides[side.index()], side));
            let paint = if fresh && style.colours { emphasised(paint) } else { paint.to_string() };
            let letter = cell.piece.as_ref().map(|piece| piece.letter.to_string());
            let text = cell.label.clone().or(letter).unwrap_or_else(|| style.empty().to_string());
            line.push(&text, &paint);
            line.push(&" ".repeat(wide.saturating_sub(text.chars().count())), "");
        }
        line.push(separator(before, Mark::None), style.paint(KEY));
        line.push(wall, dim);
        lines.push(line);
    }
    lines.push(edge(low_left, low_right));
    let files: Vec<String> = (0..diagram.width).map(|file| format!("{:wide$}", file_letter(file))).collect();
    let mut line = Line::default();
    line.push(format!("     {}", files.join(" ")).trim_end(), dim);
    lines.push(line);
    lines
}

/// A graph layer by layer, the highest first: each place below the rest of its name.
fn layers(diagram: &Diagram, graph: &Graph, style: Style, changed: &[usize]) -> Vec<Line> {
    let dim = style.paint(DIM);
    let mut lines = Vec::new();
    for layer in (0..diagram.height).rev() {
        let places = layer * diagram.width..(layer + 1) * diagram.width;
        let names = &graph.names[places.clone()];
        let first_place = places.start;
        let label = format!("{} {layer} ", graph.layer);
        let (mut above, mut row) = (Line::default(), Line::default());
        above.push(&" ".repeat(label.chars().count()), "");
        row.push(&label, dim);
        let mut group = None;
        for (n, (name, cell)) in names.iter().zip(&diagram.cells[places]).enumerate() {
            // `0Aa`: the layer, the group, the place in it.
            let mut rest = name.trim_start_matches(|c: char| c.is_ascii_digit()).chars();
            let (first, own) = (rest.next(), rest.as_str());
            let gap = if first == group || group.is_none() { " " } else { "   " };
            group = first;
            above.push(&format!("{gap}{}{own}", first.map_or(String::new(), String::from)), dim);
            let fresh = changed.contains(&(first_place + n));
            let before = gap.len() + own.chars().count();
            let mark = if fresh && !style.colours { "<" } else { " " };
            row.push(&" ".repeat(before.saturating_sub(1)), "");
            row.push(if before > 0 { mark } else { "" }, "");
            let side = cell.piece.as_ref().map(|piece| piece.side);
            let paint = side.map_or(dim, |side| style.side(&diagram.sides[side.index()], side));
            let paint = if fresh && style.colours { emphasised(paint) } else { paint.to_string() };
            let letter = cell.piece.as_ref().map(|piece| piece.letter.to_string());
            row.push(&letter.unwrap_or_else(|| style.empty().to_string()), &paint);
        }
        lines.extend([above, row]);
    }
    lines
}

/// What stands between two squares: a bracket where marked squares begin or end.
fn separator(left: Mark, right: Mark) -> &'static str {
    let same = left.brackets() == right.brackets();
    match (left, right) {
        _ if same => " ",
        (Mark::None, Mark::Blocking) => "(",
        (Mark::None, Mark::Raised) => "{",
        (Mark::None, Mark::River) | (Mark::River, Mark::None) => "~",
        (Mark::None, Mark::Changed) => "<",
        (Mark::Changed, Mark::None) => ">",
        (Mark::None, _) => "[",
        (Mark::Blocking, Mark::None) => ")",
        (Mark::Raised, Mark::None) => "}",
        (_, Mark::None) => "]",
        _ => "|",
    }
}

/// Both sides, the northern first as on the board, with the pieces that they have on it.
fn legend(diagram: &Diagram, over: bool, style: Style, known: &[Piece]) -> Vec<Line> {
    let named = |side: Side| {
        let mut pieces: Vec<&Piece> = known.iter().filter(|piece| piece.side == side).collect();
        for piece in roster(diagram, side) {
            if !pieces.iter().any(|known| same_kind(known, piece)) {
                pieces.push(piece);
            }
        }
        (side, pieces)
    };
    let rosters = [Side::Black, Side::White].map(named);
    let all = || rosters.iter().flat_map(|(_, pieces)| pieces);
    let width = all().map(|piece| label(piece).chars().count()).max().unwrap_or(0);
    let letters = all().map(|piece| symbol(diagram, piece).len()).max().unwrap_or(1);
    let mut lines = Vec::new();
    for (side, pieces) in &rosters {
        let name = &diagram.sides[side.index()];
        let mut line = Line::default();
        line.push(name, style.side(name, *side));
        if !over && diagram.side_to_move == *side {
            line.push(" to move", "");
        }
        lines.push(line);
        if let Some(hand) = hand(diagram, *side) {
            let mut line = Line::default();
            line.push("  in hand ", "");
            line.push(hand, style.side(name, *side));
            lines.push(line);
        }
        // Letters that stand for nothing but themselves share a line.
        if pieces.iter().all(|piece| label(piece).is_empty() && piece.abbreviation.is_empty()) {
            let letters: Vec<String> = pieces.iter().map(|piece| symbol(diagram, piece)).collect();
            let letters = if letters.is_empty() { "has no piece".to_string() } else { letters.join(" ") };
            let mut line = Line::default();
            line.push(&format!("  {letters}"), if pieces.is_empty() { "" } else { style.side(name, *side) });
            lines.push(line);
            continue;
        }
        for piece in pieces {
            let mut line = Line::default();
            line.push("  ", "");
            let symbol = symbol(diagram, piece);
            line.push(&symbol, style.side(name, *side));
            let name = label(piece);
            if !name.is_empty() || !piece.abbreviation.is_empty() {
                line.push(&" ".repeat(letters.saturating_sub(symbol.len())), "");
            }
            if piece.abbreviation.is_empty() && !name.is_empty() {
                line.push(&format!("  {name}"), "");
            } else if !piece.abbreviation.is_empty() {
                line.push(&format!("  {name:width$}  "), "");
                line.push(&piece.abbreviation, style.paint(DIM));
            }
            lines.push(line);
        }
    }
    lines
}

/// What a side has in hand, by the note of the diagram that says so; `None` in games without hands.
fn hand(diagram: &Diagram, side: Side) -> Option<&str> {
    let name = &diagram.sides[side.index()];
    let of_side = |(note, _): &&(String, String)| note.strip_prefix(IN_HAND) == Some(name);
    diagram.notes.iter().find(of_side).map(|(_, letters)| letters.as_str())
}

/// How the name of a note begins that says what a side has in hand.
const IN_HAND: &str = "in hand, ";

/// The notes of a diagram that its legend does not show: all but those about hands.
pub fn notes(diagram: &Diagram) -> impl Iterator<Item = &(String, String)> {
    diagram.notes.iter().filter(|(name, _)| !name.starts_with(IN_HAND))
}

/// How a piece is written: its letter, with a mark if it was promoted.
fn symbol(diagram: &Diagram, piece: &Piece) -> String {
    let letter = piece.letter;
    let marked = [format!("+{letter}"), format!("{letter}~")];
    let like =
        |cell: &&Cell| cell.piece.as_ref().is_some_and(|p| p.side == piece.side && same_kind(p, piece));
    let mut labels = diagram.cells.iter().filter(like).filter_map(|cell| cell.label.clone());
    labels.find(|label| marked.contains(label)).unwrap_or_else(|| letter.to_string())
}

fn same_kind(one: &Piece, other: &Piece) -> bool {
    (one.letter, &one.name) == (other.letter, &other.name)
}

/// One piece of each kind that a side has on the board, from its own edge and from the west.
pub fn roster(diagram: &Diagram, side: Side) -> Vec<&Piece> {
    let mut pieces: Vec<&Piece> = Vec::new();
    for rank in 0..diagram.height {
        let rank = if side == Side::White { rank } else { diagram.height - 1 - rank };
        for cell in &diagram.cells[rank * diagram.width..(rank + 1) * diagram.width] {
            for piece in cell.piece.iter().chain(&cell.above).filter(|piece| piece.side == side) {
                if !pieces.iter().any(|known| same_kind(known, piece)) {
                    pieces.push(piece);
                }
            }
        }
    }
    pieces
}
