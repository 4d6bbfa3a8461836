//! Settings as they are written, in a TOML file or on the command line: sections of keys and values, each with
//! its place for messages.

use jewel_engine::games::nearest;
use jewel_players::support::pairs;
use jewel_players::support::words::shortened;
use toml::de::{DeTable, DeValue};

/// A key with its value as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// In the usual spelling: lower case, with underscores. A key of a table within the section has dots.
    pub key: String,
    /// The value.
    pub value: String,
    /// Where it was written: `cup.toml: line 3`, `--openings`.
    pub place: String,
}

/// A group of settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Empty for what stands before all tables.
    pub name: String,
    /// Where it begins.
    pub place: String,
    /// In the order in which they were written; the last one of a key counts.
    pub settings: Vec<Setting>,
}

/// The sections of a TOML file, in order. `name` is what messages call the file.
///
/// # Errors
/// The first thing that is not as it should be: one line.
pub fn read_toml(name: &str, text: &str) -> Result<Vec<Section>, String> {
    let line = |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1;
    let place = |at: usize| format!("{name}: line {}", line(at));
    let table = DeTable::parse(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start);
        format!("{}: {}", place(at), e.message().replace('\n', "; "))
    })?;
    let mut top = Section { name: String::new(), place: name.to_string(), settings: Vec::new() };
    let mut sections = Vec::new();
    for (key, value) in table.get_ref() {
        let begins = place(key.span().start);
        match value.get_ref() {
            DeValue::Table(inner) => {
                sections.push((key.span().start, section(key.get_ref(), begins, inner, &place)?));
            }
            DeValue::Array(list) if list.iter().any(|value| matches!(value.get_ref(), DeValue::Table(_))) => {
                for entry in list {
                    let DeValue::Table(inner) = entry.get_ref() else {
                        return Err(format!("{begins}: every [[{}]] is a table", shortened(key.get_ref())));
                    };
                    let begins = place(entry.span().start);
                    sections.push((entry.span().start, section(key.get_ref(), begins, inner, &place)?));
                }
            }
            value => add(&mut top.settings, &usual(key.get_ref()), value, &begins)?,
        }
    }
    // The order of the file, which is that of players.
    sections.sort_by_key(|(at, _)| *at);
    Ok(std::iter::once(top).chain(sections.into_iter().map(|(_, section)| section)).collect())
}

fn section(
    name: &str,
    begins: String,
    table: &DeTable<'_>,
    place: &dyn Fn(usize) -> String,
) -> Result<Section, String> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut settings = Vec::new();
    for (key, value) in entries {
        add(&mut settings, &usual(key.get_ref()), value.get_ref(), &place(key.span().start))?;
    }
    Ok(Section { name: name.to_string(), place: begins, settings })
}

fn add(settings: &mut Vec<Setting>, key: &str, value: &DeValue<'_>, place: &str) -> Result<(), String> {
    let value = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Array(list) => words(key, list, place)?,
        DeValue::Table(table) if !key.contains('.') => {
            for (inner, value) in table {
                // The names of a program's options stay as they are.
                add(settings, &format!("{key}.{}", inner.get_ref()), value.get_ref(), place)?;
            }
            return Ok(());
        }
        _ => return Err(format!("{place}: \"{}\" is a text, a number, true or false", shortened(key))),
    };
    settings.push(Setting { key: key.to_string(), value, place: place.to_string() });
    Ok(())
}

/// A list of texts as the words of a command line.
fn words(key: &str, list: &[toml::Spanned<DeValue<'_>>], place: &str) -> Result<String, String> {
    let word = |value: &toml::Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::String(text) => Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))),
        DeValue::Integer(number) => Ok(number.to_string()),
        _ => Err(format!("{place}: \"{}\" is a list of texts", shortened(key))),
    };
    Ok(list.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// A key in the usual spelling; what follows a dot is somebody else's.
fn usual(key: &str) -> String {
    match key.split_once('.') {
        Some((head, rest)) => format!("{}.{rest}", head.to_ascii_lowercase()),
        None => key.to_ascii_lowercase().replace('-', "_"),
    }
}

/// The section of an option of the command line: `key=value,key=value`. A first entry without `=` is the value
/// of `first`.
///
/// # Errors
/// If it is not of that form.
pub fn read_flag(flag: &str, section: &str, text: &str, first: &str) -> Result<Section, String> {
    let pairs = pairs::parse(text, first).map_err(|e| format!("{flag}: {e}"))?;
    let setting =
        |(key, value): (String, String)| Setting { key: usual(&key), value, place: flag.to_string() };
    let settings = pairs.into_iter().map(setting).collect();
    Ok(Section { name: section.to_string(), place: flag.to_string(), settings })
}

/// Settings that are taken out one by one, until nothing unknown is left.
pub(super) struct Reader {
    settings: Vec<Setting>,
    asked: Vec<&'static str>,
}

impl Reader {
    pub(super) fn new(settings: Vec<Setting>) -> Reader {
        Reader { settings, asked: Vec::new() }
    }

    /// The last value of a key.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Setting> {
        self.asked.push(key);
        let mut found = None;
        self.settings.retain_mut(|setting| {
            if setting.key == key {
                found = Some(setting.clone());
            }
            setting.key != key
        });
        found
    }

    /// The last value of a key, read.
    pub(super) fn read<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(setting) = self.take(key) else { return Ok(None) };
        read(setting.value.trim()).map(Some).map_err(|e| format!("{}, {key}: {e}", setting.place))
    }

    /// A number from `least` to `most`.
    pub(super) fn number(&mut self, key: &'static str, least: u64, most: u64) -> Result<Option<u64>, String> {
        self.read(key, |text| {
            let number = text.parse().ok().filter(|n| (least..=most).contains(n));
            let upper = if most == u64::MAX { String::new() } else { format!(" to {most}") };
            number.ok_or_else(|| format!("\"{}\" is no whole number from {least}{upper}", shortened(text)))
        })
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Result<Option<T>, String> {
        self.read(key, |text| {
            let text = text.to_ascii_lowercase();
            let found = words.iter().find(|(word, _)| *word == text);
            found.map(|(_, meaning)| *meaning).ok_or_else(|| {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let hint = match nearest(&text, known.iter().copied()) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("it may be {}", known.join(", ")),
                };
                format!("\"{}\" is unknown: {hint}", shortened(&text))
            })
        })
    }

    /// Nothing must be left.
    pub(super) fn finish(self) -> Result<(), String> {
        match self.settings.first() {
            None => Ok(()),
            Some(setting) => Err(unknown(setting, &self.asked)),
        }
    }
}

/// What is said about a key that nobody knows.
pub(super) fn unknown(setting: &Setting, known: &[&'static str]) -> String {
    let hint = match nearest(&setting.key, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("known here: {}", known.join(", ")),
    };
    format!("{}: unknown key \"{}\": {hint}", setting.place, shortened(&setting.key))
}
