//! The table commands for a game with pieces in hand, which has one table of all its positions.

use super::FolderArgs;
use super::build::{BuildTables, Stored, Summary};
use super::info::{Counted, InfoObject, TablesInfo};
use super::plan::{ClassObject, PlanObject, PlanTables};
use super::verify::{Report, VerifyTables, Wrong};
use crate::arguments::WhichGame;
use crate::best_play::{move_texts, value_text};
use crate::machine::peak_kibibytes;
use crate::tables::dense::{DenseJob, Solved};
use crate::tables::histogram::HistogramObject;
use crate::tables::{TableGame, TablePosition};
use crate::text::{duration, grouped, plies};
use crate::values::Values;
use crate::{interrupt, output};
use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::ability::Notation;
use jewel_engine::variant::Rules;
use jewel_players::support::layout::columns;
use jewel_players::support::memory::{self, size_text};
use jewel_players::support::words::reason;
use jewel_solver::dense::{DensePlan, DenseReader, DenseTable, Failure, LoadError, plan};
use jewel_solver::line::best_line;
use std::time::{Duration, Instant};

/// The cells that a thread solves in a second on one machine.
const SPEED: f64 = 1_000_000.0;

/// Refuses options that choose among classes.
pub(super) fn one_table(rules: &Rules, given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!(
            "{}: a game with pieces in hand has one table of all its positions: leave out {option}",
            rules.id
        ),
        None => Ok(()),
    }
}

/// Where the table is.
fn job(rules: &'static Rules, folder: &FolderArgs, game: &WhichGame, memory: Option<u64>) -> DenseJob {
    let path = folder.table_folder(game, rules).path;
    DenseJob::new(rules, &path, memory::limit(memory), Duration::from_secs(300))
}

/// The solved table in its file, or the command that makes it.
pub(super) fn reader(
    rules: &'static Rules,
    folder: &FolderArgs,
    game: &WhichGame,
) -> Result<DenseReader<'static>> {
    job(rules, folder, game, None).reader(&folder.table_folder(game, rules).build_command(None))
}

impl PlanTables {
    pub(super) fn plan_one(&self, rules: &'static Rules, threads: usize, memory: u64) -> Result<()> {
        one_table(rules, &self.scope.given())?;
        one_table(rules, &[("--fleet", self.fleet.is_some())])?;
        let DensePlan { classes, cells, symmetries, placements, positions, memory: needed } =
            plan(rules).map_err(|error| anyhow!("{}: {error}", rules.id))?;
        let seconds = cells as f64 / SPEED / threads as f64;
        if !self.json {
            let fits = if needed <= memory { "fits" } else { "does not fit" };
            let rows = [
                ["distributions of the pieces".to_string(), grouped(classes as u64)],
                ["placements".into(), grouped(u64::try_from(placements).unwrap_or(u64::MAX))],
                ["positions".into(), format!("{} up to {symmetries} symmetries", grouped(positions))],
                ["cells".into(), grouped(cells)],
                ["memory".into(), format!("{} ({fits} into {})", size_text(needed), size_text(memory))],
                ["disk".into(), size_text(cells)],
                ["time".into(), format!("{} with {threads} threads, about", duration(seconds))],
            ];
            let title = format!("{}: one table of all positions\n\n", rules.name);
            return output::print(&(title + &columns(&rows)));
        }
        let pieces = TableGame::from_any(rules);
        let start = jewel_engine::ability::Game::start(&pieces);
        let held: usize = start.hands().map(|(_, _, count)| usize::from(count)).sum();
        let class = ClassObject {
            class: "all".to_string(),
            pieces: start.occupied().count() as usize + held,
            symmetries,
            placements,
            positions: positions.into(),
            cells,
            memory: needed,
            disk: cells,
            seconds,
            exact: true,
        };
        let plan = PlanObject {
            game: rules.id.clone(),
            classes: vec![class],
            placements,
            positions: positions.into(),
            lost_symmetries: None,
            cells,
            memory: needed,
            disk: cells,
            scratch: 0,
            seconds,
            fleet: None,
            threads,
            memory_limit: memory,
            least_memory: needed,
            fits: needed <= memory,
            exact: true,
        };
        output::print(&output::json_line(&plan)?)
    }
}

impl BuildTables {
    pub(super) fn build_one(&self, rules: &'static Rules) -> Result<Summary> {
        one_table(rules, &self.scope.given())?;
        one_table(
            rules,
            &[
                ("--fleet", self.fleet),
                ("--report", self.report.is_some()),
                ("--distances", self.distances != Stored::All),
            ],
        )?;
        let start = Instant::now();
        let folder = self.folder.table_folder(&self.game, rules);
        let checkpoint = Duration::from_secs(self.checkpoint);
        let job = DenseJob::new(rules, &folder.path, memory::limit(self.memory), checkpoint);
        let Solved { table, found, .. } = job.solve(&self.again(), interrupt::listen()?)?;
        let seconds = start.elapsed().as_secs_f64();
        let built_cells = if found { 0 } else { table.cells() };
        Ok(Summary {
            game: rules.id.clone(),
            directory: folder.path.display().to_string(),
            classes: 1,
            found: usize::from(found),
            fleet: false,
            cells: table.cells(),
            bytes: std::fs::metadata(&job.file).with_context(|| job.file.display().to_string())?.len(),
            built_cells,
            seconds,
            cells_per_second: built_cells as f64 / seconds,
            peak_memory: peak_kibibytes().map(|k| k << 10),
        })
    }
}

