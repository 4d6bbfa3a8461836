//! Other programs as players, over UCI or UGI.

use super::process::{NoLine, Process, shown};
use super::protocol::{Reply, parse_reply};
use crate::catalogue::AnyGame;
use crate::engine::GameAt;
use crate::player::{Budget, Choice, Fault, Player, Turn};
use crate::support::words::{any_of, shortened};
use jewel_engine::games::nearest;
use jewel_engine::value::Side;
use jewel_search::control::Stop;
use jewel_search::report::Info;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(crate) use super::protocol::Protocol;

/// How another program is started and spoken to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Program {
    /// The program and its arguments, at least the first.
    pub(crate) words: Vec<String>,
    /// The folder to run it in, if not the current one.
    pub(crate) directory: Option<PathBuf>,
    /// The protocol that it speaks.
    pub(crate) protocol: Protocol,
    /// Its name for the game, if not the game's id.
    pub(crate) variant: Option<String>,
    /// The file of variants that it is to read.
    pub(crate) variants: Option<PathBuf>,
    /// Its options in the order in which they are set.
    pub(crate) options: Vec<(String, String)>,
    /// Time to start, and to get ready for a game.
    pub(crate) start_timeout: Duration,
    /// Time to answer `stop` and `quit`.
    pub(crate) stop_timeout: Duration,
    /// Time for a move without a clock or a time limit.
    pub(crate) move_timeout: Duration,
    /// Time beyond the limit before `stop` is sent.
    pub(crate) stop_grace: Duration,
    /// Whether it is started anew for each game.
    pub(crate) restart: bool,
    /// The file for its stderr.
    pub(crate) log: Option<PathBuf>,
}

impl Program {
    /// Threads that it was told to use.
    pub(crate) fn threads(&self) -> usize {
        let option = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("threads"));
        option.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    }
}

/// An option that the program has, and the values of a combo.
type Offer = (String, Vec<String>);

/// A program as a player. It runs from its first game to its first fault, or to the end.
pub(crate) struct External {
    name: String,
    title: Option<String>,
    variant: String,
    program: Program,
    own: Budget,
    process: Option<Process>,
    /// The side that UGI calls the first player.
    first: Side,
}

impl External {
    pub(crate) fn new(name: String, game: AnyGame, program: Program, own: Budget) -> External {
        let variant = program.variant.clone().unwrap_or_else(|| game.card().id);
        External { name, title: None, variant, program, own, process: None, first: Side::White }
    }

    /// Sends a line to the running program.
    fn send(&mut self, line: &str) -> Result<(), Fault> {
        let Some(process) = &mut self.process else { return Err(not_running()) };
        match process.send(line) {
            Ok(()) => Ok(()),
            Err(NoLine::Closed) => Err(self.died()),
            Err(NoLine::Late | NoLine::Stopped) => {
                let asked = line.split_whitespace().next().unwrap_or_default();
                Err(Fault::Silent(format!("to \"{asked}\": it does not read its input")))
            }
        }
    }

    /// Waits for a line that `wanted` accepts; `asked` is the command that it answers.
    fn wait<T>(
        &mut self,
        asked: &str,
        patience: Duration,
        mut wanted: impl FnMut(&mut External, Reply) -> Option<T>,
    ) -> Result<T, Fault> {
        let until = Instant::now() + patience;
        loop {
            let Some(process) = &mut self.process else { return Err(not_running()) };
            match process.line(until, None) {
                Ok(line) => {
                    if let Some(answer) = wanted(self, parse_reply(&line)) {
                        return Ok(answer);
                    }
                }
                Err(NoLine::Closed) => return Err(self.died()),
                Err(NoLine::Late | NoLine::Stopped) => {
                    let limit = time_text(patience);
                    return Err(Fault::Silent(format!("to \"{asked}\" within {limit}")));
                }
            }
        }
    }

    /// The program has ended, or closed its input or output.
    fn died(&mut self) -> Fault {
        match &mut self.process {
            Some(process) => Fault::Died(process.last_words(self.program.stop_timeout)),
            None => not_running(),
        }
    }

    /// Waits until the program has handled all commands.
    fn synchronise(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        self.wait("isready", self.program.start_timeout, |_, reply| (reply == Reply::Ready).then_some(()))
    }

