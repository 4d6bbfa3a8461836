//! Obeys the commands of a session one after the other, on a thread of its own.

use super::command::{Command, Go};
use super::format;
use super::options::{Effect, Settings};
use super::session::Event;
use crate::beside;
use crate::text::one_line;
use anyhow::Result;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::Algorithm;
use jewel_players::support::board::{self, Style};
use jewel_search::control::Stop;
use jewel_search::report::Info;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

/// The last line of a count that was stopped.
const STOPPED: &str = "info string stopped";

/// The answer to a search that cannot be made.
const NO_MOVE: &str = "bestmove 0000";

/// A command, and the handle by which the session ends it.
pub(super) struct Order {
    pub(super) command: Command,
    pub(super) stop: Stop,
}

/// The engine of a session with its settings.
pub(super) struct Worker {
    settings: Settings,
    engine: Box<dyn Engine>,
    /// Whether the last position was refused: the one before must not be taken for it.
    refused: bool,
    /// The game for which what lies beside its file has been told.
    told: Option<u64>,
    events: Sender<Event>,
    introduction: Arc<Mutex<String>>,
}

impl Worker {
    /// A worker that begins with this game.
    ///
    /// # Errors
    /// Those of [`Settings::new`].
    pub(super) fn new(game: Option<AnyGame>, events: Sender<Event>) -> Result<Worker> {
        let settings = Settings::new(game)?;
        let engine = settings.game().open();
        let introduction = Arc::new(Mutex::new(introduction_by(&settings)));
        Ok(Worker { settings, engine, refused: false, told: None, events, introduction })
    }

    /// The answer to `uci`, kept up to date.
    pub(super) fn introduction(&self) -> Arc<Mutex<String>> {
        self.introduction.clone()
    }

