//! `jewel serve`: the API, its bounds, and what it refuses.

mod rooms;
mod schemas;
mod tournaments;

use crate::common::{self, error, file, program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A server that ends with the test.
struct Server {
    child: Child,
    /// Host and port.
    host: String,
}

/// An answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = program();
        command.args(["serve", "--port", "0"]).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("stdout")).read_line(&mut line).expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_string();
        Server { child, host }
    }

    /// Sends bytes as they are, and reads to the end of the answer.
    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
        let mut bytes = Vec::new();
        // A server that refuses may close before all was sent.
        let _ = stream.write_all(request);
        let _ = stream.read_to_end(&mut bytes);
        answer(&bytes)
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.host);
        }
        if !headers.iter().any(|(name, _)| *name == "Content-Type") {
            head += "Content-Type: application/json\r\n";
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            head += &format!("{name}: {value}\r\n");
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], "")
    }

    fn post(&self, what: &str, body: &Value) -> Answer {
        self.request("POST", &format!("/api/{what}"), &[], &body.to_string())
    }

    /// The object that a question is answered with.
    fn ask(&self, what: &str, body: Value) -> Value {
        let answer = self.post(what, &body);
        assert_eq!(answer.status, 200, "{what} {body}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// The error that a question is answered with.
    fn refuses(&self, what: &str, body: Value) -> (u16, String) {
        let answer = self.post(what, &body);
        let object: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(object["status"], answer.status, "{object}");
        let text = object["error"].as_str().expect("a text").to_string();
        assert!(!text.contains('\n') && !text.is_empty(), "{text}");
        (answer.status, text)
    }

    /// The objects of an answer with one a line.
    fn lines(&self, what: &str, body: Value) -> Vec<Value> {
        let answer = self.post(what, &body);
        assert_eq!(answer.status, 200, "{what} {body}: {}", answer.body);
        answer.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_string()))
        .collect();
    let chunked = headers.get("transfer-encoding").is_some_and(|kind| kind == "chunked");
    let body = if chunked { unchunked(body) } else { body.to_string() };
    Answer { status, headers, body }
}

fn unchunked(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = text.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        if length == 0 || rest.len() < length {
            break;
        }
        body.push_str(&rest[..length]);
        text = rest[length..].trim_start_matches("\r\n");
    }
    body
}

fn texts(list: &Value, field: &str) -> Vec<String> {
    let texts = list.as_array().expect("a list").iter();
    texts.map(|item| item[field].as_str().expect("a text").to_string()).collect()
}

#[test]
fn the_page_and_its_headers() {
    let server = Server::start(&["duel"]);
    let page = server.get("/");
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    assert!(page.body.contains("<title>jewel</title>"));
    let policy = &page.headers["content-security-policy"];
    for rule in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !page.body.contains("style=") && !page.body.contains("onclick"));
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
    let script = server.get("/main.js");
    assert_eq!(script.headers["content-type"], "text/javascript; charset=utf-8");
    for path in ["/nothing", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/api/nothing"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.headers.contains_key("content-security-policy"));
    }
    assert_eq!(server.request("POST", "/api/games", &[], "").status, 405);
    assert_eq!(server.get("/api/position").status, 405);
    // Nobody lists files by asking for everything that a module imports: they are all there.
    for line in script.body.lines().filter_map(|line| line.split(" from \"./").nth(1)) {
        let name = line.trim_end_matches("\";");
        assert_eq!(server.get(&format!("/{name}")).status, 200, "{name}");
    }
}

#[test]
fn other_sites_are_refused() {
    let server = Server::start(&[]);
    let body = json!({"game": "duel"}).to_string();
    let ask = |headers: &[(&str, &str)]| server.request("POST", "/api/position", headers, &body).status;
    let port = server.host.rsplit(':').next().unwrap().to_string();
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[("Host", &format!("localhost:{port}"))]), 200);
    assert_eq!(
        ask(&[("Host", &format!("localhost:{port}")), ("Origin", &format!("http://localhost:{port}"))]),
        200
    );
    let evil = format!("evil.example:{port}");
    for headers in [
        &[("Host", evil.as_str())][..],
        &[("Host", "127.0.0.1")],
        &[("Host", "")],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Origin", "https://127.0.0.1")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
    ] {
        assert!([400, 403].contains(&ask(headers)), "{headers:?}");
    }
    // The page too: it would be of the other site.
    assert_eq!(server.request("GET", "/", &[("Host", &evil)], "").status, 403);
    let two = format!("GET / HTTP/1.1\r\nHost: {}\r\nHost: {evil}\r\nConnection: close\r\n\r\n", server.host);
    assert!([400, 403].contains(&server.raw(two.as_bytes()).status));
    // What a form can send without asking first.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        assert_eq!(ask(&[("Content-Type", kind)]), 415, "{kind}");
    }
}

