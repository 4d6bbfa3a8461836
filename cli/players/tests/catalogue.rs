//! Games by name.

use jewel_players::catalogue::{AnyGame, catalogue};
use jewel_players::engine::{Brain, Options, open};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;

#[test]
fn every_game_of_the_catalogue_can_be_named_and_played() {
    let cards = catalogue();
    let families =
        ["kings-mate", "kings-mate-expanded", "kings-mate-active", "world-tree", "crystal-draughts"];
    assert!(families.iter().all(|id| cards.iter().any(|card| card.id == *id)), "{cards:?}");
    for card in &cards {
        let game = AnyGame::resolve(&card.id).unwrap();
        assert_eq!(game.card().id, card.id);
        let mut engine = open(game);
        for brain in [Brain::Ab, Brain::Mcts] {
            engine.configure(&Options { brain, hash: 1, ..Options::default() }).unwrap();
            let limits = Limits { nodes: Some(300), playouts: Some(20), ..Limits::default() };
            let report = engine.search(&limits, &Stop::new(), &mut |_| ()).unwrap();
            let best = report.best.unwrap();
            let mut random = jewel_engine::random::Random::new(1);
            let played = engine.rolled(&best, &mut random).unwrap();
            engine.play(&played).unwrap();
        }
        assert_eq!(engine.plies(), 2);
    }
}

#[test]
fn parameters_are_read_or_refused_in_one_line() {
    let card = |typed: &str| AnyGame::resolve(typed).map(|game| game.card()).map_err(|e| format!("{e:#}"));
    let small = card("crystal-draughts:tokens=4,tiers=2").unwrap();
    assert_eq!((small.id.as_str(), small.board.as_str()), ("crystal-draughts:tiers=2,tokens=4", "24 atoms"));
    assert_eq!(card("world-tree:start=standard").unwrap().objective, "capture the town");
    assert_eq!(card("kings-mate:stalemate=loss").unwrap().id, "kings-mate:stalemate=loss");
    for (typed, problem) in [
        ("kings-mate:", "\"\" is no parameter"),
        ("kings-mate:size=3", "has no parameter \"size\""),
        ("crystal-draughts:tiers=0", "tiers must be a number"),
        ("crystal-draughts:tokens=40", "tokens must be a number"),
        ("duel:size=3", "it has none at all"),
        ("king-mate", "did you mean \"kings-mate\"?"),
    ] {
        let error = card(typed).unwrap_err();
        assert!(error.contains(problem) && !error.contains('\n'), "{typed}: {error}");
    }
}

#[test]
fn a_roll_decides_what_is_played() {
    let mut line = open(AnyGame::resolve("kings-mate-active").unwrap());
    line.set_position(Some("7/1m5/7/7/7/5k1/7/1K3M1/7 w - - 0 1"), &[]).unwrap();
    assert!(line.moves().iter().any(|mv| mv == "b2b8:hit"));
    assert!(line.play("b2b8").is_err());
    let mut random = jewel_engine::random::Random::new(3);
    let mut hits = 0;
    for _ in 0..3600 {
        // What outcome is asked for does not matter.
        match line.rolled("b2b8:hit", &mut random).unwrap().as_str() {
            "b2b8:hit" => hits += 1,
            other => assert_eq!(other, "b2b8:miss"),
        }
    }
    // 1500 on average, with a standard deviation of 30.
    assert!((1380..1620).contains(&hits), "{hits}");
    line.play("b2b8:miss").unwrap();
    assert_eq!(line.played(), ["b2b8:miss"]);
}
