//! Files of numbers of pruning and reduction, as `jewel tune --spsa` writes them.

use crate::files::read_text;
use anyhow::{Result, anyhow};
use jewel_search::alphabeta::SearchParams;
use std::path::Path;

/// The longest file that is read, in bytes.
const MAX_LENGTH: u64 = 1 << 16;

/// Reads a file.
///
/// # Errors
/// If it cannot be read, or holds no such numbers.
pub fn read(file: &Path) -> Result<SearchParams> {
    SearchParams::parse(&read_text(file, MAX_LENGTH)?).map_err(|e| anyhow!("{}: {e}", file.display()))
}
