//! `jewel uci`: sessions from text files.
//!
//! A line `> …` of a session is typed, a line `< …` is expected next. In it `#` stands for a number and `*` for
//! anything; `< ...` passes lines over until the one after it. `FILE` stands for a variant file of the
//! test's own. At the end the input is closed, nothing more may be said, and the program must end well.

mod common;

use common::{duel_of, file, program};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a line is as expected.
fn matches(pattern: &str, line: &str) -> bool {
    let Some(wild) = pattern.find(['#', '*']) else { return pattern == line };
    let (before, rest) = pattern.split_at(wild);
    let Some(line) = line.strip_prefix(before) else { return false };
    let after = &rest[1..];
    if rest.starts_with('*') {
        return (0..=line.len()).filter(|n| line.is_char_boundary(*n)).any(|n| matches(after, &line[n..]));
    }
    let digits = line.strip_prefix('-').unwrap_or(line);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    end > 0 && matches(after, &digits[end..])
}

#[test]
fn patterns_match_what_they_should() {
    for (pattern, line, expected) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("score cp # nodes #", "score cp -12 nodes 3", true),
        ("score cp #", "score cp x", false),
        ("id *", "id name x", true),
        ("*pv c1b1*", "info depth 3 pv c1b1 a3a2", true),
        ("*pv c1b1*", "info depth 3 pv c1c2", false),
    ] {
        assert_eq!(matches(pattern, line), expected, "{pattern}: {line}");
    }
}

/// A session that goes on.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    fn begin(arguments: &[&str]) -> Talk {
        let mut child = program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Talk { input: child.stdin.take(), child, lines }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it listens");
    }

    /// The next line; `None` where there are no more.
    fn hear(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(timeout) => panic!("{timeout}"),
        }
    }
}

fn hold(name: &str) {
    let path = format!("{}/tests/sessions/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).expect("the session is there");
    let variant = file(&format!("uci-{name}.toml"), duel_of("3x3", "l2/3/2L", "b2"));
    let mut talk = Talk::begin(&["uci"]);
    let mut skipping = false;
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let line = line.replace("FILE", &variant);
        if let Some(typed) = line.strip_prefix('>') {
            talk.say(typed.trim_start());
        } else if line == "< ..." {
            skipping = true;
        } else {
            let expected = line.strip_prefix('<').unwrap_or_else(|| panic!("{name}:{}: {line}", n + 1));
            let expected = expected.strip_prefix(' ').unwrap_or(expected);
            loop {
                let heard = talk.hear().unwrap_or_else(|| panic!("{name}:{}: {line}: it has gone", n + 1));
                if matches(expected, &heard) {
                    break;
                }
                assert!(skipping, "{name}:{}: expected \"{expected}\", heard \"{heard}\"", n + 1);
            }
            skipping = false;
        }
    }
    drop(talk.input.take());
    assert_eq!(talk.hear(), None, "{name}: at the end");
    assert_eq!(talk.child.wait().expect("it ends").code(), Some(0), "{name}");
}

#[test]
fn handshake() {
    hold("handshake");
}

#[test]
fn positions() {
    hold("positions");
}

#[test]
fn searches() {
    hold("searches");
}

#[test]
fn stops_and_pondering() {
    hold("stops");
}

#[test]
fn variants() {
    hold("variants");
}

#[test]
fn garbage() {
    hold("garbage");
}

#[test]
fn a_game_is_chosen_on_the_command_line() {
    let mut talk = Talk::begin(&["uci", "ambush"]);
    talk.say("go perft 2");
    let mut last = String::new();
    while let Some(line) = talk.hear() {
        if line.starts_with("Nodes searched") {
            last = line;
            break;
        }
    }
    let counted = common::json(&["perft", "ambush", "2", "--json"])["nodes"].as_u64().unwrap();
    assert_eq!(last, format!("Nodes searched: {counted}"));
    talk.say("quit");
    assert_eq!(talk.child.wait().unwrap().code(), Some(0));
    assert!(common::error(&["uci", "ambsh"]).contains("ambush"));
}
