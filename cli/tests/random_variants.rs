//! Random rules on small boards, solved in every way that there is: the graph solver, its checker, tables and theirs
//! must agree on every position, and so must what either search calls proven.
//!
//! Some hundreds of games by default. `JEWEL_VARIANTS=100000 cargo test --release -p jewel-cli random_variants::`
//! takes as many as wanted, and `JEWEL_VARIANTS_FROM=N` begins at another seed; a single one is printed.
//! docs/results/robustness.md has figures.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::chesslike::{AnyChessLike, ChessGame, General};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_search::alphabeta::{self, AlphaBeta};
use jewel_search::control::Stop as StopFlag;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::limits::Limits as SearchLimits;
use jewel_search::mcts::{self, Mcts};
use jewel_search::report::Info;
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use jewel_solver::control::{Control, Limits, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::verify::{Check, verify as verify_tables};
use jewel_solver::tablebase::{Plan, PlanError, ProbeError, Scope, TableSet};
use jewel_solver::verify::verify;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Games that are larger than this are left out: the test is about rules, not about size.
const MAX_POSITIONS: u64 = 30_000;
const MAX_CELLS: u64 = 200_000;
/// Positions of a game that are searched.
const SEARCHED: usize = 12;

/// Draws what a variant file says.
struct Dice(Random);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u32) as usize
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// One to three atoms of Betza notation; not every word is right.
    fn moves(&mut self) -> String {
        let mut word = String::new();
        for _ in 0..1 + self.below(3) {
            word += self.pick(&["", "", "", "m", "c"]);
            word += self.pick(&["", "", "", "f", "fs", "l", "v", "s", "b", "fb"]);
            word += self.pick(&["", "", "", "", "n", "i"]);
            word += self.pick(&["W", "F", "D", "N", "A", "R", "B", "Q", "K", "H", "C", "G"]);
            word += self.pick(&["", "", "", "", "2", "3", "0"]);
        }
        word
    }

    fn squares(&mut self, width: usize, height: usize) -> String {
        match self.below(4) {
            0 => format!("\"rank {}\"", 1 + self.below(height)),
            1 => format!("\"file {}\"", file(self.below(width))),
            _ => format!("\"{}{}\"", file(self.below(width)), 1 + self.below(height)),
        }
    }

    /// Squares for either side.
    fn both(&mut self, width: usize, height: usize) -> String {
        let [w, b] = [(); 2].map(|()| {
            let list: Vec<String> = (0..1 + self.below(2)).map(|_| self.squares(width, height)).collect();
            format!("[{}]", list.join(", "))
        });
        format!("{{ w = {w}, b = {b} }}")
    }
}

fn file(n: usize) -> char {
    (b'a' + n as u8) as char
}

/// Every third random game has pieces in hand.
fn has_hands(seed: u64) -> bool {
    seed % 3 == 2
}

/// What a variant file with pieces in hand says of them.
struct Hands {
    /// What is in hand at the start, in brackets.
    start: String,
    /// How the royal piece is lost.
    royal: &'static str,
    /// The keys of each type: how it promotes and is dropped.
    pieces: Vec<String>,
    /// The promoted types and the rules of hands.
    promoted: String,
}

