//! What an exam has shown, as text and as an object.

use super::{Answer, Exam};
use crate::designer::interval::Estimate;
use serde::Serialize;

/// The marks of all players.
#[derive(Clone, Serialize, Debug)]
pub struct Sheet {
    /// The id of the game.
    pub game: String,
    /// How many positions.
    pub positions: u64,
    /// Those in which a move gives the value away.
    pub decisions: u64,
    /// The players.
    pub players: Vec<Marks>,
}

/// The marks of a player: how many moves kept win, draw or loss, and of how many.
#[derive(Clone, Default, Serialize, Debug)]
pub struct Marks {
    /// Who.
    pub player: String,
    /// Moves that kept the value.
    pub kept: u64,
    /// Of these the ones that had to be chosen: other moves would not have kept it.
    pub decisions_kept: u64,
    /// Decisions in won positions.
    pub won: u64,
    /// Those in which the win was kept.
    pub won_kept: u64,
    /// Decisions in drawn positions.
    pub drawn: u64,
    /// Those in which the draw was kept.
    pub drawn_kept: u64,
    /// Plies by which wins that were kept take longer than they had to, on average over `wins_kept`.
    pub extra_plies: f64,
    /// Wins that were kept, decisions or not, whose length is known.
    pub wins_kept: u64,
    /// Seconds for a move, on average.
    pub seconds: f64,
}

impl Sheet {
    /// An empty one.
    pub fn new(exam: &Exam) -> Sheet {
        let marks = |name: &str| Marks { player: name.to_string(), ..Marks::default() };
        Sheet {
            game: exam.game.card().id,
            positions: 0,
            decisions: 0,
            players: exam.players.iter().map(|spec| marks(spec.name())).collect(),
        }
    }

    /// Counts an answer.
    pub fn enter(&mut self, answer: &Answer) {
        let [moves, keeping] = answer.moves;
        let decision = keeping < moves;
        self.positions += 1;
        self.decisions += u64::from(decision);
        for (marks, mv) in self.players.iter_mut().zip(&answer.answers) {
            let kept = u64::from(mv.kept);
            marks.kept += kept;
            if decision {
                marks.decisions_kept += kept;
                match answer.value.as_str() {
                    "win" => (marks.won, marks.won_kept) = (marks.won + 1, marks.won_kept + kept),
                    _ => (marks.drawn, marks.drawn_kept) = (marks.drawn + 1, marks.drawn_kept + kept),
                }
            }
            let running = |mean: f64, count: u64, next: f64| mean + (next - mean) / count as f64;
            if let Some(extra) = mv.extra {
                marks.wins_kept += 1;
                marks.extra_plies = running(marks.extra_plies, marks.wins_kept, f64::from(extra));
            }
            marks.seconds = running(marks.seconds, self.positions, mv.seconds);
        }
    }

    /// The table for people: shares in percent with the ends of their 95% intervals.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let share = |kept: u64, of: u64| match Estimate::from_share(kept, of) {
            Some(Estimate { value, low, high }) => {
                format!("{:.2}% ({:.2}-{:.2})", 100.0 * value, 100.0 * low, 100.0 * high)
            }
            None => "-".to_string(),
        };
        let heads = ["", "kept", "decisions", "won", "drawn", "extra plies", "ms/move"];
        let mut rows = vec![heads.map(str::to_string).to_vec()];
        rows.extend(self.players.iter().map(|marks| {
            let extra =
                if marks.wins_kept == 0 { "-".to_string() } else { format!("{:.2}", marks.extra_plies) };
            vec![
                marks.player.clone(),
                share(marks.kept, self.positions),
                share(marks.decisions_kept, self.decisions),
                share(marks.won_kept, marks.won),
                share(marks.drawn_kept, marks.drawn),
                extra,
                format!("{:.1}", 1e3 * marks.seconds),
            ]
        }));
        rows
    }
}
