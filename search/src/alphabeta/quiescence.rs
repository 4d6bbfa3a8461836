//! The end of a line: only captures, promotions, steps onto the key and answers to threats, and drops with check at
//! its beginning, until the position is quiet enough to be evaluated.

use super::lazy_state::LazyState;
use super::node::{Child, Node};
use super::order::{OrderingHints, Picker};
use super::params;
use super::worker::{INFINITE, MAX_PLY, NO_EVAL, Worker, is_decided, relative, won};
use crate::evaluate::Evaluate;
use crate::report::Bound;
use jewel_engine::ability::Probe;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Outcome;

/// Nodes of one quiescence search, after which positions have their static evaluation. In the games of this
/// repository one in a million needs more than 500; where many pieces can capture one another there would be no end.
const MAX_NODES: u64 = 2000;

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// The value of a position at the end of a line.
    #[inline(always)]
    pub(super) fn quiescence(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        threatened: bool,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        let outer = (self.quiet_from, self.quiet_ply);
        if outer.0 == 0 {
            self.quiet_from = self.nodes + MAX_NODES;
        }
        self.quiet_ply = ply;
        let score = self.quiesce(position, state, threatened, alpha, beta, ply);
        (self.quiet_from, self.quiet_ply) = outer;
        score
    }

    /// The value of a position in quiescence search.
    fn quiesce(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        threatened: bool,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if !self.enter(ply) {
            return 0;
        }
        if let Some(score) = self.settled(position, ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.evaluation.evaluate(position, state.state(&self.evaluation));
        }
        let hash = self.tt_hash(position, ply);
        let entry = self.tt.probe(hash);
        if let Some(entry) = entry
            && let Some(score) = self.tt_cutoff(&entry, -1, alpha, beta, ply)
        {
            return score;
        }
        if let Some(score) = self.probe_tablebase_at_leaf(position, ply) {
            return score;
        }
        let floor = self.floor(position);
        if floor >= beta {
            return floor;
        }
        // A side with only one legal capture cannot decline it, so it must not stand pat.
        let threatened = threatened || position.is_compelled() && self.is_forced(position);
        let (mut best, mut raw) = (floor, NO_EVAL);
        alpha = alpha.max(floor);
        if !threatened {
            raw = self.raw_evaluation(position, state, entry.as_ref());
            best = self.corrected(position, raw);
            if let Some(entry) = &entry {
                best = Self::refined(best, entry, ply);
            }
            best = best.max(floor);
            if best >= beta {
                if entry.is_none() {
                    self.remember(hash, 0, best, raw, -1, Bound::Lower, false, ply);
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        if self.nodes >= self.quiet_from {
            return if threatened {
                self.evaluation.evaluate(position, state.state(&self.evaluation)).max(floor)
            } else {
                best
            };
        }
        let stand_pat = best;
        let hints = OrderingHints {
            tt_move: self.tt_move(position, entry.as_ref()).filter(|&mv| threatened || position.is_noisy(mv)),
            refutations: [0; 3],
            before: self.before(ply),
        };
        let mut picker =
            if threatened { Picker::new(hints, &self.moves) } else { Picker::noisy(hints, &self.moves) };
        if !threatened && position.has_drops() && ply < self.quiet_ply + params::DROPPED_CHECKS {
            picker.add_checks();
        }
        let (mut best_move, mut tried) = (None, false);
        while let Some((mv, bad)) = picker.next(
            position,
            &mut self.moves,
            &self.histories,
            &self.features,
            self.evaluation.exchange_values(),
        ) {
            if self.is_redundant(mv, ply) {
                continue;
            }
            tried = true;
            if self.hopeless(position, mv, bad, stand_pat, best, alpha, threatened)
                || threatened && self.unpromising(position, mv, best, ply)
            {
                continue;
            }
            let expected = self.expect(position, mv);
            let next = self.step(position, mv, ply, expected);
            let below = LazyState::after(state, position, mv);
            let child = Child::new(position, mv, &next, &below);
            let score = self.quiet_child(&child, alpha, beta, ply);
            self.back();
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    self.keep_line(ply, mv);
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        picker.finish(&mut self.moves);
        if self.stopped {
            return 0;
        }
        if threatened && !tried {
            return Self::without_moves(position, ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.remember(hash, best_move.map_or(0, P::encode), best, raw, -1, bound, false, ply);
        best
    }

    /// The value of the position after a move, for the mover.
    #[inline(always)]
    fn quiet_child(&mut self, child: &Child<'_, P, E::State>, alpha: i32, beta: i32, ply: usize) -> i32 {
        let (before, mv) = child.origin;
        if P::DICE && !before.odds(mv).is_certain() {
            return self.below::<false>(child, Node { alpha, beta, depth: 0, ply: ply + 1, cut: false });
        }
        if P::ALTERNATES || child.flips {
            -self.quiesce(child.position, child.state, child.threatened, -beta, -alpha, ply + 1)
        } else {
            self.quiesce(child.position, child.state, child.threatened, alpha, beta, ply + 1)
        }
    }

    /// Whether a move is not worth searching: it loses in exchanges, or wins too little.
    #[expect(clippy::too_many_arguments, reason = "the node and the state of the node")]
    #[inline(always)]
    fn hopeless(
        &self,
        position: &P,
        mv: P::Move,
        bad: bool,
        stand_pat: i32,
        best: i32,
        alpha: i32,
        threatened: bool,
    ) -> bool {
        if best == -INFINITE || is_decided(best) && best < 0 {
            return false;
        }
        if self.features.exchange_pruning && bad {
            return true;
        }
        // A step onto the key that stays wins more than material.
        self.features.futility && !threatened && {
            let gain = position.gain(mv, self.evaluation.exchange_values());
            gain > 0 && stand_pat + gain + self.params.delta <= alpha && !position.after(mv).threatened()
        }
    }

    /// Whether a quiet answer to a threat is not worth searching: it has mostly failed after such moves, and another answer
    /// does not lose.
    #[inline(always)]
    fn unpromising(&self, position: &P, mv: P::Move, best: i32, ply: usize) -> bool {
        self.features.continuation_history
            && best > -won(0) + MAX_PLY as i32
            && !position.is_noisy(mv)
            && self.histories.continuation(self.before(ply), mv) < 0
    }

    /// The score of a position that needs no search: the game is over, or the position repeats.
    #[inline(always)]
    pub(super) fn settled(&mut self, position: &P, ply: usize) -> Option<i32> {
        if let Some(outcome) = position.decided() {
            return Some(relative(outcome, ply));
        }
        if self.repeats(ply) && (P::ALTERNATES || position.repetition_hash().is_some()) {
            let repeated = position.repeated(&[]);
            if repeated != Outcome::Draw {
                return Some(relative(repeated, ply));
            }
            let contempt = self.evaluation.contempt();
            return Some(if position.side_to_move() == self.stack[0].mover { -contempt } else { contempt });
        }
        if position.adjudicated() {
            return position.outcome().map(|outcome| relative(outcome, ply));
        }
        None
    }
}
