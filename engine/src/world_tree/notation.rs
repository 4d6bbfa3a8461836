//! Plies and turns as text, and the board for those who look at it.

use super::attacks::Method;
use super::board::{BANKS, RIVER, geometry, neighbour};
use super::ply::{Hit, hit_number};
use super::{Kind, Move, Ply, PlyError, WorldTree};
use crate::ability::Notation;
use crate::bitboard::{Bitboard, Square};
use crate::diagram::{Cell, Diagram, Piece};
use crate::geometry::shorten;
use crate::value::Side;
use std::error::Error;

/// What the players are called.
const SIDES: [&str; 2] = ["First player", "Second player"];

fn name(square: Square) -> String {
    geometry().name(square)
}

/// The squares of a set in the order of their names, written one after the other.
fn names(set: Bitboard) -> String {
    let mut names: Vec<String> = set.into_iter().map(name).collect();
    names.sort();
    names.concat()
}

/// Reads a square and nothing else.
fn read_square(text: &str, whole: &str) -> Result<Square, PlyError> {
    match geometry().split_square(text) {
        Some((square, "")) => Ok(square?),
        _ => Err(PlyError::Form(shorten(whole))),
    }
}

/// Reads squares one after the other, each once.
fn read_squares(mut text: &str, whole: &str) -> Result<Bitboard, PlyError> {
    let mut set = Bitboard::EMPTY;
    while !text.is_empty() {
        let (square, rest) = geometry().split_square(text).ok_or_else(|| PlyError::Form(shorten(whole)))?;
        let square = square?;
        if set.has(square) {
            return Err(PlyError::Form(shorten(whole)));
        }
        set |= square.bit();
        text = rest;
    }
    Ok(set)
}

// Writing.
impl WorldTree {
    fn ply_text(&self, mv: Move) -> String {
        match mv.ply() {
            Ply::Place { kind, square } => format!("{}@{}", kind.letter(), name(square)),
            Ply::Step { from, to, .. } => name(from) + &name(to),
            Ply::Pack { from, to } => format!("{}-{}", names(from), names(to)),
            Ply::Attack { kind, from, hits } => {
                let hits: Vec<String> = hits.as_slice().iter().map(|hit| self.hit_text(*hit)).collect();
                format!("{}{}x{}", self.attacker_prefix(kind, from), name(from), hits.join(","))
            }
            Ply::Done => "done".into(),
            Ply::Pass => "pass".into(),
        }
    }

    /// `Z` where an attacking zi ri shares its square with another piece of its side.
    fn attacker_prefix(&self, kind: Kind, from: Square) -> &'static str {
        let shared = kind == Kind::ZiRi && self.solid[self.side.index()].has(from);
        if shared { "Z" } else { "" }
    }

    /// Whether two enemies stand on a square, so that a hit must say which it means.
    fn is_ambiguous(&self, square: Square) -> bool {
        let them = !self.side;
        (self.solid[them.index()] & self.zi_ri(them)).has(square)
    }

    fn hit_text(&self, hit: Hit) -> String {
        let square = name(hit.square);
        if !self.is_ambiguous(hit.square) {
            return square;
        }
        let them = !self.side;
        let kind = if hit.zi_ri { Kind::ZiRi } else { self.kind_on(them, hit.square) };
        format!("{square}:{}", kind.letter_of(them))
    }
}

// Reading.
impl WorldTree {
    fn read_ply(&self, text: &str) -> Result<Move, PlyError> {
        if self.taken_town().is_some() {
            return Err(PlyError::Over);
        }
        if let Some((letter, cell)) = text.split_once('@') {
            return self.read_placement_ply(letter, cell, text);
        }
        if self.is_placing() {
            return Err(PlyError::Placing { cell: name(self.next_cell()), hand: self.hand_text() });
        }
        if let Some((attacker, hits)) = text.split_once('x') {
            return self.read_attack(attacker, hits, text);
        }
        if let Some((from, to)) = text.split_once('-') {
            return self.read_pack(from, to, text);
        }
        match text {
            "done" if self.is_mid_turn() => Ok(Move::DONE),
            "done" => Err(PlyError::NotMoved),
            "pass" if self.allows(Move::PASS) => Ok(Move::PASS),
            "pass" => Err(PlyError::CanPlay),
            _ => self.read_step(text),
        }
    }

