//! The bitboard generator against the plain one, on random games: random boards, random Betza
//! words, random placements, every rule that a variant file can state.

use crate::common::view;
use crate::reference::spec::{CastleSpec, Objective, PieceSpec, Spec, Sq};
use crate::reference::{plain, read};
use jewel_engine::ability::Game;
use jewel_engine::betza;
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::laws;
use jewel_engine::plain::{Board, Plain};
use jewel_engine::position::Position;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Outcome;
use jewel_engine::variant::Rules;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::cell::Cell;

/// One atom with its modifiers; not every one is right.
fn atom() -> impl Strategy<Value = String> {
    let mode = prop_oneof![3 => Just(""), 1 => Just("m"), 1 => Just("c")];
    let way = prop_oneof![
        4 => Just(""),
        1 => select(vec!["f", "b", "l", "r", "s", "v", "fl", "br", "ff", "fs", "rv", "fb", "flr", "bb", "ll"]),
    ];
    let flag = prop_oneof![4 => Just(""), 1 => Just("n"), 1 => Just("i"), 1 => Just("in")];
    let base = select("WFDNAHCZGKRBQ".chars().collect::<Vec<_>>());
    let range = prop_oneof![5 => Just(""), 1 => select(vec!["2", "3", "0", "double"])];
    (mode, way, flag, base, range).prop_filter_map("no such word", |(mode, way, flag, base, range)| {
        let tail = if range == "double" { base.to_string() } else { range.to_string() };
        let word = format!("{mode}{way}{flag}{base}{tail}");
        fits(&word).then_some(word)
    })
}

/// Whether a word is understood, also by a file: an initial slide may not capture.
fn fits(word: &str) -> bool {
    let captures = |m: &betza::Motion| m.initial && m.capture && m.range != betza::Range::Leap;
    betza::parse(word).is_ok_and(|motions| !motions.iter().any(captures))
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::collection::vec(atom(), 1..4).prop_map(|atoms| atoms.concat())
            // Two atoms of one letter side by side read as its rider.
            .prop_filter("no such word", |word| fits(word)),
        1 => Just("mfWcfFimfnD".to_string()),
        1 => Just("WF".to_string()),
        1 => Just("nN".to_string()),
        1 => Just("FnA".to_string()),
    ]
}

/// A piece without its letter: moves, promotion (in how many last ranks, optional), en passant, and a
/// territory of this number of own ranks.
type Piece = (String, u8, bool, bool, u8);

fn piece() -> impl Strategy<Value = Piece> {
    let ranks = prop_oneof![3 => Just(0u8), 1 => 1..3u8];
    let territory = prop_oneof![5 => Just(0u8), 1 => 2..5u8];
    (word(), ranks, any::<bool>(), any::<bool>(), territory)
}

/// The objective, its squares, and for each type whether it counts.
type Key = (Objective, Vec<(u8, u8)>, Vec<bool>);

#[derive(Clone, Debug)]
struct Ends {
    royal: bool,
    key: Option<Key>,
    bare: &'static str,
    extinction: Option<(u8, Outcome)>,
    results: (Outcome, Outcome),
    n_move: Option<u32>,
    castling: bool,
    must_capture: bool,
}

fn ends() -> impl Strategy<Value = Ends> {
    let objective = select(vec![Objective::Hold, Objective::Secure, Objective::Reach]);
    let squares = prop::collection::vec((any::<u8>(), any::<u8>()), 1..3);
    let key = proptest::option::of((objective, squares, prop::collection::vec(any::<bool>(), 8)));
    let result = || select(vec![Outcome::Loss, Outcome::Draw, Outcome::Win]);
    let bare = select(vec!["loss", "draw", "none", "key"]);
    let extinction = proptest::option::weighted(0.2, (any::<u8>(), result()));
    let n_move = proptest::option::weighted(0.2, 1..4u32);
    let must_capture = proptest::bool::weighted(0.15);
    (any::<bool>(), key, bare, extinction, (result(), result()), n_move, (any::<bool>(), must_capture))
        .prop_map(|(royal, key, bare, extinction, results, n_move, (castling, must_capture))| Ends {
            royal,
            bare: if bare == "key" && key.is_none() { "loss" } else { bare },
            key,
            extinction,
            results,
            n_move,
            castling,
            must_capture,
        })
}

