//! Chess, as a variant file, against published facts: longest mates, and numbers of won positions.

use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::verify::{Check, verify};
use jewel_solver::tablebase::zugzwang::zugzwangs;
use jewel_solver::tablebase::{Plan, Scope, TableSet};
use jewel_tables::writer::Distances;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// A folder with the tables of some endings, removed when it is dropped.
struct Built(PathBuf);

impl Built {
    fn new(rules: &Rules, name: &str, endings: &[&str], distances: Distances) -> Built {
        let folder = std::env::temp_dir().join(format!("jewel-chess-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let options = Options { distances, ..Options::default() };
        for ending in endings {
            let plan = Plan::new(rules, &Scope::Class(ending.to_string())).unwrap();
            build(&plan, &folder, &options, &AtomicBool::new(false), &|_| {}).unwrap();
        }
        Built(folder)
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chess() -> &'static Rules {
    jewel_engine::games::find("chess").unwrap().rules()
}

/// A position of pieces with letters; `None` if two share a square or the side that is not to move is in check.
fn position<'r>(rules: &'r Rules, turn: Side, men: &[(char, Side, usize)]) -> Option<AnyChessLike<'r>> {
    let occupied = men.iter().fold(0u64, |set, m| set | 1 << m.2);
    if occupied.count_ones() as usize != men.len() {
        return None;
    }
    let sets = men
        .iter()
        .map(|&(letter, side, square)| (rules.type_of(letter).unwrap(), side, Bitboard(1 << square)));
    let position = AnyChessLike::assemble(rules, turn, sets);
    (!position.in_check(!turn)).then_some(position)
}

/// Plays best moves by the tables to the end, which must come after as many plies as the tables say.
fn play_out(tables: &TableSet<'_>, mut position: AnyChessLike<'_>) {
    let mut value = tables.probe(&position).unwrap();
    while position.outcome().is_none() {
        let moves = jewel_engine::position::list_moves(&position).into_iter();
        let after = moves.map(|mv| position.after(mv));
        let (best, next) = after
            .map(|next| (tables.probe(&next).unwrap().before_opponents_turn(), next))
            .max_by_key(|x| x.0)
            .unwrap();
        assert_eq!(best, value, "{position:?}");
        (position, value) = (next, tables.probe(&next).unwrap());
    }
    assert_eq!(Value::from_outcome(position.outcome().unwrap()), value);
    assert_eq!(value, Value::Loss(0));
}

/// The longest mates of Nalimov's tables (E. Nalimov, G. Haworth and E. Heinz, "Space-efficient indexing of
/// chess endgame tables", ICGA Journal 23, 2000; P. Karrer's list of maxima with it): with queen 10 moves, with rook 16,
/// with two bishops 19, with bishop and knight 33 (these four also B. Moreland on the Computer Chess Club, 15 November 2000),
/// with a pawn 28 (56 plies in H. Conrady's survey of the same tables, Computer Chess Club, 1 June 2000), with rook against knight 40 (27 of them, as K. Thompson found in 1986, until the knight is taken).
#[test]
fn endings_last_as_long_as_is_known() {
    let rules = chess();
    let endings = [("KRvK", 16), ("KQvK", 10), ("KBBvK", 19), ("KBNvK", 33), ("KPvK", 28), ("KRvKN", 40)];
    let names = endings.map(|e| e.0);
    let built = Built::new(rules, "longest", &names, Distances::Lost);
    let tables = TableSet::open(rules, &built.0).unwrap();
    for (class, moves) in endings {
        // Letters in the order of the rules.
        let plan = Plan::new(rules, &Scope::Class(class.to_string())).unwrap();
        let class = &plan.classes.last().unwrap().name;
        let table = tables.tables().iter().find(|t| t.metadata().class == *class).unwrap();
        // The side that mates begins and ends.
        let longest = table.metadata().longest_win.as_ref().unwrap();
        assert_eq!(longest.distance, 2 * moves - 1, "{class}");
        play_out(&tables, AnyChessLike::from_fen(rules, &longest.position).unwrap());
        let check = Check { positions: Some(100_000), ..Check::default() };
        let checked = verify(&tables, table, &check, &AtomicBool::new(false), &|_| {}).unwrap();
        assert!(checked.positions > 10_000, "{class}");
    }
    longest_mates(rules, &tables);
    rook_against_king(rules, &tables);
    pawn_against_king(rules, &tables);
}

/// The image of a square by one of the symmetries of the board.
fn image(square: usize, map: usize) -> usize {
    let (file, rank) = (square % 8, square / 8);
    let file = if map & 1 != 0 { 7 - file } else { file };
    let rank = if map & 2 != 0 { 7 - rank } else { rank };
    if map & 4 != 0 { 8 * file + rank } else { 8 * rank + file }
}

/// The numbers of longest wins of king and one piece against king, up to symmetry, with White to move and with Black to move:
/// one and eight with a queen, 121 and 390 with a rook, three and two with a pawn (Guido, "Longest
/// mate in kqk", discussion board of K. Kryukov, 2006).
fn longest_mates(rules: &Rules, tables: &TableSet<'_>) {
    for (piece, moves, maps, expected) in
        [('Q', 10, 8, [1, 8]), ('R', 16, 8, [121, 390]), ('P', 28, 2, [3, 2])]
    {
        let mut longest = [0; 2];
        for code in 0..64usize.pow(3) {
            let squares = [code / 4096, code / 64 % 64, code % 64];
            let images = (1..maps).map(|map| squares.map(|s| image(s, map)));
            let [king, other, enemy] = squares;
            if images.into_iter().any(|other| other < squares)
                || piece == 'P' && !(1..7).contains(&(other / 8))
            {
                continue;
            }
            let men = [('K', Side::White, king), (piece, Side::White, other), ('K', Side::Black, enemy)];
            for (turn, value) in
                Side::BOTH.into_iter().zip([Value::Win(2 * moves - 1), Value::Loss(2 * moves)])
            {
                let Some(position) = position(rules, turn, &men) else { continue };
                longest[turn.index()] += u32::from(tables.probe(&position).unwrap() == value);
            }
        }
        assert_eq!(longest, expected, "{piece}");
    }
}

/// King and rook against king with Black to move: the numbers of positions lost in each number of moves, up to the symmetries
/// of the board, by the class distribution in the description of the "Chess (King-Rook vs. King)" data of the UCI Machine Learning
/// Repository (M. Bain and A. van Hoff, 1994; 28056 positions).
fn rook_against_king(rules: &Rules, tables: &TableSet<'_>) {
    let known = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
    let (mut lost, mut drawn) = ([0; 17], 0);
    for code in 0..64usize.pow(3) {
        let squares = [code / 4096, code / 64 % 64, code % 64];
        let images = (1..8).map(|map| squares.map(|s| image(s, map)));
        if images.into_iter().any(|other| other < squares) {
            continue;
        }
        let [king, rook, other] = squares;
        let men = [('K', Side::White, king), ('R', Side::White, rook), ('K', Side::Black, other)];
        let Some(position) = position(rules, Side::Black, &men) else { continue };
        match tables.probe(&position).unwrap() {
            Value::Loss(plies) => lost[plies as usize / 2] += 1,
            Value::Draw => drawn += 1,
            value => panic!("{position:?}: {value:?}"),
        }
    }
    assert_eq!((lost, drawn), (known, 2796));
}

/// King and pawn on the files a to d against king: 62480 positions are won with White to move, and 48802 with Black to move
/// (M. R. B. Clarke, "A quantitative study of king and pawn against king", 1977, and later authors).
fn pawn_against_king(rules: &Rules, tables: &TableSet<'_>) {
    let mut won = [0; 2];
    for code in 0..64usize.pow(3) {
        let [pawn, king, other] = [code / 4096, code / 64 % 64, code % 64];
        if pawn % 8 > 3 || !(1..7).contains(&(pawn / 8)) {
            continue;
        }
        let men = [('P', Side::White, pawn), ('K', Side::White, king), ('K', Side::Black, other)];
        for turn in Side::BOTH {
            let Some(position) = position(rules, turn, &men) else { continue };
            let wins = if turn == Side::White { Outcome::Win } else { Outcome::Loss };
            won[turn.index()] += u32::from(tables.probe_outcome(&position).unwrap() == wins);
        }
    }
    assert_eq!(won, [62_480, 48_802]);
}

/// The mutual zugzwangs of king and pawn against king are those found by probing every position with either side to move.
/// The one that every beginner learns is among them.
#[test]
fn mutual_zugzwangs_are_those_of_the_rules() {
    let rules = chess();
    let built = Built::new(rules, "zugzwang", &["KPvK"], Distances::All);
    let tables = TableSet::open(rules, &built.0).unwrap();
    let table = tables.tables().iter().find(|t| t.metadata().class == "PKvK").unwrap();
    let found = zugzwangs(&tables, table, usize::MAX, &AtomicBool::new(false)).unwrap();
    assert_eq!((found.both_lose, found.black_wins), (0, 0));
    assert_eq!(found.list.len() as u64, found.count());
    // Every position, by probing it with either side to move.
    let mut expected = vec![];
    for code in 0..64usize.pow(3) {
        let [pawn, king, other] = [code / 4096, code / 64 % 64, code % 64];
        if pawn % 8 > 3 || !(1..7).contains(&(pawn / 8)) {
            continue;
        }
        let men = [('P', Side::White, pawn), ('K', Side::White, king), ('K', Side::Black, other)];
        let [white, black] = Side::BOTH.map(|turn| position(rules, turn, &men));
        let (Some(white), Some(black)) = (white, black) else { continue };
        if white.outcome().is_some() || black.outcome().is_some() {
            continue;
        }
        let outcomes = [white, black].map(|p| tables.probe_outcome(&p).unwrap());
        if outcomes == [Outcome::Draw, Outcome::Loss] {
            expected.push(code);
        }
    }
    assert_eq!(found.white_wins, expected.len() as u64);
    // Kings in opposition before the pawn, which draws; a pawn on the fifth rank with its king before it always wins.
    let shown = |fen: &str| {
        let position = AnyChessLike::from_fen(rules, fen).unwrap();
        tables.probe_outcome(&position).unwrap()
    };
    assert_eq!(shown("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"), Outcome::Win);
    assert_eq!(shown("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"), Outcome::Draw);
    assert_eq!(shown("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1"), Outcome::Loss);
    let square =
        |name: &str| Square::new((name.as_bytes()[0] - b'a') + 8 * (name.as_bytes()[1] - b'1')).index();
    // The same on the d file, which is one of those that are counted.
    let code = square("d4") * 4096 + square("d5") * 64 + square("d7");
    assert!(expected.contains(&code));
}
