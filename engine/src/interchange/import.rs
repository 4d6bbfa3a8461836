//! From a section to the text of a variant file.

use super::board::{self, Start};
use super::importer::{Importer, Problem};
use super::ini;
use super::sheet::Sheet;
use super::template::{self, Template};
use crate::geometry::{Geometry, shorten};
use crate::spelling::nearest;
use crate::variant::Rules;
use thiserror::Error;

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
    /// The text is not a `variants.ini`.
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
/// [`ImportError::Form`] if the text is not one.
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
/// let rows = format!("{ini}connectN = 3\n");
/// assert!(import(&rows, None, &[]).unwrap_err().to_string().starts_with("line 10, connectN = 3"));
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
        importer.fatal_section(format!("{}: {}", error.key, error.problem));
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

impl Importer<'_> {
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
        let hand = self.hand(!castles.is_empty());
        let (repeated, perpetual_check) = self.repeated(royal.is_some());
        let key = self.goals(&kinds, stalemate, royal.is_some(), extinction.is_some());
        let chess960 = self.is_chess960(royal);
        let rights: String =
            if chess960 { start.rights.clone() } else { castles.iter().map(|castle| castle.right).collect() };
        let rights = if castles.is_empty() || start.rights.is_empty() { "-" } else { &rights };
        let mut flags = self.flags();
        flags.retain(|flag| *flag != "chess960" || chess960 && !castles.is_empty());
        let mut placement = start.placement(self.geometry);
        if hand.is_some() {
            placement += &format!("[{}]", start.hands);
        }
        let mut comments = vec![format!("The section [{}] of a variants.ini.", self.name)];
        for problem in &self.problems {
            comments.push(format!("Not expressed: {problem}."));
        }
        Some(Sheet {
            comments,
            id: id_of(self.name),
            name: self.name.chars().filter(|c| !crate::text::is_disruptive(*c)).collect(),
            flags,
            geometry: self.geometry,
            start: format!("{placement} {} {rights} - 0 1", start.side.letter()),
            pieces,
            hand,
            key,
            castles,
            checkmate,
            stalemate,
            // A side without pieces cannot move: where that loses, so does this, and no position is thought dead.
            bare: if stalemate == "loss" && royal.is_none() && hand.is_none() { "loss" } else { "none" },
            extinction,
            repetition: self.repetition(),
            repeated,
            perpetual_check,
            n_move: self.move_rule(),
        })
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
                if !start.hands.is_empty() && !self.has_drops() {
                    self.problem("startFen", "there are pieces in hand, but none is dropped");
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
