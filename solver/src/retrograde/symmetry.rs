//! The symmetries of a class: maps of the board onto itself, perhaps with an exchange of sides, that keep the rules for every
//! piece that the class has or can come to have.
//!
//! A pawn has a forward, so that the rules of chess have one mirror; king and rook against king have all eight symmetries of
//! the board. So each piece type is asked what keeps it, and a class has what keeps all of its pieces. What the rules say of a
//! piece is taken from [`Kind`], where territories, blocking squares, goals and first moves are worked in. The rest of the rules
//! (results, material that is a draw, pieces on squares of one colour) knows neither sides nor directions.

use super::class::Class;
use super::kind::{Kind, Step};
use super::permutation::Permutation;
use super::pieces::{BySide, swapped_if};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::symmetry::Symmetry as BoardSymmetry;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// A map of the board onto itself, perhaps with an exchange of sides.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    /// The image of every square.
    pub(crate) squares: Vec<u8>,
    /// The same for sets.
    pub(crate) sets: Permutation,
    /// Whether it exchanges the sides.
    pub(crate) swap: bool,
}

/// What keeps the pieces of a game. Sets of symmetries have a bit for each one's number.
#[derive(Clone, Debug)]
pub(crate) struct Symmetries {
    /// Every symmetry of the board, the identity first; then all of them again with an exchange of sides.
    all: Vec<Symmetry>,
    /// Those that exchange the sides.
    swaps: u32,
    /// By side and type: what takes the piece to the piece of that type of the right side.
    keep: BySide<Vec<u32>>,
    /// By side and type: the types that such a piece may become, itself among them.
    becomes: BySide<Vec<u32>>,
}

impl Symmetries {
    /// Finds what keeps each piece type.
    pub(crate) fn new(rules: &Rules, kinds: &BySide<Vec<Kind>>) -> Symmetries {
        let squares = rules.geometry.squares().count();
        let board: Vec<BoardSymmetry> = BoardSymmetry::all(rules.geometry).collect();
        let map = |symmetry: &BoardSymmetry, swap| {
            let image = |s| symmetry.square(rules.geometry, Square::new(s as u8)).index() as u8;
            let squares: Vec<u8> = (0..squares).map(image).collect();
            Symmetry { sets: Permutation::from_squares(&squares), squares, swap }
        };
        let all: Vec<Symmetry> =
            [false, true].into_iter().flat_map(|swap| board.iter().map(move |s| map(s, swap))).collect();
        let forms = BySide::from_fn(|side| kinds[side].iter().map(Form::of).collect::<Vec<_>>());
        let kept = |side: Side, kind: usize, number: usize| {
            let (symmetry, upright) = (&all[number], board[number % board.len()]);
            // En passant answers double steps straight forward only: forward must stay forward for the same side.
            let upright = !upright.transpose && upright.mirror_ranks == symmetry.swap;
            (upright || !rules.captures_en_passant(kind as u8))
                && forms[side][kind].image(symmetry) == forms[swapped_if(symmetry.swap, side)][kind]
        };
        let keep = |side, kind| {
            (0..all.len()).filter(|&number| kept(side, kind, number)).fold(0, |set, number| set | 1 << number)
        };
        let types = rules.type_count();
        Symmetries {
            swaps: (0..all.len()).filter(|&n| all[n].swap).fold(0, |set, n| set | 1 << n),
            keep: BySide::from_fn(|side| (0..types).map(|kind| keep(side, kind)).collect()),
            becomes: BySide::from_fn(|side| (0..types).map(|kind| becomes(&kinds[side], kind)).collect()),
            all,
        }
    }

    /// The symmetries of a class, a group (in the mathematical sense) with the identity first. With an exchange of sides where
    /// there is one: they then keep the pieces of both sides alike.
    pub(crate) fn of(&self, class: Class) -> impl Iterator<Item = &Symmetry> {
        let set = self.set(class);
        self.all.iter().enumerate().filter(move |(number, _)| set >> number & 1 != 0).map(|(_, s)| s)
    }

    /// A symmetry of a class that exchanges the sides, if there is one.
    #[inline]
    pub(crate) fn exchange(&self, class: Class) -> Option<&Symmetry> {
        let swaps = self.set(class) & self.swaps;
        (swaps != 0).then(|| &self.all[swaps.trailing_zeros() as usize])
    }

    /// The symmetries of a class, a bit each.
    fn set(&self, class: Class) -> u32 {
        let kinds = BySide::from_fn(|side| {
            let becomes = self.becomes[side].iter().zip(class.0[side]);
            becomes.fold(0, |set, (becomes, count)| if count > 0 { set | becomes } else { set })
        });
        let kept = |side: Side, kinds: u32| {
            let keep = self.keep[side].iter().enumerate();
            keep.fold(!0, |set, (kind, keep)| if kinds >> kind & 1 != 0 { set & keep } else { set })
        };
        let [white, black] = kinds.0;
        let both = kept(Side::White, white | black) & kept(Side::Black, white | black);
        if both & self.swaps != 0 {
            return both;
        }
        kept(Side::White, white) & kept(Side::Black, black) & !self.swaps
    }
}

/// The types that a piece may become by promotions, itself among them.
fn becomes(kinds: &[Kind], kind: usize) -> u32 {
    let (mut set, mut open) = (1 << kind, vec![kind]);
    while let Some(kind) = open.pop() {
        for promotion in kinds[kind].promoting.iter().flatten() {
            if set >> promotion.becomes & 1 == 0 {
                set |= 1 << promotion.becomes;
                open.push(promotion.becomes);
            }
        }
    }
    set
}

/// A way of going from a square, with what it may do there: quiet, capture, and the type that it promotes to.
type Going = (Square, Bitboard, Bitboard, [bool; 2], Option<usize>);

/// All that the rules say of a piece type of a side, in a form in which equal means equal.
#[derive(PartialEq, Eq)]
struct Form {
    sets: [Bitboard; 3],
    /// By square.
    goings: Vec<Vec<Going>>,
}

impl Form {
    fn of(kind: &Kind) -> Form {
        let plain = |steps: &[Step], does| -> Vec<Going> {
            steps.iter().map(|s| (s.to, s.path, s.guard, does, None)).collect()
        };
        let goings = (0..kind.quiet.len()).map(|at| {
            let mut list = plain(&kind.quiet[at], [true, false]);
            list.extend(plain(&kind.capture[at], [false, true]));
            list.extend(plain(&kind.attacks[at], [false, false]));
            let promoting = kind.promoting[at].iter();
            list.extend(
                promoting
                    .map(|p| (p.step.to, p.step.path, p.step.guard, [p.quiet, p.capture], Some(p.becomes))),
            );
            in_order(list)
        });
        Form { sets: [kind.allowed, kind.goals, kind.hopeful & kind.allowed], goings: goings.collect() }
    }

    fn image(&self, symmetry: &Symmetry) -> Form {
        let set = |set| symmetry.sets.apply(set);
        let mut goings = vec![vec![]; self.goings.len()];
        for (from, list) in self.goings.iter().enumerate() {
            let image = list.iter().map(|&(to, path, guard, does, becomes)| {
                (Square::new(symmetry.squares[to.index()]), set(path), set(guard), does, becomes)
            });
            goings[usize::from(symmetry.squares[from])] = in_order(image.collect());
        }
        Form { sets: self.sets.map(set), goings }
    }
}

/// Each way once, in order.
fn in_order(mut list: Vec<Going>) -> Vec<Going> {
    list.sort_unstable();
    list.dedup();
    list
}
