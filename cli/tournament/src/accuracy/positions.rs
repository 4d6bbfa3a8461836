//! The positions that players are asked about.

use super::Question;
use crate::hash::fnv;
use crate::log::Entry;
use crate::openings::walk;
use crate::record::GameRecord;
use anyhow::{Result, anyhow, bail};
use jewel_engine::random::Random;
use jewel_players::engine::GameAt;
use jewel_players::support::files::read_text;
use std::path::PathBuf;

/// Where positions come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// After a random number of random moves from the start position.
    Random {
        /// The largest number of moves, from 1.
        plies: u32,
    },
    /// From the games of a tournament: each game is as likely as the others, and each of its plies after the opening.
    Games {
        /// The file of records of the tournament.
        records: PathBuf,
    },
}

/// The longest file of records that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Attempts to find a position that the tables hold and in which the game is not over.
const ATTEMPTS: u32 = 1000;

/// Keeps these random numbers apart from others of the same seed.
const POSITION_STREAM: u64 = 0x706f_7369_7469_6f6e;

/// The positions of a test, by number.
pub(super) struct Positions {
    seed: u64,
    kind: Kind,
}

enum Kind {
    Random(u32),
    Games { games: Vec<Moves>, fingerprint: u64 },
}

/// A game: where it began, the plies of its opening, and all of its moves.
struct Moves {
    start: String,
    book: usize,
    moves: Vec<String>,
}

impl Positions {
    /// Prepares the positions.
    ///
    /// # Errors
    /// If the file of records cannot be read or has no game.
    pub(super) fn new(source: &Source, seed: u64) -> Result<Positions> {
        let kind = match source {
            Source::Random { plies } => Kind::Random((*plies).max(1)),
            Source::Games { records } => {
                let text = read_text(records, MAX_FILE_BYTES)?;
                let name = records.display();
                let mut games = Vec::new();
                for (n, line) in text.lines().enumerate() {
                    let record: GameRecord = serde_json::from_str(line).map_err(|e| {
                        anyhow!("{name}: line {}: no record of a {}: {e}", n + 1, GameRecord::WORD)
                    })?;
                    let GameRecord { start, book, moves, .. } = record;
                    if book < moves.len() {
                        games.push(Moves { start, book, moves });
                    }
                }
                if games.is_empty() {
                    bail!("{name}: no game with a move after its opening");
                }
                Kind::Games { games, fingerprint: fnv(text.as_bytes()) }
            }
        };
        Ok(Positions { seed, kind })
    }

    /// A text that differs where the positions differ.
    pub(super) fn fingerprint(&self) -> String {
        match &self.kind {
            Kind::Random(plies) => format!("random {plies}"),
            Kind::Games { fingerprint, .. } => format!("games {fingerprint:016x}"),
        }
    }

    /// The position with this number, which depends on nothing else.
    ///
    /// # Errors
    /// If no position is found that the tables hold, or a record is of another game.
    pub(super) fn question(&self, number: u64, line: &mut dyn GameAt) -> Result<Question> {
        let mut random = Random::stream(self.seed ^ POSITION_STREAM, number);
        for _ in 0..ATTEMPTS {
            let there = match &self.kind {
                Kind::Random(plies) => {
                    line.set_position(None, &[])?;
                    walk(1 + random.below(*plies), &mut random, line)?
                }
                Kind::Games { games, .. } => {
                    let game = &games[random.below(games.len() as u32) as usize];
                    let plies = game.book + random.below((game.moves.len() - game.book) as u32) as usize;
                    line.set_position(Some(&game.start), &game.moves[..plies])?;
                    true
                }
            };
            if !there {
                continue;
            }
            // Tables know nothing of the moves before.
            let fen = line.fen();
            line.set_position(Some(&fen), &[])?;
            if let Some(question) = Question::of(line)? {
                return Ok(question);
            }
        }
        bail!(
            "none of {ATTEMPTS} positions in a row was in the tables with all of its moves: build the tables of more \
             classes (`jewel tables build`), or take positions of later plies"
        )
    }
}
