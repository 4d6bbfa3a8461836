//! Random openings that leave the game open.

use anyhow::{Result, bail};
use jewel_engine::random::Random;
use jewel_engine::value::Value;
use jewel_players::engine::GameAt;
use jewel_search::score::Score;

/// Attempts to find an opening.
const ATTEMPTS: u32 = 1000;

/// Openings that are searched before the most even of them is taken.
const SEARCHED: u32 = 50;

/// Nodes of the search that judges an opening: enough to see what can be captured at once.
const NODES: u64 = 1_000;

/// The largest score of an even opening for either side, in centipawns.
const EVEN: u32 = 100;

/// `plies` random moves from a position (`None` is the start position) after which the game is open: it is not over, neither side wins or
/// loses within two plies, the tables that the line uses do not hold a win or loss, and, if such moves are found soon, a
/// search thinks it near even.
///
/// # Errors
/// If there are no such moves, or too little memory for the search.
pub(super) fn moves(
    plies: u32,
    random: &mut Random,
    fen: Option<&str>,
    line: &mut dyn GameAt,
) -> Result<Vec<String>> {
    let (mut searched, mut best) = (0, None::<(u32, Vec<String>)>);
    for _ in 0..ATTEMPTS {
        line.set_position(fen, &[])?;
        if !walk(plies, random, line)? || !is_open(line)? {
            continue;
        }
        let score = line.searched_score(NODES)?;
        let imbalance = imbalance(score);
        if imbalance <= EVEN {
            return Ok(line.played());
        }
        if best.as_ref().is_none_or(|(least, _)| imbalance < *least) {
            best = Some((imbalance, line.played()));
        }
        searched += 1;
        if searched == SEARCHED {
            break;
        }
    }
    match best {
        Some((_, moves)) => Ok(moves),
        None => bail!("no {plies} random moves were found that leave the game open: take fewer"),
    }
}

/// How far a score is from even, in centipawns: farthest if the game is decided.
pub(super) fn imbalance(score: Score) -> u32 {
    if score.is_decided() { u32::MAX } else { score.raw().unsigned_abs() }
}

/// Plays random moves; `false` if the game ends on the way or with the last of them.
pub(crate) fn walk(plies: u32, random: &mut Random, line: &mut dyn GameAt) -> Result<bool> {
    for _ in 0..plies {
        if line.ending().is_some() {
            return Ok(false);
        }
        let moves = line.moves();
        line.play(&moves[random.below(moves.len() as u32) as usize])?;
    }
    Ok(line.ending().is_none())
}

/// Whether the side to move neither wins at once nor loses to every reply.
fn is_open(line: &mut dyn GameAt) -> Result<bool> {
    if line.table_value().is_some_and(|value| value != Value::Draw) {
        return Ok(false);
    }
    if wins_at_once(line)? {
        return Ok(false);
    }
    for mv in line.moves() {
        line.play(&mv)?;
        let holds = line.ending().is_some() || !wins_at_once(line)?;
        line.undo();
        if holds {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a move of the side to move ends the game in its favour.
fn wins_at_once(line: &mut dyn GameAt) -> Result<bool> {
    let side = line.side_to_move();
    for mv in line.moves() {
        line.play(&mv)?;
        let won =
            line.ending().is_some_and(|end| end.verdict.seen_by(side) == jewel_engine::value::Outcome::Win);
        line.undo();
        if won {
            return Ok(true);
        }
    }
    Ok(false)
}
