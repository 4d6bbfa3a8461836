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

use super::ProofError;
use super::table::{ANYWHERE, INFINITE, Numbers, Table};
use ahash::AHashMap;
use jewel_engine::ability::Probe;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::zobrist::splitmix64;
use jewel_tables::source::ReadAt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Positions opened up.
    pub nodes: u64,
    /// Proof and disproof number of the root.
    pub root: (u32, u32),
    /// Those of the first moves.
    pub moves: Vec<(M, u32, u32)>,
}

/// A deeper path is given up, as if it repeated the root.
const MAX_PLIES: usize = 400;
/// Nodes between two looks at the clock.
const PAUSE: u64 = 1 << 8;

/// A proof search. Its table is kept from one root to the next.
pub struct Search<'a, P: Position> {
    attacker: Side,
    leaves: &'a dyn Probe<P>,
    /// How promising a position is for the side to move, in centipawns.
    estimate: &'a (dyn Fn(&P) -> i32 + Sync),
    interrupt: &'a AtomicBool,
    table: Table,
    /// Positions that are known to be won in some plies, by hash.
    known: AHashMap<u64, u32>,
    path: AHashMap<u64, u16>,
    nodes: u64,
    stop_at: u64,
    stopped: bool,
    standing: Standing<P::Move>,
}

