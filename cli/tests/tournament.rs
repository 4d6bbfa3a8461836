//! `jewel tournament` and `jewel openings`, as they are typed.

use crate::common::{self, check_error, error, file, json, ok, place, program, run};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// An empty folder.
fn folder(name: &str) -> String {
    let path = place(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The options of a small tournament of `duel`, its records in a folder.
fn duel<'a>(records: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["tournament", "duel", "--records", records, "--openings", "random=2"];
    words.extend(["--player", "random", "--player", "greedy"]);
    words.extend(more);
    words
}

#[test]
fn scripts_find_the_words_that_they_rely_on() {
    let records = format!("{}/games.jsonl", folder("words"));
    let object = json(&duel(&records, &["--rounds", "20", "--json"]));
    let players = object["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    for player in players {
        for word in ["wins", "draws", "losses"] {
            assert!(player[word].is_u64(), "{word}");
        }
        for word in ["score", "elo", "elo_error"] {
            assert!(player[word].is_number(), "{word}");
        }
        assert!(["random", "greedy"].contains(&player["name"].as_str().unwrap()));
    }
    assert_eq!((object["games"].as_u64(), object["complete"].as_bool()), (Some(40), Some(true)));
    assert!(object.get("sprt").is_none());
    for line in fs::read_to_string(&records).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["game"], "duel");
        assert!(record["fen"].is_string() && record["moves"].is_array() && record["termination"].is_string());
    }
}

#[test]
fn a_player_whose_file_has_changed_is_another_player() {
    let folder = folder("changed");
    let (weights, records) = (format!("{folder}/mine.json"), format!("{folder}/games.jsonl"));
    let rules = jewel_engine::games::find("ambush").unwrap().rules();
    let mut mine = jewel_search::evaluate::Weights::derived(rules);
    fs::write(&weights, mine.to_text()).unwrap();
    let player = format!("ab,nodes=20,weights={weights}");
    let rounds = |rounds: &str| {
        let words =
            ["tournament", "ambush", "--player", &player, "--player", "random", "--records", &records];
        run(&[&words[..], &["--rounds", rounds]].concat())
    };
    assert_eq!(rounds("1").code, 0);
    // More rounds go on with the records.
    assert_eq!(rounds("2").code, 0);
    mine.tempo[0] += 1;
    fs::write(&weights, mine.to_text()).unwrap();
    let said = rounds("3");
    assert!(said.code != 0 && said.stderr.contains("records of another tournament"), "{said:?}");
}

#[test]
fn a_file_says_the_same_as_options() {
    let folder = folder("file");
    let text = "game = \"duel\"\nrounds = 15\npgn = \"GAMES.pgn\"\n\n[openings]\nrandom = 2\n\n\
        [[player]]\nkind = \"random\"\n\n[[player]]\nkind = \"greedy\"\n";
    fs::write(format!("{folder}/cup.toml"), text.replace("GAMES", &format!("{folder}/a"))).unwrap();
    let by_file = ok(&["tournament", &format!("{folder}/cup.toml")]);
    let (records, pgn) = (format!("{folder}/b.jsonl"), format!("{folder}/b.pgn"));
    let by_options = ok(&duel(&records, &["--rounds", "15", "--pgn", &pgn, "--concurrency", "3"]));
    assert_eq!(by_file, by_options);
    let same = |a: &str, b: &str| {
        fs::read(format!("{folder}/{a}")).unwrap() == fs::read(format!("{folder}/{b}")).unwrap()
    };
    assert!(same("cup.jsonl", "b.jsonl") && same("a.pgn", "b.pgn"));
}

/// The games of a basket as a file, in a folder.
fn basket(folder: &str, more: &str) -> String {
    let file = format!("{folder}/basket.toml");
    let text = "rounds = 6\n\n[openings]\nrandom = 2\n\n[[game]]\ngame = \"duel\"\n\n[[game]]\nvariant = \"MINE\"\n\
                name = \"wide\"\nopenings = { random = 3 }\nadjudication = { max_plies = 30 }\n";
    let mine = format!("{folder}/mine.toml");
    fs::write(&mine, common::duel_of("4x3", "l3/4/3L", "b2")).unwrap();
    fs::write(&file, format!("{more}{}", text.replace("MINE", &mine))).unwrap();
    file
}

