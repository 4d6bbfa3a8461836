//! The tables of a tournament as they are written, and what they mean.

use crate::adjudication::{Adjudication, DrawnGame, PlyLimit, Resign};
use crate::openings::Source;
use crate::statistics::sprt::{Model, Sprt};
use jewel_players::settings::values::{parsed, path, some_whole};
use jewel_players::support::words::shortened;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny};
use std::path::PathBuf;

const MAX_U32: u64 = u32::MAX as u64;

#[derive(serde::Deserialize, Default)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
struct OpeningKeys {
    #[serde(deserialize_with = "path")]
    book: Option<PathBuf>,
    #[serde(deserialize_with = "some_whole::<0, 1000, _, _>")]
    random: Option<u32>,
    order: Option<Order>,
}

#[derive(serde::Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Order {
    Random,
    Sequential,
}

pub(super) fn openings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
    let OpeningKeys { book, random, order } = OpeningKeys::deserialize(deserializer)?;
    match (book, random) {
        (Some(_), Some(_)) => Err(D::Error::custom("openings are random or from a book, not both")),
        (Some(file), None) => Ok(Source::Book { file, shuffled: order != Some(Order::Sequential) }),
        (None, None) => Ok(Source::Usual),
        (None, Some(0)) => Ok(Source::Start),
        (None, Some(plies)) => Ok(Source::Random { plies }),
    }
}

pub(super) fn some_openings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Source>, D::Error> {
    openings(deserializer).map(Some)
}

pub(super) fn some_adjudication<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Adjudication>, D::Error> {
    adjudication(deserializer).map(Some)
}

#[derive(serde::Deserialize, Default)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
struct AdjudicationKeys {
    #[serde(deserialize_with = "some_whole::<0, MAX_U32, _, _>")]
    max_plies: Option<usize>,
    #[serde(deserialize_with = "some_whole::<0, 30_000, _, _>")]
    resign_score: Option<u32>,
    #[serde(deserialize_with = "some_whole::<1, MAX_U32, _, _>")]
    resign_moves: Option<u32>,
    #[serde(deserialize_with = "some_whole::<0, 30_000, _, _>")]
    draw_score: Option<u32>,
    #[serde(deserialize_with = "some_whole::<1, MAX_U32, _, _>")]
    draw_moves: Option<u32>,
    #[serde(deserialize_with = "some_whole::<0, MAX_U32, _, _>")]
    draw_plies: Option<usize>,
    #[serde(deserialize_with = "path")]
    tables: Option<PathBuf>,
}

pub(super) fn adjudication<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Adjudication, D::Error> {
    let keys = AdjudicationKeys::deserialize(deserializer)?;
    if keys.resign_score.is_none() && keys.resign_moves.is_some() {
        return Err(D::Error::custom(
            "\"resign_moves\" says for how long; \"resign_score\" is missing, such as 600",
        ));
    }
    if keys.draw_score.is_none() && (keys.draw_moves.is_some() || keys.draw_plies.is_some()) {
        return Err(D::Error::custom(
            "\"draw_moves\" and \"draw_plies\" say when; \"draw_score\" is missing, such as 10",
        ));
    }
    let resign = keys.resign_score.filter(|score| *score > 0);
    Ok(Adjudication {
        max_plies: match keys.max_plies {
            None => PlyLimit::Usual,
            Some(0) => PlyLimit::Never,
            Some(plies) => PlyLimit::After(plies),
        },
        resign: resign.map(|score| Resign { score: score as i32, moves: keys.resign_moves.unwrap_or(3) }),
        draw: keys.draw_score.map(|score| DrawnGame {
            score: score as i32,
            moves: keys.draw_moves.unwrap_or(8),
            from: keys.draw_plies.unwrap_or(60),
        }),
        tables: keys.tables,
    })
}

#[derive(serde::Deserialize, Default)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
struct SprtKeys {
    elo0: Option<f64>,
    elo1: Option<f64>,
    alpha: Option<f64>,
    beta: Option<f64>,
    model: Model,
}

pub(super) fn sprt<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Sprt>, D::Error> {
    let SprtKeys { elo0, elo1, alpha, beta, model } = SprtKeys::deserialize(deserializer)?;
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else {
        return Err(D::Error::custom("a sequential test has two hypotheses, such as elo0 = 0 and elo1 = 5"));
    };
    let test = Sprt { elo0, elo1, alpha: alpha.unwrap_or(0.05), beta: beta.unwrap_or(0.05), model };
    test.checked().map(Some).map_err(D::Error::custom)
}

pub(super) fn scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    parsed(deserializer, |text| {
        let factor = text.trim().parse::<f64>().ok().filter(|factor| *factor > 0.0 && *factor <= 1e6);
        factor.ok_or_else(|| format!("\"{}\" is not a factor, such as 0.01", shortened(text)))
    })
}

/// Players are read by [`Config::from_table`](super::Config::from_table); their keys are here to be known.
pub(super) fn taken_before<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Vec<T>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| Vec::new())
}
