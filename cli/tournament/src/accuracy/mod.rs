//! How often players keep the value of a position, judged by endgame tables.

mod positions;
mod report;

pub use positions::Source;
pub use report::{AccuracyReport, PlayerAccuracy};

use crate::hash::fnv;
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

/// Keeps these random numbers apart from others of the same seed.
const PLAYER_STREAM: u64 = 0x6163_6375_7261_6379;

/// A test: positions, and the players that are asked for a move in each.
#[derive(Clone, Debug)]
pub struct AccuracyTest {
    /// The game, which has endgame tables.
    pub game: AnyGame,
    /// The folder of its tables.
    pub tables: PathBuf,
    /// The players, each with a limit of its own.
    pub players: Vec<PlayerSpec>,
    /// Where the positions come from.
    pub source: Source,
    /// How many positions.
    pub positions: u64,
    /// Seed of the positions and of random choices of players.
    pub seed: u64,
    /// Positions at once, from 1.
    pub concurrency: usize,
    /// The file of records: positions that it has are not asked again.
    pub records: Option<PathBuf>,
}

/// The answers to one position: a line of the file of records.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Answer {
    /// The id of the test, the same in all of its answers.
    #[serde(alias = "exam")]
    pub test: String,
    /// The number of the position, from 1.
    pub number: u64,
    /// The position.
    pub fen: String,
    /// `win`, `draw` or `loss` for the side to move.
    pub value: String,
    /// Plies to the end with best play; left out for a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The number of legal moves, and of those that keep the value.
    pub moves: [u32; 2],
    /// The moves of the players, in the order of the test's players.
    pub answers: Vec<Move>,
}

/// The move of a player.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Move {
    /// As text.
    pub text: String,
    /// Whether it keeps win, draw or loss.
    pub kept: bool,
    /// Plies that a kept win takes longer than the fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<u32>,
    /// Seconds that the player took.
    pub seconds: f64,
}

impl Entry for Answer {
    const WORD: &'static str = "position";

    fn tournament(&self) -> &str {
        &self.test
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
    /// The position of a line; `None` if the game is over there or the tables do not hold all of its moves.
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

    /// The verdict on a move, which is one of the position's.
    fn judged(&self, text: String, seconds: f64) -> Result<Move> {
        let value = self.moves.iter().find(|(mv, _)| *mv == text).map(|(_, value)| *value);
        let value = value.ok_or_else(|| anyhow!("\"{text}\" is not a move of \"{}\"", self.fen))?;
        let kept = self.keeps(value);
        let won = kept && self.value.outcome() == Outcome::Win;
        let extra =
            if won { value.distance().zip(self.value.distance()).map(|(n, best)| n - best) } else { None };
        Ok(Move { text, kept, extra, seconds })
    }
}

/// The line and players of one worker.
struct Worker {
    line: Box<dyn GameAt>,
    players: Vec<Box<dyn Player>>,
}

impl AccuracyTest {
    /// Asks about all positions that are not recorded yet, and calls `each` with all answers in order; `false` if
    /// `interrupt` was set before the end.
    ///
    /// # Errors
    /// If a player cannot be built or gives no move, the tables or the file of records cannot be used, no positions are
    /// found, or `each` fails.
    pub fn run(&self, interrupt: &AtomicBool, each: &mut dyn FnMut(&Answer) -> Result<()>) -> Result<bool> {
        let positions = Positions::new(&self.source, self.seed)?;
        // Errors of players and tables come before the first position.
        drop(self.worker()?);
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
        let ask = |worker: &mut Worker, number: u64, begin: Begin<'_>| {
            self.ask(&positions, worker, number, begin).map(|answer| {
                answer.map(|(question, answers)| Answer {
                    test: id.clone(),
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
            &|| self.worker(),
            &ask,
            &mut |answer| {
                log.as_mut().map_or(Ok(()), |log| log.append(&answer))?;
                each(&answer)
            },
        );
        log.as_mut().map_or(Ok(()), Log::sync)?;
        complete
    }

    fn worker(&self) -> Result<Worker> {
        let mut line = self.game.open();
        line.use_tables(Some(&self.tables))?;
        let players = self.players.iter().map(|spec| spec.build(&self.game)).collect::<Result<_>>()?;
        Ok(Worker { line, players })
    }

    /// The position with this number and the answers to it; `None` if stopped.
    fn ask(
        &self,
        positions: &Positions,
        worker: &mut Worker,
        number: u64,
        begin: Begin<'_>,
    ) -> Result<Option<(Question, Vec<Move>)>> {
        let question = positions.question(number, worker.line.as_mut())?;
        let seed = Random::stream(self.seed ^ PLAYER_STREAM, number).next_u64();
        let mut answers = Vec::new();
        for (player, spec) in worker.players.iter_mut().zip(&self.players) {
            worker.line.set_position(Some(&question.fen), &[])?;
            let failed = |fault| anyhow!("{} {fault}, at \"{}\"", spec.name(), question.fen);
            player.new_game(&*worker.line, seed).map_err(failed)?;
            let Some(stop) = begin() else { return Ok(None) };
            let begun = Instant::now();
            let choice = player.choose(&Turn { line: &*worker.line, budget: &Budget::default() }, &stop);
            let seconds = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e6;
            if stop.is_stopped() {
                return Ok(None);
            }
            // Games with tables have no dice.
            choice
                .and_then(|choice| choice.play(worker.line.as_mut(), &mut Random::new(seed)))
                .map_err(failed)?;
            let text = worker.line.played().concat();
            answers.push(question.judged(text, seconds)?);
        }
        Ok(Some((question, answers)))
    }

    /// The id of the records: a hash of everything that they depend on but their number.
    fn id(&self, positions: &Positions) -> String {
        let mut text = format!("{:016x} {} {}", self.game.fingerprint(), self.seed, positions.fingerprint());
        for spec in &self.players {
            text.push_str(&format!("\n{spec}"));
        }
        if let Some(digest) = self.game.beside().and_then(|beside| beside.digest) {
            text.push_str(&format!("\n{digest:016x}"));
        }
        format!("{:016x}", fnv(text.as_bytes()))
    }
}
