//! What a search says, in the words of the protocol.

use jewel_players::score::win_draw_loss;
use jewel_search::report::{Bound, Info, Report};
use jewel_search::score::Score;

/// `cp <centipawns>` or `mate <moves>`: moves of the winner or the loser that are still to be made, and minus
/// for a loss.
pub(super) fn score(score: Score) -> String {
    match score.distance() {
        Some(plies) if score.is_win() => format!("mate {}", plies.div_ceil(2)),
        Some(0) => "mate 0".to_string(),
        Some(plies) => format!("mate -{}", plies.div_ceil(2)),
        None => format!("cp {}", score.raw()),
    }
}

/// An `info` line.
pub(super) fn info(info: &Info<String>, show_wdl: bool) -> String {
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth,
        info.seldepth,
        info.multipv,
        score(info.score)
    );
    match info.bound {
        Bound::Exact => {}
        Bound::Lower => line.push_str(" lowerbound"),
        Bound::Upper => line.push_str(" upperbound"),
    }
    if show_wdl {
        let [wins, draws, losses] = win_draw_loss(info.score, info.proven, info.expectation);
        line.push_str(&format!(" wdl {wins} {draws} {losses}"));
    }
    let milliseconds = info.elapsed.as_millis();
    let speed = (info.nodes as f64 / info.elapsed.as_secs_f64().max(1e-3)) as u64;
    line.push_str(&format!(
        " nodes {} nps {speed} hashfull {} tbhits {} time {milliseconds}",
        info.nodes, info.hashfull, info.tb_hits
    ));
    if !info.pv.is_empty() {
        line.push_str(" pv ");
        line.push_str(&info.pv.join(" "));
    }
    line
}

/// The `bestmove` line; `0000` stands for no move.
pub(super) fn best_move(report: &Report<String>) -> String {
    let best = report.best.as_deref().unwrap_or("0000");
    match &report.ponder {
        Some(ponder) => format!("bestmove {best} ponder {ponder}"),
        None => format!("bestmove {best}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn forced_results_are_counted_in_moves() {
        for (value, text) in [
            (Score::centipawns(-7), "cp -7"),
            (Score::win_in(1), "mate 1"),
            (Score::win_in(2), "mate 1"),
            (Score::win_in(3), "mate 2"),
            (Score::loss_in(0), "mate 0"),
            (Score::loss_in(1), "mate -1"),
            (Score::loss_in(4), "mate -2"),
        ] {
            assert_eq!(score(value), text);
        }
    }

    #[test]
    fn lines_have_everything_in_its_place() {
        let found = Info {
            score: Score::centipawns(30),
            bound: Bound::Lower,
            pv: vec!["a1b1".to_string(), "c1c2".to_string()],
            depth: 7,
            seldepth: 9,
            nodes: 1000,
            elapsed: Duration::from_millis(20),
            hashfull: 3,
            ..Info::default()
        };
        assert_eq!(
            info(&found, true),
            "info depth 7 seldepth 9 multipv 1 score cp 30 lowerbound wdl 377 332 291 nodes 1000 nps 50000 \
             hashfull 3 tbhits 0 time 20 pv a1b1 c1c2"
        );
        let report = Report::<String> {
            best: None,
            ponder: None,
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
        };
        assert_eq!(best_move(&report), "bestmove 0000");
        let report = Report { best: Some("a1b1".to_string()), ponder: Some("c1c2".to_string()), ..report };
        assert_eq!(best_move(&report), "bestmove a1b1 ponder c1c2");
    }
}
