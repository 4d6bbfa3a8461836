//! Scores for people and for scripts.

use jewel_search::report::Info;
use jewel_search::score::Score;
use serde::Serialize;
use serde_json::Number;

/// A score as `--json` has it.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub(crate) struct ScoreObject {
    /// `centipawns`, `win`, `loss` or `expectation`.
    kind: &'static str,
    /// Centipawns, plies to the end of the game, or a share of a point from 0 to 1.
    value: Number,
}

impl ScoreObject {
    /// A forced result, or what the search measures: a share of a point where it has one, else centipawns.
    pub(crate) fn new(score: Score, expectation: Option<f64>) -> ScoreObject {
        let object = |kind, value| ScoreObject { kind, value };
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

/// A score as people read it: `+0.35`, `win in 5 plies`, `62.5%`, `draw`.
pub(crate) fn text<M>(info: &Info<M>) -> String {
    let Info { score, proven, expectation, .. } = info;
    match (score.distance(), expectation) {
        (Some(plies), _) => {
            let plies = plies_text(plies);
            if score.is_win() { format!("win in {plies}") } else { format!("loss in {plies}") }
        }
        (None, _) if *proven => "draw".to_string(),
        (None, Some(share)) => format!("{:.1}%", share * 100.0),
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
pub(crate) fn win_draw_loss(score: Score, proven: bool, expectation: Option<f64>) -> [u32; 3] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_written_for_people_and_scripts() {
        let info = |score, expectation, proven| Info::<()> { score, expectation, proven, ..Info::default() };
        let both = |score, expectation, proven| {
            let object = ScoreObject::new(score, expectation);
            (text(&info(score, expectation, proven)), serde_json::to_string(&object).unwrap())
        };
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(
            both(Score::centipawns(35), None, false),
            pair("+0.35", r#"{"kind":"centipawns","value":35}"#)
        );
        assert_eq!(
            both(Score::centipawns(-120), None, false),
            pair("-1.20", r#"{"kind":"centipawns","value":-120}"#)
        );
        assert_eq!(both(Score::win_in(5), None, true), pair("win in 5 plies", r#"{"kind":"win","value":5}"#));
        assert_eq!(
            both(Score::loss_in(1), Some(0.0), true),
            pair("loss in 1 ply", r#"{"kind":"loss","value":1}"#)
        );
        assert_eq!(
            both(Score::of_expectation(0.62346), Some(0.62346), false),
            pair("62.3%", r#"{"kind":"expectation","value":0.6235}"#)
        );
        assert_eq!(both(Score::DRAW, None, true), pair("draw", r#"{"kind":"centipawns","value":0}"#));
    }

    #[test]
    fn shares_of_results_keep_the_expectation() {
        assert_eq!(win_draw_loss(Score::win_in(3), true, None), [1000, 0, 0]);
        assert_eq!(win_draw_loss(Score::loss_in(3), true, None), [0, 0, 1000]);
        assert_eq!(win_draw_loss(Score::DRAW, true, None), [0, 1000, 0]);
        assert_eq!(win_draw_loss(Score::DRAW, false, None), [333, 334, 333]);
        for centipawns in (-20_000..=20_000).step_by(50) {
            let score = Score::centipawns(centipawns);
            let [wins, draws, losses] = win_draw_loss(score, false, None);
            assert_eq!(wins + draws + losses, 1000);
            let share = f64::from(wins) / 1e3 + f64::from(draws) / 2e3;
            assert!((share - score.expectation()).abs() < 2e-3, "{centipawns}: {wins} {draws} {losses}");
        }
    }
}
