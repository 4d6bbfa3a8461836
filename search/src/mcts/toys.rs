//! A toy game of chance.

use super::model::{Actor, Model, Rollout};
use super::options::Options;
use super::run::{SearchRequest, deadline};
use super::tree::{ROOT, Tree};
use crate::control::{Allowance, Stop};
use crate::limits::Limits;
use crate::report::Report;
use crate::sampling::{generators, share_of};
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};

fn search<M: Model>(model: &M, playouts: u64, threads: usize) -> (Report<M::Edge>, Tree<M::Edge>) {
    let options = Options { expand_at: 0, ..Options::default() };
    let limits = Limits { playouts: Some(playouts), multipv: 9, ..Limits::default() };
    let mut tree = Tree::new(1);
    let mut randoms = generators(3, threads);
    let (stop, history) = (Stop::new(), &[]);
    let deadline = deadline(&limits, &stop);
    let request = SearchRequest {
        model,
        options: &options,
        limits: &limits,
        history,
        stop: &stop,
        deadline: &deadline,
    };
    let report = request.run(&mut tree, &mut randoms, &mut |_| {});
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

    fn root(&self) -> Played {
        Vec::new()
    }

    fn actor(&self, state: &Played) -> Actor {
        if state[..] == [ROLL] { Actor::Chance } else { Actor::Player(Side::White) }
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

    fn rollout(&self, mut state: Played, random: &mut Random, _: &mut Allowance) -> Rollout {
        let begun = state.len();
        while self.verdict(&state).is_none() {
            let mut edges = Vec::new();
            self.edges(&state, &mut edges);
            state.push(edges[random.below(edges.len() as u32) as usize]);
        }
        let share = self.verdict(&state).map_or(0.5, share_of);
        Rollout { share, plies: (state.len() - begun) as u32, tb_hit: false }
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
