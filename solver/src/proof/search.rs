//! Depth-first proof-number search (df-pn, Nagai 2002) for a forced win of one side.
//!
//! - A node is proven if the attacker wins. Play that repeats a position of the path is no win.
//! - Numbers of a node are those of weak proof-number search (Ueda, Hashimoto, Hashimoto and Iida 2008): where all children are needed,
//!   the largest number and one for each further child instead of the sum, so that lines that merge are not counted many times.
//! - Thresholds grow by a quarter (the 1 + epsilon of Pawlewicz and Lew 2007), so that the search does not jump between
//!   moves of nearly equal numbers.
//! - A proof holds whatever was played before. A disproof that uses a repetition of the path holds on that path only (the
//!   graph-history interaction): it is kept with a code of the path, as Kishimoto and Müller (2004) do, and used on that path alone,
//!   unless what it repeats lies at or below the node itself, which makes it a disproof everywhere.
//! - Several threads may search one root with one table. To each of them a child looks worse for every thread that is below it
//!   (virtual numbers, Kaneko 2010), so that they spread over different lines.

use super::ProofError;
pub use super::table::INFINITE;
use super::table::{ANYWHERE, Numbers, Table};
use super::worker::Worker;
use ahash::AHashMap;
use jewel_engine::ability::Probe;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::threads::spawn_helper;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::zobrist::splitmix64;
use jewel_tables::source::ReadAt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The attacker wins.
    Proven,
    /// The attacker does not win.
    Disproven,
    /// The limit of nodes was reached, or the search was stopped.
    Unknown,
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub struct Standing<M> {
    /// Proof and disproof number of the root. The number of what cannot be shown is [`INFINITE`].
    pub root: (u32, u32),
    /// Those of the first moves.
    pub moves: Vec<(M, u32, u32)>,
}

/// Searches of fewer nodes are made by one thread: to start others would take longer.
const FEW: u64 = 10_000;
/// The bytes with which a table begins. To clear more takes longer than many searches do.
const FIRST_BYTES: u64 = 64 << 20;
/// Centipawns that count as one position more to prove. In 300 won positions of Ambush with eight men, 400 took a sixth of
/// the nodes that 100 took (`cargo bench -p jewel-benches --bench proofs`).
const WEIGHT: i32 = 400;
/// Counters of threads by hash. Positions that share one are taken for one another, which does no harm.
const COUNTERS: usize = 1 << 12;

/// What a search knows of a position without looking further. None of it goes into a file: it may be wrong, and then the search
/// may take longer or find nothing.
pub trait Judge<P>: Sync {
    /// How promising a position is for the side to move, in centipawns.
    fn estimate(&self, position: &P) -> i32;

    /// The value of a position that is not over, where that is seen at a glance. The distance may be longer than it has to be. A
    /// winning side needs a move to a position of which the same is seen, with fewer plies.
    fn at_a_glance(&self, position: &P) -> Option<Value> {
        let _ = position;
        None
    }
}

impl<P, F: Fn(&P) -> i32 + Sync> Judge<P> for F {
    fn estimate(&self, position: &P) -> i32 {
        self(position)
    }
}

/// A proof search. Its table is kept from one root to the next.
pub struct Search<'a, P: Position> {
    attacker: Side,
    leaves: &'a dyn Probe<P>,
    judge: &'a dyn Judge<P>,
    interrupt: &'a AtomicBool,
    threads: usize,
    pub(super) table: Table,
    /// The most bytes of the table.
    bytes: u64,
    /// Positions that are known to be won in some plies, by hash.
    known: AHashMap<u64, u32>,
    /// How many threads are in a position, by the last bits of its hash.
    busy: Box<[AtomicU16]>,
    nodes: AtomicU64,
    made: AtomicU64,
    /// Whether one of the threads has come to an end.
    over: AtomicBool,
    standing: Mutex<Standing<P::Move>>,
}

