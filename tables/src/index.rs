//! From a position to the number of its cell and back. `docs/table-format.md` defines it; in short: the
//! leading groups canonical under the symmetries, then each other group by its rank among the squares left.

use crate::combination::{binomial, rank, sets, unrank};
use crate::scheme::{Map, Scheme};
use jewel_engine::value::Side;
use std::ops::Range;

/// Bounds what opening a file costs, and so the number of placements of the leading groups.
pub const MAX_LEADING_NUMBERS: u64 = 1 << 22;
/// Bounds the number of cells of a table for one side to move.
pub const MAX_CELLS: u64 = 1 << 48;

/// Like pieces of one side in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Men {
    /// Whose they are.
    pub side: Side,
    /// Their letter in position strings, upper case for both sides.
    pub letter: u8,
    /// Where they stand.
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

/// Cells that differ only in where the pieces of the last two groups stand, in a dense matrix: all that a
/// solver needs to fill them in.
#[derive(Clone, Debug)]
pub struct Plane {
    /// The cell in row 0 and column 0.
    pub start: u64,
    /// Where each group's pieces stand; empty for the groups of the rows and the columns.
    pub sets: Vec<u64>,
    /// The group whose rank among `row_free` is the row, if more than one group is not leading.
    pub row_group: Option<usize>,
    /// The group whose rank, among the free squares of `column_free` that are not of the row's pieces, is the
    /// column; none if all groups are leading.
    pub column_group: Option<usize>,
    /// The squares of the row's sets.
    pub row_free: u64,
    /// The squares of the column's sets, less those of the row's pieces.
    pub column_free: u64,
    /// Rows. Where sets of squares overlap oddly, the last ones may be of no position.
    pub rows: u64,
    /// Columns, likewise; the cell is `start + row * columns + column`.
    pub columns: u64,
    /// Whether the plane is of positions at all; if not, its cells are don't-cares.
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
struct Way {
    map: Map,
    /// For each group, the squares that come to its set, and the kind of piece that does.
    from: Vec<(u64, usize)>,
    /// The first symmetry with the same `from`: what is known of one holds for the other.
    like: usize,
    /// For each leading group, by the rank of its set among the squares that come to its own: what it adds to the
    /// leading number. Empty where that would be large.
    terms: Vec<Vec<u64>>,
}

/// Most sets of a leading group whose terms are kept for each symmetry.
const MAX_TERMS: u64 = 1 << 14;

/// The index of a class.
#[derive(Debug)]
pub struct Index {
    scheme: Scheme,
    /// Sides and letters.
    kinds: Vec<(Side, u8)>,
    pieces: u32,
    ways: Vec<Way>,
    /// For each group, the pieces of earlier ones that are not leading and stand within its set for sure.
    nested: Vec<u32>,
    /// Canonical leading numbers, ascending.
    numbers: Vec<u32>,
    /// The first cell of each slice, and the number of all cells.
    starts: Vec<u64>,
}

impl Index {
    /// Lays out the class of a scheme. Time and memory go with the placements of the leading groups.
    ///
    /// # Errors
    /// Says what is wrong with the scheme: that it breaks a rule of [`Scheme`] or [`Map`], or is too large.
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
        let ways = scheme.symmetries.iter().map(|map| {
            let from = groups.iter().map(|g| {
                // The maps are a group: some map undoes this one.
                let squares = (0..scheme.area()).filter(|&s| g.allowed >> map.squares[s] & 1 != 0);
                let kind = kinds.iter().position(|&k| k == (map.side(g.side), g.letter)).unwrap_or(0);
                (squares.fold(0, |set, s| set | 1 << s), kind)
            });
            Way { from: from.collect(), map: map.clone(), like: 0, terms: vec![] }
        });
        let nested = (0..groups.len()).map(|j| {
            let before = scheme.leading..j.max(scheme.leading);
            let within = before.filter(|&i| groups[i].allowed & !groups[j].allowed == 0);
            within.map(|i| u32::from(groups[i].count)).sum()
        });
        let mut index = Index {
            pieces: groups.iter().map(|g| u32::from(g.count)).sum(),
            ways: ways.collect(),
            nested: nested.collect(),
            kinds,
            numbers: vec![],
            starts: vec![0],
            scheme: scheme.clone(),
        };
        index.find_slices()?;
        for way in 0..index.ways.len() {
            let from = &index.ways[way].from;
            index.ways[way].like = index.ways.iter().position(|w| w.from == *from).unwrap_or(way);
            index.ways[way].terms =
                (0..scheme.leading).map(|g| index.leading_terms(&index.ways[way], g)).collect();
        }
        Ok(index)
    }

