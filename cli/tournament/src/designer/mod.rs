//! The designer's report on a game: what is proven, and what self-play shows.
//!
//! [`survey`] plays: equal players against each other, and a ladder of node budgets, each four times the one
//! below, of which neighbours play each other. What is solved comes from elsewhere ([`exact`]).

pub mod exact;
mod html;
pub mod interval;
mod plot;
pub mod sample;
pub mod story;
mod text;

use crate::adjudication::{Adjudication, PlyLimit};
use crate::config::{Config, TournamentPlayer};
use crate::openings::{Source, usual_plies};
use crate::record::GameRecord;
use crate::runner::{Observer, Tournament};
use crate::standings::Standings;
use anyhow::{Context, Result, anyhow};
use exact::{Exact, LongestWin, Power};
use interval::Estimate;
use jewel_engine::diagram::Diagram;
use jewel_players::catalogue::AnyGame;
use jewel_players::options::Algorithm;
use jewel_players::spec::{PlayerOptions, PlayerSpec};
use jewel_players::support::words::reason;
use sample::{Collector, Sampled};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use story::{Board, Opening, PieceLine, SampleGame};

/// The ratio of the budgets of neighbouring rungs.
pub const FACTOR: u64 = 4;

/// The options of a survey.
#[derive(Clone, Debug)]
pub struct SurveyOptions {
    /// Games of equal players, and of each step of the ladder, from 2.
    pub games: u64,
    /// Nodes of the strongest players for each move, from 1.
    pub nodes: u64,
    /// Rungs of the ladder; 1 is no ladder. The lowest has at least one node.
    pub rungs: u32,
    /// The search of the players.
    pub algorithm: Algorithm,
    /// Random plies at the beginning of games; `None` takes as many as leave a game open, up to 4.
    pub plies: Option<u32>,
    /// A game is a draw after this many plies.
    pub max_plies: usize,
    /// Seed of openings and players.
    pub seed: u64,
    /// Games at once; `None` is as many as there are cores.
    pub concurrency: Option<usize>,
    /// Where the records of games are kept, so that the same survey goes on after an interrupt.
    pub records: Option<PathBuf>,
}

/// The report on a game.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Survey {
    /// The id of the game.
    pub game: String,
    /// Its name.
    pub name: String,
    /// The objective of the game.
    pub objective: String,
    /// The start position.
    pub fen: String,
    /// The name of the side that moves first there.
    pub first: String,
    /// The solution of the start position, if it is known.
    pub exact: Option<Exact>,
    /// The longest win, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_win: Option<LongestWin>,
    /// The strength of sets of pieces against each other, if tables were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub powers: Vec<Power>,
    /// How games were played.
    pub method: Method,
    /// The results of the games of equal players.
    pub sampled: Sampled,
    /// The steps of the ladder, the lowest first.
    pub ladder: Vec<Step>,
    /// The gain from four times the nodes, on average over the steps, in Elo; `null` if a step has no bounds.
    pub elo_per_quadrupling: Option<Estimate>,
    /// The kinds of pieces.
    pub pieces: Vec<PieceLine>,
    /// How games began, and how they ended then.
    pub openings: Vec<Opening>,
    /// A game of the sample.
    pub sample_game: SampleGame,
    /// A sentence about the game.
    #[serde(skip)]
    summary: String,
    /// The board at the start.
    #[serde(skip)]
    start: Diagram,
    /// The boards of the longest win.
    #[serde(skip)]
    longest_boards: Vec<Board>,
}

/// What is known of a game without a sample.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Known {
    /// The solution of the start position.
    pub exact: Option<Exact>,
    /// The longest win.
    pub longest_win: Option<LongestWin>,
    /// The strength of sets of pieces against each other.
    pub powers: Vec<Power>,
}

/// How games were played.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Method {
    /// `ab` or `mcts`.
    pub algorithm: &'static str,
    /// Nodes of both players for each move.
    pub nodes: u64,
    /// Random plies at the beginning.
    pub plies: u32,
    /// A game is a draw after this many plies.
    pub max_plies: usize,
    /// Seed of openings and players.
    pub seed: u64,
}

/// A step of the ladder: a player against the same with a quarter of the nodes.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Step {
    /// Nodes of the stronger player.
    pub nodes: u64,
    /// Nodes of the weaker player.
    pub against: u64,
    /// Games that the stronger player won, drew and lost.
    pub results: [u64; 3],
    /// The difference in Elo.
    pub elo: Estimate,
}