#[test]
fn positions_and_moves_are_those_of_the_commands() {
    let server = Server::start(&[]);
    let games: Value = serde_json::from_str(&server.get("/api/games").body).unwrap();
    let listed = common::ok(&["games", "--json"]);
    assert_eq!(games.as_array().unwrap().len(), listed.lines().count());
    for card in listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let id = card["game"].as_str().unwrap();
        let game = games.as_array().unwrap().iter().find(|game| game["game"] == id).expect(id);
        for (field, value) in card.as_object().unwrap() {
            assert_eq!(game[field], *value, "{id} {field}");
        }
        if game["hidden"] == true {
            continue;
        }
        let position = server.ask("position", json!({"game": id}));
        for (field, value) in common::json(&["show", id, "--json"]).as_object().unwrap() {
            assert_eq!(position[field], *value, "{id} {field}");
        }
    }
    let moves = common::json(&["moves", "ambush", "--moves", "a5b3", "--json"]);
    let position = server.ask("position", json!({"game": "ambush", "moves": ["a5b3"]}));
    assert_eq!(json!(texts(&position["moves"], "move")), moves["moves"]);
    assert_eq!(position["changed"], json!(["b3", "a5"]));
    let first = &position["moves"][0];
    assert_eq!(first["squares"].as_array().unwrap().len(), 2);
    // A move as people type it.
    let played = server.ask("position", json!({"game": "chess", "moves": ["e2e4", "e5"], "play": "Nf3"}));
    assert_eq!(played["played"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(played["san"], json!(["e4", "e5", "Nf3"]));
    // The end of a game.
    let over = server.ask("position", json!({"game": "duel", "moves": ["c1b1", "a3c3", "b1b2", "c3a3"]}));
    assert_eq!(over["ending"]["text"], "Red has won");
    assert_eq!(over["moves"], json!([]));
    assert_eq!(
        server.refuses(
            "position",
            json!({"game": "duel", "moves": ["c1b1", "a3c3", "b1b2", "c3a3"], "play": "b2b1"})
        ),
        (400, "the game is over".into())
    );
    // Turns of several plies are played ply by ply, or at once.
    let turn = server.ask("position", json!({"game": "world-tree:start=standard"}));
    let ply = turn["moves"][0]["move"].as_str().unwrap().to_string();
    let next = server.ask("position", json!({"game": "world-tree:start=standard", "play": ply}));
    assert_eq!(next["turns"], json!([1]));
    assert_eq!(next["side_to_move"], turn["side_to_move"]);
}

#[test]
fn dice_are_rolled_by_the_server() {
    let server = Server::start(&[]);
    let place = json!({"game": "kings-mate-active", "fen": "k2m3/7/7/7/7/7/7/3S3/K2M3 w - - 0 1", "moves": ["d2e2", "d9e9"]});
    let position = server.ask("position", place.clone());
    let attack =
        position["moves"].as_array().unwrap().iter().find(|mv| mv["move"] == "a1a9").expect("one move");
    assert_eq!(attack["rolled"], true);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let mut request = place.clone();
        request["play"] = json!("a1a9");
        seen.insert(server.ask("position", request)["play"].as_str().unwrap().to_string());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["a1a9:hit", "a1a9:miss"]);
    let truth = server.ask("values", place);
    assert!(truth["reason"].as_str().unwrap().contains("dice"), "{truth}");
}

