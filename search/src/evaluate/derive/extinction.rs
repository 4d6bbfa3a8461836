//! Weights where losing all pieces of some types loses or wins: precious pieces, and burdens.

use super::{Derivation, come_back, is_pawn};
use crate::evaluate::start::Start;
use crate::evaluate::weights::Pair;
use jewel_engine::bitboard::Square;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;

/// A slider worth this many centipawns or more mostly finds something to capture, and so is less of a burden.
const STRONG: f64 = 600.0;

/// Burdens: what a pawn-like piece is worth in centipawns, and the parts of its usual worth that another one is worth if it
/// leaps, if it slides, and if it slides and is [`STRONG`]. These weights and [`PRECIOUS`] are about what `jewel tune` finds
/// (`docs/evaluation.md`); where pieces come back from hands, they play worse than [`BURDEN_HELD`].
const BURDEN_PAWN: [f64; 2] = [10.0, -160.0];
const BURDEN_LEAPER: [f64; 2] = [-0.05, -0.6];
const BURDEN_SLIDER: [f64; 2] = [-0.55, -0.2];
const BURDEN_STRONG: [f64; 2] = [-0.17, -0.3];
const BURDEN_HELD: [f64; 2] = [-0.3, -0.285];

/// The factor of a burden's mobility: a side with many moves need not offer what the other side wants to lose.
pub(super) const BURDEN_MOBILITY: f64 = 5.0;

/// The part of a burden's worth that it has in hand: it cannot be captured there, but it has yet to be lost.
pub(super) const BURDEN_IN_HAND: f64 = 0.5;

/// Threats where all pieces are burdens: to pieces that a lesser one can capture, and to pieces that nothing guards.
pub(super) const BURDEN_BY_LESSER: [f64; 2] = [-60.0, -65.0];
pub(super) const BURDEN_HANGING: [f64; 2] = [-85.0, -180.0];

/// The factor of the worth of a piece whose extinction loses.
pub(super) const PRECIOUS: f64 = 1.5;

/// What a side lacks when few such pieces are left grows with this power of their number at the start: who has lost six of eight
/// pawns has nearly lost the game, but of two rooks one is often exchanged.
const MANY: f64 = 1.25;

/// What a side lacks falls with this power of the number of such pieces left.
const LEFT: f64 = 1.5;

impl Derivation<'_> {
    /// The weight of a threat to capture: where the pieces are a burden, it threatens the side that has to do it.
    pub(super) fn threat(&self, pair: [f64; 2]) -> Pair {
        self.threat_or(pair, pair.map(|weight| -weight))
    }

    /// The weight of a threat to capture, where pieces are worth something and where all are a burden for good.
    pub(super) fn threat_or(&self, usual: [f64; 2], burden: [f64; 2]) -> Pair {
        let burdens = (0..self.rules.type_count() as u8).all(|kind| self.is_burden(kind));
        self.pair(match burdens {
            true if come_back(self.rules) => usual.map(|weight| -weight),
            true => burden,
            false => usual,
        })
    }

    /// By the pieces left of those whose extinction ends the game.
    pub(super) fn remaining(&self) -> Vec<Pair> {
        let Some((kinds, outcome)) = &self.rules.extinction else { return Vec::new() };
        let most = pieces_of(&self.start, kinds);
        let (last, power) = match outcome {
            // Whoever loses everything has lost its worth, too.
            Outcome::Loss if kinds.iter().any(|&kind| self.is_precious(kind)) => {
                (-self.c.extinct * (f64::from(most) / 2.0).powf(MANY), LEFT)
            }
            Outcome::Win => (self.c.last, 1.0),
            _ => return Vec::new(),
        };
        (0..=most).map(|left| self.pair([last / f64::from(left.max(1)).powf(power); 2])).collect()
    }

    /// Whether losing all pieces of some types wins, and this type is one of them or may have to capture.
    pub(super) fn is_burden(&self, kind: u8) -> bool {
        let rule = self.rules.extinction.as_ref().filter(|(_, outcome)| *outcome == Outcome::Win);
        rule.is_some_and(|(kinds, _)| kinds.contains(&kind) || self.rules.must_capture)
    }

    /// The worth of a burden.
    pub(super) fn burden(&self, kind: u8) -> [f64; 2] {
        let worth = self.worth[kind as usize];
        let parts = if come_back(self.rules) {
            BURDEN_HELD
        } else if is_pawn(self.rules, kind) {
            return BURDEN_PAWN;
        } else if !slides(self.rules, kind) {
            BURDEN_LEAPER
        } else if worth[0] < STRONG {
            BURDEN_SLIDER
        } else {
            BURDEN_STRONG
        };
        [0, 1].map(|n| worth[n] * parts[n])
    }

    /// Whether losing all pieces of some types loses, and this type is one of them, but not every type is.
    pub(super) fn is_precious(&self, kind: u8) -> bool {
        let rule = self.rules.extinction.as_ref().filter(|(_, outcome)| *outcome == Outcome::Loss);
        rule.is_some_and(|(kinds, _)| kinds.contains(&kind) && kinds.len() < self.rules.type_count())
    }
}

