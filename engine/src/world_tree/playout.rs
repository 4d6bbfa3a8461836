//! Random plies, drawn without a list of them.
//!
//! The plies of each sort are counted, and one is drawn by its number. Only the moves of packs are counted as
//! more than there are: as all ways to give each cani a square. What is not a move is drawn again, so that the
//! legal plies are as likely as each other.

use super::board::{ABSENT, DRY, ORTHOGONAL, beside};
use super::packs::{pairings, squares_of_cani};
use super::ply::Hit;
use super::state::NOBODY;
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::bits::deposit;
use crate::playout::{Playout, Step, random_move};
use crate::position::Position;
use crate::random::Random;
use crate::value::Outcome;
use std::ops::ControlFlow::{self, Break, Continue};

/// Draws before the legal plies are listed, where packs can move.
const DRAWS: u32 = 24;

/// By kind that moved already this turn, the bytes of the pieces that may still move.
static MAY_MOVE: [u64; NOBODY as usize + 1] = {
    let mut masks = [!0; NOBODY as usize + 1];
    let mut kind = 0;
    while kind < Kind::SINGLES {
        masks[kind] = !(0xff << (8 * kind));
        kind += 1;
    }
    masks
};

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// Sets of targets: of the pieces of which there is one by kind, then of three cani, then none.
const SETS: usize = 16;

/// The square before which `number` squares of the set lie.
#[inline(always)]
fn nth(set: Bitboard, number: u32) -> Square {
    Bitboard(deposit(1 << number, set.0)).first()
}

/// How many ways there are to draw a ply of each sort.
struct Odds {
    /// Where each piece goes alone, pounces among it.
    targets: [Bitboard; SETS],
    /// In byte `n` of a word the targets of the first `n + 1` of its pieces together: less than 128 in all.
    sums: [u64; 2],
    /// In byte `n` of a word the square of its piece.
    squares: [u64; 2],
    /// Attacks without moving, one hit each.
    strikes: u32,
    /// Attacks of the khtsoyis.
    barrages: u32,
    /// The moves of several cani together.
    groups: u32,
    /// `done`.
    done: u32,
    /// All together.
    total: u32,
}

impl Odds {
    /// To be filled in place: what is written in small parts is slow to copy as a whole at once.
    const NONE: Odds = Odds {
        targets: [Bitboard::EMPTY; SETS],
        sums: [0; 2],
        squares: [0; 2],
        strikes: 0,
        barrages: 0,
        groups: 0,
        done: 0,
        total: 0,
    };

    /// The moves, and pounces, of the pieces of one word.
    #[inline(always)]
    const fn moves(&self, word: usize) -> u32 {
        (self.sums[word] >> 56) as u32
    }

    /// The moves, and pounces, of one piece.
    #[inline(always)]
    const fn alone(&self) -> u32 {
        self.moves(0) + self.moves(1)
    }
}

impl WorldTree {
    #[inline(always)]
    fn weigh(&self, odds: &mut Odds) {
        let us = self.side.index();
        let begins = !self.is_mid_turn();
        let movable = self.movable_cani();
        let [first, second, third] = squares_of_cani(movable);
        odds.squares = [self.squares[us], u64::from_le_bytes([first, second, third, 0, 0, 0, 0, 0])];
        let may_move = MAY_MOVE[self.moved.min(NOBODY) as usize];
        let singles = (self.single_targets(begins, &mut odds.targets) & may_move).wrapping_mul(EACH_BYTE);
        let (sizes, groups) = if (movable & beside(self.cani[us])).any() {
            self.pack_targets(&mut odds.targets)
        } else {
            (self.loner_targets([first, second, third], &mut odds.targets), 0)
        };
        let cani = sizes.wrapping_mul(EACH_BYTE);
        let (strikes, barrages) = if begins { (self.count_strikes(), self.count_barrages()) } else { (0, 0) };
        odds.sums = [singles, cani];
        odds.groups = groups;
        odds.strikes = strikes;
        odds.barrages = barrages;
        odds.done = u32::from(!begins);
        odds.total = (singles >> 56) as u32 + (cani >> 56) as u32 + groups + strikes + barrages + odds.done;
    }

