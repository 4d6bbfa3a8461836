//! The index of a game with hands: from positions to the numbers of cells and back, without gaps or look-ups of positions.
//!
//! A *class* is how many pieces of each type each side has on the board and in hand. Within a class, each group of like pieces
//! is ranked among the squares that the groups before it leave free. So a class with `n_1, n_2, ...` pieces on `s` squares
//! has `C(s, n_1) * C(s - n_1, n_2) * ...` cells, each of them a placement.
//!
//! If the rules know an exchange of sides, all positions are seen with White to move. The royal pieces, of which each side has
//! one, come first: their pairs of squares are listed, one of each two that are mirror images. Pairs that attack each other
//! need no cells, since the side to move captures. Neither do pairs with the piece of the side that has moved on a goal where it
//! must not be attacked: either it is not, and the game is over, or it is captured. Where both stand on the axis, a position
//! and its mirror image would be two cells, and the one with the smaller number is taken.

use super::Unsuitable;
use super::children::{Change, Changes, SquareMap};
use super::placed::{Counts, Placed};
use ahash::AHashMap;
use jewel_engine::bitboard::Square;
use jewel_engine::bits::{deposit, extract};
use jewel_engine::chesslike::{ChessLike, RuleSubset};
use jewel_engine::symmetry::Symmetry;
use jewel_engine::value::Side;
use jewel_engine::variant::{Captures, Objective, Rules};
use jewel_tables::combination::binomial;

/// Most piece types of a game.
pub(super) const KINDS: usize = 16;
/// Most classes of a game.
const MAX_CLASSES: usize = 1 << 20;
/// In place of the number of a class: there is none.
pub(super) const NO_CLASS: u32 = u32::MAX;

/// Where a position is in the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In this cell.
    Cell(u64),
    /// In none: unless the game is over, the side to move captures the royal piece and has won.
    Won,
    /// In none: its pieces are not those of a class.
    Nowhere,
}

impl Place {
    #[inline]
    pub(super) fn cell(self) -> Option<u64> {
        match self {
            Place::Cell(cell) => Some(cell),
            _ => None,
        }
    }
}

/// What the index knows of a pair of squares of the royal pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pair {
    /// Its number.
    At(u16),
    /// The number of its mirror image.
    Mirrored(u16),
    /// Its number; it is its own mirror image.
    OnAxis(u16),
    /// The side to move captures, unless the game is over.
    Won,
    /// It is one square.
    Same,
}

impl Pair {
    /// Whether positions with it have no cell.
    #[inline]
    pub(super) fn is_left_out(self) -> bool {
        matches!(self, Pair::Won | Pair::Same)
    }

    /// Where a position with it is, if cells of its side to move begin at `base`. `number` ranks the position, or its mirror
    /// image, with a pair of a number.
    #[inline]
    pub(super) fn place(self, base: u64, mut number: impl FnMut(u16, bool) -> u64) -> Place {
        Place::Cell(match self {
            Pair::At(pair) => base + number(pair, false),
            Pair::Mirrored(pair) => base + number(pair, true),
            Pair::OnAxis(pair) => base + number(pair, false).min(number(pair, true)),
            Pair::Won => return Place::Won,
            Pair::Same => return Place::Nowhere,
        })
    }
}