    /// Obeys orders until there will be no more.
    pub(super) fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(Order { command, stop }) = orders.recv() {
            let setup = matches!(command, Command::Position(_));
            let apology = match &command {
                Command::Go(_) => Some(NO_MOVE.to_string()),
                Command::Perft(_) => Some(STOPPED.to_string()),
                _ => None,
            };
            // What breaks must not leave the session waiting for ever.
            let last = catch_unwind(AssertUnwindSafe(|| self.obey(command, &stop))).unwrap_or_else(|_| {
                self.complain("this broke; the position is the start position again");
                self.engine = self.settings.game().open();
                self.refused = setup;
                apology
            });
            let _ = self.events.send(Event::Done(last));
        }
    }

    fn say(&self, line: impl Into<String>) {
        let _ = self.events.send(Event::Say(line.into()));
    }

    fn complain(&self, problem: &str) {
        self.say(format!("info string error: {}", one_line(problem)));
    }

    /// Obeys a command; the last line about it, where a program waits for one.
    fn obey(&mut self, command: Command, stop: &Stop) -> Option<String> {
        match command {
            // The session sees to these.
            Command::Quit | Command::Ignored | Command::Stop | Command::PonderHit => {}
            Command::Uci => self.say(introduction_by(&self.settings)),
            Command::IsReady => self.say("readyok"),
            Command::NewGame => self.engine.forget(),
            Command::SetOption { name, value } => {
                self.set_option(&name, value.as_deref());
                *self.introduction.lock().unwrap_or_else(PoisonError::into_inner) =
                    introduction_by(&self.settings);
            }
            Command::Position(setup) => {
                let set = setup.and_then(|setup| {
                    let set = self.engine.set_position(setup.fen.as_deref(), &setup.moves);
                    set.map_err(|problem| format!("{problem:#}"))
                });
                self.refused = set.is_err();
                if let Err(problem) = set {
                    self.complain(&format!("position: {problem}"));
                }
            }
            Command::Go(_) if self.refused => {
                self.complain("go: the last position was refused");
                return Some(NO_MOVE.to_string());
            }
            Command::Perft(_) if self.refused => self.complain("go perft: the last position was refused"),
            Command::Go(go) => return Some(self.go(*go, stop)),
            Command::Perft(depth) => return Some(self.perft(depth, stop)),
            Command::Display => self.display(),
            Command::Eval => self.eval(),
        }
        None
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let before = self.settings.clone();
        match self.settings.set(name, value) {
            Err(problem) => self.complain(&format!("{problem:#}")),
            Ok(Effect::None) => {}
            Ok(Effect::Forget) => self.engine.forget(),
            Ok(Effect::Engine) => {
                if let Err(problem) = self.engine.configure(&self.settings.engine) {
                    self.settings = before;
                    self.complain(&format!("option {name}: {problem:#}"));
                }
            }
            // Outside the greeting a program expects no option lines, and may warn of one.
            Ok(Effect::Games) => {
                for problem in std::mem::take(&mut self.settings.refused) {
                    self.say(format!("info string not read: {}", one_line(&problem)));
                }
                self.say(format!("info string {}", self.settings.describe_variants()));
            }
            Ok(Effect::Castling) => {
                let mut game = self.settings.game().open();
                // Both ways to write castling are read, so that the game goes on from where it is.
                if game.set_position(Some(&self.engine.first_fen()), &self.engine.played()).is_ok() {
                    self.engine = game;
                }
            }
            Ok(Effect::Game) => {
                self.engine = self.settings.game().open();
                self.refused = false;
                self.announce_game();
            }
        }
    }

    /// Tells a graphical program about the game that it has just chosen, in the words of Fairy-Stockfish: the pocket has
    /// room for each type that can be in a hand, and pictures of pieces go by their letters.
    fn announce_game(&self) {
        let diagram = self.engine.diagram();
        let held =
            |rules: &Rules| (0..rules.type_count() as u8).filter(|kind| rules.may_be_held(*kind)).count();
        self.say(format!(
            "info string variant {} files {} ranks {} pocket {} template fairy startpos {}",
            self.engine.game(),
            diagram.width,
            diagram.height,
            self.settings.game().rules().map_or(0, held),
            self.engine.fen()
        ));
    }

    /// Searches; the line with the move.
    fn go(&mut self, go: Go, stop: &Stop) -> String {
        for problem in &go.problems {
            self.complain(problem);
        }
        let mover = self.engine.side_to_move().index();
        let mut limits = go.limits(mover, self.settings.bonus, self.settings.multipv);
        limits.overhead = self.settings.overhead;
        // What cannot be played is not looked at; a search there must be.
        let legal = self.engine.moves();
        let is_legal = |typed: &str| self.engine.read_move(typed).is_ok_and(|mv| legal.contains(&mv));
        for bad in limits.search_moves.extract_if(.., |mv| !is_legal(mv)).collect::<Vec<_>>() {
            self.complain(&format!("go: searchmoves: \"{bad}\" is not a legal move"));
        }
        match self.settings.engine.algorithm {
            Algorithm::Ab if limits.playouts.is_some() => {
                self.complain(
                    "go: only Monte Carlo tree search has playouts: setoption name Engine value mcts",
                );
                if go.has_no_limit_but_playouts() {
                    limits.depth = Some(1);
                }
            }
            // Trees are not deepened ply by ply: a path of that length is soon there and proves nothing.
            Algorithm::Mcts if go.mate.is_some() && go.depth.is_none() => limits.depth = None,
            _ => {}
        }
        self.tell_beside();
        if let Err(problem) = self.engine.configure(&self.settings.engine) {
            self.complain(&format!("go: {problem:#}"));
            return NO_MOVE.to_string();
        }
        let (show_wdl, events) = (self.settings.show_wdl, self.events.clone());
        let mut on_info = |info: &Info<String>| {
            let _ = events.send(Event::Say(format::info(info, show_wdl)));
            let mated = info.score.is_win() && info.multipv == 1;
            let moves = info.score.distance().map(|plies| plies.div_ceil(2));
            if mated && go.mate.is_some_and(|most| moves.is_some_and(|moves| moves <= most)) {
                stop.stop();
            }
        };
        match self.engine.search(&limits, stop, &mut on_info) {
            Ok(report) => format::best_move(&report),
            Err(problem) => {
                self.complain(&format!("{problem:#}"));
                NO_MOVE.to_string()
            }
        }
    }

    /// Says once, before the first search of a game, what lies beside its variant file.
    fn tell_beside(&mut self) {
        let game = self.settings.game();
        if self.settings.engine.net.is_none()
            && self.told.replace(game.fingerprint()) != Some(game.fingerprint())
            && let Some(line) = beside::line(game, "EvalFile none")
        {
            self.say(format!("info string {}", one_line(&line)));
        }
    }

    /// Counts; the line with the number.
    fn perft(&self, depth: u32, stop: &Stop) -> String {
        let mut each = |mv: &str, nodes: u64| self.say(format!("{mv}: {nodes}"));
        match self.engine.perft(depth, stop, &mut each) {
            Some(nodes) => format!("\nNodes searched: {nodes}\n"),
            None => STOPPED.to_string(),
        }
    }

    fn display(&self) {
        let engine = &self.engine;
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
        self.say(text);
    }

    fn eval(&self) {
        let diagram = self.engine.diagram();
        self.say(format!(
            "Evaluation: {:+.2} for {}, the side to move",
            f64::from(self.engine.evaluation()) / 100.0,
            diagram.sides[diagram.side_to_move.index()]
        ));
    }
}

/// The answer to `uci`.
fn introduction_by(settings: &Settings) -> String {
    let name = format!("id name jewel {}", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![name, "id author the jewel authors".to_string()];
    lines.extend(settings.describe());
    lines.push("uciok".to_string());
    lines.join("\n")
}
