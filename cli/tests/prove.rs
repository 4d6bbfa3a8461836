//! `jewel prove`: searches that are cut short, and tables as leaves. What is proven is tested beside the solver.

use crate::common::{self, check_error, error, file, json, place, program, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn example(name: &str) -> String {
    format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Hexapawn with more files and ranks.
fn hexapawn(width: usize, height: usize) -> String {
    let rules = fs::read_to_string(example("hexapawn")).unwrap();
    let rules =
        rules.replace("3x3", &format!("{width}x{height}")).replace("rank 3", &format!("rank {height}"));
    let middle = format!("/{width}").repeat(height - 2);
    let start = format!("{}{middle}/{}", "p".repeat(width), "P".repeat(width));
    file(&format!("prove-hexapawn-{width}x{height}.toml"), rules.replace("ppp/3/PPP", &start))
}

/// Starts a search that does not end for hours, and waits until `ready`.
#[cfg(unix)]
fn started(proof: &str, ready: impl Fn() -> bool) -> Child {
    let game = hexapawn(8, 8);
    let child = program()
        .args(["prove", &game, "--claim", "win", "--memory", "64M", "--checkpoint", "1", "--file", proof])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was saved");
        sleep(Duration::from_millis(50));
    }
    child
}

/// The nodes of an error line of a search that was interrupted.
#[cfg(unix)]
fn interrupted(child: Child) -> u64 {
    assert!(
        std::process::Command::new("kill")
            .arg("-TERM")
            .arg(child.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    let said = child.wait_with_output().unwrap().into();
    let line = check_error(&said, "interrupted");
    let (_, rest) = line.split_once("interrupted after ").unwrap_or_else(|| panic!("{line}"));
    assert!(rest.contains("the same command goes on from there"), "{line}");
    rest.split_once(" nodes").unwrap().0.replace(',', "").parse().unwrap()
}

#[cfg(unix)]
#[test]
fn a_search_goes_on_where_it_was_stopped_or_killed() {
    let proof = place("prove-long.proof");
    let state = format!("{proof}.state");
    let _ = fs::remove_file(&state);
    let nodes = |state: &str| {
        let bytes = fs::read(state).ok().filter(|bytes| bytes.len() > 24)?;
        Some(u64::from_le_bytes(bytes[16..24].try_into().unwrap()))
    };
    // Killed after a save, it has lost what came after that.
    let mut child = started(&proof, || nodes(&state).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let saved = nodes(&state).unwrap();
    assert!(saved > 0);
    assert!(!Path::new(&proof).exists());
    // It goes on from there, and Ctrl-C saves again.
    let child = started(&proof, || nodes(&state).unwrap() > saved);
    let stopped = interrupted(child);
    assert!(stopped > saved);
    assert_eq!(nodes(&state), Some(stopped));
    // A state that is damaged, or of another claim, is refused and left alone.
    let good = fs::read(&state).unwrap();
    let game = hexapawn(8, 8);
    let refused = |claim: &str| error(&["prove", &game, "--claim", claim, "--file", &proof]);
    assert!(refused("win in 9").contains("is of another game, position or claim"));
    for at in [0, 8, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&state, &bad).unwrap();
        assert!(refused("win").contains("the state of the search is "), "{at}");
        assert_eq!(fs::read(&state).unwrap(), bad);
    }
}

#[test]
fn a_search_that_is_done_leaves_no_state() {
    let proof = place("prove-done.proof");
    let made = json(&["prove", &hexapawn(4, 4), "--claim", "win", "--file", &proof, "--json"]);
    assert!(!Path::new(&format!("{proof}.state")).exists());
    assert_eq!(made["proven"], true);
    // Where the loser moves first, too, the plies are counted from the position of the claim.
    let after =
        json(&["prove", &example("hexapawn"), "--claim", "win", "--side", "b", "--file", &proof, "--json"]);
    assert_eq!(after["plies"], 6);
}

#[test]
fn a_strategy_that_takes_too_much_memory_is_refused_and_made_with_more() {
    let proof = place("prove-large.proof");
    let state = format!("{proof}.state");
    // Those of an earlier run.
    for file in [&proof, &state] {
        let _ = fs::remove_file(file);
    }
    let game = hexapawn(5, 5);
    let prove = |memory: &'static str| {
        ["prove", &game, "--claim", "win", "--memory", memory, "--file", &proof, "--json"].map(String::from)
    };
    // 800 positions of 1,900.
    let line = error(&prove("200K").each_ref().map(String::as_str));
    assert!(line.contains("more than 800 positions") && line.contains("give --memory more"), "{line}");
    assert!(Path::new(&state).exists() && !Path::new(&proof).exists());
    let made = json(&prove("64M").each_ref().map(String::as_str));
    assert_eq!(made["proven"], true);
    assert!(!Path::new(&state).exists());
}

#[test]
fn tables_are_leaves_of_proofs() {
    let tables = place("prove-tables");
    let _ = fs::remove_dir_all(&tables);
    // With the tables of four pieces, a search for a win with five ends at the first capture.
    let fen = "4n/l4/5/5/LQN2 w - - 0 1";
    common::ok(&["tables", "build", "ambush", "--dir", &tables, "--max-pieces", "4"]);
    let proof = place("prove-leaves.proof");
    let common = ["prove", "ambush", "--fen", fen, "--claim", "win", "--file", &proof, "--json"];
    let without = json(&common);
    let with = json(&[&common[..], &["--tables", &tables]].concat());
    assert_eq!((&without["proven"], &with["proven"]), (&Value::Bool(true), &Value::Bool(true)));
    assert!(with["nodes"].as_u64() < without["nodes"].as_u64(), "{with}\n{without}");
    // A check needs the same tables.
    let line = error(&["prove", "--check", &proof]);
    assert!(line.contains("give their folder with --tables"), "{line}");
    let checked = json(&["prove", "--check", &proof, "--tables", &tables, "--json"]);
    assert_eq!(checked["proven"], true);
    assert!(checked["leaves"].as_u64().unwrap() > 0);
    let table = fs::read_dir(&tables)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "jt"))
        .unwrap();
    let good = fs::read(&table).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&table, bad).unwrap();
    assert_ne!(run(&["prove", "--check", &proof, "--tables", &tables]).code, 0);
    fs::write(&table, good).unwrap();
    fs::rename(&table, format!("{tables}/elsewhere")).unwrap();
    let line = error(&["prove", "--check", &proof, "--tables", &tables]);
    assert!(line.contains("which is not in the folder"), "{line}");
}

