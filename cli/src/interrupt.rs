//! Ctrl-C: it stops the work, not the program.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C.
static FLAG: AtomicBool = AtomicBool::new(false);

/// Whether [`listen`] has been called.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// The flag that Ctrl-C sets once [`listen`] has been called.
pub(crate) fn flag() -> &'static AtomicBool {
    &FLAG
}

/// Makes Ctrl-C set a flag that long work looks at; a second one ends the program. A second call returns the same flag.
///
/// # Errors
/// If the system does not allow it.
pub(crate) fn listen() -> Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&FLAG);
    }
    ctrlc::set_handler(|| {
        if FLAG.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen to Ctrl-C")?;
    Ok(&FLAG)
}
