//! Crown Jewels: the reference data, the numbered decisions C1 to C4, what each player knows, and bad input.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::crown_jewels::{
    Contest, CrownJewels, CrownJewelsGame, CrownJewelsView, SpyPip, Tile, TileSet, Traits,
};
use jewel_engine::hidden::{Hidden, InformationState, check_hidden};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Outcome::{Draw, Loss, Win};
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

/// The position after moves.
fn played(parameters: &str, text: &str, moves: &str) -> CrownJewels {
    moves.split(' ').fold(state(parameters, text), |state, mv| {
        state.after(state.parse_move(mv).unwrap_or_else(|e| panic!("{mv}: {e}")))
    })
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

// The decisions.

fn contest(spy: SpyPip, thief: bool, attacker: &str, defender: &str) -> Contest {
    Traits { spy, thief }.contest(tile(attacker), tile(defender))
}

/// C1: one pip is a Spy and a blank a Bomb, or the other way round.
#[test]
fn c1_tells_spies_from_bombs() {
    let usual = |attacker, defender| contest(SpyPip::One, false, attacker, defender);
    assert_eq!((usual("12", "66"), usual("66", "12")), (Contest::Win, Contest::Lose));
    assert_eq!((usual("66", "02"), usual("02", "66")), (Contest::Both, Contest::Both));
    let swapped = |attacker, defender| contest(SpyPip::Blank, false, attacker, defender);
    assert_eq!((swapped("02", "66"), swapped("66", "02")), (Contest::Win, Contest::Lose));
    assert_eq!((swapped("66", "12"), swapped("12", "66")), (Contest::Both, Contest::Both));
    // The Spy-General beats Generals and falls to Spies.
    assert_eq!((usual("16", "66"), usual("16", "11")), (Contest::Win, Contest::Lose));
    assert_eq!((swapped("06", "66"), swapped("06", "00")), (Contest::Win, Contest::Lose));
    let words = |spy, text| game(spy).rules().words(tile(text));
    assert_eq!(
        (words("", "01"), words("", "15"), words("", "34")),
        ("Spy-Bomb".into(), "Jewel-Spy".into(), "plain".into())
    );
    assert_eq!(
        (words("spy=blank", "05"), words("thief=on", "22")),
        ("Jewel-Spy".into(), "Jewel Thief".into())
    );
    // 22 tiles with a trait, six of them with two.
    let traits = |tile: Tile| game("").rules().words(tile).split('-').filter(|&word| word != "plain").count();
    let counts = Tile::all().map(traits).collect::<Vec<_>>();
    assert_eq!([0, 1, 2].map(|n| counts.iter().filter(|&&count| count == n).count()), [6, 16, 6]);
}

/// C2: among equals a General beats what is none, else a double what is none, else the attacker wins.
#[test]
fn c2_breaks_ties() {
    let result = |attacker, defender| contest(SpyPip::One, false, attacker, defender);
    assert_eq!((result("36", "45"), result("45", "36")), (Contest::Win, Contest::Lose));
    // A General beats a double too.
    assert_eq!((result("26", "44"), result("44", "26")), (Contest::Win, Contest::Lose));
    assert_eq!((result("33", "24"), result("24", "33")), (Contest::Win, Contest::Lose));
    assert_eq!((result("23", "14"), result("14", "23")), (Contest::Win, Contest::Win));
}

/// C3: a hundred plies without a contest, skips counted, are a draw.
#[test]
fn c3_draws_after_a_hundred_quiet_plies() {
    let text = |quiet: u32| format!("b35,7/8/8/8/8/8/1,#,6/w45,7 w wb {quiet}");
    assert_eq!(state("", &text(99)).outcome(), None);
    let stale = played("", &text(99), "a1b1");
    assert_eq!((stale.outcome(), stale.quiet()), (Some(Draw), 100));
    assert!(stale.count_moves() > 0, "perft counts on");
    assert!(CrownJewelsGame::new().parse_position(&text(101)).is_err());
    // A contest begins the count anew, and a decided game is decided, however quiet it was.
    let fight = "8/8/8/8/8/b33,7/b35,7/w45,w36,6 w wb 99";
    assert_eq!((played("", fight, "a1a2").outcome(), played("", fight, "a1a2").quiet()), (Some(Loss), 0));
    let open = "8/8/8/8/b45,7/b33,7/b35,7/w46,w15,6 w wb 99";
    assert_eq!((played("", open, "a1a2").outcome(), played("", open, "a1a2").quiet()), (None, 0));
    // A skip is a quiet ply.
    let free = state("", &text(5)).parse_move("skip").unwrap_err();
    assert_eq!(free.to_string(), "a player skips only without any other move");
    let boxed = state("files=1,ranks=8,home=3,tiles=1,checkers=2", "b35/#/1/1/1/#/w46/# w b 98");
    let skipped = boxed.after(boxed.parse_move("skip").unwrap());
    assert_eq!((texts(&boxed), skipped.quiet(), skipped.outcome()), (vec!["skip".to_string()], 99, None));
    assert_eq!(
        (skipped.side_to_move(), skipped.zobrist_hash() == boxed.zobrist_hash()),
        (Side::Black, false)
    );
    // The limit is a parameter, and 0 is none.
    let text = "b35,7/8/8/8/8/8/1,#,6/w45,7 w wb 3";
    assert_eq!(played("quiet=4", text, "a1b1").outcome(), Some(Draw));
    let endless = played("quiet=0", &text.replace(" 3", " 0"), "a1b1");
    assert_eq!((endless.outcome(), endless.quiet()), (None, 0));
}

/// C3: a repetition is one of the true state, known marks included, whatever the count of quiet plies.
#[test]
fn c3_counts_true_states() {
    assert_eq!(CrownJewelsGame::new().repetition(), 3);
    let text = "b35,7/8/8/8/8/8/1,#,6/w45,w24,6 w wb 7";
    let first = state("", text);
    let again = played("", text, "a1a2 a8a7 a2a1 a7a8");
    assert_eq!((first.repetition_hash(), again.quiet()), (again.repetition_hash(), 11));
    let swapped = state("", &text.replace("w45,w24", "w24,w45"));
    assert_ne!(first.repetition_hash(), swapped.repetition_hash(), "the same view for Black, another state");
    assert_eq!(first.view(Side::Black), swapped.view(Side::Black));
    assert_ne!(first.repetition_hash(), state("", &text.replace("w45", "w45!")).repetition_hash());
}

/// C4: the Thief is optional, and steals Jewels only when it attacks.
#[test]
fn c4_lets_the_thief_steal() {
    let result = |thief, attacker, defender| contest(SpyPip::One, thief, attacker, defender);
    assert_eq!((result(false, "22", "55"), result(true, "22", "55")), (Contest::Lose, Contest::Win));
    assert_eq!((result(true, "55", "22"), result(true, "22", "34")), (Contest::Win, Contest::Lose));
    // A Jewel-Bomb takes the Thief with it.
    assert_eq!(result(true, "22", "05"), Contest::Both);
    let text = "8/8/8/8/8/8/b55,7/w22,w35,6 w wb 0";
    assert_eq!(played("thief=on", text, "a1a2").outcome(), Some(Loss));
    assert_eq!(played("", text, "a1a2").outcome(), None);
}

// The end of the game.

#[test]
fn the_last_jewel_loses() {
    // The attacker's own last Jewel falls just as well.
    assert_eq!(played("", "8/8/8/8/8/8/b36,b25,6/w35,w66,6 w wb 0", "a1a2").outcome(), Some(Win));
    assert_eq!(played("", "8/8/8/8/8/8/b35,b66,6/w46,w25,6 w wb 0", "a1a2").outcome(), Some(Loss));
    // Both last Jewels in one contest.
    assert_eq!(played("", "8/8/8/8/8/8/b05,b66,6/w55,w46,6 w wb 0", "a1a2").outcome(), Some(Draw));
    // Nobody moves any more.
    let over = played("", "8/8/8/8/8/8/b35,b66,6/w46,w25,6 w wb 0", "a1a2");
    assert!(texts(&over).is_empty() && over.count_moves() == 0);
    assert_eq!(over.parse_move("b2b1").unwrap_err().to_string(), "the game is over: no moves");
}

#[test]
fn a_side_that_began_without_jewels_fights_to_its_last_tile() {
    // White began with all Jewels.
    assert_eq!(played("", "8/8/8/8/8/8/b66,b33,6/w35,w46,6 b w 0", "a2a1").outcome(), Some(Loss));
    assert_eq!(played("", "8/8/8/8/8/8/b33,7/w35,w46,6 w w 0", "b1a2").outcome(), Some(Loss));
    assert_eq!(played("", "8/8/8/8/8/8/b33,b11,6/w35,w46,6 w w 0", "b1a2").outcome(), None);
    // The last Jewel against the last tile, a Bomb.
    assert_eq!(played("", "8/8/8/8/8/8/b02,7/w55,w46,6 w w 0", "a1a2").outcome(), Some(Draw));
    // The same for a side that began with Jewels and has lost its last tile that is none.
    assert_eq!(played("", "8/8/8/8/8/8/b02,b35,6/w45,w46,6 w wb 0", "b1a2").outcome(), None);
}

#[test]
fn contests_show_both_tiles() {
    let text = "8/8/8/8/8/b33,b35,6/b66,b01,6/w44,w45,6 w wb 5";
    let after = |mv| played("", text, mv).position_text();
    assert_eq!(after("a1a2"), "8/8/8/8/8/b33,b35,6/b66!,b01,6/1,w45,6 b wb 0");
    assert_eq!(after("b1b2"), "8/8/8/8/8/b33,b35,6/b66,7/w44,7 b wb 0");
    assert_eq!(after("a1b2"), "8/8/8/8/8/b33,b35,6/b66,7/1,w45,6 b wb 0");
    // A known tile stays known when it moves.
    assert_eq!(
        played("", text, "a1a2 a2a1").position_text(),
        "8/8/8/8/8/b33,b35,6/1,b01,6/b66!,w45,6 w wb 1"
    );
}

// What searchers and solvers rest on.

#[test]
fn laws_hold_in_random_games() {
    for (parameters, games) in
        [("", 8), ("tiles=6,files=4,ranks=6,seed=5", 12), ("tiles=2,files=3,ranks=4,quiet=0", 20)]
    {
        laws::check(&game(parameters), games, 60, 3).unwrap_or_else(|e| panic!("{e}"));
        let mut random = Random::new(9);
        for _ in 0..games {
            let mut position = game(parameters).start();
            for _ in 0..300 {
                laws::check_stages_and_codes(&position).unwrap_or_else(|e| panic!("{position:?}: {e}"));
                laws::check_passing(&position).unwrap_or_else(|e| panic!("{position:?}: {e}"));
                let Step::Move(mv) = position.keen_step(&mut random) else { break };
                assert!(position.is_legal(mv), "{position:?}: {mv:?}");
                position.play(mv);
                assert_eq!(position.zobrist_hash(), position.recomputed_hash());
            }
        }
    }
}

#[test]
fn exchanges_look_at_the_answer() {
    let mut values = [0; 32];
    for tile in Tile::all() {
        values[tile.index()] = 100 * i32::from(tile.strength());
    }
    let worth = |text: &str, mv: &str| {
        let state = state("", text);
        let mv = state.parse_move(mv).unwrap();
        (-2000..=2000).rev().find(|&n| state.exchange_at_least(mv, n, &values)).unwrap()
    };
    assert_eq!(worth("7,b15/8/8/8/8/8/b33,7/w35,w46,6 w wb 0", "b1a2"), 600);
    assert_eq!(worth("7,b15/8/8/8/8/b66,7/b33,7/w35,w46,6 w wb 0", "b1a2"), 600 - 1000);
    assert_eq!(worth("7,b15/8/8/8/8/b03,7/b33,7/w35,w46,6 w wb 0", "b1a2"), 600 - 700);
    assert_eq!(worth("7,b15/8/8/8/8/8/b04,7/w35,w46,6 w wb 0", "b1a2"), 400 - 1000);
    assert_eq!(worth("7,b15/8/8/8/8/8/b66,7/w35,w46,6 w wb 0", "b1a2"), -1000);
    assert_eq!(worth("7,b15/8/8/8/b66,7/8/2,#,5/w35,w46,6 w wb 0", "b1a2"), 0);
    assert_eq!(worth("7,b15/8/8/8/b66,7/8/2,#,5/w35,w46,6 w wb 0", "b1b2"), 0);
    assert_eq!(worth("7,b15/8/8/8/8/b66,7/2,#,5/w35,w46,6 w wb 0", "b1b2"), -1000);
}

#[test]
fn random_steps_are_even() {
    for text in [
        "1,#,b06,b13,b12,b03,b15,#/b33,b35,#,1,b44,b26,#,1/1,b25,3,b66,b46,1/1,w16,w02,3,b14,b36!/8/#,1,w22,1,#,1,w24,1/w00,1,#,#,w05,w55,1,w11/w04,w56,w45,2,w23,w01,1 w wb 10",
        "b35,7/8/8/8/8/8/8/7,w46 w b 0",
    ] {
        let position = state("", text);
        let moves = list_moves(&position);
        let mut drawn: HashMap<_, u32> = HashMap::new();
        let mut random = Random::new(4);
        let draws = 400 * moves.len() as u32;
        for _ in 0..draws {
            let Step::Move(mv) = position.random_step(&mut random) else { panic!("over") };
            assert!(moves.contains(&mv));
            *drawn.entry(mv).or_default() += 1;
        }
        let (chi, freedom) =
            (chi_square(drawn.values(), moves.len() as u32, draws), moves.len() as f64 - 1.0);
        assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "chi-square {chi}: {drawn:?}");
    }
}

