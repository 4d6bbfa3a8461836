//! Proof files: what is proven is what the graph says, both checkers accept it, and neither accepts anything else.

use crate::common::{self, small_game, solved};
use jewel_engine::ability::{Game, NoTables, Notation, Packed};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::proof::check::{Checked, check};
use jewel_solver::proof::game::{Encode, NoLeaves, PackedGame, PlainGame};
use jewel_solver::proof::header::{Header, Kind};
use jewel_solver::proof::reader::Proof;
use jewel_solver::proof::safe::safe_strategy;
use jewel_solver::proof::search::{Finding, Search};
use jewel_solver::proof::strategy::{NoStrategy, write};
use jewel_solver::proof::value::{Decided, Means, decide};
use jewel_solver::proof::win::winning_strategy;
use jewel_solver::proof::writer::Writer;
use jewel_solver::proof::{Entry, ProofError};
use proptest::prelude::*;
use std::fs;
use std::process::Command;
use std::sync::atomic::AtomicBool;

static GO_ON: AtomicBool = AtomicBool::new(false);

fn example(name: &str) -> String {
    fs::read_to_string(format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// What is claimed of the start position of a game.
#[derive(Clone, Copy, Debug)]
struct Claim {
    prover: Side,
    kind: Kind,
    limit: Option<u32>,
}

/// The proof file of a claim about the start of a game, or `None` if the claim is wrong.
fn prove(text: &str, claim: Claim) -> Option<Vec<u8>> {
    let rules = Rules::parse(text).unwrap().leak();
    with_leanest_game!(rules, game => {
        let plain = PlainGame::new(rules).unwrap();
        prove_game(text, rules.fingerprint, &game.start(), &plain, claim, 1)
    })
}

fn prove_game<P: Notation + Packed, E: Encode<P>>(
    text: &str,
    fingerprint: u64,
    root: &P,
    encode: &E,
    Claim { prover, kind, limit }: Claim,
    threads: usize,
) -> Option<Vec<u8>> {
    let flat = |_: &P| 0;
    let attacker = if kind == Kind::Win { prover } else { !prover };
    let mut search = Search::new(attacker, 1 << 20, &NoTables, &flat, &GO_ON).with_threads(threads);
    let made = match kind {
        Kind::Win => match search.solve(root, limit, u64::MAX, &mut |_| {}) {
            Finding::Proven => winning_strategy(&mut search, root, limit, &NoTables, &mut |_| {}, &|_| false),
            _ => Err(NoStrategy::Refuted),
        },
        Kind::Safe => safe_strategy(&mut search, root, &NoTables, 50, &mut |_| {}, &|_| false),
    };
    let strategy = match made {
        Ok(strategy) => strategy,
        Err(NoStrategy::Refuted) => return None,
        Err(NoStrategy::Unfinished) => panic!("not finished: {text}"),
    };
    let (symbols, bits) = encode.size();
    let header = Header {
        kind,
        prover,
        encoding: encode.encoding(),
        symbols: symbols as u8,
        bits: bits as u8,
        fingerprint,
        positions: 0,
        // Several blocks in small files too.
        block: 50,
        limit,
        rules: text.to_string(),
        root: root.position_text(),
        tables: vec![],
    };
    Some(write(&strategy, root, encode, header, vec![]).unwrap().0)
}

/// Checks a file in so little memory that it is looked up in several passes.
fn accept(file: &Vec<u8>) -> Result<Checked, ProofError> {
    accept_in(file, 1)
}

fn accept_in(file: &Vec<u8>, memory: u64) -> Result<Checked, ProofError> {
    let proof = Proof::open(file)?;
    let game = PlainGame::of(proof.header())?;
    check(&proof, &game, &NoLeaves, memory, &GO_ON, &mut |_| {})
}

/// All claims about a game that the graph decides, with the graph's answers.
fn claims(text: &str) -> Vec<(Claim, bool)> {
    let rules = Rules::parse(text).unwrap();
    let (side, value) = with_leanest_game!(&rules, game => {
        let root = game.start();
        (root.side_to_move(), solved(&root).root_value())
    });
    let mut claims = vec![];
    for prover in Side::BOTH {
        let outcome = if prover == side { value.outcome() } else { !value.outcome() };
        claims.push((Claim { prover, kind: Kind::Safe, limit: None }, outcome != Outcome::Loss));
        claims.push((Claim { prover, kind: Kind::Win, limit: None }, outcome == Outcome::Win));
        if let (Outcome::Win, Some(plies)) = (outcome, value.distance()) {
            claims.push((Claim { prover, kind: Kind::Win, limit: Some(plies) }, true));
            if plies > 1 {
                claims.push((Claim { prover, kind: Kind::Win, limit: Some(plies - 1) }, false));
            }
        }
    }
    claims
}

/// Who wins a game from its start, by strategies alone.
fn winner(text: &str) -> Option<Side> {
    let rules = Rules::parse(text).unwrap();
    with_leanest_game!(&rules, game => {
        let means = Means {
            memory: 1 << 24,
            threads: 1,
            nodes: u64::MAX,
            leaves: &NoTables,
            judge: &|_: &_| 0,
            interrupt: &GO_ON,
        };
        let (decided, _) = decide(&game.start(), &means, &mut |_| {});
        match decided.unwrap_or_else(|why| panic!("{why:?}: {text}")) {
            Decided::Won(side, _) => Some(side),
            Decided::Drawn(_) => None,
        }
    })
}

/// Proves all of them, or not, and checks the files.
fn compare(text: &str) -> Vec<Vec<u8>> {
    let mut files = vec![];
    let winner = winner(text);
    for (claim, holds) in claims(text) {
        match (claim.kind, claim.limit) {
            (Kind::Win, None) => assert_eq!(winner == Some(claim.prover), holds, "{claim:?}\n{text}"),
            (Kind::Safe, _) => assert_eq!(winner != Some(!claim.prover), holds, "{claim:?}\n{text}"),
            _ => {}
        }
        let file = prove(text, claim);
        assert_eq!(file.is_some(), holds, "{claim:?}\n{text}");
        if let Some(file) = file {
            accept(&file).unwrap_or_else(|e| panic!("{e}: {claim:?}\n{text}"));
            files.push(file);
        }
    }
    files
}

/// The answer of tools/check_proof.py to each of some files: whether it accepts it. `None` where there is no Python 3.11.
fn by_python(files: &[Vec<u8>]) -> Option<Vec<bool>> {
    let script = "import sys, struct\nimport check_proof as c\nassert sys.version_info >= (3, 11)\nd = sys.stdin.buffer\n\
        while n := d.read(4):\n try: c.check(d.read(struct.unpack('<I', n)[0])); print('yes')\n except c.Wrong as e: print('no')\n";
    let tools = format!("{}/../tools", env!("CARGO_MANIFEST_DIR"));
    let input = std::env::temp_dir().join(format!(
        "jewel-proofs-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let bytes: Vec<u8> = files
        .iter()
        .flat_map(|file| (file.len() as u32).to_le_bytes().into_iter().chain(file.iter().copied()))
        .collect();
    fs::write(&input, bytes).unwrap();
    let python = Command::new("python3")
        .args(["-B", "-c", script])
        .env("PYTHONPATH", tools)
        .stdin(fs::File::open(&input).unwrap())
        .output();
    fs::remove_file(&input).unwrap();
    let output = python.ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("sys.version_info") || errors.contains("tomllib") {
        return None;
    }
    assert!(output.status.success(), "{errors}");
    let answers: Vec<bool> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line == "yes").collect();
    assert_eq!(answers.len(), files.len(), "{errors}");
    Some(answers)
}

#[test]
fn small_games_are_proven_as_the_graph_solves_them() {
    let mut files = vec![];
    for name in ["hexapawn", "duel-4x4", "duel-3x5", "messengers"] {
        files.extend(compare(&example(name)));
    }
    files.extend(compare(games::find("duel").unwrap().text));
    if let Some(answers) = by_python(&files) {
        assert!(answers.iter().all(|&yes| yes), "{answers:?}");
    }
}

#[test]
fn the_published_files_are_accepted() {
    let folder = format!("{}/../results/proofs", env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = fs::read(&path).unwrap();
        accept_in(&file, 64 << 20).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // The others take Python up to a minute each: docs/results/proofs.md.
        if file.len() < 20_000 {
            accept(&file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            files.push(file);
        }
    }
    assert!(files.len() >= 8);
    if let Some(answers) = by_python(&files) {
        assert!(answers.iter().all(|&yes| yes), "{answers:?}");
    }
}

#[test]
fn octopawn_is_won_and_duel_on_5x5_is_drawn() {
    let octopawn = example("octopawn");
    let claim = Claim { prover: Side::White, kind: Kind::Win, limit: Some(11) };
    accept(&prove(&octopawn, claim).unwrap()).unwrap();
    assert!(prove(&octopawn, Claim { limit: Some(10), ..claim }).is_none());
    let duel = example("duel-5x5");
    for prover in Side::BOTH {
        accept(&prove(&duel, Claim { prover, kind: Kind::Safe, limit: None }).unwrap()).unwrap();
        assert!(prove(&duel, Claim { prover, kind: Kind::Win, limit: None }).is_none());
    }
}

#[test]
fn packed_positions_are_proven_and_checked_too() {
    let text = example("hexapawn");
    let rules = Rules::parse(&text).unwrap().leak();
    with_leanest_game!(rules, game => {
        let root = game.start();
        let packed = PackedGame::new(game, root).unwrap();
        let claim = Claim { prover: Side::Black, kind: Kind::Win, limit: Some(6) };
        let file = prove_game(&text, rules.fingerprint, &root, &packed, claim, 1).unwrap();
        let proof = Proof::open(&file).unwrap();
        let checked = check(&proof, &packed, &NoLeaves, 1 << 20, &GO_ON, &mut |_| {}).unwrap();
        assert_eq!(checked.positions, proof.header().positions);
        // The plain generator does not take it for its own.
        assert!(matches!(accept(&file), Err(ProofError::Unknown(_))));
    });
}

#[test]
fn every_flipped_byte_is_found() {
    for claim in [
        Claim { prover: Side::Black, kind: Kind::Win, limit: None },
        Claim { prover: Side::Black, kind: Kind::Safe, limit: None },
    ] {
        let file = prove(&example("hexapawn"), claim).unwrap();
        let mut broken = vec![];
        for at in 0..file.len() {
            let mut copy = file.clone();
            copy[at] ^= 1 << (at % 8);
            assert!(accept(&copy).is_err(), "byte {at}");
            broken.push(copy);
        }
        broken.push(file[..file.len() - 1].to_vec());
        broken.push([&file[..], &[0]].concat());
        assert!(broken[file.len()..].iter().all(|copy| accept(copy).is_err()));
        if let Some(answers) = by_python(&broken) {
            assert!(answers.iter().all(|&yes| !yes), "{answers:?}");
        }
    }
}

/// The entries of a file, and the file of some entries with the same header.
fn entries(file: &Vec<u8>) -> (Header, Vec<Entry>) {
    let proof = Proof::open(file).unwrap();
    let mut entries = vec![];
    let mut add = |entry: &Entry| {
        entries.push(entry.clone());
        Ok(())
    };
    proof.entries(&mut add).unwrap();
    (proof.header().clone(), entries)
}

fn file_of(header: &Header, entries: &[Entry]) -> Vec<u8> {
    let header = Header { positions: entries.len() as u64, ..header.clone() };
    let mut writer = Writer::new(vec![], &header).unwrap();
    entries.iter().for_each(|entry| writer.push(entry).unwrap());
    writer.finish().unwrap().0
}

#[test]
fn a_proof_with_anything_changed_is_refused() {
    let claims = [
        ("hexapawn", Claim { prover: Side::Black, kind: Kind::Win, limit: Some(6) }),
        ("duel-3x5", Claim { prover: Side::White, kind: Kind::Safe, limit: None }),
        ("messengers", Claim { prover: Side::White, kind: Kind::Win, limit: None }),
    ];
    let (mut broken, mut moved) = (vec![], vec![]);
    for (name, claim) in claims {
        let file = prove(&example(name), claim).unwrap();
        let (header, whole) = entries(&file);
        assert_eq!(file_of(&header, &whole), file);
        for at in 0..whole.len() {
            let mut fewer = whole.clone();
            fewer.remove(at);
            broken.push(file_of(&header, &fewer));
            let change = |change: fn(&mut Entry)| {
                let mut other = whole.clone();
                change(&mut other[at]);
                other.sort_by(|a, b| a.symbols.cmp(&b.symbols));
                other.dedup_by(|a, b| a.symbols == b.symbols);
                file_of(&header, &other)
            };
            broken.push(change(|entry| entry.mv += 100));
            broken.push(change(|entry| {
                let piece = entry.symbols.iter().position(|&symbol| symbol != 0).unwrap();
                let empty = entry.symbols.iter().position(|&symbol| symbol == 0).unwrap();
                entry.symbols.swap(piece, empty);
            }));
            if header.kind == Kind::Win {
                broken.push(change(|entry| entry.rank -= 1));
            }
            moved.push(change(|entry| entry.mv ^= 1));
        }
        for other in [
            Header { prover: !header.prover, ..header.clone() },
            Header { fingerprint: 1, ..header.clone() },
            Header { root: "1".into(), ..header.clone() },
        ] {
            assert!(accept(&file_of(&other, &whole)).is_err());
        }
    }
    for file in &broken {
        assert!(accept(file).is_err());
    }
    // Another move may be as good; both checkers have to agree.
    let ours: Vec<bool> = moved.iter().map(|file| accept(file).is_ok()).collect();
    assert!(ours.iter().filter(|&&yes| !yes).count() > moved.len() / 2);
    if let Some(answers) = by_python(&broken) {
        assert!(answers.iter().all(|&yes| !yes));
        assert_eq!(by_python(&moved), Some(ours));
    }
}

#[test]
fn random_games_are_proven_as_the_graph_solves_them() {
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        max_global_rejects: 100_000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..Default::default()
    };
    let files = std::cell::RefCell::new(vec![]);
    proptest::test_runner::TestRunner::new(config)
        .run(&small_game(), |text| {
            files.borrow_mut().extend(compare(&text));
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    let files: Vec<Vec<u8>> = files.into_inner().into_iter().filter(|file| file.len() < 3_000).collect();
    assert!(files.len() > 200);
    if let Some(answers) = by_python(&files) {
        let refused = answers.iter().position(|&yes| !yes);
        assert_eq!(refused.map(|n| entries(&files[n]).0), None);
    }
}

/// Graphs with loops, in which a side may move twice: what a path has come through must not mislead the search.
#[test]
fn searches_of_random_graphs_find_what_brute_force_finds() {
    let config = ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..Default::default()
    };
    let unknown = std::cell::Cell::new(0);
    proptest::test_runner::TestRunner::new(config)
        .run(&common::toys(14), |root| {
            let value = common::brute_force(&root)[&root];
            for attacker in Side::BOTH {
                let outcome =
                    if root.side_to_move() == attacker { value.outcome() } else { !value.outcome() };
                // The smallest table forgets nothing of so few positions; disproofs of single paths it may.
                for threads in [1, 2] {
                    let search = Search::new(attacker, 1 << 12, &NoTables, &|_: &_| 0, &GO_ON);
                    match search.with_threads(threads).solve(&root, None, 100_000, &mut |_| {}) {
                        Finding::Proven => prop_assert_eq!(outcome, Outcome::Win),
                        Finding::Disproven => prop_assert_ne!(outcome, Outcome::Win),
                        Finding::Unknown => unknown.set(unknown.get() + u32::from(threads == 1)),
                    }
                }
            }
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(unknown.get() < 30, "{} of 6000 searches by one thread found nothing", unknown.get());
}

/// Threads take another course each time, and find the same.
#[test]
fn several_threads_find_what_one_does() {
    for (name, prover, holds) in [
        ("octopawn", Side::White, true),
        ("octopawn", Side::Black, false),
        ("duel-5x5", Side::White, false),
        ("messengers", Side::White, true),
    ] {
        let text = example(name);
        let rules = Rules::parse(&text).unwrap().leak();
        let plain = PlainGame::new(rules).unwrap();
        let claim = Claim { prover, kind: Kind::Win, limit: None };
        with_leanest_game!(rules, game => {
            for _ in 0..5 {
                let file = prove_game(&text, rules.fingerprint, &game.start(), &plain, claim, 4);
                assert_eq!(file.is_some(), holds, "{name}");
                if let Some(file) = file {
                    accept(&file).unwrap();
                }
            }
        });
    }
}

#[test]
fn values_are_those_of_the_graph() {
    // The test itself: a claim that holds is in the list, and one that does not.
    let found = claims(&example("hexapawn"));
    assert!(
        found.iter().any(|(claim, holds)| *holds && claim.limit == Some(6) && claim.prover == Side::Black)
    );
    assert!(found.iter().any(|(_, holds)| !holds));
}
