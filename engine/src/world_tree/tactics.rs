//! Forcing plies, threats to the town and exchanges, for a search.

use super::board::{BANKS, DIAGONAL, ORTHOGONAL, RIVER, STAR, bit};
use super::ply::Hit;
use super::{Kind, Move, Ply, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::chance::Chance;
use crate::position::Position;
use crate::tactics::{PieceValues, Tactics};
use crate::value::{Outcome, Side};
use crate::zobrist::splitmix64;
use std::ops::ControlFlow::{self, Continue};

/// The number of what moves where nothing does: `done` and `pass`.
const NOTHING: usize = Kind::COUNT;

/// With fewer pieces than this on both sides together, any move may be worse than none.
const FEW_PIECES: u32 = 8;

impl WorldTree {
    /// The pieces of a side, its zi ri and its sleeth apart, beside which a piece of the other side falls.
    fn strikers(&self, by: Side, square: Square, victim: Kind) -> Bitboard {
        let them = !by;
        let immune = match victim {
            Kind::Herethroy => true,
            Kind::Orren => RIVER.has(square),
            Kind::Gormoror => !self.is_marked(them, victim),
            _ => false,
        };
        let shielded = victim == Kind::ZiRi || victim == Kind::Rassimel && !self.is_marked(them, victim);
        let own = |kind| bit(self.square_of(by, kind));
        let (mut weapons, mut magic) = (Bitboard::EMPTY, Bitboard::EMPTY);
        if !immune {
            let herethroy = own(Kind::Herethroy) & BANKS[by.index()];
            weapons = self.cani[by.index()]
                | own(Kind::Gormoror)
                | own(Kind::Khtsoyis)
                | own(Kind::Rassimel)
                | herethroy;
        }
        if !shielded {
            magic = own(Kind::Orren) | own(Kind::Rassimel);
        }
        ORTHOGONAL.of(square.number()) & weapons | DIAGONAL.of(square.number()) & magic
    }

    /// Calls `each` with every piece of a side that takes a piece of the other side in one hit, if it attacks.
    pub(super) fn takers<B>(
        &self,
        by: Side,
        square: Square,
        victim: Kind,
        mut each: impl FnMut(Kind, Square) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for from in self.strikers(by, square, victim) {
            each(self.kind_on(by, from), from)?;
        }
        let shielded = victim == Kind::ZiRi || victim == Kind::Rassimel && !self.is_marked(!by, victim);
        for from in self.zi_ri(by) & DIAGONAL.of(square.number()) {
            if !shielded {
                each(Kind::ZiRi, from)?;
            }
        }
        let others = self.solid[0] | self.solid[1];
        for from in self.pieces(by, Kind::Sleeth) {
            let crowded = victim == Kind::ZiRi && others.has(square);
            if !crowded && self.sees(from, square) {
                each(Kind::Sleeth, from)?;
            }
        }
        Continue(())
    }

    /// Whether a side, if it were to begin a turn, could take the other side's town.
    pub(super) fn town_hangs(&self, by: Side) -> bool {
        self.town_taker(by).is_some()
    }

    /// A piece of a side that can take the other side's town from where it stands, and its square.
    #[inline(always)]
    pub(super) fn town_taker(&self, by: Side) -> Option<(Kind, Square)> {
        let town = self.square_of(!by, Kind::Town);
        let around = (ORTHOGONAL.of(town) | DIAGONAL.of(town)) & (self.solid[by.index()] | self.zi_ri(by));
        let sleeth = self.square_of(by, Kind::Sleeth);
        let pounce = STAR.of(town) & bit(sleeth);
        if (around | pounce).is_empty() {
            return None;
        }
        let square = Square::wrap(u32::from(town));
        self.takers(by, square, Kind::Town, |kind, from| ControlFlow::Break((kind, from))).break_value()
    }

    /// The same position with the other side to begin a turn.
    fn handed_over(&self) -> WorldTree {
        let mut next = *self;
        next.end_turn(false);
        next
    }

    /// Whether a ply leaves the own town to be taken at once, and so loses: asked only of plies that end a
    /// turn which began under a threat.
    fn abandons_town(&self, mv: Move) -> bool {
        let next = self.after(mv);
        next.side != self.side && next.taken_town().is_none() && next.town_hangs(next.side)
    }

    fn material(&self, side: Side, values: &PieceValues) -> i32 {
        let worth = |kind: Kind| values[kind as usize] * self.pieces(side, kind).count() as i32;
        Kind::ALL.into_iter().map(worth).sum()
    }

    /// What a side to begin a turn gains at most by taking a piece in one hit, with the taker taken in turn
    /// and so on, each by the cheapest.
    fn exchange(&self, victim: Kind, square: Square, values: &PieceValues) -> i32 {
        let (us, them) = (self.side, !self.side);
        let mut cheapest: Option<(Kind, Square)> = None;
        let _: ControlFlow<()> = self.takers(us, square, victim, |kind, from| {
            if cheapest.is_none_or(|(best, _)| values[kind as usize] < values[best as usize]) {
                cheapest = Some((kind, from));
            }
            Continue(())
        });
        let Some((kind, from)) = cheapest else { return 0 };
        let hit = Hit { square, zi_ri: victim == Kind::ZiRi };
        let next = self.after(Move::attack(kind, from, hit));
        let gain = self.material(them, values) - next.material(them, values);
        if next.taken_town().is_some() {
            return gain;
        }
        let stands = if kind == Kind::Sleeth { square } else { from };
        (gain - next.exchange(kind, stands, values)).max(0)
    }

    /// The most that the opponent gains by taking one of the pieces that a ply has moved or that attacked.
    fn answer(&self, mv: Move, values: &PieceValues) -> i32 {
        let next = self.after(mv);
        if next.taken_town().is_some() {
            return 0;
        }
        let next = if next.side == self.side { next.handed_over() } else { next };
        match mv.ply() {
            Ply::Step { kind, to, .. } => next.exchange(kind, to, values),
            Ply::Pack { to, .. } => {
                let each = to.into_iter().map(|square| next.exchange(Kind::Cani, square, values));
                each.max().unwrap_or(0)
            }
            Ply::Attack { kind, from, hits } => {
                let stands = if kind == Kind::Sleeth { hits.first().square } else { from };
                next.exchange(kind, stands, values)
            }
            Ply::Place { .. } | Ply::Done | Ply::Pass => 0,
        }
    }

    fn staged<B>(&self, attacks: bool, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let threatened = self.threatened();
        self.moves_of_stage(attacks, &mut |mv| {
            if threatened && self.abandons_town(mv) { Continue(()) } else { visit(mv) }
        })
    }

    fn moves_of_stage<B>(
        &self,
        attacks: bool,
        visit: &mut impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match (self.is_placing(), self.is_mid_turn(), attacks) {
            (true, _, true) | (_, true, true) => Continue(()),
            (true, _, false) => self.placements(visit),
            (_, _, true) => self.attacks(visit),
            (_, true, false) => self.turn_plies(visit),
            (_, false, false) => {
                self.piece_moves(visit)?;
                if self.allows(Move::PASS) { visit(Move::PASS) } else { Continue(()) }
            }
        }
    }
}

impl Chance for WorldTree {}

impl Tactics for WorldTree {
    /// The kinds of pieces, and one more for plies that move none.
    const KINDS: usize = Kind::COUNT + 1;

    #[inline(always)]
    fn decided(&self) -> Option<Outcome> {
        self.taken_town()
    }

    #[inline(always)]
    fn adjudicated(&self) -> bool {
        self.is_stale()
    }

    /// Whether the opponent could take the town if it were the opponent's turn.
    #[inline]
    fn threatened(&self) -> bool {
        !self.is_placing() && self.town_hangs(!self.side)
    }

    /// Attacks: each takes something or sets a marker.
    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        mv.is_attack()
    }

    /// Under a threat to the town, without attacks that do not end it.
    #[inline]
    fn noisy_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.staged(true, visit)
    }

    /// Under a threat to the town, without plies that end the turn and not the threat.
    #[inline]
    fn quiet_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.staged(false, visit)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.allows(mv)
    }

    /// Of several victims that which comes first among the kinds, a town before all.
    fn victim(&self, mv: Move) -> Option<u8> {
        if !self.is_noisy(mv) {
            return None;
        }
        let (next, them) = (self.after(mv), !self.side);
        let lost = |kind: &Kind| next.pieces(them, *kind).count() < self.pieces(them, *kind).count();
        Kind::ALL.into_iter().find(lost).map(|kind| kind as u8)
    }

    /// Attacks and placements: a marker never goes.
    fn is_irreversible(&self, mv: Move) -> bool {
        mv.is_attack() || mv.is_placement()
    }

    /// Also in the middle of a turn, where it is what `done` does. Not in the placement phase.
    fn pass(&self) -> Option<WorldTree> {
        (!self.is_placing() && !self.threatened()).then(|| self.handed_over())
    }

    fn is_zugzwang_prone(&self) -> bool {
        (self.solid[0] | self.solid[1]).count() + self.all_zi_ri().count() < FEW_PIECES
    }

    /// A piece that takes stays where it is, unless it is a sleeth, and can be taken there. A piece move is looked at as if the
    /// turn ended with it. Hits that only set a marker are no captures, and a khtsoyis answers with one hit.
    fn exchange_at_least(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        let gain = self.gain(mv, values);
        gain >= threshold && (gain - self.answer(mv, values)) >= threshold
    }

    fn gain(&self, mv: Move, values: &PieceValues) -> i32 {
        if !self.is_noisy(mv) {
            return 0;
        }
        self.material(!self.side, values) - self.after(mv).material(!self.side, values)
    }

    /// Which pieces there are, the markers and the towns' squares.
    fn structure_hash(&self) -> u64 {
        let mut word = u64::from(self.marks);
        for side in Side::BOTH {
            for kind in Kind::ALL {
                word = word << 2 | u64::from(self.pieces(side, kind).count());
            }
            word = word << 7 | u64::from(self.square_of(side, Kind::Town));
        }
        splitmix64(word).1
    }

    #[inline]
    fn kind(mv: Move) -> usize {
        mv.mover().map_or(NOTHING, |kind| kind as usize)
    }

    /// The lowest square of a pack; the cell of a placement; 0 where nothing moves.
    #[inline]
    fn from(mv: Move) -> usize {
        mv.origin().index()
    }

    /// The lowest destination of a pack, the first target of an attack; 0 where nothing moves.
    #[inline]
    fn to(mv: Move) -> usize {
        mv.destination().index()
    }

    #[inline(always)]
    fn encode(mv: Move) -> u32 {
        mv.code()
    }

    fn decode(&self, code: u32) -> Option<Move> {
        Move::from_code(code)
    }
}
