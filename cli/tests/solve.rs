//! `jewel solve`: proofs, limits, interrupts and state files.

use crate::common::{self, check_error, error, file, json, ok, on_one_line, place, program, run};
use jewel_engine::ability::{Game, Packed};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::games;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// An ending of Ambush of 175 474 positions.
const ENDING: &str = "nq3/5/5/5/3QN b - - 0 1";

fn example(name: &str) -> String {
    format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// A directory of the test's own, empty.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(place(name));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// An object without what differs from run to run.
fn timeless(mut object: Value) -> Value {
    object.as_object_mut().unwrap().remove("seconds").expect("seconds");
    object
}

/// The words of a command line; double quotes hold words together.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

/// The command to go on that an error line ends with, without `jewel`.
fn command_to_go_on(line: &str) -> Vec<&str> {
    let (_, command) = line.split_once("go on with: jewel ").unwrap_or_else(|| panic!("{line}"));
    words(command)
}

#[test]
fn duel_is_proven_a_draw_and_its_source_right() {
    let text = ok(&["solve", "duel", "--verify"]);
    for part in [
        "Duel in the Castle from l2/3/2L w - - 0 1, Red to move\n",
        "\nvalue        draw\npositions    162\n             96 won, 40 drawn, 26 lost",
        "\nverified     every value",
        "\n  c1b1  draw\n  c1c2  draw\n  c1a1  loss in 2 plies\n  c1c3  loss in 2 plies\n",
        "\nClaims of the source (Jewel, Facet 1):\n  confirmed  Duel is a draw\n",
        "found: only a3b3 c2a2 b3b1 a2c2 b1b3, and a position is there again\n",
        "found: Red wins in 1 ply\n",
        "found: Green has won\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(on_one_line(&text).contains("is there again: a draw by repetition. "), "{text}");
    assert_eq!(text.matches("  confirmed  ").count(), 5, "{text}");
    assert!(!text.contains("REFUTED"));
}

#[test]
fn the_object_has_the_words_that_scripts_rely_on() {
    let object = json(&["solve", "duel", "--json"]);
    assert_eq!(object["game"], "duel");
    assert_eq!(object["fen"], "l2/3/2L w - - 0 1");
    assert_eq!((&object["value"], &object["distance"]), (&json!("draw"), &Value::Null));
    assert_eq!(
        object["moves"],
        json!([
            {"move": "c1b1", "value": "draw", "distance": null},
            {"move": "c1c2", "value": "draw", "distance": null},
            {"move": "c1a1", "value": "loss", "distance": 2},
            {"move": "c1c3", "value": "loss", "distance": 2},
        ])
    );
    assert_eq!(object["line"], json!(["c1b1", "a3a2", "b1b3", "a2c2", "b3b1", "c2a2"]));
    assert_eq!(object["line_forced"], json!([false, true, true, true, true, true]));
    assert_eq!(object["line_end"], json!({"kind": "repetition", "ply": 2}));
    let counts = ["positions", "wins", "draws", "losses"].map(|key| object[key].as_u64().unwrap());
    assert_eq!(counts, [162, 96, 40, 26]);
    assert!(object["claims"].as_array().unwrap().iter().all(|claim| claim["confirmed"] == true));
    assert_eq!(object["verified"], false);
    assert_eq!(json(&["solve", "duel", "--json", "--verify"])["verified"], true);
    // A line is played by the rules: it ends where it says.
    let line: Vec<&str> = object["line"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let board = |moves: &[&str]| {
        let fen = json(&["moves", "duel", "--json", "--moves", &moves.join(" ")])["fen"].clone();
        fen.as_str().unwrap().split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(board(&line), board(&line[..2]));
}

#[test]
fn positions_and_moves_choose_the_root() {
    let object = json(&["solve", "duel", "--json", "--moves", "c1b1 a3c3 b1b2"]);
    assert_eq!((&object["value"], &object["distance"]), (&json!("loss"), &json!(1)));
    assert_eq!(object["line_end"], json!({"kind": "over", "outcome": "win"}));
    assert!(object["claims"].is_null(), "the claims are about the start position");
    let over = json(&["solve", "duel", "--json", "--fen", "l2/1L1/3 w - - 0 1"]);
    assert_eq!((&over["value"], &over["distance"]), (&json!("win"), &json!(0)));
    assert_eq!((&over["moves"], &over["line"]), (&json!([]), &json!([])));
    assert!(ok(&["solve", "duel", "--fen", "l2/1L1/3 w - - 0 1"]).contains("win, the game is over"));
    // Two Queen's Lancers that can never reach the key.
    let dead = json(&["solve", "ambush", "--json", "--fen", "1q3/5/5/5/1Q3 w - - 0 1"]);
    assert_eq!((&dead["value"], &dead["positions"]), (&json!("draw"), &json!(1)));
}

#[test]
fn example_variants_are_solved() {
    for (name, value, distance, positions) in [
        ("duel-4x4", "loss", json!(5), 512),
        ("duel-3x5", "draw", Value::Null, 450),
        ("duel-5x5", "draw", Value::Null, 181_250),
    ] {
        let object = json(&["solve", "--variant", &example(name), "--verify", "--json"]);
        assert_eq!((&object["value"], &object["distance"]), (&json!(value), &distance), "{name}");
        assert_eq!(object["positions"], positions, "{name}");
        assert!(object["claims"].is_null());
    }
    // The rules are what the claims are about, not the file.
    let text = fs::read_to_string(example("duel-4x4")).unwrap();
    let text = text.replace("4x4", "3x3").replace("l3/4/4/3L", "l2/3/2L");
    let text = text.replace("\"b2\", \"c2\", \"b3\", \"c3\"", "\"b2\"");
    let path = file("solve-as-duel.toml", text);
    assert!(ok(&["solve", "--variant", &path]).contains("  confirmed  Duel is a draw\n"));
    // They say nothing about the same rules with another start.
    let text = fs::read_to_string(&path).unwrap().replace("l2/3/2L", "1l1/3/2L");
    let path = file("solve-as-duel-elsewhere.toml", text);
    assert!(json(&["solve", "--variant", &path, "--json"])["claims"].is_null());
}

/// What was published about rules that are no game of the program: with counts from a graph, and without from tables.
#[test]
fn claims_about_rules_are_checked() {
    let hexapawn = |start: &str| {
        let text = format!(
            "name = \"Three pawns\"\n[board]\nsize = \"3x3\"\nstart = \"{start}\"\n[[piece]]\nletter = \"P\"\n\
             moves = \"mfWcfF\"\n[key]\ngoals = {{ w = [\"rank 3\"], b = [\"rank 1\"] }}\nobjective = \"reach\"\n\
             [end]\nbare = \"loss\"\nstalemate = \"loss\"\n"
        );
        file("solve-hexapawn.toml", text)
    };
    let path = hexapawn("ppp/3/PPP w - - 0 1");
    let object = json(&["solve", &path, "--method", "graph", "--json"]);
    assert!(object["source"].as_str().unwrap().contains("Scientific American"), "{object}");
    let claims = object["claims"].as_array().unwrap().len();
    assert!(
        claims > 0 && object["claims"].as_array().unwrap().iter().all(|claim| claim["confirmed"] == true)
    );
    let tables =
        json(&["solve", &path, "--method", "tables", "--tables", &place("solve-hexapawn"), "--json"]);
    assert!(tables["claims"].as_array().unwrap().iter().all(|claim| claim["confirmed"] == true), "{tables}");
    let path = hexapawn("ppp/P2/1PP w - - 0 1");
    assert!(json(&["solve", &path, "--method", "graph", "--json"])["claims"].is_null());
}

#[test]
fn a_stopped_run_goes_on_to_the_same_result() {
    let whole = timeless(json(&["solve", "ambush", "--fen", ENDING, "--json"]));
    let state = directory("solve-steps").join("a state");
    let state = state.to_str().unwrap();
    for first in [&["--max-positions", "20000"][..], &["--memory", "200K"]] {
        let _ = fs::remove_file(state);
        let mut arguments = vec!["solve", "ambush", "--fen", ENDING, "--json", "--threads", "2"];
        arguments.extend(first);
        arguments.extend(["--state", state]);
        let mut said = run(&arguments);
        let mut stops = 0;
        while said.code != 0 {
            let line = check_error(&said, &format!("{first:?}"));
            assert!(line.starts_with("stopped with ") && line.contains(state), "{line}");
            stops += 1;
            assert!(stops < 10, "{line}");
            said = run(&command_to_go_on(&line));
        }
        // A limit of memory is enough the first time that it is named; of positions, little is known so early.
        assert!((1..=3).contains(&stops), "{first:?}: {stops}");
        assert_eq!(timeless(serde_json::from_str(&said.stdout).unwrap()), whole);
    }
}

#[test]
fn a_game_of_many_pieces_gets_wide_keys() {
    let state = place("solve-wide.state");
    let _ = fs::remove_file(&state);
    let line = error(&["solve", "diamond-chess", "--max-positions", "1000", "--state", &state]);
    assert!(line.contains("there are more positions than --max-positions 1000;"), "{line}");
    // Byte 12 of the header is the width of a key.
    assert_eq!(fs::read(&state).unwrap()[12], 32);
}

/// A run in a directory, with the program's own states in a folder below it.
fn run_in(directory: &Path, arguments: &[&str]) -> common::Said {
    let mut command = program();
    command.current_dir(directory).env("XDG_STATE_HOME", directory.join("states")).args(arguments);
    command.output().unwrap().into()
}

/// The files of the program's own states below a directory.
fn own_states(directory: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(directory.join("states/jewel")) else { return Vec::new() };
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn a_state_without_a_name_is_kept_apart_and_goes_when_it_has_served() {
    let directory = directory("solve-unnamed");
    let first = ["solve", "ambush", "--fen", ENDING, "--json", "--max-positions", "20000"];
    let line = check_error(&run_in(&directory, &first), "stop");
    let own = own_states(&directory);
    assert_eq!(own.len(), 1, "{line}");
    assert!(line.contains(&format!("all of it is in {} (", own[0].display())), "{line}");
    let go_on = command_to_go_on(&line);
    assert!(!go_on.contains(&"--state"), "{line}");
    let names: Vec<_> = fs::read_dir(&directory).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["states"], "nothing is left where the program was run");
    // The same game goes on there, to the same result, whatever the command.
    let whole = timeless(json(&["solve", "ambush", "--fen", ENDING, "--json"]));
    let said = run_in(&directory, &["solve", "ambush", "--fen", ENDING, "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(timeless(serde_json::from_str(&said.stdout).unwrap()), whole);
    assert_eq!(own_states(&directory).len(), 0, "it is of no more use");
    // What another release wrote there, or a fault of the disk spoilt, is begun anew.
    check_error(&run_in(&directory, &first), "stop again");
    fs::write(&own_states(&directory)[0], "spoilt").unwrap();
    assert_eq!(run_in(&directory, &["solve", "ambush", "--fen", ENDING]).code, 0);
}

#[test]
fn the_memory_that_is_advised_is_enough() {
    let directory = directory("solve-advised");
    // 363,319 positions, which take some 3 MiB.
    let fen = "nl3/5/5/5/2LQ1 b - - 0 1";
    let first = ["solve", "ambush", "--fen", fen, "--method", "graph", "--threads", "1", "--memory", "2M"];
    let line = check_error(&run_in(&directory, &first), "2M");
    assert!(line.contains("the limit is 2048K") || line.contains("the limit is 2M"), "{line}");
    let said = run_in(&directory, &command_to_go_on(&line));
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{line}");
}

#[test]
fn what_does_not_fit_into_memory_goes_to_files() {
    let directory = directory("solve-disk");
    // 4,526,920 positions, which take 34 MiB in memory.
    let fen = "nlq2/5/5/5/2LQ1 b - - 0 1";
    let solve = ["solve", "ambush", "--fen", fen, "--method", "graph", "--threads", "1", "--json"];
    let within = |memory: &'static str, more: &[&'static str]| {
        let said = run_in(&directory, &[&solve[..], &["--memory", memory], more].concat());
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        timeless(serde_json::from_str(&said.stdout).unwrap())
    };
    let in_memory = within("1G", &[]);
    let on_disk = within("29M", &[]);
    assert_eq!(on_disk, in_memory);
    assert_eq!(own_states(&directory).len(), 0, "nothing is left");
    // Stopped, in a folder that was named, and resumed in what would do without files.
    let limits = ["--memory", "29M", "--max-positions", "2000000", "--disk", "here"];
    let line = check_error(&run_in(&directory, &[&solve[..], &limits].concat()), "a limit on disk");
    assert!(
        line.contains("there are more positions than --max-positions 2000000") && line.contains("is in here"),
        "{line}"
    );
    let go_on = command_to_go_on(&line);
    assert!(go_on.contains(&"--disk") && directory.join("here/jewel-manifest").is_file(), "{line}");
    let said = run_in(&directory, &go_on);
    assert_eq!(timeless(serde_json::from_str(&said.stdout).unwrap()), in_memory, "{said:?}");
    assert!(!directory.join("here").exists());
    // A folder of another game is refused and left alone, and so is a file.
    check_error(&run_in(&directory, &[&solve[..], &limits].concat()), "again");
    let other = ["solve", "ambush", "--disk", "here", "--fen", "nl3/5/5/5/2LQ1 b - - 0 1"];
    let line = check_error(&run_in(&directory, &other), "another game");
    assert_eq!(line, "here: belongs to other rules or another start position");
    fs::write(directory.join("file"), "").unwrap();
    let line = check_error(
        &run_in(&directory, &[&solve[..], &["--memory", "29M", "--disk", "file"]].concat()),
        "a file",
    );
    assert!(line.starts_with("stopped: file: ") && line.contains("go on with: jewel solve"), "{line}");
    assert!(directory.join("here/jewel-manifest").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line_and_the_work_goes_on_when_there_is_room() {
    // A file system of eight mebibytes, where this program may make one.
    let directory = directory("solve-full");
    let disk = directory.join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |size: &str| {
        let options = format!("size={size}{}", if size == "8m" { "" } else { ",remount" });
        let mut command = std::process::Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&disk);
        command.output().is_ok_and(|said| said.status.success())
    };
    if !mount("8m") {
        return;
    }
    let fen = "nlq2/5/5/5/2LQ1 b - - 0 1";
    let solve = ["solve", "ambush", "--fen", fen, "--method", "graph", "--threads", "1", "--json"];
    let on_disk = [&solve[..], &["--memory", "29M", "--disk", disk.to_str().unwrap()]].concat();
    let said = run_in(&directory, &on_disk);
    let room = mount("400m");
    let again = run_in(&directory, &on_disk);
    let unmounted = std::process::Command::new("umount").arg(&disk).status().unwrap();
    let line = check_error(&said, "a full disk");
    assert!(line.contains("No space left on device") && line.contains("go on with: jewel solve"), "{line}");
    assert!(room && unmounted.success());
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
}

#[test]
fn a_win_in_a_few_plies_is_found_by_search() {
    // Mate in three plies, and far more than a hundred thousand positions that can be reached.
    let arguments = ["solve", "chess", "--fen", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"];
    let object = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(
        (&object["method"], &object["value"], &object["distance"]),
        (&json!("search"), &json!("win"), &json!(3))
    );
    assert!(object["positions"].is_null() && object["nodes"].as_u64().unwrap() < 1_000_000, "{object}");
    let line: Vec<&str> = object["line"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let over = json(&[&["moves"], &arguments[1..], &["--moves", &line.join(" "), "--json"]].concat());
    assert_eq!((line.len(), &over["outcome"]), (3, &json!("loss")));
    let count = |key: &str| object[key].as_array().unwrap().len();
    let legal = json(&[&["moves"], &arguments[1..], &["--json"]].concat())["moves"].as_array().unwrap().len();
    assert_eq!(count("moves") + count("undecided"), legal);
    let text = ok(&arguments);
    assert!(text.contains("\nvalue     win in 3 plies\nfound by  search of "), "{text}");
    assert!(on_one_line(&text).contains("other moves do not win within 3 plies; no more is known"), "{text}");
}

#[test]
fn a_game_that_fits_nowhere_is_proven() {
    let directory = directory("proven");
    let octopawn = example("octopawn");
    let arguments = ["solve", &octopawn, "--method", "proof", "--proofs", "here", "--json"];
    let answer: Value = serde_json::from_str(&run_in(&directory, &arguments).stdout).unwrap();
    assert_eq!(answer["value"], "win");
    assert_eq!(answer["distance"], Value::Null);
    let plies = json(&["solve", &octopawn, "--method", "graph", "--json"])["distance"].as_u64().unwrap();
    assert!(answer["within"].as_u64().unwrap() >= plies);
    let [proof] = answer["proofs"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!((&proof["side"], &proof["claim"]), (&json!("w"), &json!("win")));
    let checked = run_in(&directory, &["prove", "--check", proof["file"].as_str().unwrap()]);
    assert!(checked.code == 0 && checked.stdout.contains("White wins"), "{checked:?}");
    // The line ends as the value says.
    assert_eq!(answer["line_end"], json!({"kind": "over", "outcome": "loss"}));
    assert_eq!(answer["moves"].as_array().unwrap().len(), 1);
    assert_eq!(answer["undecided"].as_array().unwrap().len(), 3);

    // A draw takes two strategies, and ends in a repetition.
    let answer = json(&["solve", "duel", "--method", "proof", "--json"]);
    assert_eq!(answer["value"], "draw");
    assert_eq!(answer["proofs"].as_array().unwrap().len(), 2);
    assert_eq!(answer["line_end"]["kind"], "repetition");

    // Too large for the graph and for tables in this memory, so it is proven without being told to.
    let hexapawn = fs::read_to_string(example("hexapawn")).unwrap();
    let larger = hexapawn.replace("3x3", "5x5").replace("ppp/3/PPP", "ppppp/5/5/5/PPPPP");
    let larger = file("hexapawn-5x5.toml", larger.replace("rank 3", "rank 5"));
    let answer = json(&["solve", &larger, "--memory", "12M", "--json"]);
    assert_eq!((&answer["method"], &answer["value"]), (&json!("proof"), &json!("win")));
}

#[cfg(unix)]
#[test]
fn an_interrupted_proof_search_says_why_there_are_no_tables() {
    use std::process::{Command, Stdio};
    let directory = directory("no-tables");
    // Long enough for the graph and the short search before it: how long these take, nobody knows.
    let interrupted = [2, 4, 8, 16, 32, 64].into_iter().find_map(|seconds| {
        let mut command = program();
        command.current_dir(&directory).env("XDG_STATE_HOME", &directory);
        command.args(["solve", "ambush", "--memory", "12M"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let line = check_error(&child.wait_with_output().unwrap().into(), "interrupt");
        line.starts_with("interrupted after ").then_some(line)
    });
    let line = interrupted.expect("a search for proofs");
    assert!(line.contains(" nodes of proof search"), "{line}");
    assert!(line.contains("there are no tables: class LQQNNvLQQNN needs at least "), "{line}");
}

#[test]
fn a_graph_is_preferred_where_it_is_far_smaller_than_tables() {
    // Few of the positions of a class of pawns can be reached.
    let arguments =
        ["solve", "--variant", &example("decapawn"), "--fen", "ppp2/5/5/5/2PPP w - - 0 1", "--json"];
    let object = json(&arguments);
    assert_eq!(object["method"], "graph");
}

#[test]
fn a_game_is_folded_by_its_symmetries() {
    let game = "crystal-draughts:tiers=2,molecules=2,tokens=2";
    let whole = json(&["solve", game, "--method", "graph", "--json"]);
    let folded = json(&["solve", game, "--symmetry", "--verify", "--json"]);
    assert_eq!((&whole["value"], &whole["distance"]), (&folded["value"], &folded["distance"]));
    assert_eq!(whole["moves"], folded["moves"]);
    let count = |object: &Value, key: &str| object[key].as_u64().unwrap();
    assert!(count(&folded, "orbits") * 3 < count(&folded, "positions"));
    assert!(count(&folded, "positions") >= count(&whole, "positions"));
    assert!(whole.get("orbits").is_none());
    let text = ok(&["solve", game, "--symmetry"]);
    assert!(text.contains("\norbits ") && text.contains(": positions, images counted once\n"), "{text}");
    // A state goes on only as it was begun.
    let state = place("solve-folded.state");
    let _ = fs::remove_file(&state);
    let line = error(&["solve", game, "--symmetry", "--max-positions", "20", "--state", &state]);
    assert!(command_to_go_on(&line).contains(&"--symmetry"), "{line}");
    assert!(error(&["solve", game, "--state", &state]).contains("it belongs to other rules"));
    let resumed = json(&["solve", game, "--symmetry", "--verify", "--json", "--state", &state]);
    assert_eq!(timeless(resumed), timeless(folded));
    assert!(error(&["solve", "ambush", "--symmetry", "--method", "tables"]).contains("--symmetry"));
}

#[test]
fn state_files_that_do_not_fit_are_refused() {
    let state = place("solve-refused.state");
    let _ = fs::remove_file(&state);
    error(&["solve", "ambush", "--max-positions", "5000", "--state", &state]);
    let good = fs::read(&state).unwrap();
    let refused = |arguments: &[&str]| {
        let line = error(&[&["solve"], arguments, &["--state", &state]].concat());
        line.strip_prefix(&format!("{state}: ")).unwrap_or_else(|| panic!("{line}")).to_string()
    };
    let other = "it belongs to other rules or another start position";
    assert_eq!(refused(&["ambush", "--fen", ENDING]), other);
    assert_eq!(refused(&["duel"]), other);
    assert!(refused(&["ambush", "--memory", "10K"]).contains("give --memory more"));
    assert_eq!(fs::read(&state).unwrap(), good, "a file that is refused is left alone");
    let mut damaged = good.clone();
    // A key in the middle.
    damaged[72 + 10 * 2_000 + 3] ^= 4;
    fs::write(&state, damaged).unwrap();
    assert_eq!(refused(&["ambush"]), "damaged: the checksum is wrong");
    fs::write(&state, &good[..good.len() - 1]).unwrap();
    assert_eq!(refused(&["ambush"]), "damaged: the file has not the length that its header gives");
    fs::write(&state, "id = \"duel\"").unwrap();
    assert!(refused(&["ambush"]).starts_with("not a solver state file"));
    fs::write(&state, "").unwrap();
    assert!(refused(&["ambush"]).starts_with("not a solver state file"));
    let directory = place("");
    assert!(error(&["solve", "duel", "--state", &directory]).starts_with(&directory));
    let nowhere = place("no-such-directory/x.state");
    let line = error(&["solve", "ambush", "--max-positions", "10", "--state", &nowhere]);
    assert!(line.contains("the state cannot be saved: No such file") && line.contains("--max-positions 10"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_the_state() {
    use std::process::{Command, Stdio};
    let directory = directory("solve-interrupted");
    let mut command = program();
    let states = directory.join("states");
    command.current_dir(&directory).env("XDG_STATE_HOME", &states).args([
        "solve",
        "ambush",
        "--method",
        "graph",
        "--threads",
        "1",
        "--memory",
        "1G",
    ]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Long enough to begin, far too short to end: the game has more positions than memory can hold.
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let line = check_error(&child.wait_with_output().unwrap().into(), "interrupt");
    assert!(line.contains(": interrupted; all of it is in "), "{line}");
    let found: usize = line.split_whitespace().nth(2).unwrap().replace(',', "").parse().unwrap();
    assert!(found > 100, "{line}");
    // Going on from there finds more.
    let mut again = program();
    again.current_dir(&directory).env("XDG_STATE_HOME", &states).args(command_to_go_on(&line));
    let limit = (found + 1000).to_string();
    let line = check_error(&again.args(["--max-positions", &limit]).output().unwrap().into(), "again");
    assert!(line.contains(&format!("more positions than --max-positions {limit}")), "{line}");
    assert_eq!(own_states(&directory).len(), 1);
}

#[test]
fn what_is_typed_wrong_is_one_line() {
    assert!(error(&["solve", "duel", "--max-positions", "0"]).contains("--max-positions"));
    assert!(error(&["solve", "duel", "--max-positions", "4294967296"]).contains("4294967295"));
    assert!(error(&["solve", "duel", "--memory", "much"]).contains("\"much\" is not a size"));
    assert!(error(&["solve", "duel", "--threads", "0"]).contains("--threads"));
    assert!(error(&["solve", "dul"]).contains("did you mean \"duel\""));
    assert!(error(&["solve", "duel", "--fen", "3/3/3 w - - 0 1"]).starts_with("--fen: "));
}

#[test]
fn help_teaches() {
    let help = ok(&["solve", "--help"]);
    assert!(help.contains("Examples:\n  jewel solve duel\n") && help.contains("Usage: jewel solve"));
    assert_eq!(ok(&["help", "solve"]), help);
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

/// A state file that was forged, checksums and all, is what --verify is for.
#[test]
fn a_forged_state_is_found_out() {
    let checksum = |bytes: &[u8]| {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        words.fold(0, |hash, word| jewel_engine::zobrist::splitmix64(hash ^ word).1)
    };
    let state = place("solve-forged.state");
    let _ = fs::remove_file(&state);
    error(&["solve", "duel", "--max-positions", "100", "--state", &state]);
    let mut bytes = fs::read(&state).unwrap();
    // Of the four moves of the root only the first to lose is left.
    let root = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap().start();
    let key = root.pack::<u64>().to_le_bytes();
    let records = bytes[72..bytes.len() - 8].chunks(10);
    let at = 72 + 10 * records.clone().position(|record| record[..8] == key).unwrap();
    assert_eq!(bytes[at + 8..at + 10], 4_u16.to_le_bytes());
    bytes[at + 8] = 1;
    let moves = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) - 3;
    bytes[40..48].copy_from_slice(&moves.to_le_bytes());
    let sum = checksum(&bytes[..64]);
    bytes[64..72].copy_from_slice(&sum.to_le_bytes());
    let end = bytes.len() - 8;
    let sum = checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    fs::write(&state, bytes).unwrap();
    let line = error(&["solve", "duel", "--state", &state, "--verify"]);
    assert!(
        line.contains("the check of the values failed: \"") && line.contains(", its moves give "),
        "{line}"
    );
    // Without it the claims of the source are what does not fit.
    let said = run(&["solve", "duel", "--state", &state]);
    assert_eq!((said.code, said.stderr.as_str()), (1, ""));
    assert!(said.stdout.contains("  REFUTED    Duel is a draw\n             found: Green wins in 2 plies\n"));
}
