//! Finished values of the classes: where the bytes are, and how a position finds its own.

use super::class::Class;
use super::layout::Layout;
use super::mechanics::{MAX_TYPES, Masks, Mechanics};
use super::permutation::Permutation;
use super::simd::PAD;
use jewel_tables::source::Mapped;
use std::collections::HashMap;

/// The values of a class in a file, behind a header: side 0 to move, then side 1, then [`PAD`] bytes of any value.
#[derive(Debug)]
pub(crate) struct Values {
    map: Mapped,
    header: usize,
}

impl Values {
    /// The values that follow so many bytes of a file.
    pub(crate) fn new(map: Mapped, header: usize) -> Values {
        Values { map, header }
    }

    /// The bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map.bytes()[self.header..]
    }

    /// Nothing will be read for a while: the pages may go.
    pub(crate) fn rest(&self) {
        self.map.release();
    }
}

/// A solved class.
#[derive(Debug)]
pub(crate) struct Table {
    /// Where each position is.
    pub(crate) layout: Layout,
    /// Its values.
    pub(crate) values: Values,
}

impl Table {
    /// One slice for one side to move, and [`PAD`] bytes more.
    #[inline]
    pub(crate) fn slice(&self, slice: usize, turn: usize) -> &[u8] {
        let sl = &self.layout.slices[slice];
        let at = (turn as u64 * self.layout.entries + sl.base) as usize;
        &self.values.bytes()[at..at + sl.bytes as usize + PAD]
    }

    /// The value at an offset.
    #[inline]
    pub(crate) fn at(&self, turn: usize, offset: usize) -> u8 {
        self.values.bytes()[turn * self.layout.entries as usize + offset]
    }
}

/// Solved classes: of a class and its exchange of sides the stored one.
#[derive(Debug, Default)]
pub(crate) struct Solved(HashMap<Class, Table>);

/// Where to look for the values of a class.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Its table, or that of its exchange of sides.
    pub(crate) table: &'a Table,
    /// The exchange of sides to apply first.
    pub(crate) swap: Option<(Vec<u8>, Permutation)>,
}

impl Solved {
    /// Adds a class.
    pub(crate) fn insert(&mut self, class: Class, table: Table) {
        self.0.insert(class, table);
    }

    /// Takes a class out.
    pub(crate) fn remove(&mut self, class: Class) {
        self.0.remove(&class);
    }

    /// The table of a stored class.
    pub(crate) fn table(&self, class: Class) -> Option<&Table> {
        self.0.get(&class)
    }

    /// The classes, in no order.
    pub(crate) fn classes(&self) -> Vec<Class> {
        self.0.keys().copied().collect()
    }

    /// See [`Values::rest`].
    pub(crate) fn rest(&self) {
        self.0.values().for_each(|t| t.values.rest());
    }

    /// The table of a class; `None` if it has not been solved.
    pub(crate) fn view(&self, game: &Mechanics<'_>, class: Class) -> Option<View<'_>> {
        let (stored, exchanged) = class.stored(game);
        let table = self.0.get(&stored)?;
        let map = game.exchange().filter(|_| exchanged);
        Some(View { table, swap: map.map(|a| (a.perm.clone(), Permutation::of(&a.perm))) })
    }
}

impl View<'_> {
    /// Value of one position.
    pub(crate) fn get(&self, m: &Masks, turn: usize) -> u8 {
        let (mut m, mut turn) = (*m, turn);
        if let Some((_, map)) = &self.swap {
            let mut n = Masks::default();
            for s in 0..2 {
                for t in (0..MAX_TYPES).filter(|&t| m[s][t] != 0) {
                    n[1 - s][t] = map.apply(m[s][t]);
                }
            }
            m = n;
            turn = 1 - turn;
        }
        let (at, flip) = self.table.layout.address(&m);
        self.table.at(turn ^ usize::from(flip), at)
    }
}

/// The value of a position: from its class's table, or by the rules where the game is over.
///
/// # Panics
/// If the class is neither over nor solved.
pub(crate) fn probe(game: &Mechanics<'_>, solved: &Solved, m: &Masks, turn: usize) -> u8 {
    let class = Class::of(m);
    if game.terminal(class) {
        return game.over(m, turn);
    }
    solved.view(game, class).expect("the class has been solved").get(m, turn)
}
