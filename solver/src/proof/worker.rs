//! One thread of a proof search.

use super::search::{Search, Standing, Watch};
use super::table::{ANYWHERE, INFINITE, Numbers};
use jewel_engine::position::Position;
use jewel_engine::zobrist::splitmix64;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

/// A deeper path is given up, as if it repeated the root.
const MAX_PLIES: usize = 400;
/// Nodes between two looks at the clock and at the other threads.
const PAUSE: u64 = 1 << 8;
/// If the visit of a child has opened at least this many nodes, a thread looks up what other threads have found out about the
/// other children.
const REFRESH: u64 = 16;
/// Below the sum of proof and disproof number at which other threads are told that a thread is in a position: to tell them of
/// each would cost more than to search some twice.
const LARGE: u32 = 32;
/// The code of the path that leads to the root.
const START: u32 = 1;

pub(super) struct Child<M> {
    mv: M,
    hash: u64,
    /// The number of which one child is enough for the player to move in the parent: the proof number where the attacker is.
    one: u32,
    /// The number of which all children are needed.
    all: u32,
    /// As in [`Numbers`].
    ply: u16,
}

impl<M> Child<M> {
    #[inline(always)]
    fn set(&mut self, numbers: Numbers, attacks: bool) {
        (self.one, self.all) = oriented(numbers.pn, numbers.dn, attacks);
        self.ply = numbers.ply;
    }
}

/// Of a proof and a disproof number, the one of which one child is enough where the attacker moves, or the other side does;
/// and back.
#[inline(always)]
fn oriented(pn: u32, dn: u32, attacks: bool) -> (u32, u32) {
    if attacks { (pn, dn) } else { (dn, pn) }
}

/// Thresholds at which a node is left.
#[derive(Clone, Copy)]
struct Bounds {
    pn: u32,
    dn: u32,
}

/// The positions of a path by hash.
struct Path {
    hashes: Vec<u64>,
    /// How many of them end in these bits.
    counts: Box<[u16; 1 << 10]>,
}

impl Path {
    fn new() -> Path {
        Path { hashes: Vec::with_capacity(MAX_PLIES), counts: Box::new([0; 1 << 10]) }
    }

    #[inline(always)]
    fn count(&mut self, hash: u64) -> &mut u16 {
        &mut self.counts[hash as usize & 1023]
    }

    #[inline(always)]
    fn push(&mut self, hash: u64) {
        *self.count(hash) += 1;
        self.hashes.push(hash);
    }

    #[inline(always)]
    fn pop(&mut self) {
        if let Some(hash) = self.hashes.pop() {
            *self.count(hash) -= 1;
        }
    }

    /// The ply of a position.
    #[inline(always)]
    fn find(&self, hash: u64) -> Option<u16> {
        if self.counts[hash as usize & 1023] == 0 {
            return None;
        }
        self.hashes.iter().rposition(|&other| other == hash).map(|ply| ply as u16)
    }
}

/// A thread's own part of a search.
pub(super) struct Worker<'s, 'w, 'a, P: Position> {
    search: &'s Search<'a, P>,
    watch: Option<Watch<'w, P>>,
    /// Whether other threads search too.
    shared: bool,
    path: Path,
    /// The children of all nodes of the path.
    children: Vec<Child<P::Move>>,
    nodes: u64,
    /// Nodes and positions made that the search has been told of.
    reported: (u64, u64),
    made: u64,
    /// Nodes of the search before, as far as they matter to the pauses.
    earlier: u64,
    /// Nodes at which it stops.
    most: u64,
    stopped: bool,
    /// The ply of a node that another thread has decided.
    given_up: usize,
    /// How many of the children are those of the root, and whether the attacker moves there.
    root: (usize, bool),
}

/// What there is to know of the children of a node.
struct Survey {
    /// The least number of which one is enough.
    least: u32,
    /// The largest number of which all are needed.
    most: u32,
    /// Children that are not settled against the mover.
    open: u32,
    /// The most promising child, counting what other threads are at.
    best: usize,
    /// The least number of the other children.
    second: u32,
}

