//! Tables of small games against values found by going over every position by the rules until nothing changes.

use jewel_engine::ability::Probe;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{Options, build, table_path};
use jewel_solver::tablebase::histogram::histogram;
use jewel_solver::tablebase::verify::{Check, verify};
use jewel_solver::tablebase::{Plan, PlanError, Scope, TableSet};
use jewel_tables::reader::Table;
use jewel_tables::writer::Distances;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// An empty folder of this test's own, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("jewel-tables-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Pieces of a position by type and side.
type Army = Vec<(u8, Side)>;

/// The values of every position with these pieces, and with all pieces that captures and promotions lead to.
struct Oracle<'r> {
    rules: &'r Rules,
    values: HashMap<AnyChessLike<'r>, Option<Value>>,
}

impl<'r> Oracle<'r> {
    fn new(rules: &'r Rules, army: &Army) -> Self {
        let mut oracle = Oracle { rules, values: HashMap::new() };
        oracle.place(army, vec![]);
        // Captures and promotions lead to other classes.
        let mut open: Vec<AnyChessLike<'r>> = oracle.values.keys().copied().collect();
        while let Some(position) = open.pop() {
            for mv in list_moves(&position) {
                let next = position.after(mv);
                if let Entry::Vacant(entry) = oracle.values.entry(next) {
                    entry.insert(None);
                    open.push(next);
                }
            }
        }
        oracle.solve();
        oracle
    }

    fn place(&mut self, rest: &[(u8, Side)], placed: Vec<(u8, Side, Square)>) {
        let Some((&(kind, side), rest)) = rest.split_first() else {
            for turn in Side::BOTH {
                let sets = placed.iter().map(|&(kind, side, square)| (kind, side, square.bit()));
                let position = AnyChessLike::assemble(self.rules, turn, sets);
                if !position.in_check(!turn) {
                    self.values.insert(position, None);
                }
            }
            return;
        };
        for square in self.rules.territory(kind, side) {
            if placed.iter().all(|p| p.2 != square) {
                let mut more = placed.clone();
                more.push((kind, side, square));
                self.place(rest, more);
            }
        }
    }

    /// Distance by distance.
    fn solve(&mut self) {
        let positions: Vec<AnyChessLike<'r>> = self.values.keys().copied().collect();
        let numbers: HashMap<AnyChessLike<'r>, usize> = positions.iter().copied().zip(0..).collect();
        let outcomes = positions.iter().map(|p| p.outcome().map(Value::from_outcome));
        let mut values: Vec<Option<Value>> = outcomes.collect();
        let next = |n: usize| -> Vec<usize> {
            list_moves(&positions[n]).into_iter().map(|mv| numbers[&positions[n].after(mv)]).collect()
        };
        let mut open: Vec<(usize, Vec<usize>)> =
            (0..positions.len()).filter(|&n| values[n].is_none()).map(|n| (n, next(n))).collect();
        for distance in 1.. {
            let found: Vec<(usize, Value)> = open
                .iter()
                .filter_map(|(n, next)| {
                    if next.iter().any(|&m| values[m] == Some(Value::Loss(distance - 1))) {
                        Some((*n, Value::Win(distance)))
                    } else if next.iter().all(|&m| matches!(values[m], Some(Value::Win(k)) if k < distance)) {
                        Some((*n, Value::Loss(distance)))
                    } else {
                        None
                    }
                })
                .collect();
            if found.is_empty() && distance > 2 {
                break;
            }
            found.iter().for_each(|&(n, value)| values[n] = Some(value));
            open.retain(|(n, _)| values[*n].is_none());
        }
        self.values = positions.into_iter().zip(values).collect();
    }
}

