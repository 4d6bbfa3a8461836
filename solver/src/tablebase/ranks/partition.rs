//! Which rank keeps which slices of a class.
//!
//! The slices of a class are the nodes of a graph, and the moves of outer pieces its edges: a move whose two slices are kept by
//! one rank needs no message. The graph is cut in two again and again. Each cut grows a part from a slice outwards, always by
//! the slice with the most moves into it, and then moves single slices across the cut as long as that helps (Fiduccia and
//! Mattheyses, *A linear-time heuristic for improving network partitions*, 1982). Parts have about equal numbers of cells.
//!
//! Every rank finds the same partition by itself: it depends on the class and the number of ranks alone.

use crate::retrograde::layout::Layout;
use crate::retrograde::moves::Moves;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far the parts of a cut may be from their sizes: one in this many cells.
const SLACK: u64 = 50;
/// The most rounds of moves across a cut.
const ROUNDS: usize = 12;
/// Slices moved without a gain before a round ends.
const PATIENCE: usize = 400;

/// The moves of outer pieces from slice to slice, and the cells of slices.
#[derive(Debug)]
pub(super) struct Graph {
    /// Where the edges of a slice begin, by slice and one more.
    first: Vec<usize>,
    /// Edges: the other slice, and the moves to and from it. None leads to the slice itself.
    edges: Vec<(u32, u32)>,
    cells: Vec<u64>,
}

impl Graph {
    /// The graph of a class. `moves` need not have the outer moves.
    pub(super) fn new(layout: &Layout, moves: &Moves) -> Graph {
        let n = layout.slices.len();
        let mut pairs = vec![];
        for i in 0..n {
            moves.outer_steps(layout, i, |step| {
                let j = step.to.0;
                if j as usize != i {
                    pairs.extend([(i as u32, j), (j, i as u32)]);
                }
            });
        }
        // A slice without cells costs a little too.
        Graph::from_pairs(pairs, layout.slices.iter().map(|s| s.bytes + 1).collect())
    }

    fn from_pairs(mut pairs: Vec<(u32, u32)>, cells: Vec<u64>) -> Graph {
        pairs.sort_unstable();
        let mut first = vec![0];
        let mut edges: Vec<(u32, u32)> = vec![];
        for (i, j) in pairs {
            while first.len() <= i as usize {
                first.push(edges.len());
            }
            let begun = *first.last().expect("it begins with a number");
            match edges[begun..].last_mut() {
                Some((to, weight)) if *to == j => *weight += 1,
                _ => edges.push((j, 1)),
            }
        }
        first.resize(cells.len() + 1, edges.len());
        Graph { first, edges, cells }
    }

    fn edges(&self, i: u32) -> &[(u32, u32)] {
        &self.edges[self.first[i as usize]..self.first[i as usize + 1]]
    }

    /// The part of every slice, such that parts have about equal numbers of cells and few moves lead from one to another.
    pub(super) fn parts(&self, parts: usize) -> Vec<u32> {
        let mut part_of = vec![0; self.cells.len()];
        let all = (0..self.cells.len() as u32).collect();
        self.split(all, 0, parts as u32, &mut part_of);
        part_of
    }

    /// Splits some of the slices, which have the number `first`, into `parts` parts.
    fn split(&self, slices: Vec<u32>, first: u32, parts: u32, part_of: &mut [u32]) {
        if parts <= 1 || slices.is_empty() {
            return;
        }
        let left = parts / 2;
        let cells: u64 = slices.iter().map(|&i| self.cells[i as usize]).sum();
        let target = (u128::from(cells) * u128::from(left) / u128::from(parts)) as u64;
        let best = self.seeds(&slices, first, part_of).into_iter().map(|seed| {
            let mut cut = Cut::grow(self, &slices, (first, seed), target, part_of);
            cut.improve(cells / SLACK / u64::from(parts));
            cut
        });
        let best = best.min_by_key(|cut| cut.weight()).expect("there is a slice to begin with");
        let (low, high): (Vec<u32>, Vec<u32>) =
            slices.iter().partition(|&&i| best.is_low[best.place[i as usize] as usize]);
        high.iter().for_each(|&i| part_of[i as usize] = first + left);
        self.split(low, first, left, part_of);
        self.split(high, first + left, parts - left, part_of);
    }

    /// Slices to grow from: the first, the one farthest from it, the one farthest from that.
    fn seeds(&self, slices: &[u32], part: u32, part_of: &[u32]) -> Vec<u32> {
        let mut seeds = vec![slices[0]];
        for _ in 0..2 {
            let from = *seeds.last().expect("there is one");
            let farthest = self.farthest(from, part, part_of);
            if !seeds.contains(&farthest) {
                seeds.push(farthest);
            }
        }
        seeds
    }

