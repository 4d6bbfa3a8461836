//! What a tournament is to be: built by a program, read from a TOML file, or both.
//!
//! ```toml
//! game = "ambush"
//! format = "round-robin"
//! rounds = 100
//!
//! [openings]
//! random = 4
//!
//! [each]
//! nodes = 10000
//!
//! [[player]]
//! name = "ab"
//! kind = "ab"
//!
//! [[player]]
//! name = "other"
//! cmd = "./other --uci"
//! option.Threads = 1
//! ```

mod basket;
mod keys;
mod players;

pub use basket::BasketGame;
pub use players::{CLOCK_KEYS, Clock, TournamentPlayer};

use crate::adjudication::Adjudication;
use crate::openings::Source;
use crate::schedule::Format;
use crate::statistics::sprt::Sprt;
use jewel_players::settings::values::{path, some_whole, whole};
use jewel_players::settings::{Error, Table, Value};
use jewel_players::support::words::shortened;
use serde::Deserialize;
use std::path::PathBuf;

/// What a tournament is to be. The fields, but for the players, are the keys of a file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The id of the game.
    pub game: Option<String>,
    /// The variant file of the game, in place of the id.
    #[serde(deserialize_with = "path")]
    pub variant: Option<PathBuf>,
    /// The games of a basket, in place of one game; a file has them as `[[game]]`.
    #[serde(skip)]
    pub basket: Vec<BasketGame>,
    /// The name of the event.
    pub event: String,
    /// The form; `None` is a test where there is one, and else a round-robin.
    pub format: Option<Format>,
    /// How often each two players meet; `None` is once, and in a test until it has decided.
    #[serde(deserialize_with = "some_whole::<1, MAX, _, _>")]
    pub rounds: Option<u64>,
    /// Games of each meeting.
    #[serde(deserialize_with = "whole::<1, 1_000_000, _, _>")]
    pub games: u64,
    /// Seed of openings, colours and players.
    #[serde(deserialize_with = "whole::<0, MAX, _, _>")]
    pub seed: u64,
    /// Games at once; `None` is as many as there are cores for.
    #[serde(deserialize_with = "some_whole::<1, 1024, _, _>")]
    pub concurrency: Option<usize>,
    /// Factor by which the times of all clocks are multiplied.
    #[serde(deserialize_with = "keys::scale")]
    pub clock_scale: f64,
    /// Where games begin.
    #[serde(deserialize_with = "keys::openings")]
    pub openings: Source,
    /// Which games are ended early.
    #[serde(deserialize_with = "keys::adjudication")]
    pub adjudication: Adjudication,
    /// The test that ends the match.
    #[serde(deserialize_with = "keys::sprt")]
    pub sprt: Option<Sprt>,
    /// The file of records, if it was named.
    #[serde(deserialize_with = "path")]
    pub records: Option<PathBuf>,
    /// The file of games as PGN.
    #[serde(deserialize_with = "path")]
    pub pgn: Option<PathBuf>,
    /// Whether records have times; `None` is where some player plays by the time.
    pub times: Option<bool>,
    /// The players, which a file has as `[[player]]`, or by an older word as `[[engine]]`.
    #[serde(rename = "player", alias = "engine", alias = "each", deserialize_with = "keys::taken_before")]
    pub players: Vec<TournamentPlayer>,
}

const MAX: u64 = u64::MAX;

/// Rounds of a test where nothing else is said: it ends long before.
const MAX_TEST_ROUNDS: u64 = 1_000_000;

impl Default for Config {
    fn default() -> Config {
        Config {
            game: None,
            variant: None,
            basket: Vec::new(),
            event: "Tournament".to_string(),
            format: None,
            rounds: None,
            games: 2,
            seed: 1,
            concurrency: None,
            clock_scale: 1.0,
            openings: Source::Usual,
            adjudication: Adjudication::default(),
            sprt: None,
            records: None,
            pgn: None,
            times: None,
            players: Vec::new(),
        }
    }
}

impl Config {
    /// The tournament of a table: of a file, with what the command line adds to its tables.
    ///
    /// # Errors
    /// The first thing that is wrong: one line that says where, and what would be right.
    pub fn from_table(mut table: Table) -> Result<Config, Error> {
        let taken = table.split(|key| matches!(key, "each" | "engine" | "player"));
        let tables = |key: &str| match taken.get(key).map(|entry| (&entry.value, &entry.place)) {
            None => Ok(Vec::new()),
            Some((Value::Table(table), _)) if key == "each" => Ok(vec![table.clone()]),
            Some((Value::Tables(tables), _)) if key != "each" => Ok(tables.clone()),
            Some((_, place)) if key == "each" => Err(Error::new("each is a table: write [each]").at(place)),
            Some((_, place)) => Err(Error::new("every player is a table: write [[player]]").at(place)),
        };
        let basket = basket::take(&mut table)?;
        let config: Config = table.read()?;
        let players = [tables("engine")?, tables("player")?].concat();
        Ok(Config { players: players::read(players, tables("each")?.pop().as_ref())?, basket, ..config })
    }

