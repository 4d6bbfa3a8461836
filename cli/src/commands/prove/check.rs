//! `jewel prove --check`: whether a file proves its claim.

use super::{ExitStatus, Prove};
use crate::output;
use crate::proving::{Claim, check_file};
use crate::text::grouped;
use anyhow::{Result, anyhow, bail};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::files::sha256;
use jewel_players::support::layout::columns;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_solver::proof::ProofError;
use jewel_solver::proof::check::Checked;
use jewel_solver::proof::header::{Encoding, Header, Kind};
use jewel_solver::proof::reader::Proof;
use jewel_tables::source::RegularFile;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What a file proves, or why it does not.
#[derive(Serialize)]
struct Report {
    game: String,
    fen: String,
    side: char,
    claim: String,
    proven: bool,
    positions: u64,
    answers: u64,
    leaves: u64,
    file: String,
    bytes: u64,
    sha256: String,
    /// `plain`, a second move generator, or `own`, that of the search.
    generator: &'static str,
    seconds: f64,
    problem: Option<String>,
}

/// The claim of a header, in the words of `--claim`.
fn claim(header: &Header) -> String {
    Claim { kind: header.kind, limit: header.limit }.text()
}

pub(super) fn run(args: &Prove, file: &Path) -> Result<ExitStatus> {
    let name = file.display();
    let source = RegularFile::open(file).map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
    let start = Instant::now();
    let proof = match Proof::open(&source) {
        Ok(proof) => proof,
        Err(error) => bail!("{name}: {error}"),
    };
    let header = proof.header();
    let game = game_of(header).map_err(|error| anyhow!("{name}: {error}"))?;
    let found = check_file(&proof, game, args.tables.as_deref(), memory::limit(args.memory));
    let (checked, problem) = match found {
        Ok(Ok(checked)) => (checked, None),
        Ok(Err(ProofError::Interrupted)) => bail!("{name}: interrupted; nothing is known of it"),
        Ok(Err(error @ (ProofError::Refuted { .. } | ProofError::Damaged(_)))) => {
            (Checked::default(), Some(error.to_string()))
        }
        Ok(Err(error)) => bail!("{name}: {error}"),
        Err(error) => bail!("{name}: {error}"),
    };
    let report = Report {
        game: game.card().id,
        fen: header.root.clone(),
        side: header.prover.letter(),
        claim: claim(header),
        proven: problem.is_none(),
        positions: header.positions,
        answers: checked.answers,
        leaves: checked.leaves,
        file: name.to_string(),
        bytes: std::fs::metadata(file).map_or(0, |metadata| metadata.len()),
        sha256: sha256(file)?,
        generator: if header.encoding == Encoding::Board { "plain" } else { "own" },
        seconds: start.elapsed().as_secs_f64(),
        problem,
    };
    output::print(&if args.json { output::json_line(&report)? } else { report.text(header) })?;
    Ok(if report.proven { ExitStatus::Done } else { ExitStatus::No })
}

/// The game of a file: a variant file's, or one of the program.
fn game_of(header: &Header) -> Result<AnyGame> {
    let game = match Rules::parse(&header.rules) {
        Ok(_) => AnyGame::from_text(&header.rules)?,
        Err(_) if header.encoding == Encoding::Packed && !header.rules.contains('\n') => {
            AnyGame::resolve(&header.rules)?
        }
        Err(error) => bail!("the rules in the file: {error}"),
    };
    if game.fingerprint() != header.fingerprint {
        bail!("the rules in the file are not those of its fingerprint");
    }
    Ok(game)
}

impl Report {
    fn text(&self, header: &Header) -> String {
        let verdict = match &self.problem {
            None => "proven".to_string(),
            Some(problem) => format!("not proven: {problem}"),
        };
        let side = if header.prover == Side::White { "White" } else { "Black" };
        let what = match (header.kind, header.limit) {
            (Kind::Safe, _) => format!("{side} does not lose"),
            (Kind::Win, None) => format!("{side} wins"),
            (Kind::Win, Some(plies)) => format!("{side} wins in {plies} plies"),
        };
        let generator = match self.generator {
            "plain" => "the plain move generator, by the rules in the file",
            _ => "the program's own move generator",
        };
        let mut rows = vec![
            ["claim".to_string(), format!("{what}, {} from {}", self.game, self.fen)],
            ["verdict".into(), verdict],
            [
                "positions".into(),
                format!("{}, with {} answers", grouped(self.positions), grouped(self.answers)),
            ],
            ["checked by".into(), generator.into()],
            [
                "bytes".into(),
                format!(
                    "{} ({:.2} a position)",
                    grouped(self.bytes),
                    self.bytes as f64 / self.positions.max(1) as f64
                ),
            ],
            ["sha256".into(), self.sha256.clone()],
            ["seconds".into(), format!("{:.3}", self.seconds)],
        ];
        if !header.tables.is_empty() {
            rows.insert(
                3,
                ["tables".into(), format!("{}, asked {} times", header.tables.len(), grouped(self.leaves))],
            );
        }
        columns(&rows)
    }
}
