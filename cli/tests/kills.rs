//! `kill -9` at random moments of long work: the same command goes on, ends with the files of a run that nothing
//! happened to, and leaves nothing else behind.
//!
//! `JEWEL_KILLS=500 cargo test --release -p jewel-cli kills:: -- --nocapture` kills 500 times in all;
//! docs/results/robustness.md has the figures.
#![cfg(unix)]

use crate::common::{place, program, words};
use jewel_engine::random::Random;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Kills in all where nobody says how many.
const KILLS: u64 = 32;

/// The command lines, each run in a folder of its own.
const WORK: [(&str, &str); 4] = [
    (
        "tournament",
        "tournament ambush --player name=a,kind=ab,nodes=300 --player name=b,kind=mcts,nodes=300 --player name=c,kind=ab,depth=2 \
         --rounds 40 --adjudicate max_plies=60 --concurrency 2 --records games.jsonl --pgn games.pgn",
    ),
    ("tables", "tables build ambush --class NLQvNL --threads 2 --checkpoint 0 --tables tables"),
    ("analyse", "analyse ambush --epd book.epd --nodes 3000 --threads 2 --out results.jsonl"),
    (
        "train",
        "train diamond-quest --games 64 --nodes 30 --rounds 1 --epochs 2 --threads 1 --state q.train --out q.net",
    ),
];

/// Fields of results that a second run need not repeat.
const TIMES: [&str; 1] = ["seconds"];

/// A new folder for a piece of work.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(place(&format!("kills-{name}")));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    // Random positions, each once: the move number tells them apart.
    let line = |n: u32| format!("nqlqn/5/5/5/NQLQN b - - 0 {n}\n");
    fs::write(path.join("book.epd"), (1..200).map(line).collect::<String>()).unwrap();
    path
}

fn start(line: &str, folder: &Path) -> Child {
    let mut command = program();
    command.args(words(line)).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs to the end; what is left.
fn finish(line: &str, folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let output = start(line, folder).wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {stderr}");
    files(folder)
}

/// All files below a folder, with their contents as far as they are the same in each run.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            found.extend(
                files(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap();
        let kept = if name == "results.jsonl" { without_times(&bytes) } else { bytes };
        found.insert(name, kept);
    }
    found
}

/// Results of analysis in the order of their positions: they are written as they come.
fn without_times(bytes: &[u8]) -> Vec<u8> {
    let mut rows: Vec<String> = String::from_utf8_lossy(bytes)
        .lines()
        .map(|line| {
            let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
            TIMES.iter().for_each(|time| drop(row.as_object_mut().unwrap().remove(*time)));
            row.to_string()
        })
        .collect();
    rows.sort();
    rows.join("\n").into_bytes()
}

/// The names of the files that are not the same, and of those that only one of two runs has.
fn differences(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let mut differ: Vec<String> = names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect();
    differ.dedup();
    differ
}

/// Kills a piece of work so often.
fn survives(name: &str, line: &str, kills: u64, random: &mut Random) {
    let whole = folder(&format!("{name}-whole"));
    let begin = Instant::now();
    let expected = finish(line, &whole);
    // What others do on the machine changes how long the work takes: kills come up to so late.
    let mut latest = begin.elapsed();
    let mut there = folder(name);
    let (mut killed, mut runs) = (0, 0);
    while killed < kills {
        let mut child = start(line, &there);
        std::thread::sleep(latest.mul_f64(random.unit()));
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(differences(&files(&there), &expected), [""; 0], "{name} after {killed} kills");
            runs += 1;
            latest = latest.mul_f64(0.9).max(Duration::from_millis(20));
            there = folder(name);
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        latest = latest.mul_f64(1.02);
        killed += 1;
    }
    assert_eq!(differences(&finish(line, &there), &expected), [""; 0], "{name} after {killed} kills");
    println!("{name}: {killed} kills, {} runs to the end, all files as they should be", runs + 1);
}

#[test]
fn killed_work_goes_on_and_leaves_nothing_behind() {
    let kills =
        std::env::var("JEWEL_KILLS").map_or(KILLS, |text| text.parse().expect("JEWEL_KILLS is a number"));
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let begin = Instant::now();
    for (name, line) in WORK {
        survives(name, line, kills.div_ceil(WORK.len() as u64), &mut random);
    }
    println!("{:.0} s", begin.elapsed().as_secs_f64());
}
