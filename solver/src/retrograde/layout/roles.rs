//! Which group of a class has which role.

use super::{Group, MAX_MIDDLE};
use crate::retrograde::class::Class;
use crate::retrograde::game::GameData;
use crate::retrograde::pieces::{rank, sets};
use crate::retrograde::symmetry::Symmetry;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::Side;
use jewel_tables::combination::binomial;
use std::cmp::Reverse;

/// The most placements of the outer groups that are worth listing, and the most that are listed where fewer do not do.
const MAX_OUTER: [usize; 2] = [500_000, 4_000_000];
/// The most sets of squares that a group may have, and the most that a middle group may have.
const MAX_SETS: u64 = 4_000_000;
const MAX_MIDDLE_SETS: usize = super::NO_SET as usize;
/// The cost of an outer piece's move, compared with another's (measured: the look-ups of a symmetry, a colder cache).
const OUTER: f64 = 1.5;

/// The roles of the groups of a class. Group 0 is always the column piece.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) outer: Vec<usize>,
    pub(super) middle: Vec<usize>,
    pub(super) row: Option<usize>,
    /// Whether symmetries that exchange the sides act on the layout.
    pub(super) swap: bool,
}

/// The groups of a class, the column piece first, and whether it was taken out of a group of several; `None` if a group has
/// too many placements.
pub(super) fn groups(game: &GameData<'_>, class: Class) -> Option<(Vec<Group>, bool)> {
    let mut groups = vec![];
    for side in Side::BOTH {
        for (kind, data) in game.kinds[side].iter().enumerate() {
            let count = usize::from(class.0[side][kind]);
            if count > 0 {
                groups.push(Group { side, kind, count, allowed: data.allowed, sets: vec![] });
            }
        }
    }
    // Few pieces at the start first: the order is then much the same in all classes of a game.
    let start = &game.start.0;
    groups.sort_by_key(|g| {
        let most = start[Side::White][g.kind].max(start[Side::Black][g.kind]);
        (most, Reverse(g.allowed.count()), g.kind, Reverse(g.side))
    });
    // The first single piece becomes the column piece; without one, a piece of the first group.
    let first = groups.iter().position(|g| g.count == 1).unwrap_or(0);
    let mut column = groups.remove(first);
    let split = column.count > 1;
    if split {
        groups.insert(0, Group { count: column.count - 1, ..column.clone() });
        column.count = 1;
    }
    groups.insert(0, column);
    if groups.iter().any(|g| binomial(g.allowed.count(), g.count as u32) > MAX_SETS) {
        return None;
    }
    for group in &mut groups {
        group.sets = sets(group.allowed, group.count);
    }
    Some((groups, split))
}

/// The group that a group becomes when the sides are exchanged, or not.
pub(super) fn image(groups: &[Group], swap: bool, g: usize) -> usize {
    if !swap {
        return g;
    }
    let there = |o: &Group| o.side != groups[g].side && o.kind == groups[g].kind;
    groups.iter().position(there).unwrap_or(g)
}

/// Chooses the roles: of all ways to make some of the groups outer, the cheapest; `None` if every one has too many
/// placements, or if it is given up.
pub(super) fn choose(
    game: &GameData<'_>,
    class: Class,
    groups: &[Group],
    split: bool,
    goes_on: &dyn Fn() -> bool,
) -> Option<Roles> {
    if groups.len() <= 2 {
        // One or two groups: an outer one, if there are two, and the columns.
        let outer: Vec<usize> = (1..groups.len()).collect();
        return (!outer.is_empty()).then(|| Roles { outer, ..Roles::default() });
    }
    let swap = !split && class == class.swapped() && image(groups, true, 0) == 1;
    let symmetries: Vec<&Symmetry> = game.symmetries.of(class).filter(|s| !s.swap || swap).collect();
    let rest: Vec<usize> = (2..groups.len()).collect();
    for most in MAX_OUTER {
        let mut best = (f64::MAX, vec![]);
        for choice in 1u32..1 << rest.len() {
            let (outer, middle): (Vec<usize>, Vec<usize>) =
                rest.iter().copied().partition(|g| choice >> (g - 2) & 1 != 0);
            let torn = swap && outer.iter().any(|&g| !outer.contains(&image(groups, true, g)));
            let placements: usize = outer.iter().map(|&g| groups[g].sets.len()).product();
            let crowded = middle.iter().any(|&g| groups[g].sets.len() > MAX_MIDDLE_SETS);
            if torn || placements > most || middle.len() > MAX_MIDDLE || crowded {
                continue;
            }
            if !goes_on() {
                return None;
            }
            let cost = cost(game, groups, &outer, &middle, &symmetries);
            if cost < best.0 {
                best = (cost, outer);
            }
        }
        let outer = best.1;
        if !outer.is_empty() {
            let middle = rest.into_iter().filter(|g| !outer.contains(g)).collect();
            return Some(Roles { outer, middle, row: Some(1), swap });
        }
    }
    None
}

/// What solving a class costs about, for a cell, with these outer and middle groups.
fn cost(
    game: &GameData<'_>,
    groups: &[Group],
    outer: &[usize],
    middle: &[usize],
    symmetries: &[&Symmetry],
) -> f64 {
    // Moves of the pieces of a group, on the average square.
    let moves = |g: usize| {
        let kind = &game.kinds[groups[g].side][groups[g].kind];
        let steps: usize = kind.allowed.into_iter().map(|s| kind.quiet[s.index()].len()).sum();
        groups[g].count as f64 * steps as f64 / f64::from(kind.allowed.count())
    };
    let (orbits, valid) = count_orbits(groups, outer, symmetries);
    // Slices that are their own images are stored whole.
    let waste = orbits as f64 * symmetries.len() as f64 / valid as f64;
    let blocks: f64 = middle.iter().map(|&g| groups[g].sets.len() as f64 * 0.6).product();
    let inner_moves: f64 = (0..groups.len()).filter(|g| !outer.contains(g)).map(moves).sum();
    let outer_moves: f64 = outer.iter().map(|&g| moves(g)).sum();
    waste * (inner_moves + OUTER * outer_moves + 10.0 + 60.0 / blocks)
}

/// Orbits and valid placements of the chosen outer groups.
fn count_orbits(groups: &[Group], outer: &[usize], symmetries: &[&Symmetry]) -> (usize, usize) {
    let total: usize = outer.iter().map(|&g| groups[g].sets.len()).product();
    let mut seen = vec![false; total];
    let (mut orbits, mut valid) = (0, 0);
    for number in 0..total {
        let mut here = vec![Bitboard::EMPTY; groups.len()];
        let (mut rest, mut occupied, mut clash) = (number, Bitboard::EMPTY, false);
        for &g in outer.iter().rev() {
            here[g] = groups[g].sets[rest % groups[g].sets.len()];
            rest /= groups[g].sets.len();
            clash |= (occupied & here[g]).any();
            occupied |= here[g];
        }
        if clash {
            continue;
        }
        valid += 1;
        if seen[number] {
            continue;
        }
        orbits += 1;
        for symmetry in symmetries {
            let mut there = vec![Bitboard::EMPTY; groups.len()];
            for &g in outer {
                there[image(groups, symmetry.swap, g)] = symmetry.sets.apply(here[g]);
            }
            let number = outer
                .iter()
                .fold(0, |n, &g| n * groups[g].sets.len() + rank(there[g], groups[g].allowed) as usize);
            seen[number] = true;
        }
    }
    (orbits, valid)
}