/// A function that is called now and then with the search, to show what it has come to or to save it.
pub type Watch<'w, P> = &'w mut dyn FnMut(&Search<'_, P>);

impl<P: Position> std::fmt::Debug for Search<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

impl<'a, P: Position> Search<'a, P> {
    /// A search for wins of `attacker` with a table of at most `bytes` bytes. It begins with a small one.
    pub fn new(
        attacker: Side,
        bytes: u64,
        leaves: &'a dyn Probe<P>,
        judge: &'a dyn Judge<P>,
        interrupt: &'a AtomicBool,
    ) -> Self {
        Search {
            attacker,
            leaves,
            judge,
            interrupt,
            threads: 1,
            table: Table::new(bytes.min(FIRST_BYTES)),
            bytes,
            known: AHashMap::new(),
            busy: (0..COUNTERS).map(|_| AtomicU16::new(0)).collect(),
            nodes: AtomicU64::new(0),
            made: AtomicU64::new(0),
            over: AtomicBool::new(false),
            standing: Mutex::new(Standing { root: (1, 1), moves: vec![] }),
        }
    }

    /// The same search by this many threads. With more than one, it takes another course every time.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Whose wins are searched for.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// What it has come to.
    pub fn standing(&self) -> Standing<P::Move> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn stand(&self, standing: Standing<P::Move>) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// Positions opened up so far: all moves of each were made, as often as the search came to it.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Positions that were made on the way, one for each move of a node.
    pub fn made(&self) -> u64 {
        self.made.load(Relaxed)
    }

    pub(super) fn count(&self, nodes: u64, made: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
        self.made.fetch_add(made, Relaxed);
    }

    /// Whether all threads have to stop.
    pub(super) fn is_over(&self) -> bool {
        self.interrupt.load(Relaxed) || self.over.load(Relaxed)
    }

    /// How many threads are in a position.
    #[inline(always)]
    pub(super) fn busy(&self, hash: u64) -> &AtomicU16 {
        &self.busy[hash as usize % COUNTERS]
    }

    /// Searches for a win from a position within `plies`, or in any number with `None`, in at most `nodes` nodes of each thread.
    pub fn solve(&mut self, root: &P, plies: Option<u32>, nodes: u64, watch: Watch<'_, P>) -> Finding {
        self.solve_with(self.threads, root, plies, nodes, watch)
    }

    /// Nodes after which a larger table would serve better, if there may be one.
    fn nodes_to_growth(&self) -> u64 {
        if self.table.bytes() + FIRST_BYTES / 2 > self.bytes {
            return u64::MAX;
        }
        (self.table.bytes() / 128).saturating_sub(self.nodes()).max(FEW)
    }

    fn solve_with(
        &mut self,
        threads: usize,
        root: &P,
        plies: Option<u32>,
        mut nodes: u64,
        watch: Watch<'_, P>,
    ) -> Finding {
        loop {
            let turn = nodes.min(self.nodes_to_growth());
            let finding = self.take_turn(threads, root, plies, turn, watch);
            nodes -= turn;
            if finding != Finding::Unknown || nodes == 0 || self.interrupt.load(Relaxed) {
                return finding;
            }
            self.table.resize((4 * self.table.bytes()).min(self.bytes));
        }
    }

    fn take_turn(
        &mut self,
        threads: usize,
        root: &P,
        plies: Option<u32>,
        nodes: u64,
        watch: Watch<'_, P>,
    ) -> Finding {
        let left = plies.unwrap_or(u32::MAX);
        let key = Self::key(root, left);
        let known = self.settled(root, left).or_else(|| self.table.get(key).filter(|known| known.path == 0));
        let numbers = match known {
            Some(known) if known.decided() => known,
            _ if threads == 1 || nodes < FEW => {
                Worker::new(self, nodes, false, Some(watch)).run(root, key, left)
            }
            _ => self.share(threads, root, key, left, nodes, watch),
        };
        match numbers {
            Numbers { pn: 0, .. } => Finding::Proven,
            Numbers { dn: 0, .. } => Finding::Disproven,
            _ => Finding::Unknown,
        }
    }

    /// Searches with several threads: as many as the system starts.
    fn share(
        &self,
        threads: usize,
        root: &P,
        key: u64,
        left: u32,
        nodes: u64,
        watch: Watch<'_, P>,
    ) -> Numbers {
        self.over.store(false, Relaxed);
        let run = |watch| {
            let numbers = Worker::new(self, nodes, true, watch).run(root, key, left);
            self.over.store(true, Relaxed);
            numbers
        };
        let numbers = thread::scope(|scope| {
            let help = || spawn_helper(scope, || run(None));
            let helpers: Vec<_> = (1..threads).map_while(|_| help()).collect();
            let own = run(Some(watch));
            let join = |helper: thread::ScopedJoinHandle<'_, Numbers>| {
                helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let found: Vec<Numbers> = helpers.into_iter().map(join).collect();
            found.into_iter().fold(own, |own, other| if own.decided() { own } else { other })
        });
        self.over.store(false, Relaxed);
        numbers
    }

    /// The key of a position from which a win within so many plies is wanted.
    #[inline(always)]
    pub(super) fn key(position: &P, left: u32) -> u64 {
        let hash = position.zobrist_hash();
        if left == u32::MAX { hash } else { hash ^ splitmix64(u64::from(left) << 32 | 0x5eed).1 }
    }

    /// Numbers of a position that the rules or a table decide, that is decided at a glance, or that there is no time to win.
    pub(super) fn settled(&self, position: &P, left: u32) -> Option<Numbers> {
        let value = position.outcome().map(Value::from_outcome).or_else(|| self.leaves.probe(position));
        let Some(value) = value else {
            if !self.known.is_empty()
                && let Some(&plies) = self.known.get(&position.zobrist_hash())
            {
                return Some(Numbers::proven(plies)).filter(|_| plies <= left);
            }
            if left == 0 {
                return Some(Numbers::DISPROVEN);
            }
            let value = self.judge.at_a_glance(position)?;
            let plies = value.distance().unwrap_or(0);
            // There may be a quicker win.
            let wins = self.wins(position, value.outcome());
            return (!wins || plies <= left)
                .then(|| if wins { Numbers::proven(plies) } else { Numbers::DISPROVEN });
        };
        let wins = self.wins(position, value.outcome());
        let plies = value.distance().unwrap_or(0);
        Some(if wins && plies <= left { Numbers::proven(plies) } else { Numbers::DISPROVEN })
    }

    /// Whether the attacker has won where the side to move has this outcome.
    fn wins(&self, position: &P, outcome: Outcome) -> bool {
        outcome != Outcome::Draw && (outcome == Outcome::Win) == (position.side_to_move() == self.attacker)
    }

    /// Numbers of a position that has never been opened up: its moves where all of them are needed, and what the estimate says.
    pub(super) fn first(&self, position: &P) -> Numbers {
        let moves = position.count_moves().clamp(1, 256) as u32;
        let score = self.judge.estimate(position);
        let attacks = position.side_to_move() == self.attacker;
        let score = if attacks { score } else { -score };
        let far = |score: i32| (score.clamp(0, 2000) / WEIGHT) as u32;
        let (pn, dn) = (1 + far(-score), 1 + far(score));
        let (pn, dn) = if attacks { (pn, dn + moves / 2) } else { (pn + moves / 2, dn) };
        Numbers { pn, dn, path: 0, ply: ANYWHERE }
    }

    /// The move of a position that is proven to be won within so many plies that wins fastest, as far as the table knows.
    pub(super) fn winning_move(&self, position: &P, left: u32) -> Option<P::Move> {
        let next = if left == u32::MAX { left } else { left.checked_sub(1)? };
        let mut best: Option<(u16, P::Move)> = None;
        for mv in list_moves(position) {
            let child = position.after(mv);
            let numbers = self.settled(&child, next).or_else(|| self.table.get(Self::key(&child, next)));
            if let Some(Numbers { pn: 0, ply, .. }) = numbers
                && best.is_none_or(|(plies, _)| ply < plies)
            {
                best = Some((ply, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }

    /// Opens a position up even if the table has it proven, so that it has a winning move of it again.
    pub(super) fn prove_again(&mut self, position: &P, plies: Option<u32>, watch: Watch<'_, P>) -> Finding {
        let key = Self::key(position, plies.unwrap_or(u32::MAX));
        self.table.put(key, self.first(position), 1);
        self.solve_with(1, position, plies, u64::MAX, watch)
    }

    /// Takes positions for won, by hash and plies, and forgets all else.
    pub(super) fn begin_anew(&mut self, known: AHashMap<u64, u32>) {
        self.table.clear();
        self.known = known;
    }

    /// Writes what the search knows. `fingerprint` is that of rules, root and claim.
    ///
    /// # Errors
    /// Those of the output.
    pub fn save(&self, fingerprint: u64, out: &mut impl Write) -> io::Result<()> {
        out.write_all(STATE)?;
        out.write_all(&fingerprint.to_le_bytes())?;
        out.write_all(&self.nodes().to_le_bytes())?;
        self.table.save(out)
    }

    /// Goes on from what was saved.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or belongs to another claim.
    pub fn load(&mut self, fingerprint: u64, source: &dyn ReadAt) -> Result<(), ProofError> {
        let wrong = |what: &str| ProofError::Damaged(format!("the state of the search {what}"));
        let mut front = [0; 24];
        if source.length() < 28 {
            return Err(wrong("is too short"));
        }
        source.read_at(0, &mut front)?;
        if &front[..8] != STATE {
            return Err(wrong("is of another kind"));
        }
        if front[8..16] != fingerprint.to_le_bytes() {
            return Err(wrong("is of another game, position or claim"));
        }
        let bytes = self.bytes.min(2 * source.length());
        if bytes > self.table.bytes() {
            self.table.resize(bytes);
        }
        *self.nodes.get_mut() = u64::from_le_bytes(std::array::from_fn(|i| front[16 + i]));
        self.table.load(source, 24)?.ok_or_else(|| wrong("is damaged"))
    }
}

const STATE: &[u8; 8] = b"JEWELPN2";
