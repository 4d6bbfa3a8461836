//! Searchers of games of chance against plain expectimax.

use jewel_engine::ability::Game;
use jewel_engine::chance::Chance;
use jewel_engine::kings_mate::{Active, KingsMate, KingsMateGame, Move, kind};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;
use jewel_engine::zobrist::MAX_TYPES;
use jewel_search::alphabeta::{AlphaBeta, Features, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::{Evaluate, KingsMateEvaluation};
use jewel_search::limits::Limits;
use jewel_search::mcts;
use jewel_search::mcts::dice::DiceMcts;
use jewel_search::mcts::policy::UniformPolicy;
use jewel_search::score::Score;
use jewel_search::searcher::Searcher;

type Dice = KingsMate<Active>;

/// Material, and a little that differs from position to position.
#[derive(Clone)]
struct Material(PieceValues);

impl Material {
    fn new() -> Material {
        let mut values = [0; MAX_TYPES];
        values[..kind::COUNT].copy_from_slice(&[10_000, 900, 500, 300, 300, 100]);
        Material(values)
    }
}

impl Evaluate<Dice> for Material {
    type State = ();

    fn begin(&self, _: &Dice) {}

    fn advance(&self, _: &Dice, _: Move, (): &()) {}

    fn evaluate(&self, position: &Dice, (): &()) -> i32 {
        let worth = |side: Side| -> i32 {
            let of = |n: usize| position.pieces(side, n as u8).count() as i32 * self.0[n];
            (1..kind::COUNT).map(of).sum()
        };
        let mover = position.side_to_move();
        worth(mover) - worth(!mover) + (position.zobrist_hash() % 31) as i32
    }

    fn exchange_values(&self) -> &PieceValues {
        &self.0
    }
}

/// The value of a position by looking at every move and every roll to a fixed depth.
fn expectimax(position: &Dice, evaluation: &Material, path: &mut Vec<u64>, depth: u32) -> i32 {
    if let Some(outcome) = position.outcome() {
        return Score::from(outcome).raw();
    }
    if path.contains(&position.zobrist_hash()) {
        return 0;
    }
    if depth == 0 {
        return evaluation.evaluate(position, &());
    }
    path.push(position.zobrist_hash());
    let below = |mv| {
        let odds = position.odds(mv);
        let mut value = |outcome| {
            let next = position.after_roll(mv, outcome);
            let score = Score::from_raw(expectimax(&next, evaluation, path, depth - 1));
            let score = if next.side_to_move() == position.side_to_move() {
                (-score).before_opponents_turn()
            } else {
                score.before_opponents_turn()
            };
            score.raw()
        };
        if odds.is_certain() {
            return value(0);
        }
        // A decided outcome counts as 20 pawns.
        let sum: i64 = (0..odds.count())
            .map(|n| i64::from(odds.weight(n)) * i64::from(value(n)).clamp(-2000, 2000))
            .sum();
        sum.div_euclid(i64::from(odds.total())) as i32
    };
    let best = list_moves(position).into_iter().map(below).max().unwrap();
    path.pop();
    best
}

/// Positions of random games, in the middle of turns too.
fn positions(count: usize, seed: u64) -> Vec<Dice> {
    let mut random = Random::new(seed);
    let mut list = Vec::new();
    while list.len() < count {
        let mut position = KingsMateGame::<Active>::new().start();
        for _ in 0..random.below(150) {
            let moves = list_moves(&position);
            if position.outcome().is_some() || moves.is_empty() {
                break;
            }
            // Attacks for preference: they are what this is about.
            let attacks: Vec<Move> =
                moves.iter().copied().filter(|&mv| !position.odds(mv).is_certain()).collect();
            let choice = if attacks.is_empty() || random.below(2) == 0 { &moves } else { &attacks };
            let mv = choice[random.below(choice.len() as u32) as usize];
            position.play_rolled(mv, &mut random);
        }
        if position.outcome().is_none() {
            list.push(position);
        }
    }
    list
}

#[test]
fn alpha_beta_is_expectimax() {
    let evaluation = Material::new();
    let orders = Features {
        tt_move: true,
        killers: true,
        butterfly_history: true,
        aspiration: true,
        ..Features::NONE
    };
    let mut rolled = 0;
    for position in positions(12, 3) {
        for depth in 1..=2 {
            let expected = expectimax(&position, &evaluation, &mut Vec::new(), depth);
            for features in [Features::NONE, orders] {
                let options = Options { hash: 1, features, ..Options::default() };
                let mut searcher = AlphaBeta::new(evaluation.clone(), options).unwrap();
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| ());
                assert_eq!(report.score().raw(), expected, "{position:?} depth {depth} {features:?}");
                rolled += u32::from(report.best.is_some_and(|mv| !position.odds(mv).is_certain()));
            }
        }
    }
    assert!(rolled > 5, "{rolled} of the best moves were rolled for");
}

#[test]
fn the_tree_takes_the_attack_that_is_worth_it() {
    // The keeper on a1 can attack the defenceless king on a9 for five chances in twelve of winning at once; the
    // black keeper on g1 is about to take White's last fool. Nothing else wins.
    let game = KingsMateGame::<Active>::new();
    let position = game.parse_position("m6/7/7/7/7/7/7/7/K2M3 w - - 0 1").unwrap();
    let options = mcts::Options { tree_mb: 8, ..mcts::Options::default() };
    let mut searcher = DiceMcts::with_policy(options, UniformPolicy);
    let limits = Limits { playouts: Some(4000), ..Limits::default() };
    let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| ());
    let best = report.best.unwrap();
    assert!(!position.odds(best).is_certain(), "{report:?}");
    let share = report.lines[0].expectation.unwrap();
    assert!(share > 0.7, "{share}: an attack that may be tried again and again");
    assert!(!report.lines[0].proven);
    // The line ends where the dice decide.
    assert_eq!(report.lines[0].pv.len(), 1);
}

#[test]
fn attacks_that_miss_do_not_swell_quiescence() {
    // Either side has several pieces to attack with, one after the other while they miss.
    let game = KingsMateGame::<Active>::new();
    let text = "4s2/1kem1s1/k6/3f2p/6f/3F2f/1fK2F1/1f1S2F/FPS1MK1 b - - 239 238";
    let position = game.parse_position(text).unwrap();
    let options = Options { hash: 1, ..Options::default() };
    let mut searcher = AlphaBeta::new(KingsMateEvaluation::default(), options).unwrap();
    let limits = Limits { depth: Some(2), nodes: Some(20_000), ..Limits::default() };
    let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| ());
    assert_eq!(report.depth, 2, "{} nodes", report.nodes);
}
