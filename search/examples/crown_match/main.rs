//! Two players of Crown Jewels against each other, and how much a quick search gives away.
//!
//! `cargo run --release -p jewel-search --features drivers --example crown_match -- PARAMETERS GAMES ONE OTHER [SEED [LOG]]`
//! `cargo run --release -p jewel-search --features drivers --example crown_match -- PARAMETERS POSITIONS QUICK DEEP regret`
//! `cargo run --release -p jewel-search --features drivers --example crown_match -- PARAMETERS GAMES ONE OTHER fit`
//!
//! PARAMETERS are those of the game, `-` for none. A player is a list such as `multi,playouts=5000` or
//! `flat,ms=20,setup=random`; the words are listed in [`Player::parse`]. Every deal is played twice with sides
//! exchanged. With LOG, a file, every pair is written there when it is done, and pairs that are there already are
//! not played again: a match that was cut short can be read and goes on where it was. With `regret`, positions of
//! games between quick players are searched by the deep one, whose expectations say what the quick one's move gives
//! away. With `fit`, the weights of the evaluation are fitted to the results of games between the two.

mod fit;

use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame, CrownJewelsView, Deal, Move, Rules};
use jewel_engine::hidden::Hidden;
use jewel_engine::playout::random_move;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use jewel_search::control::Stop;
use jewel_search::ismcts::belief::Uniform;
use jewel_search::ismcts::crown_jewels::{Chooser, CrownJewelsInsight, Trust, Watcher};
use jewel_search::ismcts::{Cheat, InformationSearcher, Ismcts, Method, Options};
use jewel_search::limits::Limits;
use jewel_search::mcts::{FirstPlay, Selection};
use jewel_search::report::Report;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a player is.
#[derive(Clone, Debug)]
struct Player {
    options: Options,
    cheats: bool,
    moves_at_random: bool,
    /// Knows nothing but the rules: random playouts.
    plain: bool,
    /// `None`: every world is as likely.
    trust: Option<Trust>,
    gives_at_random: bool,
    places_at_random: bool,
    limits: Limits<Move>,
}

impl Player {
    /// Reads a list of words: a method (`flat`, `determinized`, `single`, `multi`, `cheat`) or `random`, then any of
    /// `playouts=N`, `ms=N`, `c=X` (exploration), `plies=N` (of a playout), `expand=N`, `plain` (random playouts), `model=X` (prior visits), `uct`, `puct`, `first`, `below=X`,
    /// `worlds=N`, `moves=X` and `habits=X` (trust of the belief), `setup=random`, `give=random`, `place=random`.
    fn parse(text: &str) -> Option<Player> {
        let mut player = Player {
            options: Options { tree_mb: 64, ..Options::default() },
            cheats: false,
            moves_at_random: false,
            plain: false,
            trust: None,
            gives_at_random: false,
            places_at_random: false,
            limits: Limits { multipv: 1, ..Limits::default() },
        };
        for word in text.split(',') {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let options = &mut player.options;
            match key {
                "cheat" => player.cheats = true,
                "plain" => player.plain = true,
                "random" => player.moves_at_random = true,
                "playouts" => player.limits.playouts = Some(value.parse().ok()?),
                "ms" => player.limits.movetime = Some(Duration::from_millis(value.parse().ok()?)),
                "c" => options.exploration = value.parse().ok()?,
                "plies" => options.playout_plies = value.parse().ok()?,
                "expand" => options.expand_at = value.parse().ok()?,
                "model" => options.prior_visits = value.parse().ok()?,
                "uct" => options.selection = Selection::Uct,
                "puct" => options.selection = Selection::Puct,
                "first" => options.first_play = FirstPlay::First,
                "below" => options.first_play = FirstPlay::Below(value.parse().ok()?),
                "worlds" => options.worlds = value.parse().ok()?,
                "moves" => player.trust.get_or_insert(NO_TRUST).moves = value.parse().ok()?,
                "habits" => player.trust.get_or_insert(NO_TRUST).habits = value.parse().ok()?,
                "setup" => (player.gives_at_random, player.places_at_random) = (true, true),
                "give" => player.gives_at_random = true,
                "place" => player.places_at_random = true,
                name => options.method = Method::from_name(name)?,
            }
        }
        Some(player)
    }
}

const NO_TRUST: Trust = Trust { habits: 0.0, moves: 0.0 };

/// A player at the board.
enum Seat {
    Random(Random),
    Informed(Box<dyn InformationSearcher<CrownJewels>>),
    Cheat(Box<Cheat<CrownJewelsInsight>>),
}

