//! Rooms: games in which each player sees only their own things. The server keeps the true position; whoever has the
//! token of a seat is sent what that seat sees, and nothing else.

use super::error::ApiError;
use super::place::{Games, Place, read};
use super::position::{BoardObject, move_objects};
use super::seed;
use super::work::Places;
use axum::http::StatusCode;
use jewel_answers::shown::Shown;
use jewel_engine::ability::Notation;
use jewel_engine::crown_jewels::{CrownJewelsGame, Deal, Gift, Placement, Setup, Tile, TileSet};
use jewel_engine::geometry::Geometry;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::{Algorithm, Options};
use jewel_search::control::Stop;
use jewel_search::ismcts::crown_jewels::Chooser;
use jewel_search::limits::Limits;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Most rooms at a time.
const MAX_ROOMS: usize = 100;

/// A room is closed when nobody has looked into it for this long.
const MAX_IDLE: Duration = Duration::from_secs(4 * 3600);

/// How long a question for news is left open.
const LONG_POLL: Duration = Duration::from_secs(20);

/// The time of an engine for a move.
const THINKING: Duration = Duration::from_secs(1);

/// Memory of an engine, in mebibytes.
const HASH: usize = 64;

/// Who sits in a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sitter {
    /// A person, who has come in or not.
    Person,
    Engine,
}

#[derive(Debug)]
struct Seat {
    sitter: Sitter,
    token: String,
    /// What another person takes the seat with, once.
    invitation: Option<String>,
}

/// What the players do now.
enum Phase {
    Give { deal: Deal, gifts: [Option<Gift>; 2] },
    Place { setup: Setup, placements: [Option<Placement>; 2] },
    Play { board: Box<dyn Engine> },
}

/// A room with everything that happens in it.
struct State {
    game: AnyGame,
    coded: &'static CrownJewelsGame,
    phase: Phase,
    seats: [Seat; 2],
    random: Random,
    /// What both players have seen: moves, and what contests have revealed.
    news: Vec<String>,
    resigned: Option<Side>,
    used: Instant,
}

struct Room {
    state: Mutex<State>,
    version: watch::Sender<u64>,
}

/// The rooms of a server.
#[derive(Default)]
pub(super) struct Rooms {
    rooms: Mutex<HashMap<String, Arc<Room>>>,
}

/// A room is made.
#[derive(Deserialize)]
pub(super) struct MakeRequest {
    #[serde(flatten)]
    place: Place,
    /// The side of whoever makes it: `w` or `b`.
    #[serde(default = "white")]
    side: char,
    /// Who plays the other side: `person` or `mcts`.
    opponent: String,
    seed: Option<u64>,
}

fn white() -> char {
    'w'
}

/// Somebody takes a seat.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinRequest {
    invitation: String,
}

/// Somebody looks at the room, and waits for news if nothing has happened since a version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookRequest {
    token: String,
    after: Option<u64>,
}

/// Somebody does something: one of the fields beside the token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRequest {
    token: String,
    /// The text of a gift, or `auto`.
    give: Option<String>,
    /// The text of a placement, or `auto`.
    place: Option<String>,
    play: Option<String>,
    #[serde(default)]
    resign: bool,
}

/// What whoever makes a room, or takes a seat, is told.
#[derive(Serialize)]
pub(super) struct SeatObject {
    room: String,
    side: char,
    token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    invitation: Option<String>,
}

/// What a seat sees.
#[derive(Serialize)]
struct RoomObject<'a> {
    room: &'a str,
    game: String,
    name: String,
    version: u64,
    side: char,
    /// Whether the other player is a person, an engine, or has not come yet.
    opponent: &'static str,
    /// `give`, `place`, `play` or `over`.
    phase: &'static str,
    /// Whether it is this player's turn to do something.
    turn: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles: Option<TilesObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<BoardObject<'a>>,
    news: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
}

/// The tiles before play begins.
#[derive(Serialize)]
struct TilesObject {
    hand: Vec<TileObject>,
    /// Tiles to be given away.
    give: u32,
    checkers: u32,
    /// The squares on which this player places.
    home: Vec<String>,
    width: u32,
    height: u32,
    given: Vec<TileObject>,
    received: Vec<TileObject>,
    /// What this player has chosen already.
    chosen: Option<String>,
}

#[derive(Serialize)]
struct TileObject {
    tile: String,
    words: String,
    strength: u8,
}

impl MakeRequest {
    pub(super) fn read(body: &[u8]) -> Result<MakeRequest, ApiError> {
        read(body, &["side", "opponent", "seed"])
    }
}

/// Reads a request that names no game.
pub(super) fn read_plain<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|e| ApiError::bad(format!("in the request: {e}")))
}

