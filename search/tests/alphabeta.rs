//! The alpha-beta searcher against plain minimax, against exhaustive search, and against its own promises.

use jewel_engine::ability::{Game, Notation, Packed, Probe, Symmetric};
use jewel_engine::chesslike::{ChessGame, General, Leapers};
use jewel_engine::games::{self, GAMES};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_engine::value::{Outcome, Value};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_engine::zobrist::splitmix64;
use jewel_search::alphabeta::{AlphaBeta, Features, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::{Evaluate, HandcraftedEvaluation};
use jewel_search::exhaustive::forced;
use jewel_search::limits::Limits;
use jewel_search::report::{Bound, Report};
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

/// The moves that the game leaves out under a threat: the opponent has won after them, or wins by its next move.
fn left_out<P: Pieces>(position: &P) -> Vec<P::Move> {
    let mut moves = list_moves(position);
    if position.threatened() {
        let mut answer = |mv| -> ControlFlow<()> {
            moves.retain(|other| *other != mv);
            ControlFlow::Continue(())
        };
        let _ = position.noisy_moves(&mut answer);
        let _ = position.quiet_moves(&mut answer);
    } else {
        moves.clear();
    }
    moves
}

/// The value of a position by minimax over every move to a fixed depth. What repeats a position of the path
/// is a draw, and a move that answers no threat loses by the opponent's next one, below that depth, too.
fn minimax<P: Pieces>(
    position: &P,
    evaluation: &HandcraftedEvaluation,
    path: &mut Vec<u64>,
    depth: u32,
) -> Score {
    if let Some(outcome) = position.outcome() {
        return outcome.into();
    }
    if path.contains(&position.zobrist_hash()) {
        return Score::DRAW;
    }
    if depth == 0 {
        return Score::centipawns(evaluation.evaluate_afresh(position));
    }
    path.push(position.zobrist_hash());
    // At the root every move is searched.
    let hopeless = if path.len() > 1 { left_out(position) } else { Vec::new() };
    let below = |mv| {
        let next = position.after(mv);
        if hopeless.contains(&mv) && next.outcome().is_none() {
            return Score::loss_in(2);
        }
        minimax(&next, evaluation, path, depth - 1).before_opponents_turn()
    };
    let best = list_moves(position).into_iter().map(below).max();
    path.pop();
    best.unwrap()
}

/// Random positions of a game that is not over, after fewer than `most_plies` random plies.
fn positions<G: Game>(game: &G, count: usize, most_plies: u64, mut random: u64) -> Vec<G::Position> {
    let mut list = Vec::new();
    while list.len() < count {
        random = splitmix64(random).1;
        let plies = random % most_plies;
        let mut position = game.start();
        for _ in 0..plies {
            let moves = list_moves(&position);
            random = splitmix64(random).1;
            match moves.get((random % moves.len().max(1) as u64) as usize) {
                Some(&mv) => position.play(mv),
                None => break,
            }
        }
        if position.outcome().is_none() {
            list.push(position);
        }
    }
    list
}

fn options(features: Features) -> Options {
    Options { hash: 1, features, ..Options::default() }
}

fn to_depth<M>(depth: u32) -> Limits<M> {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search<P: Pieces>(
    searcher: &mut AlphaBeta<P, HandcraftedEvaluation>,
    root: &P,
    limits: &Limits<P::Move>,
) -> Report<P::Move> {
    searcher.search(root, &[], limits, &Stop::new(), &mut |_| ())
}

/// Plain alpha-beta search, alone and with every feature that must not change a value, is minimax.
struct LikeMinimax;

impl LikeMinimax {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let orders = Features {
            tt_move: true,
            killers: true,
            counter_moves: true,
            butterfly_history: true,
            continuation_history: true,
            capture_history: true,
            aspiration: true,
            distance_pruning: true,
            ..Features::NONE
        };
        for position in positions(&game, 12, 60, 5) {
            for depth in 1..=3 {
                let expected = minimax(&position, &evaluation, &mut Vec::new(), depth);
                for features in [Features::NONE, orders] {
                    let mut searcher = AlphaBeta::new(evaluation.clone(), options(features)).unwrap();
                    let report = search(&mut searcher, &position, &to_depth(depth));
                    assert_eq!(report.score(), expected, "{position:?} depth {depth} {features:?}");
                }
            }
        }
    }
}

#[test]
fn without_features_search_is_minimax() {
    for game in &GAMES {
        with_leanest_game!(game.rules(), game => LikeMinimax.visit(game));
    }
}

/// Variants that between them say everything a file can say.
fn variants() -> Vec<Rules> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/data/variants");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let list: Vec<Rules> =
        files.map(|path| Rules::parse(&std::fs::read_to_string(path).unwrap()).unwrap()).collect();
    assert!(list.len() >= 11);
    list
}

