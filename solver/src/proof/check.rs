//! Checking a proof file: every position of it is opened up, every answer is sorted, and a pass over the file finds each there.
//!
//! It shares nothing with the search that made the file, and by [`PlainGame`](super::game::PlainGame) not even the move generator.

use super::game::{CheckedGame, Leaves};
use super::header::Kind;
use super::reader::Proof;
use super::strategy::LONGEST_TURN;
use super::{Entry, ProofError};
use jewel_engine::value::{Outcome, Side, Value};
use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a check has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Positions of the file.
    pub positions: u64,
    /// Answers of the opponent, each as often as a position has it; those that end the game on the opponent's turn aside.
    pub answers: u64,
    /// Positions that a table settled.
    pub leaves: u64,
}

/// Checks that a file proves its claim. `memory` is about the number of bytes to use; `progress` is called with the number of
/// positions that are done.
///
/// # Errors
/// Why it does not, or cannot be read, or the check was stopped.
pub fn check<G: CheckedGame>(
    proof: &Proof<'_>,
    game: &G,
    leaves: &dyn Leaves,
    memory: u64,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Checked, ProofError> {
    let header = proof.header();
    let (symbols, bits) = game.size();
    if (symbols, bits) != (usize::from(header.symbols), u32::from(header.bits)) {
        let found = format!("{} symbols of {} bits", header.symbols, header.bits);
        return Err(ProofError::Unknown(format!(
            "the game has positions of {symbols} symbols of {bits} bits, the file {found}"
        )));
    }
    macro_rules! with_words {
        ($($words:literal)*) => {
            match (symbols * bits as usize).div_ceil(64) + 1 {
                $(0..=$words => {
                    // The positions of the file, and those that must be there.
                    let capacity = (memory / (2 * 8 * $words)).max(1 << 12) as usize;
                    let noted: Vec<[u64; $words]> = Vec::new();
                    let leaves = Counted { leaves, found: 0 };
                    let lately = vec![None; LATELY].into();
                    let fits = proof.header().positions <= capacity as u64;
                    let packer = || Packer::new(symbols, bits);
                    let checker = Checker {
                        proof, game, leaves, interrupt, noted, capacity, lately,
                        file: fits.then(Vec::new),
                        answers: packer(),
                        entries: packer(),
                        symbols: Vec::new(),
                        lists: Vec::new(),
                        checked: Checked::default(),
                    };
                    checker.run(progress)
                })*
                _ => unreachable!("255 symbols of 8 bits are 2040"),
            }
        };
    }
    // Each width is compiled for every game, so there are few of them.
    with_words!(2 3 5 33)
}

struct Counted<'a> {
    leaves: &'a dyn Leaves,
    found: u64,
}

struct Checker<'a, G: CheckedGame, const N: usize> {
    proof: &'a Proof<'a>,
    game: &'a G,
    leaves: Counted<'a>,
    interrupt: &'a AtomicBool,
    /// Positions that must be in the file, or be settled well: their symbols as one number, and in the last word the highest
    /// rank that is allowed.
    noted: Vec<[u64; N]>,
    capacity: usize,
    /// The positions of the file so far, with their ranks in the last word, unless there are too many.
    file: Option<Vec<[u64; N]>>,
    /// Some of those that were noted last.
    lately: Box<[Option<[u64; N]>]>,
    /// Makes numbers of answers.
    answers: Packer<N>,
    /// Makes numbers of the positions of the file.
    entries: Packer<N>,
    symbols: Vec<u8>,
    /// Lists of moves for use again.
    lists: Vec<Vec<G::Step>>,
    checked: Checked,
}

/// Positions that are remembered so as not to note them twice: as many as stay in a cache.
const LATELY: usize = 1 << 12;

