//! Evaluations whose weights are a list of named numbers, as the games without a variant file have them, and the files
//! of such weights.

use super::{Evaluate, WeightsError};
use jewel_engine::position::Position;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A weight of such an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its name in weights files.
    pub name: &'static str,
    /// Its value, in centipawns.
    pub value: i32,
    /// How far off it may be, in centipawns: a judgement.
    pub reach: i32,
}

/// An evaluation that is a sum of weights, each times a number that depends on the position, or nearly. By
/// default it has no weights; those that it lists unlock `jewel tune`.
pub trait Tunable<P: Position>: Evaluate<P> {
    /// The weights, in a fixed order.
    fn weights(&self) -> Vec<Listed> {
        Vec::new()
    }

    /// The same evaluation with other values of the weights, in the same order; those that are missing stay.
    #[must_use]
    fn with_values(&self, values: &[i32]) -> Self {
        let _ = values;
        self.clone()
    }
}

/// The weights of a game in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightList {
    /// The game they are for.
    pub game: String,
    /// The command that made them.
    pub origin: String,
    /// By name, in centipawns.
    pub weights: BTreeMap<String, i32>,
}

impl WeightList {
    /// The weights of an evaluation.
    pub fn new(game: &str, origin: &str, weights: &[Listed]) -> WeightList {
        let weights = weights.iter().map(|weight| (weight.name.to_string(), weight.value)).collect();
        WeightList { game: game.to_string(), origin: origin.to_string(), weights }
    }

    /// Reads a weights file (JSON).
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(text: &str) -> Result<WeightList, WeightsError> {
        serde_json::from_str(text).map_err(|e| WeightsError::Syntax(e.to_string()))
    }

    /// The text of a weights file.
    pub fn to_text(&self) -> String {
        // Names and numbers always serialize.
        serde_json::to_string_pretty(self).unwrap_or_else(|e| unreachable!("{e}")) + "\n"
    }

    /// The values in the order of an evaluation's weights.
    ///
    /// # Errors
    /// If a weight is missing, or the file has another one.
    pub fn values(&self, game: &str, wanted: &[Listed]) -> Result<Vec<i32>, WeightsError> {
        let mismatch = |expected: String, found: String| {
            Err(WeightsError::Mismatch { game: game.to_string(), expected, found })
        };
        if let Some(name) = self.weights.keys().find(|name| wanted.iter().all(|w| w.name != **name)) {
            return mismatch("no such weight".to_string(), format!("a game with \"{name}\""));
        }
        let mut values = Vec::new();
        for weight in wanted {
            match self.weights.get(weight.name) {
                Some(&value) => values.push(value),
                None => return mismatch(format!("\"{}\"", weight.name), "a game without".to_string()),
            }
        }
        Ok(values)
    }
}

/// Defines a list of weights with its defaults: `name: value, reach;`.
macro_rules! listed {
    ($(#[$about:meta])* $list:ident { $($(#[doc = $text:literal])* $name:ident: $value:literal, $reach:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) struct $list {
            $($(#[doc = $text])* $name: i32,)*
        }

        impl $list {
            /// Before any tuning.
            const FIRST: $list = $list { $($name: $value,)* };

            fn list(&self) -> Vec<$crate::evaluate::Listed> {
                vec![$($crate::evaluate::Listed {
                    name: stringify!($name),
                    value: self.$name,
                    reach: $reach,
                },)*]
            }

            fn with(mut self, values: &[i32]) -> $list {
                let mut values = values.iter();
                $(self.$name = values.next().copied().unwrap_or(self.$name);)*
                self
            }
        }
    };
}
pub(super) use listed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::KingsMateEvaluation;
    use jewel_engine::kings_mate::{Basic, KingsMate};

    #[test]
    fn a_list_survives_its_file_and_a_wrong_one_is_refused() {
        let weights = |bonded: &KingsMateEvaluation| Tunable::<KingsMate<Basic>>::weights(bonded);
        let bonded = KingsMateEvaluation::default();
        let mut values: Vec<i32> = weights(&bonded).iter().map(|weight| weight.value).collect();
        values[3] += 7;
        let other = Tunable::<KingsMate<Basic>>::with_values(&bonded, &values);
        assert_eq!(weights(&other)[3].value, weights(&bonded)[3].value + 7);
        let list = WeightList::new("kings-mate", "by hand", &weights(&other));
        let mut read = WeightList::parse(&list.to_text()).unwrap();
        assert_eq!((&read, read.values("kings-mate", &weights(&bonded)).unwrap()), (&list, values));
        let refused = |list: &WeightList, part: &str| {
            let error = list.values("kings-mate", &weights(&bonded)).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        };
        read.weights.insert("wings".to_string(), 3);
        refused(&read, "wings");
        read = list;
        read.weights.remove("tempo");
        refused(&read, "tempo");
        assert!(WeightList::parse("{\"game\": 1}").is_err());
    }
}
