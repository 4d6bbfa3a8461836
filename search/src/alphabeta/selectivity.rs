//! Pruning, reductions and extensions.

use super::lazy_state::LazyState;
use super::node::{Candidate, Node, NodeFacts};
use super::order::Picker;
use super::order::history::NOWHERE;
use super::params;
use super::worker::{Worker, is_decided};
use crate::evaluate::Evaluate;
use crate::report::Bound;
use jewel_engine::ability::Probe;
use jewel_engine::tactics::Tactics;
use std::ops::ControlFlow;

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// The score of a node that can be left before any move is tried.
    pub(super) fn prune(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> Option<i32> {
        self.razor(position, state, node, facts)
            .or_else(|| self.reverse_futility(node, facts))
            .or_else(|| self.null_move(position, state, node, facts))
    }

    /// Razoring: far below the window, only a combination can help, and quiescence search looks for one.
    fn razor(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> Option<i32> {
        let Node { alpha, depth, ply, .. } = node;
        if !self.features.razoring || depth > 4 || facts.eval + self.params.razoring_at(depth) >= alpha {
            return None;
        }
        let score = self.quiescence(position, state, false, alpha, alpha + 1, ply);
        (score <= alpha && !is_decided(score)).then_some(score)
    }

    /// Reverse futility: far above the window, the opponent cannot catch up in a few plies. Nodes that were on a
    /// principal variation are searched all the same.
    fn reverse_futility(&self, node: Node, facts: &NodeFacts<P::Move>) -> Option<i32> {
        let Node { beta, depth, .. } = node;
        let margin = self.params.reverse_futility_at(depth, facts.improving);
        let safe = facts.eval - margin >= beta && !is_decided(beta);
        let shallow = depth <= params::SHALLOW && !facts.was_pv;
        (self.features.reverse_futility && shallow && safe && !is_decided(facts.eval))
            .then_some((facts.eval + beta) / 2)
    }

    /// Null move: if even passing keeps the score above the window, a move will, too. Only where that is expected.
    fn null_move(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> Option<i32> {
        let Node { beta, depth, ply, cut, .. } = node;
        let passed_before = ply > 0 && self.stack[ply - 1].landing == NOWHERE;
        if !self.features.null_move
            || depth < 3
            || !cut
            || passed_before
            || ply < self.no_pass_before
            || facts.eval < beta
            || facts.raw < beta - self.params.null_slack * depth
            || is_decided(beta)
            || position.is_zugzwang_prone()
        {
            return None;
        }
        let next = position.pass()?;
        let reduced = depth - self.params.null_reduction_at(depth, facts.eval - beta);
        (self.stack[ply].landing, self.stack[ply].quiet) = (NOWHERE, None);
        if P::TURNS {
            self.turn_starts[ply + 1] = None;
        }
        self.follow(ply, next.zobrist_hash(), true);
        let score = -self.search::<false>(
            &next,
            state,
            next.threatened(),
            Node { alpha: -beta, beta: 1 - beta, depth: reduced, ply: ply + 1, cut: !cut },
        );
        self.back();
        if self.stopped || score < beta {
            return None;
        }
        // A win after a pass is not proven.
        let score = if is_decided(score) { beta } else { score };
        let few = position.free_pieces() <= params::FEW;
        if !self.features.null_verification || depth < params::VERIFIED && !few || self.no_pass_before > 0 {
            return Some(score);
        }
        // Deep enough to see the answer to each move.
        let reduced = reduced.max(if few { 2 } else { 1 });
        self.no_pass_before = ply + (3 * reduced as usize) / 4 + 1;
        self.verified_ply = Some(ply);
        let verified = self.search::<false>(
            position,
            state,
            false,
            Node { alpha: beta - 1, beta, depth: reduced, ply, cut: false },
        );
        (self.no_pass_before, self.verified_ply) = (0, None);
        (!self.stopped && verified >= beta).then_some(score)
    }

    /// Whether a move makes a threat that the opponent must answer.
    #[inline(always)]
    fn threatens(position: &P, mv: P::Move) -> bool {
        let next = position.after(mv);
        (P::ALTERNATES || next.side_to_move() != position.side_to_move()) && next.threatened()
    }

    /// By how much a move is expected to raise the evaluation at most at this depth; `None` if it may be more.
    #[inline(always)]
    fn futility(&self, position: &P, mv: P::Move, noisy: bool, depth: i32) -> Option<i32> {
        if !noisy {
            return (depth <= params::SHALLOW).then(|| self.params.futility_at(depth));
        }
        if depth > params::NOISY {
            return None;
        }
        // A step onto a key gains nothing, but may win.
        let gain = position.gain(mv, self.evaluation.exchange_values());
        (gain > 0).then(|| gain + self.params.futility_noisy_at(depth))
    }

    /// Whether a move is pruned at this depth because it is late or gains too little.
    #[expect(clippy::too_many_arguments, reason = "everything that is facts about the move")]
    #[inline(always)]
    pub(super) fn skip(
        &self,
        position: &P,
        mv: P::Move,
        noisy: bool,
        number: usize,
        node: Node,
        facts: &NodeFacts<P::Move>,
        picker: &mut Picker<P::Move>,
    ) -> bool {
        let Node { alpha, depth, .. } = node;
        let features = &self.features;
        if !facts.threatened {
            if !noisy
                && features.late_pruning
                && depth <= params::SHALLOW
                && number > self.params.late_moves_at(depth, facts.improving)
            {
                picker.skip_quiets();
                return true;
            }
            if features.futility
                && !is_decided(alpha)
                && self.futility(position, mv, noisy, depth).is_some_and(|most| facts.eval + most <= alpha)
                && !Self::threatens(position, mv)
            {
                return true;
            }
        }
        false
    }

    /// Whether a move is pruned at this depth because it loses too much in exchanges.
    #[inline(always)]
    pub(super) fn loses(
        &self,
        position: &P,
        mv: P::Move,
        noisy: bool,
        bad: bool,
        depth: i32,
        facts: &NodeFacts<P::Move>,
    ) -> bool {
        if !self.features.exchange_pruning || depth > params::SHALLOW {
            return false;
        }
        let least = self.params.exchange_at(depth, noisy);
        // A noisy move that is not bad loses nothing, as the picker has found; but of the first one it did not ask.
        let known = noisy && !bad && least <= 0 && facts.tt_move != Some(mv);
        !known && !position.exchange_at_least(mv, least, self.evaluation.exchange_values())
    }

    /// The singular extension of the transposition table's move: the others are searched with a window below its score.
    /// `Err` is a score that settles the node: several moves refute.
    pub(super) fn singular(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        mv: P::Move,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> Result<i32, i32> {
        let Node { beta, depth, ply, cut, .. } = node;
        let Some(entry) = facts.entry.filter(|_| self.features.singular && facts.tt_move == Some(mv)) else {
            return Ok(0);
        };
        let score = Self::from_tt(entry.score, ply);
        if ply == 0
            || facts.excluded != 0
            || depth < params::SINGULAR
            || entry.depth < depth - 3
            || entry.bound == Bound::Upper
            || is_decided(score)
            || ply as i32 >= 2 * self.iteration
        {
            return Ok(0);
        }
        let bar = self.params.singular_at(depth, score);
        self.stack[ply].excluded = P::encode(mv);
        let others = self.search::<false>(
            position,
            state,
            facts.threatened,
            Node { alpha: bar - 1, beta: bar, depth: (depth - 1) / 2, ply, cut },
        );
        self.stack[ply].excluded = 0;
        // The inner search has overwritten this ply's evaluation.
        self.stack[ply].eval = facts.eval;
        if self.stopped {
            return Ok(0);
        }
        if others < bar {
            let alone = node.beta - node.alpha == 1 && others < bar - self.params.singular_twice;
            return Ok(if alone { 2 } else { 1 });
        }
        if others >= beta && !is_decided(others) {
            return Err(others);
        }
        // Others are about as good, so this one is searched less deep.
        Ok(if score >= beta {
            -2
        } else if cut {
            -1
        } else {
            0
        })
    }

    /// Whether a [compelled](Tactics::is_compelled) position has only one capture; never if the feature is off.
    pub(super) fn is_forced(&self, position: &P) -> bool {
        if !self.features.forced_extension {
            return false;
        }
        let mut captures = 0;
        let second = position.noisy_moves(|_| {
            captures += 1;
            if captures == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        second.is_continue()
    }

    /// Plies by which a move is searched deeper: by its singularity, or else by one if it makes a threat or is the
    /// only capture of a side that has to capture.
    #[inline(always)]
    pub(super) fn extension(&self, candidate: Candidate, threat: bool, ply: usize, forced: bool) -> i32 {
        let threatens = self.features.threat_extension && threat && !candidate.bad;
        if candidate.extension == 0 && (threatens || forced) && (ply as i32) < 2 * self.iteration {
            return 1;
        }
        candidate.extension
    }

    /// Plies by which a move is searched less deep at first.
    #[inline(always)]
    pub(super) fn reduction<const PV: bool>(
        &self,
        position: &P,
        mv: P::Move,
        candidate: Candidate,
        threat: bool,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> i32 {
        let Node { depth, ply, cut, .. } = node;
        if !self.features.late_reductions
            || depth < 3
            || candidate.number < 2
            || facts.threatened && candidate.number < 4
        {
            return 0;
        }
        let mut reduction = self.reductions.quiet(depth, candidate.number);
        if candidate.noisy {
            if !candidate.bad {
                return 0;
            }
            reduction /= 2;
        } else {
            let side = position.side_to_move();
            let history =
                self.histories.butterfly(side, mv) + self.histories.continuation(self.before(ply), mv);
            reduction -= history / self.params.reduction_history;
        }
        let params = &self.params;
        reduction -= params.reduction_open * i32::from(PV) + params.reduction_threat * i32::from(threat);
        reduction += params.reduction_cut * i32::from(cut);
        reduction -= params.reduction_was_open * i32::from(facts.was_pv);
        reduction += params.reduction_worse * i32::from(!facts.improving);
        (reduction / 1024).clamp(0, depth - 2)
    }
}
