//! A second move generator for the games of variant files, slow and plain: a mailbox of squares, pieces that walk, legality by
//! trying each move and asking whether the king can be taken.
//!
//! It is for checking. It shares the reading of variant files and Betza words with [`chesslike`](crate::chesslike) and nothing
//! else: no tables, no bitboards, no code. Tests compare the two on random rules, and proofs are checked by it.

mod board;
mod moves;
mod outcome;
mod symbols;

pub use board::Board;
pub use moves::Step;
pub use symbols::SymbolError;

use crate::betza::Motion;
use crate::value::{Outcome, Side};
use crate::variant::spec::Promotion;
use crate::variant::{Bare, Mark, Objective, Repeated, RulesSpec};
use std::collections::HashSet;
use thiserror::Error;

/// A square by its number: rank x width + file, from 0 at `a1`.
pub type Cell = u8;

/// The rules of a game as plain data.
#[derive(Clone, Debug)]
pub struct PlainRules {
    /// Files of the board.
    pub width: u8,
    /// Ranks of the board.
    pub height: u8,
    /// The piece types.
    pub pieces: Vec<PlainPiece>,
    /// The number of the royal type.
    pub royal: Option<u8>,
    /// Squares that riders may enter but not pass.
    pub blocking: Vec<Cell>,
    /// The key squares.
    pub key: Option<PlainKey>,
    /// The castling moves, by the number of their right.
    pub castles: Vec<PlainCastle>,
    /// The result for a side in check without a move.
    pub checkmate: Outcome,
    /// The result for a side without a move that is not in check.
    pub stalemate: Outcome,
    /// What happens when a side has no piece left.
    pub bare: Bare,
    /// Types whose joint extinction ends the game, with the result for their owner.
    pub extinction: Option<(Vec<u8>, Outcome)>,
    /// Plies without progress that make a draw.
    pub move_rule: Option<u16>,
    /// Whether captures are compulsory.
    pub must_capture: bool,
    /// Material with which nobody can win: the number of pieces of each type, for White and for Black.
    pub insufficient: Vec<[Vec<u8>; 2]>,
    /// The types that are a draw, beside royal ones alone, if all of them stand on one colour.
    pub same_colour: Vec<u8>,
}

/// A piece type; arrays of two are by side.
#[derive(Clone, Debug)]
pub struct PlainPiece {
    /// Its upper-case letter.
    pub letter: char,
    /// Its motions as White makes them.
    pub motions: Vec<Motion>,
    /// From where initial motions may be made.
    pub initial: [Vec<Cell>; 2],
    /// The only squares that it may go to.
    pub territory: [Vec<Cell>; 2],
    /// Where it promotes; empty for never.
    pub zone: [Vec<Cell>; 2],
    /// What it may become.
    pub to: [Vec<u8>; 2],
    /// Whether it may stay what it is.
    pub optional: [bool; 2],
    /// Whether it captures *en passant* and is captured so.
    pub en_passant: bool,
    /// Whether its moves count as progress.
    pub resets_clock: bool,
}

/// The key squares and how they win.
#[derive(Clone, Debug)]
pub struct PlainKey {
    /// The key squares of each side.
    pub goals: [Vec<Cell>; 2],
    /// What must be done there.
    pub objective: Objective,
    /// The types that count.
    pub eligible: Vec<u8>,
}

/// A castling move.
#[derive(Clone, Debug)]
pub struct PlainCastle {
    /// Whose it is.
    pub side: Side,
    /// The letter of its right.
    pub right: char,
    /// Where the king comes from and goes to.
    pub king: [Cell; 2],
    /// Where the rook comes from and goes to.
    pub rook: [Cell; 2],
    /// The type of the king.
    pub king_kind: u8,
    /// The type of the rook.
    pub rook_kind: u8,
}

