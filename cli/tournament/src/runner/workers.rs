//! The workers, and the collector that puts their games in order.

use super::game::{FinishedGame, Game};
use super::{PlayerFactory, Progress, TimeLimits, Tournament};
use crate::ordered::{AtEnd, Stops};
use crate::record::GameRecord;
use crate::schedule::{Next, Pairing};
use anyhow::{Context, Result, anyhow};
use jewel_players::engine::GameAt;
use jewel_players::player::{Choice, Fault, Player, Turn};
use jewel_search::control::Stop;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Time between two checks of the collector for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Games that may be taken beyond the first that is not recorded, for each worker: games that one long game
/// holds up are kept in memory.
const AHEAD: u64 = 64;

/// Players that a worker keeps ready.
const MAX_KEPT: usize = 8;

/// What a worker sends: a game, or an error. It sends nothing if it was stopped.
type Delivery = Result<GameRecord>;

/// The games that are left.
struct Queue<'a> {
    state: Mutex<State>,
    /// Notified when `state` or `stops` has changed.
    changed: Condvar,
    stops: Stops,
    workers: u64,
    tournament: &'a Tournament,
    factory: &'a dyn PlayerFactory,
}

struct State {
    schedule: crate::schedule::Schedule,
    /// The number of the next game to be taken.
    next: u64,
    /// The number of recorded games.
    recorded: u64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays until all games are recorded, `interrupt` is set or something fails. Games that were begun and are not
/// needed any more are dropped.
pub(super) fn play(
    tournament: &Tournament,
    factory: &dyn PlayerFactory,
    interrupt: &AtomicBool,
    progress: &mut Progress<'_>,
    write: &mut dyn FnMut(&GameRecord, &mut Progress<'_>) -> Result<()>,
) -> Result<()> {
    if progress.is_over() {
        return Ok(());
    }
    let recorded = progress.standings.games();
    let left = progress.schedule.games().saturating_sub(recorded);
    // A knockout may turn out to have more games than are in sight.
    let useful =
        if progress.schedule.plan().format == crate::schedule::Format::Knockout { u64::MAX } else { left };
    let workers = tournament.concurrency.min(usize::try_from(useful).unwrap_or(usize::MAX)).max(1);
    let queue = Queue {
        state: Mutex::new(State { schedule: progress.schedule.clone(), next: recorded, recorded }),
        changed: Condvar::new(),
        stops: Stops::new(workers),
        workers: workers as u64,
        tournament,
        factory,
    };
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (queue, sender) = (&queue, sender.clone());
            let started = Builder::new().spawn_scoped(scope, move || queue.work(worker, &sender));
            // Fewer threads do it too.
            if worker == 0 {
                started.context("no thread can be started")?;
            }
        }
        drop(sender);
        let _halt = AtEnd(|| queue.halt());
        collect(&queue, &receiver, interrupt, progress, write)
    })
}

/// Records games in order.
fn collect(
    queue: &Queue<'_>,
    receiver: &Receiver<Delivery>,
    interrupt: &AtomicBool,
    progress: &mut Progress<'_>,
    write: &mut dyn FnMut(&GameRecord, &mut Progress<'_>) -> Result<()>,
) -> Result<()> {
    let mut waiting = BTreeMap::new();
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Ok(());
        }
        let record = match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(delivery) => delivery?,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("a worker has failed")),
        };
        waiting.insert(record.number, record);
        while let Some(record) = waiting.remove(&(progress.standings.games() + 1)) {
            write(&record, progress)?;
            if progress.is_over() || interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
            queue.recorded(progress);
        }
    }
}