/// The place of a position among those that were noted lately.
#[inline(always)]
fn place(words: &[u64]) -> usize {
    let mixed = words
        .iter()
        .fold(0u64, |hash, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % LATELY
}

/// Positions between two looks at the interrupt flag.
const PAUSE: u64 = 1 << 10;

impl<G: CheckedGame, const N: usize> Checker<'_, G, N> {
    fn run(mut self, progress: &mut dyn FnMut(u64)) -> Result<Checked, ProofError> {
        let proof = self.proof;
        let header = proof.header();
        let unknown =
            |problem: String| ProofError::Unknown(format!("the root \"{}\": {problem}", header.root));
        let root = self.game.root(&header.root).map_err(unknown)?;
        // Ranks have 16 bits: without a limit any rank is low enough.
        let most = header.limit.map_or(u64::MAX, u64::from);
        self.follow(&root, 0, most)?;
        proof.entries(&mut |entry| {
            if self.checked.positions.is_multiple_of(PAUSE) {
                if self.interrupt.load(Ordering::Relaxed) {
                    return Err(ProofError::Interrupted);
                }
                progress(self.checked.positions);
            }
            self.checked.positions += 1;
            if let Some(file) = &mut self.file {
                file.push(self.entries.pack(&entry.symbols, entry.rank.into()));
            }
            self.open(entry)?;
            if self.noted.len() >= self.capacity {
                self.settle(self.capacity / 2)?;
            }
            Ok(())
        })?;
        self.settle(0)?;
        self.checked.leaves = self.leaves.found;
        Ok(self.checked)
    }

    /// Opens a position of the file up: its move, and every answer to it.
    fn open(&mut self, entry: &Entry) -> Result<(), ProofError> {
        let header = self.proof.header();
        let state = self
            .game
            .decode(&entry.symbols, header.prover)
            .map_err(|problem| ProofError::Refuted { position: format!("{:?}", entry.symbols), problem })?;
        let game = self.game;
        let mut steps = self.take_list();
        if game.expand(&state, &mut steps).is_some() {
            return Err(self.refuted(&state, "the game is over in it, and it has a move"));
        }
        if self.leaf(&state).is_some() {
            return Err(self.refuted(&state, "a table has its value, and it has a move"));
        }
        let count = steps.len();
        let Some(step) = game.numbered(&state, &mut steps, entry.mv.into()) else {
            let problem = format!("it has {count} moves and none of the number {}", entry.mv);
            return Err(self.refuted(&state, &problem));
        };
        let rank = if header.kind == Kind::Win { u64::from(entry.rank) } else { u64::MAX };
        game.after(&state, step, |after| self.follow(after, 1, rank))?;
        self.lists.push(steps);
        Ok(())
    }

    /// An empty list of moves, or one with moves of which nothing is needed.
    fn take_list(&mut self) -> Vec<G::Step> {
        self.lists.pop().unwrap_or_default()
    }

    /// Goes on from a position `plies` after one of this rank until the prover is to move or it is settled.
    fn follow(&mut self, state: &G::State, plies: u32, rank: u64) -> Result<(), ProofError> {
        if self.game.side(state) == self.proof.header().prover {
            // Whether the game is over there is asked only if the file does not have it.
            let Some(left) = rank.checked_sub(u64::from(plies)) else {
                return Err(self.refuted(state, "the rank before it is too low"));
            };
            self.checked.answers += 1;
            self.note(state, if rank == u64::MAX { u64::MAX } else { left });
            return Ok(());
        }
        let left = if rank == u64::MAX { u64::MAX } else { rank.saturating_sub(u64::from(plies)) };
        let late = rank < u64::from(plies);
        let game = self.game;
        let mut steps = self.take_list();
        if let Some(outcome) = game.expand(state, &mut steps) {
            self.lists.push(steps);
            return self.judge(state, outcome, if late { None } else { Some((0, left)) });
        }
        if let Some(value) = self.leaf(state) {
            let distance = value.distance().map_or(0, u64::from);
            return self.judge(state, value.outcome(), if late { None } else { Some((distance, left)) });
        }
        if plies >= u32::from(LONGEST_TURN) {
            return Err(self.refuted(state, "the opponent's turn does not end"));
        }
        for step in &steps {
            game.after(state, step, |after| self.follow(after, plies + 1, rank))?;
        }
        self.lists.push(steps);
        Ok(())
    }

    /// Whether a settled position is good for the prover, and a win comes in time: `time` has its plies and those that are left.
    fn judge(&self, state: &G::State, outcome: Outcome, time: Option<(u64, u64)>) -> Result<(), ProofError> {
        let header = self.proof.header();
        let side = self.game.side(state);
        let outcome = if side == header.prover { outcome } else { !outcome };
        let good = match header.kind {
            Kind::Safe => outcome != Outcome::Loss,
            Kind::Win => outcome == Outcome::Win,
        };
        if !good {
            let result = ["lost", "drawn", "won"][outcome as usize];
            return Err(self.refuted(state, &format!("it is {result} for the prover")));
        }
        match (header.kind, time) {
            (Kind::Win, Some((plies, left))) if plies <= left => Ok(()),
            (Kind::Win, _) => Err(self.refuted(state, "the win comes later than the rank before it says")),
            _ => Ok(()),
        }
    }

    fn leaf(&mut self, state: &G::State) -> Option<Value> {
        if self.proof.header().tables.is_empty() {
            return None;
        }
        let value = self.leaves.leaves.value(&self.game.text(state));
        self.leaves.found += u64::from(value.is_some());
        value
    }

    fn refuted(&self, state: &G::State, problem: &str) -> ProofError {
        ProofError::Refuted { position: self.game.text(state), problem: problem.to_string() }
    }

    fn note(&mut self, state: &G::State, left: u64) {
        self.symbols.clear();
        self.game.encode(state, &mut self.symbols);
        let wanted = self.answers.pack(&self.symbols, left);
        // What was noted lately need not be noted again, unless its rank has to be lower now.
        let lately = &mut self.lately[place(&wanted[..N - 1])];
        let known = |noted: [u64; N]| noted[..N - 1] == wanted[..N - 1] && noted[N - 1] <= wanted[N - 1];
        if !lately.is_some_and(known) {
            *lately = Some(wanted);
            self.noted.push(wanted);
        }
    }

    /// Sorts what was noted and drops what was noted twice. If more than `most` is left, all of it is looked up in the file.
    fn settle(&mut self, most: usize) -> Result<(), ProofError> {
        self.noted.sort_unstable();
        // The lowest allowed rank comes first.
        self.noted.dedup_by(|b, a| a[..N - 1] == b[..N - 1]);
        if self.noted.len() <= most {
            return Ok(());
        }
        let noted = std::mem::take(&mut self.noted);
        let mut rest = noted.iter().peekable();
        let proof = self.proof;
        let header = proof.header();
        match self.file.take() {
            // All of it is there.
            Some(file) if file.len() as u64 == header.positions => {
                for here in &file {
                    self.settle_to(&mut rest, here)?;
                }
                self.file = Some(file);
            }
            file => {
                self.file = file;
                let mut seen = 0u64;
                proof.entries(&mut |entry| {
                    seen += 1;
                    if seen.is_multiple_of(PAUSE) && self.interrupt.load(Ordering::Relaxed) {
                        return Err(ProofError::Interrupted);
                    }
                    let here = self.entries.pack(&entry.symbols, entry.rank.into());
                    self.settle_to(&mut rest, &here)
                })?;
            }
        }
        rest.try_for_each(|want| self.is_settled(want))
    }

    /// Settles what was noted, in order, up to a position of the file.
    fn settle_to<'n>(
        &mut self,
        rest: &mut Peekable<impl Iterator<Item = &'n [u64; N]>>,
        here: &[u64; N],
    ) -> Result<(), ProofError> {
        let header = self.proof.header();
        while let Some(want) = rest.next_if(|want| want[..N - 1] <= here[..N - 1]) {
            let (needed, rank) = (want[N - 1], here[N - 1]);
            if want[..N - 1] != here[..N - 1] {
                self.is_settled(want)?;
            } else if header.kind == Kind::Win && rank > needed {
                let position = self.name(&self.symbols_of(here), header.prover);
                let problem = format!("its rank is {rank}, and {needed} or less is needed");
                return Err(ProofError::Refuted { position, problem });
            }
        }
        Ok(())
    }

    fn symbols_of(&self, words: &[u64; N]) -> Vec<u8> {
        let header = self.proof.header();
        unpacked(words, header.bits.into(), header.symbols.into())
    }

    /// A position that the file does not have must be settled well.
    fn is_settled(&mut self, want: &[u64; N]) -> Result<(), ProofError> {
        let (symbols, left) = (self.symbols_of(want), want[N - 1]);
        let fail = |problem| ProofError::Refuted { position: format!("{symbols:?}"), problem };
        let state = self.game.decode(&symbols, self.proof.header().prover).map_err(fail)?;
        let mut steps = self.take_list();
        let outcome = self.game.expand(&state, &mut steps);
        self.lists.push(steps);
        if let Some(outcome) = outcome {
            return self.judge(&state, outcome, Some((0, left)));
        }
        match self.leaf(&state) {
            Some(value) => {
                self.judge(&state, value.outcome(), Some((value.distance().map_or(0, u64::from), left)))
            }
            None => Err(self.refuted(&state, "play leads to it, and it has no move")),
        }
    }

    fn name(&self, symbols: &[u8], side: Side) -> String {
        self.game
            .decode(symbols, side)
            .map_or_else(|_| format!("{symbols:?}"), |state| self.game.text(&state))
    }
}

