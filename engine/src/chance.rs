//! Chance: games in which dice decide where a move leads.
//!
//! A player chooses a [`Move`](Position::Move); then chance chooses among its [`odds`](Chance::odds), and
//! [`play_roll`](Chance::play_roll) leads to the next position, in which the same player may be to
//! move again. [`Position::play`] is the move with its outcome 0. Everything is exact: odds are whole
//! numbers out of a whole, and each outcome is a position of its own.
//!
//! How searchers use it:
//!
//! - **Alpha-beta** (expectiminimax): at a move with `odds.is_certain()` search on as usual; else the move is
//!   a chance node, whose value is the mean of the outcomes' values, each seen through
//!   [`Value::before_ply`](crate::value::Value::before_ply)'s rule of the sign, since a failed attack leaves
//!   the turn where it is. With values in `[L, U]` known, the outcomes not yet searched lie between `L` and
//!   `U`, so that the window of the next one is `(alpha - known - rest * U) / p` to `(beta - known - rest *
//!   L) / p` (Star1, Ballard 1983), with `p` its [`share`](Odds::share), `known` the weighted sum of those
//!   searched and `rest` the shares of those after it. Star2 first probes one good move of each outcome's
//!   position for a better bound than `L`; it needs nothing more than [`after_roll`](Chance::after_roll).
//!   Where [`DICE`](Chance::DICE) is false all of it is compiled away.
//! - **Monte Carlo tree search**: the state of its model is a position and, where a move waits for its roll,
//!   that move. Chance chooses in such a state, its edges are the outcomes and [`roll`](Chance::roll) draws
//!   one; elsewhere the player does. Rollouts play [`play_rolled`](Chance::play_rolled).
//! - **Perft** counts through [`Branches`], in which each outcome of a move is a move.
//! - **Repetition** counts the starts of turns: [`repetition_hash`](Position::repetition_hash).

use crate::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use crate::diagram::Diagram;
use crate::position::{Position, list_moves};
use crate::random::Random;
use crate::symmetry::Symmetry;
use crate::value::{Outcome, Side};
use std::error::Error;
use std::ops::ControlFlow;

/// How likely each outcome of a move is: whole-number weights, all positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Odds {
    weights: &'static [u32],
    total: u32,
}

impl Odds {
    /// One outcome: no chance at all.
    pub const CERTAIN: Odds = Odds::new(&[1]);

    /// Odds in these proportions.
    ///
    /// # Panics
    /// If there are none, one is 0, or they sum to 2^32 or more: while compiling, for a constant.
    pub const fn new(weights: &'static [u32]) -> Odds {
        assert!(!weights.is_empty());
        let (mut total, mut n) = (0, 0);
        while n < weights.len() {
            assert!(weights[n] > 0);
            total += weights[n];
            n += 1;
        }
        Odds { weights, total }
    }

    /// The number of outcomes, at least 1; they are numbered from 0.
    #[inline(always)]
    pub const fn count(self) -> usize {
        self.weights.len()
    }

    /// Whether there is one outcome alone.
    #[inline(always)]
    pub const fn is_certain(self) -> bool {
        self.weights.len() == 1
    }

    /// The weight of an outcome, out of [`total`](Odds::total); 0 for one that does not exist.
    #[inline]
    pub fn weight(self, outcome: usize) -> u32 {
        self.weights.get(outcome).copied().unwrap_or(0)
    }

    /// The sum of all weights.
    #[inline]
    pub const fn total(self) -> u32 {
        self.total
    }

    /// The probability of an outcome.
    #[inline]
    pub fn share(self, outcome: usize) -> f64 {
        f64::from(self.weight(outcome)) / f64::from(self.total)
    }

    /// Draws an outcome.
    #[inline]
    pub fn draw(self, random: &mut Random) -> usize {
        if self.is_certain() {
            return 0;
        }
        let mut left = random.below(self.total);
        for (outcome, &weight) in self.weights.iter().enumerate() {
            if left < weight {
                return outcome;
            }
            left -= weight;
        }
        0
    }
}

/// Games in which chance may decide where a move leads. A game without dice writes `impl Chance for
/// MyPosition {}`: every method is then the plain one, and code under `if P::DICE` is compiled away. Dice
/// unlock expectimax in alpha-beta search, chance nodes in tree search and rolled moves in records.
///
/// # Laws
///
/// - `play` leads where outcome 0 leads.
/// - Each outcome changes the position and keeps the laws of [`Position`] there.
/// - `count_branches` is the number of outcomes of all moves together.
pub trait Chance: Position {
    /// Whether any move of the game has more than one outcome.
    const DICE: bool = false;

