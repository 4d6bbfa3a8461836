//! What the moves of a position are worth, as far as that is known.

use crate::engine::GameAt;
use anyhow::{Result, anyhow};
use jewel_engine::value::Value;

/// The legal moves of a line with what each is worth to its mover, `None` where the tables that the line uses do not
/// know. A move that ends the game, by its rules or by repetition, needs no table.
///
/// # Errors
/// If the line does not play one of its own moves.
pub fn move_values(line: &mut dyn GameAt) -> Result<Vec<(String, Option<Value>)>> {
    let mover = line.side_to_move();
    let mut values = Vec::new();
    for mv in line.moves() {
        line.play(&mv).map_err(|e| anyhow!("\"{mv}\": {e}"))?;
        let next = line.side_to_move();
        let value = match line.ending().map(|ending| ending.verdict.seen_by(next)) {
            Some(outcome) => Some(Value::from_outcome(outcome)),
            None => line.table_value(),
        };
        line.undo();
        values.push((mv, value.map(|value| value.before_ply(mover, next))));
    }
    Ok(values)
}
