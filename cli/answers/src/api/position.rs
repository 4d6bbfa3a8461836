//! A position with everything that a board needs: what `show` and `moves` print, and how the moves run over the squares.

use super::error::ApiError;
use super::place::{Games, Place, read};
use crate::record::result_text;
use crate::shown::{PieceObject, ShowObject, Shown, object};
use jewel_engine::betza::{self, Range};
use jewel_engine::diagram::Diagram;
use jewel_engine::games::GAMES;
use jewel_engine::random::Random;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::{AnyGame, Card, catalogue};
use jewel_players::engine::{Ending, Engine};
use jewel_players::support::board::{changed, square_name};
use jewel_players::support::words::{any_of, suggestions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A position, and perhaps a move to play there.
#[derive(Deserialize)]
pub struct PositionRequest {
    #[serde(flatten)]
    place: Place,
    /// A move as people type it: played after the others, with dice if it is rolled for.
    #[serde(default)]
    play: Option<String>,
}

impl PositionRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// If it is not such an object: what is wrong with it.
    pub fn read(body: &[u8]) -> Result<PositionRequest, ApiError> {
        read(body, &["play"])
    }
}

/// What a board shows beside the fields of `show --json`.
#[derive(Serialize)]
pub struct BoardObject<'a> {
    #[serde(flatten)]
    shown: ShowObject<'a>,
    raised: Vec<String>,
    river: Vec<String>,
    /// What stands on a square in place of a piece's letter.
    labels: BTreeMap<String, &'a str>,
    /// Further pieces on squares that are shared.
    above: Vec<PieceObject<'a>>,
    graph: Option<GraphObject<'a>>,
    ending: Option<EndingObject>,
    moves: Vec<MoveObject>,
}

/// The places and paths of a board that is a graph.
#[derive(Serialize)]
struct GraphObject<'a> {
    layer: &'a str,
    names: &'a [String],
    /// East and north of the middle, in thousandths of the radius.
    points: &'a [(i32, i32)],
    paths: &'a [(usize, usize)],
}

#[derive(Serialize)]
struct EndingObject {
    text: String,
    result: &'static str,
    repetition: bool,
}

/// A legal move, ply by ply.
#[derive(Serialize)]
pub struct MoveObject {
    #[serde(rename = "move")]
    text: String,
    /// The squares that its text names, in order.
    squares: Vec<String>,
    /// What is left of the text: a promotion, a target, a mark.
    rest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    /// Whether dice decide what it does.
    rolled: bool,
}

impl<'a> BoardObject<'a> {
    /// What is shown of a game, and its legal moves.
    pub fn new(shown: &'a Shown, card: &'a Card, moves: Vec<MoveObject>) -> BoardObject<'a> {
        let diagram = &shown.diagram;
        let cells = || diagram.cells.iter().enumerate();
        let name = |n| square_name(diagram, n);
        let above = cells().flat_map(|(n, cell)| cell.above.iter().map(move |piece| (n, piece)));
        BoardObject {
            shown: object(shown, card, None),
            raised: cells().filter(|(_, cell)| cell.raised).map(|(n, _)| name(n)).collect(),
            river: cells().filter(|(_, cell)| cell.river).map(|(n, _)| name(n)).collect(),
            labels: cells().filter_map(|(n, cell)| Some((name(n), cell.label.as_deref()?))).collect(),
            above: above.map(|(n, piece)| PieceObject::new(name(n), piece)).collect(),
            graph: diagram.graph.as_ref().map(|graph| GraphObject {
                layer: &graph.layer,
                names: &graph.names,
                points: &graph.points,
                paths: &graph.paths,
            }),
            ending: shown.ending.map(|ending| EndingObject::new(ending, diagram)),
            moves,
        }
    }
}

impl EndingObject {
    fn new(ending: Ending, diagram: &Diagram) -> EndingObject {
        EndingObject {
            text: ending.text(&diagram.sides),
            result: result_text(Some(ending.verdict)),
            repetition: ending.repetition,
        }
    }
}

