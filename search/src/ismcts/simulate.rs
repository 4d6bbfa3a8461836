//! One simulation after another, by one thread with trees of its own.

use super::insight::{Insight, hash, seen_by, share_of};
use super::options::{Method, Options};
use super::select::{sample, select};
use super::tally::Tally;
use super::tree::{ROOT, Tree};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::playout::Step;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use std::ops::ControlFlow;

/// Where worlds come from.
pub(super) trait Source<P: Hidden>: Sync {
    /// What a thread carries from one draw to the next.
    type Draw: Default + Send;

    /// A world to play in.
    fn world(&self, draw: &mut Self::Draw, random: &mut Random) -> P;

    /// Whether a move of the root leads back to what was there before.
    fn repeats(&self, world: &P, mv: P::Move) -> bool;
}

/// What all threads of a search are given.
pub(super) struct Setting<'a, P: Hidden, I, S> {
    pub(super) options: &'a Options,
    pub(super) insight: &'a I,
    pub(super) source: &'a S,
    /// Whose search it is.
    pub(super) viewer: Side,
    /// The moves of the root that may be tried, and whether they repeat the game.
    pub(super) moves: &'a [(P::Move, bool)],
}

/// Sums of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) playouts: u64,
    /// Positions looked at, in trees and in playouts.
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

/// Who looks at the trees of a simulation, and through whose eyes.
#[derive(Clone, Copy)]
enum Eyes {
    /// One tree; the number of the tree, and its observer, who knows everything if it is `None`.
    One(usize, Option<Side>),
    /// A tree for each side.
    Each([Eye; 2]),
}

/// A side's tree in a simulation.
#[derive(Clone, Copy)]
struct Eye {
    tree: usize,
    /// Whether worlds differ in what the side knows: its moves are told apart by its secrets.
    has_secrets: bool,
    /// Whether the side learns from the simulation; else it plays what it has learnt from others.
    learns: bool,
}

/// A choice on the way down.
#[derive(Clone, Copy)]
struct Choice {
    tree: usize,
    node: u32,
    arm: u32,
    mover: Side,
    learns: bool,
}

/// The trees of [`Method::Mutual`]: the viewer's, the opponent's, and that of the viewer as the opponent sees him.
const OWN: usize = 0;
const OTHER: usize = 1;
const MIRROR: usize = 2;

/// One thread's part of a search.
pub(super) struct Worker<'a, P: Hidden, I, S: Source<P>> {
    setting: &'a Setting<'a, P, I, S>,
    random: &'a mut Random,
    draw: S::Draw,
    /// The world that the next playout of a flat search is in, and the worlds of the trees of determinized UCT.
    worlds: Vec<P>,
    trees: Vec<Tree<P::Move>>,
    /// For each move of the root.
    tallies: Vec<Tally>,
    pub(super) totals: Totals,
    path: Vec<Choice>,
    keys: Vec<u64>,
    moves: Vec<P::Move>,
    offered: Vec<u32>,
}

impl<'a, P: Hidden, I: Insight<P>, S: Source<P>> Worker<'a, P, I, S> {
    pub(super) fn new(setting: &'a Setting<'a, P, I, S>, random: &'a mut Random) -> Self {
        let trees = match setting.options.method {
            Method::Flat => 0,
            Method::Determinized => setting.options.worlds.max(1),
            Method::SingleObserver => 1,
            Method::MultiObserver => 2,
            Method::Mutual => 3,
        };
        let bytes = (setting.options.tree_mb.max(1) << 20) / (setting.options.threads.max(1) * trees.max(1));
        Worker {
            setting,
            random,
            draw: S::Draw::default(),
            worlds: Vec::new(),
            trees: (0..trees).map(|_| Tree::new(bytes)).collect(),
            tallies: vec![Tally::default(); setting.moves.len()],
            totals: Totals::default(),
            path: Vec::new(),
            keys: Vec::new(),
            moves: Vec::new(),
            offered: Vec::new(),
        }
    }

