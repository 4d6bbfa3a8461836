//! The laws of a position, the symmetries and the agreement of all subsets, on the seven games and on further
//! variants that between them say everything a file can say.

use crate::common::{self, compile, count, embedded, outcome, reversed, view};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chesslike::{Chess, ChessGame, General, KeyGames, Leapers, RuleSubset};
use jewel_engine::games::GAMES;
use jewel_engine::laws;
use jewel_engine::perft::{PerftTable, divide, perft, perft_hashed};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::symmetry::Symmetry;
use jewel_engine::tactics::{PieceValues, Pieces};
use jewel_engine::value::Outcome::{Draw, Loss, Win};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use proptest::prelude::*;

/// Variants on file, each with what it exercises.
const VARIANTS: [(&str, &str); 11] = [
    ("minixiangqi", include_str!("data/variants/minixiangqi.toml")),
    ("riders", include_str!("data/variants/riders.toml")),
    ("hexapawn", include_str!("data/variants/hexapawn.toml")),
    ("breakthrough", include_str!("data/variants/breakthrough.toml")),
    ("tall", include_str!("data/variants/tall.toml")),
    ("corridor", include_str!("data/variants/corridor.toml")),
    ("one-file", include_str!("data/variants/one-file.toml")),
    ("menagerie", include_str!("data/variants/menagerie.toml")),
    ("promotions", include_str!("data/variants/promotions.toml")),
    ("extinction", include_str!("data/variants/extinction.toml")),
    ("bare-chess", include_str!("data/variants/bare-chess.toml")),
];

/// Values with ties and without order.
const VALUES: PieceValues = {
    let mut values = [500; 32];
    (values[1], values[2], values[3], values[4], values[5]) = (300, 320, 320, 100, 900);
    values
};

struct Check {
    games: u32,
    plies: u32,
}

impl Check {
    fn visit<G>(self, game: G) -> Result<(), String>
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        laws::check(&game, self.games, self.plies, 1)
    }
}

fn check(rules: &Rules, games: u32, plies: u32) {
    with_leanest_game!(rules, game => (Check { games, plies }).visit(game)).unwrap_or_else(|e| panic!("{e}"));
    let general = ChessGame::<General, 32>::new(rules).unwrap();
    Check { games, plies }.visit(general).unwrap_or_else(|e| panic!("general: {e}"));
}

#[test]
fn the_seven_games_keep_the_laws() {
    for game in &GAMES {
        check(game.rules(), 12, 60);
    }
}

#[test]
fn further_variants_keep_the_laws() {
    for (id, text) in VARIANTS {
        let rules = compile(text);
        assert_eq!(rules.id, id);
        check(&rules, 12, 60);
    }
}

/// A game of one subset beside the general one, move by move.
fn agree<S: RuleSubset, const N: usize>(rules: &Rules, choices: &[u32]) {
    let Some(game) = ChessGame::<S, N>::new(rules) else { panic!("{} does not fit", rules.id) };
    let general = ChessGame::<General, 32>::new(rules).unwrap();
    let (mut lean, mut wide) = (game.start(), general.start());
    for choice in choices {
        let (ours, theirs) = (list_moves(&lean), list_moves(&wide));
        assert_eq!(ours, theirs);
        assert_eq!((lean.outcome(), lean.zobrist_hash()), (wide.outcome(), wide.zobrist_hash()));
        assert_eq!((lean.to_fen(), lean.count_moves()), (wide.to_fen(), wide.count_moves()));
        let Some(&mv) = ours.get(*choice as usize % ours.len().max(1)) else { break };
        lean.play(mv);
        wide.play(mv);
    }
}

/// Plays along and checks what must hold at each position; the laws' checker does the rest.
struct Along<'a>(&'a [u32]);