    /// Where each piece goes of which the side to move has one, and how many squares these are, in the byte of its
    /// kind; the sleeth goes to its prey too where a turn begins.
    #[inline(always)]
    fn single_targets(&self, begins: bool, targets: &mut [Bitboard; SETS]) -> u64 {
        let empty = self.empty_squares();
        let prey = if begins { self.pounce_squares() } else { Bitboard::EMPTY };
        let mut sizes = 0;
        for kind in &Kind::ALL[..Kind::SINGLES] {
            let open = match kind {
                Kind::Sleeth => empty | prey,
                Kind::ZiRi => Bitboard::ALL,
                _ => empty,
            };
            let set = self.reached(*kind, self.square_of(self.side, *kind)) & open;
            targets[*kind as usize] = set;
            // At once: sets in memory are counted by slower means.
            sizes |= u64::from(set.count()) << (8 * *kind as u32);
        }
        sizes
    }

    /// Where cani go of which none has another beside it, which is one step; how many squares these are, a byte
    /// each.
    #[inline(always)]
    fn loner_targets(&self, cani: [u8; 3], targets: &mut [Bitboard; SETS]) -> u64 {
        let free = self.empty_squares() & DRY;
        let mut sizes = 0;
        for (n, square) in cani.into_iter().enumerate() {
            let set = ORTHOGONAL.of(square) & free;
            targets[Kind::SINGLES + n] = set;
            sizes |= u64::from(set.count()) << (8 * n);
        }
        sizes
    }

    /// The same of cani some of which have another beside them; the ways to draw a move of several, which are
    /// all ways to give each a square.
    fn pack_targets(&self, targets: &mut [Bitboard; SETS]) -> (u64, u32) {
        let (movers, landing) = (self.pack_movers(), self.landing(Bitboard::EMPTY));
        let sets = [movers.lines[0] & landing, movers.lines[1] & landing, movers.lines[2] & landing];
        targets[Kind::SINGLES..][..3].copy_from_slice(&sets);
        let size = |n: usize| u64::from(sets[n].count());
        let sizes = size(0) | size(1) << 8 | size(2) << 16;
        // Whether one can go where the other leaves, and whether the two are of one pack.
        let follows = |n: usize, other: usize| u32::from(movers.lines[n].has(movers.cani[other]));
        let together = |n: usize, other: usize| u32::from(movers.packs[n].has(movers.cani[other]));
        let alone = |n: usize| sets[n].count();
        let pair = |n: usize, other: usize| {
            together(n, other) * (alone(n) + follows(n, other)) * (alone(other) + follows(other, n))
        };
        let three = |n: usize, one: usize, two: usize| alone(n) + follows(n, one) + follows(n, two);
        let all = together(0, 1) * together(0, 2) * three(0, 1, 2) * three(1, 0, 2) * three(2, 0, 1);
        (sizes, pair(0, 1) + pair(0, 2) + pair(1, 2) + all)
    }

    /// A legal ply, each as likely as the others, unless there is none but the pass or no draw succeeds.
    #[inline(always)]
    fn lucky_ply(&self, random: &mut Random) -> Option<Move> {
        let mut odds = Odds::NONE;
        self.weigh(&mut odds);
        let number = random.below(odds.total);
        // Most plies are of this sort: a branch that is mostly foreseen.
        if number < odds.alone() {
            Some(self.lone_ply(&odds, number))
        } else {
            self.rare_ply(&odds, number, random)
        }
    }

    /// The same where the first number drawn is not that of a move of one piece.
    #[inline(never)]
    fn rare_ply(&self, odds: &Odds, mut number: u32, random: &mut Random) -> Option<Move> {
        for _ in 0..DRAWS {
            let drawn = self.drawn(odds, number, random);
            if drawn.is_some() {
                return drawn;
            }
            number = random.below(odds.total);
        }
        None
    }

    /// The ply of a number below the total of the odds, if it is legal.
    fn drawn(&self, odds: &Odds, mut number: u32, random: &mut Random) -> Option<Move> {
        if number < odds.alone() {
            return Some(self.lone_ply(odds, number));
        }
        number -= odds.alone();
        if number < odds.done {
            return Some(Move::DONE);
        }
        number -= odds.done;
        if number < odds.groups {
            return self.group_ply(number, random);
        }
        number -= odds.groups;
        if number < odds.strikes {
            return self.strikes(&mut counted_to(number)).break_value();
        }
        self.barrages(&mut counted_to(number - odds.strikes)).break_value()
    }