    /// Runs one simulation.
    pub(super) fn simulate(&mut self) {
        match self.setting.options.method {
            Method::Flat => self.play_flat(),
            Method::Determinized => {
                let number = (self.totals.playouts % self.trees.len() as u64) as usize;
                if number == self.worlds.len() {
                    let world = self.draw_world();
                    self.worlds.push(world);
                }
                let world = self.worlds[number].clone();
                self.descend(world, Eyes::One(number, None), true);
            }
            Method::SingleObserver => {
                let world = self.draw_world();
                self.descend(world, Eyes::One(0, Some(self.setting.viewer)), true);
            }
            Method::MultiObserver => {
                let world = self.draw_world();
                let learns = true;
                self.descend(world, self.eyes([(OWN, false, learns), (OTHER, true, learns)]), true);
            }
            Method::Mutual => {
                let world = self.draw_world();
                if self.totals.playouts.is_multiple_of(2)
                    || self.setting.options.prior_visits == f64::INFINITY
                {
                    self.descend(world, self.eyes([(OWN, false, true), (OTHER, true, false)]), true);
                } else {
                    let other = world.view(!self.setting.viewer).world(self.random);
                    self.descend(other, self.eyes([(MIRROR, true, true), (OTHER, true, true)]), false);
                }
            }
        }
        self.totals.playouts += 1;
    }

    /// The trees of the viewer and of his opponent: number, secrets, and whether they learn.
    fn eyes(&self, [own, other]: [(usize, bool, bool); 2]) -> Eyes {
        let eye = |(tree, has_secrets, learns)| Eye { tree, has_secrets, learns };
        let mut each = [eye(other); 2];
        each[self.setting.viewer.index()] = eye(own);
        Eyes::Each(each)
    }

