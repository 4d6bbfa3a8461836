//! From a position to the number of its cell and back, as `docs/table-format.md` defines it. In short: of all images of a
//! position, one with the least number of the leading groups is stored; each other group follows by its rank among the free
//! squares.

use crate::combination::{binomial, rank, sets, unrank};
use crate::scheme::{Map, Scheme};
use jewel_engine::value::Side;
use std::ops::Range;

/// The most placements that the leading groups may have: opening a file takes time and memory for each.
pub const MAX_LEADING_NUMBERS: u64 = 1 << 22;
/// The most cells of a table for one side to move.
pub const MAX_CELLS: u64 = 1 << 48;

/// Like pieces of one side in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceSet {
    /// The side that they belong to.
    pub side: Side,
    /// Their letter in position strings, upper case for both sides.
    pub letter: u8,
    /// The squares on which they stand.
    pub squares: u64,
}

/// A cell of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Its number among those of one side to move.
    pub cell: u64,
    /// The side to move.
    pub turn: Side,
}

/// Cells that differ only in the squares of the last two groups, as a dense matrix: what a solver needs to fill them in.
#[derive(Clone, Debug)]
pub struct Plane {
    /// The cell in row 0 and column 0.
    pub start: u64,
    /// The squares of each group; empty for the groups of the rows and the columns.
    pub sets: Vec<u64>,
    /// The group of the rows: the rank of its squares among `row_free` is the row. `None` unless at least two groups are not
    /// leading.
    pub row_group: Option<usize>,
    /// The group of the columns: the rank of its squares among those of `column_free` that the row's pieces leave free is the
    /// column. `None` if all groups are leading.
    pub column_group: Option<usize>,
    /// The squares of the row's sets.
    pub row_free: u64,
    /// The squares of the column's sets, less those of the row's pieces.
    pub column_free: u64,
    /// The number of rows. Where sets of squares overlap without one holding the other, the last rows may not be positions.
    pub rows: u64,
    /// The number of columns, likewise. The cell is `start + row * columns + column`.
    pub columns: u64,
    /// Whether the plane has positions; if not, all of its cells are don't-cares.
    pub sound: bool,
}

impl Plane {
    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.rows * self.columns
    }
}

/// One symmetry, prepared for finding positions.
#[derive(Debug)]
struct SymmetryTables {
    map: Map,
    /// For each group: the squares whose images are in its set, and the number of the side and letter that come there.
    from: Vec<(u64, usize)>,
    /// The first symmetry with the same `from`, for which ranks are the same.
    like: usize,
    /// For each leading group, by the rank of its set within `from`: what it adds to the leading number. Empty where the list
    /// would be long.
    terms: Vec<Vec<u64>>,
}

/// The most sets of a leading group whose terms are kept for each symmetry.
const MAX_TERMS: u64 = 1 << 14;

/// The index of a class.
#[derive(Debug)]
pub struct Index {
    scheme: Scheme,
    /// The sides and letters of the groups and their images.
    kinds: Vec<(Side, u8)>,
    pieces: u32,
    symmetries: Vec<SymmetryTables>,
    /// For each group: the pieces of earlier groups, not leading, that can only stand within its set.
    nested: Vec<u32>,
    /// Canonical leading numbers, ascending.
    numbers: Vec<u32>,
    /// The first cell of each slice, and the number of all cells.
    starts: Vec<u64>,
}

