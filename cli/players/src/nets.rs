//! Evaluations by networks in files.

use crate::files;
use anyhow::{Context, Result};
use jewel_engine::variant::Rules;
use jewel_search::evaluate::net::Net;
use jewel_search::evaluate::{Evaluation, HandcraftedEvaluation};
use std::path::Path;
use std::sync::Arc;

/// The longest file of a network that is read, in bytes.
const MAX_LENGTH: u64 = 1 << 24;

/// The evaluation by the net of a file, or by hand-made terms where that is `none`.
///
/// # Errors
/// If the file cannot be read, or holds no net for these rules.
pub fn evaluation_by(rules: &Rules, net: &Path) -> Result<Evaluation> {
    let hand = HandcraftedEvaluation::best(rules);
    if net == Path::new("none") {
        return Ok(hand.into());
    }
    let parsed = Net::parse(&files::read(net, MAX_LENGTH)?, rules);
    let parsed = parsed.with_context(|| net.display().to_string())?;
    Ok(Evaluation::with_net(hand, Arc::new(parsed)))
}
