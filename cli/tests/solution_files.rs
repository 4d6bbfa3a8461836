//! `jewel solve --save`, and programs that look its file up.

use crate::common::{error, json, ok, place, run};
use serde_json::Value;
use std::fs;

fn example(name: &str) -> String {
    format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder.
fn folder(name: &str) -> String {
    let folder = place(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_is_saved_is_looked_up() {
    let known = folder("saved-known");
    let (game, file) = (example("octopawn"), format!("{known}/octopawn.solution"));
    let solved = json(&["solve", &game, "--save", &file, "--json"]);
    assert_eq!(solved["method"], "graph");
    assert_eq!(solved["saved"]["file"], file.as_str());
    assert_eq!(solved["saved"]["bytes"], fs::metadata(&file).unwrap().len());
    // One ply sees the value, which takes eleven.
    let analyse = ["analyse", &game, "--depth", "1", "--json", "--tables", &known];
    let seen = json(&analyse);
    assert_eq!(
        (&seen["score"]["kind"], seen["score"]["value"].as_u64()),
        (&Value::from("win"), Some(11)),
        "{seen}"
    );
    assert_eq!((&seen["proven"], &seen["score"]["exact"]), (&true.into(), &true.into()), "{seen}");
    let first = solved["moves"].as_array().unwrap();
    let wins: Vec<&Value> = first.iter().filter(|mv| mv["distance"] == 11).map(|mv| &mv["move"]).collect();
    assert!(wins.contains(&&seen["bestmove"]), "{seen}");
    let tree = ["analyse", &game, "--json", "--player", "mcts", "--playouts", "50", "--tables", &known];
    assert_eq!(json(&tree)["score"]["kind"], "win");
    // Players are judged by it, and one that knows it makes no mistake.
    let knows = format!("ab,name=knows,depth=1,tables={known}");
    let players = ["--player", &knows, "--player", "random", "--positions", "60", "--json"];
    let sheet = json(&[&["accuracy", &game, "--tables", &known], &players[..]].concat());
    assert_eq!(sheet["players"][0]["kept"], 60, "{sheet}");
    assert!(
        sheet["decisions"].as_u64() > Some(5) && sheet["players"][1]["kept"].as_u64() < Some(60),
        "{sheet}"
    );
    let options = ["--max-positions", "0", "--games", "2", "--nodes", "4", "--rungs", "1", "--json"];
    let report = json(&[&["report", &game, "--tables", &known], &options[..]].concat());
    assert_eq!((&report["exact"]["value"], &report["exact"]["distance"]), (&"win".into(), &11.into()));
    let cup = [
        "tournament",
        &game,
        "--player",
        &knows,
        "--player",
        "random",
        "--rounds",
        "1",
        "--openings",
        "random=0",
    ];
    let cup = json(&[&cup[..], &["--records", &format!("{known}/cup.jsonl"), "--json"]].concat());
    let knows = cup["players"].as_array().unwrap().iter().find(|player| player["name"] == "knows");
    assert!(knows.unwrap()["wins"].as_u64() >= Some(1), "{cup}");
    // For people.
    let text = ok(&["solve", &game, "--save", &file]);
    assert!(text.contains(&format!("\nsaved        {file}, ")), "{text}");

    // What is for other rules or damaged is refused, in one line.
    let refused = |game: &str| error(&["analyse", game, "--depth", "1", "--tables", &known]);
    let line = refused(&example("hexapawn"));
    assert!(
        line.contains("octopawn.solution: the solution is for other rules than those of hexapawn"),
        "{line}"
    );
    assert!(line.contains("jewel solve hexapawn --save FILE"), "{line}");
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(&file, damaged).unwrap();
    let line = refused(&game);
    assert!(
        line.contains("octopawn.solution: the solution file is damaged: the checksum of block "),
        "{line}"
    );
    fs::write(&file, &whole[..whole.len() / 3]).unwrap();
    assert!(refused(&game).contains("octopawn.solution: the solution file is damaged: "));
    fs::write(&file, "").unwrap();
    assert!(refused(&game).contains("octopawn.solution: this is not a solution file"));
}

/// Games whose rules are code have no tables, and solution files all the same; one position may stand for its images.
#[test]
fn games_of_code_are_saved_and_looked_up() {
    let game = "crystal-draughts:tiers=2,molecules=3,tokens=2";
    for more in [&[][..], &["--symmetry"]] {
        let known = folder("saved-crystal");
        let file = format!("{known}/crystal.solution");
        let solved = json(&[&["solve", game, "--save", &file, "--json"], more].concat());
        let seen = json(&["analyse", game, "--depth", "1", "--json", "--tables", &known]);
        match solved["distance"].as_u64() {
            Some(plies) => assert_eq!(
                (&seen["score"]["kind"], seen["score"]["value"].as_u64()),
                (&solved["value"], Some(plies))
            ),
            None => assert_eq!(seen["score"]["value"].as_f64(), Some(0.0), "{seen}"),
        }
        let players = ["--player", "random", "--positions", "20", "--json"];
        let sheet = json(&[&["accuracy", game, "--tables", &known], &players[..]].concat());
        assert_eq!(sheet["positions"], 20);
        let options = ["--max-positions", "0", "--games", "2", "--nodes", "4", "--rungs", "1", "--json"];
        let report = json(&[&["report", game, "--tables", &known], &options[..]].concat());
        assert_eq!(report["exact"]["value"], solved["value"]);
    }
    let none = folder("saved-none");
    let line = error(&["analyse", game, "--depth", "1", "--tables", &none]);
    assert!(line.contains("no proof or solution file in "), "{line}");
}

#[test]
fn a_file_that_cannot_be_saved_is_refused_before_the_work() {
    let line = error(&["solve", "duel", "--save", &place("duel.values")]);
    assert!(line.contains("--save wants a name that ends in .solution"), "{line}");
    let line = error(&["solve", "duel", "--save", &place("not-there/duel.solution")]);
    assert!(line.contains("duel.solution: "), "{line}");
    let line = error(&["solve", "duel", "--method", "tables", "--save", &place("duel.solution")]);
    assert!(line.contains("--save"), "{line}");
    // A solution that is stopped leaves no file, and the command to go on saves it.
    let (file, state) = (place("saved-stopped.solution"), place("saved-stopped.state"));
    let _ = (fs::remove_file(&file), fs::remove_file(&state));
    let line = error(&["solve", "duel", "--save", &file, "--max-positions", "20", "--state", &state]);
    assert!(line.contains(&format!("--save {file}")), "{line}");
    assert!(fs::metadata(&file).is_err());
    assert_eq!(run(&["solve", "duel", "--save", &file, "--state", &state]).code, 0);
    let whole = fs::read(&file).unwrap();
    ok(&["solve", "duel", "--save", &file, "--threads", "2"]);
    assert!(whole == fs::read(&file).unwrap());
}