impl Seat {
    fn new(player: &Player, rules: &'static Rules, seed: u64) -> Seat {
        let options = Options { seed, ..player.options.clone() };
        let insight = CrownJewelsInsight::new(rules);
        if player.moves_at_random {
            return Seat::Random(Random::new(seed));
        }
        if player.cheats {
            return Seat::Cheat(Box::new(Cheat::new(options, insight)));
        }
        if player.plain {
            return Seat::Informed(Box::new(Ismcts::new(options)));
        }
        Seat::Informed(match player.trust {
            None => Box::new(Ismcts::with(options, insight, Uniform)),
            Some(trust) => Box::new(Ismcts::with(options, insight, Watcher::new(rules, trust))),
        })
    }

    fn search(
        &mut self,
        state: &CrownJewels,
        history: &[CrownJewels],
        limits: &Limits<Move>,
    ) -> Option<Report<Move>> {
        let side = state.side_to_move();
        match self {
            Seat::Random(_) => None,
            Seat::Cheat(cheat) => Some(cheat.search(state, history, limits, &Stop::new(), &mut |_| {})),
            Seat::Informed(searcher) => {
                let views: Vec<CrownJewelsView> = history.iter().map(|state| state.view(side)).collect();
                Some(searcher.search(&state.view(side), &views, limits, &Stop::new(), &mut |_| {}))
            }
        }
    }

    fn observe(&mut self, state: &CrownJewels, side: Side) {
        if let Seat::Informed(searcher) = self {
            searcher.observe(&state.view(side));
        }
    }
}

/// What was measured besides the results, for each player.
#[derive(Clone, Copy, Default)]
struct Effort {
    moves: u64,
    playouts: u64,
    seconds: f64,
}

impl Effort {
    fn join(&mut self, other: &Effort) {
        self.moves += other.moves;
        self.playouts += other.playouts;
        self.seconds += other.seconds;
    }
}

/// Processor time of this thread in seconds, which other programs do not touch; where the system does not tell it, the
/// time that has passed.
fn processor_seconds(begun: Instant) -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begun.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// The two games of a deal, with sides exchanged.
#[derive(Clone, Copy, Default)]
struct Pair {
    /// Wins, draws and losses of the first player.
    counts: [u32; 3],
    plies: u32,
    effort: [Effort; 2],
}

impl Pair {
    fn play(rules: &'static Rules, players: &[Player; 2], seed: u64) -> Pair {
        let mut pair = Pair::default();
        for first in 0..2 {
            let mut by_side = [pair.effort[first], pair.effort[1 - first]];
            let seats = [&players[first], &players[1 - first]];
            let (verdict, plies) = play(rules, seats, seed, &mut by_side, &mut |_, _, _| {});
            (pair.effort[first], pair.effort[1 - first]) = (by_side[0], by_side[1]);
            pair.plies += plies;
            let result = match verdict {
                Verdict::Draw => 1,
                verdict => 2 * usize::from((verdict == Verdict::WhiteWins) != (first == 0)),
            };
            pair.counts[result] += 1;
        }
        pair
    }

    /// The share of points of the first player.
    fn share(&self) -> f64 {
        f64::from(2 * self.counts[0] + self.counts[1]) / 4.0
    }

    /// A line of a log.
    fn line(&self, seed: u64) -> String {
        let [wins, draws, losses] = self.counts;
        let [one, other] = self.effort.map(|e| format!("{} {} {:.6}", e.moves, e.playouts, e.seconds));
        format!("{seed} {wins} {draws} {losses} {} {one} {other}\n", self.plies)
    }

    /// The seed and the pair of a line.
    fn from_line(line: &str) -> Option<(u64, Pair)> {
        let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [seed, wins, draws, losses, plies, one @ .., m, p, s] = &numbers[..] else { return None };
        let effort = |moves: f64, playouts: f64, seconds: f64| Effort {
            moves: moves as u64,
            playouts: playouts as u64,
            seconds,
        };
        let counts = [wins, draws, losses].map(|&count| count as u32);
        let one = effort(*one.first()?, *one.get(1)?, *one.get(2)?);
        Some((*seed as u64, Pair { counts, plies: *plies as u32, effort: [one, effort(*m, *p, *s)] }))
    }
}

