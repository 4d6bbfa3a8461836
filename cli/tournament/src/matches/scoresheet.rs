//! The scoresheet: as text for people, as an object for scripts.

use super::points::Points;
use super::rules::{Form, MatchRules, NextGame, Score};
use crate::record::{GameRecord, Reason};
use jewel_engine::value::{Side, Verdict};
use jewel_players::game_clock::clock_text;
use jewel_players::support::layout::{columns, table_or_list};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A game of a match.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct GameLine {
    /// The id of the game.
    pub game: String,
    /// The name of the game in the match.
    pub event: String,
    /// The last position.
    pub fen: String,
    /// The position in which it began.
    pub start: String,
    /// The name of the side that moved first.
    pub first: String,
    /// `1-0`, `0-1` or `1/2-1/2`; the southern side's points first.
    pub result: String,
    /// Why it is over.
    pub reason: Reason,
    /// The same in words.
    pub ending: String,
    /// The seconds that both sides had, the southern side's first; left out without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<[f64; 2]>,
    /// The seconds that both sides had left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<[f64; 2]>,
    /// The moves.
    pub moves: Vec<String>,
}

impl GameLine {
    pub(super) fn new(
        next: &NextGame,
        sides: [String; 2],
        record: GameRecord,
        left: Option<[Duration; 2]>,
    ) -> GameLine {
        let [south, north] = sides;
        let first = if record.first() == Side::White { south } else { north };
        let seconds = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
        let given = |clock: &crate::clock::TimeControl| seconds(clock.periods()[0].time);
        GameLine {
            game: record.game,
            event: next.event.title().to_string(),
            fen: record.fen,
            start: record.start,
            first,
            result: record.result,
            reason: record.reason,
            ending: record.ending,
            clocks: next.clocks.as_ref().map(|clocks| clocks.each_ref().map(given)),
            left: left.map(|left| left.map(seconds)),
            moves: record.moves,
        }
    }

    fn cells(&self) -> Vec<String> {
        let time = |seconds: f64| clock_text(Duration::try_from_secs_f64(seconds).unwrap_or_default());
        let both = |[south, north]: [f64; 2]| format!("{}/{}", time(south), time(north));
        let mut cells = vec![
            format!("  {}", self.event),
            self.first.clone(),
            self.result.replace("1/2", "½"),
            self.moves.len().to_string(),
        ];
        cells.extend(self.clocks.map(both));
        cells.extend(self.left.map(both));
        cells.push(self.ending.clone());
        cells
    }
}

/// A match.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct MatchLine {
    /// The number of the match, from 1.
    pub number: u64,
    /// The players of the southern and the northern side.
    pub players: [String; 2],
    /// The games, in order.
    pub games: Vec<GameLine>,
    /// The points of both.
    pub points: [Points; 2],
    /// The win bonus of both, which the tie-break form has.
    pub bonus: [u32; 2],
    /// The winner; `null` if the match was drawn.
    pub winner: Option<String>,
}

impl MatchLine {
    pub(super) fn new(number: u64, names: [&str; 2], score: &Score, games: Vec<GameLine>) -> MatchLine {
        let players = names.map(str::to_string);
        let winner = score.winner().map(|side| players[side.index()].clone());
        MatchLine { number, players, games, points: score.points, bonus: score.bonus, winner }
    }

    fn text(&self, sides: &[String; 2]) -> String {
        let [south, north] = &self.players;
        let mut text = format!("Match {}: {} {south}, {} {north}\n", self.number, sides[0], sides[1]);
        let mut heads = vec!["  game", "first", "result", "plies"];
        if self.games.iter().any(|game| game.clocks.is_some()) {
            heads.extend(["clocks", "left"]);
        }
        heads.push("ending");
        let mut rows = vec![heads.into_iter().map(str::to_string).collect()];
        rows.extend(self.games.iter().map(GameLine::cells));
        text.push_str(&columns(&rows));
        let [own, other] = self.points;
        let verdict = match &self.winner {
            Some(winner) => format!("{winner} wins"),
            None => "drawn".to_string(),
        };
        let bonus = self.bonus.iter().max().filter(|bonus| **bonus > 0);
        let bonus = bonus.map_or_else(String::new, |bonus| format!(", win bonus {bonus}"));
        text + &format!("  points {own}-{other}: {verdict}{bonus}\n")
    }
}

