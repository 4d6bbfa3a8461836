//! Legal move generation, written once for listing and for counting.

use super::checks::Checks;
use super::{ChessLike, Move, Shape};
use crate::bitboard::{Bitboard, Square};
use crate::variant::rules::{Class, TypeRules};
use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

/// Where the moves of a set come from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// All from one square.
    One(Square),
    /// Each from the square this far behind its target.
    Behind(i8),
}

/// What takes the moves, in sets of targets.
pub(super) trait Sink {
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

/// Counts.
struct Counter(u64);

impl Sink for Counter {
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

/// Hands the moves on one by one.
struct Lister<F>(F);

impl<B, F: FnMut(Move) -> ControlFlow<B>> Sink for Lister<F> {
    type Break = B;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<B> {
        for target in to {
            let from = match origin {
                Origin::One(from) => from,
                Origin::Behind(delta) => target.offset(delta.wrapping_neg()),
            };
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

/// The limits that a king in danger puts on other pieces; none in games without a royal piece.
struct Limits<'a>(Option<&'a Checks>);

impl Limits<'_> {
    #[inline(always)]
    fn of(&self, from: Square) -> Bitboard {
        self.0.map_or(Bitboard::ALL, |checks| checks.limit(from))
    }
}

impl<S: Shape, const N: usize> ChessLike<'_, S, N> {
    #[inline(always)]
    pub(super) fn visit_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.generate(&mut Lister(visit))
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        let mut counter = Counter(0);
        let _ = self.generate(&mut counter);
        counter.0
    }

    /// Puts all legal moves into the sink; none where the game has been decided by play.
    #[inline(always)]
    fn generate<K: Sink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        if self.decided().is_some() {
            return Continue(());
        }
        if !S::royal(self.rules) {
            return self.pieces_moves(Limits(None), sink);
        }
        let checks = self.checks();
        self.king_moves(&checks, sink)?;
        if checks.checkers > 1 {
            return Continue(());
        }
        if checks.checkers == 0 && S::CASTLING != Some(false) && self.castling != 0 {
            self.castling_moves(checks.king, sink)?;
        }
        if S::en_passant(self.rules) && self.en_passant != super::NO_SQUARE {
            self.en_passant_moves(sink)?;
        }
        self.pieces_moves(Limits(Some(&checks)), sink)
    }

    /// The moves of all pieces but the king.
    #[inline(always)]
    fn pieces_moves<K: Sink>(&self, limits: Limits<'_>, sink: &mut K) -> ControlFlow<K::Break> {
        let s = self.side.index();
        let (us, them) = (self.by_side[s], self.by_side[1 - s]);
        let occupied = us | them;
        if !S::royal(self.rules) && S::en_passant(self.rules) && self.en_passant != super::NO_SQUARE {
            self.en_passant_moves(sink)?;
        }
        for (kind, rules) in self.rules.types.iter().enumerate().take(N) {
            let pieces = self.by_type[kind] & us;
            let kind = kind as u8;
            if pieces.is_empty() || S::royal(self.rules) && self.rules.royal == Some(kind) {
                continue;
            }
            match rules.class {
                Class::Leaper => {
                    for from in pieces {
                        let to = rules.capture[s][from.index()] & !us & limits.of(from);
                        self.emit(kind, rules, Origin::One(from), to, sink)?;
                    }
                }
                Class::Rider if S::RIDERS != Some(false) => {
                    for from in pieces {
                        let mut to = rules.capture[s][from.index()];
                        for &number in &rules.capture_riders[s] {
                            if let Some(rider) = self.rules.riders.get(number as usize) {
                                to |= rider.attacks(from, occupied);
                            }
                        }
                        self.emit(kind, rules, Origin::One(from), to & !us & limits.of(from), sink)?;
                    }
                }
                Class::Stepper if S::STEPPERS != Some(false) => {
                    self.stepper_moves(kind, rules, pieces, &limits, sink)?;
                }
                Class::General if S::GENERAL != Some(false) => {
                    for from in pieces {
                        self.general_moves(kind, rules, from, limits.of(from), sink)?;
                    }
                }
                _ => {}
            }
        }
        Continue(())
    }

    /// Splits off promotions and hands the moves on.
    #[inline(always)]
    fn emit<K: Sink>(
        &self,
        kind: u8,
        rules: &TypeRules,
        origin: Origin,
        to: Bitboard,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        if S::PROMOTION != Some(false) {
            if let Some(promotion) = &rules.promotion[self.side.index()] {
                let arriving = to & promotion.zone;
                if arriving.any() {
                    sink.take(kind, origin, arriving, Tags::Promotions(&promotion.to))?;
                }
                let staying = if promotion.optional { to } else { to & !promotion.zone };
                return sink.take(kind, origin, staying, Tags::One(0));
            }
        }
        sink.take(kind, origin, to, Tags::One(0))
    }

