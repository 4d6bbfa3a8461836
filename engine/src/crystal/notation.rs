//! Moves as text, short and long, and the crystal as a diagram.

use super::text::SIDES;
use super::{Crystal, Lattice, Move};
use crate::ability::Notation;
use crate::bitboard::Square;
use crate::diagram::{Cell, Diagram, Graph, Piece};
use crate::geometry::shorten;
use crate::position::{Position, list_moves};
use crate::value::Side;
use std::error::Error;

/// The text of [`Move::PASS`].
const PASS: &str = "pass";

impl Crystal {
    /// The long form of a move: its origin and every atom it lands on.
    pub fn long_text(&self, mv: Move) -> String {
        if mv.is_pass() {
            return PASS.into();
        }
        let landings = self.route(mv).into_iter().map(|atom| self.lattice.name(atom));
        self.lattice.name(mv.from) + &landings.collect::<String>()
    }

    fn read_move(&self, text: &str) -> Result<Move, String> {
        let legal = list_moves(self);
        if legal.is_empty() {
            return Err("the game is over: no moves".into());
        }
        if text == PASS {
            let pass = legal[0].is_pass().then_some(Move::PASS);
            return pass.ok_or_else(|| "a player passes only without any other move".to_string());
        }
        let atoms = self.read_atoms(text)?;
        let [from, ref landings @ ..] = atoms[..] else { return Err(form(text)) };
        let Some(&to) = landings.last() else { return Err(form(text)) };
        let name = |atom| self.lattice.name(atom);
        if !self.occupied().has(from) {
            return Err(format!("no electron is on {}", name(from)));
        }
        if !self.pieces_of(self.side).has(from) {
            let ordinals = ["first", "second"];
            let (owner, mover) = (ordinals[(!self.side).index()], ordinals[self.side.index()]);
            return Err(format!(
                "the electron on {} is the {owner} player's, and it is the {mover} player's turn",
                name(from)
            ));
        }
        let mv = Move { from, to };
        if !legal.contains(&mv) {
            let ends = legal.iter().filter(|m| m.from == from && !m.is_pass()).map(|m| name(m.to));
            let ends = ends.collect::<Vec<_>>().join(" ");
            let hint = if ends.is_empty() { "it has no move".into() } else { format!("it can go to {ends}") };
            return Err(format!("the electron on {} cannot go to {}; {hint}", name(from), name(to)));
        }
        if landings.len() > 1 && !self.is_route(from, landings) {
            return Err(format!(
                "the electron on {} cannot go to {} by this route; write {} or {}",
                name(from),
                name(to),
                self.move_text(mv),
                self.long_text(mv)
            ));
        }
        Ok(mv)
    }

    fn read_atoms(&self, text: &str) -> Result<Vec<Square>, String> {
        let (mut atoms, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let (atom, left) = self.lattice.split_atom(rest).ok_or_else(|| form(text))?;
            let named = &rest[..rest.len() - left.len()];
            atoms.push(atom.ok_or_else(|| {
                format!("the crystal has no atom {named}; they go from 0Aa to {}", self.lattice.last_name())
            })?);
            rest = left;
        }
        Ok(atoms)
    }
}

fn form(text: &str) -> String {
    format!(
        "\"{}\" is not a move; write origin and end, such as \"0Aa1Cc\", with the landings between if you like",
        shorten(text)
    )
}

impl Lattice {
    fn last_name(&self) -> String {
        self.name(self.atom(self.tiers - 1, self.molecules - 1, 3))
    }

    /// Where an atom lies seen from above: molecules in a ring, in each the atoms `a` and `d` on the left, `a`
    /// and `b` outside. Angles go clockwise from the north, so that left is the direction of decreasing angle.
    fn point(&self, atom: Square) -> (i32, i32) {
        let [tier, molecule, letter] = self.parts(atom);
        let half_turns = f64::from(2 * molecule + tier % 2);
        let (sin, cos) = (std::f64::consts::PI * half_turns / f64::from(self.molecules)).sin_cos();
        let right = if letter == 0 || letter == 3 { -160.0 } else { 160.0 };
        let outward = if letter < 2 { 820.0 } else { 500.0 };
        ((outward * sin + right * cos).round() as i32, (outward * cos - right * sin).round() as i32)
    }

    fn graph(&self) -> Graph {
        let atoms: Vec<Square> = (0..self.atoms() as u8).map(Square::new).collect();
        let paths = |&from: &Square| {
            self.neighbours(from)
                .into_iter()
                .filter(move |&to| from < to)
                .map(move |to| (from.index(), to.index()))
        };
        Graph {
            layer: "tier".into(),
            names: atoms.iter().map(|&atom| self.name(atom)).collect(),
            points: atoms.iter().map(|&atom| self.point(atom)).collect(),
            paths: atoms.iter().flat_map(paths).collect(),
        }
    }
}

impl Notation for Crystal {
    fn position_text(&self) -> String {
        self.text()
    }

    fn move_text(&self, mv: Move) -> String {
        if mv.is_pass() { PASS.into() } else { self.lattice.name(mv.from) + &self.lattice.name(mv.to) }
    }

    /// Reads the short form, the long form, and any other legal route: they are one move.
    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.read_move(text)?)
    }

    fn diagram(&self) -> Diagram {
        let piece = |atom: Square| {
            let side = *Side::BOTH.iter().find(|side| self.pieces_of(**side).has(atom))?;
            Some(Piece {
                side,
                letter: if side == Side::White { 'E' } else { 'e' },
                name: "Electron".into(),
                abbreviation: String::new(),
            })
        };
        let goal = self.lattice.far(Side::White) | self.lattice.far(Side::Black);
        let cell = |atom: Square| Cell { piece: piece(atom), key: goal.has(atom), ..Cell::default() };
        let mut notes = Vec::new();
        for side in Side::BOTH {
            let home = (self.pieces_of(side) & self.lattice.far(side)).count();
            let value = format!("{}: {home} of {}", SIDES[side.index()], self.lattice.tokens);
            notes.push(("on the far tier".to_string(), value));
        }
        Diagram {
            width: 4 * self.lattice.molecules as usize,
            height: self.lattice.tiers as usize,
            cells: (0..self.lattice.atoms() as u8).map(|n| cell(Square::new(n))).collect(),
            sides: SIDES.map(str::to_string),
            side_to_move: self.side_to_move(),
            notes,
            graph: Some(self.lattice.graph()),
        }
    }
}
