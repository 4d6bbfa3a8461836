//! Moves: each piece walks, each move is tried.

use super::board::{code, piece};
use super::{Board, Cell, NOWHERE, Plain};
use crate::betza::{Motion, Range};
use crate::value::Side;
use std::ops::ControlFlow::{self, Break, Continue};

/// A legal move.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    text: u64,
    from: Cell,
    to: Cell,
    /// The piece that stands on the target afterwards.
    code: u8,
    besides: Besides,
}

impl Step {
    /// Its text: origin, target, letter of a promotion.
    pub fn text(&self) -> String {
        let bytes = self.text.to_be_bytes();
        bytes.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
    }

    fn captures(&self, board: &Board) -> bool {
        board.cells[usize::from(self.to)] != 0 && !matches!(self.besides, Besides::Castles(_))
            || matches!(self.besides, Besides::Takes(_))
    }
}

/// What a move does besides moving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Besides {
    Nothing,
    /// It is a double step that can be answered *en passant*.
    Double,
    /// It takes the piece on this square *en passant*.
    Takes(Cell),
    /// It is the castling move of this number.
    Castles(u8),
}

impl Plain {
    /// Calls `visit` with each target of the piece on a square, and the motion that leads there, whatever the danger to the
    /// king. `any` lets it capture on empty squares and its own pieces too.
    pub(super) fn walk<B>(
        &self,
        board: &Board,
        from: usize,
        any: bool,
        mut visit: impl FnMut(usize, &Motion) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some((kind, side)) = piece(board.cells[from]) else { return Continue(()) };
        for walk in &self.walks[usize::from(kind)][side.index()] {
            let motion = &walk.motion;
            if motion.initial && !self.place(kind, side, from).initial {
                continue;
            }
            let full = |(x, y)| self.step(from, x, y).is_none_or(|leg| board.cells[leg] != 0);
            if walk.next[from] == NOWHERE {
                continue;
            }
            if motion.lame && motion.legs().into_iter().any(full) {
                continue;
            }
            let most = match motion.range {
                Range::Leap => 1,
                Range::UpTo(n) => i32::from(n),
                Range::Unlimited => 63,
            };
            let mut to = from;
            for _ in 0..most {
                let next = walk.next[to];
                if next == NOWHERE {
                    break;
                }
                to = next.into();
                let there = piece(board.cells[to]);
                let good = match there {
                    None => motion.quiet || any && motion.capture,
                    Some((_, owner)) => motion.capture && (any || owner != side),
                };
                if good {
                    visit(to, motion)?;
                }
                if there.is_some() || motion.range != Range::Leap && self.blocking[to] {
                    break;
                }
            }
        }
        Continue(())
    }

    /// Whether a side could capture on a square.
    pub(super) fn attacked(&self, board: &Board, target: usize, by: Side) -> bool {
        board.pieces().any(|(from, _, side)| {
            let hits =
                |to, motion: &Motion| if to == target && motion.capture { Break(()) } else { Continue(()) };
            side == by && self.walk(board, from, true, hits).is_break()
        })
    }

    /// Whether a side's king could be taken.
    pub fn in_check(&self, board: &Board, side: Side) -> bool {
        let Some(royal) = self.rules.royal else { return false };
        let king = board.cells.iter().position(|&cell| cell == code(royal, side));
        king.is_some_and(|king| self.attacked(board, king, !side))
    }

    /// The legal moves, sorted by their texts as strings of bytes.
    pub fn moves(&self, board: &Board) -> Vec<Step> {
        let mut steps = Vec::new();
        self.moves_into(board, &mut steps);
        steps
    }

    /// The same, into a list that is emptied first.
    pub fn moves_into(&self, board: &Board, steps: &mut Vec<Step>) {
        steps.clear();
        if self.decided(board).is_none() {
            self.undecided_moves(board, steps);
            steps.sort_unstable_by_key(|step| step.text);
        }
    }

    /// The step whose text has this number among those of all legal moves, from 0. They may be in any order, and are put into
    /// another one.
    pub fn numbered(steps: &mut [Step], number: usize) -> Option<&Step> {
        (number < steps.len()).then(|| &*steps.select_nth_unstable_by_key(number, |step| step.text).1)
    }

