//! The routes behind a move: one and the same move may be made in several ways.

use super::{Crystal, Move};
use crate::bitboard::{Bitboard, Square};

impl Crystal {
    /// The atoms on which an electron lands on its way, the end among them: of the shortest routes the one
    /// whose text sorts first. Nothing for the pass.
    pub fn route(&self, mv: Move) -> Vec<Square> {
        if mv.is_pass() {
            return Vec::new();
        }
        if self.lattice.neighbours(mv.from).has(mv.to) {
            return vec![mv.to];
        }
        let occupied = self.occupied() & !mv.from.bit();
        // Jumps can be made backwards as well, so that the waves from the end tell how far it still is.
        let mut waves = vec![mv.to.bit()];
        let mut reached = mv.to.bit();
        while !reached.has(mv.from) {
            let last = waves.last().copied().unwrap_or_default();
            let next = last.into_iter().fold(Bitboard::EMPTY, |set, a| set | self.landings(a, occupied));
            let new = next & !reached;
            if new.is_empty() {
                // Without any route the move is not legal.
                return Vec::new();
            }
            reached |= new;
            waves.push(new);
        }
        waves.pop();
        let mut route: Vec<Square> = Vec::new();
        while let Some(wave) = waves.pop() {
            let at = route.last().copied().unwrap_or(mv.from);
            let open = self.landings(at, occupied) & wave;
            let next = open.into_iter().min_by_key(|&atom| self.lattice.name(atom));
            route.extend(next);
        }
        route
    }

    /// Whether these landings, in this order, are a way in which an electron of this atom can go.
    pub(super) fn is_route(&self, from: Square, landings: &[Square]) -> bool {
        let occupied = self.occupied() & !from.bit();
        if let [to] = landings
            && (self.lattice.neighbours(from) & !occupied).has(*to)
        {
            return true;
        }
        let mut seen = from.bit();
        let mut at = from;
        landings.iter().all(|&to| {
            let legal = self.landings(at, occupied).has(to) && !seen.has(to);
            seen |= to.bit();
            at = to;
            legal
        })
    }
}
