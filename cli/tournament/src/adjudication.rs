//! Adjudication: ending games early that are decided.

use crate::record::Reason;
use jewel_engine::value::{Side, Verdict};
use jewel_search::score::Score;
use serde::{Serialize, Serializer};
use std::path::PathBuf;

/// After how many plies a game is a draw, those of the opening included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyLimit {
    /// After as many as are usual in the game: 1000, unless the game has a limit of its own.
    Usual,
    /// Never.
    Never,
    /// After this many.
    After(usize),
}

impl PlyLimit {
    /// The limit in a game whose own is `usual`.
    #[must_use]
    pub fn in_game(self, usual: Option<usize>) -> PlyLimit {
        match (self, usual) {
            (PlyLimit::Usual, Some(plies)) => PlyLimit::After(plies),
            (limit, _) => limit,
        }
    }

    /// The number of plies; `None` without a limit.
    pub fn plies(self) -> Option<usize> {
        match self {
            PlyLimit::Usual => Some(1000),
            PlyLimit::Never => None,
            PlyLimit::After(plies) => Some(plies),
        }
    }
}

/// As the number of plies.
impl Serialize for PlyLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plies().serialize(serializer)
    }
}

/// Which games are ended before their rules end them.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Adjudication {
    /// When a game is a draw for its length.
    pub max_plies: PlyLimit,
    /// A player that scores its position as lost loses.
    pub resign: Option<Resign>,
    /// A game that both players score as drawn is a draw.
    pub draw: Option<DrawnGame>,
    /// A game ends with the result of these endgame tables as soon as they hold its position.
    pub tables: Option<PathBuf>,
}

impl Default for Adjudication {
    fn default() -> Adjudication {
        Adjudication { max_plies: PlyLimit::Usual, resign: None, draw: None, tables: None }
    }
}

/// When a player has lost by its own score.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct Resign {
    /// Its score is at most minus this many centipawns, above 0, …
    pub score: i32,
    /// … for this many of its moves in a row, from 1.
    pub moves: u32,
}

/// When a game is a draw by both scores.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct DrawnGame {
    /// Both scores are within this many centipawns of 0 …
    pub score: i32,
    /// … for this many moves of each side in a row, from 1, …
    pub moves: u32,
    /// … the last of them after this many plies.
    pub from: usize,
}

/// Follows the scores of one game.
#[derive(Clone, Debug)]
pub(crate) struct Adjudicator<'a> {
    rules: &'a Adjudication,
    /// Moves in a row at which each side scored its position as lost.
    lost: [u32; 2],
    /// Plies in a row that were scored as drawn.
    drawn: u32,
}

impl<'a> Adjudicator<'a> {
    pub(crate) fn new(rules: &'a Adjudication) -> Adjudicator<'a> {
        Adjudicator { rules, lost: [0; 2], drawn: 0 }
    }

    /// The result that follows from the score that a side gave with its move; `plies` includes that move.
    pub(crate) fn update(
        &mut self,
        side: Side,
        score: Option<Score>,
        plies: usize,
    ) -> Option<(Verdict, Reason)> {
        if let Some(Resign { score: limit, moves }) = self.rules.resign {
            let lost = score.is_some_and(|score| score.raw() <= -limit);
            let row = &mut self.lost[side.index()];
            *row = if lost { *row + 1 } else { 0 };
            if *row >= moves {
                let verdict = if side == Side::White { Verdict::BlackWins } else { Verdict::WhiteWins };
                return Some((verdict, Reason::ResignScore));
            }
        }
        if let Some(DrawnGame { score: limit, moves, from }) = self.rules.draw {
            let drawn = score.is_some_and(|score| score.raw().abs() <= limit);
            self.drawn = if drawn { self.drawn + 1 } else { 0 };
            if self.drawn >= moves.saturating_mul(2) && plies >= from {
                return Some((Verdict::Draw, Reason::DrawScore));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(rules: &Adjudication, scores: &[Option<i32>]) -> Option<(usize, Verdict, Reason)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(n, score)| {
            let side = Side::BOTH[n % 2];
            let (verdict, reason) = adjudicator.update(side, score.map(Score::centipawns), n + 1)?;
            Some((n + 1, verdict, reason))
        })
    }

    #[test]
    fn who_sees_itself_lost_long_enough_has_lost() {
        let resign = Some(Resign { score: 500, moves: 2 });
        let rules = Adjudication { resign, ..Adjudication::default() };
        let black_lost = Some((4, Verdict::WhiteWins, Reason::ResignScore));
        assert_eq!(update(&rules, &[Some(600), Some(-500), Some(900), Some(-501)]), black_lost);
        // A better score, or none at all, restarts the count.
        assert_eq!(update(&rules, &[Some(-900), None, Some(-499), None, Some(-900)]), None);
        assert_eq!(update(&rules, &[Some(-900), None, None, None, Some(-900)]), None);
        assert_eq!(update(&Adjudication::default(), &[Some(-900); 50]), None);
        let by_force = [Some(Score::loss_in(3)), None, Some(Score::loss_in(1))];
        let mut adjudicator = Adjudicator::new(&rules);
        let last = by_force
            .iter()
            .enumerate()
            .find_map(|(n, score)| adjudicator.update(Side::BOTH[n % 2], *score, n));
        assert_eq!(last, Some((Verdict::BlackWins, Reason::ResignScore)));
    }

    #[test]
    fn what_both_see_as_a_draw_is_one() {
        let draw = Some(DrawnGame { score: 10, moves: 2, from: 6 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(
            update(&rules, &[Some(10), Some(-10), Some(0), Some(3), Some(0), Some(0), Some(0)]).unwrap().0,
            6
        );
        let late = [Some(0), Some(0), Some(11), Some(0), Some(0), Some(0), Some(0)];
        assert_eq!(update(&rules, &late), Some((7, Verdict::Draw, Reason::DrawScore)));
        assert_eq!(update(&rules, &[None; 20]), None);
    }
}