    /// The outcomes of a legal move.
    #[inline(always)]
    fn odds(&self, mv: Self::Move) -> Odds {
        let _ = mv;
        Odds::CERTAIN
    }

    /// Plays a legal move with one of its outcomes.
    #[inline(always)]
    fn play_roll(&mut self, mv: Self::Move, outcome: usize) {
        let _ = outcome;
        self.play(mv);
    }

    /// The word for an outcome of a move that has several, in lower case, such as `hit`.
    fn roll_name(&self, outcome: usize) -> &'static str {
        let _ = outcome;
        ""
    }

    /// The outcomes of all legal moves together.
    #[inline]
    fn count_branches(&self) -> u64 {
        if !Self::DICE {
            return self.count_moves();
        }
        let mut count = 0;
        let _: ControlFlow<()> = self.moves(|mv| {
            count += self.odds(mv).count() as u64;
            ControlFlow::Continue(())
        });
        count
    }

    /// The position after a move with one of its outcomes.
    #[inline]
    fn after_roll(&self, mv: Self::Move, outcome: usize) -> Self {
        let mut next = self.clone();
        next.play_roll(mv, outcome);
        next
    }

    /// Draws an outcome of a legal move.
    #[inline]
    fn roll(&self, mv: Self::Move, random: &mut Random) -> usize {
        if Self::DICE { self.odds(mv).draw(random) } else { 0 }
    }

    /// Plays a legal move and lets chance decide what comes of it; tells the outcome.
    #[inline]
    fn play_rolled(&mut self, mv: Self::Move, random: &mut Random) -> usize {
        let outcome = self.roll(mv, random);
        self.play_roll(mv, outcome);
        outcome
    }
}

/// A move together with what chance made of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Branch<M> {
    /// The move.
    pub mv: M,
    /// The number of its outcome.
    pub outcome: u8,
}

/// A position in which every outcome of a move is a move: what perft counts, and how a game is written down
/// whose rolls have been made.
///
/// Not a game for solvers: no player chooses what the dice show.
///
/// ```
/// use jewel_engine::ability::{Game, Notation};
/// use jewel_engine::chance::Branches;
/// use jewel_engine::kings_mate::{Active, KingsMateGame};
/// use jewel_engine::perft::perft;
/// use jewel_engine::position::Position;
///
/// let game = KingsMateGame::<Active>::new();
/// let mut position = Branches(game.parse_position("7/1m5/7/7/7/5k1/7/1K3M1/7 w - - 0 1")?);
/// assert_eq!((position.0.count_moves(), perft(&position, 1), perft(&position, 3)), (7, 8, 642));
/// position.play(position.parse_move("b2b8:miss")?);
/// assert_eq!(position.position_text(), "7/1m5/7/7/7/5k1/7/1K3M1/7 w - b2 1 1");
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Branches<P>(pub P);

impl<P: Chance> Position for Branches<P> {
    type Move = Branch<P::Move>;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    #[inline]
    fn moves<B>(&self, mut visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.moves(|mv| {
            (0..self.0.odds(mv).count()).try_for_each(|outcome| visit(Branch { mv, outcome: outcome as u8 }))
        })
    }

    #[inline]
    fn moves_inlined<B>(&self, mut visit: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.moves_inlined(|mv| {
            (0..self.0.odds(mv).count()).try_for_each(|outcome| visit(Branch { mv, outcome: outcome as u8 }))
        })
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        self.0.count_branches()
    }

    #[inline]
    fn play(&mut self, branch: Self::Move) {
        self.0.play_roll(branch.mv, branch.outcome.into());
    }

    fn zobrist_hash(&self) -> u64 {
        self.0.zobrist_hash()
    }

    fn recomputed_hash(&self) -> u64 {
        self.0.recomputed_hash()
    }

    fn repeated(&self, since: &[&Self]) -> Outcome {
        let since: Vec<&P> = since.iter().map(|position| &position.0).collect();
        self.0.repeated(&since)
    }

    fn repetition_hash(&self) -> Option<u64> {
        self.0.repetition_hash()
    }
}

/// A move's text, followed by a colon and the word for its outcome where there are several: `b2b8:hit`.
impl<P: Chance + Notation> Notation for Branches<P> {
    fn position_text(&self) -> String {
        self.0.position_text()
    }

