//! What a position is worth whatever the quiet moves lead to: what is over already, and the best capture or promotion.
//!
//! A floor byte is a value, or [`LOST`] or [`DRAWN`]: the game is over, whatever the moves. Cells that are no position
//! get 255, which attracts nobody.

use super::captures::{Captures, Scratch};
use super::layout::{Layout, Slice};
use super::mechanics::{Masks, Mechanics, squares};
use super::moves::Moves;
use super::promotions::Promotions;
use super::simd;
use super::solved::Known;
use super::value;
use jewel_engine::bits::{deposit, extract};
use jewel_engine::value::Outcome;
use jewel_engine::variant::Objective;

/// Lost where it stands.
pub(crate) const LOST: u8 = 0;
/// Drawn where it stands.
pub(crate) const DRAWN: u8 = 1;
/// Nothing helps: at worst the opponent wins with the next move.
pub(crate) const NOTHING: u8 = value::loss(1);

/// The value that a position with this floor begins with.
pub(crate) const fn first_value(floor: u8) -> u8 {
    match floor {
        LOST => value::loss(0),
        f if f < value::DRAW => value::DRAW,
        f => f,
    }
}

/// The floor of a game that is over.
pub(crate) const fn over(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Win => value::win(0),
        Outcome::Draw => DRAWN,
        Outcome::Loss => LOST,
    }
}

/// Fills the floors of a class.
pub(crate) struct Floors<'a, const N: usize> {
    game: &'a Mechanics<'a>,
    layout: &'a Layout,
    moves: &'a Moves,
    captures: Captures<'a, N>,
    promotions: Promotions<'a, N>,
}

/// A worker's buffers.
#[derive(Default)]
pub(crate) struct FloorScratch {
    captures: Scratch,
    rows: Vec<u8>,
    nothing: Vec<u8>,
    settled: Vec<u8>,
}

impl<'a, const N: usize> Floors<'a, N> {
    /// Floors of a class whose children have been solved.
    pub(crate) fn new(known: Known<'a>, layout: &'a Layout, moves: &'a Moves) -> Self {
        Floors {
            game: known.game,
            layout,
            moves,
            captures: Captures::new(known, layout),
            promotions: Promotions::new(known, layout),
        }
    }

    /// Fills `floor`: one slice for one side to move.
    pub(crate) fn slice(&self, sl: &Slice, turn: usize, scratch: &mut FloorScratch, floor: &mut [u8]) {
        for (b, bl) in sl.blocks.iter().enumerate() {
            let (n, cols) = (self.layout.row_count(bl.occ), self.layout.columns(bl.occ));
            let FloorScratch { captures, rows, nothing, settled } = scratch;
            rows.clear();
            rows.resize(n * N + N, 255);
            self.captures.block(sl, b, turn, captures, rows);
            self.promotions.block(sl, b, turn, rows);
            let to = &mut floor[bl.off as usize..];
            if nothing.len() < n * cols + N {
                nothing.resize(n * cols + N, NOTHING);
            }
            simd::settle::<N>(rows, n, cols, nothing, to, settled);
            self.ends(sl, b, turn, &mut to[..n * cols]);
        }
    }

    /// Marks what is over where it stands, and cells that are no position.
    fn ends(&self, sl: &Slice, b: usize, turn: usize, floor: &mut [u8]) {
        let l = self.layout;
        let block = Ends::new(self.game, l, sl, b, turn);
        let occ = sl.blocks[b].occ;
        let cols = block.free.count_ones() as usize;
        // With a royal piece it takes more to tell that there is no move: see `visit`.
        let careful = self.game.royal.is_none() && !self.always_movable(sl, b, turn);
        let row_free = l.row.map_or(0, |g| l.groups[g].allowed & !occ);
        let count = l.row.map_or(0, |g| l.groups[g].count);
        for (r, &set) in l.rank_sets(row_free.count_ones() as usize, count).iter().enumerate() {
            let m = deposit(set, row_free);
            let row = &mut floor[r * cols..][..cols];
            block.goals(m, row);
            block.no_position(m, row);
            if careful {
                self.without_moves(&block, m, row);
            }
            block.dead(m, row);
            if block.may_share_colour {
                block.one_colour(m, row);
            }
            block.illegal(m, row);
        }
    }

    /// Decides the positions of a row in which the side to move has no move.
    fn without_moves(&self, block: &Ends<'_>, m: u64, row: &mut [u8]) {
        for (c, s) in squares(block.free).enumerate().filter(|x| m >> x.1 & 1 == 0) {
            if row[c] != NOTHING {
                continue;
            }
            let p = block.layout.position(&block.base, m, s);
            if !self.game.movable(&p, block.turn) {
                // A key that cannot be cleared any more is as good as held (J2).
                row[c] = if block.on_goal(m, s, 1 - block.turn) { LOST } else { over(self.game.stalemate) };
            }
        }
    }

