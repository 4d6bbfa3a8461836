//! Races that nobody can stop, in games that are won by reaching a square.
//!
//! A *runner* is a piece that gets to its goal whatever the enemy plays, and first. That is seen without search: on an empty
//! board every piece is at least as quick as on a full one, so a square that no enemy piece could get to in time, even if it
//! might capture wherever it likes, is safe. Many positions are decided by such a race long before they end, and a proof search
//! need not look further.

use crate::bitboard::Bitboard;
use crate::tactics::Pieces;
use crate::value::{Outcome, Side, Value};
use crate::variant::{Bare, Objective, Rules};

/// The most moves of a runner that are looked at.
const MOST: usize = 8;

/// What there is to know of the pieces of one type and side, by square.
#[derive(Clone, Debug)]
struct Walker {
    /// Squares to which a single step leads that captures too, so that nobody can stand in its way.
    free: [Bitboard; 64],
    /// Squares to which a single step leads that must be empty.
    quiet: [Bitboard; 64],
    /// By the number of moves: squares onto which it may have captured by then, at the best.
    captures: Vec<[Bitboard; 64]>,
    /// By the number of moves: empty squares that it may have moved to by then, at the best.
    blocks: Vec<[Bitboard; 64]>,
    /// The fewest moves to a goal, at the best. More than [`MOST`] if there are none.
    moves: [u8; 64],
}

/// Finds runners in the positions of a game.
#[derive(Clone, Debug)]
pub struct Race {
    /// By side and type.
    walkers: [Vec<Walker>; 2],
    goals: [Bitboard; 2],
    eligible: u32,
}

impl Race {
    /// The races of a game; `None` where runners prove nothing: it must be won by reaching a square, a side without a move must
    /// lose, and no other rule may end the game or force a move.
    pub fn new(rules: &Rules) -> Option<Race> {
        let key = rules.key.as_ref().filter(|key| key.objective == Objective::Reach)?;
        let plain = rules.royal.is_none()
            && rules.extinction.is_none()
            && rules.captured_royal.is_none()
            && rules.hand.is_none()
            && rules.castles.is_empty()
            && rules.stalemate == Outcome::Loss
            && matches!(rules.bare, Bare::Loses | Bare::Nothing)
            && rules.move_rule.is_none()
            && rules.endless_is_draw()
            && !rules.must_capture
            && rules.insufficient.is_empty()
            && rules.same_colour == 0
            && rules.pieces.iter().all(|piece| {
                !piece.en_passant && !piece.rotated && piece.promotion.iter().all(Option::is_none)
            });
        let walkers = |side| (0..rules.type_count() as u8).map(|kind| walker(rules, kind, side)).collect();
        plain.then(|| Race { walkers: Side::BOTH.map(walkers), goals: key.squares, eligible: key.eligible })
    }

    /// The winner of a position that is not over, if there is a runner. The plies are those that its way takes: there may be a
    /// quicker win.
    pub fn value<P: Pieces>(&self, position: &P) -> Option<Value> {
        let us = position.side_to_move();
        let [ours, theirs] = [us, !us].map(|side| self.fewest(position, side));
        // To move first is to be a move ahead.
        if ours <= theirs {
            let moves = self.run(position, us, 0, theirs)?;
            return Some(Value::Win(2 * moves as u32 - 1));
        }
        let moves = self.run(position, !us, 1, ours - 1)?;
        Some(Value::Loss(2 * moves as u32))
    }

    /// The fewest moves in which a side could come to a goal.
    fn fewest<P: Pieces>(&self, position: &P, side: Side) -> usize {
        let mut fewest = MOST + 1;
        for (kind, walker) in self.eligible(side) {
            for square in position.pieces_of_kind(side, kind) {
                fewest = fewest.min(walker.moves[square.index()].into());
            }
        }
        fewest
    }

    fn eligible(&self, side: Side) -> impl Iterator<Item = (u8, &Walker)> {
        let walkers = (0..).zip(&self.walkers[side.index()]);
        walkers.filter(|(kind, _)| self.eligible >> kind & 1 != 0)
    }

