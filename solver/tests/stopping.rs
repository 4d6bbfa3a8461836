//! Limits, interrupts and state files: a computation that was stopped ends with the result of one that was not.

use crate::common::{self, Backwards, Forgetful, Toy, solved, toys, try_solved, widened, with_threads};
use jewel_engine::ability::{Game, Packed};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_solver::control::{Control, Limits, Phase, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::line::Line;
use jewel_solver::solution::{Counts, Solution};
use jewel_solver::state::{self, StateError};
use jewel_solver::verify::{Failure, verify};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const RULES: u64 = 0x1234;

fn positions(max_positions: u64) -> Limits {
    Limits { max_positions, ..Limits::default() }
}

fn memory(memory: u64) -> Limits {
    Limits { memory, ..Limits::default() }
}

fn bytes<P: Packed>(graph: &Graph<P>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let fingerprint = state::fingerprint(RULES, graph.root());
    state::write(graph, fingerprint, &mut bytes).unwrap();
    assert_eq!(bytes.len() as u64, state::size(graph));
    bytes
}

fn read<P: Packed>(root: &P, bytes: &[u8]) -> Result<Graph<P>, StateError> {
    let fingerprint = state::fingerprint(RULES, root);
    Control::with_limits(Limits::default(), |control| {
        state::read(
            Graph::new(root.clone()).unwrap(),
            fingerprint,
            bytes.len() as u64,
            &mut &bytes[..],
            control,
        )
    })
}

/// Enumerates in steps, saving and loading a state file after each; returns the bytes of the complete graph.
fn in_steps<P: Packed>(root: &P, step: u64) -> (Graph<P>, Vec<u8>) {
    let mut graph = Graph::new(root.clone()).unwrap();
    let mut limit = step;
    loop {
        let stop = Control::with_limits(positions(limit), |control| graph.enumerate(control));
        assert!(graph.positions() <= limit);
        let saved = bytes(&graph);
        match stop {
            Ok(()) => return (graph, saved),
            Err(stop) => {
                assert_eq!(stop, Stop::Positions { limit });
                assert_eq!(graph.positions(), limit, "as many as are allowed");
                assert!(!graph.is_complete());
            }
        }
        graph = read(root, &saved).unwrap();
        assert_eq!(bytes(&graph), saved, "what is read is what was written");
        limit += step;
    }
}

fn ambush() -> ChessGame<'static, Leapers, 4> {
    ChessGame::new(games::find("ambush").unwrap().rules()).unwrap()
}

type Description<P> = (Counts, u64, Option<Line<<P as Position>::Move>>, Option<P>);

fn describe<P: Packed>(solution: &Solution<P>) -> Description<P> {
    let root = solution.root();
    (solution.counts(), solution.edges(), solution.line(root), solution.longest_win())
}

#[test]
fn a_walk_in_steps_ends_at_the_same_graph() {
    let root = ambush().parse_position("1q3/5/5/5/1N1N1 w - - 0 1").unwrap();
    let mut whole = Graph::new(root).unwrap();
    Control::with_limits(Limits::default(), |control| whole.enumerate(control)).unwrap();
    let expected = bytes(&whole);
    assert!(whole.positions() > 5_000);
    for step in [313, 3_001] {
        let (mut graph, steps) = with_threads(3, || in_steps(&root, step));
        assert!(steps == expected, "steps of {step} changed the state");
        let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
        assert_eq!(describe(&solution), describe(&solved(&root)));
    }
    let wide = with_threads(2, || in_steps(&widened(&root, 65), 2_000).0);
    assert_eq!((wide.positions(), wide.edges()), (whole.positions(), whole.edges()));
}

#[test]
fn the_limit_may_be_met_exactly() {
    let duel = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
    assert!(try_solved(&duel.start(), positions(162)).is_ok());
    let stop = try_solved(&duel.start(), positions(161)).unwrap_err();
    assert_eq!(stop, Stop::Positions { limit: 161 });
    assert_eq!(try_solved(&duel.start(), positions(0)).unwrap_err(), Stop::Positions { limit: 0 });
}

