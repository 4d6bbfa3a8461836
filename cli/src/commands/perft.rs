//! `jewel perft`: counting move sequences, and checking suites of known counts.

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::progress::Style;
use crate::suite::{MAX_DEPTH, Row, Suite};
use crate::text::grouped;
use crate::{output, threads};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::ProgressBar;
use jewel_engine::perft::{PerftTable, TOO_MANY};
use jewel_players::engine::GameAt;
use jewel_players::support::memory;
use jewel_players::support::quantities::parse_mebibytes;
use rayon::ThreadPool;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Count the move sequences of a position
#[derive(Args)]
#[command(after_long_help = "\
perft(DEPTH) is the number of sequences of DEPTH plies. A finished game has no further moves; \
repetition is ignored. The last ply is counted in bulk. The count is the same for any number of threads, \
with or without --hash.

A suite is a JSON file: {\"rows\": [{\"game\": \"duel\", \"fen\": \"l2/3/2L w - - 0 1\", \"perft\": {\"1\": 4, \
\"2\": 16}}, ...]}. Without \"fen\" a row is about the start position. GAME or --variant picks the rows of one \
game. The exit code is 1 if any count differs.

Examples:
  jewel perft ambush 6
  jewel perft diamond-chess 5 --divide --threads 1
  jewel perft duel 14 --hash 64 --json
  jewel perft --variant mine.toml 4
  jewel perft --suite engine/tests/data/perft/jewel.json --max-nodes 10000000")]
pub(crate) struct Perft {
    #[command(flatten)]
    game: GameArgs,

    /// How many plies, 0 to 99
    #[arg(value_name = "DEPTH", allow_negative_numbers = true)]
    depth: Option<String>,

    /// Print the count below each move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,

    /// Threads to count on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Remember counts in a table of this size, in mebibytes or with a unit such as 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_mebibytes)]
    hash: Option<usize>,

    /// Check the known counts of this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "depth"])]
    suite: Option<PathBuf>,

    /// Skip known counts above this number
    #[arg(long, value_name = "NODES")]
    max_nodes: Option<u64>,

    /// Print a JSON object: game, fen, depth, nodes, seconds, with --divide moves; one a row with --suite
    #[arg(long)]
    json: bool,
}

impl Perft {
    pub(crate) fn run(mut self) -> Result<ExitStatus> {
        match self.suite.take() {
            Some(file) => self.check(&Suite::load(&file)?),
            None => self.count(),
        }
    }

    fn count(mut self) -> Result<ExitStatus> {
        if self.max_nodes.is_some() {
            bail!("--max-nodes says which counts of a --suite to leave out: give one");
        }
        // With --variant the one thing that is left to say is the depth.
        if self.game.which.variant.is_some() && self.depth.is_none() {
            self.depth = self.game.which.game.take();
        }
        let game = self.game.resolve()?;
        let depth = read_depth(self.depth.as_deref())?;
        let counter = self.counter()?;
        // On a thread of the pool, on which all counting is done.
        let report = || self.report(self.game.open(game)?.as_ref(), depth, &counter);
        output::print(&counter.pool.install(report)?)?;
        Ok(ExitStatus::Done)
    }

    /// Counts the position, and says what was counted.
    fn report(&self, position: &dyn GameAt, depth: u32, counter: &Counter) -> Result<String> {
        let Divided { moves, nodes, seconds } = counter.count(position, depth)?;
        // The clock may not have ticked.
        let speed = nodes as f64 / seconds.max(1e-9);
        let moves = moves.into_iter().map(|(text, nodes)| MoveCount { text, nodes });
        let moves: Option<Vec<MoveCount>> = self.divide.then(|| moves.collect());
        if self.json {
            return output::json_line(&PerftObject {
                game: position.game(),
                fen: position.fen(),
                depth,
                nodes,
                seconds,
                nodes_per_second: speed as u64,
                threads: counter.pool.current_num_threads(),
                moves,
            });
        }
        let mut text: String =
            moves.into_iter().flatten().map(|line| format!("{}: {}\n", line.text, line.nodes)).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("nodes    {nodes}\nseconds  {seconds:.3}\n"));
        text.push_str(&format!("speed    {:.1} million nodes a second\n", speed / 1e6));
        Ok(text)
    }

    fn counter(&self) -> Result<Counter> {
        Ok(Counter { pool: threads::pool(self.threads)?, table: self.hash.map(table).transpose()? })
    }

    /// Checks a suite, row by row.
    fn check(&self, suite: &Suite) -> Result<ExitStatus> {
        let only = match (&self.game.which.game, &self.game.which.variant) {
            (None, None) => None,
            _ => Some(self.game.resolve()?),
        };
        let rows = suite.resolve(only)?;
        let counter = self.counter()?;
        let most = self.max_nodes.unwrap_or(u64::MAX);
        let (mut wrong, mut counts, mut left_out, mut nodes) = (0, 0, 0, 0u64);
        let start = Instant::now();
        for (row, game) in &rows {
            let verdict = counter.pool.install(|| counter.check(row, row.open(*game)?.as_ref(), most))?;
            wrong += verdict.counts.iter().filter(|count| count.nodes != count.expected).count();
            counts += verdict.counts.len();
            left_out += verdict.left_out.len();
            nodes = verdict.counts.iter().fold(nodes, |sum, count| sum.saturating_add(count.nodes));
            output::print(&if self.json { output::json_line(&verdict)? } else { verdict.line() })?;
        }
        if !self.json {
            let matching = if wrong == 0 { "all match".to_string() } else { format!("{wrong} DIFFER") };
            let left = if left_out == 0 { String::new() } else { format!(", {left_out} left out") };
            let nodes = grouped(nodes);
            let seconds = start.elapsed().as_secs_f64();
            let counts = grouped(counts as u64);
            output::print(&format!(
                "{} rows, {counts} counts, {matching}{left}; {nodes} nodes in {seconds:.1} s\n",
                rows.len()
            ))?;
        }
        Ok(if wrong == 0 { ExitStatus::Done } else { ExitStatus::No })
    }
}

