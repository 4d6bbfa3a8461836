//! The errors of variant files: one line with line number, key, what was found and what was expected.

use jewel_engine::variant::Rules;

/// A file that is right.
const GOOD: &str = r#"id = "probe"
name = "Probe"
[board]
size = "5x5"
start = "rk2p/5/5/5/P2KR w - - 0 1"
[[piece]]
letter = "R"
moves = "R"
[[piece]]
letter = "K"
moves = "K"
royal = true
[[piece]]
letter = "P"
moves = "mfWcfF"
promotion = { zone = { w = ["rank 5"], b = ["rank 1"] }, to = "R" }
[end]
stalemate = "draw"
[draw]
repetition = 3
"#;

/// The error after a part of the file is replaced.
fn error(part: &str, instead: &str) -> String {
    assert_eq!(GOOD.matches(part).count(), 1, "{part}");
    Rules::parse(&GOOD.replace(part, instead)).expect_err(instead).to_string()
}

#[test]
fn a_slip_is_named_with_its_line_and_with_what_would_be_right() {
    assert!(Rules::parse(GOOD).is_ok());
    for (part, instead, message) in [
        (
            "royal = true",
            "roial = true",
            "line 12, piece.roial: unknown key \"roial\" (did you mean \"royal\"?); known here: letter, moves, name, abbreviation, promoted-name, promoted-abbreviation, royal, value, rotated, in-hand, drop, initial, territory, promotion, en-passant, resets-clock",
        ),
        (
            "stalemate",
            "stailmate",
            "line 18, end.stailmate: unknown key \"stailmate\" (did you mean \"stalemate\"?); known here: checkmate, stalemate, bare, extinction, repetition, perpetual-check",
        ),
        (
            "[draw]",
            "[[castling]]\nright = \"K\"\nking = [\"d1\", \"b1\"]\nrook = [\"e1\", \"c1\"]\nrook-piece = \"R\"\n\
             [[castling]]\nright = \"Q\"\nking = [\"d1\", \"b1\"]\nrook = [\"e1\", \"a1\"]\nrook-piece = \"R\"\n[draw]",
            "line 24, castling: rights K and Q take the king between the same squares with the same rook: their moves could not be told apart",
        ),
        (
            "[draw]",
            "[drawn]",
            "line 19, drawn: unknown key \"drawn\" (did you mean \"draw\"?); known here: id, name, summary, sides, must-capture, chess960, board, piece, hand, key, castling, end, draw",
        ),
        ("name = \"Probe\"", "", "name: this key is missing"),
        (
            "size = \"5x5\"",
            "size = \"9x9\"",
            "line 4, board.size: a 9x9 board is not possible; a board has at least 2 squares and at most 64, and at most 26 files",
        ),
        ("size = \"5x5\"", "size = 5", "line 4, board.size: expected a text in quotes, found integer 5"),
        (
            "moves = \"mfWcfF\"",
            "moves = \"mfWpF\"",
            "line 15, piece.moves: unsupported modifier 'p' at character 4; supported are m c (mode), f b l r s v (direction), n (lame), i (initial)",
        ),
        ("moves = \"mfWcfF\"", "", "line 13, piece.moves: this key is missing"),
        (
            "letter = \"P\"",
            "letter = \"p\"",
            "line 14, piece.letter: expected one letter A to Z, with + before it or ~ behind it for promoted pieces, found \"p\"",
        ),
        (
            "letter = \"P\"",
            "letter = \"R\"",
            "line 14, piece.letter: the letter R is taken by an earlier piece",
        ),
        ("royal = true", "royal = \"yes\"", "line 12, piece.royal: expected true, false or \"capture\""),
        (
            "\"draw\"",
            "\"drawn\"",
            "line 18, end.stalemate: expected \"loss\", \"draw\" or \"win\" (for the side to move), found \"drawn\"",
        ),
        (
            "repetition = 3",
            "repetition = 1",
            "line 20, draw.repetition: expected 0 (no such rule) or 2 to 100 occurrences, found 1",
        ),
        (
            "repetition = 3",
            "repetition = -1",
            "line 20, draw.repetition: expected a whole number, not negative, found integer -1",
        ),
        (
            "to = \"R\"",
            "to = \"K\"",
            "line 16, piece.promotion.to: K is royal: a side has one, and it stays the only one",
        ),
        (
            "to = \"R\"",
            "to = \"RP\"",
            "line 16, piece.promotion.to: a P cannot become a P; write optional = true to let it stay",
        ),
        (
            "to = \"R\"",
            "to = \"RX\"",
            "line 16, piece.promotion.to: no piece has the letter 'X'; known are RKP, or \"*\" for all",
        ),
        (
            "b = [\"rank 1\"]",
            "c = [\"rank 1\"]",
            "line 16, piece.promotion: unknown key \"c\"; known here: w, b",
        ),
        (
            "w = [\"rank 5\"]",
            "w = \"rank 5\"",
            "line 16, piece.promotion: expected a list of texts, such as [\"rank 7\"], found string \"rank 5\"",
        ),
        (
            "w = [\"rank 5\"]",
            "w = [\"rank 6\"]",
            "line 16, piece.promotion.zone.w: rank 6 is off a 5x5 board",
        ),
        ("5/5/5/P2KR", "5/5/P2KR", "line 5, board.start: the board has 5 ranks, found 4"),
        ("P2KR w", "P2RR w", "line 5, board.start: White must have exactly one K, found 0"),
        (
            "P2KR w - - 0 1",
            "P2KR x - - 0 1",
            "line 5, board.start: the side to move must be w or b, found \"x\"",
        ),
        (
            "id = \"probe\"",
            "id = \"My Probe\"",
            "line 1, id: expected lower-case letters, digits and '-', such as \"my-game\", found \"My Probe\"",
        ),
        ("id = \"probe\"", "id = probe", "line 1, id: string values must be quoted, expected literal string"),
        (
            "[[piece]]\nletter = \"R\"",
            "[piece]\nletter = \"R\"",
            "line 9, piece: every such table begins with [[piece]], in double brackets",
        ),
        (
            "promotion = {",
            "promotion = \"R\" #",
            "line 16, piece.promotion: expected a table, { key = value, … }, found string \"R\"",
        ),
        (
            "[draw]",
            "[key]\nsquares = [\"c3\"]\nobjective = \"capture\"\n[draw]",
            "line 21, key.objective: \"capture\" needs eligible = \"letters\"",
        ),
        (
            "[draw]",
            "[key]\nobjective = \"hold\"\n[draw]",
            "line 19, key: expected either squares = […] or goals = { w = […], b = […] }",
        ),
        (
            "[draw]",
            "[[castling]]\nright = \"K\"\nking = [\"d1\"]\nrook = [\"e1\", \"c1\"]\nrook-piece = \"R\"\n[draw]",
            "line 21, castling.king: expected two squares, [from, to], found 1 of them",
        ),
    ] {
        assert_eq!(error(part, instead), message);
    }
}
