//! The graph solver from nothing to values: processor seconds, positions a second and core, and bytes a position.
//!
//!     cargo bench -p jewel-benches --bench graph                    an ending of Ambush of 4.5 million positions
//!     cargo bench -p jewel-benches --bench graph -- crystal         Crystal Draughts of 5.2 million
//!     cargo bench -p jewel-benches --bench graph -- ambush 2        on two threads
//!     cargo bench -p jewel-benches --bench graph -- FILE 1          the game of a variant file, on one
//!
//! Processor time says more than the clock on a machine that does other things. The peak is of the whole process, so that each run
//! measures one game.

use jewel_engine::ability::{Game, Packed};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::{Control, Limits};
use jewel_solver::graph::Graph;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let game = words.first().map_or("ambush", String::as_str);
    let threads = words.get(1).map_or(1, |word| word.parse().expect("a number of threads"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| match game {
        "ambush" => {
            let rules = games::find("ambush").expect("an embedded game").rules();
            let game = ChessGame::<Leapers, 4>::new(rules).expect("a game of leapers");
            solve(game.parse_position("nlq2/5/5/5/2LQ1 b - - 0 1").expect("a position"));
        }
        "crystal" => {
            let game = CrystalGame::with_parameters("tiers=3,molecules=2,tokens=3").expect("a crystal");
            solve(game.start());
        }
        file => {
            let text = std::fs::read_to_string(file).expect("a variant file");
            let rules = Rules::parse(&text).unwrap_or_else(|error| panic!("{error}"));
            with_leanest_game!(&rules, game => solve(game.start()));
        }
    });
}

fn solve<P: Packed>(root: P) {
    let (start, before) = (Instant::now(), processor_seconds());
    let mut graph = Graph::new(root).expect("a key wide enough");
    Control::with_limits(Limits::default(), |control| {
        graph.enumerate(control)?;
        let (positions, moves) = (graph.positions(), graph.edges());
        println!("{positions} positions, {moves} moves");
        println!("enumerated in {:.2} s of processor time", processor_seconds() - before);
        let solution = graph.solve(control)?;
        let seconds = processor_seconds() - before;
        println!(
            "solved in {seconds:.2} s, {:.2} s by the clock: {:.2} million positions a second and core",
            start.elapsed().as_secs_f64(),
            positions as f64 / seconds / 1e6
        );
        println!("{:.1} bytes a position at the peak", peak() as f64 / positions as f64);
        println!("{}: {:?}", solution.root_value(), solution.counts());
        Ok::<(), jewel_solver::control::Stop>(())
    })
    .expect("there are no limits");
}

/// Processor time of the process, in user and system mode, in hundredths of a second (Linux).
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most bytes that the process had resident (Linux).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}