    /// Whether the fixed pieces of a side have so many quiet moves with nothing in common that row and column pieces
    /// cannot stop all.
    fn always_movable(&self, sl: &Slice, b: usize, turn: usize) -> bool {
        let l = self.layout;
        let bl = &sl.blocks[b];
        let need = 1 + l.row.map_or(0, |g| l.groups[g].count) + 1;
        let (mut found, mut used) = (0, bl.occ);
        let outer = l.outer.iter().zip(&sl.outer).map(|(&g, &id)| (g, id as usize));
        for (g, id) in outer.chain(l.mid.iter().zip(&bl.mids).map(|(&g, &id)| (g, usize::from(id)))) {
            if l.groups[g].side == turn {
                for m in &self.moves.group[g][id] {
                    if m.clear & used == 0 {
                        used |= m.clear;
                        found += 1;
                        if found == need {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }
}

/// One block, for what is over in it.
struct Ends<'a> {
    game: &'a Mechanics<'a>,
    layout: &'a Layout,
    turn: usize,
    /// The pieces that are the same in all its positions.
    base: Masks,
    /// The squares of the columns.
    free: u64,
    /// By side: whether a fixed piece stands on a goal, and the goals of row and column pieces.
    fixed_on: [bool; 2],
    row_goals: [u64; 2],
    column_goals: [u64; 2],
    /// Whether a fixed piece could still reach its goal, and the squares from which row and column pieces could.
    fixed_hope: bool,
    row_hope: u64,
    column_hope: u64,
    /// Whether positions of the class are declared drawn for the colour of the squares that pieces stand on.
    may_share_colour: bool,
}

impl<'a> Ends<'a> {
    fn new(game: &'a Mechanics<'a>, l: &'a Layout, sl: &Slice, b: usize, turn: usize) -> Self {
        let base = l.fixed(sl, b);
        let kinds = |s: usize| game.kinds[s].iter().zip(base[s]);
        let goals = |g: usize, s: usize| {
            let g = &l.groups[g];
            if g.side == s { game.kinds[s][g.ty].goals } else { 0 }
        };
        let hope = |g: usize| game.kinds[l.groups[g].side][l.groups[g].ty].hopeful;
        Ends {
            game,
            layout: l,
            turn,
            base,
            free: l.groups[l.column].allowed & !sl.blocks[b].occ,
            fixed_on: [0, 1].map(|s| kinds(s).any(|(kind, set)| set & kind.goals != 0)),
            row_goals: [0, 1].map(|s| l.row.map_or(0, |g| goals(g, s))),
            column_goals: [0, 1].map(|s| goals(l.column, s)),
            fixed_hope: (0..2).any(|s| kinds(s).any(|(kind, set)| set & kind.hopeful != 0)),
            row_hope: l.row.map_or(0, hope),
            column_hope: hope(l.column),
            may_share_colour: game.rules.may_share_colour(l.groups.iter().fold(0, |set, g| set | 1 << g.ty)),
        }
    }

    /// Whether a side stands on a goal of its own, with row pieces `m` and the column piece on `s`.
    fn on_goal(&self, m: u64, s: usize, side: usize) -> bool {
        self.fixed_on[side] || m & self.row_goals[side] != 0 || self.column_goals[side] >> s & 1 != 0
    }

    /// Marks the columns of a set in a row.
    fn mark(&self, row: &mut [u8], columns: u64, floor: u8) {
        squares(extract(columns, self.free)).for_each(|c| row[c] = floor);
    }

    /// Goals held or reached, in the row of the row pieces `m`.
    fn goals(&self, m: u64, row: &mut [u8]) {
        let (turn, foe) = (self.turn, 1 - self.turn);
        let on = |side: usize| self.fixed_on[side] || m & self.row_goals[side] != 0;
        // All columns, or those in which the column piece is the one on the goal.
        let there = |side: usize| if on(side) { self.free } else { self.column_goals[side] & self.free };
        match self.game.objective {
            Some(Objective::Hold) => self.mark(row, there(turn), value::win(0)),
            Some(Objective::Reach) => self.mark(row, there(foe), LOST),
            Some(Objective::Secure) => {
                for s in squares(there(turn) & !m) {
                    if self.secured(&self.layout.position(&self.base, m, s)) {
                        self.mark(row, 1 << s, value::win(0));
                    }
                }
            }
            None => {}
        }
    }

    /// Whether the side to move stands on a goal where the other side could not capture.
    fn secured(&self, m: &Masks) -> bool {
        let occupied: u64 = m.iter().flatten().fold(0, |a, &x| a | x);
        let kinds = self.game.kinds[self.turn].iter().zip(m[self.turn]);
        let there = kinds.fold(0, |a, (kind, set)| a | set & kind.goals);
        squares(there).any(|t| !self.game.attacked(m, 1 - self.turn, t, occupied))
    }

    /// Positions in which the royal piece of the side that is not to move is attacked.
    fn illegal(&self, m: u64, row: &mut [u8]) {
        if self.game.royal.is_some() {
            for (c, s) in squares(self.free).enumerate().filter(|x| m >> x.1 & 1 == 0) {
                if self.game.illegal(&self.layout.position(&self.base, m, s), self.turn) {
                    row[c] = value::win(0);
                }
            }
        }
    }

    /// Positions that are over, in a class some of whose positions are draws of pieces on squares of one colour. Such a
    /// draw comes after checkmate and stalemate, so the rules are asked position by position: the classes are few.
    fn one_colour(&self, m: u64, row: &mut [u8]) {
        for (c, s) in squares(self.free).enumerate().filter(|x| m >> x.1 & 1 == 0) {
            if let Some(outcome) = self.game.outcome(&self.layout.position(&self.base, m, s), self.turn) {
                row[c] = over(outcome);
            }
        }
    }

    fn no_position(&self, m: u64, row: &mut [u8]) {
        self.mark(row, m & self.free, 255);
    }

    /// Draws in which nobody can reach a goal any more.
    fn dead(&self, m: u64, row: &mut [u8]) {
        if self.game.dead_draws && !self.fixed_hope && m & self.row_hope == 0 {
            // Goals are hopeful squares: nothing that has been decided by them is undone here.
            self.mark(row, self.free & !self.column_hope & !m, DRAWN);
        }
    }
}
