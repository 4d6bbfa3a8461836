//! The objects of `--json` are those that `docs/schemas/` describes.
//!
//! Each schema is held against real outputs, both ways: an output has no field that its schema does not know, and each
//! field of a schema is in some output.

use crate::common::schema::Schemas;
use crate::common::{folder_with_examples, program, words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schemas");

/// Command lines, with the schema of each line that they print; a file after `>` has the lines instead. Later ones use what
/// earlier ones have made.
const OUTPUTS: &[(&str, &str)] = &[
    ("games", "games --json"),
    ("show", "show ambush --json"),
    ("show", "show kings-mate --svg board.svg --json"),
    ("show", "show star-lords --json"),
    ("show", "show duel --moves \"c1b1 a3c3 b1b2 c3a3\" --json"),
    ("moves", "moves duel --json"),
    ("moves", "moves chess --san --json"),
    ("moves", "moves duel --moves \"c1b1 a3c3 b1b2 c3a3\" --json"),
    ("perft", "perft duel 3 --json"),
    ("perft", "perft duel 3 --divide --json"),
    ("perft-suite", "perft --suite suite.json --max-nodes 500 --json"),
    ("solve", "solve duel --json --verify"),
    ("solve", "solve duel --moves \"c1b1 a3c3 b1b2 c3a3\" --json"),
    ("solve", "solve examples/variants/hexapawn.toml --method graph --json"),
    ("solve", "solve duel --save duel.solution --json"),
    ("solve", "solve examples/variants/octopawn.toml --method proof --proofs proofs --json"),
    ("solve", "solve duel --method proof --json"),
    ("solve", "solve chess --fen \"6k1/5ppp/8/8/8/8/1Q6/1R4K1 w - - 0 1\" --json"),
    ("prove", "prove examples/variants/hexapawn.toml --side b --claim win --file hexapawn.proof --json"),
    ("prove", "prove examples/variants/hexapawn.toml --claim draw --json"),
    ("prove-check", "prove --check hexapawn.proof --json"),
    ("prove-check", "prove --check wrong.proof --json"),
    ("claims", "claims duel KQvK --json"),
    ("tables-plan", "tables plan ambush --class NLvNQ --json"),
    ("tables-plan", "tables plan lopsided.toml --json"),
    ("tables-plan", "tables plan ambush --class NLvNQ --fleet 3 --json"),
    ("tables-build", "tables build ambush --class NLvNQ --json"),
    ("tables-build", "tables build ambush --class NLvNQ --json"),
    ("tables-probe", "tables probe ambush --fen \"N4/4n/5/5/1q1L1 w - - 0 1\" --json"),
    ("tables-probe", "tables probe duel --tables whole --json"),
    ("solve", "solve ambush --fen \"N4/4n/5/5/1q1L1 w - - 0 1\" --method tables --verify --json"),
    ("solve", "solve cub.toml --method tables --tables cub --verify --json"),
    ("solve", "solve micro-kp.toml --method tables --tables micro-kp --json"),
    ("tables-info", "tables info ambush --lines --zugzwang --histogram --list 2 --json"),
    ("tables-info", "tables info cub.toml --tables cub --histogram --among at-once --json"),
    ("tables-info", "tables info jewel-tables/ambush/LNvQ.jt --json"),
    ("tables-verify", "tables verify ambush --json"),
    ("tables-verify", "tables verify --tables damaged duel --json"),
    ("analyse", "analyse ambush --depth 4 --json"),
    ("analyse", "analyse ambush --depth 4 --multipv 2 --json"),
    ("analyse", "analyse ambush --player mcts --playouts 40 --multipv 2 --json"),
    ("analyse", "analyse duel --depth 4 --multipv 2 --fen \"2l/3/1L1 w - - 0 1\" --json"),
    ("analyse", "analyse duel --depth 12 --moves \"c1b1 a3c3\" --json"),
    ("analyse", "analyse duel --moves \"c1b1 a3c3 b1b2 c3a3\" --json"),
    ("analyse", "analyse crown-jewels --playouts 20 --multipv 2 --json"),
    ("analyse-batch", "analyse ambush --epd suite.epd --depth 3"),
    ("analyse-batch", "analyse ambush --epd suite.epd --player mcts --playouts 20 --multipv 2"),
    ("analyse-batch", "analyse crown-jewels --epd crown.epd --playouts 20 --multipv 2"),
    ("analyse-batch-summary", "analyse ambush --epd suite.epd --depth 3 --out suite.jsonl --json"),
    ("analyse-batch", "> suite.jsonl"),
    ("play", "play duel --white ab --black mcts --nodes 100 --json"),
    ("play", "play ambush --white ab --black ab --nodes 10 --max-plies 2 --json"),
    (
        "tournament",
        "tournament ambush --player ab,nodes=50 --player name=b,kind=mcts,nodes=30 --rounds 3 --records cup.jsonl --times true --json",
    ),
    ("tournament-record", "> cup.jsonl"),
    (
        "tournament",
        "tournament duel --player random --player greedy --rounds 3 --sprt elo0=0,elo1=5 --records test.jsonl --json",
    ),
    (
        "tournament",
        "tournament duel --player random --player greedy --player random,name=b --format knockout --records ko.jsonl --json",
    ),
    ("tournament", "tournament duel --player random --player greedy --records none.jsonl --standings --json"),
    (
        "tournament",
        "tournament --basket basket.toml --player random --player greedy --rounds 3 --records b.jsonl --json",
    ),
    (
        "tournament",
        "tournament world-tree:start=standard --player random --player ab,nodes=20 --adjudicate max_plies=12 --records tree.jsonl --json",
    ),
    ("tournament-record", "> tree.jsonl"),
    (
        "match",
        "match northern-light --player random --player greedy --max-plies 6 --clock-scale 0.01 --records match.jsonl --json",
    ),
    ("match-record", "> match.jsonl"),
    ("match", "match jewel-series --player random --player greedy --max-plies 40 --matches 2 --json"),
    ("openings", "openings ambush --count 2 --nodes 100 --json"),
    (
        "accuracy",
        "accuracy ambush --tables jewel-tables --positions 30 --plies 60 --player random --player ab,nodes=50 --records asked.jsonl --json",
    ),
    ("accuracy-record", "> asked.jsonl"),
    ("report", "report ambush --games 2 --nodes 4 --rungs 1 --max-positions 10 --json"),
    ("report", "report duel --games 12 --nodes 40 --rungs 2 --json"),
    ("report", "report ambush --games 4 --nodes 20 --rungs 1 --max-positions 0 --tables jewel-tables --json"),
    ("tune", "tune duel --games 30 --nodes 50 --out duel.weights --json"),
    ("tune", "tune duel --games 30 --nodes 50 --json"),
    ("tune-spsa", "tune duel --spsa --games 8 --nodes 20 --out duel.params --json"),
    ("tune-spsa", "tune duel --spsa --games 8 --nodes 20 --json"),
    ("tune-spsa", "tune --spsa --basket two.toml --games 8 --nodes 20 --json"),
    (
        "train",
        "train diamond-quest --games 32 --nodes 20 --rounds 1 --epochs 1 --out q.net --threads 1 --json",
    ),
    (
        "train-lesson",
        "train examples/variants/messengers-4x5.toml --minutes 0.01 --nodes 20 --threads 1 --json",
    ),
    ("variant-export", "variant export duel --json"),
    ("variant-export", "variant export diamond-chess --out game.ini --json"),
    ("variant-import", "variant import game.ini --json"),
    ("variant-import", "variant import game.ini --out game.toml --json"),
    ("variant-import", "variant import two.ini --json"),
];

/// What the commands need before they begin.
fn prepare(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let rows =
        r#"{"rows": [{"game": "duel", "perft": [4, 16, 63]}, {"game": "ambush", "perft": [12, 144, 1714]}]}"#;
    write("suite.json", rows);
    write(
        "suite.epd",
        "nqlqn/5/5/5/NQLQN b - - bm a5b3; id \"one\";\nnqlqn/5/5/5/NQLQN w - - am a1b3;\nn1lqn/5/5/5/NQLQN w - -\n4n/5/5/5/2L2 w - -\n",
    );
    let basket = "[[game]]\ngame = \"duel\"\n\n[[game]]\nvariant = \"examples/variants/duel-4x4.toml\"\n";
    write("basket.toml", basket);
    let lopsided = "name = 'Lopsided'\n[board]\nsize = '3x3'\nstart = 'k2/1P1/2K w - - 0 1'\n\
                    [[piece]]\nletter = 'K'\nmoves = 'K'\nroyal = true\n[[piece]]\nletter = 'P'\nmoves = 'fW'\n";
    write("lopsided.toml", lopsided);
    let cub = "id = 'cub'\nname = 'Cub'\n[board]\nsize = '3x3'\nstart = 'clc/3/CLC[] w - - 0 1'\n[[piece]]\nletter = 'L'\n\
               moves = 'K'\nroyal = 'capture'\n[[piece]]\nletter = 'C'\nmoves = 'fW'\n[hand]\n[key]\n\
               goals = { w = ['rank 3'], b = ['rank 1'] }\nobjective = 'try'\neligible = 'L'\n[end]\nstalemate = 'loss'\n";
    write("cub.toml", cub);
    // A game whose source counts in a way of its own.
    let micro = fs::read_to_string(folder.join("examples/variants/micro-kpg.toml")).unwrap();
    write("micro-kp.toml", &micro.replace("k1+r1/p3/4/3P/1+R1K[]", "k3/p3/4/3P/3K[]"));
    write("two.toml", "[[game]]\ngame = \"duel\"\n[[game]]\ngame = \"ambush\"\n");
    write("two.ini", "[a:chess]\n\n[b:chess]\nconnectN = 3\n\n[c:nothing]\n");
    fs::create_dir(folder.join("damaged")).unwrap();
    let book = "openings crown-jewels --plies 2 --count 1 --nodes 50 --max-score 20000 --out crown.epd";
    for line in ["tables build duel --tables damaged", "tables build duel --tables whole", book] {
        let made = program().args(words(line)).current_dir(folder).output().unwrap();
        assert!(made.status.success(), "{line}");
    }
    let proof = "prove duel --claim draw --file wrong.proof";
    assert!(program().args(words(proof)).current_dir(folder).output().unwrap().status.success());
    let mut bytes = fs::read(folder.join("wrong.proof")).unwrap();
    let last = bytes.len() - 10;
    bytes[last] ^= 1;
    fs::write(folder.join("wrong.proof"), bytes).unwrap();
    let table = folder.join("damaged/LvL.jt");
    let mut bytes = fs::read(&table).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&table, bytes).unwrap();
}

