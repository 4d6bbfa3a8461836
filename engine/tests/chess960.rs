//! Chess and Chess960 beyond what perft counts: rights in every notation, castling as text, and what tells positions
//! apart.

use crate::common::{compile, embedded, look};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chesslike::{AnyChessLike, Chess, ChessGame};
use jewel_engine::games;
use jewel_engine::laws;
use jewel_engine::position::Position;

fn read(fen: &str) -> Result<AnyChessLike<'static>, String> {
    AnyChessLike::from_fen(embedded("chess"), fen).map_err(|e| e.to_string())
}

fn moves(fen: &str, from: &str) -> Vec<String> {
    look(embedded("chess"), fen, "").unwrap().from(from).into_iter().map(str::to_string).collect()
}

#[test]
fn the_example_is_the_game() {
    let example = include_str!("../../examples/variants/chess.toml");
    assert_eq!(example, games::find("chess").unwrap().text);
}

#[test]
fn rights_are_read_in_every_notation_and_written_as_x_fen() {
    for (given, written) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("1r2k1r1/1p4p1/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "1r2k1r1/1p4p1/8/8/8/8/8/1R2K1R1 w KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/R1R1K1RR w GC - 0 1", "4k3/8/8/8/8/8/8/R1R1K1RR w GC - 0 1"),
        ("4k3/8/8/8/8/8/8/R1R1K1RR w KQ - 0 1", "4k3/8/8/8/8/8/8/R1R1K1RR w KQ - 0 1"),
        ("rk5r/pp6/8/8/8/8/6P1/1R4KR w Hha - 0 1", "rk5r/pp6/8/8/8/8/6P1/1R4KR w Kkq - 0 1"),
    ] {
        let position = read(given).unwrap();
        assert_eq!(position.to_fen(), written);
        assert_eq!(read(written).unwrap(), position);
    }
}

#[test]
fn rights_without_king_or_rook_are_refused() {
    for (fen, problem) in [
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right K needs a Rook on h1"),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling right K needs a Rook on h1"),
        ("4k3/8/8/8/8/8/8/R3K3 w B - 0 1", "castling right B needs a Rook on b1"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "castling right K needs a King on e1"),
        ("4k3/8/8/8/8/8/8/R3K2R w E - 0 1", "castling right E needs a Rook on e1"),
        (
            "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1",
            "castling rights must be \"-\" or letters among \"KQkq, or the files of rooks\", found \"HG\"",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K2R w J - 0 1",
            "castling rights must be \"-\" or letters among \"KQkq, or the files of rooks\", found \"J\"",
        ),
    ] {
        assert_eq!(read(fen).unwrap_err(), problem, "{fen}");
    }
}

#[test]
fn castling_is_the_kings_move_in_chess_and_takes_the_rook_in_chess960() {
    let usual = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert!(moves(usual, "e1").contains(&"e1g1".to_string()));
    assert!(moves(usual, "e1").contains(&"e1c1".to_string()));
    let twin = embedded("chess").with_chess960_moves();
    let seen = look(twin, usual, "").unwrap();
    assert!(seen.has("e1h1") && seen.has("e1a1") && !seen.has("e1g1") && !seen.has("e1c1"));
    // Both are read in both.
    for rules in [embedded("chess"), twin] {
        for text in ["e1g1", "e1h1", "O-O"] {
            assert_eq!(look(rules, usual, text).unwrap().fen, "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1");
        }
    }
    // The king stays where it is, or steps to where the rook stood.
    for (fen, text, after) in [
        ("4k3/8/8/8/8/8/8/R5KR w KQ - 0 1", "g1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/R4KR1 w KQ - 0 1", "f1g1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/1RK4R w KQ - 0 1", "c1b1", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"),
        ("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", "b1a1", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"),
    ] {
        assert!(moves(fen, &text[..2]).contains(&text.to_string()), "{fen}");
        assert_eq!(look(embedded("chess"), fen, text).unwrap().fen, after);
    }
    // A rook that shielded the king no longer does.
    assert!(!moves("4k3/8/8/8/8/8/8/qR1K1R2 w KQ - 0 1", "d1").contains(&"d1b1".to_string()));
    // Games without Chess960 castling stay as they are.
    let quest = embedded("diamond-quest");
    assert!(std::ptr::eq(quest.with_chess960_moves(), quest));
}

#[test]
fn positions_differ_where_other_rooks_may_castle() {
    let board = "k7/8/8/8/8/8/8/4KR1R w";
    let (near, far) =
        (read(&format!("{board} F - 0 1")).unwrap(), read(&format!("{board} H - 0 1")).unwrap());
    assert_ne!(near, far);
    assert_ne!(near.zobrist_hash(), far.zobrist_hash());
    let again = read(&format!("{board} F - 0 1")).unwrap();
    assert_eq!((near, near.zobrist_hash()), (again, again.zobrist_hash()));
    // Where the right is gone, nothing is left of it.
    let [near, far] = [near, far].map(|position| position.after(position.parse_move("e1e2").unwrap()));
    assert_eq!((near, near.zobrist_hash()), (far, far.zobrist_hash()));
}

#[test]
fn other_arrangements_keep_the_laws() {
    for start in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "rk1r3q/pppp1ppp/8/8/8/8/PPPP1PPP/1RK2R1Q w KQkq - 0 1",
        "r1k2r1r/p6p/8/8/8/8/P6P/RR2K1RR w GBfa - 0 1",
    ] {
        let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let rules = compile(&games::find("chess").unwrap().text.replace(usual, start));
        let game = ChessGame::<Chess, 8>::new(&rules).unwrap();
        laws::check(&game, 6, 60, 1).unwrap_or_else(|e| panic!("{start}: {e}"));
        assert_eq!(game.start().position_text().split(' ').next(), start.split(' ').next());
    }
}

#[test]
fn chess960_needs_castling_that_rights_can_name() {
    let text = games::find("chess").unwrap().text;
    let refusal = |text: &str| jewel_engine::variant::Rules::parse(text).unwrap_err().to_string();
    let renamed = text.replace("right = \"K\"", "right = \"A\"").replace("w KQkq", "w AQkq");
    let problem = refusal(&renamed);
    assert!(problem.starts_with("line 4, chess960: right A must be called k or K:"), "{problem}");
    let start = text.find("[[castling]]").unwrap();
    let end = text.find("[draw]").unwrap();
    let without = format!("{}{}", &text[..start], &text[end..]).replace("w KQkq", "w -");
    assert!(refusal(&without).contains("needs a royal piece and [[castling]]"));
}
