//! Legal moves: sets of targets put into a sink, which counts, lists or picks.
//!
//! A side with a swordmaster cannot be in check: its king and swordmasters are bound by masks of the bond,
//! and the other pieces are free. A side without one has no bond; its moves must not leave the king attacked.

use super::board::{
    BOARD, CROWNS, DIAGONAL, KING_SQUARES, LAST_RANK, NEAR, STRAIGHT, diagonal, shifted, straight,
};
use super::kind::{FOOL, KEEPER, KING, PRIEST, PRIESTESS, SWORDMASTER};
use super::{KingsMate, Move, RuleSet};
use crate::batch::{Batch, Receiver};
use crate::bitboard::{Bitboard, Square};
use std::ops::ControlFlow::{self, Continue};

/// Where the pieces of a set of moves come from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// All from one square.
    One(Square),
    /// Each this number of square numbers before its target.
    Behind(i8),
}

impl Origin {
    #[inline(always)]
    pub(super) fn of(self, target: Square) -> Square {
        match self {
            Origin::One(from) => from,
            Origin::Behind(delta) => target.offset(-delta),
        }
    }
}

/// Receives the moves, in sets of targets.
pub(super) trait MoveSink {
    type Break;

    /// Takes the moves of pieces of a type to some squares; `becomes` is the set of types that the piece may
    /// have afterwards, each of which makes a move.
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, becomes: u8) -> ControlFlow<Self::Break>;
}

/// Counts moves.
pub(super) struct Counter(pub(super) u32);

impl MoveSink for Counter {
    type Break = ();

    #[inline(always)]
    fn take(&mut self, _: u8, _: Origin, to: Bitboard, becomes: u8) -> ControlFlow<()> {
        self.0 += if becomes.is_power_of_two() { to.count() } else { to.count() * becomes.count_ones() };
        Continue(())
    }
}

/// Calls a function with each move.
pub(super) struct Lister<F>(pub(super) F);

impl<B, F: FnMut(Move) -> ControlFlow<B>> MoveSink for Lister<F> {
    type Break = B;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, becomes: u8) -> ControlFlow<B> {
        for target in to {
            let from = origin.of(target);
            let mut left = becomes;
            while left != 0 {
                let becomes = left.trailing_zeros() as u8;
                left &= left - 1;
                (self.0)(Move { from, to: target, kind, becomes })?;
            }
        }
        Continue(())
    }
}

/// Breaks at the first move.
pub(super) struct FirstMove;

impl MoveSink for FirstMove {
    type Break = ();

    #[inline(always)]
    fn take(&mut self, _: u8, _: Origin, to: Bitboard, _: u8) -> ControlFlow<()> {
        if to.any() { ControlFlow::Break(()) } else { Continue(()) }
    }
}

/// Which of the moves are wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Pieces.
    pub(super) movers: Bitboard,
    /// Targets of fools.
    pub(super) fools: Bitboard,
    /// Targets of all others.
    pub(super) others: Bitboard,
}

impl Wanted {
    pub(super) const ALL: Wanted =
        Wanted { movers: Bitboard::ALL, fools: Bitboard::ALL, others: Bitboard::ALL };
}

/// What generation must know about the board.
pub(super) struct Scene {
    own: Bitboard,
    occupied: Bitboard,
    /// Enemies that can be captured.
    prey: Bitboard,
    king: Square,
    movers: Bitboard,
    /// Whether the king is defenseless and only legal moves are wanted.
    exposed: bool,
    /// If so, captures that change attacks on the king in other ways than by what stands where.
    special: Bitboard,
    /// If so, the pieces whose moves must be tested one by one.
    risky: Bitboard,
}

impl<R: RuleSet> KingsMate<R> {
    /// Puts all legal moves into the sink; none where the game has been decided.
    #[inline(always)]
    pub(super) fn generate<K: MoveSink>(&self, wanted: Wanted, sink: &mut K) -> ControlFlow<K::Break> {
        if self.decided_by_board().is_some() {
            return Continue(());
        }
        if self.is_defenseless(self.side) {
            self.generate_defenseless(wanted, sink, true)
        } else {
            self.generate_guarded(wanted, sink)
        }
    }

    /// Passes the legal moves on in batches. All visitors share this copy of the generator.
    #[inline(never)]
    pub(super) fn hand_on_moves(&self, receiver: &mut Receiver<'_, Move>) -> ControlFlow<()> {
        let mut batch =
            Batch::new(Move { from: Square::wrap(0), to: Square::wrap(0), kind: 0, becomes: 0 }, receiver);
        self.generate(Wanted::ALL, &mut Lister(|mv| batch.push(mv)))?;
        batch.finish()
    }

