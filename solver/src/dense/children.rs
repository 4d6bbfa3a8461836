//! From a cell over its moves to other cells: without a look-up of the class, and with little ranking.
//!
//! What a move does to the material is one of few *changes*: a promotion or none, with a capture of some type or none, or a
//! drop. The class after each change is looked up once. A position is turned once, to be seen by the other side, and each move
//! changes a few bits of that.

use super::layout::{KINDS, Layout, NO_CLASS, Pair, Place, royals};
use super::placed::Placed;
use jewel_engine::bitboard::Square;
use jewel_engine::chesslike::{Move, MoveTag};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

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

    /// The map that takes this one back.
    pub(super) fn inverse(&self) -> SquareMap {
        let mut squares = vec![0; self.squares.len()];
        for (square, &image) in self.squares.iter().enumerate() {
            squares[usize::from(image)] = square as u8;
        }
        SquareMap::new(squares)
    }

    /// The image of a square, by its index.
    #[inline]
    pub(super) fn square(&self, square: usize) -> usize {
        usize::from(self.squares[square])
    }

    /// The image of a set of squares.
    #[inline]
    pub(super) fn set(&self, set: u64) -> u64 {
        let (mut image, mut rest, mut n) = (0, set, 0);
        while rest != 0 {
            image |= self.bytes[n][usize::from(rest as u8)];
            rest >>= 8;
            n += 1;
        }
        image
    }

    /// The images of sets of squares, by side and type.
    #[inline]
    pub(super) fn boards<const N: usize>(&self, boards: &[[u64; N]; 2]) -> [[u64; N]; 2] {
        // Plain loops: whether an iterator of arrays is inlined is up to the build.
        let mut images = [[0; N]; 2];
        for side in 0..2 {
            for kind in 0..N {
                images[side][kind] = self.set(boards[side][kind]);
            }
        }
        images
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

    /// The number of a move of a piece, with what it becomes and what is captured.
    #[inline]
    pub(super) fn of_move(&self, kind: u8, becomes: u8, prey: Option<u8>) -> usize {
        let promotion = usize::from(self.numbers[usize::from(kind) % KINDS][usize::from(becomes) % KINDS]);
        promotion * (self.kinds + 1) + prey.map_or(self.kinds, usize::from)
    }

    /// The number of a drop.
    #[inline]
    pub(super) fn of_drop(&self, kind: u8) -> usize {
        (self.promotions.len() + 1) * (self.kinds + 1) + usize::from(kind)
    }
}

/// A position as the index sees it, upright and mirrored, and the cells of what steps make of it.
pub(super) struct View<'a, 'r, const N: usize> {
    layout: &'a Layout<'r>,
    /// The first cell of those with its side to move.
    base: u64,
    pub(super) upright: [[u64; N]; 2],
    /// Made when it is first asked for.
    mirrored: Option<[[u64; N]; 2]>,
    /// The squares of White's and Black's royal pieces.
    royals: [u32; 2],
}

impl<'a, 'r, const N: usize> View<'a, 'r, N> {
    /// A position with a side to move, in the coordinates of the index.
    #[inline]
    pub(super) fn new(layout: &'a Layout<'r>, turn: Side, upright: [[u64; N]; 2]) -> Self {
        View {
            base: if turn == Side::White { 0 } else { layout.turn_cells },
            mirrored: None,
            royals: layout.leader.map_or([0; 2], |leader| royals(&upright, leader)),
            layout,
            upright,
        }
    }

    /// Where the position is after a step, or was before it; the class is known.
    #[inline]
    pub(super) fn place(&mut self, step: &Step, class: u32) -> Place {
        let layout = self.layout;
        let pair = match layout.leader {
            Some(leader) => {
                let mut royals = self.royals;
                if step.kind == leader {
                    royals[usize::from(step.mover & 1)] = u32::from(step.at);
                }
                layout.pair(royals)
            }
            None => Pair::At(0),
        };
        pair.place(self.base, |pair, mirrored| {
            if mirrored { self.image(step, class, pair) } else { self.number(step, class, pair) }
        })
    }

    /// Whether a position with the royal pieces on these squares has no cell.
    #[inline]
    pub(super) fn leaves(&self) -> bool {
        self.layout.leader.is_some() && self.layout.pair(self.royals).is_left_out()
    }

