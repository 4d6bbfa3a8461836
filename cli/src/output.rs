//! Where results go: stdout, all at once, so that an error leaves it empty.

use anyhow::{Context, Result};
use jewel_answers::json;
use jewel_engine::text::is_direction_mark;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints a text. Direction marks, which only a stranger's file can have brought into it, are replaced.
///
/// # Errors
/// If stdout takes no more; see [`is_broken_pipe`].
pub(crate) fn print(text: &str) -> Result<()> {
    if text.contains(is_direction_mark) {
        return print_bytes(text.replace(is_direction_mark, "\u{fffd}").as_bytes());
    }
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
/// As [`json::json_line`].
pub(crate) fn json_line(value: &impl Serialize) -> Result<String> {
    Ok(json::json_line(value)?)
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