/// A word that nobody guesses: 128 bits from the hashers that the system seeds.
fn secret() -> String {
    format!("{:016x}{:016x}", seed(), seed())
}

impl Rooms {
    /// Makes a room.
    pub(super) fn make(&self, games: &Games, request: &MakeRequest) -> Result<SeatObject, ApiError> {
        let game = games.find(&request.place)?;
        let coded = match game {
            AnyGame::Coded(coded) => coded.as_any().downcast_ref::<CrownJewelsGame>(),
            AnyGame::Variant(_) => None,
        };
        let coded =
            coded.ok_or_else(|| ApiError::bad("rooms are for games that hide things: crown-jewels"))?;
        let side = match request.side {
            'w' => Side::White,
            'b' => Side::Black,
            _ => return Err(ApiError::bad("side: \"w\" or \"b\"")),
        };
        let opponent = match request.opponent.as_str() {
            "person" => Sitter::Person,
            "mcts" => Sitter::Engine,
            _ => return Err(ApiError::bad("opponent: \"person\" or \"mcts\"")),
        };
        let mut random = Random::new(request.seed.unwrap_or_else(seed));
        let deal = Deal::random(coded.rules(), &mut random);
        let seats = Side::BOTH.map(|seat| {
            let sitter = if seat == side { Sitter::Person } else { opponent };
            let invitation = (seat != side && sitter == Sitter::Person).then(secret);
            Seat { sitter, token: secret(), invitation }
        });
        let token = seats[side.index()].token.clone();
        let invitation = seats[(!side).index()].invitation.clone();
        let mut state = State {
            game,
            coded,
            phase: Phase::Give { deal, gifts: [None, None] },
            seats,
            random,
            news: Vec::new(),
            resigned: None,
            used: Instant::now(),
        };
        state.advance()?;
        let room = Arc::new(Room { state: Mutex::new(state), version: watch::channel(1).0 });
        let id = secret();
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|_, room| room.lock().used.elapsed() < MAX_IDLE);
        if rooms.len() >= MAX_ROOMS {
            return Err(ApiError::busy("rooms"));
        }
        rooms.insert(id.clone(), room);
        Ok(SeatObject { room: id, side: side.letter(), token, invitation })
    }

    fn find(&self, id: &str) -> Result<Arc<Room>, ApiError> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.get(id).cloned().ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "there is no such room"))
    }

    /// Gives a seat to whoever has its invitation; the invitation is worth nothing afterwards.
    pub(super) fn join(&self, id: &str, request: &JoinRequest) -> Result<SeatObject, ApiError> {
        let room = self.find(id)?;
        let mut state = room.lock();
        for side in Side::BOTH {
            let seat = &mut state.seats[side.index()];
            if seat.invitation.as_ref() == Some(&request.invitation) {
                seat.invitation = None;
                let token = seat.token.clone();
                drop(state);
                room.version.send_modify(|version| *version += 1);
                return Ok(SeatObject { room: id.to_string(), side: side.letter(), token, invitation: None });
            }
        }
        Err(ApiError::new(StatusCode::FORBIDDEN, "this invitation has been used, or there never was one"))
    }

    /// What a seat sees; if nothing has happened since a version, after a while.
    pub(super) async fn look(&self, id: &str, request: &LookRequest) -> Result<serde_json::Value, ApiError> {
        let room = self.find(id)?;
        room.lock().side_of(&request.token)?;
        if let Some(after) = request.after {
            let mut changes = room.version.subscribe();
            // Not to be told anything in this time is no error.
            let _ = tokio::time::timeout(LONG_POLL, changes.wait_for(|version| *version != after)).await;
        }
        room.seen(id, &request.token)
    }

    /// Lets the player of a seat do something, and then the engine, if it is its turn.
    pub(super) async fn act(
        &self,
        id: &str,
        request: ActRequest,
        searches: &Places,
    ) -> Result<serde_json::Value, ApiError> {
        let room = self.find(id)?;
        let token = request.token.clone();
        {
            let mut state = room.lock();
            let side = state.side_of(&token)?;
            state.used = Instant::now();
            state.act(side, &request)?;
            state.advance()?;
        }
        room.version.send_modify(|version| *version += 1);
        let (engine, searches) = (room.clone(), searches.clone());
        tokio::spawn(async move {
            while engine.lock().engine_is_to_move() {
                let thinking = engine.clone();
                let moved = searches.work(move || thinking.think()).await;
                engine.version.send_modify(|version| *version += 1);
                if let Err(error) = moved {
                    engine.lock().news.push(format!("The engine cannot move: {}", error.problem));
                    return;
                }
            }
        });
        room.seen(id, &token)
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self, id: &str, token: &str) -> Result<serde_json::Value, ApiError> {
        let mut state = self.lock();
        let side = state.side_of(token)?;
        state.used = Instant::now();
        let version = *self.version.borrow();
        state.seen_by(side, id, version)
    }

    /// Lets the engine move. It searches a copy, so that the players can look on.
    fn think(&self) -> Result<(), ApiError> {
        let (mut engine, played) = {
            let state = self.lock();
            let Phase::Play { board } = &state.phase else { return Ok(()) };
            let mut engine = state.game.open();
            let (first, played) = (board.first_fen(), board.played());
            engine.set_position(Some(&first), &played).map_err(|e| ApiError::bad(e.to_string()))?;
            (engine, played)
        };
        engine.configure(&Options {
            algorithm: Algorithm::Mcts,
            hash: HASH,
            seed: seed(),
            ..Options::default()
        })?;
        let limits = Limits { movetime: Some(THINKING), ..Limits::default() };
        let report = engine.search(&limits, &Stop::new(), &mut |_| {})?;
        let best = report.best.ok_or_else(|| ApiError::bad("there is no move"))?;
        let mut state = self.lock();
        let same = matches!(&state.phase, Phase::Play { board } if board.played() == played);
        if same && state.engine_is_to_move() { state.play(&best) } else { Ok(()) }
    }
}

