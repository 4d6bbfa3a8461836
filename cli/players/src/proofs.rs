//! Solution and proof files: what they hold and prove, for searches to end in; and the tables in which proofs end.

use crate::playable::{SharedTables, Tables};
use crate::support::files::sha256;
use crate::support::memory;
use crate::support::words::reason;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed, Probe, Symmetric};
use jewel_engine::value::{Outcome, Value};
use jewel_engine::zobrist::splitmix64;
use jewel_solver::dense::FILE;
use jewel_solver::proof::ProofError;
use jewel_solver::proof::check::check;
use jewel_solver::proof::game::{CheckedGame, Leaves, NoLeaves, PackedGame, PlainGame};
use jewel_solver::proof::header::{Encoding, NamedTable};
use jewel_solver::proof::proven::Proven;
use jewel_solver::proof::reader::Proof;
use jewel_solver::solution_file::header::Header;
use jewel_solver::solution_file::reader::SolutionFile;
use jewel_solver::tablebase::TableSet;
use jewel_tables::source::RegularFile;
use std::fs::read_dir;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The fingerprint of a game whose rules are code, by its id with all parameters.
pub(crate) fn fingerprint_of_id(id: &str) -> u64 {
    id.bytes().fold(1, |hash, byte| splitmix64(hash ^ u64::from(byte)).1)
}

/// The solution and proof files of a folder.
pub(crate) struct Files {
    /// Those whose names end in `.solution`, sorted.
    pub(crate) solutions: Vec<PathBuf>,
    /// Those whose names end in `.proof`, sorted.
    pub(crate) proofs: Vec<PathBuf>,
}

impl Files {
    /// Looks into a folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn of(folder: &Path) -> Result<Files> {
        let list = || -> std::io::Result<Files> {
            let paths = read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
            let mut paths: Vec<PathBuf> = paths.collect::<std::io::Result<_>>()?;
            paths.sort();
            let ending = |end: &str| -> Vec<PathBuf> {
                paths.iter().filter(|path| path.extension().is_some_and(|e| e == end)).cloned().collect()
            };
            Ok(Files { solutions: ending("solution"), proofs: ending("proof") })
        };
        list().map_err(|error| anyhow!("{}: {}", folder.display(), reason(&error)))
    }

    /// One of them, if there are any.
    pub(crate) fn first(&self) -> Option<&Path> {
        self.proofs.first().or(self.solutions.first()).map(PathBuf::as_path)
    }
}

/// Whether a folder has endgame tables.
pub fn has_tables(folder: &Path) -> bool {
    let is_table = |path: PathBuf| path.ends_with(FILE) || path.extension().is_some_and(|end| end == "jt");
    read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|e| is_table(e.path()))))
}

/// Whether a folder has solution or proof files.
pub fn has_files(folder: &Path) -> bool {
    Files::of(folder).is_ok_and(|files| files.first().is_some())
}

/// What tables, solution files and proof files know together.
struct Known<P> {
    tables: Tables<P>,
    solutions: Vec<SharedTables<P>>,
    proofs: Vec<Proven<P>>,
}

impl<P: Packed> Probe<P> for Known<P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        let solved = || self.solutions.iter().find_map(|solution| solution.probe_wdl(position));
        let proven = || self.proofs.iter().find_map(|proven| proven.probe_wdl(position));
        self.tables.probe_wdl(position).or_else(solved).or_else(proven)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        let solved = || self.solutions.iter().find_map(|solution| solution.probe(position));
        self.tables.probe(position).or_else(solved)
    }

    fn probe_least(&self, position: &P) -> Option<Value> {
        self.proofs.iter().filter_map(|proven| proven.probe_least(position)).max()
    }
}

/// Opens the tables of these names, in which a proof ends, and compares them with the checksums.
pub(crate) type OpenNamed<'a> = &'a dyn Fn(&[NamedTable]) -> Result<Box<dyn Leaves>>;

/// What solution files hold and what proof files prove, each of which is checked here, together with what tables know.
///
/// # Errors
/// If a file cannot be read, is for another game or damaged, or does not prove what it claims.
#[inline(never)]
pub(crate) fn with_files<G: Game<Position: Packed + Notation + Symmetric>>(
    game: &G,
    fingerprint: u64,
    tables: Option<SharedTables<G::Position>>,
    files: &Files,
    named: OpenNamed<'_>,
) -> Result<SharedTables<G::Position>>
where
    G::Position: 'static,
{
    let named_error = |path: &Path, error| anyhow!("{}: {error:#}", path.display());
    let proof =
        |path: &PathBuf| open(game, fingerprint, path, named).map_err(|error| named_error(path, error));
    let solution =
        |path: &PathBuf| open_solution(game, fingerprint, path).map_err(|error| named_error(path, error));
    Ok(Arc::new(Known {
        tables: Tables(tables),
        solutions: files.solutions.iter().map(solution).collect::<Result<_>>()?,
        proofs: files.proofs.iter().map(proof).collect::<Result<_>>()?,
    }))
}

