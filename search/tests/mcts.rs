//! Monte Carlo tree search: its proofs are true, it keeps its limits, and it repeats itself.

use jewel_engine::ability::{Game, NoTables, Notation, Packed, Probe, Symmetric};
use jewel_engine::chesslike::{ChessGame, General, Leapers};
use jewel_engine::games::GAMES;
use jewel_engine::playout::{Playout, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::alphabeta::{SearchParams, ShallowSearch};
use jewel_search::clock::{Bonus, Clock};
use jewel_search::control::{Allowance, Stop};
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::exhaustive::forced;
use jewel_search::limits::Limits;
use jewel_search::mcts::policy::{EvaluationPolicy, Policy, Prior, SearchPolicy, UniformPolicy};
use jewel_search::mcts::{Mcts, Options};
use jewel_search::report::{Info, Report};
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

static DUEL: LazyLock<ChessGame<'static, Leapers, 4>> =
    LazyLock::new(|| ChessGame::new(rules("duel")).unwrap());
static AMBUSH: LazyLock<ChessGame<'static, Leapers, 4>> =
    LazyLock::new(|| ChessGame::new(rules("ambush")).unwrap());
static QUEST: LazyLock<ChessGame<'static, General, 32>> =
    LazyLock::new(|| ChessGame::new(rules("diamond-quest")).unwrap());

fn rules(id: &str) -> &'static Rules {
    jewel_engine::games::find(id).unwrap().rules()
}

fn playouts<M>(count: u64) -> Limits<M> {
    Limits { playouts: Some(count), ..Limits::default() }
}

fn search<P: Playout, G: Policy<P>, T: Probe<P>>(
    mcts: &mut Mcts<P, G, T>,
    root: &P,
    limits: &Limits<P::Move>,
) -> Report<P::Move> {
    mcts.search(root, &[], limits, &Stop::new(), &mut |_| {})
}

fn visits<M>(report: &Report<M>) -> u64 {
    report.lines.iter().map(|line| line.visits).sum()
}

/// Options that differ in everything that changes the search.
fn every_kind() -> [Options; 5] {
    let plain = Options { tree_mb: 16, ..Options::default() };
    [
        plain.clone(),
        Options { expand_at: 0, ..plain.clone() },
        Options { playout_plies: 4, ..plain.clone() },
        Options { exploration: 0.7, first_play_reduction: -1.0, minimax: None, ..plain.clone() },
        Options { widening: 0.7, ..plain },
    ]
}

/// All positions that can be reached, each once.
fn reachable<P: Position>(start: P) -> Vec<P> {
    let mut seen = HashSet::from([start.clone()]);
    let mut list = vec![start];
    let mut next = 0;
    while next < list.len() {
        let position = list[next].clone();
        next += 1;
        if position.outcome().is_none() {
            let children = list_moves(&position).into_iter().map(|mv| position.after(mv));
            list.extend(children.filter(|child| seen.insert(child.clone())));
        }
    }
    list
}

#[test]
fn every_position_of_duel_is_proven_to_its_exact_value() {
    let positions = reachable(DUEL.start());
    assert_eq!(positions.len(), 162);
    for options in every_kind() {
        let mut mcts = Mcts::new(options);
        for position in positions.iter().filter(|p| p.outcome().is_none()) {
            mcts.new_game();
            let report = search(&mut mcts, position, &playouts(50_000));
            let line = &report.lines[0];
            assert!(line.proven, "{position:?}: {} after {} nodes", line.score, report.nodes);
            // No forced result of Duel takes as long as that; the rest are draws.
            let value = forced(position, 8).unwrap_or(Value::Draw);
            assert_eq!(line.score, Score::from(value), "{position:?}");
            // The move keeps it.
            let after = position.after(report.best.unwrap());
            let kept = forced(&after, 8).unwrap_or(Value::Draw).before_opponents_turn();
            assert_eq!(kept, value, "{position:?}");
        }
    }
}

/// A policy that searches this many plies ahead.
fn search_policy<P: Pieces>(rules: &Rules, plies: u32) -> SearchPolicy<P, HandcraftedEvaluation, NoTables> {
    let search =
        ShallowSearch::new(HandcraftedEvaluation::best(rules), NoTables, 1, SearchParams::DEFAULT, plies);
    SearchPolicy::new(search.unwrap(), Some(100.0))
}

