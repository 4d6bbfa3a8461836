//! Attacks: who can hit what, and how it is listed.
//!
//! Weapons hit the four orthogonal neighbours and magic the four diagonal ones; a sleeth pounces along its
//! lines (W3). What would do nothing is not an attack; what only sets a marker is one.

use super::board::{BANKS, BETWEEN, DIAGONAL, ORTHOGONAL, RIVER, STAR, bit, neighbour, shifted};
use super::ply::{Hit, Hits, hit_number, hit_of};
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use std::ops::ControlFlow::{self, Continue};

/// How an attack is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Weapon,
    Magic,
    Pounce,
}

/// The kinds that attack without moving and hit once, with the way they do it, in the order of the listing.
const STRIKERS: [(Kind, Method); 6] = [
    (Kind::Gormoror, Method::Weapon),
    (Kind::Herethroy, Method::Weapon),
    (Kind::Rassimel, Method::Weapon),
    (Kind::Rassimel, Method::Magic),
    (Kind::Orren, Method::Magic),
    (Kind::ZiRi, Method::Magic),
];

/// The most targets that a khtsoyis has: four squares, one with a zi ri besides, and a gormoror that takes two hits.
const MAX_TARGETS: usize = 6;

/// How many sets of one to three there are of `n` things; the index is `n`, at most seven.
static SUBSETS: [u32; 8] = [0, 1, 3, 7, 14, 25, 41, 63];

impl WorldTree {
    /// How a piece of the side to move reaches a square with an attack, whatever stands there.
    pub(super) fn method(&self, kind: Kind, from: Square, to: Square) -> Option<Method> {
        let orthogonal = ORTHOGONAL.of(from.number()).has(to);
        let diagonal = DIAGONAL.of(from.number()).has(to);
        match kind {
            Kind::Cani | Kind::Gormoror | Kind::Khtsoyis if orthogonal => Some(Method::Weapon),
            Kind::Herethroy if orthogonal && self.may_strike(kind, from) => Some(Method::Weapon),
            Kind::Rassimel if orthogonal => Some(Method::Weapon),
            Kind::Rassimel | Kind::Orren | Kind::ZiRi if diagonal => Some(Method::Magic),
            Kind::Sleeth if self.sees(from, to) => Some(Method::Pounce),
            _ => None,
        }
    }

    /// Whether a square is on a line of up to three squares with nothing between (W3).
    #[inline(always)]
    pub(super) fn sees(&self, from: Square, to: Square) -> bool {
        let way = BETWEEN[from.index()][to.index()];
        STAR.of(from.number()).has(to) && (way & !self.empty_squares()).is_empty()
    }

    /// A herethroy fights on its own bank only.
    #[inline(always)]
    fn may_strike(&self, kind: Kind, from: Square) -> bool {
        kind != Kind::Herethroy || BANKS[self.side.index()].has(from)
    }

    /// The pieces of a side, zi ri apart, that weapons do something to.
    #[inline(always)]
    pub(super) fn weapon_victims(&self, side: Side) -> Bitboard {
        let orren = bit(self.square_of(side, Kind::Orren)) & RIVER;
        self.solid[side.index()] & !orren & !bit(self.square_of(side, Kind::Herethroy))
    }

    /// The squares with an enemy that a sleeth may enter: only zi ri are left there when it has come.
    #[inline(always)]
    pub(super) fn pounce_squares(&self) -> Bitboard {
        let (us, them) = (self.side.index(), (!self.side).index());
        self.solid[them] | self.zi_ri(!self.side) & !self.solid[us]
    }

    /// Whether an attack that reaches its target does something to it.
    pub(super) fn harms(&self, method: Method, hit: Hit) -> bool {
        let them = !self.side;
        let present = if hit.zi_ri { self.zi_ri(them) } else { self.solid[them.index()] };
        present.has(hit.square)
            && match method {
                Method::Weapon => hit.zi_ri || self.weapon_victims(them).has(hit.square),
                Method::Magic => !hit.zi_ri,
                Method::Pounce => self.pounce_target(hit.square) == Some(hit),
            }
    }

