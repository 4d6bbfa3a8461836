//! What a search remembers of its nodes: histories of moves, errors of the evaluation, and entries of the transposition table.

use super::node::{Node, NodeFacts};
use super::order::history::NOWHERE;
use super::worker::{NO_EVAL, StackEntry, Worker, is_decided};
use crate::evaluate::Evaluate;
use crate::report::Bound;
use crate::tt::Entry;
use arrayvec::ArrayVec;
use jewel_engine::ability::Probe;
use jewel_engine::tactics::Tactics;

/// Moves that were tried and did not refute; histories punish them at the end.
pub(super) struct FailedMoves<M> {
    pub(super) quiet: ArrayVec<M, 48>,
    pub(super) noisy: ArrayVec<M, 32>,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// Rewards the move that refuted and punishes those before it.
    pub(super) fn reward(
        &mut self,
        position: &P,
        mv: P::Move,
        depth: i32,
        ply: usize,
        failed: &FailedMoves<P::Move>,
    ) {
        let (side, before) = (position.side_to_move(), self.before(ply));
        let [bonus, malus] = self.params.rewards_at(depth);
        if position.is_noisy(mv) {
            self.histories.reward_noisy(mv, position.victim(mv), bonus);
        } else {
            self.histories.reward_quiet(side, before, mv, bonus);
            for &other in &failed.quiet {
                self.histories.reward_quiet(side, before, other, -malus);
            }
            let code = P::encode(mv);
            let killers = &mut self.stack[ply].killers;
            if killers[0] != code {
                *killers = [code, killers[0]];
            }
            if before[0] != NOWHERE {
                self.histories.set_counter(before[0], code);
            }
        }
        for &other in &failed.noisy {
            self.histories.reward_noisy(other, position.victim(other), -malus);
        }
    }

    /// The ply before, and where the butterfly history keeps its move, if that was a quiet one of the opponent.
    #[inline(always)]
    fn last_quiet(&self, ply: usize) -> Option<(usize, usize)> {
        let above = ply.checked_sub(1)?;
        let StackEntry { quiet, mover, .. } = self.stack[above];
        Some((above, quiet.filter(|_| mover != self.stack[ply].mover)?))
    }

    /// Rewards the opponent's quiet move that led here by how much it changed the evaluation to the opponent's advantage.
    #[inline(always)]
    pub(super) fn learn_from_evaluation(&mut self, ply: usize) {
        let Some((above, butterfly)) = self.last_quiet(ply) else { return };
        let (before, after) = (self.stack[above].eval, self.stack[ply].eval);
        if before != NO_EVAL && after != NO_EVAL {
            let bonus = -self.params.history_evaluation * (before + after);
            self.histories.reward_butterfly(butterfly, bonus.clamp(-1000, 1000));
        }
    }

    /// Rewards the quiet move of an entry of the transposition table that refutes.
    pub(super) fn reward_known(&mut self, position: &P, entry: &Entry, depth: i32, ply: usize) {
        if let Some(mv) = self.tt_move(position, Some(entry))
            && !position.is_noisy(mv)
        {
            let [bonus, _] = self.params.rewards_at(depth);
            self.histories.reward_quiet(position.side_to_move(), self.before(ply), mv, bonus);
        }
    }

    /// Rewards the opponent's quiet move that led to a node where no move raises the score.
    pub(super) fn reward_last(&mut self, depth: i32, ply: usize) {
        if let Some((above, butterfly)) = self.last_quiet(ply) {
            let [bonus, _] = self.params.rewards_at(depth);
            let landing = self.stack[above].landing;
            self.histories.reward_played(butterfly, self.before(above), landing, bonus);
        }
    }

    /// Stores the result of a node in the transposition table, and the error of the evaluation in the histories.
    pub(super) fn learn(
        &mut self,
        position: &P,
        best: i32,
        best_move: Option<P::Move>,
        alpha_before: i32,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) {
        let Node { beta, depth, ply, .. } = node;
        let bound = Bound::of(best, alpha_before, beta);
        let code = best_move.map_or(0, P::encode);
        self.remember(facts.hash, code, best, facts.raw, depth, bound, facts.was_pv, ply);
        let quiet = best_move.is_none_or(|mv| !position.is_noisy(mv));
        let tells = match bound {
            Bound::Exact => true,
            Bound::Lower => best > facts.eval,
            Bound::Upper => best < facts.eval,
        };
        if self.features.correction_history && !facts.threatened && quiet && tells && !is_decided(best) {
            let structure = position.structure_hash();
            self.histories.correct(position.side_to_move(), structure, depth, best - facts.raw);
        }
    }

    /// Puts a result into the transposition table.
    #[expect(clippy::too_many_arguments, reason = "the fields of an entry")]
    #[inline(always)]
    pub(super) fn remember(
        &self,
        hash: u64,
        mv: u32,
        score: i32,
        raw: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
        ply: usize,
    ) {
        let eval = if raw == NO_EVAL { Entry::NO_EVAL } else { raw };
        let score = Self::to_tt(score, ply);
        self.tt.store(hash, Entry { mv, score, eval, depth, bound, pv });
    }
}