impl Hands {
    fn draw(seed: u64, letters: &[&str], royal: Option<usize>, (width, height): (usize, usize)) -> Hands {
        let dice = &mut Dice(Random::new(!seed));
        let falls = dice.one_in(2);
        let common: Vec<usize> = (0..letters.len()).filter(|kind| Some(*kind) != royal).collect();
        let mut start = String::from("[");
        for _ in 0..if common.is_empty() { 0 } else { dice.below(3) } {
            let letter = letters[dice.pick(&common)];
            start += &if dice.one_in(2) { letter.to_string() } else { letter.to_lowercase() };
        }
        start.push(']');
        let mut promoted = String::new();
        let mut pieces = vec![];
        for (kind, letter) in letters.iter().enumerate() {
            let mut keys = String::new();
            if royal == Some(kind) {
                pieces.push(keys);
                continue;
            }
            let mut drops = vec![];
            if dice.one_in(3) {
                drops.push(format!("zone = {}", dice.both(width, height)));
            }
            if dice.one_in(4) {
                drops.push("per-file = 1".to_string());
            }
            if royal.is_some() && !falls && dice.one_in(2) {
                drops.push("mate = false".to_string());
            }
            if !drops.is_empty() {
                let _ = writeln!(keys, "drop = {{ {} }}", drops.join(", "));
            }
            let everywhere = format!("[\"a1-{}{height}\"]", file(width - 1));
            let everywhere = format!("{{ w = {everywhere}, b = {everywhere} }}");
            match dice.below(4) {
                // It flips with every move, and may be dropped with either face.
                0 => {
                    let _ = writeln!(keys, "promotion = {{ zone = {everywhere}, to = \"+{letter}\" }}");
                    let _ = writeln!(
                        promoted,
                        "[[piece]]\nletter = \"+{letter}\"\nmoves = \"{}\"\npromotion = {{ zone = {everywhere}, to = \"{letter}\" }}",
                        dice.moves()
                    );
                    if dice.one_in(2) {
                        promoted += "drop = {}\n";
                    }
                }
                // As in shogi.
                1 | 2 => {
                    let (zone, leaving, captures) =
                        (dice.both(width, height), dice.one_in(2), dice.one_in(4));
                    let _ = writeln!(
                        keys,
                        "promotion = {{ zone = {zone}, to = \"+{letter}\", optional = {}, leaving = {leaving}, on-capture = {captures} }}",
                        dice.one_in(2) || captures,
                    );
                    let _ =
                        writeln!(promoted, "[[piece]]\nletter = \"+{letter}\"\nmoves = \"{}\"", dice.moves());
                    if dice.one_in(6) {
                        promoted += "in-hand = \"-\"\n";
                    }
                }
                _ => {}
            }
            pieces.push(keys);
        }
        promoted += "[hand]\n";
        if dice.one_in(3) {
            let _ = writeln!(promoted, "captures = \"{}\"", dice.pick(&["captor", "owner", "nobody"]));
        }
        for (key, times) in [("compulsory", 8), ("beside-own", 5)] {
            if dice.one_in(times) {
                let _ = writeln!(promoted, "{key} = true");
            }
        }
        let royal = if falls { "royal = \"capture\"\n" } else { "royal = true\n" };
        Hands { start, royal, pieces, promoted }
    }
}

/// The variant file of a seed.
fn variant(seed: u64) -> String {
    let mut dice = Dice(Random::new(seed));
    let (width, height) = dice.pick(&[(2, 3), (3, 2), (3, 3), (3, 3), (3, 4), (4, 3), (4, 4), (4, 4)]);
    let letters = &["A", "B", "C"][..1 + dice.below(3)];
    let royal = dice.one_in(2).then(|| dice.below(letters.len()));
    let hands = has_hands(seed).then(|| Hands::draw(seed, letters, royal, (width, height)));
    let mut cells = vec![None; width * height];
    for side in 0..2 {
        if let Some(royal) = royal {
            let at = dice.below(cells.len());
            cells[at] = Some((royal, side));
        }
        for _ in 0..dice.below(3) {
            let (at, kind) = (dice.below(cells.len()), dice.below(letters.len()));
            if Some(kind) != royal && cells[at].is_none() {
                cells[at] = Some((kind, side));
            }
        }
    }
    let rank = |row: &[Option<(usize, usize)>]| -> String {
        let run = |cells: &[Option<(usize, usize)>]| match cells[0] {
            None => cells.len().to_string(),
            Some((kind, 0)) => letters[kind].repeat(cells.len()),
            Some((kind, _)) => letters[kind].to_lowercase().repeat(cells.len()),
        };
        row.chunk_by(|a, b| a == b).map(run).collect()
    };
    let placement: Vec<String> = cells.chunks(width).map(rank).collect();
    let must_capture = if dice.one_in(15) { "must-capture = true\n" } else { "" };
    let mut text = format!(
        "id = \"random\"\nname = \"Random {seed}\"\n{must_capture}[board]\nsize = \"{width}x{height}\"\nstart = \"{}{} {} - - 0 1\"\n",
        placement.join("/"),
        hands.as_ref().map_or("", |hands| &hands.start),
        dice.pick(&["w", "b"]),
    );
    if dice.one_in(8) {
        let _ = writeln!(text, "blocking = [{}]", dice.squares(width, height));
    }
    for (kind, letter) in letters.iter().enumerate() {
        let _ = writeln!(text, "[[piece]]\nletter = \"{letter}\"\nmoves = \"{}\"", dice.moves());
        if royal == Some(kind) {
            text += hands.as_ref().map_or("royal = true\n", |hands| hands.royal);
        }
        if dice.one_in(6) {
            let _ = writeln!(text, "initial = {}", dice.both(width, height));
        }
        if dice.one_in(8) {
            let _ = writeln!(text, "territory = {}", dice.both(width, height));
        }
        if let Some(hands) = &hands {
            text += &hands.pieces[kind];
        } else if kind + 1 < letters.len() && royal != Some(kind) && royal != Some(kind + 1) && dice.one_in(3)
        {
            let to = letters[kind + 1];
            let optional = dice.one_in(2);
            let zone = dice.both(width, height);
            let _ = writeln!(text, "promotion = {{ zone = {zone}, to = \"{to}\", optional = {optional} }}");
        }
    }
    if let Some(hands) = &hands {
        text += &hands.promoted;
    }
    let result = ["loss", "draw", "win"];
    if dice.one_in(3) {
        let goals = dice.both(width, height);
        let tries = if hands.is_some() { "try" } else { "hold" };
        let objective = dice.pick(&[tries, "secure", "reach"]);
        let _ = writeln!(text, "[key]\ngoals = {goals}\nobjective = \"{objective}\"");
        if dice.one_in(2) {
            let _ = writeln!(text, "eligible = \"{}\"", dice.pick(letters));
        }
    }
    text += "[end]\n";
    for key in ["checkmate", "stalemate"] {
        if dice.one_in(3) {
            let _ = writeln!(text, "{key} = \"{}\"", dice.pick(&result));
        }
    }
    if dice.one_in(2) {
        let _ = writeln!(text, "bare = \"{}\"", dice.pick(&["loss", "draw", "none"]));
    }
    if dice.one_in(5) {
        let (pieces, result) = (dice.pick(letters), dice.pick(&result));
        let _ = writeln!(text, "extinction = {{ pieces = \"{pieces}\", result = \"{result}\" }}");
    }
    text += "[draw]\n";
    if dice.one_in(4) {
        let material: String = (0..1 + dice.below(2)).map(|_| dice.pick(letters)).collect();
        let _ = writeln!(text, "insufficient = [\"{material}v{}\"]", dice.pick(letters));
    }
    if dice.one_in(12) {
        let _ = writeln!(text, "n-move = {}", 1 + dice.below(3));
    }
    if dice.one_in(4) {
        let _ = writeln!(text, "insufficient-same-colour = \"{}\"", dice.pick(letters));
    }
    text
}

