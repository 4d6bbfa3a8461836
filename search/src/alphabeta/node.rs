//! One position of the tree, step by step.

use super::lazy_state::LazyState;
use super::learn::FailedMoves;
use super::order::history::Histories;
use super::order::{OrderingHints, Picker};
use super::params;
use super::worker::{INFINITE, MAX_PLY, NO_EVAL, TABLEBASE_WIN, Worker, is_decided, relative, won};
use crate::evaluate::Evaluate;
use crate::report::Bound;
use crate::tt::Entry;
use arrayvec::ArrayVec;
use jewel_engine::ability::Probe;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Value};

/// The arguments of a search: the alpha-beta window of a node, and its place in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// Whether the node is expected to fail high.
    pub(super) cut: bool,
}

/// The facts of a node before any move is tried.
pub(super) struct NodeFacts<M> {
    pub(super) hash: u64,
    pub(super) entry: Option<Entry>,
    pub(super) tt_move: Option<M>,
    /// The static evaluation, and the same corrected by histories and the transposition table.
    pub(super) raw: i32,
    pub(super) eval: i32,
    pub(super) improving: bool,
    pub(super) threatened: bool,
    /// Whether the position is [compelled](Tactics::is_compelled).
    pub(super) compelled: bool,
    /// Whether it is compelled and has only one capture.
    pub(super) forced: bool,
    pub(super) excluded: u32,
    /// The score below which the side to move cannot come; [`-INFINITE`](INFINITE) if none is known.
    pub(super) floor: i32,
    /// Whether the node is or was on a principal variation.
    pub(super) was_pv: bool,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// The value of a position for the side to move (fail-soft). `PV` says whether the window is open, so that exact
    /// values and lines are wanted.
    pub(super) fn search<const PV: bool>(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        threatened: bool,
        mut node: Node,
    ) -> i32 {
        // Step 1. At the end of full-width search, quiescence search takes over.
        if node.depth <= 0 {
            return self.leaf(position, state, threatened, node);
        }
        let ply = node.ply;
        if !self.enter(ply) {
            return 0;
        }
        // Step 2. Games that are over, repetitions, and the longest path.
        let excluded = self.stack[ply].excluded;
        if excluded == 0
            && let Some(score) = self.settled(position, ply)
        {
            return score;
        }
        if ply >= MAX_PLY {
            return self.evaluation.evaluate(position, state.state(&self.evaluation));
        }
        // Step 3. Distance pruning: nothing here beats a quicker win or a slower loss found already.
        if self.features.distance_pruning {
            node.alpha = node.alpha.max(-won(ply));
            node.beta = node.beta.min(won(ply + 1));
            if node.alpha >= node.beta {
                return node.alpha;
            }
        }
        // Step 4. Probe the transposition table and endgame tables, and evaluate.
        let facts = match self.look_up::<PV>(position, state, threatened, node, excluded) {
            Ok(facts) => facts,
            Err(score) => return score,
        };
        self.stack[ply].eval = facts.eval;
        self.stack[ply].mover = position.side_to_move();
        // Cousins share killers: those of the grandchildren are forgotten here.
        self.stack[ply + 2].killers = [0; 2];
        if excluded == 0 {
            self.learn_from_evaluation(ply);
        }
        // Step 5. Razoring, reverse futility and null move.
        if !PV
            && !threatened
            && !facts.compelled
            && excluded == 0
            && self.verified_ply != Some(ply)
            && let Some(score) = self.prune(position, state, node, &facts)
        {
            return score;
        }
        // Step 6. Internal reduction: without a move to try first, search less deep.
        if self.features.internal_reduction
            && self.features.tt_move
            && facts.tt_move.is_none()
            && node.depth >= params::INTERNAL
        {
            node.depth -= 1;
        }
        // Steps 7 to 12.
        self.search_moves::<PV>(position, state, node, &facts)
    }

