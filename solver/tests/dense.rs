//! Dense tables of games with pieces in hand, against the graph of all positions.

use jewel_engine::ability::{Game, Symmetric};
use jewel_engine::chesslike::{AnyChessLike, ChessGame};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::value::{Side, Value};
use jewel_engine::variant::Rules;
use jewel_solver::control::{Control, Limits};
use jewel_solver::dense::{self, Among, DenseReader, DenseTable, Failure, Unsuitable};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A mini game: a board, a start, pieces and rules.
fn mini(size: &str, start: &str, pieces: &[&str], rest: &str) -> Rules {
    let text = mini_text(size, start, pieces, rest);
    Rules::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn mini_text(size: &str, start: &str, pieces: &[&str], rest: &str) -> String {
    let pieces: String = pieces.iter().map(|piece| format!("[[piece]]\n{piece}\n")).collect();
    format!("name = \"Mini\"\n[board]\nsize = \"{size}\"\nstart = \"{start} w - - 0 1\"\n{pieces}{rest}\n")
}

const LION: &str = "letter = \"L\"\nmoves = \"K\"\nroyal = \"capture\"";
const KING: &str = "letter = \"K\"\nmoves = \"K\"\nroyal = true";
const CHICK: &str = "letter = \"C\"\nmoves = \"fW\"\npromotion = { zone = { w = [\"rank 3\"], b = [\"rank 1\"] }, to = \"+C\" }";
const HEN: &str = "letter = \"+C\"\nmoves = \"WfF\"";
const TRY: &str =
    "[key]\ngoals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"try\"\neligible = \"L\"";

/// A lion, a chick and no other piece each.
fn chicks(size: &str, start: &str) -> Rules {
    let rest = format!("{TRY}\n[hand]\n[end]\nstalemate = \"loss\"");
    mini(size, start, &[LION, CHICK, HEN], &rest)
}

/// The same with two chicks each, which has 2,479,564 positions.
fn two_chicks() -> Rules {
    chicks("3x3", "clc/3/CLC[]")
}

fn games() -> Vec<(&'static str, Rules)> {
    let flip = "letter = \"G\"\nmoves = \"W\"\npromotion = { zone = { w = [\"a1-c3\"], b = [\"a1-c3\"] }, to = \"+G\" }";
    let back = "letter = \"+G\"\nmoves = \"F\"\npromotion = { zone = { w = [\"a1-c3\"], b = [\"a1-c3\"] }, to = \"G\" }\ndrop = {}";
    let pawn = "letter = \"P\"\nmoves = \"fW\"\ndrop = { zone = { w = [\"a1-c2\"], b = [\"a2-c3\"] }, per-file = 1, mate = false }\npromotion = { zone = { w = [\"rank 3\"], b = [\"rank 1\"] }, to = \"+P\" }";
    let gold = "letter = \"+P\"\nmoves = \"WfF\"";
    vec![
        ("one chick each", chicks("2x3", "cl/2/LC[]")),
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

/// A game with what several tests compare its table with.
struct Known {
    name: &'static str,
    rules: &'static Rules,
    positions: Vec<AnyChessLike<'static>>,
    /// [`folded_text`] of each position.
    texts: Vec<(String, String)>,
    graph: Solution<AnyChessLike<'static>>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = |(name, rules): (&'static str, Rules)| {
        let rules = rules.leak();
        let positions = reachable(rules);
        let texts = positions.iter().map(folded_text).collect();
        Known { name, rules, positions, texts, graph: graph(rules) }
    };
    games().into_iter().map(known).collect()
});

impl Known {
    /// Whether the side to move has its royal piece, where the rules have one.
    fn has_royal(&self, position: &AnyChessLike<'_>) -> bool {
        let royal = self.rules.royal.or(self.rules.captured_royal);
        royal.is_none_or(|royal| position.pieces(position.side_to_move(), royal).any())
    }
}

fn graph<'r>(rules: &'r Rules) -> Solution<AnyChessLike<'r>> {
    Control::with_limits(Limits::default(), |control| {
        let mut graph = Graph::new(ChessGame::from_any(rules).start()).unwrap();
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

/// The images of a position under the symmetries that exchange the sides, or under those that do not.
fn images<'r>(of: &AnyChessLike<'r>, exchange: bool) -> Vec<(Symmetry, AnyChessLike<'r>)> {
    let each = of.symmetries().into_iter().filter(|(_, e)| *e == exchange);
    each.filter_map(|(s, e)| Some((s, of.transformed(s, e)?))).collect()
}

/// A position with White to move, if sides can be exchanged, by the first such symmetry; and the lesser of that and its mirror
/// image, if there is a royal piece. Without the number of the move.
fn folded_text(position: &AnyChessLike<'_>) -> (String, String) {
    let swap = images(position, true).into_iter().next();
    let seen = match swap {
        Some((_, image)) if position.side_to_move() == Side::Black => image,
        _ => *position,
    };
    let text = |p: &AnyChessLike<'_>| p.to_fen().split(' ').take(3).collect::<Vec<_>>().join(" ");
    let royal = position.rules().royal.or(position.rules().captured_royal);
    let mut mirrors = images(&seen, false).into_iter();
    let mirror = mirrors.find(|(s, _)| s.mirror_files && !s.mirror_ranks && !s.transpose);
    let fen = text(&seen);
    let both =
        mirror.filter(|_| royal.is_some()).map_or(fen.clone(), |(_, image)| text(&image).min(fen.clone()));
    (fen, both)
}

/// The positions that are reached if the royal piece is always captured at once, up to symmetry, and how many of them are without
/// such a capture and not over.
fn reached_at_once(rules: &Rules) -> (Vec<AnyChessLike<'_>>, u64) {
    let royal = rules.captured_royal.unwrap();
    let start = ChessGame::from_any(rules).start();
    let (mut known, mut seen) = (HashSet::from([start]), HashSet::from([folded_text(&start).1]));
    let (mut quiet, mut list) = (0, vec![start]);
    let mut next = 0;
    while next < list.len() {
        let position = list[next];
        next += 1;
        let enemy = position.pieces(!position.side_to_move(), royal);
        let moves = list_moves(&position);
        if position.outcome().is_some() || moves.iter().any(|mv| enemy.has(mv.to)) {
            continue;
        }
        quiet += 1;
        let after = moves.into_iter().map(|mv| position.after(mv));
        // Most have been seen as they are, and it takes long to find the image.
        list.extend(after.filter(|child| known.insert(*child) && seen.insert(folded_text(child).1)));
    }
    (list, quiet)
}

fn solve(rules: &Rules) -> Result<DenseTable<'_>, Failure> {
    let mut table = DenseTable::new(rules, u64::MAX)?;
    table.solve(&AtomicBool::new(false), &mut |_, _| true)?;
    table.reach(&AtomicBool::new(false))?;
    Ok(table)
}

