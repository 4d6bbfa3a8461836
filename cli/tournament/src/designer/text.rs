//! The report for people: sections of facts, which the page shows as well.

use super::exact::{Exact, Power};
use super::interval::Estimate;
use super::{FACTOR, Survey};
use jewel_players::support::layout::{columns, folded};

/// The most sets of pieces that are listed.
const MAX_POWERS: usize = 40;

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
    pub fn text(&self) -> String {
        let mut text = folded(&format!("{} ({}): {}", self.name, self.game, self.objective), 0) + "\n";
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
        text
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.known()];
        sections.extend(self.powers());
        sections.push(self.play());
        sections.extend(self.skill());
        sections
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

fn facts(exact: &Exact) -> Vec<Vec<String>> {
    let how = if exact.method == "graph" { "every position enumerated" } else { "from tables" };
    let mut rows = vec![pair("value", format!("{} for the side to move, {how}", exact.value_text()))];
    if let Some(positions) = &exact.positions {
        let [wins, draws, losses] = positions.shares().map(percent);
        rows.push(pair("positions", format!("{}, with {} moves", positions.positions, positions.moves)));
        rows.push(pair("", format!("{wins} won, {draws} drawn, {losses} lost for the side to move")));
        if let (Some(plies), Some(fen)) = (positions.longest_win, &positions.longest_win_fen) {
            rows.push(pair("longest win", format!("{plies} plies, from {fen}")));
        }
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