/// The lines that a command prints, or a file has.
fn lines(line: &str, folder: &Path) -> Vec<Value> {
    let text = match line.strip_prefix("> ") {
        Some(file) => fs::read_to_string(folder.join(file)).unwrap(),
        None => {
            let output =
                program().args(words(line)).current_dir(folder).stdin(Stdio::null()).output().unwrap();
            assert!(!output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        }
    };
    text.lines()
        .map(|row| serde_json::from_str(row).unwrap_or_else(|e| panic!("{line}: {e}: {row}")))
        .collect()
}

#[test]
fn outputs_are_as_the_schemas_say() {
    let schemas = Schemas::read(Path::new(FOLDER));
    let folder = folder_with_examples("schemas");
    prepare(&folder);
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, line) in OUTPUTS {
        for object in lines(line, &folder) {
            let used = seen.entry(name).or_default();
            if let Err(problem) = schemas.check(name, &object, used) {
                panic!("{line}: {problem}\nin {object}");
            }
        }
    }
    // Those of the API are held against its answers in serve.rs.
    for name in schemas.names().filter(|name| *name != "common" && !name.starts_with("api-")) {
        let used = seen.get(name).unwrap_or_else(|| panic!("no output for {name}.json"));
        let unused: Vec<String> =
            schemas.fields(name).into_iter().filter(|field| !used.contains(field)).collect();
        assert!(unused.is_empty(), "{name}.json has fields that no output has: {unused:?}");
    }
}

