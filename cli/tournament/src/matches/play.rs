//! Plays matches, several at once, and hands them over in order.

use super::rules::{Event, GameResult, Lots, MatchRules, Next, NextGame};
use super::scoresheet::{GameLine, MatchLine, Scoresheet};
use crate::adjudication::Adjudication;
use crate::clock::PlayerClock;
use crate::hash::fnv;
use crate::log::{Entry, Log};
use crate::openings::Opening;
use crate::ordered::{Begin, in_order};
use crate::pgn;
use crate::pgn_file::PgnFile;
use crate::record::GameRecord;
use crate::runner::Game;
use crate::schedule::Pairing;
use crate::time_limits::TimeLimits;
use anyhow::{Result, bail};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::player::Player;
use jewel_players::spec::PlayerSpec;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Keeps the seeds of games apart from the lots.
const GAME_STREAM: u64 = 0x6d61_7463_6865_7321;

/// A series of matches between two players.
#[derive(Clone, Debug)]
pub struct MatchSeries {
    /// The rules.
    pub rules: MatchRules,
    /// The players.
    pub players: [MatchPlayer; 2],
    /// How many matches.
    pub matches: u64,
    /// Seed of the lots and of random choices of players.
    pub seed: u64,
    /// Matches at once, from 1.
    pub concurrency: usize,
    /// Which games are ended early.
    pub adjudication: Adjudication,
    /// The file of records: matches that it has are not played again.
    pub records: Option<PathBuf>,
    /// The file of games as PGN.
    pub pgn: Option<PathBuf>,
}

/// A player of matches.
#[derive(Clone, Debug)]
pub struct MatchPlayer {
    /// What plays.
    pub spec: PlayerSpec,
    /// Time by which a limit may be overstepped.
    pub grace: Duration,
}

/// A match that was played: a line of the file of records.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct MatchRecord {
    /// The id of the series, the same in all of its matches.
    pub tournament: String,
    /// The match as the scoresheet shows it.
    #[serde(flatten)]
    pub line: MatchLine,
    /// Its games as PGN.
    pub pgn: String,
}

impl Entry for MatchRecord {
    const WORD: &'static str = "match";

    fn tournament(&self) -> &str {
        &self.tournament
    }

    fn number(&self) -> u64 {
        self.line.number
    }
}

/// A position string with another side to move.
///
/// ```
/// use jewel_engine::value::Side;
/// use jewel_tournament::matches::play::with_side_to_move;
/// assert_eq!(with_side_to_move("l2/3/2L w - - 0 1", Side::Black), "l2/3/2L b - - 0 1");
/// ```
pub fn with_side_to_move(fen: &str, side: Side) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_string).collect();
    if let Some(field) = fields.get_mut(1) {
        *field = side.letter().to_string();
    }
    fields.join(" ")
}

impl MatchSeries {
    /// Plays the matches that are not recorded yet, and calls `each` with all of them in order; `false` if
    /// `interrupt` was set before the end.
    ///
    /// # Errors
    /// If a player cannot play the first game, a file cannot be used, or `each` fails.
    pub fn run(
        &self,
        interrupt: &AtomicBool,
        each: &mut dyn FnMut(&MatchLine) -> Result<()>,
    ) -> Result<bool> {
        if let Next::Game(first) = self.rules.next(0, &Lots::draw(self.seed, 0, self.rules.seats), &[]) {
            let game = AnyGame::resolve(first.event.game())?;
            self.players.iter().try_for_each(|player| player.spec.rehearse(&game))?;
        }
        let id = self.id()?;
        let mut games = self.pgn.as_deref().map(PgnFile::create).transpose()?;
        let earlier = |record: MatchRecord| {
            if record.line.number > self.matches {
                bail!("there are more matches than {}: raise --matches, or name another file", self.matches);
            }
            games.as_mut().map_or(Ok(()), |games| games.write(&record.pgn))?;
            each(&record.line)
        };
        let mut log = self.records.as_deref().map(|path| Log::open(path, &id, earlier)).transpose()?;
        let mut games = games.map(PgnFile::go_on).transpose()?;
        let first = log.as_ref().map_or(0, Log::entries);
        let play = |(): &mut (), number: u64, begin: Begin<'_>| self.play(number, &id, begin);
        let mut tell = |record: MatchRecord| {
            log.as_mut().map_or(Ok(()), |log| log.append(&record))?;
            games.as_mut().map_or(Ok(()), |games| games.write(&record.pgn))?;
            each(&record.line)
        };
        let complete =
            in_order(first..self.matches, self.concurrency, interrupt, &|| Ok(()), &play, &mut tell);
        log.as_mut().map_or(Ok(()), Log::sync)?;
        games.as_mut().map_or(Ok(()), PgnFile::sync)?;
        complete
    }

