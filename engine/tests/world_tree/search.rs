//! What searches and playouts rely on: stages, codes, duplicate turns, exchanges, even draws.

use super::board::{after, board, legal, position, white};
use super::reference::PACKS;
use jewel_engine::ability::{Game, Notation};
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::{PieceValues, Tactics};
use jewel_engine::value::{Outcome, Side};
use jewel_engine::world_tree::{Kind, Move, WorldTree, WorldTreeGame};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Positions of random games, placement included, every `step` plies.
fn sampled(games: u64, plies: u32, step: u32) -> Vec<WorldTree> {
    let mut found = Vec::new();
    for game in 0..games {
        let mut random = Random::new(game);
        let mut position = match game % 2 {
            0 => WorldTreeGame::standard().start(),
            _ => WorldTreeGame::new().start(),
        };
        for ply in 0..plies {
            if position.outcome().is_some() {
                break;
            }
            if ply % step == 0 {
                found.push(position);
            }
            let Some(mv) = random_move(&position, &mut random) else { break };
            position.play(mv);
        }
    }
    found
}

fn stage(position: &WorldTree, noisy: bool) -> Vec<Move> {
    let mut list = Vec::new();
    let mut keep = |mv| {
        list.push(mv);
        ControlFlow::<()>::Continue(())
    };
    let _ = if noisy { position.noisy_moves(&mut keep) } else { position.quiet_moves(&mut keep) };
    list
}

fn takes_town(position: &WorldTree, mv: Move) -> bool {
    position.after(mv).decided().is_some()
}

#[test]
fn stages_and_codes_keep_the_laws_of_tactics() {
    let mut left_out = 0;
    let threatened = [
        "T7/C7/2k5/8/8/8/8/s6t w m - 0",
        "T7/1o6/2K5/8/C7/8/8/7t w m Kc6 0",
        "TC6/1r6/8/8/S7/8/8/7t w m - 0",
    ];
    let mut positions = sampled(8, 160, 9);
    positions.extend(threatened.iter().chain(&PACKS).map(|text| position(text)));
    for position in positions {
        let moves = list_moves(&position);
        let (noisy, quiet) = (stage(&position, true), stage(&position, false));
        assert!(
            noisy.iter().all(|&mv| position.is_noisy(mv)) && !quiet.iter().any(|&mv| position.is_noisy(mv))
        );
        let staged: HashSet<Move> = noisy.iter().chain(&quiet).copied().collect();
        assert_eq!(staged.len(), noisy.len() + quiet.len(), "{position:?}");
        assert!(staged.iter().all(|mv| moves.contains(mv)), "{position:?}");
        for &mv in moves.iter().filter(|mv| !staged.contains(mv)) {
            let next = position.after(mv);
            let lost = list_moves(&next).into_iter().any(|reply| takes_town(&next, reply));
            assert!(position.threatened() && lost && next.side_to_move() != position.side_to_move());
            left_out += 1;
        }
        assert_eq!(position.pass().is_none(), position.threatened() || position.is_placing());
        if let Some(passed) = position.pass() {
            assert_eq!(passed.zobrist_hash(), passed.recomputed_hash());
            assert_ne!(passed.side_to_move(), position.side_to_move());
        }
        for &mv in &moves {
            let code = WorldTree::encode(mv);
            assert!(
                code != 0 && position.decode(code) == Some(mv) && position.is_legal(mv),
                "{position:?} {mv:?}"
            );
            for bit in 0..32 {
                let Some(other) = position.decode(code ^ 1 << bit) else { continue };
                assert_eq!(position.is_legal(other), moves.contains(&other), "{position:?} {other:?}");
            }
            let captured = position.victim(mv).is_some();
            let pieces =
                |p: &WorldTree| Kind::ALL.map(|kind| p.pieces(!position.side_to_move(), kind).count());
            assert_eq!(captured, pieces(&position) != pieces(&position.after(mv)), "{position:?} {mv:?}");
            assert!(
                WorldTree::kind(mv) < WorldTree::KINDS
                    && <WorldTree as Tactics>::from(mv) < 64
                    && WorldTree::to(mv) < 64
            );
        }
    }
    assert!(left_out > 50, "{left_out}");
}

#[test]
fn a_threat_is_a_town_that_could_be_taken() {
    let mut threats = 0;
    for position in sampled(10, 300, 3).into_iter().filter(|p| !p.is_placing() && !p.is_mid_turn()) {
        // The same board with the other side to move.
        let text = position.position_text();
        let swapped =
            if text.contains(" w ") { text.replace(" w ", " b ") } else { text.replace(" b ", " w ") };
        let other = super::board::position(&swapped);
        let taken = list_moves(&other).into_iter().any(|mv| takes_town(&other, mv));
        assert_eq!(position.threatened(), taken, "{position:?}");
        threats += u32::from(taken);
    }
    assert!(threats > 20, "{threats}");
}