impl Index {
    /// Lays out the class of a scheme. Time and memory are proportional to the placements of the leading groups.
    ///
    /// # Errors
    /// Which rule of [`Scheme`] or [`Map`] the scheme breaks, or that it is too large.
    pub fn new(scheme: &Scheme) -> Result<Index, String> {
        scheme.check()?;
        let groups = &scheme.groups;
        let mut kinds = vec![];
        for g in groups {
            for side in Side::BOTH {
                if !kinds.contains(&(side, g.letter)) {
                    kinds.push((side, g.letter));
                }
            }
        }
        let symmetries = scheme.symmetries.iter().map(|map| {
            let from = groups.iter().map(|g| {
                // The maps are a group: some map undoes this one.
                let squares = (0..scheme.area()).filter(|&s| g.allowed >> map.squares[s] & 1 != 0);
                let kind = kinds.iter().position(|&k| k == (map.side(g.side), g.letter)).unwrap_or(0);
                (squares.fold(0, |set, s| set | 1 << s), kind)
            });
            SymmetryTables { from: from.collect(), map: map.clone(), like: 0, terms: vec![] }
        });
        let nested = (0..groups.len()).map(|j| {
            let before = scheme.leading..j.max(scheme.leading);
            let within = before.filter(|&i| groups[i].allowed & !groups[j].allowed == 0);
            within.map(|i| u32::from(groups[i].count)).sum()
        });
        let mut index = Index {
            pieces: groups.iter().map(|g| u32::from(g.count)).sum(),
            symmetries: symmetries.collect(),
            nested: nested.collect(),
            kinds,
            numbers: vec![],
            starts: vec![0],
            scheme: scheme.clone(),
        };
        index.find_slices()?;
        for symmetry in 0..index.symmetries.len() {
            let from = &index.symmetries[symmetry].from;
            index.symmetries[symmetry].like =
                index.symmetries.iter().position(|w| w.from == *from).unwrap_or(symmetry);
            index.symmetries[symmetry].terms =
                (0..scheme.leading).map(|g| index.leading_terms(&index.symmetries[symmetry], g)).collect();
        }
        Ok(index)
    }

    /// What a leading group adds to the leading number when it stands on `set` before a symmetry.
    fn leading_term(&self, symmetry: &SymmetryTables, g: usize, set: u64) -> u64 {
        let weight: u64 = (g + 1..self.scheme.leading).map(|h| self.radix(h)).product();
        weight * rank(symmetry.map.set(set), self.scheme.groups[g].allowed)
    }

    /// See [`SymmetryTables::terms`].
    fn leading_terms(&self, symmetry: &SymmetryTables, g: usize) -> Vec<u64> {
        if self.radix(g) > MAX_TERMS {
            return vec![];
        }
        let all = sets(symmetry.from[g].0, u32::from(self.scheme.groups[g].count));
        all.into_iter().map(|set| self.leading_term(symmetry, g, set)).collect()
    }

    /// The scheme that the index was made from.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The number of cells for one side to move.
    pub fn cells(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// The number of slices.
    pub fn slices(&self) -> usize {
        self.numbers.len()
    }

    /// The cells of a slice, and the squares of the leading groups in it.
    ///
    /// # Panics
    /// If there is no such slice.
    pub fn slice(&self, slice: usize) -> (Range<u64>, Vec<u64>) {
        (self.starts[slice]..self.starts[slice + 1], self.leading_sets(u64::from(self.numbers[slice])))
    }

    /// The slice of a cell.
    pub(crate) fn slice_of(&self, cell: u64) -> usize {
        self.starts.partition_point(|&start| start <= cell) - 1
    }

    fn radix(&self, group: usize) -> u64 {
        let g = &self.scheme.groups[group];
        binomial(g.allowed.count_ones(), u32::from(g.count))
    }

    /// The sets of a leading number; those of the other groups are empty.
    fn leading_sets(&self, mut number: u64) -> Vec<u64> {
        let mut sets = vec![0; self.scheme.groups.len()];
        for g in (0..self.scheme.leading).rev() {
            let group = &self.scheme.groups[g];
            let radix = self.radix(g);
            sets[g] = unrank(number % radix, u32::from(group.count), group.allowed).unwrap_or(0);
            number /= radix;
        }
        sets
    }

    fn find_slices(&mut self) -> Result<(), String> {
        let leading = self.scheme.leading;
        let numbers = (0..leading).try_fold(1u64, |all, g| all.checked_mul(self.radix(g)));
        let Some(numbers) = numbers.filter(|&n| n <= MAX_LEADING_NUMBERS) else {
            return Err(format!(
                "the leading groups can be placed in more than {MAX_LEADING_NUMBERS} symmetries"
            ));
        };
        // By rank of each leading group: what it adds to the number of the image.
        let automorphisms: Vec<Vec<Vec<u64>>> = self
            .scheme
            .symmetries
            .iter()
            .skip(1)
            .filter_map(|map| self.scheme.automorphism(map).map(|image| self.terms(map, &image)))
            .collect();
        let radices: Vec<u64> = (0..leading).map(|g| self.radix(g)).collect();
        let sets: Vec<Vec<u64>> = (0..leading)
            .map(|g| {
                let group = &self.scheme.groups[g];
                (0..radices[g]).filter_map(|r| unrank(r, u32::from(group.count), group.allowed)).collect()
            })
            .collect();
        let mut ranks = vec![0; leading];
        'numbers: for number in 0..numbers {
            let (mut rest, mut occupied) = (number, 0);
            for g in (0..leading).rev() {
                ranks[g] = (rest % radices[g]) as usize;
                rest /= radices[g];
                let set = sets[g][ranks[g]];
                if occupied & set != 0 {
                    continue 'numbers;
                }
                occupied |= set;
            }
            let smaller = |terms: &Vec<Vec<u64>>| {
                ranks.iter().zip(terms).map(|(&r, terms)| terms[r]).sum::<u64>() < number
            };
            if automorphisms.iter().any(smaller) {
                continue;
            }
            let size = (leading..self.scheme.groups.len())
                .try_fold(1u64, |all, g| all.checked_mul(self.slice_radix(g, occupied)));
            let end = size.and_then(|size| size.checked_add(self.cells())).filter(|&end| end <= MAX_CELLS);
            let Some(end) = end else {
                return Err(format!("the class has more than {MAX_CELLS} cells"));
            };
            self.numbers.push(number as u32);
            self.starts.push(end);
        }
        if self.cells() == 0 { Err("the pieces do not fit on the board".to_string()) } else { Ok(()) }
    }