    /// Starts the program and sets it up for the game.
    fn start(&mut self) -> Result<(), Fault> {
        let Program { words, directory, log, .. } = &self.program;
        self.process = Some(Process::start(words, directory.as_deref(), log.as_deref())?);
        let offers = self.greet()?;
        for (name, value) in self.program.options.clone() {
            self.set_option(&offers, &name, &value)?;
        }
        let chosen = self.program.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(VARIANT));
        let offers = self.read_variants(offers)?;
        if !chosen {
            self.choose_variant(&offers)?;
        }
        self.synchronise()
    }

    /// The greeting, which gives the name of the program and its options.
    fn greet(&mut self) -> Result<Vec<Offer>, Fault> {
        let hello = self.program.protocol.hello();
        self.send(hello)?;
        let mut offers = Vec::new();
        self.wait(hello, self.program.start_timeout, |this, reply| {
            match reply {
                Reply::Name(name) => this.title = Some(name),
                Reply::Option { name, values } if offers.len() < MAX_OFFERS => offers.push((name, values)),
                Reply::HelloDone => return Some(()),
                _ => {}
            }
            None
        })?;
        Ok(offers)
    }

    /// Sets an option that the program has offered.
    fn set_option(&mut self, offers: &[Offer], name: &str, value: &str) -> Result<(), Fault> {
        let Some((offered, _)) = find(offers, name) else {
            let hint = match nearest(name, offers.iter().map(|(name, _)| name.as_str())) {
                Some(near) => format!(": did you mean \"{}\"?", shown(near)),
                None => String::new(),
            };
            return Err(Fault::Unable(format!("it has no option \"{}\"{hint}", shortened(name))));
        };
        let assignment = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.send(&format!("setoption name {offered}{assignment}"))
    }

    /// Has the program read the file of variants, and asks again which ones it knows.
    fn read_variants(&mut self, offers: Vec<Offer>) -> Result<Vec<Offer>, Fault> {
        let Some(file) = self.program.variants.clone() else { return Ok(offers) };
        let file = std::path::absolute(&file).unwrap_or(file);
        self.set_option(&offers, VARIANT_PATH, &file.to_string_lossy())?;
        self.greet()
    }

    /// Tells the program which game it is. One that plays a single game has no such option.
    fn choose_variant(&mut self, offers: &[Offer]) -> Result<(), Fault> {
        let variant = self.variant.clone();
        match find(offers, VARIANT) {
            Some((_, known)) if !known.is_empty() && !known.contains(&variant) => {
                let hint = match nearest(&variant, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean variant={}?", shown(near)),
                    None => "name a file that has it with variants=FILE".to_string(),
                };
                Err(Fault::Unable(format!("it knows no variant \"{}\": {hint}", shortened(&variant))))
            }
            Some(_) => self.set_option(offers, VARIANT, &variant),
            None if self.program.variant.is_some() => self.set_option(offers, VARIANT, &variant),
            None => Ok(()),
        }
    }

    /// Asks which side is the first player, by which UGI gives times. Without an answer it is White.
    fn ask_for_first_player(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        self.send(&position_text(line))?;
        self.send("query p1turn")?;
        self.send("isready")?;
        let mut answer = None;
        self.wait("isready", self.program.start_timeout, |_, reply| match reply {
            Reply::Response(text) => {
                answer = text.parse::<bool>().ok();
                None
            }
            Reply::Ready => Some(()),
            _ => None,
        })?;
        let mover = line.side_to_move();
        self.first = answer.map_or(Side::White, |first| if first { mover } else { !mover });
        Ok(())
    }

    fn begin_game(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        if self.program.restart {
            self.quit();
        }
        // A program that died between two games does not lose the next one for it.
        if self.process.is_some() && self.synchronise().is_err() {
            self.process = None;
        }
        if self.process.is_none() {
            self.start()?;
        }
        self.send(self.program.protocol.new_game())?;
        match self.program.protocol {
            Protocol::Uci => self.synchronise(),
            Protocol::Ugi => self.ask_for_first_player(line),
        }
    }

    fn answer(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        let budget = turn.budget.and(&self.own);
        let side = turn.line.side_to_move();
        let Some(go) = self.program.protocol.go(&budget, side, self.first) else {
            return Err(Fault::Unable("no limit of depth, nodes or time is set".to_string()));
        };
        // A late answer to an earlier question must not count for this one.
        self.synchronise()?;
        self.send(&position_text(turn.line))?;
        self.send(&go)?;
        let kept = budget.longest(side);
        let patience =
            kept.map_or(self.program.move_timeout, |time| time.saturating_add(self.program.stop_grace));
        let mut thought = None;
        let mv = self.best_move(patience, stop, &mut thought)?;
        checked(turn.line, mv).map(|mv| Choice { mv, thought })
    }

    /// The move after `bestmove`; if it does not come in time, or the game is to stop, the program is asked
    /// to stop thinking first.
    fn best_move(
        &mut self,
        patience: Duration,
        stop: &Stop,
        thought: &mut Option<Info<String>>,
    ) -> Result<String, Fault> {
        let mut until = Instant::now() + patience;
        let mut stopped = false;
        loop {
            let Some(process) = &mut self.process else { return Err(not_running()) };
            match process.line(until, Some(stop).filter(|_| !stopped)) {
                Ok(line) => match parse_reply(&line) {
                    Reply::Info(heard) => heard.tell(thought),
                    Reply::Best(mv) => return Ok(mv),
                    _ => {}
                },
                Err(NoLine::Late | NoLine::Stopped) if !stopped => {
                    stopped = true;
                    self.send("stop")?;
                    until = Instant::now() + self.program.stop_timeout;
                }
                Err(NoLine::Closed) => return Err(self.died()),
                Err(NoLine::Late | NoLine::Stopped) => {
                    let [limit, grace] = [patience, self.program.stop_timeout].map(time_text);
                    return Err(Fault::Silent(format!(
                        "to \"go\" within {limit}, nor to \"stop\" within {grace}"
                    )));
                }
            }
        }
    }

    /// Lets the program end, if it runs.
    fn quit(&mut self) {
        if let Some(mut process) = self.process.take() {
            // If it cannot be told, it is killed after the same time.
            let _ = process.send("quit");
            process.finish(self.program.stop_timeout);
        }
    }
}

