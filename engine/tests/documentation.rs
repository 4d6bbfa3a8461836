//! Tests that what `docs/variant-files.md` says is true: its example, its figures, its keys, its errors.

use crate::common::{compile, count, look, outcome};
use jewel_engine::betza;
use jewel_engine::value::Outcome::Loss;
use jewel_engine::variant::Rules;
use std::fs;

const PAGE: &str = include_str!("../../docs/variant-files.md");

/// The first fenced block of this language.
fn block(language: &str) -> &'static str {
    let start = PAGE.split_once(&format!("```{language}\n")).expect("a block").1;
    start.split_once("```").expect("closed").0
}

#[test]
fn the_example_compiles_and_counts_as_printed() {
    let rules = compile(block("toml"));
    assert_eq!((rules.id.as_str(), rules.geometry.area()), ("crossing", 30));
    let table = PAGE.split_once("| depth | nodes |\n|---|---|\n").unwrap().1;
    let mut rows = 0;
    for row in table.lines().take_while(|l| l.starts_with('|')) {
        let cells: Vec<u64> = row.split('|').filter_map(|c| c.trim().replace(' ', "").parse().ok()).collect();
        assert_eq!(count(&rules, &rules.start, cells[0] as u32), cells[1], "{row}");
        rows += 1;
    }
    assert_eq!(rows, 5);
    // The Ferryman on the far bank has won at once; a Hound there has not.
    let line = look(&rules, "4f/2F2/5/5/5/5 w - - 0 1", "c5c6").unwrap();
    assert_eq!((line.outcome, line.moves.len()), (Some(Loss), 0));
    assert_eq!(outcome(&rules, "2H1f/5/5/5/F4/5 b - - 0 1"), None);
}

/// The game with hands: its table has the counts of pyffish.
#[test]
fn the_game_with_hands_counts_as_printed() {
    let rules = compile(block("toml hand"));
    let table = PAGE.split_once("| hand depth | nodes |\n|---|---|\n").unwrap().1;
    let rows: Vec<Vec<u64>> = table
        .lines()
        .take_while(|l| l.starts_with('|'))
        .map(|row| row.split('|').filter_map(|c| c.trim().replace(' ', "").parse().ok()).collect())
        .collect();
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert_eq!(count(&rules, &rules.start, row[0] as u32), row[1], "depth {}", row[0]);
    }
    let placed = compile(block("toml placement"));
    let table = PAGE.split_once("| placement depth | nodes |\n|---|---|\n").unwrap().1;
    for row in table.lines().take_while(|l| l.starts_with('|')) {
        let row: Vec<u64> = row.split('|').filter_map(|c| c.trim().parse().ok()).collect();
        assert_eq!(count(&placed, &placed.start, row[0] as u32), row[1], "depth {}", row[0]);
    }
    // A Lion on the far rank has won if no enemy could take it, and else when it is still there.
    assert_eq!(outcome(&rules, "L1g/3/l2/3[] b - - 0 1"), Some(Loss));
    assert_eq!(outcome(&rules, "Lg1/3/l2/3[] b - - 0 1"), None);
    assert_eq!(look(&rules, "Lg1/3/l2/3[] b - - 0 1", "b4a4").unwrap().outcome, Some(Loss));
}

/// The reader names its keys when it meets an unknown one: each must be in the tables of the page.
#[test]
fn every_key_is_explained() {
    let hand = "value = 300\ndrop = { per-file = 2 }\n[hand]\n";
    let toml = block("toml").replacen("value = 300\n", hand, 1);
    let mut explained = 0;
    for place in [
        "[board]",
        "[[piece]]\nletter = \"F\"",
        "[key]",
        "[end]",
        "[draw]",
        "name = \"Crossing\"",
        "promotion = {",
        "drop = {",
        "[hand]",
    ] {
        let unknown = if place.ends_with('{') { " unheard-of = 1," } else { "\nunheard-of = 1" };
        let broken = toml.replacen(place, &format!("{place}{unknown}"), 1);
        let error = Rules::parse(&broken).expect_err("unknown key").to_string();
        let known = error.split_once("known here: ").expect("the known keys").1;
        for key in known.split(", ") {
            assert!(PAGE.contains(&format!("| `{key}` |")), "{key} is not in a table of the page");
            explained += 1;
        }
    }
    assert!(explained >= 30, "{explained}");
}