    #[inline]
    fn number(&mut self, step: &Step, class: u32, pair: u16) -> u64 {
        step.toggle(&mut self.upright, |square| square);
        let number = self.layout.number(class, &self.upright, pair);
        step.toggle(&mut self.upright, |square| square);
        number
    }

    #[inline]
    fn image(&mut self, step: &Step, class: u32, pair: u16) -> u64 {
        let layout = self.layout;
        let Some(map) = &layout.mirror else { return self.number(step, class, pair) };
        let mirrored = self.mirrored.get_or_insert_with(|| map.boards(&self.upright));
        step.toggle(mirrored, |square| map.square(square));
        let number = layout.number(class, mirrored, pair);
        step.toggle(mirrored, |square| map.square(square));
        number
    }
}

/// What a move changes on the board, in the coordinates of the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// White is 0.
    pub(super) mover: u8,
    /// The type of the piece before and after the move.
    pub(super) kind: u8,
    pub(super) becomes: u8,
    pub(super) prey: Option<u8>,
    /// Where the piece comes from; a drop comes from nowhere.
    pub(super) from: Option<u8>,
    pub(super) to: u8,
    /// Where the piece is in the position that is asked for: after the move, or before it.
    pub(super) at: u8,
}

impl Step {
    /// Makes the move, or takes it back.
    #[inline]
    pub(super) fn toggle<const N: usize>(&self, board: &mut [[u64; N]; 2], see: impl Fn(usize) -> usize) {
        let to = 1 << see(usize::from(self.to));
        let mover = usize::from(self.mover & 1);
        board[mover][usize::from(self.becomes) % N] ^= to;
        if let Some(from) = self.from {
            board[mover][usize::from(self.kind) % N] ^= 1 << see(usize::from(from));
        }
        if let Some(prey) = self.prey {
            board[1 - mover][usize::from(prey) % N] ^= to;
        }
    }
}

/// A position as the other side sees it, to be changed by moves.
pub(super) struct Children<'a, 'r, const N: usize> {
    layout: &'a Layout<'r>,
    class: u32,
    /// The side that moves, in the position and as it is seen.
    mover: usize,
    seen_mover: usize,
    view: View<'a, 'r, N>,
    /// The pieces of the other side.
    prey: u64,
}

impl<'a, 'r, const N: usize> Children<'a, 'r, N> {
    /// Those of a position, of which the class is known.
    #[inline]
    pub(super) fn new(layout: &'a Layout<'r>, class: u32, placed: &Placed<N>) -> Children<'a, 'r, N> {
        let mover = placed.turn.index();
        let (seen, turn, seen_mover) = match &layout.exchange {
            Some(map) => (map.boards(&[placed.board[1], placed.board[0]]), Side::White, 1 - mover),
            None => (placed.board, !placed.turn, mover),
        };
        let mut prey = 0;
        for set in seen[1 - seen_mover] {
            prey |= set;
        }
        Children { layout, class, mover, seen_mover, view: View::new(layout, turn, seen), prey }
    }

    /// Where a move leads.
    #[inline]
    pub(super) fn after(&mut self, mv: Move) -> Place {
        let layout = self.layout;
        let see = |square: Square| match &layout.exchange {
            Some(map) => map.square(square.index()) as u8,
            None => square.index() as u8,
        };
        let to = see(mv.to);
        let mut prey = None;
        let (change, from) = if mv.tag() == MoveTag::Drop {
            (layout.changes.of_drop(mv.kind), None)
        } else {
            if self.prey >> to & 1 != 0 {
                let mut kind = 0;
                while kind + 1 < N && self.view.upright[1 - self.seen_mover][kind] >> to & 1 == 0 {
                    kind += 1;
                }
                prey = Some(kind as u8);
            }
            (layout.changes.of_move(mv.kind, mv.becomes(), prey), Some(see(mv.from)))
        };
        let class = layout.next_class(self.class, self.mover, change);
        if class == NO_CLASS {
            return Place::Nowhere;
        }
        let mover = self.seen_mover as u8;
        self.view.place(&Step { mover, kind: mv.kind, becomes: mv.becomes(), prey, from, to, at: to }, class)
    }
}