    /// The form of the tournament.
    pub fn format(&self) -> Format {
        let default = if self.sprt.is_some() { Format::Sprt } else { Format::RoundRobin };
        self.format.unwrap_or(default)
    }

    /// How often each two players meet.
    pub fn rounds(&self) -> u64 {
        self.rounds.unwrap_or(if self.format() == Format::Sprt { MAX_TEST_ROUNDS } else { 1 })
    }

    /// Checks what can be wrong with all settings together.
    ///
    /// # Errors
    /// If two players have the same name, one has no limit, or the test does not fit the format.
    pub fn check(&self) -> Result<(), String> {
        for (n, player) in self.players.iter().enumerate() {
            let name = player.spec.name();
            if player.spec.needs_limit() && player.clock.is_none() {
                return Err(format!(
                    "player \"{}\" has no limit: write nodes, depth, time or clock for it, as in \
                     kind=ab,nodes=5000, or for all with --each nodes=5000",
                    shortened(name)
                ));
            }
            if self.players[..n].iter().any(|other| other.spec.name() == name) {
                return Err(format!("there are two players \"{}\": write name=… for one", shortened(name)));
            }
        }
        match (self.format(), &self.sprt) {
            (Format::Sprt, None) => {
                Err("format is sprt and there are no hypotheses: write [sprt] with elo0 and elo1, or --sprt"
                    .into())
            }
            (format, Some(_)) if format != Format::Sprt => Err(format!(
                "a sequential test is a match of two, with format \"sprt\" and not \"{}\"",
                format.name()
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::{PlyLimit, Resign};
    use jewel_players::spec::{Kind, PlayerOptions, PlayerSpec};
    use proptest::prelude::*;

    /// The tournament of a file with an addition to one of its tables, all checks made.
    fn with(text: &str, key: &str, addition: &str) -> Result<Config, String> {
        let mut table = Table::from_toml("cup.toml", text).map_err(|e| e.to_string())?;
        if !key.is_empty() {
            let addition = Table::from_pairs("--option", addition, "kind").map_err(|e| e.to_string())?;
            if key == "player" { table.append(key, addition) } else { table.merge(key, addition) }
        }
        let config = Config::from_table(table).map_err(|e| e.to_string())?;
        config.check().map(|()| config)
    }

    fn config(text: &str) -> Result<Config, String> {
        with(text, "", "")
    }

    const CUP: &str = "\
game = \"ambush\"
rounds = 10
pgn = \"cup.pgn\"

[openings]
random = 4

[adjudication]
resign-score = 600
max_plies = 0

[each]
nodes = 1000

[[player]]
name = \"one\"
kind = \"ab\"

[[player]]
kind = \"random\"

[[player]]
name = \"two\"
cmd = \"./other\"
args = [\"-x\", \"a b\"]
nodes = 5
option.Threads = 2
option.\"Move Overhead\" = 5
clock = \"40/5:00+3; 1:00\"
";

    #[test]
    fn a_file_is_read() {
        let cup = config(CUP).unwrap();
        assert_eq!((cup.game.as_deref(), cup.rounds(), cup.games, cup.seed), (Some("ambush"), 10, 2, 1));
        assert_eq!((cup.openings, cup.pgn), (Source::Random { plies: 4 }, Some(PathBuf::from("cup.pgn"))));
        assert_eq!(cup.adjudication.resign, Some(Resign { score: 600, moves: 3 }));
        assert_eq!((cup.adjudication.max_plies, cup.adjudication.draw), (PlyLimit::Never, None));
        let names: Vec<&str> = cup.players.iter().map(|player| player.spec.name()).collect();
        assert_eq!(names, ["one", "random", "two"]);
        let nodes: Vec<_> = cup.players.iter().map(|player| player.spec.budget().nodes).collect();
        assert_eq!(nodes, [Some(1000), None, Some(5)]);
        assert_eq!(cup.players[2].limits("ambush", 1.0).unwrap().control_text(), "40/5:00+3; 1:00");
        assert_eq!(cup.players[2].spec.threads(), 2);
    }

    #[test]
    fn options_are_added_to_tables_and_override() {
        let cup = with(CUP, "openings", "random=2").unwrap();
        assert_eq!(cup.openings, Source::Random { plies: 2 });
        let cup = with(CUP, "adjudication", "max-plies=80").unwrap();
        assert_eq!(
            (cup.adjudication.max_plies, cup.adjudication.resign.is_some()),
            (PlyLimit::After(80), true)
        );
        let cup = with(CUP, "player", "ab,name=three").unwrap();
        assert_eq!((cup.players.len(), cup.players[3].spec.budget().nodes), (4, Some(1000)));
        let cup = with(CUP, "each", "nodes=7,option.Threads=9,option.Hash=1").unwrap();
        assert_eq!((cup.players[0].spec.budget().nodes, cup.players[2].spec.threads()), (Some(7), 2));
        assert!(cup.players[2].spec.to_string().contains("option.Hash=1"), "{}", cup.players[2].spec);
        let cup = with(CUP, "sprt", "elo0=0,elo1=5").unwrap();
        assert_eq!((cup.format(), cup.rounds()), (Format::Sprt, 10));
    }

    #[test]
    fn the_older_word_for_players_is_read() {
        let old = config(&CUP.replace("[[player]]", "[[engine]]")).unwrap();
        assert_eq!(old, config(CUP).unwrap());
        let both = with(&CUP.replace("[[player]]", "[[engine]]"), "player", "ab,name=three").unwrap();
        assert_eq!(both.players.last().map(|player| player.spec.name()), Some("three"));
    }

    #[test]
    fn a_program_needs_no_text() {
        let options = PlayerOptions { kind: Some(Kind::Greedy), ..PlayerOptions::default() };
        let players = vec![PlayerSpec::new(&options).unwrap().into()];
        let cup = Config { rounds: Some(3), players, ..Config::default() };
        assert_eq!((cup.check(), cup.format()), (Ok(()), Format::RoundRobin));
    }

    #[test]
    fn the_clocks_of_jewel_belong_to_its_games() {
        let text =
            CUP.replacen("40/5:00+3; 1:00", "jewel", 1).replacen("rounds", "clock-scale = 0.01\nrounds", 1);
        let cup = config(&text).unwrap();
        let control = |game| cup.players[2].limits(game, cup.clock_scale).map(|limits| limits.control_text());
        assert_eq!(control("duel").as_deref(), Ok("3+d0.05"));
        assert!(control("star-lords").unwrap_err().contains(": the rules of Jewel give no clock"));
    }

    #[test]
    fn mistakes_name_their_line_and_what_would_be_right() {
        for (from, to, expected) in [
            (
                "rounds = 10",
                "ronds = 10",
                "cup.toml: line 2: unknown key \"ronds\": did you mean \"rounds\"?",
            ),
            (
                "random = 4",
                "rnadom = 4",
                "cup.toml: line 6: unknown key \"rnadom\": did you mean \"random\"?",
            ),
            ("nodes = 5", "noodes = 5", "cup.toml: line 26: unknown key \"noodes\": did you mean \"nodes\"?"),
            (
                "[openings]",
                "[opening]",
                "cup.toml: line 5: unknown key \"opening\": did you mean \"openings\"?",
            ),
            ("[[player]]\nkind", "[[playr]]\nkind", "did you mean \"player\"?"),
            ("rounds = 10", "rounds = 0", "cup.toml: line 2, rounds: \"0\" is not a whole number from 1"),
            (
                "rounds = 10",
                "format = \"swiss\"",
                "line 2, format: \"swiss\" is unknown: it may be round-robin",
            ),
            ("rounds = 10", "rounds = [{}]", "cup.toml: line 2: a list of tables is not expected here"),
            (
                "pgn = \"cup.pgn\"\n\n[openings]\nrandom = 4",
                "openings = 4",
                "cup.toml: line 3, openings: \"4\" is not a table of keys",
            ),
            ("rounds = 10", "rounds =", "cup.toml: line 2: "),
            ("\"two\"", "\"one\"", "there are two players \"one\""),
            ("40/5:00+3; 1:00", "5:00; x", "cup.toml: line 29, clock: \"x\" is not a time control"),
            ("resign-score = 600", "resign-moves = 6", "\"resign_score\" is missing"),
            ("nodes = 1000", "", "\"one\" has no limit"),
        ] {
            let text = CUP.replacen(from, to, 1);
            assert_ne!(text, CUP, "{from}");
            match config(&text) {
                Err(problem) => assert!(problem.contains(expected) && !problem.contains('\n'), "{problem}"),
                Ok(_) => panic!("{to}"),
            }
        }
    }

    #[test]
    fn tests_have_two_hypotheses_and_two_players() {
        let test = |sprt: &str| with(CUP, "sprt", sprt);
        assert!(test("elo0=0").unwrap_err().contains("two hypotheses"));
        assert!(test("elo0=5,elo1=0").unwrap_err().contains("elo1 must be greater"));
        assert!(test("elo0=0,elo1=x").unwrap_err().contains("\"x\" is not a number"));
        assert!(test("elo0=0,elo2=5").unwrap_err().contains("did you mean \"elo"));
        let both = CUP.replacen("rounds = 10", "format = \"gauntlet\"", 1);
        assert!(
            with(&both, "sprt", "elo0=0,elo1=5").unwrap_err().contains("a sequential test is a match of two")
        );
        assert!(
            config(&CUP.replacen("rounds", "format = \"sprt\"\nrounds", 1))
                .unwrap_err()
                .contains("no hypotheses")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

        #[test]
        fn no_file_does_harm(text in any::<String>(), from in 0..CUP.len(), to in 0..CUP.len(), put in "[a-z\\[\\]=\"{}.\n]{0,6}") {
            let _ = config(&text);
            let mut changed = CUP.to_string();
            changed.replace_range(from.min(to)..from.max(to), &put);
            if let Err(problem) = config(&changed) {
                prop_assert!(!problem.contains('\n'), "{}", problem);
            }
            let _ = with("", "player", &text);
        }
    }
}