    fn hand_text(&self) -> String {
        let piece = |kind: Kind| match self.in_hand(kind) {
            1 => kind.letter().to_string(),
            count => format!("{}{count}", kind.letter()),
        };
        self.hand().map(piece).collect::<Vec<_>>().join(" ")
    }

    fn read_placement_ply(&self, letter: &str, cell: &str, text: &str) -> Result<Move, PlyError> {
        let mut letters = letter.chars();
        let (kind, None) = (letters.next().and_then(Kind::from_letter), letters.next()) else {
            return Err(PlyError::Form(shorten(text)));
        };
        let kind = kind.ok_or_else(|| PlyError::Form(shorten(text)))?;
        let square = read_square(cell, text)?;
        if !self.is_placing() {
            return Err(PlyError::AllPlaced);
        }
        if square != self.next_cell() {
            return Err(PlyError::WrongCell { found: name(square), due: name(self.next_cell()) });
        }
        if self.in_hand(kind) == 0 {
            return Err(PlyError::NotInHand { piece: kind.name().into(), hand: self.hand_text() });
        }
        Ok(Move::place(kind, square))
    }

    /// The kinds that the side to move has on a square, of which there is one at least: the zi ri last.
    fn own_kinds(&self, square: Square) -> Result<Vec<Kind>, PlyError> {
        let us = self.side;
        let mut kinds = Vec::new();
        if self.solid[us.index()].has(square) {
            kinds.push(self.kind_on(us, square));
        }
        if self.zi_ri(us).has(square) {
            kinds.push(Kind::ZiRi);
        }
        if !kinds.is_empty() {
            return Ok(kinds);
        }
        let enemy = match self.solid_on(square) {
            Some((kind, _)) => kind,
            None if self.zi_ri(!us).has(square) => Kind::ZiRi,
            None => return Err(PlyError::Empty(name(square))),
        };
        let (piece, mover) = (enemy.name().into(), SIDES[us.index()].into());
        Err(PlyError::NotYours { piece, square: name(square), mover })
    }

    fn has_moved(&self, kind: Kind, square: Square) -> bool {
        self.moved == kind as u32 && (kind != Kind::Cani || self.moved_cani.has(square))
    }

    fn read_step(&self, text: &str) -> Result<Move, PlyError> {
        let form = || PlyError::Form(shorten(text));
        let (from, rest) = geometry().split_square(text).ok_or_else(form)?;
        let (from, to) = (from?, read_square(rest, text)?);
        let kinds = self.own_kinds(from)?;
        if let Some(&kind) = kinds.iter().find(|&&kind| self.step_is_legal(kind, from, to)) {
            return Ok(Move::step(kind, from, to));
        }
        let Some(&kind) = kinds.iter().find(|&&kind| !self.has_moved(kind, from)) else {
            return Err(PlyError::MovedTwice { piece: kinds[0].name().into(), square: name(from) });
        };
        let targets = match kind {
            Kind::Cani => self.lone_targets(from),
            _ => self.targets(kind, from),
        };
        Err(PlyError::CannotGo {
            piece: kind.name().into(),
            from: name(from),
            to: name(to),
            targets: if targets.any() { geometry().names(targets) } else { "no square".into() },
        })
    }

