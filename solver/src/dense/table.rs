//! A solved table: values of positions, counts, and the check by the rules.

use super::children::Children;
use super::file::is_far;
use super::layout::{Layout, Place};
use super::placed::Placed;
use super::sweep::{DEAD, ILLEGAL, OPEN, RUN, Sweep, near, wins};
use super::{Stopped, Unsuitable, lay_out};
use jewel_engine::ability::Probe;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{AnyChessLike, ChessGame, ChessLike, Drops, General, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::prefetch::prefetch;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use std::cmp::Reverse;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use thiserror::Error;

/// Why there is no table, or it is not right.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// There can be none.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
    /// The cell after a move is not that of the position after it, or is taken for illegal.
    #[error(
        "{position}: the cell after a move is not that of the position after it, or is taken for illegal"
    )]
    Cell {
        /// The position string before the move.
        position: String,
    },
    /// A value disagrees with the rules and the values after the moves.
    #[error("{position}: the table says {stored}, the moves say {found}")]
    Value {
        /// The position string.
        position: String,
        /// The value in the table.
        stored: Value,
        /// The value by the rules and the values after the moves.
        found: Value,
    },
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Failure {
        Failure::Interrupted
    }
}

/// How many positions are won, drawn and lost for the side to move. Positions that differ by an exchange of sides are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Won positions.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Lost positions.
    pub losses: u64,
    /// Of all these, the positions in which the game goes on.
    pub open: u64,
    /// Of these, the positions in which no move captures a royal piece.
    pub quiet: u64,
}

/// The positions that can be reached from the start: with mirror images as one position, where the rules know the mirror, and
/// with mirror images as two. Positions after the capture of a royal piece are in none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// All of them.
    pub every: [Counts; 2],
    /// Those that can be reached if a royal piece is captured as soon as it can be, in a game where it is captured.
    pub at_once: Option<[Counts; 2]>,
}

impl Counts {
    /// The number of positions.
    pub const fn positions(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(self, other: Counts, times: u64) -> Counts {
        Counts {
            wins: self.wins + other.wins * times,
            draws: self.draws + other.draws * times,
            losses: self.losses + other.losses * times,
            open: self.open + other.open * times,
            quiet: self.quiet + other.quiet * times,
        }
    }
}

/// The values of all positions of a game with hands, or as many as are decided so far.
#[derive(Debug)]
pub struct DenseTable<'r> {
    pub(super) layout: Layout<'r>,
    /// The index of all positions: what is decided by the royal pieces alone has a cell too.
    pub(super) all: Layout<'r>,
    pub(super) values: Vec<AtomicU8>,
    /// Distances of the cells that are decided too far for a byte: in the order of levels, and by cell once solved.
    pub(super) far: Vec<(u64, u16)>,
    /// The level at work; `None` once everything is solved.
    pub(super) level: Option<u32>,
    /// A bit for each position that can be reached from the start, in the index of all; empty until they are asked for.
    pub(super) reachable: Vec<u64>,
    /// The same for those that can be reached if a royal piece is captured as soon as it can be.
    pub(super) at_once: Vec<u64>,
}

/// Runs an expression with the subset of the rules that a game needs.
macro_rules! with_subset {
    ($rules:expr, $S:ident, $N:ident => $body:expr) => {{
        if ChessGame::<Drops, 8>::new($rules).is_some() {
            type $S = Drops;
            const $N: usize = 8;
            $body
        } else if ChessGame::<Drops, 16>::new($rules).is_some() {
            type $S = Drops;
            const $N: usize = 16;
            $body
        } else {
            type $S = General;
            const $N: usize = 32;
            $body
        }
    }};
}
pub(super) use with_subset;

