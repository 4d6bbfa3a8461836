//! One simulation after another, by one thread with trees of its own.

use super::insight::{Insight, hash};
use super::options::{Method, Options};
use super::select::{sample, select};
use super::tally::Tally;
use super::tree::{ROOT, Tree};
use crate::control::{Allowance, Deadline};
use crate::sampling::{seen_by, share_of};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::playout::Step;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use std::ops::ControlFlow;

/// Draws the worlds to play in.
pub(super) trait Determinizer<P: Hidden>: Sync {
    /// A world to play in.
    fn world(&self, random: &mut Random) -> P;

    /// Whether a move of the root leads back to an earlier position of the game.
    fn repeats(&self, world: &P, mv: P::Move) -> bool;
}

/// What all threads of a search are given.
pub(super) struct SearchRequest<'a, P: Hidden, I, S> {
    pub(super) options: &'a Options,
    pub(super) insight: &'a I,
    pub(super) determinizer: &'a S,
    /// The side that searches.
    pub(super) viewer: Side,
    /// The moves of the root that may be tried, and whether they repeat the game.
    pub(super) moves: &'a [(P::Move, bool)],
}

/// Sums of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) playouts: u64,
    /// Positions searched, in trees and in playouts.
    pub(super) nodes: u64,
    /// Plies in trees, summed over simulations.
    pub(super) depths: u64,
    /// Plies of the longest path in a tree.
    pub(super) deepest: u64,
}

impl Totals {
    pub(super) fn join(&mut self, other: &Totals) {
        self.playouts += other.playouts;
        self.nodes += other.nodes;
        self.depths += other.depths;
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// The trees that a simulation goes through.
#[derive(Clone, Copy)]
enum Trees {
    /// One tree for both sides: its number and its observer, `None` for one that sees everything.
    Single(usize, Option<Side>),
    /// A tree for each side.
    Each([SideTree; 2]),
}

/// A side's tree in a simulation.
#[derive(Clone, Copy)]
struct SideTree {
    tree: usize,
    /// Whether the tree tells the side's moves apart by its secrets, because worlds differ in what the side knows.
    has_secrets: bool,
    /// Whether the side learns from the simulation; if not, it plays what it has learnt from others.
    learns: bool,
}

/// A choice on the way down.
#[derive(Clone, Copy)]
struct Choice {
    tree: usize,
    node: u32,
    stats: u32,
    mover: Side,
    learns: bool,
}

/// Plies of a playout between two looks at whether the search is over.
const UNSTOPPABLE: u32 = 64;

/// The trees of [`Method::Mutual`]: the viewer's, the opponent's, and that of the viewer as the opponent imagines it.
const OWN: usize = 0;
const OTHER: usize = 1;
const MIRROR: usize = 2;

/// One thread's part of a search.
pub(super) struct Worker<'a, P: Hidden, I, S: Determinizer<P>> {
    request: &'a SearchRequest<'a, P, I, S>,
    random: &'a mut Random,
    /// Says when the search is over.
    allowance: Allowance,
    /// The world that the next playout of a flat search is in, and the worlds of the trees of determinized UCT.
    worlds: Vec<P>,
    trees: Vec<Tree<P::Move>>,
    /// For each move of the root.
    tallies: Vec<Tally>,
    pub(super) totals: Totals,
    path: Vec<Choice>,
    /// The hashes of the positions on the path, by which repetitions are found.
    hashes: Vec<u64>,
    moves: Vec<P::Move>,
    offered: Vec<u32>,
}

impl<'a, P: Hidden, I: Insight<P>, S: Determinizer<P>> Worker<'a, P, I, S> {
    pub(super) fn new(
        request: &'a SearchRequest<'a, P, I, S>,
        random: &'a mut Random,
        deadline: &Deadline,
    ) -> Self {
        let trees = match request.options.method {
            Method::Flat => 0,
            Method::Determinized => request.options.worlds.max(1),
            Method::SingleObserver => 1,
            Method::MultiObserver => 2,
            Method::Mutual => 3,
        };
        let bytes = (request.options.tree_mb.max(1) << 20) / (request.options.threads.max(1) * trees.max(1));
        Worker {
            request,
            random,
            allowance: Allowance::new(deadline, u64::MAX),
            worlds: Vec::new(),
            trees: (0..trees).map(|_| Tree::new(bytes)).collect(),
            tallies: vec![Tally::default(); request.moves.len()],
            totals: Totals::default(),
            path: Vec::new(),
            hashes: Vec::new(),
            moves: Vec::new(),
            offered: Vec::new(),
        }
    }

