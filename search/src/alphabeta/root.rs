//! The iterations of one thread: depth after depth, line after line, with windows around the last score.

use super::lazy_state::LazyState;
use super::node::{Child, Node};
use super::worker::{INFINITE, MAX_PLY, NO_EVAL, Worker, is_decided};
use crate::evaluate::Evaluate;
use crate::report::{Bound, Info};
use crate::score::Score;
use jewel_engine::ability::Probe;
use jewel_engine::ranking::best_first;
use jewel_engine::tactics::Tactics;

/// The first iteration with an aspiration window.
const ASPIRATION_DEPTH: i32 = 5;

/// What a thread has to do at its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The last iteration.
    pub(super) depth: i32,
    /// Lines to report.
    pub(super) lines: usize,
    /// Whether to go on where the result cannot change any more.
    pub(super) exhaustive: bool,
    /// Whether the search divides the time of a clock.
    pub(super) clock: bool,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// Searches deeper and deeper until a limit is reached. `on_line` is told of each line.
    pub(super) fn deepen(&mut self, root: &P, task: Task, on_line: &mut dyn FnMut(&Self, usize)) {
        let state = LazyState::known(self.evaluation.begin(root));
        self.whole_root &= task.lines == 1;
        self.stack[0].mover = root.side_to_move();
        let mut stability = 0;
        for depth in 1..=task.depth.min(MAX_PLY as i32) {
            if self.skips(depth, task.depth) {
                continue;
            }
            self.iteration = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.score;
            }
            let best_before = self.root_moves[0].mv;
            for line in 0..task.lines.min(self.root_moves.len()) {
                self.seldepth = 0;
                self.aspire(root, &state, line, depth);
                if self.stopped {
                    break;
                }
                if task.lines == 1 {
                    on_line(self, line);
                }
            }
            if self.stopped {
                break;
            }
            if task.lines > 1 {
                // A later line may have come before earlier ones: none is final before all are known.
                (0..task.lines.min(self.root_moves.len())).for_each(|line| on_line(self, line));
            }
            self.completed = depth;
            self.lost = Score::from_raw(self.root_moves[0].score).is_loss();
            stability = if self.root_moves[0].mv == best_before { stability + 1 } else { 0 };
            if !task.exhaustive && (self.settled_for_good(depth) || self.out_of_time(stability, task.clock)) {
                break;
            }
        }
    }

    /// Helpers skip some iterations, each helper different ones, so that the threads spread over depths. The last
    /// iteration is never skipped.
    fn skips(&self, depth: i32, last: i32) -> bool {
        const SIZE: [i32; 8] = [1, 1, 2, 2, 2, 3, 3, 4];
        const PHASE: [i32; 8] = [0, 1, 0, 1, 2, 0, 3, 2];
        let Some(helper) = self.number.checked_sub(1) else { return false };
        let n = helper % SIZE.len();
        depth < last && (depth + PHASE[n]) / SIZE[n] % 2 == 1
    }

    /// Whether deeper searches would not change the result: it is forced, and the search went far beyond its end.
    fn settled_for_good(&self, depth: i32) -> bool {
        let best = &self.root_moves[0];
        let distance = Score::from_raw(best.score).distance();
        distance.is_some_and(|plies| depth >= 3 * plies as i32 + 4)
    }

    /// Whether there is not a time for another iteration: sooner if the best move has been the same for long and took
    /// most of the work.
    fn out_of_time(&self, stability: i32, clock: bool) -> bool {
        if !clock {
            return self.deadline.soft_expired(1.0);
        }
        let nodes: u64 = self.root_moves.iter().map(|root_move| root_move.nodes).sum();
        let share = self.root_moves[0].nodes as f64 / nodes.max(1) as f64;
        let calm = self.params.calm_at(stability);
        let effort = if nodes == 0 { 1.0 } else { self.params.effort_at(share) };
        let forced = if self.root_moves.len() == 1 { 0.1 } else { 1.0 };
        self.deadline.soft_expired(calm * effort * forced)
    }

    /// Searches the moves from the place `line` on, with windows that widen until the score is inside.
    fn aspire(&mut self, root: &P, state: &LazyState<'_, P, E::State>, line: usize, depth: i32) {
        let previous = self.root_moves[line].previous;
        let mut half = self.params.aspiration;
        let narrow = self.features.aspiration && depth >= ASPIRATION_DEPTH && !is_decided(previous);
        let (mut alpha, mut beta) =
            if narrow { (previous - half, previous + half) } else { (-INFINITE, INFINITE) };
        let mut reduced = 0;
        loop {
            let node = Node { alpha, beta, depth: (depth - reduced).max(1), ply: 0, cut: false };
            let score = self.search_root(root, state, line, node);
            // Best first; equal ones keep their order. Of further lines that were not finished the last iteration knows
            // more.
            let unfinished = self.stopped && line > 0;
            best_first(&mut self.root_moves[line..], |root_move| {
                if unfinished { root_move.known_score() } else { root_move.score }.into()
            });
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = if half > 500 { -INFINITE } else { (score - half).max(-INFINITE) };
                reduced = 0;
            } else if score >= beta {
                beta = if half > 500 { INFINITE } else { (score + half).min(INFINITE) };
                reduced = (reduced + 1).min(3);
            } else {
                break;
            }
            half *= 2;
        }
        // The line may be better than those before it.
        best_first(&mut self.root_moves[..=line], |root_move| root_move.score.into());
    }

    /// One search of the root's moves from a place on.
    fn search_root(&mut self, root: &P, state: &LazyState<'_, P, E::State>, line: usize, node: Node) -> i32 {
        if !self.enter(0) {
            return 0;
        }
        self.stack[0].eval = if root.threatened() {
            NO_EVAL
        } else {
            self.corrected(root, self.evaluation.evaluate(root, state.state(&self.evaluation)))
        };
        self.stack[1].killers = [0; 2];
        let Node { mut alpha, beta, depth, .. } = node;
        let alpha_before = alpha;
        let mut best = -INFINITE;
        let mut best_move = None;
        for n in line..self.root_moves.len() {
            let mv = self.root_moves[n].mv;
            let nodes_before = self.nodes;
            self.note_quiet(root, mv, root.is_noisy(mv), 0);
            let next = self.step(root, mv, 0, false);
            let below = LazyState::after(state, root, mv);
            let child = Child::new(root, mv, &next, &below);
            let score = self.try_root_move(root, &child, mv, n - line, Node { alpha, ..node });
            self.back();
            self.root_moves[n].nodes += self.nodes - nodes_before;
            if self.stopped {
                break;
            }
            let seldepth = self.seldepth;
            if n == line || score > alpha {
                let [first, second] = self.lines.get_disjoint_mut([0, 1]).unwrap_or_else(|_| unreachable!());
                first.clear();
                first.push(mv);
                first.extend_from_slice(second);
                let entry = &mut self.root_moves[n];
                (entry.score, entry.failed) = (score, score <= alpha);
                (entry.depth, entry.seldepth) = (self.iteration, seldepth);
                entry.line.clone_from(first);
            } else {
                // Only a bound is known: the move keeps its place behind the others.
                self.root_moves[n].score = -INFINITE;
                self.root_moves[n].failed = true;
            }
            if score > best {
                best = score;
                best_move = Some(mv);
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        if !self.stopped && line == 0 && best > -INFINITE {
            let bound = Bound::of(best, alpha_before, beta);
            let code = best_move.map_or(0, P::encode);
            self.remember(root.zobrist_hash(), code, best, NO_EVAL, depth, bound, true, 0);
        }
        best
    }

    /// The score of a move of the root: late ones with a closed window first.
    fn try_root_move(
        &mut self,
        root: &P,
        child: &Child<'_, P, E::State>,
        mv: P::Move,
        number: usize,
        node: Node,
    ) -> i32 {
        let Node { alpha, beta, depth, .. } = node;
        let extended = self.features.threat_extension
            && child.threatened
            && (!root.is_noisy(mv) || root.exchange_at_least(mv, 0, self.evaluation.exchange_values()));
        let depth_below = depth - 1 + i32::from(extended);
        if number > 0 {
            let late = self.features.late_reductions && depth >= 3 && number >= 3;
            let reduction = if late && !root.is_noisy(mv) && !child.threatened && !root.threatened() {
                (self.reductions.quiet(depth, number) / 1024 - 1).clamp(0, depth - 2)
            } else {
                0
            };
            let closed = Node { alpha, beta: alpha + 1, depth: depth_below - reduction, ply: 1, cut: true };
            let mut score = self.below::<false>(child, closed);
            if score > alpha && reduction > 0 && !self.stopped {
                score = self.below::<false>(child, Node { depth: depth_below, ..closed });
            }
            if score <= alpha || self.stopped {
                return score;
            }
        }
        self.below::<true>(child, Node { alpha, beta, depth: depth_below, ply: 1, cut: false })
    }

    /// The line in this place.
    pub(super) fn info(&self, line: usize) -> Info<P::Move> {
        let root_move = &self.root_moves[line];
        // A line that was not searched in this iteration has the score of the one before.
        let unknown = root_move.score == -INFINITE;
        let raw = if unknown { root_move.previous } else { root_move.score };
        let raw = if raw == -INFINITE { 0 } else { raw };
        let score = Score::from_raw(raw);
        // After an unfinished iteration other moves may still save the position.
        let sure = line > 0 || score.is_win() || self.lost || !self.stopped;
        let mut info = Info {
            multipv: line as u32 + 1,
            score,
            bound: if root_move.failed { Bound::Upper } else { Bound::Exact },
            proven: score.is_decided() && !root_move.failed && sure,
            pv: root_move.line.clone(),
            depth: root_move.depth as u32,
            seldepth: root_move.seldepth as u32,
            nodes: self.nodes,
            elapsed: self.deadline.elapsed(),
            hashfull: self.tt.permille(),
            tb_hits: self.tb_hits,
            ..Info::default()
        };
        info.exact = self.completed > 0 && info.is_exact(|| if line == 0 { self.known } else { None });
        info
    }
}
