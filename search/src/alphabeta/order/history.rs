//! Histories: the success of moves in earlier parts of a search.

use jewel_engine::tactics::Tactics;
use jewel_engine::value::Side;
use std::marker::PhantomData;

/// No history has a greater magnitude.
pub(crate) const MAX_HISTORY: i32 = 16_384;

/// The number of correction entries of each side.
const CORRECTIONS: usize = 1 << 14;

/// Units of a correction in a centipawn.
const GRAIN: i32 = 256;

/// The greatest correction in centipawns.
const MAX_CORRECTION: i32 = 96;

/// Where a move ends, with the piece that ends there: the index of continuation histories.
pub(crate) type Landing = u16;

/// No move: the root, or a pass.
pub(crate) const NOWHERE: Landing = u16::MAX;

/// The success of moves in one thread's search, by several measures. The nearer an entry is to its bound, the slower
/// it moves towards it ("gravity").
#[derive(Clone, Debug)]
pub(crate) struct Histories<P> {
    butterfly: Vec<i16>,
    /// After the opponent's last move, and after the own move before.
    continuation: [Vec<i16>; 2],
    capture: Vec<i16>,
    /// Codes of the moves that refuted a landing.
    counter: Vec<u32>,
    correction: Vec<i32>,
    game: PhantomData<P>,
}

impl<P: Tactics> Default for Histories<P> {
    fn default() -> Histories<P> {
        let landings = P::KINDS * 64;
        Histories {
            butterfly: vec![0; 2 * 64 * 64],
            continuation: [(); 2].map(|()| vec![0; landings * landings]),
            capture: vec![0; landings * (P::KINDS + 1)],
            counter: vec![0; landings],
            correction: vec![0; 2 * CORRECTIONS],
            game: PhantomData,
        }
    }
}

#[inline(always)]
fn push(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / MAX_HISTORY) as i16;
}

