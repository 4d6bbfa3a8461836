//! What `setoption` sets.

use super::command::BonusKind;
use anyhow::{Context, Result, anyhow, bail};
use jewel_players::catalogue::{AnyGame, catalogue};
use jewel_players::options::{Algorithm, Options};
use jewel_players::support::words::shortened;
use std::path::PathBuf;
use std::time::Duration;

/// The most mebibytes that can be asked for: a tebibyte.
const MAX_HASH: usize = 1 << 20;

/// Each thread has tables of its own.
const MAX_THREADS: usize = 256;

const MAX_LINES: u32 = 500;

/// Milliseconds lost with each move to pipes and to a program at the other end.
const USUAL_OVERHEAD: u64 = 10;

const MAX_OVERHEAD: u64 = 10_000;

/// The game that a session begins with, where none is named.
const FIRST_GAME: &str = "chess";

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) engine: Options,
    pub(super) multipv: u32,
    pub(super) show_wdl: bool,
    /// Whether castling is written as in Chess960.
    chess960: bool,
    pub(super) bonus: BonusKind,
    /// Time lost with each move between this program and the clock of the program that it talks to.
    pub(super) overhead: Duration,
    /// The sections of the last file of variants that cannot be played, each with the reason.
    pub(super) refused: Vec<String>,
    /// The games that can be chosen, those of variant files last.
    games: Vec<(String, AnyGame)>,
    /// The one that is chosen.
    chosen: usize,
    /// Whether an engine was chosen; otherwise the one that suits the game plays.
    engine_said: bool,
}

/// What the session has to do after an option has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// The engine has to be set up anew.
    Engine,
    /// Another game is played.
    Game,
    /// Castling is written in another way.
    Castling,
    /// There are more games to choose from.
    Games,
    /// The engine is to forget everything.
    Forget,
}

impl Settings {
    /// The defaults, with the game to begin with.
    ///
    /// # Errors
    /// If a game that comes with the program cannot be resolved, which the tests rule out.
    pub(super) fn new(game: Option<AnyGame>) -> Result<Settings> {
        let ids = catalogue().into_iter().map(|card| card.id);
        let games = ids.map(|id| AnyGame::resolve(&id).map(|game| (id, game))).collect::<Result<_>>()?;
        let mut settings = Settings {
            engine: Options::default(),
            multipv: 1,
            show_wdl: false,
            chess960: false,
            bonus: BonusKind::Increment,
            overhead: Duration::from_millis(USUAL_OVERHEAD),
            refused: Vec::new(),
            games,
            chosen: 0,
            engine_said: false,
        };
        settings.chosen = match game {
            Some(game) => settings.add(game),
            None => settings.find(FIRST_GAME).unwrap_or(0),
        };
        settings.suit();
        Ok(settings)
    }

    /// The game that is chosen, with castling written as it is asked for.
    pub(super) fn game(&self) -> AnyGame {
        let game = self.games[self.chosen].1;
        if self.chess960 { game.with_chess960_moves() } else { game }
    }

