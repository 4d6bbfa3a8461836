//! Solving: the levels of the fixpoint.

use super::back::Back;
use super::layout::{Layout, Placed};
use super::table::Stopped;
use jewel_engine::chesslike::{ChessLike, MoveTag, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Captures;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

/// A position that is not decided: a draw, once nothing changes any more.
pub(super) const OPEN: u8 = 0;
/// No position of a game: it is illegal.
pub(super) const ILLEGAL: u8 = 255;
/// Distances up to this are kept in the byte; longer ones beside the table.
pub(super) const NEAR: u32 = 124;
/// A loss and a win of longer distance.
pub(super) const FAR_LOSS: u8 = 251;
/// See [`FAR_LOSS`].
pub(super) const FAR_WIN: u8 = 252;
/// The same, decided in the level that is at work.
const NEW_LOSS: u8 = 253;
const NEW_WIN: u8 = 254;

/// Cells that a thread takes at a time.
const RUN: u64 = 1 << 14;

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
        OPEN | ILLEGAL => None,
        byte => Some(byte % 2 == 0),
    }
}

/// The distance that a byte holds.
pub(super) fn near(byte: u8) -> Option<u32> {
    (byte != OPEN && byte < FAR_LOSS).then(|| u32::from(byte - 1) / 2)
}

/// The table while it is solved.
pub(super) struct Sweep<'a, 'r, S, const N: usize> {
    pub(super) layout: &'a Layout<'r>,
    pub(super) back: Back<'r>,
    pub(super) values: Vec<AtomicU8>,
    /// A bit for each cell that the next level looks at.
    pub(super) marks: Vec<AtomicU64>,
    /// Cells decided at longer distances, in order of the distance.
    pub(super) far: Vec<(u64, u16)>,
    /// Drawn by rule: they look like open ones, and no level decides them.
    pub(super) dead: Vec<AtomicU64>,
    pub(super) interrupt: &'a AtomicBool,
    pub(super) subset: std::marker::PhantomData<S>,
}

impl<'r, S: RuleSubset, const N: usize> Sweep<'_, 'r, S, N> {
    /// Solves everything. `report` is told each level with the number of cells that it decided.
    pub(super) fn run(&mut self, report: &mut dyn FnMut(u32, u64)) -> Result<(), Stopped> {
        let mut last = self.ends()?;
        report(0, last);
        let mut open = self.each_run(|cells| cells.filter(|&cell| self.values[cell as usize].load(Relaxed) == OPEN).count() as u64)?;
        let mut level = 1;
        while last > 0 || level == 1 {
            // A move is taken back in as much time as four positions take that are looked at until something is found.
            let all = level == 1 || last.saturating_mul(4) > open;
            if !all {
                self.mark(level - 1)?;
            }
            last = self.decide(level, all)?;
            self.settle(level)?;
            open -= last;
            report(level, last);
            level += 1;
        }
        Ok(())
    }

    fn each_run(&self, work: impl Fn(std::ops::Range<u64>) -> u64 + Sync) -> Result<u64, Stopped> {
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

    /// Level 0: games that are over, and placements that are no positions.
    fn ends(&self) -> Result<u64, Stopped> {
        self.each_run(|cells| {
            let mut decided = 0;
            for cell in cells {
                let placed = self.layout.placed(cell);
                let position: ChessLike<'r, S, N> = placed.position(self.layout.rules);
                let value = if !is_possible(&position) {
                    ILLEGAL
                } else {
                    match position.outcome() {
                        None => continue,
                        Some(Outcome::Draw) => {
                            self.dead[cell as usize / 64].fetch_or(1 << (cell % 64), Relaxed);
                            continue;
                        }
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
                if let Some(before) = self.layout.cell(before)
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
    fn decide(&self, level: u32, all: bool) -> Result<u64, Stopped> {
        let fresh = [byte(false, level), byte(true, level)];
        self.each_run(|cells| {
            let mut decided = 0;
            let mut visit = |cell: u64| {
                let at = &self.values[cell as usize];
                if at.load(Relaxed) == OPEN
                    && let Some(win) = self.look(cell, fresh)
                {
                    at.store(byte(win, level), Relaxed);
                    decided += 1;
                }
            };
            for word in cells.start / 64..cells.end.div_ceil(64) {
                let dead = self.dead[word as usize].load(Relaxed);
                let marks = self.marks[word as usize].swap(0, Relaxed);
                let mut todo = if all { !dead } else { marks & !dead };
                while todo != 0 {
                    let cell = word * 64 + u64::from(todo.trailing_zeros());
                    if cell >= cells.end {
                        break;
                    }
                    visit(cell);
                    todo &= todo - 1;
                }
            }
            decided
        })
    }

    /// Whether a position wins or loses by what its moves lead to, as far as that was decided before this level.
    fn look(&self, cell: u64, fresh: [u8; 2]) -> Option<bool> {
        let placed = self.layout.placed(cell);
        let position: ChessLike<'r, S, N> = placed.position(self.layout.rules);
        let mut all_lost = true;
        let flow = position.moves(|mv| {
            let value = match self.layout.cell(&self.after(&placed, mv)) {
                Some(child) => match self.values[child as usize].load(Relaxed) {
                    byte if fresh.contains(&byte) => None,
                    byte => wins(byte),
                },
                // A royal piece was captured: the game is over.
                None => match position.after(mv).outcome() {
                    Some(Outcome::Win) => Some(true),
                    Some(Outcome::Loss) => Some(false),
                    _ => None,
                },
            };
            match value {
                Some(false) => return ControlFlow::Break(()),
                Some(true) => {}
                None => all_lost = false,
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() { Some(true) } else { all_lost.then_some(false) }
    }

    /// Where the pieces are after a move.
    #[inline]
    pub(super) fn after(&self, placed: &Placed, mv: jewel_engine::chesslike::Move) -> Placed {
        after(self.layout, placed, mv)
    }

    /// Files what a level decided beyond the distances of a byte.
    fn settle(&mut self, level: u32) -> Result<(), Stopped> {
        if level <= NEAR {
            return Ok(());
        }
        let cells = self.layout.cells();
        let values = &self.values;
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
        Ok(())
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

/// Where the pieces are after a move.
#[inline]
pub(super) fn after(layout: &Layout<'_>, placed: &Placed, mv: jewel_engine::chesslike::Move) -> Placed {
    let (u, t) = (placed.turn.index(), 1 - placed.turn.index());
    let rules = layout.rules;
    let mut next = Placed { turn: !placed.turn, ..*placed };
    let to = mv.to.bit().0;
    if mv.tag() == MoveTag::Drop {
        let held = rules.dropped_from(mv.kind).unwrap_or(mv.kind);
        next.hand[u][usize::from(held)] -= 1;
        next.board[u][usize::from(mv.kind)] |= to;
        return next;
    }
    if let Some(prey) = next.board[t].iter().position(|set| set & to != 0) {
        next.board[t][prey] &= !to;
        let owner = match rules.hand.map(|hand| hand.captures) {
            Some(Captures::Captor) => Some(u),
            Some(Captures::Owner) => Some(t),
            _ => None,
        };
        if let (Some(owner), Some(held)) = (owner, rules.in_hand(prey as u8)) {
            next.hand[owner][usize::from(held)] += 1;
        }
    }
    next.board[u][usize::from(mv.kind)] &= !mv.from.bit().0;
    next.board[u][usize::from(mv.becomes())] |= to;
    next
}
