//! Who takes part: a player, and the time that it has.

use super::settings::{Section, Setting, unknown};
use crate::clock::TimeControl;
use crate::runner::{MARGIN, Terms};
use jewel_players::spec::{KEYS, Kind, PlayerSpec};
use jewel_players::support::quantities::parse_time;
use jewel_players::support::words::shortened;
use std::time::Duration;

/// The keys of a player that are the tournament's, with what they do; all others are those of
/// [`PlayerSpec`].
pub const ENTRANT_KEYS: [(&str, &str); 2] = [
    ("clock", "time control, such as 5:00+3, 60+d5, 40/5:00; 1:00, or jewel"),
    ("grace", "by how much a time may be overstepped before the game is lost [default: 100ms]"),
];

/// Somebody who takes part.
#[derive(Clone, PartialEq, Debug)]
pub struct Entrant {
    /// Who it is.
    pub spec: PlayerSpec,
    /// The clock.
    pub clock: Option<Clock>,
    /// By how much a time may be overstepped.
    pub margin: Duration,
    /// Where it was written.
    pub place: String,
}

/// The clock of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clock {
    /// This one.
    Own(TimeControl),
    /// The one that the rules of Jewel give for the game.
    Jewel,
}

impl Entrant {
    /// As it is shown.
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// What time it has in a game, by the game's id; clocks run `scale` times as long as they say.
    ///
    /// # Errors
    /// If it plays with the clock that the game has by the rules of Jewel, and there is none.
    pub fn terms(&self, game: &str, scale: f64) -> Result<Terms, String> {
        let clock = match &self.clock {
            None => None,
            Some(Clock::Own(control)) => Some(control.clone()),
            Some(Clock::Jewel) => Some(TimeControl::from_jewel(game).ok_or_else(|| {
                format!(
                    "{}: the rules of Jewel give no clock for {game}: write one, such as 5:00+d5",
                    self.place
                )
            })?),
        };
        let clock = clock.map(|clock| if scale == 1.0 { clock } else { clock.scaled(scale) });
        Ok(Terms { movetime: self.spec.budget().movetime, clock, margin: self.margin })
    }
}

/// The players of the sections, each with those settings for `each` that mean something to it.
pub(super) fn entrants(engines: Vec<Section>, each: &[Setting]) -> Result<Vec<Entrant>, String> {
    let keys: Vec<&'static str> =
        ENTRANT_KEYS.iter().map(|(key, _)| *key).chain(KEYS.iter().map(|key| key.name)).collect();
    let all = engines.iter().flat_map(|section| &section.settings).chain(each);
    for setting in all {
        if !is_ours(setting) && !KEYS.iter().any(|key| fits(key.name, &setting.key)) {
            return Err(unknown(setting, &keys));
        }
    }
    engines.into_iter().map(|section| entrant(section, each)).collect()
}

fn is_ours(setting: &Setting) -> bool {
    ENTRANT_KEYS.iter().any(|(key, _)| *key == setting.key)
}

/// Whether a key of the list stands for one that was written.
fn fits(known: &str, typed: &str) -> bool {
    if known.ends_with('.') { typed.len() > known.len() && typed.starts_with(known) } else { typed == known }
}

fn entrant(section: Section, each: &[Setting]) -> Result<Entrant, String> {
    let mut own = section.settings;
    let kinds = kinds(&own, each);
    for setting in each {
        let given = own.iter().any(|other| other.key == setting.key);
        let means = |name: &str| {
            let key = KEYS.iter().find(|key| fits(key.name, name));
            key.is_some_and(|key| kinds.iter().any(|kind| key.kinds.contains(kind)))
        };
        if !given && (is_ours(setting) || means(&setting.key)) {
            own.push(setting.clone());
        }
    }
    let (times, pairs): (Vec<Setting>, Vec<Setting>) = own.into_iter().partition(is_ours);
    let (mut clock, mut margin) = (None, MARGIN);
    for Setting { key, value, place } in times {
        let wrong = |e: String| format!("{place}, {key}: {e}");
        match key.as_str() {
            "clock" if value.trim() == "jewel" => clock = Some(Clock::Jewel),
            "clock" => clock = Some(Clock::Own(value.parse().map_err(wrong)?)),
            _ => margin = parse_time(&value).map_err(wrong)?,
        }
    }
    let pairs = pairs.into_iter().map(|setting| (setting.key, setting.value)).collect();
    let spec = PlayerSpec::from_pairs(pairs).map_err(|e| format!("{}: {e}", section.place))?;
    if spec.needs_limit() && clock.is_none() {
        return Err(format!(
            "{}: player \"{}\" has no limit: write nodes, depth, time or clock for it, or for each",
            section.place,
            shortened(spec.name())
        ));
    }
    Ok(Entrant { spec, clock, margin, place: section.place })
}

/// What sort of player it will be, its fallback included; nothing where that is wrong or missing, which is
/// said when the player is made.
fn kinds(own: &[Setting], each: &[Setting]) -> Vec<Kind> {
    let value = |key: &str| {
        let of = |settings: &[Setting]| settings.iter().rev().find(|s| s.key == key).map(|s| s.value.clone());
        of(own).or_else(|| of(each)).map(|value| value.trim().to_ascii_lowercase())
    };
    let find = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let program = || value("cmd").and_then(|_| find(&value("proto").unwrap_or_else(|| "uci".to_string())));
    let kind = value("kind").and_then(|name| find(&name)).or_else(program);
    let fallback = value("fallback").and_then(|name| find(&name)).filter(|_| kind == Some(Kind::Table));
    kind.into_iter().chain(fallback).collect()
}