impl<'s, 'w, 'a, P: Position> Worker<'s, 'w, 'a, P> {
    pub(super) fn new(
        search: &'s Search<'a, P>,
        nodes: u64,
        shared: bool,
        watch: Option<Watch<'w, P>>,
    ) -> Worker<'s, 'w, 'a, P> {
        Worker {
            search,
            watch,
            shared,
            path: Path::new(),
            children: Vec::with_capacity(1 << 10),
            nodes: 0,
            reported: (0, 0),
            made: 0,
            earlier: search.nodes() % PAUSE,
            most: nodes,
            stopped: false,
            given_up: usize::MAX,
            root: (0, true),
        }
    }

    /// Searches the root until it is decided or the search is stopped.
    pub(super) fn run(mut self, root: &P, key: u64, left: u32) -> Numbers {
        let numbers = self.open(root, key, START, left, Bounds { pn: INFINITE, dn: INFINITE });
        self.report();
        numbers
    }

    /// Searches a node until one of its numbers reaches its threshold. `code` is that of the path that leads to it.
    fn open(&mut self, position: &P, hash: u64, code: u32, left: u32, bounds: Bounds) -> Numbers {
        let ply = self.path.hashes.len();
        if ply >= MAX_PLIES {
            return Numbers { ply: 0, path: code, ..Numbers::DISPROVEN };
        }
        let before = self.nodes;
        self.nodes += 1;
        let attacks = position.side_to_move() == self.search.attacker();
        let below = extend(code, hash);
        let next = if left == u32::MAX { left } else { left.saturating_sub(1) };
        self.path.push(hash);
        let start = self.children.len();
        self.expand(position, below, next, attacks);
        if ply == 0 {
            self.root = (self.children.len(), attacks);
        }
        self.pause();
        let numbers = loop {
            let children = &self.children[start..];
            let survey = self.survey(children, oriented(bounds.pn, bounds.dn, attacks).0);
            let numbers = survey.numbers(children, attacks);
            if numbers.decided()
                || numbers.pn >= bounds.pn
                || numbers.dn >= bounds.dn
                || self.stopped
                || self.given_up <= ply
            {
                break numbers;
            }
            let child = &self.children[start + survey.best];
            let (mv, child_hash) = (child.mv, child.hash);
            let is_large = child.one.saturating_add(child.all) >= LARGE;
            // Its numbers may have changed during the visit of another child.
            if let Some(known) = self.known(child_hash, below)
                && oriented(known.pn, known.dn, attacks) != (child.one, child.all)
            {
                self.children[start + survey.best].set(known, attacks);
                continue;
            }
            let bounds = survey.bounds(bounds, attacks);
            let since = self.nodes;
            let found = self.visit(&position.after(mv), child_hash, below, next, bounds, is_large);
            self.children[start + survey.best].set(found, attacks);
            if self.shared && self.nodes - since >= REFRESH {
                self.refresh(start, below, attacks);
            }
        };
        if ply == 0 && self.watch.is_some() {
            self.search.stand(self.root_standing());
        }
        self.children.truncate(start);
        self.path.pop();
        if self.given_up == ply {
            self.given_up = usize::MAX;
        }
        // What another thread has decided meanwhile is not to be overwritten by less.
        if self.shared
            && let Some(decided) = self.found_by_others(hash)
        {
            return decided;
        }
        let numbers = kept(numbers, ply, code);
        self.search.table.put(hash, numbers, self.nodes - before);
        numbers
    }

    /// Opens a child, and marks it for the other threads, which then prefer other children.
    #[inline(always)]
    fn visit(
        &mut self,
        child: &P,
        hash: u64,
        code: u32,
        left: u32,
        bounds: Bounds,
        is_large: bool,
    ) -> Numbers {
        if !self.shared || !is_large {
            return self.open(child, hash, code, left, bounds);
        }
        self.search.busy(hash).fetch_add(1, Relaxed);
        let numbers = self.open(child, hash, code, left, bounds);
        self.search.busy(hash).fetch_sub(1, Relaxed);
        numbers
    }

    /// Puts the children of a node on the list.
    #[inline(always)]
    fn expand(&mut self, position: &P, code: u32, left: u32, attacks: bool) {
        let start = self.children.len();
        let children = &mut self.children;
        let _: ControlFlow<()> = position.moves(|mv| {
            children.push(Child { mv, hash: 0, one: 0, all: 0, ply: 0 });
            ControlFlow::Continue(())
        });
        self.made += (self.children.len() - start) as u64;
        // All entries begin to load before the first is looked at. To make a move twice takes less time than to wait.
        for child in &mut self.children[start..] {
            child.hash = Search::key(&position.after(child.mv), left);
            self.search.table.prefetch(child.hash);
        }
        for n in start..self.children.len() {
            let Child { mv, hash, .. } = self.children[n];
            let numbers = self.look_up(|| position.after(mv), hash, left, code);
            self.children[n].set(numbers, attacks);
        }
    }

    /// What the table knows of a position at a ply whose path has this code.
    #[inline(always)]
    fn known(&self, hash: u64, code: u32) -> Option<Numbers> {
        self.search.table.get(hash).filter(|known| known.path == 0 || known.path == code)
    }

    /// The numbers of a child at a ply whose path has this code.
    #[inline(always)]
    fn look_up(&self, child: impl FnOnce() -> P, hash: u64, left: u32, code: u32) -> Numbers {
        let known = self.known(hash, code);
        if let Some(decided) = known.filter(Numbers::decided) {
            return decided;
        }
        if let Some(ply) = self.path.find(hash) {
            return Numbers { ply, path: code, ..Numbers::DISPROVEN };
        }
        known.unwrap_or_else(|| {
            let child = child();
            let numbers = self.search.settled(&child, left).unwrap_or_else(|| self.search.first(&child));
            self.search.table.put_first(hash, numbers);
            numbers
        })
    }

    /// Looks at what other threads have found of the children.
    fn refresh(&mut self, start: usize, code: u32, attacks: bool) {
        for n in start..self.children.len() {
            let child = &self.children[n];
            if child.one == 0 || child.all == 0 {
                continue;
            }
            if let Some(known) = self.known(child.hash, code) {
                self.children[n].set(known, attacks);
            }
        }
    }

    /// `limit` is the threshold of the number of which one child is enough.
    #[inline(always)]
    fn survey(&self, children: &[Child<P::Move>], limit: u32) -> Survey {
        let mut survey = Survey { least: INFINITE, most: 0, open: 0, best: 0, second: INFINITE };
        let mut lightest = u32::MAX;
        for (n, child) in children.iter().enumerate() {
            survey.least = survey.least.min(child.one);
            survey.most = survey.most.max(child.all);
            // What is settled against the mover is never chosen.
            if child.all == 0 {
                continue;
            }
            survey.open += 1;
            let weight = if self.shared { self.weight(child, limit) } else { child.one };
            if weight < lightest {
                (survey.best, survey.second, lightest) = (n, lightest.min(INFINITE), weight);
            } else {
                survey.second = survey.second.min(weight);
            }
        }
        survey
    }

    /// The number of a child as it may be when the other threads come back from it (virtual numbers: Kaneko 2010). A child that
    /// is beyond the threshold already is not worth a visit.
    #[inline(always)]
    fn weight(&self, child: &Child<P::Move>, limit: u32) -> u32 {
        if child.one >= limit {
            return INFINITE;
        }
        let threads = u32::from(self.search.busy(child.hash).load(Relaxed));
        (child.one + threads * (child.one / 4 + 1)).min(INFINITE - 1)
    }

    #[inline(always)]
    fn pause(&mut self) {
        if self.nodes >= self.most {
            self.stopped = true;
        }
        if (self.nodes + self.earlier).is_multiple_of(PAUSE) {
            self.look_around();
        }
    }

    #[cold]
    fn look_around(&mut self) {
        self.report();
        let search = self.search;
        self.stopped |= search.is_over();
        if self.shared {
            let decided = |&hash: &u64| self.found_by_others(hash).is_some();
            if let Some(ply) = self.path.hashes.iter().position(decided) {
                self.given_up = self.given_up.min(ply);
            }
        }
        let root = self.root_standing();
        if let Some(watch) = &mut self.watch {
            search.stand(root);
            watch(search);
        }
    }

    /// Tells the search what it has opened and made since it last did.
    fn report(&mut self) {
        self.search.count(self.nodes - self.reported.0, self.made - self.reported.1);
        self.reported = (self.nodes, self.made);
    }

    /// The numbers of the root and of its moves, as far as they are known.
    fn root_standing(&self) -> Standing<P::Move> {
        let (count, attacks) = self.root;
        let children = &self.children[..count];
        let numbers = self.survey(children, INFINITE).numbers(children, attacks);
        let each = |child: &Child<P::Move>| {
            let (pn, dn) = oriented(child.one, child.all, attacks);
            (child.mv, pn, dn)
        };
        Standing { root: (numbers.pn, numbers.dn), moves: children.iter().map(each).collect() }
    }

    /// The numbers of a node that is decided whatever came before.
    fn found_by_others(&self, hash: u64) -> Option<Numbers> {
        self.search.table.get(hash).filter(|known| known.decided() && known.path == 0)
    }
}

