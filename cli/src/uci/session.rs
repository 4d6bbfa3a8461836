//! A session of the protocol, over any pair of streams.
//!
//! One thread reads lines and at most one searches; both send events to the session, which alone writes.
//! While a search goes on, `stop`, `ponderhit`, `isready`, `uci` and `quit` are answered at once, and what needs the
//! engine waits for the end of the search. At the end of the input a search that has limits is finished, any
//! other is stopped.

use super::command::{Command, Go, parse};
use super::format;
use super::options::{Effect, Settings};
use crate::text::one_line;
use anyhow::Result;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::Algorithm;
use jewel_players::support::board::{self, Style};
use jewel_search::control::Stop;
use jewel_search::report::Info;
use std::collections::VecDeque;
use std::io::{BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Longest line that is read, in bytes: a game of more than a hundred thousand moves.
const MAX_LINE_LENGTH: u64 = 1 << 20;

/// The last line of a count that was stopped.
const STOPPED: &str = "info string stopped";

/// What happens to a session.
enum Event {
    Line(String),
    /// A line that was too long.
    TooLong,
    EndOfInput,
    Say(String),
    /// The work is done: here are the engine and the last line about it. None if it broke.
    Done(Option<(Box<dyn Engine>, String)>),
}

/// A search or a count in progress.
struct Work {
    stop: Stop,
    endless: bool,
    /// The line that ends it if it panics.
    apology: &'static str,
}

/// What to do after a command.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Quit,
}

struct Session<W> {
    output: W,
    settings: Settings,
    /// `None` while it searches, on another thread.
    engine: Option<Box<dyn Engine>>,
    work: Option<Work>,
    /// Commands that wait for the end of the search.
    waiting: VecDeque<Command>,
    events: Sender<Event>,
    input_ended: bool,
}

/// Holds a session until `quit` or the end of the input, beginning with this game.
///
/// # Errors
/// If the output takes no more.
pub(crate) fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    game: Option<AnyGame>,
) -> Result<()> {
    let (events, inbox) = channel();
    let settings = Settings::new(game)?;
    let engine = Some(settings.game().open());
    let lines = events.clone();
    // Not joined: it may wait for input that never comes.
    thread::spawn(move || read_lines(input, &lines));
    let mut session = Session {
        output,
        settings,
        engine,
        work: None,
        waiting: VecDeque::new(),
        events,
        input_ended: false,
    };
    let result = session.listen(&inbox);
    if let Some(work) = &session.work {
        work.stop.stop();
    }
    result
}

/// Sends every line of the input, up to `quit`.
fn read_lines(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let mut bytes = Vec::new();
        match input.by_ref().take(MAX_LINE_LENGTH).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let event = if bytes.len() as u64 >= MAX_LINE_LENGTH && !bytes.ends_with(b"\n") {
            if input.skip_until(b'\n').is_err() {
                break;
            }
            Event::TooLong
        } else {
            Event::Line(String::from_utf8_lossy(&bytes).into_owned())
        };
        // The session no longer listens after `quit`.
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::EndOfInput);
}

impl<W: Write> Session<W> {
    fn listen(&mut self, inbox: &Receiver<Event>) -> Result<()> {
        while let Ok(event) = inbox.recv() {
            let next = match event {
                Event::Line(line) => self.obey_line(&line)?,
                Event::TooLong => {
                    self.complain(&format!("a line of more than {MAX_LINE_LENGTH} bytes"))?;
                    Next::GoOn
                }
                Event::EndOfInput => {
                    self.input_ended = true;
                    if let Some(work) = self.work.as_ref().filter(|work| work.endless) {
                        work.stop.stop();
                    }
                    Next::GoOn
                }
                Event::Say(line) => {
                    self.say(&line)?;
                    Next::GoOn
                }
                Event::Done(done) => self.welcome(done)?,
            };
            if next == Next::Quit || self.input_ended && self.work.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.output, "{line}")?;
        Ok(self.output.flush()?)
    }