impl VerifyTables {
    pub(super) fn verify_one(&self, rules: &'static Rules) -> Result<Report> {
        one_table(rules, &[("--class", self.class.is_some())])?;
        let interrupt = interrupt::listen()?;
        let start = Instant::now();
        let folder = self.folder.table_folder(&self.game, rules);
        let job = job(rules, &self.folder, &self.game, None);
        let mut report = Report::begun(rules, &folder.path, self.full, self.seed);
        let table = match job.read() {
            Err(error @ (LoadError::Damaged | LoadError::Format)) => {
                report.found(Wrong::Damaged(format!("{}: {error}", job.file.display())));
                report.seconds = start.elapsed().as_secs_f64();
                return Ok(report);
            }
            _ => job.open(&folder.build_command(None))?,
        };
        let step = if self.full { 1 } else { table.cells().div_ceil(self.sample) };
        match table.verify_from(self.seed % step, step, interrupt) {
            Ok(positions) => {
                report.tables = 1;
                report.positions = positions;
            }
            Err(Failure::Value { position, stored, found }) => report.found(Wrong::Mismatch(format!(
                "{position}: the table says {}, the moves give {}",
                value_text(stored),
                value_text(found)
            ))),
            Err(error) => bail!("{}: {error}", job.file.display()),
        }
        report.seconds = start.elapsed().as_secs_f64();
        Ok(report)
    }
}

impl TablesInfo {
    pub(super) fn describe_one(&self, rules: &'static Rules, which: &WhichGame) -> Result<()> {
        one_table(
            rules,
            &[
                ("--class", self.class.is_some()),
                ("--zugzwang", self.zugzwang),
                ("--lines", self.lines),
                ("--all", self.all),
            ],
        )?;
        let folder = self.folder.table_folder(which, rules);
        let job = job(rules, &self.folder, which, None);
        let mut table = job.open(&folder.build_command(None))?;
        let histogram = if self.histogram { Some(self.count(rules, &mut table)?) } else { None };
        let (folder, file) = (folder.path, job.file);
        let bytes =
            std::fs::metadata(&file).map_err(|e| anyhow!("{}: {}", file.display(), reason(&e)))?.len();
        let [wins, draws, losses] = table.cell_counts();
        let longest = table.longest_of_cells();
        let line = match &longest {
            Some((_, position)) => {
                let line = best_line(position, |position: &TablePosition| table.children(position))?;
                Some(move_texts(position, &line.plies))
            }
            None => None,
        };
        let info = InfoObject {
            game: Some(rules.id.clone()),
            directory: Some(folder.display().to_string()),
            tables: vec![],
            positions: wins + draws + losses,
            wins,
            draws,
            losses,
            longest_win: longest.as_ref().map(|(plies, _)| *plies),
            longest_win_fen: longest.as_ref().map(|(_, position)| position.position_text()),
            longest_win_line: line,
            bytes,
            wdl_bytes: bytes,
            histogram,
        };
        if self.json {
            return output::print(&output::json_line(&info)?);
        }
        let counts = [wins, draws, losses].map(grouped);
        let mut rows = vec![
            ["file".to_string(), file.display().to_string()],
            ["positions".into(), grouped(info.positions)],
            [
                "".into(),
                format!("{} won, {} drawn, {} lost for the side to move", counts[0], counts[1], counts[2]),
            ],
            ["bytes".into(), grouped(bytes)],
        ];
        if let (Some(longest), Some(fen)) = (info.longest_win, &info.longest_win_fen) {
            rows.push(["longest win".into(), format!("{}, from {fen}", plies(longest))]);
        }
        rows.extend(info.longest_win_line.iter().map(|line| ["its line".to_string(), line.join(" ")]));
        rows.push(["rules".into(), format!("{}, fingerprint {:016x}", rules.id, rules.fingerprint)]);
        let mut text = format!("{}: one table of all positions\n\n", rules.name) + &columns(&rows);
        text += &info.histogram.as_ref().map(HistogramObject::text).unwrap_or_default();
        output::print(&text)
    }

    /// Counts positions by value and distance: of the table, or of what the start leads to.
    fn count(&self, rules: &Rules, table: &mut DenseTable<'_>) -> Result<HistogramObject> {
        let interrupt = interrupt::listen()?;
        match self.among {
            Counted::Table => {}
            Counted::Reachable => table.reach(interrupt)?,
            Counted::AtOnce if rules.captured_royal.is_none() => {
                bail!("{}: no royal piece is captured: leave out --among at-once", rules.id)
            }
            Counted::AtOnce => table.reach_at_once(interrupt)?,
        }
        let (name, among) = self.among.among();
        let mut object: HistogramObject = table.histogram(among, self.list, interrupt)?.into();
        object.among = Some(name);
        Ok(object)
    }
}
