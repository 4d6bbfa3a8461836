//! Files that are in the way: pipes, devices, files that another run writes to, and what a killed run has left.
#![cfg(unix)]

use crate::common::{self, Said, error, json, ok, place, program};
use std::fs::{self, File};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// An empty folder.
fn folder(name: &str) -> String {
    let path = place(&format!("files-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn pipe(path: &str) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_that_nobody_writes_to_is_not_waited_for() {
    let folder = folder("pipe");
    let pipe_of = |name: &str| {
        let path = format!("{folder}/{name}");
        pipe(&path);
        path
    };
    let (toml, epd, ini) = (pipe_of("game.toml"), pipe_of("book.epd"), pipe_of("variants.ini"));
    let (state, records) = (pipe_of("state"), pipe_of("games.jsonl"));
    let seats = ["--player", "random", "--player", "random,name=b"];
    for line in [
        &["show", &toml][..],
        &[&["tournament", &toml], &seats[..]].concat(),
        &["analyse", "duel", "--epd", &epd],
        &["variant", "import", &ini],
        &["solve", "duel", "--state", &state],
        &[&["tournament", "duel", "--records", &records], &seats[..]].concat(),
        &["perft", "--suite", &epd],
        &["play", "duel", "--load", &epd],
    ] {
        let begun = Instant::now();
        let problem = error(line);
        assert!(
            problem.contains("pipe") || problem.contains("regular file") || problem.contains("not a state"),
            "{line:?}: {problem}"
        );
        assert!(begun.elapsed() < Duration::from_secs(30), "{line:?}");
    }
}

#[test]
fn a_pipe_that_somebody_writes_to_is_read() {
    let path = format!("{}/game.toml", folder("written"));
    pipe(&path);
    let writer = {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut pipe = File::options().write(true).open(path).unwrap();
            let text = common::duel_of("3x3", "l2/3/2L", "b2");
            let (begin, end) = text.split_at(20);
            pipe.write_all(begin.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(100));
            pipe.write_all(end.as_bytes()).unwrap();
        })
    };
    assert_eq!(json(&["show", &path, "--json"])["game"], "my-duel");
    writer.join().unwrap();
}

/// A tournament that goes on until it is killed.
fn endless(folder: &str, pgn: &str, records: &str) -> Child {
    let records = format!("{folder}/{records}");
    let child = program()
        .args([
            "tournament",
            "duel",
            "--player",
            "random",
            "--player",
            "random,name=b",
            "--rounds",
            "100000000",
        ])
        .args(["--concurrency", "1", "--pgn", pgn, "--records", &records])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&records).map_or(0, |file| file.len()) < 5000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn two_runs_that_write_games_to_one_file_are_refused() {
    let folder = folder("pgn");
    let pgn = format!("{folder}/games.pgn");
    let mut first = endless(&folder, &pgn, "first.jsonl");
    let records = format!("{folder}/second.jsonl");
    let seats = ["--player", "random", "--player", "random,name=b", "--records", &records, "--pgn", &pgn];
    let second = error(&[&["tournament", "duel"], &seats[..]].concat());
    let matches =
        error(&["match", "northern-light", "--player", "random", "--player", "greedy", "--pgn", &pgn]);
    first.kill().unwrap();
    first.wait().unwrap();
    for problem in [second, matches] {
        assert_eq!(
            problem,
            format!("{pgn}: another run is writing to this file; wait for it, or name another one")
        );
    }
    // A killed run is in nobody's way.
    ok(&[&["tournament", "duel"], &seats[..]].concat());
}

#[test]
fn two_batches_that_write_to_one_file_are_refused() {
    let folder = folder("batch");
    let (epd, out) = (format!("{folder}/positions.epd"), format!("{folder}/out.jsonl"));
    let row = |n: u32| format!("rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w - - 0 {}\n", n + 1);
    fs::write(&epd, (0..1000).map(row).collect::<String>()).unwrap();
    let line =
        ["analyse", "diamond-chess", "--epd", &epd, "--out", &out, "--threads", "1", "--nodes", "20000"];
    let mut first = program().args(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while fs::metadata(&out).map_or(0, |file| file.len()) < 100 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = error(&line);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(
        second,
        format!("{out}: another run is writing to this file; wait for it, or name another one")
    );
    // A device is written to, and nothing is read from it.
    let to_nothing = ["analyse", "duel", "--epd", "/dev/null", "--out", "/dev/null"];
    assert_eq!(ok(&to_nothing), "0 positions\n");
}

#[test]
fn what_a_killed_run_left_is_cleaned_up_by_the_next() {
    let folder = folder("left");
    let pgn = format!("{folder}/games.pgn");
    // Until a run is killed while it writes the games of the run before anew.
    let mut seen = 0;
    for kills in 0..200 {
        let mut child = endless(&folder, &pgn, "games.jsonl");
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = program()
            .args([
                "tournament",
                "duel",
                "--player",
                "random",
                "--player",
                "random,name=b",
                "--rounds",
                "100000000",
            ])
            .args(["--concurrency", "1", "--pgn", &pgn, "--records", &format!("{folder}/games.jsonl")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = begun.unwrap();
        std::thread::sleep(Duration::from_micros(2000 + 300 * kills));
        child.kill().unwrap();
        child.wait().unwrap();
        seen += usize::from(fs::exists(format!("{pgn}.tmp")).unwrap());
        if seen >= 2 {
            break;
        }
    }
    assert!(seen > 0, "no run was killed at that moment");
    let mut child = endless(&folder, &pgn, "games.jsonl");
    // The games of earlier runs are written before the first new one.
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn input_that_is_far_too_long_is_refused_at_once() {
    let folder = folder("long");
    let begun = Instant::now();
    let nested = format!("position fen T7/8/8/8{}\n", "(".repeat(1_000_000));
    let mut child =
        program().args(["uci", "world-tree"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(nested.as_bytes()).unwrap();
    stdin.write_all(b"isready\n").unwrap();
    drop(stdin);
    let said: Said = child.wait_with_output().unwrap().into();
    assert!(
        said.stdout.contains("a position string has at most 4096 characters, this one has "),
        "{}",
        said.stdout.len()
    );
    assert!(said.stdout.contains("readyok"));

    let cup = format!("{folder}/cup.toml");
    let keys: String = (0..700_000).map(|n| format!("key{n} = {n}\n")).collect();
    fs::write(&cup, keys).unwrap();
    let problem = error(&["tournament", &cup]);
    assert_eq!(problem, format!("{cup}: line 1001: more than 1000 keys in a table"));

    let ini = format!("{folder}/variants.ini");
    let keys: String = (0..200_000).map(|n| format!("key{n} = {n}\n")).collect();
    fs::write(&ini, format!("[a]\n{keys}")).unwrap();
    let problem = error(&["variant", "import", &ini]);
    assert_eq!(problem, format!("{ini}: line 1002: a section has at most 1000 keys"));
    let sections: String = (0..200_000).map(|n| format!("[a{n}:chess]\n")).collect();
    fs::write(&ini, sections).unwrap();
    let problem = error(&["variant", "import", &ini]);
    assert_eq!(problem, format!("{ini}: line 5001: a file has at most 5000 sections"));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
