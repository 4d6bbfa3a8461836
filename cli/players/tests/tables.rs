//! Engines that look endgame tables up: what the tables know, they know at once.

use crate::common::{Folder, duel, tables};
use jewel_engine::random::Random;
use jewel_engine::value::Value;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::{Algorithm, Options};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::score::Score;
use std::collections::BTreeMap;

/// Positions that tables of this many pieces hold, with their values, found by random play; not those that end
/// the game.
fn known_positions(game: AnyGame, folder: &Folder, count: usize) -> Vec<(String, Value)> {
    let mut line = game.open();
    line.use_tables(Some(&folder.0)).unwrap();
    let mut random = Random::new(11);
    let mut known = BTreeMap::new();
    while known.len() < count {
        line.set_position(None, &[]).unwrap();
        while line.ending().is_none() {
            if let Some(value) = line.table_value() {
                known.insert(line.fen(), value);
            }
            let moves = line.moves();
            line.play(&moves[random.below(moves.len() as u32) as usize]).unwrap();
        }
    }
    known.into_iter().collect()
}

fn engine(game: AnyGame, algorithm: Algorithm, tables: Option<&Folder>) -> Box<dyn Engine> {
    let mut engine = game.open();
    let tables = tables.map(|folder| folder.0.clone());
    engine.configure(&Options { algorithm, hash: 4, tables, ..Options::default() }).unwrap();
    engine
}

/// One simulation, or the least depth at which alpha-beta looks at the position after a move in full.
fn glance(algorithm: Algorithm) -> Limits<String> {
    match algorithm {
        Algorithm::Ab => Limits { depth: Some(2), ..Limits::default() },
        Algorithm::Mcts => Limits { playouts: Some(1), ..Limits::default() },
    }
}

fn compare(game: AnyGame, pieces: usize, count: usize) {
    let folder = tables(&format!("glance-{}", game.rules().unwrap().id), game, pieces);
    let known = known_positions(game, &folder, count);
    assert!(known.iter().any(|(_, value)| *value != Value::Draw));
    for algorithm in [Algorithm::Ab, Algorithm::Mcts] {
        let mut with = engine(game, algorithm, Some(&folder));
        let mut without = engine(game, algorithm, None);
        let mut missed = 0;
        for (fen, value) in &known {
            let ask = |engine: &mut Box<dyn Engine>| {
                engine.set_position(Some(fen), &[]).unwrap();
                engine.forget();
                engine.search(&glance(algorithm), &Stop::new(), &mut |_| {}).unwrap()
            };
            let report = ask(&mut with);
            assert_eq!(report.lines[0].score, Score::from(*value), "{} in {fen}", algorithm.name());
            assert!(
                report.lines[0].tb_hits > 0 || value.distance() == Some(1),
                "{} in {fen}",
                algorithm.name()
            );
            if algorithm == Algorithm::Mcts {
                assert!(report.lines[0].proven, "{fen}");
            }
            missed += usize::from(ask(&mut without).lines[0].score != Score::from(*value));
        }
        // A glance without tables is not enough.
        assert!(missed > known.len() / 4, "{}: {missed} of {}", algorithm.name(), known.len());
    }
}

#[test]
fn duel_is_known_at_a_glance() {
    compare(duel(), 3, 20);
}

#[test]
fn endings_of_ambush_are_known_at_a_glance() {
    compare(AnyGame::resolve("ambush").unwrap(), 3, 100);
}

/// Searches of a few hundred positions of Ambush without tables: what they call proven is what tables say, a distance
/// that they call exact is, and any other is not too short.
#[test]
fn what_is_called_proven_is_what_tables_say() {
    let ambush = AnyGame::resolve("ambush").unwrap();
    let folder = tables("proven-ambush", ambush, 4);
    let known = known_positions(ambush, &folder, 300);
    for (algorithm, limits) in [
        (Algorithm::Ab, Limits { depth: Some(7), ..Limits::default() }),
        // Stopped in the middle of an iteration.
        (Algorithm::Ab, Limits { nodes: Some(60), ..Limits::default() }),
        (Algorithm::Mcts, Limits { playouts: Some(300), ..Limits::default() }),
    ] {
        let mut engine = engine(ambush, algorithm, None);
        // Proofs, those of them that are exact, distances that are too long, and best moves that draw while the value
        // of the position is not known.
        let (mut proven, mut exact, mut long, mut held) = (0, 0, 0, 0);
        for (fen, value) in &known {
            engine.set_position(Some(fen), &[]).unwrap();
            engine.forget();
            let report = engine.search(&limits, &Stop::new(), &mut |_| {}).unwrap();
            let line = &report.lines[0];
            let truth = Score::from(*value);
            if !line.proven {
                assert!(
                    !line.score.is_decided() || limits.nodes.is_some(),
                    "{fen}: {} is not proven",
                    line.score
                );
                held += usize::from(line.expectation == Some(0.5));
                continue;
            }
            let outcome = |score: Score| (score.is_win(), score.is_loss());
            assert_eq!(outcome(line.score), outcome(truth), "{} in {fen}", algorithm.name());
            assert!(line.score.distance() >= truth.distance(), "{fen}: {} for {truth}", line.score);
            if line.exact {
                assert_eq!(line.score, truth, "{} in {fen}", algorithm.name());
            }
            proven += 1;
            exact += usize::from(line.exact);
            long += usize::from(line.score != truth);
        }
        println!("{}: {proven} proven, {exact} exact, {long} too long, {held} held", algorithm.name());
        assert!(proven > 30 && exact > 10, "{}: {proven} proven, {exact} exact", algorithm.name());
        // The test would notice if these were called exact, or proven.
        assert!(
            limits.nodes.is_some() || long > 0 && (held > 0 || algorithm == Algorithm::Ab),
            "{}: {long}, {held}",
            algorithm.name()
        );
    }
}
