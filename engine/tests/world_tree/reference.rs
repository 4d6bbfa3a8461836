//! The reference counts and plies, and the laws of every game.

use super::board::{board, plies, position};
use jewel_engine::ability::{Game, Notation, Symmetric};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side};
use jewel_engine::world_tree::{Kind, WorldTree, WorldTreeGame};
use proptest::prelude::*;
use serde_json::Value;

const SUITE: &str = include_str!("../data/perft/world-tree.json");

/// Deeper counts take too long for a test.
const LIMIT: u64 = 30_000_000;

/// The rows whose positions the rules allow.
fn rows() -> Vec<Value> {
    all_rows().into_iter().filter(|row| row["disputed"].is_null()).collect()
}

fn all_rows() -> Vec<Value> {
    let file: Value = serde_json::from_str(SUITE).unwrap();
    file["rows"].as_array().unwrap().clone()
}

/// One row has two gormoror of one player, who has one ("eleven a side"). What it is about holds for each of
/// them alone.
#[test]
fn the_disputed_row_holds_in_parts() {
    let disputed: Vec<Value> = all_rows().into_iter().filter(|row| !row["disputed"].is_null()).collect();
    let [row] = &disputed[..] else { panic!("{} rows are disputed", disputed.len()) };
    let error = WorldTreeGame::new().parse_position(row["pos"].as_str().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), row["disputed"].as_str().unwrap());
    for (gone, ply) in [("2Gg4", "c6xd6"), ("2Cg+4", "c5xd5")] {
        let without = |text: &str| {
            let left = if gone == "2Gg4" { "2G5" } else { "2C5" };
            text.replace("2Gg+4", "2Gg4").replace(gone, left)
        };
        let start = position(&without(row["pos"].as_str().unwrap()));
        let next = start.after(start.parse_move(ply).unwrap());
        let text = row["after"][ply].as_str().unwrap().replace(" None", "");
        let expected = if ply == "c5xd5" { text.replace(gone, "2C5") } else { without(&text) };
        assert_eq!(next.position_text(), expected);
    }
}

#[test]
fn counts_plies_and_results_are_those_of_the_reference() {
    let mut compared = (0, 0, 0);
    for row in rows() {
        let name = row["name"].as_str().unwrap();
        let position = position(row["pos"].as_str().unwrap());
        assert_eq!(position.position_text(), row["pos"], "{name}");
        if let Some(listed) = row["plies"].as_array() {
            assert_eq!(&Value::from(plies(&position)), &Value::from(listed.clone()), "{name}");
            compared.1 += 1;
        }
        for (ply, text) in row["after"].as_object().into_iter().flatten() {
            let next = position.after(position.parse_move(ply).unwrap());
            let winner = match next.outcome().map(|o| o.absolute(next.side_to_move()).seen_by(Side::White)) {
                Some(Outcome::Win) => "0",
                Some(Outcome::Loss) => "1",
                _ => "None",
            };
            assert_eq!(format!("{} {winner}", next.position_text()), text.as_str().unwrap(), "{name}: {ply}");
            compared.2 += 1;
        }
        for (depth, nodes) in row["perft"].as_array().unwrap().iter().enumerate() {
            let nodes = nodes.as_u64().unwrap();
            if nodes <= LIMIT {
                assert_eq!(perft(&position, depth as u32 + 1), nodes, "{name}: depth {}", depth + 1);
                compared.0 += 1;
            }
        }
    }
    assert!(compared.0 >= 42 && compared.1 >= 17 && compared.2 >= 25, "{compared:?}");
}

#[test]
fn random_games_keep_the_laws_in_both_phases() {
    laws::check(&WorldTreeGame::new(), 2, 90, 1).unwrap();
    laws::check(&WorldTreeGame::standard(), 3, 70, 2).unwrap();
}

#[test]
fn the_positions_of_the_reference_keep_the_laws() {
    for row in rows() {
        let position = position(row["pos"].as_str().unwrap());
        laws::check_position(&WorldTreeGame::new(), &position).unwrap();
    }
}

