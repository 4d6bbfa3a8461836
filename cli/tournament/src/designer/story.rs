//! What a report shows of a game rather than counts: its board and pieces, how games begin, a game of the sample, and the
//! longest win.

use super::exact::{ExactMove, LongestWin};
use crate::record::GameRecord;
use anyhow::{Context, Result};
use jewel_engine::diagram::{Diagram, Piece};
use jewel_engine::value::{Outcome, Side};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::support::board::{changed, label, roster};
use jewel_players::support::svg::{Reach, movement};
use serde::Serialize;
use std::collections::BTreeMap;

/// Plies of the opening tree.
pub(super) const TREE_PLIES: usize = 2;

/// Fewest games of a move that the opening tree shows, where its value is not known.
const FEWEST: u64 = 5;

/// Most boards of a line.
const MAX_BOARDS: usize = 12;

/// A kind of piece.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct PieceLine {
    /// Its upper-case letter.
    pub letter: char,
    /// What the southern and the northern side call it; empty where that is just its letter.
    pub names: [String; 2],
    /// Its movement in Betza notation; left out where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
    /// A picture of its movement.
    #[serde(skip)]
    pub(super) picture: Option<String>,
}

/// The kinds of pieces of a game at its start position: those that the rules have, or those on the board.
pub(super) fn pieces(game: AnyGame, start: &Diagram) -> Vec<PieceLine> {
    if let AnyGame::Variant(rules) = game {
        let geometry = rules.geometry;
        let size = [geometry.width(), geometry.height()].map(usize::from);
        let cell = |square| usize::from(geometry.rank(square)) * size[0] + usize::from(geometry.file(square));
        return (0..rules.type_count() as u8)
            .map(|kind| {
                let piece = |side| Piece {
                    side,
                    letter: rules.letter(kind, side),
                    name: rules.piece_name(kind, side).to_string(),
                    abbreviation: String::new(),
                };
                // The square where it may stand that is nearest to the middle.
                let off = |square| {
                    let [x, y] =
                        [geometry.file(square), geometry.rank(square)].map(|at| 2 * i32::from(at) + 1);
                    (x - size[0] as i32).abs() + (y - size[1] as i32).abs()
                };
                let from = rules.territory(kind, Side::White).into_iter().min_by_key(|&square| off(square));
                let picture = from.map(|from| {
                    let motions = rules.motions(kind, Side::White, from).into_iter();
                    let to: Vec<Reach> = motions
                        .map(|m| Reach { cell: cell(m.to), quiet: m.quiet, capture: m.capture })
                        .collect();
                    movement(size, cell(from), &piece(Side::White), &to)
                });
                PieceLine {
                    letter: rules.letter(kind, Side::White),
                    names: Side::BOTH.map(|side| label(&piece(side)).to_string()),
                    moves: Some(rules.pieces[usize::from(kind)].moves.clone()),
                    picture,
                }
            })
            .collect();
    }
    let mut lines: BTreeMap<char, PieceLine> = BTreeMap::new();
    for side in Side::BOTH {
        for piece in roster(start, side) {
            let letter = piece.letter.to_ascii_uppercase();
            let names = [String::new(), String::new()];
            let line = lines.entry(letter).or_insert(PieceLine { letter, names, moves: None, picture: None });
            line.names[side.index()] = label(piece).to_string();
        }
    }
    lines.into_values().collect()
}

/// A move of the opening tree.
#[derive(Clone, PartialEq, Serialize, Debug, Default)]
pub struct Opening {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Games of the sample, without repeated ones, that began so.
    pub games: u64,
    /// The points of the player who makes the move in these games, from 0 to 1; `null` without a game.
    pub score: Option<f64>,
    /// `win`, `draw` or `loss` for that player, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<&'static str>,
    /// Plies to the end of the game, counted from the position before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Opening>,
}

/// Counts games by their first moves.
#[derive(Clone, Default, Debug)]
pub(super) struct Tree {
    games: u64,
    /// Points in halves of the player who made the move.
    points: u64,
    moves: BTreeMap<String, Tree>,
}

impl Tree {
    /// Adds a game: its first moves, each with the result for the player who makes it.
    pub(super) fn enter(&mut self, moves: &[(String, Outcome)]) {
        let Some(((text, outcome), rest)) = moves.split_first() else { return };
        let next = self.moves.entry(text.clone()).or_default();
        next.games += 1;
        next.points += match outcome {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        };
        next.enter(rest);
    }

    /// The moves of the tree, with the values that are known, best first: by value, and then by points. Of moves whose
    /// value is not known, those of a few games are left out.
    pub(super) fn openings(&self, known: &[ExactMove]) -> Vec<Opening> {
        let mut all: Vec<Opening> = Vec::new();
        for (text, tree) in &self.moves {
            let known = known.iter().find(|mv| mv.text == *text);
            if known.is_none() && tree.games < FEWEST {
                continue;
            }
            all.push(Opening {
                text: text.clone(),
                games: tree.games,
                score: Some(tree.points as f64 / (2 * tree.games) as f64),
                value: known.map(|mv| mv.value),
                distance: known.and_then(|mv| mv.distance),
                replies: tree.openings(known.map_or(&[], |mv| &mv.replies)),
            });
        }
        for mv in known.iter().filter(|mv| !self.moves.contains_key(&mv.text)) {
            all.push(Opening {
                text: mv.text.clone(),
                value: Some(mv.value),
                distance: mv.distance,
                replies: Tree::default().openings(&mv.replies),
                ..Opening::default()
            });
        }
        // Known moves come best first.
        let rank = |opening: &Opening| known.iter().position(|mv| mv.text == opening.text);
        let by_score = |a: &Opening, b: &Opening| b.score.unwrap_or(-1.0).total_cmp(&a.score.unwrap_or(-1.0));
        all.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| by_score(a, b)));
        all
    }
}

