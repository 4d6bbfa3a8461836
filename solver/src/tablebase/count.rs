//! Counts of placements, before symmetry and after it.

use crate::retrograde::class::Class;
use crate::retrograde::game::GameData;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_tables::combination::binomial;
use std::collections::HashMap;

/// Ways to place the pieces of a class on different squares, like ones not told apart.
pub(super) fn placements(game: &GameData<'_>, class: Class) -> u128 {
    let squares: Vec<u8> = (0..game.squares as u8).collect();
    kept(game, class, &squares)
}

/// Placements that differ by more than a symmetry, with either side to move, by the lemma of Burnside: as many as an average
/// symmetry keeps. Where the class is its own exchange of sides, that leaves one of two sides to move.
pub(super) fn positions(game: &GameData<'_>, class: Class) -> u128 {
    let maps = || game.symmetries.of(class).filter(|s| !s.swap);
    let kept = maps().fold(0, |sum: u128, s| sum.saturating_add(kept(game, class, &s.squares)));
    let sides = if class.is_own_exchange(game) { 1 } else { 2 };
    kept.saturating_mul(sides) / maps().count() as u128
}

/// Placements that a map of the squares keeps as they are: like pieces fill whole cycles of the map.
fn kept(game: &GameData<'_>, class: Class, map: &[u8]) -> u128 {
    let mut groups = vec![];
    for side in Side::BOTH {
        for (k, kind) in game.kinds[side].iter().enumerate() {
            if class.0[side][k] > 0 {
                groups.push((kind.allowed, u32::from(class.0[side][k])));
            }
        }
    }
    // Cycles of one length that are in the same groups' sets form an atom: count by atom.
    let mut atoms: Vec<Atom> = vec![];
    let mut seen = Bitboard::EMPTY;
    for square in (0..game.squares).map(|s| Square::new(s as u8)) {
        if seen.has(square) {
            continue;
        }
        let (mut at, mut length) = (square, 0);
        while !seen.has(at) {
            seen |= at.bit();
            length += 1;
            at = Square::new(map[at.index()]);
        }
        let within: Vec<bool> = groups.iter().map(|(set, _)| set.has(square)).collect();
        match atoms.iter_mut().find(|atom| atom.length == length && atom.within == within) {
            Some(atom) => atom.cycles += 1,
            None => atoms.push(Atom { length, within, cycles: 1 }),
        }
    }
    let counts: Vec<u32> = groups.iter().map(|g| g.1).collect();
    let free = atoms.iter().map(|atom| atom.cycles).collect();
    ways(&counts, 0, &atoms, free, &mut Known::new())
}

/// Cycles that are alike.
struct Atom {
    /// The squares of each.
    length: u32,
    /// For each group whether its pieces can stand on them.
    within: Vec<bool>,
    cycles: u32,
}

/// Ways to place the groups of pieces from `group` on when atoms have this number of free cycles.
fn ways(counts: &[u32], group: usize, atoms: &[Atom], free: Vec<u32>, known: &mut Known) -> u128 {
    let Some(&count) = counts.get(group) else { return 1 };
    let key = (group, free);
    if let Some(&ways) = known.get(&key) {
        return ways;
    }
    let ways = share(counts, group, count, 0, atoms, key.1.clone(), known);
    known.insert(key, ways);
    ways
}

/// Ways that were counted, by the first group that is left and the free cycles.
type Known = HashMap<(usize, Vec<u32>), u128>;

/// Ways to put `count` pieces of a group on the atoms from `atom` on, and then the groups after it.
fn share(
    counts: &[u32],
    group: usize,
    count: u32,
    atom: usize,
    atoms: &[Atom],
    free: Vec<u32>,
    known: &mut Known,
) -> u128 {
    let Some(here) = atoms.get(atom) else {
        return if count == 0 { ways(counts, group + 1, atoms, free, known) } else { 0 };
    };
    let most = if here.within[group] { (count / here.length).min(free[atom]) } else { 0 };
    let mut put = |n: u32| {
        let mut left = free.clone();
        left[atom] -= n;
        let factor = u128::from(binomial(free[atom], n));
        factor.saturating_mul(share(counts, group, count - n * here.length, atom + 1, atoms, left, known))
    };
    (0..=most).fold(0, |sum: u128, n| sum.saturating_add(put(n)))
}
