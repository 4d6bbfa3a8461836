//! The lines that a search reports: the moves of the root in order, with scores and principal variations.

use super::model::{Actor, Model};
use super::options::Options;
use super::proof::SOME_DAY;
use super::simulate::Shared;
use super::tree::{Node, ROOT, value_of_move};
use crate::report::Info;
use crate::score::Score;
use jewel_engine::value::{Side, Value};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Plies of the longest principal variation that is reported.
const MAX_LINE_LENGTH: usize = 64;

/// How good a move is for its mover: wins first (quick ones before slow ones), losses last (slow ones before quick
/// ones), and between them by a lower bound of the result: the mean, mixed with implicit minimax, less one over the
/// root of the visits. A proven draw is exactly half a point.
fn rank<E>(options: &Options, child: &Node<E>, mover: Side) -> f64 {
    let far = |plies: u32| f64::from(plies) * 1e-10;
    match value_of_move(child, mover) {
        Some(Value::Win(plies)) => 3.0 - far(plies),
        Some(Value::Loss(plies)) => -3.0 + far(plies),
        Some(Value::Draw) => 0.5,
        None => {
            let record = child.record(mover);
            let mean = || options.mixed(record.mean(), child, mover);
            if record.visits == 0 { -2.0 } else { mean() - (record.visits as f64).sqrt().recip() }
        }
    }
}

/// The score of a proven value. A win at an unknown distance has the best score that is not decided.
fn score_of(value: Value) -> Score {
    match value {
        Value::Win(plies) if plies >= SOME_DAY => Score::centipawns(Score::MAX_CENTIPAWNS),
        Value::Loss(plies) if plies >= SOME_DAY => Score::centipawns(-Score::MAX_CENTIPAWNS),
        known => Score::from(known),
    }
}

/// Allowed children of a node, best first; equal ones in the order of the moves.
fn ranked<E>(
    options: &Options,
    children: &[Node<E>],
    mover: Side,
    allowed: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let ranks = children.iter().enumerate().filter(|&(number, _)| allowed(number));
    falling(ranks.map(|(number, child)| (number, rank(options, child, mover))).collect())
}

/// The numbers in the order of falling ranks. A function without type parameters is compiled once for all games.
fn falling(mut ranks: Vec<(usize, f64)>) -> Vec<usize> {
    ranks.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranks.into_iter().map(|(number, _)| number).collect()
}

impl<M: Model> Shared<'_, M> {
    /// The best lines of the root, best first.
    pub(super) fn lines(&self, count: u32, elapsed: Duration) -> Vec<Info<M::Edge>> {
        let state = self.model.root();
        let (Actor::Player(mover), Some(children)) = (self.model.actor(&state), self.tree.children(ROOT))
        else {
            return Vec::new();
        };
        let order = ranked(self.options, children, mover, |number| self.allowed[number]);
        let lines = order.into_iter().take(count.max(1) as usize).enumerate();
        lines
            .map(|(place, number)| {
                let mut info = Info {
                    multipv: place as u32 + 1,
                    pv: self.principal_variation(state.clone(), number),
                    ..self.info(&children[number], mover, elapsed)
                };
                // The first line is the position's: other moves may be better, unless it wins or all are known.
                info.proven &= place > 0 || info.score.is_win() || self.is_decided();
                info.exact = info.is_exact(|| None);
                info
            })
            .collect()
    }

    /// What endgame tables know of the position, if there are any.
    pub(super) fn known(&self) -> Option<Value> {
        let state = self.model.root();
        let Actor::Player(mover) = self.model.actor(&state) else { return None };
        Some(self.model.tablebase_value(&state)?.seen_by(mover))
    }

    fn info(&self, child: &Node<M::Edge>, mover: Side, elapsed: Duration) -> Info<M::Edge> {
        let value = value_of_move(child, mover);
        let mean = child.record(mover).mean();
        let finished = self.totals.finished.load(Relaxed);
        Info {
            score: value.map_or_else(|| Score::from_expectation(mean), score_of),
            proven: value.is_some_and(|value| value.distance() < Some(SOME_DAY)),
            depth: self.totals.depths.load(Relaxed).checked_div(finished).unwrap_or(0) as u32,
            seldepth: self.totals.deepest.load(Relaxed) as u32,
            nodes: self.nodes(),
            elapsed,
            hashfull: (u64::from(self.tree.used()) * 1000 / u64::from(self.tree.capacity())) as u32,
            visits: child.visit_count(),
            tb_hits: self.totals.tb_hits.load(Relaxed),
            expectation: Some(value.map_or(mean, |value| Score::from(value).expectation())),
            ..Info::default()
        }
    }

    /// The best move for each side from a child of the root on, as far as the tree knows any.
    fn principal_variation(&self, mut state: M::State, number: usize) -> Vec<M::Edge> {
        let mut line = Vec::new();
        let mut at = ROOT;
        let mut next = Some(number);
        while let (Some(number), Some(first)) = (next, self.tree.first_child(at)) {
            at = first + number as u32;
            let Some(edge) = self.tree.edge(at) else { break };
            line.push(edge);
            if line.len() >= MAX_LINE_LENGTH {
                break;
            }
            self.model.follow(&mut state, edge);
            next = self.best_child(at, &state);
        }
        line
    }

    fn best_child(&self, at: u32, state: &M::State) -> Option<usize> {
        let children = self.tree.children(at)?;
        let Actor::Player(mover) = self.model.actor(state) else { return None };
        let best = ranked(self.options, children, mover, |_| true).first().copied()?;
        let known = children[best].visit_count() > 0 || children[best].proof().is_some();
        known.then_some(best)
    }
}