/// A game of the sample.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SampleGame {
    /// Its moves; in standard algebraic notation where the game has it.
    pub moves: Vec<String>,
    /// How many of them were random.
    pub random: usize,
    /// How it ended, in words.
    pub ending: String,
    /// The last position.
    pub fen: String,
    #[serde(skip)]
    pub(super) boards: Vec<Board>,
}

/// A board with the move that led to it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Board {
    pub(super) diagram: Diagram,
    pub(super) changed: Vec<usize>,
    pub(super) caption: String,
}

/// How much a game is worth showing: decided games before drawn ones, those of usual length before others. The least is
/// the best.
pub(super) fn oddity(record: &GameRecord, median: u64) -> (bool, u64, u64) {
    (record.result == "1/2-1/2", (record.moves.len() as u64).abs_diff(median), record.number)
}

/// A record of the sample as a game to show.
///
/// # Errors
/// If the record is not one of the game.
pub(super) fn sample_game(record: &GameRecord, line: &mut dyn GameAt) -> Result<SampleGame> {
    line.set_position(Some(&record.start), &[])?;
    let all = boards(line, &record.moves)?;
    let sides = line.diagram().sides;
    let ending = match line.ending() {
        Some(ending) => ending.text(&sides),
        None => match record.verdict().context("a record without a result")? {
            jewel_engine::value::Verdict::Draw => format!("draw: {}", record.reason.text()),
            verdict => {
                let winner = usize::from(verdict.seen_by(Side::White) != Outcome::Win);
                format!("{} has won: {}", sides[winner], record.reason.text())
            }
        },
    };
    let last = all.len() - 1;
    let mut shown = vec![record.book.min(last), (record.book.min(last) + last) / 2, last];
    shown.dedup();
    Ok(SampleGame {
        moves: line.played_san().unwrap_or_else(|| line.turns()),
        random: record.book,
        ending,
        fen: line.fen(),
        boards: shown.into_iter().map(|n| all[n].clone()).collect(),
    })
}

/// The boards of the longest win, at most a dozen of them: the first, the last, and some between.
///
/// # Errors
/// If it is not a line of the game.
pub(super) fn longest_win(win: &LongestWin, line: &mut dyn GameAt) -> Result<Vec<Board>> {
    line.set_position(Some(&win.fen), &[])?;
    let all = boards(line, &win.line)?;
    let shown = all.len().min(MAX_BOARDS);
    let at = |n: usize| n * (all.len() - 1) / (shown - 1).max(1);
    Ok((0..shown).map(|n| all[at(n)].clone()).collect())
}

/// The boards of a line from the current position, that one first.
fn boards(line: &mut dyn GameAt, moves: &[String]) -> Result<Vec<Board>> {
    let first = line.diagram();
    let caption = format!("{} to move", first.sides[first.side_to_move.index()]);
    let mut all = vec![Board { diagram: first, changed: Vec::new(), caption }];
    for (n, mv) in moves.iter().enumerate() {
        let before = all.last().map(|board| board.diagram.clone()).unwrap_or_else(|| line.diagram());
        let mover = before.sides[before.side_to_move.index()].clone();
        line.play(mv)?;
        let diagram = line.diagram();
        let changed = changed(&before, &diagram);
        all.push(Board { diagram, changed, caption: format!("{}. {mover} plays {mv}", n + 1) });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_their_first_moves() {
        let mut tree = Tree::default();
        let game = |first: &str, second: &str, result: Outcome| {
            vec![(first.to_string(), result), (second.to_string(), !result)]
        };
        for _ in 0..6 {
            tree.enter(&game("a", "x", Outcome::Win));
            tree.enter(&game("b", "x", Outcome::Draw));
        }
        tree.enter(&game("a", "y", Outcome::Loss));
        tree.enter(&game("c", "x", Outcome::Win));
        let found = tree.openings(&[]);
        let texts: Vec<&str> = found.iter().map(|opening| opening.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"], "c was played once");
        assert_eq!((found[0].games, found[0].score), (7, Some(6.0 / 7.0)));
        assert_eq!((found[0].replies.len(), found[0].replies[0].score), (1, Some(0.0)));
        // With values everything is listed, best first.
        let known = |text: &str, value, distance| ExactMove {
            text: text.to_string(),
            value,
            distance,
            replies: Vec::new(),
        };
        let known = [known("c", "win", Some(3)), known("d", "draw", None), known("b", "loss", Some(2))];
        let found = tree.openings(&known);
        let texts: Vec<&str> = found.iter().map(|opening| opening.text.as_str()).collect();
        assert_eq!(texts, ["a", "c", "d", "b"]);
        assert_eq!((found[2].games, found[2].score, found[2].value), (0, None, Some("draw")));
    }

    #[test]
    fn pieces_have_names_movement_and_a_picture() {
        let game = AnyGame::resolve("ambush").unwrap();
        let found = pieces(game, &game.open().diagram());
        assert_eq!(found.len(), 3);
        let leaper = found.iter().find(|piece| piece.letter == 'N').unwrap();
        assert_eq!((leaper.names[1].as_str(), leaper.moves.as_deref()), ("Staffman", Some("N")));
        let knight = leaper.picture.as_ref().unwrap();
        assert_eq!(knight.matches("class=\"goes\"").count(), 8, "a knight in the middle of 5x5");
        let coded = AnyGame::resolve("kings-mate").unwrap();
        let found = pieces(coded, &coded.open().diagram());
        assert!(found.iter().any(|piece| piece.names[0] == "King" && piece.moves.is_none()), "{found:?}");
    }
}
