//! What a game can do beyond its bare rules: each ability is a trait of its own, so that a searcher or a
//! solver asks for just what it needs and plain games pay for nothing else.
//!
//! A game that is played needs [`Game`] and [`Notation`]; [`Packed`] unlocks exact solving, and
//! [`Symmetric`], whose items all have defaults, openings without mirror images of each other.

use crate::diagram::Diagram;
use crate::geometry::shorten;
use crate::position::{Position, list_moves};
use crate::symmetry::Symmetry;
use crate::value::{Outcome, Side, Value};
use std::error::Error;
use std::fmt::Debug;
use std::hash::Hash;

/// Why a text is not read: one line that says what is wrong.
pub type ReadError = Box<dyn Error + Send + Sync>;

/// A game with its parameters fixed: it makes positions.
pub trait Game: Clone + Send + Sync {
    /// Its positions.
    type Position: Notation;

    /// The id typed on the command line, such as `ambush`.
    fn id(&self) -> &str;

    /// The name shown to people. By default the id.
    fn name(&self) -> &str {
        self.id()
    }

    /// The position in which the game starts.
    fn start(&self) -> Self::Position;

    /// Reads a position string.
    ///
    /// # Errors
    /// One line that says what is wrong and what would be right.
    fn parse_position(&self, text: &str) -> Result<Self::Position, ReadError>;

    /// How often a position must occur for the game to be drawn by repetition; 0 for never. By default three
    /// times, so that no game lasts forever: where positions cannot come back, it never matters.
    fn repetition(&self) -> u32 {
        3
    }
}

/// Text for positions and moves.
pub trait Notation: Position {
    /// The position string (FEN in the chess-like games), which the game's
    /// [`parse_position`](Game::parse_position) reads back.
    fn position_text(&self) -> String;

    /// The text of a legal move, unique among the legal moves, without spaces.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads the text of a legal move. By default it compares the texts of all of them; a game that reads it
    /// can say what is wrong with a move that is not legal.
    ///
    /// # Errors
    /// One line that says why no legal move has this text.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ReadError> {
        let legal = list_moves(self);
        if let Some(&mv) = legal.iter().find(|&&mv| self.move_text(mv) == text) {
            return Ok(mv);
        }
        let known: Vec<String> = legal.iter().map(|&mv| self.move_text(mv)).collect();
        Err(match &known[..] {
            [] => "the game is over: no moves".into(),
            [first, ..] if known.len() > 12 => {
                format!("no legal move is \"{}\"; one of {} is {first}", shorten(text), known.len()).into()
            }
            _ => format!("no legal move is \"{}\"; legal are {}", shorten(text), known.join(" ")).into(),
        })
    }

    /// The text of a legal move in standard algebraic notation (SAN), in games that have it: `None` in all others. A game
    /// that writes it also [reads](Notation::parse_move) it.
    fn san(&self, mv: Self::Move) -> Option<String> {
        let _ = mv;
        None
    }

    /// The texts of the plies in the text of a turn, which may be a single ply of it. In most games a turn is
    /// one move.
    fn split_turn(text: &str) -> Vec<&str> {
        vec![text]
    }

    /// The text of a turn of these plies: commas between them.
    fn join_turn(plies: &[String]) -> String {
        plies.join(",")
    }

    /// The board to draw. By default it is read from the position string: see [`Diagram::from_text`].
    fn diagram(&self) -> Diagram {
        Diagram::from_text(&self.position_text(), self.side_to_move())
    }
}

/// Positions that fit into a key of a few words. Unlocks exact solving: the solver keeps every position that
/// can be reached.
pub trait Packed: Position {
    /// Bits needed to pack this position and every position that can be reached from it, at most 256. By
    /// default 64: one word.
    fn packed_bits(&self) -> u32 {
        64
    }

    /// The position as a key: equal keys for equal positions and no others, among those reachable from
    /// one root.
    ///
    /// # Panics
    /// If `K` has fewer than [`packed_bits`](Packed::packed_bits) bits.
    fn pack<K: PackedKey>(&self) -> K;

    /// The position of a key; `self` is any position of the same game with the same root.
    fn unpack<K: PackedKey>(&self, key: K) -> Self;

