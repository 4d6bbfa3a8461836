//! `jewel accuracy`, with the tables of Duel.

use crate::common::{error, file, json, ok, place};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

/// A folder with all tables of Duel.
fn tables() -> &'static str {
    static TABLES: OnceLock<String> = OnceLock::new();
    TABLES.get_or_init(|| {
        let dir = place("accuracy-duel");
        let _ = fs::remove_dir_all(&dir);
        ok(&["tables", "build", "duel", "--tables", &dir]);
        dir
    })
}

fn lines(file: &str) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn perfect_play_keeps_everything_and_random_play_does_not() {
    let table = format!("table,tables={}", tables());
    let sheet = json(&[
        "accuracy",
        "duel",
        "--tables",
        tables(),
        "--player",
        &table,
        "--player",
        "random",
        "--positions",
        "300",
        "--json",
    ]);
    assert_eq!((&sheet["game"], &sheet["positions"]), (&"duel".into(), &300.into()));
    let decisions = sheet["decisions"].as_u64().unwrap();
    let [perfect, random] = [0, 1].map(|n| &sheet["players"][n]);
    assert!((20..300).contains(&decisions), "{sheet}");
    for marks in [perfect, random] {
        let of = |key: &str| marks[key].as_u64().unwrap();
        assert_eq!(of("won") + of("drawn"), decisions);
        assert_eq!(of("won_kept") + of("drawn_kept"), of("decisions_kept"));
        // In all other positions whatever is played keeps the value.
        assert_eq!(of("kept"), of("decisions_kept") + 300 - decisions);
    }
    assert_eq!((&perfect["kept"], &perfect["extra_plies"]), (&300.into(), &0.0.into()));
    assert!(random["decisions_kept"].as_u64().unwrap() * 10 < decisions * 9, "{sheet}");
}

#[test]
fn each_answer_is_judged_as_the_tables_say() {
    let records = place("accuracy-judged.jsonl");
    let _ = fs::remove_file(&records);
    ok(&[
        "accuracy",
        "duel",
        "--tables",
        tables(),
        "--player",
        "random",
        "--positions",
        "12",
        "--records",
        &records,
    ]);
    for answer in lines(&records) {
        let fen = answer["fen"].as_str().unwrap();
        let probed = json(&["tables", "probe", "duel", "--tables", tables(), "--fen", fen, "--json"]);
        assert_eq!(
            (&answer["value"], answer.get("distance")),
            (&probed["value"], probed.get("distance").filter(|d| !d.is_null()))
        );
        let moves = probed["moves"].as_array().unwrap();
        let keeping = moves.iter().filter(|mv| mv["value"] == probed["value"]).count();
        assert_eq!(answer["moves"], serde_json::json!([moves.len(), keeping]));
        let played = &answer["answers"][0];
        let mv = moves.iter().find(|mv| mv["move"] == played["text"]).unwrap();
        assert_eq!(played["kept"], Value::from(mv["value"] == probed["value"]), "{answer}");
        if let Some(extra) = played.get("extra") {
            let n = |value: &Value| value["distance"].as_u64().unwrap();
            assert_eq!(extra.as_u64().unwrap(), n(mv) - n(&probed));
        }
    }
}

#[test]
fn records_are_gone_on_from_and_games_are_a_source() {
    let records = place("accuracy-records.jsonl");
    let games = place("accuracy-games.jsonl");
    for file in [&records, &games] {
        let _ = fs::remove_file(file);
    }
    ok(&[
        "tournament",
        "duel",
        "--player",
        "random,name=a",
        "--player",
        "random,name=b",
        "--rounds",
        "5",
        "--records",
        &games,
    ]);
    let ask = |positions: &str, more: &[&str]| {
        let fixed = ["accuracy", "duel", "--tables", tables(), "--player", "ab,depth=1", "--from", &games];
        json(&[&fixed[..], &["--positions", positions, "--json"], more].concat())
    };
    ask("20", &["--records", &records]);
    let twice = ask("50", &["--records", &records]);
    let once = ask("50", &["--concurrency", "3"]);
    let marks = |sheet: &Value| {
        let mut sheet = sheet.clone();
        sheet["players"][0]["seconds"] = Value::Null;
        sheet
    };
    assert_eq!(marks(&twice), marks(&once));
    assert_eq!(lines(&records).len(), 50);
    let other = [
        "accuracy",
        "duel",
        "--tables",
        tables(),
        "--player",
        "ab,depth=2",
        "--from",
        &games,
        "--records",
        &records,
    ];
    assert!(error(&other).contains("another tournament, or of the same with other settings"));
}

#[test]
fn what_cannot_be_asked_is_said_in_a_line() {
    let ask = |more: &[&str]| error(&[&["accuracy", "duel", "--tables", tables()], more].concat());
    assert!(ask(&["--player", "ab"]).contains("\"ab\" has no limit: write nodes, depth, time"));
    assert!(ask(&["--player", "ab,clock=1:00"]).contains("leave clock out"));
    assert!(ask(&["--player", "human,nodes=1"]).contains("nodes"));
    assert!(ask(&["--player", "human"]).contains("people are not asked"));
    let torn = file("accuracy-torn.jsonl", "{\"number\":1}\n");
    assert!(ask(&["--player", "random", "--from", &torn]).contains("line 1: no record of a game"));
    let empty = file("accuracy-empty.jsonl", "");
    assert!(ask(&["--player", "random", "--from", &empty]).contains("no game with a move"));
    let nothing = place("accuracy-nothing");
    assert!(error(&["accuracy", "duel", "--tables", &nothing, "--player", "random"]).contains(&nothing));
}
