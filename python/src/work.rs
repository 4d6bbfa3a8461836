//! Long work without the global interpreter lock: other Python threads go on, callbacks are called, and Ctrl-C ends it.

use crate::error::{failed, of_panic};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

/// Time between two looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stack of the thread that works: as large as a main thread's.
const STACK: usize = 8 << 20;

/// Runs `work` in a thread of its own, with a sender of events; `each` is called with every event, in the thread that called.
/// `stop` is called, once, where an event's callback raised an exception or Ctrl-C was pressed: the work should end soon, and the
/// exception is the result.
pub(crate) fn interruptible<T: Send, E: Send>(
    py: Python<'_>,
    stop: impl Fn() + Send + Sync,
    work: impl FnOnce(Sender<E>) -> T + Send,
    mut each: impl FnMut(Python<'_>, E) -> PyResult<()> + Send,
) -> PyResult<T> {
    py.detach(|| {
        scope(|scope| {
            let (sender, receiver) = channel();
            let guarded = move || {
                // The end of the channel is the end of the work, even where the work has no use for it.
                let _open = sender.clone();
                catch_unwind(AssertUnwindSafe(|| work(sender)))
            };
            let worker = Builder::new().stack_size(STACK).spawn_scoped(scope, guarded);
            let worker =
                worker.map_err(|e| failed(format_args!("the system has no thread to spare: {e}")))?;
            let mut raised: Option<PyErr> = None;
            loop {
                let event = match receiver.recv_timeout(PATIENCE) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if raised.is_some() {
                    continue;
                }
                let handled = Python::attach(|py| {
                    py.check_signals()?;
                    event.map_or(Ok(()), |event| each(py, event))
                });
                if let Err(exception) = handled {
                    stop();
                    raised = Some(exception);
                }
            }
            let result = worker.join().unwrap_or_else(Err);
            match (raised, result) {
                (Some(exception), _) => Err(exception),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => Err(of_panic(&*panic)),
            }
        })
    })
}
