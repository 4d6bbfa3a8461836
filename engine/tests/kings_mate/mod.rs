//! King's Mate: counts of an independent implementation, the rules sentence by sentence, the numbered
//! decisions K1 to K8, the laws, and bad input.

mod input;
mod steps;

use jewel_engine::ability::{Game, Notation};
use jewel_engine::chance::{Branches, Chance, check_chance};
use jewel_engine::kings_mate::{Active, AnyKingsMate, Basic, Expanded, KingsMate, KingsMateGame, RuleSet};
use jewel_engine::laws;
use jewel_engine::perft::perft;
use jewel_engine::playout::random_move;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::{PieceValues, Tactics};
use jewel_engine::value::Outcome::{self, Draw, Loss, Win};
use jewel_engine::value::{Side, Verdict};
use serde_json::Value;

/// The start position as far as all games have it in common.
const BOARD: &str = "kesmspk/ff1f1ff/7/7/7/7/7/FF1F1FF/KPSMSEK w";

fn parse<R: RuleSet>(fen: &str) -> KingsMate<R> {
    KingsMateGame::<R>::new().parse_position(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

/// Why a position is refused.
fn refused<R: RuleSet>(fen: &str) -> String {
    match KingsMateGame::<R>::new().parse_position(fen) {
        Ok(_) => panic!("{fen} is accepted"),
        Err(e) => e.to_string(),
    }
}

/// Sorted move texts.
fn texts<P: Notation>(position: &P) -> Vec<String> {
    let mut texts: Vec<String> = list_moves(position).into_iter().map(|mv| position.move_text(mv)).collect();
    texts.sort();
    texts
}

// Counts.

fn check_row<R: RuleSet>(row: &Value) {
    let fen = row["fen"].as_str().unwrap();
    let position = parse::<R>(fen);
    assert_eq!(position.position_text(), fen);
    let moves: Vec<&str> = row["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(texts(&position), moves, "{fen}");
    let verdict = match row["outcome"].as_str() {
        Some("w") => Some(Verdict::WhiteWins),
        Some("b") => Some(Verdict::BlackWins),
        Some(_) => Some(Verdict::Draw),
        None => None,
    };
    assert_eq!(position.outcome().map(|o| o.absolute(position.side_to_move())), verdict, "{fen}");
    for (n, nodes) in row["perft"].as_array().unwrap().iter().enumerate() {
        let depth = n as u32 + 1;
        assert_eq!(Some(perft(&Branches(position), depth)), nodes.as_u64(), "{} {fen} depth {depth}", R::ID);
        if !R::DICE {
            assert_eq!(Some(perft(&position, depth)), nodes.as_u64());
        }
    }
}

#[test]
fn counts_are_those_of_the_reference() {
    let file: Value = serde_json::from_str(include_str!("../data/perft/kings-mate.json")).unwrap();
    let mut rows = [0; 3];
    for row in file["rows"].as_array().unwrap() {
        match row["game"].as_str().unwrap() {
            "kings-mate" => (check_row::<Basic>(row), rows[0] += 1),
            "kings-mate-expanded" => (check_row::<Expanded>(row), rows[1] += 1),
            "kings-mate-active" => (check_row::<Active>(row), rows[2] += 1),
            other => panic!("no game {other}"),
        };
    }
    assert_eq!(rows, [25, 29, 32]);
}

// The board.

/// The targets of the piece on a square.
fn targets<R: RuleSet>(fen: &str, from: &str) -> String {
    let all = texts(&parse::<R>(fen));
    all.iter().filter(|m| m.starts_with(from)).map(|m| &m[2..]).collect::<Vec<_>>().join(" ")
}

fn outcome<R: RuleSet>(fen: &str) -> Option<Outcome> {
    parse::<R>(fen).outcome()
}

#[test]
fn start_positions_are_those_of_the_rules() {
    assert_eq!(KingsMateGame::<Basic>::new().start().position_text(), format!("{BOARD} - 0 1"));
    assert_eq!(KingsMateGame::<Expanded>::new().start().position_text(), format!("{BOARD} Dd 0 1"));
    assert_eq!(KingsMateGame::<Active>::new().start().position_text(), format!("{BOARD} Dd - 0 1"));
}

#[test]
fn officers_do_not_enter_or_pass_raised_squares() {
    // The keeper on d4 stops below d5 and beside e4 and c4; the priest on b3 below c4.
    let fen = "7/3sm2/7/7/7/3K3/1P5/6S/6M w - 0 1";
    assert_eq!(targets::<Basic>(fen, "d4"), "d2 d3");
    assert_eq!(targets::<Basic>(fen, "b3"), "a2 a4 c2");
    // With their king on e6 they go where they like.
    let central = "7/3s3/2m4/4M2/4S2/3K3/1P5/7/7 w - 0 1";
    assert_eq!(targets::<Basic>(central, "d4"), "a4 b4 c4 d1 d2 d3 d5 d6 d7 d8 e4 f4 g4");
    assert_eq!(targets::<Basic>(central, "b3"), "a2 a4 c2 c4 d1 d5");
}

#[test]
fn fools_step_straight_and_capture_diagonally_both_ways() {
    let fen = "3m3/3s3/7/1p1f3/2F4/1p1p3/7/5S1/5M1 w - 0 1";
    // c5: steps to c4 and c6 are raised; captures in all four directions.
    assert_eq!(targets::<Basic>(fen, "c5"), "b4 b6 d4 d6");
    assert_eq!(targets::<Basic>("3m3/3s3/7/7/7/7/1F5/5S1/5M1 w - 0 1", "b3"), "b2 b4");
}

// The numbered decisions.

/// K1: from a central square the king opens all seven raised squares, the King Squares among them; what
/// it leaves behind stays, and moves on by the normal rule.
#[test]
fn k1_a_central_king_opens_all_seven() {
    let fen = "ke2s1k/3Fm1f/7/3S3/2SM3/7/2F4/FF1F3/KP3E1 w - 0 1";
    assert_eq!(targets::<Basic>(fen, "d8"), "d7 d9k e9k");
    assert_eq!(targets::<Basic>(fen, "d2"), "d1 d3");
    // Left behind on c4 the keeper may pass d4 but not e4, and leave.
    assert_eq!(targets::<Basic>("3ms2/7/7/7/1f5/2K4/7/4S2/5M1 w - 0 1", "c4"), "a4 b4 c1 c2 c3 c5 d4");
    // King and swordmasters go everywhere.
    assert_eq!(targets::<Basic>("3ms2/7/7/7/7/3M3/3S3/7/7 w - 0 1", "d4"), "c3 c4 e3 e4");
}

/// K2: after a move of the king or a swordmaster the bond must hold; others move freely meanwhile.
#[test]
fn k2_king_and_swordmasters_keep_or_restore_the_bond() {
    let fen = "k2m2k/3s3/7/7/7/7/5S1/F5F/K2M2K w - 0 1";
    // Broken: the lone swordmaster is two squares away.
    assert_eq!(targets::<Basic>(fen, "d1"), "e2");
    assert_eq!(targets::<Basic>(fen, "f3"), "e2");
    assert_eq!(targets::<Basic>(fen, "a2"), "a3");
    // Whole, in a chain: the farther one may go round the nearer one and the king, the nearer one only where
    // it links both.
    let chain = "3ms2/7/7/7/7/7/2S4/1S5/M6 w - 0 1";
    assert_eq!(targets::<Basic>(chain, "c3"), "a3 b3 c1 c2");
    assert_eq!(targets::<Basic>(chain, "b2"), "");
    assert_eq!(targets::<Basic>(chain, "a1"), "a2 b1");
}

/// K3: with nothing to become, a fool stays one on the last rank, may step back, and return.
#[test]
fn k3_a_fool_stays_a_fool_if_nothing_was_captured() {
    let game = KingsMateGame::<Basic>::new();
    let mut position = game.parse_position("k1smspk/1F5/7/7/7/7/7/F2F1FF/KPSMSEK w - 0 1").unwrap();
    for text in ["b8b9", "a9a8", "b9b8", "a8a9", "b8b9"] {
        position.play(position.parse_move(text).unwrap());
    }
    assert_eq!(position.piece_on(jewel_engine::bitboard::Square::new(57)), Some((5, Side::White)));
    // Once a keeper is gone it must become one, on arrival alone.
    let fen = "k1smspk/1F5/7/7/7/7/7/F2F1FF/KPSMSE1 w - 0 1";
    assert_eq!(targets::<Basic>(fen, "b8"), "a9k b7 b9k c9k");
    let there = "kF1msp1/7/7/7/7/7/7/F2F1FF/KPSMSE1 w - 0 1";
    assert_eq!(targets::<Basic>(there, "b9"), "b8");
}

/// K4: what attacks: by a piece's own moves, with raised squares and the bond, its own king's safety left
/// out.
#[test]
fn k4_attack_is_what_could_capture() {
    // The black keeper on b2 is pinned by the keeper on b1 before its defenseless king, and attacks a2 all
    // the same: a1 cannot go there.
    let pinned = "7/1m5/7/7/7/7/7/1k4F/MK5 w - 0 1";
    assert_eq!(targets::<Basic>(pinned, "a1"), "b2");
    // A guarded king attacks where its bond would hold: e3 next to d2, but not d4.
    let guarded = "k5k/7/7/7/7/7/2M1m2/2S4/K5K b - 0 1";
    assert_eq!(targets::<Basic>(guarded, "e3"), "d4 e2 e4 f2 f3 f4");
    // Two defenseless kings keep apart.
    let bare = "7/1f5/7/7/7/7/3m3/7/3M3 w - 0 1";
    assert_eq!(targets::<Basic>(bare, "d1"), "c1 e1");
    // A keeper does not attack d1, a raised square, unless its king is central.
    assert_eq!(outcome::<Basic>("3ms2/7/7/7/7/7/3k3/2k1k2/3M3 w - 0 1"), Some(Draw));
    assert_eq!(outcome::<Basic>("7/7/2s4/2m4/7/7/3k3/2k1k2/3M3 w - 0 1"), Some(Loss));
}

/// K5: an attack is legal if it would be as a capture, whatever the dice; one on the enemy's defenseless
/// king always is.
#[test]
fn k5_an_attack_is_judged_as_if_it_hit() {
    // The keeper on a3 is pinned by that on a8: it may attack a8, and not c3.
    let pinned = "3ms2/k6/7/7/7/7/K1f4/7/M6 w - - 0 1";
    assert_eq!(targets::<Active>(pinned, "a3"), "a2 a4 a5 a6 a7 a8");
    // An attack counters a check though it may fail.
    assert_eq!(targets::<Active>("3ms2/k2K3/7/7/7/7/7/7/M6 w - - 0 1", "d8"), "a8");
    // The keeper on f4 attacks f2, and that on b2 may attack the enemy's king instead of answering.
    assert!(targets::<Active>("7/1m5/7/7/7/5k1/7/1K3M1/7 w - - 0 1", "b2").contains("b8"));
    // So may a pinned one; but no swordmaster may break the bond for it.
    assert_eq!(targets::<Active>("m6/7/7/7/7/k6/7/K6/M6 w - - 0 1", "a2"), "a3 a4");
    assert_eq!(targets::<Active>("3m3/7/7/7/7/7/7/3S3/3M3 w - - 0 1", "d2"), "c1 c2 e1 e2");
}

/// K6: what was captured follows from the board, and is never less than nothing.
#[test]
fn k6_captured_pieces_follow_from_the_board() {
    let one = "7/F6/7/7/3ms2/7/7/7/KPSMSEK w - 0 1";
    assert_eq!(targets::<Basic>(one, "a8"), "a7 a9");
    assert_eq!(targets::<Basic>("7/F6/7/7/3ms2/7/7/7/1PSMS1K w - 0 1", "a8"), "a7 a9e a9k");
    assert_eq!(targets::<Basic>("7/F6/7/7/3ms2/7/7/K6/KPSMSEK w - 0 1", "a8"), "a7 a9");
    assert_eq!(targets::<Basic>("7/F6/7/7/3ms2/7/7/K6/K1SMSEK w - 0 1", "a8"), "a7 a9p");
}

/// K7: a side without a move that is not attacked has drawn; a switch makes it a loss.
#[test]
fn k7_stalemate_draws_unless_switched() {
    const STUCK: &str = "3ms2/7/1k5/7/7/7/7/6k/M6 w - 0 1";
    assert_eq!(outcome::<Basic>(STUCK), Some(Draw));
    let lost = KingsMateGame::<Basic>::with_parameters("stalemate=loss").unwrap();
    assert_eq!(
        (lost.parse_position(STUCK).unwrap().outcome(), lost.id()),
        (Some(Loss), "kings-mate:stalemate=loss")
    );
    let plain = KingsMateGame::<Basic>::with_parameters("stalemate=draw").unwrap();
    assert_eq!((plain.parse_position(STUCK).unwrap().outcome(), plain.id()), (Some(Draw), "kings-mate"));
    assert_eq!(outcome::<Basic>("3ms2/7/kk5/7/7/7/7/7/M6 w - 0 1"), Some(Loss));
}

/// K8: king against king is a draw, though there are moves.
#[test]
fn k8_bare_kings_draw() {
    for fen in ["3m3/7/7/7/7/7/7/7/3M3 w -", "7/7/7/7/7/2m4/7/7/M6 b -"] {
        assert_eq!(outcome::<Basic>(fen), Some(Draw));
        assert!(parse::<Basic>(fen).count_moves() > 0);
    }
    assert_eq!(outcome::<Active>("7/7/7/7/7/7/7/1m5/M6 w - -"), Some(Draw));
    assert_eq!(outcome::<Basic>("3m3/7/7/7/7/7/7/7/F2M3 w -"), None);
}

// The expanded rules.

#[test]
fn a_fool_on_the_enemys_king_square_wins_at_once() {
    let fen = "ke2s1k/3Fm2/7/7/7/3F3/2F4/4MS1/K2F1SK w - 0 1";
    let position = parse::<Expanded>(fen);
    let won = position.after(position.parse_move("d8d9").unwrap());
    assert_eq!((won.outcome(), won.count_moves()), (Some(Loss), 0));
    // The fool on d1 opens raised squares to the others: d4 to d5. In the basic game nothing opens.
    assert_eq!(targets::<Expanded>(fen, "d4"), "d3 d5");
    assert_eq!(targets::<Basic>(fen, "d4"), "d3");
    assert_eq!(targets::<Basic>(fen, "d8"), "d7 e9e e9p");
    // A keeper is not helped, nor does a keeper on d9 win.
    let keeper = "3K3/3Fm2/4s2/7/7/3K3/7/4MS1/3F3 w - 0 1";
    assert_eq!(targets::<Expanded>(keeper, "d4"), "d2 d3");
    assert_eq!(outcome::<Expanded>(keeper), None);
    // A finished position may be set up, with either side to move.
    assert_eq!(outcome::<Expanded>("3F3/7/4m2/4s2/7/7/7/4MS1/7 w - 0 1"), Some(Win));
    assert_eq!(outcome::<Expanded>("3F3/7/4m2/4s2/7/7/7/4MS1/7 b - 0 1"), Some(Loss));
    assert_eq!(outcome::<Basic>("3F3/7/4m2/4s2/7/7/7/4MS1/7 b - 0 1"), None);
}

#[test]
fn the_crown_is_defended_over_two_swordmasters_in_line() {
    let fen = "kesmspk/ff1f1ff/7/7/7/7/5S1/FF1FS1F/KP1M1EK w Dd 0 1";
    let position = parse::<Expanded>(fen);
    let next = position.after(position.parse_move("d1g4").unwrap());
    assert_eq!(next.position_text(), "kesmspk/ff1f1ff/7/7/7/6M/5S1/FF1FS1F/KP3EK b d 1 1");
    // Not without the right, not in the basic game, not onto a piece, not off the line.
    assert!(!targets::<Expanded>(&fen.replace("Dd", "d"), "d1").contains("g4"));
    assert!(!targets::<Basic>(&fen.replace("Dd", "-"), "d1").contains("g4"));
    assert!(!targets::<Expanded>(&fen.replace("7/5S1", "6F/5S1"), "d1").contains("g4"));
    assert!(!targets::<Expanded>(&fen.replace("7/5S1/FF1FS1F", "7/4S2/FF1FS1F"), "d1").contains("g4"));
    // The right goes with a king's move and with a swordmaster.
    let moved = position.after(position.parse_move("d1e1").unwrap());
    assert!(!moved.may_defend_crown(Side::White) && moved.may_defend_crown(Side::Black));
    let taken = parse::<Expanded>("3m3/7/7/7/5k1/7/5S1/4S2/3M3 b D 0 1");
    assert!(taken.may_defend_crown(Side::White));
    assert!(!taken.after(taken.parse_move("f5f3").unwrap()).may_defend_crown(Side::White));
}

// Active Play.

fn branch(position: &mut Branches<KingsMate<Active>>, line: &str) {
    for text in line.split(' ') {
        position.play(position.parse_move(text).unwrap_or_else(|e| panic!("{text}: {e}")));
    }
}

#[test]
fn a_failed_attack_ends_with_another_piece_or_the_turn() {
    let mut position = Branches(parse::<Active>("3ms2/7/1k4K/7/7/7/6K/1M5/2P4 w - - 0 1"));
    branch(&mut position, "g7b7:miss");
    assert_eq!(position.position_text(), "3ms2/7/1k4K/7/7/7/6K/1M5/2P4 w - g7 1 1");
    assert!(position.repetition_hash().is_none() && !texts(&position).iter().any(|m| m.starts_with("g7")));
    branch(&mut position, "b2a1");
    assert_eq!(position.position_text(), "3ms2/7/1k4K/7/7/7/6K/7/M1P4 b - - 2 1");
    // Nobody else can move: the turn ends, and the king is still attacked; Black may take it with a hit.
    let mut position = Branches(parse::<Active>("3ms2/7/7/7/7/7/k6/1k5/M6 w - - 0 1"));
    assert_eq!(texts(&position), ["a1b2:hit", "a1b2:miss"]);
    branch(&mut position, "a1b2:miss");
    assert_eq!(
        (position.position_text().as_str(), position.outcome()),
        ("3ms2/7/7/7/7/7/k6/1k5/M6 b - - 1 1", None)
    );
    assert!(texts(&position).contains(&"a3a1:hit".to_string()));
    branch(&mut position, "a3a1:hit");
    assert_eq!((position.outcome(), position.0.count_moves()), (Some(Loss), 0));
    assert_eq!(position.position_text(), "3ms2/7/7/7/7/7/7/1k5/k6 w - - 0 2");
}

#[test]
fn an_attack_hits_fifteen_times_in_thirty_six() {
    let position = parse::<Active>("7/1m5/7/7/7/7/7/1K3M1/7 w - - 0 1");
    let odds = position.odds(position.parse_move("b2b8").unwrap());
    assert_eq!((odds.count(), odds.weight(0), odds.weight(1), odds.total()), (2, 15, 21, 36));
    assert!(position.odds(position.parse_move("b2b3").unwrap()).is_certain());
    // A step onto the King Square that captures wins only if it hits.
    let position = Branches(parse::<Active>("3k3/4F2/7/m6/s6/7/7/5S1/3F1M1 w - - 0 1"));
    let play = |text: &str| position.after(position.parse_move(text).unwrap());
    assert_eq!((play("e8d9:hit").outcome(), play("e8d9:miss").outcome()), (Some(Loss), None));
}

#[test]
fn a_missing_king_is_a_finished_game_in_active_play_alone() {
    assert_eq!(outcome::<Active>("7/7/7/7/7/7/7/5S1/5M1 b - -"), Some(Loss));
    assert_eq!(outcome::<Active>("7/7/7/7/7/7/7/5S1/5M1 w - -"), Some(Win));
    // A defenseless king attacked by the side to move: only dice allow that.
    assert_eq!(outcome::<Active>("m6/7/7/7/7/7/7/5S1/K4M1 w - -"), None);
    assert_eq!(
        refused::<Basic>("m6/7/7/7/7/7/7/5S1/K4M1 w -"),
        "Black, not to move, has a defenseless king under attack: that cannot be"
    );
}

// Laws.

/// Plays random games, rolls and all, and checks every position.
fn keep_the_laws<R: RuleSet>(game: &KingsMateGame<R>, games: u32, plies: u32, starts: &[&str]) {
    laws::check(game, games, plies, 3).unwrap();
    let mut random = Random::new(5);
    let mut seen = 0;
    let all = starts.iter().map(|fen| game.parse_position(fen).unwrap()).chain([game.start()]);
    for start in all.flat_map(|start| std::iter::repeat_n(start, games as usize)) {
        let mut position = start;
        for _ in 0..plies {
            let context = |law: String| format!("{law}: {position:?}");
            laws::check_position(game, &position).map_err(context).unwrap();
            laws::check_stages_and_codes(&position).map_err(context).unwrap();
            laws::check_passing(&position).map_err(context).unwrap();
            check_chance(&position).map_err(context).unwrap();
            seen += 1;
            let Some(mv) = random_move(&position, &mut random) else { break };
            position.play_rolled(mv, &mut random);
        }
    }
    assert!(seen > 300, "{seen}");
}

/// Few pieces, bare kings, promotions, gambits: what is rare from the start.
const ENDGAMES: [&str; 6] = [
    "3m3/F2F3/7/2k4/4K2/2P4/7/f2f3/3M3 w -",
    "7/7/2s4/2mf3/7/7/3F3/1k1k3/3M3 w -",
    "k2ms2/7/3s3/7/1p5/4E2/2S4/3SF2/3M2K w -",
    "7/1F3F1/3m3/7/7/7/3M3/1f3f1/7 b -",
    "3m3/1k3k1/7/7/3F3/3K3/7/4S2/3M3 b -",
    "ke2s1k/3Fm2/7/7/7/3F3/2F4/4MS1/K2F1SK w -",
];

#[test]
fn every_game_keeps_the_laws() {
    let with_dice = ENDGAMES.map(|fen| format!("{fen} -"));
    let with_dice = with_dice.each_ref().map(String::as_str);
    let switches = ["", "gambit=on", "defense=on", "gambit=on,defense=on"];
    for rules in switches.iter().flat_map(|special| [special.to_string(), format!("dice=on,{special}")]) {
        let rules = rules.trim_end_matches(',');
        match AnyKingsMate::declared(if rules.is_empty() { "dice=off" } else { rules }).unwrap() {
            AnyKingsMate::Certain(game) => keep_the_laws(&game, 6, 60, &ENDGAMES),
            AnyKingsMate::Active(game) => keep_the_laws(&game, 6, 60, &with_dice),
        }
    }
}

fn expanded(rules: &str) -> KingsMateGame<Expanded> {
    match AnyKingsMate::declared(rules) {
        Ok(AnyKingsMate::Certain(game)) => game,
        other => panic!("{rules}: {other:?}"),
    }
}

#[test]
fn special_rules_are_declared_one_by_one() {
    let id = |rules: &str| match AnyKingsMate::declared(rules).unwrap() {
        AnyKingsMate::Certain(game) => game.id().to_string(),
        AnyKingsMate::Active(game) => game.id().to_string(),
    };
    for (rules, expected) in [
        ("dice=off", "kings-mate"),
        ("stalemate=loss", "kings-mate:stalemate=loss"),
        ("defense=on", "kings-mate:defense=on"),
        ("defense=on,gambit=off,stalemate=loss", "kings-mate:defense=on,stalemate=loss"),
        ("defense=on,gambit=on", "kings-mate-expanded"),
        ("gambit=on,dice=on", "kings-mate:dice=on,gambit=on"),
        ("gambit=on,dice=on,defense=on", "kings-mate-active"),
        ("gambit=on,dice=on,defense=on,stalemate=loss", "kings-mate-active:stalemate=loss"),
    ] {
        assert_eq!(id(rules), expected);
        if let Some((_, parameters)) = expected.split_once("kings-mate:") {
            assert_eq!(id(parameters), expected, "its id names it");
        }
    }
    let error = |rules: &str| AnyKingsMate::declared(rules).unwrap_err().to_string();
    assert_eq!(error("dice=yes"), "dice must be off or on, found \"yes\"");
    assert_eq!(
        error("dices=on"),
        "kings-mate has no parameter \"dices\"; it has dice, gambit, defense, stalemate"
    );
}

#[test]
fn without_special_rules_the_expanded_game_is_the_basic_one() {
    let (basic, declared) = (KingsMateGame::<Basic>::new(), KingsMateGame::basic());
    assert_eq!((basic.id(), basic.name()), (declared.id(), declared.name()));
    for fen in ENDGAMES.iter().copied().chain([BOARD.to_string() + " -"].iter().map(String::as_str)) {
        let (one, other) = (basic.parse_position(fen).unwrap(), declared.parse_position(fen).unwrap());
        assert_eq!(one.position_text(), other.position_text());
        assert_eq!(one.zobrist_hash(), other.zobrist_hash());
        assert_eq!(one.outcome(), other.outcome());
        assert_eq!(perft(&one, 3), perft(&other, 3), "{fen}");
    }
    for fen in ["3m3/7/7/7/7/7/7/7/3M3 w D 0 1", "3m3/7/7/7/7/7/7/2SSS2/3M3 w - 0 1"] {
        let error = |error: Box<dyn std::error::Error + Send + Sync>| error.to_string();
        let expected = basic.parse_position(fen).map_err(error).unwrap_err();
        assert_eq!(declared.parse_position(fen).map_err(error).unwrap_err(), expected);
    }
}

#[test]
fn the_gambit_without_the_defense() {
    let game = expanded("gambit=on");
    // Without rights, the expanded rules have the Gambit alone.
    assert_eq!(game.start().position_text(), format!("{BOARD} - 0 1"));
    assert_eq!(perft(&game.start(), 4), perft(&parse::<Expanded>(&format!("{BOARD} -")), 4));
    let at_the_goal = "7/3F3/7/m6/s6/7/7/5S1/3F1M1 w -";
    let mut position = game.parse_position(at_the_goal).unwrap();
    position.play(position.parse_move("d8d9").unwrap());
    assert_eq!(position.outcome(), Some(Loss));
    let error = game.parse_position(&format!("{BOARD} Dd")).unwrap_err().to_string();
    assert_eq!(error, "the game has no Defense of the Crown: the third field must be \"-\", found \"Dd\"");
}

#[test]
fn the_defense_without_the_gambit() {
    let game = expanded("defense=on");
    assert_eq!(game.start().position_text(), format!("{BOARD} Dd 0 1"));
    // The king jumps over both swordmasters.
    let crown = "3m3/7/7/7/7/7/5S1/4S2/3M3 w D";
    let moves = |fen: &str| texts(&game.parse_position(fen).unwrap());
    let jumps = |fen: &str| moves(fen).contains(&"d1g4".to_string());
    assert!(jumps(crown) && !jumps(&crown.replace(" D", " -")));
    // A fool at home opens nothing, and one beside the enemy's King Square cannot enter it: it is raised.
    let basic = |fen: &str| texts(&parse::<Basic>(fen));
    for fen in ["7/3F3/7/m6/s6/7/7/5S1/3F1M1 w -", "7/7/7/m6/2F4/2F4/7/5S1/3F1M1 w -"] {
        assert_eq!(moves(fen), basic(fen), "{fen}");
        assert_ne!(texts(&expanded("gambit=on").parse_position(fen).unwrap()), basic(fen), "{fen}");
    }
}

#[test]
fn dice_alone() {
    let Ok(AnyKingsMate::Active(game)) = AnyKingsMate::declared("dice=on") else { panic!() };
    assert_eq!(game.start().position_text(), format!("{BOARD} - - 0 1"));
    let fen = "7/7/7/m6/2F4/2F4/7/5S1/3F1M1 w -";
    let position = game.parse_position(&format!("{fen} -")).unwrap();
    assert_eq!(texts(&position), texts(&parse::<Basic>(fen)), "a fool at home opens nothing");
    // A king that is taken has lost, and a fool on the enemy's King Square has won nothing.
    let taken = game.parse_position("7/7/7/7/7/5k1/7/1K3M1/7 b - -").unwrap();
    assert_eq!(taken.outcome(), Some(Loss));
    let usurper = game.parse_position("3F3/7/7/m6/7/7/7/5S1/5M1 b - -").unwrap();
    assert_eq!(usurper.outcome(), None);
}

/// Legal moves by the definition: each move of a piece that keeps the bond, after which no enemy capture of a
/// defenseless king is there.
#[test]
fn a_defenseless_king_is_never_left_to_a_capture() {
    let mut random = Random::new(11);
    let mut checked = 0;
    for fen in ENDGAMES {
        for _ in 0..20 {
            let mut position = parse::<Expanded>(fen);
            for _ in 0..40 {
                let Some(mv) = random_move(&position, &mut random) else { break };
                position.play(mv);
                let them = !position.side_to_move();
                // The same board with dice lists captures of the king.
                let text = position.position_text();
                let fields: Vec<&str> = text.split(' ').collect();
                let dice = parse::<Active>(&format!("{} {} {} -", fields[0], fields[1], fields[2]));
                let king = position.pieces(them, 0).first();
                assert!(!list_moves(&dice).iter().any(|m| m.to == king), "{text}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

/// What pieces are worth in these tests, by type.
const VALUES: PieceValues = {
    let mut values = [0; 32];
    (values[0], values[1], values[2], values[3], values[4], values[5]) = (20_000, 700, 500, 300, 300, 100);
    values
};

#[test]
fn exchanges_count_kings_last_and_bonds() {
    let gain = |fen: &str, text: &str| {
        let position = parse::<Basic>(fen);
        let mv = position.parse_move(text).unwrap();
        (-2000..2000).rev().find(|&n| position.exchange_at_least(mv, n, &VALUES)).unwrap()
    };
    // A keeper for a fool: guarded by a priest, by nobody, by king and swordmaster.
    assert_eq!(gain("3ms2/7/7/p6/1f5/7/1K5/7/3MS2 w -", "b3b5"), -400);
    assert_eq!(gain("3ms2/7/p6/7/1f5/7/1K5/7/3MS2 w -", "b3b5"), 100);
    assert_eq!(gain("7/7/7/ms5/1f5/7/1K5/7/3MS2 w -", "b3b5"), -400);
    // With a keeper behind, the swordmaster that takes is taken, and the king takes last.
    assert_eq!(gain("7/7/7/ms5/1f5/7/1K5/1K5/3MS2 w -", "b3b5"), -200);
    // A swordmaster that may not leave the bond guards nothing.
    assert_eq!(gain("3m3/4s2/7/7/1f5/7/1K5/7/3MS2 w -", "b3b5"), 100);
}
