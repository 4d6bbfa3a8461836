//! Plays the games of a tournament, several at once.
//!
//! Workers take games in the order of their numbers and finish them in any; one collector writes them down in
//! order, so that records, statistics and decisions do not depend on how many workers there are.

mod game;
mod workers;

pub(crate) use game::{Game, Played};
pub use game::{MARGIN, Terms};

use crate::adjudication::Adjudication;
use crate::log::Log;
use crate::openings::Openings;
use crate::pgn;
use crate::pgn_file::PgnFile;
use crate::record::GameRecord;
use crate::schedule::{Next, Plan, Schedule};
use crate::standings::Standings;
use crate::statistics::sprt::{Sprt, Verdict};
use anyhow::{Result, anyhow, bail};
use jewel_players::engine::GameAt;
use jewel_players::player::{Fault, Player};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Where boards and players come from.
pub trait Cast: Sync {
    /// A line of the game, to be played on by a worker. It uses the tables by which games are adjudicated.
    ///
    /// # Errors
    /// If there is none.
    fn line(&self) -> Result<Box<dyn GameAt>>;

    /// A player of its own for a worker.
    ///
    /// # Errors
    /// If the player cannot play: its games are lost.
    fn player(&self, number: usize) -> Result<Box<dyn Player>, Fault>;
}

/// Somebody who looks on.
pub trait Observer {
    /// A game was written down.
    fn recorded(&mut self, record: &GameRecord, standings: &Standings);
}

/// A tournament, ready to be played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// What it is known by: records of another one are not taken for its own.
    pub id: String,
    /// The id of the game.
    pub game: String,
    /// The name of the event, for PGN.
    pub event: String,
    /// The names of the players, all different.
    pub names: Vec<String>,
    /// Their conditions.
    pub terms: Vec<Terms>,
    /// Who plays whom.
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
    /// Whether every game was played that had to be.
    pub complete: bool,
    /// Who has won, if it was a knockout.
    pub champion: Option<usize>,
}

impl Tournament {
    /// Plays the games that have not been played yet, until the end or until `interrupt` is set. Records are
    /// written in the order of games, whatever happens.
    ///
    /// # Errors
    /// If the plan is impossible or a file is trouble.
    pub fn run(
        &self,
        cast: &dyn Cast,
        interrupt: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Finish> {
        let schedule = Schedule::new(self.plan).map_err(|e| anyhow!(e))?;
        let mut ledger =
            Ledger { tournament: self, schedule, standings: Standings::new(&self.names), decided: false };
        let mut games = self.pgn.as_deref().map(PgnFile::create).transpose()?;
        let mut log = Log::open(&self.records, &self.id, |record| {
            if let Some(games) = &mut games {
                games.write(&self.pgn_of(&record))?;
            }
            ledger.enter(&record)
        })?;
        let mut games = games.map(PgnFile::go_on).transpose()?;
        let mut write = |record: &GameRecord, ledger: &mut Ledger<'_>| -> Result<()> {
            log.append(record)?;
            if let Some(games) = &mut games {
                games.write(&self.pgn_of(record))?;
            }
            ledger.enter(record)?;
            observer.recorded(record, &ledger.standings);
            Ok(())
        };
        workers::play(self, cast, interrupt, &mut ledger, &mut write)?;
        log.sync()?;
        if let Some(games) = &mut games {
            games.sync()?;
        }
        let complete = ledger.is_over();
        Ok(Finish { champion: ledger.schedule.champion(), standings: ledger.standings, complete })
    }

    fn pgn_of(&self, record: &GameRecord) -> String {
        let control = |name: &str| {
            let number = self.names.iter().position(|own| own == name);
            number.map_or("-".to_string(), |n| self.terms[n].control_text())
        };
        let controls = [control(&record.white), control(&record.black)];
        pgn::from_record(record, &self.event, [&controls[0], &controls[1]])
    }
}

/// What is known so far.
struct Ledger<'a> {
    tournament: &'a Tournament,
    schedule: Schedule,
    standings: Standings,
    /// Whether the test has decided.
    decided: bool,
}

impl Ledger<'_> {
    /// Whether there is nothing left to play.
    fn is_over(&self) -> bool {
        self.decided || self.schedule.next(self.standings.games()) == Next::Over
    }

    /// Counts the next game.
    fn enter(&mut self, record: &GameRecord) -> Result<()> {
        let number = self.standings.games();
        let Next::Game(fixture) = self.schedule.next(number) else {
            bail!("there are more games than this tournament has: raise \"rounds\", or name another file");
        };
        let [white, black] = fixture.players.map(|player| &self.tournament.names[player]);
        let Some(verdict) = record.verdict().filter(|_| record.white == *white && record.black == *black)
        else {
            bail!("game {} is not one of {white} against {black}", number + 1);
        };
        let paired = self.tournament.plan.is_paired();
        self.standings.enter(&fixture, verdict, record, paired);
        self.schedule.record(&fixture, verdict);
        if let Some(sprt) = &self.tournament.sprt {
            let results = self.standings.between(0, 1);
            self.decided = sprt.standing(&results).verdict != Verdict::Continue;
        }
        Ok(())
    }
}
