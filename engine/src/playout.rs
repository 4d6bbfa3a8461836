//! Random play to the end of a game, as Monte Carlo searchers need it.

use crate::position::Position;
use crate::random::Random;
use crate::value::Outcome;
use std::ops::ControlFlow;

/// What happens next in a random game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<M> {
    /// A legal move.
    Move(M),
    /// Nothing: the game is over, with this result for the side to move.
    Over(Outcome),
}

/// Games that can be played at random. The defaults work for every game: `impl Playout for MyPosition {}`.
/// Drawing a move without listing all of them unlocks more playouts a second, and the eye for decisive moves
/// ([`keen_step`](Playout::keen_step), [`wins_at_once`](Playout::wins_at_once)) better ones.
pub trait Playout: Position {
    /// A legal move, each as likely as the others, or the [`outcome`](Position::outcome) where there is one.
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Self::Move> {
        match self.outcome() {
            Some(outcome) => Step::Over(outcome),
            None => random_move(self, random).map_or(Step::Over(Outcome::Draw), Step::Move),
        }
    }

    /// The same with an eye for what is decisive (Teytaud and Teytaud, 2010): where the game sees at a
    /// glance a move that wins at once, or a threat that must be met at once, the step is one of those moves;
    /// else it is a [`random_step`](Playout::random_step).
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Self::Move> {
        self.random_step(random)
    }

    /// Whether the side to move of a game that is not over wins with its next move: never wrong if it is, but
    /// only what the game sees at a glance.
    #[inline]
    fn wins_at_once(&self) -> bool {
        false
    }
}

/// One of the legal moves, each as likely as the others; `None` where there are none.
pub fn random_move<P: Position>(position: &P, random: &mut Random) -> Option<P::Move> {
    let count = u32::try_from(position.count_moves()).unwrap_or(u32::MAX);
    let mut left = random.below(count);
    let chosen = position.moves(|mv| {
        if left == 0 {
            return ControlFlow::Break(mv);
        }
        left -= 1;
        ControlFlow::Continue(())
    });
    chosen.break_value()
}
