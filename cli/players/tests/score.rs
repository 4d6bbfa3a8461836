//! Scores for people and for scripts.

use jewel_players::score::{ScoreObject, text, win_draw_loss};
use jewel_search::report::Info;
use jewel_search::score::Score;

#[test]
fn scores_are_written_for_people_and_scripts() {
    let info = |score, expectation, proven| Info::<()> { score, expectation, proven, ..Info::default() };
    let both = |score, expectation, proven| {
        let object = ScoreObject::new(score, expectation);
        (text(&info(score, expectation, proven)), serde_json::to_string(&object).unwrap())
    };
    let forced = |score, exact| {
        let info = Info::<()> { score, proven: true, exact, ..Info::default() };
        (text(&info), serde_json::to_string(&ScoreObject::from(&info)).unwrap())
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
    assert_eq!(
        forced(Score::win_in(5), false),
        pair("win in at most 5 plies", r#"{"kind":"win","value":5,"exact":false}"#)
    );
    assert_eq!(
        forced(Score::loss_in(1), true),
        pair("loss in 1 ply", r#"{"kind":"loss","value":1,"exact":true}"#)
    );
    assert_eq!(
        both(Score::from_expectation(0.62346), Some(0.62346), false),
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
