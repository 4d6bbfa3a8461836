//! Building tables: a six-piece class of Ambush with everything below it, from nothing to finished files. The throughput
//! is cells (positions as stored, both sides to move) a second on all cores of the pool; set `RAYON_NUM_THREADS=1` for
//! one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jewel_engine::games;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope};
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
    let _ = std::fs::remove_dir_all(&folder);
}

criterion_group!(benches, build_a_class);
criterion_main!(benches);
