//! The positions that players are asked about.

use super::Question;
use crate::company::fnv;
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
    /// After random moves from the start position, from 1 to so many.
    Random {
        /// The most.
        plies: u32,
    },
    /// From the games of a tournament, each as likely as the others, and from each of its plies after the opening.
    Games {
        /// The file of records of the tournament.
        records: PathBuf,
    },
}

/// Longest file of records that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Tries to find a position that the tables hold and in which the game is not over.
const ATTEMPTS: u32 = 1000;

/// Kept apart from other streams of the same seed.
const POSITION_STREAM: u64 = 0x706f_7369_7469_6f6e;

/// The positions, each known by its number.
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

    /// A text that is another one if the positions are others.
    pub(super) fn fingerprint(&self) -> String {
        match &self.kind {
            Kind::Random(plies) => format!("random {plies}"),
            Kind::Games { fingerprint, .. } => format!("games {fingerprint:016x}"),
        }
    }

    /// The position of a number, which depends on nothing else.
    ///
    /// # Errors
    /// If there seem to be no positions that the tables hold, or a game is one of another game.
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
            // What was played before does not count: tables know nothing of it.
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
