//! `jewel report` as it is typed.

use crate::common::{self, error, file, json, ok, place};
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
    // The start, a movement, and the boards of the longest win and of a game.
    let boards = written.matches("<svg class=\"board\"").count();
    let longest = found["longest_win"]["line"].as_array().unwrap().len() + 1;
    assert!((2 + longest + 2..=2 + longest + 3).contains(&boards), "{boards}");
    assert!(
        written.contains("Solved: with best play of both sides, a draw.") && written.contains("@media print")
    );
    assert_eq!(written.matches("<svg").count(), written.matches("</svg>").count());
    assert!(!written.contains("<script") && !written.contains("http"), "it loads nothing");
    // The exact values of first moves and the answers to them.
    let first: Vec<_> =
        found["openings"].as_array().unwrap().iter().map(|opening| opening["move"].clone()).collect();
    let best: Vec<_> = solved["moves"].as_array().unwrap().iter().map(|mv| mv["move"].clone()).collect();
    assert_eq!(first, best);
    let answer = &found["openings"][2]["replies"][0];
    assert_eq!((answer["value"].as_str(), answer["distance"].as_u64()), (Some("win"), Some(1)));

    let text = ok(&[&["report", "duel"], &options[..]].concat());
    for part in
        ["Red to move", "Armed Guard", "\nLongest win\n", "\nOpenings\n", "\nSample game\n", "\nWords\n"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// The page of a game that can be solved by nobody within a report, but was.
#[test]
fn what_the_catalogue_knows_the_report_knows() {
    let options = ["--max-positions", "10", "--games", "2", "--nodes", "4", "--rungs", "1"];
    let text = ok(&[&["report", "ambush"], &options[..]].concat());
    assert!(text.contains("  value        draw"), "{text}");
    let found = json(&[&["report", "ambush", "--json"], &options[..]].concat());
    assert_eq!(found["exact"], serde_json::json!({"method": "known", "value": "draw", "distance": null}));
    // Other rules under the same id are another game.
    let rules = file("report-as-ambush.toml", common::duel_of("4x4", "l3/4/4/3L", "b2"));
    let text = fs::read_to_string(&rules).unwrap();
    let id = text.lines().find(|line| line.starts_with("id = ")).unwrap().to_string();
    fs::write(&rules, text.replace(&id, "id = \"ambush\"")).unwrap();
    let text = ok(&[&["report", &rules], &options[..]].concat());
    assert!(text.contains("value        not solved"), "{text}");
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