#[test]
fn other_variants_are_searched_like_minimax_too() {
    for rules in variants() {
        with_leanest_game!(&rules, game => LikeMinimax.visit(game));
    }
}

/// Forced results within three plies are found in any variant.
#[test]
fn forced_results_are_found_in_other_variants() {
    let decided: usize = variants()
        .iter()
        .map(|rules| with_leanest_game!(rules, game => (FindsForced { plies: 3, count: 20, most_plies: 100 }).visit(game)))
        .sum();
    assert!(decided >= 20, "only {decided} positions are decided");
}

/// Feature sets to try: all, none, and all but each.
fn feature_sets() -> Vec<Features> {
    let mut sets = vec![Features::ALL];
    for name in Features::NAMES {
        let mut features = Features::ALL;
        *features.switch(name).unwrap() = false;
        sets.push(features);
    }
    sets
}

/// Forced results that exhaustive search finds are found, under every set of features.
struct FindsForced {
    plies: u32,
    count: usize,
    most_plies: u64,
}

impl FindsForced {
    /// How many positions were decided.
    fn visit<G>(self, game: G) -> usize
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let mut sets: Vec<_> = feature_sets()
            .into_iter()
            .map(|features| (features, AlphaBeta::new(evaluation.clone(), options(features)).unwrap()))
            .collect();
        let mut decided = 0;
        for position in positions(&game, self.count, self.most_plies, 11) {
            let Some(value) = forced(&position, self.plies).filter(|v| v.outcome() != Outcome::Draw) else {
                continue;
            };
            decided += 1;
            for (features, searcher) in &mut sets {
                // Selective search may need more depth than the distance, but not much more.
                let mut reports = [10, 13, 16].into_iter().map(|depth| {
                    let report = search(searcher, &position, &to_depth(depth));
                    assert!(!report.score().is_decided() || report.lines[0].proven);
                    report.score()
                });
                let found = reports.any(|score| score == value.into());
                assert!(found, "{} {position:?} {value} {features:?}", game.id());
            }
        }
        decided
    }
}

#[test]
fn forced_results_are_found_under_every_set_of_features() {
    for (id, plies, count, most_plies, least) in [
        ("duel", 7, 60, 100, 20),
        ("ambush", 3, 60, 100, 10),
        ("diamond-qi", 3, 200, 100, 3),
        ("diamond-quest", 3, 200, 100, 3),
        ("diamond-chess", 3, 200, 100, 3),
        ("crystal-of-doom", 3, 1500, 200, 3),
        ("star-lords", 3, 600, 200, 3),
    ] {
        let rules = games::find(id).unwrap().rules();
        let decided =
            with_leanest_game!(rules, game => (FindsForced { plies, count, most_plies }).visit(game));
        println!("{id}: {decided} of {count} positions are decided");
        assert!(decided >= least, "{id}: only {decided} positions are decided");
    }
}

type Duel<'r> = ChessGame<'r, Leapers, 4>;

fn leapers(id: &str) -> Duel<'static> {
    ChessGame::new(games::find(id).unwrap().rules()).unwrap()
}

fn searcher_of<G: Game>(game: &G) -> AlphaBeta<G::Position, HandcraftedEvaluation>
where
    G::Position: Pieces,
{
    AlphaBeta::new(HandcraftedEvaluation::derived(game.start().rules()), options(Features::ALL)).unwrap()
}

/// Many pieces that can capture one another: quiescence search from here has no end that anybody would see.
#[test]
fn quiescence_ends_where_captures_abound() {
    let game = ChessGame::<General, 32>::new(games::find("diamond-chess").unwrap().rules()).unwrap();
    let root = game.parse_position("rrrkrrr/rrrrrrr/7/7/7/RRRRRRR/RRRKRRR w - - 0 1").unwrap();
    let limits = Limits { nodes: Some(400_000), depth: Some(2), ..Limits::default() };
    let report = search(&mut searcher_of(&game), &root, &limits);
    assert!(report.depth == 2 && report.nodes < 400_000, "depth {} in {} nodes", report.depth, report.nodes);
}

