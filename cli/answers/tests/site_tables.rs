//! The tables of a site: what is said of a position, and what is fetched for it.

use jewel_answers::api::Live;
use jewel_answers::api::analyse::Power;
use jewel_answers::api::desk::Desk;
use jewel_answers::api::place::Games;
use jewel_answers::api::site_tables::{SiteTables, TableFile};
use jewel_answers::api::truth::Bounds;
use jewel_answers::distant::{DistantFiles, Fetch};
use jewel_engine::ability::Notation;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_search::control::Stop;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope, TableSet};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Files of a folder, sent part by part as by a web server.
#[derive(Default)]
struct Server {
    folder: PathBuf,
    /// The file and the length of each part.
    sent: Mutex<Vec<(String, usize)>>,
    down: AtomicBool,
}

struct Client(Arc<Server>);

impl Fetch for Client {
    fn fetch(&self, file: &str, length: u64, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if self.0.down.load(Relaxed) {
            return Err(io::Error::other("it cannot be loaded: status 503"));
        }
        let bytes = std::fs::read(self.0.folder.join(file))?;
        assert_eq!(bytes.len() as u64, length);
        buffer.copy_from_slice(&bytes[offset as usize..][..buffer.len()]);
        self.0.sent.lock().unwrap().push((file.to_string(), buffer.len()));
        Ok(())
    }
}

#[derive(Default)]
struct Waiting(AtomicBool);

impl Live for Waiting {
    fn line(&self, _: String) {}

    fn stopped(&self) -> &AtomicBool {
        &self.0
    }

    fn search_stop(&self) -> Stop {
        Stop::new()
    }
}

/// A page with the tables of a folder.
struct Page {
    desk: Desk,
    server: Arc<Server>,
}

impl Page {
    fn new(folder: &Path, tables: &TableSet<'static>) -> Page {
        let server = Arc::new(Server { folder: folder.to_path_buf(), ..Server::default() });
        let mut site = SiteTables::new(DistantFiles::new(Box::new(Client(Arc::clone(&server)))));
        let listed = tables.tables().iter().map(|table| TableFile {
            class: table.metadata().class.clone(),
            file: Path::new(table.name()).file_name().unwrap().to_string_lossy().into_owned(),
            bytes: table.bytes().0,
        });
        site.add(tables.rules(), listed);
        let bounds = Bounds { positions: 1, memory: 1 << 20, time: Duration::from_secs(1) };
        let power = Power { threads: 1, hash: 1, tables: None };
        Page { desk: Desk::new(Games::new(Vec::new(), || 1), Box::new(site), bounds, power), server }
    }

    /// The object of `values` for a position of Ambush.
    fn values(&self, fen: &str) -> Value {
        let body = json!({"game": "ambush", "fen": fen}).to_string();
        let answer = self.desk.answer("values", body.as_bytes(), &Waiting::default());
        serde_json::from_str(&answer.unwrap()).unwrap()
    }

    /// The bytes that were sent since this was last asked, and how many files they are of.
    fn sent(&self) -> (usize, usize) {
        let sent = std::mem::take(&mut *self.server.sent.lock().unwrap());
        let mut files: Vec<&str> = sent.iter().map(|(file, _)| file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        (sent.iter().map(|(_, bytes)| bytes).sum(), files.len())
    }
}

/// The tables of a class of Ambush, and of all that captures lead to, in a new folder.
fn tables(name: &str, class: &str) -> (PathBuf, TableSet<'static>) {
    let folder = std::env::temp_dir().join(format!("jewel-site-tables-{name}-{}", std::process::id()));
    let plan = Plan::new(rules(), &Scope::Class(class.to_string())).unwrap();
    build(&plan, &folder, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    let tables = TableSet::open(rules(), &folder).unwrap();
    (folder, tables)
}

fn rules() -> &'static Rules {
    AnyGame::resolve("ambush").unwrap().rules().unwrap()
}

/// The moves of an answer are the legal ones, each with the value that the tables give it, or `null` if they do not reach
/// there. How many have a value is returned.
fn compared(tables: &TableSet<'static>, fen: &str, answer: &Value) -> usize {
    let position = AnyChessLike::from_fen(rules(), fen).unwrap();
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), list_moves(&position).len());
    for mv in moves {
        let next = position.after(position.parse_move(mv["move"].as_str().unwrap()).unwrap());
        let value = tables.probe(&next).ok().map(|value| value.before_opponents_turn());
        assert_eq!(mv["value"], json!(value.map(|value| value.outcome().name())), "{mv}");
        assert_eq!(mv["distance"], json!(value.and_then(|value| value.distance())), "{mv}");
    }
    moves.iter().filter(|mv| !mv["value"].is_null()).count()
}

#[test]
fn values_are_those_of_the_tables_and_parts_of_files_are_read_for_them() {
    let (folder, tables) = tables("values", "NLvNQQ");
    let all: u64 = tables.tables().iter().map(|table| table.bytes().0).sum();
    let page = Page::new(&folder, &tables);
    let fen = "N4/4n/5/q4/1q1L1 w - - 0 1";
    let answer = page.values(fen);
    let value = tables.probe(&AnyChessLike::from_fen(rules(), fen).unwrap()).unwrap();
    assert_eq!(answer["source"], "tables", "{answer}");
    assert_eq!(answer["value"], value.outcome().name());
    assert_eq!(answer["distance"], json!(value.distance()));
    assert_eq!(compared(&tables, fen, &answer), answer["moves"].as_array().unwrap().len());
    if let Some(plies) = value.distance() {
        assert_eq!(answer["line"].as_array().unwrap().len(), plies as usize, "{answer}");
    }
    let (bytes, files) = page.sent();
    println!("{bytes} bytes of {files} files, of {all} bytes in {} files", tables.tables().len());
    assert!(files > 1 && (bytes as u64) < all, "{bytes} of {all} bytes of {files} files");
    // What was sent is kept.
    assert_eq!(page.values(fen), answer);
    assert_eq!(page.sent(), (0, 0));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn beyond_the_tables_the_captures_into_them_are_known() {
    let (folder, tables) = tables("beyond", "NLvNQ");
    let page = Page::new(&folder, &tables);
    // One Guardsman more than the tables have, which e4 can take on d2.
    let fen = "N4/4n/5/3Q1/1q1L1 b - - 0 1";
    let answer = page.values(fen);
    assert_eq!(answer["value"], Value::Null, "{answer}");
    assert!(answer["reason"].is_string(), "{answer}");
    let known = compared(&tables, fen, &answer);
    assert!(known > 0 && known < answer["moves"].as_array().unwrap().len(), "{answer}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_server_that_does_not_answer_is_asked_again() {
    let (folder, tables) = tables("down", "NLvNQ");
    let page = Page::new(&folder, &tables);
    let fen = "N4/4n/5/5/1q1L1 w - - 0 1";
    page.server.down.store(true, Relaxed);
    let answer = page.values(fen);
    assert_eq!(answer["value"], Value::Null);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.ends_with("it cannot be loaded: status 503"), "{reason}");
    page.server.down.store(false, Relaxed);
    assert_eq!(page.values(fen)["value"], "win");
    std::fs::remove_dir_all(&folder).unwrap();
}
