//! Finished values of classes: where the bytes are, and how a position finds its own.

use super::class::Class;
use super::game::GameData;
use super::layout::Layout;
use super::pieces::{MAX_TYPES, Pieces, swapped_if};
use super::simd::PAD;
use super::symmetry::Symmetry;
use super::value;
use jewel_engine::value::{Side, Value};
use jewel_tables::map::Mapped;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The values of a class, a file for each window. In a file, behind a header: White to move, then Black to move, then [`PAD`]
/// bytes of any value.
#[derive(Debug)]
pub(crate) struct Values {
    windows: Vec<Mapped>,
    /// The class as seen from windows later than its own.
    settled: OnceLock<Mapped>,
    header: usize,
    span: u8,
}

impl Values {
    /// The values behind the first `header` bytes of each file, one for each window of `span` plies.
    pub(crate) fn new(windows: Vec<Mapped>, header: usize, span: u8) -> Values {
        Values { windows, settled: OnceLock::new(), header, span }
    }

    /// The number of windows of the class: as many as its longest game needs.
    pub(crate) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// The bytes of a window; of one later than those of the class, once [`settle`](Values::settle) has made them.
    #[inline]
    pub(crate) fn bytes(&self, window: usize) -> &[u8] {
        let file = self.windows.get(window).or_else(|| self.settled.get());
        &file.expect("later windows are settled first").bytes()[self.header..]
    }

    /// Has the bytes of every window up to this one. `make` writes a file like that of the last window, with bytes changed
    /// by [`value::settled`], and opens it.
    pub(crate) fn settle<E>(
        &self,
        window: usize,
        make: impl FnOnce(&[u8]) -> Result<Mapped, E>,
    ) -> Result<(), E> {
        if window >= self.windows.len() && self.settled.get().is_none() {
            // No other thread sets it: classes are solved one after the other.
            let _ = self.settled.set(make(self.bytes(self.windows.len() - 1))?);
        }
        Ok(())
    }

    /// The value at a place, with its distance, as far as windows up to `window` tell; a draw beyond.
    pub(crate) fn exact(&self, at: usize, window: usize) -> Value {
        let last = window.min(self.windows.len() - 1);
        for w in 0..=last {
            let byte = self.bytes(w)[at];
            if byte != value::DRAW {
                return value::later(value::decode(byte), u32::from(self.span) * w as u32);
            }
        }
        Value::Draw
    }

    /// A hint that nothing will be read for a while.
    pub(crate) fn release(&self) {
        self.windows.iter().chain(self.settled.get()).for_each(Mapped::release);
    }
}

/// A solved class: its layout and its values.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) layout: Layout,
    pub(crate) values: Values,
}

impl Table {
    /// One slice for one side to move in a window, and [`PAD`] bytes more.
    #[inline]
    pub(crate) fn slice(&self, slice: usize, turn: Side, window: usize) -> &[u8] {
        let slice = &self.layout.slices[slice];
        let at = self.place(turn, slice.base as usize);
        &self.values.bytes(window)[at..at + slice.bytes as usize + PAD]
    }

    /// The value at an offset in a window.
    #[inline]
    pub(crate) fn at(&self, turn: Side, offset: usize, window: usize) -> u8 {
        self.values.bytes(window)[self.place(turn, offset)]
    }

    /// Where the value at an offset is: those with White to move come first.
    #[inline]
    pub(crate) fn place(&self, turn: Side, offset: usize) -> usize {
        turn.index() * self.layout.entries as usize + offset
    }
}

/// Solved classes: of two that differ by an exchange of sides, the stored one.
#[derive(Debug, Default)]
pub(crate) struct Solved(HashMap<Class, Table>);

/// The table that has the values of a class, as a window sees it.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Its table, or that of its exchange of sides.
    pub(crate) table: &'a Table,
    /// The exchange of sides to apply first.
    pub(crate) swap: Option<&'a Symmetry>,
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

    /// See [`Values::release`].
    pub(crate) fn release(&self) {
        self.0.values().for_each(|t| t.values.release());
    }

    /// The table of a class as a window sees it; `None` if it has not been solved.
    pub(crate) fn view<'a>(
        &'a self,
        game: &'a GameData<'_>,
        class: Class,
        window: usize,
    ) -> Option<View<'a>> {
        let (stored, exchanged) = class.stored(game);
        let table = self.0.get(&stored)?;
        let swap = if exchanged { game.symmetries.exchange(stored) } else { None };
        Some(View { table, swap, window })
    }
}

impl View<'_> {
    /// The value of a position.
    pub(crate) fn get(&self, m: &Pieces, turn: Side) -> u8 {
        let (turn, at) = self.find(m, turn);
        self.table.at(turn, at, self.window)
    }

    /// One slice for one side to move, and [`PAD`] bytes more.
    #[inline]
    pub(crate) fn slice(&self, slice: usize, turn: Side) -> &[u8] {
        self.table.slice(slice, turn, self.window)
    }

    /// The value of a position with its whole distance, as far as the window tells.
    pub(crate) fn exact(&self, m: &Pieces, turn: Side) -> Value {
        let (turn, at) = self.find(m, turn);
        self.table.values.exact(self.table.place(turn, at), self.window)
    }

    /// The side to move and the offset of a position in the table.
    fn find(&self, m: &Pieces, turn: Side) -> (Side, usize) {
        let (mut m, mut turn) = (*m, turn);
        if let Some(symmetry) = self.swap {
            let mut image = Pieces::default();
            for side in Side::BOTH {
                for kind in (0..MAX_TYPES).filter(|&kind| m[side][kind].any()) {
                    image[!side][kind] = symmetry.sets.apply(m[side][kind]);
                }
            }
            (m, turn) = (image, !turn);
        }
        let (at, swap) = self.table.layout.address(&m);
        (swapped_if(swap, turn), at)
    }
}

/// The values of solved classes as a window sees them, and the rules for classes in which the game is over.
#[derive(Clone, Copy)]
pub(crate) struct SolvedValues<'a> {
    pub(crate) game: &'a GameData<'a>,
    pub(crate) solved: &'a Solved,
    /// The window that is being solved.
    pub(crate) window: usize,
}

impl<'a> SolvedValues<'a> {
    /// The table of a class.
    ///
    /// # Panics
    /// If it has not been solved.
    pub(crate) fn view(&self, class: Class) -> View<'a> {
        self.solved.view(self.game, class, self.window).expect("children are solved first")
    }

    /// The value of a position with its whole distance: from its class's table, or by the rules where the game is over.
    ///
    /// # Panics
    /// If the class is neither over nor solved.
    pub(crate) fn exact(&self, m: &Pieces, turn: Side) -> Value {
        let class = Class::from_pieces(m);
        if self.game.terminal(class) {
            value::decode(self.game.over(m, turn))
        } else {
            self.view(class).exact(m, turn)
        }
    }
}
