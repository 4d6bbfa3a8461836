//! `jewel play`: a game in the terminal.

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::engine_arguments::{LimitArgs, PowerArgs};
use crate::play::deal::Dealing;
use crate::play::game::{Player, Setting, TerminalGame, load};
use crate::play::input::{Lines, Piped, Terminal};
use crate::{interrupt, output, terminal};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_engine::crown_jewels::CrownJewelsGame;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::game_clock::GameClock;
use jewel_players::options::Algorithm;
use jewel_players::support::board::Style;
use jewel_players::support::quantities::parse_time;
use jewel_search::clock::Bonus;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Play a game: people and engines in any combination
#[derive(Args)]
#[command(after_long_help = "\
Unless --white and --black say otherwise, a person plays the side that moves first and an engine the other. \
Moves are typed as origin and target, such as b1b2; `help` at the board lists what else can be typed (moves, \
hint, undo, save, load, switch, resign, quit). On a terminal the arrow keys edit the line and Tab completes it. Engines think for a second a move, or as --time, --depth, --nodes, --playouts \
or the clock allow.

At the end, when the input ends or after Ctrl-C, the record of the game is printed in the form of PGN, with the moves as \
coordinates. --save FILE writes it after each move, and --load FILE goes on with it.

Examples:
  jewel play ambush
  jewel play duel --white ab --black human
  jewel play diamond-chess --clock 5m --increment 3
  jewel play diamond-quest --white ab --black mcts --time 200ms --save game.pgn
  jewel play ambush --load game.pgn")]
pub(crate) struct Play {
    #[command(flatten)]
    game: GameArgs,

    /// Who plays White, the southern side
    #[arg(long, value_enum, value_name = "PLAYER", help_heading = "Players")]
    white: Option<Player>,

    /// Who plays Black, the northern side
    #[arg(long, value_enum, value_name = "PLAYER", help_heading = "Players")]
    black: Option<Player>,

    #[command(flatten)]
    power: PowerArgs,

    #[command(flatten)]
    limits: LimitArgs,

    /// Time that each side has for the game: seconds, or with a unit such as 5m
    #[arg(long, value_name = "TIME", help_heading = "Clock", value_parser = parse_time)]
    clock: Option<Duration>,

    /// Time that is added after each move (Fischer)
    #[arg(long, value_name = "TIME", help_heading = "Clock", requires = "clock", conflicts_with_all = ["delay", "bronstein"], value_parser = parse_time)]
    increment: Option<Duration>,

    /// Time before the clock starts to run at each move (US delay)
    #[arg(long, value_name = "TIME", help_heading = "Clock", requires = "clock", conflicts_with = "bronstein", value_parser = parse_time)]
    delay: Option<Duration>,

    /// Time used is given back after each move, up to this much (Bronstein)
    #[arg(long, value_name = "TIME", help_heading = "Clock", requires = "clock", value_parser = parse_time)]
    bronstein: Option<Duration>,

    /// Go on with the game of this record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves"], help_heading = "Record")]
    load: Option<PathBuf>,

    /// Write the record to this file after each move
    #[arg(long, value_name = "FILE", help_heading = "Record")]
    save: Option<PathBuf>,

    /// Break the game off after this many plies [default: 2000; in crystal-draughts it is drawn after 400]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    max_plies: Option<usize>,

    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,

    /// Print a JSON object at the end: game, fen, start, white, black, result, termination, moves, ...; all else
    /// goes to stderr
    #[arg(long)]
    json: bool,
}

impl Play {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = self.game.resolve()?;
        let mut board = self.game.open(game)?;
        self.power.tell_beside(game);
        if let Some(file) = &self.load {
            load(board.as_mut(), file)?;
        }
        let rival = Player::from(game.usual_algorithm(self.power.cheat));
        let players = self.players(board.side_to_move(), rival);
        let human = players.contains(&Player::Human);
        // The record is kept.
        interrupt::listen()?;
        let setting = Setting {
            game,
            players,
            rival,
            options: self.power.options(Algorithm::Ab),
            limits: self.limits.clone(),
            clock: self.clock.map(|time| GameClock::new(time, self.bonus())),
            dice: self.power.seed.unwrap_or_else(seed_of_now),
            save: self.save.clone(),
            max_plies: self.max_plies.or(game.usual_cap()).unwrap_or(MAX_PLIES),
            cap_is_a_draw: self.max_plies.is_none() && game.usual_cap().is_some(),
            style: Style {
                colours: !self.json && terminal::colours(),
                unicode: !self.ascii && terminal::unicode(),
            },
            clears: !self.json && human && io::stdout().is_terminal() && terminal::colours(),
        };
        if self.limits.playouts.is_some() && !players.contains(&Player::Mcts) {
            bail!("--playouts limits Monte Carlo tree search: let mcts play a side");
        }
        let edits = !self.json && io::stdin().is_terminal() && io::stdout().is_terminal();
        let mut input: Box<dyn Lines> =
            if edits { Box::new(Terminal::new()?) } else { Box::new(Piped::stdin()) };
        let (mut stdout, mut stderr) = (io::stdout(), io::stderr());
        let talk: &mut dyn Write = if self.json { &mut stderr } else { &mut stdout };
        if let AnyGame::Coded(game) = game
            && let Some(game) = game.as_any().downcast_ref::<CrownJewelsGame>()
            && self.begins_anew()
        {
            let start = Dealing::new(game, players, setting.dice, input.as_mut(), talk).run()?;
            board.set_position(Some(&start), &[])?;
        }
        let record = TerminalGame::new(setting, board, input.as_mut(), talk).play()?;
        output::print(&if self.json { output::json_line(&record)? } else { record.text() })?;
        Ok(ExitStatus::Done)
    }

    /// Whether the game begins with the deal.
    fn begins_anew(&self) -> bool {
        self.load.is_none() && self.game.fen.is_none() && self.game.moves.is_none()
    }

    /// A person against an engine, unless something else was said; the person begins.
    fn players(&self, first: Side, rival: Player) -> [Player; 2] {
        let opponent = |player| if player == Player::Human { rival } else { Player::Human };
        match (self.white, self.black) {
            (Some(white), Some(black)) => [white, black],
            (Some(white), None) => [white, opponent(white)],
            (None, Some(black)) => [opponent(black), black],
            (None, None) if first == Side::White => [Player::Human, rival],
            (None, None) => [rival, Player::Human],
        }
    }

    fn bonus(&self) -> Bonus {
        match (self.increment, self.delay, self.bronstein) {
            (Some(time), _, _) => Bonus::Increment(time),
            (_, Some(time), _) => Bonus::Delay(time),
            (_, _, Some(time)) => Bonus::Bronstein(time),
            _ => Bonus::None,
        }
    }
}

/// Plies after which a game is broken off where nothing else is said.
const MAX_PLIES: usize = 2000;

/// A seed from the time.
fn seed_of_now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(1, |time| time.as_nanos() as u64)
}
