//! Fits the constants from which the evaluation of a game without files is derived to results of games of many variants:
//! `Constants::HANDS` if pieces come back from hands in the first variant, else `Constants::FITTED`.
//!
//! `cargo run --release -p jewel-search --features drivers --example fit_derived -- GAMES NODES COUSINS VARIANT...`
//!
//! A VARIANT is the id of a game of the program, a variant file (`FILE.toml`), a section of a file of Fairy-Stockfish
//! (`FILE.ini:NAME`), or a variant that is built into that program (`:NAME`). COUSINS is a number of games made up at
//! random besides: armies of usual and unusual pieces on boards of 5x5 to 8x8. The program plays GAMES games of each
//! against itself, with NODES nodes a move, and logistic regression finds the constants under which positions foretell
//! the results best. One game in six is kept apart: how well it is foretold decides how far the others are trusted.
//!
//! Games that were played before are used too, such as those between other programs: a VARIANT may be
//! `FILE.toml+RECORDS.jsonl`, the records of a tournament, of which the games with the id of the file count. With
//! `FILE.toml+RECORDS.jsonl+NAME` the positions are those of moves by players whose names begin with NAME, and what these
//! players expected teaches as well as the results.
//!
//! Prints the constants as `derive/constants.rs` and `derive/hands.rs` have them; progress goes to stderr. The result follows from the
//! arguments, whatever the number of threads.

use jewel_engine::ability::{Game, Notation};
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::interchange::import;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Verdict;
use jewel_engine::variant::Rules;
use jewel_search::evaluate::{Constants, HandcraftedEvaluation};
use jewel_search::tune::{ConstantsFit, Sample, SelfPlay};
use rayon::prelude::*;
use serde::Deserialize;
use std::process::ExitCode;

/// Games of any rules: one type for all, so that this is compiled once.
type AnyGame = ChessGame<'static, General, 32>;
type AnySample = Sample<<AnyGame as Game>::Position>;

/// How the games are played, but for the nodes: from random openings, which give one side an advantage, and with a slip
/// now and then.
const PLAY: SelfPlay = SelfPlay {
    nodes: 0,
    random_plies: 8,
    balanced: false,
    longest: 180,
    careless: 60,
    kept: 14,
    decided: false,
    seed: 7,
};

/// Centipawns at which odds are ten to one where another program teaches: by our evaluation, and by its scores.
const TAUGHT_SCALE: f64 = 350.0;
const TEACHER_SCALE: f64 = 437.5;

/// One variant in this many is kept apart.
const HELD: usize = 6;

/// Rounds of the fit: each begins with the constants of the one before.
const ROUNDS: usize = 3;

/// Pieces of games that are made up: their letters and moves. Usual ones are there twice.
const PIECES: [(&str, &str); 22] = [
    ("N", "N"),
    ("B", "B"),
    ("R", "R"),
    ("Q", "Q"),
    ("N", "N"),
    ("B", "B"),
    ("R", "R"),
    ("Q", "Q"),
    ("A", "NB"),
    ("C", "NR"),
    ("M", "WF"),
    ("F", "F"),
    ("W", "W"),
    ("H", "FD"),
    ("D", "WD"),
    ("E", "FA"),
    ("L", "C"),
    ("S", "FfW"),
    ("G", "WfF"),
    ("T", "R2"),
    ("U", "BW"),
    ("V", "RF"),
];

/// Pawns of such games: those of chess with and without a double step, and some that move diagonally.
const PAWNS: [&str; 5] = ["mfWcfF", "mfWcfF", "mfWcfFimfnD", "mfWcfFimfnD", "mfFcfW"];

