//! What holds for the program as a whole, and the commands `games`, `moves` and `completions`.

use crate::common::{Said, check_error, duel_of, error, file, json, ok, on_one_line, place, program, run};
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;

#[test]
fn games_are_listed() {
    let text = ok(&["games"]);
    // Columns are two spaces apart at least; the objective of a game is below it.
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_string).collect()
    };
    let mut lines = text.lines();
    assert_eq!(cells(lines.next().unwrap()), ["ID", "NAME", "BOARD", "STATUS"]);
    let lines: Vec<&str> = lines.collect();
    let rows: Vec<Vec<String>> =
        lines.chunks(2).map(|game| game.iter().flat_map(|line| cells(line)).collect()).collect();
    for (id, rest) in [
        ("duel", ["3x3", "solved: draw", "hold b2 for a turn"]),
        ("ambush", ["5x5", "solved: draw", "hold c3 for a turn"]),
        ("diamond-qi", ["7x7", "open", "hold d4 for a turn with the Princess"]),
        ("diamond-quest", ["7x7", "open", "checkmate the Princess"]),
        ("crystal-of-doom", ["7x7", "open", "hold d4 unattacked"]),
        ("star-lords", ["7x7", "open", "hold d4 unattacked with the Star-Lord"]),
        ("chess", ["8x8", "open", "checkmate the King"]),
        ("kings-mate", ["7x9", "open", "checkmate the King"]),
        ("crystal-draughts", ["48 atoms", "open", "fill the far tier"]),
        ("world-tree", ["8x8", "open", "capture the town"]),
        ("crown-jewels", ["8x8", "open", "take all of the enemy's Jewels"]),
    ] {
        let row = rows.iter().find(|row| row.first().is_some_and(|first| first == id)).unwrap();
        assert_eq!(row[2..], rest, "{id}");
    }
    assert!(text.ends_with("\nAlso understood: diamaranga = diamond-quest\n"));
    let objects: Vec<Value> =
        ok(&["games", "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 14);
    assert_eq!((objects[0]["game"].as_str(), objects[0]["board"].as_str()), (Some("duel"), Some("3x3")));
    assert_eq!(objects[3]["aliases"], serde_json::json!(["diamaranga"]));
    // Everything that is listed can be used.
    for object in objects {
        let id = object["game"].as_str().unwrap();
        assert!(!json(&["moves", id, "--json"])["moves"].as_array().unwrap().is_empty());
    }
}

#[test]
fn a_variant_file_stands_where_a_game_is_expected() {
    let game = file("anywhere.toml", duel_of("3x3", "l2/3/2L", "b2"));
    let at = |name: &str| place(&format!("anywhere-{name}"));
    let (tables, records, ini) = (at("tables"), at("games.jsonl"), at("game.ini"));
    let (weights, net) = (at("weights.json"), at("net"));
    for old in [&tables, &records, &ini, &weights, &net] {
        let _ = std::fs::remove_dir_all(old).and(std::fs::remove_file(old));
    }
    let two = "--player random --player random,name=b";
    for line in [
        "show GAME".to_string(),
        "moves GAME".to_string(),
        "perft GAME 3".to_string(),
        "solve GAME".to_string(),
        "analyse GAME --depth 2".to_string(),
        format!("tables build GAME --tables {tables}"),
        "tables plan GAME".to_string(),
        format!("tables probe GAME --tables {tables}"),
        format!("tables info GAME --tables {tables}"),
        format!("tables verify GAME --tables {tables}"),
        "play GAME --white ab --black ab --nodes 50 --max-plies 4".to_string(),
        format!("tournament GAME {two} --records {records}"),
        "openings GAME --plies 2 --count 1 --nodes 50 --max-score 20000".to_string(),
        format!("accuracy GAME --tables {tables} --player random --positions 5"),
        "report GAME --games 2 --nodes 20 --rungs 1".to_string(),
        format!("variant export GAME --out {ini}"),
    ] {
        let words: Vec<&str> =
            line.split(' ').map(|word| if word == "GAME" { &game } else { word }).collect();
        let said = run(&words);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{line}");
    }
    // A name without a path and an ending is a file too, unless a game has it.
    let bare = program().args(["moves", "anywhere.toml"]).current_dir(env!("CARGO_TARGET_TMPDIR")).output();
    assert_eq!(Said::from(bare.unwrap()).stdout, ok(&["moves", &game]));
    assert!(error(&["moves", "no/such/file"]).starts_with("no/such/file: No such file"));
    assert!(error(&["show", "nothing.toml"]).starts_with("nothing.toml: No such file"));
    assert!(error(&["show", "duel", "--variant", &game]).contains("leave \"duel\" out"));
}

#[test]
fn older_words_for_options_are_understood() {
    let at = |name: &str| place(&format!("older-{name}"));
    let (tables, records, ini) = (at("tables"), at("games.jsonl"), at("duel.ini"));
    let _ = std::fs::remove_dir_all(&tables);
    let _ = std::fs::remove_file(&records);
    for line in [
        format!("tables build duel --dir {tables}"),
        format!("tables probe duel --dir {tables}"),
        format!("solve duel --method tables --dir {tables}"),
        format!("tournament --game duel --engine random --engine greedy --records {records}"),
        format!("tournament --game duel --engine random --engine greedy --records {records} --report"),
        format!("accuracy duel --tables {tables} --engine greedy --games {records} --positions 3"),
        "match northern-light --engine random --engine greedy --max-plies 2".to_string(),
        "analyse duel --engine ab --depth 2".to_string(),
        "report duel --engine ab --games 2 --nodes 20 --rungs 1".to_string(),
        format!("variant export duel --output {ini}"),
    ] {
        let said = run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{line}");
    }
}

#[test]
fn sizes_are_read_alike() {
    let plain = json(&["perft", "ambush", "2", "--hash", "2", "--json"]);
    assert_eq!(plain["nodes"], json(&["perft", "ambush", "2", "--hash", "2M", "--json"])["nodes"]);
    let plan =
        |memory| json(&["tables", "plan", "ambush", "--max-pieces", "4", "--memory", memory, "--json"]);
    assert_eq!(plan("1024"), plan("1G"));
    for line in [
        &["perft", "ambush", "2", "--hash", "two"][..],
        &["analyse", "ambush", "--hash", "two"],
        &["solve", "ambush", "--memory", "two"],
        &["tables", "build", "ambush", "--memory", "two"],
    ] {
        let problem = error(line);
        assert!(
            problem.contains("\"two\" is not a size: write mebibytes, or a whole number with K"),
            "{problem}"
        );
    }
}

#[test]
fn moves_are_listed() {
    assert_eq!(ok(&["moves", "duel"]), "c1a1\nc1b1\nc1c2\nc1c3\n");
    let object = json(&["moves", "duel", "--json"]);
    assert_eq!(object["moves"], serde_json::json!(["c1a1", "c1b1", "c1c2", "c1c3"]));
    assert_eq!((object["game"].as_str(), object["fen"].as_str()), (Some("duel"), Some("l2/3/2L w - - 0 1")));
    assert!(object["outcome"].is_null());
    let after = json(&["moves", "duel", "--json", "--moves", " c1b1  a3c3 "]);
    assert_eq!(after["fen"], "2l/3/1L1 w - - 2 2");
}

#[test]
fn results_are_seen_by_the_side_to_move() {
    let outcome = |game: &str, fen: &str| {
        let object = json(&["moves", game, "--json", "--fen", fen]);
        assert_eq!(object["moves"].as_array().unwrap().is_empty(), !object["outcome"].is_null());
        object["outcome"].as_str().unwrap_or("none").to_string()
    };
    assert_eq!(outcome("duel", "l2/1L1/3 w - - 0 1"), "win");
    assert_eq!(outcome("duel", "l2/1L1/3 b - - 0 1"), "none");
    assert_eq!(outcome("duel", "3/1L1/3 b - - 0 1"), "loss");
    // Two Queen's Lancers that can never reach the key: a draw, although they could move.
    assert_eq!(outcome("ambush", "1q3/5/5/5/1Q3 w - - 0 1"), "draw");
    assert_eq!(outcome("diamond-quest", "3k3/3R3/3K3/7/7/7/7 b - - 0 1"), "none");
    assert_eq!(ok(&["moves", "duel", "--fen", "l2/1L1/3 w - - 0 1"]), "over: Red has won\n");
    assert_eq!(ok(&["moves", "duel", "--fen", "3/1l1/3 w - - 0 1"]), "over: Green has won\n");
    assert_eq!(ok(&["moves", "ambush", "--fen", "1q3/5/5/5/1Q3 w - - 0 1"]), "over: draw\n");
}

#[test]
fn completions_are_printed() {
    for (shell, word) in [
        ("bash", "_jewel"),
        ("zsh", "#compdef jewel"),
        ("fish", "complete -c jewel"),
        ("elvish", "jewel"),
        ("powershell", "jewel"),
    ] {
        let script = ok(&["completions", shell]);
        assert!(script.contains(word) && script.contains("perft"), "{shell}");
    }
    assert!(error(&["completions", "tcsh"]).contains("tcsh"));
}

#[test]
fn help_teaches() {
    let help = ok(&["--help"]);
    for word in ["A first session:", "jewel show ambush", "games", "exit code", "one line on stderr"] {
        assert!(on_one_line(&help).contains(word), "{word}");
    }
    assert!(ok(&[]).contains("A first session:"));
    for command in ["games", "show", "moves", "perft", "completions"] {
        let help = ok(&[command, "--help"]);
        assert!(help.contains("Examples:\n  jewel ") && help.contains(&format!("Usage: jewel {command}")));
        assert_eq!(ok(&["help", command]), help);
    }
    assert_eq!(ok(&["--version"]), format!("jewel {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn what_is_typed_wrong_is_one_line() {
    assert_eq!(error(&["frob"]), "unrecognized subcommand 'frob'");
    assert_eq!(
        error(&["moves", "ambsh"]),
        "no game \"ambsh\": did you mean \"ambush\"? `jewel games` lists them"
    );
    assert_eq!(error(&["moves", "tic-tac-toe"]), "no game \"tic-tac-toe\": `jewel games` lists them");
    assert!(error(&["moves", ""]).starts_with("no game \"\""));
    assert!(error(&["moves", "duel\nx"]).starts_with("no game \"duel\\nx\""));
    assert!(error(&["moves"]).starts_with("no game given"));
    assert!(error(&["moves", "duel", "ambush"]).contains("ambush"));
    assert!(error(&["moves", "duel", "--frob"]).contains("--frob"));
    assert!(error(&["moves", "duel", "--fen"]).contains("--fen"));
    for typed in ["duel:size=4", "duel:size", "duel:", "duel:=", "diamaranga:a=1,b=2"] {
        assert!(error(&["moves", typed]).contains("has no parameter"), "{typed}");
    }
    // With --json too.
    assert!(error(&["moves", "ambsh", "--json"]).contains("ambush"));
}

#[test]
fn bad_positions_say_what_is_wrong() {
    for (game, fen, problem) in [
        ("duel", "", "found 0"),
        ("duel", "l2/3/2L", "found 1"),
        ("duel", "l2/3/2L w - - 0 1 x", "found 7"),
        ("duel", "l2/3 w - - 0 1", "the board has 3 ranks, found 2"),
        ("duel", "l2/4/2L w - - 0 1", "rank 2 must fill 3 squares, \"4\" fills 4"),
        ("duel", "l2/3/2X w - - 0 1", "no piece has the letter 'X' (rank 1); pieces are L"),
        ("duel", "l2/3/2é w - - 0 1", "no piece has the letter"),
        ("duel", "l2/3/2L r - - 0 1", "the side to move must be w or b, found \"r\""),
        ("duel", "l2/3/2L w K - 0 1", "castling rights must be"),
        ("duel", "l2/3/2L w - b2 0 1", "no double step can just have passed b2"),
        ("duel", "l2/3/2L w - - x 1", "the clock must be a number"),
        ("duel", "l2/3/2L w - - 0 0", "the move number must be a number from 1"),
        ("duel", "3/3/3 w - - 0 1", "the board is empty"),
        ("diamond-chess", "7/7/7/7/7/7/3K3 w - - 0 1", "Green must have exactly one Princess, found 0"),
        ("diamond-chess", "3k3/3R3/7/7/7/7/3K3 w - - 0 1", "Green, not to move, is in check"),
    ] {
        let line = error(&["moves", game, "--fen", fen]);
        assert!(line.starts_with("--fen: ") && line.contains(problem), "{fen}: {line}");
    }
}

#[test]
fn bad_moves_say_which_and_why() {
    for (game, moves, problem) in [
        ("duel", "c1c9", "move 1 of 1, \"c1c9\": c9 is off a 3x3 board"),
        ("diamond-chess", "e2e4 e9e8", "move 2 of 2, \"e9e8\": e9 is off a 7x7 board"),
        ("duel", "c1b1 a3d3 x", "move 2 of 3, \"a3d3\": d3 is off a 3x3 board"),
        (
            "duel",
            "c1b1 b1b2",
            "move 2 of 2, \"b1b2\": the Armed Guard on b1 is Red's, and it is Green's turn",
        ),
        ("duel", "b2b1", "nothing stands on b2"),
        ("duel", "c1b2", "the Armed Guard on c1 cannot go to b2; it can go to a1 b1 c2 c3"),
        ("duel", "hello", "\"hello\" is not a move; write origin, target"),
        ("duel", "c1b1q", "does not promote there: drop the 'q'"),
        ("duel", "c1b1 a3c3 b1b2 c3a3 b2b1", "move 5 of 5, \"b2b1\": the game is over"),
        ("duel", "\u{1b}[31m", "move 1 of 1, \"\\u{1b}[31m\""),
    ] {
        let line = error(&["moves", game, "--moves", moves]);
        assert!(line.starts_with("--moves: move ") && line.contains(problem), "{moves}: {line}");
    }
}

#[test]
fn bad_variant_files_say_where() {
    let good = duel_of("3x3", "l2/3/2L", "b2");
    let moves = |contents: &[u8]| {
        let path = file("bad-variant.toml", contents);
        let line = error(&["moves", "--variant", &path]);
        line.strip_prefix(&format!("{path}: ")).unwrap_or_else(|| panic!("{line}")).to_string()
    };
    let changed = |from: &str, to: &str| moves(good.replace(from, to).as_bytes());
    assert!(changed("\"3x3\"", "\"9x9\"").starts_with("line 5, board.size: a 9x9 board is not possible"));
    assert!(changed("\"WD\"", "\"WX\"").starts_with("line 10, "));
    assert!(changed("l2/3/2L", "l2/3").starts_with("line 6, board.start: "));
    assert!(changed("\"hold\"", "\"hug\"").starts_with("line 14, key.objective: "));
    assert!(changed("objective", "objektive").starts_with("line 1"));
    assert!(changed("[board]", "[board").starts_with("line 4"));
    assert!(moves(b"").contains("name"));
    assert_eq!(moves(b"name = \"\xff\""), "not UTF-8 text: byte 9 cannot be read");
    assert!(moves(&vec![b'#'; (1 << 20) + 1]).contains("longer than"));
    let absent = place("absent.toml");
    assert_eq!(error(&["moves", "--variant", &absent]), format!("{absent}: No such file or directory"));
    let directory = place("");
    assert_eq!(error(&["moves", "--variant", &directory]), format!("{directory}: a directory, not a file"));
    let path = file("good-variant.toml", &good);
    assert!(error(&["moves", "duel", "--variant", &path]).contains("takes the place of the game"));
    assert_eq!(ok(&["moves", "--variant", &path]), ok(&["moves", "duel"]));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let bad = std::ffi::OsStr::from_bytes(b"\xff");
    for arguments in [&["moves"][..], &["moves", "duel", "--fen"], &["perft", "duel"], &["show", "--variant"]]
    {
        let said: Said = program().args(arguments).arg(bad).output().unwrap().into();
        check_error(&said, &format!("{arguments:?}"));
    }
}

/// `jewel ... | head -1`: the reader may leave.
#[test]
fn a_reader_that_leaves_is_no_error() {
    for arguments in [&["completions", "bash"][..], &["games"], &["--help"], &["perft", "duel", "3"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = program().args(arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let said: Said = program().arg("games").stdout(full).output().unwrap().into();
    assert!(check_error(&said, "games").starts_with("cannot write to stdout: No space left"));
}

#[test]
fn nothing_is_said_twice() {
    let said = run(&["moves", "duel", "--moves", "c1b1 a3c3 zz"]);
    assert_eq!(said.stderr.matches("zz").count(), 2, "the move and what is wrong with it: {}", said.stderr);
}

#[test]
fn moves_are_typed_and_printed_in_san() {
    let text = ok(&["moves", "chess", "--moves", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6", "--san"]);
    assert_eq!(text.lines().filter(|line| line.contains("xc6")).collect::<Vec<_>>(), ["dxc6", "bxc6"]);
    let line = ["moves", "chess", "--moves", "f3 e5 g4", "--san", "--json"];
    let object = json(&line);
    let place = |name: &str, text: &str| object[name].as_array().unwrap().iter().position(|mv| mv == text);
    assert_eq!(place("moves", "d8h4"), place("san", "Qh4#"));
    assert!(place("san", "Qh4#").is_some());
    // Games without it keep their own.
    assert_eq!(ok(&["moves", "kings-mate", "--san"]), ok(&["moves", "kings-mate"]));
    let wrong = error(&["moves", "chess", "--moves", "e4 e5 Ke3"]);
    assert!(wrong.contains("move 3 of 3, \"Ke3\": no King can go to e3 so"), "{wrong}");
}

#[test]
fn chess_is_played_from_every_arrangement() {
    let fen = "qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9";
    assert!(ok(&["moves", "chess", "--fen", fen]).lines().any(|line| line == "f1g1"));
    let shown = json(&["moves", "chess", "--fen", fen, "--moves", "O-O a6", "--json"]);
    assert!(
        shown["fen"]
            .as_str()
            .unwrap()
            .starts_with("qnr1bkrb/1ppp2pp/p2np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBRKB w k - "),
        "{shown}"
    );
    let counts = json(&["perft", "chess", "3", "--fen", fen, "--json"]);
    assert_eq!(counts["nodes"], 26895);
}

#[test]
fn direction_marks_are_shown_and_not_obeyed() {
    // "gpj.exe" would be read backwards.
    let text = duel_of("3x3", "l2/3/2L", "b2").replacen("My Duel", "My \\u202eleuD\\u2066", 1);
    let game = file("marks.toml", text);
    let shown = ok(&["show", &game]);
    assert!(shown.starts_with("My \u{fffd}leuD\u{fffd} (my-duel)\n"), "{shown:?}");
    assert_eq!(json(&["show", &game, "--json"])["name"], "My \u{fffd}leuD\u{fffd}");
    let marks = |text: &str| text.chars().any(jewel_engine::text::is_direction_mark);
    for line in [
        &["moves", "du\u{202e}el"][..],
        &["moves", "duel", "--moves", "c1\u{202e}b1"],
        &["moves", "duel", "--fen", "l2/3/2\u{2066} w - - 0 1"],
        &["show", "\u{202e}.toml"],
        &["tournament", "duel", "--player", "random,name=\u{202e}a", "--player", "random,name=\u{202e}a"],
    ] {
        let problem = error(line);
        assert!(!marks(&problem), "{problem:?}");
    }
    let records = place("marks.jsonl");
    let pgn = place("marks.pgn");
    let _ = std::fs::remove_file(&records);
    let seats =
        ["--player", "random,name=\u{202e}a", "--player", "random", "--records", &records, "--pgn", &pgn];
    let table = ok(&[&["tournament", "duel"], &seats[..]].concat());
    let written = [&records, &pgn].map(|file| std::fs::read_to_string(file).unwrap());
    assert!(!marks(&table) && !written.iter().any(|text| marks(text)), "{table:?}");
}
