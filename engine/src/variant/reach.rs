//! From which squares a piece could reach its key if nothing stood in its way: rule J1 and dead positions.

use super::rider::Rider;
use super::rules::Rules;
use super::spec::{Objective, PieceSpec, RulesSpec};
use super::tables::{ByType, TypeTables};
use crate::betza::{Motion, Range};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::zobrist::MAX_TYPES;

/// Pieces that block one another for ever are looked for among this many of one side.
const MAX_BLOCKADE: u32 = 8;

/// Fills `reach_alone` (quiet moves only, as on an empty board) and `reach_ever` (captures too).
pub(super) fn fill(types: &mut [TypeTables], spec: &RulesSpec, riders: &[Rider]) {
    if spec.key.is_none() {
        return;
    }
    for side in Side::BOTH {
        let s = side.index();
        let alone = closure(spec, side, |k, from| targets(&types[k], riders, side, from, false));
        let ever = closure(spec, side, |k, from| targets(&types[k], riders, side, from, true));
        for (kind, tables) in types.iter_mut().enumerate() {
            tables.reach_alone[s] = alone[kind];
            tables.reach_ever[s] = ever[kind];
        }
    }
}

/// Whether a game is a race: nothing but reaching the key wins, no piece ever goes back, and no number of moves makes a
/// draw. So no position comes again, and who can step onto its key next is stopped at once or wins. It is stopped by a
/// capture, or by a piece where it would step: not by pieces between, nor by one that is not there to be captured.
fn is_race(spec: &RulesSpec) -> bool {
    let onward = |piece: &PieceSpec| {
        let steps = |m: &Motion| m.dy > 0 && m.quiet && m.range == Range::Leap && !m.lame && !m.initial;
        piece.promotion.iter().all(Option::is_none) && piece.motions.iter().all(steps)
    };
    let reach = spec.key.as_ref().is_some_and(|key| key.objective == Objective::Reach);
    let plain =
        spec.royal.is_none() && spec.extinction.is_none() && !spec.must_capture && spec.hand.is_none();
    reach && plain && spec.move_rule.is_none() && spec.pieces.iter().all(onward)
}

/// In a race: from where a side's pieces could step onto the key. Nowhere in other games.
pub(super) fn gates(types: &[TypeTables], spec: &RulesSpec, riders: &[Rider], side: Side) -> ByType {
    let mut gates = [Bitboard::EMPTY; MAX_TYPES];
    let Some(key) = spec.key.as_ref().filter(|_| is_race(spec)) else { return gates };
    for (kind, piece) in spec.pieces.iter().enumerate().filter(|(kind, _)| key.eligible >> kind & 1 != 0) {
        let goal = key.squares[side.index()] & piece.territory[side.index()];
        let leads = |from: &Square| (targets(&types[kind], riders, side, *from, true) & goal).any();
        gates[kind] = spec.geometry.squares().filter(leads).collect();
    }
    gates
}

fn targets(t: &TypeTables, riders: &[Rider], side: Side, from: Square, captures: bool) -> Bitboard {
    let s = side.index();
    let mut set = t.quiet[s][from.index()];
    let slide = |list: &[u8]| {
        list.iter().fold(Bitboard::EMPTY, |set, &r| set | riders[r as usize].attacks(from, Bitboard::EMPTY))
    };
    set |= slide(&t.quiet_riders[s]);
    if captures {
        set |= t.capture[s][from.index()] | slide(&t.capture_riders[s]);
    }
    for lame in &t.lame[s][from.index()] {
        if lame.quiet || captures {
            set |= lame.end.bit();
        }
    }
    set
}

