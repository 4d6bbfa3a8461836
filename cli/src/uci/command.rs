//! Reads the lines of the protocol. No text makes it panic.

use jewel_players::support::words::shortened;
use jewel_search::clock::{Bonus, Clock};
use jewel_search::limits::Limits;
use std::time::Duration;

/// A command with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Uci,
    IsReady,
    NewGame,
    /// `debug on` and `debug off`, and `register`: nothing here depends on them.
    Ignored,
    SetOption {
        name: String,
        value: Option<String>,
    },
    /// `Err` says what is wrong with the line: there is no position then, not even the one before.
    Position(Result<Setup, String>),
    Go(Box<Go>),
    Perft(u32),
    Stop,
    PonderHit,
    Display,
    Eval,
    Quit,
}

/// The arguments of `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Setup {
    /// The start position where there is none.
    pub(crate) fen: Option<String>,
    pub(crate) moves: Vec<String>,
}

/// The arguments of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Go {
    pub(crate) search_moves: Vec<String>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    /// Time on the clocks of White and Black.
    pub(crate) time: [Option<Duration>; 2],
    /// Time added with each move.
    pub(crate) bonus: [Duration; 2],
    pub(crate) moves_to_go: Option<u32>,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) playouts: Option<u64>,
    pub(crate) mate: Option<u32>,
    pub(crate) movetime: Option<Duration>,
    /// What was not understood, in words. The search goes ahead without it.
    pub(crate) problems: Vec<String>,
}

/// How `winc` and `binc` are meant; the protocol itself knows only increments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum BonusKind {
    #[default]
    Increment,
    Delay,
    Bronstein,
}

/// The depth, in plies, at which `go mate` looks for a mate in `moves` moves unless a depth is given: selective search
/// needs more than the mate itself.
fn depth_for_mate(moves: u32) -> u32 {
    moves.saturating_mul(4).saturating_add(8)
}

impl Go {
    /// The limits of a search for the side with this index.
    pub(crate) fn limits(&self, mover: usize, kind: BonusKind, multipv: u32) -> Limits<String> {
        // The opponent's clock is better than none.
        let clock = [mover, 1 - mover].into_iter().find(|&side| self.time[side].is_some()).unwrap_or(mover);
        let bonus = match (self.bonus[clock], kind) {
            (Duration::ZERO, _) => Bonus::None,
            (time, BonusKind::Increment) => Bonus::Increment(time),
            (time, BonusKind::Delay) => Bonus::Delay(time),
            (time, BonusKind::Bronstein) => Bonus::Bronstein(time),
        };
        let clock =
            self.time[clock].map(|remaining| Clock { remaining, bonus, moves_to_go: self.moves_to_go });
        Limits {
            depth: self.depth.or_else(|| self.mate.map(depth_for_mate)),
            nodes: self.nodes,
            playouts: self.playouts,
            movetime: self.movetime,
            clock,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves: self.search_moves.clone(),
            multipv,
            ..Limits::default()
        }
    }

    /// Whether nothing but `stop` or `ponderhit` ends the search.
    pub(crate) fn is_endless(&self) -> bool {
        self.ponder || self.is_endless_after_hit()
    }

    /// Whether nothing but `stop` ends the search, once it no longer ponders.
    pub(crate) fn is_endless_after_hit(&self) -> bool {
        self.infinite || self.playouts.is_none() && self.has_no_limit_but_playouts()
    }

    /// Whether no limit is given that every search knows.
    pub(crate) fn has_no_limit_but_playouts(&self) -> bool {
        self.depth.is_none()
            && self.nodes.is_none()
            && self.mate.is_none()
            && self.movetime.is_none()
            && self.time == [None; 2]
    }
}

/// Reads a line; `None` where it is empty.
///
/// Unlike what the protocol suggests, a line that begins with an unknown word is refused as a whole: garbage
/// before `quit` should not end the session.
///
/// # Errors
/// What is wrong with the line, on one line.
pub(crate) fn parse(line: &str) -> Result<Option<Command>, String> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    Ok(Some(match first {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "debug" | "register" => Command::Ignored,
        "setoption" => set_option(words)?,
        "position" => Command::Position(position(words)),
        "go" => return go(words.collect()).map(Some),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "quit" => Command::Quit,
        other => return Err(format!("unknown command \"{}\"", shortened(other))),
    }))
}

/// `setoption name <words> [value <words>]`.
fn set_option<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, String> {
    if words.next() != Some("name") {
        return Err("setoption: expected \"name\"".to_string());
    }
    let mut name = Vec::new();
    let mut value = None;
    for word in words {
        match (&mut value, word) {
            (None, "value") => value = Some(Vec::new()),
            (None, word) => name.push(word),
            (Some(value), word) => value.push(word),
        }
    }
    if name.is_empty() {
        return Err("setoption: there is no name".to_string());
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.map(|words| words.join(" ")) })
}

