//! `jewel prove`: searching, making the strategy, writing it, and checking the file before it is called a proof.

use super::check::check_file;
use super::tables::NamedLeaves;
use super::{Claim, ExitStatus, Prove};
use crate::progress;
use crate::tables::{TableFolder, report::sha256};
use crate::text::grouped;
use crate::{interrupt, output};
use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::ability::{Game, NoTables, Notation, Packed, Probe};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::playable::Playable;
use jewel_players::support::files::read_text;
use jewel_players::support::layout::columns;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_players::with_game;
use jewel_search::evaluate::Evaluate;
use jewel_solver::proof::game::{CheckedGame, Encode, PackedGame, PlainGame};
use jewel_solver::proof::header::{Header, Kind, NamedTable};
use jewel_solver::proof::reader::Proof;
use jewel_solver::proof::safe::safe_strategy;
use jewel_solver::proof::search::{Finding, INFINITE, Search};
use jewel_solver::proof::strategy::{NoStrategy, Strategy, write};
use jewel_solver::proof::win::winning_strategy;
use jewel_solver::proof::writer::BLOCK;
use jewel_solver::tablebase::Unsupported;
use jewel_solver::{state, with_key};
use jewel_tables::atomic::AtomicFile;
use jewel_tables::source::RegularFile;
use serde::Serialize;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the state of a search is saved.
const SAVE: Duration = Duration::from_secs(300);
/// How often progress is shown.
const SHOW: Duration = Duration::from_millis(250);
/// Nodes of the search for the opponent's win after each move of a strategy that is not to lose.
const GUARD: u64 = 100;
/// The longest variant file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What became of a claim.
#[derive(Serialize)]
struct Report {
    game: String,
    fen: String,
    side: char,
    claim: String,
    proven: bool,
    /// Positions of the file.
    positions: Option<u64>,
    /// Plies in which the win comes at the latest by the file.
    plies: Option<u32>,
    file: Option<String>,
    bytes: Option<u64>,
    sha256: Option<String>,
    nodes: u64,
    /// Seconds of the search and of making the file.
    seconds: f64,
    /// Seconds of the check.
    check_seconds: Option<f64>,
}

pub(super) fn run(args: &Prove, claim: Claim) -> Result<ExitStatus> {
    let any = args.game.resolve()?;
    if any.has_dice() || any.hides() {
        bail!("{} has dice or hidden pieces: nothing about it can be proven so", any.card().id);
    }
    with_game!(any, game => prove(args, any, game, claim))
}

/// The rules as a proof file has them: the text of the variant file, or the id.
fn rules_text(args: &Prove, any: AnyGame) -> Result<String> {
    match (any, args.game.which.file()) {
        (AnyGame::Variant(_), Some(file)) => read_text(file, MAX_FILE_BYTES),
        (AnyGame::Variant(rules), None) => {
            let embedded = games::find(&rules.id).context("the game has no variant file")?;
            Ok(embedded.text.to_string())
        }
        (AnyGame::Coded(game), _) => Ok(game.card().id),
    }
}

/// A strategy of a proof file does not know what was played before, so a repetition has to be a draw.
pub(super) fn refuse_repetition(any: AnyGame) -> Result<()> {
    if any.rules().is_ok_and(|rules| !rules.endless_is_draw()) {
        bail!("{}", Unsupported::Repetition);
    }
    Ok(())
}

fn prove<G>(args: &Prove, any: AnyGame, game: G, claim: Claim) -> Result<ExitStatus>
where
    G: Playable<Position: Packed>,
{
    refuse_repetition(any)?;
    let root = args.game.position(&game)?;
    let folder = args.tables.as_deref();
    let named = match (folder, any) {
        (None, _) => vec![],
        (Some(folder), any) => {
            let rules = any.rules()?;
            NamedLeaves::open(&TableFolder::new(&args.game.which, rules, Some(folder)), rules)?.named()?
        }
    };
    let tables = folder.map(|folder| game.tables(folder)).transpose()?;
    let leaves: &dyn Probe<G::Position> = match &tables {
        Some(tables) => &**tables,
        None => &NoTables,
    };
    let evaluation = game.evaluation();
    let estimate = move |position: &G::Position| evaluation.evaluate_afresh(position);
    let path =
        args.file.clone().unwrap_or_else(|| PathBuf::from(format!("{}.proof", game.id().replace(':', "-"))));
    let job = Job {
        args,
        any,
        game: &game,
        root: &root,
        prover: args.side.unwrap_or_else(|| root.side_to_move()),
        claim,
        leaves,
        named,
        rules: rules_text(args, any)?,
        interrupt: interrupt::listen()?,
        state: state_path(&path),
        path,
    };
    let plain = match any {
        AnyGame::Variant(rules) => PlainGame::new(rules).ok(),
        AnyGame::Coded(_) => None,
    };
    // What the plain generator cannot set up is left to the program's own.
    let plain = plain.filter(|plain| plain.root(&root.position_text()).is_ok());
    match plain {
        Some(plain) => job.run(&plain, &estimate),
        None => {
            let bits = root.packed_bits();
            with_key!(bits, Key => job.run(&PackedGame::<G, Key>::new(game.clone(), root.clone()), &estimate))
                .unwrap_or_else(|| {
                    bail!("a position takes {bits} bits; the solver can keep positions of 256")
                })
        }
    }
}