/// Builds the tables of a class and compares every position that they hold with the oracle; returns how many there were.
fn compare(rules: &Rules, name: &str) -> usize {
    let folder = Folder::new(&format!("{}-{name}", rules.id));
    let plan = Plan::new(rules, &Scope::Class(name.to_string())).unwrap();
    build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    // Many rounds: only for a few small classes.
    if plan.cells() < 20_000 && ["corridor", "ep-race-draw", "kings", "choice"].contains(&&*rules.id) {
        same_whatever_the_window(&plan, &folder);
    }
    let tables = TableSet::open(rules, &folder.0).unwrap();
    assert_eq!(tables.tables().len(), plan.classes.len());
    // Every position of every class: by the rules and the tables of the successors alone.
    let check = Check { positions: None, ..Check::default() };
    for table in tables.tables() {
        let checked = verify(&tables, table, &check, &AtomicBool::new(false), &|_| {}).unwrap();
        assert!(checked.positions > 0);
    }
    // The same with the distances of lost positions alone.
    let lost = Folder::new(&format!("{}-{name}-lost", rules.id));
    let options = Options { distances: Distances::Lost, ..Options::default() };
    build(&plan, &lost.0, &options, &AtomicBool::new(false), &|_| {}).unwrap();
    let lost = TableSet::open(rules, &lost.0).unwrap();
    for table in lost.tables() {
        assert!(!table.has_all_distances());
        let check = Check { positions: Some(2000), ..Check::default() };
        verify(&lost, table, &check, &AtomicBool::new(false), &|_| {}).unwrap();
    }
    for (table, lost_alone) in tables.tables().iter().zip(lost.tables()) {
        counts_by_distance(&tables, table, &lost, lost_alone);
    }
    let (white, black) = name.split_once('v').unwrap();
    let kind = |c: char| rules.type_of(c).unwrap();
    let army: Army = white
        .chars()
        .map(|c| (kind(c), Side::White))
        .chain(black.chars().map(|c| (kind(c), Side::Black)))
        .collect();
    let oracle = Oracle::new(rules, &army);
    let (mut compared, mut rights) = (0, 0);
    for (position, value) in &oracle.values {
        let want = value.unwrap_or(Value::Draw);
        // Searchers ask only where the game goes on.
        if position.outcome().is_none() {
            assert_eq!(Probe::probe(&tables, position), tables.probe(position).ok());
            assert_eq!(Probe::probe_wdl(&tables, position), tables.probe(position).ok().map(Value::outcome));
        }
        match tables.probe(position) {
            Ok(found) => {
                assert_eq!(found, want, "{name}: {position:?}");
                // Only a sample, since it takes searches.
                if position.zobrist_hash() % 8 == 0 {
                    assert_eq!(lost.probe(position).unwrap(), want, "{name}: {position:?}");
                }
            }
            // Squares that the pieces cannot reach from the start.
            Err(_) if unreachable(&plan, position) => continue,
            Err(error) => panic!("{name}: {position:?}: {error}"),
        }
        if position.outcome().is_none() {
            compared += 1;
            rights += usize::from(position.en_passant().is_some());
        }
    }
    let both = |letter| white.contains(letter) && black.contains(letter);
    assert_eq!(rights > 0, rules.id.starts_with("ep") && both('P'), "{name}");
    compared
}

/// Counts a table by distance: the sums are those that its file gives, the list of all positions has each of them once and with
/// its value, and a short list has the first of them. With the distances of lost positions alone it is the same.
fn counts_by_distance(tables: &TableSet<'_>, table: &Table, lost: &TableSet<'_>, lost_alone: &Table) {
    let name = &table.metadata().class;
    let counts = table.metadata().positions();
    let count = |most| histogram(tables, table, most, &AtomicBool::new(false)).unwrap();
    let short = count(5);
    let sums = [&short.wins, &short.losses].map(|by_distance| by_distance.iter().sum::<u64>());
    assert_eq!((sums, short.draws), ([counts.wins, counts.losses], counts.draws), "{name}");
    let longest = table.metadata().longest_win.as_ref();
    assert_eq!(short.longest_wins.first().map(|l| l.plies), longest.map(|win| win.distance), "{name}");
    if counts.all() > 20_000 {
        return;
    }
    let whole = count(usize::MAX);
    let lists = [
        (&whole.longest_wins, &whole.wins, &short.longest_wins),
        (&whole.longest_losses, &whole.losses, &short.longest_losses),
    ];
    for (n, (list, by_distance, first)) in lists.into_iter().enumerate() {
        let mut found = vec![0; by_distance.len()];
        let mut seen = HashSet::new();
        for far in list {
            let value = if n == 0 { Value::Win(far.plies) } else { Value::Loss(far.plies) };
            // A pawn on its last rank has cells, but no position string may put it there.
            if let Ok(position) = AnyChessLike::from_fen(tables.rules(), &far.position) {
                assert_eq!(tables.probe(&position).unwrap(), value, "{name}: {}", far.position);
            }
            assert!(seen.insert(&far.position), "{name}: {}", far.position);
            found[far.plies as usize] += 1;
        }
        assert_eq!(&found, by_distance, "{name}");
        assert!(list.is_sorted_by_key(|far| Reverse(far.plies)), "{name}");
        assert_eq!(**first, list[..list.len().min(5)], "{name}");
    }
    if counts.all() < 2000 {
        assert_eq!(histogram(lost, lost_alone, 5, &AtomicBool::new(false)).unwrap(), short, "{name}");
    }
}