fn board() -> impl Strategy<Value = (i32, i32)> {
    prop_oneof![
        6 => (2..8i32, 2..8i32),
        1 => Just((8, 8)),
        1 => Just((4, 16)),
        1 => Just((16, 4)),
        1 => Just((1, 30)),
        1 => Just((26, 2)),
        1 => Just((12, 1)),
    ]
}

/// What stands on each square: nothing, or a number that chooses the piece.
fn placement() -> impl Strategy<Value = Vec<Option<u8>>> {
    (1..60u8).prop_flat_map(|density| {
        prop::collection::vec(proptest::option::weighted(f64::from(density) / 100.0, any::<u8>()), 64)
    })
}

fn spec() -> impl Strategy<Value = Spec> {
    let pieces = prop::collection::vec(piece(), 1..7);
    let blocking = subsequence((0..16).collect::<Vec<i32>>(), 0..3);
    (board(), pieces, ends(), blocking, placement(), any::<bool>())
        .prop_filter_map("no such game", |(size, pieces, ends, blocking, cells, black)| {
            build(size, &pieces, &ends, &blocking, &cells, black)
        })
}

fn build(
    (width, height): (i32, i32),
    pieces: &[Piece],
    ends: &Ends,
    blocking: &[i32],
    cells: &[Option<u8>],
    black: bool,
) -> Option<Spec> {
    let letters: Vec<char> = ('A'..='Z').take(pieces.len()).collect();
    let royal = ends.royal.then_some('A');
    let specs: Vec<PieceSpec> = pieces
        .iter()
        .zip(&letters)
        .map(|((moves, ranks, optional, en_passant, territory), &letter)| {
            // Promotion to the letters behind one's own: never to oneself, the king, or in circles.
            let to: String = letters.iter().filter(|l| **l > letter && Some(**l) != royal).collect();
            let ranks = if to.is_empty() || royal == Some(letter) { 0 } else { i32::from(*ranks) };
            let near = if i32::from(*territory) >= height { 0 } else { i32::from(*territory) };
            PieceSpec {
                letter,
                moves: moves.clone(),
                zone: [
                    (0..height).filter(|r| *r >= height - ranks).collect(),
                    (0..height).filter(|r| *r < ranks).collect(),
                ],
                to,
                optional: *optional,
                en_passant: *en_passant && moves.contains("imfnD") && royal != Some(letter),
                territory: [(0..near).collect(), (height - near..height).collect()],
            }
        })
        .collect();
    let square = |n: i32| -> Sq { (n * 5 % width, n * 3 % height) };
    let key = ends.key.as_ref().map(|(objective, squares, eligible)| {
        let goals = [0, 1].map(|side: u8| {
            let goal = |&(x, y): &(u8, u8)| {
                let turned = if side == 1 && *objective == Objective::Reach { !y } else { y };
                (i32::from(x) % width, i32::from(turned) % height)
            };
            squares.iter().map(goal).collect::<Vec<Sq>>()
        });
        let mut letters: String = letters.iter().zip(eligible).filter(|e| *e.1).map(|e| *e.0).collect();
        if letters.is_empty() {
            letters.push('A');
        }
        (goals, *objective, letters)
    });
    let castling = castles(width, height, &letters, ends.castling && ends.royal);
    let mut rows = vec![vec![None; width as usize]; height as usize];
    for (n, cell) in cells.iter().take((width * height) as usize).enumerate() {
        let (x, y) = (n % width as usize, n / width as usize);
        let Some(choice) = cell else { continue };
        let kind = usize::from(choice / 2) % letters.len();
        if royal != Some(letters[kind]) {
            rows[y][x] = Some((letters[kind], usize::from(choice % 2)));
        }
    }
    if let Some(king) = royal {
        rows[0][width as usize / 2] = Some((king, 0));
        rows[height as usize - 1][width as usize / 2] = Some((king, 1));
        if height == 1 && width < 2 {
            return None;
        }
        if height == 1 {
            rows[0][0] = Some((king, 0));
        }
    }
    for castle in &castling {
        let side = usize::from(castle.right.is_ascii_lowercase());
        rows[castle.rook[0].1 as usize][castle.rook[0].0 as usize] = Some((castle.rook_piece, side));
    }
    // No piece stands where it may not.
    for (y, row) in rows.iter_mut().enumerate() {
        for cell in row.iter_mut() {
            let Some((letter, side)) = *cell else { continue };
            let p = &specs[letters.iter().position(|l| *l == letter)?];
            let away = !p.territory[side].is_empty() && !p.territory[side].contains(&(y as i32));
            if away || !p.optional && p.zone[side].contains(&(y as i32)) {
                *cell = None;
            }
        }
    }
    let text = |row: &Vec<Option<(char, usize)>>| -> String {
        let mut out = String::new();
        let mut run = 0;
        for cell in row.iter().chain([&Some((' ', 0))]) {
            match cell {
                None => run += 1,
                Some((letter, side)) => {
                    if run > 0 {
                        out += &run.to_string();
                        run = 0;
                    }
                    out.push(if *side == 0 { *letter } else { letter.to_ascii_lowercase() });
                }
            }
        }
        out.trim_end().to_string()
    };
    let placed: Vec<String> = rows.iter().rev().map(text).collect();
    let rights: String = castling.iter().map(|c| c.right).collect();
    let rights = if rights.is_empty() { "-".to_string() } else { rights };
    let side = if black { "b" } else { "w" };
    let extinction =
        ends.extinction.map(|(n, result)| (letters[usize::from(n) % letters.len()].to_string(), result));
    let spec = Spec {
        width,
        height,
        pieces: specs,
        royal,
        blocking: blocking.iter().map(|n| square(*n)).collect(),
        key,
        castling,
        checkmate: ends.results.0,
        stalemate: ends.results.1,
        bare: ends.bare,
        extinction,
        n_move: ends.n_move,
        must_capture: ends.must_capture,
        start: format!("{} {side} {rights} - 0 1", placed.join("/")),
    };
    if rows.iter().flatten().all(Option::is_none) {
        return None;
    }
    // A side not to move must not stand in check.
    let reference = plain(&spec);
    // Rights without their rook are refused.
    let start = reference.read(&spec.start).ok()?;
    (!reference.in_check(&start, !start.side)).then_some(spec)
}

