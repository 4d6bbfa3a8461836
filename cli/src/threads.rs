//! The threads that a command works on.

use anyhow::{Context, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of `threads` threads; one for each core if the number was not given.
///
/// # Errors
/// If the system does not start them.
pub(crate) fn pool(wanted: Option<usize>) -> Result<ThreadPool> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = wanted.unwrap_or_else(cores);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.with_context(|| format!("cannot start {threads} threads"))
}