/// After Ra6 every move of Black's loses, but a pass would not: null-move pruning must not hide it.
#[test]
fn a_mate_by_zugzwang_is_found() {
    let game = ChessGame::<General, 32>::new(games::find("chess").unwrap().rules()).unwrap();
    let mirrored = "r7/8/8/8/8/1p6/PP6/KBk5 b - - 0 1";
    for fen in ["kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", mirrored] {
        let root = game.parse_position(fen).unwrap();
        let report = search(&mut searcher_of(&game), &root, &to_depth(26));
        assert_eq!(report.score(), Score::win_in(3), "{fen}");
    }
}

#[test]
fn duel_is_a_draw_and_two_first_moves_lose() {
    let game = leapers("duel");
    let root = game.start();
    let mut searcher = searcher_of(&game);
    let report = search(&mut searcher, &root, &to_depth(30));
    assert_eq!(report.score(), Score::DRAW);
    for (text, draws) in [("c1a1", false), ("c1c3", false), ("c1b1", true), ("c1c2", true)] {
        searcher.new_game();
        let limits = Limits { search_moves: vec![root.parse_move(text).unwrap()], ..to_depth(30) };
        let report = search(&mut searcher, &root, &limits);
        assert_eq!(report.best, limits.search_moves.first().copied());
        if draws {
            assert_eq!(report.score(), Score::DRAW, "{text}");
        } else {
            let after = root.after(limits.search_moves[0]);
            let value = (1..12).find_map(|depth| forced(&after, depth)).unwrap();
            assert_eq!(report.score(), Score::from(value).before_opponents_turn(), "{text}");
        }
    }
}

/// Every position of Duel has the value that retrograde reasoning gives it.
#[test]
fn every_position_of_duel_has_its_value() {
    let game = leapers("duel");
    let mut seen = vec![game.start()];
    let mut at = 0;
    while let Some(position) = seen.get(at).copied() {
        at += 1;
        for mv in list_moves(&position) {
            let next = position.after(mv);
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
    }
    // Values by iteration from the decided positions, until nothing changes.
    let place = |p: &_| seen.iter().position(|q| q == p).unwrap();
    let mut values: Vec<Option<Value>> = seen.iter().map(|p| p.outcome().map(Value::from_outcome)).collect();
    loop {
        let before = values.clone();
        for (n, position) in seen.iter().enumerate().filter(|(_, p)| p.outcome().is_none()) {
            let below: Vec<Option<Value>> = list_moves(position)
                .into_iter()
                .map(|mv| before[place(&position.after(mv))].map(Value::before_opponents_turn))
                .collect();
            let best = below.iter().flatten().max().copied();
            let sure = best.filter(|v| v.outcome() == Outcome::Win || below.iter().all(Option::is_some));
            values[n] = sure;
        }
        if values == before {
            break;
        }
    }
    let mut searcher = searcher_of(&game);
    for (position, value) in seen.iter().zip(values).filter(|(p, _)| p.outcome().is_none()) {
        searcher.new_game();
        let report = search(&mut searcher, position, &to_depth(24));
        assert_eq!(report.score(), value.unwrap_or(Value::Draw).into(), "{position:?}");
    }
}

#[test]
fn node_counts_are_reproducible_and_limits_exact() {
    for id in ["ambush", "diamond-chess", "crystal-of-doom"] {
        let game = ChessGame::<General, 32>::new(games::find(id).unwrap().rules()).unwrap();
        let root = game.start();
        let mut searcher = searcher_of(&game);
        let mut count = || {
            searcher.new_game();
            let report = search(&mut searcher, &root, &to_depth(8));
            (report.nodes, report.score(), report.best)
        };
        let first = count();
        assert_eq!(first, count(), "{id}");
        for nodes in [1, 2, 100, 5_000] {
            searcher.new_game();
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let report = search(&mut searcher, &root, &limits);
            assert_eq!(report.nodes, nodes);
            assert!(report.best.is_some_and(|mv| list_moves(&root).contains(&mv)));
        }
    }
}

#[test]
fn several_lines_are_distinct_and_in_order() {
    let game = leapers("ambush");
    let root = game.start();
    let moves = list_moves(&root);
    let mut searcher = searcher_of(&game);
    let limits = Limits { multipv: 4, ..to_depth(8) };
    let mut told = Vec::new();
    let report =
        searcher.search(&root, &[], &limits, &Stop::new(), &mut |info| told.push((info.depth, info.multipv)));
    assert_eq!(report.lines.len(), 4);
    for (n, pair) in report.lines.windows(2).enumerate() {
        assert!(pair[0].score >= pair[1].score, "line {n}");
        assert!(report.lines[..=n].iter().all(|line| line.pv[0] != pair[1].pv[0]));
    }
    // The best line is the best move of a search for one line.
    assert_eq!(told.iter().filter(|t| t.0 == 8).count(), 4);
    // More lines than moves are as many as there are; restricted moves restrict the lines.
    let limits = Limits { multipv: 500, ..to_depth(3) };
    assert_eq!(search(&mut searcher, &root, &limits).lines.len(), moves.len());
    let limits = Limits { multipv: 3, search_moves: moves[1..3].to_vec(), ..to_depth(5) };
    let report = search(&mut searcher, &root, &limits);
    let mut found: Vec<_> = report.lines.iter().map(|line| line.pv[0]).collect();
    found.sort();
    let mut allowed = moves[1..3].to_vec();
    allowed.sort();
    assert_eq!(found, allowed);
}

/// Plays searches at random positions and checks what they tell.
struct Reports;

impl Reports {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let options = Options { threads: 2, ..options(Features::ALL) };
        let mut searcher = AlphaBeta::new(evaluation, options).unwrap();
        for root in positions(&game, 12, 60, 3) {
            let mut bounds = Vec::new();
            let report = searcher.search(&root, &[], &to_depth(7), &Stop::new(), &mut |info| {
                let mut position = root.clone();
                for &mv in &info.pv {
                    assert!(list_moves(&position).contains(&mv), "{root:?}: {:?}", info.pv);
                    position.play(mv);
                }
                assert!(info.depth >= 1 && info.nodes > 0);
                bounds.push(info.bound);
                if info.proven && info.pv.len() as u32 == info.score.distance().unwrap() {
                    assert!(position.outcome().is_some());
                }
            });
            // The last line may be that of the other thread, which was stopped where its best move failed low.
            let last = bounds.pop();
            assert!(last == Some(Bound::Exact) || last == Some(Bound::Upper));
            assert!(bounds.iter().all(|bound| *bound == Bound::Exact));
            assert_eq!(report.best, report.lines[0].pv.first().copied());
            assert!(report.best.is_some());
        }
    }
}