impl Queue<'_> {
    fn halt(&self) {
        let state = locked(&self.state);
        self.stops.halt();
        drop(state);
        self.changed.notify_all();
    }

    /// A game was recorded: others may be taken.
    fn recorded(&self, progress: &Progress<'_>) {
        let mut state = locked(&self.state);
        state.recorded = progress.standings.games();
        if progress.schedule.champion().is_none() && state.schedule.games() != progress.schedule.games() {
            state.schedule = progress.schedule.clone();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next game; `None` when there are no more.
    fn take(&self) -> Option<Pairing> {
        let mut state = locked(&self.state);
        let ahead = AHEAD * self.workers;
        loop {
            if self.stops.is_halted() {
                return None;
            }
            if state.next < state.recorded + ahead {
                match state.schedule.next(state.next) {
                    Next::Game(pairing) => {
                        state.next += 1;
                        return Some(pairing);
                    }
                    Next::Over => return None,
                    Next::Later => {}
                }
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, number: usize, sender: &Sender<Delivery>) {
        // The collector would wait for the game of a worker that panics.
        let _alarm = AtEnd(|| {
            if std::thread::panicking() {
                let _ = sender.send(Err(anyhow!("a worker has failed")));
            }
        });
        let mut worker = match Worker::new(self) {
            Ok(worker) => worker,
            Err(error) => {
                // The receiver is gone if the collector has ended.
                let _ = sender.send(Err(error));
                return;
            }
        };
        while let Some(pairing) = self.take() {
            let delivery = worker.play(&pairing, &|| self.stops.begin(number)).transpose();
            let Some(delivery) = delivery else { return };
            if sender.send(delivery).is_err() {
                return;
            }
        }
    }
}

/// The lines and players of one worker.
struct Worker<'a> {
    queue: &'a Queue<'a>,
    /// A line of each game of the basket.
    lines: Vec<Box<dyn GameAt>>,
    /// Players with the numbers of their games and their own, the last used at the end.
    kept: Vec<([usize; 2], Box<dyn Player>)>,
}

impl<'a> Worker<'a> {
    fn new(queue: &'a Queue<'a>) -> Result<Worker<'a>> {
        let stages = 0..queue.tournament.stages.len();
        let lines = stages.map(|stage| queue.factory.line(stage)).collect::<Result<_>>()?;
        Ok(Worker { queue, lines, kept: Vec::new() })
    }

    /// Takes a player out of the kept ones, or makes it.
    fn seat(&mut self, stage: usize, number: usize) -> Box<dyn Player> {
        match self.kept.iter().position(|(kept, _)| *kept == [stage, number]) {
            Some(at) => self.kept.remove(at).1,
            None => self.queue.factory.player(stage, number).unwrap_or_else(|fault| {
                Box::new(MissingPlayer { name: self.queue.tournament.names[number].clone(), fault })
            }),
        }
    }

    fn play(&mut self, pairing: &Pairing, begin: &dyn Fn() -> Option<Stop>) -> Result<Option<GameRecord>> {
        let tournament = self.queue.tournament;
        let stage = &tournament.stages[pairing.stage];
        let [mut white, mut black] = pairing.players.map(|number| self.seat(pairing.stage, number));
        let limits = pairing.players.map(|number| &stage.limits[number]);
        let line = &mut self.lines[pairing.stage];
        let opening = stage.openings.opening(pairing.opening, line.as_mut())?;
        let sides = line.diagram().sides;
        let game = Game {
            line: line.as_mut(),
            players: [white.as_mut(), black.as_mut()],
            limits,
            clocks: &mut limits.map(TimeLimits::new_clock),
            names: pairing.players.map(|number| tournament.names[number].as_str()),
            rules: &stage.adjudication,
            sides: &sides,
        };
        let played = game.play(pairing, &opening, begin);
        let seats = pairing.players.map(|number| [pairing.stage, number]);
        self.kept.extend(seats.into_iter().zip([white, black]));
        let too_many = self.kept.len().saturating_sub(MAX_KEPT);
        self.kept.drain(..too_many);
        Ok(played?.map(|played| self.record(pairing, opening.moves.len(), played)))
    }

    fn record(&self, pairing: &Pairing, book: usize, played: FinishedGame) -> GameRecord {
        let tournament = self.queue.tournament;
        let names = pairing.players.map(|player| tournament.names[player].as_str());
        let line = self.lines[pairing.stage].as_ref();
        GameRecord {
            tournament: tournament.id.clone(),
            game: tournament.stages[pairing.stage].game.clone(),
            book,
            turns: compound(line.turn_lengths()),
            ..played.record(line, pairing, names, tournament.times)
        }
    }
}

/// The lengths of turns; empty where each is one ply.
fn compound(lengths: Vec<usize>) -> Vec<usize> {
    if lengths.iter().all(|&length| length == 1) { Vec::new() } else { lengths }
}

/// Stands in for a player that could not be made, and loses its games.
struct MissingPlayer {
    name: String,
    fault: Fault,
}

impl Player for MissingPlayer {
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