#[test]
fn memory_is_refused_before_it_is_taken() {
    let root = ambush().parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap();
    let mut graph = Graph::new(root).unwrap();
    let mut stops = 0;
    let mut limit = 1 << 10;
    loop {
        let stop = Control::with_limits(memory(limit), |control| graph.enumerate(control));
        assert!(graph.bytes() <= limit || graph.positions() == 0, "{} of {limit}", graph.bytes());
        match stop {
            Ok(()) => break,
            Err(Stop::Memory { needed, limit: told }) => assert!(needed > limit && told == limit),
            Err(other) => panic!("{other}"),
        }
        stops += 1;
        limit = limit * 5 / 4;
    }
    assert!(stops > 10, "{stops} stops");
    // There is memory for enumeration but not for solving, which fails and leaves the graph as it is.
    let needed = graph.bytes_to_solve();
    let stop = Control::with_limits(memory(needed - 1), |control| graph.solve(control)).unwrap_err();
    assert_eq!(stop, Stop::Memory { needed, limit: needed - 1 });
    assert!(graph.is_complete());
    let solution = Control::with_limits(memory(needed), |control| graph.solve(control)).unwrap();
    assert_eq!(describe(&solution), describe(&solved(&root)));
    assert_eq!(graph.positions(), 0);
}

/// Interrupts a computation once in each of some phases, with a state file after each.
fn interrupted<P: Packed>(root: &P, phases: &[Phase]) -> Solution<P> {
    let mut graph = Graph::new(root.clone()).unwrap();
    let interrupt = AtomicBool::new(false);
    for &phase in phases {
        let mut reports = 0;
        let mut progress = |p: jewel_solver::control::Progress| {
            assert!(p.done <= p.known);
            reports += usize::from(p.phase == phase);
            interrupt.store(p.phase == phase, Ordering::Relaxed);
        };
        let mut control = Control::new(Limits::default(), &interrupt, &mut progress);
        let stop = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control).map(drop));
        assert_eq!(stop, Err(Stop::Interrupted), "{phase:?}");
        assert_eq!(reports, 1);
        interrupt.store(false, Ordering::Relaxed);
        let saved = bytes(&graph);
        graph = read(root, &saved).unwrap();
        assert_eq!(bytes(&graph), saved);
    }
    assert!(graph.is_complete());
    let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
    interrupt.store(true, Ordering::Relaxed);
    let mut silent = |_| {};
    let mut control = Control::new(Limits::default(), &interrupt, &mut silent);
    assert_eq!(verify(&solution, &mut control), Err(Failure::Stopped(Stop::Interrupted)));
    Control::with_limits(Limits::default(), |control| verify(&solution, control)).unwrap();
    solution
}

#[test]
fn an_interrupt_loses_nothing() {
    let root = ambush().parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap();
    let whole = describe(&solved(&root));
    let phases = [Phase::Enumerate, Phase::Propagate, Phase::Propagate];
    assert_eq!(describe(&interrupted(&root, &phases)), whole);
    // A game that cannot take moves back.
    let root = Forgetful(root);
    let phases = [Phase::Enumerate, Phase::Link, Phase::Propagate];
    let solution = interrupted(&root, &phases);
    assert_eq!((solution.counts(), solution.edges()), (whole.0, whole.1));
}

/// A propagation that is stopped after every wave, distances that do not fit into a word among them.
#[test]
fn a_solve_goes_on_from_every_wave() {
    let toy = corridor();
    goes_on_from_every_wave(&Backwards::new(toy.clone()));
    goes_on_from_every_wave(&toy);
}

/// A game without a choice, longer than a word can tell.
fn corridor() -> Toy {
    use crate::common::Node;
    use jewel_engine::value::{Outcome, Side};
    let length = 8_400;
    let side = |n| if n % 2 == 0 { Side::White } else { Side::Black };
    let mut nodes: Vec<Node> =
        (0..length).map(|n| Node { side: side(n), outcome: None, moves: vec![n + 1] }).collect();
    nodes.push(Node { side: side(length), outcome: Some(Outcome::Win), moves: Vec::new() });
    Toy::new(nodes)
}

