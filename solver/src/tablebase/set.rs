//! The tables of a game, and the values of positions in them.

use crate::retrograde::class::Class;
use crate::retrograde::game::{GameData, Unsupported};
use crate::retrograde::pieces::{MAX_TYPES, Pieces};
use ahash::AHashMap;
use arrayvec::ArrayVec;
use jewel_engine::ability::Probe;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{AnyChessLike, ChessLike, MoveTag, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_tables::cache::Cache;
use jewel_tables::error::TableError;
use jewel_tables::index::{PieceSet, Place};
use jewel_tables::reader::Table;
use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a position has no value.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// There is no table for the class.
    #[error("there is no table {0}: build it first")]
    NoTable(String),
    /// The position has castling rights.
    #[error("tables know no castling rights, and this position has some")]
    Castling,
    /// A table does not hold the position, is damaged, or is for other rules.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There can be no tables for the rules.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The folder cannot be read.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// The tables of a game, open for probing by any number of threads.
#[derive(Debug)]
pub struct TableSet<'r> {
    rules: &'r Rules,
    /// Numbers in `open` by class, also of classes whose exchange of sides has the table.
    tables: AHashMap<Class, usize>,
    open: Vec<Table>,
    cache: Cache,
    /// Pieces of the largest class that has a table.
    most_pieces: u32,
    /// No position of the tables is farther from the end, in plies, as far as they have distances.
    longest: u32,
}

/// Bytes of decoded blocks that are kept.
const CACHE: usize = 256 << 20;

