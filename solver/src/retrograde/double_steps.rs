//! Double steps that an enemy may answer *en passant*.
//!
//! A cell holds the value of its position without a right to capture *en passant*. After a double step past an enemy that
//! captures so, the opponent has one or two captures more. These lead to a class that is solved, so that the value of the
//! best of them is known beforehand. Such steps are taken out of the moves of whole blocks and listed here, cell by cell:
//! there are few.

use super::game::GameData;
use super::layout::Layout;
use super::moves::Moves;
use super::pieces::{BySide, Pieces, squares_of, swapped_if};
use super::solved::SolvedValues;
use super::value;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::{AnyChessLike, MoveTag};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Side;

/// A double step that may be answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DoubleStep {
    /// The block that it begins in.
    pub(crate) block: u32,
    /// The cell that it begins in, in rows as long as a visit's.
    pub(crate) cell: u32,
    /// What it leads to: a position in [`inputs`](super::moves::SliceMoves::inputs), and the offset there.
    pub(crate) input: u8,
    pub(crate) at: u32,
    /// The value of the best capture *en passant* for the opponent; 0 if there is none.
    pub(crate) answer: u8,
    /// Whether the opponent has no other move.
    pub(crate) forced: bool,
}

impl DoubleStep {
    /// What the opponent gets, whose position is worth `value` without the right.
    #[inline]
    pub(crate) fn value(&self, value: u8) -> u8 {
        if self.forced { self.answer } else { value.max(self.answer) }
    }
}

/// Lists the double steps of a class that may be answered.
pub(crate) struct DoubleSteps<'a> {
    solved: SolvedValues<'a>,
    layout: &'a Layout,
    moves: &'a Moves,
    /// Plies of the windows before this one.
    before: u32,
    /// By side: squares from which some double step may be answered.
    from: BySide<Bitboard>,
}

impl<'a> DoubleSteps<'a> {
    /// Prepares a window of `span` plies; `None` if no double step of the class can be answered.
    pub(crate) fn new(
        solved: SolvedValues<'a>,
        layout: &'a Layout,
        moves: &'a Moves,
        span: u8,
    ) -> Option<Self> {
        let game = solved.game;
        layout.class.may_capture_en_passant(game).then(|| {
            let from = BySide::from_fn(|side| {
                let kinds = game.kinds[side].iter().flat_map(|kind| kind.quiet.iter().enumerate());
                let guarded = kinds.filter(|(_, steps)| steps.iter().any(|step| step.guard.any()));
                guarded.map(|(square, _)| Square::new(square as u8)).collect()
            });
            DoubleSteps { solved, layout, moves, before: solved.window as u32 * u32::from(span), from }
        })
    }

    /// The double steps from a slice, by block; a row of a visit has `stride` cells.
    pub(crate) fn list(&self, slice: usize, turn: Side, stride: usize) -> Vec<DoubleStep> {
        let layout = self.layout;
        let mut list = vec![];
        for (b, block) in layout.slices[slice].blocks.iter().enumerate() {
            let fixed = layout.fixed(&layout.slices[slice], b);
            let row_squares = layout.row_squares(block.occupied);
            for (r, &ranks) in layout.rank_sets(row_squares).iter().enumerate() {
                let rows = squares_of(ranks, row_squares.0);
                let columns = layout.column_squares(block.occupied).into_iter().enumerate();
                for (c, column) in columns.filter(|x| !rows.has(x.1)) {
                    let m = layout.position(&fixed, rows, column);
                    let cell = (r * stride + c) as u32;
                    self.steps_of(&m, turn, |from, to| {
                        let step = self.double_step(&m, turn, (from, to), slice);
                        list.extend(step.map(|step| DoubleStep { block: b as u32, cell, ..step }));
                    });
                }
            }
        }
        list
    }

    /// The double steps of a position that pass an enemy: origin and target.
    fn steps_of(&self, m: &Pieces, turn: Side, mut found: impl FnMut(Square, Square)) {
        let game = self.solved.game;
        let captors = |side: Side| {
            (0..game.kinds[side].len())
                .filter(|&k| game.captors >> k & 1 != 0)
                .fold(Bitboard::EMPTY, |set, k| set | m[side][k])
        };
        let movers = captors(turn) & self.from[turn];
        if movers.is_empty() {
            return;
        }
        let enemies = captors(!turn);
        let occupied = m.occupied();
        for (kind, data) in game.kinds[turn].iter().enumerate() {
            for from in m[turn][kind] & movers {
                for step in &data.quiet[from.index()] {
                    if (step.guard & enemies).any() && (occupied & step.clear()).is_empty() {
                        found(from, step.to);
                    }
                }
            }
        }
    }

    /// What the rules say of a double step; `None` if it is not legal, or leads to a slice that is not kept here. Block and
    /// cell are left to the caller.
    fn double_step(
        &self,
        m: &Pieces,
        turn: Side,
        squares: (Square, Square),
        slice: usize,
    ) -> Option<DoubleStep> {
        let game = self.solved.game;
        let position = game.position(m, turn);
        if position.in_check(!turn) || position.outcome().is_some() {
            return None;
        }
        // It may leave the royal piece attacked, and is then not among the moves.
        let step = list_moves(&position)
            .into_iter()
            .find(|mv| (mv.from, mv.to) == squares && mv.tag() == MoveTag::DoubleStep)?;
        let next = position.after(step);
        let after = game.pieces(&next);
        let (offset, swap) = self.layout.address(&after);
        let there = self.layout.slices.partition_point(|s| s.base <= offset as u64) - 1;
        let there_side = (there as u32, swapped_if(swap, !turn));
        let input = self.moves.slices[slice].inputs[turn.index()].iter().position(|&x| x == there_side)?;
        let answer = self.best_capture(game, &next, turn);
        Some(DoubleStep {
            block: 0,
            cell: 0,
            input: input as u8,
            at: (offset as u64 - self.layout.slices[there].base) as u32,
            answer,
            forced: answer != 0 && game.position(&after, !turn).outcome().is_some(),
        })
    }

    /// The value of the best capture *en passant* for the side that makes it; 0 if there is none.
    fn best_capture(&self, game: &GameData<'_>, next: &AnyChessLike<'_>, turn: Side) -> u8 {
        if next.en_passant().is_none() || next.outcome().is_some() {
            return 0;
        }
        let captures = list_moves(next).into_iter().filter(|mv| mv.tag() == MoveTag::EnPassant);
        let values = captures.map(|mv| {
            let after = game.pieces(&next.after(mv));
            self.solved.exact(&after, turn).before_opponents_turn()
        });
        values.max().map_or(0, |best| value::in_window(best, self.before))
    }
}
