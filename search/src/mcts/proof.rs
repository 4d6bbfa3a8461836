//! Exact values in the tree (MCTS-Solver: Winands, Björnsson and Saito, 2008), with distances.
//!
//! A proven win or loss says that it can be forced within so many plies; the distance is exact where every
//! faster way has been looked at. A proven draw may rest on a repetition of the path that leads to it.

use super::tree::{Node, Tree};
use jewel_engine::value::{AbsoluteValue, Outcome, Side, Value, Verdict};

const DISTANCE_BITS: u32 = 30;
const MAX_LENGTH: u32 = (1 << DISTANCE_BITS) - 1;

/// Distances from here on are those to a win or loss of which nothing but the winner is known, and this much:
/// the nearest is the best to make for.
pub(super) const SOME_DAY: u32 = 1 << (DISTANCE_BITS - 1);

/// A value as a word; never 0.
pub(super) fn encode(value: AbsoluteValue) -> u32 {
    let kind = match value.verdict {
        Verdict::WhiteWins => 1,
        Verdict::Draw => 2,
        Verdict::BlackWins => 3,
    };
    kind << DISTANCE_BITS | value.distance.unwrap_or(0).min(MAX_LENGTH)
}

/// The value of a word; 0 for none.
pub(super) fn decode(word: u32) -> Option<AbsoluteValue> {
    let verdict = match word >> DISTANCE_BITS {
        0 => return None,
        1 => Verdict::WhiteWins,
        2 => Verdict::Draw,
        _ => Verdict::BlackWins,
    };
    Some(AbsoluteValue { verdict, distance: (verdict != Verdict::Draw).then_some(word & MAX_LENGTH) })
}

/// The value of a result that is there.
pub(super) const fn over(verdict: Verdict) -> AbsoluteValue {
    let distance = if matches!(verdict, Verdict::Draw) { None } else { Some(0) };
    AbsoluteValue { verdict, distance }
}

/// The value of a result that will come, nobody knows when.
pub(super) const fn some_day(verdict: Verdict) -> AbsoluteValue {
    let distance = if matches!(verdict, Verdict::Draw) { None } else { Some(SOME_DAY) };
    AbsoluteValue { verdict, distance }
}

/// What a move into a proven node is worth to its mover.
pub(super) fn value_of_move<E>(child: &Node<E>, mover: Side) -> Option<Value> {
    child.proof().map(|value| value.seen_by(mover).before_own_turn())
}

/// The proven value of a choice of `mover` among some nodes, seen by him: a win if one move wins, else the
/// best of all moves if all are proven.
pub(super) fn from_choice<'a, E: 'a>(
    children: impl Iterator<Item = &'a Node<E>>,
    mover: Side,
) -> Option<Value> {
    let mut best = None;
    let mut all = true;
    for child in children {
        match value_of_move(child, mover) {
            Some(value) => best = best.max(Some(value)),
            None => all = false,
        }
    }
    best.filter(|value| all || value.outcome() == Outcome::Win)
}

impl<E: Copy> Tree<E> {
    /// Looks whether the children of a node prove it, for `mover` who chooses there.
    pub(super) fn prove(&self, at: u32, mover: Side) -> Option<AbsoluteValue> {
        let value = from_choice(self.children(at)?.iter(), mover)?.absolute(mover);
        self.node(at).set_proof(value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_their_words() {
        let values = [
            over(Verdict::Draw),
            over(Verdict::WhiteWins),
            AbsoluteValue { verdict: Verdict::BlackWins, distance: Some(17) },
        ];
        for value in values {
            assert_eq!(decode(encode(value)), Some(value));
        }
        assert_eq!(decode(0), None);
        let far = AbsoluteValue { verdict: Verdict::WhiteWins, distance: Some(u32::MAX) };
        assert_eq!(
            decode(encode(far)).map(|v| (v.verdict, v.distance)),
            Some((far.verdict, Some(MAX_LENGTH)))
        );
    }
}
