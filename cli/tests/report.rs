//! `jewel report` as it is typed.

mod common;

use common::{error, file, json, ok, place};
use std::fs;

#[test]
fn a_small_game_is_solved_and_sampled() {
    let page = place("report.html");
    let _ = fs::remove_file(&page);
    let options = ["--games", "6", "--nodes", "16", "--rungs", "2"];
    let found = json(&[&["report", "duel", "--json", "--html", &page], &options[..]].concat());
    assert_eq!((found["game"].as_str(), found["fen"].as_str()), (Some("duel"), Some("l2/3/2L w - - 0 1")));
    assert_eq!(
        (found["exact"]["value"].as_str(), found["exact"]["method"].as_str()),
        (Some("draw"), Some("graph"))
    );
    let solved = json(&["solve", "duel", "--json"]);
    for key in ["positions", "wins", "draws", "losses", "longest_win", "longest_win_fen"] {
        assert_eq!(found["exact"]["positions"][key], solved[key], "{key}");
    }
    assert_eq!(
        (found["sampled"]["games"].as_u64(), found["ladder"][0]["nodes"].as_u64()),
        (Some(6), Some(16))
    );
    let written = fs::read_to_string(&page).unwrap();
    assert!(written.starts_with("<!DOCTYPE html>") && written.contains("jewel report duel --json --html"));

    let text = ok(&[&["report", "duel", "--max-positions", "10"], &options[..]].concat());
    assert!(text.contains("not solved"), "more positions than the bound: {text}");
}

#[test]
fn a_report_on_a_variant_file_takes_tables() {
    let rules = file("report.toml", common::duel_of("4x4", "l3/4/4/3L", "b2"));
    let tables = place("report-tables");
    let _ = fs::remove_dir_all(&tables);
    ok(&["tables", "build", "--variant", &rules, "--tables", &tables]);
    let options =
        ["--tables", &tables, "--max-positions", "0", "--games", "4", "--nodes", "8", "--rungs", "1"];
    let found = json(&[&["report", "--variant", &rules, "--json"], &options[..]].concat());
    let solved = json(&["solve", "--variant", &rules, "--method", "graph", "--json"]);
    assert_eq!(found["exact"]["method"], "tables");
    assert_eq!(
        (&found["exact"]["value"], &found["exact"]["distance"]),
        (&solved["value"], &solved["distance"])
    );
    let powers = found["powers"].as_array().unwrap();
    let pieces: Vec<u64> = powers.iter().map(|power| power["pieces"].as_u64().unwrap()).collect();
    assert!(!pieces.is_empty() && pieces.is_sorted(), "{pieces:?}");
}

#[test]
fn what_is_wrong_with_a_report_is_said() {
    for (arguments, words) in [
        (&["report", "dual"][..], "did you mean \"duel\"?"),
        (&["report", "duel", "--games", "1"], "--games"),
        (&["report", "duel", "--nodes", "0"], "--nodes"),
        (&["report", "duel", "--tables", "/nowhere"], "there are no tables in /nowhere"),
        (&["report", "duel", "--plies", "150", "--games", "2"], "take fewer"),
        (&["report", "duel", "--games", "2", "--nodes", "1", "--html", "/nowhere/x.html"], "/nowhere/x.html"),
    ] {
        let line = error(arguments);
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
}
