//! Many positions, several at once: each result is written as soon as it is found, and positions with a result are not
//! searched again.

use super::{Finding, interruptible};
use crate::text::grouped;
use crate::{interrupt, output, progress};
use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use jewel_engine::threads::spawn_helper;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::Options;
use jewel_players::support::files::{lock, read_text};
use jewel_players::support::words::reason;
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_tournament::epd::{self, Epd};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Longest file of positions that is read, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The positions of a file to be searched, and how.
pub(crate) struct Batch<'a> {
    pub(crate) game: AnyGame,
    pub(crate) file: &'a Path,
    /// Where results go: to this file, else to stdout.
    pub(crate) out: Option<&'a PathBuf>,
    /// Positions to search at once.
    pub(crate) workers: usize,
    /// How each engine is set up.
    pub(crate) options: Options,
    pub(crate) limits: Limits<String>,
}

/// How a batch went, those positions included that had been searched before.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) positions: usize,
    /// Found in the file of results.
    pub(crate) skipped: usize,
    /// Those with a known answer.
    pub(crate) known: usize,
    /// Those of them whose answer was found.
    pub(crate) solved: usize,
}

impl Summary {
    /// In words.
    pub(crate) fn text(self) -> String {
        let Summary { positions, skipped, known, solved } = self;
        let mut text = format!("{} positions", grouped(positions as u64));
        if skipped > 0 {
            text.push_str(&format!(", {} of them analysed before", grouped(skipped as u64)));
        }
        if known > 0 {
            text.push_str(&format!("; {solved} of {known} known answers found"));
        }
        text + "\n"
    }

    fn count(&mut self, solved: Option<bool>) {
        self.known += usize::from(solved.is_some());
        self.solved += usize::from(solved == Some(true));
    }
}

/// A line of the results.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    finding: Finding,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    bm: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    am: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    solved: Option<bool>,
}

impl Batch<'_> {
    /// Searches what has not been searched yet.
    ///
    /// # Errors
    /// If the file of positions is wrong (then nothing is searched), if results cannot be written, or if
    /// Ctrl-C ends the work.
    pub(crate) fn run(&self) -> Result<Summary> {
        let name = self.file.display();
        let text = read_text(self.file, MAX_FILE_BYTES)?;
        let mut engine = self.game.open();
        let all = epd::parse(&text, engine.as_mut()).map_err(|e| anyhow!("{name}: {e}"))?;
        self.check_moves(&all, engine.as_mut())?;
        let out = Out::open(self.out)?;
        let mut summary = Summary { positions: all.len(), ..Summary::default() };
        let game = self.game.card().id;
        let engine = self.options.algorithm.name();
        let open = |epd: &&Epd| match out.known.get(&key(&game, &epd.fen, engine)) {
            Some(solved) => {
                summary.skipped += 1;
                summary.count(*solved);
                false
            }
            None => true,
        };
        let todo: Vec<&Epd> = all.iter().filter(open).collect();
        let bar = progress::bar(all.len() as u64, "positions").with_position(summary.skipped as u64);
        let shared = Mutex::new((out.sink, summary));
        bar.reset_eta();
        self.search_all(&todo, &shared, &bar)?;
        bar.finish_and_clear();
        let (_, summary) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(summary)
    }

    /// Whether the moves of bm and am are legal.
    fn check_moves(&self, all: &[Epd], engine: &mut dyn Engine) -> Result<()> {
        let name = self.file.display();
        for epd in all.iter().filter(|epd| !(epd.best.is_empty() && epd.avoid.is_empty())) {
            let at = |e: anyhow::Error| anyhow!("{name}: line {}: {e:#}", epd.line);
            engine.set_position(Some(&epd.fen), &[]).map_err(|e| at(e.into()))?;
            let legal = engine.moves();
            if let Some(bad) = epd.best.iter().chain(&epd.avoid).find(|text| !legal.contains(text)) {
                let why = engine.play(bad).err().unwrap_or_else(|| anyhow!("not a legal move"));
                return Err(at(
                    why.context(format!("bm or am \"{}\"", jewel_players::support::words::shortened(bad)))
                ));
            }
        }
        Ok(())
    }

    fn search_all(&self, todo: &[&Epd], shared: &Mutex<(Sink, Summary)>, bar: &ProgressBar) -> Result<()> {
        let workers = self.workers.min(todo.len()).max(1);
        let stops: Vec<Mutex<Stop>> = (0..workers).map(|_| Mutex::default()).collect();
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let work = |stop: &Mutex<Stop>| {
            if let Err(error) = self.work(todo, &next, stop, shared, bar) {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                // The others need not go on.
                next.store(todo.len(), Ordering::Relaxed);
            }
        };
        interruptible(&stops, || {
            std::thread::scope(|scope| {
                let work = &work;
                let start = |stop| spawn_helper(scope, move || work(stop)).is_some();
                // Fewer threads do it too, and this one if there is no other.
                if stops.iter().filter(|&stop| start(stop)).count() == 0 {
                    work(&stops[0]);
                }
            });
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            bar.finish_and_clear();
            return Err(error);
        }
        if interrupt::flag().load(Ordering::Relaxed) {
            bar.finish_and_clear();
            match self.out {
                Some(out) => {
                    bail!("stopped: what was done is in {}; the same command goes on", out.display())
                }
                None => bail!("stopped; with --out FILE the same command could go on"),
            }
        }
        Ok(())
    }

    /// One worker: takes positions until there are none left.
    fn work(
        &self,
        todo: &[&Epd],
        next: &AtomicUsize,
        slot: &Mutex<Stop>,
        shared: &Mutex<(Sink, Summary)>,
        bar: &ProgressBar,
    ) -> Result<()> {
        let mut engine = self.game.open();
        engine.configure(&self.options)?;
        while let Some(epd) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
            let stop = Stop::new();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
            if interrupt::flag().load(Ordering::Relaxed) {
                break;
            }
            let row = self.search(engine.as_mut(), epd, &stop)?;
            // A search that was cut short is not a result.
            if stop.is_stopped() {
                break;
            }
            let line = output::json_line(&row)?;
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.0.write(&line)?;
            shared.1.count(row.solved);
            bar.inc(1);
        }
        Ok(())
    }

    fn search<'e>(&self, engine: &mut dyn Engine, epd: &'e Epd, stop: &Stop) -> Result<Row<'e>> {
        engine.set_position(Some(&epd.fen), &[])?;
        let (algorithm, lines) = (self.options.algorithm, self.limits.multipv);
        let finding = match Finding::from_ending(engine, algorithm, lines) {
            Some(finding) => finding,
            None => {
                // Each result is the same whatever was searched before.
                engine.forget();
                let report = engine.search(&self.limits, stop, &mut |_| ())?;
                Finding::new(engine, algorithm, lines, &report)
            }
        };
        let known = !(epd.best.is_empty() && epd.avoid.is_empty());
        let solved = known.then(|| {
            let best = finding.bestmove.as_ref();
            best.is_some_and(|mv| (epd.best.is_empty() || epd.best.contains(mv)) && !epd.avoid.contains(mv))
        });
        Ok(Row { id: epd.id.as_deref(), finding, bm: &epd.best, am: &epd.avoid, solved })
    }
}

