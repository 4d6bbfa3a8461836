//! How values are read that serde does not know, for `deserialize_with`.

use crate::support::quantities::parse_time;
use crate::support::words::shortened;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::path::PathBuf;
use std::time::Duration;

/// A value that is read from its text.
///
/// # Errors
/// What `parse` says of the text.
pub fn parsed<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// A whole number within limits.
///
/// # Errors
/// If it is none, or beyond the limits.
pub fn whole<'de, const MIN: u64, const MAX: u64, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    parsed(deserializer, |text| {
        let number = text.trim().parse().ok().filter(|n| (MIN..=MAX).contains(n));
        number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| {
            let upper = if MAX == u64::MAX { String::new() } else { format!(" to {MAX}") };
            format!("\"{}\" is not a whole number from {MIN}{upper}", shortened(text))
        })
    })
}

/// The same where the key may be left out.
///
/// # Errors
/// If it is not such a number.
pub fn some_whole<'de, const MIN: u64, const MAX: u64, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    whole::<MIN, MAX, T, D>(deserializer).map(Some)
}

/// The name of a file or folder.
///
/// # Errors
/// If it is empty.
pub fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    parsed(deserializer, |text| match text {
        "" => Err("the name is empty".to_string()),
        name => Ok(Some(PathBuf::from(name))),
    })
}

/// A time, such as `1.5` or `500ms`.
///
/// # Errors
/// If it is none.
pub fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    parsed(deserializer, |text| parse_time(text).map(Some))
}
