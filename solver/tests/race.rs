//! Races: what is said of a position at a glance is what its graph says, in random games that are won by reaching a square.

use crate::common::{self, brute_force};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::Position;
use jewel_engine::race::Race;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::Limits;
use proptest::prelude::*;
use std::cell::Cell;

/// Positions of a game that are not over, and those of them that are decided at a glance, as the graph says.
fn compare(text: &str) -> (usize, usize) {
    let rules = Rules::parse(text).unwrap();
    let Some(race) = Race::new(&rules) else { panic!("no races: {text}") };
    with_leanest_game!(&rules, game => {
        let values = brute_force(&game.start());
        let open = values.iter().filter(|(position, _)| position.outcome().is_none());
        let mut counts = (0, 0);
        for (position, value) in open {
            counts.0 += 1;
            let Some(seen) = race.value(position) else { continue };
            counts.1 += 1;
            let what = format!("{text}{}: {seen:?}, and the graph says {value:?}", position.position_text());
            assert_eq!(seen.outcome(), value.outcome(), "{what}");
            // There may be a quicker way to win, and never a longer defence.
            assert!(value.distance() <= seen.distance(), "{what}");
        }
        counts
    })
}

fn pawns(width: usize, height: usize, rows: usize, moves: &str) -> String {
    let [black, white] = ["p", "P"].map(|pawn| vec![pawn.repeat(width); rows].join("/"));
    let middle = vec![width.to_string(); height - 2 * rows].join("/");
    let start =
        [black, middle, white].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    format!(
        "name = \"R\"\n[board]\nsize = \"{width}x{height}\"\nstart = \"{start} w - - 0 1\"\n[[piece]]\nletter = \"P\"\nmoves = \
         \"{moves}\"\n[key]\nobjective = \"reach\"\ngoals = {{ w = [\"rank {height}\"], b = [\"rank 1\"] }}\n[end]\nbare = \
         \"loss\"\nstalemate = \"loss\"\n"
    )
}

#[test]
fn pawns_race_as_the_graph_says() {
    for (text, least) in [
        (pawns(4, 4, 1, "mfWcfF"), 0.05),
        (pawns(3, 5, 1, "mfWcfF"), 0.05),
        (pawns(3, 4, 1, "mfWfF"), 0.3),
        (pawns(2, 6, 2, "mfWfF"), 0.3),
    ] {
        let (open, seen) = compare(&text);
        assert!(seen as f64 >= least * open as f64, "{seen} of {open}: {text}");
    }
}

fn racing_game() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "mfWcfF", "mfWfF", "K", "W", "F", "N", "R", "B", "mRcF", "fFbW", "nN", "nD", "WD", "R2", "fR",
        "ifmR2fW", "mWcN", "cF", "fsW",
    ]);
    let cells = prop::collection::vec(prop::option::weighted(0.4, (0..2usize, any::<bool>())), 20);
    let size = (1..=4usize, 3..=5usize);
    (size, prop::collection::vec(word, 2), cells, any::<(u8, u8, bool, bool, bool)>()).prop_filter_map(
        "no such game",
        |((w, h), words, cells, (goal, block, all, black, far))| {
            let cell = |x: usize, y: usize| match cells[(y * w + x) % cells.len()] {
                Some((kind, white)) => {
                    let letter = char::from(b'A' + kind as u8);
                    if white { letter } else { letter.to_ascii_lowercase() }
                }
                None => '1',
            };
            let rows: Vec<String> = (0..h).rev().map(|y| (0..w).map(|x| cell(x, y)).collect()).collect();
            let square = |n: u8| format!("{}{}", char::from(b'a' + n % w as u8), usize::from(n) / w % h + 1);
            let goals = if far {
                [format!("rank {h}"), "rank 1".into()]
            } else {
                [square(goal), square(goal.rotate_left(4))]
            };
            let mut text =
                format!("name = \"R\"\n[board]\nsize = \"{w}x{h}\"\nblocking = [\"{}\"]\n", square(block));
            text += &format!("start = \"{} {} - - 0 1\"\n", rows.join("/"), if black { "b" } else { "w" });
            for (letter, word) in ["A", "B"].iter().zip(&words) {
                text += &format!("[[piece]]\nletter = \"{letter}\"\nmoves = \"{word}\"\n");
            }
            text += &format!(
                "[key]\nobjective = \"reach\"\ngoals = {{ w = [\"{}\"], b = [\"{}\"] }}\n",
                goals[0], goals[1]
            );
            text += if all { "" } else { "eligible = \"A\"\n" };
            text += &format!(
                "[end]\nstalemate = \"loss\"\nbare = \"{}\"\n",
                if goal % 2 == 0 { "loss" } else { "nothing" }
            );
            let rules = Rules::parse(&text).ok()?;
            let small = with_leanest_game!(&rules, game => {
                let limits = Limits { max_positions: 4_000, ..Default::default() };
                game.start().outcome().is_none() && common::try_solved(&game.start(), limits).is_ok()
            });
            small.then_some(text)
        },
    )
}

#[test]
fn random_races_end_as_the_graph_says() {
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        max_global_rejects: 1_000_000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..Default::default()
    };
    let (open, seen) = (Cell::new(0), Cell::new(0));
    proptest::test_runner::TestRunner::new(config)
        .run(&racing_game(), |text| {
            let counts = compare(&text);
            open.set(open.get() + counts.0);
            seen.set(seen.get() + counts.1);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(seen.get() * 10 > open.get(), "{seen:?} of {open:?}");
}
