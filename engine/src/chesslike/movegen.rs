//! Legal move generation, written once for listing and for counting.

use super::checks::Checks;
use super::subset::can_have;
use super::{ChessLike, Move, RuleSubset};
use crate::batch::{Batch, Receiver};
use crate::bitboard::{Bitboard, Square};
use crate::variant::spec::Promotion;
use crate::variant::tables::{Class, StepperTable, TypeTables};
use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

/// Where the moves of a set come from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// All from one square.
    One(Square),
    /// Each from the square this far behind its target.
    Behind(i8),
    /// Each from its target: drops.
    Itself,
}

/// Receives the moves, in sets of targets.
pub(super) trait MoveSink {
    type Break;

    /// One move for each target and each tag.
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<Self::Break>;
}

/// The tags that each target of a set comes with.
#[derive(Clone, Copy)]
pub(super) enum Tags<'a> {
    One(u8),
    /// A promotion to each of these types.
    Promotions(&'a [u8]),
}

/// Which of the legal moves are wanted. All of it is inlined: what [`AllMoves`] says costs nothing.
pub(super) trait MoveFilter {
    /// The squares whose pieces may move.
    #[inline(always)]
    fn movers(&self) -> Bitboard {
        Bitboard::ALL
    }

    /// Where pieces of this type may go, castling and *en passant* apart.
    #[inline(always)]
    fn targets(&self, _: u8) -> Bitboard {
        Bitboard::ALL
    }

    /// Whether castling is wanted.
    #[inline(always)]
    fn castling(&self) -> bool {
        true
    }

    /// Whether captures *en passant* are wanted.
    #[inline(always)]
    fn en_passant(&self) -> bool {
        true
    }

    /// Whether drops are wanted.
    #[inline(always)]
    fn drops(&self) -> bool {
        true
    }

    /// Where drops of this type are wanted, if any are.
    #[inline(always)]
    fn drop_targets(&self, _: u8) -> Bitboard {
        Bitboard::ALL
    }
}

/// All legal moves.
pub(super) struct AllMoves;

impl MoveFilter for AllMoves {}

/// The captures among the moves that another filter wants, or all of these.
struct Captures<'f, F> {
    wanted: &'f F,
    /// Where moves may end.
    prey: Bitboard,
    /// Whether captures alone are wanted.
    only: bool,
}

impl<F: MoveFilter> MoveFilter for Captures<'_, F> {
    #[inline(always)]
    fn movers(&self) -> Bitboard {
        self.wanted.movers()
    }

    #[inline(always)]
    fn targets(&self, kind: u8) -> Bitboard {
        self.wanted.targets(kind) & self.prey
    }

    #[inline(always)]
    fn castling(&self) -> bool {
        !self.only && self.wanted.castling()
    }

    #[inline(always)]
    fn en_passant(&self) -> bool {
        self.wanted.en_passant()
    }

    #[inline(always)]
    fn drops(&self) -> bool {
        !self.only && self.wanted.drops()
    }
}

/// Breaks at the first move.
pub(super) struct FirstMove;

impl MoveSink for FirstMove {
    type Break = ();

    #[inline(always)]
    fn take(&mut self, _: u8, _: Origin, to: Bitboard, _: Tags<'_>) -> ControlFlow<()> {
        if to.any() { ControlFlow::Break(()) } else { Continue(()) }
    }
}

/// Counts the moves.
pub(super) struct Counter(pub(super) u64);

impl MoveSink for Counter {
    type Break = Infallible;

    #[inline(always)]
    fn take(&mut self, _: u8, _: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<Infallible> {
        self.0 += match tags {
            Tags::One(_) => u64::from(to.count()),
            Tags::Promotions(kinds) => u64::from(to.count()) * kinds.len() as u64,
        };
        Continue(())
    }
}

/// Calls a function with each move.
struct Lister<F>(F);

impl Origin {
    /// Where the move to a target comes from.
    #[inline(always)]
    pub(super) const fn of(self, target: Square) -> Square {
        match self {
            Origin::One(from) => from,
            Origin::Behind(delta) => target.offset(delta.wrapping_neg()),
            Origin::Itself => target,
        }
    }
}

impl<B, F: FnMut(Move) -> ControlFlow<B>> MoveSink for Lister<F> {
    type Break = B;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<B> {
        for target in to {
            let from = origin.of(target);
            match tags {
                Tags::One(tag) => (self.0)(Move::new(kind, from, target, tag))?,
                Tags::Promotions(kinds) => {
                    for &promoted in kinds {
                        (self.0)(Move::new(kind, from, target, Move::promotion_tag(promoted)))?;
                    }
                }
            }
        }
        Continue(())
    }
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    #[inline(always)]
    pub(super) fn visit_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.generate(&mut Lister(visit))
    }