/// Moves with the squares that their texts name.
pub fn move_objects(
    texts: Vec<String>,
    diagram: &Diagram,
    san: impl Fn(&str) -> Option<String>,
) -> Vec<MoveObject> {
    let names: Vec<String> = (0..diagram.cells.len()).map(|n| square_name(diagram, n)).collect();
    let mut moves: Vec<MoveObject> = Vec::new();
    for text in texts {
        // Outcomes of a roll are one move to those who make it.
        let (text, rolled) = match text.split_once(':') {
            Some((bare, "hit" | "miss")) => (bare.to_string(), true),
            _ => (text, false),
        };
        if rolled && moves.iter().any(|mv| mv.text == text) {
            continue;
        }
        let (squares, rest) = squares_of(&text, &names);
        moves.push(MoveObject { squares, rest, san: san(&text), rolled, text });
    }
    moves
}

/// The names of squares in a text, from left to right, and what is between them.
fn squares_of(text: &str, names: &[String]) -> (Vec<String>, String) {
    let (mut squares, mut rest) = (Vec::new(), String::new());
    let mut left = text;
    while let Some(c) = left.chars().next() {
        let here = names.iter().filter(|name| !name.is_empty() && left.starts_with(name.as_str()));
        match here.max_by_key(|name| name.len()) {
            Some(name) => {
                squares.push(name.clone());
                left = &left[name.len()..];
            }
            None => {
                rest.push(c);
                left = &left[c.len_utf8()..];
            }
        }
    }
    (squares, rest)
}

/// The answer: the board, and how the game came there.
#[derive(Serialize)]
struct PositionObject<'a> {
    #[serde(flatten)]
    board: BoardObject<'a>,
    /// The position in which the moves began.
    start: String,
    /// All plies from there.
    played: Vec<String>,
    san: Option<Vec<String>>,
    /// How many plies each turn has.
    turns: Vec<usize>,
    /// Squares that the last ply changed.
    changed: Vec<String>,
    revealed: Option<String>,
    /// What was played, if a move was to be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<String>,
}

/// The position of a request, as JSON.
///
/// # Errors
/// If the position does not exist, or the move cannot be played.
pub fn position(games: &Games, request: &PositionRequest) -> Result<serde_json::Value, ApiError> {
    let (game, mut engine) = games.open(&request.place)?;
    let play = request.play.as_deref().map(|typed| play(games, engine.as_mut(), typed)).transpose()?;
    let last = last_changes(engine.as_mut());
    let ending = engine.ending();
    let diagram = engine.diagram();
    let texts = match ending {
        Some(_) => Vec::new(),
        None if game.hides() => engine.read_view(&engine.fen())?.map(|view| view.moves).unwrap_or_default(),
        None => engine.moves(),
    };
    let moves = move_objects(texts, &diagram, |mv| engine.san(mv));
    let shown = Shown { fen: engine.fen(), diagram, turns: Vec::new(), ending };
    let card = game.card();
    let object = PositionObject {
        board: BoardObject::new(&shown, &card, moves),
        start: engine.first_fen(),
        played: engine.played(),
        san: engine.played_san(),
        turns: engine.turn_lengths(),
        changed: last,
        revealed: engine.revealed(),
        play,
    };
    serde_json::to_value(&object).map_err(ApiError::bad)
}

/// Plays a move that was typed: its text.
fn play(games: &Games, engine: &mut dyn Engine, typed: &str) -> Result<String, ApiError> {
    if engine.ending().is_some() {
        return Err(ApiError::bad("the game is over"));
    }
    let rolled = engine.rolled(typed, &mut Random::new(games.seed()));
    let text = rolled.map_err(|problem| {
        let meant = suggestions(typed, &engine.moves());
        let hint =
            if meant.is_empty() { String::new() } else { format!("; did you mean {}?", any_of(&meant)) };
        ApiError::bad(format!("{problem:#}{hint}"))
    })?;
    engine.play(&text)?;
    Ok(text)
}

/// The squares on which the last ply changed something.
fn last_changes(engine: &mut dyn Engine) -> Vec<String> {
    let Some(last) = engine.played_from(engine.plies().saturating_sub(1)).pop() else { return Vec::new() };
    let after = engine.diagram();
    engine.undo();
    let before = engine.diagram();
    // It was legal a moment ago.
    let _ = engine.play(&last);
    changed(&before, &after).into_iter().map(|n| square_name(&after, n)).collect()
}

/// A game with what a page must know about it.
#[derive(Serialize)]
pub struct GameObject {
    #[serde(flatten)]
    card: Card,
    /// Whether the players see different things.
    hidden: bool,
    dice: bool,
    /// Whether it is one of a variant file.
    variant: bool,
    /// Whether it is one of those that are served.
    served: bool,
}

