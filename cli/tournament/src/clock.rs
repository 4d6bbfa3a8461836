//! Time controls, and the clock of one player under them: plain arithmetic.
//!
//! ```text
//! 5:00            five minutes for the game
//! 5:00+3          three seconds more after each move (Fischer)
//! 5:00+d3         the clock starts to run after three seconds (US delay)
//! 5:00+b3         time used is given back, up to three seconds (Bronstein)
//! 40/90:00+30; 15:00+30   forty moves in ninety minutes, then fifteen minutes for the rest
//! 40/4:00         four minutes for every forty moves
//! ```

use jewel_players::support::quantities::parse_time;
use jewel_players::support::words::shortened;
use jewel_search::clock::Bonus;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The time that a player has for a game, in one or several periods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// At least one. All but the last are for a number of moves; if the last is too, it repeats.
    periods: Vec<Period>,
}

/// A part of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// The number of moves, from 1; `None` is the rest of the game.
    pub moves: Option<u32>,
    /// Time that is added when the period begins.
    pub time: Duration,
    /// Time that each move adds, or that is not counted.
    pub bonus: Bonus,
}

impl TimeControl {
    /// One time for the whole game.
    pub fn sudden_death(time: Duration, bonus: Bonus) -> TimeControl {
        TimeControl { periods: vec![Period { moves: None, time, bonus }] }
    }

    /// The clock that the rules of Jewel give each player of one of its games, by the game's id; `None` for
    /// other games, and for the two facets whose clocks the rules do not give.
    ///
    /// Duel may also be played with 10 minutes. Time left over from one hunt to the next is handled by
    /// the match.
    pub fn from_jewel(game: &str) -> Option<TimeControl> {
        let delay = Bonus::Delay(Duration::from_secs(5));
        let (minutes, bonus) = match game {
            "duel" => (5, delay),
            "ambush" | "diamond-quest" | "diamond-chess" => (30, delay),
            "diamond-qi" => (60, Bonus::None),
            _ => return None,
        };
        Some(TimeControl::sudden_death(Duration::from_secs(60 * minutes), bonus))
    }

    /// The same control with every time multiplied.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> TimeControl {
        let times = |time: Duration| {
            Duration::try_from_secs_f64(time.as_secs_f64() * factor.max(0.0)).unwrap_or(Duration::MAX)
        };
        let bonus = |bonus| match bonus {
            Bonus::None => Bonus::None,
            Bonus::Increment(time) => Bonus::Increment(times(time)),
            Bonus::Delay(time) => Bonus::Delay(times(time)),
            Bonus::Bronstein(time) => Bonus::Bronstein(times(time)),
        };
        let period = |p: &Period| Period { moves: p.moves, time: times(p.time), bonus: bonus(p.bonus) };
        TimeControl { periods: self.periods.iter().map(period).collect() }
    }

    /// The periods, in order.
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }
}

impl FromStr for TimeControl {
    type Err = String;

    /// Reads a time control in the form that the module shows.
    fn from_str(text: &str) -> Result<TimeControl, String> {
        let periods = text.split(';').map(period).collect::<Result<Vec<_>, String>>()?;
        let (_, earlier) = periods.split_last().unwrap_or((&periods[0], &[]));
        if earlier.iter().any(|period| period.moves.is_none()) {
            return Err(format!(
                "\"{}\": only the last period may go without a number of moves, such as 40/5:00; 1:00+2",
                shortened(text)
            ));
        }
        Ok(TimeControl { periods })
    }
}

