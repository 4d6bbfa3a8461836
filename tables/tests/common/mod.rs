//! Schemes and values that the tests share.

use jewel_engine::value::{Side, Value};
use jewel_tables::combination::{binomial, rank, unrank};
use jewel_tables::index::{PieceSet, Plane};
use jewel_tables::scheme::{Group, Map, Scheme};
use jewel_tables::value::Cell;
use jewel_tables::writer::Values;

/// The symmetries of a board: `square` all of it, else only west and east exchanged; with `exchange` of the sides, which the
/// pawn-like games have together with south and north exchanged.
pub(crate) fn maps(width: u8, height: u8, all: bool, exchange: bool) -> Vec<Map> {
    let mut out = vec![];
    for n in 0..8u8 {
        let (transpose, files, ranks) = (n & 4 != 0, n & 1 != 0, n & 2 != 0);
        if transpose && (width != height || !all) {
            continue;
        }
        for swap in [false, true] {
            let wanted = if all { !swap || exchange } else { swap == ranks && (!swap || exchange) };
            if !wanted {
                continue;
            }
            let squares = (0..width * height)
                .map(|s| {
                    let (mut x, mut y) = (s % width, s / width);
                    if transpose {
                        (x, y) = (y, x);
                    }
                    x = if files { width - 1 - x } else { x };
                    y = if ranks { height - 1 - y } else { y };
                    y * width + x
                })
                .collect();
            out.push(Map { exchange: swap, squares });
        }
    }
    out.sort_by_key(|m| (m.squares.iter().enumerate().any(|(i, &s)| i != usize::from(s)), m.exchange));
    out
}

pub(crate) fn group(side: Side, letter: u8, count: u8, allowed: u64) -> Group {
    Group { side, letter, count, allowed }
}

/// A scheme with at least `leading` leading groups: images of leading ones join them.
pub(crate) fn scheme(
    width: u8,
    height: u8,
    mut groups: Vec<Group>,
    leading: usize,
    symmetries: Vec<Map>,
) -> Scheme {
    let mut leading = leading;
    let mut g = 0;
    while g < leading {
        for map in &symmetries {
            let image = |g: &Group| {
                let like = (map.side(g.side), g.letter, g.count, map.set(g.allowed));
                groups.iter().position(|h| (h.side, h.letter, h.count, h.allowed) == like)
            };
            let is_class = groups.iter().all(|g| image(g).is_some());
            if let Some(h) = image(&groups[g]).filter(|&h| is_class && h >= leading) {
                groups.swap(h, leading);
                leading += 1;
            }
        }
        g += 1;
    }
    Scheme { width, height, groups, leading, symmetries }
}

/// Classes of games of several kinds, with one and with two leading groups.
pub(crate) fn schemes() -> Vec<Scheme> {
    use Side::{Black, White};
    let mut out = vec![];
    let mut add = |w, h, groups: &[Group], all, exchange| {
        for leading in 1..=groups.len().min(2) {
            out.push(scheme(w, h, groups.to_vec(), leading, maps(w, h, all, exchange)));
        }
    };
    let l = |side, n| group(side, b'L', n, (1 << 9) - 1);
    for (a, b) in [(1, 1), (2, 1), (1, 3), (2, 2), (3, 3)] {
        add(3, 3, &[l(White, a), l(Black, b)], true, true);
    }
    // 4x4: rooks, and bishops of both colours, which mirrors exchange.
    let dark = 0xa5a5u64;
    let b = |side, n, set| group(side, b'B', n, set);
    let r = |side, n| group(side, b'R', n, 0xffff);
    add(4, 4, &[b(White, 1, dark), r(Black, 1)], true, true);
    add(4, 4, &[b(White, 1, dark), b(White, 1, !dark & 0xffff), r(Black, 1)], true, true);
    add(4, 4, &[b(White, 2, dark), b(White, 1, !dark & 0xffff), b(Black, 1, dark)], true, true);
    add(4, 4, &[b(White, 1, dark), b(Black, 1, dark), r(White, 1), r(Black, 1)], true, true);
    add(4, 4, &[b(White, 1, dark), b(Black, 1, !dark & 0xffff), r(White, 1)], true, true);
    // 5x5: knights, lancers that go everywhere, lancers of one colour.
    let (board, odd) = ((1 << 25) - 1, 0xaa_aaaa);
    let n = |side, n| group(side, b'N', n, board);
    let q = |side, n| group(side, b'Q', n, odd);
    add(5, 5, &[n(White, 1), q(Black, 1)], true, true);
    add(5, 5, &[q(White, 2), n(Black, 2)], true, true);
    add(5, 5, &[n(White, 1), n(Black, 1), q(White, 1), q(Black, 1)], true, true);
    add(5, 5, &[q(White, 1), n(White, 1), group(Black, b'L', 1, board)], true, false);
    // 3x5 with pawn-like pieces that never stand on their own first rank: the mirror, and exchange of sides with the ranks
    // reversed. Their squares and those of one colour overlap without one holding the other.
    let (up, down, board, colour) = (0x7ff8, 0x0fff, 0x7fff, 0x5555);
    let p = |side, n| group(side, b'P', n, if side == White { up } else { down });
    add(3, 5, &[p(White, 1), p(Black, 1)], false, true);
    add(3, 5, &[p(White, 2), p(Black, 1), group(White, b'K', 1, board)], false, true);
    add(
        3,
        5,
        &[p(White, 1), p(Black, 1), group(White, b'K', 1, board), group(Black, b'K', 1, board)],
        false,
        true,
    );
    add(3, 5, &[group(White, b'K', 1, board), group(White, b'B', 2, colour), p(White, 2)], false, false);
    out
}