/// The results of a player over all matches.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct PlayerSum {
    /// The name.
    pub name: String,
    /// Matches won.
    pub wins: u64,
    /// Matches drawn.
    pub draws: u64,
    /// Matches lost.
    pub losses: u64,
    /// Points of all matches.
    pub points: Points,
    /// Win bonuses of all matches.
    pub bonus: u32,
    /// Games won, drawn and lost.
    pub games: [u64; 3],
}

/// The scoresheet of several matches.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Scoresheet {
    /// The kind of match.
    #[serde(rename = "match")]
    pub form: Form,
    /// Whether it is the tie-break form.
    pub deciding: bool,
    /// Seed of the lots and of random choices of players.
    pub seed: u64,
    /// The players, as they were named.
    pub players: [PlayerSum; 2],
    /// Games played.
    pub games: u64,
    /// The matches, in order.
    pub matches: Vec<MatchLine>,
}

impl Scoresheet {
    /// A scoresheet without a match, for the players of these names.
    pub fn new(rules: &MatchRules, seed: u64, names: [&str; 2]) -> Scoresheet {
        let sum = |name: &str| PlayerSum {
            name: name.to_string(),
            wins: 0,
            draws: 0,
            losses: 0,
            points: Points::default(),
            bonus: 0,
            games: [0; 3],
        };
        Scoresheet {
            form: rules.form,
            deciding: rules.deciding,
            seed,
            players: names.map(sum),
            games: 0,
            matches: Vec::new(),
        }
    }

    /// Adds the next match.
    pub fn enter(&mut self, line: &MatchLine) {
        for sum in &mut self.players {
            let own = usize::from(line.players[1] == sum.name);
            match &line.winner {
                None => sum.draws += 1,
                Some(winner) if *winner == sum.name => sum.wins += 1,
                Some(_) => sum.losses += 1,
            }
            sum.points += line.points[own];
            sum.bonus += line.bonus[own];
            for game in &line.games {
                let verdicts = [Verdict::WhiteWins, Verdict::Draw, Verdict::BlackWins];
                let at = verdicts.iter().position(|verdict| verdict.score_text() == game.result);
                let at = at.map(|at| if own == 0 { at } else { 2 - at });
                at.into_iter().for_each(|at| sum.games[at] += 1);
            }
        }
        self.games += line.games.len() as u64;
        self.matches.push(line.clone());
    }

    /// The scoresheet for people; `sides` are the names of the sides.
    pub fn text(&self, sides: &[String; 2]) -> String {
        let mut text = match self.deciding {
            true => format!("{}, as a tie-break\n\n", self.form.title()),
            false => format!("{}\n\n", self.form.title()),
        };
        for line in &self.matches {
            text.push_str(&line.text(sides));
            text.push('\n');
        }
        if self.matches.len() > 1 {
            text.push_str(&self.sums());
        }
        text.trim_end().to_string() + "\n"
    }

    fn sums(&self) -> String {
        let heads = ["", "matches", "won", "drawn", "lost", "points", "bonus", "games won", "drawn", "lost"];
        let used = |n: &usize| self.deciding || heads[*n] != "bonus";
        let mut rows = vec![heads.map(str::to_string)];
        for PlayerSum { name, wins, draws, losses, points, bonus, games } in &self.players {
            let [won, drawn, lost] = games.map(|n| n.to_string());
            rows.push([
                name.clone(),
                (wins + draws + losses).to_string(),
                wins.to_string(),
                draws.to_string(),
                losses.to_string(),
                points.to_string(),
                bonus.to_string(),
                won,
                drawn,
                lost,
            ]);
        }
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| (0..row.len()).filter(used).map(|n| row[n].clone()).collect()).collect();
        table_or_list(&rows, |_| true)
    }
}
