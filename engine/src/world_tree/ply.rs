//! Plies: what a player does at a time, in 32 bits.

use super::Kind;
use super::board::neighbour;
use crate::bitboard::{Bitboard, Square};
use std::fmt;

/// A ply in 32 bits; [`ply`](Move::ply) tells what it is. Every value is well formed, though not legal in every
/// position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u32);

/// What a ply does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ply {
    /// A piece is put on the board in the placement phase.
    Place {
        /// Its kind.
        kind: Kind,
        /// Its cell.
        square: Square,
    },
    /// One piece moves.
    Step {
        /// Its kind.
        kind: Kind,
        /// Where it comes from.
        from: Square,
        /// Where it goes.
        to: Square,
    },
    /// Two or three cani of a pack move together.
    Pack {
        /// Where they come from.
        from: Bitboard,
        /// Where they go: as many squares.
        to: Bitboard,
    },
    /// One piece attacks.
    Attack {
        /// Its kind.
        kind: Kind,
        /// Where it stands.
        from: Square,
        /// What it hits: several for a khtsoyis only.
        hits: Hits,
    },
    /// The turn ends after one piece move.
    Done,
    /// A player who can neither move nor attack gives the turn away.
    Pass,
}

/// A piece that is hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hit {
    /// Where it stands.
    pub square: Square,
    /// Whether it is the zi ri on the square, not the other piece.
    pub zi_ri: bool,
}

/// One to three hits, those of a khtsoyis in the order of their text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hits {
    list: [Hit; 3],
    count: u8,
}

impl Hits {
    /// One hit.
    pub const fn one(hit: Hit) -> Hits {
        Hits { list: [hit; 3], count: 1 }
    }

    /// The hits.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Hit] {
        &self.list[..usize::from(self.count.min(3))]
    }

    /// The first hit, which is the only one unless a khtsoyis attacks.
    #[inline(always)]
    pub const fn first(&self) -> Hit {
        self.list[0]
    }
}

// Three bits say what a code is; what follows depends on it.
const TAG: u32 = 7;
const TURN: u32 = 1;
const PLACE: u32 = 2;
const STEP: u32 = 3;
const PACK: u32 = 4;
const ATTACK: u32 = 5;
const BARRAGE: u32 = 6;

const KIND: u32 = 3;
const FROM: u32 = 7;
const TO: u32 = 13;
const ZI_RI: u32 = 19;
/// Where the second and the third destination of a pack are, and where the hits of a barrage begin.
const TO_ALSO: [u32; 3] = [TO, 19, 25];
const HITS: u32 = 14;

/// The sets of two or three squares that cani of one pack can stand on, counted from the lowest square: the
/// pack is an I or an L, and two of three need not be neighbours.
const SHAPES: [u32; 12] = [
    1 | 1 << 1,
    1 | 1 << 8,
    1 | 1 << 2,
    1 | 1 << 16,
    1 | 1 << 9,
    1 | 1 << 7,
    1 | 1 << 1 | 1 << 2,
    1 | 1 << 8 | 1 << 16,
    1 | 1 << 1 | 1 << 8,
    1 | 1 << 1 | 1 << 9,
    1 | 1 << 8 | 1 << 9,
    1 | 1 << 7 | 1 << 8,
];

impl Move {
    /// Ends the turn after one piece move.
    pub const DONE: Move = Move(TURN);
    /// Gives the turn away.
    pub const PASS: Move = Move(TURN | 1 << KIND);

    pub(super) const fn place(kind: Kind, square: Square) -> Move {
        Move(PLACE | (kind as u32) << KIND | (square.index() as u32) << TO)
    }

    #[inline(always)]
    pub(super) const fn step(kind: Kind, from: Square, to: Square) -> Move {
        Move(STEP | (kind as u32) << KIND | (from.index() as u32) << FROM | (to.index() as u32) << TO)
    }

    #[inline(always)]
    pub(super) const fn attack(kind: Kind, from: Square, hit: Hit) -> Move {
        let squares = (from.index() as u32) << FROM | (hit.square.index() as u32) << TO;
        Move(ATTACK | (kind as u32) << KIND | squares | (hit.zi_ri as u32) << ZI_RI)
    }