impl<'r> TableSet<'r> {
    /// Opens every table of a folder that is for these rules.
    ///
    /// # Errors
    /// If the folder cannot be read, there can be no tables for the game, or a table is damaged or for other rules.
    pub fn open(rules: &'r Rules, folder: &Path) -> Result<TableSet<'r>, ProbeError> {
        let game = GameData::new(rules)?;
        let failed = |error| ProbeError::Folder { path: folder.to_path_buf(), error };
        let mut paths = vec![];
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|e| e == "jt") {
                paths.push(path);
            }
        }
        paths.sort();
        let mut set = TableSet::empty(rules, CACHE);
        for path in paths {
            set.insert(&game, Table::open(&path, rules.fingerprint)?);
        }
        Ok(set)
    }

    /// A set without tables, to which [`add`](TableSet::add) adds some. Decoded blocks take about `cache` bytes.
    pub fn empty(rules: &'r Rules, cache: usize) -> TableSet<'r> {
        TableSet {
            rules,
            tables: AHashMap::new(),
            open: vec![],
            cache: Cache::new(cache),
            most_pieces: 0,
            longest: 0,
        }
    }

    /// Adds a table, whatever it is read from. One whose class the game does not have is left out.
    ///
    /// # Errors
    /// If there can be no tables for the game, or the table is for other rules.
    pub fn add(&mut self, table: Table) -> Result<(), ProbeError> {
        let game = GameData::new(self.rules)?;
        table.check_rules(self.rules.fingerprint)?;
        self.insert(&game, table);
        Ok(())
    }

    fn insert(&mut self, game: &GameData<'_>, table: Table) {
        let Ok(class) = Class::parse(game, &table.metadata().class) else { return };
        self.most_pieces = self.most_pieces.max(class.pieces() as u32);
        if let Some(win) = &table.metadata().longest_win {
            self.longest = self.longest.max(win.distance + 1);
        }
        self.tables.insert(class, self.open.len());
        if game.symmetries.exchange(class).is_some() {
            self.tables.insert(class.swapped(), self.open.len());
        }
        self.open.push(table);
    }

    /// The rules that the tables are for.
    pub fn rules(&self) -> &'r Rules {
        self.rules
    }

    /// The position with the pieces of each group of a table on the squares of a set, whether it can occur or not.
    pub(super) fn placed(&self, table: &Table, sets: &[u64], turn: Side) -> AnyChessLike<'r> {
        let groups = table.index().scheme().groups.iter().zip(sets);
        let pieces = groups.filter_map(|(group, &set)| {
            Some((self.rules.type_of(char::from(group.letter))?, group.side, Bitboard(set)))
        });
        AnyChessLike::assemble(self.rules, turn, pieces)
    }

    /// The open tables: those of a folder by the names of their files, then the others as they were added.
    pub fn tables(&self) -> &[Table] {
        &self.open
    }

    /// The exact value of a position: by the rules if the game is over, else from its table, which knows no counter of
    /// moves: the value is that of a game without a draw by a number of moves. Distances that the table does
    /// not hold are found by a search: of a win from the losses a ply ahead, of a loss with two possible distances from two
    /// plies ahead.
    ///
    /// # Errors
    /// If its class has no table, or the table is damaged or does not hold it.
    #[inline(never)]
    pub fn probe<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Value, ProbeError> {
        match position.outcome() {
            Some(outcome) => Ok(Value::from_outcome(outcome)),
            None if position.en_passant().is_some() => {
                let stored = |p: &ChessLike<'_, S, N>| self.probe(p);
                with_right(position, stored, Value::before_opponents_turn)
            }
            None => self.looked_up(position),
        }
    }

    /// What the table holds for a position, even if the game is over: the outcome, and bounds on the distance if it has them.
    #[inline(never)]
    pub(super) fn stored<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<(Outcome, Option<RangeInclusive<u32>>), ProbeError> {
        let (table, place) = self.place(position)?;
        Ok(table.known_at(place, &self.cache)?)
    }

    /// Win, draw or loss of a position; cheaper than [`probe`](TableSet::probe).
    ///
    /// # Errors
    /// As [`probe`](TableSet::probe).
    #[inline(never)]
    pub fn probe_outcome<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Outcome, ProbeError> {
        match position.outcome() {
            Some(outcome) => Ok(outcome),
            None if position.en_passant().is_some() => {
                let stored = |p: &ChessLike<'_, S, N>| self.probe_outcome(p);
                with_right(position, stored, |outcome| !outcome)
            }
            None => {
                let (table, pieces) = self.find(position)?;
                Ok(table.probe_wdl(&pieces, position.side_to_move(), &self.cache)?)
            }
        }
    }

    /// The table that holds a position, and its place there: that of the position without a right to capture *en passant*.
    ///
    /// # Errors
    /// If its class has no table, or the table does not hold it.
    pub fn place<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<(&Table, Place), ProbeError> {
        let (table, pieces) = self.find(position)?;
        Ok((table, table.find(&pieces, position.side_to_move())?))
    }

    /// The values that were decoded last: for [`Table::value_at`].
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The table of a position and its pieces.
    #[allow(clippy::type_complexity)]
    fn find<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<(&Table, ArrayVec<PieceSet, { 2 * MAX_TYPES }>), ProbeError> {
        if position.castling_rights() != 0 {
            return Err(ProbeError::Castling);
        }
        self.table_of(position).ok_or_else(|| ProbeError::NoTable(class_of(position).name(self.rules)))
    }

    /// [`find`](TableSet::find) without an error; castling rights are ignored.
    #[allow(clippy::type_complexity)]
    fn table_of<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Option<(&Table, ArrayVec<PieceSet, { 2 * MAX_TYPES }>)> {
        let number = *self.tables.get(&class_of(position))?;
        let mut pieces = ArrayVec::new();
        for side in Side::BOTH {
            for (kind, piece) in self.rules.pieces.iter().enumerate() {
                let squares = position.pieces(side, kind as u8).0;
                if squares != 0 {
                    pieces.push(PieceSet { side, letter: piece.letter as u8, squares });
                }
            }
        }
        Some((&self.open[number], pieces))
    }
}

impl TableSet<'_> {
    /// Whether there is a table for the position. Searchers ask at every node: with too many pieces the answer costs next to
    /// nothing.
    fn reaches<S: RuleSubset, const N: usize>(&self, position: &ChessLike<'_, S, N>) -> bool {
        position.occupied().count() <= self.most_pieces && self.tables.contains_key(&class_of(position))
    }
}