    fn terms(&self, map: &Map, image: &[usize]) -> Vec<Vec<u64>> {
        let groups = &self.scheme.groups;
        (0..self.scheme.leading)
            .map(|g| {
                let to = image[g];
                let weight: u64 = (to + 1..self.scheme.leading).map(|h| self.radix(h)).product();
                (0..self.radix(g))
                    .filter_map(|r| unrank(r, u32::from(groups[g].count), groups[g].allowed))
                    .map(|set| weight * rank(map.set(set), groups[to].allowed))
                    .collect()
            })
            .collect()
    }

    /// The radix of a group that is not leading in a slice whose leading pieces stand on `occupied`.
    #[inline]
    fn slice_radix(&self, group: usize, occupied: u64) -> u64 {
        let g = &self.scheme.groups[group];
        let free = (g.allowed & !occupied).count_ones().saturating_sub(self.nested[group]);
        binomial(free, u32::from(g.count))
    }

    /// Finds the cell of a position. `list` has the pieces of each type and side once, in any order.
    ///
    /// `None` if the pieces are not those of the class or of an image of it, stand on squares where they cannot be, or on one
    /// another.
    pub fn find(&self, list: &[PieceSet], turn: Side) -> Option<Place> {
        let groups = &self.scheme.groups;
        let leading = self.scheme.leading;
        let mut squares = [0u64; 64];
        let (mut pieces, mut occupied) = (0, 0);
        for m in list.iter().filter(|m| m.squares != 0) {
            let kind = self.kinds.iter().position(|&k| k == (m.side, m.letter))?;
            squares[kind] |= m.squares;
            pieces += m.squares.count_ones();
            occupied |= m.squares;
        }
        if pieces != self.pieces || occupied.count_ones() != pieces {
            return None;
        }
        let mut best: Option<(u64, &SymmetryTables)> = None;
        let mut ranks = [0usize; 32];
        let (mut like, mut fits) = (usize::MAX, false);
        for symmetry in &self.symmetries {
            if symmetry.like != like {
                like = symmetry.like;
                fits = groups.iter().zip(&symmetry.from).all(|(group, &(from, kind))| {
                    (squares[kind] & from).count_ones() == u32::from(group.count)
                });
                for (rank_of, &(from, kind)) in ranks.iter_mut().zip(&symmetry.from[..leading]) {
                    *rank_of = rank(squares[kind] & from, from) as usize;
                }
            }
            if !fits {
                continue;
            }
            let mut number = 0;
            for (g, terms) in symmetry.terms.iter().enumerate() {
                number += match terms.get(ranks[g]) {
                    Some(term) => *term,
                    None => self.leading_term(symmetry, g, squares[symmetry.from[g].1] & symmetry.from[g].0),
                };
            }
            if best.is_none_or(|(least, _)| number < least) {
                best = Some((number, symmetry));
            }
        }
        let (number, symmetry) = best?;
        let slice = self.numbers.binary_search(&(number as u32)).ok()?;
        let set = |g: usize| symmetry.map.set(squares[symmetry.from[g].1] & symmetry.from[g].0);
        let outer = (0..leading).fold(0, |outer, g| outer | set(g));
        let (mut taken, mut inner) = (outer, 0);
        for (g, group) in groups.iter().enumerate().skip(leading) {
            let set = set(g);
            inner = inner * self.slice_radix(g, outer) + rank(set, group.allowed & !taken);
            taken |= set;
        }
        Some(Place { cell: self.starts[slice] + inner, turn: symmetry.map.side(turn) })
    }

