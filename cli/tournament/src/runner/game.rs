//! One game, from its opening to its end.

use crate::adjudication::{Adjudication, Adjudicator};
use crate::clock::PlayerClock;
use crate::openings::Opening;
use crate::record::{GameRecord, Reason};
use crate::schedule::Pairing;
use crate::time_limits::TimeLimits;
use anyhow::Result;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_players::engine::GameAt;
use jewel_players::player::{Budget, Choice, Clocks, Fault, Player, Turn};
use jewel_players::score;
use jewel_search::clock::Bonus;
use jewel_search::control::Stop;
use std::time::{Duration, Instant};

/// A game that is over.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FinishedGame {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Reason,
    /// The ending in words.
    pub(crate) ending: String,
    pub(crate) scores: Vec<Option<String>>,
    pub(crate) depths: Vec<Option<u32>>,
    pub(crate) nodes: Vec<Option<u64>>,
    pub(crate) seconds: Vec<f64>,
}

impl FinishedGame {
    /// The record of the game, which was played on `line` by players of these names.
    pub(crate) fn record(
        self,
        line: &dyn GameAt,
        pairing: &Pairing,
        names: [&str; 2],
        timed: bool,
    ) -> GameRecord {
        let [white, black] = names.map(str::to_string);
        GameRecord {
            tournament: String::new(),
            number: pairing.number + 1,
            round: pairing.round + 1,
            game: line.game().to_string(),
            fen: line.fen(),
            start: line.first_fen(),
            book: 0,
            white,
            black,
            seed: pairing.seed,
            result: self.verdict.score_text().to_string(),
            termination: self.reason.termination().to_string(),
            reason: self.reason,
            ending: self.ending,
            moves: line.played(),
            turns: Vec::new(),
            scores: self.scores,
            depths: self.depths,
            nodes: self.nodes,
            seconds: if timed { self.seconds } else { Vec::new() },
        }
    }
}