/// Castling of the king in the middle with the pieces `B` three files away, as far as the board has room:
/// toward `a`, and with a square left over behind the rook.
fn castles(width: i32, height: i32, letters: &[char], wanted: bool) -> Vec<CastleSpec> {
    if !wanted || width < 8 || height < 2 || letters.len() < 2 {
        return vec![];
    }
    let king = width / 2;
    let rule = |right, rank, far: i32, way: i32| CastleSpec {
        right,
        king: [(king, rank), (king + 2 * way, rank)],
        rook: [(king + far * way, rank), (king + way, rank)],
        rook_piece: 'B',
    };
    vec![rule('K', 0, 3, 1), rule('Q', 0, 3, -1), rule('k', height - 1, 3, 1), rule('q', height - 1, 3, -1)]
}

/// Values in exchanges, with ties and without order.
const VALUES: PieceValues = {
    let mut values = [500; 32];
    (values[1], values[2], values[3], values[4], values[5]) = (300, 320, 320, 100, 900);
    values
};

/// Compares a game with the reference along a walk; returns the number of positions compared, or `None` if
/// the file is refused for a reason that is known.
fn compare(spec: &Spec, walk: &[u32]) -> Option<u32> {
    let text = spec.toml();
    let rules = match Rules::parse(&text) {
        Ok(rules) => rules,
        Err(e) => {
            // What a random game may hit: rules that cannot be played together.
            let known =
                ["en passant", "en-passant", "double step", "may not stand", "cannot stand", "needs a"];
            assert!(known.iter().any(|k| e.to_string().contains(k)), "{e}\n{text}");
            return None;
        }
    };
    let reference = plain(spec);
    let game = ChessGame::<General, 32>::new(&rules).unwrap();
    let mut ours = game.start();
    let mut theirs = read(&reference, &spec.start);
    let mut compared = 0;
    for choice in walk {
        let fen = reference.text(&theirs);
        assert_eq!(ours.to_fen(), fen, "{text}");
        let expected = reference.moves(&theirs);
        // Both subsets, through the text.
        let found = view(&rules, &fen);
        let mut next: Vec<String> =
            expected.iter().map(|s| reference.text(&reference.after(&theirs, s))).collect();
        let mut reached: Vec<String> =
            jewel_engine::position::list_moves(&ours).into_iter().map(|m| ours.after(m).to_fen()).collect();
        next.sort();
        reached.sort();
        assert_eq!(reached, next, "{fen}\n{:?}\n{text}", found.moves);
        let texts: Vec<String> = expected.iter().map(|step| step.text()).collect();
        assert_eq!(found.moves, texts, "{fen}\n{text}");
        check_symbols(&reference, &theirs, &fen);
        let mut steps = vec![];
        assert_eq!(found.outcome, reference.expand(&theirs, &mut steps), "{fen}\n{text}");
        if found.outcome.is_none() {
            assert_eq!(steps.len(), texts.len(), "{fen}\n{text}");
            let mut numbered = |n| Plain::numbered(&mut steps, n).map(|step| step.text());
            assert!((0..texts.len()).all(|n| numbered(n).as_ref() == Some(&texts[n])), "{fen}\n{text}");
            assert_eq!(numbered(texts.len()), None);
        }
        laws::check_position(&game, &ours).unwrap_or_else(|e| panic!("{e}: {fen}\n{text}"));
        laws::check_tactics(&ours, &VALUES).unwrap_or_else(|e| panic!("{e}: {fen}\n{text}"));
        compared += 1;
        if expected.is_empty() {
            break;
        }
        let step = &expected[*choice as usize % expected.len()];
        let after = reference.after(&theirs, step);
        let wanted = reference.text(&after);
        let mv = jewel_engine::position::list_moves(&ours)
            .into_iter()
            .find(|m| ours.after(*m).to_fen() == wanted)
            .unwrap();
        ours.play(mv);
        theirs = after;
    }
    Some(compared)
}

