//! Proof files as leaves: searches that probe them say nothing that the graph of a game contradicts, and see at once what is proven.

use jewel_engine::ability::{Game, NoTables, Notation, Packed, Probe};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::Pieces;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::limits::Limits;
use jewel_search::mcts::policy::UniformPolicy;
use jewel_search::mcts::{self, Mcts};
use jewel_search::report::Report;
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use jewel_solver::control::{self, Control};
use jewel_solver::graph::Graph;
use jewel_solver::proof::game::{CheckedGame, Encode, PlainGame};
use jewel_solver::proof::header::{Header, Kind};
use jewel_solver::proof::proven::Proven;
use jewel_solver::proof::reader::Proof;
use jewel_solver::proof::safe::safe_strategy;
use jewel_solver::proof::search::{Finding, Search};
use jewel_solver::proof::strategy::write;
use jewel_solver::proof::win::winning_strategy;
use jewel_solver::solution::Solution;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Positions of a game that are looked at, and a graph of all.
const MOST: u64 = 2_000;

fn graph<P: Packed>(root: &P) -> Option<Solution<P>> {
    let limits = control::Limits { max_positions: MOST, ..Default::default() };
    Control::with_limits(limits, |control| {
        let mut graph = Graph::new(root.clone()).unwrap();
        graph.enumerate(control)?;
        graph.solve(control)
    })
    .ok()
}

/// What a proof file of this claim proves, if it is right.
fn prove<G: Game<Position: Packed + Notation>>(
    text: &str,
    game: &G,
    kind: Kind,
    prover: Side,
) -> Option<Proven<G::Position>> {
    let rules = Rules::parse(text).unwrap();
    let plain = PlainGame::new(&rules).unwrap();
    let root = game.start();
    let attacker = if kind == Kind::Win { prover } else { !prover };
    let flat = |_: &G::Position| 0;
    let mut search = Search::new(attacker, 1 << 20, &NoTables, &flat, &GO_ON);
    let strategy = match kind {
        Kind::Win if search.solve(&root, None, u64::MAX, &mut |_| ()) != Finding::Proven => None,
        Kind::Win => winning_strategy(&mut search, &root, None, &NoTables, &mut |_| (), &|_| false).ok(),
        Kind::Safe => safe_strategy(&mut search, &root, &NoTables, 50, &mut |_| (), &|_| false).ok(),
    };
    let (symbols, bits) = plain.size();
    let header = Header {
        kind,
        prover,
        encoding: Encode::<G::Position>::encoding(&plain),
        symbols: symbols as u8,
        bits: bits as u8,
        fingerprint: rules.fingerprint,
        positions: 0,
        block: 50,
        limit: None,
        rules: text.to_string(),
        root: root.position_text(),
        tables: vec![],
    };
    let file = write(&strategy?, &root, &plain, header, vec![]).unwrap().0;
    let proof = Proof::open(&file).unwrap();
    Some(Proven::open(&proof, &plain, game).unwrap())
}

/// Several proofs of one game.
struct All<P>(Vec<Proven<P>>);

impl<P: Packed> Probe<P> for &All<P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.0.iter().find_map(|proven| proven.probe_wdl(position))
    }

    fn probe(&self, _: &P) -> Option<Value> {
        None
    }

    fn probe_least(&self, position: &P) -> Option<Value> {
        self.0.iter().filter_map(|proven| proven.probe_least(position)).max()
    }
}

fn search<P: Position>(
    searcher: &mut dyn Searcher<P>,
    root: &P,
    limits: &Limits<P::Move>,
) -> Report<P::Move> {
    searcher.search(root, &[], limits, &Stop::new(), &mut |_| ())
}

/// Searches positions of a game with what is proven of it; returns how many were decided.
fn compare(text: &str) -> usize {
    let rules = Rules::parse(text).unwrap();
    with_leanest_game!(&rules, game => compare_game(text, &rules, &game))
}

fn compare_game<G>(text: &str, rules: &Rules, game: &G) -> usize
where
    G: Game<Position: Packed + Notation + Pieces + jewel_engine::playout::Playout>,
    HandcraftedEvaluation: jewel_search::evaluate::Evaluate<G::Position>,
    <G::Position as Position>::Move: std::hash::Hash,
{
    let root = game.start();
    let Some(solution) = graph(&root) else { return 0 };
    let claims = Side::BOTH.into_iter().flat_map(|side| [(Kind::Win, side), (Kind::Safe, side)]);
    let all = All(claims.filter_map(|(kind, side)| prove(text, game, kind, side)).collect());
    assert!(all.0.len() >= 2, "somebody does not lose, and the other does not or wins: {text}");
    let evaluation = HandcraftedEvaluation::derived(rules);
    let options = Options { hash: 1, ..Options::default() };
    let mut alphabeta = AlphaBeta::with_tables(evaluation, &all, options).unwrap();
    let tree = mcts::Options { tree_mb: 1, ..Default::default() };
    let mut mcts = Mcts::with_tables(tree, UniformPolicy, &all);
    let mut decided = 0;
    // The root and what comes a ply after it, and some positions further on.
    let mut positions = vec![root.clone()];
    let mut next = 0;
    while next < positions.len() && positions.len() < 25 {
        let position = positions[next].clone();
        next += 1;
        if position.outcome().is_none() {
            positions.extend(list_moves(&position).into_iter().map(|mv| position.after(mv)));
        }
    }
    for position in positions.iter().filter(|position| position.outcome().is_none()) {
        let value = solution.value(position).unwrap();
        let least = (&all).probe_least(position);
        assert!(least.is_none_or(|least| least <= value), "{text}{position:?}: {least:?}, but {value:?}");
        for (name, searcher) in
            [("alpha-beta", &mut alphabeta as &mut dyn Searcher<G::Position>), ("mcts", &mut mcts)]
        {
            searcher.new_game();
            let limits = match name {
                "mcts" => Limits { nodes: Some(400), ..Limits::default() },
                _ => Limits { depth: Some(8), ..Limits::default() },
            };
            let report = search(searcher, position, &limits);
            let score = report.score();
            let what = format!("{name}, {text}{}: {score:?}, but {value:?}", position.position_text());
            if report.lines[0].proven {
                decided += 1;
                let outcome = if score.is_win() {
                    Outcome::Win
                } else if score.is_loss() {
                    Outcome::Loss
                } else {
                    Outcome::Draw
                };
                assert_eq!(outcome, value.outcome(), "{what}");
                // A strategy may take longer than need be, and so may the defence against it be longer.
                assert!(score.distance() >= value.distance(), "{what}");
            }
            // The strategy goes on two plies deep, which alpha-beta sees for all its pruning; a tree gets there in its own time.
            match least.filter(|_| name == "alpha-beta") {
                Some(Value::Win(plies)) => {
                    assert!(score.is_win() && score.distance() <= Some(plies), "{what}");
                }
                Some(_) => assert!(score >= Score::DRAW, "{what}"),
                None => {}
            }
        }
    }
    decided
}

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR")))
        .unwrap()
}

