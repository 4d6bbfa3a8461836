//! The schedule: from the number of a game to its players, colours, opening and seed.
//!
//! Nothing is listed beforehand: a tournament of a million games takes no more memory than one of ten.

mod knockout;

use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side, Verdict};
use knockout::Knockout;
use serde::{Deserialize, Serialize};

/// The format of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Each player plays each of the others.
    #[default]
    RoundRobin,
    /// The first player plays each of the others.
    Gauntlet,
    /// The loser of a match is out.
    Knockout,
    /// Two players, until a sequential test has decided.
    Sprt,
}

impl Format {
    /// Every format, with the name by which it is typed.
    pub const NAMES: [(&'static str, Format); 4] = [
        ("round-robin", Format::RoundRobin),
        ("gauntlet", Format::Gauntlet),
        ("knockout", Format::Knockout),
        ("sprt", Format::Sprt),
    ];

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        Format::NAMES.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

/// A game of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The number of the game, from 0.
    pub number: u64,
    /// The number of its round, from 0.
    pub round: u64,
    /// The number of the game in a basket, from 0; always 0 in a tournament of one game.
    pub stage: usize,
    /// The numbers of the players, White's first.
    pub players: [usize; 2],
    /// The number of its opening, from 0. Games of a pair share it.
    pub opening: u64,
    /// Seed of all random choices in the game.
    pub seed: u64,
}

impl Pairing {
    /// The seed of a player in this game.
    pub fn seed_of(&self, side: Side) -> u64 {
        Random::stream(self.seed, side.index() as u64).next_u64()
    }
}

/// The next game of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This game.
    Game(Pairing),
    /// The next game depends on results that are not known yet.
    Later,
    /// All games have been played.
    Over,
}

/// The parameters of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The format of the tournament.
    pub format: Format,
    /// Players, at least 2; exactly 2 for a test.
    pub players: usize,
    /// The games of the basket: 1 in a tournament of one game, and in a knockout.
    pub stages: usize,
    /// How often each two players meet in each game of the basket; a knockout, which has its own rounds, ignores it.
    pub rounds: u64,
    /// Games of each meeting, at least 1. If even, games come in pairs: the same opening, colours swapped.
    pub games: u64,
    /// For the seeds of games.
    pub seed: u64,
}

impl Plan {
    /// Whether games come in pairs: those of numbers 2n and 2n + 1.
    pub fn is_paired(&self) -> bool {
        self.games.is_multiple_of(2)
    }

    /// Games that share an opening.
    fn unit(&self) -> u64 {
        if self.is_paired() { 2 } else { 1 }
    }

    /// Openings that a meeting of two players takes.
    fn openings(&self) -> u64 {
        self.games / self.unit()
    }

    /// How many pairs of players meet in a round.
    fn meetings(&self) -> u64 {
        let n = self.players as u64;
        match self.format {
            Format::RoundRobin | Format::Sprt => n * (n - 1) / 2,
            Format::Gauntlet => n - 1,
            Format::Knockout => 0,
        }
    }

    fn pairing(&self, number: u64, round: u64, players: [usize; 2], opening: u64) -> Pairing {
        Pairing {
            number,
            round,
            stage: 0,
            players,
            opening,
            seed: Random::stream(self.seed, number).next_u64(),
        }
    }

    /// The game with this number in a tournament whose games do not depend on results.
    fn game(&self, number: u64) -> Pairing {
        let (meeting, game) = (number / self.games, number % self.games);
        // Before two players meet again, or others do, they meet in each game of the basket.
        let (meeting, stage) = (meeting / self.stages as u64, (meeting % self.stages as u64) as usize);
        let (round, meeting) = (meeting / self.meetings(), meeting % self.meetings());
        let [a, b] = match self.format {
            Format::Gauntlet => [0, meeting as usize + 1],
            _ => circle(self.players, meeting),
        };
        // Who has White in the first game alternates; within a meeting colours are swapped each time.
        let swapped = (meeting + round + game) % 2 == 1;
        let players = if swapped { [b, a] } else { [a, b] };
        let opening = round * self.openings() + game / self.unit();
        Pairing { stage, ..self.pairing(number, round, players, opening) }
    }
}