    /// The fewest moves that a runner of a side takes to a goal, if they are at most `most`. The enemy makes `ahead` moves before
    /// the first one.
    fn run<P: Pieces>(&self, position: &P, side: Side, ahead: usize, most: usize) -> Option<usize> {
        let most = most.min(MOST - 1);
        let (own, enemies) = (position.pieces_of(side), position.pieces_of(!side));
        let mut reach =
            Reach { race: self, position, side: !side, captures: [None; MOST + 1], blocks: [None; MOST + 1] };
        let mut fewest = None;
        for (kind, walker) in self.eligible(side) {
            // Where one may be, and nothing can have captured it.
            let mut runners = position.pieces_of_kind(side, kind) & !reach.captures(ahead);
            for moves in 1..=fewest.map_or(most, |fewest| most.min(fewest - 1)) {
                let before = moves - 1 + ahead;
                let (mut free, mut quiet) = (Bitboard::EMPTY, Bitboard::EMPTY);
                for from in runners {
                    free |= walker.free[from.index()];
                    quiet |= walker.quiet[from.index()];
                }
                let targets = (free | quiet & !enemies & !reach.blocks(before)) & !own;
                if (targets & self.goals[side.index()]).any() {
                    fewest = Some(moves);
                    break;
                }
                runners = targets & !reach.captures(before + 1);
                if runners.is_empty() {
                    break;
                }
            }
        }
        fewest
    }
}

/// Where the pieces of a side may have been after some moves, worked out when it is asked for.
struct Reach<'a, P> {
    race: &'a Race,
    position: &'a P,
    side: Side,
    captures: [Option<Bitboard>; MOST + 1],
    blocks: [Option<Bitboard>; MOST + 1],
}

impl<P: Pieces> Reach<'_, P> {
    fn captures(&mut self, moves: usize) -> Bitboard {
        *self.captures[moves]
            .get_or_insert_with(|| self.race.all(self.position, self.side, |walker| &walker.captures[moves]))
    }

    fn blocks(&mut self, moves: usize) -> Bitboard {
        *self.blocks[moves]
            .get_or_insert_with(|| self.race.all(self.position, self.side, |walker| &walker.blocks[moves]))
    }
}

impl Race {
    /// What some table says of all pieces of a side together.
    fn all<P: Pieces>(&self, position: &P, side: Side, of: impl Fn(&Walker) -> &[Bitboard; 64]) -> Bitboard {
        let mut squares = Bitboard::EMPTY;
        for (kind, walker) in (0..).zip(&self.walkers[side.index()]) {
            let table = of(walker);
            for square in position.pieces_of_kind(side, kind) {
                squares |= table[square.index()];
            }
        }
        squares
    }
}

fn walker(rules: &Rules, kind: u8, side: Side) -> Walker {
    let none = [Bitboard::EMPTY; 64];
    let mut walker = Walker {
        free: none,
        quiet: none,
        captures: vec![none],
        blocks: vec![none],
        moves: [MOST as u8 + 1; 64],
    };
    let piece = &rules.pieces[usize::from(kind)];
    let goals = rules.key.as_ref().map_or(Bitboard::EMPTY, |key| key.squares[side.index()]);
    let mut there = none;
    for from in rules.geometry.squares() {
        there[from.index()] = from.bit();
        if goals.has(from) {
            walker.moves[from.index()] = 0;
        }
        let steps = piece.motions.iter().filter(|motion| motion.quiet && !motion.initial && !motion.lame);
        for motion in steps.map(|motion| motion.seen_by(side)) {
            let (dx, dy) = motion.step();
            let to = rules.geometry.step(from, dx, dy).filter(|&to| piece.territory[side.index()].has(to));
            if let Some(to) = to {
                let steps = if motion.capture { &mut walker.free } else { &mut walker.quiet };
                steps[from.index()] |= to.bit();
            }
        }
    }
    for moves in 1..=MOST {
        let (mut captures, mut blocks) = (walker.captures[moves - 1], walker.blocks[moves - 1]);
        for from in rules.geometry.squares() {
            let n = from.index();
            for at in there[n] {
                captures[n] |= rules.capture_targets(kind, side, at, at.bit());
                blocks[n] |= rules.quiet_targets(kind, side, at, at.bit());
            }
            there[n] |= captures[n] | blocks[n];
            if (there[n] & goals).any() {
                walker.moves[n] = walker.moves[n].min(moves as u8);
            }
        }
        walker.captures.push(captures);
        walker.blocks.push(blocks);
    }
    walker
}
