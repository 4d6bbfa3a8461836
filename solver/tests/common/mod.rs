//! Shared by the tests: a game that is any graph, a solver that is too simple to be wrong, and shortcuts.

use jewel_engine::ability::{Game, Packed, PackedKey, Symmetric};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_engine::zobrist::splitmix64;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use proptest::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A node of a toy game.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) side: Side,
    /// How the game ended here, if it did, in spite of any moves.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) moves: Vec<usize>,
}

/// A position of a game that is a graph: a side may move twice, nodes may have loops and double edges.
#[derive(Clone)]
pub(crate) struct Toy {
    pub(crate) nodes: Arc<Vec<Node>>,
    pub(crate) at: usize,
}

impl Toy {
    pub(crate) fn new(nodes: Vec<Node>) -> Toy {
        Toy { nodes: Arc::new(nodes), at: 0 }
    }

    fn node(&self) -> &Node {
        &self.nodes[self.at]
    }
}

impl PartialEq for Toy {
    fn eq(&self, other: &Toy) -> bool {
        self.at == other.at
    }
}

impl Eq for Toy {}

impl Hash for Toy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.at.hash(state);
    }
}

impl std::fmt::Debug for Toy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "node {}", self.at)
    }
}

impl Position for Toy {
    type Move = usize;

    fn side_to_move(&self) -> Side {
        self.node().side
    }

    fn outcome(&self) -> Option<Outcome> {
        // Without a move the game must be over.
        self.node().outcome.or(self.node().moves.is_empty().then_some(Outcome::Draw))
    }

    fn moves<B>(&self, mut visit: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        (0..self.node().moves.len()).try_for_each(&mut visit)
    }

    fn play(&mut self, mv: usize) {
        self.at = self.node().moves[mv];
    }

    fn zobrist_hash(&self) -> u64 {
        splitmix64(self.at as u64).1
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist_hash()
    }
}

impl Packed for Toy {
    fn packed_bits(&self) -> u32 {
        40
    }

    fn pack<K: PackedKey>(&self) -> K {
        K::ZERO.push(self.at as u64, 40)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Toy {
        Toy { nodes: self.nodes.clone(), at: key.pop(40).1 as usize }
    }
}

impl Symmetric for Toy {}

/// A game that has forgotten how to take moves back and how to make keys fast.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Forgetful<P>(pub(crate) P);

impl<P: Position> Position for Forgetful<P> {
    type Move = P::Move;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves<B>(&self, visit: impl FnMut(P::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.moves(visit)
    }

    fn play(&mut self, mv: P::Move) {
        self.0.play(mv);
    }

    fn zobrist_hash(&self) -> u64 {
        self.0.zobrist_hash()
    }

    fn recomputed_hash(&self) -> u64 {
        self.0.recomputed_hash()
    }
}

impl<P: Packed> Packed for Forgetful<P> {
    fn packed_bits(&self) -> u32 {
        self.0.packed_bits()
    }

    fn pack<K: PackedKey>(&self) -> K {
        self.0.pack()
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        Forgetful(self.0.unpack(key))
    }
}

/// A game whose positions are said to take more bits, so that they have wider keys.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Widened<P> {
    pub(crate) inner: P,
    pub(crate) bits: u32,
}

impl<P: Position> Widened<P> {
    fn same(&self, inner: P) -> Self {
        Widened { inner, bits: self.bits }
    }
}

impl<P: Position> Position for Widened<P> {
    type Move = P::Move;

    fn side_to_move(&self) -> Side {
        self.inner.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.inner.outcome()
    }

    fn moves<B>(&self, visit: impl FnMut(P::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.inner.moves(visit)
    }

    fn play(&mut self, mv: P::Move) {
        self.inner.play(mv);
    }

    fn zobrist_hash(&self) -> u64 {
        self.inner.zobrist_hash()
    }

    fn recomputed_hash(&self) -> u64 {
        self.inner.recomputed_hash()
    }
}

impl<P: Packed> Packed for Widened<P> {
    fn packed_bits(&self) -> u32 {
        self.bits
    }

    fn pack<K: PackedKey>(&self) -> K {
        self.inner.pack()
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        self.same(self.inner.unpack(key))
    }

    fn expand<K: PackedKey>(&self, key: K, visit: impl FnMut(K)) -> (Side, Option<Outcome>) {
        self.inner.expand(key, visit)
    }

    fn set_bits(&self) -> u32 {
        self.inner.set_bits()
    }

    fn has_unmoves(&self) -> bool {
        self.inner.has_unmoves()
    }

