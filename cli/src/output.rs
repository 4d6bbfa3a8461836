//! Where results go: stdout, all at once, so that an error leaves it empty.

use anyhow::{Context, Result};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints a text as it is.
///
/// # Errors
/// If stdout takes no more; see [`is_broken_pipe`].
pub(crate) fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Prints bytes as they are.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).context("cannot write to stdout")
}

/// An object of `--json`: one line, its fields in the order of the structure.
///
/// # Errors
/// If it cannot be written as JSON, which maps with keys of text always can.
pub(crate) fn json_line(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Prints the parser's help or version, with its own colours where stdout is a terminal.
///
/// # Errors
/// As [`print()`].
pub(crate) fn help(error: &clap::Error) -> Result<()> {
    let text = error.render();
    if crate::terminal::colours() { print(&text.ansi().to_string()) } else { print(&text.to_string()) }
}

/// Whether the reader of stdout has gone, as in `jewel games | head -1`, which is not reported.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &io::Error| e.kind() == ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
