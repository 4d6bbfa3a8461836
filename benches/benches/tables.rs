//! Building tables: a six-piece class of Ambush with everything below it, from nothing to finished files. The throughput
//! is cells (positions as stored, both sides to move) a second on all cores of the pool; set `RAYON_NUM_THREADS=1` for
//! one core. And probing them: values of random positions whose blocks have to be decoded, and of positions of one block.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jewel_engine::games;
use jewel_engine::value::Side;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope};
use jewel_tables::cache::Cache;
use jewel_tables::index::Men;
use jewel_tables::reader::Table;
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
    probe(criterion, &folder.join("LQNvLQN.jt"), rules.fingerprint);
    let _ = std::fs::remove_dir_all(&folder);
}

fn probe(criterion: &mut Criterion, path: &Path, fingerprint: u64) {
    let table = Table::open(path, fingerprint).expect("it has just been built");
    let index = table.index();
    let groups = &index.scheme().groups;
    let men = |cell: u64| -> Option<Vec<Men>> {
        let sets = index.position(cell)?;
        let men = groups.iter().zip(sets);
        Some(men.map(|(g, squares)| Men { side: g.side, letter: g.letter, squares }).collect())
    };
    // An odd multiplier comes by every cell, each far from the last.
    let scattered = (0..100_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % index.cells());
    let random: Vec<Vec<Men>> = scattered.filter_map(men).collect();
    let near: Vec<Vec<Men>> = (0..1000).filter_map(men).collect();
    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(1));
    for (name, positions, cache) in
        [("a block to decode", &random, Cache::new(0)), ("a block in the cache", &near, Cache::new(64 << 20))]
    {
        let mut positions = positions.iter().cycle();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                table.probe(positions.next().expect("a cycle"), Side::White, &cache).expect("a sound table")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, build_a_class);
criterion_main!(benches);
