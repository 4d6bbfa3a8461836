//! The messages of UCI and UGI.
//!
//! UCI is the Universal Chess Interface (Huber and Meyer-Kahlen, 2006), UGI its generalisation to other games
//! (the Universal Game Interface of the cutegames project), which names the players by who moves first and has
//! `query`.

use super::process::shown;
use crate::player::{Budget, Clocks};
use jewel_engine::value::Side;
use jewel_search::clock::Bonus;
use jewel_search::report::{Bound, Info};
use jewel_search::score::Score;
use std::time::Duration;

/// The protocol of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    Uci,
    Ugi,
}

impl Protocol {
    /// The first command to the program.
    pub(super) fn hello(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Ugi => "ugi",
        }
    }

    pub(super) fn new_game(self) -> &'static str {
        match self {
            Protocol::Uci => "ucinewgame",
            Protocol::Ugi => "uginewgame",
        }
    }

    /// The command to search; `first` is the side that the program calls the first player. `None` if the budget
    /// has no limit that the protocol knows.
    pub(super) fn go(self, budget: &Budget, side: Side, first: Side) -> Option<String> {
        let mut words = String::from("go");
        let mut add = |name: &str, value: u128| words.push_str(&format!(" {name} {value}"));
        if let Some(depth) = budget.depth {
            add("depth", depth.into());
        }
        if let Some(nodes) = budget.nodes {
            add("nodes", nodes.into());
        }
        if let Some(time) = budget.movetime {
            add("movetime", milliseconds(time));
        }
        if let Some(clocks) = &budget.clocks {
            let names = match self {
                Protocol::Uci => ["wtime", "btime", "winc", "binc"],
                Protocol::Ugi => ["p1time", "p2time", "p1inc", "p2inc"],
            };
            let order = if self == Protocol::Uci { Side::White } else { first };
            let both = [order, !order].map(|side| increment_clock(clocks, side));
            add(names[0], milliseconds(both[0].0));
            add(names[1], milliseconds(both[1].0));
            if both.iter().any(|(_, increment)| !increment.is_zero()) {
                add(names[2], both[0].1.as_millis());
                add(names[3], both[1].1.as_millis());
            }
            if let (Protocol::Uci, Some(moves)) = (self, clocks.moves_to_go[side.index()]) {
                add("movestogo", moves.max(1).into());
            }
        }
        (words != "go").then_some(words)
    }
}

/// Whole milliseconds; some programs take 0 for "no limit".
fn milliseconds(time: Duration) -> u128 {
    time.as_millis().max(1)
}

/// Time left and increment by which a program that knows no other bonus does not overstep: a delay is there
/// before the clock runs and comes anew with each move.
fn increment_clock(clocks: &Clocks, side: Side) -> (Duration, Duration) {
    let left = clocks.longest(side);
    match clocks.bonus[side.index()] {
        Bonus::None => (left, Duration::ZERO),
        Bonus::Increment(time) | Bonus::Delay(time) | Bonus::Bronstein(time) => (left, time),
    }
}

/// A line from the program.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Reply {
    /// `id name`.
    Name(String),
    /// `option name`, with the values of a combo.
    Option { name: String, values: Vec<String> },
    /// `uciok` or `ugiok`.
    HelloDone,
    /// `readyok`.
    Ready,
    /// `response`, with the rest of the line.
    Response(String),
    /// `info`.
    Info(Heard),
    /// `bestmove`, with the move; empty if there is none.
    Best(String),
    /// Anything else.
    Other,
}

/// The fields of an `info` line.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Heard {
    multipv: Option<u32>,
    depth: Option<u32>,
    seldepth: Option<u32>,
    nodes: Option<u64>,
    time: Option<Duration>,
    hashfull: Option<u32>,
    tb_hits: Option<u64>,
    score: Option<(Score, Bound)>,
    pv: Vec<String>,
}

