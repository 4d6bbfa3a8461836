//! Graphs on disk: the same positions with the same values as in memory, whatever fits into memory and whatever stops the work.

use crate::common::{self, Backwards, Node, Toy, small_game, solved, toys, try_solved, widened};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::disk::{DiskError, Options, is_begun, remove};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use jewel_solver::solution_file::writer::{About, write};
use jewel_solver::verify::verify;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

const FINGERPRINT: u64 = 77;
/// So little that everything has to go through files.
const TINY: Options = Options { sorted: 60, batch: 16, checkpoint: NEVER };
const LARGE: Options = Options { sorted: 1 << 20, batch: 1 << 12, checkpoint: NEVER };
const MIDDLE: Options = Options { sorted: 9_000, batch: 900, checkpoint: NEVER };
const NEVER: Duration = Duration::MAX;

/// A folder that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("jewel-disk-{}-{number}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn on_disk<P: Packed>(graph: &Graph<P>, folder: &Path, options: Options) -> Result<Solution<P>, DiskError> {
    Control::with_limits(Limits::default(), |control| {
        graph.solve_on_disk(folder, FINGERPRINT, options, control)
    })
}

/// The bytes of a solution's file: they say everything about it.
fn bytes<P: Packed>(solution: &Solution<P>) -> Vec<u8> {
    let about = About { fingerprint: FINGERPRINT, rules: String::new(), root: String::new() };
    let mut out = Vec::new();
    Control::with_limits(Limits::default(), |control| write(solution, &about, &mut out, control)).unwrap();
    out
}

/// Solves on disk, and compares with the solution in memory; returns it.
fn compare<P: Packed>(graph: &Graph<P>, expected: &Solution<P>, options: Options) {
    let scratch = Scratch::new();
    let found = on_disk(graph, &scratch.0, options).unwrap();
    assert_eq!(found.counts(), expected.counts());
    assert_eq!(found.edges(), expected.edges());
    assert_eq!(found.longest_win(), expected.longest_win());
    assert!(bytes(&found) == bytes(expected), "values differ");
    Control::with_limits(Limits::default(), |control| verify(&found, control)).unwrap();
    // Opened again, it is solved.
    drop(found);
    assert!(is_begun(&scratch.0) && bytes(&on_disk(graph, &scratch.0, options).unwrap()) == bytes(expected));
    remove(&scratch.0).unwrap();
    assert!(!scratch.0.exists());
}

fn compare_game<P: Packed + Symmetric>(root: &P) {
    compare_width(root);
    compare_width(&widened(root, 129));
}

fn compare_width<P: Packed + Symmetric>(root: &P) {
    let expected = solved(root);
    compare(&Graph::new(root.clone()).unwrap(), &expected, TINY);
    let mut graph = Graph::folded(root.clone()).unwrap();
    let expected = Control::with_limits(Limits::default(), |control| {
        graph.enumerate(control)?;
        graph.solve(control)
    })
    .unwrap();
    compare(&Graph::folded(root.clone()).unwrap(), &expected, TINY);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_graphs_have_their_values(toy in toys(60)) {
        compare(&Graph::new(toy.clone()).unwrap(), &solved(&toy), TINY);
        let backwards = Backwards::new(toy);
        compare(&Graph::new(backwards.clone()).unwrap(), &solved(&backwards), TINY);
    }
}