#[test]
fn lines_can_be_played_with_two_threads_too() {
    for game in &GAMES {
        with_leanest_game!(game.rules(), game => Reports.visit(game));
    }
}

#[test]
fn positions_of_the_game_are_draws_when_they_come_for_the_third_time() {
    let game = leapers("duel");
    let root = game.start();
    let mut searcher = searcher_of(&game);
    let mv = root.parse_move("c1b1").unwrap();
    let limits = Limits { search_moves: vec![mv], ..to_depth(1) };
    let fresh = search(&mut searcher, &root, &limits);
    assert_ne!(fresh.score(), Score::DRAW);
    // The position after the move has been there already, three plies before the root, and seven.
    let known = root.after(mv).zobrist_hash();
    let mut with = |history: &[u64]| {
        searcher.new_game();
        searcher.search(&root, history, &limits, &Stop::new(), &mut |_| ()).score()
    };
    assert_eq!(with(&[known, 1, 2]), fresh.score());
    assert_eq!(with(&[known, 1, 2, 3, known, 4, 5]), Score::DRAW);
}

#[test]
fn a_search_ends_when_it_is_told() {
    let game = leapers("ambush");
    let root = game.start();
    let mut searcher = searcher_of(&game);
    let stop = Stop::new();
    stop.stop();
    let infinite = Limits { infinite: true, ..Limits::default() };
    assert!(searcher.search(&root, &[], &infinite, &stop, &mut |_| ()).best.is_some());
    // From another thread, and from the observer.
    let stop = Stop::new();
    let handle = stop.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            handle.stop();
        });
        assert!(searcher.search(&root, &[], &infinite, &stop, &mut |_| ()).best.is_some());
    });
    let stop = Stop::new();
    let report = searcher.search(&root, &[], &infinite, &stop, &mut |info| {
        if info.depth == 5 {
            stop.stop();
        }
    });
    assert_eq!(report.depth, 5);
    // A search in the opponent's time waits for the hit, then its time is up at once.
    let stop = Stop::new();
    let limits = Limits { ponder: true, movetime: Some(Duration::ZERO), ..Limits::default() };
    let report = searcher.search(&root, &[], &limits, &stop, &mut |info| {
        if info.depth == 4 {
            stop.ponder_hit();
        }
    });
    assert!(report.depth >= 4);
    let limits = Limits { movetime: Some(Duration::ZERO), ..Limits::default() };
    assert!(search(&mut searcher, &root, &limits).best.is_some());
}

