//! The symmetries of classes, and counts of the positions that differ by more than a symmetry.

use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::games;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::verify::{Check, verify};
use jewel_solver::tablebase::{Cause, LostSymmetries, Plan, Scope, TableSet};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Chess on 4x4 as Kirill Kryukov counts and solves it: pawns on ranks 1 to 3, without a double step.
const KRYUKOV: &str = "
    name = 'Chess on 4x4'
    [board]\nsize = '4x4'\nstart = 'pppp/k3/3K/PPPP w - - 0 1'
    [[piece]]\nletter = 'K'\nmoves = 'K'\nroyal = true
    [[piece]]\nletter = 'Q'\nmoves = 'Q'
    [[piece]]\nletter = 'R'\nmoves = 'R'
    [[piece]]\nletter = 'B'\nmoves = 'B'
    [[piece]]\nletter = 'N'\nmoves = 'N'
    [[piece]]\nletter = 'P'\nmoves = 'mfWcfF'\npromotion = { zone = { w = ['rank 4'], b = ['rank 1'] }, to = 'QRBN' }";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("jewel-symmetries-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn plan<'r>(rules: &'r Rules, class: &str) -> Plan<'r> {
    Plan::new(rules, &Scope::Class(class.to_string())).unwrap()
}

/// The symmetries of a class, exchanges of sides among them.
fn symmetries(rules: &Rules, class: &str) -> usize {
    // What a class leads to comes before it.
    plan(rules, class).classes.last().unwrap().symmetries
}

#[test]
fn a_class_has_the_symmetries_of_its_own_pieces() {
    let kryukov = Rules::parse(KRYUKOV).unwrap();
    for (class, count) in [("KQvK", 16), ("KBNvK", 16), ("KRvKB", 16), ("KPvK", 4), ("KQvKP", 4)] {
        assert_eq!(symmetries(&kryukov, class), count, "{class}");
    }
    let chess = games::find("chess").unwrap().rules();
    assert_eq!((symmetries(chess, "KQvK"), symmetries(chess, "KPvK")), (16, 4));
    // A board that is no square has four symmetries, and a piece that goes to one side alone takes the mirror away.
    let oblong = "name = 'Oblong'
        [board]\nsize = '4x3'\nstart = 'kls1/4/1SLK w - - 0 1'
        [[piece]]\nletter = 'K'\nmoves = 'K'\nroyal = true
        [[piece]]\nletter = 'L'\nmoves = 'WD'
        [[piece]]\nletter = 'S'\nmoves = 'WlF'";
    let oblong = Rules::parse(oblong).unwrap();
    assert_eq!((symmetries(&oblong, "KLvK"), symmetries(&oblong, "KSvK")), (8, 4));
}

/// What a class leads to counts: a piece that promotes to one without symmetries has none itself.
#[test]
fn promotions_and_sides_limit_symmetries() {
    let rules = "name = 'Promotions'
        [board]\nsize = '4x4'\nstart = 'klp1/4/4/1PLK w - - 0 1'
        [[piece]]\nletter = 'K'\nmoves = 'K'\nroyal = true
        [[piece]]\nletter = 'P'\nmoves = 'W'\npromotion = { zone = { w = ['b2', 'c2', 'b3', 'c3'], b = ['b2', 'c2', 'b3', 'c3'] }, to = 'S', optional = true }
        [[piece]]\nletter = 'S'\nmoves = 'fW'
        [[piece]]\nletter = 'L'\nmoves = 'D'\nterritory = { w = ['file a', 'file b', 'file c', 'file d'], b = ['rank 4'] }";
    let rules = Rules::parse(rules).unwrap();
    assert_eq!(symmetries(&rules, "KSvK"), 4);
    assert_eq!(symmetries(&rules, "KPvK"), 4);
    // Black's piece has a territory of its own and breaks the exchange; White's reaches every fourth square from the start.
    let of_l = symmetries(&rules, "KLvK");
    let squares: Vec<Square> =
        plan(&rules, "KLvK").squares(rules.type_of('L').unwrap(), Side::White).into_iter().collect();
    assert_eq!((of_l, squares.len()), (2, 4));
}

/// Counts published at kirill-kryukov.com/chess/4x4-chess: unique legal positions of three and four men.
#[test]
fn four_by_four_chess_has_as_many_positions_as_published() {
    let rules = Rules::parse(KRYUKOV).unwrap();
    let folder = Folder::new("kryukov");
    let plan = Plan::new(&rules, &Scope::MaxPieces(4)).unwrap();
    build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    let tables = TableSet::open(&rules, &folder.0).unwrap();
    let mut by_pieces: BTreeMap<u32, u64> = BTreeMap::new();
    let mut three = BTreeMap::new();
    for table in tables.tables() {
        let metadata = table.metadata();
        let pieces = metadata.class.len() as u32 - 1;
        *by_pieces.entry(pieces).or_default() += metadata.positions().all();
        if pieces == 3 {
            three.insert(metadata.class.clone(), metadata.positions().all());
        }
        if metadata.alike {
            assert_eq!(metadata.counts[0], metadata.counts[1], "{}", metadata.class);
        }
        let check = Check { positions: Some(3000), ..Check::default() };
        verify(&tables, table, &check, &AtomicBool::new(false), &|_| {}).unwrap();
    }
    let counts = [("KQvK", 378), ("KRvK", 443), ("KBvK", 487), ("KNvK", 502), ("KPvK", 1568)];
    assert_eq!(three, counts.map(|(class, n)| (class.to_string(), n)).into());
    assert_eq!((by_pieces[&3], by_pieces[&4]), (3_378, 227_362));
}

