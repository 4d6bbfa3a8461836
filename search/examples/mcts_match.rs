//! Two settings of Monte Carlo search against each other: what is each feature worth?
//!
//! `cargo run --release -p jewel-search --features drivers --example mcts_match -- GAME LIMIT GAMES ONE OTHER`
//!
//! LIMIT is a number of simulations, or a time a move such as `20ms`. Each random opening of four plies is
//! played twice, with sides exchanged. Settings: default, uniform, narrow, wide, uct, uct-narrow, uct-below,
//! rave, early, late, forgetful; guided by the evaluation, `cut-N` cuts playouts off after N plies,
//! and `priors-T` and `priors-T-N` also try first what looks good, at a temperature of T centipawns. Each may be followed
//! by `,minimax=WEIGHT`, `,history=WEIGHT` and `,widening=MOVES`, or `off`, and `,explore=C`.

use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::playout::random_move;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use jewel_engine::with_leanest_game;
use jewel_search::control::Stop;
use jewel_search::evaluate::HandMade;
use jewel_search::limits::Limits;
use jewel_search::mcts::guide::Evaluated;
use jewel_search::mcts::{FirstPlay, Mcts, Options, Selection};
use jewel_search::searcher::Searcher;
use std::process::ExitCode;
use std::time::Duration;

const OPENING_PLIES: u32 = 4;
const MAX_GAME_PLIES: usize = 300;

/// Options, and the temperature of the priors where moves have any.
type Setting = (Options, Option<f32>);

fn setting(text: &str) -> Option<Setting> {
    let mut words = text.split(',');
    let name = words.next()?;
    let (mut options, temperature) = guided(name).or_else(|| Some((unguided(name)?, None)))?;
    for word in words {
        let (key, value) = word.split_once('=')?;
        match key {
            "history" => options.history = value.parse().ok(),
            "minimax" => options.minimax = value.parse().ok(),
            "widening" => options.widening = value.parse().ok(),
            "explore" => options.exploration = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((options, temperature))
}

/// `cut-N`, `priors-T` and `priors-T-N`.
fn guided(name: &str) -> Option<Setting> {
    let plain = Options { tree_mb: 64, ..Options::default() };
    let (kind, numbers) = name.split_once('-')?;
    match (kind, numbers.split_once('-')) {
        ("cut", None) => Some((Options { playout_plies: numbers.parse().ok()?, ..plain }, None)),
        ("priors", None) => Some((plain, Some(numbers.parse().ok()?))),
        ("priors", Some((temperature, plies))) => {
            Some((Options { playout_plies: plies.parse().ok()?, ..plain }, Some(temperature.parse().ok()?)))
        }
        _ => None,
    }
}

fn unguided(name: &str) -> Option<Options> {
    let plain = Options { tree_mb: 64, ..Options::default() };
    let uct = |exploration, first_play| Options {
        selection: Selection::Uct,
        exploration,
        first_play,
        ..plain.clone()
    };
    Some(match name {
        "default" => plain,
        "uniform" => Options { keen: false, ..plain },
        "narrow" => Options { exploration: plain.exploration / 2.0, ..plain },
        "wide" => Options { exploration: plain.exploration * 2.0, ..plain },
        "uct" => uct(0.7, FirstPlay::First),
        "uct-narrow" => uct(0.35, FirstPlay::First),
        "uct-below" => uct(0.35, FirstPlay::Below(0.1)),
        "rave" => Options { rave: Some(300.0), ..plain },
        "early" => Options { expand_at: 0, ..plain },
        "late" => Options { expand_at: 8, ..plain },
        "forgetful" => Options { reuse: false, ..plain },
        _ => return None,
    })
}

struct Match {
    playouts: Option<u64>,
    movetime: Option<Duration>,
    games: u32,
    settings: [Setting; 2],
}

impl Match {
    /// One game; `first` is the setting that plays White.
    fn play<S: RuleSubset, const N: usize>(
        &self,
        game: &ChessGame<'_, S, N>,
        opening: &ChessLike<'_, S, N>,
        first: usize,
        seed: u64,
    ) -> Verdict {
        let evaluation = HandMade::best(game.rules());
        let mut players: Vec<_> = (0..2)
            .map(|n| {
                let (options, temperature) = &self.settings[n];
                let guide = Evaluated::new(evaluation.clone(), *temperature);
                Mcts::guided(Options { seed: seed + n as u64, ..options.clone() }, guide)
            })
            .collect();
        let mut position = *opening;
        let mut history: Vec<u64> = Vec::new();
        while history.len() < MAX_GAME_PLIES {
            let side = position.side_to_move();
            if let Some(outcome) = position.outcome() {
                return outcome.absolute(side);
            }
            let seen = 1 + history.iter().filter(|&&key| key == position.zobrist_hash()).count();
            if game.repetition() > 0 && seen >= game.repetition() as usize {
                return Verdict::Draw;
            }
            let player = if side == Side::White { first } else { 1 - first };
            let limits = Limits { playouts: self.playouts, movetime: self.movetime, ..Limits::default() };
            let report = players[player].search(&position, &history, &limits, &Stop::new(), &mut |_| {});
            let Some(mv) = report.best else { return Verdict::Draw };
            history.push(position.zobrist_hash());
            position.play(mv);
        }
        Verdict::Draw
    }

    /// Wins, draws and losses of the first setting.
    fn run<S: RuleSubset, const N: usize>(&self, game: &ChessGame<'_, S, N>) -> [u32; 3] {
        let mut random = Random::new(77);
        let mut results = [0; 3];
        for number in 0..self.games / 2 {
            let opening = loop {
                let mut position = game.start();
                for _ in 0..OPENING_PLIES {
                    if let Some(mv) = random_move(&position, &mut random) {
                        position.play(mv);
                    }
                }
                if position.outcome().is_none() {
                    break position;
                }
            };
            for first in 0..2 {
                let result = match self.play(game, &opening, first, u64::from(number) * 2 + 1) {
                    Verdict::Draw => 1,
                    verdict => 2 * usize::from((verdict == Verdict::WhiteWins) != (first == 0)),
                };
                results[result] += 1;
            }
        }
        results
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = || {
        let [game, limit, games, one, other] = &arguments[..] else { return None };
        let settings = [setting(one)?, setting(other)?];
        let game = jewel_engine::games::find(game)?;
        let milliseconds = limit.strip_suffix("ms").map(str::parse::<u64>).transpose().ok()?;
        let movetime = milliseconds.map(Duration::from_millis);
        let playouts = if movetime.is_none() { Some(limit.parse().ok()?) } else { None };
        Some((game, Match { playouts, movetime, games: games.parse().ok()?, settings }))
    };
    let Some((game, contest)) = parsed() else {
        eprintln!("usage: mcts_match GAME LIMIT GAMES ONE OTHER; the settings are listed in the source");
        return ExitCode::from(2);
    };
    let [wins, draws, losses] = with_leanest_game!(game.rules(), game => contest.run(&game));
    let games = f64::from(wins + draws + losses).max(1.0);
    let share = (f64::from(wins) + f64::from(draws) / 2.0) / games;
    let deviation = (f64::from(wins) * (1.0 - share).powi(2)
        + f64::from(draws) * (0.5 - share).powi(2)
        + f64::from(losses) * share.powi(2))
    .sqrt()
        / games;
    println!("+{wins} ={draws} -{losses}: {:.1}% +- {:.1}", 100.0 * share, 196.0 * deviation);
    ExitCode::SUCCESS
}