impl<'r> DenseTable<'r> {
    /// A table in which nothing is decided yet.
    ///
    /// # Errors
    /// If there can be none, or it takes more memory than allowed.
    pub fn new(rules: &'r Rules, memory: u64) -> Result<DenseTable<'r>, Unsuitable> {
        let layout = lay_out(rules, false)?;
        let needed = super::plan(rules)?.memory;
        if needed > memory {
            return Err(Unsuitable::Memory { needed, limit: memory });
        }
        let cells = layout.cells() as usize;
        let mut values = Vec::new();
        let room = values.try_reserve_exact(cells);
        room.map_err(|_| Unsuitable::Memory { needed, limit: memory })?;
        values.extend((0..cells).map(|_| AtomicU8::new(OPEN)));
        let all = lay_out(rules, true)?;
        Ok(DenseTable {
            layout,
            all,
            values,
            far: vec![],
            level: Some(0),
            reachable: vec![],
            at_once: vec![],
        })
    }

    /// Solves the game, or goes on, on the threads of the current rayon pool. `report` is told each level, in plies, and how
    /// many cells it decided, and says whether to go on. After an interruption, the same call goes on.
    ///
    /// # Errors
    /// If the flag was set, or `report` has said no.
    pub fn solve(
        &mut self,
        interrupt: &AtomicBool,
        report: &mut dyn FnMut(u32, u64) -> bool,
    ) -> Result<(), Failure> {
        let rules = self.layout.rules;
        if let Some(mut level) = self.level {
            let solved = with_subset!(rules, S, N => {
                Sweep::<S, N>::new(&self.layout, &self.values, &mut self.far, interrupt).run(&mut level, report)
            });
            self.level = Some(level);
            solved?;
            self.far.sort_unstable();
            self.level = None;
        }
        Ok(())
    }

    /// Finds the positions that can be reached from the start, for [`counts`](DenseTable::counts) and
    /// [`longest_win`](DenseTable::longest_win).
    ///
    /// # Errors
    /// If the flag was set.
    pub fn reach(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        if self.reachable.is_empty() {
            [self.reachable, self.at_once] =
                with_subset!(self.layout.rules, S, N => self.reachable::<S, N>(true, interrupt)?);
        }
        Ok(())
    }

    /// Finds only those that can be reached if a royal piece is captured as soon as it can be, which takes a fraction of the
    /// time; none in a game where none is captured.
    ///
    /// # Errors
    /// If the flag was set.
    pub fn reach_at_once(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        if self.at_once.is_empty() && self.layout.rules.captured_royal.is_some() {
            [_, self.at_once] =
                with_subset!(self.layout.rules, S, N => self.reachable::<S, N>(false, interrupt)?);
        }
        Ok(())
    }

    /// The rules that the table is for.
    pub fn rules(&self) -> &'r Rules {
        self.layout.rules
    }

    /// Whether everything is solved.
    pub fn is_solved(&self) -> bool {
        self.level.is_none()
    }

    /// The number of cells, which is also the bytes that they take.
    pub fn cells(&self) -> u64 {
        self.layout.cells()
    }

    /// The value of a position; `None` if it is none of the game. Of a table that is not solved, draws say nothing.
    pub fn value<S: RuleSubset, const N: usize>(&self, position: &ChessLike<'_, S, N>) -> Option<Value> {
        match cell_or_value(&self.layout, position) {
            Ok(cell) => self.value_at(cell),
            Err(value) => value,
        }
    }

    fn byte(&self, cell: u64) -> u8 {
        self.values[cell as usize].load(Relaxed)
    }

    pub(super) fn value_at(&self, cell: u64) -> Option<Value> {
        value_of(self.byte(cell), || {
            Some(self.far[self.far.binary_search_by_key(&cell, |&(cell, _)| cell).ok()?].1)
        })
    }

    /// The longest win among all cells and its position, if any is won.
    pub fn longest_of_cells(&self) -> Option<(u32, AnyChessLike<'r>)> {
        let cells = self.layout.cells();
        let see = |best: &mut Option<_>, run: usize| {
            let run = run as u64;
            let won = (run * RUN..cells.min((run + 1) * RUN)).filter_map(|cell| match self.value_at(cell) {
                Some(Value::Win(plies)) => Some((plies, Reverse(cell))),
                _ => None,
            });
            *best = won.max().max(*best);
            Ok::<(), Infallible>(())
        };
        let Ok(best) = parallel::fold(cells.div_ceil(RUN) as usize, || None, see, Ord::max);
        let (plies, cell) = best?;
        Some((plies, self.hashed(&self.layout.placed(cell.0))))
    }

    /// How many cells hold won, drawn and lost positions.
    pub fn cell_counts(&self) -> [u64; 3] {
        let count = |values: &[AtomicU8]| {
            let mut counts = [0; 3];
            for value in values {
                match value.load(Relaxed) {
                    ILLEGAL => (),
                    byte => counts[wins(byte).map_or(1, |won| if won { 0 } else { 2 })] += 1,
                }
            }
            counts
        };
        let sum = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        parallel::map_chunks(&self.values, RUN as usize, count).into_iter().fold([0; 3], sum)
    }

