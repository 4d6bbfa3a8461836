//! The index is a bijection, and finds every image of every position.

use crate::common::{self, image, maps, pieces, placements, schemes};
use jewel_engine::value::Side;
use jewel_tables::index::{Index, PieceSet};
use jewel_tables::orbits::{Counted, Orbits};
use std::collections::HashSet;

#[test]
fn every_cell_is_found_from_its_position() {
    for scheme in schemes() {
        let index = Index::new(&scheme).unwrap();
        let mut positions = 0;
        for cell in 0..index.cells() {
            let plane = index.plane(cell);
            assert!((plane.start..plane.start + plane.cells()).contains(&cell));
            let Some(sets) = index.position(cell) else { continue };
            positions += 1;
            for turn in Side::BOTH {
                let place = index.find(&pieces(&scheme, &sets), turn).unwrap();
                assert_eq!((place.cell, place.turn), (cell, turn), "{}", scheme.class());
            }
        }
        eprintln!("{}: {positions} of {}", scheme.class(), index.cells());
        // Only sets of squares that overlap without one holding the other waste cells.
        assert!(positions * 5 >= index.cells() * 3, "{}: {positions} of {}", scheme.class(), index.cells());
    }
}

#[test]
fn every_position_and_image_is_found_in_an_image_of_itself() {
    for scheme in schemes() {
        let index = Index::new(&scheme).unwrap();
        let mut used = HashSet::new();
        let mut count = 0u64;
        placements(&scheme, &mut |sets| {
            count += 1;
            let pieces_here = pieces(&scheme, sets);
            let place = index.find(&pieces_here, Side::White).unwrap();
            used.insert(place.cell);
            let stored = pieces(&scheme, &index.position(place.cell).unwrap());
            let same = |a: &[PieceSet], b: &[PieceSet]| a.len() == b.len() && a.iter().all(|m| b.contains(m));
            let shown = |map| same(&image(&pieces_here, map), &stored) && map.side(Side::White) == place.turn;
            assert!(scheme.symmetries.iter().any(shown), "{}", scheme.class());
        });
        // No slice is stored twice: there is a cell for each orbit, and more only in slices with symmetries of their own.
        let group = scheme.symmetries.len() as u64;
        assert!(used.len() as u64 >= count / group && used.len() as u64 <= index.cells());
    }
}

/// The weights of the cells add up to the placements, and positions, of which none is an image of another.
#[test]
fn cells_count_what_differs_by_more_than_a_symmetry() {
    for scheme in schemes() {
        let index = Index::new(&scheme).unwrap();
        let fits = |shown: &[PieceSet]| -> Option<Vec<u64>> {
            let set = |g: &jewel_tables::scheme::Group| {
                let like = shown.iter().filter(|m| (m.side, m.letter) == (g.side, g.letter));
                like.fold(0, |set, m| set | m.squares & g.allowed)
            };
            let sets: Vec<u64> = scheme.groups.iter().map(set).collect();
            let right =
                scheme.groups.iter().zip(&sets).all(|(g, set)| set.count_ones() == u32::from(g.count));
            right.then_some(sets)
        };
        let mut least = [HashSet::new(), HashSet::new()];
        placements(&scheme, &mut |sets| {
            let here = pieces(&scheme, sets);
            let images = scheme
                .symmetries
                .iter()
                .filter_map(|map| fits(&image(&here, map)).map(|sets| (sets, map.side(Side::White).index())));
            let images: Vec<(Vec<u64>, usize)> = images.collect();
            least[0].insert((images.iter().map(|i| i.0.clone()).min().unwrap(), 0));
            for turn in 0..2 {
                let with_turn = images.iter().map(|i| (i.0.clone(), i.1 ^ turn));
                least[1].insert(with_turn.min().unwrap());
            }
        });
        let orbits = Orbits::new(&index);
        for (counted, least, sides) in
            [(Counted::Placements, &least[0], 1), (Counted::Positions, &least[1], 2)]
        {
            let (mut sum, mut weights, mut at) = (0, vec![], 0);
            while at < index.cells() {
                // Runs of any length give the same weights.
                let end = index.cells().min(at + 1 + at * 7 % 1000);
                orbits.weights(at..end, counted, &mut weights);
                for cell in (at..end).filter(|&cell| index.position(cell).is_some()) {
                    sum += weights.get((cell - at) as usize).map_or(orbits.whole(), |&w| u64::from(w));
                }
                at = end;
            }
            assert_eq!(sides * sum, least.len() as u64 * orbits.whole(), "{}", scheme.class());
        }
    }
}

