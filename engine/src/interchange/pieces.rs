//! The pieces of a section: which occur at all, how they move, where they may stand, what they become.

use super::board::Start;
use super::dialect::{self, Reader};
use super::importer::Importer;
use super::keys::{self, per_side};
use super::sheet::{DropSheet, PieceSheet, PromotionSheet};
use super::template::{Pieces, Slot};
use crate::betza::{self, Motion, Range};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::variant::Mark;
use std::collections::BTreeSet;

/// A piece type that can occur; arrays of two are by side.
#[derive(Debug)]
pub(super) struct Kind<'t> {
    /// The type that it moves as, and counts as wherever a key names types.
    pub(super) slot: &'t Slot,
    pub(super) form: Form<'t>,
    pub(super) motions: Vec<Motion>,
    /// Whether Black's moves are White's turned by half a turn.
    pub(super) rotated: bool,
    /// Where it stands in the start position.
    pub(super) stands: [Bitboard; 2],
    /// Whether a side can ever have one.
    pub(super) lives: [bool; 2],
}

/// What a piece on the board was before, as far as that matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form<'t> {
    /// Nothing else.
    Plain,
    /// Promoted from this type as in shogi, and written with its letter and `+`.
    Promoted(&'t Slot),
    /// Promoted from this pawn, into which it turns back when it is captured.
    Returning(&'t Slot),
}

/// Adds a type in a form that a side can have.
fn add<'t>(found: &mut Vec<(&'t Slot, Form<'t>, [bool; 2])>, slot: &'t Slot, form: Form<'t>, side: Side) {
    let known = found.iter().position(|(other, twin, _)| other.name == slot.name && *twin == form);
    let place = known.unwrap_or_else(|| {
        found.push((slot, form, [false; 2]));
        found.len() - 1
    });
    found[place].2[side.index()] = true;
}

impl<'t> Kind<'t> {
    /// A motion as a side makes it.
    pub(super) fn seen_by(&self, motion: &Motion, side: Side) -> Motion {
        let seen = motion.seen_by(side);
        if self.rotated && side == Side::Black { Motion { dx: -seen.dx, ..seen } } else { seen }
    }

    /// The letter of a variant file, without its mark.
    pub(super) fn letter(&self) -> char {
        let slot = if let Form::Promoted(base) = self.form { base } else { self.slot };
        slot.letter.to_ascii_uppercase()
    }

    /// The letter with its mark.
    pub(super) fn symbol(&self) -> String {
        let mark = match self.form {
            Form::Plain => Mark::None,
            Form::Promoted(_) => Mark::Plus,
            Form::Returning(_) => Mark::Tilde,
        };
        mark.beside(self.letter())
    }

    /// What it is in a hand.
    pub(super) fn base(&self) -> &'t Slot {
        match self.form {
            Form::Plain => self.slot,
            Form::Promoted(base) | Form::Returning(base) => base,
        }
    }
}

