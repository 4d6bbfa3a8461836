//! Move generation: perft of every embedded game, and by each way of generating moves.
//! Each benchmark asserts its count, so that a fast wrong answer fails.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jewel_benches::{perft_buffered, perft_visited};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chance::{Branches, Chance};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame};
use jewel_engine::perft::perft;
use jewel_engine::with_leanest_game;
use std::hint::black_box;

/// Game, depth and count from the start position.
const CASES: [(&str, u32, u64); 7] = [
    ("duel", 10, 164_856),
    ("ambush", 5, 253_210),
    ("diamond-qi", 5, 317_758),
    ("diamond-quest", 5, 317_984),
    ("diamond-chess", 5, 2_338_825),
    ("crystal-of-doom", 4, 64_156),
    ("star-lords", 4, 152_387),
];

struct Perft<'c> {
    criterion: &'c mut Criterion,
    depth: u32,
    count: u64,
    every_form: bool,
}

impl Perft<'_> {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let start = game.start();
        let mut group = self.criterion.benchmark_group("perft");
        group.throughput(Throughput::Elements(self.count)).sample_size(20);
        let mut form = |name: &str, run: fn(&G::Position, u32) -> u64| {
            group.bench_function(BenchmarkId::new(name, game.id()), |bencher| {
                bencher.iter(|| assert_eq!(run(black_box(&start), self.depth), self.count));
            });
        };
        form("bulk", perft);
        if self.every_form {
            form("buffered", perft_buffered);
            form("visited", perft_visited);
        }
    }
}

fn perft_of_all_games(criterion: &mut Criterion) {
    for (id, depth, count) in CASES {
        let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
        let every_form = matches!(id, "ambush" | "diamond-chess");
        with_leanest_game!(rules, game => (Perft { criterion, depth, count, every_form }).visit(game));
    }
}

/// The games without a variant file; with dice an attack counts twice.
fn perft_of_games_without_a_file(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    fn case<G: Game>(group: &mut BenchmarkGroup<'_, WallTime>, game: &G, depth: u32, count: u64)
    where
        G::Position: Chance,
    {
        let start = Branches(game.start());
        group.throughput(Throughput::Elements(count)).sample_size(20);
        group.bench_function(BenchmarkId::new("bulk", game.id()), |bencher| {
            bencher.iter(|| assert_eq!(perft(black_box(&start), depth), count));
        });
    }
    case(&mut group, &KingsMateGame::<Basic>::new(), 5, 238_545);
    case(&mut group, &KingsMateGame::<Expanded>::new(), 5, 238_545);
    case(&mut group, &KingsMateGame::<Active>::new(), 4, 18_225);
    case(&mut group, &CrystalGame::new(), 3, 8100);
}

criterion_group!(benches, perft_of_all_games, perft_of_games_without_a_file);
criterion_main!(benches);
