//! The rules of the Facets, sentence by sentence, and the numbered decisions J1 to J6: each as positions,
//! with the same positions under the opposite rule where the variant file can state it.

use crate::common::{View, compile, embedded, look, outcome, refused, reversed, view};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::Outcome::{Draw, Loss, Win};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use std::collections::HashSet;

fn play(rules: &Rules, line: &str) -> View {
    look(rules, &rules.start, line).unwrap_or_else(|e| panic!("{line}: {e}"))
}

// Pieces.

/// Moves of a piece alone on a board, as target squares.
fn targets(rules: &Rules, fen: &str, from: &str) -> String {
    let all = view(rules, fen);
    all.from(from).iter().map(|m| &m[2..]).collect::<Vec<_>>().join(" ")
}

#[test]
fn pieces_move_as_the_table_says() {
    let ambush = embedded("ambush");
    // L jumps one or two squares along lines, Q along diagonals; enemies elsewhere keep the game going.
    assert_eq!(targets(ambush, "4n/5/5/1L3/5 w - - 0 1", "b2"), "a2 b1 b3 b4 c2 d2");
    assert_eq!(targets(ambush, "4n/5/5/1Q3/5 w - - 0 1", "b2"), "a1 a3 c1 c3 d4");
    assert_eq!(targets(ambush, "4n/5/5/1N3/5 w - - 0 1", "b2"), "a4 c4 d1 d3");
    // They jump over friend and foe, and capture what they land on, enemies only.
    assert_eq!(targets(ambush, "4n/5/1n3/nLN2/5 w - - 0 1", "b2"), "a2 b1 b3 b4 d2");
    let crystal = embedded("crystal-of-doom");
    let cloaked = targets(crystal, "6n/7/7/7/7/2C4/7 w - - 0 1", "c2");
    assert_eq!(cloaked, "a1 a3 a4 b1 b3 b4 d1 d3 d4 e1 e3 e4");
    let quest = embedded("diamond-quest");
    assert_eq!(targets(quest, "6k/7/7/7/7/7/K6 w - - 0 1", "a1"), "a2 b1 b2");
    assert_eq!(targets(quest, "6k/7/7/7/1R5/7/1K5 w - - 0 1", "b3"), "a3 b2 b4 b5 b6 b7 c3 d3 e3 f3 g3");
    assert_eq!(targets(quest, "5k1/7/7/7/7/1B5/1K5 w - - 0 1", "b2"), "a1 a3 c1 c3 d4 e5 f6 g7");
}

#[test]
fn red_is_south_and_upper_case() {
    for game in games::GAMES.iter().filter(|game| game.id != "chess") {
        let rules = game.rules();
        assert_eq!(rules.sides, ["Red", "Green"]);
        let placement = rules.start.split('/').collect::<Vec<_>>();
        assert!(placement[0].chars().all(|c| !c.is_ascii_uppercase()), "{}", rules.start);
        assert!(
            placement.last().unwrap().split(' ').next().unwrap().chars().all(|c| !c.is_ascii_lowercase())
        );
        assert_eq!(rules.repetition, 3, "threefold repetition draws in every game");
        assert_eq!(rules.move_rule, None, "no 50-move rule");
    }
}

#[test]
fn start_positions_are_those_of_the_rules() {
    for (id, start) in [
        ("duel", "l2/3/2L w - - 0 1"),
        ("ambush", "nqlqn/5/5/5/NQLQN b - - 0 1"),
        ("diamond-qi", "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w - - 0 1"),
        ("diamond-quest", "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w KQkq - 0 1"),
        ("diamond-chess", "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w KQkq - 0 1"),
        ("crystal-of-doom", "rnbcbnr/ppppppp/7/7/7/PPPPPPP/RNBCBNR w - - 0 1"),
        ("star-lords", "rnckcnr/ppppppp/7/7/7/PPPPPPP/RNCKCNR w - - 0 1"),
    ] {
        assert_eq!(view(embedded(id), &embedded(id).start).fen, start, "{id}");
    }
    assert_eq!(games::find("diamaranga").unwrap().id, "diamond-quest");
}

#[test]
fn people_read_the_names_of_the_source() {
    let name = |id: &str, letter: char, side: usize| {
        let n = embedded(id).pieces.iter().find(|n| n.letter == letter).unwrap();
        (n.names[side].as_str(), n.abbreviations[side].as_str())
    };
    assert_eq!(name("duel", 'L', 0), ("Armed Guard", "JLD-RDAR"));
    assert_eq!(name("duel", 'L', 1), ("Prince", "JLD-GNPR"));
    assert_eq!(name("ambush", 'L', 0), ("Sheriff", "JLA-RDKI"));
    assert_eq!(name("ambush", 'L', 1), ("Longbowman", "JLA-GNLO"));
    assert_eq!(name("ambush", 'Q', 0), ("Guardsman", "JLA-RDGU"));
    assert_eq!(name("ambush", 'Q', 1), ("Sword-hand", "JLA-GNSW"));
    assert_eq!(name("ambush", 'N', 0), ("Tax Collector", "JLA-RDTA"));
    assert_eq!(name("ambush", 'N', 1), ("Staffman", "JLA-GNST"));
    assert_eq!(name("diamond-quest", 'K', 1), ("Princess", "JLN-GNPS"));
    assert_eq!(name("diamond-chess", 'R', 0), ("Tower", "JLN-RDTO"));
    assert_eq!(name("diamond-qi", 'B', 0).0, "Noble");
    assert!(name("diamond-qi", 'P', 0).0.contains("Pikeman"));
    assert_eq!(name("star-lords", 'K', 0).0, "Star-Lord");
    assert_eq!(name("crystal-of-doom", 'C', 0).0, "Cloaked Prince");
}