/// The option that chooses the game, and the one that names a file of variants.
const VARIANT: &str = "UCI_Variant";
const VARIANT_PATH: &str = "VariantPath";

/// Most options of a program that are remembered.
const MAX_OFFERS: usize = 1000;

fn find<'a>(offers: &'a [Offer], name: &str) -> Option<&'a Offer> {
    offers.iter().find(|(offered, _)| offered.eq_ignore_ascii_case(name))
}

fn not_running() -> Fault {
    Fault::Died("it is not running".to_string())
}

fn time_text(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

/// The game so far, from where it began.
fn position_text(line: &dyn GameAt) -> String {
    let mut text = format!("position fen {}", line.first_fen());
    let played = line.played();
    if !played.is_empty() {
        text.push_str(" moves ");
        text.push_str(&played.join(" "));
    }
    text
}

/// The legal move that the program means.
fn checked(line: &dyn GameAt, mv: String) -> Result<String, Fault> {
    if mv == "resign" {
        return Err(Fault::Resigned);
    }
    let legal = line.moves();
    if legal.contains(&mv) {
        return Ok(mv);
    }
    // A move with dice may come without its outcome.
    if legal.iter().any(|other| other.split_once(':').is_some_and(|(bare, _)| bare == mv)) {
        return Ok(mv);
    }
    // Some write the letter of a promotion in the case of the side.
    if let Some(same) = legal.iter().find(|other| other.eq_ignore_ascii_case(&mv)) {
        return Ok(same.clone());
    }
    if matches!(mv.as_str(), "" | "(none)" | "none" | "null" | "0000") {
        return Err(Fault::Nonsense(format!("\"bestmove {}\", but the game is not over", shown(&mv))));
    }
    let few = if legal.len() <= 12 { format!(", which has {}", any_of(&legal)) } else { String::new() };
    Err(Fault::Illegal(format!("\"{}\" in \"{}\"{few}", shown(&mv), line.fen())))
}

impl Player for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    fn new_game(&mut self, line: &dyn GameAt, _: u64) -> Result<(), Fault> {
        let begun = self.begin_game(line);
        if begun.is_err() {
            self.process = None;
        }
        begun
    }

    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        let answer = self.answer(turn, stop);
        // A game lost for a fault is followed by a fresh start; a game given up is not a fault.
        if answer.as_ref().is_err_and(|fault| *fault != Fault::Resigned) {
            self.process = None;
        }
        answer
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.quit();
    }
}
