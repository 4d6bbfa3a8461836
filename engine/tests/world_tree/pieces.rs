//! Each line of the table of pieces: how it moves, attacks and resists, and who shares squares.

use super::board::{after, attacks, black, board, legal, plies, position, seen, steps, white};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::world_tree::Kind;

#[test]
fn towns_stay_on_the_edge_of_their_bank() {
    let at = |square: &str| steps(&position(&board(&format!("T{square} th1"), "w m - 0")), square);
    assert_eq!(at("a8"), "a7 b8");
    // The source's diagram: neither h8, the river, nor h7 through the ford, nor f7, off the edge.
    assert_eq!(at("g8"), "f8");
    assert_eq!(at("a2"), "a3");
    assert_eq!(at("b8"), "a7 a8 c8", "cutting the corner");
    assert_eq!(steps(&black(""), "h1"), "g1 h2");
    assert_eq!(steps(&white("Cb8 za7"), "a8"), "", "no square that a zi ri is on");
    assert_eq!(attacks(&white("cb8 oa7")), "", "towns do not attack");
}

#[test]
fn a_lone_cani_steps_once_and_stays_dry() {
    assert_eq!(steps(&white("Cc5"), "c5"), "b5 c4 c6 d5");
    assert_eq!(steps(&white("Cc4"), "c4"), "b4 c5", "c3 and d4 are the river");
    assert_eq!(steps(&white("Cc5 zc6 kb5"), "c5"), "c4 d5");
}

#[test]
fn gormoror_go_three_squares_over_the_river() {
    assert_eq!(steps(&white("Gb4"), "b4"), "a4 b1 b3 b5 b6 b7 c4 e4");
    assert_eq!(steps(&white("Gb4 zb5 oc4"), "b4"), "a4 b1 b3");
}

#[test]
fn khtsoyis_step_anywhere_into_the_river_too() {
    assert_eq!(steps(&white("Kc4"), "c4"), "b3 b4 b5 c3 c5 d3 d4 d5", "d3 through the ford");
    assert_eq!(steps(&white("Kc3"), "c3"), "b2 b3 b4 c2 c4 d2 d3 d4");
}

#[test]
fn herethroy_go_three_squares_any_way_over_river_and_fords() {
    // b3-a2, c3-c2-c1 over the river, d3-e2-f1 through the ford; never c3, d4.
    let all = "a2 a4 a6 b3 b4 b5 c1 c2 c5 c6 c7 d3 d5 e2 e4 e6 f1 f4 f7";
    assert_eq!(steps(&white("Hc4"), "c4"), all);
}

#[test]
fn orren_go_along_the_river_to_any_empty_square_of_it() {
    assert_eq!(steps(&white("Ob4"), "b4"), "a4 b1 b2 b3 b5 b6 b7 c4 d4 e4");
    let river = steps(&white("Ob2 kd4 zf6"), "b2");
    assert_eq!(river, "a1 a2 b1 b3 b4 b5 c2 c3 d2 e2 e5 g7 h8", "not where a zi ri is");
    assert!(!steps(&white("Ob4"), "b4").contains("a1"), "from the bank no further than lines go");
}

#[test]
fn rassimel_cross_by_fords_only() {
    assert_eq!(steps(&white("Rc4"), "c4"), "a4 b4 c5 c6 d3");
    assert_eq!(steps(&white("Rb5"), "b5"), "a5 b3 b4 b6 b7 c5 d5");
    assert_eq!(steps(&white("Rc4 zd3"), "c4"), "a4 b4 c5 c6");
}

#[test]
fn sleeth_go_three_squares_any_way_into_the_river_too() {
    assert_eq!(steps(&white("Sc4"), "c4"), "a2 a4 a6 b3 b4 b5 c1 c2 c3 c5 c6 c7 d3 d4 d5 e2 e4 e6 f1 f4 f7");
    assert_eq!(steps(&white("Sc4 zc5 ob3 sd4 cd3 cb5 Ob4 hd5 kc3"), "c4"), "");
}

#[test]
fn zi_ri_leap_onto_any_square() {
    let crowd = white("Zc4 Cd6 cb6 ka3 oe5 Ob2");
    assert_eq!(steps(&crowd, "c4"), "a3 a5 b2 b6 d2 d6 e3 e5");
    assert_eq!(seen(&crowd, "c4d6 done"), "T7/8/1c1(CZ)4/4o3/8/k7/1O6/7t b");
}