    /// Appends the legal moves, in any order, where what stands on the board has not decided the game.
    pub(super) fn undecided_moves(&self, board: &Board, steps: &mut Vec<Step>) {
        let us = board.side;
        for (from, kind, _) in board.pieces().filter(|&(_, _, side)| side == us) {
            let first = steps.len();
            self.piece_moves(board, from, kind, steps);
            // Two motions may lead to the same square.
            let mut n = if self.overlaps[usize::from(kind)] { first } else { steps.len() };
            while n < steps.len() {
                if steps[first..n].iter().any(|other| other.text == steps[n].text) {
                    steps.swap_remove(n);
                } else {
                    n += 1;
                }
            }
            if let Some(step) = board.passed.and_then(|passed| self.en_passant(board, from, passed.into())) {
                steps.push(step);
            }
        }
        let plain = steps.len();
        for number in 0..self.rules.castles.len() {
            if let Some((mut step, rook_text)) = self.castle(board, number) {
                // Where a castling has the squares of a plain step, the rook's square tells them apart.
                if steps[..plain].iter().any(|other| other.text == step.text) {
                    step.text = rook_text;
                }
                steps.push(step);
            }
        }
        if self.rules.must_capture && steps.iter().any(|step| step.captures(board)) {
            steps.retain(|step| step.captures(board));
        }
        if !self.rules.castles.is_empty() || board.passed.is_some() {
            steps.sort_unstable_by_key(|step| step.text);
            steps.dedup_by_key(|step| step.text);
        }
    }

    fn piece_moves(&self, board: &Board, from: usize, kind: u8, steps: &mut Vec<Step>) {
        let us = board.side;
        let rules = &self.rules.pieces[usize::from(kind)];
        let mut push = |to: usize, becomes: Option<u8>, double: bool| {
            let step = Step {
                text: self.move_text(from, to, becomes),
                from: from as Cell,
                to: to as Cell,
                code: code(becomes.unwrap_or(kind), us),
                besides: if double { Besides::Double } else { Besides::Nothing },
            };
            if self.is_legal(board, &step) {
                steps.push(step);
            }
        };
        let mut add = |to: usize, double: bool| {
            let choices = &rules.to[us.index()];
            if choices.is_empty() || !self.place(kind, us, to).zone {
                return push(to, None, double);
            }
            choices.iter().for_each(|&kind| push(to, Some(kind), double));
            if rules.optional[us.index()] {
                push(to, None, double);
            }
        };
        if !rules.en_passant {
            let _: ControlFlow<()> = self.walk(board, from, false, |to, _| {
                add(to, false);
                Continue(())
            });
            return;
        }
        let forward = if us == Side::White { 2 } else { -2 };
        let doubles = |m: &Motion| {
            (m.dx, m.dy, m.initial, m.lame, m.quiet, m.capture) == (0, forward, true, true, true, false)
        };
        // A double step that is an ordinary move too is none.
        let (mut plain, mut double) = (vec![], vec![]);
        let _: ControlFlow<()> = self.walk(board, from, false, |to, motion| {
            if doubles(motion) {
                double.push(to)
            } else {
                plain.push(to)
            }
            Continue(())
        });
        double.retain(|to| !plain.contains(to));
        plain.into_iter().for_each(|to| add(to, false));
        double.into_iter().for_each(|to| add(to, true));
    }

    fn move_text(&self, from: usize, to: usize, becomes: Option<u8>) -> u64 {
        let ((from, a), (to, b)) = (self.names[from], self.names[to]);
        let text = from << (64 - a) | to << (64 - a - b);
        match becomes {
            None => text,
            Some(kind) => {
                let letter = self.rules.pieces[usize::from(kind)].letter.to_ascii_lowercase();
                text | u64::from(letter as u8) << (56 - a - b)
            }
        }
    }

    /// What stands where after a step.
    fn moved(&self, board: &Board, step: &Step) -> [u8; 64] {
        let mut cells = board.cells;
        if let Besides::Takes(victim) = step.besides {
            cells[usize::from(victim)] = 0;
        }
        cells[usize::from(step.from)] = 0;
        if let Besides::Castles(number) = step.besides {
            let [from, to] = self.rules.castles[usize::from(number)].rook.map(usize::from);
            cells[from] = 0;
            cells[to] = board.cells[from];
        }
        cells[usize::from(step.to)] = step.code;
        cells
    }

