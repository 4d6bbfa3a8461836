//! Moves that promote: rare enough to be looked at one by one.

use super::kind::Kind;
use super::layout::{Layout, Slice};
use super::pieces::{BySide, MAX_TYPES, Pieces, squares_of};
use super::solved::{SolvedValues, View};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;

/// The promotions of a class.
pub(crate) struct Promotions<'a, const N: usize> {
    solved: SolvedValues<'a>,
    layout: &'a Layout,
    /// Squares from which a piece that the class has may promote, by side and type.
    from: BySide<[Bitboard; MAX_TYPES]>,
    /// The classes that promotions lead to, and by [`number`] which one it is.
    classes: Vec<After<'a>>,
    class_of: Vec<u16>,
}

/// A class after a promotion.
enum After<'a> {
    /// The game is over.
    Over,
    Solved(View<'a>),
}

/// No captured piece.
const NOTHING: usize = MAX_TYPES;

/// The number of a promotion among all: who promotes what to what, and captures what.
fn number(turn: Side, kind: usize, becomes: usize, captured: usize) -> usize {
    ((turn.index() * MAX_TYPES + kind) * MAX_TYPES + becomes) * (MAX_TYPES + 1) + captured
}

impl<'a, const N: usize> Promotions<'a, N> {
    /// Finds where pieces of a class promote.
    pub(crate) fn new(solved: SolvedValues<'a>, layout: &'a Layout) -> Self {
        let mut from = BySide::<[Bitboard; MAX_TYPES]>::default();
        for side in Side::BOTH {
            for (kind, data) in solved.game.kinds[side].iter().enumerate() {
                if layout.class.0[side][kind] > 0 {
                    from[side][kind] = promotion_squares(data);
                }
            }
        }
        let mut promotions = Promotions {
            solved,
            layout,
            from,
            classes: vec![],
            class_of: vec![u16::MAX; number(Side::Black, MAX_TYPES, 0, 0)],
        };
        promotions.find_classes();
        promotions
    }

    /// Finds the class after every promotion. To find it for each position again takes longer than all the rest.
    fn find_classes(&mut self) {
        let (game, class) = (self.solved.game, self.layout.class);
        for turn in Side::BOTH {
            for (kind, data) in game.kinds[turn].iter().enumerate() {
                if self.from[turn][kind].is_empty() {
                    continue;
                }
                for p in data.promoting.iter().flatten() {
                    let here = |&prey: &usize| class.0[!turn][prey] > 0 && game.royal != Some(prey);
                    let preys = (0..MAX_TYPES).filter(here).filter(|_| p.capture);
                    for captured in preys.chain(p.quiet.then_some(NOTHING)) {
                        let place = number(turn, kind, p.becomes, captured);
                        if self.class_of[place] != u16::MAX {
                            continue;
                        }
                        let after = class.without(turn, kind).with(turn, p.becomes);
                        let after = if captured == NOTHING { after } else { after.without(!turn, captured) };
                        let after = if game.terminal(after) {
                            After::Over
                        } else if let Some(view) = self.solved.solved.view(game, after, self.solved.window) {
                            After::Solved(view)
                        } else {
                            // No position promotes so.
                            continue;
                        };
                        self.class_of[place] = self.classes.len() as u16;
                        self.classes.push(after);
                    }
                }
            }
        }
    }

    /// Lowers `out` (rows of `N` bytes) to the least value, for the opponent, that a promotion leads to.
    pub(crate) fn block(&self, slice: &Slice, b: usize, turn: Side, out: &mut [u8]) {
        let from = &self.from[turn];
        if from.iter().all(|set| set.is_empty()) {
            return;
        }
        let layout = self.layout;
        let fixed = layout.fixed(slice, b);
        let fixed_ready = fixed[turn].iter().zip(from).any(|(&set, &from)| (set & from).any());
        let ready_in = |g: usize| {
            let group = &layout.groups[g];
            if group.side == turn { from[group.kind] } else { Bitboard::EMPTY }
        };
        let (row_ready, column_ready) =
            (layout.row.map_or(Bitboard::EMPTY, ready_in), ready_in(layout.column));
        let occupied = slice.blocks[b].occupied;
        let row_squares = layout.row_squares(occupied);
        for (r, &ranks) in layout.rank_sets(row_squares).iter().enumerate() {
            let rows = squares_of(ranks, row_squares.0);
            let ready = fixed_ready || (rows & row_ready).any();
            for (c, column) in layout.column_squares(occupied).into_iter().enumerate() {
                if !rows.has(column) && (ready || column_ready.has(column)) {
                    let cell = &mut out[r * N + c];
                    *cell = (*cell).min(self.best(&layout.position(&fixed, rows, column), turn));
                }
            }
        }
    }

    /// The least value for the opponent after a promotion; 255 if there is none.
    fn best(&self, m: &Pieces, turn: Side) -> u8 {
        let game = self.solved.game;
        let prey = m.occupied_by(!turn);
        let occupied = m.occupied_by(turn) | prey;
        let mut best = 255;
        for (kind, data) in game.kinds[turn].iter().enumerate() {
            for from in m[turn][kind] & self.from[turn][kind] {
                for p in &data.promoting[from.index()] {
                    let to = p.step.to;
                    let open = p.quiet && !occupied.has(to) || p.capture && prey.has(to);
                    // A royal piece is never captured: the position before is illegal.
                    let regicide = game.royal.is_some_and(|royal| m[!turn][royal].has(to));
                    if !open || regicide || (p.step.path & occupied).any() {
                        continue;
                    }
                    let mut next = *m;
                    next[turn][kind] ^= from.bit();
                    next[turn][p.becomes] |= to.bit();
                    next[!turn].iter_mut().for_each(|set| *set &= !to.bit());
                    let captured = m[!turn].iter().position(|set| set.has(to)).unwrap_or(NOTHING);
                    let class = self.class_of[number(turn, kind, p.becomes, captured)];
                    best = best.min(match &self.classes[usize::from(class)] {
                        After::Over => game.over(&next, !turn),
                        After::Solved(view) => view.get(&next, !turn),
                    });
                }
            }
        }
        best
    }
}

/// Squares from which a piece may promote.
fn promotion_squares(kind: &Kind) -> Bitboard {
    let squares = kind.promoting.iter().enumerate().filter(|(_, list)| !list.is_empty());
    squares.map(|(s, _)| Square::new(s as u8)).collect()
}
