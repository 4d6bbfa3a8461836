//! The clocks of a game: plain arithmetic.

use jewel_engine::value::Side;
use jewel_search::clock::{Bonus, Clock};
use std::time::Duration;

/// The time that both sides have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameClock {
    remaining: [Duration; 2],
    bonus: Bonus,
}

impl GameClock {
    /// Both sides have so much time, and the bonus with each move.
    pub(crate) fn new(time: Duration, bonus: Bonus) -> GameClock {
        GameClock { remaining: [time; 2], bonus }
    }

    /// Takes the time of a move off and adds what the move brings; `false` if the time was up before.
    pub(crate) fn spend(&mut self, side: Side, used: Duration) -> bool {
        let remaining = &mut self.remaining[side.index()];
        let (charged, back) = match self.bonus {
            Bonus::None => (used, Duration::ZERO),
            Bonus::Increment(time) => (used, time),
            Bonus::Delay(time) => (used.saturating_sub(time), Duration::ZERO),
            Bonus::Bronstein(time) => (used, used.min(time)),
        };
        match remaining.checked_sub(charged) {
            Some(left) => {
                *remaining = left.saturating_add(back);
                true
            }
            None => {
                *remaining = Duration::ZERO;
                false
            }
        }
    }

    /// The clock of a side, for a search.
    pub(crate) fn of(&self, side: Side) -> Clock {
        Clock::new(self.remaining[side.index()], self.bonus)
    }

    /// The time of a side: `4:59`, below ten seconds `9.9`.
    pub(crate) fn text(&self, side: Side) -> String {
        let time = self.remaining[side.index()];
        let seconds = time.as_secs();
        match seconds {
            0..10 => format!("{}.{}", seconds, time.subsec_millis() / 100),
            10..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
            _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// What White has after a move of so many seconds; `None` if the flag fell.
    fn after(bonus: Bonus, used: u64) -> Option<u64> {
        let mut clock = GameClock::new(s(10), bonus);
        let in_time = clock.spend(Side::White, s(used));
        assert_eq!(clock.remaining[1], s(10));
        in_time.then(|| clock.remaining[0].as_secs())
    }

    #[test]
    fn every_kind_of_bonus() {
        assert_eq!((after(Bonus::None, 4), after(Bonus::None, 10)), (Some(6), Some(0)));
        assert_eq!((after(Bonus::Increment(s(3)), 4), after(Bonus::Increment(s(3)), 11)), (Some(9), None));
        // With a delay, ten seconds are thirteen; what is not used of it is lost.
        assert_eq!((after(Bonus::Delay(s(3)), 1), after(Bonus::Delay(s(3)), 13)), (Some(10), Some(0)));
        assert_eq!(after(Bonus::Delay(s(3)), 14), None);
        // Bronstein gives back what was used, and comes too late for a flag that has fallen.
        assert_eq!((after(Bonus::Bronstein(s(3)), 1), after(Bonus::Bronstein(s(3)), 5)), (Some(10), Some(8)));
        assert_eq!(after(Bonus::Bronstein(s(3)), 11), None);
        assert_eq!(after(Bonus::None, 11), None);
    }

    #[test]
    fn clocks_are_written_as_on_a_wall() {
        let text = |ms| GameClock::new(Duration::from_millis(ms), Bonus::None).text(Side::Black);
        for (ms, expected) in
            [(0, "0.0"), (9_960, "9.9"), (10_000, "0:10"), (299_000, "4:59"), (3_661_000, "1:01:01")]
        {
            assert_eq!(text(ms), expected);
        }
    }
}
