//! Errors of the API: a status, and an object with one line that says what is wrong.

use crate::text::{one_line, without_error_numbers};
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// What a request is answered with that cannot be served.
#[derive(Clone, Debug)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    pub(super) problem: String,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    error: &'a str,
    status: u16,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, problem: impl ToString) -> ApiError {
        ApiError { status, problem: one_line(&without_error_numbers(&problem.to_string())) }
    }

    /// What was sent is wrong.
    pub(super) fn bad(problem: impl ToString) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, problem)
    }

    /// All places are taken.
    pub(super) fn busy(what: &str) -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("the server has as many {what} as it takes: try again"),
        )
    }

    /// The object, on one line.
    pub(super) fn json(&self) -> String {
        let object = ErrorObject { error: &self.problem, status: self.status.as_u16() };
        serde_json::to_string(&object).unwrap_or_default() + "\n"
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> ApiError {
        ApiError::bad(format!("{error:#}"))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, [(header::CONTENT_TYPE, "application/json")], Body::from(self.json())).into_response()
    }
}
