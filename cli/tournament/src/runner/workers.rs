//! The workers, and the collector who puts their games in order.

use super::game::{Game, Played};
use super::{Cast, Ledger, Terms, Tournament};
use crate::record::GameRecord;
use crate::schedule::{Fixture, Next};
use anyhow::{Result, anyhow};
use jewel_engine::value::Side;
use jewel_players::engine::GameAt;
use jewel_players::player::{Choice, Fault, Player, Turn};
use jewel_search::control::Stop;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the collector looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// Games that may be taken beyond the first that is not written down, for each worker: what one long game
/// holds up is kept in memory.
const AHEAD: u64 = 64;

/// Players that a worker keeps ready.
const MAX_KEPT: usize = 8;

/// What comes from a worker: a game, or why there is none. Nothing, if it was stopped.
type Delivery = Result<GameRecord>;

/// Where workers get their games.
struct Desk<'a> {
    state: Mutex<State>,
    /// Something has changed.
    changed: Condvar,
    /// Everybody is to stop.
    halted: AtomicBool,
    /// What ends the search of each worker.
    stops: Vec<Mutex<Stop>>,
    tournament: &'a Tournament,
    cast: &'a dyn Cast,
}

struct State {
    schedule: crate::schedule::Schedule,
    /// The number of the next game to be taken.
    next: u64,
    /// Games that are written down.
    recorded: u64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays until the ledger is full, `interrupt` is set or something fails. Games that were begun and are not
/// needed any more are dropped.
pub(super) fn play(
    tournament: &Tournament,
    cast: &dyn Cast,
    interrupt: &AtomicBool,
    ledger: &mut Ledger<'_>,
    write: &mut dyn FnMut(&GameRecord, &mut Ledger<'_>) -> Result<()>,
) -> Result<()> {
    if ledger.is_over() {
        return Ok(());
    }
    let recorded = ledger.standings.games();
    let left = ledger.schedule.games().saturating_sub(recorded);
    // A knockout may turn out to have more games than are in sight.
    let useful =
        if ledger.schedule.plan().format == crate::schedule::Format::Knockout { u64::MAX } else { left };
    let workers = tournament.concurrency.min(usize::try_from(useful).unwrap_or(usize::MAX)).max(1);
    let desk = Desk {
        state: Mutex::new(State { schedule: ledger.schedule.clone(), next: recorded, recorded }),
        changed: Condvar::new(),
        halted: AtomicBool::new(false),
        stops: (0..workers).map(|_| Mutex::default()).collect(),
        tournament,
        cast,
    };
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (desk, sender) = (&desk, sender.clone());
            scope.spawn(move || desk.work(worker, &sender));
        }
        drop(sender);
        let _halt = Halt(&desk);
        collect(&desk, &receiver, interrupt, ledger, write)
    })
}

/// Stops the workers, even if the collector panics.
struct Halt<'a>(&'a Desk<'a>);

impl Drop for Halt<'_> {
    fn drop(&mut self) {
        self.0.halt();
    }
}

/// Writes games down in order.
fn collect(
    desk: &Desk<'_>,
    receiver: &Receiver<Delivery>,
    interrupt: &AtomicBool,
    ledger: &mut Ledger<'_>,
    write: &mut dyn FnMut(&GameRecord, &mut Ledger<'_>) -> Result<()>,
) -> Result<()> {
    let mut waiting = BTreeMap::new();
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Ok(());
        }
        let record = match receiver.recv_timeout(GLANCE) {
            Ok(delivery) => delivery?,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("a worker has failed")),
        };
        waiting.insert(record.number, record);
        while let Some(record) = waiting.remove(&(ledger.standings.games() + 1)) {
            write(&record, ledger)?;
            if ledger.is_over() || interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
            desk.recorded(ledger);
        }
    }
}

