//! Solving: the levels of the fixpoint.

use super::Stopped;
use super::back::Back;
use super::children::Children;
use super::layout::{Layout, Place};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

/// A position that is not decided: a draw, once nothing changes any more.
pub(super) const OPEN: u8 = 0;
/// No position of a game: it is illegal.
pub(super) const ILLEGAL: u8 = 255;
/// Drawn by rule: the game is over.
pub(super) const DEAD: u8 = 249;
/// Distances up to this are kept in the byte; longer ones beside the table.
pub(super) const NEAR: u32 = 123;
/// A loss and a win of longer distance.
pub(super) const FAR_LOSS: u8 = 251;
/// See [`FAR_LOSS`].
pub(super) const FAR_WIN: u8 = 252;
/// The same, decided in the level that is at work.
const NEW_LOSS: u8 = 253;
const NEW_WIN: u8 = 254;

/// Cells that a thread takes at a time.
pub(super) const RUN: u64 = 1 << 14;
/// Taking moves back from a cell and looking at what they come from takes about as long as looking at this number of open cells.
const BACK_COST: u64 = 12;

/// How many cells a level has decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Decided {
    losses: u64,
    wins: u64,
}

impl Decided {
    fn total(self) -> u64 {
        self.losses + self.wins
    }
}

/// What a level can decide: a win needs a loss that the last level has decided, and a loss needs a win.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    wins: bool,
    losses: bool,
}

/// The byte of a value decided at a level, until the next one begins.
fn byte(win: bool, level: u32) -> u8 {
    match (level <= NEAR, win) {
        (true, _) => 1 + 2 * level as u8 + u8::from(win),
        (false, true) => NEW_WIN,
        (false, false) => NEW_LOSS,
    }
}

/// What a byte says: whether the side to move wins.
#[inline]
pub(super) fn wins(byte: u8) -> Option<bool> {
    match byte {
        OPEN | ILLEGAL | DEAD => None,
        byte => Some(byte % 2 == 0),
    }
}

/// The distance that a byte holds.
pub(super) fn near(byte: u8) -> Option<u32> {
    (byte != OPEN && byte < DEAD).then(|| u32::from(byte - 1) / 2)
}

/// The table while it is solved.
pub(super) struct Sweep<'a, 'r, S, const N: usize> {
    layout: &'a Layout<'r>,
    back: Back<'r>,
    values: &'a [AtomicU8],
    /// A bit for each cell that the next level looks at.
    marks: Vec<AtomicU64>,
    /// Cells decided at longer distances, in order of the distance.
    far: &'a mut Vec<(u64, u16)>,
    interrupt: &'a AtomicBool,
    subset: PhantomData<S>,
}

