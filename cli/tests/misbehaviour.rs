//! Engines that misbehave, in tournaments as they are typed.
#![cfg(unix)]

mod common;

use common::{place, program, run};
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
    let pids = fs::read_to_string(pids).unwrap();
    assert!(pids.lines().count() >= 2, "{pids}");
    let end = Instant::now() + Duration::from_secs(20);
    while let Some(left) = pids.lines().find(|pid| is_running(pid)) {
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
    let (player, pids) = behind_a_shell(&folder, "sleep 1000");
    let records = format!("{folder}/games.jsonl");
    let mut child = program()
        .args(["tournament", "duel", "--player", &player, "--player", "random", "--records", &records])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until an engine is there and has been asked for a move, or will be.
    let end = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(&pids).map_or(0, |text| text.lines().count()) < 4 {
        assert!(Instant::now() < end, "no engine was started");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_ended(&pids);
}
