//! Solving a game with pieces in hand by one table of all its positions.

use super::{ExitStatus, Solve};
use crate::best_play::BestPlay;
use crate::claims::{Published, Subject, Totals};
use crate::tables::dense::{DenseJob, Solved};
use crate::text::{grouped, plies};
use crate::{interrupt, output};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::support::layout::columns;
use jewel_players::support::memory;
use jewel_solver::dense::{Counts, Failure, plan};
use serde::Serialize;
use std::time::{Duration, Instant};

/// How often the table is saved while it is solved.
const CHECKPOINT: Duration = Duration::from_secs(300);

/// What is reported.
#[derive(Serialize)]
struct DenseProof {
    #[serde(flatten)]
    best_play: BestPlay,
    method: &'static str,
    file: String,
    #[serde(flatten)]
    folded: Counted,
    /// The same numbers with mirror images as positions of their own.
    mirrored: Counted,
    /// Those that can be reached if a royal piece is captured as soon as it can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_once: Option<Counted>,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
    cells: u64,
    levels: u32,
    seconds: f64,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_positions: Option<u64>,
    #[serde(flatten)]
    published: Published,
}

/// Numbers of positions that can be reached from the start.
#[derive(Serialize)]
struct Counted {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Of the positions, those in which the game goes on.
    not_over: u64,
    /// Of these, those in which no move captures a royal piece.
    quiet: u64,
}

impl From<Counts> for Counted {
    fn from(counts: Counts) -> Counted {
        let Counts { wins, draws, losses, open, quiet } = counts;
        Counted { positions: counts.positions(), wins, draws, losses, not_over: open, quiet }
    }
}

/// Solves a game, or uses the table that is there, and prints the result.
pub(super) fn run(args: &Solve, rules: &'static Rules) -> Result<ExitStatus> {
    with_leanest_game!(rules, game => run_game(args, rules, game))
}

fn run_game<G, S: RuleSubset, const N: usize>(
    args: &Solve,
    rules: &'static Rules,
    game: G,
) -> Result<ExitStatus>
where
    G: Game<Position = ChessLike<'static, S, N>>,
{
    if args.report.is_some() {
        bail!("--report is for tables of classes; a game with pieces in hand has one table");
    }
    let position = args.game.position(&game)?;
    let interrupt = interrupt::listen()?;
    let start = Instant::now();
    let folder = &args.table_folder(rules).path;
    let job = DenseJob::new(rules, folder, memory::limit(args.memory), CHECKPOINT);
    let Solved { mut table, levels, .. } = job.solve(&args.command(None, args.memory, None), interrupt)?;
    let failed = |error: Failure| anyhow!("{}: {error}", job.file.display());
    let verified = if args.verify { Some(table.verify(1, interrupt).map_err(failed)?) } else { None };
    let seconds = start.elapsed().as_secs_f64();
    table.reach(interrupt).map_err(failed)?;
    let reached = table.counts();
    let [folded, mirrored] = reached.every;
    let longest = table.longest_win();
    let claims = if position == game.start() { Subject::about(rules.fingerprint, &position)? } else { None };
    let totals = Totals::from_dense(&reached, longest.as_ref().map(|(plies, _)| *plies));
    let published = Published::check(claims, &table, &position, Some(totals));
    let proof = DenseProof {
        best_play: BestPlay::new(&game, &position, &table)?,
        method: "table",
        file: job.file.display().to_string(),
        folded: folded.into(),
        mirrored: mirrored.into(),
        at_once: reached.at_once.map(|[folded, _]| folded.into()),
        longest_win: longest.as_ref().map(|(plies, _)| *plies),
        longest_win_fen: longest.map(|(_, position)| position.position_text()),
        cells: table.cells(),
        levels,
        seconds,
        verified: verified.is_some(),
        verified_positions: verified,
        published,
    };
    output::print(&if args.json { output::json_line(&proof)? } else { proof.text() })?;
    Ok(if proof.published.agrees() { ExitStatus::Done } else { ExitStatus::No })
}

/// Why a game cannot be solved so in the memory that is allowed, if so.
pub(super) fn refusal(args: &Solve, rules: &Rules) -> Option<String> {
    let limit = memory::limit(args.memory);
    match plan(rules) {
        Ok(plan) if plan.memory <= limit => None,
        Ok(plan) => {
            let [needed, limit] = [plan.memory, limit].map(memory::size_text);
            Some(format!("its table needs {needed} of memory, the limit is {limit}"))
        }
        Err(error) => Some(error.to_string()),
    }
}

impl DenseProof {
    fn text(&self) -> String {
        let mut text = self.best_play.heading();
        let cell = str::to_string;
        let of = |counted: &Counted| {
            let [wins, draws, losses] = [counted.wins, counted.draws, counted.losses].map(grouped);
            format!("{wins} won, {draws} drawn, {losses} lost for the side to move")
        };
        let mut rows = vec![
            [cell("value"), self.best_play.value()],
            [cell("positions"), grouped(self.folded.positions)],
            [cell(""), of(&self.folded)],
            [
                cell(""),
                format!(
                    "{} not over, {} of them without a royal piece to capture",
                    grouped(self.folded.not_over),
                    grouped(self.folded.quiet)
                ),
            ],
        ];
        let mirrored = &self.mirrored;
        if mirrored.positions != self.folded.positions {
            rows.push([
                cell(""),
                format!("with mirror images as positions of their own {}:", grouped(mirrored.positions)),
            ]);
            rows.push([cell(""), of(mirrored)]);
        }
        if let Some(at_once) = &self.at_once {
            rows.push([
                cell(""),
                format!("if a royal piece is captured as soon as it can be {}:", grouped(at_once.positions)),
            ]);
            rows.push([cell(""), of(at_once)]);
            rows.push([cell(""), format!("{} without such a capture, and not over", grouped(at_once.quiet))]);
        }
        if let (Some(longest), Some(fen)) = (self.longest_win, &self.longest_win_fen) {
            rows.push([cell("longest win"), format!("{}, from {fen}", plies(longest))]);
        }
        rows.push([cell("cells"), grouped(self.cells)]);
        rows.push([cell("file"), self.file.clone()]);
        rows.push([cell("seconds"), format!("{:.3}", self.seconds)]);
        if let Some(verified) = self.verified_positions {
            rows.push([
                cell("verified"),
                format!("{} positions agree with the rules and their moves", grouped(verified)),
            ]);
        }
        text.push_str(&columns(&rows));
        text.push_str(&self.best_play.moves_and_line());
        text + &self.published.text()
    }
}
