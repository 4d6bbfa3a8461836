//! Connect-k keeps the laws, and everybody who can say what a position is worth says the same.

use connect_k::{Connect, ConnectGame};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::position::list_moves;
use jewel_engine::prelude::*;
use jewel_engine::value::Value;
use jewel_search::alphabeta::{self, AlphaBeta};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::mcts::{self, Mcts};
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use jewel_solver::control::{self, Control};
use jewel_solver::graph::Graph;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

fn game(files: u32, ranks: u32, line: u32) -> ConnectGame {
    ConnectGame::new(files, ranks, line).unwrap()
}

/// An evaluation: any function of a position.
fn pairs(position: &Connect) -> i32 {
    let [us, them] = [position.side_to_move(), !position.side_to_move()];
    30 * (position.rows(us, 2) - position.rows(them, 2))
}

/// The value by looking at every line of play, without any table but one of positions seen.
fn brute_force(position: &Connect, known: &mut HashMap<Connect, Value>) -> Value {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let mut value = position.outcome().map_or(Value::Loss(0), Value::from_outcome);
    if position.outcome().is_none() {
        let moves = list_moves(position).into_iter();
        value =
            moves.map(|mv| brute_force(&position.after(mv), known).before_opponents_turn()).max().unwrap();
    }
    known.insert(*position, value);
    value
}

#[test]
fn the_laws_hold() {
    for (files, ranks, line) in [(4, 4, 3), (5, 5, 4), (7, 3, 4), (2, 9, 2), (1, 5, 5)] {
        laws::check_playable(&game(files, ranks, line), 20, 40, 1).unwrap();
    }
    assert!(ConnectGame::new(7, 6, 4).is_none());
    assert!(ConnectGame::new(0, 9, 2).is_none() && ConnectGame::new(u32::MAX, u32::MAX, 4).is_none());
}

#[test]
fn move_sequences_are_counted() {
    // Every file of four is open for the first four plies, and no line of four is complete before the seventh.
    assert_eq!(
        (1..=4).map(|depth| perft(&game(4, 4, 4).start(), depth)).collect::<Vec<_>>(),
        [4, 16, 64, 256]
    );
    assert_eq!(perft(&game(4, 4, 4).start(), 5), 1024 - 4);
}

#[test]
fn texts_are_read_and_wrong_ones_refused() {
    let game = game(4, 4, 3);
    let mut position = game.start();
    for text in ["b", "b", "c"] {
        position.play(position.parse_move(text).unwrap());
    }
    assert_eq!(position.position_text(), "..../..../.o../.XX.");
    assert!(position.parse_move("e").unwrap_err().to_string().contains("legal are a b c d"));
    let wrong = [
        "",
        "....",
        "..../..../.X../....",
        "..../..../..../XXXX",
        "..../..../..../.?..",
        "..../..../..../ö...",
        "X",
    ];
    for text in wrong.into_iter().chain(["..../..../..../....X", "..../..../..../..../...."]) {
        assert!(game.parse_position(text).is_err(), "{text}");
    }
}

#[test]
fn brute_force_solver_and_both_searchers_agree() {
    for (files, ranks, line) in [(4, 4, 3), (3, 3, 3), (5, 2, 3), (4, 3, 4)] {
        let start = game(files, ranks, line).start();
        let mut known = HashMap::new();
        let value = brute_force(&start, &mut known);

        let mut graph = Graph::new(start).unwrap();
        let solution = Control::with_limits(control::Limits::default(), |control| {
            graph.enumerate(control)?;
            graph.solve(control)
        });
        let solution = solution.unwrap();
        assert!(known.iter().all(|(position, &value)| solution.value(position) == Some(value)));
        assert_eq!((solution.root_value(), solution.counts().positions()), (value, known.len() as u64));

        let mut alphabeta = AlphaBeta::new(pairs, alphabeta::Options::default()).unwrap();
        let limits = Limits { depth: Some(files * ranks + 1), ..Limits::default() };
        let found = alphabeta.search(&start, &[], &limits, &Stop::new(), &mut |_| {});
        assert_eq!(found.score(), Score::from(value), "{files}x{ranks}");

        let mut tree = Mcts::new(mcts::Options { tree_mb: 64, ..mcts::Options::default() });
        let limits = Limits { playouts: Some(2_000_000), ..Limits::default() };
        let found = tree.search(&start, &[], &limits, &Stop::new(), &mut |_| {});
        assert!(found.lines[0].proven || value == Value::Draw, "{files}x{ranks}");
        let best = solution.moves(&start).unwrap()[0].value;
        let chosen = solution.value(&start.after(found.best.unwrap())).unwrap();
        assert_eq!(chosen.before_opponents_turn().outcome(), best.outcome());
    }
}

#[test]
fn the_value_of_connect_three_is_known() {
    let start = game(4, 4, 3).start();
    assert_eq!(brute_force(&start, &mut HashMap::new()), Value::Win(9));
}

#[test]
fn the_program_solves_the_game_and_plays_a_tournament() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let _ = fs::remove_file(folder.join("connect-k.jsonl"));
    let output = Command::new(env!("CARGO_BIN_EXE_connect-k")).current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success()
            && text.starts_with("connect:files=4,ranks=4,line=3 is a win in 9 for White\n")
    );
    // Three pairs of players, five openings, both colours.
    let records = fs::read_to_string(folder.join("connect-k.jsonl")).unwrap();
    assert_eq!(records.lines().filter(|line| line.contains("\"white\"")).count(), 30, "{records}");
    let place = |name: &str| text.lines().skip(1).position(|line| line.contains(name)).unwrap();
    assert!(place("ab") < place("random") && place("mcts") < place("random"), "{text}");
}

#[test]
fn the_page_shows_this_code() {
    let page = include_str!("../../../docs/adding-a-game.md");
    let code =
        [include_str!("../src/lib.rs"), include_str!("../src/main.rs"), include_str!("connect.rs")].concat();
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 4);
    for block in blocks {
        assert!(code.contains(block), "the page shows what is not there:\n{block}");
    }
}
