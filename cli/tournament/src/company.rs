//! From what a tournament is to be to one that can be played: boards, players, files.

use crate::config::{Config, Entrant};
use crate::openings::Openings;
use crate::runner::{Cast, Terms, Tournament};
use crate::schedule::{Plan, Schedule};
use anyhow::{Result, anyhow, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::{Fault, Player};
use jewel_players::spec::{Kind, PlayerSpec};
use std::path::{Path, PathBuf};

/// The players of a tournament, and the board on which they play.
#[derive(Clone, Debug)]
pub struct Company {
    game: AnyGame,
    specs: Vec<PlayerSpec>,
    tables: Option<PathBuf>,
}

impl Company {
    /// Asks every player whether it can play, and dismisses it: a file that is not there, or a program that cannot be started,
    /// is told before the first game and not by a tournament full of lost games.
    ///
    /// # Errors
    /// Who cannot play, and why.
    pub fn rehearse(&self) -> Result<()> {
        self.specs.iter().try_for_each(|spec| spec.rehearse(&self.game))
    }
}

impl Cast for Company {
    fn line(&self) -> Result<Box<dyn GameAt>> {
        let mut line = self.game.open();
        if let Some(tables) = &self.tables {
            line.use_tables(Some(tables))?;
        }
        Ok(line)
    }

    fn player(&self, number: usize) -> Result<Box<dyn Player>, Fault> {
        self.specs[number].build(&self.game).map_err(|e| Fault::Unable(format!("{e:#}")))
    }
}

impl Config {
    /// The tournament in a game. Its records go to the file that was named, or to one whose name is made from
    /// `stem`, or, where there is none, from the game and the tournament's id.
    ///
    /// # Errors
    /// If players, openings, clocks or tables do not fit the game.
    pub fn prepare(&self, game: AnyGame, stem: Option<&Path>) -> Result<(Tournament, Company)> {
        let card = game.card();
        let tables = self.adjudication.tables.clone();
        let specs: Vec<PlayerSpec> = self.entrants.iter().map(|entrant| entrant.spec.clone()).collect();
        let company = Company { game, specs, tables };
        let mut line = company.line()?;
        for spec in &company.specs {
            // What is wrong with a player is said now, not when its first game is lost.
            spec.build(&game)?;
        }
        let terms: Vec<Terms> = self
            .entrants
            .iter()
            .map(|entrant| entrant.terms(&card.id, self.clock_scale).map_err(|e| anyhow!(e)))
            .collect::<Result<_>>()?;
        let plan = Plan {
            format: self.format,
            players: self.entrants.len(),
            rounds: self.rounds,
            games: self.games,
            seed: self.seed,
        };
        if self.pgn.is_some() && self.pgn == self.records {
            bail!("records and PGN cannot be the same file");
        }
        Schedule::new(plan).map_err(|e| anyhow!(e))?;
        let openings = Openings::prepare(&self.openings, self.seed, line.as_mut())?;
        let times = self.times.unwrap_or_else(|| terms.iter().any(Terms::is_timed));
        let id = self.id(game, &openings, times)?;
        let stem = stem.map_or_else(|| PathBuf::from(format!("{}-{}", card.id, &id[..8])), Path::to_path_buf);
        let tournament = Tournament {
            id,
            game: card.id,
            event: self.event.clone(),
            names: self.entrants.iter().map(|entrant| entrant.name().to_string()).collect(),
            terms,
            plan,
            openings,
            adjudication: self.adjudication.clone(),
            sprt: self.sprt,
            concurrency: self.concurrency(),
            times,
            records: self.records.clone().unwrap_or_else(|| with_ending(&stem)),
            pgn: self.pgn.clone(),
        };
        Ok((tournament, company))
    }

    /// Threads that a game keeps busy: its players think in turn.
    pub fn threads(&self) -> usize {
        self.entrants.iter().map(|entrant| entrant.spec.threads()).max().unwrap_or(1).max(1)
    }

    /// Games at once: as many as were asked for, or as there are cores for. Where people play, one.
    fn concurrency(&self) -> usize {
        if self.entrants.iter().any(|entrant| entrant.spec.kind() == Kind::Human) {
            return 1;
        }
        self.concurrency.unwrap_or_else(|| (cores() / self.threads()).max(1))
    }

    /// What to say if somebody plays by the time, and more threads are to run than there are cores; nothing
    /// if not.
    pub fn oversubscription(&self) -> Option<String> {
        let timed = |entrant: &Entrant| entrant.clock.is_some() || entrant.spec.budget().movetime.is_some();
        let (games, threads, cores) = (self.concurrency(), self.threads(), cores());
        (games.saturating_mul(threads) > cores && self.entrants.iter().any(timed)).then(|| {
            let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
            format!(
                "{} at once, of {} each, are more than {}: players will wait for each other, and results at fixed \
                 times mean little",
                plural(games, "game"),
                plural(threads, "thread"),
                plural(cores, "core")
            )
        })
    }

    /// What the records of a tournament are known by: a hash of everything that bears on them. How many rounds
    /// there are does not: more may be added to a tournament that is over.
    fn id(&self, game: AnyGame, openings: &Openings, times: bool) -> Result<String> {
        let mut text = format!(
            "{:016x} {} {} {} {} {times} {} ",
            game.fingerprint(),
            self.format.name(),
            self.games,
            self.seed,
            openings.fingerprint(),
            self.clock_scale,
        );
        text.push_str(&serde_json::to_string(&(&self.adjudication, &self.sprt, &self.event))?);
        for entrant in &self.entrants {
            text.push_str(&format!("\n{} {:?} {:?}", entrant.spec, entrant.clock, entrant.margin));
        }
        Ok(format!("{:016x}", fnv(text.as_bytes())))
    }
}

/// The file of records that belongs to a name.
fn with_ending(stem: &Path) -> PathBuf {
    let mut name = stem.as_os_str().to_os_string();
    name.push(".jsonl");
    PathBuf::from(name)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The hash FNV-1a of 64 bits (Fowler, Noll and Vo).
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Section, read_flag};

    #[test]
    fn more_threads_than_cores_are_warned_of() {
        let sections = |extra: &str| {
            let engine = |name: &str| {
                read_flag("--engine", "engine", &format!("ab,time=1,name={name}{extra}"), "kind")
            };
            vec![engine("a").unwrap(), engine("b").unwrap()]
        };
        let untimed = |mut section: Section| {
            section.settings.iter_mut().filter(|s| s.key == "time").for_each(|s| s.key = "depth".to_string());
            section
        };
        let config = Config::read(sections(",threads=256")).unwrap();
        assert_eq!((config.threads(), config.concurrency()), (256, 1));
        assert!(
            config
                .oversubscription()
                .unwrap()
                .starts_with("1 game at once, of 256 threads each, are more than ")
        );
        let fits = Config::read(sections("")).unwrap();
        assert_eq!(fits.oversubscription(), None);
        let many = Config { concurrency: Some(1000), ..fits };
        let patient = Config::read(sections(",threads=256").into_iter().map(untimed).collect()).unwrap();
        assert_eq!(patient.oversubscription(), None);
        assert!(many.oversubscription().unwrap().starts_with("1000 games at once, of 1 thread each"));
    }

    #[test]
    fn hashes_are_those_of_the_paper() {
        // From the test vectors of the authors.
        assert_eq!(super::fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