impl State {
    /// Whose token it is.
    fn side_of(&self, token: &str) -> Result<Side, ApiError> {
        let side = Side::BOTH.into_iter().find(|side| {
            let seat = &self.seats[side.index()];
            seat.sitter == Sitter::Person && seat.token == token
        });
        side.ok_or_else(|| ApiError::new(StatusCode::FORBIDDEN, "this token is of no seat in the room"))
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some() || matches!(&self.phase, Phase::Play { board } if board.ending().is_some())
    }

    fn engine_is_to_move(&self) -> bool {
        let Phase::Play { board } = &self.phase else { return false };
        self.seats[board.side_to_move().index()].sitter == Sitter::Engine && !self.is_over()
    }

    fn act(&mut self, side: Side, request: &ActRequest) -> Result<(), ApiError> {
        let asked = [request.give.is_some(), request.place.is_some(), request.play.is_some(), request.resign];
        if asked.iter().filter(|asked| **asked).count() != 1 {
            return Err(ApiError::bad("one of give, place, play and resign"));
        }
        if self.is_over() {
            return Err(ApiError::bad("the game is over"));
        }
        if request.resign {
            self.resigned = Some(side);
            return Ok(());
        }
        let chooser = || Chooser::new(self.coded.rules());
        match (&mut self.phase, &request.give, &request.place, &request.play) {
            (Phase::Give { deal, gifts }, Some(text), ..) => {
                refuse_twice(gifts[side.index()].is_some())?;
                let view = deal.view(side);
                let gift = match text.as_str() {
                    "auto" => chooser().give(&view, &mut self.random),
                    text => view.parse_gift(text).map_err(ApiError::bad)?,
                };
                gifts[side.index()] = Some(gift);
            }
            (Phase::Place { setup, placements }, _, Some(text), _) => {
                refuse_twice(placements[side.index()].is_some())?;
                let view = setup.view(side);
                let placement = match text.as_str() {
                    "auto" => chooser().place(&view, &mut self.random),
                    text => view.parse_placement(text).map_err(ApiError::bad)?,
                };
                placements[side.index()] = Some(placement);
            }
            (Phase::Play { board }, _, _, Some(text)) => {
                if board.side_to_move() != side {
                    return Err(ApiError::bad("it is the other player's turn"));
                }
                // What is wrong with a move is said by what its player sees.
                let legal = board.view_of(side).map(|view| view.moves).unwrap_or_default();
                if !legal.contains(text) {
                    return Err(ApiError::bad("no legal move of yours"));
                }
                let text = text.clone();
                self.play(&text)?;
            }
            _ => return Err(ApiError::bad("not in this phase of the game")),
        }
        Ok(())
    }

    fn play(&mut self, mv: &str) -> Result<(), ApiError> {
        let Phase::Play { board } = &mut self.phase else { return Ok(()) };
        let side = board.diagram().sides[board.side_to_move().index()].clone();
        board.play(mv)?;
        let revealed = board.revealed().map_or(String::new(), |what| format!(": {what}"));
        self.news.push(format!("{side} played {mv}{revealed}"));
        Ok(())
    }

