//! What people read fits a terminal of 80 columns.

use crate::common::{folder_with_examples, program, words};
use std::process::Stdio;

const WIDTH: usize = 80;

/// Every command that prints a text for people, and the help of each.
const COMMANDS: [&str; 36] = [
    "games",
    "show duel",
    "show kings-mate-active",
    "show world-tree",
    "show crystal-draughts",
    "show crown-jewels",
    "show examples/variants/fox-and-hounds.toml",
    "moves ambush",
    "perft duel 3 --divide",
    "solve duel --verify",
    "solve examples/variants/duel-3x5.toml",
    "solve examples/variants/hexapawn.toml --method graph",
    "analyse ambush --depth 12 --multipv 3",
    "analyse world-tree --depth 4",
    "analyse crown-jewels --playouts 20",
    "tables plan ambush",
    "tables plan ambush --max-pieces 3",
    "tables build ambush --class NLvNQ",
    "tables info ambush --lines --zugzwang",
    "tables info jewel-tables/ambush/LNvQ.jt",
    "tables probe ambush --fen \"N4/4n/5/5/1q1L1 w - - 0 1\"",
    "tables verify ambush --full",
    "solve ambush --fen \"N4/4n/5/5/1q1L1 w - - 0 1\" --method tables",
    "play ambush --white ab --black mcts --nodes 50 --max-plies 60",
    "play crown-jewels --white mcts --black mcts --playouts 5 --max-plies 4",
    "tournament ambush --player name=a-player-with-a-name-that-is-long-and-longer,kind=ab,nodes=50 \
     --player mcts,nodes=50 --player random --rounds 2 --times true",
    "tournament duel --player name=alpha-beta,kind=ab,time=2ms --player random --rounds 2 --sprt elo0=0,elo1=5",
    "match jewel-series --player ab,nodes=30 --player greedy --clock-scale 0.01 --max-plies 60 --matches 2",
    "openings duel --plies 2 --count 1 --nodes 50 --max-score 20000 --out book.epd",
    "accuracy ambush --tables jewel-tables --positions 20 --plies 60 --player name=thousand,kind=ab,nodes=1000 \
     --player random",
    "report duel --games 20 --nodes 50 --rungs 2",
    "report examples/variants/hexapawn.toml --games 20 --nodes 50 --rungs 1",
    "tune duel --games 30 --nodes 50 --out duel.weights.json",
    "train diamond-quest --games 32 --nodes 30 --rounds 1 --epochs 1 --out q.net --threads 1",
    "variant export diamond-chess --out game.ini",
    "variant import game.ini",
];

/// Whether a line may be longer: it has a position string, which is kept whole, or a single long word.
fn unbreakable(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|word| word.matches('/').count() >= 2 || word.chars().count() > WIDTH - 24)
}

fn check(what: &str, text: &str) {
    for line in text.lines() {
        let width = line.chars().count();
        assert!(width <= WIDTH || unbreakable(line), "{what}: {width} columns: {line}");
    }
}

#[test]
fn texts_fit_eighty_columns() {
    let folder = folder_with_examples("width");
    for command in COMMANDS {
        let output =
            program().args(words(command)).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        // 1 is the answer "no", which a test that has not decided gives.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {stderr}");
        check(command, &String::from_utf8(output.stdout).unwrap());
    }
}

#[test]
fn help_fits_eighty_columns() {
    let mut commands = Vec::new();
    let help = String::from_utf8(program().arg("--help").output().unwrap().stdout).unwrap();
    for line in help.lines().skip_while(|line| *line != "Commands:").skip(1) {
        match line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
            Some(line) => commands.extend(line.split_whitespace().next().map(str::to_string)),
            None if line.is_empty() => break,
            None => {}
        }
    }
    assert!(commands.len() >= 18, "{commands:?}");
    commands.extend(["tables build", "tables info", "variant import"].map(str::to_string));
    check("help", &help);
    for command in commands {
        let output = program().arg("help").args(command.split(' ')).output().unwrap();
        check(&format!("help {command}"), &String::from_utf8(output.stdout).unwrap());
    }
}
