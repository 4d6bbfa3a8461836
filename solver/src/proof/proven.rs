//! The positions of a proof file, for searches that play: to them each is a leaf.
//!
//! Not only the root of a file is proven: from each of its positions the strategy goes on, so the prover wins there, or does not
//! lose. A file has positions in which the prover is to move, and nothing is known of others: a search comes to a position of the file a ply later.

use super::ProofError;
use super::game::CheckedGame;
use super::header::Kind;
use super::reader::Proof;
use ahash::AHashMap;
use jewel_engine::ability::{Game, Packed, PackedKey, Probe};
use jewel_engine::value::{Outcome, Side, Value};
use std::marker::PhantomData;

/// The positions of a file with their ranks, in memory: 50 to 100 bytes each.
pub struct Proven<P> {
    prover: Side,
    kind: Kind,
    ranks: AHashMap<[u64; 4], u16>,
    /// Bits of the hashes of all positions. Most other positions are told apart by it.
    seen: Box<[u64]>,
    positions: PhantomData<fn(P)>,
}

impl<P> std::fmt::Debug for Proven<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proven").field("positions", &self.ranks.len()).finish_non_exhaustive()
    }
}

impl<P: Packed> Proven<P> {
    /// The positions of a file that has passed its [`check`](super::check::check): nothing is checked here but what is read.
    /// `checked` is the game as the check knows it, `game` as searches do.
    ///
    /// # Errors
    /// If the file cannot be read, or the two games are not the same.
    pub fn open<C: CheckedGame, G: Game<Position = P>>(
        proof: &Proof<'_>,
        checked: &C,
        game: &G,
    ) -> Result<Proven<P>, ProofError> {
        let header = proof.header();
        let bits = (16 * header.positions).next_power_of_two().max(64);
        let mut proven = Proven {
            prover: header.prover,
            kind: header.kind,
            ranks: AHashMap::new(),
            seen: vec![0; (bits / 64) as usize].into(),
            positions: PhantomData,
        };
        proof.entries(&mut |entry| {
            let text =
                checked.decode(&entry.symbols, header.prover).map(|state| checked.text(&state)).map_err(
                    |problem| ProofError::Refuted { position: format!("{:?}", entry.symbols), problem },
                )?;
            let position = game
                .parse_position(&text)
                .map_err(|error| ProofError::Unknown(format!("\"{text}\": {error}")))?;
            if position.packed_bits() > <[u64; 4]>::BITS {
                return Err(ProofError::Unknown(format!("\"{text}\" does not fit into 256 bits")));
            }
            let (word, bit) = proven.bit(position.zobrist_hash());
            proven.seen[word] |= bit;
            proven.ranks.insert(position.pack(), entry.rank);
            Ok(())
        })?;
        Ok(proven)
    }

    /// Positions.
    pub fn positions(&self) -> u64 {
        self.ranks.len() as u64
    }

    #[inline(always)]
    fn bit(&self, hash: u64) -> (usize, u64) {
        let word = hash >> 6 & (self.seen.len() as u64 - 1);
        (word as usize, 1 << (hash & 63))
    }

    /// The rank of a position of the file.
    #[inline]
    fn rank(&self, position: &P) -> Option<u16> {
        let (word, bit) = self.bit(position.zobrist_hash());
        if self.seen[word] & bit == 0 || position.side_to_move() != self.prover {
            return None;
        }
        self.ranks.get(&position.pack::<[u64; 4]>()).copied()
    }
}

impl<P: Packed> Probe<P> for Proven<P> {
    /// A win that is proven. That nobody loses is less than an outcome.
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        (self.kind == Kind::Win && self.rank(position).is_some()).then_some(Outcome::Win)
    }

    /// Nothing: a strategy need not win as fast as can be.
    fn probe(&self, _: &P) -> Option<Value> {
        None
    }

    fn probe_least(&self, position: &P) -> Option<Value> {
        let rank = self.rank(position)?;
        Some(match self.kind {
            Kind::Win => Value::Win(rank.into()),
            Kind::Safe => Value::Draw,
        })
    }
}
