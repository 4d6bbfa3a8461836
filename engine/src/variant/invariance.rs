//! Which symmetries of the board leave the rules as they are, found from the rules themselves.

use super::spec::{PieceSpec, RulesSpec};
use crate::betza::Motion;
use crate::bitboard::{Bitboard, Square};
use crate::symmetry::Symmetry;
use crate::value::Side;

/// All invariant symmetries, the identity first; `true` marks those that also exchange the sides.
///
/// Castling is left out: a position with a right that a symmetry cannot carry over breaks that symmetry by
/// itself (see `Symmetric::transformed`). But where drops give rights, they must be those of the image.
pub(super) fn symmetries(spec: &RulesSpec) -> Vec<(Symmetry, bool)> {
    [false, true]
        .into_iter()
        .flat_map(|exchange| Symmetry::all(spec.geometry).map(move |symmetry| (symmetry, exchange)))
        .filter(|&(symmetry, exchange)| invariant(spec, symmetry, exchange))
        .collect()
}

fn invariant(spec: &RulesSpec, symmetry: Symmetry, exchange: bool) -> bool {
    let image = |set: Bitboard| symmetry.set(spec.geometry, set);
    let other = |side: usize| if exchange { 1 - side } else { side };
    let moved = |sets: &[Bitboard; 2]| (0..2).all(|s| image(sets[s]) == sets[other(s)]);
    // En passant answers double steps straight forward only: forward must stay forward for the same side.
    let upright = !symmetry.transpose && symmetry.mirror_ranks == exchange;
    image(spec.blocking) == spec.blocking
        && (spec.hand.is_none_or(|hand| !hand.castling) || same_castles(spec, symmetry, exchange))
        && (upright || !spec.pieces.iter().any(|p| p.en_passant))
        && spec.key.as_ref().is_none_or(|key| moved(&key.squares))
        && spec.pieces.iter().all(|piece| {
            (0..2).all(|s| same_moves(piece, symmetry, s, other(s)))
                && moved(&piece.territory)
                && (!piece.motions.iter().any(|m| m.initial) || moved(&piece.initial))
                && (0..2).all(|s| match (&piece.promotion[s], &piece.promotion[other(s)]) {
                    (None, None) => true,
                    (Some(a), Some(b)) => {
                        (image(a.zone), image(a.forced), image(a.leaving)) == (b.zone, b.forced, b.leaving)
                            && same_types(&a.to, &b.to)
                    }
                    _ => false,
                })
                && piece.drop.as_ref().is_none_or(|drop| moved(&drop.zone))
                // Files must stay files.
                && (!symmetry.transpose || piece.drop.as_ref().is_none_or(|drop| drop.per_file.is_none()))
        })
}

/// Whether the image of each castling move is one too.
fn same_castles(spec: &RulesSpec, symmetry: Symmetry, exchange: bool) -> bool {
    let image = |squares: [Square; 2]| squares.map(|s| symmetry.set(spec.geometry, s.bit()).first());
    spec.castles.iter().all(|castle| {
        spec.castles.iter().any(|other| {
            (other.side != castle.side) == exchange
                && (other.king_kind, other.rook_kind) == (castle.king_kind, castle.rook_kind)
                && (other.king, other.rook) == (image(castle.king), image(castle.rook))
        })
    })
}

/// Whether both lists hold the same types.
fn same_types(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().all(|kind| b.contains(kind))
}

/// Whether the image of one side's motions is the other's.
fn same_moves(piece: &PieceSpec, symmetry: Symmetry, side: usize, other: usize) -> bool {
    let turned = |m: &Motion, side: usize| piece.seen_by(m, Side::BOTH[side]).step();
    let rest = |m: &Motion| (m.quiet, m.capture, m.initial, m.lame, m.range);
    let mut ours: Vec<_> = piece
        .motions
        .iter()
        .map(|m| {
            let (dx, dy) = turned(m, side);
            (symmetry.step(dx, dy), rest(m))
        })
        .collect();
    let mut theirs: Vec<_> = piece.motions.iter().map(|m| (turned(m, other), rest(m))).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    ours == theirs
}
