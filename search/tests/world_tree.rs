//! The World Tree's tactical suite, forced captures of the town in one to three turns, and what searches of games of
//! compound turns owe.
//!
//! `tests/data/world-tree.json` is made by
//! `cargo test --release -p jewel-search world_tree:: -- --ignored --nocapture` from games of weak players,
//! proven by going through all turns of both sides; the search that is tested takes no part in the proof.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Outcome;
use jewel_engine::world_tree::{Move, WorldTree, WorldTreeGame};
use jewel_search::alphabeta::{AlphaBeta, Features, Options, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::WorldTreeEvaluation;
use jewel_search::limits::Limits;
use jewel_search::mcts::policy::EvaluationPolicy;
use jewel_search::mcts::{self, Mcts};
use jewel_search::searcher::Searcher;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

/// Nodes that one thread searches in less than half a second.
const BUDGET: u64 = 500_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    #[serde(rename = "source")]
    _source: String,
    positions: Vec<Puzzle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Puzzle {
    fen: String,
    /// The turns of the side to move in which it takes the town, however the other side plays; no fewer do.
    turns: u32,
}

fn suite() -> Vec<Puzzle> {
    serde_json::from_str::<Suite>(include_str!("data/world-tree.json")).unwrap().positions
}

fn position(text: &str) -> WorldTree {
    WorldTreeGame::standard().parse_position(text).unwrap()
}

/// What a turn leads to: nothing of a search's pruning but the order of two plies.
fn each_turn(start: &WorldTree, mut visit: impl FnMut(&WorldTree) -> bool) -> bool {
    let done = start.moves(|first| {
        let middle = start.after(first);
        if middle.side_to_move() != start.side_to_move() || middle.outcome().is_some() {
            return if visit(&middle) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        middle.moves(|second| {
            let hit = !start.is_redundant(first, second) && visit(&middle.after(second));
            if hit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    done.is_break()
}

/// Proof by going through all turns.
#[derive(Default)]
struct Proof {
    searched: u64,
    /// By hash and turns left: whether the side to begin a turn wins.
    known: BTreeMap<(u64, u32), bool>,
}

/// The most positions that a proof may search.
const MAX_POSITIONS: u64 = 30_000_000;

impl Proof {
    /// Whether the side to begin a turn takes the town within `turns` of its turns. Wrong once the proof
    /// has searched too many positions.
    fn wins(&mut self, start: &WorldTree, turns: u32) -> bool {
        let takes = start.noisy_moves(|mv| match start.after(mv).outcome() {
            Some(Outcome::Loss) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        if takes.is_break() {
            return true;
        }
        if turns <= 1 || self.searched > MAX_POSITIONS {
            return false;
        }
        if let Some(&known) = self.known.get(&(start.zobrist_hash(), turns)) {
            return known;
        }
        let wins = each_turn(start, |next| next.outcome().is_none() && self.loses(next, turns - 1));
        if turns > 1 {
            self.known.insert((start.zobrist_hash(), turns), wins);
        }
        wins
    }

    /// Whether the side to begin a turn loses its town within `turns` of the other side's turns.
    fn loses(&mut self, start: &WorldTree, turns: u32) -> bool {
        !each_turn(start, |next| {
            self.searched += 1;
            next.outcome().is_some() || !self.wins(next, turns)
        })
    }

    fn fastest(start: &WorldTree, most: u32) -> Option<u32> {
        let mut proof = Proof::default();
        (1..=most).find(|&turns| proof.wins(start, turns)).filter(|_| proof.searched <= MAX_POSITIONS)
    }
}

fn searcher(features: Features) -> AlphaBeta<WorldTree, WorldTreeEvaluation> {
    let params = SearchParams::for_game("world-tree");
    let options = Options { hash: 16, features, params, ..Options::default() };
    AlphaBeta::new(WorldTreeEvaluation::default(), options).unwrap()
}

#[test]
fn the_suite_has_wins_in_one_to_three_turns() {
    let suite = suite();
    assert!(suite.len() >= 30);
    for turns in 1..=3 {
        let group: Vec<&Puzzle> = suite.iter().filter(|puzzle| puzzle.turns == turns).collect();
        assert!(group.len() >= 8, "{turns}: {}", group.len());
        // Those in three turns are proven again by the run that makes the file.
        for puzzle in group.into_iter().filter(|_| turns < 3) {
            assert_eq!(Proof::fastest(&position(&puzzle.fen), 2), Some(turns), "{}", puzzle.fen);
        }
    }
}

#[test]
fn alpha_beta_takes_the_town() {
    let mut searcher = searcher(Features::ALL);
    let mut unsolved = Vec::new();
    let mut worst = 0;
    for Puzzle { fen, turns } in suite() {
        searcher.new_game();
        let limits = Limits { nodes: Some(BUDGET), ..Limits::default() };
        let mut needed = None;
        let root = position(&fen);
        let report = searcher.search(&root, &[], &limits, &Stop::new(), &mut |info| {
            if info.score.is_win() && needed.is_none() {
                needed = Some(info.nodes);
            }
        });
        println!("{turns} turns, {needed:?} nodes, {}: {fen}", report.score());
        // A line of `turns` turns, each of two plies but the last, has one ply less than twice as many.
        let plies = report.score().distance().filter(|_| report.score().is_win());
        match (plies, needed) {
            (Some(plies), Some(nodes)) if plies >= turns => worst = worst.max(nodes),
            _ => unsolved.push(fen),
        }
    }
    println!("at most {worst} nodes");
    assert!(unsolved.is_empty(), "unsolved: {unsolved:#?}");
}

/// Leaving out plies that come in another order does not change the value of a full-width search.
#[test]
fn one_order_of_two_plies_is_enough() {
    let texts = [
        "T7/2C5/8/3k4/8/5G2/8/6zt w m - 0",
        "T7/8/1S6/2c5/8/4K3/7r/7t b m - 0",
        "TO6/8/8/2C5/8/3h4/8/s6t w m - 0",
    ];
    for text in texts {
        let root = position(text);
        let value = |turn_order: bool| {
            let features = Features { turn_order, tt_cutoffs: true, ..Features::NONE };
            let limits = Limits { depth: Some(4), ..Limits::default() };
            let report = searcher(features).search(&root, &[], &limits, &Stop::new(), &mut |_| ());
            (report.score(), report.nodes)
        };
        let ((all, more), (kept, fewer)) = (value(false), value(true));
        assert_eq!(all, kept, "{text}");
        assert!(fewer < more, "{text}: {fewer} of {more}");
    }
}

/// With several lines wanted, each root move has the value of its own best turn.
#[test]
fn lines_are_not_left_to_other_lines() {
    let root = position("T7/2C5/8/3k4/8/5G2/8/6zt w m - 0");
    let values = |turn_order: bool| {
        let features = Features { turn_order, ..Features::NONE };
        let limits = Limits { depth: Some(2), multipv: 400, ..Limits::default() };
        let report = searcher(features).search(&root, &[], &limits, &Stop::new(), &mut |_| ());
        let lines = report.lines.iter().map(|line| (root.move_text(line.pv[0]), line.score));
        lines.collect::<BTreeMap<_, _>>()
    };
    assert_eq!(values(true), values(false));
}

/// What a tree search plays until its turn is over, its tree kept from ply to ply.
fn turn_of_tree_search(fen: &str, playouts: u64) -> WorldTree {
    let options = mcts::Options { playout_plies: 0, tree_mb: 32, ..Default::default() };
    let mut mcts =
        Mcts::with_policy(options, EvaluationPolicy::new(WorldTreeEvaluation::default(), Some(100.0)));
    let mut position = position(fen);
    let us = position.side_to_move();
    let limits = Limits { playouts: Some(playouts), ..Limits::default() };
    while position.side_to_move() == us && position.outcome().is_none() {
        let mv = mcts.search(&position, &[], &limits, &Stop::new(), &mut |_| ()).best.unwrap();
        assert!(list_moves(&position).contains(&mv));
        position.play(mv);
    }
    position
}

/// A floor, not a goal: alpha-beta sees all of these in a few hundred nodes.
#[test]
fn tree_search_plays_whole_turns() {
    let puzzles = suite();
    let of = |turns: u32| puzzles.iter().filter(move |puzzle| puzzle.turns == turns);
    for Puzzle { fen, .. } in of(1) {
        assert_eq!(turn_of_tree_search(fen, 200).outcome(), Some(Outcome::Loss), "{fen}");
    }
    let holds = |puzzle: &&Puzzle| Proof::default().loses(&turn_of_tree_search(&puzzle.fen, 6000), 1);
    let (solved, all) = (of(2).filter(holds).count(), of(2).count());
    println!("{solved} of {all}");
    assert!(solved >= 8, "{solved} of {all}");
}

/// A game between weak players: its positions at starts of turns.
fn weak_game(seed: u64) -> Vec<WorldTree> {
    let mut random = Random::new(seed);
    let mut searcher = searcher(Features::ALL);
    let mut position = WorldTreeGame::standard().start();
    let mut starts = Vec::new();
    while position.outcome().is_none() && starts.len() < 300 {
        if !position.is_mid_turn() {
            starts.push(position);
        }
        let limits = Limits { nodes: Some(400), ..Limits::default() };
        let moves = list_moves(&position);
        let random_move: Move = moves[random.below(moves.len() as u32) as usize];
        let careless = random.below(6) == 0;
        let best = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| ()).best;
        position.play(if careless { random_move } else { best.unwrap() });
    }
    starts
}

#[test]
#[ignore = "makes the suite: minutes"]
fn make_the_suite() {
    let wanted = [10, 14, 12];
    let mut found = [0; 3];
    let mut seen = HashSet::new();
    println!("{{");
    println!("  \"source\": \"cargo test --release -p jewel-search world_tree:: -- --ignored --nocapture\",");
    println!("  \"positions\": [");
    let mut lines = Vec::new();
    for seed in 0.. {
        if found == wanted {
            break;
        }
        // From the end backwards: at most one position of each kind from a game.
        let mut kinds = [false; 3];
        for start in weak_game(seed).iter().rev().take(9) {
            let most = (1..=3).rev().find(|&turns| found[turns - 1] < wanted[turns - 1]).unwrap_or(1);
            let Some(turns) = Proof::fastest(start, most as u32) else { continue };
            let kind = turns as usize - 1;
            if found[kind] < wanted[kind] && !kinds[kind] && seen.insert(start.zobrist_hash()) {
                kinds[kind] = true;
                found[kind] += 1;
                lines.push((turns, start.position_text()));
                eprintln!("{found:?} of {wanted:?} after game {seed}");
            }
        }
    }
    lines.sort();
    let rows = lines.iter().map(|(turns, fen)| format!("    {{\"fen\": \"{fen}\", \"turns\": {turns}}}"));
    println!("{}\n  ]\n}}", rows.collect::<Vec<_>>().join(",\n"));
}
