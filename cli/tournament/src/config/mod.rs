//! What a tournament is to be: read from a TOML file, from the command line, or both.
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
//! [[engine]]
//! name = "ab"
//! kind = "ab"
//!
//! [[engine]]
//! name = "other"
//! cmd = "./other --uci"
//! option.Threads = 1
//! ```

mod entrant;
mod settings;

pub use entrant::{Clock, ENTRANT_KEYS, Entrant};
pub use settings::{Section, Setting, read_flag, read_toml};

use crate::adjudication::{Adjudication, DrawnGame, Resign};
use crate::openings::Source;
use crate::schedule::Format;
use crate::statistics::sprt::{Model, Sprt};
use jewel_engine::games::nearest;
use jewel_players::support::words::shortened;
use settings::Reader;
use std::path::PathBuf;

/// What a tournament is to be, with everything filled in that was left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The id of the game, or its variant file.
    pub game: Choice,
    /// The name of the event.
    pub event: String,
    /// The form.
    pub format: Format,
    /// How often each two meet.
    pub rounds: u64,
    /// Games each time.
    pub games: u64,
    /// Of everything that is left to chance.
    pub seed: u64,
    /// Games at once; `None` is as many as there are cores for.
    pub concurrency: Option<usize>,
    /// How many times as long clocks run as they say.
    pub clock_scale: f64,
    /// Where games begin.
    pub openings: Source,
    /// Which games are ended early.
    pub adjudication: Adjudication,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
    /// The file of records, if it was named.
    pub records: Option<PathBuf>,
    /// The file of games as PGN.
    pub pgn: Option<PathBuf>,
    /// Whether records have times; `None` is where some player plays by the time.
    pub times: Option<bool>,
    /// The players.
    pub entrants: Vec<Entrant>,
}

/// Which game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// By its id.
    Id(String),
    /// By its variant file.
    File(PathBuf),
}

/// The names of sections.
const SECTIONS: [&str; 5] = ["openings", "adjudication", "sprt", "each", "engine"];

/// Rounds of a test where nothing else is said: it ends long before.
const MAX_TEST_ROUNDS: u64 = 1_000_000;

/// Games at once, at most.
const MAX_CONCURRENCY: u64 = 1024;

impl Config {
    /// What the sections say; later ones override earlier ones.
    ///
    /// # Errors
    /// The first thing that is wrong: one line that says where, and what would be right.
    pub fn read(sections: Vec<Section>) -> Result<Config, String> {
        let mut from_name: [Vec<Setting>; 4] = Default::default();
        let (mut top, mut engines) = (Vec::new(), Vec::new());
        for section in sections {
            match SECTIONS.iter().position(|name| *name == section.name) {
                _ if section.name.is_empty() => top.extend(section.settings),
                Some(4) => engines.push(section),
                Some(n) => from_name[n].extend(section.settings),
                None => return Err(unknown_section(&section)),
            }
        }
        let [openings, adjudication, sprt, each] = from_name;
        let sprt = test(sprt)?;
        let mut config = top_level(top, sprt)?;
        config.openings = source(openings)?;
        config.adjudication = rules(adjudication)?;
        config.entrants = entrant::entrants(engines, &each)?;
        config.check()?;
        Ok(config)
    }