#[test]
fn random_games_have_the_values_of_the_graph() {
    let config = ProptestConfig {
        cases: 30,
        failure_persistence: None,
        max_global_rejects: 100_000,
        rng_seed: RngSeed::Fixed(3),
        ..Default::default()
    };
    TestRunner::new(config)
        .run(&small_game(), |text| {
            let rules = Rules::parse(&text).unwrap();
            let large = with_leanest_game!(&rules, game => {
                try_solved(&game.start(), Limits { max_positions: 4_000, ..Limits::default() }).is_err()
            });
            prop_assume!(!large);
            with_leanest_game!(&rules, game => compare_game(&game.start()));
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

/// Keys and queens of Ambush: 56,000 positions.
fn ending() -> <ChessGame<'static, Leapers, 4> as Game>::Position {
    let ambush = ChessGame::<Leapers, 4>::new(games::find("ambush").unwrap().rules()).unwrap();
    ambush.parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap()
}

#[test]
fn larger_games_have_the_values_of_the_graph() {
    let root = ending();
    let expected = solved(&root);
    for options in [LARGE, MIDDLE] {
        compare(&Graph::new(root).unwrap(), &expected, options);
    }
    let crystal = CrystalGame::with_parameters("tiers=2,molecules=2,tokens=2").unwrap().start();
    compare(&Graph::new(crystal).unwrap(), &solved(&crystal), MIDDLE);
}

#[test]
fn long_distances_are_kept() {
    // Too long for a word, and with moves that are taken back and that are not.
    let side = |n: usize| if n.is_multiple_of(2) { Side::White } else { Side::Black };
    let mut nodes: Vec<_> =
        (0..8_300).map(|n| Node { side: side(n), outcome: None, moves: vec![n + 1] }).collect();
    nodes.push(Node { side: side(8_300), outcome: Some(Outcome::Loss), moves: vec![] });
    let toy = Toy::new(nodes);
    let scratch = Scratch::new();
    let solution = on_disk(&Graph::new(toy.clone()).unwrap(), &scratch.0, LARGE).unwrap();
    assert_eq!(solution.root_value(), Value::Loss(8_300));
    drop(solution);
    let again = on_disk(&Graph::new(toy.clone()).unwrap(), &scratch.0, LARGE).unwrap();
    assert_eq!(again.root_value(), Value::Loss(8_300));
    compare(&Graph::new(Backwards::new(toy.clone())).unwrap(), &solved(&Backwards::new(toy)), LARGE);
}

/// Solves on disk, interrupted each time after more reports of progress, `every` at first. Returns the bytes of the solution and
/// the number of interruptions.
fn in_steps<P: Packed>(root: &P, every: u32) -> (Vec<u8>, u32) {
    let scratch = Scratch::new();
    let mut stops = 0;
    loop {
        let (interrupt, mut calls) = (AtomicBool::new(false), 0);
        let mut progress = |_| {
            calls += 1;
            interrupt.store(calls == every * (stops + 1), Ordering::Relaxed);
        };
        let mut control = Control::new(Limits::default(), &interrupt, &mut progress);
        let graph = Graph::new(root.clone()).unwrap();
        match graph.solve_on_disk(&scratch.0, FINGERPRINT, MIDDLE, &mut control) {
            Ok(solution) => return (bytes(&solution), stops),
            Err(DiskError::Stopped(Stop::Interrupted)) => stops += 1,
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn work_goes_on_wherever_it_is_stopped() {
    let (root, forgetful) = (ending(), common::Forgetful(ending()));
    let expected = [bytes(&solved(&root)), bytes(&solved(&forgetful))];
    for every in [4, 30] {
        for ((found, stops), expected) in
            [in_steps(&root, every), in_steps(&forgetful, every)].into_iter().zip(&expected)
        {
            assert!(found == *expected && stops > 1, "{stops}");
        }
    }
}

/// Copies the files of a folder, as they are at some moment.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[test]
fn what_a_kill_leaves_goes_on() {
    let often = Options { checkpoint: Duration::ZERO, ..MIDDLE };
    let forgetful = common::Forgetful(ending());
    let expected = bytes(&solved(&forgetful));
    let (scratch, copies) = (Scratch::new(), Scratch::new());
    let mut calls = 0;
    let mut progress = |_| {
        calls += 1;
        if calls % 40 == 0 {
            copy(&scratch.0, &copies.0.join(calls.to_string()));
        }
    };
    let interrupt = AtomicBool::new(false);
    let mut control = Control::new(Limits::default(), &interrupt, &mut progress);
    let graph = || Graph::new(forgetful.clone()).unwrap();
    let whole = graph().solve_on_disk(&scratch.0, FINGERPRINT, often, &mut control).unwrap();
    assert!(bytes(&whole) == expected);
    let mut left = 0;
    for moment in fs::read_dir(&copies.0).unwrap() {
        let moment = moment.unwrap().path();
        assert!(bytes(&on_disk(&graph(), &moment, LARGE).unwrap()) == expected, "{}", moment.display());
        left += 1;
    }
    assert!(left > 5, "{left}");
}

#[test]
fn a_folder_that_vanishes_or_belongs_to_others_is_an_error() {
    let graph = Graph::new(ending()).unwrap();
    let scratch = Scratch::new();
    let interrupt = AtomicBool::new(false);
    let (mut calls, folder) = (0, scratch.0.clone());
    let mut vanish = |_| {
        calls += 1;
        if calls == 10 {
            fs::remove_dir_all(&folder).unwrap();
        }
    };
    let mut control = Control::new(Limits::default(), &interrupt, &mut vanish);
    let error = graph.solve_on_disk(&scratch.0, FINGERPRINT, TINY, &mut control).unwrap_err();
    assert!(matches!(error, DiskError::Io { .. }) && !error.to_string().contains('\n'), "{error}");
    // A file in the place of the folder.
    fs::write(&scratch.0, "").unwrap();
    assert!(matches!(on_disk(&graph, &scratch.0, LARGE), Err(DiskError::Io { .. })));
    fs::remove_file(&scratch.0).unwrap();
    drop(on_disk(&graph, &scratch.0, LARGE).unwrap());
    let other = Control::with_limits(Limits::default(), |control| {
        graph.solve_on_disk(&scratch.0, FINGERPRINT + 1, LARGE, control)
    });
    assert!(matches!(other, Err(DiskError::Mismatch { .. })));
    let folded = Graph::folded(ending()).unwrap();
    assert!(matches!(on_disk(&folded, &scratch.0, LARGE), Err(DiskError::Mismatch { .. })));
}

#[test]
fn damage_is_found_and_foreign_files_stay() {
    let root = common::Forgetful(ending());
    let graph = || Graph::new(root.clone()).unwrap();
    let scratch = Scratch::new();
    // Stopped while values are found, so that all kinds of files are there.
    let interrupt = AtomicBool::new(false);
    let mut stop = |progress: jewel_solver::control::Progress| {
        let propagates = progress.phase == jewel_solver::control::Phase::Propagate;
        interrupt.store(propagates && progress.done > 20_000, Ordering::Relaxed);
    };
    let mut control = Control::new(Limits::default(), &interrupt, &mut stop);
    let stopped = graph().solve_on_disk(&scratch.0, FINGERPRINT, LARGE, &mut control);
    assert!(matches!(stopped, Err(DiskError::Stopped(Stop::Interrupted))));
    let mine = ["mine.txt", "20261127", "00000001-mine"];
    mine.iter().for_each(|name| fs::write(scratch.0.join(name), "kept").unwrap());
    let files: Vec<PathBuf> = fs::read_dir(&scratch.0).unwrap().map(|file| file.unwrap().path()).collect();
    let mut all = 0;
    for file in files.iter().filter(|file| {
        !["jewel-lock", "mine.txt", "20261127", "00000001-mine"].iter().any(|name| file.ends_with(name))
    }) {
        let good = fs::read(file).unwrap();
        for at in [good.len() / 2, good.len() - 1] {
            let changed = Scratch::new();
            copy(&scratch.0, &changed.0);
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(changed.0.join(file.file_name().unwrap()), bad).unwrap();
            all += 1;
            let error = on_disk(&graph(), &changed.0, LARGE).unwrap_err();
            assert!(matches!(error, DiskError::Damaged { .. }), "byte {at} of {}: {error}", file.display());
            assert!(mine.iter().all(|name| changed.0.join(name).exists()));
        }
    }
    assert!(all >= 10, "{all}");
}

#[test]
fn limits_are_kept() {
    let graph = Graph::new(ending()).unwrap();
    let scratch = Scratch::new();
    let limits = Limits { max_positions: 10_000, ..Limits::default() };
    let stopped =
        Control::with_limits(limits, |control| graph.solve_on_disk(&scratch.0, FINGERPRINT, LARGE, control));
    assert!(matches!(stopped, Err(DiskError::Stopped(Stop::Positions { limit: 10_000 }))));
    let Err(Stop::Memory { needed, limit }) = Options::within(1 << 20, &ending()) else {
        panic!("a mebibyte is too little")
    };
    assert_eq!(limit, 1 << 20);
    assert!(Options::within(needed, &ending()).is_ok() && Options::within(needed - 1, &ending()).is_err());
}
