//! The strategy of a side that does not lose, by optimism: every position is taken to be safe until all its moves have failed.
//!
//! A move is chosen for each position that play can come to, and all its answers are added. A position without a move that
//! holds is lost, and the moves that lead to it are taken back. What is left in the end is closed, and by nothing else: repetition
//! needs no care. (Local greatest fixpoints are computed so; Liu and Smolka 1998.) Short proof searches for the opponent's
//! win keep it from following lost moves far.

use super::header::Kind;
use super::search::{Finding, Search, Watch};
use super::strategy::{Goal, Key, NoStrategy, Strategy};
use ahash::AHashMap;
use jewel_engine::ability::{Packed, Probe};
use jewel_engine::position::list_moves;

/// Nodes for each search for the attacker's win that have served well.
pub const GUARD: u64 = 100;
/// About the bytes of a position of such a strategy in the making.
pub const BYTES: u64 = 400;

/// How far the making of a strategy has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stage {
    /// Positions that some move tried so far leads to.
    pub positions: u64,
    /// Those that have no move yet. It is done when there are none.
    pub waiting: u64,
    /// Those in which every move has failed.
    pub lost: u64,
}

struct Node<M> {
    key: Key,
    /// The move that is taken to be safe.
    mv: Option<M>,
    /// The positions that it leads to.
    answers: Vec<u32>,
    /// Moves that have not been tried, the best last; `None` before the first one is.
    untried: Option<Vec<M>>,
    lost: bool,
    /// Positions whose move has led here at some time.
    before: Vec<u32>,
}

/// A strategy by which `search`'s opponent does not lose. `nodes` is the number of nodes for each search for the attacker's win.
/// `stopped` is asked before every position whether to give up.
///
/// # Errors
/// If there is none, or the search was stopped.
pub fn safe_strategy<P: Packed>(
    search: &mut Search<'_, P>,
    root: &P,
    leaves: &dyn Probe<P>,
    nodes: u64,
    watch: Watch<'_, P>,
    stopped: &dyn Fn(&Stage) -> bool,
) -> Result<Strategy<P::Move>, NoStrategy> {
    let goal = Goal { kind: Kind::Safe, prover: !search.attacker(), leaves };
    let start = goal.answers(root, 0).ok_or(NoStrategy::Refuted)?;
    let mut set = Set { nodes: Vec::new(), ids: AHashMap::new(), open: Vec::new(), lost: 0 };
    let start: Vec<u32> = start.open.iter().map(|(key, _)| set.id(*key)).collect();
    while let Some(id) = set.open.pop() {
        if stopped(&set.stage()) {
            return Err(NoStrategy::Unfinished);
        }
        set.choose(id, root, &goal, search, nodes, watch);
        if start.iter().any(|&id| set.nodes[id as usize].lost) {
            return Err(NoStrategy::Refuted);
        }
    }
    Ok(set.reached(start))
}

struct Set<M> {
    nodes: Vec<Node<M>>,
    ids: AHashMap<Key, u32>,
    /// Positions that want a move, each at least once.
    open: Vec<u32>,
    /// How many are lost.
    lost: u64,
}

impl<M: Copy + Eq> Set<M> {
    /// How far it has come, before the position that was taken from the list of open ones last.
    fn stage(&self) -> Stage {
        Stage { positions: self.nodes.len() as u64, waiting: self.open.len() as u64 + 1, lost: self.lost }
    }

    fn id(&mut self, key: Key) -> u32 {
        let next = self.nodes.len() as u32;
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            let node = Node { key, mv: None, answers: vec![], untried: None, lost: false, before: vec![] };
            self.nodes.push(node);
            self.open.push(id);
        }
        id
    }

    fn choose<P: Packed<Move = M>>(
        &mut self,
        id: u32,
        root: &P,
        goal: &Goal<'_, P>,
        search: &mut Search<'_, P>,
        budget: u64,
        watch: Watch<'_, P>,
    ) {
        let node = &mut self.nodes[id as usize];
        if node.lost || node.mv.is_some() {
            return;
        }
        let position: P = root.unpack(node.key);
        let mut untried = match node.untried.take() {
            Some(untried) => untried,
            None => self.ordered(&position, goal),
        };
        while let Some(mv) = untried.pop() {
            let after = position.after(mv);
            let Some(answers) = goal.answers(&after, 1) else { continue };
            let lost = |key: &Key| self.ids.get(key).is_some_and(|&id| self.nodes[id as usize].lost);
            if answers.open.iter().any(|(key, _)| lost(key)) {
                continue;
            }
            if search.solve(&after, None, budget, watch) == Finding::Proven {
                continue;
            }
            let answers: Vec<u32> = answers.open.iter().map(|(key, _)| self.id(*key)).collect();
            for &answer in &answers {
                self.nodes[answer as usize].before.push(id);
            }
            let node = &mut self.nodes[id as usize];
            (node.mv, node.answers, node.untried) = (Some(mv), answers, Some(untried));
            return;
        }
        let node = &mut self.nodes[id as usize];
        node.lost = true;
        self.lost += 1;
        for before in std::mem::take(&mut node.before) {
            let node = &mut self.nodes[before as usize];
            if node.mv.is_some() && node.answers.contains(&id) {
                node.mv = None;
                node.answers.clear();
                self.open.push(before);
            }
        }
    }

    /// The moves, the best last: those that lead to the fewest positions that are new, and do not lose at once.
    fn ordered<P: Packed<Move = M>>(&self, position: &P, goal: &Goal<'_, P>) -> Vec<M> {
        let new = |mv: &M| {
            let answers = goal.answers(&position.after(*mv), 1)?;
            Some(answers.open.iter().filter(|(key, _)| !self.ids.contains_key(key)).count())
        };
        let mut moves: Vec<(usize, M)> =
            list_moves(position).into_iter().filter_map(|mv| Some((new(&mv)?, mv))).collect();
        moves.sort_by_key(|(new, _)| std::cmp::Reverse(*new));
        moves.into_iter().map(|(_, mv)| mv).collect()
    }

    /// The positions that play can come to.
    fn reached(&self, mut open: Vec<u32>) -> Strategy<M> {
        let mut moves = AHashMap::new();
        while let Some(id) = open.pop() {
            let node = &self.nodes[id as usize];
            if let Some(mv) = node.mv
                && moves.insert(node.key, (mv, 0)).is_none()
            {
                open.extend(&node.answers);
            }
        }
        Strategy { moves }
    }
}