fn read_depth(text: Option<&str>) -> Result<u32> {
    let Some(text) = text else { bail!("no depth given: write how many plies after the game, such as 5") };
    let depth = text.parse().ok().filter(|depth| *depth <= MAX_DEPTH);
    depth.ok_or_else(|| {
        let text = jewel_players::support::words::shortened(text);
        anyhow!("\"{text}\" is not a depth: write a whole number from 0 to {MAX_DEPTH}")
    })
}

fn table(mebibytes: usize) -> Result<PerftTable> {
    if let Some(available) = memory::available_mebibytes().filter(|available| *available < mebibytes as u64) {
        bail!("--hash {mebibytes}: only {available} mebibytes of memory are available");
    }
    PerftTable::new(mebibytes).ok_or_else(|| anyhow!("--hash {mebibytes}: this much memory cannot be had"))
}

/// The threads that count, and the counts that they remember.
struct Counter {
    pool: ThreadPool,
    table: Option<PerftTable>,
}

/// The counts below the moves, and their sum.
struct Divided {
    moves: Vec<(String, u64)>,
    nodes: u64,
    seconds: f64,
}

impl Counter {
    /// Counts on the current pool, with a bar on stderr where that is a terminal.
    fn count(&self, position: &dyn GameAt, depth: u32) -> Result<Divided> {
        let bar = Style::Times.apply(ProgressBar::no_length());
        let show = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let start = Instant::now();
        let moves = position.divide(depth, self.table.as_ref(), &show);
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        let sum = moves.iter().fold(0u64, |sum, (_, nodes)| sum.saturating_add(*nodes));
        let nodes = if depth == 0 { 1 } else { sum };
        if nodes == TOO_MANY {
            bail!(
                "depth {depth} has more move sequences than a 64-bit number can count: try a smaller depth"
            );
        }
        Ok(Divided { moves, nodes, seconds })
    }

    /// Counts what a row of a suite says, but for counts above `most`.
    fn check(&self, row: &Row, position: &dyn GameAt, most: u64) -> Result<Verdict> {
        let (mut counts, mut left_out, mut seconds) = (Vec::new(), Vec::new(), 0.0);
        for (&depth, &expected) in &row.counts {
            if expected > most {
                left_out.push(depth);
                continue;
            }
            let counted = self.count(position, depth)?;
            seconds += counted.seconds;
            counts.push(Count { depth, nodes: counted.nodes, expected });
        }
        let verdict = if counts.iter().any(|count| count.nodes != count.expected) {
            "mismatch"
        } else if counts.is_empty() {
            "left out"
        } else {
            "ok"
        };
        let (game, fen) = (position.game().to_string(), position.fen());
        Ok(Verdict { game, fen, verdict, counts, left_out, seconds })
    }
}

#[derive(Serialize)]
struct PerftObject<'a> {
    game: &'a str,
    fen: String,
    depth: u32,
    nodes: u64,
    seconds: f64,
    nodes_per_second: u64,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveCount>>,
}

#[derive(Serialize)]
struct MoveCount {
    #[serde(rename = "move")]
    text: String,
    nodes: u64,
}

/// The result of a row.
#[derive(Serialize)]
struct Verdict {
    game: String,
    fen: String,
    verdict: &'static str,
    counts: Vec<Count>,
    /// Depths whose counts are above `--max-nodes`.
    left_out: Vec<u32>,
    seconds: f64,
}

#[derive(Serialize)]
struct Count {
    depth: u32,
    nodes: u64,
    expected: u64,
}

impl Verdict {
    fn line(&self) -> String {
        let counted: Vec<u32> = self.counts.iter().map(|count| count.depth).collect();
        let mut line = format!("{:8}  {:14}  {}", self.verdict, self.game, self.fen);
        if !counted.is_empty() {
            line.push_str(&format!("  depth {}", ranges(&counted)));
        }
        if !self.left_out.is_empty() {
            line.push_str(&format!("  left out {}", ranges(&self.left_out)));
        }
        for count in self.counts.iter().filter(|count| count.nodes != count.expected) {
            let Count { depth, nodes, expected } = count;
            line.push_str(&format!("\n          depth {depth}: {nodes} counted, {expected} expected"));
        }
        line + "\n"
    }
}

/// Ascending numbers with runs drawn together: `1-5 7`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let text = |run: &[u32]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    };
    runs.map(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_drawn_together() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2 5 7-8");
    }
}
