//! The text of a variant file, from its parts.

use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::text::is_disruptive;
use std::fmt::Write;

/// One piece type; arrays of two are by side.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceSheet {
    pub(super) letter: char,
    pub(super) name: String,
    pub(super) moves: String,
    pub(super) royal: bool,
    pub(super) initial: Option<[Bitboard; 2]>,
    pub(super) territory: Option<[Bitboard; 2]>,
    pub(super) promotion: Option<([Bitboard; 2], String, bool)>,
    pub(super) en_passant: bool,
    pub(super) resets_clock: bool,
}

/// A castling right with the squares of king and rook.
#[derive(Clone, Debug)]
pub(super) struct CastleSheet {
    pub(super) right: char,
    pub(super) king: [Square; 2],
    pub(super) rook: [Square; 2],
    pub(super) rook_piece: char,
    /// Where there is no royal piece.
    pub(super) king_piece: Option<char>,
}

/// The goals: squares by side, objective, letters of the pieces that count.
#[derive(Clone, Debug)]
pub(super) struct KeySheet {
    pub(super) goals: [Bitboard; 2],
    pub(super) objective: &'static str,
    pub(super) eligible: String,
}

/// A variant file in parts.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) comments: Vec<String>,
    pub(super) id: String,
    pub(super) name: String,
    /// Flags of the rules by their keys, such as `must-capture` or `draw.…`.
    pub(super) flags: Vec<&'static str>,
    pub(super) geometry: Geometry,
    pub(super) start: String,
    pub(super) pieces: Vec<PieceSheet>,
    pub(super) key: Option<KeySheet>,
    pub(super) castles: Vec<CastleSheet>,
    pub(super) checkmate: &'static str,
    pub(super) stalemate: &'static str,
    pub(super) bare: &'static str,
    pub(super) extinction: Option<(String, &'static str)>,
    pub(super) repetition: u32,
    pub(super) n_move: Option<u32>,
}

impl Sheet {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for comment in &self.comments {
            let line: String = comment.chars().map(|c| if is_disruptive(c) { ' ' } else { c }).collect();
            out.push_str(format!("# {line}").trim_end());
            out.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(out, "\nid = {}\nname = {}\n", quoted(&self.id), quoted(&self.name));
        self.flags(&mut out, "");
        let g = self.geometry;
        let _ = write!(out, "\n[board]\nsize = \"{}x{}\"\n", g.width(), g.height());
        let _ = writeln!(out, "start = {}", quoted(&self.start));
        for piece in &self.pieces {
            self.piece(&mut out, piece);
        }
        if let Some(key) = &self.key {
            let _ = write!(out, "\n[key]\ngoals = {}\n", self.zones(&key.goals));
            let _ = write!(out, "objective = \"{}\"\neligible = \"{}\"\n", key.objective, key.eligible);
        }
        for castle in &self.castles {
            let square = |square| quoted(&g.name(square));
            let _ = write!(out, "\n[[castling]]\nright = \"{}\"\n", castle.right);
            let _ = writeln!(out, "king = [{}, {}]", square(castle.king[0]), square(castle.king[1]));
            let _ = writeln!(out, "rook = [{}, {}]", square(castle.rook[0]), square(castle.rook[1]));
            let _ = writeln!(out, "rook-piece = \"{}\"", castle.rook_piece);
            if let Some(piece) = castle.king_piece {
                let _ = writeln!(out, "king-piece = \"{piece}\"");
            }
        }
        let _ = write!(out, "\n[end]\ncheckmate = \"{}\"\n", self.checkmate);
        let _ = write!(out, "stalemate = \"{}\"\nbare = \"{}\"\n", self.stalemate, self.bare);
        if let Some((pieces, result)) = &self.extinction {
            let _ = writeln!(out, "extinction = {{ pieces = \"{pieces}\", result = \"{result}\" }}");
        }
        let _ = write!(out, "\n[draw]\nrepetition = {}\n", self.repetition);
        if let Some(moves) = self.n_move {
            let _ = writeln!(out, "n-move = {moves}");
        }
        self.flags(&mut out, "draw.");
        out
    }

    /// The flags of a table: those whose keys begin with its name and a dot, or have no dot.
    fn flags(&self, out: &mut String, table: &str) {
        let own = self.flags.iter().filter_map(|flag| flag.strip_prefix(table));
        for flag in own.filter(|flag| !flag.contains('.')) {
            let _ = writeln!(out, "{flag} = true");
        }
    }

    fn piece(&self, out: &mut String, piece: &PieceSheet) {
        let _ = write!(out, "\n[[piece]]\nletter = \"{}\"\nmoves = {}\n", piece.letter, quoted(&piece.moves));
        let _ = writeln!(out, "name = {}", quoted(&piece.name));
        if piece.royal {
            out.push_str("royal = true\n");
        }
        for (key, zones) in [("initial", &piece.initial), ("territory", &piece.territory)] {
            if let Some(zones) = zones {
                let _ = writeln!(out, "{key} = {}", self.zones(zones));
            }
        }
        if let Some((zones, to, optional)) = &piece.promotion {
            let optional = if *optional { ", optional = true" } else { "" };
            let _ = writeln!(out, "promotion = {{ zone = {}, to = \"{to}\"{optional} }}", self.zones(zones));
        }
        if piece.en_passant {
            out.push_str("en-passant = true\n");
        }
        let _ = writeln!(out, "resets-clock = {}", piece.resets_clock);
    }

    fn zones(&self, zones: &[Bitboard; 2]) -> String {
        format!("{{ w = {}, b = {} }}", self.squares(zones[0]), self.squares(zones[1]))
    }

    /// A list of squares, whole ranks by their number.
    fn squares(&self, mut set: Bitboard) -> String {
        let g = self.geometry;
        let mut parts = Vec::new();
        for rank in 0..g.height() {
            let whole = g.rank_set(rank);
            if (set & whole) == whole {
                parts.push(quoted(&format!("rank {}", rank + 1)));
                set &= !whole;
            }
        }
        parts.extend(set.into_iter().map(|square| quoted(&g.name(square))));
        format!("[{}]", parts.join(", "))
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_disruptive(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}
