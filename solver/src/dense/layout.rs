//! The index of a game with hands: from positions to the numbers of cells and back, without gaps or look-ups of positions.
//!
//! A *class* is how many pieces of each type each side has on the board and in hand. Within a class, each group of like pieces
//! is ranked among the squares that the groups before it leave free. So a class with `n_1, n_2, ...` pieces on `s` squares
//! has `C(s, n_1) * C(s - n_1, n_2) * ...` cells, each of them a placement.
//!
//! If the rules know an exchange of sides, all positions are seen with White to move. If they know a mirror, the first royal
//! piece is kept on one half of the board; where it stands on the axis, a position and its mirror image are two cells.

use super::Unsuitable;
use ahash::AHashMap;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::bits::{deposit, extract};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_tables::combination::binomial;

/// Most piece types of a game.
pub(super) const KINDS: usize = 16;
/// Most classes of a game.
const MAX_CLASSES: usize = 1 << 20;

/// What stands on the board and is in hand, by side and type, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed {
    pub(super) board: [[u64; KINDS]; 2],
    pub(super) hand: [[u8; KINDS]; 2],
    pub(super) turn: Side,
}

impl Placed {
    pub(super) fn of<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> Placed {
        let mut placed = Placed::empty(position.side_to_move());
        for side in Side::BOTH {
            for kind in 0..position.rules().type_count() {
                placed.board[side.index()][kind] = position.pieces(side, kind as u8).0;
                placed.hand[side.index()][kind] = position.in_hand(side, kind as u8);
            }
        }
        placed
    }

    pub(super) fn empty(turn: Side) -> Placed {
        Placed { board: [[0; KINDS]; 2], hand: [[0; KINDS]; 2], turn }
    }

    /// The position for the rules engine.
    #[inline]
    pub(super) fn position<'r, S: RuleSubset, const N: usize>(&self, rules: &'r Rules) -> ChessLike<'r, S, N> {
        let each = || {
            let kinds = rules.type_count().min(KINDS);
            Side::BOTH.into_iter().flat_map(move |side| (0..kinds).map(move |kind| (side, kind)))
        };
        let board = each().map(|(side, kind)| (kind as u8, side, Bitboard(self.board[side.index()][kind])));
        let hands = each().map(|(side, kind)| (side, kind as u8, self.hand[side.index()][kind]));
        ChessLike::assemble(rules, self.turn, board).with_hands(hands)
    }

    pub(super) fn occupied(&self) -> u64 {
        self.board.iter().flatten().fold(0, |all, set| all | set)
    }
}

/// How many pieces of each type each side has on the board and in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Counts {
    board: [[u8; KINDS]; 2],
    hand: [[u8; KINDS]; 2],
}

impl Counts {
    fn of(placed: &Placed) -> Counts {
        Counts { board: placed.board.map(|side| side.map(|set| set.count_ones() as u8)), hand: placed.hand }
    }

    fn swapped(self) -> Counts {
        Counts { board: [self.board[1], self.board[0]], hand: [self.hand[1], self.hand[0]] }
    }
}

/// A class of the layout.
#[derive(Clone, Debug)]
struct ClassLayout {
    counts: Counts,
    /// Groups on the board in the order of the index: side, type, number, and placements of the group.
    groups: Vec<(u8, u8, u8, u64)>,
    /// The first cell.
    start: u64,
}

/// The index of all positions of a game with hands.
#[derive(Debug)]
pub(super) struct Layout<'r> {
    pub(super) rules: &'r Rules,
    squares: u32,
    board: u64,
    /// The image of each square under the exchange of sides, if the rules know one.
    exchange: Option<Vec<u8>>,
    /// The image of each square under a mirror that exchanges no sides.
    mirror: Option<Vec<u8>>,
    /// The squares of the first piece, under the mirror.
    half: u64,
    /// The type whose piece leads: each side has exactly one, for the whole game.
    leader: Option<u8>,
    classes: Vec<ClassLayout>,
    /// Classes by their code.
    codes: AHashMap<u64, u32>,
    /// What a piece on the board and one in hand add to the code, by side and type.
    weights: [[[u64; KINDS]; 2]; 2],
    /// Cells of one side to move.
    turn_cells: u64,
}

