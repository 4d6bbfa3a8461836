//! The rules as a checker of proofs sees them: positions that it can write as symbols, and the moves of each in the order of
//! their texts.

use super::header::{Encoding, Header};
use super::{Entry, ProofError};
use crate::width::key_bytes;
use jewel_engine::ability::{Game, Notation, Packed, PackedKey};
use jewel_engine::plain::{Board, Plain, PlainRules, Step};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use std::ops::ControlFlow;

/// A game whose proofs can be checked.
pub trait CheckedGame: Sync {
    /// Its positions.
    type State: Clone + Send;
    /// A legal move.
    type Step;

    /// Symbols of a position, and bits of a symbol.
    fn size(&self) -> (usize, u32);

    /// The root of a proof.
    ///
    /// # Errors
    /// One line that says what is wrong with the position string.
    fn root(&self, text: &str) -> Result<Self::State, String>;

    /// The position string.
    fn text(&self, state: &Self::State) -> String;

    /// The position of an entry; the side is that of the prover, who is to move.
    ///
    /// # Errors
    /// One line that says why it is none.
    fn decode(&self, symbols: &[u8], side: Side) -> Result<Self::State, String>;

    /// Appends the symbols of a position.
    fn encode(&self, state: &Self::State, out: &mut Vec<u8>);

    /// Who is to move.
    fn side(&self, state: &Self::State) -> Side;

    /// The result by rule, seen by the side to move, or the legal moves, in any order. The list is emptied first; what is in it
    /// after a result does not matter.
    fn expand(&self, state: &Self::State, steps: &mut Vec<Self::Step>) -> Option<Outcome>;

    /// The result by rule, seen by the side to move, where that is known without its moves. `None` says nothing.
    fn decided(&self, state: &Self::State) -> Option<Outcome> {
        let _ = state;
        None
    }

    /// Calls `visit` with the position after a move of the list.
    fn after<T>(&self, state: &Self::State, step: &Self::Step, visit: impl FnOnce(&Self::State) -> T) -> T;

    /// Which of the legal moves has this number, from 0, when they are sorted by their texts as strings of bytes. The list may
    /// come into another order.
    fn numbered<'s>(
        &self,
        state: &Self::State,
        steps: &'s mut [Self::Step],
        number: usize,
    ) -> Option<&'s Self::Step>;
}

/// What settles positions in which the game goes on: the tables that a proof names.
pub trait Leaves: Sync {
    /// The value of a position that has no castling rights and no square to capture on *en passant*, if one of the tables has it.
    fn value(&self, position: &str) -> Option<Value>;
}

/// No tables.
#[derive(Clone, Copy, Debug)]
pub struct NoLeaves;

impl Leaves for NoLeaves {
    fn value(&self, _: &str) -> Option<Value> {
        None
    }
}

/// A game of a variant file by the plain move generator: encoding 0.
#[derive(Clone, Debug)]
pub struct PlainGame {
    plain: Plain,
}

impl PlainGame {
    /// The game of these rules.
    ///
    /// # Errors
    /// If the plain move generator does not know all of them.
    pub fn new(rules: &Rules) -> Result<PlainGame, String> {
        let rules = PlainRules::new(&rules.spec).map_err(|unknown| unknown.to_string())?;
        Ok(PlainGame { plain: Plain::new(rules) })
    }

    /// The game of a proof, whose rules are read from its header.
    ///
    /// # Errors
    /// If they are wrong, are not the ones that the file is for, or not known.
    pub fn of(header: &Header) -> Result<PlainGame, ProofError> {
        let unknown = |problem: String| ProofError::Unknown(format!("the rules in the file: {problem}"));
        let rules = Rules::parse(&header.rules).map_err(|error| unknown(error.to_string()))?;
        if rules.fingerprint != header.fingerprint {
            return Err(unknown("they are not those of its fingerprint".into()));
        }
        PlainGame::new(&rules).map_err(unknown)
    }
}

impl CheckedGame for PlainGame {
    type State = Board;
    type Step = Step;

    fn size(&self) -> (usize, u32) {
        (self.plain.symbols(), self.plain.symbol_bits())
    }

    fn root(&self, text: &str) -> Result<Board, String> {
        self.plain.read(text)
    }

    fn text(&self, state: &Board) -> String {
        self.plain.text(state)
    }

    fn decode(&self, symbols: &[u8], side: Side) -> Result<Board, String> {
        self.plain.decode(symbols, side).map_err(|error| error.to_string())
    }

    fn encode(&self, state: &Board, out: &mut Vec<u8>) {
        self.plain.encode(state, out);
    }

    fn side(&self, state: &Board) -> Side {
        state.side
    }

    fn expand(&self, state: &Board, steps: &mut Vec<Step>) -> Option<Outcome> {
        self.plain.expand(state, steps)
    }

    fn decided(&self, state: &Board) -> Option<Outcome> {
        self.plain.decided(state)
    }

