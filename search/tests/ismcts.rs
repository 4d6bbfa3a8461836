//! Search of information states in Crown Jewels: it finds good moves and uses only what the player knows.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame, Move};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::playout::random_move;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side};
use jewel_search::control::Stop;
use jewel_search::ismcts::crown_jewels::CrownJewelsInsight;
use jewel_search::ismcts::insight::Insight;
use jewel_search::ismcts::{Cheat, InformationSearcher, Ismcts, Method, Options};
use jewel_search::limits::Limits;
use jewel_search::report::Report;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn game() -> CrownJewelsGame {
    CrownJewelsGame::with_parameters("tiles=6,files=4,ranks=6").unwrap()
}

fn options(method: Method) -> Options {
    Options { method, tree_mb: 16, worlds: 16, ..Options::default() }
}

fn playouts(count: u64) -> Limits<Move> {
    Limits { playouts: Some(count), multipv: 3, ..Limits::default() }
}

fn search(
    searcher: &mut dyn InformationSearcher<CrownJewels>,
    state: &CrownJewels,
    count: u64,
) -> Report<Move> {
    searcher.search(&state.view(state.side_to_move()), &[], &playouts(count), &Stop::new(), &mut |_| {})
}

/// A line's moves, expectation, error and visits.
type Figures = (Vec<Move>, Option<f64>, Option<f64>, u64);

/// Everything in a report but times.
fn figures(report: &Report<Move>) -> Vec<Figures> {
    let lines = report.lines.iter();
    lines.map(|line| (line.pv.clone(), line.expectation, line.expectation_error, line.visits)).collect()
}

#[test]
fn the_last_jewel_is_taken_where_it_is_known() {
    let game = CrownJewelsGame::new();
    // Black's last Jewel, 0-5, has been seen; the General takes it, the 1-2 would not.
    let text = "8/8/8/1,b05!,b34,5/w46,w12,6/8/8/w15,w35,6 w wb 0";
    let state = game.parse_position(text).unwrap();
    for method in Method::ALL {
        let mut searcher = Ismcts::with(options(method), CrownJewelsInsight::new(game.rules()));
        let report = search(&mut searcher, &state, 2000);
        assert_eq!(report.best.map(|mv| state.move_text(mv)).as_deref(), Some("a4b5"), "{method:?}");
        assert!(report.lines[0].expectation.unwrap() > 0.9);
    }
}

#[test]
fn a_cheat_sees_the_jewel_that_others_do_not() {
    let game = CrownJewelsGame::new();
    // One of the two tiles in front of the General is the last Jewel, the other a Spy, which beats it.
    let of = |left: &str, right: &str| {
        let text = format!("8/8/8/b{left},1,b{right},5/1,w46,6/8/8/w15,w35,6 w wb 0");
        game.parse_position(&text).unwrap()
    };
    for (state, best) in [(of("05", "12"), "b4a5"), (of("12", "05"), "b4c5")] {
        let mut cheat = Cheat::new(options(Method::MultiObserver), CrownJewelsInsight::new(game.rules()));
        let report = cheat.search(&state, &[], &playouts(2000), &Stop::new(), &mut |_| {});
        assert_eq!(report.best.map(|mv| state.move_text(mv)).as_deref(), Some(best));
        assert!(report.lines[0].expectation.unwrap() > 0.95);
    }
    let [one, other] = [of("05", "12"), of("12", "05")];
    for method in Method::ALL {
        let run = |state: &CrownJewels| {
            let mut searcher = Ismcts::with(options(method), CrownJewelsInsight::new(game.rules()));
            search(&mut searcher, state, 1000)
        };
        // An honest player cannot tell the two apart.
        assert_eq!(figures(&run(&one)), figures(&run(&other)), "{method:?}");
    }
}

