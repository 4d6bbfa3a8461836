//! What results say about strength.

use crate::error::bad;
use jewel_engine::value::Outcome;
use jewel_tournament::statistics::counts::Results;
use jewel_tournament::statistics::elo::difference;
use pyo3::prelude::*;

/// The difference in Elo that results stand for, and half of its 95% interval; ``None`` where one is infinite or nothing was
/// played.
///
/// Args:
///     results: the points of a player in each game, 1, 0.5 or 0. Games 2n and 2n + 1 are a pair: the same opening, with
///         colours swapped. A game without its pair counts for the difference alone.
///
/// >>> import jewel
/// >>> difference, error = jewel.elo([1, 0, 1, 0.5, 1, 0.5, 0, 1])
/// >>> round(difference), round(error)
/// (89, 154)
#[pyfunction]
pub(crate) fn elo(results: Vec<f64>) -> PyResult<(Option<f64>, Option<f64>)> {
    let outcome = |points: f64| match points {
        1.0 => Ok(Outcome::Win),
        0.5 => Ok(Outcome::Draw),
        0.0 => Ok(Outcome::Loss),
        other => Err(bad(format_args!("results: {other} is not 0, 0.5 or 1"))),
    };
    let outcomes = results.into_iter().map(outcome).collect::<PyResult<Vec<Outcome>>>()?;
    let mut counted = Results::default();
    for pair in outcomes.chunks(2) {
        for outcome in pair {
            counted.games.add(*outcome);
        }
        if let [first, second] = pair {
            counted.add_pair(*first, *second);
        }
    }
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    Ok(difference(&counted).map_or((None, None), |e| (finite(e.elo), finite(e.error()))))
}
