//! Openings: the positions in which games begin.

pub mod generate;
mod random;

pub(crate) use random::walk;

use crate::epd::{self, Epd};
use anyhow::{Result, anyhow, bail};
use jewel_engine::random::Random;
use jewel_players::engine::GameAt;
use jewel_players::support::files::read_text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The longest book that is read, in bytes.
const MAX_BOOK_BYTES: u64 = 1 << 30;

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A few random moves from the start position, as many as leave the game open; in a game that begins with a
    /// deal, a new deal each time.
    #[default]
    Usual,
    /// Always the start position; in a game that begins with a deal, a new deal each time.
    Start,
    /// Random moves from the start position to a position that is not decided.
    Random {
        /// The number of moves, from 1.
        plies: u32,
    },
    /// The positions of a file, one a line; see [`epd`].
    Book {
        /// The path of the file.
        file: PathBuf,
        /// Whether they are shuffled.
        shuffled: bool,
    },
}

/// The opening of a game.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Opening {
    /// The first position; `None` is the start position.
    pub fen: Option<String>,
    /// Moves that are played from there.
    pub moves: Vec<String>,
}

/// The openings of a tournament, by number.
#[derive(Clone, Debug)]
pub struct Openings {
    seed: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Start,
    Deal,
    Random(u32),
    Book { positions: Vec<String>, order: Vec<u32> },
}

impl Openings {
    /// Prepares the openings. `line` is any line of the game; every position of a book is tried on it.
    ///
    /// # Errors
    /// If the book cannot be read, has no position, or one that is wrong or decided: which one.
    pub fn prepare(source: &Source, seed: u64, line: &mut dyn GameAt) -> Result<Openings> {
        let deals = line.deal(&mut Random::new(seed)).is_some();
        let kind = match source {
            Source::Usual | Source::Start if deals => Kind::Deal,
            Source::Usual => match usual_plies(seed, line) {
                0 => Kind::Start,
                plies => Kind::Random(plies),
            },
            Source::Start => Kind::Start,
            Source::Random { plies } => Kind::Random(*plies),
            Source::Book { file, shuffled } => {
                let positions = read_book(file, line)?;
                let mut order: Vec<u32> = (0..positions.len() as u32).collect();
                if *shuffled {
                    shuffle(&mut order, &mut Random::stream(seed, BOOK_STREAM));
                }
                Kind::Book { positions, order }
            }
        };
        Ok(Openings { seed, kind })
    }

    /// The opening with this number, which depends on nothing else. A book starts over when it is used up.
    ///
    /// # Errors
    /// If there are no openings of that kind.
    pub fn opening(&self, number: u64, line: &mut dyn GameAt) -> Result<Opening> {
        Ok(match &self.kind {
            Kind::Start => Opening::default(),
            Kind::Deal => Opening { fen: line.deal(&mut self.random(number)), moves: Vec::new() },
            Kind::Random(plies) => {
                let mut random = self.random(number);
                let fen = line.deal(&mut random);
                let moves = random::moves(*plies, &mut random, fen.as_deref(), line)?;
                Opening { fen, moves }
            }
            Kind::Book { positions, order } => {
                let at = order[(number % order.len() as u64) as usize];
                Opening { fen: Some(positions[at as usize].clone()), moves: Vec::new() }
            }
        })
    }

    /// The random numbers of one opening.
    fn random(&self, number: u64) -> Random {
        Random::stream(self.seed ^ OPENING_STREAM, number)
    }

    /// A text that differs where the openings differ.
    pub(crate) fn fingerprint(&self) -> String {
        match &self.kind {
            Kind::Start => "start".to_string(),
            Kind::Deal => "deal".to_string(),
            Kind::Random(plies) => format!("random {plies}"),
            Kind::Book { positions, order } => {
                let all: Vec<&str> = order.iter().map(|&at| positions[at as usize].as_str()).collect();
                format!("book {:016x}", crate::hash::fnv(all.join("\n").as_bytes()))
            }
        }
    }
}

/// Openings that are tried before a number of plies is taken.
const TRIED: u64 = 8;

/// The random plies of an opening where nobody has said how many: an even number, so that the side that moves first
/// in the start position does so after them too; 0 where the game is too short for any.
pub(crate) fn usual_plies(seed: u64, line: &mut dyn GameAt) -> u32 {
    let fits = |plies: &u32| {
        let openings = Openings { seed, kind: Kind::Random(*plies) };
        (0..TRIED).all(|number| openings.opening(number, line).is_ok())
    };
    [4, 2].into_iter().find(fits).unwrap_or(0)
}

/// Keeps the numbers of openings apart from those of games.
const OPENING_STREAM: u64 = 0x6f70_656e_696e_6773;

/// The stream that shuffles a book.
const BOOK_STREAM: u64 = 0x626f_6f6b;

/// Fisher and Yates.
fn shuffle(order: &mut [u32], random: &mut Random) {
    for n in (1..order.len()).rev() {
        order.swap(n, random.below(n as u32 + 1) as usize);
    }
}

fn read_book(file: &Path, line: &mut dyn GameAt) -> Result<Vec<String>> {
    let name = file.display();
    let text = read_text(file, MAX_BOOK_BYTES)?;
    let mut positions = Vec::new();
    for Epd { line: n, fen, .. } in epd::parse(&text, line).map_err(|e| anyhow!("{name}: {e}"))? {
        line.set_position(Some(&fen), &[]).map_err(|e| anyhow!("{name}: line {n}: {e:#}"))?;
        if line.ending().is_some() {
            bail!("{name}: line {n}: the game is over in this position");
        }
        positions.push(line.fen());
    }
    if positions.is_empty() {
        bail!("{name}: there is no position in it");
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_everything_and_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut order: Vec<u32> = (0..100).collect();
            shuffle(&mut order, &mut Random::new(seed));
            order
        };
        let mut sorted = shuffled(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
    }
}
