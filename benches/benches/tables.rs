//! Building tables: a six-piece class of Ambush with all classes below it, from scratch to finished files. The throughput
//! is cells (positions as stored, both sides to move) a second on all cores of the pool; set `RAYON_NUM_THREADS=1` for
//! one core. And probing them: random positions whose blocks have to be decoded, positions of one block, and positions of a
//! game as searchers ask for them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jewel_engine::ability::Probe;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{Chess, ChessLike};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::value::Side;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope, TableSet};
use jewel_tables::cache::Cache;
use jewel_tables::index::PieceSet;
use jewel_tables::reader::Table;
use jewel_tables::writer::Distances;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn build_a_class(criterion: &mut Criterion) {
    let rules = games::find("ambush").expect("an embedded game").rules();
    let plan = Plan::new(rules, &Scope::Class("LQNvLQN".to_string())).expect("a class of the game");
    let folder = std::env::temp_dir().join(format!("jewel-bench-{}", std::process::id()));
    let mut group = criterion.benchmark_group("tables");
    group.throughput(Throughput::Elements(plan.cells())).sample_size(10);
    group.bench_function("build ambush LQNvLQN", |bencher| {
        bencher.iter_with_setup(
            || drop(std::fs::remove_dir_all(&folder)),
            |()| {
                build(&plan, &folder, &Options::default(), &AtomicBool::new(false), &|_| {})
                    .expect("the tables are built");
            },
        );
    });
    group.finish();
    // A filter may have skipped the building.
    build(&plan, &folder, &Options::default(), &AtomicBool::new(false), &|_| {})
        .expect("the tables are built");
    probe(criterion, &folder.join("LQNvLQN.jt"), rules.fingerprint);
    let _ = std::fs::remove_dir_all(&folder);
}

fn probe(criterion: &mut Criterion, path: &Path, fingerprint: u64) {
    let table = Table::open(path, fingerprint).expect("it has just been built");
    let index = table.index();
    let groups = &index.scheme().groups;
    let pieces = |cell: u64| -> Option<Vec<PieceSet>> {
        let sets = index.position(cell)?;
        let pieces = groups.iter().zip(sets);
        Some(pieces.map(|(g, squares)| PieceSet { side: g.side, letter: g.letter, squares }).collect())
    };
    // An odd multiplier visits every cell, each far from the last.
    let scattered = (0..100_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % index.cells());
    let random: Vec<Vec<PieceSet>> = scattered.filter_map(pieces).collect();
    let near: Vec<Vec<PieceSet>> = (0..1000).filter_map(pieces).collect();
    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(1));
    for (name, positions, cache) in
        [("a block to decode", &random, Cache::new(0)), ("a block in the cache", &near, Cache::new(64 << 20))]
    {
        let mut turns = Side::BOTH.into_iter().cycle();
        let mut positions = positions.iter().cycle();
        group.bench_function(format!("value, {name}"), |bencher| {
            bencher.iter(|| {
                let turn = turns.next().expect("a cycle");
                table.probe(positions.next().expect("a cycle"), turn, &cache).expect("a sound table")
            });
        });
        let cache = Cache::new(if name == "a block to decode" { 0 } else { 64 << 20 });
        group.bench_function(format!("win, draw or loss, {name}"), |bencher| {
            bencher.iter(|| {
                let turn = turns.next().expect("a cycle");
                table.probe_wdl(positions.next().expect("a cycle"), turn, &cache).expect("a sound table")
            });
        });
    }
    group.finish();
}

/// The shape for which searches of DiamondChess are compiled.
type Searched<'r> = ChessLike<'r, Chess, 8>;

/// Probing as a searcher does: positions of a game, through the trait.
fn probe_as_searchers_do(criterion: &mut Criterion) {
    let rules = games::find("diamond-chess").expect("an embedded game").rules();
    let plan = Plan::new(rules, &Scope::Class("RKvNK".to_string())).expect("a class of the game");
    let folder = std::env::temp_dir().join(format!("jewel-bench-search-{}", std::process::id()));
    let options = Options { distances: Distances::Lost, ..Options::default() };
    build(&plan, &folder, &options, &AtomicBool::new(false), &|_| {}).expect("the tables are built");
    let tables = TableSet::open(rules, &folder).expect("they have just been built");
    let table = tables.tables().iter().max_by_key(|t| t.bytes()).expect("there are tables");
    let index = table.index();
    let position = |cell: u64| {
        let sets = index.position(cell)?;
        let groups = index.scheme().groups.iter();
        let pieces = groups
            .zip(sets)
            .filter_map(|(g, set)| Some((rules.type_of(char::from(g.letter))?, g.side, Bitboard(set))));
        let turn = Side::BOTH[(cell % 2) as usize];
        let position = Searched::assemble(rules, turn, pieces);
        (!position.in_check(!turn) && position.outcome().is_none()).then_some(position)
    };
    let random: Vec<Searched<'_>> = (0..40_000u64)
        .filter_map(|n| position(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % index.cells()))
        .collect();
    let near: Vec<Searched<'_>> = (index.cells() / 2..).filter_map(position).take(1000).collect();
    let mut group = criterion.benchmark_group("probe of a search");
    group.throughput(Throughput::Elements(1));
    for (name, positions) in [("neighbours", near), ("random positions", random)] {
        let mut next = positions.iter().cycle();
        group.bench_function(format!("win, draw or loss, {name}"), |bencher| {
            bencher.iter(|| Probe::probe_wdl(&tables, next.next().expect("a cycle")));
        });
        group.bench_function(format!("value, {name}"), |bencher| {
            bencher.iter(|| Probe::probe(&tables, next.next().expect("a cycle")));
        });
    }
    group.finish();
    let _ = std::fs::remove_dir_all(&folder);
}

criterion_group!(benches, build_a_class, probe_as_searchers_do);
criterion_main!(benches);
