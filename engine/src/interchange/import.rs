//! From a section to the text of a variant file.

use super::board::{self, Start};
use super::ini;
use super::keys::{self, Moot};
use super::pieces::Kind;
use super::sheet::Sheet;
use super::template::{self, Pieces, Setting, Slot, Template};
use crate::bitboard::Bitboard;
use crate::games::nearest;
use crate::geometry::{Geometry, shorten};
use crate::value::Side;
use crate::variant::Rules;
use std::fmt;
use thiserror::Error;

/// A key that a variant file cannot express, or not entirely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The key as the file writes it.
    pub key: String,
    /// Its value, shortened.
    pub value: String,
    /// Its line, from 1; `None` where a built-in variant says it, or a default.
    pub line: Option<usize>,
    /// The section or the built-in variant that says it.
    pub section: String,
    /// What is missing here.
    pub why: String,
    /// Whether the caller accepts that it is lost.
    pub accepted: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}, ")?,
            None => write!(f, "inherited from [{}], ", self.section)?,
        }
        write!(f, "{} = {}: {}", self.key, self.value, self.why)
    }
}

/// A section translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The id of the variant.
    pub id: String,
    /// The variant file.
    pub text: String,
    /// What was lost, all of it accepted by the caller.
    pub losses: Vec<Problem>,
}

/// Why a section was not translated.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// The text is no `variants.ini`.
    #[error("line {0}: {1}")]
    Form(usize, String),
    /// No section has the name.
    #[error("{0}")]
    NoSection(String),
    /// A section inherits from what is neither an earlier section nor known here.
    #[error(
        "line {line}: [{section}] inherits from \"{parent}\", which is neither an earlier section of the file nor a \
         built-in variant known here"
    )]
    Parent {
        /// The line of the section that inherits.
        line: usize,
        /// Its name.
        section: String,
        /// What it inherits from.
        parent: String,
    },
    /// Rules would be lost. At least one problem, those not accepted first.
    #[error("{}", refusal(.0))]
    Refused(Vec<Problem>),
}

/// The first problem that is not accepted, and how many there are.
fn refusal(problems: &[Problem]) -> String {
    let open = problems.iter().filter(|problem| !problem.accepted).count();
    match (problems.first(), open) {
        (Some(first), 0 | 1) => first.to_string(),
        (Some(first), more) => format!("{first} (and {} more)", more - 1),
        (None, _) => String::new(),
    }
}

/// The header of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionName {
    /// Its name.
    pub name: String,
    /// What it inherits from.
    pub parent: Option<String>,
    /// Its line, from 1.
    pub line: usize,
}

/// The sections of a `variants.ini`, in order.
///
/// # Errors
/// [`ImportError::Form`] if the text has not the form of one.
pub fn sections(text: &str) -> Result<Vec<SectionName>, ImportError> {
    let sections = ini::parse(text).map_err(|(line, problem)| ImportError::Form(line, problem))?;
    Ok(sections
        .into_iter()
        .map(|s| SectionName { name: s.name.into(), parent: s.parent.map(Into::into), line: s.line })
        .collect())
}

