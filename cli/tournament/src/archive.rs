//! The games of a file of records, followed while it grows: the tables that they make, and each game on demand.

use crate::record::{GameRecord, Reason};
use crate::report::Report;
use crate::runner::Tournament;
use crate::schedule::{Pairing, Schedule};
use crate::standings::Standings;
use crate::statistics::sprt::{Sprt, Verdict as Decision};
use anyhow::{Result, anyhow, bail};
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_players::support::words::reason;
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 64 << 20;

/// Most players of a file.
const MAX_PLAYERS: usize = 1000;

/// Most points of the curve of a test.
const MAX_POINTS: usize = 1000;

/// A file of records with what its games add up to.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    /// What is known of the tournament beside its records.
    plan: Option<PlanOf>,
    /// Bytes that have been read.
    read: u64,
    games: Vec<Kept>,
    /// The ids of games, in the order of their first records.
    ids: Vec<String>,
    standings: Standings,
    seen: HashSet<(usize, u64)>,
    /// The game before, if it may be the first of a pair.
    before: Option<GameRecord>,
    curve: Curve,
}

/// What is known of a tournament that is being played.
#[derive(Clone, Debug)]
struct PlanOf {
    names: Vec<String>,
    /// Names and ids of the games, and whether each player chooses at random there.
    stages: Vec<(String, String, Vec<bool>)>,
    sprt: Option<Sprt>,
    paired: bool,
    scheduled: u64,
}

/// Where a game is in the file, and what it can be found by.
#[derive(Clone, Copy, Debug)]
struct Kept {
    at: u64,
    number: u64,
    game: u32,
    players: [u32; 2],
    verdict: Verdict,
    reason: Reason,
    plies: u32,
}

/// The logarithm of the likelihood ratio of a test after each pair of games, thinned out as it grows.
#[derive(Clone, PartialEq, Debug)]
struct Curve {
    points: Vec<(u64, f64)>,
    /// Every how many games there is a point.
    every: u64,
}

impl Curve {
    fn add(&mut self, games: u64, llr: f64) {
        if games < self.points.last().map_or(0, |point| point.0) + self.every {
            return;
        }
        self.points.push((games, llr));
        if self.points.len() > MAX_POINTS {
            let mut n = 0;
            self.points.retain(|_| {
                n += 1;
                n % 2 == 0
            });
            self.every *= 2;
        }
    }
}

/// A game of the list.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct GameLine {
    /// Its number in the file, from 1: what [`Archive::game`] takes.
    pub number: u64,
    /// The id of the game.
    pub game: String,
    /// The player of the southern side.
    pub white: String,
    /// The player of the northern side.
    pub black: String,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// Plies played, those of the opening included.
    pub plies: u32,
    /// Why it is over, as reports say it.
    pub reason: &'static str,
}

/// Which games are wanted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filter {
    /// Those of this player.
    pub player: Option<String>,
    /// Those that ended so for the player; without one, for the southern side.
    pub outcome: Option<Outcome>,
}

