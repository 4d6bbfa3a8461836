//! Toy games of chance and of hidden information: the tree has no code of its own for either.

use super::model::{Chooser, Model, Rollout, share_of};
use super::options::Options;
use super::run::Task;
use super::tree::{ROOT, Tree};
use crate::control::Stop;
use crate::limits::Limits;
use crate::report::Report;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};

fn search<M: Model>(model: &M, playouts: u64, threads: usize) -> (Report<M::Edge>, Tree<M::Edge>) {
    let options = Options { expand_at: 0, ..Options::default() };
    let limits = Limits { playouts: Some(playouts), multipv: 9, ..Limits::default() };
    let mut tree = Tree::new(1, false);
    let mut randoms: Vec<Random> = (0..threads as u64).map(|n| Random::stream(3, n)).collect();
    let task = Task { model, options: &options, limits: &limits, history: &[], stop: &Stop::new() };
    let report = task.run(&mut tree, &mut randoms, &mut |_| {});
    (report, tree)
}

/// White takes a draw, or rolls a die and wins if it shows one of the first faces.
struct Gamble {
    winning: u8,
}

const FACES: u8 = 4;
const TAKE: u8 = 100;
const ROLL: u8 = 101;

/// The edges followed so far.
type Played = Vec<u8>;

impl Model for Gamble {
    type State = Played;
    type Edge = u8;
    const PROVABLE: bool = true;
    const PARTIAL: bool = false;

    fn root(&self, _: &mut Random) -> Played {
        Vec::new()
    }

    fn chooser(&self, state: &Played) -> Chooser {
        if state[..] == [ROLL] { Chooser::Chance } else { Chooser::Player(Side::White) }
    }

    fn verdict(&self, state: &Played) -> Option<Verdict> {
        match state[..] {
            [TAKE] => Some(Verdict::Draw),
            [ROLL, face] if face < self.winning => Some(Verdict::WhiteWins),
            [ROLL, _] => Some(Verdict::BlackWins),
            _ => None,
        }
    }

    fn edges(&self, state: &Played, edges: &mut Vec<u8>) {
        if state.is_empty() { edges.extend([TAKE, ROLL]) } else { edges.extend(0..FACES) }
    }

    fn draw(&self, _: &Played, random: &mut Random) -> Option<u8> {
        Some(random.below(u32::from(FACES)) as u8)
    }

    fn follow(&self, state: &mut Played, edge: u8) {
        state.push(edge);
    }

    fn repetition_hash(&self, _: &Played) -> Option<u64> {
        None
    }

    fn rollout(&self, mut state: Played, random: &mut Random, _: Option<&mut Vec<(Side, u8)>>) -> Rollout {
        let begun = state.len();
        while self.verdict(&state).is_none() {
            let mut edges = Vec::new();
            self.edges(&state, &mut edges);
            state.push(edges[random.below(edges.len() as u32) as usize]);
        }
        let share = self.verdict(&state).map_or(0.5, share_of);
        Rollout { share, plies: (state.len() - begun) as u32, known: false }
    }
}

#[test]
fn a_good_bet_is_taken_and_a_bad_one_is_not() {
    for threads in [1, 2] {
        for (winning, best) in [(3, ROLL), (1, TAKE)] {
            let (report, tree) = search(&Gamble { winning }, 4000, threads);
            assert_eq!(report.best, Some(best));
            let roll = report.lines.iter().find(|line| line.pv[0] == ROLL).unwrap();
            assert!(!roll.proven);
            if best == ROLL {
                let expected = f64::from(winning) / f64::from(FACES);
                let error = roll.expectation.unwrap() - expected;
                assert!(error.abs() < 0.05, "off by {error}");
                // Chance does not prefer anything.
                let node = tree.first_child(ROOT).unwrap() + 1;
                let faces = tree.children(node).unwrap();
                let all = tree.node(node).visit_count() as f64;
                for face in faces {
                    let part = face.visit_count() as f64 / all;
                    assert!((part - 0.25).abs() < 0.05, "a quarter is {part}");
                }
            }
        }
    }
}

/// A coin lies under a cup, heads three times in four. White calls it or passes, which draws; who calls heads
/// may only do so if the cup is lifted, which it is for one coin in two, of either side.
struct Coin;

#[derive(Clone)]
struct Guess {
    heads: bool,
    lifted: bool,
    called: Option<u8>,
}

const HEADS: u8 = 0;
const TAILS: u8 = 1;
const PASS: u8 = 2;

impl Model for Coin {
    type State = Guess;
    type Edge = u8;
    const PROVABLE: bool = false;
    const PARTIAL: bool = true;

    fn root(&self, random: &mut Random) -> Guess {
        Guess { heads: random.below(4) < 3, lifted: random.below(2) == 0, called: None }
    }

    fn chooser(&self, _: &Guess) -> Chooser {
        Chooser::Player(Side::White)
    }

    fn verdict(&self, state: &Guess) -> Option<Verdict> {
        state.called.map(|called| match called {
            PASS => Verdict::Draw,
            call if (call == HEADS) == state.heads => Verdict::WhiteWins,
            _ => Verdict::BlackWins,
        })
    }

    fn edges(&self, _: &Guess, edges: &mut Vec<u8>) {
        edges.extend([HEADS, TAILS, PASS]);
    }

    fn available(&self, state: &Guess, edge: u8) -> bool {
        edge != HEADS || state.lifted
    }

    fn follow(&self, state: &mut Guess, edge: u8) {
        assert!(self.available(state, edge), "an edge that is not there");
        state.called = Some(edge);
    }

    fn repetition_hash(&self, _: &Guess) -> Option<u64> {
        None
    }

    fn rollout(&self, state: Guess, _: &mut Random, _: Option<&mut Vec<(Side, u8)>>) -> Rollout {
        Rollout { share: self.verdict(&state).map_or(0.5, share_of), plies: 0, known: false }
    }
}

#[test]
fn what_is_hidden_is_not_seen() {
    let (report, _) = search(&Coin, 4000, 1);
    let of = |edge| report.lines.iter().find(|line| line.pv[0] == edge).unwrap();
    // Not 1.0: the call is the same whatever lies under the cup.
    assert!((of(HEADS).expectation.unwrap() - 0.75).abs() < 0.04);
    assert!(of(TAILS).expectation.unwrap() < 0.4);
    assert_eq!(of(PASS).expectation, Some(0.5));
    assert_eq!(report.best, Some(HEADS));
    assert!(report.lines.iter().all(|line| !line.proven));
    // Heads can be called in half of the simulations at most.
    assert!(of(HEADS).visits < 2200, "{} visits", of(HEADS).visits);
}