/// Builds the same tables with short windows: the bytes must be the same.
fn same_whatever_the_window(plan: &Plan<'_>, folder: &Folder) {
    for window in [1, 6] {
        let again = folder.0.join(format!("window-{window}"));
        let options = Options { window, ..Options::default() };
        build(plan, &again, &options, &AtomicBool::new(false), &|_| {}).unwrap();
        for class in &plan.classes {
            let [whole, parts] =
                [&folder.0, &again].map(|f| std::fs::read(table_path(f, &class.name)).unwrap());
            assert_eq!(whole, parts, "{} in windows of {window}", class.name);
        }
        assert!(!again.join("unfinished").exists());
    }
}

/// A class without enough memory keeps its slices in a file, and its table is the same.
#[test]
fn slices_are_kept_in_a_file_where_memory_is_short() {
    let rules = jewel_engine::games::find("diamond-quest").unwrap().rules();
    let folder = Folder::new("slices");
    let plan = Plan::new(rules, &Scope::Class("KPvK".to_string())).unwrap();
    assert!(plan.classes.iter().all(|class| class.least_memory < class.memory));
    let [whole, short] = [u64::MAX, plan.least_memory()].map(|memory| {
        let folder = folder.0.join(memory.to_string());
        let options = Options { memory, ..Options::default() };
        build(&plan, &folder, &options, &AtomicBool::new(false), &|_| {}).unwrap();
        assert!(!folder.join("unfinished").exists());
        plan.classes.iter().map(|c| std::fs::read(table_path(&folder, &c.name)).unwrap()).collect::<Vec<_>>()
    });
    assert!(whole == short);
    let options = Options { memory: plan.least_memory() - 1, ..Options::default() };
    let refused = build(&plan, &folder.0, &options, &AtomicBool::new(false), &|_| {}).unwrap_err();
    assert!(refused.to_string().contains("bytes of memory"), "{refused}");
}

fn unreachable(plan: &Plan<'_>, position: &AnyChessLike<'_>) -> bool {
    Side::BOTH.into_iter().any(|side| {
        (0..plan.rules().type_count() as u8)
            .any(|kind| (position.pieces(side, kind) & !plan.squares(kind, side)) != Bitboard::EMPTY)
    })
}

