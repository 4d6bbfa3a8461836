//! Openings: the positions in which games begin.

pub mod generate;
mod random;

pub(crate) use random::walk;

use crate::epd::{self, Epd};
use crate::pgn_reader::{self, ReadGame};
use anyhow::{Result, anyhow, bail};
use jewel_engine::random::Random;
use jewel_players::engine::GameAt;
use jewel_players::support::files::read_text;
use jewel_players::support::words::shortened;
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
    /// The positions of a file, one a line; see [`epd`]. If its name ends in `.pgn`: the moves of its games.
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
    Book { openings: Vec<Opening>, order: Vec<u32> },
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
                let openings = read_book(file, line)?;
                let mut order: Vec<u32> = (0..openings.len() as u32).collect();
                if *shuffled {
                    shuffle(&mut order, &mut Random::stream(seed, BOOK_STREAM));
                }
                Kind::Book { openings, order }
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
            Kind::Book { openings, order } => {
                let at = order[(number % order.len() as u64) as usize];
                openings[at as usize].clone()
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
            Kind::Book { openings, order } => {
                let text = |&at: &u32| {
                    let Opening { fen, moves } = &openings[at as usize];
                    let words = fen.iter().chain(moves).map(String::as_str);
                    words.collect::<Vec<_>>().join(" ")
                };
                let all: Vec<String> = order.iter().map(text).collect();
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

fn read_book(file: &Path, line: &mut dyn GameAt) -> Result<Vec<Opening>> {
    let name = file.display();
    let text = read_text(file, MAX_BOOK_BYTES)?;
    let pgn = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let entries = if pgn { games(&text, line) } else { positions(&text, line) };
    let mut openings = Vec::new();
    for (number, Opening { fen, moves }) in entries.map_err(|e| anyhow!("{name}: {e}"))? {
        let at = |problem: String| anyhow!("{name}: line {number}: {problem}");
        line.set_position(fen.as_deref(), &moves).map_err(|e| at(e.to_string()))?;
        if line.ending().is_some() {
            return Err(at("the game is over in this position".to_string()));
        }
        openings.push(Opening { fen: fen.is_some().then(|| line.first_fen()), moves: line.played() });
    }
    if openings.is_empty() {
        bail!("{name}: there is no position in it");
    }
    Ok(openings)
}

/// The positions of a file of positions, each with the number of its line.
fn positions(text: &str, line: &mut dyn GameAt) -> Result<Vec<(usize, Opening)>, String> {
    let opening = |Epd { line, fen, .. }: Epd| (line, Opening { fen: Some(fen), moves: Vec::new() });
    Ok(epd::parse(text, line)?.into_iter().map(opening).collect())
}

/// The games of a PGN file, each with the number of its line.
fn games(text: &str, line: &dyn GameAt) -> Result<Vec<(usize, Opening)>, String> {
    let games = pgn_reader::read(text)?.into_iter();
    let opening = |game: ReadGame| match game.game().filter(|other| other != line.game()) {
        Some(other) => {
            Err(format!("line {}: a game of {}, not of {}", game.line, shortened(&other), line.game()))
        }
        None => Ok((game.line, Opening { fen: game.tag("FEN").map(str::to_string), moves: game.moves })),
    };
    games.map(opening).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_players::catalogue::AnyGame;

    #[test]
    fn a_pgn_file_is_a_book() {
        let chess = AnyGame::resolve("chess").unwrap().open();
        let text = "[Event \"x\"]\n\n1. e4 {x} e5 2. Nf3 *\n\n[Variant \"Chess960\"]\n\
                    [FEN \"qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9\"]\n\n9. O-O *\n";
        let read = games(text, chess.as_ref()).unwrap();
        assert_eq!(read[0].1.moves, ["e4", "e5", "Nf3"]);
        assert_eq!((read[1].0, read[1].1.fen.as_deref().map(|fen| &fen[..4])), (5, Some("qnr1")));
        let folder = std::env::temp_dir().join(format!("jewel-pgn-book-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let book = |text: &str| {
            let file = folder.join("book.pgn");
            std::fs::write(&file, text).unwrap();
            let mut line = AnyGame::resolve("chess").unwrap().open();
            read_book(&file, line.as_mut()).map_err(|e| e.to_string())
        };
        let openings = book(text).unwrap();
        assert_eq!(
            openings[0],
            Opening { fen: None, moves: ["e2e4", "e7e5", "g1f3"].map(String::from).to_vec() }
        );
        assert_eq!(openings[1].moves, ["f1g1"]);
        for (text, problem) in [
            ("1. e4 e5 2. Ke3 *", "line 1: move 3 of 3, \"Ke3\": no King can go to e3 so"),
            ("1. f3 e5 2. g4 Qh4# 0-1", "line 1: the game is over in this position"),
            ("\n[Variant \"duel\"]\n*", "line 2: a game of duel, not of chess"),
            ("", "there is no position in it"),
        ] {
            let error = book(text).unwrap_err();
            assert!(error.ends_with(problem), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

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
