//! The clocks of a game: plain arithmetic.

use jewel_engine::value::Side;
use jewel_search::clock::{Bonus, Clock};
use std::time::Duration;

/// The time that both sides have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    remaining: [Duration; 2],
    bonus: Bonus,
}

impl GameClock {
    /// Both sides have this much time, and the bonus with each move.
    pub fn new(time: Duration, bonus: Bonus) -> GameClock {
        GameClock { remaining: [time; 2], bonus }
    }

    /// Subtracts the time of a move and adds the bonus; `false` if the time had run out.
    pub fn spend(&mut self, side: Side, used: Duration) -> bool {
        let remaining = &mut self.remaining[side.index()];
        let left = self.bonus.after_move(*remaining, used);
        *remaining = left.unwrap_or_default();
        left.is_some()
    }

    /// The time that a side has left.
    pub fn remaining(&self, side: Side) -> Duration {
        self.remaining[side.index()]
    }

    /// The clock of a side, for a search.
    pub fn of(&self, side: Side) -> Clock {
        Clock::new(self.remaining[side.index()], self.bonus)
    }

    /// The time of a side: `4:59`, below ten seconds `9.9`.
    pub fn text(&self, side: Side) -> String {
        clock_text(self.remaining[side.index()])
    }
}

/// A time as clocks show it: `1:04:59`, `4:59`, below ten seconds `9.9`.
pub fn clock_text(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{}.{}", seconds, time.subsec_millis() / 100),
        10..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}
