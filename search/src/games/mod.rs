//! What games of the program come with: weights and nets for their evaluation, parameters for their search.
//!
//! Each file was made by the program (`jewel tune`, `jewel tune --spsa`, `jewel train`) and is kept only because
//! matches have shown that it plays better than what it replaces: `docs/tuning.md` and `docs/strength.md` have the
//! commands and the scores. The weights of Duel and Ambush are those that version 0.2 derived. A game without a file is searched with [`SearchParams::DEFAULT`] and evaluated by weights
//! derived from its rules.

use crate::alphabeta::SearchParams;
use crate::evaluate::general_net;
use crate::evaluate::net::Net;
use crate::evaluate::{Evaluation, HandcraftedEvaluation, Weights};
use jewel_engine::games;
use jewel_engine::variant::Rules;
use std::sync::Arc;

/// What one game comes with.
struct Tuned {
    id: &'static str,
    /// Weights of the hand-made evaluation.
    weights: Option<&'static str>,
    params: Option<&'static str>,
    net: Option<&'static [u8]>,
}

const NOTHING: Tuned = Tuned { id: "", weights: None, params: None, net: None };

/// One entry a game; games that are alike may share a file.
const TUNED: [Tuned; 9] = [
    // Their values are known, and their players are measured against them: a better derivation for other games
    // leaves them alone.
    Tuned { id: "duel", weights: Some(include_str!("duel/weights.json")), ..NOTHING },
    Tuned { id: "ambush", weights: Some(include_str!("ambush/weights.json")), ..NOTHING },
    Tuned {
        id: "diamond-qi",
        weights: Some(include_str!("diamond-qi/weights.json")),
        params: Some(include_str!("diamond-qi/params.json")),
        ..NOTHING
    },
    Tuned {
        id: "diamond-quest",
        weights: Some(include_str!("diamond-quest/weights.json")),
        net: Some(include_bytes!("diamond-quest/net")),
        ..NOTHING
    },
    Tuned {
        id: "diamond-chess",
        weights: Some(include_str!("diamond-chess/weights.json")),
        net: Some(include_bytes!("diamond-chess/net")),
        ..NOTHING
    },
    Tuned {
        id: "crystal-of-doom",
        weights: Some(include_str!("crystal-of-doom/weights.json")),
        params: Some(include_str!("crystal-of-doom/params.json")),
        ..NOTHING
    },
    Tuned {
        id: "star-lords",
        weights: Some(include_str!("star-lords/weights.json")),
        params: Some(include_str!("crystal-of-doom/params.json")),
        ..NOTHING
    },
    Tuned { id: "world-tree", params: Some(include_str!("world-tree/params.json")), ..NOTHING },
    Tuned { id: "crystal-draughts", params: Some(include_str!("crystal-draughts/params.json")), ..NOTHING },
];

/// What a game comes with, by its id without parameters.
fn find(id: &str) -> &'static Tuned {
    TUNED.iter().find(|tuned| tuned.id == id).unwrap_or(&NOTHING)
}

/// What the game of a variant file comes with: nothing, if only its name is that of a game of the program and its
/// rules are others.
fn for_rules(rules: &Rules) -> &'static Tuned {
    match games::find(&rules.id) {
        Some(game) if game.rules().fingerprint == rules.fingerprint => find(&rules.id),
        _ => &NOTHING,
    }
}

// The files below are part of the program, and the tests read all of them.

impl SearchParams {
    /// The parameters to search a game with, by its id; what follows a colon in it does not matter.
    pub fn for_game(id: &str) -> SearchParams {
        let text = find(id.split(':').next().unwrap_or_default()).params;
        let parse = |text| SearchParams::parse(text).unwrap_or_else(|e| unreachable!("{id}: {e}"));
        text.map_or(SearchParams::DEFAULT, parse)
    }

    /// The parameters to search the game of a variant file with.
    pub fn best(rules: &Rules) -> SearchParams {
        SearchParams::for_game(for_rules(rules).id)
    }
}

impl Weights {
    /// The weights that a game comes with, or else those derived from its rules.
    pub fn best(rules: &Rules) -> Weights {
        let parse = |text| Weights::parse(text, rules).unwrap_or_else(|e| unreachable!("{}: {e}", rules.id));
        for_rules(rules).weights.map_or_else(|| Weights::derived(rules), parse)
    }
}

impl HandcraftedEvaluation {
    /// The evaluation of a game with its [best weights](Weights::best).
    pub fn best(rules: &Rules) -> HandcraftedEvaluation {
        // Both kinds of weights fit the rules they are for.
        HandcraftedEvaluation::new(rules, &Weights::best(rules)).unwrap_or_else(|e| unreachable!("{e}"))
    }
}

