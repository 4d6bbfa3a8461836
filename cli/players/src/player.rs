//! Players of a match: engines of this program, other programs, people.

use crate::engine::GameAt;
use crate::support::words::shortened;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_search::clock::{Bonus, Clock};
use jewel_search::control::Stop;
use jewel_search::report::Info;
use std::time::Duration;
use thiserror::Error;

/// Someone who plays games to their end, one after the other.
pub trait Player: Send {
    /// As it is shown in tables and records.
    fn name(&self) -> &str;

    /// What it calls itself, once it has been asked: the name and version of another program.
    fn title(&self) -> Option<&str> {
        None
    }

    /// Prepares for a new game, which starts at the current position of `line`. Nothing of earlier games may
    /// influence the moves of this one. A program that has failed is started anew.
    ///
    /// # Errors
    /// If it cannot play: it takes part in no game before it is asked for a new one.
    fn new_game(&mut self, line: &dyn GameAt, seed: u64) -> Result<(), Fault>;

    /// Does all that has to be done before a first move, so that what keeps it from playing is told before anything
    /// is lost by it. What it plays afterwards does not depend on it.
    ///
    /// # Errors
    /// If it cannot play.
    fn rehearse(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        self.new_game(line, 0)
    }

    /// Chooses a move in a game that is not over. A player that is told to stop answers soon.
    ///
    /// # Errors
    /// If no move comes: the game is lost, and the player has to be made ready by
    /// [`new_game`](Player::new_game) before it plays again.
    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault>;
}

/// What a player is asked.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game so far.
    pub line: &'a dyn GameAt,
    /// How long to think.
    pub budget: &'a Budget,
}

/// How long a player may think about a move. Several limits may hold at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to look at.
    pub nodes: Option<u64>,
    /// Simulations to run.
    pub playouts: Option<u64>,
    /// The time of the move.
    pub movetime: Option<Duration>,
    /// The clocks of the game, if it is played with clocks.
    pub clocks: Option<Clocks>,
}

impl Budget {
    /// Whether there is no limit at all: an engine would search for ever.
    pub fn is_unlimited(&self) -> bool {
        *self == Budget::default()
    }

    /// What keeps both budgets: the stricter of two limits of a kind.
    pub fn and(&self, other: &Budget) -> Budget {
        fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        Budget {
            depth: least(self.depth, other.depth),
            nodes: least(self.nodes, other.nodes),
            playouts: least(self.playouts, other.playouts),
            movetime: least(self.movetime, other.movetime),
            clocks: self.clocks.or(other.clocks),
        }
    }

    /// The longest that a side may take without overstepping a time; `None` if no time is kept.
    pub fn longest(&self, side: Side) -> Option<Duration> {
        let of_clock = self.clocks.map(|clocks| clocks.longest(side));
        self.movetime.into_iter().chain(of_clock).min()
    }
}

/// The clocks of both sides, White's first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// What is left.
    pub remaining: [Duration; 2],
    /// What a move brings.
    pub bonus: [Bonus; 2],
    /// Moves to the next control, if the control repeats.
    pub moves_to_go: [Option<u32>; 2],
}

impl Clocks {
    /// The clock of one side.
    pub fn of(&self, side: Side) -> Clock {
        let n = side.index();
        Clock { remaining: self.remaining[n], bonus: self.bonus[n], moves_to_go: self.moves_to_go[n] }
    }

    /// When the flag of a side falls if its clock starts now.
    pub fn longest(&self, side: Side) -> Duration {
        let before = match self.bonus[side.index()] {
            Bonus::Delay(time) => time,
            Bonus::None | Bonus::Increment(_) | Bonus::Bronstein(_) => Duration::ZERO,
        };
        self.remaining[side.index()].saturating_add(before)
    }
}

/// A move and what its player thought.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move; who asked checks that it is legal.
    pub mv: String,
    /// The last word about the position, if the player says such things: score, depth, nodes, line.
    pub thought: Option<Info<String>>,
}

impl Choice {
    /// A move without a word.
    pub fn silent(mv: impl Into<String>) -> Choice {
        Choice { mv: mv.into(), thought: None }
    }

    /// Plays the move on the line that its player was asked about; `dice` are thrown where it is rolled for.
    ///
    /// # Errors
    /// [`Fault::Illegal`], if it is not legal there; the line stays as it was.
    pub fn play(&self, line: &mut dyn GameAt, dice: &mut Random) -> Result<(), Fault> {
        let played = line.rolled(&self.mv, dice).and_then(|text| line.play(&text));
        played.map_err(|e| Fault::Illegal(format!("\"{}\": {e}", shortened(&self.mv))))
    }
}

/// Why a player has no move to offer. As text it follows the player's name: `ab1 died: exit status 3`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// The program has ended, or closed its input or output.
    #[error("died: {0}")]
    Died(String),
    /// No answer in time.
    #[error("gave no answer {0}")]
    Silent(String),
    /// An answer that means nothing.
    #[error("answered nonsense: {0}")]
    Nonsense(String),
    /// A move that is not legal.
    #[error("played an illegal move, {0}")]
    Illegal(String),
    /// The player gave the game up.
    #[error("has resigned")]
    Resigned,
    /// The player cannot play the game.
    #[error("cannot play: {0}")]
    Unable(String),
}

impl Fault {
    /// One word for records and statistics: `start`, `died`, `silent`, `nonsense`, `illegal`, `resigned` or
    /// `unable`.
    pub fn word(&self) -> &'static str {
        match self {
            Fault::Start(_) => "start",
            Fault::Died(_) => "died",
            Fault::Silent(_) => "silent",
            Fault::Nonsense(_) => "nonsense",
            Fault::Illegal(_) => "illegal",
            Fault::Resigned => "resigned",
            Fault::Unable(_) => "unable",
        }
    }
}
