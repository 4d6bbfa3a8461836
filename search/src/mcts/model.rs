//! The seam between the tree and the game. The tree knows nodes, edges and results; a [`Model`] says what a
//! simulation is about. Chance and hidden information are matters of the model: the tree has one code for all.

use super::guide::{Advice, Guide};
use jewel_engine::ability::Probe;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use jewel_engine::value::{AbsoluteValue, Side, Verdict};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

/// Who chooses the next edge of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chooser {
    /// A player, who picks what is best for him.
    Player(Side),
    /// Chance: the model draws.
    Chance,
}

/// The end of a simulation outside of the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rollout {
    /// White's share of the point, from 0 to 1.
    pub share: f64,
    /// Plies played.
    pub plies: u32,
    /// Whether it ended at a position whose value is known.
    pub known: bool,
}

/// A game as a tree search sees it.
///
/// Perfect information and no chance: [`Perfect`]. Chance: [`chooser`](Model::chooser) says `Chance` and
/// [`draw`](Model::draw) draws one of the [`edges`](Model::edges). Hidden information: each
/// [`root`](Model::root) is another guess at what is hidden, consistent with what the searching player knows;
/// [`edges`](Model::edges) are those of all guesses together, and [`available`](Model::available) says which
/// of them exist in this one (information set search, Cowling, Powley and Whitehouse, 2012).
pub trait Model: Sync {
    /// What a simulation carries along.
    type State: Clone;
    /// A move or an outcome of chance.
    type Edge: Copy + Eq + Ord + Hash + Debug + Send + Sync;

    /// Whether results can be proven: all moves are in the tree, nothing is hidden. Chance nodes are never
    /// proven.
    const PROVABLE: bool;
    /// Whether edges of a node may be missing in some simulations.
    const PARTIAL: bool;
    /// Whether a player's turn may have several edges, so that some orders of them need not be looked at.
    const TURNS: bool = false;

    /// Where a simulation starts.
    fn root(&self, random: &mut Random) -> Self::State;

    /// Who chooses next, in a state that is not over.
    fn chooser(&self, state: &Self::State) -> Chooser;

    /// The result, if the game is over.
    fn verdict(&self, state: &Self::State) -> Option<Verdict>;

    /// The exact value of a state that is not over, where something knows it; asked of provable models, after
    /// the moves of the root.
    fn known(&self, state: &Self::State) -> Option<AbsoluteValue> {
        let _ = state;
        None
    }

    /// Who wins a state that is not over, where something knows it; asked of provable models.
    fn known_verdict(&self, state: &Self::State) -> Option<Verdict> {
        let _ = state;
        None
    }

    /// Whether the player to choose in a state that is not over wins with the next edge, as far as that is seen at
    /// a glance; asked of provable models.
    fn wins_at_once(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Appends the edges that lead out of a state.
    fn edges(&self, state: &Self::State, edges: &mut Vec<Self::Edge>);

    /// Whether the edge `second`, which follows `first` from a state, need not be in the tree because the turn in
    /// the other order is; asked only of models with [`TURNS`](Model::TURNS).
    fn is_redundant(&self, before: &Self::State, first: Self::Edge, second: Self::Edge) -> bool {
        let _ = (before, first, second);
        false
    }

    /// Whether an edge exists in this state; asked only of [`PARTIAL`](Model::PARTIAL) models.
    fn available(&self, state: &Self::State, edge: Self::Edge) -> bool {
        let _ = (state, edge);
        true
    }

    /// Draws an outcome of chance; asked only where chance chooses. `None` ends the simulation as a draw.
    fn draw(&self, state: &Self::State, random: &mut Random) -> Option<Self::Edge> {
        let _ = (state, random);
        None
    }

    /// Follows an edge.
    fn follow(&self, state: &mut Self::State, edge: Self::Edge);

    /// A key by which a state is recognised if it comes again on the path of a simulation, which is then a
    /// draw; `None` where states cannot repeat.
    fn repetition_hash(&self, state: &Self::State) -> Option<u64>;

    /// Fills in what there is to say of each edge of a state; the priors are one in all. Nothing unless overridden.
    fn advise(&self, state: &Self::State, edges: &[Self::Edge], advice: &mut [Advice]) {
        let _ = state;
        advice.fill(Advice::none(edges.len()));
    }

    /// Positions that were looked at for evaluations and advice, beyond those of the tree and of rollouts, since the model
    /// was made or before.
    fn nodes(&self) -> u64 {
        0
    }

    /// Plays a state to its end, or until an evaluation takes over. The moves of the players are appended to
    /// `trace` where one is given.
    fn rollout(
        &self,
        state: Self::State,
        random: &mut Random,
        trace: Option<&mut Vec<(Side, Self::Edge)>>,
    ) -> Rollout;
}

/// White's share of the point of a result.
pub(crate) const fn share_of(verdict: Verdict) -> f64 {
    match verdict {
        Verdict::WhiteWins => 1.0,
        Verdict::Draw => 0.5,
        Verdict::BlackWins => 0.0,
    }
}

/// A game without chance in which nothing is hidden.
#[derive(Debug)]
pub struct Perfect<'a, P, G, T> {
    /// The position at the root.
    pub root: &'a P,
    /// What steers the search.
    pub guide: &'a G,
    /// What knows exact values.
    pub tables: &'a T,
    /// Whether playouts see decisive moves.
    pub keen: bool,
    /// Plies before a playout is cut off.
    pub playout_plies: u32,
}

