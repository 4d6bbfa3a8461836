//! The functions that the worker calls, and those of the worker that are called.
#![allow(unsafe_code, reason = "names and functions outside of the module")]

use jewel_answers::api::Live;
use jewel_answers::api::analyse::Power;
use jewel_answers::api::desk::Desk;
use jewel_answers::api::error::ApiError;
use jewel_answers::api::place::Games;
use jewel_answers::api::site_tables::{SiteTables, TableFile};
use jewel_answers::api::truth::Bounds;
use jewel_answers::distant::{DistantFiles, Fetch};
use jewel_players::catalogue::AnyGame;
use jewel_search::control::Stop;
use serde::Deserialize;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// By this `jewel site` knows that a module is of its own version.
const MARK: &str = concat!("jewel-page ", env!("CARGO_PKG_VERSION"));

/// What a graph may take. A browser gives a module 4 GiB at most, and a tab of a phone much less.
const BOUNDS: Bounds = Bounds { positions: 5_000_000, memory: 1 << 30, time: Duration::from_secs(600) };

/// Most mebibytes of a search.
const HASH: usize = 64;

/// Status of a line that is not the last one.
const MORE: u32 = 0;

/// Status of an answer.
const OK: u32 = 200;

/// Status of a file that is too long to be loaded whole, on a server that sends no parts of files.
const NO_RANGES: u32 = 501;

// SAFETY: the worker gives these functions; they only read and write the bytes that they are told of, before they return.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since any moment.
    safe fn now() -> f64;
    /// A number from 0 to 1 that nobody foresees.
    safe fn random() -> f64;
    /// Sends the UTF-8 text of `length` bytes at `text` to the page.
    safe fn say(text: *const u8, length: usize, status: u32);
    /// Reads the `count` bytes from `offset` on of a file beside the page to `buffer`; the file has `length` bytes in all, and its
    /// name is the UTF-8 text of `name_length` bytes at `name`. The answer is 200, or the status of HTTP that says what
    /// is wrong, 0 if the server cannot be reached.
    safe fn read(
        name: *const u8,
        name_length: usize,
        length: f64,
        offset: f64,
        buffer: *mut u8,
        count: usize,
    ) -> u32;
}

/// The question that is being written.
static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());

static DESK: OnceLock<Desk> = OnceLock::new();

/// The games of a site.
#[derive(Deserialize)]
struct Site {
    games: Vec<Named>,
}

/// A game of the program by its id, or one of a variant file by its text.
#[derive(Deserialize)]
struct Named {
    id: String,
    variant: Option<String>,
    /// Its endgame tables.
    #[serde(default)]
    tables: Vec<TableFile>,
}

/// Makes room for a question of so many bytes: where it is to be written.
// SAFETY: no other function of this module has the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn room(length: usize) -> *mut u8 {
    let mut question = QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
    question.clear();
    question.resize(length, 0);
    question.as_mut_ptr()
}

/// Answers the question that was written: its first line says what is asked, the rest is the body. The first of all
/// questions is `open`, with the games of the site.
// SAFETY: no other function of this module has the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() {
    let question = std::mem::take(&mut *QUESTION.lock().unwrap_or_else(PoisonError::into_inner));
    let end = question.iter().position(|byte| *byte == b'\n').unwrap_or(question.len());
    let what = String::from_utf8_lossy(&question[..end]);
    let body = question.get(end + 1..).unwrap_or_default();
    let answer = match (what.as_ref(), DESK.get()) {
        ("open", _) => open(body),
        (what, Some(desk)) => desk.answer(what, body, &Page::default()),
        _ => Err(ApiError::bad("no games yet")),
    };
    match answer {
        Ok(line) => tell(&line, OK),
        Err(error) => tell(&error.json(), error.status.into()),
    }
}

fn tell(text: &str, status: u32) {
    say(text.as_ptr(), text.len(), status);
}

/// Takes the games of the site.
fn open(body: &[u8]) -> Result<String, ApiError> {
    jewel_search::time::set_clock(|| now());
    std::panic::set_hook(Box::new(|panic| {
        tell(&ApiError::new(500_u16, format!("the module failed: {panic}")).json(), 500);
    }));
    let site: Site = serde_json::from_slice(body).map_err(ApiError::bad)?;
    let game = |named: &Named| match &named.variant {
        Some(text) => AnyGame::from_text(text).map_err(|e| ApiError::bad(format!("{}: {e}", named.id))),
        None => Ok(AnyGame::resolve(&named.id)?),
    };
    let games: Vec<AnyGame> = site.games.iter().map(game).collect::<Result<_, _>>()?;
    let mut tables = SiteTables::new(DistantFiles::new(Box::new(Beside)));
    for (game, named) in games.iter().zip(site.games).filter(|(_, named)| !named.tables.is_empty()) {
        tables.add(game.rules()?, named.tables);
    }
    let games = Games::new(games, seed).without_others();
    let power = Power { threads: 1, hash: HASH, tables: None };
    let _ = DESK.set(Desk::new(games, Box::new(tables), BOUNDS, power));
    Ok(format!("\"{MARK}\"\n"))
}

fn seed() -> u64 {
    (random() * 2f64.powi(53)) as u64
}

/// The files beside the page.
struct Beside;

impl Fetch for Beside {
    fn fetch(&self, file: &str, length: u64, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let (at, count) = (buffer.as_mut_ptr(), buffer.len());
        match read(file.as_ptr(), file.len(), length as f64, offset as f64, at, count) {
            OK => Ok(()),
            0 => Err(io::Error::other("it cannot be loaded: the server does not answer")),
            NO_RANGES => Err(io::Error::other(
                "it is too long to be loaded whole, and its server sends no parts of files",
            )),
            status => Err(io::Error::other(format!("it cannot be loaded: status {status}"))),
        }
    }
}

/// The page as it waits for an answer. It ends long work by ending the worker.
#[derive(Default)]
struct Page {
    stopped: AtomicBool,
}

impl Live for Page {
    fn line(&self, line: String) {
        tell(&line, MORE);
    }

    fn stopped(&self) -> &AtomicBool {
        &self.stopped
    }

    fn search_stop(&self) -> Stop {
        Stop::new()
    }
}
