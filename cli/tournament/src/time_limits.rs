//! The limits of a player's time in a tournament.

use crate::clock::{PlayerClock, TimeControl};
use std::time::Duration;

/// The time that a player has for its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeLimits {
    /// The time of each move, by the player's own limits.
    pub movetime: Option<Duration>,
    /// The clock.
    pub clock: Option<TimeControl>,
    /// Time by which a limit may be overstepped.
    pub grace: Duration,
}

/// The usual time by which a limit may be overstepped: starting a thread takes as long on a busy machine.
pub const GRACE: Duration = Duration::from_millis(100);

impl Default for TimeLimits {
    fn default() -> TimeLimits {
        TimeLimits { movetime: None, clock: None, grace: GRACE }
    }
}

impl TimeLimits {
    /// Whether the moves of the player depend on time.
    pub fn is_timed(&self) -> bool {
        self.movetime.is_some() || self.clock.is_some()
    }

    /// A clock for one game, if the player has one.
    pub(crate) fn new_clock(&self) -> Option<PlayerClock> {
        self.clock.as_ref().map(|control| PlayerClock::new(control.clone(), self.grace))
    }

    /// As in the PGN tag `TimeControl`: a clock, or `-` for none.
    pub fn control_text(&self) -> String {
        match (&self.clock, self.movetime) {
            (Some(clock), _) => clock.to_string(),
            (None, Some(time)) => format!("{}/move", time.as_secs_f64()),
            (None, None) => "-".to_string(),
        }
    }
}
