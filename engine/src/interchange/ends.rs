//! How games of a section end: goals, extinction, repetition, the move rule.

use super::importer::Importer;
use super::keys::per_side;
use super::pieces::Kind;
use super::sheet::{HandSheet, KeySheet};
use super::template::Pieces;
use crate::bitboard::Bitboard;
use crate::value::Side;
use std::collections::BTreeSet;

impl<'t> Importer<'t> {
    /// The flags of the format, as a `[key]`.
    pub(super) fn goals(
        &mut self,
        kinds: &[Kind<'t>],
        stalemate: &str,
        royal: bool,
        extinction: bool,
    ) -> Option<KeySheet> {
        let goals = Side::BOTH.map(|side| self.region(&per_side("flagRegion", side)).unwrap_or_default());
        if goals.iter().all(|goals| goals.is_empty()) {
            return None;
        }
        let safe = self.flag("flagPieceSafe", false);
        let counts = |kind: &Kind<'t>, side: Side| {
            let key = per_side("flagPiece", side);
            self.names_piece(&key, kind.slot, &[]) || self.setting(&key).is_none()
        };
        // One set of letters serves both sides: it may hold what counts for one side and the other never has.
        let fits = |kind: &&Kind<'t>, side: Side| counts(kind, side) && goals[side.index()].any();
        let eligible: Vec<&Kind<'t>> =
            kinds.iter().filter(|kind| Side::BOTH.iter().any(|&side| fits(kind, side))).collect();
        let split = Side::BOTH
            .iter()
            .any(|&side| eligible.iter().any(|kind| kind.lives[side.index()] && !fits(kind, side)));
        for side in Side::BOTH {
            let key = per_side("flagPiece", side);
            if let Some(Pieces::Some(names)) = self.setting(&key).map(|setting| &setting.pieces)
                && names.len() > 1
            {
                self.problem(&key, "expected one piece, or * for all");
            }
        }
        if split {
            let side = if goals[0].is_empty() { Side::White } else { Side::Black };
            self.fatal(&per_side("flagPiece", side), "the same pieces count for both sides here");
        }
        let after_a_move = self.flag("flagMove", false);
        if safe && (after_a_move || royal) {
            let why = "a goal that asks whether its piece is attacked ends the game at once here, and that piece is not royal";
            self.problem("flagPieceSafe", why);
        }
        if after_a_move && stalemate != "loss" {
            let why =
                "a side that cannot move while an enemy stands on its goal has lost here (see stalemate)";
            self.problem("flagMove", why);
        }
        if stalemate == "win" && !royal && !extinction {
            let why = "a game in which nobody can reach a goal any more is a draw here";
            self.problem("stalemateValue", why);
        }
        // A side that has no goal needs a square all the same; that side never has a piece that counts.
        let somewhere =
            |set: Bitboard| if set.any() { set } else { self.geometry.at(0, 0).map_or(set, |a1| a1.bit()) };
        Some(KeySheet {
            goals: goals.map(somewhere),
            objective: match (safe, after_a_move) {
                (true, _) => "try",
                (false, true) => "hold",
                (false, false) => "reach",
            },
            eligible: eligible.iter().map(|kind| kind.symbol()).collect(),
        })
    }

    /// The extinction rule: letters and result.
    pub(super) fn extinction(
        &mut self,
        kinds: &[Kind<'t>],
        royal: Option<usize>,
    ) -> Option<(String, &'static str)> {
        let value = self.setting("extinctionValue").filter(|setting| setting.value != "none")?;
        if royal.is_some() && value.value == "loss" && self.pseudo_royal() {
            return None;
        }
        let result = self.outcome("extinctionValue", "loss");
        for key in ["extinctionPieceCount", "extinctionOpponentPieceCount"] {
            if self.number(key, 0) > 0 {
                self.problem(key, "a type is extinct when none of it is left here");
            }
        }
        if self.flag("extinctionClaim", false) {
            self.problem("extinctionClaim", "extinction ends the game at once here");
        }
        match self.setting("extinctionPieceTypes").map(|setting| &setting.pieces) {
            Some(Pieces::All) => Some(("*".into(), result)),
            Some(Pieces::Some(names)) => {
                let named = kinds.iter().filter(|kind| names.contains(&kind.slot.name));
                let named: Vec<&Kind<'t>> = named.collect();
                let letters: String = named.iter().map(|kind| kind.symbol()).collect();
                let types: BTreeSet<&str> = named.iter().map(|kind| kind.slot.name.as_str()).collect();
                if types.len() < names.len() {
                    self.fatal("extinctionPieceTypes", "some of these types are nobody's");
                } else if types.len() > 1 {
                    self.problem(
                        "extinctionPieceTypes",
                        "here the game ends when all of several types are gone, not any",
                    );
                }
                (!letters.is_empty()).then_some((letters, result))
            }
            _ => None,
        }
    }

    pub(super) fn repetition(&mut self) -> u32 {
        match self.number("nFoldRule", 3) {
            count @ (0 | 2..=100) => count,
            _ => {
                self.problem(
                    "nFoldRule",
                    "a position can be a draw from its second to its hundredth time here",
                );
                3
            }
        }
    }

    /// What a repetition is worth, where that is no draw, and whether perpetual check loses.
    pub(super) fn repeated(&mut self, royal: bool) -> (Option<&'static str>, bool) {
        if self.number("nFoldRule", 3) == 0 {
            return (None, false);
        }
        let value = self.outcome("nFoldValue", "draw");
        let absolute = self.flag("nFoldValueAbsolute", false);
        let repeated = match (value, absolute) {
            ("draw", _) => None,
            ("win", true) => Some("w"),
            ("loss", true) => Some("b"),
            (value, _) => Some(value),
        };
        (repeated, royal && self.flag("perpetualCheckIllegal", false))
    }

    /// The rules of pieces in hand.
    pub(super) fn hand(&mut self, castles: bool) -> Option<HandSheet> {
        if !self.has_drops() {
            return None;
        }
        let captures = if self.flag("capturesToHand", false) { "captor" } else { "nobody" };
        let compulsory = self.flag("mustDrop", false);
        if compulsory && self.setting("mustDropType").is_some_and(|setting| setting.value != "*") {
            self.problem("mustDropType", "whatever is in hand must be dropped here");
        }
        let castling = castles && self.flag("castlingDroppedPiece", false);
        Some(HandSheet { captures, compulsory, castling })
    }

    pub(super) fn move_rule(&mut self) -> Option<u32> {
        match self.number("nMoveRule", 50) {
            0 => None,
            moves @ 1..=500 => Some(moves),
            _ => {
                self.problem("nMoveRule", "at most 500 moves are possible here");
                Some(500)
            }
        }
    }
}