#[test]
fn a_search_policy_sees_what_is_forced_and_nothing_else() {
    let deep: SearchPolicy<_, _, _> = search_policy(DUEL.rules(), 9);
    for position in reachable(DUEL.start()).iter().filter(|p| p.outcome().is_none()) {
        let score = deep.evaluate(position, &mut Allowance::unlimited()).unwrap();
        let value = forced(position, 8).unwrap_or(Value::Draw);
        assert_eq!(score.is_decided().then_some(score), value.distance().map(|_| Score::from(value)));
    }
    // A shallow search sees some of the wins and losses, and those are right.
    let near = search_policy(AMBUSH.rules(), 3);
    let mut decided = 0;
    for position in late_positions(&*AMBUSH, 300, 5) {
        let score = near.evaluate(&position, &mut Allowance::unlimited()).unwrap();
        if let Some(plies) = score.distance() {
            let value = forced(&position, plies).unwrap_or_else(|| panic!("{position:?}: {score}"));
            assert_eq!((value.outcome() == Outcome::Win, score.is_decided()), (score.is_win(), true));
            decided += 1;
        }
    }
    assert!(decided > 100, "{decided}");
}

#[test]
fn a_search_that_looks_ahead_proves_what_is_true_and_repeats() {
    let options = Options { tree_mb: 16, playout_plies: 0, ..Options::default() };
    let mut mcts = Mcts::with_policy(options.clone(), search_policy(DUEL.rules(), 1));
    for position in reachable(DUEL.start()).iter().filter(|p| p.outcome().is_none()) {
        mcts.new_game();
        let report = search(&mut mcts, position, &playouts(5_000));
        let line = &report.lines[0];
        let value = forced(position, 8).unwrap_or(Value::Draw);
        // A draw may be held without being proven.
        assert!(line.proven || value == Value::Draw, "{position:?}");
        assert!(!line.proven || line.score == Score::from(value), "{position:?}");
        let kept = forced(&position.after(report.best.unwrap()), 8).unwrap_or(Value::Draw);
        assert_eq!(kept.before_opponents_turn(), value, "{position:?}");
    }
    let mut mcts = Mcts::with_policy(options, search_policy(AMBUSH.rules(), 2));
    let limits = Limits { nodes: Some(50_000), ..Limits::default() };
    let told = |mcts: &mut Mcts<_, _, _>| {
        let report = search(mcts, &AMBUSH.start(), &limits);
        // What the policy searches counts, too: the last simulation may go beyond the limit.
        assert!((50_000..52_000).contains(&report.nodes), "{}", report.nodes);
        (report.nodes, report.lines[0].pv.clone(), visits(&report))
    };
    let once = told(&mut mcts);
    mcts.new_game();
    assert_eq!(told(&mut mcts), once);
}

/// Many pieces that can capture one another: quiescence search from here has no end that anybody would see.
const CROWDED: &str = "rrrkrrr/rrrrrrr/7/7/7/RRRRRRR/RRRKRRR w - - 0 1";

#[test]
fn a_search_that_looks_ahead_keeps_every_limit_where_captures_abound() {
    let (done, wait) = std::sync::mpsc::channel();
    // On a thread of its own: a search that does not end is a test that fails.
    std::thread::spawn(move || {
        let game = ChessGame::<General, 32>::new(rules("diamond-chess")).unwrap();
        let root = game.parse_position(CROWDED).unwrap();
        for plies in [1, 20] {
            let options = Options { tree_mb: 16, playout_plies: 0, ..Options::default() };
            let mut mcts = Mcts::with_policy(options, search_policy(game.rules(), plies));
            for nodes in [1, 700, 20_000] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let report = search(&mut mcts, &root, &limits);
                assert!(report.best.is_some() && (nodes..nodes + 100).contains(&report.nodes), "{nodes}");
                mcts.new_game();
            }
            let short = Limits { movetime: Some(Duration::from_millis(30)), ..Limits::default() };
            assert!(search(&mut mcts, &root, &short).best.is_some());
            let stop = Stop::new();
            let handle = stop.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(30));
                handle.stop();
            });
            let infinite = Limits { infinite: true, ..Limits::default() };
            assert!(mcts.search(&root, &[], &infinite, &stop, &mut |_| ()).best.is_some());
        }
        done.send(()).unwrap();
    });
    wait.recv_timeout(Duration::from_secs(60)).expect("it ends, and keeps its limits");
}

