//! How many positions of a table are won and lost at each distance, and which are the farthest from the end.

use jewel_engine::value::Value;
use std::cmp::Reverse;

/// Positions of a table by value and distance.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    /// Won positions, by the plies to the end.
    pub wins: Vec<u64>,
    /// Drawn positions.
    pub draws: u64,
    /// Lost positions, by the plies to the end.
    pub losses: Vec<u64>,
    /// Won positions that are the farthest from the end, as many as were asked for, the farthest first.
    pub longest_wins: Vec<Longest>,
    /// The same of lost positions.
    pub longest_losses: Vec<Longest>,
}

/// A position far from the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Longest {
    /// Plies to the end.
    pub plies: u32,
    /// The position string.
    pub position: String,
}

impl Histogram {
    /// Adds the positions of another table; of those far from the end `most` stay.
    #[must_use]
    pub fn join(mut self, other: Histogram, most: usize) -> Histogram {
        add(&mut self.wins, &other.wins);
        add(&mut self.losses, &other.losses);
        self.draws += other.draws;
        let lists = [&mut self.longest_wins, &mut self.longest_losses];
        for (list, more) in lists.into_iter().zip([other.longest_wins, other.longest_losses]) {
            list.extend(more);
            // Stable: of equals, those of the earlier table come first.
            list.sort_by_key(|longest| Reverse(longest.plies));
            list.truncate(most);
        }
        self
    }
}

fn add(counts: &mut Vec<u64>, more: &[u64]) {
    if counts.len() < more.len() {
        counts.resize(more.len(), 0);
    }
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// A histogram in the making, of positions that are known by where they are in a table.
#[derive(Clone, Debug)]
pub(crate) struct Tally<P> {
    most: usize,
    draws: u64,
    /// Won and lost positions.
    decided: [Decided<P>; 2],
}

/// Positions of one outcome.
#[derive(Clone, Debug)]
struct Decided<P> {
    /// By distance.
    counts: Vec<u64>,
    /// The farthest so far, and some that are not.
    far: Vec<(u32, Reverse<P>)>,
    /// The last of those that were the farthest when the list was last sorted, if there were enough of them.
    least: Option<(u32, Reverse<P>)>,
}

impl<P: Ord + Copy> Decided<P> {
    #[inline]
    fn see(&mut self, plies: u32, weight: u64, place: P, most: usize) {
        let at = plies as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += weight;
        let found = (plies, Reverse(place));
        if most > 0 && self.least.is_none_or(|least| found > least) {
            self.far.push(found);
            // Sorted seldom enough to keep up with billions of cells.
            if self.far.len() / 2 >= most {
                self.trim(most);
            }
        }
    }

    /// Keeps the farthest, in order: those that come first in the table before others as far.
    fn trim(&mut self, most: usize) {
        self.far.sort_unstable_by(|a, b| b.cmp(a));
        self.far.truncate(most);
        self.least = most.checked_sub(1).and_then(|last| self.far.get(last)).copied();
    }
}

impl<P: Ord + Copy> Tally<P> {
    pub(crate) fn new(most: usize) -> Tally<P> {
        let none = || Decided { counts: vec![], far: vec![], least: None };
        Tally { most, draws: 0, decided: [none(), none()] }
    }

    /// Counts a position with a weight.
    #[inline]
    pub(crate) fn see(&mut self, value: Value, weight: u64, place: P) {
        match value {
            Value::Win(plies) => self.decided[0].see(plies, weight, place, self.most),
            Value::Draw => self.draws += weight,
            Value::Loss(plies) => self.decided[1].see(plies, weight, place, self.most),
        }
    }

    /// Adds the positions of another part of the table.
    pub(crate) fn join(mut self, other: Tally<P>) -> Tally<P> {
        self.draws += other.draws;
        for (mine, theirs) in self.decided.iter_mut().zip(other.decided) {
            add(&mut mine.counts, &theirs.counts);
            mine.far.extend(theirs.far);
            mine.trim(self.most);
        }
        self
    }

    /// The histogram, if sums of weights are `whole` times the number of positions; `list` makes a list of the places of the
    /// positions far from the end.
    pub(crate) fn finish(self, whole: u64, list: impl Fn(Vec<(u32, P)>) -> Vec<Longest>) -> Histogram {
        let most = self.most;
        let [(wins, longest_wins), (losses, longest_losses)] = self.decided.map(|mut decided| {
            decided.trim(most);
            let places = decided.far.into_iter().map(|(plies, Reverse(place))| (plies, place)).collect();
            (decided.counts.into_iter().map(|sum| sum / whole).collect(), list(places))
        });
        Histogram { wins, draws: self.draws / whole, losses, longest_wins, longest_losses }
    }
}