/// What tells results apart.
fn key(game: &str, fen: &str, engine: &str) -> [String; 3] {
    [game, fen, engine].map(str::to_string)
}

/// Where results go, and which are there already.
struct Out {
    sink: Sink,
    /// With whether the known answer was found, if there is one.
    known: HashMap<[String; 3], Option<bool>>,
}

enum Sink {
    Stdout,
    File(File, PathBuf),
}

impl Sink {
    fn write(&mut self, line: &str) -> Result<()> {
        match self {
            Sink::Stdout => output::print(line),
            Sink::File(file, path) => {
                file.write_all(line.as_bytes()).map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))
            }
        }
    }
}

impl Out {
    fn open(path: Option<&PathBuf>) -> Result<Out> {
        let Some(path) = path else { return Ok(Out { sink: Sink::Stdout, known: HashMap::new() }) };
        let name = path.display();
        let failed = |e: std::io::Error| anyhow!("{name}: {}", reason(&e));
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            // A device or a pipe has no earlier results.
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Ok(Out { sink: Sink::File(file, path.clone()), known: HashMap::new() });
        }
        let mut file = OpenOptions::new().read(true).create(true).append(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        // A line without its end was being written when the program was killed: it goes.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1);
        let known = known_results(&text[..whole]).with_context(|| name.to_string())?;
        let begins_like_results = whole > 0 || text.first().is_none_or(|&byte| byte == b'{');
        if !begins_like_results {
            bail!("{name}: not a file of results");
        }
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        Ok(Out { sink: Sink::File(file, path.clone()), known })
    }
}

fn known_results(text: &[u8]) -> Result<HashMap<[String; 3], Option<bool>>> {
    let mut known = HashMap::new();
    for (n, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let row: Value =
            serde_json::from_slice(line).map_err(|_| anyhow!("line {}: not a result in JSON", n + 1))?;
        let field = |name: &str| row.get(name).and_then(Value::as_str);
        let (Some(game), Some(fen), Some(engine)) = (field("game"), field("fen"), field("engine")) else {
            bail!("line {}: a result has \"game\", \"fen\" and \"engine\"", n + 1);
        };
        known.insert(key(game, fen, engine), row.get("solved").and_then(Value::as_bool));
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_there_are_known() {
        let text = br#"{"game":"duel","fen":"f","engine":"ab","solved":true}
{"game":"duel","fen":"g","engine":"mcts"}
"#;
        let known = known_results(text).unwrap();
        assert_eq!(known.get(&key("duel", "f", "ab")), Some(&Some(true)));
        assert_eq!(known.get(&key("duel", "g", "mcts")), Some(&None));
        assert!(!known.contains_key(&key("duel", "g", "ab")));
        assert_eq!(
            known_results(b"{}\n").unwrap_err().to_string(),
            "line 1: a result has \"game\", \"fen\" and \"engine\""
        );
        assert_eq!(known_results(b"\nx\n").unwrap_err().to_string(), "line 2: not a result in JSON");
    }
}
