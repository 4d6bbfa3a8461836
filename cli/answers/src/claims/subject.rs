//! The file of claims, and solving what they are about.

use super::{Checked, Claim, Totals, check, check_totals};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::geometry::Geometry;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::catalogue::AnyGame;
use jewel_players::line::Line;
use jewel_players::with_game;
use jewel_solver::control::{Control, Limits};
use jewel_solver::dense::DenseTable;
use jewel_solver::graph::Graph;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Class, Plan, Scope, TableSet};
use jewel_tables::writer::Distances;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The claims that come with the program.
const FILE: &str = include_str!("../../../../results/claims.toml");

/// Seconds up to which a subject is quick.
const QUICK: f64 = 2.0;

/// What claims are about: a position that is solved, a class of endings, or all endings of some number of pieces.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// By which it is asked for.
    pub name: String,
    game: Option<String>,
    rules: Option<String>,
    size: Option<String>,
    start: Option<String>,
    fen: Option<String>,
    class: Option<String>,
    pieces: Option<usize>,
    /// Where the claims were published; `None` where nobody has as far as we know.
    pub source: Option<String>,
    /// How the source counts.
    pub convention: Option<String>,
    seconds: f64,
    /// What is claimed.
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rules: BTreeMap<String, String>,
    subject: Vec<Subject>,
}

/// All subjects of a file of claims, which messages call `name`, or of the one that comes with the program, with the
/// texts of rules in place of their names.
///
/// # Errors
/// If the text is not a file of claims: where it is wrong.
pub fn subjects(file: Option<(&str, &str)>) -> Result<Vec<Subject>> {
    let (name, text) = file.unwrap_or(("claims.toml", FILE));
    let wrong = |e: toml::de::Error| {
        let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        anyhow!("{name}: line {line}: {}", e.message().replace('\n', "; "))
    };
    let File { rules, mut subject } = toml::from_str(text).map_err(wrong)?;
    for subject in &mut subject {
        let wrong = |problem: &str| anyhow!("{name}: \"{}\": {problem}", subject.name);
        if subject.game.is_some() == subject.rules.is_some() {
            return Err(wrong("it has \"game\", an id, or \"rules\", the name of a text in [rules]"));
        }
        let given = [subject.fen.is_some(), subject.class.is_some(), subject.pieces.is_some()];
        if given.into_iter().filter(|&given| given).count() > 1 {
            return Err(wrong("it has one of \"fen\", \"class\" and \"pieces\", or none of them"));
        }
        let Some(named) = &subject.rules else { continue };
        let known = || rules.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let text = rules
            .get(named)
            .ok_or_else(|| wrong(&format!("there are no rules \"{named}\" but {}", known())))?;
        let (Some(size), Some(start)) = (&subject.size, &subject.start) else {
            return Err(wrong("rules need \"size\" and \"start\""));
        };
        let top = size.split('x').next_back().unwrap_or_default();
        let text = text.replace("<size>", size).replace("<start>", start).replace("<top>", top);
        let text = text.replace("<middle>", &middle(size).unwrap_or_default());
        subject.rules = Some(text);
    }
    Ok(subject)
}

/// The middle squares of a board of this size (one, two or four) as the items of a TOML array; `None` if the size is malformed,
/// which is reported when the rules are parsed.
fn middle(size: &str) -> Option<String> {
    let geometry = Geometry::parse(size).ok()?;
    let is_middle = |at: u8, length: u8| ((length - 1) / 2..=length / 2).contains(&at);
    let squares = geometry.squares().filter(|&square| {
        is_middle(geometry.file(square), geometry.width())
            && is_middle(geometry.rank(square), geometry.height())
    });
    let names: Vec<String> = squares.map(|square| format!("\"{}\"", geometry.name(square))).collect();
    Some(names.join(", "))
}