/// The two players of a meeting of a round robin, by the circle method: in `n - 1` turns (`n` if the number is
/// odd) all players meet, and none plays twice in a turn.
fn circle(players: usize, meeting: u64) -> [usize; 2] {
    let odd = players % 2;
    let wheel = players - 1 + odd;
    let tables = players / 2;
    let (turn, table) = ((meeting as usize) / tables, (meeting as usize) % tables);
    // With an odd number, the opponent of the fixed seat has a bye.
    match table + odd {
        0 => [wheel, turn],
        step => [(turn + step) % wheel, (turn + wheel - step) % wheel],
    }
}

/// The games of a tournament, one after the other.
#[derive(Clone, Debug)]
pub struct Schedule {
    plan: Plan,
    knockout: Option<Knockout>,
}

impl Schedule {
    /// The schedule of a plan.
    ///
    /// # Errors
    /// What is wrong with the plan, and what would be right.
    pub fn new(plan: Plan) -> Result<Schedule, String> {
        if plan.players < 2 {
            return Err(format!("a tournament has at least 2 players, here there are {}", plan.players));
        }
        if plan.format == Format::Sprt && plan.players != 2 {
            return Err(format!("a sequential test has 2 players, here there are {}", plan.players));
        }
        if plan.games == 0 || plan.rounds == 0 {
            return Err("\"rounds\" and \"games\" are at least 1".to_string());
        }
        if plan.stages == 0 {
            return Err("a tournament has at least 1 game, here there is none".to_string());
        }
        if plan.stages > 1 && plan.format == Format::Knockout {
            return Err(
                "a knockout is played in one game: write [[game]] once, or take another format".to_string()
            );
        }
        let each = plan.meetings().checked_mul(plan.games).and_then(|n| n.checked_mul(plan.rounds));
        let all = each.and_then(|n| n.checked_mul(plan.stages as u64));
        if all.is_none_or(|all| all > Schedule::MAX_GAMES) {
            return Err(format!("these are more than {} games", Schedule::MAX_GAMES));
        }
        let knockout = (plan.format == Format::Knockout).then(|| Knockout::new(plan));
        Ok(Schedule { plan, knockout })
    }

    /// More games than any tournament has.
    pub const MAX_GAMES: u64 = 1_000_000_000_000;

    /// The plan that it was made from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The number of games, as far as it is known: a knockout may have more.
    pub fn games(&self) -> u64 {
        match &self.knockout {
            None => self.plan.meetings() * self.plan.games * self.plan.rounds * self.plan.stages as u64,
            Some(knockout) => knockout.games_in_sight(),
        }
    }

    /// The game with this number.
    pub fn next(&self, number: u64) -> Next {
        match &self.knockout {
            Some(knockout) => knockout.next(number),
            None if number < self.games() => Next::Game(self.plan.game(number)),
            None => Next::Over,
        }
    }

    /// Records the result of a game; results come in the order of numbers, each once.
    pub fn record(&mut self, pairing: &Pairing, verdict: Verdict) {
        if let Some(knockout) = &mut self.knockout {
            knockout.record(pairing, verdict);
        }
    }

    /// The winner of a knockout that is over.
    pub fn champion(&self) -> Option<usize> {
        self.knockout.as_ref().and_then(Knockout::champion)
    }
}