/// What became of a random game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    /// The file is refused, as many random ones are.
    NoGame,
    /// Too many positions.
    TooLarge,
    /// Solved as a graph of this many positions; there are no tables for such rules.
    NoTables(usize),
    /// Everything agreed, on this many positions.
    Agreed(usize),
}

type Start<'r> = AnyChessLike<'r>;

/// All positions of a game, solved; `None` if they are too many.
///
/// # Errors
/// If the solution does not verify.
fn solve(start: Start<'_>) -> Result<Option<Solution<Start<'_>>>, String> {
    let limits = Limits { max_positions: MAX_POSITIONS, ..Limits::default() };
    let solution = match Control::with_limits(limits, |control| {
        let mut graph = Graph::new(start).unwrap();
        graph.enumerate(control)?;
        graph.solve(control)
    }) {
        Ok(solution) => solution,
        Err(Stop::Positions { .. }) => return Ok(None),
        Err(stop) => return Err(format!("graph: {stop}")),
    };
    Control::with_limits(Limits::default(), |control| verify(&solution, control).map_err(|e| e.to_string()))
        .map_err(|e| format!("the graph does not verify: {e}"))?;
    Ok(Some(solution))
}

/// Solves the game of a seed in every way.
///
/// # Errors
/// What does not agree.
fn check(text: &str, folder: &Path) -> Result<Case, String> {
    let Ok(rules) = Rules::parse(text) else { return Ok(Case::NoGame) };
    let start_of = |rules| ChessGame::<General, 32>::new(rules).map(|game| game.start());
    let start = start_of(&rules).ok_or("the general game refuses the rules")?;
    let Some(solution) = solve(start)? else { return Ok(Case::TooLarge) };
    // Tables know no counter of moves, and alpha-beta's transposition table does not tell positions apart by it.
    let free = rules.without_move_rule();
    let counted = match rules.move_rule {
        None => {
            let positions = reachable(start);
            check_searches(&rules, &solution, &positions)?;
            if rules.hand.is_some() {
                check_positions(&rules, &positions)?;
                check_values(&solution, &positions)?;
            }
            solution
        }
        Some(_) => match solve(start_of(&free).ok_or("the general game refuses the rules")?)? {
            Some(free) => free,
            None => return Ok(Case::TooLarge),
        },
    };
    let plan = match Plan::new(&rules, &Scope::Start) {
        Ok(plan) => plan,
        Err(PlanError::Unsupported(_) | PlanError::OneSided) => {
            return Ok(Case::NoTables(counted.counts().positions() as usize));
        }
        Err(e) => return Err(format!("plan: {e}")),
    };
    if plan.cells() > MAX_CELLS {
        return Ok(Case::TooLarge);
    }
    let go_on = AtomicBool::new(false);
    let _ = std::fs::remove_dir_all(folder);
    build(&plan, folder, &Options::default(), &go_on, &|_| {}).map_err(|e| format!("build: {e}"))?;
    let tables = TableSet::open(&rules, folder).map_err(|e| format!("open: {e}"))?;
    for table in tables.tables() {
        let all = Check { positions: None, ..Check::default() };
        verify_tables(&tables, table, &all, &go_on, &|_| {}).map_err(|e| format!("tables: {e}"))?;
    }
    let positions = reachable(start_of(if rules.move_rule.is_some() { &free } else { &rules }).unwrap());
    for position in &positions {
        let fen = position.without_clock().position_text();
        let expected = counted.value(position).ok_or_else(|| format!("{fen}: not in the graph"))?;
        let typed = Start::from_fen(&rules, &fen).map_err(|e| format!("{fen}: {e}"))?;
        match tables.probe(&typed) {
            Ok(found) if found == expected => {}
            Err(ProbeError::Castling) => {}
            found => return Err(format!("{fen}: tables say {found:?}, the graph {expected:?}")),
        }
    }
    Ok(Case::Agreed(positions.len()))
}

/// All positions that can be reached.
fn reachable(start: Start<'_>) -> Vec<Start<'_>> {
    let mut seen = HashSet::from([start]);
    let mut list = vec![start];
    let mut next = 0;
    while next < list.len() {
        let position = list[next];
        next += 1;
        if position.outcome().is_none() {
            let children = list_moves(&position).into_iter().map(|mv| position.after(mv));
            list.extend(children.filter(|child| seen.insert(*child)));
        }
    }
    list
}

/// Writes positions and reads them again, and compares their keys with those computed anew.
///
/// # Errors
/// The first position that does not come back, or has a wrong key.
fn check_positions(rules: &Rules, positions: &[Start<'_>]) -> Result<(), String> {
    for position in positions {
        let fen = position.position_text();
        match Start::from_fen(rules, &fen) {
            Ok(again) if again == *position => {}
            again => return Err(format!("{fen} comes back as {again:?}")),
        }
        if position.zobrist_hash() != position.recomputed_hash() {
            return Err(format!("{fen} has another hash"));
        }
    }
    Ok(())
}

/// Values by brute force: ply by ply, every position is looked at anew until no value changes.
///
/// # Errors
/// The first position for which the graph has another value.
fn check_values<'a>(solution: &Solution<Start<'a>>, positions: &[Start<'a>]) -> Result<(), String> {
    let numbers: HashMap<Start<'_>, usize> = positions.iter().enumerate().map(|(n, p)| (*p, n)).collect();
    let over = |p: &Start<'_>| p.outcome().map(Value::from_outcome);
    let mut values: Vec<Value> = positions.iter().map(|p| over(p).unwrap_or(Value::Draw)).collect();
    let after: Vec<Vec<usize>> = positions
        .iter()
        .map(|p| {
            if p.outcome().is_some() {
                vec![]
            } else {
                list_moves(p).into_iter().map(|mv| numbers[&p.after(mv)]).collect()
            }
        })
        .collect();
    loop {
        // As it is in one ply more: a win or a loss is only found when it is that near.
        let next: Vec<Value> = (0..values.len())
            .map(|n| {
                after[n].iter().map(|&child| values[child].before_opponents_turn()).max().unwrap_or(values[n])
            })
            .collect();
        if next == values {
            break;
        }
        values = next;
    }
    for (position, value) in positions.iter().zip(values) {
        if solution.value(position) != Some(value) {
            let fen = position.position_text();
            return Err(format!(
                "{fen}: brute force says {value:?}, the graph {:?}",
                solution.value(position)
            ));
        }
    }
    Ok(())
}

/// Searches some positions of a game, and holds what is called proven against the graph.
///
/// # Errors
/// What is proven and wrong.
fn check_searches<'a>(
    rules: &Rules,
    solution: &Solution<Start<'a>>,
    positions: &[Start<'a>],
) -> Result<(), String> {
    let open: Vec<&Start<'_>> = positions.iter().filter(|p| p.outcome().is_none()).collect();
    let evaluation = HandcraftedEvaluation::derived(rules);
    let options = alphabeta::Options { hash: 1, ..alphabeta::Options::default() };
    let mut alphabeta = AlphaBeta::new(evaluation, options).ok_or("no memory")?;
    let mut mcts = Mcts::new(mcts::Options { tree_mb: 8, ..mcts::Options::default() });
    for (number, &position) in open.iter().step_by(open.len().div_ceil(SEARCHED).max(1)).enumerate() {
        // Every other time all moves, and now and then with what was learnt before.
        let multipv = if number % 2 == 0 { 1 } else { 99 };
        if number % 3 == 0 {
            alphabeta.new_game();
            mcts.new_game();
        }
        let deep = SearchLimits { depth: Some(6), nodes: Some(3000), multipv, ..SearchLimits::default() };
        let wide = SearchLimits { playouts: Some(200), multipv, ..SearchLimits::default() };
        let stop = StopFlag::new();
        for (name, report) in [
            ("alpha-beta", alphabeta.search(position, &[], &deep, &stop, &mut |_| {})),
            ("mcts", mcts.search(position, &[], &wide, &stop, &mut |_| {})),
        ] {
            for line in &report.lines {
                let after = position.after(line.pv[0]);
                let value = if line.multipv == 1 {
                    solution.value(position)
                } else {
                    solution
                        .value(&after)
                        .map(|v| v.before_ply(position.side_to_move(), after.side_to_move()))
                };
                let value = value.ok_or_else(|| format!("{position:?}: not in the graph"))?;
                if !is_true(line, value) {
                    return Err(format!("{position:?}: {name} has proven {line:?}, the graph {value:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Whether a line claims nothing that is wrong.
fn is_true<M>(line: &Info<M>, value: Value) -> bool {
    let truth = Score::from(value);
    match line.score.distance() {
        _ if !line.proven => !line.exact,
        None => value == Value::Draw,
        Some(_) if line.exact => line.score == truth,
        Some(plies) => {
            line.score.is_win() == truth.is_win() && truth.distance().is_some_and(|least| least <= plies)
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a whole number"))
}

#[test]
fn all_ways_to_solve_random_games_agree() {
    // Two runs at a time do not share it.
    let folder = std::env::temp_dir().join(format!("jewel-random-variants-{}", std::process::id()));
    let (first, count) = (number("JEWEL_VARIANTS_FROM", 0), number("JEWEL_VARIANTS", 300));
    let (mut games, mut graphs, mut positions, mut in_hand) = (0u64, 0u64, 0u64, 0u64);
    let mut wrong = vec![];
    for seed in first..first + count {
        let text = variant(seed);
        if count == 1 {
            eprintln!("{text}");
        }
        let case = std::panic::catch_unwind(|| check(&text, &folder))
            .unwrap_or_else(|panic| Err(format!("panic: {:?}", panic.downcast_ref::<String>())));
        match case {
            Ok(Case::NoGame | Case::TooLarge) => {}
            Ok(Case::NoTables(n)) => {
                graphs += 1;
                if has_hands(seed) {
                    in_hand += n as u64;
                }
            }
            Ok(Case::Agreed(n)) => {
                games += 1;
                positions += n as u64;
            }
            Err(problem) => wrong.push(format!("seed {seed}: {problem}")),
        }
        if count > 1000 && (seed + 1) % 1000 == 0 {
            eprintln!(
                "{} files, {games} games with tables, {graphs} without, {} wrong",
                seed + 1 - first,
                wrong.len()
            );
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{} of {games} games with tables differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(games > count / 12 && positions > 20 * games, "{games} games, {positions} positions");
    assert!(in_hand > 10 * count, "{in_hand} positions of games with hands");
}

/// Files that were wrong once: each has a table, a plan or a refusal that says why.
#[test]
fn games_that_were_wrong_once_are_right() {
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/variants");
    let mut solved = 0;
    for entry in std::fs::read_dir(files).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("once-wrong-{name}"));
        let case = check(&std::fs::read_to_string(&path).unwrap(), &folder);
        solved += usize::from(matches!(case, Ok(Case::Agreed(_))));
        assert!(case.is_ok(), "{name}: {case:?}");
    }
    assert!(solved >= 4, "{solved}");
}
