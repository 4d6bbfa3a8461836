//! From the text of a variant file to its specification: every key understood and checked.

use super::consistency;
use super::error::VariantError;
use super::file::{self, Each, Names, SquareList, Text, VariantFile};
use super::spec::{
    Bare, Castle, KeyRule, Mark, Material, Objective, PieceSpec, Promotion, Repeated, RulesSpec,
};
use crate::betza::{self, Motion, Range};
use crate::bitboard::Bitboard;
use crate::geometry::{Geometry, shorten};
use crate::value::{Outcome, Side};
use crate::zobrist::MAX_TYPES;
use arrayvec::ArrayVec;
use toml::Spanned;

/// Reads and checks the text of a variant file. Where the start position stands in it is returned as well: the FEN
/// reader checks that later.
pub(super) fn read(text: &str) -> Result<(RulesSpec, std::ops::Range<usize>), VariantError> {
    let file: VariantFile = toml::from_str(text).map_err(|e| VariantError::from_toml(text, &e))?;
    let royal = royal(text, &file)?;
    let reader = Reader { text, geometry: size(text, &file)?, symbols: symbols(text, &file)?, royal };
    let spec = reader.spec(&file)?;
    consistency::check(text, &file, &spec)?;
    Ok((spec, file.board.start.span()))
}

fn size(text: &str, file: &VariantFile) -> Result<Geometry, VariantError> {
    let size = &file.board.size;
    Geometry::parse(size.get_ref()).map_err(|e| VariantError::at(text, &size.span(), "board.size", e))
}

/// The royal type of check and checkmate.
fn royal(text: &str, file: &VariantFile) -> Result<Option<u8>, VariantError> {
    let mut royal = None;
    let royals = file.piece.iter().enumerate().filter(|(_, p)| p.get_ref().royal != file::Royal::Is(false));
    for (kind, piece) in royals {
        if royal.replace(kind as u8).is_some() {
            let letter = &piece.get_ref().letter;
            return Err(VariantError::at(
                text,
                &letter.span(),
                "piece.royal",
                "only one piece type can be royal",
            ));
        }
    }
    Ok(royal.filter(|kind| file.piece[usize::from(*kind)].get_ref().royal == file::Royal::Is(true)))
}

/// The letters of the piece types, each one upper-case letter with a mark of its own.
fn symbols(text: &str, file: &VariantFile) -> Result<Vec<(char, Mark)>, VariantError> {
    let mut symbols = Vec::new();
    for piece in &file.piece {
        let given = &piece.get_ref().letter;
        let wrong = |problem: String| VariantError::at(text, &given.span(), "piece.letter", problem);
        let (bare, mark) = match (given.get_ref().strip_prefix('+'), given.get_ref().strip_suffix('~')) {
            (Some(bare), None) => (bare, Mark::Plus),
            (None, Some(bare)) => (bare, Mark::Tilde),
            _ => (given.get_ref().as_str(), Mark::None),
        };
        let mut chars = bare.chars();
        let letter = match (chars.next(), chars.next()) {
            (Some(letter @ 'A'..='Z'), None) => letter,
            _ => {
                return Err(wrong(format!(
                    "expected one letter A to Z, with + before it or ~ behind it for promoted pieces, found \"{}\"",
                    shorten(given.get_ref())
                )));
            }
        };
        if symbols.contains(&(letter, mark)) {
            return Err(wrong(format!("the letter {} is taken by an earlier piece", mark.beside(letter))));
        }
        symbols.push((letter, mark));
    }
    if symbols.is_empty() {
        return Err(VariantError::missing("piece", "expected at least one [[piece]] table"));
    }
    if symbols.len() > MAX_TYPES {
        let problem = format!("at most {MAX_TYPES} piece types are possible, found {}", symbols.len());
        return Err(VariantError::missing("piece", problem));
    }
    Ok(symbols)
}

/// Splits a text into letters with their marks: `P+PQ~` is P, +P and Q~.
fn split_symbols(text: &str) -> impl Iterator<Item = (char, Mark)> + '_ {
    let mut letters = text.chars().peekable();
    std::iter::from_fn(move || {
        let first = letters.next()?;
        if first == '+'
            && let Some(letter) = letters.next()
        {
            return Some((letter, Mark::Plus));
        }
        let tilde = letters.next_if_eq(&'~').is_some();
        Some((first, if tilde { Mark::Tilde } else { Mark::None }))
    })
}

pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) geometry: Geometry,
    pub(super) symbols: Vec<(char, Mark)>,
    /// The royal type of check and checkmate.
    pub(super) royal: Option<u8>,
}

pub(super) type Result<T, E = VariantError> = std::result::Result<T, E>;

impl Reader<'_> {
    fn spec(&self, file: &VariantFile) -> Result<RulesSpec> {
        let blocking = self.squares(&file.board.blocking, "board.blocking")?;
        let royal = self.royal;
        let falls = file::Royal::Falls(file::RoyalFalls::Capture);
        let captured_royal =
            file.piece.iter().position(|piece| piece.get_ref().royal == falls).map(|kind| kind as u8);
        let hand = self.hand(file)?;
        let mut pieces = self.pieces(file)?;
        self.drops(file, &mut pieces)?;
        let key = file.key.as_ref().map(|k| self.key(k)).transpose()?;
        let result = |text: &Option<Text>, name: &str, default| match text {
            Some(text) => self.outcome(text, name),
            None => Ok(default),
        };
        Ok(RulesSpec {
            id: self.id(file)?,
            name: file.name.get_ref().clone(),
            summary: file.summary.clone(),
            sides: match &file.sides {
                Some(Each { w, b }) => [w.clone(), b.clone()],
                None => ["White".into(), "Black".into()],
            },
            geometry: self.geometry,
            start: file.board.start.get_ref().clone(),
            blocking,
            pieces,
            royal,
            captured_royal,
            hand,
            castles: self.castles(file, royal)?,
            chess960: file.chess960.as_ref().is_some_and(|flag| *flag.get_ref()),
            checkmate: result(&file.end.checkmate, "end.checkmate", Outcome::Loss)?,
            stalemate: result(&file.end.stalemate, "end.stalemate", Outcome::Draw)?,
            bare: self.bare(file, key.is_some(), royal.is_some() || hand.is_some())?,
            extinction: self.extinction(file, captured_royal)?,
            repetition: self.repetition(file)?,
            repeated: self.repeated(file)?,
            perpetual_check_loses: self.perpetual_check(file)?,
            move_rule: self.move_rule(file)?,
            insufficient: self.insufficient(file)?,
            must_capture: file.must_capture,
            same_colour: match &file.draw.insufficient_same_colour {
                Some(letters) => self.kinds(letters, "draw.insufficient-same-colour")?,
                None => 0,
            },
            key,
        })
    }

    pub(super) fn at<T>(
        &self,
        place: &Spanned<T>,
        key: &str,
        problem: impl std::fmt::Display,
    ) -> VariantError {
        VariantError::at(self.text, &place.span(), key, problem)
    }

    fn id(&self, file: &VariantFile) -> Result<String> {
        let Some(id) = &file.id else { return Ok(slug(file.name.get_ref())) };
        let word = id.get_ref();
        let fits = word.len() <= 40
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !fits {
            let found = shorten(word);
            let expected = format!(
                "expected lower-case letters, digits and '-', such as \"my-game\", found \"{found}\""
            );
            return Err(self.at(id, "id", expected));
        }
        Ok(word.clone())
    }

    fn squares(&self, list: &SquareList, key: &str) -> Result<Bitboard> {
        list.iter().try_fold(Bitboard::EMPTY, |set, part| {
            let part_set = self.geometry.parse_set(part.get_ref()).map_err(|e| self.at(part, key, e))?;
            Ok(set | part_set)
        })
    }

    pub(super) fn zones(&self, zones: &Each<SquareList>, key: &str) -> Result<[Bitboard; 2]> {
        Ok([self.squares(&zones.w, &format!("{key}.w"))?, self.squares(&zones.b, &format!("{key}.b"))?])
    }

    /// The letter of a type with its mark.
    pub(super) fn symbol(&self, kind: usize) -> String {
        let (letter, mark) = self.symbols[kind];
        mark.beside(letter)
    }

    /// A set of piece types written as letters, `*` for all.
    fn kinds(&self, letters: &Text, key: &str) -> Result<u32> {
        let known: String = (0..self.symbols.len()).map(|kind| self.symbol(kind)).collect();
        if letters.get_ref() == "*" {
            return Ok(((1u64 << self.symbols.len()) - 1) as u32);
        }
        let mut set = 0;
        for (letter, mark) in split_symbols(letters.get_ref()) {
            let Some(kind) = self.symbols.iter().position(|&symbol| symbol == (letter, mark)) else {
                return Err(self.at(
                    letters,
                    key,
                    format!(
                        "no piece has the letter '{}'; known are {known}, or \"*\" for all",
                        shorten(&mark.beside(letter))
                    ),
                ));
            };
            set |= 1 << kind;
        }
        if set == 0 {
            return Err(self.at(
                letters,
                key,
                format!("expected piece letters among {known}, or \"*\" for all"),
            ));
        }
        Ok(set)
    }

    pub(super) fn kind(&self, letter: &Text, key: &str) -> Result<u8> {
        let set = self.kinds(letter, key)?;
        if !set.is_power_of_two() {
            let found = shorten(letter.get_ref());
            return Err(self.at(letter, key, format!("expected one piece letter, found \"{found}\"")));
        }
        Ok(set.trailing_zeros() as u8)
    }

    fn outcome(&self, text: &Text, key: &str) -> Result<Outcome> {
        match text.get_ref().as_str() {
            "loss" => Ok(Outcome::Loss),
            "draw" => Ok(Outcome::Draw),
            "win" => Ok(Outcome::Win),
            other => Err(self.at(
                text,
                key,
                format!(
                    "expected \"loss\", \"draw\" or \"win\" (for the side to move), found \"{}\"",
                    shorten(other)
                ),
            )),
        }
    }

    fn pieces(&self, file: &VariantFile) -> Result<Vec<PieceSpec>> {
        let start = self.start_squares(file)?;
        file.piece.iter().enumerate().map(|(kind, piece)| self.piece(kind, piece, &start)).collect()
    }

    /// Where each type stands in the start position, by type and side: the default zone of `i` moves.
    /// Only the placement is looked at; the FEN reader checks the whole later.
    fn start_squares(&self, file: &VariantFile) -> Result<Vec<[Bitboard; 2]>> {
        let mut start = vec![[Bitboard::EMPTY; 2]; self.symbols.len()];
        let board = file.board.start.get_ref().split(' ').next().unwrap_or("");
        let board = crate::fen::split_hands(board, self.geometry).0;
        let placed = crate::fen::read_placement(board, self.geometry, |letter, mark| {
            self.symbols.iter().position(|&symbol| symbol == (letter, mark)).map(|kind| kind as u8)
        })
        .map_err(|e| self.at(&file.board.start, "board.start", e))?;
        for (square, kind, side) in placed {
            start[kind as usize][side.index()] |= square.bit();
        }
        Ok(start)
    }

    fn piece(&self, kind: usize, place: &Spanned<file::Piece>, start: &[[Bitboard; 2]]) -> Result<PieceSpec> {
        let piece = place.get_ref();
        let motions =
            betza::parse(piece.moves.get_ref()).map_err(|e| self.at(&piece.moves, "piece.moves", e))?;
        for motion in &motions {
            if motion.initial && motion.range != Range::Leap && motion.capture {
                return Err(self.at(
                    &piece.moves,
                    "piece.moves",
                    "an initial slide (i) cannot capture; write im",
                ));
            }
        }
        let initial = match &piece.initial {
            Some(zones) => self.zones(zones, "piece.initial")?,
            None => start[kind],
        };
        let all = self.geometry.all();
        let territory = match &piece.territory {
            Some(zones) => self.zones(zones, "piece.territory")?,
            None => [all, all],
        };
        let promotion = match &piece.promotion {
            Some(promotion) if piece.royal != file::Royal::Is(false) => {
                return Err(self.at(&promotion.to, "piece.promotion", "a royal piece cannot promote"));
            }
            Some(promotion) => self.promotion(promotion)?,
            None => [None, None],
        };
        if piece.en_passant && !motions.iter().any(Motion::is_double_step) {
            return Err(self.at(
                &piece.moves,
                "piece.en-passant",
                "needs a double step such as \"imfnD\" in moves",
            ));
        }
        let (letter, mark) = self.symbols[kind];
        let both = |names: &Option<Names>, default: &str| match names {
            Some(Names::Both(name)) => [name.clone(), name.clone()],
            Some(Names::Each(Each { w, b })) => [w.clone(), b.clone()],
            None => [default.to_string(), default.to_string()],
        };
        if let Some(value) = piece.value.as_ref().filter(|v| !(0..=30_000).contains(v.get_ref())) {
            let problem = format!("expected centipawns from 0 to 30000, found {}", value.get_ref());
            return Err(self.at(value, "piece.value", problem));
        }
        let resets_clock = piece.resets_clock.unwrap_or_else(|| motions.iter().all(|m| m.dy > 0));
        Ok(PieceSpec {
            letter,
            mark,
            names: both(&piece.name, &mark.beside(letter)),
            abbreviations: both(&piece.abbreviation, ""),
            promoted_names: piece.promoted_name.as_ref().map(|_| both(&piece.promoted_name, "")),
            promoted_abbreviations: both(&piece.promoted_abbreviation, ""),
            value: piece.value.as_ref().map(|v| *v.get_ref()),
            moves: piece.moves.get_ref().clone(),
            motions,
            initial,
            territory,
            promotion,
            en_passant: piece.en_passant,
            resets_clock,
            rotated: piece.rotated,
            in_hand: None,
            drop: None,
        })
    }

    fn promotion(&self, promotion: &file::Promotion) -> Result<[Option<Promotion>; 2]> {
        let zones = self.zones(&promotion.zone, "piece.promotion.zone")?;
        let forced = match &promotion.forced {
            Some(place) if !promotion.optional => {
                let squares = place.w.iter().chain(&place.b).next();
                let problem = "without optional = true every promotion is forced";
                return Err(match squares {
                    Some(squares) => self.at(squares, "piece.promotion.forced", problem),
                    None => self.at(&promotion.to, "piece.promotion.forced", problem),
                });
            }
            Some(forced) => self.zones(forced, "piece.promotion.forced")?,
            None if promotion.optional => [Bitboard::EMPTY; 2],
            None => zones,
        };
        let mut rules = [None, None];
        for side in [0, 1] {
            let to = self.promotion_types(&promotion.to(side))?;
            let leaving = if promotion.leaving { zones[side] } else { Bitboard::EMPTY };
            let beyond = forced[side] & !zones[side];
            if beyond.any() {
                let square = self.geometry.name(beyond.first());
                let problem = format!("{square} is not in the zone");
                return Err(self.at(&promotion.to, "piece.promotion.forced", problem));
            }
            rules[side] = zones[side].any().then(|| Promotion {
                zone: zones[side],
                forced: forced[side],
                leaving,
                on_capture: promotion.on_capture,
                to,
                optional: promotion.optional,
            });
        }
        Ok(rules)
    }

    /// The types of a promotion, in the order of the text, which is the order of the moves.
    fn promotion_types(&self, text: &Text) -> Result<ArrayVec<u8, 32>> {
        let set = self.kinds(text, "piece.promotion.to")?;
        let to: ArrayVec<u8, 32> = if text.get_ref() == "*" {
            (0..self.symbols.len() as u8).collect()
        } else {
            split_symbols(text.get_ref())
                .filter_map(|symbol| self.symbols.iter().position(|&s| s == symbol))
                .map(|k| k as u8)
                .take(32)
                .collect()
        };
        if to.len() != set.count_ones() as usize {
            return Err(self.at(text, "piece.promotion.to", "a letter stands there twice"));
        }
        Ok(to)
    }

    fn key(&self, place: &Spanned<file::Key>) -> Result<KeyRule> {
        let key = place.get_ref();
        let squares = match (&key.squares, &key.goals) {
            (Some(list), None) => [self.squares(list, "key.squares")?; 2],
            (None, Some(goals)) => self.zones(goals, "key.goals")?,
            _ => {
                return Err(self.at(
                    place,
                    "key",
                    "expected either squares = […] or goals = { w = […], b = […] }",
                ));
            }
        };
        if squares.iter().any(|s| s.is_empty()) {
            return Err(self.at(place, "key", "a side has no key square"));
        }
        let eligible = key.eligible.as_ref().map(|e| self.kinds(e, "key.eligible")).transpose()?;
        let all = ((1u64 << self.symbols.len()) - 1) as u32;
        let objective = match key.objective.get_ref().as_str() {
            "hold" => Objective::Hold,
            "reach" => Objective::Reach,
            "secure" => Objective::Secure,
            "try" => Objective::Try,
            // Capturing the key is securing it with named pieces only (shared rules of the Facets).
            "capture" if eligible.is_some() => Objective::Secure,
            "capture" => {
                return Err(self.at(
                    &key.objective,
                    "key.objective",
                    "\"capture\" needs eligible = \"letters\"",
                ));
            }
            other => {
                let found = shorten(other);
                let problem = format!(
                    "expected \"hold\", \"secure\", \"capture\", \"reach\" or \"try\", found \"{found}\""
                );
                return Err(self.at(&key.objective, "key.objective", problem));
            }
        };
        Ok(KeyRule { squares, objective, eligible: eligible.unwrap_or(all) })
    }

    fn castles(&self, file: &VariantFile, royal: Option<u8>) -> Result<Vec<Castle>> {
        let mut castles: Vec<Castle> = Vec::new();
        for place in &file.castling {
            let entry = place.get_ref();
            let king_kind = match (royal, &entry.king_piece) {
                (Some(royal), None) => royal,
                (None, None) => return Err(self.at(place, "castling", "needs a royal piece, or king-piece")),
                (royal, Some(piece)) => {
                    let kind = self.kind(piece, "castling.king-piece")?;
                    if royal.is_some_and(|royal| royal != kind) {
                        let problem = "where there is a royal piece, it is the one that castles";
                        return Err(self.at(piece, "castling.king-piece", problem));
                    }
                    kind
                }
            };
            let mut letters = entry.right.get_ref().chars();
            let right = match (letters.next(), letters.next()) {
                (Some(c), None) if c.is_ascii_alphabetic() => c,
                _ => {
                    return Err(self.at(
                        &entry.right,
                        "castling.right",
                        "expected one letter: upper case for w, lower case for b",
                    ));
                }
            };
            if castles.iter().any(|c| c.right == right) || castles.len() == 8 {
                return Err(self.at(
                    &entry.right,
                    "castling.right",
                    "each of at most 8 rights needs a letter of its own",
                ));
            }
            let square = |text: &Text, key: &str| {
                self.geometry.parse_square(text.get_ref()).map_err(|e| self.at(text, key, e))
            };
            let king = [square(&entry.king[0], "castling.king")?, square(&entry.king[1], "castling.king")?];
            let rook = [square(&entry.rook[0], "castling.rook")?, square(&entry.rook[1], "castling.rook")?];
            let ranks = [king[0], king[1], rook[0], rook[1]].map(|s| self.geometry.rank(s));
            if ranks.iter().any(|r| *r != ranks[0])
                || king[0] == rook[0]
                || king[1] == rook[1]
                || king[0] == king[1]
            {
                return Err(self.at(
                    place,
                    "castling",
                    "king and rook must stand on two squares of one rank and go to two others of it",
                ));
            }
            if let Some(twin) = castles.iter().find(|twin| twin.king == king && twin.rook[0] == rook[0]) {
                return Err(self.at(
                    place,
                    "castling",
                    format!(
                        "rights {} and {right} take the king between the same squares with the same rook: their moves \
                         could not be told apart",
                        twin.right
                    ),
                ));
            }
            let rook_kind = self.kind(&entry.rook_piece, "castling.rook-piece")?;
            if rook_kind == king_kind {
                return Err(self.at(
                    &entry.rook_piece,
                    "castling.rook-piece",
                    "the king cannot castle with itself",
                ));
            }
            let castle = Castle {
                side: if right.is_ascii_uppercase() { Side::White } else { Side::Black },
                right,
                king,
                rook,
                king_kind,
                rook_kind,
                empty: Bitboard::EMPTY,
                safe: Bitboard::EMPTY,
            };
            castles.push(castle.between(king, rook));
        }
        Ok(castles)
    }

    fn bare(&self, file: &VariantFile, has_key: bool, has_royal: bool) -> Result<Bare> {
        let Some(text) = &file.end.bare else {
            return Ok(if has_royal {
                Bare::Nothing
            } else if has_key {
                Bare::Key
            } else {
                Bare::Loses
            });
        };
        match text.get_ref().as_str() {
            "loss" => Ok(Bare::Loses),
            "draw" => Ok(Bare::Draws),
            "none" => Ok(Bare::Nothing),
            "key" if has_key => Ok(Bare::Key),
            "key" => Err(self.at(text, "end.bare", "\"key\" needs a [key] table")),
            other => Err(self.at(
                text,
                "end.bare",
                format!("expected \"loss\", \"draw\", \"key\" or \"none\", found \"{}\"", shorten(other)),
            )),
        }
    }

    fn extinction(&self, file: &VariantFile, royal: Option<u8>) -> Result<Option<(Vec<u8>, Outcome)>> {
        let Some(rule) = &file.end.extinction else {
            return Ok(royal.map(|kind| (vec![kind], Outcome::Loss)));
        };
        if royal.is_some() {
            let problem = "a piece with royal = \"capture\" is the one whose loss ends the game";
            return Err(self.at(&rule.pieces, "end.extinction.pieces", problem));
        }
        let set = self.kinds(&rule.pieces, "end.extinction.pieces")?;
        let kinds = (0..self.symbols.len() as u8).filter(|k| set >> k & 1 != 0).collect();
        Ok(Some((kinds, self.outcome(&rule.result, "end.extinction.result")?)))
    }

    fn repetition(&self, file: &VariantFile) -> Result<u32> {
        match &file.draw.repetition {
            None => Ok(3),
            Some(count) if *count.get_ref() == 0 || (2..=100).contains(count.get_ref()) => {
                Ok(*count.get_ref())
            }
            Some(count) => {
                let found = count.get_ref();
                let problem = format!("expected 0 (no such rule) or 2 to 100 occurrences, found {found}");
                Err(self.at(count, "draw.repetition", problem))
            }
        }
    }

    /// What a repetition is worth.
    fn repeated(&self, file: &VariantFile) -> Result<Repeated> {
        let Some(text) = &file.end.repetition else { return Ok(Repeated::ToMove(Outcome::Draw)) };
        let result = match text.get_ref().as_str() {
            "draw" => Repeated::ToMove(Outcome::Draw),
            "loss" => Repeated::ToMove(Outcome::Loss),
            "win" => Repeated::ToMove(Outcome::Win),
            "w" => Repeated::WonBy(Side::White),
            "b" => Repeated::WonBy(Side::Black),
            other => {
                let problem = format!(
                    "expected \"draw\", \"loss\" or \"win\" (for the side to move), \"w\" or \"b\" (who wins), found \"{}\"",
                    shorten(other)
                );
                return Err(self.at(text, "end.repetition", problem));
            }
        };
        if self.repetition(file)? == 0 {
            return Err(self.at(text, "end.repetition", NEVER_REPEATS));
        }
        Ok(result)
    }

    /// Whether perpetual check loses.
    fn perpetual_check(&self, file: &VariantFile) -> Result<bool> {
        let Some(text) = &file.end.perpetual_check else { return Ok(false) };
        match text.get_ref().as_str() {
            "loss" if self.royal.is_none() => {
                Err(self.at(text, "end.perpetual-check", "needs a royal piece"))
            }
            "loss" if self.repetition(file)? == 0 => Err(self.at(text, "end.perpetual-check", NEVER_REPEATS)),
            "loss" => Ok(true),
            "repetition" => Ok(false),
            other => {
                let found = shorten(other);
                let problem =
                    format!("expected \"loss\" or \"repetition\" (as any other), found \"{found}\"");
                Err(self.at(text, "end.perpetual-check", problem))
            }
        }
    }

    fn move_rule(&self, file: &VariantFile) -> Result<Option<u16>> {
        match &file.draw.n_move {
            None => Ok(None),
            Some(moves) if (1..=500).contains(moves.get_ref()) => Ok(Some(*moves.get_ref() as u16 * 2)),
            Some(moves) => {
                let problem = format!("expected 1 to 500 moves by each side, found {}", moves.get_ref());
                Err(self.at(moves, "draw.n-move", problem))
            }
        }
    }

    /// Reads classes such as `KBvK`.
    fn insufficient(&self, file: &VariantFile) -> Result<Vec<Material>> {
        let mut list = Vec::new();
        for text in &file.draw.insufficient {
            let key = "draw.insufficient";
            let Some((white, black)) = text.get_ref().split_once('v') else {
                return Err(self.at(text, key, "expected two sides joined by v, such as \"KBvK\""));
            };
            let mut counts = [[0u8; 32]; 2];
            for (side, letters) in [white, black].into_iter().enumerate() {
                for letter in letters.chars() {
                    let Some(kind) = self.symbols.iter().position(|&symbol| symbol == (letter, Mark::None))
                    else {
                        let letter = letter.escape_default();
                        return Err(self.at(text, key, format!("no piece has the letter '{letter}'")));
                    };
                    counts[side][kind] = counts[side][kind].saturating_add(1);
                }
            }
            list.push(Material { counts });
            list.push(Material { counts: [counts[1], counts[0]] });
        }
        Ok(list)
    }
}

const NEVER_REPEATS: &str = "with draw.repetition = 0 no repetition ends the game";

/// Turns a name into an id.
fn slug(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars().take(40) {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "variant".into() } else { id.into() }
}