    /// All unpinned pieces of the type step at once, the pinned ones one by one.
    #[inline(always)]
    fn stepper_moves<K: Sink>(
        &self,
        kind: u8,
        rules: &TypeRules,
        pieces: Bitboard,
        limits: &Limits<'_>,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let s = self.side.index();
        let them = self.by_side[1 - s];
        let empty = !self.occupied();
        let (pinned, targets) = match limits.0 {
            Some(checks) => (checks.pinned, checks.targets),
            None => (Bitboard::EMPTY, Bitboard::ALL),
        };
        for step in &rules.steps[s] {
            let mut from = pieces & step.from;
            if step.leg != 0 {
                from &= empty.shifted(step.leg.wrapping_neg());
            }
            let mut open = if step.quiet { empty } else { Bitboard::EMPTY };
            if step.capture {
                open |= them;
            }
            let tag = if step.double { Move::DOUBLE_STEP } else { 0 };
            let origin = Origin::Behind(step.delta);
            let to = (from & !pinned).shifted(step.delta) & open & targets;
            if step.double {
                sink.take(kind, origin, to, Tags::One(tag))?;
            } else {
                self.emit(kind, rules, origin, to, sink)?;
            }
            if (from & pinned).any() {
                for from in from & pinned {
                    let to = from.bit().shifted(step.delta) & open & limits.of(from);
                    if step.double {
                        sink.take(kind, Origin::One(from), to, Tags::One(tag))?;
                    } else {
                        self.emit(kind, rules, Origin::One(from), to, sink)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// The moves of one piece of any class, castling and en passant left out.
    fn general_moves<K: Sink>(
        &self,
        kind: u8,
        rules: &TypeRules,
        from: Square,
        limit: Bitboard,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let (to, double) = self.general_targets(rules, from);
        self.emit(kind, rules, Origin::One(from), to & limit, sink)?;
        sink.take(kind, Origin::One(from), double & limit, Tags::One(Move::DOUBLE_STEP))
    }

    /// The targets of one piece of any class, and those of its double steps.
    fn general_targets(&self, rules: &TypeRules, from: Square) -> (Bitboard, Bitboard) {
        let s = self.side.index();
        let them = self.by_side[1 - s];
        let occupied = self.occupied();
        let slide = |list: &[u8]| {
            list.iter().fold(Bitboard::EMPTY, |set, &number| {
                set | self.rules.riders[number as usize].attacks(from, occupied)
            })
        };
        let quiet = rules.quiet[s][from.index()] | slide(&rules.quiet_riders[s]);
        let capture = rules.capture[s][from.index()] | slide(&rules.capture_riders[s]);
        let mut to = quiet & !occupied | capture & them;
        let mut double = Bitboard::EMPTY;
        for lame in &rules.lame[s][from.index()] {
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

    /// The king's own steps, each to a square that no enemy attacks once he has left his own.
    #[inline(always)]
    fn king_moves<K: Sink>(&self, checks: &Checks, sink: &mut K) -> ControlFlow<K::Break> {
        let s = self.side.index();
        let kind = self.rules.royal.unwrap_or(0);
        let Some(rules) = self.rules.types.get(kind as usize) else { return Continue(()) };
        let candidates = if rules.class == Class::Leaper {
            rules.capture[s][checks.king.index()] & !self.by_side[s]
        } else {
            self.general_targets(rules, checks.king).0
        };
        let without = self.occupied() & !checks.king.bit();
        let mut safe = Bitboard::EMPTY;
        for to in candidates {
            if !self.attacked(to, !self.side, without | to.bit(), to.bit()) {
                safe |= to.bit();
            }
        }
        sink.take(kind, Origin::One(checks.king), safe, Tags::One(0))
    }

    #[inline(never)]
    fn castling_moves<K: Sink>(&self, king: Square, sink: &mut K) -> ControlFlow<K::Break> {
        let occupied = self.occupied();
        for (number, castle) in self.rules.castles.iter().enumerate() {
            let stands = castle.side == self.side && self.castling >> number & 1 != 0;
            if !stands || (castle.empty & occupied).any() {
                continue;
            }
            // The king walks on a board that he and the rook have left, and stands on one where both have
            // arrived.
            let left = occupied & !(castle.king[0].bit() | castle.rook[0].bit());
            let walks = castle.safe.into_iter().all(|s| !self.attacked(s, !self.side, left, Bitboard::EMPTY));
            let arrived = left | castle.king[1].bit() | castle.rook[1].bit();
            if walks && !self.attacked(castle.king[1], !self.side, arrived, Bitboard::EMPTY) {
                let tag = Tags::One(Move::CASTLE + number as u8);
                sink.take(self.rules.royal.unwrap_or(0), Origin::One(king), castle.king[1].bit(), tag)?;
            }
        }
        Continue(())
    }

    #[inline(never)]
    fn en_passant_moves<K: Sink>(&self, sink: &mut K) -> ControlFlow<K::Break> {
        let Some(target) = self.en_passant() else { return Continue(()) };
        for (kind, from) in self.en_passant_captors(target) {
            sink.take(kind, Origin::One(from), target.bit(), Tags::One(Move::EN_PASSANT))?;
        }
        Continue(())
    }

    /// The pieces of the side to move that may legally capture *en passant* on a square.
    pub(super) fn en_passant_captors(&self, target: Square) -> impl Iterator<Item = (u8, Square)> + '_ {
        let s = self.side.index();
        // The victim stands one step beyond the square that it has passed, as it sees it.
        let victim = target.offset(self.rules.forward[1 - s]).bit();
        let types = self.rules.types.iter().enumerate().take(N).filter(|(_, rules)| rules.en_passant);
        types
            .flat_map(move |(kind, rules)| {
                let origins = rules.capture_from[s][target.index()] & self.by_type[kind] & self.by_side[s];
                origins.into_iter().map(move |from| (kind as u8, from))
            })
            .filter(move |&(_, from)| {
                let Some(royal) = self.rules.royal else { return true };
                let king = self.pieces(self.side, royal).first();
                let occupied = (self.occupied() & !(from.bit() | victim)) | target.bit();
                !self.attacked(king, !self.side, occupied, victim)
            })
    }
}