/// The true state at the start of play; the players give and place as they do.
fn set_up(rules: &'static Rules, players: [&Player; 2], pair: u64) -> CrownJewels {
    let mut random = Random::stream(pair, 1);
    let deal = Deal::random(rules, &mut random);
    let chooser = Chooser::new(rules);
    let gifts = Side::BOTH.map(|side| {
        let random = &mut Random::stream(pair, 10 + side.index() as u64);
        let view = deal.view(side);
        if players[side.index()].gives_at_random {
            view.random_gift(random)
        } else {
            chooser.give(&view, random)
        }
    });
    let setup = deal.give(gifts).expect("a gift of the hand");
    let [white, black] = Side::BOTH.map(|side| {
        let random = &mut Random::stream(pair, 20 + side.index() as u64);
        let view = setup.view(side);
        if players[side.index()].places_at_random {
            view.random_placement(random)
        } else {
            chooser.place(&view, random)
        }
    });
    let first = if random.below(2) == 0 { Side::White } else { Side::Black };
    setup.play([&white, &black], first).expect("placements of the hands")
}

/// Hears of a position, those before it since the last contest, and what its mover thought.
type OnPosition<'a> = &'a mut dyn FnMut(&CrownJewels, &[CrownJewels], Option<&Report<Move>>);

/// Plays a game and shows every position before its move; `players` by side.
fn play(
    rules: &'static Rules,
    players: [&Player; 2],
    pair: u64,
    effort: &mut [Effort; 2],
    on_position: OnPosition<'_>,
) -> (Verdict, u32) {
    let mut state = set_up(rules, players, pair);
    let mut seats =
        Side::BOTH.map(|side| Seat::new(players[side.index()], rules, pair * 2 + side.index() as u64));
    let mut history: Vec<CrownJewels> = Vec::new();
    let clock = Instant::now();
    let mut plies = 0;
    loop {
        for side in Side::BOTH {
            seats[side.index()].observe(&state, side);
        }
        let mover = state.side_to_move();
        if let Some(outcome) = state.outcome() {
            return (outcome.absolute(mover), plies);
        }
        // C3: the same true state for the third time.
        if history.iter().filter(|earlier| earlier.zobrist_hash() == state.zobrist_hash()).count() >= 2 {
            return (Verdict::Draw, plies);
        }
        let begun = processor_seconds(clock);
        let report = seats[mover.index()].search(&state, &history, &players[mover.index()].limits);
        let effort = &mut effort[mover.index()];
        effort.moves += 1;
        effort.seconds += processor_seconds(clock) - begun;
        effort.playouts += report.as_ref().map_or(0, |report| report.nodes);
        on_position(&state, &history, report.as_ref());
        let mv = match (&mut seats[mover.index()], &report) {
            (Seat::Random(random), _) => random_move(&state, random),
            (_, report) => report.as_ref().and_then(|report| report.best),
        };
        let Some(mv) = mv else { return (Verdict::Draw, plies) };
        history.push(state);
        state.play(mv);
        if state.quiet() == 0 {
            history.clear();
        }
        plies += 1;
    }
}

/// The Elo difference of a share of points.
fn elo(share: f64) -> f64 {
    let share = share.clamp(1e-3, 1.0 - 1e-3);
    400.0 * (share / (1.0 - share)).log10()
}

/// Games in pairs, those of the log first.
fn contest(
    rules: &'static Rules,
    games: u64,
    players: &[Player; 2],
    seed: u64,
    log: Option<&str>,
) -> io::Result<()> {
    let logged = log.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let done: HashMap<u64, Pair> = logged.lines().filter_map(Pair::from_line).collect();
    let mut log = log.map(|path| File::options().append(true).create(true).open(path)).transpose()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for seed in seed..seed + games / 2 {
        let pair = match done.get(&seed) {
            Some(pair) => *pair,
            None => {
                let pair = Pair::play(rules, players, seed);
                if let Some(log) = &mut log {
                    log.write_all(pair.line(seed).as_bytes())?;
                }
                pair
            }
        };
        pairs.push(pair);
        if pairs.len().is_multiple_of(10) {
            eprintln!("{}", summary(&pairs));
        }
    }
    println!("{}", summary(&pairs));
    let plies: u32 = pairs.iter().map(|pair| pair.plies).sum();
    println!("{:.0} plies a game", f64::from(plies) / (2.0 * pairs.len().max(1) as f64));
    for (number, name) in ["one", "other"].into_iter().enumerate() {
        let mut sum = Effort::default();
        pairs.iter().for_each(|pair| sum.join(&pair.effort[number]));
        let moves = sum.moves.max(1) as f64;
        let (ms, nodes) = (1000.0 * sum.seconds / moves, sum.playouts as f64 / moves);
        println!("{name}: {ms:.2} ms of processor time and {nodes:.0} positions a move");
    }
    Ok(())
}