    /// The end of full-width search.
    fn leaf(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        threatened: bool,
        node: Node,
    ) -> i32 {
        let Node { alpha, beta, ply, .. } = node;
        if self.features.quiescence {
            return self.quiescence(position, state, threatened, alpha, beta, ply);
        }
        self.standing(position, state, ply)
    }

    /// The value of a position as it stands.
    pub(super) fn standing(&mut self, position: &P, state: &LazyState<'_, P, E::State>, ply: usize) -> i32 {
        if !self.enter(ply) {
            return 0;
        }
        if let Some(score) = self.settled(position, ply) {
            return score;
        }
        if let Some(score) = self.probe_tablebase_at_leaf(position, ply) {
            return score;
        }
        match position.outcome() {
            Some(outcome) => relative(outcome, ply),
            None => {
                let floor = self.floor(position);
                self.evaluation.evaluate(position, state.state(&self.evaluation)).max(floor)
            }
        }
    }

    /// Probes the transposition table and endgame tables, and evaluates; `Err` is a score that settles the node.
    fn look_up<const PV: bool>(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        threatened: bool,
        node: Node,
        excluded: u32,
    ) -> Result<NodeFacts<P::Move>, i32> {
        let Node { alpha, beta, depth, ply, .. } = node;
        let hash = self.tt_hash(position, ply);
        let entry = self.tt.probe(hash);
        if !PV
            && excluded == 0
            && let Some(entry) = &entry
            && let Some(score) = self.tt_cutoff(entry, depth, alpha, beta, ply)
        {
            if score >= beta {
                self.reward_known(position, entry, depth, ply);
            }
            return Err(score);
        }
        if excluded == 0
            && let Some(score) = self.probe_tablebase(position, alpha, beta, ply)
        {
            return Err(score);
        }
        let floor = if excluded == 0 { self.floor(position) } else { -INFINITE };
        if floor >= beta {
            return Err(floor);
        }
        let (mut raw, mut eval) = (NO_EVAL, NO_EVAL);
        if !threatened {
            raw = self.raw_evaluation(position, state, entry.as_ref());
            eval = self.corrected(position, raw);
        }
        let earlier = self.earlier_evaluation(ply, position.side_to_move());
        let improving = eval != NO_EVAL && earlier != NO_EVAL && eval > earlier;
        if eval != NO_EVAL
            && let Some(entry) = &entry
        {
            eval = Self::refined(eval, entry, ply);
        }
        if eval != NO_EVAL {
            eval = eval.max(floor);
        }
        let compelled = position.is_compelled();
        Ok(NodeFacts {
            hash,
            tt_move: self.tt_move(position, entry.as_ref()),
            was_pv: PV || entry.is_some_and(|entry| entry.pv),
            entry,
            raw,
            eval,
            improving,
            threatened,
            compelled,
            forced: compelled && self.is_forced(position),
            excluded,
            floor,
        })
    }

    /// The score of a transposition table entry, if it settles a node.
    #[inline(always)]
    pub(super) fn tt_cutoff(
        &self,
        entry: &Entry,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Option<i32> {
        if !self.features.tt_cutoffs || entry.depth < depth {
            return None;
        }
        let score = Self::from_tt(entry.score, ply);
        let settles = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        settles.then_some(score)
    }

    /// The move of a transposition table entry, if it is legal here.
    #[inline(always)]
    pub(super) fn tt_move(&self, position: &P, entry: Option<&Entry>) -> Option<P::Move> {
        let code = entry.filter(|entry| self.features.tt_move && entry.mv != 0)?.mv;
        let mv = position.decode(code)?;
        (P::encode(mv) == code && position.is_legal(mv)).then_some(mv)
    }

    /// The evaluation before corrections, from the transposition table if it is there.
    #[inline(always)]
    pub(super) fn raw_evaluation(
        &self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        entry: Option<&Entry>,
    ) -> i32 {
        match entry {
            Some(entry) if entry.eval != Entry::NO_EVAL => entry.eval,
            _ => self.evaluation.evaluate(position, state.state(&self.evaluation)),
        }
    }

    /// An evaluation improved by the score of an earlier search.
    #[inline(always)]
    pub(super) fn refined(eval: i32, entry: &Entry, ply: usize) -> i32 {
        let score = Self::from_tt(entry.score, ply);
        let better = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => score > eval,
            Bound::Upper => score < eval,
        };
        if better && !is_decided(score) { score } else { eval }
    }