    fn move_text(&self, branch: Self::Move) -> String {
        let text = self.0.move_text(branch.mv);
        if self.0.odds(branch.mv).is_certain() {
            return text;
        }
        format!("{text}:{}", self.0.roll_name(branch.outcome.into()))
    }

    fn parse_move(&self, text: &str) -> Result<Self::Move, Box<dyn Error + Send + Sync>> {
        let (bare, word) = text.split_once(':').map_or((text, None), |(bare, word)| (bare, Some(word)));
        let mv = self.0.parse_move(bare)?;
        let odds = self.0.odds(mv);
        let words = || (0..odds.count()).map(|n| self.0.roll_name(n));
        match word {
            None if odds.is_certain() => Ok(Branch { mv, outcome: 0 }),
            None => Err(format!("{bare} is decided by a roll: write {bare}:{}", {
                words().collect::<Vec<_>>().join(&format!(" or {bare}:"))
            })
            .into()),
            Some(_) if odds.is_certain() => Err(format!("no roll decides {bare}: write just {bare}").into()),
            Some(word) => match words().position(|known| known == word) {
                Some(outcome) => Ok(Branch { mv, outcome: outcome as u8 }),
                None => Err(format!(
                    "a roll for {bare} ends in {}, not in \"{}\"",
                    words().collect::<Vec<_>>().join(" or "),
                    crate::geometry::shorten(word)
                )
                .into()),
            },
        }
    }

    fn diagram(&self) -> Diagram {
        self.0.diagram()
    }
}

impl<P: Packed + Chance> Packed for Branches<P> {
    fn packed_bits(&self) -> u32 {
        self.0.packed_bits()
    }

    fn pack<K: PackedKey>(&self) -> K {
        self.0.pack()
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        Branches(self.0.unpack(key))
    }
}

impl<P: Symmetric + Chance> Symmetric for Branches<P> {
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        self.0.symmetries()
    }

    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<Self> {
        self.0.transformed(symmetry, exchange).map(Branches)
    }
}

/// A game of chance whose moves say what the dice said.
#[derive(Clone, Debug)]
pub struct Rolled<G>(pub G);

impl<G: Game> Game for Rolled<G>
where
    G::Position: Chance,
{
    type Position = Branches<G::Position>;

    fn id(&self) -> &str {
        self.0.id()
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn start(&self) -> Self::Position {
        Branches(self.0.start())
    }

    fn parse_position(&self, text: &str) -> Result<Self::Position, Box<dyn Error + Send + Sync>> {
        self.0.parse_position(text).map(Branches)
    }

    fn repetition(&self) -> u32 {
        self.0.repetition()
    }
}

/// Checks one position against the laws of [`Chance`].
///
/// # Errors
/// The law that is broken.
pub fn check_chance<P: Chance>(position: &P) -> Result<(), String> {
    let law = |holds: bool, text: &str| if holds { Ok(()) } else { Err(format!("broken law: {text}")) };
    let moves = list_moves(position);
    let branches: usize = moves.iter().map(|&mv| position.odds(mv).count()).sum();
    law(position.count_branches() == branches as u64, "count_branches counts every outcome")?;
    law(P::DICE || branches == moves.len(), "without dice every move is certain")?;
    for &mv in &moves {
        let odds = position.odds(mv);
        law(position.after_roll(mv, 0) == position.after(mv), "play is outcome 0")?;
        let sum: u32 = (0..odds.count()).map(|n| odds.weight(n)).sum();
        law(sum == odds.total(), "the weights sum to the total")?;
        for outcome in 0..odds.count() {
            let next = position.after_roll(mv, outcome);
            law(
                next.zobrist_hash() == next.recomputed_hash(),
                "hash equals recomputed hash after each outcome",
            )?;
            law(next != *position, "each outcome changes the position")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_odds() {
        let odds = Odds::new(&[15, 21]);
        let mut random = Random::new(9);
        let hits = (0..36_000).filter(|_| odds.draw(&mut random) == 0).count() as f64;
        // The standard deviation is 93.5.
        assert!((hits - 15_000.0).abs() < 400.0, "{hits}");
        assert_eq!((odds.share(0), odds.weight(2)), (15.0 / 36.0, 0));
        assert_eq!(Odds::CERTAIN.draw(&mut random), 0);
    }
}