/// Wins, draws and losses of the first player, and what they say of strength; the error is that of pairs.
fn summary(pairs: &[Pair]) -> String {
    let [wins, draws, losses] = [0, 1, 2].map(|n| pairs.iter().map(|pair| pair.counts[n]).sum::<u32>());
    let count = pairs.len().max(1) as f64;
    let share = pairs.iter().map(Pair::share).sum::<f64>() / count;
    let spread = pairs.iter().map(|pair| (pair.share() - share).powi(2)).sum::<f64>();
    let error = 1.96 * (spread / count / (count - 1.0).max(1.0)).sqrt();
    let (low, high) = (elo(share - error), elo(share + error));
    format!(
        "+{wins} ={draws} -{losses}: {:.1}% +- {:.1}, Elo {:+.0} ({low:+.0} to {high:+.0})",
        100.0 * share,
        100.0 * error,
        elo(share)
    )
}

/// What the moves of a quick player give away, by what a deep one expects of every move with the same knowledge.
fn regret(rules: &'static Rules, positions: u64, players: &[Player; 2]) {
    let [quick, deep] = players;
    let limits = Limits { multipv: 256, ..deep.limits.clone() };
    let (mut losses, mut same, mut random_losses) = (Vec::new(), 0, Vec::new());
    let mut errors = 0.0;
    let mut random = Random::new(3);
    for pair in 0.. {
        if losses.len() as u64 >= positions {
            break;
        }
        let mut sample: Vec<(CrownJewels, Vec<CrownJewels>, Move)> = Vec::new();
        play(
            rules,
            [quick, quick],
            1000 + pair,
            &mut [Effort::default(); 2],
            &mut |state, history, report| {
                if let Some(mv) = report.and_then(|report| report.best)
                    && random.below(8) == 0
                {
                    sample.push((*state, history.to_vec(), mv));
                }
            },
        );
        for (state, history, mv) in sample {
            let report = Seat::new(deep, rules, 7).search(&state, &history, &limits);
            let Some(report) = report.filter(|report| report.lines.len() > 1) else { continue };
            let worth = |mv: Move| {
                let line = report.lines.iter().find(|line| line.pv.first() == Some(&mv));
                line.and_then(|line| Some((line.expectation?, line.expectation_error?)))
            };
            let best = report.lines[0].pv[0];
            let (Some(best_worth), Some(chosen)) = (worth(best), worth(mv)) else { continue };
            same += u32::from(best == mv);
            losses.push((best_worth.0 - chosen.0).max(0.0));
            errors += best_worth.1.hypot(chosen.1);
            let any = &report.lines[random.below(report.lines.len() as u32) as usize];
            random_losses.push((best_worth.0 - any.expectation.unwrap_or(0.5)).max(0.0));
        }
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    let deviation = |list: &[f64]| {
        let centre = mean(list);
        let spread = list.iter().map(|loss| (loss - centre).powi(2)).sum::<f64>();
        spread.sqrt() / list.len().max(1) as f64
    };
    println!(
        "{} positions: {:.4} +- {:.4} of a point given away a move (random moves {:.4}), the deep move in {:.0}%; \
         the deep search is sure to {:.4}",
        losses.len(),
        mean(&losses),
        1.96 * deviation(&losses),
        mean(&random_losses),
        100.0 * f64::from(same) / losses.len().max(1) as f64,
        errors / losses.len().max(1) as f64
    );
}

/// What to do with two players.
enum Task {
    Match { seed: u64, log: Option<String> },
    Regret,
    Fit,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = || {
        let [parameters, count, one, other, rest @ ..] = &arguments[..] else { return None };
        let parameters = if parameters == "-" { "" } else { parameters };
        let game = CrownJewelsGame::with_parameters(parameters).ok()?;
        let players = [Player::parse(one)?, Player::parse(other)?];
        let task = match rest.first().map(String::as_str) {
            None => Task::Match { seed: 1, log: None },
            Some("regret") => Task::Regret,
            Some("fit") => Task::Fit,
            Some(seed) => Task::Match { seed: seed.parse().ok()?, log: rest.get(1).cloned() },
        };
        Some((game, count.parse::<u64>().ok()?, players, task))
    };
    let Some((game, count, players, task)) = parsed() else {
        eprintln!(
            "usage: crown_match PARAMETERS GAMES ONE OTHER [SEED [LOG] | regret | fit]; the words are in the source"
        );
        return ExitCode::from(2);
    };
    match task {
        Task::Regret => regret(game.rules(), count, &players),
        Task::Fit => fit::fit(game.rules(), count, &players),
        Task::Match { seed, log } => {
            if let Err(error) = contest(game.rules(), count, &players, seed, log.as_deref()) {
                eprintln!("the log cannot be written: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