/// A position comes back from its symbols, but for the move number and a clock that draws nothing.
fn check_symbols(reference: &Plain, board: &Board, fen: &str) {
    let mut symbols = vec![];
    reference.encode(board, &mut symbols);
    assert_eq!(symbols.len(), reference.symbols());
    assert!(symbols.iter().all(|&symbol| u32::from(symbol) < 1 << reference.symbol_bits()), "{fen}");
    let back = reference.decode(&symbols, board.side).unwrap_or_else(|e| panic!("{fen}: {e}"));
    let fields = |text: &str| -> Vec<String> { text.split(' ').take(4).map(str::to_string).collect() };
    assert_eq!(fields(&reference.text(&back)), fields(fen));
    let mut again = vec![];
    reference.encode(&back, &mut again);
    assert_eq!(again, symbols);
}

/// Runs `cases` cases and asserts that enough of them were games and positions.
fn run(cases: u32, least: u32) {
    let compared = Cell::new(0);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: 100_000,
        max_shrink_iters: 2000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..Default::default()
    };
    let strategy = (spec(), prop::collection::vec(any::<u32>(), 1..12));
    proptest::test_runner::TestRunner::new(config)
        .run(&strategy, |(spec, walk)| {
            compared.set(compared.get() + compare(&spec, &walk).unwrap_or(0));
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(compared.get() >= least, "only {} positions compared", compared.get());
}

#[test]
fn random_games_agree_with_the_plain_generator() {
    run(4000, 8000);
}

/// The plain generator itself counts orthodox chess as published.
#[test]
fn the_plain_generator_counts_chess() {
    let piece = |letter: char, moves: &str| PieceSpec {
        letter,
        moves: moves.into(),
        zone: [vec![], vec![]],
        to: String::new(),
        optional: false,
        en_passant: false,
        territory: [vec![], vec![]],
    };
    let pawn = PieceSpec {
        zone: [vec![7], vec![0]],
        to: "QRBN".into(),
        en_passant: true,
        ..piece('P', "mfWcfFimfnD")
    };
    let others = [("K", 'K'), ("Q", 'Q'), ("R", 'R'), ("B", 'B'), ("N", 'N')].map(|(m, l)| piece(l, m));
    let castle = |right, rank, from: i32, king: i32, rook: i32| CastleSpec {
        right,
        king: [(4, rank), (king, rank)],
        rook: [(from, rank), (rook, rank)],
        rook_piece: 'R',
    };
    let spec = Spec {
        width: 8,
        height: 8,
        pieces: [vec![pawn], others.to_vec()].concat(),
        royal: Some('K'),
        blocking: vec![],
        key: None,
        castling: vec![
            castle('K', 0, 7, 6, 5),
            castle('Q', 0, 0, 2, 3),
            castle('k', 7, 7, 6, 5),
            castle('q', 7, 0, 2, 3),
        ],
        checkmate: Outcome::Loss,
        stalemate: Outcome::Draw,
        bare: "none",
        extinction: None,
        n_move: None,
        must_capture: false,
        start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
    };
    let reference = plain(&spec);
    for (fen, depth, nodes) in [
        (spec.start.as_str(), 3, 8902),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43238),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 2, 1486),
    ] {
        assert_eq!(reference.perft(&read(&reference, fen), depth), nodes, "{fen}");
    }
}
