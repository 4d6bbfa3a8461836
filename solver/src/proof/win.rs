//! The strategy of a win, from what a search has proven.

use super::header::Kind;
use super::search::{Finding, Search, Watch};
use super::strategy::{Answers, Goal, Key, NoStrategy, Strategy};
use ahash::{AHashMap, AHashSet};
use jewel_engine::ability::{Packed, Probe};

/// Bytes that a position of the strategy takes in memory, at the most and roughly, its file in the making included.
pub const BYTES: u64 = 128;

/// How often positions whose moves lead in a circle are searched again.
const ROUNDS: usize = 16;

/// A position of the line that is being followed.
struct Frame<M> {
    key: Key,
    mv: M,
    /// Plies within which it must win.
    left: u32,
    answers: Answers,
    /// Answers that were followed.
    next: usize,
}

/// A strategy in the making.
struct Making<M> {
    /// Positions whose longest play is known.
    done: AHashMap<Key, (M, u16)>,
    /// Those of the line.
    path: AHashSet<Key>,
    /// Those whose moves may lead in a circle.
    circles: AHashSet<Key>,
}

/// Plies that are left after some of them.
fn less(left: u32, plies: u16) -> u32 {
    if left == u32::MAX { left } else { left.saturating_sub(u32::from(plies)) }
}

/// Makes the strategy of a win that a search has proven. Positions that its table has forgotten are searched again. `stopped` is
/// asked with the number of positions now and then.
///
/// # Errors
/// If the search does not prove again what it has proven, or is stopped.
pub fn winning_strategy<P: Packed>(
    search: &mut Search<'_, P>,
    root: &P,
    plies: Option<u32>,
    leaves: &dyn Probe<P>,
    watch: Watch<'_, P>,
    stopped: &dyn Fn(u64) -> bool,
) -> Result<Strategy<P::Move>, NoStrategy> {
    let goal = Goal { kind: Kind::Win, prover: search.attacker(), leaves };
    let left = plies.unwrap_or(u32::MAX);
    let start = goal.answers(root, 0).ok_or(NoStrategy::Refuted)?;
    let mut making = Making { done: AHashMap::new(), path: AHashSet::new(), circles: AHashSet::new() };
    for _ in 0..ROUNDS {
        for &(key, plies) in &start.open {
            making.follow(search, root, &goal, (key, less(left, plies)), watch, stopped)?;
        }
        if making.circles.is_empty() {
            return Ok(Strategy { moves: making.done });
        }
        // Moves that were proven at different times may lead in a circle. With an empty table, and with what has a rank taken
        // for won, they do not.
        let known = making.done.iter().map(|(key, (_, rank))| {
            let position: P = root.unpack(*key);
            (position.zobrist_hash(), u32::from(*rank))
        });
        search.begin_anew(known.collect());
        making.circles.clear();
    }
    Err(NoStrategy::Unfinished)
}

impl<M: Copy> Making<M> {
    /// Whether the longest play from a position is known, and short enough.
    fn knows(&self, key: &Key, left: u32) -> bool {
        self.done.get(key).is_some_and(|&(_, rank)| u32::from(rank) <= left)
    }

    /// Follows all play from a position, depth first, so that a line and no more than the moves and ranks of what was followed
    /// before is in memory.
    fn follow<P: Packed<Move = M>>(
        &mut self,
        search: &mut Search<'_, P>,
        root: &P,
        goal: &Goal<'_, P>,
        first: (Key, u32),
        watch: Watch<'_, P>,
        stopped: &dyn Fn(u64) -> bool,
    ) -> Result<(), NoStrategy> {
        let mut line: Vec<Frame<M>> = Vec::new();
        let mut wanted = Some(first);
        loop {
            if let Some((key, left)) = wanted.take()
                && !self.knows(&key, left)
                && !self.circles.contains(&key)
            {
                if self.done.len().is_multiple_of(1 << 10) && stopped(self.done.len() as u64) {
                    return Err(NoStrategy::Unfinished);
                }
                let position: P = root.unpack(key);
                let mv = winning_move(search, &position, left, watch)?;
                let answers = goal.answers(&position.after(mv), 1).ok_or(NoStrategy::Unfinished)?;
                self.path.insert(key);
                line.push(Frame { key, mv, left, answers, next: 0 });
            }
            let Some(frame) = line.last_mut() else { return Ok(()) };
            if let Some(&(answer, plies)) = frame.answers.open.get(frame.next) {
                frame.next += 1;
                if self.path.contains(&answer) {
                    self.circles.insert(frame.key);
                } else {
                    wanted = Some((answer, less(frame.left, plies)));
                }
                continue;
            }
            let Some(frame) = line.pop() else { return Ok(()) };
            self.path.remove(&frame.key);
            self.settle(&frame);
        }
    }

    /// Notes the longest play from a position whose answers were all followed.
    fn settle(&mut self, frame: &Frame<M>) {
        let plies = |(answer, plies): &(Key, u16)| {
            let rank = self.done.get(answer).filter(|_| !self.circles.contains(answer));
            rank.map(|(_, rank)| u32::from(*plies) + u32::from(*rank))
        };
        let mut known = frame.answers.open.iter().map(plies);
        let longest = known.try_fold(frame.answers.ends, |most, plies| Some(most.max(plies?)));
        match longest.filter(|_| !self.circles.contains(&frame.key)) {
            Some(rank) => {
                self.done.insert(frame.key, (frame.mv, rank.min(u16::MAX.into()) as u16));
            }
            None => {
                self.circles.insert(frame.key);
            }
        }
    }
}

/// The move by which a position is won, searched again if the table has forgotten it.
fn winning_move<P: Packed>(
    search: &mut Search<'_, P>,
    position: &P,
    left: u32,
    watch: Watch<'_, P>,
) -> Result<P::Move, NoStrategy> {
    if let Some(mv) = search.winning_move(position, left) {
        return Ok(mv);
    }
    let within = Some(left).filter(|&left| left != u32::MAX);
    if search.prove_again(position, within, watch) != Finding::Proven {
        return Err(NoStrategy::Unfinished);
    }
    search.winning_move(position, left).ok_or(NoStrategy::Unfinished)
}