fn goes_on_from_every_wave<P: Packed + PartialEq>(root: &P) {
    let mut graph = Graph::new(root.clone()).unwrap();
    Control::with_limits(Limits::default(), |control| graph.enumerate(control)).unwrap();
    let interrupt = AtomicBool::new(false);
    let solution = loop {
        let mut waves = 0;
        interrupt.store(false, Ordering::Relaxed);
        let mut progress = |p: jewel_solver::control::Progress| {
            waves += u32::from(p.phase == Phase::Propagate);
            interrupt.store(waves > 701, Ordering::Relaxed);
        };
        let mut control = Control::new(Limits::default(), &interrupt, &mut progress);
        match graph.solve(&mut control) {
            Ok(solution) => break solution,
            Err(stop) => assert_eq!(stop, Stop::Interrupted),
        }
        let saved = bytes(&graph);
        graph = read(root, &saved).unwrap();
        assert!(bytes(&graph) == saved);
    };
    assert_eq!(solution.root_value(), jewel_engine::value::Value::Win(8_400));
    assert_eq!(describe(&solution), describe(&solved(root)));
}

#[test]
fn too_many_moves_are_an_error() {
    use crate::common::Node;
    let node =
        |moves: usize| Node { side: jewel_engine::value::Side::White, outcome: None, moves: vec![0; moves] };
    assert!(try_solved(&Toy::new(vec![node(8191)]), Limits::default()).is_ok());
    let stop = try_solved(&Toy::new(vec![node(8192)]), Limits::default()).unwrap_err();
    assert_eq!(stop, Stop::Moves { moves: 8192 });
    assert_eq!(stop.to_string(), "a position has 8192 moves; the solver can keep 8191");
}

/// A file that is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("jewel-solver-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn stopped() -> Graph<<ChessGame<'static, Leapers, 4> as Game>::Position> {
    let mut graph = Graph::new(ambush().parse_position("1q3/5/5/5/1N1N1 w - - 0 1").unwrap()).unwrap();
    let stop = Control::with_limits(positions(2_000), |control| graph.enumerate(control));
    assert_eq!(stop, Err(Stop::Positions { limit: 2_000 }));
    graph
}

#[test]
fn a_file_replaces_the_one_before() {
    let scratch = Scratch::new("replaced");
    let graph = stopped();
    let fingerprint = state::fingerprint(RULES, graph.root());
    std::fs::write(&scratch.0, b"older").unwrap();
    state::save(&graph, fingerprint, &scratch.0).unwrap();
    assert_eq!(std::fs::read(&scratch.0).unwrap(), bytes(&graph));
    let again: Graph<_> = Control::with_limits(Limits::default(), |control| {
        state::load(Graph::new(*graph.root()).unwrap(), fingerprint, &scratch.0, control)
    })
    .unwrap();
    assert_eq!(bytes(&again), bytes(&graph));
    let directory = scratch.0.parent().unwrap();
    let name = scratch.0.file_name().unwrap().to_str().unwrap();
    let left =
        std::fs::read_dir(directory).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(left.filter(|file| file.starts_with(name)).count(), 1, "the temporary file is gone");
    assert!(state::save(&graph, fingerprint, &scratch.0.join("x")).is_err());
}

#[test]
fn a_file_is_not_loaded_beyond_the_memory_limit() {
    let graph = stopped();
    let bytes = bytes(&graph);
    let fingerprint = state::fingerprint(RULES, graph.root());
    let read = |limit| {
        Control::with_limits(memory(limit), |control| {
            state::read(
                Graph::new(*graph.root()).unwrap(),
                fingerprint,
                bytes.len() as u64,
                &mut &bytes[..],
                control,
            )
        })
    };
    assert!(matches!(read(1000), Err(StateError::Stopped(Stop::Memory { .. }))));
    let graph = read(1 << 24).unwrap();
    assert!(graph.bytes() <= 1 << 24);
}

