//! From a cell over its moves to other cells: without a look-up of the class, and with little ranking.
//!
//! What a move does to the material is one of few *changes*: a promotion or none, with a capture of some type or none, or a
//! drop. The class after each change is looked up once. A position is turned once, to be seen by the other side, and each move
//! changes a few bits of that.

use super::layout::{KINDS, Layout, Pair, Place};
use super::placed::Placed;
use jewel_engine::bitboard::Square;
use jewel_engine::chesslike::{Move, MoveTag};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// No class, or no change.
const NONE: u32 = u32::MAX;

/// The image of each square, and of sets of squares by their bytes.
#[derive(Clone, Debug)]
pub(super) struct SquareMap {
    squares: Vec<u8>,
    bytes: Vec<[u64; 256]>,
}

impl SquareMap {
    pub(super) fn new(squares: Vec<u8>) -> SquareMap {
        let byte = |first: usize| {
            let mut images = [0; 256];
            for (set, image) in images.iter_mut().enumerate() {
                let on = |bit: &usize| set >> bit & 1 != 0 && first + bit < squares.len();
                *image = (0..8).filter(on).fold(0, |all, bit| all | 1 << squares[first + bit]);
            }
            images
        };
        SquareMap { bytes: (0..squares.len()).step_by(8).map(byte).collect(), squares }
    }

    /// One map after another.
    pub(super) fn then(&self, next: &SquareMap) -> SquareMap {
        SquareMap::new(self.squares.iter().map(|&square| next.squares[usize::from(square)]).collect())
    }

    /// The image of a square, by its index.
    #[inline]
    pub(super) fn square(&self, square: usize) -> usize {
        usize::from(self.squares[square])
    }

    /// The image of a set of squares.
    #[inline]
    pub(super) fn set(&self, set: u64) -> u64 {
        let mut image = 0;
        for (n, bytes) in self.bytes.iter().enumerate() {
            image |= bytes[usize::from((set >> (8 * n)) as u8)];
        }
        image
    }
}

/// The numbers of the changes that moves make to the material.
#[derive(Debug)]
pub(super) struct Changes {
    kinds: usize,
    /// What becomes what: nothing else first.
    promotions: Vec<(u8, u8)>,
    numbers: [[u8; KINDS]; KINDS],
}

/// What a move does to the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The types of the piece that moves before and after the move, where they differ.
    pub(super) promotion: Option<(u8, u8)>,
    /// The type that is captured.
    pub(super) prey: Option<u8>,
    /// The type that is dropped.
    pub(super) drop: Option<u8>,
}

impl Changes {
    pub(super) fn new(rules: &Rules) -> Changes {
        let kinds = rules.type_count().min(KINDS);
        let mut changes = Changes { kinds, promotions: vec![], numbers: [[0; KINDS]; KINDS] };
        for kind in 0..kinds as u8 {
            for side in Side::BOTH {
                for &to in rules.promotion(kind, side).map_or(&[][..], |promotion| promotion.to) {
                    if !changes.promotions.contains(&(kind, to)) {
                        changes.promotions.push((kind, to));
                        changes.numbers[usize::from(kind)][usize::from(to)] = changes.promotions.len() as u8;
                    }
                }
            }
        }
        changes
    }

    /// How many there are of one side.
    pub(super) fn count(&self) -> usize {
        (self.promotions.len() + 1) * (self.kinds + 1) + self.kinds
    }

    /// All of them, in the order of their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = Change> + '_ {
        let promotions = std::iter::once(None).chain(self.promotions.iter().map(|&pair| Some(pair)));
        let moves = promotions.flat_map(|promotion| {
            let preys = (0..self.kinds as u8).map(Some).chain([None]);
            preys.map(move |prey| Change { promotion, prey, drop: None })
        });
        moves.chain((0..self.kinds as u8).map(|kind| Change {
            promotion: None,
            prey: None,
            drop: Some(kind),
        }))
    }

    #[inline]
    fn of_move(&self, kind: u8, becomes: u8, prey: Option<usize>) -> usize {
        let promotion = usize::from(self.numbers[usize::from(kind)][usize::from(becomes)]);
        promotion * (self.kinds + 1) + prey.unwrap_or(self.kinds)
    }

    #[inline]
    fn of_drop(&self, kind: u8) -> usize {
        (self.promotions.len() + 1) * (self.kinds + 1) + usize::from(kind)
    }
}

/// A position as the other side sees it, to be changed by moves.
pub(super) struct Children<'a, 'r> {
    layout: &'a Layout<'r>,
    class: u32,
    /// The side that moves, in the position and as it is seen.
    mover: usize,
    seen_mover: usize,
    /// The first cell of those with the other side to move.
    base: u64,
    seen: [[u64; KINDS]; 2],
    mirrored: [[u64; KINDS]; 2],
    /// The pieces of the other side.
    prey: u64,
}

