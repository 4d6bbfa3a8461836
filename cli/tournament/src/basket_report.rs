//! What a basket adds to a report: the results in each of its games, and how much they differ.

use crate::report::{PlayerLine, Report, rounded, shown, signed};
use crate::standings::Standings;
use crate::statistics::elo::{self, Estimate};
use jewel_players::support::layout::table;
use serde::Serialize;

/// The results in one game of a basket.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct BasketLine {
    /// What the basket calls the game.
    pub name: String,
    /// The results: of the player that was named first, in a match of two.
    #[serde(flatten)]
    pub report: Report,
}

/// How the strength of the player that was named first differs from game to game.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Spread {
    /// The mean of the games' Elo; `null` where one of them is infinite, as the next figures.
    pub mean_elo: Option<f64>,
    /// Half of its 95% interval: for these games, not for others like them.
    pub mean_elo_error: Option<f64>,
    /// The standard deviation of the games' true Elo: how much they differ beyond chance.
    pub deviation: Option<f64>,
    /// The game with the least Elo, and the one with the most.
    pub extremes: [(String, Option<f64>); 2],
}

/// The reports on the games of a basket, in its order.
pub(crate) fn lines(games: &[(String, String)], standings: &Standings, complete: bool) -> Vec<BasketLine> {
    let line = |((name, game), standings): (&(String, String), &Standings)| BasketLine {
        name: name.clone(),
        report: Report::new(game, standings, standings.games(), complete, None),
    };
    games.iter().zip(standings.stages()).map(line).collect()
}

/// The spread of a match of two over the games of a basket; `None` unless two games have results.
pub(crate) fn spread(games: &[(String, String)], standings: &Standings) -> Option<Spread> {
    let of = |stage: &Standings| elo::difference(&stage.between(0, 1));
    let found: Vec<(&String, Estimate)> = games
        .iter()
        .zip(standings.stages())
        .filter_map(|((name, _), stage)| Some((name, of(stage)?)))
        .collect();
    if found.len() < 2 {
        return None;
    }
    let extreme = |least: bool| {
        let order = |a: &&(&String, Estimate), b: &&(&String, Estimate)| a.1.elo.total_cmp(&b.1.elo);
        let found = if least { found.iter().min_by(order) } else { found.iter().max_by(order) };
        found.map_or((String::new(), None), |(name, estimate)| ((*name).clone(), rounded(estimate.elo)))
    };
    let estimates: Vec<(f64, f64)> = found.iter().map(|(_, e)| (e.elo, e.error() / elo::Z95)).collect();
    let finite = estimates.iter().all(|(elo, error)| elo.is_finite() && error.is_finite());
    let of_all = |value: f64| rounded(value).filter(|_| finite);
    let count = estimates.len() as f64;
    let squares: f64 = estimates.iter().map(|(_, error)| error * error).sum();
    Some(Spread {
        mean_elo: of_all(estimates.iter().map(|(elo, _)| elo).sum::<f64>() / count),
        mean_elo_error: of_all(elo::Z95 * squares.sqrt() / count),
        deviation: of_all(deviation(&estimates)),
        extremes: [extreme(true), extreme(false)],
    })
}

/// The standard deviation of what is estimated, from estimates with their standard errors (R. DerSimonian and N. Laird,
/// "Meta-analysis in clinical trials", 1986).
fn deviation(estimates: &[(f64, f64)]) -> f64 {
    let weighted = |power: i32, value: &dyn Fn(f64) -> f64| -> f64 {
        estimates.iter().map(|(estimate, error)| error.powi(-2 * power) * value(*estimate)).sum()
    };
    let weights = weighted(1, &|_| 1.0);
    let mean = weighted(1, &|estimate| estimate) / weights;
    let excess = weighted(1, &|estimate| (estimate - mean).powi(2)) - (estimates.len() - 1) as f64;
    (excess / (weights - weighted(2, &|_| 1.0) / weights)).max(0.0).sqrt()
}

/// Most players whose scores in each game are shown.
const MAX_COLUMNS: usize = 8;

/// The table of the games for people: in a match of two with the results of `first`, the player that was named first;
/// with more, with the points out of a hundred games of `players`, by their places in the table of all games. Empty with
/// too many of them.
pub(crate) fn text(lines: &[BasketLine], players: &[PlayerLine], first: Option<&str>) -> String {
    let mut rows = vec![["", "GAME", "GAMES"].map(String::from).to_vec()];
    match first {
        Some(_) => rows[0].extend(["WINS", "DRAWS", "LOSSES", "SCORE", "ELO", "ERROR"].map(String::from)),
        None if players.len() > MAX_COLUMNS => return String::new(),
        None => rows[0].extend((1..=players.len()).map(|n| n.to_string())),
    }
    for (n, BasketLine { name, report }) in lines.iter().enumerate() {
        let of = |name: &str| report.players.iter().find(|player| player.name == name);
        let score = |player: &PlayerLine| player.score.map(|score| format!("{:.1}", 100.0 * score));
        let mut row = vec![(n + 1).to_string(), shown(name), (report.games - report.repeated).to_string()];
        match first.and_then(of) {
            Some(player) => row.extend([
                player.wins.to_string(),
                player.draws.to_string(),
                player.losses.to_string(),
                score(player).map_or("-".to_string(), |score| score + "%"),
                signed(player.elo),
                player.elo_error.map_or("-".to_string(), |error| format!("{error:.1}")),
            ]),
            None => {
                let cell = |player: &PlayerLine| of(&player.name).and_then(score).unwrap_or("-".to_string());
                row.extend(players.iter().map(cell));
            }
        }
        rows.push(row);
    }
    let whose = first
        .map_or("by game, points in a hundred".to_string(), |first| format!("{}, by game", shown(first)));
    format!("{whose}\n{}", table(&rows, |n| n == 1))
}

impl Spread {
    /// The spread for people.
    pub(crate) fn text(&self) -> String {
        let [(worst, least), (best, most)] = &self.extremes;
        let mut text = format!("from {} in {worst} to {} in {best}", signed(*least), signed(*most));
        if let (Some(mean), Some(error), Some(deviation)) =
            (self.mean_elo, self.mean_elo_error, self.deviation)
        {
            text = format!(
                "mean {mean:+.1} +- {error:.1}, {text}; beyond chance, games differ by {deviation:.1}"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::random::Random;

    /// A normal variable, by the sum of twelve uniform ones.
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn the_deviation_is_that_of_the_games_and_not_of_chance() {
        let mut random = Random::new(5);
        let mut mean_of = |true_deviation: f64| {
            let mut sum = 0.0;
            for _ in 0..400 {
                let game = |_| {
                    let error = 20.0 + 20.0 * random.unit();
                    (30.0 + true_deviation * normal(&mut random) + error * normal(&mut random), error)
                };
                sum += deviation(&(0..12).map(game).collect::<Vec<_>>()).powi(2);
            }
            (sum / 400.0).sqrt()
        };
        // An estimate that is cut off at 0 is a little too large where the truth is 0.
        let (none, some) = (mean_of(0.0), mean_of(80.0));
        assert!(none < 15.0 && (some - 80.0).abs() < 6.0, "{none} {some}");
    }
}
