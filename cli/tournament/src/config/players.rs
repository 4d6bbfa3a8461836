//! The players of a tournament and the time that each has.

use crate::clock::TimeControl;
use crate::time_limits::{GRACE, TimeLimits};
use jewel_players::settings::values::{parsed, time};
use jewel_players::settings::{Entry, Error, Table, Value};
use jewel_players::spec::{KEYS, Key, Kind, PlayerSpec};
use serde::{Deserialize, Deserializer};
use std::time::Duration;

/// The keys of a player that belong to the tournament; all others are those of [`PlayerSpec`].
pub const CLOCK_KEYS: [Key; 2] = [
    Key {
        name: "clock",
        value: "CONTROL",
        kinds: &Kind::ALL,
        help: "time control, such as 5:00+3, 60+d5, 40/5:00; 1:00, or jewel",
    },
    Key {
        name: "grace",
        value: "TIME",
        kinds: &Kind::ALL,
        help: "time by which a limit may be overstepped before the game is lost [default: 100ms]",
    },
];

/// A player of a tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentPlayer {
    /// What plays.
    pub spec: PlayerSpec,
    /// The clock.
    pub clock: Option<Clock>,
    /// Time by which a limit may be overstepped.
    pub grace: Duration,
}

/// The clock of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clock {
    /// This one.
    Own(TimeControl),
    /// The one that the rules of Jewel give for the game.
    Jewel,
}

impl From<PlayerSpec> for TournamentPlayer {
    /// The player without a clock, with the usual grace.
    fn from(spec: PlayerSpec) -> TournamentPlayer {
        TournamentPlayer { spec, clock: None, grace: GRACE }
    }
}

impl TournamentPlayer {
    /// The limits of the player's time in a game, by the game's id; `scale` multiplies the times of its clock.
    ///
    /// # Errors
    /// If it plays with the clock of the rules of Jewel, and they give none for the game.
    pub fn limits(&self, game: &str, scale: f64) -> Result<TimeLimits, String> {
        let clock = match &self.clock {
            None => None,
            Some(Clock::Own(control)) => Some(control.clone()),
            Some(Clock::Jewel) => Some(TimeControl::from_jewel(game).ok_or_else(|| {
                format!(
                    "player \"{}\": the rules of Jewel give no clock for {game}: write one, such as 5:00+d5",
                    self.spec.name()
                )
            })?),
        };
        let clock = clock.map(|clock| if scale == 1.0 { clock } else { clock.scaled(scale) });
        Ok(TimeLimits { movetime: self.spec.budget().movetime, clock, grace: self.grace })
    }
}

/// The keys of [`CLOCK_KEYS`].
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct ClockKeys {
    #[serde(deserialize_with = "clock")]
    clock: Option<Clock>,
    #[serde(deserialize_with = "time")]
    grace: Option<Duration>,
}

fn clock<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Clock>, D::Error> {
    parsed(deserializer, |text| match text.trim() {
        "jewel" => Ok(Some(Clock::Jewel)),
        control => control.parse().map(|control| Some(Clock::Own(control))),
    })
}

fn is_clock_key(key: &str) -> bool {
    CLOCK_KEYS.iter().any(|known| known.name == key)
}

/// The players of tables, each with the settings for `each` that mean something to its kind.
pub(super) fn read(engines: Vec<Table>, each: Option<&Table>) -> Result<Vec<TournamentPlayer>, Error> {
    let known = CLOCK_KEYS.iter().chain(KEYS).map(|key| key.name);
    for entry in engines.iter().chain(each).flat_map(Table::entries) {
        if !known.clone().any(|key| key == entry.key) {
            return Err(Error::unknown_key(&entry.key, known).at(&entry.place));
        }
    }
    engines.into_iter().map(|engine| player(engine, each)).collect()
}

fn player(mut own: Table, each: Option<&Table>) -> Result<TournamentPlayer, Error> {
    let kinds = kinds(&own, each);
    let fits = |key: &Key| is_clock_key(key.name) || key.kinds.iter().any(|kind| kinds.contains(kind));
    let means = |name: &str| CLOCK_KEYS.iter().chain(KEYS).any(|key| key.name == name && fits(key));
    for Entry { key, value, place } in each.map(Table::entries).unwrap_or_default() {
        let value = match (own.get(key).map(|entry| &entry.value), value) {
            (None, value) => value.clone(),
            // Options of a program that it does not set itself.
            (Some(Value::Table(table)), Value::Table(usual)) => {
                let mut all = usual.clone();
                all.extend(table.clone());
                Value::Table(all)
            }
            (Some(_), _) => continue,
        };
        if means(key) {
            own.set(key, value, place);
        }
    }
    let ClockKeys { clock, grace } = own.split(is_clock_key).read()?;
    Ok(TournamentPlayer { spec: PlayerSpec::from_table(&own)?, clock, grace: grace.unwrap_or(GRACE) })
}

/// The kind of player that it will be, with that of its fallback; nothing where that is wrong or missing, which
/// the player's own checks will say.
fn kinds(own: &Table, each: Option<&Table>) -> Vec<Kind> {
    let value = |key: &str| own.text(key).or_else(|| each?.text(key));
    let program = || value("cmd").and_then(|_| Kind::find(value("proto").unwrap_or("uci")));
    let kind = value("kind").and_then(Kind::find).or_else(program);
    let fallback = value("fallback").and_then(Kind::find).filter(|_| kind == Some(Kind::Table));
    kind.into_iter().chain(fallback).collect()
}
