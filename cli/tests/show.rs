//! `jewel show`: the golden board, marks, colours, pictures.

use crate::common::{duel_of, error, file, json, ok, place, program, run};
use serde_json::Value;
use std::fs;

#[test]
fn duel_is_drawn() {
    let golden = "\
Duel in the Castle (duel)
Two King's Lancers on nine squares; hold the stairs on b2 for one turn.

   ╭───────╮   Green
 3 │ l · · │     l  Prince       JLD-GNPR
 2 │ ·[·]· │   Red to move
 1 │ · · L │     L  Armed Guard  JLD-RDAR
   ╰───────╯
     a b c

[·] key square  b2
position        l2/3/2L w - - 0 1
";
    assert_eq!(ok(&["show", "duel"]), golden);
}

#[test]
fn a_finished_game_names_the_winner() {
    let golden = "\
Duel in the Castle (duel)
Two King's Lancers on nine squares; hold the stairs on b2 for one turn.

   +-------+   Green
 3 | l . . |     l  Prince       JLD-GNPR
 2 | .[L]. |   Red
 1 | . . . |     L  Armed Guard  JLD-RDAR
   +-------+
     a b c

[.] key square  b2
position        l2/1L1/3 w - - 4 3

over: Red has won
";
    assert_eq!(ok(&["show", "duel", "--ascii", "--moves", "c1b1 a3c3 b1b2 c3a3"]), golden);
    assert!(golden.is_ascii());
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let once = "c1a1 a3a2 a1c1 a2a3";
    assert!(!ok(&["show", "duel", "--moves", once]).contains("over"));
    let text = ok(&["show", "duel", "--moves", &format!("{once} {once}")]);
    assert!(text.ends_with("\nover: draw by repetition\n"), "{text}");
    let object = json(&["show", "duel", "--json", "--moves", &format!("{once} {once}")]);
    assert_eq!(object["outcome"], "draw");
}

#[test]
fn a_board_for_people_says_longbowman() {
    let text = ok(&["show", "ambush"]);
    for line in ["l  Longbowman     JLA-GNLO", "L  Sheriff        JLA-RDKI", "Green to move\n"] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(text.contains("position        nqlqn/5/5/5/NQLQN b - - 0 1\n"));
}

#[test]
fn what_the_board_does_not_show_is_said() {
    let text = ok(&["show", "diamond-qi"]);
    assert!(text.contains("4 │ · · ·[·]· · · │") && text.contains("d4, which no slider passes"), "{text}");
    let text = ok(&["show", "diamond-chess", "--moves", "e2e4"]);
    assert!(text.contains("castling rights  KQkq"), "{text}");
    let capture = ["show", "diamond-chess", "--fen", "3k3/7/7/1pPp3/7/7/3K3 w - - 0 1"];
    assert!(!ok(&capture).contains("en passant  "));
    let text = ok(&["show", "diamond-chess", "--fen", "3k3/2p4/7/1P5/7/4K2/7 b - - 0 1", "--moves", "c6c4"]);
    assert!(text.contains("en passant  c5"), "{text}");
    let text = ok(&["show", "diamond-quest", "--fen", "3k3/3R3/7/7/7/7/3K3 b - - 0 1"]);
    assert!(text.contains("check     Green"), "{text}");
}

