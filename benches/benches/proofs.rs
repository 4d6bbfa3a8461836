//! Proof search in Ambush, from random positions.
//!
//!     cargo bench -p jewel-benches --bench proofs -- truth 10000   against tables: six men, three a side
//!     cargo bench -p jewel-benches --bench proofs -- nodes 300     nodes to a proof, beside alpha-beta's: eight men
//!     cargo bench -p jewel-benches --bench proofs -- threads 30    time to a proof by two threads and by one: ten men
//!     cargo bench -p jewel-benches --bench proofs -- check 30      positions of proofs checked a second of a processor: eight men
//!     cargo bench -p jewel-benches --bench proofs -- files         the same for the files in results/proofs

use jewel_engine::ability::{NoTables, Notation, Probe};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{ChessLike, KeyGames};
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::splitmix64;
use jewel_search::alphabeta::{AlphaBeta, Options as SearchOptions, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::{Evaluate, HandcraftedEvaluation};
use jewel_search::limits::Limits;
use jewel_search::report::Info;
use jewel_search::searcher::Searcher;
use jewel_solver::proof::check::{Checked, check};
use jewel_solver::proof::game::{CheckedGame, Encode, NoLeaves, PlainGame};
use jewel_solver::proof::header::{Header, Kind};
use jewel_solver::proof::reader::Proof;
use jewel_solver::proof::search::{Finding, Judge, Search};
use jewel_solver::proof::strategy::write;
use jewel_solver::proof::win::winning_strategy;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope, TableSet};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The shape for which searches of Ambush are compiled.
type Ambush = ChessLike<'static, KeyGames, 8>;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Most nodes of a search, of either kind.
const MOST: u64 = 5_000_000;

fn rules() -> &'static Rules {
    games::find("ambush").expect("an embedded game").rules()
}

/// Random positions in which each side has these men and the game goes on.
fn random(men: &str, seed: u64) -> impl Iterator<Item = Ambush> {
    let rules = rules();
    let kinds: Vec<u8> =
        men.chars().map(|letter| rules.type_of(letter).expect("a letter of Ambush")).collect();
    let squares = rules.geometry.squares().collect::<Vec<_>>();
    let mut state = seed;
    let mut below = move |n: usize| {
        state = state.wrapping_add(1);
        (splitmix64(state).1 % n as u64) as usize
    };
    std::iter::repeat_with(move || {
        let mut free = squares.clone();
        let mut pieces = vec![];
        for side in Side::BOTH {
            for &kind in &kinds {
                let square = free.swap_remove(below(free.len()));
                pieces.push((kind, side, Bitboard::EMPTY | square.bit()));
            }
        }
        Ambush::assemble(rules, Side::BOTH[below(2)], pieces)
    })
    .filter(|position| position.outcome().is_none())
}

/// As `jewel prove` judges positions: threats first.
fn estimate() -> impl Fn(&Ambush) -> i32 + Sync {
    let evaluation = HandcraftedEvaluation::derived(rules());
    move |position| if position.threatened() { -10_000 } else { evaluation.outline(position) }
}

/// What a search has come to.
struct Found {
    finding: Finding,
    nodes: u64,
    made: u64,
    seconds: f64,
}

fn prove(root: &Ambush, attacker: Side, estimate: &dyn Judge<Ambush>, threads: usize) -> Found {
    let mut search = Search::new(attacker, 16 << 20, &NoTables, estimate, &GO_ON).with_threads(threads);
    // Clearing the table is not counted: many of these searches take less time than that.
    let start = Instant::now();
    let finding = search.solve(root, None, MOST, &mut |_| ());
    Found { finding, nodes: search.nodes(), made: search.made(), seconds: start.elapsed().as_secs_f64() }
}

