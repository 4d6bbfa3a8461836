//! The results of the variant files in `examples/variants`.

use crate::common::{brute_force, solved};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::position::Position;
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::solution::Counts;
use jewel_solver::state::{load, save};
use jewel_solver::verify::verify;

fn rules(name: &str) -> Rules {
    let path = format!("{}/../examples/variants/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Rules::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Solves and verifies; small games against brute force too.
struct Solve<'a>(Option<&'a str>);

impl Solve<'_> {
    /// Root value, counts, and the value of each first move, best first.
    fn visit<G>(self, game: G) -> (Value, Counts, Vec<(String, Value)>)
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        use jewel_engine::ability::Notation;
        let root = self.0.map_or_else(|| game.start(), |fen| game.parse_position(fen).unwrap());
        let solution = solved(&root);
        Control::with_limits(Limits::default(), |control| verify(&solution, control)).unwrap();
        if solution.counts().positions() < 2_000 {
            let expected = brute_force(&root);
            assert_eq!(solution.counts().positions(), expected.len() as u64);
            assert!(expected.iter().all(|(position, value)| solution.value(position) == Some(*value)));
        }
        // The image of the root has the value of the root.
        for (symmetry, exchange) in root.symmetries() {
            if let Some(image) = root.transformed(symmetry, exchange) {
                assert_eq!(solved(&image).root_value(), solution.root_value());
                assert_eq!(image.outcome(), root.outcome());
            }
        }
        let children = solution.moves(&root).unwrap();
        let moves = children.iter().map(|child| (root.move_text(child.mv), child.value)).collect();
        (solution.root_value(), solution.counts(), moves)
    }
}

fn counts(wins: u64, draws: u64, losses: u64, longest_win: u32) -> Counts {
    Counts { wins, draws, losses, longest_win: Some(longest_win) }
}

#[test]
fn duel_on_4x4_is_lost_by_the_first_player() {
    let (value, found, moves) = with_leanest_game!(&rules("duel-4x4"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Loss(5), counts(376, 0, 136, 4)));
    assert!(moves.iter().all(|(_, value)| *value == Value::Loss(5)), "{moves:?}");
}

#[test]
fn duel_on_3x5_is_a_draw() {
    let (value, found, moves) = with_leanest_game!(&rules("duel-3x5"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Draw, counts(244, 152, 54, 6)));
    assert!(moves.iter().all(|(_, value)| *value == Value::Draw), "{moves:?}");
}

#[test]
fn duel_on_5x5_is_a_draw_that_four_moves_lose() {
    let (value, found, moves) = with_leanest_game!(&rules("duel-5x5"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Draw, counts(124_444, 33_036, 23_770, 14)));
    let lost = moves.iter().filter(|(_, value)| value.distance().is_some());
    let lost: Vec<(&str, Value)> = lost.map(|(text, value)| (text.as_str(), *value)).collect();
    let (slow, fast) = (Value::Loss(13), Value::Loss(8));
    assert_eq!(lost, [("a1c1", slow), ("e1c1", slow), ("a1a3", fast), ("e1e3", fast)]);
    assert_eq!(moves.len(), 8);
}

#[test]
fn duel_on_5x5_with_one_lancer_a_side_is_drawn_by_every_move() {
    let (value, found, moves) =
        with_leanest_game!(&rules("duel-5x5"), game => Solve(Some("l4/5/5/5/4L w - - 0 1")).visit(game));
    assert_eq!((value, found), (Value::Draw, counts(576, 576, 98, 6)));
    assert!(moves.iter().all(|(_, value)| *value == Value::Draw), "{moves:?}");
}

/// Gardner made Hexapawn as a win for the second player: White loses in three moves.
#[test]
fn hexapawn_is_lost_by_the_first_player() {
    let (value, found, moves) = with_leanest_game!(&rules("hexapawn"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Loss(6), counts(55, 0, 80, 5)));
    assert_eq!(moves[0], ("b1b2".to_string(), Value::Loss(6)));
}

/// Octopawn is published as a forced win for the first player.
#[test]
fn octopawn_is_won_by_the_first_player() {
    let (value, found, moves) = with_leanest_game!(&rules("octopawn"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Win(11), counts(8336, 0, 11950, 11)));
    let wins: Vec<&str> = moves.iter().filter(|m| m.1 == Value::Win(11)).map(|m| m.0.as_str()).collect();
    assert_eq!(wins, ["a1a2", "d1d2"]);
}

/// The Hounds win, as is well known.
#[test]
fn hounds_hem_in_the_fox() {
    let (value, found, _) = with_leanest_game!(&rules("fox-and-hounds"), game => Solve(None).visit(game));
    assert_eq!((value, found), (Value::Loss(44), counts(439_003, 0, 456_277, 43)));
}

/// Hexapawn on 5x5 squares: 3,210,411 positions.
fn hexapawn_5x5() -> Rules {
    let path = format!("{}/../examples/variants/hexapawn.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap().replace("3x3", "5x5").replace("rank 3", "rank 5");
    Rules::parse(&text.replace("ppp/3/PPP w", "ppppp/5/5/5/PPPPP w")).unwrap()
}

#[test]
fn a_state_fits_where_its_graph_did() {
    // Pawns that block each other leave runs empty, so that the graph is kept by keys.
    with_leanest_game!(&hexapawn_5x5(), game => {
        let empty = || jewel_solver::graph::Graph::new(game.start()).unwrap();
        let mut graph = empty();
        let limits = Limits { max_positions: 1_000_000, memory: 40 << 20 };
        let stopped = Control::with_limits(limits, |control| graph.enumerate(control));
        assert!(matches!(stopped, Err(Stop::Positions { .. })), "{stopped:?}");
        let path = std::env::temp_dir().join(format!("jewel-sparse-{}.state", std::process::id()));
        save(&graph, 5, &path).unwrap();
        let read = Control::with_limits(limits, |control| load(empty(), 5, &path, control).map(|graph| graph.positions()));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.unwrap(), 1_000_000);
    });
}

/// Bytes of a position once all are found.
fn bytes_each(rules: &Rules, start: &str) -> f64 {
    with_leanest_game!(rules, game => {
        let mut graph = jewel_solver::graph::Graph::new(game.parse_position(start).unwrap()).unwrap();
        Control::with_limits(Limits::default(), |control| graph.enumerate(control)).unwrap();
        graph.bytes() as f64 / graph.positions() as f64
    })
}

#[test]
fn positions_take_few_bytes_wherever_pieces_go() {
    // Pawns that block each other leave runs empty, so that keys take less.
    let each = bytes_each(&hexapawn_5x5(), "ppppp/5/5/5/PPPPP w - - 0 1");
    assert!(each < 20.0, "{each}");
    // Runs are half empty in the end, and nearly empty on the way: 4,526,920 positions.
    let ambush = jewel_engine::games::find("ambush").unwrap().rules();
    let each = bytes_each(ambush, "nlq2/5/5/5/2LQ1 b - - 0 1");
    assert!(each < 10.0, "{each}");
}
