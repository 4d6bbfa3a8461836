//! What `jewel tables build --report` writes about the tables of games: a Markdown page (totals and longest wins), and beside
//! it a data file with a row for each class. Both have a part for each game; a new part replaces the old one of the game.

use super::report::{markdown, version};
use super::summary::{PIECES, Row, by_pieces, rows_of_cells};
use super::{OpenTables, TablePosition};
use crate::best_play::move_texts;
use crate::interrupt;
use crate::machine::{Machine, peak_kibibytes};
use crate::text::{duration, grouped};
use crate::values::Values;
use anyhow::{Context, Result};
use jewel_engine::variant::Rules;
use jewel_players::support::files::sha256;
use jewel_players::support::memory::size_text;
use jewel_solver::line::best_line;
use jewel_solver::tablebase::zugzwang::zugzwangs;
use jewel_tables::reader::Table;
use std::cmp::Reverse;
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

/// The head of a new page.
const HEADER: &str = "# Tables of small endings\n\nWritten by `jewel tables build --report`, a part for each game; the file of \
                      the same name that ends in `.tsv` has a row for each class. Counts are of positions that differ by \
                      more than a symmetry, by their value for the side to move, without castling rights and without a \
                      right to capture *en passant*; wins are in plies, bits are those of the file for each position. Two \
                      classes that differ by an exchange of sides have one table where the rules allow it. In a mutual \
                      zugzwang either side would rather that the other were to move.\n";

/// The columns of the data file, separated by tabs. `-` is a value that is not known or that a class does not have.
const COLUMNS: &str = "game\tclass\tpieces\twhite_wins\twhite_draws\twhite_losses\tblack_wins\tblack_draws\t\
                       black_losses\tlongest_win\tbytes\tbits\twdl_bits\tmutual_zugzwangs\tseconds\tsha256\t\
                       longest_win_position\tlongest_win_line";

/// Longest wins that the page lists.
const LONGEST_WINS: usize = 10;