/// The file of an unfinished search, beside that of the proof.
fn state_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".state");
    path.with_file_name(name)
}

struct Job<'a, G: Game> {
    args: &'a Prove,
    any: AnyGame,
    game: &'a G,
    root: &'a G::Position,
    prover: Side,
    claim: Claim,
    leaves: &'a dyn Probe<G::Position>,
    named: Vec<NamedTable>,
    rules: String,
    interrupt: &'static AtomicBool,
    path: PathBuf,
    state: PathBuf,
}

impl<G: Playable<Position: Packed>> Job<'_, G> {
    fn run<E: Encode<G::Position>>(
        &self,
        encode: &E,
        estimate: &(dyn Fn(&G::Position) -> i32 + Sync),
    ) -> Result<ExitStatus> {
        let start = Instant::now();
        let attacker = if self.claim.kind == Kind::Win { self.prover } else { !self.prover };
        // The strategy, and its file in the making, take memory too.
        let memory = memory::limit(self.args.memory);
        let bytes = if self.claim.kind == Kind::Win { memory / 2 } else { (memory / 8).min(256 << 20) };
        let mut search = Search::new(attacker, bytes.max(1 << 16), self.leaves, estimate, self.interrupt)
            .with_threads(self.args.threads);
        self.resume(&mut search)?;
        let found = self.strategy(&mut search);
        let seconds = start.elapsed().as_secs_f64();
        let nodes = search.nodes();
        let strategy = match found {
            Ok(strategy) => Some(strategy),
            Err(NoStrategy::Refuted) => None,
            Err(NoStrategy::Unfinished) if self.claim.kind == Kind::Safe => {
                bail!("interrupted after {} nodes; a search for a draw is not saved", grouped(nodes))
            }
            Err(NoStrategy::Unfinished) => {
                self.save(&search)?;
                let why = if self.interrupt.load(Ordering::Relaxed) { "interrupted" } else { "not finished" };
                bail!(
                    "{why} after {} nodes; the search is in {}: the same command goes on from there",
                    grouped(nodes),
                    self.state.display()
                );
            }
        };
        drop(search);
        let mut report = Report {
            game: self.game.id().to_string(),
            fen: self.root.position_text(),
            side: self.prover.letter(),
            claim: self.claim.text(),
            proven: false,
            positions: None,
            plies: None,
            file: None,
            bytes: None,
            sha256: None,
            nodes,
            seconds,
            check_seconds: None,
        };
        if let Some(strategy) = strategy {
            self.finish(&strategy, encode, &mut report)?;
        }
        if self.claim.kind == Kind::Win {
            // It is of no more use.
            let _ = std::fs::remove_file(&self.state);
        }
        report.seconds = (report.seconds * 1000.0).round() / 1000.0;
        output::print(&if self.args.json { output::json_line(&report)? } else { report.text() })?;
        Ok(if report.proven { ExitStatus::Done } else { ExitStatus::No })
    }

    fn strategy(
        &self,
        search: &mut Search<'_, G::Position>,
    ) -> Result<Strategy<<G::Position as Position>::Move>, NoStrategy> {
        let bar = progress::message("searching");
        let last = RefCell::new((Instant::now(), Instant::now()));
        let mut watch = |search: &Search<'_, G::Position>| {
            let mut last = last.borrow_mut();
            if last.0.elapsed() >= SHOW {
                last.0 = Instant::now();
                bar.set_message(self.standing(search));
            }
            if last.1.elapsed() >= SAVE && self.claim.kind == Kind::Win {
                // What cannot be saved now may be saved later; Ctrl-C reports it.
                let _ = self.save(search);
                last.1 = Instant::now();
            }
        };
        let stopped = || self.interrupt.load(Ordering::Relaxed);
        let result = match self.claim.kind {
            Kind::Safe => safe_strategy(search, self.root, self.leaves, GUARD, &mut watch, &stopped),
            Kind::Win => match search.solve(self.root, self.claim.limit, u64::MAX, &mut watch) {
                Finding::Proven => {
                    winning_strategy(search, self.root, self.claim.limit, self.leaves, &mut watch)
                }
                Finding::Disproven => Err(NoStrategy::Refuted),
                Finding::Unknown => Err(NoStrategy::Unfinished),
            },
        };
        bar.finish_and_clear();
        result
    }

    /// A line of progress: nodes, and the numbers of the root and of its moves.
    fn standing(&self, search: &Search<'_, G::Position>) -> String {
        let standing = search.standing();
        let nodes = grouped(search.nodes());
        if self.claim.kind == Kind::Safe {
            return format!("{nodes} nodes of searches for the opponent's wins");
        }
        let (pn, dn) = standing.root;
        let number = |number: u32| if number >= INFINITE { "inf".to_string() } else { number.to_string() };
        let mut moves: Vec<_> = standing.moves.iter().collect();
        moves.sort_by_key(|(_, pn, dn)| (*pn, std::cmp::Reverse(*dn)));
        let texts = moves
            .iter()
            .take(6)
            .map(|(mv, pn, dn)| format!("{} {}/{}", self.root.move_text(*mv), number(*pn), number(*dn)));
        format!("{nodes} nodes, root {}/{}: {}", number(pn), number(dn), texts.collect::<Vec<_>>().join(", "))
    }

    /// What belongs to a state: rules, root and claim.
    fn fingerprint(&self) -> u64 {
        let claim = format!("{} {}", self.prover.letter(), self.claim.text());
        let start = state::fingerprint(self.any.fingerprint(), self.root);
        claim.bytes().fold(start, |hash, byte| jewel_engine::zobrist::splitmix64(hash ^ u64::from(byte)).1)
    }

    fn resume(&self, search: &mut Search<'_, G::Position>) -> Result<()> {
        if self.claim.kind == Kind::Safe || !self.state.exists() {
            return Ok(());
        }
        let name = self.state.display();
        let source = RegularFile::open(&self.state).map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
        let loaded = search.load(self.fingerprint(), &source);
        loaded.map_err(|e| anyhow!("{name}: {e}: move it elsewhere, or name another --file"))
    }

    fn save(&self, search: &Search<'_, G::Position>) -> Result<()> {
        let save = || {
            let mut file = AtomicFile::create(&self.state)?;
            search.save(self.fingerprint(), &mut file)?;
            file.commit()
        };
        save().map_err(|e| anyhow!("{}: the search cannot be saved: {}", self.state.display(), reason(&e)))
    }

    /// Writes the file under another name, checks it, and gives it its name.
    fn finish<E: Encode<G::Position>>(
        &self,
        strategy: &Strategy<<G::Position as Position>::Move>,
        encode: &E,
        report: &mut Report,
    ) -> Result<()> {
        let (symbols, bits) = encode.size();
        if symbols > 255 {
            bail!("a position has {symbols} symbols; a proof file has room for 255");
        }
        let header = Header {
            kind: self.claim.kind,
            prover: self.prover,
            encoding: encode.encoding(),
            symbols: symbols as u8,
            bits: bits as u8,
            fingerprint: self.any.fingerprint(),
            positions: 0,
            block: BLOCK,
            limit: self.claim.limit,
            rules: self.rules.clone(),
            root: self.root.position_text(),
            tables: self.named.clone(),
        };
        let name = self.path.display();
        let start = Instant::now();
        let mut bytes = Vec::new();
        write(strategy, self.root, encode, header, &mut bytes).context("the proof cannot be put together")?;
        report.seconds += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let proof =
            Proof::open(&bytes).map_err(|error| anyhow!("the proof that was made is wrong: {error}"))?;
        let checked =
            check_file(&proof, self.any, self.args.tables.as_deref(), memory::limit(self.args.memory))?;
        let checked =
            checked.map_err(|error| anyhow!("the proof that was made does not pass its check: {error}"))?;
        report.check_seconds = Some((start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0);
        let mut file = AtomicFile::create(&self.path).map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
        let written = std::io::Write::write_all(&mut file, &bytes).and_then(|()| file.commit());
        written.map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
        report.proven = true;
        report.positions = Some(checked.positions);
        report.plies = strategy.plies(self.root).filter(|_| self.claim.kind == Kind::Win);
        report.file = Some(name.to_string());
        report.bytes = Some(bytes.len() as u64);
        report.sha256 = Some(sha256(&self.path)?);
        Ok(())
    }
}

impl Report {
    fn text(&self) -> String {
        let mut rows = vec![
            ["claim".to_string(), format!("{}, for {} from {}", self.claim, self.side, self.fen)],
            ["verdict".into(), if self.proven { "proven" } else { "wrong" }.into()],
        ];
        if let (Some(positions), Some(bytes)) = (self.positions, self.bytes) {
            rows.push(["positions".into(), grouped(positions)]);
            let each = bytes as f64 / positions.max(1) as f64;
            rows.push(["bytes".into(), format!("{} ({each:.2} a position)", grouped(bytes))]);
        }
        rows.extend(self.plies.map(|plies| ["longest".into(), format!("{plies} plies")]));
        rows.push(["nodes".into(), grouped(self.nodes)]);
        let check =
            self.check_seconds.map_or(String::new(), |seconds| format!(", and {seconds:.3} to check"));
        rows.push(["seconds".into(), format!("{:.3}{check}", self.seconds)]);
        rows.extend(self.file.iter().map(|file| ["file".into(), file.clone()]));
        rows.extend(self.sha256.iter().map(|sum| ["sha256".into(), sum.clone()]));
        columns(&rows)
    }
}
