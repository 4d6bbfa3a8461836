//! Position strings: `board side phase moved quiet`.

use super::board::{BANKS, CORNERS, DRY, EDGE, geometry};
use super::placement::{PLACEMENTS, cell};
use super::state::NOBODY;
use super::{Kind, QUIET_LIMIT, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::geometry::shorten;
use crate::value::Side;
use thiserror::Error;

/// What is wrong with a position string.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// Not five fields.
    #[error("a position has 5 fields, \"board side phase moved quiet\"; found {0}")]
    Fields(usize),
    /// Not eight ranks.
    #[error("the board has 8 ranks with '/' between, found {0}")]
    Ranks(usize),
    /// A rank of the wrong length.
    #[error("rank {rank} has {found} squares instead of 8")]
    Length {
        /// The rank, from 1.
        rank: usize,
        /// Its squares.
        found: usize,
    },
    /// A character that means nothing there.
    #[error(
        "rank {rank}: unexpected \"{found}\"; pieces are {known}, G+ and R+ are marked, (CZ) share a square"
    )]
    Letter {
        /// The rank, from 1.
        rank: usize,
        /// The character.
        found: String,
        /// The letters.
        known: &'static str,
    },
    /// A shared square that is written wrongly or holds what cannot share one.
    #[error(
        "rank {rank}: \"({found})\" is not a shared square; at most one piece that is not a zi ri, then Z, then z"
    )]
    Shared {
        /// The rank, from 1.
        rank: usize,
        /// What is between the parentheses.
        found: String,
    },
    /// More pieces of a kind than a player has.
    #[error("too many {kind} of {side}: a player has {most}")]
    TooMany {
        /// The side, `w` or `b`.
        side: char,
        /// The piece.
        kind: &'static str,
        /// How many there can be.
        most: u32,
    },
    /// A piece where its kind never is.
    #[error("the {kind} cannot be on {square}: {why}")]
    Misplaced {
        /// The piece.
        kind: &'static str,
        /// Its square.
        square: String,
        /// The reason.
        why: &'static str,
    },
    /// No town at all.
    #[error("both towns are missing; a game ends with the capture of one")]
    NoTowns,
    /// A side that is neither `w` nor `b`.
    #[error("the side to move is w or b, found \"{0}\"")]
    Side(String),
    /// A phase that cannot be read.
    #[error("the phase is p (placement) or m (moving), found \"{0}\"")]
    Phase(String),
    /// Pieces of the placement phase that are not on the first cells.
    #[error("in the placement phase {0}")]
    Placement(String),
    /// A field of moved pieces that cannot be.
    #[error("moved is \"-\" or what one piece move moved, such as \"Gd5\" or \"Cc6,Cd6\"; {0}")]
    Moved(String),
    /// A count of quiet turns out of range.
    #[error("quiet is the number of turns since a capture or placement, 0 to {QUIET_LIMIT}; found \"{0}\"")]
    Quiet(String),
}

const LETTERS: &str = "T G K H O R S Z C";