impl Archive {
    /// Reads a file of records.
    ///
    /// # Errors
    /// If it cannot be read, or holds anything but records of games.
    pub fn open(path: &Path) -> Result<Archive> {
        let mut archive = Archive::new(path, None);
        // One that is not there yet is only waited for while its tournament is played.
        File::open(path).map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))?;
        archive.catch_up()?;
        Ok(archive)
    }

    /// Follows a tournament that is about to be played.
    pub fn following(tournament: &Tournament) -> Archive {
        let stages = tournament.stages.iter();
        let plan = PlanOf {
            names: tournament.names.clone(),
            stages: stages
                .map(|stage| (stage.name.clone(), stage.game.clone(), stage.random.clone()))
                .collect(),
            sprt: tournament.sprt,
            paired: tournament.plan.is_paired(),
            scheduled: Schedule::new(tournament.plan).map_or(0, |schedule| schedule.games()),
        };
        Archive::new(&tournament.records, Some(plan))
    }

    fn new(path: &Path, plan: Option<PlanOf>) -> Archive {
        let (names, games) = plan.as_ref().map_or((Vec::new(), 1), |p| (p.names.clone(), p.stages.len()));
        Archive {
            path: path.to_path_buf(),
            standings: Standings::new(&names, games),
            plan,
            read: 0,
            games: Vec::new(),
            ids: Vec::new(),
            seen: HashSet::new(),
            before: None,
            curve: Curve { points: Vec::new(), every: 1 },
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what has been written since the last time. A last line that is not complete is left for later; a file
    /// that has become shorter is read anew.
    ///
    /// # Errors
    /// If the file cannot be read, or holds anything but records of games.
    pub fn catch_up(&mut self) -> Result<()> {
        let name = self.path.display().to_string();
        let failed = |e: std::io::Error| anyhow!("{name}: {}", reason(&e));
        let mut file = match File::open(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound && self.plan.is_some() => return Ok(()),
            file => file.map_err(failed)?,
        };
        if file.metadata().map_err(failed)?.len() < self.read {
            *self = Archive::new(&self.path, self.plan.take());
        }
        file.seek(SeekFrom::Start(self.read)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)?;
            if !line.ends_with(b"\n") {
                if bytes as u64 == MAX_LINE {
                    bail!("{name}: line {}: longer than {MAX_LINE} bytes", self.games.len() + 1);
                }
                return Ok(());
            }
            let at = |problem: &dyn std::fmt::Display, games: usize| {
                anyhow!("{name}: line {}: no record of a game: {problem}", games + 1)
            };
            let record: GameRecord = serde_json::from_slice(&line).map_err(|e| at(&e, self.games.len()))?;
            self.enter(record).map_err(|e| at(&e, self.games.len()))?;
            self.read += bytes as u64;
        }
    }

    fn enter(&mut self, record: GameRecord) -> Result<()> {
        let Some(verdict) = record.verdict() else { bail!("\"{}\" is not a result", record.result) };
        let players = [self.player(&record.white)?, self.player(&record.black)?];
        if players[0] == players[1] {
            bail!("a player against itself");
        }
        let id = match self.ids.iter().position(|id| *id == record.game) {
            Some(id) => id,
            None if self.ids.len() < MAX_PLAYERS => {
                self.ids.push(record.game.clone());
                self.ids.len() - 1
            }
            None => bail!("more than {MAX_PLAYERS} games"),
        };
        let stages = self.plan.as_ref().map_or(&[][..], |plan| &plan.stages);
        let stage = stages.iter().position(|(_, game, _)| *game == record.game).unwrap_or(0);
        let chance = match stages.get(stage) {
            Some((_, _, random)) => players.iter().any(|&player| random.get(player) == Some(&true)),
            None => is_without_scores(&record),
        };
        let repeated = !chance && !self.seen.insert((id, record.same_game()));
        let second = self.before.take().is_some_and(|first| is_pair(&first, &record));
        let paired = self.plan.as_ref().is_none_or(|plan| plan.paired);
        let pairing = Pairing {
            number: u64::from(second),
            round: record.round,
            stage,
            players,
            opening: 0,
            seed: record.seed,
        };
        self.standings.enter(&pairing, verdict, &record, paired, repeated);
        self.games.push(Kept {
            at: self.read,
            number: record.number,
            game: id as u32,
            players: players.map(|player| player as u32),
            verdict,
            reason: record.reason,
            plies: u32::try_from(record.moves.len()).unwrap_or(u32::MAX),
        });
        if let Some(sprt) = self.plan.as_ref().and_then(|plan| plan.sprt)
            && (second || !paired)
        {
            let standing = sprt.standing(&self.standings.between(0, 1));
            self.curve.add(self.standings.games(), standing.llr);
        }
        self.before = (paired && !second).then_some(record);
        Ok(())
    }

    fn player(&mut self, name: &str) -> Result<usize> {
        match self.standings.names().iter().position(|known| known == name) {
            Some(player) => Ok(player),
            None if self.plan.is_some() => bail!("\"{name}\" is not a player of this tournament"),
            None if self.standings.names().len() >= MAX_PLAYERS => bail!("more than {MAX_PLAYERS} players"),
            None => Ok(self.standings.add_player(name)),
        }
    }

    /// The tables of the games so far.
    pub fn report(&self) -> Report {
        let games = self.standings.games();
        let Some(plan) = &self.plan else {
            let mut report = Report::new("", &self.standings, games, true, None);
            report.game = match &self.ids[..] {
                [id] => Some(id.clone()),
                _ => None,
            };
            return report;
        };
        let sprt = plan.sprt.as_ref();
        let decided = sprt
            .is_some_and(|sprt| sprt.standing(&self.standings.between(0, 1)).verdict != Decision::Continue);
        let complete = decided || games >= plan.scheduled;
        match &plan.stages[..] {
            [(_, game, _)] => Report::new(game, &self.standings, plan.scheduled, complete, sprt),
            stages => {
                let stages: Vec<(String, String)> =
                    stages.iter().map(|(name, game, _)| (name.clone(), game.clone())).collect();
                Report::of_basket(&stages, &self.standings, plan.scheduled, complete, sprt)
            }
        }
    }

    /// The logarithm of the likelihood ratio of the test after this number of games.
    pub fn curve(&self) -> &[(u64, f64)] {
        &self.curve.points
    }

    /// The games that a filter lets through, from the one with this place among them, and how many there are in all.
    pub fn games(&self, filter: &Filter, from: usize, count: usize) -> (Vec<GameLine>, usize) {
        let names = self.standings.names();
        let player = filter.player.as_ref().map(|name| names.iter().position(|own| own == name));
        let lets_through = |kept: &&Kept| {
            let side = match player {
                None => Side::White,
                Some(player) => match kept.players.iter().position(|&own| Some(own as usize) == player) {
                    Some(0) => Side::White,
                    Some(_) => Side::Black,
                    None => return false,
                },
            };
            filter.outcome.is_none_or(|outcome| kept.verdict.seen_by(side) == outcome)
        };
        let (mut lines, mut all) = (Vec::new(), 0);
        for kept in self.games.iter().filter(lets_through) {
            if all >= from && lines.len() < count {
                lines.push(GameLine {
                    number: kept.number,
                    game: self.ids[kept.game as usize].clone(),
                    white: names[kept.players[0] as usize].clone(),
                    black: names[kept.players[1] as usize].clone(),
                    result: kept.verdict.score_text(),
                    plies: kept.plies,
                    reason: kept.reason.text(),
                });
            }
            all += 1;
        }
        (lines, all)
    }

    /// The record of the game with this number; `None` if there is no such game.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn game(&self, number: u64) -> Result<Option<GameRecord>> {
        let Some(kept) = self.games.iter().find(|kept| kept.number == number) else { return Ok(None) };
        let failed = |e: std::io::Error| anyhow!("{}: {}", self.path.display(), reason(&e));
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(kept.at)).map_err(failed)?;
        let mut line = Vec::new();
        BufReader::new(file).take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        let record = serde_json::from_slice(&line);
        record.map(Some).map_err(|e| anyhow!("{}: game {number}: {e}", self.path.display()))
    }
}

