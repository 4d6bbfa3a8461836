//! The results of a tournament: as text for people, as an object for scripts.

use crate::basket_report::{self, BasketLine, Spread};
use crate::standings::Standings;
use crate::statistics::counts::Results;
use crate::statistics::elo::{self, Estimate};
use crate::statistics::ratings;
use crate::statistics::sprt::{Model, Sprt, Standing};
use jewel_players::support::layout::{WIDTH, folded, table};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most characters of a name in a table.
const MAX_NAME: usize = 24;

/// Most players for whom a crosstable is shown.
const MAX_CROSSED: usize = 12;

/// The results of a tournament, best player first.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Report {
    /// The id of the game; left out of the report on a basket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The players.
    pub players: Vec<PlayerLine>,
    /// Games played.
    pub games: u64,
    /// Those of them that were the same as earlier ones, without a player that chooses at random: they are in no
    /// result below.
    pub repeated: u64,
    /// Whether all games were played.
    pub complete: bool,
    /// Games of the whole tournament at most.
    pub scheduled: u64,
    /// The winner of a knockout that is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub champion: Option<String>,
    /// Points of each player against each other, in the order of `players`; `null` where they have not met.
    pub crosstable: Vec<Vec<Option<f64>>>,
    /// Games that the southern side won, drew and lost.
    pub white: [u64; 3],
    /// Plies of a game on average, openings included.
    pub average_plies: f64,
    /// Games by the reason for their end.
    pub reasons: BTreeMap<String, u64>,
    /// The match between two players.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub duel: Option<MatchLine>,
    /// The sequential test: over the games of a basket together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtLine>,
    /// The games of a basket, in its order: the other results are those of all of them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basket: Vec<BasketLine>,
    /// How a match of two differs from game to game of a basket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
}

/// A player in the table.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct PlayerLine {
    /// The name.
    pub name: String,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points for each game, from 0 to 1.
    pub score: Option<f64>,
    /// With two players, the Elo difference to the other; with more, the rating on a scale on which their mean is
    /// 0. `null` where it is infinite.
    pub elo: Option<f64>,
    /// Half of the 95% interval; `null` where it is infinite.
    pub elo_error: Option<f64>,
    /// Points.
    pub points: f64,
    /// Moves played.
    pub moves: u64,
    /// Nodes searched, as far as the player reported them.
    pub nodes: u64,
    /// Seconds used, where times are recorded.
    pub seconds: f64,
}

/// A match of two, from the point of view of the player that was named first.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct MatchLine {
    /// That player.
    pub name: String,
    /// The 95% interval of its Elo: `null` is infinite.
    pub elo_interval: [Option<f64>; 2],
    /// Normalised Elo.
    pub normalised_elo: Option<f64>,
    /// Half of its 95% interval.
    pub normalised_elo_error: Option<f64>,
    /// The likelihood of superiority (LOS), from 0 to 1.
    pub los: Option<f64>,
    /// The share of drawn games, from 0 to 1.
    pub draw_ratio: Option<f64>,
    /// Pairs won divided by pairs lost.
    pub pair_ratio: Option<f64>,
    /// Pairs by points: 0, 1/2, 1, 3/2, 2. Empty where games are not paired.
    pub pentanomial: Vec<u64>,
}

/// A sequential test.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SprtLine {
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// H0 is accepted at or below this.
    pub lower: f64,
    /// H1 is accepted at or above this.
    pub upper: f64,
    /// `continue`, `h0` or `h1`.
    pub verdict: &'static str,
    /// The hypotheses.
    #[serde(flatten)]
    pub test: Sprt,
}

/// A fact with its name, in lines of the terminal's width.
fn fact(name: &str, value: &str) -> String {
    const INDENT: usize = 14;
    format!("{name:<INDENT$}{}\n", folded(value, INDENT))
}

/// Rounds to the digits that do not differ from machine to machine.
pub(crate) fn rounded(value: f64) -> Option<f64> {
    value.is_finite().then(|| (value * 1e4).round() / 1e4)
}

