//! The weights that games come with.
//!
//! A weights file is made by `jewel tune` and kept only if a match has shown that it plays better than
//! weights derived from the rules: `docs/tuning.md` has the commands and the scores.

use crate::evaluate::{HandcraftedEvaluation, Tunable, WeightList, Weights};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::variant::Rules;

/// Ids of embedded games, with their weights files.
const TUNED: [(&str, &str); 5] = [
    ("diamond-qi", include_str!("diamond-qi.json")),
    ("diamond-quest", include_str!("diamond-quest.json")),
    ("diamond-chess", include_str!("diamond-chess.json")),
    ("crystal-of-doom", include_str!("crystal-of-doom.json")),
    ("star-lords", include_str!("star-lords.json")),
];

/// Ids of games that are no variant files, without parameters, with their weights files.
const LISTED: [(&str, &str); 0] = [];

/// The evaluation of such a game with the weights that come with it, or as it is if there are none.
pub fn fitted<P: Position, E: Tunable<P>>(id: &str, evaluation: E) -> E {
    let Some((_, text)) = LISTED.iter().find(|(known, _)| *known == id) else { return evaluation };
    // The files are part of the program and the tests read all of them.
    let values = WeightList::parse(text).and_then(|list| list.values(id, &evaluation.weights()));
    evaluation.with_values(&values.unwrap_or_else(|e| unreachable!("{id}: {e}")))
}

/// The tuned weights of a game, if it is one that comes with the program and they were tuned for it. A
/// variant of the same name, but with other rules, has none.
pub fn tuned(rules: &Rules) -> Option<Weights> {
    let embedded = games::find(&rules.id)?.rules();
    let (_, text) =
        TUNED.iter().find(|(id, _)| embedded.fingerprint == rules.fingerprint && *id == rules.id)?;
    // The files are part of the program and the tests read all of them.
    Some(Weights::parse(text, rules).unwrap_or_else(|e| unreachable!("{}: {e}", rules.id)))
}

/// The best weights there are for a game: tuned ones, or else those derived from its rules.
pub fn best(rules: &Rules) -> Weights {
    tuned(rules).unwrap_or_else(|| Weights::derived(rules))
}

impl HandcraftedEvaluation {
    /// The evaluation of a game with the best weights there are for it: what to play with.
    pub fn best(rules: &Rules) -> HandcraftedEvaluation {
        // Both kinds of weights fit the rules they are for.
        HandcraftedEvaluation::new(rules, &best(rules)).unwrap_or_else(|e| unreachable!("{e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Term;
    use jewel_engine::games::{GAMES, find};

    #[test]
    fn every_weights_file_belongs_to_its_game() {
        for (id, text) in TUNED {
            let rules = find(id).unwrap_or_else(|| panic!("{id}: no such game")).rules();
            let mut weights = Weights::parse(text, rules).unwrap_or_else(|e| panic!("{id}: {e}"));
            assert_eq!((weights.game.as_str(), rules.id.as_str()), (id, id));
            assert!(weights.origin.starts_with(&format!("jewel tune {id} ")), "{id}: {}", weights.origin);
            // As the tuner writes it, byte for byte.
            assert_eq!(weights.to_text(), text, "{id}");
            assert_ne!(weights, Weights::derived(rules), "{id}");
            let known: Vec<Term> = Weights::derived(rules).terms_mut().into_iter().map(|t| t.0).collect();
            assert!(weights.terms_mut().into_iter().map(|t| t.0).eq(known), "{id}: other terms");
            assert_eq!(tuned(rules), Some(weights));
        }
    }

    #[test]
    fn games_without_tuned_weights_get_derived_ones() {
        for game in &GAMES {
            if TUNED.iter().all(|(id, _)| *id != game.id) {
                assert_eq!(best(game.rules()), Weights::derived(game.rules()));
            }
        }
        // The name alone does not do.
        let (id, _) = TUNED[0];
        let embedded = find(id).unwrap();
        assert!(tuned(embedded.rules()).is_some());
        let mut other = Rules::parse(embedded.text).unwrap();
        assert!(tuned(&other).is_some());
        other.fingerprint ^= 1;
        assert_eq!(tuned(&other), None);
    }
}