    /// A scoresheet without a match, for these players.
    pub fn scoresheet(&self) -> Scoresheet {
        Scoresheet::new(&self.rules, self.seed, self.players.each_ref().map(|player| player.spec.name()))
    }

    /// The id of the records: a hash of everything that they depend on but their number.
    fn id(&self) -> Result<String> {
        let MatchRules { form, deciding, clocks, beginners, seats } = self.rules;
        let mut text = format!(
            "{form:?} {deciding} {clocks:?} {beginners:?} {seats:?} {} {:?}",
            self.seed, self.adjudication
        );
        for event in [Event::Duel, Event::Ambush, Event::DiamondQi, Event::DiamondQuest, Event::DiamondChess]
        {
            text.push_str(&format!(" {:016x}", AnyGame::resolve(event.game())?.fingerprint()));
        }
        for player in &self.players {
            text.push_str(&format!("\n{} {:?}", player.spec, player.grace));
        }
        Ok(format!("{:016x}", fnv(text.as_bytes())))
    }

    /// Plays the match with this number, from 0; `None` if stopped.
    fn play(&self, number: u64, id: &str, begin: Begin<'_>) -> Result<Option<MatchRecord>> {
        let lots = Lots::draw(self.seed, number, self.rules.seats);
        let (mut results, mut lines, mut pgn) = (Vec::new(), Vec::new(), String::new());
        loop {
            let next = match self.rules.next(number, &lots, &results) {
                Next::Game(next) => next,
                Next::Over(score) => {
                    let names = lots.players.map(|player| self.players[player].spec.name());
                    let line = MatchLine::new(number + 1, names, &score, lines);
                    return Ok(Some(MatchRecord { tournament: id.to_string(), line, pgn }));
                }
            };
            let Some(game) = self.game(number, results.len() as u64, &lots, &next, begin)? else {
                return Ok(None);
            };
            let event = format!("{}: {}", self.rules.form.title(), next.event.title());
            let [white, black] = game.limits.each_ref().map(TimeLimits::control_text);
            let mut line = AnyGame::resolve(next.event.game())?.open();
            pgn.push_str(&pgn::from_record(&game.record, &event, [&white, &black], line.as_mut()));
            results.push(game.result);
            lines.push(GameLine::new(
                &next,
                game.sides,
                game.record,
                self.rules.clocks.map(|_| game.result.left),
            ));
        }
    }

    /// Plays one game of a match; `None` if stopped.
    fn game(
        &self,
        number: u64,
        of_match: u64,
        lots: &Lots,
        next: &NextGame,
        begin: Begin<'_>,
    ) -> Result<Option<GameOfMatch>> {
        let game = AnyGame::resolve(next.event.game())?;
        let mut line = game.open();
        let seats = lots.players.map(|player| &self.players[player]);
        let [mut white, mut black] = two(seats.map(|seat| seat.spec.build(&game)))?;
        let limits = [0, 1].map(|n| TimeLimits {
            movetime: seats[n].spec.budget().movetime,
            clock: next.clocks.as_ref().map(|clocks| clocks[n].clone()),
            grace: seats[n].grace,
        });
        let mut clocks: [Option<PlayerClock>; 2] = limits.each_ref().map(TimeLimits::new_clock);
        let fen = next.first.map(|side| with_side_to_move(&line.fen(), side));
        let opening = Opening { fen, moves: Vec::new() };
        let seed = Random::stream(self.seed ^ GAME_STREAM, 8 * number + of_match).next_u64();
        let pairing =
            Pairing { number: of_match, round: number, stage: 0, players: lots.players, opening: 0, seed };
        let names = seats.map(|seat| seat.spec.name());
        let sides = line.diagram().sides;
        let played = Game {
            line: line.as_mut(),
            players: [white.as_mut(), black.as_mut()],
            limits: [&limits[0], &limits[1]],
            clocks: &mut clocks,
            rules: &self.adjudication,
            names,
            sides: &sides,
        }
        .play(&pairing, &opening, begin)?;
        let Some(played) = played else { return Ok(None) };
        let left = clocks.map(|clock| clock.map_or(Duration::ZERO, |clock| clock.remaining()));
        let result = GameResult { verdict: played.verdict, left };
        let timed = limits.iter().any(TimeLimits::is_timed);
        let record = played.record(line.as_ref(), &pairing, names, timed);
        Ok(Some(GameOfMatch { record, result, limits, sides }))
    }
}

/// A finished game of a match.
struct GameOfMatch {
    record: GameRecord,
    result: GameResult,
    limits: [TimeLimits; 2],
    sides: [String; 2],
}

fn two(built: [Result<Box<dyn Player>>; 2]) -> Result<[Box<dyn Player>; 2]> {
    let [white, black] = built;
    Ok([white?, black?])
}
