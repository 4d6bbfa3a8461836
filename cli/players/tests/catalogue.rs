//! Games by name.

use jewel_engine::crystal::CrystalGame;
use jewel_engine::value::Side;
use jewel_players::catalogue::{AnyGame, catalogue};
use jewel_players::options::{Algorithm, Options};
use jewel_players::player::{Budget, Turn};
use jewel_players::spec::PlayerSpec;
use jewel_search::control::Stop;
use jewel_search::evaluate::CrystalEvaluation;
use jewel_search::limits::Limits;

#[test]
fn the_special_rules_of_kings_mate_are_declared() {
    let card = |id: &str| AnyGame::resolve(id).map(|game| game.card()).unwrap();
    for (id, own, name, objective) in [
        ("kings-mate:dice=off", "kings-mate", "King's Mate", "checkmate the King"),
        (
            "kings-mate:gambit=on",
            "kings-mate:gambit=on",
            "King's Mate with the Fool's Gambit",
            "checkmate the King or bring a fool to his square",
        ),
        (
            "kings-mate:defense=on,dice=on",
            "kings-mate:dice=on,defense=on",
            "King's Mate with dice and the Defense of the Crown",
            "take the King",
        ),
        (
            "kings-mate:dice=on,gambit=on,defense=on",
            "kings-mate-active",
            "King's Mate, Active Play",
            "take the King or bring a fool to his square",
        ),
    ] {
        let card = card(id);
        assert_eq!((card.id.as_str(), card.name.as_str(), card.objective.as_str()), (own, name, objective));
        assert!(!AnyGame::resolve(own).unwrap().open().moves().is_empty());
    }
    let error = |id: &str| AnyGame::resolve(id).unwrap_err().to_string();
    assert_eq!(error("kings-mate:gambit=maybe"), "kings-mate: gambit must be off or on, found \"maybe\"");
}

