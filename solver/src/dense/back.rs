//! Moves taken back: more than there are, never fewer.

use super::layout::KINDS;
use super::placed::{Placed, squares};
use jewel_engine::bitboard::Square;
use jewel_engine::value::Side;
use jewel_engine::variant::{Captures, Rules};

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
pub(super) struct Back<'r> {
    rules: &'r Rules,
    kinds: usize,
    /// By side, type and square.
    origins: [Vec<Vec<Vec<Origin>>>; 2],
    /// By side and type: the types that it may have been before the move.
    formers: [Vec<Vec<usize>>; 2],
}

impl<'r> Back<'r> {
    pub(super) fn new(rules: &'r Rules) -> Back<'r> {
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
        Back { rules, kinds, origins, formers }
    }

    /// Visits the positions from which a move may have led to this one.
    #[inline]
    pub(super) fn visit(&self, after: &Placed, mut visit: impl FnMut(&Placed)) {
        let us = !after.turn;
        let (u, t) = (us.index(), after.turn.index());
        let occupied = after.occupied();
        let captures = self.rules.hand.map_or(Captures::Nobody, |hand| hand.captures);
        for kind in 0..self.kinds {
            for to in squares(after.board[u][kind]) {
                let mut before = Placed { turn: us, ..*after };
                before.board[u][kind] &= !to.bit().0;
                if let Some(held) = self.rules.dropped_from(kind as u8) {
                    let mut held_before = before;
                    held_before.hand[u][usize::from(held)] += 1;
                    visit(&held_before);
                }
                for &former in &self.formers[u][kind] {
                    for origin in &self.origins[u][former][to.index()] {
                        if (origin.path | origin.from.bit().0) & occupied != 0 {
                            continue;
                        }
                        let mut before = before;
                        before.board[u][former] |= origin.from.bit().0;
                        if origin.quiet {
                            visit(&before);
                        }
                        if origin.capture {
                            self.captured(&before, to, t, captures, &mut visit);
                        }
                    }
                }
            }
        }
    }

    /// Visits the positions in which something was captured that is now in a hand, or out of the game.
    #[inline]
    fn captured(
        &self,
        before: &Placed,
        to: Square,
        t: usize,
        captures: Captures,
        visit: &mut impl FnMut(&Placed),
    ) {
        for prey in 0..self.kinds {
            let mut before = *before;
            before.board[t][prey] |= to.bit().0;
            let owner = match captures {
                Captures::Captor => Some(1 - t),
                Captures::Owner => Some(t),
                Captures::Nobody => None,
            };
            if let (Some(owner), Some(held)) = (owner, self.rules.in_hand(prey as u8)) {
                let count = &mut before.hand[owner][usize::from(held)];
                if *count == 0 {
                    continue;
                }
                *count -= 1;
            }
            visit(&before);
        }
    }
}