    /// The score of a position in endgame tables, if it settles the node. Beyond the root's moves, win, draw and loss are
    /// probed first: they mostly suffice, and a distance may cost a search of its own.
    pub(super) fn probe_tablebase(&mut self, position: &P, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if let Some(Value::Win(plies)) = self.tablebase.probe_least(position) {
            // There may be a quicker win, and it is not looked for.
            self.tb_hits += 1;
            return Some(won(plies as usize + ply));
        }
        // A win or loss is a bound: its distance is still to be found.
        let bound = |outcome| match outcome {
            Outcome::Draw => Some(0),
            Outcome::Win => Some(TABLEBASE_WIN - ply as i32).filter(|&score| score >= beta),
            Outcome::Loss => Some(ply as i32 - TABLEBASE_WIN).filter(|&score| score <= alpha),
        };
        if ply > 1 {
            let score = bound(self.tablebase.probe_wdl(position)?);
            if score.is_some() {
                self.tb_hits += 1;
                return score;
            }
        }
        if let Some(value) = self.tablebase.probe(position) {
            self.tb_hits += 1;
            let plies = value.distance().unwrap_or(0) as usize + ply;
            return Some(match value.outcome() {
                Outcome::Win => won(plies),
                Outcome::Draw => 0,
                Outcome::Loss => -won(plies),
            });
        }
        if ply > 1 {
            // Asked already: a bound that settles nothing.
            return None;
        }
        let score = bound(self.tablebase.probe_wdl(position)?);
        self.tb_hits += u64::from(score.is_some());
        score
    }

    /// The score below which the side to move cannot come; [`-INFINITE`](INFINITE) if none is known.
    #[inline(always)]
    pub(super) fn floor(&mut self, position: &P) -> i32 {
        if self.tablebase.probe_least(position) != Some(Value::Draw) {
            return -INFINITE;
        }
        self.tb_hits += 1;
        0
    }

    /// The score of a leaf in endgame tables, even if it is only a bound.
    pub(super) fn probe_tablebase_at_leaf(&mut self, position: &P, ply: usize) -> Option<i32> {
        self.probe_tablebase(position, INFINITE, -INFINITE, ply)
    }