    /// The move, or pounce, of that number of one piece. No branch asks which: it would be a guess.
    #[inline(always)]
    fn lone_ply(&self, odds: &Odds, number: u32) -> Move {
        let word = usize::from(number >= odds.moves(0));
        let number = number - [0, odds.moves(0)][word];
        let sums = odds.sums[word];
        // The high bits of the bytes whose sums are above the number.
        let above = (sums | EACH_BYTE << 7) - u64::from(number + 1) * EACH_BYTE;
        let byte = (above & EACH_BYTE << 7).trailing_zeros() & !7;
        let before = (sums << 8 >> byte) as u32 & 0xff;
        let set = byte as usize / 8 + Kind::SINGLES * word;
        let kind = Kind::from_number(set as u32);
        let from = Square::wrap((odds.squares[word] >> byte) as u32);
        let to = nth(odds.targets[set % SETS], number - before);
        if (kind == Kind::Sleeth) & !self.empty_squares().has(to) {
            let zi_ri = !self.solid[(!self.side).index()].has(to);
            return Move::attack(kind, from, Hit { square: to, zi_ri });
        }
        Move::step(kind, from, to)
    }

    /// The move of several cani of a number below `Odds::groups`. A set of destinations comes up in as many ways
    /// as it can be paired, and is taken as often less.
    fn group_ply(&self, mut number: u32, random: &mut Random) -> Option<Move> {
        let drawn = self.groups(&self.pack_movers(), |origins, cani, reach| {
            let count = ways(cani.len(), reach);
            if number >= count {
                number -= count;
                return Continue(());
            }
            let mut to = [Square::new(0); 3];
            for (n, square) in to.iter_mut().enumerate().take(cani.len()) {
                *square = nth(reach[n], number % reach[n].count());
                number /= reach[n].count();
            }
            let set: Bitboard = to[..cani.len()].iter().copied().collect();
            let apart = set.count() as usize == cani.len() && set != origins;
            let taken = apart && random.below(pairings(&reach[..cani.len()], &to)) == 0;
            Break(if taken { Move::pack(origins, set) } else { None })
        });
        drawn.break_value().flatten()
    }

    /// One of the kinds in hand onto the next cell.
    fn random_placement(&self, random: &mut Random) -> Move {
        // A bit in the byte of each kind that is not on the board.
        let singles = Bitboard((self.squares[self.side.index()] / u64::from(ABSENT)) & EACH_BYTE);
        let cani = u32::from(self.in_hand(Kind::Cani) > 0);
        let number = random.below(singles.count() + cani);
        let kind = if number < singles.count() {
            nth(singles, number).index() as u32 / 8
        } else {
            Kind::Cani as u32
        };
        Move::place(Kind::from_number(kind), self.next_cell())
    }

    /// A legal ply, each as likely as the others, of a position that is not over. On its own, so that what the
    /// compiler makes of it does not depend on the caller.
    #[inline(never)]
    fn random_ply(&self, random: &mut Random) -> Option<Move> {
        if self.is_placing() {
            return Some(self.random_placement(random));
        }
        self.lucky_ply(random).or_else(|| random_move(self, random))
    }
}

/// Ways to give each cani of a group a square.
fn ways(cani: usize, reach: [Bitboard; 3]) -> u32 {
    reach[..cani].iter().map(|set| set.count()).product()
}

/// A visitor that skips `number` plies and stops at the next.
#[inline(always)]
fn counted_to(mut number: u32) -> impl FnMut(Move) -> ControlFlow<Move> {
    move |mv| {
        if number == 0 {
            return Break(mv);
        }
        number -= 1;
        Continue(())
    }
}

impl Playout for WorldTree {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.outcome() {
            Some(outcome) => Step::Over(outcome),
            None => self.random_ply(random).map_or(Step::Over(Outcome::Draw), Step::Move),
        }
    }

    /// The capture of the town, if there is one.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        let begins = !self.is_placing() && !self.is_mid_turn() && self.outcome().is_none();
        if begins && let Some((kind, from)) = self.town_taker(self.side) {
            let square = Square::wrap(u32::from(self.square_of(!self.side, Kind::Town)));
            return Step::Move(Move::attack(kind, from, Hit { square, zi_ri: false }));
        }
        self.random_step(random)
    }

    /// By the capture of the town.
    #[inline]
    fn wins_at_once(&self) -> bool {
        !self.is_placing() && !self.is_mid_turn() && self.town_hangs(self.side)
    }
}