impl<'a, 'r> Children<'a, 'r> {
    /// Those of a position, of which the class is known.
    #[inline]
    pub(super) fn new(layout: &'a Layout<'r>, class: u32, placed: &Placed) -> Children<'a, 'r> {
        let mover = placed.turn.index();
        let kinds = layout.kinds();
        let board = match &layout.exchange {
            Some(_) => [&placed.board[1], &placed.board[0]],
            None => [&placed.board[0], &placed.board[1]],
        };
        let through = |map: &SquareMap| {
            let mut image = [[0; KINDS]; 2];
            for (image, board) in image.iter_mut().zip(board) {
                image.iter_mut().zip(board).take(kinds).for_each(|(image, &set)| *image = map.set(set));
            }
            image
        };
        let (seen, base, seen_mover) = match &layout.exchange {
            Some(map) => (through(map), 0, 1 - mover),
            None => (placed.board, if mover == 0 { layout.turn_cells } else { 0 }, mover),
        };
        let mirrored = layout.after_mirror.as_ref().map_or([[0; KINDS]; 2], through);
        let prey = seen[1 - seen_mover][..kinds].iter().fold(0, |all, set| all | set);
        Children { layout, class, mover, seen_mover, base, seen, mirrored, prey }
    }

    /// Where a move leads.
    #[inline]
    pub(super) fn after(&mut self, mv: Move) -> Place {
        let layout = self.layout;
        let see = |square: Square| match &layout.exchange {
            Some(map) => map.square(square.index()),
            None => square.index(),
        };
        let to = see(mv.to);
        let (kind, becomes) = (usize::from(mv.kind), usize::from(mv.becomes()));
        let mut prey = None;
        let (change, from) = if mv.tag() == MoveTag::Drop {
            (layout.changes.of_drop(mv.kind), None)
        } else {
            if self.prey >> to & 1 != 0 {
                prey = self.seen[1 - self.seen_mover].iter().position(|set| set >> to & 1 != 0);
            }
            (layout.changes.of_move(mv.kind, mv.becomes(), prey), Some(see(mv.from)))
        };
        let class = layout.next_class(self.class, self.mover, change);
        if class == NONE {
            return Place::Nowhere;
        }
        let step = Step { mover: self.seen_mover, kind, becomes, prey, from, to };
        let Some(leader) = layout.leader else {
            step.apply(&mut self.seen, |square| square);
            let number = layout.number(class, &self.seen, 0);
            step.apply(&mut self.seen, |square| square);
            return Place::Cell(self.base + number);
        };
        let mut squares = [0, 1].map(|side: usize| self.seen[side][usize::from(leader)].trailing_zeros());
        if kind == usize::from(leader) {
            squares[self.seen_mover] = to as u32;
        }
        let mirror = |square: usize| layout.mirror.as_ref().map_or(square, |map| map.square(square));
        match layout.pair(squares) {
            Pair::At(pair) => Place::Cell(self.base + self.upright(&step, class, pair)),
            Pair::Mirrored(pair) => Place::Cell(self.base + self.reflected(&step, class, pair, mirror)),
            Pair::OnAxis(pair) => {
                let images = [self.upright(&step, class, pair), self.reflected(&step, class, pair, mirror)];
                Place::Cell(self.base + images[0].min(images[1]))
            }
            Pair::Won => Place::Won,
            Pair::Same => Place::Nowhere,
        }
    }

    #[inline]
    fn upright(&mut self, step: &Step, class: u32, pair: u16) -> u64 {
        step.apply(&mut self.seen, |square| square);
        let number = self.layout.number(class, &self.seen, pair);
        step.apply(&mut self.seen, |square| square);
        number
    }

    #[inline]
    fn reflected(&mut self, step: &Step, class: u32, pair: u16, mirror: impl Fn(usize) -> usize) -> u64 {
        step.apply(&mut self.mirrored, &mirror);
        let number = self.layout.number(class, &self.mirrored, pair);
        step.apply(&mut self.mirrored, &mirror);
        number
    }
}

/// A move as it is seen.
struct Step {
    mover: usize,
    kind: usize,
    becomes: usize,
    prey: Option<usize>,
    from: Option<usize>,
    to: usize,
}

impl Step {
    /// Makes the move, or takes it back.
    #[inline]
    fn apply(&self, board: &mut [[u64; KINDS]; 2], see: impl Fn(usize) -> usize) {
        let to = 1 << see(self.to);
        let own = &mut board[self.mover & 1];
        own[self.becomes % KINDS] ^= to;
        if let Some(from) = self.from {
            own[self.kind % KINDS] ^= 1 << see(from);
        }
        if let Some(prey) = self.prey {
            board[(1 - self.mover) & 1][prey % KINDS] ^= to;
        }
    }
}
