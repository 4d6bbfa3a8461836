//! Lower bounds: what a position is worth whatever the quiet moves lead to, because it is over already or by the best
//! capture or promotion. See [`super::value`] for the bytes.

use super::captures::{CaptureBuffers, Captures};
use super::game::GameData;
use super::layout::{Layout, Slice};
use super::moves::Moves;
use super::pieces::{BySide, Pieces, ranks_in, squares_of};
use super::promotions::Promotions;
use super::simd;
use super::solved::SolvedValues;
use super::value::{self, DRAWN, ILLEGAL, LOST, NOTHING};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::Objective;

/// Finds the lower bounds of a class.
pub(crate) struct Bounds<'a, const N: usize> {
    game: &'a GameData<'a>,
    layout: &'a Layout,
    moves: &'a Moves,
    captures: Captures<'a, N>,
    promotions: Promotions<'a, N>,
}

/// A worker's buffers.
#[derive(Default)]
pub(crate) struct BoundBuffers {
    captures: CaptureBuffers,
    rows: Vec<u8>,
    nothing: Vec<u8>,
    settled: Vec<u8>,
}

impl<'a, const N: usize> Bounds<'a, N> {
    /// Prepares a class whose children have been solved.
    pub(crate) fn new(solved: SolvedValues<'a>, layout: &'a Layout, moves: &'a Moves) -> Self {
        Bounds {
            game: solved.game,
            layout,
            moves,
            captures: Captures::new(solved, layout),
            promotions: Promotions::new(solved, layout),
        }
    }

    /// Fills `bound`: one slice with one side to move.
    pub(crate) fn slice(&self, slice: &Slice, turn: Side, buffers: &mut BoundBuffers, bound: &mut [u8]) {
        for (b, block) in slice.blocks.iter().enumerate() {
            let (n, columns) = (self.layout.rows(block.occupied), self.layout.columns(block.occupied));
            let BoundBuffers { captures, rows, nothing, settled } = buffers;
            rows.clear();
            rows.resize(n * N + N, 255);
            self.captures.block(slice, b, turn, captures, rows);
            self.promotions.block(slice, b, turn, rows);
            let to = &mut bound[block.offset as usize..];
            if nothing.len() < n * columns + N {
                nothing.resize(n * columns + N, NOTHING);
            }
            simd::settle::<N>(rows, n, columns, nothing, to, settled);
            self.finished(slice, b, turn, &mut to[..n * columns]);
        }
    }

    /// Marks the positions of a block in which the game is over, and cells that are not positions.
    fn finished(&self, slice: &Slice, b: usize, turn: Side, bound: &mut [u8]) {
        let layout = self.layout;
        let block = FinishedBlock::new(self.game, layout, slice, b, turn);
        let columns = block.columns.count() as usize;
        // With a royal piece, a position without a legal move may have other moves: see `Visitor::find_mates`.
        let may_be_stuck = self.game.royal.is_none() && !self.always_movable(slice, b, turn);
        let row_squares = layout.row_squares(slice.blocks[b].occupied);
        for (r, &ranks) in layout.rank_sets(row_squares).iter().enumerate() {
            let rows = squares_of(ranks, row_squares.0);
            let row = &mut bound[r * columns..][..columns];
            block.goals(rows, row);
            block.no_positions(rows, row);
            if may_be_stuck {
                block.without_moves(rows, row);
            }
            block.dead(rows, row);
            if block.may_share_colour {
                block.one_colour(rows, row);
            }
            block.illegal(rows, row);
        }
    }