/// The boards after all turns, and how many pairs of plies lead there, with or without redundant ones.
fn turns(start: &WorldTree, without: bool) -> (HashSet<String>, usize) {
    let (mut ends, mut pairs) = (HashSet::new(), 0);
    for first in list_moves(start) {
        let middle = start.after(first);
        if !middle.is_mid_turn() {
            ends.insert(middle.position_text());
            continue;
        }
        for second in list_moves(&middle) {
            if !(without && start.is_redundant(first, second)) {
                ends.insert(middle.after(second).position_text());
                pairs += 1;
            }
        }
    }
    (ends, pairs)
}

#[test]
fn turns_without_redundant_plies_lead_to_the_same_positions() {
    let packs = PACKS.iter().map(|text| position(text)).filter(|p| !p.is_mid_turn());
    let small = [white("Cb6 Cc6 Kd5 Oa3 ce3"), white("Cb6 Cc6 Cc5 zd6"), white("(CZ)b4 Sc6 Rb5 kd3")];
    let games = sampled(6, 200, 21).into_iter().filter(|p| !p.is_placing() && !p.is_mid_turn());
    for start in packs.chain(small).chain(games.filter(|p| p.count_moves() < 60)) {
        let (all, pairs) = turns(&start, false);
        let (kept, fewer) = turns(&start, true);
        assert_eq!(all, kept, "{start:?}");
        assert!(fewer <= pairs);
    }
    // Two pieces out of each other's way: every pair of moves but those that end with `done` comes twice.
    let apart = white("Gb6 Hg3");
    let dones = list_moves(&apart).len();
    let (all, kept) = (turns(&apart, false).1 - dones, turns(&apart, true).1 - dones);
    assert!(kept * 2 <= all + 4 && kept * 2 >= all, "{kept} of {all}");
}

#[test]
fn order_counts_where_one_ply_makes_way_for_the_other() {
    // The sleeth leaves c6 and the gormoror passes: never the other way round.
    let start = white("Ga6 Sb6");
    let (first, second) =
        (start.parse_move("b6b5").unwrap(), after(&start, "b6b5").parse_move("a6c6").unwrap());
    assert!(!start.is_redundant(first, second));
    // Freely exchangeable: exactly one order is redundant.
    let (a, b) = (start.parse_move("a6a5").unwrap(), start.parse_move("b6b8").unwrap());
    assert_ne!(start.is_redundant(a, b), start.is_redundant(b, a));
}

const VALUES: PieceValues = {
    let mut values = [0; 32];
    values[Kind::Town as usize] = 20_000;
    values[Kind::Gormoror as usize] = 500;
    values[Kind::Khtsoyis as usize] = 400;
    values[Kind::Herethroy as usize] = 600;
    values[Kind::Orren as usize] = 450;
    values[Kind::Rassimel as usize] = 420;
    values[Kind::Sleeth as usize] = 700;
    values[Kind::ZiRi as usize] = 430;
    values[Kind::Cani as usize] = 200;
    values
};

#[test]
fn exchanges_go_on_where_the_attackers_stand() {
    let worth = |position: &WorldTree, ply: &str| {
        let mv = position.parse_move(ply).unwrap();
        (-30_000..30_000).rev().find(|&n| position.exchange_at_least(mv, n, &VALUES)).unwrap()
    };
    // Nobody answers; a cani answers where the sleeth now stands, and where the cani stood all along.
    assert_eq!(worth(&white("Sb6 ce6"), "b6xe6"), 200);
    assert_eq!(worth(&white("Sb6 ce6 ce7"), "b6xe6"), 200 - 700);
    assert_eq!(worth(&white("Cb6 kc6 ca6"), "b6xc6"), 400 - 200);
    assert_eq!(worth(&white("Cb6 kc6 ca6 Ga5"), "b6xc6"), 400, "the answer would cost a cani as well");
    // The sacrifice counts; a mark is not a gain.
    assert_eq!(worth(&white("Sb6 ce6 (Oz)a3"), "b6xe6"), 200 + 430);
    assert_eq!(worth(&white("Gb6 gc6"), "b6xc6"), 0);
    // A piece that moves next to an attacker hangs there.
    assert_eq!(worth(&white("Cb6 hd6 kd5 gf3"), "b6c6"), 0);
    assert_eq!(worth(&black_to_move("Cd6 Kc6 hd3 cb5 hf3".replace("hd3 ", "").as_str()), "b5c5"), -200);
    assert_eq!(worth(&white("Gg1"), "g1xh1"), 20_000);
}