    /// What a pounce on a square takes: the zi ri only where it is alone or with the sleeth's own zi ri.
    pub(super) fn pounce_target(&self, square: Square) -> Option<Hit> {
        let zi_ri = !self.solid[(!self.side).index()].has(square);
        self.pounce_squares().has(square).then_some(Hit { square, zi_ri })
    }

    /// Every attack of the side to move.
    pub(super) fn attacks<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.strikes(visit)?;
        self.barrages(visit)?;
        self.pounces(visit)
    }

    /// Attacks with one hit of pieces that stay where they are, but for the khtsoyis.
    pub(super) fn strikes<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let us = self.side;
        for from in self.cani[us.index()] {
            self.strikes_of(Kind::Cani, Method::Weapon, from, visit)?;
        }
        for (kind, method) in STRIKERS {
            for from in self.pieces(us, kind) {
                if self.may_strike(kind, from) {
                    self.strikes_of(kind, method, from, visit)?;
                }
            }
        }
        Continue(())
    }

    fn strikes_of<B>(
        &self,
        kind: Kind,
        method: Method,
        from: Square,
        visit: &mut impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let them = !self.side;
        let (near, solid, zi_ri) = match method {
            Method::Weapon => (ORTHOGONAL.of(from.number()), self.weapon_victims(them), self.zi_ri(them)),
            _ => (DIAGONAL.of(from.number()), self.solid[them.index()], Bitboard::EMPTY),
        };
        for (set, zi_ri) in [(solid, false), (zi_ri, true)] {
            for square in near & set {
                visit(Move::attack(kind, from, Hit { square, zi_ri }))?;
            }
        }
        Continue(())
    }

    /// How many attacks [`strikes`](WorldTree::strikes) visits.
    #[inline(always)]
    pub(super) fn count_strikes(&self) -> u32 {
        let (us, them) = (self.side, !self.side);
        let square = |kind| self.square_of(us, kind);
        let herethroy = bit(square(Kind::Herethroy)) & BANKS[us.index()];
        let armed =
            self.cani[us.index()] | bit(square(Kind::Gormoror)) | bit(square(Kind::Rassimel)) | herethroy;
        let victims = self.weapon_victims(them);
        let mut count = (ORTHOGONAL.of(self.square_of(them, Kind::ZiRi)) & armed).count();
        for direction in 0..4 {
            count += (shifted(armed, direction) & victims).count();
        }
        for kind in [Kind::Rassimel, Kind::Orren, Kind::ZiRi] {
            count += (DIAGONAL.of(square(kind)) & self.solid[them.index()]).count();
        }
        count
    }

    pub(super) fn count_attacks(&self) -> u64 {
        let mut pounces = 0;
        let _: ControlFlow<()> = self.pounces(&mut |_| {
            pounces += 1;
            Continue(())
        });
        u64::from(self.count_strikes() + self.count_barrages() + pounces)
    }

    fn pounces<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        for from in self.pieces(self.side, Kind::Sleeth) {
            for square in STAR.of(from.number()) & self.pounce_squares() {
                if let Some(hit) = self.pounce_target(square).filter(|_| self.sees(from, square)) {
                    visit(Move::attack(Kind::Sleeth, from, hit))?;
                }
            }
        }
        Continue(())
    }

    /// How many useful hits the target can take from one khtsoyis: a fresh gormoror two.
    fn hits_taken(&self, hit: Hit) -> usize {
        let gormoror = bit(self.square_of(!self.side, Kind::Gormoror)).has(hit.square);
        let fresh = gormoror && !hit.zi_ri && !self.is_marked(!self.side, Kind::Gormoror);
        1 + usize::from(fresh)
    }

    /// The numbers of the hits that a khtsoyis can make, in ascending order, one that counts twice there twice.
    fn hit_numbers(&self, from: Square, numbers: &mut [u32; MAX_TARGETS]) -> usize {
        let mut count = 0;
        for direction in 0..4 {
            let Some(square) = neighbour(from, direction) else { continue };
            for zi_ri in [false, true] {
                let hit = Hit { square, zi_ri };
                let times = if self.harms(Method::Weapon, hit) { self.hits_taken(hit) } else { 0 };
                for _ in 0..times {
                    numbers[count % MAX_TARGETS] = hit_number(direction, zi_ri);
                    count += 1;
                }
            }
        }
        count.min(MAX_TARGETS)
    }

    /// The attacks of the khtsoyis: every multiset of one to three useful hits, once.
    pub(super) fn barrages<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        for from in self.pieces(self.side, Kind::Khtsoyis) {
            let mut numbers = [0; MAX_TARGETS];
            let count = self.hit_numbers(from, &mut numbers);
            let numbers = &numbers[..count];
            // A hit that may be made twice is in the list twice: the second comes in after the first only.
            let fresh = |n: usize, after: Option<usize>| {
                n == 0 || numbers[n - 1] != numbers[n] || after == Some(n - 1)
            };
            for i in (0..count).filter(|&i| fresh(i, None)) {
                visit(Move::attack(Kind::Khtsoyis, from, hit_of(from, numbers[i])))?;
                for j in (i + 1..count).filter(|&j| fresh(j, Some(i))) {
                    visit(Move::barrage(from, &[numbers[i], numbers[j]]))?;
                    for k in (j + 1..count).filter(|&k| fresh(k, Some(j))) {
                        visit(Move::barrage(from, &[numbers[i], numbers[j], numbers[k]]))?;
                    }
                }
            }
        }
        Continue(())
    }

    /// How many attacks [`barrages`](WorldTree::barrages) visits.
    #[inline(always)]
    pub(super) fn count_barrages(&self) -> u32 {
        let them = !self.side;
        let near = ORTHOGONAL.of(self.square_of(self.side, Kind::Khtsoyis));
        let victims = near & self.weapon_victims(them);
        // Sets of one to three of them, and with a fresh gormoror twice alone or beside one of the others.
        let n = victims.count() + (near & self.zi_ri(them)).count();
        let fresh = (victims & bit(self.square_of(them, Kind::Gormoror))).any()
            && !self.is_marked(them, Kind::Gormoror);
        SUBSETS[n as usize % SUBSETS.len()] + if fresh { n } else { 0 }
    }

    /// Whether a piece of the side to move may make this attack.
    pub(super) fn attack_is_legal(&self, kind: Kind, from: Square, hits: &Hits) -> bool {
        let hits = hits.as_slice();
        let useful = |hit: &Hit| {
            let times = hits.iter().filter(|other| *other == hit).count();
            times <= self.hits_taken(*hit)
                && self.method(kind, from, hit.square).is_some_and(|method| self.harms(method, *hit))
        };
        self.pieces(self.side, kind).has(from)
            && (hits.len() == 1 || kind == Kind::Khtsoyis)
            && hits.iter().all(useful)
    }

    /// Plays an attack and what it brings about: the glorious sacrifice (W7), the end of the turn.
    pub(super) fn play_attack(&mut self, kind: Kind, from: Square, hits: &Hits) {
        let (us, them) = (self.side, !self.side);
        let sacrificed = self.zi_ri(them) & (self.solid[us.index()] | self.zi_ri(us));
        let mut captured = false;
        for hit in hits.as_slice() {
            captured |= self.strike(kind, from, *hit);
        }
        if kind == Kind::Sleeth {
            self.shift(kind, from, hits.first().square);
        }
        for square in sacrificed & self.zi_ri(them) {
            self.lift(Kind::ZiRi, them, square);
            captured = true;
        }
        self.end_turn(captured);
    }

    /// Marks or takes what is hit; tells whether it is taken.
    fn strike(&mut self, kind: Kind, from: Square, hit: Hit) -> bool {
        let them = !self.side;
        if hit.zi_ri {
            self.lift(Kind::ZiRi, them, hit.square);
            return true;
        }
        if !self.solid[them.index()].has(hit.square) {
            return false;
        }
        let victim = self.kind_on(them, hit.square);
        let magic = DIAGONAL.of(from.number()).has(hit.square);
        let resists = match victim {
            Kind::Gormoror => kind != Kind::Sleeth && !magic,
            Kind::Rassimel => kind != Kind::Sleeth && magic,
            _ => false,
        };
        if resists && !self.is_marked(them, victim) {
            self.set_mark(them, victim, true);
            return false;
        }
        self.lift(victim, them, hit.square);
        true
    }
}
