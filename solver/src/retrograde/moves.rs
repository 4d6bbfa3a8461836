//! The quiet moves within a class, prepared: of groups of like pieces, of outer pieces from slice to slice, and of the row
//! and column pieces as translations.

use super::game::GameData;
use super::kind::Step;
use super::layout::{Layout, NONE, Slice};
use super::pieces::{rank, swapped_if};
use super::simd::{KILL, Row};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;

/// A quiet move of one of a group of like pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMove {
    /// Id of the group's set after it.
    pub(crate) to_id: u32,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// Squares between.
    pub(crate) path: Bitboard,
    /// Squares that must be empty: the path and the target.
    pub(crate) clear: Bitboard,
    /// Squares of enemies that capture *en passant*. If one stands there, whole blocks cannot make the move: see
    /// [`super::double_steps`]. None in classes without such enemies.
    pub(crate) guard: Bitboard,
}

/// All quiet steps of a type that are translates of one another.
#[derive(Debug)]
pub(crate) struct Shift {
    /// Target less origin.
    pub(crate) delta: i32,
    /// Squares that must be empty, less the origin.
    pub(crate) path: Vec<i32>,
    /// The origins of the step.
    pub(crate) from: Bitboard,
    /// By origin: the target, as a table for look-ups.
    pub(crate) to: Vec<u8>,
    /// By square: the origins whose path it is on.
    pub(crate) through: Vec<Bitboard>,
    /// By origin, as in [`GroupMove`].
    pub(crate) guard: Vec<Bitboard>,
    /// The origins with a guard.
    pub(crate) guarded: Bitboard,
}

impl Shift {
    /// Origins from which path and target are within `free`.
    #[inline]
    pub(crate) fn open(&self, free: Bitboard) -> Bitboard {
        let pull = |d: i32| Bitboard(if d >= 0 { free.0 >> d } else { free.0 << -d });
        self.path.iter().fold(self.from & free & pull(self.delta), |open, &p| open & pull(p))
    }

    /// The squares that must be empty for the step from an origin.
    #[inline]
    pub(crate) fn way(&self, from: Square) -> Bitboard {
        Bitboard(self.path.iter().fold(0, |way, &d| way | 1 << (from.index() as i32 + d)))
    }

    /// Of some origins those that enemies on these squares guard.
    #[inline]
    pub(crate) fn answered(&self, origins: Bitboard, enemies: Bitboard) -> Bitboard {
        let guarded = (origins & self.guarded).into_iter();
        guarded.filter(|from| (self.guard[from.index()] & enemies).any()).collect()
    }
}

/// A move of an outer piece: to another slice, as a symmetry shows it.
#[derive(Debug)]
pub(crate) struct OuterMove {
    /// The slice that it leads to.
    pub(crate) slice: u32,
    /// The position of that slice in [`SliceMoves::inputs`].
    pub(crate) input: u8,
    pub(crate) symmetry: u8,
    /// Squares that must be empty.
    pub(crate) clear: Bitboard,
    /// As in [`GroupMove`].
    pub(crate) guard: Bitboard,
    /// For each middle group: by id what it adds to the block number there.
    parts: Vec<Vec<u32>>,
}

/// A slice with one side to move.
pub(crate) type SliceSide = (u32, Side);

/// The moves from a slice to others, by side to move.
#[derive(Default, Debug)]
pub(crate) struct SliceMoves {
    pub(crate) outer: [Vec<OuterMove>; 2],
    /// What the side to move reads: first the same slice with the other side to move, then the slices that outer moves
    /// lead to. For a slice that is not kept here only the latter.
    pub(crate) inputs: [Vec<SliceSide>; 2],
}

/// Where a move of an outer piece leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OuterStep<'m> {
    /// The side that moves.
    pub(crate) turn: Side,
    /// The slice that it leads to, and the side to move there.
    pub(crate) to: SliceSide,
    symmetry: u8,
    step: &'m GroupMove,
}

/// The moves of a class.
#[derive(Debug)]
pub(crate) struct Moves {
    /// `[group][id]`.
    pub(crate) group: Vec<Vec<Vec<GroupMove>>>,
    /// Of the column piece.
    pub(crate) column: Vec<Shift>,
    /// Of each row piece.
    pub(crate) row: Vec<Shift>,
    /// By slice.
    pub(crate) slices: Vec<SliceMoves>,
    /// The types that may answer a double step *en passant*, a bit each; 0 where none can.
    pub(crate) captors: u32,
}

impl Moves {
    /// Prepares the moves of a class, but of the outer moves only those into slices that are kept here.
    pub(crate) fn new(game: &GameData<'_>, layout: &Layout, kept: &dyn Fn(usize) -> bool) -> Moves {
        let mut moves = Moves::without_outer(game, layout);
        moves.slices = (0..layout.slices.len()).map(|i| moves.slice_moves(layout, i, kept)).collect();
        moves
    }