/// Makes one number of symbols that sorts as they do, and adds a word. Most positions differ from the one before in a few
/// symbols, and only those are looked at.
struct Packer<const N: usize> {
    bits: u32,
    /// The symbols of the position before, and its number.
    symbols: Vec<u8>,
    words: [u64; N],
}

impl<const N: usize> Packer<N> {
    fn new(symbols: usize, bits: u32) -> Packer<N> {
        Packer { bits, symbols: vec![0; symbols], words: [0; N] }
    }

    #[inline]
    fn pack(&mut self, symbols: &[u8], last: u64) -> [u64; N] {
        // Eight at a time.
        let (eights, rest) = symbols.as_chunks::<8>();
        for (n, now) in eights.iter().enumerate() {
            let before = &mut self.symbols.as_chunks_mut::<8>().0[n];
            let changes = u64::from_le_bytes(std::mem::replace(before, *now)) ^ u64::from_le_bytes(*now);
            self.change(8 * n, changes);
        }
        let first = 8 * eights.len();
        for (n, &now) in rest.iter().enumerate() {
            let changes = std::mem::replace(&mut self.symbols[first + n], now) ^ now;
            self.change(first + n, changes.into());
        }
        let mut words = self.words;
        words[N - 1] = last;
        words
    }

    /// Follows changes of symbols, a byte for each from `first` on.
    #[inline]
    fn change(&mut self, first: usize, mut changes: u64) {
        while changes != 0 {
            let n = changes.trailing_zeros() / 8;
            let change = (changes >> (8 * n)) as u8;
            changes &= !(0xff << (8 * n));
            let at = (first as u32 + n) * self.bits;
            let (word, bit) = ((at / 64) as usize, at % 64);
            // It may lie across two words.
            let both = u128::from(change) << (128 - self.bits - bit);
            self.words[word] ^= (both >> 64) as u64;
            if bit + self.bits > 64 {
                self.words[word + 1] ^= both as u64;
            }
        }
    }
}

