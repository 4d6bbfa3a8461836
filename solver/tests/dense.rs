//! Dense tables of games with pieces in hand, against the graph of all positions.

use jewel_engine::ability::Game;
use jewel_engine::chesslike::{AnyChessLike, ChessGame};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_solver::control::{Control, Limits};
use jewel_solver::dense::{self, DenseTable, Failure, Unsuitable};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// A mini game: a board, a start, pieces and rules.
fn mini(size: &str, start: &str, pieces: &[&str], rest: &str) -> Rules {
    let pieces: String = pieces.iter().map(|piece| format!("[[piece]]\n{piece}\n")).collect();
    let text = format!(
        "name = \"Mini\"\n[board]\nsize = \"{size}\"\nstart = \"{start} w - - 0 1\"\n{pieces}{rest}\n"
    );
    Rules::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const LION: &str = "letter = \"L\"\nmoves = \"K\"\nroyal = \"capture\"";
const KING: &str = "letter = \"K\"\nmoves = \"K\"\nroyal = true";
const CHICK: &str = "letter = \"C\"\nmoves = \"fW\"\npromotion = { zone = { w = [\"rank 3\"], b = [\"rank 1\"] }, to = \"+C\" }";
const HEN: &str = "letter = \"+C\"\nmoves = \"WfF\"";
const TRY: &str =
    "[key]\ngoals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"try\"\neligible = \"L\"";

fn games() -> Vec<(&'static str, Rules)> {
    let flip = "letter = \"G\"\nmoves = \"W\"\npromotion = { zone = { w = [\"a1-c3\"], b = [\"a1-c3\"] }, to = \"+G\" }";
    let back = "letter = \"+G\"\nmoves = \"F\"\npromotion = { zone = { w = [\"a1-c3\"], b = [\"a1-c3\"] }, to = \"G\" }\ndrop = {}";
    let pawn = "letter = \"P\"\nmoves = \"fW\"\ndrop = { zone = { w = [\"a1-c2\"], b = [\"a2-c3\"] }, per-file = 1, mate = false }\npromotion = { zone = { w = [\"rank 3\"], b = [\"rank 1\"] }, to = \"+P\" }";
    let gold = "letter = \"+P\"\nmoves = \"WfF\"";
    vec![
        (
            "one chick each",
            mini(
                "3x3",
                "clc/3/CLC[]",
                &[LION, CHICK, HEN],
                &format!("{TRY}\n[hand]\n[end]\nstalemate = \"loss\""),
            ),
        ),
        ("kings and pawns", mini("3x3", "pk1/3/1KP[]", &[KING, pawn, gold], "[hand]\n")),
        (
            "flips, with either face",
            mini("3x3", "gl1/3/1LG[]", &[LION, flip, back], "[hand]\n[end]\nstalemate = \"loss\""),
        ),
        (
            "captures go back",
            mini(
                "3x3",
                "gl1/3/1LG[]",
                &[LION, flip, back],
                "[hand]\ncaptures = \"owner\"\nbeside-own = true\n",
            ),
        ),
        (
            "a reserve",
            mini(
                "3x3",
                "1k1/3/1K1[Rr]",
                &[KING, "letter = \"R\"\nmoves = \"R\""],
                "[hand]\ncaptures = \"nobody\"\n",
            ),
        ),
        // No exchange of sides: White has the stronger piece.
        (
            "unlike sides",
            mini(
                "3x3",
                "ak1/3/1KG[]",
                &[KING, "letter = \"G\"\nmoves = \"WF\"", "letter = \"A\"\nmoves = \"F\""],
                "[hand]\n[end]\nstalemate = \"loss\"",
            ),
        ),
        (
            "no royal piece",
            mini(
                "2x3",
                "ga/2/AG[]",
                &["letter = \"G\"\nmoves = \"W\"", "letter = \"A\"\nmoves = \"F\""],
                "[hand]\n[key]\ngoals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"hold\"\n",
            ),
        ),
    ]
}

fn graph<'r>(rules: &'r Rules) -> Solution<AnyChessLike<'r>, [u64; 4]> {
    Control::with_limits(Limits::default(), |control| {
        let mut graph = Graph::new(ChessGame::from_any(rules).start());
        graph.enumerate(control)?;
        graph.solve(control)
    })
    .unwrap()
}

fn reachable(rules: &Rules) -> Vec<AnyChessLike<'_>> {
    let start = ChessGame::from_any(rules).start();
    let mut seen = HashSet::from([start]);
    let mut list = vec![start];
    let mut next = 0;
    while next < list.len() {
        let position = list[next];
        next += 1;
        if position.outcome().is_none() {
            let after = list_moves(&position).into_iter().map(|mv| position.after(mv));
            list.extend(after.filter(|child| seen.insert(*child)));
        }
    }
    list
}

fn solve(rules: &Rules) -> Result<DenseTable<'_>, Failure> {
    let mut table = DenseTable::new(rules, u64::MAX)?;
    table.solve(&AtomicBool::new(false), &mut |_, _| true)?;
    Ok(table)
}

