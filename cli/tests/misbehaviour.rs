//! Engines that misbehave, in tournaments as they are typed.
//!
//! `JEWEL_CHAOS=2000 cargo test --release -p jewel-cli misbehaviour:: -- --nocapture` plays 2,000 games against an
//! engine that crashes, hangs, lies, floods and so on by chance; docs/results/robustness.md has the figures.
#![cfg(unix)]

use crate::common::{place, program, run};
use jewel_players::catalogue::AnyGame;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An empty folder.
fn folder(name: &str) -> String {
    let path = place(&format!("misbehaviour-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Whether a process is there and no zombie.
fn is_running(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8(state.stdout).unwrap();
    !state.trim().is_empty() && !state.trim_start().starts_with('Z')
}

/// Waits until none of the processes is running whose numbers are the lines of a file.
fn assert_ended(pids: &str) {
    let text = fs::read_to_string(pids).unwrap();
    // A log has words between the numbers.
    let pids: Vec<&str> =
        text.lines().filter(|line| line.bytes().all(|byte| byte.is_ascii_digit())).collect();
    assert!(pids.len() >= 2, "{text}");
    let end = Instant::now() + Duration::from_secs(20);
    while let Some(left) = pids.iter().find(|pid| is_running(pid)) {
        assert!(Instant::now() < end, "{left} of {pids:?} is still running");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A player behind a shell that has started another process: neither hears the end of its input, and the engine answers
/// as `answer` says. The numbers of both processes go to a file.
fn behind_a_shell(folder: &str, answer: &str) -> (String, String) {
    let (script, pids) = (format!("{folder}/engine.sh"), format!("{folder}/pids"));
    let text = format!(
        "sleep 1000 &\necho $! >> '{pids}'\necho $$ >> '{pids}'\ntrap '' TERM INT HUP\nwhile true; do\n  read -r line || sleep 1000\n\
         case $line in\n  uci) echo 'option name UCI_Variant type combo default duel var duel'; echo uciok;;\n  \
         isready) echo readyok;;\n  go*) {answer};;\n  esac\ndone\n"
    );
    fs::write(&script, text).unwrap();
    (format!("name=shell,cmd=sh '{script}',nodes=5,stop_timeout=100ms"), pids)
}

#[test]
fn an_engine_that_hangs_behind_a_shell_leaves_no_process() {
    let folder = folder("hangs");
    let (player, pids) = behind_a_shell(&folder, "sleep 1000");
    let records = format!("{folder}/games.jsonl");
    let line = ["tournament", "duel", "--player", &player, "--player", "random", "--records", &records];
    let said = run(&[&line[..], &["--each", "move_timeout=200ms,stop_grace=0"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("shell gave no answer to \"go\""), "{said:?}");
    assert_ended(&pids);
}

#[test]
fn engines_end_with_the_program_even_if_it_is_killed() {
    let folder = folder("killed");
    let pids = format!("{folder}/pids");
    let (player, _) = behind_a_shell(&folder, &format!("echo go >> '{pids}'; sleep 1000"));
    let records = format!("{folder}/games.jsonl");
    let mut child = program()
        .args(["tournament", "duel", "--player", &player, "--player", "random", "--records", &records])
        .args(["--concurrency", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until both engines have been asked for a move: one that is just being started is not known to anybody.
    let end = Instant::now() + Duration::from_secs(60);
    let asked = |text: String| text.lines().filter(|line| *line == "go").count();
    while fs::read_to_string(&pids).map_or(0, asked) < 2 {
        assert!(Instant::now() < end, "no engine was started");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_ended(&pids);
}

/// Games of the engine that misbehaves by chance where nobody says how many.
const GAMES: u64 = 30;

const CHAOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chaos.py");

/// The reasons for which a game is lost by a fault of a player.
const FAULTS: [&str; 6] = ["illegal", "start", "died", "silent", "nonsense", "time"];

#[test]
fn whatever_an_engine_does_the_tournament_goes_on() {
    let games =
        std::env::var("JEWEL_CHAOS").map_or(GAMES, |text| text.parse().expect("JEWEL_CHAOS is a number"));
    let folder = folder("chaos");
    let (records, log) = (format!("{folder}/games.jsonl"), format!("{folder}/log"));
    let engine = format!(
        "name=chaos,cmd=python3 -IS '{CHAOS}' '{log}',nodes=5,start_timeout=60,move_timeout=300ms,stop_grace=0,stop_timeout=200ms"
    );
    let rounds = games.div_ceil(2).to_string();
    let line = [
        "tournament",
        "duel",
        "--player",
        &engine,
        "--player",
        "name=steady,kind=random",
        "--openings",
        "random=0",
    ];
    let begin = Instant::now();
    let said =
        run(&[&line[..], &["--rounds", &rounds, "--concurrency", "4", "--records", &records, "--json"]]
            .concat());
    assert_eq!(said.code, 0, "{said:?}");
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(
        (object["games"].as_u64(), object["complete"].as_bool()),
        (Some(games.div_ceil(2) * 2), Some(true))
    );
    assert!(!said.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", said.stderr);

    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let mut board = AnyGame::resolve("duel").unwrap().open();
    for text in fs::read_to_string(&records).unwrap().lines() {
        let record: Value = serde_json::from_str(text).unwrap();
        let reason = record["reason"].as_str().unwrap();
        *reasons.entry(reason.to_string()).or_insert(0) += 1;
        // The game is one by the rules, as far as it went.
        let moves: Vec<String> =
            record["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap().to_string()).collect();
        board.set_position(record["start"].as_str(), &moves).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(record["fen"].as_str(), Some(board.fen().as_str()));
        if FAULTS.contains(&reason) || reason == "resigned" {
            let lost = if record["white"] == "chaos" { "0-1" } else { "1-0" };
            assert_eq!(record["result"], lost, "only the one that misbehaves can lose by it: {text}");
        } else {
            assert_eq!(
                board.ending().map(|end| end.verdict.score_text()),
                record["result"].as_str(),
                "{text}"
            );
        }
    }
    let faults: u64 = FAULTS.iter().filter_map(|reason| reasons.get(*reason)).sum();
    assert!(faults >= games / 10, "{reasons:?}");
    assert_ended(&log);
    let mut manners: BTreeMap<String, u64> = BTreeMap::new();
    let log = fs::read_to_string(&log).unwrap();
    for word in log.lines().filter(|line| !line.bytes().all(|byte| byte.is_ascii_digit())) {
        *manners.entry(word.to_string()).or_insert(0) += 1;
    }
    println!("{games} games in {:.0} s, by reason: {reasons:?}", begin.elapsed().as_secs_f64());
    println!("what the engine did: {manners:?}");
}
