//! Numbered jobs for several threads, with results in order.

use anyhow::{Context, Result, anyhow};
use jewel_search::control::Stop;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Time between two checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Gives a new stop handle for each search of a worker; `None` when all workers are to stop.
pub(crate) type Begin<'a> = &'a dyn Fn() -> Option<Stop>;

/// Does the job with this number with the state of a worker; `None` if it was stopped.
pub(crate) type Work<'a, W, R> = dyn Fn(&mut W, u64, Begin<'_>) -> Result<Option<R>> + Sync + 'a;

/// Does all jobs with several workers and calls `each` with the results, in order; `false` if
/// `interrupt` was set before the end.
///
/// `ready` makes the state of a worker.
///
/// # Errors
/// If `ready`, `work` or `each` fails.
pub(crate) fn in_order<W, R: Send>(
    numbers: Range<u64>,
    workers: usize,
    interrupt: &AtomicBool,
    ready: &(dyn Fn() -> Result<W> + Sync),
    work: &Work<'_, W, R>,
    each: &mut dyn FnMut(R) -> Result<()>,
) -> Result<bool> {
    let left = usize::try_from(numbers.end.saturating_sub(numbers.start)).unwrap_or(usize::MAX);
    let workers = left.min(workers).max(1);
    let (next, stops) = (AtomicU64::new(numbers.start), Stops::new(workers));
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        (number < numbers.end && !stops.is_halted()).then_some(number)
    };
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (take, stops, sender) = (&take, &stops, sender.clone());
            let started = Builder::new().spawn_scoped(scope, move || {
                let mut own = match ready() {
                    Ok(own) => own,
                    Err(error) => {
                        // The receiver is gone if the collector has ended.
                        let _ = sender.send(Err(error));
                        return;
                    }
                };
                while let Some(number) = take() {
                    let Some(delivery) = work(&mut own, number, &|| stops.begin(worker)).transpose() else {
                        return;
                    };
                    if sender.send(delivery.map(|result| (number, result))).is_err() {
                        return;
                    }
                }
            });
            // Fewer threads do it too.
            if worker == 0 {
                started.context("no thread can be started")?;
            }
        }
        drop(sender);
        let _halt = AtEnd(|| stops.halt());
        let mut waiting = BTreeMap::new();
        let mut told = numbers.start;
        while told < numbers.end {
            if interrupt.load(Ordering::Relaxed) {
                return Ok(false);
            }
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok(delivery) => waiting.extend([delivery?]),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("a worker has failed")),
            }
            while let Some(result) = waiting.remove(&told) {
                each(result)?;
                told += 1;
            }
        }
        Ok(true)
    })
}

/// Ends the searches of workers.
pub(crate) struct Stops {
    halted: AtomicBool,
    /// The stop handle of each worker.
    handles: Vec<Mutex<Stop>>,
}

impl Stops {
    /// For this many workers.
    pub(crate) fn new(workers: usize) -> Stops {
        Stops { halted: AtomicBool::new(false), handles: (0..workers).map(|_| Mutex::default()).collect() }
    }

    /// Whether all workers are to stop.
    pub(crate) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::SeqCst)
    }

    /// A stop handle for a search of a worker; `None` when all workers are to stop.
    pub(crate) fn begin(&self, worker: usize) -> Option<Stop> {
        let mut handle = self.handles[worker].lock().unwrap_or_else(PoisonError::into_inner);
        *handle = Stop::new();
        // Read within the lock: a halt either stops this handle or is seen here.
        (!self.is_halted()).then(|| handle.clone())
    }

    /// Stops all workers.
    pub(crate) fn halt(&self) {
        self.halted.store(true, Ordering::SeqCst);
        for handle in &self.handles {
            handle.lock().unwrap_or_else(PoisonError::into_inner).stop();
        }
    }
}

/// Runs a closure when it is dropped, even by a panic.
pub(crate) struct AtEnd<F: Fn()>(pub(crate) F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whichever_is_first() {
        let mut told = Vec::new();
        let slow_first = |(): &mut (), number: u64, _: Begin<'_>| {
            std::thread::sleep(Duration::from_millis(if number == 3 { 30 } else { 0 }));
            Ok(Some(number))
        };
        let complete = in_order(3..40, 4, &AtomicBool::new(false), &|| Ok(()), &slow_first, &mut |number| {
            told.push(number);
            Ok(())
        });
        assert!(complete.unwrap());
        assert_eq!(told, (3..40).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_ends_everything() {
        let interrupt = AtomicBool::new(false);
        let fails = |(): &mut (), number: u64, _: Begin<'_>| {
            if number == 5 { Err(anyhow!("five")) } else { Ok(Some(number)) }
        };
        let error = in_order(0..u64::MAX, 2, &interrupt, &|| Ok(()), &fails, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "five");
        let unready =
            in_order(0..9, 2, &interrupt, &|| Err::<(), _>(anyhow!("no board")), &fails, &mut |_| Ok(()));
        assert_eq!(unready.unwrap_err().to_string(), "no board");
        interrupt.store(true, Ordering::Relaxed);
        let waits = |(): &mut (), _: u64, begin: Begin<'_>| {
            let stop = begin();
            while stop.as_ref().is_some_and(|stop| !stop.is_stopped()) {
                std::thread::yield_now();
            }
            Ok(None::<u64>)
        };
        assert!(!in_order(0..9, 2, &interrupt, &|| Ok(()), &waits, &mut |_| Ok(())).unwrap());
    }
}
