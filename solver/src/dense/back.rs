//! Moves taken back: from a cell to those from which a move may lead to it. More than there are, never fewer: what the rules
//! say of a move beyond how pieces move, such as check or where a piece may be dropped, the rules engine is asked.

use super::children::{Step, View};
use super::layout::{KINDS, Layout, NO_CLASS};
use super::placed::Placed;
use jewel_engine::bitboard::Square;
use jewel_engine::chesslike::{ChessLike, Move, MoveTag, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use std::ops::ControlFlow;

/// One way on which a piece may have come to a square.
#[derive(Clone, Copy, Debug)]
struct Origin {
    from: Square,
    /// Squares on the way, which were empty.
    path: u64,
    quiet: bool,
    capture: bool,
}

/// How moves are taken back in a game.
#[derive(Debug)]
pub(super) struct Back {
    /// By side, type and square.
    origins: [Vec<Vec<Vec<Origin>>>; 2],
    /// By side and type: the types that it may have been before the move.
    formers: [Vec<Vec<usize>>; 2],
}

impl Back {
    pub(super) fn new(rules: &Rules) -> Back {
        let kinds = rules.type_count().min(KINDS);
        let count = rules.geometry.squares().count();
        let origins = Side::BOTH.map(|side| {
            let of_kind = |kind: usize| {
                let mut to = vec![vec![]; count];
                for from in rules.geometry.squares() {
                    for m in rules.motions(kind as u8, side, from) {
                        let (path, quiet, capture) = (m.path.0, m.quiet, m.capture);
                        to[m.to.index()].push(Origin { from, path, quiet, capture });
                    }
                }
                to
            };
            (0..kinds).map(of_kind).collect()
        });
        let formers = Side::BOTH.map(|side| {
            let becomes = |former: usize, kind: usize| {
                former == kind
                    || rules.promotion(former as u8, side).is_some_and(|p| p.to.contains(&(kind as u8)))
            };
            (0..kinds).map(|kind| (0..kinds).filter(|&former| becomes(former, kind)).collect()).collect()
        });
        Back { origins, formers }
    }
}

/// A move that may have led to a position, and the cell that it has led from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent {
    pub(super) cell: u64,
    pub(super) class: u32,
    step: Step,
}

/// A position as the side sees it that has moved last, to take its moves back.
pub(super) struct Parents<'a, 'r, const N: usize> {
    layout: &'a Layout<'r>,
    back: &'a Back,
    class: u32,
    mover: Side,
    view: View<'a, 'r, N>,
}

impl<'a, 'r, const N: usize> Parents<'a, 'r, N> {
    /// Those of a position, of which the class is known.
    #[inline]
    pub(super) fn new(layout: &'a Layout<'r>, back: &'a Back, class: u32, placed: &Placed<N>) -> Self {
        let (seen, mover) = match &layout.exchange_back {
            Some(map) => (map.boards(&[placed.board[1], placed.board[0]]), placed.turn),
            None => (placed.board, !placed.turn),
        };
        Parents { layout, back, class, mover, view: View::new(layout, mover, seen) }
    }

    /// Visits the cells from which a move may have led to this position.
    #[inline]
    pub(super) fn visit(&mut self, mut visit: impl FnMut(Parent)) {
        let (layout, back, mover) = (self.layout, self.back, self.mover.index());
        let rules = layout.rules;
        let pieces = self.view.upright[mover];
        let only_leader = self.view.leaves();
        let mut occupied = 0;
        for side in &self.view.upright {
            for set in side {
                occupied |= set;
            }
        }
        let mut found = |step: Step, change: usize| {
            let class = layout.class_before(self.class, mover, change);
            if class != NO_CLASS
                && let Some(cell) = self.view.place(&step, class).cell()
            {
                visit(Parent { cell, class, step });
            }
        };
        for (kind, &set) in pieces.iter().enumerate().take(layout.kinds()) {
            // Where the pair of royal pieces has no cell, only moves of theirs have led from one.
            if only_leader && layout.leader != Some(kind as u8) {
                continue;
            }
            let mut set = set;
            while set != 0 {
                let to = set.trailing_zeros() as usize;
                set &= set - 1;
                let (mover, kind) = (mover as u8, kind as u8);
                let dropped =
                    Step { mover, kind, becomes: kind, prey: None, from: None, to: to as u8, at: to as u8 };
                if rules.dropped_from(kind).is_some() {
                    found(dropped, layout.changes.of_drop(kind));
                }
                for &former in &back.formers[usize::from(mover)][usize::from(kind)] {
                    for origin in &back.origins[usize::from(mover)][former][to] {
                        if (origin.path | origin.from.bit().0) & occupied != 0 {
                            continue;
                        }
                        let (former, from) = (former as u8, origin.from.index() as u8);
                        let quiet = Step { kind: former, from: Some(from), at: from, ..dropped };
                        if origin.quiet {
                            found(quiet, layout.changes.of_move(former, kind, None));
                        }
                        if origin.capture {
                            for prey in 0..layout.kinds() as u8 {
                                let capture = Step { prey: Some(prey), ..quiet };
                                found(capture, layout.changes.of_move(former, kind, Some(prey)));
                            }
                        }
                    }
                }
            }
        }
    }

    /// The position that a move has led from.
    #[inline]
    pub(super) fn before(&self, parent: &Parent) -> Placed<N> {
        let mut placed = Placed { board: self.view.upright, ..Placed::empty(self.mover) };
        parent.step.toggle(&mut placed.board, |square| square);
        placed.hand = self.layout.hands_of(parent.class);
        placed
    }

    /// Whether the rules allow the move.
    #[inline]
    pub(super) fn is_legal<S: RuleSubset>(&self, parent: &Parent) -> bool {
        let position: ChessLike<'r, S, N> = self.before(parent).position(self.layout.rules);
        let step = &parent.step;
        let same = |mv: Move| {
            mv.to.index() == usize::from(step.to)
                && mv.kind == step.kind
                && mv.becomes() == step.becomes
                && match step.from {
                    Some(from) => mv.tag() != MoveTag::Drop && mv.from.index() == usize::from(from),
                    None => mv.tag() == MoveTag::Drop,
                }
        };
        let stop_at = |mv| if same(mv) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        position.moves(stop_at).is_break()
    }
}