    fn unmoves<K: PackedKey>(&self, key: K, visit: impl FnMut(K)) {
        self.inner.unmoves(key, visit);
    }
}

impl<P: Symmetric> Symmetric for Widened<P> {
    fn images(&self) -> Vec<(Self, bool)> {
        self.inner.images().into_iter().map(|(image, exchanged)| (self.same(image), exchanged)).collect()
    }

    fn sides_are_alike(&self) -> bool {
        self.inner.sides_are_alike()
    }
}

/// A position with keys of at least this many bits.
pub(crate) fn widened<P: Packed>(root: &P, bits: u32) -> Widened<P> {
    Widened { inner: root.clone(), bits: root.packed_bits().max(bits) }
}

/// A toy game that takes moves back, in whose keys a part is a set: of as many bits as there can be at the root.
#[derive(Clone, Debug)]
pub(crate) struct Backwards {
    pub(crate) toy: Toy,
    before: Arc<Vec<Vec<usize>>>,
}

impl Backwards {
    const SET: u32 = 20;

    pub(crate) fn new(toy: Toy) -> Backwards {
        let mut before = vec![Vec::new(); toy.nodes.len()];
        for (from, node) in toy.nodes.iter().enumerate() {
            node.moves.iter().for_each(|&to| before[to].push(from));
        }
        Backwards { toy, before: Arc::new(before) }
    }

    pub(crate) fn at(&self, at: usize) -> Backwards {
        Backwards { toy: Toy { nodes: self.toy.nodes.clone(), at }, before: self.before.clone() }
    }
}

impl PartialEq for Backwards {
    fn eq(&self, other: &Backwards) -> bool {
        self.toy == other.toy
    }
}

impl Eq for Backwards {}

impl Hash for Backwards {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.toy.hash(state);
    }
}

impl Position for Backwards {
    type Move = usize;

    fn side_to_move(&self) -> Side {
        self.toy.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.toy.outcome()
    }

    fn moves<B>(&self, visit: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        self.toy.moves(visit)
    }

    fn play(&mut self, mv: usize) {
        self.toy.play(mv);
    }

    fn zobrist_hash(&self) -> u64 {
        self.toy.zobrist_hash()
    }

    fn recomputed_hash(&self) -> u64 {
        self.toy.recomputed_hash()
    }
}

impl Packed for Backwards {
    fn packed_bits(&self) -> u32 {
        40
    }