/// Compares the answers of the search with tables.
fn truth(count: usize) {
    let rules = rules();
    let plan = Plan::new(rules, &Scope::Class("LQNvLQN".to_string())).expect("a class of the game");
    let folder = std::env::temp_dir().join(format!("jewel-bench-proofs-{}", std::process::id()));
    build(&plan, &folder, &Options::default(), &GO_ON, &|_| {}).expect("the tables are built");
    let tables = TableSet::open(rules, &folder).expect("they have just been built");
    let estimate = estimate();
    let [mut agree, mut unknown, mut wrong] = [[0u32; 3]; 3];
    let (mut nodes, mut made, mut seconds) = (0, 0, 0.0);
    // Tables are for pieces where they can get to: not all random positions are in them.
    let known = random("LQN", 1).filter_map(|root| Some((Probe::probe_wdl(&tables, &root)?, root)));
    for (truth, root) in known.take(count) {
        let mover = root.side_to_move();
        let mut ask = |attacker: Side| {
            let found = prove(&root, attacker, &estimate, 1);
            (nodes, made, seconds) = (nodes + found.nodes, made + found.made, seconds + found.seconds);
            found.finding
        };
        let found = match ask(mover) {
            Finding::Proven => Some(Outcome::Win),
            Finding::Unknown => None,
            Finding::Disproven => match ask(!mover) {
                Finding::Proven => Some(Outcome::Loss),
                Finding::Disproven => Some(Outcome::Draw),
                Finding::Unknown => None,
            },
        };
        let count = match found {
            None => &mut unknown,
            Some(found) if found == truth => &mut agree,
            Some(_) => {
                println!("{} is a {truth:?} by the tables: {found:?}", root.position_text());
                &mut wrong
            }
        };
        count[truth as usize] += 1;
    }
    drop(tables);
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "{count} positions, lost, drawn and won: {agree:?} agree, {unknown:?} not decided, {wrong:?} wrong"
    );
    speed(nodes, made, seconds);
}

fn speed(nodes: u64, made: u64, seconds: f64) {
    let million = |n: u64| n as f64 / seconds / 1e6;
    println!(
        "{nodes} nodes, {made} positions made, {seconds:.1} s: {:.2} and {:.2} million a second",
        million(nodes),
        million(made)
    );
}

/// Nodes of an alpha-beta search until it has proven a win, or all that it may have.
fn by_alpha_beta(root: &Ambush) -> Option<u64> {
    let options = SearchOptions { hash: 16, params: SearchParams::best(rules()), ..SearchOptions::default() };
    let mut searcher =
        AlphaBeta::new(HandcraftedEvaluation::derived(rules()), options).expect("memory for the table");
    let stop = Stop::new();
    let mut nodes = None;
    let limits = Limits { nodes: Some(MOST), ..Limits::default() };
    searcher.search(root, &[], &limits, &stop, &mut |info: &Info<_>| {
        if info.proven && nodes.is_none() {
            nodes = Some(info.nodes);
            stop.stop();
        }
    });
    nodes
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Won positions of these men that take the search a while, with what it found.
fn won(
    men: &str,
    seed: u64,
    least: u64,
    estimate: &dyn Judge<Ambush>,
) -> impl Iterator<Item = (Ambush, Found)> {
    random(men, seed).filter_map(move |root| {
        let found = prove(&root, root.side_to_move(), estimate, 1);
        (found.finding == Finding::Proven && found.nodes >= least).then_some((root, found))
    })
}

fn nodes(count: usize) {
    let estimate = estimate();
    let (mut nodes, mut made, mut seconds, mut neither) = (0, 0, 0.0, 0);
    let [mut by_nodes, mut by_made] = [vec![], vec![]];
    for (root, found) in won("LQQN", 2, 1, &estimate).take(count) {
        (nodes, made, seconds) = (nodes + found.nodes, made + found.made, seconds + found.seconds);
        // What alpha-beta does not prove takes it more than it may have.
        let other = by_alpha_beta(&root).unwrap_or_else(|| {
            neither += 1;
            MOST
        }) as f64;
        by_nodes.push(found.nodes as f64 / other);
        by_made.push(found.made as f64 / other);
    }
    println!(
        "{count} won positions: at the median {:.3} of alpha-beta's nodes, {:.3} counting positions made; {neither} not proven by \
         alpha-beta in {MOST}",
        median(by_nodes),
        median(by_made)
    );
    speed(nodes, made, seconds);
}

fn threads(count: usize) {
    let estimate = estimate();
    let mut faster = vec![];
    for (root, found) in won("LQQNN", 3, 200_000, &estimate).take(count) {
        let two = prove(&root, root.side_to_move(), &estimate, 2);
        faster.push(found.seconds / two.seconds);
        println!(
            "{:>9} nodes, {:>7.3} s; two threads {:>9}, {:>7.3} s",
            found.nodes, found.seconds, two.nodes, two.seconds
        );
    }
    println!("{count} won positions: two threads are {:.2} times as fast at the median", median(faster));
}

/// Seconds for which this thread has had a processor; since some start, where the system does not say.
fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = text.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    spent.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds as f64 / 1e9)
}

