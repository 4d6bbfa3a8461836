//! Small endings of Crown Jewels with all tiles known, against plain negamax: the limit of quiet plies makes the game finite.

use crate::common::solved;
use jewel_engine::ability::Game;
use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Value;
use jewel_solver::control::{Control, Limits};
use jewel_solver::solution::Solution;
use jewel_solver::verify::verify;
use std::collections::HashMap;

/// Every position that is reached, with its value.
fn negamax(position: &CrownJewels, known: &mut HashMap<CrownJewels, Value>) -> Value {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let value = match position.outcome() {
        Some(outcome) => Value::from_outcome(outcome),
        None => {
            let moves = list_moves(position).into_iter();
            let values = moves.map(|mv| negamax(&position.after(mv), known).before_opponents_turn());
            values.max().expect("a move, if only the skip")
        }
    };
    known.insert(*position, value);
    value
}

fn solution(game: &CrownJewelsGame, text: &str) -> (CrownJewels, Solution<CrownJewels>) {
    let root = game.parse_position(text).unwrap();
    let solution: Solution<CrownJewels> = solved(&root);
    Control::with_limits(Limits::default(), |control| {
        verify(&solution, control).map_err(|failure| failure.to_string())
    })
    .unwrap();
    (root, solution)
}

#[test]
fn ends_have_the_values_of_plain_negamax() {
    for (parameters, text) in [
        ("files=2,ranks=4,tiles=2,home=1,checkers=0,quiet=10", "b35!,1/2/2/w46!,1 w b 0"),
        ("files=2,ranks=4,tiles=2,home=1,checkers=0,quiet=3", "b35!,1/2/2/w46!,1 w b 0"),
        // Hidden from the players, but not from the solver: what they learn is part of the position.
        ("files=3,ranks=3,tiles=3,checkers=0,quiet=6", "b35,b03,1/3/w46,w25,1 w wb 0"),
        // A checker leaves White no move but the skip.
        ("files=1,ranks=6,tiles=1,checkers=1,quiet=8", "b35!/1/1/1/#/w46! w b 0"),
    ] {
        let game = CrownJewelsGame::with_parameters(parameters).unwrap();
        let (root, solution) = solution(&game, text);
        let mut known = HashMap::new();
        assert_eq!(solution.root_value(), negamax(&root, &mut known), "{parameters}");
        for (position, value) in &known {
            assert_eq!(solution.value(position), Some(*value), "{parameters}: {position:?}");
        }
        assert!(known.len() > 8, "{parameters}: {} positions", known.len());
    }
}

#[test]
fn without_a_limit_a_general_hunts_the_last_jewel_down() {
    let game = CrownJewelsGame::with_parameters("files=4,ranks=4,tiles=3,quiet=0").unwrap();
    let (_, solution) = solution(&game, "1,b35!,1,b03!/4/4/w46!,1,w25!,1 w wb 0");
    // The Bomb takes the General with it, and then the stronger Jewel is chased.
    assert_eq!(solution.root_value(), Value::Loss(12));
}
