//! The choice of the move that a simulation tries.

use super::options::Options;
use super::tree::{Node, Record, value_of_move};
use jewel_engine::value::{Outcome, Side};

/// The choice of `mover` among the children of a node; `None` if none is allowed.
///
/// A move that is proven to lose is tried only if all others are, too; one that is proven to win is tried at once. A
/// proven draw competes with exactly half a point.
pub(super) fn select<E>(
    options: &Options,
    mover: Side,
    parent: Record,
    children: &[Node<E>],
    allowed: impl Fn(usize) -> bool,
) -> Option<usize> {
    let formula = Formula::new(options, parent);
    let mut open = widened(options.widening, parent.visits);
    let mut last = 0.0;
    let mut best = None;
    let mut best_worth = f64::NEG_INFINITY;
    for (number, child) in children.iter().enumerate() {
        if !allowed(number) {
            continue;
        }
        let proven = value_of_move(child, mover).map(|value| value.outcome());
        let record = child.record(mover);
        if proven != Some(Outcome::Loss) {
            // A win is taken wherever it is.
            if open == 0 && child.prior() < last && proven != Some(Outcome::Win) {
                continue;
            }
            (open, last) = (open.saturating_sub(1), child.prior());
        }
        let worth = match proven {
            Some(Outcome::Win) => return Some(number),
            // Below every other move.
            Some(Outcome::Loss) => -1e9,
            Some(Outcome::Draw) => formula.worth(0.5, record, child.prior()),
            None => {
                let mean = options.mixed(formula.mean(record), child, mover);
                formula.worth(mean, record, child.prior())
            }
        };
        if best.is_none() || worth > best_worth {
            (best, best_worth) = (Some(number), worth);
        }
    }
    best
}

impl Options {
    /// The mean result of a move for its mover, mixed with its value by implicit minimax.
    pub(super) fn mixed<E>(&self, mean: f64, child: &Node<E>, mover: Side) -> f64 {
        match self.minimax.zip(child.worth_to(mover)) {
            Some((weight, worth)) => mean + weight * (worth - mean),
            None => mean,
        }
    }
}

/// How many moves a node with this many visits tries.
fn widened(width: f64, visits: u64) -> usize {
    ((width * (visits.max(1) as f64).sqrt()) as usize).max(2)
}

/// The parent's part of the formula.
struct Formula<'a> {
    options: &'a Options,
    /// What a move without visits counts for.
    first: f64,
    /// The square root of the parent's visits.
    root_of_visits: f64,
}

