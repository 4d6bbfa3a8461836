//! The text of a variant file, from its parts.

use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::text::is_disruptive;
use std::fmt::Write;

/// One piece type; arrays of two are by side.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceSheet {
    /// With its mark.
    pub(super) letter: String,
    pub(super) name: String,
    pub(super) moves: String,
    pub(super) royal: bool,
    pub(super) initial: Option<[Bitboard; 2]>,
    pub(super) territory: Option<[Bitboard; 2]>,
    pub(super) promotion: Option<PromotionSheet>,
    pub(super) rotated: bool,
    pub(super) in_hand: Option<String>,
    pub(super) drop: Option<DropSheet>,
    pub(super) en_passant: bool,
    pub(super) resets_clock: bool,
}

/// A promotion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PromotionSheet {
    pub(super) zone: [Bitboard; 2],
    pub(super) forced: [Bitboard; 2],
    /// By side.
    pub(super) to: [String; 2],
    pub(super) optional: bool,
    pub(super) leaving: bool,
    pub(super) on_capture: bool,
}

/// Where and how a type is dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DropSheet {
    pub(super) zone: [Bitboard; 2],
    pub(super) per_file: Option<u32>,
    pub(super) mate: bool,
    pub(super) balanced: bool,
}

/// The rules of pieces in hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandSheet {
    pub(super) captures: &'static str,
    pub(super) compulsory: bool,
    pub(super) castling: bool,
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
    pub(super) hand: Option<HandSheet>,
    pub(super) key: Option<KeySheet>,
    pub(super) castles: Vec<CastleSheet>,
    pub(super) checkmate: &'static str,
    pub(super) stalemate: &'static str,
    pub(super) bare: &'static str,
    pub(super) extinction: Option<(String, &'static str)>,
    pub(super) repetition: u32,
    /// What a repetition is worth, where that is no draw.
    pub(super) repeated: Option<&'static str>,
    pub(super) perpetual_check: bool,
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
        if let Some(hand) = &self.hand {
            let _ = write!(out, "\n[hand]\ncaptures = \"{}\"\n", hand.captures);
            for (key, set) in [("compulsory", hand.compulsory), ("castling", hand.castling)] {
                if set {
                    let _ = writeln!(out, "{key} = true");
                }
            }
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
        if let Some(result) = self.repeated {
            let _ = writeln!(out, "repetition = \"{result}\"");
        }
        if self.perpetual_check {
            out.push_str("perpetual-check = \"loss\"\n");
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
        if let Some(promotion) = &piece.promotion {
            let _ = write!(out, "promotion = {{ zone = {}, to = ", self.zones(&promotion.zone));
            match &promotion.to {
                [white, black] if white == black => {
                    let _ = write!(out, "\"{white}\"");
                }
                [white, black] => {
                    let _ = write!(out, "{{ w = \"{white}\", b = \"{black}\" }}");
                }
            }
            let flags = [
                ("optional", promotion.optional),
                ("leaving", promotion.leaving),
                ("on-capture", promotion.on_capture),
            ];
            for (key, _) in flags.iter().filter(|(_, set)| *set) {
                let _ = write!(out, ", {key} = true");
            }
            if promotion.optional && promotion.forced.iter().any(|set| set.any()) {
                let _ = write!(out, ", forced = {}", self.zones(&promotion.forced));
            }
            out.push_str(" }\n");
        }
        if piece.rotated {
            out.push_str("rotated = true\n");
        }
        if let Some(letter) = &piece.in_hand {
            let _ = writeln!(out, "in-hand = \"{letter}\"");
        }
        if let Some(drop) = &piece.drop {
            let _ = write!(out, "drop = {{ zone = {}", self.zones(&drop.zone));
            if let Some(count) = drop.per_file {
                let _ = write!(out, ", per-file = {count}");
            }
            if !drop.mate {
                out.push_str(", mate = false");
            }
            if drop.balanced {
                out.push_str(", balanced = true");
            }
            out.push_str(" }\n");
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