    /// The longest win and its position, if any is won; of positions that can be [reached](DenseTable::reach) from the start.
    pub fn longest_win(&self) -> Option<(u32, AnyChessLike<'r>)> {
        let longest = |word: usize| {
            let mut class = 0;
            let cells = bits(self.reachable[word]).map(|bit| word as u64 * 64 + bit);
            let won = cells.filter_map(|cell| {
                class = self.all.class_at(cell, class);
                let own = self.all.in_other(&self.layout, class, cell).cell()?;
                let Some(Value::Win(plies)) = self.value_at(own) else { return None };
                Some((plies, Reverse(cell)))
            });
            won.max()
        };
        let see = |best: &mut Option<_>, word| {
            *best = (*best).max(longest(word));
            Ok::<(), Infallible>(())
        };
        let Ok(best) = parallel::fold(self.reachable.len(), || None, see, Ord::max);
        let best = best?;
        Some((best.0, self.hashed(&self.all.placed(best.1.0))))
    }

    /// A position that may be shown and compared.
    pub(super) fn hashed(&self, placed: &Placed<32>) -> AnyChessLike<'r> {
        let rules = self.layout.rules;
        let of = |side: Side| (0..rules.type_count()).map(move |kind| (side, kind));
        let each = || Side::BOTH.into_iter().flat_map(of);
        let board = each().map(|(side, kind)| (kind as u8, side, Bitboard(placed.board[side.index()][kind])));
        let hands = each().map(|(side, kind)| (side, kind as u8, placed.hand[side.index()][kind]));
        AnyChessLike::assemble(rules, placed.turn, board).with_hands(hands)
    }

    /// The cells that the moves from the start lead to, if `every` one is wanted, and those that they lead to if a royal piece is
    /// captured as soon as it can be (none in a game where none is captured).
    fn reachable<S: RuleSubset, const N: usize>(
        &self,
        every: bool,
        interrupt: &AtomicBool,
    ) -> Result<[Vec<u64>; 2], Stopped> {
        let rules = self.layout.rules;
        let words = self.all.cells().div_ceil(64) as usize;
        let zeros = |words: usize| -> Vec<AtomicU64> { (0..words).map(|_| AtomicU64::new(0)).collect() };
        let (found, done) = (zeros(words), zeros(words));
        let captured = rules.captured_royal.is_some();
        let held = zeros(if captured { words } else { 0 });
        if let Ok(start) = ChessLike::<S, N>::from_fen(rules, &rules.start)
            && let Some(cell) = self.all.find(&Placed::of(&start)).cell()
        {
            found[cell as usize / 64].fetch_or(1 << (cell % 64), Relaxed);
        }
        let expand = |class: u32, placed: &Placed<N>, position: &ChessLike<'r, S, N>| {
            if position.outcome().is_some() {
                return;
            }
            let mut children = Children::new(&self.all, class, placed);
            let _: ControlFlow<()> = position.moves(|mv| {
                if let Some(cell) = children.after(mv).cell() {
                    let (word, bit) = (&found[cell as usize / 64], 1 << (cell % 64));
                    if word.load(Relaxed) & bit == 0 {
                        word.fetch_or(bit, Relaxed);
                    }
                }
                ControlFlow::Continue(())
            });
        };
        // Expands what was found, or holds back the positions in which a royal piece can be captured.
        let pass = |word: usize, hold: bool| {
            if interrupt.load(Relaxed) {
                return Err(Stopped);
            }
            let (mut expanded, mut class) = (0, 0);
            loop {
                let back = if hold { held[word].load(Relaxed) } else { 0 };
                let todo = found[word].load(Relaxed) & !done[word].load(Relaxed) & !back;
                if todo == 0 {
                    return Ok(expanded);
                }
                expanded += u64::from(todo.count_ones());
                for bit in bits(todo) {
                    let cell = word as u64 * 64 + bit;
                    class = self.all.class_at(cell, class);
                    let placed = self.all.placed_in(class, cell);
                    let position = placed.position(rules);
                    if hold && ChessLike::<S, N>::attacks_royal(&position) {
                        held[word].fetch_or(1 << bit, Relaxed);
                    } else {
                        done[word].fetch_or(1 << bit, Relaxed);
                        expand(class, &placed, &position);
                    }
                }
            }
        };
        let spread = |hold: bool| {
            let see = |expanded: &mut u64, word| {
                *expanded += pass(word, hold)?;
                Ok(())
            };
            while parallel::fold(words, || 0, see, |a, b| a + b)? > 0 {}
            Ok(())
        };
        if captured {
            spread(true)?;
            let words = |run: usize| run * RUN as usize..words.min((run + 1) * RUN as usize);
            parallel::each(held.len().div_ceil(RUN as usize), |run| {
                held[words(run)].iter().zip(&done[words(run)]).for_each(|(held, done)| {
                    held.fetch_or(done.load(Relaxed), Relaxed);
                });
            });
        }
        let found = if every {
            spread(false)?;
            found
        } else {
            vec![]
        };
        Ok([found, held].map(|set| set.into_iter().map(AtomicU64::into_inner).collect()))
    }

    /// Counts the positions that can be [reached](DenseTable::reach) from the start.
    pub fn counts(&self) -> Reached {
        with_subset!(self.layout.rules, S, N => self.count::<S, N>())
    }

    fn count<S: RuleSubset, const N: usize>(&self) -> Reached {
        let rules = self.layout.rules;
        let in_word = |word: usize| {
            let (mut counts, mut class) = ([[Counts::default(); 2]; 2], 0);
            for bit in bits(self.reachable[word]) {
                let cell = word as u64 * 64 + bit;
                class = self.all.class_at(cell, class);
                let placed = self.all.placed_in(class, cell);
                let position = || -> ChessLike<'r, S, N> { placed.position(rules) };
                let (value, open) = match self.all.in_other(&self.layout, class, cell) {
                    Place::Cell(own) => {
                        let value = self.value_at(own).unwrap_or(Value::Draw);
                        (value, !matches!(value, Value::Win(0) | Value::Loss(0)) && self.byte(own) != DEAD)
                    }
                    _ => match position().outcome() {
                        Some(outcome) => (Value::from_outcome(outcome), false),
                        None => (Value::Win(1), true),
                    },
                };
                // A royal piece that can be captured is a win in 1.
                let captured = rules.captured_royal.is_some() && value == Value::Win(1);
                let one = Counts {
                    wins: u64::from(value.outcome() == Outcome::Win),
                    draws: u64::from(value.outcome() == Outcome::Draw),
                    losses: u64::from(value.outcome() == Outcome::Loss),
                    open: u64::from(open),
                    quiet: u64::from(open && !(captured && position().attacks_royal())),
                };
                let weight = self.all.weight(&placed);
                let at_once = self.at_once.get(word).is_some_and(|set| set >> bit & 1 != 0);
                for counts in counts.iter_mut().take(1 + usize::from(at_once)) {
                    *counts = [counts[0].add(one, 1), counts[1].add(one, weight)];
                }
            }
            counts
        };
        let sum = |a: [[Counts; 2]; 2], b: [[Counts; 2]; 2]| {
            [0, 1].map(|set: usize| [0, 1].map(|images: usize| a[set][images].add(b[set][images], 1)))
        };
        let see = |counts: &mut [[Counts; 2]; 2], word| {
            *counts = sum(std::mem::take(counts), in_word(word));
            Ok::<(), Infallible>(())
        };
        let Ok([every, at_once]) = parallel::fold(self.reachable.len(), Default::default, see, sum);
        Reached { every, at_once: rules.captured_royal.map(|_| at_once) }
    }

    /// Checks values by the rules: of every cell, or of every `step`-th. Positions, moves and results come from the rules engine.
    /// The cell after a move is found as solving finds it; for one position in 64 it is looked up by the position after the move
    /// too. Returns how many positions were checked.
    ///
    /// # Errors
    /// The first position that is wrong, or an interruption.
    pub fn verify(&self, step: u64, interrupt: &AtomicBool) -> Result<u64, Failure> {
        self.verify_from(0, step, interrupt)
    }

    /// [`verify`](DenseTable::verify) from the cell `first` on.
    ///
    /// # Errors
    /// As there.
    pub fn verify_from(&self, first: u64, step: u64, interrupt: &AtomicBool) -> Result<u64, Failure> {
        with_subset!(self.layout.rules, S, N => self.check::<S, N>(first, step.max(1), interrupt))
    }

    /// The value of a position by its moves and the values after them.
    #[inline]
    fn value_by_moves<S: RuleSubset, const N: usize>(
        &self,
        class: u32,
        cell: u64,
        position: &ChessLike<'r, S, N>,
        placed: &Placed<N>,
        stored: Value,
        later: &mut Vec<u64>,
    ) -> Result<Value, Failure> {
        let mut children = Children::new(&self.layout, class, placed);
        let mut best: Option<Value> = None;
        later.clear();
        // Some cells, whatever the step.
        let twice = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58 == 0;
        let flow = position.moves(|mv| {
            let place = children.after(mv);
            if twice && self.layout.find(&Placed::of(&position.after(mv))) != place {
                return ControlFlow::Break(false);
            }
            let value = match place {
                // Most positions that are won in a ply are left soon; for others all cells are asked for before one is read.
                Place::Cell(child) if stored != Value::Win(1) => {
                    prefetch(&self.values[child as usize]);
                    later.push(child);
                    return ControlFlow::Continue(());
                }
                Place::Cell(child) => self.value_at(child),
                place => {
                    let over = position.after(mv).outcome().map(Value::from_outcome);
                    over.or((place == Place::Won).then_some(Value::Win(1)))
                }
            };
            // What a move leads to is a position.
            let Some(value) = value else { return ControlFlow::Break(false) };
            best = best.max(Some(value.before_opponents_turn()));
            // Nothing is better than to win at once.
            if best == Some(Value::Win(1)) { ControlFlow::Break(true) } else { ControlFlow::Continue(()) }
        });
        let wrong = || Failure::Cell { position: position.to_fen() };
        if flow == ControlFlow::Break(false) {
            return Err(wrong());
        }
        for &child in &*later {
            let value = self.value_at(child).ok_or_else(wrong)?;
            best = best.max(Some(value.before_opponents_turn()));
        }
        Ok(best.unwrap_or(Value::Draw))
    }

    fn check<S: RuleSubset, const N: usize>(
        &self,
        first: u64,
        step: u64,
        interrupt: &AtomicBool,
    ) -> Result<u64, Failure> {
        let rules = self.layout.rules;
        let cells = self.layout.cells().saturating_sub(first).div_ceil(step);
        let one = |class: u32, cell: u64, later: &mut Vec<u64>| {
            let Some(stored) = self.value_at(cell) else { return Ok(0) };
            let placed: Placed<N> = self.layout.placed_in(class, cell);
            let position: ChessLike<'r, S, N> = placed.position(rules);
            let found = match position.outcome() {
                Some(outcome) => Value::from_outcome(outcome),
                None => self.value_by_moves(class, cell, &position, &placed, stored, later)?,
            };
            if found == stored {
                Ok(1)
            } else {
                Err(Failure::Value { position: position.to_fen(), stored, found })
            }
        };
        let check = |checked: &mut u64, run: usize| {
            let run = run as u64;
            if interrupt.load(Relaxed) {
                return Err(Failure::Interrupted);
            }
            let (mut class, mut later) = (0, vec![]);
            for cell in (run * RUN..cells.min((run + 1) * RUN)).map(|n| first + n * step) {
                class = self.layout.class_at(cell, class);
                *checked += one(class, cell, &mut later)?;
            }
            Ok(())
        };
        parallel::fold(cells.div_ceil(RUN) as usize, || 0, check, |a, b| a + b)
    }
}

