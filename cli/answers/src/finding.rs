//! The result of one search, for people and for scripts.

use crate::text::grouped;
use jewel_engine::value::{Outcome, Value};
use jewel_players::engine::Engine;
use jewel_players::options::Algorithm;
use jewel_players::score::{self, ScoreObject};
use jewel_players::support::layout::columns;
use jewel_search::report::{Bound, Info, Report};
use jewel_search::score::Score;
use serde::Serialize;
use std::time::Duration;

/// What a search found out about a position: the object of `--json`.
#[derive(Serialize, Clone, Debug)]
pub struct Finding {
    /// The id of the game.
    pub game: String,
    /// The position string.
    pub fen: String,
    /// The name of the algorithm: `ab` or `mcts`.
    pub engine: &'static str,
    score: ScoreObject,
    /// Whether win, draw or loss is proven.
    proven: bool,
    /// The best move; `None` if there is none, as where the game is over.
    pub bestmove: Option<String>,
    line: Vec<String>,
    depth: u32,
    seldepth: u32,
    nodes: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<LineObject>>,
    #[serde(skip)]
    texts: Vec<String>,
}

/// One of several lines.
#[derive(Serialize, Clone, Debug)]
struct LineObject {
    score: ScoreObject,
    proven: bool,
    line: Vec<String>,
    depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    visits: Option<u64>,
}

impl Finding {
    /// The result of a search of the engine's position; `multipv` is the number of lines.
    pub fn new(engine: &dyn Engine, algorithm: Algorithm, multipv: u32, report: &Report<String>) -> Finding {
        let best = report.lines.first();
        let seconds = report.elapsed.as_secs_f64();
        let mcts = algorithm == Algorithm::Mcts;
        let line = |info: &Info<String>| LineObject {
            score: info.into(),
            proven: info.proven,
            line: info.pv.clone(),
            depth: info.depth,
            visits: mcts.then_some(info.visits),
        };
        Finding {
            game: engine.game().to_string(),
            fen: engine.fen(),
            engine: algorithm.name(),
            score: best.map_or(ScoreObject::new(Score::DRAW, None), ScoreObject::from),
            proven: best.is_some_and(|info| info.proven),
            bestmove: report.best.clone(),
            line: best.map(|info| info.pv.clone()).unwrap_or_default(),
            depth: report.depth,
            seldepth: best.map_or(0, |info| info.seldepth),
            nodes: report.nodes,
            seconds: (seconds * 1e6).round() / 1e6,
            lines: (multipv > 1).then(|| report.lines.iter().map(line).collect()),
            texts: report.lines.iter().map(score::text).collect(),
        }
    }

    /// The result where the game is over: nothing is searched. `None` while it goes on.
    pub fn from_ending(engine: &dyn Engine, algorithm: Algorithm, multipv: u32) -> Option<Finding> {
        let outcome = engine.ending()?.verdict.seen_by(engine.side_to_move());
        let score = Score::from(Value::from_outcome(outcome));
        let info = Info { score, proven: true, exact: true, ..Info::default() };
        let over = match outcome {
            Outcome::Win => "won: the game is over",
            Outcome::Draw => "drawn: the game is over",
            Outcome::Loss => "lost: the game is over",
        };
        let report = Report {
            best: None,
            ponder: None,
            lines: vec![info],
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
        };
        let mut finding = Finding::new(engine, algorithm, multipv, &report);
        finding.texts = vec![over.to_string()];
        Some(finding)
    }

    /// The result as people read it.
    pub fn text(&self) -> String {
        let mut rows = vec![
            ["game".to_string(), self.game.clone()],
            ["position".to_string(), self.fen.clone()],
            ["score".to_string(), self.texts.first().cloned().unwrap_or_default()],
        ];
        let mut row = |name: &str, value: String| rows.push([name.to_string(), value]);
        if let Some(best) = &self.bestmove {
            row("bestmove", best.clone());
            row("line", self.line.join(" "));
            row("depth", format!("{} (selective {})", self.depth, self.seldepth));
            row("nodes", grouped(self.nodes));
            row("seconds", format!("{:.2}", self.seconds));
        }
        let mut text = columns(&rows);
        if let Some(lines) = &self.lines {
            let numbered = lines.iter().zip(&self.texts).enumerate();
            let rows: Vec<[String; 3]> = numbered
                .map(|(n, (line, score))| [(n + 1).to_string(), score.clone(), line.line.join(" ")])
                .collect();
            text.push_str(&format!("\n{}", columns(&rows)));
        }
        text
    }
}

/// Longest line of play that is shown while the search goes on, in moves.
const LIVE_MOVES: usize = 10;

/// What a search says on its way, on one line.
pub fn live_line(info: &Info<String>, multipv: u32) -> String {
    let bound = match info.bound {
        Bound::Exact => "",
        Bound::Lower => "+",
        Bound::Upper => "-",
    };
    let number = if multipv > 1 { format!("{:>2}  ", info.multipv) } else { String::new() };
    let seconds = info.elapsed.as_secs_f64();
    let line = &info.pv[..info.pv.len().min(LIVE_MOVES)];
    format!(
        "{number}depth {:>3}/{:<3}  {:>24}{bound:1}  {:>14} nodes {seconds:>8.2} s  {}",
        info.depth,
        info.seldepth,
        score::text(info),
        grouped(info.nodes),
        line.join(" ")
    )
}
