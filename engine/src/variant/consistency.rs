//! Rules that read well one by one and cannot be played together: refused, so that no play leads to a
//! position that could not be written down and read again.

use super::error::VariantError;
use super::file::VariantFile;
use super::spec::{Mark, PieceSpec, RulesSpec};
use crate::betza::{Motion, Range};
use crate::bitboard::Bitboard;
use crate::geometry::Geometry;
use crate::value::Side;

/// Checks a specification as a whole.
pub(super) fn check(text: &str, file: &VariantFile, spec: &RulesSpec) -> Result<(), VariantError> {
    for (kind, piece) in spec.pieces.iter().enumerate() {
        let table = file.piece[kind].get_ref();
        if let Some(promotion) = &table.promotion {
            let at = |problem| VariantError::at(text, &promotion.to.span(), "piece.promotion.to", problem);
            promotes(spec, kind, piece).map_err(at)?;
        }
        if piece.en_passant {
            let at = |problem| VariantError::at(text, &table.moves.span(), "piece.en-passant", problem);
            passes(spec, kind, piece).map_err(at)?;
        }
    }
    for (castle, place) in spec.castles.iter().zip(&file.castling) {
        let side = castle.side;
        for (kind, squares) in [(castle.king_kind, castle.king), (castle.rook_kind, castle.rook)] {
            let piece = &spec.pieces[usize::from(kind)];
            if let Some(square) = squares.into_iter().find(|s| !piece.may_stand(side).has(*s)) {
                let (letter, name) = (piece.symbol(), spec.geometry.name(square));
                let problem = format!("a {letter} may not stand on {name}");
                return Err(VariantError::at(text, &place.span(), "castling", problem));
            }
        }
    }
    if let Some(hand) = file.hand.as_ref().filter(|hand| hand.get_ref().castling && spec.chess960) {
        let problem =
            "cannot go with chess960: where a king or a rook that is dropped would have started is not known";
        return Err(VariantError::at(text, &hand.span(), "hand.castling", problem));
    }
    if let Some(flag) = file.chess960.as_ref().filter(|flag| *flag.get_ref()) {
        castles_by_file(spec).map_err(|problem| VariantError::at(text, &flag.span(), "chess960", problem))?;
    }
    Ok(())
}

/// Chess960 names a right by its wing, K or Q, or by the file of its rook: both must tell one right of a side from
/// the other.
fn castles_by_file(spec: &RulesSpec) -> Result<(), String> {
    if spec.castles.is_empty() || spec.royal.is_none() {
        return Err("needs a royal piece and [[castling]]".into());
    }
    for castle in &spec.castles {
        let (right, wing) = (castle.right, if castle.is_upward() { 'k' } else { 'q' });
        if !right.eq_ignore_ascii_case(&wing) {
            return Err(format!(
                "right {right} must be called {wing} or {}: K castles with a rook on a later file than the king, Q with \
                 one on an earlier file",
                wing.to_ascii_uppercase()
            ));
        }
        if spec.castles.iter().any(|other| other.side == castle.side && other.king[0] != castle.king[0]) {
            return Err(format!("the king of {} has one square to castle from", castle.side.letter()));
        }
    }
    Ok(())
}

fn promotes(spec: &RulesSpec, kind: usize, piece: &PieceSpec) -> Result<(), String> {
    let letter = piece.symbol();
    for side in Side::BOTH {
        let Some(promotion) = &piece.promotion[side.index()] else { continue };
        for &to in &promotion.to {
            let target = &spec.pieces[usize::from(to)];
            let becomes = target.symbol();
            if spec.royal == Some(to) {
                return Err(format!("{becomes} is royal: a side has one, and it stays the only one"));
            }
            if usize::from(to) == kind {
                return Err(format!(
                    "a {letter} cannot become a {letter}; write optional = true to let it stay"
                ));
            }
            let twin = |other: &&u8| {
                let other = &spec.pieces[usize::from(**other)];
                let plain = |mark| mark != Mark::Plus;
                other.letter == target.letter && plain(other.mark) && plain(target.mark)
            };
            if promotion.to.iter().filter(twin).count() > 1 {
                let twin = target.letter;
                return Err(format!("promotions to {twin} and {twin}~ would have the same text"));
            }
            let arrivals = if promotion.leaving.any() { spec.geometry.all() } else { promotion.zone };
            let nowhere = arrivals & piece.territory[side.index()] & !target.may_stand(side);
            if nowhere.any() {
                let square = spec.geometry.name(nowhere.first());
                return Err(format!(
                    "a {letter} of {} would become a {becomes} on {square}, where a {becomes} may not stand",
                    side.letter()
                ));
            }
        }
    }
    Ok(())
}

fn passes(spec: &RulesSpec, kind: usize, piece: &PieceSpec) -> Result<(), String> {
    if spec.royal == Some(kind as u8) {
        return Err("a royal piece is never captured, en passant or otherwise".into());
    }
    for capture in piece.motions.iter().filter(|m| m.capture && !m.lame && m.range == Range::Leap) {
        if piece.motions.iter().any(|m| m.quiet && m.reach().any(|to| to == capture.step())) {
            return Err(format!(
                "the step to ({}, {}) captures and moves: en passant would have the same text as a plain move; \
                 capture with c-leaps on steps of their own, such as cfF",
                capture.dx, capture.dy
            ));
        }
    }
    for side in Side::BOTH {
        let Some(promotion) = &piece.promotion[side.index()] else { continue };
        let goals = double_steps(spec.geometry, piece, side);
        let landing: Bitboard = goals.clone().map(|(_, to)| to).fold(Bitboard::EMPTY, |a, b| a | b);
        if (landing & promotion.zone).any() {
            let square = spec.geometry.name((landing & promotion.zone).first());
            return Err(format!("a double step ends on {square}, in the promotion zone"));
        }
        if promotion.leaving.any() {
            // A capture en passant does not promote, and the next move does.
            continue;
        }
        let enemies = spec.pieces.iter().filter(|p| p.en_passant);
        let passed = enemies.flat_map(|p| double_steps(spec.geometry, p, !side)).map(|(passed, _)| passed);
        let zone = passed.fold(Bitboard::EMPTY, |a, b| a | b) & promotion.zone;
        if zone.any() {
            let square = spec.geometry.name(zone.first());
            return Err(format!("a capture en passant could end on {square}, in the promotion zone"));
        }
    }
    Ok(())
}

/// The squares that the double steps of a side pass and reach.
fn double_steps(
    geometry: Geometry,
    piece: &PieceSpec,
    side: Side,
) -> impl Iterator<Item = (Bitboard, Bitboard)> + Clone {
    let forward = if side == Side::White { 1 } else { -1 };
    let steps = piece.motions.iter().any(Motion::is_double_step);
    let from = if steps { piece.initial[side.index()] } else { Bitboard::EMPTY };
    let territory = piece.territory[side.index()];
    (from & territory).into_iter().filter_map(move |from| {
        let passed = geometry.step(from, 0, forward)?;
        let to = geometry.step(from, 0, 2 * forward).filter(|to| territory.has(*to))?;
        Some((passed.bit(), to.bit()))
    })
}