/// A rule that the plain generator does not know.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the plain move generator does not know {0}")]
pub struct UnknownRule(pub &'static str);

impl PlainRules {
    /// The rules of a variant file.
    ///
    /// # Errors
    /// If they have a rule that is not known here.
    pub fn new(spec: &RulesSpec) -> Result<PlainRules, UnknownRule> {
        // Without `..`, so that a new rule is understood here, or refused, or named among those that do not bear on play.
        let RulesSpec {
            id: _,
            name: _,
            summary: _,
            sides: _,
            start: _,
            repetition: _,
            geometry,
            blocking,
            pieces,
            royal,
            // Its loss is an extinction too.
            captured_royal: _,
            hand,
            key,
            castles,
            // Positions say where kings and rooks castle from: those in which they do elsewhere are refused one by one.
            chess960: _,
            checkmate,
            stalemate,
            bare,
            extinction,
            repeated,
            perpetual_check_loses,
            move_rule,
            must_capture,
            insufficient,
            same_colour,
        } = spec;
        let promotions = || pieces.iter().flat_map(|piece| piece.promotion.iter().flatten());
        for (unknown, rule) in [
            (hand.is_some(), "pieces in hand"),
            (pieces.iter().any(|piece| piece.mark != Mark::None), "letters with a mark, such as +P"),
            (pieces.iter().any(|piece| piece.rotated), "rotated pieces"),
            (
                promotions().any(Promotion::is_special),
                "promotion on leaving a zone, by captures alone or in a part of a zone",
            ),
            (key.as_ref().is_some_and(|key| key.objective == Objective::Try), "objective = \"try\""),
            (
                *repeated != Repeated::ToMove(Outcome::Draw) || *perpetual_check_loses,
                "repetition that is won or lost",
            ),
        ] {
            if unknown {
                return Err(UnknownRule(rule));
            }
        }
        let cells =
            |set: crate::bitboard::Bitboard| set.into_iter().map(|square| square.index() as u8).collect();
        let kinds = |set: u32| (0..pieces.len() as u8).filter(|kind| set >> kind & 1 != 0).collect();
        let pieces_of = pieces.iter().map(|piece| {
            let promotion = |s: usize| piece.promotion[s].as_ref();
            PlainPiece {
                letter: piece.letter,
                motions: piece.motions.clone(),
                initial: piece.initial.map(cells),
                territory: piece.territory.map(cells),
                zone: [0, 1].map(|s| promotion(s).map_or(vec![], |p| cells(p.zone))),
                to: [0, 1].map(|s| promotion(s).map_or(vec![], |p| p.to.to_vec())),
                optional: [0, 1].map(|s| promotion(s).is_none_or(|p| p.optional)),
                en_passant: piece.en_passant,
                resets_clock: piece.resets_clock,
            }
        });
        Ok(PlainRules {
            width: geometry.width(),
            height: geometry.height(),
            pieces: pieces_of.collect(),
            royal: *royal,
            blocking: cells(*blocking),
            key: key.as_ref().map(|key| PlainKey {
                goals: key.squares.map(cells),
                objective: key.objective,
                eligible: kinds(key.eligible),
            }),
            castles: castles
                .iter()
                .map(|castle| PlainCastle {
                    side: castle.side,
                    right: castle.right,
                    king: castle.king.map(|square| square.index() as u8),
                    rook: castle.rook.map(|square| square.index() as u8),
                    king_kind: castle.king_kind,
                    rook_kind: castle.rook_kind,
                })
                .collect(),
            checkmate: *checkmate,
            stalemate: *stalemate,
            bare: *bare,
            extinction: extinction.clone(),
            move_rule: *move_rule,
            must_capture: *must_capture,
            insufficient: insufficient
                .iter()
                .map(|material| [0, 1].map(|s| material.counts[s][..pieces.len()].to_vec()))
                .collect(),
            same_colour: kinds(*same_colour),
        })
    }

    /// Squares of the board.
    pub fn area(&self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }
}

/// The generator: rules with what is worked out from them once.
#[derive(Clone, Debug)]
pub struct Plain {
    rules: PlainRules,
    /// For each square, side and type: whether an initial motion may begin there, and whether it may stand there.
    places: Vec<Place>,
    /// The motions of each type, for White and for Black.
    walks: Vec<[Vec<Walk>; 2]>,
    /// For each type, whether two motions may lead to the same square.
    overlaps: Vec<bool>,
    /// The name of each square as a number, with its bits.
    names: Vec<(u64, u32)>,
    blocking: Vec<bool>,
    /// File and rank of each square.
    at: Vec<[i32; 2]>,
    /// For each square, side and type: whether such a piece could ever come to count on its key, if it could capture wherever
    /// it likes.
    hopeful: Vec<bool>,
}

/// A motion, and where a step of it leads from each square: [`NOWHERE`] where that is off the board, or out of bounds for the
/// piece.
#[derive(Clone, Debug)]
struct Walk {
    motion: Motion,
    next: [Cell; 64],
}

/// No square.
const NOWHERE: Cell = u8::MAX;

/// What holds for a piece of a type and side on a square.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    initial: bool,
    territory: bool,
    zone: bool,
}