impl WorldTree {
    /// Reads a position string.
    pub(super) fn read(text: &str) -> Result<WorldTree, PositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [board, side, phase, moved, quiet] = fields[..] else {
            return Err(PositionError::Fields(fields.len()));
        };
        let mut position = WorldTree::empty();
        read_board(board, &mut position)?;
        position.side = match side {
            "w" => Side::White,
            "b" => Side::Black,
            _ => return Err(PositionError::Side(shorten(side))),
        };
        position.check_pieces()?;
        position.quiet = read_quiet(quiet)?;
        position.read_moved(moved)?;
        match phase {
            "m" => {}
            "p" => position.read_placement()?,
            _ => return Err(PositionError::Phase(shorten(phase))),
        }
        position.key = position.zobrist();
        Ok(position)
    }

    /// Checks that no piece is where it can never be.
    fn check_pieces(&self) -> Result<(), PositionError> {
        let misplaced = |kind: Kind, set: Bitboard, why| match set.is_empty() {
            true => Ok(()),
            false => {
                let square = geometry().name(set.first());
                Err(PositionError::Misplaced { kind: kind.name(), square, why })
            }
        };
        for side in Side::BOTH {
            for kind in [Kind::Town, Kind::Cani, Kind::Gormoror, Kind::Herethroy, Kind::Rassimel] {
                misplaced(kind, self.pieces(side, kind) & !DRY, "it never enters the river")?;
            }
            let town = self.pieces(side, Kind::Town);
            misplaced(Kind::Town, town & !EDGE, "it stays on the edge of the board")?;
            misplaced(Kind::Town, town & !BANKS[side.index()], "it stays on its own bank")?;
        }
        let towns = Side::BOTH.map(|side| self.pieces(side, Kind::Town).any());
        if towns == [false; 2] { Err(PositionError::NoTowns) } else { Ok(()) }
    }

    fn read_moved(&mut self, text: &str) -> Result<(), PositionError> {
        if text == "-" {
            return Ok(());
        }
        let wrong = |why: String| Err(PositionError::Moved(why));
        if self.taken_town().is_some() {
            return wrong("the game is over, and it must be \"-\"".into());
        }
        for part in text.split(',') {
            let mut letters = part.chars();
            let kind = letters.next().and_then(Kind::from_letter);
            let square = geometry().parse_square(letters.as_str());
            let (Some(kind), Ok(square)) = (kind, square) else {
                return wrong(format!("found \"{}\"", shorten(part)));
            };
            if !self.pieces(self.side, kind).has(square) {
                return wrong(format!("the side to move has no {} on {}", kind.name(), shorten(part)));
            }
            let repeated = self.moved_cani.has(square);
            if repeated || self.is_mid_turn() && (kind, self.moved) != (Kind::Cani, Kind::Cani as u32) {
                return wrong(format!("\"{}\" is not one piece, nor some of the cani", shorten(text)));
            }
            self.moved = kind as u32;
            if kind == Kind::Cani {
                self.moved_cani |= square.bit();
            }
        }
        Ok(())
    }

    /// Makes this a position of the placement phase, if the pieces stand as they would in it.
    fn read_placement(&mut self) -> Result<(), PositionError> {
        let wrong = |why: String| Err(PositionError::Placement(why));
        if self.is_mid_turn() || self.quiet != 0 || self.marks != 0 {
            return wrong("nothing has moved, nothing is marked and quiet is 0".into());
        }
        let mut placed = [0; 2];
        for side in Side::BOTH {
            let town = CORNERS[side.index()];
            if self.pieces(side, Kind::Town) != town.bit() {
                return wrong(format!("the town of {} is on {}", side.letter(), geometry().name(town)));
            }
            let pieces = self.solid[side.index()] & !town.bit() | self.zi_ri(side);
            let count = pieces.count();
            let cells: Bitboard = (0..count as usize).map(|n| cell(side, n)).collect();
            // A zi ri on a square that is taken would not be counted.
            let stacked = (self.solid[side.index()] & self.zi_ri(side)).any();
            if pieces != cells || stacked {
                return wrong(format!(
                    "the {count} pieces of {} stand on its first cells: {}",
                    side.letter(),
                    geometry().names(cells)
                ));
            }
            placed[side.index()] = count as u8;
        }
        let ahead = u8::from(self.side == Side::Black);
        if placed[0] != placed[1] + ahead {
            return wrong(format!(
                "the players put down one piece at a time, w first; found {} and {} with {} to move",
                placed[0],
                placed[1],
                self.side.letter()
            ));
        }
        self.placed = placed[0] + placed[1];
        if self.placed == PLACEMENTS {
            return wrong("something is left to place: with all pieces on the board it is over (m)".into());
        }
        Ok(())
    }

    /// The position string.
    pub(super) fn text(&self) -> String {
        let ranks: Vec<String> = (0..8).rev().map(|rank| self.rank_text(rank)).collect();
        let phase = if self.is_placing() { 'p' } else { 'm' };
        format!("{} {} {phase} {} {}", ranks.join("/"), self.side.letter(), self.moved_text(), self.quiet)
    }

    fn rank_text(&self, rank: u8) -> String {
        let (mut text, mut empty) = (String::new(), 0);
        for file in 0..8 {
            let pieces = self.square_text(Square::new(rank * 8 + file));
            if pieces.is_empty() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
                empty = 0;
            }
            text.push_str(&pieces);
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text
    }

    /// What stands on a square, as in the board of a position string; nothing if it is empty.
    pub(super) fn square_text(&self, square: Square) -> String {
        let mut pieces: Vec<String> = Vec::new();
        if let Some((kind, side)) = self.solid_on(square) {
            let mark = if self.is_marked(side, kind) { "+" } else { "" };
            pieces.push(format!("{}{mark}", kind.letter_of(side)));
        }
        for side in Side::BOTH {
            if self.zi_ri(side).has(square) {
                pieces.push(Kind::ZiRi.letter_of(side).to_string());
            }
        }
        if pieces.len() > 1 { format!("({})", pieces.concat()) } else { pieces.concat() }
    }

    /// The pieces that moved already this turn, such as `Cc6,Cd6`; `-` at its start.
    pub(super) fn moved_text(&self) -> String {
        if self.moved == NOBODY {
            return "-".into();
        }
        let kind = Kind::from_number(self.moved);
        let squares = if kind == Kind::Cani { self.moved_cani } else { self.pieces(self.side, kind) };
        let mut parts: Vec<String> =
            squares.into_iter().map(|s| format!("{}{}", kind.letter(), geometry().name(s))).collect();
        parts.sort();
        parts.join(",")
    }
}