/// A game in progress.
pub(crate) struct Game<'a> {
    pub(crate) line: &'a mut dyn GameAt,
    /// The players of White and Black.
    pub(crate) players: [&'a mut dyn Player; 2],
    pub(crate) limits: [&'a TimeLimits; 2],
    /// Their clocks, which stay as the game leaves them.
    pub(crate) clocks: &'a mut [Option<PlayerClock>; 2],
    pub(crate) rules: &'a Adjudication,
    /// Their names.
    pub(crate) names: [&'a str; 2],
    /// The names of the sides.
    pub(crate) sides: &'a [String; 2],
}

impl Game<'_> {
    /// Plays it; `None` if `begin` says that the tournament is being stopped. `begin` gives the stop handle of
    /// each search.
    pub(crate) fn play(
        mut self,
        pairing: &Pairing,
        opening: &Opening,
        begin: &dyn Fn() -> Option<Stop>,
    ) -> Result<Option<FinishedGame>> {
        self.line.set_position(opening.fen.as_deref(), &opening.moves)?;
        let mut data = MoveData::default();
        let over =
            |data: MoveData, (verdict, reason, ending)| Ok(Some(data.finished(verdict, reason, ending)));
        if let Some(end) = self.start(pairing) {
            return over(data, end);
        }
        let mut adjudicator = Adjudicator::new(self.rules);
        let mut dice =
            Random::new(pairing.seed_of(Side::White) ^ pairing.seed_of(Side::Black).rotate_left(32));
        let mut plies = opening.moves.len();
        loop {
            if let Some(end) = self.ended(plies) {
                return over(data, end);
            }
            let side = self.line.side_to_move();
            let budget = self.budget(side);
            let Some(stop) = begin() else { return Ok(None) };
            let begun = Instant::now();
            let turn = Turn { line: &*self.line, budget: &budget };
            let choice = self.players[side.index()].choose(&turn, &stop);
            let used = begun.elapsed();
            if stop.is_stopped() {
                return Ok(None);
            }
            data.update(&choice, used);
            let end = match &choice {
                Err(fault) => Some(self.forfeit(side, reason_of(fault), &fault.to_string())),
                Ok(_) if self.overstepped(side, used) => {
                    Some(self.forfeit(side, Reason::Time, "has overstepped the time"))
                }
                Ok(choice) => choice
                    .play(self.line, &mut dice)
                    .err()
                    .map(|fault| self.forfeit(side, reason_of(&fault), &fault.to_string())),
            };
            if let Some(end) = end {
                return over(data, end);
            }
            plies += 1;
            let score = choice.ok().and_then(|choice| choice.thought).map(|thought| thought.score);
            if let Some((verdict, reason)) = adjudicator.update(side, score, plies) {
                // A game that is over by its rules is not ended otherwise.
                let end =
                    self.ended(plies).unwrap_or_else(|| (verdict, reason, self.adjudged(verdict, reason)));
                return over(data, end);
            }
        }
    }

    /// Readies the players; the result if one fails.
    fn start(&mut self, pairing: &Pairing) -> Option<(Verdict, Reason, String)> {
        let mut faults = [None, None];
        for side in Side::BOTH {
            let player = &mut self.players[side.index()];
            faults[side.index()] = player.new_game(&*self.line, pairing.seed_of(side)).err();
        }
        match faults {
            [None, None] => None,
            [Some(fault), None] => Some(self.forfeit(Side::White, reason_of(&fault), &fault.to_string())),
            [None, Some(fault)] => Some(self.forfeit(Side::Black, reason_of(&fault), &fault.to_string())),
            [Some(white), Some(black)] => {
                let ending = format!("{} {white}; {} {black}", self.names[0], self.names[1]);
                Some((Verdict::Draw, reason_of(&white), ending))
            }
        }
    }

    /// The end of the game, by rule, by tables or by the limit of plies.
    fn ended(&self, plies: usize) -> Option<(Verdict, Reason, String)> {
        if let Some(end) = self.line.ending() {
            let reason = if end.repetition { Reason::Repetition } else { Reason::Rules };
            return Some((end.verdict, reason, end.text(self.sides)));
        }
        if self.rules.tables.is_some()
            && let Some(value) = self.line.table_value()
        {
            let verdict = value.outcome().absolute(self.line.side_to_move());
            return Some((verdict, Reason::Tables, self.adjudged(verdict, Reason::Tables)));
        }
        let most = self.rules.max_plies.plies()?;
        (plies >= most).then(|| (Verdict::Draw, Reason::MaxPlies, format!("drawn after {plies} plies")))
    }

    fn adjudged(&self, verdict: Verdict, reason: Reason) -> String {
        let how = match reason {
            Reason::Tables => "known by tables",
            _ => "adjudged by score",
        };
        match verdict {
            Verdict::WhiteWins => format!("{} wins, {how}", self.sides[0]),
            Verdict::BlackWins => format!("{} wins, {how}", self.sides[1]),
            Verdict::Draw => format!("draw, {how}"),
        }
    }

    fn forfeit(&self, loser: Side, reason: Reason, words: &str) -> (Verdict, Reason, String) {
        let verdict = Outcome::Loss.absolute(loser);
        (verdict, reason, format!("{} {words}", self.names[loser.index()]))
    }

    fn budget(&self, side: Side) -> Budget {
        let clocks = &*self.clocks;
        let own = clocks[side.index()].as_ref();
        // A player without a clock is reported with the opponent's.
        let of = |n: usize| clocks[n].as_ref().or(own);
        let all =
            |read: &dyn Fn(&PlayerClock) -> Duration| [0, 1].map(|n| of(n).map_or(Duration::ZERO, read));
        let clocks = own.map(|_| Clocks {
            remaining: all(&PlayerClock::remaining),
            bonus: [0, 1].map(|n| of(n).map_or(Bonus::None, PlayerClock::bonus)),
            moves_to_go: [0, 1].map(|n| of(n).and_then(PlayerClock::moves_to_go)),
        });
        Budget { clocks, ..Budget::default() }
    }

    fn overstepped(&mut self, side: Side, used: Duration) -> bool {
        let limits = self.limits[side.index()];
        let in_time = self.clocks[side.index()].as_mut().is_none_or(|clock| clock.spend(used));
        !in_time || limits.movetime.is_some_and(|time| used > time.saturating_add(limits.grace))
    }
}

/// The data of each move, as the players reported them.
#[derive(Default)]
struct MoveData {
    scores: Vec<Option<String>>,
    depths: Vec<Option<u32>>,
    nodes: Vec<Option<u64>>,
    seconds: Vec<f64>,
}

impl MoveData {
    fn update(&mut self, choice: &Result<Choice, Fault>, used: Duration) {
        // A move that did not come is not recorded, but its time was used.
        let thought = choice.as_ref().ok().and_then(|choice| choice.thought.as_ref());
        self.scores.push(thought.map(score::text));
        self.depths.push(thought.map(|thought| thought.depth).filter(|depth| *depth > 0));
        self.nodes.push(thought.map(|thought| thought.nodes).filter(|nodes| *nodes > 0));
        self.seconds.push((used.as_secs_f64() * 1e6).round() / 1e6);
    }

    fn finished(self, verdict: Verdict, reason: Reason, ending: String) -> FinishedGame {
        fn silent<T>(all: Vec<Option<T>>) -> Vec<Option<T>> {
            if all.iter().all(Option::is_none) { Vec::new() } else { all }
        }
        FinishedGame {
            verdict,
            reason,
            ending,
            scores: silent(self.scores),
            depths: silent(self.depths),
            nodes: silent(self.nodes),
            seconds: self.seconds,
        }
    }
}

fn reason_of(fault: &Fault) -> Reason {
    match fault {
        Fault::Start(_) => Reason::Start,
        Fault::Died(_) => Reason::Died,
        Fault::Silent(_) => Reason::Silent,
        Fault::Nonsense(_) => Reason::Nonsense,
        Fault::Illegal(_) => Reason::Illegal,
        Fault::Resigned => Reason::Resigned,
        Fault::Unable(_) => Reason::Unable,
    }
}