    /// Tries the moves in order and stores the result.
    fn search_moves<const PV: bool>(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> i32 {
        let Node { alpha: alpha_before, beta, depth, ply, .. } = node;
        let mut alpha = alpha_before.max(facts.floor);
        let (mut best, mut best_move) = (facts.floor, None);
        let mut failed = FailedMoves { quiet: ArrayVec::new(), noisy: ArrayVec::new() };
        // Step 7. The moves in order: the transposition table's, noisy ones, refutations, quiet ones, bad noisy ones.
        let mut picker = Picker::new(self.hints(facts, ply), &self.moves);
        let mut number = 0;
        // Plies by which the moves after one that raised the score are searched less deep.
        let mut lowered = 0;
        while let Some((mv, bad)) = picker.next(
            position,
            &mut self.moves,
            &self.histories,
            &self.features,
            self.evaluation.exchange_values(),
        ) {
            if P::encode(mv) == facts.excluded || self.is_redundant(mv, ply) {
                continue;
            }
            number += 1;
            let noisy = position.is_noisy(mv);
            let node = Node { alpha, depth: depth - lowered, ..node };
            // Step 8. Late pruning, futility and exchange pruning.
            let may_skip = (!PV || number > 1) && !facts.compelled && best > -won(0) + MAX_PLY as i32;
            if may_skip && self.skip(position, mv, noisy, number, node, facts, &mut picker) {
                continue;
            }
            let expected = self.expect(position, mv);
            if may_skip && self.loses(position, mv, noisy, bad, node.depth, facts) {
                continue;
            }
            // Step 9. Singular extension.
            let extension = match self.singular(position, state, mv, node, facts) {
                Ok(extension) => extension,
                Err(score) => {
                    picker.finish(&mut self.moves);
                    return score;
                }
            };
            // Step 10. Play the move and search the child: reduced and with a closed window first.
            let score = self.try_move::<PV>(
                position,
                state,
                mv,
                Candidate { noisy, bad, number, extension, expected },
                node,
                facts,
            );
            self.back();
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if PV {
                        self.keep_line(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    if self.features.late_reductions && params::RAISED.contains(&depth) && !is_decided(score)
                    {
                        lowered = 1;
                    }
                }
            }
            if best_move != Some(mv) {
                let _ = if noisy { failed.noisy.try_push(mv) } else { failed.quiet.try_push(mv) };
            }
        }
        picker.finish(&mut self.moves);
        if self.stopped {
            return 0;
        }
        // Step 11. Without a move the game is over, or only the excluded move was left.
        if number == 0 {
            // The excluded move was the only one.
            return if facts.excluded != 0 { alpha } else { Self::without_moves(position, ply) };
        }
        // Step 12. Reward the move that refuted, or the opponent's that nothing answers well, and store the result.
        match best_move {
            Some(mv) if best >= beta => {
                let clear = best > beta + params::CLEAR;
                self.reward(position, mv, depth + i32::from(clear), ply, &failed);
            }
            None if facts.excluded == 0 && (PV || depth >= params::REWARDED) => self.reward_last(depth, ply),
            _ => {}
        }
        if facts.excluded == 0 {
            self.learn(position, best, best_move, alpha_before, node, facts);
        }
        best
    }

    /// The hints by which the moves of a node are ordered.
    fn hints(&self, facts: &NodeFacts<P::Move>, ply: usize) -> OrderingHints<P::Move> {
        let before = self.before(ply);
        let mut refutations = [0; 3];
        if !facts.threatened {
            if self.features.killers {
                [refutations[0], refutations[1]] = self.stack[ply].killers;
            }
            if self.features.counter_moves {
                refutations[2] = self.histories.counter(before[0]);
            }
        }
        OrderingHints { tt_move: facts.tt_move, refutations, before }
    }

    /// Plays a move and searches the position after it: late moves less deep and with a closed window first. The
    /// move stays on the path.
    #[inline(always)]
    fn try_move<const PV: bool>(
        &mut self,
        position: &P,
        state: &LazyState<'_, P, E::State>,
        mv: P::Move,
        candidate: Candidate,
        node: Node,
        facts: &NodeFacts<P::Move>,
    ) -> i32 {
        let Node { alpha, beta, depth, ply, cut } = node;
        self.note_quiet(position, mv, candidate.noisy, ply);
        let next = self.step(position, mv, ply, candidate.expected);
        let below = LazyState::after(state, position, mv);
        let child = Child::new(position, mv, &next, &below);
        // A side that is to move again is not threatened by its own move.
        let threat = child.threatened && (P::ALTERNATES || child.flips);
        let depth_below = depth - 1 + self.extension(candidate, threat, ply, facts.forced);
        let mut score = alpha;
        let mut open = PV && candidate.number == 1;
        if !open {
            let reduced = depth_below - self.reduction::<PV>(position, mv, candidate, threat, node, facts);
            let cut_below = reduced < depth_below || !cut;
            let closed = Node { alpha, beta: alpha + 1, depth: reduced, ply: ply + 1, cut: cut_below };
            score = self.below::<false>(&child, closed);
            if score > alpha && reduced < depth_below && !self.stopped {
                score = self.below::<false>(&child, Node { depth: depth_below, cut: !cut, ..closed });
            }
            open = PV && score > alpha && !self.stopped;
        }
        if open {
            score =
                self.below::<PV>(&child, Node { alpha, beta, depth: depth_below, ply: ply + 1, cut: false });
        }
        score
    }

    /// The value of a child for the mover.
    #[inline(always)]
    pub(super) fn below<const PV: bool>(&mut self, child: &Child<'_, P, E::State>, node: Node) -> i32 {
        if P::DICE {
            let (before, mv) = child.origin;
            let odds = before.odds(mv);
            if !odds.is_certain() {
                return self.mean::<PV>(child, odds, node);
            }
        }
        self.certain::<PV>(child, node)
    }

    /// The value of a child for the mover, other outcomes of the move aside.
    #[inline(always)]
    pub(super) fn certain<const PV: bool>(&mut self, child: &Child<'_, P, E::State>, node: Node) -> i32 {
        if P::ALTERNATES || child.flips {
            let node = Node { alpha: -node.beta, beta: -node.alpha, ..node };
            -self.search::<PV>(child.position, child.state, child.threatened, node)
        } else {
            self.search::<PV>(child.position, child.state, child.threatened, node)
        }
    }

    /// Notes on the path whether a move is quiet, so that it can be rewarded for what it leads to.
    #[inline(always)]
    pub(super) fn note_quiet(&mut self, position: &P, mv: P::Move, noisy: bool, ply: usize) {
        let index = || Histories::<P>::butterfly_index(position.side_to_move(), mv);
        self.stack[ply].quiet = (!noisy).then(index);
    }

    /// Begins to load the entry of the position after a move, while it is still looked at: so most of the wait for memory
    /// is over when the entry is needed. Whether it could, without playing the move.
    #[inline(always)]
    pub(super) fn expect(&self, position: &P, mv: P::Move) -> bool {
        let hash = if P::TURNS { None } else { position.hash_after(mv) };
        if let Some(hash) = hash {
            self.tt.prefetch(hash);
        }
        hash.is_some()
    }

    /// The position after a move, put on the path; `expected` if its entry is on the way.
    #[inline(always)]
    pub(super) fn step(&mut self, position: &P, mv: P::Move, ply: usize, expected: bool) -> P {
        let next = position.after(mv);
        self.note_turn(position, mv, &next, ply);
        if !expected {
            self.tt.prefetch(self.tt_hash(&next, ply + 1));
        }
        self.stack[ply].landing = Histories::<P>::landing(mv);
        self.follow(ply, next.zobrist_hash(), position.is_irreversible(mv));
        next
    }
}

/// A move that is about to be tried.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) noisy: bool,
    /// Noisy, and losing in exchanges.
    pub(super) bad: bool,
    /// Its place in the order, from 1.
    pub(super) number: usize,
    pub(super) extension: i32,
    /// Whether the entry of the position after it is being loaded.
    pub(super) expected: bool,
}

/// A position below another.
pub(super) struct Child<'a, P: Position, S> {
    pub(super) position: &'a P,
    pub(super) state: &'a LazyState<'a, P, S>,
    pub(super) threatened: bool,
    /// Whether the other side is to move there.
    pub(super) flips: bool,
    /// The position above, and the move that led here.
    pub(super) origin: (&'a P, P::Move),
}

impl<'a, P: Tactics, S> Child<'a, P, S> {
    /// The child of `before` that a move leads to.
    #[inline(always)]
    pub(super) fn new(before: &'a P, mv: P::Move, position: &'a P, state: &'a LazyState<'a, P, S>) -> Self {
        let flips = position.side_to_move() != before.side_to_move();
        Child { position, state, threatened: position.threatened(), flips, origin: (before, mv) }
    }
}
