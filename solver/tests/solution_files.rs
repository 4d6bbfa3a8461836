//! Files of solved graphs: what is written is what is looked up, nothing else is, and damage is found.

use crate::common::{self, Backwards, Toy, small_game, solved, toys, widened, with_threads};
use jewel_engine::ability::{Game, Notation, Packed, Probe, Symmetric};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games;
use jewel_engine::position::list_moves;
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use jewel_solver::solution_file::FileError;
use jewel_solver::solution_file::header::Header;
use jewel_solver::solution_file::reader::SolutionFile;
use jewel_solver::solution_file::writer::{About, save, write};
use jewel_solver::state;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;
use std::time::Instant;

const RULES: u64 = 0x1234;

fn about() -> About {
    About { fingerprint: RULES, rules: "the rules".to_string(), root: "the root".to_string() }
}

fn bytes<P: Packed>(solution: &Solution<P>) -> Vec<u8> {
    let mut out = Vec::new();
    let length =
        Control::with_limits(Limits::default(), |control| write(solution, &about(), &mut out, control))
            .unwrap();
    assert_eq!(length, out.len() as u64);
    out
}

fn open<P: Packed + Symmetric>(bytes: &[u8], root: &P) -> Result<SolutionFile<P>, FileError> {
    let file = SolutionFile::open(Box::new(bytes.to_vec()), root.clone(), RULES)?;
    file.check()?;
    Ok(file)
}

fn all<P: Packed>(solution: &Solution<P>) -> Vec<(P, Value)> {
    (0..solution.parts()).flat_map(|part| solution.part(part)).collect()
}

/// Every position has the value of the graph in the file; returns the file.
fn agrees<P: Packed + Symmetric>(solution: &Solution<P>) -> SolutionFile<P> {
    let file = open(&bytes(solution), solution.root()).unwrap();
    let mut found = 0;
    for (position, value) in all(solution) {
        assert_eq!(file.value(&position).unwrap(), Some(value), "{position:?}");
        assert_eq!(file.probe_wdl(&position), Some(value.outcome()));
        found += 1;
    }
    assert_eq!((file.header().positions, file.header().folded), (found, solution.is_folded()));
    file
}

/// The same of a game by keys of each width, and no position that only another root leads to is in its file: returns
/// the number of those.
fn compare<P: Packed + Symmetric>(root: &P) -> usize {
    let whole = solved(root);
    agrees(&whole);
    agrees(&solved(&widened(root, 65)));
    agrees(&solved(&widened(root, 129)));
    let Some(child) = list_moves(root).first().map(|&mv| root.after(mv)) else { return 0 };
    let part = solved(&child);
    let file = agrees(&part);
    let mut outside = 0;
    for (position, _) in all(&whole) {
        let value = part.value(&position);
        assert_eq!(file.value(&position).unwrap(), value, "{position:?}");
        outside += usize::from(value.is_none());
    }
    outside
}

