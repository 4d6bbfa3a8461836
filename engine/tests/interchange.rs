//! Sections of a `variants.ini` and variant files, to and fro.

use crate::common::{compile, count};
use jewel_engine::games;
use jewel_engine::interchange::{Export, ImportError, Problem, export, import, sections};
use jewel_engine::variant::Rules;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::BTreeMap;
use std::fs;

const SECTIONS: &str = include_str!("data/interchange/sections.ini");
const COUNTS: &str = include_str!("data/interchange/sections.counts");

fn problems(text: &str) -> Vec<Problem> {
    match import(text, None, &[]) {
        Err(ImportError::Refused(problems)) => problems,
        other => panic!("{text}: {other:?}"),
    }
}

fn imported(text: &str) -> Rules {
    compile(&import(text, None, &[]).unwrap_or_else(|error| panic!("{text}: {error}")).text)
}

/// The counts are those of the program that the format comes from.
#[test]
fn imported_sections_count_as_the_program_does() {
    let counts: BTreeMap<&str, Vec<u64>> = COUNTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, counts)| (name, counts.split(' ').map(|n| n.parse().unwrap()).collect()))
        .collect();
    let names = sections(SECTIONS).unwrap();
    assert_eq!(names.len(), counts.len());
    for section in names {
        let variant = import(SECTIONS, Some(&section.name), &[]).unwrap();
        let rules = compile(&variant.text);
        assert_eq!(rules.id, section.name);
        for (depth, nodes) in counts[section.name.as_str()].iter().enumerate() {
            assert_eq!(
                count(&rules, &rules.start, depth as u32 + 1),
                *nodes,
                "{} {}",
                section.name,
                depth + 1
            );
        }
    }
}

/// Every variant file that comes with the program, and what its section cannot say.
const LOST: [(&str, &[&str]); 15] = [
    ("duel", &["end.bare", "end.stalemate", "key"]),
    ("ambush", &["end.bare", "end.stalemate", "key"]),
    ("diamond-qi", &["board.blocking", "end.bare", "end.stalemate", "key"]),
    ("diamond-quest", &["draw.insufficient", "draw.insufficient-same-colour"]),
    ("diamond-chess", &["draw.insufficient", "draw.insufficient-same-colour"]),
    ("crystal-of-doom", &["board.blocking", "end.bare", "end.stalemate", "key.objective", "key"]),
    ("star-lords", &["board.blocking", "end.bare", "end.stalemate", "key.objective", "key"]),
    ("decapawn", &[]),
    ("diamond-qi-open", &["end.bare", "end.stalemate", "key"]),
    ("duel-3x5", &["end.bare", "end.stalemate", "key"]),
    ("duel-4x4", &["end.bare", "end.stalemate", "key"]),
    ("duel-5x5", &["end.bare", "end.stalemate", "key"]),
    ("chess", &["draw.insufficient", "draw.insufficient-same-colour"]),
    ("fox-and-hounds", &["key"]),
    ("hexapawn", &[]),
];

fn variant_files() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let examples = files.iter().map(|file| fs::read_to_string(file).unwrap());
    // One of the examples is a game of the program.
    let others = examples.filter(|text| games::GAMES.iter().all(|game| game.text != text));
    games::GAMES.iter().map(|game| game.text.to_string()).chain(others).collect()
}

#[test]
fn what_a_section_can_say_comes_back_as_it_was() {
    let mut seen = 0;
    for text in variant_files() {
        let rules = compile(&text);
        let Export { name, text: section, losses } = export(&text).unwrap();
        assert_eq!(name.strip_suffix("-jewel").unwrap_or(&name), rules.id);
        let lost: Vec<&str> = losses.iter().map(|loss| loss.key.as_str()).collect();
        let accept = ["flagMove".to_string()];
        let back = compile(&import(&section, Some(&name), &accept).unwrap().text);
        if let Some((_, expected)) = LOST.iter().find(|(id, _)| *id == rules.id) {
            assert_eq!(&lost, expected, "{name}");
            seen += 1;
        }
        // A royal piece that is captured comes back as an extinction: the same play by other words.
        if lost.is_empty() && rules.captured_royal.is_none() {
            assert_eq!(back.fingerprint, rules.fingerprint, "{name}\n{section}");
        }
        // What is lost ends games otherwise; it makes no other moves, but for squares that stop sliders.
        if !lost.contains(&"board.blocking") {
            assert_eq!(count(&back, &back.start, 4), count(&rules, &rules.start, 4), "{name}\n{section}");
        }
        assert_eq!(count(&back, &back.start, 1), count(&rules, &rules.start, 1), "{name}");
    }
    assert_eq!(seen, LOST.len());
}