    fn complain(&mut self, problem: &str) -> Result<()> {
        self.say(&format!("info string error: {}", one_line(problem)))
    }

    /// Takes the engine back, writes the last line about its work, and obeys the commands that waited for it.
    ///
    /// Only then is the last line written: the program that reads it may send `stop` for the next search at once.
    fn welcome(&mut self, done: Option<(Box<dyn Engine>, String)>) -> Result<Next> {
        let work = self.work.take();
        let (engine, last) = match done {
            Some(done) => done,
            None => {
                self.complain("the search broke; the position is the start position again")?;
                (self.settings.game().open(), work.map_or("", |work| work.apology).to_string())
            }
        };
        self.engine = Some(engine);
        self.say(&last)?;
        while self.work.is_none()
            && let Some(command) = self.waiting.pop_front()
        {
            if self.obey(command)? == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::GoOn)
    }

    fn obey_line(&mut self, line: &str) -> Result<Next> {
        let command = match parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(Next::GoOn),
            Err(problem) => {
                self.complain(&problem)?;
                return Ok(Next::GoOn);
            }
        };
        let at_once = matches!(
            command,
            Command::Uci
                | Command::IsReady
                | Command::Ignored
                | Command::Stop
                | Command::PonderHit
                | Command::Quit
        );
        if self.work.is_some() && !at_once {
            self.waiting.push_back(command);
            return Ok(Next::GoOn);
        }
        self.obey(command)
    }

    fn obey(&mut self, command: Command) -> Result<Next> {
        match command {
            Command::Quit => return Ok(Next::Quit),
            Command::Ignored => {}
            Command::Uci => self.introduce()?,
            Command::IsReady => self.say("readyok")?,
            Command::Stop => {
                if let Some(work) = &self.work {
                    work.stop.stop();
                }
            }
            Command::PonderHit => {
                if let Some(work) = &mut self.work {
                    work.stop.ponder_hit();
                    work.endless = false;
                }
            }
            Command::NewGame => {
                if let Some(engine) = &mut self.engine {
                    engine.forget();
                }
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position { fen, moves } => {
                let set = self.engine.as_mut().map(|engine| engine.set_position(fen.as_deref(), &moves));
                if let Some(Err(problem)) = set {
                    self.complain(&format!("position: {problem:#}"))?;
                }
            }
            Command::Go(go) => self.go(*go)?,
            Command::Perft(depth) => self.perft(depth),
            Command::Display => self.display()?,
            Command::Eval => self.eval()?,
        }
        Ok(Next::GoOn)
    }

    fn introduce(&mut self) -> Result<()> {
        self.say(&format!("id name jewel {}", env!("CARGO_PKG_VERSION")))?;
        self.say("id author the jewel authors")?;
        for line in self.settings.describe() {
            self.say(&line)?;
        }
        self.say("uciok")
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<()> {
        let before = self.settings.clone();
        let effect = match self.settings.set(name, value) {
            Ok(effect) => effect,
            Err(problem) => return self.complain(&format!("{problem:#}")),
        };
        match (effect, &mut self.engine) {
            (Effect::Forget, Some(engine)) => engine.forget(),
            (Effect::Engine, Some(engine)) => {
                if let Err(problem) = engine.configure(&self.settings.engine) {
                    self.settings = before;
                    return self.complain(&format!("option {name}: {problem:#}"));
                }
            }
            (Effect::Games, _) => self.say(&self.settings.describe_variants())?,
            (Effect::Game, _) => {
                self.engine = Some(self.settings.game().open());
                self.announce_game()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells a graphical program about the game that it has just chosen.
    fn announce_game(&mut self) -> Result<()> {
        let Some(engine) = &self.engine else { return Ok(()) };
        let diagram = engine.diagram();
        let line = format!(
            "info string variant {} files {} ranks {} startpos {}",
            engine.game(),
            diagram.width,
            diagram.height,
            engine.fen()
        );
        self.say(&line)
    }

    fn go(&mut self, go: Go) -> Result<()> {
        let Some(mut engine) = self.engine.take() else { return Ok(()) };
        for problem in &go.problems {
            self.complain(problem)?;
        }
        let mover = engine.side_to_move().index();
        let mut limits = go.limits(mover, self.settings.bonus, self.settings.multipv);
        limits.overhead = self.settings.overhead;
        // What cannot be played is not looked at; a search there must be.
        let legal = engine.moves();
        for bad in limits.search_moves.extract_if(.., |mv| !legal.contains(mv)).collect::<Vec<_>>() {
            self.complain(&format!("go: searchmoves: \"{bad}\" is not a legal move"))?;
        }
        if let Err(problem) = engine.configure(&self.settings.engine) {
            self.engine = Some(engine);
            self.complain(&format!("go: {problem:#}"))?;
            return self.say("bestmove 0000");
        }
        let (stop, show_wdl) = (Stop::new(), self.settings.show_wdl);
        let mate = go.mate;
        // Trees are not deepened ply by ply: a path of that length is soon there and proves nothing.
        if mate.is_some() && go.depth.is_none() && self.settings.engine.algorithm == Algorithm::Mcts {
            limits.depth = None;
        }
        let endless = go.is_endless(mover);
        if endless && self.input_ended {
            stop.stop();
        }
        self.work = Some(Work { stop: stop.clone(), endless, apology: "bestmove 0000" });
        self.start(engine, move |engine, events| {
            let mut on_info = |info: &Info<String>| {
                let _ = events.send(Event::Say(format::info(info, show_wdl)));
                let mated = info.score.is_win() && info.multipv == 1;
                let moves = info.score.distance().map(|plies| plies.div_ceil(2));
                if mated && mate.is_some_and(|most| moves.is_some_and(|moves| moves <= most)) {
                    stop.stop();
                }
            };
            match engine.search(&limits, &stop, &mut on_info) {
                Ok(report) => format::best_move(&report),
                Err(problem) => {
                    let text = format!("info string error: {}", one_line(&format!("{problem:#}")));
                    let _ = events.send(Event::Say(text));
                    "bestmove 0000".to_string()
                }
            }
        });
        Ok(())
    }

    fn perft(&mut self, depth: u32) {
        let Some(engine) = self.engine.take() else { return };
        let stop = Stop::new();
        self.work = Some(Work { stop: stop.clone(), endless: false, apology: STOPPED });
        self.start(engine, move |engine, events| {
            let mut each = |mv: &str, nodes: u64| {
                let _ = events.send(Event::Say(format!("{mv}: {nodes}")));
            };
            match engine.perft(depth, &stop, &mut each) {
                Some(nodes) => format!("\nNodes searched: {nodes}\n"),
                None => STOPPED.to_string(),
            }
        });
    }

    /// Lends the engine to a thread of its own; the job gives the last line about it.
    fn start(
        &self,
        mut engine: Box<dyn Engine>,
        job: impl FnOnce(&mut dyn Engine, &Sender<Event>) -> String + Send + 'static,
    ) {
        let events = self.events.clone();
        thread::spawn(move || {
            // An engine that broke must not leave the session waiting for ever.
            let done = catch_unwind(AssertUnwindSafe(|| job(engine.as_mut(), &events)));
            let _ = events.send(Event::Done(done.ok().map(|last| (engine, last))));
        });
    }

    fn display(&mut self) -> Result<()> {
        let Some(engine) = &self.engine else { return Ok(()) };
        let style = Style { colours: false, unicode: false };
        let ending = engine.ending();
        let board = board::draw(&engine.diagram(), ending.is_some(), style);
        let mut text = format!(
            "{} ({})\n\n{board}\nFen: {}\nKey: {:016X}",
            engine.name(),
            engine.game(),
            engine.fen(),
            engine.zobrist_hash()
        );
        if let Some(ending) = ending {
            text.push_str(&format!("\nResult: {}", ending.text(&engine.diagram().sides)));
        }
        self.say(&text)
    }

    fn eval(&mut self) -> Result<()> {
        let Some(engine) = &self.engine else { return Ok(()) };
        let diagram = engine.diagram();
        let line = format!(
            "Evaluation: {:+.2} for {}, the side to move",
            f64::from(engine.evaluation()) / 100.0,
            diagram.sides[diagram.side_to_move.index()]
        );
        self.say(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{self, Cursor};
    use std::sync::{Arc, Mutex};

    /// An output that can be looked at afterwards.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn hold(input: &[u8]) -> String {
        let output = Shared::default();
        let game = AnyGame::resolve("duel").unwrap();
        run(Cursor::new(input.to_vec()), output.clone(), Some(game)).unwrap();
        String::from_utf8(output.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn garbage_is_survived() {
        let said =
            hold(b"\xff\xfe\nposition fen x\nposition startpos moves zz\ngo depth x\nstop\n\0\nisready\n");
        assert!(said.contains("info string error: unknown command \"\u{fffd}\u{fffd}\""), "{said}");
        assert!(said.contains("error: position: a position has"), "{said}");
        assert!(said.contains("error: position: move 1 of 1, \"zz\""), "{said}");
        assert!(said.contains("error: go: \"x\" is not a number for depth"), "{said}");
        assert!(said.contains("\nbestmove ") && said.contains("readyok\n"), "{said}");
    }

    /// Words that make commands, half-right commands and nonsense.
    fn word() -> impl Strategy<Value = &'static str> {
        let words = "go depth nodes mate infinite ponder searchmoves perft position startpos fen moves c1b1 \
                     a3c3 l2/3/2L w - 0 1 2 99 stop ponderhit uci ucinewgame setoption name value Hash MultiPV \
                     Engine mcts UCI_Variant duel d eval debug \u{0} \u{e9}";
        proptest::sample::select(words.split_whitespace().collect::<Vec<_>>())
    }

    fn line() -> impl Strategy<Value = String> {
        let words = prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "));
        let some = ["go infinite", "go depth 2", "go perft 3", "position startpos moves c1b1", "stop", "d"];
        prop_oneof![2 => words, 1 => proptest::sample::select(some.to_vec()).prop_map(str::to_string)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn no_session_breaks(lines in prop::collection::vec(line(), 0..12)) {
            let said = hold(format!("setoption name Hash value 1\n{}\nisready\nquit\n", lines.join("\n")).as_bytes());
            prop_assert!(said.contains("readyok\n"), "{}", said);
            prop_assert!(!said.contains("the search broke"), "{}", said);
        }
    }

    #[test]
    fn long_lines_are_refused_as_a_whole() {
        let mut input = vec![b'x'; MAX_LINE_LENGTH as usize * 2 + 7];
        input.extend_from_slice(b"\nisready\n");
        let said = hold(&input);
        assert_eq!(said, "info string error: a line of more than 1048576 bytes\nreadyok\n");
    }

    #[test]
    fn the_end_of_the_input_lets_a_search_with_limits_finish_and_ends_any_other() {
        let said = hold(b"go depth 4\ngo infinite\n");
        assert_eq!(said.matches("bestmove ").count(), 2, "{said}");
        assert!(said.contains("info depth 4 "), "{said}");
    }

    #[test]
    fn commands_wait_for_the_search() {
        let said = hold(b"go nodes 2000\nposition startpos moves c1b1\nd\nisready\n");
        let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text} in {said}"));
        assert!(at("bestmove ") < at("Fen: l2/3/1L1 b - - 1 1"));
    }

    #[test]
    fn an_output_that_is_closed_ends_the_session() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(run(Cursor::new(&b"uci\n"[..]), Closed, None).is_err());
    }
}
