//! Double steps that an enemy may answer *en passant*.
//!
//! A cell is worth what its position is worth without a right to capture *en passant*. After a double step past an enemy that
//! captures so, the opponent has one or two captures more: they lead to a class that is solved, so that what the best of
//! them is worth is known beforehand. Such steps are taken out of the moves of whole blocks, and are listed here, cell by
//! cell: there are few.

use super::layout::Layout;
use super::mechanics::{Masks, Mechanics, squares};
use super::moves::Moves;
use super::solved::Known;
use super::value;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::bits::deposit;
use jewel_engine::chesslike::{AnyChessLike, MoveTag};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Side;

/// A double step that may be answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Answered {
    /// The block that it begins in, and where the position is in rows as long as a visit's.
    pub(crate) block: u32,
    pub(crate) cell: u32,
    /// The half that it leads to, as a position in [`super::moves::Plan::near`], and the offset there.
    pub(crate) near: u8,
    pub(crate) at: u32,
    /// What the best capture *en passant* is worth for the opponent; 0 if there is none.
    pub(crate) answer: u8,
    /// The opponent has no other move.
    pub(crate) forced: bool,
}

impl Answered {
    /// What the opponent gets, whose position is worth `value` without the right.
    #[inline]
    pub(crate) fn value(&self, value: u8) -> u8 {
        if self.forced { self.answer } else { value.max(self.answer) }
    }
}

/// Lists the double steps of a class that may be answered.
pub(crate) struct Answers<'a> {
    known: Known<'a>,
    layout: &'a Layout,
    moves: &'a Moves,
    /// Plies of the windows before this one.
    before: u32,
    /// By side: squares from which some double step may be answered.
    from: [u64; 2],
}

impl<'a> Answers<'a> {
    /// Gets ready for a window of so many plies; `None` if no double step of the class can be answered.
    pub(crate) fn new(known: Known<'a>, layout: &'a Layout, moves: &'a Moves, span: u8) -> Option<Self> {
        let game = known.game;
        layout.class.may_capture_en_passant(game).then(|| {
            let from = [0, 1].map(|side| {
                let kinds = game.kinds[side].iter().flat_map(|kind| kind.quiet.iter().enumerate());
                let guarded = kinds.filter(|(_, steps)| steps.iter().any(|step| step.guard != 0));
                guarded.fold(0, |set, (square, _)| set | 1 << square)
            });
            Answers { known, layout, moves, before: known.window as u32 * u32::from(span), from }
        })
    }

    /// The double steps of a half, by block; a row of a visit has `stride` cells.
    pub(crate) fn list(&self, slice: usize, turn: usize, stride: usize) -> Vec<Answered> {
        let l = self.layout;
        let sl = &l.slices[slice];
        let mut list = vec![];
        for (b, block) in sl.blocks.iter().enumerate() {
            let base = l.fixed(sl, b);
            let free = l.groups[l.column].allowed & !block.occ;
            let row_free = l.row.map_or(0, |g| l.groups[g].allowed & !block.occ);
            let count = l.row.map_or(0, |g| l.groups[g].count);
            for (r, &set) in l.rank_sets(row_free.count_ones() as usize, count).iter().enumerate() {
                let rows = deposit(set, row_free);
                for (c, column) in squares(free).enumerate().filter(|x| rows >> x.1 & 1 == 0) {
                    let m = l.position(&base, rows, column);
                    self.answers_of_position(
                        &m,
                        turn,
                        |near, at, answer, forced| {
                            let cell = (r * stride + c) as u32;
                            list.push(Answered { block: b as u32, cell, near, at, answer, forced });
                        },
                        slice,
                    );
                }
            }
        }
        list
    }

    fn answers_of_position(
        &self,
        m: &Masks,
        turn: usize,
        mut found: impl FnMut(u8, u32, u8, bool),
        slice: usize,
    ) {
        let game = self.known.game;
        let side_captors = |side: usize| {
            (0..game.kinds[side].len())
                .filter(|&k| game.captors >> k & 1 != 0)
                .fold(0, |set, k| set | m[side][k])
        };
        let movers = side_captors(turn) & self.from[turn];
        if movers == 0 {
            return;
        }
        let enemies = side_captors(1 - turn);
        let occupied = m.iter().flatten().fold(0, |a, &x| a | x);
        for (kind, &set) in m[turn].iter().enumerate().take(game.kinds[turn].len()) {
            for from in squares(set & movers) {
                for step in &game.kinds[turn][kind].quiet[from] {
                    if step.guard & enemies != 0 && occupied & (step.path | 1 << step.to) == 0 {
                        self.double_step(m, turn, from, step.to, slice, &mut found);
                    }
                }
            }
        }
    }

    /// Asks the rules what may follow.
    fn double_step(
        &self,
        m: &Masks,
        turn: usize,
        from: usize,
        to: u8,
        slice: usize,
        found: &mut impl FnMut(u8, u32, u8, bool),
    ) {
        let game = self.known.game;
        let position = game.assemble(m, turn);
        if position.in_check(!Side::BOTH[turn]) || position.outcome().is_some() {
            return;
        }
        let squares = (Square::new(from as u8), Square::new(to));
        let step = list_moves(&position)
            .into_iter()
            .find(|mv| (mv.from, mv.to) == squares && mv.tag() == MoveTag::DoubleStep);
        // It may leave the royal piece attacked.
        let Some(step) = step else { return };
        let next = position.after(step);
        let after = game.masks(&next);
        let (offset, flip) = self.layout.address(&after);
        let there = self.layout.slices.partition_point(|s| s.base <= offset as u64) - 1;
        let half = (there as u32, (1 - turn as u8) ^ u8::from(flip));
        let near = self.moves.plans[slice].near[turn].iter().position(|&x| x == half);
        let near = near.expect("a half that a move leads to") as u8;
        let at = (offset as u64 - self.layout.slices[there].base) as u32;
        let answer = self.best_capture(game, &next, turn);
        let forced = answer != 0 && game.assemble(&after, 1 - turn).outcome().is_some();
        found(near, at, answer, forced);
    }

    /// What the best capture *en passant* is worth for who makes it; 0 if there is none.
    fn best_capture(&self, game: &Mechanics<'_>, next: &AnyChessLike<'_>, turn: usize) -> u8 {
        if next.en_passant().is_none() || next.outcome().is_some() {
            return 0;
        }
        let captures = list_moves(next).into_iter().filter(|mv| mv.tag() == MoveTag::EnPassant);
        let values = captures.map(|mv| {
            let after = next.after(mv);
            let value = self.known.exact(&game.masks(&after), turn);
            value.before_opponents_turn()
        });
        values.max().map_or(0, |best| value::in_window(best, self.before))
    }
}

/// Pieces of a position as sets for the rules engine.
impl Mechanics<'_> {
    /// A position of the rules engine.
    pub(crate) fn assemble(&self, m: &Masks, turn: usize) -> AnyChessLike<'_> {
        let sets = Side::BOTH.into_iter().flat_map(|side| {
            let kinds = 0..self.rules.type_count();
            kinds.map(move |k| (k as u8, side, Bitboard(m[side.index()][k])))
        });
        AnyChessLike::assemble(self.rules, Side::BOTH[turn], sets)
    }

    /// The sets of a position of the rules engine.
    pub(crate) fn masks(&self, position: &AnyChessLike<'_>) -> Masks {
        let mut masks = Masks::default();
        for side in Side::BOTH {
            for kind in 0..self.rules.type_count() {
                masks[side.index()][kind] = position.pieces(side, kind as u8).0;
            }
        }
        masks
    }
}
