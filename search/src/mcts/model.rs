//! What the tree needs to know of a game. The tree knows nodes, edges and results; a [`Model`] says where a
//! simulation starts, who chooses next, and how it ends.

use super::policy::{Policy, Prior};
use crate::control::Allowance;
use crate::sampling::{seen_by, share_of};
use jewel_engine::ability::Probe;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use jewel_engine::value::{AbsoluteValue, Outcome, Side, Value, Verdict};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// Who chooses the next edge of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Actor {
    /// A player, who takes the edge that looks best.
    Player(Side),
    /// Chance: the model draws an edge.
    Chance,
}

/// The end of a simulation outside of the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rollout {
    /// White's share of the point, from 0 to 1.
    pub(super) share: f64,
    /// Plies played.
    pub(super) plies: u32,
    /// Whether it ended at a position whose value endgame tables know.
    pub(super) tb_hit: bool,
}

impl Rollout {
    /// A simulation that needs no playout.
    pub(super) fn settled(share: f64) -> Rollout {
        Rollout { share, plies: 0, tb_hit: false }
    }
}

/// A game as a tree search sees it: [`Perfect`] without chance, [`Dice`](super::dice::Dice) with it.
pub(super) trait Model: Sync {
    /// What a simulation carries along.
    type State: Clone;
    /// A move or an outcome of chance.
    type Edge: Copy + Eq + Debug + Send + Sync;

    /// Whether a player's turn may have several edges, so that some orders of them need not be searched.
    const TURNS: bool = false;

    /// Where a simulation starts.
    fn root(&self) -> Self::State;

    /// Who chooses next, in a state that is not over.
    fn actor(&self, state: &Self::State) -> Actor;

    /// The result, if the game is over.
    fn verdict(&self, state: &Self::State) -> Option<Verdict>;

    /// The exact value of a state that is not over, if endgame tables have it; asked after the moves of the
    /// root, since a distance may be costly.
    fn tablebase_value(&self, state: &Self::State) -> Option<AbsoluteValue> {
        let _ = state;
        None
    }

    /// What the player to choose in a state that is not over is sure of, if that is known: a draw or a win, whose distance may be
    /// longer than it has to be.
    fn least(&self, state: &Self::State) -> Option<AbsoluteValue> {
        let _ = state;
        None
    }

    /// Who wins a state that is not over, if endgame tables know it.
    fn tablebase_verdict(&self, state: &Self::State) -> Option<Verdict> {
        let _ = state;
        None
    }

    /// Whether the player to choose in a state that is not over wins with the next edge, as far as the game
    /// sees that at a glance.
    fn wins_at_once(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Appends the edges that lead out of a state.
    fn edges(&self, state: &Self::State, edges: &mut Vec<Self::Edge>);

    /// Whether the edge `second`, which follows `first` from the state `before`, can be left out because the
    /// tree has the turn in the other order; asked only of models with [`TURNS`](Model::TURNS).
    fn is_redundant(&self, before: &Self::State, first: Self::Edge, second: Self::Edge) -> bool {
        let _ = (before, first, second);
        false
    }

    /// Draws an outcome of chance; asked only where chance chooses. `None` ends the simulation with a rollout.
    fn draw(&self, state: &Self::State, random: &mut Random) -> Option<Self::Edge> {
        let _ = (state, random);
        None
    }

    /// Follows an edge.
    fn follow(&self, state: &mut Self::State, edge: Self::Edge);

    /// A hash by which a state is recognised if it comes again on the path of a simulation, which then
    /// ends; `None` where states cannot repeat.
    fn repetition_hash(&self, state: &Self::State) -> Option<u64>;

    /// The result of a game that ends because a state is there again.
    fn repeated(&self, state: &Self::State) -> Verdict {
        let _ = state;
        Verdict::Draw
    }

    /// Fills in the prior of each edge of a state; their probabilities sum to 1. Uniform unless overridden.
    fn priors(
        &self,
        state: &Self::State,
        edges: &[Self::Edge],
        priors: &mut [Prior],
        allowance: &mut Allowance,
    ) {
        let _ = (state, allowance);
        priors.fill(Prior::uniform(edges.len()));
    }

    /// Positions that evaluations and priors have searched, beyond those of the tree and of rollouts.
    fn nodes(&self) -> u64 {
        0
    }

    /// Plays a state to its end, or until an evaluation takes over.
    fn rollout(&self, state: Self::State, random: &mut Random, allowance: &mut Allowance) -> Rollout;
}

/// Plies of a playout between two looks at whether the search is over.
const UNSTOPPABLE: u32 = 64;

/// Plays at most `max_plies` random plies, with an eye for what is decisive, and evaluates where the playout
/// is cut off. It ends early where `tablebase` has the result for the side to move, and where the search is over.
pub(super) fn playout<P: Playout>(
    mut position: P,
    policy: &impl Policy<P>,
    max_plies: u32,
    random: &mut Random,
    allowance: &mut Allowance,
    tablebase: impl Fn(&P) -> Option<Outcome>,
    play: impl Fn(&mut P, P::Move, &mut Random),
) -> Rollout {
    let share = |position: &P, outcome: Outcome| share_of(outcome.absolute(position.side_to_move()));
    let mut played = 0;
    for plies in 0..max_plies {
        if plies % UNSTOPPABLE == UNSTOPPABLE - 1 && allowance.is_over() {
            break;
        }
        if let Some(outcome) = tablebase(&position) {
            return Rollout { share: share(&position, outcome), plies, tb_hit: true };
        }
        match position.keen_step(random) {
            Step::Move(mv) => {
                play(&mut position, mv, random);
                played = plies + 1;
            }
            Step::Over(outcome) => return Rollout { share: share(&position, outcome), plies, tb_hit: false },
        }
    }
    let share = match position.outcome() {
        Some(outcome) => share(&position, outcome),
        None => {
            let share = policy.evaluate(&position, allowance).map_or(0.5, |score| score.expectation());
            seen_by(share, position.side_to_move())
        }
    };
    Rollout { share, plies: played, tb_hit: false }
}

/// A game without chance in which nothing is hidden.
#[derive(Debug)]
pub(super) struct Perfect<'a, P, G, T> {
    /// The position at the root.
    pub(super) root: &'a P,
    /// What evaluates positions and moves.
    pub(super) policy: &'a G,
    /// Endgame tables.
    pub(super) tables: &'a T,
    /// Plies before a playout is cut off.
    pub(super) playout_plies: u32,
}