#[test]
fn every_game_of_the_catalogue_can_be_named_and_played() {
    let cards = catalogue();
    let families = [
        "kings-mate",
        "kings-mate-expanded",
        "kings-mate-active",
        "world-tree",
        "crystal-draughts",
        "crown-jewels",
    ];
    assert!(families.iter().all(|id| cards.iter().any(|card| card.id == *id)), "{cards:?}");
    for card in &cards {
        let game = AnyGame::resolve(&card.id).unwrap();
        assert_eq!(game.card().id, card.id);
        let mut engine = game.open();
        for algorithm in [Algorithm::Ab, Algorithm::Mcts] {
            let cheat = game.hides() && algorithm == Algorithm::Ab;
            engine.configure(&Options { algorithm, hash: 1, cheat, ..Options::default() }).unwrap();
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
        ("kings-mate:", "\"\" is not a parameter"),
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
    let mut line = AnyGame::resolve("kings-mate-active").unwrap().open();
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

const STATE: &str = "7,b15/8/8/8/8/3,b33,1,b03!,2/3,w46,w25,3/8 w wb 4";

#[test]
fn nobody_is_shown_what_the_game_hides() {
    let mut engine = AnyGame::resolve("crown-jewels").unwrap().open();
    engine.set_position(Some(STATE), &[]).unwrap();
    let view = engine.view_of(Side::White).unwrap();
    assert_eq!(view.text, "7,b??/8/8/8/8/3,b??,1,b03!,2/3,w46,w25,3/8 w wb 4 w 15,33");
    assert!(!format!("{:?}", view.diagram).contains("b33"), "{:?}", view.diagram);
    // Alpha-beta search sees everything: only who says so lets it.
    let ab = Options { algorithm: Algorithm::Ab, hash: 1, ..Options::default() };
    let refused = engine.configure(&ab).unwrap_err().to_string();
    assert_eq!(refused, "crown-jewels: alpha-beta search needs to see everything; let mcts play, or cheat");
    engine.configure(&Options { cheat: true, ..ab.clone() }).unwrap();
    // From what White sees, the same is thought whatever stands on the hidden squares.
    let mcts = Options { algorithm: Algorithm::Mcts, hash: 1, ..Options::default() };
    let limits = Limits { playouts: Some(400), ..Limits::default() };
    let other = STATE.replace("b15", "b99").replace("b33", "b15").replace("b99", "b33");
    let reports = [STATE, other.as_str(), view.text.as_str()].map(|text| {
        let mut engine = AnyGame::resolve("crown-jewels").unwrap().open();
        engine.configure(&mcts).unwrap();
        engine.set_position(Some(text), &[]).unwrap();
        let report = engine.search(&limits, &Stop::new(), &mut |_| ()).unwrap();
        (report.best, report.lines.into_iter().map(|line| (line.pv, line.visits)).collect::<Vec<_>>())
    });
    assert!(reports[0].0.is_some());
    assert_eq!((&reports[1], &reports[2]), (&reports[0], &reports[0]));
}

#[test]
fn from_what_a_player_sees_nothing_is_played() {
    let mut engine = AnyGame::resolve("crown-jewels").unwrap().open();
    let view = "7,b??/8/8/8/8/3,b??,1,b03!,2/3,w46,w25,3/8 w wb 4 w 15,33";
    let error = engine.set_position(Some(view), &["d2d3".to_string()]).unwrap_err().to_string();
    assert!(error.starts_with("from what one player sees no moves are played"), "{error}");
    engine.set_position(Some(view), &[]).unwrap();
    assert_eq!((engine.fen(), engine.first_fen()), (view.to_string(), view.to_string()));
    assert!(engine.play("d2d3").is_err());
    let waiting = view.replace(" w wb", " b wb");
    let error = engine.set_position(Some(&waiting), &[]).unwrap_err().to_string();
    assert_eq!(error, "what w sees, and b is to move: a player is asked only when it is their turn");
    assert_eq!(engine.fen(), view, "nothing has changed");
}

#[test]
fn contests_reveal_tiles_to_both() {
    let mut engine = AnyGame::resolve("crown-jewels").unwrap().open();
    let mut revealed = |mv: &str| {
        engine.set_position(Some(STATE), &[mv.to_string()]).unwrap();
        engine.revealed()
    };
    assert_eq!(revealed("d2d3").as_deref(), Some("w46 (General) takes b33 (plain)"));
    assert_eq!(revealed("e2f3").as_deref(), Some("w25 (Jewel) and b03 (Bomb) both fall"));
    assert_eq!(revealed("e2f2"), None);
}

#[test]
fn deals_differ_and_follow_from_the_generator() {
    let line = AnyGame::resolve("crown-jewels:tiles=6,files=4,ranks=6").unwrap().open();
    let deal = |seed| line.deal(&mut jewel_engine::random::Random::new(seed)).unwrap();
    assert_eq!(deal(1), deal(1));
    assert_ne!(deal(1), deal(2));
    assert!(
        AnyGame::resolve("duel").unwrap().open().deal(&mut jewel_engine::random::Random::new(1)).is_none()
    );
}

#[test]
fn players_that_look_at_everything_are_refused_where_something_is_hidden() {
    let game = AnyGame::resolve("crown-jewels").unwrap();
    for (text, fair) in [
        ("random", true),
        ("mcts,playouts=9", true),
        ("ab,nodes=9", false),
        ("greedy", false),
        ("cmd=engine", false),
    ] {
        let spec: PlayerSpec = text.parse().unwrap();
        let refusal = spec.build(&game).err().map(|error| error.to_string());
        assert_eq!(refusal.is_none(), fair, "{text}: {refusal:?}");
        assert!(refusal.is_none_or(|text| text.contains("it would be shown what crown-jewels hides")));
    }
}

#[test]
fn a_game_of_another_crate_is_played_like_any_other() {
    let crystal = CrystalGame::with_parameters("tiers=2,tokens=4").unwrap();
    let evaluation = CrystalEvaluation::new(crystal.lattice());
    let game = AnyGame::with_evaluation(crystal, evaluation);
    assert!(game.rules().is_err() && !game.hides() && !game.has_dice());
    let specs = ["ab,nodes=200", "mcts,playouts=50", "greedy", "random"];
    let players = specs.map(|text| text.parse::<PlayerSpec>().unwrap().build(&game).unwrap());
    for mut player in players {
        let mut line = game.open();
        player.new_game(line.as_ref(), 1).unwrap();
        let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
        let choice = player.choose(&turn, &Stop::new()).unwrap();
        choice.play(line.as_mut(), &mut jewel_engine::random::Random::new(1)).unwrap();
        assert_eq!(line.plies(), 1);
    }
}
