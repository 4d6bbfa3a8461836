//! `jewel tune`.

use crate::common::{self, check_error, error, file, json, ok, place, program};
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::Weights;
use std::fs;
use std::path::Path;

/// A small tuning job.
const JOB: [&str; 10] = ["tune", "ambush", "--games", "40", "--nodes", "60", "--seed", "7", "--rounds", "2"];

fn job<'a>(more: &[&'a str]) -> Vec<&'a str> {
    JOB.into_iter().chain(more.iter().copied()).collect()
}

/// A place where nothing is.
fn fresh(name: &str) -> String {
    let path = place(name);
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn any_number_of_threads_gives_the_same_weights() {
    let rules = jewel_engine::games::find("ambush").unwrap().rules();
    let out = fresh("tune-one.json");
    let one = json(&job(&["--threads", "1", "--out", &out, "--json"]));
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(ok(&job(&["--threads", "2"])), text);
    let weights = Weights::parse(&text, rules).unwrap();
    assert_eq!(weights.origin, JOB.iter().fold("jewel".to_string(), |line, word| line + " " + word));
    assert_ne!(weights.pieces, Weights::derived(rules).pieces);
    assert_eq!(weights.to_text(), text);
    let number = |name: &str| one[name].as_f64().unwrap_or_else(|| panic!("{name}: {one}"));
    assert_eq!(one["game"], "ambush");
    assert_eq!(one["out"], *out);
    assert_eq!(number("games"), 40.0);
    assert_eq!(number("wins") + number("draws") + number("losses"), 40.0);
    assert!(number("positions") > number("held") && number("held") > 0.0);
    assert!(number("error_before") > 0.0 && number("error_after") > 0.0);
    assert_eq!(one["rounds"].as_array().unwrap().len(), 2);
    // Another seed, other games.
    let other = json(&["tune", "ambush", "--games", "8", "--nodes", "60", "--seed", "6", "--json"]);
    assert_ne!(
        other["weights"]["pieces"],
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["pieces"]
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_as_if_nothing_had_happened() {
    use std::process::{Command, Stdio};
    let job = ["tune", "ambush", "--games", "160", "--nodes", "200", "--rounds", "1"];
    let (state, out) = (fresh("tune.state"), fresh("tune-resumed.json"));
    let whole = ok(&job);
    let files = ["--state", &state, "--out", &out];
    let spawn = || {
        let mut command = program();
        command.args(job).args(files).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut child = spawn();
    // The first batch has been saved; the last is far away.
    while !Path::new(&state).exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended without a state file");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let line = check_error(&child.wait_with_output().unwrap().into(), "interrupt");
    assert!(
        line.starts_with("interrupted after ") && line.contains(" of 160 games and 0 of 1 rounds"),
        "{line}"
    );
    let games: u64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((32..160).contains(&games), "{line}");
    let (_, command) = line.split_once("go on with: jewel ").unwrap();
    assert!(command.starts_with("tune ambush --games 160") && command.contains(&state), "{command}");
    assert!(!Path::new(&out).exists());
    // Killed outright, it goes on from the last batch.
    let mut child = spawn();
    std::thread::sleep(std::time::Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    let words: Vec<&str> = command.split_whitespace().collect();
    let summary = ok(&words);
    assert!(summary.contains("games      160 (White won "), "{summary}");
    assert_eq!(fs::read_to_string(&out).unwrap(), whole);
    // Nothing is left to do, and nothing changes.
    let saved = fs::read(&state).unwrap();
    assert_eq!(ok(&words), summary);
    assert_eq!(fs::read(&state).unwrap(), saved);
    // The state belongs to this command alone.
    let line = error(&["tune", "ambush", "--games", "161", "--state", &state]);
    assert!(line.contains("made by \"jewel tune ambush --games 160 "), "{line}");
}

#[test]
fn bad_files_are_one_line() {
    let weights = |text: &str| {
        let name = file("tune-bad.json", text);
        let line = error(&["tune", "ambush", "--weights", &name]);
        line.strip_prefix(&format!("{name}: ")).unwrap_or_else(|| panic!("{line}")).to_string()
    };
    assert!(weights("").starts_with("weights: EOF"));
    assert!(weights("{\"game\": 3}").starts_with("weights: invalid type"));
    let duel = Weights::derived(jewel_engine::games::find("duel").unwrap().rules()).to_text();
    assert!(weights(&duel).contains("ambush needs pieces"));
    let ambush = Weights::derived(jewel_engine::games::find("ambush").unwrap().rules()).to_text();
    assert!(weights(&ambush.replace("\"tempo\"", "\"tempi\"")).contains("unknown field `tempi`"));
    assert!(error(&["tune", "ambush", "--weights", "no-such-file"]).starts_with("no-such-file: "));
    let state = file("tune-bad.state", "{}");
    let line = error(&["tune", "ambush", "--state", &state]);
    assert!(line.starts_with(&format!("{state}: no state file of jewel tune: ")), "{line}");
    let nowhere = place("no-such-directory/x.state");
    let line = error(&["tune", "duel", "--games", "8", "--nodes", "1", "--state", &nowhere]);
    assert!(line.starts_with(&nowhere), "{line}");
    assert!(error(&["tune", "ambush", "--games", "7"]).contains("--games"));
    assert!(error(&["tune"]).starts_with("no game given"));
}

#[test]
fn good_weights_and_variants_are_taken() {
    let variant = file("tune-duel.toml", common::duel_of("3x3", "l2/3/2L", "b2"));
    let text = ok(&["tune", "--variant", &variant, "--games", "16", "--nodes", "20", "--rounds", "1"]);
    let weights = file("tune-good.json", &text);
    let args =
        ["tune", "--variant", &variant, "--weights", &weights, "--games", "64", "--nodes", "20", "--json"];
    let again = json(&args);
    assert_eq!(again["game"], "my-duel");
    let origin = again["weights"]["origin"].as_str().unwrap();
    assert!(origin.contains("--variant ") && origin.contains("--weights "), "{origin}");
}

#[test]
fn numbers_of_the_search_are_tuned_by_games_and_a_player_takes_them() {
    let (state, out, once) = (place("spsa.state"), place("spsa.json"), place("spsa-once.json"));
    for file in [&state, &out, &once] {
        let _ = fs::remove_file(file);
    }
    let tune = |more: &[&str]| {
        ok(&[&["tune", "ambush", "--spsa", "--games", "64", "--nodes", "60", "--seed", "8"], more].concat())
    };
    tune(&["--state", &state, "--out", &out, "--threads", "2"]);
    tune(&["--out", &once, "--threads", "1"]);
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text, fs::read_to_string(&once).unwrap());
    // A state that is complete is not played again.
    assert_eq!(tune(&["--state", &state]), text);
    let params = SearchParams::parse(&text).unwrap();
    assert_ne!(params, SearchParams::DEFAULT);
    let player = format!("ab,nodes=50,params={out}");
    ok(&["tournament", "duel", "--player", &player, "--player", "random", "--records", &place("spsa.jsonl")]);
    let wrong =
        ["tune", "ambush", "--spsa", "--games", "64", "--nodes", "61", "--seed", "8", "--state", &state];
    assert!(error(&wrong).contains("which is not what was typed now"));
    // What it begins with may be a file: with nothing to learn from, that is what comes out.
    let begun = file("spsa-begun.json", "{\"delta\": 300, \"late_moves\": 20}");
    let few = ["tune", "duel", "--spsa", "--games", "8", "--nodes", "1", "--params", &begun];
    let same = SearchParams::parse(&ok(&few)).unwrap();
    assert_eq!((same.delta, same.late_moves), (300, 20));
    let bad = file("spsa-begun-bad.json", "{\"delta\": 1}");
    let line = error(&["tune", "duel", "--spsa", "--params", &bad]);
    assert!(line.contains("spsa-begun-bad.json: delta is 1, which is not between 30 and 600"), "{line}");
    // With a clock, the numbers by which time is used are tuned and no others.
    let timed = place("spsa-time.json");
    tune(&["--clock", "2+0.1", "--out", &timed]);
    let of_time = SearchParams::parse(&fs::read_to_string(&timed).unwrap()).unwrap();
    let numbers = of_time.numbers();
    let mut moved = SearchParams::PARAMS.iter().zip(numbers).filter(|(dial, n)| *n != dial.default);
    assert!(moved.clone().count() > 0 && moved.all(|(dial, _)| dial.is_of_time()));
    let line = error(&["tune", "ambush", "--spsa", "--clock", "soon"]);
    assert!(line.contains("soon"), "{line}");
    let bad = file("spsa-bad.json", "{\"delta\": 1}");
    let player = format!("ab,nodes=50,params={bad}");
    let line = error(&["tournament", "duel", "--player", &player, "--player", "random"]);
    assert!(line.contains("delta is 1, which is not between 30 and 600"), "{line}");
}

#[test]
fn numbers_of_the_search_are_tuned_for_all_games_of_a_basket() {
    let basket = file(
        "tune-basket.toml",
        "[openings]\nrandom = 2\n[[game]]\ngame = \"ambush\"\n[[game]]\ngame = \"duel\"\nopenings = { random = 1 }\n",
    );
    let tune = |more: &[&str]| {
        let args = ["tune", "--spsa", "--basket", &basket, "--games", "96", "--nodes", "60"];
        ok(&[&args, more].concat())
    };
    let text = tune(&["--threads", "1"]);
    assert_eq!(tune(&["--threads", "2"]), text);
    // Both games count: one of them alone leads elsewhere.
    let params = SearchParams::parse(&text).unwrap();
    assert_ne!(params, SearchParams::DEFAULT);
    let alone = file("tune-basket-of-one.toml", "openings = { random = 2 }\n[[game]]\ngame = \"ambush\"\n");
    let one = ok(&["tune", "--spsa", "--basket", &alone, "--games", "96", "--nodes", "60"]);
    assert_ne!(one, text);
    let by_id = ok(&["tune", "ambush", "--spsa", "--opening-plies", "2", "--games", "96", "--nodes", "60"]);
    assert_eq!(one, by_id);
    // Games that all end as draws teach nothing, and a game's own adjudication comes before that of all.
    let adjudged = |own: &str| {
        let text = format!("[adjudication]\nmax_plies = 1\n[[game]]\ngame = \"ambush\"\n{own}");
        let basket = file("tune-adjudged-basket.toml", &text);
        SearchParams::parse(&ok(&["tune", "--spsa", "--basket", &basket, "--games", "96", "--nodes", "60"]))
    };
    assert_eq!(adjudged(""), Ok(SearchParams::DEFAULT));
    assert_ne!(adjudged("adjudication = { max_plies = 200 }\n"), Ok(SearchParams::DEFAULT));
    let summary = json(&["tune", "--spsa", "--basket", &basket, "--games", "8", "--nodes", "1", "--json"]);
    assert_eq!(summary["basket"], serde_json::json!(["ambush", "duel"]));
    assert!(summary.get("game").is_none());
    let line = error(&["tune", "ambush", "--spsa", "--basket", &basket]);
    assert!(line.starts_with("the games are those of the basket: leave \"ambush\" out"), "{line}");
    let empty = file("tune-no-basket.toml", "[openings]\nrandom = 2\n");
    let line = error(&["tune", "--spsa", "--basket", &empty]);
    assert!(line.ends_with("tune-no-basket.toml: no basket: it has no [[game]]"), "{line}");
    assert!(error(&["tune", "--basket", &basket]).contains("--spsa"));
}
