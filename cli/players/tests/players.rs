//! The players of this program.

use crate::common::{self, begun, duel, line_at, play};
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::{Budget, Choice, Fault, Player, Turn};
use jewel_players::spec::PlayerSpec;
use jewel_search::control::Stop;
use jewel_search::score::Score;
use std::collections::BTreeMap;

fn player(text: &str, game: AnyGame) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().build(&game).unwrap()
}

/// What a player chooses in a position, in the game of some seed.
fn choice(player: &mut dyn Player, line: &dyn GameAt, seed: u64) -> Result<Choice, Fault> {
    player.new_game(line, seed)?;
    player.choose(&Turn { line, budget: &Budget::default() }, &Stop::new())
}

/// Red stands beside the key, Green too far away to object.
const RED_WINS: &str = "2l/3/1L1 w - - 0 1";

#[test]
fn random_moves_are_all_as_likely_and_follow_the_seed() {
    let line = duel().open();
    let mut random = player("random,seed=3", duel());
    let mut counts = BTreeMap::new();
    random.new_game(line.as_ref(), 1).unwrap();
    let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
    for _ in 0..2000 {
        *counts.entry(random.choose(&turn, &Stop::new()).unwrap().mv).or_insert(0) += 1;
    }
    let moves = line.moves();
    assert_eq!(counts.len(), moves.len());
    let expected = 2000.0 / moves.len() as f64;
    for (mv, count) in &counts {
        assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{mv}: {count} of {expected}");
    }
    let games = |own: &str, seed| {
        let mut players = [player(&format!("random,seed={own}"), duel()), player("random", duel())];
        play(&mut players, duel().open(), seed).played()
    };
    assert_eq!(games("3", 5), games("3", 5));
    assert_ne!([games("3", 5), games("3", 6)], [games("4", 5), games("4", 6)]);
}

#[test]
fn greed_takes_a_win_and_is_seeded() {
    // The last enemy stands beside Red.
    let line = line_at(duel(), "3/2l/2L w - - 0 1");
    for seed in 0..20 {
        let found = choice(player("greedy", duel()).as_mut(), line.as_ref(), seed).unwrap();
        assert_eq!(found.mv, "c1c2", "seed {seed}");
        assert_eq!(found.thought.unwrap().score, Score::win_in(1));
    }
    let start = AnyGame::resolve("ambush").unwrap().open();
    let ambush = AnyGame::resolve("ambush").unwrap();
    let mut greedy = player("greedy", ambush);
    let found: Vec<Choice> =
        (0..40).map(|seed| choice(greedy.as_mut(), start.as_ref(), seed).unwrap()).collect();
    // Whatever it draws is as good as the rest, and the start is symmetric: there is something to draw from.
    let score = |choice: &Choice| choice.thought.as_ref().unwrap().score;
    assert!(found.iter().all(|choice| score(choice) == score(&found[0])));
    assert!(found.iter().any(|choice| choice.mv != found[0].mv));
}

#[test]
fn engines_keep_to_the_stricter_limit() {
    let ambush = AnyGame::resolve("ambush").unwrap();
    let line = ambush.open();
    for text in [
        "ab,nodes=3000",
        "mcts,playouts=20",
        "mcts,playouts=50,leaf=evaluation,minimax=40",
        "mcts,playouts=20,leaf=0,priors=uniform",
    ] {
        let mut engine = player(text, ambush);
        engine.new_game(line.as_ref(), 1).unwrap();
        let wide = Budget { nodes: Some(1_000_000), playouts: Some(1_000_000), ..Budget::default() };
        let turn = Turn { line: line.as_ref(), budget: &wide };
        let thought = engine.choose(&turn, &Stop::new()).unwrap().thought.unwrap();
        assert!(thought.nodes <= 3000, "{text}: {} nodes", thought.nodes);
        let narrow = Budget { nodes: Some(500), ..Budget::default() };
        let turn = Turn { line: line.as_ref(), budget: &narrow };
        let thought = engine.choose(&turn, &Stop::new()).unwrap().thought.unwrap();
        assert!(thought.nodes <= 700, "{text}: {} nodes", thought.nodes);
    }
}

