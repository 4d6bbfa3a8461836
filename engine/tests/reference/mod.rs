//! A second move generator, slow and plain: a mailbox of squares, pieces that walk, legality by trying each
//! move and asking whether the king can be taken. It shares the reading of Betza words with the engine and
//! nothing else.

pub(crate) mod spec;

use jewel_engine::betza::{self, Motion, Range};
use jewel_engine::value::Outcome;
use spec::{Objective, Side, Spec, Sq, name};
use std::collections::HashSet;

/// A legal move and what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) next: Board,
}

/// The state of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Board {
    cells: Vec<Option<(char, Side)>>,
    side: Side,
    rights: Vec<bool>,
    passed: Option<Sq>,
    clock: u32,
    number: u32,
}

/// The rules with what is worked out once.
pub(crate) struct Reference<'a> {
    spec: &'a Spec,
    /// Motions by piece, Black's turned.
    motions: Vec<[Vec<Motion>; 2]>,
    start: Board,
}

impl<'a> Reference<'a> {
    /// The rules of a specification. Its start has no castling field or all rights of the specification.
    pub(crate) fn new(spec: &'a Spec) -> Reference<'a> {
        let turn = |m: &Motion| Motion { dy: -m.dy, ..*m };
        let motions = spec.pieces.iter().map(|p| {
            let white = betza::parse(&p.moves).unwrap();
            let black = white.iter().map(turn).collect();
            [white, black]
        });
        let motions = motions.collect();
        let start = Board::read(spec, &spec.start);
        Reference { spec, motions, start }
    }

    fn motions(&self, letter: char, side: Side) -> &[Motion] {
        &self.motions[self.spec.pieces.iter().position(|p| p.letter == letter).unwrap()][side]
    }

    fn on(&self, (x, y): Sq) -> bool {
        (0..self.spec.width).contains(&x) && (0..self.spec.height).contains(&y)
    }

    fn cell(&self, board: &Board, (x, y): Sq) -> Option<(char, Side)> {
        board.cells[(y * self.spec.width + x) as usize]
    }

    fn set(&self, board: &mut Board, (x, y): Sq, piece: Option<(char, Side)>) {
        board.cells[(y * self.spec.width + x) as usize] = piece;
    }

    fn squares(&self) -> impl Iterator<Item = Sq> + use<> {
        let (width, height) = (self.spec.width, self.spec.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    /// Whether a piece never turns back, so that its moves count as progress.
    fn resets(&self, letter: char) -> bool {
        self.motions(letter, 0).iter().all(|m| m.dy > 0)
    }

    fn at_home(&self, letter: char, side: Side, from: Sq) -> bool {
        self.cell(&self.start, from) == Some((letter, side))
    }

    fn inside(&self, letter: char, side: Side, (_, rank): Sq) -> bool {
        let territory = &self.spec.piece(letter).territory[side];
        territory.is_empty() || territory.contains(&rank)
    }

    /// The squares that a leap passes: straight along the longer axis first, then diagonally.
    fn legs(motion: &Motion) -> Vec<Sq> {
        let (dx, dy) = (i32::from(motion.dx), i32::from(motion.dy));
        let (long, short) = (dx.abs().max(dy.abs()), dx.abs().min(dy.abs()));
        let along = |n: i32, d: i32| {
            if d.abs() == long { n * d.signum() } else { (n - (long - short)).max(0) * d.signum() }
        };
        (1..long).map(|n| (along(n, dx), along(n, dy))).collect()
    }

    /// Targets of the piece on a square, each with the motion that leads there, whatever the danger to the
    /// king. `any` lets it capture on empty squares and its own too.
    fn walks(&self, board: &Board, from: Sq, any: bool) -> Vec<(Sq, Motion)> {
        let Some((letter, side)) = self.cell(board, from) else { return vec![] };
        let mut found = Vec::new();
        for motion in self.motions(letter, side) {
            if motion.initial && !self.at_home(letter, side, from) {
                continue;
            }
            let step = |n: i32| (from.0 + n * i32::from(motion.dx), from.1 + n * i32::from(motion.dy));
            if motion.lame
                && self.on(step(1))
                && Self::legs(motion).iter().any(|l| self.cell(board, (from.0 + l.0, from.1 + l.1)).is_some())
            {
                continue;
            }
            let most = match motion.range {
                Range::Leap => 1,
                Range::UpTo(n) => i32::from(n),
                Range::Unlimited => 99,
            };
            for n in 1..=most {
                let to = step(n);
                if !self.on(to) || !self.inside(letter, side, to) {
                    break;
                }
                let there = self.cell(board, to);
                let good = match there {
                    None => motion.quiet || any && motion.capture,
                    Some((_, owner)) => motion.capture && (any || owner != side),
                };
                if good {
                    found.push((to, *motion));
                }
                if there.is_some() || motion.range != Range::Leap && self.spec.blocking.contains(&to) {
                    break;
                }
            }
        }
        found
    }

    /// Whether a side could capture on a square.
    fn attacked(&self, board: &Board, target: Sq, by: Side) -> bool {
        self.squares().any(|from| {
            self.cell(board, from).is_some_and(|p| p.1 == by)
                && self.walks(board, from, true).iter().any(|(to, m)| *to == target && m.capture)
        })
    }

    fn king(&self, board: &Board, side: Side) -> Option<Sq> {
        let royal = self.spec.royal?;
        self.squares().find(|s| self.cell(board, *s) == Some((royal, side)))
    }

    /// Whether a side's king could be taken.
    pub(crate) fn in_check(&self, board: &Board, side: Side) -> bool {
        self.king(board, side).is_some_and(|king| self.attacked(board, king, 1 - side))
    }

    fn decided(&self, board: &Board) -> Option<Outcome> {
        let us = board.side;
        if let Some((goals, objective, _)) = &self.spec.key {
            let there =
                |side: Side| goals[side].iter().copied().filter(move |s| self.counts(board, *s, side));
            match objective {
                Objective::Hold if there(us).next().is_some() => return Some(Outcome::Win),
                Objective::Secure if there(us).any(|s| !self.attacked(board, s, 1 - us)) => {
                    return Some(Outcome::Win);
                }
                Objective::Reach if there(1 - us).next().is_some() => return Some(Outcome::Loss),
                _ => {}
            }
        }
        let has = |side| board.cells.iter().flatten().any(|p| p.1 == side);
        if self.spec.bare != "none" && !(has(0) && has(1)) {
            let survivor = if has(us) { us } else { 1 - us };
            let won = if survivor == us { Outcome::Win } else { Outcome::Loss };
            return Some(match self.spec.bare {
                "loss" => won,
                "draw" => Outcome::Draw,
                _ => {
                    if self.can_reach(board, survivor, false) {
                        won
                    } else {
                        Outcome::Draw
                    }
                }
            });
        }
        if let Some((letters, result)) = &self.spec.extinction {
            let gone = |side| !board.cells.iter().flatten().any(|p| p.1 == side && letters.contains(p.0));
            if gone(us) {
                return Some(*result);
            }
            if gone(1 - us) {
                return Some(!*result);
            }
        }
        None
    }

    /// Whether an eligible piece of a side stands on a square.
    fn counts(&self, board: &Board, square: Sq, side: Side) -> bool {
        let eligible = &self.spec.key.as_ref().unwrap().2;
        self.cell(board, square).is_some_and(|p| p.1 == side && eligible.contains(p.0))
    }

    /// Whether some piece of a side could come to its key on an otherwise empty board; `prey` lets it
    /// capture wherever it likes.
    fn can_reach(&self, board: &Board, side: Side, prey: bool) -> bool {
        let (goals, _, eligible) = self.spec.key.as_ref().unwrap();
        let mut seen: HashSet<(Sq, char)> = self
            .squares()
            .filter_map(|s| self.cell(board, s).filter(|p| p.1 == side).map(|p| (s, p.0)))
            .collect();
        let mut open: Vec<(Sq, char)> = seen.iter().copied().collect();
        let empty = Board { cells: vec![None; board.cells.len()], ..board.clone() };
        while let Some((from, letter)) = open.pop() {
            if goals[side].contains(&from) && eligible.contains(letter) {
                return true;
            }
            let mut alone = empty.clone();
            self.set(&mut alone, from, Some((letter, side)));
            for (to, _) in self.walks(&alone, from, prey) {
                for becomes in self.becomes(letter, side, to) {
                    let state = (to, becomes.unwrap_or(letter));
                    if seen.insert(state) {
                        open.push(state);
                    }
                }
            }
        }
        false
    }

    /// What a piece may be after arriving on a square; `None` for what it was.
    fn becomes(&self, letter: char, side: Side, to: Sq) -> Vec<Option<char>> {
        let piece = self.spec.piece(letter);
        if !piece.zone[side].contains(&to.1) {
            return vec![None];
        }
        let mut all: Vec<Option<char>> = piece.to.chars().map(Some).collect();
        if piece.optional {
            all.push(None);
        }
        all
    }

    /// The result by rule.
    pub(crate) fn outcome(&self, board: &Board) -> Option<Outcome> {
        let decided = self.decided(board);
        if decided.is_some() {
            return decided;
        }
        let dead = self.spec.key.is_some()
            && self.spec.royal.is_none()
            && self.spec.bare != "loss"
            && self.spec.extinction.is_none()
            && (0..2).all(|side| !self.can_reach(board, side, true));
        if dead {
            return Some(Outcome::Draw);
        }
        if self.moves(board).is_empty() {
            if self.in_check(board, board.side) {
                return Some(self.spec.checkmate);
            }
            if let Some((goals, ..)) = &self.spec.key
                && goals[1 - board.side].iter().any(|s| self.counts(board, *s, 1 - board.side))
            {
                return Some(Outcome::Loss);
            }
            return Some(self.spec.stalemate);
        }
        self.spec.n_move.filter(|n| board.clock >= 2 * n).map(|_| Outcome::Draw)
    }

    /// The legal moves, sorted by text.
    pub(crate) fn moves(&self, board: &Board) -> Vec<Step> {
        if self.decided(board).is_some() {
            return vec![];
        }
        let us = board.side;
        let mut steps: Vec<Step> = Vec::new();
        let mut seen = HashSet::new();
        for from in self.squares() {
            let Some((letter, owner)) = self.cell(board, from) else { continue };
            if owner != us {
                continue;
            }
            let walks = self.walks(board, from, false);
            let plain: HashSet<Sq> = walks.iter().filter(|w| !self.doubles(letter, w)).map(|w| w.0).collect();
            for walk in &walks {
                let to = walk.0;
                let double = self.doubles(letter, walk) && !plain.contains(&to);
                for becomes in self.becomes(letter, us, to) {
                    let text = name(from)
                        + &name(to)
                        + &becomes.map_or(String::new(), |c| c.to_ascii_lowercase().into());
                    if seen.insert(text.clone()) {
                        steps.extend(
                            self.try_move(board, from, to, becomes, double, None)
                                .map(|next| Step { text, next }),
                        );
                    }
                }
            }
            steps.extend(board.passed.and_then(|target| self.en_passant(board, from, target)));
        }
        for number in 0..self.spec.castling.len() {
            steps.extend(self.castle(board, number));
        }
        // A passed square that nobody can capture on is not part of the position.
        for step in &mut steps {
            if let Some(target) = step.next.passed {
                let next = &step.next;
                if !self.squares().any(|from| self.en_passant(next, from, target).is_some()) {
                    step.next.passed = None;
                }
            }
        }
        if self.spec.must_capture {
            let enemies = |board: &Board| board.cells.iter().flatten().filter(|p| p.1 != us).count();
            let takes = |step: &Step| enemies(&step.next) < enemies(board);
            if steps.iter().any(takes) {
                steps.retain(takes);
            }
        }
        steps.sort_by(|a, b| a.text.cmp(&b.text));
        steps
    }

    fn doubles(&self, letter: char, (_, m): &(Sq, Motion)) -> bool {
        let straight = m.dx == 0 && m.dy.abs() == 2;
        // Forward for its own side: White's motions and Black's turned ones agree in the word.
        let forward = betza::parse(&self.spec.piece(letter).moves)
            .unwrap()
            .iter()
            .any(|w| (w.dx, w.dy, w.initial, w.lame, w.quiet, w.capture) == (0, 2, true, true, true, false));
        self.spec.piece(letter).en_passant && forward && straight && m.initial && m.lame && !m.capture
    }

    fn en_passant(&self, board: &Board, from: Sq, target: Sq) -> Option<Step> {
        let us = board.side;
        let (letter, _) = self.cell(board, from).filter(|p| p.1 == us)?;
        if !self.spec.piece(letter).en_passant {
            return None;
        }
        let takes = |m: &Motion| {
            m.capture
                && !m.lame
                && m.range == Range::Leap
                && (!m.initial || self.at_home(letter, us, from))
                && (from.0 + i32::from(m.dx), from.1 + i32::from(m.dy)) == target
        };
        if !self.motions(letter, us).iter().any(takes) || !self.inside(letter, us, target) {
            return None;
        }
        let victim = (target.0, target.1 + if us == 0 { -1 } else { 1 });
        let next = self.try_move(board, from, target, None, false, Some(victim))?;
        Some(Step { text: name(from) + &name(target), next })
    }

    /// The position after a move, unless it leaves the own king to be taken.
    fn try_move(
        &self,
        board: &Board,
        from: Sq,
        to: Sq,
        becomes: Option<char>,
        double: bool,
        victim: Option<Sq>,
    ) -> Option<Board> {
        let us = board.side;
        let (letter, _) = self.cell(board, from)?;
        let mut next = board.clone();
        let captures = victim.is_some() || self.cell(board, to).is_some();
        if let Some(victim) = victim {
            self.set(&mut next, victim, None);
        }
        self.set(&mut next, from, None);
        self.set(&mut next, to, Some((becomes.unwrap_or(letter), us)));
        if self.in_check(&next, us) {
            return None;
        }
        next.clock = if captures || self.resets(letter) { 0 } else { board.clock + 1 };
        next.number += us as u32;
        next.side = 1 - us;
        next.passed = double.then_some((from.0, (from.1 + to.1) / 2));
        for (number, castle) in self.spec.castling.iter().enumerate() {
            if [castle.king[0], castle.rook[0]].iter().any(|s| *s == from || *s == to) {
                next.rights[number] = false;
            }
        }
        Some(next)
    }

    fn castle(&self, board: &Board, number: usize) -> Option<Step> {
        let us = board.side;
        let castle = &self.spec.castling[number];
        if !board.rights[number] || castle.right.is_ascii_uppercase() != (us == 0) {
            return None;
        }
        let rank = castle.king[0].1;
        let files = |a: Sq, b: Sq| a.0.min(b.0)..=a.0.max(b.0);
        let mut ways = files(castle.king[0], castle.king[1]).chain(files(castle.rook[0], castle.rook[1]));
        let own = [castle.king[0], castle.rook[0]];
        if ways.any(|x| !own.contains(&(x, rank)) && self.cell(board, (x, rank)).is_some()) {
            return None;
        }
        let king = self.cell(board, castle.king[0]);
        for x in files(castle.king[0], castle.king[1]) {
            let mut walking = board.clone();
            self.set(&mut walking, castle.king[0], None);
            self.set(&mut walking, (x, rank), king);
            if self.attacked(&walking, (x, rank), 1 - us) {
                return None;
            }
        }
        let mut next = board.clone();
        let rook = self.cell(board, castle.rook[0]);
        self.set(&mut next, castle.king[0], None);
        self.set(&mut next, castle.rook[0], None);
        self.set(&mut next, castle.king[1], king);
        self.set(&mut next, castle.rook[1], rook);
        if self.in_check(&next, us) {
            return None;
        }
        next.clock = if self.resets(self.spec.royal?) { 0 } else { board.clock + 1 };
        next.number += us as u32;
        next.side = 1 - us;
        next.passed = None;
        for (n, other) in self.spec.castling.iter().enumerate() {
            let touched = [castle.king[0], castle.king[1]];
            if touched.contains(&other.king[0]) || touched.contains(&other.rook[0]) {
                next.rights[n] = false;
            }
        }
        Some(Step { text: name(castle.king[0]) + &name(castle.king[1]), next })
    }

    /// Perft.
    pub(crate) fn perft(&self, board: &Board, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.moves(board).iter().map(|s| self.perft(&s.next, depth - 1)).sum(),
        }
    }
}

impl Board {
    /// Reads a position string that must be right.
    pub(crate) fn read(spec: &Spec, fen: &str) -> Board {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut cells = vec![None; (spec.width * spec.height) as usize];
        for (n, row) in fields[0].split('/').enumerate() {
            let rank = spec.height - 1 - n as i32;
            let mut file = 0;
            let mut number = 0;
            for c in row.chars() {
                if let Some(digit) = c.to_digit(10) {
                    number = number * 10 + digit as i32;
                    continue;
                }
                file += std::mem::take(&mut number);
                let side = usize::from(c.is_ascii_lowercase());
                cells[(rank * spec.width + file) as usize] = Some((c.to_ascii_uppercase(), side));
                file += 1;
            }
        }
        let square = |s: &str| (i32::from(s.as_bytes()[0] - b'a'), s[1..].parse::<i32>().unwrap() - 1);
        Board {
            cells,
            side: usize::from(fields[1] == "b"),
            rights: spec.castling.iter().map(|c| fields[2].contains(c.right)).collect(),
            passed: Some(fields[3]).filter(|f| *f != "-").map(square),
            clock: fields[4].parse().unwrap(),
            number: fields[5].parse().unwrap(),
        }
    }

    /// The position string.
    pub(crate) fn fen(&self, spec: &Spec) -> String {
        let mut rows = Vec::new();
        for rank in (0..spec.height).rev() {
            let mut row = String::new();
            let mut run = 0;
            for file in 0..spec.width {
                match self.cells[(rank * spec.width + file) as usize] {
                    None => run += 1,
                    Some((letter, side)) => {
                        if run > 0 {
                            row += &run.to_string();
                            run = 0;
                        }
                        row.push(if side == 0 { letter } else { letter.to_ascii_lowercase() });
                    }
                }
            }
            if run > 0 {
                row += &run.to_string();
            }
            rows.push(row);
        }
        let rights: String =
            spec.castling.iter().zip(&self.rights).filter(|r| *r.1).map(|r| r.0.right).collect();
        let rights = if rights.is_empty() { "-".into() } else { rights };
        let passed = self.passed.map_or("-".into(), name);
        let side = ["w", "b"][self.side];
        format!("{} {side} {rights} {passed} {} {}", rows.join("/"), self.clock, self.number)
    }
}
