//! Crown Jewels: the phases before play, parameters, and bad input to every parser.

use crate::common::texts::{decent, edited};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::crown_jewels::{
    CrownJewels, CrownJewelsGame, CrownJewelsView, Deal, Setup, SetupView, Tile, TileSet,
};
use jewel_engine::hidden::{Hidden, check_hidden};
use jewel_engine::laws;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashMap;

fn game(parameters: &str) -> CrownJewelsGame {
    CrownJewelsGame::with_parameters(parameters).unwrap_or_else(|e| panic!("{parameters}: {e}"))
}

fn tiles(text: &str) -> TileSet {
    text.split(' ').map(|tile| Tile::parse(tile).unwrap_or_else(|| panic!("{tile}"))).collect()
}

/// The setup in which White holds these tiles and nothing was given.
fn setup(parameters: &str, white: TileSet) -> Setup {
    let game = game(&format!("{parameters}give=0"));
    let deal = Deal::from_hand(game.rules(), white).unwrap();
    let nothing = Side::BOTH.map(|side| deal.view(side).gift(TileSet::EMPTY).unwrap());
    deal.give(nothing).unwrap()
}

const HAND: &str = "01 02 03 05 06 16 23 25 35 36 46 55 56 66";

#[test]
fn placements_are_judged_as_in_the_reference() {
    let file: Value = serde_json::from_str(include_str!("data/crown-jewels.json")).unwrap();
    let rows = file["placements"].as_array().unwrap();
    let hand = rows[0]["hand"].as_array().unwrap().iter().map(|t| Tile::parse(t.as_str().unwrap()).unwrap());
    let view = setup("", hand.collect()).view(Side::White);
    for row in rows {
        let text = row["text"].as_str().unwrap();
        match (view.parse_placement(text), row["error"].as_str()) {
            (Ok(placement), None) => assert_eq!(placement.to_string(), text),
            (Err(error), Some("three checkers joined")) => {
                assert_eq!(
                    error.to_string(),
                    "the checker on d2 is joined with two others: at most two checkers are joined orthogonally"
                );
            }
            (Err(error), Some("outside the three nearest ranks")) => {
                assert_eq!(error.to_string(), "a4 is not on the 3 nearest ranks of w: 1 to 3");
            }
            (found, wanted) => panic!("{text}: found {found:?}, wanted {wanted:?}"),
        }
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn bad_placements_get_one_line() {
    let view = setup("", tiles(HAND)).view(Side::White);
    let good = "place a2=56 a3=55 b1=01 c1=23 c2=03 d1=36 d2=05 e2=06 e3=35 f3=46 g2=02 h1=66 h2=25 h3=16 # c3 d3 e1 g1";
    assert!(view.parse_placement(good).is_ok());
    let error = |from: &str, to: &str| {
        let text = good.replace(from, to);
        assert_ne!(text, good);
        view.parse_placement(&text).unwrap_err().to_string()
    };
    assert!(error("place ", "put ").contains("is not a placement; write \"place a1=05"));
    assert_eq!(
        error("a2=56", "a2-56"),
        "\"a2-56\" puts no tile on a square; write square=tile, such as a1=05"
    );
    assert_eq!(
        error("a2=56", "a2=65"),
        "\"a2=65\" puts no tile on a square; write square=tile, such as a1=05"
    );
    assert_eq!(error("a2=56", "a9=56"), "\"a9\" is not a square; squares go from a1 to h8");
    assert_eq!(error("a2=56", "a3=56"), "something is put on a3 twice");
    assert_eq!(error("# c3", "# a2"), "something is put on a2 twice");
    assert_eq!(
        error("a2=56", "a2=44"),
        "the tile 44 is not in hand; in hand are 01,02,03,05,06,16,23,25,35,36,46,55,56,66"
    );
    assert_eq!(error("a2=56", "a2=55"), "the tile 55 is placed twice");
    assert_eq!(error("a2=56 a3=55 ", ""), "not all tiles are placed: 55,56 is missing");
    assert_eq!(error(" g1", ""), "a player places 4 checkers, found 3");
    assert_eq!(error("c3 d3 e1 g1", "a1 b2 c3 d3 e1"), "a player places 4 checkers, found 5");
    assert_eq!(
        error("# c3", "# # c3").split(';').next().unwrap().split('"').next_back(),
        Some(" is not a placement")
    );
    // Black places on the other side of the board.
    let black = setup("", tiles(HAND)).view(Side::Black);
    let hand: Vec<Tile> = black.hand().into_iter().collect();
    assert_eq!(hand.len(), 14);
    assert_eq!(
        black.parse_placement(&format!("place a3={}", hand[0])).unwrap_err().to_string(),
        "a3 is not on the 3 nearest ranks of b: 6 to 8"
    );
}

#[test]
fn bad_gifts_get_one_line() {
    let deal = Deal::from_hand(game("").rules(), tiles(HAND)).unwrap();
    let view = deal.view(Side::White);
    let error = |text: &str| view.parse_gift(text).unwrap_err().to_string();
    assert_eq!(
        error("01 02 03 05"),
        "\"01 02 03 05\" is not a gift; write give and the tiles, such as \"give 01 12 23 24\""
    );
    assert_eq!(
        error("give 01 02 03 x"),
        "\"x\" is not a tile; write its two numbers of pips, the lower first, such as \"05\""
    );
    assert_eq!(error("give 01 02 03 50").split(' ').next(), Some("\"50\""));
    assert_eq!(error("give 01 02 03 03"), "the tile 03 is given twice");
    assert_eq!(
        error("give 01 02 03 44"),
        "the tile 44 is not in hand; in hand are 01,02,03,05,06,16,23,25,35,36,46,55,56,66"
    );
    assert_eq!(error("give 01 02 03"), "a player gives 4 tiles, found 3");
    assert_eq!(error("give"), "a player gives 4 tiles, found 0");
    let gift = view.parse_gift("give 05 03 02 01").unwrap();
    assert_eq!(gift.to_string(), "give 01 02 03 05");
    // The other player must give tiles of their own.
    let wrong = deal.give([gift, gift]).unwrap_err().to_string();
    assert!(wrong.starts_with("the tile 01 is not in hand"), "{wrong}");
}

#[test]
fn gifts_change_hands() {
    let deal = Deal::from_hand(game("").rules(), tiles(HAND)).unwrap();
    let white = deal.view(Side::White).parse_gift("give 01 02 03 05").unwrap();
    let black = deal.view(Side::Black).parse_gift("give 00 04 11 12").unwrap();
    let setup = deal.give([white, black]).unwrap();
    let view = setup.view(Side::White);
    assert_eq!(view.hand(), tiles("00 04 11 12 06 16 23 25 35 36 46 55 56 66"));
    assert_eq!((view.given(), view.received()), (tiles("01 02 03 05"), tiles("00 04 11 12")));
    assert_eq!(view.other_hand(), setup.view(Side::Black).hand());
    assert_eq!(view.hand() & view.other_hand(), TileSet::EMPTY);
}

#[test]
fn deals_and_gifts_are_even() {
    // Three of the six tiles: 20 hands.
    let rules = game("files=3,ranks=4,tiles=3").rules();
    let mut random = Random::new(6);
    let mut seen: HashMap<TileSet, u32> = HashMap::new();
    for _ in 0..20_000 {
        *seen.entry(Deal::random(rules, &mut random).view(Side::White).hand()).or_default() += 1;
    }
    let chi: f64 = seen.values().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
    // 19 degrees of freedom: above 43.8 once in a thousand, and the seed is fixed.
    assert!(seen.len() == 20 && chi < 43.8, "{} hands, chi-square {chi}", seen.len());
}

#[test]
fn random_starts_follow_the_rules() {
    for parameters in [
        "",
        "tiles=6,files=4,ranks=6,",
        "tiles=2,files=2,ranks=3,checkers=0,",
        "files=4,ranks=6,tiles=5,checkers=3,",
    ] {
        for seed in 0..40 {
            let game = game(&format!("{parameters}seed={seed}"));
            let (rules, start) = (game.rules(), game.start());
            // The position string is checked as it is read.
            assert_eq!(game.parse_position(&start.position_text()).unwrap(), start);
            for side in Side::BOTH {
                assert_eq!((start.pieces_of(side) & !rules.home(side)).count(), 0);
                assert_eq!(start.pieces_of(side).count(), rules.hand());
                assert_eq!((start.checkers() & rules.home(side)).count(), rules.checkers());
            }
            assert_eq!((start.known().count(), start.quiet()), (0, 0));
        }
    }
    // The lot falls on both.
    let movers: Vec<Side> =
        (0..20).map(|seed| game(&format!("seed={seed}")).start().side_to_move()).collect();
    assert!(movers.contains(&Side::White) && movers.contains(&Side::Black));
    assert_ne!(game("seed=1").start(), game("seed=2").start());
}

fn place(view: &SetupView, random: &mut Random) -> String {
    view.random_placement(random).to_string()
}

#[test]
fn random_placements_are_legal_ones() {
    let mut random = Random::new(1);
    for parameters in ["", "files=4,ranks=6,tiles=6,", "files=4,ranks=6,tiles=5,checkers=3,"] {
        for _ in 0..100 {
            let setup = setup(
                parameters,
                Deal::random(game(&format!("{parameters}give=0")).rules(), &mut random)
                    .view(Side::White)
                    .hand(),
            );
            let placements = Side::BOTH.map(|side| {
                let view = setup.view(side);
                let text = place(&view, &mut random);
                let placement = view.parse_placement(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
                assert_eq!(placement.to_string(), text);
                placement
            });
            let start = setup.play(placements.each_ref(), Side::Black).unwrap();
            assert_eq!(start.side_to_move(), Side::Black);
            let [white, black] = placements.each_ref();
            assert_eq!(
                setup.play([black, white], Side::Black).unwrap_err().to_string(),
                "the placement is that of b, and w places"
            );
            for (square, tile) in white.tiles() {
                assert_eq!(start.tile(*square), Some(*tile));
            }
            assert_eq!(start.checkers(), white.checkers() | black.checkers());
        }
    }
}

#[test]
fn parameters_make_smaller_games() {
    let small = game("tiles=6,files=4,ranks=6");
    let rules = small.rules();
    assert_eq!((rules.hand(), rules.checkers(), rules.gift(), rules.size()), (6, 1, 1, (4, 6)));
    assert_eq!(rules.tiles().to_string(), "02,03,12,13,24,25,33,35,36,45,46,66");
    assert_eq!(rules.home(Side::White).count(), 8);
    assert_eq!(small.id(), "crown-jewels:tiles=6,files=4,ranks=6");
    // Half of the tiles is left to the defaults.
    assert_eq!(game("files=4,ranks=6").id(), "crown-jewels:files=4,ranks=6");
    let full = game("");
    let rules = full.rules();
    assert_eq!((rules.hand(), rules.checkers(), rules.gift(), rules.size()), (14, 4, 4, (8, 8)));
    assert_eq!((rules.tiles(), full.id()), (TileSet::ALL, "crown-jewels"));
    assert_eq!(game("thief=on,seed=3,tiles=14").id(), "crown-jewels:thief=on,seed=3");
    assert_eq!(game("seed=3").id(), "crown-jewels:seed=3");
    for id in
        ["spy=blank,quiet=0", "give=2,home=2,tiles=10", "files=1,ranks=4,tiles=1", "files=8,ranks=2,tiles=8"]
    {
        let made = game(id);
        assert_eq!(game(made.id().split_once(':').unwrap().1).id(), made.id(), "{id}");
    }
}

#[test]
fn bad_parameters_get_one_line() {
    let error = |text: &str| CrownJewelsGame::with_parameters(text).unwrap_err().to_string();
    assert_eq!(
        error("size=3"),
        "crown-jewels has no parameter \"size\"; it has tiles, files, ranks, home, checkers, give, quiet, spy, thief, seed"
    );
    assert_eq!(error("tiles=15"), "tiles must be a number from 1 to 14, found \"15\"");
    assert_eq!(
        error("files=4,ranks=6,tiles=9"),
        "9 tiles do not fit on 2 ranks of 4 files: a player places on 8 squares"
    );
    assert_eq!(
        error("files=2,ranks=4,home=2,tiles=1,checkers=3"),
        "1 tiles and 3 checkers, of which no three are joined, do not fit on 2 ranks of 2 files"
    );
    assert_eq!(error("ranks=6,home=4"), "home must be a number from 1 to 3, found \"4\"");
    assert_eq!(error("spy=two"), "spy must be one or blank, found \"two\"");
    assert_eq!(error("thief=yes"), "thief must be off or on, found \"yes\"");
    assert_eq!(error("tiles=4,give=5"), "give must be a number from 0 to 4, found \"5\"");
}

#[test]
fn bad_positions_get_one_line() {
    let game = game("");
    let error = |text: &str| game.parse_position(text).unwrap_err().to_string();
    let board = "b35,7/8/8/8/8/8/8/w46,7";
    assert_eq!(error(board), "a position has 4 fields, \"board side jewels quiet\"; found 1");
    assert_eq!(error("b35,7/8 w b 0"), "the board has 8 ranks with '/' between, found 2");
    assert_eq!(error("b35,6/8/8/8/8/8/8/w46,7 w b 0"), "rank 8 has 7 squares instead of 8");
    assert_eq!(error("b35,7/8/8/8/8/8/8/w46,8 w b 0"), "rank 1 has 9 squares instead of 8");
    assert_eq!(
        error("b35,7/8/8/8/8/8/8/w64,7 w b 0"),
        "rank 1: \"w64\" is not one of a number of empty squares, # (checker), w05 (tile), w05! (known to both)"
    );
    assert!(error("b??,7/8/8/8/8/8/8/w46,7 w b 0").starts_with("rank 8: \"b??\" is not one of"));
    assert!(error("b35,7/8/8/8/8/8/8/wé,7 w b 0").starts_with("rank 1: "));
    assert_eq!(error("b35,7/8/8/8/8/8/8/w35,7 w b 0"), "a1: the tile 35 is there twice");
    assert_eq!(
        error("b35,7/8/8/8/#,7/8/8/w46,7 w b 0"),
        "a checker cannot be on a4: checkers stay on the home ranks, where the players put them"
    );
    assert_eq!(
        error("b35,7/8/8/8/8/8/#,7/#,#,6 w b 0"),
        "the checker on a1 is joined with two others: at most two checkers are joined orthogonally"
    );
    assert_eq!(
        error("b35,7/8/8/8/8/#,1,#,1,#,1,#,1/8/#,7 w b 0"),
        "w has 5 checkers on its home ranks; a player has at most 4"
    );
    assert_eq!(error(&format!("{board} x b 0")), "the side to move is w or b, found \"x\"");
    assert_eq!(
        error(&format!("{board} w - 0")),
        "the sides that began play with Jewels are wb, w or b, found \"-\""
    );
    assert_eq!(
        error(&format!("{board} w w 0")),
        "b has the Jewel 35, but is not among the sides that began play with Jewels"
    );
    assert_eq!(
        error(&format!("{board} w b 101")),
        "quiet is the number of plies since the last contest, 0 to 100; found \"101\""
    );
    assert!(error(&format!("{board} w b +1")).ends_with("found \"+1\""));
    let crowded = "w00,w01,w02,w03,w04,w06,w11,w12/w13,w14,w16,w22,w23,w24,w26,1/8/8/8/8/8/8 w b 0";
    assert_eq!(error(crowded), "w has 15 tiles; a player has at most 14");
    let small = CrownJewelsGame::with_parameters("tiles=1,files=2,ranks=2").unwrap();
    assert_eq!(
        small.parse_position("b35,1/w45,1 w b 0").unwrap_err().to_string(),
        "a1: the game has no tile 45; it has 35,46"
    );
}

#[test]
fn bad_views_get_one_line() {
    let rules = game("").rules();
    let error = |text: &str| CrownJewelsView::read(rules, text).unwrap_err().to_string();
    let board = "b??,7/8/8/8/8/8/8/w46,7";
    assert_eq!(
        error(&format!("{board} w b 0")),
        "what a player sees has 6 fields, \"board side jewels quiet viewer hidden\"; found 4"
    );
    assert_eq!(error(&format!("{board} w b 0 x 35")), "the viewer is w or b, found \"x\"");
    assert_eq!(
        error(&format!("{board} w b 0 b 35")),
        "a8: the viewer knows their own tiles; only tiles of the other side are ??"
    );
    assert_eq!(
        error(&format!("{board} w b 0 w -")),
        "there are 1 squares with ?? and 0 hidden tiles; they must be as many"
    );
    assert_eq!(error(&format!("{board} w b 0 w 46")), "hidden tiles: the tile 46 is there twice");
    assert_eq!(
        error(&format!("{board} w b 0 w 53")),
        "the hidden tiles are sorted, with commas between, - for none; found \"53\""
    );
    assert_eq!(
        error("b??,b??,6/8/8/8/8/8/8/w46,7 w b 0 w 35,02"),
        "the hidden tiles are sorted, with commas between, - for none; found \"35,02\""
    );
    assert_eq!(
        error("b35,7/8/8/8/8/8/8/w46,7 w b 0 w -"),
        "a8: the viewer knows tiles of the other side only if both know them; write b?? or b35!"
    );
    assert_eq!(
        error(&format!("{board} w w 0 w 35")),
        "b has the Jewel 35, but is not among the sides that began play with Jewels"
    );
    assert!(error("b??!,7/8/8/8/8/8/8/w46,7 w b 0 w 35").starts_with("rank 8: \"b??!\" is not one of"));
}

#[test]
fn bad_moves_get_one_line() {
    let start = game("").parse_position("b35,7/8/8/8/8/8/1,#,6/w46,7 w b 0").unwrap();
    let error = |text: &str| start.parse_move(text).unwrap_err().to_string();
    assert_eq!(error("a1"), "\"a1\" is not a move; write two squares, such as \"a3b4\", or \"skip\"");
    assert_eq!(error("a1a9"), "\"a9\" is not a square; squares go from a1 to h8");
    assert_eq!(error("c1c2"), "no tile is on c1, and w is to move");
    assert_eq!(error("a8a7"), "the other side's tile is on a8, and w is to move");
    assert_eq!(error("a1b2"), "the tile on a1 cannot go to b2; it can go to b1 a2");
    assert_eq!(start.view(Side::White).parse_move("a1b2").unwrap_err().to_string(), error("a1b2"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..Default::default() })]

    #[test]
    fn no_text_panics(edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4)) {
        const ALPHABET: &[u8] = b"wb0123456!?#/, abcdefgh=\xc3\xa9-givepls";
        let edited = |text: &str| edited(text, ALPHABET, &edits);
        let decent = |error: &dyn std::fmt::Display| decent(error, &format!("{edits:?}"));
        let game = game("tiles=4,files=4,ranks=6");
        match game.parse_position(&edited("#,b35,1,b13!/1,b36,2/4/w24,3/2,w46,1/w03!,3 w wb 16")) {
            Ok(position) => {
                laws::check_position(&game, &position).map_err(TestCaseError::fail)?;
                check_hidden(&position, 2, &mut Random::new(1)).map_err(TestCaseError::fail)?;
            }
            Err(error) => decent(&error),
        }
        match CrownJewelsView::read(game.rules(), &edited("#,b??,1,b13!/1,b??,2/4/w24,3/2,w46,1/w03!,3 w wb 16 w 35,36")) {
            Ok(view) => prop_assert_eq!(CrownJewelsView::read(game.rules(), &view.text()), Ok(view)),
            Err(error) => decent(&error),
        }
        let start: CrownJewels = game.start();
        match start.parse_move(&edited("a2b3")) {
            Ok(mv) => prop_assert!(list_moves(&start).contains(&mv)),
            Err(error) => decent(&error),
        }
        let deal = Deal::random(game.rules(), &mut Random::new(8));
        let hand: Vec<Tile> = deal.view(Side::White).hand().into_iter().collect();
        match deal.view(Side::White).parse_gift(&edited(&format!("give {}", hand[0]))) {
            Ok(gift) => prop_assert_eq!(gift.tiles().count(), game.rules().gift()),
            Err(error) => decent(&error),
        }
        let view = setup("tiles=4,files=4,ranks=6,", tiles("35 36 24 03")).view(Side::White);
        match view.parse_placement(&edited("place a1=03 b1=24 c1=35 a2=36 # b2 c2")) {
            Ok(placement) => {
                let again = view.parse_placement(&placement.to_string());
                prop_assert_eq!(again, Ok(placement));
            }
            Err(error) => decent(&error),
        }
        match CrownJewelsGame::with_parameters(&edited("tiles=4,files=4,ranks=6,thief=on,seed=1")) {
            Ok(game) => {
                let start = game.start();
                prop_assert_eq!(game.parse_position(&start.position_text()).map_err(|e| e.to_string()), Ok(start));
                prop_assert_eq!(start.zobrist_hash(), start.recomputed_hash());
            }
            Err(error) => decent(&error),
        }
    }
}
