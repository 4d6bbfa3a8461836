//! Solving: the levels of the fixpoint.

use super::Stopped;
use super::back::{Back, Parent, Parents};
use super::children::Children;
use super::layout::{Layout, Place};
use super::placed::Placed;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::prefetch::prefetch;
use jewel_engine::value::{Outcome, Side};
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

/// A position that is not decided: a draw, once nothing changes any more.
pub(super) const OPEN: u8 = 0;
/// While the table is solved, bytes up to this are open too. They say how many moves to positions that the opponent wins may
/// still be found before it is worth a look whether all moves are.
const MAX_WAIT: u8 = 31;
/// The byte of a loss in 0 plies; then come the win in 0, the loss in 1, and so on.
const FIRST: u8 = MAX_WAIT + 1;
/// Distances up to this are kept in the byte; longer ones beside the table.
pub(super) const NEAR: u32 = if cfg!(test) { 5 } else { 108 };
/// Drawn by rule: the game is over.
pub(super) const DEAD: u8 = 250;
/// A win and a loss of longer distance.
pub(super) const FAR_WIN: u8 = 251;
/// See [`FAR_WIN`].
pub(super) const FAR_LOSS: u8 = 252;
/// The same, decided in the level that is at work.
const NEW_WIN: u8 = 253;
const NEW_LOSS: u8 = 254;
/// No position of a game: it is illegal.
pub(super) const ILLEGAL: u8 = 255;

const _: () = assert!(FIRST as u32 + 2 * NEAR + 1 < DEAD as u32);

/// Cells that a thread takes at a time.
pub(super) const RUN: u64 = 1 << 14;
/// Cells that are noted together as touched by a level.
const LINE: u64 = 64;

/// The byte of a value decided at a level, until the next one begins.
fn byte(win: bool, level: u32) -> u8 {
    match (level <= NEAR, win) {
        (true, _) => FIRST + 2 * level as u8 + u8::from(win),
        (false, true) => NEW_WIN,
        (false, false) => NEW_LOSS,
    }
}

/// What a byte says: whether the side to move wins.
#[inline]
pub(super) fn wins(byte: u8) -> Option<bool> {
    match byte {
        0..=MAX_WAIT | ILLEGAL | DEAD => None,
        byte => Some(byte % 2 == 1),
    }
}

/// The distance that a byte holds.
pub(super) fn near(byte: u8) -> Option<u32> {
    (FIRST..DEAD).contains(&byte).then(|| u32::from(byte - FIRST) / 2)
}

/// What a look at the moves of a position has found.
enum Found {
    Decided(bool),
    /// The number of positions that moves lead to and that are not decided; at least one.
    Open(usize),
}

/// Lines of cells of which one was decided at a level.
struct Touched(Vec<AtomicU64>);

impl Touched {
    fn new(cells: u64, all: bool) -> Touched {
        let lines = cells.div_ceil(LINE);
        let word = if all { u64::MAX } else { 0 };
        Touched((0..lines.div_ceil(64)).map(|_| AtomicU64::new(word)).collect())
    }

