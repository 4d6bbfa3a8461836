//! Command lines that messages suggest.

use crate::arguments::{GameArgs, WhichGame};
use std::fmt;

/// A command line, word by word.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine(Vec<String>);

impl CommandLine {
    /// `jewel` and these words.
    pub(crate) fn new(words: &[&str]) -> CommandLine {
        CommandLine(std::iter::once(&"jewel").chain(words).map(|word| (*word).to_string()).collect())
    }

    /// The one that was typed.
    pub(crate) fn typed() -> CommandLine {
        let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        CommandLine(std::iter::once("jewel".to_string()).chain(words).collect())
    }

    /// With the game as it was named.
    #[must_use]
    pub(crate) fn which(mut self, which: &WhichGame) -> CommandLine {
        self.0.extend(which.game.as_deref().map(quoted));
        self.option("--variant", which.variant.as_ref().map(|file| file.display()))
    }

    /// With the game and its position as they were named.
    #[must_use]
    pub(crate) fn game(self, game: &GameArgs) -> CommandLine {
        let line = self.which(&game.which);
        line.option("--fen", game.fen.as_ref()).option("--moves", game.moves.as_ref())
    }

    /// With an option, if it has a value.
    #[must_use]
    pub(crate) fn option(mut self, name: &str, value: Option<impl fmt::Display>) -> CommandLine {
        if let Some(value) = value {
            self.0.extend([name.to_string(), quoted(&value.to_string())]);
        }
        self
    }

    /// With a flag, if it is set.
    #[must_use]
    pub(crate) fn flag(mut self, name: &str, set: bool) -> CommandLine {
        self.0.extend(set.then(|| name.to_string()));
        self
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else if word.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, text) in [
            ("duel-3x5.toml", "duel-3x5.toml"),
            ("l2/3/2L w - - 0 1", "\"l2/3/2L w - - 0 1\""),
            ("", "\"\""),
            ("it's", "\"it's\""),
            ("$it's", r"'$it'\''s'"),
        ] {
            assert_eq!(quoted(word), text);
        }
    }
}
