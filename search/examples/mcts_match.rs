//! Two settings of Monte Carlo search against each other: what is each feature worth?
//!
//! `cargo run --release -p jewel-search --example mcts_match -- GAME PLAYOUTS GAMES ONE OTHER`
//!
//! Each random opening of four plies is played twice, with sides exchanged. Settings: default, uniform,
//! narrow, wide, uct, uct-narrow, uct-below, rave, early, late, short, forgetful.

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chesslike::{GameVisitor, with_game};
use jewel_engine::playout::{Playout, random_move};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::mcts::{FirstPlay, Mcts, Options, Selection};
use jewel_search::searcher::Searcher;
use std::process::ExitCode;

const OPENING_PLIES: u32 = 4;
const LONGEST_GAME: usize = 300;

fn setting(name: &str) -> Option<Options> {
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
        "short" => Options { playout_plies: 20, ..plain },
        "forgetful" => Options { reuse: false, ..plain },
        _ => return None,
    })
}

struct Match {
    playouts: u64,
    games: u32,
    settings: [Options; 2],
}

impl Match {
    /// One game; `first` is the setting that plays White.
    fn play<G: Game>(&self, game: &G, opening: &G::Position, first: usize, seed: u64) -> Verdict
    where
        G::Position: Playout,
    {
        let mut players: Vec<Mcts<G::Position>> = (0..2)
            .map(|n| Mcts::new(Options { seed: seed + n as u64, ..self.settings[n].clone() }))
            .collect();
        let mut position = opening.clone();
        let mut history: Vec<u64> = Vec::new();
        while history.len() < LONGEST_GAME {
            let side = position.side_to_move();
            if let Some(outcome) = position.outcome() {
                return outcome.absolute(side);
            }
            let seen = 1 + history.iter().filter(|&&key| key == position.key()).count();
            if game.repetition() > 0 && seen >= game.repetition() as usize {
                return Verdict::Draw;
            }
            let player = if side == Side::White { first } else { 1 - first };
            let limits = Limits { playouts: Some(self.playouts), ..Limits::default() };
            let report = players[player].search(&position, &history, &limits, &Stop::new(), &mut |_| {});
            let Some(mv) = report.best else { return Verdict::Draw };
            history.push(position.key());
            position.play(mv);
        }
        Verdict::Draw
    }
}

impl GameVisitor for Match {
    type Output = [u32; 3];

    /// Wins, draws and losses of the first setting.
    fn visit<G>(self, game: G) -> [u32; 3]
    where
        G: Game,
        G::Position: Packed + Symmetric + Playout,
    {
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
                let result = match self.play(&game, &opening, first, u64::from(number) * 2 + 1) {
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
        let [game, playouts, games, one, other] = &arguments[..] else { return None };
        let settings = [setting(one)?, setting(other)?];
        let game = jewel_engine::games::find(game)?;
        Some((game, Match { playouts: playouts.parse().ok()?, games: games.parse().ok()?, settings }))
    };
    let Some((game, contest)) = parsed() else {
        eprintln!("usage: mcts_match GAME PLAYOUTS GAMES ONE OTHER; the settings are listed in the source");
        return ExitCode::from(2);
    };
    let [wins, draws, losses] = with_game(game.rules(), contest);
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
