//! Small games of hidden information whose answers are known, and the searchers on them.

use super::insight::Rules;
use super::{Cheat, InformationSearcher, Ismcts, Method, Options};
use crate::control::Stop;
use crate::limits::Limits;
use crate::report::Report;
use jewel_engine::hidden::{Hidden, InformationState, check_hidden};
use jewel_engine::playout::Playout;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side};
use std::ops::ControlFlow;

/// The game that is played. In each a coin is hidden, from White in the first two games, and a die from both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Rule {
    /// White takes two chances in five, or guesses which of four sides is up and wins by a right guess. A search that
    /// assumes it will see the coin prefers to guess: strategy fusion (Frank and Basin, 1998).
    Bet,
    /// White takes two chances in five, or asks Black, who knows the coin and wins by calling it.
    Ask,
    /// The same with one chance in five, but White knows the coin and Black does not.
    Dare,
    /// Black takes one chance in five, or hides the coin; then White, who did not see how, calls it and wins by a right
    /// call.
    Hide,
}

const SIDES: u8 = 4;
const FACES: u8 = 10;

/// What White plays, Black in [`Rule::Hide`].
const SURE: u8 = 10;
const RISK: u8 = 11;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Toy {
    rule: Rule,
    coin: u8,
    die: u8,
    moves: [Option<u8>; 3],
}

/// A player's view, with `None` for what the player does not know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ToyView {
    viewer: Side,
    rule: Rule,
    coin: Option<u8>,
    moves: [Option<u8>; 3],
}

/// In place of a move that the viewer did not see.
const UNSEEN: u8 = 99;

impl Toy {
    fn start(rule: Rule, coin: u8, die: u8) -> Toy {
        Toy { rule, coin, die, moves: [None; 3] }
    }

    fn sides(&self) -> u8 {
        if self.rule == Rule::Bet { SIDES } else { 2 }
    }

    /// Black's way of hiding the coin is what the coin shows.
    fn coin(&self) -> u8 {
        match (self.rule, self.moves[0]) {
            (Rule::Hide, Some(side)) => side,
            _ => self.coin,
        }
    }

    fn winner(&self) -> Option<Side> {
        let white_if = |wins| Some(if wins { Side::White } else { Side::Black });
        match (self.rule, self.moves[0], self.moves[1]) {
            (Rule::Bet | Rule::Ask, Some(SURE), _) => white_if(self.die < 4),
            (Rule::Dare, Some(SURE), _) => white_if(self.die < 2),
            (Rule::Bet, _, Some(guess)) => white_if(guess == self.coin),
            (Rule::Ask | Rule::Dare, _, Some(call)) => white_if(call != self.coin),
            (Rule::Hide, Some(SURE), _) => white_if(self.die >= 2),
            (Rule::Hide, _, Some(call)) => white_if(call == self.coin()),
            _ => None,
        }
    }
}

impl Position for Toy {
    type Move = u8;

    fn side_to_move(&self) -> Side {
        match (self.rule, self.moves[0].is_some()) {
            (Rule::Bet, _) | (Rule::Ask | Rule::Dare, false) | (Rule::Hide, true) => Side::White,
            (Rule::Ask | Rule::Dare, true) | (Rule::Hide, false) => Side::Black,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = self.winner()?;
        Some(if winner == self.side_to_move() { Outcome::Win } else { Outcome::Loss })
    }

    fn moves<B>(&self, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.winner().is_some() {
            return ControlFlow::Continue(());
        }
        let moves: Vec<u8> = match (self.rule, self.moves[0]) {
            (Rule::Hide, None) => vec![0, 1, SURE],
            (_, None) => vec![SURE, RISK],
            _ => (0..self.sides()).collect(),
        };
        moves.into_iter().try_for_each(visit)
    }

    fn play(&mut self, mv: u8) {
        assert!(list_moves(self).contains(&mv), "{mv} is not a move in {self:?}");
        let place = self.moves.iter().position(Option::is_none).unwrap();
        self.moves[place] = Some(mv);
    }

    fn zobrist_hash(&self) -> u64 {
        super::insight::hash(self)
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist_hash()
    }

    fn repetition_hash(&self) -> Option<u64> {
        None
    }
}

impl Playout for Toy {}

impl Hidden for Toy {
    type View = ToyView;

    fn view(&self, viewer: Side) -> ToyView {
        let mut moves = self.moves;
        let hides = self.rule == Rule::Hide && viewer == Side::White && self.winner().is_none();
        if hides && let Some(mv) = &mut moves[0] {
            *mv = UNSEEN;
        }
        let knows = (self.rule, viewer) == (Rule::Ask, Side::Black)
            || (self.rule, viewer) == (Rule::Dare, Side::White);
        ToyView { viewer, rule: self.rule, coin: knows.then_some(self.coin), moves }
    }

