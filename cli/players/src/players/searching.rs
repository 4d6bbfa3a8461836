//! The searches of this program as players.

use super::{begin, follow, random_of};
use crate::catalogue::AnyGame;
use crate::engine::{Engine, GameAt};
use crate::options::{Algorithm, Options};
use crate::player::{Budget, Choice, Fault, Player, Turn};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;

/// A search in this process.
pub(crate) struct Searching {
    name: String,
    engine: Box<dyn Engine>,
    options: Options,
    /// Whether the size of the table follows from the first budget of the game.
    sized: bool,
    own: Budget,
    seed: u64,
    ready: bool,
}

impl Searching {
    /// A searcher with these options and limits of its own; with no `hash` it takes what it needs.
    pub(crate) fn new(
        name: String,
        game: AnyGame,
        options: Options,
        hash: Option<usize>,
        own: Budget,
    ) -> Searching {
        let seed = options.seed;
        let options = Options { hash: hash.unwrap_or(options.hash), ..options };
        Searching { name, engine: game.open(), options, sized: hash.is_none(), own, seed, ready: false }
    }

    /// Sets the engine up for a game, unless it is ready.
    fn prepare(&mut self, budget: &Budget) -> Result<(), Fault> {
        if !self.ready {
            if self.sized {
                self.options.hash = fitting_hash(self.options.algorithm, budget);
            }
            self.engine.configure(&self.options).map_err(unable)?;
            self.engine.forget();
            self.ready = true;
        }
        Ok(())
    }
}

fn unable(error: anyhow::Error) -> Fault {
    Fault::Unable(format!("{error:#}"))
}

/// Mebibytes that a search with this budget can use. Clearing a larger table before each game costs more than
/// it gains.
fn fitting_hash(algorithm: Algorithm, budget: &Budget) -> usize {
    /// Bytes of the table for each node of a search.
    const BYTES: u64 = 256;
    const WITHOUT_COUNT: usize = 16;
    const MAX: u64 = 64;
    match (algorithm, budget.nodes) {
        // The tree takes its memory only when it grows.
        (Algorithm::Mcts, _) => MAX as usize,
        (Algorithm::Ab, Some(nodes)) => (nodes.saturating_mul(BYTES) >> 20).clamp(1, MAX) as usize,
        (Algorithm::Ab, None) => WITHOUT_COUNT,
    }
}

impl Player for Searching {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, line: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        if self.options.algorithm == Algorithm::Mcts {
            self.options.seed = random_of(self.seed, seed).next_u64();
        }
        self.ready = false;
        begin(self.engine.as_mut(), line)?;
        if !self.sized {
            self.prepare(&Budget::default())?;
        }
        Ok(())
    }

    fn rehearse(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        self.new_game(line, 0)?;
        let own = self.own;
        self.prepare(&own)
    }

    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        let budget = turn.budget.and(&self.own);
        let playouts = budget.playouts.filter(|_| self.options.algorithm == Algorithm::Mcts);
        let budget = Budget { playouts, ..budget };
        if budget.is_unlimited() {
            return Err(Fault::Unable("no limit of depth, nodes, playouts or time is set".to_string()));
        }
        follow(self.engine.as_mut(), turn.line)?;
        self.prepare(&budget)?;
        let side = self.engine.side_to_move();
        let limits = Limits {
            depth: budget.depth,
            nodes: budget.nodes,
            playouts: budget.playouts,
            movetime: budget.movetime,
            clock: budget.clocks.map(|clocks| clocks.of(side)),
            ..Limits::default()
        };
        let mut report = self.engine.search(&limits, stop, &mut |_| {}).map_err(unable)?;
        let Some(mv) = report.best else { return Err(Fault::Unable("there is no legal move".to_string())) };
        let thought = (!report.lines.is_empty()).then(|| report.lines.swap_remove(0));
        Ok(Choice { mv, thought })
    }
}
