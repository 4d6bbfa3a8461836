//! What `jewel analyse` finds, and how it goes through many positions.

pub(crate) mod batch;

pub(crate) use jewel_answers::finding::{Finding, live_line};

use crate::interrupt;
use jewel_engine::threads::spawn_helper;
use jewel_search::control::Stop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(20);

/// Runs `work` while another thread waits for Ctrl-C and then calls everything in `stops` to an end.
pub(crate) fn interruptible<T>(stops: &[Mutex<Stop>], work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Where the system has no thread to spare, nobody listens, and the work is done all the same.
        let watcher = spawn_helper(scope, || {
            while !done.load(Ordering::Relaxed) {
                if interrupt::flag().load(Ordering::Relaxed) {
                    for stop in stops {
                        stop.lock().unwrap_or_else(PoisonError::into_inner).stop();
                    }
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        let _finish = Finish { done: &done, watcher: watcher.map(|watcher| watcher.thread().clone()) };
        work()
    })
}

/// Ends the waiting, even if the work panics.
struct Finish<'a> {
    done: &'a AtomicBool,
    watcher: Option<Thread>,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.watcher.iter().for_each(Thread::unpark);
    }
}
