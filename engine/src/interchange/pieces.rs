//! The pieces of a section: which occur at all, how they move, where they may stand, what they become.

use super::board::Start;
use super::dialect::{self, Reader};
use super::importer::Importer;
use super::keys::{self, per_side};
use super::sheet::PieceSheet;
use super::template::{Pieces, Slot};
use crate::betza::{self, Motion, Range};
use crate::bitboard::Bitboard;
use crate::value::Side;
use std::collections::BTreeSet;

/// A piece type that can occur; arrays of two are by side.
#[derive(Debug)]
pub(super) struct Kind<'t> {
    pub(super) slot: &'t Slot,
    pub(super) motions: Vec<Motion>,
    /// Where it stands in the start position.
    pub(super) stands: [Bitboard; 2],
    /// Whether a side can ever have one.
    pub(super) lives: [bool; 2],
}

/// What becomes of a type on arrival in a zone.
struct Promotion {
    zones: [Bitboard; 2],
    to: Vec<String>,
    optional: bool,
}

impl Kind<'_> {
    /// The letter of a variant file.
    pub(super) fn letter(&self) -> char {
        self.slot.letter.to_ascii_uppercase()
    }
}

impl<'t> Importer<'t> {
    /// The types that stand on the board at the start, and those that they may become. `None` if one of them
    /// cannot be expressed at all.
    pub(super) fn kinds(&mut self, start: &Start) -> Option<Vec<Kind<'t>>> {
        let template = self.template;
        let mut lives = vec![[false; 2]; template.slots.len()];
        for &(_, letter, side) in &start.pieces {
            let Some(slot) = template.slot_by_letter(letter) else {
                self.fatal("startFen", format!("no piece has the letter '{letter}'"));
                return None;
            };
            lives[slot][side.index()] = true;
        }
        loop {
            let before = lives.clone();
            for (number, slot) in template.slots.iter().enumerate() {
                for side in Side::BOTH {
                    if !lives[number][side.index()] {
                        continue;
                    }
                    let (pawn, piece) = (self.pawn_targets(slot, side), self.piece_target(slot));
                    for target in pawn.unwrap_or_default().into_iter().chain(piece) {
                        if let Some(target) = template.slot(&target) {
                            lives[target][side.index()] = true;
                        }
                    }
                }
            }
            if lives == before {
                break;
            }
        }
        let doubles = self.flag("doubleStep", true);
        let mut kinds = Vec::new();
        let mut whole = true;
        for (slot, lives) in template.slots.iter().zip(lives).filter(|(_, lives)| lives.contains(&true)) {
            let pawn = slot.name == "pawn" && !slot.word.contains('i');
            let word = format!("{}{}", slot.word, if pawn { "ifmnD" } else { "" });
            let stands = Side::BOTH.map(|side| start.of(slot.letter, side));
            match dialect::parse(&word) {
                Ok(mut motions) => {
                    motions.retain(|motion| doubles || !motion.initial);
                    // Black's pieces are turned there and mirrored here.
                    let mirrored = mirrored(&motions);
                    match lives {
                        [false, true] => motions = mirrored,
                        [true, true] if motions != mirrored => {
                            self.fatal_piece(
                                slot,
                                "left and right of Black's pieces are as White sees them here",
                            );
                            whole = false;
                        }
                        _ => {}
                    }
                    kinds.push(Kind { slot, motions, stands, lives });
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
    fn piece_target(&self, slot: &Slot) -> Option<String> {
        let Pieces::Map(pairs) = &self.setting("promotedPieceType")?.pieces else { return None };
        let target = pairs.iter().find(|(from, _)| *from == slot.name).map(|(_, to)| to.clone());
        target.filter(|name| self.template.slot(name).is_some())
    }

    /// The royal type, if there is one, as an index of `kinds`.
    pub(super) fn royal(&mut self, kinds: &mut [Kind<'t>], start: &Start) -> Option<usize> {
        let one_each = |kind: &Kind<'_>| {
            let counts = Side::BOTH.map(|side| start.of(kind.slot.letter, side).count());
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
        let mut sheets = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let promotion = self.promotion(kind);
            let mut territory = self.territory(kind, start);
            let promotion = match promotion {
                // A pawn that must promote and has nothing to become cannot enter its zone at all.
                Some(p) if p.to.is_empty() && !p.optional => {
                    for side in Side::BOTH {
                        territory[side.index()] &= !p.zones[side.index()];
                    }
                    if royal.is_some() && p.zones.iter().any(|zone| zone.any()) {
                        self.fatal_piece(kind.slot, "it must promote and has nothing to become");
                    }
                    None
                }
                Some(p) if p.to.is_empty() => None,
                other => other,
            };
            let Some(moves) = word(kind) else {
                self.fatal_piece(kind.slot, "no word of a variant file means these moves");
                continue;
            };
            let initial = kind.motions.iter().any(|motion| motion.initial);
            let initial = initial.then(|| self.double_step_regions());
            let all = [self.geometry.all(); 2];
            sheets.push(PieceSheet {
                letter: kind.letter(),
                name: name(kind),
                royal: royal == Some(number),
                // The piece without moves has one that it can make from nowhere.
                initial: if kind.motions.is_empty() { Some([Bitboard::EMPTY; 2]) } else { initial },
                moves,
                territory: (territory != all).then_some(territory),
                promotion: promotion.map(|p| {
                    let letter =
                        |name: &String| self.template.slot(name).map(|s| self.template.slots[s].letter);
                    let to = p.to.iter().filter_map(letter).map(|c| c.to_ascii_uppercase()).collect();
                    (p.zones, to, p.optional)
                }),
                en_passant: passing.contains(&kind.slot.name),
                resets_clock: self.resets_clock(kind),
            });
        }
        sheets
    }

    fn promotion(&mut self, kind: &Kind<'t>) -> Option<Promotion> {
        let regions = self.regions("promotionRegion", ["*8", "*1"]);
        let pawns =
            Side::BOTH.map(|side| self.pawn_targets(kind.slot, side).filter(|_| kind.lives[side.index()]));
        let piece = self.piece_target(kind.slot);
        let (pawn_must, piece_must) =
            (self.flag("mandatoryPawnPromotion", true), self.flag("mandatoryPiecePromotion", false));
        let zones = |promotes: [bool; 2]| {
            Side::BOTH
                .map(|side| if promotes[side.index()] { regions[side.index()] } else { Bitboard::EMPTY })
        };
        if let Some(target) = piece {
            let zones = zones(kind.lives);
            let is_pawn = pawns.iter().any(Option::is_some);
            if pawns.iter().flatten().any(|targets| !targets.is_empty()) || is_pawn && pawn_must != piece_must
            {
                self.fatal("promotedPieceType", "a pawn promotes in one way here");
            }
            if !piece_must && Side::BOTH.iter().any(|&side| self.leaves(kind, side, zones[side.index()])) {
                let why = format!(
                    "the {} may promote when it leaves its zone; here it must arrive there",
                    kind.letter()
                );
                self.problem("promotedPieceType", why);
            }
            return Some(Promotion { zones, to: vec![target], optional: !piece_must });
        }
        let promotes = [pawns[0].is_some(), pawns[1].is_some()];
        let mut to = match pawns {
            [Some(white), Some(black)] => {
                let set = |targets: &[String]| targets.iter().cloned().collect::<BTreeSet<_>>();
                if set(&white) != set(&black) {
                    self.fatal(
                        "promotionPieceTypesBlack",
                        "a pawn becomes the same pieces on both sides here",
                    );
                }
                white
            }
            [Some(targets), None] | [None, Some(targets)] => targets,
            [None, None] => return None,
        };
        let mut seen = BTreeSet::new();
        to.retain(|name| seen.insert(name.clone()));
        Some(Promotion { zones: zones(promotes), to, optional: !pawn_must })
    }

    /// Whether a piece that stands in a zone can move out of it.
    fn leaves(&self, kind: &Kind<'t>, side: Side, zone: Bitboard) -> bool {
        zone.into_iter().any(|from| {
            kind.motions.iter().any(|motion| {
                let (dx, dy) = motion.seen_by(side).step();
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
            let (dx, dy) = motion.seen_by(side).step();
            let origins = if motion.initial { doubles[side.index()] } else { self.geometry.all() } & !walls;
            origins
                .into_iter()
                .filter(|from| self.geometry.step(*from, dx, dy).is_some_and(|to| !walls.has(to)))
                .any(|from| {
                    let mut legs = motion.seen_by(side).legs().into_iter();
                    legs.any(|(x, y)| self.geometry.step(from, x, y).is_some_and(|leg| walls.has(leg)))
                })
        })
    }

    /// Whether a slide passes squares outside the region and comes back into it.
    fn slides_through(&self, kind: &Kind<'t>, side: Side, region: Bitboard, walls: Bitboard) -> bool {
        let slides = kind.motions.iter().filter(|motion| motion.range != Range::Leap);
        slides.into_iter().any(|motion| {
            let (dx, dy) = motion.seen_by(side).step();
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
