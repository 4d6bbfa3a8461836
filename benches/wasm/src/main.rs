//! Alpha-beta searches of a fixed number of nodes on one thread, for `run`, which measures how long they take on the machine
//! and in WebAssembly.
#![forbid(unsafe_code)]

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::tactics::Pieces;
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::limits::Limits;
use jewel_search::report::Info;
use jewel_search::searcher::Searcher;

const GAMES: [&str; 3] = ["ambush", "diamond-chess", "chess"];

/// Nodes of each search.
const NODES: u64 = 1_000_000;

fn nodes<G>(game: G) -> u64
where
    G: Game,
    G::Position: Packed + Symmetric + Pieces,
{
    let root = game.start();
    let evaluation = HandcraftedEvaluation::derived(root.rules());
    let params = SearchParams::best(root.rules());
    let options = Options { hash: 16, threads: 1, params, ..Options::default() };
    let mut searcher = AlphaBeta::new(evaluation, options).expect("memory for the table");
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    searcher.search(&root, &[], &limits, &Stop::new(), &mut |_: &Info<_>| ()).nodes
}

fn main() {
    for id in GAMES {
        let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
        let nodes = with_leanest_game!(rules, game => nodes(game));
        assert!(nodes >= NODES, "{id}");
        println!("{id} {nodes}");
    }
}
