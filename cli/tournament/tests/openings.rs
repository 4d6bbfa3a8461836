//! Openings of real games.

use crate::common::{Count, Manner, Puppets, folder, tournament};
use jewel_engine::random::Random;
use jewel_engine::value::Outcome;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::{Engine, GameAt};
use jewel_players::options::Options;
use jewel_players::player::{Budget, Turn};
use jewel_players::spec::PlayerSpec;
use jewel_search::control::Stop;
use jewel_tournament::openings::generate::{BookOptions, Judges, generate};
use jewel_tournament::openings::{Openings, Source};
use jewel_tournament::record::GameRecord;
use std::collections::HashSet;
use std::fs;
use std::sync::atomic::AtomicBool;

fn line(game: &str) -> Box<dyn Engine> {
    AnyGame::resolve(game).unwrap().open()
}

/// Whether the side to move has a move that wins at once.
fn wins(line: &mut dyn GameAt) -> bool {
    let side = line.side_to_move();
    line.moves().iter().any(|mv| {
        line.play(mv).unwrap();
        let won = line.ending().is_some_and(|end| end.verdict.seen_by(side) == Outcome::Win);
        line.undo();
        won
    })
}

#[test]
fn random_openings_leave_the_game_open() {
    for game in ["duel", "ambush", "diamond-quest"] {
        let mut line = line(game);
        let openings = Openings::prepare(&Source::Random { plies: 4 }, 3, line.as_mut()).unwrap();
        let mut seen = HashSet::new();
        for number in 0..40 {
            let opening = openings.opening(number, line.as_mut()).unwrap();
            assert_eq!(opening, openings.opening(number, line.as_mut()).unwrap(), "{game} {number}");
            assert_eq!((opening.fen, opening.moves.len()), (None, 4));
            line.set_position(None, &opening.moves).unwrap();
            assert!(line.ending().is_none() && !wins(line.as_mut()), "{game} {:?}", opening.moves);
            let holds = line.moves().iter().any(|mv| {
                line.play(mv).unwrap();
                let holds = !wins(line.as_mut());
                line.undo();
                holds
            });
            assert!(holds, "{game} {:?}", opening.moves);
            seen.insert(opening.moves);
        }
        assert!(seen.len() > 5, "{game}: {}", seen.len());
        let other = Openings::prepare(&Source::Random { plies: 4 }, 4, line.as_mut()).unwrap();
        let differ =
            |n| other.opening(n, line.as_mut()).unwrap() != openings.opening(n, line.as_mut()).unwrap();
        assert!((0..40).any(differ));
    }
}

/// The static evaluation does not see hanging pieces.
#[test]
fn random_openings_are_even_by_a_search() {
    let mut line = line("chess");
    let openings = Openings::prepare(&Source::Random { plies: 6 }, 5, line.as_mut()).unwrap();
    for number in 0..30 {
        let opening = openings.opening(number, line.as_mut()).unwrap();
        line.set_position(None, &opening.moves).unwrap();
        let score = line.searched_score(1_000).unwrap();
        assert!(score.raw().abs() <= 100, "{:?} {score:?}", opening.moves);
        // Whatever was searched before.
        assert_eq!(line.searched_score(1_000).unwrap(), score);
    }
}

#[test]
fn openings_that_cannot_be_are_said_to_be_so() {
    // Somebody has won long before.
    let mut line = line("duel");
    let openings = Openings::prepare(&Source::Random { plies: 200 }, 3, line.as_mut()).unwrap();
    let problem = openings.opening(0, line.as_mut()).unwrap_err().to_string();
    assert!(problem.contains("no 200 random moves were found"), "{problem}");
}

#[test]
fn books_are_shuffled_by_the_seed_and_begin_anew() {
    let file = folder("book").join("book.epd");
    let positions = ["l2/3/2L w - - 0 1", "l2/3/1L1 b - -", "1l1/3/2L w - - id \"x\";"];
    fs::write(&file, format!("# openings\n\n{}\n", positions.join("\n"))).unwrap();
    let mut line = line("duel");
    let mut fens = |shuffled, seed| -> Vec<String> {
        let source = Source::Book { file: file.clone(), shuffled };
        let openings = Openings::prepare(&source, seed, line.as_mut()).unwrap();
        (0..6).map(|n| openings.opening(n, line.as_mut()).unwrap().fen.unwrap()).collect()
    };
    let plain = fens(false, 1);
    assert_eq!(plain[..3], ["l2/3/2L w - - 0 1", "l2/3/1L1 b - - 0 1", "1l1/3/2L w - - 0 1"]);
    assert_eq!(plain[..3], plain[3..]);
    let orders: HashSet<Vec<String>> = (0..20).map(|seed| fens(true, seed)).collect();
    assert!(orders.len() > 2 && orders.iter().all(|order| order[..3].iter().all(|fen| plain.contains(fen))));
    // A position in which the game is over.
    fs::write(&file, "l2/3/2L w - - 0 1\nl2/1L1/3 w - - 0 1\n").unwrap();
    let source = Source::Book { file: file.clone(), shuffled: false };
    let problem = Openings::prepare(&source, 1, line.as_mut()).unwrap_err().to_string();
    assert!(problem.ends_with("book.epd: line 2: the game is over in this position"), "{problem}");
}

