//! Hands out moves in stages, so that a cutoff saves the work of later stages.

use super::history::{Histories, Landing};
use crate::alphabeta::features::Features;
use jewel_engine::tactics::{PieceValues, Tactics};
use std::ops::ControlFlow;

/// The moves of all nodes on the path, one node after the other, so that no node allocates.
pub(crate) type MoveStack<M> = Vec<(M, i32)>;

/// Hints about the order of a node's moves before any is generated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderingHints<M> {
    /// The move of the transposition table, if it is legal.
    pub(crate) tt_move: Option<M>,
    /// Codes of killers and counter move; 0 for none. They may be moves of other positions.
    pub(crate) refutations: [u32; 3],
    /// The last two moves, the opponent's first.
    pub(crate) before: [Landing; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TtMove,
    Noisy,
    GoodNoisy,
    Drops,
    Refutation(usize),
    Quiet,
    Quiets,
    BadNoisy,
    Done,
}

/// Hands out the moves of one node: the transposition table's, noisy ones that do not lose in exchanges, refutations of
/// sibling nodes, quiet ones by history, noisy ones that lose.
#[derive(Debug)]
pub(crate) struct Picker<M> {
    stage: Stage,
    hints: OrderingHints<M>,
    refutations: [Option<M>; 3],
    /// Where this node's moves begin on the stack; the bad noisy ones come first.
    start: usize,
    bad: usize,
    next: usize,
    end: usize,
    /// Whether quiet moves are wanted at all.
    quiet: bool,
    /// Whether drops with check are wanted without other quiet moves.
    checks: bool,
}

/// Below every score.
const LEAST: i32 = i32::MIN;

impl<M: Copy + Eq> Picker<M> {
    /// A picker of all moves.
    pub(crate) fn new(hints: OrderingHints<M>, stack: &MoveStack<M>) -> Picker<M> {
        let start = stack.len();
        Picker {
            stage: Stage::TtMove,
            hints,
            refutations: [None; 3],
            start,
            bad: start,
            next: start,
            end: start,
            quiet: true,
            checks: false,
        }
    }

    /// A picker of noisy moves only.
    pub(crate) fn noisy(hints: OrderingHints<M>, stack: &MoveStack<M>) -> Picker<M> {
        Picker { quiet: false, ..Picker::new(hints, stack) }
    }

    /// Leaves out the quiet moves that are still to come.
    pub(crate) fn skip_quiets(&mut self) {
        self.quiet = false;
    }

    /// Adds drops with check to noisy moves.
    pub(crate) fn add_checks(&mut self) {
        self.checks = true;
    }

    /// Takes this node's moves off the stack.
    pub(crate) fn finish(self, stack: &mut MoveStack<M>) {
        stack.truncate(self.start);
    }