impl GameObject {
    fn new(game: AnyGame, served: bool, card: Card) -> GameObject {
        let variant = matches!(game, AnyGame::Variant(_));
        GameObject { card, hidden: game.hides(), dice: game.has_dice(), variant, served }
    }
}

/// The games, those that are served first.
pub fn games(games: &Games) -> Vec<GameObject> {
    let served = games.served();
    let first = served.iter().map(|game| GameObject::new(*game, true, game.card()));
    let others = if games.has_others() { catalogue() } else { Vec::new() };
    let others = others.into_iter().filter(|card| served.iter().all(|game| game.card().id != card.id));
    let others = others.filter_map(|card| {
        let place = Place { game: Some(card.id.clone()), variant: None, fen: None, moves: Vec::new() };
        Some(GameObject::new(games.find(&place).ok()?, false, card))
    });
    first.chain(others).collect()
}

/// What a page shows of a game beside its board.
#[derive(Serialize)]
pub struct AboutObject {
    #[serde(flatten)]
    game: GameObject,
    pieces: Vec<KindObject>,
    /// The variant file, if it is known.
    text: Option<&'static str>,
}

/// A type of pieces.
#[derive(Serialize)]
struct KindObject {
    letter: char,
    names: [String; 2],
    abbreviations: [String; 2],
    /// In Betza notation.
    betza: String,
    motions: Vec<MotionObject>,
}

/// One step in one direction, as White makes it.
#[derive(Serialize)]
struct MotionObject {
    dx: i8,
    dy: i8,
    quiet: bool,
    capture: bool,
    initial: bool,
    lame: bool,
    /// The most steps; 0 for any number.
    steps: u8,
}

/// What is wrong with a variant file.
#[derive(Serialize)]
pub struct Checked {
    error: Option<String>,
    line: Option<usize>,
    key: Option<String>,
}

/// What is wrong with the variant file of a request, if anything is.
///
/// # Errors
/// If there is none.
pub fn check(place: &Place) -> Result<Checked, ApiError> {
    let text = place.variant.as_deref().ok_or_else(|| ApiError::bad("variant: the text of the file"))?;
    Ok(match Rules::parse(text) {
        Ok(_) => Checked { error: None, line: None, key: None },
        Err(error) => Checked { error: Some(error.to_string()), line: error.line, key: Some(error.key) },
    })
}

/// What there is to know about a game.
///
/// # Errors
/// If the game does not exist.
pub fn about(games: &Games, place: &Place) -> Result<AboutObject, ApiError> {
    let game = games.find(place)?;
    let card = game.card();
    let embedded = GAMES.iter().find(|known| known.id == card.id && place.variant.is_none());
    let pieces = match game {
        AnyGame::Variant(rules) => rules.pieces.iter().map(kind).collect(),
        AnyGame::Coded(_) => Vec::new(),
    };
    let card = Card { status: embedded.map_or("", |known| known.status), ..card };
    Ok(AboutObject {
        game: GameObject::new(game, false, card),
        pieces,
        text: embedded.map(|known| known.text),
    })
}

fn kind(piece: &jewel_engine::variant::PieceSpec) -> KindObject {
    let motions = betza::parse(&piece.moves).unwrap_or_default();
    KindObject {
        letter: piece.letter,
        names: piece.names.clone(),
        abbreviations: piece.abbreviations.clone(),
        betza: piece.moves.clone(),
        motions: motions
            .iter()
            .map(|motion| MotionObject {
                dx: motion.dx,
                dy: motion.dy,
                quiet: motion.quiet,
                capture: motion.capture,
                initial: motion.initial,
                lame: motion.lame,
                steps: match motion.range {
                    Range::Leap => 1,
                    Range::UpTo(steps) => steps,
                    Range::Unlimited => 0,
                },
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_from_the_texts_of_moves() {
        let names: Vec<String> = ["a1", "a10", "b6", "b7", "e4", "d5"].map(str::to_string).into();
        let of = |text: &str| {
            let (squares, rest) = squares_of(text, &names);
            (squares.join(" "), rest)
        };
        for (text, squares, rest) in [
            ("b6b7r", "b6 b7", "r"),
            ("a1a10", "a1 a10", ""),
            ("C@b7", "b7", "C@"),
            ("Zb6xd5,e4,e4", "b6 d5 e4 e4", "Zx,,"),
            ("done", "", "done"),
            ("é", "", "é"),
        ] {
            assert_eq!(of(text), (squares.to_string(), rest.to_string()), "{text}");
        }
    }
}
