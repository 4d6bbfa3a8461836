//! A solved table: values of positions, counts, and the check by the rules.

use super::layout::{Layout, Place, Placed};
use super::sweep::{FAR_LOSS, FAR_WIN, ILLEGAL, OPEN, Sweep, after, near, wins};
use super::{Stopped, Unsuitable, lay_out};
use jewel_engine::chesslike::{AnyChessLike, ChessGame, ChessLike, Drops, General, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use jewel_engine::variant::Rules;
use rayon::prelude::*;
use std::cmp::Reverse;
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

impl Counts {
    /// The number of positions.
    pub const fn positions(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(self, other: Counts) -> Counts {
        Counts {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            open: self.open + other.open,
            quiet: self.quiet + other.quiet,
        }
    }
}

/// The values of all positions of a game with hands, or as many as are decided so far.
#[derive(Debug)]
pub struct DenseTable<'r> {
    pub(super) layout: Layout<'r>,
    /// The index of all positions: what is decided by the royal pieces alone has a cell too.
    all: Layout<'r>,
    pub(super) values: Vec<AtomicU8>,
    /// Distances of the cells that are decided too far for a byte: in the order of levels, and by cell once solved.
    pub(super) far: Vec<(u64, u16)>,
    /// The level at work; `None` once everything is solved.
    pub(super) level: Option<u32>,
    /// A bit for each position that can be reached from the start, in the index of all; empty until everything is solved.
    reachable: Vec<u64>,
}

/// Runs an expression with the subset of the rules that a game needs.
macro_rules! with_subset {
    ($rules:expr, $S:ident, $N:ident => $body:expr) => {{
        if ChessGame::<Drops, 16>::new($rules).is_some() {
            type $S = Drops;
            const $N: usize = 16;
            $body
        } else if $rules.type_count() <= 8 {
            type $S = General;
            const $N: usize = 8;
            $body
        } else {
            type $S = General;
            const $N: usize = 32;
            $body
        }
    }};
}

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
        Ok(DenseTable { layout, all, values, far: vec![], level: Some(0), reachable: vec![] })
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
        if self.reachable.is_empty() {
            self.reachable = with_subset!(rules, S, N => self.reach::<S, N>(interrupt)?);
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
        if let Some(outcome) = position.outcome() {
            return Some(Value::from_outcome(outcome));
        }
        match self.layout.find(&Placed::of(position)) {
            Place::Cell(cell) => self.value_at(cell),
            Place::Won => Some(Value::Win(1)),
            Place::Nowhere => None,
        }
    }

    fn byte(&self, cell: u64) -> u8 {
        self.values[cell as usize].load(Relaxed)
    }

    fn value_at(&self, cell: u64) -> Option<Value> {
        let byte = self.byte(cell);
        if byte == ILLEGAL {
            return None;
        }
        let Some(win) = wins(byte) else { return Some(Value::Draw) };
        let distance = match byte {
            FAR_WIN | FAR_LOSS => {
                u32::from(self.far[self.far.binary_search_by_key(&cell, |&(cell, _)| cell).ok()?].1)
            }
            byte => near(byte)?,
        };
        Some(if win { Value::Win(distance) } else { Value::Loss(distance) })
    }

    /// The longest win and its position, if any is won; of positions that can be reached from the start.
    pub fn longest_win(&self) -> Option<(u32, AnyChessLike<'r>)> {
        let best = (0..self.reachable.len())
            .into_par_iter()
            .filter_map(|word| {
                let cells = bits(self.reachable[word]).map(|bit| word as u64 * 64 + bit);
                cells.filter_map(|cell| self.won_in(cell).map(|plies| (plies, Reverse(cell)))).max()
            })
            .max()?;
        Some((best.0, self.all.placed(best.1.0).position(self.layout.rules)))
    }

    /// The distance of a win that has a cell of its own; `cell` is that of the index of all positions.
    fn won_in(&self, cell: u64) -> Option<u32> {
        let placed = self.all.placed(cell);
        let own = self.layout.find(&placed).cell()?;
        let Some(Value::Win(plies)) = self.value_at(own) else { return None };
        Some(plies)
    }

    /// The cells that the moves from the start lead to.
    fn reach<S: RuleSubset, const N: usize>(&self, interrupt: &AtomicBool) -> Result<Vec<u64>, Stopped> {
        let rules = self.layout.rules;
        let words = self.all.cells().div_ceil(64) as usize;
        let zeros = || -> Vec<AtomicU64> { (0..words).map(|_| AtomicU64::new(0)).collect() };
        let (found, done) = (zeros(), zeros());
        let mark = |placed: &Placed| {
            if let Some(cell) = self.all.find(placed).cell() {
                found[cell as usize / 64].fetch_or(1 << (cell % 64), Relaxed);
            }
        };
        if let Ok(start) = ChessLike::<S, N>::from_fen(rules, &rules.start) {
            mark(&Placed::of(&start));
        }
        let expand = |cell: u64| {
            let placed = self.all.placed(cell);
            let position: ChessLike<'r, S, N> = placed.position(rules);
            if position.outcome().is_none() {
                let _: ControlFlow<()> = position.moves(|mv| {
                    mark(&after(&self.all, &placed, mv));
                    ControlFlow::Continue(())
                });
            }
        };
        let pass = |word: usize| {
            if interrupt.load(Relaxed) {
                return Err(Stopped);
            }
            let mut expanded = 0;
            loop {
                let todo = found[word].load(Relaxed) & !done[word].load(Relaxed);
                if todo == 0 {
                    return Ok(expanded);
                }
                done[word].fetch_or(todo, Relaxed);
                bits(todo).for_each(|bit| expand(word as u64 * 64 + bit));
                expanded += u64::from(todo.count_ones());
            }
        };
        while (0..words).into_par_iter().with_min_len(256).map(pass).try_reduce(|| 0, |a, b| Ok(a + b))? > 0 {
        }
        Ok(found.into_iter().map(AtomicU64::into_inner).collect())
    }

    /// Counts the positions that can be reached from the start: with mirror images as one position, where the rules know the
    /// mirror, and with mirror images as two. Positions after the capture of a royal piece are in neither.
    pub fn counts(&self) -> [Counts; 2] {
        with_subset!(self.layout.rules, S, N => self.count::<S, N>())
    }

    fn count<S: RuleSubset, const N: usize>(&self) -> [Counts; 2] {
        let rules = self.layout.rules;
        let royal = rules.royal.or(rules.captured_royal);
        (0..self.reachable.len())
            .into_par_iter()
            .map(|word| {
                let mut counts = [Counts::default(); 2];
                for bit in bits(self.reachable[word]) {
                    let placed = self.all.placed(word as u64 * 64 + bit);
                    let position: ChessLike<'r, S, N> = placed.position(rules);
                    let value = self.value(&position);
                    let open = position.outcome().is_none();
                    let takes = |mv: jewel_engine::chesslike::Move| {
                        royal.is_some_and(|royal| position.pieces(!position.side_to_move(), royal).has(mv.to))
                    };
                    let quiet = open
                        && position
                            .moves(
                                |mv| {
                                    if takes(mv) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                                },
                            )
                            .is_continue();
                    let weights = [1, self.all.weight(&placed)];
                    for (counts, weight) in counts.iter_mut().zip(weights) {
                        match value.map(Value::outcome) {
                            Some(Outcome::Win) => counts.wins += weight,
                            Some(Outcome::Loss) => counts.losses += weight,
                            _ => counts.draws += weight,
                        }
                        counts.open += weight * u64::from(open);
                        counts.quiet += weight * u64::from(quiet);
                    }
                }
                counts
            })
            .reduce(Default::default, |a, b| [a[0].add(b[0]), a[1].add(b[1])])
    }

    /// Checks values by the rules: of every cell, or of every `step`-th. Positions and moves come from the rules engine, and the
    /// values after the moves are looked up by position. Returns how many positions were checked.
    ///
    /// # Errors
    /// The first position that is wrong, or an interruption.
    pub fn verify(&self, step: u64, interrupt: &AtomicBool) -> Result<u64, Failure> {
        with_subset!(self.layout.rules, S, N => self.check::<S, N>(step.max(1), interrupt))
    }

    fn check<S: RuleSubset, const N: usize>(
        &self,
        step: u64,
        interrupt: &AtomicBool,
    ) -> Result<u64, Failure> {
        let rules = self.layout.rules;
        (0..self.layout.cells().div_ceil(step) as usize)
            .into_par_iter()
            .with_min_len(1 << 12)
            .map(|n| {
                let n = n as u64;
                if interrupt.load(Relaxed) {
                    return Err(Failure::Interrupted);
                }
                let Some(stored) = self.value_at(n * step) else { return Ok(0) };
                let position: ChessLike<'r, S, N> = self.layout.placed(n * step).position(rules);
                let found = match position.outcome() {
                    Some(outcome) => Value::from_outcome(outcome),
                    None => {
                        let mut best: Option<Value> = None;
                        let _: ControlFlow<()> = position.moves(|mv| {
                            let value = self.value(&position.after(mv)).map(Value::before_opponents_turn);
                            best = best.max(value);
                            ControlFlow::Continue(())
                        });
                        best.unwrap_or(Value::Draw)
                    }
                };
                if found == stored {
                    Ok(1)
                } else {
                    Err(Failure::Value { position: position.to_fen(), stored, found })
                }
            })
            .try_reduce(|| 0, |a, b| Ok(a + b))
    }
}

/// The numbers of the bits of a word.
fn bits(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| u64::from(word.trailing_zeros()))?;
        word &= word - 1;
        Some(bit)
    })
}
