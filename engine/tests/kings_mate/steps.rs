//! Which moves random and keen steps of playouts draw, and who wins at once.

use super::{ENDGAMES, parse};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chance::Chance;
use jewel_engine::kings_mate::{
    Active, Basic, Expanded, KING_SQUARES, KingsMate, KingsMateGame, Move, RuleSet, kind,
};
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::Outcome::{Draw, Loss};

#[test]
fn random_steps_are_legal_and_even() {
    fn check<R: RuleSet>(fen: &str) {
        let position = parse::<R>(fen);
        let moves = list_moves(&position);
        let mut drawn = vec![0u32; moves.len()];
        let mut random = Random::new(4);
        for _ in 0..400 * moves.len() {
            let Step::Move(mv) = position.random_step(&mut random) else { panic!("{fen} is over") };
            drawn[moves.iter().position(|m| *m == mv).unwrap_or_else(|| panic!("{fen}: {mv:?}"))] += 1;
            let Step::Move(keen) = position.keen_step(&mut random) else { panic!("{fen} is over") };
            assert!(moves.contains(&keen), "{fen}: {keen:?}");
        }
        let chi: f64 = drawn.iter().map(|&n| (f64::from(n) - 400.0).powi(2) / 400.0).sum();
        let freedom = moves.len() as f64 - 1.0;
        assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "{fen}: {drawn:?}");
    }
    for fen in ENDGAMES {
        check::<Basic>(fen);
        check::<Active>(&format!("{fen} -"));
    }
    check::<Active>("3ms2/7/1k4K/7/7/7/6K/1M5/2P4 w - g7");
    // In check most draws fail.
    check::<Basic>("3ms2/7/1k4K/7/7/7/6K/1M5/2P4 w -");
    for (fen, over) in [("3ms2/7/kk5/7/7/7/7/7/M6 w -", Loss), ("3m3/7/7/7/7/7/7/7/3M3 w -", Draw)] {
        assert_eq!(parse::<Basic>(fen).random_step(&mut Random::new(1)), Step::Over(over));
        assert_eq!(parse::<Basic>(fen).keen_step(&mut Random::new(1)), Step::Over(over));
    }
}

/// How likely a keen step is each move: by the definition, from the list of all moves.
fn keen_odds<R: RuleSet>(position: &KingsMate<R>, moves: &[Move]) -> Vec<f64> {
    let them = !position.side_to_move();
    let goal = KING_SQUARES[them.index()];
    let wins = |mv: &Move| {
        let gambit = R::EXPANDED && mv.kind == kind::FOOL && mv.to == goal;
        gambit || R::DICE && position.pieces(them, kind::KING).has(mv.to)
    };
    let captures = |mv: &Move| position.pieces_of(them).has(mv.to);
    let even = |fits: &dyn Fn(&Move) -> bool| {
        let count = moves.iter().filter(|mv| fits(mv)).count() as f64;
        moves.iter().map(|mv| if fits(mv) { 1.0 / count } else { 0.0 }).collect::<Vec<f64>>()
    };
    if moves.iter().any(wins) {
        even(&wins)
    } else if moves.iter().any(captures) {
        let (greedy, any) = (even(&captures), even(&|_| true));
        greedy.iter().zip(any).map(|(a, b)| (a + b) / 2.0).collect()
    } else {
        even(&|_| true)
    }
}

/// Checks how often keen steps draw each move; whether some moves are likelier than others.
fn keen_steps_are_likely_as_defined<R: RuleSet>(position: &KingsMate<R>, random: &mut Random) -> bool {
    let moves = list_moves(position);
    let odds = keen_odds(position, &moves);
    let draws = 300 * moves.len();
    let mut drawn = vec![0u32; moves.len()];
    for _ in 0..draws {
        let Step::Move(mv) = position.keen_step(random) else { panic!("{position:?} is over") };
        drawn[moves.iter().position(|m| *m == mv).unwrap_or_else(|| panic!("{position:?}: {mv:?}"))] += 1;
    }
    let mut chi = 0.0;
    for (&seen, odds) in drawn.iter().zip(&odds) {
        let expected = odds * draws as f64;
        if expected == 0.0 {
            assert_eq!(seen, 0, "{position:?}");
        } else {
            chi += (f64::from(seen) - expected).powi(2) / expected;
        }
    }
    let freedom = odds.iter().filter(|odds| **odds > 0.0).count() as f64 - 1.0;
    assert!(chi <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{position:?}: {chi} of {freedom}, {drawn:?}");
    odds.iter().any(|&share| share != odds[0])
}

#[test]
fn keen_steps_are_captures_every_other_time() {
    fn check<R: RuleSet>(random: &mut Random) -> usize {
        let mut uneven = 0;
        for _ in 0..6 {
            let mut position = KingsMateGame::<R>::new().start();
            for ply in 0..60 {
                let Some(mv) = random_move(&position, random) else { break };
                position.play_rolled(mv, random);
                if ply % 10 == 9 && position.outcome().is_none() {
                    uneven += usize::from(keen_steps_are_likely_as_defined(&position, random));
                }
            }
        }
        for fen in ENDGAMES {
            let fen = if R::DICE { format!("{fen} -") } else { fen.to_string() };
            uneven += usize::from(keen_steps_are_likely_as_defined(&parse::<R>(&fen), random));
        }
        uneven
    }
    let mut random = Random::new(8);
    let uneven = [check::<Basic>(&mut random), check::<Expanded>(&mut random), check::<Active>(&mut random)];
    assert!(uneven.iter().all(|&count| count >= 5), "{uneven:?} positions with captures");
}

#[test]
fn keen_steps_win_at_once() {
    let text = |position: &KingsMate<Active>, seed| match position.keen_step(&mut Random::new(seed)) {
        Step::Move(mv) => position.move_text(mv),
        Step::Over(outcome) => outcome.to_string(),
    };
    let gambit = parse::<Active>("7/3F3/7/m6/s6/7/7/5S1/3F1M1 w - -");
    let regicide = parse::<Active>("7/1m5/7/7/7/5k1/7/1K3M1/7 w - -");
    for seed in 0..20 {
        assert_eq!(text(&gambit, seed), "d8d9");
        assert_eq!(text(&regicide, seed), "b2b8");
    }
}

#[test]
fn who_wins_at_once_has_the_gambit() {
    let mut random = Random::new(6);
    let (mut wins, mut others) = (0, 0);
    for fen in ENDGAMES.into_iter().chain(["7/3F3/7/m6/s6/7/7/5S1/3F1M1 w -"]).cycle().take(140) {
        let mut position = parse::<Expanded>(fen);
        while let (None, true) = (position.outcome(), wins + others < 4000) {
            let goal = KING_SQUARES[(!position.side_to_move()).index()];
            let moves = list_moves(&position);
            let gambit = moves.iter().find(|mv| mv.kind == kind::FOOL && mv.to == goal);
            assert_eq!(position.wins_at_once(), gambit.is_some(), "{position:?}");
            if let Some(&mv) = gambit {
                assert_eq!(position.after(mv).outcome(), Some(Loss), "{position:?}");
                wins += 1;
            }
            others += u32::from(gambit.is_none());
            let Some(mv) = random_move(&position, &mut random).filter(|_| random.below(40) > 0) else {
                break;
            };
            position.play(mv);
        }
    }
    assert!(wins >= 20 && others > 500, "{wins}, {others}");
    // What dice may spoil is not a win.
    assert!(!parse::<Active>("7/3F3/7/m6/s6/7/7/5S1/3F1M1 w - -").wins_at_once());
}
