//! The contract that every game fulfils and every searcher and solver is written against.

use crate::value::{Outcome, Side};
use crate::zobrist::splitmix64;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

/// A position of a two-player game: small, cheap to copy, self-contained.
///
/// Five items are required: [`Move`](Position::Move), [`side_to_move`](Position::side_to_move),
/// [`outcome`](Position::outcome), [`moves`](Position::moves) and [`play`](Position::play). All others have
/// defaults that are right for every game; a game overrides them to be faster.
///
/// There is no undo: play on a copy. There is no history either: repetition belongs to the search path
/// (a solver needs positions that stand alone), so [`outcome`](Position::outcome) knows nothing of it.
/// None of these methods allocates.
///
/// # Laws
///
/// [`laws::check`](crate::laws::check) tests them on random games:
///
/// - `moves` visits each legal move once, always in the same order; it visits none where the game was
///   decided by play (a win, a stalemate), and where it visits none, `outcome` is `Some`.
/// - `moves_inlined` visits the same moves in the same order.
/// - `count_moves` is the number of moves that `moves` visits.
/// - `outcome` may be `Some` although there are moves: a draw that is adjudicated because nobody can win
///   any more. Perft counts on through such positions, as is usual; everything else stops there.
/// - `zobrist_hash` equals `recomputed_hash`, and equal positions have equal hashes.
pub trait Position: Clone + Eq + Hash + Debug + Send + Sync {
    /// Whether a player may make several plies in one turn that are written as one text, such as `a1a2,b3b4`.
    const TURNS: bool = false;

    /// A move, or a ply of a turn of several plies.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync;

    /// Whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The result by rule, seen by the side to move; `None` while the game goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// Calls `visit` with each legal move, in a fixed order, until it breaks.
    fn moves<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;

    /// The same for callers that do little with each move: the generator is compiled into them, where the callers of
    /// [`moves`](Position::moves) may share one that hands on several moves at a time. Each such caller is a few thousand
    /// instructions of code for each game.
    #[inline(always)]
    fn moves_inlined<B>(&self, visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.moves(visit)
    }

    /// The number of legal moves. Games that can count faster than they can list override it.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        let _: ControlFlow<()> = self.moves(|_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Plays a move of [`moves`](Position::moves). Any other move leaves a position without meaning, but
    /// never breaks memory safety.
    fn play(&mut self, mv: Self::Move);

    /// The position after a move.
    #[inline]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// The 64-bit hash of the position. By default it is computed anew from [`Hash`]; a game that keeps a
    /// Zobrist hash up to date in [`play`](Position::play) returns it here, which makes every search faster.
    fn zobrist_hash(&self) -> u64 {
        fixed_hash(self)
    }

    /// The same hash computed from nothing but the position. A game that overrides
    /// [`zobrist_hash`](Position::zobrist_hash) overrides this too: it is the check on it.
    fn recomputed_hash(&self) -> u64 {
        self.zobrist_hash()
    }

    /// The hash that repetition is counted by: positions with the same one are the same to the rule, and `None`
    /// never repeats. By default the [`zobrist_hash`](Position::zobrist_hash). A game whose turns have several
    /// plies counts only the starts of turns; a count of quiet moves is never part of it.
    #[inline(always)]
    fn repetition_hash(&self) -> Option<u64> {
        Some(self.zobrist_hash())
    }

    /// The result, for the side to move, of a game that ends because the position is there again. `since` are the
    /// positions of the game from its first occurrence on, oldest first, without this one; a caller that does not know
    /// them gives none, and gets what is most likely. A draw in most games.
    #[inline(always)]
    fn repeated(&self, since: &[&Self]) -> Outcome {
        let _ = since;
        Outcome::Draw
    }

    /// In a turn of several plies that begins here with `first`: whether `second` need not be searched, since
    /// both in the other order lead to the same position and are searched. What the turns can lead to stays
    /// the same. Never in a game of single plies.
    #[inline(always)]
    fn is_redundant(&self, first: Self::Move, second: Self::Move) -> bool {
        let _ = (first, second);
        false
    }
}

/// Every legal move, in the order of [`Position::moves`]. Allocates: for callers outside hot loops.
#[inline(never)]
pub fn list_moves<P: Position>(position: &P) -> Vec<P::Move> {
    // Room for the moves of most positions: to grow step by step takes longer than to generate them.
    let mut list = Vec::with_capacity(32);
    let _: ControlFlow<()> = position.moves(|mv| {
        list.push(mv);
        ControlFlow::Continue(())
    });
    list
}

/// A 64-bit hash that is the same in every run and on every machine of the same word size and byte order.
pub fn fixed_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FixedHasher(0);
    value.hash(&mut hasher);
    hasher.finish()
}

/// Mixes in eight bytes at a time.
struct FixedHasher(u64);

impl Hasher for FixedHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = splitmix64(self.0 ^ word).1;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
