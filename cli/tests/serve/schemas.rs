//! Every answer is as its schema says, and every field of a schema is in some answer.

use super::{Server, command_json};
use crate::common::schema::Schemas;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn answers_are_as_the_schemas_say() {
    let schemas =
        Schemas::read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schemas")));
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut check = |name: &str, answer: &Value| {
        let used = seen.entry(name.to_string()).or_default();
        if let Err(problem) = schemas.check(name, answer, used) {
            panic!("{name}: {problem}\nin {answer}");
        }
    };
    let folder = std::env::temp_dir().join(format!("jewel-serve-schemas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let records = folder.join("cup.jsonl");
    let records = records.to_str().expect("a path");
    command_json(&[
        "tournament",
        "duel",
        "--player",
        "random",
        "--player",
        "greedy",
        "--records",
        records,
        "--json",
    ]);
    let server = Server::start(&["--games", records]);
    let games: Value = serde_json::from_str(&server.get("/api/games").body).expect("JSON");
    games.as_array().expect("a list").iter().for_each(|game| check("api-games", game));
    for game in ["duel", "crystal-draughts"] {
        check("api-game", &server.ask("game", json!({"game": game})));
    }
    for place in [
        json!({"game": "star-lords"}),
        json!({"game": "chess", "moves": ["e2e4"], "play": "e5"}),
        json!({"game": "kings-mate"}),
        // A zi ri shares the square of a piece, and a board that is a graph.
        json!({"game": "world-tree:start=standard", "moves": ["a6b5,d8c6"]}),
        json!({"game": "crystal-draughts"}),
        json!({"game": "crystal-of-doom"}),
        json!({"game": "duel", "moves": ["c1b1", "a3c3", "b1b2", "c3a3"]}),
    ] {
        check("api-position", &server.ask("position", place));
    }
    check("api-values", &server.ask("values", json!({"game": "duel"})));
    check("api-values", &server.ask("values", json!({"game": "chess"})));
    check(
        "api-values",
        &server.ask("values", json!({"game": "chess", "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"})),
    );
    let hexapawn =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/hexapawn.toml"));
    for place in [json!({"game": "diamond-qi"}), json!({"variant": hexapawn.expect("a file")})] {
        let lines = server.lines("solve", place);
        let (last, progress) = lines.split_last().expect("lines");
        progress.iter().for_each(|line| check("api-solve", line));
        check(if last.get("error").is_some() { "api-error" } else { "solve" }, last);
    }
    for request in [
        json!({"game": "chess", "multipv": 2, "seconds": 1.0}),
        json!({"game": "ambush", "engine": "mcts", "multipv": 2, "playouts": 2000}),
        // A win of known length.
        json!({"game": "duel", "moves": ["c1a1"], "multipv": 2, "seconds": 0.5}),
    ] {
        server.lines("analyse", request).iter().for_each(|line| check("api-analyse", line));
    }
    let record = server.ask("record", json!({"game": "duel", "moves": ["c1b1"]}));
    check("api-record", &record);
    check("api-load", &server.ask("load", json!({"game": "duel", "pgn": record["pgn"]})));
    check("api-variant", &server.ask("variant", json!({"variant": "name = 3"})));
    let lines = server.lines("report", json!({"game": "duel", "games": 40, "nodes": 2000, "rungs": 2}));
    let (last, progress) = lines.split_last().expect("lines");
    progress.iter().for_each(|line| check("api-report", line));
    check("report", last);
    let shown: Value = serde_json::from_str(&server.get("/api/tournament").body).expect("JSON");
    check("tournament", &shown["report"]);
    // The boards are those of another test.
    let board = json!({"game": "duel", "start": "3/3/3 w", "moves": ["a1a2"], "players": ["a", ""]});
    check("api-tournament", &shown);
    check(
        "api-tournament",
        &json!({"live": true, "records": null, "report": null, "curve": [[2, 0.1]], "boards": [board]}),
    );
    check("api-tournament-games", &server.ask("tournament/games", json!({})));
    check("tournament-record", &server.ask("tournament/game", json!({"number": 1})));
    let made = server.ask("rooms", json!({"game": "crown-jewels", "opponent": "person"}));
    check("api-seat", &made);
    let (room, token) = (made["room"].as_str().expect("an id"), &made["token"]);
    let other = server.ask(&format!("rooms/{room}/join"), json!({"invitation": made["invitation"]}));
    check("api-seat", &other);
    for doing in [json!({}), json!({"give": "auto"}), json!({"place": "auto"}), json!({"resign": true})] {
        for token in [token, &other["token"]] {
            let mut request = doing.clone();
            request["token"] = token.clone();
            let what = if doing == json!({}) { "look" } else { "act" };
            let answer = server.post(&format!("rooms/{room}/{what}"), &request);
            let answer: Value = serde_json::from_str(&answer.body).expect("JSON");
            check(if answer.get("error").is_some() { "api-error" } else { "api-room" }, &answer);
        }
    }
    let refused = server.post("position", &json!({"game": "nothing"}));
    check("api-error", &serde_json::from_str(&refused.body).expect("JSON"));
    for name in schemas.names().filter(|name| name.starts_with("api-")) {
        let used = seen.get(name).unwrap_or_else(|| panic!("no answer for {name}.json"));
        // Errors of scores are for games with hidden pieces, which the page does not analyse; the board of a
        // room is that of a position.
        let shared = |field: &String| {
            name == "api-analyse" && field.ends_with("score/error")
                || name == "api-room" && field.starts_with("/board/")
        };
        let unused: Vec<String> = schemas
            .fields(name)
            .into_iter()
            .filter(|field| !used.contains(field) && !shared(field))
            .collect();
        assert!(unused.is_empty(), "{name}.json has fields that no answer has: {unused:?}");
    }
    std::fs::remove_dir_all(&folder).expect("it goes");
}
