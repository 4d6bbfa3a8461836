//! Work of requests, so much of it at a time and no more, each away from the thread that serves the connections.

use super::error::ApiError;
use super::refusal::Refusal;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use jewel_answers::api::Live;
use serde::Serialize;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a client hears how the work goes on, and how soon it is noticed that the client has gone.
const TICK: Duration = Duration::from_millis(100);

/// Places for one kind of work.
#[derive(Clone, Debug)]
pub(super) struct Places {
    what: &'static str,
    free: Arc<Semaphore>,
}

impl Places {
    pub(super) fn new(what: &'static str, number: usize) -> Places {
        Places { what, free: Arc::new(Semaphore::new(number)) }
    }

    async fn take(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        match timeout(PATIENCE, self.free.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(ApiError::busy(self.what)),
        }
    }

    /// Does work that is over soon.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = self.take().await?;
        let done = spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        done.await.unwrap_or_else(|e| Err(failed(&e)))
    }

    /// Does work that is over soon, and answers with an object.
    pub(super) async fn answer<T: Serialize + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Response, Refusal> {
        let text = self.work(move || Ok(json(&work()?))).await?;
        Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
    }

    /// Does long work, and answers with an object a line: how it goes on, and at the end the result or an error. The
    /// work is told to end when nobody reads on, or at the limit.
    pub(super) async fn stream<T: Serialize + Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&Task) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Response, Refusal> {
        let permit = self.take().await?;
        let live = Arc::new(Task::default());
        let (lines, reader) = channel(4);
        let worker = live.clone();
        let mut done = spawn_blocking(move || {
            let _permit = permit;
            work(&worker).map(|result| json(&result))
        });
        let begun = Instant::now();
        tokio::spawn(async move {
            loop {
                match timeout(TICK, &mut done).await {
                    Ok(result) => {
                        let line = match result {
                            Ok(Ok(line)) => line,
                            Ok(Err(error)) => error.json(),
                            Err(error) => failed(&error).json(),
                        };
                        // Nothing is lost if nobody reads on.
                        let _ = lines.send(line).await;
                        return;
                    }
                    Err(_) if lines.is_closed() || begun.elapsed() > limit => live.stop(),
                    Err(_) => {
                        if let Some(line) = live.take()
                            && lines.send(line).await.is_err()
                        {
                            live.stop();
                        }
                    }
                }
            }
        });
        let body = Body::from_stream(Lines(reader));
        Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
    }
}

fn failed(error: &JoinError) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the work failed: {error}"))
}

/// An object of an answer, on a line.
fn json(value: &impl Serialize) -> String {
    crate::output::json_line(value).unwrap_or_else(|e| ApiError::bad(e).json())
}

/// Long work as seen from outside.
#[derive(Default)]
pub(super) struct Task {
    stopped: AtomicBool,
    on_stop: Mutex<Option<jewel_search::control::Stop>>,
    latest: Mutex<Option<String>>,
}

impl Live for Task {
    /// What was said before and has not been read is forgotten.
    fn line(&self, line: String) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }

    fn stopped(&self) -> &AtomicBool {
        &self.stopped
    }

    fn search_stop(&self) -> jewel_search::control::Stop {
        let stop = jewel_search::control::Stop::new();
        *self.on_stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone());
        if self.stopped.load(Ordering::SeqCst) {
            stop.stop();
        }
        stop
    }
}

impl Task {
    /// Says how the work goes on.
    pub(super) fn say(&self, value: &impl Serialize) {
        self.line(json(value));
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(stop) = &*self.on_stop.lock().unwrap_or_else(PoisonError::into_inner) {
            stop.stop();
        }
    }

    fn take(&self) -> Option<String> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The lines of an answer.
struct Lines(Receiver<String>);

impl Stream for Lines {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(Bytes::from(line))))
    }
}