#[test]
fn values_are_those_of_solve() {
    let server = Server::start(&[]);
    for moves in ["", "c1b1", "c1b1 a3a2"] {
        let mut line = vec!["solve", "duel", "--json"];
        if !moves.is_empty() {
            line.extend(["--moves", moves]);
        }
        let solved = common::json(&line);
        let played: Vec<&str> = moves.split_whitespace().collect();
        let truth = server.ask("values", json!({"game": "duel", "moves": played}));
        assert_eq!(truth["source"], "graph");
        for field in ["fen", "value", "distance", "moves", "line", "line_forced", "line_end"] {
            assert_eq!(truth[field], solved[field], "{moves} {field}");
        }
        assert_eq!(truth["positions"], 162);
    }
    let proof = server.lines("solve", json!({"game": "duel"}));
    let proof = proof.last().unwrap();
    assert_eq!((&proof["value"], &proof["positions"]), (&json!("draw"), &json!(162)));
    assert!(proof["claims"].as_array().unwrap().iter().all(|claim| claim["confirmed"] == true));
    // What nobody knows has a reason, and the ends of games that one move away are known.
    let truth = server.ask("values", json!({"game": "ambush"}));
    assert_eq!((&truth["source"], &truth["value"]), (&Value::Null, &Value::Null));
    let reason = truth["reason"].as_str().unwrap();
    // On a slow machine the time is over first.
    assert!(
        ["more than 200,000 positions can be reached", "it takes longer than 1.5 seconds"].contains(&reason),
        "{reason}"
    );
    let fen = "n3n/5/2Q2/5/N3N b - - 0 1";
    let truth = server.ask("values", json!({"game": "ambush", "fen": fen}));
    assert!(truth["moves"].as_array().unwrap().iter().any(|mv| mv["value"] == "loss"), "{truth}");
}

#[test]
fn values_come_from_tables_where_there_are_some() {
    let folder = common::folder_with_examples("serve-tables");
    let tables = folder.join("tables");
    let name = tables.to_str().unwrap();
    common::ok(&["tables", "build", "ambush", "--class", "LvN", "--tables", name]);
    let server = Server::start(&["ambush", "--tables", name, "--max-positions", "10"]);
    let fen = "n4/5/5/5/4L w - - 0 1";
    let probed = common::json(&["tables", "probe", "ambush", "--fen", fen, "--tables", name, "--json"]);
    let truth = server.ask("values", json!({"game": "ambush", "fen": fen}));
    assert_eq!(truth["source"], "tables");
    for field in ["fen", "value", "distance", "moves", "line", "line_end"] {
        assert_eq!(truth[field], probed[field], "{field}");
    }
    let (_, problem) = {
        let lines = server.lines("solve", json!({"game": "ambush"}));
        let last = lines.last().unwrap().clone();
        (last["status"].clone(), last["error"].as_str().unwrap().to_string())
    };
    assert_eq!(problem, "not solved: more than 10 positions can be reached");
}

#[test]
fn searches_tell_how_they_go_on() {
    let server = Server::start(&[]);
    let lines = server.lines("analyse", json!({"game": "ambush", "depth": 6, "multipv": 2}));
    let found = lines.last().unwrap();
    assert_eq!((&found["done"], found["lines"].as_array().unwrap().len()), (&json!(true), 2));
    let same = common::json(&["analyse", "ambush", "--depth", "6", "--multipv", "2", "--json"]);
    for field in ["game", "fen", "engine", "score", "bestmove", "line", "depth", "nodes", "lines"] {
        assert_eq!(found[field], same[field], "{field}");
    }
    let lines =
        server.lines("analyse", json!({"game": "chess", "seconds": 3.0, "engine": "mcts", "multipv": 3}));
    assert!(lines.len() > 1, "{lines:?}");
    for line in &lines[..lines.len() - 1] {
        assert!(line["nps"].as_u64().is_some() && line["lines"][0]["visits"].as_u64().is_some(), "{line}");
    }
    let lines =
        server.lines("analyse", json!({"game": "duel", "clock": {"remaining": 1.0, "increment": 0.1}}));
    assert!(lines.last().unwrap()["bestmove"].is_string());
    for (request, words) in [
        (json!({"game": "duel", "engine": "best"}), "engine"),
        (json!({"game": "duel", "seconds": 1e9}), "seconds"),
        (json!({"game": "duel", "seconds": -1}), "seconds"),
        (json!({"game": "duel", "threads": 100000}), "threads"),
        (json!({"game": "duel", "threads": 0}), "threads"),
        (json!({"game": "duel", "hash": 1_000_000}), "hash"),
        (json!({"game": "duel", "clock": {"remaining": 1e300}}), "clock"),
        (json!({"game": "duel", "dept": 4}), "unknown field \"dept\""),
    ] {
        let answer = server.post("analyse", &request);
        assert!(
            answer.body.contains("error") && answer.body.contains(words.split('"').next().unwrap()),
            "{request}: {}",
            answer.body
        );
    }
}