/// The squares from which pieces of each type can get to win on the key, by moves and promotions; none without a key.
fn closure(spec: &RulesSpec, side: Side, targets: impl Fn(usize, Square) -> Bitboard) -> ByType {
    let mut reach = [Bitboard::EMPTY; MAX_TYPES];
    let Some(key) = &spec.key else { return reach };
    let territory = |piece: &PieceSpec| piece.territory[side.index()];
    for (kind, piece) in spec.pieces.iter().enumerate().filter(|(kind, _)| key.eligible >> kind & 1 != 0) {
        reach[kind] = key.squares[side.index()] & territory(piece);
    }
    // Squares from which one move leads into the sets are added until nothing changes.
    loop {
        let mut grown = false;
        for (kind, piece) in spec.pieces.iter().enumerate() {
            for from in territory(piece) & !reach[kind] {
                let to = targets(kind, from);
                let leads = match &piece.promotion[side.index()] {
                    None => (to & reach[kind]).any(),
                    Some(p) => {
                        let stays = to & !p.forced;
                        let promoting = if p.leaving.has(from) { to } else { to & p.zone };
                        (stays & reach[kind]).any()
                            || p.to.iter().any(|&k| (promoting & reach[k as usize]).any())
                    }
                };
                if leads {
                    reach[kind] |= from.bit();
                    grown = true;
                }
            }
        }
        if !grown {
            return reach;
        }
    }
}

/// Rule J1: what a side can do whose enemy has no pieces left.
impl Rules {
    /// Whether an eligible piece of a side that is alone on the board could reach its key. Its pieces that can never
    /// move again stay in the way; all others are taken to step aside. `pieces` are the squares by type.
    pub(crate) fn reaches_key_alone(&self, side: Side, pieces: &[Bitboard]) -> bool {
        let hopeful = |reach: ByType| pieces.iter().zip(reach).any(|(set, reach)| (*set & reach).any());
        let mut alone = [Bitboard::EMPTY; MAX_TYPES];
        for (reach, tables) in alone.iter_mut().zip(self.tables.types.iter()) {
            *reach = tables.reach_alone[side.index()];
        }
        if !hopeful(alone) {
            return false;
        }
        let stuck = self.stuck(side, pieces);
        let around = |kind, from| self.quiet_targets(kind as u8, side, from, stuck);
        stuck.is_empty() || hopeful(closure(self, side, around))
    }

    /// The pieces of a side that is alone on the board that can never move again: all their ways are blocked by one
    /// another.
    fn stuck(&self, side: Side, pieces: &[Bitboard]) -> Bitboard {
        let mut stuck = pieces.iter().fold(Bitboard::EMPTY, |all, set| all | *set);
        loop {
            let mut free = Bitboard::EMPTY;
            for (kind, set) in pieces.iter().enumerate() {
                let moves = |from: &Square| self.quiet_targets(kind as u8, side, *from, stuck).any();
                free |= (*set & stuck).into_iter().filter(moves).collect();
            }
            if free.is_empty() {
                return stuck;
            }
            stuck &= !free;
        }
    }

    /// Whether a few pieces of one side can stand so that none of them can ever move again, as far as a short search
    /// can rule it out.
    pub(super) fn may_get_stuck(&self) -> bool {
        let mut nodes = 0;
        Side::BOTH.into_iter().any(|side| {
            self.geometry.squares().any(|square| self.closes(side, square.bit(), square.bit(), &mut nodes))
        })
    }

    /// Whether pieces on some squares, and a few more, can block one another; on the `open` ones the type is not
    /// decided yet.
    fn closes(&self, side: Side, squares: Bitboard, open: Bitboard, nodes: &mut u32) -> bool {
        *nodes += 1;
        let Some(square) = open.into_iter().next() else { return true };
        *nodes > 100_000
            || (0..self.type_count() as u8).filter(|&kind| self.territory(kind, side).has(square)).any(
                |kind| {
                    let more = self.next_squares(kind, side, square) & !squares;
                    let all = squares | more;
                    all.count() <= MAX_BLOCKADE && self.closes(side, all, open & !square.bit() | more, nodes)
                },
            )
    }
}