/// Plays the games of a survey of a game of which something may be `known`, and calls `on_game` with the games played and the games of the survey; `None` if `interrupt` was
/// set before the end.
///
/// # Errors
/// If the game has no such openings, a file cannot be used, or there is not enough memory.
pub fn survey(
    game: AnyGame,
    known: Known,
    options: &SurveyOptions,
    interrupt: &AtomicBool,
    on_game: &mut dyn FnMut(u64, u64),
) -> Result<Option<Survey>> {
    let card = game.card();
    let mut line = game.open();
    let plies = options.plies.unwrap_or_else(|| usual_plies(options.seed, line.as_mut()));
    let budgets = rungs(options);
    let steps = budgets.len() as u64 - 1;
    let ladder_games = options.games.div_ceil(2) * 2;
    let all = options.games + steps * ladder_games;
    let place = Place::new(options.records.as_deref())?;
    let mut meter = Meter { before: 0, all, on_game };
    let series = Series { game, options, plies, place: &place };

    // Equal players that do not play at random would play the same game twice with colours swapped.
    let tournament = series.tournament([options.nodes; 2], options.games, 1)?;
    let Some(_) = tournament.play(interrupt, &mut meter)? else { return Ok(None) };
    let mut collector = Collector::default();
    tournament.each_record(|record| collector.enter(&record, line.as_mut()))?;
    let (sampled, tree) = collector.finish().context("no game was played")?;
    let median = sampled.length.quartiles[2];
    let mut shown: Option<GameRecord> = None;
    tournament.each_record(|record| {
        let better = |shown: &GameRecord| story::oddity(&record, median) < story::oddity(shown, median);
        if shown.as_ref().is_none_or(better) {
            shown = Some(record);
        }
        Ok(())
    })?;
    let sample_game = story::sample_game(&shown.context("no game was played")?, line.as_mut())?;

    let mut ladder = Vec::new();
    for pair in budgets.windows(2) {
        let [against, nodes] = [pair[0], pair[1]];
        let tournament = series.tournament([nodes, against], ladder_games / 2, 2)?;
        let Some(standings) = tournament.play(interrupt, &mut meter)? else { return Ok(None) };
        let results = standings.between(0, 1);
        let elo = Estimate::from_elo(&results).context("no game was played")?;
        let tally = results.games;
        ladder.push(Step { nodes, against, results: [tally.wins, tally.draws, tally.losses], elo });
    }

    let longest_boards = match &known.longest_win {
        Some(win) => story::longest_win(win, line.as_mut())?,
        None => Vec::new(),
    };
    line.set_position(None, &[])?;
    let diagram = line.diagram();
    let values = known.exact.as_ref().map_or(&[][..], |exact| &exact.moves);
    Ok(Some(Survey {
        game: card.id,
        name: card.name,
        objective: card.objective,
        fen: line.fen(),
        first: diagram.sides[line.side_to_move().index()].clone(),
        openings: tree.openings(values),
        pieces: story::pieces(game, &diagram),
        exact: known.exact,
        longest_win: known.longest_win,
        powers: known.powers,
        sample_game,
        summary: card.summary,
        start: diagram,
        longest_boards,
        method: Method {
            algorithm: options.algorithm.name(),
            nodes: options.nodes,
            plies,
            max_plies: options.max_plies,
            seed: options.seed,
        },
        sampled,
        elo_per_quadrupling: per_step(&ladder),
        ladder,
    }))
}

/// The budgets of the ladder, the least first.
fn rungs(options: &SurveyOptions) -> Vec<u64> {
    let budgets = std::iter::successors(Some(options.nodes), |nodes| Some(nodes / FACTOR));
    let mut budgets: Vec<u64> =
        budgets.take(options.rungs.max(1) as usize).take_while(|nodes| *nodes > 0).collect();
    budgets.reverse();
    budgets
}

/// The mean of the steps; their errors are independent.
fn per_step(ladder: &[Step]) -> Option<Estimate> {
    let n = ladder.len() as f64;
    let mean = ladder.iter().map(|step| step.elo.value).sum::<f64>() / n;
    let error = ladder.iter().map(|step| step.elo.error().powi(2)).sum::<f64>().sqrt() / n;
    (mean.is_finite() && error.is_finite()).then_some(Estimate {
        value: mean,
        low: mean - error,
        high: mean + error,
    })
}