    fn pack<K: PackedKey>(&self) -> K {
        K::ZERO.push(self.toy.at as u64 ^ ((1 << Self::SET) - 1), 40)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Backwards {
        self.at((key.pop(40).1 ^ ((1 << Self::SET) - 1)) as usize)
    }

    fn set_bits(&self) -> u32 {
        Self::SET
    }

    fn has_unmoves(&self) -> bool {
        true
    }

    fn unmoves<K: PackedKey>(&self, key: K, visit: impl FnMut(K)) {
        let before = &self.before[self.unpack(key).toy.at];
        before.iter().map(|&at| self.at(at).pack()).for_each(visit);
    }
}

impl Symmetric for Backwards {}

/// Random toy games of up to `most` nodes.
pub(crate) fn toys(most: usize) -> impl Strategy<Value = Toy> {
    (1..=most).prop_flat_map(|count| {
        let outcome = prop_oneof![
            6 => Just(None),
            1 => prop_oneof![Just(Outcome::Win), Just(Outcome::Loss), Just(Outcome::Draw)].prop_map(Some),
        ];
        let node = (any::<bool>(), outcome, prop::collection::vec(0..count, 0..5)).prop_map(
            |(white, outcome, moves)| {
                let side = if white { Side::White } else { Side::Black };
                Node { side, outcome, moves }
            },
        );
        prop::collection::vec(node, count).prop_map(Toy::new)
    })
}

/// The values of all positions that a root leads to, by going over all positions until no value changes.
///
/// In round `n` the wins and losses in `n` plies appear, from the values known before the round.
pub(crate) fn brute_force<P: Position>(root: &P) -> HashMap<P, Value> {
    let mut found = vec![root.clone()];
    let mut children: HashMap<P, Vec<P>> = HashMap::new();
    let mut queue = VecDeque::from([root.clone()]);
    while let Some(position) = queue.pop_front() {
        if children.contains_key(&position) {
            continue;
        }
        let over = position.outcome().is_some();
        let list: Vec<P> = list_moves(&position).into_iter().map(|mv| position.after(mv)).collect();
        let list = if over { Vec::new() } else { list };
        queue.extend(list.iter().cloned());
        found.push(position.clone());
        children.insert(position, list);
    }
    let mut values: HashMap<P, Value> = HashMap::new();
    for position in &found {
        if let Some(outcome) = position.outcome() {
            values.insert(position.clone(), Value::from_outcome(outcome));
        }
    }
    loop {
        let mut news = Vec::new();
        for position in found.iter().filter(|p| !values.contains_key(*p)) {
            let known = children[position].iter().map(|child| {
                Some(values.get(child)?.before_ply(position.side_to_move(), child.side_to_move()))
            });
            let known: Vec<Option<Value>> = known.collect();
            let best = known.iter().flatten().max();
            let won = best.is_some_and(|value| value.outcome() == Outcome::Win);
            let lost = known.iter().all(|value| value.is_some_and(|v| v.outcome() == Outcome::Loss));
            if won || lost {
                news.push((position.clone(), *best.unwrap()));
            }
        }
        if news.is_empty() {
            break;
        }
        values.extend(news);
    }
    // Neither side can force an end of the rest.
    found.into_iter().map(|p| (p.clone(), values.get(&p).copied().unwrap_or(Value::Draw))).collect()
}

/// Enumerates and solves without limits.
pub(crate) fn solved<P: Packed>(root: &P) -> Solution<P> {
    try_solved(root, Limits::default()).expect("no limit")
}

/// Enumerates and solves.
pub(crate) fn try_solved<P: Packed>(root: &P, limits: Limits) -> Result<Solution<P>, Stop> {
    Control::with_limits(limits, |control| {
        let mut graph = Graph::new(root.clone()).unwrap();
        graph.enumerate(control)?;
        graph.solve(control)
    })
}

/// Solves a position in a pool of `threads` threads.
pub(crate) fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A random game of two or three kinds of pieces on a small board, as a variant file.
pub(crate) fn small_game() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "W", "F", "WD", "N", "K", "mfWcfF", "R", "B", "FA", "nN", "mRcF", "R2", "fFbW", "mWcN", "fsW", "nD",
        "flF",
    ]);
    let objective = prop::sample::select(vec!["hold", "secure", "reach", "none"]);
    let stalemate = prop::sample::select(vec!["loss", "draw", "win"]);
    let cells = prop::collection::vec(prop::option::weighted(0.35, (0..3usize, any::<bool>())), 16);
    (
        (2..=4usize, 2..=4usize),
        prop::collection::vec(word, 2..=3),
        (objective, any::<u8>(), any::<bool>()),
        stalemate,
        cells,
        (any::<bool>(), any::<bool>(), prop::option::weighted(0.3, 1..4u32), any::<bool>()),
    )
        .prop_filter_map("no such game", |((w, h), words, (objective, goal, all), stalemate, cells, more)| {
            let (black, must, n_move, promotes) = more;
            let mut rows = vec![];
            for y in (0..h).rev() {
                let row: String = (0..w)
                    .map(|x| match cells[y * w + x] {
                        Some((kind, white)) if kind < words.len() => {
                            let letter = char::from(b'A' + kind as u8);
                            if white { letter } else { letter.to_ascii_lowercase() }
                        }
                        _ => '1',
                    })
                    .collect();
                rows.push(row);
            }
            let mut text = format!("name = \"R\"\nmust-capture = {must}\n[board]\nsize = \"{w}x{h}\"\n");
            text += &format!("start = \"{} {} - - 0 1\"\n", rows.join("/"), if black { "b" } else { "w" });
            for (kind, word) in words.iter().enumerate() {
                text += &format!("[[piece]]\nletter = \"{}\"\nmoves = \"{word}\"\n", char::from(b'A' + kind as u8));
                if promotes && kind == 0 {
                    text += &format!(
                        "promotion = {{ zone = {{ w = [\"rank {h}\"], b = [\"rank 1\"] }}, to = \"B\", optional = true }}\n"
                    );
                }
            }
            if objective != "none" {
                let square = |n: u8| format!("{}{}", char::from(b'a' + n % w as u8), usize::from(n) / w % h + 1);
                text += &format!("[key]\nobjective = \"{objective}\"\n");
                text += &format!("goals = {{ w = [\"{}\"], b = [\"{}\"] }}\n", square(goal), square(goal.rotate_left(4)));
                text += if all { "" } else { "eligible = \"A\"\n" };
            }
            text += &format!("[end]\nstalemate = \"{stalemate}\"\n");
            if let Some(n) = n_move {
                text += &format!("[draw]\nn-move = {n}\n");
            }
            let rules = Rules::parse(&text).ok()?;
            let small = with_leanest_game!(&rules, game => {
                let limits = Limits { max_positions: 3_000, ..Default::default() };
                game.start().outcome().is_none() && try_solved(&game.start(), limits).is_ok()
            });
            small.then_some(text)
        })
}
