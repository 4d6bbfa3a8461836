//! `jewel perft`: counts, suites, threads and tables.

use crate::common::{duel_of, error, file, json, ok, place, run};
use serde_json::Value;

/// Counts of a program that is not ours (Fairy-Stockfish), see `engine/tests/data/perft`.
#[test]
fn counts_are_right_however_they_are_made() {
    for (game, depth, nodes) in [
        ("duel", "12", 1_571_640u64),
        ("ambush", "5", 253_210),
        ("diamaranga", "4", 20_783),
        ("duel", "0", 1),
    ] {
        for more in [&["--threads", "1"][..], &["--threads", "3"], &["--hash", "4"], &[]] {
            let mut arguments = vec!["perft", game, depth, "--json"];
            arguments.extend(more);
            let object = json(&arguments);
            assert_eq!(object["nodes"], nodes, "{arguments:?}");
            assert_eq!(object["depth"].to_string(), depth);
            assert!(object["seconds"].as_f64().is_some_and(|s| (0.0..60.0).contains(&s)));
            assert!(object.get("moves").is_none());
        }
    }
    assert_eq!(json(&["perft", "diamaranga", "1", "--json"])["game"], "diamond-quest");
}

#[test]
fn text_has_nodes_seconds_and_speed() {
    let text = ok(&["perft", "duel", "6"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "nodes    1784");
    assert!(lines[1].starts_with("seconds  0."));
    assert!(lines[2].starts_with("speed    ") && lines[2].ends_with(" million nodes a second"));
}

#[test]
fn divide_counts_below_each_move() {
    let object = json(&["perft", "ambush", "4", "--divide", "--json"]);
    let moves = object["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 12);
    assert_eq!(moves.iter().map(|m| m["nodes"].as_u64().unwrap()).sum::<u64>(), 20_116);
    assert!(moves.iter().any(|m| m["move"] == "c5c3"));
    let text = ok(&["perft", "duel", "2", "--divide"]);
    assert!(text.starts_with("c1a1: 4\nc1b1: 4\nc1c2: 4\nc1c3: 4\n\nnodes    16\n"), "{text}");
    let none = json(&["perft", "duel", "0", "--divide", "--json"]);
    assert_eq!((none["nodes"].as_u64(), none["moves"].as_array().map(Vec::len)), (Some(1), Some(0)));
}

#[test]
fn positions_are_those_asked_for() {
    let fen = "3/l2/L2 w - - 2 2";
    let object = json(&["perft", "duel", "6", "--json", "--fen", fen]);
    assert_eq!((object["fen"].as_str(), object["nodes"].as_u64()), (Some(fen), Some(1124)));
    let played = json(&["perft", "duel", "6", "--json", "--moves", "c1a1 a3a2"]);
    assert_eq!((played["fen"].as_str(), played["nodes"].as_u64()), (Some(fen), Some(1124)));
    let over = json(&["perft", "duel", "3", "--json", "--fen", "3/1L1/l2 w - - 0 1"]);
    assert_eq!(over["nodes"], 0);
}

#[test]
fn a_variant_file_counts_as_the_same_game_embedded() {
    let path = file("perft-variant.toml", duel_of("3x3", "l2/3/2L", "b2"));
    let object = json(&["perft", "--variant", &path, "8", "--json"]);
    assert_eq!((object["game"].as_str(), object["nodes"].as_u64()), (Some("my-duel"), Some(17_368)));
}

#[test]
fn a_count_that_does_not_fit_is_no_number() {
    let problem = error(&["perft", "duel", "99", "--hash", "1"]);
    assert!(problem.starts_with("depth 99 has more move sequences than a 64-bit number"), "{problem}");
    // 39 plies of about 3.1 moves are the last that fit.
    assert!(json(&["perft", "duel", "35", "--hash", "1", "--json"])["nodes"].as_u64().is_some());
}

#[test]
fn depths_out_of_range_are_refused() {
    for depth in ["100", "-1", "x", "1.5", "", "99999999999999999999"] {
        let problem = error(&["perft", "duel", depth]);
        assert_eq!(problem, format!("\"{depth}\" is not a depth: write a whole number from 0 to 99"));
    }
    assert!(error(&["perft", "duel"]).contains("no depth given"));
    assert!(error(&["perft"]).contains("no game given"));
    let path = file("depthless.toml", duel_of("3x3", "l2/3/2L", "b2"));
    assert!(error(&["perft", "--variant", &path]).contains("no depth given"));
    assert!(error(&["perft", "--variant", &path, "duel", "3"]).contains("takes the place of the game"));
}

#[test]
fn threads_and_tables_out_of_range_are_refused() {
    for arguments in [["--threads", "0"], ["--threads", "x"], ["--threads", "100000"], ["--hash", "0"]] {
        let problem = error(&["perft", "duel", "3", arguments[0], arguments[1]]);
        assert!(problem.contains(arguments[0]), "{problem}");
    }
    let problem = error(&["perft", "duel", "3", "--hash", "1000000T"]);
    assert!(problem.contains("memory"), "{problem}");
}

fn repository(path: &str) -> String {
    format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_suite_is_checked_row_by_row() {
    let path = file(
        "suite.json",
        r#"{"rows": [
            {"game": "duel", "fen": "l2/3/2L w - - 0 1", "perft": {"1": 4, "2": 16, "9": 53512}},
            {"game": "ambush", "perft": [12, 144, 1714]},
            {"game": "diamaranga", "perft": {"9": 999999999999}}]}"#,
    );
    let text = ok(&["perft", "--suite", &path, "--max-nodes", "20000"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "ok        duel            l2/3/2L w - - 0 1  depth 1-2  left out 9");
    assert_eq!(lines[1], "ok        ambush          nqlqn/5/5/5/NQLQN b - - 0 1  depth 1-3");
    assert!(lines[2].starts_with("left out  diamond-quest   "), "{}", lines[2]);
    assert!(lines[3].starts_with("3 rows, 5 counts, all match, 2 left out; 1,890 nodes in "), "{}", lines[3]);

    let text = ok(&["perft", "ambush", "--suite", &path, "--json"]);
    let row: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(row["verdict"], "ok");
    assert_eq!(row["counts"][2], serde_json::json!({"depth": 3, "nodes": 1714, "expected": 1714}));
    // An alias picks the rows of its game.
    assert!(
        ok(&["perft", "diamond-quest", "--suite", &path, "--max-nodes", "1"]).contains("1 rows, 0 counts")
    );
}

#[test]
fn a_suite_may_be_that_of_a_variant_file() {
    let variant = file("suite-variant.toml", duel_of("3x3", "l2/3/2L", "b2"));
    let suite = file(
        "suite-of-variant.json",
        r#"{"rows": [{"game": "my-duel", "perft": [4, 16, 56]}, {"game": "elsewhere", "perft": [1]}]}"#,
    );
    let text = ok(&["perft", "--variant", &variant, "--suite", &suite]);
    assert!(
        text.starts_with("ok        my-duel ") && text.contains("\n1 rows, 3 counts, all match"),
        "{text}"
    );
}

#[test]
fn a_count_that_differs_is_a_no() {
    let path = file("wrong.json", r#"{"rows": [{"game": "duel", "perft": [4, 17]}]}"#);
    let said = run(&["perft", "--suite", &path]);
    assert_eq!((said.code, said.stderr.as_str()), (1, ""));
    assert!(said.stdout.starts_with("mismatch  duel"), "{}", said.stdout);
    assert!(said.stdout.contains("\n          depth 2: 16 counted, 17 expected\n"), "{}", said.stdout);
    assert!(said.stdout.contains("1 rows, 2 counts, 1 DIFFER"), "{}", said.stdout);
    let said = run(&["perft", "--suite", &path, "--json"]);
    let row: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, row["verdict"].as_str()), (1, Some("mismatch")));
}

#[test]
fn a_bad_suite_is_refused_before_anything_is_counted() {
    let good = r#"{"game": "duel", "perft": [4]}"#;
    for (row, problem) in [
        (r#"{"game": "dule", "perft": [4]}"#, "row 2: no game \"dule\": did you mean \"duel\"?"),
        (
            r#"{"game": "duel", "fen": "l2/3 w - -", "perft": [4]}"#,
            "row 2: fen: the board has 3 ranks, found 2",
        ),
        (r#"{"game": "duel", "perft": {"x": 4}}"#, "row 2: perft: \"x\" is not a depth"),
        (r#"{"perft": [4]}"#, "row 2: game: missing"),
    ] {
        let path = file("bad-row.json", format!("{{\"rows\": [{good}, {row}]}}"));
        let said = error(&["perft", "--suite", &path]);
        assert!(said.starts_with(&path) && said.contains(problem), "{said}");
    }
    let of = |contents: &[u8]| error(&["perft", "--suite", &file("bad.json", contents)]);
    assert!(of(b"{\n").contains("not JSON") && of(b"{\n").contains("line 2"));
    assert!(of(b"[]").contains("a list \"rows\""));
    assert!(of(b"\xff").contains("not UTF-8"));
    assert!(of(b"{\"rows\": []}").ends_with("there is no row"));
    let path = file("other.json", format!("{{\"rows\": [{good}]}}"));
    assert!(error(&["perft", "ambush", "--suite", &path]).ends_with("there is no row of ambush"));
    assert!(error(&["perft", "--suite", &place("absent.json")]).contains("No such file"));
    assert!(error(&["perft", "--suite", &repository("cli")]).contains("a directory, not a file"));
    assert!(error(&["perft", "duel", "3", "--max-nodes", "4"]).contains("--suite"));
    assert!(error(&["perft", "duel", "3", "--suite", &path]).contains("cannot be used with"));
}