/// Translates the section of this name; without a name, the only one. Keys named in `accept` may lose what cannot
/// be expressed here.
///
/// ```
/// use jewel_engine::interchange::import;
/// use jewel_engine::variant::Rules;
///
/// let ini = "[pawns]\nmaxFile = 3\nmaxRank = 3\ncustomPiece1 = p:mfWcfF\nstartFen = ppp/3/PPP w\n\
///            flagPiece = p\nflagRegionWhite = *3\nflagRegionBlack = *1\nstalemateValue = loss\n";
/// let pawns = import(ini, None, &[])?;
/// assert_eq!(Rules::parse(&pawns.text).unwrap().id, "pawns");
/// let drops = format!("{ini}pieceDrops = true\n");
/// assert!(import(&drops, None, &[]).unwrap_err().to_string().starts_with("line 10, pieceDrops = true"));
/// # Ok::<(), jewel_engine::interchange::ImportError>(())
/// ```
///
/// # Errors
/// [`ImportError`]; [`ImportError::Refused`] names every key that cannot be expressed.
pub fn import(text: &str, name: Option<&str>, accept: &[String]) -> Result<Import, ImportError> {
    let sections = ini::parse(text).map_err(|(line, problem)| ImportError::Form(line, problem))?;
    let at = match (name, sections.len()) {
        (None, 1) => 0,
        (None, count) => {
            return Err(ImportError::NoSection(match count {
                0 => "no section in the file: expected [name]".into(),
                _ => format!("{count} sections in the file: name one of them"),
            }));
        }
        (Some(name), _) => sections.iter().position(|s| s.name == name).ok_or_else(|| {
            let near = nearest(name, sections.iter().map(|s| s.name));
            let near = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
            ImportError::NoSection(format!("no section [{}] in the file{near}", shorten(name)))
        })?,
    };
    let section = &sections[at];
    let template = template::resolve(&sections, at).map_err(|(line, parent)| ImportError::Parent {
        line,
        section: section.name.into(),
        parent,
    })?;
    let mut importer = Importer::new(section.name, section.line, &template, accept);
    let sheet = importer.sheet();
    let text = sheet.map(|sheet| (sheet.id.clone(), sheet.text()));
    if let Some((_, text)) = &text
        && importer.problems.iter().all(|problem| problem.accepted)
        && let Err(error) = Rules::parse(text)
    {
        importer.fatal_at_section(format!("{}: {}", error.key, error.problem));
    }
    let mut problems = importer.problems;
    problems.sort_by_key(|problem| problem.accepted);
    match text {
        Some((id, text)) if problems.iter().all(|problem| problem.accepted) => {
            Ok(Import { id, text, losses: problems })
        }
        _ => Err(ImportError::Refused(problems)),
    }
}

/// A section on its way.
pub(super) struct Importer<'t> {
    name: &'t str,
    line: usize,
    pub(super) template: &'t Template,
    accept: &'t [String],
    pub(super) problems: Vec<Problem>,
    pub(super) geometry: Geometry,
}