fn period(text: &str) -> Result<Period, String> {
    let wrong = |what: &str| {
        let text = shortened(text.trim());
        format!("\"{text}\" is not a time control: {what}, write such as 5:00, 40/5:00+3, 60+d5 or 60+b5")
    };
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => {
            let number = moves.trim().parse().ok().filter(|n| (1..=9999).contains(n));
            (Some(number.ok_or_else(|| wrong("the moves before / are a number from 1"))?), rest)
        }
        None => (None, text),
    };
    let (time, bonus) = match rest.split_once('+') {
        Some((time, bonus)) => (time, Some(bonus.trim())),
        None => (rest, None),
    };
    let read =
        |text: &str| read_time(text).map_err(|_| wrong("a time is 5:00, or seconds, or such as 500ms"));
    let bonus = match bonus {
        None => Bonus::None,
        Some(text) => match text.split_at_checked(1) {
            Some(("d" | "D", time)) => Bonus::Delay(read(time)?),
            Some(("b" | "B", time)) => Bonus::Bronstein(read(time)?),
            _ => Bonus::Increment(read(text)?),
        },
    };
    Ok(Period { moves, time: read(time)?, bonus })
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, period) in self.periods.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            if let Some(moves) = period.moves {
                write!(f, "{moves}/")?;
            }
            f.write_str(&time_text(period.time))?;
            match period.bonus {
                Bonus::None => {}
                Bonus::Increment(time) => write!(f, "+{}", time.as_secs_f64())?,
                Bonus::Delay(time) => write!(f, "+d{}", time.as_secs_f64())?,
                Bonus::Bronstein(time) => write!(f, "+b{}", time.as_secs_f64())?,
            }
        }
        Ok(())
    }
}

/// `5:00`, or seconds where that is not a whole minute.
fn time_text(time: Duration) -> String {
    let whole = time.subsec_nanos() == 0 && time.as_secs() >= 60;
    if whole {
        format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
    } else {
        time.as_secs_f64().to_string()
    }
}

/// A time as on a clock, `5:00` or `1:30:00`, or seconds, or a number with a unit.
fn read_time(text: &str) -> Result<Duration, String> {
    let Some((first, rest)) = text.split_once(':') else { return parse_time(text) };
    let number = |part: &str| part.trim().parse::<u32>().map_err(|_| "no time".to_string());
    let mut sum = u64::from(number(first)?);
    let parts: Vec<&str> = rest.split(':').collect();
    if parts.len() > 2 {
        return Err("no time".to_string());
    }
    for part in parts {
        let digits = number(part).ok().filter(|n| part.trim().len() == 2 && *n < 60);
        sum = sum * 60 + u64::from(digits.ok_or("no time")?);
    }
    parse_time(&sum.to_string())
}

/// The clock of one player in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerClock {
    control: TimeControl,
    /// The index of the current period.
    period: usize,
    remaining: Duration,
    /// Moves to the end of the period, the next one included.
    to_go: Option<u32>,
    grace: Duration,
}

impl PlayerClock {
    /// A clock at the start of a game; the flag falls when the time is overstepped by more than `grace`.
    pub fn new(control: TimeControl, grace: Duration) -> PlayerClock {
        let Period { moves, time, .. } = control.periods[0];
        PlayerClock { control, period: 0, remaining: time, to_go: moves, grace }
    }

    /// The time left.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Time that the next move adds, or that is not counted.
    pub fn bonus(&self) -> Bonus {
        self.control.periods[self.period].bonus
    }

