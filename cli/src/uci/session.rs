//! A session of the protocol, over any pair of streams.
//!
//! One thread reads lines and one obeys commands in turn ([`Worker`]); both send events to the session, which alone
//! writes. So nothing that a command does, however long it takes, keeps the session from hearing `stop` and `quit`.
//! While a search goes on, `isready` and `uci` are answered at once as well; everything else waits for its end. At the
//! end of the input a search that has limits is finished, any other is stopped.

use super::command::{Command, parse};
use super::worker::{Order, Worker};
use crate::text::one_line;
use anyhow::{Context, Result};
use jewel_players::catalogue::AnyGame;
use jewel_search::control::Stop;
use std::collections::VecDeque;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Longest line that is read, in bytes: a game of more than a hundred thousand moves.
const MAX_LINE_LENGTH: u64 = 1 << 20;

/// What happens to a session.
pub(super) enum Event {
    Line(String),
    /// A line that was too long, and whether it was to set up a position.
    TooLong {
        position: bool,
    },
    EndOfInput,
    /// The worker has something to say.
    Say(String),
    /// The worker is done with its first order, with the last line about it.
    Done(Option<String>),
}

/// An order that the worker has not done yet.
struct Outstanding {
    stop: Stop,
    /// Whether it is a search or a count, which may take long.
    long: bool,
    /// Whether only `stop` ends it, now and after a ponder hit.
    endless: [bool; 2],
    /// What is answered as soon as it begins: `isready` and `uci` do not wait for the end of a search.
    asked: Vec<Command>,
}

/// What to do after a command.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Quit,
}

struct Session<W> {
    output: W,
    orders: Sender<Order>,
    /// What the worker is to do, in order; it is at the first.
    outstanding: VecDeque<Outstanding>,
    /// The answer to `uci`.
    introduction: Arc<Mutex<String>>,
    input_ended: bool,
}

