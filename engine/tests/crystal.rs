//! Crystal Draughts: counts of an independent implementation, the numbered decisions D1 to D4, the laws, and
//! bad input.

use crate::common::texts::{decent, edited};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::bitboard::Square;
use jewel_engine::crystal::{Crystal, CrystalGame, Move};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::Outcome::{Loss, Win};
use jewel_engine::value::{Side, Verdict};
use proptest::prelude::*;
use serde_json::Value;

fn game(parameters: &str) -> CrystalGame {
    CrystalGame::with_parameters(parameters).unwrap_or_else(|e| panic!("{parameters}: {e}"))
}

fn parse(parameters: &str, text: &str) -> Crystal {
    game(parameters).parse_position(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Sorted move texts.
fn texts(position: &Crystal) -> Vec<String> {
    let mut texts: Vec<String> = list_moves(position).into_iter().map(|mv| position.move_text(mv)).collect();
    texts.sort();
    texts
}

/// The ends of an electron's moves.
fn ends(position: &Crystal, from: &str) -> String {
    let all = texts(position);
    all.iter().filter(|m| m.starts_with(from)).map(|m| &m[3..]).collect::<Vec<_>>().join(" ")
}

#[test]
fn counts_are_those_of_the_reference() {
    let file: Value = serde_json::from_str(include_str!("data/perft/crystal.json")).unwrap();
    let (mut checked, mut disputed) = (0, 0);
    for row in file["rows"].as_array().unwrap() {
        let id = row["game"].as_str().unwrap();
        let parameters = id.split_once(':').map_or("", |(_, parameters)| parameters);
        if row["disputed"].is_string() {
            // The rules refuse the game.
            let error = CrystalGame::with_parameters(parameters).unwrap_err().to_string();
            assert!(error.ends_with("nobody could ever move; give fewer tokens or more tiers"), "{error}");
            disputed += 1;
            continue;
        }
        let fen = row["fen"].as_str().unwrap();
        let position = parse(parameters, fen);
        assert_eq!(position.position_text(), fen);
        let moves: Vec<&str> = row["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        assert_eq!(texts(&position), moves, "{fen}");
        let verdict = match row["outcome"].as_str() {
            Some("w") => Some(Verdict::WhiteWins),
            Some(_) => Some(Verdict::BlackWins),
            None => None,
        };
        assert_eq!(position.outcome().map(|o| o.absolute(position.side_to_move())), verdict, "{fen}");
        for (n, nodes) in row["perft"].as_array().unwrap().iter().enumerate() {
            assert_eq!(Some(perft(&position, n as u32 + 1)), nodes.as_u64(), "{id} {fen} depth {}", n + 1);
        }
        checked += 1;
    }
    assert_eq!((checked, disputed), (24, 6));
}

#[test]
fn the_start_is_that_of_the_rules() {
    assert_eq!(CrystalGame::new().start().position_text(), "eeeeeeeeeeee/12/12/EEEEEEEEEEEE w 0");
    // The images of the first atoms: 0Aa's is 1Ac, 0Ba's is on the molecule on the other side.
    assert_eq!(game("tiers=2,tokens=1").start().position_text(), "2e9/E11 w 0");
    assert_eq!(game("tiers=2,tokens=5").start().position_text(), "eeee6e1/EEEEE7 w 0");
    assert_eq!(game("tiers=3,tokens=5").start().position_text(), "eeee6e1/12/EEEEE7 w 0");
}

/// D1: four cycles, and the paths up to the left from `a` and to the right from `b`.
#[test]
fn d1_paths_lead_where_the_rules_say() {
    let crystal = game("").lattice();
    let atom = |name: &str| {
        (0..48).map(Square::new).find(|a| crystal.name(*a) == name).unwrap_or_else(|| panic!("{name}"))
    };
    for (from, expected) in [
        ("0Aa", "0Ab 0Ad 1Cc"),
        ("0Ab", "0Aa 0Ac 1Ad"),
        ("0Ba", "0Bb 0Bd 1Ac"),
        ("0Ac", "0Ab 0Ad"),
        ("1Aa", "1Ab 1Ad 2Ac"),
        ("1Ab", "1Aa 1Ac 2Bd"),
        ("1Cb", "1Ca 1Cc 2Ad"),
        ("1Ac", "0Ba 1Ab 1Ad"),
        ("1Ad", "0Ab 1Aa 1Ac"),
        ("3Aa", "3Ab 3Ad"),
        ("3Cc", "2Aa 3Cb 3Cd"),
    ] {
        let names: Vec<String> =
            crystal.neighbours(atom(from)).into_iter().map(|a| crystal.name(a)).collect();
        assert_eq!(names.join(" "), expected, "{from}");
    }
    assert_eq!(crystal.steps(Side::White, atom("0Aa")), 5);
    assert_eq!(crystal.steps(Side::Black, atom("3Cc")), 5);
}

/// D2: a move is its origin and end; the origin is empty on the way and is never jumped nor an end.
#[test]
fn d2_a_move_is_its_origin_and_end() {
    // 0Aa steps to 0Ad, and jumps over 0Ab and over 1Ac, behind which 1Ad is full.
    let ring = parse("tiers=3,molecules=1,tokens=2", "4/2ee/EE2 w 0");
    assert_eq!(ends(&ring, "0Aa"), "0Ac 0Ad 1Ab");
    let position = parse("tiers=2,tokens=4", "4E3E1e1/eEeE3e4 w 9");
    // One step and a chain to the same end are one move, and the long form is the step.
    let all = texts(&position);
    let mut distinct = all.clone();
    distinct.dedup();
    assert_eq!(all, distinct);
    for mv in list_moves(&position) {
        let long = position.long_text(mv);
        assert_eq!(position.parse_move(&long).unwrap(), mv, "{long}");
        assert!(!long[3..].contains(&long[..3]), "{long} passes its origin");
    }
}

/// Every route by walking all chains of jumps, as the rules tell them.
fn walk(position: &Crystal, from: Square, path: &mut Vec<Square>, found: &mut Vec<Vec<Square>>) {
    let crystal = position.lattice();
    let at = path.last().copied().unwrap_or(from);
    let occupied = position.occupied() & !from.bit();
    for over in crystal.neighbours(at) & occupied {
        for to in crystal.neighbours(over) & !at.bit() & !occupied {
            if to != from && !path.contains(&to) {
                path.push(to);
                found.push(path.clone());
                walk(position, from, path, found);
                path.pop();
            }
        }
    }
}

/// The flood, the routes and the texts against that walk.
#[test]
fn moves_and_routes_are_those_of_a_walk() {
    let mut random = Random::new(8);
    let (mut moves, mut long) = (0, 0);
    for parameters in ["", "tiers=3,molecules=1,tokens=4", "tiers=5,molecules=2", "tiers=2,tokens=8"] {
        let mut position = game(parameters).start();
        for _ in 0..50 {
            for from in position.pieces_of(position.side_to_move()) {
                let crystal = position.lattice();
                let mut routes = Vec::new();
                walk(&position, from, &mut Vec::new(), &mut routes);
                routes
                    .extend((crystal.neighbours(from) & !position.occupied()).into_iter().map(|to| vec![to]));
                let name = |route: &[Square]| route.iter().map(|&a| crystal.name(a)).collect::<String>();
                let expected: std::collections::BTreeSet<Square> =
                    routes.iter().map(|r| r[r.len() - 1]).collect();
                let found: std::collections::BTreeSet<Square> =
                    position.destinations(from).into_iter().collect();
                assert_eq!(found, expected, "{position:?}");
                for to in found {
                    let best = routes
                        .iter()
                        .filter(|r| r.last() == Some(&to))
                        .min_by_key(|r| (r.len(), name(r)))
                        .unwrap();
                    assert_eq!(name(&position.route(Move { from, to })), name(best), "{position:?}");
                    moves += 1;
                    long += usize::from(best.len() > 2);
                }
                // Every route is understood.
                for route in routes.iter().take(20) {
                    let text = crystal.name(from) + &name(route);
                    let mv = Move { from, to: route[route.len() - 1] };
                    assert_eq!(position.parse_move(&text).unwrap(), mv, "{text} {position:?}");
                }
            }
            let Some(mv) = random_move(&position, &mut random) else { break };
            position.play(mv);
        }
    }
    assert!(moves > 2000 && long > 50, "{moves} moves, {long} long ones");
}

/// D3: threefold repetition draws in play; no number of plies ends a game by itself.
#[test]
fn d3_repetition_and_the_cap_belong_to_play() {
    assert_eq!(CrystalGame::new().repetition(), 3);
    let late = parse("", "eeeeeeeeeeee/12/12/EEEEEEEEEEEE w 4000");
    assert_eq!((late.outcome(), late.count_moves()), (None, 18));
    assert_eq!(late, CrystalGame::new().start());
}

/// D4, off unless asked for: a full far tier with one's own on it wins too.
#[test]
fn d4_a_spoiler_spoils_unless_the_full_tier_wins() {
    const SPOILED: &str = "EEEEEEEEEEEe/9E2/12/1eeeeeeeeeee";
    for side in ["w", "b"] {
        assert_eq!(parse("", &format!("{SPOILED} {side} 100")).outcome(), None);
    }
    assert_eq!(parse("full-tier=on", &format!("{SPOILED} w 100")).outcome(), Some(Win));
    assert_eq!(parse("full-tier=on", &format!("{SPOILED} b 100")).outcome(), Some(Loss));
    // At the start the far tier is full, and nobody's but its owner's.
    assert_eq!(game("full-tier=on").start().outcome(), None);
    assert_eq!(parse("full-tier=off", &format!("{SPOILED} w 100")).outcome(), None);
}

#[test]
fn a_player_without_a_move_passes() {
    // The first player's electron is walled in: its neighbours are full, and so is what lies behind them.
    let walled = parse("", "12/12/3e5eee/Eeee8 w 5");
    assert_eq!((texts(&walled), walled.count_moves()), (vec!["pass".to_string()], 1));
    let next = walled.after(walled.parse_move("pass").unwrap());
    assert_eq!(next.position_text(), "12/12/3e5eee/Eeee8 b 6");
    assert!(next.count_moves() > 1 && next.parse_move("pass").is_err());
    laws::check_position(&game(""), &walled).unwrap();
    laws::check_stages_and_codes(&walled).unwrap();
    laws::check_passing(&walled).unwrap();
    for step in [walled.random_step(&mut Random::new(1)), walled.keen_step(&mut Random::new(1))] {
        assert_eq!(step, Step::Move(Move::PASS));
    }
}

#[test]
fn crystals_keep_the_laws() {
    for parameters in [
        "",
        "full-tier=on",
        "tiers=2,molecules=1,tokens=3",
        "tiers=3,molecules=2",
        "tiers=3,molecules=3,tokens=5",
        "tiers=2,molecules=8,tokens=20",
        "tiers=16,molecules=1",
    ] {
        let game = game(parameters);
        laws::check(&game, 4, 60, 3).unwrap();
        let mut random = Random::new(5);
        let mut position = game.start();
        for _ in 0..150 {
            laws::check_stages_and_codes(&position).unwrap_or_else(|e| panic!("{e}: {position:?}"));
            laws::check_passing(&position).unwrap_or_else(|e| panic!("{e}: {position:?}"));
            let nodes = perft(&position, 2);
            let images: Vec<Crystal> = position.images().collect();
            assert_eq!(images.len() as u32, 4 * game.lattice().molecules());
            for image in images {
                assert_eq!((perft(&image, 2), image.outcome()), (nodes, position.outcome()), "{position:?}");
                assert_eq!(image.zobrist_hash(), image.recomputed_hash());
            }
            match position.keen_step(&mut random) {
                Step::Move(mv) => {
                    assert!(list_moves(&position).contains(&mv), "{position:?}: {mv:?}");
                    position.play(mv);
                }
                Step::Over(outcome) => {
                    assert_eq!(position.outcome(), Some(outcome));
                    break;
                }
            }
        }
    }
}

#[test]
fn random_steps_are_even() {
    let position = parse("", "12/e1e1e1e1e1e1/E2e2E2e2/e1EEeE6 w 10");
    let moves = list_moves(&position);
    let mut drawn = vec![0u32; moves.len()];
    let mut random = Random::new(4);
    for _ in 0..400 * moves.len() {
        let Step::Move(mv) = position.random_step(&mut random) else { panic!("over") };
        drawn[moves.iter().position(|m| *m == mv).unwrap()] += 1;
    }
    let chi: f64 = drawn.iter().map(|&n| (f64::from(n) - 400.0).powi(2) / 400.0).sum();
    let freedom = moves.len() as f64 - 1.0;
    assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "{drawn:?}");
}

#[test]
fn who_wins_at_once_has_the_last_move() {
    let mut random = Random::new(7);
    let (mut wins, mut others) = (0, 0);
    for parameters in
        ["tiers=2,molecules=1,tokens=1", "tiers=2,molecules=2,tokens=3,full-tier=on", "tokens=2"]
    {
        let game = CrystalGame::with_parameters(parameters).unwrap();
        for _ in 0..60 {
            let mut position = game.start();
            while let (Step::Move(mv), true) = (position.keen_step(&mut random), position.plies() < 200) {
                let last = |mv: &Move| position.after(*mv).outcome() == Some(Loss);
                let can = list_moves(&position).iter().any(last);
                assert_eq!(position.wins_at_once(), can, "{position:?}");
                *if can { &mut wins } else { &mut others } += 1;
                position.play(mv);
            }
        }
    }
    assert!(wins > 50 && others > 200, "{wins}, {others}");
}

#[test]
fn keen_games_end() {
    let mut random = Random::new(2);
    let mut finished = 0;
    for _ in 0..40 {
        let mut position = CrystalGame::new().start();
        for _ in 0..400 {
            match position.keen_step(&mut random) {
                Step::Move(mv) => position.play(mv),
                Step::Over(_) => {
                    finished += 1;
                    break;
                }
            }
        }
    }
    println!("{finished} of 40 keen games end within 400 plies");
    assert!(finished > 0);
}

// Bad input.

#[test]
fn bad_parameters_get_one_line() {
    let error = |text: &str| CrystalGame::with_parameters(text).unwrap_err().to_string();
    assert_eq!(error("tiers=0"), "tiers must be a number from 2 to 16, found \"0\"");
    assert_eq!(error("molecules=0"), "molecules must be a number from 1 to 8, found \"0\"");
    assert_eq!(error("tokens=13"), "tokens must be a number from 1 to 12, found \"13\"");
    assert_eq!(error("tiers=6"), "6 tiers of 3 molecules are 72 atoms; a crystal has at most 64");
    assert_eq!(
        error("tiers=2"),
        "two tiers with 12 tokens each are full: nobody could ever move; give fewer tokens or more tiers"
    );
    assert_eq!(
        error("size=2"),
        "crystal-draughts has no parameter \"size\"; it has tiers, molecules, tokens, full-tier"
    );
    assert_eq!(error("full-tier=yes"), "full-tier must be off or on, found \"yes\"");
    assert_eq!(game("tokens=12,tiers=4,full-tier=off").id(), "crystal-draughts");
    assert_eq!(
        game("full-tier=on,molecules=2,tokens=3").id(),
        "crystal-draughts:molecules=2,tokens=3,full-tier=on"
    );
}

#[test]
fn bad_positions_and_moves_get_one_line() {
    let game = game("tiers=2,tokens=2");
    let error = |text: &str| game.parse_position(text).unwrap_err().to_string();
    assert_eq!(error("EE10"), "a position has 2 or 3 fields (tiers, side, plies), found 1");
    assert_eq!(error("EE10 w"), "the crystal has 2 tiers, found 1");
    assert_eq!(error("2ee9/EE10 w"), "tier 1 must fill 12 atoms, \"2ee9\" fills 13");
    assert_eq!(
        error("2ex8/EE10 w"),
        "no electron is written 'x' (tier 1); write E for the first player's, e for the second's"
    );
    assert_eq!(error("2ee8/EEE9 w"), "First player must have 1 to 2 electrons (E), found 3");
    assert_eq!(error("2ee8/EE10 x"), "the side to move must be w or b, found \"x\"");
    assert_eq!(
        error("2ee8/EE10 w -1"),
        "the plies played must be a number from 0 to 4294967295, found \"-1\""
    );
    let start = game.start();
    let error = |text: &str| start.parse_move(text).unwrap_err().to_string();
    assert!(error("0A").starts_with("\"0A\" is not a move; write origin and end"));
    assert!(error("0Aa").starts_with("\"0Aa\" is not a move; write origin and end"));
    assert_eq!(error("0Aa7Aa"), "the crystal has no atom 7Aa; they go from 0Aa to 1Cd");
    assert_eq!(error("0Ad0Ac"), "no electron is on 0Ad");
    assert_eq!(
        error("1Ac1Ab"),
        "the electron on 1Ac is the second player's, and it is the first player's turn"
    );
    assert_eq!(error("0Aa1Aa"), "the electron on 0Aa cannot go to 1Aa; it can go to 0Ac 0Ad 1Cc");
    assert_eq!(error("pass"), "a player passes only without any other move");
}

#[test]
fn the_diagram_has_every_atom_and_path() {
    let diagram = CrystalGame::new().start().diagram();
    let graph = diagram.graph.unwrap();
    assert_eq!((diagram.width, diagram.height, diagram.cells.len()), (12, 4, 48));
    // 12 cycles of 4, and 3 times 6 paths up.
    assert_eq!((graph.names.len(), graph.points.len(), graph.paths.len()), (48, 48, 66));
    assert!(graph.paths.iter().all(|(from, to)| from < to));
    assert!(graph.points.iter().all(|(x, y)| x.abs() <= 1000 && y.abs() <= 1000));
    // Molecule A of tier 0 is north, and its `a` is on the left, outside.
    assert_eq!((graph.names[0].as_str(), graph.points[0]), ("0Aa", (-160, 820)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..Default::default() })]

    #[test]
    fn no_text_panics(edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4)) {
        const ALPHABET: &[u8] = b"Ee123456789/ wbABCabcd0\xc3\xa9=,";
        let edited = |text: &str| edited(text, ALPHABET, &edits);
        let decent = |error: &dyn std::fmt::Display| decent(error, &format!("{edits:?}"));
        let game = game("tiers=3,molecules=2,tokens=4");
        match game.parse_position(&edited("2eeee2/E3e3/EE1E4 w 16")) {
            Ok(position) => laws::check_position(&game, &position).map_err(TestCaseError::fail)?,
            Err(error) => decent(&error),
        }
        let start = CrystalGame::new().start();
        match start.parse_move(&edited("0Aa1Cc2Ca")) {
            Ok(mv) => prop_assert!(list_moves(&start).contains(&mv)),
            Err(error) => decent(&error),
        }
        if let Err(error) = CrystalGame::with_parameters(&edited("tiers=2,tokens=4")) {
            decent(&error);
        }
    }
}