    /// Passes the legal moves on in batches. All visitors share this copy of the generator.
    #[inline(never)]
    pub(super) fn hand_on_moves(&self, receiver: &mut Receiver<'_, Move>) -> ControlFlow<()> {
        if self.decided().is_some() { Continue(()) } else { self.hand_on_undecided(receiver) }
    }

    /// The same, in a game that is known not to have been decided.
    #[inline(never)]
    pub(super) fn hand_on_undecided(&self, receiver: &mut Receiver<'_, Move>) -> ControlFlow<()> {
        let mut batch = Batch::new(Move::new(0, Square::wrap(0), Square::wrap(0), 0), receiver);
        self.generate_undecided(&mut Lister(|mv| batch.push(mv)))?;
        batch.finish()
    }

    /// Whether there is a legal move, in a game that is known not to have been decided.
    #[inline(never)]
    pub(super) fn has_move(&self) -> bool {
        self.generate_undecided(&mut FirstMove).is_break()
    }

    /// Visits the legal moves that a filter wants, in a game that is known not to have been decided.
    #[inline(always)]
    pub(super) fn visit_wanted<B, F: MoveFilter>(
        &self,
        filter: &F,
        visit: impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.generate_wanted(filter, &mut Lister(visit))
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        let mut counter = Counter(0);
        let _ = self.generate(&mut counter);
        counter.0
    }