    fn farthest(&self, from: u32, part: u32, part_of: &[u32]) -> u32 {
        let mut seen = vec![false; self.cells.len()];
        seen[from as usize] = true;
        let mut queue = vec![from];
        let mut at = 0;
        while let Some(&i) = queue.get(at) {
            at += 1;
            for &(j, _) in self.edges(i) {
                if part_of[j as usize] == part && !std::mem::replace(&mut seen[j as usize], true) {
                    queue.push(j);
                }
            }
        }
        queue[at - 1]
    }

    /// Moves that lead from one part to another, and all moves from slice to slice.
    #[cfg(test)]
    pub(super) fn cut(&self, part_of: &[u32]) -> (u64, u64) {
        let (mut cut, mut all) = (0, 0);
        for i in 0..self.cells.len() as u32 {
            for &(j, weight) in self.edges(i) {
                all += u64::from(weight);
                cut += if part_of[i as usize] == part_of[j as usize] { 0 } else { u64::from(weight) };
            }
        }
        (cut / 2, all / 2)
    }
}

/// Some slices in two parts, low and high.
struct Cut<'g> {
    graph: &'g Graph,
    slices: &'g [u32],
    /// By slice: its place in `slices`, or `u32::MAX`.
    place: Vec<u32>,
    /// By place.
    is_low: Vec<bool>,
    /// By place: by how much the cut becomes smaller if the slice changes sides.
    gain: Vec<i64>,
    low: u64,
    target: u64,
}