/// Parses a line.
pub(super) fn parse_reply(line: &str) -> Reply {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("id") if words.next() == Some("name") => Reply::Name(shown(&rest(words))),
        Some("option") => option(words),
        Some("uciok" | "ugiok") => Reply::HelloDone,
        Some("readyok") => Reply::Ready,
        Some("response") => Reply::Response(rest(words)),
        Some("info") => Reply::Info(heard(words)),
        Some("bestmove") => Reply::Best(words.next().unwrap_or_default().to_string()),
        _ => Reply::Other,
    }
}

fn rest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// `name NAME type TYPE default ... var VALUE var VALUE`, names and values of several words.
fn option<'a>(words: impl Iterator<Item = &'a str>) -> Reply {
    let mut name = Vec::new();
    let mut values = Vec::new();
    let mut field = "";
    for word in words {
        match (word, field) {
            ("name", "")
            | ("type", "name")
            | ("default" | "min" | "max", "type" | "default" | "min" | "max" | "var") => {
                field = word;
            }
            ("var", "type" | "default" | "min" | "max" | "var") => {
                field = word;
                values.push(Vec::new());
            }
            (_, "name") => name.push(word),
            (_, "var") => values.last_mut().into_iter().for_each(|value| value.push(word)),
            _ => {}
        }
    }
    let values = values.into_iter().map(|value| value.join(" ")).collect();
    Reply::Option { name: name.join(" "), values }
}

fn heard<'a>(words: impl Iterator<Item = &'a str>) -> Heard {
    let mut heard = Heard::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let mut number =
            || words.next_if(|word| word.parse::<u64>().is_ok()).and_then(|word| word.parse::<u64>().ok());
        let small = |number: Option<u64>| number.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        match word {
            "multipv" => heard.multipv = small(number()),
            "depth" => heard.depth = small(number()),
            "seldepth" => heard.seldepth = small(number()),
            "hashfull" => heard.hashfull = small(number()),
            "nodes" => heard.nodes = number(),
            "tbhits" => heard.tb_hits = number(),
            "time" => heard.time = number().map(Duration::from_millis),
            "score" => heard.score = score(&mut words),
            "pv" => {
                heard.pv = words.by_ref().take_while(|word| is_move_like(word)).map(str::to_string).collect();
                break;
            }
            "string" => break,
            _ => {}
        }
    }
    heard
}

/// Whether a word can be a move: what is not must not get into records.
fn is_move_like(word: &str) -> bool {
    word.len() <= 16 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-=@,*<>".contains(&b))
}

/// `cp N` or `mate N`, maybe with a bound.
fn score<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<(Score, Bound)> {
    let kind = words.next_if(|word| matches!(*word, "cp" | "mate"))?;
    let number = words.next()?.parse::<i64>().ok()?;
    let far = |moves: i64| u32::try_from(moves.unsigned_abs().saturating_mul(2)).unwrap_or(u32::MAX);
    let score = match kind {
        "cp" => Score::centipawns(number.clamp(-1_000_000, 1_000_000) as i32),
        // In moves of the side that mates; 0 is to be mated already.
        _ if number > 0 => Score::win_in(far(number) - 1),
        _ => Score::loss_in(far(number)),
    };
    let bound = match words.peek() {
        Some(&"lowerbound") => Bound::Lower,
        Some(&"upperbound") => Bound::Upper,
        _ => Bound::Exact,
    };
    Some((score, bound))
}

impl Heard {
    /// Takes what is new into the last word about the position. Nothing is reply before there is a score;
    /// lines about moves other than the best are ignored.
    pub(super) fn tell(self, thought: &mut Option<Info<String>>) {
        let other = self.multipv.is_some_and(|number| number > 1);
        if other || self.score.is_none() && thought.is_none() {
            return;
        }
        let info = thought.get_or_insert_default();
        if let Some((score, bound)) = self.score {
            (info.score, info.bound) = (score, bound);
            info.pv = self.pv;
        }
        info.depth = self.depth.unwrap_or(info.depth);
        info.seldepth = self.seldepth.unwrap_or(info.seldepth);
        info.nodes = self.nodes.unwrap_or(info.nodes);
        info.elapsed = self.time.unwrap_or(info.elapsed);
        info.hashfull = self.hashfull.unwrap_or(info.hashfull);
        info.tb_hits = self.tb_hits.unwrap_or(info.tb_hits);
    }
}
