//! Exact values in the tree (MCTS-Solver: Winands, Björnsson and Saito, 2008), with distances.
//!
//! The distance of a proven win or loss is an upper bound: it can be forced within that many plies. It is exact where
//! every faster way has been searched. A proven draw may rest on a repetition of the path that leads to it.

use jewel_engine::value::{AbsoluteValue, Verdict};

/// Bits of the distance in a word; the result is above them.
const DISTANCE_BITS: u32 = 30;
/// The greatest distance that a word can hold, in plies.
const MAX_DISTANCE: u32 = (1 << DISTANCE_BITS) - 1;

/// Distances from here on belong to a win or loss of which only the winner is known: they count the plies to the
/// nearest such position, above this number.
pub(super) const SOME_DAY: u32 = 1 << (DISTANCE_BITS - 1);

/// A value as a word; never 0.
pub(super) fn encode(value: AbsoluteValue) -> u32 {
    let kind = match value.verdict {
        Verdict::WhiteWins => 1,
        Verdict::Draw => 2,
        Verdict::BlackWins => 3,
    };
    kind << DISTANCE_BITS | value.distance.unwrap_or(0).min(MAX_DISTANCE)
}

/// The value of a word; 0 for none.
pub(super) fn decode(word: u32) -> Option<AbsoluteValue> {
    let verdict = match word >> DISTANCE_BITS {
        0 => return None,
        1 => Verdict::WhiteWins,
        2 => Verdict::Draw,
        _ => Verdict::BlackWins,
    };
    Some(AbsoluteValue { verdict, distance: (verdict != Verdict::Draw).then_some(word & MAX_DISTANCE) })
}

/// The value of a game that is over.
pub(super) const fn over(verdict: Verdict) -> AbsoluteValue {
    let distance = if matches!(verdict, Verdict::Draw) { None } else { Some(0) };
    AbsoluteValue { verdict, distance }
}

/// The value of a result at an unknown distance.
pub(super) const fn some_day(verdict: Verdict) -> AbsoluteValue {
    let distance = if matches!(verdict, Verdict::Draw) { None } else { Some(SOME_DAY) };
    AbsoluteValue { verdict, distance }
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
            Some((far.verdict, Some(MAX_DISTANCE)))
        );
    }
}