impl<'r> Layout<'r> {
    /// Lays out all classes that the start position leads to.
    ///
    /// # Errors
    /// If the game is none for dense tables.
    pub(super) fn new<S: RuleSubset, const N: usize>(
        rules: &'r Rules,
        start: &ChessLike<'r, S, N>,
    ) -> Result<Layout<'r>, Unsuitable> {
        let squares = rules.geometry.squares().count() as u32;
        let map = |symmetry: Symmetry| -> Vec<u8> {
            let image = |square| symmetry.square(rules.geometry, square).index() as u8;
            rules.geometry.squares().map(image).collect()
        };
        let known = |exchange, symmetry: &Symmetry| rules.symmetries().contains(&(*symmetry, exchange));
        let all: Vec<Symmetry> = Symmetry::all(rules.geometry).collect();
        let exchange = all.iter().find(|s| known(true, s)).map(|&s| map(s));
        let leader = rules.royal.or(rules.captured_royal).filter(|&kind| {
            Side::BOTH.iter().all(|&side| start.pieces(side, kind).count() == 1)
                && (0..rules.type_count() as u8)
                    .all(|k| Side::BOTH.iter().all(|&s| rules.promotion(k, s).is_none_or(|p| !p.to.contains(&kind))))
                && rules.dropped_from(kind).is_none()
        });
        let mirror_files = Symmetry { mirror_files: true, ..Symmetry::IDENTITY };
        let mirror = leader.filter(|_| known(false, &mirror_files)).map(|_| map(mirror_files));
        let half = mirror.as_ref().map_or(!0, |mirror| {
            (0..mirror.len()).filter(|&s| s % rules.geometry.width() as usize <= mirror[s] as usize % rules.geometry.width() as usize).fold(0, |set, s| set | 1 << s)
        });
        let mut layout = Layout {
            rules,
            squares,
            board: rules.geometry.all().0,
            exchange,
            mirror,
            half: half & rules.geometry.all().0,
            leader,
            classes: vec![],
            codes: AHashMap::new(),
            weights: [[[0; KINDS]; 2]; 2],
            turn_cells: 0,
        };
        layout.enumerate(Counts::of(&Placed::of(start)))?;
        Ok(layout)
    }

    /// Finds the classes and gives them their cells.
    fn enumerate(&mut self, start: Counts) -> Result<(), Unsuitable> {
        let mut seen = std::collections::BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(counts) = open.pop() {
            let mut next = self.after(counts);
            if self.exchange.is_some() {
                next.push(counts.swapped());
            }
            for counts in next {
                if seen.insert(counts) {
                    open.push(counts);
                }
            }
            if seen.len() > MAX_CLASSES {
                return Err(Unsuitable::Classes(MAX_CLASSES));
            }
        }
        let most = seen.iter().flat_map(|c| [c.board, c.hand]).flatten().flatten().max().unwrap_or(0);
        let mut weight = 1u64;
        for place in &mut self.weights {
            for side in place {
                for weight_of in side.iter_mut().take(self.rules.type_count()) {
                    *weight_of = weight;
                    // Where this does not fit 64 bits, two codes may be alike: classes are compared.
                    weight = weight.wrapping_mul(u64::from(most) + 1);
                }
            }
        }
        for counts in seen {
            self.add(counts)?;
        }
        Ok(())
    }

    fn add(&mut self, counts: Counts) -> Result<(), Unsuitable> {
        let mut groups = vec![];
        let mut free = self.squares;
        let lead = |kind: usize| Some(kind as u8) != self.leader;
        let mut order: Vec<(usize, usize)> =
            (0..2).flat_map(|side| (0..KINDS).map(move |kind| (side, kind))).collect();
        order.sort_by_key(|&(_, kind)| lead(kind));
        let mut cells = 1u64;
        for (number, (side, kind)) in
            order.into_iter().filter(|&(side, kind)| counts.board[side][kind] > 0).enumerate()
        {
            let count = counts.board[side][kind];
            let placements = if number == 0 && self.mirror.is_some() {
                u64::from(self.half.count_ones())
            } else {
                binomial(free, u32::from(count))
            };
            cells = cells.checked_mul(placements).ok_or(Unsuitable::Cells)?;
            groups.push((side as u8, kind as u8, count, placements));
            free = free.saturating_sub(u32::from(count));
        }
        if cells == 0 {
            return Ok(());
        }
        let code = self.code(&counts.board, &counts.hand);
        if self.codes.insert(code, self.classes.len() as u32).is_some() {
            return Err(Unsuitable::Cells);
        }
        self.classes.push(ClassLayout { counts, groups, start: self.turn_cells });
        self.turn_cells = self.turn_cells.checked_add(cells).filter(|&n| n < 1 << 40).ok_or(Unsuitable::Cells)?;
        Ok(())
    }

    /// The classes that a capture, a promotion or a drop leads to.
    fn after(&self, counts: Counts) -> Vec<Counts> {
        let rules = self.rules;
        let captures = rules.hand.map(|hand| hand.captures);
        let mut list = vec![];
        for side in Side::BOTH {
            let s = side.index();
            for kind in 0..rules.type_count() {
                if counts.board[s][kind] > 0 && Some(kind as u8) != self.leader {
                    let mut taken = counts;
                    taken.board[s][kind] -= 1;
                    let owner = match captures {
                        Some(jewel_engine::variant::Captures::Captor) => Some(1 - s),
                        Some(jewel_engine::variant::Captures::Owner) => Some(s),
                        _ => None,
                    };
                    if let (Some(owner), Some(held)) = (owner, rules.in_hand(kind as u8)) {
                        taken.hand[owner][usize::from(held)] += 1;
                    }
                    list.push(taken);
                }
                if counts.board[s][kind] > 0
                    && let Some(promotion) = rules.promotion(kind as u8, side)
                {
                    for &to in promotion.to {
                        let mut promoted = counts;
                        promoted.board[s][kind] -= 1;
                        promoted.board[s][usize::from(to)] += 1;
                        list.push(promoted);
                    }
                }
                if let Some(held) = rules.dropped_from(kind as u8)
                    && counts.hand[s][usize::from(held)] > 0
                {
                    let mut dropped = counts;
                    dropped.hand[s][usize::from(held)] -= 1;
                    dropped.board[s][kind] += 1;
                    list.push(dropped);
                }
            }
        }
        list
    }

    #[inline]
    fn code(&self, board: &[[u8; KINDS]; 2], hand: &[[u8; KINDS]; 2]) -> u64 {
        let kinds = self.rules.type_count().min(KINDS);
        let mut code = 0u64;
        for side in 0..2 {
            for kind in 0..kinds {
                code = code
                    .wrapping_add(self.weights[0][side][kind].wrapping_mul(u64::from(board[side][kind])))
                    .wrapping_add(self.weights[1][side][kind].wrapping_mul(u64::from(hand[side][kind])));
            }
        }
        code
    }

    /// The number of cells: of both sides to move, if they are told apart.
    pub(super) fn cells(&self) -> u64 {
        if self.exchange.is_some() { self.turn_cells } else { 2 * self.turn_cells }
    }

    /// The number of classes.
    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The cell of a position; `None` if its class is none of the layout.
    #[inline]
    pub(super) fn cell(&self, placed: &Placed) -> Option<u64> {
        let (mut turned, mut base) = (None, 0);
        if placed.turn == Side::Black {
            match &self.exchange {
                Some(map) => turned = Some(map),
                None => base = self.turn_cells,
            }
        }
        let s = usize::from(turned.is_some());
        let hand = [placed.hand[s], placed.hand[1 - s]];
        let kinds = self.rules.type_count().min(KINDS);
        let mut board = [[0u64; KINDS]; 2];
        let mut counts = [[0u8; KINDS]; 2];
        for side in 0..2 {
            for kind in 0..kinds {
                let set = placed.board[side ^ s][kind];
                board[side][kind] = match turned {
                    Some(map) => image(map, set),
                    None => set,
                };
                counts[side][kind] = set.count_ones() as u8;
            }
        }
        let class = &self.classes[*self.codes.get(&self.code(&counts, &hand))? as usize];
        if (class.counts.board, class.counts.hand) != (counts, hand) {
            return None;
        }
        // The mirror, where the leader stands on the other half.
        if let (Some(mirror), Some(&(side, kind, ..))) = (&self.mirror, class.groups.first())
            && board[usize::from(side)][usize::from(kind)] & self.half == 0
        {
            for set in board.iter_mut().flat_map(|side| side[..kinds].iter_mut()) {
                *set = image(mirror, *set);
            }
        }
        let mut number = 0;
        let mut free = self.board;
        for (n, &(side, kind, count, placements)) in class.groups.iter().enumerate() {
            let set = board[usize::from(side)][usize::from(kind)];
            let among = if n == 0 && self.mirror.is_some() { self.half } else { free };
            number = number * placements + rank(set, among, count);
            free &= !set;
        }
        Some(base + class.start + number)
    }

    /// The position of a cell.
    #[inline]
    pub(super) fn placed(&self, cell: u64) -> Placed {
        let turn = if cell >= self.turn_cells { Side::Black } else { Side::White };
        let cell = if turn == Side::Black { cell - self.turn_cells } else { cell };
        let class = &self.classes[self.classes.partition_point(|class| class.start <= cell) - 1];
        let mut placed = Placed { hand: class.counts.hand, ..Placed::empty(turn) };
        let mut ranks = [0u64; 2 * KINDS];
        let mut rest = cell - class.start;
        for (n, &(_, _, _, placements)) in class.groups.iter().enumerate().rev() {
            ranks[n] = rest % placements;
            rest /= placements;
        }
        let mut free = self.board;
        for (n, &(side, kind, count, _)) in class.groups.iter().enumerate() {
            let among = if n == 0 && self.mirror.is_some() { self.half } else { free };
            let set = unrank(ranks[n], among, count);
            placed.board[usize::from(side)][usize::from(kind)] = set;
            free &= !set;
        }
        placed
    }

    /// How many positions, with their mirror images as others, a cell stands for.
    pub(super) fn weight(&self, placed: &Placed) -> u64 {
        match (&self.mirror, self.leader) {
            (Some(mirror), Some(leader)) => {
                let set = placed.board[0][usize::from(leader)];
                if image(mirror, set) == set { 1 } else { 2 }
            }
            _ => 1,
        }
    }

    /// Whether a cell is the one that counts of a position and its mirror image.
    pub(super) fn is_first(&self, placed: &Placed, cell: u64) -> bool {
        let Some(mirror) = &self.mirror else { return true };
        if self.weight(placed) == 2 {
            return true;
        }
        let mut other = *placed;
        for set in other.board.iter_mut().flatten() {
            *set = image(mirror, *set);
        }
        self.cell(&other).is_none_or(|other| cell <= other)
    }
}