#[test]
fn an_engine_without_a_limit_says_so() {
    let line = duel().open();
    for text in ["ab", "mcts"] {
        let fault = choice(player(text, duel()).as_mut(), line.as_ref(), 1).unwrap_err();
        assert_eq!(fault.to_string(), "cannot play: no limit of depth, nodes, playouts or time is set");
    }
    let playouts = Budget { playouts: Some(100), ..Budget::default() };
    let mut ab = player("ab", duel());
    ab.new_game(line.as_ref(), 1).unwrap();
    let turn = Turn { line: line.as_ref(), budget: &playouts };
    assert!(matches!(ab.choose(&turn, &Stop::new()), Err(Fault::Unable(_))));
}

#[test]
fn a_game_repeats_itself_and_earlier_ones_do_not_matter() {
    let ambush = AnyGame::resolve("ambush").unwrap();
    let mut players = [player("ab,nodes=300", ambush), player("mcts,playouts=30", ambush)];
    let first = play(&mut players, begun(ambush, 4), 9).played();
    let other = play(&mut players, begun(ambush, 5), 10).played();
    let again = play(&mut players, begun(ambush, 4), 9).played();
    assert_eq!(first, again);
    assert_ne!(first, other);
    let mut fresh = [player("ab,nodes=300", ambush), player("mcts,playouts=30", ambush)];
    assert_eq!(play(&mut fresh, begun(ambush, 4), 9).played(), first);
}

#[test]
fn an_illegal_choice_is_found_out() {
    let mut line = duel().open();
    let before = line.fen();
    let fault =
        Choice::silent("a1a9").play(line.as_mut(), &mut jewel_engine::random::Random::new(1)).unwrap_err();
    assert!(matches!(&fault, Fault::Illegal(why) if why.starts_with("\"a1a9\": ")), "{fault}");
    assert_eq!((fault.word(), line.fen()), ("illegal", before));
}

#[test]
fn tables_play_perfectly() {
    let folder = common::tables("players-table", duel(), 3);
    let text = |more: &str| format!("table,tables={}{more}", folder.0.display());
    let mut own = line_at(duel(), RED_WINS);
    own.use_tables(Some(&folder.0)).unwrap();
    let distance = own.table_value().unwrap().distance().unwrap();
    for seed in 0..10 {
        let mut players = [player(&text(""), duel()), player("random", duel())];
        let line = play(&mut players, line_at(duel(), RED_WINS), seed);
        assert_eq!(line.ending().unwrap().verdict, Verdict::WhiteWins);
        assert!(line.plies() <= distance as usize);
        // The winner is as fast and the loser as slow as can be.
        let mut players = [player(&text(""), duel()), player(&text(""), duel())];
        let line = play(&mut players, line_at(duel(), RED_WINS), seed);
        assert_eq!(line.plies(), distance as usize);
        // Neither gives a draw away, and a random player does not win one.
        for other in ["", ",fallback=random"] {
            let mut players = [player(&text(other), duel()), player(&text(""), duel())];
            let line = play(&mut players, duel().open(), seed);
            assert_eq!(line.ending().map(|ending| ending.verdict), Some(Verdict::Draw));
        }
        let mut players = [player("random", duel()), player(&text(""), duel())];
        let line = play(&mut players, duel().open(), seed);
        assert!(line.ending().is_none_or(|ending| ending.verdict.seen_by(Side::White) <= Outcome::Draw));
    }
    let found = choice(player(&text(""), duel()).as_mut(), own.as_ref(), 1).unwrap().thought.unwrap();
    assert_eq!((found.score, found.proven), (Score::win_in(distance), true));
}

#[test]
fn where_tables_do_not_reach_another_one_plays_or_nobody() {
    let ambush = AnyGame::resolve("ambush").unwrap();
    let folder = common::tables("players-fallback", ambush, 2);
    let line = ambush.open();
    let text = format!("table,tables={}", folder.0.display());
    let fault = choice(player(&text, ambush).as_mut(), line.as_ref(), 1).unwrap_err();
    assert!(
        fault.to_string().starts_with("cannot play: its tables do not hold \"nqlqn/5/5/5/NQLQN"),
        "{fault}"
    );
    let mut helped = player(&format!("{text},fallback=ab,nodes=100"), ambush);
    assert!(line.moves().contains(&choice(helped.as_mut(), line.as_ref(), 1).unwrap().mv));
    let missing = "table,name=t,tables=/nowhere".parse::<PlayerSpec>().unwrap().build(&ambush);
    let said = missing.err().unwrap().to_string();
    assert!(said.starts_with("player \"t\": /nowhere: ") && !said.contains('\n'), "{said}");
}