    fn read_pack(&self, from: &str, to: &str, text: &str) -> Result<Move, PlyError> {
        let (from, to) = (read_squares(from, text)?, read_squares(to, text)?);
        if !(2..=Kind::CANI).contains(&from.count()) || to.is_empty() {
            return Err(PlyError::Form(shorten(text)));
        }
        for square in from {
            let kind = self.own_kinds(square)?[0];
            if self.has_moved(kind, square) {
                return Err(PlyError::MovedTwice { piece: kind.name().into(), square: name(square) });
            }
        }
        if self.pack_can_go(from, to)
            && let Some(mv) = Move::pack(from, to)
        {
            return Ok(mv);
        }
        let cani = self.cani[self.side.index()];
        let why = if (from & !cani).any() {
            "only cani move together"
        } else if (from & !self.pack_of(self.side, from.first())).any() {
            "they are not in one pack"
        } else if from.count() != to.count() {
            "there must be as many destinations as origins"
        } else if from == to {
            "these are the same squares"
        } else if (to & RIVER).any() {
            "a destination must be dry"
        } else if (to & !self.landing(from)).any() {
            "a destination must be empty, or just left by one of them with no zi ri on it"
        } else {
            "there is no way to pair them that is in reach of all"
        };
        Err(PlyError::Pack { from: geometry().names(from), to: geometry().names(to), why })
    }

    fn read_attack(&self, attacker: &str, hits: &str, text: &str) -> Result<Move, PlyError> {
        let (zi_ri, square) = match attacker.strip_prefix('Z') {
            Some(square) => (true, square),
            None => (false, attacker),
        };
        let from = read_square(square, text)?;
        let kinds = self.own_kinds(from)?;
        let kind = if zi_ri { Kind::ZiRi } else { kinds[0] };
        let refuse = |why: String| Err(PlyError::Attack { piece: kind.name().into(), from: name(from), why });
        if zi_ri && kinds.len() < 2 {
            return refuse(
                "write Z only where a zi ri shares its square with another piece of its side".into(),
            );
        }
        if self.is_mid_turn() {
            return Err(PlyError::AttackAfterMove);
        }
        let mut list = Vec::new();
        for (n, part) in hits.split(',').enumerate() {
            let more = geometry().split_square(part).is_some_and(|(_, rest)| !rest.is_empty());
            if n > 0 && more && !part.contains(':') {
                return Err(PlyError::AfterAttack(shorten(part)));
            }
            match self.read_hit(part, text)? {
                Ok(hit) => list.push(hit),
                Err(why) => return refuse(why),
            }
        }
        if list.len() > 1 && kind != Kind::Khtsoyis {
            return refuse("only a khtsoyis hits more than once, and an attack ends the turn".into());
        }
        if list.len() > 3 {
            return refuse("a khtsoyis hits three times at most".into());
        }
        match self.attack_of(kind, from, &list) {
            Some(mv) if self.allows(mv) => Ok(mv),
            _ => refuse(self.why_no_attack(kind, from, &list)),
        }
    }

    /// Reads one hit: the inner error is what is wrong with its target.
    fn read_hit(&self, part: &str, text: &str) -> Result<Result<Hit, String>, PlyError> {
        let (square, letter) = match part.split_once(':') {
            Some((square, letter)) => (square, Some(letter)),
            None => (part, None),
        };
        let square = read_square(square, text)?;
        let them = !self.side;
        let (solid, zi_ri) = (self.solid[them.index()].has(square), self.zi_ri(them).has(square));
        if !solid && !zi_ri {
            return Ok(Err(format!("no enemy stands on {}", name(square))));
        }
        if !self.is_ambiguous(square) {
            return Ok(match letter {
                None => Ok(Hit { square, zi_ri }),
                Some(_) => Err(format!("one enemy stands on {}: write no letter", name(square))),
            });
        }
        let letters = [self.kind_on(them, square), Kind::ZiRi].map(|kind| kind.letter_of(them).to_string());
        Ok(match letter {
            Some(letter) if letters.contains(&letter.to_string()) => {
                Ok(Hit { square, zi_ri: letter == letters[1] })
            }
            _ => Err(format!(
                "two enemies stand on {}: add \":{}\" or \":{}\"",
                name(square),
                letters[0],
                letters[1]
            )),
        })
    }

    /// The attack with these hits, in whatever order they are given.
    fn attack_of(&self, kind: Kind, from: Square, hits: &[Hit]) -> Option<Move> {
        if let [hit] = hits {
            return Some(Move::attack(kind, from, *hit));
        }
        let direction = |hit: &Hit| (0..4).find(|&d| neighbour(from, d) == Some(hit.square));
        let numbers: Option<Vec<u32>> =
            hits.iter().map(|hit| Some(hit_number(direction(hit)?, hit.zi_ri))).collect();
        let mut numbers = numbers?;
        numbers.sort_unstable();
        Some(Move::barrage(from, &numbers))
    }

