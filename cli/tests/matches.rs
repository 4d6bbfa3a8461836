//! `jewel match` as it is typed.

use crate::common::{error, json, ok, place};
use std::fs;

const RANDOM: [&str; 4] = ["--player", "random,name=a", "--player", "random,name=b"];

#[test]
fn a_match_has_a_scoresheet_an_object_and_games() {
    let games = place("match.pgn");
    let line =
        [&["match", "jewel-series", "--matches", "2", "--max-plies", "40", "--pgn", &games], &RANDOM[..]]
            .concat();
    let text = ok(&line);
    assert!(text.starts_with("Jewel, Facets 1 to 3\n\nMatch 1: Red "), "{text}");
    assert!(text.contains("\nMatch 2: Red ") && text.contains("games won"), "{text}");
    let found = json(&[&line[..], &["--json"]].concat());
    assert_eq!((found["match"].as_str(), found["deciding"].as_bool()), (Some("jewel-series"), Some(false)));
    let matches = found["matches"].as_array().unwrap();
    assert_eq!(matches[0]["players"][0], matches[1]["players"][1]);
    let first = &matches[0]["games"][0];
    assert_eq!((first["game"].as_str(), first["start"].as_str()), (Some("duel"), Some("l2/3/2L w - - 0 1")));
    let points = |player: usize| found["players"][player]["points"].as_f64().unwrap();
    assert!(points(0) + points(1) >= 8.0, "{found}");
    let pgn = fs::read_to_string(&games).unwrap();
    assert_eq!(pgn.matches("[Variant ").count() as u64, found["games"].as_u64().unwrap());
}

#[test]
fn clocks_of_a_match_are_scaled() {
    let line =
        [&["match", "northern-light", "--max-plies", "1", "--clock-scale", "0.01", "--json"], &RANDOM[..]]
            .concat();
    let found = json(&line);
    let games = found["matches"][0]["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0]["clocks"][0].as_f64(), Some(36.0));
    assert!(games[1]["clocks"][0].as_f64().unwrap() > 50.0, "the rest of DiamondQi is added");
}

#[test]
fn sides_may_be_chosen_and_beginners_games_count_once() {
    let line = ["match", "jewel-series", "--matches", "4", "--max-plies", "40", "--json"];
    let found = json(&[&line[..], &RANDOM, &["--south", "b", "--first-play"]].concat());
    for (n, of_match) in found["matches"].as_array().unwrap().iter().enumerate() {
        assert_eq!(of_match["players"], serde_json::json!(["b", "a"]));
        let points: f64 = of_match["points"].as_array().unwrap().iter().filter_map(|own| own.as_f64()).sum();
        // Duel brings 1 point, Ambush 2, Northern Light 1 or 2.
        assert_eq!(points >= 4.0, n == 0, "{of_match}");
    }
    let wrong = error(&[&line[..], &RANDOM, &["--south", "c"]].concat());
    assert_eq!(wrong, "--south: no player \"c\": they are \"a\" and \"b\"");
    let light = error(&[&["match", "northern-light", "--first-play"], &RANDOM[..]].concat());
    assert!(light.contains("--first-play is for jewel-series"), "{light}");
}

#[test]
fn what_is_wrong_with_a_match_is_said() {
    for (arguments, words) in [
        (&["--player", "random"][..], "a match is between two players: 1 given"),
        (&["--player", "random", "--player", "random"], "there are two players \"random\""),
        (&["--player", "random", "--player", "abb"], "abb"),
        (&["--player", "random", "--player", "ab,clock=5:00"], "leave clock out, and write --clock-scale"),
        (&["--player", "random", "--player", "ab,nodes=1", "--clock-scale", "0"], "such as 0.01"),
        (&["--player", "random", "--player", "ab,nodes=1", "--duel-minutes", "7"], "--duel-minutes"),
    ] {
        let line = error(&[&["match", "northern-light"], arguments].concat());
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    let line = error(&[&["match", "jewel-series", "--deciding"], &RANDOM[..]].concat());
    assert!(line.contains("--deciding is for northern-light"), "{line}");
    assert!(error(&["match", "northen-light"]).contains("northern-light"));
}
