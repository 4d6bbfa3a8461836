//! `jewel train`, and players that use a net.

use crate::common::{check_error, error, file, json, ok, place, program, run};
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

/// An empty folder with the variant file of a game in it, which is changed first.
fn variant(name: &str, id: &str, change: impl Fn(&str) -> String) -> String {
    let folder = place(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let file = format!("{folder}/mine.toml");
    fs::write(&file, change(jewel_engine::games::find(id).unwrap().text)).unwrap();
    file
}

#[test]
fn a_lesson_puts_a_net_beside_the_file_if_it_wins_and_goes_on_where_it_ended() {
    // Evaluated as in a game that nobody knows: the fingerprint is another.
    let file = variant("train-lesson", "diamond-quest", |text| text.replace("to = \"RBN\"", "to = \"RB\""));
    let (net, state) = (file.replace(".toml", ".net"), file.replace(".toml", ".lesson"));
    let lesson = |minutes: &str| {
        let said = run(&["train", &file, "--minutes", minutes, "--nodes", "60", "--json"]);
        assert!((said.code == 0 || said.code == 1) && said.stderr.is_empty(), "{said:?}");
        let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        // It is beside the file exactly if the match was won.
        let won = object["match"]["elo_interval"][0].as_f64().is_some_and(|low| low > 0.0);
        assert_eq!((said.code == 0, Path::new(&net).exists()), (won, won), "{object}");
        assert_eq!(object["out"].as_str(), won.then_some(&*net), "{object}");
        object
    };
    let first = lesson("0.02");
    assert!(first["games"].as_u64().unwrap() >= 48 && !first["rounds"].as_array().unwrap().is_empty());
    assert!(first["rounds"][0]["held"].as_f64().unwrap() > 0.0);
    let pairs = ["wins", "draws", "losses"].map(|key| first["match"][key].as_u64().unwrap());
    assert!(pairs.iter().sum::<u64>() >= 100, "{first}");
    assert!(Path::new(&state).exists());
    let more = lesson("0.2");
    assert!(more["games"].as_u64() > first["games"].as_u64(), "{more}");
    // The state belongs to this command.
    let line = error(&["train", &file, "--minutes", "0.02", "--nodes", "61"]);
    assert!(line.contains("mine.lesson: made by \"jewel train "), "{line}");
}

#[test]
fn a_net_beside_a_file_is_found_and_told_of_and_one_of_other_rules_is_not_used() {
    let file = variant("train-beside", "diamond-quest", str::to_string);
    let embedded = concat!(env!("CARGO_MANIFEST_DIR"), "/../search/src/games/diamond-quest/net");
    let net = file.replace(".toml", ".net");
    fs::copy(embedded, &net).unwrap();
    let fen = "rnbkbnr/ppppppp/7/7/3P3/PPP1PPP/RNBKBNR b KQkq - 0 1";
    let analyse = |file: &str, more: &[&str]| {
        let said = run(&[&["analyse", file, "--fen", fen, "--depth", "2", "--json"], more].concat());
        assert_eq!(said.code, 0, "{said:?}");
        let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        (object["score"].clone(), said.stderr)
    };
    let (score, told) = analyse(&file, &[]);
    assert_eq!(told, format!("{net}: this network evaluates; --net none turns it off\n"));
    let (hand, silent) = analyse(&file, &["--net", "none"]);
    assert!(silent.is_empty() && score != hand, "{score} {hand} {silent}");
    // Commands that do not play say nothing.
    ok(&["perft", &file, "2"]);
    // A tournament and a session tell of it, too.
    let records = format!("{file}.jsonl");
    let players = ["--player", "ab,nodes=20", "--player", "random", "--records", &records];
    let said = run(&[&["tournament", &file][..], &players].concat());
    assert_eq!(said.stderr, format!("{net}: this network evaluates; net=none for a player turns it off\n"));
    let uci = |file: &str| {
        use std::io::Write;
        let mut command = program();
        command.args(["uci", file]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"go depth 1\ngo depth 1\n").unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let line = format!("info string {net}: this network evaluates; EvalFile none turns it off\n");
    assert_eq!(uci(&file).matches(&line).count(), 1);
    // Under other rules it is not used, and a line says why.
    let changed = |text: &str| text.replace("to = \"RBN\"", "to = \"RB\"");
    let (other, alone) = ["train-beside-other", "train-beside-nothing"]
        .map(|name| variant(name, "diamond-quest", changed))
        .into();
    let wrong = other.replace(".toml", ".net");
    fs::copy(embedded, &wrong).unwrap();
    let (score, told) = analyse(&other, &[]);
    assert_eq!(score, analyse(&alone, &[]).0);
    assert!(
        told.starts_with(&format!("{wrong}: net: made for the rules ")) && told.lines().count() == 1,
        "{told}"
    );
    assert!(told.ends_with("; it is not used: the evaluation follows from the rules\n"), "{told}");
    fs::write(&wrong, "no net").unwrap();
    let (_, told) = analyse(&other, &[]);
    assert!(told.contains("no net file") || told.contains("shorter than any net file"), "{told}");
    // What lies there is not overwritten.
    let line = error(&["train", &file, "--minutes", "0.02"]);
    assert!(line.contains("mine.net is there already (a net for these rules, by \"jewel train"), "{line}");
    assert!(error(&["train", &other, "--minutes", "0.02"]).contains("mine.net is there already ("));
}

#[test]
fn a_lesson_in_a_game_that_teaches_nothing_is_refused_at_once() {
    let said = |name: &str, text: &str| {
        let folder = place(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let file = format!("{folder}/mine.toml");
        fs::write(&file, text).unwrap();
        let line = error(&["train", &file, "--minutes", "10", "--nodes", "20"]);
        assert!(!Path::new(&file.replace(".toml", ".net")).exists());
        line
    };
    let game = |board: &str, start: &str, more: &str| {
        format!(
            "id = \"mine\"\nname = \"Mine\"\n\n[board]\nsize = \"{board}\"\nstart = \"{start} w - - 0 1\"\n\n{more}"
        )
    };
    let king = "[[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n";
    // Two Kings that can do each other no harm: no game is ever won.
    let line = said("train-endless", &game("5x5", "k4/5/5/5/4K", king));
    assert!(line.starts_with("mine: none of the first ") && line.contains("games was won"), "{line}");
    // A step to the far rank, which is one step away, wins.
    let runner = "[[piece]]\nletter = \"R\"\nmoves = \"mfW\"\n\n[key]\ngoals = { w = [\"rank 2\"], b = [\"rank 1\"] }\n\
                  objective = \"reach\"\n\n[end]\nstalemate = \"loss\"\n";
    let line = said("train-short", &game("4x2", "2r1/R3", runner));
    assert!(line.starts_with("mine: most games are over after one random move"), "{line}");
    for (words, problem) in [
        (
            &["train", "ambush", "--minutes", "1"][..],
            "ambush has no variant file for the net to lie beside: give --out",
        ),
        (&["train", "crystal-draughts", "--minutes", "1"], "variant files"),
        (&["train", "ambush", "--minutes", "0", "--out", "x.net"], "write a number of minutes"),
        (&["train", "ambush", "--minutes", "1", "--games", "50", "--out", "x.net"], "--games"),
    ] {
        let line = error(words);
        assert!(line.contains(problem), "{line}");
    }
}

#[test]
fn what_cannot_be_trained_is_refused_in_one_line() {
    let state = file("train-bad.state", "{}");
    let line = error(&["train", "ambush", "--state", &state, "--out", &place("x.net")]);
    assert_eq!(line, format!("{state}: no state file of jewel train for ambush"));
    std::fs::write(&state, b"jeweltrain 1 and what it had").unwrap();
    let line = error(&["train", "ambush", "--state", &state, "--out", &place("x.net")]);
    assert_eq!(line, format!("{state}: written by another version of jewel: give another file"));
    assert!(error(&["train", "crystal-draughts", "--out", "x.net"]).contains("variant files"));
    assert!(error(&["train", "ambush", "--games", "7", "--out", "x.net"]).contains("--games"));
    assert!(error(&["train", "ambush"]).contains("--out"));
    assert!(error(&["train", "--out", "x.net"]).starts_with("no game given"));
    let nowhere = error(&["train", "ambush", "--tables", "no-such-folder", "--out", "x.net"]);
    assert!(nowhere.contains("no-such-folder"), "{nowhere}");
}
