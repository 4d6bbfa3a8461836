//! The state of a tournament: everything that its tables are made from, in little memory.

use crate::record::{GameRecord, Reason};
use crate::schedule::Pairing;
use crate::statistics::counts::{Results, Tally};
use jewel_engine::value::{Outcome, Side, Verdict};
use std::collections::BTreeMap;

/// The work of a player.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Effort {
    /// Moves played, those of openings not counted.
    pub moves: u64,
    /// Nodes searched, as far as the player reported them.
    pub nodes: u64,
    /// Seconds, where times are recorded.
    pub seconds: f64,
}

/// The results so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    names: Vec<String>,
    /// Results of the row's player against the column's, kept for rows before columns.
    against: BTreeMap<(usize, usize), Results>,
    efforts: Vec<Effort>,
    /// White's results.
    white: Tally,
    plies: u64,
    reasons: BTreeMap<Reason, u64>,
    games: u64,
    repeated: u64,
    /// The first game of a pair.
    half: Option<Half>,
    /// The same of each game of a basket; empty in a tournament of one game.
    stages: Vec<Standings>,
}

/// A game whose pair is not complete.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Half {
    /// The result as the player sees it who is named first.
    outcome: Outcome,
    verdict: Verdict,
    repeated: bool,
}

impl Standings {
    /// Nothing played yet, in a basket of this many games, or in one game.
    pub fn new(names: &[String], games: usize) -> Standings {
        let stages = if games > 1 { vec![Standings::new(names, 1); games] } else { Vec::new() };
        Standings {
            stages,
            names: names.to_vec(),
            against: BTreeMap::new(),
            efforts: vec![Effort::default(); names.len()],
            white: Tally::default(),
            plies: 0,
            reasons: BTreeMap::new(),
            games: 0,
            repeated: 0,
            half: None,
        }
    }

    /// Adds a player who has not played yet: the number.
    pub(crate) fn add_player(&mut self, name: &str) -> usize {
        self.stages.iter_mut().for_each(|stage| {
            stage.add_player(name);
        });
        self.names.push(name.to_string());
        self.efforts.push(Effort::default());
        self.names.len() - 1
    }

    /// Counts the next game; games 2n and 2n + 1 are a pair if games are paired. One that is `repeated`, that is, the
    /// same as an earlier one, is no evidence; in pairs, one of a pair both of whose games are.
    pub(crate) fn enter(
        &mut self,
        pairing: &Pairing,
        verdict: Verdict,
        record: &GameRecord,
        paired: bool,
        repeated: bool,
    ) {
        if let Some(stage) = self.stages.get_mut(pairing.stage) {
            stage.enter(pairing, verdict, record, paired, repeated);
        }
        let [white, black] = pairing.players;
        let first = white.min(black);
        let own = if white == first { Side::White } else { Side::Black };
        let outcome = verdict.seen_by(own);
        let results = self.against.entry((first, white.max(black))).or_default();
        let earlier = if pairing.number % 2 == 1 { self.half.take() } else { None };
        self.half = (paired && earlier.is_none()).then_some(Half { outcome, verdict, repeated });
        // What the pair says is known with its second game.
        let late = earlier.filter(|earlier| earlier.repeated && !repeated);
        let counts = if repeated { earlier.is_some_and(|earlier| !earlier.repeated) } else { true };
        for (outcome, verdict) in late
            .map(|late| (late.outcome, late.verdict))
            .into_iter()
            .chain(counts.then_some((outcome, verdict)))
        {
            results.games.add(outcome);
            self.white.add(verdict.seen_by(Side::White));
        }
        if let Some(earlier) = earlier.filter(|_| counts) {
            results.add_pair(earlier.outcome, outcome);
        }
        self.repeated = self.repeated + u64::from(!counts) - u64::from(late.is_some());
        self.games += 1;
        self.plies += record.moves.len() as u64;
        *self.reasons.entry(record.reason).or_insert(0) += 1;
        self.count_effort(pairing, record);
    }

    fn count_effort(&mut self, pairing: &Pairing, record: &GameRecord) {
        for (n, side) in record.movers().into_iter().skip(record.book).enumerate() {
            let effort = &mut self.efforts[pairing.players[side.index()]];
            effort.moves += 1;
            effort.nodes += record.nodes.get(n).copied().flatten().unwrap_or(0);
            effort.seconds += record.seconds.get(n).copied().unwrap_or(0.0);
        }
    }

    /// The results in each game of a basket, in its order; empty in a tournament of one game.
    pub fn stages(&self) -> &[Standings] {
        &self.stages
    }

    /// The names of the players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many games have been played.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many of them were the same as earlier ones: they are in no result.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The results of a player against another one, without repeated games.
    pub fn between(&self, player: usize, opponent: usize) -> Results {
        let key = (player.min(opponent), player.max(opponent));
        let results = self.against.get(&key).copied().unwrap_or_default();
        if player < opponent { results } else { -results }
    }

    /// All results of a player.
    pub fn of(&self, player: usize) -> Results {
        let mut all = Results::default();
        for opponent in (0..self.names.len()).filter(|opponent| *opponent != player) {
            all += self.between(player, opponent);
        }
        all
    }

    /// Who has met whom, and with what results.
    pub fn meetings(&self) -> Vec<(usize, usize, Results)> {
        self.against.iter().map(|(&(a, b), results)| (a, b, *results)).collect()
    }

    /// The work of a player.
    pub fn effort(&self, player: usize) -> Effort {
        self.efforts[player]
    }

    /// The results of the players with White, without repeated games.
    pub fn white(&self) -> Tally {
        self.white
    }

    /// Plies of all games, openings included.
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// How often games ended for which reason.
    pub fn reasons(&self) -> &BTreeMap<Reason, u64> {
        &self.reasons
    }
}
