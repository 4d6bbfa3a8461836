//! Errors of the API: a status of HTTP, and an object with one line that says what is wrong.

use crate::text::{one_line, without_error_numbers};
use serde::Serialize;

/// What was sent is wrong.
pub const BAD_REQUEST: u16 = 400;
/// Whoever asks may not see it.
pub const FORBIDDEN: u16 = 403;
/// It is not there.
pub const NOT_FOUND: u16 = 404;
/// All places are taken.
pub const BUSY: u16 = 503;

/// What a request is answered with that cannot be served.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The status of HTTP.
    pub status: u16,
    /// What is wrong, on one line.
    pub problem: String,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    error: &'a str,
    status: u16,
}

impl ApiError {
    /// An error with a status of HTTP.
    pub fn new(status: impl Into<u16>, problem: impl ToString) -> ApiError {
        let problem = one_line(&without_error_numbers(&problem.to_string()));
        ApiError { status: status.into(), problem }
    }

    /// What was sent is wrong.
    pub fn bad(problem: impl ToString) -> ApiError {
        ApiError::new(BAD_REQUEST, problem)
    }

    /// All places are taken.
    pub fn busy(what: &str) -> ApiError {
        ApiError::new(BUSY, format!("the server has as many {what} as it takes: try again"))
    }

    /// The object, on one line.
    pub fn json(&self) -> String {
        let object = ErrorObject { error: &self.problem, status: self.status };
        serde_json::to_string(&object).unwrap_or_default() + "\n"
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> ApiError {
        ApiError::bad(format!("{error:#}"))
    }
}
