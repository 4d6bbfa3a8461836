//! `jewel prove`: searching, making the strategy, writing it, and checking the file before it is called a proof.

use super::{Claim, ExitStatus, Prove};
use crate::proving::Provable;
use crate::text::grouped;
use crate::{interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed};
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::playable::Playable;
use jewel_players::support::files::sha256;
use jewel_players::support::layout::columns;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_players::with_game;
use jewel_solver::proof::header::Kind;
use jewel_solver::proof::safe::{self, GUARD, Stage, safe_strategy};
use jewel_solver::proof::search::{Finding, INFINITE, Search};
use jewel_solver::proof::strategy::{NoStrategy, Strategy};
use jewel_solver::proof::win::{self, winning_strategy};
use jewel_solver::state;
use jewel_tables::atomic::AtomicFile;
use jewel_tables::source::RegularFile;
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often progress is shown.
const SHOW: Duration = Duration::from_millis(250);

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
    with_game!(any, game => prove(args, any, game, claim))
}

fn prove<G>(args: &Prove, any: AnyGame, game: G, claim: Claim) -> Result<ExitStatus>
where
    G: Playable<Position: Packed>,
{
    let memory = memory::limit(args.memory);
    let what = Provable::new(&args.game, any, game, args.tables.as_deref(), memory)?;
    let path = args.file.clone().unwrap_or_else(|| format!("{}.proof", what.file_stem()).into());
    let prover = args.side.unwrap_or_else(|| what.root.side_to_move());
    let state = state_path(&path);
    Job { args, what: &what, prover, claim, memory, interrupt: interrupt::listen()?, path, state }.run()
}

/// The file of an unfinished search, beside that of the proof.
fn state_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".state");
    path.with_file_name(name)
}

struct Job<'a, G: Game> {
    args: &'a Prove,
    what: &'a Provable<'a, G>,
    prover: Side,
    claim: Claim,
    /// Bytes.
    memory: u64,
    interrupt: &'static AtomicBool,
    path: PathBuf,
    state: PathBuf,
}