impl Plain {
    /// A generator for these rules.
    pub fn new(rules: PlainRules) -> Plain {
        let area = rules.area();
        let mut places = vec![Place::default(); area * 2 * rules.pieces.len()];
        let mut blocking = vec![false; area];
        for &cell in &rules.blocking {
            blocking[usize::from(cell)] = true;
        }
        for (kind, piece) in rules.pieces.iter().enumerate() {
            for side in 0..2 {
                let at = |cell: Cell| (usize::from(cell) * 2 + side) * rules.pieces.len() + kind;
                piece.initial[side].iter().for_each(|&cell| places[at(cell)].initial = true);
                piece.territory[side].iter().for_each(|&cell| places[at(cell)].territory = true);
                piece.zone[side].iter().for_each(|&cell| places[at(cell)].zone = true);
            }
        }
        let width = i32::from(rules.width);
        let at = (0..area as i32).map(|cell| [cell % width, cell / width]).collect();
        let overlaps = |piece: &PlainPiece| {
            let mut seen = HashSet::new();
            piece.motions.iter().flat_map(|motion| motion.reach()).any(|square| !seen.insert(square))
        };
        let mut plain = Plain {
            hopeful: vec![false; places.len()],
            walks: vec![],
            overlaps: rules.pieces.iter().map(overlaps).collect(),
            names: vec![],
            rules,
            places,
            blocking,
            at,
        };
        plain.names = (0..area).map(|cell| plain.number_of_name(cell)).collect();
        plain.walks = (0..plain.rules.pieces.len() as u8)
            .map(|kind| Side::BOTH.map(|side| plain.walks_of(kind, side)))
            .collect();
        plain.hopeful = plain.hopeful();
        plain
    }

    fn walks_of(&self, kind: u8, side: Side) -> Vec<Walk> {
        let turned = |m: &Motion| if side == Side::White { *m } else { Motion { dy: -m.dy, ..*m } };
        let next = |motion: &Motion| {
            std::array::from_fn(|from| {
                let to = (from < self.rules.area())
                    .then(|| self.step(from, motion.dx.into(), motion.dy.into()))
                    .flatten();
                to.filter(|&to| self.place(kind, side, to).territory).map_or(NOWHERE, |to| to as Cell)
            })
        };
        let motions = self.rules.pieces[usize::from(kind)].motions.iter().map(turned);
        motions.map(|motion| Walk { next: next(&motion), motion }).collect()
    }

    fn number_of_name(&self, cell: usize) -> (u64, u32) {
        let name = self.name(cell);
        (name.bytes().fold(0, |number, byte| number << 8 | u64::from(byte)), 8 * name.len() as u32)
    }

    /// The rules.
    pub fn rules(&self) -> &PlainRules {
        &self.rules
    }

    /// The number of a square, side and type among all.
    fn number(&self, kind: u8, side: Side, cell: usize) -> usize {
        (cell * 2 + side.index()) * self.rules.pieces.len() + usize::from(kind)
    }

    fn place(&self, kind: u8, side: Side, cell: usize) -> Place {
        self.places[self.number(kind, side, cell)]
    }

    /// The square that is `dx` files and `dy` ranks away, if it is on the board.
    fn step(&self, from: usize, dx: i32, dy: i32) -> Option<usize> {
        let width = i32::from(self.rules.width);
        let [x, y] = self.at[from];
        let (x, y) = (x + dx, y + dy);
        let inside = (0..width).contains(&x) && (0..i32::from(self.rules.height)).contains(&y);
        inside.then_some((y * width + x) as usize)
    }

    /// The name of a square.
    pub fn name(&self, cell: usize) -> String {
        let width = usize::from(self.rules.width);
        format!("{}{}", (b'a' + (cell % width) as u8) as char, cell / width + 1)
    }
}
