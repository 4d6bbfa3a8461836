//! The record of a game: one line of JSON.

use crate::hash::fnv;
use crate::log::Entry;
use jewel_engine::value::{Side, Verdict};
use serde::{Deserialize, Serialize};

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the rules of the game.
    Rules,
    /// Drawn by repetition.
    Repetition,
    /// The tables know the result.
    Tables,
    /// A player scored its position as lost for several moves.
    ResignScore,
    /// Both players scored the position as drawn for several moves.
    DrawScore,
    /// The limit of plies was reached.
    MaxPlies,
    /// A player resigned.
    Resigned,
    /// A player overstepped the time.
    Time,
    /// A player played an illegal move.
    Illegal,
    /// The program of a player could not be started.
    Start,
    /// The program of a player ended.
    Died,
    /// The program of a player gave no answer.
    Silent,
    /// The program of a player answered nonsense.
    Nonsense,
    /// A player cannot play this game.
    Unable,
}

impl Reason {
    /// The value of the PGN tag `Termination`.
    pub const fn termination(self) -> &'static str {
        match self {
            Reason::Rules | Reason::Repetition | Reason::Resigned => "normal",
            Reason::Tables | Reason::ResignScore | Reason::DrawScore | Reason::MaxPlies => "adjudication",
            Reason::Time => "time forfeit",
            Reason::Illegal | Reason::Nonsense => "rules infraction",
            Reason::Start | Reason::Died | Reason::Silent | Reason::Unable => "abandoned",
        }
    }

    /// Whether it is the fault of a player's program.
    pub const fn is_fault(self) -> bool {
        matches!(self.termination().as_bytes(), b"abandoned" | b"rules infraction")
    }

    /// As reports show it.
    pub const fn text(self) -> &'static str {
        match self {
            Reason::Rules => "by rule",
            Reason::Repetition => "repetition",
            Reason::Tables => "known by tables",
            Reason::ResignScore => "lost by score",
            Reason::DrawScore => "drawn by score",
            Reason::MaxPlies => "too long",
            Reason::Resigned => "resigned",
            Reason::Time => "time",
            Reason::Illegal => "illegal move",
            Reason::Start => "not started",
            Reason::Died => "died",
            Reason::Silent => "no answer",
            Reason::Nonsense => "nonsense",
            Reason::Unable => "unable",
        }
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct GameRecord {
    /// The id of the tournament, the same in all of its games.
    pub tournament: String,
    /// The number of the game, from 1.
    pub number: u64,
    /// The number of the round, from 1.
    pub round: u64,
    /// The id of the game.
    pub game: String,
    /// The last position.
    pub fen: String,
    /// The position in which the game began.
    pub start: String,
    /// The number of opening moves.
    pub book: usize,
    /// The name of the player of the southern side.
    pub white: String,
    /// The name of the player of the northern side.
    pub black: String,
    /// Seed of the random choices in the game.
    pub seed: u64,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Why it is over, in PGN's words.
    pub termination: String,
    /// Why it is over, exactly.
    pub reason: Reason,
    /// How it ended, in words.
    pub ending: String,
    /// All moves ply by ply, those of the opening included.
    pub moves: Vec<String>,
    /// The number of plies of each turn; empty where each has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<usize>,
    /// The scores of the players, one for each move after the opening; empty if neither player gave
    /// any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Option<String>>,
    /// The depths of their searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<Option<u32>>,
    /// The nodes of their searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Option<u64>>,
    /// The seconds that each move took, where times are recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<f64>,
}

impl GameRecord {
    /// The result; `None` if the text is none.
    pub fn verdict(&self) -> Option<Verdict> {
        [Verdict::WhiteWins, Verdict::Draw, Verdict::BlackWins]
            .into_iter()
            .find(|verdict| verdict.score_text() == self.result)
    }

    /// A hash that games share which are the same: equal start, moves and players by side.
    pub fn same_game(&self) -> u64 {
        fnv(format!("{}\n{}\n{}", self.white, self.black, self.same_moves()).as_bytes())
    }

    /// A hash that games share which have an equal start and equal moves, whoever played them.
    pub fn same_moves(&self) -> u64 {
        fnv(format!("{}\n{}", self.start, self.moves.join("\n")).as_bytes())
    }

    /// The turns as PGN has them, each with the number of its first ply.
    pub fn turn_texts(&self) -> Vec<(usize, String)> {
        if self.turns.is_empty() {
            return self.moves.iter().cloned().enumerate().collect();
        }
        let mut first = 0_usize;
        let turn = |&length: &usize| {
            let begin = first;
            first = begin.saturating_add(length);
            self.moves.get(begin..first).map(|plies| (begin, plies.join(",")))
        };
        self.turns.iter().filter_map(turn).collect()
    }

    /// The side that moves first.
    pub fn first(&self) -> Side {
        if self.start.split_whitespace().nth(1) == Some("b") { Side::Black } else { Side::White }
    }

    /// The side of each ply, those of the opening included.
    pub fn movers(&self) -> Vec<Side> {
        let begins = self.first();
        let lengths = self.turns.iter().copied().chain(std::iter::repeat(1));
        let sides = [begins, !begins].into_iter().cycle();
        let plies = sides.zip(lengths).flat_map(|(side, length)| std::iter::repeat_n(side, length));
        plies.take(self.moves.len()).collect()
    }
}

impl Entry for GameRecord {
    const WORD: &'static str = "game";

    fn tournament(&self) -> &str {
        &self.tournament
    }

    fn number(&self) -> u64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::value::Side::{Black, White};

    #[test]
    fn turns_say_whose_each_ply_is() {
        let text = r#"{"tournament":"","number":1,"round":1,"game":"g","fen":"","start":"x b","book":0,"white":"","black":"",
            "seed":0,"result":"1-0","termination":"","reason":"rules","ending":"","moves":["a","b","c","d"]}"#;
        let plain: GameRecord = serde_json::from_str(text).unwrap();
        assert_eq!(plain.movers(), [Black, White, Black, White]);
        let turns = |turns: &[usize]| GameRecord { turns: turns.to_vec(), ..plain.clone() };
        assert_eq!(turns(&[1, 2, 1]).movers(), [Black, White, White, Black]);
        // Whatever a file says, each ply has a side.
        assert_eq!(turns(&[2]).movers(), [Black, Black, White, Black]);
        assert_eq!(turns(&[usize::MAX, usize::MAX]).movers(), [Black; 4]);
        assert_eq!(turns(&[1, 2, 1]).turn_texts()[1], (1, "b,c".to_string()));
    }
}
