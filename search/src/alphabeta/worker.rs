//! The state of one thread of a search.

use super::features::Features;
use super::options::Options;
use super::order::MoveStack;
use super::order::history::{Histories, Landing, NOWHERE};
use super::params::{Reductions, SearchParams};
use crate::control::{Deadline, Stop};
use crate::evaluate::Evaluate;
use crate::score::Score;
use crate::tt::TranspositionTable;
use jewel_engine::ability::Probe;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Value};
use jewel_engine::zobrist::splitmix64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most plies of a path; beyond them the static evaluation counts.
pub(super) const MAX_PLY: usize = 240;

/// Above every score.
pub(super) const INFINITE: i32 = Score::INFINITE.raw();

/// The score of a won position that is `ply` plies from the root; a lost one has its negative.
#[inline(always)]
pub(super) const fn won(ply: usize) -> i32 {
    Score::win_in(ply as u32).raw()
}

/// Whether a score says that the game is decided.
#[inline(always)]
pub(super) const fn is_decided(score: i32) -> bool {
    Score::from_raw(score).is_decided()
}

/// The score of a win whose distance an endgame table does not know: above every evaluation, below every win that the
/// search sees to its end.
pub(super) const TABLEBASE_WIN: i32 = Score::MAX_CENTIPAWNS - MAX_PLY as i32;

/// One ply of the search stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEntry {
    /// The corrected evaluation; [`NO_EVAL`] while a threat must be answered.
    pub(super) eval: i32,
    /// Where the move of this ply ends.
    pub(super) landing: Landing,
    /// Where the butterfly history keeps that move, if it is quiet.
    pub(super) quiet: Option<usize>,
    /// Codes of quiet moves that refuted siblings.
    pub(super) killers: [u32; 2],
    /// The code of the move that a singular search leaves out.
    pub(super) excluded: u32,
    pub(super) mover: Side,
}

/// In place of an evaluation that was not made.
pub(super) const NO_EVAL: i32 = i32::MIN;

const EMPTY_ENTRY: StackEntry = StackEntry {
    eval: NO_EVAL,
    landing: NOWHERE,
    quiet: None,
    killers: [0; 2],
    excluded: 0,
    mover: Side::White,
};

/// The first ply of a turn that goes on: the position before it, and the ply.
pub(super) type TurnStart<P> = Option<(P, <P as Position>::Move)>;

/// A move of the root and its results.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    pub(super) score: i32,
    pub(super) previous: i32,
    /// Whether `score` is an upper bound only.
    pub(super) failed: bool,
    pub(super) line: Vec<M>,
    /// The iteration that found the score.
    pub(super) depth: i32,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
}

/// One thread of a search.
#[derive(Debug)]
pub(super) struct Worker<P: Tactics, E: Evaluate<P>, T> {
    pub(super) number: usize,
    pub(super) tt: Arc<TranspositionTable>,
    pub(super) evaluation: E,
    pub(super) tablebase: Arc<T>,
    pub(super) features: Features,
    pub(super) params: SearchParams,
    pub(super) reductions: Reductions,
    pub(super) histories: Histories<P>,
    pub(super) moves: MoveStack<P::Move>,
    pub(super) stack: Vec<StackEntry>,
    /// The lines below each ply.
    pub(super) lines: Vec<Vec<P::Move>>,
    /// The hashes of the game and of the path.
    pub(super) hashes: Vec<u64>,
    /// By ply: how many of the hashes before it may come again.
    pub(super) since: Vec<usize>,
    /// By ply: the first ply of a turn that goes on there. Only in games of compound turns.
    pub(super) turn_starts: Vec<TurnStart<P>>,
    /// Whether all moves of the root compete for one line, so that a turn may be left out where another order reaches it.
    pub(super) whole_root: bool,
    /// The value of the root in endgame tables.
    pub(super) known: Option<Value>,
    pub(super) root_moves: Vec<RootMove<P::Move>>,
    pub(super) nodes: u64,
    pub(super) node_limit: u64,
    /// The number of nodes from which quiescence search tries no more moves; 0 outside of quiescence search.
    pub(super) quiet_from: u64,
    /// The ply at which quiescence search began.
    pub(super) quiet_ply: usize,
    /// The nodes as other threads see them.
    pub(super) published: Arc<AtomicU64>,
    pub(super) tb_hits: u64,
    pub(super) seldepth: usize,
    pub(super) deadline: Deadline,
    pub(super) stopped: bool,
    /// Stopped when the first worker has finished.
    pub(super) finished: Stop,
    /// The plies of the iteration.
    pub(super) iteration: i32,
    /// Whether all moves lose, by the last completed iteration.
    pub(super) lost: bool,
    /// Iterations completed.
    pub(super) completed: i32,
    /// While a null move is verified: no null move is tried before this ply.
    pub(super) no_pass_before: usize,
    /// While a null move is verified: the ply of the node, where neither it nor the static evaluation may be trusted.
    pub(super) verified_ply: Option<usize>,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    pub(super) fn new(
        number: usize,
        tt: Arc<TranspositionTable>,
        evaluation: E,
        tablebase: Arc<T>,
        options: &Options,
        deadline: Deadline,
    ) -> Self {
        Worker {
            number,
            tt,
            evaluation,
            tablebase,
            features: options.features,
            params: options.params,
            reductions: Reductions::new(&options.params),
            histories: Histories::default(),
            moves: Vec::with_capacity(8192),
            stack: vec![EMPTY_ENTRY; MAX_PLY + 8],
            lines: (0..MAX_PLY + 8).map(|_| Vec::with_capacity(MAX_PLY + 8)).collect(),
            hashes: Vec::with_capacity(1024),
            since: vec![0; MAX_PLY + 8],
            turn_starts: vec![None; if P::TURNS { MAX_PLY + 8 } else { 0 }],
            whole_root: false,
            known: None,
            lost: false,
            root_moves: Vec::new(),
            nodes: 0,
            node_limit: u64::MAX,
            quiet_from: 0,
            quiet_ply: 0,
            published: Arc::default(),
            tb_hits: 0,
            seldepth: 0,
            deadline,
            stopped: false,
            finished: Stop::new(),
            iteration: 0,
            completed: 0,
            no_pass_before: 0,
            verified_ply: None,
        }
    }