/// What becomes of a victim: taken, marked, or immune, so that there is no such attack.
fn fate(attacker: &str, victim: &str) -> String {
    let start = white(&format!("{attacker} {victim}"));
    let ply = format!("{}x{}", &attacker[attacker.len() - 2..], &victim[victim.len() - 2..]);
    if !legal(&start, &ply) {
        return "immune".into();
    }
    let next = after(&start, &ply);
    let kind = Kind::from_letter(victim.chars().next().unwrap().to_ascii_uppercase()).unwrap();
    match next.pieces(Side::Black, kind).any() {
        true if next.is_marked(Side::Black, kind) => "marked".into(),
        true => "unharmed".into(),
        false => "taken".into(),
    }
}

#[test]
fn who_resists_what() {
    // Weapon from below, magic from below to the left, a pounce from afar.
    for (victim, weapon, magic) in [
        ("c", "taken", "taken"),
        ("g", "marked", "taken"),
        ("g+", "taken", "taken"),
        ("k", "taken", "taken"),
        ("h", "immune", "taken"),
        ("o", "taken", "taken"),
        ("r", "taken", "marked"),
        ("r+", "taken", "taken"),
        ("s", "taken", "taken"),
        ("z", "taken", "immune"),
    ] {
        let victim_on = |square: &str| format!("{victim}{square}");
        for attacker in ["C", "G", "K", "H", "R"] {
            assert_eq!(fate(&format!("{attacker}b5"), &victim_on("b6")), weapon, "{attacker} x {victim}");
        }
        for attacker in ["O", "Z", "R"] {
            assert_eq!(fate(&format!("{attacker}b5"), &victim_on("c6")), magic, "{attacker} x {victim}");
        }
        assert_eq!(fate("Sb5", &victim_on("b8")), "taken", "pounce on {victim}");
        // Weapons do not reach diagonally, nor magic orthogonally.
        for (attacker, square) in
            [("C", "c6"), ("G", "c6"), ("K", "c6"), ("H", "c6"), ("O", "b6"), ("Z", "b6")]
        {
            assert_eq!(fate(&format!("{attacker}b5"), &victim_on(square)), "immune", "{attacker} x {victim}");
        }
    }
}

#[test]
fn the_river_shields_orren_from_weapons_only() {
    for attacker in ["C", "G", "K", "H", "R"] {
        assert_eq!(fate(&format!("{attacker}b3"), "oc3"), "immune", "{attacker}");
        assert_eq!(fate(&format!("{attacker}b4"), "oc4"), "taken", "{attacker}, on the bank");
    }
    assert_eq!(fate("Rb4", "oc3"), "taken", "by magic");
    assert_eq!(fate("Zb4", "oc3"), "taken");
    assert_eq!(fate("Sa3", "oc3"), "taken");
    assert_eq!(fate("Kb2", "kb3"), "taken", "no one else is shielded");
}

#[test]
fn herethroy_fight_on_their_own_bank_only() {
    assert_eq!(fate("Hb5", "cb6"), "taken");
    assert_eq!(fate("Hf2", "cf3"), "immune");
    assert_eq!(attacks(&black("hf2 Cf3")), "f2xf3");
    assert_eq!(attacks(&black("hb5 Cb6")), "");
    // Over the river it reaches from its bank.
    assert_eq!(fate("Hb3", "sc3"), "taken");
}

#[test]
fn marked_pieces_fall_and_lose_no_marker_by_moving() {
    let start = white("G+c6 ge2");
    assert!(seen(&start, "c6c5 done").contains("G+"));
    let twice = after(&white("Gc5 gc6 Oa7"), "c5xc6 h1g1 done c5xc6");
    assert!(twice.pieces(Side::Black, Kind::Gormoror).is_empty());
    assert!(!twice.is_marked(Side::Black, Kind::Gormoror));
    let first = after(&white("Gc5 gc6 Oa7"), "c5xc6");
    assert_eq!(first.quiet_turns(), 1, "a resisted attack is not a capture");
}