    #[inline(always)]
    fn after<T>(&self, state: &Board, step: &Step, visit: impl FnOnce(&Board) -> T) -> T {
        visit(&self.plain.after(state, step))
    }

    fn numbered<'s>(&self, _: &Board, steps: &'s mut [Step], number: usize) -> Option<&'s Step> {
        Plain::numbered(steps, number)
    }
}

/// The key of a position, whatever its game.
type Key = [u64; 4];

/// Any game by its own moves: encoding 1.
#[derive(Clone, Debug)]
pub struct PackedGame<G: Game> {
    game: G,
    root: G::Position,
    /// Bytes of a key that are written.
    bytes: usize,
}

impl<G: Game<Position: Packed>> PackedGame<G> {
    /// The game of proofs of a root; `None` if its positions take more than 256 bits.
    pub fn new(game: G, root: G::Position) -> Option<Self> {
        let bytes = key_bytes(root.packed_bits()).ok()?;
        Some(PackedGame { game, root, bytes })
    }

    fn write(&self, state: &G::Position) -> [u8; Key::BYTES] {
        let mut bytes = [0; Key::BYTES];
        state.pack::<Key>().write(&mut bytes);
        bytes
    }
}

impl<G: Game<Position: Packed>> CheckedGame for PackedGame<G> {
    type State = G::Position;
    type Step = <G::Position as Position>::Move;

    fn size(&self) -> (usize, u32) {
        (self.bytes, 8)
    }

    fn root(&self, text: &str) -> Result<G::Position, String> {
        self.game.parse_position(text).map_err(|error| error.to_string())
    }

    fn text(&self, state: &G::Position) -> String {
        state.position_text()
    }

    fn decode(&self, symbols: &[u8], side: Side) -> Result<G::Position, String> {
        if symbols.len() != self.bytes {
            return Err(format!("it has {} symbols", symbols.len()));
        }
        let mut bytes = [0; Key::BYTES];
        bytes[..self.bytes].copy_from_slice(symbols);
        bytes[..self.bytes].reverse();
        let state = self.root.unpack(Key::read(&bytes));
        if state.side_to_move() != side || self.write(&state) != bytes {
            return Err("it is no position of the game with the prover to move".into());
        }
        Ok(state)
    }

    fn encode(&self, state: &G::Position, out: &mut Vec<u8>) {
        out.extend(self.write(state)[..self.bytes].iter().rev());
    }

    fn side(&self, state: &G::Position) -> Side {
        state.side_to_move()
    }

    fn expand(&self, state: &G::Position, steps: &mut Vec<Self::Step>) -> Option<Outcome> {
        steps.clear();
        let outcome = state.outcome();
        if outcome.is_none() {
            let _: ControlFlow<()> = state.moves(|mv| {
                steps.push(mv);
                ControlFlow::Continue(())
            });
        }
        outcome
    }

    fn after<T>(&self, state: &G::Position, step: &Self::Step, visit: impl FnOnce(&G::Position) -> T) -> T {
        visit(&state.after(*step))
    }

    fn numbered<'s>(
        &self,
        state: &G::Position,
        steps: &'s mut [Self::Step],
        number: usize,
    ) -> Option<&'s Self::Step> {
        let mv = *sorted_moves(state).get(number)?;
        steps.iter().find(|&&step| step == mv)
    }
}

/// The legal moves, sorted by their texts as strings of bytes: the order in which proofs number them.
pub fn sorted_moves<P: Notation>(position: &P) -> Vec<P::Move> {
    let moves = list_moves(position);
    let texts: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    sorted(&texts).into_iter().map(|place| moves[place]).collect()
}

/// The places of texts, all different, in their order. It is apart from the moves so that sorting is compiled once.
fn sorted(texts: &[String]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..texts.len()).collect();
    places.sort_unstable_by(|&a, &b| texts[a].cmp(&texts[b]));
    places
}

/// Positions of a game as a file has them.
pub trait Encode<P>: CheckedGame {
    /// The encoding.
    fn encoding(&self) -> Encoding;

    /// The entry of a position, without move and rank.
    fn entry(&self, position: &P) -> Entry;
}

impl<P: Notation> Encode<P> for PlainGame {
    fn encoding(&self) -> Encoding {
        Encoding::Board
    }

    fn entry(&self, position: &P) -> Entry {
        // By way of the position string, which the two generators share and nothing else.
        let text = position.position_text();
        let board = self.plain.read(&text).unwrap_or_else(|e| unreachable!("{text}: {e}"));
        let mut entry = Entry::default();
        self.plain.encode(&board, &mut entry.symbols);
        entry
    }
}

impl<G: Game<Position: Packed>> Encode<G::Position> for PackedGame<G> {
    fn encoding(&self) -> Encoding {
        Encoding::Packed
    }

    fn entry(&self, position: &G::Position) -> Entry {
        let mut entry = Entry::default();
        CheckedGame::encode(self, position, &mut entry.symbols);
        entry
    }
}