    /// The next move, and whether it is a noisy one that loses in exchanges.
    #[inline]
    pub(crate) fn next<P: Tactics<Move = M>>(
        &mut self,
        position: &P,
        stack: &mut MoveStack<M>,
        histories: &Histories<P>,
        features: &Features,
        values: &PieceValues,
    ) -> Option<(M, bool)> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::Noisy;
                    if let Some(mv) = self.hints.tt_move {
                        return Some((mv, false));
                    }
                }
                Stage::Noisy => {
                    self.generate_noisy(position, stack, histories, features, values);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.best(stack) {
                    Some(mv) if Some(mv) == self.hints.tt_move => {}
                    Some(mv) if position.exchange_at_least(mv, 0, values) => return Some((mv, false)),
                    Some(mv) => {
                        stack[self.bad].0 = mv;
                        self.bad += 1;
                    }
                    None if self.checks => {
                        self.generate_drops(position, stack, histories, features);
                        self.stage = Stage::Drops;
                    }
                    None => self.stage = if self.quiet { Stage::Refutation(0) } else { self.turn_to_bad() },
                },
                Stage::Drops => match self.best(stack) {
                    Some(mv) if Some(mv) == self.hints.tt_move => {}
                    // A drop that loses the piece is not worth a search here.
                    Some(mv) if position.exchange_at_least(mv, 0, values) => return Some((mv, false)),
                    Some(_) => {}
                    None => self.stage = self.turn_to_bad(),
                },
                Stage::Refutation(number) => {
                    self.stage = if number < 2 { Stage::Refutation(number + 1) } else { Stage::Quiet };
                    if !self.quiet {
                        self.stage = self.turn_to_bad();
                    } else if let Some(mv) = self.refutation(position, number) {
                        return Some((mv, false));
                    }
                }
                Stage::Quiet => {
                    if self.quiet {
                        self.generate_quiet(position, stack, histories, features);
                        self.stage = Stage::Quiets;
                    } else {
                        self.stage = self.turn_to_bad();
                    }
                }
                Stage::Quiets => match if self.quiet { self.best(stack) } else { None } {
                    Some(mv) if self.is_known(mv) => {}
                    Some(mv) => return Some((mv, false)),
                    None => self.stage = self.turn_to_bad(),
                },
                Stage::BadNoisy => {
                    if self.next < self.bad {
                        self.next += 1;
                        return Some((stack[self.next - 1].0, true));
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn turn_to_bad(&mut self) -> Stage {
        self.next = self.start;
        Stage::BadNoisy
    }

    /// Takes the best of the moves that are left of a stage.
    #[inline]
    fn best(&mut self, stack: &mut MoveStack<M>) -> Option<M> {
        let rest = &mut stack[self.next..self.end];
        let (mut best, mut most) = (0, LEAST);
        for (n, &(_, score)) in rest.iter().enumerate() {
            if score > most {
                (best, most) = (n, score);
            }
        }
        if rest.is_empty() {
            return None;
        }
        rest.swap(0, best);
        self.next += 1;
        Some(stack[self.next - 1].0)
    }

    /// Whether a move was handed out before the quiet ones.
    #[inline(always)]
    fn is_known(&self, mv: M) -> bool {
        // A loop over so few is slower.
        let ([first, second, third], mv) = (self.refutations, Some(mv));
        mv == self.hints.tt_move || mv == first || mv == second || mv == third
    }

    /// A refutation that is a legal quiet move here and has not been handed out.
    fn refutation<P: Tactics<Move = M>>(&mut self, position: &P, number: usize) -> Option<M> {
        let code = self.hints.refutations[number];
        if code == 0 {
            return None;
        }
        let mv = position.decode(code)?;
        if self.is_known(mv) || position.is_noisy(mv) || !position.is_legal(mv) {
            return None;
        }
        self.refutations[number] = Some(mv);
        Some(mv)
    }

    #[inline(always)]
    fn generate_noisy<P: Tactics<Move = M>>(
        &mut self,
        position: &P,
        stack: &mut MoveStack<M>,
        histories: &Histories<P>,
        features: &Features,
        values: &PieceValues,
    ) {
        let _: ControlFlow<()> = position.noisy_moves(|mv| {
            let mut score = 16 * position.gain(mv, values);
            if features.capture_history {
                score += histories.capture(mv, position.victim(mv));
            }
            stack.push((mv, score));
            ControlFlow::Continue(())
        });
        self.end = stack.len();
    }

    /// Generates drops with check, once.
    #[inline(never)]
    fn generate_drops<P: Tactics<Move = M>>(
        &mut self,
        position: &P,
        stack: &mut MoveStack<M>,
        histories: &Histories<P>,
        features: &Features,
    ) {
        self.checks = false;
        self.next = stack.len();
        let side = position.side_to_move();
        let _: ControlFlow<()> = position.dropped_checks(|mv| {
            let score = if features.butterfly_history { histories.butterfly(side, mv) } else { 0 };
            stack.push((mv, score));
            ControlFlow::Continue(())
        });
        self.end = stack.len();
    }

    #[inline(always)]
    fn generate_quiet<P: Tactics<Move = M>>(
        &mut self,
        position: &P,
        stack: &mut MoveStack<M>,
        histories: &Histories<P>,
        features: &Features,
    ) {
        let side = position.side_to_move();
        let before = self.hints.before;
        self.next = stack.len();
        let _: ControlFlow<()> = position.quiet_moves(|mv| {
            let mut score = 0;
            if features.butterfly_history {
                score += histories.butterfly(side, mv);
            }
            if features.continuation_history {
                score += histories.continuation(before, mv);
            }
            stack.push((mv, score));
            ControlFlow::Continue(())
        });
        self.end = stack.len();
    }
}
