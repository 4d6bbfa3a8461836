//! `jewel claims`: what is claimed about the values of games, solved and compared.

use super::ExitStatus;
use crate::claims::{Checked, Subject, lines, subjects};
use crate::text::grouped;
use crate::{interrupt, output, progress, threads};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::support::files::read_text;
use jewel_players::support::layout::folded;
use jewel_players::support::memory;
use jewel_players::support::words::shortened;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Solve games whose values are known, and compare
#[derive(Args)]
#[command(after_long_help = "\
Each claim, published or our own, is solved anew and comes out confirmed or refuted; the exit code is 1 if one is refuted. \
Claims without a source have not been published by others as far as we know.

The claims that come with the program are those of results/claims.toml, which explains its keys; --file takes those of another \
file. Without a name the quick ones are checked: a second or two each.

Examples:
  jewel claims
  jewel claims breakthrough hexapawn
  jewel claims --all --json
  jewel claims --file mine.toml --all")]
pub(crate) struct Claims {
    /// Check the subjects with these words in their names, however long that takes
    #[arg(value_name = "NAME", conflicts_with_all = ["all", "quick"])]
    names: Vec<String>,

    /// Check all of them
    #[arg(long, conflicts_with = "quick")]
    all: bool,

    /// Check those that take a second or two, as without any option
    #[arg(long)]
    quick: bool,

    /// Take the claims of this file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Take no more memory than this, such as 500M or 16G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Print a JSON object a line: subject, claim, confirmed, found, source, seconds
    #[arg(long)]
    json: bool,
}

/// The longest file of claims that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// A claim and what became of it: a line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    subject: &'a str,
    claim: &'a str,
    confirmed: bool,
    found: &'a str,
    source: Option<&'a str>,
    convention: Option<&'a str>,
    /// That solving the subject took.
    seconds: f64,
}

impl Claims {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let subjects = self.wanted()?;
        let pool = threads::pool(self.threads)?;
        let interrupt = interrupt::listen()?;
        let (mut checked, mut confirmed) = (0, 0);
        for subject in &subjects {
            let bar = progress::message(&subject.name);
            let begun = Instant::now();
            let found = pool.install(|| subject.check(memory::limit(self.memory), interrupt));
            bar.finish_and_clear();
            if interrupt.load(Ordering::Relaxed) {
                bail!("interrupted after {checked} claims, {confirmed} of them confirmed");
            }
            let found = found?;
            checked += found.len();
            confirmed += found.iter().filter(|claim| claim.confirmed).count();
            output::print(&self.text(subject, &found, begun.elapsed().as_secs_f64())?)?;
        }
        if !self.json {
            output::print(&format!(
                "{} of {} claims confirmed\n",
                grouped(confirmed as u64),
                grouped(checked as u64)
            ))?;
        }
        Ok(if confirmed == checked { ExitStatus::Done } else { ExitStatus::No })
    }

    /// The subjects that are to be checked.
    fn wanted(&self) -> Result<Vec<Subject>> {
        let file = match &self.file {
            Some(file) => Some((file.display().to_string(), read_text(file, MAX_FILE_BYTES)?)),
            None => None,
        };
        let mut subjects = subjects(file.as_ref().map(|(name, text)| (name.as_str(), text.as_str())))?;
        if let Some(unknown) =
            self.names.iter().find(|word| !subjects.iter().any(|subject| subject.name.contains(*word)))
        {
            bail!(
                "no subject has \"{}\" in its name: jewel claims --all checks all of them",
                shortened(unknown)
            );
        }
        match &self.names[..] {
            [] => subjects.retain(|subject| self.all || subject.is_quick()),
            names => subjects.retain(|subject| names.iter().any(|word| subject.name.contains(word))),
        }
        Ok(subjects)
    }

    fn text(&self, subject: &Subject, found: &[Checked], seconds: f64) -> Result<String> {
        if self.json {
            let line = |claim: &Checked| {
                output::json_line(&Line {
                    subject: &subject.name,
                    claim: &claim.text,
                    confirmed: claim.confirmed,
                    found: &claim.found,
                    source: subject.source.as_deref(),
                    convention: subject.convention.as_deref(),
                    seconds: (seconds * 1000.0).round() / 1000.0,
                })
            };
            return found.iter().map(line).collect();
        }
        let source = subject.source.as_deref().unwrap_or("not published by others");
        Ok(format!("{}\n  {}\n{}", subject.name, folded(source, 2), lines(found)))
    }
}