/// The image of a set of squares.
#[inline]
fn image(map: &[u8], mut set: u64) -> u64 {
    let mut out = 0;
    while set != 0 {
        out |= 1 << map[set.trailing_zeros() as usize];
        set &= set - 1;
    }
    out
}

/// The rank of a set among those of its size within `among`.
#[inline]
fn rank(set: u64, among: u64, count: u8) -> u64 {
    if count == 1 {
        return u64::from((among & set.wrapping_sub(1)).count_ones());
    }
    let (mut rest, mut number, mut i) = (extract(set, among), 0, 0);
    while rest != 0 {
        i += 1;
        number += binomial(rest.trailing_zeros(), i);
        rest &= rest - 1;
    }
    number
}

/// The set of a rank.
#[inline]
fn unrank(mut number: u64, among: u64, count: u8) -> u64 {
    if count == 1 {
        return deposit(1 << number, among);
    }
    let mut set = 0;
    let mut most = among.count_ones();
    for i in (1..=u32::from(count)).rev() {
        let mut top = most - 1;
        while binomial(top, i) > number {
            top -= 1;
        }
        number -= binomial(top, i);
        set |= 1 << top;
        most = top;
    }
    deposit(set, among)
}

/// The squares of a set.
pub(super) fn squares(set: u64) -> impl Iterator<Item = Square> {
    Bitboard(set).into_iter()
}
