//! Crystal Draughts: a race of two players' electrons through a crystal of atoms, by steps along its paths
//! and by jumps over whatever stands in the way. Nothing is ever captured.
//!
//! The crystal has tiers of molecules of four atoms; how many, and how many electrons, are parameters. The
//! numbers D1 to D4 in the comments are those of the project's rules file.
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::crystal::CrystalGame;
//! use jewel_engine::position::Position;
//! use jewel_engine::value::Outcome;
//!
//! let game = CrystalGame::with_parameters("tiers=2,molecules=1,tokens=1")?;
//! let start = game.start();
//! assert_eq!(start.position_text(), "2e1/E3 w 0");
//! // A jump over the other electron, and the first player is there.
//! assert_eq!(start.after(start.parse_move("0Aa1Ab")?).outcome(), Some(Outcome::Loss));
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod lattice;
mod moves;
mod notation;
mod pack;
mod playout;
mod route;
mod tactics;
mod text;

pub use lattice::Lattice;
pub use text::CrystalError;

use crate::ability::Game;
use crate::bitboard::{Bitboard, Square};
use crate::chance::Chance;
use crate::parameters::ParameterError;
use crate::position::Position;
use crate::value::{Outcome, Side};
use crate::zobrist::KEYS;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow::{self, Continue};

/// The key of an electron.
#[inline(always)]
fn atom_hash(side: usize, atom: Square) -> u64 {
    KEYS.piece[0][side & 1][atom.index()]
}

/// A position of Crystal Draughts.
///
/// Two positions are equal if the same moves may follow: the number of plies does not matter.
#[derive(Clone, Copy)]
pub struct Crystal {
    lattice: &'static Lattice,
    by_side: [Bitboard; 2],
    key: u64,
    plies: u32,
    side: Side,
}

/// A move: an electron's origin and end, whatever its route (D2). The pass has atom 0 for both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the electron comes from.
    pub from: Square,
    /// Where it ends.
    pub to: Square,
}

impl Move {
    /// The move of a player who has no other move.
    pub const PASS: Move = Move { from: Square::new(0), to: Square::new(0) };

    /// Whether this is the pass.
    #[inline(always)]
    pub fn is_pass(self) -> bool {
        self.from == self.to
    }
}

impl Crystal {
    /// The crystal that the position is played on.
    #[inline(always)]
    pub fn lattice(&self) -> &'static Lattice {
        self.lattice
    }

    /// The atoms of a player's electrons; White is the first player.
    #[inline(always)]
    pub fn pieces_of(&self, side: Side) -> Bitboard {
        self.by_side[side.index()]
    }

    /// All charged atoms.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_side[0] | self.by_side[1]
    }

    /// Plies played since the start.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Whether all of a player's electrons stand on the far tier; with D4 it is enough that the tier is
    /// full and one of them is there.
    #[inline(always)]
    fn is_home(&self, side: Side) -> bool {
        let (own, far) = (self.pieces_of(side), self.lattice.far[side.index()]);
        (own & !far).is_empty()
            || self.lattice.full_tier && (far & !self.occupied()).is_empty() && (own & far).any()
    }

    fn zobrist(&self) -> u64 {
        let mut key = if self.side == Side::Black { KEYS.black } else { 0 };
        for side in Side::BOTH {
            for atom in self.pieces_of(side) {
                key ^= atom_hash(side.index(), atom);
            }
        }
        key
    }
}

impl Position for Crystal {
    type Move = Move;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    /// If both players are home, the one who has just moved got there last and wins.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        if self.is_home(!self.side) {
            Some(Outcome::Loss)
        } else if self.is_home(self.side) {
            Some(Outcome::Win)
        } else {
            None
        }
    }

    #[inline]
    fn moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.outcome().is_some() {
            return Continue(());
        }
        let mut none = true;
        for from in self.pieces_of(self.side) {
            for to in self.destinations(from) {
                none = false;
                visit(Move { from, to })?;
            }
        }
        if none { visit(Move::PASS) } else { Continue(()) }
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        if self.outcome().is_some() {
            return 0;
        }
        let moves: u32 =
            self.pieces_of(self.side).into_iter().map(|from| self.destinations(from).count()).sum();
        u64::from(moves.max(1))
    }

    #[inline(always)]
    fn play(&mut self, mv: Move) {
        if !mv.is_pass() {
            let us = self.side.index();
            self.by_side[us] = self.by_side[us] & !mv.from.bit() | mv.to.bit();
            self.key ^= atom_hash(us, mv.from) ^ atom_hash(us, mv.to);
        }
        self.plies = self.plies.saturating_add(1);
        self.side = !self.side;
        self.key ^= KEYS.black;
    }

    #[inline(always)]
    fn zobrist_hash(&self) -> u64 {
        self.key
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist()
    }
}

impl Chance for Crystal {}

impl PartialEq for Crystal {
    fn eq(&self, other: &Self) -> bool {
        self.by_side == other.by_side && self.side == other.side && std::ptr::eq(self.lattice, other.lattice)
    }
}

impl Eq for Crystal {}

impl Hash for Crystal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl fmt::Debug for Crystal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.lattice.id, self.text())
    }
}

/// Crystal Draughts on a crystal of some size.
#[derive(Clone, Copy, Debug)]
pub struct CrystalGame {
    lattice: &'static Lattice,
}

impl CrystalGame {
    /// The game as published: 4 tiers, 3 molecules each, 12 electrons a player.
    pub fn new() -> Self {
        Self::with_parameters("").unwrap_or_else(|e| unreachable!("{e}"))
    }

    /// The game of a list of parameters, what follows the colon in `crystal-draughts:tiers=2,tokens=4`:
    /// `tiers` (from 2; 4 unless given), `molecules` of a tier (from 1; 3), `tokens` of a player (1 to 4 times
    /// the molecules; as many unless given) and `full-tier` (`off` or `on`: D4). A crystal has at most 64
    /// atoms.
    ///
    /// The crystals asked for stay in memory until the program ends, each once: there are a few thousand.
    ///
    /// # Errors
    /// If a parameter is unknown or out of range, or nobody could ever move.
    pub fn with_parameters(text: &str) -> Result<Self, ParameterError> {
        Ok(CrystalGame { lattice: lattice::find(text)? })
    }

    /// The crystal.
    pub fn lattice(&self) -> &'static Lattice {
        self.lattice
    }
}

impl Default for CrystalGame {
    fn default() -> Self {
        Self::new()
    }
}

impl Game for CrystalGame {
    type Position = Crystal;

    fn id(&self) -> &str {
        &self.lattice.id
    }

    fn name(&self) -> &str {
        "Crystal Draughts"
    }

    fn start(&self) -> Crystal {
        let mut position = Crystal {
            lattice: self.lattice,
            by_side: self.lattice.start,
            key: 0,
            plies: 0,
            side: Side::White,
        };
        position.key = position.zobrist();
        position
    }

    fn parse_position(&self, text: &str) -> Result<Crystal, Box<dyn Error + Send + Sync>> {
        Ok(Crystal::read(self.lattice, text)?)
    }

    /// D3: how often a position must occur.
    fn repetition(&self) -> u32 {
        3
    }
}
