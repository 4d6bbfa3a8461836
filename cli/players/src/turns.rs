//! Turns of several plies as one text each.

use anyhow::{Result, anyhow};
use jewel_engine::ability::Notation;
use jewel_engine::position::list_moves;
use jewel_engine::value::Side;

/// The texts of all turns from a position on, or of the rest of a turn that was begun.
pub(crate) fn all<P: Notation>(position: &P) -> Vec<String> {
    let mut texts = Vec::new();
    collect(position, &mut Vec::new(), &mut texts);
    texts
}

fn collect<P: Notation>(position: &P, plies: &mut Vec<String>, texts: &mut Vec<String>) {
    for mv in list_moves(position) {
        let next = position.after(mv);
        plies.push(position.move_text(mv));
        let goes_on = P::TURNS && next.side_to_move() == position.side_to_move();
        if goes_on && next.outcome().is_none() {
            collect(&next, plies, texts);
        } else {
            texts.push(P::join_turn(plies));
        }
        plies.pop();
    }
}

/// The moves of the plies of a turn that is typed in a position, which may be the beginning of one.
///
/// # Errors
/// Why the first ply that is not legal is not.
pub(crate) fn read<P: Notation>(position: &P, text: &str) -> Result<Vec<P::Move>> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for ply in P::split_turn(text) {
        let mv = position.parse_move(ply).map_err(|e| anyhow!("{e}"))?;
        position.play(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// The plies of a line put together to turns; each ply comes with whose it is.
pub(crate) fn joined<P: Notation>(plies: Vec<(Side, String)>) -> Vec<String> {
    if !P::TURNS {
        return plies.into_iter().map(|(_, text)| text).collect();
    }
    lengths(plies.iter().map(|(side, _)| *side))
        .into_iter()
        .scan(plies.into_iter(), |plies, length| {
            let turn: Vec<String> = plies.by_ref().take(length).map(|(_, text)| text).collect();
            Some(P::join_turn(&turn))
        })
        .collect()
}

/// How many plies each turn of a line has, by whose they are: dice may leave a player the turn, too.
pub(crate) fn lengths(movers: impl Iterator<Item = Side>) -> Vec<usize> {
    let mut lengths: Vec<usize> = Vec::new();
    let mut before = None;
    for mover in movers {
        match lengths.last_mut() {
            Some(length) if before == Some(mover) => *length += 1,
            _ => lengths.push(1),
        }
        before = Some(mover);
    }
    lengths
}