/// The pieces of sets by group.
pub(crate) fn pieces(scheme: &Scheme, sets: &[u64]) -> Vec<PieceSet> {
    let mut out: Vec<PieceSet> = vec![];
    for (g, &squares) in scheme.groups.iter().zip(sets) {
        match out.iter_mut().find(|m| (m.side, m.letter) == (g.side, g.letter)) {
            Some(m) => m.squares |= squares,
            None => out.push(PieceSet { side: g.side, letter: g.letter, squares }),
        }
    }
    out
}

/// The pieces as a map shows them.
pub(crate) fn image(pieces: &[PieceSet], map: &Map) -> Vec<PieceSet> {
    pieces.iter().map(|m| PieceSet { side: map.side(m.side), squares: map.set(m.squares), ..*m }).collect()
}

/// Values made up from the squares of the pieces: all outcomes, similar for similar positions, with some outliers and some
/// don't-cares.
pub(crate) struct MadeUp<'a>(pub(crate) &'a Scheme);

pub(crate) fn made_up(sets: &[u64], turn: Side) -> Cell {
    let hash = sets
        .iter()
        .fold(turn.index() as u64, |h, &s| (h ^ s).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
    let sum = sets.iter().map(|s| s.trailing_zeros()).sum::<u32>();
    match (sum + turn.index() as u32) % 7 {
        _ if hash % 97 == 0 => Cell::ANY,
        _ if hash % 89 == 0 => Cell::loss(hash as u32 % 4096),
        0 => Cell::DRAW,
        k if k % 2 == 0 => Cell::loss(1 + 2 * (sum / 7)),
        _ => Cell::win(2 * (sum / 7) + (hash % 2) as u32),
    }
}

impl Values for MadeUp<'_> {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        fill(self.0, plane, cells, |sets| made_up(sets, turn));
    }
}

/// The same values with even losses only.
pub(crate) struct Even<'a>(pub(crate) &'a Scheme);

pub(crate) fn even(sets: &[u64], turn: Side) -> Cell {
    match made_up(sets, turn).value() {
        Some(Value::Loss(n)) => Cell::loss(n / 2 * 2),
        _ => made_up(sets, turn),
    }
}

impl Values for Even<'_> {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        fill(self.0, plane, cells, |sets| even(sets, turn));
    }
}

/// Fills a plane with the value of each placement of the groups.
fn fill(scheme: &Scheme, plane: &Plane, cells: &mut [Cell], value: impl Fn(&[u64]) -> Cell) {
    let count = |g: Option<usize>| g.map_or(0, |g| u32::from(scheme.groups[g].count));
    let mut sets = plane.sets.clone();
    for row in 0..binomial(plane.row_free.count_ones(), count(plane.row_group)) {
        let row_set = unrank(row, count(plane.row_group), plane.row_free).unwrap();
        assert_eq!(rank(row_set, plane.row_free), row);
        if let Some(g) = plane.row_group {
            sets[g] = row_set;
        }
        let free = plane.column_free & !row_set;
        for column in 0..binomial(free.count_ones(), count(plane.column_group)) {
            if let Some(g) = plane.column_group {
                sets[g] = unrank(column, count(plane.column_group), free).unwrap();
            }
            cells[(row * plane.columns + column) as usize] = value(&sets);
        }
    }
}

/// Calls `visit` with every placement of the pieces on different squares.
pub(crate) fn placements(scheme: &Scheme, visit: &mut dyn FnMut(&[u64])) {
    fn place(scheme: &Scheme, sets: &mut Vec<u64>, taken: u64, visit: &mut dyn FnMut(&[u64])) {
        let Some(g) = scheme.groups.get(sets.len()) else { return visit(sets) };
        let free = g.allowed & !taken;
        for n in 0..binomial(free.count_ones(), u32::from(g.count)) {
            let set = unrank(n, u32::from(g.count), free).unwrap();
            sets.push(set);
            place(scheme, sets, taken | set, visit);
            sets.pop();
        }
    }
    place(scheme, &mut vec![], 0, visit);
}
