//! Making proof files: what `jewel prove` and `jewel solve --method proof` share.

mod check;

use crate::arguments::GameArgs;
use crate::tables::{TableFolder, TableGame};
use anyhow::{Context, Result, anyhow, bail};
pub(crate) use check::check_file;
use jewel_engine::ability::{Game, NoTables, Notation, Packed, Probe};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Value};
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::playable::{Glance, Playable, SharedTables};
use jewel_players::proofs::NamedLeaves;
use jewel_players::support::files::read_text;
use jewel_players::support::words::reason;
use jewel_search::evaluate::Evaluate;
use jewel_solver::proof::check::Checked;
use jewel_solver::proof::game::{CheckedGame, Encode, PackedGame, PlainGame};
use jewel_solver::proof::header::{Header, Kind, NamedTable};
use jewel_solver::proof::reader::Proof;
use jewel_solver::proof::search::Judge;
use jewel_solver::proof::strategy::{Strategy, write};
use jewel_solver::proof::writer::BLOCK;
use jewel_solver::tablebase::Unsupported;
use jewel_solver::width::{MAX_KEY_BITS, TooWide};
use jewel_tables::atomic::AtomicFile;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// The longest variant file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// What a threat is worth, in centipawns.
const THREAT: i32 = 10_000;

/// A strategy of a proof file does not know what was played before, so a repetition has to be a draw.
pub(crate) fn refuse_repetition(any: AnyGame) -> Result<()> {
    if any.rules().is_ok_and(|rules| !rules.endless_is_draw()) {
        bail!("{}", Unsupported::Repetition);
    }
    Ok(())
}

/// The tables of a folder, in which a proof may end.
fn named_leaves(folder: &TableFolder, rules: &'static Rules) -> Result<NamedLeaves<TableGame>> {
    Ok(NamedLeaves::new(folder.open(rules)?.set, TableGame::from_any(rules)))
}

/// What is claimed of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) kind: Kind,
    /// The most plies of a win.
    pub(crate) limit: Option<u32>,
}

impl Claim {
    /// In the words of `jewel prove --claim`.
    pub(crate) fn text(self) -> String {
        match (self.kind, self.limit) {
            (Kind::Safe, _) => "draw".into(),
            (Kind::Win, None) => "win".into(),
            (Kind::Win, Some(plies)) => format!("win in {plies}"),
        }
    }
}

/// A proof file that has passed the check.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) checked: Checked,
    /// Seconds of making it.
    pub(crate) seconds: f64,
    pub(crate) check_seconds: f64,
}

impl Made {
    /// Writes the file under another name, and gives it its name when it is whole.
    ///
    /// # Errors
    /// Those of the file system, with the name of the file.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let save = || {
            let mut file = AtomicFile::create(path)?;
            file.write_all(&self.bytes)?;
            file.commit()
        };
        save().map_err(|e: io::Error| anyhow!("{}: {}", path.display(), reason(&e)))
    }
}

/// The evaluation of a game, and what is seen at a glance in it.
struct OwnJudge<P, E> {
    evaluation: E,
    glance: Option<Glance<P>>,
}

impl<P: Tactics, E: Evaluate<P>> Judge<P> for OwnJudge<P, E> {
    /// A threat, such as a check or a piece on the key, counts more than anything else: it leaves the fewest answers.
    fn estimate(&self, position: &P) -> i32 {
        if position.threatened() { -THREAT } else { self.evaluation.outline(position) }
    }

    fn at_a_glance(&self, position: &P) -> Option<Value> {
        self.glance.as_ref()?(position)
    }
}

/// The rules of a game as proof and solution files have them: the text of the variant file, or the id.
///
/// # Errors
/// If the variant file cannot be read.
pub(crate) fn rules_text(any: AnyGame, args: &GameArgs) -> Result<String> {
    Ok(match (any, args.which.file()) {
        (AnyGame::Variant(_), Some(file)) => read_text(file, MAX_FILE_BYTES)?,
        (AnyGame::Variant(rules), None) => {
            games::find(&rules.id).context("the game has no variant file")?.text.to_string()
        }
        (AnyGame::Coded(game), _) => game.card().id,
    })
}

/// A position about which something is to be proven.
pub(crate) struct Provable<'a, G: Game> {
    pub(crate) any: AnyGame,
    pub(crate) game: G,
    pub(crate) root: G::Position,
    /// The rules as a proof file has them: the text of the variant file, or the id.
    rules: String,
    /// The folder of the tables that lines end in.
    folder: Option<&'a Path>,
    tables: Option<SharedTables<G::Position>>,
    named: Vec<NamedTable>,
    /// The memory of a check, in bytes.
    memory: u64,
}

