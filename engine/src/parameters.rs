//! Parameters of games, as in `crystal-draughts:tiers=2,tokens=4`.

use crate::geometry::shorten;
use thiserror::Error;

/// What is wrong with the parameters of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParameterError {
    /// A part that is not `key=value`.
    #[error("\"{0}\" is not a parameter; write key=value, several with commas between")]
    Form(String),
    /// A key that the game does not know.
    #[error("{game} has no parameter \"{key}\"; it has {known}")]
    Unknown {
        /// The game's id.
        game: &'static str,
        /// The key found.
        key: String,
        /// The game's keys.
        known: String,
    },
    /// A key given twice.
    #[error("the parameter {0} is given twice")]
    Twice(&'static str),
    /// A value that is not a number, or out of range.
    #[error("{key} must be a number from {least} to {most}, found \"{found}\"")]
    Number {
        /// The key.
        key: &'static str,
        /// The least value.
        least: u32,
        /// The greatest value.
        most: u32,
        /// The text found.
        found: String,
    },
    /// A value that is not one of those possible.
    #[error("{key} must be {choices}, found \"{found}\"")]
    Choice {
        /// The key.
        key: &'static str,
        /// The values.
        choices: String,
        /// The text found.
        found: String,
    },
    /// Values that do not go together.
    #[error("{0}")]
    Together(String),
}

/// The parameters behind the colon, by key.
#[derive(Clone, Default, Debug)]
pub struct Parameters<'a> {
    pairs: Vec<(&'static str, &'a str)>,
}

impl<'a> Parameters<'a> {
    /// Reads `key=value,key=value`; the keys must be among `known`, each at most once.
    ///
    /// # Errors
    /// [`ParameterError::Form`], [`ParameterError::Unknown`] or [`ParameterError::Twice`].
    pub fn parse(
        game: &'static str,
        text: &'a str,
        known: &[&'static str],
    ) -> Result<Parameters<'a>, ParameterError> {
        let mut pairs: Vec<(&'static str, &'a str)> = Vec::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| ParameterError::Form(shorten(part)))?;
            let Some(&key) = known.iter().find(|k| **k == key) else {
                return Err(ParameterError::Unknown { game, key: shorten(key), known: known.join(", ") });
            };
            if pairs.iter().any(|(seen, _)| *seen == key) {
                return Err(ParameterError::Twice(key));
            }
            pairs.push((key, value));
        }
        Ok(Parameters { pairs })
    }

    fn get(&self, key: &str) -> Option<(&'static str, &'a str)> {
        self.pairs.iter().find(|(known, _)| *known == key).copied()
    }

    /// The number of a key, if it is given.
    ///
    /// # Errors
    /// [`ParameterError::Number`] if it is none from `least` to `most`.
    pub fn number(&self, key: &str, least: u32, most: u32) -> Result<Option<u32>, ParameterError> {
        let Some((key, text)) = self.get(key) else { return Ok(None) };
        // One number, one spelling: no sign, no leading zero.
        let number = text.parse().ok().filter(|n: &u32| (least..=most).contains(n) && n.to_string() == text);
        let error = || ParameterError::Number { key, least, most, found: shorten(text) };
        number.map(Some).ok_or_else(error)
    }

    /// Which of the choices a key has, if it is given.
    ///
    /// # Errors
    /// [`ParameterError::Choice`] if it is none of them.
    pub fn choice(&self, key: &str, choices: &[&str]) -> Result<Option<usize>, ParameterError> {
        let Some((key, text)) = self.get(key) else { return Ok(None) };
        let error = || ParameterError::Choice { key, choices: choices.join(" or "), found: shorten(text) };
        choices.iter().position(|choice| *choice == text).map(Some).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_has_its_line() {
        let parse = |text| Parameters::parse("game", text, &["size", "draw"]);
        let error = |text| parse(text).map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            error("size"),
            "\"size\" is not a parameter; write key=value, several with commas between"
        );
        assert_eq!(error("sise=3"), "game has no parameter \"sise\"; it has size, draw");
        assert_eq!(error("size=3,size=3"), "the parameter size is given twice");
        let good = parse("draw=on,size=12").unwrap();
        assert_eq!(good.number("size", 1, 12), Ok(Some(12)));
        assert_eq!(
            good.number("size", 1, 11).unwrap_err().to_string(),
            "size must be a number from 1 to 11, found \"12\""
        );
        assert_eq!(good.choice("draw", &["off", "on"]), Ok(Some(1)));
        assert_eq!(
            good.choice("draw", &["no", "yes"]).unwrap_err().to_string(),
            "draw must be no or yes, found \"on\""
        );
        assert_eq!(parse("draw=on").unwrap().number("size", 1, 2), Ok(None));
        for bad in ["size=01", "size=+1", "size=", "size=-1", "size=99999999999"] {
            assert!(parse(bad).unwrap().number("size", 0, 50).is_err(), "{bad}");
        }
    }
}
