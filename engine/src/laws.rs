//! The laws that every game must keep, checked on random games.

mod tactics;

pub use tactics::{check_passing, check_stages_and_codes, check_tactics};

use crate::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use crate::chance::check_chance;
use crate::position::{Position, list_moves};
use crate::tactics::Tactics;
use crate::value::{Outcome, Side};
use crate::zobrist::splitmix64;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Plays `games` random games of at most `plies` plies each from the start and checks every position on
/// the way with [`check_position`].
///
/// # Errors
/// The first law that is broken, with the position.
pub fn check<G>(game: &G, games: u32, plies: u32, seed: u64) -> Result<(), String>
where
    G: Game,
    G::Position: Packed + Symmetric,
{
    check_each(game, games, plies, seed, |position| check_position(game, position))
}

/// Checks all that a game tells engines and solvers on random games: the laws of [`check`], of
/// [`Chance`](crate::chance::Chance) and of [`Tactics`]. The test of a new game.
///
/// # Errors
/// The first law that is broken, with the position.
pub fn check_playable<G>(game: &G, games: u32, plies: u32, seed: u64) -> Result<(), String>
where
    G: Game,
    G::Position: Packed + Symmetric + Tactics,
{
    check_each(game, games, plies, seed, |position| {
        check_position(game, position)?;
        check_chance(position)?;
        check_stages_and_codes(position)
    })
}

/// Checks each position of random games.
fn check_each<G: Game>(
    game: &G,
    games: u32,
    plies: u32,
    seed: u64,
    check: impl Fn(&G::Position) -> Result<(), String>,
) -> Result<(), String> {
    let mut state = seed;
    for _ in 0..games {
        let mut position = game.start();
        for _ in 0..plies {
            check(&position).map_err(|law| format!("{}: {law}: {}", game.id(), position.position_text()))?;
            let moves = list_moves(&position);
            if moves.is_empty() {
                break;
            }
            let random;
            (state, random) = splitmix64(state);
            position.play(moves[(random % moves.len() as u64) as usize]);
        }
    }
    Ok(())
}

/// Checks one position against the laws of [`Position`] and of the abilities.
///
/// # Errors
/// The law that is broken.
pub fn check_position<G>(game: &G, position: &G::Position) -> Result<(), String>
where
    G: Game,
    G::Position: Packed + Symmetric,
{
    check_moves(position)?;
    check_hashes(position)?;
    check_text(game, position)?;
    check_symmetry(position)
}

fn law(holds: bool, text: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("broken law: {text}")) }
}

fn check_moves<P: Position>(position: &P) -> Result<(), String> {
    let moves = list_moves(position);
    law(list_moves(position) == moves, "moves come in a fixed order")?;
    law(moves.iter().collect::<HashSet<_>>().len() == moves.len(), "each move is visited once")?;
    law(position.count_moves() == moves.len() as u64, "count_moves counts what moves visits")?;
    law(!moves.is_empty() || position.outcome().is_some(), "a position without moves has an outcome")?;
    let half = moves.len().div_ceil(2);
    let mut seen = Vec::new();
    let stopped = position.moves(|mv| until(&mut seen, half, mv));
    law(seen == moves[..half], "a visit stops where it is told")?;
    law(stopped.break_value().as_ref() == seen.last(), "a visit gives what it was stopped with")?;
    for most in [half, usize::MAX] {
        seen.clear();
        let _ = position.moves_inlined(|mv| until(&mut seen, most, mv));
        law(seen == moves[..most.min(moves.len())], "moves_inlined visits what moves visits")?;
    }
    Ok(())
}

/// Records a move, and breaks with it once `most` moves have been recorded.
fn until<M: Copy>(seen: &mut Vec<M>, most: usize, mv: M) -> ControlFlow<M> {
    seen.push(mv);
    if seen.len() == most { ControlFlow::Break(mv) } else { ControlFlow::Continue(()) }
}

fn check_hashes<P: Position + Packed>(position: &P) -> Result<(), String> {
    law(position.zobrist_hash() == position.recomputed_hash(), "hash equals recomputed hash")?;
    let before = position.clone();
    for mv in list_moves(position) {
        let next = position.after(mv);
        law(next.zobrist_hash() == next.recomputed_hash(), "hash equals recomputed hash after a move")?;
        law(next != *position, "a move changes the position")?;
        law(next.packed_bits() <= position.packed_bits(), "packed bits never grow")?;
    }
    law(before == *position, "playing on a copy leaves the original")?;
    match position.packed_bits() {
        0..=64 => check_pack::<P, u64>(position)?,
        65..=128 => check_pack::<P, u128>(position)?,
        129..=256 => check_pack::<P, [u64; 4]>(position)?,
        _ => {}
    }
    Ok(())
}

