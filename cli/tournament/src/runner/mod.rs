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
use crate::schedule::{Next, Pairing, Plan, Schedule};
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
    /// A line of the game with this number in the basket for a worker, with the tables by which games are adjudicated.
    ///
    /// # Errors
    /// If the tables cannot be used.
    fn line(&self, stage: usize) -> Result<Box<dyn GameAt>>;

    /// The player with this number, for one worker, in the game with this number in the basket.
    ///
    /// # Errors
    /// If the player cannot play: its games are lost.
    fn player(&self, stage: usize, number: usize) -> Result<Box<dyn Player>, Fault>;
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

/// A game of a tournament, and how it is played there: a tournament has one, or the several of a basket.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What tables call it; all different.
    pub name: String,
    /// The id of the game.
    pub game: String,
    /// Whether each player chooses moves at random. A game in which nobody does that repeats an earlier one is no
    /// evidence.
    pub random: Vec<bool>,
    /// The players' limits of time.
    pub limits: Vec<TimeLimits>,
    /// Where games begin.
    pub openings: Openings,
    /// Which games are ended early.
    pub adjudication: Adjudication,
}

/// A tournament, ready to be played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The id in all of its records: a file with another id is refused.
    pub id: String,
    /// The name of the event, for PGN.
    pub event: String,
    /// The names of the players, all different.
    pub names: Vec<String>,
    /// The games: as many as the plan has.
    pub stages: Vec<Stage>,
    /// The plan of the schedule.
    pub plan: Plan,
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
            standings: Standings::new(&self.names, self.stages.len()),
            decided: false,
            seen: HashSet::new(),
            stale: 0,
        };
        let mut games = self.pgn.as_deref().map(PgnFile::create).transpose()?;
        let mut lines = match &games {
            Some(_) => (0..self.stages.len()).map(|stage| factory.line(stage)).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let mut log = Log::open(&self.records, &self.id, |record| {
            let pairing = progress.pairing_of(&record)?;
            if let Some(games) = &mut games {
                games.write(&self.pgn_of(&record, pairing.stage, &mut lines))?;
            }
            progress.enter(&pairing, &record)
        })?;
        let mut games = games.map(PgnFile::go_on).transpose()?;
        let mut write = |record: &GameRecord, progress: &mut Progress<'_>| -> Result<()> {
            log.append(record)?;
            let pairing = progress.pairing_of(record)?;
            if let Some(games) = &mut games {
                games.write(&self.pgn_of(record, pairing.stage, &mut lines))?;
            }
            progress.enter(&pairing, record)?;
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

    /// The game as PGN; `lines` has a line of each game of the basket.
    fn pgn_of(&self, record: &GameRecord, stage: usize, lines: &mut [Box<dyn GameAt>]) -> String {
        let control = |name: &str| {
            let number = self.names.iter().position(|own| own == name);
            number.map_or("-".to_string(), |n| self.stages[stage].limits[n].control_text())
        };
        let controls = [control(&record.white), control(&record.black)];
        pgn::from_record(record, &self.event, [&controls[0], &controls[1]], lines[stage].as_mut())
    }
}

/// The results so far.
struct Progress<'a> {
    tournament: &'a Tournament,
    schedule: Schedule,
    standings: Standings,
    /// Whether the test has decided, or cannot.
    decided: bool,
    /// The games in which nobody chose at random: the number in the basket, and the hash.
    seen: HashSet<(u32, u64)>,
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

    /// The place in the schedule of the record of the next game.
    fn pairing_of(&self, record: &GameRecord) -> Result<Pairing> {
        let number = self.standings.games();
        let Next::Game(pairing) = self.schedule.next(number) else {
            bail!("there are more games than this tournament has: raise \"rounds\", or name another file");
        };
        let [white, black] = pairing.players.map(|player| &self.tournament.names[player]);
        let game = &self.tournament.stages[pairing.stage].game;
        if record.verdict().is_none()
            || record.white != *white
            || record.black != *black
            || record.game != *game
        {
            bail!("game {} is not one of {white} against {black} in {game}", number + 1);
        }
        Ok(pairing)
    }

    /// Adds the next game.
    fn enter(&mut self, pairing: &Pairing, record: &GameRecord) -> Result<()> {
        let Some(verdict) = record.verdict() else { bail!("game {} has no result", record.number) };
        let stage = &self.tournament.stages[pairing.stage];
        let paired = self.tournament.plan.is_paired();
        let chance = pairing.players.iter().any(|&player| stage.random[player]);
        let repeated = !chance && !self.seen.insert((pairing.stage as u32, record.same_game()));
        self.stale = if repeated { self.stale + 1 } else { 0 };
        self.standings.enter(pairing, verdict, record, paired, repeated);
        self.schedule.record(pairing, verdict);
        if let Some(sprt) = &self.tournament.sprt {
            let results = self.standings.between(0, 1);
            self.decided = self.stale >= MAX_STALE || sprt.standing(&results).verdict != Verdict::Continue;
        }
        Ok(())
    }
}
