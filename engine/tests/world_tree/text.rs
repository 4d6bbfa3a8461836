//! Position strings and plies: what is read, what is refused and why; nothing panics.

use super::board::{after, black, plies, position, refusal, white};
use crate::common::texts::{decent, edited};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Side;
use jewel_engine::world_tree::{WorldTree, WorldTreeGame};
use proptest::prelude::*;

#[test]
fn turns_are_plies_joined_by_commas() {
    let split = WorldTree::split_turn;
    assert_eq!(split("c5c3,d4d5"), ["c5c3", "d4d5"]);
    assert_eq!(split("c6d6-c8d7,done"), ["c6d6-c8d7", "done"]);
    assert_eq!(split("d4xd5,e4,e4"), ["d4xd5,e4,e4"], "the hits of one attack");
    assert_eq!(split("c5c3"), ["c5c3"]);
    assert_eq!(split("C@b8"), ["C@b8"]);
    assert_eq!(WorldTree::join_turn(&["c5c3".into(), "done".into()]), "c5c3,done");
    // Every turn that is written is read back.
    let start = white("Kc5 gc6 Cb5 Ca5 cd5");
    for first in list_moves(&start) {
        let next = start.after(first);
        let mut turn = vec![start.move_text(first)];
        if next.is_mid_turn() {
            turn.push(next.move_text(list_moves(&next)[0]));
        }
        assert_eq!(split(&WorldTree::join_turn(&turn)), turn);
    }
}

#[test]
fn games_have_ids_and_parameters() {
    assert_eq!(WorldTreeGame::new().id(), "world-tree");
    let standard = WorldTreeGame::with_parameters("start=standard").unwrap();
    assert_eq!(standard.id(), "world-tree:start=standard");
    assert_eq!(standard.start().position_text(), "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0");
    assert_eq!(WorldTreeGame::with_parameters("start=placement").unwrap().id(), "world-tree");
    let error = |text| WorldTreeGame::with_parameters(text).unwrap_err().to_string();
    assert_eq!(error("start=array"), "start must be placement or standard, found \"array\"");
    assert_eq!(
        error("size=3"),
        "world-tree has one parameter, \"start=placement\" or \"start=standard\"; found \"size=3\""
    );
}

#[test]
fn plies_that_are_not_legal_are_refused_with_the_reason() {
    let placing = after(&WorldTreeGame::new().start(), "G@b8 G@g1");
    let middle = white("Gc6 Hf2 (OZ)b5 kc5 cf3 (hz)c7 ce6");
    for (position, text, line) in [
        (&placing, "C@a7", "wrong placement: the next cell is b7, not a7"),
        (&placing, "G@b7", "no gormoror is left in hand; there are K H O R S Z C3"),
        (&placing, "T@b7", "no town is left in hand; there are K H O R S Z C3"),
        (
            &placing,
            "b8b7",
            "pieces are being placed: write a letter and the cell b7; in hand are K H O R S Z C3",
        ),
        (&middle, "C@b7", "all pieces have been placed: write a move, an attack, \"done\" or \"pass\""),
        (&middle, "c6d4", "the gormoror on c6 cannot go to d4; it can go to a6,b6,d6"),
        (&middle, "d5d6", "nothing stands on d5"),
        (&middle, "f3f4", "the cani on f3 is not First player's, whose turn it is"),
        (&middle, "c6c9", "c9 is off a 8x8 board"),
        (&middle, "a8xa7", "the town on a8 cannot attack so: no enemy stands on a7"),
        (&middle, "f2xf3", "the herethroy on f2 cannot attack so: it fights on its own bank only"),
        (&middle, "c6xe6", "the gormoror on c6 cannot attack so: e6 is out of its reach"),
        (
            &middle,
            "c6xc7",
            "the gormoror on c6 cannot attack so: two enemies stand on c7: add \":h\" or \":z\"",
        ),
        (&middle, "c6xc7:h", "the gormoror on c6 cannot attack so: the herethroy on c7 is immune to it"),
        (&middle, "c6xc5:k", "the gormoror on c6 cannot attack so: one enemy stands on c5: write no letter"),
        (
            &middle,
            "c6xc5,c7:z",
            "the gormoror on c6 cannot attack so: only a khtsoyis hits more than once, and an attack ends the turn",
        ),
        (
            &middle,
            "Zc6xc5",
            "the gormoror on c6 cannot attack so: write Z only where a zi ri shares its square with another piece of \
             its side",
        ),
    ] {
        assert_eq!(refusal(position, text).replace("zi ri on c6", "gormoror on c6"), line, "{text}");
    }
    let packs = white("Cb6 Cc6 Ca4 Kb4 gb5 ca5");
    for (text, line) in [
        ("a4b6-a3b7", "the cani on a4,b6 cannot go to a3,b7: they are not in one pack"),
        ("b6c6-b7", "the cani on b6,c6 cannot go to b7: there must be as many destinations as origins"),
        ("b6c6-b6c6", "the cani on b6,c6 cannot go to b6,c6: these are the same squares"),
        ("b6c6-b7f6", "the cani on b6,c6 cannot go to f6,b7: a destination must be dry"),
        (
            "b6c6-b5c7",
            "the cani on b6,c6 cannot go to b5,c7: a destination must be empty, or just left by one of them with no zi \
             ri on it",
        ),
        (
            "b6c6-a8h2",
            "the cani on b6,c6 cannot go to h2,a8: a destination must be empty, or just left by one of them with no zi ri on it",
        ),
        (
            "b6c6-a7h3",
            "the cani on b6,c6 cannot go to h3,a7: there is no way to pair them that is in reach of all",
        ),
        ("b4xb5,b5,b5", "the khtsoyis on b4 cannot attack so: a hit on what is taken already does nothing"),
        ("b4xb5,b5,b5,b5", "the khtsoyis on b4 cannot attack so: a khtsoyis hits three times at most"),
    ] {
        assert_eq!(refusal(&packs, text), line, "{text}");
    }
    let over = position("8/8/8/8/8/8/8/6Ct w m - 0");
    assert_eq!(refusal(&over, "g1g2"), "the game is over: no plies");
    for text in ["", "x", "c6", "c6c5c4", "c6-", "-", "@", "C@", "c6d6c5-c6c6c7", "é@b8", "c6xé", "done!"] {
        assert!(refusal(&middle, text).contains("is not a ply; write a move \"c5c3\""), "{text}");
    }
}

