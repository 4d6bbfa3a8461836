//! The state file of `jewel train`: positions of games that have been played, and the net of the last round.

use anyhow::{Result, anyhow, bail};
use jewel_engine::games;
use jewel_engine::variant::Rules;
use jewel_players::support::files;
use jewel_search::evaluate::net::{Net, NetError, WIDTH};
use jewel_search::train::Samples;
use std::path::Path;

const MAGIC: &str = "jeweltrain";

/// What the state file of a lesson begins with, before the rest.
const LESSON: &str = "jewellesson";

/// What the files of a game begin with: their kind and version. In version 2, positions of games with hands had no pieces in
/// hand.
fn magic(kind: &str, rules: &Rules) -> String {
    format!("{kind} {}", if rules.hand.is_some() { 3 } else { 2 })
}

/// The longest file that is read, in bytes.
const MAX_LENGTH: u64 = 4 << 30;

/// The games and rounds so far.
pub(super) struct State {
    /// The command, without options that do not change its result.
    pub(super) command: String,
    /// Rounds that are finished.
    pub(super) rounds: u32,
    /// The net of the last round.
    pub(super) net: Option<Net>,
    /// The positions of all games.
    pub(super) samples: Samples,
}

/// The state of a lesson: what has been learnt, and how long it took.
pub(super) struct LessonState {
    /// The games and the net of the last round.
    pub(super) lessons: State,
    /// Seconds that have been used.
    pub(super) seconds: f64,
    /// Games that the net was fitted to.
    pub(super) fitted: u64,
}

impl LessonState {
    /// Goes on from a file, if it is there.
    ///
    /// # Errors
    /// If it cannot be read, or belongs to another command or other rules.
    pub(super) fn resume(file: &Path, command: String, rules: &Rules) -> Result<LessonState> {
        if !file.exists() {
            return Ok(LessonState { lessons: State::new(command), seconds: 0.0, fitted: 0 });
        }
        let name = file.display();
        let bytes = files::read(file, MAX_LENGTH)?;
        check_version(file, &bytes, LESSON, rules)?;
        let found = LessonState::parse(&bytes, rules).ok_or_else(|| {
            anyhow!("{name}: no state of a lesson in {} by these rules: remove it to begin anew", rules.id)
        })?;
        if found.lessons.command != command {
            let made = &found.lessons.command;
            bail!("{name}: made by \"{made}\", which is not what was typed now: remove it to begin anew");
        }
        Ok(found)
    }

    /// Writes the file, whole or not at all, with the seconds used so far.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, file: &Path, rules: &Rules, seconds: f64) -> Result<()> {
        let mut bytes = magic(LESSON, rules).into_bytes();
        bytes.extend(seconds.to_le_bytes());
        bytes.extend(self.fitted.to_le_bytes());
        bytes.extend(self.lessons.to_bytes(rules));
        files::write(file, &bytes)
    }

    fn parse(bytes: &[u8], rules: &Rules) -> Option<LessonState> {
        let rest = bytes.strip_prefix(magic(LESSON, rules).as_bytes())?;
        let (seconds, rest) = rest.split_first_chunk()?;
        let (fitted, rest) = rest.split_first_chunk()?;
        let seconds = Some(f64::from_le_bytes(*seconds)).filter(|seconds| *seconds >= 0.0)?;
        Some(LessonState {
            lessons: State::parse(rest, rules)?,
            seconds,
            fitted: u64::from_le_bytes(*fitted),
        })
    }
}

/// Refuses a file of another version.
fn check_version(file: &Path, bytes: &[u8], kind: &str, rules: &Rules) -> Result<()> {
    let expected = magic(kind, rules);
    if bytes.starts_with(kind.as_bytes()) && !bytes.starts_with(expected.as_bytes()) {
        bail!("{}: written by another version of jewel: give another file", file.display());
    }
    Ok(())
}

