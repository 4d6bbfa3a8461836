//! `jewel openings`: a book of balanced openings.

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::{beside, interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::options::Options;
use jewel_players::spec::{Kind, PlayerSpec};
use jewel_players::support::files;
use jewel_tournament::openings::generate::{Book, BookOptions, Judges, generate};
use std::path::PathBuf;

/// Make a book of balanced openings for a game
#[derive(Args)]
#[command(after_long_help = "\
Positions after random moves from the start position that a search scores as near even; mirror images count as the \
same position. They are written in the order in which they were found, one a line as EPD, with \
the score for the side to move (ce) and the moves that lead there (c0). The same options give the same book, whatever \
the number of threads. The file is written whole or not at all. With --judge other players score the positions as well: \
for a match, let both sides find its openings even.

Examples:
  jewel openings ambush --plies 4 --out ambush.epd
  jewel openings diamond-chess --plies 8 --count 500 --max-score 40 --nodes 50000 --out diamond-chess.epd
  jewel openings ambush --judge name=fairy,cmd=stockfish,variants=benches/peers.ini,nodes=20000 --out even.epd
  jewel tournament ambush --openings book=ambush.epd --player ab,nodes=2000 --player mcts,nodes=2000")]
pub(crate) struct Openings {
    #[command(flatten)]
    which: WhichGame,

    /// Random plies from the start position
    #[arg(long, value_name = "N", default_value = "6", value_parser = RangedU64ValueParser::<u32>::new().range(1..=200))]
    plies: u32,

    /// Positions to find
    #[arg(long, value_name = "N", default_value = "100", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000_000))]
    count: usize,

    /// Largest score for either side, in centipawns
    #[arg(long, value_name = "CENTIPAWNS", default_value = "50", value_parser = RangedU64ValueParser::<u32>::new().range(0..=20_000))]
    max_score: u32,

    /// Nodes of the search of each position
    #[arg(long, value_name = "N", default_value = "20000", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    nodes: u64,

    /// Another player that must find a position near even, such as name=fairy,cmd=stockfish,nodes=100000; given once for
    /// each
    #[arg(long, value_name = "PLAYER")]
    judge: Vec<String>,

    /// Seed of the random moves
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Searches at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,

    /// Write the book to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print a JSON object a line instead of EPD: game, fen, centipawns, score, moves
    #[arg(long)]
    json: bool,
}

/// The judge of a text.
fn judge(text: &str) -> Result<PlayerSpec> {
    let judge: PlayerSpec = text.parse().map_err(|e| anyhow!("--judge: {e}"))?;
    if judge.kind() == Kind::Human {
        bail!("--judge: people are not asked: take another kind of player");
    }
    if judge.needs_limit() {
        bail!("--judge: {} has no limit: give it nodes, depth, playouts or time", judge.name());
    }
    Ok(judge)
}

/// Mebibytes of the transposition table, which is cleared for each position.
const HASH: usize = 4;

impl Openings {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.which.resolve()?;
        let interrupt = interrupt::listen()?;
        beside::tell(game, "");
        let wanted = BookOptions {
            plies: self.plies,
            count: self.count,
            max_score: self.max_score as i32,
            nodes: self.nodes,
            seed: self.seed,
            threads: self
                .threads
                .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        };
        let others = self.judge.iter().map(|text| judge(text)).collect::<Result<Vec<_>>>()?;
        let make = || {
            let mut engine = game.open();
            // The search sees what is hidden from players.
            engine.configure(&Options { hash: HASH, cheat: game.hides(), ..Options::default() })?;
            let others = others.iter().map(|judge| judge.build(&game)).collect::<Result<_>>()?;
            Ok(Judges { engine, others })
        };
        let bar = progress::bar(self.count as u64, "openings");
        let book = generate(&wanted, &make, interrupt, &mut |found| bar.set_position(found as u64));
        bar.finish_and_clear();
        let book = book?;
        if book.entries.is_empty() {
            bail!(
                "none of {} positions after {} random plies is within {} centipawns: take other --plies, or a greater \
                 --max-score",
                book.searched,
                self.plies,
                self.max_score
            );
        }
        self.write(&book)?;
        // Fewer than asked for: the answer is "no".
        Ok(if book.exhausted { ExitStatus::No } else { ExitStatus::Done })
    }

    fn write(&self, book: &Book) -> Result<()> {
        let mut text = String::new();
        for entry in &book.entries {
            text.push_str(&if self.json { output::json_line(entry)? } else { entry.epd() });
        }
        if book.exhausted {
            eprintln!("there are no more than {} such openings", book.entries.len());
        }
        match &self.out {
            Some(file) => files::write(file, text.as_bytes()),
            None => output::print(&text),
        }
    }
}
