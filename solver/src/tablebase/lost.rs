//! Symmetries that the start position takes away from a game.
//!
//! A piece that stands alone on its side of the board, or whose moves have a direction, leaves a class with fewer symmetries than
//! its other pieces have, and its tables are larger. An inventor may want to know.

use crate::retrograde::class::Class;
use crate::retrograde::game::GameData;
use crate::retrograde::kind::reachable;
use crate::retrograde::pieces::Pieces;
use jewel_engine::bitboard::Square;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// Symmetries that the start position takes away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostSymmetries {
    /// What takes them away.
    pub cause: Cause,
    /// Symmetries of the class of the start position, exchanges of sides among them.
    pub symmetries: usize,
    /// As many as there would be without the cause.
    pub without: usize,
}

/// What takes symmetries away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// One piece of the start position.
    Piece {
        /// Its type.
        kind: u8,
        /// Its side.
        side: Side,
        /// Its square.
        square: Square,
    },
    /// That the pieces of a type reach other squares on one side of the board than on the other.
    Reach {
        /// The type.
        kind: u8,
    },
}

/// The single piece of the start position, or else the type with squares out of reach, without which there would be the most
/// symmetries more; `None` if there is none.
pub(super) fn lost_symmetries(game: &GameData<'_>) -> Option<LostSymmetries> {
    let rules = game.rules;
    let start = AnyChessLike::from_fen(rules, &rules.start).ok()?;
    let start = game.pieces(&start);
    let symmetries = game.symmetries.of(game.start).count();
    let mut lost: Option<LostSymmetries> = None;
    let mut consider = |cause, without: usize| {
        if without > lost.map_or(symmetries, |lost| lost.without) {
            lost = Some(LostSymmetries { cause, symmetries, without });
        }
    };
    for side in Side::BOTH {
        for kind in (0..rules.type_count()).filter(|&kind| game.royal != Some(kind)) {
            for square in start[side][kind] {
                let mut rest = start;
                rest[side][kind] ^= square.bit();
                if rest[side][kind].is_empty() || !reaches_the_same(game, &rest) {
                    let cause = Cause::Piece { kind: kind as u8, side, square };
                    consider(cause, symmetries_from(rules, &rest, Class::from_pieces(&rest)));
                }
            }
        }
    }
    for kind in 0..rules.type_count() {
        let mut everywhere = start;
        for side in Side::BOTH {
            everywhere[side][kind] |= rules.territory(kind as u8, side);
        }
        if !reaches_the_same(game, &everywhere) {
            consider(Cause::Reach { kind: kind as u8 }, symmetries_from(rules, &everywhere, game.start));
        }
    }
    lost
}

/// Whether the pieces of a start position reach the squares that those of the game reach.
fn reaches_the_same(game: &GameData<'_>, start: &Pieces) -> bool {
    let reach = reachable(game.rules, start);
    Side::BOTH
        .into_iter()
        .all(|side| game.kinds[side].iter().zip(reach[side]).all(|(k, set)| k.allowed == set))
}

/// The number of symmetries of a class where pieces begin so.
fn symmetries_from(rules: &Rules, start: &Pieces, class: Class) -> usize {
    GameData::from_start(rules, start).map_or(0, |game| game.symmetries.of(class).count())
}