/// The common settings of the tournaments of a survey.
struct Series<'a> {
    game: AnyGame,
    options: &'a SurveyOptions,
    plies: u32,
    place: &'a Place,
}

/// A tournament of a survey.
struct Prepared {
    tournament: Tournament,
    roster: crate::roster::Roster,
}

impl Series<'_> {
    fn tournament(&self, nodes: [u64; 2], rounds: u64, games: u64) -> Result<Prepared> {
        let SurveyOptions { algorithm, max_plies, seed, concurrency, .. } = self.options;
        let player = |(n, nodes): (usize, u64)| {
            PlayerSpec::new(&PlayerOptions {
                kind: Some((*algorithm).into()),
                name: Some(["one", "two"][n].to_string()),
                nodes: Some(nodes),
                ..PlayerOptions::default()
            })
        };
        let specs = nodes.into_iter().enumerate().map(player).collect::<Result<Vec<_>, _>>()?;
        let config = Config {
            event: format!("Report on {}", self.game.card().id),
            rounds: Some(rounds),
            games,
            seed: *seed,
            concurrency: *concurrency,
            openings: if self.plies > 0 { Source::Random { plies: self.plies } } else { Source::Start },
            adjudication: Adjudication { max_plies: PlyLimit::After(*max_plies), ..Adjudication::default() },
            times: Some(false),
            players: specs.into_iter().map(TournamentPlayer::from).collect(),
            ..Config::default()
        };
        let (mut tournament, roster) = config.prepare(&[self.game], None)?;
        tournament.records = self.place.folder.join(format!("{}.jsonl", tournament.id));
        Ok(Prepared { tournament, roster })
    }
}

impl Prepared {
    /// The standings; `None` if it was interrupted.
    fn play(&self, interrupt: &AtomicBool, meter: &mut Meter<'_>) -> Result<Option<Standings>> {
        let finish = self.tournament.run(&self.roster, interrupt, meter)?;
        meter.before += finish.standings.games();
        Ok(finish.complete.then_some(finish.standings))
    }

    fn each_record(&self, mut each: impl FnMut(GameRecord) -> Result<()>) -> Result<()> {
        let path = &self.tournament.records;
        let failed = |e: std::io::Error| anyhow!("{}: {}", path.display(), reason(&e));
        for line in BufReader::new(File::open(path).map_err(failed)?).lines() {
            each(serde_json::from_str(&line.map_err(failed)?)?)?;
        }
        Ok(())
    }
}

/// Counts games.
struct Meter<'a> {
    /// Those of the tournaments before.
    before: u64,
    all: u64,
    on_game: &'a mut dyn FnMut(u64, u64),
}

impl Observer for Meter<'_> {
    fn recorded(&mut self, _: &GameRecord, standings: &Standings) {
        (self.on_game)(self.before + standings.games(), self.all);
    }
}

/// The folder of records; a temporary one is deleted when the survey ends.
struct Place {
    folder: PathBuf,
    own: bool,
}

impl Place {
    fn new(asked: Option<&Path>) -> Result<Place> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let own = || {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            std::env::temp_dir().join(format!("jewel-report-{}-{number}", std::process::id()))
        };
        let folder = asked.map_or_else(own, Path::to_path_buf);
        fs::create_dir_all(&folder).map_err(|e| anyhow!("{}: {}", folder.display(), reason(&e)))?;
        Ok(Place { folder, own: asked.is_none() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.own {
            // Nothing depends on it.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(elo: f64, error: f64) -> Step {
        let elo = Estimate { value: elo, low: elo - error, high: elo + error };
        Step { nodes: 4, against: 1, results: [0; 3], elo }
    }

    #[test]
    fn steps_are_averaged() {
        let mean = per_step(&[step(100.0, 30.0), step(200.0, 40.0)]).unwrap();
        assert_eq!((mean.value, mean.low, mean.high), (150.0, 125.0, 175.0));
        assert_eq!(per_step(&[step(100.0, 30.0), step(f64::INFINITY, f64::INFINITY)]), None);
        assert_eq!(per_step(&[]), None);
    }
}