/// Every changed byte and every wrong length is an error.
#[test]
fn damage_is_found_wherever_it_is() {
    let graph = stopped();
    let root = *graph.root();
    let whole = bytes(&graph);
    for length in (0..100).chain((100..whole.len()).step_by(97)) {
        let error = read(&root, &whole[..length]).map(drop).unwrap_err();
        assert!(matches!(error, StateError::Foreign | StateError::Damaged(_)), "{length}: {error}");
    }
    assert!(read(&root, &[&whole[..], &[0]].concat()).is_err());
    for at in (0..200).chain((200..whole.len()).step_by(89)).chain([whole.len() - 1]) {
        for bit in [0, 7] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let error = read(&root, &damaged).map(drop).unwrap_err();
            match at {
                0..8 => assert!(matches!(error, StateError::Foreign), "{at}: {error}"),
                8..12 => assert!(matches!(error, StateError::Version { .. }), "{at}: {error}"),
                _ => assert!(matches!(error, StateError::Damaged(_)), "{at}: {error}"),
            }
        }
    }
}

#[test]
fn a_file_of_something_else_is_told_apart() {
    let graph = stopped();
    let whole = bytes(&graph);
    assert!(matches!(read(&widened(graph.root(), 65), &whole), Err(StateError::Mismatch)));
    let other = ambush().parse_position("1q3/5/5/5/1N1N1 b - - 0 1").unwrap();
    assert!(matches!(read(&other, &whole), Err(StateError::Mismatch)));
    let rules = state::fingerprint(RULES + 1, graph.root());
    let found = Control::with_limits(Limits::default(), |control| {
        state::read(Graph::new(*graph.root()).unwrap(), rules, whole.len() as u64, &mut &whole[..], control)
    });
    assert!(matches!(found, Err(StateError::Mismatch)));
    assert!(matches!(read(graph.root(), b"PK\x03\x04 and so on"), Err(StateError::Foreign)));
}

/// The checksum of the file format, written independently from its description.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        jewel_engine::zobrist::splitmix64(hash ^ u64::from_le_bytes(word)).1
    })
}