#[test]
fn who_wins_at_once_can_take_the_town() {
    let (mut wins, mut others) = (0, 0);
    for position in sampled(12, 400, 3).into_iter().chain([white("Cg1"), white("Se1 cf1"), white("Hg1")]) {
        if position.outcome().is_some() {
            continue;
        }
        let takes = |mv: &Move| position.after(*mv).outcome() == Some(Outcome::Loss);
        let can = list_moves(&position).iter().any(takes);
        assert_eq!(position.wins_at_once(), can, "{position:?}");
        *if can { &mut wins } else { &mut others } += 1;
    }
    assert!(wins > 5 && others > 50, "{wins}, {others}");
}

fn black_to_move(pieces: &str) -> WorldTree {
    position(&board(&format!("Ta8 th1 {pieces}"), "b m - 0"))
}

/// Chi-square of how often each ply was drawn, in standard deviations from what chance gives.
fn deviation(position: &WorldTree, random: &mut Random, each: usize) -> f64 {
    let moves = list_moves(position);
    let mut drawn: HashMap<Move, u32> = moves.iter().map(|&mv| (mv, 0)).collect();
    for _ in 0..each * moves.len() {
        let Step::Move(mv) = position.random_step(random) else { panic!("{position:?} is over") };
        *drawn.get_mut(&mv).unwrap_or_else(|| panic!("{position:?}: {mv:?} is not legal")) += 1;
    }
    let expected = each as f64;
    let chi: f64 = drawn.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    let freedom = moves.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt().max(1.0)
}

#[test]
fn random_plies_are_legal_and_even() {
    let mut random = Random::new(5);
    let (mut sum, mut measured) = (0.0, 0);
    let rare = [
        "Tc6/h7/8/8/8/8/8/7t w m - 3",
        "TCc5/hc6/8/8/8/8/8/7t w m - 0",
        "T7/8/1S1(cz)4/2RK4/8/4(oZ)3/8/7t w m - 0",
        "T7/8/1c6/(gz)Kr5/1c6/8/8/7t w m - 0",
        "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0",
    ];
    let texts = rare.iter().chain(PACKS.iter()).map(|text| position(text));
    for position in texts.chain(sampled(8, 240, 11)) {
        let deviation = deviation(&position, &mut random, 120);
        assert!(deviation < 6.0, "{position:?}: {deviation:.1} standard deviations from even");
        (sum, measured) = (sum + deviation, measured + 1);
    }
    let mean: f64 = sum / f64::from(measured);
    assert!(measured > 100 && mean.abs() < 4.0 / f64::from(measured).sqrt(), "{mean:.2} of {measured}");
}

#[test]
fn random_games_end_where_the_rules_say() {
    let (mut won, mut drawn) = (0, 0);
    for game in 0..40 {
        let mut random = Random::new(game);
        let mut position = WorldTreeGame::new().start();
        loop {
            match position.keen_step(&mut random) {
                Step::Move(mv) => {
                    assert!(position.is_legal(mv) && position.outcome().is_none());
                    position.play(mv);
                }
                Step::Over(outcome) => {
                    assert_eq!(position.outcome(), Some(outcome));
                    *if outcome == Outcome::Draw { &mut drawn } else { &mut won } += 1;
                    break;
                }
            }
        }
    }
    assert!(won >= 30, "{won} won, {drawn} drawn");
}

#[test]
fn keen_steps_take_the_town() {
    let mut random = Random::new(1);
    let mut texts = |position: &WorldTree| {
        let step = |_| match position.keen_step(&mut random) {
            Step::Move(mv) => position.move_text(mv),
            Step::Over(outcome) => outcome.to_string(),
        };
        (0..60).map(step).collect::<HashSet<String>>()
    };
    let one = |text: &str| HashSet::from([text.to_string()]);
    assert_eq!(texts(&white("Cg1 Sa4 Kd5")), one("g1xh1"));
    assert_eq!(texts(&white("Se1 cf3")), one("e1xh1"));
    assert_eq!(texts(&white("Zg2 (Cz)a3")), one("g2xh1"));
    assert!(texts(&white("Se1 cf1 Kd5")).len() > 5, "blocked");
    assert!(texts(&white("Hg1 Kd5")).len() > 5, "off its bank");
    assert!(legal(&white("Cg1 Kd5"), "g1xh1") && texts(&after(&white("Cg1 Kd5"), "d5d6")).len() > 2);
    assert_eq!(texts(&position("8/8/8/8/8/8/8/6Ct w m - 0")), one("loss"));
    assert_eq!(texts(&position("T7/8/8/8/8/8/8/6Ct w m - 100")), one("draw"));
    assert_eq!(white("Cg1").side_to_move(), Side::White);
}