#[test]
fn colours_are_for_terminals() {
    let coloured = |set: &[(&str, &str)]| {
        let output = program().args(["show", "duel"]).envs(set.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\x1b')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
}

/// Text without escape sequences is the same with and without colours.
#[test]
fn colours_move_nothing() {
    let output = program().args(["show", "ambush"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let mut plain = String::new();
    let coloured = String::from_utf8(output.stdout).unwrap();
    for (n, part) in coloured.split("\x1b[").enumerate() {
        plain.push_str(if n == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(plain, ok(&["show", "ambush"]));
}

#[test]
fn json_has_every_piece() {
    let object = json(&["show", "diamond-qi", "--json"]);
    assert_eq!(object["game"], "diamond-qi");
    assert_eq!(object["fen"], "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w - - 0 1");
    assert_eq!((object["width"].as_u64(), object["height"].as_u64()), (Some(7), Some(7)));
    assert_eq!(object["pieces"].as_array().unwrap().len(), 28);
    let first = &object["pieces"][0];
    assert_eq!((first["square"].as_str(), first["letter"].as_str()), (Some("a1"), Some("R")));
    assert_eq!((first["name"].as_str(), first["abbreviation"].as_str()), (Some("Tower"), Some("JLN-RDTO")));
    assert_eq!(object["key"], serde_json::json!(["d4"]));
    assert_eq!(object["blocking"], serde_json::json!(["d4"]));
    assert_eq!(object["sides"], serde_json::json!(["Red", "Green"]));
    assert_eq!(object["side_to_move"], "w");
    assert!(object["outcome"].is_null());
    let chess = json(&["show", "diamond-chess", "--json"]);
    assert_eq!(chess["notes"]["castling rights"], "KQkq");
}

#[test]
fn a_nameless_variant_is_drawn_with_letters_alone() {
    let variant = duel_of("4x4", "l3/4/4/2NL", "b2");
    let knight = "moves = \"WD\"\n\n[[piece]]\nletter = \"N\"\nmoves = \"N\"\n";
    let path = file("nameless.toml", variant.replace("moves = \"WD\"\n", knight));
    let golden = "\
My Duel (my-duel)
To win: hold b2 for a turn.

   ╭─────────╮   Black
 4 │ l · · · │     l
 3 │ · · · · │   White to move
 2 │ ·[·]· · │     N L
 1 │ · · N L │
   ╰─────────╯
     a b c d

[·] key square  b2
position        l3/4/4/2NL w - - 0 1
";
    assert_eq!(ok(&["show", "--variant", &path]), golden);
}

#[test]
fn a_side_without_pieces_says_so() {
    let text = ok(&["show", "duel", "--fen", "3/3/2L w - - 0 1"]);
    assert!(text.contains("╮   Green\n 3 │ · · · │     has no piece\n"), "{text}");
    assert!(text.ends_with("\nover: Red has won\n"), "{text}");
}

#[test]
fn a_wide_board_has_its_legend_below() {
    let text = duel_of("20x3", "l19/20/19L", "b2").replace("[\"b2\"]", "[\"rank 3\", \"b2\"]");
    let text =
        text.replace("moves = \"WD\"", &format!("moves = \"WD\"\nname = \"{}\"", "Lancer ".repeat(4).trim()));
    let drawn = ok(&["show", "--variant", &file("wide.toml", text)]);
    assert!(drawn.contains("\n 3 │[l · · · · · · · · · · · · · · · · · · ·]│\n 2 │ ·[·]· "), "{drawn}");
    assert!(drawn.contains("\n\nBlack\n  l  Lancer Lancer Lancer Lancer\nWhite to move\n"), "{drawn}");
    assert!(drawn.contains("[·] key square  b2 a3-t3\n"), "{drawn}");
}

/// Start and end tags match, attributes are quoted, and nothing is loaded from elsewhere.
fn check_svg(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "), "{svg}");
    assert_eq!(svg.matches("http").count(), 1);
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').expect("tags are closed");
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        let name = inside.split([' ', '/']).find(|word| !word.is_empty()).unwrap();
        if inside.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_picture_is_written_whole() {
    let target = file("board.svg", "what was there before");
    assert_eq!(ok(&["show", "ambush", "--svg", &target]), format!("wrote {target}\n"));
    let svg = fs::read_to_string(&target).unwrap();
    check_svg(&svg);
    assert_eq!(svg.matches("class=\"key\"").count(), 1);
    // Ten pieces on the board and six kinds in the legend.
    assert_eq!(svg.matches("<circle").count(), 16);
    for word in ["Longbowman on c5", "JLA-GNLO", "Green to move", "nqlqn/5/5/5/NQLQN b - - 0 1"] {
        assert!(svg.contains(word), "{word}");
    }
    assert_eq!(ok(&["show", "ambush", "--svg", "-"]), svg);
    let object = json(&["show", "ambush", "--json", "--svg", &target]);
    assert_eq!(object["svg"], target.as_str());
    let left = fs::read_dir(place("")).unwrap().filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains("board.svg."))
    });
    assert_eq!(left.count(), 0, "no temporary file stays");
}

#[test]
fn a_link_to_a_picture_stays_a_link() {
    #[cfg(unix)]
    {
        let (target, link) = (file("linked.svg", ""), place("link.svg"));
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&target, &link).unwrap();
        ok(&["show", "duel", "--svg", &link]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        check_svg(&fs::read_to_string(&target).unwrap());
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_refused() {
    let absent = place("absent-directory/board.svg");
    assert!(error(&["show", "duel", "--svg", &absent]).contains("absent-directory: No such file"));
    assert!(error(&["show", "duel", "--svg", &place("")]).ends_with("a directory, not a file"));
    let below_a_file = file("plain", "") + "/board.svg";
    assert!(error(&["show", "duel", "--svg", &below_a_file]).starts_with(&below_a_file));
    assert!(error(&["show", "duel", "--svg", ""]).contains("--svg"));
    if cfg!(target_os = "linux") {
        assert!(error(&["show", "duel", "--svg", "/proc/board.svg"]).contains("in directory /proc"));
        assert!(error(&["show", "duel", "--svg", "/dev/null"]).contains("not a regular file"));
    }
    assert!(error(&["show", "duel", "--json", "--svg", "-"]).contains("both print to stdout"));
}

#[test]
fn a_variant_file_is_drawn_and_cannot_command_the_terminal() {
    let text = duel_of("4x4", "l3/4/4/3L", "b2").replace("My Duel", "My \\u001b[31m<Duel>");
    let path = file("escape.toml", text);
    let said = run(&["show", "--variant", &path]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.starts_with("My \u{fffd}[31m<Duel> (my-duel)\n"), "{}", said.stdout);
    let svg = ok(&["show", "--variant", &path, "--svg", "-"]);
    assert!(svg.contains("&lt;Duel&gt;"));
    check_svg(&svg);
}

/// A variant file of a board of 5x6 squares in which both sides have a goal.
fn with_goals(name: &str, white: &str, black: &str) -> String {
    let text = format!(
        "name = \"Goals\"\n\n[board]\nsize = \"5x6\"\nstart = \"2k2/5/5/5/5/2K2 w - - 0 1\"\n\n[[piece]]\nletter = \"K\"\n\
         moves = \"K\"\n\n[key]\ngoals = {{ w = [{white}], b = [{black}] }}\nobjective = \"reach\"\n"
    );
    file(name, text)
}

#[test]
fn objectives_speak_of_ranks_and_not_of_numbers_of_squares() {
    for (n, (white, black, text)) in [
        ("\"rank 6\"", "\"rank 1\"", "reach rank 6 (White), rank 1 (Black)"),
        ("\"rank 6\", \"rank 5\"", "\"rank 6\", \"rank 5\"", "reach rank 5 or 6"),
        ("\"a1-a6\", \"e1-e6\"", "\"a1-a6\", \"e1-e6\"", "reach file a or e"),
        ("\"b2-d4\"", "\"b2-d4\"", "reach b2-d4"),
        ("\"b2\", \"c3\"", "\"b2\", \"c3\"", "reach b2 or c3"),
        (
            "\"rank 1\", \"rank 6\", \"a1-a6\", \"e1-e6\"",
            "\"rank 1\", \"rank 6\", \"a1-a6\", \"e1-e6\"",
            "reach the edge of the board",
        ),
        ("\"b2-d3\", \"e6\"", "\"b2-d3\", \"e6\"", "reach one of 7 squares"),
    ]
    .into_iter()
    .enumerate()
    {
        let game = with_goals(&format!("goals-{n}.toml"), white, black);
        assert_eq!(json(&["show", &game, "--json"])["objective"], text);
    }
}

#[test]
fn rules_that_cannot_be_had_are_named() {
    let fen = |fen: &str| error(&["show", "diamond-chess", "--fen", fen]);
    let hands = "--fen: this game has no pieces in hand: leave out [Pp]";
    assert_eq!(fen("rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR[Pp] w - - 0 1"), hands);
    assert_eq!(fen("rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR/Pp w - - 0 1"), hands);
    assert_eq!(
        fen("rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w - - 3+3 0 1"),
        "--fen: counted checks are not supported yet"
    );
    assert!(fen("rnbkbnr/ppppppx/7/7/7/PPPPPPP/RNBKBNR w - - 0 1").contains("no piece has the letter 'x'"));
    let text = duel_of("3x3", "l2/3/2L", "b2");
    let with = |name: &str, from: &str, to: &str| {
        let game = file(name, text.replacen(from, to, 1));
        error(&["show", &game]).replace(&game, "FILE")
    };
    assert!(
        with("drops.toml", "[board]", "drops = true\n\n[board]")
            .starts_with("FILE: line 4, drops: unknown key \"drops\"")
    );
    assert_eq!(
        with("hand.toml", "l2/3/2L w", "l2/3/2L[L] w"),
        "FILE: line 6, board.start: this game has no pieces in hand: leave out [L]"
    );
    assert!(
        with("slip.toml", "[board]", "nam = 1\n\n[board]")
            .contains("unknown key \"nam\" (did you mean \"name\"?)")
    );
}

#[test]
fn a_promoted_tower_is_an_aristocrat() {
    // A Pikeman of Red walks to the last rank; the Tower on a1 stays one.
    let from = ["--fen", "3k3/1P5/7/7/7/7/R2K3 w - - 0 1"];
    let of =
        |moves: &str| json(&[&["show", "diamond-quest", "--json", "--moves", moves], &from[..]].concat());
    let names = |shown: &Value| -> Vec<String> {
        let pieces = shown["pieces"].as_array().unwrap();
        let name = |piece: &Value| {
            format!("{} {} {}", piece["square"], piece["name"], piece["abbreviation"]).replace('"', "")
        };
        pieces.iter().map(name).filter(|name| !name.contains("Princess")).collect()
    };
    let tower = "a1 Tower JLN-RDTO".to_string();
    assert_eq!(names(&of("b6b7r d7e6")), [tower.clone(), "b7 Aristocrat JLN-RDAR".to_string()]);
    // It keeps its name wherever it goes, and takes it along when it falls.
    assert_eq!(names(&of("b6b7r d7e6 b7b2")), [tower.clone(), "b2 Aristocrat JLN-RDAR".to_string()]);
    assert_eq!(names(&of("b6b7r d7c6 a1a2 c6b7")), ["a2 Tower JLN-RDTO"]);
    assert_eq!(names(&of("b6b7n d7e6")), [tower, "b7 Knight JLN-RDKN".to_string()]);
    let text = ok(&[&["show", "diamond-chess", "--moves", "b6b7r d7e6"], &from[..]].concat());
    assert!(
        text.contains("R  Tower       JLN-RDTO\n") && text.contains("R  Aristocrat  JLN-RDAR\n"),
        "{text}"
    );
}

#[test]
fn every_abbreviation_of_the_source_is_in_a_game_and_on_the_page() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/games.md")).unwrap();
    let games = ["duel", "ambush", "diamond-qi", "diamond-quest", "diamond-chess"];
    let read = |game: &str| {
        std::fs::read_to_string(format!("{}/../engine/src/games/{game}.toml", env!("CARGO_MANIFEST_DIR")))
            .unwrap()
    };
    let files: String = games.map(read).concat();
    let all = [
        "JLD-GNPR", "JLD-RDAR", "JLA-GNLO", "JLA-GNSW", "JLA-GNST", "JLA-RDKI", "JLA-RDGU", "JLA-RDTA",
        "JLN-GNPS", "JLN-GNNO", "JLN-GNKN", "JLN-GNTO", "JLN-GNAR", "JLN-GNIN", "JLN-GNTN", "JLN-GNID",
        "JLN-RDPS", "JLN-RDNO", "JLN-RDKN", "JLN-RDTO", "JLN-RDAR", "JLN-RDIN", "JLN-RDTN", "JLN-RDID",
    ];
    for abbreviation in all {
        assert!(files.contains(&format!("\"{abbreviation}\"")), "no game has {abbreviation}");
        assert!(page.contains(&format!("`{abbreviation}`")), "the page lacks {abbreviation}");
    }
}
