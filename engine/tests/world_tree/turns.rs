//! The decisions W1 to W7 and what a turn is: each test fails if its rule is reversed.

use super::board::{after, attacks, black, legal, plies, position, refusal, seen, steps, white};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::world_tree::WorldTreeGame;

#[test]
fn w1_the_cells_are_mirror_images_but_for_2_and_4() {
    let first = ["b8", "b7", "a7", "a6", "b6", "c6", "c7", "c8", "d8", "a5"];
    let second = ["g1", "g2", "h2", "f1", "f2", "f3", "g3", "h3", "h4", "e1"];
    let mut position = WorldTreeGame::new().start();
    for (n, letter) in "CKOCGSHRZC".chars().enumerate() {
        for cells in [first, second] {
            assert!(plies(&position).iter().all(|ply| ply.ends_with(&format!("@{}", cells[n]))));
            position = after(&position, &format!("{letter}@{}", cells[n]));
        }
    }
    // The first player moves then, and nothing counts as quiet.
    assert_eq!(position.position_text(), "TCRZ4/OKH5/CGS5/C7/7z/5shr/5gko/4ccct w m - 0");
    for n in [1, 3, 4, 5, 6, 7, 8, 9, 0, 2] {
        let mirrored: String = [b'a' + first[n].as_bytes()[1] - b'1', b'1' + first[n].as_bytes()[0] - b'a']
            .iter()
            .map(|b| *b as char)
            .collect();
        let number = [2, 1, 0, 3, 4, 5, 6, 7, 8, 9][n];
        assert_eq!(mirrored, second[number], "number {}", n + 2);
    }
}

#[test]
fn placement_takes_any_piece_in_hand_and_no_other_cell() {
    let start = WorldTreeGame::new().start();
    assert_eq!(plies(&start).concat(), "C@b8G@b8H@b8K@b8O@b8R@b8S@b8Z@b8");
    let later = after(&start, "G@b8 Z@g1 C@b7 C@g2 C@a7 C@h2");
    assert_eq!(plies(&later).concat(), "C@a6H@a6K@a6O@a6R@a6S@a6Z@a6", "no second gormoror, a third cani");
    let none = after(&later, "C@a6 G@f1");
    assert!(!legal(&none, "C@b6"));
    assert_eq!(none.quiet_turns(), 0);
}

#[test]
fn w2_a_turn_is_two_moves_by_different_pieces() {
    let start = white("Gc6 Ob5 kf3 Cd6");
    let mid = after(&start, "c6c5");
    assert_eq!(mid.side_to_move(), Side::White);
    assert_eq!(mid.position_text(), "T7/8/3C4/1OG5/8/5k2/8/7t w m Gc5 0");
    assert!(steps(&mid, "c5").is_empty() && legal(&mid, "done") && legal(&mid, "b5b4"));
    for second in ["b5b4", "done", "a8a7", "d6d7"] {
        let end = after(&mid, second);
        assert_eq!((end.side_to_move(), end.is_mid_turn()), (Side::Black, false), "{second}");
        assert_eq!(end.quiet_turns(), 1);
    }
    assert!(!legal(&start, "done") && !legal(&start, "pass") && !legal(&mid, "pass"));
}

#[test]
fn w2_an_attack_is_a_whole_turn() {
    let start = white("Gc6 Ob5 kc5 Cd6 sf3");
    assert_eq!(attacks(&start), "c6xc5");
    let end = after(&start, "c6xc5");
    assert_eq!((end.side_to_move(), end.quiet_turns()), (Side::Black, 0));
    // Not after a move, neither by the piece that moved nor by another.
    assert_eq!(attacks(&after(&start, "b5b6")), "");
    assert_eq!(attacks(&after(&start, "c6b6")), "");
}

#[test]
fn w2_a_pack_counts_as_one_move() {
    let start = white("Cc6 Cd6 Ob5");
    let mid = after(&start, "c6d6-c7d7");
    assert_eq!(mid.position_text(), "T7/2CC4/8/1O6/8/8/8/7t w m Cc7,Cd7 0");
    assert_eq!(after(&mid, "b5b4").side_to_move(), Side::Black);
    assert!(steps(&mid, "c7").is_empty() && steps(&mid, "d7").is_empty());
}

#[test]
fn passing_is_for_those_who_can_do_nothing() {
    let stuck = position("Tc6/h7/8/8/8/8/8/7t w m - 3");
    assert_eq!(plies(&stuck), ["pass"]);
    assert_eq!(after(&stuck, "pass").position_text(), "Tc6/h7/8/8/8/8/8/7t b m - 4");
    // An attack but no move: it must be made.
    assert_eq!(plies(&position("TCc5/hc6/8/8/8/8/8/7t w m - 0")), ["b8xb7", "b8xc8"]);
}