impl Along<'_> {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let mut position = game.start();
        for choice in self.0 {
            laws::check_position(&game, &position).unwrap_or_else(|e| panic!("{e}: {position:?}"));
            laws::check_tactics(&position, &VALUES).unwrap_or_else(|e| panic!("{e}: {position:?}"));
            let moves = list_moves(&position);
            let Some(&mv) = moves.get(*choice as usize % moves.len().max(1)) else { break };
            position.play(mv);
        }
        // Two plies count alike through every symmetry.
        let nodes = perft(&position, 2);
        for (symmetry, exchange) in position.symmetries() {
            if let Some(image) = position.transformed(symmetry, exchange) {
                assert_eq!(perft(&image, 2), nodes, "{position:?} {symmetry:?} {exchange}");
                assert_eq!(image.outcome(), position.outcome());
            }
        }
        // And alike through a table and through threads.
        let table = PerftTable::new(1).unwrap();
        assert_eq!(perft_hashed(&position, 2, &table), nodes);
        let divided: u64 = divide(&position, 2, None).iter().map(|d| d.1).sum();
        assert_eq!(divided, nodes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn subsets_agree(choices in prop::collection::vec(any::<u32>(), 80)) {
        for id in ["duel", "ambush"] {
            agree::<Leapers, 4>(embedded(id), &choices);
        }
        for id in ["diamond-qi", "crystal-of-doom", "star-lords"] {
            agree::<KeyGames, 8>(embedded(id), &choices);
        }
        for id in ["diamond-quest", "diamond-chess"] {
            agree::<Chess, 8>(embedded(id), &choices);
        }
    }

    #[test]
    fn random_games_keep_the_laws(choices in prop::collection::vec(any::<u32>(), 0..60)) {
        for game in &GAMES {
            with_leanest_game!(game.rules(), game => Along(&choices).visit(game));
        }
        for (_, text) in VARIANTS {
            with_leanest_game!(&compile(text), game => Along(&choices).visit(game));
        }
    }
}

#[test]
fn subsets_refuse_what_they_leave_out() {
    assert!(ChessGame::<Leapers, 4>::new(embedded("diamond-qi")).is_none());
    assert!(ChessGame::<KeyGames, 8>::new(embedded("diamond-quest")).is_none());
    assert!(ChessGame::<Chess, 8>::new(embedded("ambush")).is_none());
    assert!(ChessGame::<General, 2>::new(embedded("ambush")).is_none(), "three piece types");
    let xiangqi = compile(VARIANTS[1].1);
    assert!(ChessGame::<Chess, 8>::new(&xiangqi).is_none(), "lame leapers");
}

/// The symmetries as letters: `t` transposed, `f` files mirrored, `r` ranks mirrored, `x` sides exchanged.
fn symmetries(rules: &Rules) -> Vec<String> {
    let word = |(s, exchange): &(Symmetry, bool)| {
        let parts = [(s.transpose, 't'), (s.mirror_files, 'f'), (s.mirror_ranks, 'r'), (*exchange, 'x')];
        parts.iter().filter(|p| p.0).map(|p| p.1).collect()
    };
    let mut all: Vec<String> = rules.symmetries().iter().map(word).collect();
    all.sort();
    all
}

#[test]
fn the_groups_are_those_of_the_rules() {
    // All leapers of Duel and Ambush look alike from every side, and the key is the middle: the square's
    // eight, each with and without an exchange of the sides.
    let square =
        ["", "f", "fr", "frx", "fx", "r", "rx", "t", "tf", "tfr", "tfrx", "tfx", "tr", "trx", "tx", "x"];
    assert_eq!(symmetries(embedded("duel")), square);
    assert_eq!(symmetries(embedded("ambush")), square);
    // Pikemen have a forward: left and right mirrored, and north and south with the sides exchanged.
    for id in ["diamond-qi", "diamond-quest", "diamond-chess", "crystal-of-doom", "star-lords"] {
        assert_eq!(symmetries(embedded(id)), ["", "f", "frx", "rx"], "{id}");
    }
    let corner = reversed("duel", "squares = [\"b2\"]", "squares = [\"a1\"]");
    assert_eq!(symmetries(&corner), ["", "t", "tx", "x"]);
    let apart = reversed("duel", "squares = [\"b2\"]", "goals = { w = [\"b3\"], b = [\"b1\"] }");
    assert_eq!(symmetries(&apart), ["", "f", "frx", "rx"]);
    let blocked = reversed("duel", "size = \"3x3\"", "size = \"3x3\"\nblocking = [\"a2\"]");
    assert_eq!(symmetries(&blocked), ["", "r", "rx", "x"]);
}

