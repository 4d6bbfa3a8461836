//! `jewel uci`: sessions from text files.
//!
//! A line `> …` of a session is typed, a line `< …` is expected next. In it `#` stands for a number and `*` for
//! anything; `< ...` passes lines over until the one after it. `FILE` stands for a variant file of the
//! test's own, `SECTIONS` for a `variants.ini`. At the end the input is closed, nothing more may be said, and the program must end well.

use crate::common::{self, duel_of, file, program};
use jewel_engine::random::Random;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a search may take to hear that it is over: it takes milliseconds, and the machine may be busy.
const MOST: Duration = Duration::from_secs(10);

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

    /// Hears everything up to a line that begins so; that line.
    fn hear_until(&self, beginning: &str) -> String {
        loop {
            let line = self.hear().unwrap_or_else(|| panic!("it ended before \"{beginning}\""));
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Tells it to quit, and waits until it is gone: how long that took.
    fn quit(mut self) -> Duration {
        self.say("quit");
        let begun = Instant::now();
        loop {
            match self.child.try_wait().expect("it is ours") {
                Some(status) => {
                    assert_eq!(status.code(), Some(0));
                    return begun.elapsed();
                }
                None if begun.elapsed() > MOST => {
                    self.child.kill().expect("it is ours");
                    panic!("quit is not heard");
                }
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
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

const SECTIONS: &str = "\
[tiny]
maxRank = 3
maxFile = 3
customPiece1 = p:mfWcfF
startFen = ppp/3/PPP w
flagPiece = p
flagRegionWhite = *3
flagRegionBlack = *1
stalemateValue = loss

[rows:chess]
connectN = 3

[chess]
king = k
startFen = 8/8/8/8/8/8/8/k6K w

[random:fischerandom]

[mini:minishogi]
";

fn hold(name: &str) {
    let path = format!("{}/tests/sessions/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).expect("the session is there");
    let variant = file(&format!("uci-{name}.toml"), duel_of("3x3", "l2/3/2L", "b2"));
    let sections = file(&format!("uci-{name}.ini"), SECTIONS);
    let mut talk = Talk::begin(&["uci"]);
    let mut skipping = false;
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let line = line.replace("FILE", &variant).replace("SECTIONS", &sections);
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
fn chess960() {
    hold("chess960");
}

#[test]
fn fastchess_compliance() {
    hold("fastchess-compliance");
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

/// Positions that were hard to leave, and the games as they begin.
const SEARCHED: [(&str, &str); 16] = [
    ("duel", "startpos"),
    ("ambush", "startpos"),
    ("diamond-qi", "startpos"),
    ("diamond-quest", "startpos"),
    ("diamond-chess", "startpos"),
    ("diamond-chess", "fen rrrkrrr/rrrrrrr/7/7/7/RRRRRRR/RRRKRRR w - - 0 1"),
    ("crystal-of-doom", "startpos"),
    ("star-lords", "startpos"),
    ("kings-mate", "startpos"),
    ("kings-mate-active", "startpos"),
    ("crystal-draughts", "startpos"),
    ("world-tree:start=standard", "startpos"),
    ("crown-jewels", "startpos"),
    ("clobber-6x6.toml", "startpos"),
    ("capturing-queens-7x9.toml", "startpos"),
    ("drawn-ends-4x5.toml", "startpos"),
];

/// How long `stop` takes with each search, and `quit`. With `--nocapture` it prints the times.
#[test]
fn every_search_stops_and_quits_when_it_is_told() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/searches");
    println!("{:28} {:6} {:>9} {:>9}", "game", "engine", "stop, ms", "quit, ms");
    for (game, position) in SEARCHED {
        let mut arguments = vec!["uci".to_string()];
        match game.ends_with(".toml") {
            true => arguments.extend(["--variant".to_string(), format!("{folder}/{game}")]),
            false => arguments.push(game.to_string()),
        }
        for engine in ["ab", "mcts"] {
            if (game, engine) == ("crown-jewels", "ab") {
                continue;
            }
            let mut talk = Talk::begin(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            talk.say(&format!("setoption name Engine value {engine}"));
            talk.say(&format!("position {position}"));
            let mut slowest = Duration::ZERO;
            for wait in [0, 20, 200] {
                talk.say("isready");
                talk.hear_until("readyok");
                talk.say("go infinite");
                std::thread::sleep(Duration::from_millis(wait));
                talk.say("stop");
                let begun = Instant::now();
                let best = talk.hear_until("bestmove ");
                slowest = slowest.max(begun.elapsed());
                assert_ne!(best, "bestmove 0000", "{game} {engine}");
            }
            assert!(slowest < MOST, "{game} {engine}: stop took {slowest:?}");
            talk.say("go infinite");
            std::thread::sleep(Duration::from_millis(50));
            let gone = talk.quit();
            let [stop, quit] = [slowest, gone].map(|time| time.as_secs_f64() * 1e3);
            println!("{:28} {engine:6} {stop:9.1} {quit:9.1}", game.trim_end_matches(".toml"));
        }
    }
}

/// Limits that hung once, when quiescence search had no end.
#[test]
fn limits_are_kept_where_captures_abound() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/searches/clobber-6x6.toml");
    for engine in ["ab", "mcts"] {
        for limit in [["--nodes", "1"], ["--time", "0.05"]] {
            let arguments = ["analyse", "--variant", file, "--engine", engine, limit[0], limit[1], "--json"];
            assert!(common::json(&arguments)["bestmove"].is_string(), "{arguments:?}");
        }
    }
}

/// Words that make right lines, half-right ones and nonsense.
const WORDS: &str = "go depth nodes mate infinite ponder searchmoves perft position startpos fen moves e2e4 wtime \
                     btime movetime playouts 1 2 9 99 -1 7777777777777777777 rrrkrrr/rrrrrrr/7/7/7/RRRRRRR/RRRKRRR \
                     w - 0 stop ponderhit uci ucinewgame isready setoption name value Hash MultiPV Engine \
                     mcts ab UCI_Variant ambush clobber d eval debug VariantPath TablePath EvalFile /nowhere \u{e9}";

#[test]
fn no_garbage_hangs_a_session() {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let mut draw = |n: usize| random.below(n as u32) as usize;
        let mut talk = Talk::begin(&["uci"]);
        talk.say("setoption name Hash value 1");
        for _ in 0..60 {
            let line: Vec<&str> = (0..draw(7)).map(|_| words[draw(words.len())]).collect();
            let line = line.join(" ");
            talk.say(&line);
            if draw(8) == 0 {
                talk.say(["go infinite", "go ponder", "go mate 3", "go perft 99", "go depth 99"][draw(5)]);
            }
        }
        // What was typed before `stop` ends, all of it.
        talk.say("stop");
        talk.say("setoption name The End");
        talk.hear_until("info string error: no option \"The End\"");
        talk.say("position startpos");
        talk.say("go depth 2");
        talk.hear_until("bestmove ");
        talk.quit();
    }
}