/// `position startpos|fen <fields> [moves <moves>]`.
fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Setup, String> {
    let kind = words.next();
    let mut fields = Vec::new();
    let mut moves = None;
    for word in words {
        match (&mut moves, word) {
            (None, "moves") => moves = Some(Vec::new()),
            (None, word) => fields.push(word),
            (Some(moves), word) => moves.push(word.to_string()),
        }
    }
    let fen = match kind {
        Some("startpos") if fields.is_empty() => None,
        Some("startpos") => {
            return Err(format!("\"{}\" instead of \"moves\"", shortened(fields[0])));
        }
        Some("fen") => Some(fields.join(" ")),
        _ => return Err("expected \"startpos\" or \"fen\"".to_string()),
    };
    Ok(Setup { fen, moves: moves.unwrap_or_default() })
}

const GO_WORDS: [&str; 14] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "playouts",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(words: Vec<&str>) -> Result<Command, String> {
    let mut go = Go::default();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(mv.to_string());
                }
            }
            "perft" => {
                let depth = words.next().unwrap_or_default();
                let depth: Option<u32> = depth.parse().ok().filter(|depth| *depth <= 99);
                return depth.map(Command::Perft).ok_or("go perft: expected a depth, 0 to 99".to_string());
            }
            name if GO_WORDS.contains(&name) => {
                let value = words.next_if(|word| !GO_WORDS.contains(word)).unwrap_or_default();
                if !set_limit(&mut go, name, value) {
                    go.problems.push(format!("go: \"{}\" is not a number for {name}", shortened(value)));
                }
            }
            other => go.problems.push(format!("go: unknown word \"{}\"", shortened(other))),
        }
    }
    Ok(Command::Go(Box::new(go)))
}