impl<'a, 'r, S: RuleSubset, const N: usize> Sweep<'a, 'r, S, N> {
    pub(super) fn new(
        layout: &'a Layout<'r>,
        values: &'a [AtomicU8],
        far: &'a mut Vec<(u64, u16)>,
        interrupt: &'a AtomicBool,
    ) -> Self {
        let marks = (0..values.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Sweep { layout, back: Back::new(layout.rules), values, marks, far, interrupt, subset: PhantomData }
    }

    /// Solves from a level on; everything that earlier ones decide is there. `at` is the level at work, and `report` is told
    /// each one that is done with the number of cells that it decided, and says whether to go on. A level that was
    /// interrupted can be done again.
    pub(super) fn run(
        &mut self,
        at: &mut u32,
        report: &mut dyn FnMut(u32, u64) -> bool,
    ) -> Result<(), Stopped> {
        if *at == 0 {
            let decided = self.ends()?;
            *at = 1;
            if !report(0, decided) {
                return Err(Stopped);
            }
        }
        let mut last = self.decided_at(*at - 1)?;
        let mut open = self.count(|byte| byte == OPEN)?;
        loop {
            let level = *at;
            // What has no cell is decided in the first two levels.
            let wanted = Wanted { wins: level < 2 || last.losses > 0, losses: level <= 2 || last.wins > 0 };
            let all = level <= 2 || last.total().saturating_mul(BACK_COST) > open;
            if !all {
                self.mark(level - 1)?;
            }
            self.decide(level, all, wanted)?;
            last = self.decided_at(level)?;
            self.settle(level);
            open = open.saturating_sub(last.total());
            *at = level + 1;
            let go_on = report(level, last.total());
            if last.total() == 0 && level > 2 {
                return Ok(());
            }
            if !go_on {
                return Err(Stopped);
            }
        }
    }

    /// How many cells have a byte that a test holds for.
    fn count(&self, test: impl Fn(u8) -> bool + Sync) -> Result<u64, Stopped> {
        let count = |range: Range<u64>| {
            let values = &self.values[range.start as usize..range.end as usize];
            values.iter().filter(|value| test(value.load(Relaxed))).count() as u64
        };
        self.each_run(count)
    }

    /// How many cells a level has decided.
    fn decided_at(&self, level: u32) -> Result<Decided, Stopped> {
        let [loss, win] = [byte(false, level), byte(true, level)];
        let settled = |far: u8| {
            let there = |&&(cell, distance): &&(u64, u16)| {
                u32::from(distance) == level && self.values[cell as usize].load(Relaxed) == far
            };
            if loss == NEW_LOSS { self.far.iter().filter(there).count() as u64 } else { 0 }
        };
        Ok(Decided {
            losses: settled(FAR_LOSS) + self.count(|byte| byte == loss)?,
            wins: settled(FAR_WIN) + self.count(|byte| byte == win)?,
        })
    }

    fn each_run(&self, work: impl Fn(Range<u64>) -> u64 + Sync) -> Result<u64, Stopped> {
        let cells = self.layout.cells();
        (0..cells.div_ceil(RUN))
            .into_par_iter()
            .map(|run| {
                if self.interrupt.load(Relaxed) {
                    return Err(Stopped);
                }
                Ok(work(run * RUN..cells.min((run + 1) * RUN)))
            })
            .try_reduce(|| 0, |a, b| Ok(a + b))
    }

    /// Level 0: games that are over, and placements that are no positions. And wins of level 1 by capture of a royal piece, which
    /// are many and easily seen.
    fn ends(&self) -> Result<u64, Stopped> {
        let rules = self.layout.rules;
        let may_capture = rules.captured_royal.is_some() && rules.hand.is_none_or(|hand| !hand.compulsory);
        self.each_run(|cells| {
            let (mut decided, mut class) = (0, 0);
            for cell in cells {
                class = self.layout.class_at(cell, class);
                let placed = self.layout.placed_in(class, cell);
                let position: ChessLike<'r, S, N> = placed.position(rules);
                // Of a position on the axis and its mirror image, one has a cell.
                let value = if !self.layout.is_canonical(cell, &placed) || !is_possible(&position) {
                    ILLEGAL
                } else {
                    match position.outcome() {
                        None if may_capture && position.attacks_royal() => byte(true, 1),
                        None => continue,
                        Some(Outcome::Draw) => DEAD,
                        Some(outcome) => {
                            decided += 1;
                            byte(outcome == Outcome::Win, 0)
                        }
                    }
                };
                self.values[cell as usize].store(value, Relaxed);
            }
            decided
        })
    }

    /// Marks the cells from which a move may lead to one that was decided at a level.
    fn mark(&self, level: u32) -> Result<(), Stopped> {
        let wanted = [byte(false, level), byte(true, level)];
        let mark = |cell: u64| {
            self.back.visit(&self.layout.placed(cell), |before| {
                if let Some(before) = self.layout.find(before).cell()
                    && self.values[before as usize].load(Relaxed) == OPEN
                {
                    self.marks[before as usize / 64].fetch_or(1 << (before % 64), Relaxed);
                }
            });
        };
        if level > NEAR {
            let first = self.far.partition_point(|&(_, distance)| u32::from(distance) < level);
            self.far[first..].par_iter().for_each(|&(cell, _)| mark(cell));
            return Ok(());
        }
        self.each_run(|cells| {
            for cell in cells {
                if wanted.contains(&self.values[cell as usize].load(Relaxed)) {
                    mark(cell);
                }
            }
            0
        })?;
        Ok(())
    }

    /// Decides the cells of a level: all that are open, or those that are marked.
    fn decide(&self, level: u32, all: bool, wanted: Wanted) -> Result<(), Stopped> {
        self.each_run(|cells| {
            let mut class = 0;
            let mut visit = |cell: u64| {
                let at = &self.values[cell as usize];
                if at.load(Relaxed) != OPEN {
                    return;
                }
                class = self.layout.class_at(cell, class);
                if let Some(win) = self.look(class, cell, level, wanted) {
                    at.store(byte(win, level), Relaxed);
                }
            };
            if all {
                cells.for_each(visit);
                return 0;
            }
            for word in cells.start / 64..cells.end.div_ceil(64) {
                let mut todo = self.marks[word as usize].swap(0, Relaxed);
                while todo != 0 {
                    visit(word * 64 + u64::from(todo.trailing_zeros()));
                    todo &= todo - 1;
                }
            }
            0
        })?;
        Ok(())
    }

    /// Whether a position wins or loses by what its moves lead to, as far as that was decided before this level.
    fn look(&self, class: u32, cell: u64, level: u32, wanted: Wanted) -> Option<bool> {
        let fresh = [byte(false, level), byte(true, level)];
        let placed = self.layout.placed_in(class, cell);
        let mut children = Children::new(self.layout, class, &placed);
        let position: ChessLike<'r, S, N> = placed.position(self.layout.rules);
        let mut all_lost = true;
        let flow = position.moves(|mv| {
            let value = match children.after(mv) {
                Place::Cell(child) => match self.values[child as usize].load(Relaxed) {
                    byte if fresh.contains(&byte) => None,
                    byte => wins(byte),
                },
                place => match (position.after(mv).outcome(), place) {
                    (Some(outcome), _) => (outcome != Outcome::Draw).then_some(outcome == Outcome::Win),
                    // The capture is a ply: it counts from the second level on.
                    (None, Place::Won) if level > 1 => Some(true),
                    (None, _) => None,
                },
            };
            match value {
                Some(false) => return ControlFlow::Break(Some(true)),
                Some(true) => {}
                None if wanted.wins => all_lost = false,
                None => return ControlFlow::Break(None),
            }
            ControlFlow::Continue(())
        });
        match flow {
            ControlFlow::Break(found) => found,
            ControlFlow::Continue(()) => (all_lost && wanted.losses).then_some(false),
        }
    }

    /// Files what a level decided beyond the distances of a byte.
    fn settle(&mut self, level: u32) {
        if level <= NEAR {
            return;
        }
        let cells = self.layout.cells();
        let values = self.values;
        let mut found: Vec<(u64, u16)> = (0..cells.div_ceil(RUN))
            .into_par_iter()
            .flat_map_iter(|run| {
                (run * RUN..cells.min((run + 1) * RUN)).filter_map(|cell| {
                    let settled = match values[cell as usize].load(Relaxed) {
                        NEW_WIN => FAR_WIN,
                        NEW_LOSS => FAR_LOSS,
                        _ => return None,
                    };
                    values[cell as usize].store(settled, Relaxed);
                    Some((cell, level as u16))
                })
            })
            .collect();
        self.far.append(&mut found);
    }
}

/// Whether a placement is a position of a game: the side that has moved is not in check, and each piece is where its type may
/// be.
pub(super) fn is_possible<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> bool {
    let rules = position.rules();
    !position.in_check(!position.side_to_move())
        && Side::BOTH.iter().all(|&side| {
            (0..rules.type_count() as u8)
                .all(|kind| (position.pieces(side, kind) & !rules.territory(kind, side)).is_empty())
        })
}