    #[inline]
    fn note(&self, cell: u64) {
        let line = cell / LINE;
        let (word, bit) = (&self.0[line as usize / 64], 1 << (line % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// The cells of touched lines among those of a run, which begins with a line.
    fn cells(&self, run: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let lines = run.start / LINE..run.end.div_ceil(LINE);
        lines.filter_map(move |line| {
            let touched = self.0[line as usize / 64].load(Relaxed) >> (line % 64) & 1 != 0;
            touched.then(|| line * LINE..run.end.min((line + 1) * LINE))
        })
    }
}

/// The table while it is solved.
pub(super) struct Sweep<'a, 'r, S, const N: usize> {
    layout: &'a Layout<'r>,
    back: Back,
    values: &'a [AtomicU8],
    /// The lines that the last level has touched, and those that the one at work touches.
    touched: [Touched; 2],
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
        // What an earlier run has touched is not known.
        let touched = [true; 2].map(|all| Touched::new(layout.cells(), all));
        let back = Back::new(layout.rules);
        Sweep { layout, back, values, touched, far, interrupt, subset: PhantomData }
    }

    /// Solves from a level on; everything that earlier ones decide is there. `at` is the level at work, and `report` is told
    /// each one that is done with the number of cells that it decided, and says whether to go on. A level that was
    /// interrupted can be done again.
    pub(super) fn run(
        &mut self,
        at: &mut u32,
        report: &mut dyn FnMut(u32, u64) -> bool,
    ) -> Result<(), Stopped> {
        loop {
            let level = *at;
            match level {
                0 => self.ends()?,
                // Moves taken back do not find positions whose moves lead to positions without a cell.
                2 => self.look_at_all(level)?,
                _ => self.take_back(level)?,
            }
            let decided = self.decided_at(level)?;
            self.settle(level);
            self.touched.swap(0, 1);
            // The ends decide a part of the first level too, anywhere.
            if level > 0 {
                self.touched[1].clear();
            }
            *at = level + 1;
            let go_on = report(level, decided);
            if decided == 0 && level > 2 {
                // How long open cells would have waited says nothing any more.
                self.each_run(|cells| {
                    for value in &self.values[cells.start as usize..cells.end as usize] {
                        if value.load(Relaxed) <= MAX_WAIT {
                            value.store(OPEN, Relaxed);
                        }
                    }
                    Ok(())
                })?;
                return Ok(());
            }
            if !go_on {
                return Err(Stopped);
            }
        }
    }

    fn value(&self, cell: u64) -> &AtomicU8 {
        &self.values[cell as usize]
    }

    /// How many cells the level at work has decided.
    fn decided_at(&self, level: u32) -> Result<u64, Stopped> {
        let fresh = [byte(false, level), byte(true, level)];
        let count = AtomicU64::new(0);
        self.each_run(|run| {
            let lines = self.touched[1].cells(run).map(|cells| {
                let values = &self.values[cells.start as usize..cells.end as usize];
                values.iter().filter(|value| fresh.contains(&value.load(Relaxed))).count() as u64
            });
            count.fetch_add(lines.sum(), Relaxed);
            Ok(())
        })?;
        Ok(count.into_inner())
    }

    fn each_run(&self, work: impl Fn(Range<u64>) -> Result<(), Stopped> + Sync) -> Result<(), Stopped> {
        let cells = self.layout.cells();
        parallel::try_each(cells.div_ceil(RUN) as usize, |run| {
            if self.interrupt.load(Relaxed) {
                return Err(Stopped);
            }
            let run = run as u64;
            work(run * RUN..cells.min((run + 1) * RUN))
        })
    }

    /// Level 0: games that are over, and placements that are no positions. And what is decided in the first level by moves to
    /// positions without a cell or by the capture of a royal piece, which are many and easily seen.
    fn ends(&self) -> Result<(), Stopped> {
        let rules = self.layout.rules;
        let may_capture = rules.captured_royal.is_some() && rules.hand.is_none_or(|hand| !hand.compulsory);
        self.each_run(|cells| {
            let mut class = 0;
            for cell in cells {
                class = self.layout.class_at(cell, class);
                let placed: Placed<N> = self.layout.placed_in(class, cell);
                let position: ChessLike<'r, S, N> = placed.position(rules);
                // Of a position on the axis and its mirror image, one has a cell.
                let value = if !self.layout.is_canonical(cell, &placed) || !is_possible(&position) {
                    ILLEGAL
                } else {
                    match position.outcome() {
                        None if may_capture && position.attacks_royal() => byte(true, 1),
                        None => match self.leaves(&placed, &position) {
                            Some(win) => byte(win, 1),
                            None => continue,
                        },
                        Some(Outcome::Draw) => DEAD,
                        Some(outcome) => byte(outcome == Outcome::Win, 0),
                    }
                };
                self.value(cell).store(value, Relaxed);
            }
            Ok(())
        })
    }

    /// Whether a position is won or lost in one ply by moves to positions without a cell, where the game is over.
    #[inline]
    fn leaves(&self, placed: &Placed<N>, position: &ChessLike<'r, S, N>) -> Option<bool> {
        let royals = self.layout.may_leave(placed)?;
        let mut all_won = true;
        let flow = position.moves(|mv| {
            let to = (Some(mv.kind) == self.layout.leader).then_some(mv.to);
            let over = || position.after(mv).outcome();
            match self.layout.leaves(royals, placed.turn, to).then(over).flatten() {
                Some(Outcome::Loss) => return ControlFlow::Break(()),
                Some(Outcome::Win) => {}
                Some(Outcome::Draw) | None => all_won = false,
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() { Some(true) } else { all_won.then_some(false) }
    }

    /// Decides what it can at a level by a look at every open cell.
    fn look_at_all(&self, level: u32) -> Result<(), Stopped> {
        self.each_run(|cells| {
            let (mut class, mut work) = (0, vec![]);
            for cell in cells {
                if self.value(cell).load(Relaxed) > MAX_WAIT {
                    continue;
                }
                class = self.layout.class_at(cell, class);
                let placed = self.layout.placed_in(class, cell);
                let value = match self.look(class, &placed, level, &mut work) {
                    Found::Decided(win) => {
                        self.touched[1].note(cell);
                        byte(win, level)
                    }
                    Found::Open(count) => wait(count),
                };
                self.value(cell).store(value, Relaxed);
            }
            Ok(())
        })
    }

    /// Decides a level by taking back the moves that have led to what the last one decided.
    fn take_back(&self, level: u32) -> Result<(), Stopped> {
        let last = [byte(false, level - 1), byte(true, level - 1)];
        if level - 1 > NEAR {
            let first = self.far.partition_point(|&(_, distance)| u32::from(distance) < level - 1);
            let far = &self.far[first..];
            return parallel::try_each(far.len().div_ceil(256), |n| {
                if self.interrupt.load(Relaxed) {
                    return Err(Stopped);
                }
                let mut work = Work::default();
                for &(cell, _) in &far[256 * n..far.len().min(256 * (n + 1))] {
                    let won = self.value(cell).load(Relaxed) == FAR_WIN;
                    self.decide_before(cell, self.layout.class_at(cell, 0), won, level, &mut work);
                }
                Ok(())
            });
        }
        self.each_run(|run| {
            let (mut class, mut work) = (0, Work::default());
            for cell in self.touched[0].cells(run).flatten() {
                let value = self.value(cell).load(Relaxed);
                if last.contains(&value) {
                    class = self.layout.class_at(cell, class);
                    self.decide_before(cell, class, value == last[1], level, &mut work);
                }
            }
            Ok(())
        })
    }

    /// Decides at a level the cells from which a move leads to one that the last level has decided.
    fn decide_before(&self, cell: u64, class: u32, won: bool, level: u32, work: &mut Work) {
        let placed: Placed<N> = self.layout.placed_in(class, cell);
        let mut parents = Parents::new(self.layout, &self.back, class, &placed);
        let list = &mut work.parents;
        list.clear();
        parents.visit(|parent| {
            prefetch(self.value(parent.cell));
            list.push(parent);
        });
        for parent in list {
            let at = self.value(parent.cell);
            let mut found = at.load(Relaxed);
            let decide = |win: bool, mut found: u8| {
                while found <= MAX_WAIT {
                    match at.compare_exchange_weak(found, byte(win, level), Relaxed, Relaxed) {
                        Ok(_) => return self.touched[1].note(parent.cell),
                        Err(now) => found = now,
                    }
                }
            };
            if !won {
                if found <= MAX_WAIT && parents.is_legal::<S>(parent) {
                    decide(true, found);
                }
                continue;
            }
            // One move less to wait for, unless another thread has decided the cell.
            while (1..=MAX_WAIT).contains(&found) {
                match at.compare_exchange_weak(found, found - 1, Relaxed, Relaxed) {
                    Ok(_) => break,
                    Err(now) => found = now,
                }
            }
            if found == OPEN {
                match self.look(parent.class, &parents.before(parent), level, &mut work.children) {
                    Found::Decided(win) => decide(win, found),
                    // Another thread that has looked at it has found the same.
                    Found::Open(count) => {
                        let _ = at.compare_exchange(OPEN, wait(count), Relaxed, Relaxed);
                    }
                }
            }
        }
    }

    /// Whether a position wins or loses by what its moves lead to, as far as that was decided before this level.
    #[inline]
    fn look(&self, class: u32, placed: &Placed<N>, level: u32, cells: &mut Vec<u64>) -> Found {
        let fresh = [byte(false, level), byte(true, level)];
        let mut children = Children::new(self.layout, class, placed);
        let position: ChessLike<'r, S, N> = placed.position(self.layout.rules);
        let mut open = 0;
        cells.clear();
        let flow = position.moves(|mv| {
            let place = children.after(mv);
            if let Place::Cell(child) = place {
                prefetch(self.value(child));
                cells.push(child);
                return ControlFlow::Continue(());
            }
            match position.after(mv).outcome() {
                Some(Outcome::Loss) => return ControlFlow::Break(()),
                Some(Outcome::Win) => {}
                // The capture is a ply: it counts from the second level on.
                None if place == Place::Won && level > 1 => {}
                None | Some(Outcome::Draw) => open += 1,
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            return Found::Decided(true);
        }
        // The open cells are counted, and two moves may lead to mirror images.
        let mut lost = false;
        cells.retain(|&child| {
            let value = self.value(child).load(Relaxed);
            let win = if fresh.contains(&value) { None } else { wins(value) };
            lost |= win == Some(false);
            win.is_none()
        });
        if lost {
            return Found::Decided(true);
        }
        cells.sort_unstable();
        cells.dedup();
        match open + cells.len() {
            0 => Found::Decided(false),
            open => Found::Open(open),
        }
    }

    /// Files what a level decided beyond the distances of a byte.
    fn settle(&mut self, level: u32) {
        if level <= NEAR {
            return;
        }
        let cells = self.layout.cells();
        let (values, touched) = (self.values, &self.touched[1]);
        let found = parallel::map(cells.div_ceil(RUN) as usize, |run| {
            let run = run as u64;
            let cells = touched.cells(run * RUN..cells.min((run + 1) * RUN)).flatten();
            let settled = cells.filter_map(|cell| {
                let settled = match values[cell as usize].load(Relaxed) {
                    NEW_WIN => FAR_WIN,
                    NEW_LOSS => FAR_LOSS,
                    _ => return None,
                };
                values[cell as usize].store(settled, Relaxed);
                Some((cell, level as u16))
            });
            settled.collect::<Vec<_>>()
        });
        self.far.extend(found.into_iter().flatten());
    }
}

/// What a thread needs room for.
#[derive(Default)]
struct Work {
    parents: Vec<Parent>,
    children: Vec<u64>,
}

/// The byte of a cell from which moves lead to this number of positions that are not decided, at least one. When the last of
/// them is decided, it is worth a look.
fn wait(open: usize) -> u8 {
    (open - 1).min(usize::from(MAX_WAIT)) as u8
}

/// Whether a placement is a position of a game: the side that has moved is not in check, and each piece is where its type may
/// be.
pub(super) fn is_possible<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> bool {
    let rules = position.rules();
    if position.in_check(!position.side_to_move()) {
        return false;
    }
    let mut outside = Bitboard::EMPTY;
    for side in Side::BOTH {
        for kind in 0..rules.type_count() as u8 {
            outside |= position.pieces(side, kind) & !rules.territory(kind, side);
        }
    }
    outside.is_empty()
}