#[test]
fn every_command_with_an_object_is_on_the_page() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/json.md")).unwrap();
    let schemas = Schemas::read(Path::new(FOLDER));
    for name in schemas.names() {
        assert!(page.contains(&format!("(schemas/{name}.json)")), "{name}");
    }
    // Every command that takes --json is there.
    let help = String::from_utf8(program().arg("--help").output().unwrap().stdout).unwrap();
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for line in commands.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap();
        let own = String::from_utf8(program().args(["help", command]).output().unwrap().stdout).unwrap();
        if own.contains("--json") {
            assert!(page.contains(&format!("`jewel {command}")), "{command}");
        }
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let schemas = Schemas::read(Path::new(FOLDER));
    let check =
        |text: &str| schemas.check("moves", &serde_json::from_str(text).unwrap(), &mut BTreeSet::new());
    let right = r#"{"game":"duel","fen":"3/3/3 w - - 0 1","moves":["a1a2"],"outcome":null}"#;
    assert_eq!(check(right), Ok(()));
    for (from, to, problem) in [
        ("\"a1a2\"", "7", "/moves/0: 7 is no string"),
        ("null", "\"lost\"", "/outcome: \"lost\""),
        ("\"duel\"", "\"\"", "/game: \"\""),
        ("\"game\":\"duel\",", "", "\"game\" is missing"),
        ("\"outcome\"", "\"end\":1,\"outcome\"", "\"end\" is not described"),
    ] {
        let found = check(&right.replacen(from, to, 1)).unwrap_err();
        assert!(found.contains(problem), "{found}");
    }
}
