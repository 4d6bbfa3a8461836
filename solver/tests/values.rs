//! Values against a solver that is too simple to be wrong, against negamax, and against the values of images.

use crate::common::{Backwards, Forgetful, Node, Toy, brute_force, solved, toys, widened, with_threads};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chesslike::{ChessGame, Leapers};
use jewel_engine::games;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::{Control, Limits};
use jewel_solver::graph::Graph;
use jewel_solver::line::{LineEnd, best_line_into};
use jewel_solver::solution::Solution;
use jewel_solver::verify::verify;
use proptest::prelude::*;
use std::collections::HashMap;

const AMBUSH: &str = "2l2/5/5/5/1N3 w - - 0 1";

fn checked<P: Packed>(solution: &Solution<P>) -> Result<(), String> {
    Control::with_limits(Limits::default(), |control| verify(solution, control)).map_err(|e| e.to_string())
}

/// Every value and every count against [`brute_force`], every position by the verifier.
fn agrees<P: Packed>(root: &P) -> Result<Solution<P>, String> {
    let solution = solved(root);
    let expected = brute_force(root);
    let counts = solution.counts();
    let count = |outcome| expected.values().filter(|value| value.outcome() == outcome).count() as u64;
    let [wins, draws, losses] = [Outcome::Win, Outcome::Draw, Outcome::Loss].map(count);
    if (counts.wins, counts.draws, counts.losses) != (wins, draws, losses) {
        return Err(format!("{counts:?}, expected {wins} wins, {draws} draws, {losses} losses"));
    }
    let longest =
        expected.values().filter(|v| v.outcome() == Outcome::Win).filter_map(|v| v.distance()).max();
    if counts.longest_win != longest {
        return Err(format!("longest win {:?}, expected {longest:?}", counts.longest_win));
    }
    for (position, value) in &expected {
        if solution.value(position) != Some(*value) {
            return Err(format!("{position:?}: {:?}, expected {value}", solution.value(position)));
        }
    }
    checked(&solution)?;
    Ok(solution)
}

/// Plain negamax to a fixed depth; beyond it everything is a draw.
fn negamax<P: Position>(position: &P, depth: u32) -> Value {
    if let Some(outcome) = position.outcome() {
        return Value::from_outcome(outcome);
    }
    if depth == 0 {
        return Value::Draw;
    }
    let worth = |mv| {
        let next = position.after(mv);
        negamax(&next, depth - 1).before_ply(position.side_to_move(), next.side_to_move())
    };
    list_moves(position).into_iter().map(worth).max().expect("an open position has moves")
}

/// Negamax finds the solver's wins and losses within `depth` plies, and no others.
fn negamax_agrees<P: Packed>(solution: &Solution<P>, position: &P, depth: u32) -> Result<(), String> {
    let value = solution.value(position).ok_or("unknown position")?;
    let within = match value.distance() {
        Some(distance) if distance > depth => Value::Draw,
        _ => value,
    };
    let found = negamax(position, depth);
    if found == within { Ok(()) } else { Err(format!("{position:?}: negamax {found}, solver {value}")) }
}

/// A symmetry keeps values, where the root leads to the image.
fn symmetric<P: Packed + Symmetric>(solution: &Solution<P>, positions: impl IntoIterator<Item = P>) -> usize {
    let mut compared = 0;
    for position in positions {
        let value = solution.value(&position);
        assert!(value.is_some());
        for (symmetry, exchange) in position.symmetries() {
            let Some(image) = position.transformed(symmetry, exchange) else { continue };
            if let Some(mirrored) = solution.value(&image) {
                assert_eq!(Some(mirrored), value, "{position:?} and {image:?}");
                compared += usize::from(image != position);
            }
        }
    }
    compared
}

/// All checks for a small game of a variant file.
struct Everything<'a> {
    fen: Option<&'a str>,
    depth: u32,
}

