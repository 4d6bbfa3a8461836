//! Builds the [`Tables`] of a specification.

use super::error::VariantError;
use super::reach;
use super::rider::{Line, Rider};
use super::spec::{Bare, Captures, Castle, Mark, PieceSpec, RulesSpec};
use super::tables::{
    Between, ByType, CastlingTables, Class, Classes, DropTable, HandTables, Lame, LeaperTable, RiderList,
    RiderTable, SlideCaptors, Step, StepperTable, Tables, TypeTables,
};
use crate::betza::{Motion, Range};
use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::value::Side;
use crate::zobrist::{KEYS, MAX_TYPES, splitmix64};
use std::sync::Arc;

/// The most leaps of a stepper: more are cheaper by lookup.
const MAX_STEPPER_LEAPS: usize = 6;

impl Tables {
    /// Builds the tables of a specification.
    ///
    /// # Errors
    /// If a piece, or the game, has more families of slides than there is room for.
    pub(super) fn new(spec: &RulesSpec) -> Result<Tables, VariantError> {
        let mut builder = Builder {
            geometry: spec.geometry,
            blocking: spec.blocking,
            riders: vec![],
            between: vec![],
            classes: Classes::default(),
        };
        let mut types = Vec::with_capacity(spec.pieces.len());
        for (kind, piece) in spec.pieces.iter().enumerate() {
            types.push(builder.piece(kind as u8, piece)?);
        }
        reach::fill(&mut types, spec, &builder.riders);
        let insufficient = || spec.insufficient.iter().map(|m| m.counts.iter().flatten());
        let insufficient_kinds = spec.insufficient.iter().flat_map(|m| &m.counts).flat_map(|side| {
            side.iter().enumerate().filter(|(_, count)| **count > 0).map(|(kind, _)| 1u32 << kind)
        });
        let width = spec.geometry.width() as i8;
        let slide_captors = Side::BOTH.map(|side| slide_captors(&types, side));
        Ok(Tables {
            leap_captors: Side::BOTH.map(|side| leap_captors(&types, side).into()),
            slides_alike: slide_captors[0] == slide_captors[1],
            slide_captors: slide_captors.map(Arc::from),
            critical: Side::BOTH.map(|side| critical(spec, side)),
            gates: Side::BOTH.map(|side| reach::gates(&types, spec, &builder.riders, side)),
            officers: officers(spec, &types),
            decidable: spec.key.is_some() || spec.bare != Bare::Nothing || spec.extinction.is_some(),
            types: types.into(),
            classes: builder.classes,
            riders: builder.riders.into(),
            between: builder.between.into(),
            castling: CastlingTables::new(&spec.castles, spec.chess960),
            insufficient_max: insufficient().map(|n| n.map(|&n| u32::from(n)).sum()).max().unwrap_or(0),
            insufficient_kinds: insufficient_kinds.fold(0, |kinds, kind| kinds | kind),
            en_passant: bits(spec, |piece| piece.en_passant),
            resets_clock: bits(spec, |piece| piece.resets_clock),
            hands: HandTables::new(spec),
            forward: [width, -width],
        })
    }
}

/// How many pieces there can be of each type or in hand as one: those of the start, and more where promotion turns
/// others into them for good.
fn set_sizes(spec: &RulesSpec) -> [u32; MAX_TYPES] {
    let held = |kind: usize| spec.pieces[kind].in_hand.map_or(kind, usize::from);
    let placement = spec.start.split(' ').next().unwrap_or("");
    let mut start = [0; MAX_TYPES];
    let mut letters = placement.chars().peekable();
    while let Some(mut letter) = letters.next() {
        let mut mark = Mark::None;
        if letter == '+'
            && let Some(next) = letters.next()
        {
            (letter, mark) = (next, Mark::Plus);
        } else if letters.next_if_eq(&'~').is_some() {
            mark = Mark::Tilde;
        }
        let wanted = (letter.to_ascii_uppercase(), mark);
        if let Some(kind) = spec.pieces.iter().position(|piece| (piece.letter, piece.mark) == wanted) {
            start[held(kind)] += 1;
        }
    }
    let mut sizes = start;
    for (kind, piece) in spec.pieces.iter().enumerate() {
        for &to in piece.promotion.iter().flatten().flat_map(|promotion| &promotion.to) {
            let to = held(usize::from(to));
            if held(kind) != to {
                sizes[to] = start.iter().sum();
            }
        }
    }
    sizes
}

impl CastlingTables {
    /// The tables of castling moves.
    pub(super) fn new(castles: &[Castle], chess960: bool) -> CastlingTables {
        let mut tables = CastlingTables { lost: [0; 64], of: [0; 2], keys: KEYS.castling };
        for (number, castle) in castles.iter().enumerate() {
            tables.of[castle.side.index()] |= 1 << number;
            for square in [castle.king[0], castle.rook[0]] {
                tables.lost[square.index()] |= 1 << number;
            }
            if chess960 {
                let squares = u64::from(castle.king[0].number()) << 6 | u64::from(castle.rook[0].number());
                tables.keys[number] = splitmix64(KEYS.castling[number] ^ squares).1;
            }
        }
        tables
    }
}