/// A function that is called now and then with what a search has come to, and with the search to save it.
pub type Watch<'w, P> = &'w mut dyn FnMut(&Search<'_, P>);

struct Child<M> {
    mv: M,
    hash: u64,
    numbers: Numbers,
}

/// Thresholds at which a node is left.
#[derive(Clone, Copy)]
struct Bounds {
    pn: u32,
    dn: u32,
}

impl<P: Position> std::fmt::Debug for Search<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl<'a, P: Position> Search<'a, P> {
    /// A search for wins of `attacker` with a table of so many bytes.
    pub fn new(
        attacker: Side,
        bytes: u64,
        leaves: &'a dyn Probe<P>,
        estimate: &'a (dyn Fn(&P) -> i32 + Sync),
        interrupt: &'a AtomicBool,
    ) -> Self {
        Search {
            attacker,
            leaves,
            estimate,
            interrupt,
            table: Table::new(bytes),
            known: AHashMap::new(),
            path: AHashMap::new(),
            nodes: 0,
            stop_at: u64::MAX,
            stopped: false,
            standing: Standing { nodes: 0, root: (1, 1), moves: vec![] },
        }
    }

    /// Whose wins are searched for.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// What it has come to.
    pub fn standing(&self) -> &Standing<P::Move> {
        &self.standing
    }

    /// Positions opened up so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches for a win from a position within `plies`, or in any number with `None`, in at most `nodes` nodes.
    pub fn solve(&mut self, root: &P, plies: Option<u32>, nodes: u64, watch: Watch<'_, P>) -> Finding {
        self.stop_at = self.nodes.saturating_add(nodes);
        self.stopped = false;
        self.path.clear();
        let all = Bounds { pn: INFINITE, dn: INFINITE };
        let left = plies.unwrap_or(u32::MAX);
        let key = Self::key(root, left);
        let known = self.settled(root, left).or_else(|| self.table.get(key).filter(|known| known.path == 0));
        let numbers = match known {
            Some(known @ (Numbers { pn: 0, .. } | Numbers { dn: 0, .. })) => known,
            _ => self.open(root, key, 1, left, all, watch),
        };
        match numbers {
            Numbers { pn: 0, .. } => Finding::Proven,
            Numbers { dn: 0, .. } => Finding::Disproven,
            _ => Finding::Unknown,
        }
    }

    /// The key of a position from which a win within so many plies is wanted.
    fn key(position: &P, left: u32) -> u64 {
        let hash = position.zobrist_hash();
        if left == u32::MAX { hash } else { hash ^ splitmix64(u64::from(left) << 32 | 0x5eed).1 }
    }

    /// Numbers of a position that the rules or a table decide, or that there is no time to win.
    fn settled(&self, position: &P, left: u32) -> Option<Numbers> {
        let value = position.outcome().map(Value::from_outcome).or_else(|| self.leaves.probe(position));
        let Some(value) = value else {
            if let Some(&plies) = self.known.get(&position.zobrist_hash()) {
                return Some(Numbers::proven(plies)).filter(|_| plies <= left);
            }
            return (left == 0).then_some(Numbers::DISPROVEN);
        };
        let wins = match value.outcome() {
            Outcome::Draw => false,
            outcome => (outcome == Outcome::Win) == (position.side_to_move() == self.attacker),
        };
        let plies = value.distance().unwrap_or(0);
        Some(if wins && plies <= left { Numbers::proven(plies) } else { Numbers::DISPROVEN })
    }

    /// Numbers of a position that has never been opened up: its moves where all of them are needed, and what the estimate says.
    fn first(&self, position: &P) -> Numbers {
        let moves = position.count_moves().clamp(1, 256) as u32;
        let score = (self.estimate)(position);
        let attacks = position.side_to_move() == self.attacker;
        let score = if attacks { score } else { -score };
        let far = |score: i32| (score.clamp(0, 2000) / 100) as u32;
        let (pn, dn) = (1 + far(-score), 1 + far(score));
        let (pn, dn) = if attacks { (pn, dn + moves / 2) } else { (pn + moves / 2, dn) };
        Numbers { pn, dn, path: 0, ply: ANYWHERE }
    }

    /// What is known of a child at a ply whose path has this code.
    fn look_up(&self, child: &P, hash: u64, left: u32, code: u32) -> Numbers {
        let known = self.table.get(hash).filter(|known| known.path == 0 || known.path == code);
        if let Some(decided) = known.filter(|known| known.pn == 0 || known.dn == 0) {
            return decided;
        }
        if let Some(&ply) = self.path.get(&hash) {
            return Numbers { ply, path: code, ..Numbers::DISPROVEN };
        }
        known.or_else(|| self.settled(child, left)).unwrap_or_else(|| self.first(child))
    }

    /// Searches a node until one of its numbers reaches its threshold. `code` is that of the path that leads to it.
    fn open(
        &mut self,
        position: &P,
        hash: u64,
        code: u32,
        left: u32,
        bounds: Bounds,
        watch: Watch<'_, P>,
    ) -> Numbers {
        let ply = self.path.len();
        if ply >= MAX_PLIES {
            return Numbers { ply: 0, path: code, ..Numbers::DISPROVEN };
        }
        let before = self.nodes;
        self.nodes += 1;
        self.pause(watch);
        let attacks = position.side_to_move() == self.attacker;
        let below = extend(code, hash);
        let next = if left == u32::MAX { left } else { left.saturating_sub(1) };
        self.path.insert(hash, ply as u16);
        let mut children: Vec<Child<P::Move>> = list_moves(position)
            .into_iter()
            .map(|mv| {
                let child = position.after(mv);
                let hash = Self::key(&child, next);
                Child { mv, hash, numbers: self.look_up(&child, hash, next, below) }
            })
            .collect();
        let numbers = loop {
            let numbers = combine(&children, attacks);
            if ply == 0 {
                self.standing.root = (numbers.pn, numbers.dn);
                self.standing.moves = children.iter().map(|c| (c.mv, c.numbers.pn, c.numbers.dn)).collect();
            }
            if numbers.pn == 0
                || numbers.dn == 0
                || numbers.pn >= bounds.pn
                || numbers.dn >= bounds.dn
                || self.stopped
            {
                break numbers;
            }
            let (best, child_bounds) = choose(&children, attacks, bounds);
            let child = position.after(children[best].mv);
            let hash = children[best].hash;
            // It may have become known on the way to a brother.
            let known = self.look_up(&child, hash, next, below);
            children[best].numbers =
                if known.pn != children[best].numbers.pn || known.dn != children[best].numbers.dn {
                    known
                } else {
                    self.open(&child, hash, below, next, child_bounds, watch)
                };
        };
        self.path.remove(&hash);
        let numbers = self.kept(numbers, ply, code);
        self.table.put(hash, numbers, self.nodes - before);
        numbers
    }

    /// Numbers as they are kept: a disproof that repeats nothing before the node holds on every path.
    fn kept(&self, numbers: Numbers, ply: usize, code: u32) -> Numbers {
        if numbers.dn != 0 {
            return Numbers { path: 0, ..numbers };
        }
        if usize::from(numbers.ply) >= ply { Numbers::DISPROVEN } else { Numbers { path: code, ..numbers } }
    }

    fn pause(&mut self, watch: Watch<'_, P>) {
        if self.nodes >= self.stop_at {
            self.stopped = true;
        }
        if self.nodes.is_multiple_of(PAUSE) {
            self.stopped |= self.interrupt.load(Ordering::Relaxed);
            self.standing.nodes = self.nodes;
            watch(self);
        }
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
        self.solve(position, plies, u64::MAX, watch)
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
        out.write_all(&self.nodes.to_le_bytes())?;
        self.table.save(out)
    }

    /// Goes on from what was saved.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or belongs to another claim.
    pub fn load(&mut self, fingerprint: u64, source: &dyn ReadAt) -> Result<(), ProofError> {
        let wrong = |what: &str| ProofError::Damaged(format!("the state of the search {what}"));
        let mut front = [0; 24];
        if source.length() < 36 {
            return Err(wrong("is too short"));
        }
        source.read_at(0, &mut front)?;
        if &front[..8] != STATE {
            return Err(wrong("is of another kind"));
        }
        if front[8..16] != fingerprint.to_le_bytes() {
            return Err(wrong("is of another game, position or claim"));
        }
        self.nodes = u64::from_le_bytes(std::array::from_fn(|i| front[16 + i]));
        self.table.load(source, 24)?.ok_or_else(|| wrong("is damaged"))
    }
}

const STATE: &[u8; 8] = b"JEWELPN1";

/// The code of a path with a position more. It is never 0.
fn extend(code: u32, hash: u64) -> u32 {
    splitmix64(u64::from(code) ^ hash.rotate_left(17)).1 as u32 | 1
}

/// The numbers of a node by those of its children.
fn combine<M>(children: &[Child<M>], attacks: bool) -> Numbers {
    // One child is enough to make `least` zero, all are needed for `most`.
    let (mut least, mut most, mut open) = (INFINITE, 0, 0);
    for child in children {
        let Numbers { pn, dn, .. } = child.numbers;
        let (one, all) = if attacks { (pn, dn) } else { (dn, pn) };
        least = least.min(one);
        most = most.max(all);
        open += u32::from(all != 0);
    }
    let most = if open == 0 { 0 } else { (most + (open - 1)).min(INFINITE) };
    let (pn, dn) = if attacks { (least, most) } else { (most, least) };
    let of = |wanted: fn(&Numbers) -> bool| children.iter().map(|c| c.numbers).filter(wanted).map(|n| n.ply);
    let plies = |plies: Option<u16>| plies.unwrap_or(0).saturating_add(1);
    match (pn, dn) {
        (0, _) => {
            let won = of(|n| n.pn == 0);
            let ply = plies(if attacks { won.min() } else { won.max() });
            Numbers { pn, dn: INFINITE, path: 0, ply }
        }
        (_, 0) => {
            let held = of(|n| n.dn == 0);
            let ply = if attacks { held.min() } else { held.max() };
            Numbers { pn: INFINITE, dn, path: 0, ply: ply.unwrap_or(ANYWHERE) }
        }
        _ => Numbers { pn, dn, path: 0, ply: ANYWHERE },
    }
}

/// The most promising child, and its thresholds.
fn choose<M>(children: &[Child<M>], attacks: bool, bounds: Bounds) -> (usize, Bounds) {
    let (mut best, mut least, mut second, mut open) = (0, u32::MAX, INFINITE, 0u32);
    for (n, child) in children.iter().enumerate() {
        let Numbers { pn, dn, .. } = child.numbers;
        let (one, all) = if attacks { (pn, dn) } else { (dn, pn) };
        open += u32::from(all != 0);
        // What is settled against the mover is never chosen.
        if all == 0 {
            continue;
        }
        if one < least {
            (best, second, least) = (n, least.min(INFINITE), one);
        } else {
            second = second.min(one);
        }
    }
    let (one, all) = if attacks { (bounds.pn, bounds.dn) } else { (bounds.dn, bounds.pn) };
    let one = one.min((second + second / 4).max(second + 1));
    let all = all.saturating_sub(open.saturating_sub(1)).max(1);
    let bounds = if attacks { Bounds { pn: one, dn: all } } else { Bounds { pn: all, dn: one } };
    (best, bounds)
}
