//! The movement of a piece as plain data, for solvers that lay out their own tables.

use super::rules::Rules;
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// One way to go from a square, whatever stands elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Motion {
    /// The square where it ends.
    pub to: Square,
    /// Squares on the way that must be empty; none for a leap.
    pub path: Bitboard,
    /// Whether it goes to an empty square.
    pub quiet: bool,
    /// Whether it captures.
    pub capture: bool,
}

/// What a piece becomes, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promotion<'r> {
    /// Moves that end here promote.
    pub zone: Bitboard,
    /// The types that the piece may become.
    pub to: &'r [u8],
    /// Whether it may remain what it is.
    pub optional: bool,
    /// Whether it promotes in other ways than by any move that ends in the zone: by moves that begin there, by captures
    /// alone, or compulsorily in a part of the zone.
    pub special: bool,
}

impl Rules {
    /// All ways to go from a square for a piece of a type and side, promotion apart. Castling and *en passant*
    /// involve other pieces and are left out; double steps are listed.
    pub fn motions(&self, kind: u8, side: Side, from: Square) -> Vec<Motion> {
        let (t, s) = (&self.tables.types[kind as usize], side.index());
        let (quiet, capture) = (t.quiet[s][from.index()], t.capture[s][from.index()]);
        let mut list: Vec<Motion> = (quiet | capture)
            .into_iter()
            .map(|to| Motion { to, path: Bitboard::EMPTY, quiet: quiet.has(to), capture: capture.has(to) })
            .collect();
        let mut add =
            |motion: Motion| match list.iter_mut().find(|m| (m.to, m.path) == (motion.to, motion.path)) {
                Some(same) => {
                    same.quiet |= motion.quiet;
                    same.capture |= motion.capture;
                }
                None => list.push(motion),
            };
        for (numbers, quiet) in [(&t.quiet_riders[s], true), (&t.capture_riders[s], false)] {
            for &number in numbers {
                let rider = &self.tables.riders[number as usize];
                for to in rider.attacks(from, Bitboard::EMPTY) {
                    add(Motion { to, path: self.between(rider, from, to), quiet, capture: !quiet });
                }
            }
        }
        for lame in &t.lame[s][from.index()] {
            add(Motion { to: lame.end, path: lame.legs, quiet: lame.quiet, capture: lame.capture });
        }
        list
    }

    /// How a type promotes.
    pub fn promotion(&self, kind: u8, side: Side) -> Option<Promotion<'_>> {
        let p = self.pieces.get(kind as usize)?.promotion[side.index()].as_ref()?;
        Some(Promotion { zone: p.zone, to: &p.to, optional: p.optional, special: p.is_special() })
    }

    /// What a piece of a type is once it has been captured and is in a hand; `None` where it leaves the game.
    pub fn in_hand(&self, kind: u8) -> Option<u8> {
        self.pieces.get(kind as usize)?.in_hand
    }

    /// What a piece of a type is in the hand from which it is dropped; `None` if it cannot be dropped.
    pub fn dropped_from(&self, kind: u8) -> Option<u8> {
        let piece = self.pieces.get(kind as usize)?;
        piece.drop.is_some().then(|| piece.in_hand.unwrap_or(kind))
    }

    /// Where pieces of a type may be dropped, if they can be: no rule on files, colours or mate is looked at.
    pub fn drop_zone(&self, kind: u8, side: Side) -> Option<Bitboard> {
        self.pieces.get(kind as usize)?.drop.as_ref().map(|drop| drop.zone[side.index()])
    }

    /// Where a piece may stand at all.
    pub fn territory(&self, kind: u8, side: Side) -> Bitboard {
        self.pieces[kind as usize].territory[side.index()]
    }

    /// Whether a type captures *en passant*.
    pub fn captures_en_passant(&self, kind: u8) -> bool {
        self.pieces.get(kind as usize).is_some_and(|piece| piece.en_passant)
    }

    /// Whether a game with these types of pieces alone, a bit each, may be drawn because those that are not royal share
    /// one colour of squares.
    pub fn may_share_colour(&self, types: u32) -> bool {
        self.same_colour != 0 && types & !(self.same_colour | self.royal.map_or(0, |royal| 1 << royal)) == 0
    }

    /// Whether some material, given by the numbers of each type of each side, is declared a draw.
    pub fn is_insufficient(&self, count: impl Fn(Side, u8) -> u8) -> bool {
        self.insufficient.iter().any(|material| {
            Side::BOTH.iter().all(|&side| {
                let counts = material.counts[side.index()].iter().take(self.pieces.len());
                counts.enumerate().all(|(kind, &n)| count(side, kind as u8) == n)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::chesslike::AnyChessLike;
    use crate::games;
    use crate::position::{Position, list_moves};
    use crate::zobrist::splitmix64;

    /// The moves of random positions, put together from motions, are those of the move generator.
    #[test]
    fn motions_make_the_moves_of_games_without_kings() {
        for game in games::GAMES.iter().filter(|g| g.rules().royal.is_none()) {
            let rules = game.rules();
            let mut position = AnyChessLike::from_fen(rules, &rules.start).unwrap();
            let mut seed = 3;
            for _ in 0..300 {
                let moves = list_moves(&position);
                if moves.is_empty() {
                    position = AnyChessLike::from_fen(rules, &rules.start).unwrap();
                    continue;
                }
                let mut made = vec![];
                let us = position.side_to_move();
                for from in position.pieces_of(us) {
                    let (kind, _) = position.piece_on(from).unwrap();
                    for m in rules.motions(kind, us, from) {
                        let prey = position.pieces_of(!us).has(m.to);
                        let free = (m.path & position.occupied()).is_empty();
                        let open = !position.occupied().has(m.to);
                        if free && (m.quiet && open || m.capture && prey) {
                            made.push((from, m.to));
                        }
                    }
                }
                let mut listed: Vec<_> = moves.iter().map(|m| (m.from, m.to)).collect();
                listed.sort_unstable();
                listed.dedup();
                made.sort_unstable();
                made.dedup();
                assert_eq!(made, listed, "{}: {position:?}", game.id);
                let (next, random) = splitmix64(seed);
                seed = next;
                position.play(moves[random as usize % moves.len()]);
            }
        }
    }
}