    /// Runs one simulation.
    pub(super) fn simulate(&mut self) {
        match self.request.options.method {
            Method::Flat => self.play_flat(),
            Method::Determinized => {
                let number = (self.totals.playouts % self.trees.len() as u64) as usize;
                if number == self.worlds.len() {
                    let world = self.draw_world();
                    self.worlds.push(world);
                }
                let world = self.worlds[number].clone();
                self.descend(world, Trees::Single(number, None), true);
            }
            Method::SingleObserver => {
                let world = self.draw_world();
                self.descend(world, Trees::Single(0, Some(self.request.viewer)), true);
            }
            Method::MultiObserver => {
                let world = self.draw_world();
                let learns = true;
                self.descend(world, self.side_trees([(OWN, false, learns), (OTHER, true, learns)]), true);
            }
            Method::Mutual => {
                let world = self.draw_world();
                if self.totals.playouts.is_multiple_of(2)
                    || self.request.options.prior_visits == f64::INFINITY
                {
                    self.descend(world, self.side_trees([(OWN, false, true), (OTHER, true, false)]), true);
                } else {
                    let other = world.view(!self.request.viewer).world(self.random);
                    self.descend(other, self.side_trees([(MIRROR, true, true), (OTHER, true, true)]), false);
                }
            }
        }
        self.totals.playouts += 1;
    }

    /// The trees of the viewer and of the opponent: number, secrets, and whether they learn.
    fn side_trees(&self, [own, other]: [(usize, bool, bool); 2]) -> Trees {
        let side_tree = |(tree, has_secrets, learns)| SideTree { tree, has_secrets, learns };
        let mut each = [side_tree(other); 2];
        each[self.request.viewer.index()] = side_tree(own);
        Trees::Each(each)
    }

    /// What the simulations say of each move of the root.
    pub(super) fn tallies(&self) -> Vec<Tally> {
        if self.request.options.method != Method::Determinized {
            return self.tallies.clone();
        }
        // A cluster for each world.
        let mut tallies = self.tallies.clone();
        for tree in self.trees.iter().take(self.worlds.len()) {
            let mut cursor = tree.cursor(ROOT);
            for (tally, &(mv, _)) in tallies.iter_mut().zip(self.request.moves) {
                if let Some(stats) = tree.find_stats(&mut cursor, mv).map(|stats| tree.get(stats)) {
                    tally.add(stats.points, f64::from(stats.visits));
                }
            }
        }
        tallies
    }

    /// How full the trees are, in thousandths.
    pub(super) fn fullness(&self) -> u32 {
        let per_mille = self.trees.iter().map(|tree| tree.fullness() * 1000.0).sum::<f64>();
        (per_mille / self.trees.len().max(1) as f64) as u32
    }

    fn draw_world(&mut self) -> P {
        self.request.determinizer.world(self.random)
    }

    /// One playout after the next move of the root; each world is used for every move once.
    fn play_flat(&mut self) {
        let number = (self.totals.playouts % self.request.moves.len() as u64) as usize;
        if number == 0 {
            self.worlds.clear();
            let world = self.draw_world();
            self.worlds.push(world);
        }
        let (mv, repeats) = self.request.moves[number];
        let white = if repeats { 0.5 } else { self.roll_out(self.worlds[0].after(mv)) };
        self.tallies[number].add(seen_by(white, self.request.viewer), 1.0);
        self.totals.nodes += 1;
    }

    /// Goes down the trees, out of them by a playout, and back up. `true_to_view` says that the world agrees with
    /// the viewer's view: only then the result counts for the moves of the root.
    fn descend(&mut self, mut world: P, trees: Trees, true_to_view: bool) {
        self.path.clear();
        self.hashes.clear();
        self.hashes.extend(world.repetition_hash());
        let mut root_move = 0;
        let mut at = [ROOT; 2];
        let white = loop {
            let Some((place, choice)) = self.choose(&world, trees, &at, true_to_view) else {
                break self.roll_out(world);
            };
            let mv = self.moves[place];
            let fresh = self.trees[choice.tree].get(choice.stats).visits == 0;
            if self.path.is_empty() && true_to_view {
                root_move = place;
                if self.request.moves[place].1 {
                    self.path.push(choice);
                    break 0.5;
                }
            }
            self.path.push(choice);
            let seen = !fresh && self.advance(&world, mv, trees, &mut at);
            world.play(mv);
            if let Some(outcome) = world.outcome() {
                break share_of(outcome.absolute(world.side_to_move()));
            }
            if !seen {
                break self.roll_out(world);
            }
            if let Some(hash) = world.repetition_hash() {
                if self.hashes.contains(&hash) {
                    break 0.5;
                }
                self.hashes.push(hash);
            }
        };
        self.back_up(white);
        if true_to_view && !matches!(trees, Trees::Single(_, None)) {
            self.tallies[root_move].add(seen_by(white, self.request.viewer), 1.0);
        }
        let depth = self.path.len() as u64;
        self.totals.nodes += depth;
        self.totals.depths += depth;
        self.totals.deepest = self.totals.deepest.max(depth);
    }

