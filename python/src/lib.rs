//! The Python package `jewel`: games, positions, searches, exact values and environments. What users read is in the Python
//! documentation of each item.
#![forbid(unsafe_code)]

mod batch;
mod board;
mod engine;
mod error;
mod game;
mod ratings;
mod solution;
mod tables;
mod values;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _jewel {
    use super::*;

    #[pymodule_export]
    use super::batch::BatchEnv;
    #[pymodule_export]
    use super::board::{Board, Outcome};
    #[pymodule_export]
    use super::engine::{Engine, Limit, PlayResult, Player};
    #[pymodule_export]
    use super::error::JewelError;
    #[pymodule_export]
    use super::game::Game;
    #[pymodule_export]
    use super::ratings::elo;
    #[pymodule_export]
    use super::solution::{Solution, solve};
    #[pymodule_export]
    use super::tables::{TableClass, Tables, build_tables};
    #[pymodule_export]
    use super::values::Value;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("UNKNOWN", crate::values::UNKNOWN)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
