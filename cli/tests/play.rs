//! `jewel play`: whole games with piped input.

use crate::common::{self, Said, error, file, json, place, program};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// Plays with this input.
fn play(arguments: &[&str], input: &str) -> Said {
    let mut child = program()
        .arg("play")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // Who has left the table hears no more.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends").into()
}

fn talk(arguments: &[&str], input: &str) -> String {
    let said = play(arguments, input);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments:?}");
    said.stdout
}

const HUMANS: [&str; 6] = ["duel", "--white", "human", "--black", "human", "--ascii"];

#[test]
fn two_people_play_to_the_end() {
    let text = talk(&HUMANS, "c1b1\na3c3\nb1b2\nc3a3\nignored\n");
    let board = "   +-------+   Green
 3 |<l>.<.>|     l  Prince       JLD-GNPR
 2 | .[L]. |   Red
 1 | . . . |     L  Armed Guard  JLD-RDAR
   +-------+
     a b c

Green played c3a3
over: Red has won

[Variant \"duel\"]
[FEN \"l2/3/2L w - - 0 1\"]
[White \"human\"]
[Black \"human\"]
[Result \"1-0\"]
[Termination \"normal\"]

1. Lb1 Lc3 2. Lb2 La3 {Red has won} 1-0
";
    assert!(text.ends_with(board), "{text}");
    assert_eq!(text.matches("Green> ").count(), 2);
}

#[test]
fn slips_are_explained_and_undone() {
    let text = talk(&HUMANS, "undo\nc1\nc1b2\nhello there\nmoves c1c\nmoves x\nc1b1\nundo\nposition\nquit\n");
    for part in [
        "there is nothing to take back",
        "did you mean c1a1, c1b1, c1c2 or c1c3?",
        "the Armed Guard on c1 cannot go to b2; it can go to a1 b1 c2 c3\ndid you mean c1b1 or c1c2?",
        "\"hello there\" is not a move",
        "Red> c1c2 c1c3\n",
        "no move begins with \"x\"",
        "taken back\nRed> l2/3/2L w - - 0 1\n",
        "[Result \"*\"]\n[Termination \"unterminated\"]\n\n*\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_game_that_need_not_end_is_drawn_after_its_own_number_of_plies() {
    let [records, games] = ["long.jsonl", "long.pgn"].map(place);
    let _ = fs::remove_file(&records);
    let words =
        ["tournament", "crystal-draughts", "--player", "random", "--player", "random,name=b", "--games", "1"];
    let files = ["--records", &records, "--pgn", &games, "--adjudicate", "max_plies=398"];
    common::ok(&[&words[..], &files].concat());
    let go_on = ["crystal-draughts", "--white", "ab", "--black", "ab", "--depth", "1", "--load", &games];
    let text = talk(&go_on, "");
    assert!(text.ends_with("{drawn after 400 plies} 1/2-1/2\n"), "{text}");
    let asked = talk(&[&go_on[..], &["--max-plies", "399"]].concat(), "");
    assert!(asked.ends_with("{broken off after 399 plies} *\n"), "{asked}");
}

#[test]
fn what_can_be_typed_is_said_at_once() {
    let text = talk(&HUMANS, "");
    assert!(
        text.starts_with("Type a move such as c1a1, or: moves, hint, undo, save FILE, resign, quit, help.\n"),
        "{text}"
    );
    let engines = talk(&["duel", "--white", "ab", "--black", "ab", "--depth", "1", "--max-plies", "2"], "");
    assert!(!engines.contains("Type a move"), "{engines}");
}

#[test]
fn the_legend_stays_though_pieces_go() {
    let people = ["ambush", "--white", "human", "--black", "human", "--ascii"];
    // Red's only Sheriff falls.
    let text = talk(&[&people[..], &["--fen", "nql2/5/1L3/5/NQ3 b - - 0 1"]].concat(), "a5b3\n");
    let legend = |line: &str| {
        let (_, legend) = line.split_once("|   ").or(line.split_once("+   ")).or(line.split_once("e   "))?;
        Some(legend.replace(" to move", ""))
    };
    let legends: Vec<String> = text.lines().filter_map(legend).collect();
    let (before, after) = legends.split_at(legends.len() / 2);
    assert!(before.iter().any(|line| line.contains("L  Sheriff")), "{text}");
    assert_eq!(before, after, "{text}");
}

#[test]
fn undo_takes_a_whole_turn_back() {
    let people = ["world-tree:start=standard", "--white", "human", "--black", "human", "--ascii"];
    let start = "First player> TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0\n";
    for typed in ["a6b5\n", "a6b5\na7a6\n", "a6b5,a7a6\n"] {
        let text = talk(&people, &format!("{typed}undo\nposition\nquit\n"));
        assert!(text.contains("taken back\n") && text.contains(start), "{typed}: {text}");
    }
    // The clocks go back with the turn.
    let clocked = [&people[..], &["--clock", "9"]].concat();
    let text = talk(&clocked, "a6b5,a7a6\nundo\nclock\nquit\n");
    assert!(
        text.ends_with("First player> clock: First player 9.0, Second player 9.0\nFirst player> \n")
            || text.contains("clock: First player 9.0, Second player 9.0\n"),
        "{text}"
    );
}

/// Ctrl-C at the board, where the input is no terminal.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_record() {
    let mut child = program()
        .arg("play")
        .args(HUMANS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"c1b1\n").unwrap();
    // Until the move is on the board.
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("Red played c1b1") {
        assert_ne!(std::io::BufRead::read_line(&mut stdout, &mut said).unwrap(), 0, "{said}");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    std::io::Read::read_to_string(&mut stdout, &mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.ends_with("[Result \"*\"]\n[Termination \"unterminated\"]\n\n1. Lb1 *\n"), "{said}");
}

#[test]
fn repetition_ends_the_game() {
    let once = "c1a1\na3a2\na1c1\na2a3\n";
    let text = talk(&HUMANS, &format!("{once}{once}"));
    assert!(text.contains("over: draw by repetition\n") && text.ends_with("{draw by repetition} 1/2-1/2\n"));
}

#[test]
fn an_engine_answers_and_gives_hints() {
    let arguments = ["duel", "--white", "human", "--depth", "6", "--ascii"];
    let text = talk(&arguments, "hint\nc1b1\nundo\nc1b1\nhelp\nresign\n");
    for part in ["Red> hint: c1", "Green (ab) played ", "taken back", "load FILE", "Red has resigned"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(
        text.contains("[White \"human\"]\n[Black \"ab\"]\n[Result \"0-1\"]\n[Termination \"normal\"]"),
        "{text}"
    );
    // The undo took both moves back, so there are two again.
    assert!(text.contains("\n1. Lb1 "), "{text}");
    assert!(!text.contains("2. "), "{text}");
    // Green moves first on ambush: a person is Green there.
    let text = talk(&["ambush", "--depth", "2"], "switch\nresign\n");
    assert!(text.contains("Green (ab) played"), "{text}");
    assert!(text.contains("[White \"human\"]\n[Black \"ab\"]"), "{text}");
}

#[test]
fn engines_play_each_other() {
    let arguments = ["play", "duel", "--white", "ab", "--black", "mcts", "--nodes", "5000", "--json"];
    let said = common::run(&arguments);
    assert_eq!(said.code, 0, "{said:?}");
    let object: serde_json::Value = serde_json::from_str(&said.stdout).expect("one object");
    // Duel is a draw, and both see that far.
    assert_eq!(
        (object["result"].as_str(), object["termination"].as_str()),
        (Some("1/2-1/2"), Some("normal"))
    );
    assert_eq!((object["game"].as_str(), object["white"].as_str()), (Some("duel"), Some("ab")));
    let moves: Vec<&str> =
        object["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let after = json(&["moves", "duel", "--json", "--moves", &moves.join(" ")]);
    assert_eq!((&after["fen"], after["outcome"].as_str()), (&object["fen"], Some("draw")));
    let short = talk(&["ambush", "--white", "ab", "--black", "ab", "--depth", "1", "--max-plies", "3"], "");
    assert!(short.ends_with("{broken off after 3 plies} *\n"), "{short}");
}

#[test]
fn a_record_is_saved_and_played_on() {
    let saved = place("saved.pgn");
    let _ = fs::remove_file(&saved);
    let text = talk(&[&HUMANS[..], &["--save", &saved]].concat(), "c1b1\na3c3\nquit\n");
    let record = fs::read_to_string(&saved).unwrap();
    assert!(text.ends_with(&record) && record.ends_with("\n1. Lb1 Lc3 *\n"), "{record}");
    let text = talk(&[&HUMANS[..], &["--load", &saved]].concat(), "b1b2\nundo\nundo\nundo\nundo\nquit\n");
    assert!(text.contains("there is nothing to take back") && text.ends_with("\n*\n"), "{text}");
    // And at the board.
    let other = place("other.pgn");
    let typed = format!("c1a1\nsave {other}\nload {saved}\nload /nowhere\nsave\nposition\nquit\n");
    let text = talk(&HUMANS, &typed);
    for part in [
        &format!("saved to {other}\n"),
        &format!("loaded {saved}\n"),
        "/nowhere: No such file or directory\n",
        "save FILE\n",
        "Red> 2l/3/1L1 w - - 2 2\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let foreign = file("foreign.pgn", "[Variant \"ambush\"]\n\n*\n");
    assert!(error(&["play", "duel", "--load", &foreign]).ends_with("a record of ambush, not of duel"));
    let wrong = file("wrong.pgn", "1. c1b1 zz\n");
    assert!(error(&["play", "duel", "--load", &wrong]).contains("move 2 of 2, \"zz\""));
}

#[test]
fn the_clock_runs() {
    let clocked = [&HUMANS[..], &["--clock", "5m", "--increment", "3"]].concat();
    let text = talk(&clocked, "clock\nc1b1\nquit\n");
    assert!(text.contains("Red> clock: Red 5:00, Green 5:00\n") && text.contains("clock: Red 5:0"), "{text}");
    let text = talk(&[&HUMANS[..], &["--clock", "0"]].concat(), "c1b1\n");
    assert!(text.contains("over: Red has overstepped the time\n"), "{text}");
    assert!(text.contains("[Result \"0-1\"]\n[Termination \"time forfeit\"]"), "{text}");
    let engines =
        ["duel", "--white", "ab", "--black", "mcts", "--clock", "2", "--delay", "50ms", "--max-plies", "6"];
    let text = talk(&engines, "");
    assert!(!text.contains("overstepped") && text.contains("clock: Red "), "{text}");
    assert!(error(&["play", "duel", "--increment", "3"]).contains("--clock"));
    assert!(
        error(&["play", "duel", "--clock", "5m", "--increment", "3", "--delay", "2"]).contains("--delay")
    );
}

#[test]
fn what_is_typed_wrong_is_one_line() {
    assert!(error(&["play"]).starts_with("no game given"));
    assert!(error(&["play", "duel", "--white", "god"]).contains("god"));
    assert!(error(&["play", "duel", "--playouts", "3"]).contains("let mcts play a side"));
    assert!(error(&["play", "duel", "--hash", "1000T", "--white", "ab"]).contains("of memory"));
}

/// Whatever is typed, the game goes on until the input ends.
#[test]
fn garbage_is_survived() {
    let text = talk(&HUMANS, "\u{1b}[2J\n\0\n((((\nundo undo\nload\nmoves \u{1b}\n999999999999\nc1b1\n");
    assert!(text.ends_with("\n1. Lb1 *\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