    /// Whether a step leaves the own king where it cannot be taken.
    fn is_legal(&self, board: &Board, step: &Step) -> bool {
        self.rules.royal.is_none()
            || !self.in_check(&Board { cells: self.moved(board, step), ..*board }, board.side)
    }

    /// The state after a legal step.
    pub fn after(&self, board: &Board, step: &Step) -> Board {
        let mut next = Board { cells: self.moved(board, step), ..*board };
        let kind = usize::from((board.cells[usize::from(step.from)] - 1) / 2);
        let resets = step.captures(board) || self.rules.pieces[kind].resets_clock;
        next.clock = if resets { 0 } else { board.clock.saturating_add(1) };
        for (number, castle) in self.rules.castles.iter().enumerate() {
            if [castle.king[0], castle.rook[0]].iter().any(|home| [step.from, step.to].contains(home)) {
                next.rights &= !(1 << number);
            }
        }
        self.hand_over(&mut next);
        if step.besides == Besides::Double {
            next.passed = Some(((u16::from(step.from) + u16::from(step.to)) / 2) as Cell);
            self.forget_passed(&mut next);
        }
        next
    }

    /// Lets the other side move.
    fn hand_over(&self, board: &mut Board) {
        board.number = board.number.saturating_add(board.side.index() as u16);
        board.side = !board.side;
        board.passed = None;
    }

    /// A passed square on which nobody can capture is not part of the position.
    pub(super) fn forget_passed(&self, board: &mut Board) {
        let Some(passed) = board.passed else { return };
        if !board.pieces().any(|(from, ..)| self.en_passant(board, from, passed.into()).is_some()) {
            board.passed = None;
        }
    }

    /// The capture *en passant* of the piece on a square, if it is legal.
    fn en_passant(&self, board: &Board, from: usize, target: usize) -> Option<Step> {
        let us = board.side;
        let (kind, _) = piece(board.cells[from]).filter(|(_, side)| *side == us)?;
        if !self.rules.pieces[usize::from(kind)].en_passant || !self.place(kind, us, target).territory {
            return None;
        }
        let takes = |m: &Motion| {
            m.capture
                && !m.lame
                && m.range == Range::Leap
                && (!m.initial || self.place(kind, us, from).initial)
                && self.step(from, m.dx.into(), m.dy.into()) == Some(target)
        };
        if !self.walks[usize::from(kind)][us.index()].iter().any(|walk| takes(&walk.motion)) {
            return None;
        }
        let victim = self.step(target, 0, if us == Side::White { -1 } else { 1 })?;
        if piece(board.cells[victim]).is_none_or(|(_, side)| side == us) || board.cells[target] != 0 {
            return None;
        }
        let step = Step {
            text: self.move_text(from, target, None),
            from: from as Cell,
            to: target as Cell,
            code: code(kind, us),
            besides: Besides::Takes(victim as Cell),
        };
        self.is_legal(board, &step).then_some(step)
    }

    /// A castling move, if it is legal, and its text with the rook's square.
    fn castle(&self, board: &Board, number: usize) -> Option<(Step, u64)> {
        let castle = &self.rules.castles[number];
        let us = board.side;
        if board.rights >> number & 1 == 0 || castle.side != us {
            return None;
        }
        let [king, rook] = [castle.king, castle.rook].map(|pair| pair.map(usize::from));
        let between = |[a, b]: [usize; 2]| a.min(b)..=a.max(b);
        let own = [king[0], rook[0]];
        if between(king).chain(between(rook)).any(|cell| !own.contains(&cell) && board.cells[cell] != 0) {
            return None;
        }
        if self.rules.royal == Some(castle.king_kind) {
            for cell in between(king) {
                let mut walking = *board;
                walking.cells[king[0]] = 0;
                walking.cells[cell] = board.cells[king[0]];
                if self.attacked(&walking, cell, !us) {
                    return None;
                }
            }
        }
        let step = Step {
            text: self.move_text(king[0], king[1], None),
            from: king[0] as Cell,
            to: king[1] as Cell,
            code: board.cells[king[0]],
            besides: Besides::Castles(number as u8),
        };
        if !self.is_legal(board, &step) {
            return None;
        }
        Some((step, self.move_text(king[0], rook[0], None)))
    }

    /// The number of sequences of moves of a length.
    pub fn perft(&self, board: &Board, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.moves(board).iter().map(|step| self.perft(&self.after(board, step), depth - 1)).sum(),
        }
    }
}