impl Desk<'_> {
    fn halt(&self) {
        let state = locked(&self.state);
        self.halted.store(true, Ordering::SeqCst);
        for stop in &self.stops {
            locked(stop).stop();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A game was written down: others may be taken.
    fn recorded(&self, ledger: &Ledger<'_>) {
        let mut state = locked(&self.state);
        state.recorded = ledger.standings.games();
        if ledger.schedule.champion().is_none() && state.schedule.games() != ledger.schedule.games() {
            state.schedule = ledger.schedule.clone();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next game; `None` when there is no more.
    fn take(&self) -> Option<Fixture> {
        let mut state = locked(&self.state);
        let ahead = AHEAD * self.stops.len() as u64;
        loop {
            if self.halted.load(Ordering::SeqCst) {
                return None;
            }
            if state.next < state.recorded + ahead {
                match state.schedule.next(state.next) {
                    Next::Game(fixture) => {
                        state.next += 1;
                        return Some(fixture);
                    }
                    Next::Over => return None,
                    Next::Later => {}
                }
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A handle for a search of a worker; `None` when all are to stop.
    fn begin(&self, worker: usize) -> Option<Stop> {
        let stop = Stop::new();
        *locked(&self.stops[worker]) = stop.clone();
        (!self.halted.load(Ordering::SeqCst)).then_some(stop)
    }

    fn work(&self, worker: usize, sender: &Sender<Delivery>) {
        let _alarm = Alarm(sender);
        let mut booth = match Booth::new(self) {
            Ok(booth) => booth,
            Err(error) => {
                // Nobody listens any more if the collector has ended.
                let _ = sender.send(Err(error));
                return;
            }
        };
        while let Some(fixture) = self.take() {
            let delivery = booth.play(&fixture, &|| self.begin(worker)).transpose();
            let Some(delivery) = delivery else { return };
            if sender.send(delivery).is_err() {
                return;
            }
        }
    }
}

/// Tells the collector of a worker that panics: its game would be waited for.
struct Alarm<'a>(&'a Sender<Delivery>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(Err(anyhow!("a worker has failed")));
        }
    }
}

/// What a worker has of its own.
struct Booth<'a> {
    desk: &'a Desk<'a>,
    line: Box<dyn GameAt>,
    /// Players with their numbers, the last used at the end.
    kept: Vec<(usize, Box<dyn Player>)>,
    sides: [String; 2],
}

impl<'a> Booth<'a> {
    fn new(desk: &'a Desk<'a>) -> Result<Booth<'a>> {
        let line = desk.cast.line()?;
        let sides = line.diagram().sides;
        Ok(Booth { desk, line, kept: Vec::new(), sides })
    }

    /// Takes a player out of those that are kept.
    fn seat(&mut self, number: usize) -> Box<dyn Player> {
        match self.kept.iter().position(|(kept, _)| *kept == number) {
            Some(at) => self.kept.remove(at).1,
            None => self.desk.cast.player(number).unwrap_or_else(|fault| {
                Box::new(Absent { name: self.desk.tournament.names[number].clone(), fault })
            }),
        }
    }

    fn play(&mut self, fixture: &Fixture, begin: &dyn Fn() -> Option<Stop>) -> Result<Option<GameRecord>> {
        let tournament = self.desk.tournament;
        let opening = tournament.openings.opening(fixture.opening, self.line.as_mut())?;
        let [mut white, mut black] = fixture.players.map(|number| self.seat(number));
        let terms = fixture.players.map(|number| &tournament.terms[number]);
        let game = Game {
            line: self.line.as_mut(),
            players: [white.as_mut(), black.as_mut()],
            terms,
            clocks: &mut terms.map(Terms::new_clock),
            names: fixture.players.map(|number| tournament.names[number].as_str()),
            rules: &tournament.adjudication,
            sides: &self.sides,
        };
        let played = game.play(fixture, &opening, begin);
        self.kept.extend(fixture.players.into_iter().zip([white, black]));
        let too_many = self.kept.len().saturating_sub(MAX_KEPT);
        self.kept.drain(..too_many);
        Ok(played?.map(|played| self.record(fixture, opening.moves.len(), played)))
    }

    fn record(&self, fixture: &Fixture, book: usize, played: Played) -> GameRecord {
        let tournament = self.desk.tournament;
        let name = |side: Side| tournament.names[fixture.players[side.index()]].clone();
        GameRecord {
            tournament: tournament.id.clone(),
            number: fixture.number + 1,
            round: fixture.round + 1,
            game: tournament.game.clone(),
            fen: self.line.fen(),
            start: self.line.first_fen(),
            book,
            white: name(Side::White),
            black: name(Side::Black),
            seed: fixture.seed,
            result: played.verdict.score_text().to_string(),
            termination: played.reason.termination().to_string(),
            reason: played.reason,
            ending: played.ending,
            moves: self.line.played(),
            turns: compound(self.line.turn_lengths()),
            scores: played.scores,
            depths: played.depths,
            nodes: played.nodes,
            seconds: if tournament.times { played.seconds } else { Vec::new() },
        }
    }
}

/// The lengths of turns, or nothing where each is one ply.
fn compound(lengths: Vec<usize>) -> Vec<usize> {
    if lengths.iter().all(|&length| length == 1) { Vec::new() } else { lengths }
}

/// A player who could not be had.
struct Absent {
    name: String,
    fault: Fault,
}

impl Player for Absent {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _: &dyn GameAt, _: u64) -> Result<(), Fault> {
        Err(self.fault.clone())
    }

    fn choose(&mut self, _: &Turn<'_>, _: &Stop) -> Result<Choice, Fault> {
        Err(self.fault.clone())
    }
}
