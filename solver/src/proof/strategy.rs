//! Strategies as closed sets of positions: what the two ways to make one share, and how one is written to a file.

use super::Entry;
use super::game::{Encode, sorted_moves};
use super::header::{Header, Kind};
use super::writer::Writer;
use ahash::AHashMap;
use jewel_engine::ability::{Notation, Packed, Probe};
use jewel_engine::position::list_moves;
use jewel_engine::value::{Outcome, Side, Value};
use std::io::{self, Write};

/// A position, whatever its game.
pub(super) type Key = [u64; 4];

/// A move for each position in which the prover may come to be on move. Every answer of the opponent is among the positions,
/// or is decided for the prover.
#[derive(Clone, Debug)]
pub struct Strategy<M> {
    /// Moves by position, with the plies in which each wins at the latest: 0 where nothing has to be won.
    pub(super) moves: AHashMap<Key, (M, u16)>,
}

/// Why there is no strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoStrategy {
    /// The claim is wrong.
    Refuted,
    /// The search was stopped, or has not found a move that it had proven before.
    Unfinished,
}

impl<M: Copy> Strategy<M> {
    /// The move in a position, with the plies in which it wins at the latest: 0 where nothing has to be won.
    pub fn reply<P: Packed<Move = M>>(&self, position: &P) -> Option<(M, u32)> {
        self.moves.get(&position.pack::<Key>()).map(|&(mv, plies)| (mv, u32::from(plies)))
    }

    /// The plies in which `prover`, whose strategy of a win this is, has won from the root at the latest.
    pub fn plies<P: Packed<Move = M>>(&self, root: &P, prover: Side, leaves: &dyn Probe<P>) -> Option<u32> {
        let answers = Goal { kind: Kind::Win, prover, leaves }.answers(root, 0)?;
        let rank = |key| self.moves.get(key).map(|&(_, rank)| u32::from(rank));
        let mut plies = answers.open.iter().map(|(key, plies)| Some(u32::from(*plies) + rank(key)?));
        plies.try_fold(answers.ends, |most, plies| Some(most.max(plies?)))
    }

    /// Positions.
    pub fn positions(&self) -> u64 {
        self.moves.len() as u64
    }
}

/// Most plies to the next turn of the prover: no game of the program has turns of so many.
pub(super) const LONGEST_TURN: u16 = 64;

/// What is to be shown, and for whom.
#[derive(Clone, Copy)]
pub(super) struct Goal<'a, P> {
    pub(super) kind: Kind,
    pub(super) prover: Side,
    pub(super) leaves: &'a dyn Probe<P>,
}

/// Where play comes to after a move of the prover: positions in which the prover is to move, each with its plies.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) open: Vec<(Key, u16)>,
    /// The most plies to a position that is settled.
    pub(super) ends: u32,
}

impl<P: Packed> Goal<'_, P> {
    /// The answers that play from a position leads to; `None` if one of them is settled and not good for the prover.
    pub(super) fn answers(&self, position: &P, plies: u16) -> Option<Answers> {
        let mut answers = Answers::default();
        self.collect(position, plies, &mut answers).then(|| {
            answers.open.sort_unstable();
            answers.open.dedup_by_key(|(key, _)| *key);
            answers
        })
    }

    fn collect(&self, position: &P, plies: u16, answers: &mut Answers) -> bool {
        let mover = position.side_to_move();
        if let Some(value) = self.value(position) {
            answers.ends = answers.ends.max(u32::from(plies) + value.distance().unwrap_or(0));
            return match value.outcome() {
                Outcome::Draw => self.kind == Kind::Safe,
                outcome => (outcome == Outcome::Win) == (mover == self.prover),
            };
        }
        if mover == self.prover {
            answers.open.push((position.pack(), plies));
            return true;
        }
        plies < LONGEST_TURN
            && list_moves(position)
                .into_iter()
                .all(|mv| self.collect(&position.after(mv), plies + 1, answers))
    }

    /// The value of a position that is settled.
    pub(super) fn value(&self, position: &P) -> Option<Value> {
        position.outcome().map(Value::from_outcome).or_else(|| self.leaves.probe(position))
    }
}

/// Writes a strategy as a proof file; returns the output and its bytes. The number of positions in the header is set.
///
/// # Errors
/// Those of the output.
pub fn write<P: Notation + Packed, E: Encode<P>, W: Write>(
    strategy: &Strategy<P::Move>,
    root: &P,
    encode: &E,
    header: Header,
    out: W,
) -> io::Result<(W, u64)> {
    // All of one length, one after the other: an entry with a list of its own takes three times the memory.
    let (symbols, _) = encode.size();
    let size = symbols + 4;
    let mut records: Vec<u8> = Vec::with_capacity(strategy.moves.len() * size);
    for (key, &(mv, rank)) in &strategy.moves {
        let position: P = root.unpack(*key);
        let number = sorted_moves(&position).iter().position(|&other| other == mv);
        let number = number.unwrap_or_else(|| unreachable!("a strategy plays legal moves")) as u16;
        records.extend_from_slice(&encode.entry(&position).symbols);
        records.extend_from_slice(&number.to_le_bytes());
        records.extend_from_slice(&rank.to_le_bytes());
    }
    write_records(&records, symbols, header, out)
}

/// Writes entries, each the symbols of a position, its move and its rank, that are in any order. It is apart from what makes them
/// so that it is compiled for each kind of output, and not for each game.
fn write_records<W: Write>(
    records: &[u8],
    symbols: usize,
    mut header: Header,
    out: W,
) -> io::Result<(W, u64)> {
    let order = sorted(records, symbols + 4);
    header.positions = order.len() as u64;
    let mut writer = Writer::new(out, &header)?;
    for record in order {
        let (symbols, numbers) = record.split_at(symbols);
        let number = |at| u16::from_le_bytes([numbers[at], numbers[at + 1]]);
        writer.push(&Entry { symbols: symbols.to_vec(), mv: number(0), rank: number(2) })?;
    }
    writer.finish()
}

/// Records of this size in their order.
fn sorted(records: &[u8], size: usize) -> Vec<&[u8]> {
    let mut order: Vec<&[u8]> = records.chunks_exact(size).collect();
    order.sort_unstable();
    order
}