/// Seconds of a processor that a check takes on the mean, and what it has looked at. The clock of processors is a coarse one, so
/// the check is repeated.
fn timed_check(proof: &Proof<'_>, game: &PlainGame) -> (Checked, f64) {
    let start = processor_seconds();
    for n in 1.. {
        let checked = check(proof, game, &NoLeaves, 1 << 30, &GO_ON, &mut |_| ()).expect("a proof");
        let spent = processor_seconds() - start;
        if spent > 0.4 {
            return (checked, spent / f64::from(n));
        }
    }
    unreachable!("a check takes time")
}

/// Checks the proofs that are kept in the repository.
fn files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/proofs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    println!("{:34} {:>9}  million positions, answers a second", "file", "positions");
    for path in paths {
        let file = std::fs::read(&path).expect("a file");
        let proof = Proof::open(&file).expect("a proof");
        let game = PlainGame::of(proof.header()).expect("rules that it knows");
        let (checked, seconds) = timed_check(&proof, &game);
        let million = |n: u64| n as f64 / seconds / 1e6;
        let name = path.file_name().expect("a name").to_string_lossy();
        let Checked { positions, answers, .. } = checked;
        println!("{name:34} {positions:>9}  {:.2} {:.2}", million(positions), million(answers));
    }
}

fn checks(count: usize) {
    let estimate = estimate();
    let rules = rules();
    let text = games::find("ambush").expect("an embedded game").text;
    let plain = PlainGame::new(rules).expect("rules that it knows");
    let (mut positions, mut answers, mut seconds) = (0, 0, 0.0);
    for (root, _) in won("LQQN", 4, 20_000, &estimate).take(count) {
        let prover = root.side_to_move();
        let mut search = Search::new(prover, 64 << 20, &NoTables, &estimate, &GO_ON);
        search.solve(&root, None, u64::MAX, &mut |_| ());
        let strategy = winning_strategy(&mut search, &root, None, &NoTables, &mut |_| (), &|_| false)
            .expect("it is won");
        let (symbols, bits) = plain.size();
        let header = Header {
            kind: Kind::Win,
            prover,
            encoding: Encode::<Ambush>::encoding(&plain),
            symbols: symbols as u8,
            bits: bits as u8,
            fingerprint: rules.fingerprint,
            positions: 0,
            block: 1 << 16,
            limit: None,
            rules: text.to_string(),
            root: root.position_text(),
            tables: vec![],
        };
        let file = write(&strategy, &root, &plain, header, vec![]).expect("memory").0;
        let proof = Proof::open(&file).expect("it was just written");
        let (checked, spent) = timed_check(&proof, &plain);
        seconds += spent;
        (positions, answers) = (positions + checked.positions, answers + checked.answers);
    }
    println!(
        "{count} files, {positions} positions, {answers} answers checked in {seconds:.2} s of a processor: {:.0} positions, {:.0} answers a second",
        positions as f64 / seconds,
        answers as f64 / seconds
    );
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |default: usize| arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(default);
    match arguments.first().map(String::as_str) {
        Some("truth") => truth(number(10_000)),
        Some("threads") => threads(number(30)),
        Some("check") => checks(number(30)),
        Some("files") => files(),
        _ => nodes(number(300)),
    }
}