/// The values of a solution file, all of whose blocks are compared with their checksums.
fn open_solution<G: Game<Position: Packed + Notation + Symmetric>>(
    game: &G,
    fingerprint: u64,
    path: &Path,
) -> Result<SharedTables<G::Position>>
where
    G::Position: 'static,
{
    let source = RegularFile::open(path).map_err(|error| anyhow!("{}", reason(&error)))?;
    let header = Header::read(&source)?;
    if header.fingerprint != fingerprint {
        bail!(
            "the solution is for other rules than those of {}: make one with jewel solve {} --save FILE",
            game.id(),
            game.id()
        );
    }
    let root = game.parse_position(&header.root).map_err(|error| anyhow!("the root: {error}"))?;
    let file = SolutionFile::open(Box::new(source), root, fingerprint)?;
    file.check()?;
    Ok(Arc::new(file))
}

/// The solution and proof files of a folder, of a game whose rules are code.
///
/// # Errors
/// As [`with_files`], or if there are none.
pub(crate) fn of_coded_game<G: Game<Position: Packed + Notation + Symmetric>>(
    game: &G,
    folder: &Path,
) -> Result<SharedTables<G::Position>>
where
    G::Position: 'static,
{
    let files = Files::of(folder)?;
    if files.first().is_none() {
        bail!(
            "{}: there are endgame tables for the games of variant files alone, and no proof or solution file in {}",
            game.id(),
            folder.display()
        );
    }
    let none = |_: &[NamedTable]| bail!("the proof ends in tables, which the game does not have");
    with_files(game, fingerprint_of_id(game.id()), None, &files, &none)
}

fn open<G: Game<Position: Packed + Notation>>(
    game: &G,
    fingerprint: u64,
    path: &Path,
    named: OpenNamed<'_>,
) -> Result<Proven<G::Position>> {
    let source = RegularFile::open(path).map_err(|error| anyhow!("{}", reason(&error)))?;
    let proof = Proof::open(&source)?;
    let header = proof.header();
    if header.fingerprint != fingerprint {
        bail!("the proof is for other rules than those of {}", game.id());
    }
    let leaves = if header.tables.is_empty() { Box::new(NoLeaves) } else { named(&header.tables)? };
    match header.encoding {
        Encoding::Board => proven(&proof, &PlainGame::of(header)?, &*leaves, game),
        Encoding::Packed => {
            let root = game.parse_position(&header.root).map_err(|error| anyhow!("the root: {error}"))?;
            let Some(packed) = PackedGame::new(game.clone(), root) else {
                bail!("positions of this game do not fit into 256 bits")
            };
            proven(&proof, &packed, &*leaves, game)
        }
    }
}

fn proven<C: CheckedGame, G: Game<Position: Packed>>(
    proof: &Proof<'_>,
    checked: &C,
    leaves: &dyn Leaves,
    game: &G,
) -> Result<Proven<G::Position>> {
    let go_on = AtomicBool::new(false);
    check(proof, checked, leaves, memory::limit(None) / 4, &go_on, &mut |_| ()).map_err(
        |error| match error {
            ProofError::Refuted { .. } => anyhow!("the proof is wrong: {error}"),
            other => other.into(),
        },
    )?;
    Ok(Proven::open(proof, checked, game)?)
}

/// Open tables, asked by position strings.
#[derive(Debug)]
pub struct NamedLeaves<G> {
    set: TableSet<'static>,
    game: G,
}

impl<G> NamedLeaves<G> {
    /// These tables of a game.
    pub fn new(set: TableSet<'static>, game: G) -> NamedLeaves<G> {
        NamedLeaves { set, game }
    }

    /// The tables with the checksums of their files, by name.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn named(&self) -> Result<Vec<NamedTable>> {
        let table = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(NamedTable { sha256: sha256(path)?, name })
        };
        self.set.tables().iter().map(|open| table(Path::new(open.name()))).collect()
    }

    /// Whether these are the tables of a proof, no more and no less.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, named: &[NamedTable]) -> Result<()> {
        let here = self.named()?;
        for table in named {
            match here.iter().find(|other| other.name == table.name) {
                None => bail!("the proof ends in the table {}, which is not in the folder", table.name),
                Some(other) if !other.sha256.eq_ignore_ascii_case(&table.sha256) => {
                    bail!("{}: its SHA-256 is not the one that the proof names", table.name)
                }
                _ => {}
            }
        }
        if let Some(more) = here.iter().find(|table| named.iter().all(|other| other.name != table.name)) {
            bail!("the folder has the table {}, which the proof does not name: move it elsewhere", more.name);
        }
        Ok(())
    }
}

impl<G: Game> Leaves for NamedLeaves<G>
where
    TableSet<'static>: Probe<G::Position>,
{
    fn value(&self, position: &str) -> Option<Value> {
        Probe::probe(&self.set, &self.game.parse_position(position).ok()?)
    }
}