impl<G: Playable<Position: Packed>> Job<'_, G> {
    fn run(&self) -> Result<ExitStatus> {
        let start = Instant::now();
        let attacker = if self.claim.kind == Kind::Win { self.prover } else { !self.prover };
        // The strategy, and its file in the making, take memory too.
        let bytes = match self.claim.kind {
            Kind::Win => self.memory / 2,
            Kind::Safe => (self.memory / 8).min(256 << 20),
        };
        let judge = self.what.judge();
        let mut search =
            Search::new(attacker, bytes.max(1 << 16), self.what.leaves(), &judge, self.interrupt)
                .with_threads(self.args.threads);
        self.resume(&mut search)?;
        let stage = Cell::new(Stage::default());
        let found = self.strategy(&mut search, &stage);
        let seconds = start.elapsed().as_secs_f64();
        let nodes = search.nodes();
        let strategy = match found {
            Ok(strategy) => Some(strategy),
            Err(NoStrategy::Refuted) => None,
            Err(NoStrategy::Unfinished) if self.claim.kind == Kind::Safe => {
                bail!("{}", self.unfinished(nodes, stage.get()))
            }
            Err(NoStrategy::Unfinished) => {
                self.save(&search)?;
                if stage.get().positions > self.room() {
                    bail!(
                        "the win is proven, but its strategy of more than {} positions takes more than {}; the search is in {}: \
                         give --memory more",
                        grouped(self.room()),
                        memory::size_text(self.memory),
                        self.state.display()
                    );
                }
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
            game: self.what.game.id().to_string(),
            fen: self.what.root.position_text(),
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
            self.finish(&strategy, &mut report)?;
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
        stage: &Cell<Stage>,
    ) -> Result<Strategy<<G::Position as Position>::Move>, NoStrategy> {
        let bar = progress::message("searching");
        let last = RefCell::new((Instant::now(), Instant::now()));
        let save_every = Duration::from_secs(self.args.checkpoint);
        let mut watch = |search: &Search<'_, G::Position>| {
            let mut last = last.borrow_mut();
            if last.0.elapsed() >= SHOW {
                last.0 = Instant::now();
                bar.set_message(self.standing(search, stage.get()));
            }
            if last.1.elapsed() >= save_every && self.claim.kind == Kind::Win {
                // What cannot be saved now may be saved later; Ctrl-C reports it.
                let _ = self.save(search);
                last.1 = Instant::now();
            }
        };
        let stopped = |now: &Stage| {
            stage.set(*now);
            now.positions > self.room() || self.interrupt.load(Ordering::Relaxed)
        };
        let (root, leaves) = (&self.what.root, self.what.leaves());
        let result = match self.claim.kind {
            Kind::Safe => safe_strategy(search, root, leaves, GUARD, &mut watch, &stopped),
            Kind::Win => match search.solve(root, self.claim.limit, u64::MAX, &mut watch) {
                Finding::Proven => {
                    let stopped = |positions| stopped(&Stage { positions, ..Stage::default() });
                    winning_strategy(search, root, self.claim.limit, leaves, &mut watch, &stopped)
                }
                Finding::Disproven => Err(NoStrategy::Refuted),
                Finding::Unknown => Err(NoStrategy::Unfinished),
            },
        };
        bar.finish_and_clear();
        result
    }

    /// The most positions of a strategy in the making.
    fn room(&self) -> u64 {
        match self.claim.kind {
            Kind::Win => self.memory / 2 / win::BYTES,
            Kind::Safe => self.memory / 4 * 3 / safe::BYTES,
        }
    }

    /// Why there is no strategy for a draw yet, and how far it has come.
    fn unfinished(&self, nodes: u64, stage: Stage) -> String {
        let Stage { positions, waiting, lost } = stage;
        let [nodes, positions, waiting, lost] = [nodes, positions, waiting, lost].map(grouped);
        let far = format!("{positions} positions, of which {waiting} have no move yet and {lost} are lost");
        if self.interrupt.load(Ordering::Relaxed) {
            return format!("interrupted after {nodes} nodes and {far}; a search for a draw is not saved");
        }
        format!(
            "not finished after {nodes} nodes: {far}, take more than {}: give --memory more",
            memory::size_text(self.memory)
        )
    }

    /// A line of progress: nodes, and the numbers of the root and of its moves.
    fn standing(&self, search: &Search<'_, G::Position>, stage: Stage) -> String {
        let standing = search.standing();
        let nodes = grouped(search.nodes());
        if self.claim.kind == Kind::Safe {
            let [positions, waiting] = [stage.positions, stage.waiting].map(grouped);
            return format!("{positions} positions, {waiting} without a move yet; {nodes} nodes");
        }
        let (pn, dn) = standing.root;
        let number = |number: u32| if number >= INFINITE { "inf".to_string() } else { number.to_string() };
        let mut moves: Vec<_> = standing.moves.iter().collect();
        moves.sort_by_key(|(_, pn, dn)| (*pn, std::cmp::Reverse(*dn)));
        let texts = moves
            .iter()
            .take(6)
            .map(|(mv, pn, dn)| format!("{} {}/{}", self.what.root.move_text(*mv), number(*pn), number(*dn)));
        format!("{nodes} nodes, root {}/{}: {}", number(pn), number(dn), texts.collect::<Vec<_>>().join(", "))
    }

    /// What belongs to a state: rules, root and claim.
    fn fingerprint(&self) -> u64 {
        let claim = format!("{} {}", self.prover.letter(), self.claim.text());
        let start = state::fingerprint(self.what.any.fingerprint(), &self.what.root);
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

    /// Makes the file and checks it before it gets its name.
    fn finish(
        &self,
        strategy: &Strategy<<G::Position as Position>::Move>,
        report: &mut Report,
    ) -> Result<()> {
        let made = self.what.file(strategy, self.prover, self.claim)?;
        made.save(&self.path)?;
        let Provable { root, .. } = self.what;
        let plies = || strategy.plies(root, self.prover, self.what.leaves());
        report.seconds += made.seconds;
        report.check_seconds = Some((made.check_seconds * 1000.0).round() / 1000.0);
        report.proven = true;
        report.positions = Some(made.checked.positions);
        report.plies = if self.claim.kind == Kind::Win { plies() } else { None };
        report.file = Some(self.path.display().to_string());
        report.bytes = Some(made.bytes.len() as u64);
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