/// Processor time of a process, in clock ticks.
#[cfg(target_os = "linux")]
fn ticks(id: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_search_ends_when_nobody_listens() {
    let server = Server::start(&["--searches", "1"]);
    let body = json!({"game": "chess"}).to_string();
    let request = format!(
        "POST /api/analyse HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.host,
        body.len()
    );
    for _ in 0..3 {
        let mut stream = TcpStream::connect(&server.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut some = [0; 200];
        assert!(stream.read(&mut some).unwrap() > 0);
        drop(stream);
    }
    // The one place for searches is free again, and soon nothing runs.
    let found = server.lines("analyse", json!({"game": "duel", "depth": 3}));
    assert!(found.last().unwrap()["bestmove"].is_string());
    let begun = Instant::now();
    loop {
        let before = ticks(server.child.id());
        std::thread::sleep(Duration::from_millis(500));
        if ticks(server.child.id()) - before <= 5 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on searching");
    }
}

#[test]
fn bad_requests_are_one_line() {
    let server = Server::start(&[]);
    for (what, body, status, words) in [
        ("position", json!({}), 400, "no game"),
        ("position", json!([]), 400, "a JSON object"),
        ("position", json!({"game": "ambsh"}), 404, "did you mean \"ambush\"?"),
        ("position", json!({"game": "duel", "variant": "x"}), 400, "leave one out"),
        ("position", json!({"game": "duel", "gmae": 1}), 400, "unknown field \"gmae\""),
        ("position", json!({"game": 7}), 400, "string"),
        ("position", json!({"game": "duel", "fen": "x"}), 400, ""),
        ("position", json!({"game": "duel", "moves": ["c1c9"]}), 400, "move 1 of 1"),
        ("position", json!({"game": "duel", "play": "c1b2"}), 400, "it can go to"),
        ("position", json!({"game": "duel", "moves": vec!["c1b1"; 5000]}), 400, "4000 moves"),
        ("position", json!({"game": "../../etc/passwd"}), 404, "no game"),
        ("position", json!({"game": "Cargo.toml"}), 404, "no game"),
        ("position", json!({"variant": "size = 3"}), 400, "variant: "),
        ("position", json!({"variant": " ".repeat(100_000)}), 400, "65536 bytes"),
        ("position", json!({"game": "x".repeat(1000)}), 400, "400 characters"),
        ("position", json!({"game": "duel", "fen": "1".repeat(10_000)}), 400, "4096"),
        ("load", json!({"game": "duel", "pgn": "1. c9c8"}), 400, "pgn: "),
        ("record", json!({"game": "duel", "lost": "x"}), 400, "lost"),
        ("rooms", json!({"game": "duel", "opponent": "mcts"}), 400, "crown-jewels"),
        ("rooms/0/look", json!({"token": "x"}), 404, "no such room"),
        ("rooms/0/act", json!({"token": "x", "fly": true}), 400, "fly"),
    ] {
        let (found, text) = server.refuses(what, body.clone());
        assert!(found == status && text.contains(words), "{what} {body}: {found} {text}");
    }
    for body in ["", "{", "[1,2", "{\"game\":\"duel\"} x", "\u{0}"] {
        let answer = server.request("POST", "/api/position", &[], body);
        assert_eq!(answer.status, 400, "{body}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(server.request("POST", "/api/position", &[], &deep).status, 400);
    let long = json!({"game": "duel", "fen": "x".repeat(300_000)}).to_string();
    // The answer may be lost where the connection is closed before all was sent.
    assert!([413, 0].contains(&server.request("POST", "/api/position", &[], &long).status));
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", server.host, "x".repeat(100_000));
    assert_ne!(server.raw(head.as_bytes()).status, 200);
    // After all that it still answers.
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn names_of_files_are_text() {
    let name = "<img src=x onerror=alert(1)>";
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/duel-4x4.toml"))
            .unwrap();
    let text: String = text
        .lines()
        .map(
            |line| {
                if line.starts_with("name") { format!("name = \"{name}\"\n") } else { format!("{line}\n") }
            },
        )
        .collect();
    let path = file("serve-names.toml", &text);
    let server = Server::start(&[&path]);
    let games: Value = serde_json::from_str(&server.get("/api/games").body).unwrap();
    assert_eq!((&games[0]["name"], &games[0]["served"]), (&json!(name), &json!(true)));
    let position = server.post("position", &json!({"game": games[0]["game"]}));
    assert_eq!(position.headers["content-type"], "application/json");
    assert_eq!(position.headers["x-content-type-options"], "nosniff");
    let position = server.ask("position", json!({"variant": text}));
    assert_eq!(position["name"], name);
    let checked = server.ask("variant", json!({"variant": text}));
    assert_eq!(checked, json!({"error": null, "line": null, "key": null}));
    let wrong = server.ask("variant", json!({"variant": format!("{text}\nfrob = 1\n")}));
    let path = file("serve-wrong.toml", format!("{text}\nfrob = 1\n"));
    // The words of the command line.
    let said = error(&["show", &path]);
    assert_eq!(said, format!("{path}: {}", wrong["error"].as_str().unwrap()));
    assert!(wrong["line"].as_u64().is_some());
}

#[test]
fn records_are_written_and_read() {
    let server = Server::start(&[]);
    let moves = ["c1b1", "a3c3", "b1b2", "c3a3"];
    let written = server.ask("record", json!({"game": "duel", "moves": moves, "white": "me", "black": "ab"}));
    let pgn = written["pgn"].as_str().unwrap();
    assert!(pgn.contains("[White \"me\"]") && pgn.contains("{Red has won} 1-0"), "{pgn}");
    let loaded = server.ask("load", json!({"game": "ambush", "pgn": pgn}));
    assert_eq!(loaded, json!({"game": "duel", "fen": "l2/3/2L w - - 0 1", "moves": moves}));
    let written = server.ask("record", json!({"game": "duel", "moves": ["c1b1"], "lost": "b", "by": "time"}));
    assert!(written["pgn"].as_str().unwrap().contains("overstepped the time} 1-0"));
}

#[test]
fn many_clients_are_served() {
    let server = Server::start(&[]);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..200)
            .map(|n| {
                let server = &server;
                scope.spawn(move || {
                    let moves = [vec!["c1b1"], vec!["c1c2"], vec![]][n % 3].clone();
                    let position = server.ask("position", json!({"game": "duel", "moves": moves}));
                    let truth = server.ask("values", json!({"game": "duel", "moves": moves}));
                    assert_eq!((&truth["value"], &truth["fen"]), (&json!("draw"), &position["fen"]));
                })
            })
            .collect();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
}

#[test]
fn what_cannot_be_served_is_an_error() {
    assert!(error(&["serve", "ambsh"]).contains("did you mean \"ambush\""));
    assert!(error(&["serve", "duel", "--tables", "/nowhere"]).contains("--tables"));
    assert!(error(&["serve", "--port", "70000"]).contains("--port"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert!(error(&["serve", "--port", &port]).contains("try another port"));
}

#[test]
fn a_report_is_made_and_ends_with_its_client() {
    let server = Server::start(&[]);
    let lines = server.lines("report", json!({"game": "duel", "games": 20, "nodes": 50, "rungs": 2}));
    let (survey, progress) = lines.split_last().expect("lines");
    assert!(
        progress
            .iter()
            .all(|line| ["positions", "games"].contains(&line["progress"].as_str().expect("a word")))
    );
    let own = command_json(&["report", "duel", "--games", "20", "--nodes", "50", "--rungs", "2", "--json"]);
    assert_eq!(survey, &own, "the same as the command's");
    for (request, problem) in [
        (json!({"game": "duel", "games": 100_000}), "games: 2 to 1000"),
        (json!({"game": "duel", "nodes": 0}), "nodes: 1 to 50000"),
        (json!({"game": "duel", "moves": ["c1b1"]}), "not on a position"),
        (json!({"game": "duel", "engine": "magic"}), "engine: \"ab\" or \"mcts\""),
    ] {
        let line = server.lines("report", request.clone()).pop().expect("a line");
        assert!(line["error"].as_str().is_some_and(|error| error.contains(problem)), "{request}: {line}");
    }
    // One that would take very long stops when its client has gone.
    let body = json!({"game": "chess", "games": 1000, "nodes": 50_000}).to_string();
    let mut stream = TcpStream::connect(&server.host).expect("it listens");
    let head = format!(
        "POST /api/report HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.host,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    stream.read_exact(&mut [0; 64]).expect("an answer");
    drop(stream);
    // There is one place for reports: the next is served once it is free again.
    let begun = Instant::now();
    let again = server.lines("report", json!({"game": "duel", "games": 2, "nodes": 10, "rungs": 1}));
    assert!(again.last().is_some_and(|line| line["sampled"]["games"] == 2), "{again:?}");
    assert!(begun.elapsed() < Duration::from_secs(120));
}

/// The object that a command prints.
fn command_json(arguments: &[&str]) -> Value {
    let output = program().args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}