    /// Two or three cani from a set of squares to another; `None` if cani of one pack never stand so.
    pub(super) fn pack(from: Bitboard, to: Bitboard) -> Option<Move> {
        let origins = Move::pack_origins(from)?;
        (from.count() == to.count()).then(|| Move::pack_onto(origins, to))
    }

    /// What the origins are of the code of a pack; `None` if cani of one pack never stand so.
    #[inline]
    pub(super) fn pack_origins(from: Bitboard) -> Option<u32> {
        let lowest = from.first();
        let shape = u32::try_from(from.0 >> lowest.index()).ok()?;
        let shape = SHAPES.iter().position(|&s| s == shape)?;
        Some(PACK | (shape as u32) << KIND | (lowest.index() as u32) << FROM)
    }

    /// The move of a pack to as many squares as it has origins.
    #[inline(always)]
    pub(super) fn pack_onto(origins: u32, to: Bitboard) -> Move {
        let squares = to.into_iter().zip(TO_ALSO).map(|(square, at)| (square.index() as u32) << at);
        Move(squares.fold(origins, |code, square| code | square))
    }

    /// Two or three hits of a khtsoyis, by number; see [`hit_number`]. In ascending order.
    pub(super) fn barrage(from: Square, numbers: &[u32]) -> Move {
        let count = numbers.len() as u32;
        let hits = numbers.iter().enumerate().map(|(n, number)| number << (HITS + 3 * n as u32));
        let code = BARRAGE | (from.index() as u32) << FROM | (count - 2) << TO;
        Move(hits.fold(code, |code, hit| code | hit))
    }

    const fn field(self, at: u32, bits: u32) -> u32 {
        self.0 >> at & ((1 << bits) - 1)
    }

    const fn square(self, at: u32) -> Square {
        Square::wrap(self.field(at, 6))
    }

    /// The kind, origin and destination, if one piece moves.
    #[inline(always)]
    pub(super) const fn as_step(self) -> Option<(Kind, Square, Square)> {
        if self.0 & TAG != STEP {
            return None;
        }
        Some((self.kind(), self.square(FROM), self.square(TO)))
    }

    #[inline(always)]
    const fn kind(self) -> Kind {
        Kind::from_number(self.field(KIND, 4))
    }

    /// Whether the ply is an attack.
    #[inline(always)]
    pub(super) const fn is_attack(self) -> bool {
        matches!(self.0 & TAG, ATTACK | BARRAGE)
    }

    /// Whether one or several pieces move without an attack.
    #[inline(always)]
    pub(super) const fn is_piece_move(self) -> bool {
        matches!(self.0 & TAG, STEP | PACK)
    }

    /// Whether a piece is put down.
    #[inline(always)]
    pub(super) const fn is_placement(self) -> bool {
        self.0 & TAG == PLACE
    }

    /// The kind that moves, attacks or is put down, if there is one.
    #[inline(always)]
    pub(super) const fn mover(self) -> Option<Kind> {
        match self.0 & TAG {
            PLACE | STEP | ATTACK => Some(self.kind()),
            PACK => Some(Kind::Cani),
            BARRAGE => Some(Kind::Khtsoyis),
            _ => None,
        }
    }

    /// Where the lowest piece comes from, or where it is put down; square 0 where nothing moves.
    #[inline(always)]
    pub(super) const fn origin(self) -> Square {
        if self.is_placement() { self.square(TO) } else { self.square(FROM) }
    }

    /// The lowest square that is moved to, or the first that is attacked; square 0 where nothing moves.
    #[inline(always)]
    pub(super) const fn destination(self) -> Square {
        if self.0 & TAG == BARRAGE {
            hit_of(self.square(FROM), self.field(HITS, 3)).square
        } else {
            self.square(TO)
        }
    }

    /// What the ply does.
    #[inline(always)]
    pub fn ply(self) -> Ply {
        let kind = self.kind();
        match self.0 & TAG {
            PLACE => Ply::Place { kind, square: self.square(TO) },
            STEP => Ply::Step { kind, from: self.square(FROM), to: self.square(TO) },
            PACK => self.pack_sets(),
            ATTACK => {
                let hit = Hit { square: self.square(TO), zi_ri: self.field(ZI_RI, 1) != 0 };
                Ply::Attack { kind, from: self.square(FROM), hits: Hits::one(hit) }
            }
            BARRAGE => self.barrage_hits(),
            _ if self == Move::PASS => Ply::Pass,
            _ => Ply::Done,
        }
    }