impl<P: Playout, G: Policy<P>, T: Probe<P>> Model for Perfect<'_, P, G, T> {
    type State = P;
    type Edge = P::Move;

    const TURNS: bool = P::TURNS;

    fn root(&self) -> P {
        self.root.clone()
    }

    #[inline]
    fn actor(&self, state: &P) -> Actor {
        Actor::Player(state.side_to_move())
    }

    fn verdict(&self, state: &P) -> Option<Verdict> {
        state.outcome().map(|outcome| outcome.absolute(state.side_to_move()))
    }

    fn tablebase_value(&self, state: &P) -> Option<AbsoluteValue> {
        self.tables.probe(state).map(|value| value.absolute(state.side_to_move()))
    }

    fn least(&self, state: &P) -> Option<AbsoluteValue> {
        self.tables.probe_least(state).map(|value| value.absolute(state.side_to_move()))
    }

    fn tablebase_verdict(&self, state: &P) -> Option<Verdict> {
        self.tables.probe_wdl(state).map(|outcome| outcome.absolute(state.side_to_move()))
    }

    #[inline]
    fn wins_at_once(&self, state: &P) -> bool {
        state.wins_at_once()
    }

    fn edges(&self, state: &P, edges: &mut Vec<P::Move>) {
        let _: ControlFlow<()> = state.moves(|mv| {
            edges.push(mv);
            ControlFlow::Continue(())
        });
    }

    fn is_redundant(&self, before: &P, first: P::Move, second: P::Move) -> bool {
        before.is_redundant(first, second)
    }

    #[inline]
    fn follow(&self, state: &mut P, edge: P::Move) {
        state.play(edge);
    }

    #[inline]
    fn repetition_hash(&self, state: &P) -> Option<u64> {
        state.repetition_hash()
    }

    fn repeated(&self, state: &P) -> Verdict {
        state.repeated(&[]).absolute(state.side_to_move())
    }

    fn priors(&self, state: &P, edges: &[P::Move], priors: &mut [Prior], allowance: &mut Allowance) {
        self.policy.priors(state, edges, priors, allowance);
    }

    fn nodes(&self) -> u64 {
        self.policy.nodes()
    }

    fn rollout(&self, state: P, random: &mut Random, allowance: &mut Allowance) -> Rollout {
        let tablebase = |position: &P| self.tables.probe_wdl(position);
        let play = |position: &mut P, mv, _: &mut Random| position.play(mv);
        let draws = self.tables.probe_least(&state) == Some(Value::Draw);
        let mover = state.side_to_move();
        let rollout = playout(state, self.policy, self.playout_plies, random, allowance, tablebase, play);
        if draws {
            // Whatever the playout says, the mover need not lose.
            let share = seen_by(rollout.share, mover).max(share_of(Verdict::Draw));
            return Rollout { share: seen_by(share, mover), ..rollout };
        }
        rollout
    }
}