/// Holds a session until `quit` or the end of the input, beginning with this game.
///
/// # Errors
/// If the output takes no more, or a thread cannot be started.
pub(crate) fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    game: Option<AnyGame>,
) -> Result<()> {
    let (events, inbox) = channel();
    let (orders, to_do) = channel();
    let worker = Worker::new(game, events.clone())?;
    let introduction = worker.introduction();
    // Not joined: one may wait for input that never comes, the other be at work when the session ends.
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().name(name.to_string()).spawn(work);
        thread.map(|_| ()).with_context(|| format!("cannot start the {name} thread"))
    };
    spawn("uci input", Box::new(move || read_lines(input, &events)))?;
    spawn("uci search", Box::new(move || worker.run(&to_do)))?;
    let mut session =
        Session { output, orders, outstanding: VecDeque::new(), introduction, input_ended: false };
    let result = session.listen(&inbox);
    session.stop_all();
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
            Event::TooLong { position: bytes.trim_ascii_start().starts_with(b"position") }
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
            match event {
                Event::Line(line) => {
                    if self.obey_line(&line)? == Next::Quit {
                        break;
                    }
                }
                Event::TooLong { position } => {
                    let problem = format!("a line of more than {MAX_LINE_LENGTH} bytes");
                    if position {
                        self.order(Command::Position(Err(problem)));
                    } else {
                        self.complain(&problem)?;
                    }
                }
                Event::EndOfInput => {
                    self.input_ended = true;
                    let endless = |order: &&Outstanding| order.endless[0];
                    self.outstanding.iter().filter(endless).for_each(|order| order.stop.stop());
                }
                Event::Say(line) => self.say(&line)?,
                Event::Done(last) => {
                    // Before the line is written: the program that reads it may ask for more at once.
                    self.outstanding.pop_front();
                    if let Some(line) = last {
                        self.say(&line)?;
                    }
                    let next = self.outstanding.front_mut();
                    for command in next.map(|order| std::mem::take(&mut order.asked)).unwrap_or_default() {
                        self.answer(&command)?;
                    }
                }
            }
            if self.input_ended && self.outstanding.is_empty() {
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

    fn stop_all(&self) {
        self.outstanding.iter().for_each(|order| order.stop.stop());
    }

    fn obey_line(&mut self, line: &str) -> Result<Next> {
        match parse(line) {
            Ok(None | Some(Command::Ignored)) => {}
            Ok(Some(Command::Quit)) => return Ok(Next::Quit),
            // What was typed before is to end, even if it has not begun.
            Ok(Some(Command::Stop)) => self.stop_all(),
            Ok(Some(Command::PonderHit)) => {
                for order in &mut self.outstanding {
                    order.stop.ponder_hit();
                    order.endless[0] = order.endless[1];
                }
            }
            Ok(Some(command @ (Command::Uci | Command::IsReady))) => {
                // The answer tells that what was typed before is done, up to a search.
                match self.outstanding.iter().position(|order| order.long) {
                    None if !self.outstanding.is_empty() => self.order(command),
                    None | Some(0) => self.answer(&command)?,
                    Some(search) => self.outstanding[search].asked.push(command),
                }
            }
            Ok(Some(command)) => self.order(command),
            Err(problem) => self.complain(&problem)?,
        }
        Ok(Next::GoOn)
    }

    /// Answers `isready` or `uci`.
    fn answer(&mut self, command: &Command) -> Result<()> {
        if *command == Command::IsReady {
            return self.say("readyok");
        }
        let text = self.introduction.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.say(&text)
    }

    /// Gives the worker something to do.
    fn order(&mut self, command: Command) {
        let stop = Stop::new();
        let (long, endless) = match &command {
            Command::Go(go) => (true, [go.is_endless(), go.is_endless_after_hit()]),
            command => (matches!(command, Command::Perft(_)), [false; 2]),
        };
        self.outstanding.push_back(Outstanding { stop: stop.clone(), long, endless, asked: Vec::new() });
        // It listens as long as this end is there.
        let _ = self.orders.send(Order { command, stop });
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
            hold(b"\xff\xfe\nposition fen x\nposition startpos moves zz\nposition startpos\ngo depth x\nstop\n\0\nisready\n");
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
                     Engine mcts UCI_Variant duel d eval debug playouts btime \u{0} \u{e9}";
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
            // `stop` ends everything before it, so the end of the input is the end of the session.
            let typed = format!("setoption name Hash value 1\n{}\nstop\nisready\n", lines.join("\n"));
            let said = hold(typed.as_bytes());
            prop_assert!(said.contains("readyok\n"), "{}", said);
            prop_assert!(!said.contains("this broke"), "{}", said);
            let searches = lines.iter().filter(|line| line.split_whitespace().next() == Some("go"));
            let counts = searches.clone().filter(|line| line.split_whitespace().any(|word| word == "perft"));
            let answers = said.matches("bestmove ").count();
            prop_assert!(answers >= searches.count() - counts.count(), "{}", said);
        }
    }

    #[test]
    fn nothing_is_searched_after_a_position_that_was_refused() {
        for wrong in ["fen x", "startpos moves c1b1 zz", "c1b1", &format!("fen {}", "x".repeat(2 << 20))] {
            let said = hold(format!("position {wrong}\ngo depth 2\ngo perft 1\n").as_bytes());
            let wanted = "info string error: go: the last position was refused\nbestmove 0000\n\
                          info string error: go perft: the last position was refused\n";
            assert!(said.ends_with(wanted), "{said}");
            for right in ["position startpos", "setoption name UCI_Variant value ambush"] {
                let said = hold(format!("position {wrong}\n{right}\ngo depth 2\n").as_bytes());
                assert!(!said.contains("bestmove 0000"), "{said}");
            }
        }
    }

    #[test]
    fn playouts_without_a_tree_search_are_refused_and_answered() {
        let said = hold(b"go playouts 20\n");
        assert!(
            said.starts_with("info string error: go: only Monte Carlo tree search has playouts"),
            "{said}"
        );
        assert!(said.contains("\ninfo depth 1 ") && said.contains("\nbestmove c1"), "{said}");
        let said = hold(b"go playouts 20 depth 3\n");
        assert!(said.contains("\ninfo depth 3 "), "{said}");
        let said = hold(b"setoption name Engine value mcts\ngo playouts 20\n");
        assert!(!said.contains("error") && said.contains("bestmove c1"), "{said}");
    }

    #[test]
    fn the_clock_of_the_opponent_alone_is_enough() {
        let said =
            hold(b"position startpos moves c1b1\ngo wtime 50\nposition startpos\ngo btime 50 binc 1\n");
        assert_eq!(said.matches("bestmove ").count(), 2, "{said}");
    }

    #[test]
    fn stop_ends_what_was_typed_before_it() {
        let said = hold(b"go infinite\ngo infinite\ngo perft 99\nstop\ngo depth 1\n");
        assert_eq!(said.matches("bestmove ").count(), 3, "{said}");
        assert!(said.contains("info string stopped\n"), "{said}");
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
