//! From the errors of the libraries to Python's exceptions, with the same one-line texts.

use jewel_engine::text::is_disruptive;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

create_exception!(
    jewel,
    JewelError,
    PyException,
    "What is neither a wrong argument nor a missing file: a table that is not there or damaged, too little memory, a player \
     that fails."
);

/// One line: what it quotes of an argument may have others.
fn line(problem: impl Display) -> String {
    format!("{problem:#}").replace(is_disruptive, "\u{fffd}")
}

/// An argument is wrong.
pub(crate) fn bad(problem: impl Display) -> PyErr {
    PyValueError::new_err(line(problem))
}

/// Something else went wrong.
pub(crate) fn failed(problem: impl Display) -> PyErr {
    JewelError::new_err(line(problem))
}

/// A file or folder cannot be used: it is not there, or its contents are wrong.
pub(crate) fn of_path(path: &Path, problem: impl Display) -> PyErr {
    if path.exists() { bad(problem) } else { PyFileNotFoundError::new_err(line(problem)) }
}

/// Runs what must not unwind into Python: a panic, which is a mistake of ours, becomes a [`JewelError`].
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic)))
}

/// The exception of a panic.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    failed(format_args!("a mistake in jewel, please report it: {}", text.lines().next().unwrap_or_default()))
}