    /// Whether the fixed pieces of a side have more quiet moves with no square in common than the row and column pieces
    /// could stop.
    fn always_movable(&self, slice: &Slice, b: usize, turn: Side) -> bool {
        let layout = self.layout;
        let block = &slice.blocks[b];
        let need = 1 + layout.row.map_or(0, |g| layout.groups[g].count) + 1;
        let (mut found, mut used) = (0, block.occupied);
        let outer = layout.outer.iter().zip(&slice.outer).map(|(&g, &id)| (g, id as usize));
        let middle = layout.middle.iter().zip(&block.middle).map(|(&g, &id)| (g, usize::from(id)));
        for (g, id) in outer.chain(middle).filter(|&(g, _)| layout.groups[g].side == turn) {
            for m in &self.moves.group[g][id] {
                if (m.clear & used).is_empty() {
                    used |= m.clear;
                    found += 1;
                    if found == need {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// One block, and what ends the game in it.
struct FinishedBlock<'a> {
    game: &'a GameData<'a>,
    layout: &'a Layout,
    turn: Side,
    /// The pieces that are the same in all its positions.
    fixed: Pieces,
    /// The squares of the columns.
    columns: Bitboard,
    /// By side: whether a fixed piece stands on a goal.
    fixed_on: BySide<bool>,
    /// By side: the goals of row pieces, and of the column piece.
    row_goals: BySide<Bitboard>,
    column_goals: BySide<Bitboard>,
    /// Whether a fixed piece could still reach its goal.
    fixed_hope: bool,
    /// The squares from which row pieces, and the column piece, could.
    row_hope: Bitboard,
    column_hope: Bitboard,
    /// Whether positions of the class are draws because of the colour of the squares that pieces stand on.
    may_share_colour: bool,
}

impl<'a> FinishedBlock<'a> {
    fn new(game: &'a GameData<'a>, layout: &'a Layout, slice: &Slice, b: usize, turn: Side) -> Self {
        let fixed = layout.fixed(slice, b);
        let kinds = |side| game.kinds[side].iter().zip(fixed[side]);
        let goals = |g: usize, side| {
            let group = &layout.groups[g];
            if group.side == side { game.kinds[side][group.kind].goals } else { Bitboard::EMPTY }
        };
        let hope = |g: usize| game.kinds[layout.groups[g].side][layout.groups[g].kind].hopeful;
        let fixed_hope = |side| kinds(side).any(|(kind, set)| (set & kind.hopeful).any());
        let kinds_of_class = layout.groups.iter().fold(0, |set, g| set | 1 << g.kind);
        FinishedBlock {
            game,
            layout,
            turn,
            fixed,
            columns: layout.column_squares(slice.blocks[b].occupied),
            fixed_on: BySide::from_fn(|side| kinds(side).any(|(kind, set)| (set & kind.goals).any())),
            row_goals: BySide::from_fn(|side| layout.row.map_or(Bitboard::EMPTY, |g| goals(g, side))),
            column_goals: BySide::from_fn(|side| goals(layout.column, side)),
            fixed_hope: Side::BOTH.into_iter().any(fixed_hope),
            row_hope: layout.row.map_or(Bitboard::EMPTY, hope),
            column_hope: hope(layout.column),
            may_share_colour: game.rules.may_share_colour(kinds_of_class),
        }
    }

    /// The positions of a row: the number of the column, and its square.
    fn positions(&self, rows: Bitboard) -> impl Iterator<Item = (usize, Square)> {
        self.columns.into_iter().enumerate().filter(move |x| !rows.has(x.1))
    }

    /// Gives the columns of a set a lower bound.
    fn mark(&self, row: &mut [u8], columns: Bitboard, bound: u8) {
        Bitboard(ranks_in(columns, self.columns)).into_iter().for_each(|c| row[c.index()] = bound);
    }

    /// Goals held or reached, in the row with row pieces on `rows`.
    fn goals(&self, rows: Bitboard, row: &mut [u8]) {
        // All columns, or those in which the column piece is the one on the goal.
        let on_goal = |side: Side| {
            let all = self.fixed_on[side] || (rows & self.row_goals[side]).any();
            if all { self.columns } else { self.column_goals[side] & self.columns }
        };
        match self.game.objective {
            Some(Objective::Hold) => self.mark(row, on_goal(self.turn), value::win(0)),
            Some(Objective::Reach) => self.mark(row, on_goal(!self.turn), LOST),
            Some(Objective::Secure) => {
                for column in on_goal(self.turn) & !rows {
                    if self.secured(&self.layout.position(&self.fixed, rows, column)) {
                        self.mark(row, column.bit(), value::win(0));
                    }
                }
            }
            // Refused when the rules are taken apart.
            Some(Objective::Try) | None => {}
        }
    }

    /// Whether the side to move stands on a goal where the other side could not capture.
    fn secured(&self, m: &Pieces) -> bool {
        let kinds = self.game.kinds[self.turn].iter().zip(m[self.turn]);
        let there = kinds.fold(Bitboard::EMPTY, |all, (kind, set)| all | set & kind.goals);
        there.into_iter().any(|goal| !self.game.attacked(m, !self.turn, goal, m.occupied()))
    }

    /// Cells in which the column piece stands on a row piece.
    fn no_positions(&self, rows: Bitboard, row: &mut [u8]) {
        self.mark(row, rows & self.columns, 255);
    }

    /// Positions in which the side to move has no move.
    fn without_moves(&self, rows: Bitboard, row: &mut [u8]) {
        for (c, column) in self.positions(rows) {
            let stuck = || !self.game.movable(&self.layout.position(&self.fixed, rows, column), self.turn);
            if row[c] == NOTHING && stuck() {
                let foe = !self.turn;
                let held = self.fixed_on[foe]
                    || (rows & self.row_goals[foe]).any()
                    || self.column_goals[foe].has(column);
                // A key that cannot be cleared any more is as good as held (J2).
                row[c] = if held { LOST } else { value::bound_of(self.game.stalemate) };
            }
        }
    }

    /// Draws in which no piece can reach a goal any more.
    fn dead(&self, rows: Bitboard, row: &mut [u8]) {
        if self.game.dead_draws && !self.fixed_hope && (rows & self.row_hope).is_empty() {
            // Goals are hopeful squares, so that positions decided by them stay as they are.
            self.mark(row, self.columns & !self.column_hope & !rows, DRAWN);
        }
    }

    /// Positions in which the game is over, in a class with draws of pieces on squares of one colour. Such a draw comes after
    /// checkmate and stalemate, so that the rules decide position by position: there are few such classes.
    fn one_colour(&self, rows: Bitboard, row: &mut [u8]) {
        for (c, column) in self.positions(rows) {
            let position = self.layout.position(&self.fixed, rows, column);
            if let Some(outcome) = self.game.outcome(&position, self.turn) {
                row[c] = value::bound_of(outcome);
            }
        }
    }

    /// Positions in which the royal piece of the side that is not to move is attacked. Row by row and not position by position:
    /// nearly all of an attack is the same in all columns.
    fn illegal(&self, rows: Bitboard, row: &mut [u8]) {
        let Some(royal) = self.game.royal else { return };
        let (turn, column) = (self.turn, &self.layout.groups[self.layout.column]);
        let kinds = &self.game.kinds[turn];
        let mut m = self.fixed;
        if let Some(g) = self.layout.row.map(|g| &self.layout.groups[g]) {
            m[g.side][g.kind] |= rows;
        }
        let occupied = m.occupied();
        // All steps of the pieces that stand in the same place in all columns, unless one of these pieces is in the way.
        let steps = || {
            let from = kinds
                .iter()
                .zip(m[turn])
                .flat_map(|(kind, set)| set.into_iter().map(move |from| (kind, from)));
            let steps = from.flat_map(|(kind, from)| &kind.attacks[from.index()]);
            steps.filter(|step| (step.path & occupied).is_empty())
        };
        let mut columns = Bitboard::EMPTY;
        for target in m[!turn][royal] {
            // The column piece would have to stand on all paths at once.
            let paths = steps().filter(|step| step.to == target).map(|step| step.path);
            if let Some(common) = paths.reduce(|all, path| all & path) {
                columns |= self.columns & !common;
            }
            if column.side == turn {
                let attacks = |from: Square| {
                    let mut steps = kinds[column.kind].attacks[from.index()].iter();
                    steps.any(|step| step.to == target && (step.path & occupied).is_empty())
                };
                columns |= (self.columns & !columns).into_iter().filter(|&from| attacks(from)).collect();
            }
        }
        if column.side != turn && column.kind == royal {
            columns |= steps().map(|step| step.to).collect();
        }
        self.mark(row, columns & self.columns & !rows, ILLEGAL);
    }
}
