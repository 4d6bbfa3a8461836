//! From the configuration of a tournament to one that can be played.

use crate::adjudication::Adjudication;
use crate::config::{Config, TournamentPlayer};
use crate::openings::Openings;
use crate::runner::{PlayerFactory, Tournament};
use crate::schedule::{Plan, Schedule};
use crate::time_limits::TimeLimits;
use anyhow::{Result, anyhow, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::{Fault, Player};
use jewel_players::spec::{Kind, PlayerSpec};
use std::path::{Path, PathBuf};

/// The players of a tournament and their game.
#[derive(Clone, Debug)]
pub struct Roster {
    game: AnyGame,
    specs: Vec<PlayerSpec>,
    tables: Option<PathBuf>,
}

impl Roster {
    /// Has every player get ready once: a missing file, or a program that cannot be started,
    /// is reported before the first game and not by a tournament full of lost games.
    ///
    /// # Errors
    /// The player that cannot play, and why.
    pub fn rehearse(&self) -> Result<()> {
        self.specs.iter().try_for_each(|spec| spec.rehearse(&self.game))
    }
}

impl PlayerFactory for Roster {
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
    /// The tournament in a game. Its records go to the file that is named, or to one whose name is made from
    /// `stem`, or, where `stem` is `None`, from the game and the tournament's id.
    ///
    /// # Errors
    /// If the configuration is wrong, or players, openings, clocks or tables do not fit the game.
    pub fn prepare(&self, game: AnyGame, stem: Option<&Path>) -> Result<(Tournament, Roster)> {
        self.check().map_err(|e| anyhow!(e))?;
        let card = game.card();
        let max_plies = self.adjudication.max_plies.in_game(game.usual_cap());
        let adjudication = Adjudication { max_plies, ..self.adjudication.clone() };
        let tables = adjudication.tables.clone();
        let specs: Vec<PlayerSpec> = self.players.iter().map(|player| player.spec.clone()).collect();
        let roster = Roster { game, specs, tables };
        let mut line = roster.line()?;
        for spec in &roster.specs {
            // Errors of a player come now, not with its first game.
            spec.build(&game)?;
        }
        let limits: Vec<TimeLimits> = self
            .players
            .iter()
            .map(|player| player.limits(&card.id, self.clock_scale).map_err(|e| anyhow!(e)))
            .collect::<Result<_>>()?;
        let plan = Plan {
            format: self.format(),
            players: self.players.len(),
            rounds: self.rounds(),
            games: self.games,
            seed: self.seed,
        };
        if self.pgn.is_some() && self.pgn == self.records {
            bail!("records and PGN cannot be the same file");
        }
        Schedule::new(plan).map_err(|e| anyhow!(e))?;
        let openings = Openings::prepare(&self.openings, self.seed, line.as_mut())?;
        let times = self.times.unwrap_or_else(|| limits.iter().any(TimeLimits::is_timed));
        let id = self.id(game, &openings, &adjudication, times)?;
        let stem = stem.map_or_else(|| PathBuf::from(format!("{}-{}", card.id, &id[..8])), Path::to_path_buf);
        let tournament = Tournament {
            id,
            game: card.id,
            event: self.event.clone(),
            names: self.players.iter().map(|player| player.spec.name().to_string()).collect(),
            random: roster.specs.iter().map(|spec| spec.chooses_at_random(&game)).collect(),
            limits,
            plan,
            openings,
            adjudication,
            sprt: self.sprt,
            concurrency: self.concurrency(),
            times,
            records: self.records.clone().unwrap_or_else(|| with_ending(&stem)),
            pgn: self.pgn.clone(),
        };
        Ok((tournament, roster))
    }

    /// Threads that a game keeps busy, since its players think in turn.
    pub fn threads(&self) -> usize {
        self.players.iter().map(|player| player.spec.threads()).max().unwrap_or(1).max(1)
    }

    /// Games at once: as configured, or as there are cores for. One where people play.
    fn concurrency(&self) -> usize {
        if self.players.iter().any(|player| player.spec.kind() == Kind::Human) {
            return 1;
        }
        self.concurrency.unwrap_or_else(|| (cores() / self.threads()).max(1))
    }

    /// The warning for a player that plays by time while more threads run than there are cores; `None`
    /// where that is not so.
    pub fn oversubscription(&self) -> Option<String> {
        let timed =
            |player: &TournamentPlayer| player.clock.is_some() || player.spec.budget().movetime.is_some();
        let (games, threads, cores) = (self.concurrency(), self.threads(), cores());
        (games.saturating_mul(threads) > cores && self.players.iter().any(timed)).then(|| {
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

    /// The id of the records: a hash of everything that they depend on. The number of rounds
    /// is left out, so that rounds may be added to a tournament that is over.
    fn id(
        &self,
        game: AnyGame,
        openings: &Openings,
        adjudication: &Adjudication,
        times: bool,
    ) -> Result<String> {
        let mut text = format!(
            "{:016x} {} {} {} {} {times} {} ",
            game.fingerprint(),
            self.format().name(),
            self.games,
            self.seed,
            openings.fingerprint(),
            self.clock_scale,
        );
        text.push_str(&serde_json::to_string(&(adjudication, &self.sprt, &self.event))?);
        for player in &self.players {
            text.push_str(&format!("\n{} {:?} {:?}", player.spec, player.clock, player.grace));
        }
        Ok(format!("{:016x}", crate::hash::fnv(text.as_bytes())))
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

#[cfg(test)]
mod tests {
    use crate::config::{Config, TournamentPlayer};
    use jewel_players::spec::PlayerSpec;

    #[test]
    fn more_threads_than_cores_are_warned_of() {
        let config = |options: &str| {
            let player = |name: &str| {
                let spec = format!("ab,name={name},{options}").parse::<PlayerSpec>();
                spec.map(TournamentPlayer::from)
            };
            Config { players: vec![player("a").unwrap(), player("b").unwrap()], ..Config::default() }
        };
        let crowded = config("time=1,threads=256");
        assert_eq!((crowded.threads(), crowded.concurrency()), (256, 1));
        let warning = crowded.oversubscription().unwrap();
        assert!(warning.starts_with("1 game at once, of 256 threads each, are more than "));
        let fits = config("time=1");
        assert_eq!(fits.oversubscription(), None);
        let many = Config { concurrency: Some(1000), ..fits };
        assert_eq!(config("depth=1,threads=256").oversubscription(), None);
        assert!(many.oversubscription().unwrap().starts_with("1000 games at once, of 1 thread each"));
    }
}
