
use jewel_engine::ability::Game;
use jewel_engine::kings_mate::*;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_engine::tactics::Tactics;
use jewel_search::evaluate::*;
use jewel_search::tune::*;
use rayon::prelude::*;
fn go<G: Game, E: Tunable<G::Position>>(game: &G, e: E, games: u64, nodes: u64, careless: u64, out: &str) where G::Position: Tactics {
    let play = SelfPlay { nodes, careless, longest: 400, ..SelfPlay::default() };
    let played: Vec<_> = (0..games).into_par_iter().map(|n| play.play(game, &e, n).unwrap()).collect();
    let (mut fitted, mut held) = (vec![], vec![]);
    let mut res = [0; 3];
    for (n, p) in played.into_iter().enumerate() {
        res[p.verdict as usize] += 1;
        let list = if n % 8 == 0 { &mut held } else { &mut fitted };
        list.extend(p.positions.into_iter().map(|position| Sample { position, verdict: p.verdict }));
    }
    let scale = best_scale(&e, &fitted);
    let fit = ListedFit::new(e.clone(), scale);
    let mut now = e.clone();
    println!("results {res:?} {} {} scale {scale:.0} error {:.4}", fitted.len(), held.len(), fit.error(&now, &held));
    for _ in 0..2 {
        let p = fit.round(&now, &fitted, &held, &|| false).unwrap();
        now = now.with_values(&p.values);
        println!("pull {} error {:.4}", p.strength, fit.error(&now, &held));
    }
    for (a, b) in e.weights().iter().zip(now.weights()) { print!("{} {} -> {}, ", a.name, a.value, b.value); }
    println!();
    std::fs::write(out, WeightList::new(game.id(), "tmp", &now.weights()).to_text()).unwrap();
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n = |i: usize| a[i].parse::<u64>().unwrap();
    let out = &a[5];
    match &*a[1] {
        "kings-mate" => go(&KingsMateGame::<Basic>::new(), Bonded::default(), n(2), n(3), n(4), out),
        "kings-mate-expanded" => go(&KingsMateGame::<Expanded>::new(), Bonded::default(), n(2), n(3), n(4), out),
        "kings-mate-active" => go(&KingsMateGame::<Active>::new(), Bonded::default(), n(2), n(3), n(4), out),
        "world-tree" => go(&WorldTreeGame::standard(), Grove::default(), n(2), n(3), n(4), out),
        _ => { let g = CrystalGame::new(); go(&g, Distance::new(g.lattice()), n(2), n(3), n(4), out) }
    }
}
