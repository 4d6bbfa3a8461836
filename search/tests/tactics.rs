//! The tactical suite: forced wins with known answers, each to be found within what a second allows.
//!
//! `tests/data/tactics.json` says of each game where its positions come from and how to check their answers.
//! `cargo test -p jewel-search tactics:: -- --nocapture` tells the nodes that each one takes.

use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::games;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Value;
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::exhaustive::forced;
use jewel_search::limits::Limits;
use jewel_search::report::Info;
use jewel_search::searcher::Searcher;
use serde::Deserialize;
use std::collections::HashSet;

/// Nodes that one thread searches in about a second.
const SECOND: u64 = 1_500_000;

/// The positions of one game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    game: String,
    /// Where the positions come from.
    #[serde(rename = "source")]
    _source: String,
    /// Whether the fastest win must be found, or any.
    fastest: bool,
    positions: Vec<Puzzle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Puzzle {
    fen: String,
    /// The distance of the win under best play.
    plies: u32,
    /// All moves that win: in that many plies if the fastest win must be found, else at all.
    best: Vec<String>,
    /// A limit of nodes for a position that a second is not enough for.
    hard: Option<u64>,
}

fn suite() -> Vec<Group> {
    serde_json::from_str(include_str!("data/tactics.json")).unwrap()
}

fn group(game: &str) -> Group {
    suite().into_iter().find(|group| group.game == game).unwrap()
}

/// Searches the positions of a group.
struct Solve(Group);

impl Solve {
    /// The nodes of the hardest one.
    fn visit<G>(self, game: G) -> u64
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let Solve(group) = self;
        let start = game.start();
        let evaluation = HandcraftedEvaluation::derived(start.rules());
        let options = Options { hash: 16, params: SearchParams::best(start.rules()), ..Options::default() };
        let mut searcher = AlphaBeta::new(evaluation, options).unwrap();
        let mut unsolved = Vec::new();
        let mut most = 0;
        for puzzle in &group.positions {
            searcher.new_game();
            match nodes_to_solve(&game, &mut searcher, puzzle, group.fastest) {
                Some(nodes) => most = most.max(nodes),
                None => unsolved.push(&puzzle.fen),
            }
        }
        assert!(unsolved.is_empty(), "{}: unsolved: {unsolved:#?}", group.game);
        most
    }
}

/// How many nodes it takes until the search knows that it wins and plays a right move; `None` if the
/// limit is not enough.
fn nodes_to_solve<G: Game>(
    game: &G,
    searcher: &mut AlphaBeta<G::Position, HandcraftedEvaluation>,
    puzzle: &Puzzle,
    fastest: bool,
) -> Option<u64>
where
    G::Position: Pieces,
{
    let root = game.parse_position(&puzzle.fen).unwrap();
    let solves = |info: &Info<<G::Position as Position>::Move>| {
        let won_in = info.score.distance().filter(|_| info.score.is_win() && info.proven);
        if let Some(plies) = won_in {
            assert!(plies >= puzzle.plies, "{}: {plies} plies are too good to be true", puzzle.fen);
        }
        let right = info.pv.first().is_some_and(|&mv| puzzle.best.contains(&root.move_text(mv)));
        right && won_in.is_some_and(|plies| plies == puzzle.plies || !fastest)
    };
    let stop = Stop::new();
    let limits = Limits { nodes: Some(puzzle.hard.unwrap_or(SECOND)), ..Limits::default() };
    let mut found = false;
    let report = searcher.search(&root, &[], &limits, &stop, &mut |info| {
        if solves(info) {
            found = true;
            stop.stop();
        }
    });
    let line = &report.lines[0];
    let (id, fen, plies) = (game.id(), &puzzle.fen, puzzle.plies);
    println!("{id:<14} {plies:>2} plies {:>8} nodes, {:>10} {fen}", report.nodes, line.score.to_string());
    let solved = solves(line);
    assert!(solved || !found, "{fen}: what was found is not what would be played");
    solved.then_some(report.nodes)
}

fn solve(game: &str) {
    let rules = games::find(game).unwrap().rules();
    let solve = Solve(group(game));
    let most = with_leanest_game!(rules, game => solve.visit(game));
    println!("{game}: at most {most} nodes");
}

#[test]
fn duel_is_solved() {
    solve("duel");
}

#[test]
fn ambush_is_solved() {
    solve("ambush");
}

#[test]
fn diamond_qi_is_solved() {
    solve("diamond-qi");
}

#[test]
fn diamond_quest_is_solved() {
    solve("diamond-quest");
}

#[test]
fn diamond_chess_is_solved() {
    solve("diamond-chess");
}

/// Proves what can be proven in no time: short wins, that other moves are slower, that moves are legal.
struct Prove(Group);

impl Prove {
    /// How many were proven.
    fn visit<G>(self, game: G) -> usize
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let mut proven = 0;
        for Puzzle { fen, plies, best, .. } in &self.0.positions {
            let root = game.parse_position(fen).unwrap();
            assert_eq!(root.outcome(), None, "{fen}");
            assert!(!best.is_empty() && best.iter().all(|text| root.parse_move(text).is_ok()), "{fen}");
            if *plies > 3 {
                continue;
            }
            assert_eq!(forced(&root, *plies), Some(Value::Win(*plies)), "{fen}");
            for mv in list_moves(&root) {
                let fast = forced(&root.after(mv), plies - 1) == Some(Value::Loss(plies - 1));
                assert_eq!(fast, best.contains(&root.move_text(mv)), "{fen}");
            }
            proven += 1;
        }
        proven
    }
}

#[test]
fn short_answers_are_proven() {
    let proven: usize = suite()
        .into_iter()
        .map(|group| with_leanest_game!(games::find(&group.game).unwrap().rules(), game => Prove(group).visit(game)))
        .sum();
    assert!(proven >= 10, "only {proven}");
}

#[test]
fn the_suite_is_large_and_varied() {
    let suite = suite();
    let all: Vec<&Puzzle> = suite.iter().flat_map(|group| &group.positions).collect();
    assert!(all.len() >= 60);
    assert_eq!(all.iter().map(|puzzle| &puzzle.fen).collect::<HashSet<_>>().len(), all.len());
    let count = |games: &[&str], wanted: &dyn Fn(u32) -> bool| {
        let groups = suite.iter().filter(|group| games.contains(&&group.game[..]));
        groups.flat_map(|group| &group.positions).filter(|puzzle| wanted(puzzle.plies)).count()
    };
    assert!(count(&["ambush"], &|plies| (5..=21).contains(&plies)) >= 25);
    let chess = ["diamond-quest", "diamond-chess"];
    assert!(count(&chess, &|plies| [3, 5, 7, 9].contains(&plies)) >= 30);
    for plies in [3, 5, 7, 9] {
        assert!(count(&chess, &|p| p == plies) >= 4, "mates in {} moves", plies / 2 + 1);
    }
}
