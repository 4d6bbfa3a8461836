//! Games with pieces in hand: perft against an independent program, laws, notation, endings, and bad input.

use crate::common::{compile, count};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chesslike::{AnyChessLike, ChessGame, Drops, General};
use jewel_engine::interchange::{export, import};
use jewel_engine::laws;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::MAX_TYPES;
use std::ops::ControlFlow;
use std::sync::LazyLock;

static COUNTS: LazyLock<String> = LazyLock::new(|| {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/perft-hands.txt");
    std::fs::read_to_string(file).expect("the counts")
});

/// A variant that Fairy-Stockfish has built in.
fn built_in(name: &str) -> Rules {
    let section = format!("[a-{name}:{name}]\n");
    compile(&import(&section, None, &[]).unwrap_or_else(|e| panic!("{name}: {e}")).text)
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        COUNTS.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split(" | ").next()).collect();
    names.dedup();
    names
}

#[test]
fn perft_is_that_of_pyffish() {
    for name in names() {
        let rules = built_in(name);
        let mut positions = 0;
        for line in COUNTS.lines().filter(|line| line.split(" | ").next() == Some(name)) {
            let fields: Vec<&str> = line.split(" | ").collect();
            let found = count(&rules, fields[1], fields[2].parse().unwrap());
            assert_eq!(found.to_string(), fields[3], "{line}");
            positions += 1;
        }
        assert_eq!(positions, 6, "{name}");
    }
    assert_eq!(names().len(), 15);
}