/// Whether a player gave no score in a game: it may choose at random.
fn is_without_scores(record: &GameRecord) -> bool {
    let (mut moved, mut scored) = ([false; 2], [false; 2]);
    for (n, side) in record.movers().into_iter().skip(record.book).enumerate() {
        moved[side.index()] = true;
        scored[side.index()] |= record.scores.get(n).is_some_and(Option::is_some);
    }
    moved != scored
}

/// Whether two games that follow each other have the same opening, and the players have swapped sides.
fn is_pair(first: &GameRecord, second: &GameRecord) -> bool {
    let opening = |record: &GameRecord| record.moves.get(..record.book).map(<[String]>::to_vec);
    first.game == second.game
        && first.white == second.black
        && first.black == second.white
        && first.start == second.start
        && opening(first) == opening(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn line(number: u64, white: &str, black: &str, result: &str, moves: &str) -> String {
        format!(
            r#"{{"tournament":"t","number":{number},"round":1,"game":"duel","fen":"","start":"s w","book":1,"white":"{white}",
            "black":"{black}","seed":0,"result":"{result}","termination":"normal","reason":"rules","ending":"","moves":[{moves}],
            "scores":["+0.10"]}}"#
        )
        .replace('\n', "")
            + "\n"
    }

    #[test]
    fn a_file_is_followed() {
        let path = std::env::temp_dir().join(format!("jewel-archive-{}.jsonl", std::process::id()));
        let lines = [
            line(1, "a", "b", "1-0", r#""x","y""#),
            line(2, "b", "a", "1/2-1/2", r#""x","z""#),
            line(3, "a", "c", "0-1", r#""w","y""#),
            line(4, "b", "c", "0-1", r#""w","y""#),
        ];
        std::fs::write(&path, lines[..2].concat()).unwrap();
        let mut archive = Archive::open(&path).unwrap();
        assert_eq!(archive.report().games, 2);
        assert_eq!(archive.report().duel.unwrap().pentanomial, [0, 0, 0, 1, 0], "a pair of 3/2 points");
        // A line that is being written is not there yet.
        let (head, tail) = lines[2].split_at(40);
        let append = |text: &str| {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        append(head);
        archive.catch_up().unwrap();
        assert_eq!(archive.report().games, 2);
        append(&(tail.to_string() + &lines[3]));
        archive.catch_up().unwrap();
        let report = archive.report();
        assert_eq!((report.games, report.players.len()), (4, 3));
        assert_eq!(report.players.iter().find(|player| player.name == "c").unwrap().wins, 2);
        let of = |player: &str, outcome| Filter { player: Some(player.to_string()), outcome };
        let numbers = |filter: &Filter| {
            let (lines, all) = archive.games(filter, 0, 10);
            assert_eq!(lines.len(), all);
            lines.iter().map(|line| line.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&Filter::default()), [1, 2, 3, 4]);
        assert_eq!(numbers(&of("a", None)), [1, 2, 3]);
        assert_eq!(numbers(&of("a", Some(Outcome::Loss))), [3]);
        assert_eq!(numbers(&of("b", Some(Outcome::Draw))), [2]);
        assert_eq!(numbers(&of("nobody", None)), [] as [u64; 0]);
        assert_eq!(archive.games(&Filter::default(), 1, 2).0[0].number, 2);
        assert_eq!(archive.game(3).unwrap().unwrap().moves, ["w", "y"]);
        assert_eq!(archive.game(9).unwrap(), None);
        append("nonsense\n");
        let problem = archive.catch_up().unwrap_err().to_string();
        assert!(problem.contains("line 5: no record of a game"), "{problem}");
        std::fs::write(&path, &lines[0]).unwrap();
        archive.catch_up().unwrap();
        assert_eq!(archive.report().games, 1, "a file that was replaced is read anew");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn curves_are_thinned_out() {
        let mut curve = Curve { points: Vec::new(), every: 1 };
        for games in 1..=100_000 {
            curve.add(games, games as f64);
        }
        assert!((MAX_POINTS / 2..=MAX_POINTS).contains(&curve.points.len()), "{}", curve.points.len());
        assert!(curve.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
