//! Errors of the API as responses.

use super::error::ApiError;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What a request gets that cannot be served.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) ApiError);

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        // Every status of an error is one of HTTP.
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, [(header::CONTENT_TYPE, "application/json")], Body::from(self.0.json())).into_response()
    }
}