#[test]
fn the_capture_of_the_town_ends_the_game() {
    for (attacker, ply) in
        [("Cg1", "g1xh1"), ("Kh2", "h2xh1"), ("Zg2", "g2xh1"), ("Se1", "e1xh1"), ("Rg2", "g2xh1")]
    {
        let end = after(&white(attacker), ply);
        assert_eq!((end.outcome(), end.count_moves()), (Some(Outcome::Loss), 0), "{attacker}");
        assert_eq!(end.side_to_move(), Side::Black);
    }
}

#[test]
fn a_khtsoyis_hits_up_to_three_times_and_nothing_in_vain() {
    // A fresh gormoror twice, a marked one once; order has no effect.
    let fresh = white("Kc5 gc6 cb5");
    assert_eq!(attacks(&fresh), "c5xb5 c5xb5,c6 c5xb5,c6,c6 c5xc6 c5xc6,c6");
    assert_eq!(attacks(&white("Kc5 g+c6 cb5")), "c5xb5 c5xb5,c6 c5xc6");
    assert_eq!(seen(&fresh, "c5xb5,c6"), "T7/8/2g+5/2K5/8/8/8/7t b");
    assert_eq!(seen(&fresh, "c5xb5,c6,c6"), "T7/8/8/2K5/8/8/8/7t b");
    assert_eq!(after(&fresh, "c5xc6,b5,c6"), after(&fresh, "c5xb5,c6,c6"), "read in any order");
    // Four targets: 4 + 6 + 4; an immune one is none; two on a square are two.
    assert_eq!(attacks(&white("Kb5 ca5 cb6 cb4 rc5")).split(' ').count(), 14);
    assert_eq!(attacks(&white("Kb5 ha5")), "");
    assert_eq!(attacks(&white("Kb5 (hz)a5")), "b5xa5:z");
    let five = white("Kb5 (gz)a5 cb6 cb4 rc5");
    // Of five one that counts twice: 5; 10 and itself; 10 and four with itself twice.
    assert_eq!(attacks(&five).split(' ').count(), 5 + 11 + 14);
    assert!(legal(&five, "b5xa5:g,a5:g,a5:z"));
}

#[test]
fn two_enemies_on_a_square_are_told_apart() {
    let shared = white("Sb6 (cz)d6 Rc5 Kd5");
    assert_eq!(attacks(&shared), "b6xd6:c c5xd6:c d5xd6:c d5xd6:c,d6:z d5xd6:z");
    // Own pieces on the target square are unharmed, and do not make it ambiguous.
    let own = white("Gc6 (cZ)c5");
    assert!(legal(&own, "c6xc5"));
    assert_eq!(seen(&own, "c6xc5"), "T7/8/2G5/2Z5/8/8/8/7t b");
    // A prefix tells an attacking zi ri from the rassimel, the orren or the sleeth on its square.
    let sharing = white("(RZ)c5 cd6");
    assert_eq!(attacks(&sharing), "Zc5xd6 c5xd6");
    assert_eq!(attacks(&black("(rz)f4 Cg5")), "Zf4xg5 f4xg5");
    assert_eq!(attacks(&white("Zc5 cd6")), "c5xd6");
}

#[test]
fn nobody_but_zi_ri_enters_a_taken_square_or_theirs() {
    assert_eq!(steps(&white("Gc6 Zc7 zc5"), "c6"), "a6 b6 d6 e6");
    // A pounce leaves only zi ri with the sleeth.
    assert_eq!(attacks(&white("Sc6 ze6")), "c6xe6");
    assert_eq!(attacks(&white("Sc6 (cZ)e6")), "c6xe6");
    assert_eq!(attacks(&white("Sc6 (Zz)e6")), "c6xe6");
    assert_eq!(attacks(&white("Sc6 (Oz)e6")), "", "the orren would be left");
    assert_eq!(attacks(&white("Sc6 (cZz)e6")), "c6xe6:c");
    assert_eq!(seen(&white("Sc6 (cZ)e6"), "c6xe6"), "T7/8/4(SZ)3/8/8/8/8/7t b");
    // Three on a square.
    let three = after(&white("Cc6 Zb4 ze5"), "b4c6 done e5c6");
    assert!(plies(&three).contains(&"done".to_string()));
    assert_eq!(seen(&three, "done"), "T7/8/2(CZz)5/8/8/8/8/7t w");
}
