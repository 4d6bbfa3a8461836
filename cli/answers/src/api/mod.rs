//! The questions of the page, and their answers in JSON: docs/web.md describes them.
//!
//! [`place`] says which position is meant; [`position`], [`truth`], [`mod@analyse`] and [`records`] answer. A server asks
//! them on threads of its own; [`desk`] is all of them behind one function, for one client that waits.

pub mod analyse;
pub mod desk;
pub mod error;
pub mod place;
pub mod position;
pub mod records;
pub mod site_tables;
pub mod truth;

use jewel_search::control::Stop;
use std::sync::atomic::AtomicBool;

/// Long work as seen from outside.
pub trait Live {
    /// Hears how the work goes on: an object of JSON, on a line.
    fn line(&self, line: String);

    /// Set once the work is to end.
    fn stopped(&self) -> &AtomicBool;

    /// A handle that ends a search when the work is to end.
    fn search_stop(&self) -> Stop;
}