#[test]
fn the_errors_are_as_printed() {
    let toml = block("toml");
    let errors = [
        ("size = \"5x6\" ", "size = \"5x16\""),
        ("promotion =", "promotes ="),
        ("\"WF2\"", "\"WpR\""),
        ("eligible = \"F\"", "eligible = \"K\""),
        ("hofoh", "hofo"),
    ]
    .map(|(part, instead)| Rules::parse(&toml.replacen(part, instead, 1)).expect_err(part).to_string());
    assert_eq!(errors.join("\n"), block("text").trim());
}

/// The table of directions, row by row.
#[test]
fn directions_mean_what_the_table_says() {
    let steps =
        |word: &str| -> Vec<(i8, i8)> { betza::parse(word).unwrap().iter().map(|m| (m.dx, m.dy)).collect() };
    for (word, count) in [
        ("fW", 1),
        ("fF", 2),
        ("fN", 4),
        ("lW", 1),
        ("lF", 2),
        ("lN", 4),
        ("sW", 2),
        ("sF", 4),
        ("sN", 4),
        ("vW", 2),
        ("vF", 4),
        ("vN", 4),
        ("flW", 2),
        ("flF", 1),
        ("flN", 2),
        ("ffW", 1),
        ("ffF", 2),
        ("ffN", 2),
        ("llN", 2),
        ("fsW", 3),
        ("fsF", 4),
        ("fsN", 2),
        ("lvW", 3),
        ("lvF", 4),
        ("lvN", 2),
    ] {
        assert_eq!(steps(word).len(), count, "{word}");
    }
    assert_eq!(steps("flrF"), [(-1, 1), (1, -1), (1, 1)]);
    assert_eq!(steps("fQ"), [(-1, 1), (0, 1), (1, 1)]);
    assert_eq!(steps("flK"), [(-1, 0), (-1, 1), (0, 1)]);
    assert_eq!(steps("sN"), [(-2, -1), (-2, 1), (2, -1), (2, 1)]);
    assert_eq!(steps("fsN"), [(-2, 1), (2, 1)]);
    assert_eq!(betza::parse("nZ").unwrap()[0].legs(), [(-1, 0), (-2, -1)]);
}

/// The page of decisions names tests; each must exist.
#[test]
fn the_tests_that_the_rules_name_exist() {
    let page = include_str!("../../docs/rules.md");
    let files = [
        include_str!("rules.rs"),
        include_str!("perft.rs"),
        include_str!("kings_mate/mod.rs"),
        include_str!("kings_mate/input.rs"),
        include_str!("kings_mate/steps.rs"),
        include_str!("crystal.rs"),
        include_str!("crown_jewels.rs"),
    ];
    let tests = files.concat();
    let named =
        page.split('`').skip(1).step_by(2).filter(|w| w.matches('_').count() >= 2 && !w.contains('.'));
    let mut found = 0;
    for test in named.filter(|w| *w != "perft_without_blocking_key") {
        assert!(tests.contains(&format!("fn {test}()")), "no test {test}");
        found += 1;
    }
    assert!(found >= 25, "{found}");
    for decision in 1..=6 {
        assert!(page.contains(&format!("| J{decision} |")));
    }
}

/// The small games of docs/results/proofs.md.
#[test]
fn games_of_results_are_read_and_have_their_men() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/games");
    let mut ladder = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let rules = compile(&fs::read_to_string(&path).unwrap());
        let name = path.file_stem().unwrap().to_str().unwrap();
        // game-men-board
        if let [_, men, board] = name.split('-').collect::<Vec<_>>()[..] {
            let start = rules.start.split(' ').next().unwrap();
            for is_own in [char::is_ascii_uppercase, char::is_ascii_lowercase] {
                assert_eq!(start.chars().filter(is_own).count().to_string(), men, "{name}");
            }
            assert_eq!(rules.id, name);
            assert!(["5x5", "7x7"].contains(&board));
            ladder += 1;
        }
    }
    assert_eq!(ladder, 30);
}