impl Report {
    /// The report on these standings.
    pub fn new(
        game: &str,
        standings: &Standings,
        scheduled: u64,
        complete: bool,
        sprt: Option<&Sprt>,
    ) -> Report {
        let names = standings.names();
        let strengths = strengths(standings);
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| strengths[b].0.total_cmp(&strengths[a].0));
        let reasons = standings.reasons().iter().map(|(reason, n)| (reason.text().to_string(), *n)).collect();
        let white = standings.white();
        let games = standings.games();
        let two = (names.len() == 2).then(|| standings.between(0, 1));
        Report {
            game: Some(game.to_string()),
            players: order.iter().map(|&n| player_line(standings, n, strengths[n])).collect(),
            games,
            repeated: standings.repeated(),
            complete,
            scheduled,
            champion: None,
            crosstable: crosstable(standings, &order),
            white: [white.wins, white.draws, white.losses],
            average_plies: rounded(standings.plies() as f64 / games.max(1) as f64).unwrap_or(0.0),
            reasons,
            duel: two.map(|results| match_line(&names[0], &results)),
            sprt: sprt.zip(two).map(|(test, results)| sprt_line(test, &test.standing(&results))),
            basket: Vec::new(),
            spread: None,
        }
    }

    /// The report on the standings of a basket: `games` are its names and ids, in its order.
    pub fn of_basket(
        games: &[(String, String)],
        standings: &Standings,
        scheduled: u64,
        complete: bool,
        sprt: Option<&Sprt>,
    ) -> Report {
        Report {
            game: None,
            basket: basket_report::lines(games, standings, complete),
            spread: (standings.names().len() == 2).then(|| basket_report::spread(games, standings)).flatten(),
            ..Report::new("", standings, scheduled, complete, sprt)
        }
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = self.table();
        if self.players.len() > 2 && self.players.len() <= MAX_CROSSED {
            text.push('\n');
            text.push_str(&self.crossed());
        }
        if !self.basket.is_empty() {
            text.push('\n');
            let first = self.duel.as_ref().map(|duel| duel.name.as_str());
            text.push_str(&basket_report::text(&self.basket, &self.players, first));
        }
        text.push('\n');
        for (name, value) in self.facts() {
            text.push_str(&fact(name, &value));
        }
        text
    }

    /// The table alone with the state of the test: what is shown while games are played.
    pub fn live(&self) -> String {
        let facts = self.facts().into_iter().filter(|(name, _)| ["repeated", "elo", "sprt"].contains(name));
        let facts: String = facts.map(|(name, value)| fact(name, &value)).collect();
        (self.table() + &facts).trim_end().to_string()
    }

    fn table(&self) -> String {
        let timed = self.players.iter().any(|player| player.seconds > 0.0);
        let results = ["GAMES", "WINS", "DRAWS", "LOSSES", "SCORE", "ELO", "ERROR"];
        let effort = ["NODES/MOVE", "TIME/MOVE"].into_iter().take(if timed { 2 } else { 1 });
        let heads = ["", "NAME"].into_iter().chain(results).chain(effort);
        let mut rows = vec![heads.map(str::to_string).collect::<Vec<_>>()];
        for (n, player) in self.players.iter().enumerate() {
            let moves = player.moves.max(1) as f64;
            let mut row = vec![
                (n + 1).to_string(),
                shown(&player.name),
                (player.wins + player.draws + player.losses).to_string(),
                player.wins.to_string(),
                player.draws.to_string(),
                player.losses.to_string(),
                player.score.map_or("-".to_string(), |score| format!("{:.1}%", 100.0 * score)),
                signed(player.elo),
                player.elo_error.map_or("-".to_string(), |error| format!("{error:.1}")),
                format!("{:.0}", player.nodes as f64 / moves),
            ];
            row.extend(timed.then(|| format!("{:.3}s", player.seconds / moves)));
            rows.push(row);
        }
        let whole = table(&rows, |n| n == 1);
        if whole.lines().all(|line| line.chars().count() <= WIDTH) {
            return whole;
        }
        // Results and effort, one below the other.
        let part = |from: usize, to: usize| -> Vec<Vec<String>> {
            rows.iter().map(|row| [&row[..2], &row[from..to]].concat()).collect()
        };
        let results = 2 + results.len();
        format!(
            "{}\n{}",
            table(&part(2, results), |n| n == 1),
            table(&part(results, rows[0].len()), |n| n == 1)
        )
    }

    fn crossed(&self) -> String {
        let mut rows = vec![vec![String::new(), String::new()]];
        rows[0].extend((1..=self.players.len()).map(|n| n.to_string()));
        for (n, (player, points)) in self.players.iter().zip(&self.crosstable).enumerate() {
            let mut row = vec![(n + 1).to_string(), shown(&player.name)];
            row.extend(
                points.iter().map(|points| points.map_or("-".to_string(), |points| points.to_string())),
            );
            rows.push(row);
        }
        table(&rows, |n| n == 1)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if let Some(champion) = &self.champion {
            facts.push(("champion", champion.clone()));
        }
        let all = if self.complete { String::new() } else { format!(" of {}", self.scheduled) };
        facts.push(("games", format!("{}{all}, {:.1} plies on average", self.games, self.average_plies)));
        if self.repeated > 0 {
            let Report { repeated, games, .. } = self;
            facts.push((
                "repeated",
                format!("{repeated} of the {games} games were played before and do not count"),
            ));
        }
        let [wins, draws, losses] = self.white;
        facts.push(("white", format!("{wins} won, {draws} drawn, {losses} lost")));
        if let Some(facts_of_match) = &self.duel {
            facts.extend(facts_of_match.facts());
        }
        if let Some(spread) = &self.spread {
            facts.push(("spread", spread.text()));
        }
        if let Some(sprt) = &self.sprt {
            let verdict = match sprt.verdict {
                "h1" => "H1 accepted",
                "h0" => "H0 accepted",
                _ => "not decided",
            };
            let SprtLine { llr, lower, upper, test, .. } = sprt;
            let model = if test.model == Model::Logistic { "" } else { "normalised " };
            facts.push((
                "sprt",
                format!(
                    "llr {llr:.2} ({lower:.2}, {upper:.2}) for [{}, {}] {model}Elo: {verdict}",
                    test.elo0, test.elo1
                ),
            ));
        }
        let mut reasons: Vec<(&String, &u64)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
        let reasons: Vec<String> = reasons.iter().map(|(name, n)| format!("{name} {n}")).collect();
        facts.push(("ended", reasons.join(", ")));
        facts
    }
}