impl<'t> Importer<'t> {
    /// The types that are there at the start, and those that come of them. `None` if one of them cannot be expressed
    /// at all.
    pub(super) fn kinds(&mut self, start: &Start) -> Option<Vec<Kind<'t>>> {
        let forms = self.forms(start)?;
        let doubles = self.flag("doubleStep", true);
        let mut kinds = Vec::new();
        let mut whole = true;
        for (slot, form, lives) in forms {
            let pawn = slot.name == "pawn" && !slot.word.contains('i');
            let word = format!("{}{}", slot.word, if pawn { "ifmnD" } else { "" });
            let letter = if let Form::Promoted(base) = form { base.letter } else { slot.letter };
            let promoted = matches!(form, Form::Promoted(_));
            let stands = Side::BOTH.map(|side| start.of(letter, side, promoted));
            let stands = if let Form::Returning(_) = form { [Bitboard::EMPTY; 2] } else { stands };
            match dialect::parse(&word) {
                Ok(mut motions) => {
                    motions.retain(|motion| doubles || !motion.initial);
                    // Black's pieces are turned there.
                    let mirrored = mirrored(&motions);
                    let rotated = lives == [true, true] && motions != mirrored;
                    if lives == [false, true] {
                        motions = mirrored;
                    }
                    kinds.push(Kind { slot, form, motions, rotated, stands, lives });
                }
                Err(why) => {
                    self.fatal_piece(slot, why);
                    whole = false;
                }
            }
        }
        if !whole {
            self.foreign_keys(true, false);
        }
        whole.then_some(kinds)
    }

    /// The types that can occur with their forms, and which sides can have them.
    fn forms(&mut self, start: &Start) -> Option<Vec<(&'t Slot, Form<'t>, [bool; 2])>> {
        let template = self.template;
        let mut found: Vec<(&'t Slot, Form<'t>, [bool; 2])> = Vec::new();
        let mut pieces: Vec<(char, Side, bool)> = start.pieces.iter().map(|p| (p.1, p.2, p.3)).collect();
        pieces.extend(start.hands.chars().filter(char::is_ascii_alphabetic).map(|c| {
            let side = if c.is_ascii_uppercase() { Side::White } else { Side::Black };
            (c.to_ascii_lowercase(), side, false)
        }));
        for (letter, side, promoted) in pieces {
            let Some(slot) = template.slot_by_letter(letter) else {
                self.fatal("startFen", format!("no piece has the letter '{letter}'"));
                return None;
            };
            let slot = &template.slots[slot];
            if !promoted {
                add(&mut found, slot, Form::Plain, side);
            } else if let Some(target) = self.piece_target(slot) {
                add(&mut found, target, Form::Promoted(slot), side);
            } else {
                self.fatal("startFen", format!("+{letter} stands in it, but {letter} has no promoted form"));
                return None;
            }
        }
        let captured = self.captures_to_hand();
        let returning = captured && !self.flag("dropLoop", false);
        let drops_promoted = self.has_drops() && self.flag("dropPromoted", false);
        let demotion = self.flag("pieceDemotion", false);
        loop {
            let before = found.clone();
            for (slot, form, lives) in before.clone() {
                for side in Side::BOTH.into_iter().filter(|side| lives[side.index()]) {
                    let base = match form {
                        Form::Plain => slot,
                        Form::Promoted(base) | Form::Returning(base) => base,
                    };
                    if form == Form::Plain {
                        for target in self.pawn_targets(slot, side).unwrap_or_default() {
                            let Some(target) = template.slot(&target).map(|n| &template.slots[n]) else {
                                continue;
                            };
                            let form = if returning { Form::Returning(slot) } else { Form::Plain };
                            add(&mut found, target, form, side);
                        }
                        let promotes = self.promotion_zone(side).any() || drops_promoted;
                        if let Some(target) = self.piece_target(slot).filter(|_| promotes) {
                            add(&mut found, target, Form::Promoted(slot), side);
                        }
                    }
                    if captured && !self.is_royal_slot(base) {
                        add(&mut found, base, Form::Plain, !side);
                    }
                    if demotion {
                        add(&mut found, base, Form::Plain, side);
                    }
                }
            }
            if found == before {
                break;
            }
        }
        // In the order of the template, the promoted forms last.
        let place = |slot: &Slot| template.slots.iter().position(|s| s.name == slot.name);
        found.sort_by_key(|(slot, form, _)| match form {
            Form::Plain => (0, place(slot), None),
            Form::Promoted(base) => (1, place(base), None),
            Form::Returning(base) => (2, place(base), place(slot)),
        });
        for (number, (slot, form, _)) in found.iter().enumerate() {
            let twice = |(other, twin, _): &&(&Slot, Form<'_>, [bool; 2])| {
                other.name == slot.name && matches!((form, twin), (Form::Returning(_), Form::Returning(_)))
            };
            if found[..number].iter().any(|other| twice(&other)) {
                let why = "two types of pawns become one piece, which turns back into one of them here";
                self.fatal("promotionPawnTypes", why);
                return None;
            }
        }
        Some(found)
    }

    /// Whether pieces are dropped at all.
    pub(super) fn has_drops(&mut self) -> bool {
        self.flag("pieceDrops", false)
    }

    /// Whether captured pieces come back.
    pub(super) fn captures_to_hand(&mut self) -> bool {
        self.has_drops() && self.flag("capturesToHand", false)
    }

    /// Whether a type is the king, which is never captured.
    fn is_royal_slot(&self, slot: &Slot) -> bool {
        slot.name == "king"
    }

    fn promotion_zone(&mut self, side: Side) -> Bitboard {
        self.regions("promotionRegion", ["*8", "*1"])[side.index()]
    }

    /// What a type becomes as a pawn; `None` if it is not a pawn.
    fn pawn_targets(&self, slot: &Slot, side: Side) -> Option<Vec<String>> {
        let names = |key: &str| self.setting(&per_side(key, side)).map(|setting| &setting.pieces);
        let is_pawn = match names("promotionPawnTypes") {
            Some(Pieces::All) => true,
            Some(Pieces::Some(pawns)) => pawns.contains(&slot.name),
            Some(_) => false,
            None => slot.name == "pawn",
        };
        let there = |name: &String| self.template.slot(name).is_some();
        is_pawn.then(|| match names("promotionPieceTypes") {
            Some(Pieces::Some(targets)) => targets.iter().filter(|name| there(name)).cloned().collect(),
            _ => Vec::new(),
        })
    }

    /// What it becomes as another piece.
    fn piece_target(&self, slot: &Slot) -> Option<&'t Slot> {
        let Pieces::Map(pairs) = &self.template.setting("promotedPieceType")?.pieces else { return None };
        let (_, target) = pairs.iter().find(|(from, _)| *from == slot.name)?;
        self.template.slot(target).map(|number| &self.template.slots[number])
    }

    /// The royal type, if there is one, as an index of `kinds`.
    pub(super) fn royal(&mut self, kinds: &mut [Kind<'t>], start: &Start) -> Option<usize> {
        let one_each = |kind: &Kind<'_>| {
            let letter = kind.slot.letter;
            let counts =
                Side::BOTH.map(|side| start.of(letter, side, false).count() + start.held(letter, side));
            (counts != [1, 1]).then(|| format!("each side needs exactly one royal piece, found {counts:?}"))
        };
        if let Some(king) = kinds.iter().position(|kind| kind.slot.name == "king") {
            if let Some(why) = one_each(&kinds[king]) {
                self.fatal_piece(kinds[king].slot, why);
            }
            if self.flag("extinctionPseudoRoyal", false) && self.setting("extinctionValue").is_some() {
                self.problem("extinctionPseudoRoyal", "there is one royal piece a side here");
            }
            return Some(king);
        }
        if !self.pseudo_royal() {
            return None;
        }
        let royal: Vec<usize> = (0..kinds.len())
            .filter(|&kind| self.names_piece("extinctionPieceTypes", kinds[kind].slot, &[]))
            .collect();
        let plain =
            self.number("extinctionPieceCount", 0) == 0 && self.outcome("extinctionValue", "loss") == "loss";
        match royal[..] {
            [royal] if plain && one_each(&kinds[royal]).is_none() => Some(royal),
            _ => {
                let why = "a royal piece here is one of one type for each side, and its loss loses";
                self.fatal("extinctionPseudoRoyal", why);
                None
            }
        }
    }

    /// Whether the last piece of a type is to be royal.
    pub(super) fn pseudo_royal(&mut self) -> bool {
        self.flag("extinctionPseudoRoyal", false)
            && self.setting("extinctionValue").is_some_and(|setting| setting.value != "none")
    }

    /// The `[[piece]]` tables.
    pub(super) fn piece_sheets(
        &mut self,
        kinds: &[Kind<'t>],
        start: &Start,
        royal: Option<usize>,
    ) -> Vec<PieceSheet> {
        let passing = self.en_passant(kinds);
        let hand = self.has_drops();
        let mut sheets = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let mut territory = self.territory(kind, start);
            let mut promotion = self.promotion(kind, kinds);
            if let Some(p) = &mut promotion
                && p.to.iter().all(String::is_empty)
            {
                // A pawn that must promote and has nothing to become cannot enter its zone at all.
                if !p.optional {
                    for side in Side::BOTH {
                        territory[side.index()] &= !p.zone[side.index()];
                    }
                    if royal.is_some() && p.zone.iter().any(|zone| zone.any()) {
                        self.fatal_piece(kind.slot, "it must promote and has nothing to become");
                    }
                }
                promotion = None;
            }
            let stuck = self.stuck(kind, kinds);
            for side in 0..2 {
                // Where a piece could not move on it promotes, or does not go there at all.
                let zone = promotion.as_ref().map_or(Bitboard::EMPTY, |p| p.zone[side]);
                if let Some(p) = promotion.as_mut().filter(|p| p.optional) {
                    p.forced[side] = stuck[side] & zone;
                }
                territory[side] &= !(stuck[side] & !zone);
            }
            let Some(moves) = word(kind) else {
                self.fatal_piece(kind.slot, "no word of a variant file means these moves");
                continue;
            };
            let initial = kind.motions.iter().any(|motion| motion.initial);
            let initial = initial.then(|| self.double_step_regions());
            let all = [self.geometry.all(); 2];
            let is_royal = royal == Some(number);
            sheets.push(PieceSheet {
                letter: kind.symbol(),
                name: name(kind),
                royal: is_royal,
                // The piece without moves has one that it can make from nowhere.
                initial: if kind.motions.is_empty() { Some([Bitboard::EMPTY; 2]) } else { initial },
                moves,
                territory: (territory != all).then_some(territory),
                promotion,
                rotated: kind.rotated,
                in_hand: (hand && matches!(kind.form, Form::Returning(_)))
                    .then(|| kind.base().letter.to_ascii_uppercase().to_string()),
                drop: if hand { self.drop(kind, start, &territory, &stuck, royal.is_some()) } else { None },
                en_passant: passing.contains(&kind.slot.name) && kind.form == Form::Plain,
                resets_clock: self.resets_clock(kind),
            });
        }
        sheets
    }

    /// How a type promotes.
    fn promotion(&mut self, kind: &Kind<'t>, kinds: &[Kind<'t>]) -> Option<PromotionSheet> {
        let regions = self.regions("promotionRegion", ["*8", "*1"]);
        let (pawn_must, piece_must) =
            (self.flag("mandatoryPawnPromotion", true), self.flag("mandatoryPiecePromotion", false));
        let on_capture = self.flag("piecePromotionOnCapture", false);
        let lives = kind.lives;
        let zones = |promotes: [bool; 2]| {
            Side::BOTH
                .map(|side| if promotes[side.index()] { regions[side.index()] } else { Bitboard::EMPTY })
        };
        let as_piece = |to: String| {
            let zone = zones(lives);
            let forced = if piece_must { zone } else { [Bitboard::EMPTY; 2] };
            let to = [to.clone(), to];
            PromotionSheet { zone, forced, to, optional: !piece_must, leaving: true, on_capture }
        };
        match kind.form {
            Form::Returning(_) => return None,
            Form::Promoted(base) => {
                let back = self.flag("pieceDemotion", false);
                return back.then(|| as_piece(base.letter.to_ascii_uppercase().to_string()));
            }
            Form::Plain => {}
        }
        let pawns = Side::BOTH.map(|side| self.pawn_targets(kind.slot, side).filter(|_| lives[side.index()]));
        if self.piece_target(kind.slot).is_some() {
            let is_pawn = pawns.iter().any(Option::is_some);
            if pawns.iter().flatten().any(|targets| !targets.is_empty()) || is_pawn && pawn_must != piece_must
            {
                self.fatal("promotedPieceType", "a pawn promotes in one way here");
            }
            let mut promotion = as_piece(format!("+{}", kind.letter()));
            // Moves that begin in the zone and do not end there matter only if there are any.
            let leaves = |side: Side| self.leaves(kind, side, promotion.zone[side.index()]);
            let leaving = Side::BOTH.into_iter().any(leaves);
            // A capture en passant does not promote: such a pawn promotes with its next move.
            promotion.leaving = leaving || is_pawn && piece_must && self.names_en_passant(kind);
            return Some(promotion);
        }
        let promotes = [pawns[0].is_some(), pawns[1].is_some()];
        if promotes == [false, false] {
            return None;
        }
        let to = pawns.map(|targets| self.promotion_letters(&targets.unwrap_or_default(), kind, kinds));
        let to = match to {
            [white, black] if !promotes[0] || white.is_empty() => [black.clone(), black],
            [white, black] if !promotes[1] || black.is_empty() => [white.clone(), white],
            [white, black] => {
                let sorted = |text: &String| text.chars().collect::<BTreeSet<_>>();
                // The order does not matter: equal sets are written once.
                if sorted(&white) == sorted(&black) { [white.clone(), white] } else { [white, black] }
            }
        };
        let zone = zones(promotes);
        let forced = if pawn_must { zone } else { [Bitboard::EMPTY; 2] };
        Some(PromotionSheet { zone, forced, to, optional: !pawn_must, leaving: false, on_capture: false })
    }

    /// Whether a type may capture *en passant*.
    fn names_en_passant(&self, kind: &Kind<'t>) -> bool {
        let named = |side| self.names_piece(&per_side("enPassantTypes", side), kind.slot, &["pawn"]);
        Side::BOTH.into_iter().any(named)
    }

    /// The letters of what a pawn becomes, each once.
    fn promotion_letters(&self, names: &[String], pawn: &Kind<'t>, kinds: &[Kind<'t>]) -> String {
        let mut seen = BTreeSet::new();
        let mut letters = String::new();
        for name in names.iter().filter(|name| seen.insert(name.as_str())) {
            let returning = Form::Returning(pawn.slot);
            let of = |form| kinds.iter().find(|kind| kind.slot.name == *name && kind.form == form);
            if let Some(kind) = of(returning).or_else(|| of(Form::Plain)) {
                letters.push_str(&kind.symbol());
            }
        }
        letters
    }

    /// By side: where a piece could never move on, if the rules keep it from there.
    fn stuck(&mut self, kind: &Kind<'t>, kinds: &[Kind<'t>]) -> [Bitboard; 2] {
        if !self.flag("immobilityIllegal", false) || kinds.is_empty() {
            return [Bitboard::EMPTY; 2];
        }
        Side::BOTH.map(|side| {
            let moves = |from: &Square| {
                kind.motions.iter().filter(|m| m.quiet && !m.initial).any(|motion| {
                    let (dx, dy) = kind.seen_by(motion, side).step();
                    self.geometry.step(*from, dx, dy).is_some()
                })
            };
            self.geometry.squares().filter(|from| !moves(from)).collect()
        })
    }

    /// Where and how a type is dropped. `None` where a variant file means the same by saying nothing.
    fn drop(
        &mut self,
        kind: &Kind<'t>,
        start: &Start,
        territory: &[Bitboard; 2],
        stuck: &[Bitboard; 2],
        royal: bool,
    ) -> Option<DropSheet> {
        let promoted = match kind.form {
            Form::Plain => false,
            Form::Promoted(_) if self.flag("dropPromoted", false) => true,
            _ => return None,
        };
        // A king is in hand only where it is placed at the start.
        let is_king = kind.slot.name == "king";
        if is_king && start.held(kind.slot.letter, Side::White) == 0 {
            return None;
        }
        let (first, last) = (0, self.geometry.height() - 1);
        let pawn = kind.slot.name == "pawn";
        let mut zone = [Bitboard::EMPTY; 2];
        for side in Side::BOTH {
            let s = side.index();
            let region = self.region(&per_side("dropRegion", side)).unwrap_or(self.geometry.all());
            zone[s] = region & territory[s] & !stuck[s];
            if pawn {
                if !self.flag("promotionZonePawnDrops", false) {
                    zone[s] &= !self.promotion_zone(side);
                }
                if !self.flag("firstRankPawnDrops", false) {
                    zone[s] &= !self.geometry.rank_set(if side == Side::White { first } else { last });
                }
            }
        }
        let single = self.names_piece("dropNoDoubled", kind.slot, &[]);
        let per_file = single.then(|| self.number("dropNoDoubledCount", 1));
        let mate_illegal = self.flag("shogiPawnDropMateIllegal", false) && kind.slot.name == "shogiPawn";
        let mate = !(royal && mate_illegal);
        let balanced = kind.slot.name == "bishop" && self.flag("dropOppositeColoredBishop", false);
        let plain = !promoted && zone == *territory && per_file.is_none() && mate && !balanced && !is_king;
        (!plain).then_some(DropSheet { zone, per_file, mate, balanced })
    }

    /// Whether a piece that stands in a zone can move out of it.
    fn leaves(&self, kind: &Kind<'t>, side: Side, zone: Bitboard) -> bool {
        zone.into_iter().any(|from| {
            kind.motions.iter().any(|motion| {
                let (dx, dy) = kind.seen_by(motion, side).step();
                let to = self.geometry.step(from, dx, dy);
                to.is_some_and(|to| !zone.has(to))
            })
        })
    }

    /// Where a type may stand: its mobility region without the walls.
    fn territory(&mut self, kind: &Kind<'t>, start: &Start) -> [Bitboard; 2] {
        let all = self.geometry.all();
        Side::BOTH.map(|side| {
            let key = keys::region(&kind.slot.name, side);
            let region = self.region(&key).unwrap_or(all);
            if kind.lives[side.index()] {
                if !start.walls.is_empty() && self.leaps_over(kind, side, start.walls) {
                    self.problem("startFen", format!("a wall stops the {} half-way", kind.letter()));
                }
                if self.slides_through(kind, side, region, start.walls) {
                    self.problem(
                        &key,
                        format!("the {} slides over squares that it may not enter", kind.letter()),
                    );
                }
            }
            region & !start.walls
        })
    }

    /// From where initial moves may be made.
    fn double_step_regions(&mut self) -> [Bitboard; 2] {
        self.regions("doubleStepRegion", ["*2", "*7"])
    }

    /// Whether a lame leap passes a wall: here walls are squares that nothing enters, but not obstacles.
    fn leaps_over(&mut self, kind: &Kind<'t>, side: Side, walls: Bitboard) -> bool {
        let doubles = self.double_step_regions();
        kind.motions.iter().filter(|motion| motion.lame).any(|motion| {
            let (dx, dy) = kind.seen_by(motion, side).step();
            let origins = if motion.initial { doubles[side.index()] } else { self.geometry.all() } & !walls;
            origins
                .into_iter()
                .filter(|from| self.geometry.step(*from, dx, dy).is_some_and(|to| !walls.has(to)))
                .any(|from| {
                    let mut legs = kind.seen_by(motion, side).legs().into_iter();
                    legs.any(|(x, y)| self.geometry.step(from, x, y).is_some_and(|leg| walls.has(leg)))
                })
        })
    }

    /// Whether a slide passes squares outside the region and comes back into it.
    fn slides_through(&self, kind: &Kind<'t>, side: Side, region: Bitboard, walls: Bitboard) -> bool {
        let slides = kind.motions.iter().filter(|motion| motion.range != Range::Leap);
        slides.into_iter().any(|motion| {
            let (dx, dy) = kind.seen_by(motion, side).step();
            (region & !walls).into_iter().any(|from| {
                let (mut at, mut outside) = (from, false);
                for _ in 0..motion.range.max_steps() {
                    match self.geometry.step(at, dx, dy) {
                        Some(to) if !walls.has(to) => at = to,
                        _ => return false,
                    }
                    if region.has(at) && outside {
                        return true;
                    }
                    outside |= !region.has(at);
                }
                false
            })
        })
    }

    /// The types that take part in en passant. Here those that make double steps and those that answer them are
    /// the same; there each may be any.
    fn en_passant(&mut self, kinds: &[Kind<'t>]) -> BTreeSet<String> {
        let mut part = BTreeSet::new();
        let mut uneven = false;
        for side in Side::BOTH {
            let key = per_side("enPassantTypes", side);
            let alive = |kind: &&Kind<'t>, side: Side| kind.lives[side.index()];
            let captors: BTreeSet<String> = kinds
                .iter()
                .filter(|kind| alive(kind, side) && self.names_piece(&key, kind.slot, &["pawn"]))
                .filter(|kind| kind.motions.iter().any(|m| m.capture && !m.lame && m.range == Range::Leap))
                .map(|kind| kind.slot.name.clone())
                .collect();
            let steps = |kind: &&Kind<'t>| kind.motions.iter().any(|motion| motion.initial);
            let steppers: Vec<&Kind<'t>> =
                kinds.iter().filter(|kind| alive(kind, !side) && steps(kind)).collect();
            let region = self.region(&per_side("enPassantRegion", side));
            if captors.is_empty() || steppers.is_empty() || region == Some(Bitboard::EMPTY) {
                continue;
            }
            if region.is_some_and(|region| region != self.geometry.all()) {
                self.problem(
                    &per_side("enPassantRegion", side),
                    "en passant is possible after every double step here",
                );
            }
            let names: BTreeSet<String> = steppers.iter().map(|kind| kind.slot.name.clone()).collect();
            let straight =
                |kind: &&Kind<'t>| kind.motions.iter().filter(|m| m.initial).all(Motion::is_double_step);
            uneven |= names != captors || !steppers.iter().all(straight);
            part.extend(captors);
        }
        // A side whose pieces could capture en passant here and cannot there, or the other way round.
        let both = |kind: &Kind<'t>| kind.lives == [true, true];
        uneven |= kinds.iter().any(|kind| part.contains(&kind.slot.name) && !both(kind) && part.len() > 1);
        if uneven {
            let why = "en passant here is a matter of the pieces that make straight double steps over empty squares";
            self.problem("enPassantTypesWhite", why);
            part.clear();
        }
        part
    }

    /// Whether moves of a type count as progress: those of certain types that cannot be taken back.
    fn resets_clock(&mut self, kind: &Kind<'t>) -> bool {
        let named = Side::BOTH.map(|side| {
            kind.lives[side.index()]
                && self.names_piece(&per_side("nMoveRuleTypes", side), kind.slot, &["pawn"])
        });
        if named == [false, false] {
            return false;
        }
        let moves: BTreeSet<(i32, i32)> =
            kind.motions.iter().filter(|m| m.quiet).flat_map(|m| m.reach()).collect();
        let back = moves.iter().filter(|(x, y)| moves.contains(&(-x, -y))).count();
        let uneven = (0..2).any(|side| kind.lives[side] && !named[side]);
        if (uneven || (back > 0 && back < moves.len())) && self.number("nMoveRule", 50) > 0 {
            let side = if named[0] { Side::White } else { Side::Black };
            let why = format!("here all moves of the {} count as progress or none does", kind.letter());
            self.problem(&per_side("nMoveRuleTypes", side), why);
        }
        back == 0
    }
}