impl<P: Tactics> Histories<P> {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(0);
        self.continuation.iter_mut().for_each(|table| table.fill(0));
        self.capture.fill(0);
        self.counter.fill(0);
        self.correction.fill(0);
    }

    /// Where a move ends.
    #[inline(always)]
    pub(crate) fn landing(mv: P::Move) -> Landing {
        (P::kind(mv) * 64 + P::to(mv)) as Landing
    }

    /// Where the butterfly history keeps a move.
    #[inline(always)]
    pub(crate) fn butterfly_index(side: Side, mv: P::Move) -> usize {
        (side.index() * 64 + P::from(mv)) * 64 + P::to(mv)
    }

    #[inline(always)]
    fn continuation_index(before: Landing, landing: Landing) -> usize {
        usize::from(before) * (P::KINDS * 64) + usize::from(landing)
    }

    /// The butterfly history of a quiet move.
    #[inline(always)]
    pub(crate) fn butterfly(&self, side: Side, mv: P::Move) -> i32 {
        self.butterfly.get(Self::butterfly_index(side, mv)).map_or(0, |&h| h.into())
    }

    /// The continuation histories of a quiet move after the last two moves, the opponent's first; summed.
    #[inline(always)]
    pub(crate) fn continuation(&self, before: [Landing; 2], mv: P::Move) -> i32 {
        let mut sum = 0;
        for (table, landing) in self.continuation.iter().zip(before) {
            if landing != NOWHERE {
                let index = Self::continuation_index(landing, Self::landing(mv));
                sum += table.get(index).map_or(0, |&h| i32::from(h));
            }
        }
        sum
    }

    #[inline(always)]
    fn capture_index(mv: P::Move, victim: Option<u8>) -> usize {
        usize::from(Self::landing(mv)) * (P::KINDS + 1)
            + victim.map_or(P::KINDS, |kind| kind as usize % P::KINDS)
    }

    /// The history of a noisy move.
    #[inline(always)]
    pub(crate) fn capture(&self, mv: P::Move, victim: Option<u8>) -> i32 {
        self.capture.get(Self::capture_index(mv, victim)).map_or(0, |&h| h.into())
    }

    /// The code of the move that last refuted the opponent's; 0 for none.
    #[inline(always)]
    pub(crate) fn counter(&self, before: Landing) -> u32 {
        self.counter.get(usize::from(before)).copied().unwrap_or(0)
    }

    /// Remembers a refutation.
    pub(crate) fn set_counter(&mut self, before: Landing, code: u32) {
        if let Some(entry) = self.counter.get_mut(usize::from(before)) {
            *entry = code;
        }
    }

    /// Rewards a quiet move, or punishes it with a negative bonus.
    pub(crate) fn reward_quiet(&mut self, side: Side, before: [Landing; 2], mv: P::Move, bonus: i32) {
        self.reward_played(Self::butterfly_index(side, mv), before, Self::landing(mv), bonus);
    }

    /// Rewards a quiet move whatever came before it.
    #[inline(always)]
    pub(crate) fn reward_butterfly(&mut self, butterfly: usize, bonus: i32) {
        if let Some(entry) = self.butterfly.get_mut(butterfly) {
            push(entry, bonus);
        }
    }

    /// Rewards a quiet move of which only its places in the histories are known.
    pub(crate) fn reward_played(
        &mut self,
        butterfly: usize,
        before: [Landing; 2],
        landing: Landing,
        bonus: i32,
    ) {
        self.reward_butterfly(butterfly, bonus);
        for (table, earlier) in self.continuation.iter_mut().zip(before) {
            if earlier != NOWHERE
                && let Some(entry) = table.get_mut(Self::continuation_index(earlier, landing))
            {
                push(entry, bonus);
            }
        }
    }

    /// Rewards a noisy move, or punishes it with a negative bonus.
    pub(crate) fn reward_noisy(&mut self, mv: P::Move, victim: Option<u8>, bonus: i32) {
        if let Some(entry) = self.capture.get_mut(Self::capture_index(mv, victim)) {
            push(entry, bonus);
        }
    }

    #[inline(always)]
    fn correction_index(side: Side, structure: u64) -> usize {
        side.index() * CORRECTIONS + (structure >> (64 - CORRECTIONS.trailing_zeros())) as usize
    }

    /// What to add to the evaluation of positions of this structure, in centipawns.
    #[inline(always)]
    pub(crate) fn correction(&self, side: Side, structure: u64) -> i32 {
        self.correction[Self::correction_index(side, structure)] / GRAIN
    }

    /// Learns that the score of a search of this depth was higher than the evaluation by `difference`.
    pub(crate) fn correct(&mut self, side: Side, structure: u64, depth: i32, difference: i32) {
        let entry = &mut self.correction[Self::correction_index(side, structure)];
        let weight = (depth + 1).min(16);
        let mixed = (*entry * (256 - weight) + difference * GRAIN * weight) / 256;
        *entry = mixed.clamp(-MAX_CORRECTION * GRAIN, MAX_CORRECTION * GRAIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, ChessLike, Leapers};
    use jewel_engine::position::list_moves;

    #[test]
    fn histories_stay_in_bounds_and_forget() {
        let game =
            ChessGame::<Leapers, 4>::new(jewel_engine::games::find("ambush").unwrap().rules()).unwrap();
        let moves = list_moves(&game.start());
        let mut histories = Histories::<ChessLike<'_, Leapers, 4>>::default();
        for _ in 0..1000 {
            histories.reward_quiet(Side::White, [3, NOWHERE], moves[0], 1700);
            histories.reward_quiet(Side::White, [3, NOWHERE], moves[1], -1700);
            histories.reward_noisy(moves[0], Some(2), 1700);
            histories.correct(Side::Black, 77, 20, 5000);
        }
        let best = histories.butterfly(Side::White, moves[0]);
        assert!(best > MAX_HISTORY / 2 && best <= MAX_HISTORY);
        assert_eq!(histories.continuation([3, 9], moves[1]), histories.butterfly(Side::White, moves[1]));
        assert_eq!(histories.butterfly(Side::Black, moves[0]), 0);
        assert_eq!(histories.correction(Side::Black, 77), MAX_CORRECTION);
        assert!(histories.capture(moves[0], Some(2)) > 0 && histories.capture(moves[0], None) == 0);
        histories.clear();
        assert_eq!(histories.butterfly(Side::White, moves[0]), 0);
    }
}