    /// Calls `visit` with the key of the position after each move of the position of a key, one for each move, and returns
    /// who is to move in it and how the game ended there; nothing is visited where it did. `self` is the root.
    ///
    /// A game overrides it if it can make keys faster than by playing and packing: the solver spends most of its time here.
    fn expand<K: PackedKey>(&self, key: K, mut visit: impl FnMut(K)) -> (Side, Option<Outcome>) {
        let position = self.unpack(key);
        let outcome = position.outcome();
        if outcome.is_none() {
            // A list, so that the generator is not compiled for every caller.
            list_moves(&position).into_iter().for_each(|mv| visit(position.after(mv).pack()));
        }
        (position.side_to_move(), outcome)
    }

    /// How many of the lowest bits of a key, 64 at most, are a set of squares, one bit for each: those on which a piece stands. No
    /// move makes them more. By default 0: no part of a key is known to be a set.
    ///
    /// A solver can then keep positions that differ in these bits alone, and have as many of them set, side by side and
    /// without their keys. What it finds does not depend on it.
    fn set_bits(&self) -> u32 {
        0
    }

    /// Whether the game can take moves back: whether [`unmoves`](Packed::unmoves) works for this root. By default it cannot.
    ///
    /// It is an ability that the solver does without, at the price of keeping the moves.
    fn has_unmoves(&self) -> bool {
        false
    }

    /// Calls `visit` with the key of each position from which a move leads to the position of a key, once for each such move.
    /// `self` is the root, which leads to the position.
    ///
    /// Every position that the root leads to and in which the game goes on is visited exactly as often as it has moves to
    /// this one. Positions that the root does not lead to may be visited too, and positions in which the game is over.
    fn unmoves<K: PackedKey>(&self, key: K, visit: impl FnMut(K)) {
        let _ = (key, visit);
    }
}

/// An unsigned number of fixed width that positions are packed into.
pub trait PackedKey: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Its width in bits.
    const BITS: u32;
    /// Its width in bytes.
    const BYTES: usize = Self::BITS as usize / 8;
    /// The key of all zero bits.
    const ZERO: Self;

    /// Moves the key up by `bits` (at most 64) and puts `value` below.
    #[must_use]
    fn push(self, value: u64, bits: u32) -> Self;

    /// Takes the lowest `bits` (at most 64) off: what is left, and them.
    fn pop(self, bits: u32) -> (Self, u64);

    /// Writes the key, least significant byte first, into `BYTES` bytes.
    fn write(self, bytes: &mut [u8]);

    /// Reads what [`write`](PackedKey::write) wrote.
    fn read(bytes: &[u8]) -> Self;
}

const fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { !0 >> (64 - bits) }
}

impl PackedKey for u64 {
    const BITS: u32 = 64;
    const ZERO: u64 = 0;

    fn push(self, value: u64, bits: u32) -> u64 {
        self.unbounded_shl(bits) | (value & mask(bits))
    }

    fn pop(self, bits: u32) -> (u64, u64) {
        (self.unbounded_shr(bits), self & mask(bits))
    }

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |key, &byte| key << 8 | u64::from(byte))
    }
}

impl PackedKey for u128 {
    const BITS: u32 = 128;
    const ZERO: u128 = 0;

    fn push(self, value: u64, bits: u32) -> u128 {
        self << bits | u128::from(value & mask(bits))
    }

    fn pop(self, bits: u32) -> (u128, u64) {
        (self >> bits, self as u64 & mask(bits))
    }

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> u128 {
        bytes.iter().rev().fold(0, |key, &byte| key << 8 | u128::from(byte))
    }
}

/// 256 bits, the most significant word first.
impl PackedKey for [u64; 4] {
    const BITS: u32 = 256;
    const ZERO: [u64; 4] = [0; 4];

    fn push(self, value: u64, bits: u32) -> [u64; 4] {
        let mut out = [0; 4];
        for word in 0..4 {
            let below = self.get(word + 1).map_or(0, |w| w.unbounded_shr(64 - bits));
            out[word] = self[word].unbounded_shl(bits) | below;
        }
        out[3] |= value & mask(bits);
        out
    }

