//! Solving a position by the tables of its class and of all that it leads to.

use super::{ExitStatus, Solve};
use crate::best_play::{BestPlay, value_text};
use crate::claims::{Published, Subject};
use crate::command_line::CommandLine;
use crate::tables::build::{self, Built, CHECKPOINT};
use crate::tables::report::Report;
use crate::tables::summary::{self, Row};
use crate::tables::{
    OpenTables, TableFolder, TableGame, TablePosition, best_play, class_name, typed_position,
};
use crate::text::{grouped, plies};
use crate::{interrupt, output};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::Game;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::layout::columns;
use jewel_players::support::{files, memory};
use jewel_solver::tablebase::verify::{Check, Checked as Verified, VerifyError, verify};
use jewel_solver::tablebase::{Plan, Scope};
use jewel_tables::reader::Table;
use jewel_tables::writer::Distances;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// A position to be solved by tables.
pub(super) struct Job<'a> {
    args: &'a Solve,
    rules: &'static Rules,
    game: TableGame,
    position: TablePosition,
    plan: Plan<'static>,
    folder: TableFolder,
}

impl<'a> Job<'a> {
    /// Plans the tables of the position's class.
    ///
    /// # Errors
    /// If there can be no tables for the game, the class or the position.
    pub(super) fn new(args: &'a Solve, game: AnyGame) -> Result<Job<'a>> {
        let rules = game.rules()?;
        let (game, position) = typed_position(&args.game, rules)?;
        let scope = Scope::Class(class_name(&position));
        let plan = Plan::new(rules, &scope).map_err(|error| anyhow!("{}: {error}", rules.id))?;
        for side in Side::BOTH {
            for kind in 0..rules.type_count() as u8 {
                let stray = position.pieces(side, kind) & !plan.squares(kind, side);
                if let Some(square) = stray.into_iter().next() {
                    bail!(
                        "tables are for pieces where they can get to from the start position: the {} on {} cannot",
                        rules.piece_name(kind, side),
                        rules.geometry.name(square)
                    );
                }
            }
        }
        Ok(Job { args, rules, game, position, plan, folder: args.table_folder(rules) })
    }

    /// Cells of all classes of the plan.
    pub(super) fn cells(&self) -> u64 {
        self.plan.cells()
    }

    /// Why they cannot be built in the memory that is allowed, if so.
    pub(super) fn refusal(&self) -> Option<String> {
        build::refusal(&self.plan, memory::limit(self.args.memory))
    }

    /// Builds, or goes on, or uses what is there; then prints the result.
    pub(super) fn run(&self) -> Result<ExitStatus> {
        let start = Instant::now();
        let args = self.args;
        let built = self.build()?;
        let tables = self.folder.open(self.rules)?;
        let files = self.files(&tables)?;
        let verified = if args.verify { Some(self.verify(&tables, &files)?) } else { None };
        let rules = self.rules;
        let from_start = self.position == self.game.start();
        let claims = if from_start { Subject::about(rules.fingerprint, &self.position)? } else { None };
        let rows: Vec<Row> = files.iter().map(|table| Row::of(table)).collect();
        let sum = Row::sum(&rows, "all").ok_or_else(|| self.folder.empty())?;
        let counts = sum.both;
        // Tables hold more than the positions that can be reached, so that their numbers are others.
        let published = Published::check(claims, &tables, &self.position, None);
        let proof = TableProof {
            best_play: best_play(&self.game, &self.position, &tables)?,
            method: "tables",
            directory: self.folder.path.display().to_string(),
            positions: counts.positions(),
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            longest_win: sum.longest_win,
            longest_win_fen: sum.longest_win_fen.clone(),
            bytes: sum.bytes,
            found: built.tally.found,
            seconds: start.elapsed().as_secs_f64(),
            verified: verified.is_some(),
            verified_positions: verified.map(|checked| checked.positions),
            published,
            classes: rows,
        };
        if let Some(path) = &args.report {
            self.write_report(path, &proof, &files, built, start)?;
        }
        output::print(&if args.json { output::json_line(&proof)? } else { proof.text(&rules.sides) })?;
        Ok(if proof.published.agrees() { ExitStatus::Done } else { ExitStatus::No })
    }

    fn command(&self) -> CommandLine {
        self.args.command(None, self.args.memory, None)
    }

    fn build(&self) -> Result<Built> {
        let limit = memory::limit(self.args.memory);
        if let Some(refusal) = self.refusal() {
            bail!("{refusal}; or look only at what can be reached, with --method graph");
        }
        let job = build::Job {
            plan: &self.plan,
            folder: &self.folder.path,
            memory: limit,
            checkpoint: CHECKPOINT,
            distances: Distances::All,
            fleet: false,
            verbose: false,
            again: self.command(),
        };
        job.run()
    }

    /// The tables of the plan, in its order.
    fn files<'t>(&self, tables: &'t OpenTables) -> Result<Vec<&'t Table>> {
        self.plan.classes.iter().map(|class| tables.table(&class.name)).collect()
    }

    /// Checks a sample of every table.
    fn verify(&self, tables: &OpenTables, files: &[&Table]) -> Result<Verified> {
        let interrupt = interrupt::flag();
        let mut sum = Verified::default();
        for table in files {
            match verify(&tables.set, table, &Check::default(), interrupt, &|_| {}) {
                Ok(Verified { positions, searches }) => {
                    sum.positions += positions;
                    sum.searches += searches;
                }
                Err(VerifyError::Mismatch { position, stored, expected }) => bail!(
                    "the check of the values failed: \"{position}\" has the value {}, its moves give {}",
                    value_text(stored),
                    value_text(expected)
                ),
                Err(VerifyError::Interrupted) => bail!("interrupted while the values were checked"),
                Err(error) => bail!("the check of the values failed: {error}"),
            }
        }
        Ok(sum)
    }

    fn write_report(
        &self,
        path: &Path,
        proof: &TableProof,
        files: &[&Table],
        built: Built,
        start: Instant,
    ) -> Result<()> {
        let rules = self.rules;
        let report = Report {
            best_play: &proof.best_play,
            command: self.command().to_string(),
            seconds: start.elapsed().as_secs_f64(),
            built: built.tally.built,
            built_cells: built.tally.cells,
            build_seconds: built.seconds,
            threads: rayon::current_num_threads(),
            fingerprint: rules.fingerprint,
            made_by: files.first().map(|table| table.metadata().made_by.clone()).unwrap_or_default(),
            placements: self.plan.placements(),
            rows: &proof.classes,
            sides: &rules.sides,
            files: files.iter().map(|table| Path::new(table.name())).collect(),
            verified: proof.verified_text(),
        };
        files::write(path, report.page()?.as_bytes())
    }
}

