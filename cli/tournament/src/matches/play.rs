//! Plays matches, several at once, and hands them over in order.

use super::rules::{Event, GameResult, Lots, MatchRules, Next, NextGame};
use super::sheet::{GameLine, MatchLine};
use crate::adjudication::Adjudication;
use crate::clock::PlayerClock;
use crate::company::fnv;
use crate::log::{Entry, Log};
use crate::openings::Opening;
use crate::ordered::{Begin, in_order};
use crate::pgn;
use crate::pgn_file::PgnFile;
use crate::record::GameRecord;
use crate::runner::{Game, Played, Terms};
use crate::schedule::Fixture;
use anyhow::{Result, bail};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::GameAt;
use jewel_players::player::Player;
use jewel_players::spec::PlayerSpec;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Kept apart from the streams of lots.
const GAME_STREAM: u64 = 0x6d61_7463_6865_7321;

/// Matches of two players.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The rules.
    pub rules: MatchRules,
    /// The players.
    pub players: [Contestant; 2],
    /// How many matches.
    pub matches: u64,
    /// Of lots and of players who play at random.
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

/// Somebody who plays matches.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Who it is.
    pub spec: PlayerSpec,
    /// By how much a time may be overstepped.
    pub margin: Duration,
}

/// A match that was played: a line of the file of records.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct MatchRecord {
    /// The id of the contest, the same in all of its matches.
    pub tournament: String,
    /// What is told of it.
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

impl Contest {
    /// Plays the matches that have not been played yet, telling `each` of all of them in order; `false` if
    /// `interrupt` was set before the end.
    ///
    /// # Errors
    /// If a player cannot play the first game, a file is trouble, or `each` fails.
    pub fn run(
        &self,
        interrupt: &AtomicBool,
        each: &mut dyn FnMut(&MatchLine) -> Result<()>,
    ) -> Result<bool> {
        if let Next::Game(first) = self.rules.next(&Lots::draw(self.seed, 0), &[]) {
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

    /// What the records of these matches are known by: a hash of everything that bears on them but their number.
    fn id(&self) -> Result<String> {
        let mut text = format!("{:?} {} {:?}", self.rules, self.seed, self.adjudication);
        for event in [Event::Duel, Event::Ambush, Event::DiamondQi, Event::DiamondQuest, Event::DiamondChess]
        {
            text.push_str(&format!(" {:016x}", AnyGame::resolve(event.game())?.fingerprint()));
        }
        for player in &self.players {
            text.push_str(&format!("\n{} {:?}", player.spec, player.margin));
        }
        Ok(format!("{:016x}", fnv(text.as_bytes())))
    }

    /// Plays the match of a number, from 0; `None` if stopped.
    fn play(&self, number: u64, id: &str, begin: Begin<'_>) -> Result<Option<MatchRecord>> {
        let lots = Lots::draw(self.seed, number);
        let (mut results, mut lines, mut pgn) = (Vec::new(), Vec::new(), String::new());
        loop {
            let next = match self.rules.next(&lots, &results) {
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
            let [white, black] = game.terms.each_ref().map(Terms::control_text);
            pgn.push_str(&pgn::from_record(&game.record, &event, [&white, &black]));
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
        let terms = [0, 1].map(|n| Terms {
            movetime: seats[n].spec.budget().movetime,
            clock: next.clocks.as_ref().map(|clocks| clocks[n].clone()),
            margin: seats[n].margin,
        });
        let mut clocks: [Option<PlayerClock>; 2] = terms.each_ref().map(Terms::new_clock);
        let fen = next.first.map(|side| with_side_to_move(&line.fen(), side));
        let opening = Opening { fen, moves: Vec::new() };
        let seed = Random::stream(self.seed ^ GAME_STREAM, 8 * number + of_match).next_u64();
        let fixture = Fixture { number: of_match, round: number, players: lots.players, opening: 0, seed };
        let names = seats.map(|seat| seat.spec.name());
        let sides = line.diagram().sides;
        let played = Game {
            line: line.as_mut(),
            players: [white.as_mut(), black.as_mut()],
            terms: [&terms[0], &terms[1]],
            clocks: &mut clocks,
            rules: &self.adjudication,
            names,
            sides: &sides,
        }
        .play(&fixture, &opening, begin)?;
        let Some(played) = played else { return Ok(None) };
        let left = clocks.map(|clock| clock.map_or(Duration::ZERO, |clock| clock.remaining()));
        let result = GameResult { verdict: played.verdict, left };
        let timed = terms.iter().any(Terms::is_timed);
        let record = record(line.as_ref(), &fixture, names, played, timed);
        Ok(Some(GameOfMatch { record, result, terms, sides }))
    }
}

/// A game of a match that was played.
struct GameOfMatch {
    record: GameRecord,
    result: GameResult,
    terms: [Terms; 2],
    sides: [String; 2],
}

fn two(built: [Result<Box<dyn Player>>; 2]) -> Result<[Box<dyn Player>; 2]> {
    let [white, black] = built;
    Ok([white?, black?])
}

fn record(
    line: &dyn GameAt,
    fixture: &Fixture,
    [white, black]: [&str; 2],
    played: Played,
    timed: bool,
) -> GameRecord {
    GameRecord {
        tournament: String::new(),
        number: fixture.number + 1,
        round: fixture.round + 1,
        game: line.game().to_string(),
        fen: line.fen(),
        start: line.first_fen(),
        book: 0,
        white: white.to_string(),
        black: black.to_string(),
        seed: fixture.seed,
        result: played.verdict.score_text().to_string(),
        termination: played.reason.termination().to_string(),
        reason: played.reason,
        ending: played.ending,
        moves: line.played(),
        turns: Vec::new(),
        scores: played.scores,
        depths: played.depths,
        nodes: played.nodes,
        seconds: if timed { played.seconds } else { Vec::new() },
    }
}