#[test]
fn searches_take_proven_positions_as_leaves() {
    let folder = place("prove-known");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let (game, proof) = (hexapawn(5, 5), format!("{folder}/a.proof"));
    json(&["prove", &game, "--claim", "win", "--file", &proof, "--json"]);
    let shallow = ["analyse", &game, "--json", "--depth", "4"];
    let with = ["--tables", &folder];
    // The file has the positions after White's move and any answer.
    assert_eq!(json(&shallow)["score"]["kind"], "centipawns");
    let seen = json(&[&shallow[..], &with].concat());
    assert_eq!(
        (&seen["score"]["kind"], &seen["proven"]),
        (&Value::from("win"), &Value::Bool(true)),
        "{seen}"
    );
    // Nobody says that it takes so long.
    assert_eq!(seen["score"]["exact"], false);
    let tree = ["analyse", &game, "--json", "--player", "mcts", "--playouts", "2000"];
    let seen = json(&[&tree[..], &with].concat());
    assert_eq!(seen["score"]["kind"], "win", "{seen}");
    // A player that knows the file wins with White, however little it searches.
    let player = format!("ab,name=knows,depth=2,tables={folder}");
    let records = format!("{folder}/cup.jsonl");
    let players = ["tournament", &game, "--player", &player, "--player", "ab,depth=4", "--rounds", "1"];
    let played = json(&[&players[..], &["--openings", "random=0", "--records", &records, "--json"]].concat());
    let knows = played["players"].as_array().unwrap().iter().find(|player| player["name"] == "knows");
    assert!(knows.unwrap()["wins"].as_u64() >= Some(1), "{played}");
    // A claim that White does not lose is less: the score is a draw at least.
    let duel = format!("{folder}/duel-5x5");
    fs::create_dir_all(&duel).unwrap();
    let file = format!("{duel}/red.proof");
    json(&["prove", &example("duel-5x5"), "--claim", "draw", "--file", &file, "--json"]);
    let seen = json(&["analyse", &example("duel-5x5"), "--json", "--depth", "2", "--tables", &folder]);
    assert!(seen["score"]["value"].as_i64().unwrap() >= 0, "{seen}");
    // What is for other rules, damaged or wrong is refused.
    let refused = |file: &str| error(&["analyse", file, "--depth", "2", "--tables", &folder]);
    let line = refused(&hexapawn(4, 4));
    assert!(line.contains("a.proof: the proof is for other rules than those of "), "{line}");
    let mut bytes = fs::read(&proof).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&proof, bytes).unwrap();
    let line = refused(&game);
    assert!(line.contains("a.proof: ") && line.contains("damaged"), "{line}");
    fs::write(&proof, "").unwrap();
    assert!(refused(&game).contains("a.proof: "));
}