/// A class of the layout.
#[derive(Clone, Debug)]
struct ClassLayout {
    counts: Counts,
    /// Groups on the board in the order of the index: side, type, number, and placements of the group.
    groups: Vec<(u8, u8, u8, u64)>,
    /// Placements of all groups, for one pair of royal pieces.
    placements: u64,
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
    pub(super) exchange: Option<SquareMap>,
    /// The image of each square under a mirror that exchanges no sides.
    pub(super) mirror: Option<SquareMap>,
    /// The exchange of sides taken back.
    pub(super) exchange_back: Option<SquareMap>,
    /// The royal type: each side has exactly one, for the whole game.
    pub(super) leader: Option<u8>,
    /// The squares of White's and Black's royal pieces that have cells, and the number of each pair by `64 * white + black`.
    pairs: Vec<[u8; 2]>,
    pair_numbers: Vec<Pair>,
    /// By the same: whether a move may lead to a position without a cell.
    may_leave: Vec<bool>,
    classes: Vec<ClassLayout>,
    /// Classes by their code.
    codes: AHashMap<u64, u32>,
    /// What a piece on the board and one in hand add to the code, by side and type.
    weights: [[[u64; KINDS]; 2]; 2],
    /// What moves do to the material.
    pub(super) changes: Changes,
    /// The class after each change, by class, side and change.
    next: Vec<u32>,
    /// The class before each change by a side, by the class after it, side and change.
    before: Vec<u32>,
    /// Cells of one side to move.
    pub(super) turn_cells: u64,
}