// The three objectives.

#[test]
fn hold_wins_at_the_beginning_of_the_holders_turn() {
    let duel = embedded("duel");
    // The landing itself does not win: Green moves, and only then Red has held.
    assert_eq!(play(duel, "c1b1 a3c3 b1b2").outcome, None);
    let held = play(duel, "c1b1 a3c3 b1b2 c3a3");
    assert_eq!((held.outcome, held.moves.len()), (Some(Win), 0));
    // A capturer that lands on the key must survive in its turn: the source's second game.
    assert_eq!(play(duel, "c1b1 a3a2 b1b2 a2b2").outcome, Some(Loss));
    let retaken = embedded("ambush");
    let line = look(retaken, "5/2l2/2N2/5/2L1N b - - 0 1", "c4c3").unwrap();
    assert_eq!(line.outcome, None);
    assert!(line.has("c1c3"));
    // Attacked or not, what stands on the key has held it.
    assert_eq!(outcome(duel, "3/lL1/3 w - - 0 1"), Some(Win));
}

#[test]
fn secure_needs_a_key_that_nobody_attacks() {
    let crystal = embedded("crystal-of-doom");
    assert_eq!(outcome(crystal, "3r3/7/7/3R3/7/7/6b w - - 0 1"), None);
    assert_eq!(outcome(crystal, "2r4/7/7/3R3/7/7/5b1 w - - 0 1"), Some(Win));
    // Shielded: the Tower on d7 no longer attacks d4.
    assert_eq!(outcome(crystal, "3r3/3p3/7/3R3/7/7/7 w - - 0 1"), Some(Win));
    // A Pikeman attacks diagonally forward and not straight.
    assert_eq!(outcome(crystal, "7/7/3p3/3R3/7/7/7 w - - 0 1"), Some(Win));
    assert_eq!(outcome(crystal, "7/7/2p4/3R3/7/7/7 w - - 0 1"), None);
    // Under hold all of them are won.
    let hold = reversed("crystal-of-doom", "objective = \"secure\"", "objective = \"hold\"");
    assert_eq!(outcome(&hold, "7/7/2p4/3R3/7/7/7 w - - 0 1"), Some(Win));
}

#[test]
fn secure_lets_any_character_and_capture_only_the_star_lord() {
    let (crystal, star) = (embedded("crystal-of-doom"), embedded("star-lords"));
    assert_eq!(outcome(crystal, "r6/7/7/3P3/7/7/7 w - - 0 1"), Some(Win));
    assert_eq!(outcome(star, "k6/7/7/3K3/7/7/7 w - - 0 1"), Some(Win));
    assert_eq!(outcome(star, "k6/7/7/3C3/7/7/K6 w - - 0 1"), None);
    assert_eq!(outcome(star, "k2r3/7/7/3K3/7/7/7 w - - 0 1"), None);
}

#[test]
fn only_the_princess_may_hold_in_diamond_qi() {
    let qi = embedded("diamond-qi");
    assert_eq!(outcome(qi, "3k3/7/7/3K3/7/7/7 w - - 0 1"), Some(Win));
    assert_eq!(outcome(qi, "3k3/7/7/3R3/7/7/3K3 w - - 0 1"), None);
    let anybody = reversed("diamond-qi", "eligible = \"K\"", "");
    assert_eq!(outcome(&anybody, "3k3/7/7/3R3/7/7/3K3 w - - 0 1"), Some(Win));
}

// The order of judgement.

#[test]
fn the_key_is_judged_before_bare_and_dead_and_stalemate() {
    // 1 before 2: the holder has won though the enemy's end would be a win too; and the enemy of a holder
    // that cannot move has lost.
    assert_eq!(outcome(embedded("duel"), "3/1L1/3 w - - 0 1"), Some(Win));
    assert_eq!(outcome(embedded("ambush"), "5/5/2Q2/5/1q3 w - - 0 1"), Some(Win));
    // 2 before 3: the last piece is a Sword-hand that cannot reach c3: drawn, not lost.
    assert_eq!(outcome(embedded("ambush"), "5/5/5/5/1q3 w - - 0 1"), Some(Draw));
    // 3 before 4: nobody can reach the key, and the side to move cannot move.
    let stuck = view(embedded("diamond-qi"), "7/7/7/7/7/p6/P6 w - - 0 1");
    assert_eq!((stuck.moves.len(), stuck.outcome), (0, Some(Draw)));
}

// J1.