/// By the lemma of Burnside, without a table.
#[test]
fn positions_of_all_of_ambush() {
    let rules = games::find("ambush").unwrap().rules();
    let plan = Plan::new(rules, &Scope::Start).unwrap();
    assert_eq!((plan.placements(), plan.positions()), (148_851_729_756, 9_303_406_206));
}

/// Plans, tables and a count of every placement by hand agree, for classes with like pieces on both sides and without.
#[test]
fn three_ways_to_count_positions_agree() {
    let rules = games::find("ambush").unwrap().rules();
    let folder = Folder::new("ambush");
    for class in ["LvL", "QvQ", "NNvNN", "NQvNQ", "NLvQ", "QQvNQ"] {
        let plan = plan(rules, class);
        build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
        let planned = plan.classes.last().unwrap();
        let tables = TableSet::open(rules, &folder.0).unwrap();
        let table = tables.tables().iter().find(|t| t.metadata().class == planned.name).unwrap();
        let metadata = table.metadata();
        assert_eq!(u128::from(metadata.positions().all()), planned.positions, "{class}");
        let (white, black) = planned.name.split_once('v').unwrap();
        assert_eq!(metadata.alike, white == black);
        assert!(!metadata.alike || metadata.counts[0] == metadata.counts[1], "{class}");
        // Every image of every position, the least of which stands for all.
        let army: Vec<(u8, Side)> = [(white, Side::White), (black, Side::Black)]
            .into_iter()
            .flat_map(|(letters, side)| letters.chars().map(move |c| (rules.type_of(c).unwrap(), side)))
            .collect();
        let mut least = HashSet::new();
        let mut outcomes = [0u64; 3];
        place(&plan, &army, &mut vec![], &mut |pieces| {
            for turn in Side::BOTH {
                let images = rules.symmetries().iter().map(|(symmetry, exchange)| {
                    let mut image: Vec<(Side, u8, u64)> = pieces
                        .iter()
                        .map(|&(kind, side, set)| {
                            let to = if *exchange { !side } else { side };
                            (to, kind, symmetry.set(rules.geometry, set).0)
                        })
                        .collect();
                    image.sort_unstable();
                    (if *exchange { !turn } else { turn }, image)
                });
                if least.insert(images.min().unwrap()) {
                    let position =
                        AnyChessLike::assemble(rules, turn, pieces.iter().map(|&(k, s, set)| (k, s, set)));
                    outcomes[tables.probe_outcome(&position).unwrap() as usize] += 1;
                }
            }
        });
        assert_eq!(least.len() as u128, planned.positions, "{class}");
        let counts = metadata.positions();
        let mut expected = [0u64; 3];
        use jewel_engine::value::Outcome::{Draw, Loss, Win};
        for (outcome, count) in [(Win, counts.wins), (Draw, counts.draws), (Loss, counts.losses)] {
            expected[outcome as usize] = count;
        }
        assert_eq!(outcomes, expected, "{class}");
    }
}

/// Pieces of a type and side, and where one of them stands.
type Placed = (u8, Side, Bitboard);

/// Calls `visit` with every placement of an army, like pieces together and not told apart.
fn place(plan: &Plan<'_>, rest: &[(u8, Side)], placed: &mut Vec<Placed>, visit: &mut dyn FnMut(&[Placed])) {
    let Some((&(kind, side), rest)) = rest.split_first() else { return visit(placed) };
    let taken = placed.iter().fold(Bitboard::EMPTY, |all, p| all | p.2);
    let last = placed.last().copied().filter(|p| (p.0, p.1) == (kind, side));
    for square in plan.squares(kind, side) & !taken {
        match last {
            // Like pieces in order of their squares.
            Some((.., set)) if set.into_iter().any(|s| s > square) => {}
            Some((.., set)) => {
                placed.last_mut().unwrap().2 = set | square.bit();
                place(plan, rest, placed, visit);
                placed.last_mut().unwrap().2 = set;
            }
            None => {
                placed.push((kind, side, square.bit()));
                place(plan, rest, placed, visit);
                placed.pop();
            }
        }
    }
}

#[test]
fn a_piece_that_takes_symmetries_away_is_named() {
    let game = |start: &str, moves: &str| {
        let text = format!(
            "name = 'Lost'\n[board]\nsize = '4x4'\nstart = '{start} w - - 0 1'\n[[piece]]\nletter = 'K'\nmoves = 'K'\n\
             royal = true\n[[piece]]\nletter = 'R'\nmoves = 'R'\n[[piece]]\nletter = 'P'\nmoves = '{moves}'\n"
        );
        Rules::parse(&text).unwrap()
    };
    let lost = |rules: &Rules| Plan::new(rules, &Scope::MaxPieces(2)).unwrap().lost_symmetries();
    assert_eq!(lost(&game("kr2/4/4/2RK", "fW")), None);
    // A pawn that stays on its file.
    let one = lost(&game("kr2/4/P3/2RK", "fW")).unwrap();
    let cause = Cause::Piece { kind: 2, side: Side::White, square: Square::new(4) };
    assert_eq!(one, LostSymmetries { cause, symmetries: 1, without: 16 });
    // Two of them: each alone would be enough.
    let two = lost(&game("kr2/p3/P3/2RK", "fW")).unwrap();
    assert_eq!(two, LostSymmetries { cause: Cause::Reach { kind: 2 }, symmetries: 2, without: 4 });
    assert_eq!(lost(&game("kr2/pppp/PPPP/2RK", "fW")), None);
}
