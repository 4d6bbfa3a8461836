//! The board on a page: a server for one machine, the page, and a JSON API over what the commands do.
//!
//! [`mod@guard`] refuses what comes from other sites; [`work`] does so much at a time and no more; [`position`], [`truth`],
//! [`mod@analyse`], [`records`] and [`rooms`] are what can be asked; [`mod@report`] and [`mod@tournament`] are about many games. The page itself is in the folder `web` of the repository.

mod assets;
mod guard;
mod refusal;
mod report;
mod rooms;
mod tables;
mod tournament;
mod watch;
mod work;

pub(crate) use assets::{PAGE, SITE};
pub(crate) use tables::FolderTables;
pub(crate) use tournament::Feed;
pub(crate) use watch::{Boards, Watched};

use crate::{interrupt, output};
use analyse::{AnalyseRequest, Engines, Power, SEARCHING};
use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use error::ApiError;
use guard::{Hosts, guard};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use jewel_answers::api::{analyse, error, place, position, records, truth};
use jewel_players::catalogue::AnyGame;
use place::{Games, Place};
use position::PositionRequest;
use records::{ReadRequest, WriteRequest};
use refusal::Refusal;
use report::{REPORTING, ReportRequest};
use rooms::{MakeRequest, Rooms, read_plain};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tournament::{GameRequest, ListRequest};
use truth::{Bounds, TruthRequest, Truths};
use work::Places;

/// What is served, and where.
pub(crate) struct Setting {
    /// The games that the list begins with, and which may come from files.
    pub(crate) games: Vec<AnyGame>,
    /// The tournament that is shown.
    pub(crate) feed: Option<Feed>,
    pub(crate) tables: Option<PathBuf>,
    pub(crate) address: SocketAddr,
    /// Searches at a time.
    pub(crate) searches: usize,
    /// Most threads and mebibytes of one search.
    pub(crate) threads: usize,
    pub(crate) hash: usize,
    /// Most positions of a graph.
    pub(crate) positions: u64,
    /// Whether the page is shown in a browser.
    pub(crate) open: bool,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            games: Vec::new(),
            feed: None,
            tables: None,
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8017),
            searches: 4,
            threads: 1,
            hash: 256,
            positions: 5_000_000,
            open: false,
        }
    }
}

/// Longest body of a request, in bytes.
const MAX_BODY: usize = 256 << 10;

/// Longest time to send a head or a body.
const SENDING: Duration = Duration::from_secs(30);

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 1000;

/// Most bytes of a head.
const MAX_HEAD: usize = 16 << 10;

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(100);

/// Most memory of a graph, in bytes.
const GRAPH_MEMORY: u64 = 1 << 30;

/// Longest time of solving.
const SOLVING: Duration = Duration::from_secs(600);

/// Everything that requests share.
struct Site {
    games: Games,
    truths: Truths,
    engines: Engines,
    rooms: Rooms,
    feed: Option<Feed>,
    /// What is over in milliseconds.
    quick: Places,
    /// What may take a moment.
    values: Places,
    /// What goes on until it is told to end.
    searches: Places,
    solving: Places,
    reports: Places,
}

/// Serves until Ctrl-C.
///
/// # Errors
/// If the address is taken or not one of this machine.
pub(crate) fn serve(setting: Setting) -> Result<()> {
    let interrupt = interrupt::listen()?;
    let (listener, url) = listen(setting.address)?;
    let beyond = if setting.address.ip().is_loopback() {
        String::new()
    } else {
        "everyone who reaches this address can use this machine to search and solve, and nothing is \
         encrypted: end it with Ctrl-C when you are done\n"
            .to_string()
    };
    output::print(&format!("serving the board at {url} until Ctrl-C\n{beyond}"))?;
    if setting.open {
        show(&url);
    }
    run(setting, listener, interrupt)
}

