//! Checking a proof file: every position of it is opened up, every answer is sorted, and a pass over the file finds each there.
//!
//! It shares nothing with the search that made the file, and by [`PlainGame`](super::game::PlainGame) not even the move generator.

use super::game::{CheckedGame, Leaves};
use super::header::{Header, Kind};
use super::noted::{Noted, Unsettled, noted};
use super::reader::Proof;
use super::strategy::LONGEST_TURN;
use super::{Entry, ProofError, no_position};
use jewel_engine::value::{Outcome, Side, Value};
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
#[inline(never)]
pub fn check<G: CheckedGame>(
    proof: &Proof<'_>,
    game: &G,
    leaves: &dyn Leaves,
    memory: u64,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Checked, ProofError> {
    fits(proof.header(), game.size())?;
    let checker = Checker {
        proof,
        game,
        leaves: Counted { leaves, found: 0 },
        interrupt,
        symbols: Vec::new(),
        lists: Vec::new(),
        checked: Checked::default(),
    };
    checker.run(&mut *noted(proof, memory, interrupt), progress)
}

/// Whether a file has the positions of a game, of which this is the size: symbols, and bits of a symbol.
fn fits(header: &Header, (symbols, bits): (usize, u32)) -> Result<(), ProofError> {
    if (symbols, bits) == (usize::from(header.symbols), u32::from(header.bits)) {
        return Ok(());
    }
    let found = format!("{} symbols of {} bits", header.symbols, header.bits);
    Err(ProofError::Unknown(format!(
        "the game has positions of {symbols} symbols of {bits} bits, the file {found}"
    )))
}

struct Counted<'a> {
    leaves: &'a dyn Leaves,
    found: u64,
}

/// What follows the rules. It is compiled for every game; the width of positions is a matter of [`Noted`] alone.
struct Checker<'a, G: CheckedGame> {
    proof: &'a Proof<'a>,
    game: &'a G,
    leaves: Counted<'a>,
    interrupt: &'a AtomicBool,
    /// The symbols of an answer, for use again.
    symbols: Vec<u8>,
    /// Lists of moves for use again.
    lists: Vec<Vec<G::Step>>,
    checked: Checked,
}

/// Positions between two looks at the interrupt flag.
pub(super) const PAUSE: u64 = 1 << 10;