/// The engine of a game, and other judges.
fn judges(game: &str, others: &[&str]) -> anyhow::Result<Judges> {
    let mut engine = line(game);
    engine.configure(&Options { hash: 1, ..Options::default() })?;
    let game = AnyGame::resolve(game)?;
    let others = others.iter().map(|text| text.parse::<PlayerSpec>().unwrap().build(&game));
    Ok(Judges { engine, others: others.collect::<anyhow::Result<_>>()? })
}

#[test]
fn every_judge_has_to_find_an_opening_even() {
    let never = AtomicBool::new(false);
    // All positions after two plies.
    let wanted = BookOptions { plies: 2, count: 1000, max_score: 60, nodes: 300, seed: 1, threads: 2 };
    let book = |others: &[&str]| generate(&wanted, &|| judges("ambush", others), &never, &mut |_| ());
    let alone = book(&[]).unwrap();
    let together = book(&["ab,nodes=20", "ab,depth=3"]).unwrap();
    assert!(alone.exhausted && together.exhausted && together.searched == alone.searched);
    assert!(!together.entries.is_empty() && together.entries.len() < alone.entries.len());
    // Those that each of the judges would have taken by itself.
    let mut others = judges("ambush", &["ab,nodes=20", "ab,depth=3"]).unwrap().others;
    let mut even = |moves: &[String]| {
        let mut line = line("ambush");
        line.set_position(None, moves).unwrap();
        others.iter_mut().all(|judge| {
            judge.new_game(line.as_ref(), 5).unwrap();
            let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
            let score = judge.choose(&turn, &Stop::new()).unwrap().thought.unwrap().score;
            !score.is_decided() && score.raw().abs() <= 60
        })
    };
    let expected: Vec<_> = alone.entries.into_iter().filter(|entry| even(&entry.moves)).collect();
    assert_eq!(together.entries, expected);
    let silent = book(&["random"]).unwrap_err().to_string();
    assert_eq!(silent, "random says no score: take a judge that searches, such as ab,nodes=20000");
}

/// Plays three openings of a book in order: where they begin.
fn starts(game: &'static str, text: &str) -> Vec<String> {
    let folder = folder(&format!("book-{}", game.replace([':', '='], "-")));
    let file = folder.join("book.epd");
    fs::write(&file, text).unwrap();
    let source = Source::Book { file, shuffled: false };
    let openings = Openings::prepare(&source, 1, line(game).as_mut()).unwrap();
    let mut cup = tournament(game, 2, 3, &folder);
    cup.stages[0].openings = openings;
    let factory = Puppets(game, vec![Manner::Random; 2]);
    assert!(cup.run(&factory, &AtomicBool::new(false), &mut Count::default()).unwrap().complete);
    let records = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let start = |line: &str| serde_json::from_str::<GameRecord>(line).unwrap().start;
    records.lines().step_by(2).map(start).collect()
}

/// Their position strings have other fields than those of chess. A book is read as `generate` meant it.
#[test]
fn books_of_other_games_are_made_and_played() {
    let never = AtomicBool::new(false);
    for game in
        ["world-tree", "world-tree:start=standard", "kings-mate", "kings-mate-active", "crystal-draughts"]
    {
        let make = || judges(game, &[]);
        let wanted = BookOptions { plies: 5, count: 3, max_score: 20_000, nodes: 20, seed: 1, threads: 1 };
        let book = generate(&wanted, &make, &never, &mut |_| ()).unwrap();
        let text: String = book.entries.iter().map(|entry| entry.epd()).collect();
        let fens: Vec<&str> = book.entries.iter().map(|entry| entry.fen.as_str()).collect();
        assert_eq!(starts(game, &text), fens, "{text}");
    }
    let deal = |seed| line("crown-jewels").deal(&mut Random::new(seed)).unwrap();
    let deals = [deal(1), deal(2), deal(3)];
    assert_eq!(starts("crown-jewels", &deals.join(" id \"deal\";\n")), deals);
}

#[test]
fn mirror_images_are_one_opening() {
    let make = || judges("duel", &[]);
    let never = AtomicBool::new(false);
    let wanted = BookOptions { plies: 1, count: 10, max_score: 20_000, nodes: 50, seed: 1, threads: 2 };
    let book = generate(&wanted, &make, &never, &mut |_| ()).unwrap();
    // Of the four first moves two are the mirror images of the others.
    assert_eq!((book.searched, book.exhausted), (2, true));
    assert!(!book.entries.is_empty());
    let stopped = AtomicBool::new(true);
    let problem = generate(&wanted, &make, &stopped, &mut |_| ()).unwrap_err().to_string();
    assert!(problem.starts_with("interrupted with 0 of 10"), "{problem}");
    let none = BookOptions { max_score: 0, plies: 3, nodes: 1, ..wanted };
    let even = generate(&none, &make, &never, &mut |_| ()).unwrap();
    assert!(even.entries.iter().all(|entry| entry.centipawns == 0));
}
