//! Small crystals against values that an independent program found.

use crate::common::solved;
use jewel_engine::ability::Game;
use jewel_engine::crystal::{Crystal, CrystalGame};
use jewel_engine::value::Value;
use jewel_solver::control::{Control, Limits};
use jewel_solver::solution::Solution;
use jewel_solver::verify::verify;

fn value(parameters: &str) -> Value {
    let game = CrystalGame::with_parameters(parameters).unwrap();
    let solution: Solution<Crystal> = solved(&game.start());
    Control::with_limits(Limits::default(), |control| verify(&solution, control)).unwrap();
    // Turned and mirrored positions have the same value, where the start leads to them.
    let line = solution.line(&game.start()).unwrap();
    let mut position = game.start();
    for ply in line.plies.iter().take(6) {
        let expected = solution.value(&position);
        for image in position.images() {
            assert!(solution.value(&image).is_none_or(|value| Some(value) == expected), "{image:?}");
        }
        jewel_engine::position::Position::play(&mut position, ply.mv);
    }
    solution.root_value()
}

#[test]
fn small_crystals_have_the_known_values() {
    for (parameters, known) in [
        ("tiers=2,molecules=1,tokens=1", Value::Win(1)),
        ("tiers=2,molecules=1,tokens=2", Value::Win(3)),
        ("tiers=2,molecules=1,tokens=3", Value::Draw),
        ("tiers=3,molecules=1,tokens=2", Value::Loss(16)),
        ("tiers=3,molecules=1,tokens=3", Value::Draw),
        ("tiers=2,molecules=2,tokens=2", Value::Win(3)),
    ] {
        assert_eq!(value(parameters), known, "{parameters}");
    }
}
