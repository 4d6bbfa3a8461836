//! Solves Connect-k and holds a tournament in it.
#![forbid(unsafe_code)]

use connect_k::{Connect, ConnectGame};
use jewel_engine::prelude::*;
use jewel_players::{catalogue::AnyGame, spec::PlayerSpec};
use jewel_solver::{control::Control, graph::Graph};
use jewel_tournament::{config::Config, openings::Source, report::Report};
use std::sync::atomic::AtomicBool;

fn main() -> anyhow::Result<()> {
    let Some(game) = ConnectGame::new(4, 4, 3) else { anyhow::bail!("there is no such board") };
    let mut graph = Graph::new(game.start()).unwrap();
    let solve = |control: &mut Control<'_>| graph.enumerate(control).and_then(|()| graph.solve(control));
    let solution = Control::with_limits(Default::default(), solve)?;
    println!("{} is a {} for White\n", game.id(), solution.root_value());

    let pairs = |p: &Connect| 30 * (p.rows(p.side_to_move(), 2) - p.rows(!p.side_to_move(), 2));
    let players = ["ab,nodes=2000", "mcts,playouts=500", "random"].map(|text| text.parse::<PlayerSpec>());
    let players = players.into_iter().map(|player| Ok(player?.into())).collect::<anyhow::Result<_>>()?;
    let openings = Source::Random { plies: 2 };
    let config = Config { players, openings, rounds: Some(5), ..Config::default() };
    let game = AnyGame::with_evaluation(game, pairs);
    let (tournament, roster) = config.prepare(&[game], Some("connect-k".as_ref()))?;
    let end = tournament.run(&roster, &AtomicBool::new(false), &mut ())?;
    let report =
        Report::new(&tournament.stages[0].game, &end.standings, end.standings.games(), end.complete, None);
    print!("{}", report.text());
    Ok(())
}
