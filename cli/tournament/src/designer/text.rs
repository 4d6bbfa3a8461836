//! The report for people: sections of facts, which the page shows as well.

use super::exact::{Exact, LongestWin, Power};
use super::interval::Estimate;
use super::story::Opening;
use super::{FACTOR, Survey};
use jewel_players::support::board::{self, Style};
use jewel_players::support::layout::{columns, folded};

/// The most sets of pieces that are listed.
const MAX_POWERS: usize = 40;

/// The most first moves that are listed.
const MAX_OPENINGS: usize = 40;

/// What the report's words mean.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("ply", "One move of one player: a game of 40 plies has 20 moves of each."),
    (
        "win in 7 plies",
        "The player to move wins in 7 plies, whatever the other does; the winner is as fast, the loser as slow as possible.",
    ),
    ("points", "1 for a won game, 1/2 for a draw."),
    (
        "first move",
        "The share of the points that the side that moves first takes. Far from 50%, the game favours a side.",
    ),
    ("branching", "The number of legal moves that a player has to choose from."),
    (
        "settled",
        "When a decided game was in fact decided: the part of it after which its winner was ahead for good, as the players saw it.",
    ),
    (
        "lead changes",
        "How often the lead passed from one player to the other in a game, as the players saw it.",
    ),
    ("nodes", "Positions that a player searches for each move: its time to think."),
    (
        "Elo",
        "A difference in strength: 100 more is 64% of the points, 200 is 76%, 400 is 91%. If four times the nodes bring many Elo, \
         skill counts for much.",
    ),
    (
        "(48.1 to 55.9)",
        "The 95% interval of an estimate: of all such intervals, 95 in 100 hold what endless sampling would give.",
    ),
];

/// A table with a title; the first row has the heads, where there are any.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// A sentence or two about it.
    pub(super) about: String,
    pub(super) heads: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A share as people read it, with its interval.
fn share(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate.map(|share| 100.0 * share);
    format!("{value:.1}% ({low:.1} to {high:.1})")
}

/// A mean with its interval.
fn mean(estimate: Estimate) -> String {
    match estimate.error() {
        error if error.is_finite() => {
            format!("{:.1} ({:.1} to {:.1})", estimate.value, estimate.low, estimate.high)
        }
        _ => format!("{:.1}", estimate.value),
    }
}

