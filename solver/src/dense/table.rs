//! A solved table: values of positions, counts, and the check by the rules.

use super::back::Back;
use super::layout::{Layout, Placed};
use super::sweep::{FAR_LOSS, FAR_WIN, ILLEGAL, OPEN, Sweep, after, near, wins};
use super::{Unsuitable, lay_out, plan_of};
use jewel_engine::chesslike::{AnyChessLike, ChessGame, ChessLike, Drops, General, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Value};
use jewel_engine::variant::Rules;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use thiserror::Error;

/// The work was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stopped;

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

/// The values of all positions of a game with hands.
#[derive(Debug)]
pub struct DenseTable<'r> {
    layout: Layout<'r>,
    values: Vec<u8>,
    /// Distances of the cells that are decided too far for a byte, by cell.
    far: Vec<(u64, u16)>,
    /// A bit for each cell that can be reached from the start.
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
    /// Solves a game, on the threads of the current rayon pool, in no more memory than allowed. `report` is told each level,
    /// in plies, and how many cells it decided.
    ///
    /// # Errors
    /// If there can be no table, or the flag was set.
    pub fn solve(
        rules: &'r Rules,
        memory: u64,
        interrupt: &AtomicBool,
        report: &mut dyn FnMut(u32, u64),
    ) -> Result<DenseTable<'r>, Failure> {
        let layout = lay_out(rules)?;
        let needed = plan_of(&layout).memory;
        if needed > memory {
            return Err(Unsuitable::Memory { needed, limit: memory }.into());
        }
        let cells = layout.cells() as usize;
        let words = cells.div_ceil(64);
        let (values, far) = with_subset!(rules, S, N => {
            let mut sweep = Sweep::<S, N> {
                layout: &layout,
                back: Back::new(rules),
                values: (0..cells).map(|_| AtomicU8::new(OPEN)).collect(),
                marks: (0..words).map(|_| AtomicU64::new(0)).collect(),
                dead: (0..words).map(|_| AtomicU64::new(0)).collect(),
                far: vec![],
                interrupt,
                subset: std::marker::PhantomData,
            };
            sweep.run(report)?;
            (sweep.values, sweep.far)
        });
        let mut far = far;
        far.sort_unstable();
        let values = values.into_iter().map(AtomicU8::into_inner).collect();
        let mut table = DenseTable { layout, values, far, reachable: vec![] };
        table.reachable = with_subset!(rules, S, N => table.reach::<S, N>(interrupt)?);
        Ok(table)
    }

    /// The rules that the table is for.
    pub fn rules(&self) -> &'r Rules {
        self.layout.rules
    }

    /// The cells, and how many bytes they take.
    pub fn cells(&self) -> u64 {
        self.layout.cells()
    }

    /// The value of a position; `None` if it is none of the game.
    pub fn value<S: RuleSubset, const N: usize>(&self, position: &ChessLike<'_, S, N>) -> Option<Value> {
        if let Some(outcome) = position.outcome() {
            return Some(Value::from_outcome(outcome));
        }
        self.value_at(self.layout.cell(&Placed::of(position))?)
    }

    fn value_at(&self, cell: u64) -> Option<Value> {
        let byte = self.values[cell as usize];
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
        let reached = |cell: u64| self.reachable[cell as usize / 64] >> (cell % 64) & 1 != 0;
        let best = (0..self.layout.cells())
            .into_par_iter()
            .filter(|&cell| wins(self.values[cell as usize]) == Some(true) && reached(cell))
            .filter_map(|cell| Some((self.value_at(cell)?.distance()?, std::cmp::Reverse(cell))))
            .max()?;
        Some((best.0, self.layout.placed(best.1.0).position(self.layout.rules)))
    }

    /// The cells that the moves from the start lead to.
    fn reach<S: RuleSubset, const N: usize>(&self, interrupt: &AtomicBool) -> Result<Vec<u64>, Stopped> {
        let rules = self.layout.rules;
        let words = self.values.len().div_ceil(64);
        let bits = || -> Vec<AtomicU64> { (0..words).map(|_| AtomicU64::new(0)).collect() };
        let (found, done) = (bits(), bits());
        let start = ChessLike::<S, N>::from_fen(rules, &rules.start).ok();
        if let Some(cell) = start.and_then(|start| self.layout.cell(&Placed::of(&start))) {
            found[cell as usize / 64].fetch_or(1 << (cell % 64), Relaxed);
        }
        loop {
            let more: u64 = (0..words)
                .into_par_iter()
                .with_min_len(256)
                .map(|word| {
                    if interrupt.load(Relaxed) {
                        return Err(Stopped);
                    }
                    let mut expanded = 0;
                    loop {
                        let mut todo = found[word].load(Relaxed) & !done[word].load(Relaxed);
                        if todo == 0 {
                            return Ok(expanded);
                        }
                        done[word].fetch_or(todo, Relaxed);
                        while todo != 0 {
                            let cell = word as u64 * 64 + u64::from(todo.trailing_zeros());
                            todo &= todo - 1;
                            expanded += 1;
                            let placed = self.layout.placed(cell);
                            let position: ChessLike<'r, S, N> = placed.position(rules);
                            if matches!(self.values[cell as usize], 1 | 2) || position.outcome().is_some() {
                                continue;
                            }
                            let _: ControlFlow<()> = position.moves(|mv| {
                                if let Some(child) = self.layout.cell(&after(&self.layout, &placed, mv)) {
                                    found[child as usize / 64].fetch_or(1 << (child % 64), Relaxed);
                                }
                                ControlFlow::Continue(())
                            });
                        }
                    }
                })
                .try_reduce(|| 0, |a, b| Ok(a + b))?;
            if more == 0 {
                break;
            }
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
                let mut rest = self.reachable[word];
                while rest != 0 {
                    let cell = word as u64 * 64 + u64::from(rest.trailing_zeros());
                    rest &= rest - 1;
                    let placed = self.layout.placed(cell);
                    let position: ChessLike<'r, S, N> = placed.position(rules);
                    let open = position.outcome().is_none();
                    let takes = |mv: jewel_engine::chesslike::Move| {
                        royal.is_some_and(|royal| position.pieces(!position.side_to_move(), royal).has(mv.to))
                    };
                    let quiet = open
                        && position
                            .moves(|mv| if takes(mv) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
                            .is_continue();
                    let weights = [u64::from(self.layout.is_first(&placed, cell)), self.layout.weight(&placed)];
                    for (counts, weight) in counts.iter_mut().zip(weights) {
                        match wins(self.values[cell as usize]) {
                            Some(true) => counts.wins += weight,
                            Some(false) => counts.losses += weight,
                            None => counts.draws += weight,
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

    fn check<S: RuleSubset, const N: usize>(&self, step: u64, interrupt: &AtomicBool) -> Result<u64, Failure> {
        let rules = self.layout.rules;
        (0..self.layout.cells().div_ceil(step))
            .into_par_iter()
            .with_min_len(1 << 12)
            .map(|n| {
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