impl<'a, G: Playable<Position: Packed>> Provable<'a, G> {
    /// The position of the arguments, with the tables of a folder.
    ///
    /// # Errors
    /// If nothing about the game can be proven, or the position or the tables are wrong.
    pub(crate) fn new(
        args: &GameArgs,
        any: AnyGame,
        game: G,
        folder: Option<&'a Path>,
        memory: u64,
    ) -> Result<Provable<'a, G>> {
        if any.has_dice() || any.hides() {
            bail!("{} has dice or hidden pieces: nothing about it can be proven so", any.card().id);
        }
        refuse_repetition(any)?;
        let root = args.position(&game)?;
        let bits = root.packed_bits();
        if bits > MAX_KEY_BITS {
            return Err(TooWide(bits).into());
        }
        let named = match folder {
            None => vec![],
            Some(folder) => {
                let rules = any.rules()?;
                named_leaves(&TableFolder::new(&args.which, rules, Some(folder)), rules)?.named()?
            }
        };
        let tables = folder.map(|folder| game.tables(folder)).transpose()?;
        let rules = rules_text(any, args)?;
        Ok(Provable { any, game, root, rules, folder, tables, named, memory })
    }

    /// The id of the game as file names have it.
    pub(crate) fn file_stem(&self) -> String {
        self.game.id().replace(':', "-")
    }

    /// The values of the tables.
    pub(crate) fn leaves(&self) -> &dyn Probe<G::Position> {
        match &self.tables {
            Some(tables) => &**tables,
            None => &NoTables,
        }
    }

    /// What the search goes by.
    pub(crate) fn judge(&self) -> impl Judge<G::Position> + use<G> {
        OwnJudge { evaluation: self.game.evaluation(), glance: self.game.glance() }
    }

    /// The proof file of a strategy, which has passed the check.
    ///
    /// # Errors
    /// If it cannot be put together, or does not pass.
    pub(crate) fn file(
        &self,
        strategy: &Strategy<<G::Position as Position>::Move>,
        prover: Side,
        claim: Claim,
    ) -> Result<Made> {
        let start = Instant::now();
        let bytes = self.bytes(strategy, prover, claim)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let proof =
            Proof::open(&bytes).map_err(|error| anyhow!("the proof that was made is wrong: {error}"))?;
        let checked = check_file(&proof, self.any, self.folder, self.memory)?;
        let checked =
            checked.map_err(|error| anyhow!("the proof that was made does not pass its check: {error}"))?;
        drop(proof);
        Ok(Made { bytes, checked, seconds, check_seconds: start.elapsed().as_secs_f64() })
    }

    fn bytes(
        &self,
        strategy: &Strategy<<G::Position as Position>::Move>,
        prover: Side,
        claim: Claim,
    ) -> Result<Vec<u8>> {
        let root = &self.root;
        let plain = match self.any {
            AnyGame::Variant(rules) => PlainGame::new(rules).ok(),
            AnyGame::Coded(_) => None,
        };
        // What the plain generator cannot set up is left to the program's own.
        if let Some(plain) = plain.filter(|plain| plain.root(&root.position_text()).is_ok()) {
            return self.encoded(&plain, strategy, prover, claim);
        }
        match PackedGame::new(self.game.clone(), root.clone()) {
            Some(packed) => self.encoded(&packed, strategy, prover, claim),
            None => unreachable!("positions that are too wide were refused"),
        }
    }

    fn encoded<E: Encode<G::Position>>(
        &self,
        encode: &E,
        strategy: &Strategy<<G::Position as Position>::Move>,
        prover: Side,
        claim: Claim,
    ) -> Result<Vec<u8>> {
        let (symbols, bits) = encode.size();
        if symbols > 255 {
            bail!("a position has {symbols} symbols; a proof file has room for 255");
        }
        let header = Header {
            kind: claim.kind,
            prover,
            encoding: encode.encoding(),
            symbols: symbols as u8,
            bits: bits as u8,
            fingerprint: self.any.fingerprint(),
            positions: 0,
            block: BLOCK,
            limit: claim.limit,
            rules: self.rules.clone(),
            root: self.root.position_text(),
            tables: self.named.clone(),
        };
        let mut bytes = Vec::new();
        write(strategy, &self.root, encode, header, &mut bytes)
            .context("the proof cannot be put together")?;
        Ok(bytes)
    }
}