impl Survey {
    /// The numbers of the node.
    #[inline(always)]
    fn numbers<M>(&self, children: &[Child<M>], attacks: bool) -> Numbers {
        let all = if self.open == 0 { 0 } else { (self.most + (self.open - 1)).min(INFINITE) };
        let (pn, dn) = oriented(self.least, all, attacks);
        if pn != 0 && dn != 0 {
            return Numbers { pn, dn, path: 0, ply: ANYWHERE };
        }
        decision(children, pn == 0, attacks)
    }

    /// The thresholds of the most promising child.
    #[inline(always)]
    fn bounds(&self, bounds: Bounds, attacks: bool) -> Bounds {
        let (one, all) = oriented(bounds.pn, bounds.dn, attacks);
        let one = one.min((self.second + self.second / 4).max(self.second + 1));
        let all = all.saturating_sub(self.open.saturating_sub(1)).max(1);
        let (pn, dn) = oriented(one, all, attacks);
        Bounds { pn, dn }
    }
}

/// The numbers of a node that its children have decided.
#[inline(never)]
fn decision<M>(children: &[Child<M>], proven: bool, attacks: bool) -> Numbers {
    let decisive = |child: &&Child<M>| {
        let (pn, dn) = oriented(child.one, child.all, attacks);
        if proven { pn == 0 } else { dn == 0 }
    };
    // The attacker takes the fastest proof; all disproofs are needed, and so is the one that goes back farthest. The other
    // side takes the disproof that goes back least, and puts off the proof.
    let plies = children.iter().filter(decisive).map(|child| child.ply);
    let ply = if attacks { plies.min() } else { plies.max() };
    if proven {
        Numbers::proven(u32::from(ply.unwrap_or(0)) + 1)
    } else {
        Numbers { ply: ply.unwrap_or(ANYWHERE), ..Numbers::DISPROVEN }
    }
}

/// The code of a path with a position more. It is never 0.
#[inline(always)]
fn extend(code: u32, hash: u64) -> u32 {
    splitmix64(u64::from(code) ^ hash.rotate_left(17)).1 as u32 | 1
}

/// Numbers as they are kept: a disproof that repeats nothing before the node holds on every path.
#[inline(always)]
fn kept(numbers: Numbers, ply: usize, code: u32) -> Numbers {
    if numbers.dn != 0 {
        return Numbers { path: 0, ..numbers };
    }
    if usize::from(numbers.ply) >= ply { Numbers::DISPROVEN } else { Numbers { path: code, ..numbers } }
}
