//! Everything that the workbench does with a game, done with Connect-k from outside.

use anyhow::{Context, Result};
use connect_k::{Connect, ConnectGame};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::perft::perft;
use jewel_search::alphabeta::{self, AlphaBeta};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::mcts::{self, Mcts};
use jewel_search::searcher::Searcher;
use jewel_solver::control::{self, Control};
use jewel_solver::graph::Graph;

fn main() -> Result<()> {
    let game = ConnectGame::new(4, 4, 3).context("the board has no room for a line")?;
    let start = game.start();
    println!("{}\nperft 6       {}", game.id(), perft(&start, 6));

    // Both searchers. Alpha-beta asks for an evaluation, which may be any function; tree search plays at random.
    let alphabeta = AlphaBeta::new(|_: &Connect| 0, alphabeta::Options::default()).context("no memory")?;
    report("alpha-beta", alphabeta, &start, Limits { depth: Some(12), ..Limits::default() });
    let tree = Mcts::new(mcts::Options::default());
    report("tree search", tree, &start, Limits { playouts: Some(20_000), ..Limits::default() });

    // The exact value of every position.
    let mut graph = Graph::<Connect, u64>::new(start);
    let solution = Control::with_limits(control::Limits::default(), |control| {
        graph.enumerate(control)?;
        graph.solve(control)
    })?;
    println!("solved        {:?} among {} positions", solution.root_value(), solution.counts().positions());
    Ok(())
}

fn report(name: &str, mut searcher: impl Searcher<Connect>, root: &Connect, limits: Limits<u8>) {
    let report = searcher.search(root, &[], &limits, &Stop::new(), &mut |_| {});
    let mv = report.best.map_or_else(String::new, |mv| root.move_text(mv));
    println!("{name:13} {mv} {:?} {} nodes", report.score(), report.nodes);
}