/// Pieces that cannot capture, and nothing to win: random play goes on for ever.
const ENDLESS: &str = "name = \"Endless\"\n[board]\nsize = \"4x4\"\nstart = \"aa2/4/4/2AA w - - 0 1\"\n\
                       [[piece]]\nletter = \"A\"\nmoves = \"mK\"\n[end]\nbare = \"none\"\n";

#[test]
fn a_playout_without_end_hears_that_the_search_is_over() {
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let rules = Rules::parse(ENDLESS).unwrap();
        let game = ChessGame::<General, 32>::new(&rules).unwrap();
        let limits = Limits { movetime: Some(Duration::from_millis(30)), ..Limits::default() };
        let mut mcts = Mcts::new(Options { playout_plies: u32::MAX, ..Options::default() });
        done.send(search(&mut mcts, &game.start(), &limits).best.is_some()).unwrap();
    });
    assert!(wait.recv_timeout(Duration::from_secs(60)).expect("it ends"));
}

#[test]
fn the_start_of_duel_is_proven_drawn_and_its_moves_are_told_apart() {
    let mut mcts = Mcts::new(Options::default());
    let start = DUEL.start();
    let report = search(&mut mcts, &start, &Limits { multipv: 9, ..Limits::default() });
    let lines: Vec<(String, Score)> =
        report.lines.iter().map(|line| (start.move_text(line.pv[0]), line.score)).collect();
    assert!(report.lines.iter().all(|line| line.proven));
    let draws: HashSet<&str> = lines[..2].iter().map(|line| line.0.as_str()).collect();
    assert_eq!(draws, HashSet::from(["c1b1", "c1c2"]));
    assert!(lines[..2].iter().all(|line| line.1 == Score::DRAW));
    assert!(lines[2..].iter().all(|line| line.1 == Score::loss_in(2)) && lines.len() == 4, "{lines:?}");
}

/// Positions up to four plies before the end of random games that one side wins.
fn late_positions<G>(game: &G, count: usize, seed: u64) -> Vec<G::Position>
where
    G: Game,
    G::Position: Playout,
{
    let mut random = Random::new(seed);
    let mut list = Vec::new();
    while list.len() < count {
        let mut line = vec![game.start()];
        while let Some(mv) = random_move(&line[line.len() - 1], &mut random).filter(|_| line.len() < 200) {
            line.push(line[line.len() - 1].after(mv));
        }
        if line.pop().is_some_and(|last| matches!(last.outcome(), Some(Outcome::Win | Outcome::Loss))) {
            let back = 1 + random.below(4) as usize;
            list.extend(line.into_iter().rev().take(back).last());
        }
    }
    list
}

/// What is proven holds: plain search to the depth of the distance must agree. Returns how much was checked.
struct Proofs;

impl Proofs {
    fn check<P: Playout>(position: &P, line: &Info<P::Move>, depth: u32) -> bool {
        let after = position.after(line.pv[0]);
        let truth = forced(&after, depth).map(|value| value.before_opponents_turn());
        let Some(distance) = line.score.distance() else {
            // A draw may rest on repetition, which the plain search does not see.
            let wrong = line.proven && truth.is_some_and(|value| value.outcome() != Outcome::Draw);
            assert!(!wrong, "{position:?} {:?}: {truth:?}", line.pv);
            return false;
        };
        assert!(line.proven);
        let Some(truth) = truth else {
            assert!(distance > depth + 1, "{position:?} {:?}: {}", line.pv, line.score);
            return false;
        };
        assert!(truth.distance().is_some(), "{position:?} {:?}: a draw", line.pv);
        assert_eq!(Score::from(truth).is_win(), line.score.is_win(), "{position:?} {:?}", line.pv);
        assert!(truth.distance() <= Some(distance), "{position:?} {:?}", line.pv);
        true
    }
}