#[test]
fn positions_that_cannot_be_are_refused_with_the_reason() {
    let rest = "/8/8/8/8/8/7t w m - 0";
    for (text, line) in [
        ("T7/8 w m", "a position has 5 fields, \"board side phase moved quiet\"; found 3"),
        ("T7/7t w m - 0", "the board has 8 ranks with '/' between, found 2"),
        (&format!("T8/8{rest}"), "rank 8 has 9 squares instead of 8"),
        (&format!("T6/8{rest}"), "rank 8 has 7 squares instead of 8"),
        (
            &format!("TQ6/8{rest}"),
            "rank 8: unexpected \"Q\"; pieces are T G K H O R S Z C, G+ and R+ are marked, (CZ) share a square",
        ),
        (
            &format!("TK+6/8{rest}"),
            "rank 8: unexpected \"K+\"; pieces are T G K H O R S Z C, G+ and R+ are marked, (CZ) share a square",
        ),
        (
            &format!("T(CG)6/8{rest}"),
            "rank 8: \"(CG)\" is not a shared square; at most one piece that is not a zi ri, then Z, then z",
        ),
        (
            &format!("T(ZC)6/8{rest}"),
            "rank 8: \"(ZC)\" is not a shared square; at most one piece that is not a zi ri, then Z, then z",
        ),
        (&format!("TGG5/8{rest}"), "too many gormoror of w: a player has 1"),
        (&format!("Tcccc3/8{rest}"), "too many cani of b: a player has 3"),
        ("T7/8/8/8/8/8/1C6/7t w m - 0", "the cani cannot be on b2: it never enters the river"),
        ("8/1T6/8/8/8/8/8/7t w m - 0", "the town cannot be on b7: it stays on the edge of the board"),
        ("8/8/8/8/8/8/8/1T5t w m - 0", "the town cannot be on b1: it stays on its own bank"),
        ("8/8/8/8/8/8/8/8 w m - 0", "both towns are missing; a game ends with the capture of one"),
        (&format!("T7/8{}", rest.replace('w', "x")), "the side to move is w or b, found \"x\""),
        (&format!("T7/8{}", rest.replace('m', "q")), "the phase is p (placement) or m (moving), found \"q\""),
        (
            &format!("T7/8{}", rest.replace("- 0", "- 101")),
            "quiet is the number of turns since a capture or placement, 0 to 100; found \"101\"",
        ),
        (
            &format!("TG6/8{}", rest.replace("- 0", "Gb7 0")),
            "moved is \"-\" or what one piece move moved, such as \"Gd5\" or \"Cc6,Cd6\"; the side to move has no gormoror \
             on Gb7",
        ),
        (
            &format!("TGC5/8{}", rest.replace("- 0", "Gb8,Cc8 0")),
            "moved is \"-\" or what one piece move moved, such as \"Gd5\" or \"Cc6,Cd6\"; \"Gb8,Cc8\" is not one piece, nor \
             some of the cani",
        ),
        (
            &format!("TG6/8{}", rest.replace('m', "p")),
            "in the placement phase the players put down one piece at a time, w first; found 1 and 0 with w to move",
        ),
        (
            &format!("T1G5/8{}", rest.replace("w m", "b p")),
            "in the placement phase the 1 pieces of w stand on its first cells: b8",
        ),
        ("7T/8/8/8/8/8/8/7t w p - 0", "the town cannot be on h8: it never enters the river"),
        ("8/T7/8/8/8/8/8/7t w p - 0", "in the placement phase the town of w is on a8"),
    ] {
        let error = WorldTreeGame::new().parse_position(text).expect_err(text).to_string();
        assert_eq!(error, line, "{text}");
    }
}

