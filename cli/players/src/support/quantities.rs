//! Times and sizes as they are typed.

use crate::support::memory;
use std::time::Duration;

/// Longest time that is read, in seconds: about three years.
const MAX_LENGTH: f64 = 1e8;

/// A time: `1.5` or `1.5s`, `500ms`, `2m`, `1h`.
///
/// # Errors
/// What would be right.
pub fn parse_time(typed: &str) -> Result<Duration, String> {
    let problem = || format!("\"{typed}\" is not a time: write seconds, or a number with ms, s, m or h");
    let lower = typed.trim().to_ascii_lowercase();
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (digits, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?, *factor)))
        .unwrap_or((&lower, 1.0));
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(problem());
    }
    let seconds = digits.parse::<f64>().map_err(|_| problem())? * factor;
    if seconds <= MAX_LENGTH { Ok(Duration::from_secs_f64(seconds)) } else { Err(problem()) }
}

/// Mebibytes: a plain number counts them, `2G` and the like are rounded up.
///
/// # Errors
/// What would be right.
pub fn parse_mebibytes(typed: &str) -> Result<usize, String> {
    usize::try_from(memory::parse_size(typed)?.div_ceil(1 << 20)).map_err(|e| e.to_string())
}