    fn observation(&self, mv: u8, observer: Side) -> u64 {
        let next = { Toy { moves: self.after(mv).moves, ..*self } };
        super::insight::hash(&next.view(observer).moves)
    }
}

impl InformationState for ToyView {
    type World = Toy;

    fn viewer(&self) -> Side {
        self.viewer
    }

    fn side_to_move(&self) -> Side {
        self.world(&mut Random::new(0)).side_to_move()
    }

    fn moves<B>(&self, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        self.world(&mut Random::new(0)).moves(visit)
    }

    fn world(&self, random: &mut Random) -> Toy {
        let sides = if self.rule == Rule::Bet { SIDES } else { 2 };
        let coin = self.coin.unwrap_or_else(|| random.below(u32::from(sides)) as u8);
        let die = random.below(u32::from(FACES)) as u8;
        let mut moves = self.moves;
        if moves[0] == Some(UNSEEN) {
            moves[0] = Some(random.below(2) as u8);
        }
        Toy { rule: self.rule, coin, die, moves }
    }

    fn log_worlds(&self) -> f64 {
        let coins = if self.coin.is_some() { 1.0 } else { f64::from(SIDES) };
        (coins * f64::from(FACES)).ln()
    }
}

const PLAYOUTS: u64 = 4000;

fn limits() -> Limits<u8> {
    Limits { playouts: Some(PLAYOUTS), multipv: 4, ..Limits::default() }
}

fn options(method: Method) -> Options {
    Options {
        method,
        tree_mb: 8,
        worlds: 64,
        exploration: 0.4,
        expand_at: 0,
        prior_visits: 1.0,
        playout_plies: 10,
        ..Options::default()
    }
}

fn search(toy: &Toy, options: Options) -> Report<u8> {
    let mut searcher = Ismcts::with(options, Rules);
    let searcher: &mut dyn InformationSearcher<Toy> = &mut searcher;
    searcher.search(&toy.view(toy.side_to_move()), &[], &limits(), &Stop::new(), &mut |_| {})
}

/// What a search says a move is worth, and how sure it is.
fn worth(report: &Report<u8>, mv: u8) -> (f64, f64) {
    let line = report.lines.iter().find(|line| line.pv[0] == mv).unwrap();
    (line.expectation.unwrap(), line.expectation_error.unwrap())
}

#[test]
fn the_toys_obey_the_laws() {
    let mut random = Random::new(9);
    for rule in [Rule::Bet, Rule::Ask, Rule::Dare, Rule::Hide] {
        let start = Toy::start(rule, 1, 5);
        check_hidden(&start, 50, &mut random).unwrap();
    }
}

#[test]
fn only_a_search_that_assumes_it_will_see_the_coin_guesses() {
    let toy = Toy::start(Rule::Bet, 2, 0);
    for method in [Method::Flat, Method::SingleObserver, Method::MultiObserver, Method::Mutual] {
        let report = search(&toy, options(method));
        assert_eq!(report.best, Some(SURE), "{method:?}");
        let (mean, error) = worth(&report, SURE);
        assert!((mean - 0.4).abs() < 4.0 * error && error < 0.05, "{method:?}: {mean} +- {error}");
        let (mean, _) = worth(&report, RISK);
        assert!(mean < 0.33, "{method:?} guesses right in {mean}");
    }
    let fused = search(&toy, options(Method::Determinized));
    assert_eq!(fused.best, Some(RISK));
    assert!(worth(&fused, RISK).0 > 0.8);
    // The worlds differ in what the bet is worth, and the error says so.
    let (mean, error) = worth(&fused, SURE);
    let visits: u64 = fused.lines.iter().filter(|line| line.pv[0] == SURE).map(|line| line.visits).sum();
    let of_equal_worlds = (mean * (1.0 - mean) / visits as f64).sqrt();
    assert!(error > 2.0 * of_equal_worlds, "{error} {of_equal_worlds}");
}

#[test]
fn only_the_multi_observer_knows_that_black_knows_the_coin() {
    let toy = Toy::start(Rule::Ask, 1, 0);
    let single = search(&toy, options(Method::SingleObserver));
    assert_eq!(single.best, Some(RISK));
    assert!((worth(&single, RISK).0 - 0.5).abs() < 0.05);
    let multi = search(&toy, options(Method::MultiObserver));
    assert_eq!(multi.best, Some(SURE));
    assert!(worth(&multi, RISK).0 < 0.3);
    assert!((worth(&multi, SURE).0 - 0.4).abs() < 0.05);
}

#[test]
fn only_mutual_search_knows_that_the_opponent_does_not_see_the_viewers_secret() {
    let toy = Toy::start(Rule::Dare, 1, 0);
    for method in [Method::SingleObserver, Method::MultiObserver] {
        let report = search(&toy, options(method));
        assert!(worth(&report, RISK).0 < 0.25, "{method:?}");
    }
    let mutual = search(&toy, options(Method::Mutual));
    // Half in the long run, but what Black learns of White's habits swings.
    let (mean, _) = worth(&mutual, RISK);
    assert_eq!(mutual.best, Some(RISK));
    assert!((0.3..0.7).contains(&mean), "{mean}");
    // And an opponent who does know is not underestimated.
    let ask = search(&Toy::start(Rule::Ask, 1, 0), options(Method::Mutual));
    assert_eq!(ask.best, Some(SURE));
}

#[test]
fn only_the_multi_observer_knows_what_the_opponent_did_not_see() {
    let toy = Toy::start(Rule::Hide, 0, 0);
    let single = search(&toy, options(Method::SingleObserver));
    assert_eq!(single.best, Some(SURE));
    assert!(worth(&single, 0).0 < 0.15 && worth(&single, 1).0 < 0.15);
    let multi = search(&toy, options(Method::MultiObserver));
    assert!(matches!(multi.best, Some(0 | 1)));
    // Half in equilibrium; a side that learns the other's last choice gains for a while.
    let (mean, _) = worth(&multi, multi.best.unwrap());
    assert!(mean > 0.3, "{mean}");
}

#[test]
fn the_answer_depends_on_nothing_but_the_view() {
    for method in Method::ALL {
        for rule in [Rule::Bet, Rule::Ask, Rule::Hide] {
            let reports: Vec<_> = [(0, 0), (1, 3), (1, 9)]
                .map(|(coin, die)| search(&Toy::start(rule, coin, die), options(method)))
                .into_iter()
                .map(|report| {
                    report.lines.into_iter().map(|line| (line.pv, line.expectation, line.visits)).collect()
                })
                .collect::<Vec<Vec<_>>>();
            assert!(reports.windows(2).all(|pair| pair[0] == pair[1]), "{method:?} {rule:?}");
        }
    }
}

#[test]
fn results_repeat_for_a_seed_and_a_number_of_threads() {
    let toy = Toy::start(Rule::Bet, 2, 0);
    for method in Method::ALL {
        for threads in [1, 2] {
            let run = |seed| {
                let report = search(&toy, Options { threads, seed, ..options(method) });
                let visits: Vec<_> = report
                    .lines
                    .iter()
                    .map(|line| (line.pv.clone(), line.expectation, line.visits))
                    .collect();
                // Every other simulation of a mutual search is the opponent's.
                let own = if method == Method::Mutual { PLAYOUTS / 2 } else { PLAYOUTS };
                assert_eq!(visits.iter().map(|line| line.2).sum::<u64>(), own);
                visits
            };
            assert_eq!(run(1), run(1), "{method:?}, {threads} threads");
            assert_ne!(run(1), run(2), "{method:?}, {threads} threads");
        }
    }
}

#[test]
fn a_cheat_guesses_right() {
    for coin in 0..SIDES {
        let mut cheat = Cheat::new(options(Method::MultiObserver), Rules);
        let report = cheat.search(&Toy::start(Rule::Bet, coin, 9), &[], &limits(), &Stop::new(), &mut |_| {});
        assert_eq!(report.lines[0].pv, [RISK, coin]);
        assert!(report.lines[0].expectation.unwrap() > 0.9);
        assert_eq!(report.lines[1].expectation, Some(0.0));
    }
}

#[test]
fn limits_are_kept() {
    let toy = Toy::start(Rule::Ask, 1, 0);
    let view = toy.view(Side::White);
    let mut searcher = Ismcts::new(options(Method::MultiObserver));
    let mut run = |limits: Limits<u8>| {
        InformationSearcher::<Toy>::search(&mut searcher, &view, &[], &limits, &Stop::new(), &mut |_| {})
    };
    let only = Limits { search_moves: vec![RISK], playouts: Some(50), ..Limits::default() };
    let report = run(only);
    assert_eq!((report.best, report.lines.len(), report.lines[0].visits), (Some(RISK), 1, 50));
    let none = Limits { search_moves: vec![77], playouts: Some(50), ..Limits::default() };
    assert_eq!(run(none).best, None);
    // Even without any time there is a move.
    let hurry = Limits { movetime: Some(std::time::Duration::ZERO), ..Limits::default() };
    assert!(run(hurry).best.is_some());
    let nodes = Limits { nodes: Some(500), ..Limits::default() };
    assert!((500..600).contains(&run(nodes).nodes));
    // Black is not asked about White's move.
    let other = toy.view(Side::Black);
    let report =
        InformationSearcher::<Toy>::search(&mut searcher, &other, &[], &limits(), &Stop::new(), &mut |_| {});
    assert_eq!(report.best, None);
}

#[test]
fn a_full_tree_still_gives_an_answer() {
    let toy = Toy::start(Rule::Bet, 2, 0);
    let tiny = Options { tree_mb: 0, ..options(Method::Determinized) };
    assert!(search(&toy, tiny).best.is_some());
}