#[test]
fn a_basket_has_a_row_for_each_game_and_a_verdict_for_all() {
    let folder = folder("basket");
    let (basket, records) = (basket(&folder, ""), format!("{folder}/all.jsonl"));
    let players = ["--player", "greedy", "--player", "random", "--records", &records];
    let words = [&["tournament", "--basket", &basket][..], &players].concat();
    let object = json(&[&words[..], &["--json"]].concat());
    assert_eq!((object["games"].as_u64(), object.get("game")), (Some(24), None));
    let rows = object["basket"].as_array().unwrap();
    let of = |key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
    assert_eq!(
        (of("name"), of("game")),
        (vec!["duel".into(), "wide".into()], vec!["duel".into(), "my-duel".into()])
    );
    let pairs = |object: &Value| -> Vec<u64> {
        object["match"]["pentanomial"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    };
    let sums: Vec<u64> = pairs(&rows[0]).iter().zip(pairs(&rows[1])).map(|(a, b)| a + b).collect();
    assert_eq!((pairs(&object), sums.iter().sum()), (sums.clone(), 12));
    let text = ok(&words);
    assert!(text.contains("\ngreedy, by game\n   GAME  GAMES  WINS"), "{text}");
    assert!(text.contains("\n1  duel     12 ") && text.contains("\n2  wide     12 "), "{text}");
    assert!(text.contains("\nspread        "), "{text}");
    // The openings and the limit of a game are its own.
    let games: Vec<Value> = fs::read_to_string(&records)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let books: Vec<u64> = games.iter().take(4).map(|game| game["book"].as_u64().unwrap()).collect();
    assert_eq!(books, [2, 2, 3, 3]);
    // More than two players have a column each.
    let records = format!("{folder}/three.jsonl");
    let three =
        [&words[..5], &["--player", "random", "--player", "random,name=third", "--records", &records]]
            .concat();
    let text = ok(&three);
    assert!(text.contains("\nby game, points in a hundred\n   GAME  GAMES"), "{text}");
}

#[test]
fn a_basket_with_a_mistake_is_refused_in_one_line() {
    let folder = folder("basket-errors");
    let players = ["--player", "random", "--player", "greedy"];
    let said = |text: &str, more: &[&str]| {
        let file = format!("{folder}/basket.toml");
        fs::write(&file, text).unwrap();
        error(&[&["tournament", "--basket", &file], &players[..], more].concat())
    };
    for (text, expected) in [
        ("game = \"duel\"\n", "basket.toml: no basket: it has no [[game]]"),
        ("[game]\ngame = \"duel\"\n", "no basket: it has no [[game]]"),
        ("[[game]]\n", "line 1: a [[game]] has \"game\", an id, or \"variant\", a file"),
        ("[[game]]\ngame = \"duel\"\nvariant = \"x.toml\"\n", "line 1: a [[game]] has \"game\", an id, or"),
        ("[[game]]\nvariant = \"no-such.toml\"\n", "no-such.toml: No such file"),
        ("[[game]]\ngame = \"dule\"\n", "no game \"dule\": did you mean \"duel\"?"),
        ("[[game]]\ngmae = \"duel\"\n", "line 2: unknown key \"gmae\": did you mean \"game\"?"),
        (
            "[[game]]\ngame = \"duel\"\n\n[[game]]\ngame = \"duel\"\n",
            "two games of the basket are called \"duel\"",
        ),
        ("variant = \"x.toml\"\n\n[[game]]\ngame = \"duel\"\n", "leave \"variant\" out"),
    ] {
        let line = said(text, &[]);
        assert!(line.contains(expected), "{text}: {line}");
    }
    let two = "[[game]]\ngame = \"duel\"\n\n[[game]]\ngame = \"ambush\"\n";
    assert!(said(two, &["--format", "knockout"]).contains("a knockout is played in one game"));
    assert!(said(two, &["ambush"]).contains("the games are those of the basket: leave \"ambush\" out"));
    assert!(said(two, &["--variant", "x.toml"]).contains("--variant"));
}

#[test]
fn the_game_stands_before_the_options_or_before_the_file() {
    let folder = folder("what");
    let cup = format!("{folder}/cup.toml");
    fs::write(&cup, "game = \"ambush\"\n\n[[player]]\nkind = \"random\"\n\n[[player]]\nkind = \"greedy\"\n")
        .unwrap();
    let records = format!("{folder}/other.jsonl");
    let game = |words: &[&str]| {
        json(&[&["tournament"], words, &["--json", "--records", &records, "--standings"]].concat())["game"]
            .clone()
    };
    assert_eq!(game(&[&cup]), "ambush");
    assert_eq!(game(&["duel", &cup]), "duel");
    assert_eq!(game(&[&cup, "duel"]), "duel");
    let variant = file("tournament-game.toml", common::duel_of("4x3", "l3/4/3L", "b2"));
    assert_eq!(game(&[&variant, &cup]), "my-duel");
    let two = |words: &[&str]| error(&[&["tournament"], words].concat());
    assert!(two(&["duel", "ambush"]).contains("one game: leave \"ambush\" out"));
    assert!(two(&[&cup, &cup]).contains("two files describe the tournament"));
    assert!(two(&["duel", "--variant", &variant]).contains("leave \"duel\" out"));
}

#[test]
fn games_that_need_not_end_have_a_limit_of_their_own() {
    let records = format!("{}/games.jsonl", folder("cap"));
    let words = [
        "tournament",
        "crystal-draughts",
        "--records",
        &records,
        "--player",
        "random",
        "--player",
        "random,name=b",
    ];
    let object = json(&[&words[..], &["--rounds", "2", "--json"]].concat());
    assert_eq!(
        (object["reasons"]["too long"].as_u64(), object["average_plies"].as_f64()),
        (Some(4), Some(400.0))
    );
}

#[test]
fn a_test_answers_by_its_exit_code() {
    let folder = folder("sprt");
    let code = |name: &str, test: &str, rounds: &str| {
        let records = format!("{folder}/{name}.jsonl");
        run(&duel(&records, &["--sprt", test, "--rounds", rounds])).code
    };
    // A player that looks a ply ahead is much stronger than chance.
    assert_eq!(code("weaker", "elo0=0,elo1=100,model=logistic", "2000"), 1);
    assert_eq!(code("open", "elo0=0,elo1=5", "2"), 1);
    let records = format!("{folder}/stronger.jsonl");
    let words = ["tournament", "duel", "--records", &records, "--openings", "random=2", "--player", "greedy"];
    let said = run(&[&words[..], &["--player", "random", "--sprt", "elo0=0,elo1=100", "--json"]].concat());
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, object["sprt"]["verdict"].as_str()), (0, Some("h1")));
    assert!(object["sprt"]["llr"].as_f64() >= object["sprt"]["upper"].as_f64());
    assert!(object["sprt"]["lower"].is_number());
}