    /// What a leading group adds to the leading number when it stands on `set` before a symmetry.
    fn leading_term(&self, way: &Way, g: usize, set: u64) -> u64 {
        let weight: u64 = (g + 1..self.scheme.leading).map(|h| self.radix(h)).product();
        weight * rank(way.map.set(set), self.scheme.groups[g].allowed)
    }

    /// See [`Way::terms`].
    fn leading_terms(&self, way: &Way, g: usize) -> Vec<u64> {
        if self.radix(g) > MAX_TERMS {
            return vec![];
        }
        let all = sets(way.from[g].0, u32::from(self.scheme.groups[g].count));
        all.into_iter().map(|set| self.leading_term(way, g, set)).collect()
    }

    /// What the index was made of.
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

    /// The cells of a slice, and where the leading groups' pieces stand in it.
    ///
    /// # Panics
    /// If there are not so many slices.
    pub fn slice(&self, slice: usize) -> (Range<u64>, Vec<u64>) {
        (self.starts[slice]..self.starts[slice + 1], self.leading_sets(u64::from(self.numbers[slice])))
    }

    fn radix(&self, group: usize) -> u64 {
        let g = &self.scheme.groups[group];
        binomial(g.allowed.count_ones(), u32::from(g.count))
    }

    /// The sets of a leading number; other groups' are empty.
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
            return Err(format!("the leading groups can be placed in more than {MAX_LEADING_NUMBERS} ways"));
        };
        // What each leading group's rank adds to the number of the image.
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

    /// Finds the cell of a position. `men` has each kind of piece of each side once, in any order.
    ///
    /// `None` if its pieces are not those of the class or of its image, or stand where they cannot get, or on one another.
    pub fn find(&self, men: &[Men], turn: Side) -> Option<Place> {
        let groups = &self.scheme.groups;
        let leading = self.scheme.leading;
        let mut squares = [0u64; 64];
        let (mut pieces, mut occupied) = (0, 0);
        for m in men.iter().filter(|m| m.squares != 0) {
            let kind = self.kinds.iter().position(|&k| k == (m.side, m.letter))?;
            squares[kind] |= m.squares;
            pieces += m.squares.count_ones();
            occupied |= m.squares;
        }
        if pieces != self.pieces || occupied.count_ones() != pieces {
            return None;
        }
        let mut best: Option<(u64, &Way)> = None;
        let mut ranks = [0usize; 32];
        let (mut like, mut fits) = (usize::MAX, false);
        for way in &self.ways {
            if way.like != like {
                like = way.like;
                fits = groups.iter().zip(&way.from).all(|(group, &(from, kind))| {
                    (squares[kind] & from).count_ones() == u32::from(group.count)
                });
                for (rank_of, &(from, kind)) in ranks.iter_mut().zip(&way.from[..leading]) {
                    *rank_of = rank(squares[kind] & from, from) as usize;
                }
            }
            if !fits {
                continue;
            }
            let mut number = 0;
            for (g, terms) in way.terms.iter().enumerate() {
                number += match terms.get(ranks[g]) {
                    Some(term) => *term,
                    None => self.leading_term(way, g, squares[way.from[g].1] & way.from[g].0),
                };
            }
            if best.is_none_or(|(least, _)| number < least) {
                best = Some((number, way));
            }
        }
        let (number, way) = best?;
        let slice = self.numbers.binary_search(&(number as u32)).ok()?;
        let set = |g: usize| way.map.set(squares[way.from[g].1] & way.from[g].0);
        let outer = (0..leading).fold(0, |outer, g| outer | set(g));
        let (mut taken, mut inner) = (outer, 0);
        for (g, group) in groups.iter().enumerate().skip(leading) {
            let set = set(g);
            inner = inner * self.slice_radix(g, outer) + rank(set, group.allowed & !taken);
            taken |= set;
        }
        Some(Place { cell: self.starts[slice] + inner, turn: way.map.side(turn) })
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
    /// If there are not so many cells.
    pub fn plane(&self, cell: u64) -> Plane {
        assert!(cell < self.cells(), "cell {cell} of {}", self.cells());
        let slice = self.starts.partition_point(|&start| start <= cell) - 1;
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

    /// Where each group's pieces stand in the position of a cell; `None` if it belongs to no position.
    ///
    /// # Panics
    /// If there are not so many cells.
    pub fn position(&self, cell: u64) -> Option<Vec<u64>> {
        let plane = self.plane(cell);
        if !plane.sound {
            return None;
        }
        let mut sets = plane.sets;
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

    /// A position string's first field for sets by group.
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
