//! Books of balanced openings, made by random moves and a search.

use super::random::{imbalance, walk};
use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::random::Random;
use jewel_players::engine::{Engine, GameAt};
use jewel_players::player::{Budget, Fault, Player, Turn};
use jewel_players::score;
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::Info;
use jewel_search::score::Score;
use serde::Serialize;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// What a book is to contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookOptions {
    /// Random plies from the start position, from 1.
    pub plies: u32,
    /// Positions to find.
    pub count: usize,
    /// The largest score of a position for either side, in centipawns.
    pub max_score: i32,
    /// Nodes of the search that gives the score.
    pub nodes: u64,
    /// Seed of the random moves.
    pub seed: u64,
    /// Searches at once, from 1.
    pub threads: usize,
}

/// A position of a book.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    /// The id of the game.
    pub game: String,
    /// The position.
    pub fen: String,
    /// The score for the side to move, in centipawns.
    pub centipawns: i32,
    /// The same in words.
    pub score: String,
    /// The moves that lead there, from the start position or a deal.
    pub moves: Vec<String>,
}

impl Entry {
    /// As a line of an EPD file: a position string of six fields without its two counters, which become
    /// operations as usual in EPD; any other position string is written whole.
    pub fn epd(&self) -> String {
        let fields: Vec<&str> = self.fen.split_whitespace().collect();
        let mut line = match fields[..] {
            [.., clock, number] if fields.len() == 6 => {
                let position = fields[..4].join(" ");
                format!("{position} ce {}; hmvc {clock}; fmvn {number};", self.centipawns)
            }
            _ => format!("{} ce {};", self.fen, self.centipawns),
        };
        line.push_str(&format!(" c0 \"{}\";\n", self.moves.join(" ")));
        line
    }
}

/// A book, or as much of it as there is.
#[derive(Clone, PartialEq, Debug)]
pub struct Book {
    /// The positions, in the order in which they were found.
    pub entries: Vec<Entry>,
    /// Positions that were searched.
    pub searched: usize,
    /// Whether the search was given up because random moves led to nothing new.
    pub exhausted: bool,
}

/// Random openings in a row without a new position after which the search is given up.
const MAX_STALE: u32 = 10_000;

/// Positions that each thread searches between two counts of what has been found.
const BATCH: usize = 8;

/// A position to be searched.
struct Candidate {
    /// The first position, if not the start position.
    deal: Option<String>,
    fen: String,
    moves: Vec<String>,
}

/// What judges the positions of one thread.
pub struct Judges {
    /// The engine whose score the book has.
    pub engine: Box<dyn Engine>,
    /// Players that must find a position near even as well, each with a limit of its own.
    pub others: Vec<Box<dyn Player>>,
}

/// Makes a book: different positions after random moves, symmetric ones counted once, that are not over and
/// near even by all judges. The same options give the same book, whatever the number of threads, if the other judges answer
/// the same each time. `make` makes the judges of each thread; `tell` is called with the number of positions found.
///
/// # Errors
/// If the engine cannot be made, another judge fails or gives no score, or `interrupt` is set.
pub fn generate(
    options: &BookOptions,
    make: &(dyn Fn() -> Result<Judges> + Sync),
    interrupt: &AtomicBool,
    tell: &mut dyn FnMut(usize),
) -> Result<Book> {
    let mut judges = (0..options.threads.max(1)).map(|_| make()).collect::<Result<Vec<_>>>()?;
    let mut line = make()?.engine;
    let mut random = Random::new(options.seed);
    let mut seen = HashSet::new();
    let mut book = Book { entries: Vec::new(), searched: 0, exhausted: false };
    while book.entries.len() < options.count && !book.exhausted {
        let batch = candidates(options, &mut random, line.as_mut(), &mut seen)?;
        book.exhausted = batch.len() < BATCH * options.threads.max(1);
        book.searched += batch.len();
        let found = search_all(options, &batch, &mut judges, interrupt)?;
        if interrupt.load(Ordering::Relaxed) {
            bail!(
                "interrupted with {} of {} openings found; nothing was written",
                book.entries.len(),
                options.count
            );
        }
        book.entries.extend(found.into_iter().flatten().take(options.count - book.entries.len()));
        tell(book.entries.len());
    }
    book.exhausted &= book.entries.len() < options.count;
    Ok(book)
}

