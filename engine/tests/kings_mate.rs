//! King's Mate: counts of an independent implementation, the rules sentence by sentence, the numbered
//! decisions K1 to K8, the laws, and bad input.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::chance::{Branches, Chance, check_chance};
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMate, KingsMateGame, RuleSet};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Outcome::{self, Draw, Loss, Win};
use jewel_engine::value::{Side, Verdict};
use serde_json::Value;

fn parse<R: RuleSet>(fen: &str) -> KingsMate<R> {
    KingsMateGame::<R>::new().parse_position(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

/// Sorted move texts.
fn texts<P: Notation>(position: &P) -> Vec<String> {
    let mut texts: Vec<String> = list_moves(position).into_iter().map(|mv| position.move_text(mv)).collect();
    texts.sort();
    texts
}

// Counts.

fn check_row<R: RuleSet>(row: &Value) {
    let fen = row["fen"].as_str().unwrap();
    let position = parse::<R>(fen);
    assert_eq!(position.position_text(), fen);
    let moves: Vec<&str> = row["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(texts(&position), moves, "{fen}");
    let verdict = match row["outcome"].as_str() {
        Some("w") => Some(Verdict::WhiteWins),
        Some("b") => Some(Verdict::BlackWins),
        Some(_) => Some(Verdict::Draw),
        None => None,
    };
    assert_eq!(position.outcome().map(|o| o.absolute(position.side_to_move())), verdict, "{fen}");
    for (n, nodes) in row["perft"].as_array().unwrap().iter().enumerate() {
        let depth = n as u32 + 1;
        assert_eq!(Some(perft(&Branches(position), depth)), nodes.as_u64(), "{} {fen} depth {depth}", R::ID);
        if !R::DICE {
            assert_eq!(Some(perft(&position, depth)), nodes.as_u64());
        }
    }
}

#[test]
fn counts_are_those_of_the_reference() {
    let file: Value = serde_json::from_str(include_str!("data/perft/kings-mate.json")).unwrap();
    let mut rows = [0; 3];
    for row in file["rows"].as_array().unwrap() {
        match row["game"].as_str().unwrap() {
            "kings-mate" => (check_row::<Basic>(row), rows[0] += 1),
            "kings-mate-expanded" => (check_row::<Expanded>(row), rows[1] += 1),
            "kings-mate-active" => (check_row::<Active>(row), rows[2] += 1),
            other => panic!("no game {other}"),
        };
    }
    assert_eq!(rows, [25, 29, 32]);
}