#[test]
fn j1_a_survivor_that_can_reach_the_key_has_won_at_once() {
    let (duel, ambush) = (embedded("duel"), embedded("ambush"));
    assert_eq!(outcome(duel, "3/3/2L b - - 0 1"), Some(Loss));
    assert_eq!(outcome(duel, "3/3/2L w - - 0 1"), Some(Win));
    assert_eq!(outcome(ambush, "5/5/5/5/N4 b - - 0 1"), Some(Loss));
    // The end comes by capture.
    let taken = look(duel, "3/2l/2L w - - 0 1", "c1c2").unwrap();
    assert_eq!((taken.outcome, taken.moves.len()), (Some(Loss), 0));
}

#[test]
fn j1_a_survivor_on_the_wrong_colour_draws() {
    let ambush = embedded("ambush");
    // A Guardsman never leaves its colour: b1 and c3 differ, a1 and c3 do not.
    assert_eq!(outcome(ambush, "5/5/5/5/1Q3 b - - 0 1"), Some(Draw));
    assert_eq!(outcome(ambush, "5/5/5/5/Q4 b - - 0 1"), Some(Loss));
    assert_eq!(outcome(ambush, "5/5/5/5/1Q1Q1 w - - 0 1"), Some(Draw));
    assert_eq!(outcome(ambush, "5/5/5/5/1QL2 w - - 0 1"), Some(Win));
    // Were every survivor to win, as `bare = "loss"` says, the first would be lost.
    let reversed = compile(&(games::find("ambush").unwrap().text.to_string() + "\n[end]\nbare = \"loss\"\n"));
    assert_eq!(outcome(&reversed, "5/5/5/5/1Q3 b - - 0 1"), Some(Loss));
}

#[test]
fn j1_asks_for_an_eligible_piece_and_for_its_own_moves() {
    let (qi, star) = (embedded("diamond-qi"), embedded("star-lords"));
    assert_eq!(outcome(qi, "7/7/7/7/7/7/RN1K3 b - - 0 1"), Some(Loss));
    assert_eq!(outcome(qi, "7/7/7/7/7/7/RN5 b - - 0 1"), Some(Draw));
    assert_eq!(outcome(star, "7/7/7/7/7/7/CR5 b - - 0 1"), Some(Draw));
    // Pikemen go straight forward when there is nothing to capture: d2 reaches d4, c2 and d5 do not.
    let crystal = embedded("crystal-of-doom");
    assert_eq!(outcome(crystal, "7/7/7/7/7/3P3/7 b - - 0 1"), Some(Loss));
    assert_eq!(outcome(crystal, "7/7/7/7/7/2P4/7 b - - 0 1"), Some(Draw));
    assert_eq!(outcome(crystal, "7/7/3P3/7/7/7/7 b - - 0 1"), Some(Draw));
    assert_eq!(outcome(crystal, "7/7/3p3/7/7/7/7 w - - 0 1"), Some(Loss));
}

#[test]
fn j1_leaves_pieces_in_the_way_that_never_move_again() {
    let (qi, star) = (embedded("diamond-qi"), embedded("star-lords"));
    for rules in [qi, star] {
        // Pikemen on d4 to d7: the last has no move, and each blocks the next. Nobody gets to the key.
        assert_eq!(outcome(rules, "3P3/3P3/3P3/3P3/2R4/7/K6 b - - 0 1"), Some(Draw));
        // With d7 or d6 empty they all step on, and with the key empty they are no hindrance.
        assert_eq!(outcome(rules, "7/3P3/3P3/3P3/2R4/7/K6 b - - 0 1"), Some(Loss));
        assert_eq!(outcome(rules, "3P3/7/3P3/3P3/2R4/7/K6 b - - 0 1"), Some(Loss));
        assert_eq!(outcome(rules, "3P3/3P3/3P3/7/3P3/7/K6 b - - 0 1"), Some(Loss));
        // The same of Green, whose Pikemen stop on the first rank.
        assert_eq!(outcome(rules, "k6/7/2r4/3p3/3p3/3p3/3p3 w - - 0 1"), Some(Draw));
        // A Princess in a corner behind her own Pikemen, who cannot move because she does not.
        assert_eq!(outcome(rules, "KP5/PP5/7/7/7/7/R6 b - - 0 1"), Some(Draw));
        assert_eq!(outcome(rules, "K6/PP5/7/7/7/7/R6 b - - 0 1"), Some(Loss));
    }
    // The capture that leaves them alone draws; another one wins.
    let corner = "3P3/3P3/3P3/2nP3/2R4/7/K6 w - - 0 1";
    assert_eq!(look(qi, corner, "c3c4").unwrap().outcome, Some(Draw));
    assert_eq!(look(qi, "7/3P3/3P3/2nP3/2R4/7/K6 w - - 0 1", "c3c4").unwrap().outcome, Some(Loss));
    // Where every piece is eligible, one that stands on the key has it.
    let crystal = embedded("crystal-of-doom");
    assert_eq!(outcome(crystal, "3P3/3P3/3P3/3P3/7/7/7 b - - 0 1"), Some(Loss));
}