impl Evaluation {
    /// The evaluation of a game by the net that it comes with, or else [by its rules](Evaluation::by_rules).
    pub fn best(rules: &Rules) -> Evaluation {
        let parse = |bytes| Net::parse(bytes, rules).unwrap_or_else(|e| unreachable!("{}: {e}", rules.id));
        match for_rules(rules).net.map(parse) {
            Some(net) => Evaluation::with_net(HandcraftedEvaluation::best(rules), Arc::new(net)),
            None => Evaluation::by_rules(rules),
        }
    }

    /// The evaluation of a game that has no net: by hand-made terms with the best weights. To weights that follow from the
    /// rules the [net for every game](general_net) is added, if checkmate alone wins.
    pub fn by_rules(rules: &Rules) -> Evaluation {
        let hand = HandcraftedEvaluation::best(rules);
        let net = if for_rules(rules).weights.is_none() { general_net::net(rules) } else { None };
        match net {
            Some(net) => Evaluation::with_net(hand, net),
            None => Evaluation::from(hand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Term;
    use jewel_engine::games::{Embedded, GAMES};

    /// The rules of a game, and the same under another fingerprint.
    fn with_impostor(id: &str) -> Option<(&'static Rules, Rules)> {
        let embedded: &'static Embedded = games::find(id)?;
        let mut other = Rules::parse(embedded.text).unwrap();
        assert_eq!(for_rules(&other).id, id);
        other.fingerprint ^= 1;
        Some((embedded.rules(), other))
    }

    #[test]
    fn every_weights_file_belongs_to_its_game() {
        for (id, text) in TUNED.iter().filter_map(|tuned| Some((tuned.id, tuned.weights?))) {
            let (rules, other) = with_impostor(id).unwrap_or_else(|| panic!("{id}: no such game"));
            let mut weights = Weights::parse(text, rules).unwrap_or_else(|e| panic!("{id}: {e}"));
            assert_eq!((weights.game.as_str(), rules.id.as_str()), (id, id));
            let tuned = weights.origin.starts_with(&format!("jewel tune {id} "));
            assert!(
                tuned || weights.origin == "derived from the rules by version 0.2",
                "{id}: {}",
                weights.origin
            );
            // As the tuner writes it, byte for byte.
            assert_eq!(weights.to_text(), text, "{id}");
            assert_ne!(weights, Weights::derived(rules), "{id}");
            let known: Vec<Term> = Weights::derived(rules).terms_mut().into_iter().map(|t| t.0).collect();
            assert!(weights.terms_mut().into_iter().map(|t| t.0).eq(known), "{id}: other terms");
            assert_eq!(Weights::best(rules), weights);
            assert_eq!(Weights::best(&other), Weights::derived(&other));
        }
    }

    #[test]
    fn every_file_of_parameters_is_as_the_tuner_writes_it_and_says_something() {
        for (id, text) in TUNED.iter().filter_map(|tuned| Some((tuned.id, tuned.params?))) {
            let params = SearchParams::for_game(id);
            assert_eq!(params.to_text(), text, "{id}");
            assert_ne!(params, SearchParams::DEFAULT, "{id}");
            assert_eq!(SearchParams::for_game(&format!("{id}:key=value")), params, "{id}");
            let Some((rules, other)) = with_impostor(id) else { continue };
            assert_eq!(SearchParams::best(rules), params);
            assert_eq!(SearchParams::best(&other), SearchParams::DEFAULT);
        }
        assert_eq!(SearchParams::for_game("no-such-game"), SearchParams::DEFAULT);
    }

    #[test]
    fn every_net_belongs_to_its_game() {
        for (id, bytes) in TUNED.iter().filter_map(|tuned| Some((tuned.id, tuned.net?))) {
            let (rules, other) = with_impostor(id).unwrap_or_else(|| panic!("{id}: no such game"));
            let net = Net::parse(bytes, rules).unwrap_or_else(|e| panic!("{id}: {e}"));
            assert_eq!(net.game(), id);
            assert!(net.origin().starts_with(&format!("jewel train {id} ")), "{id}: {}", net.origin());
            assert_eq!(net.to_bytes(), bytes, "{id}");
            assert!(bytes.len() < 300_000, "{id}: {} bytes", bytes.len());
            assert_eq!(Evaluation::best(rules).net(), Some(&net));
            assert!(Evaluation::best(&other).net().is_some_and(|net| net.origin() == general_net::ORIGIN));
        }
    }

    #[test]
    fn games_without_files_are_evaluated_by_their_rules() {
        for game in &GAMES {
            let Tuned { weights, net, .. } = find(game.id);
            if weights.is_none() {
                assert_eq!(Weights::best(game.rules()), Weights::derived(game.rules()));
            }
            // A game without any file that checkmate alone wins has the net for every game.
            let rules = game.rules();
            let general = weights.is_none() && rules.royal.is_some() && rules.key.is_none();
            assert_eq!(
                Evaluation::best(game.rules()).net().is_some(),
                net.is_some() || general,
                "{}",
                game.id
            );
        }
    }
}