#[test]
fn the_answer_depends_on_nothing_but_what_was_seen() {
    let game = game();
    let mut random = Random::new(6);
    for method in Method::ALL {
        let truth = game.start();
        let other = truth.view(truth.side_to_move()).world(&mut random);
        assert_ne!(truth, other);
        let run = |state: &CrownJewels| {
            let mut searcher = Ismcts::with(options(method), CrownJewelsInsight::new(game.rules()));
            search(&mut searcher, state, 500)
        };
        assert_eq!(figures(&run(&truth)), figures(&run(&other)), "{method:?}");
    }
}

/// Checks the worlds that playouts go through, and counts the playouts.
struct Suspicious<'a> {
    insight: CrownJewelsInsight,
    root: &'a CrownJewels,
    playouts: AtomicU64,
}

impl Insight<CrownJewels> for &Suspicious<'_> {
    fn white_share(&self, world: &CrownJewels) -> f64 {
        self.playouts.fetch_add(1, Relaxed);
        let share = self.insight.white_share(world);
        assert!((0.0..=1.0).contains(&share));
        share
    }

    fn step(&self, world: &CrownJewels, random: &mut Random) -> jewel_engine::playout::Step<Move> {
        // Tiles are neither lost nor made but by contests.
        assert_eq!(world.zobrist_hash(), world.recomputed_hash());
        assert!(world.pieces_of(Side::White).count() <= self.root.pieces_of(Side::White).count());
        self.insight.step(world, random)
    }
}

#[test]
fn playouts_go_through_sound_worlds() {
    let game = game();
    let mut state = game.start();
    let mut random = Random::new(11);
    for _ in 0..12 {
        state.play(random_move(&state, &mut random).unwrap());
    }
    assert!(state.outcome().is_none());
    for method in Method::ALL {
        let suspicious = Suspicious {
            insight: CrownJewelsInsight::new(game.rules()),
            root: &state,
            playouts: AtomicU64::new(0),
        };
        let mut searcher = Ismcts::with(options(method), &suspicious);
        assert!(search(&mut searcher, &state, 300).best.is_some());
        assert!(suspicious.playouts.load(Relaxed) >= 8, "{method:?}");
    }
}

#[test]
fn coming_back_is_a_draw() {
    let game = CrownJewelsGame::new();
    let state = game.parse_position("b56,7/8/8/8/8/8/8/7,w05 w wb 3").unwrap();
    let view = state.view(Side::White);
    let mv = state.parse_move("h1h2").unwrap();
    let history = [state.after(mv).view(Side::White)];
    let limits = Limits { search_moves: vec![mv], ..playouts(200) };
    for method in Method::ALL {
        let mut searcher = Ismcts::with(options(method), CrownJewelsInsight::new(game.rules()));
        let mut run = |history: &[_]| {
            let report = searcher.search(&view, history, &limits, &Stop::new(), &mut |_| {});
            report.lines[0].expectation.unwrap()
        };
        assert_eq!(run(&history), 0.5, "{method:?}");
        assert!(run(&[]) < 0.5, "{method:?}");
    }
}

#[test]
fn every_searcher_beats_random_moves() {
    let game = CrownJewelsGame::with_parameters("tiles=6,files=4,ranks=6,quiet=60").unwrap();
    for method in Method::ALL {
        let mut points = 0.0;
        for number in 0..6u64 {
            let mut state =
                CrownJewelsGame::with_parameters(&format!("tiles=6,files=4,ranks=6,seed={}", number / 2))
                    .unwrap()
                    .start();
            let us = if number % 2 == 0 { Side::White } else { Side::Black };
            let mut searcher = Ismcts::with(options(method), CrownJewelsInsight::new(game.rules()));
            let mut random = Random::new(number);
            let outcome = loop {
                let side = state.side_to_move();
                if let Some(outcome) = state.outcome() {
                    break outcome.absolute(side).seen_by(us);
                }
                let chosen = if side == us { search(&mut searcher, &state, 150).best } else { None };
                state.play(chosen.or_else(|| random_move(&state, &mut random)).unwrap());
            };
            points += match outcome {
                Outcome::Win => 1.0,
                Outcome::Draw => 0.5,
                Outcome::Loss => 0.0,
            };
        }
        assert!(points >= 4.0, "{method:?}: {points} of 6");
    }
}
