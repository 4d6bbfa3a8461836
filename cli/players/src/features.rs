//! Parts of the searches that can be switched off by name, to measure what each is worth.

use crate::options::Algorithm;
use crate::support::words::{any_of, shortened};
use jewel_engine::games::nearest;
use jewel_search::alphabeta::Features;
use jewel_search::mcts;

/// The parts of Monte Carlo tree search.
const MCTS: [&str; 2] = ["minimax", "widening"];

/// Checks that an algorithm has all of these features.
///
/// # Errors
/// The first that it does not have, and the features that it has.
pub(crate) fn check(algorithm: Algorithm, off: &[String]) -> Result<(), String> {
    let known: &[&str] = match algorithm {
        Algorithm::Ab => Features::NAMES,
        Algorithm::Mcts => &MCTS,
    };
    let Some(unknown) = off.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let hint = match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"? It may be "),
        None => "it may be ".to_string(),
    };
    let known: Vec<String> = known.iter().map(|name| name.to_string()).collect();
    Err(format!("{} has no feature \"{}\": {hint}{}", algorithm.name(), shortened(unknown), any_of(&known)))
}

/// The features of alpha-beta search without some.
pub(crate) fn without(off: &[String]) -> Features {
    let mut features = Features::ALL;
    for name in off {
        if let Some(switch) = features.switch(name) {
            *switch = false;
        }
    }
    features
}

/// Switches features of Monte Carlo tree search off.
pub(crate) fn switch_off(options: &mut mcts::Options, off: &[String]) {
    for name in off {
        match name.as_str() {
            "minimax" => options.minimax = None,
            "widening" => options.widening = f64::INFINITY,
            _ => {}
        }
    }
}