/// Against a tile that both know, a keen player makes no losing contest.
#[test]
fn keen_players_use_what_is_known() {
    let mut random = Random::new(3);
    let mut steps = |text: &str| -> Vec<String> {
        let state = state("", text);
        let mut drawn: Vec<String> = (0..300)
            .filter_map(|_| match state.keen_step(&mut random) {
                Step::Move(mv) => Some(state.move_text(mv)),
                Step::Over(_) => None,
            })
            .collect();
        drawn.sort();
        drawn.dedup();
        drawn
    };
    assert_eq!(steps("7,b15/8/8/8/8/8/b33!,7/w35,w44,6 w wb 0"), ["a1a2", "b1a2"]);
    assert!(!steps("7,b15/8/8/8/8/8/b66!,7/w35,w44,6 w wb 0").iter().any(|mv| mv.ends_with("a2")));
    assert!(steps("7,b15/8/8/8/8/8/b66,7/w35,w44,6 w wb 0").contains(&"b1a2".to_string()));
}

#[test]
fn keen_games_end() {
    let mut random = Random::new(2);
    let (mut decided, games) = (0, 200);
    for _ in 0..games {
        let mut position = CrownJewelsGame::new().start();
        while let Step::Move(mv) = position.keen_step(&mut random) {
            position.play(mv);
        }
        decided += u32::from(position.outcome() != Some(Draw));
    }
    println!("{decided} of {games} keen games are decided");
    assert!(decided > games / 2, "{decided} of {games}");
}