#[test]
fn w3_a_sleeth_pounces_up_to_three_squares_over_nothing() {
    let far = white("Sa4 kd4 oa1 cd7 ze4");
    assert_eq!(attacks(&far), "a4xa1 a4xd4 a4xd7", "e4 is four away");
    let blocked = white("Sa4 kd4 zb4 oa1 Ob5 cd7");
    assert_eq!(attacks(&blocked), "a4xa1 a4xb4");
    assert_eq!(seen(&far, "a4xd7"), "T7/3S4/8/8/3kz3/8/8/o6t b");
    // Through a ford and across the river.
    assert_eq!(attacks(&white("Sa2 cb1 kd2")), "a2xb1 a2xd2");
}

#[test]
fn w4_a_piece_on_the_river_square_blocks_a_line_over_it() {
    // a3-b2-c1 runs over b2; b3-c2 passes a ford with nothing between.
    let free = white("Ha3 Ob3");
    assert!(legal(&free, "a3c1") && legal(&white("Ha3 oa5"), "a3c1"));
    for blocker in ["ob2", "kb2", "Zb2"] {
        assert!(!legal(&white(&format!("Ha3 {blocker}")), "a3c1"), "{blocker}");
    }
    assert!(legal(&white("Hb3 ob2 kc3"), "b3c2") && legal(&white("Rb3 ob2 kc3"), "b3c2"));
    // Orthogonally: d6-d5-d4-d3 over d4.
    assert_eq!(steps(&white("Gd6"), "d6"), "a6 b6 c6 d3 d5 d7 d8 e6 g6");
    assert_eq!(steps(&white("Gd6 kd4"), "d6"), "a6 b6 c6 d5 d7 d8 e6 g6");
    let pack = white("Cc4 Cc5");
    assert!(legal(&pack, "c4c2") && !legal(&white("Cc4 Cc5 zc3"), "c4c2"));
}

#[test]
fn w5_repetition_is_of_starts_of_turns_with_markers_and_side() {
    let start = white("Gc6 g+e2");
    let back = after(&start, "c6c5 done e2e3 done c5c6 done e3e2 done");
    assert_eq!(back.repetition_hash(), start.repetition_hash());
    assert_ne!(back, start, "the count of quiet turns");
    assert_eq!(back.quiet_turns(), 4);
    assert_eq!(after(&start, "c6c5").repetition_hash(), None);
    let others = [white("G+c6 g+e2"), white("Gc6 ge2"), black("Gc6 g+e2"), white("Gc6 Oa7 g+e2")];
    for other in &others {
        assert_ne!(other.repetition_hash(), start.repetition_hash(), "{other:?}");
    }
    assert_eq!(WorldTreeGame::new().repetition(), 3);
    // A turn gets to the same place by a move of one piece or of another.
    assert_ne!(after(&start, "c6c5").zobrist_hash(), after(&white("Gc5 g+e2"), "a8a7").zobrist_hash());
}

#[test]
fn w5_a_hundred_quiet_turns_draw() {
    let nearly = position("T7/8/2Gg4/8/8/4z3/8/5C1t w m - 99");
    assert_eq!(nearly.outcome(), None);
    for quiet in ["c6c5 done", "c6c5 f1g1", "c6xd6"] {
        let end = after(&nearly, quiet);
        assert_eq!((end.outcome(), end.quiet_turns()), (Some(Outcome::Draw), 100), "{quiet}");
        assert!(!plies(&end).is_empty(), "adjudicated, not decided");
    }
    assert_eq!(after(&nearly, "c6c5").outcome(), None, "not within a turn");
    // A capture resets the count, and so does a sacrifice by an attack that only marks.
    let shared = position("T7/8/2Gg4/8/8/8/8/5(Cz)1t w m - 99");
    assert_eq!(after(&shared, "c6xd6").quiet_turns(), 0);
    let marked = position("T7/8/2Gg+4/8/8/8/8/5C1t w m - 99");
    assert_eq!(after(&marked, "c6xd6").quiet_turns(), 0);
    // The capture of the town goes before everything else.
    let won = after(&position("T7/8/8/8/8/8/8/6Ct w m - 99"), "g1xh1");
    assert_eq!((won.outcome(), won.count_moves()), (Some(Outcome::Loss), 0));
    assert_eq!(position("8/8/8/8/8/8/8/6Ct w m - 100").outcome(), Some(Outcome::Loss));
}

#[test]
fn w6_a_pack_is_counted_afresh_in_the_second_ply() {
    // Apart, they do not move together; the orren makes way and nothing else changes.
    let apart = white("Cc6 Ce6");
    assert_eq!((steps(&apart, "c6"), steps(&apart, "e6")), ("b6 c5 c7 d6".into(), "d6 e7".into()));
    // c6 comes to e6, and now the one that stayed has two squares; the one that moved may not move again.
    let mid = after(&apart, "c6d6");
    assert_eq!(steps(&mid, "e6"), "c6 e4 e7 e8 g6");
    assert!(steps(&mid, "d6").is_empty());
    assert!(!plies(&mid).iter().any(|ply| ply.contains('-')));
}

