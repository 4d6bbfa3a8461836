//! Bad input: a hundred thousand cases for every parser, most of them valid texts with a few bytes changed.
//! Nothing panics, and every error is one line that says something.

use crate::common::texts::decent;
use crate::common::{self, Random, embedded};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::betza;
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::games::GAMES;
use jewel_engine::geometry::Geometry;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::variant::Rules;

const CASES: usize = 100_000;

/// Bytes that are likely to matter.
const ALPHABET: &[u8] = b"0123456789abcdefghKQkqwbBRNPLx/-=\"[]{}#., \n\tWFDHCZGimnfsv*'\\";

/// A text with a few bytes replaced, inserted, removed, doubled or swapped; sometimes noise alone.
fn mutated(random: &mut Random, seed: &str) -> String {
    let mut bytes = seed.as_bytes().to_vec();
    if random.below(20) == 0 {
        let length = random.below(60);
        bytes = (0..length).map(|_| random.below(256) as u8).collect();
    }
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let byte = if random.below(8) == 0 { random.below(256) as u8 } else { *random.pick(ALPHABET) };
        match random.below(6) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] = byte,
            3 => {
                let end = (at + random.below(12)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            4 => bytes.truncate(at),
            _ => {
                let end = (at + random.below(6)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs the cases on mutations of the seeds, with the seed's number; returns how many texts were accepted.
fn fuzz<S: AsRef<str>>(seed: u64, seeds: &[S], mut parse: impl FnMut(usize, &str) -> bool) -> usize {
    let mut random = Random(seed);
    let mut accepted = 0;
    for _ in 0..CASES {
        let valid = random.below(seeds.len());
        let text = mutated(&mut random, seeds[valid].as_ref());
        accepted += usize::from(parse(valid, &text));
    }
    accepted
}

/// Takes a result: whether it is good; its error must be decent.
fn good<T, E: std::fmt::Display>(result: Result<T, E>, input: &str) -> bool {
    result.map_err(|error| decent(&error, input)).is_ok()
}

#[test]
fn position_strings() {
    let all: Vec<&Rules> = ["duel", "ambush", "diamond-quest", "diamond-chess", "crystal-of-doom", "chess"]
        .map(embedded)
        .to_vec();
    let seeds = [
        "l2/3/2L w - - 0 1",
        "nqlqn/5/5/5/NQLQN b - - 0 1",
        "r2k2r/3p3/1b3b1/7/1B3B1/3P3/R2K2R w KQkq - 0 1",
        "3k3/7/7/1pPp3/7/7/3K3 b - c3 12 34",
        "rnbcbnr/ppppppp/7/7/7/PPPPPPP/RNBCBNR w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    let accepted = fuzz(1, &seeds, |seed, text| {
        let game = ChessGame::<General, 32>::new(all[seed]).unwrap();
        let read = game.parse_position(text);
        if let Ok(position) = &read {
            // What is accepted can be written and read again, and played on.
            let again = game.parse_position(&position.position_text()).unwrap();
            assert_eq!(&again, position);
            assert_eq!(list_moves(position).len() as u64, position.count_moves());
            let _ = position.outcome();
        }
        good(read, text)
    });
    assert!((2_000..90_000).contains(&accepted), "{accepted} accepted");
}

/// Positions of a game with hands: pieces that promote in the manner of shogi, and a royal piece.
#[test]
fn position_strings_with_hands() {
    let import = |name: &str| {
        let section = format!("[a-{name}:{name}]\n");
        Rules::parse(&jewel_engine::interchange::import(&section, None, &[]).unwrap().text).unwrap().leak()
    };
    let all: Vec<&Rules> = ["minishogi", "crazyhouse", "kyotoshogi", "dobutsu"].map(import).to_vec();
    let seeds = [
        "rb+Sgk/4p/5/P4/KGSBR[pR] w - - 0 1",
        "rnbqkb1r/pppp~1ppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR[PpnQ] w KQkq - 0 1",
        "p+nks+l/5/5/5/+L1K+NP[S] b - - 0 1",
        "gle/1c1/1C1/EL1/Gg w - - 3 9",
    ];
    let accepted = fuzz(11, &seeds, |seed, text| {
        let game = ChessGame::<General, 32>::new(all[seed]).unwrap();
        let read = game.parse_position(text);
        if let Ok(position) = &read {
            assert_eq!(&game.parse_position(&position.position_text()).unwrap(), position, "{text}");
            assert_eq!(position.zobrist_hash(), position.recomputed_hash(), "{text}");
            assert_eq!(list_moves(position).len() as u64, position.count_moves());
            let _ = position.outcome();
        }
        good(read, text)
    });
    assert!((500..90_000).contains(&accepted), "{accepted} accepted");
}

#[test]
fn moves() {
    let games = ["duel", "diamond-quest", "diamond-chess"]
        .map(|id| ChessGame::<General, 32>::new(common::embedded(id)).unwrap());
    let positions = [
        games[0].start(),
        games[1].parse_position("r2k2r/1P1p3/7/7/7/3P3/R2K2R w KQkq - 0 1").unwrap(),
        games[2].parse_position("3k3/7/7/1pPp3/7/7/3K3 b - c3 0 1").unwrap(),
    ];
    let seeds = ["c1b1", "b6b7r", "b4c3", "c1c2", "d1f1", "d4c3", "c1a1", "b6a7n", "d4d3"];
    let accepted = fuzz(2, &seeds, |seed, text| {
        let position = &positions[seed % positions.len()];
        let read = position.parse_move(text);
        if let Ok(mv) = &read {
            assert!(
                position.move_text(*mv) == text
                    || position.parse_move(&position.san(*mv).unwrap()).unwrap() == *mv
            );
        }
        good(read, text)
    });
    assert!((500..90_000).contains(&accepted), "{accepted} accepted");
}

#[test]
fn betza_words() {
    let seeds = ["WD", "FAN", "mfWcfFimfnD", "R3", "mBcR", "fRbBsW2", "nNnAnZ", "NN", "KisD", "vRffNbsN"];
    let accepted = fuzz(3, &seeds, |_, text| good(betza::parse(text), text));
    assert!((5_000..90_000).contains(&accepted), "{accepted} accepted");
}

#[test]
fn boards_and_squares() {
    let boards = [(7, 7), (1, 64), (26, 2), (8, 8)].map(|(w, h)| Geometry::new(w, h).unwrap());
    let seeds = ["c3", "rank 2", "file b", "a1-c2", "g7-a1", "rank 64", "z2", "a64"];
    let mut turn = 0;
    let accepted = fuzz(4, &seeds, |_, text| {
        turn += 1;
        let board = boards[turn % boards.len()];
        if let Ok(square) = board.parse_square(text) {
            assert_eq!(board.name(square), text);
        }
        let set = board.parse_set(text);
        if let Ok(set) = set {
            assert!(set.any() && (set & !board.all()).is_empty(), "{text}");
        }
        good(board.parse_square(text), text) | good(set, text)
    });
    assert!((2_000..90_000).contains(&accepted), "{accepted} accepted");
    fuzz(5, &["7x7", "8x8", "1x64", "26x2"], |_, text| {
        good(Geometry::parse(text).map(|g| assert!((2..=64).contains(&g.area()))), text)
    });
}

/// Files take longer where they are right, because tables are built; most cases end in the reader.
#[test]
fn variant_files() {
    let mut seeds: Vec<&str> = GAMES.iter().map(|g| g.text).collect();
    let small = [
        include_str!("data/variants/hexapawn.toml"),
        include_str!("data/variants/promotions.toml"),
        include_str!("data/variants/extinction.toml"),
        include_str!("data/variants/bare-chess.toml"),
        include_str!("data/variants/corridor.toml"),
        include_str!("data/variants/one-file.toml"),
    ];
    seeds.extend(small);
    let accepted = fuzz(6, &seeds, |_, text| {
        let read = Rules::parse(text);
        if let Ok(rules) = &read {
            let game = ChessGame::<General, 32>::new(rules).unwrap();
            let mut position = game.start();
            for _ in 0..4 {
                let _ = position.outcome();
                let moves = list_moves(&position);
                let Some(&mv) = moves.get(text.len() % moves.len().max(1)) else { break };
                position.play(mv);
                assert_eq!(position.zobrist_hash(), position.recomputed_hash());
            }
        }
        good(read, text)
    });
    assert!((2_000..90_000).contains(&accepted), "{accepted} accepted");
}
