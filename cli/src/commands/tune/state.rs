//! The state file of `jewel tune`: games that have been played, and the weights of the last round.

use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::tactics::Tactics;
use jewel_engine::value::Verdict;
use jewel_players::support::files::{self, read_text};
use jewel_search::tune::{Played, Sample};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The longest file that is read, in bytes.
const MAX_LENGTH: u64 = 4 << 30;

/// One game in this many is held back from the fit: it shows how strongly to pull the weights, and whether they have
/// become better.
const HELD: usize = 8;

/// The games and rounds so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State<W> {
    /// The command, without options that do not change its result.
    pub(super) command: String,
    /// The fingerprint of the rules.
    rules: String,
    /// The weights that it begins with.
    pub(super) beginning: W,
    /// The weights after the last round.
    pub(super) weights: W,
    /// For each round, how strongly the weights were pulled back.
    pub(super) rounds: Vec<f64>,
    /// The games, by number.
    games: Vec<Record>,
}

/// A game: positions, and how it ended for White.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    result: Result3,
    positions: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Result3 {
    Win,
    Draw,
    Loss,
}

/// Positions with results: to learn from, and to check.
pub(super) struct Samples<P> {
    pub(super) fitted: Vec<Sample<P>>,
    pub(super) held: Vec<Sample<P>>,
}

impl<W: Clone + PartialEq + Serialize + DeserializeOwned> State<W> {
    /// No games yet.
    pub(super) fn new(command: String, fingerprint: u64, beginning: W) -> State<W> {
        let rules = format!("{fingerprint:016x}");
        State { command, rules, weights: beginning.clone(), beginning, rounds: Vec::new(), games: Vec::new() }
    }

    /// Goes on from a file, if it is there.
    ///
    /// # Errors
    /// If it cannot be read, or belongs to another command.
    pub(super) fn resume(self, file: &Path) -> Result<State<W>> {
        if !file.exists() {
            return Ok(self);
        }
        let name = file.display();
        let found: State<W> = serde_json::from_str(&read_text(file, MAX_LENGTH)?)
            .map_err(|e| anyhow!("{name}: no state file of jewel tune: {e}"))?;
        if found.command != self.command {
            bail!("{name}: made by \"{}\", which is not what was typed now", found.command);
        }
        if found.rules != self.rules || found.beginning != self.beginning {
            bail!("{name}: made with other rules or weights; remove it to begin anew");
        }
        Ok(found)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, file: &Path) -> Result<()> {
        files::write(file, serde_json::to_string(self)?.as_bytes())
    }

    /// Games that have been played.
    pub(super) fn played(&self) -> u64 {
        self.games.len() as u64
    }

    /// Adds the next game.
    pub(super) fn push<P: Notation>(&mut self, played: &Played<P>) {
        let result = match played.verdict {
            Verdict::WhiteWins => Result3::Win,
            Verdict::Draw => Result3::Draw,
            Verdict::BlackWins => Result3::Loss,
        };
        let positions = played.positions.iter().map(Notation::position_text).collect();
        self.games.push(Record { result, positions });
    }

    /// Wins, draws and losses of White.
    pub(super) fn results(&self) -> [usize; 3] {
        [Result3::Win, Result3::Draw, Result3::Loss]
            .map(|result| self.games.iter().filter(|game| game.result == result).count())
    }

    /// The positions of all games.
    ///
    /// # Errors
    /// If a position of the file is not one of this game.
    pub(super) fn samples<G: Game>(&self, game: &G) -> Result<Samples<G::Position>>
    where
        G::Position: Tactics,
    {
        let mut samples = Samples { fitted: Vec::new(), held: Vec::new() };
        for (number, record) in self.games.iter().enumerate() {
            let verdict = match record.result {
                Result3::Win => Verdict::WhiteWins,
                Result3::Draw => Verdict::Draw,
                Result3::Loss => Verdict::BlackWins,
            };
            let list = if number % HELD == 0 { &mut samples.held } else { &mut samples.fitted };
            for text in &record.positions {
                let position = game.parse_position(text).map_err(|e| anyhow!("{e}"));
                let position = position.with_context(|| format!("state file: game {number}: \"{text}\""))?;
                list.push(Sample::new(position, verdict));
            }
        }
        Ok(samples)
    }
}