/// A server that goes on while the program does something else, and ends with this.
pub(crate) struct Beside {
    pub(crate) url: String,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    /// Starts to serve.
    ///
    /// # Errors
    /// If the address is taken or not one of this machine.
    pub(crate) fn start(setting: Setting) -> Result<Beside> {
        let (listener, url) = listen(setting.address)?;
        let over = Arc::new(AtomicBool::new(false));
        let end = over.clone();
        let thread = std::thread::Builder::new().spawn(move || {
            // What goes on beside it is more important.
            let _ = run(setting, listener, &end);
        });
        Ok(Beside { url, over, thread: Some(thread.context("no thread can be started")?) })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Listens at an address, and says where the page is.
fn listen(address: SocketAddr) -> Result<(std::net::TcpListener, String)> {
    let listener = std::net::TcpListener::bind(address);
    let listener = listener.with_context(|| format!("cannot listen at {address}; try another port"))?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}/", listener.local_addr()?);
    Ok((listener, url))
}

/// Serves until `over` is set.
fn run(setting: Setting, listener: std::net::TcpListener, over: &AtomicBool) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .context("cannot start the server")?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let service = TowerToHyperService::new(router(site(setting), Hosts::new(address)));
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        while !over.load(Ordering::Relaxed) {
            let Ok(Ok(place)) = timeout(GLANCE, places.clone().acquire_owned()).await else { continue };
            let stream = match timeout(GLANCE, listener.accept()).await {
                Err(_) => continue,
                // Out of files, perhaps: others will be closed.
                Ok(Err(_)) => {
                    sleep(GLANCE).await;
                    continue;
                }
                Ok(Ok((stream, _))) => stream,
            };
            // Without it, answers in several packets wait; a connection without is slower, not wrong.
            let _ = stream.set_nodelay(true);
            let service = service.clone();
            tokio::spawn(async move {
                let _place = place;
                let mut connection = http1::Builder::new();
                connection.timer(TokioTimer::new()).header_read_timeout(SENDING).max_buf_size(MAX_HEAD);
                // Whoever broke the connection knows.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
        Ok::<(), anyhow::Error>(())
    })?;
    // Searches that go on end with the program.
    runtime.shutdown_background();
    Ok(())
}

fn site(setting: Setting) -> Site {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let Setting { games, feed, tables, searches, threads, hash, positions, .. } = setting;
    let bounds = Bounds { positions, memory: GRAPH_MEMORY, time: SOLVING };
    Site {
        games: Games::new(games, seed),
        feed,
        truths: Truths::new(Box::new(FolderTables::new(tables.clone())), bounds),
        engines: Engines::new(Power { threads, hash, tables }),
        rooms: Rooms::default(),
        quick: Places::new("requests", 2 * cores),
        values: Places::new("requests for values", cores),
        searches: Places::new("searches", searches),
        solving: Places::new("games to solve", 1),
        reports: Places::new("reports", 1),
    }
}

/// A number that nobody foresees: the system seeds these hashers.
fn seed() -> u64 {
    RandomState::new().hash_one(std::time::Instant::now())
}

/// Shows a page in the browser, if there is one.
fn show(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = std::process::Command::new(program)
        .arg(url)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    if started.is_err() {
        // Nothing is lost where stderr is closed.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("{program} is not there: open the page yourself\n").as_bytes(),
        );
    }
}

type Answer = Result<Response, Refusal>;
type Shared = State<Arc<Site>>;

fn router(site: Site, hosts: Hosts) -> Router {
    Router::new()
        .route("/api/games", get(games))
        .route("/api/game", post(about))
        .route("/api/position", post(place_of))
        .route("/api/values", post(values))
        .route("/api/solve", post(solve))
        .route("/api/analyse", post(analyse))
        .route("/api/record", post(record))
        .route("/api/load", post(load))
        .route("/api/variant", post(variant))
        .route("/api/report", post(report))
        .route("/api/tournament", get(tournament))
        .route("/api/tournament/games", post(tournament_games))
        .route("/api/tournament/game", post(tournament_game))
        .route("/api/rooms", post(make_room))
        .route("/api/rooms/{room}/join", post(join_room))
        .route("/api/rooms/{room}/look", post(look_into_room))
        .route("/api/rooms/{room}/act", post(act_in_room))
        .method_not_allowed_fallback(not_so)
        .fallback(other)
        .with_state(Arc::new(site))
        .layer(from_fn_with_state(Arc::new(hosts), guard))
}