impl Subject {
    /// What is published about the game with this fingerprint and this start position, if anything is. The fingerprint of
    /// rules leaves out where the pieces start.
    ///
    /// # Errors
    /// If the file that comes with the program has a mistake.
    #[inline(never)]
    pub fn about(fingerprint: u64, start: &impl Notation) -> Result<Option<Subject>> {
        let start = start.position_text();
        for subject in subjects(None)? {
            if subject.source.is_none() || subject.fen.is_some() || subject.scope().is_some() {
                continue;
            }
            let game = subject.game()?;
            if game.fingerprint() != fingerprint {
                continue;
            }
            if with_game!(game, game => Ok(game.start().position_text()))? == start {
                return Ok(Some(subject));
            }
        }
        Ok(None)
    }

    /// Whether it is solved in a second or two.
    pub fn is_quick(&self) -> bool {
        self.seconds <= QUICK
    }

    fn game(&self) -> Result<AnyGame> {
        match (&self.game, &self.rules) {
            (Some(game), _) => AnyGame::resolve(game),
            (None, Some(text)) => {
                Ok(AnyGame::Variant(Rules::parse(text).map_err(|e| anyhow!("{e}"))?.leak()))
            }
            (None, None) => bail!("it has no game"),
        }
    }

    /// The tables that it takes, if it is about endings.
    fn scope(&self) -> Option<Scope> {
        match (&self.class, self.pieces) {
            (Some(class), _) => Some(Scope::Class(class.clone())),
            (None, pieces) => pieces.map(Scope::MaxPieces),
        }
    }

    /// Solves it in so many bytes of memory and checks the claims, on the threads of the current rayon pool, until
    /// `interrupt` is set.
    ///
    /// # Errors
    /// If it cannot be solved: it is too large for the memory, or its data are wrong, or it was interrupted.
    pub fn check(&self, memory: u64, interrupt: &AtomicBool) -> Result<Vec<Checked>> {
        let solved = || {
            let game = self.game()?;
            match (self.scope(), game.rules().ok().filter(|rules| rules.hand.is_some())) {
                (Some(scope), _) => self.by_tables(game, &scope, memory, interrupt),
                (None, Some(rules)) => {
                    with_leanest_game!(rules, game => self.by_hands(&game, rules, memory, interrupt))
                }
                (None, None) => with_game!(game, game => self.by_graph(&game, memory, interrupt)),
            }
        };
        solved().map_err(|e: anyhow::Error| anyhow!("{}: {e:#}", self.name))
    }