/// Sets a limit that is a number; `false` if the value is not a number. A clock below zero counts as zero.
fn set_limit(go: &mut Go, name: &str, value: &str) -> bool {
    let Ok(number) = value.parse::<i64>() else { return false };
    let whole = number.max(0) as u64;
    let small = u32::try_from(whole).unwrap_or(u32::MAX);
    let time = Duration::from_millis(whole);
    match name {
        "wtime" => go.time[0] = Some(time),
        "btime" => go.time[1] = Some(time),
        "winc" => go.bonus[0] = time,
        "binc" => go.bonus[1] = time,
        "movestogo" => go.moves_to_go = Some(small).filter(|n| *n > 0),
        "depth" => go.depth = Some(small.max(1)),
        "nodes" => go.nodes = Some(whole.max(1)),
        "playouts" => go.playouts = Some(whole.max(1)),
        "mate" => go.mate = Some(small.max(1)),
        "movetime" => go.movetime = Some(time),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_search::clock::Sharing;
    use proptest::prelude::*;

    fn read(line: &str) -> Command {
        parse(line).unwrap().unwrap()
    }

    fn read_go(line: &str) -> Go {
        match read(line) {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        }
    }

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    #[test]
    fn plain_words() {
        for (line, command) in [
            ("uci", Command::Uci),
            ("  isready\t", Command::IsReady),
            ("ucinewgame", Command::NewGame),
            ("debug on", Command::Ignored),
            ("stop", Command::Stop),
            ("ponderhit", Command::PonderHit),
            ("d", Command::Display),
            ("eval", Command::Eval),
            ("go perft 5", Command::Perft(5)),
            ("quit now", Command::Quit),
        ] {
            assert_eq!(parse(line), Ok(Some(command)), "{line}");
        }
        assert_eq!(parse(" \t"), Ok(None));
        assert_eq!(parse("xyzzy quit"), Err("unknown command \"xyzzy\"".to_string()));
    }

    #[test]
    fn options_have_names_and_values_of_several_words() {
        let option = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.to_string(),
            value: value.map(str::to_string),
        };
        assert_eq!(read("setoption name Hash value 64"), option("Hash", Some("64")));
        assert_eq!(read("setoption name Clear  Hash"), option("Clear Hash", None));
        assert_eq!(read("setoption name X value a  b value c"), option("X", Some("a b value c")));
        assert_eq!(read("setoption name X value"), option("X", Some("")));
        assert!(parse("setoption Hash value 3").is_err() && parse("setoption name value 3").is_err());
    }

    #[test]
    fn positions() {
        let position = |fen: Option<&str>, moves: &[&str]| {
            let moves = moves.iter().map(|text| text.to_string()).collect();
            Command::Position(Ok(Setup { fen: fen.map(str::to_string), moves }))
        };
        assert_eq!(read("position startpos"), position(None, &[]));
        assert_eq!(read("position startpos moves a b"), position(None, &["a", "b"]));
        let fen = "l2/3/2L w - - 0 1";
        assert_eq!(read(&format!("position fen {fen}  moves c1b1")), position(Some(fen), &["c1b1"]));
        for wrong in ["position", "position startpos c1b1", "position moves c1b1"] {
            assert!(matches!(read(wrong), Command::Position(Err(_))), "{wrong}");
        }
    }

    #[test]
    fn every_parameter_of_go() {
        let go = read_go(
            "go wtime 60000 btime -5 winc 1000 binc 2000 movestogo 3 depth 4 nodes 5 mate 6 movetime 7 \
             playouts 8 ponder searchmoves a1b1 c1c2 infinite",
        );
        let expected = Go {
            search_moves: vec!["a1b1".to_string(), "c1c2".to_string()],
            ponder: true,
            infinite: true,
            time: [Some(ms(60_000)), Some(ms(0))],
            bonus: [ms(1000), ms(2000)],
            moves_to_go: Some(3),
            depth: Some(4),
            nodes: Some(5),
            playouts: Some(8),
            mate: Some(6),
            movetime: Some(ms(7)),
            problems: Vec::new(),
        };
        assert_eq!(go, expected);
        assert!(go.is_endless());
    }

    #[test]
    fn a_go_that_is_half_understood_is_a_go() {
        let go = read_go("go depth five wtime movetime 100 quickly");
        assert_eq!((go.depth, go.movetime), (None, Some(ms(100))));
        let problems = [
            "\"five\" is not a number for depth",
            "\"\" is not a number for wtime",
            "unknown word \"quickly\"",
        ];
        assert_eq!(go.problems.len(), 3);
        for (found, wanted) in go.problems.iter().zip(problems) {
            assert_eq!(found, &format!("go: {wanted}"));
        }
        for (line, endless, after_hit) in [
            ("go", true, true),
            ("go btime 5", false, false),
            ("go playouts 5", false, false),
            ("go ponder wtime 5", true, false),
            ("go ponder", true, true),
            ("go infinite depth 3", true, true),
        ] {
            let go = read_go(line);
            assert_eq!((go.is_endless(), go.is_endless_after_hit()), (endless, after_hit), "{line}");
        }
    }

    #[test]
    fn clocks_are_those_of_the_side_to_move() {
        let go = read_go("go wtime 1000 btime 2000 winc 10 movestogo 0");
        let white = go.limits(0, BonusKind::Increment, 1).clock;
        assert_eq!(white, Some(Clock::new(ms(1000), Bonus::Increment(ms(10)))));
        assert_eq!(go.limits(1, BonusKind::Delay, 1).clock, Some(Clock::new(ms(2000), Bonus::None)));
        assert_eq!(go.limits(0, BonusKind::Delay, 1).clock.unwrap().bonus, Bonus::Delay(ms(10)));
        // Where there is none, the opponent's.
        let other = read_go("go wtime 1000 winc 10").limits(1, BonusKind::Increment, 1).clock;
        assert_eq!(other, white);
        assert_eq!(read_go("go winc 10").limits(0, BonusKind::Increment, 1).clock, None);
        assert_eq!(go.limits(0, BonusKind::Bronstein, 1).clock.unwrap().bonus, Bonus::Bronstein(ms(10)));
        assert_eq!(read_go("go mate 3").limits(0, BonusKind::Increment, 1).depth, Some(20));
    }

    fn word() -> impl Strategy<Value = String> {
        let known: Vec<&str> = GO_WORDS
            .into_iter()
            .chain(["go", "position", "fen", "startpos", "moves", "setoption", "name", "value", "stop", "0"])
            .collect();
        prop_oneof![
            3 => proptest::sample::select(known).prop_map(str::to_string),
            1 => any::<i64>().prop_map(|n| n.to_string()),
            1 => "\\PC{0,8}",
            1 => any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn no_line_does_harm(line in any::<String>()) {
            let _ = parse(&line);
        }

        #[test]
        fn no_words_do_harm(words in prop::collection::vec(word(), 0..20)) {
            match parse(&words.join(" ")) {
                Ok(Some(Command::Go(go))) => {
                    for mover in [0, 1] {
                        let limits = go.limits(mover, BonusKind::Delay, 1);
                        if let Some(clock) = limits.clock {
                            let budget = clock.budget(Duration::ZERO, Sharing::default());
                            prop_assert!(budget.soft <= budget.hard);
                        }
                    }
                }
                Ok(Some(Command::Position(Ok(setup)))) => prop_assert!(setup.moves.len() <= 60),
                Err(problem) => prop_assert!(!problem.is_empty()),
                _ => {}
            }
        }

        #[test]
        fn numbers_are_taken_as_they_are(depth in 1u32.., nodes in 1u64..1 << 62, wtime: i64) {
            let go = read_go(&format!("go depth {depth} nodes {nodes} wtime {wtime}"));
            prop_assert_eq!((go.depth, go.nodes), (Some(depth), Some(nodes)));
            prop_assert_eq!(go.time[0], Some(ms(wtime.max(0) as u64)));
            prop_assert!(go.problems.is_empty());
        }
    }
}