    /// Does what engines do before play begins, and goes on to the next phase when both players are ready.
    fn advance(&mut self) -> Result<(), ApiError> {
        let chooser = Chooser::new(self.coded.rules());
        let is_engine = |side: Side| self.seats[side.index()].sitter == Sitter::Engine;
        if let Phase::Give { deal, gifts } = &mut self.phase {
            for side in Side::BOTH {
                if is_engine(side) && gifts[side.index()].is_none() {
                    gifts[side.index()] = Some(chooser.give(&deal.view(side), &mut self.random));
                }
            }
            if let [Some(white), Some(black)] = *gifts {
                let setup = deal.give([white, black]).map_err(ApiError::bad)?;
                self.phase = Phase::Place { setup, placements: [None, None] };
            }
        }
        if let Phase::Place { setup, placements } = &mut self.phase {
            for side in Side::BOTH {
                if is_engine(side) && placements[side.index()].is_none() {
                    placements[side.index()] = Some(chooser.place(&setup.view(side), &mut self.random));
                }
            }
            if let [Some(white), Some(black)] = &*placements {
                let first = if self.random.below(2) == 0 { Side::White } else { Side::Black };
                let start = setup.play([white, black], first).map_err(ApiError::bad)?;
                let mut board = self.game.open();
                let fen = start.position_text();
                board.set_position(Some(&fen), &[]).map_err(|e| ApiError::bad(e.to_string()))?;
                let name = &board.diagram().sides[first.index()];
                self.news.push(format!("{name} was drawn by lot to begin"));
                self.phase = Phase::Play { board };
            }
        }
        Ok(())
    }

    /// Everything that the player of a side may see.
    fn seen_by(&self, side: Side, room: &str, version: u64) -> Result<serde_json::Value, ApiError> {
        let card = self.game.card();
        let opponent = match &self.seats[(!side).index()] {
            Seat { sitter: Sitter::Engine, .. } => "mcts",
            Seat { invitation: Some(_), .. } => "absent",
            Seat { .. } => "person",
        };
        let object = RoomObject {
            room,
            game: card.id.clone(),
            name: card.name.clone(),
            version,
            side: side.letter(),
            opponent,
            phase: "give",
            turn: false,
            tiles: None,
            board: None,
            news: &self.news,
            over: None,
        };
        let resigned = self.resigned.map(|loser| {
            let names = ["White", "Black"];
            format!("{} has resigned: {} has won", names[loser.index()], names[(!loser).index()])
        });
        let shown;
        let object = match &self.phase {
            Phase::Give { deal, gifts } => {
                let chosen = gifts[side.index()];
                let tiles = self.tiles(deal.view(side).hand(), side, chosen.map(|gift| gift.to_string()));
                RoomObject { turn: chosen.is_none(), tiles: Some(tiles), ..object }
            }
            Phase::Place { setup, placements } => {
                let view = setup.view(side);
                let chosen = placements[side.index()].as_ref();
                let tiles = TilesObject {
                    given: self.words(view.given()),
                    received: self.words(view.received()),
                    ..self.tiles(view.hand(), side, chosen.map(|placement| placement.to_string()))
                };
                RoomObject { phase: "place", turn: chosen.is_none(), tiles: Some(tiles), ..object }
            }
            Phase::Play { board } => {
                let view = board.view_of(side).ok_or_else(|| ApiError::bad("this game hides nothing"))?;
                let ending = board.ending();
                let turn = board.side_to_move() == side && !self.is_over();
                let moves = if turn { view.moves } else { Vec::new() };
                shown = Shown { fen: view.text, diagram: view.diagram, turns: Vec::new(), ending };
                let over = ending.map(|ending| ending.text(&shown.diagram.sides));
                let moves = move_objects(moves, &shown.diagram, |_| None);
                let board = Some(BoardObject::new(&shown, &card, moves));
                RoomObject { phase: "play", turn, board, over, ..object }
            }
        };
        let over = object.over.clone().or(resigned);
        let phase = if over.is_some() { "over" } else { object.phase };
        let object = RoomObject { over, phase, turn: object.turn && !self.is_over(), ..object };
        serde_json::to_value(&object).map_err(ApiError::bad)
    }

    fn tiles(&self, hand: TileSet, side: Side, chosen: Option<String>) -> TilesObject {
        let rules = self.coded.rules();
        let (width, height) = rules.size();
        // Boards of all sizes have the numbers of their squares from this one.
        let grid = Geometry::new(8, 8).ok();
        let home = rules.home(side).into_iter().filter_map(|square| Some(grid?.name(square))).collect();
        TilesObject {
            hand: self.words(hand),
            give: rules.gift(),
            checkers: rules.checkers(),
            home,
            width,
            height,
            given: Vec::new(),
            received: Vec::new(),
            chosen,
        }
    }

    fn words(&self, tiles: TileSet) -> Vec<TileObject> {
        let rules = self.coded.rules();
        let object = |tile: Tile| TileObject {
            tile: tile.to_string(),
            words: rules.words(tile),
            strength: tile.strength(),
        };
        tiles.into_iter().map(object).collect()
    }
}

fn refuse_twice(chosen: bool) -> Result<(), ApiError> {
    if chosen { Err(ApiError::bad("you have chosen already")) } else { Ok(()) }
}
