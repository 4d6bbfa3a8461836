//! The state file of `jewel train`: positions of games that have been played, and the net of the last round.

use anyhow::{Result, anyhow, bail};
use jewel_engine::variant::Rules;
use jewel_players::files;
use jewel_search::evaluate::net::{Net, NetError};
use jewel_search::train::Samples;
use std::path::Path;

const MAGIC: &[u8; 12] = b"jeweltrain 1";

/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 << 30;

/// What has been done so far.
pub(super) struct State {
    /// The command, without what does not bear on its result.
    pub(super) command: String,
    /// Rounds that are finished.
    pub(super) rounds: u32,
    /// The net of the last round.
    pub(super) net: Option<Net>,
    /// The positions of all games.
    pub(super) samples: Samples,
}

impl State {
    /// Nothing done yet.
    pub(super) fn new(command: String) -> State {
        State { command, rounds: 0, net: None, samples: Samples::default() }
    }

    /// Goes on from a file, if it is there, for rounds of so many games. Where its net is of a size that another
    /// version had, the last round is fitted anew.
    ///
    /// # Errors
    /// If it cannot be read, belongs to another command, or would have to play on with a net of another size.
    pub(super) fn resume(self, file: &Path, rules: &Rules, games: u64) -> Result<State> {
        if !file.exists() {
            return Ok(self);
        }
        let name = file.display();
        let bytes = files::read(file, LONGEST)?;
        let mut found = State::parse(&bytes, rules)
            .ok_or_else(|| anyhow!("{name}: no state file of jewel train for {}", rules.id))?;
        if found.command != self.command {
            bail!("{name}: made by \"{}\", which is not what was typed now", found.command);
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

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, file: &Path, rules: &Rules) -> Result<()> {
        files::write(file, &self.to_bytes(rules))
    }

    fn to_bytes(&self, rules: &Rules) -> Vec<u8> {
        let net = self.net.as_ref().map(Net::to_bytes).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
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
        let rest = body.strip_prefix(MAGIC)?;
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
                Ok(net) => Some(net),
                Err(_) if net.is_empty() => None,
                Err(NetError::Mismatch { .. }) => None,
                Err(_) => return None,
            },
            samples: Samples::parse(samples, rules)?,
        })
    }
}
