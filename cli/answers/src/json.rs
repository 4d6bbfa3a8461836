//! Objects of `--json`.

use jewel_engine::text::is_direction_mark;
use serde::Serialize;

/// An object of `--json`: one line, its fields in the order of the structure.
///
/// # Errors
/// If it cannot be written as JSON, which maps with keys of text always can.
pub fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)? + "\n";
    if !text.contains(is_direction_mark) {
        return Ok(text);
    }
    // They stand in texts alone, where JSON has an escape for them.
    let escape = |c: char| if is_direction_mark(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    Ok(text.chars().map(escape).collect())
}