    pub(super) fn has_move(&self) -> bool {
        self.generate(Wanted::ALL, &mut FirstMove).is_break()
    }

    #[inline(always)]
    pub(super) fn scene(&self, wanted: Wanted) -> Scene {
        let own = self.pieces_of(self.side);
        let them = self.pieces_of(!self.side);
        // A guarded king cannot be captured. A defenseless one can where that takes a roll; in the other
        // games play ends before.
        let spared = !R::DICE || !self.is_defenseless(!self.side);
        let prey = if spared { them & !self.by_kind[KING as usize] } else { them };
        Scene {
            own,
            occupied: own | them,
            prey,
            king: self.king(self.side),
            movers: own & wanted.movers & !self.failed,
            exposed: false,
            special: Bitboard::EMPTY,
            risky: Bitboard::EMPTY,
        }
    }

    #[inline(always)]
    pub(super) fn generate_guarded<K: MoveSink>(
        &self,
        wanted: Wanted,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let scene = self.scene(wanted);
        let open = BOARD & (!scene.occupied | scene.prey);
        let swordmasters = self.by_kind[SWORDMASTER as usize] & scene.own;
        let around = NEAR[scene.king.index()];
        let first = swordmasters.first();
        let second = Bitboard(swordmasters.0 & swordmasters.0.wrapping_sub(1)).first();
        let (by_first, by_second) = (NEAR[first.index()], NEAR[second.index()]);
        // Where the king keeps the bond, and each swordmaster.
        let (of_king, of_first, of_second) = if swordmasters.is_single() {
            (by_first, around, Bitboard::EMPTY)
        } else {
            let beside = |other: Square, by_other: Bitboard| {
                if around.has(other) { around | by_other } else { around & by_other }
            };
            let of_king = if by_first.has(second) { by_first | by_second } else { by_first & by_second };
            (of_king, beside(second, by_second), beside(first, by_first))
        };
        let open = open & wanted.others;
        if scene.movers.has(scene.king) {
            let crown = if R::EXPANDED { self.crown_defense(&scene, swordmasters) } else { Bitboard::EMPTY };
            let to = around & of_king & open | crown & wanted.others;
            sink.take(KING, Origin::One(scene.king), to, 1 << KING)?;
        }
        for (from, zone) in [(first, of_first), (second, of_second)] {
            let zone = zone & open;
            if zone.any() && scene.movers.has(from) {
                let lines = straight(from, scene.occupied) | diagonal(from, scene.occupied);
                sink.take(SWORDMASTER, Origin::One(from), lines & zone, 1 << SWORDMASTER)?;
            }
        }
        self.free_moves(&scene, wanted, sink)
    }

    /// Moves of a side without swordmasters: those that spare the king, or with `legal` false all of them.
    #[inline(always)]
    pub(super) fn generate_defenseless<K: MoveSink>(
        &self,
        wanted: Wanted,
        sink: &mut K,
        legal: bool,
    ) -> ControlFlow<K::Break> {
        let mut scene = self.scene(wanted);
        if legal {
            self.expose(&mut scene);
        }
        if scene.movers.has(scene.king) {
            let open = BOARD & (!scene.occupied | scene.prey) & wanted.others;
            let to = self.admit_all(&scene, Origin::One(scene.king), NEAR[scene.king.index()] & open);
            sink.take(KING, Origin::One(scene.king), to, 1 << KING)?;
        }
        self.free_moves(&scene, wanted, sink)
    }

    /// Finds out which moves of a defenseless side need a look.
    #[inline(always)]
    fn expose(&self, scene: &mut Scene) {
        let them = !self.side;
        scene.exposed = true;
        // Capturing a swordmaster changes the bond, capturing the fool of the Gambit what fools may do, and
        // to attack the enemy's king is legal whatever happens to the mover's own (K5).
        scene.special = self.pieces(them, SWORDMASTER) | scene.prey & self.by_kind[KING as usize];
        if R::EXPANDED {
            scene.special |= self.pieces(them, FOOL) & KING_SQUARES[them.index()].bit();
        }
        let checked = self.attacked(scene.king, them, scene.occupied, Bitboard::EMPTY);
        scene.risky = if checked {
            Bitboard::ALL
        } else {
            straight(scene.king, scene.occupied) | diagonal(scene.king, scene.occupied) | scene.king.bit()
        };
    }