/// The options of a command line that determine the games of the first round, but for their number.
fn from_games(command: &str) -> Vec<&str> {
    const NOT_OF_GAMES: [&str; 5] = ["--games", "--rounds", "--also", "--epochs", "--trust"];
    let mut words = command.split(' ');
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if NOT_OF_GAMES.contains(&word) {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept
}

/// Whether positions of a game can be positions of another: the board and the pieces are called the same.
fn similar(one: &Rules, other: &Rules) -> bool {
    let letters = |rules: &Rules| rules.pieces.iter().map(|piece| piece.letter).collect::<Vec<_>>();
    one.geometry == other.geometry && one.royal == other.royal && letters(one) == letters(other)
}

impl State {
    /// No games yet.
    pub(super) fn new(command: String) -> State {
        State { command, rounds: 0, net: None, samples: Samples::default() }
    }

    /// Goes on from a file, if it is there, for rounds of `games` games. Where its net is of a size that another
    /// version had, the last round is fitted anew; so is the first where it is the only one so far, and its games
    /// would be the same, or the first of those asked for, by what was typed now.
    ///
    /// # Errors
    /// If it cannot be read, belongs to another command, or would have to play on with a net of another size.
    pub(super) fn resume(self, file: &Path, rules: &Rules, games: u64) -> Result<State> {
        if !file.exists() {
            return Ok(self);
        }
        let name = file.display();
        let bytes = files::read(file, MAX_LENGTH)?;
        check_version(file, &bytes, MAGIC, rules)?;
        let mut found = State::parse(&bytes, rules)
            .ok_or_else(|| anyhow!("{name}: no state file of jewel train for {}", rules.id))?;
        if found.command != self.command {
            let first_round = found.samples.games() <= games;
            if !first_round || from_games(&found.command) != from_games(&self.command) {
                bail!("{name}: made by \"{}\", which is not what was typed now", found.command);
            }
            (found.command, found.rounds, found.net) = (self.command, 0, None);
        }
        if found.net.is_none() && found.rounds > 0 {
            let played = found.samples.games();
            if played == 0 || played % games != 0 {
                bail!(
                    "{name}: its net is of another size, and a round is not finished: begin with a new file"
                );
            }
            found.rounds = u32::try_from(played / games - 1)?;
        }
        Ok(found)
    }

    /// The positions of a state file of this game, or of one with the same board and pieces that comes with the program.
    ///
    /// # Errors
    /// If it cannot be read, or is of another game.
    pub(super) fn positions(file: &Path, rules: &Rules) -> Result<Samples> {
        let name = file.display();
        let bytes = files::read(file, MAX_LENGTH)?;
        check_version(file, &bytes, MAGIC, rules)?;
        let parsed = |rules: &Rules| State::parse(&bytes, rules).map(|state| state.samples);
        let similar = games::GAMES.iter().map(|game| game.rules()).filter(|other| similar(rules, other));
        std::iter::once(rules)
            .chain(similar)
            .find_map(parsed)
            .ok_or_else(|| anyhow!("{name}: no state file of jewel train for {} or a game like it", rules.id))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, file: &Path, rules: &Rules) -> Result<()> {
        files::write(file, &self.to_bytes(rules))
    }

    fn to_bytes(&self, rules: &Rules) -> Vec<u8> {
        let net = self.net.as_ref().map(Net::to_bytes).unwrap_or_default();
        let mut bytes = magic(MAGIC, rules).into_bytes();
        bytes.extend(rules.fingerprint.to_le_bytes());
        bytes.extend(self.rounds.to_le_bytes());
        for part in [self.command.as_bytes(), &net, &self.samples.to_bytes()] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8], rules: &Rules) -> Option<State> {
        let (body, checksum) = bytes.split_last_chunk()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let rest = body.strip_prefix(magic(MAGIC, rules).as_bytes())?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let (rounds, mut rest) = rest.split_first_chunk()?;
        if u64::from_le_bytes(*fingerprint) != rules.fingerprint {
            return None;
        }
        let mut part = || {
            let (length, after) = rest.split_first_chunk()?;
            let (part, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            rest = after;
            Some(part)
        };
        let (command, net, samples) = (part()?, part()?, part()?);
        Some(State {
            command: String::from_utf8(command.to_vec()).ok()?,
            rounds: u32::from_le_bytes(*rounds),
            net: match Net::parse(net, rules) {
                Ok(net) => Some(net).filter(|net| net.neurons() == WIDTH),
                Err(_) if net.is_empty() => None,
                Err(NetError::Mismatch { .. }) => None,
                Err(_) => return None,
            },
            samples: Samples::parse(samples, rules)?,
        })
    }
}
