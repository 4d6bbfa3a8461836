//! Proof files: what they prove, for searches to end in; and the tables in which proofs end.

use crate::playable::{SharedTables, Tables};
use crate::support::files::sha256;
use crate::support::memory;
use crate::support::words::reason;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed, Probe};
use jewel_engine::value::{Outcome, Value};
use jewel_engine::zobrist::splitmix64;
use jewel_solver::proof::ProofError;
use jewel_solver::proof::check::check;
use jewel_solver::proof::game::{CheckedGame, Leaves, NoLeaves, PackedGame, PlainGame};
use jewel_solver::proof::header::{Encoding, NamedTable};
use jewel_solver::proof::proven::Proven;
use jewel_solver::proof::reader::Proof;
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

/// The files of a folder whose names end in `.proof`, sorted.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        let paths = read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
        let mut files: Vec<PathBuf> = paths.collect::<std::io::Result<_>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "proof"));
        files.sort();
        Ok(files)
    };
    list().map_err(|error| anyhow!("{}: {}", folder.display(), reason(&error)))
}

/// What tables and proof files know together.
struct Known<P> {
    tables: Tables<P>,
    proofs: Vec<Proven<P>>,
}

impl<P: Packed> Probe<P> for Known<P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        let proven = || self.proofs.iter().find_map(|proven| proven.probe_wdl(position));
        self.tables.probe_wdl(position).or_else(proven)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.tables.probe(position)
    }

    fn probe_least(&self, position: &P) -> Option<Value> {
        self.proofs.iter().filter_map(|proven| proven.probe_least(position)).max()
    }
}

/// Opens the tables of these names, in which a proof ends, and compares them with the checksums.
pub(crate) type OpenNamed<'a> = &'a dyn Fn(&[NamedTable]) -> Result<Box<dyn Leaves>>;

/// What proof files prove, each of which is checked here, together with what tables know.
///
/// # Errors
/// If a file cannot be read, is for another game, or does not prove what it claims.
pub(crate) fn with_proofs<G: Game<Position: Packed + Notation>>(
    game: &G,
    fingerprint: u64,
    tables: Option<SharedTables<G::Position>>,
    files: &[PathBuf],
    named: OpenNamed<'_>,
) -> Result<SharedTables<G::Position>>
where
    G::Position: 'static,
{
    let open = |path: &PathBuf| {
        open(game, fingerprint, path, named).map_err(|error| anyhow!("{}: {error:#}", path.display()))
    };
    Ok(Arc::new(Known { tables: Tables(tables), proofs: files.iter().map(open).collect::<Result<_>>()? }))
}

/// The proof files of a folder, of a game whose rules are code.
///
/// # Errors
/// As [`with_proofs`], or if there are none.
pub(crate) fn of_coded_game<G: Game<Position: Packed + Notation>>(
    game: &G,
    folder: &Path,
) -> Result<SharedTables<G::Position>>
where
    G::Position: 'static,
{
    let files = files(folder)?;
    if files.is_empty() {
        bail!(
            "{}: there are endgame tables for the games of variant files alone, and no proof file in {}",
            game.id(),
            folder.display()
        );
    }
    let none = |_: &[NamedTable]| bail!("the proof ends in tables, which the game does not have");
    with_proofs(game, fingerprint_of_id(game.id()), None, &files, &none)
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