/// The rule is what a search of all that the survivor can do finds.
#[test]
fn j1_agrees_with_a_search_of_the_survivors_moves() {
    let mut drawn = 0;
    for id in ["diamond-qi", "star-lords", "crystal-of-doom"] {
        let rules = embedded(id);
        let mut random = Random::new(32);
        for _ in 0..2000 {
            let mut pieces = vec![Bitboard::EMPTY; rules.type_count()];
            let mut taken = Bitboard::EMPTY;
            for n in 0..1 + random.below(9) {
                let king = usize::from(rules.type_of('K').unwrap_or(0));
                let pikeman = usize::from(rules.type_of('P').unwrap());
                let kind = [king, pikeman][usize::from(n > 0)];
                // Pikemen of the last ranks, and any other piece: what blocks itself is rare otherwise.
                let kind = if random.below(8) == 0 {
                    random.below(rules.type_count() as u32) as usize
                } else {
                    kind
                };
                let square = if n == 0 { random.below(49) } else { 21 + random.below(28) };
                let square = Square::new(square as u8);
                if !taken.has(square) && rules.territory(kind as u8, Side::White).has(square) {
                    taken |= square.bit();
                    pieces[kind] |= square.bit();
                }
            }
            let Some(reaches) = reaches_alone(rules, &pieces, 5_000) else { continue };
            let sets = pieces.iter().enumerate().map(|(kind, set)| (kind as u8, Side::White, *set));
            let position = AnyChessLike::assemble(rules, Side::Black, sets);
            let expected = if reaches { Loss } else { Draw };
            assert_eq!(position.outcome(), Some(expected), "{position:?}");
            let eligible = rules.key.as_ref().unwrap().eligible;
            let has = (0..rules.type_count()).any(|k| eligible >> k & 1 != 0 && pieces[k].any());
            drawn += u32::from(!reaches && has);
        }
    }
    assert!(drawn > 40, "{drawn} draws of survivors with an eligible piece");
}

