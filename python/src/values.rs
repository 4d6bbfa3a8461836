//! Exact values, and their codes in arrays.

use crate::game::word;
use jewel_engine::value::Value as Exact;
use pyo3::prelude::*;
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The code of what is not known, or no position.
pub(crate) const UNKNOWN: i16 = i16::MIN;

/// The code of a value: 0 for a draw, `n + 1` for a win in n plies, `-(n + 1)` for a loss in n plies.
pub(crate) fn code(value: Exact) -> i32 {
    match value {
        Exact::Draw => 0,
        Exact::Win(n) => i32::try_from(n).unwrap_or(i32::MAX - 1) + 1,
        Exact::Loss(n) => -i32::try_from(n).unwrap_or(i32::MAX - 1) - 1,
    }
}

/// The value of a position under best play: win, draw or loss for the side to move, with the distance to the end in plies.
///
/// Values are ordered from the worst to the best: a quick loss, a slow loss, a draw, a slow win, a quick win.
///
/// >>> import jewel
/// >>> jewel.Value("win", 3) > jewel.Value("win", 5) > jewel.Value("draw") > jewel.Value("loss", 2)
/// True
/// >>> jewel.Value("win", 3).code, jewel.Value("draw").code, jewel.Value("loss", 0).code
/// (4, 0, -1)
#[pyclass(frozen, module = "jewel", name = "Value")]
pub(crate) struct Value(pub(crate) Exact);

#[pymethods]
impl Value {
    #[new]
    #[pyo3(signature = (value, distance=None))]
    fn new(value: &str, distance: Option<u32>) -> PyResult<Value> {
        let plies = distance.unwrap_or(0);
        let words = [("win", Exact::Win(plies)), ("draw", Exact::Draw), ("loss", Exact::Loss(plies))];
        let exact = word("value", value, &words)?;
        match (exact, distance) {
            (Exact::Draw, Some(_)) => Err(crate::error::bad("a draw has no distance")),
            (Exact::Win(_) | Exact::Loss(_), None) => {
                Err(crate::error::bad(format_args!("a {value} has a distance: give it in plies")))
            }
            _ => Ok(Value(exact)),
        }
    }

    /// ``"win"``, ``"draw"`` or ``"loss"``.
    #[getter]
    fn value(&self) -> &'static str {
        self.0.outcome().name()
    }

    /// Plies to the end of the game; ``None`` for a draw.
    #[getter]
    fn distance(&self) -> Option<u32> {
        self.0.distance()
    }

    /// 0 for a draw, ``n + 1`` for a win in n plies, and ``-(n + 1)`` for a loss in n plies: what arrays hold.
    #[getter]
    fn code(&self) -> i32 {
        code(self.0)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, pyo3::types::PyType>, (&'static str, Option<u32>)) {
        (py.get_type::<Value>(), (self.value(), self.distance()))
    }

    fn __eq__(&self, other: &Value) -> bool {
        self.0 == other.0
    }

    fn __lt__(&self, other: &Value) -> bool {
        self.0.cmp(&other.0) == Ordering::Less
    }

    fn __le__(&self, other: &Value) -> bool {
        self.0.cmp(&other.0) != Ordering::Greater
    }

    fn __gt__(&self, other: &Value) -> bool {
        self.0.cmp(&other.0) == Ordering::Greater
    }

    fn __ge__(&self, other: &Value) -> bool {
        self.0.cmp(&other.0) != Ordering::Less
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        match self.0.distance() {
            Some(plies) => format!("Value('{}', {plies})", self.value()),
            None => format!("Value('{}')", self.value()),
        }
    }
}