/// Packs of every shape, near the river, partly moved, with zi ri on them: rare in random games.
pub(crate) const PACKS: [&str; 9] = [
    "T7/8/2CCC3/8/8/8/8/7t w m - 0",
    "T7/2C5/2CC4/8/8/8/8/7t w m - 0",
    "T7/8/3C4/3C4/2C5/8/8/7t w m - 0",
    "T7/8/2(CZ)CC3/8/3z4/8/8/7t w m Cc6 0",
    "T7/8/2CCC3/8/8/8/8/7t w m Cd6 3",
    "T7/8/2CCC3/8/8/8/8/7t w m Cc6,Ce6 3",
    "T7/8/1C(Cz)C4/1O6/8/8/8/7t w m Ob5 0",
    "T7/8/8/8/8/3c4/4ccZ1/6t1 b m - 0",
    "T7/8/8/8/2O5/3cCC2/4cc2/6t1 w m - 99",
];

#[test]
fn packs_and_shared_squares_keep_the_laws() {
    for text in PACKS {
        laws::check_position(&WorldTreeGame::new(), &position(text))
            .unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn the_moving_phase_has_four_symmetries_and_placement_none() {
    let images = |p: &WorldTree| p.symmetries().iter().filter(|s| p.transformed(s.0, s.1).is_some()).count();
    assert_eq!(images(&WorldTreeGame::new().start()), 1);
    assert_eq!(images(&WorldTreeGame::standard().start()), 4);
}

/// The plies of cani by the words of W6, square by square.
fn packs_by_definition(position: &WorldTree, moved: &[(i32, i32)]) -> Vec<String> {
    let us = position.side_to_move();
    let square = |(file, rank): (i32, i32)| {
        let on = (0..8).contains(&file) && (0..8).contains(&rank);
        on.then(|| jewel_engine::bitboard::Square::new((rank * 8 + file) as u8))
    };
    let holds = |at, side, kind| square(at).is_some_and(|s| position.pieces(side, kind).has(s));
    let zi_ri = |at| Side::BOTH.iter().any(|&side| holds(at, side, Kind::ZiRi));
    let empty = |at| square(at).is_some_and(|s| position.solid_on(s).is_none()) && !zi_ri(at);
    let beside = |(f, r): (i32, i32)| [(f - 1, r), (f + 1, r), (f, r - 1), (f, r + 1)];
    let cani: Vec<(i32, i32)> = position
        .pieces(us, Kind::Cani)
        .into_iter()
        .map(|s| (s.index() as i32 % 8, s.index() as i32 / 8))
        .collect();
    let pack = |of: (i32, i32)| {
        let mut pack = vec![of];
        while let Some(&more) =
            cani.iter().find(|c| !pack.contains(c) && beside(**c).iter().any(|n| pack.contains(n)))
        {
            pack.push(more);
        }
        pack
    };
    let reach = |of: (i32, i32), leaving: &[(i32, i32)]| {
        let pack = pack(of);
        let range = 1 + beside(of).iter().filter(|n| cani.contains(n)).count() as i32;
        let mut found = Vec::new();
        for (df, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            for n in 1..=range {
                let at = (of.0 + n * df, of.1 + n * dr);
                let packed = pack.contains(&at) && !zi_ri(at);
                if at.0 != at.1 && (empty(at) || packed && leaving.contains(&at)) {
                    found.push(at);
                }
                if !empty(at) && !packed {
                    break;
                }
            }
        }
        found
    };
    let free: Vec<(i32, i32)> = cani.iter().copied().filter(|c| !moved.contains(c)).collect();
    let names = |set: &[(i32, i32)]| {
        let name = |c: &(i32, i32)| format!("{}{}", (b'a' + c.0 as u8) as char, c.1 + 1);
        let mut names: Vec<String> = set.iter().map(name).collect();
        names.sort();
        names.concat()
    };
    let mut texts = Vec::new();
    for chosen in 1u32..1 << free.len() {
        let group: Vec<_> =
            free.iter().enumerate().filter(|(n, _)| chosen >> n & 1 != 0).map(|(_, c)| *c).collect();
        if group.iter().any(|c| !pack(group[0]).contains(c)) {
            continue;
        }
        // Every way to give each a square of its own; texts that come up again are the same ply.
        let mut ways: Vec<Vec<(i32, i32)>> = vec![vec![]];
        for &c in &group {
            let next = reach(c, &group);
            ways = ways
                .iter()
                .flat_map(|way| {
                    next.iter().filter(|to| !way.contains(to)).map(|&to| [&way[..], &[to]].concat())
                })
                .collect();
        }
        for way in ways.iter().filter(|way| names(way) != names(&group)) {
            let dash = if group.len() > 1 { "-" } else { "" };
            texts.push(format!("{}{dash}{}", names(&group), names(way)));
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

fn cani_plies(position: &WorldTree) -> Vec<String> {
    let us = position.side_to_move();
    let cani = position.pieces(us, Kind::Cani);
    let of_cani = |text: &String| {
        let from = text.as_bytes();
        text.len() >= 4
            && !text.contains(['x', '@'])
            && (b'1'..=b'8').contains(&from[1])
            && cani.has(jewel_engine::bitboard::Square::new((from[1] - b'1') * 8 + from[0] - b'a'))
    };
    // A zi ri moves by knight's moves, which cani never do.
    let straight = |text: &String| {
        text.contains('-')
            || text.as_bytes()[0] == text.as_bytes()[2]
            || text.as_bytes()[1] == text.as_bytes()[3]
    };
    plies(position).into_iter().filter(|t| of_cani(t) && straight(t)).collect()
}

#[test]
fn w6_packs_go_where_the_definition_says() {
    for text in PACKS {
        let position = position(text);
        let field = text.split(' ').nth(3).unwrap();
        let moved: Vec<(i32, i32)> = field
            .split(',')
            .filter(|part| part.len() == 3)
            .map(|part| (i32::from(part.as_bytes()[1] - b'a'), i32::from(part.as_bytes()[2] - b'1')))
            .collect();
        assert_eq!(cani_plies(&position), packs_by_definition(&position, &moved), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(6), ..Default::default() })]

    /// Cani close to each other among obstacles.
    #[test]
    fn w6_random_packs_go_where_the_definition_says(
        corner in (1i32..4, 1i32..4),
        cani in prop::collection::btree_set((0i32..3, 0i32..3), 3),
        others in prop::collection::btree_set((0i32..6, 0i32..6), 0..7),
        zi_ri in prop::collection::vec((0i32..4, 0i32..4), 2),
    ) {
        let name = |f: i32, r: i32| format!("{}{}", (b'a' + f as u8) as char, r + 1);
        let cani: Vec<_> = cani.iter().map(|c| (corner.0 + c.0, corner.1 + c.1)).filter(|c| c.0 != c.1).collect();
        let mut cells: std::collections::BTreeMap<(i32, i32), String> = Default::default();
        cells.insert((0, 7), "T".into());
        cells.insert((7, 0), "t".into());
        for (n, at) in others.iter().enumerate() {
            cells.insert((at.0 + 1, at.1 + 1), ["S", "K", "s", "O", "k", "o", "h"][n].into());
        }
        cells.retain(|at, piece| piece != "h" || at.0 != at.1);
        for at in &cani {
            cells.insert(*at, "C".into());
        }
        for (at, letter) in zi_ri.iter().zip(["Z", "z"]) {
            let cell = cells.entry((corner.0 + at.0, corner.1 + at.1)).or_default();
            cell.push_str(letter);
        }
        let text = |piece: &str| if piece.len() > 1 { format!("({piece})") } else { piece.into() };
        let pieces: Vec<String> =
            cells.iter().map(|(at, piece)| text(piece) + &name(at.0, at.1)).collect();
        let position = position(&board(&pieces.join(" "), "w m - 0"));
        prop_assert_eq!(cani_plies(&position), packs_by_definition(&position, &[]));
        let count = list_moves(&position).len() as u64;
        prop_assert_eq!(position.count_moves(), count);
    }
}