#[test]
fn ambush_wastes_little() {
    // 2 knights, 1 lancer and 2 lancers of one colour a side.
    use Side::{Black, White};
    let mut groups = vec![];
    for (letter, count, allowed) in [(b'N', 2, (1 << 25) - 1), (b'Q', 2, 0xaa_aaaa), (b'L', 1, (1 << 25) - 1)]
    {
        groups.extend([White, Black].map(|side| common::group(side, letter, count, allowed)));
    }
    let scheme = common::scheme(5, 5, groups, 2, maps(5, 5, true, true));
    let index = Index::new(&scheme).unwrap();
    // All placements: knights and lancers anywhere, and two pairs on the 12 squares.
    let mut placements = 0u64;
    for on_odd in 0..=4u64 {
        let c = jewel_tables::combination::binomial;
        // Knights of both sides, by how many of them stand on the 12 squares.
        let mut knights = 0;
        for white in 0..=on_odd.min(2) {
            let black = on_odd - white;
            if black <= 2 {
                let even = c(13, 2 - white as u32) * c(13 - (2 - white as u32), 2 - black as u32);
                knights += c(12, white as u32) * c(12 - white as u32, black as u32) * even;
            }
        }
        let left = 12 - on_odd as u32;
        placements += knights * c(left, 2) * c(left - 2, 2) * 17 * 16;
    }
    let least = placements / 16;
    let waste = index.cells() as f64 / least as f64 - 1.0;
    assert!(waste < 0.04, "{} cells, {least} orbits at least", index.cells());
}

#[test]
fn foreign_positions_are_not_found() {
    let all = schemes();
    let scheme = &all[1];
    let index = Index::new(scheme).unwrap();
    let l = |side, squares| PieceSet { side, letter: b'L', squares };
    assert!(index.find(&[l(Side::White, 1), l(Side::Black, 2)], Side::White).is_some());
    assert!(index.find(&[l(Side::White, 1)], Side::White).is_none());
    assert!(index.find(&[l(Side::White, 3), l(Side::Black, 8)], Side::White).is_none());
    assert!(index.find(&[l(Side::White, 1), l(Side::Black, 1)], Side::White).is_none());
    assert!(index.find(&[l(Side::White, 1), l(Side::Black, 1 << 9)], Side::White).is_none());
    assert!(index.find(&[l(Side::White, 1 << 63), l(Side::Black, 1)], Side::White).is_none());
    let other = PieceSet { side: Side::White, letter: b'X', squares: 4 };
    assert!(index.find(&[l(Side::White, 1), l(Side::Black, 2), other], Side::White).is_none());
}

#[test]
fn impossible_schemes_are_refused() {
    let good = schemes().swap_remove(3);
    let bad = |change: &dyn Fn(&mut jewel_tables::scheme::Scheme), words: &str| {
        let mut scheme = good.clone();
        change(&mut scheme);
        let error = Index::new(&scheme).unwrap_err();
        assert!(error.contains(words), "{error}");
    };
    bad(&|s| s.width = 0, "board of 0 x 3");
    bad(&|s| s.leading = 9, "9 of them leading");
    bad(&|s| s.groups.clear(), "0 groups");
    bad(&|s| s.groups[0].count = 0, "group 0 has 0 pieces");
    bad(&|s| s.groups[0].count = 10, "group 0 has 10 pieces");
    bad(&|s| s.groups[0].letter = b'7', "letter");
    bad(&|s| s.groups[1].side = s.groups[0].side, "overlaps");
    bad(&|s| s.symmetries.remove(0).squares.clear(), "do not form a group");
    bad(&|s| s.symmetries[0].squares[0] = 1, "not a permutation");
    bad(&|s| s.symmetries.rotate_left(1), "identity");
    bad(&|s| s.groups[0].allowed = 7, "half onto another");
    bad(&|s| (s.groups[0].count, s.groups[1].count) = (5, 5), "do not fit");
}
