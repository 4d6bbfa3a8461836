//! Pieces in hand, promotion as in shogi, and repetition of a section.

use super::export::Writer;
use crate::bitboard::Bitboard;
use crate::value::{Outcome, Side};
use crate::variant::spec::{Captures, Mark, PieceSpec, Promotion, Repeated};

/// Whether a promotion is to the marked form of the same letter, or back: what the format calls that of pieces.
pub(super) fn is_of_pieces(spec: &[PieceSpec], piece: &PieceSpec, promotion: &Promotion) -> bool {
    let [to] = promotion.to[..] else { return false };
    let to = &spec[usize::from(to)];
    to.letter == piece.letter && (to.mark == Mark::Plus) != (piece.mark == Mark::Plus)
}

impl Writer<'_> {
    /// `promotedPieceType` and what goes with it.
    pub(super) fn piece_promotions(&mut self) {
        let spec = self.spec;
        let mut pairs = Vec::new();
        let mut rules: Vec<(usize, &Promotion)> = Vec::new();
        let (mut back, mut promoting, mut uneven) = (0, 0, false);
        for (kind, piece) in spec.pieces.iter().enumerate() {
            let of_pieces = |side: Side| {
                piece.promotion[side.index()].as_ref().filter(|p| is_of_pieces(&spec.pieces, piece, p))
            };
            let both = Side::BOTH.map(of_pieces);
            let Some(promotion) = both.into_iter().flatten().next() else { continue };
            uneven |=
                both.iter().flatten().any(|p| (&p.to, p.optional) != (&promotion.to, promotion.optional));
            if piece.mark == Mark::Plus {
                back += 1;
            } else {
                promoting += 1;
                let target = usize::from(promotion.to[0]);
                pairs.push(format!("{}:{}", self.letter(kind), self.letter(target)));
            }
            rules.push((kind, promotion));
        }
        let Some((_, first)) = rules.first() else { return };
        self.say("promotedPieceType", pairs.join(" "));
        self.say("mandatoryPiecePromotion", (!first.optional).to_string());
        if first.on_capture {
            self.say("piecePromotionOnCapture", "true");
        }
        if back > 0 {
            self.say("pieceDemotion", "true");
        }
        let zones =
            |p: &PieceSpec, side: usize| p.promotion[side].as_ref().map_or(Bitboard::EMPTY, |p| p.zone);
        let zone = [0, 1].map(|side| {
            rules.iter().fold(Bitboard::EMPTY, |set, (kind, _)| set | zones(&spec.pieces[*kind], side))
        });
        if !self.lines.iter().any(|(key, value)| key == "promotionRegionWhite" && value != "-") {
            self.lines.retain(|(key, _)| !key.starts_with("promotionRegion"));
            self.regions("promotionRegion", zone);
        }
        let alike = rules.iter().all(|(kind, p)| {
            let own = [0, 1].map(|side| zones(&spec.pieces[*kind], side));
            let usual = (0..2).all(|side| own[side] == zone[side] || own[side].is_empty());
            let stuck = Side::BOTH.map(|side| self.stuck(*kind, side) & own[side.index()]);
            let forced = [0, 1].map(|side| {
                spec.pieces[*kind].promotion[side].as_ref().map_or(Bitboard::EMPTY, |p| p.forced)
            });
            let leaves = p.leaving.any() || !self.can_leave(*kind, own);
            usual
                && leaves
                && (p.optional, p.on_capture) == (first.optional, first.on_capture)
                && (!p.optional || forced == stuck || forced == [Bitboard::EMPTY; 2])
        });
        let half = back > 0 && back < promoting;
        self.lose_if(
            uneven || !alike || half,
            "piece.promotion",
            "all pieces promote alike there, also by moves that begin in the zone",
        );
    }

    /// Whether a piece that stands in its zone can move out of it.
    fn can_leave(&self, kind: usize, zone: [Bitboard; 2]) -> bool {
        let piece = &self.spec.pieces[kind];
        Side::BOTH.into_iter().any(|side| {
            zone[side.index()].into_iter().any(|from| {
                piece.motions.iter().any(|motion| {
                    let (dx, dy) = piece.seen_by(motion, side).step();
                    self.spec.geometry.step(from, dx, dy).is_some_and(|to| !zone[side.index()].has(to))
                })
            })
        })
    }

    /// Where a piece could never move on.
    fn stuck(&self, kind: usize, side: Side) -> Bitboard {
        let piece = &self.spec.pieces[kind];
        let geometry = self.spec.geometry;
        let moves = |from| {
            piece.motions.iter().filter(|m| m.quiet && !m.initial).any(|motion| {
                let (dx, dy) = piece.seen_by(motion, side).step();
                geometry.step(from, dx, dy).is_some()
            })
        };
        geometry.squares().filter(|from| !moves(*from)).collect()
    }

    /// The pieces in hand.
    pub(super) fn hand(&mut self) {
        let spec = self.spec;
        let Some(hand) = spec.hand else { return };
        self.say("pieceDrops", "true");
        self.say("capturesToHand", (hand.captures != Captures::Nobody).to_string());
        self.lose_if(
            hand.captures == Captures::Owner,
            "hand.captures",
            "captured pieces go to the hand of the side that captures there",
        );
        self.lose_if(hand.beside_own, "hand.beside-own", "pieces are dropped anywhere in their zone there");
        if hand.compulsory {
            self.say("mustDrop", "true");
        }
        if hand.castling {
            self.say("castlingDroppedPiece", "true");
        }
        let pieces = || spec.pieces.iter().enumerate();
        let turned = pieces().any(|(kind, piece)| {
            let itself = piece.mark == Mark::None && spec.royal != Some(kind as u8);
            let usual = if itself { Some(kind as u8) } else { piece.in_hand };
            spec.captured_royal != Some(kind as u8) && piece.in_hand != usual
        });
        self.lose_if(turned, "piece.in-hand", "a captured piece turns back, or stays what it is, there");
        // A promoted pawn that has no mark stays what it is.
        let loops = hand.captures == Captures::Captor
            && pieces().any(|(_, piece)| {
                let promotions =
                    piece.promotion.iter().flatten().filter(|p| !is_of_pieces(&spec.pieces, piece, p));
                let mut to = promotions.flat_map(|promotion| &promotion.to);
                to.any(|kind| spec.pieces[usize::from(*kind)].mark == Mark::None)
            });
        if loops {
            self.say("dropLoop", "true");
        }
        if pieces().any(|(_, piece)| piece.mark == Mark::Plus && piece.drop.is_some()) {
            self.say("dropPromoted", "true");
        }
        self.drop_zones();
        self.drop_rules();
    }

    /// One region for all types: theirs together, without the squares on which pieces could not move on.
    fn drop_zones(&mut self) {
        let spec = self.spec;
        let geometry = spec.geometry;
        let dropped: Vec<usize> = self.kinds(|piece| piece.drop.is_some());
        let zone = |kind: usize, side: Side| {
            spec.pieces[kind].drop.as_ref().map_or(Bitboard::EMPTY, |drop| drop.zone[side.index()])
        };
        let region =
            Side::BOTH.map(|side| dropped.iter().fold(Bitboard::EMPTY, |set, kind| set | zone(*kind, side)));
        if region != [geometry.all(); 2] {
            self.regions("dropRegion", region);
        }
        let immobile = dropped.iter().any(|&kind| {
            Side::BOTH.iter().any(|&side| {
                let stuck = self.stuck(kind, side) & region[side.index()];
                stuck.any() && (stuck & zone(kind, side)).is_empty()
            })
        });
        self.say("immobilityIllegal", immobile.to_string());
        let pawn = dropped.iter().copied().find(|&kind| self.slots[kind] == "pawn");
        let promotes = |kind: usize, side: Side| {
            spec.pieces[kind].promotion[side.index()].as_ref().map_or(Bitboard::EMPTY, |p| p.zone)
        };
        let (mut first_rank, mut in_zone) = (false, false);
        let home =
            |side: Side| geometry.rank_set(if side == Side::White { 0 } else { geometry.height() - 1 });
        if let Some(pawn) = pawn {
            first_rank = Side::BOTH.iter().any(|&side| (zone(pawn, side) & home(side)).any());
            in_zone = Side::BOTH.iter().any(|&side| (zone(pawn, side) & promotes(pawn, side)).any());
            self.say("firstRankPawnDrops", first_rank.to_string());
            self.say("promotionZonePawnDrops", in_zone.to_string());
        }
        let alike = dropped.iter().all(|&kind| {
            Side::BOTH.iter().all(|&side| {
                let mut there = region[side.index()] & spec.pieces[kind].territory[side.index()];
                if immobile {
                    there &= !self.stuck(kind, side);
                }
                if Some(kind) == pawn {
                    there &= if first_rank { geometry.all() } else { !home(side) };
                    there &= if in_zone { geometry.all() } else { !promotes(kind, side) };
                }
                there == zone(kind, side)
            })
        });
        self.lose_if(!alike, "piece.drop.zone", "all pieces are dropped in one region there");
    }

    fn drop_rules(&mut self) {
        let spec = self.spec;
        let with = |has: &dyn Fn(&crate::variant::spec::Drop) -> bool| {
            self.kinds(|piece| piece.drop.as_ref().is_some_and(has))
        };
        let limited = with(&|drop| drop.per_file.is_some());
        let harmless = with(&|drop| !drop.mate);
        let balanced = with(&|drop| drop.balanced);
        let count = |kind: usize| spec.pieces[kind].drop.as_ref().and_then(|drop| drop.per_file);
        if let Some(&kind) = limited.first() {
            self.say("dropNoDoubled", self.letter(kind).to_string());
            if let Some(most) = count(kind).filter(|most| *most != 1) {
                self.say("dropNoDoubledCount", most.to_string());
            }
            self.lose_if(limited.len() > 1, "piece.drop.per-file", "files are limited for one type there");
        }
        if let Some(&kind) = harmless.first() {
            self.say("shogiPawnDropMateIllegal", "true");
            let other = harmless.len() > 1 || self.slots[kind] != "shogiPawn";
            self.lose_if(other, "piece.drop.mate", "only the pawn of shogi may not mate there");
        }
        if let Some(&kind) = balanced.first() {
            self.say("dropOppositeColoredBishop", "true");
            let other = balanced.len() > 1 || self.slots[kind] != "bishop";
            self.lose_if(other, "piece.drop.balanced", "only bishops are balanced there");
        }
    }

    /// What a repetition is worth.
    pub(super) fn repetition(&mut self) {
        match self.spec.repeated {
            Repeated::ToMove(Outcome::Draw) => {}
            Repeated::ToMove(outcome) => self.say("nFoldValue", outcome.name()),
            Repeated::WonBy(side) => {
                self.say("nFoldValue", if side == Side::White { "win" } else { "loss" });
                self.say("nFoldValueAbsolute", "true");
            }
        }
        if self.spec.perpetual_check_loses {
            self.say("perpetualCheckIllegal", "true");
        }
    }
}
