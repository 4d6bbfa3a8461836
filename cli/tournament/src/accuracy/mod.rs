//! How often players keep what a position is worth, as endgame tables know it.

mod positions;
mod sheet;

pub use positions::Source;
pub use sheet::{Marks, Sheet};

use crate::company::fnv;
use crate::log::{Entry, Log};
use crate::ordered::{Begin, in_order};
use anyhow::{Result, anyhow, bail};
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Value};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::move_values::move_values;
use jewel_players::player::{Budget, Player, Turn};
use jewel_players::spec::PlayerSpec;
use positions::Positions;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Kept apart from other streams of the same seed.
const PLAYER_STREAM: u64 = 0x6163_6375_7261_6379;

/// Positions that players are asked about, and who is asked.
#[derive(Clone, Debug)]
pub struct Exam {
    /// The game.
    pub game: AnyGame,
    /// The folder of its tables.
    pub tables: PathBuf,
    /// The players.
    pub players: Vec<PlayerSpec>,
    /// Where the positions come from.
    pub source: Source,
    /// How many.
    pub positions: u64,
    /// Of all that is left to chance.
    pub seed: u64,
    /// Positions at once, from 1.
    pub concurrency: usize,
    /// The file of records: what it has is not asked again.
    pub records: Option<PathBuf>,
}

/// What was answered to one position: a line of the file of records.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Answer {
    /// The id of the exam, the same in all of its answers.
    pub exam: String,
    /// From 1.
    pub number: u64,
    /// The position.
    pub fen: String,
    /// `win`, `draw` or `loss` for the side to move.
    pub value: String,
    /// Plies to the end with best play; nothing where it is a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// Legal moves, and those that keep the value.
    pub moves: [u32; 2],
    /// The moves of the players.
    pub answers: Vec<Move>,
}

/// The move of a player.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Move {
    /// As text.
    pub text: String,
    /// Whether it keeps win, draw or loss.
    pub kept: bool,
    /// By how many plies a win that was kept takes longer than it had to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<u32>,
    /// The time that the player took.
    pub seconds: f64,
}

impl Entry for Answer {
    const WORD: &'static str = "position";

    fn tournament(&self) -> &str {
        &self.exam
    }

    fn number(&self) -> u64 {
        self.number
    }
}

/// A position with the values of its moves.
struct Question {
    fen: String,
    value: Value,
    moves: Vec<(String, Value)>,
}

impl Question {
    /// The position of a line, unless the game is over there or the tables do not hold all of its moves.
    fn of(line: &mut dyn GameAt) -> Result<Option<Question>> {
        if line.ending().is_some() {
            return Ok(None);
        }
        let moves = move_values(line)?;
        let moves: Option<Vec<(String, Value)>> =
            moves.into_iter().map(|(text, value)| Some((text, value?))).collect();
        let Some(moves) = moves else { return Ok(None) };
        let best = moves.iter().map(|(_, value)| *value).max();
        Ok(best.map(|value| Question { fen: line.fen(), value, moves }))
    }

    fn keeps(&self, value: Value) -> bool {
        value.outcome() == self.value.outcome()
    }

    /// What a move is worth; `text` is one of the moves.
    fn judged(&self, text: String, seconds: f64) -> Result<Move> {
        let value = self.moves.iter().find(|(mv, _)| *mv == text).map(|(_, value)| *value);
        let value = value.ok_or_else(|| anyhow!("\"{text}\" is no move of \"{}\"", self.fen))?;
        let kept = self.keeps(value);
        let won = kept && self.value.outcome() == Outcome::Win;
        let extra =
            if won { value.distance().zip(self.value.distance()).map(|(n, best)| n - best) } else { None };
        Ok(Move { text, kept, extra, seconds })
    }
}

/// What a worker has of its own.
struct Desk {
    line: Box<dyn GameAt>,
    players: Vec<Box<dyn Player>>,
}