    /// The groups that make the rows and the columns of planes.
    fn plane_groups(&self) -> (Option<usize>, Option<usize>) {
        let groups = self.scheme.groups.len();
        let inner = groups - self.scheme.leading;
        ((inner > 1).then(|| groups - 2), (inner > 0).then(|| groups - 1))
    }

    /// The plane that holds a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn plane(&self, cell: u64) -> Plane {
        assert!(cell < self.cells(), "cell {cell} of {}", self.cells());
        let slice = self.slice_of(cell);
        let mut sets = self.leading_sets(u64::from(self.numbers[slice]));
        let outer = sets.iter().fold(0, |all, set| all | set);
        let (row_group, column_group) = self.plane_groups();
        let radix = |g: Option<usize>| g.map_or(1, |g| self.slice_radix(g, outer));
        let (rows, columns) = (radix(row_group), radix(column_group));
        let mut number = (cell - self.starts[slice]) / (rows * columns);
        let start = self.starts[slice] + number * rows * columns;
        let middle = self.scheme.leading..row_group.or(column_group).unwrap_or(self.scheme.leading);
        let mut ranks = vec![0; sets.len()];
        for g in middle.clone().rev() {
            let radix = self.slice_radix(g, outer);
            ranks[g] = number % radix;
            number /= radix;
        }
        let (mut taken, mut sound) = (outer, true);
        for g in middle {
            let group = &self.scheme.groups[g];
            match unrank(ranks[g], u32::from(group.count), group.allowed & !taken) {
                Some(set) => sets[g] = set,
                None => sound = false,
            }
            taken |= sets[g];
        }
        let free = |g: Option<usize>| g.map_or(0, |g| self.scheme.groups[g].allowed & !taken);
        let (row_free, column_free) = (free(row_group), free(column_group));
        Plane { start, sets, row_group, column_group, row_free, column_free, rows, columns, sound }
    }

    /// The squares of each group in the position of a cell; `None` if the cell is not a position.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn position(&self, cell: u64) -> Option<Vec<u64>> {
        self.position_in(&self.plane(cell), cell)
    }

    /// [`position`](Index::position) of a cell of a plane that is known.
    pub(crate) fn position_in(&self, plane: &Plane, cell: u64) -> Option<Vec<u64>> {
        if !plane.sound {
            return None;
        }
        let mut sets = plane.sets.clone();
        let count = |g: usize| u32::from(self.scheme.groups[g].count);
        let mut row_set = 0;
        if let Some(g) = plane.row_group {
            row_set = unrank((cell - plane.start) / plane.columns, count(g), plane.row_free)?;
            sets[g] = row_set;
        }
        if let Some(g) = plane.column_group {
            sets[g] = unrank((cell - plane.start) % plane.columns, count(g), plane.column_free & !row_set)?;
        }
        Some(sets)
    }

    /// The board field of a position string, from the sets of the groups.
    pub fn board_text(&self, sets: &[u64]) -> String {
        let (width, height) = (usize::from(self.scheme.width), usize::from(self.scheme.height));
        let mut out = String::new();
        for rank in (0..height).rev() {
            let mut empty = 0;
            for file in 0..width {
                let square = rank * width + file;
                let Some(g) = sets.iter().position(|set| set >> square & 1 != 0) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    out += &empty.to_string();
                    empty = 0;
                }
                let group = &self.scheme.groups[g];
                let letter = char::from(group.letter);
                out.push(if group.side == Side::White { letter } else { letter.to_ascii_lowercase() });
            }
            if empty > 0 {
                out += &empty.to_string();
            }
            if rank > 0 {
                out.push('/');
            }
        }
        out
    }
}
