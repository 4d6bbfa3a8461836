//! Checking a proof file by the move generator that suits it.

use super::named_leaves;
use crate::interrupt;
use crate::progress::Style;
use crate::tables::TableFolder;
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use jewel_engine::ability::{Game, Packed};
use jewel_players::catalogue::AnyGame;
use jewel_players::with_game;
use jewel_solver::proof::ProofError;
use jewel_solver::proof::check::{Checked, check};
use jewel_solver::proof::game::{CheckedGame, Leaves, NoLeaves, PackedGame, PlainGame};
use jewel_solver::proof::header::Encoding;
use jewel_solver::proof::reader::Proof;
use jewel_solver::width::TooWide;
use std::path::Path;

/// Checks a file by the generator that suits it. The outer error is one of the tables.
pub(crate) fn check_file(
    proof: &Proof<'_>,
    any: AnyGame,
    folder: Option<&Path>,
    memory: u64,
) -> Result<Result<Checked, ProofError>> {
    super::refuse_repetition(any)?;
    let header = proof.header();
    let leaves: Box<dyn Leaves> = match (header.tables.is_empty(), folder) {
        (true, _) => Box::new(NoLeaves),
        (false, None) => {
            bail!("the proof ends in {} tables: give their folder with --tables", header.tables.len())
        }
        (false, Some(folder)) => {
            let rules = any.rules()?;
            let which = crate::arguments::WhichGame { game: Some(rules.id.clone()), variant: None };
            let leaves = named_leaves(&TableFolder::new(&which, rules, Some(folder)), rules)?;
            leaves.compare(&header.tables)?;
            Box::new(leaves)
        }
    };
    let bar = Style::ShareAndTime.apply(ProgressBar::new(header.positions).with_message("checked"));
    let done = match header.encoding {
        Encoding::Board => match PlainGame::of(header) {
            Ok(game) => with(proof, &game, &*leaves, memory, &bar)?,
            Err(error) => Err(error),
        },
        Encoding::Packed => with_game!(any, game => check_packed(proof, game, &*leaves, memory, &bar))?,
    };
    bar.finish_and_clear();
    Ok(done)
}

fn check_packed<G: Game<Position: Packed>>(
    proof: &Proof<'_>,
    game: G,
    leaves: &dyn Leaves,
    memory: u64,
    bar: &ProgressBar,
) -> Result<Result<Checked, ProofError>> {
    let root = match game.parse_position(&proof.header().root) {
        Ok(root) => root,
        Err(error) => return Ok(Err(ProofError::Unknown(format!("the root: {error}")))),
    };
    let bits = root.packed_bits();
    match PackedGame::new(game, root) {
        Some(packed) => with(proof, &packed, leaves, memory, bar),
        None => Err(TooWide(bits).into()),
    }
}

fn with<G: CheckedGame>(
    proof: &Proof<'_>,
    game: &G,
    leaves: &dyn Leaves,
    memory: u64,
    bar: &ProgressBar,
) -> Result<Result<Checked, ProofError>> {
    let interrupt = interrupt::listen()?;
    Ok(check(proof, game, leaves, memory, interrupt, &mut |done| bar.set_position(done)))
}
