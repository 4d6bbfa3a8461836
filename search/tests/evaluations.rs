//! The evaluations of King's Mate and Crystal Draughts: the same through every symmetry, and good enough to
//! beat players without any.

use jewel_engine::ability::{Game, Symmetric};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{Basic, Expanded, KingsMateGame, RuleSet};
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Verdict};
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::{CrystalEvaluation, Evaluate, KingsMateEvaluation};
use jewel_search::limits::Limits;
use jewel_search::searcher::Searcher;

fn looks_alike<P: Symmetric, E: Evaluate<P>>(evaluation: &E, start: &P) {
    let mut random = Random::new(3);
    for _ in 0..10 {
        let mut position = start.clone();
        for _ in 0..120 {
            let worth = evaluation.evaluate_afresh(&position);
            for (symmetry, exchange) in position.symmetries() {
                let image = position.transformed(symmetry, exchange).unwrap();
                assert_eq!(evaluation.evaluate_afresh(&image), worth, "{position:?} {symmetry:?}");
            }
            let Some(mv) = random_move(&position, &mut random) else { break };
            position.play(mv);
        }
    }
}

#[test]
fn a_position_is_worth_the_same_through_every_symmetry() {
    looks_alike(&KingsMateEvaluation::default(), &KingsMateGame::<Basic>::new().start());
    looks_alike(&KingsMateEvaluation::default(), &KingsMateGame::<Expanded>::new().start());
    for parameters in ["", "tiers=3,molecules=2", "tokens=5"] {
        let game = CrystalGame::with_parameters(parameters).unwrap();
        looks_alike(&CrystalEvaluation::new(game.lattice()), &game.start());
    }
}

/// Points of a searcher of few nodes against another player, each side in turn, out of `games`.
fn points<G: Game, E: Evaluate<G::Position>>(
    game: &G,
    evaluation: &E,
    games: usize,
    nodes: u64,
    longest: u32,
    mut other: impl FnMut(&G::Position, &mut Random) -> <G::Position as Position>::Move,
) -> f64
where
    G::Position: Tactics,
{
    let mut points = 0.0;
    for number in 0..games {
        let mut random = Random::new(number as u64);
        let options = Options { hash: 1, ..Options::default() };
        let mut searcher = AlphaBeta::new(evaluation.clone(), options).unwrap();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let us = if number % 2 == 0 { Side::White } else { Side::Black };
        let (mut position, mut history, mut end) = (game.start(), Vec::new(), None);
        for _ in 0..longest {
            let side = position.side_to_move();
            end = position.outcome().map(|outcome| outcome.absolute(side));
            if end.is_some() || history.iter().filter(|&&key| key == position.zobrist_hash()).count() >= 2 {
                break;
            }
            let mv = if side == us {
                searcher.search(&position, &history, &limits, &Stop::new(), &mut |_| ()).best.unwrap()
            } else {
                other(&position, &mut random)
            };
            history.push(position.zobrist_hash());
            position.play(mv);
        }
        points += match end {
            Some(Verdict::WhiteWins) => f64::from(us == Side::White),
            Some(Verdict::BlackWins) => f64::from(us == Side::Black),
            Some(Verdict::Draw) | None => 0.5,
        };
    }
    points
}

/// The move after which the evaluation is best.
fn greedy<P: Position, E: Evaluate<P>>(evaluation: &E, position: &P) -> P::Move {
    let worth = |mv: &P::Move| {
        let next = position.after(*mv);
        next.outcome()
            .map_or_else(|| evaluation.evaluate_afresh(&next), |outcome| 20_000 * (outcome as i32 - 1))
    };
    list_moves(position).into_iter().min_by_key(worth).unwrap()
}

fn kings_mate<R: RuleSet>() {
    let game = KingsMateGame::<R>::new();
    let random = points(&game, &KingsMateEvaluation::default(), 6, 600, 600, |p, random| {
        random_move(p, random).unwrap()
    });
    println!("{}: {random} of 6 against random moves", R::ID);
    assert!(random >= 5.0, "{}: {random} of 6 against random moves", R::ID);
    let keen =
        points(&game, &KingsMateEvaluation::default(), 6, 600, 1000, |p, random| match p.keen_step(random) {
            Step::Move(mv) => mv,
            Step::Over(outcome) => panic!("over: {outcome}"),
        });
    println!("{}: {keen} of 6 against a taker of what is there", R::ID);
    assert!(keen >= 5.0, "{}: {keen} of 6 against a taker of what is there", R::ID);
}

#[test]
fn search_beats_play_without_search_in_kings_mate() {
    kings_mate::<Basic>();
    kings_mate::<Expanded>();
}

#[test]
fn search_beats_play_without_search_in_crystal_draughts() {
    let game = CrystalGame::with_parameters("tokens=6").unwrap();
    let evaluation = CrystalEvaluation::new(game.lattice());
    let keen = points(&game, &evaluation, 6, 600, 200, |p, random| match p.keen_step(random) {
        Step::Move(mv) => mv,
        Step::Over(outcome) => panic!("over: {outcome}"),
    });
    println!("{keen} of 6 against a runner");
    assert!(keen >= 5.0, "{keen} of 6 against a runner");
    let eager = points(&game, &evaluation, 6, 600, 200, |p, random| {
        if random.below(4) == 0 { random_move(p, random).unwrap() } else { greedy(&evaluation, p) }
    });
    println!("{eager} of 6 against the evaluation without search");
    assert!(eager >= 4.5, "{eager} of 6 against the evaluation without search");
}

/// What a position of King's Mate is worth to the side to move.
fn worth(fen: &str) -> i32 {
    let position = KingsMateGame::<Basic>::new().parse_position(fen).unwrap();
    KingsMateEvaluation::default().evaluate_afresh(&position)
}

#[test]
fn an_advantage_that_wins_nothing_counts_little() {
    // Against a bare king: next to nothing is won without a keeper, but a priestess and both swordmasters win.
    let won = worth("3m3/7/7/7/7/7/7/3SK2/3M3 w - 0 1");
    assert!(8 * worth("3m3/7/7/7/7/7/7/3SE2/3M3 w - 0 1") < 2 * won);
    assert!(worth("3m3/7/7/7/7/7/7/2SES2/3M3 w - 0 1") > won);
    // Against a guarded one a keeper alone does not, two officers may.
    let one = worth("2sm3/7/7/7/7/7/7/3SK2/3M3 w - 0 1");
    assert!(one > 0 && 3 * one < worth("2sm3/7/7/7/7/7/7/3SKP1/3M3 w - 0 1"));
    // A shortage of the other side does not reduce an advantage.
    assert!(worth("3m3/2e4/7/7/7/7/7/3SK2/3M3 w - 0 1") > won / 2);
}

#[test]
fn a_bare_king_is_driven_to_a_corner() {
    let middle = worth("7/7/7/7/3m3/7/7/K6/6M w - 0 1");
    assert!(worth("6m/7/7/7/7/7/7/K6/6M w - 0 1") > middle);
    assert!(worth("7/7/7/7/3m3/5M1/7/K6/7 w - 0 1") > middle);
    // A keeper between cuts the king off from half of the board.
    assert!(worth("6m/7/7/7/7/7/K6/7/6M w - 0 1") < worth("6m/K6/7/7/7/7/7/7/6M w - 0 1"));
}