/// Imported sections, exported and imported again, are the same rules.
#[test]
fn sections_survive_a_journey_there_and_back() {
    for section in sections(SECTIONS).unwrap() {
        let there = import(SECTIONS, Some(&section.name), &[]).unwrap();
        let back = export(&there.text).unwrap();
        if !back.losses.is_empty() {
            let lost: Vec<&str> = back.losses.iter().map(|loss| loss.key.as_str()).collect();
            assert!(ONE_WAY.contains(&(section.name.as_str(), &lost)), "{}: {lost:?}", section.name);
            continue;
        }
        let again =
            import(&back.text, None, &[]).unwrap_or_else(|e| panic!("{}: {e}\n{}", section.name, back.text));
        let (first, second) = (compile(&there.text), compile(&again.text));
        assert_eq!(first.fingerprint, second.fingerprint, "{}\n{}\n{}", section.name, there.text, back.text);
    }
}

#[test]
fn a_section_is_not_called_like_a_built_in_variant() {
    let section = export(games::find("chess").unwrap().text).unwrap();
    assert_eq!(section.name, "chess-jewel");
    assert!(
        section.text.contains("# Not called chess: the program has that variant built in.\n[chess-jewel]\n")
    );
    assert!(section.text.contains("\nchess960 = true\n"), "{}", section.text);
    let back = import(&section.text, None, &[]).unwrap();
    assert_eq!(compile(&back.text).id, "chess-jewel");
}

#[test]
fn chess960_comes_along() {
    let plain = compile(&import("[a:chess]\n", None, &[]).unwrap().text);
    let random = compile(&import("[a:fischerandom]\n", None, &[]).unwrap().text);
    assert_eq!((plain.chess960, random.chess960), (false, true));
    let arranged =
        "[a:fischerandom]\nstartFen = qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9\n";
    let arranged = compile(&import(arranged, None, &[]).unwrap().text);
    assert_eq!(count(&arranged, &arranged.start, 3), 26895);
    // Without a king or without rights there is nothing to castle.
    for text in ["[a:fischerandom]\nking = -\ncommoner = k\n", "[a:fischerandom]\ncastling = false\n"] {
        assert!(!compile(&import(text, None, &[]).unwrap().text).chess960, "{text}");
    }
}

/// Imported sections of which a section cannot say everything in the words of a variant file.
const ONE_WAY: [(&str, &[&str]); 2] = [("walls", &["piece.territory"]), ("dialect", &["piece.moves"])];

#[test]
fn each_key_that_cannot_be_expressed_is_named_with_its_line() {
    let text =
        "[a:chess]\npassOnStalemate = true\ngating = true\nmustCapture = false\nconnectN = 3\nmaxRnak = 6\n";
    let found: Vec<(String, Option<usize>)> = problems(text).into_iter().map(|p| (p.key, p.line)).collect();
    let expected = [("connectN", 5), ("gating", 3), ("maxRnak", 6), ("passOnStalemate", 2)];
    assert_eq!(found, expected.map(|(key, line)| (key.to_string(), Some(line))));
    let why = |text: &str| problems(text).remove(0).to_string();
    assert!(why(text).starts_with("line 5, connectN = 3: "), "{}", why(text));
    assert!(why("[a:chess]\nmaxRnak = 6\n").ends_with("unknown key (did you mean \"maxRank\"?)"));
    assert_eq!(
        why("[a:seirawan]\n"),
        "inherited from [seirawan], startFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK…: there are pieces in hand, but none is dropped"
    );
    let refused = import(text, None, &[]).unwrap_err().to_string();
    assert!(refused.ends_with("(and 3 more)"), "{refused}");
}

/// What says nothing under the other rules of a section does not stand in its way.
#[test]
fn keys_that_say_nothing_are_no_problem() {
    imported("[a:chess]\ncapturesToHand = true\ndropRegionWhite = *1\nblastImmuneTypes = k\n");
    imported(
        "[a:chess]\nwallOrMove = true\npieceToCharTable = -\npieceValueMg = q:900\nvariantTemplate = fairy\n",
    );
    imported(
        "[a]\ncustomPiece1 = p:W\nstartFen = 8/8/8/p7/7P/8/8/8 w\nchecking = false\nflyingGeneral = true\n",
    );
    imported("[a:chess]\nnFoldRule = 0\nnFoldValue = loss\nflagPieceCount = 3\n");
    assert_eq!(problems("[a:chess]\nchecking = false\n")[0].key, "checking");
}

