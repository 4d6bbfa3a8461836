//! `jewel analyse`: results for people and scripts, and batches.

use crate::common::{check_error, error, file, json, ok, place, run};
use serde_json::Value;
use std::fs;

/// Red stands beside the key, Green too far away to object.
const WON: &str = "2l/3/1L1 w - - 0 1";

#[test]
fn a_forced_win_has_its_distance() {
    for engine in [&["--player", "ab", "--depth", "4"][..], &["--player", "mcts", "--playouts", "500"]] {
        let object = json(&[&["analyse", "duel", "--fen", WON, "--json"], engine].concat());
        assert_eq!((object["game"].as_str(), object["fen"].as_str()), (Some("duel"), Some(WON)));
        assert_eq!(object["score"], serde_json::json!({"kind": "win", "value": 2, "exact": true}));
        assert_eq!((object["bestmove"].as_str(), object["proven"].as_bool()), (Some("b1b2"), Some(true)));
        assert_eq!(object["line"][0], "b1b2");
        assert_eq!(object["engine"], engine[1]);
        assert!(object["depth"].is_u64() && object["nodes"].as_u64().unwrap() > 0);
        assert!(object["seconds"].as_f64().unwrap() >= 0.0 && object.get("lines").is_none());
    }
    let text = ok(&["analyse", "duel", "--fen", WON, "--depth", "4"]);
    assert!(text.contains("\nscore     win in 2 plies\nbestmove  b1b2\n"), "{text}");
}

#[test]
fn losses_and_open_positions_are_scored() {
    let lost = json(&["analyse", "duel", "--moves", "c1b1 a3c3 b1b2", "--depth", "4", "--json"]);
    assert_eq!(lost["score"], serde_json::json!({"kind": "loss", "value": 1, "exact": true}));
    let open = json(&["analyse", "ambush", "--depth", "3", "--json"]);
    assert_eq!(open["score"]["kind"], "centipawns");
    assert!(open["score"]["value"].as_i64().unwrap().abs() < 2000);
    let share = json(&["analyse", "ambush", "--player", "mcts", "--playouts", "300", "--json"]);
    assert_eq!(share["score"]["kind"], "expectation");
    assert!((0.0..=1.0).contains(&share["score"]["value"].as_f64().unwrap()));
}

#[test]
fn a_game_that_is_over_needs_no_search() {
    let object = json(&["analyse", "duel", "--moves", "c1b1 a3c3 b1b2 c3a3", "--json"]);
    assert_eq!(object["score"], serde_json::json!({"kind": "win", "value": 0, "exact": true}));
    assert!(object["bestmove"].is_null() && object["nodes"] == 0);
    let once = "c1a1 a3a2 a1c1 a2a3";
    let text = ok(&["analyse", "duel", "--moves", &format!("{once} {once}")]);
    assert!(text.ends_with("score     drawn: the game is over\n"), "{text}");
}

#[test]
fn several_lines_are_best_first() {
    let object = json(&["analyse", "duel", "--fen", WON, "--depth", "5", "--multipv", "9", "--json"]);
    let lines = object["lines"].as_array().unwrap();
    let legal = json(&["moves", "duel", "--fen", WON, "--json"])["moves"].as_array().unwrap().len();
    assert_eq!(lines.len(), legal);
    assert_eq!((&lines[0]["score"], &lines[0]["line"]), (&object["score"], &object["line"]));
    let firsts: std::collections::HashSet<&str> =
        lines.iter().map(|line| line["line"][0].as_str().unwrap()).collect();
    assert_eq!(firsts.len(), legal);
    let text = ok(&["analyse", "duel", "--fen", WON, "--depth", "5", "--multipv", "2"]);
    assert!(text.contains("\n1  win in 2 plies  b1b2"), "{text}");
}

#[test]
fn a_search_with_one_thread_repeats_itself() {
    let nodes = |engine: &[&str]| {
        let object = json(&[&["analyse", "diamond-quest", "--json"], engine].concat());
        (object["nodes"].as_u64(), object["line"].clone())
    };
    for engine in [&["--nodes", "20000"][..], &["--player", "mcts", "--playouts", "200", "--seed", "7"]] {
        assert_eq!(nodes(engine), nodes(engine));
    }
    assert_eq!(nodes(&["--nodes", "20000"]).0.map(|n| n <= 20_000), Some(true));
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_batch_writes_a_line_for_each_position() {
    let epd = file(
        "batch.epd",
        format!("# two\n{WON}; id \"first\"; bm b1b2;\n\nl2/3/2L w - -\nl2/1L1/3 w - - 4 3\n"),
    );
    let mut found = rows(&ok(&["analyse", "duel", "--epd", &epd, "--depth", "4", "--threads", "2"]));
    found.sort_by_key(|row| row["fen"].as_str().unwrap().to_string());
    assert_eq!(found.len(), 3);
    assert_eq!((found[0]["id"].as_str(), found[0]["solved"].as_bool()), (Some("first"), Some(true)));
    assert_eq!(found[0]["bm"], serde_json::json!(["b1b2"]));
    // Each result is that of a search of its own.
    let alone = json(&["analyse", "duel", "--depth", "4", "--json"]);
    assert_eq!(found[2]["fen"], "l2/3/2L w - - 0 1");
    assert_eq!((&found[2]["nodes"], &found[2]["line"]), (&alone["nodes"], &alone["line"]));
    assert!(found[1]["bestmove"].is_null());
}

#[test]
fn a_batch_goes_on_where_it_was_stopped() {
    let epd = file("resume.epd", format!("{WON} ;bm b1b2\nl2/3/2L w - -\n2l/3/L2 w - -\n"));
    let out = place("resume.jsonl");
    let _ = fs::remove_file(&out);
    let arguments = ["analyse", "duel", "--epd", &epd, "--depth", "4", "--threads", "1", "--out", &out];
    assert_eq!(ok(&arguments), "3 positions; 1 of 1 known answers found\n");
    let complete = fs::read_to_string(&out).unwrap();
    assert_eq!(complete.lines().count(), 3);
    // Killed in the middle of the second line.
    let cut = complete.find('\n').unwrap() + 30;
    fs::write(&out, &complete[..cut]).unwrap();
    assert_eq!(ok(&arguments), "3 positions, 1 of them analysed before; 1 of 1 known answers found\n");
    let again = rows(&fs::read_to_string(&out).unwrap());
    let steady = |row: &Value| (row["fen"].clone(), row["nodes"].clone(), row["bestmove"].clone());
    assert_eq!(
        again.iter().map(steady).collect::<Vec<_>>(),
        rows(&complete).iter().map(steady).collect::<Vec<_>>()
    );
    // Nothing is left to do.
    let summary = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!((summary["skipped"].as_u64(), summary["solved"].as_u64()), (Some(3), Some(1)));
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 3);
}