    /// What can be wrong with all settings together.
    fn check(&self) -> Result<(), String> {
        for (n, entrant) in self.entrants.iter().enumerate() {
            let name = entrant.name();
            if self.entrants[..n].iter().any(|other| other.name() == name) {
                let name = shortened(name);
                return Err(format!(
                    "{}: there are two players \"{name}\": write name=… for one",
                    entrant.place
                ));
            }
        }
        match (self.format, &self.sprt) {
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

fn unknown_section(section: &Section) -> String {
    let hint = match nearest(&section.name, SECTIONS) {
        Some("engine") => "did you mean [[engine]]?".to_string(),
        Some(near) => format!("did you mean [{near}]?"),
        None => "known are [openings], [adjudication], [sprt], [each] and [[engine]]".to_string(),
    };
    format!("{}: unknown table \"{}\": {hint}", section.place, shortened(&section.name))
}

fn text(value: &str) -> Result<String, String> {
    if value.is_empty() { Err("it is empty".to_string()) } else { Ok(value.to_string()) }
}

fn path(value: &str) -> Result<PathBuf, String> {
    text(value).map(PathBuf::from)
}

fn scale(value: &str) -> Result<f64, String> {
    let factor = value.parse::<f64>().ok().filter(|factor| *factor > 0.0 && *factor <= 1e6);
    factor.ok_or_else(|| format!("\"{}\" is no factor, such as 0.01", shortened(value)))
}

const YES_NO: [(&str, bool); 4] = [("true", true), ("false", false), ("yes", true), ("no", false)];

fn top_level(settings: Vec<Setting>, sprt: Option<Sprt>) -> Result<Config, String> {
    let mut reader = Reader::new(settings);
    let game = match (reader.read("game", text)?, reader.read("variant", path)?) {
        (_, Some(file)) => Choice::File(file),
        (Some(id), None) => Choice::Id(id),
        (None, None) => Choice::Id(String::new()),
    };
    let default = if sprt.is_some() { Format::Sprt } else { Format::RoundRobin };
    let format = reader.word("format", &Format::NAMES)?.unwrap_or(default);
    let rounds = if format == Format::Sprt { MAX_TEST_ROUNDS } else { 1 };
    let config = Config {
        game,
        event: reader.read("event", text)?.unwrap_or_else(|| "Tournament".to_string()),
        format,
        rounds: reader.number("rounds", 1, u64::MAX)?.unwrap_or(rounds),
        games: reader.number("games", 1, 1_000_000)?.unwrap_or(2),
        seed: reader.number("seed", 0, u64::MAX)?.unwrap_or(1),
        concurrency: reader.number("concurrency", 1, MAX_CONCURRENCY)?.map(|n| n as usize),
        clock_scale: reader.read("clock_scale", scale)?.unwrap_or(1.0),
        openings: Source::Start,
        adjudication: Adjudication::default(),
        sprt,
        records: reader.read("records", path)?,
        pgn: reader.read("pgn", path)?,
        times: reader.word("times", &YES_NO)?,
        entrants: Vec::new(),
    };
    reader.finish()?;
    Ok(config)
}

fn source(settings: Vec<Setting>) -> Result<Source, String> {
    let mut reader = Reader::new(settings);
    let place = reader.take("book").map(|setting| (setting.place, setting.value));
    let random = reader.number("random", 0, 1000)?;
    let shuffled = reader.word("order", &[("random", true), ("sequential", false)])?;
    reader.finish()?;
    match (place, random) {
        (Some((place, _)), Some(_)) => Err(format!("{place}: openings are random or from a book, not both")),
        (Some((place, file)), None) => {
            let file = path(&file).map_err(|e| format!("{place}, book: {e}"))?;
            Ok(Source::Book { file, shuffled: shuffled.unwrap_or(true) })
        }
        (None, None | Some(0)) => Ok(Source::Start),
        (None, Some(plies)) => Ok(Source::Random { plies: plies as u32 }),
    }
}

fn rules(settings: Vec<Setting>) -> Result<Adjudication, String> {
    let mut reader = Reader::new(settings);
    let most = u64::from(u32::MAX);
    let max_plies = reader.number("max_plies", 0, most)?;
    let resign_score = reader.number("resign_score", 0, 30_000)?;
    let resign_moves = reader.number("resign_moves", 1, most)?;
    let draw_score = reader.number("draw_score", 0, 30_000)?;
    let draw_moves = reader.number("draw_moves", 1, most)?;
    let draw_plies = reader.number("draw_plies", 0, most)?;
    let tables = reader.read("tables", path)?;
    reader.finish()?;
    if resign_score.is_none() && resign_moves.is_some() {
        return Err(
            "\"resign_moves\" says for how long; \"resign_score\" is missing, such as 600".to_string()
        );
    }
    if draw_score.is_none() && (draw_moves.is_some() || draw_plies.is_some()) {
        return Err(
            "\"draw_moves\" and \"draw_plies\" say when; \"draw_score\" is missing, such as 10".to_string()
        );
    }
    Ok(Adjudication {
        max_plies: match max_plies {
            Some(0) => None,
            Some(plies) => Some(plies as usize),
            None => Adjudication::default().max_plies,
        },
        resign: resign_score
            .filter(|score| *score > 0)
            .map(|score| Resign { score: score as i32, moves: resign_moves.unwrap_or(3) as u32 }),
        draw: draw_score.map(|score| DrawnGame {
            score: score as i32,
            moves: draw_moves.unwrap_or(8) as u32,
            from: draw_plies.unwrap_or(60) as usize,
        }),
        tables,
    })
}

fn test(settings: Vec<Setting>) -> Result<Option<Sprt>, String> {
    let Some(place) = settings.first().map(|setting| setting.place.clone()) else { return Ok(None) };
    let mut reader = Reader::new(settings);
    let mut number = |key| {
        reader.read(key, |text| {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("\"{}\" is no number", shortened(text)))
        })
    };
    let (elo0, elo1) = (number("elo0")?, number("elo1")?);
    let (alpha, beta) = (number("alpha")?.unwrap_or(0.05), number("beta")?.unwrap_or(0.05));
    let models =
        [("normalised", Model::Normalised), ("normalized", Model::Normalised), ("logistic", Model::Logistic)];
    let model = reader.word("model", &models)?.unwrap_or_default();
    reader.finish()?;
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else {
        return Err(format!("{place}: a sequential test has two hypotheses, such as elo0 = 0 and elo1 = 5"));
    };
    let test = Sprt { elo0, elo1, alpha, beta, model };
    test.checked().map(Some).map_err(|e| format!("{place}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn config(text: &str) -> Result<Config, String> {
        Config::read(read_toml("cup.toml", text)?)
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

[[engine]]
name = \"one\"
kind = \"ab\"

[[engine]]
kind = \"random\"

[[engine]]
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
        assert_eq!((cup.game, cup.rounds, cup.games, cup.seed), (Choice::Id("ambush".to_string()), 10, 2, 1));
        assert_eq!((cup.openings, cup.pgn), (Source::Random { plies: 4 }, Some(PathBuf::from("cup.pgn"))));
        assert_eq!(cup.adjudication.resign, Some(Resign { score: 600, moves: 3 }));
        assert_eq!((cup.adjudication.max_plies, cup.adjudication.draw), (None, None));
        let names: Vec<&str> = cup.entrants.iter().map(Entrant::name).collect();
        assert_eq!(names, ["one", "random", "two"]);
        let nodes: Vec<_> = cup.entrants.iter().map(|entrant| entrant.spec.budget().nodes).collect();
        assert_eq!(nodes, [Some(1000), None, Some(5)]);
        assert_eq!(cup.entrants[2].terms("ambush", 1.0).unwrap().control_text(), "40/5:00+3; 1:00");
        assert_eq!(cup.entrants[2].spec.threads(), 2);
    }

    #[test]
    fn the_command_line_says_the_same_and_overrides() {
        let mut sections = read_toml("cup.toml", CUP).unwrap();
        sections.push(read_flag("--sprt", "sprt", "elo0=0,elo1=5", "").unwrap());
        sections.push(read_flag("--openings", "openings", "random=2", "").unwrap());
        sections.push(read_flag("--engine", "engine", "ab,name=three", "kind").unwrap());
        let cup = Config::read(sections).unwrap();
        assert_eq!((cup.format, cup.rounds), (Format::Sprt, 10));
        assert_eq!(cup.openings, Source::Random { plies: 2 });
        assert_eq!(cup.entrants.len(), 4);
        assert_eq!(cup.entrants[3].spec.budget().nodes, Some(1000));
    }

    #[test]
    fn the_clocks_of_jewel_belong_to_its_games() {
        let text =
            CUP.replacen("40/5:00+3; 1:00", "jewel", 1).replacen("rounds", "clock-scale = 0.01\nrounds", 1);
        let cup = config(&text).unwrap();
        let control = |game| cup.entrants[2].terms(game, cup.clock_scale).map(|terms| terms.control_text());
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
                "cup.toml: line 5: unknown table \"opening\": did you mean [openings]?",
            ),
            ("[[engine]]\nkind", "[[engin]]\nkind", "did you mean [[engine]]?"),
            ("rounds = 10", "rounds = 0", "cup.toml: line 2, rounds: \"0\" is no whole number from 1"),
            (
                "rounds = 10",
                "format = \"swiss\"",
                "line 2, format: \"swiss\" is unknown: it may be round-robin",
            ),
            ("rounds = 10", "rounds = [{}]", "line 2"),
            ("rounds = 10", "rounds =", "cup.toml: line 2: "),
            ("\"two\"", "\"one\"", "there are two players \"one\""),
            ("40/5:00+3; 1:00", "5:00; x", "cup.toml: line 29, clock: \"x\" is no time control"),
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
        let with = |sprt: &str| {
            let mut sections = read_toml("cup.toml", CUP).unwrap();
            sections.push(read_flag("--sprt", "sprt", sprt, "")?);
            Config::read(sections)
        };
        assert!(with("elo0=0").unwrap_err().contains("two hypotheses"));
        assert!(with("elo0=5,elo1=0").unwrap_err().contains("elo1 must be greater"));
        assert!(with("elo0=0,elo1=x").unwrap_err().contains("\"x\" is no number"));
        assert!(with("elo0=0,elo2=5").unwrap_err().contains("did you mean \"elo"));
        let both = CUP.replacen("rounds = 10", "format = \"gauntlet\"", 1);
        let mut sections = read_toml("cup.toml", &both).unwrap();
        sections.push(read_flag("--sprt", "sprt", "elo0=0,elo1=5", "").unwrap());
        assert!(Config::read(sections).unwrap_err().contains("a sequential test is a match of two"));
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
            let _ = read_flag("--engine", "engine", &text, "kind").map(|section| Config::read(vec![section]));
        }
    }
}