impl MatchLine {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let bound =
            |bound: Option<f64>, open: &str| bound.map_or(open.to_string(), |elo| format!("{elo:+.1}"));
        let [low, high] = self.elo_interval;
        let percent =
            |share: Option<f64>| share.map_or("-".to_string(), |share| format!("{:.1}%", 100.0 * share));
        let mut facts = vec![(
            "elo",
            format!(
                "{}: 95% from {} to {}, LOS {}",
                self.name,
                bound(low, "-inf"),
                bound(high, "+inf"),
                percent(self.los)
            ),
        )];
        if let Some((elo, error)) = self.normalised_elo.zip(self.normalised_elo_error) {
            facts.push(("normalised", format!("{elo:+.1} +- {error:.1}")));
        }
        let mut draws = format!("{} of games", percent(self.draw_ratio));
        if !self.pentanomial.is_empty() {
            let ratio = self.pair_ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
            draws.push_str(&format!(", pairs {:?} by points, pair ratio {ratio}", self.pentanomial));
        }
        facts.push(("draws", draws));
        facts
    }
}

/// Elo and error of each player.
fn strengths(standings: &Standings) -> Vec<(f64, f64)> {
    let players = standings.names().len();
    if players == 2 {
        let of = |n: usize| elo::difference(&standings.between(n, 1 - n));
        return (0..2)
            .map(|n| of(n).map_or((0.0, f64::INFINITY), |e: Estimate| (e.elo, e.error())))
            .collect();
    }
    ratings::rate(players, &standings.meetings()).iter().map(|rating| (rating.elo, rating.error)).collect()
}

/// A name, short enough for a table.
pub(crate) fn shown(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_string();
    }
    name.chars().take(MAX_NAME - 1).chain(['…']).collect()
}

fn player_line(standings: &Standings, player: usize, (elo, error): (f64, f64)) -> PlayerLine {
    let games = standings.of(player).games;
    let effort = standings.effort(player);
    PlayerLine {
        name: standings.names()[player].clone(),
        wins: games.wins,
        draws: games.draws,
        losses: games.losses,
        score: games.score().and_then(rounded),
        elo: rounded(elo),
        elo_error: rounded(error),
        points: games.points(),
        moves: effort.moves,
        nodes: effort.nodes,
        seconds: rounded(effort.seconds).unwrap_or(0.0),
    }
}

