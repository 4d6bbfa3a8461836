//! The Markdown page about a game that was solved by tables.

use super::summary::{CLASS, PIECES, Row, by_pieces, rows_of_cells};
use crate::best_play::BestPlay;
use crate::machine::{Machine, peak_kibibytes};
use crate::text::{duration, grouped, plies};
use anyhow::Result;
use jewel_players::support::files::sha256;
use jewel_players::support::memory::size_text;
use std::path::Path;

/// The facts on the page.
pub(crate) struct Report<'a> {
    pub(crate) best_play: &'a BestPlay,
    pub(crate) command: String,
    /// Seconds that the command has taken so far.
    pub(crate) seconds: f64,
    /// Classes that the command built; the others were there before.
    pub(crate) built: usize,
    /// The cells of the classes that were built, and the seconds that it took.
    pub(crate) built_cells: u64,
    pub(crate) build_seconds: f64,
    pub(crate) threads: usize,
    pub(crate) fingerprint: u64,
    pub(crate) made_by: String,
    pub(crate) placements: u128,
    pub(crate) rows: &'a [Row],
    pub(crate) sides: &'a [String; 2],
    /// The files, in the order of the rows.
    pub(crate) files: Vec<&'a Path>,
    /// What was checked, in words.
    pub(crate) verified: Option<String>,
}

impl Report<'_> {
    /// The page.
    ///
    /// # Errors
    /// If a file cannot be read for its checksum.
    pub(crate) fn page(&self) -> Result<String> {
        let title = self.best_play.title();
        let mut page = format!(
            "# {title}: {}\n\nWritten by `{}`. The position is `{}`.\n\n",
            self.best_play.value(),
            self.command,
            self.best_play.fen()
        );
        page += &self.circumstances();
        page += &format!("\n## Value, first moves, best play\n\n```\n{}", self.best_play.heading());
        page += &format!("value  {}\n{}```\n", self.best_play.value(), self.best_play.moves_and_line());
        if let Some(sum) = Row::sum(self.rows, "all")
            && let (Some(longest), Some(fen)) = (sum.longest_win, &sum.longest_win_fen)
        {
            page += &format!("\nThe longest win of all takes {}, from `{fen}`.\n", plies(longest));
        }
        page += "\n## By number of pieces\n\n";
        page += &markdown(&rows_of_cells(&by_pieces(self.rows), self.sides, PIECES));
        page += "\n## By class\n\nCounts are of positions that differ by more than a symmetry, by their value for the side to \
                 move; the longest win is in plies, bits are those of the file for each position. Classes that differ by an exchange of \
                 sides are one where the rules allow it.\n\n";
        page += &markdown(&rows_of_cells(self.rows, self.sides, CLASS));
        page += "\n## Files\n\nSHA-256 of every file, as `sha256sum` prints it.\n\n```\n";
        for (row, file) in self.rows.iter().zip(&self.files) {
            page += &format!("{}  {}.jt\n", sha256(file)?, row.class);
        }
        Ok(page + "```\n")
    }

    fn circumstances(&self) -> String {
        let machine = Machine::here();
        let mut rows = vec![
            ["value".to_string(), self.best_play.value()],
            ["machine".into(), format!("{}, {} cores, {}", machine.processor, machine.cores, machine.system)],
        ];
        if let Some(memory) = machine.memory {
            rows.push(["memory of the machine".into(), size_text(memory << 20)]);
        }
        rows.push(["threads".into(), self.threads.to_string()]);
        if let Some(peak) = peak_kibibytes() {
            rows.push([
                "peak memory of the program".into(),
                format!("{} (mapped files included)", size_text(peak << 10)),
            ]);
        }
        let found = self.rows.len() - self.built;
        let mut what = format!("{} classes built in {}", self.built, duration(self.build_seconds));
        if self.build_seconds >= 0.1 && self.built > 0 {
            let speed = grouped((self.built_cells as f64 / self.build_seconds) as u64);
            what += &format!(", {speed} cells a second");
        }
        if found > 0 {
            what += &format!("; {found} were there from an earlier run");
        }
        rows.push(["time".into(), format!("{} in all: {what}", duration(self.seconds))]);
        rows.push(["version".into(), format!("this program {}, the tables {}", version(), self.made_by)]);
        rows.push(["rules".into(), format!("fingerprint {:016x}", self.fingerprint)]);
        if let Some(sum) = Row::sum(self.rows, "all") {
            let placements = grouped(u64::try_from(self.placements).unwrap_or(u64::MAX));
            let positions = grouped(sum.both.positions());
            rows.push(["placements".into(), format!("{placements}, both sides to move, before symmetry")]);
            rows.push([
                "positions".into(),
                format!("{positions} in {} cells of {} classes", grouped(sum.cells), self.rows.len()),
            ]);
            rows.push([
                "files".into(),
                format!(
                    "{} bytes, {:.2} bits a position; {} of them hold win, draw and loss",
                    grouped(sum.bytes),
                    sum.bits_a_position(),
                    grouped(sum.wdl_bytes)
                ),
            ]);
        }
        rows.push(["checked".into(), self.verified.clone().unwrap_or_else(|| "not by this run".into())]);
        let mut text = "| | |\n|---|---|\n".to_string();
        for [name, value] in rows {
            text += &format!("| {name} | {value} |\n");
        }
        text
    }
}

/// The program and its version.
pub(crate) fn version() -> &'static str {
    concat!("jewel ", env!("CARGO_PKG_VERSION"))
}

/// Rows as a Markdown table; the first row has the heads.
pub(crate) fn markdown(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (n, row) in rows.iter().enumerate() {
        text += &format!("| {} |\n", row.join(" | "));
        if n == 0 {
            text += &format!("|---|{}\n", "--:|".repeat(row.len() - 1));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_sha256sum() {
        let path = std::env::temp_dir().join(format!("jewel-sha256-{}", std::process::id()));
        std::fs::write(&path, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), known);
        std::fs::remove_file(path).unwrap();
    }
}