/// The variant file of a cousin of chess that follows from a number.
fn cousin(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut below = |n: usize| random.below(n as u32) as usize;
    let width = [5, 6, 7, 8, 8, 8][below(6)];
    let height = [5, 6, 7, 8, 8, 8][below(6)].max(width.min(6));
    let types = 3 + below(3);
    let mut army: Vec<(&str, &str)> = Vec::new();
    while army.len() < types {
        let piece = PIECES[below(PIECES.len())];
        if army.iter().all(|other| other.0 != piece.0) {
            army.push(piece);
        }
    }
    let mut back: Vec<&str> = (0..width).map(|_| army[below(types)].0).collect();
    if below(2) == 0 {
        for file in 0..width / 2 {
            back[width - 1 - file] = back[file];
        }
    }
    back[width / 2] = "K";
    let (back, front) = (back.concat(), "P".repeat(width));
    let has_pawns = below(8) > 0;
    let pawn = PAWNS[if below(6) == 0 { 4 } else { below(4) }];
    let mut ranks = vec![back.to_lowercase()];
    ranks.extend(has_pawns.then(|| front.to_lowercase()));
    ranks.extend(vec![width.to_string(); height - if has_pawns { 4 } else { 2 }]);
    ranks.extend(has_pawns.then_some(front));
    ranks.push(back);
    let mut text = format!(
        "id = \"cousin-{seed}\"\nname = \"Cousin {seed}\"\n[board]\nsize = \"{width}x{height}\"\nstart = \"{} w - - 0 1\"\n",
        ranks.join("/")
    );
    if has_pawns {
        let to: String = army.iter().map(|piece| piece.0).collect();
        text += &format!(
            "[[piece]]\nletter = \"P\"\nmoves = \"{pawn}\"\n\
             promotion = {{ zone = {{ w = [\"rank {height}\"], b = [\"rank 1\"] }}, to = \"{to}\" }}\n"
        );
        if pawn.contains('D') {
            let second = height - 1;
            text +=
                &format!("en-passant = true\ninitial = {{ w = [\"rank 2\"], b = [\"rank {second}\"] }}\n");
        }
    }
    for (letter, moves) in army {
        text += &format!("[[piece]]\nletter = \"{letter}\"\nmoves = \"{moves}\"\n");
    }
    text + "[[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n[draw]\nn-move = 50\n"
}

/// The rules that an argument names.
fn rules(argument: &str) -> Result<Rules, String> {
    let read = |file: &str| std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"));
    let text = if let Some(game) = jewel_engine::games::find(argument) {
        game.text.to_string()
    } else if let Some((file, name)) = argument.split_once(':') {
        let (ini, name) = match file {
            "" => (format!("[{name}-built-in:{name}]\n"), format!("{name}-built-in")),
            file => (read(file)?, name.to_string()),
        };
        import(&ini, Some(&name), &[]).map_err(|e| format!("{argument}: {e}"))?.text
    } else {
        read(argument)?
    };
    Rules::parse(&text).map_err(|e| format!("{argument}: {e}"))
}

/// Positions of games of one variant.
fn samples(rules: &'static Rules, games: u64, nodes: u64) -> Vec<AnySample> {
    let game = AnyGame::from_any(rules);
    let evaluation = HandcraftedEvaluation::derived(rules);
    let play = SelfPlay { nodes, ..PLAY };
    let of = |number| -> Vec<AnySample> {
        let played = play.play(&game, &evaluation, number).expect("a search needs a megabyte");
        let sample = |position| Sample::new(position, played.verdict);
        played.positions.into_iter().map(sample).collect()
    };
    (0..games).into_par_iter().flat_map(of).collect()
}

/// A line of the records of a tournament.
#[derive(Deserialize)]
struct Record {
    game: String,
    start: String,
    result: String,
    moves: Vec<String>,
    scores: Vec<Option<String>>,
    #[serde(default)]
    book: usize,
    white: String,
    black: String,
}

