//! The numbers of pruning and reduction that games come with.
//!
//! A file is made by `jewel tune --spsa` and kept only if a sequential test has accepted it against the numbers that
//! all other games have, [`SearchParams::DEFAULT`]: `docs/strength.md` has the commands and the tests.

use crate::alphabeta::SearchParams;
use jewel_engine::games;
use jewel_engine::variant::Rules;

/// Ids of games, with their files: games that are alike may share one.
const TUNED: [(&str, &str); 5] = [
    ("diamond-qi", include_str!("diamond-qi.json")),
    ("crystal-of-doom", include_str!("crystal-of-doom.json")),
    ("star-lords", include_str!("crystal-of-doom.json")),
    ("world-tree", include_str!("world-tree.json")),
    ("crystal-draughts", include_str!("crystal-draughts.json")),
];

impl SearchParams {
    /// The numbers to search a game with that comes with the program: its own if it has any. Parameters, which follow a
    /// colon, do not matter.
    pub fn for_game(id: &str) -> SearchParams {
        let name = id.split(':').next().unwrap_or_default();
        let Some((_, text)) = TUNED.iter().find(|(known, _)| *known == name) else {
            return SearchParams::DEFAULT;
        };
        // The files are part of the program and the tests read all of them.
        SearchParams::parse(text).unwrap_or_else(|e| unreachable!("{id}: {e}"))
    }

    /// The numbers to search the game of a variant file with. One that has the name of a game of the program, but
    /// other rules, gets those of all other games.
    pub fn best(rules: &Rules) -> SearchParams {
        match games::find(&rules.id) {
            Some(game) if game.rules().fingerprint == rules.fingerprint => SearchParams::for_game(&rules.id),
            _ => SearchParams::DEFAULT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::find;

    #[test]
    fn every_file_is_as_the_tuner_writes_it_and_says_something() {
        for (id, text) in TUNED {
            let params = SearchParams::for_game(id);
            assert_eq!(params.to_text(), text, "{id}");
            assert_ne!(params, SearchParams::DEFAULT, "{id}");
            assert_eq!(SearchParams::for_game(&format!("{id}:key=value")), params, "{id}");
        }
    }

    #[test]
    fn games_of_other_rules_get_the_numbers_of_all() {
        assert_eq!(SearchParams::for_game("no-such-game"), SearchParams::DEFAULT);
        for (id, _) in TUNED {
            let Some(embedded) = find(id) else { continue };
            let mut other = Rules::parse(embedded.text).unwrap();
            assert_eq!(SearchParams::best(&other), SearchParams::for_game(id));
            other.fingerprint ^= 1;
            assert_eq!(SearchParams::best(&other), SearchParams::DEFAULT);
        }
    }
}