impl Proofs {
    fn visit<G>(self, game: G) -> usize
    where
        G: Game,
        G::Position: Packed + Symmetric + Playout,
    {
        let depth = match game.id() {
            "duel" => 6,
            "ambush" => 3,
            _ => 2,
        };
        let mut checked = 0;
        for options in every_kind() {
            let mut mcts = Mcts::new(options);
            for position in late_positions(&game, 12, 9) {
                let all = Limits { multipv: 99, ..playouts(1500) };
                let lines = search(&mut mcts, &position, &all).lines;
                checked += lines.iter().filter(|line| Proofs::check(&position, line, depth)).count();
            }
        }
        checked
    }
}

#[test]
fn nothing_proven_contradicts_the_plain_search_in_any_game() {
    for game in &GAMES {
        let checked = with_leanest_game!(game.rules(), game => Proofs.visit(game));
        println!("{}: {checked} proofs checked", game.id);
        assert!(checked >= 5, "{}: {checked} proofs checked", game.id);
    }
}

#[test]
fn one_thread_repeats_itself_for_a_seed() {
    for options in every_kind() {
        let run = |seed| {
            let mut mcts = Mcts::new(Options { seed, tree_mb: 1, ..options.clone() });
            let mut position = AMBUSH.start();
            let mut told = Vec::new();
            for _ in 0..3 {
                let report = mcts.search(&position, &[], &playouts(4000), &Stop::new(), &mut |info| {
                    told.push((info.pv.clone(), info.visits, info.score, info.nodes));
                });
                position.play(report.best.unwrap());
            }
            (told, position)
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).0, run(2).0);
    }
}

#[test]
fn a_new_game_forgets_the_last_one() {
    let mut mcts = Mcts::new(Options::default());
    let first = search(&mut mcts, &AMBUSH.start(), &playouts(2000));
    mcts.new_game();
    let again = search(&mut mcts, &AMBUSH.start(), &playouts(2000));
    assert_eq!((first.best, first.nodes), (again.best, again.nodes));
    assert_eq!(first.lines[0].visits, again.lines[0].visits);
}

#[test]
fn a_small_tree_fills_and_goes_on_working() {
    // Twenty thousand nodes, and a hundred thousand simulations that would each add twenty.
    let options = Options { tree_mb: 1, expand_at: 0, ..Options::default() };
    for threads in [1, 2] {
        let mut mcts = Mcts::new(Options { threads, ..options.clone() });
        let mut fullest = 0;
        let limits = Limits { multipv: 99, ..playouts(100_000) };
        let report = mcts.search(&AMBUSH.start(), &[], &limits, &Stop::new(), &mut |info| {
            fullest = fullest.max(info.hashfull);
        });
        assert!(fullest > 400 && fullest <= 1000, "{fullest} thousandths");
        assert_eq!(visits(&report), 100_000);
        // It still finds a win.
        let won = AMBUSH.parse_position("n4/5/5/5/2L1N w - - 0 1").unwrap();
        assert_eq!(search(&mut mcts, &won, &playouts(5_000)).score(), Score::win_in(2));
    }
}

#[test]
fn the_tree_goes_on_with_the_game() {
    let mut mcts = Mcts::new(Options::default());
    let mut position = AMBUSH.start();
    let report = search(&mut mcts, &position, &playouts(20_000));
    // Both sides play as expected.
    for mv in &report.lines[0].pv[..2] {
        position.play(*mv);
    }
    let all = Limits { multipv: 99, ..playouts(1) };
    let kept = visits(&search(&mut mcts, &position, &all));
    assert!(kept > 100, "{kept} visits kept");
    // The same position once more: nothing is lost either.
    let again = visits(&search(&mut mcts, &position, &all));
    assert!(again > kept, "{again} visits after {kept}");
    mcts.new_game();
    assert_eq!(visits(&search(&mut mcts, &position, &all)), 1);
}

