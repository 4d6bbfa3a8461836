//! The clock of the system; in WebAssembly without a system, that of the host.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::{Instant, set_clock};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
#[cfg_attr(test, allow(unreachable_pub, reason = "on other targets it is here to be tested alone"))]
mod host {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Sets what tells the time: milliseconds since any moment. The first call counts; before it time stands still, and
    /// searches end by other limits alone.
    pub fn set_clock(now: fn() -> f64) {
        let _ = CLOCK.set(now);
    }

    /// A moment.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Instant {
            let milliseconds = CLOCK.get().map_or(0.0, |now| now());
            Instant(Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default())
        }

        /// The time since then.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0 + time)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

        #[test]
        fn the_host_tells_the_time() {
            static NOW: AtomicU64 = AtomicU64::new(1500);
            let before = Instant::now();
            assert_eq!(before.elapsed(), Duration::ZERO);
            set_clock(|| NOW.load(Relaxed) as f64);
            let begun = Instant::now();
            NOW.store(4000, Relaxed);
            assert_eq!(begun.elapsed(), Duration::from_millis(2500));
            assert_eq!((begun + Duration::from_secs(9)).elapsed(), Duration::ZERO, "no time is negative");
            set_clock(|| f64::NAN);
            assert_eq!(Instant::now(), begun + Duration::from_millis(2500), "the first clock stays");
        }
    }
}