#[test]
fn values_are_those_of_the_graph() {
    for (name, rules) in games() {
        let table = solve(&rules).unwrap_or_else(|e| panic!("{name}: {e}"));
        let graph = graph(&rules);
        let positions = reachable(&rules);
        assert!(positions.len() > 1000, "{name}: {}", positions.len());
        for position in &positions {
            let found = table.value(position);
            assert_eq!(found, graph.value(position), "{name}: {position:?}");
        }
        table.verify(1, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let decided = positions.iter().filter(|p| !matches!(graph.value(p), Some(Value::Draw))).count();
        assert!(decided > 100, "{name}: {decided}");
    }
}

/// Mirror images and exchanges of sides are found by the test itself.
#[test]
fn counts_are_those_of_the_positions() {
    for (name, rules) in games() {
        let table = solve(&rules).unwrap();
        let [one, two] = table.counts();
        let royal = rules.royal.or(rules.captured_royal);
        let here = |p: &AnyChessLike<'_>| royal.is_none_or(|r| p.pieces(p.side_to_move(), r).any());
        let mut turned = HashSet::new();
        let mut folded = HashSet::new();
        for position in reachable(&rules).iter().filter(|p| here(p)) {
            use jewel_engine::ability::Symmetric;
            let upright = |s: &jewel_engine::symmetry::Symmetry| !s.transpose;
            let images: Vec<_> = position
                .symmetries()
                .into_iter()
                .filter_map(|(s, e)| Some(((s, e), position.transformed(s, e)?)))
                .collect();
            // With White to move, if sides can be exchanged: by the first such symmetry.
            let swap = images.iter().find(|((_, exchange), _)| *exchange);
            let seen = match swap {
                Some((_, image)) if position.side_to_move() == jewel_engine::value::Side::Black => *image,
                _ => *position,
            };
            // Without the number of the move.
            let text = |p: &AnyChessLike<'_>| p.to_fen().split(' ').take(3).collect::<Vec<_>>().join(" ");
            let fen = text(&seen);
            turned.insert(fen.clone());
            let mirror = seen
                .symmetries()
                .into_iter()
                .find(|(s, e)| upright(s) && s.mirror_files && !s.mirror_ranks && !e);
            let image = mirror.filter(|_| royal.is_some()).and_then(|(s, e)| seen.transformed(s, e));
            folded.insert(image.map_or(fen.clone(), |image| text(&image).min(fen)));
        }
        assert_eq!(one.positions(), folded.len() as u64, "{name}");
        // Cells hold a position and its mirror image, also where moves lead to only one of them.
        assert!(two.positions() >= turned.len() as u64 && two.positions() <= 2 * one.positions(), "{name}");
    }
}

#[test]
fn other_games_and_limits_are_refused() {
    let chess = jewel_engine::games::find("chess").unwrap().rules();
    assert_eq!(dense::plan(chess), Err(Unsuitable::NoHands));
    let (_, rules) = games().swap_remove(0);
    let plan = dense::plan(&rules).unwrap();
    assert!(plan.classes > 10 && plan.cells > 10_000, "{plan:?}");
    let refused = DenseTable::new(&rules, 1000).unwrap_err();
    assert!(refused.to_string().contains("the limit is 1000"), "{refused}");
}

/// Interrupted at every level, saved and loaded again, a table is the same; and what is damaged is refused.
#[test]
fn a_table_goes_on_from_its_file() {
    let (_, rules) = games().swap_remove(0);
    let bytes = |table: &DenseTable<'_>| {
        let mut bytes = vec![];
        table.save(&mut bytes).unwrap();
        bytes
    };
    let load = |bytes: &[u8]| DenseTable::load(&rules, u64::MAX, &mut { bytes });
    let whole = solve(&rules).unwrap();
    let expected = bytes(&whole);
    let mut table = DenseTable::new(&rules, u64::MAX).unwrap();
    assert_eq!(table.solve(&AtomicBool::new(true), &mut |_, _| true), Err(Failure::Interrupted));
    let mut stops = 0;
    loop {
        match table.solve(&AtomicBool::new(false), &mut |_, _| false) {
            Ok(()) => break,
            Err(error) => assert_eq!(error, Failure::Interrupted),
        }
        stops += 1;
        table = load(&bytes(&table)).unwrap();
    }
    assert!(stops > 5, "{stops}");
    assert!(bytes(&table) == expected);
    let read = load(&expected).unwrap();
    read.verify(1, &AtomicBool::new(false)).unwrap();
    for at in [0, 9, 17, 25, 100, expected.len() - 1] {
        let mut damaged = expected.clone();
        damaged[at] ^= 1;
        assert!(load(&damaged).is_err(), "byte {at}");
        assert!(load(&expected[..at]).is_err(), "cut at {at}");
    }
    let (_, other) = games().swap_remove(1);
    assert!(DenseTable::load(&other, u64::MAX, &mut &expected[..]).is_err());
}
