//! Chance nodes: the mean over the outcomes of a roll, searched with the windows of Star1 (Ballard, *The
//! \*-minimax search procedure for trees containing chance nodes*, 1983), which the transposition table
//! narrows first (Veness and Blair, 2007).

use super::lazy_state::LazyState;
use super::node::{Child, Node};
use super::worker::{INFINITE, Worker};
use crate::evaluate::Evaluate;
use crate::report::Bound;
use arrayvec::ArrayVec;
use jewel_engine::ability::Probe;
use jewel_engine::chance::Odds;
use jewel_engine::tactics::Tactics;

/// A certain win in a mean, in centipawns. If it were more, the hope of a win would outweigh everything else that is at
/// stake.
const WORTH: i64 = 2000;

/// The most outcomes of a move.
const MAX_OUTCOMES: usize = 36;

/// The bounds of a mean: sums of weights times centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    low: i64,
    high: i64,
}

/// The window in which the next outcome has to be known, given what the others are known to be: outside of
/// it, the mean is outside of its own. `Err` is a mean that is outside already.
fn narrowed(window: [i32; 2], total: i64, others: Range, weight: i64, own: Range) -> Result<[i32; 2], i32> {
    let [alpha, beta] = window.map(i64::from);
    let whole = |others: i64, own: i64| others + weight * own;
    if whole(others.high, own.high) <= alpha * total {
        return Err(-((-whole(others.high, own.high)).div_euclid(total)) as i32);
    }
    if whole(others.low, own.low) >= beta * total {
        return Err(whole(others.low, own.low).div_euclid(total) as i32);
    }
    let least = (alpha * total - others.high).div_euclid(weight);
    let most = -((others.low - beta * total).div_euclid(weight));
    let edge = i64::from(INFINITE);
    let low = if least < -WORTH { -edge } else { least };
    let high = if most > WORTH { edge } else { most };
    Ok([low.max(-edge) as i32, high.min(edge) as i32])
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Worker<P, E, T> {
    /// The value of a move whose outcome is rolled for, for its mover: the mean, rounded down.
    pub(super) fn mean<const PV: bool>(
        &mut self,
        child: &Child<'_, P, E::State>,
        odds: Odds,
        node: Node,
    ) -> i32 {
        let (before, mv) = child.origin;
        let ply = node.ply - 1;
        let total = i64::from(odds.total());
        let mut ranges: ArrayVec<Range, MAX_OUTCOMES> = (0..odds.count())
            .map(|outcome| self.known_range(&before.after_roll(mv, outcome), before, node))
            .collect();
        let sum = |ranges: &[Range], without: usize| {
            let others = ranges.iter().enumerate().filter(|(n, _)| *n != without);
            others.fold(Range { low: 0, high: 0 }, |sum, (n, range)| {
                let weight = i64::from(odds.weight(n));
                Range { low: sum.low + weight * range.low, high: sum.high + weight * range.high }
            })
        };
        let mut result = None;
        for outcome in 0..odds.count() {
            let own = ranges[outcome];
            let weight = i64::from(odds.weight(outcome));
            let others = sum(&ranges, outcome);
            let within = match narrowed([node.alpha, node.beta], total, others, weight, own) {
                Ok(within) => within,
                Err(bound) => {
                    result = Some(bound);
                    break;
                }
            };
            let inner = Node { alpha: within[0], beta: within[1], ..node };
            let score = if outcome == 0 {
                self.certain::<PV>(child, inner)
            } else {
                self.other_outcome::<PV>(before, mv, outcome, ply, inner)
            };
            if self.stopped {
                return 0;
            }
            let worth = i64::from(score).clamp(-WORTH, WORTH);
            ranges[outcome] = Range {
                low: if score <= within[0] { own.low } else { worth },
                high: if score >= within[1] { own.high } else { worth },
            };
        }
        // What follows depends on the roll: the line ends here.
        self.lines[node.ply].clear();
        let all = sum(&ranges, usize::MAX);
        result.unwrap_or_else(|| {
            let end = if all.high <= i64::from(node.alpha) * total { all.high } else { all.low };
            end.div_euclid(total) as i32
        })
    }

    /// Searches what another outcome than the first leads to; the path is left as it was but for its end.
    fn other_outcome<const PV: bool>(
        &mut self,
        before: &P,
        mv: P::Move,
        outcome: usize,
        ply: usize,
        node: Node,
    ) -> i32 {
        let next = before.after_roll(mv, outcome);
        let state = LazyState::known(self.evaluation.begin(&next));
        self.back();
        self.follow(ply, next.zobrist_hash(), false);
        let flips = next.side_to_move() != before.side_to_move();
        // A side that has missed goes on with another piece. If all its attacks were tried one after the other, in every
        // order and each with its hits and misses, quiescence search would hardly end.
        if node.depth <= 0 && !flips {
            return self.standing(&next, &state, node.ply);
        }
        let child = Child::new(before, mv, &next, &state);
        self.certain::<PV>(&child, node)
    }

    /// What the transposition table knows of an outcome, for the mover of `before`.
    fn known_range(&self, next: &P, before: &P, node: Node) -> Range {
        let mut range = Range { low: -WORTH, high: WORTH };
        let entry = self.tt.probe(next.zobrist_hash()).filter(|_| self.features.tt_cutoffs);
        let Some(entry) = entry.filter(|entry| entry.depth >= node.depth) else { return range };
        let score = i64::from(Self::from_tt(entry.score, node.ply)).clamp(-WORTH, WORTH);
        let flips = next.side_to_move() != before.side_to_move();
        let (own, below, above) = match flips {
            true => (-score, Bound::Upper, Bound::Lower),
            false => (score, Bound::Lower, Bound::Upper),
        };
        if entry.bound == Bound::Exact || entry.bound == below {
            range.low = own;
        }
        if entry.bound == Bound::Exact || entry.bound == above {
            range.high = own;
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Range = Range { low: -WORTH, high: WORTH };

    fn weighted(range: Range, weight: i64) -> Range {
        Range { low: range.low * weight, high: range.high * weight }
    }

    #[test]
    fn windows_of_outcomes_are_those_that_matter() {
        // One of two even outcomes; the other is unknown: only extremes can settle the mean.
        assert_eq!(narrowed([0, 1], 2, weighted(ANY, 1), 1, ANY), Ok([-2000, INFINITE]));
        // The other is known to be 100: this one has to be above -100.
        let known = Range { low: 100, high: 100 };
        assert_eq!(narrowed([0, 1], 2, known, 1, ANY), Ok([-100, -98]));
        // Nothing can help, or harm.
        let lost = Range { low: -WORTH, high: -WORTH };
        assert_eq!(narrowed([0, 1], 2, lost, 1, ANY), Err(0));
        assert_eq!(narrowed([-1500, -1000], 2, Range { low: 0, high: 0 }, 1, ANY), Err(-1000));
    }

    #[test]
    fn no_value_outside_of_the_window_changes_what_the_mean_says() {
        let (total, weight) = (36, 15);
        for other in [-2000, -731, 0, 5, 999, 2000] {
            let others = weighted(Range { low: other, high: other }, total - weight);
            for alpha in (-2100..2100).step_by(13) {
                let beta = alpha + 7;
                let mean = |own: i64| (others.low + weight * own).div_euclid(total);
                match narrowed([alpha, beta], total, others, weight, ANY) {
                    Err(bound) if bound <= alpha => assert!(mean(WORTH) <= i64::from(alpha)),
                    Err(bound) => assert!(bound >= beta && mean(-WORTH) >= i64::from(beta)),
                    Ok([low, high]) => {
                        let inside = |own: i64| mean(own) > i64::from(alpha) && mean(own) < i64::from(beta);
                        for own in -WORTH..=WORTH {
                            if inside(own) {
                                assert!(i64::from(low) < own && own < i64::from(high), "{alpha} {own}");
                            }
                        }
                    }
                }
            }
        }
    }
}
