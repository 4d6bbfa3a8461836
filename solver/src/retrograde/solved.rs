//! Finished values of the classes: where the bytes are, and how a position finds its own.

use super::class::Class;
use super::layout::Layout;
use super::mechanics::{MAX_TYPES, Masks, Mechanics};
use super::permutation::Permutation;
use super::simd::PAD;
use super::value;
use jewel_engine::value::Value;
use jewel_tables::source::Mapped;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The values of a class, a file for each window. In a file, behind a header: side 0 to move, then side 1, then [`PAD`] bytes
/// of any value.
#[derive(Debug)]
pub(crate) struct Values {
    planes: Vec<Mapped>,
    /// What windows later than those of the class see of it.
    settled: OnceLock<Mapped>,
    header: usize,
    span: u8,
}

impl Values {
    /// The values that follow so many bytes of each file, one a window of `span` plies.
    pub(crate) fn new(planes: Vec<Mapped>, header: usize, span: u8) -> Values {
        Values { planes, settled: OnceLock::new(), header, span }
    }

    /// The windows of the class: as many as its longest game needs.
    pub(crate) fn windows(&self) -> usize {
        self.planes.len()
    }

    /// The bytes of a window; of one later than those of the class, once [`settle`](Values::settle) has made them.
    #[inline]
    pub(crate) fn bytes(&self, window: usize) -> &[u8] {
        let plane = self.planes.get(window).or_else(|| self.settled.get());
        &plane.expect("later windows are settled first").bytes()[self.header..]
    }

    /// Has the bytes of every window up to this one. `make` writes a file like that of the last window, with bytes changed
    /// by [`value::settled`], and opens it.
    pub(crate) fn settle<E>(
        &self,
        window: usize,
        make: impl FnOnce(&[u8]) -> Result<Mapped, E>,
    ) -> Result<(), E> {
        if window >= self.planes.len() && self.settled.get().is_none() {
            // Nobody else sets it: classes are solved one after the other.
            let _ = self.settled.set(make(self.bytes(self.planes.len() - 1))?);
        }
        Ok(())
    }

    /// The value at a place, with its distance, as far as windows up to this one tell; a draw beyond.
    pub(crate) fn exact(&self, at: usize, window: usize) -> Value {
        let last = window.min(self.planes.len() - 1);
        for w in 0..=last {
            let byte = self.bytes(w)[at];
            if byte != value::DRAW {
                return value::later(value::decode(byte), u32::from(self.span) * w as u32);
            }
        }
        Value::Draw
    }

    /// Nothing will be read for a while: the pages may go.
    pub(crate) fn rest(&self) {
        self.planes.iter().chain(self.settled.get()).for_each(Mapped::release);
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
    /// One slice for one side to move in a window, and [`PAD`] bytes more.
    #[inline]
    pub(crate) fn slice(&self, slice: usize, turn: usize, window: usize) -> &[u8] {
        let sl = &self.layout.slices[slice];
        let at = (turn as u64 * self.layout.entries + sl.base) as usize;
        &self.values.bytes(window)[at..at + sl.bytes as usize + PAD]
    }

    /// The value at an offset in a window.
    #[inline]
    pub(crate) fn at(&self, turn: usize, offset: usize, window: usize) -> u8 {
        self.values.bytes(window)[self.place(turn, offset)]
    }

    /// Where the value at an offset is, both sides to move counted.
    #[inline]
    pub(crate) fn place(&self, turn: usize, offset: usize) -> usize {
        turn * self.layout.entries as usize + offset
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
    pub(crate) swap: Option<&'a (Vec<u8>, Permutation)>,
    /// The window that is being solved.
    window: usize,
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

    /// The table of a class as a window sees it; `None` if it has not been solved.
    pub(crate) fn view<'a>(
        &'a self,
        game: &'a Mechanics<'_>,
        class: Class,
        window: usize,
    ) -> Option<View<'a>> {
        let (stored, exchanged) = class.stored(game);
        let table = self.0.get(&stored)?;
        let swap = game.exchange_of_sets.as_ref().filter(|_| exchanged);
        Some(View { table, swap, window })
    }
}

impl View<'_> {
    /// Value of one position.
    pub(crate) fn get(&self, m: &Masks, turn: usize) -> u8 {
        let (turn, at) = self.find(m, turn);
        self.table.at(turn, at, self.window)
    }

    /// One slice for one side to move, and [`PAD`] bytes more.
    #[inline]
    pub(crate) fn slice(&self, slice: usize, turn: usize) -> &[u8] {
        self.table.slice(slice, turn, self.window)
    }

    /// Value of one position with its whole distance, as far as the window tells.
    pub(crate) fn exact(&self, m: &Masks, turn: usize) -> Value {
        let (turn, at) = self.find(m, turn);
        self.table.values.exact(self.table.place(turn, at), self.window)
    }

    /// The side to move and the offset of a position in the table.
    fn find(&self, m: &Masks, turn: usize) -> (usize, usize) {
        let (mut m, mut turn) = (*m, turn);
        if let Some((_, map)) = self.swap {
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
        (turn ^ usize::from(flip), at)
    }
}

/// Solved classes as a window sees them, and the rules for those that need no solving.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// The rules.
    pub(crate) game: &'a Mechanics<'a>,
    /// The classes.
    pub(crate) solved: &'a Solved,
    /// The window that is being solved.
    pub(crate) window: usize,
}

impl<'a> Known<'a> {
    /// The table of a class.
    ///
    /// # Panics
    /// If it has not been solved.
    pub(crate) fn view(&self, class: Class) -> View<'a> {
        self.solved.view(self.game, class, self.window).expect("children are solved first")
    }

    /// The value of a position: from its class's table, or by the rules where the game is over.
    ///
    /// # Panics
    /// If the class is neither over nor solved.
    pub(crate) fn probe(&self, m: &Masks, turn: usize) -> u8 {
        let class = Class::of(m);
        if self.game.terminal(class) { self.game.over(m, turn) } else { self.view(class).get(m, turn) }
    }

    /// The same with its whole distance.
    ///
    /// # Panics
    /// As [`probe`](Known::probe).
    pub(crate) fn exact(&self, m: &Masks, turn: usize) -> Value {
        let class = Class::of(m);
        if self.game.terminal(class) {
            value::decode(self.game.over(m, turn))
        } else {
            self.view(class).exact(m, turn)
        }
    }
}