    fn why_no_attack(&self, kind: Kind, from: Square, hits: &[Hit]) -> String {
        for hit in hits {
            let square = name(hit.square);
            let victim = if hit.zi_ri { Kind::ZiRi } else { self.kind_on(!self.side, hit.square) };
            let Some(method) = self.method(kind, from, hit.square) else {
                return match kind {
                    Kind::Town => "towns do not attack".into(),
                    Kind::Herethroy if !BANKS[self.side.index()].has(from) => {
                        "it fights on its own bank only".into()
                    }
                    _ => format!("{square} is out of its reach"),
                };
            };
            if method == Method::Pounce && !self.harms(method, *hit) {
                return format!("something other than a zi ri would be left on {square} with it");
            }
            if !self.harms(method, *hit) {
                return format!("the {} on {square} is immune to it", victim.name());
            }
        }
        "a hit on what is taken already does nothing".into()
    }
}

impl Notation for WorldTree {
    fn position_text(&self) -> String {
        self.text()
    }

    fn move_text(&self, mv: Move) -> String {
        self.ply_text(mv)
    }

    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.read_ply(text)?)
    }

    /// An attack is a whole turn, commas between hits included; else a comma stands between two plies.
    fn split_turn(text: &str) -> Vec<&str> {
        match text.split_once(',') {
            Some((first, second)) if !first.contains('x') => vec![first, second],
            _ => vec![text],
        }
    }

    fn diagram(&self) -> Diagram {
        let piece = |kind: Kind, side: Side| {
            let marked = if self.is_marked(side, kind) { " (marked)" } else { "" };
            Piece {
                side,
                letter: kind.letter_of(side),
                name: format!("{}{marked}", kind.name()),
                abbreviation: String::new(),
            }
        };
        let cell = |square: Square| {
            let mut pieces: Vec<Piece> = Vec::new();
            pieces.extend(self.solid_on(square).map(|(kind, side)| piece(kind, side)));
            let zi_ri = Side::BOTH.into_iter().filter(|side| self.zi_ri(*side).has(square));
            pieces.extend(zi_ri.map(|side| piece(Kind::ZiRi, side)));
            let mut pieces = pieces.into_iter();
            Cell {
                piece: pieces.next(),
                above: pieces.collect(),
                key: Side::BOTH.iter().any(|side| self.pieces(*side, Kind::Town).has(square)),
                river: RIVER.has(square),
                ..Cell::default()
            }
        };
        Diagram {
            width: 8,
            height: 8,
            cells: geometry().squares().map(cell).collect(),
            sides: SIDES.map(str::to_string),
            side_to_move: self.side,
            notes: self.notes(),
            graph: None,
        }
    }
}

impl WorldTree {
    /// What the letters on the board do not show.
    fn notes(&self) -> Vec<(String, String)> {
        let mut notes = Vec::new();
        if self.is_placing() {
            notes.push(("next cell".to_string(), name(self.next_cell())));
            notes.push(("in hand".to_string(), self.hand_text()));
            return notes;
        }
        let texts = |wanted: fn(&str) -> bool| {
            let texts = geometry().squares().map(|square| (square, self.square_text(square)));
            let wanted = texts.filter(|(_, text)| wanted(text));
            wanted.map(|(square, text)| name(square) + " " + &text).collect::<Vec<_>>().join(", ")
        };
        let shared = texts(|text| text.starts_with('('));
        let marked = texts(|text| text.contains('+'));
        for (what, squares) in [("on one square", shared), ("marked", marked)] {
            if !squares.is_empty() {
                notes.push((what.to_string(), squares));
            }
        }
        if self.is_mid_turn() {
            notes.push(("moved this turn".to_string(), self.moved_text()));
        }
        notes.push(("quiet turns".to_string(), self.quiet.to_string()));
        notes
    }
}