    /// Prepares for a search of this root; [`Searcher`](crate::searcher::Searcher) describes `history`.
    pub(super) fn begin(&mut self, root: &P, history: &[u64], deadline: Deadline, node_limit: u64) {
        self.stack.fill(EMPTY_ENTRY);
        self.moves.clear();
        self.hashes.clear();
        self.hashes.extend_from_slice(history);
        self.hashes.push(root.zobrist_hash());
        self.since[0] = history.len();
        (self.nodes, self.tb_hits, self.seldepth) = (0, 0, 0);
        self.published.store(0, Relaxed);
        self.deadline = deadline;
        (self.node_limit, self.quiet_from, self.lost) = (node_limit, 0, false);
        (self.stopped, self.iteration, self.completed) = (false, 0, 0);
        (self.no_pass_before, self.verified_ply) = (0, None);
    }

    /// Prepares for a shallow search of a root without history. What earlier ones have learnt stays. Quiescence search
    /// ends with this many nodes of the whole search.
    pub(super) fn begin_shallow(&mut self, root: &P, node_limit: u64, quiescence_nodes: u64) {
        self.hashes.clear();
        self.hashes.push(root.zobrist_hash());
        self.stack[0] = StackEntry { mover: root.side_to_move(), ..EMPTY_ENTRY };
        (self.nodes, self.seldepth, self.stopped) = (0, 0, false);
        (self.node_limit, self.quiet_from) = (node_limit, quiescence_nodes.max(1));
    }

    /// Forgets what it has learnt.
    pub(super) fn forget(&mut self) {
        self.histories.clear();
    }