fn read_quiet(text: &str) -> Result<u8, PositionError> {
    let quiet = text.parse().ok().filter(|n: &u8| u32::from(*n) <= QUIET_LIMIT && n.to_string() == text);
    quiet.ok_or_else(|| PositionError::Quiet(shorten(text)))
}

fn read_board(text: &str, position: &mut WorldTree) -> Result<(), PositionError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(PositionError::Ranks(ranks.len()));
    }
    for (n, rank) in ranks.iter().enumerate() {
        read_rank(rank, 8 - n, position)?;
    }
    Ok(())
}

/// Reads the text of a rank, numbered from 1, onto the board.
fn read_rank(mut text: &str, rank: usize, position: &mut WorldTree) -> Result<(), PositionError> {
    let mut file = 0;
    while let Some(first) = text.chars().next() {
        if let Some(skip) = first.to_digit(10).filter(|n| (1..=8).contains(n)) {
            file += skip as usize;
            text = &text[1..];
            continue;
        }
        let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (pieces, rest) = match inside {
            Some((pieces, rest)) => (pieces, rest),
            None => text.split_at(first.len_utf8() + usize::from(text[first.len_utf8()..].starts_with('+'))),
        };
        if file < 8 {
            let square = Square::new((rank * 8 - 8 + file) as u8);
            read_square(pieces, rank, square, inside.is_some(), position)?;
        }
        file += 1;
        text = rest;
    }
    if file == 8 { Ok(()) } else { Err(PositionError::Length { rank, found: file }) }
}

/// Puts the pieces of one square onto the board.
fn read_square(
    mut text: &str,
    rank: usize,
    square: Square,
    shared: bool,
    position: &mut WorldTree,
) -> Result<(), PositionError> {
    let pieces = text;
    let mut count = 0;
    while let Some(letter) = text.chars().next() {
        let unknown = || PositionError::Letter { rank, found: shorten(text), known: LETTERS };
        let kind = Kind::from_letter(letter.to_ascii_uppercase()).ok_or_else(unknown)?;
        let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
        let rest = &text[1..];
        text = rest.strip_prefix('+').unwrap_or(rest);
        let marked = text.len() < rest.len();
        if marked && !matches!(kind, Kind::Gormoror | Kind::Rassimel) {
            return Err(PositionError::Letter { rank, found: shorten(pieces), known: LETTERS });
        }
        let most = if kind == Kind::Cani { Kind::CANI } else { 1 };
        if position.pieces(side, kind).count() >= most {
            return Err(PositionError::TooMany { side: side.letter(), kind: kind.name(), most });
        }
        position.put(kind, side, square);
        position.set_mark(side, kind, marked);
        count += 1;
    }
    // One spelling: what is written must be what stands there now.
    let spelled = if shared { format!("({pieces})") } else { pieces.to_string() };
    if count == 0 || spelled != position.square_text(square) {
        return Err(PositionError::Shared { rank, found: shorten(pieces) });
    }
    Ok(())
}