impl HandTables {
    fn new(spec: &RulesSpec) -> HandTables {
        let Some(rule) = spec.hand else { return HandTables::default() };
        let mut tables = HandTables { dark: spec.geometry.dark(), ..HandTables::default() };
        for (kind, piece) in spec.pieces.iter().enumerate() {
            tables.in_hand[kind] = piece.in_hand;
            let Some(drop) = &piece.drop else { continue };
            // A royal piece is not captured: it is in hand only before it is placed.
            let held = piece.in_hand.unwrap_or(kind as u8);
            let (zone, per_file, mate, balanced) = (drop.zone, drop.per_file, drop.mate, drop.balanced);
            tables.drops.push(DropTable { kind: kind as u8, held, zone, per_file, mate, balanced });
        }
        let geometry = spec.geometry;
        let on_file = |file| geometry.squares().filter(|&s| geometry.file(s) == file).collect();
        tables.file = geometry.squares().map(|square| on_file(geometry.file(square))).collect();
        if rule.beside_own {
            let steps =
                || (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))).filter(|step| *step != (0, 0));
            let next = |from| steps().filter_map(|(x, y)| geometry.step(from, x, y)).collect();
            tables.next = geometry.squares().map(next).collect();
        }
        tables.balanced = bits(spec, |piece| piece.drop.as_ref().is_some_and(|drop| drop.balanced));
        tables.set_size = set_sizes(spec);
        tables.returns = rule.captures != Captures::Nobody;
        tables.to_captor = rule.captures == Captures::Captor;
        tables
    }
}

/// The types of which something holds, a bit each.
fn bits(spec: &RulesSpec, holds: impl Fn(&PieceSpec) -> bool) -> u32 {
    spec.pieces.iter().enumerate().filter(|(_, piece)| holds(piece)).fold(0, |set, (kind, _)| set | 1 << kind)
}

struct Builder {
    geometry: Geometry,
    blocking: Bitboard,
    riders: Vec<Rider>,
    between: Vec<Between>,
    classes: Classes,
}

const fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Builder {
    fn piece(&mut self, kind: u8, piece: &PieceSpec) -> Result<TypeTables, VariantError> {
        let mut tables = TypeTables {
            class: Class::General,
            quiet: [[Bitboard::EMPTY; 64]; 2],
            capture: [[Bitboard::EMPTY; 64]; 2],
            capture_from: [[Bitboard::EMPTY; 64]; 2],
            quiet_riders: Default::default(),
            capture_riders: Default::default(),
            slides_as_it_captures: [true; 2],
            riders_from: Default::default(),
            lame: [vec![vec![]; 64], vec![vec![]; 64]],
            lame_from: [vec![vec![]; 64], vec![vec![]; 64]],
            captures_lame: piece.motions.iter().any(|m| m.lame && m.capture),
            reach_alone: [Bitboard::EMPTY; 2],
            reach_ever: [Bitboard::EMPTY; 2],
        };
        for side in Side::BOTH {
            let s = side.index();
            for motion in piece.motions.iter().filter(|m| m.range == Range::Leap) {
                self.leap(&mut tables, piece, motion, side);
            }
            let slides = |m: &&Motion| m.range != Range::Leap;
            tables.quiet_riders[s] =
                self.slides(piece, side, false, piece.motions.iter().filter(slides).filter(|m| m.quiet))?;
            tables.capture_riders[s] =
                self.slides(piece, side, false, piece.motions.iter().filter(slides).filter(|m| m.capture))?;
            tables.slides_as_it_captures[s] = tables.quiet_riders[s] == tables.capture_riders[s];
            tables.riders_from[s] =
                self.slides(piece, side, true, piece.motions.iter().filter(slides).filter(|m| m.capture))?;
        }
        tables.class = self.classify(kind, piece, &tables);
        Ok(tables)
    }

    /// Every origin of a leap, with its target.
    fn ends(&self, piece: &PieceSpec, motion: &Motion, side: Side) -> Vec<(Square, Square)> {
        let s = side.index();
        let (dx, dy) = piece.seen_by(motion, side).step();
        let origins =
            if motion.initial { piece.initial[s] } else { self.geometry.all() } & piece.territory[s];
        let end = |from| self.geometry.step(from, dx, dy).filter(|&to| piece.territory[s].has(to));
        origins.into_iter().filter_map(|from| end(from).map(|to| (from, to))).collect()
    }

    fn leap(&self, tables: &mut TypeTables, piece: &PieceSpec, motion: &Motion, side: Side) {
        let s = side.index();
        for (from, to) in self.ends(piece, motion, side) {
            if motion.lame {
                let legs = piece.seen_by(motion, side).legs().into_iter();
                let legs = legs.filter_map(|(x, y)| self.geometry.step(from, x, y)).collect();
                let double = piece.en_passant && motion.is_double_step();
                let lame = Lame { end: to, legs, quiet: motion.quiet, capture: motion.capture, double };
                tables.lame[s][from.index()].push(lame);
                tables.lame_from[s][to.index()].push(Lame { end: from, ..lame });
                continue;
            }
            if motion.quiet {
                tables.quiet[s][from.index()] |= to.bit();
            }
            if motion.capture {
                tables.capture[s][from.index()] |= to.bit();
                tables.capture_from[s][to.index()] |= from.bit();
            }
        }
    }

    /// The riders of a type: one for each family of steps that symmetry makes alike, or its reverse.
    fn slides<'m>(
        &mut self,
        piece: &PieceSpec,
        side: Side,
        reverse: bool,
        motions: impl Iterator<Item = &'m Motion>,
    ) -> Result<RiderList, VariantError> {
        let mut families: Vec<((i32, i32), Vec<&Motion>)> = Vec::new();
        for motion in motions {
            let (x, y) = (i32::from(motion.dx).abs(), i32::from(motion.dy).abs());
            let family = (x.max(y), x.min(y));
            match families.iter_mut().find(|f| f.0 == family) {
                Some(found) => found.1.push(motion),
                None => families.push((family, vec![motion])),
            }
        }
        let mut list = RiderList::new();
        for ((x, y), motions) in families {
            let mut lines: Vec<((i32, i32), [Line; 64])> = Vec::new();
            for motion in motions {
                let step = piece.seen_by(motion, side).step();
                let step = if reverse { (-step.0, -step.1) } else { step };
                let axis = step.max((-step.0, -step.1));
                let number = lines.iter().position(|l| l.0 == axis).unwrap_or_else(|| {
                    lines.push((axis, [Line::default(); 64]));
                    lines.len() - 1
                });
                for from in self.geometry.squares() {
                    let ray = self.ray(piece, motion, side, from, step, reverse);
                    let line = &mut lines[number].1[from.index()];
                    for to in ray {
                        if to > from { line.upper |= to.bit() } else { line.lower |= to.bit() }
                    }
                }
            }
            lines.sort_by_key(|l| l.0);
            let lines: Vec<[Line; 64]> = lines.into_iter().map(|l| l.1).collect();
            let number = self.rider(lines, gcd(x, y));
            if list.try_push(number?).is_err() {
                return Err(VariantError::missing(
                    "piece.moves",
                    "more than 16 families of slides in one piece",
                ));
            }
        }
        Ok(list)
    }

    /// The squares of one slide from a square, nearest first. In reverse: the origins from which a slide
    /// ends on the square.
    fn ray(
        &self,
        piece: &PieceSpec,
        motion: &Motion,
        side: Side,
        from: Square,
        step: (i32, i32),
        reverse: bool,
    ) -> Bitboard {
        let territory = piece.territory[side.index()];
        let may_start = !motion.initial || reverse || piece.initial[side.index()].has(from);
        let mut ray = Bitboard::EMPTY;
        if !territory.has(from) || !may_start {
            return ray;
        }
        let mut at = from;
        for _ in 0..motion.range.max_steps() {
            match self.geometry.step(at, step.0, step.1) {
                Some(to) if territory.has(to) => {
                    ray |= to.bit();
                    at = to;
                }
                _ => break,
            }
            if self.blocking.has(at) {
                break;
            }
        }
        ray
    }

    /// The number of the rider with these lines, which is added if it is new.
    fn rider(&mut self, lines: Vec<[Line; 64]>, step: i32) -> Result<u8, VariantError> {
        let spacing = self.between.iter().position(|b| b.step == step).unwrap_or_else(|| {
            self.between.push(between(self.geometry, step));
            self.between.len() - 1
        });
        if let Some(known) = self.riders.iter().position(|r| r.same(&lines) && r.spacing as usize == spacing)
        {
            return Ok(known as u8);
        }
        if self.riders.len() > 255 {
            return Err(VariantError::missing("piece.moves", "more than 256 kinds of slides in one game"));
        }
        self.riders.push(Rider::new(lines, spacing as u8));
        Ok((self.riders.len() - 1) as u8)
    }

    /// Chooses the cheapest way to generate a type's moves and lays out its tables for it.
    fn classify(&mut self, kind: u8, piece: &PieceSpec, tables: &TypeTables) -> Class {
        let slides = piece.motions.iter().any(|m| m.range != Range::Leap);
        let lame = piece.motions.iter().any(|m| m.lame);
        let alike = piece.motions.iter().all(|m| m.quiet && m.capture);
        let promotes = piece.promotion.iter().any(Option::is_some);
        // Shifts test one leg at most, and a leap that captures over a leg gives a check that only general
        // tables find.
        let short = |m: &Motion| !m.lame || m.legs().len() == 1 && !m.capture;
        // Two leaps to one square would be two moves: general tables unite them.
        let overlap = piece.motions.iter().enumerate().any(|(n, a)| {
            piece.motions[..n]
                .iter()
                .any(|b| (a.dx, a.dy) == (b.dx, b.dy) && (a.quiet && b.quiet || a.capture && b.capture))
        });
        if alike && !lame && !promotes {
            if !slides {
                self.classes.leapers.push(LeaperTable { kind, targets: tables.capture });
                return Class::Leaper;
            }
            let riders = tables.capture_riders.clone();
            self.classes.riders.push(RiderTable { kind, leaps: tables.capture, riders });
            return Class::Rider;
        }
        if slides || overlap || piece.motions.len() > MAX_STEPPER_LEAPS || !piece.motions.iter().all(short) {
            self.classes.general.push(kind);
            if tables.captures_lame {
                self.classes.lame_captors.push(kind);
            }
            return Class::General;
        }
        let steps = Side::BOTH.map(|side| piece.motions.iter().map(|m| self.step(piece, m, side)).collect());
        self.classes.steppers.push(StepperTable { kind, steps, promotion: piece.promotion.clone() });
        Class::Stepper
    }

    fn step(&self, piece: &PieceSpec, motion: &Motion, side: Side) -> Step {
        let number = |(dx, dy): (i32, i32)| (dy * i32::from(self.geometry.width()) + dx) as i8;
        let seen = piece.seen_by(motion, side);
        Step {
            delta: number(seen.step()),
            from: self.ends(piece, motion, side).into_iter().map(|ends| ends.0).collect(),
            leg: if motion.lame { number(seen.legs()[0]) } else { 0 },
            quiet: motion.quiet,
            capture: motion.capture,
            double: piece.en_passant && motion.is_double_step(),
        }
    }
}

