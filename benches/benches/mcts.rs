//! Monte Carlo search: plies of random play, and simulations, a second. A benchmark of random play does the
//! same games each time and asserts their number of plies.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games::GAMES;
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame};
use jewel_engine::playout::{Playout, Step};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::with_leanest_game;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::mcts::{Mcts, Options};
use jewel_search::searcher::Searcher;
use std::hint::black_box;

/// Random games in one measured run, and the plies after which each is cut off.
const RANDOM_GAMES: u32 = 100;
const MAX_PLIES: u32 = 400;

/// Simulations in one measured run.
const SIMULATIONS: u64 = 2_000;

/// A function that draws a ply, and one that plays it.
type StepFn<P> = fn(&P, &mut Random) -> Step<<P as Position>::Move>;
type PlayFn<P> = fn(&mut P, <P as Position>::Move, &mut Random);

/// Plays games from a position and counts their plies.
fn play<P: Playout>(start: &P, step: StepFn<P>, make: PlayFn<P>) -> u64 {
    let mut random = Random::new(1);
    let mut plies = 0;
    for _ in 0..RANDOM_GAMES {
        let mut position = start.clone();
        for _ in 0..MAX_PLIES {
            let Step::Move(mv) = step(&position, &mut random) else { break };
            make(&mut position, mv, &mut random);
            plies += 1;
        }
    }
    plies
}

/// Measures uniform and keen random play.
fn random_play<G>(criterion: &mut Criterion, game: &G, make: PlayFn<G::Position>)
where
    G: Game,
    G::Position: Playout,
{
    let start = game.start();
    let mut group = criterion.benchmark_group("playout plies");
    let forms: [(&str, StepFn<G::Position>); 2] =
        [("uniform", G::Position::random_step), ("keen", G::Position::keen_step)];
    for (name, step) in forms {
        let plies = play(&start, step, make);
        group.throughput(Throughput::Elements(plies)).sample_size(20);
        group.bench_function(BenchmarkId::new(name, game.id()), |bencher| {
            bencher.iter(|| assert_eq!(play(black_box(&start), step, make), plies));
        });
    }
    group.finish();
}

struct Measure<'c>(&'c mut Criterion);

impl Measure<'_> {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric + Playout,
    {
        random_play(self.0, &game, |position, mv, _| position.play(mv));
        let start = game.start();
        let mut group = self.0.benchmark_group("simulations");
        group.throughput(Throughput::Elements(SIMULATIONS)).sample_size(10);
        let options = Options { tree_mb: 64, ..Options::default() };
        group.bench_function(BenchmarkId::from_parameter(game.id()), |bencher| {
            bencher.iter(|| {
                let mut mcts = Mcts::new(options.clone());
                let limits = Limits { playouts: Some(SIMULATIONS), ..Limits::default() };
                mcts.search(black_box(&start), &[], &limits, &Stop::new(), &mut |_| {}).nodes
            });
        });
    }
}

fn mcts_of_all_games(criterion: &mut Criterion) {
    // Duel is proven too soon to be measured.
    for game in GAMES.iter().filter(|game| game.id != "duel") {
        with_leanest_game!(game.rules(), game => Measure(criterion).visit(game));
    }
}

/// Random play, with dice, of the games without a variant file.
fn random_play_of_other_games(criterion: &mut Criterion) {
    fn measure<G>(criterion: &mut Criterion, game: &G)
    where
        G: Game,
        G::Position: Playout + Chance,
    {
        random_play(criterion, game, |position, mv, random| {
            position.play_rolled(mv, random);
        });
    }
    measure(criterion, &KingsMateGame::<Basic>::new());
    measure(criterion, &KingsMateGame::<Expanded>::new());
    measure(criterion, &KingsMateGame::<Active>::new());
    measure(criterion, &CrystalGame::new());
    measure(criterion, &WorldTreeGame::new());
    measure(criterion, &WorldTreeGame::standard());
}

criterion_group!(benches, random_play_of_other_games, mcts_of_all_games);
criterion_main!(benches);
