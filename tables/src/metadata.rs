//! The metadata record: facts about a table that probing does not need. Only this module uses bincode.

use crate::error::{Fault, content};
use bincode::{Decode, Encode};

/// The longest record, in bytes.
pub const MAX_METADATA: usize = 64 << 10;

/// Numbers of one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Encode, Decode)]
pub struct Counts {
    /// The side to move wins.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// The side to move loses.
    pub losses: u64,
}

impl Counts {
    /// All of them.
    pub const fn all(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    pub(crate) fn add(&mut self, other: Counts) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// A win that takes as long as any in its table.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub struct LongestWin {
    /// Its length in plies.
    pub distance: u32,
    /// The position string of the first such position in the table: board and side to move, then `- - 0 1`.
    pub position: String,
}

/// Facts about a table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Encode, Decode)]
pub struct Metadata {
    /// The program and its version.
    pub made_by: String,
    /// The id of the game.
    pub game: String,
    /// The name of the class, such as `NLvQQ`.
    pub class: String,
    /// Whether the class is its own exchange of sides: each position with White to move is one with Black to move as well, and
    /// the numbers of both sides are the same.
    pub alike: bool,
    /// Numbers of positions that differ by more than a symmetry, with White to move, then with Black to move.
    pub counts: [Counts; 2],
    /// A longest win; `None` if there is no win, or the table holds no distances.
    pub longest_win: Option<LongestWin>,
}

impl Metadata {
    /// Numbers of positions that differ by more than a symmetry or, if the class is its own exchange of sides, that exchange.
    pub fn positions(&self) -> Counts {
        let [mut all, black] = self.counts;
        if !self.alike {
            all.add(black);
        }
        all
    }

    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Fault> {
        let bytes = bincode::encode_to_vec(self, bincode::config::standard())
            .map_err(|e| Fault::Scheme(format!("the metadata cannot be stored: {e}")))?;
        if bytes.len() > MAX_METADATA {
            return Err(Fault::Scheme(format!(
                "{} bytes of metadata, more than {MAX_METADATA}",
                bytes.len()
            )));
        }
        Ok(bytes)
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Metadata, Fault> {
        let config = bincode::config::standard().with_limit::<MAX_METADATA>();
        match bincode::decode_from_slice(bytes, config) {
            Ok((metadata, used)) if used == bytes.len() => Ok(metadata),
            Ok(_) => Err(content("bytes follow the metadata")),
            Err(error) => Err(content(format!("the metadata cannot be read: {error}"))),
        }
    }
}
