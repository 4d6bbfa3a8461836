//! A game from its first move to its last.

use super::input::Lines;
use super::record::{self, Record, Termination, result_text};
use super::typed::{self, COMMANDS, HELP, Typed};
use crate::engine_arguments::LimitArgs;
use crate::interrupt;
use crate::progress;
use crate::text::one_line;
use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use jewel_engine::diagram::{Diagram, Piece};
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::game_clock::GameClock;
use jewel_players::hidden::PlayerView;
use jewel_players::options::{Algorithm, Options};
use jewel_players::score;
use jewel_players::support::board::{self, Story, Style};
use jewel_players::support::files::{self, read_text};
use jewel_players::support::words::{shortened, suggestions};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Who plays a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Player {
    /// A person, who types moves
    Human,
    /// Alpha-beta search
    Ab,
    /// Monte Carlo tree search
    Mcts,
}

impl Player {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        self.algorithm().map_or("human", Algorithm::name)
    }

    fn algorithm(self) -> Option<Algorithm> {
        match self {
            Player::Human => None,
            Player::Ab => Some(Algorithm::Ab),
            Player::Mcts => Some(Algorithm::Mcts),
        }
    }
}

impl From<Algorithm> for Player {
    fn from(algorithm: Algorithm) -> Player {
        match algorithm {
            Algorithm::Ab => Player::Ab,
            Algorithm::Mcts => Player::Mcts,
        }
    }
}

/// How a game is played.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) game: AnyGame,
    /// White and Black.
    pub(crate) players: [Player; 2],
    /// The engine that plays against a person, unless another was asked for, and that gives hints.
    pub(crate) rival: Player,
    /// The options of the engines; the algorithm is that of the player.
    pub(crate) options: Options,
    pub(crate) limits: LimitArgs,
    pub(crate) clock: Option<GameClock>,
    /// The seed of the dice, in games that have them.
    pub(crate) dice: u64,
    /// The file that the record is written to after each move.
    pub(crate) save: Option<PathBuf>,
    /// Plies after which the game is broken off.
    pub(crate) max_plies: usize,
    /// Whether it is drawn then, by a limit that the game has of its own.
    pub(crate) cap_is_a_draw: bool,
    pub(crate) style: Style,
    /// Whether the screen is cleared before the board is drawn.
    pub(crate) clears: bool,
}

/// Time for a move where there is neither a clock nor a limit.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// How a turn ended.
enum Turn {
    Played(Duration),
    /// The position, or who plays, is not what it was: begin the turn anew.
    Anew,
    Resigned,
    /// The input has ended, or the player left.
    Left,
}

/// A game that people and engines play in a terminal.
pub(crate) struct TerminalGame<'a> {
    setting: Setting,
    input: &'a mut dyn Lines,
    output: &'a mut dyn Write,
    board: Box<dyn Engine>,
    /// The board as it was drawn before the last move, to mark what the move changed.
    before: Option<Diagram>,
    /// The pieces that have been on the board, for the legend.
    pieces: Vec<Piece>,
    /// One for each side, once it is needed; hints to a person come from the engine of their side.
    engines: [Option<Box<dyn Engine>>; 2],
    /// The clocks at the start, and after each turn that was timed, with the plies played by then.
    clocks: Vec<(usize, GameClock)>,
    dice: Random,
    verdict: Option<Verdict>,
    termination: Termination,
    ending: String,
}

