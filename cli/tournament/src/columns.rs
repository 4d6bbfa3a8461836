//! Tables of text.

/// Rows in columns two spaces apart; the columns for which `left` says so are flush left, the others flush right.
pub(crate) fn columns<R: AsRef<[String]>>(rows: &[R], left: impl Fn(usize) -> bool) -> String {
    let width =
        |n: usize| rows.iter().filter_map(|row| row.as_ref().get(n)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let cell = |(n, cell): (usize, &String)| {
        let width = widths[n];
        if left(n) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    let line = |row: &R| row.as_ref().iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| format!("{}\n", line(row).trim_end())).collect()
}
