//! Search with hidden information: worlds drawn, and simulations of each method, a second, in Crown Jewels.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jewel_engine::ability::Game;
use jewel_engine::crown_jewels::CrownJewelsGame;
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_search::control::Stop;
use jewel_search::ismcts::crown_jewels::CrownJewelsInsight;
use jewel_search::ismcts::{InformationSearcher, Ismcts, Method, Options};
use jewel_search::limits::Limits;
use std::hint::black_box;

/// Simulations in one measured run.
const SIMULATIONS: u64 = 5_000;

fn worlds(criterion: &mut Criterion) {
    let game = CrownJewelsGame::new();
    let start = game.start();
    let view = start.view(start.side_to_move());
    let mut random = Random::new(1);
    let mut group = criterion.benchmark_group("worlds");
    group.throughput(Throughput::Elements(1)).sample_size(20);
    group.bench_function("uniform", |bencher| bencher.iter(|| black_box(&view).world(&mut random)));
}

fn simulations(criterion: &mut Criterion) {
    let game = CrownJewelsGame::new();
    let start = game.start();
    let view = start.view(start.side_to_move());
    let limits = Limits { playouts: Some(SIMULATIONS), ..Limits::default() };
    let mut group = criterion.benchmark_group("determinized playouts");
    group.throughput(Throughput::Elements(SIMULATIONS)).sample_size(10);
    for method in Method::ALL {
        let options = Options { method, ..Options::default() };
        group.bench_function(BenchmarkId::from_parameter(method.name()), |bencher| {
            bencher.iter(|| {
                let insight = CrownJewelsInsight::new(game.rules());
                let mut searcher = Ismcts::with(options.clone(), insight);
                searcher.search(black_box(&view), &[], &limits, &Stop::new(), &mut |_| {}).nodes
            });
        });
    }
}

criterion_group!(benches, worlds, simulations);
criterion_main!(benches);
