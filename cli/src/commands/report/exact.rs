//! Exact facts for the report: from a graph of all positions where they are few, from tables, and from the catalogue.

use crate::arguments::WhichGame;
use crate::best_play::move_texts;
use crate::tables::dense::DenseJob;
use crate::tables::summary::{Row, Wdl};
use crate::tables::{TableFolder, TablePosition, line_of};
use crate::values::Values;
use anyhow::{Result, bail};
use jewel_engine::ability::{Game, Notation, Packed};
use jewel_players::catalogue::AnyGame;
use jewel_players::proofs::{has_files, has_tables};
use jewel_players::support::memory;
use jewel_players::with_game;
use jewel_solver::control::{Control, Limits, Progress, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::line::best_line;
use jewel_solver::solution::Solution;
use jewel_tournament::designer::Known;
use jewel_tournament::designer::exact::{Exact, ExactMove, LongestWin, Positions, Power};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What the catalogue says of the value of a game; `None` for other rules, whatever their id.
pub(crate) fn from_catalogue(game: AnyGame) -> Option<Exact> {
    let AnyGame::Variant(rules) = game else { return None };
    let known = jewel_engine::games::find(&rules.id)?;
    Exact::from_status(known.status).filter(|_| known.rules().fingerprint == rules.fingerprint)
}

/// Solves the game by its graph; `None` if there are more positions or bytes than that, or if dice decide the game.
///
/// # Errors
/// If it is interrupted.
pub(crate) fn from_graph(
    game: AnyGame,
    limits: Limits,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<(Exact, Option<LongestWin>)>> {
    if game.has_dice() {
        return Ok(None);
    }
    with_game!(game, game => {
        let root = game.start();
        solve(root, &mut Control::new(limits, interrupt, progress))
    })
}

fn solve<P: Notation + Packed>(
    root: P,
    control: &mut Control<'_>,
) -> Result<Option<(Exact, Option<LongestWin>)>> {
    let Ok(mut graph) = Graph::new(root) else { return Ok(None) };
    match graph.enumerate(control).and_then(|()| graph.solve(control)) {
        Ok(solution) => Ok(Some(facts(&solution))),
        Err(Stop::Interrupted) => bail!("interrupted while the game was being solved"),
        Err(_) => Ok(None),
    }
}

/// Plies of the tree of moves with values.
const TREE_PLIES: u32 = 2;

/// The moves of a position with their values, and the answers to them.
fn moves<P: Notation + Packed>(solution: &Solution<P>, position: &P, plies: u32) -> Vec<ExactMove> {
    if plies == 0 {
        return Vec::new();
    }
    let valued = solution.moves(position).unwrap_or_default().into_iter().map(|found| ExactMove {
        text: position.move_text(found.mv),
        value: found.value.outcome().name(),
        distance: found.value.distance(),
        replies: moves(solution, &position.after(found.mv), plies - 1),
    });
    valued.collect()
}

fn facts<P: Notation + Packed>(solution: &Solution<P>) -> (Exact, Option<LongestWin>) {
    let counts = solution.counts();
    let positions = Positions {
        positions: counts.positions(),
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        moves: solution.edges(),
        longest_win: counts.longest_win,
        longest_win_fen: solution.longest_win().map(|position| position.position_text()),
    };
    let longest_win = counts.longest_win.and_then(|plies| {
        let position = solution.longest_win()?;
        let line = move_texts(&position, &solution.line(&position)?.plies);
        Some(LongestWin { plies, fen: position.position_text(), line })
    });
    let exact = Exact {
        positions: Some(positions),
        moves: moves(solution, solution.root(), TREE_PLIES),
        ..Exact::from_value("graph", solution.root_value())
    };
    (exact, longest_win)
}

/// Facts from tables: the value of the start, if they hold it, the longest win, and the power of sets of pieces, smallest
/// first.
///
/// # Errors
/// If there are no tables, or one cannot be used.
pub(crate) fn from_tables(game: AnyGame, folder: &Path) -> Result<Known> {
    let mut line = game.open();
    let mut start = |folder: &Path| -> Result<Option<Exact>> {
        line.use_tables(Some(folder))?;
        Ok(line.table_value().map(|value| Exact::from_value("tables", value)))
    };
    let id = game.card().id;
    let own = folder.join(&id);
    let folder = if own.is_dir() { &own } else { folder };
    // Solution and proof files may stand alone, and are all that there is for games whose rules are code.
    let rules = match game.rules() {
        Ok(rules) if !has_files(folder) || has_tables(folder) => rules,
        _ => return Ok(Known { exact: start(folder)?, longest_win: None, powers: vec![] }),
    };
    let which = WhichGame { game: Some(id), variant: None };
    let place = TableFolder::new(&which, rules, Some(folder));
    if rules.hand.is_some() {
        let job = DenseJob::new(rules, folder, memory::limit(None), Duration::MAX);
        let table = job.open(&place.build_command(None))?;
        let longest_win = match table.longest_of_cells() {
            Some((plies, position)) => {
                let line = best_line(&position, |position: &TablePosition| table.children(position))?;
                let (fen, line) = (position.position_text(), move_texts(&position, &line.plies));
                Some(LongestWin { plies, fen, line })
            }
            None => None,
        };
        return Ok(Known { exact: start(folder)?, longest_win, powers: vec![] });
    }
    let tables = place.open(rules)?;
    let rows: Vec<Row> = tables.set.tables().iter().map(Row::of).collect();
    let longest = rows.iter().max_by_key(|row| row.longest_win);
    let longest_win = match longest.and_then(|row| row.longest_win.zip(row.longest_win_fen.clone())) {
        // A table that it leads to may be missing.
        Some((plies, fen)) => line_of(rules, &tables, &fen).ok().map(|line| LongestWin { plies, fen, line }),
        None => None,
    };
    let mut powers: Vec<Power> = rows.iter().map(power).collect();
    powers.sort_by(|a, b| (a.pieces, &a.class).cmp(&(b.pieces, &b.class)));
    Ok(Known { exact: start(folder)?, longest_win, powers })
}

fn power(row: &Row) -> Power {
    let shares = |wdl: Wdl| {
        [wdl.wins, wdl.draws, wdl.losses].map(|count| count as f64 / wdl.positions().max(1) as f64)
    };
    Power {
        class: row.class.clone(),
        pieces: row.pieces,
        south: shares(row.white),
        north: shares(row.black),
        positions: row.both.positions(),
        longest_win: row.longest_win,
    }
}
