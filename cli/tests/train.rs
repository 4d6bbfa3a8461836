//! `jewel train`, and players that use a net.

mod common;

use common::{check_error, error, file, json, ok, place, program, run};
use jewel_search::evaluate::net::Net;
use std::fs;
use std::path::Path;

const JOB: [&str; 12] =
    ["train", "ambush", "--games", "80", "--nodes", "40", "--seed", "5", "--rounds", "2", "--epochs", "3"];

/// A place where nothing is.
fn fresh(name: &str) -> String {
    let path = place(name);
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn any_number_of_threads_gives_the_same_net_and_a_player_uses_it() {
    let rules = jewel_engine::games::find("ambush").unwrap().rules();
    let (one, two) = (fresh("train-one.net"), fresh("train-two.net"));
    let job = |more: &[&str]| json(&[&JOB[..], more, &["--json"]].concat());
    let said = job(&["--threads", "1", "--out", &one]);
    assert_eq!(said["games"], 160);
    assert_eq!((said["game"].as_str(), said["out"].as_str()), (Some("ambush"), Some(&*one)));
    assert!(said["positions"].as_u64().unwrap() > 160, "{said}");
    let epochs = said["epochs"].as_array().unwrap();
    assert_eq!(epochs.len(), 3);
    assert!(epochs.iter().all(|epoch| epoch["held"].as_f64().unwrap() > 0.0), "{said}");
    job(&["--threads", "3", "--out", &two]);
    let bytes = fs::read(&one).unwrap();
    assert!(fs::read(&two).unwrap() == bytes);
    let net = Net::parse(&bytes, rules).unwrap();
    assert_eq!(
        net.origin(),
        JOB.iter().fold("jewel".to_string(), |line, word| line + " " + word) + " --trust 90"
    );
    let players = [format!("ab,name=net,nodes=50,net={one}"), "ab,name=hand,nodes=50,net=none".to_string()];
    let games = json(&[
        "tournament",
        "ambush",
        "--rounds",
        "2",
        "--player",
        &players[0],
        "--player",
        &players[1],
        "--records",
        &fresh("train-games.jsonl"),
        "--json",
    ]);
    assert_eq!(games["games"], 4, "{games}");
    // The first round may be played by a net: other games, so another net.
    let three = fresh("train-three.net");
    job(&["--first", &one, "--out", &three]);
    let other = fs::read(&three).unwrap();
    assert!(Net::parse(&other, rules).unwrap().origin().contains(&format!(" --first {one} ")));
    let rows = |bytes: &[u8]| bytes[bytes.len() - 10_000..bytes.len() - 64].to_vec();
    assert!(rows(&other) != rows(&bytes));
    let line = error(&["train", "ambush", "--first", "own", "--out", &two]);
    assert!(line.contains("ambush comes with no net"), "{line}");
    assert!(error(&["train", "duel", "--first", &one, "--out", &two]).contains("net: made for the rules "));
    // A net for other rules, none at all, and one for a game that has none.
    let refused = |game: &str, net: &str| {
        let player = format!("ab,nodes=50,net={net}");
        let records = fresh("train-refused.jsonl");
        run(&["tournament", game, "--player", &player, "--player", "random", "--records", &records]).stderr
    };
    let line = refused("duel", &one);
    assert!(line.contains("net: made for the rules ") && line.contains("duel needs the rules "), "{line}");
    assert!(refused("ambush", "no-such-file").contains("no-such-file: No such file"));
    assert!(refused("crystal-draughts", &one).contains("variant files alone"));
    // Who analyses takes a net as well.
    let score =
        |net: &str| json(&["analyse", "ambush", "--net", net, "--depth", "3", "--json"])["score"].clone();
    assert_ne!(score(&one), score("none"));
    assert!(error(&["analyse", "duel", "--net", &one]).contains("net: made for the rules "));
}

#[test]
fn positions_of_a_similar_game_are_learnt_from_too() {
    let job = |game: &str, more: &[&str]| {
        let job =
            ["train", game, "--games", "32", "--nodes", "20", "--rounds", "1", "--epochs", "2", "--json"];
        json(&[&job[..], more].concat())
    };
    let (state, out) = (fresh("train-quest.state"), fresh("train-also.net"));
    let quest = job("diamond-quest", &["--state", &state, "--out", &out]);
    let alone = job("diamond-chess", &["--out", &out]);
    let without = fs::read(&out).unwrap();
    let chess = fresh("train-chess.state");
    let with = ["--also", &state, "--state", &chess, "--out", &out];
    let both = job("diamond-chess", &with);
    // The games that are counted are one's own; those of the other game are learnt from.
    assert_eq!((&both["games"], &both["positions"]), (&alone["games"], &alone["positions"]));
    assert!(quest["positions"].as_u64().unwrap() > 500, "{quest}");
    let net =
        Net::parse(&fs::read(&out).unwrap(), jewel_engine::games::find("diamond-chess").unwrap().rules());
    assert!(net.unwrap().origin().contains(&format!(" --also {state} ")));
    assert_ne!(both["epochs"], alone["epochs"]);
    let learnt = fs::read(&out).unwrap();
    assert!(learnt != without);
    // Where nothing is left to fit, the other game's file is needed no more.
    let away = fresh("train-away.state");
    fs::rename(&state, &away).unwrap();
    fs::remove_file(&out).unwrap();
    assert_eq!(job("diamond-chess", &with)["positions"], both["positions"]);
    assert!(fs::read(&out).unwrap() == learnt);
    fs::rename(&away, &state).unwrap();
    // The same games are fitted anew where only the fitting is another, and end as if they had been played for it.
    let again = fresh("train-again.net");
    let refit = [
        "train",
        "diamond-quest",
        "--games",
        "32",
        "--nodes",
        "20",
        "--rounds",
        "1",
        "--epochs",
        "3",
        "--json",
    ];
    json(&[&refit[..], &["--state", &state, "--out", &out]].concat());
    json(&[&refit[..], &["--out", &again]].concat());
    assert!(fs::read(&out).unwrap() == fs::read(&again).unwrap());
    // So are more games, of which those that are there need not be played again.
    let more = refit.map(|word| if word == "32" { "48" } else { word });
    let positions = json(&[&more[..], &["--state", &state, "--out", &out]].concat())["positions"].clone();
    assert_eq!(json(&[&more[..], &["--out", &again]].concat())["positions"], positions);
    assert!(fs::read(&out).unwrap() == fs::read(&again).unwrap());
    let line = error(&[
        "train",
        "diamond-quest",
        "--games",
        "32",
        "--nodes",
        "21",
        "--state",
        &state,
        "--out",
        &out,
    ]);
    assert!(line.contains("made by \"jewel train diamond-quest --games 48 --nodes 20 "), "{line}");
    let line = error(&["train", "ambush", "--also", &state, "--out", &out]);
    assert_eq!(line, format!("{state}: no state file of jewel train for ambush or a game like it"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_as_if_nothing_had_happened() {
    use std::process::{Command, Stdio};
    let rules = jewel_engine::games::find("ambush").unwrap().rules();
    let job = ["train", "ambush", "--games", "160", "--nodes", "200", "--rounds", "2", "--epochs", "3"];
    let (state, out, whole) = (fresh("train.state"), fresh("train-resumed.net"), fresh("train-whole.net"));
    ok(&[&job[..], &["--out", &whole]].concat());
    let mut command = program();
    command.args(job).args(["--state", &state, "--out", &out]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first batch has been saved; the last is far away.
    while !Path::new(&state).exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended without a state file");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let line = check_error(&child.wait_with_output().unwrap().into(), "interrupt");
    assert!(line.starts_with("interrupted after ") && line.contains(" of 2 rounds"), "{line}");
    let (_, command) = line.split_once("go on with: jewel ").unwrap();
    assert!(command.starts_with("train ambush --games 160") && command.contains(&state), "{command}");
    assert!(!Path::new(&out).exists());
    let words: Vec<&str> = command.split_whitespace().collect();
    let summary = ok(&words);
    assert!(summary.starts_with("games      320\n"), "{summary}");
    assert!(fs::read(&out).unwrap() == fs::read(&whole).unwrap());
    // Nothing is left to do, and nothing changes.
    let saved = fs::read(&state).unwrap();
    ok(&words);
    assert!(fs::read(&state).unwrap() == saved && fs::read(&out).unwrap() == fs::read(&whole).unwrap());
    // A net of a size that another version had is fitted anew, from the same positions.
    let net = fs::read(&whole).unwrap();
    let at = saved.windows(net.len()).position(|part| part == net).unwrap();
    let mut wider = net[..net.len() - 4].to_vec();
    let texts = ["ambush".len(), Net::parse(&net, rules).unwrap().origin().len()];
    wider[8 + 4 + 8 + 4 + texts[0] + 4 + texts[1]] ^= 1;
    wider.extend(crc32fast::hash(&wider).to_le_bytes());
    let mut other = [&saved[..at], &wider, &saved[at + net.len()..saved.len() - 4]].concat();
    other.extend(crc32fast::hash(&other).to_le_bytes());
    fs::write(&state, &other).unwrap();
    fs::remove_file(&out).unwrap();
    ok(&words);
    assert!(fs::read(&state).unwrap() == saved && fs::read(&out).unwrap() == net);
    // The state belongs to this command alone.
    let line = error(&["train", "ambush", "--games", "161", "--state", &state, "--out", &out]);
    assert!(line.contains("made by \"jewel train ambush --games 160 "), "{line}");
}

#[test]
fn what_cannot_be_trained_is_refused_in_one_line() {
    let state = file("train-bad.state", "{}");
    let line = error(&["train", "ambush", "--state", &state, "--out", &place("x.net")]);
    assert_eq!(line, format!("{state}: no state file of jewel train for ambush"));
    assert!(error(&["train", "crystal-draughts", "--out", "x.net"]).contains("variant files"));
    assert!(error(&["train", "ambush", "--games", "7", "--out", "x.net"]).contains("--games"));
    assert!(error(&["train", "ambush"]).contains("--out"));
    assert!(error(&["train", "--out", "x.net"]).starts_with("no game given"));
    let nowhere = error(&["train", "ambush", "--tables", "no-such-folder", "--out", "x.net"]);
    assert!(nowhere.contains("no-such-folder"), "{nowhere}");
}