    fn by_graph<G>(&self, game: &G, memory: u64, interrupt: &AtomicBool) -> Result<Vec<Checked>>
    where
        G: Game<Position: Packed + Symmetric + Chance>,
    {
        let line = Line::read(game, self.fen.as_deref(), &[]).map_err(|e| anyhow!("{e}"))?;
        let start = line.position().clone();
        let mut silent = |_| ();
        let limits = Limits { memory, ..Limits::default() };
        let mut control = Control::new(limits, interrupt, &mut silent);
        let mut graph = Graph::new(start.clone())?;
        let solution = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control))?;
        Ok(check(&self.claims, &solution, &start, Some(Totals::from_counts(&solution.counts()))))
    }

    /// By tables of classes: of the class itself, or of all classes of the number of pieces.
    fn by_tables(
        &self,
        game: AnyGame,
        scope: &Scope,
        memory: u64,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Checked>> {
        let rules = game.rules()?;
        let plan = Plan::new(rules, scope).map_err(|e| anyhow!("{e}"))?;
        // The last class of a plan is the one that was asked for: the others are what it leads to.
        let last = plan.classes.last().map(|planned| planned.class);
        let is_wanted = |class: Class| match self.pieces {
            Some(pieces) => class.pieces() == pieces,
            None => Some(class) == last,
        };
        let wanted = plan.classes.iter().filter(|planned| is_wanted(planned.class));
        let wanted: BTreeSet<&str> = wanted.map(|planned| planned.name.as_str()).collect();
        if wanted.is_empty() {
            bail!("no class has {} pieces", self.pieces.unwrap_or_default());
        }
        let folder = Scratch::new(&self.name);
        // The longest win is in the head of a table, whatever distances it keeps.
        let options = Options { memory, distances: Distances::Lost, ..Options::default() };
        build(&plan, &folder.0, &options, interrupt, &|_| {}).map_err(|e| anyhow!("{e}"))?;
        let tables = TableSet::open(rules, &folder.0)?;
        let (mut counts, mut longest) = ([0; 3], None);
        for metadata in tables.tables().iter().map(|table| table.metadata()) {
            if !wanted.contains(metadata.class.as_str()) {
                continue;
            }
            let positions = metadata.positions();
            for (sum, count) in counts.iter_mut().zip([positions.wins, positions.draws, positions.losses]) {
                *sum += count;
            }
            longest = longest.max(metadata.longest_win.as_ref().map(|win| win.distance));
        }
        Ok(check_totals(&self.claims, Totals::new(counts, longest)))
    }

    /// By the one table of a game with pieces in hand, which stays in memory.
    fn by_hands<G, S: RuleSubset, const N: usize>(
        &self,
        game: &G,
        rules: &'static Rules,
        memory: u64,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Checked>>
    where
        G: Game<Position = ChessLike<'static, S, N>>,
    {
        let line = Line::read(game, self.fen.as_deref(), &[]).map_err(|e| anyhow!("{e}"))?;
        let mut table = DenseTable::new(rules, memory)?;
        table.solve(interrupt, &mut |_, _| true)?;
        table.reach(interrupt)?;
        let totals = Totals::from_dense(&table.counts(), table.longest_win().map(|(plies, _)| plies));
        Ok(check(&self.claims, &table, line.position(), Some(totals)))
    }
}

/// A folder for tables that are not kept.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("jewel-claims-{}-{}", name.replace(' ', "-"), std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be deleted stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_has_a_game_and_a_name_of_its_own() {
        let subjects = subjects(None).unwrap();
        let names: BTreeSet<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
        assert!(names.len() == subjects.len() && names.len() > 40);
        for subject in &subjects {
            assert!(subject.game().is_ok() && !subject.claims.is_empty(), "{}", subject.name);
        }
        assert!(subjects.iter().filter(|subject| subject.is_quick()).count() > 20);
    }

    #[test]
    fn boards_have_one_two_or_four_squares_in_the_middle() {
        assert_eq!(middle("3x5").unwrap(), r#""b3""#);
        assert_eq!(middle("4x5").unwrap(), r#""b3", "c3""#);
        assert_eq!(middle("8x8").unwrap(), r#""d4", "e4", "d5", "e5""#);
        assert_eq!((middle("8"), middle("axb"), middle("300x1")), (None, None, None));
    }

    #[test]
    fn mistakes_in_a_file_are_named() {
        let problem = |text: &str| subjects(Some(("mine.toml", text))).unwrap_err().to_string();
        let subject = "[rules]\na = \"x\"\n\n[[subject]]\nname = \"s\"\nseconds = 1\nclaim = []\n";
        for (text, expected) in [
            ("[rules", "mine.toml: line 1: "),
            (&format!("{subject}colour = 1\n"), "mine.toml: line 8: unknown field `colour`"),
            (subject, "mine.toml: \"s\": it has \"game\", an id, or \"rules\""),
            (&format!("{subject}rules = \"b\"\n"), "mine.toml: \"s\": there are no rules \"b\" but a"),
            (&format!("{subject}rules = \"a\"\n"), "mine.toml: \"s\": rules need \"size\" and \"start\""),
            (
                &format!("{subject}game = \"chess\"\nclass = \"KRvK\"\npieces = 3\n"),
                "mine.toml: \"s\": it has one of \"fen\", \"class\" and \"pieces\", or none of them",
            ),
        ] {
            let problem = problem(text);
            assert!(problem.starts_with(expected) && !problem.contains('\n'), "{problem}");
        }
    }
}
