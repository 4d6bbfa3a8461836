//! Facts from the headers of tables: counts by class, their sums, and the longest win.

use super::name;
use crate::text::grouped;
use jewel_players::support::layout::{folded, numbers};
use jewel_players::support::memory::size_text;
use jewel_tables::metadata::Counts;
use jewel_tables::reader::Table;
use serde::Serialize;
use std::collections::BTreeMap;

/// Rows above this number are summed up by number of pieces, for people.
pub(crate) const MAX_ROWS: usize = 40;

/// Positions by value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug, Default)]
pub(crate) struct Wdl {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
}

impl Wdl {
    fn of(counts: Counts) -> Wdl {
        Wdl { wins: counts.wins, draws: counts.draws, losses: counts.losses }
    }

    pub(crate) fn plus(self, other: Wdl) -> Wdl {
        Wdl {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }

    pub(crate) fn positions(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Of 100 positions, those that are won, drawn and lost: 0 and 100 stand for none and all.
    fn shares(self) -> [String; 3] {
        let all = self.positions();
        [self.wins, self.draws, self.losses].map(|count| match count {
            0 => "0".to_string(),
            count if count == all => "100".to_string(),
            count => format!("{:.1}", (100.0 * count as f64 / all as f64).clamp(0.1, 99.9)),
        })
    }

    fn cells(self) -> [String; 3] {
        [self.wins, self.draws, self.losses].map(grouped)
    }
}

/// A table, or several in sum.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Row {
    /// The class; for a sum, the number of pieces.
    pub(crate) class: String,
    pub(crate) pieces: usize,
    /// The number of tables.
    #[serde(skip)]
    pub(crate) tables: usize,
    /// With White to move, and with Black to move.
    pub(crate) white: Wdl,
    pub(crate) black: Wdl,
    /// Both together: a class that is its own exchange of sides counts once.
    #[serde(skip)]
    pub(crate) both: Wdl,
    /// Cells of the index, both sides to move.
    pub(crate) cells: u64,
    pub(crate) longest_win: Option<u32>,
    pub(crate) longest_win_fen: Option<String>,
    pub(crate) bytes: u64,
    /// The bytes that are needed for win, draw and loss alone.
    pub(crate) wdl_bytes: u64,
}

impl Row {
    /// The facts about one table.
    pub(crate) fn of(table: &Table) -> Row {
        let metadata = table.metadata();
        let longest = metadata.longest_win.as_ref();
        let (bytes, wdl_bytes) = table.bytes();
        let groups = &table.index().scheme().groups;
        Row {
            class: name(table),
            pieces: groups.iter().map(|group| usize::from(group.count)).sum(),
            tables: 1,
            white: Wdl::of(metadata.counts[0]),
            black: Wdl::of(metadata.counts[1]),
            both: Wdl::of(metadata.positions()),
            cells: 2 * table.index().cells(),
            longest_win: longest.map(|win| win.distance),
            longest_win_fen: longest.map(|win| win.position.clone()),
            bytes,
            wdl_bytes,
        }
    }

    /// The sum of rows; `None` if there are none.
    pub(crate) fn sum<'a>(rows: impl IntoIterator<Item = &'a Row>, class: &str) -> Option<Row> {
        let mut rows = rows.into_iter();
        let first = Row { class: class.to_string(), ..rows.next()?.clone() };
        Some(rows.fold(first, |mut sum, row| {
            sum.pieces = sum.pieces.max(row.pieces);
            sum.tables += row.tables;
            sum.white = sum.white.plus(row.white);
            sum.black = sum.black.plus(row.black);
            sum.both = sum.both.plus(row.both);
            sum.cells += row.cells;
            sum.bytes += row.bytes;
            sum.wdl_bytes += row.wdl_bytes;
            if row.longest_win > sum.longest_win {
                sum.longest_win = row.longest_win;
                sum.longest_win_fen.clone_from(&row.longest_win_fen);
            }
            sum
        }))
    }

    /// Bits of the file for each position.
    pub(crate) fn bits_a_position(&self) -> f64 {
        8.0 * self.bytes as f64 / self.both.positions().max(1) as f64
    }
}

/// The rows summed up by number of pieces.
pub(crate) fn by_pieces(rows: &[Row]) -> Vec<Row> {
    let mut groups: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.pieces).or_default().push(row);
    }
    groups.into_iter().filter_map(|(pieces, rows)| Row::sum(rows, &pieces.to_string())).collect()
}

/// Heads of the columns of [`cells`], with the names of the sides.
fn heads(first: &str, sides: &[String; 2]) -> Vec<String> {
    let mut heads = vec![first.to_string(), "tables".to_string()];
    for side in sides {
        heads.extend(["won", "drawn", "lost"].map(|what| format!("{side} {what}")));
    }
    heads.extend(["longest win", "bytes", "bits"].map(str::to_string));
    heads
}

fn cells(row: &Row) -> Vec<String> {
    let mut cells = vec![row.class.clone(), row.tables.to_string()];
    cells.extend(row.white.cells());
    cells.extend(row.black.cells());
    cells.push(row.longest_win.map_or_else(|| "-".to_string(), |n| n.to_string()));
    cells.push(grouped(row.bytes));
    cells.push(format!("{:.2}", row.bits_a_position()));
    cells
}

/// Rows for people, after their heads and with their sum; `first` is the head of the first column. The number of
/// tables has a column unless each row is a class.
pub(crate) fn rows_of_cells(rows: &[Row], sides: &[String; 2], first: &str) -> Vec<Vec<String>> {
    let mut table = vec![heads(first, sides)];
    table.extend(rows.iter().map(cells));
    if rows.len() > 1 {
        table.extend(Row::sum(rows, "all").iter().map(cells));
    }
    if first == CLASS {
        for row in &mut table {
            row.remove(1);
        }
    }
    table
}

/// The head of the first column where each row is a class.
pub(crate) const CLASS: &str = "class";
/// The head of the first column where each row is a number of pieces.
pub(crate) const PIECES: &str = "pieces";

/// Rows in columns, with shares of positions; summed up by number of pieces if there are many and `all` is not set.
pub(crate) fn text(rows: &[Row], sides: &[String; 2], all: bool) -> String {
    let [south, north] = sides;
    let about =
        format!("Won, drawn and lost of 100 positions with {south} to move, then with {north} to move:");
    let (rows, first) =
        if rows.len() > MAX_ROWS && !all { (by_pieces(rows), PIECES) } else { (rows.to_vec(), CLASS) };
    let shares = ["won", "drawn", "lost"];
    let heads = [first, "tables"].into_iter().chain(shares).chain(shares).chain(["longest", "size", "bits"]);
    let mut table: Vec<Vec<String>> = vec![heads.map(str::to_string).collect()];
    let sum = if rows.len() > 1 { Row::sum(&rows, "all") } else { None };
    for row in rows.iter().chain(&sum) {
        let mut cells = vec![row.class.clone(), row.tables.to_string()];
        cells.extend(row.white.shares().into_iter().chain(row.black.shares()));
        cells.push(row.longest_win.map_or_else(|| "-".to_string(), |n| n.to_string()));
        cells.extend([size_text(row.bytes), format!("{:.2}", row.bits_a_position())]);
        table.push(cells);
    }
    if first == CLASS {
        table.iter_mut().for_each(|cells| drop(cells.remove(1)));
    }
    format!("{}\n{}", folded(&about, 0), numbers(&table))
}