fn check_pack<P: Packed, K: PackedKey>(position: &P) -> Result<(), String> {
    let key: K = position.pack();
    let unpacked = position.unpack(key);
    law(unpacked == *position, "a packed position unpacks to itself")?;
    law(unpacked.zobrist_hash() == position.zobrist_hash(), "an unpacked position has the same hash")?;
    let outcome = position.outcome();
    let moves = if outcome.is_some() { Vec::new() } else { list_moves(position) };
    let expected: Vec<K> = moves.into_iter().map(|mv| position.after(mv).pack()).collect();
    let (side, found, successors) = expanded(position, key);
    law(
        (side, found) == (position.side_to_move(), outcome),
        "a key is expanded to the side and the outcome",
    )?;
    law(successors == expected, "a key is expanded to the keys after the moves")?;
    let set = |key: K| key.pop(position.set_bits()).1.count_ones();
    law(
        successors.iter().all(|&after| set(after) <= set(key)),
        "no more pieces stand on the board after a move",
    )?;
    if position.has_unmoves() { check_unmoves(position, key, &successors) } else { Ok(()) }
}

fn expanded<P: Packed, K: PackedKey>(root: &P, key: K) -> (Side, Option<Outcome>, Vec<K>) {
    let mut keys = Vec::new();
    let (side, outcome) = root.expand(key, |key| keys.push(key));
    (side, outcome, keys)
}

/// A position is among those before another exactly as often as it has moves to it.
fn check_unmoves<P: Packed, K: PackedKey>(root: &P, key: K, successors: &[K]) -> Result<(), String> {
    let count = |keys: &[K], key: K| keys.iter().filter(|&&other| other == key).count();
    for &after in successors {
        let mut before = Vec::new();
        root.unmoves(after, |key| before.push(key));
        law(
            count(&before, key) == count(successors, after),
            "each move to a position is taken back once: the position before is among those before",
        )?;
        for &other in &before {
            let (_, outcome, moves) = expanded(root, other);
            law(
                outcome.is_some() || count(&moves, after) == count(&before, other),
                "a move that is taken back is a move: it leads to the position",
            )?;
        }
    }
    Ok(())
}

fn check_text<G: Game>(game: &G, position: &G::Position) -> Result<(), String> {
    let text = position.position_text();
    let read = game.parse_position(&text).map_err(|e| format!("position text is not read back: {e}"))?;
    law(
        read == *position && read.zobrist_hash() == position.zobrist_hash(),
        "position text names the position",
    )?;
    law(read.position_text() == text, "position text round-trips")?;
    let mut texts = HashSet::new();
    for mv in list_moves(position) {
        let text = position.move_text(mv);
        let read =
            position.parse_move(&text).map_err(|e| format!("move text {text} is not read back: {e}"))?;
        law(read == mv, "move text names the move")?;
        law(texts.insert(text), "move texts are distinct")?;
    }
    Ok(())
}

fn check_symmetry<P: Symmetric + Packed>(position: &P) -> Result<(), String> {
    for (symmetry, exchange) in position.symmetries() {
        let Some(image) = position.transformed(symmetry, exchange) else { continue };
        law(image.outcome() == position.outcome(), "a symmetry keeps the outcome")?;
        let moved = (image.side_to_move() != position.side_to_move()) == exchange;
        law(moved, "the sides are exchanged exactly if the symmetry says so")?;
        law(
            image.transformed(symmetry.inverse(), exchange).is_some_and(|back| back == *position),
            "a symmetry can be undone",
        )?;
        // The successors of the image are the images of the successors.
        let ours =
            list_moves(position).into_iter().map(|mv| position.after(mv).transformed(symmetry, exchange));
        let Some(mut ours) = ours.map(|p| p.map(|p| p.zobrist_hash())).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let mut theirs: Vec<u64> =
            list_moves(&image).into_iter().map(|mv| image.after(mv).zobrist_hash()).collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        law(ours == theirs, "a symmetry commutes with the moves")?;
    }
    Ok(())
}
