//! The positions of a proof file, for searches that play: to them each is a leaf.
//!
//! Not only the root of a file is proven: from each of its positions the strategy goes on, so the prover wins there, or does not
//! lose. A file has positions in which the prover is to move, and nothing is known of others: a search comes to a position of the file a ply later.

use super::game::CheckedGame;
use super::header::Kind;
use super::reader::Proof;
use super::{ProofError, no_position};
use ahash::AHashMap;
use jewel_engine::ability::{Game, Packed, PackedKey, Probe};
use jewel_engine::value::{Outcome, Side, Value};
use std::marker::PhantomData;

/// The positions of a file with their ranks, in memory: 50 to 100 bytes each.
pub struct Proven<P> {
    prover: Side,
    kind: Kind,
    ranks: Ranks,
    positions: PhantomData<fn(P)>,
}

type Key = [u64; 4];

/// Ranks by the keys of positions, whatever the game: filling and asking it is compiled once.
struct Ranks {
    ranks: AHashMap<Key, u16>,
    /// Bits of the hashes of all positions. Most other positions are told apart by it.
    seen: Box<[u64]>,
}

impl Ranks {
    /// An empty list with room for this number of positions.
    fn new(positions: u64) -> Ranks {
        let bits = (16 * positions).next_power_of_two().max(64);
        Ranks { ranks: AHashMap::new(), seen: vec![0; (bits / 64) as usize].into() }
    }

    #[inline(always)]
    fn bit(&self, hash: u64) -> (usize, u64) {
        let word = hash >> 6 & (self.seen.len() as u64 - 1);
        (word as usize, 1 << (hash & 63))
    }

    /// Whether a position with this hash may be there.
    #[inline(always)]
    fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        self.seen[word] & bit != 0
    }

    fn get(&self, key: &Key) -> Option<u16> {
        self.ranks.get(key).copied()
    }

    fn add(&mut self, hash: u64, key: Key, rank: u16) {
        let (word, bit) = self.bit(hash);
        self.seen[word] |= bit;
        self.ranks.insert(key, rank);
    }
}

impl<P> std::fmt::Debug for Proven<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proven").field("positions", &self.ranks.ranks.len()).finish_non_exhaustive()
    }
}

impl<P: Packed> Proven<P> {
    /// The positions of a file that has passed its [`check`](super::check::check): nothing is checked here but what is read.
    /// `checked` is the game as the check knows it, `game` as searches do.
    ///
    /// # Errors
    /// If the file cannot be read, or the two games are not the same.
    #[inline(never)]
    pub fn open<C: CheckedGame, G: Game<Position = P>>(
        proof: &Proof<'_>,
        checked: &C,
        game: &G,
    ) -> Result<Proven<P>, ProofError> {
        let header = proof.header();
        let mut ranks = Ranks::new(header.positions);
        proof.entries(&mut |entry| {
            let state = checked
                .decode(&entry.symbols, header.prover)
                .map_err(|problem| no_position(&entry.symbols, problem))?;
            let text = checked.text(&state);
            let position = game
                .parse_position(&text)
                .map_err(|error| ProofError::Unknown(format!("\"{text}\": {error}")))?;
            if position.packed_bits() > Key::BITS {
                return Err(ProofError::Unknown(format!("\"{text}\" does not fit into 256 bits")));
            }
            ranks.add(position.zobrist_hash(), position.pack(), entry.rank);
            Ok(())
        })?;
        Ok(Proven { prover: header.prover, kind: header.kind, ranks, positions: PhantomData })
    }

    /// Positions.
    pub fn positions(&self) -> u64 {
        self.ranks.ranks.len() as u64
    }

    /// The rank of a position of the file.
    #[inline]
    fn rank(&self, position: &P) -> Option<u16> {
        if !self.ranks.may_have(position.zobrist_hash()) || position.side_to_move() != self.prover {
            return None;
        }
        self.ranks.get(&position.pack())
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
