//! Work that the threads of the current rayon pool share.
//!
//! Iterators of rayon are compiled anew for each use, in some thousand lines each. Here all work goes through one loop, which asks by
//! number for what is to be done: for tasks that take long beside a call, which are most.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tasks of [`fold`] that one thread does in turn, at most this many groups of them.
const GROUPS: usize = 256;

/// What a number of tasks make of their numbers, from 0 to before `count`, in order.
///
/// ```
/// assert_eq!(jewel_engine::parallel::map(4, |n| n * n), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made = Results::new(count);
    all(count, &|n| {
        made.put(n, task(n));
        true
    });
    made.list()
}

/// The same for tasks that can fail.
///
/// # Errors
/// The error of one of the tasks. Those that have not begun then are left out.
pub fn try_map<T: Send, E: Send>(
    count: usize,
    task: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let made = Results::new(count);
    try_each(count, |n| {
        made.put(n, task(n)?);
        Ok(())
    })?;
    Ok(made.list())
}

/// Does a number of tasks.
pub fn each(count: usize, task: impl Fn(usize) + Sync) {
    all(count, &|n| {
        task(n);
        true
    });
}

/// Does a number of tasks that can fail.
///
/// # Errors
/// The error of one of the tasks. Those that have not begun then are left out.
pub fn try_each<E: Send>(count: usize, task: impl Fn(usize) -> Result<(), E> + Sync) -> Result<(), E> {
    let error = Mutex::new(None);
    all(count, &|n| {
        let done = task(n);
        let goes_on = done.is_ok();
        if let Err(e) = done {
            *lock(&error) = Some(e);
        }
        goes_on
    });
    error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// What is made of the shares of a list of `size` elements each, of which the last may have fewer, in order.
///
/// # Panics
/// If `size` is 0.
pub fn map_chunks<T: Sync, R: Send>(list: &[T], size: usize, task: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    map(list.len().div_ceil(size), |n| task(&list[n * size..list.len().min((n + 1) * size)]))
}

/// What is made of the elements of a list, each with its number, in order.
pub fn map_mut<T: Send, R: Send>(list: &mut [T], task: impl Fn(usize, &mut T) -> R + Sync) -> Vec<R> {
    let elements: Vec<Mutex<&mut T>> = list.iter_mut().map(Mutex::new).collect();
    map(elements.len(), |n| task(n, &mut lock(&elements[n])))
}

/// Shows the numbers from 0 to before `count` to values that begin as `none`, and joins these. A value sees numbers that follow one
/// another, in order, and is joined with that of the numbers behind.
///
/// # Errors
/// The error of one of the tasks. Those that have not begun then are left out.
pub fn fold<T: Send, E: Send>(
    count: usize,
    none: impl Fn() -> T + Sync,
    see: impl Fn(&mut T, usize) -> Result<(), E> + Sync,
    join: impl Fn(T, T) -> T,
) -> Result<T, E> {
    let groups = GROUPS.min(count);
    let folded = try_map(groups, |group| {
        let mut value = none();
        let first = |group: usize| (group as u128 * count as u128 / groups as u128) as usize;
        (first(group)..first(group + 1)).try_for_each(|n| see(&mut value, n))?;
        Ok(value)
    })?;
    Ok(folded.into_iter().reduce(join).unwrap_or_else(none))
}

/// Values that tasks take one after the other and leave to the next, such as buffers: as many as threads work at once.
#[derive(Debug)]
pub struct Shared<T, F> {
    left: Mutex<Vec<T>>,
    make: F,
}

impl<T, F: Fn() -> T> Shared<T, F> {
    /// None yet; `make` makes one where there is none to take.
    pub fn new(make: F) -> Shared<T, F> {
        Shared { left: Mutex::new(Vec::new()), make }
    }

    /// Lends one to a task.
    pub fn with<R>(&self, task: impl FnOnce(&mut T) -> R) -> R {
        let left = lock(&self.left).pop();
        let mut value = left.unwrap_or_else(&self.make);
        let result = task(&mut value);
        lock(&self.left).push(value);
        result
    }
}

/// What tasks have made, by their numbers.
struct Results<T>(Vec<Mutex<Option<T>>>);

impl<T> Results<T> {
    fn new(count: usize) -> Results<T> {
        Results((0..count).map(|_| Mutex::new(None)).collect())
    }

    fn put(&self, n: usize, made: T) {
        *lock(&self.0[n]) = Some(made);
    }

    fn list(self) -> Vec<T> {
        let mut list = Vec::with_capacity(self.0.len());
        for made in self.0 {
            list.extend(made.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        list
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one loop. Every thread goes through a part of the numbers of its own, far from those of the others, and then helps these, so
/// that none waits while there is something to do. Once a task has returned `false`, no other is begun.
fn all(count: usize, task: &(dyn Fn(usize) -> bool + Sync)) {
    let parts = rayon::current_num_threads().min(count);
    let first = |part: usize| (part as u128 * count as u128 / parts as u128) as usize;
    let next: Vec<AtomicUsize> = (0..parts).map(|part| AtomicUsize::new(first(part))).collect();
    let ended = AtomicBool::new(false);
    let work = |own: usize| {
        for part in (0..parts).map(|n| (own + n) % parts) {
            loop {
                let n = next[part].fetch_add(1, Relaxed);
                if n >= first(part + 1) || ended.load(Relaxed) {
                    break;
                }
                if !task(n) {
                    ended.store(true, Relaxed);
                }
            }
        }
    };
    rayon::scope(|scope| {
        let work = &work;
        for own in 1..parts {
            scope.spawn(move |_| work(own));
        }
        work(0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for count in [0, 1, 7, 1000] {
            assert_eq!(map(count, |n| 3 * n), (0..count).map(|n| 3 * n).collect::<Vec<_>>());
        }
        let list: Vec<u32> = (0..10).collect();
        assert_eq!(
            map_chunks(&list, 4, |some| some.to_vec()),
            [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]
        );
        let mut list = ["a", "b", "c"].map(String::from);
        assert_eq!(map_mut(&mut list, |n, text| (text.push('!'), n).1), [0, 1, 2]);
        assert_eq!(list, ["a!", "b!", "c!"]);
    }

    #[test]
    fn a_fold_joins_neighbours_in_order() {
        for count in [0, 1, 255, 256, 257, 1000] {
            let together = |mut one: Vec<usize>, other: Vec<usize>| {
                one.extend(other);
                one
            };
            let see = |seen: &mut Vec<usize>, n| {
                seen.push(n);
                Ok::<(), ()>(())
            };
            assert_eq!(fold(count, Vec::new, see, together), Ok((0..count).collect()));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let done = AtomicUsize::new(0);
        let task = |n| {
            done.fetch_add(1, Relaxed);
            if n == 5 { Err(n) } else { Ok(n) }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| try_map(1000, task)), Err(5));
        assert_eq!(done.into_inner(), 6);
        assert_eq!(try_each(10, |n| if n < 10 { Ok(()) } else { Err(n) }), Ok(()));
        assert_eq!(fold(10, || 0, |_, n| if n == 3 { Err(n) } else { Ok(()) }, |a, _: u8| a), Err(3));
    }

    #[test]
    fn what_is_shared_is_made_once_for_each_thread() {
        let made = AtomicUsize::new(0);
        let shared = Shared::new(|| made.fetch_add(1, Relaxed));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| each(100, |_| shared.with(|_| ())));
        assert!((1..=2).contains(&made.into_inner()));
    }
}
