//! Text for a terminal of 80 columns: tables, and sentences in lines.

/// The columns of a terminal that text is laid out for.
pub const WIDTH: usize = 80;

/// Least columns of a cell that is broken into lines.
const LEAST_ROOM: usize = 16;

/// Rows in columns that start below each other, two spaces apart, without trailing spaces. The last column is broken
/// into lines where it would be wider than the terminal.
///
/// ```
/// use jewel_players::support::layout::columns;
/// let rows = [["game", "duel"], ["fen", "l2/3/2L w - - 0 1"]].map(|row| row.map(str::to_string));
/// assert_eq!(columns(&rows), "game  duel\nfen   l2/3/2L w - - 0 1\n");
/// ```
pub fn columns<R: AsRef<[String]>>(rows: &[R]) -> String {
    table(rows, |_| true)
}

/// Rows in columns two spaces apart, the first flush left, all others flush right, as numbers are.
pub fn numbers<R: AsRef<[String]>>(rows: &[R]) -> String {
    table(rows, |n| n == 0)
}

/// Rows in columns two spaces apart; the columns for which `left` says so are flush left, the others flush right.
pub fn table<R: AsRef<[String]>>(rows: &[R], left: impl Fn(usize) -> bool) -> String {
    let widths = widths(rows);
    let indent: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let broken = widths.len().saturating_sub(1);
    let cell = |(n, cell): (usize, &String)| {
        let width = widths[n];
        match left(n) {
            true if n == broken => folded(cell, indent),
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        }
    };
    let line = |row: &R| row.as_ref().iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| format!("{}\n", line(row).trim_end())).collect()
}

/// A table with heads in its first row; where it would be wider than the terminal, a list of the rows one by one, each
/// under its first cell.
pub fn table_or_list<R: AsRef<[String]>>(rows: &[R], left: impl Fn(usize) -> bool) -> String {
    let widths = widths(rows);
    let [heads, records @ ..] = rows else { return String::new() };
    if widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) <= WIDTH {
        return table(rows, left);
    }
    let record = |row: &R| {
        let [title, rest @ ..] = row.as_ref() else { return String::new() };
        let named = heads.as_ref().iter().skip(1).zip(rest);
        let facts: Vec<[String; 2]> =
            named.map(|(head, value)| [format!("  {head}"), value.clone()]).collect();
        format!("{}\n{}", folded(title, 2), columns(&facts))
    };
    records.iter().map(record).collect()
}

fn widths<R: AsRef<[String]>>(rows: &[R]) -> Vec<usize> {
    let width =
        |n: usize| rows.iter().filter_map(|row| row.as_ref().get(n)).map(|cell| cell.chars().count()).max();
    (0..).map_while(width).collect()
}

/// A text that begins in column `indent`, broken at blanks into lines of the terminal's width; the lines after the
/// first begin in the same column. Position strings are kept whole, for those who copy them.
pub fn folded(text: &str, indent: usize) -> String {
    let room = WIDTH.saturating_sub(indent).max(LEAST_ROOM);
    if text.chars().count() <= room {
        return text.to_string();
    }
    let mut lines = String::with_capacity(text.len() + text.len() / 8);
    let mut used = 0;
    for unit in units(text) {
        let length = unit.chars().count();
        if used > 0 && used + 1 + length > room {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(&unit);
        used += length;
    }
    lines
}

/// The words of a text; those of a position string are one.
fn units(text: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    // Words that may still belong to a position string.
    let mut more = 0;
    for word in text.split(' ') {
        let side = more == FIELDS && matches!(word, "w" | "b");
        let field = more > 0 && more < FIELDS && word.len() <= 5;
        match units.last_mut().filter(|_| side || field) {
            Some(position) => {
                position.push(' ');
                position.push_str(word);
                more -= 1;
            }
            None => {
                more = if word.matches('/').count() >= 2 { FIELDS } else { 0 };
                units.push(word.to_string());
            }
        }
    }
    units
}

/// The fields of a position string after its board: the side to move and up to four more.
const FIELDS: usize = 5;