/// The keys of equal views are worlds of both: what Black does not see, Black's view does not tell.
#[test]
fn worlds_can_be_given() {
    let position = state("", "b05,b12!,b25,5/8/8/8/8/8/8/w36,7 w wb 0");
    let view = position.view(Side::White);
    assert_eq!(view.hidden_tiles(), [tile("05"), tile("25")].into_iter().collect::<TileSet>());
    assert_eq!(view.world_of(&[tile("05"), tile("25")]), Some(position));
    assert_eq!(
        view.world_of(&[tile("25"), tile("05")]).unwrap().position_text(),
        "b25,b12!,b05,5/8/8/8/8/8/8/w36,7 w wb 0"
    );
    assert_eq!(view.world_of(&[tile("25"), tile("25")]), None);
    assert_eq!(view.world_of(&[tile("25")]), None);
    assert_eq!(view.tiles_of(Side::Black).to_string(), "05,12,25");
}

#[test]
#[ignore = "a measurement; run it with --release"]
fn playouts_a_second() {
    let view = CrownJewelsGame::new().start().view(Side::White);
    for (name, keen) in [("random", false), ("keen", true)] {
        let mut random = Random::new(1);
        let (batches, games) = (20, 1000);
        let (mut plies, mut draws, mut best) = (0u64, 0, f64::INFINITY);
        for _ in 0..batches {
            let began = std::time::Instant::now();
            for _ in 0..games {
                let mut world = view.world(&mut random);
                while let Step::Move(mv) =
                    if keen { world.keen_step(&mut random) } else { world.random_step(&mut random) }
                {
                    world.play(mv);
                    plies += 1;
                }
                draws += u32::from(world.outcome() == Some(Draw));
            }
            best = best.min(began.elapsed().as_secs_f64());
        }
        let length = plies as f64 / f64::from(batches * games);
        println!(
            "{name}: {:.0} playouts a second in the best of {batches} batches, {length:.1} plies each, {:.1} ns a ply, \
             {:.3} drawn",
            f64::from(games) / best,
            1e9 * best / f64::from(games) / length,
            f64::from(draws) / f64::from(batches * games)
        );
    }
}