    /// Moves to the end of the period, the next one included; `None` if it is for the rest of the game.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.to_go
    }

    /// Subtracts the time of a move and adds its bonus; `false` if the flag fell first.
    pub fn spend(&mut self, used: Duration) -> bool {
        let bonus = self.bonus();
        let allowed = match bonus {
            Bonus::Delay(time) => self.remaining.saturating_add(time),
            _ => self.remaining,
        };
        if used > allowed.saturating_add(self.grace) {
            self.remaining = Duration::ZERO;
            return false;
        }
        self.remaining = bonus.after_move(self.remaining, used.min(allowed)).unwrap_or_default();
        match self.to_go {
            None => {}
            Some(n) if n > 1 => self.to_go = Some(n - 1),
            Some(_) => {
                self.period = (self.period + 1).min(self.control.periods.len() - 1);
                let Period { moves, time, .. } = self.control.periods[self.period];
                self.remaining = self.remaining.saturating_add(time);
                self.to_go = moves;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn controls_are_read_and_written() {
        let one = |moves, time, bonus| TimeControl { periods: vec![Period { moves, time, bonus }] };
        for (text, expected, written) in [
            ("5:00", one(None, s(300), Bonus::None), "5:00"),
            ("300+3", one(None, s(300), Bonus::Increment(s(3))), "5:00+3"),
            ("60 + d5", one(None, s(60), Bonus::Delay(s(5))), "1:00+d5"),
            ("1:30:00+b30s", one(None, s(5400), Bonus::Bronstein(s(30))), "90:00+b30"),
            ("40/4m", one(Some(40), s(240), Bonus::None), "40/4:00"),
            ("500ms+0.01", one(None, s(1) / 2, Bonus::Increment(s(1) / 100)), "0.5+0.01"),
        ] {
            assert_eq!(control(text), expected, "{text}");
            assert_eq!(expected.to_string(), written);
        }
        let periods = control("40/90:00+30; 20/30:00+30; 15:00+30");
        assert_eq!(periods.to_string(), "40/90:00+30; 20/30:00+30; 15:00+30");
        for wrong in [
            "",
            "x",
            "0/5:00",
            "40/",
            "5:0",
            "5:00+",
            "5:60",
            "5:00; 40/1:00",
            "1:00+d",
            "-5",
            "1:00:00:00",
            "1e5",
        ] {
            assert!(wrong.parse::<TimeControl>().is_err(), "{wrong}");
        }
        let words = "5:00; 1:00".parse::<TimeControl>().unwrap_err();
        assert!(words.contains("only the last period"), "{words}");
    }

    #[test]
    fn the_clocks_of_jewel_are_those_of_its_rules() {
        let text = |game| TimeControl::from_jewel(game).map(|control| control.to_string());
        assert_eq!(text("duel").as_deref(), Some("5:00+d5"));
        assert_eq!(text("diamond-qi").as_deref(), Some("60:00"));
        assert_eq!(text("ambush"), text("diamond-quest"));
        assert_eq!(text("star-lords"), None);
        let scaled = TimeControl::from_jewel("duel").unwrap().scaled(0.01);
        assert_eq!(scaled, control("3+d50ms"));
    }

    #[test]
    fn periods_add_their_time_and_the_last_repeats() {
        let mut clock = PlayerClock::new(control("2/10; 2/5"), Duration::ZERO);
        let mut seen = Vec::new();
        for _ in 0..6 {
            seen.push((clock.remaining().as_secs(), clock.moves_to_go()));
            assert!(clock.spend(s(1)));
        }
        assert_eq!(
            seen,
            [(10, Some(2)), (9, Some(1)), (13, Some(2)), (12, Some(1)), (16, Some(2)), (15, Some(1))]
        );
        let mut clock = PlayerClock::new(control("1/10; 5+2"), Duration::ZERO);
        assert!(clock.spend(s(10)));
        assert_eq!(
            (clock.remaining(), clock.moves_to_go(), clock.bonus()),
            (s(5), None, Bonus::Increment(s(2)))
        );
        assert!(clock.spend(s(3)));
        assert_eq!(clock.remaining(), s(4));
    }

    #[test]
    fn flags_fall_beyond_the_margin_only() {
        for (text, used, left) in [
            ("10", 10, Some(0)),
            ("10", 11, Some(0)),
            ("10", 12, None),
            ("10+3", 11, Some(3)),
            ("10+d3", 3, Some(10)),
            ("10+d3", 14, Some(0)),
            ("10+d3", 15, None),
            ("10+b3", 1, Some(10)),
            ("10+b3", 11, Some(3)),
            ("10+b3", 12, None),
        ] {
            let mut clock = PlayerClock::new(control(text), s(1));
            let in_time = clock.spend(s(used));
            assert_eq!(in_time.then(|| clock.remaining().as_secs()), left, "{text} {used}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

        #[test]
        fn no_text_does_harm(text in any::<String>(), digits in "[0-9:;/+db.ms ]{0,20}") {
            for text in [text, digits] {
                if let Ok(control) = text.parse::<TimeControl>() {
                    let again = control.to_string().parse::<TimeControl>();
                    prop_assert!(again.is_ok(), "{control}");
                    let mut clock = PlayerClock::new(control, Duration::ZERO);
                    clock.spend(Duration::MAX);
                }
            }
        }
    }
}