#[test]
fn w6_who_goes_where_is_not_told_apart() {
    let pair = white("Cc6 Cd6");
    let packs = plies(&pair).into_iter().filter(|ply| ply.contains('-')).count();
    let mut boards: Vec<String> =
        plies(&pair).iter().filter(|ply| ply.contains('-')).map(|ply| seen(&pair, ply)).collect();
    boards.sort();
    boards.dedup();
    assert_eq!(boards.len(), packs);
    assert!(!legal(&pair, "c6d6-c6d6"));
    assert!(legal(&pair, "c6d6-b6c6") && legal(&pair, "c6b6"));
}

#[test]
fn w6_a_zi_ri_blocks_the_way_and_the_place() {
    // Over a cani of the pack: not if a zi ri is with it, whosever.
    assert!(legal(&white("Cb6 Cc6"), "b6d6"));
    assert!(!legal(&white("Cb6 (CZ)c6"), "b6d6") && !legal(&white("Cb6 (Cz)c6"), "b6d6"));
    // Into a square just left: not where a zi ri stays.
    assert!(legal(&white("Cb6 Cc6"), "b6c6-c6d6"));
    assert!(!legal(&white("Cb6 (Cz)c6"), "b6c6-c6d6"));
    // The one that shares its square may leave.
    assert!(legal(&white("Cb6 (Cz)c6"), "b6c6-b7c7") && legal(&white("Cb6 (Cz)c6"), "c6c8"));
}

#[test]
fn w6_three_in_a_pack_range_by_their_neighbours() {
    // The source's diagram: the middle one has two neighbours and goes three squares.
    let line = white("Cc7 Cc6 Cd6");
    assert_eq!(steps(&line, "c7"), "a7 b7 c5 c8 d7 e7");
    assert_eq!(steps(&line, "d6"), "b6 d5 d7 d8 e6");
    assert_eq!(steps(&line, "c6"), "a6 b6 c4 c5 c8 e6");
    // All three at once, into the squares of each other as well.
    assert!(legal(&line, "c6c7d6-c7d7e6") && legal(&line, "c6c7d6-a6b7d8"));
    assert!(!legal(&line, "c6c7d6-a6b7f6"), "f6 is wet");
}

#[test]
fn w7_the_glorious_sacrifice() {
    // Whatever attacks, and if it only marks: the zi ri on the orren's square goes too.
    let start = white("Gc6 gd6 (Oz)b5 Cc5");
    assert_eq!(seen(&start, "c6xd6"), "T7/8/2Gg+4/1OC5/8/8/8/7t b");
    // Not by moves, and there is no attack without a target.
    assert_eq!(seen(&start, "c5c4 done"), "T7/8/2Gg4/1(Oz)6/2C5/8/8/7t b");
    assert_eq!(attacks(&white("Gc6 (Oz)b5 Ca6")), "");
    // It stood there before the attack: where the pounce goes it is spared.
    let pounce = white("Sc6 (cz)e6");
    assert_eq!(seen(&pounce, "c6xe6:c"), "T7/8/4(Sz)3/8/8/8/8/7t b");
    // The attacker's own square, and that of the player's zi ri, count as well.
    assert_eq!(seen(&white("(Sz)c6 ce6"), "c6xe6"), "T7/8/4S3/8/8/8/8/7t b");
    assert_eq!(seen(&white("Sc6 ce6 (Zz)a3"), "c6xe6"), "T7/8/4S3/8/8/Z7/8/7t b");
    // Only the enemy's.
    assert_eq!(seen(&white("Sc6 ce6 (oZ)a3"), "c6xe6"), "T7/8/4S3/8/8/(oZ)7/8/7t b");
    // A khtsoyis may hit it besides, without more effect.
    let both = white("Kc6 (Cz)c5 sd6");
    assert!(["c6xc5", "c6xc5,d6", "c6xd6"].iter().all(|ply| !seen(&both, ply).contains('z')));
    assert_eq!(attacks(&both), "c6xc5 c6xc5,d6 c6xd6");
}

#[test]
fn errors_of_a_turn_are_one_clear_line() {
    let start = white("Gc6 Ob5 kc5 Cd6 Cd7");
    let mid = after(&start, "c6b6");
    for (text, line) in [
        ("b6b7", "the gormoror on b6 has moved this turn already; another piece may move, or write \"done\""),
        ("d6xd5", "an attack is a whole turn: none after a move; move another piece or write \"done\""),
        ("pass", "\"pass\" is for a player who can neither move nor attack"),
    ] {
        assert_eq!(refusal(&mid, text), line);
    }
    assert_eq!(refusal(&start, "c6xc5,d6xd5"), "an attack is a whole turn: \"d6xd5\" cannot follow it");
    assert_eq!(refusal(&start, "done"), "\"done\" ends a turn after one move, and nothing has moved yet");
    let packed = after(&start, "d6d7-e6e7");
    assert!(refusal(&packed, "e6e7-d6d7").starts_with("the cani on e6 has moved this turn already"));
}