fn crosstable(standings: &Standings, order: &[usize]) -> Vec<Vec<Option<f64>>> {
    let cell = |a: usize, b: usize| {
        let games = standings.between(a, b).games;
        (a != b && games.games() > 0).then(|| games.points())
    };
    order.iter().map(|&a| order.iter().map(|&b| cell(a, b)).collect()).collect()
}

fn match_line(name: &str, results: &Results) -> MatchLine {
    let difference = elo::difference(results);
    let normalised = elo::normalised(results);
    MatchLine {
        name: name.to_string(),
        elo_interval: [difference.and_then(|e| rounded(e.low)), difference.and_then(|e| rounded(e.high))],
        normalised_elo: normalised.and_then(|e| rounded(e.elo)),
        normalised_elo_error: normalised.and_then(|e| rounded(e.error())),
        los: elo::likelihood_of_superiority(results).and_then(rounded),
        draw_ratio: results.games.draw_ratio().and_then(rounded),
        pair_ratio: results.pair_ratio().and_then(rounded),
        pentanomial: if results.is_paired() { results.pairs.to_vec() } else { Vec::new() },
    }
}

fn sprt_line(test: &Sprt, standing: &Standing) -> SprtLine {
    let Standing { llr, lower, upper, verdict } = *standing;
    let digits = |value: f64| rounded(value).unwrap_or(0.0);
    SprtLine {
        llr: digits(llr),
        lower: digits(lower),
        upper: digits(upper),
        verdict: verdict.name(),
        test: *test,
    }
}

