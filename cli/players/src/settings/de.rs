//! From a [`Table`] to any type that serde knows.

use super::{Entry, Table, Value};
use crate::support::words::{any_of, shortened};
use jewel_engine::games::nearest;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;
use thiserror::Error as ThisError;

/// What is wrong with settings: one line, with the place and the key where they are known.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[error("{place}{problem}")]
pub struct Error {
    place: String,
    problem: String,
}

impl Error {
    /// An error whose place is not known yet.
    pub fn new(problem: impl Into<String>) -> Error {
        Error { place: String::new(), problem: problem.into() }
    }

    /// A key that is none of `known`.
    pub fn unknown_key<'a>(key: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
        Error::new(format!("unknown key \"{}\": {}", shortened(key), hint(key, known)))
    }

    /// The same error at a place, unless it has one already.
    #[must_use]
    pub fn at(mut self, place: &str) -> Error {
        if self.place.is_empty() && !place.is_empty() {
            self.place = format!("{place}: ");
        }
        self
    }
}

fn hint<'a>(typed: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(typed, known.clone()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("it may be {}", any_of(&known.map(str::to_string).collect::<Vec<_>>())),
    }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(problem: T) -> Error {
        Error::new(problem.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Error {
        let found = match found {
            Unexpected::Str(text) => format!("\"{}\"", shortened(text)),
            Unexpected::Map => "a table".to_string(),
            Unexpected::Seq => "a list of tables".to_string(),
            other => other.to_string(),
        };
        Error::new(format!("{found} is not {expected}"))
    }

    fn unknown_variant(typed: &str, known: &'static [&'static str]) -> Error {
        Error::new(format!("\"{}\" is unknown: {}", shortened(typed), hint(typed, known.iter().copied())))
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Error {
        Error::unknown_key(key, known.iter().copied())
    }
}

/// The entries of a table one by one.
pub(super) struct Entries<'a> {
    rest: std::slice::Iter<'a, Entry>,
    entry: Option<&'a Entry>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.entry = self.rest.next();
        let Some(entry) = self.entry else { return Ok(None) };
        seed.deserialize(StrDeserializer::new(&entry.key)).map(Some).map_err(|e: Error| e.at(&entry.place))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let entry = self.entry.ok_or_else(|| Error::new("a value without a key"))?;
        let place = match (entry.place.as_str(), &entry.value) {
            ("", _) => entry.key.clone(),
            (place, Value::Text(_)) => format!("{place}, {}", entry.key),
            (place, _) => place.to_string(),
        };
        seed.deserialize(&entry.value).map_err(|e| e.at(&place))
    }
}

impl Table {
    /// The entries, as serde takes them.
    pub(super) fn map(&self) -> Entries<'_> {
        Entries { rest: self.entries().iter(), entry: None }
    }
}

impl<'de> Deserializer<'de> for &Value {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Value::Text(text) => visitor.visit_str(text),
            Value::Table(table) => visitor.visit_map(table.map()).map_err(|e| e.at(&table.place)),
            Value::Tables(_) => Err(Error::new("a list of tables is not expected here")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Text(text) = self else { return self.deserialize_any(visitor) };
        let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let wrong = || Error::new(format!("\"{}\" is not a number", shortened(text)));
        visitor.visit_f64(number.ok_or_else(wrong)?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = if let Value::Text(text) = self { text.as_str() } else { "a table" };
        match text.trim().to_ascii_lowercase().as_str() {
            "yes" | "true" => visitor.visit_bool(true),
            "no" | "false" => visitor.visit_bool(false),
            _ => Err(Error::new(format!("\"{}\" is not yes, no, true or false", shortened(text)))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Value::Text(text) => {
                visitor.visit_enum(text.trim().to_ascii_lowercase().as_str().into_deserializer())
            }
            _ => Err(de::Error::unknown_variant("[…]", known)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}
