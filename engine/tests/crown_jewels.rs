//! Crown Jewels: the reference data, the numbered decisions C1 to C4, what each player knows, and bad input.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::crown_jewels::{
    Contest, CrownJewels, CrownJewelsGame, CrownJewelsView, SpyPip, Tile, Traits,
};
use jewel_engine::hidden::{Hidden, InformationState, check_hidden};
use jewel_engine::perft::perft;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use serde_json::Value;
use std::collections::HashMap;

fn game(parameters: &str) -> CrownJewelsGame {
    CrownJewelsGame::with_parameters(parameters).unwrap_or_else(|e| panic!("{parameters}: {e}"))
}

fn state(parameters: &str, text: &str) -> CrownJewels {
    game(parameters).parse_position(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn tile(text: &str) -> Tile {
    Tile::parse(text).unwrap_or_else(|| panic!("{text}"))
}

/// Sorted move texts.
fn texts(state: &CrownJewels) -> Vec<String> {
    let mut texts: Vec<String> = list_moves(state).into_iter().map(|mv| state.move_text(mv)).collect();
    texts.sort();
    texts
}

fn reference() -> Value {
    serde_json::from_str(include_str!("data/crown-jewels.json")).unwrap()
}

#[test]
fn all_contests_end_as_in_the_reference() {
    let file = reference();
    for (name, thief) in [("contest", false), ("contest_thief", true)] {
        let traits = Traits { spy: SpyPip::One, thief };
        let mut checked = 0;
        for (attacker, row) in file[name].as_object().unwrap() {
            for (defender, result) in row.as_object().unwrap() {
                let Some(result) = result.as_str() else { continue };
                let word = match traits.contest(tile(attacker), tile(defender)) {
                    Contest::Win => "win",
                    Contest::Lose => "lose",
                    Contest::Both => "both",
                };
                assert_eq!(word, result, "{attacker} attacks {defender}, thief {thief}");
                checked += 1;
            }
        }
        assert_eq!(checked, 28 * 27);
    }
}

#[test]
fn positions_are_those_of_the_reference() {
    let game = CrownJewelsGame::new();
    let mut contests = 0;
    for row in reference()["positions"].as_array().unwrap() {
        let text = row["pos"].as_str().unwrap();
        let position = game.parse_position(text).unwrap();
        assert_eq!(position.position_text(), text);
        assert_eq!(row["result"], "None");
        assert_eq!(position.outcome(), None);
        let plies: Vec<&str> = row["plies"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        assert_eq!(texts(&position), plies, "{text}");
        assert_eq!(row["moves"].as_u64(), Some(plies.len() as u64));
        for (n, nodes) in row["perft"].as_array().unwrap().iter().enumerate() {
            assert_eq!(Some(perft(&position, n as u32 + 1)), nodes.as_u64(), "{text} depth {}", n + 1);
        }
        for (side, name) in [(Side::White, "info_w"), (Side::Black, "info_b")] {
            let info = row[name].as_str().unwrap();
            let view = position.view(side);
            assert_eq!(view.text(), info);
            assert_eq!(CrownJewelsView::read(game.rules(), info), Ok(view));
        }
        for (mv, after) in row["after_contest"].as_object().unwrap() {
            let after = after.as_str().unwrap().strip_suffix(" None").unwrap();
            let next = position.after(position.parse_move(mv).unwrap());
            assert_eq!((next.position_text().as_str(), next.outcome()), (after, None), "{text} {mv}");
            contests += 1;
        }
    }
    assert_eq!(contests, 8);
}

fn check_views(parameters: &str, games: u64, plies: u32) {
    let rules = parameters.split(',').filter(|part| !part.is_empty()).collect::<Vec<_>>();
    for seed in 0..games {
        let seed_text = format!("seed={seed}");
        let id = rules.iter().copied().chain([seed_text.as_str()]).collect::<Vec<_>>().join(",");
        let game = game(&id);
        let mut position = game.start();
        let mut random = Random::new(seed);
        for _ in 0..plies {
            check_hidden(&position, 2, &mut random).unwrap_or_else(|e| panic!("{position:?}: {e}"));
            for side in Side::BOTH {
                let view = position.view(side);
                let read = CrownJewelsView::read(game.rules(), &view.text());
                assert_eq!(read, Ok(view));
                assert_eq!(view.outcome(), position.outcome());
            }
            let moves = list_moves(&position);
            if moves.is_empty() {
                break;
            }
            // Contests are rare among all moves, and they are what tells something.
            let contests: Vec<_> =
                moves.iter().copied().filter(|&mv| position.contest(mv).is_some()).collect();
            let list = if contests.is_empty() || random.below(2) == 0 { &moves } else { &contests };
            position.play(list[random.below(list.len() as u32) as usize]);
        }
    }
}

#[test]
fn views_keep_the_laws_of_hidden_information() {
    check_views("", 6, 200);
    check_views("tiles=6,files=4,ranks=6,thief=on", 10, 200);
    check_views("tiles=2,files=2,ranks=3,spy=blank", 10, 60);
}

/// The chi-square statistic of counts that should all be equal.
fn chi_square<'a>(counts: impl IntoIterator<Item = &'a u32>, cells: u32, draws: u32) -> f64 {
    let expected = f64::from(draws) / f64::from(cells);
    let counts: Vec<u32> = counts.into_iter().copied().collect();
    let missing = f64::from(cells) - counts.len() as f64;
    counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum::<f64>() + missing * expected
}

#[test]
fn each_world_is_as_likely_as_the_others() {
    // Five squares, one of them known: 24 worlds.
    let position = state("", "b05,b12!,b25,b66,b14,3/8/8/8/8/8/8/w36,7 w wb 0");
    let view = position.view(Side::White);
    assert!((view.log_worlds() - 24f64.ln()).abs() < 1e-12);
    let mut random = Random::new(20);
    let mut seen: HashMap<CrownJewels, u32> = HashMap::new();
    let draws = 24_000;
    for _ in 0..draws {
        let world = view.world(&mut random);
        assert_eq!(world.view(Side::White), view);
        *seen.entry(world).or_default() += 1;
    }
    // 23 degrees of freedom: above 49.7 once in a thousand, and the seed is fixed.
    let chi = chi_square(seen.values(), 24, draws);
    assert!(seen.len() == 24 && chi < 49.7, "{} worlds, chi-square {chi}", seen.len());
    // Black sees all but one enemy, which is known by what is left.
    let black = position.view(Side::Black);
    assert_eq!((black.log_worlds(), black.world(&mut random)), (0.0, position));
}