    /// Counts a node, unless the search is over.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        if self.stopped || self.nodes >= self.node_limit || self.deadline.expired() {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes & 1023 == 0 {
            self.published.store(self.nodes, Relaxed);
            self.stopped = self.finished.is_stopped();
        }
        self.seldepth = self.seldepth.max(ply);
        self.lines[ply].clear();
        true
    }

    /// Puts a position on the path; `irreversible` if none before its move can come again.
    #[inline(always)]
    pub(super) fn follow(&mut self, ply: usize, hash: u64, irreversible: bool) {
        self.since[ply + 1] = if irreversible { 0 } else { self.since[ply] + 1 };
        self.hashes.push(hash);
    }

    /// Takes the last position off the path.
    #[inline(always)]
    pub(super) fn back(&mut self) {
        self.hashes.pop();
    }

    /// Whether the position at the end of the path is a draw by repetition: it occurs for the second time below the
    /// root, where the side that wanted it can repeat it again, or for the third time in all. One occurrence up to the
    /// root does not count alone, since the opponent may answer differently this time.
    #[inline(always)]
    pub(super) fn repeats(&self, ply: usize) -> bool {
        let (least, step) = if P::ALTERNATES { (4, 2) } else { (1, 1) };
        if self.since[ply] < least {
            return false;
        }
        let Some((&hash, before)) = self.hashes.split_last() else { return false };
        let (mut earlier, mut distance) = (0, least);
        while distance <= self.since[ply].min(before.len()) {
            if before[before.len() - distance] == hash {
                earlier += 1;
                if distance < ply || earlier == 2 {
                    return true;
                }
            }
            distance += step;
        }
        false
    }

    /// Notes at a child whether the turn goes on after a move, and how it began.
    #[inline(always)]
    pub(super) fn note_turn(&mut self, position: &P, mv: P::Move, next: &P, ply: usize) {
        if P::TURNS {
            let goes_on = next.side_to_move() == position.side_to_move() && (ply > 0 || self.whole_root);
            self.turn_starts[ply + 1] = goes_on.then(|| (position.clone(), mv));
        }
    }

    /// Whether a move need not be searched, since the turn in the other order leads to the same position.
    #[inline(always)]
    pub(super) fn is_redundant(&self, mv: P::Move, ply: usize) -> bool {
        P::TURNS
            && self.features.turn_order
            && self.turn_starts[ply].as_ref().is_some_and(|(before, first)| before.is_redundant(*first, mv))
    }

    /// The hash under which the transposition table keeps a position. In the middle of a turn it depends on how the
    /// turn began, because that decides which plies are left out.
    #[inline(always)]
    pub(super) fn tt_hash(&self, position: &P, ply: usize) -> u64 {
        let hash = position.zobrist_hash();
        if !P::TURNS || !self.features.turn_order {
            return hash;
        }
        self.turn_starts[ply]
            .as_ref()
            .map_or(hash, |(_, first)| hash ^ splitmix64(P::encode(*first).into()).1)
    }

    /// The evaluation at the mover's previous turn.
    #[inline(always)]
    pub(super) fn earlier_evaluation(&self, ply: usize, mover: Side) -> i32 {
        if P::ALTERNATES {
            return ply.checked_sub(2).map_or(NO_EVAL, |at| self.stack[at].eval);
        }
        let before = self.stack[..ply].iter().rev();
        let mut before =
            before.skip_while(|frame| frame.mover == mover).skip_while(|frame| frame.mover != mover);
        before.next().map_or(NO_EVAL, |frame| frame.eval)
    }

    /// The last two moves, the opponent's first.
    #[inline(always)]
    pub(super) fn before(&self, ply: usize) -> [Landing; 2] {
        let landing = |back: usize| ply.checked_sub(back).map_or(NOWHERE, |at| self.stack[at].landing);
        [landing(1), landing(2)]
    }

    /// A score as the transposition table keeps it: decided ones by distance from the position.
    #[inline(always)]
    pub(super) fn to_tt(score: i32, ply: usize) -> i32 {
        match score {
            s if !is_decided(s) => s,
            s if s > 0 => s + ply as i32,
            s => s - ply as i32,
        }
    }

    /// A score of the transposition table as the search counts it: decided ones by distance from the root.
    #[inline(always)]
    pub(super) fn from_tt(score: i32, ply: usize) -> i32 {
        match score {
            s if !is_decided(s) => s,
            s if s > 0 => s - ply as i32,
            s => s + ply as i32,
        }
    }

    /// The evaluation with the correction that searches have learnt.
    #[inline(always)]
    pub(super) fn corrected(&self, position: &P, raw: i32) -> i32 {
        if !self.features.correction_history {
            return raw;
        }
        let correction = self.histories.correction(position.side_to_move(), position.structure_hash());
        (raw + correction).clamp(1 - TABLEBASE_WIN, TABLEBASE_WIN - 1)
    }

    /// The score of a position without moves, or whose moves all lose to a threat at once.
    #[cold]
    pub(super) fn without_moves(position: &P, ply: usize) -> i32 {
        match position.outcome() {
            Some(outcome) => relative(outcome, ply),
            None => -won(ply + position.plies_to_loss()),
        }
    }

    /// Makes a move and the line below it the line of a ply.
    #[inline(always)]
    pub(super) fn keep_line(&mut self, ply: usize, mv: P::Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }
}

/// The score of a finished game.
#[inline(always)]
pub(super) fn relative(outcome: jewel_engine::value::Outcome, ply: usize) -> i32 {
    use jewel_engine::value::Outcome;
    match outcome {
        Outcome::Win => won(ply),
        Outcome::Draw => 0,
        Outcome::Loss => -won(ply),
    }
}
