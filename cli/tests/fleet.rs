//! `jewel tables build --fleet`: many processes build one set of tables, some of them are killed, and the files are those
//! of one process that worked alone.
//!
//! `JEWEL_FLEETS=20 cargo test --release -p jewel-cli fleet:: -- --nocapture` does it 20 times; docs/results/robustness.md
//! has the figures.
#![cfg(unix)]

use crate::common::{Said, error, json, ok, place, program, run};
use jewel_engine::random::Random;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Classes with symmetries, promotions and several windows are in the tests of the solver; this one has 18 classes.
const CLASS: &str = "NLQvNL";
/// Processes at a time, and how many of them are killed.
const BUILDERS: usize = 8;
const KILLED: usize = 3;

fn folder(name: &str) -> String {
    let path = place(&format!("fleet-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

fn arguments<'a>(dir: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = [
        "tables",
        "build",
        "ambush",
        "--class",
        CLASS,
        "--threads",
        "1",
        "--checkpoint",
        "0",
        "--tables",
        dir,
    ];
    [&words[..], more].concat()
}

fn start(dir: &str) -> Child {
    let mut command = program();
    command.args(arguments(dir, &["--fleet"])).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// The files of a folder; nothing else may be in it.
fn files(dir: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_fleet_of_which_some_are_killed_leaves_the_files_of_one_builder() {
    let alone = folder("alone");
    let begin = Instant::now();
    ok(&arguments(&alone, &[]));
    let latest = begin.elapsed();
    let expected = files(&alone);
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let times =
        std::env::var("JEWEL_FLEETS").map_or(2, |text| text.parse().expect("JEWEL_FLEETS is a number"));
    let mut killed_at_work = 0;
    for time in 0..times {
        let dir = folder("many");
        let begin = Instant::now();
        let mut builders: Vec<Child> = (0..BUILDERS).map(|_| start(&dir)).collect();
        let mut moments: Vec<Duration> = (0..KILLED).map(|_| latest.mul_f64(random.unit())).collect();
        moments.sort();
        for moment in moments {
            std::thread::sleep(moment.saturating_sub(begin.elapsed()));
            let mut victim = builders.swap_remove(random.below(builders.len() as u32) as usize);
            killed_at_work += u32::from(victim.try_wait().unwrap().is_none());
            victim.kill().unwrap();
            victim.wait().unwrap();
        }
        for builder in builders {
            let said: Said = builder.wait_with_output().unwrap().into();
            assert_eq!((said.code, said.stderr.as_str()), (0, ""), "seed {seed}, {time}");
            assert!(said.stdout.starts_with("tables   18 in "), "{}", said.stdout);
        }
        assert!(files(&dir) == expected, "seed {seed}, {time}: other files");
        fs::remove_dir_all(&dir).unwrap();
    }
    println!("{times} fleets, {killed_at_work} builders killed at work");
}

#[test]
fn builders_share_the_classes() {
    let dir = folder("shares");
    let builders: Vec<Child> = (0..3)
        .map(|_| {
            let mut command = program();
            command
                .args(arguments(&dir, &["--fleet", "--json"]))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let mut built = 0;
    for builder in builders {
        let said: Said = builder.wait_with_output().unwrap().into();
        assert_eq!(said.code, 0, "{}", said.stderr);
        let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        assert_eq!(object["classes"], 18);
        built += 18 - object["found"].as_u64().unwrap();
    }
    // Each class is built once: a builder that finds a table does not count it.
    assert_eq!(built, 18);
}

#[test]
fn a_fleet_and_a_single_build_do_not_meet() {
    let dir = folder("meets");
    let mut builder = start(&dir);
    let begin = Instant::now();
    let lock = Path::new(&dir).join("unfinished/NvN.lock");
    while !lock.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no build");
        std::thread::sleep(Duration::from_millis(1));
    }
    if builder.try_wait().unwrap().is_none() {
        let said = run(&arguments(&dir, &[]));
        // The fleet may have come to its end in between.
        assert!(
            said.code == 0 || said.stderr.ends_with("another build is at work in this folder\n"),
            "{}",
            said.stderr
        );
    }
    assert!(builder.wait().unwrap().success());
}

#[test]
fn what_killed_builders_leave_is_used_and_removed() {
    let dir = folder("leaves");
    let mut first = start(&dir);
    std::thread::sleep(Duration::from_millis(150));
    first.kill().unwrap();
    first.wait().unwrap();
    // Alone, with the same files in the folder, and the other way round.
    ok(&arguments(&dir, &[]));
    let again = folder("leaves-again");
    ok(&arguments(&again, &["--fleet"]));
    assert!(files(&dir) == files(&again));
}

#[test]
fn values_that_are_damaged_are_made_again() {
    let dir = folder("damaged");
    let mut builder = start(&dir);
    let unfinished = Path::new(&dir).join("unfinished");
    let begin = Instant::now();
    let values = loop {
        let entries = fs::read_dir(&unfinished).into_iter().flatten().flatten();
        let mut paths =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "values"));
        if let Some(path) = paths.next() {
            break path;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no values");
    };
    builder.kill().unwrap();
    builder.wait().unwrap();
    if let Ok(mut bytes) = fs::read(&values) {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&values, bytes).unwrap();
    }
    ok(&arguments(&dir, &["--fleet"]));
    let alone = folder("undamaged");
    ok(&arguments(&alone, &[]));
    assert!(files(&dir) == files(&alone));
}

#[test]
fn a_plan_says_what_a_fleet_gains() {
    let said = ok(&["tables", "plan", "ambush", "--class", CLASS, "--fleet", "4", "--threads", "1"]);
    let line = |name: &str| {
        said.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{said}")).to_string()
    };
    assert!(line("fleet").contains(" by 4 builders, "), "{said}");
    assert!(line("path").ends_with(" times at most"), "{said}");
    let object = json(&["tables", "plan", "ambush", "--class", CLASS, "--fleet", "4", "--json"]);
    let (fleet, whole) = (&object["fleet"], object["seconds"].as_f64().unwrap());
    let seconds = |name: &str| fleet[name].as_f64().unwrap();
    assert!(seconds("longest_path_seconds") <= seconds("seconds") && seconds("seconds") <= whole);
    assert!(seconds("seconds") >= whole / 4.0);
    assert!(error(&["tables", "plan", "ambush", "--fleet", "0"]).contains("0 is not in 1..=65536"));
}