/// A position solved by tables.
#[derive(Serialize)]
struct TableProof {
    #[serde(flatten)]
    best_play: BestPlay,
    method: &'static str,
    directory: String,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
    bytes: u64,
    /// Tables that had been built before.
    found: usize,
    seconds: f64,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_positions: Option<u64>,
    #[serde(flatten)]
    published: Published,
    classes: Vec<Row>,
}

impl TableProof {
    fn verified_text(&self) -> Option<String> {
        self.verified_positions
            .map(|n| format!("{} positions agree with the rules and their successors", grouped(n)))
    }

    fn text(&self, sides: &[String; 2]) -> String {
        let found = match self.found {
            0 => String::new(),
            n => format!(", {n} of them from an earlier run"),
        };
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(grouped);
        let mut rows = vec![
            ["value".to_string(), self.best_play.value()],
            ["tables".into(), format!("{} in {}{found}", self.classes.len(), self.directory)],
            ["positions".into(), grouped(self.positions)],
            [String::new(), format!("{wins} won, {draws} drawn, {losses} lost for the side to move")],
        ];
        if let (Some(longest), Some(fen)) = (self.longest_win, &self.longest_win_fen) {
            rows.push(["longest win".into(), format!("{}, from {fen}", plies(longest))]);
        }
        rows.push(["seconds".into(), format!("{:.3}", self.seconds)]);
        rows.extend(self.verified_text().map(|text| ["verified".into(), text]));
        let mut text = self.best_play.heading() + &columns(&rows) + &self.best_play.moves_and_line();
        text += &format!("\n{}", summary::text(&self.classes, sides, false));
        text + &self.published.text()
    }
}
