//! Exact facts for the report: from a graph of all positions where they are few, and from tables.

use crate::arguments::WhichGame;
use crate::graph_progress::GraphProgress;
use crate::tables::TableFolder;
use crate::tables::summary::{Row, Wdl};
use anyhow::{Result, bail};
use jewel_engine::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use jewel_players::catalogue::AnyGame;

use jewel_players::support::memory;
use jewel_players::with_game;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use jewel_solver::with_key;
use jewel_tournament::designer::exact::{Exact, Positions, Power};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Solves the game by its graph; `None` if there are more positions than that, or more than memory holds, or if dice
/// decide the game.
///
/// # Errors
/// If it is interrupted.
pub(super) fn from_graph(
    game: AnyGame,
    max_positions: u64,
    interrupt: &'static AtomicBool,
) -> Result<Option<Exact>> {
    if game.has_dice() {
        return Ok(None);
    }
    with_game!(game, game => {
        let root = game.start();
        let bits = root.packed_bits();
        let solver = Solver { root, max_positions, interrupt };
        with_key!(bits, Key => solver.solve::<Key>()).unwrap_or(Ok(None))
    })
}

/// A position to be solved, before the type of its key is known.
struct Solver<P> {
    root: P,
    max_positions: u64,
    interrupt: &'static AtomicBool,
}

impl<P: Notation + Packed + Symmetric> Solver<P> {
    fn solve<K: PackedKey>(self) -> Result<Option<Exact>> {
        let limits = Limits { max_positions: self.max_positions, memory: memory::limit(None) };
        let bars = GraphProgress::new();
        let mut progress = |progress| bars.show(progress);
        let mut control = Control::new(limits, self.interrupt, &mut progress);
        let mut graph = Graph::<P, K>::new(self.root);
        match graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control)) {
            Ok(solution) => Ok(Some(facts(&solution))),
            Err(Stop::Interrupted) => bail!("interrupted while the game was being solved"),
            Err(_) => Ok(None),
        }
    }
}

fn facts<P: Notation + Packed, K: PackedKey>(solution: &Solution<P, K>) -> Exact {
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
    Exact { positions: Some(positions), ..Exact::from_value("graph", solution.root_value()) }
}

/// Facts from tables: the value of the start, if they hold it, and the power of sets of pieces, smallest first.
///
/// # Errors
/// If there are no tables, or one cannot be used.
pub(super) fn from_tables(game: AnyGame, folder: &Path) -> Result<(Option<Exact>, Vec<Power>)> {
    let rules = game.rules()?;
    let own = folder.join(&rules.id);
    let folder = if own.is_dir() { &own } else { folder };
    let which = WhichGame { game: Some(rules.id.clone()), variant: None };
    let tables = TableFolder::new(&which, rules, Some(folder)).open(rules)?;
    let mut powers: Vec<Power> = tables.set.tables().iter().map(|table| power(&Row::of(table))).collect();
    powers.sort_by(|a, b| (a.pieces, &a.class).cmp(&(b.pieces, &b.class)));
    let mut line = game.open();
    line.use_tables(Some(folder))?;
    Ok((line.table_value().map(|value| Exact::from_value("tables", value)), powers))
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