/// Pieces of some types that White begins with.
pub(in crate::evaluate) fn pieces_of(start: &Start<'_>, kinds: &[u8]) -> u32 {
    kinds.iter().map(|&kind| start.count(kind, Side::White)).sum()
}

/// Whether pieces stand in the way of captures by a type.
fn slides(rules: &Rules, kind: u8) -> bool {
    let reaches = |from: Square, occupied| rules.capture_targets(kind, Side::White, from, occupied);
    rules.geometry.squares().any(|from| reaches(from, from.bit()) != reaches(from, rules.geometry.all()))
}

#[cfg(test)]
mod tests {
    use crate::evaluate::Weights;
    use jewel_engine::variant::Rules;

    #[test]
    fn extinction_makes_pieces_precious_or_a_burden() {
        let weights = |more: &str, end: &str| {
            let text = format!(
                "id = \"test\"\nname = \"Test\"\n{more}[board]\nsize = \"5x5\"\nstart = \"rrnnn/5/5/5/RRNNN w - - 0 1\"\n\
                 [[piece]]\nletter = \"N\"\nmoves = \"N\"\n[[piece]]\nletter = \"R\"\nmoves = \"R\"\n[end]\n{end}\n"
            );
            Weights::derived(&Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}")))
        };
        let material = |weights: &Weights| [0, 1].map(|kind| weights.pieces[kind].material);
        let usual = material(&weights("", ""));
        let precious = weights("", "extinction = { pieces = \"R\", result = \"loss\" }");
        let left = &precious.general.remaining;
        assert_eq!(material(&precious)[0], usual[0]);
        assert!((0..2).all(|n| material(&precious)[1][n] > usual[1][n] * 4 / 3), "{:?}", material(&precious));
        assert!(left.len() == 3 && left[1][0] < left[2][0] && left[2][0] < 0, "{left:?}");
        // The last of three is missed more than the last of two, and each of them more than the one before.
        let three = weights("", "extinction = { pieces = \"N\", result = \"loss\" }").general.remaining;
        assert!(three[1][0] < 3 * left[1][0] / 2, "{three:?} {left:?}");
        assert!(three[2][0] - three[1][0] > 7 * (three[3][0] - three[2][0]) / 2, "{three:?}");
        let burden = weights("", "extinction = { pieces = \"NR\", result = \"win\" }");
        let left = &burden.general.remaining;
        assert!(material(&burden).as_flattened().iter().all(|&worth| worth < 0), "{:?}", material(&burden));
        assert!(left.len() == 6 && left[1][0] > left[5][0], "{left:?}");
        // What slides hardly avoids captures while the board is full; what leaps does so until the end.
        let [leaper, slider] = material(&burden);
        assert!(slider[0] < leaper[0] && leaper[1] < slider[1], "{:?}", material(&burden));
        assert!(burden.general.hanging[0] < -precious.general.hanging[0], "{:?}", burden.general.hanging);
        // A side with many moves has a choice.
        let mobility = |weights: &Weights| weights.pieces[0].mobility[0];
        assert!(mobility(&burden) >= 4 * mobility(&precious) && mobility(&precious) > 0);
        // Some pieces are to be lost: the others are burdens, too, if they must capture.
        let some = "extinction = { pieces = \"R\", result = \"win\" }";
        let free = material(&weights("", some));
        assert!(free[0] == usual[0] && free[1] == slider, "{free:?}");
        assert_eq!(material(&weights("must-capture = true\n", some)), [leaper, slider]);
    }

    #[test]
    fn burdens_are_burdens_in_hand_too() {
        let text = "id = \"test\"\nname = \"Test\"\n[board]\nsize = \"5x5\"\nstart = \"rrnnn/5/5/5/RRNNN[Nn] w - - 0 1\"\n\
            [[piece]]\nletter = \"N\"\nmoves = \"N\"\n[[piece]]\nletter = \"R\"\nmoves = \"R\"\n[hand]\ncaptures = \"captor\"\n\
            [end]\nextinction = { pieces = \"NR\", result = \"win\" }\n";
        for captures in ["captor", "nobody"] {
            let rules = Rules::parse(&text.replace("captor", captures)).unwrap();
            for piece in Weights::derived(&rules).pieces {
                let hand = piece.hand.unwrap();
                assert!((0..2).all(|n| piece.material[n] < hand[n] && hand[n] < 0), "{piece:?}");
            }
        }
    }
}