impl<'r> Layout<'r> {
    /// Lays out all classes that the start position leads to; `all` positions have cells, or only those that need them.
    ///
    /// # Errors
    /// If the game is none for dense tables.
    pub(super) fn new<S: RuleSubset, const N: usize>(
        rules: &'r Rules,
        start: &ChessLike<'r, S, N>,
        all: bool,
    ) -> Result<Layout<'r>, Unsuitable> {
        let squares = rules.geometry.squares().count() as u32;
        let map = |symmetry: Symmetry| {
            let image = |square| symmetry.square(rules.geometry, square).index() as u8;
            SquareMap::new(rules.geometry.squares().map(image).collect())
        };
        let known = |exchange, symmetry: &Symmetry| rules.symmetries().contains(&(*symmetry, exchange));
        let symmetries: Vec<Symmetry> = Symmetry::all(rules.geometry).collect();
        let exchange = symmetries.iter().find(|s| known(true, s)).map(|&s| map(s));
        let leader = rules.royal.or(rules.captured_royal).filter(|&kind| {
            Side::BOTH.iter().all(|&side| start.pieces(side, kind).count() == 1)
                && (0..rules.type_count() as u8).all(|k| {
                    Side::BOTH.iter().all(|&s| rules.promotion(k, s).is_none_or(|p| !p.to.contains(&kind)))
                })
                && rules.dropped_from(kind).is_none()
        });
        let mirror_files = Symmetry { mirror_files: true, ..Symmetry::IDENTITY };
        let mirror = leader.filter(|_| known(false, &mirror_files)).map(|_| map(mirror_files));
        let mut layout = Layout {
            rules,
            squares,
            board: rules.geometry.all().0,
            exchange_back: exchange.as_ref().map(SquareMap::inverse),
            exchange,
            mirror,
            leader,
            pairs: vec![],
            pair_numbers: vec![],
            may_leave: vec![],
            classes: vec![],
            codes: AHashMap::new(),
            weights: [[[0; KINDS]; 2]; 2],
            changes: Changes::new(rules),
            next: vec![],
            before: vec![],
            turn_cells: 0,
        };
        layout.list_pairs(all);
        layout.list_leaves();
        layout.enumerate(Counts::of(&Placed::of(start)))?;
        layout.link();
        Ok(layout)
    }

    /// Lists the pairs of squares of the royal pieces.
    fn list_pairs(&mut self, all: bool) {
        let Some(leader) = self.leader else { return };
        let rules = self.rules;
        let skips = !all && rules.hand.is_none_or(|hand| !hand.compulsory);
        let attacks = |side: Side, from: Square, to: Square| {
            rules.motions(leader, side, from).iter().any(|m| m.to == to && m.capture && m.path.is_empty())
        };
        let safe_goal = rules
            .key
            .as_ref()
            .filter(|key| skips && key.objective == Objective::Try && key.eligible >> leader & 1 != 0);
        // Without an exchange of sides, a pair stands for either side to move.
        let safe_goal = safe_goal.filter(|_| self.exchange.is_some());
        let captured = |white: Square, black: Square| {
            skips && attacks(Side::White, white, black) && attacks(Side::Black, black, white)
                || safe_goal.is_some_and(|key| key.squares[Side::Black.index()].has(black))
        };
        self.pair_numbers = vec![Pair::Same; 64 * 64];
        for white in rules.geometry.squares() {
            for black in rules.geometry.squares().filter(|black| *black != white) {
                let [w, b] = [white, black].map(|s| s.index());
                let (image, mirror) = match &self.mirror {
                    Some(map) => ([map.square(w) as u8, map.square(b) as u8], true),
                    None => ([w as u8, b as u8], false),
                };
                let earlier = self.pair_numbers[64 * usize::from(image[0]) + usize::from(image[1])];
                let next = self.pairs.len() as u16;
                self.pair_numbers[64 * w + b] = match earlier {
                    _ if captured(white, black) => Pair::Won,
                    Pair::At(number) if mirror => Pair::Mirrored(number),
                    _ => {
                        self.pairs.push([w as u8, b as u8]);
                        let own_image = mirror && image == [w as u8, b as u8];
                        if own_image { Pair::OnAxis(next) } else { Pair::At(next) }
                    }
                };
            }
        }
    }

    /// Notes from which pairs moves may lead to one without cells.
    fn list_leaves(&mut self) {
        let Some(leader) = self.leader else { return };
        let rules = self.rules;
        let turns = if self.exchange.is_some() { &[Side::White][..] } else { &Side::BOTH };
        let mut list = vec![false; 64 * 64];
        for white in rules.geometry.squares() {
            for black in rules.geometry.squares().filter(|black| *black != white) {
                let squares = [white, black];
                let leaves = |&turn: &Side| {
                    let mut motions = rules.motions(leader, turn, squares[turn.index()]).into_iter();
                    self.leaves(squares, turn, None)
                        || motions.any(|m| self.leaves(squares, turn, Some(m.to)))
                };
                list[64 * white.index() + black.index()] = turns.iter().any(leaves);
            }
        }
        self.may_leave = list;
    }

    /// Whether a position has no cell that a side comes to from one with the royal pieces on two squares, by a move of its royal
    /// piece to a square or by another one.
    #[inline]
    pub(super) fn leaves(&self, mut royals: [Square; 2], turn: Side, to: Option<Square>) -> bool {
        if let Some(to) = to {
            royals[turn.index()] = to;
        }
        let [white, black] = [royals[0].index(), royals[1].index()];
        let seen = match &self.exchange {
            Some(map) => [map.square(black) as u32, map.square(white) as u32],
            None => [white as u32, black as u32],
        };
        self.pair(seen).is_left_out()
    }

    /// The royal pieces of a position with a cell, if a move may lead to a position without one.
    #[inline]
    pub(super) fn may_leave<const N: usize>(&self, placed: &Placed<N>) -> Option<[Square; 2]> {
        let royals = royals(&placed.board, self.leader?);
        let leaves = self.may_leave[(64 * royals[0] + royals[1]) as usize & 4095];
        if leaves { Some([Square::new(royals[0] as u8), Square::new(royals[1] as u8)]) } else { None }
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
        let mut cells = 1u64;
        if self.leader.is_some() {
            cells = self.pairs.len() as u64;
            free = free.saturating_sub(2);
        }
        for side in 0..2 {
            for kind in (0..KINDS).filter(|kind| Some(*kind as u8) != self.leader) {
                let count = counts.board[side][kind];
                if count > 0 {
                    let placements = binomial(free, u32::from(count));
                    cells = cells.checked_mul(placements).ok_or(Unsuitable::Cells)?;
                    groups.push((side as u8, kind as u8, count, placements));
                    free = free.saturating_sub(u32::from(count));
                }
            }
        }
        if cells == 0 {
            return Ok(());
        }
        let code = self.code(&counts.board, &counts.hand);
        if self.codes.insert(code, self.classes.len() as u32).is_some() {
            return Err(Unsuitable::Cells);
        }
        let placements = groups.iter().map(|group| group.3).product();
        self.classes.push(ClassLayout { counts, groups, placements, start: self.turn_cells });
        self.turn_cells =
            self.turn_cells.checked_add(cells).filter(|&n| n < 1 << 40).ok_or(Unsuitable::Cells)?;
        Ok(())
    }

    /// The classes that moves lead to.
    fn after(&self, counts: Counts) -> Vec<Counts> {
        let after = |side: Side| {
            let changed = move |change| self.changed(counts, side, change);
            self.changes.all().filter_map(changed)
        };
        Side::BOTH.into_iter().flat_map(after).collect()
    }

    /// What a change by a side makes of a material, if it is possible.
    fn changed(&self, mut counts: Counts, side: Side, change: Change) -> Option<Counts> {
        let rules = self.rules;
        let (u, t) = (side.index(), 1 - side.index());
        let take = |count: &mut u8| {
            *count = count.checked_sub(1)?;
            Some(())
        };
        if let Some((former, becomes)) = change.promotion {
            if !rules.promotion(former, side).is_some_and(|promotion| promotion.to.contains(&becomes)) {
                return None;
            }
            take(&mut counts.board[u][usize::from(former)])?;
            counts.board[u][usize::from(becomes)] += 1;
        }
        if let Some(prey) = change.prey {
            if Some(prey) == self.leader {
                return None;
            }
            take(&mut counts.board[t][usize::from(prey)])?;
            let owner = match rules.hand.map(|hand| hand.captures) {
                Some(Captures::Captor) => Some(u),
                Some(Captures::Owner) => Some(t),
                _ => None,
            };
            if let (Some(owner), Some(held)) = (owner, rules.in_hand(prey)) {
                counts.hand[owner][usize::from(held)] += 1;
            }
        }
        if let Some(kind) = change.drop {
            take(&mut counts.hand[u][usize::from(rules.dropped_from(kind)?)])?;
            counts.board[u][usize::from(kind)] += 1;
        }
        Some(counts)
    }

    /// Notes the class after each change.
    fn link(&mut self) {
        let mut next = Vec::with_capacity(self.classes.len() * 2 * self.changes.count());
        for class in &self.classes {
            for side in Side::BOTH {
                for change in self.changes.all() {
                    let after = self.changed(class.counts, side, change);
                    let seen = after.map(|c| if self.exchange.is_some() { c.swapped() } else { c });
                    next.push(seen.and_then(|c| self.class_of(&c.board, &c.hand)).unwrap_or(NO_CLASS));
                }
            }
        }
        let mut before = vec![NO_CLASS; next.len()];
        let count = self.changes.count();
        for (at, &after) in next.iter().enumerate().filter(|(_, after)| **after != NO_CLASS) {
            let (class, side, change) = (at / count / 2, at / count % 2, at % count);
            before[(2 * after as usize + side) * count + change] = class as u32;
        }
        (self.next, self.before) = (next, before);
    }

    /// The class after a change by a side; [`NO_CLASS`] if there is none.
    #[inline]
    pub(super) fn next_class(&self, class: u32, side: usize, change: usize) -> u32 {
        self.next[(2 * class as usize + side) * self.changes.count() + change]
    }

    /// The class that a change by a side has led from to this one; [`NO_CLASS`] if there is none.
    #[inline]
    pub(super) fn class_before(&self, class: u32, side: usize, change: usize) -> u32 {
        self.before[(2 * class as usize + side) * self.changes.count() + change]
    }

    /// What is in hand in a class, by side and type.
    #[inline]
    pub(super) fn hands_of<const N: usize>(&self, class: u32) -> [[u8; N]; 2] {
        let counts = &self.classes[class as usize].counts.hand;
        let mut hands = [[0; N]; 2];
        for side in 0..2 {
            for kind in 0..N.min(KINDS) {
                hands[side][kind] = counts[side][kind];
            }
        }
        hands
    }

    /// The number of piece types.
    #[inline]
    pub(super) fn kinds(&self) -> usize {
        self.rules.type_count().min(KINDS)
    }

    /// The class of a material.
    #[inline]
    fn class_of<const N: usize>(&self, board: &[[u8; N]; 2], hand: &[[u8; N]; 2]) -> Option<u32> {
        let number = *self.codes.get(&self.code(board, hand))?;
        let counts = &self.classes[number as usize].counts;
        let mut alike = true;
        for side in 0..2 {
            for kind in 0..N.min(KINDS) {
                alike &= counts.board[side][kind] == board[side][kind];
                alike &= counts.hand[side][kind] == hand[side][kind];
            }
        }
        alike.then_some(number)
    }

    #[inline]
    fn code<const N: usize>(&self, board: &[[u8; N]; 2], hand: &[[u8; N]; 2]) -> u64 {
        let kinds = self.kinds().min(N);
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

    /// The number of symmetries.
    pub(super) fn symmetries(&self) -> usize {
        (1 + usize::from(self.exchange.is_some())) * (1 + usize::from(self.mirror.is_some()))
    }

    /// All placements, with either side to move.
    pub(super) fn placements(&self) -> u128 {
        let squares = u128::from(self.squares);
        let leaders = if self.leader.is_some() { squares * (squares - 1) } else { 1 };
        2 * leaders * self.classes.iter().map(|class| u128::from(class.placements)).sum::<u128>()
    }

    /// Where a position is.
    #[inline]
    pub(super) fn find<const N: usize>(&self, placed: &Placed<N>) -> Place {
        let (mut board, mut hand, mut base) = (placed.board, placed.hand, 0);
        if placed.turn == Side::Black {
            match &self.exchange {
                Some(map) => {
                    board = map.boards(&[placed.board[1], placed.board[0]]);
                    hand = [placed.hand[1], placed.hand[0]];
                }
                None => base = self.turn_cells,
            }
        }
        let mut counts = [[0u8; N]; 2];
        for side in 0..2 {
            for kind in 0..N {
                counts[side][kind] = board[side][kind].count_ones() as u8;
            }
        }
        let Some(class) = self.class_of(&counts, &hand) else { return Place::Nowhere };
        let pair = self.leader.map_or(Pair::At(0), |leader| self.pair(royals(&board, leader)));
        pair.place(base, |pair, mirrored| match &self.mirror {
            Some(map) if mirrored => self.number(class, &map.boards(&board), pair),
            _ => self.number(class, &board, pair),
        })
    }

    /// What the index knows of the squares of White's and Black's royal pieces.
    #[inline]
    pub(super) fn pair(&self, [white, black]: [u32; 2]) -> Pair {
        self.pair_numbers[(64 * white + black) as usize & 4095]
    }

    /// The number of a placement of a class, with the pair of royal pieces known, among all with the same side to move.
    #[inline]
    pub(super) fn number<const N: usize>(&self, class: u32, board: &[[u64; N]; 2], pair: u16) -> u64 {
        let class = &self.classes[class as usize];
        let mut free = self.board;
        if let Some(leader) = self.leader {
            free &= !(board[0][usize::from(leader) % N] | board[1][usize::from(leader) % N]);
        }
        let mut number = u64::from(pair);
        for &(side, kind, count, placements) in &class.groups {
            let set = board[usize::from(side & 1)][usize::from(kind) % N];
            number = number * placements + rank(set, free, count);
            free &= !set;
        }
        class.start + number
    }

    /// The class of a cell. That of an earlier cell is where the search begins.
    #[inline]
    pub(super) fn class_at(&self, cell: u64, hint: u32) -> u32 {
        let cell = if cell >= self.turn_cells { cell - self.turn_cells } else { cell };
        let starts = |class: u32| self.classes.get(class as usize).map_or(u64::MAX, |class| class.start);
        if starts(hint) <= cell && cell < starts(hint + 1) {
            return hint;
        }
        self.classes.partition_point(|class| class.start <= cell) as u32 - 1
    }

    /// The number of cells from a cell on that differ in the last group of pieces alone, where a class begins them all.
    pub(super) fn row(&self, cell: u64) -> usize {
        let class = &self.classes[self.class_at(cell, 0) as usize];
        class.groups.last().map_or(1, |group| group.3.max(1) as usize)
    }

    /// Whether the position of a cell is the one that the cell is for: of two mirror images on the axis, one is.
    #[inline]
    pub(super) fn is_canonical<const N: usize>(&self, cell: u64, placed: &Placed<N>) -> bool {
        let Some(leader) = self.leader.filter(|_| self.mirror.is_some()) else { return true };
        !matches!(self.pair(royals(&placed.board, leader)), Pair::OnAxis(_))
            || self.find(placed) == Place::Cell(cell)
    }

    /// The position of a cell.
    #[inline]
    pub(super) fn placed<const N: usize>(&self, cell: u64) -> Placed<N> {
        self.placed_in(self.class_at(cell, 0), cell)
    }

    /// The position of a cell, of which the class is known.
    #[inline]
    pub(super) fn placed_in<const N: usize>(&self, class: u32, cell: u64) -> Placed<N> {
        let turn = if cell >= self.turn_cells { Side::Black } else { Side::White };
        let cell = if turn == Side::Black { cell - self.turn_cells } else { cell };
        let mut placed = Placed { hand: self.hands_of(class), ..Placed::empty(turn) };
        let class = &self.classes[class as usize];
        let mut ranks = [0u64; 2 * KINDS];
        let mut rest = cell - class.start;
        for (n, &(_, _, _, placements)) in class.groups.iter().enumerate().rev() {
            ranks[n] = rest % placements;
            rest /= placements;
        }
        let mut free = self.board;
        if let Some(leader) = self.leader {
            for (side, square) in self.pairs[rest as usize].into_iter().enumerate() {
                placed.board[side][usize::from(leader) % N] = 1 << square;
                free &= !(1 << square);
            }
        }
        for (n, &(side, kind, count, _)) in class.groups.iter().enumerate() {
            let set = unrank(ranks[n], free, count);
            placed.board[usize::from(side & 1)][usize::from(kind) % N] = set;
            free &= !set;
        }
        placed
    }

    /// Where a cell of this layout, of which the class is known, is in another one of the same game.
    #[inline]
    pub(super) fn in_other(&self, other: &Layout<'_>, class: u32, cell: u64) -> Place {
        let turned = if cell >= self.turn_cells { self.turn_cells } else { 0 };
        let base = if turned > 0 { other.turn_cells } else { 0 };
        let (own, others) = (&self.classes[class as usize], &other.classes[class as usize]);
        let rest = cell - turned - own.start;
        if self.leader.is_none() {
            return Place::Cell(base + others.start + rest);
        }
        let squares = self.pairs[(rest / own.placements) as usize].map(u32::from);
        match other.pair(squares) {
            Pair::At(pair) | Pair::OnAxis(pair) => {
                Place::Cell(base + others.start + u64::from(pair) * own.placements + rest % own.placements)
            }
            Pair::Won => Place::Won,
            // Both list the same one of two mirror images.
            Pair::Mirrored(_) | Pair::Same => Place::Nowhere,
        }
    }

    /// How many positions a cell stands for, mirror images being others.
    pub(super) fn weight<const N: usize>(&self, placed: &Placed<N>) -> u64 {
        let Some(mirror) = &self.mirror else { return 1 };
        let own_image = placed.board.iter().flatten().all(|&set| mirror.set(set) == set);
        if own_image { 1 } else { 2 }
    }
}

/// The squares of White's and Black's royal pieces.
#[inline]
pub(super) fn royals<const N: usize>(board: &[[u64; N]; 2], leader: u8) -> [u32; 2] {
    let leader = usize::from(leader) % N;
    [board[0][leader].trailing_zeros(), board[1][leader].trailing_zeros()]
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