fn leap_captors(types: &[TypeTables], side: Side) -> Vec<ByType> {
    let row = |square: usize| {
        let mut row = [Bitboard::EMPTY; MAX_TYPES];
        for (entry, tables) in row.iter_mut().zip(types) {
            *entry = tables.capture_from[side.index()][square];
        }
        row
    };
    (0..64).map(row).collect()
}

fn critical(spec: &RulesSpec, side: Side) -> ByType {
    let mut row = [Bitboard::EMPTY; MAX_TYPES];
    for (kind, (entry, piece)) in row.iter_mut().zip(&spec.pieces).enumerate() {
        if let Some(promotion) = &piece.promotion[side.index()] {
            // A piece that changes wherever it goes gains nothing by it.
            if promotion.zone != spec.geometry.all() {
                *entry |= promotion.zone;
            }
        }
        if let Some(key) = spec.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0) {
            *entry |= key.squares[side.index()];
        }
    }
    row
}

fn officers(spec: &RulesSpec, types: &[TypeTables]) -> u32 {
    let officer = |kind: &usize| {
        spec.royal != Some(*kind as u8)
            && types[*kind].class != Class::Stepper
            && spec.pieces[*kind].promotion.iter().all(Option::is_none)
    };
    (0..types.len()).filter(officer).fold(0, |set, kind| set | 1 << kind)
}

fn slide_captors(types: &[TypeTables], side: Side) -> Vec<SlideCaptors> {
    let mut list: Vec<SlideCaptors> = Vec::new();
    for (kind, tables) in types.iter().enumerate() {
        for &rider in &tables.riders_from[side.index()] {
            let number = list.iter().position(|c| c.rider == rider).unwrap_or_else(|| {
                list.push(SlideCaptors { rider, kinds: [Bitboard::EMPTY; MAX_TYPES] });
                list.len() - 1
            });
            list[number].kinds[kind] = Bitboard::ALL;
        }
    }
    list
}

fn between(geometry: Geometry, step: i32) -> Between {
    let mut squares = Box::new([[Bitboard::EMPTY; 64]; 64]);
    for a in geometry.squares() {
        for b in geometry.squares().filter(|&b| b != a) {
            let dx = i32::from(geometry.file(b)) - i32::from(geometry.file(a));
            let dy = i32::from(geometry.rank(b)) - i32::from(geometry.rank(a));
            let divisor = gcd(dx, dy);
            if divisor % step != 0 {
                continue;
            }
            let count = divisor / step;
            let inner = (1..count).filter_map(|n| geometry.step(a, dx / count * n, dy / count * n));
            squares[a.index()][b.index()] = inner.collect();
        }
    }
    Between { step, squares }
}
