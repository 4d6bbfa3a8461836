//! Distances that a table does not hold, found by a few plies of search.
//!
//! A table may hold the distances of lost positions only, and two distances may share a number. A win is a ply longer than the
//! shortest of the losses that it leads to. Which of two distances a loss has is found two plies ahead: it is the shorter one,
//! `n`, if after each move some reply leads to a loss in at most `n - 2` plies. A loss in `n - 2` has another number, so that the
//! search ends there.

use super::set::{ProbeError, TableSet};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use std::ops::{ControlFlow, RangeInclusive};

impl TableSet<'_> {
    /// The value of a position in which the game goes on and there is no right to capture *en passant*.
    pub(super) fn looked_up<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Value, ProbeError> {
        match self.stored(position)? {
            (Outcome::Draw, _) => Ok(Value::Draw),
            (Outcome::Win, Some(range)) => Ok(Value::Win(*range.start())),
            (Outcome::Loss, Some(range)) if range.start() == range.end() => Ok(Value::Loss(*range.start())),
            (Outcome::Loss, Some(range)) => {
                let sooner = self.all_lose_within(position, *range.start())?;
                Ok(Value::Loss(if sooner { *range.start() } else { *range.end() }))
            }
            (_, None) => self.shortest_win(position),
        }
    }

    /// The value of a won position: a ply longer than the shortest loss after its moves.
    fn shortest_win<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Value, ProbeError> {
        let mut losses = vec![];
        self.each_move(position, |next| {
            losses.extend(self.loss_bounds(next)?.map(|range| (*range.start(), *next)));
            Ok(false)
        })?;
        losses.sort_by_key(|&(least, _)| least);
        let mut shortest = None;
        for (least, next) in losses {
            if shortest.is_some_and(|n| n <= least) {
                break;
            }
            if let Value::Loss(n) = TableSet::probe(self, &next)? {
                shortest = Some(shortest.unwrap_or(n).min(n));
            }
        }
        Ok(shortest.map_or(Value::Draw, |n| Value::Win(n + 1)))
    }

    /// Bounds on the distance of a position; `None` if it is not lost.
    fn loss_bounds<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Option<RangeInclusive<u32>>, ProbeError> {
        if let Some(outcome) = position.outcome() {
            return Ok((outcome == Outcome::Loss).then_some(0..=0));
        }
        if position.en_passant().is_some() {
            let lost = if let Value::Loss(n) = TableSet::probe(self, position)? { Some(n..=n) } else { None };
            return Ok(lost);
        }
        Ok(match self.stored(position)? {
            (Outcome::Loss, range) => range,
            _ => None,
        })
    }

    /// Whether the opponent wins after every move of a position, within `plies` plies of it; the game is not over.
    pub(super) fn all_lose_within<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
        plies: u32,
    ) -> Result<bool, ProbeError> {
        let Some(plies) = plies.checked_sub(1) else { return Ok(false) };
        Ok(!self.each_move(position, |next| Ok(!self.won_within(next, plies)?))?)
    }

    /// Whether a position is won within `plies` plies.
    fn won_within<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
        plies: u32,
    ) -> Result<bool, ProbeError> {
        if let Some(outcome) = position.outcome() {
            return Ok(outcome == Outcome::Win);
        }
        let Some(plies) = plies.checked_sub(1) else { return Ok(false) };
        if self.probe_outcome(position)? != Outcome::Win {
            return Ok(false);
        }
        let mut unclear = vec![];
        let clear = self.each_move(position, |next| {
            match self.loss_bounds(next)? {
                Some(range) if *range.end() <= plies => return Ok(true),
                Some(range) if *range.start() <= plies => unclear.push(*next),
                _ => {}
            }
            Ok(false)
        })?;
        if clear {
            return Ok(true);
        }
        for next in unclear {
            if self.all_lose_within(&next, plies)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `found` is true of a position after some move; stops at the first. Tables know no counter of moves, so none
    /// runs on the way.
    fn each_move<'p, S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'p, S, N>,
        mut found: impl FnMut(&ChessLike<'p, S, N>) -> Result<bool, ProbeError>,
    ) -> Result<bool, ProbeError> {
        let flow = position.moves(|mv| match found(&position.after(mv).without_clock()) {
            Ok(false) => ControlFlow::Continue(()),
            end => ControlFlow::Break(end),
        });
        flow.break_value().unwrap_or(Ok(false))
    }
}