#[test]
fn limits_are_kept() {
    let start = QUEST.start();
    let run = |limits| search(&mut Mcts::new(Options::default()), &start, &limits);
    assert_eq!(visits(&run(Limits { multipv: 99, ..playouts(700) })), 700);
    let report = run(Limits { nodes: Some(5000), ..Limits::default() });
    // The last simulation is finished.
    assert!((5000..5400).contains(&report.nodes), "{} nodes", report.nodes);
    let report = run(Limits { depth: Some(4), ..Limits::default() });
    assert_eq!(report.lines[0].seldepth, 4);
    let time = Duration::from_millis(30);
    let report = run(Limits { movetime: Some(time), ..Limits::default() });
    assert!(report.best.is_some() && report.elapsed >= time);
    let clock = Some(Clock::new(Duration::from_millis(300), Bonus::None));
    assert!(run(Limits { clock, ..Limits::default() }).best.is_some());
    assert!(run(Limits { movetime: Some(Duration::ZERO), ..Limits::default() }).best.is_some());
    assert!(run(playouts(0)).best.is_some());
}

#[test]
fn a_search_ends_when_it_is_told_and_not_before() {
    // Decided at once, but the caller wants it to go on.
    let won = DUEL.parse_position("2l/3/1L1 w - - 0 1").unwrap();
    let infinite = Limits { infinite: true, ..Limits::default() };
    let ponder = Limits { ponder: true, movetime: Some(Duration::ZERO), ..Limits::default() };
    for (limits, hit) in [(&infinite, false), (&ponder, false), (&ponder, true)] {
        let stop = Stop::new();
        let handle = stop.clone();
        let begun = Instant::now();
        let waker = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            if hit { handle.ponder_hit() } else { handle.stop() }
        });
        let mut mcts = Mcts::new(Options { threads: 2, ..Options::default() });
        let report = mcts.search(&won, &[], limits, &stop, &mut |_| {});
        assert_eq!(report.score(), Score::win_in(2));
        assert!(begun.elapsed() >= Duration::from_millis(20));
        waker.join().unwrap();
    }
    let stop = Stop::new();
    stop.stop();
    let mut mcts = Mcts::new(Options::default());
    assert!(mcts.search(&AMBUSH.start(), &[], &Limits::default(), &stop, &mut |_| {}).best.is_some());
}

#[test]
fn two_threads_find_what_one_finds() {
    let mut mcts = Mcts::new(Options { threads: 2, ..Options::default() });
    let won = AMBUSH.parse_position("n4/5/5/5/2L1N w - - 0 1").unwrap();
    let report = search(&mut mcts, &won, &playouts(10_000));
    assert_eq!(report.best.map(|mv| won.move_text(mv)).as_deref(), Some("c1c3"));
    assert_eq!(report.score(), Score::win_in(2));
    let start = AMBUSH.start();
    let report = search(&mut mcts, &start, &Limits { multipv: 99, ..playouts(20_000) });
    assert!(list_moves(&start).contains(&report.best.unwrap()));
    assert_eq!(visits(&report), 20_000);
}

#[test]
fn only_the_moves_asked_for_are_looked_at() {
    let start = DUEL.start();
    let moves = list_moves(&start);
    for &mv in &moves {
        let mut mcts = Mcts::new(Options::default());
        let limits = Limits { search_moves: vec![mv], multipv: 9, ..playouts(20_000) };
        let report = search(&mut mcts, &start, &limits);
        assert_eq!((report.best, report.lines.len()), (Some(mv), 1));
        let value = forced(&start.after(mv), 6).map_or(Value::Draw, |v| v.before_opponents_turn());
        assert_eq!(report.score(), Score::from(value));
        // What was found under the restriction is not held against the position later.
        let report = search(&mut mcts, &start, &playouts(50_000));
        assert_eq!((report.score(), report.lines[0].proven), (Score::DRAW, true));
    }
    let other = DUEL.parse_position("2l/3/1L1 w - - 0 1").unwrap();
    let foreign = list_moves(&other).into_iter().filter(|mv| !moves.contains(mv)).collect();
    let limits = Limits { search_moves: foreign, ..playouts(10) };
    assert_eq!(search(&mut Mcts::new(Options::default()), &start, &limits).best, None);
}

