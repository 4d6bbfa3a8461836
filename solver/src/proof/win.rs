//! The strategy of a win, from what a search has proven.

use super::header::Kind;
use super::search::{Finding, Search, Watch};
use super::strategy::{Answers, Goal, Key, NoStrategy, Strategy};
use ahash::AHashMap;
use jewel_engine::ability::{Packed, Probe};

/// A position of the strategy in the making.
struct Plan<M> {
    mv: M,
    /// Plies within which it must win.
    left: u32,
    answers: Answers,
}

/// How often positions whose moves lead in a circle are searched again.
const ROUNDS: usize = 16;

/// Makes the strategy of a win that a search has proven. Positions that its table has forgotten are searched again.
///
/// # Errors
/// If the search does not prove again what it has proven, or is stopped.
pub fn winning_strategy<P: Packed>(
    search: &mut Search<'_, P>,
    root: &P,
    plies: Option<u32>,
    leaves: &dyn Probe<P>,
    watch: Watch<'_, P>,
) -> Result<Strategy<P::Move>, NoStrategy> {
    let goal = Goal { kind: Kind::Win, prover: search.attacker(), leaves };
    let left = plies.unwrap_or(u32::MAX);
    let mut done: AHashMap<Key, (P::Move, u16)> = AHashMap::new();
    let start = goal.answers(root, 0).ok_or(NoStrategy::Refuted)?;
    let less =
        |left: u32, plies: u16| if left == u32::MAX { left } else { left.saturating_sub(u32::from(plies)) };
    let mut open: Vec<(Key, u32)> = start.open.iter().map(|&(key, plies)| (key, less(left, plies))).collect();
    for _ in 0..ROUNDS {
        let mut plans: AHashMap<Key, Plan<P::Move>> = AHashMap::new();
        while let Some((key, left)) = open.pop() {
            if done.contains_key(&key) || plans.get(&key).is_some_and(|plan| plan.left <= left) {
                continue;
            }
            let position: P = root.unpack(key);
            let within = Some(left).filter(|&left| left != u32::MAX);
            let mv = match search.winning_move(&position, left) {
                Some(mv) => mv,
                None if search.prove_again(&position, within, watch) == Finding::Proven => {
                    search.winning_move(&position, left).ok_or(NoStrategy::Unfinished)?
                }
                None => return Err(NoStrategy::Unfinished),
            };
            let answers = goal.answers(&position.after(mv), 1).ok_or(NoStrategy::Unfinished)?;
            open.extend(answers.open.iter().map(|&(key, plies)| (key, less(left, plies))));
            plans.insert(key, Plan { mv, left, answers });
        }
        let circles = rank(plans, &mut done);
        if circles.is_empty() {
            return Ok(Strategy { moves: done });
        }
        // Moves that were proven at different times may lead in a circle. With an empty table, and with what has a rank taken
        // for won, they do not.
        let known = done.iter().map(|(key, (_, rank))| {
            let position: P = root.unpack(*key);
            (position.zobrist_hash(), u32::from(*rank))
        });
        search.begin_anew(known.collect());
        open = circles.into_iter().take(1).collect();
        open.extend(start.open.iter().map(|&(key, plies)| (key, less(left, plies))));
    }
    Err(NoStrategy::Unfinished)
}

/// Moves plans whose longest play is known into `done`, with its plies; returns those that lead in a circle.
fn rank<M: Copy>(plans: AHashMap<Key, Plan<M>>, done: &mut AHashMap<Key, (M, u16)>) -> Vec<(Key, u32)> {
    let mut waiting: AHashMap<Key, Vec<Key>> = AHashMap::new();
    let mut left: AHashMap<Key, usize> = AHashMap::new();
    let mut ready = Vec::new();
    for (key, plan) in &plans {
        let open = plan.answers.open.iter().filter(|(answer, _)| !done.contains_key(answer));
        let count = open.inspect(|(answer, _)| waiting.entry(*answer).or_default().push(*key)).count();
        left.insert(*key, count);
        if count == 0 {
            ready.push(*key);
        }
    }
    let mut ranked = 0;
    while let Some(key) = ready.pop() {
        let plan = &plans[&key];
        let plies = |&(answer, plies): &(Key, u16)| {
            u32::from(plies) + done.get(&answer).map_or(0, |(_, rank)| u32::from(*rank))
        };
        let rank = plan.answers.open.iter().map(plies).max().unwrap_or(0).max(plan.answers.ends);
        done.insert(key, (plan.mv, rank.min(u16::MAX.into()) as u16));
        ranked += 1;
        for before in waiting.remove(&key).unwrap_or_default() {
            if let Some(count) = left.get_mut(&before) {
                *count -= 1;
                if *count == 0 {
                    ready.push(before);
                }
            }
        }
    }
    if ranked == plans.len() {
        return vec![];
    }
    plans.iter().filter(|(key, _)| !done.contains_key(*key)).map(|(key, plan)| (*key, plan.left)).collect()
}
