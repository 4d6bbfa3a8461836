//! From the configuration of a tournament to one that can be played.

use crate::adjudication::Adjudication;
use crate::config::{Config, TournamentPlayer};
use crate::openings::Openings;
use crate::runner::{PlayerFactory, Stage, Tournament};
use crate::schedule::{Plan, Schedule};
use crate::time_limits::TimeLimits;
use anyhow::{Result, anyhow, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::{Fault, Player};
use jewel_players::spec::{Kind, PlayerSpec};
use jewel_players::support::words::shortened;
use std::path::{Path, PathBuf};

/// The players of a tournament and their games.
#[derive(Clone, Debug)]
pub struct Roster {
    /// The games, each with the tables by which it is adjudicated.
    games: Vec<(AnyGame, Option<PathBuf>)>,
    specs: Vec<PlayerSpec>,
}

impl Roster {
    /// Has every player get ready once: a missing file, or a program that cannot be started,
    /// is reported before the first game and not by a tournament full of lost games.
    ///
    /// # Errors
    /// The player that cannot play, and why.
    pub fn rehearse(&self) -> Result<()> {
        let rehearse = |spec: &PlayerSpec| self.games.iter().try_for_each(|(game, _)| spec.rehearse(game));
        self.specs.iter().try_for_each(rehearse)
    }
}

impl PlayerFactory for Roster {
    fn line(&self, stage: usize) -> Result<Box<dyn GameAt>> {
        let (game, tables) = &self.games[stage];
        let mut line = game.open();
        if let Some(tables) = tables {
            line.use_tables(Some(tables))?;
        }
        Ok(line)
    }

    fn player(&self, stage: usize, number: usize) -> Result<Box<dyn Player>, Fault> {
        self.specs[number].build(&self.games[stage].0).map_err(|e| Fault::Unable(format!("{e:#}")))
    }
}

impl Config {
    /// The tournament in these games: one, or as many as the basket has, in its order. Its records go to the file that
    /// is named, or to one whose name is made from `stem`, or, where `stem` is `None`, from the game and the tournament's
    /// id.
    ///
    /// # Errors
    /// If the configuration is wrong, or players, openings, clocks or tables do not fit a game.
    pub fn prepare(&self, games: &[AnyGame], stem: Option<&Path>) -> Result<(Tournament, Roster)> {
        self.check().map_err(|e| anyhow!(e))?;
        let specs: Vec<PlayerSpec> = self.players.iter().map(|player| player.spec.clone()).collect();
        let rules: Vec<Adjudication> = (0..games.len()).map(|n| self.adjudication(games[n], n)).collect();
        let tables = rules.iter().map(|rules| rules.tables.clone());
        let roster = Roster { games: games.iter().copied().zip(tables).collect(), specs };
        let plan = Plan {
            format: self.format(),
            players: self.players.len(),
            stages: games.len(),
            rounds: self.rounds(),
            games: self.games,
            seed: self.seed,
        };
        if self.pgn.is_some() && self.pgn == self.records {
            bail!("records and PGN cannot be the same file");
        }
        Schedule::new(plan).map_err(|e| anyhow!(e))?;
        let stage = |(n, rules)| self.stage(&roster, n, rules);
        let stages: Vec<Stage> = rules.into_iter().enumerate().map(stage).collect::<Result<_>>()?;
        for (n, stage) in stages.iter().enumerate() {
            if stages[..n].iter().any(|other| other.name == stage.name) {
                bail!(
                    "two games of the basket are called \"{}\": write name = … for one",
                    shortened(&stage.name)
                );
            }
        }
        let timed = |stage: &Stage| stage.limits.iter().any(TimeLimits::is_timed);
        let times = self.times.unwrap_or_else(|| stages.iter().any(timed));
        let id = self.id(games, &stages, times)?;
        let called = if self.basket.is_empty() { &stages[0].game } else { "basket" };
        let stem = stem.map_or_else(|| PathBuf::from(format!("{called}-{}", &id[..8])), Path::to_path_buf);
        let tournament = Tournament {
            id,
            event: self.event.clone(),
            names: self.players.iter().map(|player| player.spec.name().to_string()).collect(),
            stages,
            plan,
            sprt: self.sprt,
            concurrency: self.concurrency(),
            times,
            records: self.records.clone().unwrap_or_else(|| with_ending(&stem)),
            pgn: self.pgn.clone(),
        };
        Ok((tournament, roster))
    }

    /// Which games of one game of the basket are ended early.
    fn adjudication(&self, game: AnyGame, number: usize) -> Adjudication {
        let own = self.basket.get(number).and_then(|game| game.adjudication.as_ref());
        let rules = own.unwrap_or(&self.adjudication);
        Adjudication { max_plies: rules.max_plies.in_game(game.usual_cap()), ..rules.clone() }
    }

    fn stage(&self, roster: &Roster, number: usize, adjudication: Adjudication) -> Result<Stage> {
        let (game, _) = roster.games[number];
        let own = self.basket.get(number).cloned().unwrap_or_default();
        let card = game.card();
        let mut line = roster.line(number)?;
        for spec in &roster.specs {
            // Errors of a player come now, not with its first game.
            spec.build(&game)?;
        }
        let limits =
            |player: &TournamentPlayer| player.limits(&card.id, self.clock_scale).map_err(|e| anyhow!(e));
        let source = own.openings.as_ref().unwrap_or(&self.openings);
        Ok(Stage {
            name: own.name.unwrap_or_else(|| card.id.clone()),
            random: roster.specs.iter().map(|spec| spec.chooses_at_random(&game)).collect(),
            limits: self.players.iter().map(limits).collect::<Result<_>>()?,
            openings: Openings::prepare(source, self.seed, line.as_mut())?,
            adjudication,
            game: card.id,
        })
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
    fn id(&self, games: &[AnyGame], stages: &[Stage], times: bool) -> Result<String> {
        let mut text = String::new();
        for (n, (game, stage)) in games.iter().zip(stages).enumerate() {
            if n > 0 {
                text.push_str(&format!("{}\n", serde_json::to_string(&stages[n - 1].adjudication)?));
            }
            text.push_str(&format!(
                "{:016x} {} {} {} {} {times} {} ",
                game.fingerprint(),
                self.format().name(),
                self.games,
                self.seed,
                stage.openings.fingerprint(),
                self.clock_scale,
            ));
        }
        let last = stages.last().map(|stage| &stage.adjudication);
        text.push_str(&serde_json::to_string(&(last, &self.sprt, &self.event))?);
        for player in &self.players {
            text.push_str(&format!("\n{} {:?} {:?}", player.spec, player.clock, player.grace));
        }
        // Games with another network beside the variant file are other games.
        for digest in games.iter().filter_map(|game| game.beside()?.digest) {
            text.push_str(&format!("\n{digest:016x}"));
        }
        // So are games of a player whose files are others, under the same names.
        for file in self.players.iter().flat_map(|player| player.spec.files()) {
            let bytes = std::fs::read(&file).map_err(|e| anyhow!("{}: {e}", file.display()))?;
            text.push_str(&format!("\n{:016x}", crate::hash::fnv(&bytes)));
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