    /// Takes the engine that suits the game, unless another was asked for.
    fn suit(&mut self) {
        if !self.engine_said {
            self.engine.algorithm = self.game().usual_algorithm(self.engine.cheat);
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.games.iter().position(|(known, _)| known == id)
    }

    /// Adds a game, or replaces the one with the same id.
    fn add(&mut self, game: AnyGame) -> usize {
        let id = game.card().id;
        match self.find(&id) {
            Some(place) => {
                self.games[place].1 = game;
                place
            }
            None => {
                self.games.push((id, game));
                self.games.len() - 1
            }
        }
    }

    /// The `option` lines.
    pub(super) fn describe(&self) -> Vec<String> {
        let default = Options::default();
        vec![
            self.describe_variants(),
            "option name VariantPath type string default <empty>".to_string(),
            "option name TablePath type string default <empty>".to_string(),
            "option name EvalFile type string default <empty>".to_string(),
            format!("option name Hash type spin default {} min 1 max {MAX_HASH}", default.hash),
            "option name Clear Hash type button".to_string(),
            format!("option name Threads type spin default {} min 1 max {MAX_THREADS}", default.threads),
            format!("option name MultiPV type spin default 1 min 1 max {MAX_LINES}"),
            "option name Ponder type check default false".to_string(),
            "option name UCI_Chess960 type check default false".to_string(),
            "option name UCI_ShowWDL type check default false".to_string(),
            "option name UCI_AnalyseMode type check default false".to_string(),
            "option name Engine type combo default ab var ab var mcts".to_string(),
            format!("option name Seed type spin default {} min 0 max {}", default.seed, i64::MAX),
            format!("option name Move Overhead type spin default {USUAL_OVERHEAD} min 0 max {MAX_OVERHEAD}"),
            "option name ClockBonus type combo default increment var increment var delay var bronstein"
                .to_string(),
        ]
    }

    /// The line about the games, which comes again when there are more.
    pub(super) fn describe_variants(&self) -> String {
        let mut line = format!("option name UCI_Variant type combo default {}", self.games[self.chosen].0);
        for (id, _) in &self.games {
            line.push_str(&format!(" var {id}"));
        }
        line
    }

    /// Sets an option; names are compared without regard to case.
    ///
    /// # Errors
    /// If there is no such option, or the value is not one of its values: nothing changes.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect> {
        let value = value.filter(|value| !value.is_empty());
        let needed = || value.ok_or_else(|| anyhow!("option {name}: there is no value"));
        let number = |least: u64, most: u64| -> Result<u64> {
            let typed = needed()?;
            let number = typed.parse().ok().filter(|n| (least..=most).contains(n));
            number.ok_or_else(|| {
                anyhow!("option {name}: \"{}\" is not a number from {least} to {most}", shortened(typed))
            })
        };
        let check = || match needed()? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(anyhow!("option {name}: \"{}\" is not true or false", shortened(other))),
        };
        let path = || value.filter(|path| *path != "<empty>").map(PathBuf::from);
        let unknown = |typed: &str, known: &str| {
            anyhow!("option {name}: \"{}\" is not one of {known}", shortened(typed))
        };
        let effect = match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.engine.hash = number(1, MAX_HASH as u64)? as usize;
                Effect::Engine
            }
            "threads" => {
                self.engine.threads = number(1, MAX_THREADS as u64)? as usize;
                Effect::Engine
            }
            "seed" => {
                self.engine.seed = number(0, i64::MAX as u64)?;
                Effect::Engine
            }
            "engine" => {
                self.engine.algorithm = match needed()? {
                    "ab" => Algorithm::Ab,
                    "mcts" => Algorithm::Mcts,
                    other => return Err(unknown(other, "ab, mcts")),
                };
                self.engine_said = true;
                Effect::Engine
            }
            "multipv" => {
                self.multipv = number(1, MAX_LINES.into())? as u32;
                Effect::None
            }
            "uci_chess960" => {
                self.chess960 = check()?;
                Effect::Castling
            }
            "uci_showwdl" => {
                self.show_wdl = check()?;
                Effect::None
            }
            // Whether to ponder is decided by the program that sends `go ponder`; analysis and play are
            // searched alike.
            "ponder" | "uci_analysemode" => check().map(|_| Effect::None)?,
            "clockbonus" => {
                self.bonus = match needed()? {
                    "increment" => BonusKind::Increment,
                    "delay" => BonusKind::Delay,
                    "bronstein" => BonusKind::Bronstein,
                    other => return Err(unknown(other, "increment, delay, bronstein")),
                };
                Effect::None
            }
            "move overhead" => {
                self.overhead = Duration::from_millis(number(0, MAX_OVERHEAD)?);
                Effect::None
            }
            "clear hash" => Effect::Forget,
            "uci_variant" => self.choose(needed()?)?,
            "variantpath" => match path() {
                None => Effect::None,
                Some(file) => {
                    let before = self.game();
                    let (games, refused) = AnyGame::load_all(&file).context("option VariantPath")?;
                    self.refused = refused;
                    for game in games {
                        self.add(game);
                    }
                    // A file that is read again may have changed under the game being played.
                    let same = self.game().fingerprint() == before.fingerprint();
                    if same { Effect::Games } else { Effect::Game }
                }
            },
            "tablepath" => {
                self.engine.tables = path();
                Effect::Engine
            }
            "evalfile" => {
                self.engine.net = path();
                Effect::Engine
            }
            _ => bail!("no option \"{}\"", shortened(name)),
        };
        if effect == Effect::Game {
            // A network is for one game.
            self.engine.net = None;
        }
        Ok(effect)
    }

    fn choose(&mut self, id: &str) -> Result<Effect> {
        let place = match self.find(id) {
            Some(place) => place,
            // Aliases, and the nearest name in the error.
            None => {
                let game = AnyGame::resolve(id).context("option UCI_Variant")?;
                // One with parameters is new.
                self.find(&game.card().id).unwrap_or_else(|| self.add(game))
            }
        };
        let changed = place != self.chosen;
        self.chosen = place;
        self.suit();
        Ok(if changed { Effect::Game } else { Effect::None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_or_refused() {
        let mut settings = Settings::new(None).unwrap();
        assert_eq!(settings.game().card().id, FIRST_GAME);
        for (name, value, effect) in [
            ("hash", Some("2"), Effect::Engine),
            ("Engine", Some("mcts"), Effect::Engine),
            ("MultiPV", Some("3"), Effect::None),
            ("UCI_ShowWDL", Some("true"), Effect::None),
            ("Clear Hash", None, Effect::Forget),
            ("Move Overhead", Some("50"), Effect::None),
            ("UCI_Variant", Some("diamaranga"), Effect::Game),
            ("EvalFile", Some("some.net"), Effect::Engine),
            ("UCI_Variant", Some("diamond-quest"), Effect::None),
            ("VariantPath", Some("<empty>"), Effect::None),
        ] {
            assert_eq!(settings.set(name, value).unwrap(), effect, "{name}");
        }
        assert_eq!(
            (settings.engine.hash, settings.engine.algorithm, settings.multipv),
            (2, Algorithm::Mcts, 3)
        );
        assert_eq!(settings.overhead, Duration::from_millis(50));
        assert_eq!(settings.engine.net, Some(PathBuf::from("some.net")));
        for (name, value, problem) in [
            ("Move Overhead", Some("-1"), "is not a number from 0 to 10000"),
            ("Hash", Some("x"), "option Hash: \"x\" is not a number from 1 to 1048576"),
            ("Threads", Some("0"), "is not a number from 1 to 256"),
            ("Threads", None, "option Threads: there is no value"),
            ("UCI_Variant", Some("chess960"), "no game \"chess960\""),
            ("Engine", Some("human"), "is not one of ab, mcts"),
            ("Ponder", Some("yes"), "is not true or false"),
            ("VariantPath", Some("/nowhere.toml"), "/nowhere.toml: No such file"),
            ("Elo", Some("1"), "no option \"Elo\""),
        ] {
            let error = format!("{:#}", settings.set(name, value).unwrap_err());
            assert!(error.contains(problem), "{error}");
        }
        assert_eq!(settings.engine.hash, 2);
        // The network of one game is not asked about another.
        settings.set("UCI_Variant", Some("ambush")).unwrap();
        assert_eq!(settings.engine.net, None);
        settings.set("EvalFile", Some("some.net")).unwrap();
        settings.set("EvalFile", Some("<empty>")).unwrap();
        assert_eq!(settings.engine.net, None);
    }

    #[test]
    fn a_game_that_hides_something_is_searched_by_mcts() {
        let mut settings = Settings::new(None).unwrap();
        let algorithm_of = |settings: &mut Settings, id: &str| {
            settings.set("UCI_Variant", Some(id)).unwrap();
            settings.engine.algorithm
        };
        assert_eq!(algorithm_of(&mut settings, "crown-jewels"), Algorithm::Mcts);
        assert_eq!(algorithm_of(&mut settings, "ambush"), Algorithm::Ab);
        settings.set("Engine", Some("ab")).unwrap();
        assert_eq!(algorithm_of(&mut settings, "crown-jewels"), Algorithm::Ab);
    }
}
