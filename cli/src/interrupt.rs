//! Ctrl-C and its like: they stop the work, not the program.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Set by Ctrl-C.
static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether [`listen`] has been called.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that a second Ctrl-C ends.
const KILLED: i32 = 130;

/// The flag that Ctrl-C sets once [`listen`] has been called.
pub(crate) fn flag() -> &'static AtomicBool {
    &FLAG
}

/// Makes Ctrl-C, SIGTERM and SIGHUP set a flag that long work looks at; a second one ends the program. A second call
/// returns the same flag. A program that was started to ignore SIGHUP, as by `nohup`, goes on ignoring it.
///
/// # Errors
/// If the system does not allow it.
pub(crate) fn listen() -> Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&FLAG);
    }
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup()) {
        // In this order: the first signal finds the flag unset.
        flag::register_conditional_shutdown(signal, KILLED, FLAG.clone())
            .and_then(|_| flag::register(signal, FLAG.clone()))
            .context("cannot listen to Ctrl-C")?;
    }
    Ok(&FLAG)
}

/// SIGHUP, unless it is ignored.
#[cfg(unix)]
fn hangup() -> Option<i32> {
    use signal_hook::consts::SIGHUP;
    // Where the system does not tell, a hangup is heard.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    (!is_ignored(SIGHUP, &status)).then_some(SIGHUP)
}

#[cfg(not(unix))]
fn hangup() -> Option<i32> {
    None
}

/// Whether a process ignores a signal, by its `/proc/PID/status`.
#[cfg(unix)]
fn is_ignored(signal: i32, status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_told() {
        let status = "Name:\tjewel\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert!(is_ignored(1, status) && is_ignored(13, status) && !is_ignored(2, status));
        assert!(!is_ignored(1, ""));
    }
}