#[test]
fn games_with_hands_keep_the_laws() {
    for name in names() {
        let rules = built_in(name);
        laws::check_playable(&ChessGame::from_any(&rules), 6, 60, 7).unwrap_or_else(|e| panic!("{e}"));
        if let Some(lean) = ChessGame::<Drops, 16>::new(&rules) {
            laws::check_playable(&lean, 3, 60, 8).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// Attacks, exchanges and drops with check along random games.
#[test]
fn games_with_hands_keep_the_laws_of_tactics() {
    let mut values = [0; MAX_TYPES];
    for (kind, value) in (1..).zip(&mut values) {
        *value = 37 * kind % 211 + 40;
    }
    let mut checks = 0;
    for name in names() {
        let rules = built_in(name);
        let game = ChessGame::<General, 32>::new(&rules).unwrap();
        for seed in 0..6 {
            let (mut position, mut random) = (game.start(), Random::new(seed));
            for _ in 0..60 {
                laws::check_tactics(&position, &values)
                    .unwrap_or_else(|e| panic!("{name}: {e}: {position:?}"));
                let _: ControlFlow<()> = position.dropped_checks(|_| {
                    checks += 1;
                    ControlFlow::Continue(())
                });
                let moves = list_moves(&position);
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.below(moves.len() as u32) as usize]);
            }
        }
    }
    assert!(checks > 1000, "{checks}");
}

#[test]
fn a_capture_gains_what_it_takes_and_what_it_has_in_hand() {
    let rules = minishogi();
    let mut values = [0; MAX_TYPES];
    for (letter, value) in [("P", 100), ("S", 300), ("G", 350), ("+P", 340), ("K", 30_000)] {
        let kind = (0..rules.type_count() as u8).find(|&kind| rules.symbol(kind, Side::White) == letter);
        values[kind.unwrap() as usize] = value;
    }
    let worth = |fen: &str, mv: &str| {
        let position = at(&rules, fen);
        let mv = position.parse_move(mv).unwrap();
        let least = (-2000..2000).rev().find(|&least| position.exchange_at_least(mv, least, &values));
        (position.gain(mv, &values), least.unwrap())
    };
    // A Gold on the board and one in hand.
    assert_eq!(worth("4k/5/2g2/2G2/K4[] w - - 0 1", "c2c3"), (700, 700));
    // What was a Pawn is one again.
    assert_eq!(worth("4k/5/2+p2/2G2/K4[] w - - 0 1", "c2c3"), (440, 440));
    // Gold for Silver, each twice.
    assert_eq!(worth("4k/2s2/2s2/2G2/K4[] w - - 0 1", "c2c3"), (600, -100));
    // A drop costs nothing where it is safe.
    assert_eq!(worth("4k/5/5/5/K4[G] w - - 0 1", "G@c3"), (0, 0));
    assert_eq!(worth("4k/2s2/5/5/K4[G] w - - 0 1", "G@c3"), (0, -700));
}

/// Each variant, exported and imported again, has the same rules.
#[test]
fn sections_with_hands_come_back() {
    for name in names() {
        let rules = built_in(name);
        let section = format!("[a-{name}:{name}]\n");
        let there = import(&section, None, &[]).unwrap();
        let back = export(&there.text).unwrap();
        assert_eq!(back.losses, [], "{name}\n{}", back.text);
        let again = import(&back.text, None, &[]).unwrap_or_else(|e| panic!("{name}: {e}\n{}", back.text));
        let again = compile(&again.text);
        assert_eq!(count(&again, &again.start, 3), count(&rules, &rules.start, 3), "{name}\n{}", back.text);
    }
}

fn minishogi() -> Rules {
    built_in("minishogi")
}

fn at<'r>(rules: &'r Rules, fen: &str) -> AnyChessLike<'r> {
    ChessGame::from_any(rules).parse_position(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn texts(position: &AnyChessLike<'_>) -> Vec<String> {
    list_moves(position).into_iter().map(|mv| position.move_text(mv)).collect()
}

#[test]
fn a_captured_piece_turns_back_and_changes_hands() {
    let rules = minishogi();
    let mut position = at(&rules, "4k/5/5/+r4/R3K[] w - - 0 1");
    position.play(position.parse_move("a1a2").unwrap());
    assert_eq!(position.position_text(), "4k/5/5/R4/4K[R] b - - 0 1");
    let crazyhouse = built_in("crazyhouse");
    let mut position = at(&crazyhouse, "q~3k3/8/8/8/8/8/8/R3K3[] w - - 0 1");
    position.play(position.parse_move("a1a8").unwrap());
    assert!(position.position_text().starts_with("R3k3/8/8/8/8/8/8/4K3[P] b"), "{position:?}");
    let loop_chess = built_in("loop");
    assert!(AnyChessLike::from_fen(&loop_chess, "q~3k3/8/8/8/8/8/8/R3K3[] w - - 0 1").is_err());
}

#[test]
fn pawns_are_dropped_as_shogi_has_it() {
    let rules = minishogi();
    let pawns = |fen: &str| -> Vec<String> {
        texts(&at(&rules, fen)).into_iter().filter(|text| text.starts_with("P@")).collect()
    };
    // Not on the last rank, and not on a file with a pawn; a promoted pawn is none.
    let drops = pawns("4k/5/+P4/5/4K[P] w - - 0 1");
    assert!(drops.contains(&"P@a2".into()) && !drops.contains(&"P@a5".into()));
    let drops = pawns("4k/5/5/1P3/4K[P] w - - 0 1");
    assert!(drops.contains(&"P@a2".into()) && !drops.iter().any(|text| text.starts_with("P@b")));
    // Not with mate, though it may check.
    assert!(!pawns("3rk/5/3G1/5/K4[P] w - - 0 1").contains(&"P@e4".into()));
    assert!(pawns("4k/5/5/5/K4[P] w - - 0 1").contains(&"P@e4".into()));
}

#[test]
fn drops_and_flips_are_read_in_every_form() {
    let rules = minishogi();
    let position = at(&rules, "4k/5/5/5/K4[PSp] w - - 0 1");
    let drop = position.parse_move("P@b3").unwrap();
    for text in ["P*b3", "p@b3", "P@b3+"] {
        assert_eq!(position.parse_move(text).unwrap(), drop, "{text}");
    }
    assert_eq!(position.san(drop).unwrap(), "P@b3");
    let promoting = at(&rules, "4k/P4/5/5/K4[] w - - 0 1");
    assert_eq!(texts(&promoting).iter().filter(|text| text.starts_with("a4")).count(), 1);
    let mv = promoting.parse_move("a4a5+").unwrap();
    assert_eq!(promoting.parse_move(&promoting.san(mv).unwrap()).unwrap(), mv);
    let kyoto = built_in("kyotoshogi");
    let start = ChessGame::from_any(&kyoto).start();
    assert!(texts(&start).iter().any(|text| text.ends_with('+')));
    assert!(texts(&start).iter().any(|text| text.ends_with('-')));
    let held = at(&kyoto, "p+nks+l/5/5/5/+L1K+NP[S] w - - 0 1");
    assert!(texts(&held).contains(&"S@b3".into()) && texts(&held).contains(&"+S@b3".into()));
}

#[test]
fn what_cannot_be_dropped_is_told_in_one_line() {
    let rules = minishogi();
    let position = at(&rules, "4k/5/5/P4/K4[PS] w - - 0 1");
    for (text, why) in [
        ("P@a1", "a1 is occupied: a Shogi Pawn is dropped on an empty square"),
        ("G@b2", "White has no Gold in hand"),
        ("X@b2", "no piece has the letter \"X\""),
        ("P@z9", "z9 is off a 5x5 board"),
        ("P@b5", "a Shogi Pawn may not be dropped on b5; it may be dropped on "),
        ("P@a3", "a Shogi Pawn may not be dropped on a3; it may be dropped on "),
        ("+P@b3", "a Shogi Pawn may not be dropped"),
    ] {
        let error = position.parse_move(text).unwrap_err().to_string();
        assert!(error.starts_with(why) || text.starts_with('+'), "{text}: {error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn impossible_hands_are_told_in_one_line() {
    let (shogi, chess) = (minishogi(), compile(jewel_engine::games::find("chess").unwrap().text));
    let error = |rules: &Rules, fen: &str| AnyChessLike::from_fen(rules, fen).unwrap_err().to_string();
    for (fen, why) in [
        ("4k/5/5/5/4K[PPP] w - - 0 1", "there are 3 P on the board and in hands, but the game has 2"),
        ("4k/5/5/5/4K[K] w - - 0 1", "'K' cannot be in a hand; what can are"),
        ("4k/5/5/5/4K[X] w - - 0 1", "'X' cannot be in a hand; what can are"),
        ("4k/5/5/5/4K[+P] w - - 0 1", "'+' cannot be in a hand"),
        ("4k/5/5/+G4/4K[] w - - 0 1", "no piece is written +G: G has no such promoted form"),
        ("4k/5/5/P~4/4K[] w - - 0 1", "no piece is written P~"),
        ("4k/5/5/5/5[K] w - - 0 1", "'K' cannot be in a hand"),
        ("P3k/5/5/5/4K[] w - - 0 1", "a Shogi Pawn cannot stand on a5"),
    ] {
        assert!(error(&shogi, fen).starts_with(why), "{fen}: {}", error(&shogi, fen));
    }
    let hands = "4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 1";
    assert_eq!(error(&chess, hands), "this game has no pieces in hand: leave out [Pp]");
    assert_eq!(
        error(&chess, "4k3/8/8/8/8/8/8/4K3/Pp w - - 0 1"),
        "this game has no pieces in hand: leave out [Pp]"
    );
    // The form with one rank more is read where there are hands.
    assert_eq!(at(&shogi, "4k/5/5/5/4K/Pp w - - 0 1"), at(&shogi, "4k/5/5/5/4K[Pp] w - - 0 1"));
    for fen in
        ["4k/5/5/5/4K[", "4k/5/5/5/4K]", "4k/5/5/5/4K[[]] w - - 0 1", "4k/5/5/5/4+ w - - 0 1", "[] w - - 0 1"]
    {
        assert!(AnyChessLike::from_fen(&shogi, fen).is_err(), "{fen}");
    }
}

/// The file of the page with a change.
fn changed(part: &str, instead: &str) -> Result<Rules, String> {
    let page = include_str!("../../docs/variant-files.md");
    let text = page.split_once("```toml hand\n").unwrap().1.split_once("```").unwrap().0;
    assert!(text.contains(part), "{part}");
    Rules::parse(&text.replacen(part, instead, 1)).map_err(|e| e.to_string())
}

#[test]
fn rules_of_hands_that_cannot_be_are_refused_in_one_line() {
    for (part, instead, why) in [
        ("[hand]\n", "", "board.start: this game has no pieces in hand: leave out []"),
        ("[hand]\n", "[hand]\ncaptures = \"thief\"\n", "expected \"captor\", \"owner\" or \"nobody\""),
        ("[hand]\n", "[hand]\ncastling = true\n", "hand.castling: needs [[castling]]"),
        ("royal = \"capture\"", "royal = \"capture\"\nin-hand = \"E\"", "captured ends the game"),
        ("name = \"Giraffe\"", "name = \"G\"\ndrop = { mate = false }", "needs a royal piece"),
        ("name = \"Giraffe\"", "name = \"G\"\nin-hand = \"-\"\ndrop = {}", "is never in a hand"),
        ("name = \"Hen\"", "name = \"Hen\"\n[[piece]]\nletter = \"D~\"\nmoves = \"W\"", "D~ needs in-hand"),
        (
            "name = \"Hen\"",
            "name = \"Hen\"\nin-hand = \"+C\"\n[[piece]]\nletter = \"X\"\nmoves = \"W\"\nin-hand = \"C\"\n[[piece]]\nletter = \"Y\"\nmoves = \"W\"\nin-hand = \"X\"",
            "a X in hand is something else again",
        ),
        ("stalemate = \"loss\"", "stalemate = \"loss\"\nperpetual-check = \"loss\"", "needs a royal piece"),
        ("stalemate = \"loss\"", "repetition = \"white\"", "expected \"draw\", \"loss\" or \"win\""),
        ("repetition = 3", "repetition = 0\n[end.x]", "end.x"),
        ("to = \"+C\"", "to = \"+C\", forced = { w = [\"rank 4\"], b = [] }", "every promotion is forced"),
        (
            "to = \"+C\"",
            "to = \"+C\", optional = true, forced = { w = [\"rank 3\"], b = [] }",
            "a3 is not in the zone",
        ),
        ("to = \"+C\"", "to = { w = \"+C\" }", "piece.promotion"),
        ("royal = \"capture\"", "royal = \"captured\"", "expected true, false or \"capture\""),
        ("stalemate = \"loss\"", "extinction = { pieces = \"E\", result = \"loss\" }", "royal = \"capture\""),
    ] {
        let error = changed(part, instead).expect_err(instead);
        assert!(error.contains(why) && !error.contains('\n'), "{instead}: {error}");
    }
    for (part, instead) in [
        ("[hand]\n", "[hand]\nbeside-own = true\n"),
        ("[hand]\n", "[hand]\ncaptures = \"owner\"\n"),
        ("name = \"Hen\"", "name = \"Hen\"\ndrop = {}"),
        ("to = \"+C\"", "to = { w = \"+C\", b = \"EG\" }"),
        ("stalemate = \"loss\"", "repetition = \"w\""),
    ] {
        let rules = changed(part, instead).unwrap_or_else(|e| panic!("{instead}: {e}"));
        laws::check_playable(&ChessGame::from_any(&rules), 10, 60, 5)
            .unwrap_or_else(|e| panic!("{instead}: {e}"));
    }
}

#[test]
fn a_drop_beside_own_pieces_and_a_capture_that_goes_back_to_its_owner() {
    let rules = changed("[hand]\n", "[hand]\nbeside-own = true\ncaptures = \"owner\"\n").unwrap();
    let position = at(&rules, "l2/3/3/L2[G] w - - 0 1");
    let drops: Vec<String> = texts(&position).into_iter().filter(|text| text.contains('@')).collect();
    assert_eq!(drops, ["G@b1", "G@a2", "G@b2"]);
    let mut position = at(&rules, "2l/3/g2/L2[] w - - 0 1");
    position.play(position.parse_move("a1a2").unwrap());
    assert!(position.position_text().starts_with("2l/3/L2/3[g] b"), "{position:?}");
}

#[test]
fn repetition_is_worth_what_the_rules_say() {
    let rules = minishogi();
    let quiet = at(&rules, "4k/5/5/5/R3K[] b - - 0 1");
    // Black wins in minishogi, whoever is to move, unless there was perpetual check.
    assert_eq!(quiet.repeated(&[]), Outcome::Win);
    let checked = at(&rules, "R3k/5/5/5/4K[] b - - 0 1");
    let between = at(&rules, "R4/4k/5/5/4K[] w - - 0 1");
    assert_eq!(checked.repeated(&[&checked, &between]), Outcome::Win);
    assert_eq!(between.repeated(&[&between, &checked]), Outcome::Loss);
    // One turn without a check is enough.
    assert_eq!(checked.repeated(&[&checked, &between, &quiet, &between]), Outcome::Win);
    let tori = built_in("torishogi");
    let start = ChessGame::from_any(&tori).start();
    assert_eq!(start.repeated(&[]), Outcome::Win);
    let chess = compile(jewel_engine::games::find("chess").unwrap().text);
    assert_eq!(ChessGame::from_any(&chess).start().repeated(&[]), Outcome::Draw);
}

#[test]
fn placement_gives_castling_and_balances_bishops() {
    let rules = built_in("placement");
    let mut position = ChessGame::from_any(&rules).start();
    for text in ["K@e1", "K@e8", "R@h1", "R@a8"] {
        assert!(texts(&position).iter().all(|text| text.contains('@')));
        position.play(position.parse_move(text).unwrap_or_else(|e| panic!("{text}: {e}")));
    }
    assert!(position.position_text().contains(" w Kq "), "{position:?}");
    assert_eq!(position.zobrist_hash(), position.recomputed_hash());
    position.play(position.parse_move("B@f1").unwrap());
    position.play(position.parse_move("B@c8").unwrap());
    // The other bishop needs a square of the other colour.
    assert!(texts(&position).contains(&"B@c1".into()) && !texts(&position).contains(&"B@b1".into()));
}