    /// What the simulations say of each move of the root.
    pub(super) fn tallies(&self) -> Vec<Tally> {
        if self.setting.options.method != Method::Determinized {
            return self.tallies.clone();
        }
        // A cluster for each world.
        let mut tallies = self.tallies.clone();
        for tree in self.trees.iter().take(self.worlds.len()) {
            let mut cursor = tree.cursor(ROOT);
            for (tally, &(mv, _)) in tallies.iter_mut().zip(self.setting.moves) {
                if let Some(arm) = tree.find_arm(&mut cursor, mv).map(|arm| tree.get(arm)) {
                    tally.add(arm.points, f64::from(arm.visits));
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
        self.setting.source.world(&mut self.draw, self.random)
    }

    /// The next move of the root in the world at hand; another world when all have had their turn.
    fn play_flat(&mut self) {
        let number = (self.totals.playouts % self.setting.moves.len() as u64) as usize;
        if number == 0 {
            self.worlds.clear();
            let world = self.draw_world();
            self.worlds.push(world);
        }
        let (mv, repeats) = self.setting.moves[number];
        let white = if repeats { 0.5 } else { self.roll_out(self.worlds[0].after(mv)) };
        self.tallies[number].add(seen_by(white, self.setting.viewer), 1.0);
        self.totals.nodes += 1;
    }

    /// From the root of the trees through what they know, out by a playout, and back. `true_to_view` if the world
    /// has what the viewer knows: only then the result says something of his moves.
    fn descend(&mut self, mut world: P, eyes: Eyes, true_to_view: bool) {
        self.path.clear();
        self.keys.clear();
        self.keys.extend(world.repetition_hash());
        let mut root_move = 0;
        let mut at = [ROOT; 2];
        let white = loop {
            let Some((place, choice)) = self.choose(&world, eyes, &at, true_to_view) else {
                break self.roll_out(world);
            };
            let mv = self.moves[place];
            let fresh = self.trees[choice.tree].get(choice.arm).visits == 0;
            if self.path.is_empty() && true_to_view {
                root_move = place;
                if self.setting.moves[place].1 {
                    self.path.push(choice);
                    break 0.5;
                }
            }
            self.path.push(choice);
            let seen = !fresh && self.advance(&world, mv, eyes, &mut at);
            world.play(mv);
            if let Some(outcome) = world.outcome() {
                break share_of(outcome.absolute(world.side_to_move()));
            }
            if !seen {
                break self.roll_out(world);
            }
            if let Some(key) = world.repetition_hash() {
                if self.keys.contains(&key) {
                    break 0.5;
                }
                self.keys.push(key);
            }
        };
        self.back_up(white);
        if true_to_view && !matches!(eyes, Eyes::One(_, None)) {
            self.tallies[root_move].add(seen_by(white, self.setting.viewer), 1.0);
        }
        let depth = self.path.len() as u64;
        self.totals.nodes += depth;
        self.totals.depths += depth;
        self.totals.deepest = self.totals.deepest.max(depth);
    }

    /// The move that the mover tries: its place in `self.moves`. `None` where the game is over, or where the tree
    /// has no room for it.
    fn choose(
        &mut self,
        world: &P,
        eyes: Eyes,
        at: &[u32; 2],
        true_to_view: bool,
    ) -> Option<(usize, Choice)> {
        let mover = world.side_to_move();
        let (eye, node) = match eyes {
            Eyes::One(tree, _) => (Eye { tree, has_secrets: false, learns: true }, at[0]),
            Eyes::Each(each) => (each[mover.index()], at[mover.index()]),
        };
        if node != ROOT && eye.learns && self.trees[eye.tree].passes(node, self.setting.options.expand_at) {
            return None;
        }
        let Setting { options, insight, moves: of_root, .. } = *self.setting;
        let Eye { tree, has_secrets, learns } = eye;
        let forest = &mut self.trees[tree];
        let mut cursor = forest.cursor(node);
        let (moves, offered) = (&mut self.moves, &mut self.offered);
        moves.clear();
        offered.clear();
        let mut offer = |mv: P::Move| {
            let secret = if has_secrets { insight.secret(world, mv) } else { 0 };
            // Moves without an arm, in a tree that is full, drop out.
            if let Some(arm) = forest.arm(&mut cursor, mv, secret, || insight.prior(world, mv)) {
                moves.push(mv);
                offered.push(arm);
                if learns {
                    forest.offer(arm);
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
        Some((place, Choice { tree, node, arm: offered[place], mover, learns }))
    }

    /// Follows a move in every tree, as its owner notices it; whether there was room for that.
    fn advance(&mut self, world: &P, mv: P::Move, eyes: Eyes, at: &mut [u32; 2]) -> bool {
        let mut follow = |tree: usize, slot: usize, seen: u64| {
            let child = self.trees[tree].child(at[slot], seen);
            at[slot] = child.unwrap_or(ROOT);
            child.is_some()
        };
        match eyes {
            Eyes::One(tree, None) => follow(tree, 0, hash(&mv)),
            Eyes::One(tree, Some(observer)) => follow(tree, 0, world.observation(mv, observer)),
            Eyes::Each(each) => Side::BOTH
                .into_iter()
                .all(|side| follow(each[side.index()].tree, side.index(), world.observation(mv, side))),
        }
    }

    /// White's share after a playout.
    fn roll_out(&mut self, mut world: P) -> f64 {
        let Setting { options, insight, .. } = *self.setting;
        let most = insight.playout_plies(&world, options.playout_plies);
        for plies in 0..most {
            match insight.step(&world, self.random) {
                Step::Move(mv) => world.play(mv),
                Step::Over(outcome) => {
                    self.totals.nodes += u64::from(plies);
                    return share_of(outcome.absolute(world.side_to_move()));
                }
            }
        }
        self.totals.nodes += u64::from(most);
        insight.white_share(&world)
    }

    fn back_up(&mut self, white: f64) {
        for &Choice { tree, node, arm, mover, .. } in self.path.iter().filter(|choice| choice.learns) {
            self.trees[tree].credit(node, arm, seen_by(white, mover));
        }
    }

    /// The likely line after a move of the root, in a world drawn for it: as far as the trees were there.
    pub(super) fn line(&mut self, first: P::Move, longest: usize) -> Vec<P::Move> {
        let eyes = match self.setting.options.method {
            Method::Flat => return vec![first],
            Method::Determinized => Eyes::One(0, None),
            Method::SingleObserver => Eyes::One(0, Some(self.setting.viewer)),
            Method::MultiObserver | Method::Mutual => self.eyes([(OWN, false, true), (OTHER, true, true)]),
        };
        let mut random = Random::new(self.setting.options.seed);
        let mut world = match self.worlds.first() {
            Some(world) => world.clone(),
            None => self.setting.source.world(&mut self.draw, &mut random),
        };
        let mut at = [ROOT; 2];
        let mut line = vec![first];
        while line.len() < longest {
            let mv = line[line.len() - 1];
            if !self.advance(&world, mv, eyes, &mut at) {
                break;
            }
            world.play(mv);
            if world.outcome().is_some() {
                break;
            }
            let Some(next) = self.most_visited(&world, eyes, &at) else { break };
            line.push(next);
        }
        line
    }

    fn most_visited(&self, world: &P, eyes: Eyes, at: &[u32; 2]) -> Option<P::Move> {
        let mover = world.side_to_move();
        let (tree, node) = match eyes {
            Eyes::One(tree, _) => (&self.trees[tree], at[0]),
            Eyes::Each(each) => (&self.trees[each[mover.index()].tree], at[mover.index()]),
        };
        let mut cursor = tree.cursor(node);
        let mut best: Option<(u32, P::Move)> = None;
        let _: ControlFlow<()> = world.moves(|mv| {
            let visits = tree.find_arm(&mut cursor, mv).map_or(0, |arm| tree.slot_visits(arm));
            if visits > best.map_or(0, |(most, _)| most) {
                best = Some((visits, mv));
            }
            ControlFlow::Continue(())
        });
        best.map(|(_, mv)| mv)
    }
}