#[test]
fn an_answer_that_is_not_found_is_a_no() {
    let epd = file("wrong.epd", format!("{WON} ;am b1b2\n"));
    let said = run(&["analyse", "duel", "--epd", &epd, "--depth", "4"]);
    assert_eq!((said.code, rows(&said.stdout)[0]["solved"].as_bool()), (1, Some(false)));
}

/// The position strings of these games have other fields than those of chess.
#[test]
fn batches_of_other_games() {
    for (game, fen, best, more) in [
        ("world-tree", "(TZ)2O4/R1sC1C2/8/2C5/4hg1z/3Kc2r/H2c1k2/4c1ot w m Cf7 6", "", &["--nodes", "200"]),
        ("world-tree", "TC6/8/8/8/8/8/8/6Ct w m - 0", "g1xh1", &["--nodes", "200"]),
        ("kings-mate", "kesmspk/ff1f1ff/7/7/7/7/7/FF1F1FF/KPSMSEK w - 0 1", "", &["--nodes", "200"]),
        ("crown-jewels", "8/8/8/8/8/b45,7/w55,7/8 w wb 0", "a2a3", &["--playouts", "50"]),
    ] {
        let best = if best.is_empty() { String::new() } else { format!(" bm {best};") };
        let path = file("other.epd", format!("# one\n{fen}{best}\n"));
        let row = rows(&ok(&[&["analyse", game, "--epd", &path], &more[..]].concat()))[0].clone();
        assert_eq!((row["game"].as_str(), row["fen"].as_str()), (Some(game), Some(fen)));
        assert_eq!(row["solved"].as_bool(), (!best.is_empty()).then_some(true), "{row}");
    }
    let path = file("other.epd", "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - id \"no count\";\n");
    let line = error(&["analyse", "world-tree", "--epd", &path]);
    assert!(
        line.ends_with("line 1: a position has 5 fields, \"board side phase moved quiet\"; found 4"),
        "{line}"
    );
}

#[test]
fn what_is_typed_wrong_is_one_line() {
    for (arguments, problem) in [
        (&["--depth", "0"][..], "--depth"),
        (&["--time", "soon"], "is not a time"),
        (&["--hash", "0"], "is not a size"),
        (&["--hash", "1000T"], "of memory are asked for"),
        (&["--multipv", "0"], "--multipv"),
        (&["--playouts", "5"], "give --player mcts too"),
        (&["--player", "human"], "human"),
        (&["--out", "x"], "--epd"),
        (&["--fen", "x"], "--fen: a position has"),
        (&["--moves", "zz"], "--moves: move 1 of 1, \"zz\": "),
    ] {
        let line = error(&[&["analyse", "duel"], arguments].concat());
        assert!(line.contains(problem), "{arguments:?}: {line}");
    }
    let epd = |text: &str| {
        let path = file("bad.epd", text);
        let said = run(&["analyse", "duel", "--epd", &path, "--depth", "1"]);
        let line = check_error(&said, text);
        line.strip_prefix(&format!("{path}: ")).unwrap_or_else(|| panic!("{line}")).to_string()
    };
    assert!(epd("l2/3/2L w\n").starts_with("line 1: a position has 4 to 6 fields"));
    assert!(epd("\nl2/4/2L w - -\n").starts_with("line 2: rank 2 must fill 3 squares"));
    assert!(epd("l2/3/2L w - - bm c1c9;\n").starts_with("line 1: bm or am \"c1c9\": c9 is off"));
    let out = file("foreign.jsonl", "{\"a\": 1}\n");
    let good = file("good.epd", "l2/3/2L w - -\n");
    let line = error(&["analyse", "duel", "--epd", &good, "--out", &out]);
    assert!(line.ends_with("line 1: a result has \"game\", \"fen\" and \"engine\""), "{line}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "{\"a\": 1}\n");
    let out = file("foreign.txt", "my letter");
    assert!(error(&["analyse", "duel", "--epd", &good, "--out", &out]).ends_with("not a file of results"));
    assert_eq!(fs::read_to_string(&out).unwrap(), "my letter");
}