/// A game from a few lines: its board and start, the moves of its pieces by letter, and the rest of its file.
fn game(id: &str, board: &str, pieces: &[(&str, &str)], rest: &str) -> Rules {
    let (size, start) = board.split_once(' ').unwrap();
    let mut text = format!(
        "id = \"{id}\"\nname = \"{id}\"\n[board]\nsize = \"{size}\"\nstart = \"{start} w - - 0 1\"\n"
    );
    let (board, rest) = rest.split_once("--").unwrap_or(("", rest));
    text += board;
    for (letter, moves) in pieces {
        let (moves, more) = moves.split_once(' ').unwrap_or((moves, ""));
        text +=
            &format!("[[piece]]\nletter = \"{letter}\"\nname = \"{letter}\"\nmoves = \"{moves}\"\n{more}\n");
    }
    text += rest;
    Rules::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// A traveller goes back and forth in a winding corridor and is promoted at either end: its way takes longer than a window, and
/// so does the rest of it in the class after a promotion.
#[test]
fn a_long_way_takes_several_windows() {
    let ranks = ["rank 1", "rank 3", "rank 5", "rank 7"];
    let turns = ["h2", "a4", "h6"];
    let corridor: Vec<String> = ranks.iter().chain(&turns).map(|s| format!("\"{s}\"")).collect();
    let corridor = corridor.join(", ");
    let territory = format!("territory = {{ w = [{corridor}], b = [\"d8\", \"f8\"] }}");
    let becomes = |at: &str, other: &str, to: &str| {
        format!(
            "W {territory}\npromotion = {{ zone = {{ w = [\"{at}\"], b = [\"{other}\"] }}, to = \"{to}\" }}"
        )
    };
    // Ends of the corridor: a1, and a7 after four ranks.
    let (there, back) = (becomes("a7", "f8", "B"), becomes("a1", "d8", "C"));
    let last = format!("W {territory}");
    let pieces = [
        ("A", &*there),
        ("B", &*back),
        ("C", &*last),
        ("S", "W territory = { w = [\"d2\"], b = [\"d4\", \"e4\"] }"),
    ];
    let key = "[key]\ngoals = { w = [\"a7\"], b = [\"e8\"] }\nobjective = \"reach\"\neligible = \"C\"\n";
    let rules = game("corridor", "8x8 8/8/8/8/4s3/8/8/A7", &pieces, key);
    assert!(compare(&rules, "AvS") > 200);
    let folder = Folder::new("corridor");
    let plan = Plan::new(&rules, &Scope::Start).unwrap();
    build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    let tables = TableSet::open(&rules, &folder.0).unwrap();
    let start = AnyChessLike::from_fen(&rules, &rules.start).unwrap();
    // 34 moves each way, three times; the opponent does not move after the last.
    assert_eq!(tables.probe(&start).unwrap(), Value::Win(2 * 3 * 34 - 1));
}

#[test]
fn duel_is_a_draw() {
    let rules = jewel_engine::games::find("duel").unwrap().rules();
    let folder = Folder::new("duel");
    let plan = Plan::new(rules, &Scope::Start).unwrap();
    build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    let tables = TableSet::open(rules, &folder.0).unwrap();
    let start = AnyChessLike::from_fen(rules, &rules.start).unwrap();
    assert_eq!(tables.probe_outcome(&start).unwrap(), Outcome::Draw);
    assert!(compare(rules, "LvL") > 90);
}

#[test]
fn ambush_with_few_pieces() {
    let rules = jewel_engine::games::find("ambush").unwrap().rules();
    for class in ["NvL", "QvL", "NvNL", "QQvN", "LvNQ", "NQvNQ"] {
        assert!(compare(rules, class) > 500, "{class}");
    }
}

#[test]
fn sliders_and_lame_leapers_hold_the_key() {
    let board = "4x4 rhb1/4/4/1BHR";
    let pieces = [("R", "R"), ("H", "nN"), ("B", "B2")];
    let key = "[key]\nsquares = [\"b2\"]\nobjective = \"hold\"\neligible = \"RH\"\n";
    let rules = game("sliders", board, &pieces, key);
    for class in ["RvR", "RvH", "HHvB", "RvHB", "BRvH"] {
        assert!(compare(&rules, class) > 200, "{class}");
    }
    let blocked = game("blocked", board, &pieces, &format!("blocking = [\"b3\", \"c2\"]\n--{key}"));
    for class in ["RvR", "RvHB"] {
        assert!(compare(&blocked, class) > 200, "{class}");
    }
}

#[test]
fn a_secured_key_and_a_bare_side() {
    let key = "[key]\nsquares = [\"c2\"]\nobjective = \"secure\"\neligible = \"K\"\n";
    for bare in ["loss", "key", "draw", "none"] {
        let rules = game(
            &format!("secure-{bare}"),
            "4x4 kn2/4/4/2NK",
            &[("K", "K"), ("N", "N")],
            &format!("{key}[end]\nbare = \"{bare}\"\n"),
        );
        for class in ["KvK", "KvN", "KNvN", "NNvK"] {
            assert!(compare(&rules, class) > 100, "{bare} {class}");
        }
    }
}

#[test]
fn pawns_promote_on_the_way_to_their_goals() {
    let pawns = [
        ("P", "mfWcfF promotion = { zone = { w = [\"rank 4\"], b = [\"rank 1\"] }, to = \"W\" }"),
        ("W", "W"),
    ];
    let key = "[key]\ngoals = { w = [\"c4\"], b = [\"a1\"] }\nobjective = \"hold\"\neligible = \"W\"\n";
    for stalemate in ["draw", "loss", "win"] {
        let rules = game(
            &format!("pawns-{stalemate}"),
            "3x4 ppp/3/3/PPP",
            &pawns,
            &format!("{key}[end]\nstalemate = \"{stalemate}\"\n"),
        );
        for class in ["PvP", "PvW", "PPvP", "PWvP", "PPvPW"] {
            assert!(compare(&rules, class) > 50, "{stalemate} {class}");
        }
    }
    let choice = [
        (
            "P",
            "fFmfW promotion = { zone = { w = [\"rank 3\", \"rank 4\"], b = [\"rank 1\"] }, to = \"WF\", optional = true }",
        ),
        ("W", "W"),
        ("F", "F"),
    ];
    let rules = game("choice", "3x4 p1p/3/3/P1P", &choice, key);
    for class in ["PvP", "PPvP", "PvFP"] {
        assert!(compare(&rules, class) > 50, "{class}");
    }
}

#[test]
fn who_steps_on_the_goal_first_has_won() {
    let key = "[key]\ngoals = { w = [\"rank 4\"], b = [\"rank 1\"] }\nobjective = \"reach\"\n[end]\nstalemate = \"loss\"\n";
    let rules = game("race", "4x4 pppp/4/4/PPPP", &[("P", "mfWfF")], key);
    for class in ["PvP", "PPvP", "PPvPP"] {
        assert!(compare(&rules, class) > 100, "{class}");
    }
}

#[test]
fn extinction_ends_a_game() {
    let rules = game(
        "extinct",
        "4x3 kq2/4/2QK",
        &[("K", "W"), ("Q", "FA")],
        "[end]\nextinction = { pieces = \"K\", result = \"loss\" }\n",
    );
    for class in ["KvK", "KvKQ", "KQvKQ"] {
        assert!(compare(&rules, class) > 50, "{class}");
    }
}

#[test]
fn boards_of_more_than_32_squares() {
    let key = "[key]\nsquares = [\"c3\"]\nobjective = \"hold\"\n";
    let rules = game("wide", "6x6 rn4/6/6/6/6/4NR", &[("R", "R"), ("N", "N")], key);
    for class in ["RvN", "RvR"] {
        assert!(compare(&rules, class) > 1000, "{class}");
    }
}

#[test]
fn sides_with_pieces_of_their_own() {
    let rules = game(
        "uneven",
        "4x4 gg2/4/4/2TT",
        &[
            ("G", "WfF territory = { w = [\"rank 1\"], b = [\"rank 2\", \"rank 3\", \"rank 4\"] }"),
            ("T", "FbW"),
        ],
        "[key]\ngoals = { w = [\"a4\", \"b4\"], b = [\"d2\"] }\nobjective = \"hold\"\n",
    );
    for class in ["TvG", "TTvG", "TvGG", "TTvGG"] {
        assert!(compare(&rules, class) > 100, "{class}");
    }
}

#[test]
fn kings_are_mated() {
    let rules = game(
        "kings",
        "4x4 kr1n/4/4/N1RK",
        &[
            ("K", "K royal = true"),
            ("R", "R"),
            ("N", "N"),
            ("P", "mfWcfF promotion = { zone = { w = [\"rank 4\"], b = [\"rank 1\"] }, to = \"RN\" }"),
        ],
        "[draw]\ninsufficient = [\"KvK\", \"KNvK\"]\n",
    );
    for class in ["KRvK", "KRvKN", "KPvKP"] {
        assert!(compare(&rules, class) > 100, "{class}");
    }
    let odd = game(
        "odd-kings",
        "4x4 kb2/4/4/2BK",
        &[("K", "WA royal = true"), ("B", "B2")],
        "[end]\nstalemate = \"loss\"\ncheckmate = \"loss\"\n",
    );
    for class in ["KBvK", "KBvKB"] {
        assert!(compare(&odd, class) > 100, "{class}");
    }
}

/// Values are those without a counter of moves, however far it has run; searchers are not told of a win or loss that may
/// come too late.
#[test]
fn a_counter_of_moves_changes_no_value() {
    let pieces = [("K", "K royal = true"), ("R", "R")];
    let rules = game("counted", "4x4 k3/4/4/2RK", &pieces, "[draw]\nn-move = 2\n");
    let free = rules.without_move_rule();
    let oracle = Oracle::new(&free, &vec![(0, Side::White), (1, Side::White), (0, Side::Black)]);
    let plan = Plan::new(&rules, &Scope::Start).unwrap();
    for distances in [Distances::All, Distances::Lost] {
        let folder = Folder::new(&format!("counted-{distances:?}"));
        let options = Options { distances, ..Options::default() };
        build(&plan, &folder.0, &options, &AtomicBool::new(false), &|_| {}).unwrap();
        let tables = TableSet::open(&rules, &folder.0).unwrap();
        let check = Check { positions: None, searches: u64::MAX, ..Check::default() };
        verify(&tables, &tables.tables()[0], &check, &AtomicBool::new(false), &|_| {}).unwrap();
        let (mut late, mut told) = (0, 0);
        for (position, value) in oracle.values.iter().filter(|(position, _)| position.outcome().is_none()) {
            let value = value.unwrap_or(Value::Draw);
            for clock in 0..4 {
                let fen = position.to_fen().replace(" 0 1", &format!(" {clock} 1"));
                let position = AnyChessLike::from_fen(&rules, &fen).unwrap();
                assert_eq!(tables.probe(&position).unwrap(), value, "{fen}");
                let sure = value.distance().is_none_or(|plies| plies + clock <= 4);
                assert_eq!(Probe::probe(&tables, &position), sure.then_some(value), "{fen}");
                let outcome = Probe::probe_wdl(&tables, &position);
                assert_eq!(outcome, sure.then_some(value.outcome()), "{fen}");
                *if sure { &mut told } else { &mut late } += 1;
            }
        }
        assert!(late > 100 && told > 100, "{late}, {told}");
    }
}

/// Rules for which tables would be wrong are refused, with a line that says why.
#[test]
fn rules_that_tables_do_not_know_are_refused() {
    let kings = |end: &str| game("refused", "4x4 kr2/4/4/2RK", &[("K", "K royal = true"), ("R", "R")], end);
    let mut compulsory = kings("");
    compulsory.spec.must_capture = true;
    for (rules, why) in [
        (kings("[end]\nstalemate = \"win\"\n"), "having no move wins"),
        (kings("[end]\ncheckmate = \"win\"\n"), "having no move wins"),
        (compulsory, "captures are compulsory"),
    ] {
        let refused = Plan::new(&rules, &Scope::Class("KRvK".to_string())).err().map(|e| e.to_string());
        assert!(refused.as_ref().is_some_and(|line| line.contains(why)), "{refused:?}");
    }
    assert!(Plan::new(&kings(""), &Scope::Class("KRvK".to_string())).is_ok());
}

/// Double steps answered *en passant*, with kings and without, with a stalemate that only such a capture undoes, pinned
/// captors, and steps out of check.
#[test]
fn pawns_capture_en_passant() {
    let pawn = |rank: u32| {
        format!(
            "mfWcfFimfnD en-passant = true\npromotion = {{ zone = {{ w = [\"rank {rank}\"], b = [\"rank 1\"] }}, to = \"R\" }}"
        )
    };
    let pawn = &*pawn(6);
    let kings = game(
        "ep-kings",
        "3x6 krp/ppp/3/3/PPP/PRK",
        &[("K", "K royal = true"), ("R", "R"), ("P", pawn)],
        "[draw]\ninsufficient = [\"KvK\"]\n",
    );
    assert!(compare(&kings, "KPvKP") > 1000);
    let lame = game(
        "ep-lame-kings",
        "3x6 k2/ppp/3/3/PPP/2K",
        &[("K", "W royal = true"), ("R", "F"), ("P", pawn)],
        "[end]\nstalemate = \"loss\"\n",
    );
    assert!(compare(&lame, "KPvKP") > 1000);
    for stalemate in ["draw", "loss", "win"] {
        let race = game(
            &format!("ep-race-{stalemate}"),
            "3x6 3/ppp/3/3/PPP/3",
            &[("P", pawn), ("R", "W")],
            &format!(
                "[key]\ngoals = {{ w = [\"rank 6\"], b = [\"rank 1\"] }}\nobjective = \"hold\"\neligible = \"R\"\n[end]\nstalemate = \"{stalemate}\"\n"
            ),
        );
        for class in ["PvP", "PPvP", "PPvPP"] {
            assert!(compare(&race, class) > 100, "{stalemate} {class}");
        }
    }
}

/// All positions of three pieces of the 7x7 games, and of two in the game with a key, which blocks sliders.
#[test]
fn diamond_games_with_few_pieces() {
    let rules = |id: &str| jewel_engine::games::find(id).unwrap().rules();
    for id in ["diamond-quest", "diamond-chess"] {
        assert!(compare(rules(id), "KPvK") > 200_000, "{id}");
    }
    for class in ["KvR", "KvK", "KvP"] {
        assert!(compare(rules("diamond-qi"), class) > 1000, "{class}");
    }
}

/// A sample of positions of classes of four pieces of the 7x7 games: mates are played out by the rules against every defence
/// that the tables call best, and win, draw and loss agree with the positions after each move.
#[test]
fn diamond_games_with_four_pieces() {
    for id in ["diamond-quest", "diamond-chess"] {
        let rules = jewel_engine::games::find(id).unwrap().rules();
        for class in ["RKvKP", "KPvKP"] {
            let plan = Plan::new(rules, &Scope::Class(class.to_string())).unwrap();
            let folder = Folder::new(&format!("four-{id}-{class}"));
            let options = Options { distances: Distances::Lost, ..Options::default() };
            build(&plan, &folder.0, &options, &AtomicBool::new(false), &|_| {}).unwrap();
            let tables = TableSet::open(rules, &folder.0).unwrap();
            let table = tables.tables().iter().find(|t| t.metadata().class == class).unwrap();
            let check = Check { positions: Some(20_000), seed: 3, ..Check::default() };
            let checked = verify(&tables, table, &check, &AtomicBool::new(false), &|_| {}).unwrap();
            assert!(checked.positions > 10_000, "{id} {class}");
            let longest = table.metadata().longest_win.as_ref().unwrap();
            let start = AnyChessLike::from_fen(rules, &longest.position).unwrap();
            assert_eq!(tables.probe(&start).unwrap(), Value::Win(longest.distance), "{id} {class}");
            play_out(&tables, start);
        }
    }
}

/// Plays best moves by the tables to the end, which must come after as many plies as the tables say.
fn play_out(tables: &TableSet<'_>, mut position: AnyChessLike<'_>) {
    let mut value = tables.probe(&position).unwrap();
    while position.outcome().is_none() {
        let after = list_moves(&position).into_iter().map(|mv| position.after(mv));
        let next = after.max_by_key(|p| tables.probe(p).unwrap().before_opponents_turn()).unwrap();
        let best = tables.probe(&next).unwrap();
        assert_eq!(best.before_opponents_turn(), value, "{position:?}");
        (position, value) = (next, best);
    }
    assert_eq!(Value::from_outcome(position.outcome().unwrap()), value);
}

#[test]
fn classes_with_a_piece_are_chosen() {
    let rules = jewel_engine::games::find("diamond-qi").unwrap().rules();
    let names = |letters: &str| -> Result<Vec<String>, PlanError> {
        let scope = Scope::Containing { pieces: 3, letters: letters.to_string() };
        Ok(Plan::new(rules, &scope)?.classes.into_iter().map(|c| c.name).collect())
    };
    let all = Plan::new(rules, &Scope::MaxPieces(3)).unwrap();
    let with = names("K").unwrap();
    assert!(with.len() < all.classes.len());
    // Every class with a Princess, and of the others only those that they lead to.
    let has = |name: &str| name.contains('K');
    let of_all = all.classes.iter().filter(|c| has(&c.name)).count();
    assert_eq!(with.iter().filter(|name| has(name)).count(), of_all);
    assert!(with.iter().all(|name| has(name) || name.len() == 3), "{with:?}");
    let two = names("RR").unwrap();
    assert!(two.iter().any(|name| name.matches('R').count() == 2) && two.len() < with.len());
    let error = |letters: &str| names(letters).unwrap_err().to_string();
    assert!(error("KX").contains("no piece has the letter 'X'"));
    assert_eq!(error("KKKK"), "no class of at most 3 pieces has KKKK");
}