#[test]
fn lines_are_as_many_as_asked_for_and_ordered() {
    let position = AMBUSH.parse_position("n3l/5/5/5/2L1N w - - 0 1").unwrap();
    let mut mcts = Mcts::new(Options::default());
    let report = search(&mut mcts, &position, &Limits { multipv: 4, ..playouts(20_000) });
    assert_eq!(report.lines.iter().map(|line| line.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let firsts: HashSet<_> = report.lines.iter().map(|line| line.pv[0]).collect();
    assert_eq!(firsts.len(), 4);
    // Wins lead, losses close, and what is open is ordered by the result that is sure.
    let place = |line: &Info<_>| {
        let class = i32::from(line.score.is_win()) - i32::from(line.score.is_loss());
        let sure = match class {
            0 if line.proven => 0.5,
            0 => line.expectation.unwrap() - 1.0 / (line.visits as f64).sqrt(),
            _ => f64::from(line.score.raw()),
        };
        (class, sure)
    };
    for pair in report.lines.windows(2) {
        assert!(place(&pair[0]) >= place(&pair[1]), "{} before {}", pair[0].score, pair[1].score);
    }
    // Every line can be played.
    for line in &report.lines {
        let mut position = position;
        for &mv in &line.pv {
            assert!(list_moves(&position).contains(&mv));
            position.play(mv);
        }
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let over = DUEL.parse_position("2l/1L1/3 w - - 0 1").unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Win));
    let report = search(&mut Mcts::new(Options::default()), &over, &Limits::default());
    assert_eq!((report.best, report.lines.len()), (None, 0));
}

#[test]
fn a_position_of_the_game_before_is_a_draw_if_it_comes_for_the_third_time() {
    let position = QUEST.parse_position("3k3/7/7/7/7/RR5/3K3 w - - 0 1").unwrap();
    let back = position.parse_move("d1d2").unwrap();
    let known = position.after(back).zobrist_hash();
    let limits = Limits { search_moves: vec![back], ..playouts(500) };
    let with = |history: &[u64]| {
        Mcts::new(Options::default()).search(&position, history, &limits, &Stop::new(), &mut |_| {})
    };
    let repeated = with(&[known, known]);
    assert_eq!((repeated.score(), repeated.lines[0].proven), (Score::DRAW, true));
    assert!(!with(&[]).lines[0].proven && !with(&[known]).lines[0].proven);
}

#[test]
fn a_policy_is_heard() {
    // The evaluation alone, without any playout: enough to see that a Tower hangs.
    let position = QUEST.parse_position("3k3/7/r6/7/7/7/R2K3 w - - 0 1").unwrap();
    let policy = EvaluationPolicy::new(HandcraftedEvaluation::derived(QUEST.rules()), Some(100.0));
    let moves = list_moves(&position);
    let mut priors = vec![Prior::uniform(moves.len()); moves.len()];
    policy.priors(&position, &moves, &mut priors, &mut Allowance::unlimited());
    assert!((priors.iter().map(|prior| prior.probability).sum::<f32>() - 1.0).abs() < 1e-4);
    let probability = |&n: &usize| priors[n].probability;
    let best = (0..moves.len()).max_by(|a, b| probability(a).total_cmp(&probability(b))).unwrap();
    assert!(priors.iter().all(|other| other.share <= priors[best].share));
    assert_eq!(position.move_text(moves[best]), "a1a5");
    let options = Options { expand_at: 0, playout_plies: 0, ..Options::default() };
    let report = search(&mut Mcts::with_policy(options, policy), &position, &playouts(300));
    assert_eq!(report.best.map(|mv| position.move_text(mv)).as_deref(), Some("a1a5"));
    assert!(report.score() > Score::centipawns(200), "{:?}", report.lines[0]);
}

/// Says of every position that the side to move has lost: in four plies where distances are asked for, if
/// they are told at all.
struct Pessimist {
    distances: bool,
}

impl<P: Position> Probe<P> for Pessimist {
    fn probe_wdl(&self, _: &P) -> Option<Outcome> {
        Some(Outcome::Loss)
    }

    fn probe(&self, _: &P) -> Option<Value> {
        self.distances.then_some(Value::Loss(4))
    }
}

#[test]
fn what_tables_know_is_proven_with_its_distance() {
    let mut mcts = Mcts::with_tables(Options::default(), UniformPolicy, Pessimist { distances: true });
    let report = search(&mut mcts, &AMBUSH.start(), &playouts(1000));
    assert_eq!((report.score(), report.lines[0].proven), (Score::win_in(5), true));
    assert_eq!(report.lines[0].tb_hits, list_moves(&AMBUSH.start()).len() as u64);
    // Nothing is left to find out.
    assert_eq!(report.nodes, 0);
    assert_eq!(report.lines[0].pv.len(), 1);
}

#[test]
fn a_win_that_tables_know_without_its_distance_is_a_win() {
    let mut mcts = Mcts::with_tables(Options::default(), UniformPolicy, Pessimist { distances: false });
    let report = search(&mut mcts, &AMBUSH.start(), &playouts(1000));
    // The score is not the exact value of the game, and the winner is known all the same.
    assert_eq!((report.score(), report.nodes), (Score::centipawns(Score::MAX_CENTIPAWNS), 0));
    assert_eq!((report.lines[0].proven, report.lines[0].expectation), (false, Some(1.0)));
}

/// Says of every position with this side to move that it has lost.
struct Loses(Side);

impl<P: Position> Probe<P> for Loses {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        (position.side_to_move() == self.0).then_some(Outcome::Loss)
    }

    fn probe(&self, _: &P) -> Option<Value> {
        None
    }
}

