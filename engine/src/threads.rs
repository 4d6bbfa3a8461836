//! Helper threads of a search, for a system that may have none to spare.

use std::hint::black_box;
use std::sync::mpsc::channel;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Bytes of address space that must be free before a thread is started, beside its stack. A thread that has started
/// cannot say that there is too little for it: the runtime and the allocator end the program then.
const RESERVE: usize = 32 << 20;

/// Starts a helper thread, and waits until it runs. `None` if the system has no thread to spare, or less memory than
/// threads need while they work: the work is then done without it.
///
/// Threads are started one after the other, since what one of them takes at its start is missing to the next.
pub fn spawn_helper<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    if cfg!(target_family = "wasm") {
        // No threads, and memory that was asked for once stays with the page.
        return None;
    }
    let mut reserve = Vec::<u8>::new();
    reserve.try_reserve_exact(RESERVE).ok()?;
    drop(black_box(reserve));
    let (started, has_started) = channel();
    let helper = Builder::new().spawn_scoped(scope, move || {
        // The receiver waits for it.
        let _ = started.send(());
        work()
    });
    // An error says that the thread has ended.
    let _ = has_started.recv();
    helper.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_work_beside_their_starter() {
        let sum: u32 = std::thread::scope(|scope| {
            let helpers: Vec<_> = (0..4).filter_map(|n| spawn_helper(scope, move || n)).collect();
            helpers.into_iter().map(|helper| helper.join().unwrap_or(0)).sum()
        });
        assert_eq!(sum, 6);
    }
}
