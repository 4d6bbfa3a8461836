//! Crown Jewels by its commands: who is shown what.

use crate::common::{error, json, ok, program};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

const STATE: &str = "7,b15/8/8/8/8/3,b33,1,b03!,2/3,w46,w25,3/8 w wb 4";
const VIEW: &str = "7,b??/8/8/8/8/3,b??,1,b03!,2/3,w46,w25,3/8 w wb 4 w 15,33";

#[test]
fn what_one_player_sees_is_shown_listed_and_analysed() {
    let text = ok(&["show", "crown-jewels", "--fen", VIEW, "--ascii"]);
    assert!(text.contains(" 3 | .    .    .    b??  .    b03! .    .    |"), "{text}");
    assert!(text.contains("hidden tiles           15,33\n"), "{text}");
    let seen = json(&["moves", "crown-jewels", "--fen", VIEW, "--json"]);
    let whole = json(&["moves", "crown-jewels", "--fen", STATE, "--json"]);
    assert_eq!((&seen["moves"], seen["fen"].as_str()), (&whole["moves"], Some(VIEW)));
    let found = json(&["analyse", "crown-jewels", "--fen", VIEW, "--playouts", "200", "--json"]);
    assert_eq!((found["fen"].as_str(), found["engine"].as_str()), (Some(VIEW), Some("mcts")));
    assert_eq!(found["score"]["kind"], "expectation");
    assert!(found["score"]["error"].as_f64().unwrap() > 0.0);
    // The whole position tells the search no more.
    let told = json(&["analyse", "crown-jewels", "--fen", STATE, "--playouts", "200", "--json"]);
    assert_eq!((&told["score"], &told["line"]), (&found["score"], &found["line"]));
    let cheating = json(&["analyse", "crown-jewels", "--fen", STATE, "--cheat", "--depth", "2", "--json"]);
    assert_eq!(cheating["engine"], "ab");
}

#[test]
fn bad_requests_get_one_line() {
    let refused = |arguments: &[&str]| error(&[&["analyse", "crown-jewels"], arguments].concat());
    assert_eq!(
        refused(&["--player", "ab"]),
        "crown-jewels: alpha-beta search needs to see everything; let mcts play, or cheat"
    );
    assert_eq!(
        refused(&["--fen", VIEW, "--cheat", "--depth", "1"]),
        "nobody can cheat in what one player sees: give the whole position"
    );
    let played = error(&["show", "crown-jewels", "--fen", VIEW, "--moves", "d2d3"]);
    assert!(played.starts_with("--moves: from what one player sees no moves are played"), "{played}");
    let wrong = error(&["moves", "crown-jewels", "--fen", &VIEW.replace("15,33", "15,34,33")]);
    assert!(wrong.starts_with("--fen: the hidden tiles are sorted"), "{wrong}");
}

#[test]
fn a_person_gives_places_and_sees_his_own_tiles() {
    let mut child = program()
        .args(["play", "crown-jewels:tiles=6,files=4,ranks=6", "--white", "human", "--black", "mcts"])
        .args(["--playouts", "20", "--seed", "5", "--ascii", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // Mistakes change nothing.
    stdin.write_all(b"give 00\nauto\nplace a1=35\nauto\nposition\nquit\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let talk = String::from_utf8(output.stderr).unwrap();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(talk.contains("White has been dealt:\n"), "{talk}");
    assert!(talk.contains("White> the tile 00 is not in hand; in hand are "), "{talk}");
    assert!(talk.contains("was drawn by lot to begin."), "{talk}");
    // Black's tiles are on the board, and none of them is named before the end.
    let start = record["start"].as_str().unwrap();
    let black: Vec<&str> =
        start.split([',', '/', ' ']).filter(|t| t.len() == 3 && t.starts_with('b')).collect();
    assert_eq!(black.len(), 6, "{start}");
    assert!(black.iter().all(|tile| !talk.contains(tile)), "{talk}");
    let hidden = talk.lines().find(|line| line.contains("b??,")).and_then(|line| line.split(' ').next_back());
    assert_eq!(hidden.map(|tiles| tiles.split(',').count()), Some(6), "{talk}");
}

#[test]
fn small_ends_are_solved() {
    let id = "crown-jewels:files=2,ranks=4,tiles=2,home=1,checkers=0,quiet=10";
    let solved = json(&["solve", id, "--fen", "b35!,1/2/2/w46!,1 w b 0", "--json"]);
    assert_eq!((solved["value"].as_str(), solved["distance"].as_u64()), (Some("win"), Some(5)));
}
