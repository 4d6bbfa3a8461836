//! What is wrong with a variant file, in one line.

use crate::geometry::shorten;
use crate::text::is_disruptive;
use std::fmt;
use std::ops::Range;

/// The first mistake found in a variant file: where, under which key, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariantError {
    /// Line number from 1; `None` where something is missing that could stand anywhere.
    pub line: Option<usize>,
    /// The key that is wrong, dotted, such as `board.size`; empty where the file is not TOML.
    pub key: String,
    /// What was found and what was expected.
    pub problem: String,
}

impl VariantError {
    /// An error at a byte range of the file's text.
    pub(crate) fn at(text: &str, span: &Range<usize>, key: &str, problem: impl fmt::Display) -> VariantError {
        let start = span.start.min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|&&b| b == b'\n').count() + 1;
        VariantError { line: Some(line), key: key.to_string(), problem: one_line(&problem.to_string()) }
    }

    /// An error about the file as a whole.
    pub(super) fn missing(key: &str, problem: impl fmt::Display) -> VariantError {
        VariantError { line: None, key: key.to_string(), problem: one_line(&problem.to_string()) }
    }

    /// An error of the TOML reader, in the words of this format.
    pub(super) fn from_toml(text: &str, error: &toml::de::Error) -> VariantError {
        let Some(span) = error.span() else { return VariantError::missing("", error.message()) };
        let line = text.as_bytes()[..span.start.min(text.len())].iter().filter(|&&b| b == b'\n').count();
        let (table, key) = place(text, line);
        let message = error.message();
        if let Some(missing) = message.strip_prefix("missing field ").map(|m| m.trim_matches('`')) {
            let key = dotted(table, missing);
            let problem = "this key is missing";
            return if table.is_empty() {
                VariantError::missing(&key, problem)
            } else {
                VariantError::at(text, &span, &key, problem)
            };
        }
        let single = key.is_empty() && ["piece", "castling"].contains(&table);
        if single && (message == "duplicate key" || message.starts_with("invalid type: map")) {
            let problem = format!("every such table begins with [[{table}]], in double brackets");
            return VariantError::at(text, &span, table, problem);
        }
        VariantError::at(text, &span, &dotted(table, key), reworded(message))
    }
}

fn dotted(table: &str, key: &str) -> String {
    if table.is_empty() || key.is_empty() { format!("{table}{key}") } else { format!("{table}.{key}") }
}

/// The table that a line, counted from 0, belongs to, and the key that it gives a value.
fn place(text: &str, line: usize) -> (&str, &str) {
    let name = |s: &str| {
        !s.is_empty() && s.len() < 40 && s.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let header = |l: &&str| l.trim_start().starts_with('[');
    let table = text.lines().take(line + 1).filter(header).last().unwrap_or("");
    let table = table.split('#').next().unwrap_or("").trim().trim_matches(['[', ']']).trim();
    let key = text.lines().nth(line).and_then(|l| l.split_once('=')).map_or("", |(key, _)| key.trim());
    (if name(table) { table } else { "" }, if name(key) { key } else { "" })
}

/// The reader's messages speak of Rust types; a user knows texts, lists and tables.
fn reworded(message: &str) -> String {
    if let Some((key, rest)) = message.strip_prefix("unknown field `").and_then(|m| m.split_once('`')) {
        if let Some(what) = crate::unsupported::by_key(key) {
            return format!("{what} are not supported yet");
        }
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        let near = crate::spelling::nearest(key, known.iter().copied()).filter(|_| key.len() > 2);
        let guess = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
        return format!("unknown key \"{}\"{guess}; known here: {}", shorten(key), known.join(", "));
    }
    let split = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|prefix| message.strip_prefix(prefix)?.split_once(", expected "));
    let Some((found, expected)) = split else { return message.to_string() };
    let expected = match expected {
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list of texts, such as [\"rank 7\"]",
        "u32" => "a whole number, not negative",
        "i32" => "a whole number",
        "an array of length 2" => "two squares, [from, to]",
        _ if expected.starts_with("struct") => "a table, { key = value, … }",
        other => other,
    };
    let found = if found.chars().all(|c| c.is_ascii_digit()) {
        format!("{found} of them")
    } else {
        found.to_string()
    };
    format!("expected {expected}, found {}", found.replace('`', ""))
}

/// A message on one line, whatever of the file's own text it quotes.
fn one_line(text: &str) -> String {
    let joined =
        text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let mut line = String::new();
    for c in joined.chars().take(MAX_MESSAGE) {
        if is_disruptive(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    if joined.chars().nth(MAX_MESSAGE).is_some() {
        line.push('…');
    }
    line
}

/// The most characters of a message. Longer ones, which quote the file, are cut.
const MAX_MESSAGE: usize = 300;

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.key.as_str()) {
            (Some(line), "") => write!(f, "line {line}: {}", self.problem),
            (Some(line), key) => write!(f, "line {line}, {key}: {}", self.problem),
            (None, "") => f.write_str(&self.problem),
            (None, key) => write!(f, "{key}: {}", self.problem),
        }
    }
}

impl std::error::Error for VariantError {}
