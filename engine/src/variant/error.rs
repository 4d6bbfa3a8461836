//! What is wrong with a variant file, in one line.

use std::fmt;
use std::ops::Range;

/// The first mistake found in a variant file: where, under which key, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariantError {
    /// Line number from 1; `None` where something is missing that could stand anywhere.
    pub line: Option<usize>,
    /// The key that is wrong, dotted, such as `board.size`; empty where the file is no TOML there.
    pub key: String,
    /// What was found and what was expected.
    pub problem: String,
}

impl VariantError {
    /// An error at a byte range of the file's text.
    pub(super) fn at(text: &str, span: &Range<usize>, key: &str, problem: impl fmt::Display) -> VariantError {
        let start = span.start.min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|&&b| b == b'\n').count() + 1;
        VariantError { line: Some(line), key: key.to_string(), problem: one_line(&problem.to_string()) }
    }

    /// An error about the file as a whole.
    pub(super) fn missing(key: &str, problem: impl fmt::Display) -> VariantError {
        VariantError { line: None, key: key.to_string(), problem: one_line(&problem.to_string()) }
    }

    /// An error of the TOML reader.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> VariantError {
        let Some(span) = error.span() else { return VariantError::missing("", error.message()) };
        let mut found = VariantError::at(text, &span, "", error.message());
        let line = text.lines().nth(found.line.unwrap_or(1) - 1).unwrap_or("");
        let key = line.split_once('=').map_or("", |(key, _)| key.trim());
        if !key.is_empty()
            && key.len() < 40
            && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        {
            found.key = key.to_string();
        }
        found
    }
}

/// A message on one line, whatever of the file's own text it quotes.
fn one_line(text: &str) -> String {
    let joined =
        text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let mut line = String::new();
    for c in joined.chars().take(MAX_MESSAGE) {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    if joined.chars().nth(MAX_MESSAGE).is_some() {
        line.push('…');
    }
    line
}

/// Longer messages are cut: they quote the file.
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
