//! Small players and tournaments for tests.

use anyhow::Result;
use jewel_engine::random::Random;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::{Choice, Fault, Player, Turn};
use jewel_search::control::Stop;
use jewel_search::report::Info;
use jewel_search::score::Score;
use jewel_tournament::adjudication::Adjudication;
use jewel_tournament::openings::{Openings, Source};
use jewel_tournament::record::GameRecord;
use jewel_tournament::runner::{Observer, PlayerFactory, Stage, Tournament};
use jewel_tournament::schedule::{Format, Plan};
use jewel_tournament::standings::Standings;
use jewel_tournament::time_limits::TimeLimits;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How a player of a test behaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Manner {
    /// Any legal move.
    Random,
    /// Any legal move, after so long.
    Slow(Duration),
    /// Any legal move, with this score.
    Claims(i32),
    /// A move that is not legal, at its second turn.
    Cheats,
    /// No answer at its second turn.
    Dies,
    /// It is never there.
    Missing,
}

struct Puppet {
    manner: Manner,
    random: Random,
    turns: u32,
}

impl Player for Puppet {
    fn name(&self) -> &str {
        "puppet"
    }

    fn new_game(&mut self, _: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        self.random = Random::new(seed);
        self.turns = 0;
        if self.manner == Manner::Missing { Err(Fault::Start("no such file".to_string())) } else { Ok(()) }
    }

    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        self.turns += 1;
        let moves = turn.line.moves();
        let mut mv = moves[self.random.below(moves.len() as u32) as usize].clone();
        let mut thought = None;
        match self.manner {
            Manner::Slow(time) => {
                let steps = (time.as_millis() / 5).max(1) as u32;
                for _ in 0..steps {
                    if stop.is_stopped() {
                        break;
                    }
                    std::thread::sleep(time / steps);
                }
            }
            Manner::Claims(score) => {
                thought =
                    Some(Info { score: Score::centipawns(score), depth: 3, nodes: 10, ..Info::default() });
            }
            Manner::Cheats if self.turns == 2 => mv = "a1a9".to_string(),
            Manner::Dies if self.turns == 2 => return Err(Fault::Died("exit status 3".to_string())),
            _ => {}
        }
        Ok(Choice { mv, thought })
    }
}

/// Puppets at the boards of a game.
pub(crate) struct Puppets(pub(crate) &'static str, pub(crate) Vec<Manner>);

impl PlayerFactory for Puppets {
    fn line(&self, stage: usize) -> Result<Box<dyn GameAt>> {
        Boards(&[self.0], self.1.clone()).line(stage)
    }

    fn player(&self, stage: usize, number: usize) -> Result<Box<dyn Player>, Fault> {
        Boards(&[self.0], self.1.clone()).player(stage, number)
    }
}

/// Puppets at the boards of the games of a basket.
pub(crate) struct Boards<'a>(pub(crate) &'a [&'static str], pub(crate) Vec<Manner>);

impl PlayerFactory for Boards<'_> {
    fn line(&self, stage: usize) -> Result<Box<dyn GameAt>> {
        Ok(AnyGame::resolve(self.0[stage])?.open())
    }

    fn player(&self, _: usize, number: usize) -> Result<Box<dyn Player>, Fault> {
        Ok(Box::new(Puppet { manner: self.1[number], random: Random::new(0), turns: 0 }))
    }
}

/// Looks on and remembers nothing but how much there was.
#[derive(Default)]
pub(crate) struct Count(pub(crate) u64);

impl Observer for Count {
    fn recorded(&mut self, _: &GameRecord, _: &Standings) {
        self.0 += 1;
    }
}

/// An empty folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A round robin of this many players of `game` with random openings, its records in a folder.
pub(crate) fn tournament(
    game: &'static str,
    players: usize,
    rounds: u64,
    folder: &std::path::Path,
) -> Tournament {
    let mut line = AnyGame::resolve(game).unwrap().open();
    Tournament {
        id: "test".to_string(),
        event: "Test".to_string(),
        names: (0..players).map(|n| format!("p{n}")).collect(),
        stages: vec![Stage {
            name: game.to_string(),
            game: game.to_string(),
            random: vec![true; players],
            limits: vec![TimeLimits::default(); players],
            openings: Openings::prepare(&Source::Random { plies: 2 }, 7, line.as_mut()).unwrap(),
            adjudication: Adjudication::default(),
        }],
        plan: Plan { format: Format::RoundRobin, players, stages: 1, rounds, games: 2, seed: 7 },
        sprt: None,
        concurrency: 2,
        times: false,
        records: folder.join("games.jsonl"),
        pgn: Some(folder.join("games.pgn")),
    }
}