/// Whether White, alone on the board, can bring an eligible piece to its key; `None` if that takes more positions
/// than `limit`.
fn reaches_alone(rules: &Rules, pieces: &[Bitboard], limit: usize) -> Option<bool> {
    let key = rules.key.as_ref().unwrap();
    let mut seen = HashSet::from([pieces.to_vec()]);
    let mut queue = vec![pieces.to_vec()];
    while let Some(pieces) = queue.pop() {
        let won = |k: usize| key.eligible >> k & 1 != 0 && (pieces[k] & key.squares[0]).any();
        if (0..pieces.len()).any(won) {
            return Some(true);
        }
        let occupied = pieces.iter().fold(Bitboard::EMPTY, |all, set| all | *set);
        for (kind, &set) in pieces.iter().enumerate() {
            for from in set {
                for to in rules.quiet_targets(kind as u8, Side::White, from, occupied) {
                    let mut after = pieces.clone();
                    after[kind] ^= from.bit() | to.bit();
                    if seen.insert(after.clone()) {
                        queue.push(after);
                    }
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(false)
}

#[test]
fn tables_of_games_in_which_pieces_get_stuck_are_not_those_of_before() {
    // The fingerprints of the first release. Nothing changes where no piece can ever be stuck.
    assert_eq!(embedded("ambush").fingerprint, 0xdaab_ff68_e267_cdf1);
    assert_eq!(embedded("diamond-quest").fingerprint, 0x391c_6102_5da8_a851);
    assert_ne!(embedded("diamond-qi").fingerprint, 0xb3f6_5a3b_57f9_c1c8);
}

// Rule 3.

#[test]
fn rule_3_nobody_can_ever_reach_the_key() {
    let ambush = embedded("ambush");
    let dead = view(ambush, "1q3/5/5/5/1Q1Q1 b - - 0 1");
    assert_eq!(dead.outcome, Some(Draw));
    assert!(!dead.moves.is_empty(), "adjudicated although there are moves");
    assert_eq!(outcome(ambush, "2q2/5/5/5/1Q1Q1 b - - 0 1"), None);
    assert_eq!(outcome(ambush, "1q3/5/5/5/1QL2 b - - 0 1"), None);
    // One side that can is enough, even if it is the other one's piece that cannot.
    assert_eq!(outcome(ambush, "1q3/5/5/5/L4 b - - 0 1"), None);
}

#[test]
fn rule_3_both_princesses_gone_draw_and_one_gone_plays_on() {
    let qi = embedded("diamond-qi");
    assert_eq!(outcome(qi, "rnb1bnr/ppppppp/7/7/7/PPPPPPP/RNB1BNR w - - 0 1"), Some(Draw));
    assert_eq!(outcome(qi, "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNB1BNR w - - 0 1"), None);
    // Pikemen may reach the key by captures, so that with prey about they count.
    let crystal = embedded("crystal-of-doom");
    assert_eq!(outcome(crystal, "7/7/p6/7/7/2P4/7 w - - 0 1"), None);
    assert_eq!(outcome(crystal, "7/7/P6/7/7/2p4/7 w - - 0 1"), Some(Draw));
}

// J2.

#[test]
fn j2_no_move_with_an_enemy_on_the_key_loses() {
    let qi = embedded("diamond-qi");
    // Red's only Pikeman is blocked by a Tower; the Princess on d4 is Green's.
    let held = view(qi, "7/7/7/3k3/7/r6/P6 w - - 0 1");
    assert_eq!((held.moves.len(), held.outcome), (0, Some(Loss)));
    // Elsewhere, or with another piece on the key, it is a draw.
    assert_eq!(outcome(qi, "7/7/7/7/3k3/r6/P6 w - - 0 1"), Some(Draw));
    assert_eq!(outcome(qi, "k6/7/7/3b3/7/r6/P6 w - - 0 1"), Some(Draw));
    // With Crystal of Doom's objective too: nobody can clear the key any more.
    let crystal = embedded("crystal-of-doom");
    assert_eq!(outcome(crystal, "7/7/7/3b3/7/r6/P6 w - - 0 1"), Some(Loss));
    assert_eq!(outcome(crystal, "7/7/7/7/3b3/r6/P6 w - - 0 1"), Some(Draw));
}

// J3.

#[test]
fn j3_the_array_of_ambush_and_its_grounds() {
    let ambush = embedded("ambush");
    assert!(ambush.start.starts_with("nqlqn/") && ambush.start.contains("/NQLQN b"));
    // A Sword-hand never gets to jump the centre: those of the start can never stand on c3.
    for square in ["5/5/5/5/1Q3", "5/5/5/5/3Q1"] {
        assert_eq!(outcome(ambush, &format!("{square} b - - 0 1")), Some(Draw));
    }
    assert!(!play(ambush, "").moves.iter().any(|m| m.ends_with("c3") && m.starts_with('q')));
    assert_eq!(view(ambush, &ambush.start).moves.len(), 12);
}

// J4.

#[test]
fn j4_the_towering_rule_fits_the_array() {
    for id in ["diamond-quest", "diamond-chess"] {
        let rules = embedded(id);
        for (fen, short, long) in [
            ("3k3/7/7/7/7/7/R2K2R w KQ - 0 1", "d1f1", "d1b1"),
            ("r2k2r/7/7/7/7/7/3K3 b kq - 0 1", "d7f7", "d7b7"),
        ] {
            let before = view(rules, fen);
            assert!(before.has(short) && before.has(long), "{id}");
            let east = look(rules, fen, short).unwrap().fen;
            let west = look(rules, fen, long).unwrap().fen;
            let row = if fen.contains('R') { ["R3RK1", "1KR3R"] } else { ["r3rk1", "1kr3r"] };
            assert!(east.contains(row[0]) && west.contains(row[1]), "{east} {west}");
            assert!(east.contains(" - - "), "the rights are gone");
        }
    }
}

// Blocking key.

#[test]
fn the_key_of_diamond_qi_blocks_sliders() {
    let qi = embedded("diamond-qi");
    let tower = view(qi, "k6/7/7/R6/7/7/K6 w - - 0 1");
    assert_eq!(tower.from("a4").iter().filter(|m| m.ends_with('4')).count(), 3, "b4, c4 and d4");
    assert!(tower.has("a4d4") && !tower.has("a4e4"));
    let noble = view(qi, "k6/7/7/7/7/7/B2K3 w - - 0 1");
    assert!(noble.has("a1d4") && !noble.has("a1e5"));
    // Occupied, it is captured on and not passed either.
    let taken = view(qi, "k6/7/7/R2n3/7/7/K6 w - - 0 1");
    assert!(taken.has("a4d4") && !taken.has("a4e4"));
    // From the key a slider goes as usual, and leapers do not mind.
    let out = view(qi, "k6/7/7/3R3/7/7/K6 w - - 0 1");
    assert_eq!(out.from("d4").len(), 12);
    assert!(view(qi, "k6/7/7/7/2N4/7/K6 w - - 0 1").has("c3d5"));
    let free = reversed("diamond-qi", "blocking = [\"d4\"]", "");
    assert!(view(&free, "k6/7/7/R6/7/7/K6 w - - 0 1").has("a4g4"));
    // An ordinary square in the other two games.
    for id in ["diamond-quest", "diamond-chess"] {
        assert!(view(embedded(id), "k6/7/7/1R5/7/7/1K5 w - - 0 1").has("b4g4"));
    }
}

#[test]
fn j6_the_key_blocks_in_the_last_two_games_too() {
    for id in ["crystal-of-doom", "star-lords"] {
        let rules = embedded(id);
        let tower = view(rules, "r6/7/7/R6/7/7/7 w - - 0 1");
        assert!(tower.has("a4d4") && !tower.has("a4e4"), "{id}");
        // Crystal of Doom's attackers are blocked as well: the key is its own square.
        assert_eq!((rules.royal, rules.castles.len()), (None, 0));
        let text = games::find(id).unwrap().text;
        assert_eq!((rules.geometry.width(), rules.geometry.height()), (7, 7));
        assert!(!text.contains("promotion") && !text.contains("[[castling]]"));
        // Single steps, and no promotion on the last rank.
        let pikeman = view(rules, "2r4/7/7/7/7/P6/7 w - - 0 1");
        assert_eq!(pikeman.from("a2"), ["a2a3"]);
        assert!(look(rules, "2r4/P6/7/7/7/7/7 w - - 0 1", "a6a7").is_ok());
    }
}

// The Princess and the Pikemen of DiamondQi.

#[test]
fn the_princess_of_diamond_qi_is_not_royal() {
    let qi = embedded("diamond-qi");
    // She may stand beside the other and be captured; no check binds her.
    assert!(view(qi, "7/7/1k5/7/K6/7/7 w - - 0 1").has("a3a4"));
    let taken = look(qi, "7/7/1k5/K6/7/7/6R b - - 0 1", "b5a4").unwrap();
    assert_eq!(taken.outcome, None);
    // She may walk into an attack, and another piece may leave her to it.
    assert!(view(qi, "1r5/7/3k3/7/K6/7/7 w - - 0 1").has("a3b3"));
    assert!(view(qi, "r6/7/N6/7/K6/7/3k3 w - - 0 1").has("a5c6"));
    // No castling.
    assert!(!view(qi, "r2k2r/7/7/7/7/7/R2K2R w - - 0 1").has("d1f1"));
    assert!(refused(qi, "r2k2r/7/7/7/7/7/R2K2R w KQkq - 0 1", "").contains("castling rights"));
    let royal = reversed("diamond-qi", "moves = \"K\"", "moves = \"K\"\nroyal = true");
    assert!(!view(&royal, "7/7/1k5/7/K6/7/7 w - - 0 1").has("a3a4"));
}

#[test]
fn pikemen_of_diamond_qi_stay_on_the_last_rank() {
    let qi = embedded("diamond-qi");
    let arrived = look(qi, "k6/3P3/7/7/7/7/K6 w - - 0 1", "d6d7").unwrap();
    assert!(arrived.fen.starts_with("k2P3/"), "{}", arrived.fen);
    let stays = look(qi, "k6/3P3/7/7/7/7/K6 w - - 0 1", "d6d7 a7a6").unwrap();
    assert!(stays.from("d7").is_empty());
    assert!(
        look(qi, "k6/3P3/2r4/7/7/7/K6 w - - 0 1", "d6d7 c5c7 a1a2").unwrap().has("c7d7"),
        "captured there"
    );
    assert!(refused(qi, "k6/3P3/7/7/7/7/K6 w - - 0 1", "d6d7r").contains("does not promote"));
    // One step only.
    assert_eq!(view(qi, &qi.start).from("d2"), ["d2d3"]);
}

// DiamondQuest and DiamondChess.

#[test]
fn promotion_is_compulsory_to_tower_noble_or_knight() {
    for id in ["diamond-quest", "diamond-chess"] {
        let rules = embedded(id);
        let white = view(rules, "r4k1/1P5/7/7/7/7/3K3 w - - 0 1");
        assert_eq!(
            white.from("b6"),
            ["b6a7b", "b6a7n", "b6a7r", "b6b7b", "b6b7n", "b6b7r"],
            "by moving and by capturing"
        );
        assert_eq!(view(rules, "5k1/7/7/7/7/1p5/R4K1 b - - 0 1").from("b2").len(), 6);
        assert!(refused(rules, "5k1/1P5/7/7/7/7/3K3 w - - 0 1", "b6b7").contains("must promote"));
        assert!(refused(rules, "5k1/1P5/7/7/7/7/3K3 w - - 0 1", "b6b7k").contains("cannot become 'k'"));
        assert!(refused(rules, "1P3k1/7/7/7/7/7/3K3 w - - 0 1", "").contains("cannot stand on b7"));
        // A promoted Aristocrat is an R.
        let promoted = look(rules, "5k1/1P5/7/7/7/7/3K3 w - - 0 1", "b6b7r").unwrap();
        assert!(promoted.fen.starts_with("1R3k1/"));
    }
}

#[test]
fn steps_are_single_in_quest_and_double_in_chess() {
    let (quest, chess) = (embedded("diamond-quest"), embedded("diamond-chess"));
    assert_eq!(view(quest, &quest.start).from("c2"), ["c2c3"]);
    assert_eq!(view(chess, &chess.start).from("c2"), ["c2c3", "c2c4"]);
    // From the second rank only, over an empty square, to an empty square.
    assert_eq!(look(chess, &chess.start, "c2c3 a6a5").unwrap().from("c3"), ["c3c4"]);
    let blocked = view(chess, "3k3/7/7/2n4/n6/P1P4/3K3 w - - 0 1");
    assert_eq!(blocked.from("a2"), Vec::<&str>::new());
    assert_eq!(blocked.from("c2"), ["c2c3"]);
    assert!(refused(quest, "3k3/7/7/1pP4/7/7/3K3 b - c3 0 1", "").contains("c3"));
}

#[test]
fn check_checkmate_and_stalemate() {
    for id in ["diamond-quest", "diamond-chess"] {
        let rules = embedded(id);
        // Two Towers mate on the edge; without the check it is stalemate.
        let mate = view(rules, "k5R/6R/7/7/7/7/3K3 b - - 0 1");
        assert_eq!((mate.moves.len(), mate.outcome), (0, Some(Loss)));
        let stale = view(rules, "k6/6R/7/7/7/7/1R1K3 b - - 0 1");
        assert_eq!((stale.moves.len(), stale.outcome), (0, Some(Draw)));
        // In check only what ends it: to step aside, to capture, to stand in the way.
        let check = view(rules, "k5R/7/5r1/7/7/7/3K3 b - - 0 1");
        assert_eq!(check.moves, ["a7a6", "a7b6", "f5f7"]);
        assert!(view(rules, "k2r2R/7/7/7/7/7/4K2 b - - 0 1").outcome.is_none());
        // Princesses keep apart, and pinned pieces stay on their line.
        assert!(!view(rules, "7/7/1k5/7/K6/7/6R w - - 0 1").has("a3a4"));
        assert_eq!(view(rules, "3k3/7/7/3r3/7/3R3/3K3 w - - 0 1").from("d2"), ["d2d3", "d2d4"]);
        assert!(view(rules, "3k3/7/7/3r3/7/3N3/3K3 w - - 0 1").from("d2").is_empty());
        assert!(refused(rules, "3k3/7/7/7/7/7/3R2K w - - 0 1", "").contains("in check"));
        assert!(refused(rules, "3k3/7/7/7/7/7/7 w - - 0 1", "").contains("exactly one Princess"));
    }
}

#[test]
fn towering_has_the_usual_conditions() {
    let quest = embedded("diamond-quest");
    let sides = |fen: &str| {
        let all = view(quest, fen);
        (all.has("d1f1"), all.has("d1b1"))
    };
    assert_eq!(sides("3k3/7/7/7/7/7/R2K2R w KQ - 0 1"), (true, true));
    assert_eq!(sides("3k3/7/7/7/7/7/R2K2R w K - 0 1"), (true, false), "the right is gone");
    // Out of check, through check, into check.
    assert_eq!(sides("3k3/7/7/3r3/7/7/R2K2R w KQ - 0 1"), (false, false));
    assert_eq!(sides("3k3/7/7/4r2/7/7/R2K2R w KQ - 0 1"), (false, true));
    assert_eq!(sides("3k3/7/7/5r1/7/7/R2K2R w KQ - 0 1"), (false, true));
    assert_eq!(sides("3k3/7/7/2r4/7/7/R2K2R w KQ - 0 1"), (true, false));
    // The Tower itself may be attacked.
    assert_eq!(sides("r2k2r/7/7/7/7/7/R2K2R w KQ - 0 1"), (true, true));
    // Every square between must be empty, the Tower's path too.
    assert_eq!(sides("3k3/7/7/7/7/7/RN1K2R w KQ - 0 1"), (true, false));
    assert_eq!(sides("3k3/7/7/7/7/7/R1BK2R w KQ - 0 1"), (true, false));
    assert_eq!(sides("3k3/7/7/7/7/7/R2K1nR w KQ - 0 1"), (false, true));
    assert_eq!(sides("3k3/7/7/7/7/7/R2KB1R w KQ - 0 1"), (false, true));
}

#[test]
fn towering_rights_are_lost_by_moves_and_by_capture() {
    let quest = embedded("diamond-quest");
    let fen = "r2k2r/7/7/7/7/7/R2K2R w KQkq - 0 1";
    let rights = |line: &str| look(quest, fen, line).unwrap().fen.split(' ').nth(2).unwrap().to_string();
    assert_eq!(rights("a1a2"), "Kkq");
    assert_eq!(rights("a1a2 d7d6"), "K");
    assert_eq!(rights("a1a2 a7b7 a2a1"), "Kk", "coming back does not help");
    assert_eq!(rights("d1d2"), "kq");
    assert_eq!(rights("d1b1"), "kq");
    assert_eq!(rights("g1g7"), "Qq", "the captured Tower's right goes too");
    // A promoted Aristocrat on the Tower's square has no right.
    let promoted = look(quest, "3k3/P6/7/7/7/7/3K3 w - - 0 1", "a6a7r").unwrap();
    assert_eq!(promoted.fen.split(' ').nth(2), Some("-"));
    assert!(
        refused(quest, "3k3/7/7/7/7/7/3K2R w Q - 0 1", "").contains("castling right Q needs a Tower on a1")
    );
}

#[test]
fn en_passant_at_once_or_never() {
    let chess = embedded("diamond-chess");
    let fen = "3k3/7/7/1p1p3/7/2P4/3K3 w - - 0 1";
    let after = look(chess, fen, "c2c4").unwrap();
    assert_eq!(after.fen.split(' ').nth(3), Some("c3"));
    assert!(after.has("b4c3") && after.has("d4c3"));
    let taken = look(chess, fen, "c2c4 b4c3").unwrap();
    assert!(taken.fen.starts_with("3k3/7/7/3p3/2p4/7/3K3 w"), "{}", taken.fen);
    // A move later it is too late, and a single step gives no such right.
    let late = look(chess, fen, "c2c4 d7d6 d1d2").unwrap();
    assert!(!late.has("b4c3") && !late.has("d4c3"));
    assert!(!look(chess, "3k3/7/7/1p5/7/2P4/3K3 w - - 0 1", "c2c3 d7d6 c3c4").unwrap().has("b4c3"));
    // Only Pikemen capture so.
    assert_eq!(
        look(chess, "3k3/7/7/3n3/7/2P4/3K3 w - - 0 1", "c2c4").unwrap().fen.split(' ').nth(3),
        Some("-")
    );
}

#[test]
fn en_passant_must_not_expose_the_princess() {
    let chess = embedded("diamond-chess");
    let ep = |fen: &str, step: &str| look(chess, fen, step).unwrap();
    // Both Pikemen leave the rank: the Tower would give check along it.
    let along = ep("7/7/7/k2p2R/7/4P2/3K3 w - - 0 1", "e2e4");
    assert!(!along.has("d4e3"));
    assert_eq!(
        along.fen.split(' ').nth(3),
        Some("-"),
        "a square without a legal capture is not part of the position"
    );
    // Without the Tower it is.
    assert_eq!(ep("7/7/7/k2p3/7/4P2/3K3 w - - 0 1", "e2e4").fen.split(' ').nth(3), Some("e3"));
    // The captured Pikeman uncovers a diagonal: Noble g2, Pikeman e4, Princess d5.
    let uncovered = view(chess, "7/7/3k3/3pP2/7/6B/3K3 b - e3 0 1");
    assert!(!uncovered.has("d4e3") && uncovered.fen.contains(" b - - "), "{uncovered:?}");
    assert!(view(chess, "7/7/3k3/3pP2/7/5B1/3K3 b - e3 0 1").has("d4e3"));
    // The captor leaves a diagonal: Noble b2, Pikeman d4, Princess e5.
    assert!(!ep("7/7/4k2/3p3/7/1B2P2/3K3 w - - 0 1", "e2e4").has("d4e3"));
    // The captor leaves its file: Tower d1, Pikeman d4, Princess d7.
    let pinned = ep("3k3/7/7/3p3/7/4P2/K2R3 w - - 0 1", "e2e4");
    assert!(!pinned.has("d4e3"));
    // Capturing the checker en passant answers its check.
    let checker = ep("7/7/3k3/3p3/7/4P2/K6 w - - 0 1", "e2e4");
    assert!(checker.has("d4e3"), "{:?}", checker.moves);
}

#[test]
fn equal_positions_do_not_differ_by_an_idle_en_passant_square() {
    let chess = embedded("diamond-chess");
    let stepped = look(chess, "3k3/7/7/7/7/2P4/3K3 w - - 0 1", "c2c4").unwrap();
    let written = view(chess, "3k3/7/7/2P4/7/7/3K3 b - c3 0 1");
    let plain = view(chess, "3k3/7/7/2P4/7/7/3K3 b - - 0 1");
    assert_eq!(stepped.keys, plain.keys);
    assert_eq!(written, plain);
    assert!(refused(chess, "3k3/7/7/7/2P4/7/3K3 b - c3 0 1", "").contains("c3"));
}

// J5.

#[test]
fn j5_insufficient_material() {
    for id in ["diamond-quest", "diamond-chess"] {
        let rules = embedded(id);
        let dead = |fen: &str| outcome(rules, fen) == Some(Draw);
        assert!(dead("3k3/7/7/7/7/7/3K3 w - - 0 1"));
        assert!(dead("3k3/7/7/7/7/7/N2K3 w - - 0 1") && dead("n2k3/7/7/7/7/7/3K3 b - - 0 1"));
        assert!(dead("3k3/7/7/7/7/7/B2K3 w - - 0 1") && dead("b2k3/7/7/7/7/7/3K3 w - - 0 1"));
        // Nobles all on one colour, however many and whosever; a1 is dark, b1 light.
        assert!(dead("b2k3/7/7/7/7/7/B2K3 w - - 0 1"));
        assert!(dead("b1b1k2/7/7/7/7/7/B1B1K2 w - - 0 1"));
        // On both colours they are not dead, neither with one side nor with two.
        assert!(!dead("3k3/7/7/7/7/7/BB1K3 w - - 0 1"));
        assert!(!dead("b2k3/7/7/7/7/7/1B1K3 w - - 0 1"));
        for live in ["N1NK3", "R2K3", "BN1K3"] {
            assert!(!dead(&format!("3k3/7/7/7/7/7/{live} w - - 0 1")), "{live}");
        }
        assert!(!dead("n2k3/7/7/7/7/7/N2K3 w - - 0 1"), "K+N v K+N is not listed");
        assert!(!dead("3k3/7/7/7/7/P6/3K3 w - - 0 1"));
        // Adjudicated, although there are moves.
        assert!(!view(rules, "3k3/7/7/7/7/7/3K3 w - - 0 1").moves.is_empty());
    }
    let without = reversed("diamond-quest", "insufficient = [\"KvK\", \"KNvK\", \"KBvK\"]", "");
    assert_eq!(outcome(&without, "3k3/7/7/7/7/7/N2K3 w - - 0 1"), None);
    let colours = reversed("diamond-quest", "insufficient-same-colour = \"B\"", "");
    assert_eq!(outcome(&colours, "b2k3/7/7/7/7/7/B2K3 w - - 0 1"), None);
}

// The source's claims about Duel that need no solver.

#[test]
fn duel_has_four_first_moves() {
    assert_eq!(play(embedded("duel"), "").moves, ["c1a1", "c1b1", "c1c2", "c1c3"]);
}