/// The value of a position with a right to capture *en passant*: that of the position without the right, or of the best of
/// these captures. Tables hold no positions with such rights, but all that the captures lead to.
fn with_right<S: RuleSubset, const N: usize, V: Ord>(
    position: &ChessLike<'_, S, N>,
    value: impl Fn(&ChessLike<'_, S, N>) -> Result<V, ProbeError>,
    before: impl Fn(V) -> V,
) -> Result<V, ProbeError> {
    if position.castling_rights() != 0 {
        return Err(ProbeError::Castling);
    }
    let rules = position.rules();
    let sets = Side::BOTH.into_iter().flat_map(|side| {
        (0..rules.type_count() as u8).map(move |kind| (kind, side, position.pieces(side, kind)))
    });
    let without = ChessLike::<S, N>::assemble(rules, position.side_to_move(), sets);
    // Where there is no other move, only the captures count.
    let mut best = if without.outcome().is_some() { None } else { Some(value(&without)?) };
    let flow = position.moves(|mv| {
        if mv.tag() == MoveTag::EnPassant {
            match value(&position.after(mv)) {
                Ok(value) => best = best.take().max(Some(before(value))),
                Err(error) => return ControlFlow::Break(error),
            }
        }
        ControlFlow::Continue(())
    });
    match (flow, best) {
        (ControlFlow::Break(error), _) => Err(error),
        (_, Some(best)) => Ok(best),
        // No piece can capture on the square: the right means nothing.
        (_, None) => value(&without),
    }
}

impl TableSet<'_> {
    /// Whether a value holds in spite of the counter of moves: a draw does, and a win or loss that comes before the
    /// counter can have run out. `distance` is asked only where it matters.
    fn outlasts_clock<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
        outcome: Outcome,
        distance: impl FnOnce() -> Option<u32>,
    ) -> bool {
        let Some(limit) = self.rules.move_rule else { return true };
        let left = u32::from(limit.saturating_sub(position.clock()));
        outcome == Outcome::Draw || self.longest <= left || distance().is_none_or(|plies| plies <= left)
    }
}

/// For searchers: a position without a table, or with one that cannot be read, has no value. Nor has a win or loss that
/// may take longer than the counter of moves allows.
impl<S: RuleSubset, const N: usize> Probe<ChessLike<'_, S, N>> for TableSet<'_> {
    fn probe_wdl(&self, position: &ChessLike<'_, S, N>) -> Option<Outcome> {
        if position.occupied().count() > self.most_pieces {
            return None;
        }
        if position.castling_rights() != 0 || position.en_passant().is_some() {
            let outcome = self.reaches(position).then(|| self.probe_outcome(position).ok())??;
            let distance = || TableSet::probe(self, position).ok()?.distance();
            return self.outlasts_clock(position, outcome, distance).then_some(outcome);
        }
        // One look-up, and no error to format where there is no table: searchers ask at every node.
        let (table, pieces) = self.table_of(position)?;
        let over = position.outcome();
        if over.is_some() {
            return over;
        }
        let outcome = table.probe_wdl(&pieces, position.side_to_move(), &self.cache).ok()?;
        let distance = || TableSet::probe(self, position).ok()?.distance().filter(|_| table.has_distances());
        self.outlasts_clock(position, outcome, distance).then_some(outcome)
    }

    #[inline(never)]
    fn probe(&self, position: &ChessLike<'_, S, N>) -> Option<Value> {
        let value = self.reaches(position).then(|| TableSet::probe(self, position).ok())??;
        self.outlasts_clock(position, value.outcome(), || value.distance()).then_some(value)
    }
}

/// The squares of all pieces of a side and letter, where each group of a table has a set of them.
pub(super) fn pieces_like(table: &Table, sets: &[u64], side: Side, letter: u8) -> u64 {
    let groups = table.index().scheme().groups.iter().zip(sets);
    groups.filter(|(g, _)| (g.side, g.letter) == (side, letter)).fold(0, |all, (_, set)| all | set)
}

/// The class of a position.
fn class_of<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> Class {
    let mut pieces = Pieces::default();
    for side in Side::BOTH {
        let kinds = pieces[side].iter_mut().take(position.rules().type_count());
        for (kind, set) in kinds.enumerate() {
            *set = position.pieces(side, kind as u8);
        }
    }
    Class::from_pieces(&pieces)
}