#[test]
fn a_castling_right_breaks_a_symmetry_that_cannot_carry_it() {
    let game = ChessGame::<Chess, 8>::new(embedded("chess")).unwrap();
    let start = game.start();
    let images = start.symmetries().into_iter().filter(|s| start.transformed(s.0, s.1).is_some()).count();
    assert_eq!((start.symmetries().len(), images), (4, 2), "mirrored files put the king on d1");
    let bare = game.parse_position("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
    assert!(bare.symmetries().iter().all(|s| bare.transformed(s.0, s.1).is_some()));
}

// What the further variants are there for.

fn variant(id: &str) -> Rules {
    compile(VARIANTS.iter().find(|v| v.0 == id).unwrap().1)
}

#[test]
fn lame_leapers_pin_and_check_by_what_stands_on_their_way() {
    let rules = variant("minixiangqi");
    // The Horse on c3 attacks d5 over c4: the Chariot on c4 hobbles it and may not leave the way,
    // capture of the Horse apart.
    let pinned = view(&rules, "7/7/3k3/2r4/2H4/7/4K2 b - - 0 1");
    assert_eq!(pinned.from("c4"), ["c4c3"]);
    let checked = view(&rules, "7/7/3k3/7/2H4/7/4K2 b - - 0 1");
    assert!(checked.moves.len() == 3 && checked.outcome.is_none(), "{checked:?}");
    // An Elephant, four lame diagonal leaps, gives check as well.
    let elephant = view(&rules, "7/7/3k3/7/5E1/7/4K2 b - - 0 1");
    assert!(!elephant.has("d5d5") && elephant.moves.len() == 4 - usize::from(!elephant.has("d5d4")));
    assert!(view(&rules, "7/7/3k3/4p2/5E1/7/4K2 b - - 0 1").from("e4").is_empty(), "pinned by the Elephant");
    // Kings stay in the palace.
    assert!(!view(&rules, "7/7/3k3/7/7/2K4/7 w - - 0 1").has("c2b2"));
}

#[test]
fn goals_end_breakthrough_and_hexapawn_at_once() {
    let rules = variant("hexapawn");
    // Counted by a brute force of a dozen lines.
    let nodes: Vec<u64> = (1..=8).map(|depth| count(&rules, &rules.start, depth)).collect();
    assert_eq!(nodes, [3, 10, 28, 56, 70, 64, 20, 0]);
    let won = common::look(&rules, "1p1/P2/3 w - - 0 1", "a2a3").unwrap();
    assert_eq!((won.outcome, won.moves.len()), (Some(Loss), 0));
    // A side that cannot move has lost.
    assert_eq!(outcome(&rules, "3/p2/P2 w - - 0 1"), Some(Loss));
    let through = variant("breakthrough");
    assert_eq!(common::look(&through, "5/P4/5/4p/5/5 w - - 0 1", "a5b6").unwrap().outcome, Some(Loss));
}

#[test]
fn extinction_and_bare_boards_end_as_written() {
    let rules = variant("extinction");
    assert_eq!(common::look(&rules, "4k/5/5/4r/K3R w - - 0 1", "e1e2").unwrap().outcome, None);
    assert_eq!(common::look(&rules, "4k/4R/5/5/K4 w - - 0 1", "e4e5").unwrap().outcome, Some(Loss));
    let bare = variant("bare-chess");
    assert_eq!(outcome(&bare, "4k/5/5/5/K4 w - - 0 1"), Some(Draw), "insufficient");
    assert_eq!(view(&bare, "4k/5/R4/5/K4 w - - 8 1").outcome, Some(Draw), "four moves each without progress");
    assert_eq!(view(&bare, "4k/5/R4/5/K4 w - - 7 1").outcome, None);
}

#[test]
fn promotion_zones_are_entered_by_choice_or_by_force() {
    let rules = variant("promotions");
    let all = view(&rules, "5/4g/S4/P4/5 w - - 0 1");
    // The Soldier may promote on ranks 4 and 5; the Pawn must on c3 and on the last rank.
    assert_eq!(all.from("a3"), ["a3a4", "a3a4g", "a3b4", "a3b4g"]);
    assert_eq!(view(&rules, "4g/5/5/2P2/5 w - - 0 1").from("c2"), ["c2c3g", "c2c3s"]);
    assert_eq!(view(&rules, "4g/5/5/1P3/5 w - - 0 1").from("b2"), ["b2b3"]);
    assert_eq!(outcome(&rules, "5/5/G4/5/5 b - - 0 1"), Some(Loss), "nothing left");
    assert_eq!(outcome(&rules, "5/5/G4/5/5 w - - 0 1"), Some(Win));
}
