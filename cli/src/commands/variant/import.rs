//! `jewel variant import`: a section of a variants.ini as a variant file.

use super::{MAX_FILE_BYTES, deliver};
use crate::commands::ExitStatus;
use crate::output;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use jewel_engine::interchange::{self, Import, ImportError, Problem, SectionName};
use jewel_players::support::files;
use jewel_players::support::files::read_text;
use jewel_players::support::layout::columns;
use serde::Serialize;
use std::path::PathBuf;

/// Translate a section of a variants.ini into a variant file
#[derive(Args)]
#[command(after_long_help = "\
A section is refused if one of its rules would be lost: the error names the first key that cannot be expressed, \
--explain names them all. --accept KEY lets what that key says go; the variant file tells in comments. Without \
NAME, a file of one section is translated and one of several is listed.

Examples:
  jewel variant import variants.ini                      which sections can be imported
  jewel variant import variants.ini orda -o orda.toml
  jewel variant import variants.ini empire --explain     what stands in the way
  jewel variant import mine.ini --accept nFoldValue,perpetualCheckIllegal")]
pub(crate) struct ImportVariant {
    /// The variants.ini
    file: PathBuf,

    /// The section: its name in brackets, before the colon
    name: Option<String>,

    /// Write the variant file here; without it, to stdout
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Import although the rules of these keys are lost
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    accept: Vec<String>,

    /// Say what would be lost, and write nothing; the answer is "no" if the section is refused
    #[arg(long, conflicts_with = "out")]
    explain: bool,

    /// Print a JSON object, for a list one a line: game, section, imports, text (or file), losses
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ImportObject<'a> {
    game: Option<&'a str>,
    section: &'a str,
    imports: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    losses: Vec<ProblemObject<'a>>,
}

#[derive(Serialize)]
struct ProblemObject<'a> {
    key: &'a str,
    value: &'a str,
    line: Option<usize>,
    section: &'a str,
    why: &'a str,
    accepted: bool,
}

impl<'a> From<&'a Problem> for ProblemObject<'a> {
    fn from(problem: &'a Problem) -> Self {
        let Problem { key, value, line, section, why, accepted } = problem;
        ProblemObject { key, value, line: *line, section, why, accepted: *accepted }
    }
}

type Translation = std::result::Result<Import, ImportError>;

impl ImportVariant {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let text = read_text(&self.file, MAX_FILE_BYTES)?;
        let sections = interchange::sections(&text).map_err(|error| self.wrong(&error))?;
        if let (None, 2..) = (&self.name, sections.len()) {
            return self.list(&text, &sections);
        }
        let section = self.name.clone().or(sections.first().map(|s| s.name.clone())).unwrap_or_default();
        let translation = interchange::import(&text, self.name.as_deref(), &self.accept);
        if self.explain && matches!(translation, Ok(_) | Err(ImportError::Refused(_))) {
            return self.tell(&section, &translation);
        }
        let import = translation.map_err(|error| self.refused(&section, &error))?;
        if !self.json {
            deliver(&import.text, self.out.as_deref())?;
            return Ok(ExitStatus::Done);
        }
        if let Some(file) = &self.out {
            files::write(file, import.text.as_bytes())?;
        }
        output::print(&output::json_line(&ImportObject {
            text: self.out.is_none().then_some(import.text.as_str()),
            file: self.out.as_ref().map(|file| file.display().to_string()),
            ..object(&section, &Ok(import.clone()))
        })?)?;
        Ok(ExitStatus::Done)
    }

    fn wrong(&self, error: &ImportError) -> anyhow::Error {
        anyhow!("{}: {error}", self.file.display())
    }

    /// One line: the first key that cannot be expressed, how many more, and how to see them.
    fn refused(&self, section: &str, error: &ImportError) -> anyhow::Error {
        match error {
            ImportError::Refused(problems) if problems.len() > 1 => {
                anyhow!(
                    "{}: [{section}] cannot be imported: {error}; --explain names all",
                    self.file.display()
                )
            }
            ImportError::Refused(_) => {
                anyhow!("{}: [{section}] cannot be imported: {error}", self.file.display())
            }
            _ => self.wrong(error),
        }
    }

    /// Which sections can be imported.
    fn list(&self, text: &str, sections: &[SectionName]) -> Result<ExitStatus> {
        if self.out.is_some() {
            bail!("{}: {} sections: name the one to write", self.file.display(), sections.len());
        }
        let mut rows = vec![["SECTION", "LINE", "IMPORTS"].map(str::to_string)];
        let mut lines = String::new();
        let mut count = 0;
        for section in sections {
            let translation = interchange::import(text, Some(&section.name), &self.accept);
            count += usize::from(translation.is_ok());
            if self.json {
                lines += &output::json_line(&object(&section.name, &translation))?;
                continue;
            }
            let verdict = match &translation {
                Ok(import) if import.losses.is_empty() => "yes".into(),
                Ok(import) => format!("yes, without {}", names(&import.losses)),
                Err(ImportError::Refused(problems)) => format!("no: {}", names(problems)),
                Err(error) => format!("no: {error}"),
            };
            rows.push([section.name.clone(), section.line.to_string(), verdict]);
        }
        if self.json {
            output::print(&lines)?;
        } else {
            let total = sections.len();
            output::print(&format!("{}\n{count} of {total} sections can be imported.\n", columns(&rows)))?;
        }
        Ok(ExitStatus::Done)
    }

    /// All rules that are lost.
    fn tell(&self, section: &str, translation: &Translation) -> Result<ExitStatus> {
        let answer = if translation.is_ok() { ExitStatus::Done } else { ExitStatus::No };
        if self.json {
            output::print(&output::json_line(&object(section, translation))?)?;
            return Ok(answer);
        }
        let problems = problems(translation);
        let mut text = match (translation, problems.len()) {
            (Ok(_), 0) => format!("[{section}] can be imported whole.\n"),
            (Ok(_), _) => format!("[{section}] can be imported without:\n"),
            _ => format!("[{section}] cannot be imported:\n"),
        };
        for problem in problems {
            text += &format!("  {problem}{}\n", if problem.accepted { " (accepted)" } else { "" });
        }
        output::print(&text)?;
        Ok(answer)
    }
}

fn problems(translation: &Translation) -> &[Problem] {
    match translation {
        Ok(import) => &import.losses,
        Err(ImportError::Refused(problems)) => problems,
        Err(_) => &[],
    }
}

fn object<'a>(section: &'a str, translation: &'a Translation) -> ImportObject<'a> {
    let error = translation.as_ref().err().filter(|error| !matches!(error, ImportError::Refused(_)));
    ImportObject {
        game: translation.as_ref().ok().map(|import| import.id.as_str()),
        section,
        imports: translation.is_ok(),
        text: None,
        file: None,
        error: error.map(ToString::to_string),
        losses: problems(translation).iter().map(ProblemObject::from).collect(),
    }
}

/// The keys of some problems, each once.
fn names(problems: &[Problem]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for problem in problems {
        if !names.contains(&problem.key.as_str()) {
            names.push(&problem.key);
        }
    }
    names.join(", ")
}