/// The body of a request, if it is short and comes soon.
async fn body(request: Request) -> Result<Bytes, ApiError> {
    match timeout(SENDING, to_bytes(request.into_body(), MAX_BODY)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body of a request has at most {MAX_BODY} bytes"),
        )),
        Err(_) => Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body of the request did not come")),
    }
}

async fn not_so() -> Refusal {
    Refusal(ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "not by this method: see docs/web.md"))
}

async fn other(request: Request) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => assets::serve(request.uri().path()),
        _ => Refusal(ApiError::new(StatusCode::NOT_FOUND, "there is nothing here")).into_response(),
    }
}

async fn games(State(site): Shared) -> Answer {
    let shared = site.clone();
    site.quick.answer(move || Ok(position::games(&shared.games))).await
}

async fn about(State(site): Shared, request: Request) -> Answer {
    let place: Place = place::read(&body(request).await?, &[])?;
    let shared = site.clone();
    site.quick.answer(move || position::about(&shared.games, &place)).await
}

async fn place_of(State(site): Shared, request: Request) -> Answer {
    let request = PositionRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || position::position(&shared.games, &request)).await
}

async fn values(State(site): Shared, request: Request) -> Answer {
    let request = TruthRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.values.answer(move || shared.truths.values(&shared.games, &request)).await
}

async fn solve(State(site): Shared, request: Request) -> Answer {
    let request = TruthRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.solving.stream(2 * SOLVING, move |live| shared.truths.prove(&shared.games, &request, live)).await
}

async fn analyse(State(site): Shared, request: Request) -> Answer {
    let request = AnalyseRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.searches.stream(SEARCHING, move |live| shared.engines.analyse(&shared.games, &request, live)).await
}

async fn record(State(site): Shared, request: Request) -> Answer {
    let request = WriteRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || records::write(&shared.games, request)).await
}

async fn load(State(site): Shared, request: Request) -> Answer {
    let request = ReadRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || records::load(&shared.games, &request)).await
}

async fn variant(State(site): Shared, request: Request) -> Answer {
    let place: Place = place::read(&body(request).await?, &[])?;
    site.quick.answer(move || position::check(&place)).await
}

async fn report(State(site): Shared, request: Request) -> Answer {
    let request = ReportRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.reports.stream(REPORTING, move |live| report::report(&shared.games, &request, live)).await
}

async fn tournament(State(site): Shared) -> Answer {
    let shared = site.clone();
    site.quick.answer(move || tournament::overview(shared.feed.as_ref())).await
}

async fn tournament_games(State(site): Shared, request: Request) -> Answer {
    let request = ListRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || tournament::list(shared.feed.as_ref(), request)).await
}

async fn tournament_game(State(site): Shared, request: Request) -> Answer {
    let request = GameRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || tournament::game(shared.feed.as_ref(), &request)).await
}

async fn make_room(State(site): Shared, request: Request) -> Answer {
    let request = MakeRequest::read(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || shared.rooms.make(&shared.games, &request)).await
}

async fn join_room(State(site): Shared, Path(room): Path<String>, request: Request) -> Answer {
    let request = read_plain(&body(request).await?)?;
    let shared = site.clone();
    site.quick.answer(move || shared.rooms.join(&room, &request)).await
}

async fn look_into_room(State(site): Shared, Path(room): Path<String>, request: Request) -> Answer {
    let request = read_plain(&body(request).await?)?;
    let seen = site.rooms.look(&room, &request).await?;
    site.quick.answer(move || Ok(seen)).await
}

async fn act_in_room(State(site): Shared, Path(room): Path<String>, request: Request) -> Answer {
    let request = read_plain(&body(request).await?)?;
    let seen = site.rooms.act(&room, request, &site.searches).await?;
    site.quick.answer(move || Ok(seen)).await
}
