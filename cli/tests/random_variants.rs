//! Random rules on small boards, solved in every way that there is: the graph solver, its checker, tables and theirs
//! must agree on every position, and so must what either search calls proven.
//!
//! Some hundreds of games by default. `JEWEL_VARIANTS=100000 cargo test --release -p jewel-cli --test random_variants`
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
use std::collections::HashSet;
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

/// The variant file of a seed.
fn variant(seed: u64) -> String {
    let mut dice = Dice(Random::new(seed));
    let (width, height) = dice.pick(&[(2, 3), (3, 2), (3, 3), (3, 3), (3, 4), (4, 3), (4, 4), (4, 4)]);
    let letters = &["A", "B", "C"][..1 + dice.below(3)];
    let royal = dice.one_in(2).then(|| dice.below(letters.len()));
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
        "id = \"random\"\nname = \"Random {seed}\"\n{must_capture}[board]\nsize = \"{width}x{height}\"\nstart = \"{} {} - - 0 1\"\n",
        placement.join("/"),
        dice.pick(&["w", "b"]),
    );
    if dice.one_in(8) {
        let _ = writeln!(text, "blocking = [{}]", dice.squares(width, height));
    }
    for (kind, letter) in letters.iter().enumerate() {
        let _ = writeln!(text, "[[piece]]\nletter = \"{letter}\"\nmoves = \"{}\"", dice.moves());
        if royal == Some(kind) {
            text += "royal = true\n";
        }
        if dice.one_in(6) {
            let _ = writeln!(text, "initial = {}", dice.both(width, height));
        }
        if dice.one_in(8) {
            let _ = writeln!(text, "territory = {}", dice.both(width, height));
        }
        if kind + 1 < letters.len() && royal != Some(kind) && royal != Some(kind + 1) && dice.one_in(3) {
            let to = letters[kind + 1];
            let optional = dice.one_in(2);
            let zone = dice.both(width, height);
            let _ = writeln!(text, "promotion = {{ zone = {zone}, to = \"{to}\", optional = {optional} }}");
        }
    }
    let result = ["loss", "draw", "win"];
    if dice.one_in(3) {
        let goals = dice.both(width, height);
        let objective = dice.pick(&["hold", "secure", "reach"]);
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
    /// Solved as a graph; there are no tables for such rules.
    NoTables,
    /// Everything agreed, on this many positions.
    Agreed(usize),
}

type Start<'r> = AnyChessLike<'r>;

/// All positions of a game, solved; `None` if they are too many.
///
/// # Errors
/// If the solution does not verify.
fn solve(start: Start<'_>) -> Result<Option<Solution<Start<'_>, [u64; 4]>>, String> {
    let limits = Limits { max_positions: MAX_POSITIONS, ..Limits::default() };
    let solution = match Control::with_limits(limits, |control| {
        let mut graph = Graph::new(start);
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
            check_searches(&rules, &solution, &reachable(start))?;
            solution
        }
        Some(_) => match solve(start_of(&free).ok_or("the general game refuses the rules")?)? {
            Some(free) => free,
            None => return Ok(Case::TooLarge),
        },
    };
    let plan = match Plan::new(&rules, &Scope::Start) {
        Ok(plan) => plan,
        Err(PlanError::Unsupported(_) | PlanError::OneSided) => return Ok(Case::NoTables),
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

/// Searches some positions of a game, and holds what is called proven against the graph.
///
/// # Errors
/// What is proven and wrong.
fn check_searches(
    rules: &Rules,
    solution: &Solution<Start<'_>, [u64; 4]>,
    positions: &[Start<'_>],
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
    let (mut games, mut graphs, mut positions, mut wrong) = (0u64, 0u64, 0u64, Vec::new());
    for seed in first..first + count {
        let text = variant(seed);
        if count == 1 {
            eprintln!("{text}");
        }
        let case = std::panic::catch_unwind(|| check(&text, &folder))
            .unwrap_or_else(|panic| Err(format!("panic: {:?}", panic.downcast_ref::<String>())));
        match case {
            Ok(Case::NoGame | Case::TooLarge) => {}
            Ok(Case::NoTables) => graphs += 1,
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
    assert!(games > count / 10 && positions > 20 * games, "{games} games, {positions} positions");
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
