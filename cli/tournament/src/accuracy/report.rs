//! The results of a test, as text and as an object.

use super::{AccuracyTest, Answer};
use crate::designer::interval::Estimate;
use serde::Serialize;

/// The results of all players.
#[derive(Clone, Serialize, Debug)]
pub struct AccuracyReport {
    /// The id of the game.
    pub game: String,
    /// Positions answered so far.
    pub positions: u64,
    /// Positions in which some move gives the value away.
    pub decisions: u64,
    /// The results of each player.
    pub players: Vec<PlayerAccuracy>,
}

/// The results of a player: how many moves kept win, draw or loss, and of how many.
#[derive(Clone, Default, Serialize, Debug)]
pub struct PlayerAccuracy {
    /// The name of the player.
    pub player: String,
    /// Moves that kept the value.
    pub kept: u64,
    /// Of these, the moves in decisions: other moves would not have kept the value.
    pub decisions_kept: u64,
    /// Decisions in won positions.
    pub won: u64,
    /// Decisions in which the win was kept.
    pub won_kept: u64,
    /// Decisions in drawn positions.
    pub drawn: u64,
    /// Decisions in which the draw was kept.
    pub drawn_kept: u64,
    /// Plies that kept wins take longer than the fastest, on average over `wins_kept`.
    pub extra_plies: f64,
    /// Kept wins whose length is known, decisions or not.
    pub wins_kept: u64,
    /// Seconds for a move, on average.
    pub seconds: f64,
}

impl AccuracyReport {
    /// A report without answers.
    pub fn new(test: &AccuracyTest) -> AccuracyReport {
        let player = |name: &str| PlayerAccuracy { player: name.to_string(), ..PlayerAccuracy::default() };
        AccuracyReport {
            game: test.game.card().id,
            positions: 0,
            decisions: 0,
            players: test.players.iter().map(|spec| player(spec.name())).collect(),
        }
    }

    /// Adds an answer.
    pub fn enter(&mut self, answer: &Answer) {
        let [moves, keeping] = answer.moves;
        let decision = keeping < moves;
        self.positions += 1;
        self.decisions += u64::from(decision);
        for (player, mv) in self.players.iter_mut().zip(&answer.answers) {
            let kept = u64::from(mv.kept);
            player.kept += kept;
            if decision {
                player.decisions_kept += kept;
                match answer.value.as_str() {
                    "win" => (player.won, player.won_kept) = (player.won + 1, player.won_kept + kept),
                    _ => (player.drawn, player.drawn_kept) = (player.drawn + 1, player.drawn_kept + kept),
                }
            }
            let running = |mean: f64, count: u64, next: f64| mean + (next - mean) / count as f64;
            if let Some(extra) = mv.extra {
                player.wins_kept += 1;
                player.extra_plies = running(player.extra_plies, player.wins_kept, f64::from(extra));
            }
            player.seconds = running(player.seconds, self.positions, mv.seconds);
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
        rows.extend(self.players.iter().map(|player| {
            let extra =
                if player.wins_kept == 0 { "-".to_string() } else { format!("{:.2}", player.extra_plies) };
            vec![
                player.player.clone(),
                share(player.kept, self.positions),
                share(player.decisions_kept, self.decisions),
                share(player.won_kept, player.won),
                share(player.drawn_kept, player.drawn),
                extra,
                format!("{:.1}", 1e3 * player.seconds),
            ]
        }));
        rows
    }
}