impl ClassesPage<'_> {
    /// Writes the part into the page and its rows into the data file; they replace the old ones of the game.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let files = self.classes.iter().map(|class| self.tables.table(class));
        let files: Vec<&Table> = files.collect::<Result<_>>()?;
        let rows: Vec<Row> = files.iter().map(|table| Row::of(table)).collect();
        let mut mutual = Vec::with_capacity(rows.len());
        for file in &files {
            mutual.push(zugzwangs(&self.tables.set, file, 0, interrupt::listen()?)?.count());
        }
        let mut lines = String::new();
        for ((row, file), &zugzwangs) in rows.iter().zip(&files).zip(&mutual) {
            lines += &self.data_row(row, file, zugzwangs)?;
        }
        let page = read(path)?.unwrap_or_else(|| HEADER.to_string());
        let page = replaced(&page, &self.rules.id, &self.part(&rows, mutual.iter().sum()));
        let data = path.with_extension("tsv");
        let table = replaced_rows(&read(&data)?.unwrap_or_default(), &self.rules.id, &lines);
        for (path, text) in [(path, page), (&data, table)] {
            jewel_tables::atomic::write(path, text.as_bytes()).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// A class as a row of the data file.
    fn data_row(&self, row: &Row, file: &Table, zugzwangs: u64) -> Result<String> {
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
        let mut cells = vec![self.rules.id.clone(), row.class.clone(), row.pieces.to_string()];
        for wdl in [row.white, row.black] {
            cells.extend([wdl.wins, wdl.draws, wdl.losses].map(|n| n.to_string()));
        }
        let positions = row.both.positions().max(1) as f64;
        let line = row.longest_win_fen.as_deref().map(|fen| self.line(fen)).transpose()?;
        cells.extend([
            or_dash(row.longest_win.map(|plies| plies.to_string())),
            row.bytes.to_string(),
            format!("{:.2}", row.bits_a_position()),
            format!("{:.3}", 8.0 * row.wdl_bytes as f64 / positions),
            zugzwangs.to_string(),
            or_dash(self.seconds.get(&row.class).map(|seconds| format!("{seconds:.1}"))),
            sha256(Path::new(file.name()))?,
            or_dash(row.longest_win_fen.clone()),
            or_dash(line),
        ]);
        Ok(cells.join("\t") + "\n")
    }

    /// Best play from a position: the fastest win against the longest defence.
    fn line(&self, fen: &str) -> Result<String> {
        let position = TablePosition::from_fen(self.rules, fen)?;
        let children = |position: &TablePosition| self.tables.children(position);
        let line = best_line(&position, children)?;
        Ok(move_texts(&position, &line.plies).join(" "))
    }

    fn part(&self, rows: &[Row], zugzwangs: u64) -> String {
        let mut text = format!("## {}\n\n{}", self.rules.name, self.circumstances(rows, zugzwangs));
        text += &markdown(&rows_of_cells(&by_pieces(rows), &self.rules.sides, PIECES));
        let mut longest: Vec<&Row> = rows.iter().filter(|row| row.longest_win.is_some()).collect();
        longest.sort_by_key(|row| Reverse(row.longest_win));
        let wins = longest.into_iter().take(LONGEST_WINS).map(|row| {
            let plies = row.longest_win.map_or_else(String::new, |plies| plies.to_string());
            let fen = row.longest_win_fen.as_deref().unwrap_or_default();
            vec![row.class.clone(), plies, format!("`{fen}`")]
        });
        let heads = ["class", "longest win", "position"].map(str::to_string).to_vec();
        text + "\n" + &markdown(&std::iter::once(heads).chain(wins).collect::<Vec<_>>())
    }

    fn circumstances(&self, rows: &[Row], zugzwangs: u64) -> String {
        let machine = Machine::here();
        let mut text = format!(
            "Written by `{}` ({}; rules {:016x}) on {}, {} cores, {}, {} {}",
            self.command,
            version(),
            self.rules.fingerprint,
            machine.processor,
            machine.cores,
            machine.system,
            self.threads,
            if self.threads == 1 { "thread" } else { "threads" }
        );
        if let Some(peak) = peak_kibibytes() {
            text += &format!("; peak memory {}, mapped files included", size_text(peak << 10));
        }
        text += &format!(". It built {} of {} classes", self.seconds.len(), rows.len());
        if self.build_seconds >= 0.1 && self.built_cells > 0 {
            let speed = grouped((self.built_cells as f64 / self.build_seconds) as u64);
            text += &format!(" in {}, {speed} cells a second", duration(self.build_seconds));
        }
        if let Some(sum) = Row::sum(rows, "all") {
            let positions = sum.both.positions();
            let a_byte = |bytes: u64| positions as f64 / bytes.max(1) as f64;
            text += &format!(
                ". There are {} positions in {} cells and {} bytes, {:.1} positions a byte; win, draw and loss alone take {} \
                 bytes, {:.1} positions a byte. {} mutual zugzwangs.\n\n",
                grouped(positions),
                grouped(sum.cells),
                grouped(sum.bytes),
                a_byte(sum.bytes),
                grouped(sum.wdl_bytes),
                a_byte(sum.wdl_bytes),
                grouped(zugzwangs)
            );
        }
        text
    }
}

/// The text of a file; `None` if there is none.
fn read(path: &Path) -> Result<Option<String>> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // A device or a pipe has no earlier parts.
        return Ok(None);
    }
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// A data file with the rows of a game in the place of its old ones, behind those of the other games.
fn replaced_rows(data: &str, id: &str, rows: &str) -> String {
    let others = data.lines().skip(1).filter(|line| line.split('\t').next() != Some(id));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    format!("{COLUMNS}\n{others}{rows}")
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
    fn rows_of_a_game_take_the_place_of_its_old_ones() {
        let data = replaced_rows("", "one", "one\tKvK\t1\n");
        let data = replaced_rows(&data, "two", "two\tKvK\t2\n");
        assert_eq!(data, format!("{COLUMNS}\none\tKvK\t1\ntwo\tKvK\t2\n"));
        let data = replaced_rows(&data, "one", "one\tKvK\tnew\n");
        assert_eq!(data, format!("{COLUMNS}\ntwo\tKvK\t2\none\tKvK\tnew\n"));
    }

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