/// The options of a tournament of two searches that choose nothing at random.
fn searches(records: &str) -> Vec<&str> {
    let words = ["tournament", "ambush", "--records", records, "--adjudicate", "max_plies=60"];
    let players = ["--player", "name=ab,kind=ab,nodes=300", "--player", "name=tree,kind=mcts,playouts=60"];
    [&words[..], &players].concat()
}

#[test]
fn games_differ_without_a_word_about_openings() {
    let records = format!("{}/games.jsonl", folder("usual-openings"));
    let object = json(&[&searches(&records)[..], &["--rounds", "10", "--json"]].concat());
    let played = fs::read_to_string(&records).unwrap();
    let game = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        ["start", "white", "black", "moves"].map(|key| record[key].to_string())
    };
    let distinct: std::collections::HashSet<_> = played.lines().map(game).collect();
    assert_eq!((object["games"].as_u64(), distinct.len()), (Some(20), 20));
    assert_eq!(object["repeated"], 0);
}

#[test]
fn a_game_that_was_played_before_is_no_evidence() {
    let folder = folder("repeated");
    let records = format!("{folder}/games.jsonl");
    let from_start = [&searches(&records)[..], &["--openings", "random=0", "--rounds", "10"]].concat();
    let text = ok(&from_start);
    assert!(
        text.contains("\nrepeated      18 of the 20 games were played before and do not count\n"),
        "{text}"
    );
    let object = json(&[&from_start[..], &["--json"]].concat());
    assert_eq!((object["games"].as_u64(), object["repeated"].as_u64()), (Some(20), Some(18)));
    for player in object["players"].as_array().unwrap() {
        let games: u64 = ["wins", "draws", "losses"].iter().map(|key| player[key].as_u64().unwrap()).sum();
        assert_eq!(games, 2, "{player}");
    }
    let pairs = object["match"]["pentanomial"].as_array().unwrap();
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 1);
    // Chance may play a game twice: that is evidence.
    let chance = format!("{folder}/chance.jsonl");
    let words = ["tournament", "duel", "--records", &chance, "--openings", "random=0"];
    let players = ["--player", "random", "--player", "ab,depth=1", "--rounds", "100", "--json"];
    let object = json(&[&words[..], &players].concat());
    assert_eq!((object["repeated"].as_u64(), object["games"].as_u64()), (Some(0), Some(200)));
}

