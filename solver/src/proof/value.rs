//! The value of a position by strategies: one of the winner, or one of each side that does not lose.

use super::safe::{BYTES, GUARD, Stage, safe_strategy};
use super::search::{Finding, Judge, Search};
use super::strategy::{NoStrategy, Strategy};
use super::win::{self, winning_strategy};
use jewel_engine::ability::{Packed, Probe};
use jewel_engine::value::Side;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Who wins, and how.
#[derive(Debug)]
pub enum Decided<M> {
    /// This side wins by this strategy.
    Won(Side, Strategy<M>),
    /// Nobody wins: the strategies by which White and Black do not lose.
    Drawn([Strategy<M>; 2]),
}

impl<M: Copy> Decided<M> {
    /// The move of the strategies in a position, with the plies in which it wins at the latest: 0 in a draw. `None` if it is
    /// the loser's turn, or no play by the strategies leads there.
    pub fn reply<P: Packed<Move = M>>(&self, position: &P) -> Option<(M, u32)> {
        let mover = position.side_to_move();
        match self {
            Decided::Won(winner, strategy) => strategy.reply(position).filter(|_| *winner == mover),
            Decided::Drawn(strategies) => strategies[mover.index()].reply(position),
        }
    }
}

/// Why nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undecided {
    /// The limit of nodes was reached, or the search was interrupted.
    Stopped,
    /// Neither side wins, by the word of the search, and strategies by which they do not lose would take more than the memory.
    Memory,
}

/// What a search for the value may use.
#[derive(Clone, Copy)]
pub struct Means<'a, P> {
    /// Bytes, about.
    pub memory: u64,
    /// Threads, in searches for wins.
    pub threads: usize,
    /// Nodes after which it gives up, about.
    pub nodes: u64,
    /// What values are known.
    pub leaves: &'a dyn Probe<P>,
    /// What is known of positions without looking further.
    pub judge: &'a dyn Judge<P>,
    /// Ends it.
    pub interrupt: &'a AtomicBool,
}

impl<P> std::fmt::Debug for Means<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Means")
            .field("memory", &self.memory)
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}

/// Nodes of the first attempt at each of the four questions.
const FIRST: u64 = 1 << 13;

/// Finds out who wins from a position: whether either side does, and whether either does not lose, in turns of more and more
/// nodes. `progress` is called now and then with the nodes so far. They are returned, too.
pub fn decide<P: Packed>(
    root: &P,
    means: &Means<'_, P>,
    progress: &mut dyn FnMut(u64),
) -> (Result<Decided<P::Move>, Undecided>, u64) {
    let search = |attacker: Side, bytes: u64| {
        Search::new(attacker, bytes.max(1 << 16), means.leaves, means.judge, means.interrupt)
    };
    let memory = means.memory;
    let mut attempt = Attempt {
        root,
        means,
        attacks: Side::BOTH.map(|side| search(side, memory / 4).with_threads(means.threads)),
        guards: Side::BOTH.map(|side| search(!side, (memory / 16).min(64 << 20))),
        refuted: [false; 2],
        lost: [false; 2],
        safe: [None, None],
        full: false,
        progress,
    };
    let mut turn = FIRST;
    let decided = loop {
        match attempt.turn(turn) {
            Some(decided) => break Ok(decided),
            None if means.interrupt.load(Relaxed) || attempt.nodes() >= means.nodes => {
                break Err(Undecided::Stopped);
            }
            None if attempt.full || attempt.is_out_of_memory(turn) => break Err(Undecided::Memory),
            None => turn = turn.saturating_mul(2),
        }
    };
    (decided, attempt.nodes())
}

struct Attempt<'a, 'p, P: Packed> {
    root: &'a P,
    means: &'a Means<'a, P>,
    /// The searches for wins of White and of Black.
    attacks: [Search<'a, P>; 2],
    /// Those that guard the strategies of White and of Black.
    guards: [Search<'a, P>; 2],
    /// Who does not win, by the word of the search.
    refuted: [bool; 2],
    /// Who loses, by the word of the search.
    lost: [bool; 2],
    safe: [Option<Strategy<P::Move>>; 2],
    /// Whether the strategy of a win that was found does not fit into memory.
    full: bool,
    progress: &'p mut dyn FnMut(u64),
}

impl<P: Packed> Attempt<'_, '_, P> {
    fn nodes(&self) -> u64 {
        self.attacks.iter().chain(&self.guards).map(Search::nodes).sum()
    }

    /// The most positions of a strategy that does not lose.
    fn room(&self) -> u64 {
        self.means.memory / 4 / BYTES
    }

    /// Whether nothing more would be tried in longer turns than these.
    fn is_out_of_memory(&self, turn: u64) -> bool {
        turn > self.room() && (0..2).all(|side| self.refuted[side] || self.safe[1 - side].is_some())
    }

    fn turn(&mut self, nodes: u64) -> Option<Decided<P::Move>> {
        // The side to move first: it more often has something to win.
        let first = self.root.side_to_move();
        for side in [first, !first] {
            if let Some(strategy) = self.win(side, nodes) {
                return Some(Decided::Won(side, strategy));
            }
        }
        for side in [first, !first] {
            self.hold(side, nodes);
        }
        match std::mem::take(&mut self.safe) {
            [Some(white), Some(black)] => Some(Decided::Drawn([white, black])),
            safe => {
                self.safe = safe;
                None
            }
        }
    }

    fn is_over(&self) -> bool {
        self.means.interrupt.load(Relaxed)
    }

    /// Searches for a win of a side.
    fn win(&mut self, side: Side, nodes: u64) -> Option<Strategy<P::Move>> {
        let s = side.index();
        if self.refuted[s] || self.safe[1 - s].is_some() || self.is_over() {
            return None;
        }
        let before = self.nodes() - self.attacks[s].nodes();
        let progress = &mut *self.progress;
        let mut watch = |search: &Search<'_, P>| progress(before + search.nodes());
        let search = &mut self.attacks[s];
        match search.solve(self.root, None, nodes, &mut watch) {
            Finding::Unknown => return None,
            Finding::Disproven => {
                self.refuted[s] = true;
                return None;
            }
            Finding::Proven => {}
        }
        let room = self.means.memory / 4 / win::BYTES;
        let full = Cell::new(false);
        let stopped = |positions| {
            full.set(positions > room);
            full.get() || self.means.interrupt.load(Relaxed)
        };
        let strategy = winning_strategy(search, self.root, None, self.means.leaves, &mut watch, &stopped);
        self.full = full.get();
        strategy.ok()
    }

    /// Searches for a strategy by which a side does not lose.
    fn hold(&mut self, side: Side, nodes: u64) {
        let s = side.index();
        if self.safe[s].is_some() || self.lost[s] || nodes > self.room() || self.is_over() {
            return;
        }
        let before = self.nodes() - self.guards[s].nodes();
        let progress = &mut *self.progress;
        let mut watch = |search: &Search<'_, P>| progress(before + search.nodes());
        let left = Cell::new(nodes);
        let means = self.means;
        let stopped = |_: &Stage| {
            left.set(left.get().saturating_sub(1));
            left.get() == 0 || means.interrupt.load(Relaxed)
        };
        match safe_strategy(&mut self.guards[s], self.root, means.leaves, GUARD, &mut watch, &stopped) {
            Ok(strategy) => self.safe[s] = Some(strategy),
            Err(NoStrategy::Refuted) => self.lost[s] = true,
            Err(NoStrategy::Unfinished) => {}
        }
    }
}