#[test]
fn a_loss_can_be_accepted_and_is_told() {
    let text = "[a:chess]\nchecking = false\npass = true\n";
    let accept =
        |keys: &[&str]| import(text, None, &keys.iter().map(ToString::to_string).collect::<Vec<_>>());
    let Err(ImportError::Refused(half)) = accept(&["checking"]) else { panic!() };
    assert_eq!(
        half.iter().map(|p| (p.key.as_str(), p.accepted)).collect::<Vec<_>>(),
        [("pass", false), ("checking", true)]
    );
    let whole = accept(&["checking", "pass"]).unwrap();
    assert_eq!(whole.losses.len(), 2);
    assert!(
        whole
            .text
            .contains("# Not expressed: line 2, checking = false: giving check is always allowed here.\n")
    );
    assert_eq!(compile(&whole.text).fingerprint, imported("[b:chess]\n").fingerprint);
    // A hop cannot be left out of a piece.
    let text = "[a:chess]\nqueen = -\ncustomPiece1 = q:pR\n";
    let Err(ImportError::Refused(hop)) = import(text, None, &["customPiece1".into()]) else { panic!() };
    assert_eq!((hop[0].key.as_str(), hop[0].line, hop[0].accepted), ("customPiece1", Some(3), false));
}

#[test]
fn rules_that_look_alike_and_are_not_are_refused() {
    let kings = "king = k\nstartFen = 4k3/8/8/8/8/8/8/4K3 w\ncastling = false\n";
    for (text, key) in [
        // Any of several types, not all of them.
        ("[a:chess]\nextinctionValue = loss\nextinctionPieceTypes = qr\n", "extinctionPieceTypes"),
        // A rook that jumps over squares it may not enter.
        (
            &format!(
                "[a]\n{kings}rook = r\nmobilityRegionWhiteRook = *1 *4\nstartFen = 4k3/8/8/8/8/8/8/R3K3 w\n"
            ),
            "mobilityRegionWhiteRook",
        ),
        // Who stands on the goal, and the other side cannot move.
        (&format!("[a]\n{kings}flagPiece = k\nflagRegion = d4\nflagMove = true\n"), "flagMove"),
        // Sideways steps and forward ones of one pawn.
        ("[a:chess]\npawn = -\ncustomPiece1 = p:mfsWcfF\npawnTypes = p\n", "pawnTypes"),
        // Two royal pieces, or one side without.
        ("[a:chess]\nstartFen = 4k3/8/8/8/8/8/8/3KK3 w - - 0 1\n", "king"),
        ("[a:chess]\nstartFen = 4k3/8/8/8/8/8/8/8 w - - 0 1\n", "king"),
        ("[a:chess]\nstartFen = 4k3/8/8/8/8/8/8/4K3[Qq] w - - 0 1\n", "startFen"),
        // A piece that is dropped only where it does not check.
        ("[a:crazyhouse]\ndropChecks = false\n", "dropChecks"),
        (
            "[a:crazyhouse]\npawn = -\ncustomPiece1 = p:mfWcfF\ncustomPiece2 = o:mfWcfF\npawnTypes = po\nstartFen = 4k3/p7/8/8/8/8/O7/4K3 w\n",
            "promotionPawnTypes",
        ),
        ("[a:placement]\nmustDropType = n\n", "mustDropType"),
        ("[a:3check]\n", "startFen"),
        // Another piece than the royal one castles.
        (
            "[a:chess]\ncommoner = c\ncastlingKingPiece = c\nstartFen = r3c2r/3k4/8/8/8/8/3K4/R3C2R w KQkq\n",
            "castlingKingPiece",
        ),
        ("[a:chess]\nmaxRank = 10\nmaxFile = 10\n", "maxFile"),
    ] {
        assert_eq!(problems(text)[0].key, key, "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_one_line() {
    let error = |text: &str, name: Option<&str>| import(text, name, &[]).unwrap_err().to_string();
    assert_eq!(error("x\n", None), "line 1: expected \"[name]\" or \"key = value\", found \"x\"");
    assert_eq!(error("", None), "no section in the file: expected [name]");
    assert_eq!(error("[a:chess]\n[b:chess]\n", None), "2 sections in the file: name one of them");
    assert_eq!(
        error("[orda:chess]\n", Some("odra")),
        "no section [odra] in the file (did you mean \"orda\"?)"
    );
    assert_eq!(
        error("[a:b]\n[b:chess]\n", Some("a")),
        "line 1: [a] inherits from \"b\", which is neither an earlier section of the file nor a built-in variant known here"
    );
    assert_eq!(error("[a]\nking = k\n", None), "line 1, startFen = (default): no start position is given");
    assert_eq!(
        error("[a:chess]\nmaxRank = 7\n", None),
        "inherited from [fairy], startFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK…: the board has 7 ranks, this position 8"
    );
}

/// Lines such as people write, right ones and wrong ones.
fn line() -> impl Strategy<Value = String> {
    let values = select(vec![
        "true",
        "false",
        "-",
        "*",
        "p",
        "k",
        "q:1",
        "p:q n:b",
        "*8",
        "*1 *2",
        "a1 h8",
        "0",
        "3",
        "f",
        "win",
        "loss",
        "draw",
        "none",
        "p:mfWcfFifmnD",
        "x:NN",
        "y:W3nA",
        "z:pR",
        "k:KN",
        "n:",
        ":",
        "",
        "é",
        "99999999999",
        "a0",
    ]);
    let keys = select(vec![
        "king",
        "pawn",
        "queen",
        "commoner",
        "customPiece1",
        "customPiece25",
        "customPiece26",
        "maxRank",
        "maxFile",
        "pawnTypes",
        "promotionPieceTypes",
        "promotionPawnTypesBlack",
        "promotionRegionWhite",
        "promotedPieceType",
        "mandatoryPawnPromotion",
        "mandatoryPiecePromotion",
        "doubleStep",
        "doubleStepRegionWhite",
        "enPassantTypes",
        "enPassantRegion",
        "castling",
        "castlingKingsideFile",
        "castlingRank",
        "castlingKingPiece",
        "castlingRookPieces",
        "castlingRookKingsideFile",
        "flagPiece",
        "flagRegion",
        "flagRegionWhite",
        "flagMove",
        "extinctionValue",
        "extinctionPieceTypes",
        "extinctionPseudoRoyal",
        "stalemateValue",
        "checkmateValue",
        "nFoldRule",
        "nMoveRule",
        "nMoveRuleTypes",
        "mobilityRegionWhiteKing",
        "mobilityRegionBlackCustomPiece1",
        "mobilityRegionWhite",
        "pieceDrops",
        "startFen",
        "mustCapture",
        "nonsense",
    ]);
    let starts = select(vec![
        "startFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "startFen = 4k3/8/8/8/8/8/8/4K3 w",
        "startFen = 3/3/3",
        "startFen = x2k/4/4/K2X b - - 0 1",
        "startFen = **1k/4/4/K*2[Pp] b KQ 3+3 +P~",
        "maxRank = 4\nmaxFile = 4\ncustomPiece1 = x:WD",
    ]);
    prop_oneof![
        6 => (keys, values).prop_map(|(key, value)| format!("{key} = {value}")),
        2 => starts.prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..ProptestConfig::default() })]

    /// Any text is answered; what is imported is a variant file that can be exported.
    #[test]
    fn no_text_brings_it_down(text in "(\\[[a-z:\\]]{0,6}|[a-zA-Z]{0,9} ?=? ?[a-z0-9*:/ \\-]{0,9}|\\PC{0,8}|\n){0,12}") {
        let _ = sections(&text);
        let _ = import(&text, None, &[]);
    }

    #[test]
    fn any_lines_are_refused_or_become_a_variant_file(
        base in select(vec!["", ":chess", ":losalamos", ":kingofthehill", ":breakthrough", ":extinction"]),
        lines in prop::collection::vec(line(), 0..8),
        accept in subsequence(vec!["pieceDrops", "pass", "startFen", "flagMove", "nonsense"], 0..5),
    ) {
        let text = format!("[a{base}]\n{}\n", lines.join("\n"));
        let accept: Vec<String> = accept.into_iter().map(String::from).collect();
        match import(&text, Some("a"), &accept) {
            Ok(import) => {
                prop_assert!(import.losses.iter().all(|loss| loss.accepted));
                let rules = Rules::parse(&import.text).map_err(|e| TestCaseError::fail(format!("{e}\n{}", import.text)))?;
                let back = export(&import.text).unwrap();
                if back.losses.is_empty() && import.losses.is_empty() {
                    let again = super_import(&back.text)?;
                    prop_assert_eq!(again.fingerprint, rules.fingerprint, "{}\n{}\n{}", text, import.text, back.text);
                }
            }
            Err(ImportError::Refused(problems)) => prop_assert!(problems.iter().any(|problem| !problem.accepted)),
            Err(other) => prop_assert!(!other.to_string().contains('\n')),
        }
    }
}

fn super_import(text: &str) -> Result<Rules, TestCaseError> {
    let again = import(text, None, &[]).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
    Rules::parse(&again.text).map_err(|e| TestCaseError::fail(format!("{e}\n{}", again.text)))
}
