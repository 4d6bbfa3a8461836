//! The choice among the moves that a world offers.

use super::options::Options;
use super::tree::Tree;
use jewel_engine::random::Random;

/// The place of the chosen move among those offered; `None` if there are none. Ties are broken at random, since the
/// order in which a game lists its moves means nothing.
///
/// The bandit is subset-armed: the formula counts how often a move could have been chosen, not how often its node was
/// visited. Otherwise a move that is rarely available would be tried whenever it is (Cowling, Powley and Whitehouse,
/// 2012).
pub(super) fn select<M: Copy + Eq>(
    options: &Options,
    tree: &Tree<M>,
    node: u32,
    offered: &[u32],
    random: &mut Random,
) -> Option<usize> {
    let first = tree.mean(node) - options.first_play_reduction;
    let mut tries = Tries { available: u32::MAX, tries: 0.0 };
    let (mut best, mut best_worth, mut equals) = (None, f64::NEG_INFINITY, 0);
    // Moves without visits compete as one, by the best of them; their priors decide which of them is chosen.
    let (mut fresh, mut fresh_worth, mut fresh_priors) = (None, f64::NEG_INFINITY, 0.0);
    for (place, &number) in offered.iter().enumerate() {
        let stats = tree.get(number);
        let mean = if stats.visits == 0 { first } else { f64::from(stats.mean) };
        let tries = options.exploration * tries.of(stats.available);
        let worth = mean + tries * f64::from(stats.per_root);
        if stats.visits == 0 {
            fresh_worth = worth.max(fresh_worth);
            fresh_priors += f64::from(stats.prior);
            if random.unit() * fresh_priors < f64::from(stats.prior) {
                fresh = Some(place);
            }
        } else if worth > best_worth {
            (best, best_worth, equals) = (Some(place), worth, 1);
        } else if worth == best_worth {
            equals += 1;
            if random.below(equals) == 0 {
                best = Some(place);
            }
        }
    }
    if fresh.is_some() && fresh_worth >= best_worth {
        return fresh;
    }
    best
}

/// The place of a move drawn from the average strategy learnt at a node (as in smooth UCT: Heinrich and Silver, 2015),
/// in which the priors of the game count as `prior_visits` visits; `None` if nothing is offered.
pub(super) fn sample<M: Copy + Eq>(
    tree: &Tree<M>,
    offered: &[u32],
    prior_visits: f64,
    random: &mut Random,
) -> Option<usize> {
    let priors: f64 = offered.iter().map(|&stats| f64::from(tree.get(stats).prior)).sum();
    let per_prior = prior_visits.min(1e12) / priors.max(f64::MIN_POSITIVE);
    let weight =
        |&stats: &u32| f64::from(tree.get(stats).visits) + per_prior * f64::from(tree.get(stats).prior);
    let mut left = random.unit() * offered.iter().map(weight).sum::<f64>();
    let drawn = offered.iter().position(|stats| {
        left -= weight(stats);
        left < 0.0
    });
    drawn.or_else(|| offered.len().checked_sub(1))
}

/// The root of the logarithm of the simulations in which a move was available, computed once for moves in a row that were
/// available equally often.
struct Tries {
    available: u32,
    tries: f64,
}

impl Tries {
    #[inline(always)]
    fn of(&mut self, available: u32) -> f64 {
        if available != self.available {
            self.available = available;
            self.tries = f64::from(available.max(1)).ln().sqrt();
        }
        self.tries
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::ROOT;
    use super::*;

    fn options() -> Options {
        Options {
            exploration: 0.7,
            // Every move is tried once before any is tried twice.
            first_play_reduction: -1e6,
            ..Options::default()
        }
    }

    /// A root with moves of these visits, points and availabilities.
    fn root(moves: &[(u32, f64, u32)]) -> (Tree<u8>, Vec<u32>) {
        let mut tree = Tree::new(1 << 20);
        let mut cursor = tree.cursor(ROOT);
        let mut numbers = Vec::new();
        for (mv, &(visits, points, available)) in moves.iter().enumerate() {
            let number = tree.stats(&mut cursor, mv as u8, 0, || 1.0).unwrap();
            (0..visits).for_each(|_| tree.credit(ROOT, number, points / f64::from(visits)));
            (0..available).for_each(|_| tree.offer(number));
            numbers.push(number);
        }
        (tree, numbers)
    }

    fn choice(options: &Options, moves: &[(u32, f64, u32)]) -> usize {
        let (tree, numbers) = root(moves);
        select(options, &tree, ROOT, &numbers, &mut Random::new(1)).unwrap()
    }

    #[test]
    fn everything_is_tried_once_then_the_best_then_the_neglected() {
        let options = options();
        assert_eq!(choice(&options, &[(5, 5.0, 9), (0, 0.0, 9), (3, 1.5, 9)]), 1);
        assert_eq!(choice(&options, &[(10, 8.0, 30), (10, 2.0, 30), (10, 5.0, 30)]), 0);
        assert_eq!(choice(&options, &[(500, 275.0, 502), (2, 1.0, 502)]), 1);
    }

    #[test]
    fn what_was_rarely_there_is_not_neglected() {
        let options = Options { exploration: 0.3, ..options() };
        // Tried as often as it was there: nothing to catch up on.
        assert_eq!(choice(&options, &[(500, 275.0, 502), (20, 9.0, 20)]), 0);
        assert_eq!(choice(&options, &[(500, 275.0, 502), (20, 9.0, 502)]), 1);
    }

    #[test]
    fn a_strategy_is_drawn_by_visits_and_priors() {
        let (tree, numbers) = root(&[(30, 0.0, 40), (0, 0.0, 40), (10, 0.0, 40)]);
        let mut random = Random::new(3);
        let mut drawn = |prior_visits| {
            let mut seen = [0; 3];
            for _ in 0..4000 {
                seen[sample(&tree, &numbers, prior_visits, &mut random).unwrap()] += 1;
            }
            seen
        };
        let learnt = drawn(0.0);
        assert!(learnt[1] == 0 && (2850..3150).contains(&learnt[0]), "{learnt:?}");
        let mixed = drawn(40.0);
        assert!((580..760).contains(&mixed[1]), "{mixed:?}");
        assert_eq!(sample(&tree, &[], 1.0, &mut random), None);
    }

    #[test]
    fn equals_are_chosen_among_at_random() {
        let (tree, numbers) = root(&[(0, 0.0, 0); 4]);
        let mut random = Random::new(3);
        let mut seen = [0; 4];
        for _ in 0..400 {
            seen[select(&options(), &tree, ROOT, &numbers, &mut random).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&times| times > 60), "{seen:?}");
        assert_eq!(select(&options(), &tree, ROOT, &[], &mut random), None);
    }
}