    /// Puts all legal moves into the sink; none where the game has been decided by play.
    #[inline(always)]
    fn generate<K: MoveSink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        if self.decided().is_some() { Continue(()) } else { self.generate_undecided(sink) }
    }

    /// Puts all legal moves into the sink, in a game that is known not to have been decided.
    #[inline(always)]
    pub(super) fn generate_undecided<K: MoveSink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        self.generate_wanted(&AllMoves, sink)
    }

    /// Puts the legal moves that a filter wants into the sink: where captures are compulsory, captures only if there are any.
    #[inline(always)]
    fn generate_wanted<K: MoveSink, F: MoveFilter>(&self, filter: &F, sink: &mut K) -> ControlFlow<K::Break> {
        if const { can_have(S::HANDS) } && self.must_drop() {
            let targets = if self.has_royal(self.side) { self.checks().targets } else { Bitboard::ALL };
            self.drops(targets, filter, sink)
        } else if const { can_have(S::MUST_CAPTURE) } && S::must_capture(self.rules) {
            self.generate_compulsory(filter, sink)
        } else {
            self.generate_filtered(filter, sink)
        }
    }

    #[inline(never)]
    fn generate_compulsory<K: MoveSink, F: MoveFilter>(
        &self,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        // One call for both cases: each is a whole generator, and there is one for every sink and filter.
        let only = self.can_capture();
        let prey = if only { self.pieces_of(!self.side) } else { Bitboard::ALL };
        self.generate_filtered(&Captures { wanted: filter, prey, only }, sink)
    }

    /// Whether there is a legal capture.
    #[inline(never)]
    pub(super) fn can_capture(&self) -> bool {
        let captures = Captures { wanted: &AllMoves, prey: self.pieces_of(!self.side), only: true };
        self.generate_filtered(&captures, &mut FirstMove).is_break()
    }

    #[inline(always)]
    fn generate_filtered<K: MoveSink, F: MoveFilter>(
        &self,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        if const { !can_have(S::ROYAL) } || !self.has_royal(self.side) {
            if const { can_have(S::EN_PASSANT) }
                && S::en_passant(self.rules)
                && self.en_passant != super::NO_SQUARE
                && filter.en_passant()
            {
                self.en_passant_moves(sink)?;
            }
            if const { can_have(S::CASTLING) } {
                let rights = self.castling & self.rules.tables.castling.of[self.side.index()];
                if rights != 0 && filter.castling() {
                    self.castling_moves(rights, sink)?;
                }
            }
            let movers = self.by_side[self.side.index()] & filter.movers();
            if const { !can_have(S::HANDS) } {
                return self.free_moves(movers, Bitboard::ALL, filter, sink);
            }
            self.free_moves(movers, Bitboard::ALL, filter, sink)?;
            return if S::hands(self.rules) { self.drops(Bitboard::ALL, filter, sink) } else { Continue(()) };
        }
        let checks = self.checks();
        if filter.movers().has(checks.king) {
            self.king_moves(&checks, filter, sink)?;
        }
        if checks.targets.is_empty() {
            return Continue(());
        }
        if const { can_have(S::CASTLING) } {
            let rights = self.castling & self.rules.tables.castling.of[self.side.index()];
            if rights != 0 && !checks.checked && filter.castling() {
                self.castling_moves(rights, sink)?;
            }
        }
        if const { can_have(S::EN_PASSANT) }
            && S::en_passant(self.rules)
            && self.en_passant != super::NO_SQUARE
            && filter.en_passant()
        {
            self.en_passant_moves(sink)?;
        }
        if checks.pinned.any() {
            self.pinned_moves(&checks, filter, sink)?;
        }
        let movers = self.by_side[self.side.index()] & filter.movers() & !(checks.pinned | checks.king.bit());
        if const { !can_have(S::HANDS) } {
            return self.free_moves(movers, checks.targets, filter, sink);
        }
        self.free_moves(movers, checks.targets, filter, sink)?;
        if S::hands(self.rules) { self.drops(checks.targets, filter, sink) } else { Continue(()) }
    }

    /// The pseudo-legal moves of a game with a royal piece: all moves, those that expose it among them.
    #[inline(always)]
    pub(super) fn generate_pseudo_legal<K: MoveSink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        let king = self.pieces(self.side, self.rules.royal.unwrap_or(0)).first();
        if const { can_have(S::CASTLING) } {
            let rights = self.castling & self.rules.tables.castling.of[self.side.index()];
            if rights != 0 {
                self.castling_moves(rights, sink)?;
            }
        }
        if const { can_have(S::EN_PASSANT) }
            && S::en_passant(self.rules)
            && self.en_passant != super::NO_SQUARE
        {
            self.en_passant_moves(sink)?;
        }
        let kind = self.rules.royal.unwrap_or(0);
        let Some(tables) = self.rules.tables.types.get(kind as usize) else { return Continue(()) };
        sink.take(kind, Origin::One(king), self.king_targets(tables, king), Tags::One(0))?;
        let movers = self.by_side[self.side.index()] & !king.bit();
        if const { !can_have(S::HANDS) } {
            return self.free_moves(movers, Bitboard::ALL, &AllMoves, sink);
        }
        self.free_moves(movers, Bitboard::ALL, &AllMoves, sink)?;
        if S::hands(self.rules) { self.drops(Bitboard::ALL, &AllMoves, sink) } else { Continue(()) }
    }

    /// The moves of some pieces, none of them pinned, to some squares; the king's are not among them.
    #[inline(always)]
    pub(super) fn free_moves<K: MoveSink, F: MoveFilter>(
        &self,
        movers: Bitboard,
        targets: Bitboard,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let s = self.side.index();
        let us = self.by_side[s];
        let occupied = us | self.by_side[1 - s];
        let open = targets & !us;
        let classes = &self.rules.tables.classes;
        if const { can_have(S::STEPPERS) } {
            for table in &classes.steppers {
                let wanted = targets & filter.targets(table.kind);
                self.stepper_moves(table, self.kind_set(table.kind) & movers, wanted, sink)?;
            }
        }
        for table in &classes.leapers {
            let open = open & filter.targets(table.kind);
            for from in self.kind_set(table.kind) & movers {
                let to = table.targets[s][from.index()] & open;
                sink.take(table.kind, Origin::One(from), to, Tags::One(0))?;
            }
        }
        if const { can_have(S::RIDERS) } {
            for table in &classes.riders {
                let pieces = self.kind_set(table.kind) & movers;
                let open = open & filter.targets(table.kind);
                let (leaps, riders) = (&table.leaps[s], &self.rules.tables.riders);
                // One rider, as of a rook or bishop, is worth a loop of its own: 10% of perft.
                if let [number] = table.riders[s][..] {
                    let Some(rider) = riders.get(number as usize) else { continue };
                    for from in pieces {
                        let to = leaps[from.index()] | rider.attacks(from, occupied);
                        sink.take(table.kind, Origin::One(from), to & open, Tags::One(0))?;
                    }
                } else {
                    for from in pieces {
                        let mut to = leaps[from.index()];
                        for &number in &table.riders[s] {
                            let Some(rider) = riders.get(number as usize) else { continue };
                            to |= rider.attacks(from, occupied);
                        }
                        sink.take(table.kind, Origin::One(from), to & open, Tags::One(0))?;
                    }
                }
            }
        }
        if const { can_have(S::GENERAL) } {
            for &kind in &classes.general {
                let wanted = targets & filter.targets(kind);
                for from in self.kind_set(kind) & movers {
                    self.general_moves(kind, from, wanted, sink)?;
                }
            }
        }
        Continue(())
    }

    /// The moves of pinned pieces, one by one.
    #[cold]
    fn pinned_moves<K: MoveSink, F: MoveFilter>(
        &self,
        checks: &Checks,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        for from in checks.pinned & filter.movers() {
            let Some(kind) = self.type_on(from) else { continue };
            let limit = self.pin_limit(checks, from) & filter.targets(kind);
            self.general_moves(kind, from, limit, sink)?;
        }
        Continue(())
    }

    /// Splits off promotions and puts the moves into the sink.
    #[inline(always)]
    fn emit<K: MoveSink>(
        &self,
        kind: u8,
        promotion: &Option<Promotion>,
        origin: Origin,
        to: Bitboard,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let mut staying = to;
        if const { can_have(S::PROMOTION) }
            && let Some(promotion) = promotion
        {
            if const { !can_have(S::SPECIAL_PROMOTION) } {
                let arriving = to & promotion.zone;
                if arriving.any() {
                    sink.take(kind, origin, arriving, Tags::Promotions(&promotion.to))?;
                    staying &= !promotion.forced;
                }
            } else {
                let (promoting, forced) = self.promoting(promotion, origin, to);
                sink.take(kind, origin, promoting, Tags::Promotions(&promotion.to))?;
                staying &= !forced;
            }
        }
        sink.take(kind, origin, staying, Tags::One(0))
    }

    /// Which of some targets are reached with a promotion, and which not without one.
    #[inline]
    fn promoting(&self, promotion: &Promotion, origin: Origin, to: Bitboard) -> (Bitboard, Bitboard) {
        let mut leaving = Bitboard::EMPTY;
        if promotion.leaving.any() {
            leaving = to.into_iter().filter(|target| promotion.leaving.has(origin.of(*target))).collect();
        }
        let mut promoting = to & promotion.zone | leaving;
        let mut forced = promotion.forced;
        if !promotion.optional {
            forced |= leaving;
        }
        if promotion.on_capture {
            promoting &= self.by_side[(!self.side).index()];
            forced &= self.by_side[(!self.side).index()];
        }
        (promoting, forced)
    }

    /// The moves of several pieces of one type, all at once.
    #[inline(always)]
    fn stepper_moves<K: MoveSink>(
        &self,
        table: &StepperTable,
        pieces: Bitboard,
        targets: Bitboard,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let s = self.side.index();
        let (quiet, capture) = (targets & !self.occupied(), targets & self.by_side[1 - s]);
        for step in &table.steps[s] {
            let mut from = pieces & step.from;
            if step.leg != 0 {
                from &= !self.occupied().shifted(step.leg.wrapping_neg());
            }
            let open = if step.quiet { quiet } else { Bitboard::EMPTY }
                | if step.capture { capture } else { Bitboard::EMPTY };
            let to = from.shifted(step.delta) & open;
            let origin = Origin::Behind(step.delta);
            if step.double {
                sink.take(table.kind, origin, to, Tags::One(Move::DOUBLE_STEP))?;
            } else {
                self.emit(table.kind, &table.promotion[s], origin, to, sink)?;
            }
        }
        Continue(())
    }

    /// The moves of one piece of any class, castling and en passant left out.
    #[inline(never)]
    fn general_moves<K: MoveSink>(
        &self,
        kind: u8,
        from: Square,
        limit: Bitboard,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let Some(tables) = self.rules.tables.types.get(kind as usize) else { return Continue(()) };
        let Some(piece) = self.rules.pieces.get(kind as usize) else { return Continue(()) };
        let (to, double) = self.general_targets(tables, from);
        self.emit(kind, &piece.promotion[self.side.index()], Origin::One(from), to & limit, sink)?;
        sink.take(kind, Origin::One(from), double & limit, Tags::One(Move::DOUBLE_STEP))
    }

    /// The targets of one piece of any class, and those of its double steps.
    fn general_targets(&self, tables: &TypeTables, from: Square) -> (Bitboard, Bitboard) {
        let s = self.side.index();
        let them = self.by_side[1 - s];
        let occupied = self.occupied();
        let slide = |list: &[u8]| {
            list.iter().fold(Bitboard::EMPTY, |set, &number| {
                set | self.rules.tables.riders[number as usize].attacks(from, occupied)
            })
        };
        let slides = slide(&tables.capture_riders[s]);
        let quiet_slides =
            if tables.slides_as_it_captures[s] { slides } else { slide(&tables.quiet_riders[s]) };
        let quiet = tables.quiet[s][from.index()] | quiet_slides;
        let capture = tables.capture[s][from.index()] | slides;
        let mut to = quiet & !occupied | capture & them;
        let mut double = Bitboard::EMPTY;
        for lame in &tables.lame[s][from.index()] {
            if (lame.legs & occupied).is_empty() {
                let open = match (lame.quiet, lame.capture) {
                    (true, true) => !self.by_side[s],
                    (true, false) => !occupied,
                    _ => them,
                };
                *(if lame.double { &mut double } else { &mut to }) |= lame.end.bit() & open;
            }
        }
        (to, double & !to)
    }

    /// Where the king could step if nothing could attack it there.
    #[inline(always)]
    fn king_targets(&self, tables: &TypeTables, king: Square) -> Bitboard {
        if tables.class == Class::Leaper {
            tables.capture[self.side.index()][king.index()] & !self.by_side[self.side.index()]
        } else {
            self.general_targets(tables, king).0
        }
    }

    /// The king's own steps, each to a square that no enemy attacks once the king has left its own.
    #[inline(always)]
    fn king_moves<K: MoveSink, F: MoveFilter>(
        &self,
        checks: &Checks,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let kind = self.rules.royal.unwrap_or(0);
        let Some(tables) = self.rules.tables.types.get(kind as usize) else { return Continue(()) };
        let candidates = self.king_targets(tables, checks.king);
        let without = self.occupied() & !checks.king.bit();
        let mut safe = Bitboard::EMPTY;
        for to in candidates & filter.targets(kind) {
            if !self.attacked(to, !self.side, without | to.bit(), to.bit()) {
                safe |= to.bit();
            }
        }
        sink.take(kind, Origin::One(checks.king), safe, Tags::One(0))
    }

    #[inline(always)]
    fn castling_moves<K: MoveSink>(&self, rights: u8, sink: &mut K) -> ControlFlow<K::Break> {
        let occupied = self.occupied();
        for right in Bitboard(u64::from(rights)) {
            let number = right.index();
            let Some(castle) = self.rules.castles.get(number) else { continue };
            if (castle.empty & occupied).any() {
                continue;
            }
            let take = |sink: &mut K| {
                let tag = Tags::One(Move::CASTLE + number as u8);
                sink.take(castle.king_kind, Origin::One(castle.king[0]), castle.king[1].bit(), tag)
            };
            if !S::royal(self.rules) {
                take(sink)?;
                continue;
            }
            // The king walks while the rook still stands at home, and ends on a board where both have
            // arrived.
            let walking = occupied & !castle.king[0].bit();
            let walks =
                castle.safe.into_iter().all(|s| !self.attacked(s, !self.side, walking, Bitboard::EMPTY));
            let left = walking & !castle.rook[0].bit();
            let arrived = left | castle.king[1].bit() | castle.rook[1].bit();
            if walks && !self.attacked(castle.king[1], !self.side, arrived, Bitboard::EMPTY) {
                take(sink)?;
            }
        }
        Continue(())
    }

    #[inline(never)]
    fn en_passant_moves<K: MoveSink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        let Some(target) = self.en_passant() else { return Continue(()) };
        for (kind, from) in self.en_passant_captors(target) {
            sink.take(kind, Origin::One(from), target.bit(), Tags::One(Move::EN_PASSANT))?;
        }
        Continue(())
    }

    /// The pieces of the side to move that may legally capture *en passant* on a square.
    pub(super) fn en_passant_captors(&self, target: Square) -> impl Iterator<Item = (u8, Square)> + '_ {
        let s = self.side.index();
        // The victim stands one step beyond the square that it has passed, as its own side sees it.
        let victim = target.offset(self.rules.tables.forward[1 - s]).bit();
        let types = self.rules.tables.types.iter().enumerate().take(N);
        types
            .filter(|(kind, _)| self.rules.tables.en_passant >> kind & 1 != 0)
            .flat_map(move |(kind, tables)| {
                let origins = tables.capture_from[s][target.index()] & self.by_type[kind] & self.by_side[s];
                origins.into_iter().map(move |from| (kind as u8, from))
            })
            .filter(move |&(_, from)| {
                let Some(royal) = self.rules.royal else { return true };
                if !self.has_royal(self.side) {
                    return true;
                }
                let king = self.pieces(self.side, royal).first();
                let occupied = (self.occupied() & !(from.bit() | victim)) | target.bit();
                !self.attacked(king, !self.side, occupied, victim)
            })
    }
}