impl Everything<'_> {
    fn visit<G>(self, game: G) -> (u64, Value)
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let root = self.fen.map_or_else(|| game.start(), |fen| game.parse_position(fen).unwrap());
        let solution = agrees(&root).unwrap();
        let all: Vec<G::Position> = brute_force(&root).into_keys().collect();
        for position in &all {
            negamax_agrees(&solution, position, self.depth).unwrap();
        }
        assert!(symmetric(&solution, all) > 10);
        (solution.counts().positions(), solution.root_value())
    }
}

#[test]
fn duel_is_a_draw() {
    let rules = games::find("duel").unwrap().rules();
    assert_eq!(
        with_leanest_game!(rules, game => (Everything { fen: None, depth: 5 }).visit(game)),
        (162, Value::Draw)
    );
    let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
    let solution = solved(&game.start());
    let counts = solution.counts();
    assert_eq!((counts.wins, counts.draws, counts.losses), (96, 40, 26));
    assert_eq!(counts.longest_win, Some(2));
    assert_eq!(solution.value(&solution.longest_win().unwrap()), Some(Value::Win(2)));
}

#[test]
fn two_leapers_on_the_ambush_board_agree_with_brute_force() {
    let rules = games::find("ambush").unwrap().rules();
    let (positions, value) =
        with_leanest_game!(rules, game => (Everything { fen: Some(AMBUSH), depth: 3 }).visit(game));
    assert_eq!((positions, value), (1250, Value::Loss(3)));
}

#[test]
fn a_game_of_check_agrees_with_brute_force() {
    let text = r#"
        id = "queen-and-king"
        name = "King and queen against king"
        [board]
        size = "4x4"
        start = "3k/4/4/KQ2 w - - 0 1"
        [[piece]]
        letter = "K"
        moves = "K"
        royal = true
        [[piece]]
        letter = "Q"
        moves = "Q"
    "#;
    let rules = Rules::parse(text).unwrap();
    let (positions, value) =
        with_leanest_game!(&rules, game => (Everything { fen: None, depth: 3 }).visit(game));
    assert!(positions > 1000, "{positions}");
    assert!(matches!(value, Value::Win(n) if n % 2 == 1), "{value}");
}

#[test]
fn a_clock_that_draws_is_part_of_the_position() {
    let text = r#"
        id = "clock"
        name = "Three plies"
        [board]
        size = "3x3"
        start = "l2/3/2L w - - 0 1"
        [[piece]]
        letter = "L"
        moves = "WD"
        [key]
        squares = ["b2"]
        objective = "hold"
        [draw]
        n-move = 2
    "#;
    let rules = Rules::parse(text).unwrap();
    let game = ChessGame::<Leapers, 4>::new(&rules).unwrap();
    let solution = agrees(&game.start()).unwrap();
    assert_eq!(solution.root_value(), Value::Draw);
    // The line ends by adjudication, before anything can repeat.
    assert_eq!(solution.line(&game.start()).unwrap().end, LineEnd::Over(Outcome::Draw));
}

fn node(side: Side, outcome: Option<Outcome>, moves: &[usize]) -> Node {
    Node { side, outcome, moves: moves.to_vec() }
}