#[test]
fn diagrams_show_river_towns_and_what_shares_a_square() {
    let diagram = white("(CZ)c6 g+d6 Ob2").diagram();
    let cell = |name: &str| {
        let name = name.as_bytes();
        &diagram.cells[usize::from(name[1] - b'1') * 8 + usize::from(name[0] - b'a')]
    };
    let letters: Vec<char> =
        cell("c6").piece.iter().chain(&cell("c6").above).map(|piece| piece.letter).collect();
    assert_eq!(letters, ['C', 'Z']);
    assert_eq!(diagram.cells.iter().filter(|cell| cell.river).count(), 8);
    assert!(cell("b2").river && !cell("b3").river && cell("a8").key && cell("h1").key && !cell("c6").key);
    assert_eq!(
        cell("d6").piece.as_ref().map(|p| (p.name.as_str(), p.side)),
        Some(("gormoror (marked)", Side::Black))
    );
    let notes: Vec<String> = diagram.notes.iter().map(|(what, value)| format!("{what}: {value}")).collect();
    assert_eq!(notes, ["on one square: c6 (CZ)", "marked: d6 g+", "quiet turns: 0"]);
    let placing = WorldTreeGame::new().start().diagram();
    assert_eq!(placing.notes[0], ("next cell".to_string(), "b8".to_string()));
}

#[test]
fn letters_of_the_mover_are_upper_case_for_both() {
    let mid = after(&black("gf2 ce3"), "f2f1");
    assert!(mid.position_text().ends_with(" b m Gf1 0"));
    assert!(plies(&after(&WorldTreeGame::new().start(), "C@b8")).contains(&"S@g1".to_string()));
}

const ALPHABET: &[u8] = b"TGKHORSZCtgkhorszc12345678/()+-,x@: wbmpabcdef0\xc3";

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(8), ..Default::default() })]

    #[test]
    fn position_strings_are_read_back_or_refused(
        seed in 0usize..5,
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let seeds = [
            "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0",
            "(TZ)2O4/R1sC1C2/8/2C5/4hg1z/3Kc2r/H2c1k2/4c1ot w m Cf7 6",
            "T7/8/2CCC3/8/4(oZz)3/8/8/7t w m Cc6,Ce6 3",
            "TG6/8/8/8/8/8/6g1/6ct w p - 0",
            "T7/8/2Cg+4/2Gg4/8/8/4r+3/7t b m - 99",
        ];
        let text = edited(seeds[seed], ALPHABET, &changes);
        match WorldTreeGame::new().parse_position(&text) {
            Err(error) => decent(&error, &text),
            Ok(position) => {
                let again = WorldTreeGame::new().parse_position(&position.position_text()).unwrap();
                prop_assert_eq!(again, position);
                prop_assert_eq!(position.zobrist_hash(), position.recomputed_hash());
                prop_assert_eq!(position.count_moves(), list_moves(&position).len() as u64);
            }
        }
    }

    #[test]
    fn plies_are_legal_or_refused(
        seed in 0usize..9,
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..3),
    ) {
        let position = if seed < 7 {
            white("Kc5 (gz)c6 Cb5 Ca5 Cc4 cd5 (RZ)f3 cg4 Sf5")
        } else {
            WorldTreeGame::new().start()
        };
        let seeds =
            ["b5b4", "a5b5-a6b6", "c5xc6:g,c6:z,d5", "Zf3xg4", "f5f6", "a5b5c4-a4b4b5", "done", "C@b8", "pass"];
        let text = edited(seeds[seed], ALPHABET, &changes);
        match position.parse_move(&text) {
            Err(error) => decent(&error, &text),
            Ok(mv) => {
                prop_assert!(list_moves(&position).contains(&mv), "{}", text);
                let written = position.move_text(mv);
                prop_assert_eq!(position.parse_move(&written).unwrap(), mv);
            }
        }
    }
}