impl<'a> TerminalGame<'a> {
    /// The game at the position of `board`.
    pub(crate) fn new(
        setting: Setting,
        board: Box<dyn Engine>,
        input: &'a mut dyn Lines,
        output: &'a mut dyn Write,
    ) -> TerminalGame<'a> {
        let clocks = setting.clock.map_or(Vec::new(), |clock| vec![(0, clock)]);
        TerminalGame {
            before: None,
            pieces: Vec::new(),
            dice: Random::new(setting.dice),
            setting,
            input,
            output,
            board,
            engines: [None, None],
            clocks,
            verdict: None,
            termination: Termination::Unterminated,
            ending: String::new(),
        }
    }

    /// Plays the game.
    ///
    /// # Errors
    /// If input or output fail, or an engine has no memory. What people type is never an error.
    pub(crate) fn play(mut self) -> Result<Record> {
        // An engine without memory is an error before anything is drawn.
        for side in Side::BOTH {
            if let Some(algorithm) = self.setting.players[side.index()].algorithm() {
                self.engine(side, algorithm)?;
            }
        }
        self.greet()?;
        self.draw("")?;
        while !self.is_over() {
            let side = self.board.side_to_move();
            let begun = Instant::now();
            let turn = match self.setting.players[side.index()].algorithm() {
                None => self.ask(side, begun)?,
                Some(algorithm) => self.think(side, algorithm)?,
            };
            match turn {
                Turn::Anew => {}
                Turn::Played(used) => self.finish_turn(side, used)?,
                Turn::Resigned => {
                    self.end(!side, Termination::Normal, &format!("{} has resigned", self.side(side)));
                }
                Turn::Left => break,
            }
        }
        if !self.ending.is_empty() {
            let line = self.setting.style.bold(&format!("over: {}", self.ending));
            writeln!(self.output, "{line}")?;
        }
        writeln!(self.output)?;
        self.output.flush()?;
        self.save()?;
        Ok(self.record())
    }

    /// Tells people what they can type.
    fn greet(&mut self) -> Result<()> {
        if self.setting.clears || !self.setting.players.contains(&Player::Human) {
            return Ok(());
        }
        let text = self.what_to_type();
        self.tell(&format!("{text}\n"))
    }

    /// The line that tells people what they can type.
    fn what_to_type(&self) -> String {
        let example = self.board.legal_turns().into_iter().next().unwrap_or_else(|| "b1b2".to_string());
        format!("Type a move such as {example}, or: moves, hint, undo, save FILE, resign, quit, help.")
    }

    fn side(&self, side: Side) -> String {
        self.board.diagram().sides[side.index()].clone()
    }

    /// Whether the game is over, by its rules or otherwise.
    fn is_over(&mut self) -> bool {
        if !self.ending.is_empty() {
            return true;
        }
        if let Some(ending) = self.board.ending() {
            self.verdict = Some(ending.verdict);
            self.termination = Termination::Normal;
            self.ending = ending.text(&self.board.diagram().sides);
        } else if self.board.played().len() >= self.setting.max_plies {
            let most = self.setting.max_plies;
            if self.setting.cap_is_a_draw {
                self.verdict = Some(Verdict::Draw);
                self.termination = Termination::Normal;
                self.ending = format!("drawn after {most} plies");
            } else {
                self.ending = format!("broken off after {most} plies");
            }
        }
        !self.ending.is_empty()
    }

    fn end(&mut self, winner: Side, termination: Termination, ending: &str) {
        self.verdict = Some(if winner == Side::White { Verdict::WhiteWins } else { Verdict::BlackWins });
        self.termination = termination;
        self.ending = ending.to_string();
    }

    /// Stops the clock of the side that has moved, and writes the record.
    fn finish_turn(&mut self, side: Side, used: Duration) -> Result<()> {
        if let Some((_, mut clock)) = self.clocks.last().copied() {
            let in_time = clock.spend(side, used);
            self.clocks.push((self.board.plies(), clock));
            if !in_time {
                let ending = format!("{} has overstepped the time", self.side(side));
                self.end(!side, Termination::TimeForfeit, &ending);
            }
        }
        self.save()
    }

    fn record(&self) -> Record {
        let names = self.setting.players.map(|player| player.name().to_string());
        let [white, black] = names;
        Record {
            game: self.board.game().to_string(),
            fen: self.board.fen(),
            start: self.board.first_fen(),
            white,
            black,
            result: result_text(self.verdict),
            termination: self.termination.name(),
            ending: self.ending.clone(),
            moves: self.board.turns(),
            san: self.board.played_san(),
        }
    }

    fn save(&self) -> Result<()> {
        match &self.setting.save {
            Some(file) => files::write(file, self.record().text().as_bytes()),
            None => Ok(()),
        }
    }

    /// Draws the board, and below it what has just happened.
    fn draw(&mut self, news: &str) -> Result<()> {
        let diagram = self.seen();
        let over = self.board.ending().is_some();
        for side in Side::BOTH {
            for piece in board::roster(&diagram, side) {
                if !self.pieces.contains(piece) {
                    self.pieces.push(piece.clone());
                }
            }
        }
        let changed = self.before.as_ref().map(|before| board::changed(before, &diagram)).unwrap_or_default();
        let story = Story { changed: &changed, pieces: &self.pieces };
        let mut text = String::new();
        if self.setting.clears {
            // Erase the screen, go to its first line.
            text.push_str("\x1b[2J\x1b[H");
        }
        text.push_str(&format!("{}\n", board::draw_with(&diagram, over, self.setting.style, story)));
        if !self.clocks.is_empty() {
            text.push_str(&format!("{}\n", self.clock_text()));
        }
        if !news.is_empty() {
            text.push_str(&format!("{news}\n"));
        }
        if self.setting.clears && !over && self.ending.is_empty() {
            text.push_str(&format!("{}\n", self.what_to_type()));
        }
        write!(self.output, "{text}")?;
        Ok(self.output.flush()?)
    }

    /// The board as it may be shown.
    fn seen(&self) -> Diagram {
        self.view().map_or_else(|| self.board.diagram(), |view| view.diagram)
    }

    /// What may be shown while a game goes on in which the players see different things: the view of the only person,
    /// or of the person whose turn it is.
    fn view(&self) -> Option<PlayerView> {
        let mover = self.board.side_to_move();
        let is_person = |side: &Side| self.setting.players[side.index()] == Player::Human;
        let viewer = [mover, !mover].into_iter().find(is_person)?;
        if self.board.ending().is_some() || !self.ending.is_empty() {
            return None;
        }
        self.board.view_of(viewer)
    }

    fn clock_text(&self) -> String {
        let Some((_, clock)) = self.clocks.last() else { return "there is no clock".to_string() };
        let of = |side| format!("{} {}", self.side(side), clock.text(side));
        format!("clock: {}, {}", of(Side::White), of(Side::Black))
    }

    fn tell(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.output, "{text}")?)
    }

    /// Lets a person move.
    fn ask(&mut self, side: Side, begun: Instant) -> Result<Turn> {
        loop {
            let prompt = format!("{}> ", self.side(side));
            let mut words = self.board.moves();
            words.extend(COMMANDS.map(str::to_string));
            let Some(line) = self.input.line(&prompt, &words, self.output)? else { return Ok(Turn::Left) };
            match typed::read(&line) {
                Typed::Nothing => {}
                Typed::Move(text) => match self.play_rolled(&text) {
                    Ok(text) => {
                        let used = begun.elapsed();
                        let news = format!("{} played {text}{}", self.side(side), self.revealed());
                        self.draw(&news)?;
                        return Ok(Turn::Played(used));
                    }
                    Err(problem) => self.refuse(&text, &problem)?,
                },
                Typed::Moves(beginning) => {
                    let moves = self.board.moves();
                    let moves: Vec<String> =
                        moves.into_iter().filter(|mv| mv.starts_with(&beginning)).collect();
                    let none = format!("no move begins with \"{}\"", one_line(&shortened(&beginning)));
                    self.tell(&if moves.is_empty() { none } else { moves.join(" ") })?;
                }
                Typed::Undo => {
                    if self.undo() {
                        self.draw("taken back")?;
                        return Ok(Turn::Anew);
                    }
                    self.tell("there is nothing to take back")?;
                }
                Typed::Hint => self.hint(side)?,
                Typed::Board => self.draw("")?,
                Typed::Position => {
                    let text = self.view().map_or_else(|| self.board.fen(), |view| view.text);
                    self.tell(&text)?;
                }
                Typed::Clock => self.tell(&self.clock_text())?,
                Typed::Switch => {
                    self.setting.players.reverse();
                    return Ok(Turn::Anew);
                }
                Typed::Save(file) => {
                    let saved = self.save_to(&file);
                    self.report(saved)?;
                }
                Typed::Load(file) => match self.load(&file) {
                    Ok(news) => {
                        self.draw(&news)?;
                        return Ok(Turn::Anew);
                    }
                    problem => self.report(problem)?,
                },
                Typed::Help => write!(self.output, "{HELP}")?,
                Typed::Resign => return Ok(Turn::Resigned),
                Typed::Quit => return Ok(Turn::Left),
            }
        }
    }

    /// Says why a text is not a move, and which moves may have been meant.
    fn refuse(&mut self, typed: &str, problem: &anyhow::Error) -> Result<()> {
        let meant = suggestions(typed, &self.board.moves());
        self.tell(&one_line(&format!("{problem:#}")))?;
        if !meant.is_empty() {
            self.tell(&format!("did you mean {}?", jewel_players::support::words::any_of(&meant)))?;
        }
        Ok(())
    }

    fn report(&mut self, outcome: Result<String>) -> Result<()> {
        match outcome {
            Ok(news) => self.tell(&news),
            Err(problem) => self.tell(&one_line(&format!("{problem:#}"))),
        }
    }

    fn save_to(&self, file: &str) -> Result<String> {
        if file.is_empty() {
            bail!("write the name of a file: save FILE");
        }
        files::write(Path::new(file), self.record().text().as_bytes())?;
        Ok(format!("saved to {file}"))
    }

    fn load(&mut self, file: &str) -> Result<String> {
        if file.is_empty() {
            bail!("write the name of a file: load FILE");
        }
        load(self.board.as_mut(), Path::new(file))?;
        // Clocks are not recorded.
        self.clocks = self.setting.clock.map_or(Vec::new(), |clock| vec![(0, clock)]);
        self.before = None;
        Ok(format!("loaded {file}"))
    }

    /// Goes back to the last turn of a person; `false` if there was no such turn.
    fn undo(&mut self) -> bool {
        let mut undone = false;
        // A turn may have several plies, and the last one be played in part.
        while let Some(plies) = self.board.turn_lengths().pop() {
            undone = true;
            for _ in 0..plies {
                self.board.undo();
            }
            if self.setting.players[self.board.side_to_move().index()] == Player::Human {
                break;
            }
        }
        while self.clocks.last().is_some_and(|(plies, _)| *plies > self.board.plies()) {
            self.clocks.pop();
        }
        self.before = None;
        undone
    }

    /// The engine of a side, set up to search the position on the board.
    fn engine(&mut self, side: Side, algorithm: Algorithm) -> Result<&mut Box<dyn Engine>> {
        let game = self.setting.game;
        let engine = self.engines[side.index()].get_or_insert_with(|| game.open());
        engine.configure(&Options { algorithm, ..self.setting.options.clone() })?;
        engine.set_position(Some(&self.board.first_fen()), &self.board.played())?;
        Ok(engine)
    }

    fn search(
        &mut self,
        side: Side,
        algorithm: Algorithm,
        limits: &Limits<String>,
    ) -> Result<Report<String>> {
        let stop = Stop::new();
        let stops = [Mutex::new(stop.clone())];
        let name = self.side(side);
        let bar = progress::message(&format!("{name} ({}) is thinking", algorithm.name()));
        let show = bar.clone();
        let mut tell = |info: &Info<String>| {
            let about = score::text(info);
            show.set_message(format!(
                "{name} ({}) is thinking: depth {}, {about}",
                algorithm.name(),
                info.depth
            ));
        };
        let engine = self.engine(side, algorithm)?;
        let report = crate::analysis::interruptible(&stops, || engine.search(limits, &stop, &mut tell));
        bar.finish_and_clear();
        report
    }

    /// Lets an engine move.
    fn think(&mut self, side: Side, algorithm: Algorithm) -> Result<Turn> {
        let clock = self.clocks.last().map(|(_, clock)| clock.of(side));
        let mut limits = self.setting.limits.limits(algorithm, USUAL_TIME);
        if clock.is_some() {
            limits.movetime = self.setting.limits.time;
            limits.clock = clock;
        }
        let begun = Instant::now();
        let report = self.search(side, algorithm, &limits)?;
        let used = begun.elapsed();
        if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(Turn::Left);
        }
        let Some(best) = &report.best else { bail!("the engine has no move in {}", self.board.fen()) };
        let best = &self.play_rolled(best).map_err(|e| anyhow!("the engine's move {best}: {e}"))?;
        let about = report.lines.first().map(score::text).unwrap_or_default();
        let name = self.side(side);
        let revealed = self.revealed();
        let algorithm = algorithm.name();
        self.draw(&format!("{name} ({algorithm}) played {best}{revealed}  {about}, depth {}", report.depth))?;
        Ok(Turn::Played(used))
    }

    /// What the last move has shown to both players.
    fn revealed(&self) -> String {
        self.board.revealed().map_or(String::new(), |what| format!(": {what}"))
    }

    /// Plays a move, with dice where it is rolled for; what was played.
    fn play_rolled(&mut self, mv: &str) -> Result<String> {
        let text = self.board.rolled(mv, &mut self.dice)?;
        let before = self.seen();
        self.board.play(&text)?;
        self.before = Some(before);
        Ok(text)
    }

    fn hint(&mut self, side: Side) -> Result<()> {
        let algorithm = self.setting.rival.algorithm().unwrap_or(Algorithm::Ab);
        let limits = self.setting.limits.limits(algorithm, USUAL_TIME);
        let report = self.search(side, algorithm, &limits)?;
        let about = report.lines.first().map(score::text).unwrap_or_default();
        match report.best {
            Some(best) => self.tell(&format!("hint: {best}  {about}")),
            None => self.tell("there is no move"),
        }
    }
}

/// Longest record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// Sets a recorded game up.
///
/// # Errors
/// If the file is not a record of this game: everything stays as it was.
pub(crate) fn load(board: &mut dyn Engine, file: &Path) -> Result<()> {
    let name = file.display();
    let recorded = record::parse(&read_text(file, MAX_RECORD_BYTES)?).map_err(|e| anyhow!("{name}: {e}"))?;
    if let Some(game) = recorded.game.as_deref().filter(|game| *game != board.game()) {
        bail!("{name}: a record of {}, not of {}", shortened(game), board.game());
    }
    board.set_position(recorded.start.as_deref(), &recorded.moves).map_err(|e| anyhow!("{name}: {e:#}"))
}