impl Formula<'_> {
    fn new(options: &Options, parent: Record) -> Formula<'_> {
        let visits = (parent.visits + parent.flying).max(1) as f64;
        let first = parent.mean() - options.first_play_reduction;
        Formula { options, first, root_of_visits: visits.sqrt() }
    }

    /// The mean result of a move: simulations on their way count as lost.
    fn mean(&self, record: Record) -> f64 {
        let visits = (record.visits + record.flying) as f64;
        if visits == 0.0 { self.first } else { record.points / visits }
    }

    fn worth(&self, mean: f64, record: Record, prior: f64) -> f64 {
        let visits = (record.visits + record.flying) as f64;
        mean + self.options.exploration * (prior * self.root_of_visits / (1.0 + visits))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{ROOT, Tree};
    use super::*;
    use jewel_engine::value::Verdict;

    /// A node of White with these results of its moves.
    fn choice(options: &Options, results: &[(u64, f64)], priors: &[f32]) -> usize {
        let tree = Tree::<u8>::new(1);
        let edges: Vec<u8> = (0..results.len() as u8).collect();
        tree.grow(ROOT, &edges, |number, child| {
            child.prior.store(priors[number].to_bits(), std::sync::atomic::Ordering::Relaxed);
        });
        let children = tree.children(ROOT).unwrap();
        for (child, &(visits, mean)) in children.iter().zip(results) {
            for _ in 0..visits {
                child.enter();
                child.leave(mean);
                tree.node(ROOT).enter();
                tree.node(ROOT).leave(mean);
            }
        }
        let parent = tree.node(ROOT).record(Side::White);
        select(options, Side::White, parent, children, |_| true).unwrap()
    }

    #[test]
    fn puct_follows_the_priors_as_long_as_results_say_nothing() {
        let puct = Options::default();
        assert_eq!(choice(&puct, &[(3, 0.5), (0, 0.0), (0, 0.0)], &[0.1, 0.2, 0.7]), 2);
        assert_eq!(choice(&puct, &[(200, 0.9), (100, 0.1)], &[0.2, 0.8]), 0);
    }

    #[test]
    fn a_node_tries_more_moves_the_more_it_is_visited() {
        let options = Options { widening: 1.0, exploration: 100.0, ..Options::default() };
        let priors = [0.4, 0.3, 0.2, 0.1];
        // However much the others are worth a try: two of the best priors, and a third after nine visits.
        let few = [(4, 0.5), (4, 0.5), (0, 0.0), (0, 0.0)];
        assert!(choice(&options, &few, &priors) < 2);
        let more = [(5, 0.5), (4, 0.5), (0, 0.0), (0, 0.0)];
        assert_eq!(choice(&options, &more, &priors), 2);
        // What no prior tells apart is tried together.
        assert!(choice(&options, &few, &[0.25; 4]) >= 2);
        let all = Options { widening: f64::INFINITY, ..options };
        assert!(choice(&all, &few, &priors) >= 2);
    }

    #[test]
    fn lost_moves_do_not_count_and_won_ones_are_seen_where_the_node_is_narrow() {
        let options = Options { widening: 1.0, ..Options::default() };
        let tree = Tree::<u8>::new(1);
        tree.grow(ROOT, &[0, 1, 2, 3], |number, child| {
            let prior = 1.0 / (number + 1) as f32;
            child.prior.store(prior.to_bits(), std::sync::atomic::Ordering::Relaxed);
        });
        let children = tree.children(ROOT).unwrap();
        let parent = tree.node(ROOT).record(Side::White);
        let chosen = || select(&options, Side::White, parent, children, |_| true);
        for (number, child) in children.iter().enumerate().take(3) {
            assert_eq!(chosen(), Some(number));
            child.set_proof(super::super::proof::over(Verdict::BlackWins));
        }
        children[0].proof.store(0, std::sync::atomic::Ordering::Relaxed);
        children[1].proof.store(0, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(chosen(), Some(0));
        children[3].set_proof(super::super::proof::over(Verdict::WhiteWins));
        assert_eq!(chosen(), Some(3));
    }

    #[test]
    fn proven_moves_are_taken_or_left() {
        let options = Options::default();
        let tree = Tree::<u8>::new(1);
        tree.grow(ROOT, &[0, 1, 2], |_, _| {});
        let children = tree.children(ROOT).unwrap();
        let parent = tree.node(ROOT).record(Side::Black);
        let chosen = || select(&options, Side::Black, parent, children, |_| true);
        children[0].set_proof(super::super::proof::over(Verdict::WhiteWins));
        assert_eq!(chosen(), Some(1));
        children[2].set_proof(super::super::proof::over(Verdict::BlackWins));
        assert_eq!(chosen(), Some(2));
        assert_eq!(select(&options, Side::Black, parent, children, |n| n == 0), Some(0));
        assert_eq!(select(&options, Side::Black, parent, children, |_| false), None);
    }

    #[test]
    fn the_evaluation_below_a_move_counts_beside_its_results() {
        let tree = Tree::<u8>::new(1);
        tree.grow(ROOT, &[0, 1, 2], |number, child| {
            if number < 2 {
                child.set_worth([0.3, 0.7][number]);
            }
        });
        let children = tree.children(ROOT).unwrap();
        for child in children {
            (0..100).for_each(|_| {
                child.enter();
                child.leave(0.5);
            });
        }
        let parent = tree.node(ROOT).record(Side::White);
        let chosen = |minimax: Option<f64>, side: Side| {
            let options =
                Options { minimax, exploration: 0.0, widening: f64::INFINITY, ..Options::default() };
            select(&options, side, parent, children, |_| true)
        };
        assert_eq!(chosen(Some(0.5), Side::White), Some(1));
        assert_eq!(chosen(Some(0.5), Side::Black), Some(0));
        assert_eq!(chosen(None, Side::Black), Some(0));
        assert_eq!(chosen(None, Side::White), Some(0));
        let half = Options { minimax: Some(0.25), ..Options::default() };
        assert!((half.mixed(0.5, &children[1], Side::White) - 0.55).abs() < 1e-6);
        assert!((half.mixed(0.5, &children[1], Side::Black) - 0.45).abs() < 1e-6);
        // Of the third nothing is said.
        assert_eq!(half.mixed(0.5, &children[2], Side::White), 0.5);
    }

    #[test]
    fn a_simulation_on_its_way_makes_room_for_others() {
        let options = Options::default();
        let tree = Tree::<u8>::new(1);
        tree.grow(ROOT, &[0, 1], |_, _| {});
        let children = tree.children(ROOT).unwrap();
        for child in children {
            child.enter();
            child.leave(0.5);
        }
        let parent = tree.node(ROOT).record(Side::White);
        let chosen = || select(&options, Side::White, parent, children, |_| true);
        assert_eq!(chosen(), Some(0));
        children[0].enter();
        assert_eq!(chosen(), Some(1));
    }
}
