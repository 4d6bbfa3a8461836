//! From the clock of a game to the time for one move: plain arithmetic.

use std::time::Duration;

/// The time that a player gets for each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bonus {
    /// No time.
    #[default]
    None,
    /// Time that is added after the move, used or not (Fischer).
    Increment(Duration),
    /// Time that passes before the clock starts to run (US delay); the part that is not used is lost.
    Delay(Duration),
    /// The time used is given back after the move, up to this much (Bronstein). It is worth as much as a delay, but
    /// the clock runs meanwhile and must not run out.
    Bronstein(Duration),
}

impl Bonus {
    /// The time left after a move that took `used` with `remaining` on the clock; `None` if the time ran out.
    ///
    /// ```
    /// use jewel_search::clock::Bonus;
    /// use std::time::Duration;
    ///
    /// let second = Duration::from_secs(1);
    /// assert_eq!(Bonus::Increment(3 * second).after_move(10 * second, 4 * second), Some(9 * second));
    /// assert_eq!(Bonus::Delay(3 * second).after_move(10 * second, 4 * second), Some(9 * second));
    /// assert_eq!(Bonus::Bronstein(3 * second).after_move(10 * second, 11 * second), None);
    /// ```
    pub fn after_move(self, remaining: Duration, used: Duration) -> Option<Duration> {
        let (charged, back) = match self {
            Bonus::None => (used, Duration::ZERO),
            Bonus::Increment(time) => (used, time),
            Bonus::Delay(time) => (used.saturating_sub(time), Duration::ZERO),
            Bonus::Bronstein(time) => (used, used.min(time)),
        };
        Some(remaining.checked_sub(charged)?.saturating_add(back))
    }
}

/// The clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// The time that comes with each move.
    pub bonus: Bonus,
    /// Moves until time is added to the clock, including this one; `None` if the time is for the whole game. 0 counts
    /// as 1.
    pub moves_to_go: Option<u32>,
}

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The time after which no new iteration is worth beginning.
    pub soft: Duration,
    /// The time at which to stop at once; never less than `soft`.
    pub hard: Duration,
}

/// How the time for a game is shared among its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// The part of the remaining time that a move gets when the time is for the whole game, in thousandths. Each move
    /// takes this part of what is left, so that the first moves, which decide most, get most.
    pub part: u32,
    /// How many times its share a difficult move may take, in tenths; at least 10.
    pub stretch: u32,
}

/// The values for Monte Carlo tree search; alpha-beta search has its own.
impl Default for Sharing {
    fn default() -> Sharing {
        Sharing { part: 50, stretch: 40 }
    }
}

/// The time lost with each move between a search and a clock of the same program: a thread may wake late, and the
/// search reads the clock once in a thousand nodes.
pub const SAME_PROGRAM_OVERHEAD: Duration = Duration::from_millis(2);

/// The least time for a move: something must be played even when the flag is about to fall.
const LEAST: Duration = Duration::from_millis(1);

impl Clock {
    /// A clock for the whole game.
    pub const fn new(remaining: Duration, bonus: Bonus) -> Clock {
        Clock { remaining, bonus, moves_to_go: None }
    }