/// The motions with left and right exchanged, sorted.
pub(super) fn mirrored(motions: &[Motion]) -> Vec<Motion> {
    let mut mirrored: Vec<Motion> = motions.iter().map(|m| Motion { dx: -m.dx, ..*m }).collect();
    mirrored.sort_unstable();
    mirrored
}

/// The word of a variant file for a type's moves: its own, if it means the same here.
fn word(kind: &Kind<'_>) -> Option<String> {
    if kind.motions.is_empty() {
        return Some("imW".into());
    }
    let own: String = kind.slot.word.chars().filter(|c| !c.is_whitespace()).collect();
    match betza::parse(&own) {
        Ok(motions) if motions == kind.motions => Some(own),
        _ => dialect::write(&kind.motions, Reader::Ours),
    }
}

/// `dragonHorse` is a Dragon Horse; a custom piece has no name but its letter.
fn name(kind: &Kind<'_>) -> String {
    if kind.slot.name.starts_with("customPiece") {
        return kind.letter().to_string();
    }
    let mut name = String::new();
    for c in kind.slot.name.chars() {
        if c.is_ascii_uppercase() {
            name.push(' ');
        }
        name.push(if name.is_empty() || name.ends_with(' ') { c.to_ascii_uppercase() } else { c });
    }
    name
}
