//! A Markdown page about the tables of games, with a part for each game: counts, longest wins with their lines, sizes,
//! times, checksums. A new part replaces the old one of the game.

use super::report::{markdown, sha256, version};
use super::summary::{CLASS, PIECES, Row, by_pieces, rows_of_cells};
use super::{OpenTables, TablePosition};
use crate::best_play::move_texts;
use crate::interrupt;
use crate::machine::{Machine, peak_kibibytes};
use crate::text::{duration, grouped, plies};
use crate::values::Values;
use anyhow::{Context, Result};
use jewel_engine::variant::Rules;
use jewel_players::support::memory::size_text;
use jewel_solver::line::best_line;
use jewel_solver::tablebase::zugzwang::zugzwangs;
use jewel_tables::reader::Table;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

/// The facts in the part of one game.
pub(crate) struct ClassesPage<'a> {
    pub(crate) rules: &'static Rules,
    pub(crate) tables: &'a OpenTables,
    /// The classes, in the order in which they are built.
    pub(crate) classes: Vec<String>,
    pub(crate) command: String,
    /// Seconds for each class that was built by this run.
    pub(crate) seconds: &'a HashMap<String, f64>,
    /// The cells of these classes, and the seconds of the whole build.
    pub(crate) built_cells: u64,
    pub(crate) build_seconds: f64,
    pub(crate) threads: usize,
}

/// The head of the page.
const HEADER: &str = "# Tables of small endings\n\nWritten by `jewel tables build --report`, a part for each game. Counts are of \
                      positions that differ by more than a symmetry, by their value for the side to move, without castling \
                      rights and without a right to capture *en passant*; the longest win is in plies, bits are those of \
                      the file for each position. Classes that differ by an exchange of sides are one where the rules \
                      allow it. A mutual zugzwang is a position in which either side would rather that the other were to \
                      move.\n";