impl<'g> Cut<'g> {
    /// Grows the low part from a seed to the target.
    fn grow(
        graph: &'g Graph,
        slices: &'g [u32],
        (part, seed): (u32, u32),
        target: u64,
        part_of: &[u32],
    ) -> Cut<'g> {
        let mut place = vec![u32::MAX; graph.cells.len()];
        for (at, &i) in slices.iter().enumerate() {
            debug_assert_eq!(part_of[i as usize], part);
            place[i as usize] = at as u32;
        }
        let n = slices.len();
        let mut cut = Cut { graph, slices, place, is_low: vec![false; n], gain: vec![0; n], low: 0, target };
        for at in 0..n {
            cut.gain[at] = -cut.neighbours(at).map(|(_, weight)| weight).sum::<i64>();
        }
        let mut heap = BinaryHeap::from([(i64::MAX, Reverse(cut.place[seed as usize]))]);
        let mut rest = 0..n as u32;
        while cut.low < target {
            // What is not connected with the seed follows in order.
            let Some(at) = heap.pop().map(|x| x.1.0).or_else(|| rest.next()) else { break };
            let at = at as usize;
            let cells = cut.cells(at);
            if cut.is_low[at] || cut.low + cells / 2 > target && cut.low > 0 {
                continue;
            }
            for (j, gain) in cut.turn(at) {
                if !cut.is_low[j] {
                    heap.push((gain, Reverse(j as u32)));
                }
            }
        }
        cut
    }

    fn cells(&self, at: usize) -> u64 {
        self.graph.cells[self.slices[at] as usize]
    }

    /// The places of the slices that moves join with one, and how many.
    fn neighbours(&self, at: usize) -> impl Iterator<Item = (usize, i64)> + use<'g, '_> {
        let edges = self.graph.edges(self.slices[at]).iter();
        let of = |&(j, weight): &(u32, u32)| (self.place[j as usize], i64::from(weight));
        edges.map(of).filter(|x| x.0 != u32::MAX).map(|(j, weight)| (j as usize, weight))
    }

    /// Moves a slice to the other side; returns its neighbours with their gains.
    fn turn(&mut self, at: usize) -> Vec<(usize, i64)> {
        let low = !self.is_low[at];
        self.is_low[at] = low;
        self.low = if low { self.low + self.cells(at) } else { self.low - self.cells(at) };
        self.gain[at] = -self.gain[at];
        let mut list: Vec<(usize, i64)> = self.neighbours(at).collect();
        for (j, weight) in &mut list {
            self.gain[*j] += if self.is_low[*j] == low { -2 * *weight } else { 2 * *weight };
            *weight = self.gain[*j];
        }
        list
    }

    /// Twice the moves from one part to the other.
    fn weight(&self) -> i64 {
        let across = |at| self.neighbours(at).filter(move |x| self.is_low[x.0] != self.is_low[at]);
        (0..self.slices.len()).flat_map(across).map(|x| x.1).sum()
    }

    /// Moves slices from side to side, each at most once a round, and keeps the best state of the round.
    fn improve(&mut self, slack: u64) {
        for _ in 0..ROUNDS {
            let mut locked = vec![false; self.slices.len()];
            let mut heap: BinaryHeap<(i64, Reverse<u32>)> =
                (0..self.slices.len()).map(|at| (self.gain[at], Reverse(at as u32))).collect();
            let mut turned = vec![];
            let (mut sum, mut best, mut kept) = (0, 0, 0);
            while let Some((gain, Reverse(at))) = heap.pop() {
                let at = at as usize;
                if locked[at] || gain != self.gain[at] || !self.allows(at, slack) {
                    continue;
                }
                locked[at] = true;
                turned.push(at);
                sum += gain;
                for (j, gain) in self.turn(at) {
                    if !locked[j] {
                        heap.push((gain, Reverse(j as u32)));
                    }
                }
                if sum > best {
                    (best, kept) = (sum, turned.len());
                } else if turned.len() > kept + PATIENCE {
                    break;
                }
            }
            for &at in turned[kept..].iter().rev() {
                self.turn(at);
            }
            if best == 0 {
                return;
            }
        }
    }

    /// Whether the parts have about their sizes after a slice has changed sides, or come closer to them.
    fn allows(&self, at: usize, slack: u64) -> bool {
        let cells = self.cells(at);
        let after = if self.is_low[at] { self.low - cells } else { self.low + cells };
        let (off, before) = (after.abs_diff(self.target), self.low.abs_diff(self.target));
        off <= slack || off < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrograde::class::Class;
    use crate::retrograde::game::GameData;
    use jewel_engine::games;
    use jewel_engine::zobrist::splitmix64;

    fn graph(game: &str, class: &str) -> Graph {
        let game = GameData::new(games::find(game).unwrap().rules()).unwrap();
        let layout = Layout::new(&game, Class::parse(&game, class).unwrap()).unwrap();
        Graph::new(&layout, &Moves::without_outer(&game, &layout))
    }

    #[test]
    fn parts_are_even_and_cut_few_moves() {
        for (game, class) in [
            ("diamond-chess", "NKvRK"),
            ("diamond-chess", "RKvPK"),
            ("diamond-chess", "RKvRNK"),
            ("ambush", "NLvNQ"),
            ("ambush", "NNLvNQQ"),
        ] {
            let graph = graph(game, class);
            let total: u64 = graph.cells.iter().sum();
            let largest = graph.cells.iter().max().unwrap();
            for ranks in [2, 3, 4, 16] {
                let parts = graph.parts(ranks);
                let mut sizes = vec![0; ranks];
                parts.iter().zip(&graph.cells).for_each(|(&part, &cells)| sizes[part as usize] += cells);
                let most = *sizes.iter().max().unwrap();
                let fair = total / ranks as u64;
                assert!(most <= fair + fair / 10 + largest, "{class} on {ranks}: {sizes:?}");
                let mut state = 1;
                let random: Vec<u32> = (0..parts.len())
                    .map(|_| {
                        let word;
                        (state, word) = splitmix64(state);
                        (word % ranks as u64) as u32
                    })
                    .collect();
                let ((cut, all), (by_chance, _)) = (graph.cut(&parts), graph.cut(&random));
                let share = |moves: u64| 100.0 * moves as f64 / all as f64;
                println!(
                    "{game} {class}: {} slices on {ranks} ranks: {:.1}% of {all} outer moves leave a rank, {:.1}% at random",
                    parts.len(),
                    share(cut),
                    share(by_chance)
                );
                assert!(
                    cut < by_chance || parts.len() < 4 * ranks,
                    "{class} on {ranks}: {cut} of {all}, at random {by_chance}"
                );
            }
        }
    }

    #[test]
    fn a_chain_is_cut_once() {
        let pairs = (0..99).flat_map(|i| [(i, i + 1), (i + 1, i)]).collect();
        let graph = Graph::from_pairs(pairs, vec![5; 100]);
        let parts = graph.parts(2);
        assert_eq!(graph.cut(&parts).0, 1);
        assert_eq!(parts.iter().filter(|&&part| part == 0).count(), 50);
        assert_eq!(graph.cut(&graph.parts(4)).0, 3);
    }

    #[test]
    fn more_ranks_than_slices() {
        let graph = Graph::from_pairs(vec![(0, 1), (1, 0)], vec![5; 3]);
        let mut parts = graph.parts(7);
        parts.sort_unstable();
        parts.dedup();
        assert_eq!(parts.len(), 3, "each slice has a rank of its own");
        assert!(Graph::from_pairs(vec![], vec![]).parts(4).is_empty());
    }
}