/// The cell of a position, or else its value; `None` if it is no position of the game.
pub(super) fn cell_or_value<S: RuleSubset, const N: usize>(
    layout: &Layout<'_>,
    position: &ChessLike<'_, S, N>,
) -> Result<u64, Option<Value>> {
    let over = || position.outcome().map(Value::from_outcome);
    match layout.find(&Placed::of(position)) {
        Place::Cell(cell) => Ok(cell),
        Place::Won => Err(over().or(Some(Value::Win(1)))),
        Place::Nowhere => Err(over()),
    }
}

/// The value that a byte stands for, if it is one of a position; `far` finds the distance if it is not in the byte.
pub(super) fn value_of(byte: u8, far: impl FnOnce() -> Option<u16>) -> Option<Value> {
    if byte == ILLEGAL {
        return None;
    }
    let Some(win) = wins(byte) else { return Some(Value::Draw) };
    let distance = if is_far(byte) { far()?.into() } else { near(byte)? };
    Some(if win { Value::Win(distance) } else { Value::Loss(distance) })
}

/// For searchers: a table that is not solved knows no value.
impl<S: RuleSubset, const N: usize> Probe<ChessLike<'_, S, N>> for DenseTable<'_> {
    fn probe_wdl(&self, position: &ChessLike<'_, S, N>) -> Option<Outcome> {
        Probe::probe(self, position).map(Value::outcome)
    }

    fn probe(&self, position: &ChessLike<'_, S, N>) -> Option<Value> {
        if self.is_solved() { self.value(position) } else { None }
    }
}

/// The numbers of the bits of a word.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| u64::from(word.trailing_zeros()))?;
        word &= word - 1;
        Some(bit)
    })
}