#[test]
fn the_format_is_as_described() {
    let mut graph = stopped();
    let whole = bytes(&graph);
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(&whole[..16], b"JEWELGRF\x03\0\0\0\x08\0\0\0");
    assert_eq!(word(&whole, 16), state::fingerprint(RULES, graph.root()));
    let header = [24, 32, 40, 48, 56].map(|at| word(&whole, at));
    assert_eq!(header, [2_000, graph.expanded(), graph.edges(), 0, 0]);
    assert_eq!(word(&whole, 64), checksum(&whole[..64]));
    assert_eq!(whole.len(), 72 + 10 * 2_000 + 8);
    assert_eq!(word(&whole, whole.len() - 8), checksum(&whole[..whole.len() - 8]));
    let records = whole[72..whole.len() - 8].chunks(10);
    let words: Vec<u16> = records.clone().map(|r| u16::from_le_bytes(r[8..].try_into().unwrap())).collect();
    assert_eq!(words.iter().filter(|&&word| word != u16::MAX).count() as u64, graph.expanded());
    let open = words.iter().filter(|&&word| word >> 14 & 1 == 0);
    assert_eq!(open.map(|&word| u64::from(word & 8191)).sum::<u64>(), graph.edges());
    assert!(records.clone().any(|record| word(record, 0) == graph.root().pack::<u64>()));
    // A graph whose values are known up to some distance.
    Control::with_limits(Limits::default(), |control| graph.enumerate(control)).unwrap();
    let interrupt = AtomicBool::new(false);
    let mut waves = 0;
    let mut progress = |_| {
        waves += 1;
        interrupt.store(waves == 3, Ordering::Relaxed);
    };
    let stop = graph.solve(&mut Control::new(Limits::default(), &interrupt, &mut progress)).map(drop);
    assert_eq!(stop, Err(Stop::Interrupted));
    let whole = bytes(&graph);
    assert_eq!(word(&whole, 48), 3);
    let records = whole[72..whole.len() - 8].chunks(10);
    let words = records.map(|r| u16::from_le_bytes(r[8..].try_into().unwrap()));
    let won = words.filter(|word| word >> 13 & 3 != 0 && word >> 14 & 1 != 0 && word & 8191 != 8189);
    let distances: Vec<u16> = won.map(|word| word & 8191).collect();
    assert_eq!((distances.iter().max(), distances.len() as u64), (Some(&2), graph.decided()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_bytes_are_read_without_panic(tail in prop::collection::vec(any::<u8>(), 0..300)) {
        let root = Toy::new(vec![common::Node {
            side: jewel_engine::value::Side::White,
            outcome: None,
            moves: vec![0],
        }]);
        prop_assert!(read(&root, &tail).is_err());
        let mut headed = b"JEWELGRF\x03\0\0\0\x08\0\0\0".to_vec();
        headed.extend(&tail);
        prop_assert!(read(&root, &headed).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Files with right checksums and wrong content: random counts, keys and words.
    #[test]
    fn any_content_with_the_right_checksum_is_read_without_panic(
        records in prop::collection::vec((0_u64..3, words()), 1..4),
        far in prop::collection::vec((0_u64..3, 0_u32..20_000), 0..2),
        waves in prop_oneof![0_u64..4, 8_185_u64..8_200],
        expanded_by in 0_u64..2,
        edges_by in 0_u64..2,
    ) {
        let node = |to| common::Node { side: jewel_engine::value::Side::White, outcome: None, moves: vec![to] };
        let root = Toy::new(vec![node(1), node(2), node(0)]);
        let mut file = b"JEWELGRF\x03\0\0\0\x08\0\0\0".to_vec();
        file.extend(state::fingerprint(RULES, &root).to_le_bytes());
        let expanded = records.iter().filter(|record| record.1 != u16::MAX).count() as u64;
        let open = records.iter().filter(|record| record.1 >> 14 & 1 == 0);
        let edges: u64 = open.map(|record| u64::from(record.1 & 8191)).sum();
        for count in [records.len() as u64, expanded + expanded_by, edges + edges_by, waves, far.len() as u64] {
            file.extend(count.to_le_bytes());
        }
        file.extend(checksum(&file).to_le_bytes());
        file.extend(records.iter().flat_map(|(key, word)| [&key.to_le_bytes()[..], &word.to_le_bytes()].concat()));
        file.extend(far.iter().flat_map(|(key, far)| [&key.to_le_bytes()[..], &far.to_le_bytes()].concat()));
        file.extend(checksum(&file).to_le_bytes());
        if let Ok(mut graph) = read(&root, &file) {
            prop_assert_eq!(graph.positions(), records.len() as u64);
            prop_assert_eq!(read(&root, &bytes(&graph)).map(|graph| graph.positions()).ok(), Some(graph.positions()));
            if graph.is_complete() {
                // Such a file can only be made on purpose. It is solved as it is, and the check by the rules finds the
                // fault.
                let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
                prop_assert_eq!(solution.counts().positions(), records.len() as u64);
            }
        }
    }

    #[test]
    fn toy_games_resume_from_any_step(toy in toys(40), step in 1_u64..6) {
        let (mut graph, saved) = in_steps(&toy, step);
        let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
        let whole = solved(&toy);
        prop_assert_eq!(describe(&solution), describe(&whole));
        prop_assert_eq!(bytes(&in_steps(&toy, 1000).0), saved);
    }

    #[test]
    fn toy_games_in_blocks_resume_from_any_step(toy in toys(40), step in 1_u64..6) {
        let toy = Backwards::new(toy);
        let (mut graph, saved) = in_steps(&toy, step);
        let solution = Control::with_limits(Limits::default(), |control| graph.solve(control)).unwrap();
        prop_assert_eq!(solution.counts(), solved(&toy.toy).counts());
        prop_assert_eq!(bytes(&in_steps(&toy, 1000).0), saved);
    }
}

/// Words of positions, sensible ones more often than others.
fn words() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => 0_u16..3,
        1 => Just(u16::MAX),
        2 => prop_oneof![Just(0x4000_u16), Just(0x6000), Just(0x4000 | 8189), Just(0x6000 | 8190), Just(0x4001)],
        1 => any::<u16>(),
    ]
}
