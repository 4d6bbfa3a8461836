//! Castling rights of a section.

use super::board::Start;
use super::importer::Importer;
use super::pieces::Kind;
use super::sheet::CastleSheet;
use crate::bitboard::Square;
use crate::value::Side;

impl<'t> Importer<'t> {
    /// The rights that the start position has. A right whose king or rook is not there does not exist.
    pub(super) fn castles(
        &mut self,
        kinds: &[Kind<'t>],
        start: &Start,
        royal: Option<usize>,
    ) -> Vec<CastleSheet> {
        let mut castles = Vec::new();
        let dropped = self.has_drops() && self.flag("castlingDroppedPiece", false);
        if start.rights.is_empty() && !dropped || !self.flag("castling", true) {
            return castles;
        }
        let rank = self.number("castlingRank", 1).saturating_sub(1);
        if self.is_chess960(royal) || dropped {
            return self.usual_castles(kinds, start, rank as i32);
        }
        for right in start.rights.chars() {
            let side = if right.is_ascii_uppercase() { Side::White } else { Side::Black };
            let height = u32::from(self.geometry.height());
            let rank = if side == Side::White { Some(rank) } else { height.checked_sub(1 + rank) };
            let Some(rank) = rank.filter(|rank| *rank < height) else { continue };
            match right.to_ascii_lowercase() {
                'k' | 'q' => castles.extend(self.castle(kinds, right, side, rank as i32, royal)),
                _ => self.problem("startFen", format!("the castling right '{right}' is neither K nor Q")),
            }
        }
        castles
    }

    /// Whether kings and rooks may start on any files: without a royal piece nobody tells the castling king.
    pub(super) fn is_chess960(&mut self, royal: Option<usize>) -> bool {
        self.flag("chess960", false) && royal.is_some()
    }

    /// The rights of Chess960, for both wings of each side that has one: a variant file says where kings and rooks
    /// usually stand, the start position where they do.
    fn usual_castles(&mut self, kinds: &[Kind<'t>], start: &Start, rank: i32) -> Vec<CastleSheet> {
        let rook = kinds.iter().find(|kind| self.names_piece("castlingRookPieces", kind.slot, &["rook"]));
        let Some(rook_piece) = rook.map(|kind| kind.letter()) else { return Vec::new() };
        let king_file = i32::from(self.file("castlingKingFile").unwrap_or(4));
        let last_file = i32::from(self.geometry.width()) - 1;
        let last_rank = i32::from(self.geometry.height()) - 1;
        let mut castles = Vec::new();
        for side in Side::BOTH {
            let white = side == Side::White;
            let dropped = start.rights.is_empty();
            if !dropped && !start.rights.chars().any(|right| right.is_ascii_uppercase() == white) {
                continue;
            }
            let rank = if white { rank } else { last_rank - rank };
            for (right, key, goal, rook_file, beside) in
                [('k', "castlingKingsideFile", 6, last_file, -1), ('q', "castlingQueensideFile", 2, 0, 1)]
            {
                let goal = i32::from(self.file(key).unwrap_or(goal));
                let squares =
                    [king_file, goal, rook_file, goal + beside].map(|file| self.geometry.at(file, rank));
                let [Some(king), Some(king_to), Some(rook), Some(rook_to)] = squares else {
                    self.problem(key, format!("castling right {right}: that file is off the board"));
                    continue;
                };
                let right = if white { right.to_ascii_uppercase() } else { right };
                castles.push(CastleSheet {
                    right,
                    king: [king, king_to],
                    rook: [rook, rook_to],
                    rook_piece,
                    king_piece: None,
                });
            }
        }
        castles
    }

    fn castle(
        &mut self,
        kinds: &[Kind<'t>],
        right: char,
        side: Side,
        rank: i32,
        royal: Option<usize>,
    ) -> Option<CastleSheet> {
        let short = right.eq_ignore_ascii_case(&'k');
        let castler =
            kinds.iter().position(|kind| self.names_piece("castlingKingPiece", kind.slot, &["king"]))?;
        let on_rank = |square: &Square| i32::from(self.geometry.rank(*square)) == rank;
        let mut kings: Vec<Square> =
            kinds[castler].stands[side.index()].into_iter().filter(on_rank).collect();
        if kings.len() > 1 {
            let file = self.file("castlingKingFile").unwrap_or(4);
            kings.retain(|square| self.geometry.file(*square) == file);
        }
        let king = *kings.first()?;
        let (rook, rook_piece) = self.castling_rook(kinds, side, king, short)?;
        if royal.is_some_and(|royal| royal != castler) {
            self.problem(
                "castlingKingPiece",
                "where there is a royal piece, it is the one that castles here",
            );
            return None;
        }
        let king_piece = royal.is_none().then(|| kinds[castler].letter());
        let goal = if short { ("castlingKingsideFile", 6) } else { ("castlingQueensideFile", 2) };
        let file = i32::from(self.file(goal.0).unwrap_or(goal.1));
        let ends = (self.geometry.at(file, rank), self.geometry.at(file + if short { -1 } else { 1 }, rank));
        let (Some(king_to), Some(rook_to)) = ends else {
            self.problem(goal.0, format!("castling right {right}: that file is off the board"));
            return None;
        };
        if king_to == king {
            self.problem(goal.0, format!("castling right {right}: the king stands there already"));
            return None;
        }
        Some(CastleSheet { right, king: [king, king_to], rook: [rook, rook_to], rook_piece, king_piece })
    }

    /// The rook of a right: on the file that is named, otherwise the outermost on that side of the king.
    fn castling_rook(
        &mut self,
        kinds: &[Kind<'t>],
        side: Side,
        king: Square,
        short: bool,
    ) -> Option<(Square, char)> {
        let key = if short { "castlingRookKingsideFile" } else { "castlingRookQueensideFile" };
        let named = self.file(key);
        let beyond = |square: &Square| {
            let alike = self.geometry.rank(*square) == self.geometry.rank(king);
            alike && if short { *square > king } else { *square < king }
        };
        let mut rooks: Vec<(Square, char)> = Vec::new();
        for kind in kinds.iter().filter(|kind| self.names_piece("castlingRookPieces", kind.slot, &["rook"])) {
            let squares = kind.stands[side.index()].into_iter().filter(beyond);
            rooks.extend(squares.map(|square| (square, kind.letter())));
        }
        rooks.sort_unstable();
        let at_file = |(square, _): &&(Square, char)| Some(self.geometry.file(*square)) == named;
        let outermost = if short { rooks.last() } else { rooks.first() };
        rooks.iter().find(at_file).or(outermost).copied()
    }
}