#[test]
fn a_search_that_has_just_changed_its_mind_expects_an_answer() {
    let rules = games::find("ambush").unwrap().rules();
    let game = ChessGame::<General, 32>::from_any(rules);
    let root = game.start();
    let mut short = 0;
    for nodes in (1_000..12_000).step_by(100) {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let report = search(&mut searcher_of(&game), &root, &limits);
        let answer = report.ponder.unwrap_or_else(|| panic!("{nodes} nodes: no answer"));
        let next = root.after(report.best.unwrap());
        assert!(next.is_legal(answer), "{nodes} nodes");
        short += usize::from(report.lines[0].pv.len() == 1);
    }
    assert!(short > 0, "no search ended when it had just changed its mind");
}

#[test]
fn where_the_game_is_over_there_is_no_move() {
    let game = leapers("duel");
    let over = game.parse_position("2l/1L1/3 w - - 0 1").unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Win));
    let mut searcher = searcher_of(&game);
    assert_eq!(search(&mut searcher, &over, &to_depth(5)).best, None);
    let foreign = list_moves(&game.parse_position("l2/3/L2 w - - 0 1").unwrap());
    let own = list_moves(&game.start());
    let other = foreign.into_iter().filter(|mv| !own.contains(mv)).collect();
    let limits = Limits { search_moves: other, ..to_depth(5) };
    assert_eq!(search(&mut searcher, &game.start(), &limits).best, None);
}

/// Knows everything that is decided within two plies.
struct Near {
    distances: bool,
}

impl<P: Tactics> Probe<P> for Near {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        forced(position, 2).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        forced(position, 2).filter(|_| self.distances)
    }
}

/// Knows what is lost within two plies, no distance, and what it was asked: a position by its key, and whether for
/// the distance.
#[derive(Default)]
struct Listener {
    asked: Mutex<Vec<(u64, bool)>>,
}

impl<P: Tactics> Probe<P> for &Listener {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.asked.lock().unwrap().push((position.zobrist_hash(), false));
        forced(position, 2).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.asked.lock().unwrap().push((position.zobrist_hash(), true));
        None
    }
}

#[test]
fn tables_are_not_asked_twice_for_the_same() {
    let game = leapers("ambush");
    let (listener, mut near_the_root) = (Listener::default(), HashSet::new());
    let evaluation = HandcraftedEvaluation::derived(game.rules());
    let mut searcher = AlphaBeta::with_tables(evaluation, &listener, options(Features::NONE)).unwrap();
    for root in positions(&game, 40, 30, 9) {
        searcher.new_game();
        near_the_root.extend(list_moves(&root).into_iter().map(|mv| root.after(mv).zobrist_hash()));
        searcher.search(&root, &[], &to_depth(3), &Stop::new(), &mut |_| ());
    }
    let asked = listener.asked.into_inner().unwrap();
    let unsettled = asked.windows(2).filter(|pair| pair[0] == (pair[1].0, false) && pair[1].1).count();
    assert!(unsettled > 10, "{unsettled} positions whose outcome settled nothing");
    // After the moves of the root it is the other way round: the distance, and if there is none the outcome.
    let again = asked.windows(3).filter(|three| {
        let twice = three[0] == (three[1].0, false) && three[1].1 && three[2] == three[0];
        twice && !near_the_root.contains(&three[0].0)
    });
    assert_eq!(again.count(), 0);
}

#[test]
fn tables_are_believed() {
    let game = leapers("ambush");
    let mut used = 0;
    for distances in [true, false] {
        let evaluation = HandcraftedEvaluation::derived(game.rules());
        let mut searcher =
            AlphaBeta::with_tables(evaluation, Near { distances }, options(Features::NONE)).unwrap();
        for root in positions(&game, 40, 100, 9) {
            let Some(value) = forced(&root, 3).filter(|v| v.outcome() != Outcome::Draw) else { continue };
            searcher.new_game();
            // One ply sees what tables say after it, without a search beyond.
            let report = searcher.search(&root, &[], &to_depth(1), &Stop::new(), &mut |_| ());
            if distances {
                assert_eq!(report.score(), value.into(), "{root:?}");
            } else {
                assert_eq!(report.score() > Score::DRAW, value.outcome() == Outcome::Win, "{root:?}");
            }
            used += report.lines[0].tb_hits;
        }
    }
    assert!(used > 0);
}

