//! Plays the games of a tournament, several at once.
//!
//! Workers take games in the order of their numbers and finish them in any; one collector writes them down in
//! order, so that records, statistics and decisions do not depend on how many workers there are.

mod game;
mod workers;

pub(crate) use game::Game;

use crate::adjudication::Adjudication;
use crate::log::Log;
use crate::openings::Openings;
use crate::pgn;
use crate::pgn_file::PgnFile;
use crate::record::GameRecord;
use crate::schedule::{Next, Plan, Schedule};
use crate::standings::Standings;
use crate::statistics::sprt::{Sprt, Verdict};
use crate::time_limits::TimeLimits;
use anyhow::{Result, anyhow, bail};
use jewel_players::engine::GameAt;
use jewel_players::player::{Fault, Player};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Makes the lines and players of the workers.
pub trait PlayerFactory: Sync {
    /// A line of the game for a worker, with the tables by which games are adjudicated.
    ///
    /// # Errors
    /// If the tables cannot be used.
    fn line(&self) -> Result<Box<dyn GameAt>>;

    /// The player with this number, for one worker.
    ///
    /// # Errors
    /// If the player cannot play: its games are lost.
    fn player(&self, number: usize) -> Result<Box<dyn Player>, Fault>;
}

/// Called with every game that is recorded.
pub trait Observer {
    /// A game was recorded.
    fn recorded(&mut self, record: &GameRecord, standings: &Standings);
}

/// Nobody looks on.
impl Observer for () {
    fn recorded(&mut self, _: &GameRecord, _: &Standings) {}
}

/// A tournament, ready to be played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The id in all of its records: a file with another id is refused.
    pub id: String,
    /// The id of the game.
    pub game: String,
    /// The name of the event, for PGN.
    pub event: String,
    /// The names of the players, all different.
    pub names: Vec<String>,
    /// Whether each of them chooses moves at random. A game in which nobody does that repeats an earlier one is no
    /// evidence.
    pub random: Vec<bool>,
    /// Their limits of time.
    pub limits: Vec<TimeLimits>,
    /// The plan of the schedule.
    pub plan: Plan,
    /// Where games begin.
    pub openings: Openings,
    /// Which games are ended early.
    pub adjudication: Adjudication,
    /// The test that ends it early.
    pub sprt: Option<Sprt>,
    /// Games at once, from 1.
    pub concurrency: usize,
    /// Whether the records have times.
    pub times: bool,
    /// The file of records.
    pub records: PathBuf,
    /// The file of games as PGN.
    pub pgn: Option<PathBuf>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Finish {
    /// All games, those of earlier runs too.
    pub standings: Standings,
    /// Whether all games were played.
    pub complete: bool,
    /// The winner of a knockout.
    pub champion: Option<usize>,
}

impl Tournament {
    /// Plays the games that have not been played yet, until the end or until `interrupt` is set. Records are
    /// written in the order of games, whatever happens.
    ///
    /// # Errors
    /// If the plan is impossible or a file cannot be used.
    pub fn run(
        &self,
        factory: &dyn PlayerFactory,
        interrupt: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Finish> {
        let schedule = Schedule::new(self.plan).map_err(|e| anyhow!(e))?;
        let mut progress = Progress {
            tournament: self,
            schedule,
            standings: Standings::new(&self.names),
            decided: false,
            seen: HashSet::new(),
            stale: 0,
        };
        let mut games = self.pgn.as_deref().map(PgnFile::create).transpose()?;
        let mut line = games.is_some().then(|| factory.line()).transpose()?;
        let mut log = Log::open(&self.records, &self.id, |record| {
            if let (Some(games), Some(line)) = (&mut games, &mut line) {
                games.write(&self.pgn_of(&record, line.as_mut()))?;
            }
            progress.enter(&record)
        })?;
        let mut games = games.map(PgnFile::go_on).transpose()?;
        let mut write = |record: &GameRecord, progress: &mut Progress<'_>| -> Result<()> {
            log.append(record)?;
            if let (Some(games), Some(line)) = (&mut games, &mut line) {
                games.write(&self.pgn_of(record, line.as_mut()))?;
            }
            progress.enter(record)?;
            observer.recorded(record, &progress.standings);
            Ok(())
        };
        workers::play(self, factory, interrupt, &mut progress, &mut write)?;
        log.sync()?;
        if let Some(games) = &mut games {
            games.sync()?;
        }
        let complete = progress.is_over();
        Ok(Finish { champion: progress.schedule.champion(), standings: progress.standings, complete })
    }

    /// The game as PGN; `line` is any line of the game.
    fn pgn_of(&self, record: &GameRecord, line: &mut dyn GameAt) -> String {
        let control = |name: &str| {
            let number = self.names.iter().position(|own| own == name);
            number.map_or("-".to_string(), |n| self.limits[n].control_text())
        };
        let controls = [control(&record.white), control(&record.black)];
        pgn::from_record(record, &self.event, [&controls[0], &controls[1]], line)
    }
}

/// The results so far.
struct Progress<'a> {
    tournament: &'a Tournament,
    schedule: Schedule,
    standings: Standings,
    /// Whether the test has decided, or cannot.
    decided: bool,
    /// The hashes of the games in which nobody chose at random.
    seen: HashSet<u64>,
    /// Repeated games since the last that was not.
    stale: u64,
}

/// Repeated games in a row after which a test is given up: its openings are used up.
const MAX_STALE: u64 = 1000;

impl Progress<'_> {
    /// Whether all games were played, or the test has decided.
    fn is_over(&self) -> bool {
        self.decided || self.schedule.next(self.standings.games()) == Next::Over
    }

    /// Adds the next game.
    fn enter(&mut self, record: &GameRecord) -> Result<()> {
        let number = self.standings.games();
        let Next::Game(pairing) = self.schedule.next(number) else {
            bail!("there are more games than this tournament has: raise \"rounds\", or name another file");
        };
        let [white, black] = pairing.players.map(|player| &self.tournament.names[player]);
        let Some(verdict) = record.verdict().filter(|_| record.white == *white && record.black == *black)
        else {
            bail!("game {} is not one of {white} against {black}", number + 1);
        };
        let paired = self.tournament.plan.is_paired();
        let chance = pairing.players.iter().any(|&player| self.tournament.random[player]);
        let repeated = !chance && !self.seen.insert(record.same_game());
        self.stale = if repeated { self.stale + 1 } else { 0 };
        self.standings.enter(&pairing, verdict, record, paired, repeated);
        self.schedule.record(&pairing, verdict);
        if let Some(sprt) = &self.tournament.sprt {
            let results = self.standings.between(0, 1);
            self.decided = self.stale >= MAX_STALE || sprt.standing(&results).verdict != Verdict::Continue;
        }
        Ok(())
    }
}