    /// The targets that spare the king.
    #[inline(always)]
    fn admit_all(&self, scene: &Scene, origin: Origin, to: Bitboard) -> Bitboard {
        if !scene.exposed || to.is_empty() {
            return to;
        }
        match origin {
            Origin::One(from) if !scene.risky.has(from) => {
                to & !scene.special | self.sparing(origin, to & scene.special)
            }
            _ => self.sparing(origin, to),
        }
    }

    /// The targets that spare the king, each looked at.
    fn sparing(&self, origin: Origin, to: Bitboard) -> Bitboard {
        to.into_iter().filter(|&target| self.spares_king(origin.of(target), target)).collect()
    }

    /// Whether a move of a defenseless side does not leave its king attacked, or attacks the enemy's.
    #[inline(always)]
    pub(super) fn spares_king(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.side);
        let king = if king == from { to } else { king };
        let occupied = self.occupied() & !from.bit() | to.bit();
        R::DICE && self.pieces(!self.side, KING).has(to)
            || !self.attacked(king, !self.side, occupied, to.bit())
    }

    #[inline(always)]
    fn crown_defense(&self, scene: &Scene, swordmasters: Bitboard) -> Bitboard {
        if !self.may_defend_crown(self.side) {
            return Bitboard::EMPTY;
        }
        let ways = CROWNS[self.side.index()].iter().filter(|crown| crown.swordmasters == swordmasters);
        ways.fold(Bitboard::EMPTY, |set, crown| set | crown.target) & !scene.occupied
    }

    /// The moves of all but the king and the swordmasters.
    #[inline(always)]
    fn free_moves<K: MoveSink>(&self, scene: &Scene, wanted: Wanted, sink: &mut K) -> ControlFlow<K::Break> {
        let closed = self.closed(self.side, Bitboard::EMPTY);
        let blockers = scene.occupied | closed.officers;
        let open = BOARD & (!scene.occupied | scene.prey) & !closed.officers & wanted.others;
        for from in self.by_kind[KEEPER as usize] & scene.movers {
            let origin = Origin::One(from);
            let to = self.admit_all(scene, origin, straight(from, blockers) & open);
            sink.take(KEEPER, origin, to, 1 << KEEPER)?;
        }
        for kind in [PRIEST, PRIESTESS] {
            for from in self.by_kind[kind as usize] & scene.movers {
                let origin = Origin::One(from);
                let to = self.admit_all(scene, origin, diagonal(from, blockers) & open);
                sink.take(kind, origin, to, 1 << kind)?;
            }
        }
        self.fool_moves(scene, !closed.fools & wanted.fools, sink)
    }

    #[inline(always)]
    fn fool_moves<K: MoveSink>(&self, scene: &Scene, open: Bitboard, sink: &mut K) -> ControlFlow<K::Break> {
        let fools = self.by_kind[FOOL as usize] & scene.movers;
        let (empty, prey) = (open & !scene.occupied & BOARD, open & scene.prey);
        for delta in STRAIGHT {
            self.fools_arrive(scene, Origin::Behind(delta), shifted(fools, delta) & empty, delta, sink)?;
        }
        for delta in DIAGONAL {
            self.fools_arrive(scene, Origin::Behind(delta), shifted(fools, delta) & prey, delta, sink)?;
        }
        Continue(())
    }

    /// Splits off promotions: on arrival at the last rank, if an officer has been captured (K3), and not on
    /// the King Square where that wins.
    #[inline(always)]
    fn fools_arrive<K: MoveSink>(
        &self,
        scene: &Scene,
        origin: Origin,
        to: Bitboard,
        delta: i8,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let to = self.admit_all(scene, origin, to);
        let forward = (delta > 0) == (self.side.index() == 0);
        let arriving = to & self.promotion_squares();
        if !forward || arriving.is_empty() {
            return sink.take(FOOL, origin, to, 1 << FOOL);
        }
        let captured = self.captured(self.side);
        let becomes = if captured == 0 { 1 << FOOL } else { captured };
        sink.take(FOOL, origin, arriving, becomes)?;
        sink.take(FOOL, origin, to & !arriving, 1 << FOOL)
    }

    /// Where fools of the side to move are promoted.
    #[inline(always)]
    pub(super) fn promotion_squares(&self) -> Bitboard {
        let us = self.side.index();
        if self.has_gambit() { LAST_RANK[us] & !KING_SQUARES[1 - us].bit() } else { LAST_RANK[us] }
    }
}