#[test]
fn playouts_end_where_tables_know_the_result() {
    // The tree stays at the moves of the root, after which the other side is to move: a playout has one ply.
    let options = Options { expand_at: 1000, ..Options::default() };
    let mut mcts = Mcts::with_tables(options, UniformPolicy, Loses(AMBUSH.start().side_to_move()));
    let report = search(&mut mcts, &AMBUSH.start(), &playouts(200));
    assert!(!report.lines[0].proven);
    assert_eq!(report.lines[0].expectation, Some(0.0));
    assert_eq!((report.nodes, report.lines[0].tb_hits), (600, 200));
}

/// Knows everything that is decided within two plies, and counts how often it is asked for a distance.
#[derive(Default)]
struct Near {
    distances: AtomicU64,
}

impl<P: Position> Probe<P> for &Near {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        forced(position, 2).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.distances.fetch_add(1, Relaxed);
        forced(position, 2)
    }
}

#[test]
fn distances_are_asked_for_at_the_root_only() {
    let near = Near::default();
    let mut mcts = Mcts::with_tables(Options::default(), UniformPolicy, &near);
    let (mut later, mut exact) = (0, 0);
    for root in late_positions(&*AMBUSH, 120, 4) {
        let most = list_moves(&root).len() as u64;
        near.distances.store(0, Relaxed);
        mcts.new_game();
        let report = search(&mut mcts, &root, &playouts(2000));
        // After each move, and of the root itself.
        assert!(near.distances.load(Relaxed) <= most + 1, "{root:?}");
        let line = &report.lines[0];
        match forced(&root, 3).filter(|value| value.outcome() == Outcome::Win) {
            Some(value) => {
                assert_eq!((line.score, line.proven), (Score::from(value), true), "{root:?}");
                exact += 1;
            }
            // A win from afar has no distance until the game is near its end; then it has, in the same tree.
            None if line.score == Score::centipawns(Score::MAX_CENTIPAWNS) => {
                assert_eq!((line.proven, line.expectation), (false, Some(1.0)));
                let mut position = root;
                while position.outcome().is_none() {
                    let report = search(&mut mcts, &position, &playouts(2000));
                    if let Some(value) = forced(&position, 3).filter(|v| v.outcome() != Outcome::Draw) {
                        assert_eq!(report.score(), Score::from(value), "{position:?}");
                        later += 1;
                    }
                    position.play(report.best.unwrap());
                }
            }
            None => {}
        }
    }
    assert!(exact > 10 && later > 0, "{exact}, {later}");
}

#[test]
fn what_wins_at_once_needs_no_search() {
    // Where the town stays it is taken by one cani, and where it can go by the other.
    let lost = WorldTreeGame::standard().parse_position("T7/8/8/8/2k5/8/7C/5C1t b m - 0").unwrap();
    let report = search(&mut Mcts::new(Options::default()), &lost, &playouts(20_000));
    assert!(report.score().is_loss() && report.lines[0].proven, "{:?}", report.lines[0]);
    assert!(report.nodes < 200, "{} nodes", report.nodes);
}
