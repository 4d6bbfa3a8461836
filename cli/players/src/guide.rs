//! What steers Monte Carlo tree search.

use jewel_engine::ability::Probe;
use jewel_engine::tactics::Tactics;
use jewel_search::alphabeta::Scout;
use jewel_search::evaluate::Evaluate;
use jewel_search::mcts::guide::{Advice, Evaluated, Guide, Scouting};
use jewel_search::score::Score;

/// Centipawns by which a move must look better to be `e` times as likely to be tried first.
const TEMPERATURE: f32 = 100.0;

/// The evaluation as it stands, or what alpha-beta search sees a few plies ahead: one type for both, so that searches are
/// compiled once.
#[expect(clippy::large_enum_variant, reason = "there is one to a searcher")]
pub(crate) enum Advisor<P: Tactics, E: Evaluate<P>, T> {
    /// The evaluation.
    Standing(Evaluated<E>),
    /// The search.
    Looking(Scouting<P, E, T>),
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Advisor<P, E, T> {
    /// One that evaluates; `priors` says whether it also tells which moves to try first.
    pub(crate) fn standing(evaluation: E, priors: bool) -> Self {
        Advisor::Standing(match priors {
            true => Evaluated::new(evaluation, TEMPERATURE),
            false => Evaluated::without_priors(evaluation),
        })
    }

    /// One that looks ahead.
    pub(crate) fn looking(scout: Scout<P, E, T>, priors: bool) -> Self {
        Advisor::Looking(match priors {
            true => Scouting::new(scout, TEMPERATURE),
            false => Scouting::without_priors(scout),
        })
    }
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Guide<P> for Advisor<P, E, T> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        match self {
            Advisor::Standing(guide) => guide.evaluate(position),
            Advisor::Looking(guide) => guide.evaluate(position),
        }
    }

    fn advise(&self, position: &P, moves: &[P::Move], advice: &mut [Advice]) {
        match self {
            Advisor::Standing(guide) => guide.advise(position, moves, advice),
            Advisor::Looking(guide) => guide.advise(position, moves, advice),
        }
    }

    fn nodes(&self) -> u64 {
        match self {
            Advisor::Standing(_) => 0,
            Advisor::Looking(guide) => Guide::<P>::nodes(guide),
        }
    }

    fn forget(&self) {
        if let Advisor::Looking(guide) = self {
            Guide::<P>::forget(guide);
        }
    }
}