pub(crate) fn signed(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{value:+.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, Reason};
    use crate::schedule::{Format, Next, Pairing, Plan, Schedule};
    use jewel_engine::value::Verdict as Result;

    /// A record of a game of this pairing.
    fn record(pairing: &Pairing, names: &[String], verdict: Result) -> GameRecord {
        GameRecord {
            tournament: String::new(),
            number: pairing.number + 1,
            round: 1,
            game: "duel".to_string(),
            fen: String::new(),
            start: "l2/3/2L b - - 0 1".to_string(),
            book: 1,
            white: names[pairing.players[0]].clone(),
            black: names[pairing.players[1]].clone(),
            seed: 0,
            result: verdict.score_text().to_string(),
            termination: "normal".to_string(),
            reason: Reason::Rules,
            ending: String::new(),
            moves: vec!["a1a2".to_string(); 4],
            turns: Vec::new(),
            scores: Vec::new(),
            depths: Vec::new(),
            nodes: vec![Some(10), None, Some(5)],
            seconds: Vec::new(),
        }
    }

    /// The standings of a tournament in which results follow from the players.
    fn standings(players: usize, rounds: u64, verdict: impl Fn([usize; 2], u64) -> Result) -> Standings {
        let names: Vec<String> = (0..players).map(|n| format!("p{n}")).collect();
        let plan = Plan { format: Format::RoundRobin, players, stages: 1, rounds, games: 2, seed: 1 };
        let schedule = Schedule::new(plan).unwrap();
        let mut standings = Standings::new(&names, 1);
        while let Next::Game(pairing) = schedule.next(standings.games()) {
            let verdict = verdict(pairing.players, pairing.number);
            let record = record(&pairing, &names, verdict);
            standings.enter(&pairing, verdict, &record, true, false);
        }
        standings
    }

    /// The player named first beats the others with White, and draws with Black.
    fn first_is_better([white, black]: [usize; 2], _: u64) -> Result {
        if white < black { Result::WhiteWins } else { Result::Draw }
    }

    #[test]
    fn a_field_of_players_is_ranked_and_crossed() {
        let standings = standings(3, 10, first_is_better);
        let report = Report::new("duel", &standings, 60, true, None);
        let names: Vec<&str> = report.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["p0", "p1", "p2"]);
        let first = &report.players[0];
        assert_eq!((first.wins, first.draws, first.losses, first.points), (20, 20, 0, 30.0));
        assert_eq!(first.score, Some(0.75));
        assert_eq!(report.crosstable[0], [None, Some(15.0), Some(15.0)]);
        assert_eq!(report.crosstable[2], [Some(5.0), Some(5.0), None]);
        assert_eq!((report.games, report.white, report.average_plies), (60, [30, 30, 0], 4.0));
        assert_eq!(report.reasons["by rule"], 60);
        assert!(
            report.players.iter().all(|p| p.elo.is_some() && p.elo_error.is_some_and(|error| error > 0.0))
        );
        assert!(report.duel.is_none() && report.sprt.is_none());
        // Three moves after the opening in each game; White, who is to move after it, looked at 15 positions.
        assert_eq!((first.moves, first.nodes), (60, 300));
        let text = report.text();
        assert!(text.starts_with("   NAME  GAMES  WINS  DRAWS  LOSSES  SCORE"), "{text}");
        assert!(text.contains("\n1  p0       40    20     20       0  75.0%"), "{text}");
        assert!(text.contains("\n1  p0  -  15  15\n2  p1  5   -  15\n3  p2  5   5   -\n"), "{text}");
        assert!(text.contains("\nended         by rule 60\n"), "{text}");
    }

    #[test]
    fn a_match_has_pairs_and_a_test() {
        let standings = standings(2, 50, first_is_better);
        let test = Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
        let report = Report::new("duel", &standings, 100, false, Some(&test));
        let line = report.duel.as_ref().unwrap();
        assert_eq!(line.pentanomial, [0, 0, 0, 50, 0]);
        assert_eq!((line.pair_ratio, line.normalised_elo), (None, None));
        assert_eq!(report.players[0].elo, Some(190.8485));
        let object = serde_json::to_value(&report).unwrap();
        assert_eq!(object["sprt"]["verdict"], "h1");
        assert_eq!(
            (object["sprt"]["upper"].as_f64(), object["sprt"]["elo1"].as_f64()),
            (Some(2.9444), Some(100.0))
        );
        assert_eq!(object["match"]["los"], 1.0);
        let text = report.text();
        assert!(text.contains("\ngames         100 of 100, 4.0 plies on average\n"), "{text}");
        assert!(
            text.contains("H1 accepted") && text.contains("pairs [0, 0, 0, 50, 0] by points, pair ratio -"),
            "{text}"
        );
        assert!(report.live().lines().count() == 5, "{}", report.live());
    }

    /// The standings after two pairs of won games, of which these are the same as earlier ones.
    fn with_repeats(repeated: [bool; 4]) -> Standings {
        let all = standings(2, 2, |_, _| Result::WhiteWins);
        let mut standings = Standings::new(all.names(), 1);
        let plan = Plan { format: Format::RoundRobin, players: 2, stages: 1, rounds: 2, games: 2, seed: 1 };
        let schedule = Schedule::new(plan).unwrap();
        for repeated in repeated {
            let Next::Game(pairing) = schedule.next(standings.games()) else { panic!() };
            let record = record(&pairing, all.names(), Result::WhiteWins);
            standings.enter(&pairing, Result::WhiteWins, &record, true, repeated);
        }
        standings
    }

    #[test]
    fn a_pair_is_repeated_where_both_of_its_games_are() {
        for (repeated, games, pairs) in [
            ([false, false, true, true], 2, 1),
            ([false, false, true, false], 4, 2),
            ([false, false, false, true], 4, 2),
            ([false, false, false, false], 4, 2),
        ] {
            let standings = with_repeats(repeated);
            let results = standings.between(0, 1);
            assert_eq!((standings.games(), standings.repeated()), (4, 4 - games), "{repeated:?}");
            assert_eq!(
                (results.games.games(), results.pairs.iter().sum::<u64>(), standings.white().games()),
                (games, pairs, games),
                "{repeated:?}"
            );
        }
    }

    #[test]
    fn what_is_infinite_or_unknown_is_null() {
        let won =
            standings(2, 3, |[white, _], _| if white == 0 { Result::WhiteWins } else { Result::BlackWins });
        let object = serde_json::to_value(Report::new("duel", &won, 6, true, None)).unwrap();
        assert!(object["players"][0]["elo"].is_null() && object["players"][0]["elo_error"].is_null());
        assert!(
            object["match"]["elo_interval"][1].is_null() && object["match"]["elo_interval"][0].is_number()
        );
        for players in [2, 3] {
            let names: Vec<String> = (0..players).map(|n| n.to_string()).collect();
            let report = Report::new("duel", &Standings::new(&names, 1), 6, false, None);
            assert!(report.players[0].score.is_none() && !report.text().is_empty());
            assert!(serde_json::to_string(&report).is_ok());
        }
    }
}