#[test]
fn a_turn_of_two_plies_keeps_its_sign() {
    use Side::{Black, White};
    // White moves at 0 and again at 1, and can then end the game with Black to move and lost (2), or go back (0). Black at 3
    // must let White move twice.
    let toy = Toy::new(vec![
        node(White, None, &[1, 3]),
        node(White, None, &[2, 0]),
        node(Black, Some(Outcome::Loss), &[]),
        node(Black, None, &[4]),
        node(Black, None, &[0]),
    ]);
    let solution = agrees(&toy).unwrap();
    let value = |at| solution.value(&Toy { nodes: toy.nodes.clone(), at }).unwrap();
    assert_eq!([0, 1, 2].map(value), [Value::Win(2), Value::Win(1), Value::Loss(0)]);
    assert_eq!([3, 4].map(value), [Value::Loss(4), Value::Loss(3)]);
    let line = solution.line(&toy).unwrap();
    assert_eq!(line.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(
        line.plies.iter().map(|ply| ply.forced).collect::<Vec<_>>(),
        [false, false],
        "every move leads to a win in the end"
    );
    assert_eq!(line.end, LineEnd::Over(Outcome::Loss));
}

#[test]
fn a_loop_that_neither_side_gains_by_leaving_is_a_draw() {
    use Side::{Black, White};
    // 0 and 1 are a loop; leaving it loses.
    let toy = Toy::new(vec![
        node(White, None, &[1, 2]),
        node(Black, None, &[0, 3]),
        node(Black, Some(Outcome::Win), &[]),
        node(White, Some(Outcome::Win), &[]),
    ]);
    let solution = agrees(&toy).unwrap();
    assert_eq!(solution.root_value(), Value::Draw);
    let line = solution.line(&toy).unwrap();
    assert!(line.plies.iter().all(|ply| ply.forced && ply.value == Value::Draw));
    assert_eq!((line.plies.len(), line.end), (2, LineEnd::Repetition(0)));
}

#[test]
fn a_line_that_breaks_off_keeps_its_plies() {
    let game = games::find("duel").unwrap().rules();
    with_leanest_game!(game, game => {
        let solution = solved(&game.start());
        let all = solution.line(&game.start()).unwrap().plies;
        for known in 0..=all.len() {
            // The values of a position that is `known` plies away are not had.
            let beyond = all[..known].iter().fold(game.start(), |position, ply| position.after(ply.mv));
            let valued = |position: &_| {
                if *position == beyond { Err(()) } else { solution.moves(position).ok_or(()) }
            };
            let mut plies = Vec::new();
            let end = best_line_into(&game.start(), valued, &mut plies);
            assert_eq!(plies, all[..plies.len()]);
            assert!(end == Err(()) && plies.len() <= known || end.is_ok() && plies == all, "{known}");
        }
        let mut plies = Vec::new();
        let end = best_line_into(&game.start(), |position| solution.moves(position).ok_or(()), &mut plies);
        assert_eq!((plies.len(), end.is_ok()), (all.len(), true));
    });
}

#[test]
fn an_end_is_an_end_although_there_are_moves() {
    // The game is over at the root: its move to a lost position of the other side does not count.
    let toy = Toy::new(vec![
        node(Side::White, Some(Outcome::Draw), &[1]),
        node(Side::Black, Some(Outcome::Loss), &[]),
    ]);
    let solution = agrees(&toy).unwrap();
    assert_eq!((solution.counts().positions(), solution.root_value()), (1, Value::Draw));
    assert_eq!(solution.moves(&toy), Some(Vec::new()));
    let beyond = Toy { nodes: toy.nodes.clone(), at: 1 };
    assert_eq!(solution.value(&beyond), None);
    assert_eq!(solution.moves(&beyond), None);
    assert_eq!(solution.line(&beyond), None);
}

#[test]
fn long_wins_are_counted_exactly() {
    // A corridor of 50,000 plies without a choice, beside a loop that draws for the losing side.
    let length = 50_000;
    let mut nodes: Vec<Node> = (0..length)
        .map(|n| node(if n % 2 == 0 { Side::White } else { Side::Black }, None, &[n + 1]))
        .collect();
    nodes.push(node(Side::White, Some(Outcome::Win), &[]));
    let solution = solved(&Toy::new(nodes.clone()));
    assert_eq!(solution.root_value(), Value::Win(length as u32));
    checked(&solution).unwrap();
    let backwards = solved(&Backwards::new(Toy::new(nodes.clone())));
    assert_eq!((backwards.root_value(), backwards.counts()), (solution.root_value(), solution.counts()));
    checked(&backwards).unwrap();
    nodes[length - 1].moves.push(1);
    let toy = Toy::new(nodes);
    let solution = solved(&toy);
    assert_eq!(solution.root_value(), Value::Draw);
    checked(&solution).unwrap();
    let backwards = solved(&Backwards::new(toy));
    assert_eq!(backwards.counts(), solution.counts());
    checked(&backwards).unwrap();
}

#[test]
fn threads_and_key_width_change_nothing() {
    let game = ChessGame::<Leapers, 4>::new(games::find("ambush").unwrap().rules()).unwrap();
    let root = game.parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap();
    let describe = |n| {
        with_threads(n, || {
            let solution = solved(&root);
            (solution.counts(), solution.edges(), solution.line(&root), solution.longest_win())
        })
    };
    let one = describe(1);
    assert_eq!(one.0.positions(), 175_474);
    assert_eq!(one, describe(2));
    assert_eq!(one, describe(5));
    let wide = solved(&widened(&root, 65));
    assert_eq!((wide.counts(), wide.edges()), (one.0, one.1));
    let widest = solved(&widened(&root, 129));
    assert_eq!((widest.counts(), widest.line(widest.root())), (one.0, one.2));
}

/// Games that take moves back and games that keep them have the same values.
#[test]
fn moves_taken_back_and_moves_kept_agree() {
    fn same<P: Packed>(root: &P) -> u64 {
        assert!(root.has_unmoves());
        let solution = solved(root);
        let kept = solved(&Forgetful(root.clone()));
        assert_eq!((solution.counts(), solution.edges()), (kept.counts(), kept.edges()));
        checked(&solution).unwrap();
        solution.counts().positions()
    }
    let ambush = ChessGame::<Leapers, 4>::new(games::find("ambush").unwrap().rules()).unwrap();
    for fen in ["nq3/5/5/5/3QN b - - 0 1", "1q3/5/5/5/1N1N1 w - - 0 1"] {
        assert!(same(&ambush.parse_position(fen).unwrap()) > 5_000, "{fen}");
    }
    for parameters in ["tiers=2,molecules=2,tokens=2", "tiers=3,molecules=1,tokens=3"] {
        let game = jewel_engine::crystal::CrystalGame::with_parameters(parameters).unwrap();
        assert!(same(&game.start()) > 1_000, "{parameters}");
    }
    // Pawns that promote, or need not; rooks.
    for (start, optional) in [("pp1p/4/4/P1PP w - - 0 1", false), ("1r1p/4/4/PR2 w - - 0 1", true)] {
        let text = format!(
            r#"
            id = "pawns"
            name = "Pawns and rooks"
            [board]
            size = "4x4"
            start = "{start}"
            [[piece]]
            letter = "P"
            moves = "mfWcfF"
            promotion = {{ zone = {{ w = ["rank 4"], b = ["rank 1"] }}, to = "R", optional = {optional} }}
            [[piece]]
            letter = "R"
            moves = "R"
            [end]
            bare = "loss"
            stalemate = "loss"
            "#
        );
        let rules = Rules::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let positions = with_leanest_game!(&rules, game => same(&game.start()));
        assert!(positions > 500, "{start}: {positions}");
    }
}

/// A folded graph gives every position, and every image of one, the value that the whole graph gives it.
fn folded_agrees<P: Packed + Symmetric>(root: &P) {
    let solution = solved(root);
    let folded = |threads| {
        with_threads(threads, || {
            Control::with_limits(Limits::default(), |control| {
                let mut graph = Graph::folded(root.clone()).unwrap();
                graph.enumerate(control)?;
                graph.solve(control)
            })
            .unwrap()
        })
    };
    let orbits = folded(1);
    checked(&orbits).unwrap();
    let mut images = HashMap::new();
    for part in 0..solution.parts() {
        for (position, value) in solution.part(part) {
            assert_eq!(orbits.value(&position), Some(value), "{position:?}");
            for (image, exchanged) in position.images() {
                if !exchanged || root.has_unmoves() && root.sides_are_alike() {
                    assert_eq!(orbits.value(&image), Some(value), "{image:?}");
                    images.insert(image, value);
                }
            }
        }
    }
    let count = |outcome| images.values().filter(|value| value.outcome() == outcome).count() as u64;
    let counts = orbits.unfolded_counts();
    let expected = [Outcome::Win, Outcome::Draw, Outcome::Loss].map(count);
    assert_eq!([counts.wins, counts.draws, counts.losses], expected);
    assert!(orbits.counts().positions() < images.len() as u64, "nothing is folded");
    assert_eq!(orbits.line(root).unwrap().plies.len(), solution.line(root).unwrap().plies.len());
    let two = folded(2);
    assert_eq!((two.counts(), two.edges()), (orbits.counts(), orbits.edges()));
    let longest = orbits.longest_win().and_then(|position| orbits.value(&position)?.distance());
    assert_eq!(longest, orbits.counts().longest_win);
}

#[test]
fn folded_games_have_the_same_values() {
    let ambush = ChessGame::<Leapers, 4>::new(games::find("ambush").unwrap().rules()).unwrap();
    for fen in [AMBUSH, "1q3/5/5/5/1N1N1 w - - 0 1", "2n2/5/5/5/2N2 w - - 0 1"] {
        folded_agrees(&ambush.parse_position(fen).unwrap());
    }
    for parameters in
        ["tiers=2,molecules=2,tokens=2", "tiers=2,molecules=3,tokens=2", "tiers=3,molecules=1,tokens=3"]
    {
        folded_agrees(&jewel_engine::crystal::CrystalGame::with_parameters(parameters).unwrap().start());
    }
    // Games that take moves back and one that cannot, for its captures are compulsory.
    for rule in ["must-capture = false", "must-capture = true"] {
        let text = format!(
            r#"
            id = "rooks"
            name = "Rooks and knights"
            {rule}
            [board]
            size = "3x4"
            start = "rnr/3/3/RNR w - - 0 1"
            [[piece]]
            letter = "R"
            moves = "W"
            [[piece]]
            letter = "N"
            moves = "N"
            [end]
            bare = "loss"
            "#
        );
        let rules = Rules::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        with_leanest_game!(&rules, game => {
            let root = game.parse_position("rn1/3/3/1NR w - - 0 1").unwrap();
            assert_eq!(root.has_unmoves(), rule.ends_with("false"));
            folded_agrees(&root);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_graphs_agree_with_brute_force(toy in toys(24)) {
        let solution = agrees(&toy).map_err(TestCaseError::fail)?;
        for at in 0..toy.nodes.len() {
            let position = Toy { nodes: toy.nodes.clone(), at };
            if solution.value(&position).is_some() {
                negamax_agrees(&solution, &position, 4).map_err(TestCaseError::fail)?;
            }
        }
    }

    #[test]
    fn random_graphs_in_blocks_agree_with_brute_force(toy in toys(60)) {
        agrees(&Backwards::new(toy)).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn lines_are_best_play(toy in toys(24)) {
        let solution = solved(&toy);
        let line = solution.line(&toy).unwrap();
        let mut position = toy.clone();
        let mut seen = vec![position.clone()];
        for ply in &line.plies {
            let children = solution.moves(&position).unwrap();
            prop_assert!(children.windows(2).all(|pair| pair[0].value >= pair[1].value));
            let value = solution.value(&position).unwrap();
            prop_assert_eq!(ply.value, value);
            prop_assert_eq!(children[0].value, value);
            let chosen = children.iter().find(|child| child.mv == ply.mv).unwrap();
            prop_assert_eq!(chosen.value, value);
            let same = children.iter().filter(|child| child.value.outcome() == value.outcome()).count();
            prop_assert_eq!(ply.forced, same == 1);
            position.play(ply.mv);
            seen.push(position.clone());
        }
        match line.end {
            LineEnd::Over(outcome) => prop_assert_eq!(position.outcome(), Some(outcome)),
            LineEnd::Repetition(index) => prop_assert_eq!(&seen[index], &position),
        }
        if let Some(distance) = solution.root_value().distance() {
            prop_assert_eq!(line.plies.len(), distance as usize);
        }
    }
}