#[test]
fn values_are_those_of_the_graph() {
    for Known { name, rules, positions, graph, .. } in KNOWN.iter() {
        let table = solve(rules).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(positions.len() > 1000, "{name}: {}", positions.len());
        for position in positions {
            let found = table.value(position);
            assert_eq!(found, graph.value(position), "{name}: {position:?}");
        }
        table.verify(1, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let decided = positions.iter().filter(|p| !matches!(graph.value(p), Some(Value::Draw))).count();
        assert!(decided > 100, "{name}: {decided}");
    }
}

/// Random pieces, boards, promotions and rules: the table, the graph and the check by the rules agree on every position.
#[test]
fn random_games_agree_with_the_graph() {
    let moves = ["W", "F", "fW", "fF", "WfF", "FfW", "bW", "R", "ffN", "sW"];
    let mut random = Random::new(35);
    let mut sizes = vec![];
    let mut refused = 0;
    while sizes.len() < 16 {
        let game = sizes.len();
        let mut pick = |n: usize| random.below(n as u32) as usize;
        let board = ["2x3", "3x3", "2x4"][pick(3)];
        let ranks: usize = board[2..].parse().unwrap();
        let wide = board.starts_with('3');
        let royal = if pick(2) == 0 { LION } else { KING };
        let leader = royal.as_bytes()[10] as char;
        let piece = |letter: &str, moves: &str, more: &str| {
            format!("letter = \"{letter}\"\nmoves = \"{moves}\"\n{more}")
        };
        let all = format!("a1-{}{ranks}", if wide { 'c' } else { 'b' });
        let zone = format!("zone = {{ w = [\"{all}\"], b = [\"{all}\"] }}");
        let last = format!("zone = {{ w = [\"rank {ranks}\"], b = [\"rank 1\"] }}");
        let (front, back) = (moves[pick(moves.len())], moves[pick(moves.len())]);
        let pieces = match pick(3) {
            0 => vec![piece("A", front, "")],
            1 => vec![
                piece("A", front, &format!("promotion = {{ {last}, to = \"+A\", optional = true }}")),
                piece("+A", back, ""),
            ],
            _ => vec![
                piece("A", front, &format!("promotion = {{ {zone}, to = \"+A\", on-capture = true }}")),
                piece(
                    "+A",
                    back,
                    &format!("promotion = {{ {zone}, to = \"A\", on-capture = true }}\ndrop = {{}}"),
                ),
            ],
        };
        let empty = if wide { "3" } else { "2" };
        let (top, bottom) = match (wide, pick(2)) {
            (true, 0) => (format!("a{}1", leader.to_ascii_lowercase()), format!("1{leader}A")),
            (true, _) => (format!("1{}a", leader.to_ascii_lowercase()), format!("1{leader}A")),
            (false, _) => (format!("a{}", leader.to_ascii_lowercase()), format!("{leader}A")),
        };
        let middle = vec![empty; ranks - 2].join("/");
        let start = format!("{top}/{middle}/{bottom}[]");
        let captures = ["captor", "captor", "owner", "nobody"][pick(4)];
        let stalemate = ["loss", "draw"][pick(2)];
        let goal = if pick(2) == 0 && royal == LION {
            format!(
                "[key]\ngoals = {{ w = [\"rank {ranks}\"], b = [\"rank 1\"] }}\nobjective = \"{}\"\neligible = \"L\"\n",
                ["try", "reach", "hold"][pick(3)]
            )
        } else {
            String::new()
        };
        let rest = format!("{goal}[hand]\ncaptures = \"{captures}\"\n[end]\nstalemate = \"{stalemate}\"");
        let pieces: Vec<&str> = std::iter::once(royal).chain(pieces.iter().map(String::as_str)).collect();
        // A start in which the king could be captured is none.
        let Ok(rules) = Rules::parse(&mini_text(board, &start, &pieces, &rest)) else {
            refused += 1;
            continue;
        };
        let table = solve(&rules).unwrap_or_else(|e| panic!("{game}: {e}"));
        let graph = graph(&rules);
        let positions = reachable(&rules);
        for position in &positions {
            assert_eq!(table.value(position), graph.value(position), "{game}: {position:?}\n{rest}");
        }
        table.verify(1, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{game}: {e}"));
        sizes.push(positions.len());
    }
    assert!(refused < 16, "{refused}");
    assert!(sizes.iter().filter(|size| **size > 500).count() >= 8, "{sizes:?}");
}

/// Mirror images and exchanges of sides are found by the test itself.
#[test]
fn counts_are_those_of_the_positions() {
    for known in KNOWN.iter() {
        let Known { name, rules, positions, texts, .. } = known;
        let table = solve(rules).unwrap();
        let [one, two] = table.counts().every;
        let mut turned = HashSet::new();
        let mut folded = HashSet::new();
        for (_, (seen, both)) in positions.iter().zip(texts).filter(|(position, _)| known.has_royal(position))
        {
            turned.insert(seen);
            folded.insert(both);
        }
        assert_eq!(one.positions(), folded.len() as u64, "{name}");
        let at_once = table.counts().at_once;
        assert_eq!(at_once.is_some(), rules.captured_royal.is_some(), "{name}");
        if let Some([at_once, _]) = at_once {
            assert!(at_once.positions() < one.positions(), "{name}");
            assert_eq!(at_once.quiet, reached_at_once(rules).1, "{name}");
        }
        // Cells hold a position and its mirror image, also where moves lead to only one of them.
        assert!(two.positions() >= turned.len() as u64 && two.positions() <= 2 * one.positions(), "{name}");
    }
}

/// Counts by distance are those of the graph, and each position is listed once and with its value.
#[test]
fn histograms_are_those_of_the_graph() {
    let never = AtomicBool::new(false);
    for known in KNOWN.iter() {
        let Known { name, rules, positions, texts, graph } = known;
        let mut table = DenseTable::new(rules, u64::MAX).unwrap();
        table.solve(&never, &mut |_, _| true).unwrap();
        let cells = table.histogram(Among::Cells, 3, &never).unwrap();
        let sum = |counts: &[u64]| counts.iter().sum::<u64>();
        assert_eq!([sum(&cells.wins), cells.draws, sum(&cells.losses)], table.cell_counts(), "{name}");
        assert_eq!(cells.longest_wins[0].plies, table.longest_of_cells().unwrap().0, "{name}");
        table.reach_at_once(&never).unwrap();
        let at_once = table.histogram(Among::AtOnce, usize::MAX, &never).unwrap();
        table.reach(&never).unwrap();
        assert_eq!(table.histogram(Among::AtOnce, usize::MAX, &never).unwrap(), at_once, "{name}");
        let every = table.histogram(Among::Reached, usize::MAX, &never).unwrap();
        let valued = |(p, text): (&AnyChessLike<'static>, String)| (text, graph.value(p).unwrap());
        let all = positions.iter().zip(texts).filter(|(position, _)| known.has_royal(position));
        let all: HashMap<String, Value> = all.map(|(p, (_, both))| valued((p, both.clone()))).collect();
        let at_once_too = rules.captured_royal.map(|_| {
            let positions = reached_at_once(rules).0;
            (at_once, positions.iter().map(|p| valued((p, folded_text(p).1))).collect())
        });
        for (found, values) in [(every, all)].into_iter().chain(at_once_too) {
            let count = |value| values.values().filter(|v| **v == value).count() as u64;
            assert_eq!(found.draws, count(Value::Draw), "{name}");
            for (counts, list, value) in [
                (&found.wins, &found.longest_wins, Value::Win as fn(u32) -> Value),
                (&found.losses, &found.longest_losses, Value::Loss),
            ] {
                let expected: Vec<u64> = (0..counts.len() as u32).map(|plies| count(value(plies))).collect();
                assert_eq!(counts, &expected, "{name}");
                let listed: HashSet<String> = list
                    .iter()
                    .map(|far| {
                        let position = AnyChessLike::from_fen(rules, &far.position).unwrap();
                        assert_eq!(values[&folded_text(&position).1], value(far.plies), "{name}");
                        folded_text(&position).1
                    })
                    .collect();
                assert_eq!(listed.len(), list.len(), "{name}");
                assert_eq!(list.len() as u64, sum(counts), "{name}");
                assert!(list.is_sorted_by_key(|far| Reverse(far.plies)), "{name}");
            }
            let decided = found.longest_wins.len() + found.longest_losses.len();
            assert_eq!(decided as u64 + found.draws, values.len() as u64, "{name}");
        }
    }
}

#[test]
fn other_games_and_limits_are_refused() {
    let chess = jewel_engine::games::find("chess").unwrap().rules();
    assert_eq!(dense::plan(chess), Err(Unsuitable::NoHands));
    let rules = two_chicks();
    let plan = dense::plan(&rules).unwrap();
    assert!(plan.classes > 10 && plan.cells > 10_000, "{plan:?}");
    let refused = DenseTable::new(&rules, 1000).unwrap_err();
    assert!(refused.to_string().contains("the limit is 1000"), "{refused}");
}

/// The file of a table.
fn bytes(table: &DenseTable<'_>) -> Vec<u8> {
    let mut bytes = vec![];
    table.save(&mut bytes).unwrap();
    bytes
}

/// Interrupted at every level, saved and loaded again, a table is the same; and what is damaged is refused.
#[test]
fn a_table_goes_on_from_its_file() {
    let rules = two_chicks();
    let load = |bytes: &[u8]| DenseTable::load(&rules, u64::MAX, Box::new(bytes.to_vec()));
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
    let unfinished = {
        let mut table = DenseTable::new(&rules, u64::MAX).unwrap();
        let mut levels = 0;
        let stopped = table.solve(&AtomicBool::new(false), &mut |_, _| {
            levels += 1;
            levels < 4
        });
        assert_eq!(stopped, Err(Failure::Interrupted));
        bytes(&table)
    };
    for whole in [&expected, &unfinished] {
        let (middle, last) = (whole.len() / 2, whole.len() - 1);
        for at in [0, 9, 13, 17, 25, 33, 50, 5000, middle, last - 10, last] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(load(&damaged).is_err(), "byte {at}");
            assert!(load(&whole[..at]).is_err(), "cut at {at}");
        }
        let (_, other) = games().swap_remove(1);
        assert!(DenseTable::load(&other, u64::MAX, Box::new(whole.clone())).is_err());
    }
    let refused = DenseReader::open(&rules, Box::new(unfinished.clone())).unwrap_err();
    assert_eq!(refused.to_string(), "the table is not finished");
    assert!(expected.len() < unfinished.len() / 2, "{} of {} bytes", expected.len(), unfinished.len());
}

/// Read block by block from its file, a table has the same values; damaged, it has none or says that it is.
#[test]
fn a_table_is_read_block_by_block() {
    for (name, rules) in games() {
        let table = solve(&rules).unwrap();
        let file = bytes(&table);
        let reader = DenseReader::open(&rules, Box::new(file.clone())).unwrap();
        let mut damaged = file.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        let damaged = DenseReader::open(&rules, Box::new(damaged)).ok();
        let (mut random, mut bad) = (Random::new(7), 0);
        for _ in 0..40 {
            let mut position = AnyChessLike::from_fen(&rules, &rules.start).unwrap();
            for _ in 0..100 {
                if position.outcome().is_some() {
                    break;
                }
                let value = table.value(&position);
                assert_eq!(reader.value(&position).unwrap(), value, "{name}: {position:?}");
                match damaged.as_ref().map(|reader| reader.value(&position)) {
                    Some(Ok(found)) => assert_eq!(found, value),
                    Some(Err(_)) => bad += 1,
                    None => {}
                }
                let moves = list_moves(&position);
                position.play(moves[random.below(moves.len() as u32) as usize]);
            }
        }
        println!("{name}: {} bytes of {} cells, {bad} probes of a damaged block", file.len(), table.cells());
    }
}

/// Interrupted anywhere within levels, by the clock, a table is the same.
#[test]
fn a_table_goes_on_from_the_middle_of_a_level() {
    let rules = two_chicks();
    let expected = bytes(&solve(&rules).unwrap());
    let mut random = Random::new(35);
    let mut stops = 0;
    for _ in 0..8 {
        let mut table = DenseTable::new(&rules, u64::MAX).unwrap();
        // Each time a little later, so that it ends.
        for longest in 0.. {
            let interrupt = AtomicBool::new(false);
            let solved = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_micros(u64::from(random.below(100 + 400 * longest))));
                    interrupt.store(true, Ordering::Relaxed);
                });
                table.solve(&interrupt, &mut |_, _| true)
            });
            if solved.is_ok() {
                break;
            }
            stops += 1;
        }
        assert!(bytes(&table) == expected);
    }
    assert!(stops > 20, "{stops}");
}
