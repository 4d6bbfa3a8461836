//! The safety of royal pieces: attacks on them by pieces on the board and in hand, and what pawns shelter.

use super::general::{Common, General, Reach};
use super::hand::{HandcraftedEvaluation, Royal};
use super::taper::Taper;
use super::weights::AttackUnits;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Side;

/// Attack units beyond these do not make an attack more dangerous, in quarters.
const MOST_UNITS: i32 = 500;

/// The danger of one unit, squared, in parts of its weight.
const DANGER_PARTS: i32 = 64 * 16;

/// Squares from which a check is safe that count.
const MOST_CHECKS: i32 = 3;

/// Pieces in hand that count as attack units.
const MOST_HELD: i32 = 5;

/// What the pieces in a side's hand mean to the enemy's royal piece: their number, and attack units.
#[derive(Clone, Copy, Default)]
struct Drops {
    held: i32,
    units: i32,
}

impl HandcraftedEvaluation {
    /// The danger in which a side brings the enemy's royal piece.
    #[inline(always)]
    pub(super) fn danger<P: Pieces>(
        &self,
        general: &General,
        royal: &Royal,
        position: &P,
        side: Side,
        common: &Common,
    ) -> Taper {
        let (us, them) = (side.index(), (!side).index());
        let (ours, theirs, square) = (&common.reach[us], &common.reach[them], common.royals[them]);
        // What only the royal piece could take is safe where another piece attacks it, too.
        let safe = !theirs.all | (ours.twice & !theirs.guard);
        let checks = ((ours.checks & safe).count() as i32).min(MOST_CHECKS);
        let drops = if general.dropped.is_empty() {
            Drops::default()
        } else {
            self.drops(general, position, side, &common.reach, square)
        };
        let AttackUnits { near, attackers, weak, check, met, guarded, bare, .. } = general.units;
        let AttackUnits { base, siege, breach, ray, crowd, calm, .. } = general.units;
        if base <= 0 && ours.attackers + checks + drops.held <= 1 {
            return Taper::default();
        }
        let ring = royal.ring[square.index()];
        let risky = ((ours.checks & !safe).count() as i32).min(MOST_CHECKS);
        let mut units = near * ours.near
            + attackers * ours.attackers.pow(2)
            + weak * (ring & ours.guard & !theirs.guard).count() as i32
            + check * checks
            + met * risky
            + guarded * (ring & theirs.guard).count() as i32
            + drops.units;
        if bare != 0 {
            let open = self.files.widened(square.bit()) & !common.behind[them];
            units += bare * open.count() as i32;
        }
        if base > 0 {
            let breached = general.surroundings[square.index()] & ours.all & !theirs.guard;
            let crowded = ours.all & general.flanks[them][square.index()];
            units += base
                + siege * ours.besiegers * ours.menace / 100
                + breach * breached.count() as i32
                + crowd * crowded.count() as i32;
            let own = position.pieces_of(side);
            let rays = position.line_attackers(square, own | common.pawns[them]) & own;
            if rays.any() {
                let direct = position.line_attackers(square, own | position.pieces_of(!side));
                units += ray * (rays & !direct).count() as i32;
            }
        }
        let mighty = &general.mighty;
        if !mighty.is_empty() && mighty.iter().all(|&kind| position.pieces_of_kind(side, kind).is_empty()) {
            units += calm;
        }
        let danger = royal.danger * units.clamp(0, MOST_UNITS).pow(2);
        Taper::new([danger.opening() / DANGER_PARTS, danger.endgame() / DANGER_PARTS])
    }

    /// What pieces in hand add to an attack on the enemy's royal piece on a square.
    #[inline(always)]
    fn drops<P: Pieces>(
        &self,
        general: &General,
        position: &P,
        side: Side,
        reach: &[Reach; 2],
        square: Square,
    ) -> Drops {
        let (us, them) = (side.index(), (!side).index());
        let (ours, theirs) = (&reach[us], &reach[them]);
        let open = !(position.pieces_of(side) | position.pieces_of(!side));
        let (mut held, mut checks) = (0, Bitboard::EMPTY);
        for dropped in &general.dropped {
            let count = position.in_hand(side, dropped.held);
            if count > 0 {
                held += i32::from(count);
                checks |= position.attacks(dropped.kind, !side, square) & dropped.zone[us];
            }
        }
        if held == 0 {
            return Drops::default();
        }
        checks &= open;
        let safe = checks & !theirs.guard & (ours.all | !theirs.all);
        let holes = match &self.royal {
            Some(royal) => royal.ring[square.index()] & open & !theirs.guard,
            None => Bitboard::EMPTY,
        };
        let units = &general.units;
        let units = units.held * held.min(MOST_HELD)
            + units.drop_check * (safe.count() as i32).min(MOST_CHECKS)
            + units.drop_met * ((checks & !safe).count() as i32).min(MOST_CHECKS)
            + units.hole * holes.count() as i32;
        Drops { held, units }
    }

    /// What pawn-like pieces shelter of a royal piece on a square: their set, and what is behind them.
    #[inline(always)]
    pub(super) fn shelter(
        &self,
        general: &General,
        own: Bitboard,
        behind: Bitboard,
        side: Side,
        square: Square,
    ) -> Taper {
        let sheltering = own & general.shelters[side.index()][square.index()];
        // Where none is before it.
        let files = self.files.widened(square.bit());
        let bare = (files & !behind).count();
        let mut score = general.shelter * sheltering.count() as i32 + general.bare_file * bare as i32;
        if bare == files.count() {
            score += general.exposed;
        }
        score
    }
}
