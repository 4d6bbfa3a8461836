//! Every command with a game with pieces in hand.

use crate::common::{error, file, json, ok, place, program, run};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

const DOBUTSU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/dobutsu.toml");

/// Runs a command that reads from stdin.
fn talk(arguments: &[&str], input: &str) -> String {
    let mut command = program();
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A game that is small enough for its graph.
fn small() -> String {
    let text = "id = \"cub\"\nname = \"Cub\"\n[board]\nsize = \"3x3\"\nstart = \"clc/3/CLC[] w - - 0 1\"\n[[piece]]\n\
        letter = \"L\"\nmoves = \"K\"\nroyal = \"capture\"\n[[piece]]\nletter = \"C\"\nmoves = \"fW\"\n[hand]\n[key]\n\
        goals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"try\"\neligible = \"L\"\n[end]\nstalemate = \"loss\"\n";
    file("cub.toml", text)
}

#[test]
fn hands_stand_beside_the_board() {
    let fen = "g1e/L2/1+C1/1lG[Ec] b - - 3 5";
    let text = ok(&["show", DOBUTSU, "--fen", fen, "--ascii"]);
    let board = "
   +----------+   Sky to move
 4 |[g  .  e ]|     in hand c
 3 | L  .  .  |     g   Giraffe
 2 | .  +C .  |     e   Elephant
 1 |[.  l  G ]|     l   Lion
   +----------+   Forest
     a  b  c        in hand E
                    G   Giraffe
                    +C  Hen
                    L   Lion
";
    assert!(text.contains(board), "{text}");
    assert!(text.contains("position        g1e/L2/1+C1/1lG[Ec] b - - 3 5\n"), "{text}");
    let object = json(&["show", DOBUTSU, "--fen", fen, "--json"]);
    assert_eq!(object["notes"]["in hand, Forest"], "E");
    assert!(ok(&["show", DOBUTSU, "--svg", "-"]).starts_with("<svg"));
}

#[test]
fn moves_perft_and_analysis() {
    assert_eq!(json(&["perft", DOBUTSU, "5", "--json"])["nodes"], 8122);
    let fen = "1l1/3/3/1L1[C] w - - 0 1";
    let moves = json(&["moves", DOBUTSU, "--fen", fen, "--json"])["moves"].to_string();
    assert!(moves.contains("\"C@a2\"") && moves.contains("\"C@a4\"") && !moves.contains("C@b4"), "{moves}");
    let played = json(&["show", DOBUTSU, "--moves", "b2b3 c4b3", "--json"]);
    assert_eq!(played["fen"], "gl1/1e1/3/ELG[Cc] w - - 0 2");
    let found = json(&["analyse", DOBUTSU, "--fen", "1l1/1L1/3/3[G] w - - 0 1", "--depth", "4", "--json"]);
    assert_eq!(found["score"]["kind"], "win", "{found}");
    for (typed, why) in [
        ("E@b1", "Forest has no Elephant in hand"),
        ("C@b4", "b4 is occupied: a Chick is dropped on an empty square"),
    ] {
        let said = error(&["moves", DOBUTSU, "--fen", fen, "--moves", typed]);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn games_are_played_recorded_and_tuned() {
    let text = talk(
        &["play", DOBUTSU, "--white", "human", "--black", "human", "--ascii"],
        "b2b3\nc4b3\nC*b2\nc@a2\n",
    );
    assert!(text.contains("in hand c") && text.contains("C@a2"), "{text}");
    let pgn = place("hands.pgn");
    let _ = std::fs::remove_file(&pgn);
    let matches = [
        "tournament",
        DOBUTSU,
        "--rounds",
        "2",
        "--player",
        "ab,name=a,nodes=300",
        "--player",
        "mcts,name=b,nodes=300",
    ];
    let records = place("hands.jsonl");
    let _ = std::fs::remove_file(&records);
    let text = ok(&[&matches[..], &["--pgn", &pgn, "--records", &records]].concat());
    assert!(text.contains("games"), "{text}");
    let games = std::fs::read_to_string(&pgn).unwrap();
    assert!(games.contains('@'), "{games}");
    let weights = ok(&["tune", DOBUTSU, "--games", "8", "--nodes", "60", "--rounds", "1", "--seed", "3"]);
    assert!(weights.contains("pieces"), "{weights}");
    let net = place("hands.net");
    let games = ["--games", "64", "--rounds", "1", "--epochs", "1", "--nodes", "30"];
    ok(&[&["train", DOBUTSU, "--out", &net], &games[..]].concat());
    let text = ok(&["analyse", DOBUTSU, "--depth", "3", "--net", &net]);
    assert!(text.contains("depth"), "{text}");
}

#[test]
fn a_lesson_adds_a_net_to_the_evaluation() {
    let files = [place("hands-lesson.net"), place("hands-lesson.lesson")];
    files.iter().for_each(|file| drop(std::fs::remove_file(file)));
    let [net, state] = &files;
    let lesson =
        ["train", DOBUTSU, "--minutes", "0.1", "--nodes", "30", "--out", net, "--state", state, "--json"];
    // So short a lesson may lose its match. With --out the net is written all the same.
    let said = run(&lesson);
    let summary: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    assert!(summary["positions"].as_u64().unwrap() > 100, "{summary}");
    // The net knows little, and one score may be the same by chance.
    let scores = |net: &str| {
        ["30", "300", "1000", "2000"].map(|nodes| {
            let found = json(&["analyse", DOBUTSU, "--nodes", nodes, "--net", net, "--json"]);
            found["score"].clone()
        })
    };
    assert_ne!(scores(net), scores("none"));
}

#[test]
fn graphs_are_solved_and_tables_refused_in_one_line() {
    let small = small();
    let solved = json(&["solve", &small, "--method", "graph", "--verify", "--json"]);
    assert!(solved["positions"].as_u64().unwrap() > 1000, "{solved}");
    let said = error(&["tables", "plan", DOBUTSU, "--max-pieces", "4"]);
    assert!(said.contains("one table of all its positions: leave out --max-pieces"), "{said}");
    // Where repetition is won or lost, no solver is right.
    let won = std::fs::read_to_string(&small).unwrap() + "repetition = \"w\"\n";
    let said = error(&["solve", &file("cub-won.toml", won)]);
    assert!(said.contains("a repetition may be won or lost"), "{said}");
    let said = error(&["show", DOBUTSU, "--fen", "gle/1c1/1C1/ELG[G] w - - 0 1"]);
    assert!(said.contains("there are 3 G on the board and in hands, but the game has 2"), "{said}");
}

/// One table of all positions: the same values as the graph, used again from its file, and resumed.
#[test]
fn one_table_solves_what_the_graph_solves() {
    let small = small();
    let folder = place("hands-table");
    let _ = std::fs::remove_dir_all(&folder);
    let solve = |more: &[&str]| json(&[&["solve", &small, "--tables", &folder, "--json"][..], more].concat());
    let graph = json(&["solve", &small, "--method", "graph", "--json"]);
    let table = solve(&["--method", "tables", "--verify"]);
    assert_eq!(table["method"], "table");
    for key in ["value", "distance", "moves"] {
        assert_eq!(table[key], graph[key], "{key}");
    }
    assert!(table["verified_positions"].as_u64().unwrap() > 1000, "{table}");
    assert!(table["quiet"].as_u64() < table["not_over"].as_u64(), "{table}");
    let again = solve(&["--fen", "clc/3/CLC[] b - - 0 1"]);
    assert!(again["cells"] == table["cells"] && again["levels"] == 0, "{again}");
    let file = format!("{folder}/all.jd");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let said = error(&["solve", &small, "--tables", &folder]);
    assert!(said.contains("all.jd: the file is damaged: its checksum is wrong"), "{said}");
    let said =
        error(&["solve", &small, "--method", "tables", "--memory", "1M", "--tables", &place("hands-none")]);
    assert!(said.contains("the limit is"), "{said}");
}

/// Published counts of a game with hands are compared, with how their source counts.
#[test]
fn solving_compares_with_what_is_published() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/micro-kpg.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let start = "k1+r1/p3/4/3P/1+R1K[] w - - 0 1";
    assert!(text.contains(start));
    let path = file("micro-kp.toml", text.replace(start, "k3/p3/4/3P/3K[] w - - 0 1"));
    let solve = ["solve", &path, "--method", "tables", "--tables", &place("micro-kp")];
    let text = ok(&solve);
    assert!(
        text.contains("\nClaims of the source (B. Liou, Micro shogi solver, 2026):\n  Counted there:"),
        "{text}"
    );
    assert!(text.contains("  confirmed  the longest win takes 29 plies\n"), "{text}");
    let object = json(&[&solve[..], &["--json"]].concat());
    assert!(object["convention"].as_str().unwrap().contains("one"), "{object}");
    assert_eq!(object["claims"].as_array().unwrap().len(), 2, "{object}");
}

/// The table commands with the one table: planned, built, found, probed, verified, described, and used by a search.
#[test]
fn table_commands_work_with_one_table() {
    let small = small();
    let folder = place("hands-tables");
    let _ = std::fs::remove_dir_all(&folder);
    let tables =
        |command: &str, more: &[&str]| json(&[&["tables", command, &small, "--json"][..], more].concat());
    let at = ["--tables", &folder];
    let plan = tables("plan", &[]);
    assert!(plan["fits"] == true && plan["classes"][0]["class"] == "all", "{plan}");
    let said = error(&["tables", "probe", &small, "--tables", &folder]);
    assert!(said.contains("there are no tables in") && said.contains("jewel tables build"), "{said}");
    let built = tables("build", &at);
    assert!(built["found"] == 0 && built["cells"] == plan["cells"], "{built}");
    assert_eq!(tables("build", &at)["found"], 1);
    let graph = json(&["solve", &small, "--method", "graph", "--json"]);
    let probed = tables("probe", &at);
    for key in ["value", "distance", "moves"] {
        assert_eq!(probed[key], graph[key], "{key}");
    }
    let verified = tables("verify", &[&at[..], &["--full"]].concat());
    let info = tables("info", &at);
    assert!(verified["verdict"] == "ok" && verified["positions"] == info["positions"], "{verified} {info}");
    assert!(tables("verify", &[&at[..], &["--sample", "500"]].concat())["positions"].as_u64() <= Some(500));
    assert!(info["longest_win"].as_u64() >= graph["longest_win"].as_u64(), "{info}");
    // Some cells are of no position; those in which a Lion can be captured have none.
    assert!(info["positions"].as_u64() <= plan["cells"].as_u64(), "{info}");
    // Fewer positions, the fewer moves lead to them; those of which the table keeps no cell are among the reachable ones.
    let counted = ["table", "reachable", "at-once"].map(|among| {
        let info = tables("info", &[&at[..], &["--histogram", "--among", among, "--list", "2"]].concat());
        let histogram = info["histogram"].clone();
        assert_eq!(histogram["among"], among);
        let sum = |key: &str| -> u64 {
            histogram[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum()
        };
        for (key, value) in [("longest_wins", "win"), ("longest_losses", "loss")] {
            for far in histogram[key].as_array().unwrap() {
                let fen = far["fen"].as_str().unwrap();
                let probed = tables("probe", &[&at[..], &["--fen", fen]].concat());
                assert!(probed["value"] == value && probed["distance"] == far["distance"], "{far}");
            }
        }
        [sum("wins"), histogram["draws"].as_u64().unwrap(), sum("losses")]
    });
    let [all, reachable, at_once] = counted;
    assert_eq!(all.map(Value::from), ["wins", "draws", "losses"].map(|key| info[key].clone()));
    let solved = json(&["solve", &small, "--method", "tables", "--json", "--tables", &folder]);
    for (counts, of) in [(reachable, &solved), (at_once, &solved["at_once"])] {
        assert_eq!(counts.map(Value::from), ["wins", "draws", "losses"].map(|key| of[key].clone()));
    }
    // A search sees the end at once.
    let seen = json(&["analyse", &small, "--json", "--depth", "1", "--tables", &folder]);
    let distance = graph["distance"].as_i64().unwrap();
    assert_eq!(seen["score"]["value"].as_i64().map(i64::abs), Some(distance), "{seen}");
    let file = format!("{folder}/all.jd");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    let output = program().args(["tables", "verify", &small, "--tables", &folder]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("damaged"), "{output:?}");
}
