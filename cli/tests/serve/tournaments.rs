//! Tournaments: the records of one, and one that is being played.

use super::{Server, command_json};
use crate::common::{error, program};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn records_of_a_tournament_are_shown() {
    let folder = std::env::temp_dir().join(format!("jewel-serve-games-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let records = folder.join("cup.jsonl");
    let path = records.to_str().expect("a path");
    let players = ["--player", "ab,nodes=60", "--player", "random", "--player", "greedy"];
    let rounds = ["--rounds", "4", "--records", path, "--json"];
    let printed = command_json(&[&["tournament", "duel"], &players[..], &rounds[..]].concat());
    let server = Server::start(&["--games", path]);
    let shown = server.get("/api/tournament");
    let shown: Value = serde_json::from_str(&shown.body).expect("JSON");
    assert_eq!((shown["live"].clone(), shown["records"].clone()), (json!(false), json!("cup.jsonl")));
    for field in ["games", "players", "crosstable", "white", "reasons"] {
        assert_eq!(shown["report"][field], printed[field], "{field}");
    }
    let all = server.ask("tournament/games", json!({}));
    assert_eq!((all["all"].clone(), all["games"].as_array().map(Vec::len)), (json!(24), Some(24)));
    let wins = server.ask("tournament/games", json!({"player": "ab", "result": "win"}));
    let row = printed["players"].as_array().and_then(|rows| rows.iter().find(|row| row["name"] == "ab"));
    assert_eq!(wins["all"], row.expect("a row")["wins"]);
    assert_eq!(server.ask("tournament/games", json!({"player": "nobody"}))["all"], 0);
    assert_eq!(
        server.ask("tournament/games", json!({"from": 20}))["games"].as_array().map(Vec::len),
        Some(4)
    );
    let lines = std::fs::read_to_string(&records).expect("records");
    let third: Value = serde_json::from_str(lines.lines().nth(2).expect("a line")).expect("JSON");
    assert_eq!(server.ask("tournament/game", json!({"number": 3})), third);
    assert_eq!(server.refuses("tournament/game", json!({"number": 99})).0, 404);
    assert!(server.refuses("tournament/games", json!({"result": "1-0"})).1.contains("\"win\""));
    assert!(server.refuses("tournament/games", json!({"who": "me"})).1.contains("unknown field"));
    let other = Server::start(&[]);
    assert_eq!(
        serde_json::from_str::<Value>(&other.get("/api/tournament").body).expect("JSON")["report"],
        Value::Null
    );
    assert_eq!(other.refuses("tournament/game", json!({"number": 1})).0, 404);
    let broken = folder.join("broken.jsonl");
    std::fs::write(&broken, "{\"number\": 1}\n").expect("a file");
    let problem = error(&["serve", "--port", "0", "--games", broken.to_str().expect("a path")]);
    assert!(problem.contains("line 1: no record of a game"), "{problem}");
    std::fs::remove_dir_all(&folder).expect("it goes");
}

#[test]
fn a_tournament_is_shown_while_it_is_played() {
    let folder = std::env::temp_dir().join(format!("jewel-serve-live-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut child = program()
        .current_dir(&folder)
        .args([
            "tournament",
            "duel",
            "--player",
            "name=one,kind=ab,nodes=300",
            "--player",
            "name=two,kind=random",
        ])
        .args(["--rounds", "100000", "--sprt", "elo0=0,elo1=1", "--records", "cup.jsonl", "--serve=0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let mut line = String::new();
    while !line.contains("http://") {
        line.clear();
        assert!(stderr.read_line(&mut line).expect("a line") > 0, "it has not said its address");
    }
    let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
    let host = url.trim_start_matches("http://").trim_end_matches('/').to_string();
    let server = Server { child, host };
    let begun = Instant::now();
    let shown = loop {
        let shown: Value = serde_json::from_str(&server.get("/api/tournament").body).expect("JSON");
        let ready = shown["curve"].as_array().is_some_and(|curve| curve.len() > 1)
            && shown["boards"].as_array().is_some_and(|boards| !boards.is_empty());
        if ready || begun.elapsed() > Duration::from_secs(60) {
            break shown;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(shown["live"], true);
    assert_eq!(shown["report"]["scheduled"], 200_000);
    assert_eq!(shown["report"]["sprt"]["elo1"], 1.0);
    let curve = shown["curve"].as_array().expect("a curve");
    assert!(curve.len() > 1, "{shown}");
    let board = &shown["boards"][0];
    let moves: Vec<String> = texts_of(&board["moves"]);
    // What is on the board is a position of the game.
    let position =
        server.ask("position", json!({"game": board["game"], "fen": board["start"], "moves": moves}));
    assert_eq!(position["played"].as_array().map(Vec::len), Some(moves.len()));
    drop(server);
    std::fs::remove_dir_all(&folder).expect("it goes");
}

/// The texts of a list.
fn texts_of(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_string)).collect()
}
