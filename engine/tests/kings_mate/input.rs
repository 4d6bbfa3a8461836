//! Bad positions and moves get one line, and no text panics.

use super::{ENDGAMES, parse, refused};
use crate::common::texts::{decent, edited};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::chance::{Branches, check_chance};
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame};
use jewel_engine::laws;
use proptest::prelude::*;

#[test]
fn bad_positions_get_one_line() {
    let all = [
        refused::<Basic>("3m3/7/7/7/7/7/7/7/2MM3 w - 0 1"),
        refused::<Basic>("7/7/7/7/7/7/7/7/3M3 w - 0 1"),
        refused::<Active>("7/7/7/7/7/7/7/7/7 w - - 0 1"),
        refused::<Active>("2mm3/7/7/7/7/7/7/7/3M3 w - - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/2SSS2/3M3 w - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/7/3M3 w D 0 1"),
        refused::<Expanded>("3m3/7/7/7/7/7/7/2SS3/2M4 w D 0 1"),
        refused::<Expanded>("3m3/7/7/7/7/7/7/2SS3/3M3 w dD 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/3M3 w - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/8/3M3 w - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/7/3Q3 w - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/7/3M3 x - 0 1"),
        refused::<Basic>("3m3/7/7/7/7/7/7/7/3M3 w - 0 0"),
        refused::<Active>("3m3/7/7/7/7/7/7/7/F2M3 w - 0 1"),
        refused::<Active>("3m3/7/7/7/7/7/7/7/F2M3 w - a2 0 1"),
        refused::<Active>("3m3/7/7/7/7/7/7/7/F2M3 w - a1a1 0 1"),
        refused::<Active>("3m3/7/7/7/7/7/7/7/F2M3 w - h1 0 1"),
        refused::<Active>("3m3/7/7/7/7/7/7/7/F2M3 w - a1d1 0 1"),
        refused::<Basic>("3m3 w"),
    ];
    let expected = [
        "White must have exactly one king (M for White, m for Black), found 2",
        "Black must have exactly one king (M for White, m for Black), found 0",
        "both kings are missing; one side at least must have its king (M for White, m for Black)",
        "Black must have exactly one king (M for White, m for Black), found 2",
        "White has 3 swordmasters; a side has at most 2",
        "the game has no Defense of the Crown: the third field must be \"-\", found \"D\"",
        "the right D needs White's king on d1",
        "the rights to the Defense of the Crown must be \"-\", D, d or Dd, found \"dD\"",
        "the board has 9 ranks, found 8",
        "rank 2 must fill 7 squares, \"8\" fills 8",
        "no piece has the letter 'Q' (rank 1); pieces are EFKMPS",
        "the side to move must be w or b, found \"x\"",
        "the turn number must be a number from 1 to 65535, found \"0\"",
        "the pieces that failed this turn must be \"-\" or squares such as b2d7, found \"0\"",
        "a2 cannot have failed this turn: no piece of White, who is to move, is there",
        "a1 cannot have failed this turn: it is named twice",
        "the pieces that failed this turn must be \"-\" or squares such as b2d7, found \"h1\"",
        "no other piece of White can move after these failed, so that the turn is over: the other side is to move, none failed",
        "a position has 3 to 5 fields (board, side, rights, clock, turn number), found 2",
    ];
    assert_eq!(all, expected);
}

#[test]
fn bad_moves_get_one_line() {
    let basic = KingsMateGame::<Basic>::new().start();
    let error = |text: &str| basic.parse_move(text).unwrap_err().to_string();
    assert_eq!(
        error("x"),
        "\"x\" is not a move; write origin, target and promotion letter, such as \"b2b3\" or \"a8a9k\""
    );
    assert_eq!(error("a2h3"), "h3 is off a 7x9 board");
    assert_eq!(error("c2c3"), "nothing stands on c2");
    assert_eq!(error("a8a7"), "the Fool on a8 is Black's, and it is White's turn");
    assert_eq!(error("a2a4"), "the Fool on a2 cannot go to a4; it can go to a3");
    assert_eq!(error("a1a2"), "the Keeper on a1 cannot go to a2; it has no legal move");
    assert_eq!(error("a2a3k"), "the Fool is not promoted there: drop the 'k'");
    let promotion = parse::<Basic>("7/F6/7/7/3ms2/7/7/7/1PSMS1K w - 0 1");
    let error = |text: &str| promotion.parse_move(text).unwrap_err().to_string();
    assert_eq!(error("a8a9"), "the Fool must be promoted there: add one of k (Keeper), e (Priestess)");
    assert_eq!(error("a8a9p"), "the Fool cannot become 'p': add one of k (Keeper), e (Priestess)");
    let active = Branches(parse::<Active>("3ms2/7/1k4K/7/7/7/6K/1M5/2P4 w - g7 0 1"));
    let error = |text: &str| active.parse_move(text).unwrap_err().to_string();
    assert_eq!(error("g7b7:hit"), "the Keeper on g7 has failed this turn and may not move again");
    assert_eq!(error("b2a1:hit"), "no roll decides b2a1: write just b2a1");
    let attack = Branches(parse::<Active>("7/1m5/7/7/7/5k1/7/1K3M1/7 w - - 0 1"));
    let error = |text: &str| attack.parse_move(text).unwrap_err().to_string();
    assert_eq!(error("b2b8"), "b2b8 is decided by a roll: write b2b8:hit or b2b8:miss");
    assert_eq!(error("b2b8:won"), "a roll for b2b8 ends in hit or miss, not in \"won\"");
    let game = KingsMateGame::<Active>::with_parameters("stalemate=win").unwrap_err().to_string();
    assert_eq!(game, "stalemate must be draw or loss, found \"win\"");
}

const ALPHABET: &[u8] = b"MSKPEFmskpef123456789/ -wbDdag:hit\xc3\xa9";

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..Default::default() })]

    #[test]
    fn no_text_panics(seed in 0..ENDGAMES.len(), edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4)) {
        let text = edited(&format!("{} - 0 1", ENDGAMES[seed]), ALPHABET, &edits);
        let game = KingsMateGame::<Active>::new();
        match game.parse_position(&text) {
            Ok(position) => {
                laws::check_position(&game, &position).map_err(TestCaseError::fail)?;
                check_chance(&position).map_err(TestCaseError::fail)?;
                laws::check_stages_and_codes(&position).map_err(TestCaseError::fail)?;
                laws::check_passing(&position).map_err(TestCaseError::fail)?;
                for mv in ["a1a2", "d1g4", "a8a9k", "d8d9:hit"] {
                    let mv = edited(mv, ALPHABET, &edits);
                    match Branches(position).parse_move(&mv) {
                        Ok(branch) => prop_assert_eq!(Branches(position).move_text(branch), mv),
                        Err(error) => decent(&error, &mv),
                    }
                }
            }
            Err(error) => decent(&error, &text),
        }
    }
}