#[test]
fn random_games_have_the_values_of_the_graph() {
    let config = ProptestConfig {
        cases: 150,
        failure_persistence: None,
        max_global_rejects: 100_000,
        rng_seed: RngSeed::Fixed(1),
        ..Default::default()
    };
    let outside = Cell::new(0);
    TestRunner::new(config)
        .run(&small_game(), |text| {
            let rules = Rules::parse(&text).unwrap();
            let more = with_leanest_game!(&rules, game => compare(&game.start()));
            outside.set(outside.get() + more);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(outside.get() > 1_000, "{outside:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_graphs_have_their_values(toy in toys(60)) {
        let count = toy.nodes.len();
        let (plain, in_blocks) = (agrees(&solved(&toy)), Backwards::new(toy.clone()));
        let solution = solved(&in_blocks);
        let sets = agrees(&solution);
        for at in 0..count {
            let value = solution.value(&in_blocks.at(at));
            prop_assert_eq!(plain.probe(&Toy { nodes: toy.nodes.clone(), at }), value);
            prop_assert_eq!(sets.probe(&in_blocks.at(at)), value);
        }
    }
}

#[test]
fn many_values_have_numbers() {
    // A corridor of 50,000 plies.
    use jewel_engine::value::{Outcome, Side};
    let side = |n: usize| if n.is_multiple_of(2) { Side::White } else { Side::Black };
    let node = |n, outcome, moves| common::Node { side: side(n), outcome, moves };
    let mut nodes: Vec<_> = (0..50_000).map(|n| node(n, None, vec![n + 1])).collect();
    nodes.push(node(50_000, Some(Outcome::Win), vec![]));
    agrees(&solved(&Toy::new(nodes)));
}

#[test]
fn crystals_and_folded_games_have_the_values_of_the_graph() {
    for parameters in ["tiers=2,molecules=3,tokens=2", "tiers=3,molecules=1,tokens=3"] {
        compare(&CrystalGame::with_parameters(parameters).unwrap().start());
    }
    fn folded<P: Packed + Symmetric>(root: &P) {
        let orbits = Control::with_limits(Limits::default(), |control| {
            let mut graph = Graph::folded(root.clone()).unwrap();
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap();
        let (file, whole) = (agrees(&orbits), solved(root));
        assert!(file.header().positions < whole.counts().positions());
        for (position, value) in all(&whole) {
            assert_eq!(file.value(&position).unwrap(), Some(value), "{position:?}");
            for (image, _) in position.images() {
                assert_eq!(file.value(&image).unwrap(), orbits.value(&image), "{image:?}");
            }
        }
    }
    folded(&CrystalGame::with_parameters("tiers=2,molecules=3,tokens=2").unwrap().start());
    folded(&ambush().parse_position("1q3/5/5/5/1N1N1 w - - 0 1").unwrap());
}

fn ambush() -> ChessGame<'static, Leapers, 4> {
    ChessGame::new(games::find("ambush").unwrap().rules()).unwrap()
}

#[test]
fn threads_and_interruptions_change_no_byte() {
    let root = ambush().parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap();
    let with = |threads| with_threads(threads, || bytes(&solved(&root)));
    let one = with(1);
    assert!(one == with(2) && one == with(5));
    assert!(one.len() < 400_000, "{}", one.len());
    let mut graph = Graph::new(root).unwrap();
    let mut limit = 0;
    loop {
        limit += 50_000;
        let limits = Limits { max_positions: limit, ..Limits::default() };
        let stop = Control::with_limits(limits, |control| graph.enumerate(control)).err();
        let mut saved = Vec::new();
        state::write(&graph, 1, &mut saved).unwrap();
        graph = Control::with_limits(Limits::default(), |control| {
            state::read(Graph::new(root).unwrap(), 1, saved.len() as u64, &mut &saved[..], control)
        })
        .unwrap();
        match stop {
            None => break,
            Some(stop) => assert_eq!(stop, Stop::Positions { limit }),
        }
    }
    let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
    assert!(one == bytes(&solution));
}

/// Each byte of a file counts.
fn damage<P: Packed + Symmetric>(root: &P, step: usize) {
    let file = bytes(&solved(root));
    open(&file, root).unwrap();
    for at in (0..file.len()).step_by(step) {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            let error = open(&damaged, root).expect_err("damage is found");
            match (at, &error) {
                (0..8, FileError::Foreign)
                | (8..10, FileError::Version { .. })
                | (16..24, FileError::Rules { .. })
                | (10.., FileError::Damaged(_)) => {}
                _ => panic!("byte {at}: {error}"),
            }
        }
    }
    for length in (0..file.len()).step_by(step) {
        let error = open(&file[..length], root).expect_err("it is cut short");
        assert!(matches!(error, FileError::Foreign | FileError::Damaged(_)), "{length}: {error}");
    }
    assert!(open(&[&file[..], b"x"].concat(), root).is_err());
}

#[test]
fn damage_is_found() {
    damage(&games_start("duel"), 1);
    // Some blocks without a model, and many with one.
    let crystal = |parameters| CrystalGame::with_parameters(parameters).unwrap().start();
    damage(&crystal("tiers=2,molecules=2,tokens=2"), 7);
    damage(&ambush().parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap(), 20_011);
}

fn games_start(id: &str) -> jewel_engine::chesslike::ChessLike<'static, Leapers, 4> {
    ChessGame::<Leapers, 4>::new(games::find(id).unwrap().rules()).unwrap().start()
}

#[test]
fn errors_say_what_is_wrong() {
    let root = games_start("duel");
    let file = bytes(&solved(&root));
    let text = |file: &[u8], rules| {
        SolutionFile::open(Box::new(file.to_vec()), root, rules).expect_err("it is refused").to_string()
    };
    assert_eq!(
        text(&file, 5),
        "the solution is for other rules (fingerprint 0000000000001234, these rules have 0000000000000005): \
         solve the game again with these rules"
    );
    let mut later = file.clone();
    later[8] = 2;
    assert_eq!(
        text(&later, RULES),
        "the solution file has format version 2; this program reads version 1: solve the game again"
    );
    assert_eq!(
        text(b"JEWELTAB and more", RULES),
        "this is not a solution file: it does not begin with \"JEWELSOL\""
    );
    assert_eq!(
        text(&file[..file.len() - 1], RULES),
        "the solution file is damaged: it does not end as it should; solve the game again"
    );
    let wide = SolutionFile::open(Box::new(file.clone()), widened(&root, 65), RULES)
        .expect_err("the keys are narrow");
    assert!(wide.to_string().contains("keys of 8 bytes"), "{wide}");
    let header = Header::read(&file).unwrap();
    assert_eq!((header.rules.as_str(), header.root.as_str()), ("the rules", "the root"));
}

#[test]
fn an_interrupted_file_is_not_there() {
    let folder = std::env::temp_dir().join(format!("jewel-solution-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("duel.solution");
    let solution = solved(&games_start("duel"));
    let stop = std::sync::atomic::AtomicBool::new(true);
    let mut silent = |_| ();
    let stopped = save(&solution, &about(), &path, &mut Control::new(Limits::default(), &stop, &mut silent));
    assert_eq!(stopped.unwrap_err().to_string(), "interrupted");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let length =
        Control::with_limits(Limits::default(), |control| save(&solution, &about(), &path, control)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    std::fs::remove_dir_all(folder).unwrap();
}

fn measure<G: Game<Position: Packed + Symmetric + Notation>>(game: &G) {
    let root = game.start();
    let solution = solved(&root);
    let start = Instant::now();
    let file = bytes(&solution);
    let wrote = start.elapsed();
    let positions = solution.counts().positions();
    let header = Header::read(&file).unwrap();
    println!(
        "{}: {} positions, {} bytes, {:.3} a position; written in {wrote:?}; key {}",
        game.id(),
        positions,
        file.len(),
        file.len() as f64 / positions as f64,
        header.key_bytes
    );
    let open = SolutionFile::open(Box::new(file.clone()), root.clone(), RULES).unwrap();
    let all: Vec<_> = (0..solution.parts()).flat_map(|part| solution.part(part)).collect();
    for round in 0..2 {
        let start = Instant::now();
        for (position, value) in &all {
            assert_eq!(open.value(position).unwrap(), Some(*value));
        }
        println!("round {round}: {:?} a probe", start.elapsed() / all.len() as u32);
    }
    let fresh = SolutionFile::open(Box::new(file), root.clone(), RULES).unwrap();
    let some: Vec<_> = all.iter().step_by(all.len() / 15).collect();
    let start = Instant::now();
    for (position, value) in &some {
        assert_eq!(fresh.value(position).unwrap(), Some(*value));
    }
    println!("from a block that is not in memory: {:?} a probe", start.elapsed() / some.len() as u32);
}

/// `cargo test --release -p jewel-solver solution_files:: -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn sizes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants");
    for name in ["octopawn", "fox-and-hounds", "duel-5x5"] {
        let rules = Rules::parse(&std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap()).unwrap();
        with_leanest_game!(&rules, game => measure(&game));
    }
    let text =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../results/proofs/hexapawn-5x5.proof")).unwrap();
    let proof = jewel_solver::proof::reader::Proof::open(&text).unwrap();
    let rules = Rules::parse(&proof.header().rules).unwrap();
    with_leanest_game!(&rules, game => measure(&game));
    measure(&CrystalGame::with_parameters("tiers=3,molecules=2,tokens=3").unwrap());
}