impl<'t> Importer<'t> {
    fn new(name: &'t str, line: usize, template: &'t Template, accept: &'t [String]) -> Importer<'t> {
        // Any board, until the file's is read.
        let geometry = Geometry::new(8, 8).unwrap_or_else(|_| unreachable!("8x8 is a board"));
        Importer { name, line, template, accept, problems: Vec::new(), geometry }
    }

    /// The parts of the variant file; `None` if there cannot be one.
    fn sheet(&mut self) -> Option<Sheet> {
        self.geometry = self.board()?;
        let start = self.start()?;
        let mut kinds = self.kinds(&start)?;
        let royal = self.royal(&mut kinds, &start);
        let castles = self.castles(&kinds, &start, royal);
        self.foreign_keys(royal.is_some(), !castles.is_empty());
        let pieces = self.piece_sheets(&kinds, &start, royal);
        let stalemate = self.outcome("stalemateValue", "draw");
        let checkmate = self.outcome("checkmateValue", "loss");
        let extinction = self.extinction(&kinds, royal);
        let key = self.goals(&kinds, stalemate, royal.is_some(), extinction.is_some());
        let rights: String = castles.iter().map(|castle| castle.right).collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        let placement = start.placement(self.geometry);
        let mut comments = vec![format!("The section [{}] of a variants.ini.", self.name)];
        for problem in &self.problems {
            comments.push(format!("Not expressed: {problem}."));
        }
        Some(Sheet {
            comments,
            id: id_of(self.name),
            name: self.name.chars().filter(|c| !c.is_control()).collect(),
            must_capture: self.flag("mustCapture", false),
            geometry: self.geometry,
            start: format!("{placement} {} {rights} - 0 1", start.side.letter()),
            pieces,
            key,
            castles,
            checkmate,
            stalemate,
            // A side without pieces cannot move: where that loses, so does this, and no position is thought dead.
            bare: if stalemate == "loss" && royal.is_none() { "loss" } else { "none" },
            extinction,
            repetition: self.repetition(),
            n_move: self.move_rule(),
        })
    }

    /// Notes that a setting cannot be expressed, or not entirely.
    pub(super) fn problem(&mut self, key: &str, why: impl Into<String>) {
        self.note(key, why.into(), true);
    }

    /// Notes that nothing can be made of a setting, accepted or not.
    pub(super) fn fatal(&mut self, key: &str, why: impl Into<String>) {
        self.note(key, why.into(), false);
    }

    fn note(&mut self, key: &str, why: String, acceptable: bool) {
        let setting = self.template.setting(key);
        let problem = Problem {
            key: setting.map_or(key, |s| &s.key).to_string(),
            value: setting.map_or("(default)".into(), |s| shorten(&s.value)),
            line: setting.map_or(Some(self.line), |s| Some(s.line).filter(|line| *line > 0)),
            section: setting.map_or(self.name, |s| &s.section).to_string(),
            why,
            accepted: false,
        };
        self.push(problem, acceptable);
    }

    /// Notes that nothing can be made of a piece.
    pub(super) fn fatal_piece(&mut self, slot: &Slot, why: impl Into<String>) {
        let problem = Problem {
            key: slot.name.clone(),
            value: shorten(&format!("{}:{}", slot.letter, slot.word)),
            line: Some(slot.line).filter(|line| *line > 0),
            section: self.name.to_string(),
            why: why.into(),
            accepted: false,
        };
        self.push(problem, false);
    }

    fn fatal_at_section(&mut self, why: String) {
        let problem = Problem {
            key: format!("[{}]", self.name),
            value: "as a whole".into(),
            line: Some(self.line),
            section: self.name.to_string(),
            why,
            accepted: false,
        };
        self.push(problem, false);
    }

    fn push(&mut self, mut problem: Problem, acceptable: bool) {
        problem.accepted = acceptable && self.accept.contains(&problem.key);
        let known = |p: &Problem| (&p.key, &p.line, &p.why) == (&problem.key, &problem.line, &problem.why);
        if !self.problems.iter().any(known) {
            self.problems.push(problem);
        }
    }

    fn board(&mut self) -> Option<Geometry> {
        let size = |template: &Template, key: &str| match template.setting(key) {
            None => Some(8),
            Some(setting) => board::file(&setting.value).map(|n| u64::from(n) + 1),
        };
        let (width, height) = (size(self.template, "maxFile"), size(self.template, "maxRank"));
        for (key, value) in [("maxFile", width), ("maxRank", height)] {
            if value.is_none() {
                self.fatal(key, "expected a number, or the letter of a file");
            }
        }
        let (width, height) = (width?, height?);
        let geometry = Geometry::new(width, height);
        if geometry.is_err() {
            let key = if self.template.setting("maxFile").is_some() { "maxFile" } else { "maxRank" };
            let squares = width * height;
            self.fatal(
                key,
                format!("a {width}x{height} board has {squares} squares; at most 64 are possible"),
            );
            self.foreign_keys(true, false);
        }
        geometry.ok()
    }

    fn start(&mut self) -> Option<Start> {
        let Some(setting) = self.template.setting("startFen") else {
            self.fatal("startFen", "no start position is given");
            return None;
        };
        match board::read(&setting.value, self.geometry) {
            Ok(start) => {
                if !start.hands.is_empty() {
                    self.problem("startFen", "there are pieces in hand");
                }
                if let Some(strange) = &start.strange {
                    self.problem("startFen", strange.clone());
                }
                Some(start)
            }
            Err(why) => {
                self.fatal("startFen", why);
                None
            }
        }
    }

    /// Names the keys that are unknown, or have no counterpart.
    pub(super) fn foreign_keys(&mut self, royal: bool, castling: bool) {
        let template = self.template;
        for (key, setting) in &template.settings {
            if let Some(foreign) = keys::FOREIGN.iter().find(|foreign| foreign.key == key) {
                let moot = match foreign.moot {
                    Moot::No => false,
                    Moot::NoRoyal => !royal,
                    Moot::Without("castling") => !castling,
                    Moot::Without(master) => !self.speaks(master),
                };
                if !moot && !foreign.neutral.contains(&setting.value.as_str()) {
                    self.problem(key, foreign.why);
                }
            } else if !keys::is_known(key) {
                let all = keys::all();
                let near = nearest(key, all.iter().map(String::as_str));
                let guess = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
                self.problem(key, format!("unknown key{guess}"));
            } else if let Pieces::Unknown(why) = &setting.pieces {
                self.problem(key, why.clone());
            }
        }
    }

    /// Whether a key says something: then those that refine it do so too.
    fn speaks(&self, master: &str) -> bool {
        let value = |key: &str| self.template.setting(key).map(|setting| setting.value.as_str());
        match master {
            "nFoldRule" => value(master) != Some("0"),
            "flagRegion" => value("flagRegionWhite").is_some() || value("flagRegionBlack").is_some(),
            "connectN" => ["connectN", "connectNxN", "collinearN"].iter().any(|key| value(key).is_some()),
            _ => {
                let foreign = keys::FOREIGN.iter().find(|foreign| foreign.key == master);
                let neutral = foreign.map_or(&["false", "-", ""][..], |foreign| foreign.neutral);
                value(master).is_some_and(|value| !neutral.contains(&value))
            }
        }
    }

    /// A setting of true or false.
    pub(super) fn flag(&mut self, key: &str, default: bool) -> bool {
        match self.template.setting(key).map(|setting| setting.value.as_str()) {
            None => default,
            Some("true") => true,
            Some("false") => false,
            Some(_) => {
                self.problem(key, "expected true or false");
                default
            }
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self, key: &str, default: u32) -> u32 {
        match self.template.setting(key).map(|setting| setting.value.parse()) {
            None => default,
            Some(Ok(number)) => number,
            Some(Err(_)) => {
                self.problem(key, "expected a whole number");
                default
            }
        }
    }

    /// A file of the board, as a number from 0.
    pub(super) fn file(&mut self, key: &str) -> Option<u8> {
        let setting = self.template.setting(key)?;
        let file = board::file(&setting.value);
        if file.is_none() {
            self.problem(key, "expected a file, as a letter or a number");
        }
        file
    }

    /// A set of squares; `None` where nothing is said.
    pub(super) fn region(&mut self, key: &str) -> Option<Bitboard> {
        let setting = self.template.setting(key)?;
        match board::region(&setting.value, self.geometry) {
            Ok(set) => Some(set),
            Err(why) => {
                self.problem(key, why);
                None
            }
        }
    }

    /// The same for each side, with a default.
    pub(super) fn regions(&mut self, key: &str, default: [&str; 2]) -> [Bitboard; 2] {
        Side::BOTH.map(|side| {
            let set = self.region(&per_side(key, side));
            set.unwrap_or_else(|| board::region(default[side.index()], self.geometry).unwrap_or_default())
        })
    }

    /// Whether a kind is among the pieces of a setting; `default` where nothing is said.
    pub(super) fn names_piece(&self, key: &str, kind: &Kind<'_>, default: &[&str]) -> bool {
        match self.template.setting(key).map(|setting| &setting.pieces) {
            Some(Pieces::All) => true,
            Some(Pieces::Some(names)) => names.contains(&kind.slot.name),
            Some(_) => false,
            None => default.contains(&kind.slot.name.as_str()),
        }
    }

    pub(super) fn setting(&self, key: &str) -> Option<&'t Setting> {
        self.template.setting(key)
    }

    pub(super) fn outcome(&mut self, key: &str, default: &'static str) -> &'static str {
        match self.template.setting(key).map(|setting| setting.value.as_str()) {
            None => default,
            Some("loss") => "loss",
            Some("draw") => "draw",
            Some("win") => "win",
            Some(_) => {
                self.problem(key, "expected win, draw or loss");
                default
            }
        }
    }
}

/// The key for one side.
pub(super) fn per_side(key: &str, side: Side) -> String {
    format!("{key}{}", if side == Side::White { "White" } else { "Black" })
}

/// An id from a section's name.
fn id_of(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    if !id.starts_with(|c: char| c.is_ascii_lowercase()) {
        id.insert_str(0, "v-");
    }
    id.chars().take(40).collect::<String>().trim_end_matches('-').to_string()
}