    /// The moves of a class without those from slice to slice.
    pub(crate) fn without_outer(game: &GameData<'_>, layout: &Layout) -> Moves {
        let captors = if layout.class.may_capture_en_passant(game) { game.captors } else { 0 };
        let guard = |step: &Step| if captors != 0 { step.guard } else { Bitboard::EMPTY };
        let quiet = |g: usize| &game.kinds[layout.groups[g].side][layout.groups[g].kind].quiet;
        let moves_of = |g: usize, set: Bitboard| {
            let allowed = layout.groups[g].allowed;
            let mut list = vec![];
            for from in set {
                for step in &quiet(g)[from.index()] {
                    if (set & step.clear()).is_empty() && allowed.has(step.to) {
                        list.push(GroupMove {
                            to_id: rank(set ^ (from.bit() | step.to.bit()), allowed) as u32,
                            from,
                            to: step.to,
                            path: step.path,
                            clear: step.clear(),
                            guard: guard(step),
                        });
                    }
                }
            }
            list
        };
        let group = (0..layout.groups.len())
            .map(|g| layout.groups[g].sets.iter().map(|&set| moves_of(g, set)).collect())
            .collect();
        let shifts = |g: usize| shifts(quiet(g), layout.groups[g].allowed, guard);
        let row = layout.row.map_or(vec![], shifts);
        Moves { group, column: shifts(layout.column), row, slices: vec![], captors }
    }

    /// Calls `found` with every outer move from a slice.
    pub(crate) fn outer_steps(&self, layout: &Layout, i: usize, mut found: impl FnMut(OuterStep<'_>)) {
        let slice = &layout.slices[i];
        for (k, &g) in layout.outer.iter().enumerate() {
            let turn = layout.groups[g].side;
            for step in &self.group[g][slice.outer[k] as usize] {
                if (step.clear & slice.occupied).any() {
                    continue;
                }
                let mut ids = slice.outer.clone();
                ids[k] = step.to_id;
                let number = layout
                    .outer
                    .iter()
                    .zip(&ids)
                    .fold(0, |n, (&g, &id)| n * layout.groups[g].sets.len() + id as usize);
                let (slice, symmetry) = layout.orbit[number];
                let swap = layout.symmetries[usize::from(symmetry)].swap;
                found(OuterStep { turn, to: (slice, swapped_if(swap, !turn)), symmetry, step });
            }
        }
    }

    fn slice_moves(&self, layout: &Layout, i: usize, kept: &dyn Fn(usize) -> bool) -> SliceMoves {
        let mut list = SliceMoves::default();
        if kept(i) {
            for turn in Side::BOTH {
                list.inputs[turn.index()].push((i as u32, !turn));
            }
        }
        self.outer_steps(layout, i, |OuterStep { turn, to, symmetry, step }| {
            if !kept(to.0 as usize) {
                return;
            }
            let inputs = &mut list.inputs[turn.index()];
            let input = inputs.iter().position(|&x| x == to).unwrap_or_else(|| {
                inputs.push(to);
                inputs.len() - 1
            });
            list.outer[turn.index()].push(OuterMove {
                slice: to.0,
                input: input as u8,
                symmetry,
                clear: step.clear,
                guard: step.guard,
                parts: parts(layout, &layout.slices[to.0 as usize], usize::from(symmetry)),
            });
        });
        list
    }
}

/// What the sets of the middle groups add to the number of a block of the slice `to`, which symmetry `s` leads to.
fn parts(layout: &Layout, to: &Slice, s: usize) -> Vec<Vec<u32>> {
    let part = |&g: &usize| {
        let image = layout.image[s][g];
        let j = layout.middle.iter().position(|&x| x == image).expect("middle groups become middle groups");
        let ids = &layout.id_map[s][g];
        // Sets that are not in the slice wrap around; no block with them is asked for.
        ids.iter().map(|&id| u32::from(to.local[j][id as usize]).wrapping_mul(to.stride[j])).collect()
    };
    layout.middle.iter().map(part).collect()
}

impl OuterMove {
    /// The number of the block that it leads to from block `b`, or [`NONE`].
    #[inline]
    pub(crate) fn block(&self, layout: &Layout, slice: &Slice, b: usize) -> u32 {
        let block = &slice.blocks[b];
        if (self.clear & block.occupied).any() {
            return NONE;
        }
        let number = self.parts.iter().zip(&block.middle).fold(0, |n, (part, &id)| n + part[usize::from(id)]);
        layout.slices[self.slice as usize].block_of[number as usize]
    }
}

/// Steps grouped by translation and path.
fn shifts(steps: &[Vec<Step>], allowed: Bitboard, guard: impl Fn(&Step) -> Bitboard) -> Vec<Shift> {
    let mut list: Vec<Shift> = vec![];
    for from in allowed {
        let s = from.index();
        let less = |square: Square| square.index() as i32 - s as i32;
        for step in steps[s].iter().filter(|step| allowed.has(step.to)) {
            let delta = less(step.to);
            let path: Vec<i32> = step.path.into_iter().map(less).collect();
            let k = list.iter().position(|x| x.delta == delta && x.path == path).unwrap_or_else(|| {
                list.push(Shift {
                    delta,
                    path,
                    from: Bitboard::EMPTY,
                    to: vec![KILL; 64],
                    through: vec![Bitboard::EMPTY; 64],
                    guard: vec![Bitboard::EMPTY; 64],
                    guarded: Bitboard::EMPTY,
                });
                list.len() - 1
            });
            let shift = &mut list[k];
            shift.from |= from.bit();
            shift.to[s] = step.to.index() as u8;
            shift.guard[s] = guard(step);
            if guard(step).any() {
                shift.guarded |= from.bit();
            }
            for square in step.path {
                shift.through[square.index()] |= from.bit();
            }
        }
    }
    list
}

/// The first `N` entries of a table by square.
#[inline(always)]
pub(crate) fn by_square<const N: usize>(table: &[u8]) -> &Row<N> {
    table.first_chunk().expect("tables by square have 64 entries")
}
