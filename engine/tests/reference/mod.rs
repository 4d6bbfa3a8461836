//! The plain generator for rules that are plain data, without a variant file: so that the reading of files is tested too.

pub(crate) mod spec;

use jewel_engine::betza;
use jewel_engine::plain::{Board, Cell, Plain, PlainCastle, PlainKey, PlainPiece, PlainRules};
use jewel_engine::value::Side;
use jewel_engine::variant::{Bare, Objective};
use spec::{PieceSpec, Spec, Sq};

/// The plain generator for a specification.
pub(crate) fn plain(spec: &Spec) -> Plain {
    let cell = |(file, rank): Sq| (rank * spec.width + file) as Cell;
    let cells = |squares: &[Sq]| squares.iter().map(|&square| cell(square)).collect::<Vec<Cell>>();
    let ranks = |ranks: &[i32]| {
        (0..spec.width * spec.height)
            .filter(|n| ranks.contains(&(n / spec.width)))
            .map(|n| n as Cell)
            .collect()
    };
    let kinds = |letters: &str| letters.chars().filter_map(|letter| kind(spec, letter)).collect::<Vec<u8>>();
    let all: Vec<i32> = (0..spec.height).collect();
    let pieces = spec.pieces.iter().map(|piece| {
        let motions = betza::parse(&piece.moves).unwrap();
        PlainPiece {
            letter: piece.letter,
            resets_clock: motions.iter().all(|m| m.dy > 0),
            motions,
            initial: [0, 1].map(|side| homes(spec, piece, side)),
            territory: [0, 1].map(|s: usize| {
                ranks(if piece.territory[s].is_empty() { &all } else { &piece.territory[s] })
            }),
            zone: [0, 1].map(|s: usize| ranks(&piece.zone[s])),
            to: [0, 1].map(|_| kinds(&piece.to)),
            optional: [piece.optional; 2],
            en_passant: piece.en_passant,
        }
    });
    let side = |right: char| if right.is_ascii_uppercase() { Side::White } else { Side::Black };
    Plain::new(PlainRules {
        width: spec.width as u8,
        height: spec.height as u8,
        pieces: pieces.collect(),
        royal: spec.royal.and_then(|letter| kind(spec, letter)),
        blocking: cells(&spec.blocking),
        key: spec.key.as_ref().map(|(goals, objective, eligible)| PlainKey {
            goals: [0, 1].map(|s: usize| cells(&goals[s])),
            objective: match objective {
                spec::Objective::Hold => Objective::Hold,
                spec::Objective::Secure => Objective::Secure,
                spec::Objective::Reach => Objective::Reach,
            },
            eligible: kinds(eligible),
        }),
        castles: spec
            .castling
            .iter()
            .map(|castle| PlainCastle {
                side: side(castle.right),
                right: castle.right,
                king: castle.king.map(cell),
                rook: castle.rook.map(cell),
                king_kind: spec.royal.and_then(|letter| kind(spec, letter)).unwrap(),
                rook_kind: kind(spec, castle.rook_piece).unwrap(),
            })
            .collect(),
        checkmate: spec.checkmate,
        stalemate: spec.stalemate,
        bare: match spec.bare {
            "none" => Bare::Nothing,
            "loss" => Bare::Loses,
            "draw" => Bare::Draws,
            _ => Bare::Key,
        },
        extinction: spec.extinction.as_ref().map(|(letters, result)| (kinds(letters), *result)),
        move_rule: spec.n_move.map(|n| 2 * n as u16),
        must_capture: spec.must_capture,
        insufficient: vec![],
        same_colour: vec![],
    })
}

fn kind(spec: &Spec, letter: char) -> Option<u8> {
    spec.pieces.iter().position(|piece| piece.letter == letter).map(|kind| kind as u8)
}

/// Where the pieces of a type stand at the start.
fn homes(spec: &Spec, piece: &PieceSpec, side: usize) -> Vec<Cell> {
    let letter = if side == 0 { piece.letter } else { piece.letter.to_ascii_lowercase() };
    let mut homes = vec![];
    for (row, rank) in spec.start.split([' ', '/']).zip((0..spec.height).rev()) {
        let (mut file, mut run) = (0, 0);
        for c in row.chars() {
            if let Some(digit) = c.to_digit(10) {
                run = run * 10 + digit as i32;
                continue;
            }
            file += std::mem::take(&mut run);
            if c == letter {
                homes.push((rank * spec.width + file) as Cell);
            }
            file += 1;
        }
    }
    homes
}

/// A position string that must be right.
pub(crate) fn read(plain: &Plain, fen: &str) -> Board {
    plain.read(fen).unwrap()
}