#[test]
fn a_test_that_only_repeats_itself_ends() {
    let records = format!("{}/games.jsonl", folder("repeated-test"));
    let words = ["tournament", "duel", "--records", &records, "--openings", "random=0", "--json"];
    let players = ["--player", "ab,depth=1", "--player", "ab,depth=2,name=two", "--sprt", "elo0=0,elo1=5"];
    let said = run(&[&words[..], &players].concat());
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, object["sprt"]["verdict"].as_str()), (1, Some("continue")), "{said:?}");
    assert!(object["games"].as_u64() < Some(2000), "{object}");
}

/// A tournament of games at fixed nodes, long enough to be killed several times.
fn fixed_nodes(folder: &str) -> Vec<String> {
    let words = format!(
        "tournament ambush --records {folder}/games.jsonl --pgn {folder}/games.pgn --openings random=4 --rounds 40 \
         --player name=a,kind=ab,nodes=300 --player name=b,kind=mcts,nodes=300 --player name=c,kind=ab,depth=2 \
         --adjudicate max_plies=80 --concurrency 2"
    );
    words.split_whitespace().map(str::to_string).collect()
}

#[test]
fn a_killed_tournament_goes_on_as_if_nothing_had_been() {
    let (whole, killed) = (folder("whole"), folder("killed"));
    let whole_words = fixed_nodes(&whole);
    let table = ok(&whole_words.iter().map(String::as_str).collect::<Vec<_>>());
    let words = fixed_nodes(&killed);
    let games = || {
        fs::read(format!("{killed}/games.jsonl"))
            .map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count())
    };
    // By games played and not by the clock, or a fast machine would be done before the first kill; what the pause adds lands in different parts of a game.
    let mut kills = 0;
    while kills < 12 {
        let mut child = program().args(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while games() < 3 + 15 * kills && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(300 * kills as u64));
        let finished = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        if finished {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 2, "{kills}");
    assert_eq!(ok(&words.iter().map(String::as_str).collect::<Vec<_>>()), table);
    for name in ["games.jsonl", "games.pgn"] {
        let read = |folder: &str| fs::read(format!("{folder}/{name}")).unwrap();
        assert!(read(&whole) == read(&killed), "{name} after {kills} kills");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_standings() {
    let records = format!("{}/games.jsonl", folder("interrupted"));
    let words = duel(&records, &["--rounds", "1000000", "--concurrency", "1"]);
    let child = program().args(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while fs::read(&records).map_or(0, |text| text.len()) < 10_000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let games = fs::read_to_string(&records).unwrap().lines().count();
    assert!(stdout.contains(&format!("\ngames         {games} of 2000000, ")), "{stdout}");
    assert!(stderr.starts_with("error: interrupted after ") && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn the_standings_of_what_was_played_so_far() {
    let records = format!("{}/games.jsonl", folder("report"));
    let none = json(&duel(&records, &["--rounds", "30", "--standings", "--json"]));
    assert_eq!((none["games"].as_u64(), none["complete"].as_bool()), (Some(0), Some(false)));
    ok(&duel(&records, &["--rounds", "10"]));
    let some = json(&duel(&records, &["--rounds", "30", "--standings", "--json"]));
    assert_eq!((some["games"].as_u64(), some["scheduled"].as_u64()), (Some(20), Some(60)));
}

#[test]
fn programs_that_misbehave_lose_and_the_others_play_on() {
    let folder = folder("programs");
    let script = |name: &str, first: &str| {
        let file = format!("{folder}/{name}.sh");
        let variants = "option name UCI_Variant type combo default duel var duel";
        let answers = format!("uci) echo '{variants}'; echo uciok;; isready) echo readyok;; go*) exit 3;;");
        let text =
            format!("{first}\nwhile read -r line; do case $line in {answers} quit) exit;; esac; done\n");
        fs::write(&file, text).unwrap();
        format!("name={name},cmd=sh '{file}'")
    };
    let records = format!("{folder}/games.jsonl");
    let words = ["tournament", "duel", "--records", &records, "--rounds", "1", "--each", "nodes=5"];
    // One dies when it is to move, the other starts but once.
    let engines = ["random".to_string(), script("ghost", "rm -- \"$0\""), script("dead", "")];
    let more: Vec<&str> = engines.iter().flat_map(|engine| ["--player", engine]).collect();
    let said = run(&[&words[..], &more, &["--json"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(object["players"][0]["name"], "random");
    assert_eq!(object["players"][0]["wins"], 4);
    assert_eq!(object["games"], 6);
    for words in ["ghost died: ", "dead died: exit status: 3"] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
}

#[test]
fn mistakes_are_named() {
    let records = format!("{}/games.jsonl", folder("mistakes"));
    let with = |more: &[&str]| error(&duel(&records, more));
    assert_eq!(
        with(&["--openings", "radom=2"]),
        "--openings: unknown key \"radom\": did you mean \"random\"?"
    );
    assert_eq!(with(&["--openings", "none"]), "--openings: \"none\" is not key=value");
    let limit = with(&["--player", "ab"]);
    assert!(limit.contains("player \"ab\" has no limit: write nodes, depth, time or clock"), "{limit}");
    assert!(limit.ends_with("as in kind=ab,nodes=5000, or for all with --each nodes=5000"), "{limit}");
    assert!(
        with(&["--player", "ab,nods=5"])
            .starts_with("--player: unknown key \"nods\": did you mean \"nodes\"?")
    );
    assert!(with(&["--player", "random"]).contains("there are two players \"random\""));
    let format = with(&["--format", "swiss"]);
    assert!(format.starts_with("invalid value 'swiss' for '--format <FORMAT>'"), "{format}");
    assert!(format.contains("round-robin, gauntlet, knockout, sprt"), "{format}");
    assert!(with(&["--each", "clock=5:00x"]).contains("is not a time control"));
    assert!(error(&["tournament", "--player", "random", "--player", "greedy"]).starts_with("no game given"));
    assert!(error(&["tournament", "duel", "--player", "random"]).contains("at least 2 players"));
    let nowhere =
        ["tournament", "duel", "--player", "random", "--player", "greedy", "--openings", "book=no.epd"];
    assert!(error(&nowhere).starts_with("no.epd: "));
    let book = file("bad.epd", "l2/3/2L w - - 0 1\n\nl2/3/2X w - - 0 1\n");
    assert!(with(&["--openings", &format!("random=0,book={book}")]).contains("random or from a book"));
    let book_alone = ["tournament", "duel", "--player", "random", "--player", "greedy", "--openings"];
    let problem = error(&[&book_alone[..], &[&format!("book={book}")]].concat());
    assert!(problem.contains("bad.epd: line 3: "), "{problem}");
    let cup = file("cup.toml", "game = \"duel\"\nrouns = 3\n");
    assert!(
        error(&["tournament", &cup])
            .ends_with("cup.toml: line 2: unknown key \"rouns\": did you mean \"rounds\"?")
    );
    let judged = |judge| error(&["openings", "duel", "--judge", judge]);
    assert!(
        judged("ab,nods=5").starts_with("--judge: player: unknown key \"nods\": did you mean \"nodes\"?")
    );
    assert_eq!(judged("ab"), "--judge: ab has no limit: give it nodes, depth, playouts or time");
    assert_eq!(judged("human"), "--judge: people are not asked: take another kind of player");
    // Who cannot play at all is not made to lose.
    for (player, complaint) in [
        (
            "name=ghost,nodes=5,cmd=/no/such/program",
            "ghost cannot be started: /no/such/program: No such file or directory",
        ),
        ("name=x,nodes=5,cmd=false", "x died: "),
        ("ab,nodes=5,net=no.net", "ab cannot play: no.net: No such file or directory"),
        ("ab,nodes=5,tables=/no/such", "ab cannot play: /no/such: No such file or directory"),
    ] {
        let problem = with(&["--player", player]);
        assert!(problem.starts_with(complaint), "{problem}");
        let seats = ["match", "northern-light", "--player", "random", "--player", player, "--matches", "1"];
        assert!(error(&seats).starts_with(complaint), "{player}");
    }
    // Nothing was played, and nothing was written.
    assert!(!fs::exists(&records).unwrap());
    ok(&duel(&records, &[]));
    assert!(with(&["--seed", "2"]).contains("records of another tournament"));
    assert!(with(&["--pgn", "/no/such/folder/x.pgn"]).contains("/no/such/folder/x.pgn"));
}

#[test]
fn books_of_hidden_games_have_a_deal_for_each_position() {
    let folder = folder("deals");
    let book = format!("{folder}/book.epd");
    let make =
        ["openings", "crown-jewels", "--plies", "2", "--count", "3", "--nodes", "200", "--max-score", "300"];
    ok(&[&make[..], &["--out", &book]].concat());
    let text = fs::read_to_string(&book).unwrap();
    // Where White's twelve tiles or so stand: two plies cannot have changed all of it.
    let tiles = |line: &str| {
        let board = line.split(' ').next().unwrap();
        let mut tiles: Vec<String> = board
            .split(['/', ','])
            .filter(|cell| cell.starts_with('w'))
            .map(|cell| cell.trim_end_matches('!').to_string())
            .collect();
        tiles.sort();
        tiles
    };
    let hands: std::collections::HashSet<_> = text.lines().map(tiles).collect();
    assert_eq!((text.lines().count(), hands.len()), (3, 3), "{text}");
    let words = ["tournament", "crown-jewels", "--openings", &format!("book={book}")];
    let players = ["--player", "random", "--player", "random,name=other", "--rounds", "1", "--json"];
    let records = format!("{folder}/games.jsonl");
    assert_eq!(json(&[&words[..], &players, &["--records", &records]].concat())["games"], 2);
}

#[test]
fn books_are_made_and_played() {
    let folder = folder("openings");
    let book = format!("{folder}/book.epd");
    let make = |threads: &str, more: &[&str]| {
        let words =
            ["openings", "ambush", "--plies", "4", "--count", "12", "--nodes", "500", "--threads", threads];
        ok(&[&words[..], more].concat())
    };
    assert_eq!(make("2", &["--out", &book]), "");
    let text = fs::read_to_string(&book).unwrap();
    assert_eq!(text, make("1", &[]), "the number of threads is nothing to the book");
    assert_eq!(text.lines().count(), 12);
    let objects: Vec<Value> =
        make("1", &["--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (object, line) in objects.iter().zip(text.lines()) {
        let moves: Vec<&str> =
            object["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        let shown = json(&["moves", "ambush", "--moves", &moves.join(" "), "--json"]);
        assert_eq!((&shown["fen"], moves.len()), (&object["fen"], 4));
        assert!(shown["outcome"].is_null() && object["centipawns"].as_i64().unwrap().abs() <= 50);
        assert!(line.contains(&format!(" ce {}; ", object["centipawns"])), "{line}");
    }
    let records = format!("{folder}/games.jsonl");
    let openings = format!("book={book},order=sequential");
    let words = ["tournament", "ambush", "--player", "random", "--player", "greedy", "--rounds", "12"];
    ok(&[&words[..], &["--openings", &openings, "--records", &records]].concat());
    for (n, line) in fs::read_to_string(&records).unwrap().lines().enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["start"], objects[n / 2]["fen"]);
    }
    // A game has only a limited number of openings.
    let few =
        run(&["openings", "duel", "--plies", "1", "--count", "50", "--nodes", "100", "--max-score", "20000"]);
    assert_eq!(few.code, 1);
    assert!(few.stdout.lines().count() < 5 && few.stderr.contains("no more than"), "{few:?}");
    check_error(&run(&["openings", "duel", "--plies", "0"]), "no plies");
}

#[test]
fn a_program_plays_a_game_with_dice() {
    let records = format!("{}/games.jsonl", folder("dice"));
    let engine = format!("name=itself,cmd='{}',args=uci,nodes=100", env!("CARGO_BIN_EXE_jewel"));
    let words = ["tournament", "kings-mate-active", "--records", &records, "--rounds", "2", "--json"];
    let object = json(
        &[&words[..], &["--player", &engine, "--player", "greedy", "--adjudicate", "max_plies=60"]].concat(),
    );
    assert_eq!(object["games"], 4, "{object}");
    let games = fs::read_to_string(&records).unwrap();
    assert!(!games.contains("illegal"), "{games}");
    assert!(games.contains(":miss"), "no attack was rolled for: {games}");
}
