//! The usual pieces on boards of usual sizes, for which the network for every game has additional rows.
//!
//! What is computed from facts is smooth: it tells good squares from bad ones, but not closely. Most games that people make up
//! have most of the pieces of chess, so for these the rest was learnt piece by piece and square by square, in all games that
//! have them.

use super::Family;
use super::describe::{LINES, View};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The boards with such rows, by width and height.
const BOARDS: [(u8, u8); 4] = [(8, 8), (6, 6), (5, 5), (5, 6)];

/// The usual pieces: Pawn, Knight, Bishop, Rook, Queen and King.
const PIECES: usize = 6;

/// The number of rows for one side's pieces: those of a board follow each other by piece, and then by square.
pub(super) const ROWS: usize = PIECES * rows_before(BOARDS.len());

const STRAIGHT: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
const ALL: &[(i32, i32)] = LINES.split_at(8).0;
const LEAPS: &[(i32, i32)] = LINES.split_at(8).1;

/// The squares of the boards before one.
const fn rows_before(board: usize) -> usize {
    let (mut n, mut squares) = (0, 0);
    while n < board {
        squares += BOARDS[n].0 as usize * BOARDS[n].1 as usize;
        n += 1;
    }
    squares
}

/// Which types of a game are usual pieces.
pub(super) struct Usual<'a> {
    rules: &'a Rules,
    /// The first row of the board, if it is a usual one, and the game is of the family that has such rows.
    first: Option<usize>,
    /// By type and side.
    pieces: Vec<[Option<usize>; 2]>,
}

impl<'a> Usual<'a> {
    pub(super) fn new(rules: &'a Rules) -> Usual<'a> {
        let size = (rules.geometry.width(), rules.geometry.height());
        let board = BOARDS.iter().position(|board| *board == size);
        let which = |kind| Side::BOTH.map(|owner| Mover { view: View { rules, owner }, kind }.piece());
        Usual {
            rules,
            first: board
                .filter(|_| Family::of(rules) == Some(Family::Mate))
                .map(|board| PIECES * rows_before(board)),
            pieces: (0..rules.type_count() as u8).map(which).collect(),
        }
    }

    /// The row of a piece of a type and side on a square; `None` for others than usual pieces and boards.
    pub(super) fn row(&self, kind: u8, owner: Side, square: Square) -> Option<usize> {
        let (first, piece) = (self.first?, self.pieces[usize::from(kind)][owner.index()]?);
        let geometry = self.rules.geometry;
        let (file, rank) = View { rules: self.rules, owner }.place(square);
        let place = rank as usize * usize::from(geometry.width()) + file as usize;
        Some(first + piece * usize::from(geometry.area()) + place)
    }
}

/// A side's pieces of one type.
struct Mover<'a> {
    view: View<'a>,
    kind: u8,
}

