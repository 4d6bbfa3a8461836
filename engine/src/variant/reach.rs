//! From which squares a piece could reach its key if nothing stood in its way: rule J1 and dead positions.

use super::rider::Rider;
use super::spec::{PieceSpec, RulesSpec};
use super::tables::TypeTables;
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// Fills `reach_alone` (quiet moves only, as on an empty board) and `reach_ever` (captures too).
pub(super) fn fill(types: &mut [TypeTables], spec: &RulesSpec, riders: &[Rider]) {
    let Some(key) = &spec.key else { return };
    for side in Side::BOTH {
        let s = side.index();
        let start: Vec<Bitboard> = (0..types.len())
            .map(|k| {
                if key.eligible >> k & 1 != 0 {
                    key.squares[s] & spec.pieces[k].territory[s]
                } else {
                    Bitboard::EMPTY
                }
            })
            .collect();
        let alone = closure(types, &spec.pieces, side, start.clone(), |t, from| {
            targets(t, riders, side, from, false)
        });
        let ever = closure(types, &spec.pieces, side, start, |t, from| targets(t, riders, side, from, true));
        for (kind, (alone, ever)) in alone.into_iter().zip(ever).enumerate() {
            types[kind].reach_alone[s] = alone;
            types[kind].reach_ever[s] = ever;
        }
    }
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

/// Adds squares from which one move leads into the sets, until nothing changes; a move may promote.
fn closure(
    types: &[TypeTables],
    pieces: &[PieceSpec],
    side: Side,
    mut reach: Vec<Bitboard>,
    targets: impl Fn(&TypeTables, Square) -> Bitboard,
) -> Vec<Bitboard> {
    loop {
        let mut grown = false;
        for (kind, t) in types.iter().enumerate() {
            for from in pieces[kind].territory[side.index()] & !reach[kind] {
                let to = targets(t, from);
                let leads = match &pieces[kind].promotion[side.index()] {
                    None => (to & reach[kind]).any(),
                    Some(p) => {
                        let stays = if p.optional { to } else { to & !p.zone };
                        (stays & reach[kind]).any()
                            || p.to.iter().any(|&k| (to & p.zone & reach[k as usize]).any())
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