/// The next new positions; fewer than asked for if no more are found.
fn candidates(
    options: &BookOptions,
    random: &mut Random,
    line: &mut dyn GameAt,
    seen: &mut HashSet<u64>,
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    let mut stale = 0;
    while found.len() < BATCH * options.threads.max(1) && stale < MAX_STALE {
        // A new deal each time, in a game that begins with one.
        let deal = line.deal(random);
        line.set_position(deal.as_deref(), &[])?;
        stale += 1;
        if walk(options.plies, random, line)? && seen.insert(line.symmetric_hash()) {
            found.push(Candidate { deal, fen: line.fen(), moves: line.played() });
            stale = 0;
        }
    }
    Ok(found)
}

/// The positions that are near even, each in its place.
fn search_all(
    options: &BookOptions,
    batch: &[Candidate],
    judges: &mut [Judges],
    interrupt: &AtomicBool,
) -> Result<Vec<Option<Entry>>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Result<Option<Entry>>>> = batch.iter().map(|_| Mutex::new(Ok(None))).collect();
    std::thread::scope(|scope| {
        for (number, judges) in judges.iter_mut().enumerate() {
            let started = Builder::new().spawn_scoped(scope, || {
                let number = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < batch.len());
                while let Some(n) = number().filter(|_| !interrupt.load(Ordering::Relaxed)) {
                    let entry = search(options, &batch[n], judges);
                    *results[n].lock().unwrap_or_else(PoisonError::into_inner) = entry;
                }
            });
            // Fewer threads do it too.
            if number == 0 {
                started.context("no thread can be started")?;
            }
        }
        anyhow::Ok(())
    })?;
    results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn search(options: &BookOptions, candidate: &Candidate, judges: &mut Judges) -> Result<Option<Entry>> {
    let engine = judges.engine.as_mut();
    engine.set_position(candidate.deal.as_deref(), &candidate.moves)?;
    // No score depends on earlier searches.
    engine.forget();
    let limits = Limits { nodes: Some(options.nodes), ..Limits::default() };
    let report = engine.search(&limits, &Stop::new(), &mut |_| ())?;
    let Some(info) = report.lines.first() else { return Ok(None) };
    if !near_even(options, info.score) {
        return Ok(None);
    }
    for judge in &mut judges.others {
        if !near_even(options, opinion(engine, judge.as_mut())?) {
            return Ok(None);
        }
    }
    Ok(Some(entry(engine, candidate, info)))
}

fn near_even(options: &BookOptions, score: Score) -> bool {
    imbalance(score) <= options.max_score.unsigned_abs()
}

/// The score that a player gives to the position of a line, independent of earlier positions.
fn opinion(line: &dyn GameAt, judge: &mut dyn Player) -> Result<Score> {
    let failed = |judge: &dyn Player, fault: Fault| anyhow!("{} {fault}", judge.name());
    judge.new_game(line, 0).map_err(|fault| failed(judge, fault))?;
    let turn = Turn { line, budget: &Budget::default() };
    let choice = judge.choose(&turn, &Stop::new()).map_err(|fault| failed(judge, fault))?;
    let thought = choice.thought.ok_or_else(|| {
        anyhow!("{} says no score: take a judge that searches, such as ab,nodes=20000", judge.name())
    })?;
    Ok(thought.score)
}

fn entry(engine: &dyn Engine, candidate: &Candidate, info: &Info<String>) -> Entry {
    Entry {
        game: engine.game().to_string(),
        fen: candidate.fen.clone(),
        centipawns: info.score.raw(),
        score: score::text(info),
        moves: candidate.moves.clone(),
    }
}