    /// The move that the mover tries, as its place in `self.moves`. `None` where the game is over, or where the tree
    /// has no room.
    fn choose(
        &mut self,
        world: &P,
        trees: Trees,
        at: &[u32; 2],
        true_to_view: bool,
    ) -> Option<(usize, Choice)> {
        let mover = world.side_to_move();
        let (side_tree, node) = match trees {
            Trees::Single(tree, _) => (SideTree { tree, has_secrets: false, learns: true }, at[0]),
            Trees::Each(each) => (each[mover.index()], at[mover.index()]),
        };
        if node != ROOT
            && side_tree.learns
            && self.trees[side_tree.tree].passes(node, self.request.options.expand_at)
        {
            return None;
        }
        let SearchRequest { options, insight, moves: of_root, .. } = *self.request;
        let SideTree { tree, has_secrets, learns } = side_tree;
        let forest = &mut self.trees[tree];
        let mut cursor = forest.cursor(node);
        let (moves, offered) = (&mut self.moves, &mut self.offered);
        moves.clear();
        offered.clear();
        let mut offer = |mv: P::Move| {
            let secret = if has_secrets { insight.secret(world, mv) } else { 0 };
            // In a full tree, moves without statistics drop out.
            if let Some(stats) = forest.stats(&mut cursor, mv, secret, || insight.prior(world, mv)) {
                moves.push(mv);
                offered.push(stats);
                if learns {
                    forest.offer(stats);
                }
            }
        };
        if self.path.is_empty() && true_to_view {
            of_root.iter().for_each(|&(mv, _)| offer(mv));
        } else {
            let _: ControlFlow<()> = world.moves(|mv| {
                offer(mv);
                ControlFlow::Continue(())
            });
        }
        let place = if learns {
            select(options, forest, node, offered, self.random)
        } else {
            sample(forest, offered, options.prior_visits, self.random)
        }?;
        Some((place, Choice { tree, node, stats: offered[place], mover, learns }))
    }

    /// Follows a move in every tree by what the tree's observer notices; `false` if there was no room.
    fn advance(&mut self, world: &P, mv: P::Move, trees: Trees, at: &mut [u32; 2]) -> bool {
        let mut follow = |tree: usize, slot: usize, seen: u64| {
            let child = self.trees[tree].child(at[slot], seen);
            at[slot] = child.unwrap_or(ROOT);
            child.is_some()
        };
        match trees {
            Trees::Single(tree, None) => follow(tree, 0, hash(&mv)),
            Trees::Single(tree, Some(observer)) => follow(tree, 0, world.observation(mv, observer)),
            Trees::Each(each) => Side::BOTH
                .into_iter()
                .all(|side| follow(each[side.index()].tree, side.index(), world.observation(mv, side))),
        }
    }

    /// Plays out a world: White's share of the point.
    fn roll_out(&mut self, mut world: P) -> f64 {
        let SearchRequest { options, insight, .. } = *self.request;
        let most = insight.playout_plies(&world, options.playout_plies);
        let mut played = 0;
        for plies in 0..most {
            if plies % UNSTOPPABLE == UNSTOPPABLE - 1 && self.allowance.is_over() {
                break;
            }
            match insight.step(&world, self.random) {
                Step::Move(mv) => {
                    world.play(mv);
                    played = plies + 1;
                }
                Step::Over(outcome) => {
                    self.totals.nodes += u64::from(plies);
                    return share_of(outcome.absolute(world.side_to_move()));
                }
            }
        }
        self.totals.nodes += u64::from(played);
        insight.white_share(&world)
    }

    fn back_up(&mut self, white: f64) {
        for &Choice { tree, node, stats, mover, .. } in self.path.iter().filter(|choice| choice.learns) {
            self.trees[tree].credit(node, stats, seen_by(white, mover));
        }
    }

    /// The most visited line after a move of the root, in a world drawn for it, as far as the trees go.
    pub(super) fn line(&mut self, first: P::Move, longest: usize) -> Vec<P::Move> {
        let trees = match self.request.options.method {
            Method::Flat => return vec![first],
            Method::Determinized => Trees::Single(0, None),
            Method::SingleObserver => Trees::Single(0, Some(self.request.viewer)),
            Method::MultiObserver | Method::Mutual => {
                self.side_trees([(OWN, false, true), (OTHER, true, true)])
            }
        };
        let mut random = Random::new(self.request.options.seed);
        let mut world = match self.worlds.first() {
            Some(world) => world.clone(),
            None => self.request.determinizer.world(&mut random),
        };
        let mut at = [ROOT; 2];
        let mut line = vec![first];
        while line.len() < longest {
            let mv = line[line.len() - 1];
            if !self.advance(&world, mv, trees, &mut at) {
                break;
            }
            world.play(mv);
            if world.outcome().is_some() {
                break;
            }
            let Some(next) = self.most_visited(&world, trees, &at) else { break };
            line.push(next);
        }
        line
    }

    fn most_visited(&self, world: &P, trees: Trees, at: &[u32; 2]) -> Option<P::Move> {
        let mover = world.side_to_move();
        let (tree, node) = match trees {
            Trees::Single(tree, _) => (&self.trees[tree], at[0]),
            Trees::Each(each) => (&self.trees[each[mover.index()].tree], at[mover.index()]),
        };
        let mut cursor = tree.cursor(node);
        let mut best: Option<(u32, P::Move)> = None;
        let _: ControlFlow<()> = world.moves(|mv| {
            let visits = tree.find_stats(&mut cursor, mv).map_or(0, |stats| tree.slot_visits(stats));
            if visits > best.map_or(0, |(most, _)| most) {
                best = Some((visits, mv));
            }
            ControlFlow::Continue(())
        });
        best.map(|(_, mv)| mv)
    }
}
