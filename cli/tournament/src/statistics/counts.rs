//! Results of games, and of pairs of games.

use jewel_engine::value::Outcome;
use serde::Serialize;
use std::ops::{AddAssign, Neg};

/// How many games a player has won, drawn and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.losses += 1,
        }
    }

    /// All games.
    pub const fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is 1, a draw 1/2.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points for each game, from 0 to 1; `None` before the first.
    pub fn score(self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The share of games that were drawn; `None` before the first.
    pub fn draw_ratio(self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// The same games as the opponent counts them.
impl Neg for Tally {
    type Output = Tally;

    fn neg(self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

/// The results of one player against another.
///
/// Where games come in pairs (the same opening with colours swapped), the two games of a pair are not
/// independent, and what is counted for the error is the pair: its five possible sums of points, 0, 1/2, 1,
/// 3/2 and 2 (pentanomial). Elsewhere it is the game (trinomial).
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub struct Results {
    /// Every game, those of pairs too.
    pub games: Tally,
    /// Pairs of games, by half points: 0 is two losses, 4 two wins. All zero where games are not paired.
    pub pairs: [u64; 5],
}

impl Results {
    /// Counts the points of both games of a pair; the games themselves have been counted.
    pub fn add_pair(&mut self, first: Outcome, second: Outcome) {
        self.pairs[half_points(first) + half_points(second)] += 1;
    }

    /// How often each result occurred, from the worst to the best: the five of a pair where there are pairs,
    /// else the three of a game. Games whose pair is not complete yet are left out.
    pub fn frequencies(&self) -> Vec<u64> {
        if self.is_paired() {
            self.pairs.to_vec()
        } else {
            vec![self.games.losses, self.games.draws, self.games.wins]
        }
    }

    /// Whether games come in pairs.
    pub fn is_paired(&self) -> bool {
        self.pairs.iter().any(|&n| n > 0)
    }

    /// Pairs won for each pair lost; `None` where none was lost.
    pub fn pair_ratio(&self) -> Option<f64> {
        let [lost2, lost, _, won, won2] = self.pairs;
        (lost2 + lost > 0).then(|| (won + won2) as f64 / (lost2 + lost) as f64)
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, other: Results) {
        self.games += other.games;
        for (own, more) in self.pairs.iter_mut().zip(other.pairs) {
            *own += more;
        }
    }
}

/// The same results as the opponent counts them.
impl Neg for Results {
    type Output = Results;

    fn neg(self) -> Results {
        let [a, b, c, d, e] = self.pairs;
        Results { games: -self.games, pairs: [e, d, c, b, a] }
    }
}

/// 2 for a win, 1 for a draw.
const fn half_points(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Loss => 0,
        Outcome::Draw => 1,
        Outcome::Win => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Draw, Loss, Win};

    #[test]
    fn games_and_pairs_are_counted() {
        let mut results = Results::default();
        assert_eq!(
            (results.games.score(), results.games.draw_ratio(), results.pair_ratio()),
            (None, None, None)
        );
        for (first, second) in [(Win, Win), (Win, Loss), (Draw, Draw), (Draw, Loss), (Win, Draw), (Draw, Win)]
        {
            results.games.add(first);
            results.games.add(second);
            results.add_pair(first, second);
        }
        assert_eq!(results.games, Tally { wins: 5, draws: 5, losses: 2 });
        assert_eq!(results.pairs, [0, 1, 2, 2, 1]);
        assert_eq!(results.pair_ratio(), Some(3.0));
        assert_eq!(results.games.score(), Some(7.5 / 12.0));
        assert_eq!(results.games.draw_ratio(), Some(5.0 / 12.0));
        assert_eq!(results.frequencies(), [0, 1, 2, 2, 1]);
        assert_eq!((-results).pairs, [1, 2, 2, 1, 0]);
        assert_eq!(-(-results), results);
    }

    #[test]
    fn games_alone_are_frequencies_of_three() {
        let games = Tally { wins: 5, draws: 3, losses: 2 };
        assert_eq!(Results { games, pairs: [0; 5] }.frequencies(), [2, 3, 5]);
    }
}