impl Mover<'_> {
    /// The number of the usual piece that moves like this one.
    fn piece(&self) -> Option<usize> {
        if self.view.rules.royal == Some(self.kind) {
            return self.moves_by(ALL, false).then_some(5);
        }
        if self.moves_like_a_pawn() {
            return Some(0);
        }
        let usual: [(&[(i32, i32)], bool); 4] =
            [(LEAPS, false), (&DIAGONAL, true), (&STRAIGHT, true), (ALL, true)];
        usual.iter().position(|(steps, rides)| self.moves_by(steps, *rides)).map(|n| n + 1)
    }

    /// Whether it makes these steps, once or along lines, with and without capturing.
    fn moves_by(&self, steps: &[(i32, i32)], rides: bool) -> bool {
        self.view.rules.geometry.squares().all(|square| {
            let alone = self.reached(square, steps, rides, Bitboard::EMPTY);
            let crowded = self.reached(square, steps, rides, Bitboard::ALL);
            self.attacks(square, square.bit()) == alone
                && self.attacks(square, Bitboard::ALL) == crowded
                && self.quiet(square) == alone
        })
    }

    /// Whether it captures like a Pawn and goes one step forward, or two as well from some squares.
    fn moves_like_a_pawn(&self) -> bool {
        self.view.rules.geometry.squares().all(|square| {
            let captures = self.reached(square, &[(-1, 1), (1, 1)], false, Bitboard::EMPTY);
            let step = self.reached(square, &[(0, 1)], false, Bitboard::EMPTY);
            let leap = self.reached(square, &[(0, 2)], false, Bitboard::EMPTY);
            let quiet = self.quiet(square);
            [square.bit(), Bitboard::ALL].iter().all(|taken| self.attacks(square, *taken) == captures)
                && (quiet == step || quiet == step | leap)
        })
    }

    fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.view.rules.capture_targets(self.kind, self.view.owner, square, occupied)
    }

    /// Its moves without a capture on an empty board.
    fn quiet(&self, square: Square) -> Bitboard {
        self.view.rules.quiet_targets(self.kind, self.view.owner, square, square.bit())
    }

    /// The squares that steps lead to, as the owner sees the board; the first that is occupied ends a line.
    fn reached(&self, square: Square, steps: &[(i32, i32)], rides: bool, occupied: Bitboard) -> Bitboard {
        let (file, rank) = self.view.place(square);
        let mut reached = Bitboard::EMPTY;
        for (dx, dy) in steps {
            for n in 1.. {
                let Some(to) = self.view.at((file + n * dx, rank + n * dy)) else { break };
                reached |= to.bit();
                if !rides || occupied.has(to) {
                    break;
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::find;

    fn pieces(rules: &Rules) -> Vec<Option<usize>> {
        let usual = Usual::new(rules);
        assert!(usual.pieces.iter().all(|[white, black]| white == black));
        usual.pieces.iter().map(|[white, _]| *white).collect()
    }

    #[test]
    fn the_pieces_of_chess_are_usual_by_their_moves() {
        let text = find("chess").unwrap().text;
        assert_eq!(pieces(find("chess").unwrap().rules()), (0..6).map(Some).collect::<Vec<_>>());
        let other = |from: &str, to: &str| {
            let changed = text.replace("en-passant = true\n", "").replace(from, to);
            pieces(&Rules::parse(&changed).unwrap())
        };
        // Moves that are almost those of a usual piece.
        assert_eq!(other("moves = \"N\"", "moves = \"nN\"")[1], None);
        assert_eq!(other("moves = \"N\"", "moves = \"mNcB\"")[1], None);
        assert_eq!(other("moves = \"N\"", "moves = \"mBcN\"")[1], None);
        assert_eq!(other("moves = \"B\"", "moves = \"B3\"")[2], None);
        assert_eq!(other("moves = \"R\"", "moves = \"W\"")[3], None);
        assert_eq!(other("moves = \"K\"", "moves = \"KN\"")[5], None);
        // A King that is not royal, and a Pawn that moves like another.
        assert_eq!(other("moves = \"Q\"", "moves = \"K\"")[4], None);
        assert_eq!(other("mfWcfFimfnD", "mfWcfF")[0], Some(0));
        assert_eq!(other("mfWcfFimfnD", "mfFcfW")[0], None);
    }

    #[test]
    fn rows_are_as_the_owner_sees_the_board_and_none_is_of_two_pieces() {
        let rules = find("chess").unwrap().rules();
        let usual = Usual::new(rules);
        let mut found = Vec::new();
        for kind in 0..6 {
            for square in rules.geometry.squares() {
                let row = usual.row(kind, Side::White, square).unwrap();
                let mirrored = Square::new(square.index() as u8 ^ 56);
                assert_eq!(usual.row(kind, Side::Black, mirrored), Some(row));
                found.push(row);
            }
        }
        assert_eq!(found, (0..6 * 64).collect::<Vec<_>>());
        let text = |size: &str, rank: &str| {
            format!(
                "id = \"t\"\nname = \"T\"\n[board]\nsize = \"{size}\"\nstart = \"{} w - - 0 1\"\n\
                 [[piece]]\nletter = \"R\"\nmoves = \"R\"\n[[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n",
                rank.replace(
                    '/',
                    &format!(
                        "/{}",
                        "x/".repeat(usize::from(size.as_bytes()[2] - b'2')).replace('x', &size[..1])
                    )
                )
            )
        };
        let last = |size, rank| {
            let rules = Rules::parse(&text(size, rank)).unwrap();
            let corner = rules.geometry.squares().last().unwrap();
            Usual::new(&rules).row(1, Side::White, corner)
        };
        assert_eq!(last("5x6", "rk3/3KR"), Some(ROWS - 1));
        assert_eq!(last("5x5", "rk3/3KR"), Some(ROWS - 6 * 30 - 1));
        assert_eq!(last("4x5", "rk2/2KR"), None);
    }
}