#[test]
fn a_proven_win_is_seen_at_once() {
    let text = example("octopawn");
    let rules = Rules::parse(&text).unwrap();
    with_leanest_game!(&rules, game => {
        let win = All(vec![prove(&text, &game, Kind::Win, Side::White).unwrap()]);
        let evaluation = HandcraftedEvaluation::derived(&rules);
        let mut alphabeta = AlphaBeta::with_tables(evaluation, &win, Options { hash: 1, ..Options::default() }).unwrap();
        let root = game.start();
        // The strategy is met after White's move and any answer.
        let depth = Limits { depth: Some(2), ..Limits::default() };
        let report = search(&mut alphabeta, &root, &depth);
        assert!(report.score().is_win(), "{:?}", report.lines[0]);
        let mut mcts = Mcts::with_tables(mcts::Options::default(), UniformPolicy, &win);
        let report = search(&mut mcts, &root, &Limits { nodes: Some(2_000), ..Limits::default() });
        assert!(report.score().is_win() && report.lines[0].proven, "{:?}", report.lines[0]);
        // It is the same game without the file that takes a search.
        let evaluation = HandcraftedEvaluation::derived(&rules);
        let mut alone = AlphaBeta::new(evaluation, Options { hash: 1, ..Options::default() }).unwrap();
        assert!(!search(&mut alone, &root, &depth).score().is_win());
    });
}

fn small_game() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["W", "F", "WD", "N", "K", "mfWcfF", "R", "B", "mRcF", "R2", "mWcN"]);
    let objective = prop::sample::select(vec!["hold", "secure", "reach", "none"]);
    let stalemate = prop::sample::select(vec!["loss", "draw", "win"]);
    let cells = prop::collection::vec(prop::option::weighted(0.4, (0..2u8, any::<bool>())), 12);
    let more = (objective, stalemate, any::<u8>(), any::<bool>());
    ((2..=3usize, 3..=4usize), prop::collection::vec(word, 2), cells, more).prop_filter_map(
        "no such game",
        |((w, h), words, cells, (objective, stalemate, goal, black))| {
            let letter = |(kind, white): (u8, bool)| {
                let letter = char::from(b'A' + kind);
                if white { letter } else { letter.to_ascii_lowercase() }
            };
            let row = |y: usize| (0..w).map(|x| cells[y * w + x].map_or('1', letter)).collect::<String>();
            let rows: Vec<String> = (0..h).rev().map(row).collect();
            let mut text = format!(
                "name = \"R\"\n[board]\nsize = \"{w}x{h}\"\nstart = \"{} {} - - 0 1\"\n",
                rows.join("/"),
                if black { "b" } else { "w" }
            );
            for (letter, word) in ["A", "B"].iter().zip(&words) {
                text += &format!("[[piece]]\nletter = \"{letter}\"\nmoves = \"{word}\"\n");
            }
            if objective != "none" {
                let square =
                    |n: u8| format!("{}{}", char::from(b'a' + n % w as u8), usize::from(n) / w % h + 1);
                text += &format!("[key]\nobjective = \"{objective}\"\n");
                text += &format!(
                    "goals = {{ w = [\"{}\"], b = [\"{}\"] }}\n",
                    square(goal),
                    square(goal.rotate_left(4))
                );
            }
            text += &format!("[end]\nstalemate = \"{stalemate}\"\n");
            let rules = Rules::parse(&text).ok()?;
            let small = with_leanest_game!(&rules, game => {
                game.start().outcome().is_none() && graph(&game.start()).is_some()
            });
            small.then_some(text)
        },
    )
}

#[test]
fn searches_with_proofs_never_contradict_the_graph() {
    let config = Config {
        cases: 150,
        failure_persistence: None,
        max_global_rejects: 100_000,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    let decided = RefCell::new(0);
    TestRunner::new(config)
        .run(&small_game(), |text| {
            *decided.borrow_mut() += compare(&text);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(*decided.borrow() > 1_000, "{decided:?}");
}