fn unpacked<const N: usize>(words: &[u64; N], bits: u32, count: usize) -> Vec<u8> {
    let symbol = |n: usize| {
        let at = n as u32 * bits;
        let (word, bit) = ((at / 64) as usize, at % 64);
        let next = if word + 1 < N - 1 { words[word + 1] } else { 0 };
        let wide = u128::from(words[word]) << 64 | u128::from(next);
        (wide << bit >> (128 - bits)) as u8
    };
    (0..count).map(symbol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_symbols_sort_alike_and_come_back(
            bits in 1u32..=8,
            rows in prop::collection::vec(prop::collection::vec(any::<u8>(), 45), 2),
        ) {
            let rows: Vec<Vec<u8>> =
                rows.into_iter().map(|row| row.into_iter().map(|s| (u32::from(s) & ((1 << bits) - 1)) as u8).collect()).collect();
            let mut packer: Packer<7> = Packer::new(45, bits);
            let keys: Vec<[u64; 7]> = rows.iter().map(|row| packer.pack(row, 9)).collect();
            prop_assert_eq!(rows[0].cmp(&rows[1]), keys[0].cmp(&keys[1]));
            prop_assert_eq!(&unpacked(&keys[0], bits, 45), &rows[0]);
            prop_assert_eq!(keys[0][6], 9);
        }
    }
}
