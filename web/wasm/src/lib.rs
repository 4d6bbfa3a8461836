//! The answers of the page without a server: `jewel site` puts this module beside it, and `web/worker.js` calls it.
//!
//! A call has three steps: `room` makes room for a question, the worker writes it there, and
//! `ask` answers it through the import `say`, line by line.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod module;