    fn pop(self, bits: u32) -> ([u64; 4], u64) {
        let mut out = [0; 4];
        for word in 0..4 {
            let above = if word == 0 { 0 } else { self[word - 1].unbounded_shl(64 - bits) };
            out[word] = self[word].unbounded_shr(bits) | above;
        }
        (out, self[3] & mask(bits))
    }

    fn write(self, bytes: &mut [u8]) {
        for (word, out) in self.iter().rev().zip(bytes.chunks_exact_mut(8)) {
            out.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> [u64; 4] {
        let mut key = [0; 4];
        for (word, part) in key.iter_mut().rev().zip(bytes.chunks_exact(8)) {
            *word = u64::read(part);
        }
        key
    }
}

/// Games whose rules some symmetries of the board leave as they are, alone or together with an exchange of
/// the sides. Unlocks openings and reports that count mirror images once.
pub trait Symmetric: Position {
    /// The symmetries under which the rules do not change, the identity among them; with `true`, those
    /// under which they do not change when the sides are exchanged too. By default the identity alone.
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        vec![(Symmetry::IDENTITY, false)]
    }

    /// The position seen through one of its [`symmetries`](Symmetric::symmetries): it has the same value.
    ///
    /// The result is `None` where the position itself breaks the symmetry (a castling right).
    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<Self> {
        (symmetry == Symmetry::IDENTITY && !exchange).then(|| self.clone())
    }

    /// Every image of the position, itself among them, and whether it has the sides exchanged. By default those by its
    /// [`symmetries`](Symmetric::symmetries).
    ///
    /// The images of an image are the same, and those after the moves of one are those after the moves of the other. A position
    /// that is two of its images is there twice.
    fn images(&self) -> Vec<(Self, bool)> {
        let symmetries = self.symmetries().into_iter();
        symmetries.filter_map(|(map, exchange)| Some((self.transformed(map, exchange)?, exchange))).collect()
    }

    /// Whether both sides have as many pieces of each type here, so that [moves can be taken back](Packed::unmoves) too from images
    /// with the sides exchanged of what the position leads to. By default they have.
    fn sides_are_alike(&self) -> bool {
        true
    }
}

/// A source of exact values, such as endgame tables. Repetition is not known to it: its values are those
/// of perfect play from the position on.
pub trait Probe<P: Position>: Send + Sync {
    /// Win, draw or loss of a position, if it is known.
    fn probe_wdl(&self, position: &P) -> Option<Outcome>;

    /// The value with its distance, if it is known.
    fn probe(&self, position: &P) -> Option<Value>;

    /// What the side to move is sure of, where that is not the exact value: a draw at least, or a win whose distance may be longer
    /// than it has to be. Strategies know such values.
    #[inline(always)]
    fn probe_least(&self, position: &P) -> Option<Value> {
        let _ = position;
        None
    }
}

/// A source that knows no position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoTables;

impl<P: Position> Probe<P> for NoTables {
    #[inline(always)]
    fn probe_wdl(&self, _: &P) -> Option<Outcome> {
        None
    }

    #[inline(always)]
    fn probe(&self, _: &P) -> Option<Value> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip<K: PackedKey>(parts: &[(u64, u32)]) {
        let mut key = K::ZERO;
        let mut used = 0;
        let fitting: Vec<_> = parts
            .iter()
            .take_while(|p| {
                used += p.1;
                used <= K::BITS
            })
            .collect();
        for &&(value, bits) in &fitting {
            key = key.push(value, bits);
        }
        let mut bytes = vec![0; K::BYTES];
        key.write(&mut bytes);
        assert_eq!(K::read(&bytes), key);
        for &&(value, bits) in fitting.iter().rev() {
            let (rest, popped) = key.pop(bits);
            assert_eq!(popped, value & mask(bits));
            key = rest;
        }
        assert_eq!(key, K::ZERO);
    }

    proptest! {
        #[test]
        fn what_is_pushed_is_popped(parts in prop::collection::vec((any::<u64>(), 0u32..=64), 0..12)) {
            round_trip::<u64>(&parts);
            round_trip::<u128>(&parts);
            round_trip::<[u64; 4]>(&parts);
        }
    }
}