impl ClassesPage<'_> {
    /// Writes the part into a page; it replaces the old part of the game.
    ///
    /// # Errors
    /// If a file cannot be read or the page cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let page = match std::fs::read_to_string(path) {
            Ok(page) => page,
            Err(error) if error.kind() == ErrorKind::NotFound => HEADER.to_string(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let page = replaced(&page, &self.rules.id, &self.part()?);
        jewel_tables::atomic::write(path, page.as_bytes()).with_context(|| path.display().to_string())
    }

    fn part(&self) -> Result<String> {
        let files = self.classes.iter().map(|class| self.tables.table(class));
        let files: Vec<&Table> = files.collect::<Result<_>>()?;
        let rows: Vec<Row> = files.iter().map(|table| Row::of(table)).collect();
        let mut text = format!("## {}\n\nWritten by `{}`.\n\n", self.rules.name, self.command);
        text += &self.circumstances(&rows);
        text += "\n### By number of pieces\n\n";
        text += &markdown(&rows_of_cells(&by_pieces(&rows), &self.rules.sides, PIECES));
        text += "\n### By class\n\n";
        text += &markdown(&self.class_rows(&rows, &files)?);
        text += "\n### Longest wins\n\nThe position, the plies to its end, and best play: the fastest win against the longest \
                 defence.\n\n```\n";
        for row in &rows {
            if let (Some(longest), Some(fen)) = (row.longest_win, &row.longest_win_fen) {
                let line = self.line(fen)?;
                text += &format!("{}: {} from {fen}\n", row.class, plies(longest));
                for part in line.chunks(16) {
                    text += &format!("  {}\n", part.join(" "));
                }
            }
        }
        text += "```\n\n### Files\n\nSHA-256 of every file, as `sha256sum` prints it.\n\n```\n";
        for (row, file) in rows.iter().zip(&files) {
            text += &format!("{}  {}.jt\n", sha256(Path::new(file.name()))?, row.class);
        }
        Ok(text + "```\n")
    }

    /// The rows of all classes, with columns for zugzwangs and time.
    fn class_rows(&self, rows: &[Row], files: &[&Table]) -> Result<Vec<Vec<String>>> {
        let mut cells = rows_of_cells(rows, &self.rules.sides, CLASS);
        cells[0].extend(["win/draw/loss bits", "mutual zugzwangs", "seconds"].map(str::to_string));
        let wdl_bits =
            |row: &Row| format!("{:.3}", 8.0 * row.wdl_bytes as f64 / row.both().positions().max(1) as f64);
        let mut total = 0;
        for ((row, file), cells) in rows.iter().zip(files).zip(&mut cells[1..]) {
            let count = zugzwangs(&self.tables.set, file, 0, interrupt::listen()?)?.count();
            total += count;
            let seconds = self.seconds.get(&row.class).map_or_else(|| "-".to_string(), |s| format!("{s:.1}"));
            cells.extend([wdl_bits(row), grouped(count), seconds]);
        }
        if rows.len() > 1
            && let (Some(sum), Some(last)) = (Row::sum(rows, "all"), cells.last_mut())
        {
            let seconds = self.seconds.values().sum::<f64>();
            let seconds = if seconds > 0.0 { format!("{seconds:.1}") } else { "-".to_string() };
            last.extend([wdl_bits(&sum), grouped(total), seconds]);
        }
        Ok(cells)
    }

    fn line(&self, fen: &str) -> Result<Vec<String>> {
        let position = TablePosition::from_fen(self.rules, fen)?;
        let children = |position: &TablePosition| self.tables.children(position);
        let line = best_line(&position, children)?;
        Ok(move_texts(&position, &line.plies))
    }

    fn circumstances(&self, rows: &[Row]) -> String {
        let machine = Machine::here();
        let mut list = vec![[
            "machine".to_string(),
            format!("{}, {} cores, {}", machine.processor, machine.cores, machine.system),
        ]];
        list.push(["threads".into(), self.threads.to_string()]);
        if let Some(peak) = peak_kibibytes() {
            let peak = format!("{} (mapped files included)", size_text(peak << 10));
            list.push(["peak memory of the program".into(), peak]);
        }
        let mut time = format!("{} of {} classes built by this run", self.seconds.len(), rows.len());
        if self.build_seconds >= 0.1 && self.built_cells > 0 {
            let speed = grouped((self.built_cells as f64 / self.build_seconds) as u64);
            time += &format!(", in {}, {speed} cells a second", duration(self.build_seconds));
        }
        list.push(["time".into(), time]);
        list.push(["version".into(), version().to_string()]);
        list.push(["rules".into(), format!("fingerprint {:016x}", self.rules.fingerprint)]);
        if let Some(sum) = Row::sum(rows, "all") {
            let positions = sum.both().positions();
            list.push([
                "positions".into(),
                format!("{} in {} cells of {} classes", grouped(positions), grouped(sum.cells), rows.len()),
            ]);
            let a_byte = |bytes: u64| positions as f64 / bytes.max(1) as f64;
            list.push([
                "files".into(),
                format!(
                    "{} bytes, {:.1} positions a byte; win, draw and loss alone {} bytes, {:.1} positions a byte",
                    grouped(sum.bytes),
                    a_byte(sum.bytes),
                    grouped(sum.wdl_bytes),
                    a_byte(sum.wdl_bytes)
                ),
            ]);
        }
        let mut text = "| | |\n|---|---|\n".to_string();
        for [name, value] in list {
            text += &format!("| {name} | {value} |\n");
        }
        text
    }
}

/// A page with the part of a game, which replaces the old part or is added at the end.
fn replaced(page: &str, id: &str, part: &str) -> String {
    let [begin, end] = ["begin", "end"].map(|what| format!("<!-- {what} {id} -->\n"));
    let part = format!("{begin}{part}{end}");
    match page.find(&begin).zip(page.find(&end)) {
        Some((from, to)) if from < to => page[..from].to_string() + &part + &page[to + end.len()..],
        _ => format!("{}\n\n{part}", page.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_the_place_of_the_old_one() {
        let page = replaced("# Head\n", "one", "1\n");
        let page = replaced(&page, "two", "2\n");
        assert_eq!(
            page,
            "# Head\n\n<!-- begin one -->\n1\n<!-- end one -->\n\n<!-- begin two -->\n2\n<!-- end two -->\n"
        );
        let page = replaced(&page, "one", "new\n");
        assert_eq!(
            page,
            "# Head\n\n<!-- begin one -->\nnew\n<!-- end one -->\n\n<!-- begin two -->\n2\n<!-- end two -->\n"
        );
    }
}