    fn pack_sets(self) -> Ply {
        let shape = SHAPES[self.field(KIND, 4) as usize % SHAPES.len()];
        let from = Bitboard(u64::from(shape) << self.field(FROM, 6));
        let squares = TO_ALSO.iter().take(shape.count_ones() as usize);
        Ply::Pack { from, to: squares.map(|&at| self.square(at)).collect() }
    }

    fn barrage_hits(self) -> Ply {
        let (from, count) = (self.square(FROM), 2 + self.field(TO, 1));
        let hit = |n: u32| hit_of(from, self.field(HITS + 3 * n, 3));
        let list = [hit(0), hit(1), hit(2)];
        Ply::Attack { kind: Kind::Khtsoyis, from, hits: Hits { list, count: count as u8 } }
    }

    /// The code of the ply, never 0.
    #[inline(always)]
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The ply of a [`code`](Move::code); `None` if no ply has it.
    pub fn from_code(code: u32) -> Option<Move> {
        let mv = Move(code);
        if code & TAG != PACK && code & TAG != TURN && mv.field(KIND, 4) > Kind::Cani as u32 {
            return None;
        }
        let same = match mv.ply() {
            Ply::Place { kind, square } => Move::place(kind, square),
            Ply::Step { kind, from, to } => Move::step(kind, from, to),
            Ply::Pack { from, to } => Move::pack(from, to)?,
            Ply::Attack { kind, from, hits } if hits.as_slice().len() == 1 => {
                Move::attack(kind, from, hits.first())
            }
            Ply::Attack { from, .. } => {
                let mut numbers = [0; 3];
                let count = 2 + mv.field(TO, 1) as usize;
                for (n, number) in numbers.iter_mut().enumerate().take(count) {
                    *number = mv.field(HITS + 3 * n as u32, 3);
                    neighbour(from, (*number / 2) as usize)?;
                }
                let numbers = &numbers[..count];
                if !numbers.is_sorted() {
                    return None;
                }
                Move::barrage(from, numbers)
            }
            Ply::Done => Move::DONE,
            Ply::Pass => Move::PASS,
        };
        (same == mv).then_some(mv)
    }
}

/// The number of a hit of a khtsoyis: twice the direction to the square, and 1 for the zi ri on it. Numbers
/// ascend as the texts of the hits do.
pub(super) const fn hit_number(direction: usize, zi_ri: bool) -> u32 {
    direction as u32 * 2 + zi_ri as u32
}

/// The hit of a number; meaningless, on `from` itself, where the board ends.
pub(super) const fn hit_of(from: Square, number: u32) -> Hit {
    let square = match neighbour(from, number as usize / 2) {
        Some(square) => square,
        None => from,
    };
    Hit { square, zi_ri: number & 1 != 0 }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.ply())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every number that a search may read from its table gives a ply with that code, or none.
        #[test]
        fn codes_name_plies_or_nothing(code in any::<u32>(), tag in 0u32..8, kind in 0u32..9) {
            for code in [code, code & !TAG | tag, code & 0xfffff & !0x7f | tag | kind << KIND] {
                if let Some(mv) = Move::from_code(code) {
                    prop_assert_eq!(mv.code(), code);
                    prop_assert_ne!(code, 0);
                    let _ = mv.ply();
                }
            }
        }
    }

    #[test]
    fn packs_of_every_shape_have_a_code() {
        let squares = |set: &[u8]| set.iter().map(|&s| Square::new(s)).collect::<Bitboard>();
        let to = squares(&[40, 42, 63]);
        for from in [[10, 11, 12], [10, 18, 26], [10, 11, 18], [10, 11, 19], [10, 18, 19], [11, 18, 19]] {
            for left_out in 0..4 {
                let set: Vec<u8> = (0..3).filter(|n| *n != left_out).map(|n| from[n]).collect();
                let to: Bitboard = to.into_iter().take(set.len()).collect();
                let mv = Move::pack(squares(&set), to).expect("a shape");
                assert_eq!(mv.ply(), Ply::Pack { from: squares(&set), to });
                assert_eq!(Move::from_code(mv.code()), Some(mv));
            }
        }
        assert_eq!(Move::pack(squares(&[1, 30]), squares(&[2, 3])), None);
        assert_eq!(Move::pack(squares(&[1, 2]), squares(&[4])), None);
    }
}
