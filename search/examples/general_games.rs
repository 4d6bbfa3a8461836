//! Plays the games that the network for every game is trained on (`tools/general-net/train.py`).
//!
//! `cargo run --release -p jewel-search --features drivers --example general_games -- SECONDS FOLDER VARIANT.toml...`
//!
//! Each variant is played against itself for SECONDS on one thread, with what the program knows of it from its file alone,
//! and as many variants at a time as there are cores. FOLDER/NAME.games gets the quiet positions of the games: the
//! fingerprint of the rules and the bytes of `Samples::to_bytes`. Variants that have such a file already are left out, and
//! so are those whose games do not end.

use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, RuleSubset};
use jewel_engine::position::Position;
use jewel_engine::value::Verdict;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_search::evaluate::{Evaluation, HandcraftedEvaluation};
use jewel_search::train::Samples;
use jewel_search::tune::SelfPlay;
use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How the games are played, but for the random plies.
const PLAY: SelfPlay = SelfPlay {
    nodes: 600,
    random_plies: 0,
    balanced: true,
    longest: 250,
    careless: 0,
    kept: usize::MAX,
    decided: false,
    seed: 20,
};

/// Random plies at the beginning of games, as far as the game has room for them.
const RANDOM_PLIES: u64 = 8;

/// Games after which some must have been won.
const TRIAL: u64 = 24;

/// The positions of games that are played for a time; an error says why there are none.
fn play<S: RuleSubset, const N: usize>(
    game: &ChessGame<'static, S, N>,
    rules: &'static Rules,
    time: Duration,
) -> Result<Samples, String> {
    if game.start().outcome().is_some() {
        return Err("the game is over in its start position".to_string());
    }
    let how = SelfPlay { random_plies: SelfPlay::fitting_plies(game, RANDOM_PLIES, PLAY.seed), ..PLAY };
    let (evaluation, hand) = (Evaluation::by_rules(rules), HandcraftedEvaluation::best(rules));
    let (mut samples, mut won, begun) = (Samples::default(), 0, Instant::now());
    while begun.elapsed() < time {
        let played = how.play(game, &evaluation, samples.games()).ok_or("a search needs a megabyte")?;
        won += u64::from(played.verdict != Verdict::Draw);
        samples.push(&played, &hand, |_| None);
        if samples.games() == TRIAL && won == 0 {
            return Err(format!("none of {TRIAL} games was won"));
        }
    }
    if samples.is_empty() {
        return Err("its games had no quiet positions".to_string());
    }
    Ok(samples)
}

/// Plays the variant of a file, and writes its positions into a folder.
fn play_file(file: &str, folder: &Path, time: Duration) -> Result<(), String> {
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let out = folder.join(format!("{name}.games"));
    if out.exists() {
        return Ok(());
    }
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let rules: &'static Rules = Rules::parse(&text).map_err(|e| e.to_string())?.leak();
    let samples = with_leanest_game!(rules, game => play(&game, rules, time))?;
    let mut bytes = rules.fingerprint.to_le_bytes().to_vec();
    bytes.extend(samples.to_bytes());
    std::fs::write(&out, bytes).map_err(|e| format!("{}: {e}", out.display()))?;
    eprintln!("{name}: {} games, {} positions", samples.games(), samples.len());
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, folder, variants @ ..] = &*arguments else {
        eprintln!("usage: general_games SECONDS FOLDER VARIANT.toml...");
        return ExitCode::FAILURE;
    };
    let Ok(seconds) = seconds.parse() else {
        eprintln!("error: {seconds}: expected a number of seconds");
        return ExitCode::FAILURE;
    };
    // One at a time for each thread: games of some variants take much longer than those of others.
    variants.par_iter().with_max_len(1).for_each(|file| {
        if let Err(problem) = play_file(file, Path::new(folder), Duration::from_secs(seconds)) {
            eprintln!("{file}: left out: {problem}");
        }
    });
    ExitCode::SUCCESS
}