/// A difference in Elo with its interval, as far as that is finite.
pub(super) fn elo(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    match (value.is_finite(), low.is_finite(), high.is_finite()) {
        (true, true, true) => format!("{value:+.0} ({low:+.0} to {high:+.0})"),
        (_, true, _) => format!("more than {low:.0}"),
        (_, _, true) => format!("less than {high:.0}"),
        _ => "unknown".to_string(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A row whose first cell begins two columns further right.
fn indented(row: &[String]) -> Vec<String> {
    let mut row = row.to_vec();
    if let Some(first) = row.first_mut() {
        first.insert_str(0, "  ");
    }
    row
}

fn pair(name: &str, value: impl Into<String>) -> Vec<String> {
    vec![name.to_string(), value.into()]
}

impl Survey {
    /// The report for people.
    pub fn text(&self, style: Style) -> String {
        let mut text = folded(&format!("{} ({}): {}", self.name, self.game, self.objective), 0) + "\n";
        text.push_str(&format!("\n{}", board::draw(&self.start, false, style)));
        let marks = board::marks(&self.start, style);
        if !marks.is_empty() {
            text.push_str(&format!("\n{}", columns(&marks)));
        }
        for section in self.sections() {
            text.push_str(&format!("\n{}\n", section.title));
            if !section.about.is_empty() {
                text.push_str(&format!("  {}\n", folded(&section.about, 2)));
            }
            let heads = section.heads.iter().map(|head| (*head).to_string()).collect::<Vec<_>>();
            let rows = (!heads.is_empty()).then_some(&heads).into_iter().chain(&section.rows);
            let rows = rows.map(|row| indented(row));
            let columns = columns(&rows.collect::<Vec<_>>());
            text.push_str(&columns);
        }
        let words: Vec<[String; 2]> =
            WORDS.iter().map(|(word, meaning)| [format!("  {word}"), (*meaning).to_string()]).collect();
        text + "\nWords\n" + &columns(&words)
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.known()];
        sections.extend(self.longest());
        sections.extend(self.powers());
        sections.push(self.play());
        sections.extend(self.openings());
        sections.push(self.game());
        sections.extend(self.skill());
        sections
    }

    fn longest(&self) -> Option<Section> {
        let LongestWin { plies, fen, line } = self.longest_win.as_ref()?;
        let rows =
            vec![pair("plies", plies.to_string()), pair("from", &**fen), pair("best play", line.join(" "))];
        let about = "The won position that takes longest, with best play of both sides.".to_string();
        Some(Section { title: "Longest win", about, heads: Vec::new(), rows })
    }

    fn openings(&self) -> Option<Section> {
        let shown = &self.openings[..self.openings.len().min(MAX_OPENINGS)];
        let known = shown.iter().any(|opening| opening.value.is_some());
        let row = |opening: &Opening| {
            let answer = match opening.replies.first() {
                Some(reply) => {
                    format!("{} {}", reply.text, reply.value_text().unwrap_or_else(|| reply.points()))
                }
                None => "-".to_string(),
            };
            let value = known.then(|| opening.value_text().unwrap_or_else(|| "-".to_string()));
            let row = [opening.text.clone(), opening.games.to_string(), opening.points()];
            row.into_iter().chain(value).chain([answer]).collect()
        };
        let about = match (known, self.method.plies) {
            (true, _) => "First moves, best first: the games of the sample that began so, the points of the player who \
                          made the move, and what the move is worth; then the best answer."
                .to_string(),
            (false, 0) => "First moves by the points of the player who made them; then the best answer.".to_string(),
            (false, _) => "First moves by the points of the player who made them; then the best answer. Openings are \
                           random, so that all moves are tried, and the points are rough."
                .to_string(),
        };
        let heads = ["move", "games", "points"].into_iter().chain(known.then_some("value"));
        (!shown.is_empty()).then(|| Section {
            title: "Openings",
            about,
            heads: heads.chain(["best answer"]).collect(),
            rows: shown.iter().map(row).collect(),
        })
    }

    fn game(&self) -> Section {
        let game = &self.sample_game;
        let moves = game.moves.join(" ");
        let about = match game.random {
            0 => "A game of the sample of usual length.".to_string(),
            random => format!("A game of the sample of usual length; its first {random} plies are random."),
        };
        let rows = vec![
            pair("moves", if moves.is_empty() { "-".to_string() } else { moves }),
            pair("ended", &*game.ending),
            pair("last position", &*game.fen),
        ];
        Section { title: "Sample game", about, heads: Vec::new(), rows }
    }

    fn known(&self) -> Section {
        let mut rows = vec![pair("start", &*self.fen), pair("moves first", &*self.first)];
        match &self.exact {
            None => rows.push(pair("value", "not solved")),
            Some(exact) => rows.extend(facts(exact)),
        }
        Section { title: "Exact", about: String::new(), heads: Vec::new(), rows }
    }

    fn powers(&self) -> Option<Section> {
        let shown = &self.powers[..self.powers.len().min(MAX_POWERS)];
        let left = self.powers.len() - shown.len();
        let more = if left > 0 { format!(" {left} larger ones are left out.") } else { String::new() };
        (!shown.is_empty()).then(|| Section {
            title: "Power of pieces",
            about: format!("Positions that the side to move wins and draws, from tables.{more}"),
            heads: vec!["pieces", "south to move", "draws", "north to move", "draws", "longest win"],
            rows: shown.iter().map(power).collect(),
        })
    }

    fn play(&self) -> Section {
        let (sampled, method) = (&self.sampled, &self.method);
        let [wins, draws, losses] = sampled.first;
        let quartiles = sampled.length.quartiles;
        let mut rows = vec![
            pair("games", format!("{}, {} of them different", sampled.games, sampled.distinct)),
            pair("length", format!("{} plies", mean(sampled.length.mean))),
            pair(
                "",
                format!(
                    "median {}, half of them from {} to {}, all from {} to {}",
                    quartiles[2], quartiles[1], quartiles[3], quartiles[0], quartiles[4]
                ),
            ),
            pair(
                "branching",
                format!("{} legal moves, at most {}", mean(sampled.branching.mean), sampled.branching.most),
            ),
            pair("results", format!("{} wins {wins}, draws {draws}, loses {losses}", self.first)),
            pair("first move", format!("{} of the points", share(sampled.first_move_score))),
            pair("", format!("{} Elo", elo(sampled.first_move_elo))),
            pair("drawn", share(sampled.draw_rate)),
            pair("decided", share(sampled.decisiveness)),
        ];
        if let Some(settled) = sampled.settled {
            let settled = settled.map(|part| 100.0 * part);
            rows.push(pair("settled", format!("after {} percent of a decided game", mean(settled))));
        }
        rows.extend(
            sampled.lead_changes.map(|changes| pair("lead changes", format!("{} a game", mean(changes)))),
        );
        let reasons: Vec<String> =
            sampled.reasons.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
        rows.push(pair("endings", reasons.join(", ")));
        let opening = match method.plies {
            0 => "from the start position".to_string(),
            plies => format!("after {plies} random plies"),
        };
        let about = format!(
            "Sampled: {} against itself, {} nodes a move, {opening}, seed {}; 95% intervals.",
            method.algorithm, method.nodes, method.seed
        );
        Section { title: "Self-play", about, heads: Vec::new(), rows }
    }

    fn skill(&self) -> Option<Section> {
        let step = |step: &super::Step| {
            let [wins, draws, losses] = step.results;
            let row = [step.nodes, step.against, wins, draws, losses].map(|n| n.to_string());
            row.into_iter().chain([elo(step.elo)]).collect()
        };
        let about = match self.elo_per_quadrupling {
            Some(mean) => format!("{FACTOR} times the nodes bring {} Elo on average.", elo(mean)),
            None => format!("What {FACTOR} times the nodes bring."),
        };
        (!self.ladder.is_empty()).then(|| Section {
            title: "Skill",
            about,
            heads: vec!["nodes", "against", "won", "drawn", "lost", "Elo"],
            rows: self.ladder.iter().map(step).collect(),
        })
    }
}

impl Opening {
    /// The points of the player who makes the move.
    fn points(&self) -> String {
        self.score.map_or_else(|| "-".to_string(), percent)
    }

    /// The value of the move in words.
    fn value_text(&self) -> Option<String> {
        let value = self.value?;
        Some(match self.distance {
            Some(1) => format!("{value} in 1 ply"),
            Some(plies) => format!("{value} in {plies} plies"),
            None => value.to_string(),
        })
    }
}

fn facts(exact: &Exact) -> Vec<Vec<String>> {
    let how = match exact.method {
        "graph" => "every position enumerated",
        "tables" => "from tables",
        _ => "solved before with tables (see `jewel games`)",
    };
    let mut rows = vec![pair(
        "value",
        format!(
            "{}{}, {how}",
            exact.value_text(),
            if exact.is_draw() { "" } else { " for the side to move" }
        ),
    )];
    if let Some(positions) = &exact.positions {
        let [wins, draws, losses] = positions.shares().map(percent);
        rows.push(pair("positions", format!("{}, with {} moves", positions.positions, positions.moves)));
        rows.push(pair("", format!("{wins} won, {draws} drawn, {losses} lost for the side to move")));
    }
    rows
}

fn power(power: &Power) -> Vec<String> {
    let longest = power.longest_win.map_or_else(|| "-".to_string(), |plies| plies.to_string());
    let [south, north] = [power.south, power.north].map(|shares| [shares[0], shares[1]].map(percent));
    [power.class.clone()].into_iter().chain(south).chain(north).chain([longest]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_read_with_their_intervals() {
        let of = |value, low, high| Estimate { value, low, high };
        assert_eq!(share(of(0.5, 0.421, 0.58)), "50.0% (42.1 to 58.0)");
        assert_eq!(mean(of(12.34, 11.0, 13.68)), "12.3 (11.0 to 13.7)");
        assert_eq!(mean(of(3.0, f64::NEG_INFINITY, f64::INFINITY)), "3.0");
        assert_eq!(elo(of(12.3, -4.4, 29.0)), "+12 (-4 to +29)");
        assert_eq!(elo(of(f64::INFINITY, 200.0, f64::INFINITY)), "more than 200");
        assert_eq!(elo(of(f64::NEG_INFINITY, f64::NEG_INFINITY, -7.0)), "less than -7");
    }
}
