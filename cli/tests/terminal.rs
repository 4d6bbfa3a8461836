//! The program on a terminal of its own.
#![cfg(unix)]

use crate::common::program;
use nix::pty::openpty;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A program on a terminal.
struct Session {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        let terminal = openpty(None, None).expect("a terminal can be had");
        let program_side = || Stdio::from(terminal.slave.try_clone().unwrap());
        let child = program()
            .args(arguments)
            .env("TERM", "xterm")
            .env("LANG", "C.UTF-8")
            .stdin(program_side())
            .stdout(program_side())
            .stderr(program_side())
            .spawn()
            .unwrap();
        let keyboard = File::from(terminal.master);
        let mut eyes = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = eyes.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Session { child, keyboard, screen, seen: String::new() }
    }

    fn key_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads the screen until a text is there; what is behind it is left to be seen.
    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} is not in {:?}", self.seen),
            }
        }
    }
}

#[test]
fn a_game_on_a_terminal() {
    let mut session =
        Session::start(&["play", "duel", "--white", "human", "--black", "ab", "--time", "900ms"]);
    session.wait_for("Type a move such as c1a1, or: moves, hint, undo");
    session.wait_for("Red> ");
    // The line is edited: a letter is taken back, and a word completed.
    session.key_in("c1b2\u{7f}1\r");
    // What the last move changed is in reverse video.
    session.wait_for("\u{1b}[7;");
    session.wait_for("Red played c1b1");
    session.wait_for("Green (ab) is thinking");
    session.wait_for("Green (ab) played ");
    session.wait_for("Red> ");
    session.key_in("pos\t\r");
    session.wait_for(" w - - 2 2");
    session.wait_for("Red> ");
    // The arrow brings the earlier line back.
    session.key_in("\u{1b}[A\r");
    session.wait_for(" w - - 2 2");
    session.wait_for("Red> ");
    session.key_in("\u{3}");
    session.wait_for("[Termination \"unterminated\"]");
    session.wait_for("1. Lb1 ");
    assert_eq!(session.child.wait().unwrap().code(), Some(0));
}
