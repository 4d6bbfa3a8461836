//! A hash of everything in a variant that bears on play, so that stored results are never used with other
//! rules: names, letters of castling rights and the order of sets do not count.

use super::rules::Rules;
use super::spec::{Bare, RulesSpec};
use crate::zobrist::splitmix64;
use std::fmt::Write;

pub(super) fn fingerprint(rules: &Rules) -> u64 {
    let mut text = text(rules);
    // Until 0.2 a survivor's own pieces never stood in its way: tables of games in which they can are others now.
    if rules.bare == Bare::Key && rules.may_get_stuck() {
        text.push_str("stuck\n");
    }
    text.bytes().fold(0, |hash, byte| splitmix64(hash ^ u64::from(byte)).1)
}

/// The rules in a text of fixed form. It names pieces by letter, because position strings do.
fn text(spec: &RulesSpec) -> String {
    // Without `..`, so that a new rule has to be written below or named among those that do not bear on play.
    let RulesSpec {
        id: _,
        name: _,
        summary: _,
        sides: _,
        start: _,
        repetition: _,
        repeated: _,
        perpetual_check_loses: _,
        captured_royal: _,
        geometry: g,
        blocking,
        pieces,
        royal,
        hand,
        key,
        castles,
        chess960,
        checkmate,
        stalemate,
        bare,
        extinction,
        move_rule,
        must_capture,
        insufficient,
        same_colour,
    } = spec;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "board {}x{} blocking {:x}", g.width(), g.height(), blocking.0);
    for piece in pieces {
        let _ = write!(out, "piece {} reset {}", piece.symbol(), u8::from(piece.resets_clock));
        let _ = write!(out, " ep {} at", u8::from(piece.en_passant));
        for set in piece.initial.iter().chain(&piece.territory) {
            let _ = write!(out, " {:x}", set.0);
        }
        for m in &piece.motions {
            let range = match m.range {
                crate::betza::Range::Leap => 1,
                crate::betza::Range::UpTo(n) => n,
                crate::betza::Range::Unlimited => 0,
            };
            let flags = [m.quiet, m.capture, m.initial, m.lame].map(u8::from);
            let _ = write!(out, " {},{},{range},{flags:?}", m.dx, m.dy);
        }
        for promotion in piece.promotion.iter() {
            match promotion {
                Some(p) => {
                    let mut to = p.to.clone();
                    to.sort_unstable();
                    let _ = write!(out, " promotes {:x} {to:?} {}", p.zone.0, u8::from(p.optional));
                    if p.optional && p.forced.any() {
                        let _ = write!(out, " forced {:x}", p.forced.0);
                    }
                    if p.leaving.any() {
                        out.push_str(" leaving");
                    }
                    if p.on_capture {
                        out.push_str(" on capture");
                    }
                }
                None => out.push_str(" stays"),
            }
        }
        if piece.rotated {
            out.push_str(" rotated");
        }
        if hand.is_some() {
            let _ = write!(out, " hand {:?}", piece.in_hand);
            if let Some(drop) = &piece.drop {
                let [w, b] = drop.zone.map(|zone| zone.0);
                let flags = [drop.mate, drop.balanced].map(u8::from);
                let _ = write!(out, " drop {w:x} {b:x} {:?} {flags:?}", drop.per_file);
            }
        }
        out.push('\n');
    }
    if let Some(hand) = hand {
        let flags = [hand.compulsory, hand.castling, hand.beside_own].map(u8::from);
        let _ = writeln!(out, "hand {} {flags:?}", hand.captures as u8);
    }
    let _ = writeln!(out, "royal {royal:?}");
    if let Some(key) = key {
        let objective = key.objective as u8;
        let _ =
            writeln!(out, "key {:x} {:x} {objective} {:x}", key.squares[0].0, key.squares[1].0, key.eligible);
    }
    for c in castles {
        let squares = [c.king[0], c.king[1], c.rook[0], c.rook[1]].map(|s| s.index());
        let _ = write!(out, "castle {} {squares:?} {}", c.side.letter(), c.rook_kind);
        if royal.is_none() {
            let _ = write!(out, " {}", c.king_kind);
        }
        out.push('\n');
    }
    if *chess960 {
        out.push_str("chess960\n");
    }
    let (mate, stale, bare) = (checkmate.name(), stalemate.name(), *bare as u8);
    let _ = writeln!(out, "end {mate} {stale} {bare}");
    if let Some((kinds, result)) = extinction {
        let _ = writeln!(out, "extinct {kinds:?} {}", result.name());
    }
    if *must_capture {
        out.push_str("must capture\n");
    }
    let _ = writeln!(out, "draw {:?} {:x}", move_rule, same_colour);
    for m in insufficient {
        let _ = writeln!(out, "insufficient {:?}", m.counts);
    }
    out
}
