//! The rules of a game as plain data, and the variant file that says the same.

use jewel_engine::value::Outcome;
use std::fmt::Write;

/// A square as file and rank, from 0.
pub(crate) type Sq = (i32, i32);

/// A piece type of a [`Spec`].
#[derive(Clone, Debug)]
pub(crate) struct PieceSpec {
    pub(crate) letter: char,
    pub(crate) moves: String,
    /// For each side: ranks on which it promotes (empty for never).
    pub(crate) zone: [Vec<i32>; 2],
    pub(crate) to: String,
    pub(crate) optional: bool,
    pub(crate) en_passant: bool,
    /// For each side: ranks that it may not leave; empty for all.
    pub(crate) territory: [Vec<i32>; 2],
}

/// What a key square is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Objective {
    Hold,
    Secure,
    Reach,
}

/// A castling rule.
#[derive(Clone, Debug)]
pub(crate) struct CastleSpec {
    pub(crate) right: char,
    pub(crate) king: [Sq; 2],
    pub(crate) rook: [Sq; 2],
    pub(crate) rook_piece: char,
}

/// The rules of a game, as plain data.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) pieces: Vec<PieceSpec>,
    pub(crate) royal: Option<char>,
    pub(crate) blocking: Vec<Sq>,
    pub(crate) key: Option<([Vec<Sq>; 2], Objective, String)>,
    pub(crate) castling: Vec<CastleSpec>,
    pub(crate) checkmate: Outcome,
    pub(crate) stalemate: Outcome,
    pub(crate) bare: &'static str,
    pub(crate) extinction: Option<(String, Outcome)>,
    pub(crate) n_move: Option<u32>,
    pub(crate) must_capture: bool,
    pub(crate) start: String,
}

pub(super) fn name(square: Sq) -> String {
    format!("{}{}", (b'a' + square.0 as u8) as char, square.1 + 1)
}

fn list(squares: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<String> = squares.into_iter().map(|s| format!("\"{s}\"")).collect();
    format!("[{}]", quoted.join(", "))
}

impl Spec {
    /// The variant file.
    pub(crate) fn toml(&self) -> String {
        let mut out = String::new();
        let ranks = |r: &[i32]| list(r.iter().map(|n| format!("rank {}", n + 1)));
        let _ = writeln!(out, "must-capture = {}", self.must_capture);
        let _ = writeln!(out, "name = \"Random\"\n[board]\nsize = \"{}x{}\"", self.width, self.height);
        let _ = writeln!(out, "start = \"{}\"", self.start);
        let _ = writeln!(out, "blocking = {}", list(self.blocking.iter().map(|s| name(*s))));
        for p in &self.pieces {
            let _ = writeln!(out, "[[piece]]\nletter = \"{}\"\nmoves = \"{}\"", p.letter, p.moves);
            let _ = writeln!(out, "royal = {}", self.royal == Some(p.letter));
            let _ = writeln!(out, "en-passant = {}", p.en_passant);
            if p.territory.iter().any(|t| !t.is_empty()) {
                let all: Vec<i32> = (0..self.height).collect();
                let t = |s: usize| ranks(if p.territory[s].is_empty() { &all } else { &p.territory[s] });
                let _ = writeln!(out, "territory = {{ w = {}, b = {} }}", t(0), t(1));
            }
            if p.zone.iter().any(|z| !z.is_empty()) {
                let (w, b) = (ranks(&p.zone[0]), ranks(&p.zone[1]));
                let _ = writeln!(
                    out,
                    "promotion = {{ zone = {{ w = {w}, b = {b} }}, to = \"{}\", optional = {} }}",
                    p.to, p.optional
                );
            }
        }
        for c in &self.castling {
            let pair = |s: [Sq; 2]| list(s.map(name));
            let _ = writeln!(out, "[[castling]]\nright = \"{}\"\nking = {}", c.right, pair(c.king));
            let _ = writeln!(out, "rook = {}\nrook-piece = \"{}\"", pair(c.rook), c.rook_piece);
        }
        if let Some((goals, objective, eligible)) = &self.key {
            let goal = |s: usize| list(goals[s].iter().map(|q| name(*q)));
            let objective = match objective {
                Objective::Hold => "hold",
                Objective::Secure => "secure",
                Objective::Reach => "reach",
            };
            let _ = writeln!(out, "[key]\ngoals = {{ w = {}, b = {} }}", goal(0), goal(1));
            let _ = writeln!(out, "objective = \"{objective}\"\neligible = \"{eligible}\"");
        }
        let _ = writeln!(out, "[end]\ncheckmate = \"{}\"", self.checkmate);
        let _ = writeln!(out, "stalemate = \"{}\"\nbare = \"{}\"", self.stalemate, self.bare);
        if let Some((pieces, result)) = &self.extinction {
            let _ = writeln!(out, "extinction = {{ pieces = \"{pieces}\", result = \"{result}\" }}");
        }
        if let Some(n) = self.n_move {
            let _ = writeln!(out, "[draw]\nn-move = {n}");
        }
        out
    }
}