    /// The time for this move; `overhead` is the time lost between the program and the clock.
    ///
    /// The soft limit is the bonus and a part of the remaining time: an even share if the number of moves to go is
    /// known. The hard limit is a multiple of that; it leaves half of the time for the rest of the game and never
    /// exceeds the clock. Neither is below a millisecond.
    ///
    /// ```
    /// use jewel_search::clock::{Bonus, Clock, Sharing};
    /// use std::time::Duration;
    ///
    /// let clock = Clock::new(Duration::from_secs(60), Bonus::Increment(Duration::from_secs(1)));
    /// let budget = clock.budget(Duration::ZERO, Sharing { part: 50, stretch: 40 });
    /// assert_eq!(budget.soft, Duration::from_secs(4)); // 60 s / 20 + 1 s
    /// assert_eq!(budget.hard, Duration::from_secs(16));
    /// ```
    pub fn budget(&self, overhead: Duration, sharing: Sharing) -> Budget {
        // `share`: the part of the bonus that this move may count on. `before`: what passes before the clock
        // runs. `returned`: what a move that takes long gets back.
        let (share, before, returned) = match self.bonus {
            Bonus::None => (Duration::ZERO, Duration::ZERO, Duration::ZERO),
            Bonus::Increment(time) => (time, Duration::ZERO, time),
            Bonus::Delay(time) => (time, time, time),
            Bonus::Bronstein(time) => (time, Duration::ZERO, time),
        };
        let on_the_clock = self.remaining.saturating_add(before).saturating_sub(overhead);
        let most = match self.moves_to_go {
            Some(0 | 1) => on_the_clock,
            _ => on_the_clock.min((self.remaining / 2).saturating_add(returned)),
        };
        let part = match self.moves_to_go {
            Some(moves) => self.remaining / moves.max(1),
            None => self.remaining.saturating_mul(sharing.part) / 1000,
        };
        let soft = part.saturating_add(share).saturating_sub(overhead).min(most).max(LEAST);
        Budget { soft, hard: (soft.saturating_mul(sharing.stretch) / 10).min(most).max(soft) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn budget(remaining: u64, bonus: Bonus, moves_to_go: Option<u32>, overhead: u64) -> (u64, u64) {
        let clock = Clock { remaining: ms(remaining), bonus, moves_to_go };
        let budget = clock.budget(ms(overhead), Sharing::default());
        (budget.soft.as_millis() as u64, budget.hard.as_millis() as u64)
    }

    #[test]
    fn a_game_without_bonus_is_shared_evenly() {
        assert_eq!(budget(30_000, Bonus::None, None, 0), (1_500, 6_000));
        assert_eq!(budget(30_000, Bonus::None, Some(10), 0), (3_000, 12_000));
        assert_eq!(budget(30_000, Bonus::None, Some(2), 0), (15_000, 15_000));
    }

    #[test]
    fn the_sharing_says_what_part_and_how_far() {
        let of = |part, stretch| {
            let clock = Clock::new(ms(30_000), Bonus::None);
            let budget = clock.budget(Duration::ZERO, Sharing { part, stretch });
            (budget.soft.as_millis(), budget.hard.as_millis())
        };
        assert_eq!(of(20, 25), (600, 1_500));
        assert_eq!(of(100, 80), (3_000, 15_000));
        // No less than the soft limit.
        assert_eq!(of(100, 1), (3_000, 3_000));
    }

    #[test]
    fn the_last_move_before_the_control_takes_everything_but_the_overhead() {
        assert_eq!(budget(5_000, Bonus::None, Some(1), 50), (4_950, 4_950));
        assert_eq!(budget(5_000, Bonus::None, Some(0), 50), (4_950, 4_950));
    }

    #[test]
    fn an_increment_comes_too_late_for_this_move_and_a_delay_does_not() {
        // One second on the clock and ten with each move.
        assert_eq!(budget(1_000, Bonus::Increment(ms(10_000)), None, 0), (1_000, 1_000));
        assert_eq!(budget(1_000, Bonus::Bronstein(ms(10_000)), None, 0), (1_000, 1_000));
        assert_eq!(budget(1_000, Bonus::Delay(ms(10_000)), None, 0), (10_050, 10_500));
    }

    #[test]
    fn tiny_times_still_give_a_move_and_never_more_than_the_clock() {
        assert_eq!(budget(0, Bonus::None, None, 0), (1, 1));
        assert_eq!(budget(1, Bonus::None, None, 1_000), (1, 1));
        assert_eq!(budget(0, Bonus::Increment(ms(1_000)), None, 0), (1, 1));
        assert_eq!(budget(20, Bonus::None, Some(1), 30), (1, 1));
    }

    #[test]
    fn no_clock_is_overdrawn_or_overflows() {
        let times = [0, 1, 2, 10, 99, 1_000, 60_000, 3_600_000];
        for remaining in times {
            for bonus in times {
                for (kind, before) in [
                    (Bonus::Increment(ms(bonus)), 0),
                    (Bonus::Delay(ms(bonus)), bonus),
                    (Bonus::Bronstein(ms(bonus)), 0),
                ] {
                    for to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                        for overhead in [0, 10, 100] {
                            let (soft, hard) = budget(remaining, kind, to_go, overhead);
                            assert!(soft <= hard);
                            assert!(hard <= (remaining + before).saturating_sub(overhead).max(1));
                        }
                    }
                }
            }
        }
        let most = Sharing { part: u32::MAX, stretch: u32::MAX };
        let forever = Clock::new(Duration::MAX, Bonus::Delay(Duration::MAX)).budget(Duration::ZERO, most);
        assert!(forever.soft <= forever.hard);
        Clock::new(Duration::MAX, Bonus::Increment(Duration::MAX)).budget(Duration::MAX, most);
    }
}
