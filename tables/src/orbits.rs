//! How many positions that differ by more than a symmetry the cells stand for.
//!
//! A slice whose leading pieces lie on an axis has several cells for one position: its images under the symmetries that keep the
//! leading pieces. If `H` are these and `S` those of them that keep the whole position, then the position has `|H| / |S|` cells,
//! and a cell counts `|S| / |H|`.

use crate::index::Index;
use crate::scheme::Map;
use std::ops::Range;

/// Whether the side to move is a part of what is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Placements of the pieces: an exchange of sides that keeps the pieces where they are changes nothing.
    Placements,
    /// Positions: placements with a side to move, which an exchange of sides changes.
    Positions,
}

/// A symmetry that takes the class to itself.
struct Automorphism<'a> {
    map: &'a Map,
    /// The group that each group becomes.
    image: Vec<usize>,
}

impl Automorphism<'_> {
    /// Whether a group on its set becomes another group on the set of that one.
    fn keeps(&self, g: usize, sets: &[u64]) -> bool {
        self.map.set(sets[g]) == sets[self.image[g]]
    }
}

/// Weighs the cells of an index.
pub struct Orbits<'a> {
    index: &'a Index,
    automorphisms: Vec<Automorphism<'a>>,
}

impl<'a> Orbits<'a> {
    /// Finds the symmetries that take the class to itself.
    pub fn new(index: &'a Index) -> Self {
        let scheme = index.scheme();
        let symmetries = scheme.symmetries.iter();
        let automorphisms = symmetries.filter_map(|map| Some((map, scheme.automorphism(map)?)));
        Orbits {
            index,
            automorphisms: automorphisms.map(|(map, image)| Automorphism { map, image }).collect(),
        }
    }

    /// The weight of a cell that stands for a position of its own: the number of symmetries that take the class to itself. A
    /// sum of weights divided by it is a number of positions.
    pub fn whole(&self) -> u64 {
        self.automorphisms.len() as u64
    }

    /// Whether one of them exchanges the sides.
    pub fn exchange(&self) -> bool {
        self.automorphisms.iter().any(|a| a.map.exchange)
    }

    /// Fills `weights` with the weights of some cells; nothing if each of them is [`whole`](Orbits::whole). Cells that are not
    /// positions have any weight.
    ///
    /// # Panics
    /// If there are no such cells.
    pub fn weights(&self, cells: Range<u64>, counted: Counted, weights: &mut Vec<u8>) {
        weights.clear();
        let whole = self.whole() as u8;
        if whole == 1 || cells.is_empty() {
            return;
        }
        let mut at = cells.start;
        let mut slice = self.index.slice_of(at);
        while at < cells.end {
            let (range, sets) = self.index.slice(slice);
            let end = range.end.min(cells.end);
            let leading = 0..self.index.scheme().leading;
            let keeps = |a: &&Automorphism<'_>| leading.clone().all(|g| a.keeps(g, &sets));
            let keeping: Vec<&Automorphism<'_>> = self.automorphisms.iter().filter(keeps).collect();
            if keeping.len() > 1 {
                weights.resize((cells.end - cells.start) as usize, whole);
                let part = (at - cells.start) as usize..(end - cells.start) as usize;
                self.weigh(&keeping, at, counted, &mut weights[part]);
            }
            at = end;
            slice += 1;
        }
    }

    /// The weights of cells from `at` on, in a slice whose leading pieces the symmetries `keeping` keep.
    fn weigh(&self, keeping: &[&Automorphism<'_>], at: u64, counted: Counted, weights: &mut [u8]) {
        let share = self.whole() as usize / keeping.len();
        let end = at + weights.len() as u64;
        let mut cell = at;
        while cell < end {
            let plane = self.index.plane(cell);
            let stop = end.min(plane.start + plane.cells());
            let inner = [plane.row_group, plane.column_group];
            let fixed = |g: usize| !inner.contains(&Some(g));
            // What keeps the pieces that are the same all over the plane may keep some of its positions.
            let may_keep = |a: &&&Automorphism<'_>| {
                let same_turn = counted == Counted::Placements || !a.map.exchange;
                let mut groups = (0..plane.sets.len()).filter(|&g| fixed(g) && fixed(a.image[g]));
                same_turn && groups.all(|g| a.keeps(g, &plane.sets))
            };
            let may_keep: Vec<&Automorphism<'_>> = keeping.iter().filter(may_keep).copied().collect();
            let part = &mut weights[(cell - at) as usize..(stop - at) as usize];
            if may_keep.len() == 1 {
                part.fill(share as u8);
            } else {
                for (weight, cell) in part.iter_mut().zip(cell..) {
                    let kept = match self.index.position_in(&plane, cell) {
                        Some(sets) => {
                            let keeps = |a: &&&Automorphism<'_>| (0..sets.len()).all(|g| a.keeps(g, &sets));
                            may_keep.iter().filter(keeps).count()
                        }
                        None => 1,
                    };
                    *weight = (share * kept) as u8;
                }
            }
            cell = stop;
        }
    }
}