/// What a search says last is what it answers: the best move first, and as many different moves as lines.
#[test]
fn the_last_lines_told_are_those_of_the_answer() {
    let rules = games::find("diamond-chess").unwrap().rules();
    let game = ChessGame::<General, 32>::new(rules).unwrap();
    let mut changed = 0;
    for (n, root) in positions(&game, 40, 30, 5).into_iter().enumerate() {
        for multipv in [1, 3] {
            let options = Options { hash: 1, ..Options::default() };
            let mut searcher = AlphaBeta::new(HandcraftedEvaluation::derived(rules), options).unwrap();
            let limits = Limits { multipv, nodes: Some(1500 + 77 * n as u64), ..Limits::default() };
            let mut told: Vec<(u32, u32, Option<_>)> = Vec::new();
            let report = searcher.search(&root, &[], &limits, &Stop::new(), &mut |info| {
                told.push((info.multipv, info.depth, info.pv.first().copied()));
            });
            let lines = report.lines.len();
            let last = &told[told.len() - lines..];
            let moves: Vec<_> = report.lines.iter().map(|line| line.pv.first().copied()).collect();
            assert!(last.iter().map(|line| line.0).eq(1..=lines as u32), "{last:?}");
            assert!(last.iter().map(|line| line.2).eq(moves.iter().copied()), "{last:?} {moves:?}");
            assert_eq!(moves.iter().collect::<HashSet<_>>().len(), lines);
            assert_eq!(report.best, moves[0]);
            // Lines are told in order, all of an iteration before the next.
            assert!(
                told.chunks(lines).all(|part| part.iter().map(|line| line.0).eq(1..=lines as u32)),
                "{told:?}"
            );
            changed += usize::from(told.len() > lines && told[told.len() - 2 * lines].2 != last[0].2);
        }
    }
    assert!(changed > 0, "no search ended with a new best move");
}

/// Whether a search of this depth finds a win in exactly `plies` plies, in losing chess with knights and with men that
/// move like kings.
fn finds_win_in(plies: u32, board: &str, depth: u32, features: Features) -> bool {
    let text = format!(
        "id = \"test\"\nname = \"Test\"\nmust-capture = true\n[board]\nsize = \"5x5\"\nstart = \"{board} w - - 0 1\"\n\
         [[piece]]\nletter = \"M\"\nmoves = \"K\"\n[[piece]]\nletter = \"N\"\nmoves = \"N\"\n\
         [end]\nbare = \"none\"\nextinction = {{ pieces = \"*\", result = \"win\" }}\n"
    );
    let rules = Rules::parse(&text).unwrap();
    let game = ChessGame::<General, 32>::new(&rules).unwrap();
    let mut searcher = AlphaBeta::new(HandcraftedEvaluation::derived(&rules), options(features)).unwrap();
    search(&mut searcher, &game.start(), &to_depth(depth)).score() == Score::win_in(plies)
}

#[test]
fn the_only_capture_of_a_side_that_has_to_capture_takes_no_depth() {
    // White offers both pieces one after the other, and the knight can take nothing else.
    let board = "5/5/2n1M/5/M4";
    let [plain, forced] =
        [false, true].map(|forced_extension| Features { forced_extension, ..Features::NONE });
    assert_eq!([2, 3, 4].map(|depth| finds_win_in(4, board, depth, plain)), [false, false, true]);
    assert_eq!([1, 2, 3].map(|depth| finds_win_in(4, board, depth, forced)), [false, false, true]);
}

#[test]
fn quiescence_makes_the_only_capture_of_a_side_that_has_to_capture() {
    let [plain, forced] = [false, true].map(|forced_extension| Features {
        forced_extension,
        quiescence: true,
        ..Features::NONE
    });
    let last = "5/5/2n2/5/M4";
    assert_eq!([plain, forced].map(|features| finds_win_in(2, last, 1, features)), [false, true]);
    // With two captures there is a choice, and the evaluation stands.
    let choice = "5/3M1/n4/5/M4";
    assert!(![plain, forced].iter().any(|&features| finds_win_in(2, choice, 1, features)));
}
