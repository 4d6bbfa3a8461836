//! When a game is over, and who has won.

use super::board::{code, piece};
use super::{Board, Plain, PlainKey, Step};
use crate::value::{Outcome, Side};
use crate::variant::{Bare, Objective};
use std::ops::ControlFlow::{self, Continue};

impl Plain {
    /// The result by rule, seen by the side to move.
    pub fn outcome(&self, board: &Board) -> Option<Outcome> {
        self.expand(board, &mut Vec::new())
    }

    /// The result by rule, seen by the side to move; and the legal moves, in any order, into a list that is emptied first. There
    /// may be moves although the game is drawn.
    pub fn expand(&self, board: &Board, steps: &mut Vec<Step>) -> Option<Outcome> {
        steps.clear();
        if let Some(decided) = self.decided(board) {
            return Some(decided);
        }
        self.undecided_moves(board, steps);
        let rules = &self.rules;
        let hopeful = |(cell, kind, side)| self.hopeful[self.number(kind, side, cell)];
        let out_of_reach = rules.key.is_some()
            && rules.royal.is_none()
            && rules.bare != Bare::Loses
            && rules.extinction.is_none()
            && !board.pieces().any(hopeful);
        if out_of_reach {
            return Some(Outcome::Draw);
        }
        if steps.is_empty() {
            if self.in_check(board, board.side) {
                return Some(rules.checkmate);
            }
            if let Some(key) = &rules.key
                && self.on_key(board, key, !board.side).next().is_some()
            {
                return Some(Outcome::Loss);
            }
            return Some(rules.stalemate);
        }
        let tired = rules.move_rule.is_some_and(|limit| board.clock >= limit);
        (tired || self.insufficient(board)).then_some(Outcome::Draw)
    }

    /// The result, if it is decided by what stands on the board, whatever moves there are.
    pub fn decided(&self, board: &Board) -> Option<Outcome> {
        let rules = &self.rules;
        let us = board.side;
        if let Some(key) = &rules.key {
            match key.objective {
                Objective::Hold if self.on_key(board, key, us).next().is_some() => return Some(Outcome::Win),
                Objective::Secure
                    if self.on_key(board, key, us).any(|cell| !self.attacked(board, cell, !us)) =>
                {
                    return Some(Outcome::Win);
                }
                Objective::Reach if self.on_key(board, key, !us).next().is_some() => {
                    return Some(Outcome::Loss);
                }
                _ => {}
            }
        }
        let has = |side: Side| board.pieces().any(|(_, _, owner)| owner == side);
        if rules.bare != Bare::Nothing && !(has(us) && has(!us)) {
            let survivor = if has(us) { us } else { !us };
            let won = if survivor == us { Outcome::Win } else { Outcome::Loss };
            return Some(match rules.bare {
                Bare::Loses => won,
                Bare::Key if self.reaches_alone(board, survivor) => won,
                _ => Outcome::Draw,
            });
        }
        let (kinds, result) = rules.extinction.as_ref()?;
        let gone =
            |side: Side| !kinds.iter().any(|&kind| board.cells[..rules.area()].contains(&code(kind, side)));
        if gone(us) {
            return Some(*result);
        }
        gone(!us).then_some(!*result)
    }

    /// The key squares of a side on which it has an eligible piece.
    fn on_key<'b>(
        &self,
        board: &'b Board,
        key: &'b PlainKey,
        side: Side,
    ) -> impl Iterator<Item = usize> + use<'b> {
        key.goals[side.index()].iter().map(|&cell| usize::from(cell)).filter(move |&cell| {
            piece(board.cells[cell])
                .is_some_and(|(kind, owner)| owner == side && key.eligible.contains(&kind))
        })
    }

    /// Material with which nobody can win.
    fn insufficient(&self, board: &Board) -> bool {
        let rules = &self.rules;
        let count =
            |kind: u8, side: Side| board.cells.iter().filter(|&&cell| cell == code(kind, side)).count();
        let is = |[white, black]: &[Vec<u8>; 2]| {
            (0..rules.pieces.len()).all(|kind| {
                count(kind as u8, Side::White) == usize::from(white[kind])
                    && count(kind as u8, Side::Black) == usize::from(black[kind])
            })
        };
        if rules.insufficient.iter().any(is) {
            return true;
        }
        if rules.same_colour.is_empty() {
            return false;
        }
        let mut colours = [false; 2];
        for (cell, kind, _) in board.pieces() {
            if rules.same_colour.contains(&kind) {
                let width = usize::from(rules.width);
                colours[(cell / width + cell % width) % 2] = true;
            } else if rules.royal != Some(kind) {
                return false;
            }
        }
        colours != [true, true]
    }

    /// For each square, side and type, in the order of their numbers: whether such a piece could ever come to count on its key.
    pub(super) fn hopeful(&self) -> Vec<bool> {
        let mut hopeful = vec![false; self.hopeful.len()];
        if self.rules.key.is_none() {
            return hopeful;
        }
        let empty = Board { cells: [0; 64], side: Side::White, rights: 0, passed: None, clock: 0, number: 1 };
        for cell in 0..self.rules.area() {
            for side in Side::BOTH {
                for kind in 0..self.rules.pieces.len() as u8 {
                    let number = self.number(kind, side, cell);
                    hopeful[number] = self.wanders_to_key(side, vec![(cell, kind)], &empty, true);
                }
            }
        }
        hopeful
    }

    /// Whether one of a side's pieces could come to count on its key where the enemy has none left. Pieces of its own that
    /// can never move again stay in the way.
    fn reaches_alone(&self, board: &Board, side: Side) -> bool {
        let pieces: Vec<(usize, u8)> = board.pieces().map(|(cell, kind, _)| (cell, kind)).collect();
        // All that cannot move are stuck; those that can may step aside, which may free others.
        let mut stuck = *board;
        loop {
            let moves = |cell: usize| {
                stuck.cells[cell] != 0
                    && self.walk(&stuck, cell, false, |_, _| ControlFlow::Break(())).is_break()
            };
            let free: Vec<usize> = pieces.iter().map(|&(cell, _)| cell).filter(|&cell| moves(cell)).collect();
            if free.is_empty() {
                break;
            }
            free.into_iter().for_each(|cell| stuck.cells[cell] = 0);
        }
        self.wanders_to_key(side, pieces, &stuck, false)
    }

    /// Whether one of some pieces, each alone among `others`, can get to count on the key. `open` has their squares and types.
    fn wanders_to_key(&self, side: Side, mut open: Vec<(usize, u8)>, others: &Board, any: bool) -> bool {
        let Some(key) = &self.rules.key else { return false };
        let mut seen = vec![false; 64 * self.rules.pieces.len()];
        while let Some((from, kind)) = open.pop() {
            if std::mem::replace(&mut seen[usize::from(kind) * 64 + from], true) {
                continue;
            }
            if key.goals[side.index()].contains(&(from as u8)) && key.eligible.contains(&kind) {
                return true;
            }
            let mut walking = *others;
            walking.cells[from] = code(kind, side);
            let rules = &self.rules.pieces[usize::from(kind)];
            let _: ControlFlow<()> = self.walk(&walking, from, any, |to, _| {
                let promotes = self.place(kind, side, to).zone;
                if promotes {
                    open.extend(rules.to[side.index()].iter().map(|&kind| (to, kind)));
                }
                if !promotes || rules.optional[side.index()] {
                    open.push((to, kind));
                }
                Continue(())
            });
        }
        false
    }
}