/// Positions of games that were played before: quiet ones whose score was no forced result. With the name of a teacher,
/// those in which it moved, with what it expected.
fn recorded(rules: &'static Rules, file: &str, teacher: Option<&str>) -> Result<Vec<AnySample>, String> {
    /// Plies at the beginning that are left out, and positions that are kept of a game.
    const OPENING: usize = 10;
    const KEPT: usize = 24;
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let game = AnyGame::from_any(rules);
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: String| format!("{file}: line {number}: {what}");
        let record: Record = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
        if record.game != rules.id {
            continue;
        }
        let verdict = match &*record.result {
            "1-0" => Verdict::WhiteWins,
            "0-1" => Verdict::BlackWins,
            _ => Verdict::Draw,
        };
        let mut position = game.parse_position(&record.start).map_err(|e| wrong(e.to_string()))?;
        let mut quiet = Vec::new();
        for (n, text) in record.moves.iter().enumerate() {
            let mv = position.parse_move(text).map_err(|e| wrong(e.to_string()))?;
            let score = n.checked_sub(record.book).and_then(|n| record.scores.get(n)?.as_ref()?.parse().ok());
            let player = [&record.white, &record.black][position.side_to_move().index()];
            if let Some(score) = score
                && n >= OPENING
                && !position.threatened()
                && !position.is_noisy(mv)
                && teacher.is_none_or(|name| player.starts_with(name))
            {
                let expected = teacher.map(|_| expectation(score));
                quiet.push(Sample { expected, ..Sample::new(position, verdict) });
            }
            position.play(mv);
        }
        let step = quiet.len().div_ceil(KEPT).max(1);
        all.extend(quiet.into_iter().skip(number % step).step_by(step));
    }
    Ok(all)
}

/// What a score of the teacher in pawns means.
fn expectation(score: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-100.0 * score / TEACHER_SCALE))
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [games, nodes, cousins, variants @ ..] = arguments else {
        return Err("usage: fit_derived GAMES NODES COUSINS VARIANT...".to_string());
    };
    let number = |text: &String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
    let (games, nodes, cousins) = (number(games)?, number(nodes)?, number(cousins)?);
    let mut all: Vec<(&'static Rules, Option<&str>, Option<&str>)> = Vec::new();
    for variant in variants {
        let mut parts = variant.splitn(3, '+');
        let rules: &'static Rules = rules(parts.next().unwrap_or_default())?.leak();
        all.push((rules, parts.next(), parts.next()));
    }
    for seed in 0..cousins {
        all.push((
            Rules::parse(&cousin(seed)).map_err(|e| format!("cousin {seed}: {e}"))?.leak(),
            None,
            None,
        ));
    }
    let start = all.first().map_or(Constants::FITTED, |&(rules, ..)| *Constants::of(rules));
    let mut data = Vec::new();
    for (rules, records, teacher) in all {
        let samples = match records {
            Some(file) => recorded(rules, file, teacher)?,
            None => samples(rules, games, nodes),
        };
        let scale = match teacher {
            Some(_) => TAUGHT_SCALE,
            None => ConstantsFit::scale(rules, &start, &samples),
        };
        eprintln!("{}: {} positions, odds of ten to one at {scale:.0} centipawns", rules.id, samples.len());
        data.push((rules, samples, scale));
    }
    let linearize = |now: Constants| {
        let mut fit = ConstantsFit::new(now);
        for (n, (rules, samples, scale)) in data.iter().enumerate() {
            fit.add(rules, samples, *scale, n % HELD == HELD - 1);
        }
        let (fitted, held) = fit.errors();
        eprintln!("error {fitted:.5} of the variants fitted, {held:.5} of those kept apart");
        (fit, held)
    };
    let (mut best, mut least, mut now) = (start, f64::INFINITY, start);
    for round in 0..=ROUNDS {
        let (fit, held) = linearize(now);
        if held < least {
            (best, least) = (now, held);
        }
        if round < ROUNDS {
            let (next, strength) = fit.solve(&best);
            eprintln!("strength {strength}");
            now = next;
        }
    }
    for constant in best.list() {
        println!("    {}: {:.3}, {:?};", constant.name, constant.value, constant.reach);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
