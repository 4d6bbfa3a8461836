//! Builds that are stopped by all that may happen to them: killed, interrupted, out of disk, out of bounds. The same
//! command goes on, and the files are those of a build that nothing happened to.
#![cfg(unix)]

use crate::common::{self, Said, check_error, error, ok, place, program, run};
use jewel_engine::zobrist::splitmix64;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A class whose tables take about half a second.
const CLASS: &str = "NLQvNL";

fn folder(name: &str) -> String {
    let path = place(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn arguments<'a>(class: &'a str, dir: &'a str) -> Vec<&'a str> {
    vec![
        "tables",
        "build",
        "ambush",
        "--class",
        class,
        "--threads",
        "2",
        "--checkpoint",
        "0",
        "--tables",
        dir,
    ]
}

fn start(class: &str, dir: &str) -> Child {
    let mut command = program();
    command.args(arguments(class, dir)).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// The files of a folder; nothing else may be in it.
fn files(dir: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Waits until a build is at work in a folder.
fn wait_for_work(dir: &str) {
    let begin = Instant::now();
    while !Path::new(dir).join("unfinished/lock").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no build in {dir}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(name: &str, child: &Child) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// The words of the command that an error line ends with, less the program's name.
fn command_to_go_on(line: &str) -> Vec<&str> {
    let (_, command) = line.split_once("go on with: jewel ").unwrap_or_else(|| panic!("{line}"));
    command.split_whitespace().collect()
}

#[test]
fn a_build_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let reference = folder("builds-reference");
    let begin = Instant::now();
    ok(&arguments(CLASS, &reference));
    // Kills come up to so late. What others do on the machine changes how long a build takes, so this follows.
    let mut latest = begin.elapsed() / 2;
    let reference = files(&reference);
    assert!(reference.len() > 10);

    let mut random = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = random;
    let dir = folder("builds-killed");
    let (mut kills, mut in_the_middle, mut finished) = (0, 0, 0);
    while kills < 25 || in_the_middle < 20 {
        assert!(kills < 200, "seed {seed}: {kills} kills, {in_the_middle} of them in the middle");
        let mut child = start(CLASS, &dir);
        let (state, number) = splitmix64(random);
        random = state;
        let moment = Instant::now() + latest.mul_f64(number as f64 / u64::MAX as f64);
        while Instant::now() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            assert!(files(&dir) == reference, "seed {seed}");
            fs::remove_dir_all(&dir).unwrap();
            finished += 1;
            latest = latest.mul_f64(0.7);
        } else {
            kills += 1;
            if Path::new(&dir).join("unfinished").exists() {
                in_the_middle += 1;
            } else {
                latest = latest.mul_f64(1.1);
            }
        }
    }
    ok(&arguments(CLASS, &dir));
    assert!(files(&dir) == reference, "seed {seed}, {finished} finished on the way");
}

#[test]
fn ctrl_c_stops_and_the_same_command_goes_on() {
    let reference = folder("builds-not-interrupted");
    ok(&arguments(CLASS, &reference));
    let dir = folder("builds-interrupted");
    let child = start(CLASS, &dir);
    wait_for_work(&dir);
    signal("-INT", &child);
    let line = check_error(&child.wait_with_output().unwrap().into(), "interrupt");
    assert!(line.starts_with("interrupted with ") && line.contains(" of 18 classes done; "), "{line}");
    let said: Said = run(&command_to_go_on(&line));
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(files(&dir) == files(&reference));
}

#[test]
fn two_builds_do_not_meet() {
    let dir = folder("builds-twice");
    let mut child = start("NLQvNNL", &dir);
    wait_for_work(&dir);
    let line = error(&arguments("NLQvNNL", &dir));
    assert!(line.ends_with("another build is at work in this folder"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn lines_about_classes_are_for_those_who_ask() {
    let dir = folder("builds-verbose");
    let said = run(&["tables", "build", "ambush", "--class", "NLvQ", "--tables", &dir, "--verbose"]);
    assert_eq!(said.code, 0);
    let lines: Vec<&str> = said.stderr.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("class 1 of 3 QvN: 96 cells, "), "{lines:?}");
    assert!(lines[2].starts_with("class 3 of 3 LNvQ: 2,304 cells, "), "{lines:?}");
}

/// A small file system, unmounted in the end.
struct Disk(String);

impl Disk {
    /// `None` where nobody lets us mount one.
    fn new(name: &str, options: &str) -> Option<Disk> {
        let path = folder(name);
        fs::create_dir_all(&path).unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "jewel-test", &path]).stderr(Stdio::null());
        if command.status().is_ok_and(|status| status.success()) {
            return Some(Disk(path));
        }
        eprintln!("left out: no small file system can be mounted here");
        None
    }

    fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(Command::new("mount").args(["-o", &options, &self.0]).status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_build_goes_on_when_there_is_room() {
    let Some(disk) = Disk::new("builds-full", "size=400k") else { return };
    let line = error(&arguments(CLASS, &disk.0));
    assert!(line.contains("No space left on device; what is done is kept, "), "{line}");
    // As long as nothing changes, it stays so.
    let command = command_to_go_on(&line);
    assert!(check_error(&run(&command), "again").contains("No space left on device"));
    disk.remount("size=20m");
    let said = run(&command);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let reference = folder("builds-not-full");
    ok(&arguments(CLASS, &reference));
    assert!(files(&disk.0) == files(&reference));
}

/// Runs the program where a folder is a disk of this size. The disk is gone when the program ends. `None` where the system
/// lets nobody mount one.
fn run_on_disk(size: &str, dir: &str, arguments: &[&str]) -> Option<Said> {
    fs::create_dir_all(dir).unwrap();
    let mount = r#"mount -t tmpfs -o size="$1" jewel-test "$2" || exit 99; shift 2; exec "$@""#;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", mount, "sh", size, dir]);
    command.arg(program().get_program()).args(arguments);
    match command.output() {
        Ok(output) if output.status.code() != Some(99) && !output.stderr.starts_with(b"unshare:") => {
            Some(output.into())
        }
        _ => {
            eprintln!("left out: no small file system can be mounted here");
            None
        }
    }
}

#[test]
fn a_full_disk_is_an_error_where_slices_are_in_a_file() {
    let dir = folder("builds-slices-full");
    let class = ["tables", "build", "ambush", "--class", CLASS, "--dir", &dir];
    // A thread needs less than this, and all slices of the largest class more.
    let within = [&class[..], &["--memory", "17M", "--threads", "1"]].concat();
    for size in ["500k", "1m", "1500k", "2m"] {
        let Some(said) = run_on_disk(size, &dir, &within) else { return };
        let line = check_error(&said, size);
        assert!(line.contains("No space left on device; what is done is kept, "), "{size}: {line}");
    }
    let said = run_on_disk("6m", &dir, &within).unwrap();
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}

#[test]
fn scratch_files_that_are_cut_short_end_the_build_with_one_line() {
    let dir = folder("builds-cut");
    let mut child = start(CLASS, &dir);
    while child.try_wait().unwrap().is_none() {
        for entry in fs::read_dir(Path::new(&dir).join("unfinished")).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|e| e == "values") {
                let _ = fs::File::options().write(true).truncate(true).open(entry.path());
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let line = check_error(&child.wait_with_output().unwrap().into(), "cut");
    assert!(line.contains("was cut short") || line.contains("reads differently"), "{line}");
    // The same command goes on, as it says.
    ok(&arguments(CLASS, &dir));
    let reference = folder("builds-not-cut");
    ok(&arguments(CLASS, &reference));
    assert!(files(&dir) == files(&reference));
}

#[test]
fn folders_that_cannot_be_written_are_an_error() {
    let line = error(&arguments("NvN", "/proc/jewel-tables"));
    assert!(line.starts_with("/proc/jewel-tables"), "{line}");
    let taken = common::file("builds-taken", "not a folder");
    let line = error(&arguments("NvN", &taken));
    assert!(line.starts_with(&format!("table {taken}")) || line.starts_with(&taken), "{line}");
    assert!(line.contains("Not a directory") || line.contains("File exists"), "{line}");
    if let Some(disk) = Disk::new("builds-read-only", "size=1m,ro") {
        let line = error(&arguments("NvN", &disk.0));
        assert!(line.starts_with(&disk.0) && line.contains("Read-only file system"), "{line}");
    }
}
