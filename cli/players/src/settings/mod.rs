//! Settings as they are written: tables of keys and values from a TOML file or from `key=value,key=value`.
//!
//! A [`Table`] remembers where each key was written. [`Table::read`] turns it into any struct that serde can
//! deserialise, and errors name the place, the key, and what would be right.

mod de;
pub mod text;
pub mod values;

pub use de::Error;

use crate::support::words::shortened;
use serde::de::DeserializeOwned;
use serde::de::value::MapAccessDeserializer;
use toml::de::{DeTable, DeValue};

/// A key with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// In lower case with underscores; names of a program's options stay as they are.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Where it was written: `cup.toml: line 3`, or the option of the command line.
    pub place: String,
}

/// What a key is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A text, a number, true or false: as text. A list of texts is quoted as in a shell.
    Text(String),
    /// `[key]`
    Table(Table),
    /// `[[key]]`
    Tables(Vec<Table>),
}

/// Keys with their values, in the order in which they were written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Table {
    /// Where it begins.
    pub place: String,
    entries: Vec<Entry>,
}

/// Most keys of a table: looking one up goes through all of them.
const MAX_KEYS: usize = 1000;

/// The table whose keys are names of another program's options.
const VERBATIM: &str = "option";

impl Table {
    /// The table of a TOML file, which messages call `name`.
    ///
    /// # Errors
    /// The line with the first mistake, and what is wrong there.
    pub fn from_toml(name: &str, text: &str) -> Result<Table, Error> {
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let place = |at: usize| format!("{name}: line {}", ends.partition_point(|end| *end < at) + 1);
        let table = DeTable::parse(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            Error::new(e.message().replace('\n', "; ")).at(&place(at))
        })?;
        from_toml_table(table.get_ref(), name.to_string(), false, &place)
    }

    /// The table of `key=value,key=value`, as [`text::pairs`] splits it; a first entry without `=` is the value
    /// of `first`. Messages say that it stands at `place`.
    ///
    /// # Errors
    /// If a quote is not closed, an entry has no `=` or no key, or a key is given twice.
    pub fn from_pairs(place: &str, text: &str, first: &str) -> Result<Table, Error> {
        let mut table = Table { place: place.to_string(), entries: Vec::new() };
        let pairs = text::pairs(text, first).map_err(|e| Error::new(e).at(place))?;
        if pairs.len() > MAX_KEYS {
            return Err(Error::new(format!("more than {MAX_KEYS} settings")).at(place));
        }
        for (n, (key, value)) in pairs.iter().enumerate() {
            if pairs[..n].iter().any(|(other, _)| usual(other) == usual(key)) {
                return Err(Error::new(format!("\"{}\" is given twice", shortened(key))).at(place));
            }
            let value = Value::Text(value.clone());
            match key.split_once('.') {
                Some((head, name)) if usual(head) == VERBATIM && !name.is_empty() => {
                    let mut inner = Table { place: place.to_string(), entries: Vec::new() };
                    inner.set(name, value, place);
                    table.merge(VERBATIM, inner);
                }
                _ => table.set(&usual(key), value, place),
            }
        }
        Ok(table)
    }

    /// Its entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key that has a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(|entry| match &entry.value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Sets a key, in place of what it had.
    pub fn set(&mut self, key: &str, value: Value, place: &str) {
        let entry = Entry { key: key.to_string(), value, place: place.to_string() };
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(before) => *before = entry,
            None => self.entries.push(entry),
        }
    }

    /// Sets the keys of another table.
    pub fn extend(&mut self, other: Table) {
        other.entries.into_iter().for_each(|Entry { key, value, place }| self.set(&key, value, &place));
    }

    /// Sets the keys of the table of a key.
    pub fn merge(&mut self, key: &str, table: Table) {
        match self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value) {
            Some(Value::Table(before)) => before.extend(table),
            Some(_) => {}
            None => self.set(key, Value::Table(table.clone()), &table.place),
        }
    }

    /// Adds a table to the list of a key.
    pub fn append(&mut self, key: &str, table: Table) {
        match self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value) {
            Some(Value::Tables(tables)) => tables.push(table),
            Some(_) => {}
            None => self.set(key, Value::Tables(vec![table.clone()]), &table.place),
        }
    }

    /// Takes out the keys for which `wanted` says so.
    #[must_use]
    pub fn split(&mut self, wanted: impl Fn(&str) -> bool) -> Table {
        let entries = self.entries.extract_if(.., |entry| wanted(&entry.key)).collect();
        Table { place: self.place.clone(), entries }
    }

    /// All keys and values as text, those of tables as `table.key`.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for Entry { key, value, .. } in &self.entries {
            match value {
                Value::Text(text) => pairs.push((key.clone(), text.clone())),
                Value::Table(table) => {
                    pairs.extend(
                        table.pairs().into_iter().map(|(name, text)| (format!("{key}.{name}"), text)),
                    );
                }
                Value::Tables(_) => {}
            }
        }
        pairs
    }

    /// The struct that the table describes.
    ///
    /// # Errors
    /// The place of the first mistake, its key, and what would be right.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(MapAccessDeserializer::new(self.map())).map_err(|e: Error| e.at(&self.place))
    }
}

/// A key in its usual spelling.
fn usual(key: &str) -> String {
    key.trim().to_ascii_lowercase().replace('-', "_")
}

fn from_toml_table(
    table: &DeTable<'_>,
    begins: String,
    verbatim: bool,
    place: &dyn Fn(usize) -> String,
) -> Result<Table, Error> {
    let mut written: Vec<_> = table.iter().collect();
    written.sort_by_key(|(key, _)| key.span().start);
    if let Some((key, _)) = written.get(MAX_KEYS) {
        return Err(Error::new(format!("more than {MAX_KEYS} keys in a table")).at(&place(key.span().start)));
    }
    let mut table = Table { place: begins, entries: Vec::new() };
    for (key, value) in written {
        let begins = place(key.span().start);
        let key = if verbatim { key.get_ref().to_string() } else { usual(key.get_ref()) };
        let inner = |inner: &DeTable<'_>, at: String| from_toml_table(inner, at, key == VERBATIM, place);
        let value = match value.get_ref() {
            DeValue::Table(table) => Value::Table(inner(table, begins.clone())?),
            DeValue::Array(list) if list.iter().any(|entry| entry.get_ref().is_table()) => {
                if let Some(entry) = list.get(MAX_KEYS) {
                    let problem = format!("more than {MAX_KEYS} tables [[{}]]", shortened(&key));
                    return Err(Error::new(problem).at(&place(entry.span().start)));
                }
                let tables = list.iter().map(|entry| match entry.get_ref() {
                    DeValue::Table(table) => inner(table, place(entry.span().start)),
                    _ => Err(Error::new(format!("every [[{}]] is a table", shortened(&key))).at(&begins)),
                });
                Value::Tables(tables.collect::<Result<_, _>>()?)
            }
            value => {
                let text = match value {
                    DeValue::Array(list) => {
                        let words: Option<Vec<_>> = list.iter().map(|word| plain(word.get_ref())).collect();
                        words.map(|words| text::command_line(&words))
                    }
                    value => plain(value),
                };
                let what = "a text, a number, true or false, or a list of texts";
                let wrong = || Error::new(format!("\"{}\" is {what}", shortened(&key))).at(&begins);
                Value::Text(text.ok_or_else(wrong)?)
            }
        };
        table.set(&key, value, &begins);
    }
    Ok(table)
}

/// The text of a value that is neither a list nor a table.
fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}