impl<G: CheckedGame> Checker<'_, G> {
    fn run(mut self, noted: &mut dyn Noted, progress: &mut dyn FnMut(u64)) -> Result<Checked, ProofError> {
        let proof = self.proof;
        let header = proof.header();
        let unknown =
            |problem: String| ProofError::Unknown(format!("the root \"{}\": {problem}", header.root));
        let root = self.game.root(&header.root).map_err(unknown)?;
        // Ranks have 16 bits: without a limit any rank is low enough.
        let most = header.limit.map_or(u64::MAX, u64::from);
        self.follow(noted, &root, 0, most)?;
        proof.entries(&mut |entry| {
            if self.checked.positions.is_multiple_of(PAUSE) {
                if self.interrupt.load(Ordering::Relaxed) {
                    return Err(ProofError::Interrupted);
                }
                progress(self.checked.positions);
            }
            self.checked.positions += 1;
            noted.keep(entry);
            self.open(noted, entry)?;
            noted.make_room(&mut |symbols, why| self.settle(symbols, why))
        })?;
        noted.settle(&mut |symbols, why| self.settle(symbols, why))?;
        self.checked.leaves = self.leaves.found;
        Ok(self.checked)
    }

    /// Opens a position of the file up: its move, and every answer to it.
    fn open(&mut self, noted: &mut dyn Noted, entry: &Entry) -> Result<(), ProofError> {
        let header = self.proof.header();
        let state = self
            .game
            .decode(&entry.symbols, header.prover)
            .map_err(|problem| no_position(&entry.symbols, problem))?;
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
        game.after(&state, step, |after| self.follow(noted, after, 1, rank))?;
        self.lists.push(steps);
        Ok(())
    }

    /// An empty list of moves, or one with moves of which nothing is needed.
    fn take_list(&mut self) -> Vec<G::Step> {
        self.lists.pop().unwrap_or_default()
    }

    /// Goes on from a position `plies` after one of this rank until the prover is to move or it is settled.
    fn follow(
        &mut self,
        noted: &mut dyn Noted,
        state: &G::State,
        plies: u32,
        rank: u64,
    ) -> Result<(), ProofError> {
        // Plies that are left for a win; `None` if it is late already.
        let left = if rank == u64::MAX { Some(rank) } else { rank.checked_sub(u64::from(plies)) };
        if self.game.side(state) == self.proof.header().prover {
            let Some(left) = left else {
                return Err(self.refuted(state, "the rank before it is too low"));
            };
            self.checked.answers += 1;
            // Whether a game without a move is over there is asked only if the file does not have it.
            if let Some(outcome) = self.game.decided(state) {
                return self.judge(state, outcome, Some((0, left)));
            }
            self.symbols.clear();
            self.game.encode(state, &mut self.symbols);
            noted.note(&self.symbols, left);
            return Ok(());
        }
        let game = self.game;
        let mut steps = self.take_list();
        if let Some((outcome, distance)) = self.settled(state, &mut steps) {
            self.lists.push(steps);
            return self.judge(state, outcome, left.map(|left| (distance, left)));
        }
        if plies >= u32::from(LONGEST_TURN) {
            return Err(self.refuted(state, "the opponent's turn does not end"));
        }
        for step in &steps {
            game.after(state, step, |after| self.follow(noted, after, plies + 1, rank))?;
        }
        self.lists.push(steps);
        Ok(())
    }

    /// The outcome of a position by rule or by a table, with the plies to it; if there is none, its moves are listed.
    fn settled(&mut self, state: &G::State, steps: &mut Vec<G::Step>) -> Option<(Outcome, u64)> {
        if let Some(outcome) = self.game.expand(state, steps) {
            return Some((outcome, 0));
        }
        let value = self.leaf(state)?;
        Some((value.outcome(), value.distance().map_or(0, u64::from)))
    }

    /// Whether a settled position is good for the prover, and a win comes in time: `time` has its plies and those that are left.
    fn judge(&self, state: &G::State, outcome: Outcome, time: Option<(u64, u64)>) -> Result<(), ProofError> {
        match fault(self.proof.header(), self.game.side(state), outcome, time) {
            Some(problem) => Err(self.refuted(state, problem)),
            None => Ok(()),
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

    #[cold]
    fn refuted(&self, state: &G::State, problem: &str) -> ProofError {
        ProofError::Refuted { position: self.game.text(state), problem: problem.to_string() }
    }

    /// A position that the file does not have must be settled well, and the rank of one that it has be low enough.
    fn settle(&mut self, symbols: &[u8], why: Unsettled) -> Result<(), ProofError> {
        let left = match why {
            Unsettled::Missing { left } => left,
            Unsettled::Late { rank, needed } => {
                let position = self.name(symbols);
                let problem = format!("its rank is {rank}, and {needed} or less is needed");
                return Err(ProofError::Refuted { position, problem });
            }
        };
        let state = self
            .game
            .decode(symbols, self.proof.header().prover)
            .map_err(|problem| no_position(symbols, problem))?;
        let mut steps = self.take_list();
        let settled = self.settled(&state, &mut steps);
        self.lists.push(steps);
        match settled {
            Some((outcome, distance)) => self.judge(&state, outcome, Some((distance, left))),
            None => Err(self.refuted(&state, "play leads to it, and it has no move")),
        }
    }

    fn name(&self, symbols: &[u8]) -> String {
        self.game
            .decode(symbols, self.proof.header().prover)
            .map_or_else(|_| format!("{symbols:?}"), |state| self.game.text(&state))
    }
}

/// What is wrong with a settled position that has this outcome for the side to move, if the claim of the file is right; `time` is
/// that of [`Checker::judge`].
fn fault(header: &Header, side: Side, outcome: Outcome, time: Option<(u64, u64)>) -> Option<&'static str> {
    let outcome = if side == header.prover { outcome } else { !outcome };
    let good = match header.kind {
        Kind::Safe => outcome != Outcome::Loss,
        Kind::Win => outcome == Outcome::Win,
    };
    if !good {
        let results = ["it is lost for the prover", "it is drawn for the prover", "it is won for the prover"];
        return Some(results[outcome as usize]);
    }
    match (header.kind, time) {
        (Kind::Win, Some((plies, left))) if plies <= left => None,
        (Kind::Win, _) => Some("the win comes later than the rank before it says"),
        _ => None,
    }
}