impl Exam {
    /// Asks about all positions that have not been asked about, telling `each` of all of them in order; `false` if
    /// `interrupt` was set before the end.
    ///
    /// # Errors
    /// If a player cannot be made or has no move, the tables or the file of records cannot be used, no positions are
    /// found, or `each` fails.
    pub fn run(&self, interrupt: &AtomicBool, each: &mut dyn FnMut(&Answer) -> Result<()>) -> Result<bool> {
        let positions = Positions::new(&self.source, self.seed)?;
        // What is wrong with players and tables is said before anything is asked.
        drop(self.desk()?);
        let id = self.id(&positions);
        let mut earlier = |answer: Answer| {
            if answer.number > self.positions {
                bail!(
                    "there are more positions than {}: raise --positions, or name another file",
                    self.positions
                );
            }
            each(&answer)
        };
        let mut log = self.records.as_deref().map(|path| Log::open(path, &id, &mut earlier)).transpose()?;
        let first = log.as_ref().map_or(0, Log::entries);
        let ask = |desk: &mut Desk, number: u64, begin: Begin<'_>| {
            self.ask(&positions, desk, number, begin).map(|answer| {
                answer.map(|(question, answers)| Answer {
                    exam: id.clone(),
                    number: number + 1,
                    value: question.value.outcome().name().to_string(),
                    distance: question.value.distance(),
                    moves: [
                        question.moves.len(),
                        question.moves.iter().filter(|(_, v)| question.keeps(*v)).count(),
                    ]
                    .map(|count| count as u32),
                    fen: question.fen,
                    answers,
                })
            })
        };
        let complete = in_order(
            first..self.positions,
            self.concurrency,
            interrupt,
            &|| self.desk(),
            &ask,
            &mut |answer| {
                log.as_mut().map_or(Ok(()), |log| log.append(&answer))?;
                each(&answer)
            },
        );
        log.as_mut().map_or(Ok(()), Log::sync)?;
        complete
    }

    fn desk(&self) -> Result<Desk> {
        let mut line = self.game.open();
        line.use_tables(Some(&self.tables))?;
        let players = self.players.iter().map(|spec| spec.build(&self.game)).collect::<Result<_>>()?;
        Ok(Desk { line, players })
    }

    /// The position of a number and the answers to it; `None` if stopped.
    fn ask(
        &self,
        positions: &Positions,
        desk: &mut Desk,
        number: u64,
        begin: Begin<'_>,
    ) -> Result<Option<(Question, Vec<Move>)>> {
        let question = positions.question(number, desk.line.as_mut())?;
        let seed = Random::stream(self.seed ^ PLAYER_STREAM, number).next_u64();
        let mut answers = Vec::new();
        for (player, spec) in desk.players.iter_mut().zip(&self.players) {
            desk.line.set_position(Some(&question.fen), &[])?;
            let failed = |fault| anyhow!("{} {fault}, at \"{}\"", spec.name(), question.fen);
            player.new_game(&*desk.line, seed).map_err(failed)?;
            let Some(stop) = begin() else { return Ok(None) };
            let begun = Instant::now();
            let choice = player.choose(&Turn { line: &*desk.line, budget: &Budget::default() }, &stop);
            let seconds = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e6;
            if stop.is_stopped() {
                return Ok(None);
            }
            // Games with tables have no dice.
            choice
                .and_then(|choice| choice.play(desk.line.as_mut(), &mut Random::new(seed)))
                .map_err(failed)?;
            let text = desk.line.played().concat();
            answers.push(question.judged(text, seconds)?);
        }
        Ok(Some((question, answers)))
    }

    /// What the records are known by: a hash of everything that bears on them but how many there are.
    fn id(&self, positions: &Positions) -> String {
        let mut text = format!("{:016x} {} {}", self.game.fingerprint(), self.seed, positions.fingerprint());
        for spec in &self.players {
            text.push_str(&format!("\n{spec}"));
        }
        format!("{:016x}", fnv(text.as_bytes()))
    }
}
