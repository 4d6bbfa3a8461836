//! Rooms: two players, or one and an engine, of a game that hides things.

use super::{Answer, Server};
use serde_json::{Value, json};

/// What a seat of a room sees.
struct Seat<'a> {
    server: &'a Server,
    room: String,
    token: String,
    /// Everything that this player has been sent.
    heard: Vec<String>,
}

impl Seat<'_> {
    fn post(&mut self, what: &str, mut body: Value) -> Answer {
        body["token"] = json!(self.token);
        let answer = self.server.post(&format!("rooms/{}/{what}", self.room), &body);
        self.heard.push(answer.body.clone());
        answer
    }

    fn act(&mut self, body: Value) -> Value {
        let answer = self.post("act", body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    fn look(&mut self) -> Value {
        serde_json::from_str(&self.post("look", json!({})).body).unwrap()
    }
}

#[test]
fn a_player_hears_nothing_of_what_is_hidden() {
    let server = Server::start(&[]);
    let game = "crown-jewels:tiles=6,files=4,ranks=6,checkers=1";
    let made = server.ask("rooms", json!({"game": game, "side": "w", "opponent": "person", "seed": 5}));
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let room = text(&made["room"]);
    let mut white = Seat {
        server: &server,
        room: room.clone(),
        token: text(&made["token"]),
        heard: vec![made.to_string()],
    };
    let join = json!({"invitation": made["invitation"]});
    let joined = server.ask(&format!("rooms/{room}/join"), join.clone());
    assert_eq!(joined["side"], "b");
    let mut black =
        Seat { server: &server, room: room.clone(), token: text(&joined["token"]), heard: Vec::new() };
    // An invitation is for one, and nobody looks in without a token.
    assert_eq!(server.refuses(&format!("rooms/{room}/join"), join).0, 403);
    assert_eq!(server.refuses(&format!("rooms/{room}/look"), json!({"token": "x"})).0, 403);
    assert_eq!(server.refuses("position", json!({"game": game})).0, 403);
    assert_eq!(white.look()["phase"], "give");
    white.act(json!({"give": "auto"}));
    assert_eq!(white.post("act", json!({"give": "auto"})).status, 400);
    assert_eq!(white.post("act", json!({"play": "a1a2"})).status, 400);
    assert_eq!(black.act(json!({"give": "auto"}))["phase"], "place");
    white.act(json!({"place": "auto"}));
    let waiting = white.look();
    assert_eq!((&waiting["phase"], &waiting["turn"]), (&json!("place"), &json!(false)));
    let placed = text(&waiting["tiles"]["chosen"]);
    let seen = black.act(json!({"place": "auto"}));
    assert_eq!(seen["phase"], "play");
    // Where the tiles of White stand, as both sides of the board have it.
    let at: Vec<(String, String)> = placed
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .map(|(square, tile)| (square.to_string(), tile.to_string()))
        .collect();
    assert_eq!(at.len(), 6);
    let mut known: Vec<String> = Vec::new();
    for _ in 0..60 {
        let views = [white.look(), black.look()];
        for (view, mine) in views.iter().zip(["w", "b"]) {
            let pieces = view["board"]["pieces"].as_array().unwrap();
            for piece in pieces.iter().filter(|piece| piece["side"] != mine) {
                let shown = text(&piece["abbreviation"]);
                assert!(shown.ends_with("??") || shown.ends_with('!'), "{mine} sees {piece}");
            }
        }
        for line in views[1]["news"].as_array().unwrap() {
            known.extend(
                at.iter()
                    .map(|(_, tile)| format!("w{tile}"))
                    .filter(|tile| text(line).contains(tile.as_str())),
            );
        }
        if views[0]["phase"] == "over" {
            break;
        }
        let (mover, view) =
            if views[0]["turn"] == true { (&mut white, &views[0]) } else { (&mut black, &views[1]) };
        assert_eq!(view["turn"], true);
        let moves = view["board"]["moves"].as_array().unwrap();
        // Towards the enemy, so that there are contests.
        let mv = moves.iter().max_by_key(|mv| mv["squares"][1].as_str() > mv["squares"][0].as_str()).unwrap();
        mover.act(json!({"play": mv["move"]}));
    }
    assert!(!known.is_empty(), "no contest: the test shows little");
    // No byte that Black was sent names a hidden tile of White with its colour, or says where one was put.
    let heard = black.heard.concat();
    for (square, tile) in &at {
        assert!(!heard.contains(&format!("{square}={tile}")), "{square}={tile}");
        assert!(known.contains(&format!("w{tile}")) || !heard.contains(&format!("w{tile}")), "w{tile}");
    }
    assert!(!heard.contains(&white.token) && !white.heard.concat().contains(&black.token));
    let resigned = black.post("act", json!({"resign": true}));
    assert!([200, 400].contains(&resigned.status));
    // An analysis of what a player sees is allowed, one of the true position is not.
    let view = black.look()["board"]["fen"].clone();
    assert_eq!(server.ask("position", json!({"game": game, "fen": view}))["fen"], view);
}

#[test]
fn an_engine_plays_in_a_room() {
    let server = Server::start(&[]);
    let made = server
        .ask("rooms", json!({"game": "crown-jewels:tiles=4,files=4,ranks=4,checkers=0", "opponent": "mcts"}));
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let mut seat =
        Seat { server: &server, room: text(&made["room"]), token: text(&made["token"]), heard: Vec::new() };
    seat.act(json!({"give": "auto"}));
    let mut view = seat.act(json!({"place": "auto"}));
    let mut moved = false;
    for _ in 0..12 {
        if view["phase"] == "over" {
            break;
        }
        view = if view["turn"] == true {
            moved = true;
            let mv = view["board"]["moves"][0]["move"].clone();
            seat.act(json!({"play": mv}))
        } else {
            let body = seat.post("look", json!({"after": view["version"]})).body;
            serde_json::from_str(&body).unwrap()
        };
    }
    assert!(moved && view["news"].as_array().unwrap().len() >= 3, "{view}");
}
