//! Scores for people and for scripts.

use jewel_search::report::Info;
use jewel_search::score::Score;
use serde::Serialize;
use serde_json::Number;

/// A score as `--json` has it.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct ScoreObject {
    /// `centipawns`, `win`, `loss` or `expectation`.
    kind: &'static str,
    /// Centipawns, plies to the end of the game, or a share of a point from 0 to 1.
    value: Number,
    /// Of a win or loss, whether it takes exactly that many plies; otherwise at most as many.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    /// The standard error of an expectation that is the mean of a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
}

impl ScoreObject {
    /// A forced result, or what the search measures: a share of a point where it has one, else centipawns.
    pub fn new(score: Score, expectation: Option<f64>) -> ScoreObject {
        let object = |kind, value| ScoreObject { kind, value, exact: None, error: None };
        match (score.distance(), expectation) {
            (Some(plies), _) => object(if score.is_win() { "win" } else { "loss" }, plies.into()),
            (None, Some(share)) => {
                let share = Number::from_f64((share * 1e4).round() / 1e4);
                object("expectation", share.unwrap_or_else(|| 0.into()))
            }
            (None, None) => object("centipawns", score.raw().into()),
        }
    }
}

/// The score of a line, with its error where there is one.
impl<M> From<&Info<M>> for ScoreObject {
    fn from(info: &Info<M>) -> ScoreObject {
        let error = info.expectation_error.map(|error| (error * 1e4).round() / 1e4);
        let exact = info.score.is_decided().then_some(info.exact);
        ScoreObject { exact, error, ..ScoreObject::new(info.score, info.expectation) }
    }
}

/// A score as people read it: `+0.35`, `win in 5 plies`, `loss in at most 8 plies`, `62.5%`, `62.5% ± 1.2%`, `draw`.
pub fn text<M>(info: &Info<M>) -> String {
    let Info { score, proven, expectation, .. } = info;
    match (score.distance(), expectation) {
        (Some(plies), _) => {
            let result = if score.is_win() { "win" } else { "loss" };
            let bound = if info.exact { "" } else { "at most " };
            format!("{result} in {bound}{}", plies_text(plies))
        }
        (None, _) if *proven => "draw".to_string(),
        (None, Some(share)) => {
            let error = info.expectation_error.map(|error| format!(" ± {:.1}%", error * 100.0));
            format!("{:.1}%{}", share * 100.0, error.unwrap_or_default())
        }
        (None, None) => format!("{:+.2}", f64::from(score.raw()) / 100.0),
    }
}

fn plies_text(plies: u32) -> String {
    if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") }
}

/// Thousandths of wins, draws and losses that a score stands for.
///
/// The expected share of a point is spread by Davidson's model of ties (JASA 65, 1970) with parameter 1: wins,
/// draws and losses are as `r : 1 : 1 / r`.
pub fn win_draw_loss(score: Score, proven: bool, expectation: Option<f64>) -> [u32; 3] {
    if score.is_win() {
        return [1000, 0, 0];
    }
    if score.is_loss() {
        return [0, 0, 1000];
    }
    if proven {
        return [0, 1000, 0];
    }
    let share = expectation.unwrap_or_else(|| score.expectation()).clamp(1e-6, 1.0 - 1e-6);
    // (r + 1/2) / (1/r + 1/2) = odds, solved for r.
    let odds = share / (1.0 - share);
    let half = (1.0 - odds) / 4.0;
    let r = (half * half + odds).sqrt() - half;
    let sum = r + 1.0 + 1.0 / r;
    let wins = (1000.0 * r / sum).round() as u32;
    let losses = (1000.0 / r / sum).round() as u32;
    [wins, 1000 - wins - losses, losses]
}
