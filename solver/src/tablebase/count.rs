//! Counts of placements, before symmetry and after it.

use crate::retrograde::class::Class;
use crate::retrograde::game::GameData;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_tables::combination::binomial;

/// Ways to place the pieces of a class on different squares, like ones not told apart.
pub(super) fn placements(game: &GameData<'_>, class: Class) -> u128 {
    let squares: Vec<u8> = (0..game.squares as u8).collect();
    kept(game, class, &squares)
}

/// Placements that differ by more than a symmetry, with either side to move, by the lemma of Burnside: as many as an average
/// symmetry keeps. Where the class is its own exchange of sides, that leaves one of two sides to move.
pub(super) fn positions(game: &GameData<'_>, class: Class) -> u128 {
    let maps = || game.symmetries.of(class).filter(|s| !s.swap);
    let kept: u128 = maps().map(|s| kept(game, class, &s.squares)).sum();
    let sides = if class.is_own_exchange(game) { 1 } else { 2 };
    sides * kept / maps().count() as u128
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
    ways(&counts, 0, &atoms, free)
}

/// Cycles that are alike.
struct Atom {
    /// The squares of each.
    length: u32,
    /// For each group whether its pieces can stand on them.
    within: Vec<bool>,
    cycles: u32,
}

/// Ways to place the groups from `group` on when atoms have this number of free cycles.
fn ways(counts: &[u32], group: usize, atoms: &[Atom], free: Vec<u32>) -> u128 {
    match counts.get(group) {
        Some(&count) => share(counts, group, count, 0, atoms, free),
        None => 1,
    }
}

/// Ways to put `count` pieces of a group on the atoms from `atom` on, and then the groups after it.
fn share(counts: &[u32], group: usize, count: u32, atom: usize, atoms: &[Atom], free: Vec<u32>) -> u128 {
    let Some(here) = atoms.get(atom) else {
        return if count == 0 { ways(counts, group + 1, atoms, free) } else { 0 };
    };
    let most = if here.within[group] { (count / here.length).min(free[atom]) } else { 0 };
    let put = |n: u32| {
        let mut left = free.clone();
        left[atom] -= n;
        let factor = u128::from(binomial(free[atom], n));
        factor * share(counts, group, count - n * here.length, atom + 1, atoms, left)
    };
    (0..=most).map(put).sum()
}
