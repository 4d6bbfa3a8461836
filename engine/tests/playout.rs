//! Random steps: always legal, all moves as likely, over exactly when the game is over.

use crate::common;
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::games::GAMES;
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use std::collections::HashMap;

/// Chi-square of how often each move was drawn, in standard deviations from what chance gives.
fn deviation<P: Playout>(position: &P, random: &mut Random) -> f64 {
    let moves = list_moves(position);
    let each = 200;
    let mut drawn: HashMap<P::Move, u32> = moves.iter().map(|&mv| (mv, 0)).collect();
    for _ in 0..each * moves.len() {
        let Step::Move(mv) = position.random_step(random) else {
            panic!("{position:?} is over and has moves")
        };
        *drawn.get_mut(&mv).unwrap_or_else(|| panic!("{position:?}: {mv:?} is not legal")) += 1;
    }
    let expected = each as f64;
    let chi: f64 = drawn.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    let freedom = moves.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt().max(1.0)
}

/// Plays random games; looks at every position of some and at the frequencies in others.
struct Check {
    games: u32,
    plies: u32,
}

impl Check {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric + Playout,
    {
        let mut random = Random::new(20);
        let (mut measured, mut sum) = (0, 0.0);
        for number in 0..self.games {
            let mut position = game.start();
            for ply in 0..self.plies {
                match position.random_step(&mut random) {
                    Step::Over(outcome) => assert_eq!(position.outcome(), Some(outcome), "{position:?}"),
                    Step::Move(mv) => {
                        assert_eq!(position.outcome(), None, "{position:?}");
                        assert!(list_moves(&position).contains(&mv), "{position:?}: {mv:?}");
                    }
                }
                match position.keen_step(&mut random) {
                    Step::Over(outcome) => assert_eq!(position.outcome(), Some(outcome), "{position:?}"),
                    Step::Move(mv) => {
                        assert!(list_moves(&position).contains(&mv), "{position:?}: keen {mv:?}")
                    }
                }
                if position.outcome().is_none() && (number + ply).is_multiple_of(5) {
                    let deviation = deviation(&position, &mut random);
                    assert!(deviation < 6.0, "{position:?}: {deviation:.1} standard deviations from even");
                    (measured, sum) = (measured + 1, sum + deviation);
                }
                // Beyond an adjudicated draw too, as perft does.
                let Some(mv) = random_move(&position, &mut random) else { break };
                position.play(mv);
            }
        }
        // A small bias would show in all positions together.
        let mean = sum / f64::from(measured);
        assert!(measured > 5, "{}: {measured} positions measured", game.id());
        assert!(mean.abs() < 4.0 / f64::from(measured).sqrt(), "{}: mean deviation {mean:.2}", game.id());
    }
}

#[test]
fn random_steps_of_every_embedded_game_are_legal_and_even() {
    for game in &GAMES {
        let plies = if game.id == "duel" { 12 } else { 60 };
        with_leanest_game!(game.rules(), game => (Check { games: 30, plies }).visit(game));
    }
}

#[test]
fn the_general_subset_draws_as_evenly() {
    for id in ["ambush", "diamond-chess"] {
        let rules = common::embedded(id);
        Check { games: 6, plies: 60 }.visit(ChessGame::<General, 32>::new(rules).unwrap());
    }
}

#[test]
fn random_steps_of_every_test_variant_are_legal_and_even() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/variants");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let rules: &'static Rules = common::compile(&text).leak();
        with_leanest_game!(rules, game => (Check { games: 30, plies: 40 }).visit(game));
        seen += 1;
    }
    assert!(seen >= 10, "{seen} variants");
}

#[test]
fn keen_steps_take_the_key_and_clear_it() {
    let game = ChessGame::<General, 32>::new(common::embedded("ambush")).unwrap();
    let texts = |fen: &str| {
        let position = game.parse_position(fen).unwrap();
        let mut random = Random::new(3);
        let mut seen: Vec<String> = (0..200)
            .map(|_| match position.keen_step(&mut random) {
                Step::Move(mv) => position.move_text(mv),
                Step::Over(outcome) => outcome.to_string(),
            })
            .collect();
        seen.sort();
        seen.dedup();
        seen
    };
    // The Sheriff can step onto c3 and nothing can take it there; the Tax Collector cannot reach it.
    assert_eq!(texts("n4/5/5/5/2L1N w - - 0 1"), ["c1c3"]);
    // Now a Staffman guards the key, and any move will do.
    assert!(texts("1n3/5/5/5/2L1N w - - 0 1").len() > 2);
    // The Sheriff on the key wins next turn unless it is taken at once: by either of two.
    assert_eq!(texts("1n3/5/2L2/4n/5 b - - 0 1"), ["b5c3", "e2c3"]);
    // Nothing can take it: whatever is played, the Sheriff has won.
    assert!(texts("5/5/2L2/5/n4 b - - 0 1").len() > 1);
    assert_eq!(texts("5/5/2L2/5/n4 w - - 0 1"), ["win"]);
}
