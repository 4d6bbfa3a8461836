//! Solution files as leaves: a search that probes them says of every position what the graph of the game says.

use jewel_engine::ability::{Game, Probe};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::limits::Limits;
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use jewel_solver::control::{self, Control};
use jewel_solver::graph::Graph;
use jewel_solver::solution_file::reader::SolutionFile;
use jewel_solver::solution_file::writer::{About, write};

/// A file that is lent to a search.
#[derive(Clone, Copy)]
struct Leaves<'a, P>(&'a dyn Probe<P>);

impl<P: Position> Probe<P> for Leaves<'_, P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.0.probe_wdl(position)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.0.probe(position)
    }
}

/// Searches one in `step` positions of a game, a ply deep.
fn compare(rules: &Rules, step: usize) {
    with_leanest_game!(rules, game => {
        let root = game.start();
        let mut graph = Graph::new(root).unwrap();
        let about =
            About { fingerprint: rules.fingerprint, rules: rules.id.clone(), root: String::new() };
        let mut bytes = Vec::new();
        let solution = Control::with_limits(control::Limits::default(), |control| {
            graph.enumerate(control).unwrap();
            let solution = graph.solve(control).unwrap();
            write(&solution, &about, &mut bytes, control).unwrap();
            solution
        });
        let file = SolutionFile::open(Box::new(bytes), root, rules.fingerprint).unwrap();
        let evaluation = HandcraftedEvaluation::derived(rules);
        let mut searcher =
            AlphaBeta::with_tables(evaluation, Leaves(&file), Options { hash: 1, ..Options::default() }).unwrap();
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let mut searched = 0;
        for (position, value) in (0..solution.parts()).flat_map(|part| solution.part(part)).step_by(step) {
            if position.outcome().is_some() {
                continue;
            }
            searcher.new_game();
            let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| ());
            let score = report.score();
            let same = match value {
                Value::Win(plies) => score.is_win() && score.distance() == Some(plies),
                Value::Draw => score == Score::DRAW,
                Value::Loss(plies) => score.is_loss() && score.distance() == Some(plies),
            };
            assert!(same, "{position:?}: {score:?}, but {value:?}");
            // A draw is never called proven.
            assert_eq!(report.lines[0].proven, value.distance().is_some(), "{position:?}");
            searched += 1;
        }
        assert!(searched >= 100, "{searched}");
    });
}

#[test]
fn one_ply_sees_the_value() {
    compare(games::find("duel").unwrap().rules(), 1);
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/octopawn.toml");
    compare(&Rules::parse(&std::fs::read_to_string(text).unwrap()).unwrap(), 23);
}