impl<P: Playout, G: Guide<P>, T: Probe<P>> Perfect<'_, P, G, T> {
    fn evaluated(&self, position: &P) -> f64 {
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return share_of(outcome.absolute(side));
        }
        let share = self.guide.evaluate(position).map_or(0.5, |score| score.expectation());
        if side == Side::White { share } else { 1.0 - share }
    }
}

impl<P: Playout, G: Guide<P>, T: Probe<P>> Model for Perfect<'_, P, G, T> {
    type State = P;
    type Edge = P::Move;

    const PROVABLE: bool = true;
    const PARTIAL: bool = false;
    const TURNS: bool = P::TURNS;

    fn is_redundant(&self, before: &P, first: P::Move, second: P::Move) -> bool {
        before.is_redundant(first, second)
    }

    fn root(&self, _: &mut Random) -> P {
        self.root.clone()
    }

    #[inline]
    fn chooser(&self, state: &P) -> Chooser {
        Chooser::Player(state.side_to_move())
    }

    fn verdict(&self, state: &P) -> Option<Verdict> {
        state.outcome().map(|outcome| outcome.absolute(state.side_to_move()))
    }

    fn known(&self, state: &P) -> Option<AbsoluteValue> {
        self.tables.probe(state).map(|value| value.absolute(state.side_to_move()))
    }

    fn known_verdict(&self, state: &P) -> Option<Verdict> {
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

    #[inline]
    fn follow(&self, state: &mut P, edge: P::Move) {
        state.play(edge);
    }

    #[inline]
    fn repetition_hash(&self, state: &P) -> Option<u64> {
        state.repetition_hash()
    }

    fn advise(&self, state: &P, edges: &[P::Move], advice: &mut [Advice]) {
        self.guide.advise(state, edges, advice);
    }

    fn nodes(&self) -> u64 {
        self.guide.nodes()
    }

    fn rollout(
        &self,
        mut state: P,
        random: &mut Random,
        mut trace: Option<&mut Vec<(Side, P::Move)>>,
    ) -> Rollout {
        for plies in 0..self.playout_plies {
            if let Some(outcome) = self.tables.probe_wdl(&state) {
                return Rollout {
                    share: share_of(outcome.absolute(state.side_to_move())),
                    plies,
                    known: true,
                };
            }
            let step = if self.keen { state.keen_step(random) } else { state.random_step(random) };
            match step {
                Step::Move(mv) => {
                    if let Some(trace) = trace.as_deref_mut() {
                        trace.push((state.side_to_move(), mv));
                    }
                    state.play(mv);
                }
                Step::Over(outcome) => {
                    return Rollout {
                        share: share_of(outcome.absolute(state.side_to_move())),
                        plies,
                        known: false,
                    };
                }
            }
        }
        Rollout { share: self.evaluated(&state), plies: self.playout_plies, known: false }
    }
}
