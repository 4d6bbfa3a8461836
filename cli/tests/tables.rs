//! `jewel tables` and `jewel solve --method tables`: every command, and what may go wrong with files.

use crate::common::{self, check_error, duel_of, error, file, json, ok, on_one_line, place, run};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder for tables, not there yet.
fn folder(name: &str) -> String {
    let path = place(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// A folder with the tables of Duel.
fn duel(name: &str) -> String {
    let dir = folder(name);
    ok(&["tables", "build", "duel", "--tables", &dir]);
    dir
}

/// The table files of a folder.
fn tables(dir: &str) -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    list.sort();
    assert!(list.iter().all(|path| path.extension().is_some_and(|e| e == "jt")), "{list:?}");
    list
}

#[test]
fn a_plan_says_what_it_takes() {
    let text = ok(&["tables", "plan", "ambush", "--class", "NLvNQ", "--memory", "1G", "--threads", "2"]);
    for part in [
        "NLvNQ and what it leads to\n",
        "\nLNvQN ",
        "\nall ",
        " 36,456 ",
        " 50,784 ",
        ": it fits\n",
        "on 2 threads\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let plan = json(&["tables", "plan", "ambush", "--class", "QNvLN", "--memory", "1M", "--json"]);
    assert_eq!((&plan["game"], &plan["fits"]), (&json!("ambush"), &json!(false)));
    assert_eq!(plan["memory_limit"], 1 << 20);
    let classes = plan["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 9);
    for key in ["placements", "cells", "disk"] {
        let sum: u64 = classes.iter().map(|class| class[key].as_u64().unwrap()).sum();
        assert_eq!(plan[key], sum, "{key}");
    }
    let memory = classes.iter().map(|class| class["memory"].as_u64().unwrap()).max();
    assert_eq!(plan["memory"].as_u64(), memory);
    // Many classes are summed up by number of pieces, unless all are asked for.
    let plan = |more: &[&str]| ok(&[&["tables", "plan", "ambush", "--max-pieces", "4"], more].concat());
    let (short, long) = (plan(&[]), plan(&["--all"]));
    assert!(
        short.contains("\n4        ") && !short.contains("LLvN") && short.lines().count() < 13,
        "{short}"
    );
    assert!(long.contains("\nLNvQN ") && long.lines().count() > 50, "{long}");
    assert!(ok(&["tables", "plan", "duel"]).contains("all that the start position leads to"));
}

#[test]
fn what_was_built_answers() {
    let dir = folder("tables-duel");
    let built = json(&["tables", "build", "duel", "--tables", &dir, "--json"]);
    assert_eq!((&built["classes"], &built["found"], &built["cells"]), (&json!(1), &json!(0), &json!(48)));
    assert_eq!(built["bytes"], fs::metadata(&tables(&dir)[0]).unwrap().len());
    assert_eq!(built["directory"], dir);
    let first = fs::read(&tables(&dir)[0]).unwrap();
    let again = ok(&["tables", "build", "duel", "--tables", &dir]);
    assert!(on_one_line(&again).contains("all of them from an earlier run"), "{again}");
    assert_eq!(fs::read(&tables(&dir)[0]).unwrap(), first);

    let probe =
        |more: &[&str]| json(&[&["tables", "probe", "duel", "--tables", &dir, "--json"], more].concat());
    let solve = |more: &[&str]| json(&[&["solve", "duel", "--json"], more].concat());
    for more in [
        &[][..],
        &["--moves", "c1b1 a3c3"],
        &["--moves", "c1b1 a3c3 b1b2"],
        &["--fen", "l2/1L1/3 w - - 0 1"],
        &["--fen", "1L1/l2/3 b - - 0 1"],
    ] {
        let (probed, solved) = (probe(more), solve(more));
        for key in ["game", "fen", "value", "distance", "moves", "line", "line_forced", "line_end"] {
            assert_eq!(probed[key], solved[key], "{more:?}: {key}");
        }
        assert_eq!(probed["class"], "LvL");
    }
    let text = ok(&["tables", "probe", "duel", "--tables", &dir]);
    assert!(text.contains("\nvalue  draw\nclass  LvL\n\nFirst moves, best first:\n  c1b1  draw\n"), "{text}");

    let info = json(&["tables", "info", "duel", "--tables", &dir, "--json"]);
    let table = &info["tables"][0];
    assert_eq!((&info["positions"], &info["longest_win"]), (&json!(12), &json!(2)));
    assert_eq!(table["white"], json!({"wins": 8, "draws": 3, "losses": 1}));
    assert_eq!((&table["game"], &table["class"]), (&json!("duel"), &json!("LvL")));
    let fen = info["longest_win_fen"].as_str().unwrap();
    let longest = probe(&["--fen", fen]);
    assert_eq!((&longest["value"], &longest["distance"]), (&json!("win"), &json!(2)));
    assert_eq!(info["longest_win_line"], longest["line"]);
    let of_file = json(&["tables", "info", tables(&dir)[0].to_str().unwrap(), "--json"]);
    assert_eq!(of_file["tables"], info["tables"]);
    assert!(of_file["longest_win_line"].is_null() && of_file["game"].is_null());
    let text = ok(&["tables", "info", "duel", "--tables", &dir]);
    assert!(
        text.contains("with Red to move, then with Green to move:\n")
            && text.contains("\nmade by      jewel "),
        "{text}"
    );

    // The same counts by distance, and positions that answer so.
    let counted = json(&["tables", "info", "duel", "--tables", &dir, "--histogram", "--list", "3", "--json"]);
    let histogram = &counted["histogram"];
    let sum = |key: &str| histogram[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
    assert_eq!(json!([sum("wins"), histogram["draws"], sum("losses")]), json!([8, 3, 1]), "{counted}");
    for (key, value) in [("longest_wins", "win"), ("longest_losses", "loss")] {
        for far in histogram[key].as_array().unwrap() {
            let probed = probe(&["--fen", far["fen"].as_str().unwrap()]);
            assert_eq!((&probed["value"], &probed["distance"]), (&json!(value), &far["distance"]), "{far}");
        }
    }
    assert_eq!(histogram["longest_wins"].as_array().unwrap().len(), 3, "{counted}");
    assert_eq!(histogram["longest_wins"][0]["distance"], info["longest_win"]);
    let text = ok(&["tables", "info", "duel", "--tables", &dir, "--histogram", "--list", "1"]);
    assert!(text.contains("\nplies  won  lost\nall      8     1\n"), "{text}");
    assert!(text.contains("\nLongest wins:\n2 plies  "), "{text}");
}

#[test]
fn pieces_where_they_cannot_get_to_are_for_the_graph() {
    let fen = "n1l2/5/5/5/2N1Q w - - 0 1";
    let line = error(&["solve", "ambush", "--fen", fen, "--method", "tables"]);
    assert!(line.ends_with("the Guardsman on e1 cannot"), "{line}");
    let dir = folder("tables-stray");
    ok(&["tables", "build", "ambush", "--class", "NQvNL", "--tables", &dir]);
    let line = error(&["tables", "probe", "ambush", "--tables", &dir, "--fen", fen]);
    assert!(line.contains("stand where they cannot get"), "{line}");
    assert_eq!(json(&["solve", "ambush", "--fen", fen, "--method", "graph", "--json"])["method"], "graph");
    assert_ne!(json(&["solve", "ambush", "--fen", fen, "--json"])["method"], "tables");
}

/// The two methods know nothing of each other, and agree.
#[test]
fn tables_and_graph_agree() {
    let dir = folder("tables-agree");
    for fen in ["nq3/5/5/5/3QN b - - 0 1", "n1l2/5/5/5/2NQ1 w - - 0 1", "2l2/5/5/4L/3Q1 b - - 0 1"] {
        let tables =
            json(&["solve", "ambush", "--fen", fen, "--method", "tables", "--tables", &dir, "--json"]);
        let graph = json(&["solve", "ambush", "--fen", fen, "--method", "graph", "--json"]);
        assert_eq!((&tables["method"], &graph["method"]), (&json!("tables"), &json!("graph")));
        for key in ["game", "fen", "value", "distance", "moves", "line", "line_forced", "line_end"] {
            assert_eq!(tables[key], graph[key], "{fen}: {key}");
        }
        let (bytes, classes) = (tables["bytes"].as_u64().unwrap(), tables["classes"].as_array().unwrap());
        assert_eq!(bytes, classes.iter().map(|class| class["bytes"].as_u64().unwrap()).sum::<u64>());
        assert_eq!(
            tables["positions"].as_u64().unwrap(),
            ["wins", "draws", "losses"].map(|key| tables[key].as_u64().unwrap()).iter().sum::<u64>()
        );
    }
    let checked = json(&["tables", "verify", "ambush", "--tables", &dir, "--full", "--json"]);
    assert_eq!((&checked["verdict"], &checked["problem"]), (&json!("ok"), &Value::Null));
    assert_eq!(checked["tables"], tables_in(&dir));
    let sampled = json(&[
        "tables", "verify", "ambush", "--tables", &dir, "--class", "NLvNQ", "--sample", "5000", "--seed",
        "3", "--json",
    ]);
    let positions = sampled["positions"].as_u64().unwrap();
    assert!((4000..20_000).contains(&positions) && sampled["tables"] == 1, "{sampled}");
    assert!(
        ok(&["tables", "verify", "ambush", "--tables", &dir, "--class", "NQvLN"]).contains("verdict    ok\n")
    );
}

fn tables_in(dir: &str) -> usize {
    tables(dir).len()
}

#[test]
fn a_game_solved_by_tables_gets_its_report() {
    let dir = folder("tables-report");
    let page = place("tables-report.md");
    let text = ok(&["solve", "duel", "--tables", &dir, "--report", &page, "--verify"]);
    for part in [
        "\nvalue        draw\ntables       1 in ",
        "\nverified     48 positions agree",
        "  confirmed  Duel is a draw\n",
        "\nWon, drawn and lost of 100 positions with ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let page = fs::read_to_string(page).unwrap();
    for part in [
        "# Duel in the Castle: draw\n",
        "| machine | ",
        "| checked | 48 positions agree",
        "| LvL | 8 | 3 | 1 |",
        "| 2 | 1 | 8 | 3 | 1 |",
        "  LvL.jt\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let digits = page.lines().find_map(|line| line.strip_suffix("  LvL.jt")).unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{digits}");
    let line = error(&["solve", "ambush", "--method", "tables", "--memory", "100M"]);
    assert!(line.contains(" of memory, the limit is 100M") && line.contains("--method graph"), "{line}");
}

#[test]
fn what_is_typed_wrong_is_one_line() {
    let dir = duel("tables-wrong");
    for (arguments, part) in [
        (&["tables", "plan", "ambush", "--class", "NL"][..], "\"NL\" is not a class"),
        (&["tables", "plan", "ambush", "--class", "NLvXQ"], "no piece has the letter 'X'"),
        (&["tables", "plan", "ambush", "--class", "NLv"], "has no piece, so the game is over"),
        (&["tables", "plan", "ambush", "--class", "NvQQQQQQQQQQQQQQQ"], "squares for them"),
        (&["tables", "plan", "ambush", "--max-pieces", "1"], "--max-pieces"),
        (&["tables", "plan", "ambush", "--max-pieces", "3", "--class", "NvN"], "cannot be used with"),
        (&["tables", "plan", "kings-mate", "--class", "MvM"], "kings-mate is not a game of a variant file"),
        (&["tables", "build", "star-lords"], "more than 20000 classes"),
        (&["tables", "plan", "diamond-quest", "--class", "KRv"], "has no piece"),
        (&["tables", "plan", "diamond-quest", "--class", "KRvR"], "each side must have exactly one K"),
        (&["tables", "plan", "diamond-quest", "--class", "KNvK"], "the game is over with these pieces"),
        (&["tables", "build", "duel", "--memory", "1K", "--tables", &dir], "class LvL needs "),
        (&["tables", "build", "duel", "--tables", ""], "--tables"),
        (&["tables", "probe", "ambush", "--tables", &dir], "other rules"),
        (
            &["tables", "probe", "duel", "--tables", "/nowhere"],
            "there are no tables in /nowhere; build them with: jewel tables build duel --tables /nowhere",
        ),
        (&["tables", "probe", "duel", "--tables", "/dev/null"], "/dev/null: Not a directory"),
        (&["tables", "probe", "duel", "--tables", &dir, "--fen", "3/3/3 w - - 0 1"], "--fen: "),
        (&["tables", "info", "duel", "--tables", &dir, "--class", "LvQ"], "no piece has the letter 'Q'"),
        (&["tables", "info", "nothing.jt"], "table nothing.jt: No such file or directory"),
        (&["tables", "info", "duel", "ambush"], "one game, or table files"),
        (&["tables", "info"], "no game given"),
        (&["tables", "info", "duel", "--tables", &dir, "--list", "3"], "--histogram"),
        (
            &["tables", "info", "duel", "--tables", &dir, "--histogram", "--among", "at-once"],
            "leave out --among",
        ),
        (&["tables", "verify", "duel", "--tables", &dir, "--sample", "0"], "--sample"),
        (&["tables", "verify", "duel", "--tables", &dir, "--sample", "5", "--full"], "cannot be used with"),
        (&["tables", "verify", "duel", "--tables", "/nowhere"], "there are no tables in /nowhere"),
        (&["solve", "duel", "--method", "tables", "--state", "x"], "--method graph"),
        (&["solve", "diamond-quest", "--method", "tables"], "more than 20000 classes"),
        (
            &["tables", "plan", "ambush", "--class", &format!("{}vN", "N".repeat(200))],
            "a board has 64 squares",
        ),
    ] {
        let line = error(arguments);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
    let text = ok(&["tables", "--help"]);
    assert!(text.contains("Examples:\n  jewel tables plan ambush"), "{text}");
    for command in ["plan", "build", "probe", "info", "verify"] {
        let text = ok(&["tables", command, "--help"]);
        assert!(text.contains("Examples:\n  jewel tables "), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn plans_that_are_too_large_say_more_than() {
    let plan = ["tables", "plan", "diamond-qi", "--class", "PPPPPPvK", "--memory", "1G"];
    let text = ok(&plan);
    let row = text.lines().find(|line| line.starts_with("KvPPPPPP")).unwrap();
    assert!(row.split_whitespace().nth(2).unwrap().starts_with('>'), "{row}");
    for part in ["\nmemory     more than ", "it is too\n", "\ntime       more than "] {
        assert!(text.contains(part), "{text}");
    }
    let object = json(&[&plan[..], &["--json"]].concat());
    assert_eq!((object["exact"].as_bool(), object["fits"].as_bool()), (Some(false), Some(false)));
    let classes = object["classes"].as_array().unwrap();
    assert!(classes.iter().all(|class| class["exact"] == (class["class"] != "KvPPPPPP")), "{classes:?}");
}

#[test]
fn a_missing_table_is_named() {
    let dir = folder("tables-missing");
    ok(&["tables", "build", "ambush", "--class", "LNvQ", "--tables", &dir]);
    let line = error(&["tables", "probe", "ambush", "--tables", &dir]);
    let told = format!(
        "there is no table LLQQNNvLLQQNN in {dir}; build it with: jewel tables build ambush --class LLQQNNvLLQQNN --tables {dir}"
    );
    let told = told.replace("LLQQNN", "LQQNN");
    assert_eq!(line, told);
    let line = error(&["tables", "verify", "ambush", "--class", "NNvN", "--tables", &dir]);
    assert!(line.starts_with("there is no table NNvN in "), "{line}");
    // A table that is gone below one that is there.
    fs::remove_file(Path::new(&dir).join("LvQ.jt")).unwrap();
    let line = error(&["tables", "verify", "ambush", "--class", "NLvQ", "--tables", &dir]);
    assert!(line.starts_with("there is no table LvQ in "), "{line}");
}

#[test]
fn tables_of_other_rules_are_an_error() {
    let dir = duel("tables-other-rules");
    let other = file("tables-other.toml", duel_of("3x3", "2l/3/L2", "b2"));
    for command in ["probe", "info", "verify", "build"] {
        let line = error(&["tables", command, "--variant", &other, "--tables", &dir]);
        assert!(line.contains("LvL.jt: the table was made for other rules"), "{command}: {line}");
    }
    // Without the rules there is still something to say.
    assert!(ok(&["tables", "info", tables(&dir)[0].to_str().unwrap()]).contains("duel, fingerprint "));
}

/// What `verify` says of a folder that is not right.
fn found_wrong(dir: &str) -> Value {
    let said = run(&["tables", "verify", "duel", "--tables", dir, "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (1, ""), "{said:?}");
    let text = run(&["tables", "verify", "duel", "--tables", dir]);
    assert!(text.code == 1 && text.stdout.contains("\nproblem    "), "{text:?}");
    serde_json::from_str(&said.stdout).unwrap()
}

#[test]
fn damaged_files_are_found_out() {
    let dir = duel("tables-damaged");
    let path = tables(&dir).remove(0);
    let good = fs::read(&path).unwrap();
    for at in [0, 20, 70, good.len() / 2, good.len() - 100, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 16;
        fs::write(&path, bad).unwrap();
        let report = found_wrong(&dir);
        assert_eq!(report["verdict"], "damaged", "{at}");
        assert!(report["problem"].as_str().unwrap().contains("LvL.jt"), "{report}");
    }
    for length in [0, 1, 51, 300, good.len() - 1] {
        fs::write(&path, &good[..length]).unwrap();
        assert_eq!(found_wrong(&dir)["verdict"], "damaged", "{length}");
        assert!(error(&["tables", "probe", "duel", "--tables", &dir]).contains("LvL.jt"));
        assert!(
            error(&["tables", "build", "duel", "--tables", &dir])
                .contains("delete it and build it again with: jewel tables build duel")
        );
    }
    fs::write(&path, &good).unwrap();
    assert_eq!(run(&["tables", "verify", "duel", "--tables", &dir]).code, 0);
}

/// The engine goes on without tables that were cut short while it had them open.
#[cfg(unix)]
#[test]
fn tables_cut_short_while_an_engine_has_them_open() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let dir = folder("tables-cut");
    ok(&["tables", "build", "ambush", "--class", "NLvNL", "--dir", &dir]);
    let mut command = common::program();
    command.args(["uci", "ambush"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    writeln!(input, "uci\nsetoption name TablePath value {dir}\nposition fen nl3/5/5/5/3NL w - - 0 1")
        .unwrap();
    writeln!(input, "go nodes 2000").unwrap();
    assert!(lines.any(|line| line.contains(" tbhits ") && !line.contains(" tbhits 0")));
    assert!(lines.any(|line| line.starts_with("bestmove ")));
    for path in tables(&dir) {
        fs::write(path, "").unwrap();
    }
    writeln!(input, "ucinewgame\nposition fen n1l2/5/5/5/2N1L w - - 0 1\ngo nodes 2000").unwrap();
    assert!(lines.any(|line| line.starts_with("bestmove ")));
    writeln!(input, "quit").unwrap();
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_pipe_among_tables_is_not_waited_for() {
    let dir = duel("tables-pipe");
    let pipe = format!("{dir}/pipe.jt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for command in ["verify", "info", "probe"] {
        let said = run(&["tables", command, "duel", "--dir", &dir]);
        let said = said.stdout + &said.stderr;
        assert!(said.contains("pipe.jt: this is not a regular file"), "{command}: {said}");
    }
}

/// Every bit of a file, in the library for speed: each change is found by the checksums, and what can still be looked up
/// is right or an error.
#[test]
fn every_flipped_bit_is_found() {
    use jewel_engine::value::{Side, Value};
    use jewel_tables::cache::Cache;
    use jewel_tables::index::Place;
    use jewel_tables::reader::Table;
    let small = fs::read(tables(&duel("tables-flipped")).remove(0)).unwrap();
    let dir = folder("tables-flipped-larger");
    ok(&["tables", "build", "ambush", "--class", "LvQ", "--tables", &dir]);
    let larger = fs::read(Path::new(&dir).join("LvQ.jt")).unwrap();
    for (good, bits) in [(small, 8), (larger, 1)] {
        let open = |bytes: &[u8]| Table::from_source("flipped", Box::new(bytes.to_vec()));
        let sound = open(&good).unwrap();
        let places = || {
            let cells = 0..sound.index().cells();
            cells.flat_map(|cell| Side::BOTH.map(|turn| Place { cell, turn }))
        };
        let probe = |table: &Table, cache: &Cache, place| table.value_at(place, cache);
        let cache = Cache::new(1 << 20);
        let right: Vec<Value> = places().map(|place| probe(&sound, &cache, place).unwrap()).collect();
        for bit in 0..good.len() * bits {
            let mut bad = good.clone();
            bad[bit / bits] ^= 1 << if bits == 1 { bit % 8 } else { bit % bits };
            let Ok(table) = open(&bad) else { continue };
            assert!(table.verify_checksums().is_err(), "bit {bit}");
            let cache = Cache::new(1 << 20);
            for (place, right) in places().zip(&right) {
                assert!(probe(&table, &cache, place).map_or(true, |value| value == *right), "bit {bit}");
            }
        }
    }
}

/// A table that was forged, checksums and all: only the rules can tell.
#[test]
fn wrong_values_are_found_out() {
    use jewel_engine::games;
    use jewel_engine::value::Side;
    use jewel_tables::index::Plane;
    use jewel_tables::reader::Table;
    use jewel_tables::value::Cell;
    use jewel_tables::writer::{Options, write};
    let dir = duel("tables-forged");
    let path = tables(&dir).remove(0);
    let scheme = Table::inspect(&path).unwrap().index().scheme().clone();
    let options = Options::new(games::find("duel").unwrap().rules().fingerprint, "duel", "a forger");
    let values = |_: &Plane, turn: Side, cells: &mut [Cell]| {
        cells.fill(if turn == Side::White { Cell::win(1) } else { Cell::DRAW });
    };
    write(&path, &scheme, &options, &values, &mut |_| true).unwrap();
    let report = found_wrong(&dir);
    assert_eq!((&report["verdict"], &report["tables"]), (&json!("mismatch"), &json!(0)));
    let problem = report["problem"].as_str().unwrap();
    assert!(problem.contains("the table says ") && problem.contains(" - - 0 1: "), "{problem}");
    let line = error(&["tables", "probe", "duel", "--tables", &dir]);
    assert!(line.contains("contradict each other") && line.contains("has the value "), "{line}");
    let said = run(&["solve", "duel", "--tables", &dir, "--verify"]);
    assert!(check_error(&said, "solve").starts_with("the check of the values failed: "));
}

#[test]
fn a_build_leaves_a_page_about_its_classes() {
    let (dir, page) = (folder("tables-page"), place("tables-page.md"));
    fs::write(&page, "Written by hand.\n").unwrap();
    let build = ["tables", "build", "ambush", "--class", "NvQN", "--tables", &dir, "--report", &page];
    ok(&build);
    let read = || (fs::read_to_string(&page).unwrap(), fs::read_to_string(place("tables-page.tsv")).unwrap());
    let (first, rows) = read();
    assert!(first.starts_with("Written by hand.\n"), "{first}");
    for file in tables(&dir) {
        let class = file.file_stem().unwrap().to_str().unwrap();
        assert!(rows.contains(&format!("\nambush\t{class}\t")), "{class}\n{rows}");
    }
    // Once more, with nothing left to build: the part and its rows are replaced.
    ok(&build);
    let (second, again) = read();
    let headings = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
    assert!(headings(&first) > 0 && headings(&first) == headings(&second), "{second}");
    assert_eq!(rows.lines().count(), again.lines().count());
}