/// Half points of a result.
fn half_points(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Loss => 0,
        Outcome::Draw => 1,
        Outcome::Win => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashSet};

    fn fixtures(plan: Plan) -> Vec<Pairing> {
        let schedule = Schedule::new(plan).unwrap();
        let game = |number| match schedule.next(number) {
            Next::Game(pairing) => Some(pairing),
            _ => None,
        };
        let all: Vec<Pairing> = (0..).map_while(game).collect();
        assert_eq!(all.len() as u64, schedule.games());
        assert_eq!(schedule.next(schedule.games()), Next::Over);
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

        #[test]
        fn everybody_meets_everybody_as_often(
            players in 2..9usize, stages in 1..4usize, rounds in 1..5u64, games in 1..7u64, gauntlet in any::<bool>(), seed in any::<u64>()
        ) {
            let format = if gauntlet { Format::Gauntlet } else { Format::RoundRobin };
            let plan = Plan { format, players, stages, rounds, games, seed };
            let all = fixtures(plan);
            let mut met = BTreeMap::new();
            let mut whites = vec![0i64; players];
            for pairing in &all {
                let [a, b] = pairing.players;
                prop_assert!(a != b && a < players && b < players);
                prop_assert!(!gauntlet || a.min(b) == 0);
                *met.entry([pairing.stage, a.min(b), a.max(b)]).or_insert(0) += 1;
                whites[a] += 1;
                whites[b] -= 1;
            }
            let meetings = if gauntlet { players - 1 } else { players * (players - 1) / 2 };
            prop_assert_eq!(met.len(), meetings * stages);
            prop_assert!(met.values().all(|&n| n == rounds * games));
            if plan.is_paired() {
                prop_assert!(whites.iter().all(|&n| n == 0), "{:?}", whites);
                for pair in all.chunks(2) {
                    let [a, b] = pair[0].players;
                    prop_assert_eq!(pair[1].players, [b, a]);
                    prop_assert_eq!((pair[0].opening, pair[0].stage), (pair[1].opening, pair[1].stage));
                }
            }
            let seeds: HashSet<u64> = all.iter().map(|pairing| pairing.seed).collect();
            prop_assert_eq!(seeds.len(), all.len());
        }

        #[test]
        fn nobody_plays_twice_in_a_turn(players in 2..30usize) {
            let tables = players / 2;
            for turn in 0..(players * (players - 1) / 2) / tables {
                let seated: Vec<usize> =
                    (0..tables).flat_map(|table| circle(players, (turn * tables + table) as u64)).collect();
                let distinct: HashSet<_> = seated.iter().collect();
                prop_assert_eq!(distinct.len(), 2 * tables);
            }
        }
    }

    #[test]
    fn every_round_has_its_openings() {
        let plan = Plan { format: Format::Sprt, players: 2, stages: 1, rounds: 3, games: 4, seed: 1 };
        let openings: Vec<u64> = fixtures(plan).iter().map(|pairing| pairing.opening).collect();
        assert_eq!(openings, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        let single = Plan { games: 3, rounds: 2, ..plan };
        let all = fixtures(single);
        assert_eq!(all.iter().map(|pairing| pairing.opening).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        // Colours alternate through the rounds.
        let whites: Vec<usize> = all.iter().map(|pairing| pairing.players[0]).collect();
        assert_eq!(whites, [1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn a_basket_goes_through_its_games_again_and_again() {
        let plan = Plan { format: Format::Sprt, players: 2, stages: 3, rounds: 2, games: 2, seed: 1 };
        let all: Vec<(usize, u64)> = fixtures(plan).iter().map(|p| (p.stage, p.opening)).collect();
        let round = |opening| [0, 0, 1, 1, 2, 2].map(|stage| (stage, opening));
        assert_eq!(all, [round(0), round(1)].concat());
        // A basket of one game is a tournament of it.
        let one = Plan { stages: 1, ..plan };
        assert!(fixtures(one).iter().all(|pairing| pairing.stage == 0));
    }

    #[test]
    fn a_game_far_away_is_known_at_once() {
        let plan = Plan {
            format: Format::RoundRobin,
            players: 100,
            stages: 1,
            rounds: 1_000_000,
            games: 2,
            seed: 3,
        };
        let schedule = Schedule::new(plan).unwrap();
        let Next::Game(pairing) = schedule.next(9_899_999_999) else { panic!("there is such a game") };
        assert_eq!((pairing.round, pairing.opening), (999_999, 999_999));
        assert_eq!(schedule.next(9_900_000_000), Next::Over);
        assert_eq!(schedule.next(9_899_999_999), Next::Game(pairing));
    }

    #[test]
    fn impossible_plans_are_refused() {
        let plan = Plan { format: Format::RoundRobin, players: 2, stages: 1, rounds: 1, games: 1, seed: 0 };
        for bad in [
            Plan { players: 1, ..plan },
            Plan { players: 3, format: Format::Sprt, ..plan },
            Plan { games: 0, ..plan },
            Plan { rounds: u64::MAX, ..plan },
            Plan { stages: 0, ..plan },
            Plan { stages: 2, format: Format::Knockout, ..plan },
        ] {
            assert!(Schedule::new(bad).is_err(), "{bad:?}");
        }
    }
}
